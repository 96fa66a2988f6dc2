"""Experiments in which shape moves the body."""

# Each file registers its entries, in this order.
# isort: off
from locomotor.scenarios.locomotion import belkhiri_bicycle as belkhiri_bicycle
from locomotor.scenarios.locomotion import momentum as momentum
from locomotor.scenarios.locomotion import wheels as wheels
from locomotor.scenarios.locomotion import snakeboard as snakeboard
from locomotor.scenarios.locomotion import elastic_snakeboard as elastic_snakeboard
from locomotor.scenarios.locomotion import cart_pendulum as cart_pendulum
# isort: on
