"""Coordinates people use: quaternions replaced by yaw, roll and pitch, everything else as it is.

The chart is good away from a body lying on its side (roll of 90 degrees). It serves for starting states and for
linearisation; integration itself runs on the group.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from locomotor.lie import ops, quaternion
from locomotor.mechanics.chart.angles import yaw_roll_pitch
from locomotor.model import Symbol, System
from locomotor.typing import Array

ANGLES = (
    ("yaw", r"\psi", "positive to the left"),
    ("roll", r"\phi", "positive to the right"),
    ("pitch", r"\vartheta", "positive nose down"),
)
COMPONENTS = ("qw", "qx", "qy", "qz")


@lru_cache(maxsize=64)
def _blocks(system: System) -> tuple[tuple[str | None, int, int], ...]:
    """(prefix, first coordinate, size) of each block; the prefix of a quaternion's names, None for a vector."""
    names = [symbol.name for symbol in system.layout.coordinates]
    return tuple(
        (names[x.start].removesuffix("qw") if turning else None, x.start, x.stop - x.start)
        for turning, x, _ in system.layout.manifold.slices()
    )


@lru_cache(maxsize=64)
def chart_symbols(system: System) -> tuple[Symbol, ...]:
    """Names, units and meaning of the chart coordinates."""
    found: list[Symbol] = []
    for prefix, start, size in _blocks(system):
        if prefix is not None:
            about = f" of joint {prefix.strip('_')!r}" if prefix else ""
            found += [Symbol(f"{prefix}{angle}", "rad", tex, f"{angle}{about}, {sign}") for angle, tex, sign in ANGLES]
        else:
            found += system.layout.coordinates[start : start + size]
    return tuple(found)


def quaternion_names(system: System) -> dict[str, tuple[str, ...]]:
    """For each group of three angles, the four quaternion components it stands for."""
    return {
        prefix: tuple(f"{prefix}{component}" for component in COMPONENTS)
        for prefix, _, _ in _blocks(system)
        if prefix is not None
    }


def coordinates_from_chart(system: System, theta: Array) -> Array:
    """Coordinates q of chart coordinates."""
    parts = []
    at = 0
    for prefix, _, size in _blocks(system):
        if prefix is not None:
            parts.append(_quaternion(theta[at], theta[at + 1], theta[at + 2]))
            at += 3
        else:
            parts.append(theta[at : at + size])
            at += size
    return ops.concat(*parts) if parts else np.zeros(0)


def chart_from_coordinates(system: System, q: Array) -> Array:
    """Chart coordinates of q."""
    parts = []
    for prefix, start, size in _blocks(system):
        part = q[start : start + size]
        parts.append(ops.vector(*yaw_roll_pitch(quaternion.to_matrix(part))) if prefix is not None else part)
    return ops.concat(*parts) if parts else np.zeros(0)


def chart_rate(system: System, theta: Array, rate: Array) -> Array:
    """Rates of the chart coordinates from tangent rates (three body angular velocities for each quaternion).

    W = Rot_y^T (Rot_x^T (yaw_dot e_z) + roll_dot e_x) + pitch_dot e_y, solved for the rates of the angles.
    """
    parts = []
    at = 0
    for prefix, _, size in _blocks(system):
        if prefix is None:
            parts.append(rate[at : at + size])
            at += size
            continue
        w = rate[at : at + 3]
        cr, sr = ops.cos(theta[at + 1]), ops.sin(theta[at + 1])
        cp, sp = ops.cos(theta[at + 2]), ops.sin(theta[at + 2])
        yaw = (cp * w[2] - sp * w[0]) / cr
        parts.append(ops.vector(yaw, cp * w[0] + sp * w[2], w[1] - sr * yaw))
        at += 3
    return ops.concat(*parts) if parts else np.zeros(0)


def _quaternion(yaw: Any, roll: Any, pitch: Any) -> Array:
    def about(axis: int, angle: Any) -> Array:
        half = 0.5 * angle
        entries = [ops.cos(half), 0.0, 0.0, 0.0]
        entries[axis] = ops.sin(half)
        return ops.vector(*entries)

    return quaternion.multiply(quaternion.multiply(about(3, yaw), about(1, roll)), about(2, pitch))
