"""The climbing robot: its motion and its limit cycles."""

# Each file registers its entries, in this order.
# isort: off
from locomotor.scenarios.rocr import cycles as cycles
from locomotor.scenarios.rocr import motion as motion
# isort: on
