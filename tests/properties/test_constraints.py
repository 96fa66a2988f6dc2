"""Contacts, their kernel, and the two forms of the constrained dynamics, on one system of each kind.

Every system stands on a level plane and on a plane of any tilt and place. States are random poses with all gaps closed
and random velocities from the kernel. The oracles are exact derivatives (CasADi) of positions, and the multiplier form.
"""

from typing import Any

import casadi
import numpy as np
import pytest

from locomotor.lie import ops
from locomotor.mechanics import ReducedMotion, choose_reduction
from locomotor.mechanics.chart.poses import perturbed
from locomotor.mechanics.drift_correction import gap_correction
from locomotor.mechanics.loads.energy import kinetic_energy, potential_energy
from locomotor.mechanics.loads.forces import applied_forces
from locomotor.mechanics.tree.kinematics import Instant, forward
from locomotor.mechanics.tree.mass_matrix import mass_matrix
from locomotor.mechanics.tree.newton_euler import inverse_dynamics
from locomotor.model import (
    BodyForce,
    BodyTorque,
    JointDamper,
    JointForce,
    PointDamper,
    RollingSphere,
    RollingTorus,
    Skate,
    System,
    Torque,
    evaluate,
)
from oracles.constrained import TILT, Case, case, close, counts, every
from oracles.mechanics import constraint_bias, constraint_matrix, contact_rows
from oracles.saddle_point import saddle_point
from oracles.sampling import rows_at
from oracles.vehicles import SYSTEMS, expected, with_gravity

Array = Any

# Relative to the largest entry. Kernel and derivatives are tens of products of numbers of order one: worst seen 5e-15.
KERNEL_TOLERANCE = 1e-13
DERIVATIVE_TOLERANCE = 1e-13
# Two ways of solving: round-off times the condition of the mass matrix. Worst seen: 2e-14.
DYNAMICS_TOLERANCE = 1e-11
# In newtons, of forces up to 1e3 N.
RESIDUAL_TOLERANCE = 1e-9


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
        if all(row.touch.directions for row in m.contacts):
            # Blocked directions that are derived with the row: exact at any velocity.
            wanted = np.atleast_1d(c.at(rate, m.q, c.any_v))
            assert close(constraint_bias(rows_at(c.system, m.q, c.any_v)), wanted, DERIVATIVE_TOLERANCE)


# -- kernel ----------------------------------------------------------------------------------------------------


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


def given_power(c: Case, m: ReducedMotion) -> float:
    """Power of everything that has no potential, from its definition."""
    layout, k, total = c.system.layout, forward(Instant(c.system, m.q, m.v)), 0.0
    for joint in c.system.joints:
        if isinstance(joint.drive, Torque) and isinstance(joint.drive.law, float):
            total += joint.drive.law * m.v[layout.v[joint.name]].sum()
    for force in c.system.forces:
        if isinstance(force, JointDamper):
            total -= force.damping * m.v[layout.v[force.joint].start] ** 2
        elif isinstance(force, JointForce):
            total += force.law.evaluate(k.instant.names) * m.v[layout.v[force.joint].start]
        elif isinstance(force, PointDamper):
            ends = ((force.body_a, force.at_a), (force.body_b, force.at_b))
            poses = c.symbolic[0].kinematics.poses
            a, b = (poses[k.index(name)].act(np.asarray(at)) for name, at in ends)
            total -= force.damping * float(c.at(c.along_the_motion(ops.norm(b - a)), m.q, m.v)) ** 2
        elif isinstance(force, BodyForce | BodyTorque):
            i = k.index(force.body)
            components = np.array([evaluate(x, k.instant.names) for x in force.components])
            velocity = k.omega[i] if isinstance(force, BodyTorque) else k.velocity[i] + np.cross(k.omega[i], force.at)
            total += components @ (k.poses[i].rotation @ velocity if force.frame == "world" else velocity)
    return float(total)


@every()
def test_energy_changes_by_the_power_of_the_forces_without_potential(name: str, ground: str) -> None:
    c = case(name, ground)
    k = forward(Instant(c.system, c.q, c.v))
    E, v_dot = casadi.SX(kinetic_energy(k) + potential_energy(k)), ops.symbols("a", c.system.layout.nv)
    power = c.along_the_motion(E) + casadi.jtimes(E, c.v, v_dot)
    for m in c.motions:
        found = float(c.at(casadi.substitute(power, v_dot, casadi.SX(m.v_dot)), m.q, m.v))
        size = max(1.0, kinetic_energy(m.kinematics) + abs(potential_energy(m.kinematics)))
        assert abs(found - given_power(c, m)) < 1e-12 * size


def without_world_forces(system: System) -> System:
    return system.replace(forces=[force for force in system.forces if getattr(force, "frame", "") != "world"])


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_tilted_plane_is_a_level_plane_in_tilted_gravity(name: str) -> None:
    sloping, level = case(name, "tilted"), case(name, "level")
    gravity = applied_forces(level.motions[0].kinematics).gravity
    # Other forces given in world axes would have to turn as well: leave them out.
    here, there = (without_world_forces(c.system) for c in (sloping, level))
    for m in sloping.motions:
        found, _ = saddle_point(Instant(here, m.q, m.v), level.kept)
        wanted, _ = saddle_point(Instant(with_gravity(there, TILT.T @ gravity), m.q, m.v), level.kept)
        assert close(found, wanted, DYNAMICS_TOLERANCE)
