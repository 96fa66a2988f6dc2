"""Inputs as numbers and expressions; joints whose motion is imposed."""

import math

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue import bicycle
from locomotor.errors import ControllerError, UnknownNameError
from locomotor.scenarios import scenario
from oracles.simple import cart, pendulum

# -- inputs ---------------------------------------------------------------------------------------------------


def test_constant_input() -> None:
    run = lm.simulate(cart(), 2.0, inputs={"pull": 3.0})
    np.testing.assert_allclose(run["rail"], 0.75 * run.time**2, atol=1e-12)
    assert (run["pull"] == 3.0).all()


def test_input_as_an_expression_of_time() -> None:
    run = lm.simulate(cart(), 2.0, inputs={"pull": "2*cos(3*t)"}, step=0.001)
    # x_ddot = cos 3t from rest; Runge-Kutta's error is (3h)^4/2880 = 3e-14.
    np.testing.assert_allclose(run["rail"], (1 - np.cos(3 * run.time)) / 9, atol=1e-12)
    np.testing.assert_allclose(run["pull"], 2 * np.cos(3 * run.time), atol=1e-15)


def test_input_as_an_expression_of_channels_and_parameters() -> None:
    run = lm.simulate(cart(), 2.0, inputs={"pull": "-m*4*rail"}, start={"rail": 0.5})
    np.testing.assert_allclose(run["rail"], 0.5 * np.cos(2 * run.time), atol=1e-11)


def test_expressions_and_a_controller_give_the_same_turn() -> None:
    """E6, whose law needs no state, written as two expressions."""
    entry = scenario("bicycle/E6")
    law = {
        "steer_torque": "-10*(pi/12*(smooth_step(t, 0, 1) - smooth_step(t, 1, 2)) - steer)",
        "rear_wheel_torque": "40*(20 - rear_wheel_rate)",
    }
    written = entry.run(duration=1.0, controller=None, inputs=law)
    closed = entry.run(duration=1.0)
    for name in ("steer", "roll", "steer_torque", "rear_wheel_torque"):
        np.testing.assert_allclose(written[name], closed[name], atol=1e-11)


def test_unknown_input() -> None:
    with pytest.raises(UnknownNameError, match="no input 'pul': did you mean 'pull'"):
        lm.simulate(cart(), 1.0, inputs={"pul": 1.0})


def test_unknown_name_inside_an_input() -> None:
    with pytest.raises(UnknownNameError, match="no channel is named 'rial': did you mean 'rail'"):
        lm.simulate(cart(), 1.0, inputs={"pull": "2*rial"})


# -- motions --------------------------------------------------------------------------------------------------


def test_imposed_motion_and_the_torque_it_needs() -> None:
    system = pendulum()
    run = lm.simulate(system, 2.0, motions={"swing": "0.5*sin(2*t)"})
    angle, acceleration = 0.5 * np.sin(2 * run.time), -2.0 * np.sin(2 * run.time)
    np.testing.assert_allclose(run["swing"], angle, atol=1e-14)
    torque = 2.0 * 1.5**2 * acceleration + 2.0 * 9.81 * 1.5 * np.sin(angle)
    # The bob's own inertia is 1e-9 kg m^2.
    np.testing.assert_allclose(run["swing_drive_torque"], torque, atol=1e-8)


def test_imposed_steer_of_the_bicycle_agrees_with_the_torque_that_makes_it() -> None:
    """Impose a steer angle, then feed the torque found back as an input: the same motion."""
    start = {"speed": 5.0}
    law = "0.01*(1 - cos(2*t))"
    imposed = lm.simulate(bicycle(), 1.0, motions={"steer": law}, start=start, step=0.0005)
    torques = imposed["steer_drive_torque"]

    def replay(channels: dict[str, float]) -> dict[str, float]:
        t = float(channels["t"])
        return {"steer_torque": float(np.interp(t, imposed.time, torques))}

    free = lm.simulate(bicycle(), 1.0, controller=replay, start=start, step=0.001)
    # The torque is interpolated linearly between samples 0.5 ms apart: 1e-7 N m on 0.3 kg m^2, amplified by the instability.
    np.testing.assert_allclose(free["steer"], imposed["steer"][::2], atol=1e-6)
    np.testing.assert_allclose(free["roll"], imposed["roll"][::2], atol=1e-6)


def test_motion_of_an_unknown_joint() -> None:
    with pytest.raises(UnknownNameError, match="no joint is named 'stear': did you mean 'steer'"):
        lm.simulate(bicycle(), 1.0, motions={"stear": "0"})


def test_bicycle_with_every_joint_imposed_is_kinematic() -> None:
    """Roll, steer and rear wheel given: nothing is left to the dynamics, and yaw depends on the path (remark 2.6)."""
    system = bicycle("mauny2018", base="SE2")
    lean, steer = math.radians(30), math.radians(45)
    # Steer first, then roll: nearly the path (a) of E0, which keeps the body's roll rate at zero instead of the roll.
    motions = {
        "steer": f"{steer}*smooth_step(t, 0, 1)",
        "roll": f"{lean}*smooth_step(t, 1, 2)",
        "rear_wheel": "0",
    }
    run = lm.simulate(system, 2.0, motions=motions, step=0.002)
    assert run.status.ok and run.audit()["largest_gap"] < 1e-9
    end = run.at(2.0)
    assert math.degrees(end["rear_contact_angle"]) % 360 == pytest.approx(182.26427, abs=1e-4)
    assert math.degrees(end["front_contact_angle"]) % 360 == pytest.approx(214.84755, abs=1e-4)
    assert math.degrees(end["yaw"]) == pytest.approx(3.95, abs=0.01)
    # The path is a matter of geometry: at another pace it ends in the same place.
    slower = lm.simulate(system, 4.0, motions={name: law.replace("t, ", "t/2, ") for name, law in motions.items()})
    assert slower.at(4.0)["yaw"] == pytest.approx(end["yaw"], abs=1e-8)


def test_parameters_change_the_system_of_the_run() -> None:
    run = lm.simulate(pendulum(), 1.0, start={"swing": 1e-4}, parameters={"l": 0.5})
    np.testing.assert_allclose(run["swing"], 1e-4 * np.cos(math.sqrt(9.81 / 0.5) * run.time), atol=1e-11)
    assert run.parameters["l"] == 0.5
    with pytest.raises(UnknownNameError, match="no parameter is named 'length'"):
        lm.simulate(pendulum(), 1.0, parameters={"length": 0.5})


@pytest.mark.parametrize("given", [1.0, "sin(t)"])
@pytest.mark.parametrize("law", [lambda c: {"pull": 2.0}, lambda c: {"pull": 2.0 if float(c["t"]) > 0.05 else 1.0}])
def test_an_input_is_given_once(given: object, law: object) -> None:
    """What `inputs` said used to yield to the controller without a word."""
    with pytest.raises(ControllerError, match="'pull' is given in inputs, and the controller sets it too; leave it out"):
        lm.simulate(cart(), 0.1, inputs={"pull": given}, controller=law)
