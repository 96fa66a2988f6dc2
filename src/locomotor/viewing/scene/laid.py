"""What makes the faces of a terrain a ground in a still picture: the lines of a grid, and the shadows of bodies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from locomotor.typing import Flags, Vector
from locomotor.viewing.scene import raster
from locomotor.viewing.scene.mesh import Mesh, frame_about

STEEP = 0.3
"""Faces whose normal rises less than this have no grid: there its lines would run together."""
DENSE = 0.25
"""Lines closer together than four pixels are left out."""
MOST_CELLS = 4_000_000
"""Cells of the map of what the lamp sees."""


def grid_lines(points: Vector, normals: Vector, axes: Vector, up: Vector, pixel: float, spacing: float, thin: float) -> Vector:
    """How much of each point of a surface (0 to 1) is covered by lines `spacing` (m) apart, as seen from above.

    `axes` are those of the picture, `pixel` (m) is the side of a pixel; half a line is at least `thin` pixels wide.
    """
    along = np.array([1.0, 0.0, 0.0]) - up * up[0]
    along = along / np.linalg.norm(along) if np.linalg.norm(along) > 1e-6 else np.array([0.0, 1.0, 0.0])
    towards = normals @ axes[2]
    towards = np.where(np.abs(towards) < 1e-9, 1e-9, towards)
    on = np.zeros(len(points))
    for direction in (along, np.cross(up, along)):
        # One pixel aside in the picture is this many cells on the face: the depth changes too.
        slopes = np.hypot(*(side @ direction - (normals @ side) / towards * (axes[2] @ direction) for side in axes[:2]))
        slopes = np.maximum(slopes * pixel / spacing, 1e-12)
        cells = points @ direction / spacing
        half = np.maximum(1.1 * pixel / spacing, thin * slopes)
        share = np.clip(0.5 + (half - np.abs(cells - np.rint(cells))) / slopes, 0.0, 1.0)
        on = np.maximum(on, np.where(slopes < DENSE, share, 0.0))
    return np.where(np.abs(normals @ up) > STEEP, on, 0.0)


def shadowed(points: Vector, light: Vector, shapes: Sequence[Mesh], pixel: float, slack: float) -> Flags:
    """Which points something stands before, more than `slack` (m) nearer to a far lamp in the direction `light`."""
    frame = frame_about(light)
    map_axes = np.stack([frame[:, 0], frame[:, 1], -light])
    corners = np.concatenate([np.zeros((0, 3, 3)), *(shape.vertices[shape.triangles] for shape in shapes)]) @ map_axes.T
    corners = corners[np.isfinite(corners).all(axis=(1, 2))]
    if not len(corners) or not len(points):
        return np.zeros(len(points), dtype=bool)
    low, high = (f(corners[..., :2].reshape(-1, 2), axis=0) for f in (np.min, np.max))
    cell = max(pixel, float(np.sqrt(np.prod(high - low) / MOST_CELLS)))
    width, height = (int(n) + 1 for n in np.ceil((high - low) / cell))
    corners[..., :2] = (corners[..., :2] - low) / cell
    seen = raster.cover(corners, None, width, height)
    nearest = np.full(width * height, np.inf)
    np.minimum.at(nearest, seen.pixel, seen.depth)
    places = points @ map_axes.T
    x, y = np.floor((places[:, :2] - low) / cell).astype(np.int64).T
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    return inside & (nearest[np.where(inside, y * width + x, 0)] < places[:, 2] - slack)
