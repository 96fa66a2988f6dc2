"""Stiff systems: implicit steps in runs and batches, and what "auto" takes; explicit ones too long: test_step_limit.py."""

import math
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ArgumentError, StepperError
from locomotor.simulation.stiffness import rounded_down, stable
from oracles.simple import cart, spinning_body

START = {"upper": 0.5}


def double_pendulum(stiffness: float, damping: float = 0.0) -> lm.System:
    """Two rods of 1 m and 1 kg, hinged to each other with a spring that keeps them in line."""
    rod = {"mass": 1.0, "com": (0.0, 0.0, -0.5), "inertia": (1 / 12, 1 / 12, 0.0)}
    forces: list[Any] = [lm.Gravity((0, 0, -9.81)), lm.JointSpring("spring", "lower", stiffness)]
    if damping:
        forces.append(lm.JointDamper("damper", "lower", damping))
    return lm.System(
        "double pendulum",
        bodies=(lm.Body("thigh", **rod), lm.Body("shank", **rod)),
        joints=(
            lm.Revolute((0, 1, 0), name="upper", parent="world", child="thigh"),
            lm.Revolute((0, 1, 0), name="lower", parent="thigh", child="shank", at=(0, 0, -1.0)),
        ),
        forces=tuple(forces),
    )


def rigid_pendulum(times: Any) -> Any:
    """The angle of one rod of 2 m by SciPy: theta'' = -3 g / (2 l) sin(theta)."""
    from scipy.integrate import solve_ivp

    rate = lambda t, y: [y[1], -1.5 * 9.81 / 2.0 * math.sin(y[0])]  # noqa: E731 - the law reads best on one line
    return solve_ivp(rate, (0.0, times[-1]), [0.5, 0.0], t_eval=times, rtol=1e-12, atol=1e-12).y[0]


@pytest.mark.parametrize("stepper", ["midpoint", "generalised-alpha", lm.Implicit(0.0)])
def test_a_very_stiff_double_pendulum_is_one_rod(stepper: Any) -> None:
    """The spring bends by 1e-7 rad, its mode takes 0.2 ms: steps of 10 and 5 ms converge to the rigid rod, at order 2."""
    errors = []
    for step in (0.01, 0.005):
        run = lm.simulate(double_pendulum(1e8), 2.0, start=START, stepper=stepper, step=step)
        assert run.status.ok and run.settings["target"] in ("c", "interpreter")
        errors.append(np.abs(run["upper"] - rigid_pendulum(run.time)).max())
    assert 3.3 < errors[0] / errors[1] < 4.7, errors
    assert errors[1] < 2e-4


def test_implicit_and_explicit_steps_converge_to_each_other() -> None:
    """A soft spring, where both can step: differences fall as h^2, the order of the implicit one."""
    runs = {
        (stepper, step): lm.simulate(double_pendulum(50.0), 1.0, start=START, stepper=stepper, step=step, sample=0.1)
        for stepper in ("rk4", "midpoint")
        for step in (0.01, 0.005)
    }
    apart = [np.abs(runs["rk4", h]["lower"] - runs["midpoint", h]["lower"]).max() for h in (0.01, 0.005)]
    assert math.log2(apart[0] / apart[1]) == pytest.approx(2.0, abs=0.2), apart


def test_midpoint_on_a_free_body() -> None:
    """Kinetic energy is quadratic in the body's velocities and stays; quaternions stay unit, momentum to the order 2."""
    start = {"roll_rate": 1.0, "pitch_rate": 2.0, "yaw_rate": 0.5, "speed": 1.0}
    changes = []
    for step in (0.02, 0.01):
        run = lm.simulate(spinning_body(), 2.0, start=start, stepper="midpoint", step=step)
        assert np.abs(run["kinetic_energy"] / run["kinetic_energy"][0] - 1).max() < 1e-12
        assert run.settings["quaternion_norm_error"] < 1e-15
        exact = lm.simulate(spinning_body(), 2.0, start=start, stepper=lm.Adaptive(rtol=1e-12), sample=2.0)
        changes.append(max(abs(run[name][-1] - exact[name][-1]) for name in ("qw", "qx", "qy", "qz", "x", "y", "z")))
    assert math.log2(changes[0] / changes[1]) == pytest.approx(2.0, abs=0.2)


def test_energy_of_fast_modes() -> None:
    """Released with the spring bent by 1 mrad: midpoint keeps those 50 J, the other method loses them within a few steps."""
    system, start = double_pendulum(1e8), {"lower": 1e-3}
    kept = lm.simulate(system, 0.5, start=start, stepper="midpoint", step=0.01)
    lost = lm.simulate(system, 0.5, start=start, stepper="generalised-alpha", step=0.01)
    assert kept.energy[0] - kept.energy.min() < 0.5 and lost.energy[0] - lost.energy[-1] > 49.0
    assert lost.status.ok, "what a method takes from modes that are too fast is no fault"


@pytest.mark.parametrize("target", ["c", "interpreter"])
def test_batches_take_the_same_steps(target: str) -> None:
    compiled = lm.compile(double_pendulum(1e8), target=target)
    run = lm.simulate(double_pendulum(1e8), 0.3, start=START, stepper="midpoint", step=0.01, target=target)
    states = np.array([compiled.start({"upper": angle}) for angle in (0.5, -0.2, 1.0)])
    batch = compiled.rollout(states, 30, 0.01, stepper="midpoint", channels=("upper", "lower"))
    np.testing.assert_allclose(batch["upper"][0], run["upper"], atol=1e-12)
    assert (
        compiled.rollout(states, 3, 0.01, stepper="auto").final
        == compiled.rollout(states, 3, 0.01, stepper="generalised-alpha").final
    ).all()


def test_events_are_located_on_implicit_steps() -> None:
    """A ball falls 0.2 m on a point: midpoint is exact for a parabola, steps of 50 ms or not."""
    ball = lm.System(
        "ball",
        bodies=(lm.Body("ball", 1.0, inertia=(0.1, 0.1, 0.1)),),
        joints=(lm.Prismatic((0, 0, 1), name="z", parent="world", child="ball"),),
        contacts=(lm.SlidingPoint("foot", "ball", (0, 0, 0), law=lm.Unilateral(0.5)),),
        forces=(lm.Gravity((0, 0, -9.81)),),
    )
    run = lm.simulate(ball, 0.5, start={"z": 0.2}, stepper="midpoint", step=0.05)
    fall = math.sqrt(0.4 / 9.81)
    np.testing.assert_allclose(run.events.times[:2], [fall, 2 * fall], rtol=1e-12)
    assert lm.simulate(ball, 0.1, start={"z": 0.2}, stepper="auto", step=0.05).settings["stepper"] == "rk4"


# -- what "auto" takes ----------------------------------------------------------------------------------------


def test_auto_takes_rk4_where_it_is_stable() -> None:
    system = double_pendulum(50.0)
    chosen = lm.simulate(system, 0.3, start=START, stepper="auto", step=0.01)
    usual = lm.simulate(system, 0.3, start=START, stepper="rk4", step=0.01)
    np.testing.assert_array_equal(chosen["lower"], usual["lower"])  # bit for bit
    assert chosen.settings["stepper"] == "rk4" and "took rk4" in str(chosen.status)


def test_auto_takes_an_implicit_method_where_rk4_is_not() -> None:
    """The fastest mode by hand: the square of its frequency is k times an entry of the inverse mass matrix."""
    run = lm.simulate(double_pendulum(1e8), 0.3, start={}, stepper="auto", step=0.01)
    mass = np.array(
        [[1 / 12 + 0.25 + 1 / 12 + 2.25, 1 / 12 + 0.75], [1 / 12 + 0.75, 1 / 12 + 0.25]]
    )  # straight, absolute + relative
    omega = math.sqrt(1e8 * np.linalg.inv(mass)[1, 1])
    assert run.settings["stepper"] == "generalised-alpha"
    assert f"oscillates at {omega:.3g} rad/s" in run.settings["chosen"]
    assert f"stable with steps below {rounded_down(math.sqrt(8) / omega):.2g} s" in run.settings["chosen"]


@pytest.mark.parametrize(
    ("stepper", "value", "reach"),
    [("rk4", -1.0, 2.785), ("rk4", 1j, 2.828), ("abm4", -1.0, 1.29), ("abm5", -1.0, 1.41)],
)
@pytest.mark.slow
def test_regions_of_stability(stepper: str, value: complex, reach: float) -> None:
    """Hairer, Wanner, section IV.2 for Runge-Kutta; the table of docs/steppers.md for the others."""
    assert stable(stepper, value) == pytest.approx(reach, abs=0.02)


# -- explicit steps that are too long, and what is refused ----------------------------------------------------


def test_a_law_called_from_python_is_asked_in_every_round() -> None:
    system = cart()
    traced = lm.simulate(system, 1.0, start={"rail": 1.0}, stepper="midpoint", step=0.05, inputs={"pull": "-8*rail"})

    def law(c: Any) -> dict[str, float]:
        return {"pull": -8.0 * float(c["rail"])}

    called = lm.simulate(system, 1.0, start={"rail": 1.0}, stepper="midpoint", step=0.05, controller=law)
    np.testing.assert_allclose(called["rail"], traced["rail"], atol=1e-12)
    jumps = lm.simulate(system, 1.0, stepper="midpoint", step=0.1, inputs={"pull": "4 if t < 0.337 else 0"})
    assert jumps["rail"][-1] == pytest.approx(0.337**2 + 2 * 0.337 * (1 - 0.337), abs=1e-9)  # steps end where it jumps


def test_what_goes_without_implicit_steps_says_so() -> None:
    with pytest.raises(StepperError, match="is integrated with rk4 or midpoint, not generalised-alpha, which remembers"):
        lm.simulate(lm.catalogue.rimless_wheel(), 0.1, stepper="generalised-alpha")
    with pytest.raises(StepperError, match="coordinates='maximal' steps with rk4, not generalised-alpha"):
        lm.simulate(double_pendulum(1.0), 0.1, stepper="generalised-alpha", coordinates="maximal")
    compiled = lm.compile(double_pendulum(1.0), target="interpreter")
    with pytest.raises(ArgumentError, match="with derivatives takes no implicit steps"):
        compiled.jacobians(compiled.start({}), 1, 0.1, stepper="midpoint")
