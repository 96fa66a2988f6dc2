"""Laws that a trace would change: found out, called from Python instead, and refused where they are no functions."""

import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ControllerError
from locomotor.lie import ops
from locomotor.simulation import Outcome
from oracles.simple import cart, pendulum

Law = Callable[[Any], Mapping[str, Any]]


def hidden_float(c: Any) -> dict[str, Any]:
    """On symbols another value than on numbers, without a complaint."""
    try:
        return {"pull": float(c["rail"])}
    except TypeError:
        return {"pull": 0.0}


def saturates_far_away(c: Any) -> dict[str, Any]:
    """Near the nominal pose the same on symbols and on numbers."""
    try:
        return {"pull": min(max(float(c["rail"]), -0.2), 0.2)}
    except TypeError:
        return {"pull": c["rail"]}


FROZEN: dict[str, Law] = {
    "float in a branch": lambda c: {"pull": 5.0 if float(c["rail"]) > 0.02 else 0.0},
    "float in a branch that no state tried takes": lambda c: {"pull": 5.0 if float(c["rail"]) > 1000.0 else 0.0},
    "float in max": lambda c: {"pull": max(0.0, float(c["rail"]))},
    "float of a numpy function": lambda c: {"pull": 5.0 if float(np.sin(c["rail"])) > 0.02 else 0.0},
    "float of an operation": lambda c: {"pull": 5.0 if float(ops.sin(c["rail"])) > 0.02 else 0.0},
    "numpy scalar": lambda c: {"pull": 5.0 if np.float64(c["rail"]) > 0.02 else 0.0},
    "math": lambda c: {"pull": 5.0 if math.sin(c["rail"]) > 0.02 else 0.0},
    "complex": lambda c: {"pull": 5.0 if complex(c["rail"]).real > 0.02 else 0.0},
    "int": lambda c: {"pull": 5.0 * (int(c["rail"]) > 0)},
    "bool": lambda c: {"pull": 5.0 if c["rail"] else 0.0},
    "comparison": lambda c: {"pull": 5.0 if c["rail"] > 0.02 else 0.0},
    "array": lambda c: {"pull": 5.0 * (np.array([c["rail"]], dtype=float)[0] > 0.02)},
    "swallowed": hidden_float,
    "saturation": saturates_far_away,
    "kind": lambda c: {"pull": 1.0 if isinstance(c["rail"], float) else 0.0},
}


@pytest.mark.parametrize("law", FROZEN.values(), ids=FROZEN)
def test_a_law_that_a_trace_would_change_is_called(law: Law) -> None:
    assert not lm.trace(cart(), controller=lm.Controller(law)).controller_is_traced


TRACED: dict[str, Law] = {
    "numpy": lambda c: {"pull": np.maximum(0.0, np.sin(c["rail"]))},
    "where": lambda c: {"pull": np.where(c["rail"] > 0.02, 5.0, 0.0)},
    "operations": lambda c: {"pull": ops.if_else(c["rail"] > 0.02, 5.0, 0.0)},
    "constant": lambda c: {"pull": float(np.sin(0.5))},
}


@pytest.mark.parametrize("law", TRACED.values(), ids=TRACED)
def test_a_law_that_a_trace_does_not_change_is_traced(law: Law) -> None:
    assert lm.trace(cart(), controller=lm.Controller(law)).controller_is_traced


@pytest.mark.parametrize(
    ("law", "text"),
    [
        (lambda c: {"push": 5.0 if float(c["swing"]) > 0.02 else 0.0}, "if_else(less(0.02, swing), 5, 0)"),
        (lambda c: {"push": max(0.0, float(c["swing"]))}, "max(0, swing)"),
    ],
    ids=["branch", "maximum"],
)
@pytest.mark.parametrize("target", ["auto", "interpreter"])
def test_a_called_law_moves_as_its_expression_does(law: Law, text: str, target: str) -> None:
    settings: dict[str, Any] = {"start": {"swing": -0.1, "swing_rate": 1.0}, "step": 0.002, "target": target}
    one = lm.simulate(pendulum(), 0.3, controller=law, **settings)
    other = lm.simulate(pendulum(), 0.3, inputs={"push": text}, **settings)
    # The same steps of the same equations: round-off.
    np.testing.assert_allclose(one["swing"], other["swing"], atol=1e-13)
    np.testing.assert_allclose(one["push"], other["push"], atol=1e-13)
    assert np.ptp(one["push"]) > 0.0 and one.settings["target"] == other.settings["target"]


@pytest.mark.parametrize(("stepper", "calls"), [("rk4", 4), ("abm4", 2)])
def test_a_called_law_is_asked_at_every_evaluation(stepper: str, calls: int) -> None:
    """Inputs held over a step would make the method one of first order."""
    times: list[float] = []

    def law(c: Any) -> dict[str, Any]:
        times.append(float(c["t"]))
        return {"pull": math.cos(c["t"])}

    run = lm.simulate(cart(), 1.0, start={"rail": -0.5}, controller=law, step=0.01, stepper=stepper)
    # x = -cos(t)/m; Runge-Kutta 4 on t alone is Simpson's rule, h^4/2880 |cos|; Adams-Moulton 19/720 h^4.
    np.testing.assert_allclose(run["rail"], -np.cos(run.time) / 2.0, atol=1e-9)
    inside = [t for t in times if 0.5 <= t < 0.7 - 1e-9]
    assert len(inside) == pytest.approx(20 * (calls + 1), abs=6)  # once for the record; and the states at which it is checked


@pytest.mark.slow
def test_a_law_called_in_an_event_driven_run_moves_as_its_expression_does() -> None:
    bike = lm.catalogue.bicycle(contacts="unilateral")
    settings: dict[str, Any] = {"start": {"speed": 5.0}, "closed": ["rear", "front"], "step": 0.002}
    brake = lm.simulate(bike, 0.3, controller=lambda c: {"front_wheel_torque": -300.0 if c["t"] < 0.1 else 0.0}, **settings)
    told = lm.Controller(lambda c: {"front_wheel_torque": -300.0 if c["t"] < 0.1 else 0.0}, instants=(0.1,))
    again = lm.simulate(bike, 0.3, controller=told, **settings)
    text = lm.simulate(bike, 0.3, inputs={"front_wheel_torque": "if_else(less(t, 0.1), -300, 0)"}, **settings)
    assert [event.name for event in again.events] == [event.name for event in text.events] != []
    assert brake.status.ok
    np.testing.assert_allclose(again["pitch"], text["pitch"], atol=1e-12)


def test_states_of_a_called_law_go_through_events() -> None:
    ball = lm.catalogue.bouncing_ball(restitution=1.0)
    law = lm.Controller(lambda c: {"clock": 1.0 if float(c["z"]) > -1.0 else 0.0}, {"clock": 0.0})
    run = lm.simulate(ball, 1.0, start={"z": 0.2}, controller=law)
    assert len(run.events) > 1
    np.testing.assert_allclose(run["clock"], run.time, atol=1e-12)


def noise() -> Law:
    rng = np.random.default_rng(1)
    return lambda c: {"pull": rng.normal() + c["rail"]}


def integrator() -> Law:
    total = [0.0]

    def law(c: Any) -> dict[str, Any]:
        total[0] += 0.001 * c["rail"]
        return {"pull": -total[0]}

    return law


def sample_and_hold() -> Law:
    held = {"t": -1.0, "pull": 0.0}

    def law(c: Any) -> dict[str, Any]:
        if c["t"] >= held["t"] + 0.01:
            held.update(t=c["t"], pull=-c["rail"])
        return {"pull": held["pull"]}

    return law


def late() -> Law:
    """As every function, until it has been called 500 times."""
    count = itertools.count()
    return lambda c: {"pull": float(c["rail"]) + (1.0 if next(count) > 500 else 0.0)}


@pytest.mark.parametrize("law", [noise, integrator, sample_and_hold, late])
def test_a_law_that_is_no_function_of_its_channels_is_refused(law: Callable[[], Law]) -> None:
    with pytest.raises(ControllerError, match=r"not a function of its channels: .* gave 'pull' the values .* states="):
        lm.simulate(cart(), 0.3, start={"rail": 1.0}, controller=law())


def test_a_law_may_record_what_it_sees() -> None:
    seen: list[float] = []

    def law(c: Any) -> dict[str, Any]:
        seen.append(float(c["rail"]))
        return {"pull": -float(c["rail"])}

    assert lm.simulate(cart(), 0.1, start={"rail": 1.0}, controller=law).status.ok and seen


@pytest.mark.parametrize("value", [np.zeros(3), "much", None], ids=["array", "text", "none"])
def test_what_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(ControllerError, match=r"the controller gives 'pull' the value .* must be a number"):
        lm.simulate(cart(), 0.1, controller=lambda c: {"pull": value})


def test_a_law_may_simulate() -> None:
    """One call from C within another, of the same code."""
    inner = lm.simulate(cart(), 0.05, controller=lambda c: {"pull": float(c["rail"]) + 1.0}, step=0.01)["rail"][-1]

    def law(c: Any) -> dict[str, Any]:
        if c["t"] > 0.045:
            lm.simulate(cart(), 0.02, controller=lambda c: {"pull": float(c["rail"]) + 1.0}, step=0.01)
        return {"pull": float(c["rail"]) + 1.0}

    outer = lm.simulate(cart(), 0.05, controller=law, step=0.01)
    assert outer["rail"][-1] == inner


LATE = [
    pytest.param(lambda c: {"pull": math.nan if float(c["t"]) > 0.05 else 0.0}, "pull", id="called"),
    pytest.param(lambda c: {"pull": ops.sqrt(0.05 - c["t"])}, "pull", id="traced"),
    pytest.param(
        lambda c: {"pull": 1.0 / (0.1 - min(float(c["rail"]), 0.1)) if float(c["rail"]) < 0.1 else math.inf}, "pull", id="of x"
    ),
    pytest.param(lm.Controller(lambda c: {"sum": math.nan if c["t"] > 0.05 else 0.0}, {"sum": 0.0}), "sum", id="a rate"),
]


@pytest.mark.parametrize(("law", "name"), LATE)
@pytest.mark.parametrize("stepper", ["rk4", "dop853"])
def test_a_law_that_gives_no_number_is_named_with_its_instant(law: Any, name: str, stepper: str) -> None:
    with pytest.warns(lm.RunWarning) as caught:
        run = lm.simulate(cart(), 0.5, start={"rail_rate": 1.0}, controller=law, stepper=stepper)
    assert [entry.category for entry in caught] == [lm.RunWarning], "states that are only tried give no warning"
    assert f"the controller gives {name!r} the value" in run.status.detail and not run.status.ok
    told = float(run.status.detail.split("at t = ")[1].split(" s")[0])
    assert run.status.time <= told <= run.status.time + 1e-3


def test_so_is_one_in_an_event_driven_run_and_an_expression() -> None:
    ball = lm.catalogue.bouncing_ball()
    ball = ball.replace(
        inputs=(lm.Input("lift", "N"),),
        forces=(*ball.forces, lm.BodyForce("pull", body="ball", at=(0, 0, 0), components=(0, 0, "lift"))),
    )
    for given, who in (
        ({"controller": lambda c: {"lift": math.nan if float(c["t"]) > 0.05 else 0.0}}, "the controller"),
        ({"inputs": {"lift": "sqrt(0.05 - t)"}}, "its expression"),
    ):
        with pytest.warns(lm.RunWarning, match=f"{who} gives 'lift' the value nan at t = 0.05"):
            lm.simulate(ball, 0.2, start={"z": 1.0}, **given)


def test_a_law_that_is_no_number_from_a_jump_on_ends_an_adaptive_run() -> None:
    """Steps from there on were tried for ever."""
    with pytest.warns(lm.RunWarning, match="its expression gives 'pull' the value nan at t = 0.05"):
        run = lm.simulate(cart(), 0.2, inputs={"pull": "sqrt(0.05 - t)"}, stepper="dop853")
    assert run.status.outcome is Outcome.NOT_FINITE and run.status.time == pytest.approx(0.05)
