"""Experiments with bodies that deform."""

from locomotor.scenarios.soft import agreement as agreement
from locomotor.scenarios.soft import beams as beams
from locomotor.scenarios.soft import buckling as buckling
from locomotor.scenarios.soft import fork as fork
from locomotor.scenarios.soft import locomotion as locomotion
from locomotor.scenarios.soft import rods as rods
