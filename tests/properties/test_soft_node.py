"""Bodies with coordinates of their own, in the middle of a tree, against the same mechanism as a rigid tree.

Two test-only kinds of body (`oracles.soft_bodies`: a mass on a spring, and a body hidden behind a joint) enter through
the door that soft bodies will use, `mechanics.flexibility`. Whatever hangs on them, on the moving part or on the rigid
part, the result must be that of the rigid tree in which the hidden joint is an ordinary one.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from locomotor.lie import SE3
from locomotor.mechanics import ReducedMotion, choose_reduction
from locomotor.mechanics.loads.energy import kinetic_energy, potential_energy
from locomotor.mechanics.loads.forces import applied_forces
from locomotor.mechanics.tree.kinematics import Instant, Kinematics, forward
from locomotor.mechanics.tree.mass_matrix import mass_matrix
from locomotor.mechanics.tree.newton_euler import inverse_dynamics
from locomotor.mechanics.tree.point_jacobians import body_jacobian
from locomotor.model import (
    Body,
    Fixed,
    Free,
    Gravity,
    Joint,
    JointSpring,
    Prismatic,
    Revolute,
    RollingSphere,
    Spherical,
    System,
    Universal,
)
from locomotor.tracing.system import trace
from oracles.mechanics import constraint_bias, constraint_matrix, forward_dynamics
from oracles.saddle_point import saddle_point
from oracles.sampling import Rng, body, coordinates, rotation, rows_at, touching, unit
from oracles.soft_bodies import MOVING, RIGID, STIFFNESS, Nested, SprungMass, rides

Array = Any

GRAVITY = np.array([1.0, -2.0, -9.0])

# Relative to the largest entry: both sides are the same sums in another order.
TOLERANCE = 1e-12

# -- the same tree twice -----------------------------------------------------------------------------------


class Pair:
    """A tree with soft bodies, and the rigid tree it must equal.

    root -> first -> soft -> rider -> tip, soft -> bystander, soft -> softer -> second_rider: the second soft body rides
    on the moving site of the first. With `root` given, that joint carries the first soft body and nothing is above.
    """

    def __init__(self, kind: str, rng: Rng, root: type[Joint] | None = None) -> None:
        self.soft_bodies: list[Body] = []
        self.soft_joints: list[Joint] = []
        self.rigid_bodies: list[Body] = []
        self.rigid_joints: list[Joint] = []
        self.springs: list[JointSpring] = []
        self.hidden: dict[str, str] = {}  # soft body -> joint of the rigid tree
        self.inner: dict[str, tuple[str, SE3]] = {}
        if root is None:
            self._add(rng, Free(name="base", parent="world", child="root"))
            self._add(rng, Revolute(name="j1", parent="root", child="first", **self._anywhere(rng), axis=unit(rng)))
        self._add_soft(kind, rng, "soft", "world" if root else "first", joint=root or Spherical)
        self._add(rng, self._on("soft", MOVING, rng, Universal, "j2", "rider", axes=(unit(rng), unit(rng))))
        self._add(rng, self._on("soft", RIGID, rng, Spherical, "j3", "bystander"))
        self._add_soft("universal" if kind == "sprung" else "sprung", rng, "softer", "soft", MOVING)
        self._add(rng, self._on("softer", MOVING, rng, Revolute, "j5", "second_rider", axis=unit(rng)))
        self._add(rng, Prismatic(name="j6", parent="rider", child="tip", **self._anywhere(rng), axis=unit(rng)))
        touch = RollingSphere("ball", body="second_rider", centre=(0.1, 0.0, 0.2), radius=0.4)
        gravity = Gravity(tuple(GRAVITY))
        self.soft = System("soft", self.soft_bodies, self.soft_joints, (touch,), (gravity,))
        self.rigid = System("rigid", self.rigid_bodies, self.rigid_joints, (touch,), (gravity, *self.springs))
        self.of_q, self.of_v = self._indices("q"), self._indices("v")

    def _anywhere(self, rng: Rng) -> dict[str, Any]:
        return {"at": rng.normal(size=3), "rotation": rotation(rng)}

    def _add(self, rng: Rng, joint: Joint) -> None:
        made = body(rng, joint.child)
        self.soft_bodies.append(made)
        self.rigid_bodies.append(made)
        self.soft_joints.append(joint)
        self.rigid_joints.append(self._rigidified(joint))

    def _on(self, parent: str, at: Any, rng: Rng, kind: Any, name: str, child: str, **more: Any) -> Joint:
        return kind(name=name, parent=parent, child=child, at=at, rotation=rotation(rng), **more)

    def _rigidified(self, joint: Joint) -> Joint:
        """The joint in the rigid tree: what rides on a soft body hangs on its hidden part."""
        placement = joint.placement({})
        if joint.parent not in self.inner or not rides(placement):
            return joint
        part, at = self.inner[joint.parent]
        g = at.inverse() @ placement
        return replace(joint, parent=part, at=tuple(g.translation), rotation=tuple(map(tuple, g.rotation)))

    def _add_soft(self, kind: str, rng: Rng, name: str, parent: str, at: Any = RIGID, joint: type[Joint] = Spherical) -> None:
        plain, part = body(rng, name), body(rng, f"{name}_part")
        carrier = self._on(parent, at, rng, joint, f"to_{name}", name)
        where: dict[str, Any] = {"name": f"{name}_hidden", "parent": name, "child": part.name}
        axis = tuple(unit(rng))
        if kind == "sprung":
            # The slider's frame is parallel to the body's and starts at MOVING.
            inner: Joint = Prismatic(axis=axis, at=MOVING, **where)
            soft: Body = SprungMass(name, plain.mass, plain.com, plain.inertia, slider=part, axis=axis)
        else:
            made = {"universal": lambda: Universal(axes=(axis, unit(rng)), **self._anywhere(rng), **where),
                    "prismatic": lambda: Prismatic(axis=axis, **self._anywhere(rng), **where),
                    "revolute": lambda: Revolute(axis=axis, **self._anywhere(rng), **where)}  # fmt: skip
            inner = made[kind]()
            soft = Nested(name, plain.mass, plain.com, plain.inertia, hidden=part, joint=inner)
        if inner.nv == 1:
            self.springs.append(JointSpring(f"{name}_spring", inner.name, STIFFNESS))
        self.soft_bodies.append(soft)
        self.soft_joints.append(carrier)
        self.rigid_bodies += [plain, part]
        self.rigid_joints += [self._rigidified(carrier), inner]
        self.hidden[name] = inner.name
        self.inner[name] = (part.name, inner.placement({}))

    def _indices(self, kind: str) -> Array:
        """Where each entry of the soft tree's q (or v) stands in the rigid one's."""
        soft, rigid = getattr(self.soft.layout, kind), getattr(self.rigid.layout, kind)
        owners = [joint.name for joint in self.soft.joints] + [b.name for b in self.soft.bodies if b.coordinates]
        places = np.arange(10**3)
        assert [soft[owner].stop for owner in owners[:-1]] == [soft[owner].start for owner in owners[1:]]
        return np.concatenate([places[rigid[self.hidden.get(owner, owner)]] for owner in owners])

    def instants(self, rng: Rng) -> tuple[Kinematics, Kinematics]:
        """Kinematics of both trees at the same random state."""
        q, v = coordinates(self.rigid, rng, 0.7), rng.normal(size=self.rigid.layout.nv)
        return forward(Instant(self.soft, q[self.of_q], v[self.of_v])), forward(Instant(self.rigid, q, v))


@pytest.fixture(params=["sprung", "prismatic", "revolute", "universal"])
def pair(request: pytest.FixtureRequest, rng: Rng) -> Pair:
    return Pair(request.param, rng)


def close(found: Array, wanted: Array) -> bool:
    found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    assert found.shape == wanted.shape
    return bool(np.abs(found - wanted).max() <= TOLERANCE * max(1.0, np.abs(wanted).max()))


# -- they are the same -------------------------------------------------------------------------------------


def test_own_coordinates_come_after_those_of_the_joints(pair: Pair) -> None:
    names = [symbol.name for symbol in pair.soft.layout.velocities]
    own = [symbol.name for b in pair.soft.bodies for symbol in b.coordinates]
    assert own and names[-len(own) :] == [f"{name}_rate" for name in own]
    assert pair.soft.layout.nv == pair.rigid.layout.nv


def test_poses_twists_jacobians_and_accelerations(pair: Pair, rng: Rng) -> None:
    soft, rigid = pair.instants(rng)
    v_dot = rng.normal(size=pair.rigid.layout.nv)
    of_soft, of_rigid = soft.accelerations(v_dot[pair.of_v], GRAVITY), rigid.accelerations(v_dot, GRAVITY)
    for i, link in enumerate(soft.links):
        j = rigid.index(link.name)
        assert close(soft.poses[i].as_matrix(), rigid.poses[j].as_matrix())
        assert close(soft.velocity[i], rigid.velocity[j])
        assert close(soft.omega[i], rigid.omega[j])
        assert close(np.concatenate(of_soft[i]), np.concatenate(of_rigid[j]))
        assert close(body_jacobian(soft, i), body_jacobian(rigid, j)[:, pair.of_v])


def test_mass_matrix_and_energies(pair: Pair, rng: Rng) -> None:
    soft, rigid = pair.instants(rng)
    M = mass_matrix(rigid)
    assert close(mass_matrix(soft), M[np.ix_(pair.of_v, pair.of_v)])
    assert close(kinetic_energy(soft), kinetic_energy(rigid))
    assert close(potential_energy(soft), potential_energy(rigid))


def test_inverse_dynamics(pair: Pair, rng: Rng) -> None:
    soft, rigid = pair.instants(rng)
    v_dot = rng.normal(size=pair.rigid.layout.nv)
    wrenches = {name: rng.normal(size=6) for name in ("soft", "rider", "second_rider")}
    on_soft, on_rigid = ({k.index(name): w for name, w in wrenches.items()} for k in (soft, rigid))
    # The springs are forces on joints in the rigid tree and part of the soft bodies in the other.
    springs = applied_forces(rigid).forces()
    wanted = inverse_dynamics(rigid, v_dot, GRAVITY, on_rigid) - springs
    assert close(inverse_dynamics(soft, v_dot[pair.of_v], GRAVITY, on_soft), wanted[pair.of_v])
    wanted = inverse_dynamics(rigid, None, GRAVITY, on_rigid) - springs
    assert close(inverse_dynamics(soft, None, GRAVITY, on_soft), wanted[pair.of_v])


def test_forward_dynamics(pair: Pair, rng: Rng) -> None:
    soft, rigid = pair.instants(rng)
    forces = rng.normal(size=pair.rigid.layout.nv)
    wanted = forward_dynamics(rigid, forces + applied_forces(rigid).forces(), GRAVITY)
    found = forward_dynamics(soft, forces[pair.of_v], GRAVITY)
    assert close(found, wanted[pair.of_v])
    assert close(inverse_dynamics(soft, found, GRAVITY), forces[pair.of_v])


@pytest.mark.parametrize("root", [Fixed, Free])
@pytest.mark.parametrize("kind", ["sprung", "universal"])
def test_a_soft_body_at_the_root(kind: str, root: type[Joint], rng: Rng) -> None:
    """Nothing above the soft body, or not even a joint that moves."""
    pair = Pair(kind, rng, root)
    test_poses_twists_jacobians_and_accelerations(pair, rng)
    test_mass_matrix_and_energies(pair, rng)
    test_inverse_dynamics(pair, rng)
    test_forward_dynamics(pair, rng)


def test_traced_equations(pair: Pair, rng: Rng) -> None:
    soft, rigid = (trace(system.replace(contacts=())) for system in (pair.soft, pair.rigid))
    q, v = coordinates(pair.rigid, rng, 0.7), rng.normal(size=pair.rigid.layout.nv)
    none = np.zeros(0)
    (found,) = soft.accelerations(np.zeros(1), np.concatenate([q[pair.of_q], v[pair.of_v]]), none, none)
    (wanted,) = rigid.accelerations(np.zeros(1), np.concatenate([q, v]), none, none)
    assert close(found, wanted[pair.of_v])
    rate, _ = soft.dynamics(np.zeros(1), np.concatenate([q[pair.of_q], v[pair.of_v]]), none, none)
    assert rate.shape == (soft.rate_port.size,)
    assert close(rate[pair.soft.layout.nv :], wanted[pair.of_v])


def test_rolling_of_what_rides_on_a_soft_body(pair: Pair, rng: Rng) -> None:
    """A contact on the outermost rider: rows, bias and reduced accelerations, with own coordinates in the kernel."""
    q = touching(pair.rigid, coordinates(pair.rigid, rng, 0.3))
    independent = choose_reduction(pair.soft, q[pair.of_q])
    found = ReducedMotion(independent, q[pair.of_q], rng.normal(size=len(independent.free)))
    v = np.zeros(pair.rigid.layout.nv)
    v[pair.of_v] = found.v
    soft, rigid = rows_at(pair.soft, q[pair.of_q], found.v), rows_at(pair.rigid, q, v)
    assert close(constraint_matrix(soft, v.size), constraint_matrix(rigid, v.size)[:, pair.of_v])
    assert close(constraint_bias(soft), constraint_bias(rigid))
    wanted, multipliers = saddle_point(Instant(pair.rigid, q, v))
    assert close(found.v_dot, wanted[pair.of_v])
    assert close(found.multipliers, multipliers)
