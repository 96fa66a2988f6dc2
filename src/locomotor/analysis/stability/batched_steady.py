"""Steady motions by the thousand: the structure of one of them, and Newton's method for all the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from locomotor import codegen
from locomotor.analysis.stability.chart_model import ChartModel
from locomotor.analysis.stability.linearise import independent_coordinates, linearise_model
from locomotor.analysis.stability.steady import RESIDUAL, SteadyEquations, find_steady
from locomotor.codegen import Kernel, SteadyProgram, Task, solve
from locomotor.dataclass import dataclass
from locomotor.tracing import Traced
from locomotor.tracing.readings import steady_equations
from locomotor.typing import Flags, Vector

RANK = 1e-9
"""Rows and columns of the equations are independent where a pivoted QR decomposition leaves more than this, relatively."""

ITERATIONS = 12
"""Newton steps allowed; from a motion nearby four or five are many."""
FEW = 4
"""Steps allowed by least squares, which serve where the chosen equations happen to be dependent at the motion itself."""
WALK = 10
"""Parts in which the values are carried from the known motion to one that was not found at once."""

SETTLED = 1e-10
"""A motion is found when a Newton step changes it by less than this, relatively: the next would be round-off."""


@dataclass(frozen=True, eq=False)
class Problem:
    """What is given for each instance: free parameters, inputs, values asked for."""

    parameters: Vector
    inputs: Vector
    asked: Vector

    @property
    def finite(self) -> Flags:
        """Instances whose values are finite."""
        return np.asarray(np.isfinite(np.hstack([self.parameters, self.inputs, self.asked])).all(axis=1))

    def take(self, rows: NDArray[np.intp]) -> Problem:
        """The problem of some of the instances."""
        return Problem(self.parameters[rows], self.inputs[rows], self.asked[rows])

    def between(self, reference: Problem, share: float) -> Problem:
        """Values part of the way from those of the reference."""
        pairs = ((getattr(reference, name), getattr(self, name)) for name in ("parameters", "inputs", "asked"))
        return Problem(*(a + share * (b - a) for a, b in pairs))


@dataclass(frozen=True, eq=False)
class Motions:
    """Unknowns of the motions of a batch, the slope of the equations there, what is left of them, and which are found."""

    unknowns: Vector
    slope: Vector
    residual: Vector
    found: Flags

    def put(self, rows: NDArray[np.intp], others: Motions) -> None:
        """Replace the motions of some instances by those of another computation."""
        for name in ("unknowns", "slope", "residual", "found"):
            getattr(self, name)[rows] = getattr(others, name)


@dataclass(frozen=True, eq=False)
class Structure:
    """How the equations of the steady motions of a system determine them; made by `structure`."""

    model: ChartModel
    function: Traced
    """residual and slope of (time, chart, velocity, inputs, parameters, asked); see `tracing.steady_equations`."""
    essential: tuple[int, ...]
    open_inputs: tuple[int, ...]
    asked: tuple[str, ...]
    """Names asked for, in the order of the equations."""
    solved: tuple[tuple[int, ...], tuple[int, ...]]
    """Equations and unknowns of the square system that Newton's method solves."""
    independent: tuple[int, ...]
    dependent: tuple[int, ...]
    """Essential coordinates that the gaps leave free, and those they determine."""
    gap_rows: tuple[int, ...]
    """As many independent equations among those of the gaps."""
    family: int
    chart: Vector
    start: Vector
    """Chart coordinates and unknowns of the motion the structure was learnt from."""
    reference: Problem
    target: str

    @property
    def order(self) -> int:
        """Order of the linear system."""
        return len(self.independent) + self.velocities

    @property
    def velocities(self) -> int:
        """Number of reduced velocities."""
        return len(self.model.traced.reduction.free)

    @cached_property
    def kernel(self) -> Kernel:
        """The equations of the steady motion, compiled."""
        return _compiled(self.function, self.target)

    @cached_property
    def program(self) -> SteadyProgram:
        """Newton's method and eigenvalues fused with the function."""
        n, m = len(self.essential), self.velocities
        unknowns = [("chart", i) for i in self.essential] + [("velocity", i) for i in range(m)]
        rates = (*self.independent, *range(n, n + m))
        return SteadyProgram(
            function=self.function,
            unknowns=(*unknowns, *(("inputs", i) for i in self.open_inputs)),
            square=self.solved,
            rates=rates,
            states=rates,
            ties=(self.gap_rows, self.dependent),
            free=len(self.independent),
            family=self.family,
        )

    def task(self, problem: Problem) -> Task:
        """A problem as arguments of the compiled program."""
        base = np.concatenate([np.zeros(1), self.chart, np.zeros(self.velocities)])
        return Task(self.start, base, problem.inputs, problem.parameters, problem.asked)

    def problem(self, given: Mapping[str, Vector]) -> Problem:
        """Arrays by name in the order of the equations."""
        batch = len(next(iter(given.values())))

        def columns(names: Iterable[str]) -> Vector:
            found = [given.get(name, np.zeros(batch)) for name in names]
            return np.stack(found, axis=1) if found else np.zeros((batch, 0))

        return Problem(columns(self.model.traced.free_parameters), columns(self.model.input_names), columns(self.asked))

    # -- motions --------------------------------------------------------------------------------------

    def motions(self, problem: Problem) -> Motions:
        """Motions of all instances: straight from the known one; those not found so by least squares, or in small parts."""
        motions = self._newton(problem, np.tile(self.start, (len(problem.asked), 1)))
        for attempt in (self._by_least_squares, self._walk):
            missing = np.flatnonzero(~motions.found)
            if len(missing):
                motions.put(missing, attempt(problem.take(missing)))
        return motions

    def _by_least_squares(self, problem: Problem) -> Motions:
        return self._newton(problem, np.tile(self.start, (len(problem.asked), 1)), FEW, square=False)

    def _walk(self, problem: Problem) -> Motions:
        """Motions reached through others between the known one and theirs, as long as these are found."""
        motions = self._newton(problem, np.tile(self.start, (len(problem.asked), 1)), 1)
        there, unknowns = np.arange(len(problem.asked)), np.tile(self.start, (len(problem.asked), 1))
        for part in range(1, WALK + 1):
            reached = self._newton(problem.take(there).between(self.reference, part / WALK), unknowns)
            if part == WALK:
                motions.put(there, reached)
            there, unknowns = there[reached.found], reached.unknowns[reached.found]
        return motions

    def _newton(self, problem: Problem, unknowns: Vector, iterations: int = ITERATIONS, *, square: bool = True) -> Motions:
        """Newton's method on the chosen equations, or by least squares on all of them."""
        batch = len(unknowns)
        rows, columns = (list(part) for part in self.solved)
        slope = np.full((batch, *self.function.outputs[1].shape), np.nan)
        residual, found = np.full(batch, np.inf), np.zeros(batch, dtype=bool)
        active = np.arange(batch)
        x = unknowns.copy()
        for _ in range(iterations):
            whole = len(active) == batch
            left, J = self._equations(problem if whole else problem.take(active), x[active])
            if square:
                step = np.zeros((len(active), x.shape[1]))
                step[:, columns] = solve(J[:, rows][:, :, columns], left[:, rows], target=self.target)
            else:
                step = _least_squares(J, left)
            slope[active], residual[active] = J, np.abs(left).max(axis=1, initial=0.0)
            size = np.abs(x[active]).max(axis=1, initial=1.0)
            settled = np.abs(step).max(axis=1, initial=0.0) <= SETTLED * size
            found[active] = settled & (residual[active] <= RESIDUAL)
            x[active] -= np.where(settled[:, None], 0.0, step)
            active = active[~settled & np.isfinite(step).all(axis=1)]
            if not len(active):
                break
        return Motions(x, slope, residual, found)

    def _equations(self, problem: Problem, unknowns: Vector) -> tuple[Vector, Vector]:
        n, m = len(self.essential), self.velocities
        chart = np.tile(self.chart, (len(unknowns), 1))
        chart[:, list(self.essential)] = unknowns[:, :n]
        inputs = problem.inputs.copy()
        inputs[:, list(self.open_inputs)] = unknowns[:, n + m :]
        left, J = self.kernel(np.zeros(1), chart, unknowns[:, n : n + m], inputs, problem.parameters, problem.asked)
        return left, J

    # -- linear systems -------------------------------------------------------------------------------

    def matrices(self, motions: Motions) -> Vector:
        """Matrices A of the deviations (independent coordinates, reduced velocities) from the motions."""
        n, m = len(self.essential), self.velocities
        independent, dependent = list(self.independent), list(self.dependent)
        rates = [*independent, *range(n, n + m)]
        A = motions.slope[:, rates][:, :, [*independent, *range(n, n + m)]]
        if dependent:
            gaps = motions.slope[:, list(self.gap_rows)]
            closing = np.ascontiguousarray(gaps[:, :, dependent])
            others = motions.slope[:, rates][:, :, dependent]
            for j, column in enumerate(independent):
                follow = solve(closing, gaps[:, :, column], target=self.target)
                A[:, :, j] -= np.einsum("bij,bj->bi", others, follow)
        return A


_equations = lru_cache(maxsize=32)(steady_equations)
"""A second batch of the same kind finds its functions traced and compiled."""


@lru_cache(maxsize=32)
def _compiled(function: Traced, target: str) -> Kernel:
    return codegen.compile(function, target=target)


def _least_squares(J: Vector, left: Vector) -> Vector:
    good = np.isfinite(J).all(axis=(1, 2)) & np.isfinite(left).all(axis=1)
    step = np.full((len(J), J.shape[2]), np.nan)
    step[good] = (np.linalg.pinv(J[good], rcond=RANK) @ left[good][:, :, None])[:, :, 0]
    return step


def structure(
    model: ChartModel,
    values: Mapping[str, float],
    inputs: Mapping[str, float],
    solve_for: tuple[str, ...],
    target: str,
) -> Structure:
    """Learn the structure from the steady motion with these values."""
    motion = find_steady(model, values, inputs=inputs, solve_for=solve_for)
    linear = linearise_model(model, motion)
    chart = np.array([motion.coordinates[name] for name in model.chart_names])
    velocity = np.array([motion.velocities[name] for name in model.traced.reduction.names])
    u = np.array([motion.inputs[name] for name in model.input_names])
    open_inputs = [model.input_names.index(name) for name in solve_for]
    equations = SteadyEquations(model, values, chart, u, open_inputs)
    start = equations.pack(chart, velocity, u)
    J = equations.slope(start)
    essential = list(model.essential)
    gaps = model.slope("gaps", "chart", chart, velocity, u)[:, essential]
    independent, _ = independent_coordinates(gaps)
    dependent = [i for i in range(len(essential)) if i not in independent]
    chosen = _independent_rows(gaps[:, dependent])
    first_gap = len(essential) + len(velocity)
    asked_chart = [name for name in values if name in model.chart_names]
    asked_velocities = [name for name in values if name not in model.chart_names]
    function = _equations(
        model.traced,
        tuple(essential),
        tuple(open_inputs),
        tuple(model.chart_names.index(name) for name in asked_chart),
        tuple(model.velocity_names.index(name) for name in asked_velocities),
    )
    asked = (*asked_chart, *asked_velocities)
    held = np.array([inputs.get(name, 0.0) for name in model.input_names])
    return Structure(
        model=model,
        function=function,
        essential=tuple(essential),
        open_inputs=tuple(open_inputs),
        asked=asked,
        solved=_square(J, len(asked)),
        independent=tuple(independent),
        dependent=tuple(dependent),
        gap_rows=tuple(first_gap + i for i in chosen),
        family=linear.family.shape[1],
        chart=chart,
        start=start,
        reference=Problem(model.free, held, np.array([values[name] for name in asked])),
        target=target,
    )


def _square(J: Vector, asked: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Equations and unknowns of a square regular part: those of motion and gaps first, values asked for complete them."""
    import scipy.linalg

    columns = _independent_rows(J.T)
    physical, wanted = J[: len(J) - asked, columns], J[len(J) - asked :, columns]
    rows = _independent_rows(physical)
    if rows:
        basis = scipy.linalg.orth(physical[rows].T)
        wanted = wanted - (wanted @ basis) @ basis.T
    rows += [len(physical) + i for i in _independent_rows(wanted, len(columns) - len(rows))]
    return tuple(rows), tuple(columns)


def _independent_rows(matrix: Vector, most: int | None = None) -> list[int]:
    """Rows that span all of them, chosen by pivoted QR."""
    import scipy.linalg

    if not matrix.size or most == 0:
        return []
    _, triangle, order = scipy.linalg.qr(matrix.T, mode="economic", pivoting=True)
    sizes = np.abs(np.diag(triangle))
    rank = int((sizes > RANK * max(float(sizes.max()), 1e-300)).sum())
    return sorted(int(i) for i in order[: rank if most is None else min(rank, most)])
