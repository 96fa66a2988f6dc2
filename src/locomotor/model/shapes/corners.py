"""The contacts of a shape: where a body that looks like this touches a plane."""

from __future__ import annotations

from functools import singledispatch
from itertools import product
from typing import Any

import numpy as np

from locomotor import checks
from locomotor.checks import shown
from locomotor.errors import ContactLawError, DescriptionTypeError, ShapeMassError
from locomotor.model.contacts import (
    Contact,
    ContactLaw,
    RollingDisc,
    RollingSphere,
    SlidingPoint,
    StickingPoint,
    Unilateral,
    capsule_ends,
)
from locomotor.model.description import Description
from locomotor.model.shapes.mesh_file import Mesh
from locomotor.model.shapes.shape import Box, Capsule, Cylinder, Plate, Shape, Sphere, Wheel
from locomotor.model.shapes.solid import add, apply_to, rotation_of
from locomotor.names import check_reference

MOST_POINTS = 64
"""Corners of a hull: every one is a contact that may open and close."""


@checks.fitting
def corners(
    body: Description,
    name: str = "",
    *,
    law: ContactLaw | None = None,
    kind: type[StickingPoint] | type[SlidingPoint] = StickingPoint,
    ground: str = "ground",
) -> tuple[Contact, ...]:
    """The contacts of what a body looks like, for a plane: `System(..., contacts=lm.corners(body))`.

    A box touches with its eight corners, a plate with those of its outline on both faces, a mesh with those of its convex hull,
    a capsule with its two ends, a cylinder with its two rims, a ball and a wheel as such. Contacts are named by `name` (the
    body's unless given) and a number where the body has several shapes; corners of a box by their signs along x, y and z, as
    `pmm`, in front, right, below. `law` is `Unilateral()` unless given, `kind` tells whether points stick or slide.
    """
    shapes = body.looks if isinstance(body, Description) else ()
    if not shapes:
        raise DescriptionTypeError(f"corners: {shown(body)} has no shapes; give a Body with shapes=, or one by Body.from_shape")
    if not isinstance(kind, type) or kind not in (StickingPoint, SlidingPoint):
        raise ContactLawError(f"corners: kind is {shown(kind)}; give StickingPoint or SlidingPoint")
    owner = str(body.name)  # type: ignore[attr-defined]
    check_reference(name, "corners: the name")
    options = {"body": owner, "law": Unilateral() if law is None else law, "ground": ground}
    first = name or owner
    names = [first] if len(shapes) == 1 else [f"{first}_{k}" for k in range(len(shapes))]
    return tuple(c for each, shape in zip(names, shapes, strict=True) for c in touching(shape, each, kind, options))


@singledispatch
def touching(shape: Shape, name: str, kind: Any, options: dict[str, Any]) -> tuple[Contact, ...]:
    """The contacts of one shape."""
    raise ShapeMassError(
        f"corners: a {type(shape).__name__} has no contacts of its own; take a Box, Plate, Capsule, Cylinder, Sphere, "
        "Wheel or Mesh"
    )


def _solid(kind: Any) -> str:
    """The solid to use on a terrain in place of points of a kind."""
    return "StickingBox" if kind is StickingPoint else "SlidingBox"


@touching.register
def _(shape: Box, name: str, kind: Any, options: dict[str, Any]) -> tuple[Contact, ...]:
    R = rotation_of(shape.rotation, shape)
    sides: Any = shape.size
    return tuple(
        kind(
            f"{name}_{''.join('p' if sign > 0 else 'm' for sign in signs)}",
            at=add(shape.at, apply_to(R, [0.5 * sign * size for sign, size in zip(signs, sides, strict=True)])),
            of_solid=_solid(kind),
            **options,
        )
        for signs in product((-1, 1), repeat=3)
    )


@touching.register
def _(shape: Plate, name: str, kind: Any, options: dict[str, Any]) -> tuple[Contact, ...]:
    R = rotation_of(shape.rotation, shape)
    outline: Any = shape.outline
    t: Any = shape.thickness
    return tuple(
        kind(
            f"{name}_{'p' if sign > 0 else 'm'}{k}",
            at=add(shape.at, apply_to(R, (x, y, 0.5 * sign * t))),
            of_solid=_solid(kind),
            **options,
        )
        for sign in (-1, 1)
        for k, (x, y) in enumerate(outline)
    )


@touching.register
def _(shape: Sphere, name: str, kind: Any, options: dict[str, Any]) -> tuple[Contact, ...]:
    return (RollingSphere(name, centre=shape.at, radius=shape.radius, **options),)


@touching.register
def _(shape: Capsule, name: str, kind: Any, options: dict[str, Any]) -> tuple[Contact, ...]:
    return capsule_ends(name, start=shape.start, end=shape.end, radius=shape.radius, **options)


@touching.register
def _(shape: Cylinder, name: str, kind: Any, options: dict[str, Any]) -> tuple[Contact, ...]:
    span = [b - a for a, b in zip(shape.start, shape.end, strict=True)]
    moving = [i for i in range(3) if not (isinstance(span[i], float) and span[i] == 0.0)]
    if len(moving) == 1:
        axis: tuple[float, ...] = tuple(float(i == moving[0]) for i in range(3))
    elif all(isinstance(x, float) for x in span):
        axis = tuple(float(x) for x in np.array(span) / np.linalg.norm(span))
    else:
        raise ShapeMassError("corners: the direction of a Cylinder depends on parameters; put it along an axis of its body")
    ends = (("start", shape.start), ("end", shape.end))
    shared = {"axis": axis, "radius": shape.radius, "of_solid": "RollingCapsule", **options}
    return tuple(RollingDisc(f"{name}_{which}", centre=at, **shared) for which, at in ends)


@touching.register
def _(shape: Wheel, name: str, kind: Any, options: dict[str, Any]) -> tuple[Contact, ...]:
    return (RollingDisc(name, centre=shape.at, axis=shape.axis, radius=shape.radius, **options),)


@touching.register
def _(shape: Mesh, name: str, kind: Any, options: dict[str, Any]) -> tuple[Contact, ...]:
    from scipy.spatial import ConvexHull

    points = np.unique(np.array(shape.vertices), axis=0)
    kept = points[ConvexHull(points).vertices]
    if len(kept) > MOST_POINTS:
        raise ShapeMassError(
            f"corners: the hull of {shape.label} {shape.file!r} has {len(kept)} corners, more than {MOST_POINTS}; put simple "
            "shapes around it, or give the contacts one by one"
        )
    R = rotation_of(shape.rotation, shape)
    s: Any = shape.scale
    return tuple(
        kind(
            f"{name}_{k}",
            at=add(shape.at, [s * x for x in apply_to(R, tuple(map(float, p)))]),
            of_solid=_solid(kind),
            **options,
        )
        for k, p in enumerate(kept)
    )
