"""Experiments whose contacts open and close."""

# Each file registers its entries, in this order.
# isort: off
from locomotor.scenarios.intermittent import bicycle as bicycle
from locomotor.scenarios.intermittent import ramp as ramp
from locomotor.scenarios.intermittent import wheelie as wheelie
from locomotor.scenarios.intermittent import examples as examples
from locomotor.scenarios.intermittent import balls as balls
from locomotor.scenarios.intermittent import painleve as painleve
from locomotor.scenarios.intermittent import striking as striking
from locomotor.scenarios.intermittent import snake as snake
from locomotor.scenarios.intermittent import pinched as pinched
from locomotor.scenarios.intermittent import skidding as skidding
from locomotor.scenarios.intermittent import rubbing as rubbing
from locomotor.scenarios.intermittent import wobbling as wobbling
# isort: on
