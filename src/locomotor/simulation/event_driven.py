"""Event-driven simulation: compiled motion between events, events located to round-off, velocities that jump.

Between events the mode's model is integrated with a fixed step. After each step the event functions are looked at: a normal
force that becomes negative opens its contact, a gap that becomes negative is a collision, a grip follows its schedule. The
instant is found by repeating the step with other lengths, so that the event lies on the integrated motion itself.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from locomotor.errors import InconsistentStartError
from locomotor.mechanics.impact import Impact, newton_impact, plastic_impact, poisson_impact, stronge_impact
from locomotor.model import Grip, Unilateral, evaluate
from locomotor.simulation.modes import Closed, Mode, Modes
from locomotor.simulation.status import Event, Outcome

Vector = NDArray[np.float64]

CHUNK = 64
TIME_TOLERANCE = 1e-13
PENETRATION = 1e-9
"""Deepest start below a ground that is taken for touching it, in metres."""
AT_REST = 1e-9
"""Normal speed after a bounce below which the contact is taken to stay closed (m/s): the end of accumulating bounces."""
FORCE = 1e-9
MOST_EVENTS = 100_000


@dataclass(eq=False)
class Segment:
    """Part of a run in one mode."""

    mode: Mode
    times: list[float] = field(default_factory=list)
    states: list[Vector] = field(default_factory=list)


@dataclass(eq=False)
class EventDriven:
    """One event-driven run under way."""

    modes: Modes
    step: float
    inputs: Mapping[str, float]
    segments: list[Segment] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    def run(
        self, mode: Mode, x: Vector, start: float, end: float, until: Callable[[], bool] | None = None
    ) -> Outcome:
        """Integrate from `start` to `end`, or until a condition on what has been recorded so far holds."""
        t = start
        self.segments.append(Segment(mode, [t], [x]))
        mode, x = self._settle(mode, t, x)
        while t < end - TIME_TOLERANCE:
            t, x, trigger, outcome = self._advance(mode, t, x, end)
            if outcome is not Outcome.COMPLETED:
                return outcome
            if trigger:
                mode, x = self._handle(mode, t, x)
                if len(self.events) > MOST_EVENTS:
                    return Outcome.CHATTERING
            if until is not None and until():
                break
        return Outcome.COMPLETED

    # -- smooth motion --------------------------------------------------------------------------------

    def inputs_of(self, mode: Mode) -> Vector:
        """Constant inputs in the order of a mode."""
        return np.array([self.inputs.get(name, 0.0) for name in mode.compiled.input_names])

    def _step(self, mode: Mode, t: float, x: Vector, steps: int, h: float) -> Any:
        parameters = self.modes.parameters
        return mode.compiled.roller.run(x, steps, h, inputs=self.inputs_of(mode), parameters=parameters, start_time=t)

    def look(self, mode: Mode, times: Vector, states: Vector) -> dict[str, Vector]:
        """Event functions at states: arrays (samples, switching contacts)."""
        inputs = np.broadcast_to(self.inputs_of(mode), (len(times), mode.compiled.traced.input_port.size))
        outputs = mode.events(times[:, None], states, inputs, self.modes.parameters)
        return {port.name: values for port, values in zip(mode.events.traced.outputs, outputs, strict=True)}

    def _advance(self, mode: Mode, t: float, x: Vector, end: float) -> tuple[float, Vector, bool, Outcome]:
        """Integrate a chunk of steps, or up to the first event in it: time, state, whether an event, and the outcome."""
        whole = int((end - t) / self.step * (1.0 + 1e-12))
        h, steps = (self.step, min(CHUNK, whole)) if whole else (end - t, 1)
        result = self._step(mode, t, x, steps, h)
        done = int(result.completed)
        if int(result.status) == 2 and done == 0:
            return t, x, False, Outcome.NOT_FINITE
        if int(result.status) == 1 and done == 0:
            return t, x, False, Outcome.SINGULAR
        states = np.asarray(result.states)[: done + 1]
        times = t + h * np.arange(done + 1)
        seen = self.look(mode, times, states)
        for k in self._suspects(mode, seen, times):
            watched = list(self._crossed(mode, seen, times, k))
            if watched:
                self._keep(times[1:k], states[1:k])
                length, state = self._first(mode, float(times[k - 1]), states[k - 1], h, watched)
                found = float(times[k - 1]) + length
                self._keep([found], [state])
                return found, state, True, Outcome.COMPLETED
        self._keep(times[1:], states[1:])
        return float(times[-1]), states[-1], False, Outcome.COMPLETED

    def _keep(self, times: Any, states: Any) -> None:
        self.segments[-1].times.extend(float(t) for t in times)
        self.segments[-1].states.extend(np.asarray(x) for x in states)

    def _suspects(self, mode: Mode, seen: Mapping[str, Vector], times: Vector) -> list[int]:
        """Samples after the first at which some event function has changed sign, all contacts at once."""
        found = np.zeros(len(times), dtype=bool)
        for i, contact in enumerate(self.modes.switching):
            closed = contact.name in mode.closed
            if isinstance(contact.law, Grip):
                held = np.asarray(evaluate(contact.law.when, {**self.modes.values, "t": times}), dtype=float) > 0.0
                found |= held != closed
            else:
                found |= seen["normal_force"][:, i] < -FORCE if closed else seen["gap"][:, i] < 0.0
        return [int(k) for k in np.flatnonzero(found) if k > 0]

    def _crossed(self, mode: Mode, seen: Mapping[str, Vector], times: Vector, k: int) -> Iterator[tuple[str, int]]:
        """Event functions that have changed sign by sample k: (kind, contact)."""
        for i, contact in enumerate(self.modes.switching):
            if isinstance(contact.law, Grip):
                if self._gripping(contact, float(times[k])) != (contact.name in mode.closed):
                    yield "schedule", i
            elif contact.name in mode.closed:
                if seen["normal_force"][k, i] < -FORCE:
                    yield "normal_force", i
            elif seen["gap"][k, i] < 0.0:
                yield "gap", i

    def _gripping(self, contact: Any, t: float) -> bool:
        values = {**self.modes.values, "t": t}
        return float(evaluate(contact.law.when, values)) > 0.0

    def _first(
        self, mode: Mode, t: float, x: Vector, h: float, watched: list[tuple[str, int]]
    ) -> tuple[float, Vector]:
        """Length of the step to the earliest event, and the state there."""

        def after(length: float) -> tuple[Vector, dict[str, Vector]]:
            state = x if length == 0.0 else np.asarray(self._step(mode, t, x, 1, length).final)
            return state, self.look(mode, np.array([t + length]), state[None])

        at_start = self.look(mode, np.array([t]), x[None])
        lengths = [self._root(kind, i, at_start, after, t, h) for kind, i in watched]
        length = min(lengths)
        return length, after(length)[0]

    def _root(
        self, kind: str, i: int, at_start: Mapping[str, Vector], after: Callable[[float], Any], t: float, h: float
    ) -> float:
        if kind == "schedule":
            contact = self.modes.switching[i]
            before = self._gripping(contact, t)
            low, high = 0.0, h
            while high - low > TIME_TOLERANCE:
                middle = 0.5 * (low + high)
                low, high = (middle, high) if self._gripping(contact, t + middle) == before else (low, middle)
            return high
        if kind == "gap":
            # Right after a bounce the gap starts at zero: its quotient by time has the later root alone.
            def quotient(length: float) -> float:
                if length == 0.0:
                    return float(at_start["gap_rate"][0, i])
                return float(after(length)[1]["gap"][0, i]) / length

            from_zero = abs(float(at_start["gap"][0, i])) <= PENETRATION
            function = quotient if from_zero else (lambda length: float(after(length)[1]["gap"][0, i]))
            first = quotient(0.0) if from_zero else float(at_start["gap"][0, i])
        else:
            function = lambda length: float(after(length)[1]["normal_force"][0, i])  # noqa: E731
            first = float(at_start["normal_force"][0, i])
        if first <= 0.0:
            return 0.0
        return float(brentq(function, 0.0, h, xtol=TIME_TOLERANCE, rtol=8.9e-16))

    # -- events ---------------------------------------------------------------------------------------

    def _energy(self, mode: Mode, t: float, x: Vector) -> float:
        observation = mode.compiled.traced.observation
        outputs = observation(np.array([t]), x, self.inputs_of(mode), self.modes.parameters)
        return float(np.sum(outputs[observation.output("energies")]))

    def _switch(self, old: Mode, closed: Closed, t: float, x: Vector, v: Vector | None = None) -> tuple[Mode, Vector]:
        """Continue in another mode, with other velocities if they jumped."""
        q, found, own = self.modes.full_state(old, t, x, self.inputs_of(old))
        new = self.modes.mode(closed)
        state = self.modes.state_of(new, q, found if v is None else v, own)
        self.segments.append(Segment(new, [t], [state]))
        return new, state

    def _handle(self, mode: Mode, t: float, x: Vector) -> tuple[Mode, Vector]:
        """Everything that happens at one instant."""
        seen = {name: values[0] for name, values in self.look(mode, np.array([t]), x[None]).items()}
        closing, releasing = [], []
        for i, contact in enumerate(self.modes.switching):
            if isinstance(contact.law, Grip):
                wanted = self._gripping(contact, t + 10 * TIME_TOLERANCE)
                if wanted and contact.name not in mode.closed:
                    closing.append(i)
                elif not wanted and contact.name in mode.closed:
                    releasing.append(i)
            elif contact.name not in mode.closed and seen["gap"][i] <= PENETRATION and seen["gap_rate"][i] < 0.0:
                closing.append(i)
        for i in releasing:
            name = self.modes.switching[i].name
            energy = self._energy(mode, t, x)
            mode, x = self._switch(mode, mode.closed - {name}, t, x)
            self.events.append(_event(t, name, "release", (0.0, 0.0, 0.0), energy, self._energy(mode, t, x)))
        if closing:
            mode, x = self._impact(mode, t, x, closing)
        return self._settle(mode, t, x)

    def _settle(self, mode: Mode, t: float, x: Vector) -> tuple[Mode, Vector]:
        """Open the contacts that would have to pull: the largest set that pushes while the rest separates."""
        seen = {name: values[0] for name, values in self.look(mode, np.array([t]), x[None]).items()}
        one_sided = [i for i, c in enumerate(self.modes.switching) if c.name in mode.closed and isinstance(c.law, Unilateral)]
        if all(seen["normal_force"][i] > FORCE for i in one_sided):
            return mode, x
        q, v, own = self.modes.full_state(mode, t, x, self.inputs_of(mode))
        names = [self.modes.switching[i].name for i in one_sided]
        for size in range(len(one_sided), -1, -1):
            for kept in combinations(range(len(one_sided)), size):
                closed = (mode.closed - set(names)) | {names[k] for k in kept}
                trial = self.modes.mode(closed)
                state = self.modes.state_of(trial, q, v, own)
                look = {n: values[0] for n, values in self.look(trial, np.array([t]), state[None]).items()}
                pushes = all(look["normal_force"][one_sided[k]] > -FORCE for k in kept)
                parts = all(look["gap_acceleration"][one_sided[k]] > -FORCE for k in range(len(names)) if k not in kept)
                if pushes and parts:
                    if closed == mode.closed:
                        return mode, x
                    energy = self._energy(mode, t, x)
                    for name in sorted(mode.closed - closed):
                        self.events.append(_event(t, name, "lift-off", (0.0, 0.0, 0.0), energy, energy))
                    self.segments.append(Segment(trial, [t], [state]))
                    return trial, state
        return mode, x

    def _impact(self, mode: Mode, t: float, x: Vector, closing: list[int]) -> tuple[Mode, Vector]:
        """A collision: new velocities and the contacts that stay closed."""
        q, v, _ = self.modes.full_state(mode, t, x, self.inputs_of(mode))
        M, rows, held = self._rows(q)
        switching = self.modes.switching
        part = [i for i, c in enumerate(switching) if i in closing or c.name in mode.closed]
        gripping = [i for i in part if isinstance(switching[i].law, Grip)]
        one_sided = [i for i in part if i not in gripping]
        fixed = np.vstack([held, *(rows[i] for i in gripping)])
        elastic = [i for i in closing if i in one_sided and switching[i].law.restitution > 0.0]  # type: ignore[union-attr]
        result = self._solve(M, rows, fixed, v, one_sided, closing, elastic)
        closed = {switching[one_sided[k]].name for k in result.closed} | {switching[i].name for i in gripping}
        energy = self._energy(mode, t, x)
        resting = [i for i in elastic if float((rows[i] @ result.velocity)[0]) < AT_REST]
        if resting:
            result = plastic_impact(M, [rows[i] for i in one_sided], fixed, v)
            closed = {switching[one_sided[k]].name for k in result.closed} | {switching[i].name for i in gripping}
        mode, x = self._switch(mode, frozenset(closed), t, x, result.velocity)
        after = self._energy(mode, t, x)
        for k, i in enumerate(one_sided):
            impulse = tuple(float(value) for value in result.impulses[k])
            if i in closing or abs(impulse[0]) > 0.0:
                kind = "rest" if i in resting else "impact"
                self.events.append(_event(t, switching[i].name, kind, impulse, energy, after))
        for i in gripping:
            if i in closing:
                lost = M @ (result.velocity - v)
                force = np.linalg.lstsq(rows[i].T, lost, rcond=None)[0]
                impulse = tuple(float(value) for value in (*force, 0.0, 0.0)[:3])
                self.events.append(_event(t, switching[i].name, "grip", impulse, energy, after))
        return mode, x

    def _solve(
        self, M: Vector, rows: list[Vector], fixed: Vector, v: Vector, one_sided: list[int], closing: list[int], elastic: list[int]
    ) -> Impact:
        switching = self.modes.switching
        if not elastic:
            return plastic_impact(M, [rows[i] for i in one_sided], fixed, v)
        laws: Any = [switching[i].law for i in one_sided]
        if len(one_sided) == 1 and laws[0].rule != "newton":
            rule = poisson_impact if laws[0].rule == "poisson" else stronge_impact
            return rule(M, rows[one_sided[0]], fixed, v, laws[0].restitution)
        # Contacts that were closed are predicted to persist; those that would have to pull let go, and it is done again.
        kept = list(range(len(one_sided)))
        while True:
            pairs = [
                (laws[k].restitution, laws[k].tangential) if one_sided[k] in closing else (0.0, 0.0) for k in kept
            ]
            found = newton_impact(M, [rows[one_sided[k]] for k in kept], fixed, v, pairs)
            bad = [k for n, k in enumerate(kept) if found.impulses[n, 0] < 0.0 and one_sided[k] not in closing]
            if not bad:
                break
            kept = [k for k in kept if k not in bad]
        impulses = np.zeros((len(one_sided), 3))
        impulses[kept] = found.impulses
        persisting = tuple(k for k in kept if one_sided[k] not in closing or one_sided[k] not in elastic)
        return Impact(found.velocity, impulses, persisting, found.energy_lost)

    def _rows(self, q: Vector) -> tuple[Vector, list[Vector], Vector]:
        """Mass matrix, rows of the switching contacts in their frames, and rows of what persists."""
        system = self.modes.system
        outputs = dict(
            zip((port.name for port in self.modes.impact.traced.outputs), self.modes.impact(q, self.modes.parameters), strict=True)
        )
        by_name: dict[str, Vector] = {}
        for contact in system.contacts:
            J, n = outputs[f"{contact.name}_rows"], outputs[f"{contact.name}_normal"]
            frame = np.vstack([n, *_tangents(n)])
            by_name[contact.name] = frame @ J
        switching = [by_name[contact.name] for contact in self.modes.switching]
        held = [by_name[name] for name in sorted(self.modes.held)]
        return outputs["mass"], switching, np.vstack(held) if held else np.zeros((0, system.layout.nv))


def _event(t: float, contact: str, kind: str, impulse: Any, before: float, after: float) -> Event:
    told = f"normal impulse {impulse[0]:.6g} N s, energy lost {before - after:.6g} J" if impulse[0] or before != after else ""
    return Event(t, f"{contact} {kind}", told, contact, kind, tuple(impulse), before, after)


def _tangents(n: Vector) -> tuple[Vector, Vector]:
    """Two directions along the ground that make a frame with its normal; the first as much along x as possible."""
    axis = np.array([1.0, 0.0, 0.0]) if abs(n[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    first = axis - (axis @ n) * n
    first /= np.linalg.norm(first)
    return first, np.cross(n, first)


def initial_mode(modes: Modes, q: Vector, v: Vector, t: float) -> Closed:
    """Contacts closed at the start: gap zero and not separating; a start inside the ground is refused."""
    flight = modes.mode(frozenset())
    state = modes.state_of(flight, q, v, np.zeros(len(flight.compiled.traced.controller_states)))
    inputs = np.zeros((1, flight.compiled.traced.input_port.size))
    outputs = flight.events(np.array([[t]]), state[None], inputs, modes.parameters)
    seen = {port.name: values[0] for port, values in zip(flight.events.traced.outputs, outputs, strict=True)}
    closed: set[str] = set()
    for i, contact in enumerate(modes.switching):
        if isinstance(contact.law, Grip):
            values = {**modes.values, "t": t + 10 * TIME_TOLERANCE}
            if float(evaluate(contact.law.when, values)) > 0.0:
                closed.add(contact.name)
            continue
        if seen["gap"][i] < -PENETRATION:
            raise InconsistentStartError(
                f"start: contact {contact.name!r} is {-seen['gap'][i]:.3g} m inside its ground; lift the system, or leave out "
                "the coordinates that the contact should determine"
            )
        if abs(seen["gap"][i]) <= PENETRATION and not math.isnan(seen["gap_rate"][i]) and seen["gap_rate"][i] <= AT_REST:
            closed.add(contact.name)
    return frozenset(closed)
