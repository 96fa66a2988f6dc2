"""Free dynamics of random trees: three algorithms of ours against each other and against Pinocchio.

Trees have up to 30 joints of every kind, branch anywhere, and have no symmetry: axes, placements and inertias are
random. Evaluation is on floats, except where a test says that it traces.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import casadi
import numpy as np
import pytest

from locomotor.lie import ops
from locomotor.mechanics.loads.energy import kinetic_energy, potential_energy
from locomotor.mechanics.tree.kinematics import Instant, Kinematics, forward
from locomotor.mechanics.tree.mass_matrix import mass_matrix
from locomotor.mechanics.tree.newton_euler import inverse_dynamics
from locomotor.mechanics.tree.point_jacobians import body_jacobian, point_jacobian
from locomotor.model import (
    Body,
    Cylindrical,
    Fixed,
    Frame,
    Free,
    Gravity,
    Helical,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    System,
    Translation,
    Universal,
)
from locomotor.tracing.system import trace
from oracles.mechanics import forward_dynamics
from oracles.sampling import Rng, body, coordinate_rate, coordinates, rotation, unit

Array = Any

GRAVITY = np.array([1.0, -2.0, -9.0])

# Relative to the largest entry. Worst seen over all seeds: 5e-15, and 4e-13 for accelerations, which lose digits to the
# condition of the mass matrix (up to 7e5 here). A wrong or missing term of any recursion shows at 1e-3 or more.
TOLERANCE = 1e-13
ACCELERATION_TOLERANCE = 1e-11

KINDS: dict[str, Callable[..., Joint]] = {
    "revolute": lambda rng, **at: Revolute(axis=axis(rng), **at),
    "prismatic": lambda rng, **at: Prismatic(axis=axis(rng), **at),
    "helical": lambda rng, **at: Helical(axis=axis(rng), pitch=rng.normal(), **at),
    "cylindrical": lambda rng, **at: Cylindrical(axis=axis(rng), **at),
    "universal": lambda rng, **at: Universal(axes=(axis(rng), unit(rng)), **at),
    "spherical": lambda rng, **at: Spherical(**at),
    "fixed": lambda rng, **at: Fixed(**at),
    "free": lambda rng, **at: Free(**at),
    "planar": lambda rng, **at: Planar(**at),
    "translation": lambda rng, **at: Translation(**at),
}
SCREWS = ("revolute", "prismatic", "helical")


def axis(rng: Rng) -> Array:
    """A random axis; one in three is a coordinate axis, for which the recursions have shortcuts."""
    return rng.choice([-1.0, 1.0]) * np.eye(3)[rng.integers(3)] if rng.random() < 1 / 3 else unit(rng)


def placed(rng: Rng, kind: str, name: str, parent: str, child: str) -> Joint:
    """A joint of a kind, anywhere on its parent."""
    turn = rotation(rng) if rng.random() < 0.5 else rng.normal(size=3)
    return KINDS[kind](rng, name=name, parent=parent, child=child, at=rng.normal(size=3), rotation=turn)


def random_tree(rng: Rng, n: int, kinds: tuple[str, ...] = tuple(KINDS)) -> System:
    """A tree of n joints; now and then a massless frame, always with a body on a screw behind it."""
    names, frames, made, joints = ["world"], [], [], []
    for i in range(n):
        pending = [name for name in frames if all(joint.parent != name for joint in joints)]
        kind = str(rng.choice(SCREWS if pending else kinds))
        parent = pending[0] if pending else str(rng.choice(names[-6:]))
        if kind in (*SCREWS, "fixed") and not pending and i < n - 1 and rng.random() < 0.2:
            made.append(Frame(f"b{i}"))
            frames.append(f"b{i}")
        else:
            made.append(body(rng, f"b{i}"))
        joints.append(placed(rng, kind, f"j{i}", parent, f"b{i}"))
        names.append(f"b{i}")
    shuffled = [joints[i] for i in rng.permutation(n)]
    return System("tree", made, shuffled, forces=(Gravity(tuple(GRAVITY)),))


class Case:
    """A random tree at a random state, with random forces and wrenches on some bodies."""

    def __init__(self, system: System, rng: Rng) -> None:
        self.system = system
        nv = system.layout.nv
        self.q, self.v = coordinates(system, rng), rng.normal(size=nv)
        self.v_dot, self.forces = rng.normal(size=nv), rng.normal(size=nv)
        chosen = rng.permutation(len(system.bodies))[: len(system.bodies) // 2 + 1]
        self.wrenches = {int(i): rng.normal(size=6) for i in chosen}
        self.kinematics: Kinematics = forward(Instant(system, self.q, self.v))


@cache
def case(seed: int) -> Case:
    """Seeds 0 to 8 are single joints of each kind and then small trees; the others grow up to 30 joints."""
    rng = np.random.default_rng(seed)
    if seed < len(KINDS):
        kind = list(KINDS)[seed]
        other = "revolute" if kind == "fixed" else kind
        return Case(random_tree(rng, 3, (other, kind)), rng)
    return Case(random_tree(rng, min(30, 2 * (seed - 8))), rng)


SEEDS = range(26)
every_tree = pytest.mark.parametrize("seed", SEEDS)


def close(found: Array, wanted: Array, tolerance: float = TOLERANCE) -> bool:
    """Equal relative to the largest entry."""
    found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    assert found.shape == wanted.shape
    return bool(np.abs(found - wanted).max(initial=0.0) <= tolerance * max(1.0, np.abs(wanted).max(initial=0.0)))


def test_the_samples_hold_every_kind_of_joint_branches_and_thirty_joints() -> None:
    systems = [case(seed).system for seed in SEEDS]
    assert {type(joint).__name__.lower() for s in systems for joint in s.joints} == set(KINDS)
    assert max(len(s.joints) for s in systems) == 30
    assert any(len(children) > 2 for s in systems for children in s.children)
    assert any(len(s.roots) > 1 for s in systems)
    assert any(isinstance(b, Frame) for s in systems for b in s.bodies)


# -- ours against each other ----------------------------------------------------------------------------


@every_tree
def test_inverse_dynamics_is_mass_times_acceleration_plus_bias(seed: int) -> None:
    c = case(seed)
    needed = inverse_dynamics(c.kinematics, c.v_dot, GRAVITY, c.wrenches)
    h = inverse_dynamics(c.kinematics, None, GRAVITY, c.wrenches)
    assert close(mass_matrix(c.kinematics) @ c.v_dot + h, needed)


@every_tree
def test_articulated_bodies_invert_newton_euler(seed: int) -> None:
    c = case(seed)
    v_dot = forward_dynamics(c.kinematics, c.forces, GRAVITY, c.wrenches)
    h = inverse_dynamics(c.kinematics, None, GRAVITY, c.wrenches)
    assert close(ops.solve_spd(mass_matrix(c.kinematics), c.forces - h), v_dot, ACCELERATION_TOLERANCE)
    assert close(inverse_dynamics(c.kinematics, v_dot, GRAVITY, c.wrenches), c.forces, ACCELERATION_TOLERANCE)


@every_tree
def test_body_jacobians_give_twists_mass_and_energy(seed: int) -> None:
    c = case(seed)
    k = c.kinematics
    jacobians = [body_jacobian(k, i) for i in range(len(k.links))]
    for i, J in enumerate(jacobians):
        assert close(J @ c.v, np.concatenate([k.velocity[i], k.omega[i]]))
    M = sum(J.T @ link.inertia.matrix() @ J for J, link in zip(jacobians, k.links, strict=True))
    assert close(mass_matrix(k), M)
    assert close(kinetic_energy(k), 0.5 * c.v @ M @ c.v)


@every_tree
def test_poses_move_with_the_twists_and_point_jacobians(seed: int) -> None:
    """For a point p fixed in a body, d/dt (g p) = R (V + W x p) = R_root J_p v: by exact derivatives of g(q)."""
    c = case(seed)
    q = ops.symbols("q", c.system.layout.nq)
    point = np.array([0.3, -0.2, 0.5])
    poses = forward(Instant(c.system, q, c.v)).poses
    rates = [casadi.jtimes(casadi.SX(g.act(point)), q, casadi.DM(coordinate_rate(c.system, c.q, c.v))) for g in poses]
    wanted = casadi.Function("rates", [q], rates).call([casadi.DM(c.q)])
    k = c.kinematics
    for i, rate in enumerate(wanted):
        velocity = k.poses[i].rotation @ (k.velocity[i] + np.cross(k.omega[i], point))
        assert close(velocity, rate.full()[:, 0])
        R_root = k.links[k.roots[i]].pose.rotation
        assert close(R_root @ point_jacobian(k, i, point) @ c.v, velocity)


# -- ours against Pinocchio -------------------------------------------------------------------------------


@cache
def peer(seed: int) -> Any:
    pytest.importorskip("pinocchio", reason="PyPI has no `pin` for this platform")
    from oracles.peer import Peer

    return Peer(case(seed).system, GRAVITY)


@every_tree
def test_mass_matrix_is_that_of_pinocchio(seed: int) -> None:
    c = case(seed)
    assert close(mass_matrix(c.kinematics), peer(seed).mass_matrix(c.q))


@every_tree
def test_bias_and_inverse_dynamics_are_those_of_pinocchio(seed: int) -> None:
    c = case(seed)
    assert close(inverse_dynamics(c.kinematics, None, GRAVITY), peer(seed).bias(c.q, c.v))
    found = inverse_dynamics(c.kinematics, c.v_dot, GRAVITY, c.wrenches)
    assert close(found, peer(seed).inverse_dynamics(c.q, c.v, c.v_dot, c.wrenches))


@every_tree
def test_accelerations_are_those_of_pinocchio(seed: int) -> None:
    c = case(seed)
    found = forward_dynamics(c.kinematics, c.forces, GRAVITY, c.wrenches)
    assert close(found, peer(seed).forward_dynamics(c.q, c.v, c.forces, c.wrenches), ACCELERATION_TOLERANCE)


@every_tree
def test_poses_jacobians_and_energies_are_those_of_pinocchio(seed: int) -> None:
    c, p = case(seed), peer(seed)
    for i, (pose, J) in enumerate(zip(p.poses(c.q), p.jacobians(c.q), strict=True)):
        assert close(c.kinematics.poses[i].as_matrix(), pose)
        assert close(body_jacobian(c.kinematics, i), np.reshape(J, (6, -1)))  # one column may come as a vector
    still = forward(Instant(c.system, c.system.nominal_pose(), c.v))
    kinetic, potential = p.energies(c.q, c.v)
    assert close(kinetic_energy(c.kinematics), kinetic)
    # Pinocchio leaves out bodies welded to the world, whose energy is a constant.
    rise = potential - p.energies(still.instant.q, c.v)[1]
    assert close(potential_energy(c.kinematics) - potential_energy(still), rise)


# -- traced -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [12, 17, 25])
def test_traced_accelerations_are_the_evaluated_ones(seed: int) -> None:
    c = case(seed)
    traced = trace(c.system)
    assert traced.reduction.names == tuple(s.name for s in c.system.layout.velocities)
    (found,) = traced.accelerations(np.zeros(1), np.concatenate([c.q, c.v]), np.zeros(0), np.zeros(0))
    wanted = forward_dynamics(c.kinematics, np.zeros(c.system.layout.nv), GRAVITY)
    assert close(found, wanted, ACCELERATION_TOLERANCE)


def chain(n: int) -> System:
    """A chain on a free base whose joints repeat a pattern of kinds, with one generic axis and placement each."""
    rng = np.random.default_rng(7)
    axis, at, turn, inertia = unit(rng), rng.normal(size=3), rng.normal(size=3), (1.0, 1.1, 1.2)
    made = [Body(f"b{i}", 1.0, com=(0.1, 0.2, 0.3), inertia=inertia) for i in range(n)]
    joints: list[Joint] = [Free(name="j0", parent="world", child="b0")]
    for i in range(1, n):
        where = {"name": f"j{i}", "parent": f"b{i - 1}", "child": f"b{i}", "at": at, "rotation": turn}
        joints.append([Revolute(axis=axis, **where), Prismatic(axis=axis, **where), Spherical(**where)][i % 3])
    return System(f"chain_{n}", made, joints, forces=(Gravity(tuple(GRAVITY)),))


@pytest.mark.slow
def test_operations_of_forward_dynamics_grow_linearly_with_the_tree() -> None:
    counts = {n: trace(chain(n)).dynamics.operations for n in (30, 60, 120)}
    assert counts[120] - counts[60] == pytest.approx(2 * (counts[60] - counts[30]), rel=0.05)
