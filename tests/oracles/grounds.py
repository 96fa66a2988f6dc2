"""Grounds and poses that the tests of contact geometry share, and distances found by trying many points."""

from typing import Any

import numpy as np

from locomotor.geometry import Ball, Capsule, Disc, Shape, Surface
from locomotor.geometry.shapes import across
from locomotor.lie import SE3, SO3
from locomotor.model import Terrain

Array = Any


def at(x: float, y: float, z: float, *turns: tuple[float, float, float]) -> SE3:
    """A pose by position and rotation vectors, applied one after the other from the left."""
    R = np.eye(3)
    for turn in turns:
        R = R @ SO3.exp(np.array(turn, dtype=float)).matrix
    return SE3(R, np.array((x, y, z), dtype=float))


def strips(*segments: tuple[tuple[float, float], tuple[float, float]], width: float = 4.0) -> Terrain:
    """Rectangles over segments (x, z) to (x, z) of the plane y = 0, free on their left: a drawing in the plane made solid."""
    vertices: list[tuple[float, float, float]] = []
    triangles: list[tuple[int, int, int]] = []
    for (x0, z0), (x1, z1) in segments:
        n = len(vertices)
        half = 0.5 * width
        vertices += [(x0, -half, z0), (x1, -half, z1), (x1, half, z1), (x0, half, z0)]
        triangles += [(n, n + 1, n + 2), (n, n + 2, n + 3)]
    return Terrain("ground", vertices, triangles)


def pyramid(height: float = 1.0, half: float = 1.0, turn: float = 0.0) -> Terrain:
    """Four faces up to an apex at the origin, open below."""
    angles = turn + 0.5 * np.pi * np.arange(4)
    base = np.column_stack((half * np.cos(angles), half * np.sin(angles), np.full(4, -height)))
    return Terrain("ground", [(0.0, 0.0, 0.0), *base.tolist()], [(0, 1 + i, 1 + (i + 1) % 4) for i in range(4)])


def block(low: tuple[float, float, float], high: tuple[float, float, float]) -> Terrain:
    """A closed box, free outside."""
    corners = [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return Terrain("ground", corners, [t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))])


def rough(rng: np.random.Generator, n: int = 6, step: float = 0.5, height: float = 0.25) -> Terrain:
    """A square of random heights about the origin."""
    x = step * (np.arange(n) - 0.5 * (n - 1))
    return Terrain.heightfield(x, x, height * rng.normal(size=(n, n)))


def core_points(shape: Shape, pose: SE3, count: int) -> tuple[Array, float]:
    """Many points of the core of a shape, its boundary first of all, and its margin."""
    if isinstance(shape, Ball):
        return shape.centre_in(pose)[None], shape.radius
    if isinstance(shape, Capsule):
        u = np.linspace(0.0, 1.0, count)[:, None]
        start, end = pose.act(shape.start), pose.act(shape.end)
        return start + u * (end - start), shape.radius
    assert isinstance(shape, Disc)
    axis = shape.axis_in(pose)
    k = across(axis[None])[0]
    angle = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)[:, None]
    rim = np.cos(angle) * k + np.sin(angle) * np.cross(axis, k)
    # A sunflower fills the disc evenly.
    turn, out = 2.399963229728653 * np.arange(count)[:, None], np.sqrt((np.arange(count)[:, None] + 0.5) / count)
    inside = out * (np.cos(turn) * k + np.sin(turn) * np.cross(axis, k))
    return shape.centre_in(pose) + shape.radius * np.concatenate((rim, inside)), shape.tube


def distance_by_trial(surface: Surface, shape: Shape, pose: SE3, count: int = 1200) -> tuple[float, bool]:
    """Least distance of many points of the shape from the triangles, and whether that is seen from the free side."""
    points, margin = core_points(shape, pose, count)
    faces = surface.faces
    best, front = np.inf, True
    for number in range(len(faces.normal)):
        foot = _on_triangle(faces.corners[number], points)
        away = points - foot
        distance = np.linalg.norm(away, axis=1)
        i = int(distance.argmin())
        if distance[i] < best:
            best, front = float(distance[i]), bool(away[i] @ faces.normal[number] > 0.0)
    return best - margin, front


def _on_triangle(corners: Array, points: Array) -> Array:
    """Nearest points of one triangle, by barycentric coordinates or the nearest of its three sides."""
    a, b, c = corners
    u, v, w = b - a, c - a, points - a
    gram = np.array([[u @ u, u @ v], [u @ v, v @ v]])
    inside = np.linalg.solve(gram, np.stack((w @ u, w @ v)))
    found = a + inside.T @ np.stack((u, v))
    outside = (inside < 0.0).any(axis=0) | (inside.sum(axis=0) > 1.0)
    sides = []
    for p, q in ((a, b), (b, c), (c, a)):
        s = np.clip((points - p) @ (q - p) / ((q - p) @ (q - p)), 0.0, 1.0)[:, None]
        sides.append(p + s * (q - p))
    distances = np.stack([np.linalg.norm(points - side, axis=1) for side in sides])
    nearest = np.stack(sides)[distances.argmin(axis=0), np.arange(len(points))]
    return np.where(outside[:, None], nearest, found)
