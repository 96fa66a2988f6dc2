"""Dampers of joints in steps of time-stepping: however strong they are for the step, what they brake slows down."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.model import Joint
from locomotor.simulation.stepping import ContactSettings, SteppedSystem, compile_stepping

INERTIA, SPEED = 0.02, 3.0
KINDS = [
    pytest.param("traced", 2, id="written out"),
    pytest.param("traced", 1, id="written out, one pass"),
    pytest.param("runtime", 2, id="in the runtime"),
    pytest.param("runtime", 1, id="in the runtime, one pass"),
]


def stepped(system: lm.System, solver: str, passes: int, target: str = "interpreter") -> SteppedSystem:
    return compile_stepping(system, "time-stepping", target=target, settings=ContactSettings(solver=solver, passes=passes))


def turntable(damping: Any, joint: Joint | None = None, parameters: Mapping[str, float] | None = None) -> lm.System:
    """A wheel without weight on the upright axis of a block that stands on rough ground: nothing else moves."""
    corners = [(x, y, -0.1) for x in (-0.2, 0.2) for y in (-0.2, 0.2)]
    law = lm.Unilateral(friction=0.8)
    return lm.System(
        "turntable",
        bodies=(
            lm.Body("block", 5.0, inertia=(0.1, 0.1, 0.1)),
            lm.Body("wheel", 1e-9, inertia=(INERTIA, INERTIA, INERTIA)),
        ),
        joints=(
            lm.Free(name="base", parent="world", child="block"),
            joint or lm.Revolute(name="turn", parent="block", child="wheel", at=(0, 0, 0.1), axis=(0, 0, 1)),
        ),
        contacts=tuple(lm.StickingPoint(f"corner_{k}", "block", at=at, law=law) for k, at in enumerate(corners)),
        forces=(lm.Gravity((0, 0, -9.81)), lm.JointDamper("oil", "turn", damping)),
        parameters=parameters or {},
        nominal={"z": 0.1},
    )


@pytest.mark.parametrize(("solver", "passes"), KINDS)
@pytest.mark.parametrize("damping", [0.5, 20.0])
def test_what_is_damped_slows_down_by_the_mean_of_both_velocities(damping: float, solver: str, passes: int) -> None:
    """I (w+ - w) = -h d (w + w+)/2; taken at the start, h d/I = 10 makes w grow eleven- to fortyfold a step."""
    h, steps = 0.01, 5
    compiled = stepped(turntable(damping), solver, passes)
    x = compiled.start({"z": 0.1, "turn_rate": SPEED})
    run = compiled.rollout(x, steps, h)
    half = 0.5 * h * damping / INERTIA
    wanted = SPEED * ((1.0 - half) / (1.0 + half)) ** np.arange(steps + 1)
    np.testing.assert_allclose(np.ravel(run["turn_rate"]), wanted, rtol=1e-7, atol=1e-9)
    assert not run.status.any()


@pytest.mark.parametrize(("solver", "passes"), KINDS)
def test_dampers_are_of_second_order_in_both_passes(solver: str, passes: int) -> None:
    """Of w = w0 exp(-d t/I); one pass takes other forces at the start, which are none here."""
    compiled, end = stepped(turntable(0.5), solver, passes), 0.08
    x = compiled.start({"z": 0.1, "turn_rate": SPEED})
    place = compiled.state_names.index("turn_rate")
    wrong = [
        abs(np.ravel(compiled.rollout(x, n, end / n, save_every=0).final)[place] - SPEED * np.exp(-0.5 * end / INERTIA))
        for n in (8, 16)
    ]
    assert wrong[0] / wrong[1] == pytest.approx(4.0, abs=0.2)


@pytest.mark.parametrize("solver", ["traced", "runtime"])
@pytest.mark.parametrize("law", ["2.0 - 20.0*turn_rate", "2.0 - 20.0*tanh(turn_rate)"])
def test_laws_that_resist_the_rate_of_their_joint_are_dampers(law: str, solver: str) -> None:
    """Servos of robots from files: from rest both have the slope 20 and the effort 2."""
    plain = turntable(0.0)
    servo = plain.replace(forces=(lm.Gravity((0, 0, -9.81)), lm.JointForce("servo", "turn", law)))
    driven = plain.replace(
        forces=plain.forces[:1],
        joints=(plain.joints[0], lm.Revolute(name="turn", parent="block", child="wheel", axis=(0, 0, 1), drive=lm.Torque(law))),
    )
    for system in (servo, driven):
        compiled, h = stepped(system, solver, 1), 0.01
        run = compiled.rollout(compiled.start({"z": 0.1}), 1, h, save_every=0)
        found = np.ravel(run.final)[compiled.state_names.index("turn_rate")]
        assert found == pytest.approx(h * 2.0 / (INERTIA + 0.5 * h * 20.0), rel=1e-6)


def test_a_law_without_a_slope_at_rest_is_taken_as_it_is() -> None:
    """The slope of the root of a size is infinite where that vanishes."""
    plain = turntable(0.0)
    system = plain.replace(forces=(lm.Gravity((0, 0, -9.81)), lm.JointForce("seal", "turn", "1.0 - sqrt(abs(turn_rate))")))
    compiled, h = stepped(system, "traced", 1), 0.001
    run = compiled.rollout(compiled.start({"z": 0.1}), 1, h, save_every=0)
    assert np.ravel(run.final)[compiled.state_names.index("turn_rate")] == pytest.approx(h / INERTIA, rel=1e-6)


@pytest.mark.parametrize("passes", [1, 2])
def test_the_straight_step_of_devices_damps_alike(passes: int) -> None:
    stepping = stepped(turntable(20.0), "runtime", passes).stepping
    assert stepping.device_step is not stepping.step
    names = [field.name for field in stepping.step.inputs[1].fields]
    x = np.zeros(len(names))
    for name, value in {"qw": 1.0, "z": 0.1, "turn_rate": SPEED, "speed": 0.1}.items():
        x[names.index(name)] = value
    arguments = (np.zeros(1), x, np.zeros(0), np.zeros(stepping.step.inputs[3].size), np.array([0.01]))
    for one, other in zip(stepping.step(*arguments), stepping.device_step(*arguments), strict=True):
        np.testing.assert_allclose(np.ravel(other), np.ravel(one), rtol=0, atol=1e-10)


@pytest.mark.parametrize("solver", ["traced", "runtime"])
def test_a_damped_ball_joint_slows_down_about_any_axis(solver: str) -> None:
    h, damping, ball = 0.01, 20.0, lm.Spherical(name="turn", parent="block", child="wheel", at=(0, 0, 0.1))
    compiled = stepped(turntable(damping, ball), solver, 2)
    rates = np.array([1.0, -2.0, 0.5])
    x = compiled.start({"z": 0.1, "turn_wx": rates[0], "turn_wy": rates[1], "turn_wz": rates[2]})
    run = compiled.rollout(x, 1, h, save_every=0)
    half = 0.5 * h * damping / INERTIA
    names = compiled.state_names
    found = np.ravel(run.final)[[names.index(f"turn_w{axis}") for axis in "xyz"]]
    # The block turns a little when it is pushed about: it stands, and its corners bear that.
    np.testing.assert_allclose(found, rates * (1.0 - half) / (1.0 + half), rtol=1e-6)


def test_a_free_coefficient_and_one_that_drives() -> None:
    """A negative damper drives: it is taken as it is known beforehand, w+ = w (1 + x + x²/2) in two passes."""
    compiled = lm.compile(turntable("c", parameters={"c": 1.0}), contacts="time-stepping", free=("c",), target="interpreter")
    x = compiled.start({"z": 0.1, "turn_rate": SPEED})
    place, h = compiled.state_names.index("turn_rate"), 0.01
    run = compiled.rollout(np.tile(x, (2, 1)), 1, h, save_every=0, parameters=np.array([[20.0], [-0.5]]))
    half, driven = 0.5 * h * 20.0 / INERTIA, 0.5 * h / INERTIA
    wanted = SPEED * np.array([(1.0 - half) / (1.0 + half), 1.0 + driven + 0.5 * driven**2])
    np.testing.assert_allclose(run.final[:, place], wanted, rtol=1e-7)


@pytest.mark.parametrize("passes", [1, 2])
def test_light_limbs_on_strong_dampers_lose_energy(passes: int) -> None:
    """A hip of three hinges with 5 N m s/rad on a shank of 0.03 kg m² at 5 ms: stretched out it is light about its length."""
    bodies: list[Any] = [lm.Body("trunk", 8.0, inertia=(0.1, 0.1, 0.05))]
    joints: list[Joint] = [lm.Free(name="base", parent="world", child="trunk")]
    parent = "trunk"
    for name, axis in (("x", (1, 0, 0)), ("z", (0, 0, 1)), ("y", (0, 1, 0))):
        last = name == "y"
        bodies.append(
            lm.Body("shank", 4.0, com=(0, 0, -0.2), inertia=(0.03, 0.03, 0.004)) if last else lm.Frame(f"link_{name}")
        )
        joints.append(
            lm.Revolute(
                name=f"hip_{name}",
                parent=parent,
                child=bodies[-1].name,
                at=(0, 0, -0.2) if name == "x" else (0, 0, 0),
                axis=axis,
            )
        )
        parent = bodies[-1].name
    system = lm.System(
        "hip",
        bodies,
        joints,
        contacts=[lm.StickingPoint("foot", "shank", at=(0, 0, -0.4), law=lm.Unilateral(friction=0.6))],
        forces=[lm.JointDamper(f"oil_{name}", f"hip_{name}", 5.0) for name in "xyz"],
        nominal={"z": 2.0},
    )
    compiled = stepped(system, "traced", passes)
    rng, count = np.random.default_rng(4), 16
    x = np.tile(compiled.start({"z": 2.0}), (count, 1))
    names = list(compiled.state_names)
    for name in "xyz":
        x[:, names.index(f"hip_{name}")] = rng.uniform(-0.5, 0.5, count)
        x[:, names.index(f"hip_{name}_rate")] = rng.uniform(-1.0, 1.0, count)
    run = compiled.rollout(x, 200, 0.005, channels=("kinetic_energy",))
    energy = run["kinetic_energy"]
    assert not run.status.any()
    assert (energy[:, 1:] <= energy[:, :-1] * (1.0 + 0.02)).all() and (energy[:, -1] < energy[:, 0]).all()
