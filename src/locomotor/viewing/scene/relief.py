"""What makes a terrain readable: its edges as dark lines, and walls under its rim, so that a drop is seen as one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from locomotor.typing import Vector
from locomotor.viewing.scene.mesh import Mesh, frame_about, mesh

CREASE = 0.12
"""Angle between two faces (rad) above which their common edge is drawn."""
MOST_EDGES = 1500
"""Edges that are drawn: the sharpest ones of a terrain that has more."""
SKIRT = 0.04
"""Depth of the walls below the lowest point, as a share of the terrain's diagonal."""


def edges_of(vertices: ArrayLike, triangles: ArrayLike) -> tuple[Vector, Vector]:
    """Edges (n, 2, 3) at which faces meet at an angle, and those (m, 2, 3) at which the surface ends, as its faces run."""
    points, corners = np.asarray(vertices, dtype=float), np.asarray(triangles, dtype=np.int64)
    _, same = np.unique(np.round(points, 9), axis=0, return_inverse=True)
    places = same.ravel()[corners]
    normals = np.cross(points[corners[:, 1]] - points[corners[:, 0]], points[corners[:, 2]] - points[corners[:, 0]])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    ends = np.concatenate([corners[:, [i, (i + 1) % 3]] for i in range(3)])
    keys = np.sort(np.concatenate([places[:, [i, (i + 1) % 3]] for i in range(3)]), axis=1)
    owner = np.tile(np.arange(len(corners)), 3)
    order = np.lexsort(keys.T)
    keys, owner, ends = keys[order], owner[order], ends[order]
    twin = np.append((keys[1:] == keys[:-1]).all(axis=1), False)
    first = np.flatnonzero(twin)
    bend = np.arccos(np.clip(np.einsum("ij,ij->i", normals[owner[first]], normals[owner[first + 1]]), -1.0, 1.0))
    sharp = first[bend > CREASE]
    if len(sharp) > MOST_EDGES:
        sharp = sharp[np.argsort(-bend[bend > CREASE], kind="stable")[:MOST_EDGES]]
    paired = np.zeros(len(keys), dtype=bool)
    paired[first] = paired[first + 1] = True
    return points[ends[sharp]], points[ends[~paired]]


def skirt(rim: NDArray[np.float64], up: Vector, vertices: ArrayLike) -> Mesh | None:
    """Walls from the rim straight down, a little below the lowest point."""
    points = np.asarray(vertices, dtype=float)
    if not len(rim):
        return None
    heights = points @ up
    base = float(heights.min()) - SKIRT * float(np.linalg.norm(np.ptp(points, axis=0)))
    drop = (rim @ up - base)[..., None] * up
    quads = np.stack([rim[:, 0], rim[:, 0] - drop[:, 0], rim[:, 1] - drop[:, 1], rim[:, 1]], axis=1)
    normals = np.cross(rim[:, 1] - rim[:, 0], up)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    first = 4 * np.arange(len(quads))[:, None]
    return mesh(quads, np.repeat(normals, 4, axis=0), np.concatenate([first + (0, 1, 2), first + (0, 2, 3)], axis=1))


def wires(lines: NDArray[np.float64], radius: float) -> Mesh | None:
    """Lines (n, 2, 3) as thin square rods."""
    long = np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1) > 1e-12 if len(lines) else np.zeros(0, dtype=bool)
    vertices, normals, triangles = [], [], []
    for k, (a, b) in enumerate(lines[long]):
        frame = frame_about(b - a)
        ring = np.array([c * frame[:, 0] + s * frame[:, 1] for c, s in ((1, 0), (0, 1), (-1, 0), (0, -1))])
        vertices += [a + radius * ring, b + radius * ring]
        normals += [ring, ring]
        for i in range(4):
            j = (i + 1) % 4
            triangles += [(8 * k + i, 8 * k + j, 8 * k + 4 + j), (8 * k + i, 8 * k + 4 + j, 8 * k + 4 + i)]
    return mesh(np.concatenate(vertices), np.concatenate(normals), triangles) if vertices else None
