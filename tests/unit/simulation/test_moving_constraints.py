"""Runs with constraints that depend on time or have a right-hand side, against closed forms."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import IncompatibleMotionError, InconsistentStartError, MotionJumpError, NotFiniteError
from locomotor.simulation.starts.many import Starts
from oracles.moving import POINT, RADIUS, TABLE, knife, shaken, turntable

START = 0.7


@pytest.mark.parametrize("stepper", ["rk4", "abm5", "dop853"])
def test_a_velocity_imposed_as_a_function_of_time(stepper: str) -> None:
    """x' = cos t: x'' = -sin t, and the force along x is -m sin t; the start need not say what follows."""
    run = lm.simulate(shaken(), 2.0, start={"y_rate": 0.5}, start_time=START, stepper=stepper)
    t = run.time
    np.testing.assert_allclose(run["x_rate"], np.cos(t), rtol=0, atol=1e-14)
    np.testing.assert_allclose(run["x"], np.sin(t) - np.sin(START), rtol=0, atol=1e-10)  # what dop853 is asked for
    np.testing.assert_allclose(run["shaken_multiplier"], -2.0 * np.sin(t), rtol=0, atol=1e-13)
    np.testing.assert_allclose(run["y"], 0.5 * (t - START), rtol=0, atol=1e-11)
    np.testing.assert_allclose(run["shaken_slip"], 0.0, atol=1e-14)


def test_the_audit_names_the_work_of_a_moving_constraint() -> None:
    """Force -m sin t times velocity cos t: m (cos² t - cos² t0)/2 in all."""
    run = lm.simulate(shaken(), 2.0, start_time=START)
    np.testing.assert_allclose(run["shaken_power"], -2.0 * np.sin(run.time) * np.cos(run.time), rtol=0, atol=1e-13)
    audit = run.audit()
    assert audit.work["shaken"] == pytest.approx(np.cos(START + 2.0) ** 2 - np.cos(START) ** 2, abs=1e-9)
    assert audit["energy_balance"] < 1e-11
    assert "shaken" in str(audit)
    assert run.about["shaken_power"].description == "power of the moving constraint 'shaken'"


def test_constraints_at_rest_have_no_power() -> None:
    assert "edge_power" not in lm.simulate(knife("0.3"), 0.1, start={"x_rate": 1.0}).channels


@pytest.mark.parametrize("share", [0.4, 2.0 / 3.0])
def test_a_ball_on_a_turntable_goes_round_a_circle(share: float) -> None:
    """A homogeneous sphere at 2/7 of the table's rate, a hollow one at 2/5: k/(1 + k) of it, k the share of m r²."""
    rate = TABLE * share / (1.0 + share)
    x, speed = 0.05, 0.05 * rate + 0.01
    run = lm.simulate(turntable(share), 2.0 * np.pi / rate, start={"x": x, "x_rate": 0.0, "y_rate": speed}, step=5e-3)
    assert run.status.ok
    radius = speed / rate
    np.testing.assert_allclose(run["x"], x + radius * (np.cos(rate * run.time) - 1.0), rtol=0, atol=1e-10)
    np.testing.assert_allclose(run["y"], radius * np.sin(rate * run.time), rtol=0, atol=1e-10)
    assert max(np.abs(run[name]).max() for name in ("roll", "pitch")) > 0.3  # it has really rolled
    audit = run.audit()
    assert audit["energy_balance"] < 1e-9
    assert audit["largest_slip"] < 1e-13
    assert max(abs(audit.work[name]) for name in ("rolls_x", "rolls_y")) < 1e-12  # nothing over a whole turn


def test_a_knife_edge_whose_heading_is_told_by_time() -> None:
    """It keeps its speed; the edge turns it by the force m u w across. No pivot is good for a whole turn."""
    run = lm.simulate(knife(), 9.0, start={"x_rate": 1.5})
    assert run.status.ok
    heading = 0.8 * run.time
    np.testing.assert_allclose(run["x_rate"], 1.5 * np.cos(heading), rtol=0, atol=1e-11)
    np.testing.assert_allclose(run["y_rate"], 1.5 * np.sin(heading), rtol=0, atol=1e-11)
    np.testing.assert_allclose(run["x"], 1.5 / 0.8 * np.sin(heading), rtol=0, atol=1e-10)
    np.testing.assert_allclose(run["edge_multiplier"], 2.0 * 1.5 * 0.8, rtol=1e-10)
    assert sum(event.kind == "repivot" for event in run.events) >= 3


def test_a_knife_edge_that_starts_later_starts_along_its_heading() -> None:
    """At t = pi/1.6 the edge points along y, where the pivot that serves at t = 0 vanishes."""
    run = lm.simulate(knife(), 1.0, start={"y_rate": 1.5}, start_time=np.pi / 1.6)
    assert run.status.ok
    np.testing.assert_allclose(run["y_rate"], 1.5 * np.sin(0.8 * run.time), rtol=0, atol=1e-11)


def test_a_start_that_contradicts_a_right_hand_side() -> None:
    with pytest.raises(InconsistentStartError, match=r"the velocities x_rate=0\.5 contradict"):
        lm.simulate(shaken(), 1.0, start={"x_rate": 0.5})
    assert lm.simulate(shaken(), 0.1, start={"x_rate": 1.0})["x_rate"][0] == pytest.approx(1.0, abs=1e-15)
    assert lm.simulate(shaken(), 0.1)["x_rate"][0] == pytest.approx(1.0, abs=1e-15)


def test_everything_may_be_determined_by_right_hand_sides() -> None:
    rows = [
        lm.VelocityConstraint("a", {"x_rate": 1.0, "y_rate": 1.0}, equals="t"),
        lm.VelocityConstraint("b", {"x_rate": 1.0, "y_rate": -1.0}, equals=1.0),
        lm.VelocityConstraint("c", {"z_rate": 2.0}, equals="t"),
    ]
    at = lm.Translation(name="at", parent="world", child="particle")
    run = lm.simulate(lm.System("led", [lm.Body("particle", **POINT)], [at], constraints=rows), 2.0)
    t = run.time
    np.testing.assert_allclose(run["x"], 0.25 * t**2 + 0.5 * t, rtol=0, atol=1e-12)
    np.testing.assert_allclose(run["y"], 0.25 * t**2 - 0.5 * t, rtol=0, atol=1e-12)
    np.testing.assert_allclose(run["z"], 0.25 * t**2, rtol=0, atol=1e-12)
    np.testing.assert_allclose(run["a_multiplier"], 1.0, rtol=1e-12)  # m (x'', y'') = (1, 1) = (a + b, a - b)
    np.testing.assert_allclose(run["b_multiplier"], 0.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(run["c_multiplier"], 0.5, rtol=1e-12)


@pytest.mark.parametrize("target", ["c", "simd", "interpreter"])
def test_batches_follow_right_hand_sides(target: str) -> None:
    """Instances with rates of their own."""
    system = shaken("cos(rate*t)", parameters={"rate": 1.0})
    compiled = lm.compile(system, free=("rate",), target=target)
    rates = np.array([0.5, 1.0, 2.0])
    states = np.stack([compiled.start({"y_rate": 0.3}, parameters=[rate]) for rate in rates])
    final = compiled.rollout(states, 100, 1e-2, parameters=rates[:, None], save_every=0).final
    x = list(compiled.state_names).index("x")
    np.testing.assert_allclose(final[:, x], np.sin(rates) / rates, rtol=0, atol=1e-9)


def test_a_run_with_moving_constraints_is_kept_in_a_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    run = lm.simulate(turntable(), 0.2, start={"x": 0.1})
    run.save(tmp_path / "run.nc")
    again = lm.load(tmp_path / "run.nc")
    assert again.system == run.system
    assert again.system.constraints[1].equals == run.system.constraints[1].equals != 0.0


def test_a_batch_says_where_its_pivots_end() -> None:
    """Batches keep their pivots: an instance ends where the direction has turned too far for them, and says so."""
    compiled = lm.compile(knife())
    batch = compiled.rollout(np.tile(compiled.start({"x_rate": 1.0}), (2, 1)), 3000, 1e-3, save_every=0)
    # Stages of the step after the last one are beyond; in that one the pivot falls to less than a quarter.
    assert batch.completed.tolist() == [int(np.pi / 1.6 / 1e-3) - 2] * 2
    assert "edge (which determines y_rate)" in batch.reasons[0]


# -- laws that jump, end or contradict ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "equals", "error", "complaint"),
    [
        ({"x_rate": 1.0}, "1 if t < 1 else 2", MotionJumpError, "'shaken': equals .* jumps in value by 1 near t = 1 s; smooth"),
        ({"x_rate": 1.0}, "y if t < 1 else 2*y", MotionJumpError, "jumps in value by .* near t = 1 s"),
        ({"x_rate": "2 + sign(t - 0.3)"}, 1.0, MotionJumpError, "'shaken': x_rate .* jumps in value by 2 near t = 0.3 s"),
        ({"x_rate": 1.0}, "1/(t - 1)", NotFiniteError, "equals .*: its value is not finite at t = 1 s"),
        ({"x_rate": 1.0}, "sqrt(1 - t)", NotFiniteError, "is not finite"),
    ],
)
def test_laws_of_time_that_no_motion_can_follow(row: Any, equals: Any, error: type[Exception], complaint: str) -> None:
    system = shaken().replace(constraints=[lm.VelocityConstraint("shaken", row, equals=equals)])
    with pytest.raises(error, match=complaint):
        lm.simulate(system, 2.0)
    compiled = lm.compile(system, target="interpreter")
    with pytest.raises(error, match=complaint):
        compiled.rollout(compiled.start({}), 200, 1e-2)
    with pytest.raises(error, match=complaint):
        compiled.jacobians(compiled.start({}), 200, 1e-2)


def test_steps_end_where_a_right_hand_side_has_a_kink() -> None:
    """x' = |t - s|: a step across the kink would be wrong by its square, 1e-2 here."""
    kink = 0.7153
    run = lm.simulate(shaken(f"abs(t - {kink})"), 1.5, stepper="rk4", step=0.1)
    assert run["x"][-1] == pytest.approx(0.5 * (kink**2 + (1.5 - kink) ** 2), abs=1e-11)


def pair(first: Any, second: Any) -> lm.System:
    rows = [lm.VelocityConstraint("one", {"x_rate": 1.0}, first), lm.VelocityConstraint("other", {"x_rate": 2.0}, second)]
    return shaken().replace(constraints=rows)


def test_rows_that_say_the_same_twice() -> None:
    run = lm.simulate(pair("cos(t)", "2*cos(t)"), 1.0)
    assert run.status.ok
    np.testing.assert_allclose(run["one_multiplier"] + 2.0 * run["other_multiplier"], -2.0 * np.sin(run.time), atol=1e-13)
    assert run.audit()["energy_balance"] < 1e-11


def test_rows_that_contradict_each_other() -> None:
    with pytest.raises(IncompatibleMotionError, match=r"the constraints contradict each other: at t = 0 s .* other by "):
        lm.simulate(pair("cos(t)", 1.0), 1.0)
    with pytest.warns(lm.RunWarning, match="the motion violates the constraints .*right-hand sides each other"):
        run = lm.simulate(pair("cos(t)", 2.0), 1.0)  # they agree at the start
    assert not run.status.ok


def test_starts_by_the_batch_satisfy_right_hand_sides() -> None:
    """The ball on the turntable, upright: roll_rate = (table x - y_rate)/r and pitch_rate = (x_rate + table y)/r follow."""
    compiled = lm.compile(turntable())
    names, values = ("x", "y", "x_rate", "y_rate"), np.array([[0.1, 0.2, 0.3, -0.1], [-0.2, 0.1, 0.0, 0.0]])
    states, reasons = Starts(compiled.traced, names)(values)
    assert not reasons
    for state, (x, y, x_rate, y_rate) in zip(states, values, strict=True):
        velocities = compiled.traced.sensors(np.zeros(1), state, np.zeros(0), np.zeros(0))[1]
        found = dict(zip(compiled.traced.sensors.outputs[1].names, velocities, strict=True))
        assert [found["x_rate"], found["y_rate"]] == pytest.approx([x_rate, y_rate], abs=1e-12)
        assert found["roll_rate"] == pytest.approx((TABLE * x - y_rate) / RADIUS, abs=1e-12)
        assert found["pitch_rate"] == pytest.approx((x_rate + TABLE * y) / RADIUS, abs=1e-12)


def twice(first: str, second: str) -> lm.System:
    """Two bars on hinges whose difference is told twice."""
    bars = [lm.Body(name, 1.5, com=(0.2, 0.0, 0.0), inertia=(0.02, 0.03, 0.025)) for name in "AB"]
    hinges = [lm.Revolute(name=name.lower(), parent="world", child=name, axis=(0.0, 0.0, 1.0)) for name in "AB"]
    row = {"a_rate": 1.0, "b_rate": -1.0}
    told = [lm.VelocityConstraint("one", row, equals=first), lm.VelocityConstraint("two", row, equals=second)]
    return lm.System("twice", bars, hinges, constraints=told, grounds=())


@pytest.mark.parametrize("target", ["interpreter", "auto"])
def test_a_batch_ends_where_right_hand_sides_contradict_each_other(target: str) -> None:
    """0 and t³/2: apart by more than 1e-5 of the velocities (about 1 rad/s each) from t = 0.033 s on."""
    compiled = lm.compile(twice("0", "0.5*t**3"), target=target)
    batch = compiled.rollout(np.tile(compiled.start({"a_rate": 1.0}), (3, 1)), 200, 0.01)
    assert (batch.status == 1).all() and (batch.completed == 4).all()
    assert all("two: it is violated" in reason and "right-hand sides each other" in reason for reason in batch.reasons)
    ended = compiled.rollout(compiled.start({"a_rate": 1.0}), 200, 0.01, ends={"turned": "0.02 - a"})
    assert ended.status == 1 and ended.reasons == "turned" and ended.completed == 3
    agreeing = lm.compile(twice("0.5*t**3", "0.5*t**3"), target=target)
    batch = agreeing.rollout(agreeing.start({"a_rate": 1.0}), 200, 0.01, channels=["a_rate", "b_rate"])
    assert batch.status == 0 and batch["a_rate"][-1] - batch["b_rate"][-1] == pytest.approx(0.5 * 2.0**3, rel=1e-12)


WALL = lm.Plane(normal=(1.0, 0.0, 0.0), point=(-2.0, 0.0, 0.0))


def near_a_wall(system: lm.System) -> lm.System:
    """The bars with a contact that stays open: their steps are those of contacts that open and close."""
    tip = lm.SlidingPoint("tip", "A", (0.4, 0.0, 0.0), law=lm.Unilateral())
    return system.replace(contacts=(tip,), grounds=(WALL,))


@pytest.mark.parametrize(
    ("build", "options"),
    [
        (twice, {"target": "interpreter"}),
        (twice, {"target": "auto"}),
        (lambda *laws: near_a_wall(twice(*laws)), {"contacts": "time-stepping"}),
        (lambda *laws: near_a_wall(twice(*laws)), {"contacts": "events"}),
    ],
)
def test_jacobians_end_where_right_hand_sides_contradict_each_other(build: Any, options: dict[str, str]) -> None:
    """As roll-outs do; until then both bars turn on together, so that angles grow by time for each unit of the velocity."""
    compiled = lm.compile(build("0", "0.5*t**3"), **options)
    start = compiled.start({"a_rate": 1.0})
    found = compiled.jacobians(np.tile(start, (2, 1)), 200, 0.01, save_every=1)
    assert (found.status == 1).all() and (found.completed == 4).all()
    assert all("two: it is violated" in reason for reason in found.reasons)
    np.testing.assert_allclose(
        found.matrix, np.tile([[1.0, 0.0, 0.04], [0.0, 1.0, 0.04], [0.0, 0.0, 1.0]], (2, 1, 1)), atol=1e-14
    )
    assert np.isfinite(found.matrices[:, :5]).all() and np.isnan(found.matrices[:, 5:]).all()
    agreeing = lm.compile(build("0.5*t**3", "0.5*t**3"), **options)
    whole = agreeing.jacobians(agreeing.start({"a_rate": 1.0}), 200, 0.01)
    assert whole.status == 0 and whole.reasons == "all steps taken"
    assert whole["a", "b_rate"] == pytest.approx(2.0, rel=1e-12)


def test_a_batch_of_a_driven_ring_is_not_ended_by_the_row_that_the_others_imply() -> None:
    """Bricard's mechanism moves though a count of its conditions forbids it."""
    ring = lm.catalogue.bricard()
    driven = ring.replace(independent=(), joints=[replace(ring.joints[0], drive=lm.Motion("0.2*sin(3*t)")), *ring.joints[1:]])
    compiled = lm.compile(driven)
    batch = compiled.rollout(compiled.start(), 60, 0.05, channels=["last_turn_c_slip"])
    assert batch.status == 0 and np.abs(batch["last_turn_c_slip"]).max() < 1e-9
