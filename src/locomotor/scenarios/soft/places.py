"""Equilibria of loaded systems, and where bodies are in them. The analysis is loaded when something is computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from locomotor.mechanics.tree import Instant, forward
from locomotor.model import System
from locomotor.typing import Vector

if TYPE_CHECKING:
    from locomotor.analysis import Equilibrium


def at_rest(system: System, load: float) -> Equilibrium:
    """The equilibrium under the input P."""
    from locomotor.analysis import equilibrium

    return equilibrium(system, inputs={"P": load})


def first_change(system: System, along: str, to: float, start: Mapping[str, float] | None = None) -> float:
    """The load at which its equilibrium first loses a direction of its stiffness."""
    from locomotor.analysis import continue_equilibrium

    return continue_equilibrium(system, along, to, start).changes[0].load


def end_of(found: Equilibrium, body: str, *, turned: bool = False) -> Vector:
    """Place (3) of a body in the world, or its rotation (3 x 3)."""
    layout = found.system.layout
    q = np.array([found[symbol.name] for symbol in layout.coordinates])
    pose = forward(Instant(found.system, q, np.zeros(layout.nv))).poses[found.system.index(body)]
    return np.asarray(pose.rotation if turned else pose.translation, dtype=float)
