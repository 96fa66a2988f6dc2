"""Forces on a system at rest with their exact derivatives, and Newton's method on them."""

from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache

import numpy as np

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import EquilibriumError
from locomotor.mechanics.chart import chart_from_coordinates, chart_symbols
from locomotor.model import System
from locomotor.names import suggestion
from locomotor.simulation.starts import starting_state
from locomotor.tracing import Traced, TracedSystem, trace
from locomotor.tracing.readings import static_forces
from locomotor.typing import Floats, Vector

NEWTON_STEPS = 60
SHORTEST = 1e-7
"""Share of a Newton step below which a line search gives up."""
STILL = 1e-13
"""A Newton step of this share of the unknowns changes nothing any more."""
RANK = 1e-13
"""Singular values below this share of the largest are zero."""
SKEW = 1e-6
"""A stiffness whose skew part is above this share of it belongs to forces without a potential."""
SETTLED = 1e-8
"""A Newton step of this share that no longer shrinks is round-off."""


@checks.doors
@dataclass(frozen=True, eq=False)
class Balance:
    """The equations of equilibrium of a system: forces along its reduced velocities, and gaps."""

    traced: TracedSystem

    @cached_property
    def function(self) -> Traced:
        """Forces, gaps and moves, traced."""
        return static_forces(self.traced)

    @cached_property
    def _known_slopes(self) -> dict[tuple[str, str], Traced]:
        return {}

    def _slope(self, out: str, of: str) -> Traced:
        """One Jacobian, traced when first asked for."""
        if (out, of) not in self._known_slopes:
            self._known_slopes[out, of] = self.function.jacobian(out, of)
        return self._known_slopes[out, of]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the unknowns."""
        return tuple(symbol.name for symbol in chart_symbols(self.traced.system))

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return self.traced.input_port.names

    def start(self, values: Mapping[str, float] | None, parameters: Vector) -> Vector:
        """Chart coordinates of a consistent start."""
        x = starting_state(self.traced, dict(values or {}), parameters=parameters)
        q = self.traced.system.nominal_pose()
        q[list(self.traced.coordinate_indices)] = x[: self.traced.nq]
        return np.array(chart_from_coordinates(self.traced.system, q), dtype=float)

    def inputs(self, given: Mapping[str, float] | None) -> Vector:
        """Inputs as a vector; those not given are zero."""
        for name in given or {}:
            if name not in self.input_names:
                raise EquilibriumError(f"{self.traced.system.name} has no input {name!r}: {suggestion(name, self.input_names)}")
        return np.array([float((given or {}).get(name, 0.0)) for name in self.input_names])

    def residual(self, x: Vector, u: Vector, p: Vector) -> Vector:
        """Forces, then gaps: all zero in an equilibrium."""
        forces, gaps, _ = self.function(np.zeros(1), x, u, p)
        return np.concatenate([forces, gaps])

    def slope(self, of: str, x: Vector, u: Vector, p: Vector) -> Floats:
        """Exact derivative of the residual by "chart", "inputs" or "parameters"."""
        rows = [self._slope("forces", of)(np.zeros(1), x, u, p)[0]]
        if self.function.outputs[1].size:
            rows.append(self._slope("gaps", of)(np.zeros(1), x, u, p)[0])
        return np.concatenate(rows)

    def stiffness(self, x: Vector, u: Vector, p: Vector) -> Floats:
        """Rates of the forces per unit of each reduced velocity: symmetric where all forces have a potential."""
        moves = self.function(np.zeros(1), x, u, p)[2]
        return self._slope("forces", "chart")(np.zeros(1), x, u, p)[0] @ moves


@lru_cache(maxsize=16)
def balance_of(system: System, free: tuple[str, ...] = ()) -> Balance:
    """The equations of a system with some parameters free; equal systems share them."""
    return Balance(trace(system, free=free))


@dataclass(frozen=True, eq=False)
class Solution:
    """Where Newton's method ended."""

    x: Vector
    found: bool
    steps: int
    residual: float


def newton(
    residual: Callable[[Vector], Vector], slope: Callable[[Vector], Floats], x: Vector, most: int = NEWTON_STEPS
) -> Solution:
    """Newton's method with a line search on the residual, rows scaled to the size of their slope.

    A slope without full rank (nothing holds some motion) is used as far as it goes: the shortest step.
    """
    scale = _row_scale(slope(x))
    left = scale * residual(x)
    before = np.inf
    for count in range(1, most + 1):
        if not np.isfinite(left).all():
            return Solution(x, False, count, float("nan"))
        step = least_squares(scale[:, None] * slope(x), -left)
        size = float(np.linalg.norm(step)) / (1.0 + float(np.linalg.norm(x)))
        if size <= STILL or (size <= SETTLED and size > 0.5 * before):
            # What cannot be moved away must vanish too: a step of zero before a wall of force is no equilibrium.
            ok = float(np.linalg.norm(left)) <= SETTLED * (1.0 + float(np.linalg.norm(x)))
            return Solution(x, ok, count, float(np.abs(residual(x)).max(initial=0.0)))
        share, norm = 1.0, float(np.linalg.norm(left))
        while True:
            trial = scale * residual(x + share * step)
            if np.isfinite(trial).all() and (float(np.linalg.norm(trial)) <= (1.0 - 1e-4 * share) * norm or size <= SETTLED):
                break
            share *= 0.5
            if share < SHORTEST:
                return Solution(x, False, count, float(np.abs(residual(x)).max(initial=0.0)))
        x, left, before = x + share * step, trial, size
    return Solution(x, False, most, float(np.abs(residual(x)).max(initial=0.0)))


def _row_scale(slopes: Floats) -> Vector:
    sizes = np.abs(slopes).max(axis=1, initial=0.0)
    sizes[sizes == 0.0] = 1.0
    return 1.0 / sizes


def least_squares(A: Floats, b: Vector) -> Vector:
    """The shortest x with the least |A x - b|; what is not finite has none."""
    if not (np.isfinite(A).all() and np.isfinite(b).all()):
        raise EquilibriumError("forces or their slopes are not finite numbers; give values nearer to 1, in SI units")
    return np.asarray(np.linalg.lstsq(A, b, rcond=RANK)[0], dtype=float)


def symmetric_eigenvalues(K: Floats) -> Vector:
    """Eigenvalues of the symmetric part of a matrix, the lowest first."""
    return np.asarray(np.linalg.eigvalsh(0.5 * (K + K.T)) if K.size else np.zeros(0), dtype=float)


def is_symmetric(K: Floats) -> bool:
    """Whether a stiffness is that of forces with a potential."""
    return bool(np.abs(K - K.T).max(initial=0.0) <= SKEW * np.abs(K).max(initial=0.0))
