"""Where the sections of a wing on a soft body have been carried by its deformation, and how they move.

With the linear frame a section turns by 1 + phi x, phi the rotation of its place to the first order in the deformations, and
its points move along tangents: (4.41), (4.42) and (4.58) of Belkhiri 2013. The matrix stretches by sqrt(1 + phi²); forces and
velocities are mapped by it and by its transpose, so that their power is the same in both axes.
"""

from dataclasses import replace

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import SE3, ops
from locomotor.mechanics.tree import Kinematics
from locomotor.model import Wing, evaluate
from locomotor.model.forces import PLACE_ALONG, Station
from locomotor.typing import Array


@dataclass(frozen=True, eq=False)
class Carried:
    """Where a section of a soft body has been carried: its axes and its place are no longer those of the body."""

    site: SE3
    """Pose in the body of the site that was parallel to the body, on the span line."""
    columns: Array
    """Twist of the site by the own rates of the body, in site axes."""
    own: slice
    twist: tuple[Array, Array]
    """Velocity and angular velocity of the site, in its axes."""
    apart: Array
    """Velocity and angular velocity by the own rates alone."""

    def to_body(self, wrench: Array) -> Array:
        """A wrench about the site in its axes, as one about the origin of the body in body axes."""
        force = self.site.rotation @ wrench[0:3]
        return ops.concat(force, self.site.rotation @ wrench[3:6] + ops.cross(self.site.translation, force))


Moved = tuple[Station, Array, Array, Carried | None]
"""A section where it is now, and the velocity and angular velocity of what it is told in: the body, or a site of it."""


def carry(wing: Wing, station: Station, kinematics: Kinematics, i: int) -> Moved:
    """The section that was at `station` before body `i` deformed."""
    link, V, W = kinematics.links[i], kinematics.velocity[i], kinematics.omega[i]
    if link.soft is None:
        return station, V, W, None
    if wing.frame == "linear":
        return _linear(wing, station, kinematics, i)
    instant = kinematics.instant
    e, e_dot, values = instant.q[link.own_q], instant.v[link.own], instant.values
    placement = SE3(np.eye(3), station.line)
    site, columns = link.soft.site(placement, e, values), link.soft.site_columns(placement, e, values)
    own = columns @ e_dot
    R = site.rotation
    moving, turning = R.T @ (V + ops.cross(W, site.translation)) + own[0:3], R.T @ W + own[3:6]
    carried = Carried(site, columns, link.own, (moving, turning), own)
    return replace(station, line=np.zeros(3)), moving, turning, carried


def _linear(wing: Wing, station: Station, kinematics: Kinematics, i: int) -> Moved:
    """The same to the first order in the deformations; its site is the centre of pressure, with the axes of the body."""
    link, V, W = kinematics.links[i], kinematics.velocity[i], kinematics.omega[i]
    instant = kinematics.instant
    e, e_dot, values = instant.q[link.own_q], instant.v[link.own], instant.values
    assert link.soft is not None  # only what bends carries sections so
    at_rest = link.soft.site_columns(SE3(np.eye(3), station.line), np.zeros(link.own.stop - link.own.start), values)
    share = evaluate(wing.centre, {**values, PLACE_ALONG: station.place}) - evaluate(wing.axis, values)
    lever = (-share * station.chord) * station.forward
    twists = [(at_rest[0:3, k], at_rest[3:6, k]) for k in range(link.own.stop - link.own.start)]
    columns = ops.columns(*(ops.concat(moved + ops.cross(turned, lever), turned) for moved, turned in twists))
    phi = at_rest[3:6] @ e
    normal, forward = (axis + ops.cross(phi, axis) for axis in (station.normal, station.forward))
    site = SE3(np.eye(3), station.line + lever + columns[0:3] @ e)
    own = columns @ e_dot
    moving, turning = V + ops.cross(W, site.translation) + own[0:3], W + own[3:6]
    line = (share * station.chord) * forward
    moved = replace(station, line=line, normal=normal, forward=forward, about=station.pitching)
    return moved, moving, turning, Carried(site, columns, link.own, (moving, turning), own)
