"""What linkages are made of: homogeneous bars with a hole at each end, alone or joined to rigid frames."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from locomotor.model import Body, Capsule, Cylinder, QuantityLike

THICK = 0.03
"""Diameter of a drawn bar, as a share of a metre of it; thin enough not to count for the inertia but about its own axis."""


def bar(name: str, length: QuantityLike, density: QuantityLike, *, layer: int = 0, colour: str = "metal") -> Body:
    """A slender bar along x from the origin of its frame, of a mass per length; `layer` moves what is drawn of it aside."""
    mass = f"({density})*({length})"
    across = f"{mass}*({length})**2/12"
    y = 0.035 * layer
    return Body(
        name,
        mass=mass,
        com=(f"({length})/2", 0.0, 0.0),
        inertia=(f"{mass}*{THICK}**2/8", across, across),
        shapes=[
            Capsule((0.0, y, 0.0), (length, y, 0.0), 0.5 * THICK, colour=colour),
            *(Cylinder((x, y - 0.03, 0.0), (x, y + 0.03, 0.0), 0.4 * THICK, colour="dark") for x in (0.0, length)),
        ],
    )


Point = tuple[float, float]


def frame_of_bars(name: str, points: Sequence[Point], density: str, *, layer: float = 0, colour: str = "metal") -> Body:
    """Slender bars along the sides of a polygon in the x-z plane of a body, or one bar between two points."""
    sides = [(np.array(p), np.array(q)) for p, q in zip(points, [*points[1:], points[0]], strict=True)]
    sides = sides[:1] if len(points) == 2 else sides
    lengths = np.array([np.linalg.norm(q - p) for p, q in sides])
    centre = sum(m * 0.5 * (p + q) for m, (p, q) in zip(lengths, sides, strict=True)) / lengths.sum()
    second = np.zeros((2, 2))
    for m, (p, q) in zip(lengths, sides, strict=True):
        a, b = p - centre, q - centre
        second += m / 6.0 * (2.0 * np.outer(a, a) + 2.0 * np.outer(b, b) + np.outer(a, b) + np.outer(b, a))
    second += lengths.sum() * THICK**2 / 16.0 * np.eye(2)
    (xx, xz), (_, zz) = second.tolist()
    y = 0.035 * layer
    return Body(
        name,
        mass=f"{lengths.sum()}*{density}",
        com=(float(centre[0]), 0.0, float(centre[1])),
        inertia=(
            (f"{zz}*{density}", 0.0, f"{-xz}*{density}"),
            (0.0, f"{xx + zz}*{density}", 0.0),
            (f"{-xz}*{density}", 0.0, f"{xx}*{density}"),
        ),
        shapes=[
            *(Capsule((*_at(p, y),), (*_at(q, y),), 0.5 * THICK, colour=colour) for p, q in sides),
            *(Cylinder((x, y - 0.03, z), (x, y + 0.03, z), 0.4 * THICK, colour="dark") for x, z in points),
        ],
    )


def third_point(base: float, from_start: float, from_end: float, side: float = 1.0) -> Point:
    """The corner of a triangle whose base goes from the origin along x: so far from start and end, above or below it."""
    x = (base**2 + from_start**2 - from_end**2) / (2.0 * base)
    return x, side * math.sqrt(from_start**2 - x**2)


def _at(point: Any, y: float) -> tuple[float, float, float]:
    return float(point[0]), y, float(point[1])
