"""Elements of MJCF as text."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from locomotor.model import COLOURS, Box, Capsule, Cylinder, Ellipsoid, Mesh, Shape, Sphere, Wheel, evaluate
from locomotor.robots.poses import matrix_of
from locomotor.robots.rotations import to_quaternion, turning_to
from locomotor.typing import Floats

GREY = "0.6 0.65 0.7 1"


def tag(kind: str, inside: Iterable[str] | None = None, /, **attributes: Any) -> str:
    """An element; attributes that are None are left out, numbers are written with all their digits."""
    words = [f" {key.rstrip('_')}={quoteattr(show(value))}" for key, value in attributes.items() if value is not None]
    head = f"<{kind}{''.join(words)}"
    if inside is None:
        return f"{head}/>"
    lines = [f"  {line}" for part in inside for line in part.splitlines()]
    return "\n".join([f"{head}>", *lines, f"</{kind}>"])


def show(value: Any) -> str:
    """A value as an attribute."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return " ".join(repr(float(x)).removesuffix(".0") for x in np.ravel(value))


def turn(R: Any) -> Any:
    """The quaternion of a rotation, or None for none at all."""
    matrix = np.asarray(R, dtype=float)
    return None if np.array_equal(matrix, np.eye(3)) else to_quaternion(matrix)


# --- shapes -----------------------------------------------------------------------------------------------------------


def geom(shape: Shape, values: dict[str, float], assets: dict[str, str], **more: Any) -> str | None:
    """A geom of a shape, or None for a kind that MJCF does not have; meshes are put among the assets."""
    found = _form(shape, values)
    if found is None:
        return None
    if isinstance(shape, Mesh):
        name = f"mesh_{len(assets)}"
        scale = float(evaluate(shape.scale, values))
        points = scale * np.array(shape.vertices, dtype=float)
        assets[name] = tag("mesh", name=name, vertex=points, face=" ".join(str(i) for row in shape.triangles for i in row))
        found["mesh"] = name
    colour = shape.colour
    rgba = GREY if colour in COLOURS else " ".join(str(round(int(colour[i : i + 2], 16) / 255, 4)) for i in (1, 3, 5)) + " 1"
    return tag("geom", **found, rgba=rgba, **more)


@singledispatch
def _form(shape: Shape, values: dict[str, float]) -> dict[str, Any] | None:
    return None


def _at(shape: Any, values: dict[str, float]) -> dict[str, Any]:
    at = _vector(shape.at, values)
    return {"pos": at if np.any(at) else None}


def _placed(shape: Any, values: dict[str, float]) -> dict[str, Any]:
    return {**_at(shape, values), "quat": turn(matrix_of(shape))}


def _vector(value: Any, values: dict[str, float]) -> Floats:
    return np.asarray(evaluate(value, values), dtype=float)


@_form.register
def _(shape: Box, values: dict[str, float]) -> dict[str, Any]:
    return {"type": "box", "size": 0.5 * _vector(shape.size, values), **_placed(shape, values)}


@_form.register
def _(shape: Sphere, values: dict[str, float]) -> dict[str, Any]:
    return {"type": "sphere", "size": evaluate(shape.radius, values), **_at(shape, values)}


@_form.register
def _(shape: Ellipsoid, values: dict[str, float]) -> dict[str, Any]:
    return {"type": "ellipsoid", "size": _vector(shape.half_axes, values), **_placed(shape, values)}


@_form.register(Capsule)
@_form.register(Cylinder)
def _(shape: Any, values: dict[str, float]) -> dict[str, Any]:
    ends = np.concatenate([_vector(shape.start, values), _vector(shape.end, values)])
    return {"type": type(shape).__name__.lower(), "size": evaluate(shape.radius, values), "fromto": ends}


@_form.register
def _(shape: Wheel, values: dict[str, float]) -> dict[str, Any]:
    radius = float(evaluate(shape.radius, values))
    R = turning_to(_vector(shape.axis, values))
    return {"type": "cylinder", "size": (radius, 0.05 * radius), "pos": _vector(shape.at, values), "quat": turn(R)}


@_form.register
def _(shape: Mesh, values: dict[str, float]) -> dict[str, Any]:
    return {"type": "mesh", **_placed(shape, values)}
