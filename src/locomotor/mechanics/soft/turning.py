"""How a slice of a slender body is turned: R = Rz(a) Ry(b) Rx(c), with small angles that are linear in the coordinates.

To first order these are the slopes v' about z, -w' about y and the twist about x; as a rotation it stays orthogonal however
large they are.
"""

from typing import Any

import numpy as np

from locomotor.lie import ops
from locomotor.model.soft import Place
from locomotor.typing import Array


def _angles(here: Place, e: Array) -> tuple[Any, Any, Any]:
    """Angles (a, b, c) about z, y, x."""
    found = []
    for axis in (2, 1, 0):
        angle: Any = 0.0
        for i, turn in enumerate(here.turns):
            if not ops.is_zero(turn[axis]):
                angle = angle + turn[axis] * e[i]
        found.append(angle)
    return found[0], found[1], found[2]


def _wave(angle: Any) -> tuple[Any, Any]:
    """Sine and cosine; those of an angle that is none cost nothing."""
    return (0.0, 1.0) if isinstance(angle, float) and angle == 0.0 else (ops.sin(angle), ops.cos(angle))


def turned(here: Place, e: Array) -> Array:
    """Rotation of the slice in the frame of the body."""
    a, b, c = _angles(here, e)
    (sa, ca), (sb, cb), (sc, cc) = _wave(a), _wave(b), _wave(c)
    return ops.matrix(
        [
            [ca * cb, ca * sb * sc - sa * cc, ca * sb * cc + sa * sc],
            [sa * cb, sa * sb * sc + ca * cc, sa * sb * cc - ca * sc],
            [-sb, cb * sc, cb * cc],
        ]
    )


def turning_columns(here: Place, e: Array) -> list[Array]:
    """Angular velocity of the slice, in its axes, per rate of each coordinate."""
    _, b, c = _angles(here, e)
    (sb, cb), (sc, cc) = _wave(b), _wave(c)
    about_z, about_y, about_x = ops.vector(-sb, sc * cb, cc * cb), ops.vector(0.0, cc, -sc), np.array([1.0, 0.0, 0.0])
    return [turn[2] * about_z + turn[1] * about_y + turn[0] * about_x for turn in here.turns]


def turning_bias(here: Place, e: Array, e_dot: Array) -> Array:
    """Rate of the angular velocity of the slice, in its axes, at constant rates of the coordinates."""
    _, b, c = _angles(here, e)
    (sb, cb), (sc, cc) = _wave(b), _wave(c)
    da, db, dc = _angles(here, e_dot)
    return ops.vector(
        -(cb * db * da),
        (cc * dc * cb - sc * sb * db) * da - sc * dc * db,
        -((sc * dc * cb + cc * sb * db) * da) - cc * dc * db,
    )
