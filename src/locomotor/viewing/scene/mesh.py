"""Triangle meshes of the few shapes that systems are drawn with; the page and the glTF file show the same ones.

Meshes are in metres and in the frame of their body. Whatever else is to be drawn later (a terrain, the skin of a soft
body) is a `Mesh` too and needs nothing new downstream.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from locomotor.dataclass import dataclass
from locomotor.typing import Vector

ROUND = 10
"""Sides of a thin tube."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """Vertices (n, 3), their unit normals (n, 3), and triangles as indices (m, 3), counter-clockwise from outside."""

    vertices: NDArray[np.float32]
    normals: NDArray[np.float32]
    triangles: NDArray[np.uint32]

    @property
    def bytes(self) -> int:
        """Size of the numbers of the mesh (bytes)."""
        return self.vertices.nbytes + self.normals.nbytes + self.triangles.nbytes


def mesh(vertices: ArrayLike, normals: ArrayLike, triangles: ArrayLike) -> Mesh:
    """A mesh from arrays of any kind."""
    return Mesh(
        np.ascontiguousarray(np.asarray(vertices, dtype=np.float32).reshape(-1, 3)),
        np.ascontiguousarray(np.asarray(normals, dtype=np.float32).reshape(-1, 3)),
        np.ascontiguousarray(np.asarray(triangles, dtype=np.uint32).reshape(-1, 3)),
    )


def merge(meshes: Iterable[Mesh]) -> Mesh:
    """Several meshes as one."""
    parts = list(meshes)
    shifts = np.cumsum([0] + [len(part.vertices) for part in parts])
    return mesh(
        np.concatenate([part.vertices for part in parts]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate([part.triangles + np.uint32(shift) for part, shift in zip(parts, shifts, strict=False)]),
    )


def frame_about(axis: ArrayLike) -> Vector:
    """Rotation matrix whose third column is the direction of the axis."""
    z = np.asarray(axis, dtype=float)
    z = z / np.linalg.norm(z)
    x = np.cross(np.eye(3)[int(np.abs(z).argmin())], z)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)


def moved(shape: Mesh, rotation: ArrayLike, position: ArrayLike) -> Mesh:
    """The mesh rotated, then shifted."""
    R = np.asarray(rotation, dtype=float)
    return mesh(shape.vertices @ R.T + np.asarray(position, dtype=float), shape.normals @ R.T, shape.triangles)


def copies(shape: Mesh, rotations: ArrayLike, centre: ArrayLike) -> Mesh:
    """The mesh once for each rotation (n, 3, 3), all about one point, as one."""
    R, c = np.asarray(rotations, dtype=float), np.asarray(centre, dtype=float)
    count = len(shape.vertices)
    shifts = count * np.arange(len(R), dtype=np.uint32)
    return mesh(
        np.einsum("nij,vj->nvi", R, shape.vertices - c) + c,
        np.einsum("nij,vj->nvi", R, shape.normals),
        shape.triangles[None] + shifts[:, None, None],
    )


def _turns(count: int) -> tuple[Vector, Vector]:
    angle = 2.0 * np.pi * np.arange(count + 1) / count
    return np.cos(angle), np.sin(angle)


def _grid(rows: int, columns: int) -> NDArray[np.uint32]:
    """Triangles of a (rows + 1) x (columns + 1) grid of vertices."""
    a = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).ravel()
    b = a + columns + 1
    return np.stack([a, b, a + 1, a + 1, b, b + 1], axis=-1).reshape(-1, 3).astype(np.uint32)


def _revolved(radius: Vector, height: Vector, normal: Vector, sides: int) -> Mesh:
    """Profile (radius, height) with normals (outward, upward), turned about z."""
    c, s = _turns(sides)
    rows = len(radius)
    vertices = np.stack([np.outer(radius, c), np.outer(radius, s), np.repeat(height[:, None], sides + 1, axis=1)], axis=-1)
    normals = np.stack(
        [np.outer(normal[:, 0], c), np.outer(normal[:, 0], s), np.repeat(normal[:, 1:], sides + 1, axis=1)], axis=-1
    )
    return mesh(vertices, normals, _grid(rows - 1, sides)[:, ::-1])


# -- shapes -------------------------------------------------------------------------------------------


def tube(start: ArrayLike, end: ArrayLike, radius: float, sides: int = ROUND) -> Mesh:
    """A cylinder with flat ends from one point to another."""
    a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    length = float(np.linalg.norm(b - a))
    profile = [(0.0, 0.0, 0.0, -1.0), (radius, 0.0, 0.0, -1.0), (radius, 0.0, 1.0, 0.0)]
    profile += [(radius, length, 1.0, 0.0), (radius, length, 0.0, 1.0), (0.0, length, 0.0, 1.0)]
    p = np.array(profile)
    return moved(_revolved(p[:, 0], p[:, 1], p[:, 2:], sides), frame_about(b - a), a)


def rod(start: ArrayLike, end: ArrayLike, radius: float) -> Mesh:
    """A tube with round ends."""
    return merge([tube(start, end, radius), ball(start, radius, rings=6, sides=ROUND), ball(end, radius, 6, ROUND)])


def ball(centre: ArrayLike, radius: float, rings: int = 16, sides: int = 24) -> Mesh:
    """A sphere."""
    polar = np.linspace(-0.5 * np.pi, 0.5 * np.pi, rings + 1)
    normal = np.stack([np.cos(polar), np.sin(polar)], axis=-1)
    return moved(_revolved(radius * normal[:, 0], radius * normal[:, 1], normal, sides), np.eye(3), centre)


def ellipsoid(centre: ArrayLike, axes: ArrayLike, half: ArrayLike, rings: int = 24, sides: int = 36) -> Mesh:
    """An ellipsoid with the columns of `axes` as principal directions and `half` as semi-axes."""
    unit = ball(np.zeros(3), 1.0, rings, sides)
    lengths = np.asarray(half, dtype=float)
    normals = unit.normals / lengths
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return moved(mesh(unit.vertices * lengths, normals, unit.triangles), axes, centre)


def octants(centre: ArrayLike, radius: float, even: bool, rings: int = 6) -> Mesh:
    """Four of the eight octants of a sphere, alternating: the two colours of a centre-of-mass mark."""
    parts = []
    for sx in (1, -1):
        for sy in (1, -1):
            for sz in (1, -1):
                if (sx * sy * sz > 0) is even:
                    parts.append(_octant(sx, sy, sz, rings))
    whole = merge(parts)
    return mesh(whole.vertices * radius + np.asarray(centre, dtype=float), whole.normals, whole.triangles)


def _octant(sx: int, sy: int, sz: int, rings: int) -> Mesh:
    polar, turn = np.meshgrid(*(np.linspace(0.0, 0.5 * np.pi, rings + 1),) * 2, indexing="ij")
    points = np.stack([sx * np.sin(polar) * np.cos(turn), sy * np.sin(polar) * np.sin(turn), sz * np.cos(polar)], axis=-1)
    triangles = _grid(rings, rings)
    return mesh(points, points, triangles if sx * sy * sz > 0 else triangles[:, ::-1])


def ring(centre: ArrayLike, axis: ArrayLike, radius: float, thickness: float, sides: int = 72, around: int = 12) -> Mesh:
    """A torus: the tube of radius `thickness` about the circle of `radius`."""
    c, s = _turns(around)
    normal = np.stack([c, s], axis=-1)
    shape = _revolved(radius + thickness * c, thickness * s, normal, sides)
    return moved(shape, frame_about(axis), centre)


def arc(centre: ArrayLike, axis: ArrayLike, radius: float, thickness: float, start: float, stop: float, steps: int = 8) -> Mesh:
    """Part of a torus, between two angles about the axis."""
    c, s = _turns(ROUND)
    angle = np.linspace(start, stop, steps + 1)
    outward = np.stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)], axis=-1)
    normals = c[None, :, None] * outward[:, None, :] + s[None, :, None] * np.array([0.0, 0.0, 1.0])
    vertices = radius * outward[:, None, :] + thickness * normals
    return moved(mesh(vertices, normals, _grid(steps, ROUND)), frame_about(axis), centre)


def skin(vertices: ArrayLike, triangles: ArrayLike) -> Mesh:
    """A surface of triangles with shared vertices, whose normals are the means of those around them, by area."""
    points, corners = np.asarray(vertices, dtype=float), np.asarray(triangles, dtype=np.int64)
    normals = np.zeros_like(points)
    np.add.at(normals, corners, _areas(points[corners])[:, None])
    return mesh(points, _unit(normals), corners)


def facets(shape: Mesh) -> Mesh:
    """Triangles of a mesh, each with vertices of its own, so that edges are sharp."""
    corners = shape.vertices[shape.triangles].astype(float)
    normals = np.repeat(_unit(_areas(corners)), 3, axis=0)
    return mesh(corners, normals, np.arange(3 * len(corners)))


def is_faceted(shape: Mesh) -> bool:
    """Whether every triangle has vertices of its own, with its own normal, as `facets` makes them."""
    n = len(shape.triangles)
    if len(shape.vertices) != 3 * n or not np.array_equal(shape.triangles.ravel(), np.arange(3 * n)):
        return False
    normals = shape.normals.reshape(n, 3, 3)
    # Of the tiniest triangles short numbers do not tell where they face.
    across = np.abs(_unit(_areas(shape.vertices.reshape(n, 3, 3).astype(float))) - normals[:, 0]).max(axis=1)
    return bool((normals == normals[:, :1]).all() and np.mean(across < 1e-2) > 0.95)


def welded(shape: Mesh) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """Vertices without repetition, and the triangles between them."""
    rows = np.ascontiguousarray(shape.vertices + np.float32(0.0)).view([("", np.float32)] * 3).ravel()
    _, first, place = np.unique(rows, return_index=True, return_inverse=True)
    return shape.vertices[first], place.ravel()[shape.triangles].astype(np.uint32)


def _areas(corners: Vector) -> Vector:
    """Normals of triangles (n, 3, 3), as long as twice their area."""
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 1])


def _unit(vectors: Vector) -> Vector:
    """Directions; that of a vector that vanishes (no area, or sides that cancel) is z."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(length > 1e-30, vectors / np.maximum(length, 1e-30), (0.0, 0.0, 1.0))


def ribbon(points: ArrayLike, normal: ArrayLike, half: float) -> Mesh:
    """A band along a path (n, 3), lying across a normal."""
    path, up = np.asarray(points, dtype=float), np.asarray(normal, dtype=float)
    side = np.cross(up, np.gradient(path, axis=0))
    length = np.linalg.norm(side, axis=1)
    moving = np.flatnonzero(length > 1e-9 * max(float(length.max()), 1e-300))
    # Where the point rests there is no direction: the nearest one before it serves.
    if len(moving):
        side = side[moving[np.maximum(np.searchsorted(moving, np.arange(len(path)), side="right") - 1, 0)]]
    else:
        side = np.tile(frame_about(up)[:, 0], (len(path), 1))
    side = half * side / np.linalg.norm(side, axis=1, keepdims=True)
    vertices = np.stack([path + side, path - side], axis=1)
    return mesh(vertices, np.tile(up, (2 * len(path), 1)), _grid(len(path) - 1, 1)[:, ::-1])


def slab(outline: ArrayLike, thickness: float, rotation: ArrayLike, position: ArrayLike) -> Mesh:
    """A convex outline (n, 2), counter-clockwise, in the plane x, y, made solid along z."""
    points = np.asarray(outline, dtype=float)
    n = len(points)
    fan = np.array([(0, i, i + 1) for i in range(1, n - 1)])
    top = np.column_stack([points, np.full(n, 0.5 * thickness)])
    bottom = top * (1.0, 1.0, -1.0)
    up = np.tile((0.0, 0.0, 1.0), (n, 1))
    caps = merge([mesh(top, up, fan), mesh(bottom, -up, fan[:, ::-1])])
    walls: list[Any] = []
    for i in range(n):
        j = (i + 1) % n
        edge = points[j] - points[i]
        out = np.array([edge[1], -edge[0], 0.0]) / np.linalg.norm(edge)
        corners = [bottom[i], bottom[j], top[j], top[i]]
        walls.append(mesh(corners, [out] * 4, [(0, 1, 2), (0, 2, 3)]))
    return moved(merge([caps, *walls]), rotation, position)
