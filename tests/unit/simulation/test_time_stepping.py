"""Moreau-Jean time-stepping in batches: closed forms, event-driven runs, energy, friction, targets, and what is refused."""

import dataclasses
import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import locomotor as lm
from locomotor.catalogue.compass_walker import GARCIA_CYCLE
from locomotor.errors import CompileError, ContactLawError, InconsistentStartError, ModelError, UnknownNameError
from locomotor.model import Body, Coupling, Gravity, Motion, Persistent, Plane, Prismatic, SlidingPoint, System, Unilateral
from locomotor.simulation.stepping.time_stepping import SteppedSystem, compile_stepping
from locomotor.tracing.contacts.event_steps import EventSettings
from locomotor.tracing.contacts.settings import ContactSettings

Array = NDArray[np.float64]
G = 9.81


def stepped(system: System, **options: Any) -> SteppedSystem:
    """Interpreted: quick enough for one instance, and nothing to compile."""
    return compile_stepping(system, "time-stepping", **{"target": "interpreter", **options})


def end_of(run: lm.Run, compiled: SteppedSystem) -> Array:
    """Final state of a run in the order of a stepped system; modes left out."""
    names = compiled.state_names[: len(compiled.state_names) - len(compiled.stepping.flight.remembered)]
    return np.array([run[name][-1] for name in names])


def test_a_closed_contact_is_not_let_go_by_a_short_step_after_its_condition() -> None:
    """Steps of curved motions leave gaps of nanometres. In a far shorter one it falls by less: it rests all the same."""
    block = System(
        "block",
        bodies=(Body("block", 2.0, inertia=(0.01, 0.01, 0.01)),),
        joints=(Prismatic(name="z", parent="world", child="block", axis=(0.0, 0.0, 1.0)),),
        contacts=(SlidingPoint("foot", "block", at=(0.0, 0.0, 0.0), law=Unilateral(when="1 - t")),),
        forces=(Gravity((0.0, 0.0, -G)),),
    )
    compiled = stepped(block)
    last = compiled.rollout(np.array([1e-9, 0.0, 1.0]), 10, 1e-6, start_time=2.0, save_every=0).final
    assert compiled.state_names[-1] == "foot_closed" and last[-1] == 1.0 and abs(last[1]) < 1e-12


# -- closed forms ---------------------------------------------------------------------------------------------


def height_of_ball(t: Array, e: float, drop: float = 1.0) -> Array:
    """Height above the floor of a ball that bounces with restitution e."""
    found = np.zeros_like(t)
    begin, speed = -math.sqrt(2 * drop / G), G * math.sqrt(2 * drop / G)
    while speed > 1e-6:
        end = begin + 2 * speed / G
        inside = (t >= begin) & (t < end)
        found[inside] = speed * (t[inside] - begin) - 0.5 * G * (t[inside] - begin) ** 2
        begin, speed = end, e * speed
    return found


def test_a_bouncing_ball_converges_to_its_closed_form_with_first_order() -> None:
    compiled = stepped(lm.catalogue.bouncing_ball(restitution=0.8))
    start = compiled.start({"z": 1.1, "speed": 1.0})
    errors = []
    for steps in (375, 750, 1500, 3000):
        result = compiled.rollout(start, steps, 3.0 / steps)
        errors.append(np.abs(result["z"] - 0.1 - height_of_ball(result.times, 0.8)).mean())
        assert result.status == 0 and abs(result.final[0] - 3.0) < 1e-9  # bounces leave the motion along the floor alone
        # An impact is noticed up to a step late, inside by as much as the ball falls until then.
        assert result["z"].min() > 0.1 - 1.1 * math.sqrt(2 * G) * 3.0 / steps
    assert errors[-1] < 2.5e-3 and errors[0] / errors[-1] > 5.0  # eight times the steps; measured 2.1e-3 and 9


def test_an_elastic_ball_keeps_its_energy() -> None:
    """The work of the contact, L (u + u+)/2, vanishes identically: only round-off is left, for any step."""
    compiled = stepped(lm.catalogue.bouncing_ball(restitution=1.0))
    result = compiled.rollout(compiled.start({"z": 1.1}), 2000, 0.02)
    energy = 0.5 * (result.states[:, 7:10] ** 2).sum(axis=1) + G * result["z"]
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-9
    assert np.sum(np.diff(np.sign(result["heave_speed"])) > 0) > 30


def test_a_ball_that_has_bounced_enough_rolls_on() -> None:
    law = lm.Unilateral(restitution=0.5, tangential=-1.0)
    floor = lm.RollingSphere("floor", body="ball", centre=(0, 0, 0), radius="r", law=law)
    compiled = stepped(lm.catalogue.bouncing_ball().replace(contacts=(floor,)))
    end = compiled.rollout(compiled.start({"z": 0.3, "speed": 1.0}), 3000, 1e-3, save_every=0).final
    speed = math.hypot(end[7], end[9])
    assert abs(speed - 0.1 * abs(end[11])) < 1e-5  # it rolls without slipping, to O(h²)
    assert abs(speed - 5.0 / 7.0) < 2e-3  # what is left when a sliding ball is made to roll at once
    assert abs(end[2] - 0.1) < 1e-6


# -- against event-driven simulation ---------------------------------------------------------------------------


def test_a_bicycle_that_stays_on_the_ground_is_of_second_order() -> None:
    bike = lm.catalogue.bicycle("mauny2018", contacts="unilateral")
    start = {"speed": 4.6, "roll_rate": -0.5}
    run = lm.simulate(bike, duration=0.5, start=start, closed=["rear", "front"], step=0.001)
    compiled = stepped(bike)
    x0, wanted = compiled.start(start, closed=["rear", "front"]), end_of(run, compiled)
    errors = [np.abs(compiled.rollout(x0, n, 0.5 / n, save_every=0).final - wanted).max() for n in (125, 250, 500)]
    assert errors[-1] < 1e-5
    assert all(3.5 < a / b < 4.5 for a, b in pairwise(errors)), errors


@pytest.mark.parametrize(
    ("make", "start", "closed", "duration", "share"),
    [
        # Test 4 of the thesis: the front wheel, spinning backwards at 200 rad/s, lands, the rear one is thrown up and
        # lands later. An instant that is wrong by h turns the front wheel by 200 h more; the rest is of order 1.
        (
            lambda: lm.catalogue.bicycle("mauny2018", contacts="unilateral"),
            {"z": 0.3, "pitch": -0.174, "front_wheel_rate": -200.0},
            None,
            0.8,
            200.0,
        ),
        (lm.catalogue.rimless_wheel, {"pitch_rate": 1.5}, ["foot_0"], 1.0, 12.0),
        (lm.catalogue.supported_bar, {"along": 0.3}, ["left", "right"], 0.6, 1e-9),
        (lambda: lm.catalogue.supported_bar(sticking=False), {"along": 0.7}, ["left", "right"], 0.6, 5.0),
    ],
    ids=["bicycle T4", "rimless wheel", "supported bar", "bar hit outside"],
)
@pytest.mark.sampled(1)
def test_impacts_are_those_of_event_driven_runs_to_first_order(
    make: Any, start: dict[str, float], closed: list[str] | None, duration: float, share: float
) -> None:
    """Errors are at most `share` times the step, whatever the step."""
    system = make()
    run = lm.simulate(system, duration=duration, start=start, step=0.002, **({"closed": closed} if closed else {}))
    compiled = stepped(system)
    x0, wanted = compiled.start(start, closed=closed), end_of(run, compiled)
    for h in (2e-3, 5e-4):
        end = compiled.rollout(x0, round(duration / h), h, save_every=0).final
        assert np.abs(end - wanted).max() < share * h, h


def test_a_driven_wheel_leaves_the_ground_when_it_would_have_to_pull() -> None:
    """The rear wheel of a wheelie could rise before it pulls: both modes are possible then, and it stays as in a run."""
    bike = lm.catalogue.bicycle("mauny2018", contacts="unilateral")
    start, closed = {"rear_wheel_rate": 10.0}, ["rear", "front"]
    run = lm.simulate(bike, duration=0.5, start=start, closed=closed, inputs={"rear_wheel_torque": 150.0}, step=0.0005)
    assert [event.kind for event in run.events][:2] == ["lift-off", "lift-off"]
    compiled = stepped(bike)
    inputs = [150.0 if name == "rear_wheel_torque" else 0.0 for name in compiled.input_names]
    for h in (2e-3, 5e-4):
        result = compiled.rollout(compiled.start(start, closed=closed), round(0.5 / h), h, inputs=inputs, channels=("x",))
        # The wheel spins up with 1.3e3 rad/s² once it is free, so that a step later is 1 m/s h; too early were 8e-3 m.
        assert abs(result["x"][-1] - run["x"][-1]) < 5e-4


@pytest.mark.slow
def test_the_elastic_bicycle_of_test_1() -> None:
    """Five impacts, three of them hard, on an incline: errors are magnified, but fall with the step."""
    bike = lm.catalogue.bicycle("mauny2018", contacts="unilateral", restitution=1.0, tangential=1.0)
    incline = math.radians(15.0)
    bike = bike.replace(grounds=(Plane(normal=(math.sin(incline), 0.0, math.cos(incline))),))
    start = {"z": 0.4, "speed": 3.0, "roll": 0.174}
    run = lm.simulate(bike, duration=0.9, start=start, step=0.0005, ends=None)
    compiled = stepped(bike, target="c")
    x0, wanted = compiled.start(start), end_of(run, compiled)
    errors = [np.abs(compiled.rollout(x0, n, 0.9 / n, save_every=0).final - wanted).max() for n in (900, 3600, 14400)]
    # Rates of the wheels are 15 rad/s; measured 0.24, 0.07, 0.018.
    assert errors[0] < 0.5 and errors[1] < 0.15 and errors[2] < 0.04
    result = compiled.rollout(x0, 3600, 0.9 / 3600, channels=("kinetic_energy", "potential_energy"))
    energy = result.states.sum(axis=1)
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-5  # second order in the step, 2.5e-4: measured 1e-6


@pytest.mark.slow
def test_a_walker_keeps_its_gait() -> None:
    """Three steps of the walker: a foot is an impact to first order, its swing through the ground is let pass."""
    walker = lm.catalogue.compass_walker()
    run = lm.simulate(walker, duration=12.0, start=GARCIA_CYCLE, closed=["foot_a"], step=0.01)
    compiled = stepped(walker)
    assert compiled.state_names[-2:] == ("foot_a_closed", "foot_b_closed")
    x0 = compiled.start(GARCIA_CYCLE, closed=["foot_a"])
    end = compiled.rollout(x0, 6000, 0.002, save_every=0).final
    assert end[-2:].tolist() == [0.0, 1.0]
    assert np.abs(end[:-2] - end_of(run, compiled)).max() < 10 * 0.002  # measured 5.6 steps


def piston() -> System:
    """A trunk on a leg of imposed length that jumps from and lands on the ground."""
    return System(
        "piston",
        [Body("trunk", 2.0, inertia=(1.0, 1.0, 1.0)), Body("foot", 0.5, inertia=(1.0, 1.0, 1.0))],
        [
            Prismatic(name="up", parent="world", child="trunk", axis=(0, 0, 1)),
            Prismatic(name="leg", parent="trunk", child="foot", axis=(0, 0, -1), drive=Motion("0.5 + 0.05*sin(15*t)")),
        ],
        contacts=[SlidingPoint("ground_contact", "foot", at=(0, 0, 0), law=Unilateral())],
        forces=[Gravity((0, 0, -G))],
        nominal={"up": 0.5},
    )


def wheelie() -> System:
    """The bicycle whose rear wheel never leaves the ground."""
    bike = lm.catalogue.bicycle("mauny2018", contacts="unilateral")
    rear, front = bike.contacts
    return bike.replace(contacts=(dataclasses.replace(rear, law=Persistent()), front))


@pytest.mark.parametrize(
    ("make", "start", "duration", "share"),
    [(piston, {"up": 0.5}, 0.7, 15.0), (wheelie, {"pitch": -0.2, "speed": 3.0, "roll_rate": 0.1}, 0.6, 20.0)],
    ids=["imposed motion", "persistent contact"],
)
def test_what_is_imposed_or_persistent_stays_exact(make: Any, start: dict[str, float], duration: float, share: float) -> None:
    system = make()
    run = lm.simulate(system, duration=duration, start=start, step=0.001)
    compiled = stepped(system)
    names = compiled.state_names
    x0 = compiled.start(start)
    for h in (2e-3, 5e-4):
        result = compiled.rollout(x0, round(duration / h), h, save_every=0)
        wanted = np.array([run[name][-1] for name in names])
        assert result.status == 0 and np.abs(result.final - wanted).max() < share * h, h


# -- friction -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def boxes() -> SteppedSystem:
    return stepped(lm.catalogue.tumbling_box(), free=("mu", "slope"))


def test_a_box_slides_or_stays_as_friction_and_slope_say(boxes: SteppedSystem) -> None:
    """Acceleration g (sin - mu cos) while it slides; at rest it stays up to mu = tan(slope)."""
    slope = math.atan(0.5)
    cases = np.array([[0.4, 0.0], [0.4, 0.2], [0.45, slope], [0.51, slope], [0.55, slope]])
    speeds = np.array([1.0, 1.0, 0.0, 0.0, 0.0])
    states = np.tile(boxes.start(), (len(cases), 1))
    states[:, 7] = speeds
    h, duration = 1e-3, 0.2
    result = boxes.rollout(states, round(duration / h), h, parameters=cases)
    a = G * (np.sin(cases[:, 1]) - cases[:, 0] * np.cos(cases[:, 1]))
    expected = np.maximum(speeds + a * duration, 0.0)
    # Twelve sweeps leave an error of 1e-4 of the weight in the friction, near tan(slope) where it is hardest.
    assert np.abs(result.final[:, 7] - expected).max() < 2e-4
    assert np.abs(result.final[:, [8, 9]]).max() < 2e-5 and np.abs(result.final[:, 10:]).max() < 1e-4
    assert np.abs(result["z"] - 0.1).max() < 1e-6
    assert np.abs(result.final[3:, 0]).max() < duration * STILL  # it has not crept
    distance = speeds * duration + 0.5 * a * duration**2
    moving = expected > 0.0
    assert np.abs(result.final[:, 0] - distance)[moving].max() < 1e-4


STILL = 1e-12
"""m/s and rad/s: a body inside its cones does not creep."""


@pytest.mark.parametrize("sweeps", [1, 12])
def test_a_box_inside_its_cones_does_not_creep(sweeps: int) -> None:
    """Four corners, twelve rows on six velocities, up to 0.05 % below tan(slope), whatever the number of sweeps.

    Shared out evenly the friction would be more than the upper corners can have: they carry less.
    """
    compiled = stepped(lm.catalogue.tumbling_box(), free=("mu", "slope"), settings=ContactSettings(sweeps=sweeps))
    cases = np.array([(share * math.tan(slope) + 1e-9, slope) for slope in (0.0, 0.1, 0.4) for share in (1.0005, 1.02, 3.0)])
    states = np.tile(compiled.start(), (len(cases), 1))
    result = compiled.rollout(states, 20, 2e-3, parameters=cases)
    assert np.abs(result.states[:, :, 7:]).max() < STILL
    assert np.abs(result.final[:, :3] - states[:, :3]).max() < 20 * 2e-3 * STILL
    slides = compiled.rollout(states[:1], 20, 2e-3, parameters=np.array([0.98 * math.tan(0.4), 0.4]))
    wanted = 20 * 2e-3 * G * 0.02 * math.sin(0.4)
    # It does slide; how fast from rest, so near the edge, depends on the sweeps.
    assert slides.final[0, 7] > 0.5 * wanted and (sweeps == 1 or slides.final[0, 7] < 1.5 * wanted)


def test_a_sliding_box_that_has_stopped_stays(boxes: SteppedSystem) -> None:
    states = np.tile(boxes.start(), (3, 1))
    states[:, 7:9] = [(0.3, 0.0), (0.2, 0.1), (0.0, -0.3)]
    result = boxes.rollout(states, 90, 1e-3, parameters=np.array([0.5, 0.0]))
    assert np.abs(result.final[:, 7:]).max() < STILL


def test_a_sliding_box_stops_when_its_energy_is_used_up(boxes: SteppedSystem) -> None:
    states = np.tile(boxes.start(), (8, 1))
    states[:, 7] = np.linspace(0.3, 1.0, 8)
    result = boxes.rollout(states, 300, 1e-3, parameters=np.array([0.5, 0.0]))
    assert np.abs(result.final[:, 7:]).max() < STILL
    assert np.abs(result.final[:, 0] - states[:, 7] ** 2 / (2 * 0.5 * G)).max() < 1e-3  # the last step ends within a step


@pytest.mark.slow
def test_a_bowling_ball_in_a_batch_rolls_when_its_slip_is_used_up() -> None:
    """Slip ends after 2 v0/(7 mu g), within a step, and the ball rolls on with 5/7 v0.

    Its velocity is that of the turning body, and turns by 0.05 rad in a step of 1 ms: second order.
    """
    rolls = 2.0 * 6.0 * 0.11**2 / 5.0
    ball = System(
        "bowling_ball",
        bodies=(Body("ball", 6.0, inertia=(rolls,) * 3),),
        joints=(lm.Free(name="base", parent="world", child="ball"),),
        contacts=(lm.RollingSphere("lane", "ball", centre=(0, 0, 0), radius=0.11, law=Unilateral(friction="mu")),),
        forces=(Gravity((0.0, 0.0, -G)),),
        parameters=(lm.Parameter("mu", 0.1),),
        nominal={"z": 0.11},
    )
    compiled = stepped(ball, free=("mu",))
    speeds, frictions = np.array([8.0, 8.0, 3.0]), np.array([0.2, 0.4, 0.3])
    states = np.tile(compiled.start({"z": 0.11}), (3, 1))
    states[:, compiled.state_names.index("speed")] = speeds
    errors = []
    for h in (1e-3, 5e-4):
        result = compiled.rollout(states, round(1.3 / h), h, parameters=frictions[:, None])
        forward = np.diff(np.asarray(result["x"]), axis=1) / h
        errors.append(np.abs(forward[:, -1] - 5 / 7 * speeds).max())
        ends = h * (np.abs(forward - forward[:, -1:]) > 1e-2).sum(axis=1)
        assert np.abs(ends - 2 * speeds / (7 * frictions * G)).max() < 0.01 / (frictions.min() * G) + 2 * h
    assert errors[0] < 2e-3 and errors[1] < 0.3 * errors[0]


@pytest.mark.slow
def test_thrown_boxes_lose_energy(boxes: SteppedSystem, rng: np.random.Generator) -> None:
    """Impacts of boxes only lose energy; what closes a gap of up to u h/2 lifts the box by as much."""
    states = np.tile(boxes.start({"z": 0.6}), (16, 1))
    q = rng.standard_normal((16, 4))
    states[:, 3:7] = q / np.linalg.norm(q, axis=1, keepdims=True)
    states[:, 7:10] = rng.uniform(-2, 2, (16, 3))
    states[:, 10:13] = rng.uniform(-5, 5, (16, 3))
    h = 2e-3
    result = boxes.rollout(states, 350, h, parameters=np.array([0.5, 0.0]), channels=("kinetic_energy", "potential_energy"))
    energy = result.states.sum(axis=2)
    fastest = 6.0
    assert np.diff(energy, axis=1).max() < G * fastest * h / 2
    assert (energy - energy[:, :1]).max() < 1e-3 and (energy[:, 0] - energy[:, -1]).min() > 0.5
    assert not result.status.any()


@pytest.mark.slow
@pytest.mark.parametrize("restitution", [0.5, 1.0])
def test_friction_and_restitution_together_make_no_energy(restitution: float, rng: np.random.Generator) -> None:
    """Newton's law alone would make 2 J of 6 J in these throws."""
    compiled = compile_stepping(lm.catalogue.tumbling_box(restitution=restitution), settings=ContactSettings(sweeps=8))
    states = np.tile(compiled.start({"z": 0.6}), (128, 1))
    q = rng.standard_normal((128, 4))
    states[:, 3:7] = q / np.linalg.norm(q, axis=1, keepdims=True)
    states[:, 7:10] = rng.uniform(-2, 2, (128, 3))
    result = compiled.rollout(states, 1500, 1e-3, channels=("kinetic_energy", "potential_energy"))
    energy = result.states.sum(axis=2)
    assert (energy - energy[:, :1]).max() < 0.01


def test_impulses_of_a_resting_box_carry_it(boxes: SteppedSystem) -> None:
    x = boxes.start()
    impulses, gaps = boxes.stepping.impulses(np.zeros(1), x, np.zeros(0), np.array([0.5, 0.1]), np.array([1e-3]))
    normal = impulses.reshape(8, 3)
    assert abs(normal[:, 0].sum() - G * math.cos(0.1) * 1e-3) < 1e-8
    assert np.abs(normal[:, 1:].sum(axis=0) - [-G * math.sin(0.1) * 1e-3, 0.0]).max() < 1e-7
    assert np.abs(np.sort(gaps) - np.array([0.0] * 4 + [0.2] * 4)).max() < 1e-12


# -- batches --------------------------------------------------------------------------------------------------


def agree(system: System, kind: str, start: dict[str, float], closed: list[str] | None, h: float) -> None:
    """Interpreter, C and SIMD after one step, from states around one."""
    finals = []
    states: Array | None = None
    for target in ("interpreter", "c", "simd"):
        compiled = compile_stepping(system, kind, target=target)
        if states is None:
            x0 = compiled.start(start, closed=closed)
            nq, n = compiled.traced.nq, len(compiled.traced.reduction.free)
            states = np.tile(x0, (11, 1))
            states[:, nq : nq + n] *= 1.0 + 1e-3 * np.linspace(-1, 1, 11)[:, None]
        finals.append(compiled.rollout(states, 1, h, save_every=0).final)
    scale = max(1.0, float(np.abs(finals[0]).max()))
    for final in finals[1:]:
        assert np.abs(final - finals[0]).max() < 1e-12 * scale


def test_targets_agree() -> None:
    agree(lm.catalogue.bouncing_ball(), "time-stepping", {"z": 0.1001, "heave_speed": -2.0, "speed": 1.0}, None, 1e-3)
    agree(lm.catalogue.compass_walker(), "time-stepping", GARCIA_CYCLE, ["foot_a"], 1e-3)


@pytest.mark.slow
def test_targets_agree_for_larger_systems() -> None:
    bike = lm.catalogue.bicycle("mauny2018", contacts="unilateral")
    agree(bike, "time-stepping", {"speed": 4.6, "roll_rate": -0.5}, ["rear", "front"], 1e-3)
    agree(lm.catalogue.rimless_wheel(), "time-stepping", {"pitch_rate": 1.5}, ["foot_0"], 1e-3)
    agree(lm.catalogue.tumbling_box(), "time-stepping", {"speed": 1.0}, None, 1e-3)


def test_one_bad_instance_among_ten_thousand_disturbs_nobody(rng: np.random.Generator) -> None:
    compiled = compile_stepping(lm.catalogue.bouncing_ball())
    states = np.tile(compiled.start({"z": 0.3}), (10_000, 1))
    states[:, 2] += rng.uniform(0.0, 0.5, 10_000)
    good = compiled.rollout(states, 100, 5e-3, save_every=0)
    broken = states.copy()
    broken[4321, 2], broken[77, 9] = np.nan, 1e200
    bad = compiled.rollout(broken, 100, 5e-3, save_every=0)
    others = np.setdiff1d(np.arange(10_000), [77, 4321])
    assert np.array_equal(good.final[others], bad.final[others])
    assert bad.status[4321] == 2 and not bad.status[others].any()


def test_channels_measures_and_ends() -> None:
    compiled = stepped(lm.catalogue.bouncing_ball())
    states = np.tile(compiled.start({"z": 0.6}), (3, 1))
    states[:, 2] += [0.0, 0.1, 0.2]
    result = compiled.rollout(
        states,
        400,
        2e-3,
        channels=("floor_gap", "z"),
        measures={"highest": lm.Maximum("floor_gap"), "first": lm.FirstTime("-floor_gap")},
        ends={"far": "0.75 - z"},
    )
    assert np.abs(result["floor_gap"] - result["z"] + 0.1)[:2].max() < 1e-12
    assert result.status.tolist() == [0, 0, 1] and result.reasons[2] == "far"
    assert np.abs(result.measures["highest"][:2] - [0.5, 0.6]).max() < 1e-12
    fall = np.sqrt(2 * np.array([0.5, 0.6]) / G)
    assert np.abs(result.measures["first"][:2] - fall).max() < 2 * 2e-3


def test_parameters_may_vary() -> None:
    compiled = compile_stepping(lm.catalogue.bouncing_ball(), free=("g",), target="interpreter")
    states = np.tile(compiled.start({"z": 1.1}), (2, 1))
    end = compiled.rollout(states, 100, 1e-3, parameters=np.array([[9.81], [1.62]]), save_every=0).final
    assert np.abs(1.1 - end[:, 2] - 0.5 * np.array([9.81, 1.62]) * 0.01).max() < 1e-12


def test_random_states_are_started_one_by_one() -> None:
    compiled = stepped(lm.catalogue.compass_walker())
    ranges = {"leg_a_rate": (0.19, 0.21)}
    few, many = (compiled.random_states(n, ranges, start=GARCIA_CYCLE, seed=3, closed=["foot_a"]) for n in (4, 9))
    assert np.array_equal(few, many[:4]) and (many[:, -2] == 1.0).all()
    rates = many[:, compiled.state_names.index("leg_a_rate")]
    assert len(set(rates)) == 9 and 0.19 <= rates.min() < rates.max() <= 0.21
    with pytest.raises(ValueError, match="range of 'leg_a_rate'"):
        compiled.random_states(2, {"leg_a_rate": (1.0, 0.0)})


# -- what is refused ------------------------------------------------------------------------------------------


def test_what_time_stepping_cannot_say_is_refused() -> None:
    for system, words in (
        (lm.catalogue.bicycle(), "no contact opens"),
        (lm.catalogue.rocr(), "contacts='events'"),
    ):
        with pytest.raises(ContactLawError, match=words):
            stepped(system)
    with pytest.raises(UnknownNameError, match="time-stepping"):
        compile_stepping(lm.catalogue.bouncing_ball(), "time stepping")
    with pytest.raises(CompileError, match="ContactSettings"):
        compile_stepping(lm.catalogue.bouncing_ball(), settings=EventSettings())
    with pytest.raises(CompileError, match="cuda"):
        compile_stepping(lm.catalogue.bouncing_ball(), precision="float32")
    with pytest.raises(ModelError, match="sweeps is 0"):
        ContactSettings(sweeps=0)
    with pytest.raises(InconsistentStartError, match="inside its ground"):
        stepped(lm.catalogue.bouncing_ball()).start({"z": 0.05})


def test_friction_is_checked() -> None:
    with pytest.raises(ContactLawError, match=r"friction is -0\.1"):
        Unilateral(friction=-0.1)
    with pytest.raises(ContactLawError, match=r"friction is -0\.5"):
        lm.catalogue.tumbling_box().with_parameters(mu=-0.5)
    box = lm.catalogue.tumbling_box()
    contact = box.contacts[0]
    wrong = dataclasses.replace(contact, law=Unilateral(friction="nu"))
    with pytest.raises(UnknownNameError, match="'nu', which is no parameter"):
        box.replace(contacts=(wrong,))


def test_a_stop_is_a_contact() -> None:
    """A mass on a spring against a stop with restitution: its gap is a coordinate."""
    system = System(
        "buffer",
        [Body("mass", 1.0, inertia=(1.0, 1.0, 1.0))],
        [Prismatic(name="along", parent="world", child="mass", axis=(1, 0, 0))],
        constraints=[Coupling("stop", "0.2 - along", law=Unilateral(restitution=0.5))],
    )
    compiled = stepped(system)
    end = compiled.rollout(compiled.start({"along": 0.0, "along_rate": 1.0}), 400, 1e-3, save_every=0).final
    assert abs(end[1] + 0.5) < 1e-12 and abs(end[0] - 0.1) < 1e-3


@pytest.mark.parametrize(("mass", "disc"), [(0.005, False), (0.5, False), (0.005, True)])
def test_a_car_on_light_wheels_slides_sideways_as_friction_brakes_it(mass: float, disc: bool) -> None:
    """v = v0 - mu g t whatever its wheels weigh: they turn a thousand times more easily than the car moves aside."""
    law, radius, mu, speed, h = lm.Unilateral(friction=0.5), 0.1, 0.5, 0.3, 0.004
    bodies = [lm.Body("car", 100.0, inertia=(5.0, 8.0, 10.0))]
    joints: list[Any] = [lm.Free(name="base", parent="world", child="car")]
    contacts = []
    for k, at in enumerate([(-0.5, -0.3, 0.0), (-0.5, 0.3, 0.0), (0.5, -0.3, 0.0), (0.5, 0.3, 0.0)]):
        turn = mass * radius**2
        bodies.append(lm.Body(f"wheel_{k}", mass, inertia=(turn / 2, turn, turn / 2)))
        joints.append(lm.Revolute(name=f"axle_{k}", parent="car", child=f"wheel_{k}", at=at, axis=(0, 1, 0)))
        tyre, wheel = f"tyre_{k}", f"wheel_{k}"
        ball = lm.RollingSphere(tyre, wheel, (0, 0, 0), radius, law=law)
        contacts.append(lm.RollingDisc(tyre, wheel, (0, 0, 0), (0, 1, 0), radius, law=law) if disc else ball)
    car = lm.System("car", bodies, joints, contacts=contacts, forces=[lm.Gravity((0, 0, -9.81))], nominal={"z": radius})
    compiled = lm.compile(car, contacts="time-stepping", target="interpreter")
    run = compiled.rollout(compiled.start({"z": radius, "sway_speed": speed}), 20, h)
    found, times = np.ravel(run["sway_speed"]), h * np.arange(21)
    assert found == pytest.approx(np.maximum(speed - mu * 9.81 * times, 0.0), abs=1e-6)
