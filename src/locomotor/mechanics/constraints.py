"""Velocity constraints of the persistent contacts: C(q) v = 0, with bias C_dot v and gaps.

A rolling or sticking contact blocks the velocity of the material point under it in three directions, written in the
axes of its tree's root body: for a free root these are the rows A eta + B r_dot = 0 of spec 000-ch2 (2.29). A sliding
point blocks the normal only, a skate the normal and its lateral direction. The bias is the inertial acceleration that
the blocked velocity has at v_dot = 0; it is exact on C v = 0, which is where constraints are enforced.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from locomotor.lie import ops
from locomotor.mechanics.contact_geometry import Touch, touch
from locomotor.mechanics.jacobians import point_jacobian
from locomotor.mechanics.kinematics import Kinematics
from locomotor.model import Contact, Plane, evaluate

Array = Any


@dataclass(frozen=True, eq=False)
class ContactRows:
    """The rows one contact contributes."""

    contact: Contact
    body: int
    touch: Touch
    plane: Plane
    normal: Array
    """Plane normal in root axes."""
    jacobian: Array
    """3 x nv: velocity of the material contact point in root axes."""
    labels: tuple[str, ...]
    rows: Array
    kinematics: Kinematics

    @cached_property
    def bias(self) -> Array:
        """Rate of (rows v) at v_dot = 0."""
        a, w_dot = self.kinematics.free_accelerations[self.body]
        omega, velocity = self.kinematics.omega[self.body], self.kinematics.velocity[self.body]
        point = self.touch.point
        acceleration = a + ops.cross(w_dot, point) + ops.cross(omega, self.touch.drift)
        if self.touch.directions is None:
            return self.kinematics.poses_in_root[self.body].rotation @ acceleration
        slip = velocity + ops.cross(omega, point)
        return ops.vector(
            *(ops.dot(d, acceleration) + ops.dot(d_dot, slip) for _, d, d_dot in self.touch.directions)
        )

    @cached_property
    def position(self) -> Array:
        """Contact point in the world."""
        return self.kinematics.poses[self.body].act(self.touch.point)

    @cached_property
    def gap(self) -> Any:
        """Height of the contact point above the plane."""
        values = self.kinematics.instant.values
        offset = self.position - evaluate(self.plane.point, values)
        return ops.dot(evaluate(self.plane.normal, values), offset)

    @cached_property
    def normal_row(self) -> Array:
        """Row of the gap's rate: gap_dot = n . v(contact point), since the point wanders in the plane."""
        return self.jacobian.T @ self.normal


def contact_rows(kinematics: Kinematics) -> tuple[ContactRows, ...]:
    """Rows of every contact of the system."""
    instant = kinematics.instant
    values = instant.values
    grounds = {plane.name: plane for plane in instant.system.grounds}
    found: list[ContactRows] = []
    for contact in instant.system.contacts:
        body = kinematics.index(contact.body)
        plane = grounds[contact.ground]
        g_r_b = kinematics.poses_in_root[body]
        root = kinematics.links[kinematics.roots[body]].pose
        normal = root.rotation.T @ evaluate(plane.normal, values)
        touched = touch(contact, g_r_b.rotation.T @ normal, kinematics.omega[body], values)
        jacobian = point_jacobian(kinematics, body, touched.point)
        labels: tuple[str, ...] = ("x", "y", "z")
        rows = jacobian
        if touched.directions is not None:
            labels = tuple(label for label, _, _ in touched.directions)
            rows = ops.columns(*(jacobian.T @ (g_r_b.rotation @ d) for _, d, _ in touched.directions)).T
        found.append(ContactRows(contact, body, touched, plane, normal, jacobian, labels, rows, kinematics))
    return tuple(found)


def constraint_matrix(rows: tuple[ContactRows, ...], nv: int) -> Array:
    """All rows C, contact after contact."""
    if not rows:
        return np.zeros((0, nv))
    return ops.block([[contact.rows] for contact in rows])


def constraint_bias(rows: tuple[ContactRows, ...]) -> Array:
    """C_dot v, contact after contact."""
    return ops.concat(*(contact.bias for contact in rows))
