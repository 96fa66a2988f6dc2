"""The bicycle against the closed forms and numbers of its sources (Mauny 2018, chapter 2 and appendices A, B).

The closed forms (`oracles.thesis_bicycle`, `oracles.thesis_algorithm`) are those of Mauny's thesis with its misprints
corrected; what is compared with them is what the library derives from the model by itself.
"""

from functools import cache
from math import cos, pi
from typing import Any

import casadi
import numpy as np
import pytest

from locomotor.catalogue.bicycle import bicycle
from locomotor.lie import SO3, ops, quaternion
from locomotor.mechanics import ReducedMotion, Reduction, choose_reduction
from locomotor.mechanics.chart.angles import contact_angle, yaw_roll_pitch
from locomotor.mechanics.tree.kinematics import Instant, forward
from locomotor.mechanics.tree.mass_matrix import mass_matrix
from locomotor.mechanics.tree.newton_euler import inverse_dynamics
from oracles.mechanics import constraint_matrix, rotation_from_angles
from oracles.sampling import coordinate_rate, rows_at
from oracles.thesis_algorithm import Tree, explicit_sums, general_algorithm
from oracles.thesis_bicycle import TO_THESIS, VELOCITIES, Geometry

Array = Any

SETS = ("meijaard2007", "mauny2018", "ifac2017")
every_set = pytest.mark.parametrize("which", SETS)

# Sums of some ten products of numbers of order one; worst seen 6e-16 for rows and kernel, 2e-15 for rates.
KERNEL = 1e-14
RATE = 1e-12


@cache
def reduction(which: str, base: str = "SE3") -> Reduction:
    return choose_reduction(bicycle(which, base=base))


def geometry(which: str) -> Geometry:
    return Geometry.of(bicycle(which).parameters.values)


def pose(which: str, roll: float, pitch: float, steer: float, yaw: float = 0.0, z: float | None = None) -> Array:
    """Coordinates of the free bicycle, the rear wheel on the ground, wheels turned somehow."""
    height = bicycle(which).parameters.values["rR"] * cos(roll) if z is None else z
    q = quaternion.from_matrix(rotation_from_angles(yaw, roll, pitch))
    return np.concatenate([[0.3, -0.2, height], q, [steer, 0.7, -1.1]])


def samples(which: str, count: int = 5) -> list[Any]:
    """Random poses, also off the ground: the kernel does not ask."""
    rng = np.random.default_rng(SETS.index(which))
    limits = np.array([0.8, 0.4, 0.9, 3.0])
    return [pose(which, *(limits * rng.uniform(-1, 1, 4))) for _ in range(count)]


def motions(which: str) -> list[ReducedMotion]:
    rng = np.random.default_rng(10 + SETS.index(which))
    return [ReducedMotion(reduction(which), q, rng.normal(size=3) * [1, 1, 10]) for q in samples(which)]


def thesis_rotation(q: Array) -> Array:
    return TO_THESIS @ quaternion.to_matrix(q[3:7]) @ TO_THESIS.T


def thesis_angles(which: str, q: Array) -> tuple[float, float, float, float, float]:
    return geometry(which).angles(thesis_rotation(q), q[7])


def contact_angles(m: ReducedMotion) -> tuple[float, float]:
    rear, front = (contact_angle(rows) for rows in m.contacts)
    return float(rear), float(front)


# -- geometry and kinematics -------------------------------------------------------------------------------------


@every_set
def test_1_nominal_contact_angles_and_gaps(which: str) -> None:
    system = bicycle(which)
    m = ReducedMotion(reduction(which), system.nominal_pose(), np.zeros(3))
    assert contact_angles(m) == pytest.approx((pi, 1.1 * pi), abs=KERNEL)
    assert [row.gap for row in m.contacts] == pytest.approx([0.0, 0.0], abs=KERNEL)
    assert thesis_angles(which, m.q)[:2] == pytest.approx((pi, 1.1 * pi), abs=KERNEL)


def test_2_lengths() -> None:
    thesis, exact = geometry("mauny2018"), geometry("meijaard2007")
    assert (thesis.l1, thesis.l2, thesis.l1 + thesis.l2) == pytest.approx((0.986, 0.0337, 1.0197), abs=KERNEL)
    assert (exact.l1, exact.l2) == pytest.approx((0.9862781063184829, 0.0337218936815171), abs=KERNEL)
    assert exact.l1 + exact.l2 == pytest.approx(1.02, abs=KERNEL)


@every_set
def test_3_constraint_rows(which: str) -> None:
    for q in samples(which):
        C = constraint_matrix(rows_at(bicycle(which), q), 9)
        # Ours: rear then front, rows (x, y, z) of the frame; the thesis: front then rear, rows (s, n, a).
        ours = np.vstack([TO_THESIS @ C[3:6], TO_THESIS @ C[0:3]]) @ VELOCITIES.T
        alpha0, alpha1, *_ = thesis_angles(which, q)
        assert np.abs(ours - geometry(which).rows(alpha0, alpha1, q[7])).max() < KERNEL
        assert np.linalg.matrix_rank(C) == 6


@every_set
def test_4_kernel(which: str) -> None:
    g = geometry(which)
    assert reduction(which).names == ("roll_rate", "steer_rate", "rear_wheel_rate")
    for m in motions(which):
        alpha0, alpha1, *_ = thesis_angles(which, m.q)
        ours = VELOCITIES @ m.kernel
        H, _ = g.kernel(alpha0, alpha1, m.q[7])
        assert np.abs(ours - H).max() < KERNEL
        # The printed order of elimination loses digits near its singularity B12 = 0, by 1/B12 (here below 1e3).
        assert np.abs(ours - g.kernel_as_printed(alpha0, alpha1, m.q[7])).max() < 1e3 * KERNEL
        assert abs(ours[7, 0]) < KERNEL
        assert np.abs(g.rows(alpha0, alpha1, m.q[7]) @ ours).max() < KERNEL


@every_set
def test_4_kernel_at_the_nominal_pose(which: str) -> None:
    """Entries of section 3.5: no NaN where the printed elimination divides zero by zero."""
    p = bicycle(which).parameters.values
    H = VELOCITIES @ ReducedMotion(reduction(which), bicycle(which).nominal_pose(), np.zeros(3)).kernel
    wanted = np.zeros((9, 3))
    wanted[4, 0] = wanted[6, 1] = wanted[8, 2] = 1.0
    wanted[2, 0], wanted[3, 1] = -p["rR"], p["c"] * cos(p["lam"]) / p["w"]
    wanted[1, 2], wanted[7, 2] = p["rR"], p["rR"] / p["rF"]
    assert np.abs(H - wanted).max() < KERNEL
    if which == "mauny2018":
        assert H[3, 1] == pytest.approx(0.0746350, abs=5e-8)
        assert H[7, 2] == pytest.approx(0.857142857, abs=5e-10)


@every_set
def test_4_traced_kernel_has_no_nan_at_the_nominal_pose(which: str) -> None:
    q = ops.symbols("q", 10)
    H = casadi.Function("H", [q], [ReducedMotion(reduction(which), q, np.zeros(3)).kernel])
    numbers = ReducedMotion(reduction(which), bicycle(which).nominal_pose(), np.zeros(3)).kernel
    assert np.abs(H(bicycle(which).nominal_pose()).full() - numbers).max() < KERNEL


@every_set
def test_5_rate_of_the_kernel_and_of_the_contact_angles(which: str) -> None:
    g = geometry(which)
    q, v_r = ops.symbols("q", 10), ops.symbols("v", 3)
    moving = ReducedMotion(reduction(which), q, v_r)
    frozen = ops.symbols("u", 3)
    along = coordinate_rate(bicycle(which), q, moving.v)
    H_rate = casadi.substitute(casadi.jtimes(moving.kernel @ frozen, q, along), frozen, v_r)
    angle_rates = casadi.jtimes(casadi.vertcat(*(contact_angle(rows) for rows in moving.contacts)), q, along)
    exact = casadi.Function("rates", [q, v_r], [H_rate, angle_rates])
    for m in motions(which):
        alpha0, alpha1, *_ = thesis_angles(which, m.q)
        assert contact_angles(m) == pytest.approx((alpha0, alpha1), abs=KERNEL)
        omega, steer_rate = TO_THESIS @ m.v[3:6], m.v[6]
        rates = g.alpha_rates(thesis_rotation(m.q), m.q[7], omega, steer_rate)
        _, H_dot = g.kernel(alpha0, alpha1, m.q[7], (*rates, steer_rate))
        size = max(1.0, np.abs(H_dot @ m.v_r).max())
        assert np.abs(VELOCITIES @ m.known_acceleration - H_dot @ m.v_r).max() < RATE * size
        by_derivative, angles = (x.full()[:, 0] for x in exact(m.q, m.v_r))
        assert np.abs(m.known_acceleration - by_derivative).max() < RATE * size
        assert angles == pytest.approx(rates, abs=RATE)


@every_set
def test_7_corrected_formulas(which: str) -> None:
    """(2.26), (2.27), phi_1 and psi as corrected agree with the pose they describe."""
    g = geometry(which)
    for q in samples(which):
        alpha0, alpha1, phi0, phi1, psi = thesis_angles(which, q)
        yaw, roll, pitch = yaw_roll_pitch(quaternion.to_matrix(q[3:7]))
        assert (psi, phi0, alpha0) == pytest.approx((yaw, -roll, pi - pitch), abs=1e-12)
        assert g.alpha1_of_angles(alpha0, phi0, q[7]) == pytest.approx(alpha1, abs=1e-12)
        rear, front = rows_at(bicycle(which), q)
        assert g.altitude_difference(phi0, alpha0, q[7], alpha1) == pytest.approx(front.gap - rear.gap, abs=1e-12)
        # phi_1 is the angle between the front wheel's plane and the vertical, positive to the left.
        axle = front.kinematics.poses[front.body].rotation[:, 1]
        assert np.sin(phi1) == pytest.approx(-axle[2], abs=1e-12)


@every_set
@pytest.mark.parametrize(("lean", "steer"), [(0, 30), (0, -30), (30, 0), (-30, 45), (15, 15), (15, -15), (30, -30)])
def test_7_pitch_quartic_closes_both_gaps(which: str, lean: float, steer: float) -> None:
    phi0, r1 = np.radians([lean, steer])
    rear, front = rows_at(bicycle(which), pose(which, -phi0, geometry(which).pitch(phi0, r1), r1))
    assert (rear.gap, front.gap) == pytest.approx((0.0, 0.0), abs=1e-13)


@cache
def euler() -> casadi.Function:
    """Of angles (yaw, roll, pitch) and their rates: W = E(angles) rates, E, and E_dot rates; by exact derivatives."""
    angles, rates = casadi.SX.sym("a", 3), casadi.SX.sym("r", 3)
    R = casadi.SX(rotation_from_angles(angles[0], angles[1], angles[2]))
    turning = R.T @ casadi.reshape(casadi.jtimes(casadi.vec(R), angles, rates), 3, 3)
    W = casadi.vertcat(turning[2, 1], turning[0, 2], turning[1, 0])
    return casadi.Function("W", [angles, rates], [W, casadi.jacobian(W, rates), casadi.jtimes(W, angles, rates)])


def euler_rates(q: Array, omega: Array, omega_dot: Array) -> tuple[Array, Array]:
    """First and second derivatives of (yaw, roll, pitch)."""
    angles = np.array(yaw_roll_pitch(quaternion.to_matrix(q[3:7])))
    E = euler()(angles, np.zeros(3))[1].full()
    first = np.linalg.solve(E, omega)
    return first, np.linalg.solve(E, omega_dot - euler()(angles, first)[2].full()[:, 0])


@every_set
def test_7_contact_frame_variant_has_the_same_accelerations(which: str) -> None:
    """SE(2) x S: 8 velocities, 5 independent constraints, and the same motion."""
    other = reduction(which, "SE2")
    assert (other.system.layout.nv, len(other.pivots.steps), len(other.free)) == (8, 5, 3)
    for m in motions(which):
        yaw, roll, pitch = yaw_roll_pitch(quaternion.to_matrix(m.q[3:7]))
        # On the ground, both models stand at the same pose.
        pitch = geometry(which).pitch(-roll, m.q[7])
        free = ReducedMotion(reduction(which), pose(which, roll, pitch, m.q[7], yaw), m.v_r)
        first, second = euler_rates(free.q, free.v[3:6], free.v_dot[3:6])
        q = np.concatenate([[0.1, 0.2, yaw, roll, pitch], free.q[7:]])
        planar = ReducedMotion(other, q, np.array([first[1], free.v_r[1], free.v_r[2]]))
        assert other.names == ("roll_rate", "steer_rate", "rear_wheel_rate")
        # Velocities: speed, sway_speed, yaw_rate, roll_rate, pitch_rate, then the three joints.
        assert planar.v[2:] == pytest.approx(np.concatenate([first, free.v[6:]]), rel=1e-11, abs=1e-11)
        assert planar.v_dot[2:] == pytest.approx(np.concatenate([second, free.v_dot[6:]]), rel=1e-10, abs=1e-9)
        assert planar.multipliers[3:6] == pytest.approx(_front_force(free, yaw), rel=1e-9, abs=1e-8)


def _front_force(m: ReducedMotion, yaw: float) -> Array:
    """Force on the front wheel in the axes of the rear contact frame."""
    turn = SO3.about(np.array([0.0, 0.0, 1.0]), -yaw).matrix
    return turn @ quaternion.to_matrix(m.q[3:7]) @ m.multipliers[3:6]


# -- dynamics --------------------------------------------------------------------------------------------------


@every_set
def test_8_free_dynamics_of_the_sources(which: str) -> None:
    """General listing of the IFAC paper = explicit sums of the thesis = our recursions."""
    system, rng = bicycle(which), np.random.default_rng(4)
    gravity = np.array([1.0, -2.0, -9.0])
    for q in samples(which):
        k = forward(Instant(system, q, rng.normal(size=9) * [5, 1, 1, 1, 1, 1, 1, 10, 10]))
        assert [link.parent for link in k.links] == [-1, 0, 1, 0]
        M, h = mass_matrix(k), inverse_dynamics(k, None, gravity)
        for mass, bias in (f(Tree.of(k, gravity)) for f in (general_algorithm, explicit_sums)):
            assert np.abs(M - mass).max() < 1e-12 * np.abs(M).max()
            assert np.abs(h - bias).max() < 1e-12 * np.abs(h).max()


def test_8_mass_matrix_at_the_nominal_pose() -> None:
    system = bicycle("meijaard2007")
    M = VELOCITIES @ mass_matrix(forward(Instant(system, system.nominal_pose(), np.zeros(9)))) @ VELOCITIES.T
    upper = {
        (1, 1): 94, (2, 2): 94, (3, 3): 94, (1, 6): -32.16, (2, 6): 52.75, (3, 4): 32.16, (3, 5): -52.75,
        (3, 7): 0.200617, (4, 4): 17.01908, (4, 5): -19.28544, (4, 7): 0.330121, (5, 5): 40.70722,
        (5, 7): -0.101006, (6, 6): 56.7187, (6, 8): 0.28, (8, 8): 0.28, (6, 9): 0.12, (9, 9): 0.12,
        (7, 7): 0.153897,
    }  # fmt: skip
    wanted = np.zeros((9, 9))
    for (i, j), value in upper.items():
        wanted[i - 1, j - 1] = wanted[j - 1, i - 1] = value
    # Six digits after the point are given.
    assert np.abs(M - wanted).max() < 5.1e-7


REDUCED_MASS = {
    "meijaard2007": ((80.81722, -2.31941332, 0.0), (-2.31941332, 0.29784188, 0.0), (0.0, 0.0, 8.78571429)),
    "mauny2018": ((80.86778943, -2.33163464, 0.0), (-2.33163464, 0.30056405, 0.0), (0.0, 0.0, 8.78571429)),
}


@pytest.mark.parametrize("which", REDUCED_MASS)
def test_9_reduced_mass_matrix_at_the_nominal_pose(which: str) -> None:
    """Section 4.3, with the eighth digit of sections 8.1 and 8.2 (4.3 cuts 0.30056405 to 0.3005640)."""
    m = ReducedMotion(reduction(which), bicycle(which).nominal_pose(), np.zeros(3))
    assert np.abs(m.reduced_mass - REDUCED_MASS[which]).max() < 5.1e-9


def test_10_nonlinear_check_of_basu_mandal_2007() -> None:
    """Table 1 of Basu-Mandal, Chatterjee and Papadopoulos (Proc. R. Soc. A 463, 2007): nine accelerations.

    Their x and y point backward and right, their psi is a right angle minus the roll, their phi is pitch plus pi.
    Inputs are given to 13 digits, and the outputs are met to about as many.
    """
    z, theta, psi, phi, steer = 0.2440472102925, 0.0, 0.9501292851472, 3.1257073014894, 0.2311385135743
    x_dot, y_dot, z_dot = -2.8069345714545, -0.1480982396001, 0.1058778746261
    theta_dot, psi_dot, phi_dot = 0.7830033527065, 0.6068425835418, -0.0119185528069
    steer_dot, rear_dot, front_dot = 0.4859824687093, 8.9129896614890, 8.0133620584155
    q = pose("meijaard2007", pi / 2 - psi, phi - pi, steer, theta, z)
    R = quaternion.to_matrix(q[3:7])
    omega = euler()([theta, pi / 2 - psi, phi - pi], [theta_dot, -psi_dot, phi_dot])[0].full()[:, 0]
    assert TO_THESIS @ omega == pytest.approx([0.64652508, -0.59664802, 0.44345891], abs=5e-9)

    m = ReducedMotion(reduction("meijaard2007"), q, np.array([omega[0], steer_dot, rear_dot]))
    assert contact_angles(m) == pytest.approx((3.1574780056902, 3.6104946621887), abs=1e-12)
    assert [row.gap for row in m.contacts] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert R @ m.v[0:3] == pytest.approx([-x_dot, -y_dot, z_dot], abs=1e-12)
    assert m.v[3:6] == pytest.approx(omega, abs=1e-12)
    assert m.v[6:9] == pytest.approx([steer_dot, front_dot, rear_dot], abs=1e-12)

    linear = R @ (m.v_dot[0:3] + np.cross(m.v[3:6], m.v[0:3]))
    _, (yaw, roll, pitch) = euler_rates(q, m.v[3:6], m.v_dot[3:6])
    found = [-linear[0], -linear[1], linear[2], yaw, -roll, pitch, m.v_dot[6], m.v_dot[8], m.v_dot[7]]
    wanted = [
        -0.5041626315047, -0.3449706619454, -1.4604528332980, 0.8353281706379, -7.8555281128244, 0.1205543897884,
        -4.6198904039403, 1.8472554144217, 2.4548072904550,
    ]  # fmt: skip
    assert found == pytest.approx(wanted, abs=5e-12, rel=0)


STATIC = {"meijaard2007": (612.836, 309.304), "mauny2018": (612.767, 309.373)}


@pytest.mark.parametrize("which", STATIC)
def test_12_static_wheel_loads(which: str) -> None:
    m = ReducedMotion(reduction(which), bicycle(which).nominal_pose(), np.zeros(3))
    rear, front = m.multipliers[2], m.multipliers[5]
    assert np.abs(m.v_dot).max() < 1e-12
    assert (rear, front) == pytest.approx(STATIC[which], abs=5.1e-4)
    assert (rear, front) == pytest.approx((612.8, 309.3), abs=0.1)
    assert rear + front == pytest.approx(94 * 9.81, abs=1e-11)
    assert np.abs(np.delete(m.multipliers, [2, 5])).max() < 1e-11


@every_set
def test_12_multipliers_balance(which: str) -> None:
    system = bicycle(which)
    gravity = np.array([0.0, 0.0, -9.81])
    for m in motions(which):
        k = forward(Instant(system, m.q, m.v))
        mass, bias = general_algorithm(Tree.of(k, gravity))
        C = constraint_matrix(rows_at(system, m.q), 9)
        assert np.abs(mass @ m.v_dot + bias - C.T @ m.multipliers).max() < 1e-9
