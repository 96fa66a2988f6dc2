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


def test_climbing_robot() -> None:
    """ROCR about one grip (Mauny 2018, section 1.7): one equation in the angle of the body, the tail imposed.

    J psi'' = -M r'' ..., with J = J0 + m0 a^2/4 + MS1^2/m1 + m1 (a^2/4 + b^2) + MS1 (2 b cos r + a sin r) about the grip.
    """
    equations = lm.equations(lm.catalogue.rocr(), closed=("grip_1",))
    a, b, J0, m0, m1, MS1, r = (equations.symbols[n] for n in ("a", "b", "J0", "m0", "m1", "MS1", "swing"))
    inertia = J0 + m0 * a**2 / 4 + MS1**2 / m1 + m1 * (a**2 / 4 + b**2) + MS1 * (2 * b * sp.cos(r) + a * sp.sin(r))
    ours = equations.written_out(equations.reduced_mass[0, 0])
    # The model gives the tail a moment of inertia of 1e-9 about its own centre.
    assert is_zero(sp.expand(ours - inertia) - sp.Rational(1, 10**9))


def test_rolling_disc() -> None:
    """A thin disc that rolls: T = m r^2 ... of its three freedoms, and its mass matrix about the contact (Routh, Appell)."""
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
    equations = lm.equations(disc)
    s = equations.symbols
    upright = {s["qw"]: 1, s["qx"]: 0, s["qy"]: 0, s["qz"]: 0}
    M = equations.written_out(equations.reduced_mass).xreplace(upright).applyfunc(sp.simplify)
    assert sp.diag(s["I"] + s["m"] * s["r"] ** 2, s["J"] + s["m"] * s["r"] ** 2, s["I"]) == M
