"""What `lm.equations` prints against the closed forms that the sources print: symbolically, or at 1,000 random states."""

from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp

import locomotor as lm
from locomotor.mechanics.tree.kinematics import Instant, forward
from locomotor.symbolic.collecting import is_zero
from oracles.appendix_b import TO_OURS, free_bicycle
from oracles.appendix_c import Masses, mass_matrix, one_wheel
from oracles.mechanics import rotation_from_angles
from oracles.thesis_algorithm import Tree, explicit_sums
from oracles.thesis_bicycle import TO_THESIS, VELOCITIES, Geometry

ROUND_OFF = 1e-12
"""Of sums of some hundred products, relative to the largest entry."""


@cache
def bicycle() -> lm.Equations:
    return lm.equations(lm.catalogue.bicycle(), style="shared")


def bicycle_states(count: int) -> list[tuple[dict[str, float], Any, Any, Any]]:
    """Values by name, coordinates, velocities and our world rotation, poses off the ground included."""
    rng = np.random.default_rng(11)
    layout = bicycle().system.layout
    found = []
    for _ in range(count):
        yaw, roll, pitch, steer = rng.uniform(-1, 1, 4) * [3.0, 0.8, 0.4, 0.9]
        R = rotation_from_angles(yaw, roll, pitch)
        quaternion = lm.lie.quaternion.from_matrix(R)
        q = np.concatenate([rng.normal(size=3), quaternion, [steer, 0.7, -1.1]])
        v = rng.normal(size=9) * [5, 1, 1, 1, 1, 1, 1, 10, 10]
        values = dict(zip((s.name for s in layout.coordinates), q.tolist(), strict=True))
        values |= dict(zip((s.name for s in layout.velocities), v.tolist(), strict=True))
        found.append((values, q, v, R))
    return found


def compare_bicycle(count: int) -> None:
    equations = bicycle()
    system = equations.system
    g = Geometry.of(system.parameters.values)
    gravity = np.array([0.0, 0.0, -system.parameters.values["g"]])
    for values, q, v, R in bicycle_states(count):
        ours = equations.evaluate(values)
        turned, steer = TO_THESIS @ R @ TO_THESIS.T, q[7]
        alpha0, alpha1, *_ = g.angles(turned, steer)
        # Appendix A: mass matrix and forces of the free tree by the explicit sums of the thesis.
        mass, bias = explicit_sums(Tree.of(forward(Instant(system, q, v)), gravity))
        assert np.abs(ours["mass"] - mass).max() < ROUND_OFF * np.abs(mass).max()
        assert np.abs(ours["bias"] + ours["gravity"] - bias).max() < ROUND_OFF * np.abs(bias).max()
        # (2.30): the rows of both contacts; ours are rear then front.
        C = ours["rows"]
        rows = np.vstack([TO_THESIS @ C[3:6], TO_THESIS @ C[0:3]]) @ VELOCITIES.T
        assert np.abs(rows - g.rows(alpha0, alpha1, steer)).max() < ROUND_OFF
        # Appendix B, in the form without singularity, and its rate (C) along the motion.
        omega, rate = TO_THESIS @ v[3:6], v[6]
        rates = g.alpha_rates(turned, steer, omega, rate)
        H, H_dot = g.kernel(alpha0, alpha1, steer, (*rates, rate))
        assert np.abs(VELOCITIES @ ours["kernel"] - H).max() < ROUND_OFF
        assert np.abs(VELOCITIES @ ours["kernel_rate"] - H_dot).max() < ROUND_OFF * max(1.0, np.abs(H_dot).max())


def test_closed_form_of_the_bicycle() -> None:
    """Mauny 2018, appendices A and B with the rate of the kernel, misprints corrected (see docs/validation.md)."""
    compare_bicycle(5)


@pytest.mark.slow
def test_closed_form_of_the_bicycle_at_1000_states() -> None:
    compare_bicycle(1000)


@cache
def bicycle_on(wheel: str) -> lm.Equations:
    """The bicycle that may leave the ground, in flight or on one wheel, with the six velocities that the thesis keeps."""
    system = lm.catalogue.bicycle(contacts="unilateral")
    kept = ("yaw_rate", "roll_rate", "pitch_rate", "steer_rate", "front_wheel_rate", "rear_wheel_rate")
    closed = (wheel,) if wheel else ()
    return lm.equations(system.replace(independent=kept if wheel else None), closed=closed, style="shared")


@pytest.mark.slow
def test_appendix_c_at_1000_states() -> None:
    """Mauny 2018, C.1 to C.3: in flight, on one wheel; M17, M27, M22 corrected. C.4 is appendix B again, compared above."""
    flight = bicycle_on("")
    p = flight.system.parameters.values
    g, masses = Geometry.of(p), Masses.of(p)
    for values, q, _, R in bicycle_states(1000):
        steer = q[7]
        alpha0, alpha1, *_ = g.angles(TO_THESIS @ R @ TO_THESIS.T, steer)
        printed = mass_matrix(g, masses, steer)
        ours = VELOCITIES @ flight.evaluate(values)["mass"] @ VELOCITIES.T
        assert np.abs(ours - printed).max() < ROUND_OFF * np.abs(printed).max()
        for wheel in ("front", "rear"):
            found = bicycle_on(wheel).evaluate(values)
            rows, kernel = one_wheel(g, wheel, alpha0, alpha1, steer)
            assert np.abs(TO_THESIS @ found["rows"] @ VELOCITIES.T - rows).max() < ROUND_OFF
            assert np.abs(VELOCITIES @ found["kernel"] - kernel).max() < ROUND_OFF


def test_the_kernel_has_no_singularity_at_the_nominal_pose() -> None:
    H = bicycle().evaluate({})["kernel"]
    assert np.isfinite(H).all()
    # Leaning to the right by roll_rate moves the hub to the right, against y.
    expected = {(1, 0): -0.3, (0, 2): 0.3, (5, 1): 0.08 * np.cos(np.pi / 10) / 1.02, (7, 2): 0.3 / 0.35}
    expected |= {(3, 0): 1.0, (6, 1): 1.0, (8, 2): 1.0}
    for place, value in expected.items():
        assert H[place] == pytest.approx(value, abs=1e-14), place


class Angle(sp.Symbol):
    """A symbol of which numpy can take sine and cosine, so that the oracle's formulas run on it."""

    def sin(self) -> sp.Expr:
        return sp.sin(self)

    def cos(self) -> sp.Expr:
        return sp.cos(self)


@pytest.mark.slow
def test_check_11_appendix_b_of_the_other_bicycle_symbolically() -> None:
    """Belkhiri 2013, (B.1)-(B.15) with errata 21 and 22: every entry of M, f and Q is ours, exactly."""
    equations = lm.equations(lm.catalogue.belkhiri_bicycle(), style="explicit")
    symbols = dict(equations.symbols)
    r1, alpha = (Angle(name, real=True) for name in ("steer", "alpha"))
    p = {name: symbols[name] for name in equations.system.parameters} | {"alpha": alpha}
    v = [symbols[s.name] for s in equations.system.layout.velocities]
    V, W = TO_OURS.T.astype(int) @ np.array(v[0:3]), TO_OURS.T.astype(int) @ np.array(v[3:6])
    rates = np.array([v[7], v[6], v[8]])
    printed = free_bicycle(p, r1, rates, V, W, np.array([sp.Integer(0)] * 3))
    back = {r1: symbols["steer"], alpha: symbols["alpha"]}
    change = np.kron(np.eye(2, dtype=int), TO_OURS.astype(int))
    order = [1, 0, 2]
    M = np.array(equations.written_out(equations.mass_matrix).tolist(), dtype=object)
    h = np.array(equations.written_out(equations.bias).tolist(), dtype=object).ravel()
    pairs = [
        (M[:6, :6], change @ printed.locked @ change.T),
        (M[:6, 6:][:, order], change @ printed.coupling),
        (M[6:, 6:][np.ix_(order, order)], printed.m),
        (-h[:6], change @ printed.f),
        (-h[6:][order], printed.Q),
    ]
    for ours, theirs in pairs:
        for a, b in zip(np.ravel(ours), np.ravel(theirs), strict=True):
            difference = sp.sympify(a) - sp.sympify(b).xreplace(back)
            assert is_zero(sp.nsimplify(sp.expand(difference), rational=True)), (a, b)


def test_painleves_rod() -> None:
    """A normal force F and friction mu F on the sliding end: (F/m) (1 + 3 cos a (cos a - mu sin a)) upwards (Painlevé 1895)."""
    equations = lm.equations(lm.catalogue.painleve_rod())
    m, pitch = equations.symbols["m"], equations.symbols["pitch"]
    F, mu, a = sp.symbols("F mu a")
    # Rows: along the ground, along the normal. The end is behind the middle and slides backwards: friction pulls forward.
    upwards = (equations.delassus * sp.Matrix([mu * F, F]))[1].subs(pitch, -a)
    assert is_zero(upwards - F / m * (1 + 3 * sp.cos(a) * (sp.cos(a) - mu * sp.sin(a))))
    assert equations.gaps[0] == equations.symbols["up"] + equations.symbols["l"] * sp.sin(pitch)


def test_compass_walker_in_the_limit_of_light_feet() -> None:
    """Garcia et al. 1998, (1) and (2) with beta = m/M -> 0: theta'' = sin(theta - gamma), and the swing leg's equation.

    With theta = -leg_a and phi = leg_b - leg_a, g = l = 1: phi'' = theta'' + theta'^2 sin(phi) - cos(theta - gamma) sin(phi).
    """
    where = {"g": 1, "l": 1, "M": 1}
    equations = lm.equations(lm.catalogue.compass_walker(), closed=("foot_a",), where=where)
    s = equations.symbols
    state = {"leg_a": -0.21, "leg_b": 0.33, "leg_a_rate": 0.4, "leg_b_rate": -0.7, "slope": 0.05}
    # Velocities of the hip follow from the standing leg.
    state |= {"forward_rate": float(np.cos(-0.21) * 0.4), "up_rate": float(-np.sin(-0.21) * 0.4)}
    found = equations.evaluate({**state, "m": 1e-9})["acceleration"]
    theta, phi, gamma, rate = 0.21, 0.33 + 0.21, 0.05, -0.4
    theta_dd = np.sin(theta - gamma)
    phi_dd = theta_dd + rate**2 * np.sin(phi) - np.cos(theta - gamma) * np.sin(phi)
    assert (
        equations.reduced_names == ("leg_a_rate", "leg_b_rate")
        and s["m"] in equations.written_out(equations.reduced_mass).free_symbols
    )
    # Feet of a billionth of the hip's mass, and legs of as little inertia.
    assert -found[0] == pytest.approx(theta_dd, abs=1e-7)
    assert found[1] - found[0] == pytest.approx(phi_dd, abs=1e-7)


@pytest.mark.parametrize(("grip", "sign"), [("grip_1", 1), ("grip_2", -1)])
def test_climbing_robot(grip: str, sign: int) -> None:
    """ROCR as Mauny 2018, section 1.7, prints it, with the signs and terms corrected: every matrix, symbolically.

    About a grip at h = a/2 or -a/2 the body turns by one equation, the tail r imposed. J1 = MS1²/m1: the tail is a point mass.
    """
    equations = lm.equations(lm.catalogue.rocr(), closed=(grip,), where={"Jt": 0})
    names = (
        "a",
        "b",
        "J0",
        "m0",
        "m1",
        "MS0",
        "MS1",
        "Cv",
        "g",
        "swing",
        "yaw",
        "speed",
        "sway_speed",
        "yaw_rate",
        "swing_rate",
    )
    a, b, J0, m0, m1, MS0, MS1, Cv, g, r, theta, Vx, Vy, W, rd = (equations.symbols[name] for name in names)
    J1, mt, h = MS1**2 / m1, m0 + m1, sign * a / 2
    sin, cos = sp.sin, sp.cos
    k = MS0 + m1 * b + MS1 * cos(r)
    M = sp.zeros(4, 4)
    M[:3, :3] = sp.Matrix([[mt, 0, -MS1 * sin(r)], [0, mt, k], [-MS1 * sin(r), k, b * (m1 * b + 2 * MS1 * cos(r)) + J1 + J0]])
    M[3, :3] = sp.Matrix([[-MS1 * sin(r), MS1 * cos(r), J1 + b * MS1 * cos(r)]])
    M[:3, 3], M[3, 3] = M[3, :3].T, J1
    f = sp.Matrix(
        [
            k * W**2 + MS1 * cos(r) * (rd**2 + 2 * W * rd) + mt * W * Vy,
            MS1 * sin(r) * (W + rd) ** 2 - mt * W * Vx,
            MS1 * b * sin(r) * (rd**2 + 2 * W * rd) - k * W * Vx - MS1 * sin(r) * W * Vy,
            -MS1 * b * sin(r) * W**2 - MS1 * cos(r) * W * Vx - MS1 * sin(r) * W * Vy,
        ]
    )
    weight = g * sp.Matrix(
        [
            mt * sin(theta),
            mt * cos(theta),
            (MS0 + m1 * b) * cos(theta) + MS1 * cos(theta + r),
            MS1 * cos(theta + r),
        ]
    )
    assert all_zero(equations.mass_matrix - M)
    assert all_zero(equations.bias + f)
    assert all_zero(equations.gravity - weight)
    assert all_zero(equations.applied_forces - sp.Matrix([0, 0, -Cv * W, 0]))
    assert all_zero(equations.constraint_matrix[:2, :] - sp.Matrix([[1, 0, h, 0], [0, 1, 0, 0]]))
    assert all_zero(equations.kernel - sp.Matrix([-h, 0, 1, 0])) and all_zero(equations.kernel_rate)
    T = (m0 * Vx**2 + m0 * Vy**2 + J0 * W**2) / 2 + MS0 * Vy * W
    T += (m1 * Vx**2 + m1 * (Vy + b * W) ** 2 + J1 * (W + rd) ** 2) / 2 + MS1 * (W + rd) * ((Vy + b * W) * cos(r) - Vx * sin(r))
    assert is_zero(equations.written_out(equations.kinetic_energy) - T)
    # The reduced equation (1.20), on velocities that keep the grip in place.
    rolling = {Vx: -h * W, Vy: sp.Integer(0)}
    rdd = equations.symbols["swing_rate_dot"]
    Mr = 2 * h * MS1 * sin(r) + 2 * b * MS1 * cos(r) + b**2 * m1 + h**2 * mt + J0 + J1
    coupling = h * MS1 * sin(r) + b * MS1 * cos(r) + J1
    pushed = MS1 * (b * sin(r) - h * cos(r)) * (rd**2 + 2 * W * rd) - Cv * W - coupling * rdd
    pushed += g * (h * mt * sin(theta) - (MS0 + m1 * b) * cos(theta) - MS1 * cos(theta + r))
    assert is_zero(equations.written_out(equations.reduced_mass[0, 0]) - Mr)
    assert is_zero(equations.written_out(equations.reduced_force[0]).xreplace(rolling) - pushed)


def all_zero(matrix: sp.Matrix) -> bool:
    """Whether every entry of a matrix vanishes identically."""
    return all(is_zero(entry) for entry in matrix)


def test_compass_biped() -> None:
    """Génot 1998, section III.4: inertia, gaps and their gradients symbolically, the impulses of the impact at 1,000 states.

    With q_1 = -pitch, q_2 = hip; at the impact q_2 = -2 q_1. The inertia matrix is not printed in the thesis: it is that of two
    point masses.
    """
    equations = lm.equations(lm.catalogue.compass_biped(), where={"J": 0})
    s = equations.symbols
    L, length, m, pitch, q2, x, z = (s[name] for name in ("L", "l", "m", "pitch", "hip", "forward", "up"))
    q1 = -pitch
    far = L - length
    places = [
        sp.Matrix([x + far * sp.cos(q1), z + far * sp.sin(q1)]),
        sp.Matrix([x + L * sp.cos(q1) + length * sp.cos(q1 + q2), z + L * sp.sin(q1) + length * sp.sin(q1 + q2)]),
    ]
    order = sp.Matrix([x, z, pitch, q2])
    M = sum((m * place.jacobian(order).T * place.jacobian(order) for place in places), sp.zeros(4, 4))
    assert all_zero(equations.written_out(equations.mass_matrix) - M)
    foot = z + L * (sp.sin(q1) + sp.sin(q1 + q2))
    assert is_zero(equations.gaps[0] - z) and is_zero(equations.gaps[1] - foot)
    W = equations.written_out(equations.contact_rows)
    assert all_zero(W[3, :] - sp.Matrix([foot]).jacobian(order))
    rng = np.random.default_rng(3)
    for _ in range(1000):
        angle, first, second = rng.uniform(0.2, 1.4), *rng.normal(size=2)
        L_, l_, m_ = rng.uniform(0.5, 1.5), rng.uniform(0.1, 0.4), rng.uniform(0.5, 2.0)
        values = {"pitch": -angle, "hip": -2 * angle, "L": L_, "l": l_, "m": m_}
        found = equations.evaluate(values)
        v = np.array([0.0, 0.0, -first, second])
        rows, D = found["contact_rows"], found["delassus"]
        impulse = -np.linalg.solve(D[2:, 2:], rows[2:] @ v)
        c, s_, twice = np.cos(angle), np.sin(angle), np.cos(2 * angle)
        gap = L_ - l_
        bottom = gap**2 + 4 * L_**2 * c**2 * s_**2
        normal = -2 * L_ * m_ * c * s_**2 / bottom
        normal *= 2 * (L_**2 + l_**2 - 2 * L_ * l_ * s_**2) * first + l_ * (L_ * twice + l_) * second
        along = 2 * L_ * m_ * c**2 * s_ / bottom * (2 * L_ * gap * first + l_ * (L_ * twice - l_) * second)
        lift = L_ * c * gap / (l_ * bottom)
        lift *= 2 * (4 * L_**2 * c**2 * s_**2 - l_ * gap) * first - l_ * (L_ * twice - l_) * second
        size = 1.0 + abs(normal) + abs(along) + abs(lift)
        assert abs(impulse - [along, normal]).max() < 1e-11 * size  # solved for
        assert abs(D[1, 2:] @ impulse - lift) < 1e-10 * size


def test_rolling_disc() -> None:
    """A thin disc that rolls: the mass matrix of its three freedoms, about the contact (Routh, Appell)."""
    equations = rolling_disc()
    s = equations.symbols
    upright = {s["qw"]: 1, s["qx"]: 0, s["qy"]: 0, s["qz"]: 0}
    M = equations.written_out(equations.reduced_mass).xreplace(upright).applyfunc(sp.simplify)
    assert sp.diag(s["I"] + s["m"] * s["r"] ** 2, s["J"] + s["m"] * s["r"] ** 2, s["I"]) == M


@cache
def rolling_disc() -> lm.Equations:
    disc = lm.System(
        "disc",
        [lm.Body("disc", mass="m", inertia=("I", "J", "I"))],
        [lm.Free(name="base", parent="world", child="disc")],
        contacts=[lm.RollingDisc("rim", body="disc", centre=(0, 0, 0), axis=(0, 1, 0), radius="r")],
        forces=[lm.Gravity((0, 0, "-g"))],
        parameters={"m": 2.0, "I": 0.1, "J": 0.2, "r": 0.3, "g": 9.81},
        nominal={"z": "r"},
        independent=("roll_rate", "pitch_rate", "yaw_rate"),
    )
    return lm.equations(disc)


def test_rolling_disc_moves_as_routh_says() -> None:
    """The three equations of a rolling hoop or disc (Routh 1905, art. 244; Neimark and Fufaev 1972), at 1,000 random states.

    theta is the angle of the normal from the vertical, phi' the rate of the normal's azimuth, w the spin about the normal:
    (A + m r²) theta'' = A phi'² sin cos - (C + m r²) w phi' sin - m g r cos, (C + m r²) w' = m r² theta' phi' sin,
    A (phi'' sin + 2 theta' phi' cos) = C w theta', with A the moment about a diameter, C that about the normal.
    """
    equations = rolling_disc()
    p = equations.system.parameters.values
    A, C, m, r, g = (p[name] for name in ("I", "J", "m", "r", "g"))
    rng = np.random.default_rng(8)
    for _ in range(1000):
        theta, azimuth, turned = rng.uniform(0.5, 2.6), rng.uniform(-3, 3), rng.uniform(-3, 3)
        theta_dot, phi_dot, w = rng.normal(size=3)
        # Axes that follow the disc without spinning: e1 level, e2 up in its plane, e3 its normal, which is y of the body.
        e3 = np.array([np.sin(theta) * np.sin(azimuth), -np.sin(theta) * np.cos(azimuth), np.cos(theta)])
        e1 = np.array([np.cos(azimuth), np.sin(azimuth), 0.0])
        e2 = np.cross(e3, e1)
        z_axis = np.cos(turned) * e1 + np.sin(turned) * e2
        R = np.column_stack([np.cross(e3, z_axis), e3, z_axis])
        omega = theta_dot * e1 + phi_dot * np.sin(theta) * e2 + w * e3
        body = R.T @ omega
        values = dict(zip(("qw", "qx", "qy", "qz"), lm.lie.quaternion.from_matrix(R), strict=True))
        values |= dict(zip(("roll_rate", "pitch_rate", "yaw_rate"), body.tolist(), strict=True))
        v = equations.evaluate(values)["kernel"] @ body
        values |= dict(zip((s.name for s in equations.system.layout.velocities), v.tolist(), strict=True))
        found = equations.evaluate(values)
        turning = R @ np.linalg.solve(found["reduced_mass"], found["reduced_force"])  # the rate of omega: R (dW/dt)
        s_, c = np.sin(theta), np.cos(theta)
        theta_dd = (A * phi_dot**2 * s_ * c - (C + m * r**2) * w * phi_dot * s_ - m * g * r * c) / (A + m * r**2)
        w_dot = m * r**2 * theta_dot * phi_dot * s_ / (C + m * r**2)
        phi_dd = (C * w * theta_dot / A - 2 * theta_dot * phi_dot * c) / s_
        frame = theta_dot * e1 + phi_dot * np.array([0.0, 0.0, 1.0])
        expected = theta_dd * e1 + (phi_dd * s_ + phi_dot * theta_dot * c) * e2 + w_dot * e3
        expected = expected + np.cross(frame, omega)
        assert np.abs(turning - expected).max() < 1e-11 * (1.0 + np.abs(expected).max())
