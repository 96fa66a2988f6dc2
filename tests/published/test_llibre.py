"""What Llibre (ONERA, DCSD-2009_008-NOT-007-1.0) states about bodies, joints, Lagrange, Kane and robots, where it is tested.

The note holds no numbers. Those here are of independent programs of ours or closed forms; where it prints a formula wrongly,
that is said with the test.
"""

import math
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ModelError
from locomotor.mechanics.loads import applied_forces
from locomotor.mechanics.tree import Instant, forward
from locomotor.symbolic.formalisms import METHODS, kernel

ROOT = Path(__file__).parents[1]
HERE, LOOPS = "published/test_llibre.py", "unit/mechanics/test_loops.py"
MAXIMAL, FRICTION = "unit/simulation/test_maximal.py", "unit/simulation/test_friction.py"
ROBOTS, JOINTS = "published/test_llibre_robots.py", "published/test_llibre_joints.py"

FOUND_AGAIN: dict[str, tuple[tuple[str, str], ...]] = {
    "1. sums over particles": (
        (HERE, "test_1_momenta_and_energy_of_particles"),
        (HERE, "test_1_internal_forces_sum_to_nothing"),
    ),
    "2. moment about a point that moves": ((HERE, "test_2_moment_about_a_moving_point"), (HERE, "test_2_point_under_a_wheel")),
    "3. inertia": ((HERE, "test_3_tensors_of_inertia"),),
    "4. a rigid body about any of its points": ((HERE, "test_4_any_point_of_a_body"),),
    "5. free rigid body": ((HERE, "test_5_free_body"),),
    "6. laws of friction": (
        (HERE, "test_6_friction_of_a_contact"),
        (HERE, "test_6_rolling_friction"),
        (HERE, "test_6_pivoting_friction"),
        (HERE, "test_6_viscous_friction"),
    ),
    "7. cylinder on an incline, rolling and sliding": (
        (HERE, "test_7_cylinder_on_an_incline"),
        (HERE, "test_7_slip_that_reverses"),
    ),
    "8. rolling ball in Euler's angles": ((HERE, "test_8_rolling_ball"),),
    "9. treatments of the cylinder": ((HERE, "test_9_treatments_of_the_cylinder"),),
    "10. four ways to solve": ((HERE, "test_10_four_methods"), (HERE, "test_10_reduced_velocities_along_a_motion")),
    "11. elliptic pendulum": ((HERE, "test_11_elliptic_pendulum"), ("published/test_scenarios.py", "")),
    "12. Rayleigh": ((HERE, "test_12_rayleigh"),),
    "13. integrals of Painlevé and of cyclic coordinates": (
        (HERE, "test_13_bead_on_a_rotating_hoop"),
        (HERE, "test_13_cyclic_coordinates"),
    ),
    "14. Mampey's algorithm": ((ROBOTS, "test_14_random_chains"), (ROBOTS, "test_14_printed_signs_fail")),
    "15. two robots": ((ROBOTS, "test_15_two_joints"), (ROBOTS, "test_15_four_geared_joints")),
    "16. bias and Christoffel's symbols": ((ROBOTS, "test_16_bias"),),
    "17. there and back": (
        (ROBOTS, "test_17_round_trip"),
        (ROBOTS, "test_17_energy"),
        (ROBOTS, "test_17_friction_takes_energy"),
    ),
    "18. statics": ((ROBOTS, "test_18_statics"),),
    "19. rows at three levels": (
        (LOOPS, "test_rows_are_the_derivatives_of_the_conditions"),
        (LOOPS, "test_directions_that_stand_still_need_no_acceleration"),
    ),
    "20. numbers of rows": ((LOOPS, "test_number_of_rows_is_the_rank"),),
    "21. double pendulum in space": (
        (MAXIMAL, "test_accelerations_and_reaction_of_the_double_pendulum"),
        (MAXIMAL, "test_trapezoids_are_of_second_order_and_projections_hold"),
        (MAXIMAL, "test_without_projection_gaps_grow_with_the_square_of_the_step"),
    ),
    "22. smallest corrections": ((MAXIMAL, "test_projections_are_the_smallest_as_the_mass_measures"),),
    "23. coning": ((MAXIMAL, "test_coning"),),
    "24. screw, Cardan, redundant hinges": (
        (LOOPS, "test_a_body_on_a_screw_falls_slowly"),
        (LOOPS, "test_a_shaft_behind_a_cardan_joint_turns_unevenly"),
        (MAXIMAL, "test_a_linkage_with_four_hinges_has_three_conditions_too_many"),
        (MAXIMAL, "test_joints_chosen_with_care_leave_none_too_many"),
    ),
    "25. force elements": (
        (JOINTS, "test_25_elements_between_two_bodies"),
        (JOINTS, "test_25_a_rotary_element"),
        (JOINTS, "test_25_momentum_and_energy_are_kept"),
    ),
    "26. coordinates of joints from poses": (
        (JOINTS, "test_26_coordinates_of_joints"),
        (JOINTS, "test_26_rates_and_accelerations_are_differences"),
    ),
    "27. driven crank": ((JOINTS, "test_27_driven_crank"),),
    "28. linkages": (
        (LOOPS, "test_motion_is_that_of_one_equation_for_the_crank"),
        (MAXIMAL, "test_loop_and_maximal_agree_over_ten_seconds"),
        (JOINTS, "test_28_slider_crank"),
    ),
    "29. what multipliers mean": ((JOINTS, "test_29_hanging_chain"), (LOOPS, "test_a_body_on_a_screw_falls_slowly")),
}
"""Statement -> file and function of the tests that hold it."""


@pytest.mark.parametrize("statement", FOUND_AGAIN)
def test_every_statement_has_its_tests(statement: str) -> None:
    for file, function in FOUND_AGAIN[statement]:
        assert f"def {function}" in (ROOT / file).read_text()


def test_none_of_the_29_is_missing() -> None:
    assert [int(statement.split(".")[0]) for statement in FOUND_AGAIN] == list(range(1, 30))


# -- particles and solids ----------------------------------------------------------------------------------------------


def particles(n: int = 5) -> lm.System:
    """Points of different masses, springs and dampers between them, and a force on the first."""
    bodies = [lm.Body(f"p{k}", mass=1.0 + 0.5 * k, inertia=(1e-9,) * 3) for k in range(n)]
    joints = [lm.Fixed(name="floor", parent="world", child="still")]  # the root's coordinates would have plain names
    joints += [lm.Translation(name=f"j{k}", parent="world", child=f"p{k}") for k in range(n)]
    o = (0.0, 0.0, 0.0)
    inner = [lm.PointSpring(f"s{k}", f"p{k}", o, f"p{(k + 1) % n}", o, 30.0 + k, 0.2) for k in range(n)]
    inner += [lm.PointDamper(f"d{k}", f"p{k}", o, f"p{(k + 1) % n}", o, 2.0 + k) for k in range(n)]
    return lm.System(
        "particles", [lm.Frame("still"), *bodies], joints, forces=[*inner, lm.BodyForce("push", "p0", o, (1.0, -2.0, 0.5))]
    )


def cloud(rng: np.random.Generator, n: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return 1.0 + 0.5 * np.arange(n), rng.normal(size=(n, 3)), rng.normal(size=(n, 3))


def state_of(r: np.ndarray, v: np.ndarray) -> dict[str, float]:
    names = [f"j{k}_{i}" for k in range(len(r)) for i in "xyz"]
    return dict(zip(names, r.ravel(), strict=True)) | {f"{n}_rate": x for n, x in zip(names, v.ravel(), strict=True)}


def vector(found: dict[str, float], name: str) -> np.ndarray:
    return np.array([found[f"{name}_{i}"] for i in "xyz"])


def test_1_momenta_and_energy_of_particles(rng: np.random.Generator) -> None:
    """p = M V_G, H_O = H_G + OG x p and T = T_G + T_ra, against the sums."""
    m, r, v = cloud(rng)
    seen = lm.observe(particles(), state_of(r, v))
    centre, V = m @ r / m.sum(), m @ v / m.sum()
    p, H = vector(seen, "linear_momentum"), vector(seen, "angular_momentum")
    about_centre = np.cross(r - centre, m[:, None] * (v - V)).sum(axis=0)
    assert p == pytest.approx(m.sum() * V, rel=1e-12)
    assert pytest.approx(about_centre + np.cross(centre, p), rel=1e-12) == H
    relative = 0.5 * (m * ((v - V) ** 2).sum(axis=1)).sum()
    assert seen["kinetic_energy"] == pytest.approx(
        0.5 * m.sum() * V @ V + relative, rel=1e-6
    )  # the points' tiny inertia is 1e-9


def test_1_internal_forces_sum_to_nothing(rng: np.random.Generator) -> None:
    """Pairs of action and reaction change neither F nor M_A; power is that of the centre and the rest (internal ones too)."""
    _, r, v = cloud(rng)
    system = particles()
    kinematics = forward(Instant(system, r.ravel(), v.ravel()))
    pushes = np.array([np.asarray(applied_forces(kinematics).wrenches[k + 1], dtype=float)[:3] for k in range(len(r))])
    outside = np.array([1.0, -2.0, 0.5])
    A, B = rng.normal(size=(2, 3))
    assert np.abs(pushes[1:]).max() > 1.0
    assert pushes.sum(axis=0) == pytest.approx(outside, abs=1e-12)
    moment = {"A": np.cross(r - A, pushes).sum(axis=0), "B": np.cross(r - B, pushes).sum(axis=0)}
    assert moment["A"] == pytest.approx(np.cross(r[0] - A, outside), abs=1e-12)
    assert moment["A"] == pytest.approx(moment["B"] + np.cross(B - A, outside), abs=1e-12)  # AB x F
    m, _, _ = cloud(rng)
    V = m @ v / m.sum()
    total = (pushes * v).sum()
    assert total == pytest.approx(outside @ V + (pushes * (v - V)).sum(), abs=1e-12)
    assert total != pytest.approx(outside @ v[0], rel=1e-3)  # internal forces have power


def test_2_moment_about_a_moving_point(rng: np.random.Generator) -> None:
    """M_A = dH_A/dt + M V_A x V_G for a point A that moves as it likes."""
    m, r, v = cloud(rng)
    system = particles()
    a = np.array([lm.accelerations(system, state_of(r, v))[f"j{k}_{i}_rate"] for k in range(len(m)) for i in "xyz"]).reshape(
        -1, 3
    )
    A, V_A = rng.normal(size=(2, 3))

    def H(s: float) -> np.ndarray:
        at, speed = r + s * v + 0.5 * s * s * a, v + s * a
        return np.cross(at - (A + s * V_A), m[:, None] * speed).sum(axis=0)

    h = 1e-4
    rate = (H(-2 * h) - 8 * H(-h) + 8 * H(h) - H(2 * h)) / (12 * h)
    moment = np.cross(r[0] - A, [1.0, -2.0, 0.5])
    V = m @ v / m.sum()
    assert moment == pytest.approx(rate + m.sum() * np.cross(V_A, V), abs=1e-8)
    assert np.abs(np.cross(V_A, V)).max() > 0.1


@pytest.mark.slow
def test_2_point_under_a_wheel() -> None:
    """The point of contact travels with the axle while the material there stands still: V_A is not its velocity."""
    run = slid(0.3)
    assert np.abs(run["line_x_slip"]).max() < 1e-12 and abs(run["x_rate"][-1]) > 0.9
    assert run["line_point_x"] - run["line_point_x"][0] == pytest.approx(run["x"] - run["x"][0], abs=1e-12)


def test_3_tensors_of_inertia(rng: np.random.Generator) -> None:
    """j 1 = P + I, axes and planes, the ellipsoid, Koenig and Huygens, on a body made of points welded together."""
    m, r, _ = cloud(rng)
    bodies = [lm.Body(f"p{k}", mass=float(m[k]), com=tuple(r[k]), inertia=(1e-12,) * 3) for k in range(5)]
    joints = [lm.Free(name="base", parent="world", child="p0")]
    joints += [lm.Fixed(name=f"w{k}", parent="p0", child=f"p{k}") for k in range(1, 5)]
    system = lm.System("welded", bodies, joints)
    M = lm.derive(system, "mampey").parts({})["mass"]
    I_A = M[3:, 3:]
    centre = m @ r / m.sum()
    P = np.einsum("k,ki,kj->ij", m, r, r)
    j = (m * (r**2).sum(axis=1)).sum()
    assert pytest.approx(j * np.eye(3) - P, abs=1e-10) == I_A
    u = rng.normal(size=3)
    u /= np.linalg.norm(u)
    assert u @ P @ u + u @ I_A @ u == pytest.approx(j, rel=1e-12)
    radius = 1.0 / math.sqrt(u @ I_A @ u)
    assert (radius * u) @ I_A @ (radius * u) == pytest.approx(1.0)
    arms = r - centre
    I_G = (m * (arms**2).sum(axis=1)).sum() * np.eye(3) - np.einsum("k,ki,kj->ij", m, arms, arms)
    d2 = centre @ centre - (centre @ u) ** 2  # the squared distance of the two axes
    assert u @ I_A @ u == pytest.approx(u @ I_G @ u + m.sum() * d2, rel=1e-12)
    assert pytest.approx(np.einsum("k,ki,kj->ij", m, arms, arms) + m.sum() * np.outer(centre, centre), abs=1e-12) == P


def test_4_any_point_of_a_body(rng: np.random.Generator) -> None:
    """The wrench a motion needs, and T, about a point A of the body as about its centre of mass; dT/dt is the power."""
    com, inertia, mass = rng.normal(size=3) * 0.3, np.diag([0.3, 0.5, 0.6]), 2.5
    body = lm.Body("b", mass=mass, com=tuple(com), inertia=tuple(np.diag(inertia)))
    system = lm.System("b", [body], [lm.Free(name="base", parent="world", child="b")], forces=[
        lm.BodyForce("f", "b", (0.1, 0.2, 0.3), (3.0, -1.0, 2.0), frame="body"), lm.BodyTorque("couple", "b", (0.3, 0.1, -0.5))
    ])  # fmt: skip
    names = ("speed", "sway_speed", "heave_speed", "roll_rate", "pitch_rate", "yaw_rate")
    twist = rng.normal(size=6)
    state = dict(zip(names, twist, strict=True))
    rates = np.array([lm.accelerations(system, state)[name] for name in names])
    V, W, W_dot = twist[:3], twist[3:], rates[3:]
    gamma = rates[:3] + np.cross(W, V)  # of the origin A, in body axes
    I_A = inertia + mass * ((com @ com) * np.eye(3) - np.outer(com, com))
    force, couple = np.array([3.0, -1.0, 2.0]), np.array([0.3, 0.1, -0.5])  # axes of the body are those of the world here
    moment = couple + np.cross([0.1, 0.2, 0.3], force)
    assert mass * np.cross(com, gamma) + I_A @ W_dot + np.cross(W, I_A @ W) == pytest.approx(moment, abs=1e-11)
    V_G = V + np.cross(W, com)
    at_A = 0.5 * mass * V @ V + mass * V @ np.cross(W, com) + 0.5 * W @ I_A @ W
    at_G = 0.5 * mass * V_G @ V_G + 0.5 * W @ inertia @ W
    assert lm.observe(system, state)["kinetic_energy"] == pytest.approx(at_A) == pytest.approx(at_G)
    gamma_G = gamma + np.cross(W_dot, com) + np.cross(W, np.cross(W, com))
    power = force @ V_G + (moment - np.cross(com, force)) @ W
    assert mass * V_G @ gamma_G + W @ inertia @ W_dot == pytest.approx(power, rel=1e-11)


@pytest.mark.slow
def test_5_free_body() -> None:
    """Euler's equations; with A = B the pair (p, q) turns at (C - A) r/A, at constant r."""
    A, B, C = 0.3, 0.5, 0.6
    p, q, r = 1.0, -2.0, 0.7
    found = lm.accelerations(lm.catalogue.free_rigid_body(), {"roll_rate": p, "pitch_rate": q, "yaw_rate": r})
    wanted = ((B - C) * q * r / A, (C - A) * r * p / B, (A - B) * p * q / C)
    assert [found[name] for name in ("roll_rate", "pitch_rate", "yaw_rate")] == pytest.approx(wanted, rel=1e-12)
    even = lm.catalogue.free_rigid_body().with_parameters(A=0.3, B=0.3, C=0.5)
    run = lm.simulate(even, 5.0, start={"roll_rate": p, "pitch_rate": q, "yaw_rate": r}, step=1e-3)
    turned = (run["roll_rate"] + 1j * run["pitch_rate"]) / (p + 1j * q)
    assert turned == pytest.approx(np.exp(1j * (0.5 - 0.3) / 0.3 * r * run.time), abs=1e-9)
    H = np.array([run[f"angular_momentum_{i}"] for i in "xyz"])
    assert np.abs(np.linalg.norm(H, axis=0) / np.linalg.norm(H[:, 0]) - 1.0).max() < 1e-9
    assert run.audit()["energy_balance"] < 1e-9


# -- contact and friction ----------------------------------------------------------------------------------------------

ALPHA = math.radians(30.0)
SLOPE = (-9.81 * math.sin(ALPHA), 0.0, -9.81 * math.cos(ALPHA))
"""Gravity in the axes of the incline: x up the slope, z normal to it."""


def cylinder(friction: float, treatment: str = "contact") -> lm.System:
    return lm.catalogue.cylinder_on_incline(treatment, friction=friction)


@cache
def slid(friction: float, slip: float = 0.0) -> lm.Run:
    start = {"x_rate": slip, "theta_rate": 0.0} if slip else {}
    return lm.simulate(cylinder(friction), 0.3, start=start, step=1e-3)


@pytest.mark.slow
def test_7_cylinder_on_an_incline() -> None:
    """Rolls below tan(alpha)/3 = 0.19245 of the angle, slides above; the print has + in r theta'' (E06)."""
    run = slid(0.3)
    t = run.time[-1]
    assert run["x_rate"][-1] / t == pytest.approx(-3.27, rel=1e-9) and run["theta_rate"][-1] / t == pytest.approx(
        32.7, rel=1e-9
    )
    assert np.abs(run["x_rate"] + 0.1 * run["theta_rate"]).max() < 1e-12
    assert (run["line_force_x"][-1], run["line_force_z"][-1]) == pytest.approx((3.27, 16.9914184), rel=1e-7)
    run = slid(0.1)
    assert run["x_rate"][-1] / t == pytest.approx(-4.05542908, rel=1e-7)
    assert 0.1 * run["theta_rate"][-1] / t == pytest.approx(1.69914184, rel=1e-7)
    threshold = math.tan(ALPHA) / 3.0
    assert threshold == pytest.approx(0.19245009, rel=1e-7)
    for mu, rolls in ((threshold * 1.001, True), (threshold * 0.999, False)):
        run = slid(mu)
        assert (np.abs(run["x_rate"] + 0.1 * run["theta_rate"]).max() < 1e-12) == rolls


@pytest.mark.slow
def test_7_slip_that_reverses() -> None:
    """From a slip of +1 m/s it vanishes at 0.13416133 s and goes on the other way: friction is too small to hold."""
    run = slid(0.1, slip=1.0)
    slip = run["x_rate"] + 0.1 * run["theta_rate"]
    after = run.time > 0.13416133
    assert (slip[~after] > -1e-9).all() and slip[-1] == pytest.approx(-2.35628724 * (run.time[-1] - 0.13416133), rel=1e-6)
    assert slip[50] == pytest.approx(1.0 - 7.45371276 * run.time[50], rel=1e-7)


@pytest.mark.slow
def test_6_friction_of_a_contact() -> None:
    """Against the slip, of size f |R_n|, with the power -f |R_n| |V_t|."""
    run = slid(0.1, slip=1.0)
    k = 50
    slip = run["x_rate"][k] + 0.1 * run["theta_rate"][k]
    normal, along = 16.99141842, -0.1 * 16.99141842
    assert run["line_friction_power"][k] == pytest.approx(along * slip, rel=1e-7)
    assert (run["line_force_x"][k], run["line_force_z"][k]) == pytest.approx((along, normal), rel=1e-7)
    assert (run["x_rate"][k + 1] - run["x_rate"][k]) / 1e-3 == pytest.approx(SLOPE[0] + along / 2.0, rel=1e-7)
    assert normal == pytest.approx(2.0 * 9.81 * math.cos(ALPHA))


def test_6_viscous_friction() -> None:
    """A damper takes c q_dot² of power, no more and no less, and pushes against the velocity."""
    rod = lm.Body("rod", 1.0, inertia=(0.2, 0.2, 0.2))
    system = lm.System(
        "v", [rod], [lm.Revolute(name="q", parent="world", child="rod", axis=(0, 0, 1))], forces=[lm.JointDamper("d", "q", 0.7)]
    )
    for rate in (2.0, -2.0):
        assert lm.accelerations(system, {"q_rate": rate})["q_rate"] == pytest.approx(-0.7 * rate / 0.2)
        assert lm.observe(system, {"q_rate": rate})["d_power"] == pytest.approx(-0.7 * rate**2)


@pytest.mark.slow
def test_6_rolling_friction() -> None:
    """A moment r |R_n| against the rolling, on a ball that rolls either way, with the power -r |R_n| |Omega_t|."""
    law = lm.Unilateral(friction=0.8, rolling=0.01)
    ball = lm.System(
        "ball",
        [lm.Body("ball", 2.0, inertia=(0.008, 0.008, 0.008))],
        [lm.Free(name="fly", parent="world", child="ball")],
        contacts=[lm.RollingSphere("touch", "ball", (0, 0, 0), radius=0.1, law=law)],
        forces=[lm.Gravity()],
        nominal={"z": 0.1},
    )
    for way in (1.0, -1.0):
        start = {"z": 0.1, "speed": way, "pitch_rate": 10.0 * way}
        run = lm.simulate(ball, 0.05, start=start, step=0.01, target="interpreter")
        assert run["touch_moment_y"][-1] == pytest.approx(-way * 0.01 * 2.0 * 9.81, rel=1e-9)
        assert run["touch_friction_power"][-1] == pytest.approx(-0.01 * 2.0 * 9.81 * abs(run["pitch_rate"][-1]), rel=1e-9)


@pytest.mark.slow
def test_6_pivoting_friction() -> None:
    """A moment p |R_n| against the spin; on a disc of radius R pressed evenly p = 2/3 f R. It holds up to that."""
    foot = lm.StickingPoint("foot", "puck", at=(0, 0, 0), law=lm.Unilateral(friction=0.3, patch=0.1))
    puck = lm.System(
        "puck",
        [lm.Frame("carrier"), lm.Body("puck", 2.0, inertia=(0.005, 0.005, 0.01))],
        [
            lm.Translation(name="base", parent="world", child="carrier"),
            lm.Revolute(name="yaw", parent="carrier", child="puck", axis=(0, 0, 1)),
        ],
        contacts=[foot],
        forces=[lm.Gravity(), lm.JointForce("twist", "yaw", "T")],
        parameters=[lm.Parameter("T", 0.0)],
    )
    most = 2.0 / 3.0 * 0.3 * 0.1 * 2.0 * 9.81
    for way in (1.0, -1.0):
        run = lm.simulate(
            puck, 0.05, start={"x_rate": 0.0, "y_rate": 0.0, "yaw_rate": 5.0 * way}, step=0.01, target="interpreter"
        )
        assert run["foot_moment_z"][-1] == pytest.approx(-way * most, rel=1e-9)
        assert run["foot_friction_power"][-1] == pytest.approx(-most * abs(run["yaw_rate"][-1]), rel=1e-9)
    for share, holds in ((0.99, True), (1.01, False)):
        run = lm.simulate(puck.with_parameters(T=share * most), 0.05, step=0.01, target="interpreter")
        assert (np.ptp(run["yaw"]) == 0.0) == holds


def test_8_rolling_ball(rng: np.random.Generator) -> None:
    """Rows without slip in Euler's angles (precession, nutation, spin) are V_G + W x (-R z) = 0; freedoms are n = m - p = 3."""
    psi, theta, _, psi_dot, theta_dot, phi_dot = rng.uniform(0.2, 1.2, 6)
    R = 0.108
    c, s = math.cos, math.sin
    W = np.array(
        [
            theta_dot * c(psi) + phi_dot * s(theta) * s(psi),
            theta_dot * s(psi) - phi_dot * s(theta) * c(psi),
            psi_dot + phi_dot * c(theta),
        ]
    )
    printed = np.array(
        [R * theta_dot * s(psi) - R * phi_dot * c(psi) * s(theta), -R * theta_dot * c(psi) - R * phi_dot * s(psi) * s(theta)]
    )
    assert np.cross(W, [0, 0, R])[:2] == pytest.approx(printed)
    ball = lm.catalogue.bowling_ball()
    ball = ball.replace(contacts=[replace(ball.contacts[0], law=lm.Persistent())])
    found = lm.observe(ball, {"spin_wx": W[0], "spin_wy": W[1], "spin_wz": W[2]})
    assert [found["x_rate"], found["y_rate"], found["z_rate"]] == pytest.approx([*printed, 0.0], abs=1e-12)
    assert len(lm.trace(ball).reduction.free) == 6 - 3


# -- Lagrange and Kane -------------------------------------------------------------------------------------------------

WEIGHT = 2.0 * 9.81


def test_9_treatments_of_the_cylinder() -> None:
    """A: one coordinate. B, C: two and a multiplier, the force of friction. D: three and two, the push of the ground too.

    E, sliding, is check 7. Joined by positions instead of rates, the multiplier is the same."""
    wanted = {"x_rate": -3.27, "theta_rate": 32.7, "y_rate": 0.0}
    forces = {"holonomic": [], "multiplier": [WEIGHT * math.sin(ALPHA) / 3.0]}
    forces["integrated"] = forces["multiplier"]
    forces["two_multipliers"] = [*forces["multiplier"], WEIGHT * math.cos(ALPHA)]
    for treatment, multipliers in forces.items():
        for way in ("lagrange", "kane"):
            found, lam = lm.derive(cylinder(0.0, treatment), way).solve({})
            assert found == pytest.approx({name: wanted[name] for name in found}, rel=1e-12, abs=1e-12)
            assert lam == pytest.approx(multipliers, rel=1e-12)


def test_10_four_methods(rng: np.random.Generator) -> None:
    """They agree; the matrix of the whole system is indefinite, so that Cholesky fails (E09), and the printed multipliers
    -(C M^-1 C^T)^-1 (c + S) have not even the right size (E10)."""
    L = rng.normal(size=(7, 7))
    M, C, S, c = L @ L.T + np.eye(7), rng.normal(size=(3, 7)), rng.normal(size=7), rng.normal(size=3)
    answers = {name: lm.solve_constrained(M, C, S, c, method=name) for name in METHODS}
    for a, lam in answers.values():
        assert a == pytest.approx(answers["direct"][0], abs=1e-10) and lam == pytest.approx(answers["direct"][1], abs=1e-10)
        assert M @ a == pytest.approx(S + C.T @ lam, abs=1e-10) and C @ a == pytest.approx(c, abs=1e-10)
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.cholesky(np.block([[M, C.T], [C, np.zeros((3, 3))]]))


def double_pendulum(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Two bobs in Cartesian coordinates on two rods of a metre: M, C, S and c."""
    r1, r2, v1, v2 = q[:2], q[2:] - q[:2], v[:2], v[2:] - v[:2]
    C = np.array([[*r1, 0.0, 0.0], [*(-r2), *r2]])
    return np.eye(4), C, np.tile([0.0, -9.81], 2), -np.array([v1 @ v1, v2 @ v2])


def swung(step, h: float) -> np.ndarray:
    q, v = np.array([math.sin(0.5), -math.cos(0.5), math.sin(0.5) + math.sin(1.0), -math.cos(0.5) - math.cos(1.0)]), np.zeros(4)
    for _ in range(round(1.0 / h)):
        q, v = step(q, v, h)
    return q


@pytest.mark.slow
def test_10_reduced_velocities_along_a_motion() -> None:
    """The fourth method converges when its accelerations are integrated; not when velocities are kept along a kernel that is
    found anew at each step, as printed (E11)."""

    def kept(q, v, h):
        a, _ = lm.solve_constrained(*double_pendulum(q, v), method="reduced")
        return q + h * v, v + h * a

    errors = [np.abs(swung(kept, h) - swung(kept, h / 2)).max() for h in (4e-3, 2e-3)]
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.2)

    def printed():
        state = {"N": None, "k": 0}

        def step(q, v, h):
            M, C, S, c = double_pendulum(q, v)
            N = kernel(C)
            state["k"] += 1
            angle = (
                0.7 * state["k"]
            )  # any orthonormal basis will do for a factorisation: which one it returns is not ours to say
            N = N @ np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
            z = N.T @ v if state["N"] is None else state["z"]
            least = np.linalg.pinv(C) @ c
            state["z"] = z + h * np.linalg.solve(N.T @ M @ N, N.T @ (S - M @ least))
            state["N"] = N
            return q + h * (N @ z), N @ state["z"]

        return step

    exact = swung(kept, 1e-3)
    for h in (4e-3, 2e-3):
        assert np.abs(swung(printed(), h) - exact).max() > 0.3


def test_11_elliptic_pendulum() -> None:
    """First accelerations by Lagrange and Kane; with a heavy cart it is a simple pendulum. States: a scenario."""
    system = lm.catalogue.elliptic_pendulum()
    wanted = {"cart_rate": 1.646965643, "theta_rate": -18.2893793911}
    state = {"theta": 0.7, "theta_rate": 2.0, "cart_rate": -1.5}
    moving = [lm.derive(system, way).solve(state)[0] for way in ("lagrange", "kane")]
    assert moving[0] == pytest.approx(moving[1], rel=1e-12)
    m1, m2, a, g = 2.0, 1.0, 0.5, 9.81
    y, th = moving[0]["cart_rate"], moving[0]["theta_rate"]
    assert (m1 + m2) * y + m2 * a * (th * math.cos(0.7) - 4.0 * math.sin(0.7)) == pytest.approx(0.0, abs=1e-9)
    assert a * th + y * math.cos(0.7) + g * math.sin(0.7) == pytest.approx(0.0, abs=1e-9)
    for way in ("lagrange", "kane"):
        assert lm.derive(system, way).solve({"theta": 1.0})[0] == pytest.approx(wanted, rel=1e-9)
    heavy = lm.derive(system.with_parameters(m_1=1e9), "kane").solve({"theta": 1.0})[0]
    assert heavy["theta_rate"] == pytest.approx(-9.81 * math.sin(1.0) / 0.5, rel=1e-8)


def test_12_rayleigh() -> None:
    """R = c q_dot²/2 gives -c q_dot; differentiating the power of a force of velocities would double it, and is refused."""
    from locomotor.tracing.readings import lagrange

    rod = lm.Body("rod", 1.0, inertia=(0.2, 0.2, 0.2))
    joint = lm.Prismatic(name="x", parent="world", child="rod", axis=(1, 0, 0))
    damped = lm.System("d", [rod], [joint], forces=[lm.JointDamper("d", "x", 0.7)])
    assert lm.derive(damped, "lagrange").parts({"x_rate": 3.0})["force"] == pytest.approx([-2.1])
    dragged = lm.System("d", [rod], [joint], forces=[lm.JointForce("f", "x", "-0.7*x_rate")])
    assert lm.derive(dragged, "lagrange").parts({"x_rate": 3.0})["force"] == pytest.approx([-2.1])
    with pytest.raises(ModelError, match="depends on velocities"):
        lagrange(lm.trace(dragged), given="power")
    pushed = lm.System("d", [rod], [joint], forces=[lm.JointForce("f", "x", "4*x")])
    one = lagrange(lm.trace(pushed), given="power")([0.0], [0.5], [1.0], [], [])
    assert one[1] == pytest.approx([2.0])


def hoop(law: str) -> lm.System:
    """A bead of 0.3 kg on a hoop of 0.4 m that is turned about the vertical by a law."""
    return lm.System(
        "hoop",
        [lm.Body("ring", 1.0, inertia=(0.1, 0.1, 0.1)), lm.Body("bead", 0.3, (0, 0, -0.4), (1e-12,) * 3)],
        [
            lm.Revolute(name="turn", parent="world", child="ring", axis=(0, 0, 1), drive=lm.Motion(law)),
            lm.Revolute(name="theta", parent="ring", child="bead", axis=(0, 1, 0)),
        ],
        forces=[lm.Gravity()],
    )


@pytest.mark.slow
def test_13_bead_on_a_rotating_hoop() -> None:
    """T_2 - T_0 + V is constant where T + V is not: m (a² theta'² - a² w² sin²)/2 - m g a cos and a constant of the hoop."""
    system = hoop("6*t")
    (found,) = lm.first_integrals(system)
    assert found.name == "generalised energy"
    run = lm.simulate(system, 2.0, start={"theta": 0.8, "theta_rate": 0.5}, step=1e-3, sample=0.02)
    theta, rate = run["theta"], run["theta_rate"]
    formula = 0.15 * 0.16 * (rate**2 - 36 * np.sin(theta) ** 2) - 0.3 * 9.81 * 0.4 * np.cos(theta)
    values = found.of(run)
    assert values - values[0] == pytest.approx(formula - formula[0], abs=1e-9)
    assert found.drift(run) < 1e-9 < 1e-2 < np.ptp(run["kinetic_energy"] + run["potential_energy"])
    assert lm.first_integrals(hoop("6*t + 0.1*t**2")) == ()  # dL/dt is no longer zero


@pytest.mark.slow
def test_13_cyclic_coordinates() -> None:
    """The cart of check 11 is cyclic: P = (m_1 + m_2) y' + m_2 a theta' cos(theta), beside the energy."""
    system = lm.catalogue.elliptic_pendulum()
    found = {each.name: each for each in lm.first_integrals(system)}
    assert set(found) == {"energy", "momentum of cart_rate"}
    run = lm.simulate(system, 0.5, start={"theta": 1.0, "cart_rate": 0.4}, step=1e-3, sample=0.05)
    P = 3.0 * run["cart_rate"] + 0.5 * run["theta_rate"] * np.cos(run["theta"])
    assert found["momentum of cart_rate"].of(run) == pytest.approx(P, abs=1e-12)
    assert found["momentum of cart_rate"].drift(run) < 1e-9
