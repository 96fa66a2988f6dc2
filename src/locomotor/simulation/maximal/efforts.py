"""What acts on free bodies besides gravity: springs, dampers, drives and laws, evaluated on the coordinates of the tree.

Efforts of joints become wrenches on both bodies: on the child the dual of its motion, on the parent what balances it.
"""

from functools import cached_property
from typing import Any

import numpy as np

from locomotor import codegen
from locomotor.lie import SE3
from locomotor.mechanics.maximal import coordinates_of
from locomotor.mechanics.tree import Instant, subspace, subspace_bias
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
        turned, moved, relative = self._relative(state)
        for i, joint in enumerate(system.joints):
            place = layout.q[joint.name]
            q[place] = coordinates_of(joint, SE3(turned[i], moved[i]), self._before[place], values)
            if joint.nv:
                v[layout.v[joint.name]] = self._inverse(i, q[place]) @ relative[i]
        self._before = q
        return q, v

    def _relative(self, state: Floats) -> tuple[Floats, Floats, Floats]:
        """Of every joint, rotation and place of the child in its placement, and the relative twist in axes of the child."""
        world = np.zeros((1, 13))
        world[0, 3] = 1.0
        whole = np.concatenate([state, world])  # which the parent -1 is
        R, p = rotations(whole[:, 3:7]), whole[:, :3]
        parents, (R_f, p_f) = np.array(self.system.parents), self._placements
        R_p, R_i, twist = R[parents], R[:-1], whole[parents, 7:13]
        arm = np.einsum("nji,nj->ni", R_p, p[:-1] - p[parents])
        turned = np.einsum("nji,njk->nik", R_f, np.einsum("nji,njk->nik", R_p, R_i))
        moved = np.einsum("nji,nj->ni", R_f, arm - p_f)
        carried = np.concatenate([twist[:, :3] + np.cross(twist[:, 3:], arm), twist[:, 3:]], axis=1).reshape(-1, 2, 3)
        own = np.einsum("nkj,nkl,ncl->ncj", R_i, R_p, carried).reshape(-1, 6)
        return turned, moved, state[:, 7:13] - own

    @cached_property
    def _placements(self) -> tuple[Floats, Floats]:
        """Rotation and place of every joint in its parent."""
        placed = [joint.placement(self.system.parameters.values) for joint in self.system.joints]
        R = np.array([np.asarray(pose.rotation, dtype=float) for pose in placed])
        return R, np.array([np.asarray(pose.translation, dtype=float) for pose in placed])

    def _subspace(self, i: int, q: Vector) -> Floats:
        """Motions of a joint by its velocities, at its coordinates."""
        return np.asarray(subspace(self.system.joints[i], q, self.system.parameters.values), dtype=float)

    def _inverse(self, i: int, q: Vector) -> Floats:
        """What makes velocities of a joint of its relative twist, known beforehand where motions do not turn in the child."""
        fixed = self._fixed[i]
        return self._inverted(i, q) if fixed is None else fixed

    def _inverted(self, i: int, q: Vector) -> Floats:
        return np.asarray(np.linalg.pinv(self._subspace(i, q)), dtype=float)

    @cached_property
    def _fixed(self) -> list[Floats | None]:
        turning = subspace_bias.dispatch(object)
        nominal, places = self.system.nominal_pose(), self.system.layout.q
        return [
            self._inverted(i, nominal[places[joint.name]])
            if joint.nv and subspace_bias.dispatch(type(joint)) is turning
            else None
            for i, joint in enumerate(self.system.joints)
        ]

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
        found[i] = self._inverse(i, q[system.layout.q[joint.name]]).T @ np.atleast_1d(effort)
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
