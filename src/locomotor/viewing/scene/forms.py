"""Triangle meshes of the shapes that bodies are declared with: boxes, swept tubes, plates with any outline."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from locomotor.typing import Vector
from locomotor.viewing.scene.mesh import Mesh, ball, facets, merge, mesh, moved, skin, tube

BOX_TRIANGLES = (
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
    (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
)  # fmt: skip
"""Of corners with the sign along z changing first, then along y, counter-clockwise seen from outside."""
STEPS = 8
"""Pieces of a smooth curve between two of its points."""


def block(size: ArrayLike) -> Mesh:
    """A box about the origin."""
    half = 0.5 * np.asarray(size, dtype=float)
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    return facets(skin(signs * half, BOX_TRIANGLES))


def capsule(start: ArrayLike, end: ArrayLike, radius: float) -> Mesh:
    """A tube with half balls at its ends."""
    sides = 28
    return merge([tube(start, end, radius, sides), ball(start, radius, 14, sides), ball(end, radius, 14, sides)])


def sweep(points: ArrayLike, radii: ArrayLike, smooth: bool) -> Mesh:
    """A round tube through points, with a radius at each; its ends and elbows are round."""
    path, size = np.asarray(points, dtype=float), np.asarray(radii, dtype=float)
    if smooth and len(path) > 2:
        path, size = rounded(path), np.maximum(rounded(size[:, None])[:, 0], 0.0)
    keep = np.append(
        True, np.linalg.norm(np.diff(path, axis=0), axis=1) > 1e-9 * max(float(np.ptp(path, axis=0).max()), 1e-300)
    )
    path, size = path[keep], size[keep]
    length = float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())
    sides = 28 if float(size.max()) > 0.1 * length else 14
    rings = 8 if sides == 14 else 14
    if smooth:
        parts = [_swept(path, size, sides)]
        elbows = [0, len(path) - 1]
    else:
        parts = [_swept(np.array([a, b]), np.array([r, s]), sides) for (a, r), (b, s) in pairwise(zip(path, size, strict=True))]
        elbows = list(range(len(path)))
    parts += [ball(path[k], float(size[k]), rings, sides) for k in elbows if size[k] > 1e-9]
    return merge(parts)


def rounded(points: Vector) -> Vector:
    """A smooth curve through points (Catmull and Rom), `STEPS` pieces from each to the next."""
    before = np.vstack([2.0 * points[0] - points[1], points, 2.0 * points[-1] - points[-2]])
    t = np.arange(STEPS)[:, None] / STEPS
    found = []
    for a, b, c, d in zip(before[:-3], before[1:-2], before[2:-1], before[3:], strict=True):
        found.append(0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3))
    return np.vstack([*found, points[-1:]])


def _swept(path: Vector, size: Vector, sides: int) -> Mesh:
    """Rings across a path, turned as little as possible from one to the next; open at both ends."""
    along = np.gradient(path, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    first = np.eye(3)[int(np.abs(along[0]).argmin())]
    across = []
    for direction in along:
        first = first - direction * float(first @ direction)
        first /= np.linalg.norm(first)
        across.append(first)
    out = np.array(across)
    side = np.cross(along, out)
    angle = 2.0 * np.pi * np.arange(sides + 1) / sides
    around = np.cos(angle)[None, :, None] * out[:, None] + np.sin(angle)[None, :, None] * side[:, None]
    step = np.linalg.norm(np.gradient(path, axis=0), axis=1)
    slope = np.gradient(size) / np.maximum(step, 1e-12)
    normals = around - slope[:, None, None] * along[:, None]
    normals /= np.linalg.norm(normals, axis=2, keepdims=True)
    vertices = path[:, None] + size[:, None, None] * around
    rows, columns = len(path) - 1, sides
    a = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).ravel()
    b = a + columns + 1
    return mesh(vertices, normals, np.stack([a, a + 1, b, a + 1, b + 1, b], axis=-1).reshape(-1, 3))


def plate(outline: ArrayLike, thickness: float, rotation: ArrayLike, position: ArrayLike) -> Mesh | None:
    """Any outline (n, 2) without crossings, in the plane x, y, made solid along z; None where it has no area."""
    points = np.asarray(outline, dtype=float)
    if _area(points) < 0.0:
        points = points[::-1]
    fan = ears(points)
    if not fan:
        return None
    n = len(points)
    top = np.column_stack([points, np.full(n, 0.5 * thickness)])
    bottom = top * (1.0, 1.0, -1.0)
    up = np.tile((0.0, 0.0, 1.0), (n, 1))
    parts = [mesh(top, up, fan), mesh(bottom, -up, np.array(fan)[:, ::-1])]
    ahead = np.roll(np.arange(n), -1)
    edges = points[ahead] - points
    length = np.linalg.norm(edges, axis=1)
    for i in np.flatnonzero(length > 1e-12):
        out = np.array([edges[i, 1], -edges[i, 0], 0.0]) / length[i]
        corners = [bottom[i], bottom[ahead[i]], top[ahead[i]], top[i]]
        parts.append(mesh(corners, [out] * 4, [(0, 1, 2), (0, 2, 3)]))
    return moved(merge(parts), rotation, position)


def _area(points: Vector) -> float:
    x, y = points.T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def ears(points: Vector) -> list[tuple[int, int, int]]:
    """Triangles of a polygon, counter-clockwise: cut off a corner that holds no other one, again and again."""
    left = list(range(len(points)))
    found: list[tuple[int, int, int]] = []
    while len(left) > 2:
        for k in range(len(left)):
            i, j, m = left[k - 1], left[k], left[(k + 1) % len(left)]
            a, b, c = points[i], points[j], points[m]
            if _cross(b - a, c - b) > 0.0 and not any(_inside(points[o], a, b, c) for o in left if o not in (i, j, m)):
                found.append((i, j, m))
                left.pop(k)
                break
        else:  # what is left has no area, or crosses itself
            break
    return found


def _cross(u: Vector, v: Vector) -> float:
    return float(u[0] * v[1] - u[1] * v[0])


def _inside(p: Vector, a: Vector, b: Vector, c: Vector) -> bool:
    return _cross(b - a, p - a) >= 0.0 and _cross(c - b, p - b) >= 0.0 and _cross(a - c, p - c) >= 0.0
