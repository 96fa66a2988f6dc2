"""Wind at points of a body, and what it changes in the inertia of the air around a wing.

Added mass belongs to the velocity in the air. In the mass matrix it stands with the velocity of the body, as in still air; what
the wind w changes is a wrench: with m the mass of a section, r its point, n its normal and u = -n.w the part of the normal
velocity that the wind makes, Kirchhoff's equations in the moving air give, in body axes,

    force   -(m u' n + W x (m u n)),       torque about the origin   r x (-m u' n) - W x (r x m u n) - V x (m u n) + w x P,

with u' = -n.(R^T Dw/Dt - W x w), P = m (n.(V + W x r) + u) n the impulse and D/Dt the rate seen by the section. In a uniform
steady wind the motion is that in still air, seen from a train.
"""

from typing import Any

from locomotor.lie import ops
from locomotor.mechanics.tree import Kinematics
from locomotor.model import Air, evaluate
from locomotor.model.expressions import Expression
from locomotor.model.forces import Station
from locomotor.typing import Array

PLACE = ("x", "y", "z")


class Wind:
    """The wind at points of one body, in its axes."""

    def __init__(self, air: Air, kinematics: Kinematics, index: int) -> None:
        self.air, self.names, self.pose = air, kinematics.instant.names, kinematics.poses[index]
        self.velocity, self.omega = kinematics.velocity[index], kinematics.omega[index]

    def at(self, point: Array) -> Array:
        """The wind at a point of the body."""
        return self.pose.rotation.T @ evaluate(self.air.wind, self._there(point))

    def rate(self, point: Array, own: Array | None = None) -> Array:
        """Rate of the wind that a point of the body meets, by time and by place, without the turning of the body.

        On a soft body the point moves by itself too, at `own`.
        """
        names = self._there(point)
        moved = self.velocity + ops.cross(self.omega, point)
        moved = self.pose.rotation @ (moved if own is None else moved + own)
        found = []
        for component in self.air.wind:
            total: Any = 0.0
            if isinstance(component, Expression):
                total = total + evaluate(component.derivative("t"), names)
                for k, axis in enumerate(PLACE):
                    if axis in component.names:
                        total = total + evaluate(component.derivative(axis), names) * moved[k]
            found.append(total)
        return self.pose.rotation.T @ ops.vector(*found)

    def _there(self, point: Array) -> dict[str, Any]:
        place = self.pose.act(point) if self.air.depends_on_place else (0.0, 0.0, 0.0)
        return {**self.names, **{axis: place[k] for k, axis in enumerate(PLACE)}}


def wind_wrench(mass: Any, station: Station, point: Array, twist: tuple[Array, Array], wind: Array, rate: Array) -> Array:
    """What the wind changes in the inertia of the air of one section: a wrench about the origin of what it is told in.

    `twist` is that of those axes, `wind` the wind at the point, and `rate` its rate there without the turning of the axes.
    """
    V, W = twist
    n = station.normal
    u = -ops.dot(n, wind)
    u_dot = -ops.dot(n, rate - ops.cross(W, wind))
    part, change = (mass * u) * n, (mass * u_dot) * n
    impulse = (mass * (ops.dot(n, V + ops.cross(W, point)) + u)) * n
    torque = -ops.cross(point, change) - ops.cross(W, ops.cross(point, part)) - ops.cross(V, part) + ops.cross(wind, impulse)
    return ops.concat(-change - ops.cross(W, part), torque)
