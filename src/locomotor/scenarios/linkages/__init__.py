"""Experiments of mechanisms with loops."""

# Each file registers its entries, in this order.
# isort: off
from locomotor.scenarios.linkages import textbook as textbook
from locomotor.scenarios.linkages import squeezer as squeezer
from locomotor.scenarios.linkages import pendulum as pendulum
from locomotor.scenarios.linkages import strandbeest as strandbeest
from locomotor.scenarios.linkages import planar as planar
from locomotor.scenarios.linkages import platforms as platforms
# isort: on
