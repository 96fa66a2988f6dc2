"""Explicit steps that no motion survives: refused where a run begins, with the limit, before the run is wasted.

Refused is what is proved twice. The slopes of the rates at the start (docs/theory.md (G4)) have a mode that the method makes
grow and that does not grow by itself, by `GROWN` over the steps of the run: eigenvalues alone are asked, for what slopes that
are not normal let grow for a while dies out again. And the method's own steps, from the start moved a little along this mode,
do leave what shorter steps find. What a law lets saturate, as friction smoothed by tanh, trembles and no more: it is left
alone, and so is a run too short to be spoilt. What becomes stiff on the way is not foreseen here; the status of a run tells it.

Slopes cost more than a short run. So the steps themselves are looked at first: a step from each of a few states nearby.
"""

import math
from collections.abc import Callable

import numpy as np

from locomotor.codegen import MONITOR, NOT_FINITE, WORTH_SIMD, Rollout
from locomotor.dataclass import dataclass
from locomotor.errors import UnstableStepError
from locomotor.lie import Manifold
from locomotor.simulation.stiffness import growth, rounded_down, stiffness_of
from locomotor.typing import Complexes, Floats, Vector

GROWN = math.log(1e12)
"""Growth over a run, as its logarithm, that spoils it: round-off becomes visible, and what is visible infinite."""
SUSPECT = 1.05
"""Growth in a step below which nothing is looked at: what falls or diverges by itself stays below it in usual steps."""
NUDGE = 1e-6
"""How far states nearby are, as a share of their size or of one; larger on a device that computes in single precision."""
LOST = 10.0
"""How far from the motion, in the same measure, what began a nudge away from it is lost; its turns may stop it later."""
SHORTER = 1_000_000
"""Shorter steps that are taken for comparison at most: where it would take more, nothing moves in a few steps as far as `LOST`
over `NUDGE`, but what those steps themselves make grow."""
SQUARINGS = 10
"""How often the matrix of a step is squared for a bound of its growth."""
HALVINGS, REFINED = 40, 6
"""How often a step is halved to find one that is stable, and how often the limit is looked for between the last two."""

LONGER = {"abm4": 10.0, "abm5": 10.0}
"""A step of the Adams methods tells little, as they begin with others: Runge-Kutta 4 is as stable as they are at steps so much
longer (docs/steppers.md), and is looked at instead."""

Advance = Callable[[Floats, int, float, str], Floats]
"""Some states, one a row, after so many steps of a length (s) by a method; infinite where the steps fail."""
Motions = Callable[[], tuple[Complexes, Complexes]]
"""Eigenvalues of the slopes where a run begins, and how the state moves along each (`own_motions`)."""


@dataclass(frozen=True, eq=False)
class Beginning:
    """Where steps begin, and how they are made."""

    state: Vector
    manifold: Manifold
    advance: Advance
    steps: int
    h: float
    stepper: str = "rk4"
    nudge: float = NUDGE

    @property
    def _unit(self) -> Vector:
        """How large each number of a tangent vector is thought to be."""
        size = np.ones(self.manifold.tangent_size)
        for turning, x, d in self.manifold.slices():
            if not turning:
                size[d] = np.maximum(1.0, np.abs(self.state[x]))
        return size

    def linear(self, h: float) -> Floats:
        """How states nearby move away from each other in a step of a length; none where such a step fails."""
        n, unit = self.manifold.tangent_size, self.nudge * self._unit
        nearby = np.asarray(self.manifold.retract(np.tile(self.state, (n, 1)), np.diag(unit)))
        ends = self.advance(np.vstack([self.state, nearby]), 1, h, "rk4")
        with np.errstate(all="ignore"):
            found = np.asarray(self.manifold.left_inverse(ends[0])) @ (ends[1:] - ends[0]).T / unit
        return found if np.isfinite(found).all() else np.full((n, n), np.inf)

    def grows(self, h: float) -> float:
        """Logarithm of the growth of what grows most in a step of a length."""
        return _spectral(self.linear(h))

    @property
    def is_suspect(self) -> bool:
        """Whether something grows so much in a step that the run could be spoilt."""
        if not self.steps or not self.state.size or not np.isfinite(self.state).all():
            return False
        matrix = self.linear(LONGER.get(self.stepper, 1.0) * self.h)
        least = max(math.log(SUSPECT), GROWN / self.steps)
        return _power_bound(matrix) > least and _spectral(matrix) > least

    def is_lost(self, along: Complexes, rate: float, stable: float) -> bool:
        """Whether steps from a state moved along a mode, which grows by that much in each, leave what stable steps find."""
        turned = along * np.exp(-1j * np.angle(along[np.abs(along).argmax()]))
        move = self.nudge * self._unit * turned.real / np.abs(turned.real).max()
        steps = min(self.steps, 2 * math.ceil(GROWN / rate) + 2)
        finer = math.ceil(2.0 * self.h / stable)
        moved = np.asarray(self.manifold.retract(self.state[None], move[None]))
        (end,) = self.advance(moved, steps, self.h, self.stepper)
        right, far = self.state, LOST / NUDGE
        if steps * finer <= SHORTER:
            (right,), far = self.advance(self.state[None], steps * finer, self.h / finer, self.stepper), LOST
        if not np.isfinite(right).all():
            return False
        with np.errstate(all="ignore"):
            return not bool((np.abs(end - right) < far * np.maximum(1.0, np.abs(right))).all())


def advancing(run: Callable[[Floats, int, float, str], Rollout], operations: int, wide: bool = False) -> Advance:
    """Steps by a roll-out: many states at once where it takes any number, else as many as no SIMD code is compiled for."""
    rows = max(1, int(WORTH_SIMD / max(operations, 1)))

    def advance(states: Floats, steps: int, h: float, stepper: str) -> Floats:
        found = np.empty_like(states)
        few = len(states) if wide else max(1, rows // steps)
        for k in range(0, len(states), few):
            result = run(states[k : k + few] if few > 1 else states[k], steps, h, stepper)
            status, completed = np.atleast_1d(result.status), np.atleast_1d(result.completed)
            lost = (status == NOT_FINITE) | ((status == MONITOR) & (completed == 0))  # a stage beyond a singular shape
            found[k : k + few] = np.where(lost[:, None], np.inf, np.atleast_2d(result.final))
        return found

    return advance


def check_step(begin: Beginning, motions: Motions, name: str, remedy: str) -> None:
    """Refuse steps of an explicit method that are beyond the limit of stability where a run begins."""
    if not begin.is_suspect:
        return
    values, vectors = motions()
    if not len(values):
        return
    with np.errstate(all="ignore"):
        grown = np.log(growth(begin.stepper, begin.h * values))
    own = np.maximum(0.0, begin.h * values.real)
    excess = np.where(np.isfinite(grown) | (own == 0.0), grown - own, -np.inf)  # what bursts by itself is no fault of the steps
    if np.isnan(excess).any():
        return
    worst = int(excess.argmax())
    if excess[worst] * begin.steps <= GROWN:
        return
    seen = stiffness_of(values, begin.stepper)
    if begin.is_lost(vectors[:, worst], float(excess[worst]), seen.longest):
        raise UnstableStepError(
            f"{name}: steps of {begin.h:.3g} s are beyond the limit of stability: {seen.words}; {remedy}", seen.longest
        )


def check_map(begin: Beginning, name: str, remedy: str) -> None:
    """The same for steps with contacts, whose own differences are the slopes: where they grow and shorter ones do not."""
    if not begin.is_suspect:
        return
    longest = begin.h
    for _ in range(HALVINGS):
        longest *= 0.5
        if begin.grows(longest) <= math.log(SUSPECT):
            break
    else:
        return
    own = max(0.0, begin.grows(longest)) / longest
    matrix = begin.linear(begin.h)
    if np.isfinite(matrix).all():
        values, vectors = np.linalg.eig(matrix)
        worst = int(np.abs(values).argmax())
        rate, along = math.log(abs(values[worst])), vectors[:, worst].astype(complex)
    else:
        rate, along = GROWN, np.ones(begin.manifold.tangent_size, dtype=complex)
    if (rate - own * begin.h) * begin.steps <= GROWN or not begin.is_lost(along, rate, longest):
        return
    stable, unstable = longest, 2.0 * longest
    for _ in range(REFINED):
        middle = 0.5 * (stable + unstable)
        stable, unstable = (middle, unstable) if begin.grows(middle) <= math.log(SUSPECT) else (stable, middle)
    raise UnstableStepError(
        f"{name}: steps of {begin.h:.3g} s are beyond the limit of stability: they are stable below "
        f"{rounded_down(stable):.2g} s; {remedy}",
        stable,
    )


def _power_bound(matrix: Floats) -> float:
    """A bound of the same from above, as the size of a power of the matrix over its exponent: a tenth of its work."""
    power, logarithm = matrix, 0.0
    with np.errstate(all="ignore"):
        for k in range(SQUARINGS + 1):
            size = float(np.sqrt(np.vdot(power, power)))
            if not 0.0 < size < math.inf:
                return math.inf
            logarithm += math.log(size) / 2**k
            power = power / size
            power = power @ power
    return logarithm


def _spectral(matrix: Floats) -> float:
    """Logarithm of the largest eigenvalue; infinite where there is none."""
    if not np.isfinite(matrix).all():
        return math.inf
    with np.errstate(divide="ignore"):
        return float(np.log(np.abs(np.linalg.eigvals(matrix)).max(initial=0.0)))
