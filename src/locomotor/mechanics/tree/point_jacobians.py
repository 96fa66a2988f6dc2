"""Jacobians of bodies and of points fixed in them.

twist of body b = J_b(q) v            (body axes)
velocity of the point p of body b = R (V_b + W_b x p)
"""

from locomotor.lie import SE3, ops
from locomotor.mechanics.tree.kinematics import Kinematics
from locomotor.typing import Array


def body_jacobian(kinematics: Kinematics, body: int) -> Array:
    """6 x nv matrix J with twist of the body = J v, in body axes."""
    found: dict[int, Array] = {}
    g_i_b = SE3.identity()
    i = body
    while i >= 0:
        link = kinematics.links[i]
        for part, matrix in link.columns:
            for k, index in enumerate(range(part.start, part.stop)):
                found[index] = g_i_b.twist_to_child(matrix[:, k])
        g_i_b = link.pose @ g_i_b
        i = link.parent
    return _fill(kinematics, found, 6)


def point_jacobian(kinematics: Kinematics, body: int, point: Array, beyond: int = -1) -> Array:
    """3 x nv matrix of the velocity of a point fixed in the body (at this instant), in the body's root axes.

    It is the velocity relative to the body `beyond` farther in, which carries this one: joints up to there have no part in it.

    Root axes are those of the root body of the tree, in which the columns of a free root are the identity and
    minus the skew matrix of the point: that keeps the constraint rows sparse (Mauny 2018, (2.30)).
    """
    g_r_b = kinematics.poses_in_root[body]
    point_r = g_r_b.act(point)
    found: dict[int, Array] = {}
    i = body
    while i != beyond:
        link = kinematics.links[i]
        g_r_i = kinematics.poses_in_root[i]
        for part, matrix in link.columns:
            for k, index in enumerate(range(part.start, part.stop)):
                linear = g_r_i.rotation @ matrix[0:3, k]
                angular = g_r_i.rotation @ matrix[3:6, k]
                found[index] = linear + ops.cross(angular, point_r - g_r_i.translation)
        i = link.parent
    return _fill(kinematics, found, 3)


def turning_jacobian(kinematics: Kinematics, body: int, beyond: int = -1) -> Array:
    """3 x nv matrix of the angular velocity of a body relative to the one `beyond`, in the body's root axes."""
    found: dict[int, Array] = {}
    i = body
    while i != beyond:
        link = kinematics.links[i]
        for part, matrix in link.columns:
            for k, index in enumerate(range(part.start, part.stop)):
                found[index] = kinematics.poses_in_root[i].rotation @ matrix[3:6, k]
        i = link.parent
    return _fill(kinematics, found, 3)


def _fill(kinematics: Kinematics, found: dict[int, Array], rows: int) -> Array:
    nv = kinematics.instant.system.layout.nv
    if not nv:
        return ops.zeros(rows, 0)
    return ops.columns(*(found.get(index, ops.zeros(rows)) for index in range(nv)))
