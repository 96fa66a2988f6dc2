"""Linearisation: closed forms, finite differences, and the directions along a family of steady motions."""

import math

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue import bicycle
from locomotor.errors import SteadyMotionError, UnknownNameError
from oracles.simple import cart, pendulum, unicycle_wheel

# -- closed forms ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [0.0, math.pi])
@pytest.mark.parametrize("friction", [0.0, 0.7])
def test_pendulum(angle: float, friction: float) -> None:
    linear = lm.linearise(pendulum(friction), {"swing": angle})
    stiffness, damping = 9.81 / 1.5 * math.cos(angle), friction / (2.0 * 1.5**2)
    assert linear.state_names == ("swing", "swing_rate") and linear.input_names == ("push",)
    # The bob's own inertia is 1e-9 kg m^2 beside 4.5.
    np.testing.assert_allclose(linear.A, [[0.0, 1.0], [-stiffness, -damping]], atol=1e-8)
    np.testing.assert_allclose(linear.B, [[0.0], [1 / 4.5]], atol=1e-9)
    np.testing.assert_allclose(linear.mass, [[4.5]], atol=1e-8)
    np.testing.assert_allclose(linear.stiffness, [[4.5 * stiffness]], atol=1e-7)
    np.testing.assert_allclose(linear.damping, [[friction]], atol=1e-8)
    roots = np.roots([1.0, damping, stiffness])
    np.testing.assert_allclose(np.sort_complex(linear.eigenvalues), np.sort_complex(roots), atol=1e-7)
    assert linear.stable == (angle == 0.0 and friction > 0)


def test_pendulum_held_at_an_angle() -> None:
    linear = lm.linearise(pendulum(), {"swing": 0.8}, solve_for=("push",))
    assert linear.A[1, 0] == pytest.approx(-9.81 / 1.5 * math.cos(0.8), abs=1e-8)


def test_critical_speed_of_a_rolling_hoop() -> None:
    """Straight rolling is stable for spin^2 > A m g r / (C (C + m r^2)), the classical condition."""
    m, r, A, C, g = 1.5, 0.3, 0.03, 0.06, 9.81
    critical = math.sqrt(A * m * g * r / (C * (C + m * r * r)))
    slow, fast = (lm.linearise(unicycle_wheel(), {"spin_rate": factor * critical}) for factor in (0.999, 1.001))
    assert slow.eigenvalues.real.max() > 0.01
    # Above it the wheel weaves without damping.
    assert np.abs(fast.eigenvalues.real).max() < 1e-6


# -- the bicycle ----------------------------------------------------------------------------------------------


def test_the_family_of_straight_running_is_left_out() -> None:
    linear = lm.linearise(bicycle(), {"speed": 5.0})
    assert len(linear.eigenvalues) == 4 and len(linear.all_eigenvalues) == 5
    assert np.abs(linear.all_eigenvalues).min() < 1e-10
    assert linear.family.shape == (5, 1)
    # Along the family only the rear wheel's rate changes.
    assert abs(linear.family[linear.state_names.index("rear_wheel_rate"), 0]) == pytest.approx(1.0, abs=1e-12)


def test_modes_are_eigenvectors() -> None:
    linear = lm.linearise(bicycle(), {"speed": 5.0})
    values, vectors = linear.modes
    np.testing.assert_allclose(linear.A @ vectors, vectors * values, atol=1e-9)


def test_about_a_steady_motion_found_before() -> None:
    motion = lm.steady_motion(bicycle(), {"speed": 5.0})
    np.testing.assert_array_equal(lm.linearise(bicycle(), motion).A, lm.linearise(bicycle(), {"speed": 5.0}).A)


@pytest.mark.parametrize("base", ["SE3", "SE2"])
def test_eigenvalues_of_a_turn_are_those_of_finite_differences(base: str) -> None:
    """Exact derivatives about a turn against central differences of nonlinear runs: growth of small deviations."""
    system = bicycle(base=base)
    motion = lm.steady_motion(system, {"steer": 0.15, "rear_wheel_rate": 18.0}, solve_for=("steer_torque",))
    linear = lm.linearise(system, motion)
    names = linear.state_names
    span, size = 0.05, 1e-5

    def end(**changes: float) -> np.ndarray:
        start = {name: motion[name] + changes.get(name, 0.0) for name in names}
        run = lm.simulate(system, span, start=start, inputs=motion.inputs, step=0.001)
        return np.array([run[name][-1] for name in names])

    flow = np.stack([(end(**{name: size}) - end(**{name: -size})) / (2 * size) for name in names], axis=1)
    values, vectors = np.linalg.eig(linear.A * span)
    exact = (vectors * np.exp(values)) @ np.linalg.inv(vectors)
    # Central differences err by the third derivatives times 1e-10.
    np.testing.assert_allclose(flow, exact.real, atol=1e-6)


def test_both_bases_have_the_same_eigenvalues() -> None:
    found = [
        lm.linearise(bicycle(base=base), {"steer": 0.1, "rear_wheel_rate": 20.0}, solve_for=("steer_torque",)).eigenvalues
        for base in ("SE3", "SE2")
    ]
    np.testing.assert_allclose(found[0], found[1], atol=1e-8)


def test_inputs_of_the_linear_model() -> None:
    linear = lm.linearise(bicycle(), {"speed": 5.0})
    steer = linear.input_names.index("steer_torque")
    rates = [lm.accelerations(bicycle(), {"speed": 5.0}, {"steer_torque": torque}) for torque in (0.0, 1.0)]
    for row, name in enumerate(linear.state_names):
        if name in rates[0]:
            assert linear.B[row, steer] == pytest.approx(rates[1][name] - rates[0][name], abs=1e-10), name


# -- what is said ---------------------------------------------------------------------------------------------


def test_a_motion_that_is_not_steady() -> None:
    with pytest.raises(SteadyMotionError, match="no steady motion with swing=1"):
        lm.linearise(pendulum(), {"swing": 1.0})


def test_unknown_names() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'speed'"):
        lm.linearise(bicycle(), {"spead": 5.0})
    with pytest.raises(UnknownNameError, match="did you mean 'pull'"):
        lm.linearise(cart(), {}, solve_for=("pul",))
