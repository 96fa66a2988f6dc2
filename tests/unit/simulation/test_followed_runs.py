"""Runs with events in machine code (`events/follow.py`) are those of their readable form (`events/loop.py`)."""

import ctypes
import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.codegen import find_toolchain
from locomotor.codegen._compile import build
from locomotor.codegen.emit_c import SCALAR, prologue, runtime
from locomotor.codegen.kernel import address
from locomotor.model import System
from locomotor.simulation.events import loop
from locomotor.simulation.events.follow import unfollowed
from locomotor.simulation.events.kinds import Trigger

pytestmark = pytest.mark.skipif(find_toolchain() is None, reason="there is no compiler")

MOST = 1e-7
"""Of instants and states: the two forms differ by round-off, which impacts and slips that turn magnify."""
LAW = lm.Unilateral(friction="mu", restitution="e")


def thing(*points: tuple[float, float, float], **values: float) -> System:
    """A body with points that touch a plane."""
    return lm.System(
        f"thing_of_{len(points)}",
        bodies=(lm.Body("body", 1.0, inertia=(0.0108, 0.0167, 0.0208)),),
        joints=(lm.Free(name="base", parent="world", child="body"),),
        contacts=tuple(lm.StickingPoint(f"point_{k}", "body", at=at, law=LAW) for k, at in enumerate(points)),
        forces=(lm.Gravity((0, 0, -9.81)),),
        grounds=(lm.Plane("ground"),),
        parameters={"mu": 0.5, "e": 0.0, **values},
        nominal={"z": 1.0},
    )


def thrown(rng: np.random.Generator) -> dict[str, float]:
    """Above the ground, with any attitude and spin."""
    found = {"z": rng.uniform(0.36, 0.4), "yaw": rng.uniform(-3, 3), "roll": rng.uniform(-1, 1), "pitch": rng.uniform(-1, 1)}
    found |= {name: rng.uniform(-2, 2) for name in ("speed", "sway_speed", "heave_speed")}
    return found | {name: rng.uniform(-6, 6) for name in ("roll_rate", "pitch_rate", "yaw_rate")}


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[lm.Run, lm.Run, Counter[str]]]:
    """A run in each form, and what the readable form was asked to answer in the compiled one, once modes are known."""
    handle, asked = loop.handle, Counter[str]()

    def counted(plan: Any, moment: Any, triggers: Sequence[Trigger]) -> Any:
        asked.update(type(trigger).__name__ for trigger in triggers)
        return handle(plan, moment, triggers)

    def run(system: System, duration: float, **settings: Any) -> tuple[lm.Run, lm.Run, Counter[str]]:
        with monkeypatch.context() as readable:
            readable.setattr(loop, "follower_of", lambda plan: None)
            first = lm.simulate(system, duration, **settings)
        monkeypatch.setattr(loop, "handle", counted)
        asked.clear()
        return first, lm.simulate(system, duration, **settings), asked

    return run


def assert_same(one: lm.Run, other: lm.Run) -> None:
    assert [event.name for event in one.events] == [event.name for event in other.events]
    assert one.status.outcome is other.status.outcome
    for a, b in zip(one.events, other.events, strict=True):
        assert abs(a.time - b.time) < MOST
        assert np.allclose(a.impulse, b.impulse, rtol=MOST, atol=MOST)
        assert np.allclose((a.energy_before, a.energy_after), (b.energy_before, b.energy_after), rtol=MOST, atol=MOST)
    grid = np.linspace(one.time[0], one.time[-1], 7)
    for name in one.channels:
        if one.about[name].group in ("coordinates", "velocities"):
            a, b = (np.interp(grid, run.time, run[name]) for run in (one, other))
            assert np.allclose(a, b, rtol=1e-5, atol=1e-5), name


@pytest.mark.parametrize(("mu", "e"), [(0.5, 0.0), (0.3, 0.5)])
def test_a_rod_that_is_thrown(both: Any, rng: np.random.Generator, mu: float, e: float) -> None:
    rod = thing((-0.3, 0.0, 0.0), (0.3, 0.0, 0.0), mu=mu, e=e)
    events = 0
    for _ in range(4):
        one, other, _ = both(rod, 0.4, start={**thrown(rng), "heave_speed": -1.0}, step=0.002)
        assert_same(one, other)
        events += len(other.events)
    assert events


def test_a_box_that_is_thrown(both: Any, rng: np.random.Generator) -> None:
    """Eight corners: one model for all modes, and rows that depend on each other."""
    box = thing(
        *(tuple(s * h for s, h in zip(own, (0.2, 0.15, 0.1), strict=True)) for own in itertools.product((-1, 1), repeat=3))
    )
    for _ in range(3):
        one, other, asked = both(box, 0.5, start={**thrown(rng), "heave_speed": -1.0}, step=0.002)
        assert_same(one, other)
    assert sum(asked.values()) <= len(other.events) // 2


def test_a_woodpecker_goes_down_in_one_call(both: Any) -> None:
    start = {"tilt": -0.1, "swing": -0.18, "height_rate": -0.34, "tilt_rate": 0.0, "swing_rate": -7.5}
    one, other, asked = both(lm.catalogue.woodpecker(), 0.3, start=start, step=0.0002)
    assert len(one.events) > 10 and not asked
    assert_same(one, other)


def test_a_snake_whose_slips_are_guided(both: Any) -> None:
    """Slips begin and turn slowly: directions follow the forces, which machine code finds as well."""
    system = lm.catalogue.dry_snake()
    start = {"speed": 0.4, **dict.fromkeys([s.name for s in system.layout.velocities if s.name.endswith("_rate")], 0.0)}
    one, other, asked = both(system, 0.6, start={**start, "sway_speed": 0.0}, step=0.001)
    assert one.events and asked["Guides"] <= 1
    assert_same(one, other)


TRIPOD = ((0.2, 0.1, 0.0), (-0.2, 0.15, 0.0), (0.0, -0.2, 0.0))


def apart(one: lm.Run, other: lm.Run) -> float:
    """The largest difference of coordinates and velocities at any sample."""
    assert np.allclose(one.time, other.time, rtol=0.0, atol=1e-8)
    names = [name for name in one.channels if one.about[name].group in ("coordinates", "velocities")]
    return float(max(np.abs(one[name] - other[name]).max() for name in names))


def test_both_forms_take_steps_of_one_length_where_slips_turn_and_fade(both: Any) -> None:
    """Steps of the grid are so long that errors show how long those are that are taken instead.

    A tenth more of the angle by which a slip may turn in a step is 2e-7 apart, of the speed that it may lose 1e-3, of the time
    in which friction across it damps 5e-7; as they are they differ by round-off, which the end of a slip magnifies.
    """
    spinning = {"z": 0.0, "speed": 1.0, "sway_speed": 0.2, "yaw_rate": 6.0, "roll_rate": 0.0, "pitch_rate": 0.0}
    one, other, _ = both(thing(*TRIPOD, mu=0.4), 0.5, start={**spinning, "heave_speed": 0.0}, step=0.02)
    assert one.events and apart(one, other) < 2e-9
    puck = lm.System(
        "puck",
        bodies=(lm.Body("body", 1.0, inertia=(0.1, 0.1, 0.1)),),
        joints=(lm.Translation(name="base", parent="world", child="body"),),
        contacts=(lm.StickingPoint("point_0", "body", at=(0, 0, 0), law=lm.Unilateral(friction=0.3)),),
        forces=(lm.Gravity((0, 0, -9.81)), lm.BodyForce("push", "body", (0, 0, 0), (0, "2.0*cos(3*t)", 0))),
    )
    one, other, _ = both(puck, 0.6, start={"x_rate": 1.0, "y_rate": 0.3}, step=0.05)
    assert one.events and apart(one, other) < 2e-8


@pytest.mark.slow
def test_a_strandbeest_with_its_loops_and_its_crank(both: Any) -> None:
    """Rows of loops are held, one of them with a velocity: a foot that comes to rest leaves that as it is."""
    one, other, asked = both(lm.catalogue.strandbeest(), 1.0, step=0.001)
    assert any(event.kind == "sticks" for event in one.events) and not asked
    assert_same(one, other)


@pytest.mark.parametrize(("push", "first"), [(2.9, []), (3.0, ["point_0 slips"])])
def test_a_slip_that_begins_with_the_run_is_an_event(both: Any, push: float, first: list[str]) -> None:
    """Friction has 0.3 * 9.81 = 2.943 N; what is pushed by more slips from the first instant on, by (F - 2.943) t²/2."""
    block = lm.System(
        "pushed",
        bodies=(lm.Body("body", 1.0, inertia=(0.1, 0.1, 0.1)),),
        joints=(lm.Translation(name="base", parent="world", child="body"),),
        contacts=(lm.StickingPoint("point_0", "body", at=(0, 0, 0), law=lm.Unilateral(friction=0.3)),),
        forces=(lm.Gravity((0, 0, -9.81)), lm.BodyForce("push", "body", (0, 0, 0), (push, 0, 0))),
    )
    one, other, _ = both(block, 0.2, start={"x_rate": 0.0}, step=0.01)
    assert_same(one, other)
    assert [event.name for event in other.events] == first and all(event.time == 0.0 for event in other.events)
    assert other["x"][-1] == pytest.approx(max(push - 2.943, 0.0) * 0.02, abs=1e-12)
    moving, again, _ = both(block, 0.05, start={"x_rate": 1.0}, step=0.01)
    assert not moving.events and not again.events  # it slips as it is given, and begins nothing


def test_contacts_without_friction(both: Any, rng: np.random.Generator) -> None:
    """Alone they are followed; where several of them meet, it is the readable form that knows their law."""
    law = lm.Unilateral(restitution="e")

    def smooth(*points: tuple[float, float, float]) -> System:
        return thing(e=0.7).replace(contacts=[lm.SlidingPoint(f"p_{k}", "body", at=at, law=law) for k, at in enumerate(points)])

    one, other, asked = both(smooth((0.1, 0.0, -0.3)), 0.6, start={**thrown(rng), "heave_speed": -1.0}, step=0.005)
    assert len(one.events) > 2 and not asked
    assert_same(one, other)
    one, other, asked = both(smooth((-0.3, 0.0, 0.0), (0.3, 0.0, 0.0)), 0.4, start={"z": 0.1, "yaw": 0.3}, step=0.005)
    assert len(one.events) > 2 and asked["GapCloses"]
    assert_same(one, other)


def test_contacts_without_friction_let_go_one_by_one(both: Any) -> None:
    """A strip lands on its tips and lets go of the ground.

    A force that vanishes alone leaves nothing beside which an acceleration were small: round-off kept its contact closed.
    """
    strip, start = lm.catalogue.jumping_elastica(), lm.catalogue.bent_elastica()
    one, other, asked = both(strip, 0.35, start=start, step=0.0005)
    assert sum(event.kind == "lift-off" for event in one.events) > 1 and not asked
    assert_same(one, other)


def test_where_bounces_end_no_step_of_the_readable_form_is_needed(both: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A block that falls from H with e comes to rest after sqrt(2 H/g) (1 + e)/(1 - e), a sample of its own off the grid."""
    block = lm.System(
        "block",
        bodies=(lm.Frame("slide"), lm.Body("body", 1.0, inertia=(0.01, 0.01, 0.01))),
        joints=(
            lm.Prismatic(name="along", parent="world", child="slide", axis=(1, 0, 0)),
            lm.Prismatic(name="up", parent="slide", child="body", axis=(0, 0, 1)),
        ),
        contacts=(lm.StickingPoint("foot", "body", at=(0, 0, 0), law=LAW),),
        forces=(lm.Gravity((0, 0, -9.81)),),
        grounds=(lm.Plane("ground"),),
        parameters={"mu": 0.2, "e": 0.5},
    )
    ends = 3.0 * np.sqrt(2.0 * 0.1 / 9.81)
    stepped, advance = [], loop.advance

    def seen(plan: Any, moment: Any) -> Any:
        stepped.append(moment.time)
        return advance(plan, moment)

    settings = {"start": {"up": 0.1, "along_rate": 2.0}, "step": 0.01}
    readable, followed, _ = both(block, 0.6, **settings)
    assert_same(readable, followed)
    monkeypatch.setattr(loop, "advance", seen)
    again = lm.simulate(block, 0.6, **settings)
    assert not stepped
    for run in (readable, followed, again):
        assert np.abs(run.time - ends).min() < 1e-9
        assert [event.time for event in run.events if event.kind == "rest"] == pytest.approx([ends], abs=1e-9)


@pytest.mark.parametrize(("e", "size"), [(0.0, 0.35), (0.3, 1.0)])
@pytest.mark.sampled(1)
def test_feet_that_come_to_rest_while_others_strike(both: Any, e: float, size: float) -> None:
    """A table falls on its feet one after the other. Each bounces, or on a narrow one is lifted by the impacts of others."""
    start = {"z": 0.05 if size < 1.0 else 0.1, "pitch": 0.07, "roll": 0.1, "speed": 0.5, "sway_speed": 0.2, "yaw_rate": 0.5}
    start |= dict.fromkeys(("heave_speed", "roll_rate", "pitch_rate"), 0.0)
    feet = [(size * x, size * y, z) for x, y, z in TRIPOD]
    one, other, asked = both(thing(*feet, mu=0.3, e=e), 0.6, start=start, step=0.005)
    rests = [event for event in other.events if event.kind == "rest"]
    assert len({event.contact for event in rests}) > 1 and not asked
    assert_same(one, other)
    assert np.allclose(one.time, other.time, rtol=0.0, atol=MOST)
    assert all(np.abs(other.time - event.time).min() < 1e-12 for event in rests)  # a sample each
    # The bounces that are summed take less than 1e-7 s; what round-off makes of their speeds is far less of it.
    assert max(abs(a.time - b.time) for a, b in zip(one.events, other.events, strict=True)) < 1e-9


def test_samples_farther_apart_than_steps(both: Any, rng: np.random.Generator) -> None:
    """The same samples, among them those before and after every event."""
    rod = thing((-0.3, 0.0, 0.0), (0.3, 0.0, 0.0), e=0.3)
    one, other, _ = both(rod, 0.4, start={**thrown(rng), "heave_speed": -1.0}, step=0.002, sample=0.02)
    assert_same(one, other)
    assert 21 < len(one.time) < 100 and len(one.time) == len(other.time) and np.allclose(one.time, other.time, atol=MOST)


def test_what_is_not_followed_is_told(both: Any) -> None:
    """Spokes that stick, whatever pulls at them, are for the readable form alone."""
    seen = []
    follower_of = loop.follower_of
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "follower_of", lambda plan: seen.append(unfollowed(plan)) or follower_of(plan))
        lm.simulate(lm.catalogue.rimless_wheel(), 0.01, start={"pitch_rate": 1.5})
    assert seen == ["a contact sticks whatever pulls at it"]


@pytest.mark.parametrize("high", [True, False])
def test_a_run_that_ends_in_flight_or_on_the_ground(both: Any, high: bool) -> None:
    """Ends are looked at after every step: a fall from z = 1 comes to z = 0.2 at sqrt(1.6/g); braked by mu g it slows down."""
    puck = lm.System(
        "ended_puck",
        bodies=(lm.Body("body", 1.0, inertia=(0.1, 0.1, 0.1)),),
        joints=(lm.Translation(name="base", parent="world", child="body"),),
        contacts=(lm.StickingPoint("point_0", "body", at=(0, 0, 0), law=lm.Unilateral(friction=0.5)),),
        forces=(lm.Gravity((0, 0, -9.81)),),
    )
    braking = 0.5 * 9.81
    ends, at = (
        ({"low": "z - 0.2"}, (1.6 / 9.81) ** 0.5) if high else ({"far": "0.05 - x"}, (1 - (1 - 0.1 * braking) ** 0.5) / braking)
    )
    one, other, asked = both(
        puck, 0.6, start={"z": 1.0 if high else 0.0, "x_rate": 1.0}, step=0.01, ends={"wide": "1 - y", **ends}
    )
    assert_same(one, other)
    assert other.events[-1].time == pytest.approx(at, abs=1e-9) and set(asked) == {"EndReached"}


@pytest.mark.slow
def test_a_bicycle_that_skids_with_its_brake_on(both: Any) -> None:
    """Wheels, a dry brake and ends: machine code leaves the impact, the joint that lets go and the end to the readable form."""
    start = {"speed": 6.0, "rear_wheel_rate": 0.0, "roll_rate": 0.3}
    one, other, asked = both(lm.catalogue.skidding_bicycle(), 1.2, start=start)
    assert [event.name for event in one.events][-2:] == ["brake sticks", "fallen"]
    assert_same(one, other)
    assert apart(one, other) < 1e-10 and set(asked) == {"GapCloses", "SlideEnds", "EndReached"}


def ridden(bound: float, *pull: str) -> System:
    """A sledge of 1 kg with a rider of 0.2 kg on a rail along x with dry friction, who is pulled: mu (1.2 kg) g = 5.886 N."""
    sledge, rider = (lm.Body(name, mass, inertia=(0.1, 0.1, 0.1)) for name, mass in (("sledge", 1.0), ("rider", 0.2)))
    return lm.System(
        "ridden",
        bodies=(sledge, rider),
        joints=(
            lm.Translation(name="base", parent="world", child="sledge"),
            lm.Prismatic(name="seat", parent="sledge", child="rider", axis=(1, 0, 0)),
        ),
        contacts=(lm.StickingPoint("foot", "sledge", at=(0, 0, 0), law=lm.Unilateral(friction=0.5)),),
        forces=(
            lm.Gravity((0, 0, -9.81)),
            lm.JointFriction("rail", "seat", bound),
            lm.BodyForce("pull", "rider", (0, 0, 0), (*pull, 0)),
        ),
    )


SLIDES, STOPS = 2.181 * 6 / 100, ((5.886**2 + 48.0) ** 0.5 - 5.886) / 20
"""Pulled back by 20 t, a rail of 1.2 N holds until 20 t - (5.886 + 20 t)/6 = 1.2; it stops at 5.886 t + 10 t² = 1.2."""


@pytest.mark.parametrize(("bound", "first", "at"), [(1.2, "rail slips", SLIDES), (5.0, "foot sticks", STOPS)])
def test_a_joint_that_its_friction_holds_on_a_sledge(both: Any, bound: float, first: str, at: float) -> None:
    one, other, asked = both(ridden(bound, "-20*t", "0"), 0.2, start={"x_rate": 1.0}, step=0.01)
    assert_same(one, other)
    assert other.events[0].name == first and other.events[0].time == pytest.approx(at, abs=1e-9)
    assert asked["JointYields"] == 1 if bound < 5.0 else not asked


def test_a_sledge_begins_to_slip_along_the_pull_while_its_rail_holds(both: Any) -> None:
    """Held, all of it has one mass in every direction: along (4, 3) from 25 t = 5.886 on. Loose, it would go elsewhere."""
    one, other, asked = both(ridden(9.0, "20*t", "15*t"), 0.3, step=0.01)
    assert_same(one, other)
    assert [event.name for event in other.events] == ["foot slips"] and not asked
    assert other.events[0].time == pytest.approx(5.886 / 25, abs=1e-9)
    assert other["y"][-1] == pytest.approx(0.75 * other["x"][-1], rel=1e-9) and other["x"][-1] > 1e-4


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("rank", [1, 4, 7, 8])
def test_least_squares_are_those_of_numpy(rng: np.random.Generator, rank: int, symmetric: bool) -> None:
    """Also of equations that contradict each other: the smallest unknowns with the smallest error."""
    toolchain = find_toolchain()
    assert toolchain is not None
    least = build("\n\n".join((prologue(SCALAR), runtime("least.h"))), toolchain, 1000, False).lm_least
    n, k = 8, 2
    left = rng.normal(size=(n, rank))
    A = left @ (left.T if symmetric else rng.normal(size=(rank, n)))
    B, X, work, order = rng.normal(size=(n, k)), np.zeros((n, k)), np.zeros(2 * n * n + n * k), np.zeros(n, dtype=np.int32)
    pointers = [ctypes.c_void_p(address(array)) for array in (A, B, X, work, order)]
    found = least(n, pointers[0], k, pointers[1], ctypes.c_double(1e-11), *pointers[2:], int(symmetric))
    wanted, _, known, _ = np.linalg.lstsq(A, B, rcond=1e-11)
    assert found == known == rank
    # The condition of a random matrix of this size is below 1e4.
    assert np.abs(X - wanted).max() < 1e-10 * max(1.0, float(np.abs(wanted).max()))
