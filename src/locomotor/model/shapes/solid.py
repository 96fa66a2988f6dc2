"""Mass, centre and inertia of shapes of even density: closed forms, whose dimensions may be expressions of parameters.

Box, ellipsoid, cylinder: any handbook of mechanics. Capsule: a cylinder and two half balls, each with 83/320 m r² across about
its own centre, which lies 3 r/8 beyond the end. Plate: moments of a polygon by Green's theorem. Mesh: the integrals over
tetrahedra from the origin to every triangle, which trimesh computes (Eberly, Polyhedral Mass Properties, 2002).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from math import pi
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import MeshError, MissingExtraError, ShapeMassError
from locomotor.lie import SO3
from locomotor.model.expressions import Expression, Quantity, apply, free_names
from locomotor.model.shapes.mesh_file import Mesh
from locomotor.model.shapes.shape import Box, Capsule, Cylinder, Ellipsoid, Plate, Shape, Sphere

Vector = tuple[Any, ...]
Matrix = tuple[tuple[Any, ...], ...]
EYE: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True)
class Mass:
    """Mass (kg), centre (m) and inertia (kg m²) about that centre: numbers or expressions."""

    mass: Quantity
    com: Vector
    inertia: Matrix


@singledispatch
def mass_of(shape: Shape, density: Quantity) -> Mass:
    """Mass, centre and inertia of a shape of even density (kg/m³)."""
    raise ShapeMassError(
        f"{shape.label} is only drawn and has no mass of its own; take a Box, Cylinder, Capsule, Sphere, Ellipsoid, Plate or "
        "Mesh, or give mass= and inertia="
    )


@mass_of.register
def _(shape: Box, density: Quantity) -> Mass:
    size: Any = shape.size
    a, b, c = size
    m = density * (a * b * c)
    return Mass(
        m, tuple(shape.at), turned(tuple(m * (x**2 + y**2) / 12.0 for x, y in ((b, c), (a, c), (a, b))), shape.rotation, shape)
    )


@mass_of.register
def _(shape: Sphere, density: Quantity) -> Mass:
    r: Any = shape.radius
    m = density * (4.0 / 3.0 * pi * r**3)
    i = 0.4 * m * r**2
    return Mass(m, tuple(shape.at), diagonal((i, i, i)))


@mass_of.register
def _(shape: Ellipsoid, density: Quantity) -> Mass:
    half: Any = shape.half_axes
    a, b, c = half
    m = density * (4.0 / 3.0 * pi * (a * b * c))
    return Mass(
        m, tuple(shape.at), turned(tuple(m * (x**2 + y**2) / 5.0 for x, y in ((b, c), (a, c), (a, b))), shape.rotation, shape)
    )


@mass_of.register
def _(shape: Cylinder, density: Quantity) -> Mass:
    r: Any = shape.radius
    length, d, middle = _line(shape)
    m = density * (pi * r**2 * length)
    return Mass(m, middle, about(d, 0.5 * m * r**2, m * (3.0 * r**2 + length**2) / 12.0))


@mass_of.register
def _(shape: Capsule, density: Quantity) -> Mass:
    r: Any = shape.radius
    length, d, middle = _line(shape)
    tube, ends = density * (pi * r**2 * length), density * (4.0 / 3.0 * pi * r**3)
    along = 0.5 * tube * r**2 + 0.4 * ends * r**2
    across = tube * (3.0 * r**2 + length**2) / 12.0 + ends * (0.4 * r**2 + length**2 / 4.0 + 3.0 * length * r / 8.0)
    return Mass(tube + ends, middle, about(d, along, across))


@mass_of.register
def _(shape: Plate, density: Quantity) -> Mass:
    points: Any = shape.outline
    pairs = list(zip(points, (*points[1:], points[0]), strict=True))
    cross = [a[0] * b[1] - b[0] * a[1] for a, b in pairs]
    area = total([0.5 * c for c in cross])
    x = total([(a[0] + b[0]) * c for (a, b), c in zip(pairs, cross, strict=True)]) / (6.0 * area)
    y = total([(a[1] + b[1]) * c for (a, b), c in zip(pairs, cross, strict=True)]) / (6.0 * area)
    xx = total([(a[0] ** 2 + a[0] * b[0] + b[0] ** 2) * c for (a, b), c in zip(pairs, cross, strict=True)]) / 12.0
    yy = total([(a[1] ** 2 + a[1] * b[1] + b[1] ** 2) * c for (a, b), c in zip(pairs, cross, strict=True)]) / 12.0
    xy = total(
        [
            (a[0] * b[1] + 2.0 * a[0] * a[1] + 2.0 * b[0] * b[1] + b[0] * a[1]) * c
            for (a, b), c in zip(pairs, cross, strict=True)
        ]
    )
    t: Any = shape.thickness
    m = density * (area * t)
    # Second moments about the centre, for a unit of area, then those of the thickness.
    sxx, syy, sxy = xx / area - x**2, yy / area - y**2, xy / (24.0 * area) - x * y
    szz = t**2 / 12.0
    own = ((m * (syy + szz), -m * sxy, 0.0), (-m * sxy, m * (sxx + szz), 0.0), (0.0, 0.0, m * (sxx + syy)))
    R = rotation_of(shape.rotation, shape)
    return Mass(m, add(shape.at, apply_to(R, (x, y, 0.0))), sandwich(R, own))


@mass_of.register
def _(shape: Mesh, density: Quantity) -> Mass:
    volume, centre, inertia = _integrals(shape)
    s: Any = shape.scale
    R = rotation_of(shape.rotation, shape)
    com = add(shape.at, tuple(s * x for x in apply_to(R, centre)))
    return Mass(
        density * (volume * s**3),
        com,
        tuple(tuple(density * s**5 * entry for entry in row) for row in sandwich(R, inertia)),
    )


def _integrals(shape: Mesh) -> tuple[float, Vector, Matrix]:
    """Volume, centre and inertia about it, for a density of one and a scale of one."""
    try:
        import trimesh
    except ImportError as error:
        raise MissingExtraError(
            "the mass of a mesh needs the package trimesh, which is not installed; pip install 'locomotor[view]'"
        ) from error
    solid = trimesh.Trimesh(np.array(shape.vertices), np.array(shape.triangles))  # corners at one place become one
    if not solid.is_watertight:
        raise MeshError(
            f"{shape.label} {shape.file!r} is not closed, so that it has no volume; close its holes, or give the mass"
        )
    if solid.volume < 0.0:
        solid.invert()
    found = solid.mass_properties
    rows: Matrix = tuple(tuple(map(float, row)) for row in found.inertia)
    return float(found.volume), tuple(map(float, found.center_mass)), rows


def together(masses: Sequence[Mass]) -> Mass:
    """Several as one, by the theorem of Huygens and Steiner."""
    if len(masses) == 1:
        return masses[0]
    mass = total([part.mass for part in masses])
    com = tuple(total([part.mass * part.com[i] for part in masses]) / mass for i in range(3))
    rows: list[list[Any]] = [[0.0] * 3 for _ in range(3)]
    for part in masses:
        d = [part.com[i] - com[i] for i in range(3)]
        square = total([x**2 for x in d])
        for i in range(3):
            for j in range(3):
                rows[i][j] = rows[i][j] + part.inertia[i][j] + part.mass * ((square if i == j else 0.0) - d[i] * d[j])
    return Mass(mass, com, tuple(tuple(row) for row in rows))


# -- small algebra over numbers and expressions -----------------------------------------------------------------------


def total(terms: Sequence[Any]) -> Any:
    """Sum of numbers or expressions."""
    result: Any = 0.0
    for term in terms:
        result = result + term
    return result


def add(a: Any, b: Any) -> Vector:
    """The sum of two vectors."""
    return tuple(x + y for x, y in zip(a, b, strict=True))


def diagonal(entries: Sequence[Any]) -> Matrix:
    """A diagonal matrix."""
    return tuple(tuple(entries[i] if i == j else 0.0 for j in range(3)) for i in range(3))


def apply_to(R: Matrix, v: Sequence[Any]) -> Vector:
    """Product of a matrix and a vector, R v."""
    return tuple(total([R[i][k] * v[k] for k in range(3)]) for i in range(3))


def sandwich(R: Matrix, inner: Matrix) -> Matrix:
    """R I R^T; I itself where nothing turns."""
    if R == EYE:
        return inner
    half = [[total([R[i][k] * inner[k][j] for k in range(3)]) for j in range(3)] for i in range(3)]
    upper = {(i, j): total([half[i][k] * R[j][k] for k in range(3)]) for i in range(3) for j in range(i, 3)}
    return tuple(tuple(upper[min(i, j), max(i, j)] for j in range(3)) for i in range(3))


def turned(entries: Vector, rotation: Any, shape: Shape) -> Matrix:
    """A diagonal inertia in turned axes."""
    return sandwich(rotation_of(rotation, shape), diagonal(entries))


def about(d: Vector, along: Any, across: Any) -> Matrix:
    """The inertia of a body of revolution about the unit vector d."""
    exact = [i for i in range(3) if not isinstance(d[i], Expression) and abs(d[i]) == 1.0]
    if exact:
        return diagonal([along if i == exact[0] else across for i in range(3)])
    return tuple(
        tuple((across if i == j else 0.0) + (along - across) * (d[min(i, j)] * d[max(i, j)]) for j in range(3))
        for i in range(3)
    )


def _line(shape: Cylinder | Capsule) -> tuple[Any, Vector, Vector]:
    """Length, direction and middle of the line between two points."""
    a, b = tuple(shape.start), tuple(shape.end)
    span = [y - x for x, y in zip(a, b, strict=True)]
    middle = tuple(0.5 * (x + y) for x, y in zip(a, b, strict=True))
    moving = [i for i in range(3) if isinstance(span[i], Expression) or span[i] != 0.0]
    if len(moving) == 1:  # along a coordinate axis: no root, and the sign does not matter but for the length
        i = moving[0]
        length: Any = apply("abs", span[i]) if isinstance(span[i], Expression) else abs(span[i])
        return length, tuple(1.0 if k == i else 0.0 for k in range(3)), middle
    square = total([x**2 for x in span])
    length = apply("sqrt", square) if isinstance(square, Expression) else float(np.sqrt(square))
    return length, tuple(x / length for x in span), middle


def rotation_of(rotation: Any, shape: Shape) -> Matrix:
    """The matrix of a rotation, entries numbers or expressions."""
    if isinstance(rotation[0], tuple):
        return tuple(tuple(row) for row in rotation)
    if not free_names(rotation):
        if not any(rotation):
            return EYE
        exact = SO3.exp(np.array(rotation, dtype=float)).matrix
        return tuple(tuple(float(round(x)) if abs(x - round(x)) < 1e-15 else float(x) for x in row) for row in exact)
    given = [i for i in range(3) if isinstance(rotation[i], Expression) or rotation[i] != 0.0]
    if len(given) > 1:
        raise ShapeMassError(
            f"{shape.label}: its rotation depends on parameters about several axes; give the three rows of its matrix instead"
        )
    i, j, k = given[0], (given[0] + 1) % 3, (given[0] + 2) % 3
    c, s = apply("cos", rotation[i]), apply("sin", rotation[i])
    rows: list[list[Any]] = [[0.0] * 3 for _ in range(3)]
    rows[i][i], rows[j][j], rows[k][k], rows[j][k], rows[k][j] = 1.0, c, c, -s, s
    return tuple(tuple(row) for row in rows)
