"""The event loop as pure functions of an immutable moment, and kinds of events that are added by registration."""

from collections.abc import Iterator
from dataclasses import FrozenInstanceError, dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.simulation.events import (
    Change,
    EventPlan,
    Grid,
    Moment,
    Stretch,
    Trail,
    Trigger,
    advance,
    beginning,
    handle,
    hybrid_start,
    is_under_way,
    kinds,
    locate,
    modes_of,
    run_with_events,
)
from locomotor.simulation.events.kinds import Search, length_to, respond, watcher
from locomotor.simulation.events.moment import QUARTER, entering
from locomotor.simulation.events.pivots import switch
from locomotor.simulation.events.probe import Seen
from locomotor.simulation.events.run_events import InputsJump
from locomotor.simulation.events.stances import Stance, held
from locomotor.simulation.status import Event

G = 9.81
KERB = lm.Terrain.kerb(0.05)
SYSTEMS = {
    "plane": (lambda: lm.catalogue.bouncing_ball(restitution=0.7), {"z": 0.4, "speed": 1.0}, None),
    "terrain": (lambda: lm.catalogue.bouncing_ball(restitution=0.3, terrain=KERB), {"z": 0.3, "x": -0.3, "speed": 0.8}, None),
    "grips": (lambda: lm.catalogue.rocr(), None, None),
}


def prepared(name: str, duration: float = 0.7) -> tuple[EventPlan, Trail]:
    """A plan, and the trail at its start."""
    make, start, closed = SYSTEMS[name]
    modes = modes_of(make(), None, "auto")
    mode, x, holds = hybrid_start(modes, start, 0.0, closed)
    plan = EventPlan(modes, Grid(0.0, duration, 0.005))
    return plan, beginning(plan, mode, x, holds)


def bits(thing: Any) -> Any:
    """Everything in a value of the loop, so that two of them can be compared; modes are the same object or not."""
    if isinstance(thing, np.ndarray):
        return thing.shape, thing.tobytes()
    if isinstance(thing, Moment | Change | Stretch | Event | Trigger) and is_dataclass(thing):
        return type(thing).__name__, *(bits(getattr(thing, field.name)) for field in fields(thing))
    if isinstance(thing, lm.simulation.terrain.Footholds):
        standing = sorted((slot, entry.feature, sorted(entry.values(slot).items())) for slot, entry in thing.footings.items())
        return standing, sorted(thing.levels.items())
    return tuple(bits(each) for each in thing) if isinstance(thing, tuple | list) else thing


def trail_bits(trail: Trail) -> Any:
    return [(id(s.mode), bits(s.times), bits(s.states)) for s in trail.segments], bits(list(trail.events)), trail.outcome


@pytest.mark.parametrize("name", SYSTEMS)
def test_each_step_is_a_function_of_what_it_is_given(name: str) -> None:
    """Called twice from one moment each gives the same bits, and leaves the moment as it was."""
    plan, trail = prepared(name)
    changes = 0
    while is_under_way(plan, trail) and changes < 4:
        known = bits(trail.now)
        steps, again = advance(plan, trail.now), advance(plan, trail.now)
        assert bits(steps.times) == bits(again.times) and bits(steps.states) == bits(again.states)
        before = bits(steps.times), bits(steps.states)
        stretch = locate(plan, steps)
        assert bits(stretch) == bits(locate(plan, steps)) == bits(locate(plan, again))
        assert (bits(steps.times), bits(steps.states)) == before and bits(trail.now) == known
        trail = trail.along(stretch)
        if stretch.triggers:
            known = bits(trail.now)
            change = handle(plan, trail.now, stretch.triggers)
            assert bits(change) == bits(handle(plan, trail.now, stretch.triggers)) and bits(trail.now) == known
            trail, changes = trail.then(change), changes + 1
    assert changes >= 2


@pytest.mark.parametrize("name", SYSTEMS)
def test_an_earlier_trail_can_be_continued_after_a_later_one_was_made(name: str) -> None:
    """From every moment of a run on, in any order: the end is always the same, and no trail changes."""
    plan, trail = prepared(name)
    trails = [trail]
    while is_under_way(plan, trails[-1]):
        stretch = locate(plan, advance(plan, trails[-1].now))
        moved = trails[-1].along(stretch)
        trails.append(moved.then(handle(plan, moved.now, stretch.triggers)) if stretch.triggers else moved)
    known = [trail_bits(each) for each in trails]
    for early in (trails[len(trails) // 2], trails[0], trails[-2]):
        again = early
        while is_under_way(plan, again):
            stretch = locate(plan, advance(plan, again.now))
            again = again.along(stretch)
            again = again.then(handle(plan, again.now, stretch.triggers)) if stretch.triggers else again
        assert trail_bits(again) == known[-1]
    # Gathered anew, without what a trail keeps of its own reading.
    assert [trail_bits(replace(each)) for each in trails] == known


def test_nothing_of_a_moment_can_be_changed() -> None:
    plan, trail = prepared("plane")
    stretch = locate(plan, advance(plan, trail.now))
    change = handle(plan, stretch.end, (InputsJump(),))
    for thing, name in (
        (trail, "now"),
        (trail.now, "time"),
        (stretch, "end"),
        (change, "told"),
        (plan, "grid"),
        (plan.modes, "given"),
    ):
        with pytest.raises(FrozenInstanceError):
            setattr(thing, name, None)
    for array in (trail.now.state, trail.now.levels, stretch.end.state, stretch.states, change.now.state):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0.0


def test_a_start_that_is_given_stays_its_owner_s() -> None:
    """The state that a run starts from is copied: whoever made it may go on writing into it."""
    plan, trail = prepared("plane")
    state = np.array(trail.now.state)
    first = beginning(plan, trail.now.mode, state)
    state[:] = 0.0
    assert bits(first.now.state) == bits(trail.now.state)


# -- a kind of event that nothing else knows of ---------------------------------------------------------------


@dataclass(frozen=True)
class Descends(Trigger):
    """A ball comes down through a height: there it is thrown up again with the speed it has."""

    height: float


@pytest.fixture
def trampoline(monkeypatch: pytest.MonkeyPatch) -> Iterator[float]:
    """A kind of event for one test: watched, located and answered by what is registered here."""
    height = 0.5
    monkeypatch.setattr(kinds, "WATCHERS", list(kinds.WATCHERS))

    @watcher
    def _descending(search: Search, seen: Seen, times: Any, states: Any) -> Iterator[tuple[int, Trigger]]:
        z = states[:, search.mode.compiled.state_names.index("z")]
        for k in np.flatnonzero((z[:-1] > height) & (z[1:] <= height))[:1]:
            yield int(k) + 1, Descends(height)

    @length_to.register
    def _(trigger: Descends, search: Search, t: float, x: Any, h: float) -> float:
        i = search.mode.compiled.state_names.index("z")
        low, high = 0.0, h
        while high - low > 1e-15 and low < 0.5 * (low + high) < high:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if search.probe.after(t, x, middle)[i] > trigger.height else (low, middle)
        return low

    @respond.register
    def _(trigger: Descends, plan: EventPlan, change: Change) -> Change:
        now = change.now
        names = now.mode.compiled.state_names
        state = np.array(now.state)
        state[names.index("heave_speed")] *= -1.0
        thrown = Event(now.time, "thrown", f"at {trigger.height} m", kind="thrown")
        return change.into(entering(plan, now, now.mode, state)).telling(thrown)

    yield height


def test_a_new_kind_of_event_is_watched_located_and_answered(trampoline: float) -> None:
    """Dropped from 1 m and thrown up at 0.5 m with the speed it has: it comes back every 2 sqrt(2 · 0.5 / g)."""
    run = lm.simulate(lm.catalogue.bouncing_ball(), 2.0, start={"z": 1.0}, step=0.004)
    assert run.status.ok and {event.kind for event in run.events} == {"thrown"}
    fall = np.sqrt(2.0 * (1.0 - trampoline) / G)
    expected = fall * (2.0 * np.arange(len(run.events)) + 1.0)
    assert len(run.events) == 3 and fall * 7.0 > 2.0
    # A parabola is exact for the stepper; each instant is found to round-off, and hands its error on.
    assert run.events.times == pytest.approx(expected, abs=1e-12)
    assert run["z"].min() == pytest.approx(trampoline, abs=1e-9) and run["z"].max() == pytest.approx(1.0, abs=1e-12)
    assert run.audit().residuals["energy_balance"] < 1e-9


def test_the_sources_scheme_finds_it_too(trampoline: float) -> None:
    run = lm.simulate(lm.catalogue.bouncing_ball(), 1.0, start={"z": 1.0}, step=0.004, scheme="source")
    (first, *_) = run.events
    assert first.kind == "thrown" and first.time == pytest.approx(np.sqrt(1.0 / G), abs=1e-9)


def test_a_kind_that_nobody_answers_is_named() -> None:
    @dataclass(frozen=True)
    class Nothing(Trigger):
        """No answer is registered."""

    plan, trail = prepared("plane")
    with pytest.raises(lm.errors.ModelError, match="event Nothing: nothing says what happens then"):
        handle(plan, trail.now, (Nothing(),))


# -- a way to be held that nothing else knows of --------------------------------------------------------------


@dataclass(frozen=True)
class Slides(Stance):
    """A point that sticks as it is declared lets go along the ground, and stays on it."""


@held.register
def _(stance: Slides, system: lm.System, contact: str) -> lm.System:
    kept = (c for c in system.contacts if c.name != contact)
    (point,) = (c for c in system.contacts if c.name == contact)
    return system.replace(contacts=(*kept, lm.SlidingPoint(contact, point.body, (0, 0, 0), law=point.law)))


@dataclass(frozen=True)
class LetsSlide(Trigger):
    """At an instant the foot begins to slide."""

    instant: float


@respond.register
def _(trigger: LetsSlide, plan: EventPlan, change: Change) -> Change:
    now = change.now
    whole = now.whole(plan)
    change = switch(plan, change, now.mode.closed, whole, whole.v, {"foot": Slides()})
    return change.telling(Event(now.time, "foot slides", contact="foot", kind="slides"))


def test_a_new_way_to_be_held_is_a_mode_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A weight sticks to a slope and is let slide at 0.3 s: it has then gone g sin(a) (t - 0.3)²/2, and still pushes."""
    begin, slope = 0.3, 0.2
    monkeypatch.setattr(kinds, "WATCHERS", list(kinds.WATCHERS))

    @watcher
    def _(search: Search, seen: Seen, times: Any, states: Any) -> Iterator[tuple[int, Trigger]]:
        for k in np.flatnonzero((times[:-1] < begin) & (times[1:] >= begin)):
            if not search.mode.stances:
                yield int(k) + 1, LetsSlide(begin)

    @length_to.register
    def _(trigger: LetsSlide, search: Search, t: float, x: Any, h: float) -> float:
        return trigger.instant - t

    weight = lm.System(
        "weight",
        bodies=(lm.Body("block", 2.0, inertia=(0.1, 0.1, 0.1)),),
        joints=(lm.Free(name="base", parent="world", child="block"),),
        contacts=(lm.StickingPoint("foot", "block", at=(0, 0, 0), law=lm.Unilateral()),),
        forces=(lm.Gravity((G * np.sin(slope), 0.0, -G * np.cos(slope))),),
    )
    run = lm.simulate(weight, 1.0, closed=["foot"], step=0.01)
    assert run.status.ok and [event.kind for event in run.events] == ["slides"]
    gone = np.maximum(run.time - begin, 0.0)
    np.testing.assert_allclose(run["x"], 0.5 * G * np.sin(slope) * gone**2, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(run["foot_normal_force"], 2.0 * G * np.cos(slope), rtol=1e-12)
    assert (run["foot_closed"] == 1.0).all()


def test_a_way_to_be_held_that_nobody_made_is_named() -> None:
    @dataclass(frozen=True)
    class Hovers(Stance):
        """Nothing is registered for it."""

    modes = modes_of(lm.catalogue.bouncing_ball(), None, "interpreter")
    with pytest.raises(lm.errors.ModelError, match="contact 'floor', Hovers: nothing says how it is held then"):
        modes.mode(frozenset({"floor"}), stances={"floor": Hovers()})


def test_events_at_one_instant_are_answered_in_their_order() -> None:
    """Whatever the order in which they were seen: what lets go comes before what closes."""
    answered: list[str] = []

    @dataclass(frozen=True)
    class Late(Trigger):
        ORDER = 9

    @dataclass(frozen=True)
    class Early(Trigger):
        ORDER = -1

    @respond.register(Late)
    @respond.register(Early)
    def _(trigger: Trigger, plan: EventPlan, change: Change) -> Change:
        answered.append(type(trigger).__name__)
        return change.telling(Event(change.now.time, "told"))

    plan, trail = prepared("plane")
    handle(plan, trail.now, (Late(), Early()))
    assert answered == ["Early", "Late"]


def test_a_run_is_nothing_but_its_steps() -> None:
    plan, trail = prepared("plane")
    whole = run_with_events(plan, trail.now.mode, trail.now.state)
    while is_under_way(plan, trail):
        stretch = locate(plan, advance(plan, trail.now))
        trail = trail.along(stretch)
        trail = trail.then(handle(plan, trail.now, stretch.triggers)) if stretch.triggers else trail
    assert trail_bits(whole) == trail_bits(trail) and len(whole.events) == 2


def test_few_steps_are_taken_in_vain() -> None:
    """A flight is followed up to its end, and not by the steps of a chunk that has grown: all but some lie before an event."""
    plan, trail = prepared("plane", duration=4.0)
    taken = needed = 0
    while is_under_way(plan, trail):
        steps = advance(plan, trail.now)
        stretch = locate(plan, steps)
        taken, needed = taken + len(steps.times) - 1, needed + len(stretch.times)
        trail = trail.along(stretch)
        if stretch.triggers:
            trail = trail.then(handle(plan, trail.now, stretch.triggers))
    assert trail.count > 10
    assert taken < needed + (3 + trail.now.mode.handful // QUARTER) * trail.count
