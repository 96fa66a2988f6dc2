"""What every solver here returns: the solution, how well it holds, who found it, and what is known if there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Literal, NamedTuple

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.typing import Floats

Status = Literal["solved", "ray", "limit"]

TOLERANCE = 1e-10
"""Relative residual up to which a solution is called one."""

NOISE = 1e-5
"""Round-off over the tolerance: the share of its largest entry to which a solution is known, where its conditions are to be met
to the tolerance."""


class Residuals(NamedTuple):
    """How far a solution is from its conditions, each relative to the size of the numbers it is made of.

    `solution` and `slack`: how far these are outside their cones; `product`: how far from complementary.
    """

    solution: float
    slack: float
    product: float


@dataclass(frozen=True, eq=False)
class Answer:
    """The answer of a solver.

    `status` is "solved"; "ray": the solver met a ray, so that no solution was found, and where `proof` is not empty there is
    none; or "limit": the solver stopped at its limit of iterations, `solution` is where, `residual` how near.
    With "ray" the solution is NaN, so that nobody takes it for one.
    """

    status: Status
    method: str
    solution: Floats
    """z, or for contacts the forces or impulses r."""
    slack: Floats
    """w = M z + q, or for contacts the relative velocities (accelerations) u = W r + q."""
    residual: float
    """Natural residual, relative to the size of the numbers it is made of."""
    residuals: Residuals
    iterations: int
    """Pivots, sweeps or steps of the method."""
    proof: str = ""
    """With "ray": "certificate" (see there), "enumeration" (all complementary sets were tried), or "": not proved."""
    certificate: Floats | None = field(default=None, repr=False)
    """With the proof "certificate": y >= 0 with M^T y <= 0 and q . y < 0, which no solution can live with."""

    @property
    def solved(self) -> bool:
        """Whether the solution is one."""
        return self.status == "solved"


class Found(NamedTuple):
    """What an algorithm found, before its solution is measured."""

    status: Status
    solution: Floats
    iterations: int
    certificate: Floats | None = None


def measured(
    found: Found,
    method: str,
    measure: Callable[[Floats], tuple[Floats, float, Residuals]],
    *,
    tolerance: float = TOLERANCE,
    proof: str = "",
) -> Answer:
    """The answer to what an algorithm found: "solved" only where the residual says so."""
    if found.status == "ray":
        lost, nan = np.full_like(found.solution, np.nan), float("nan")
        proof = proof or ("certificate" if found.certificate is not None else "")
        return Answer("ray", method, lost, lost, nan, Residuals(nan, nan, nan), found.iterations, proof, found.certificate)
    slack, residual, residuals = measure(found.solution)
    status: Status = "solved" if residual <= tolerance else "limit"
    return Answer(status, method, found.solution, slack, residual, residuals, found.iterations)
