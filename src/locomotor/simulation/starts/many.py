"""Consistent starting states of many instances at once: `start.starting_state`, over a batch.

Which coordinates close the gaps, and which velocities follow from those given, is decided once, at the nominal pose; so an
instance gives the same numbers whatever else is in the batch. Where that choice does not serve an instance, it is started
alone, which also finds the words for what is wrong with it.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from locomotor import codegen
from locomotor.codegen import Kernel
from locomotor.dataclass import dataclass
from locomotor.errors import InconsistentStartError
from locomotor.lie import ops
from locomotor.mechanics.chart import chart_from_coordinates, chart_symbols, coordinates_from_chart
from locomotor.simulation.starts.loops_together import close_together
from locomotor.simulation.starts.start import (
    GAP_TOLERANCE,
    ITERATIONS,
    LONGEST_STEP,
    SPEED_TOLERANCE,
    most_responsive,
    sort_values,
    starting_state,
    willingness,
)
from locomotor.tracing import Traced, TracedSystem
from locomotor.tracing.core import Field, Port
from locomotor.typing import Flags, Vector


@dataclass(frozen=True, eq=False)
class Starts:
    """Starting states from values of `names`, many at a time; a wrong name raises at once.

    `starts(values, parameters)` takes (batch, names) and (batch, free parameters), and gives the states and, for each
    instance that cannot be started, the reason; its state is NaN.
    """

    traced: TracedSystem
    names: tuple[str, ...]
    target: str = "auto"

    def __post_init__(self) -> None:
        """Refuse unknown and imposed names."""
        sort_values(self.traced, dict.fromkeys(self.names, 0.0))

    def __call__(self, values: ArrayLike, parameters: ArrayLike | None = None) -> tuple[Vector, dict[int, str]]:
        """States (batch, nx) and reasons by instance."""
        given = np.asarray(values, dtype=float).reshape(len(np.atleast_1d(values)), len(self.names))
        batch = len(given)
        free = self.traced.default_parameters if parameters is None else np.asarray(parameters, dtype=float)
        free = np.ascontiguousarray(np.broadcast_to(free, (batch, len(self.traced.free_parameters))))
        states = np.full((batch, self.traced.state_port.size), np.nan)
        finite = np.isfinite(given).all(axis=1) & np.isfinite(free).all(axis=1)
        reasons = {int(i): "a value is not finite" for i in np.flatnonzero(~finite)}
        rows = np.flatnonzero(finite)
        if self._in_chart and len(rows):
            found, good = self._together(given[rows], free[rows])
            states[rows[good]] = found[good]
            rows = rows[~good]
        for i in rows:
            try:
                states[i] = starting_state(self.traced, dict(zip(self.names, given[i], strict=True)), parameters=free[i])
            except InconsistentStartError as error:
                reasons[int(i)] = str(error)
        return states, dict(sorted(reasons.items()))

    # -- what is decided once ---------------------------------------------------------------------------

    @cached_property
    def _in_chart(self) -> bool:
        """Whether all names are chart coordinates and velocities; quaternions and controllers are started one by one."""
        sorted_ = sort_values(self.traced, dict.fromkeys(self.names, 0.0))
        return not sorted_.quaternions and not sorted_.controller

    @cached_property
    def _chart_names(self) -> tuple[str, ...]:
        return tuple(symbol.name for symbol in chart_symbols(self.traced.system))

    @cached_property
    def _nominal(self) -> Vector:
        return np.array(chart_from_coordinates(self.traced.system, self.traced.system.nominal_pose()), dtype=float)

    @cached_property
    def _gaps(self) -> tuple[Kernel, Kernel]:
        gaps = self.traced.gaps_of_chart
        return codegen.compile(gaps, self.target), codegen.compile(gaps.jacobian("gaps", "chart"), self.target)

    @cached_property
    def _moved(self) -> list[int]:
        """Chart coordinates that close the gaps."""
        movable = [i for i, name in enumerate(self._chart_names) if name not in self.names]
        slope = self._gaps[1].traced(np.zeros(1), self._nominal, self.traced.default_parameters)[0]
        return [movable[k] for k in most_responsive(slope[:, movable])]

    @cached_property
    def _coordinates(self) -> Kernel:
        """Coordinates of the chart."""
        system = self.traced.system
        chart = ops.symbols("chart", len(self._chart_names))
        out = Port("coordinates", tuple(Field(s.name, s.unit) for s in system.layout.coordinates))
        ports = [(Port("chart", tuple(Field(name, "") for name in self._chart_names)), chart)]
        q = coordinates_from_chart(system, chart)
        return codegen.compile(Traced.build(f"{system.name}_coordinates", ports, [(out, q)]), self.target)

    @cached_property
    def _velocities(self) -> Kernel:
        """Rows of the kernel for the given velocities, what imposed motions add to them, and the watched pivots."""
        traced, motion = self.traced, self.traced.motion
        driven = np.zeros(traced.system.layout.nv) if motion.driven is None else motion.driven
        rows = [traced.system.layout.index_v(name) for name in self._given_velocities]
        n = len(traced.reduction.free)
        entries = [motion.H_r[i, j] for i in rows for j in range(n)]
        kernel = Port("kernel", tuple(Field(f"h_{k}", "") for k in range(len(entries))), (len(rows), n))
        drift = Port("drift", tuple(Field(f"d_{k}", "") for k in range(len(rows))))
        watched = motion.watched_pivots
        monitor = Port("monitor", tuple(Field(f"pivot_{k}", "") for k in range(ops.size(watched))))
        outputs = [
            (kernel, ops.vector(*entries) if entries else np.zeros(0)),
            (drift, ops.vector(*(driven[i] for i in rows)) if rows else np.zeros(0)),
            (monitor, watched),
        ]
        return codegen.compile(traced.build("starts", outputs, "velocities that follow from those given"), self.target)

    @cached_property
    def _given_velocities(self) -> tuple[str, ...]:
        return tuple(sort_values(self.traced, dict.fromkeys(self.names, 0.0)).velocities)

    @cached_property
    def _following(self) -> list[int]:
        """Reduced velocities that follow from the given ones."""
        traced = self.traced
        q = np.asarray(coordinates_from_chart(traced.system, self._nominal), dtype=float)
        state = np.concatenate([q[list(traced.coordinate_indices)], np.zeros(traced.state_port.size - traced.nq)])
        arguments = (np.zeros(1), state, np.zeros(traced.input_port.size), traced.default_parameters)
        return most_responsive(self._velocities.traced(*arguments)[0] * willingness(traced))

    # -- a batch ----------------------------------------------------------------------------------------

    def _together(self, given: Vector, free: Vector) -> tuple[Vector, Flags]:
        """States, and which of them satisfy everything."""
        traced, n = self.traced, len(self.traced.reduction.free)
        column = {name: given[:, k] for k, name in enumerate(self.names)}
        theta = np.tile(self._nominal, (len(given), 1))
        for k, name in enumerate(self._chart_names):
            if name in column:
                theta[:, k] = column[name]
        good = self._close_loops(theta, free) if traced.system.loops else self._close_gaps(theta, free)
        (q,) = self._coordinates(theta)
        states = np.zeros((len(given), traced.state_port.size))
        states[:, : traced.nq] = q[:, list(traced.coordinate_indices)]
        if traced.controller is not None:
            states[:, traced.nq + n :] = [traced.controller.states[name] for name in traced.controller_states]
        kernel, drift, watched = self._velocities(np.zeros(1), states, np.zeros(traced.input_port.size), free)
        # Every pivot that is watched must be on the good side: `starting_state` finds the words where one is not.
        good &= (watched > 0.0).all(axis=1) & np.isfinite(kernel).all(axis=(1, 2))
        if self._given_velocities:
            names, at = self._given_velocities, self._following
            asked = np.stack([column[name] for name in names], axis=1)
            wanted, v_r = asked - drift, np.zeros((len(given), n))
            v_r[:, at], solved = _solve(kernel[:, :, at], wanted)
            for k, name in enumerate(traced.reduction.names):
                if name in names:
                    v_r[:, k] = column[name]
            error = np.abs(np.einsum("bij,bj->bi", kernel, v_r) - wanted).max(axis=1)
            good &= solved & (error <= SPEED_TOLERANCE * np.maximum(1.0, np.abs(wanted).max(axis=1)))
            states[:, traced.nq : traced.nq + n] = v_r
        return states, good

    def _close_loops(self, theta: Vector, free: Vector) -> Flags:
        """Loops and gaps closed on the rows of `theta`, in place, on the branch of the nominal pose; which of them are."""
        gaps, slopes = self._gaps
        movable = [i for i, name in enumerate(self._chart_names) if name not in self.names]
        return close_together(
            lambda place, p: np.asarray(gaps(np.zeros(1), place, p)[0]),
            lambda place, p: np.asarray(slopes(np.zeros(1), place, p)[0]),
            self._nominal, theta, movable, free,
        )  # fmt: skip

    def _close_gaps(self, theta: Vector, free: Vector) -> Flags:
        """Newton's method on the rows of `theta`, in place; which of them it closed."""
        good = np.ones(len(theta), dtype=bool)
        if not self.traced.gaps_of_chart.outputs[0].size:
            return good
        gaps_of, slope_of = self._gaps
        if not self._moved:
            return np.asarray(np.abs(gaps_of(np.zeros(1), theta, free)[0]).max(axis=1) <= GAP_TOLERANCE)
        open_ = np.arange(len(theta))
        for _ in range(ITERATIONS):
            (gaps,) = gaps_of(np.zeros(1), theta[open_], free[open_])
            still = ~(np.abs(gaps).max(axis=1) <= GAP_TOLERANCE)
            open_, gaps = open_[still], gaps[still]
            if not len(open_):
                break
            slope = slope_of(np.zeros(1), theta[open_], free[open_])[0][:, :, self._moved]
            step, solved = _solve(slope, -gaps)
            longest = np.abs(step).max(axis=1, keepdims=True)
            step *= np.minimum(1.0, LONGEST_STEP / np.maximum(longest, 1e-300))
            good[open_[~solved]] = False
            open_, step = open_[solved], step[solved]
            theta[np.ix_(open_, self._moved)] += step
        (gaps,) = gaps_of(np.zeros(1), theta, free)
        return np.asarray(good & (np.abs(gaps).max(axis=1) <= 100 * GAP_TOLERANCE))


def _solve(matrices: Vector, sides: Vector) -> tuple[Vector, Flags]:
    """Solutions of A x = b row by row (least squares where A is not square), and which rows have one."""
    batch, rows, columns = matrices.shape
    if not columns:
        return np.zeros((batch, 0)), np.ones(batch, dtype=bool)
    good: Flags = np.asarray(np.isfinite(matrices).all(axis=(1, 2)) & np.isfinite(sides).all(axis=1))
    if rows == columns:
        size = np.abs(matrices).max(axis=(1, 2), initial=1e-300)
        with np.errstate(all="ignore"):
            good &= np.abs(np.linalg.det(matrices / size[:, None, None])) > 1e-12
    A = np.where(good[:, None, None], matrices, np.eye(rows, columns))
    b = np.where(good[:, None], sides, 0.0)[:, :, None]
    x = np.linalg.solve(A, b) if rows == columns else np.linalg.pinv(A) @ b
    return x[:, :, 0], good


def spread(names: Sequence[str], columns: dict[str, Vector], fixed: dict[str, float], batch: int) -> Vector:
    """Values (batch, names) from columns that vary and numbers that do not."""
    found = [np.broadcast_to(columns[name] if name in columns else fixed[name], (batch,)) for name in names]
    return np.stack(found, axis=1) if found else np.zeros((batch, 0))
