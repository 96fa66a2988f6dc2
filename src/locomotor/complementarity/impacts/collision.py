"""What an impact starts from and what it leaves, on plain matrices.

    u+ = u + W L,      T+ - T- = L . (u + u+) / 2,

contact after contact, the normal component first: u are relative velocities before the impact, L impulses, W = H M^-1 H^T the
Delassus matrix. Normal velocities are negative where bodies approach.
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.typing import Floats

Status = Literal["solved", "several", "pulls", "enters", "limit", "ray"]

SMALL = 1e-12
"""Velocities and impulses below this share of the largest around them are zero."""


@dataclass(frozen=True, eq=False)
class Collision:
    """The problem that every impact law answers: matrices, velocities before, and coefficients."""

    W: Floats
    u: Floats
    mu: Floats
    """Coefficients of friction, one a contact; zero where there is none."""
    axes: int
    """Components of a contact: 1 without friction, 2 in the plane, 3 in space."""
    E: Floats
    """Restitution matrix, (contacts, contacts): coefficients of the contacts on its diagonal."""
    tangential: Floats
    """Coefficients along the ground, one a contact."""
    dissipation: float
    """Moreau's index: 0 elastic, 1 without any bounce."""

    @property
    def contacts(self) -> int:
        """Number of contacts."""
        return len(self.mu)

    @cached_property
    def normals(self) -> NDArray[np.intp]:
        """Rows of the normals."""
        return np.arange(0, len(self.u), self.axes)

    @cached_property
    def tangents(self) -> NDArray[np.intp]:
        """Rows along the ground, (contacts, axes - 1)."""
        return self.normals[:, None] + np.arange(1, self.axes)

    @cached_property
    def speed(self) -> float:
        """Largest velocity: the scale of what counts as zero."""
        return float(np.abs(self.u).max(initial=0.0)) or 1e-300

    def after(self, impulses: Floats) -> Floats:
        """Velocities after the impact."""
        return self.u + self.W @ impulses

    def energy_lost(self, impulses: Floats) -> float:
        """Kinetic energy lost in the impact, T- - T+ (J)."""
        return -float(impulses @ (self.u + 0.5 * (self.W @ impulses)))


@dataclass(frozen=True, eq=False)
class Found:
    """What a law found: impulses, how well they hold, and what else it knows."""

    impulses: Floats
    status: Status = "solved"
    residual: float = 0.0
    compression: Floats | None = None
    """Impulses up to the end of compression, where the law has phases."""
    others: tuple[Floats, ...] = ()
    """Impulses of all other outcomes, where the law allows several."""
    complete: bool = True
    """Whether no outcome is missing."""


@checks.doors
@dataclass(frozen=True, eq=False)
class ImpactOutcome:
    """What an impact leaves.

    `status` is "solved"; "several": the law allows other outcomes too, which are in `others`; "pulls": some normal impulse is
    negative; "enters": some contact approaches afterwards, and strikes again; "limit": the solver stopped at its limit,
    `residual` says how near; "ray": there is no solution, and the numbers are NaN.
    """

    law: str
    status: Status
    velocities: Floats
    """Relative velocities after the impact, contact after contact."""
    impulses: Floats
    """Contact after contact, the normal one first."""
    energy_lost: float
    """T- - T+ (J); negative where the law gained energy."""
    residual: float
    compression: Floats | None = None
    """Impulses up to the end of compression, where the law has phases."""
    others: tuple[ImpactOutcome, ...] = ()
    """All other outcomes, where the law allows several."""
    motion: Floats | None = None
    """Velocities of the system after the impact, where it was given."""
    complete: bool = True
    """False where the law allows several outcomes and the search for them was given up: there may be more than in `others`."""

    @property
    def solved(self) -> bool:
        """Whether the outcome obeys the law; there may be others that do."""
        return self.status in {"solved", "several"}

    @property
    def gained(self) -> bool:
        """Whether there is more energy after the impact, beyond round-off."""
        size = float(np.abs(self.impulses) @ np.abs(self.velocities)) + abs(self.energy_lost)
        return self.energy_lost < -1e-11 * size
