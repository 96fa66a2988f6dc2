"""The bicycle of Belkhiri's thesis (2013, section 3.6.2 and appendix B) beyond the numbers of the scenarios."""

from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.lie import quaternion
from locomotor.mechanics import ReducedMotion, choose_reduction
from locomotor.mechanics.constraints import constraint_set
from locomotor.mechanics.tree.kinematics import Instant, forward
from locomotor.mechanics.tree.mass_matrix import mass_matrix
from locomotor.mechanics.tree.newton_euler import inverse_dynamics
from oracles.appendix_b import TO_OURS, free_bicycle
from oracles.mobile_recursions import links_of, probed
from oracles.sampling import rotation

Array = Any
ROUND_OFF = 1e-12
"""Relative to the largest entry, which is about 100."""
CHANGE = np.block([[TO_OURS, np.zeros((3, 3))], [np.zeros((3, 3)), TO_OURS]])
ORDER = [1, 0, 2]
"""Our joints (steer, front wheel, rear wheel) in the thesis's order (front wheel, steer, rear wheel)."""
SYSTEMS = {"printed": lm.catalogue.belkhiri_bicycle(), "consistent": lm.catalogue.belkhiri_bicycle(consistent=True)}
both = pytest.mark.parametrize("variant", SYSTEMS)


def velocities(system: lm.System, v: Array) -> dict[str, float]:
    return {symbol.name: float(value) for symbol, value in zip(system.layout.velocities, v, strict=True)}


def rows_at(system: lm.System, steer: float) -> Array:
    q = system.nominal_pose()
    q[system.layout.index_q("steer")] = steer
    matrix = constraint_set(forward(Instant(system, q, np.zeros(system.layout.nv)))).matrix
    return np.asarray(matrix, dtype=float)


@both
def test_check_10_the_kinematics_satisfy_all_six_rows(variant: str, rng: np.random.Generator) -> None:
    """(3.81)-(3.83) for any steer rate, wheel rate and lean rate."""
    system = SYSTEMS[variant]
    p = system.parameters.values
    h, l2, l3, alpha = p["h"], p["l2"], p["l3"], p["alpha"]
    for _ in range(20):
        r1, r1_dot, r3_dot, lean = rng.uniform(-1.2, 1.2, 4)
        psi = h * np.cos(alpha) * np.tan(r1) / (l2 + l3)
        r2_dot = (np.cos(r1) + np.cos(alpha) ** 2 * np.sin(r1) * np.tan(r1)) * r3_dot
        r2_dot -= np.sin(alpha) * np.cos(alpha) * np.sin(r1) * r1_dot
        given = {
            "speed": h * r3_dot, "yaw_rate": psi * r3_dot, "sway_speed": l3 * psi * r3_dot, "roll_rate": lean,
            "steer_rate": r1_dot, "front_wheel_rate": r2_dot, "rear_wheel_rate": r3_dot,
        }  # fmt: skip
        v = np.array([given.get(symbol.name, 0.0) for symbol in system.layout.velocities])
        assert np.abs(rows_at(system, r1) @ v).max() < 1e-14


@both
def test_check_10_the_rows_have_rank_six_without_the_active_joints(variant: str) -> None:
    system = SYSTEMS[variant]
    active = [system.layout.index_v(name) for name in ("steer_rate", "rear_wheel_rate")]
    for steer in (-1.0, -0.3, 0.0, 0.4, 1.2):
        rest = np.delete(rows_at(system, steer), active, axis=1)
        assert np.linalg.matrix_rank(rest) == 6
    # cos(r_1) = 0: the front wheel stands across.
    assert np.linalg.matrix_rank(np.delete(rows_at(system, 0.5 * np.pi), active, axis=1), tol=1e-9) == 5


def random_frame(rng: np.random.Generator) -> dict[str, float]:
    """A frame and wheels of any shape, in the thesis's names."""
    size, R, c = rng.uniform(0.5, 1.5, 3) ** 2, rotation(rng), rng.uniform(-0.6, 0.6, 3)
    m0 = rng.uniform(50.0, 90.0)
    about = m0 / 12.0 * R @ np.diag(size.sum() - size) @ R.T + m0 * (c @ c * np.eye(3) - np.outer(c, c))
    names = ("XX0", "YY0", "ZZ0", "XY0", "XZ0", "YZ0")
    places = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    I_w = rng.uniform(0.05, 0.1)
    return {
        "m0": m0, "m_w": rng.uniform(1.0, 2.0), "I_w": I_w, "J_w": 1.9 * I_w, "h": rng.uniform(0.2, 0.4),
        "l2": rng.uniform(0.3, 0.6), "l3": rng.uniform(0.3, 0.6), "alpha": rng.uniform(-0.4, 0.4),
        "mX0": m0 * c[0], "mY0": m0 * c[1], "mZ0": m0 * c[2],
        **{name: float(about[place]) for name, place in zip(names, places, strict=True)},
    }  # fmt: skip


@both
def test_check_11_probing_the_tree_gives_appendix_b(variant: str, rng: np.random.Generator) -> None:
    """ALG-6, our recursions and the printed matrices, at random parameters and states."""
    base = SYSTEMS[variant]
    for _ in range(10):
        system = base.with_parameters(**random_frame(rng))
        p = system.parameters.values
        r1, (r2_dot, r1_dot, r3_dot) = rng.uniform(-1, 1), rng.normal(size=3)
        V, W, q4 = rng.normal(size=3), rng.normal(size=3), rng.normal(size=4)
        eta = np.concatenate([TO_OURS @ V, TO_OURS @ W])
        angles, rates = np.array([r1, 0.7, -0.4]), np.array([r1_dot, r2_dot, r3_dot])
        q = np.concatenate([rng.normal(size=3), q4 / np.linalg.norm(q4), angles])
        fall_world = np.array([0.0, 0.0, -p["g"]])
        fall = TO_OURS.T @ quaternion.to_matrix(q[3:7]).T @ fall_world
        hub = p["h"] if variant == "consistent" else 0.0
        printed = free_bicycle(p, r1, np.array([r2_dot, r1_dot, r3_dot]), V, W, fall, hub)

        kinematics = forward(Instant(system, q, np.concatenate([eta, rates])))
        M = np.asarray(mass_matrix(kinematics), dtype=float)
        bias = np.asarray(inverse_dynamics(kinematics, np.zeros(9), None), dtype=float)
        heavy = np.asarray(inverse_dynamics(kinematics, np.zeros(9), fall_world), dtype=float) - bias
        found = probed(links_of(system), angles, rates, eta)
        scale = np.abs(printed.locked).max()
        for locked, coupling, m, f, Q in (
            (found.locked, found.coupling.T, found.m, found.f, found.Q),
            (M[:6, :6], M[:6, 6:], M[6:, 6:], -bias[:6], -bias[6:]),
        ):
            assert np.abs(CHANGE.T @ locked @ CHANGE - printed.locked).max() < ROUND_OFF * scale
            assert np.abs(CHANGE.T @ coupling[:, ORDER] - printed.coupling).max() < ROUND_OFF * scale
            assert np.abs(m[np.ix_(ORDER, ORDER)] - printed.m).max() < ROUND_OFF * scale
            assert np.abs(CHANGE.T @ f - printed.f).max() < ROUND_OFF * scale * 10
            assert np.abs(Q[ORDER] - printed.Q).max() < ROUND_OFF * scale
        assert np.abs(-CHANGE.T @ heavy[:6] - printed.weight).max() < ROUND_OFF * scale * 10


@both
def test_check_12_reduced_and_multiplier_forms_agree(variant: str) -> None:
    """Lean acceleration, multipliers and torques from the saddle-point system with the motions as rows."""
    system = SYSTEMS[variant].with_motions({"steer": "0.1 + 0.5*t + 0.1*t**2", "rear_wheel": "15*t + 0.5*t**2"})
    seen = lm.observe(system, {"roll": 0.05, "roll_rate": 0.3})
    q = np.array([seen[symbol.name] for symbol in system.layout.coordinates])
    motion = ReducedMotion(choose_reduction(system), q, np.array([0.3]))
    C, bias = motion.constraints.matrix, motion.constraints.root_bias
    active = [system.layout.index_v(name) for name in ("steer_rate", "rear_wheel_rate")]
    E = np.eye(9)[active]
    rows = np.vstack([C, E])
    wanted = np.concatenate([-bias, [0.2, 1.0]])
    M = motion.mass
    h = inverse_dynamics(motion.kinematics, np.zeros(9), motion.applied.gravity)
    saddle = np.block([[M, -rows.T], [rows, np.zeros((8, 8))]])
    solution = np.linalg.solve(saddle, np.concatenate([-h, wanted]))
    np.testing.assert_allclose(motion.v_dot, solution[:9], rtol=0, atol=1e-11)
    np.testing.assert_allclose(motion.multipliers, solution[9:15], rtol=0, atol=1e-9)
    np.testing.assert_allclose(motion.imposed_torques, solution[15:], rtol=0, atol=1e-10)


def test_the_consistent_variant_differs_and_still_falls() -> None:
    """With the hubs above the ground the wheels weigh on the lean as well: sqrt((mX0 + 2 m_w h) g / I_yy)."""
    system = SYSTEMS["consistent"].with_motions({"steer": "0", "rear_wheel": "0"})
    p = system.parameters.values
    acceleration = lm.accelerations(system, {"roll": 1e-4})["roll_rate"]
    I_yy = p["YY0"] + 2.0 * p["I_w"] + 2.0 * p["m_w"] * p["h"] ** 2
    expected = (p["mX0"] + 2.0 * p["m_w"] * p["h"]) * p["g"] / I_yy
    # sin(1e-4) differs from 1e-4 by 2e-9 of it.
    assert acceleration / 1e-4 == pytest.approx(expected, rel=1e-8)
