"""Contacts, their kernel, and the two forms of the constrained dynamics, on one system of each kind.

Every system stands on a level plane and on a plane of any tilt and place. States are random poses with all gaps closed
and random velocities from the kernel. The oracles are exact derivatives (CasADi) of positions, and the multiplier form.
"""

from dataclasses import replace
from functools import cache, cached_property
from typing import Any

import casadi
import numpy as np
import pytest

from locomotor.errors import ModelError
from locomotor.lie import SO3, ops
from locomotor.mechanics.constraints import constraint_bias, constraint_matrix, contact_rows
from locomotor.mechanics.energy import kinetic_energy, potential_energy
from locomotor.mechanics.forces import applied_forces
from locomotor.mechanics.gaps import gap_correction
from locomotor.mechanics.kinematics import Instant, forward
from locomotor.mechanics.mass_matrix import mass_matrix
from locomotor.mechanics.newton_euler import inverse_dynamics
from locomotor.mechanics.poses import perturbed
from locomotor.mechanics.reduced import ReducedMotion, Reduction, choose_reduction
from locomotor.mechanics.saddle import saddle_point
from locomotor.model import (
    Body,
    Free,
    Gravity,
    Plane,
    Revolute,
    RollingSphere,
    RollingTorus,
    Skate,
    SlidingPoint,
    StickingPoint,
    System,
    Torque,
)
from locomotor.tracing._trace import trace
from oracles.sampling import coordinate_rate, rows_at, touching
from oracles.vehicles import SYSTEMS, expected, pinned_chain, tilted, with_gravity

Array = Any

TILT = SO3.exp(np.array([0.5, -0.8, 0.4])).matrix
SHIFT = np.array([1.0, -2.0, 3.0])

# Relative to the largest entry. Kernel and derivatives are tens of products of numbers of order one: worst seen 5e-15.
KERNEL_TOLERANCE = 1e-13
DERIVATIVE_TOLERANCE = 1e-13
# Two ways of solving: round-off times the condition of the mass matrix. Worst seen: 2e-14.
DYNAMICS_TOLERANCE = 1e-11
# In newtons, of forces up to 1e3 N.
RESIDUAL_TOLERANCE = 1e-9


class Case:
    """A system, its reduction about the nominal pose, and a few random consistent states."""

    def __init__(self, name: str, ground: str) -> None:
        rng = np.random.default_rng(len(name) + 100 * list(SYSTEMS).index(name))
        level = SYSTEMS[name]()
        self.system: System = tilted(level, TILT, SHIFT) if ground == "tilted" else level
        self.reduction = choose_reduction(self.system)
        self.poses = [self.system.nominal_pose()] + [perturbed(level, level.nominal_pose(), 0.3, rng) for _ in range(2)]
        self.poses = [touching(self.system, q) for q in self.poses]
        self.motions = [ReducedMotion(self.reduction, q, rng.normal(size=len(self.reduction.free))) for q in self.poses]
        self.any_v = rng.normal(size=self.system.layout.nv)
        self.kept = kept_rows(self.reduction, self.poses[0])

    @cached_property
    def q(self) -> Any:
        return ops.symbols("q", self.system.layout.nq)

    @cached_property
    def v(self) -> Any:
        return ops.symbols("v", self.system.layout.nv)

    @cached_property
    def symbolic(self) -> Any:
        return contact_rows(forward(Instant(self.system, self.q, self.v)))

    def along_the_motion(self, of_q: Any) -> Any:
        """Exact time derivative of a function of q."""
        return casadi.jtimes(casadi.SX(of_q), self.q, coordinate_rate(self.system, self.q, self.v))

    def at(self, expression: Any, q: Array, v: Array) -> Array:
        function = casadi.Function("f", [self.q, self.v], [casadi.densify(casadi.SX(expression))])
        return function(q, v).full().squeeze()


def kept_rows(reduction: Reduction, q: Array) -> list[int]:
    """Rows of contacts that have a pivot (a long chain has rows of another kind after them)."""
    count = len(constraint_matrix(rows_at(reduction.system, q), reduction.system.layout.nv))
    return sorted(i for i, _ in reduction.pivots.steps if i < count)


@cache
def case(name: str, ground: str) -> Case:
    return Case(name, ground)


def every(names: Any = tuple(SYSTEMS)) -> Any:
    """Parametrise over systems and grounds."""
    pairs = [(name, ground) for name in names for ground in ("level", "tilted")]
    return pytest.mark.parametrize(("name", "ground"), pairs, ids=[f"{n}-{g}" for n, g in pairs])


def close(found: Array, wanted: Array, tolerance: float) -> bool:
    found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    assert found.shape == wanted.shape
    return bool(np.abs(found - wanted).max(initial=0.0) <= tolerance * max(1.0, np.abs(wanted).max(initial=0.0)))


# -- geometry ------------------------------------------------------------------------------------------------


@every(("disc", "torus", "sphere", "tricycle", "bicycle meijaard2007"))
def test_the_contact_point_is_the_lowest_point_of_the_wheel(name: str, ground: str) -> None:
    c = case(name, ground)
    turns = np.linspace(0.0, 2.0 * np.pi, 721)
    for q in c.poses:
        for row in rows_at(c.system, q):
            contact: Any = row.contact
            R = row.kinematics.poses[row.body].rotation
            n, values = R.T @ np.asarray(row.plane.normal), c.system.parameters.values
            arm = row.touch.point - np.asarray(contact.centre)
            radius = contact.radius if isinstance(contact.radius, float) else contact.radius.evaluate(values)
            if isinstance(contact, RollingSphere):
                assert close(arm, -radius * n, KERNEL_TOLERANCE)
                continue
            axis = np.asarray(contact.axis)
            arm = arm + (contact.tube if isinstance(contact, RollingTorus) else 0.0) * n
            assert abs(arm @ axis) < KERNEL_TOLERANCE
            assert np.linalg.norm(arm) == pytest.approx(radius, rel=KERNEL_TOLERANCE)
            circle = np.outer(np.cos(turns), arm) + np.outer(np.sin(turns), np.cross(axis, arm))
            assert np.argmin(circle @ n) in (0, len(turns) - 1)


@every()
def test_rows_are_velocities_of_the_material_contact_point(name: str, ground: str) -> None:
    """C is the derivative of the position of the body's point that touches, blocked directions only."""
    c = case(name, ground)
    for q in c.poses:
        for row, symbolic in zip(rows_at(c.system, q), c.symbolic, strict=True):
            k = symbolic.kinematics
            velocity = c.along_the_motion(k.poses[row.body].act(row.touch.point))
            J = c.at(casadi.jacobian(velocity, c.v), q, c.any_v)
            root = row.kinematics.links[row.kinematics.roots[row.body]].pose.rotation
            assert close(row.jacobian, root.T @ J, DERIVATIVE_TOLERANCE)
            n = np.asarray(row.plane.normal)
            assert close(row.normal_row, n @ J, DERIVATIVE_TOLERANCE)
            if row.labels == ("x", "y", "z"):
                assert close(row.rows, root.T @ J, DERIVATIVE_TOLERANCE)
                continue
            blocked = [n]
            if isinstance(row.contact, Skate):
                heading = row.kinematics.poses[row.body].rotation @ np.asarray(row.contact.heading)
                lateral = np.cross(n, heading)
                blocked.insert(0, lateral / np.linalg.norm(lateral))
            assert close(row.rows, np.array(blocked) @ J, DERIVATIVE_TOLERANCE)


@every()
def test_gap_rates_are_normal_rows(name: str, ground: str) -> None:
    """Also at velocities that violate the constraints: the contact point wanders in the plane only."""
    c = case(name, ground)
    rates = c.along_the_motion(ops.vector(*(row.gap for row in c.symbolic)))
    for q in c.poses:
        wanted = np.array([row.normal_row @ c.any_v for row in rows_at(c.system, q)])
        assert close(np.atleast_1d(c.at(rates, q, c.any_v)), wanted, DERIVATIVE_TOLERANCE)


@every()
def test_bias_is_the_derivative_of_the_rows(name: str, ground: str) -> None:
    c = case(name, ground)
    C = constraint_matrix(c.symbolic, c.system.layout.nv)
    # With v held, d/dt (C v) = C_dot v.
    frozen = ops.symbols("u", c.system.layout.nv)
    rate = casadi.substitute(c.along_the_motion(C @ frozen), frozen, c.v)
    for m in c.motions:
        wanted = np.atleast_1d(c.at(rate, m.q, m.v))
        assert close(constraint_bias(rows_at(c.system, m.q, m.v)), wanted, DERIVATIVE_TOLERANCE)
        # The reduced model leaves wheels unturned (`symmetry`).
        assert close(constraint_bias(m.contacts), wanted, DERIVATIVE_TOLERANCE)


# -- kernel ----------------------------------------------------------------------------------------------------


def counts(reduction: Reduction) -> tuple[int, int]:
    """Degrees of freedom, and rows without a pivot."""
    return len(reduction.free), len(reduction.pivots.redundant_rows) + len(reduction.pivots.void_rows)


@every()
def test_redundant_rows_are_dropped_and_reported(name: str, ground: str) -> None:
    c = case(name, ground)
    pivots = c.reduction.pivots
    assert counts(c.reduction) == expected(name)
    for q in c.poses:
        C = constraint_matrix(rows_at(c.system, q), c.system.layout.nv)
        assert sorted((*c.kept, *pivots.redundant_rows, *pivots.void_rows)) == list(range(len(C)))
        assert np.linalg.matrix_rank(C, 1e-9) == np.linalg.matrix_rank(C[c.kept], 1e-9) == len(c.kept)
        assert np.abs(C[list(pivots.void_rows)]).max(initial=0.0) < KERNEL_TOLERANCE


@every()
def test_the_same_rows_are_dropped_about_any_pose(name: str, ground: str) -> None:
    """Not only about a nominal pose whose redundant rows happen to be exact zeros."""
    c = case(name, ground)
    for q in c.poses[1:]:
        reduction = choose_reduction(c.system, q)
        assert counts(reduction) == expected(name)
        m = ReducedMotion(reduction, q, np.ones(len(reduction.free)))
        C = constraint_matrix(rows_at(c.system, q), c.system.layout.nv)
        assert close(C @ m.kernel, np.zeros((len(C), len(reduction.free))), KERNEL_TOLERANCE)


@every()
def test_the_kernel_is_one_and_spans_all_motions(name: str, ground: str) -> None:
    c = case(name, ground)
    for m in c.motions:
        C = constraint_matrix(rows_at(c.system, m.q), c.system.layout.nv)
        assert close(C @ m.kernel, np.zeros((len(C), m.kernel.shape[1])), KERNEL_TOLERANCE)
        assert np.array_equal(m.kernel[list(c.reduction.free)], np.eye(len(c.reduction.free)))
        assert m.kernel.shape[1] == c.system.layout.nv - np.linalg.matrix_rank(C, 1e-9)


@every()
def test_known_accelerations_and_accelerations_keep_every_row(name: str, ground: str) -> None:
    """C k = C v_dot = -C_dot v, redundant rows included."""
    c = case(name, ground)
    for m in c.motions:
        rows = rows_at(c.system, m.q, m.v)
        C, bias = constraint_matrix(rows, c.system.layout.nv), constraint_bias(rows)
        assert close(C @ m.known_acceleration, -bias, DERIVATIVE_TOLERANCE)
        assert close(C @ m.v_dot, -bias, DYNAMICS_TOLERANCE)
        assert not m.known_acceleration[list(c.reduction.free)].any()


@every()
def test_gap_correction_closes_every_gap_at_the_same_rate(name: str, ground: str) -> None:
    c = case(name, ground)
    rng = np.random.default_rng(0)
    q = perturbed(c.system, c.poses[1], 0.01, rng)
    m = ReducedMotion(c.reduction, q, np.zeros(len(c.reduction.free)))
    correction = gap_correction(m)
    for i in c.reduction.holonomic:
        assert m.contacts[i].normal_row @ correction == pytest.approx(-m.contacts[i].gap, abs=1e-14)


# -- dynamics ----------------------------------------------------------------------------------------------------


@every()
def test_reduced_form_is_the_multiplier_form(name: str, ground: str) -> None:
    """Where rows are redundant the multipliers are the smallest ones that exert the same forces."""
    c = case(name, ground)
    for m in c.motions:
        v_dot, multipliers = saddle_point(Instant(c.system, m.q, m.v), c.kept)
        assert close(m.v_dot, v_dot, DYNAMICS_TOLERANCE)
        C = constraint_matrix(rows_at(c.system, m.q), c.system.layout.nv)
        if len(c.kept) < len(C):
            multipliers = np.linalg.pinv(C.T, rcond=1e-9) @ (C[c.kept].T @ multipliers)
        assert close(m.multipliers, multipliers, DYNAMICS_TOLERANCE)


@every()
def test_multipliers_balance_the_equations_of_the_free_tree(name: str, ground: str) -> None:
    c = case(name, ground)
    for m in c.motions:
        k = forward(Instant(c.system, m.q, m.v))
        applied = applied_forces(k)
        h = inverse_dynamics(k, None, applied.gravity, applied.wrenches)
        C = constraint_matrix(contact_rows(k), c.system.layout.nv)
        residual = mass_matrix(k) @ m.v_dot + h - applied.forces() - C.T @ m.multipliers
        assert np.abs(residual).max() < RESIDUAL_TOLERANCE


@every(name for name in SYSTEMS if name not in ("platform", "planar platform", "tricycle", "sleigh"))
def test_energy_of_a_conservative_motion_does_not_change(name: str, ground: str) -> None:
    c = case(name, ground)
    k = forward(Instant(c.system, c.q, c.v))
    E, v_dot = casadi.SX(kinetic_energy(k) + potential_energy(k)), ops.symbols("a", c.system.layout.nv)
    power = c.along_the_motion(E) + casadi.jtimes(E, c.v, v_dot)
    for m in c.motions:
        found = float(c.at(casadi.substitute(power, v_dot, casadi.SX(m.v_dot)), m.q, m.v))
        assert abs(found) < 1e-11 * max(1.0, kinetic_energy(m.kinematics) + abs(potential_energy(m.kinematics)))


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_tilted_plane_is_a_level_plane_in_tilted_gravity(name: str) -> None:
    sloping, level = case(name, "tilted"), case(name, "level")
    gravity = applied_forces(level.motions[0].kinematics).gravity
    turned = with_gravity(level.system, TILT.T @ gravity)
    for m in sloping.motions:
        v_dot, _ = saddle_point(Instant(turned, m.q, m.v), level.kept)
        assert close(m.v_dot, v_dot, DYNAMICS_TOLERANCE)


# -- imposed motions ---------------------------------------------------------------------------------------------

LAW, TIME = "0.1 + 0.2*sin(3*t)", 0.4
IMPOSED = [
    ("sleigh", ("rail",)),
    ("platform", ("left",)),
    ("platform", ("left", "right")),
    ("planar platform", ("pitch",)),
    ("tricycle", ("steer",)),
    ("tricycle", ("steer", "left")),
    ("train", ("left",)),
    ("bicycle meijaard2007", ("steer",)),
    ("bicycle mauny2018", ("steer", "rear_wheel")),
    ("SE2 bicycle ifac2017", ("steer",)),
    ("SE2 bicycle meijaard2007", ("front_wheel", "roll")),
]


@pytest.mark.parametrize(("name", "joints"), IMPOSED, ids=[f"{n}-{'+'.join(j)}" for n, j in IMPOSED])
def test_imposed_motion_is_the_torque_it_needs(name: str, joints: tuple[str, ...]) -> None:
    """With the computed torques applied instead, the same state has the same accelerations."""
    free = SYSTEMS[name]()
    layout, rng = free.layout, np.random.default_rng(3)
    laws = {joint: f"{i + 1}*({LAW})" for i, joint in enumerate(joints)}
    imposed = free.with_motions(laws)
    places = [layout.v[joint].start for joint in joints]
    q = perturbed(free, free.nominal_pose(), 0.2, rng)
    factor = np.arange(1, len(joints) + 1)
    q[[layout.q[joint].start for joint in joints]] = factor * (0.1 + 0.2 * np.sin(3 * TIME))
    q = touching(free, q, tuple(places))
    reduction = choose_reduction(imposed, q)
    assert len(reduction.free) == expected(name)[0] - len(joints)
    m = ReducedMotion(reduction, q, rng.normal(size=len(reduction.free)), TIME)
    assert close(m.v[places], factor * 0.6 * np.cos(3 * TIME), 1e-14)
    assert close(m.v_dot[places], factor * -1.8 * np.sin(3 * TIME), 1e-13)
    C = constraint_matrix(rows_at(free, q), layout.nv)
    assert close(C @ m.v, np.zeros(len(C)), KERNEL_TOLERANCE)
    torques = dict(zip((j.name for j in imposed.imposed), m.imposed_torques, strict=True))
    driven = free.replace(
        joints=(replace(j, drive=Torque(float(torques[j.name]))) if j.name in torques else j for j in free.joints)
    )
    kept = kept_rows(reduction, q)
    v_dot, multipliers = saddle_point(Instant(driven, q, m.v), kept)
    assert close(m.v_dot, v_dot, DYNAMICS_TOLERANCE)
    assert close(C.T @ m.multipliers, C[kept].T @ multipliers, DYNAMICS_TOLERANCE)


@pytest.mark.parametrize(("rear_law", "slip"), [("t", 0.0), ("2*t", 0.3)])
def test_imposed_motions_that_the_contacts_forbid_are_noticed(rear_law: str, slip: float) -> None:
    """Two wheels of a rigid cart cannot follow two different laws: one of radius 0.3 m slips by the difference."""
    cart = SYSTEMS["cart"]().with_motions({"front_left": "t", "rear_left": rear_law})
    reduction = choose_reduction(cart)
    m = ReducedMotion(reduction, cart.nominal_pose(), np.zeros(0))
    assert (len(reduction.free), len(reduction.pivots.redundant_rows)) == (0, 4)
    assert np.abs(m.incompatibility).max() == pytest.approx(slip, abs=1e-14)


def test_a_singular_nominal_pose_is_refused_by_name() -> None:
    """A point that slides on the plane through the axis it turns about: at the nominal pose its row vanishes."""
    rod = Body("rod", 1.0, inertia=(0.1, 0.2, 0.3))
    hinge = Revolute(name="hinge", parent="world", child="rod", axis=(0.0, 1.0, 0.0))
    stand = System("stand", [rod], [hinge], [SlidingPoint("tip", body="rod", at=(0.0, 0.0, 1.0))])
    with pytest.raises(ModelError, match=r"tip normal.*hinge_rate.*singular"):
        choose_reduction(stand.replace(grounds=(Plane(point=(0.0, 0.0, 1.0)),)))


def test_contacts_may_leave_no_freedom_at_all() -> None:
    """A stool on three feet that stick: nothing moves, and the feet carry its weight."""
    seat = Body("seat", 3.0, inertia=(0.1, 0.2, 0.3))
    feet = [StickingPoint(f"foot_{i}", body="seat", at=(*at, -1.0)) for i, at in enumerate([(1, 0), (-1, 1), (-1, -1)])]
    base = Free(name="base", parent="world", child="seat")
    stool = System("stool", [seat], [base], feet, [Gravity()], nominal={"z": 1})
    reduction = choose_reduction(stool)
    assert (len(reduction.free), len(reduction.pivots.redundant_rows)) == (0, 3)
    m = ReducedMotion(reduction, stool.nominal_pose(), np.zeros(0))
    assert not m.v.any() and not m.v_dot.any()
    assert m.multipliers[2::3] == pytest.approx(3.0 * 9.81 * np.array([0.5, 0.25, 0.25]), rel=1e-12)
    assert trace(stool).dynamics(np.zeros(1), stool.nominal_pose(), np.zeros(0), np.zeros(0))[0] == pytest.approx(0.0)


def test_multipliers_of_an_overdetermined_chain_are_the_smallest() -> None:
    """Internal forces run along the whole chain, across the pieces its constraints are written in."""
    chain = pinned_chain()
    reduction = choose_reduction(chain)
    m = ReducedMotion(reduction, 0.2 * np.arange(chain.layout.nq), np.zeros(0))
    C = constraint_matrix(rows_at(chain, m.q), chain.layout.nv)
    assert counts(reduction) == (0, len(C) - chain.layout.nv)
    # The elimination along the chain amplifies round-off: worst seen 6e-13.
    assert close(m.multipliers, np.linalg.pinv(C.T, rcond=1e-9) @ m.unbalanced, 1e-10)
