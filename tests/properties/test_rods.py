"""Exact rods as bodies of a tree: against the continuous equations, Lagrange's, and chains of rigid segments."""

from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.lie import SE3, SO3
from locomotor.mechanics.loads.energy import kinetic_energy, potential_energy
from locomotor.mechanics.soft.magnus import Turn
from locomotor.mechanics.soft.rod_shape import strain_matrix
from locomotor.mechanics.tree import Instant, forward, inverse_dynamics, mass_matrix, spatial_momentum
from locomotor.model import Body, CrossSection, Fixed, Frame, Free, Gravity, Revolute, Rod, Spherical, Strain, System
from oracles.continuous_rod import Rod as Oracle
from oracles.sampling import Rng, coordinate_rate, coordinates, rotation

Array = Any

GRAVITY = np.array([1.0, -2.0, -9.0])
LENGTH = 0.7
SECTION = CrossSection(
    mass=0.4, EA=50.0, GAy=20.0, GAz=25.0, GJ=0.02, EIy=0.05, EIz=0.03, moment=(0.002, -0.001), second=(3e-4, 5e-4, 1e-4)
)
SIZES = {"stretch": 0.1, "shear_y": 0.1, "shear_z": 0.1, "twist": 1.0, "bend_y": 1.5, "bend_z": 1.5}

FAMILIES = {
    "all six": {"stretch": 2, "shear_y": 2, "shear_z": 1, "twist": 2, "bend_y": 3, "bend_z": 3},
    "bending": (Strain("bend_y", 3, "polynomial"), Strain("bend_z", 4, "polynomial")),
    "piecewise": (Strain("twist", 3, "piecewise"), Strain("bend_y", 3, "piecewise"), Strain("stretch", 2, "piecewise")),
    "linear": (Strain("bend_z", 3, "linear"), Strain("bend_y", 2, "linear"), Strain("twist")),
}


def rod(strains: Any, points: int = 6, curvature: Any = (0.0, 0.0, 0.0)) -> Rod:
    return Rod("rod", section=SECTION, length=LENGTH, strains=strains, points=points, curvature=curvature)


def strained(made: Rod, rng: Rng) -> Array:
    """Strain coordinates at which the rod is bent by about a radian."""
    return np.concatenate([SIZES[each.strain] * rng.normal(size=each.terms) for each in made.strains])


def free_rod(made: Rod) -> System:
    return System("free", (made,), (Free(name="base", parent="world", child="rod"),), (), (Gravity(tuple(GRAVITY)),))


# -- the map between two nodes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0.0, 1e-4, 0.3, 0.999, 1.001, 3.0])
def test_differential_of_a_turn_and_its_change(size: float, rng: Rng) -> None:
    omega, rate = size * rng.normal(size=6), rng.normal(size=6)
    turn = Turn.at(omega)
    assert np.abs(turn.pose.as_matrix() - SE3.exp(omega).as_matrix()).max() < 1e-14
    assert np.abs(turn.differential(rate) - SE3.dexp(omega) @ rate).max() < 1e-14
    h = 1e-5  # central differences: h² and round-off 1e-16/h
    differences = (SE3.dexp(omega + h * rate) @ rate - SE3.dexp(omega - h * rate) @ rate) / (2.0 * h)
    assert np.abs(turn.change(rate) - differences).max() < 1e-9


# -- against the continuous equations ------------------------------------------------------------------------------


class Moving:
    """A free rod in a random motion, in the library and in the continuous equations."""

    def __init__(self, made: Rod, rng: Rng) -> None:
        self.system = free_rod(made)
        self.e, self.e_dot, self.e_ddot = strained(made, rng), strained(made, rng), strained(made, rng)
        R, p = rotation(rng), rng.normal(size=3)
        self.R, self.p, self.eta, self.eta_dot = R, p, rng.normal(size=6), rng.normal(size=6)
        self.q = np.concatenate([p, SO3(R).as_quaternion(), self.e])
        self.v, self.v_dot = np.concatenate([self.eta, self.e_dot]), np.concatenate([self.eta_dot, self.e_ddot])

        def B(X: float) -> Array:
            return strain_matrix(made, X / LENGTH)

        second = np.array(SECTION.second, dtype=float)
        yy, zz, yz = second
        y, z = SECTION.moment
        offset = np.array([[0.0, -z, y], [z, 0.0, 0.0], [-y, 0.0, 0.0]])  # hat of (0, y, z)
        slice_ = np.array([[yy + zz, 0.0, 0.0], [0.0, zz, -yz], [0.0, -yz, yy]])
        inertia = np.block([[SECTION.mass * np.eye(3), -offset], [offset, slice_]])
        stiffness = np.diag([getattr(SECTION, name) for name in ("EA", "GAy", "GAz", "GJ", "EIy", "EIz")])
        self.B = B
        self.stress = lambda X: stiffness @ B(X) @ self.e
        self.rod = Oracle(
            LENGTH,
            inertia,
            lambda X: np.asarray(made.free_strain(X / LENGTH, {}), dtype=float) + B(X) @ self.e,
            lambda X: B(X) @ self.e_dot,
            lambda X: B(X) @ self.e_ddot,
            GRAVITY,
            tuple(LENGTH * each for each in made.breaks[1:-1]),
        )


# A rod is of fourth order in the distance of its nodes (halved in the test below), and exact where strains are constant.
@pytest.mark.parametrize(
    ("family", "curvature", "points", "tolerance"),
    [
        ("all six", (0.0, 0.0, 0.0), 24, 2e-6),
        ("piecewise", (1.0, 0.5, -0.5), 8, 1e-10),
        pytest.param("bending", (0.5, "2*s", "-1 + s**2"), 24, 2e-6, marks=pytest.mark.slow),
        pytest.param("linear", (0.0, 1.0, 0.0), 16, 1e-6, marks=pytest.mark.slow),
    ],
)
def test_forces_are_those_of_the_continuous_equations(
    family: str, curvature: Any, points: int, tolerance: float, rng: Rng
) -> None:
    case = Moving(rod(FAMILIES[family], points, curvature), rng)
    found = inverse_dynamics(forward(Instant(case.system, case.q, case.v)), case.v_dot, GRAVITY)
    wrench, own = case.rod.inverse(case.R, case.p, case.eta, case.eta_dot, case.stress, case.B)
    wanted = np.concatenate([wrench, own])
    assert np.abs(np.asarray(found) - wanted).max() < tolerance * np.abs(wanted).max()


@pytest.mark.slow
def test_forces_converge_with_the_fourth_order_of_the_nodes(rng: Rng) -> None:
    errors = []
    for points in (6, 12, 24):
        case = Moving(rod(FAMILIES["all six"], points), np.random.default_rng(4))
        found = inverse_dynamics(forward(Instant(case.system, case.q, case.v)), case.v_dot, GRAVITY)
        wrench, own = case.rod.inverse(case.R, case.p, case.eta, case.eta_dot, case.stress, case.B)
        errors.append(np.abs(np.asarray(found) - np.concatenate([wrench, own])).max())
    assert errors[0] / errors[1] > 10.0 and errors[1] / errors[2] > 12.0  # 2^4 = 16 in the limit


def test_free_head_with_imposed_strains(rng: Rng) -> None:
    """The passes of the source for strains that are given: the far end is left without a wrench, and the head moves as ours."""
    case = Moving(rod(FAMILIES["piecewise"], 8), rng)
    wanted, left = case.rod.free_head(case.R, case.p, case.eta)
    assert np.abs(left).max() < 1e-9  # accuracy of the integrator
    kinematics = forward(Instant(case.system, case.q, case.v))
    M = np.asarray(mass_matrix(kinematics), dtype=float)
    at_rest = np.concatenate([np.zeros(6), case.e_ddot])
    needed = np.asarray(inverse_dynamics(kinematics, at_rest, GRAVITY), dtype=float)
    found = np.linalg.solve(M[:6, :6], -needed[:6])
    assert np.abs(found - wanted).max() < 1e-8 * np.abs(wanted).max()


# -- against Lagrange --------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_forces_are_those_of_lagrange(family: str, rng: Rng) -> None:
    """d/dt dT/dv - dT/dq + dU/dq for a rod with a clamped end and something hanging on it, energies by differences."""
    made = rod(FAMILIES[family], 3 if family == "piecewise" else 6, (0.3, -0.4, "1 - s"))
    bob = Body("bob", 0.3, com=(0.0, 0.1, 0.0), inertia=(0.01, 0.02, 0.015))
    hinge = Revolute(name="hinge", parent="rod", child="bob", at=made.pose_at(0.6).translation, axis=(0.0, 0.0, 1.0))
    clamp = Fixed(name="clamp", parent="world", child="rod", rotation=rotation(rng))
    system = System("clamped", (made, bob), (clamp, hinge), (), (Gravity(tuple(GRAVITY)),))
    n = system.layout.nv
    q, v = np.concatenate([rng.normal(size=1), strained(made, rng)]), rng.normal(size=n)

    def energies(q: Array, v: Array) -> Array:
        kinematics = forward(Instant(system, q, v))
        return np.array([float(kinetic_energy(kinematics)), float(potential_energy(kinematics))])

    M = np.asarray(mass_matrix(forward(Instant(system, q, v))), dtype=float)
    assert abs(energies(q, v)[0] - 0.5 * v @ M @ v) < 1e-13 * energies(q, v)[0]
    found = np.asarray(inverse_dynamics(forward(Instant(system, q, v)), None, GRAVITY), dtype=float)
    h = 1e-4  # fourth-order differences: h^4 and round-off 1e-15/h
    weights = ((1.0, 8.0 / 12.0), (-1.0, -8.0 / 12.0), (2.0, -1.0 / 12.0), (-2.0, 1.0 / 12.0))

    def mass_at(q: Array) -> Array:
        return np.asarray(mass_matrix(forward(Instant(system, q, np.zeros(n)))), dtype=float)

    momentum_rate = sum(w * (mass_at(q + k * h * v) @ v) for k, w in weights) / h
    slopes = np.array([sum(w * energies(q + k * h * np.eye(n)[i], v) for k, w in weights) / h for i in range(n)])
    wanted = momentum_rate - slopes[:, 0] + slopes[:, 1]
    assert np.abs(found - wanted).max() < 1e-8 * np.abs(wanted).max()


# -- sites ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.0, 0.31, 1.0])
def test_what_hangs_on_a_rod_moves_as_its_velocities_say(share: float, rng: Rng) -> None:
    made = rod(FAMILIES["all six"], 5, (0.5, 1.0, "s"))
    place = made.pose_at(share)
    at = place.act(np.array([0.0, 0.05, -0.02]))
    joint = Spherical(name="ball", parent="rod", child="rider", at=at, rotation=rotation(rng))
    rider = Body("rider", 0.2, com=(0.1, 0.0, 0.0), inertia=(0.01, 0.01, 0.02))
    tip = Fixed(name="weld", parent="rider", child="mark", at=(0.3, 0.0, 0.0))
    base = Free(name="base", parent="world", child="rod")
    system = System("ridden", (made, rider, Frame("mark")), (base, joint, tip))
    q = np.concatenate([coordinates(system, rng)[:11], strained(made, rng)])
    v = rng.normal(size=system.layout.nv)
    h = 1e-6

    def at_time(t: float) -> Any:
        """Second order along the motion: the slope is taken in the middle."""
        middle = q + 0.5 * t * coordinate_rate(system, q, v)
        return forward(Instant(system, q + t * coordinate_rate(system, middle, v), v))

    before, here, after = at_time(-h), at_time(0.0), at_time(h)
    for i in (1, 2):
        change = (after.poses[i].as_matrix() - before.poses[i].as_matrix()) / (2.0 * h)
        twist = SE3.vee(np.linalg.inv(here.poses[i].as_matrix()) @ change)
        assert np.abs(twist - np.concatenate([here.velocity[i], here.omega[i]])).max() < 1e-8
        rate = np.concatenate([after.velocity[i] - before.velocity[i], after.omega[i] - before.omega[i]]) / (2.0 * h)
        a, omega_dot = here.free_accelerations[i]
        assert np.abs(np.concatenate([a - np.cross(here.omega[i], here.velocity[i]), omega_dot]) - rate).max() < 1e-8


# -- against a chain of rigid segments ---------------------------------------------------------------------------------


def chain_energy(count: int, kappa: Any, kappa_dot: Any) -> tuple[float, float, Array]:
    """Kinetic and elastic energy and the tip of a planar chain of rigid segments with springs between them."""
    step = LENGTH / count
    bodies, joints = [], []
    I_z = SECTION.mass * step**3 / 12.0 + SECTION.second[0] * step
    for k in range(count):
        bodies.append(Body(f"b{k}", SECTION.mass * step, com=(0.5 * step, 0.0, 0.0), inertia=(1e-9, I_z, I_z)))
        parent, at = ("world", (0.0, 0.0, 0.0)) if k == 0 else (f"b{k - 1}", (step, 0.0, 0.0))
        joints.append(Revolute(name=f"j{k}", parent=parent, child=f"b{k}", at=at, axis=(0.0, 0.0, 1.0)))
    system = System("chain", bodies, joints)
    # A spring between two segments bends for half of each; the first one for half a segment.
    at = np.arange(count) * step
    share = np.full(count, step)
    share[0] = 0.5 * step
    at[0] = 0.25 * step
    q, v = share * kappa(at / LENGTH), share * kappa_dot(at / LENGTH)
    kinematics = forward(Instant(system, q, v))
    elastic = float(np.sum(0.5 * SECTION.EIz / share * q**2))
    return float(kinetic_energy(kinematics)), elastic, kinematics.poses[-1].act(np.array([step, 0.0, 0.0]))


def test_chains_of_rigid_segments_converge_to_a_rod() -> None:
    section = CrossSection(mass=SECTION.mass, EIz=SECTION.EIz, second=(SECTION.second[0], 0.0, 0.0))
    made = Rod("rod", section=section, length=LENGTH, strains=(Strain("bend_z", 3, "polynomial"),), points=16)
    system = System("rod", (made, Frame("tip")), (
        Fixed(name="clamp", parent="world", child="rod"), Fixed(name="end", parent="rod", child="tip", at=(LENGTH, 0.0, 0.0))
    ))  # fmt: skip
    # No curvature at the tip, as in a rod without load there: the last segment of a chain is rigid to its end.
    e, e_dot = np.array([2.0, -7.0, 5.0]), np.array([1.0, 3.0, -2.0])
    kinematics = forward(Instant(system, e, e_dot))
    T, U, tip = float(kinetic_energy(kinematics)), float(potential_energy(kinematics)), kinematics.poses[1].translation
    wanted = np.array([T, U, *tip])
    found = []
    for count in (20, 40, 80):
        kinetic, elastic, end = chain_energy(count, lambda s: np.polyval(e[::-1], s), lambda s: np.polyval(e_dot[::-1], s))
        found.append(np.array([kinetic, elastic, *end]))
    errors = np.abs(np.array(found) - wanted)[:, :4]  # nothing leaves the plane
    assert (errors[:-1] / errors[1:] > 3.0).all(), errors  # second order: 4
    # With that order taken out, what is left is of the third: 80^-3 times some tens.
    left = np.abs((4.0 * found[2] - found[1]) / 3.0 - wanted)[:4]
    assert (left < 4e-5 * np.abs([T, U, LENGTH, LENGTH])).all(), left


# -- in motion ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_rod_that_tumbles_keeps_energy_and_momentum() -> None:
    """Nothing acts on it: what is lost is the error of the steps."""
    section = CrossSection(mass=0.4, GJ=0.02, EIy=0.05, EIz=0.03, second=(3e-4, 5e-4, 0.0))
    made = Rod("rod", section=section, length=LENGTH, strains={"twist": 1, "bend_y": 2, "bend_z": 2}, curvature=(0.0, 0.0, 0.5))
    system = System("tumbling", (made,), (Free(name="base", parent="world", child="rod"),))
    start = {"speed": 0.3, "roll_rate": 2.0, "yaw_rate": 1.0, "rod_bend_y_0": 1.0, "rod_bend_z_1_rate": 3.0}
    run = lm.simulate(system, 1.0, start=start, step=2e-4)
    assert run.audit()["energy_balance"] < 1e-10
    coordinates_of = np.array([run[symbol.name] for symbol in system.layout.coordinates]).T
    velocities = np.array([run[symbol.name] for symbol in system.layout.velocities]).T
    found = []
    for k in (0, -1):
        kinematics = forward(Instant(system, coordinates_of[k], velocities[k]))
        found.append(np.asarray(spatial_momentum(kinematics), dtype=float))
    assert np.abs(found[1] - found[0]).max() < 1e-10 * np.abs(found[0]).max()


@pytest.mark.slow
def test_a_rod_falls_on_its_tip_and_slides() -> None:
    """A contact at a point of a rod opens and closes as on a rigid body; impacts take energy, nothing else does."""
    made = Rod("rod", section=CrossSection(mass=0.5, EIy=0.4), length=0.5, strains={"bend_y": 2})
    system = System(
        "flap",
        (made,),
        (Revolute(name="pin", parent="world", child="rod", at=(0.0, 0.0, 0.3), axis=(0.0, 1.0, 0.0)),),
        (lm.SlidingSphere("tip", "rod", centre=(0.5, 0.0, 0.0), radius=0.02, law=lm.Unilateral()),),
        (Gravity(),),
    )
    run = lm.simulate(system, 0.6, step=5e-4)
    assert run.events[0].name == "tip impact" and run.time[-1] == 0.6
    assert run.audit()["energy_balance"] < 1e-4 and run.audit()["largest_gap"] < 1e-6
    # The tip of a rigid rod falls 0.28 m in 0.2022 s; this one hardly bends on its way.
    assert abs(run.events[0].time - 0.2022) < 2e-3
