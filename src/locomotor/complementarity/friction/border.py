"""Friction along the ground that is bounded by another convex set than a ball: what the solvers ask of its border.

The set is that for a normal force and a coefficient of one; it is smooth, and contains the opposite of each of its points.
Friction is across its border: where a contact slips in the direction t it is -friction(t), the point that brakes most.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from locomotor.typing import Floats

STEPS = 5
"""Steps of Newton's method for the direction to which a force belongs."""


class Border(Protocol):
    """The border of such a set."""

    INNER: float
    """Radius of a ball inside."""

    def friction(self, slip: Floats) -> Floats:
        """The point at which the border is across a direction."""

    def size(self, force: Floats) -> float:
        """By which factor the set must grow so that a force is on its border."""

    def metric(self, slip: Floats) -> Floats:
        """Q^-1 of the ellipsoid r.Q^-1 r = 1 that osculates the border at the friction of a direction."""


def across(border: Border, force: Floats) -> Floats:
    """The unit direction across the border where a force leaves the set."""
    t = force
    for _ in range(STEPS):
        t = border.metric(t) @ force
        t = t / (float(np.linalg.norm(t)) or 1.0)
    return t
