"""How one kind of declared shape is drawn: functions registered on the types of `locomotor.model`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.lie import SO3
from locomotor.model import COLOURS, Box, Capsule, Cylinder, Ellipsoid, Mesh, Plate, Shape, Sphere, Tube, Wheel
from locomotor.typing import Values, Vector
from locomotor.viewing.scene import mesh as meshes
from locomotor.viewing.scene.drawing import Part, draw_wheel, numbers
from locomotor.viewing.scene.forms import block, capsule, plate, sweep

PAINT = "paint"
"""The role of a part whose colour is given as such."""
SMALLEST = 1e-9
"""Lengths (m) below which nothing is drawn: a slider may bring a dimension to zero."""


def draw_shapes(shapes: Iterable[Shape], values: Values) -> list[Part]:
    """Parts of all shapes, in the frame of their body; what has one colour is one part. What has no size is left out."""
    found: dict[tuple[str, str], list[meshes.Mesh]] = {}
    for shape in shapes:
        with np.errstate(all="ignore"):
            for part in draw_shape(shape, values):
                if np.isfinite(part.mesh.vertices).all() and np.isfinite(part.mesh.normals).all():
                    found.setdefault((part.role, part.colour), []).append(part.mesh)
    return [Part(role, meshes.merge(several), colour) for (role, colour), several in found.items()]


@singledispatch
def draw_shape(shape: Shape, values: Values) -> list[Part]:
    """Parts of a shape; none for a kind that has no drawing."""
    return []


def _part(shape: Shape, drawn: meshes.Mesh | None) -> list[Part]:
    if drawn is None:
        return []
    return [Part(shape.colour, drawn)] if shape.colour in COLOURS else [Part(PAINT, drawn, shape.colour)]


def _turn(rotation: Any, values: Values) -> Vector:
    given = numbers(rotation, values)
    return given if given.ndim == 2 else np.asarray(SO3.exp(given).matrix, dtype=float)


def _sized(*lengths: Any) -> bool:
    return all(bool((np.asarray(length) > SMALLEST).all()) for length in lengths)


@draw_shape.register
def _(shape: Box, values: Values) -> list[Part]:
    size = numbers(shape.size, values)
    if not _sized(size):
        return []
    return _part(shape, meshes.moved(block(size), _turn(shape.rotation, values), numbers(shape.at, values)))


@draw_shape.register
def _(shape: Sphere, values: Values) -> list[Part]:
    radius = float(numbers(shape.radius, values))
    return _part(shape, meshes.ball(numbers(shape.at, values), radius, 20, 32)) if _sized(radius) else []


@draw_shape.register
def _(shape: Ellipsoid, values: Values) -> list[Part]:
    half = numbers(shape.half_axes, values)
    if not _sized(half):
        return []
    return _part(shape, meshes.ellipsoid(numbers(shape.at, values), _turn(shape.rotation, values), half))


@draw_shape.register(Cylinder)
@draw_shape.register(Capsule)
def _(shape: Cylinder | Capsule, values: Values) -> list[Part]:
    start, end, radius = numbers(shape.start, values), numbers(shape.end, values), float(numbers(shape.radius, values))
    if not _sized(radius, np.linalg.norm(end - start)):
        return []
    return _part(shape, capsule(start, end, radius) if isinstance(shape, Capsule) else meshes.tube(start, end, radius, 32))


@draw_shape.register
def _(shape: Tube, values: Values) -> list[Part]:
    points = numbers(shape.points, values)
    radii = np.broadcast_to(numbers(shape.radius, values), len(points))
    if not _sized(radii, np.ptp(points, axis=0).max()):
        return []
    return _part(shape, sweep(points, radii, shape.smooth))


@draw_shape.register
def _(shape: Plate, values: Values) -> list[Part]:
    thickness = float(numbers(shape.thickness, values))
    if not _sized(thickness):
        return []
    outline = np.array([numbers(point, values) for point in shape.outline])
    return _part(shape, plate(outline, thickness, _turn(shape.rotation, values), numbers(shape.at, values)))


@draw_shape.register
def _(shape: Wheel, values: Values) -> list[Part]:
    radius = float(numbers(shape.radius, values))
    tyre = 0.028 * radius if shape.tyre is None else float(numbers(shape.tyre, values))
    if not _sized(radius, tyre, radius - tyre):
        return []
    return draw_wheel(numbers(shape.at, values), numbers(shape.axis, values), radius - tyre, tyre)


@draw_shape.register
def _(shape: Mesh, values: Values) -> list[Part]:
    scale = float(numbers(shape.scale, values))
    if not _sized(scale):
        return []
    drawn = meshes.facets(meshes.skin(scale * np.array(shape.vertices), np.array(shape.triangles)))
    return _part(shape, meshes.moved(drawn, _turn(shape.rotation, values), numbers(shape.at, values)))
