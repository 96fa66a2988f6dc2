"""How fast a system's own motions are, how long an explicit step may be, and which stepper "auto" takes.

The rate of a state near a given one changes as its slopes A say (docs/theory.md (G4)); explicit steps of length h are stable
where the product of h and every eigenvalue lies in the region of stability of the method.
"""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from locomotor.codegen import Kernel, virtual_kernel
from locomotor.dataclass import dataclass
from locomotor.simulation.steppers import AUTO, FixedStep, generalised_alpha, rk4
from locomotor.tracing import TracedSystem
from locomotor.tracing.core import Slopes, slopes_of
from locomotor.typing import Complexes, Vector

ANGLES, FARTHEST, GROWTH = 45, 6.0, 1e-4
"""Regions of stability: rays from a decay to an oscillation, how far they are followed, growth in a step that is none."""


@dataclass(frozen=True)
class Stiffness:
    """The fastest of a system's own motions at a state, and the longest stable step of an explicit method for all of them."""

    fastest: complex
    """Eigenvalue of the largest size (1/s)."""
    longest: float
    """Longest stable step (s); infinite where nothing moves by itself."""
    stepper: str

    @property
    def words(self) -> str:
        """What is the fastest, and what it wants."""
        size = abs(self.fastest)
        kind = "oscillates at" if abs(self.fastest.imag) > abs(self.fastest.real) else "decays at"
        unit = "rad/s" if abs(self.fastest.imag) > abs(self.fastest.real) else "1/s"
        below = rounded_down(self.longest)
        return f"its fastest mode {kind} {size:.3g} {unit}, so that {self.stepper} is stable with steps below {below:.2g} s"


def stiffness(
    traced: TracedSystem, time: float, state: Vector, inputs: Vector, parameters: Vector, stepper: str = "rk4"
) -> Stiffness:
    """Eigenvalues of the slopes at a state, and what an explicit stepper makes of them."""
    return stiffness_of(own_motions(traced, time, state, inputs, parameters)[0], stepper)


def stiffness_of(values: Complexes, stepper: str) -> Stiffness:
    """What an explicit stepper makes of some eigenvalues."""
    if not len(values):
        return Stiffness(0j, np.inf, stepper)
    with np.errstate(divide="ignore"):
        longest = np.array([stable(stepper, value) / abs(value) if value else np.inf for value in values])
    return Stiffness(complex(values[np.abs(values).argmax()]), float(longest.min()), stepper)


def settled(
    stepper: FixedStep, found: Callable[[], Stiffness], implicit: Callable[[float], FixedStep] = generalised_alpha
) -> tuple[FixedStep, str]:
    """The stepper that "auto" stands for where a run begins, and why; others stay as they are, for no reason."""
    if stepper.name != AUTO:
        return stepper, ""
    seen = found()
    enough = stepper.step <= seen.longest
    chosen = rk4(stepper.step) if enough else implicit(stepper.step)
    return chosen, f"stepper='auto' took {chosen.name}: {seen.words}, and the step is {stepper.step:.3g} s"


def stable(stepper: str, value: complex) -> float:
    """How large h times |value| may be; a growth of the system itself is taken for an oscillation as fast."""
    angle = min(abs(np.angle(-value)), 0.5 * np.pi)
    reach = _reach(stepper)
    return float(np.interp(angle, np.linspace(0.0, 0.5 * np.pi, ANGLES), reach))


def own_motions(
    traced: TracedSystem, time: float, state: Vector, inputs: Vector, parameters: Vector
) -> tuple[Complexes, Complexes]:
    """Eigenvalues of the slopes at a state (1/s), and how the state moves along each, in columns; none where unknown."""
    n, nothing = traced.manifold.tangent_size, (np.zeros(0, dtype=complex), np.zeros((0, 0), dtype=complex))
    if not n or (traced.dynamics.calls and traced.dynamics.slopes is None):
        return nothing
    slopes, kernel = _slopes(traced)
    given = (np.array([time]), state[None], inputs, parameters)
    matrix = slopes.matrices(lambda *along: kernel(*given, *along)[0], n)[0]
    if not np.isfinite(matrix).all():
        return nothing
    values, vectors = np.linalg.eig(matrix)
    return values.astype(complex), vectors.astype(complex)


@lru_cache(maxsize=4)
def _slopes(traced: TracedSystem) -> tuple[Slopes, Kernel]:
    """The slopes of the rates of a system, and a function for them that needs no compiler; kept for the next state."""
    slopes = slopes_of(traced.dynamics, traced.manifold)
    return slopes, virtual_kernel(slopes.function)


def rounded_down(value: float) -> float:
    """The number of two digits below a positive one: a limit that is told must not be beyond the limit."""
    if not 0.0 < value < math.inf:
        return value
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return math.floor(value / unit * (1 + 1e-12)) * unit


# -- regions of stability -------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def _reach(stepper: str) -> Vector:
    """How far each ray, from a decay to an oscillation, stays in the region of stability of a method."""
    sizes = np.linspace(0.0, FARTHEST, 601)[1:]
    found = []
    for angle in np.linspace(0.0, 0.5 * np.pi, ANGLES):
        grown = _GROWTH[stepper](-sizes * np.exp(1j * angle)) > 1.0 + GROWTH
        found.append(float(sizes[grown.argmax() - 1]) if grown.any() and grown.argmax() else 0.0 if grown.any() else FARTHEST)
    return np.array(found)


def growth(stepper: str, z: Complexes) -> Vector:
    """By how much an explicit method makes a mode grow in a step; `z` is its eigenvalue times the step."""
    return _GROWTH[stepper](z)


def _growth_rk4(z: Complexes) -> Vector:
    return np.abs(1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4))))


def _growth_abm(z: Complexes, corrector: Vector) -> Vector:
    """The largest root of the recurrence of Adams-Bashforth 4 with one correction, its coefficients newest first."""
    row = np.zeros((len(z), 4), dtype=complex)
    row[:, 0] = 1.0
    predicted = row + z[:, None] / 24 * np.array([55.0, -59.0, 37.0, -9.0])
    matrices = np.zeros((len(z), 4, 4), dtype=complex)
    matrices[:, 0] = row + z[:, None] * (corrector[1:] + corrector[0] * predicted)
    matrices[:, 1:] = np.eye(3, 4)
    return np.abs(np.linalg.eigvals(matrices)).max(axis=1)


_GROWTH: dict[str, Callable[[Complexes], Vector]] = {
    "rk4": _growth_rk4,
    "abm4": lambda z: _growth_abm(z, np.array([9.0, 19.0, -5.0, 1.0, 0.0]) / 24),
    "abm5": lambda z: _growth_abm(z, np.array([251.0, 646.0, -264.0, 106.0, -19.0]) / 720),
}
"""Growth in one step of x' = z x, by method."""
