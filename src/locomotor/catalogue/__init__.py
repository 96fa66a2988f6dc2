"""Ready systems with published parameter sets, and gaits to drive them with."""

from locomotor.catalogue.belkhiri_bicycle import belkhiri_bicycle as belkhiri_bicycle
from locomotor.catalogue.bicycle import bicycle as bicycle
from locomotor.catalogue.cart_pendulum import cart_pendulum as cart_pendulum
from locomotor.catalogue.elroy_beanie import elroy_beanie as elroy_beanie
from locomotor.catalogue.falling_cat import falling_cat as falling_cat
from locomotor.catalogue.falling_cat import falling_cat_gaits as falling_cat_gaits
from locomotor.catalogue.flapping_robot import EVA as EVA
from locomotor.catalogue.flapping_robot import FourierAngle as FourierAngle
from locomotor.catalogue.flapping_robot import WingKinematics as WingKinematics
from locomotor.catalogue.registry import Ready as Ready
from locomotor.catalogue.registry import gait as gait
from locomotor.catalogue.registry import system as system
from locomotor.catalogue.registry import systems as systems
from locomotor.catalogue.satellite import satellite as satellite
from locomotor.catalogue.snakeboard import snakeboard as snakeboard
from locomotor.catalogue.swimmer import scallop as scallop
from locomotor.catalogue.swimmer import swimmer as swimmer
from locomotor.catalogue.trident_snake import trident_snake as trident_snake
from locomotor.catalogue.trikke import trikke as trikke
from locomotor.catalogue.two_wheel_platform import two_wheel_platform as two_wheel_platform
from locomotor.catalogue.two_wheel_platform import unicycle as unicycle
from locomotor.catalogue.wheeled_snake import wheeled_snake as wheeled_snake
