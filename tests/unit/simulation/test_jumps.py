"""Laws that jump in time: found in the formula, stepped onto by every stepper and in batches, each side with its own value."""

import math
from typing import Any

import casadi
import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import QuantityError
from locomotor.lie import ops
from locomotor.model import parse
from locomotor.simulation.inputs.breaks import breaks
from locomotor.simulation.inputs.instants import BreaksWarning, breaks_of_system, switch_instants
from oracles.simple import cart

STEPPERS = ("rk4", "abm4", "abm5", "dop853")
ON = 0.3


def position(t: Any, form: str) -> Any:
    """Of a mass of 2 kg that 10 N pull, after 0.3 s or until then: parabolas."""
    if form == "after":
        return np.where(t > ON, 2.5 * (t - ON) ** 2, 0.0)
    return np.where(t < ON, 2.5 * t**2, 2.5 * ON**2 + 5.0 * ON * (t - ON))


FORMS = {
    "after": ("10 if t > 0.3 else 0", "if_else(less(0.3, t), 10, 0)", "10 - (10 if t < 0.3 else 0)", "5 + 5*sign(t - 0.3)"),
    "until": ("10 if t < 0.3 else 0", "if_else(less(0.3, t), 0, 10)", "5 - 5*sign(2*t - 0.6)"),
}


@pytest.mark.parametrize("stepper", STEPPERS)
@pytest.mark.parametrize("step", [0.01, 0.007, 0.1], ids=["on the grid", "off the grid", "coarse"])
def test_a_force_that_jumps_moves_a_mass_on_parabolas(stepper: str, step: float) -> None:
    for form, texts in FORMS.items():
        for text in texts:
            settings: dict[str, Any] = {"stepper": stepper} | ({} if stepper == "dop853" else {"step": step})
            run = lm.simulate(cart(), 0.8, inputs={"pull": text}, target="interpreter", **settings)
            # Every method is exact for a constant force; one stage with a value of the wrong side moves it by 1e-3 m.
            np.testing.assert_allclose(run["rail"], position(run.time, form), atol=1e-13, err_msg=text)


@pytest.mark.parametrize("stepper", STEPPERS[:3])
def test_compiled_steps_end_there_too(stepper: str) -> None:
    for form, texts in FORMS.items():
        run = lm.simulate(cart(), 0.8, inputs={"pull": texts[0]}, stepper=stepper, step=0.007, target="c")
        np.testing.assert_allclose(run["rail"], position(run.time, form), atol=1e-13)


WRITTEN: dict[str, Any] = {
    "if_else": lambda c: ops.if_else(c["t"] > ON, 10.0, 0.0),
    "at most": lambda c: 10.0 - ops.if_else(c["time"] <= ON, 10.0, 0.0),
    "product": lambda c: 10.0 * (c["t"] >= ON),
    "sign": lambda c: 5.0 + 5.0 * np.sign(2.0 * c["t"] - 2.0 * ON),
    "both": lambda c: ops.if_else(ops.logic_and(c["t"] > ON, c["rail"] < 100.0), 10.0, 0.0),
    "either": lambda c: ops.if_else(casadi.logic_or(c["t"] > ON, c["t"] < -1.0), 10.0, 0.0),
    "not": lambda c: ops.if_else(casadi.logic_not(c["t"] < ON), 10.0, 0.0),
    "whole part": lambda c: 10.0 * np.fmin(1.0, casadi.floor(c["t"] / ON)),
    "endless": lambda c: ops.if_else(c["t"] > ON, 10.0, ops.fmin(0.0, np.inf * (1.0 + c["rail"] ** 2))),
    "nested": lambda c: ops.if_else(ops.fabs(ops.if_else(c["t"] < ON, -1.0, 1.0) - 1.0) < 0.5, 10.0, 0.0 * c["rail_rate"]),
}


@pytest.mark.parametrize("law", WRITTEN.values(), ids=WRITTEN)
@pytest.mark.parametrize("stepper", ["rk4", "dop853"])
def test_jumps_are_found_in_laws_written_in_python(law: Any, stepper: str) -> None:
    """Such a law kept its instants to itself, and steps passed them by: 7e-4 m in 0.8 s."""
    settings: dict[str, Any] = {} if stepper == "dop853" else {"step": 0.007}
    run = lm.simulate(cart(), 0.8, controller=lambda c: {"pull": law(c)}, stepper=stepper, target="interpreter", **settings)
    np.testing.assert_allclose(run["rail"], position(run.time, "after"), atol=1e-13)


def test_a_square_wave_written_in_python_and_its_poles() -> None:
    def wave(c: Any) -> dict[str, Any]:
        return {"pull": ops.if_else(casadi.fmod(c["t"], 0.5) < 0.2, 3.0, 0.0)}

    def pole(c: Any) -> dict[str, Any]:
        return {"pull": 1.0 / (c["t"] - ON)}

    found = switch_instants(cart(), lm.Controller(wave), 0.0, 1.4, 0.01)
    np.testing.assert_allclose(found, [0.2, 0.5, 0.7, 1.0, 1.2], atol=1e-15)
    with pytest.raises(QuantityError, match=r"grows without bound at t = 0\.3 s"):
        lm.simulate(cart(), 0.8, controller=pole)


def test_jumps_of_a_python_law_in_an_event_driven_run() -> None:
    """A ball that is lifted for a while: no contact, a parabola in three parts."""
    ball = lm.catalogue.bouncing_ball()
    ball = ball.replace(
        inputs=(lm.Input("lift", "N"),),
        forces=(*ball.forces, lm.BodyForce("pull", body="ball", at=(0, 0, 0), components=(0, 0, "lift"))),
    )
    run, other = (
        lm.simulate(ball, 0.3, start={"z": 5.0}, step=0.007, **given)
        for given in (
            {"controller": lambda c: {"lift": ops.if_else(c["t"] > 0.1234, 7.0, 0.0)}},
            {"inputs": {"lift": "7 if t > 0.1234 else 0"}},
        )
    )
    np.testing.assert_allclose(run["z"][-1], other["z"][-1], rtol=0, atol=1e-14)


def test_what_is_zero_for_a_while_does_not_break_there() -> None:
    np.testing.assert_allclose(breaks(parse("max(0, max(0, t - 0.5))"), "t", {}, 0.0, 1.0), [0.5], atol=1e-12)


@pytest.mark.parametrize("called", [False, True])
def test_expressions_beside_a_controller_are_stepped_onto_too(called: bool) -> None:
    bodies = [lm.Body(f"body_{name}", 2.0, inertia=(1, 1, 1)) for name in "ab"]
    joints = [
        lm.Prismatic(name=name, parent="world", child=f"body_{name}", axis=(1, 0, 0), drive=lm.Torque(f"pull_{name}"))
        for name in "ab"
    ]
    pair = lm.System("pair", bodies, joints, inputs=[lm.Input("pull_a", "N"), lm.Input("pull_b", "N")])

    def law(channels: Any) -> dict[str, Any]:
        return {"pull_b": -float(channels["b"]) if called else -channels["b"]}

    for form, texts in FORMS.items():
        run = lm.simulate(pair, 0.8, inputs={"pull_a": texts[0]}, controller=law, step=0.007, target="interpreter")
        np.testing.assert_allclose(run["a"], position(run.time, form), atol=1e-13)


@pytest.mark.parametrize("text", ["10 if t > 0 else 0", "10 if t < 0.8 else -1000", "0 if t < 0 else 10"])
@pytest.mark.parametrize("stepper", STEPPERS)
def test_jumps_at_the_start_and_at_the_end_belong_to_what_is_outside(text: str, stepper: str) -> None:
    run = lm.simulate(cart(), 0.8, inputs={"pull": text}, stepper=stepper, target="interpreter")
    np.testing.assert_allclose(run["rail"], 2.5 * run.time**2, atol=1e-13)


def flying(law: str) -> lm.System:
    """A mass that falls on a floor, which it does not reach, and is pulled along."""
    return lm.System(
        "stone",
        [lm.Body("stone", mass=2.0, inertia=(1.0, 1.0, 1.0))],
        [lm.Translation(name="base", parent="world", child="stone")],
        contacts=[lm.SlidingPoint("floor", body="stone", at=(0, 0, 0), law=lm.Unilateral())],
        forces=[lm.Gravity(), lm.BodyForce("engine", body="stone", at=(0, 0, 0), components=(law, 0.0, 0.0))],
    )


@pytest.mark.parametrize("form", FORMS)
def test_event_driven_steps_end_there_too(form: str) -> None:
    for text in FORMS[form][:2]:
        run = lm.simulate(flying(text), 0.5, start={"z": 9.0}, step=0.007)
        # 1e-14 s beside the jump at most.
        np.testing.assert_allclose(run["x"], position(run.time, form), atol=1e-13)
        assert np.count_nonzero(run.time == ON) == 2 and run.time[0] == 0.0 and run.time[-1] == 0.5


SWUNG = "3*cos(4*t) if t > 0.3 else -2"


def swing(law: str = SWUNG, **parameters: float) -> lm.System:
    return lm.System(
        "swing",
        [lm.Body("bob", mass=1.0, com=(0, 0, -1.0), inertia=(1e-3, 1e-3, 1e-3))],
        [lm.Revolute(name="swing", parent="world", child="bob", axis=(0, 1, 0), drive=lm.Torque(law))],
        forces=[lm.Gravity()],
        parameters=parameters,
    )


@pytest.mark.parametrize(("stepper", "order"), [("rk4", 4), ("abm4", 4), ("abm5", 5)])
@pytest.mark.parametrize("target", ["c", "simd", "interpreter"])
def test_methods_keep_their_order_through_a_jump(stepper: str, order: int, target: str) -> None:
    compiled = lm.compile(swing(), target=target)
    start = compiled.start({"swing": 0.4})
    exact = lm.simulate(swing(), 1.0, start={"swing": 0.4}, stepper=lm.Adaptive(rtol=1e-13, atol=1e-14))["swing"][-1]
    errors = [
        abs(compiled.rollout(np.tile(start, (3, 1)), n, 1.0 / n, stepper=stepper, save_every=0).final[2, 0] - exact)
        for n in (41, 82)  # 0.3 is no multiple of either step
    ]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35)  # the orders themselves are measured elsewhere


def test_jumps_that_depend_on_a_parameter_are_those_of_each_instance() -> None:
    system = swing("(2 if t > late else 0)", late=0.2)
    compiled = lm.compile(system, free=("late",), target="c")
    late = np.array([[0.11], [0.2], [0.513]])
    found = compiled.rollout(np.tile(compiled.start({"swing": 0.4}), (3, 1)), 50, 0.02, parameters=late)
    for row, (value,) in zip(found.final, late, strict=True):
        alone = lm.simulate(system.with_parameters(late=value), 1.0, start={"swing": 0.4}, stepper="dop853")
        assert row[0] == pytest.approx(alone["swing"][-1], abs=1e-7)  # h^4 = 1.6e-7; 2e-3 if a jump were missed
    many = np.linspace(0.1, 0.9, 300)[:, None]
    with pytest.warns(BreaksWarning, match="depend on late, of which the batch has 300 different values"):
        compiled.rollout(np.tile(compiled.start({"swing": 0.4}), (300, 1)), 2, 0.02, parameters=many)


def test_derivatives_go_through_a_jump() -> None:
    compiled = lm.compile(swing(), target="c")
    start = compiled.start({"swing": 0.4})
    matrix = compiled.jacobians(start, 41, 1.0 / 41).matrix
    nudge = 1e-6 * np.eye(2)
    ends = compiled.rollout(np.concatenate([start + nudge, start - nudge]), 41, 1.0 / 41).final
    np.testing.assert_allclose(matrix, (ends[:2] - ends[2:]).T / 2e-6, atol=1e-8)


@pytest.mark.parametrize("contacts", ["events", "time-stepping"])
def test_steps_that_hold_contacts_end_there_too(contacts: str) -> None:
    compiled = lm.compile(flying("10 if t > 0.3 else 0"), contacts=contacts, target="c")
    found = compiled.rollout(compiled.start({"z": 9.0}), 50, 0.01003)
    t = 50 * 0.01003
    # A constant force: 1e-13 s beside the jump. The velocity is exact for both; of time-stepping the place is of first order.
    assert found["x_rate"][-1] == pytest.approx(5.0 * (t - ON), abs=1e-11)


def test_narrow_pulses_are_found() -> None:
    law = parse("max(0, sin(5*t) - 0.9999999)")
    half = math.acos(0.9999999) / 5.0
    peaks = math.pi / 10.0 + 2.0 * math.pi / 5.0 * np.arange(4)
    exact = np.sort(np.concatenate([peaks - half, peaks + half]))
    np.testing.assert_allclose(breaks(law, "t", {}, 0.0, 5.0), exact, atol=1e-11)
    system = swing("max(0, sin(5*t) - 0.9999999)")
    np.testing.assert_allclose(switch_instants(system, None, 0.0, 5.0), exact, atol=1e-11)


def test_kinks_beside_a_narrow_one_are_found() -> None:
    """A tent too narrow for any grid, flat at both sides, cut at half its height: the outer kinks are found from the inner."""
    law = parse("max(0, max(0, 1 - abs(t - 0.3)/w) - 0.5)")
    for width in (1e-4, 1e-6):
        exact = 0.3 + width * np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
        np.testing.assert_allclose(breaks(law, "t", {"w": width}, 0.0, 5.0), exact, atol=1e-14)


def test_fast_pulses_are_found_to_the_step() -> None:
    found = breaks_of_system(swing("1 if sin(400*t) > 0 else 0")).between({}, 0.1, 60.0, step=0.001)
    assert len(found) == math.floor(60.0 * 400.0 / math.pi) - math.floor(0.1 * 400.0 / math.pi)


def test_a_system_without_conditions_on_time_has_no_breaks() -> None:
    assert not breaks_of_system(swing("sin(t)")) and not breaks_of_system(swing("1 if swing > 0 else 0"))
    assert not lm.compile(swing("sin(t)"), target="c").roller.program.breaks


def test_a_called_law_steps_onto_the_instants_it_tells() -> None:
    law = lm.Controller(lambda c: {"pull": 10.0 if float(c["t"]) > 0.3 else 0.0}, instants=(0.3,))
    for stepper in STEPPERS:
        run = lm.simulate(cart(), 0.8, controller=law, stepper=stepper)
        np.testing.assert_allclose(run["rail"], position(run.time, "after"), atol=1e-13)


def test_adaptive_steps_ask_a_law_beside_its_instants_only() -> None:
    """At the instant itself a law has the value of one side, which the other side must not see."""
    times: list[float] = []

    def law(c: Any) -> dict[str, Any]:
        times.append(float(c["t"]))
        return {"pull": 10.0 if float(c["t"]) > ON else 0.0}

    run = lm.simulate(cart(), 0.8, controller=lm.Controller(law, instants=(ON,)), stepper="dop853", sample=0.8)
    assert run["rail"][-1] == pytest.approx(position(0.8, "after"), abs=1e-13)
    near = [t - ON for t in times if abs(t - ON) < 1e-6]
    assert near and 0.0 not in near and min(near) < 0.0 < max(near)


@pytest.mark.parametrize("law", ["1/(t - 0.5)**2", "3/(t - 0.5)", "tan(pi*t)", "1/sqrt(abs(t - 0.5))"])
def test_a_law_that_grows_without_bound_is_refused(law: str) -> None:
    law = law.replace("pi", repr(math.pi))
    for stepper in ("rk4", "dop853"):
        with pytest.raises(QuantityError, match=r"grows without bound at t = 0\.5 s; limit it there"):
            lm.simulate(cart(), 1.0, inputs={"pull": law}, stepper=stepper, target="interpreter")
    lm.simulate(cart(), 0.4, inputs={"pull": law}, step=0.1, target="interpreter")  # it ends before


@pytest.mark.parametrize("law", ["min(1/abs(t - 0.5), 5)", "sign(t - 0.5)", "abs(t - 0.5)", "1e7 if t > 0.5 else 1e-7"])
def test_laws_that_jump_or_bend_are_no_poles(law: str) -> None:
    assert lm.simulate(cart(), 1.0, inputs={"pull": law}, step=0.1, target="interpreter").status.completed
