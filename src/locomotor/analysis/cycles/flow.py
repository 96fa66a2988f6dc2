"""From one section to the next: what a flow promises, and the batched flow of systems that switch by the clock."""

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from locomotor.analysis.cycles.kernels import Kernels, Moved
from locomotor.analysis.cycles.saltation import Blow, transfer
from locomotor.analysis.cycles.sections import SectionKind
from locomotor.dataclass import dataclass
from locomotor.model import evaluate
from locomotor.model.expressions import free_names
from locomotor.simulation.events import Closed, Mode, Modes
from locomotor.simulation.inputs import switch_instants
from locomotor.simulation.starts import starting_state
from locomotor.typing import Flags, Floats

SAMPLES = 4096
"""Instants of an interval at which a schedule is looked at: grips shorter than that are not seen."""


@dataclass
class Passage:
    """Where states have come: mode, times, states, and the matrices of their deviations (None if not asked for)."""

    mode: Mode
    times: Floats
    states: Floats
    tangents: Floats | None
    good: Flags
    by_parameters: Floats | None = None
    """(batch, deviation, parameters): what a growth of the free parameters leads to, from a start that does not follow them."""
    trouble: str = ""
    events: tuple[str, ...] = field(default=())
    """What happened on the way, for a single instance."""


class Flow(Protocol):
    """Motion from one section to the next, with its derivatives."""

    kernels: Kernels
    step: float
    mode_is_known: bool
    """Whether the contacts closed on the section are known beforehand, or only once a motion has come there."""

    def begin(self, guess: Mapping[str, float], time: float, closed: Iterable[str] | None, p: Floats) -> tuple[Mode, Floats]:
        """Mode and state of a guess; `closed` names the contacts that are said to be closed."""
        ...

    def groups(self, parameters: Floats, timing: Iterable[int]) -> list[NDArray[np.intp]]:
        """Instances that may go together; `timing` are places of further parameters on which the end depends."""
        ...

    def go(
        self,
        mode: Mode,
        start: float,
        end: float,
        states: Floats,
        parameters: Floats,
        section: SectionKind | None = None,
        passages: int = 1,
        *,
        tangent: bool = True,
        by_parameters: bool = False,
    ) -> Passage:
        """Motion of one group from `start` to the given passage of the section, or to `end` where there is none."""
        ...


@dataclass(eq=False)
class ScheduledFlow:
    """Motion of a batch whose contacts change by the clock alone: every instance goes through the same modes."""

    kernels: Kernels
    step: float
    mode_is_known = True
    _schedules: dict[tuple[float, ...], list[tuple[float, Closed]]] = field(default_factory=dict)
    _stops: dict[tuple[float, float], tuple[float, ...]] = field(default_factory=dict)

    @property
    def modes(self) -> Modes:
        """Modes of the system."""
        return self.kernels.modes

    def begin(self, guess: Mapping[str, float], time: float, closed: Iterable[str] | None, p: Floats) -> tuple[Mode, Floats]:
        """Mode and state of a guess: the schedule says which contacts are closed."""
        mode = self.modes.mode(closed_by_schedule(self.modes, time, p))
        return mode, starting_state(mode.compiled.traced, guess, time=time, parameters=p)

    def groups(self, parameters: Floats, timing: Iterable[int]) -> list[NDArray[np.intp]]:
        """All with one schedule and one end go together."""
        keys = parameters[:, sorted({*self.timing_parameters(), *timing})]
        if not keys.size or (keys == keys[0]).all():
            return [np.arange(len(parameters))]
        _, which = np.unique(keys, axis=0, return_inverse=True)
        return [np.flatnonzero(which == k) for k in range(int(which.max()) + 1)]

    def go(
        self,
        mode: Mode,
        start: float,
        end: float,
        states: Floats,
        parameters: Floats,
        section: SectionKind | None = None,
        passages: int = 1,
        *,
        tangent: bool = True,
        by_parameters: bool = False,
    ) -> Passage:
        """Just after whatever is scheduled at `start` to just after whatever is scheduled at `end`."""
        assert section is None, "only the clock ends the motion of a batch"
        batch = len(states)
        stages = self._stages(start, end, parameters[0])
        good = np.ones(batch, dtype=bool)
        total: Floats | None = None
        extra: Floats | None = (
            np.zeros((batch, self.kernels.tangent_size(mode), parameters.shape[1])) if by_parameters else None
        )
        now = start
        happened: list[str] = []
        trouble = ""
        for instant, closed in stages:
            if instant > now:
                stretch = self._stretch(mode, now, instant, states, parameters, tangent, by_parameters)
                states, moved, good, trouble = stretch.states, stretch.matrix, good & stretch.good, trouble or stretch.trouble
                if extra is not None and moved is not None:
                    n = moved.shape[1]
                    moved, grown = moved[:, :, :n], moved[:, :, n:]
                    extra = moved @ extra + grown
                total = moved if total is None else (None if moved is None else moved @ total)
                now = instant
            if closed is None:
                continue
            new = self.modes.mode(closed)
            gripped = tuple(c.name for c in self.modes.switching if c.name in closed)
            strikes = not closed <= mode.closed
            contacts = (*sorted(self.modes.held), *gripped)
            blow = Blow(contacts, ((0.0, 0.0),) * len(contacts)) if strikes else None
            states, slopes, by_p = transfer(self.kernels, mode, new, blow, np.full(batch, instant), states, parameters)
            if tangent and total is not None:
                total = slopes[:, :-1, :-1] @ total
            if extra is not None:
                extra = slopes[:, :-1, :-1] @ extra + by_p
            happened.append(f"{', '.join(gripped) or 'nothing'} closed")
            finite = np.isfinite(states).all(axis=1)
            if not finite.all():
                trouble = trouble or f"no finite velocities follow from {happened[-1]} at t = {instant:.6g} s"
            good &= finite
            mode = new
        return Passage(mode, np.full(batch, end), states, total, good, extra, trouble, tuple(happened))

    def _stretch(
        self, mode: Mode, start: float, end: float, states: Floats, parameters: Floats, tangent: bool, by_parameters: bool
    ) -> Moved:
        steps = max(1, int(np.ceil((end - start) / self.step * (1.0 - 1e-9))))
        return self.kernels.integrate(mode, start, states, parameters, steps, (end - start) / steps, tangent, by_parameters)

    # -- schedules ------------------------------------------------------------------------------------

    def _stages(self, start: float, end: float, parameters: Floats) -> list[tuple[float, Closed | None]]:
        """Ends of smooth stretches, each with the contacts closed from then on where these change."""
        if (start, end) not in self._stops:
            self._stops[start, end] = switch_instants(self.modes.system, self.modes.controller, start, end)
        found: list[tuple[float, Closed | None]] = [*self.schedule(start, end, parameters), (end, None)]
        found += [(instant, None) for instant in self._stops[start, end]]
        return sorted(found, key=lambda stage: stage[0])

    def timing_parameters(self) -> list[int]:
        """Free parameters that the schedule depends on, by place."""
        names: set[str] = set()
        for contact in self.modes.switching:
            if contact.law.grips:
                names |= free_names(contact.law.condition)
        return [k for k, name in enumerate(self.modes.free) if name in names]

    def schedule(self, start: float, end: float, parameters: Floats) -> list[tuple[float, Closed]]:
        """Instants in (start, end] at which grips change, each with the contacts closed from then on."""
        key = (start, end, *(float(parameters[k]) for k in self.timing_parameters()))
        if key not in self._schedules:
            self._schedules[key] = find_schedule(self.modes, start, end, parameters)
        return self._schedules[key]


def parameter_values(modes: Modes, parameters: Floats) -> dict[str, float]:
    """All parameters by name, the free ones from a vector."""
    return {**modes.system.parameters.values, **dict(zip(modes.free, parameters.tolist(), strict=True))}


def closed_by_schedule(modes: Modes, time: float, parameters: Floats) -> Closed:
    """Grips that hold just after an instant."""
    values = {**parameter_values(modes, parameters), "t": time + 1e-9 * (1.0 + abs(time))}
    return frozenset(c.name for c in modes.switching if c.law.grips and float(evaluate(c.law.condition, values)) > 0.0)


def find_schedule(modes: Modes, start: float, end: float, parameters: Floats) -> list[tuple[float, Closed]]:
    """Instants in (start, end] at which grips change, found between samples and refined."""
    values = parameter_values(modes, parameters)
    # Half a sample late: what changes at the start is left out, what changes at the end is seen.
    times = start + (end - start) / SAMPLES * (np.arange(SAMPLES + 1) + 0.5)
    changes: list[tuple[float, str, bool]] = []
    for contact in modes.switching:
        if not contact.law.grips:
            continue
        when = contact.law.condition
        held = np.broadcast_to(np.asarray(evaluate(when, {**values, "t": times}), dtype=float) > 0.0, times.shape)
        for k in np.flatnonzero(held[1:] != held[:-1]):
            instant = _change(when, values, float(times[k]), float(times[k + 1]))
            changes.append((min(instant, end), contact.name, bool(held[k + 1])))
    closed = set(closed_by_schedule(modes, start, parameters))
    found: list[tuple[float, Closed]] = []
    for instant, name, on in sorted(changes):
        closed = closed | {name} if on else closed - {name}
        if found and instant - found[-1][0] < 1e-9 * (end - start):
            found[-1] = (found[-1][0], frozenset(closed))
        else:
            found.append((instant, frozenset(closed)))
    return found


def _change(when: object, values: dict[str, float], low: float, high: float) -> float:
    from scipy.optimize import brentq

    def value(t: float) -> float:
        return float(evaluate(when, {**values, "t": t}))

    if value(low) * value(high) < 0.0:
        return float(brentq(value, low, high, xtol=1e-15, rtol=8.9e-16))
    on = value(low) > 0.0
    while high - low > 1e-14 * max(1.0, abs(high)):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (value(middle) > 0.0) == on else (low, middle)
    return high
