"""The same tree in Pinocchio, an independent implementation of the free dynamics.

Joints are added in the order of the system, which is depth first: Pinocchio 4.1 computes a wrong mass matrix when
bodies are numbered otherwise. A body behind a Fixed joint is welded to the joint before it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import singledispatchmethod
from typing import Any

import numpy as np
import pinocchio as pin

from locomotor.model import (
    Cylindrical,
    Frame,
    Free,
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

Array = Any


@dataclass
class Place:
    """Where a body of the system is in the Pinocchio model: a joint, and a fixed pose behind it."""

    joint: int
    offset: Any


class Peer:
    """A system of numbers, without contacts, in Pinocchio."""

    def __init__(self, system: System, gravity: Array) -> None:
        self.system = system
        self.model = pin.Model()
        self.model.gravity.linear = np.array(gravity, dtype=float)
        self.places: dict[str, Place] = {"world": Place(0, pin.SE3.Identity())}
        for joint in system.joints:
            at, parent = joint.placement({}), self.places[joint.parent]
            placement = parent.offset * pin.SE3(np.asarray(at.rotation), np.asarray(at.translation))
            self.places[joint.child] = place = Place(*self.add(joint, parent.joint, placement))
            body = system.body(joint.child)
            if not isinstance(body, Frame):
                mass, com, inertia = (np.asarray(x, dtype=float) for x in body.mass_properties({}))
                self.model.appendBodyToJoint(place.joint, pin.Inertia(float(mass), com, inertia), place.offset)
        self.data = self.model.createData()

    # -- joints ---------------------------------------------------------------------------------------

    @singledispatchmethod
    def add(self, joint: Joint, parent: int, placement: Any) -> tuple[int, Any]:
        """Add a joint; returns its index and the pose of the child behind it. A Fixed joint adds nothing."""
        return parent, placement

    def _one(self, joint: Joint, model: Any, parent: int, placement: Any, suffix: str = "") -> tuple[int, Any]:
        return self.model.addJoint(parent, model, placement, joint.name + suffix), pin.SE3.Identity()

    @add.register
    def _(self, joint: Revolute, parent: int, placement: Any) -> tuple[int, Any]:
        return self._one(joint, pin.JointModelRevoluteUnaligned(np.array(joint.axis)), parent, placement)

    @add.register
    def _(self, joint: Prismatic, parent: int, placement: Any) -> tuple[int, Any]:
        return self._one(joint, pin.JointModelPrismaticUnaligned(np.array(joint.axis)), parent, placement)

    @add.register
    def _(self, joint: Helical, parent: int, placement: Any) -> tuple[int, Any]:
        return self._one(joint, pin.JointModelHelicalUnaligned(np.array(joint.axis), joint.pitch), parent, placement)

    @add.register
    def _(self, joint: Cylindrical, parent: int, placement: Any) -> tuple[int, Any]:
        turn, slide = (
            pin.JointModelRevoluteUnaligned(np.array(joint.axis)),
            pin.JointModelPrismaticUnaligned(np.array(joint.axis)),
        )
        between, identity = self._one(joint, turn, parent, placement, "_turn")
        return self._one(joint, slide, between, identity)

    @add.register
    def _(self, joint: Universal, parent: int, placement: Any) -> tuple[int, Any]:
        # Pinocchio's own universal joint wants orthogonal axes; two revolute joints do not.
        first, second = (pin.JointModelRevoluteUnaligned(np.array(axis)) for axis in joint.axes)
        between, identity = self._one(joint, first, parent, placement, "_first")
        return self._one(joint, second, between, identity)

    @add.register
    def _(self, joint: Spherical, parent: int, placement: Any) -> tuple[int, Any]:
        return self._one(joint, pin.JointModelSpherical(), parent, placement)

    @add.register
    def _(self, joint: Free, parent: int, placement: Any) -> tuple[int, Any]:
        return self._one(joint, pin.JointModelFreeFlyer(), parent, placement)

    @add.register
    def _(self, joint: Planar, parent: int, placement: Any) -> tuple[int, Any]:
        return self._one(joint, pin.JointModelPlanar(), parent, placement)

    @add.register
    def _(self, joint: Translation, parent: int, placement: Any) -> tuple[int, Any]:
        return self._one(joint, pin.JointModelTranslation(), parent, placement)

    # -- states and forces ----------------------------------------------------------------------------

    def coordinates(self, q: Array) -> Array:
        """Our coordinates in Pinocchio's: quaternions scalar last, the yaw of a planar joint as cosine and sine."""
        parts = []
        for joint in self.system.joints:
            part = q[self.system.layout.q[joint.name]]
            if isinstance(joint, Spherical | Free):
                part = np.concatenate([part[:-4], part[-3:], part[-4:-3]])
            elif isinstance(joint, Planar):
                part = np.array([part[0], part[1], np.cos(part[2]), np.sin(part[2])])
            parts.append(part)
        return np.concatenate(parts)

    def forces(self, wrenches: Mapping[int, Array]) -> Any:
        """Wrenches on bodies, by our index, as forces on Pinocchio's joints."""
        found = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for i, wrench in wrenches.items():
            place = self.places[self.system.bodies[i].name]
            found[place.joint] = found[place.joint] + place.offset.act(pin.Force(wrench[:3], wrench[3:]))
        return pin.StdVec_Force(found)

    # -- results --------------------------------------------------------------------------------------

    def mass_matrix(self, q: Array) -> Array:
        """M(q)."""
        upper = np.triu(pin.crba(self.model, self.data, self.coordinates(q)))
        return upper + np.triu(upper, 1).T

    def bias(self, q: Array, v: Array) -> Array:
        """Velocity products and weight, h(q, v)."""
        return np.array(pin.nonLinearEffects(self.model, self.data, self.coordinates(q), v))

    def inverse_dynamics(self, q: Array, v: Array, v_dot: Array, wrenches: Mapping[int, Array]) -> Array:
        """Generalised forces."""
        return np.array(pin.rnea(self.model, self.data, self.coordinates(q), v, v_dot, self.forces(wrenches)))

    def forward_dynamics(self, q: Array, v: Array, forces: Array, wrenches: Mapping[int, Array]) -> Array:
        """Accelerations."""
        return np.array(pin.aba(self.model, self.data, self.coordinates(q), v, forces, self.forces(wrenches)))

    def poses(self, q: Array) -> list[Array]:
        """Homogeneous matrix of every body in the world."""
        pin.forwardKinematics(self.model, self.data, self.coordinates(q))
        places = (self.places[body.name] for body in self.system.bodies)
        return [(self.data.oMi[place.joint] * place.offset).homogeneous for place in places]

    def jacobians(self, q: Array) -> list[Array]:
        """Jacobian of every body, in body axes."""
        pin.computeJointJacobians(self.model, self.data, self.coordinates(q))
        found = []
        for body in self.system.bodies:
            place = self.places[body.name]
            J = (
                pin.getJointJacobian(self.model, self.data, place.joint, pin.ReferenceFrame.LOCAL)
                if place.joint
                else np.zeros((6, self.model.nv))
            )
            found.append(place.offset.inverse().action @ J)
        return found

    def energies(self, q: Array, v: Array) -> tuple[float, float]:
        """Kinetic and potential energy."""
        at = self.coordinates(q)
        return (
            pin.computeKineticEnergy(self.model, self.data, at, v),
            pin.computePotentialEnergy(self.model, self.data, at),
        )
