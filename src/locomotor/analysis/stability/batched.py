"""Eigenvalues of very many steady motions: parameters and speeds by the million, each motion found and linearised.

The work is that of `linearise`, by chunks. One motion in the middle of the batch is treated there, and shows the structure:
which equations determine the motion, which coordinates the contacts leave independent, how many directions lead along the
family of motions. Every other motion is then found by Newton's method on the same equations, from that one, and its
eigenvalues are computed modulo its own family (`codegen.eigen`).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from locomotor import checks
from locomotor.analysis.stability.batched_steady import Problem, Structure, structure
from locomotor.analysis.stability.chart_model import ChartModel
from locomotor.analysis.stability.judgement import STABLE, UNKNOWN, stability_of
from locomotor.checks import choice, door, mapping, optional, threads
from locomotor.codegen import NO_SOLUTION, compile_steady, eigenvalues, share_rows
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError, ArgumentTypeError, InconsistentStartError, SteadyMotionError, UnknownNameError
from locomotor.mechanics.chart import chart_symbols
from locomotor.model import System, a_system, impossible_rows, refuse_dry_friction, require_possible, why_impossible
from locomotor.names import suggestion
from locomotor.tracing import TracedSystem, trace
from locomotor.typing import Complexes, Flags, Vector

CHUNK = 8192
"""Motions treated at once by a thread: few enough for their matrices to stay near the processor."""

FUSED = ("auto", "c", "cuda")
"""Targets for which Newton's method and eigenvalues are one piece of machine code, one motion at a time. Kernels over SIMD
lanes with numpy between them are as fast on one core, but threads wait for each other there; without a compiler, and for
the few motions that need more than Newton's method, they are the only way."""

FUSED_CHUNK = 1 << 17

LOOKED_AT = 4096
"""Motions, evenly spread, among which the middle of the batch is looked for."""

CANDIDATES = 5
"""Motions tried, from the middle of the batch outwards, to learn the structure from."""

FOUND, NO_MOTION, NO_EIGENVALUES, OTHER_FAMILY, NOT_FINITE, IMPOSSIBLE = 0, 1, 2, 3, 4, 5
REASONS = {
    FOUND: "found",
    NO_MOTION: "no steady motion was found with these values; ask for others, or let an input hold it with solve_for",
    NO_EIGENVALUES: "the iteration for the eigenvalues did not converge",
    OTHER_FAMILY: "the motion has no neighbours along the values asked for, unlike the others; treat it with linearise",
    NOT_FINITE: "a value given is not a finite number",
    IMPOSSIBLE: "no real system has these parameters",
}
"""What the numbers in `BatchedEigenvalues.status` mean."""


@dataclass(frozen=True, eq=False)
class BatchedEigenvalues:
    """Eigenvalues that decide the stability of many steady motions.

    All arrays have the common shape of the values given; `eigenvalues` has one more axis (empty for an empty batch): largest
    real part first, NaN where `status` is not 0 (its meaning is in `REASONS`).
    """

    eigenvalues: Complexes
    status: NDArray[np.int32]
    residual: Vector
    """What is left of the equations of the steady motions, at most."""
    why: Callable[[int], str] | None = field(default=None, repr=False)
    """Words for a motion (by its number in the flattened batch) whose parameters are impossible."""

    @property
    def reasons(self) -> NDArray[np.object_]:
        """What became of each motion, in words."""
        status = self.status.reshape(-1)
        words = np.array([REASONS[code] for code in sorted(REASONS)], dtype=object)[status]
        if self.why is not None:
            for i in np.flatnonzero(status == IMPOSSIBLE):
                words[i] = self.why(int(i))
        return np.asarray(words.reshape(self.status.shape))

    @property
    def growth(self) -> Vector:
        """Largest real part of each motion."""
        return np.asarray(self.eigenvalues.real.max(axis=-1, initial=-np.inf))

    @property
    def stable(self) -> Flags:
        """Where every eigenvalue was found and every deviation dies out; a neutral motion is not stable."""
        return np.asarray((self.status == FOUND) & (self.stability == STABLE))

    @property
    def stability(self) -> NDArray[np.str_]:
        """In a word each: "stable", "neutral" (the largest real part is round-off), "unstable", or "unknown"."""
        return np.where(self.status == FOUND, stability_of(self.eigenvalues), UNKNOWN)


@door(
    system=a_system,
    over=mapping,
    inputs=optional(mapping),
    solve_for=checks.names,
    target=choice("auto", "c", "simd", "interpreter", "cuda"),
    threads=threads,
)
def batched_eigenvalues(
    system: System,
    over: Mapping[str, ArrayLike],
    *,
    inputs: Mapping[str, ArrayLike] | None = None,
    solve_for: Iterable[str] = (),
    target: str = "auto",
    threads: int = 1,
) -> BatchedEigenvalues:
    """Eigenvalues of the steady motions of a system, for arrays of parameters, coordinates and velocities by name.

    `batched_eigenvalues(bike, {"speed": v, "c": trail, "IFyy": inertia})` finds straight running for each speed, trail and
    wheel inertia and gives what `linearise(...).eigenvalues` gives, to round-off. The arrays are broadcast against each
    other; `inputs` are held (zero by default) except those named in `solve_for`, as in `steady_motion`.
    `target` is that of `compile`, or "cuda"; `threads` share the batch.

    A motion that cannot be treated says why in `status`, in words in `reasons`, and leaves the others alone; so does one with
    parameters that no real system has, such as a negative mass or moments of inertia of no body.
    """
    if not over:
        raise ArgumentError("batched_eigenvalues: give arrays by name, such as {'speed': speeds}")
    refuse_dry_friction(system, "batched_eigenvalues")
    names = [*over, *(inputs or {})]
    arrays = np.broadcast_arrays(*(_numbers(name, value) for group in (over, inputs or {}) for name, value in group.items()))
    shape = arrays[0].shape
    given = dict(zip(names, (array.reshape(-1) for array in arrays), strict=True))
    free = tuple(name for name in over if name in system.parameters)
    _check_names(system, over, inputs or {}, solve_for)
    batch = arrays[0].size
    if not batch:
        return BatchedEigenvalues(np.zeros((*shape, 0), dtype=complex), np.zeros(shape, dtype=np.int32), np.zeros(shape))
    table = np.stack([given[name] for name in free], axis=1) if free else np.zeros((batch, 0))
    impossible = impossible_rows(system, free, table)
    if impossible.any() and not (np.isfinite(table).all(axis=1) & ~impossible).any():
        require_possible(system, dict(zip(free, table[impossible.argmax()].tolist(), strict=True)))
    if impossible.any():  # they are not tried, and nothing is learnt from them
        given |= {name: np.where(impossible, np.nan, given[name]) for name in free}
    asked = tuple(name for name in over if name not in free)
    general = "auto" if target == "cuda" else target
    found = _structure(system, free, asked, tuple(inputs or {}), tuple(solve_for), given, batch, general)
    result = _Results.empty(batch, found.order - found.family)
    program = compile_steady(found.program, target) if target in FUSED else None
    chunk = CHUNK if program is None else FUSED_CHUNK

    def work(first: int, last: int) -> None:
        rows = np.arange(first, last)
        problem = found.problem({name: array[first:last] for name, array in given.items()})
        rows, problem = rows[problem.finite], problem.take(np.flatnonzero(problem.finite))
        if program is not None:
            spectra = program(found.task(problem))
            result.put(rows, spectra.values, spectra.status, spectra.residual)
            missing = spectra.status == NO_SOLUTION
            rows, problem = rows[missing], problem.take(np.flatnonzero(missing))
        if len(rows):
            result.put(rows, *_find(found, problem))

    share_rows(work, batch, 1 if target == "cuda" else threads, chunk)
    result.status[impossible] = IMPOSSIBLE
    return BatchedEigenvalues(
        result.values.reshape(*shape, result.values.shape[1]),
        result.status.reshape(shape),
        result.residual.reshape(shape),
        lambda i: why_impossible(system, dict(zip(free, table[i].tolist(), strict=True))),
    )


@dataclass(frozen=True, eq=False)
class _Results:
    """Arrays that the chunks fill."""

    values: Complexes
    status: NDArray[np.int32]
    residual: Vector

    @classmethod
    def empty(cls, batch: int, modes: int) -> "_Results":
        """Results before anything is computed: values NaN, each instance marked as not finite."""
        values = np.full((batch, modes), np.nan, dtype=complex)
        return cls(values, np.full(batch, NOT_FINITE, dtype=np.int32), np.full(batch, np.nan))

    def put(self, rows: NDArray[np.intp], values: Complexes, status: NDArray[np.int32], residual: Vector) -> None:
        """Results of some instances, with the status of `codegen.eigen` and `codegen.steady`."""
        self.values[rows], self.residual[rows] = values, residual
        self.status[rows] = np.array([FOUND, NO_EIGENVALUES, NO_EIGENVALUES, OTHER_FAMILY, NO_MOTION])[status]


def _find(found: Structure, problem: Problem) -> tuple[Complexes, NDArray[np.int32], Vector]:
    """Eigenvalues, status and residual of a problem, by kernels and numpy."""
    motions = found.motions(problem)
    spectra = eigenvalues(found.matrices(motions), family=found.family, target=found.target)
    values = np.where(motions.found[:, None], spectra.values, np.nan)
    return values, np.where(motions.found, spectra.status, NO_SOLUTION).astype(np.int32), motions.residual


def _numbers(name: str, value: ArrayLike) -> Vector:
    array = np.asarray(value)
    if array.dtype.kind not in "iuf":
        raise ArgumentTypeError(f"batched_eigenvalues: {name!r} must hold real numbers, not {array.dtype}")
    return array.astype(np.float64)


def _check_names(system: System, over: Iterable[str], inputs: Iterable[str], solve_for: Iterable[str]) -> None:
    layout = system.layout
    known = [*system.parameters, *(s.name for s in chart_symbols(system)), *(s.name for s in layout.velocities)]
    open_ = [symbol.name for symbol in layout.inputs]
    kinds = ((over, known, "parameter, coordinate or velocity"), (inputs, open_, "input"), (solve_for, open_, "input"))
    for names, legal, what in kinds:
        for name in names:
            if name not in legal:
                raise UnknownNameError(f"{system.name} has no {what} {name!r}: {suggestion(name, legal)}")


def _structure(
    system: System,
    free: tuple[str, ...],
    asked: tuple[str, ...],
    held: tuple[str, ...],
    solve_for: tuple[str, ...],
    given: Mapping[str, Vector],
    batch: int,
    target: str,
) -> Structure:
    """Structure learnt from a motion in the middle of the batch, or further out where there is none."""
    traced = _traced(system, free)
    candidates = _candidates(given, batch)
    parameters = [np.array([given[name][i] for name in free]) for i in candidates]
    trouble: Exception | None = None
    for k, i in enumerate(candidates):
        model = ChartModel(traced, parameters[k], tuple(parameters[:k] + parameters[k + 1 :]))
        values = {name: float(given[name][i]) for name in asked}
        inputs = {name: float(given[name][i]) for name in held}
        try:
            return structure(model, values, inputs, solve_for, target)
        except (SteadyMotionError, InconsistentStartError) as error:
            trouble = trouble or error
    raise trouble or ValueError("batched_eigenvalues: no value given is finite")


@lru_cache(maxsize=32)
def _traced(system: System, free: tuple[str, ...]) -> TracedSystem:
    return trace(system, free=free)


def _candidates(given: Mapping[str, Vector], batch: int) -> list[int]:
    """Instances with finite values, the nearest to the middle of the batch first, then others at growing distances."""
    places = np.unique(np.linspace(0, batch - 1, min(batch, LOOKED_AT)).astype(int))
    columns = np.array([array[places] for array in given.values()])
    if not np.isfinite(columns).all(axis=0).any():
        places, columns = np.arange(batch), np.array(list(given.values()))
    good = np.isfinite(columns).all(axis=0)
    if not good.any():
        raise ArgumentError(f"batched_eigenvalues: none of the {batch} instances has finite values only")
    places, columns = places[good], columns[:, good]
    away = np.abs(columns - np.median(columns, axis=1, keepdims=True))
    distance = (away / np.maximum(away.max(axis=1, keepdims=True), 1e-300)).sum(axis=0)
    order = places[np.argsort(distance, kind="stable")]
    return [int(i) for i in order[np.unique(np.linspace(0, len(order) - 1, CANDIDATES).astype(int))]]
