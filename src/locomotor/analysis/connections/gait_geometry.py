"""Gait geometry: connection vector fields and curvature surfaces over two joints of a shape space."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from locomotor.analysis.connections.connection import Connection, connection
from locomotor.dataclass import dataclass
from locomotor.errors import QuantityError, UnknownJointError, ViewingError
from locomotor.model import System
from locomotor.typing import Floats


@dataclass(frozen=True, eq=False)
class GaitGeometry:
    """Fields over a grid of two joints.

    `first` (n1) and `second` (n2) are the grid; `field[i]` (2, n1, n2) is the row of -A for base velocity i, a vector
    field whose line integral along a gait is the first-order displacement; `curvature[i]` (n1, n2) is the surface
    whose integral over the area a small gait encloses is its displacement. At singular shapes, where the constraints lose a
    rank, both are not a number.
    """

    connection: Connection
    joints: tuple[str, str]
    first: Floats
    second: Floats
    field: Floats
    curvature: Floats

    @property
    def base_names(self) -> tuple[str, ...]:
        """Velocities of the base, the first axis of both arrays."""
        return self.connection.base_names

    def plot(self, path: Any = None) -> Any:
        """A figure of fields and curvature; saved when a path is given."""
        from locomotor.viewing.plots import plot_gait_geometry

        try:
            return plot_gait_geometry(self, path)
        except ValueError as error:
            if "is not supported" in str(error):
                raise ViewingError(f"{str(path)!r}: {error}; choose another ending, such as .png or .pdf") from None
            raise


def gait_geometry(
    system: System | Connection,
    joints: Sequence[str | int],
    *,
    span: tuple[float, float] | tuple[tuple[float, float], tuple[float, float]] = (-1.2, 1.2),
    points: int = 41,
) -> GaitGeometry:
    """Connection and curvature over two joints; the other active joints stay at their nominal values.

    Args:
        system: a system, or its connection.
        joints: two active joints, by name or by their places among `connection.shape_names`.
        span: from where to where, for both joints, or one pair for each (rad, m).
        points: points a side.
    """
    found = system if isinstance(system, Connection) else connection(system)
    i, j = _two(found, joints)
    spans = _spans(span)
    if isinstance(points, bool) or not isinstance(points, int | np.integer) or points < 2:
        raise QuantityError(f"points is {points!r}; give a whole number of points a side, at least 2")
    first, second = (np.linspace(low, high, int(points)) for low, high in spans)
    grid = np.broadcast_to(found.nominal, (points * points, len(found.nominal))).copy()
    a, b = np.meshgrid(first, second, indexing="ij")
    grid[:, i], grid[:, j] = a.ravel(), b.ravel()
    regular = ~np.asarray(found.singular(grid))
    if not regular.any():
        found.refuse_shape(found.coordinates(grid[0]))
    n = len(found.base_names)
    xi, curvature = np.full((len(grid), n, len(found.nominal)), np.nan), np.full((len(grid), n), np.nan)
    xi[regular] = -found(grid[regular])
    curvature[regular] = found.curvature(grid[regular])[:, :, i, j]
    fields = np.moveaxis(xi[:, :, [i, j]].reshape(points, points, n, 2), (2, 3), (0, 1))
    surfaces = np.moveaxis(curvature.reshape(points, points, n), 2, 0)
    names = found.shape_names
    return GaitGeometry(found, (names[i], names[j]), first, second, fields, surfaces)


def _two(found: Connection, joints: Sequence[str | int]) -> tuple[int, int]:
    """Places of two different active joints."""
    names = found.shape_names
    if isinstance(joints, str) or not isinstance(joints, Sequence) or len(joints) != 2:
        raise QuantityError(f"gait_geometry is over two joints, got {joints!r}; choose two of {', '.join(names)}")
    places = []
    for joint in joints:
        if isinstance(joint, int | np.integer) and not isinstance(joint, bool):
            if not 0 <= joint < len(names):
                raise UnknownJointError(
                    f"joints holds {joint}; the active joints are 0 to {len(names) - 1}: {', '.join(names)}"
                )
            places.append(int(joint))
            continue
        if not isinstance(joint, str):
            raise QuantityError(f"joints holds {joint!r}; give names of joints, or their places: {', '.join(names)}")
        if joint not in names:
            found.system.joint(joint)  # raises, with the nearest name, for an unknown one
            raise QuantityError(f"joint {joint!r} is not active; the active joints are {', '.join(names)}")
        places.append(names.index(joint))
    if places[0] == places[1]:
        raise QuantityError(f"gait_geometry is over two joints, got {joints!r}; choose two of {', '.join(names)}")
    return places[0], places[1]


def _spans(span: Any) -> Floats:
    """Two pairs (low, high), of increasing numbers."""
    try:
        spans = np.asarray(span, dtype=float)
    except (TypeError, ValueError):
        spans = np.zeros(0)
    if spans.shape == (2,):
        spans = np.stack([spans, spans])
    if spans.shape != (2, 2) or not (np.isfinite(spans).all() and (spans[:, 1] > spans[:, 0]).all()):
        raise QuantityError(f"span is {span!r}; give (low, high) with low < high, or a pair of these, one for each joint")
    return spans
