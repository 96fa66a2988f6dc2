"""Where a body is in an equilibrium."""

import numpy as np

from locomotor.analysis import Equilibrium
from locomotor.mechanics.tree import Instant, forward
from locomotor.typing import Vector


def end_of(found: Equilibrium, body: str, *, turned: bool = False) -> Vector:
    """Place (3) of a body in the world, or its rotation (3 x 3)."""
    layout = found.system.layout
    q = np.array([found[symbol.name] for symbol in layout.coordinates])
    pose = forward(Instant(found.system, q, np.zeros(layout.nv))).poses[found.system.index(body)]
    return np.asarray(pose.rotation if turned else pose.translation, dtype=float)
