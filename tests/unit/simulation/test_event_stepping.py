"""Steps that find events: against event-driven runs to fourth order, gaits, grips, rest after bounces, targets, refusals."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import locomotor as lm
from locomotor.catalogue.compass_walker import GARCIA_CYCLE
from locomotor.errors import ContactLawError, ModelError
from locomotor.model import System
from locomotor.simulation.stepping.time_stepping import SteppedSystem, compile_stepping
from locomotor.tracing.contacts.event_steps import EventSettings

Array = NDArray[np.float64]
G = 9.81


def stepped(system: System, **options: Any) -> SteppedSystem:
    """Interpreted: quick enough for one instance, and nothing to compile."""
    return compile_stepping(system, "events", **{"target": "interpreter", **options})


CASES: dict[str, tuple[Any, dict[str, float], list[str] | None, float, tuple[int, ...], float]] = {
    # system, start, closed, duration, steps, error with the most steps
    "compass walker": (lm.catalogue.compass_walker, GARCIA_CYCLE, ["foot_a"], 12.0, (300, 600), 1e-8),
    "rimless wheel": (lm.catalogue.rimless_wheel, {"pitch_rate": 1.5}, ["foot_0"], 2.0, (50, 100), 2e-6),
    "climbing robot": (lm.catalogue.rocr, {}, None, 2.9, (290, 580), 1e-6),
    "bicycle T4": (
        lambda: lm.catalogue.bicycle("mauny2018", contacts="unilateral"),
        {"z": 0.3, "pitch": -0.174, "front_wheel_rate": -200.0},
        None,
        0.8,
        (100, 200),
        1e-7,
    ),
    "bouncing ball": (lm.catalogue.bouncing_ball, {"z": 1.1, "speed": 1.0}, None, 2.0, (100, 200), 1e-9),
    "supported bar": (lm.catalogue.supported_bar, {"along": 0.3}, ["left", "right"], 0.6, (30, 60), 1e-9),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.slow
def test_motions_are_those_of_event_driven_runs(name: str) -> None:
    """To fourth order: half the step leaves less than a sixth of the error, or what was to be reached is reached."""
    make, start, closed, duration, steps, least = CASES[name]
    system = make()
    run = lm.simulate(system, duration=duration, start=start, step=duration / 1200, **({"closed": closed} if closed else {}))
    compiled = stepped(system)
    x0 = compiled.start(start, closed=closed)
    wanted = np.array([run[name][-1] for name in compiled.state_names])
    errors = [np.abs(compiled.rollout(x0, n, duration / n, save_every=0).final - wanted).max() for n in steps]
    assert errors[-1] < least
    assert errors[-1] < errors[0] / 6.0 or errors[0] < least


@pytest.mark.slow
def test_the_rimless_wheel_finds_its_steady_rate() -> None:
    """Before an impact omega² = 4 m g l sin(a) sin(slope)/((J + m l²)(1 - eta²)) (McGeer 1990)."""
    compiled = stepped(lm.catalogue.rimless_wheel())
    x0 = compiled.start({"pitch_rate": 1.5}, closed=["foot_0"])
    result = compiled.rollout(x0, 2500, 0.01)  # some 30 impacts: deviations shrink by eta² at each
    J, a, slope = 0.2, math.pi / 8, 0.08
    eta = (J + math.cos(2 * a)) / (J + 1.0)
    before = math.sqrt(4 * G * math.sin(a) * math.sin(slope) / (J + 1.0) / (1 - eta**2))
    rate = result["pitch_rate"][-400:]
    fall = int(np.argmin(np.diff(rate)))  # the step with an impact in it
    # Energy gives the rate at the impact from that at the sample before: the stance leg is an inverted pendulum.
    pitch = result["pitch"][-400:][fall]
    foot = round(pitch / (2 * a))
    lean = pitch - foot * 2 * a + slope
    at_impact = math.sqrt(rate[fall] ** 2 + 2 * G / (J + 1.0) * (math.cos(lean) - math.cos(a + slope)))
    assert abs(at_impact - before) < 1e-6
    modes = result.states[-1, -8:]
    assert modes.sum() == 1.0 and set(modes) == {0.0, 1.0}


def test_a_walker_repeats_its_gait() -> None:
    """After two steps of the walker, both legs are back: to the precision of the published numbers, 1e-11, magnified."""
    compiled = stepped(lm.catalogue.compass_walker())
    x0 = compiled.start(GARCIA_CYCLE, closed=["foot_a"])
    result = compiled.rollout(x0, 1200, 0.01)
    struck = np.flatnonzero(np.diff(result["foot_a_closed"]) > 0)
    assert len(struck) == 1 and abs(result.times[struck[0] + 1] - 2 * 3.882463) < 0.02
    assert set(np.unique(result["foot_a_closed"] + result["foot_b_closed"])) == {1.0}  # the old foot leaves at once


def test_the_climbing_robot_climbs_as_fast_as_in_a_run() -> None:
    robot = lm.catalogue.rocr()
    compiled = stepped(robot)
    end = compiled.rollout(compiled.start(), 1000, 0.01, save_every=0, measures={"height": lm.Final("y")})
    run = lm.simulate(robot, duration=10.0, step=0.005)
    speed = end.measures["height"] / 10.0
    assert abs(speed - run["y"][-1] / 10.0) < 1e-6
    assert 0.25 < speed < 0.3


def test_a_ball_comes_to_rest_when_its_bounces_are_shorter_than_a_step() -> None:
    compiled = stepped(lm.catalogue.bouncing_ball(restitution=0.5, tangential=0.0))
    result = compiled.rollout(compiled.start({"z": 0.3}), 400, 2e-3)
    gap = result["z"] - 0.1
    assert result["floor_closed"][-1] == 1.0 and np.abs(gap[-50:]).max() < 1e-9
    stops = math.sqrt(2 * 0.2 / G) * 3.0  # sqrt(2 h/g) (1 + e)/(1 - e)
    first = result.times[np.argmax(result["floor_closed"] > 0.5)]
    assert -5 * 2e-3 < first - stops < 2e-3  # bounces of fewer than two steps are left out
    assert gap.min() > -1e-9


def test_two_events_in_a_step() -> None:
    """With two events a step, two bounces within one long step are both found."""
    ball = lm.catalogue.bouncing_ball(restitution=0.9)
    start, h = {"z": 0.1 + 0.5 * G * 0.01**2, "heave_speed": 0.0}, 0.03
    run = lm.simulate(ball, duration=h, start=start, step=1e-4)
    assert len(run.events.of(kind="impact")) == 2
    errors = []
    for events in (1, 2):
        compiled = stepped(ball, settings=EventSettings(events=events, shortest_bounce=0.0))
        end = compiled.rollout(compiled.start(start), 1, h).final
        errors.append(abs(end[2] - run["z"][-1]))
    assert errors[1] < 1e-12 < errors[0]


@pytest.mark.slow
def test_lift_off_and_landing_under_a_pulse() -> None:
    """A torque on the rear wheel lifts the front one; when it ends the wheel lands: modes both, rear, both."""
    bike = lm.catalogue.bicycle("mauny2018", contacts="unilateral")
    start = {"speed": 4.6}
    compiled = stepped(bike)
    x0 = compiled.start(start, closed=["rear", "front"])
    inputs = np.zeros((400, 3))
    inputs[20:60, 2] = 200.0
    result = compiled.rollout(x0, 400, 2.5e-3, inputs=inputs)
    front, rear = result["front_closed"], result["rear_closed"]
    assert rear.min() == 1.0 and front[:20].min() == 1.0 and front[22:60].max() == 0.0 and front[-1] == 1.0
    law = "if_else(less(t, 0.05), 0, if_else(less(t, 0.15), 200.0, 0))"
    run = lm.simulate(bike, duration=1.0, start=start, closed=["rear", "front"], inputs={"rear_wheel_torque": law}, step=1e-3)
    assert abs(result["speed"][-1] - run["speed"][-1]) < 1e-6


def eccentric_wheel() -> System:
    """A wheel that rolls with its mass near its rim: fast enough, no mode is consistent (Painlevé)."""
    return System(
        "wheel",
        [lm.Body("w", mass=1.0, com=(0.08, 0, 0), inertia=(0.01, 0.01, 0.01))],
        [lm.Free(name="base", parent="world", child="w")],
        contacts=[lm.RollingSphere("tread", body="w", centre=(0, 0, 0), radius=0.1, law=lm.Unilateral())],
        forces=[lm.Gravity()],
    )


@pytest.mark.parametrize("events", [1, 2])
def test_a_step_without_a_consistent_mode_ends_the_instance(events: int) -> None:
    """Where `simulate` ends too; a slower wheel beside it goes on."""
    wheel = eccentric_wheel()
    with pytest.warns(lm.RunWarning, match="no set of closed contacts"):
        run = lm.simulate(wheel, duration=0.6, start={"pitch_rate": 16.0, "z": 0.1}, closed=["tread"], step=0.001)
    compiled = stepped(wheel, settings=EventSettings(events=events))
    states = np.array([compiled.start({"pitch_rate": w, "z": 0.1}, closed=["tread"]) for w in (16.0, 3.0)])
    result = compiled.rollout(states, 600, 0.001, channels=("tread_gap",), ends={"far": "5 - x"})
    assert list(result.status) == [1, 0]
    assert result.reasons[0].startswith("tread: closed it would have to pull, open it would enter the ground")
    assert abs(result.completed[0] * 0.001 - run.time[-1]) < 1.1e-3
    assert np.nanmin(result["tread_gap"]) > -1e-9


@pytest.mark.slow
def test_a_wheel_that_no_impulse_stops_ends_the_instance() -> None:
    """A front wheel that spins forwards at 200 rad/s would be pulled into the ground by the impact that stops its rim."""
    bike = lm.catalogue.bicycle("mauny2018", contacts="unilateral")
    starts = [{"z": 0.3, "pitch": -0.174, "front_wheel_rate": rate} for rate in (200.0, -200.0)]
    with pytest.warns(lm.RunWarning):
        run = lm.simulate(bike, duration=0.8, start=starts[0], step=0.002)
    assert not run.status.ok
    compiled = stepped(bike)
    result = compiled.rollout(np.array([compiled.start(start) for start in starts]), 100, 0.008, channels=("front_gap",))
    assert list(result.status) == [1, 0] and result.reasons[0].startswith("front: ")
    assert abs(result.completed[0] * 0.008 - run.time[-1]) < 0.0081
    assert np.nanmin(result["front_gap"][0]) > -1e-6


def agree(system: System, start: dict[str, float], closed: list[str] | None, h: float) -> None:
    """Interpreter, C and SIMD after one step, from states around one."""
    finals: list[Array] = []
    states: Array | None = None
    for target in ("interpreter", "c", "simd"):
        compiled = compile_stepping(system, "events", target=target)
        if states is None:
            x0 = compiled.start(start, closed=closed)
            nq, n = compiled.traced.nq, len(compiled.traced.reduction.free)
            states = np.tile(x0, (11, 1))
            states[:, nq : nq + n] *= 1.0 + 1e-3 * np.linspace(-1, 1, 11)[:, None]
        finals.append(compiled.rollout(states, 1, h, save_every=0).final)
    for final in finals[1:]:
        assert np.abs(final - finals[0]).max() < 1e-12 * max(1.0, float(np.abs(finals[0]).max()))


@pytest.mark.slow
def test_targets_agree() -> None:
    agree(lm.catalogue.compass_walker(), GARCIA_CYCLE, ["foot_a"], 1e-2)


@pytest.mark.slow
def test_targets_agree_for_larger_systems() -> None:
    bike = lm.catalogue.bicycle("mauny2018", contacts="unilateral")
    agree(bike, {"speed": 4.6, "roll_rate": -0.5}, ["rear", "front"], 5e-3)
    agree(lm.catalogue.rimless_wheel(), {"pitch_rate": 1.5}, ["foot_0"], 1e-2)
    agree(lm.catalogue.rocr(), {}, None, 5e-3)


@pytest.mark.slow
def test_one_bad_instance_among_ten_thousand_disturbs_nobody(rng: np.random.Generator) -> None:
    compiled = compile_stepping(lm.catalogue.compass_walker(), "events")
    states = np.tile(compiled.start(GARCIA_CYCLE, closed=["foot_a"]), (10_000, 1))
    states[:, 4:8] *= 1.0 + 1e-3 * rng.standard_normal((10_000, 4))
    good = compiled.rollout(states, 450, 1e-2, save_every=0)
    broken = states.copy()
    broken[1234, 3] = np.nan
    bad = compiled.rollout(broken, 450, 1e-2, save_every=0)
    others = np.delete(np.arange(10_000), 1234)
    assert np.array_equal(good.final[others], bad.final[others]) and bad.status[1234] == 2
    assert (bad.final[others, -1] == 1.0).mean() > 0.95  # all but a few have made their step


def test_what_has_no_events_is_refused() -> None:
    with pytest.raises(ContactLawError, match="contacts='time-stepping'"):
        stepped(lm.catalogue.tumbling_box())
    with pytest.raises(ContactLawError, match="no contact opens"):
        stepped(lm.catalogue.snakeboard())
    with pytest.raises(ModelError, match="events is 0"):
        EventSettings(events=0)
