"""Where a contact touches at one instant, and how that moves: what its rows, its friction and its gap are made of."""

from functools import cached_property
from typing import Any

from locomotor.dataclass import dataclass
from locomotor.lie import SE3, ops
from locomotor.mechanics.constraints.contact_geometry import Touch
from locomotor.mechanics.constraints.standpoint import Accelerations, Standpoint
from locomotor.mechanics.tree import Kinematics, Substructure, point_jacobian, turning_jacobian
from locomotor.model import Contact, evaluate
from locomotor.typing import Array


@dataclass(frozen=True, eq=False)
class TouchingRows:
    """A contact on its ground: point, normal, gap, and their rates."""

    contact: Contact
    body: int
    touch: Touch
    plane: Any
    """The ground of the contact: a `Plane`, or a `Support` on a terrain."""
    level: Array
    """Normal of the ground in the axes of what carries it, towards the free side."""
    labels: tuple[str, ...]
    kinematics: Kinematics
    substructure: Substructure
    seen: Standpoint
    """The body of the contact, as the ground sees it."""
    apart: Any = None
    """The gap, where it is no height above a plane that stands still."""

    @property
    def name(self) -> str:
        """Name of the contact."""
        return self.contact.name

    @property
    def up(self) -> Array:
        """Normal of the ground in world axes."""
        return self.level

    @cached_property
    def in_reference(self) -> SE3:
        """Pose of the body in the reference body, whose axes the rows are written in."""
        return self.substructure.pose_in_reference(self.kinematics, self.body)

    @property
    def reference(self) -> int:
        """Index of the reference body."""
        return self.substructure.reference[self.body]

    @cached_property
    def jacobian(self) -> Array:
        """3 x nv: velocity of the material contact point, in root axes."""
        return point_jacobian(self.kinematics, self.body, self.touch.point)

    def point_acceleration(self, accelerations: Accelerations) -> Array:
        """Rate of the velocity of whatever is at the contact point, in body axes, from the accelerations of the bodies."""
        a, w_dot = self.seen.acceleration(accelerations)
        return a + ops.cross(w_dot, self.touch.point) + ops.cross(self.seen.omega, self.touch.drift)

    @cached_property
    def velocity(self) -> Array:
        """Velocity of the material point under the contact relative to the ground, in body axes."""
        return self.seen.velocity + ops.cross(self.seen.omega, self.touch.point)

    @cached_property
    def normal(self) -> Array:
        """Normal of the ground, in body axes."""
        return self.kinematics.poses[self.body].rotation.T @ self.up

    @property
    def gap_rate(self) -> Any:
        """Rate of the gap."""
        return ops.dot(self.normal, self.velocity)

    def gap_acceleration(self, accelerations: Accelerations) -> Any:
        """Second derivative of the gap, from the classical accelerations of the bodies."""
        found = ops.dot(self.normal, self.point_acceleration(accelerations))
        return found if self.touch.turning is None else found + ops.dot(self.touch.turning, self.velocity)

    @cached_property
    def turning_jacobian(self) -> Array:
        """3 x nv: angular velocity of the body relative to its ground, in root axes."""
        return turning_jacobian(self.kinematics, self.body)

    @cached_property
    def position(self) -> Array:
        """Contact point in the world."""
        return self.kinematics.poses[self.body].act(self.touch.point)

    @cached_property
    def gap(self) -> Any:
        """Height of the contact point above the ground."""
        if self.apart is not None:
            return self.apart
        offset = self.position - evaluate(self.plane.point, self.kinematics.instant.values)
        return ops.dot(self.up, offset)

    @cached_property
    def normal_row(self) -> Array:
        """Row of the gap's rate: gap_dot = n . v(contact point), since the point wanders in the plane."""
        root = self.kinematics.links[self.kinematics.roots[self.body]].pose
        return self.jacobian.T @ (root.rotation.T @ self.up)
