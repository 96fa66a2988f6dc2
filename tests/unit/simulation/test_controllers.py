"""Feedback laws: traced into the kernel when they can be, called from Python when not, the same either way."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue import bicycle
from locomotor.errors import UnknownNameError
from locomotor.scenarios.bicycle.held_turn import steering_law
from oracles.simple import cart, pendulum

Law = Callable[[Any], Mapping[str, Any]]


def numbers_only(law: Law) -> Law:
    """The same law, refusing symbols, so that it is called from Python."""

    def refuse(channels: Any) -> Mapping[str, Any]:
        math.cos(channels["t"])
        return law(channels)

    return refuse


def assert_same_run(one: lm.Run, other: lm.Run, tolerance: float, amplified: Mapping[str, float]) -> None:
    assert set(one.channels) == set(other.channels)
    for name, values in one.channels.items():
        # Forces of one kind share the round-off of the largest of them (the small ones are differences of weights).
        scale = max(1.0, *(float(np.abs(v).max()) for v in one.group(one.about[name].group).values()), amplified.get(name, 0.0))
        assert np.abs(values - other[name]).max() <= tolerance * scale, name


@pytest.mark.parametrize("stepper", ["rk4", "abm4", "abm5", "dop853"])
def test_traced_and_called_laws_give_the_same_run(stepper: str) -> None:
    law = steering_law()
    called = lm.Controller(numbers_only(law.law), law.states)
    settings: dict[str, Any] = {"start": {"speed": 6.0, "roll": 0.02}, "stepper": stepper}
    if stepper != "dop853":
        settings["step"] = 0.005
    traced = lm.simulate(bicycle(), 0.5, controller=law, **settings)
    python = lm.simulate(bicycle(), 0.5, controller=called, **settings)
    # Round-off of 100 steps.
    # That of the wheel's rate goes into the drive's power with the gain of the law, times the rate.
    assert_same_run(traced, python, 1e-12, {"rear_wheel_drive_power": 20.0 * np.abs(traced["rear_wheel_rate"]).max()})
    assert np.abs(traced["steer_torque"]).max() > 0.01


def test_a_law_with_a_branch_is_called_from_python() -> None:
    def bang_bang(channels: Any) -> dict[str, Any]:
        return {"pull": -1.0 if channels["rail"] > 0 else 1.0}

    run = lm.simulate(cart(), 2.0, start={"rail": 1.0}, controller=bang_bang, step=0.001)
    early = run.time < 1.0
    # x = 1 - t^2/4 while x > 0.
    np.testing.assert_allclose(run["rail"][early], 1.0 - run.time[early] ** 2 / 4, atol=1e-12)
    assert run["pull"][0] == -1.0 and run.status.ok


def test_states_of_a_controller_are_integrated_and_recorded() -> None:
    """PI control of a double integrator: the states of the loop are those of a linear system."""

    def law(channels: Any) -> dict[str, Any]:
        error = 1.0 - channels["rail"]
        return {"pull": 6.0 * error + 4.0 * channels["sum"] - 8.0 * channels["rail_rate"], "sum": error}

    run = lm.simulate(cart(), 3.0, controller=lm.Controller(law, {"sum": 0.0}), step=0.001)
    A = np.array([[0.0, 1.0, 0.0], [-3.0, -4.0, 2.0], [-1.0, 0.0, 0.0]])
    b = np.array([0.0, 3.0, 1.0])
    values, vectors = np.linalg.eig(A)
    rest = -np.linalg.solve(A, b)
    weights = np.linalg.solve(vectors, -rest.astype(complex))
    exact = rest[:, None] + (vectors @ (weights[:, None] * np.exp(values[:, None] * run.time))).real
    # Error of Runge-Kutta 4 with h = 0.001 and rates of order 3: 1e-12.
    for name, wanted in zip(("rail", "rail_rate", "sum"), exact, strict=True):
        np.testing.assert_allclose(run[name], wanted, atol=1e-11)


def test_a_plain_function_is_a_controller() -> None:
    damped = lm.simulate(pendulum(), 1.0, start={"swing": 0.4}, controller=lambda c: {"push": -0.7 * c["swing_rate"]})
    friction = lm.simulate(pendulum(0.7), 1.0, start={"swing": 0.4})
    np.testing.assert_allclose(damped["swing"], friction["swing"], atol=1e-13)


def test_inputs_left_out_are_zero() -> None:
    free = lm.simulate(bicycle(), 0.2, start={"speed": 5.0, "roll": 0.1})
    idle = lm.simulate(bicycle(), 0.2, start={"speed": 5.0, "roll": 0.1}, controller=lambda c: {})
    np.testing.assert_allclose(idle["steer"], free["steer"], atol=1e-14)


def test_controller_and_constant_inputs_together() -> None:
    run = lm.simulate(
        bicycle(),
        0.1,
        start={"speed": 5.0},
        inputs={"rear_wheel_torque": 2.0},
        controller=lambda c: {"steer_torque": 0.1 * c["roll"] + 0.3},
    )
    assert run["rear_wheel_torque"][-1] == 2.0 and run["steer_torque"][0] == pytest.approx(0.3)


@pytest.mark.parametrize("wrap", [lambda law: law, numbers_only], ids=["traced", "called"])
def test_unknown_channel_suggests_the_nearest(wrap: Callable[[Law], Law]) -> None:
    with pytest.raises(UnknownNameError, match="no channel is named 'stear': did you mean 'steer'"):
        lm.simulate(bicycle(), 0.1, controller=wrap(lambda c: {"steer_torque": c["stear"]}))


@pytest.mark.parametrize("wrap", [lambda law: law, numbers_only], ids=["traced", "called"])
def test_unknown_returned_name_suggests_the_nearest(wrap: Callable[[Law], Law]) -> None:
    with pytest.raises(UnknownNameError, match="sets 'steer_torq', which is no input: did you mean 'steer_torque'"):
        lm.simulate(bicycle(), 0.1, controller=wrap(lambda c: {"steer_torq": c["roll"]}))


def test_a_law_must_return_a_mapping() -> None:
    with pytest.raises(TypeError, match=r"the controller returned float; it must return a mapping .* inputs \(push\)"):
        lm.simulate(pendulum(), 0.1, controller=lambda c: 0.0)  # type: ignore[arg-type,return-value]


def test_a_mistake_inside_a_law_is_shown_as_it_is() -> None:
    def broken(channels: Any) -> dict[str, Any]:
        raise ZeroDivisionError("inside the law")

    with pytest.raises(ZeroDivisionError, match="inside the law"):
        lm.simulate(pendulum(), 0.1, controller=broken)


def test_laws_see_angles_and_time() -> None:
    names: set[str] = set()

    def spy(channels: Any) -> dict[str, Any]:
        names.update(channels)
        return {}

    lm.simulate(bicycle(), 0.01, start={"speed": 5.0}, controller=spy)
    assert {"t", "time", "roll", "pitch", "yaw", "steer", "rear_wheel_rate", "front_contact_angle"} <= names
