"""Angles people read: yaw, roll and pitch of a body, and where on its rim a wheel touches.

R = Rot_z(yaw) Rot_x(roll) Rot_y(pitch)        (Mauny 2018, (2.24), with roll positive to the right)
"""

import math
from typing import Any

from locomotor.lie import ops
from locomotor.mechanics.constraints import ContactRows
from locomotor.model import evaluate
from locomotor.typing import Array


def yaw_roll_pitch(R: Array) -> tuple[Any, Any, Any]:
    """Angles of a rotation matrix; singular only for a body lying on its side."""
    yaw = ops.atan2(-R[0, 1], R[1, 1])
    roll = ops.atan2(R[2, 1], ops.sqrt(R[2, 0] * R[2, 0] + R[2, 2] * R[2, 2]))
    pitch = ops.atan2(-R[2, 0], R[2, 2])
    return yaw, roll, pitch


def contact_angle(rows: ContactRows) -> Any:
    """Angle of the contact point on the rim of a wheel, about the axle from the axis nearest to up, in [0, 2 pi).

    Measured in the wheel's frame with its own spin removed, so that it is pi for an upright wheel on level ground.
    It decreases when the point moves forward along the tyre.
    """
    values = rows.kinematics.instant.values
    assert rows.contact.rim is not None
    centre, axis = (evaluate(part, values) for part in rows.contact.rim)
    rho = rows.touch.point - centre
    up = ops.vector(0.0, 0.0, 1.0)
    up = up - ops.dot(axis, up) * axis
    forward = ops.cross(axis, up)
    return math.pi + ops.atan2(-ops.dot(forward, rho), -ops.dot(up, rho))
