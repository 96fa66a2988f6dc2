"""Systems with contacts at random consistent states, with exact derivatives along the motion."""

from functools import cache, cached_property
from typing import Any

import casadi
import numpy as np
import pytest

from locomotor.lie import SO3, ops
from locomotor.mechanics import ReducedMotion, Reduction, choose_reduction
from locomotor.mechanics.chart.poses import perturbed
from locomotor.mechanics.tree.kinematics import Instant, forward
from locomotor.model import System
from oracles.mechanics import constraint_matrix, contact_rows
from oracles.sampling import coordinate_rate, rows_at, touching
from oracles.vehicles import SYSTEMS, tilted

Array = Any

TILT = SO3.exp(np.array([0.5, -0.8, 0.4])).matrix
SHIFT = np.array([1.0, -2.0, 3.0])


class Case:
    """A system, its reduction about the nominal pose, and a few random consistent states."""

    def __init__(self, name: str, ground: str) -> None:
        rng = np.random.default_rng(len(name) + 100 * list(SYSTEMS).index(name))
        level = SYSTEMS[name]()
        self.system: System = tilted(level, TILT, SHIFT) if ground == "tilted" else level
        self.reduction = choose_reduction(self.system)
        self.poses = [self.system.nominal_pose()] + [perturbed(level, level.nominal_pose(), 0.3, rng) for _ in range(2)]
        self.poses = [touching(self.system, q) for q in self.poses]
        self.motions = [ReducedMotion(self.reduction, q, rng.normal(size=len(self.reduction.free))) for q in self.poses]
        self.any_v = rng.normal(size=self.system.layout.nv)
        self.kept = kept_rows(self.reduction, self.poses[0])

    @cached_property
    def q(self) -> Any:
        return ops.symbols("q", self.system.layout.nq)

    @cached_property
    def v(self) -> Any:
        return ops.symbols("v", self.system.layout.nv)

    @cached_property
    def symbolic(self) -> Any:
        return contact_rows(forward(Instant(self.system, self.q, self.v)))

    def along_the_motion(self, of_q: Any) -> Any:
        """Exact time derivative of a function of q."""
        return casadi.jtimes(casadi.SX(of_q), self.q, coordinate_rate(self.system, self.q, self.v))

    def at(self, expression: Any, q: Array, v: Array) -> Array:
        function = casadi.Function("f", [self.q, self.v], [casadi.densify(casadi.SX(expression))])
        return function(q, v).full().squeeze()


def kept_rows(reduction: Reduction, q: Array) -> list[int]:
    """Rows of contacts that have a pivot (a long chain has rows of another kind after them)."""
    count = len(constraint_matrix(rows_at(reduction.system, q), reduction.system.layout.nv))
    return sorted(i for i, _ in reduction.pivots.steps if i < count)


@cache
def case(name: str, ground: str) -> Case:
    return Case(name, ground)


def every(names: Any = tuple(SYSTEMS)) -> Any:
    """Parametrise over systems and grounds."""
    pairs = [(name, ground) for name in names for ground in ("level", "tilted")]
    return pytest.mark.parametrize(("name", "ground"), pairs, ids=[f"{n}-{g}" for n, g in pairs])


def counts(reduction: Reduction) -> tuple[int, int]:
    """Degrees of freedom, and rows without a pivot."""
    return len(reduction.free), len(reduction.pivots.redundant_rows) + len(reduction.pivots.void_rows)


def close(found: Array, wanted: Array, tolerance: float) -> bool:
    """Equal relative to the largest entry."""
    found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    assert found.shape == wanted.shape
    return bool(np.abs(found - wanted).max(initial=0.0) <= tolerance * max(1.0, np.abs(wanted).max(initial=0.0)))
