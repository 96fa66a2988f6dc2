"""Flapping flight: the vehicle with segmented wings, hovering insects."""

# Each file registers its entries; their order here is the order of the validation page.
# isort: off
from locomotor.scenarios.flight import torsion as torsion
from locomotor.scenarios.flight import unstated as unstated
from locomotor.scenarios.flight import segmented as segmented
from locomotor.scenarios.flight import unstated_segments as unstated_segments
from locomotor.scenarios.flight import insects as insects
from locomotor.scenarios.flight import eva as eva
from locomotor.scenarios.flight import hover as hover
from locomotor.scenarios.flight import stability as stability
from locomotor.scenarios.flight import path as path
# isort: on
