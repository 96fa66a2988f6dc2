"""The event-driven loop: instants to round-off, simultaneous and grazing events, accumulation, jumps of inputs, bad starts."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ContactLawError, InconsistentStartError, ParameterScopeError, StepperError, UnknownNameError
from locomotor.model import (
    Body,
    Contact,
    Free,
    Gravity,
    Grip,
    Plane,
    RollingSphere,
    SlidingPoint,
    StickingPoint,
    System,
    Unilateral,
)
from locomotor.simulation import Outcome
from locomotor.simulation.events import endless
from locomotor.simulation.events.modes import modes_of
from locomotor.simulation.events.timeline import Grid
from locomotor.simulation.inputs.instants import switch_instants

G = 9.81
INSTANT = 1e-12
"""Asked of events, in seconds: free fall is integrated without error, roots to round-off; worst seen 2e-15."""


def thing(*contacts: Contact, gravity: Sequence[Any] = (0.0, 0.0, -G), **options: Any) -> System:
    """A rigid bar of 2 kg with given contacts."""
    options.setdefault("forces", (Gravity(gravity),))
    body = Body("bar", mass=2.0, inertia=(0.1, 0.3, 0.3))
    return System("thing", [body], [Free(name="base", parent="world", child="bar")], contacts=contacts, **options)


def point(name: str = "tip", x: float = 0.0, kind: Any = SlidingPoint, **law: Any) -> Contact:
    found: Contact = kind(name, body="bar", at=(x, 0.0, 0.0), law=Unilateral(**law))
    return found


def plank(kind: Any = SlidingPoint, **law: Any) -> System:
    """A bar on two feet, half a metre from its middle."""
    return thing(point("left", -0.5, kind, **law), point("right", 0.5, kind, **law))


def names(run: lm.Run) -> list[str]:
    return [event.name for event in run.events]


# -- instants -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [0.1, 0.0137, 0.001])
@pytest.mark.parametrize("speed", [0.0, 3.0, -2.0])
def test_a_stone_lands_when_it_must(step: float, speed: float) -> None:
    height = 1.7
    run = lm.simulate(thing(point()), 1.5, start={"z": height, "heave_speed": speed, "speed": 1.3}, step=step)
    wanted = (speed + math.sqrt(speed**2 + 2 * G * height)) / G
    (event,) = run.events
    assert (event.name, event.kind, event.contact) == ("tip impact", "impact", "tip")
    assert event.time == pytest.approx(wanted, abs=INSTANT)
    assert event.impulse[0] == pytest.approx(2.0 * (G * wanted - speed), rel=1e-12)
    # A contact that slides takes nothing of the motion along the ground.
    assert event.impulse[1:] == (0.0, 0.0) and run["speed"][-1] == pytest.approx(1.3, abs=1e-12)


def test_a_tilted_ground_is_met_along_its_normal() -> None:
    tilt = 0.3
    ground = Plane(normal=(math.sin(tilt), 0.0, math.cos(tilt)))
    system = thing(point(restitution=1.0), grounds=(ground,))
    run = lm.simulate(system, 0.4, start={"z": 0.5})
    first = run.events[0]
    assert first.time == pytest.approx(math.sqrt(2 * 0.5 / G), abs=INSTANT)
    speed = G * first.time
    assert first.impulse[0] == pytest.approx(2 * 2.0 * speed * math.cos(tilt), rel=1e-12)
    np.testing.assert_allclose(np.array(first.impulse_vector), first.impulse[0] * np.array(ground.normal), atol=1e-12)


def test_samples_lie_on_the_grid_with_two_more_at_an_event() -> None:
    run = lm.simulate(thing(point()), 1.0, start={"z": 0.5}, step=0.01)
    (event,) = run.events
    twice = np.flatnonzero(np.diff(run.time) == 0.0)
    assert len(twice) == 1 and run.time[twice[0]] == event.time
    grid = np.delete(run.time, [twice[0], twice[0] + 1])
    np.testing.assert_allclose(grid, 0.01 * np.arange(101), atol=1e-15)
    assert run["heave_speed"][twice[0]] == pytest.approx(-G * event.time) and run["heave_speed"][twice[0] + 1] == 0.0
    assert run["tip_closed"][twice[0]] == 0.0 and run["tip_closed"][twice[0] + 1] == 1.0
    thin = lm.simulate(thing(point()), 1.0, start={"z": 0.5}, step=0.01, sample=0.1)
    assert len(thin) == 13 and thin.events[0].time == event.time


@pytest.mark.parametrize("target", ["c", "interpreter"])
def test_targets_agree(target: str) -> None:
    run = lm.simulate(plank(StickingPoint), 0.6, start={"z": 0.5, "pitch": 0.1}, target=target)
    assert names(run)[:2] == ["right impact", "left impact"]
    assert run.events[0].time == pytest.approx(math.sqrt(2 * (0.5 - 0.5 * math.sin(0.1)) / G), abs=INSTANT)


def test_the_grid_leads_to_its_end_and_to_every_stop() -> None:
    grid = Grid(0.5, 1.7343, 0.1, stops=(0.83, 1.2))
    t, seen = 0.5, []
    while t < grid.end:
        length, steps, reached = grid.plan(t, grid.next_stop(t), 4)
        assert steps * length == pytest.approx(reached - t, abs=1e-13) and steps <= 4
        t = reached
        seen.append(t)
    assert 0.83 in seen and 1.2 in seen and seen[-1] == 1.7343
    np.testing.assert_allclose(seen, [0.7, 0.8, 0.83, 0.9, 1.1, 1.2, 1.6, 1.7, 1.7343])


# -- simultaneous ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [SlidingPoint, StickingPoint])
@pytest.mark.parametrize("e", [0.0, 1.0])
def test_both_feet_land_together(kind: Any, e: float) -> None:
    run = lm.simulate(plank(kind, restitution=e, tangential=-1.0 if e else 0.0), 0.9, start={"z": 0.5, "speed": 0.3})
    left, right = run.events[:2]
    assert left.time == right.time == pytest.approx(math.sqrt(2 * 0.5 / G), abs=INSTANT)
    assert left.impulse[0] == pytest.approx(right.impulse[0], rel=1e-12) == pytest.approx((1 + e) * 2.0 * G * left.time / 2)
    assert np.abs(run["pitch"]).max() < 1e-13
    assert left.energy_before == right.energy_before and run.events.energy_lost == pytest.approx(
        run.energy[0] - run.energy[-1], abs=1e-10
    )


def test_a_bicycle_dropped_flat_lands_on_both_wheels() -> None:
    bike = lm.catalogue.bicycle("mauny2018", contacts="unilateral")
    rolling = {"speed": 3.0, "front_wheel_rate": 3.0 / 0.35, "rear_wheel_rate": 10.0}
    run = lm.simulate(bike, 0.5, start={"z": 0.5, **rolling})
    assert sorted(names(run)) == ["front impact", "rear impact"] and len(set(run.events.times)) == 1
    # It rolls on as if nothing had happened: the wheels already turn as they must.
    assert run["speed"][-1] == pytest.approx(3.0, abs=1e-12)
    assert sum(event.impulse[0] for event in run.events) == pytest.approx(94.0 * G * run.events[0].time, rel=1e-12)


def test_one_foot_after_the_other() -> None:
    run = lm.simulate(plank(), 0.6, start={"z": 0.5, "pitch": 0.1})
    first, *second = run.events
    assert first.name == "right impact" and {event.name for event in second} == {"left impact", "right impact"}
    # The foot that stands takes part in the second impact, and takes an impulse.
    assert min(event.impulse[0] for event in second) > 0.1


# -- grazing --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("clearance", [1e-6, 1e-9, 1e-12, 0.0])
def test_a_graze_from_above_is_no_impact(clearance: float) -> None:
    """Gravity upwards: the path is a parabola that comes as near as the clearance, between two samples."""
    system = thing(point(), gravity=(0.0, 0.0, 2.0))
    run = lm.simulate(system, 1.3, start={"z": 0.25 + clearance, "heave_speed": -1.0}, step=0.0013)
    assert names(run) == []
    assert run["z"][-1] == pytest.approx(0.25 + clearance - 1.3 + 1.3**2, abs=1e-12)


@pytest.mark.parametrize("depth", [1e-11, 1e-9, 1e-7])
def test_a_dip_between_two_samples_is_an_impact(depth: float) -> None:
    """The gap is positive at every sample of 1.3 ms; the dip lasts 2 sqrt(depth) only."""
    system = thing(point(), gravity=(0.0, 0.0, 2.0))
    run = lm.simulate(system, 1.3, start={"z": 0.25 - depth, "heave_speed": -1.0}, step=0.0013)
    assert names(run) == ["tip impact", "tip lift-off"]
    assert run.events[0].time == pytest.approx(0.5 - math.sqrt(depth), rel=1e-6)
    assert run["tip_gap"].min() > -1e-12


# -- lift-off -------------------------------------------------------------------------------------------------


def pulled(x: float) -> System:
    pull = lm.BodyForce("pull", body="bar", at=(x, 0.0, 0.0), components=(0.0, 0.0, "10*t"))
    return plank().replace(forces=(Gravity((0.0, 0.0, -G)), pull))


def test_a_foot_leaves_when_its_force_vanishes() -> None:
    run = lm.simulate(pulled(0.25), 3.0)
    right, left = run.events
    assert (right.name, left.name) == ("right lift-off", "left lift-off")
    # Moments about the left foot: 10 t 0.75 = 2 g 0.5 when the right one carries nothing.
    assert right.time == pytest.approx(2.0 * G * 0.5 / 7.5, abs=1e-10)
    assert right.impulse == (0.0, 0.0, 0.0) and right.energy_lost == 0.0
    assert left.time > right.time and run["left_gap"][-1] > 0.0


def test_both_feet_leave_together() -> None:
    run = lm.simulate(pulled(0.0), 3.0)
    assert names(run) == ["left lift-off", "right lift-off"]
    for event in run.events:
        assert event.time == pytest.approx(2.0 * G / 10.0, abs=1e-10)
    audit = run.audit()
    assert audit["energy_balance"] < 1e-11 and audit.work["impacts"] == pytest.approx(0.0, abs=1e-12)


def test_a_contact_that_has_drifted_inside_lifts_off_without_a_bounce() -> None:
    """A long closed phase leaves a gap that is not zero; opening it there must not be taken for a collision."""
    disc = lm.RollingDisc("rim", body="disc", centre=(0, 0, 0), axis=(0, 1, 0), radius=0.3, law=Unilateral())
    system = System(
        "disc",
        [Body("disc", mass=1.0, inertia=(0.03, 0.06, 0.03))],
        [Free(name="base", parent="world", child="disc")],
        contacts=(disc,),
        forces=(Gravity(), lm.BodyForce("pull", body="disc", at=(0, 0, 0), components=(0, 0, "if_else(less(t, 2), 0, 12)"))),
        nominal={"z": 0.3},
    )
    run = lm.simulate(system, 2.5, start={"roll": 0.3, "yaw_rate": 2.0, "pitch_rate": 8.0}, closed=["rim"], step=0.01)
    assert run["rim_gap"][run.time < 2.0][-1] != 0.0
    assert names(run) == ["rim lift-off"] and run.events[0].time == 2.0


# -- accumulation ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [0.3, 0.5, 0.9])
def test_bounces_accumulate_and_end(e: float) -> None:
    ball = lm.catalogue.bouncing_ball(restitution=e)
    first = math.sqrt(2.0 / G)
    rest = first * (1 + e) / (1 - e)
    run = lm.simulate(ball, rest + 0.2, start={"z": 1.1})
    assert run.events[-1].kind == "rest" and run.events[-1].time == pytest.approx(rest, abs=1e-9)
    t, v = first, G * first
    for event in run.events[:-1]:
        assert event.kind == "impact" and event.time == pytest.approx(t, abs=1e-10)
        v *= e
        t += 2 * v / G
    after = run.time > rest
    assert np.abs(run["floor_gap"][after]).max() < 1e-12 and (run["floor_closed"][after] == 1.0).all()
    np.testing.assert_allclose(run.forces["floor"][after], np.array([[0.0, 0.0, 0.5 * G]]).repeat(after.sum(), 0), atol=1e-9)
    assert run.events.energy_lost == pytest.approx(0.5 * G * 1.0, rel=1e-9)


def test_a_block_that_rocks_comes_to_rest() -> None:
    """Plastic impacts that alternate between two feet accumulate too."""
    run = lm.simulate(lm.catalogue.supported_bar(), 0.45, start={"along": 0.8})
    assert run.status.ok
    assert names(run)[:3] == ["ball_on_bar impact", "right impact", "left lift-off"]
    assert run.events[2].time == run.events[1].time and run.events[2].energy_lost == 0.0
    impacts = [e.time for e in run.events.of(kind="impact") if e.contact != "ball_on_bar"]
    ratios = np.diff(impacts)[2:] / np.diff(impacts)[1:-1]
    # Each rocking lasts a seventh of the one before: (I - m a^2)/(I + m a^2) of the bar about a foot, with the ball away.
    spin = 2.0 * 2.0**2 / 12
    np.testing.assert_allclose(ratios[:4], (spin - 0.5) / (spin + 0.5), rtol=1e-2)
    (rest,) = run.events.of(kind="rest")
    series = impacts[-1] + (impacts[-1] - impacts[-2]) * ratios[-1] / (1 - ratios[-1])
    assert rest.time == pytest.approx(series, abs=1e-8)


def test_an_elastic_ball_never_rests() -> None:
    run = lm.simulate(lm.catalogue.bouncing_ball(restitution=1.0), 5.0, start={"z": 1.1, "speed": 0.7, "pitch_rate": 2.0})
    assert len(run.events) == 6 and {event.kind for event in run.events} == {"impact"}
    assert np.abs(run.energy / run.energy[0] - 1).max() < 1e-9


def test_chattering_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fifty bounces within a second are as many as 200 within a nanosecond to a loop that is told so."""
    monkeypatch.setattr(endless, "CHATTER", (50, 1.0))
    with pytest.warns(lm.RunWarning, match="events follow each other without end"):
        run = lm.simulate(lm.catalogue.bouncing_ball(restitution=1.0), 1.0, start={"z": 0.1 + 1e-6})
    assert run.status.outcome is Outcome.CHATTERING and 0.0 < run.status.time < 0.1
    assert "events of floor within" in str(run.status) and "CompliantContact" in str(run.status)
    assert run.events[-1].name == "end" and len(run) > 50


# -- what a contact lets through ------------------------------------------------------------------------------


def test_a_contact_with_a_condition_is_passed_through_while_it_does_not_hold() -> None:
    system = thing(point(when="x - 0.5"))
    run = lm.simulate(system, 1.0, start={"z": 0.2, "speed": 1.0, "heave_speed": 1.0})
    assert names(run) == []  # it is through the ground before x = 0.5
    run = lm.simulate(system, 1.0, start={"z": 0.2, "speed": 3.0, "heave_speed": 1.0})
    assert names(run) == ["tip impact"]


def test_a_joint_stop_is_a_coupling_with_a_law() -> None:
    door = System(
        "door",
        [Body("leaf", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))],
        [lm.Revolute(name="hinge", parent="world", child="leaf", axis=(0, 0, 1))],
        constraints=[lm.Coupling("stop", "1 - hinge", law=Unilateral(restitution=0.5))],
    )
    run = lm.simulate(door, 2.0, start={"hinge_rate": 2.0})
    (event,) = run.events
    assert event.name == "stop impact" and event.time == pytest.approx(0.5, abs=INSTANT)
    assert run["hinge_rate"][-1] == pytest.approx(-1.0, abs=1e-12)
    assert event.impulse[0] == pytest.approx(3.0 * (0.1 + 0.25), rel=1e-12) and event.impulse_vector == (0.0, 0.0, 0.0)
    assert run["stop_gap"][0] == 1.0 and run["stop_gap"].min() > -1e-12


@pytest.mark.parametrize("rule", ["poisson", "stronge"])
def test_the_other_laws_in_a_run(rule: str) -> None:
    """A ball without spin and slide: all laws are the same. With slide, a ball that sticks leaves with less or more."""
    straight = lm.simulate(lm.catalogue.bouncing_ball(restitution=0.6, rule=rule), 1.0, start={"z": 1.1})
    assert straight.events[0].impulse[0] == pytest.approx(1.6 * 0.5 * math.sqrt(2 * G), rel=1e-12)
    rod = thing(point("end", 0.6, StickingPoint, restitution=0.6, rule=rule))
    tilted = lm.simulate(rod, 0.5, start={"z": 0.6, "pitch": 0.7, "speed": 1.0})
    newton = lm.simulate(
        thing(point("end", 0.6, StickingPoint, restitution=0.6)), 0.5, start={"z": 0.6, "pitch": 0.7, "speed": 1.0}
    )
    assert tilted.events[0].time == newton.events[0].time
    assert tilted.events[0].impulse[0] != pytest.approx(newton.events[0].impulse[0], rel=1e-3)


def test_no_answer_is_told() -> None:
    """A rod that slides fast towards its own lever: to stick it would have to be pulled down."""
    rod = thing(point("end", 0.6, StickingPoint))
    start = {"z": 0.6, "pitch": 0.7, "speed": -8.0 * math.cos(0.7), "heave_speed": -8.0 * math.sin(0.7)}  # level, backwards
    with pytest.warns(lm.RunWarning, match="no set of closed contacts pushes while the others separate"):
        run = lm.simulate(rod, 1.0, start=start)
    assert run.status.outcome is Outcome.INCONSISTENT and "end: closed they would have to pull" in str(run.status)
    assert "switch it off in mid-swing: Unilateral(when=" in str(run.status)
    assert run.time[-1] == run.status.time > 0.1
    assert "let some points slide (SlidingPoint), or give contacts that stick a coefficient" in str(run.status)


# -- inputs and motions ---------------------------------------------------------------------------------------


def test_instants_at_which_inputs_jump_are_found() -> None:
    bike = lm.catalogue.bicycle(contacts="unilateral")

    def found(law: str) -> tuple[float, ...]:
        from locomotor.simulation.compiled.feedback import as_controller

        return switch_instants(bike, as_controller(bike, {"steer_torque": law}, None)[1], 0.0, 5.0)

    assert found("if_else(less(t, 0.5), 1, if_else(less(2*t, 3), 2, 0))") == (0.5, 1.5)
    assert found("if_else(less(t, 7), 1, 2)") == () == found("if_else(less(roll, 0.1), 1, 2)")
    np.testing.assert_allclose(found("max(sin(t), 0)"), [math.pi], atol=1e-12)
    controller = lm.Controller(lambda c: {}, instants=(3.0, 9.0))
    assert switch_instants(bike, controller, 0.0, 5.0) == (3.0,)


def cart(law: str) -> System:
    return System(
        "cart",
        [Body("cart", mass=2.0, inertia=(1.0, 1.0, 1.0))],
        [lm.Translation(name="base", parent="world", child="cart")],
        contacts=[SlidingPoint("wheel", body="cart", at=(0, 0, 0), law=Unilateral())],
        forces=[Gravity(), lm.BodyForce("engine", body="cart", at=(0, 0, 0), components=(law, 0.0, 0.0))],
    )


@pytest.mark.parametrize("step", [0.001, 0.03])
def test_a_force_that_jumps_is_integrated_on_both_sides(step: float) -> None:
    """Without stopping there, the error of the step across 1/3 s would be of first order: some 1e-2 of the speed at 0.03 s."""
    run = lm.simulate(cart("if_else(less(t, 1/3), 4, -1)"), 1.0, step=step)
    assert run["x_rate"][-1] == pytest.approx(2.0 / 3 - 0.5 * 2 / 3, abs=1e-12)
    assert run.audit()["energy_balance"] < 1e-12


@pytest.mark.slow
def test_a_torque_that_sets_in_lifts_the_wheel_at_once() -> None:
    bike = lm.catalogue.bicycle("mauny2018", contacts="unilateral")
    inputs = {"rear_wheel_torque": "if_else(less(t, 0.1), 0, 130)"}
    run = lm.simulate(bike, 0.15, start={"speed": 1.0}, closed=["rear", "front"], inputs=inputs)
    (event,) = run.events
    assert (event.name, event.time) == ("front lift-off", 0.1)


@pytest.mark.slow
def test_a_saturated_law_from_python_and_as_an_expression() -> None:
    from locomotor.lie import ops

    bike = lm.catalogue.bicycle("mauny2018", contacts="unilateral")
    settings: dict[str, Any] = {"start": {"speed": 1.0}, "closed": ["rear", "front"], "step": 0.002}

    def law(channels: Any) -> dict[str, Any]:
        wanted = 2000.0 * (0.3 + channels["pitch"]) + 200.0 * channels["pitch_rate"]
        return {"rear_wheel_torque": ops.fmin(ops.fmax(wanted, -130.0), 130.0)}

    one = lm.simulate(bike, 0.8, controller=law, **settings)
    text = "min(max(2000*(0.3 + pitch) + 200*pitch_rate, -130), 130)"
    other = lm.simulate(bike, 0.8, inputs={"rear_wheel_torque": text}, **settings)
    assert names(one) == names(other) == ["front lift-off"] and np.abs(one["rear_wheel_torque"]).max() == 130.0
    np.testing.assert_allclose(one["pitch"], other["pitch"], atol=1e-14)


def test_states_of_a_controller_go_through_events() -> None:
    ball = lm.catalogue.bouncing_ball(restitution=1.0)
    controller = lm.Controller(lambda c: {"clock": 1.0, "area": c["z"]}, {"clock": 0.0, "area": 0.0})
    run = lm.simulate(ball, 2.0, start={"z": 1.1}, controller=controller)
    np.testing.assert_allclose(run["clock"], run.time, atol=1e-12)
    steps = np.diff(run.time) * 0.5 * (run["z"][1:] + run["z"][:-1])
    np.testing.assert_allclose(run["area"], np.concatenate([[0.0], np.cumsum(steps)]), atol=1e-5)  # trapezoidal rule at 1 ms


def test_an_imposed_motion_goes_through_an_impact_unchanged() -> None:
    """A body with a turning arm is dropped: the motor gives whatever torque impulse keeps the arm's rate."""
    system = System(
        "spinner",
        [Body("bar", mass=2.0, inertia=(0.1, 0.3, 0.3)), Body("arm", mass=0.5, com=(0.3, 0, 0), inertia=(0.01, 0.01, 0.01))],
        [
            Free(name="base", parent="world", child="bar"),
            lm.Revolute(name="arm_joint", parent="bar", child="arm", axis=(0, 1, 0), drive=lm.Motion("5*t")),
        ],
        contacts=(point("left", -0.5, StickingPoint), point("right", 0.5, StickingPoint)),
        forces=[Gravity()],
    )
    run = lm.simulate(system, 1.0, start={"z": 0.5})
    assert run.status.ok and any(event.kind == "impact" for event in run.events)
    np.testing.assert_allclose(run["arm_joint_rate"], 5.0, atol=1e-9)
    np.testing.assert_allclose(run["arm_joint"], 5.0 * run.time, atol=1e-12)


def test_grips_hold_when_told_and_wherever_they_are() -> None:
    swing = thing(StickingPoint("hand", body="bar", at=(0.5, 0, 0), law=Grip("sin(2*pi*t)")), gravity=(0.0, 0.0, -G))
    run = lm.simulate(swing, 2.2, start={"z": 3.0})
    assert names(run) == ["hand release", "hand grip", "hand release", "hand grip"]
    np.testing.assert_allclose(run.events.times, [0.5, 1.0, 1.5, 2.0], atol=INSTANT)
    held = (run["hand_closed"] == 1.0) & (run.time > 1.0) & (run.time < 1.5)
    place = run.contact_points["hand"][held]
    assert np.abs(place - place[0]).max() < 1e-9 and abs(place[0, 2]) > 0.1


# -- pivots ---------------------------------------------------------------------------------------------------


def test_pivots_that_vanish_in_a_mode_are_replaced() -> None:
    """The rolling disc of `test_repivot`, as a contact that could open: the same motion."""
    from oracles.simple import rolling_disc

    rolling = {"roll": 0.2, "yaw_rate": 0.6, "pitch_rate": 8.0}
    persistent = rolling_disc(independent=("speed", "roll_rate", "yaw_rate"))
    system = persistent.replace(contacts=tuple(dataclasses.replace(c, law=Unilateral()) for c in persistent.contacts))
    (contact,) = system.contacts
    run = lm.simulate(system, 1.5, start=rolling, closed=[contact.name], step=0.0005)
    wanted = lm.simulate(persistent, 1.5, start=rolling, step=0.0005)
    assert run.status.ok and run.settings["repivots"] >= 1
    assert {event.name for event in run.events} == {"repivot"}
    for name in ("x", "y", "yaw", "roll", "pitch_rate"):
        # Both have the error of Runge-Kutta 4 at 0.5 ms near their own pivots; worst seen 3e-10.
        assert run[name][-1] == pytest.approx(wanted[name][-1], abs=1e-8)


def test_a_wheel_that_falls_flat_ends_the_run_and_keeps_what_there_is() -> None:
    bike = lm.catalogue.bicycle(contacts="unilateral")
    with pytest.warns(lm.RunWarning):
        run = lm.simulate(bike, 1.5, start={"speed": 1.0, "roll": 0.3}, closed=["rear", "front"], step=0.002)
    assert not run.status.ok and run.status.time > 0.3 and len(run) > 100
    assert "take a smaller step" in str(run.status) or "Unilateral(friction=...)" in str(run.status)
    assert "SlidingPoint" not in str(run.status)  # is no help for a wheel


# -- the sources' scheme --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_sources_scheme_agrees() -> None:
    """Fixed steps, rewound and shortened to 1e-10 s: events are early by up to that, and the rest follows."""
    bike = lm.catalogue.bicycle("mauny2018", contacts="unilateral")
    start = {"z": 0.3, "pitch": -0.174, "front_wheel_rate": -200.0}
    exact, source = (lm.simulate(bike, 0.6, start=start, scheme=scheme) for scheme in ("exact", "source"))
    assert names(exact) == names(source) and source.settings["scheme"] == "source"
    for one, other in zip(exact.events, source.events, strict=True):
        assert other.time == pytest.approx(one.time, abs=1e-9)
        np.testing.assert_allclose(other.impulse, one.impulse, atol=1e-6)
    ball = lm.catalogue.bouncing_ball(restitution=0.5)
    exact, source = (lm.simulate(ball, 1.0, start={"z": 1.1}, scheme=scheme) for scheme in ("exact", "source"))
    np.testing.assert_allclose(source.events.times, exact.events.times, atol=1e-8)
    with pytest.raises(StepperError, match="scheme is 'sources'; give one of 'exact', 'source'"):
        lm.simulate(ball, 1.0, scheme="sources")


# -- starts ---------------------------------------------------------------------------------------------------


def test_a_start_inside_the_ground_is_refused() -> None:
    with pytest.raises(InconsistentStartError, match=r"contact 'tip' is 0\.1 m inside its ground; lift the system"):
        lm.simulate(thing(point()), 1.0, start={"z": -0.1})


def test_a_start_that_moves_into_the_ground_it_touches_is_refused() -> None:
    with pytest.raises(InconsistentStartError, match=r"heave_speed=-1 contradict the contacts.*Closed at the start: 'tip'"):
        lm.simulate(thing(point()), 1.0, start={"heave_speed": -1.0})
    run = lm.simulate(thing(point()), 0.1, start={"heave_speed": 1.0})
    assert run["tip_closed"][0] == 0.0 and names(run) == []


def test_contacts_named_as_closed_are_closed_by_moving_what_is_not_given() -> None:
    bike = lm.catalogue.bicycle(contacts="unilateral")
    run = lm.simulate(bike, 0.05, start={"roll": 0.2, "steer": 0.1, "speed": 5.0}, closed=["rear", "front"])
    assert run["roll"][0] == pytest.approx(0.2) and abs(run["pitch"][0]) > 1e-4
    assert max(abs(run["rear_gap"][0]), abs(run["front_gap"][0])) < 1e-12
    with pytest.raises(UnknownNameError, match="closed: no contact that opens is named 'rea': did you mean 'rear'"):
        lm.simulate(bike, 0.1, closed=["rea"])
    with pytest.raises(InconsistentStartError, match=r"contact 'front' is .* inside its ground"):
        lm.simulate(bike, 0.1, start={"pitch": 0.2}, closed=["rear"])
    with pytest.raises(StepperError, match=r"no contact of .* opens and closes"):
        lm.simulate(lm.catalogue.bicycle(), 0.1, closed=["rear"])


@pytest.mark.parametrize(
    ("law", "words"),
    [
        ({"restitution": 1.2}, r"restitution is 1\.2; it must lie between 0 and 1"),
        ({"restitution": -0.1}, r"restitution is -0\.1"),
        ({"restitution": True}, "restitution is True; give a number"),
        ({"tangential": -1.5}, r"tangential is -1\.5; it must lie between -1 and 1"),
        ({"rule": "hertz"}, "rule is 'hertz'; give one of 'newton', 'poisson', 'stronge', 'moreau'"),
        ({"rule": "poisson", "tangential": 0.5}, "contacts stick under the rule 'poisson'"),
    ],
)
def test_laws_outside_their_range(law: dict[str, Any], words: str) -> None:
    with pytest.raises(ContactLawError, match=words):
        Unilateral(**law)


def test_conditions_of_laws_are_checked_with_the_system() -> None:
    with pytest.raises(UnknownNameError, match="the name 'heigth' is unknown"):
        thing(point(when="heigth"))
    with pytest.raises(ParameterScopeError, match="depends on 'x'; it may depend on t and parameters only"):
        thing(StickingPoint("hand", body="bar", at=(0, 0, 0), law=Grip("x")))
    with pytest.raises(ContactLawError, match=r"the law is 'soft'; give a ContactLaw: Persistent\(\)"):
        lm.Coupling("stop", "knee", law="soft")  # type: ignore[arg-type]


def test_settings_that_make_no_sense() -> None:
    with pytest.raises(StepperError, match="is integrated with rk4 or midpoint, not dop853"):
        lm.simulate(plank(), 1.0, stepper="dop853")
    with pytest.raises(StepperError, match="static is given"):
        lm.simulate(plank(), 1.0, static={"left_x": 0.0})
    gripping = thing(StickingPoint("hand", body="bar", at=(0, 0, 0), law=Grip("sin(t)")))
    with pytest.raises(StepperError, match="has grips, which hold wherever they are"):
        lm.simulate(gripping, 1.0, project=True)


# -- models are made once -------------------------------------------------------------------------------------


def test_modes_are_kept_for_the_next_run_unless_a_python_function_is_the_controller() -> None:
    ball = lm.catalogue.bouncing_ball()
    assert modes_of(ball, None, "auto") is modes_of(lm.catalogue.bouncing_ball(), None, "auto")
    assert modes_of(ball, None, "auto") is not modes_of(lm.catalogue.bouncing_ball(restitution=0.7), None, "auto")
    law = lm.Controller(lambda c: {})
    assert modes_of(ball, law, "auto") is not modes_of(ball, law, "auto")


def test_an_open_contact_on_a_body_of_revolution_is_seen_where_it_is() -> None:
    """Nothing depends on the angle of a ball on a hinge while its foot is open, but where the foot is does."""
    system = System(
        "clapper",
        [Body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1))],
        [lm.Revolute(name="turn", parent="world", child="ball", at=(0, 0, 0.5), axis=(0, 1, 0))],
        contacts=[StickingPoint("foot", body="ball", at=(0.8, 0, 0), law=Unilateral(restitution=1.0, tangential=1.0))],
    )
    run = lm.simulate(system, 2.0, start={"turn_rate": 1.0})
    assert run.events[0].time == pytest.approx(math.asin(0.5 / 0.8), abs=INSTANT)


def test_sphere_on_an_incline_rolls_as_the_persistent_one() -> None:
    """In one mode the loop is the ordinary simulation."""
    tilt = 0.2
    ground = Plane(normal=(math.sin(tilt), 0.0, math.cos(tilt)))
    ball = lm.catalogue.bouncing_ball(tangential=0.0).replace(grounds=(ground,))
    same = ball.replace(contacts=(RollingSphere("floor", body="ball", centre=(0, 0, 0), radius="r"),))
    one = lm.simulate(ball, 1.0, closed=["floor"], start={"x": 0.0})
    other = lm.simulate(same, 1.0, start={"x": 0.0})
    np.testing.assert_allclose(one["x"], other["x"], atol=1e-12)
    assert one["x"][-1] - one["x"][0] == pytest.approx(0.5 * G * math.sin(tilt) * math.cos(tilt) * 5 / 7, rel=1e-9)
