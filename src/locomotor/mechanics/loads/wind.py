"""Wind at points of a body, and what it changes in the inertia of the air around a wing.

Added mass belongs to the velocity in the air. In the mass matrix it stands with the velocity of the body, as in still air; what
the wind w changes is a wrench: with m the mass of a section, r its point, n its normal and u = -n.w the part of the normal
velocity that the wind makes, Kirchhoff's equations in the moving air give, in body axes,

    force   -(m u' n + W x (m u n)),       torque about the origin   r x (-m u' n) - W x (r x m u n) - V x (m u n) + w x P,

with u' = -n.(R^T Dw/Dt - W x w), P = m (n.(V + W x r) + u) n the impulse and D/Dt the rate seen by the section. In a uniform
steady wind the motion is that in still air, seen from a train.
"""

import math
from typing import Any

import numpy as np

from locomotor.lie import ops
from locomotor.mechanics.tree import Kinematics, air_of
from locomotor.model import Air, Wing, evaluate
from locomotor.model.expressions import Expression
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

    def rate(self, point: Array) -> Array:
        """Rate of the wind that a point of the body meets, by time and by place, without the turning of the body."""
        names = self._there(point)
        moved = self.pose.rotation @ (self.velocity + ops.cross(self.omega, point))
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


def wind_inertia(wing: Wing, air: Air, kinematics: Kinematics) -> Array:
    """What the wind changes in the inertia of the air: a wrench about the origin of the body, in body axes."""
    instant = kinematics.instant
    i = kinematics.index(wing.body)
    V, W = kinematics.velocity[i], kinematics.omega[i]
    wind = Wind(air, kinematics, i)
    density = evaluate(air_of(wing, instant.system).density, instant.values)
    axis, centre = evaluate(wing.axis, instant.values), evaluate(wing.inertia_centre, instant.values)
    total = np.zeros(6)
    for station in wing.stations(instant.values):
        n, r = station.normal, station.behind(centre, axis)
        mass = math.pi / 4.0 * density * station.chord * station.chord * station.width
        w = wind.at(r)
        u = -ops.dot(n, w)
        u_dot = -ops.dot(n, wind.rate(r) - ops.cross(W, w))
        part, change = (mass * u) * n, (mass * u_dot) * n
        impulse = (mass * (ops.dot(n, V + ops.cross(W, r)) + u)) * n
        torque = -ops.cross(r, change) - ops.cross(W, ops.cross(r, part)) - ops.cross(V, part) + ops.cross(w, impulse)
        total = total + ops.concat(-change - ops.cross(W, part), torque)
    return total
