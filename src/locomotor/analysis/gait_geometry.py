"""Gait geometry: connection vector fields and curvature surfaces over two joints of a shape space."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor.analysis.connection import Connection, connection
from locomotor.model import System

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GaitGeometry:
    """Fields over a grid of two joints.

    `first` (n1) and `second` (n2) are the grid; `field[i]` (2, n1, n2) is the row of -A for base velocity i, a vector
    field whose line integral along a gait is the first-order displacement; `curvature[i]` (n1, n2) is the surface
    whose integral over the area a small gait encloses is its displacement.
    """

    connection: Connection
    joints: tuple[str, str]
    first: Array
    second: Array
    field: Array
    curvature: Array

    @property
    def base_names(self) -> tuple[str, ...]:
        """Velocities of the base, the first axis of both arrays."""
        return self.connection.base_names

    def plot(self, path: Any = None) -> Any:
        """A figure of fields and curvature; saved when a path is given."""
        from locomotor.viewing.plot_gait import plot_gait_geometry

        return plot_gait_geometry(self, path)


def gait_geometry(
    system: System | Connection,
    joints: Sequence[str],
    *,
    span: tuple[float, float] | tuple[tuple[float, float], tuple[float, float]] = (-1.2, 1.2),
    points: int = 41,
) -> GaitGeometry:
    """Connection and curvature over two joints; the other active joints stay at their nominal values."""
    found = system if isinstance(system, Connection) else connection(system)
    if len(joints) != 2 or joints[0] == joints[1]:
        raise ValueError(f"gait_geometry is over two joints, got {list(joints)}; choose two of {list(found.shape_names)}")
    for name in joints:
        found.system.joint(name)
        if name not in found.shape_names:
            raise ValueError(f"joint {name!r} is not active; the active joints are {', '.join(found.shape_names)}")
    if points < 2:
        raise ValueError(f"gait_geometry needs at least 2 points a side, got {points}")
    spans: Any = span if isinstance(span[0], tuple) else (span, span)
    first, second = (np.linspace(low, high, points) for low, high in spans)
    i, j = (found.shape_names.index(name) for name in joints)
    nominal = found.passive[[found.system.layout.q[name].start for name in found.shape_names]]
    grid = np.broadcast_to(nominal, (points * points, len(nominal))).copy()
    a, b = np.meshgrid(first, second, indexing="ij")
    grid[:, i], grid[:, j] = a.ravel(), b.ravel()
    xi = -found(grid)
    slope = -found.derivative(grid)
    curl = slope[:, :, j, i] - slope[:, :, i, j]
    bracket = np.array([found.bracket(x, y) for x, y in zip(xi[:, :, i], xi[:, :, j], strict=True)])
    n = xi.shape[1]
    fields = np.moveaxis(xi[:, :, [i, j]].reshape(points, points, n, 2), (2, 3), (0, 1))
    curvature = np.moveaxis((curl + bracket).reshape(points, points, n), 2, 0)
    return GaitGeometry(found, (joints[0], joints[1]), first, second, fields, curvature)
