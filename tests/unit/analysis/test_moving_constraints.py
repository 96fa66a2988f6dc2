"""Steady motions, stability and cycles of systems with constraints that move, and what such systems do not have."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import NoConnectionError, SectionError, SteadyMotionError
from oracles.moving import G, inclined, knife, shaken

LENGTH, RATE = 0.5, 6.0


def governor(law: object = "rate") -> lm.System:
    """A pointlike bob on an arm that hangs on a shaft, which a constraint turns."""
    bodies = [lm.Body("shaft", 1.0, inertia=(0.1,) * 3), lm.Body("bob", 1.0, inertia=(0.0,) * 3, com=(0, 0, -LENGTH))]
    joints = [
        lm.Revolute(name="spin", parent="world", child="shaft", axis=(0, 0, 1)),
        lm.Revolute(name="arm", parent="shaft", child="bob", axis=(0, 1, 0)),
    ]
    row = lm.VelocityConstraint("driven", {"spin_rate": 1.0}, equals=law)
    gravity = [lm.Gravity((0, 0, -G))]
    return lm.System(
        "governor", bodies, joints, forces=gravity, constraints=[row], parameters={"rate": RATE}, nominal={"arm": 1.0}
    )


def test_a_constant_right_hand_side_leaves_a_steady_motion() -> None:
    """cos(arm) = g/(l w²), and small motions about it have the frequency w sin(arm)."""
    steady = lm.steady_motion(governor())
    arm = np.arccos(G / (LENGTH * RATE**2))
    assert steady["arm"] == pytest.approx(arm, rel=1e-12)
    assert steady["spin_rate"] == pytest.approx(RATE, rel=1e-14)
    values = lm.linearise(governor(), steady).eigenvalues
    np.testing.assert_allclose(sorted(values.imag), [-RATE * np.sin(arm), RATE * np.sin(arm)], rtol=1e-12)
    np.testing.assert_allclose(values.real, 0.0, atol=1e-12)


def test_eigenvalues_of_many_rates() -> None:
    rates = np.array([5.0, 6.0, 8.0])
    arms = np.arccos(G / (LENGTH * rates**2))
    found = lm.batched_eigenvalues(governor(), {"rate": rates, "arm": arms}).eigenvalues
    np.testing.assert_allclose(np.abs(found.imag).max(axis=1), rates * np.sin(arms), rtol=1e-10)


def test_constraints_that_depend_on_time_leave_none() -> None:
    for system in (shaken(), knife(), governor("rate + t")):
        with pytest.raises(SteadyMotionError, match="depends on time, so that there is no steady motion"):
            lm.steady_motion(system)


def test_a_cycle_that_a_right_hand_side_drives() -> None:
    """A mass on a spring on a cart that is shaken by x' = cos t: y'' + c y' + k y = sin t; the period is that of the law."""
    stiffness, damping = 3.0, 0.4
    bodies = [lm.Body("cart", 1.0, inertia=(1.0,) * 3), lm.Body("mass", 1.0, inertia=(1.0,) * 3)]
    joints = [
        lm.Prismatic(name="x", parent="world", child="cart", axis=(1, 0, 0)),
        lm.Prismatic(name="y", parent="cart", child="mass", axis=(1, 0, 0)),
    ]
    forces = [lm.JointSpring("spring", "y", stiffness), lm.JointDamper("damper", "y", damping)]
    row = lm.VelocityConstraint("shaken", {"x_rate": 1.0}, equals="cos(t)")
    cycle = lm.find_cycle(lm.System("relay", bodies, joints, forces=forces, constraints=[row]), {"y": 0.0})
    answer = 1.0 / complex(stiffness - 1.0, damping)
    assert cycle.period == pytest.approx(2.0 * np.pi, rel=1e-12)
    assert cycle.start["y"] == pytest.approx(answer.imag, abs=1e-6)  # 200 steps a period, of fourth order
    assert cycle.start["y_rate"] == pytest.approx(answer.real, abs=1e-6)
    expected = np.exp(2.0 * np.pi * np.roots([1.0, damping, stiffness]))
    np.testing.assert_allclose(np.sort_complex(cycle.multipliers), np.sort_complex(expected), rtol=0, atol=1e-5)


def test_impacts_beside_rows_that_turn_by_themselves_have_no_cycles() -> None:
    with pytest.raises(SectionError, match="coefficients of its constraints depend on time while contacts open and close"):
        lm.find_cycle(inclined({"z_rate": "cos(t)", "x_rate": "-sin(t)"}), {"z": 0.1}, period=1.0)


def test_no_connection_where_the_base_moves_by_itself() -> None:
    base = lm.Planar(name="base", parent="world", child="one")
    joint = lm.Revolute(name="bend", parent="one", child="other", axis=(0, 0, 1))
    bodies = [lm.Body(name, 1.0, inertia=(1.0,) * 3) for name in ("one", "other")]
    for row in (
        lm.VelocityConstraint("belt", {"sway_speed": 1.0}, equals=0.1),
        lm.VelocityConstraint("belt", {"sway_speed": 1.0, "speed": "sin(t)"}),
    ):
        system = lm.System("pair", bodies, [base, joint], constraints=[row])
        with pytest.raises(NoConnectionError, match=r"the constraint 'belt' .*, so that the base moves while the shape rests"):
            lm.connection(system, joints=("bend",))
        assert not lm.classify(system, joints=("bend",)).connection
