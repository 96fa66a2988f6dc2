"""What acts on free bodies besides gravity: springs, dampers, drives and laws, evaluated on the coordinates of the tree.

Efforts of joints become wrenches on both bodies: on the child the dual of its motion, on the parent what balances it.
"""

from functools import cached_property
from typing import Any

import numpy as np

from locomotor import codegen
from locomotor.lie import SE3
from locomotor.mechanics.maximal import coordinates_of
from locomotor.mechanics.tree import Instant, subspace
from locomotor.model import Gravity, System, Torque
from locomotor.simulation.maximal.rotation import rotations
from locomotor.tracing import TracedSystem, trace
from locomotor.tracing.readings import applied_wrenches, rubbing_contacts, slip_wrenches
from locomotor.typing import Floats, Vector


class Efforts:
    """Applied wrenches of a system in maximal coordinates."""

    def __init__(self, system: System, target: str, inputs: Vector | None = None, traced: TracedSystem | None = None) -> None:
        self.system, self._target, self._traced = system, target, traced
        self.parameters = np.zeros(0)
        """Values of the parameters that the traced system leaves free."""
        self.slips = [contact.name for contact in rubbing_contacts(system)]
        """Contacts that slip, or roll against a resistance."""
        driven = any(isinstance(joint.drive, Torque) and not joint.drive.is_zero for joint in system.joints)
        self.needed = driven or any(not isinstance(force, Gravity) for force in system.forces)
        self._inputs = np.zeros(len(system.inputs)) if inputs is None else inputs
        self._before = system.nominal_pose()

    @cached_property
    def _kernel(self) -> Any:
        return codegen.compile(applied_wrenches(self._traced or trace(self.system)), target=self._target)

    @cached_property
    def _slip_kernel(self) -> Any:
        assert self._traced is not None
        return codegen.compile(slip_wrenches(self._traced), target=self._target)

    def friction(self, time: float, state: Floats) -> Floats:
        """Of each of these, the wrenches of its friction on all bodies, for a unit normal force; one a column."""
        (found,) = self._slip_kernel(np.array([time]), *self.tree(state), self._inputs, self.parameters)
        return np.asarray(found).reshape(len(self.slips), -1).T

    def begin(self, q: Vector) -> None:
        """Take the coordinates of the tree from which angles go on turning."""
        self._before = np.array(q, dtype=float)

    def tree(self, state: Floats) -> tuple[Vector, Vector]:
        """Coordinates and velocities of the tree from the state of all bodies."""
        system, layout, values = self.system, self.system.layout, self.system.parameters.values
        q, v = np.zeros(layout.nq), np.zeros(layout.nv)
        R = rotations(state[:, 3:7])
        for i, joint in enumerate(system.joints):
            parent = system.parents[i]
            moved, relative = self._relative(state, R, i, parent, joint.placement(values))
            place, speed = layout.q[joint.name], layout.v[joint.name]
            q[place] = coordinates_of(joint, moved, self._before[place], values)
            if joint.nv:
                S = np.asarray(subspace(joint, q[place], values), dtype=float)
                v[speed] = np.linalg.lstsq(S, relative, rcond=None)[0]
        self._before = q
        return q, v

    @staticmethod
    def _relative(state: Floats, R: Floats, i: int, parent: int, placed: Any) -> tuple[SE3, Floats]:
        """Pose of the child in the placement of its joint, and its relative twist in its own axes."""
        R_p, p_p = (R[parent], state[parent, :3]) if parent >= 0 else (np.eye(3), np.zeros(3))
        twist = state[parent, 7:13] if parent >= 0 else np.zeros(6)
        R_f, p_f = R_p @ np.asarray(placed.rotation, float), p_p + R_p @ np.asarray(placed.translation, float)
        moved = SE3(R_f.T @ R[i], R_f.T @ (state[i, :3] - p_f))
        arm = R_p.T @ (state[i, :3] - p_p)
        turn = R[i].T @ R_p
        carried = np.concatenate([turn @ (twist[:3] + np.cross(twist[3:], arm)), turn @ twist[3:]])
        return moved, state[i, 7:13] - carried

    def wrenches(self, time: float, state: Floats) -> Floats:
        """Wrenches on all bodies in body axes."""
        q, v = self.tree(state)
        wrenches, efforts = self._kernel(np.array([time]), q, v, self._inputs, self.parameters)
        found = np.array(wrenches).reshape(-1, 6)
        for i, joint in enumerate(self.system.joints):
            effort = efforts[self.system.layout.v[joint.name]]
            if effort.any():
                found += self.of_joint(state, q, i, effort)
        return found

    def of_joint(self, state: Floats, q: Vector, i: int, effort: Floats) -> Floats:
        """Wrenches on all bodies of an effort on one joint."""
        system, found = self.system, np.zeros((len(self.system.bodies), 6))
        joint, parent = system.joints[i], system.parents[i]
        S = np.asarray(subspace(joint, q[system.layout.q[joint.name]], system.parameters.values), dtype=float)
        found[i] = np.linalg.pinv(S.T) @ np.atleast_1d(effort)
        if parent >= 0:
            R_i, R_p = rotations(state[[i, parent], 3:7])
            force, couple = R_i @ found[i, :3], R_i @ found[i, 3:]
            arm = state[i, :3] - state[parent, :3]
            found[parent] = -np.concatenate([R_p.T @ force, R_p.T @ (couple + np.cross(arm, force))])
        return found

    def instant(self, time: float, state: Floats) -> Instant:
        """The tree at an instant, on numbers."""
        return Instant(self.system, *self.tree(state), time, self._inputs, self.values)

    @property
    def values(self) -> dict[str, float]:
        """Values of all parameters, those that a run tells among them."""
        free = () if self._traced is None else self._traced.free_parameters
        return {**self.system.parameters.values, **dict(zip(free, self.parameters.tolist(), strict=True))}
