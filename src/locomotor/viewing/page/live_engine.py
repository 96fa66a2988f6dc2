"""The same system again and again with other numbers: compiled once with its parameters left free."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from locomotor import codegen
from locomotor.analysis import eigenvalue_curves, linearise
from locomotor.codegen import Kernel
from locomotor.errors import InconsistentStartError, LocomotorError, UnknownNameError, ViewingError
from locomotor.mechanics.chart import chart_symbols
from locomotor.model import System
from locomotor.names import suggestion
from locomotor.simulation import (
    CompiledSystem,
    Course,
    Driven,
    Outcome,
    Piece,
    Run,
    RunWarning,
    Status,
    Track,
    Watch,
    compile_system,
    cut,
    described,
    record,
    simulate,
)
from locomotor.simulation.compiled import Batch
from locomotor.simulation.events import is_hybrid
from locomotor.tracing.readings import body_poses
from locomotor.typing import Values, Vector
from locomotor.viewing.page.push import Push, coordinates_at, jump

SAMPLES = 1000
"""Samples of a run recomputed live."""
LONGEST = 200_000
"""Steps of a run at most: the step grows with the duration past that."""
STOPPED = "a wheel lies flat, or simulate must go on from here with other independent velocities"
REACH, PUSH = 10.0, 0.2
"""Largest value of the stability chart (or twice the start's), and the push of a start nobody gave."""
GRID = 61
"""Points of the stability chart."""
LARGE = 3000
"""Operations of an evaluation above which there is no chart: its derivatives would keep the page from opening for minutes."""
MOST_SECONDS, MOST_SWITCHING_SECONDS = 1000.0, 100.0
"""Longest motion of a page, and of one whose contacts open and close: they are computed while somebody waits."""


Laws = Mapping[str, float | str]
"""Numbers, or texts of laws, by name."""


@dataclass(frozen=True, eq=False)
class Engine:
    """Runs of one system for any values of its parameters, start and inputs."""

    system: System
    free: tuple[str, ...]
    """Names of the parameters that may change."""
    step: float = 0.001
    closed: tuple[str, ...] | None = None
    """Of the contacts that open and close, those closed at the start; None for those that touch."""

    @property
    def most_seconds(self) -> float:
        """Longest duration of a run."""
        return MOST_SWITCHING_SECONDS if is_hybrid(self.system) else MOST_SECONDS

    @cached_property
    def compiled(self) -> CompiledSystem:
        """The system with those parameters as arguments."""
        return compile_system(self.system, free=self.free)

    @cached_property
    def _poses(self) -> Kernel:
        return codegen.compile(body_poses(self.system, self.free), target="interpreter")

    def posing(self, run: Run) -> Callable[[Vector], Vector]:
        """Poses of bodies of one of our runs, without tracing again."""
        p = np.array([run.parameters[name] for name in self.free])
        return lambda coordinates: self._poses(np.ascontiguousarray(coordinates), p)[0]

    def changed(self, parameters: Values) -> System:
        """The system with other parameter values, checked like any other."""
        for name in parameters:
            if name not in self.free:
                raise UnknownNameError(f"no parameter {name!r} may change here: {suggestion(name, self.free)}")
        return self.system.with_parameters(**parameters) if parameters else self.system

    def run(self, duration: float, start: Values, parameters: Values, inputs: Laws, pushes: Sequence[Push] = ()) -> Run:
        """One run, up to where the contacts become singular for the compiled choice of velocities, if they do.

        Inputs are numbers, or texts of laws of time, parameters and channels. Pushes change the velocities at their instants.
        """
        system, compiled = self.changed(parameters), self.compiled
        for name in inputs:
            if name not in compiled.input_names:
                raise UnknownNameError(f"the system has no input {name!r}: {suggestion(name, compiled.input_names)}")
        if not 0.0 < duration < np.inf:
            raise InconsistentStartError(f"the duration is {duration!r} s; it must be positive and finite")
        if duration > self.most_seconds:
            raise InconsistentStartError(
                f"the duration is {duration:g} s; a live page takes {self.most_seconds:g} s at most, `simulate` any"
            )
        constant = {name: value for name, value in inputs.items() if not isinstance(value, str)}
        if is_hybrid(system) or len(constant) < len(inputs):
            if pushes:
                raise ViewingError(
                    "a push needs contacts that stay closed and inputs that are numbers; where an input is a law, set a number"
                )
            # Contacts that open and close are compiled mode by mode, and laws with what they drive, parameters as constants.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RunWarning)
                options: dict[str, Any] = {"inputs": dict(inputs), "step": self.step, "closed": self.closed}
                return simulate(system, duration, start=dict(start), **options)
        p = np.array([system.parameters[name].value for name in self.free])
        u = np.array([float(constant.get(name, 0.0)) for name in compiled.input_names])
        x = compiled.start(start, parameters=p)
        watch = Watch(system.ends, compiled.watch(system.ends), u, p) if system.ends else None
        if watch is not None:
            watch.check_start(system.name, 0.0, x)

        def roll(t: float, state: Vector, count: int, h: float, save_every: int = 1) -> Batch:
            return compiled.rollout(state, count, h, inputs=u, parameters=p, save_every=save_every, start_time=t)

        def again(t: float, state: Vector, count: int, h: float) -> Vector:
            return roll(t, state, count, h).states

        read = Driven(compiled, constant, p).channels
        kept = [push for push in pushes if 0.0 <= push.time < duration]
        tracks, now, dt = [], 0.0, self.step
        for push, end in zip([None, *kept], [*(push.time for push in kept), duration], strict=True):
            if push is not None:
                (kernel,) = compiled.traced.velocity_map(np.array([now]), x, u, p)
                q = coordinates_at(system, read(np.array([now]), x[None]))
                x = np.array(x)
                x[len(x) - kernel.shape[1] :] += jump(system, q, kernel, push, system.parameters.values)
            if end - now < 1e-9 and end < duration:
                continue
            piece, dt = self._piece(now, x, end, duration, watch, roll)
            tracks.append(Track(compiled, piece.times, piece.states, p, again, read, piece.path))
            now, x = end, piece.end_state
            if piece.outcome is not Outcome.COMPLETED or piece.end:
                break
        status = Status(piece.outcome, piece.end_time, "" if piece.outcome is Outcome.COMPLETED else STOPPED)
        course = Course(
            tracks=tracks,
            about=described(compiled.traced),
            status=status,
            end=piece.end,
            ends=system.ends,
            step=dt,
            settings={"stepper": "rk4", "order": 4, "step": dt, "target": compiled.roller.target},
        )
        return record(system, course)

    def _piece(
        self, begin: float, x: Vector, end: float, duration: float, watch: Watch | None, roll: Callable[..., Batch]
    ) -> tuple[Piece, float]:
        """The motion between two pushes, and the step it was made with."""
        total = int(np.clip(np.ceil(duration / self.step), 1, LONGEST))
        every = max(1, total // SAMPLES)
        steps = every * max(1, round(total * (end - begin) / duration / every))
        dt = (end - begin) / steps
        result = roll(begin, x, steps, dt, every)
        kept, final = int(result.completed) // every + 1, begin + float(result.completed) * dt
        outcome = (Outcome.COMPLETED, Outcome.SINGULAR, Outcome.NOT_FINITE)[int(result.status)]
        times, states = result.times[:kept], result.states[:kept]
        piece = Piece(self.compiled, times, states, outcome, final, result.final, -1, 0.0)
        if watch is not None:
            piece = cut(piece, watch, dt, lambda *step: roll(*step).states)
        return piece, dt

    # -- what may be set at the start -----------------------------------------------------------------

    def start_names(self, given: Sequence[str]) -> tuple[str, ...]:
        """Values worth a slider: those given, then further independent velocities and the coordinates that matter.

        Where contacts open and close and the system does not move on steadily with all of them closed, every velocity is.
        """
        layout, traced = self.system.layout, self.compiled.traced
        velocities = [s.name for s in layout.velocities]
        names = list(given)
        if is_hybrid(self.system) and self.chart_name({}) is None:
            names += [name for name in velocities if name not in names]
            return (*names, *(name for name in self._coordinates() if name not in names))
        p = self.compiled.default_parameters
        state = self.compiled.start(None, parameters=p)
        (H,) = traced.velocity_map(np.zeros(1), state, np.zeros(len(self.compiled.input_names)), p)
        rows = [H[velocities.index(name)] for name in names if name in velocities]
        for name in traced.reduction.names:
            trial = [*rows, H[velocities.index(name)]]
            if name not in names and np.linalg.matrix_rank(np.array(trial), tol=1e-9) == len(trial):
                names.append(name)
                rows = trial
        return (*names, *(name for name in self._coordinates() if name not in names))

    def _coordinates(self) -> tuple[str, ...]:
        """Independent coordinates on which the motion depends; all of them where no steady motion tells."""
        if not self.large:
            with suppress(LocomotorError, ValueError, np.linalg.LinAlgError):
                return linearise(self.system).coordinate_names
        known = {s.name for s in chart_symbols(self.system)}
        return tuple(name for name in self.system.layout.velocity_of if name in known)

    # -- stability ------------------------------------------------------------------------------------

    def stability(self, name: str, high: float, parameters: Values) -> dict[str, Any]:
        """Eigenvalues of the steady motions along one velocity, mode by mode, and the stable bands."""
        system = self.changed(parameters)
        curves = eigenvalue_curves(system, {name: np.linspace(high / GRID, high, GRID)})
        return {
            "name": name,
            "values": curves.values.tolist(),
            "real": curves.eigenvalues.real.T.tolist(),
            "imag": np.abs(curves.eigenvalues.imag).T.tolist(),
            "bands": [list(band) for band in curves.stable_bands],
        }

    def first_start(self) -> dict[str, float]:
        """A start worth watching: a steady motion, a stable one where there is any, and a small push."""
        name = self.chart_name({})
        if name is None:
            return self._moving() if self.large else {}
        try:
            bands = self.stability(name, REACH, {})["bands"]
        except (LocomotorError, ValueError, np.linalg.LinAlgError):
            bands = []
        found = {name: round(0.5 * sum(bands[0]), 2) if bands else 1.0}
        pushed = [other for other in self.start_names((name,)) if other in self.compiled.traced.reduction.names]
        return found | {other: PUSH for other in pushed[:1] if other != name}

    @property
    def large(self) -> bool:
        """Whether the derivatives of a stability chart would take too long to wait for."""
        return self.compiled.operations > LARGE

    def _moving(self) -> dict[str, float]:
        """The first independent velocity at one, so that something is seen to move."""
        return dict.fromkeys(self.compiled.traced.reduction.names[:1], 1.0)

    def chart_name(self, start: Values) -> str | None:
        """A velocity along which steady motions exist: one given at the start, or the first of the system; None for large."""
        if self.large:
            return None
        velocities = [s.name for s in self.system.layout.velocities]
        candidates = [name for name in start if name in velocities and start[name] != 0.0] + velocities[:1]
        for name in candidates:
            try:
                if linearise(self.system, {name: start.get(name) or 1.0}).eigenvalues.size:
                    return name
            except (LocomotorError, ValueError, np.linalg.LinAlgError):
                continue
        return None
