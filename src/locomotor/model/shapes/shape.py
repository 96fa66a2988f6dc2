"""Shapes: what is drawn of a body, in the frame of that body.

A shape is seen, and nothing more: it takes no part in the motion, and two systems that differ in shapes only are equal and
share compiled code. What a shape may tell the mechanics is asked for by name: `Body.from_shape`, `corners`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any, ClassVar

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import DescriptionTypeError, NegativeLengthError, NonPositiveRadiusError, QuantityError
from locomotor.model.description import Description, check_axis
from locomotor.model.expressions import (
    MatrixLike,
    QuantityLike,
    VectorLike,
    as_list,
    as_matrix,
    as_quantity,
    as_vector,
    evaluate,
    is_nested,
    known,
)
from locomotor.names import suggestion

COLOURS = (
    "body", "accent", "metal", "dark", "rubber", "light", "wood", "glass", "panel", "skin", "cloth", "fur", "foil", "water",
)  # fmt: skip
"""Roles that have a colour and a finish of their own; "body" is the colour that each body of a system gets in turn."""
HEX = re.compile(r"#[0-9a-fA-F]{6}")
ORIGIN = (0.0, 0.0, 0.0)
THICK_TYRE = 0.9
"""Largest radius of a tyre's tube as a share of the wheel's."""


@dataclass(frozen=True)
class Shape(Description):
    """Base of all shapes; `colour` is a role ("body", "metal", "rubber", "wood", ...) or a colour such as "#2f7fd1"."""

    colour: str = field(default="body", kw_only=True)
    LENGTHS: ClassVar[tuple[str, ...]] = ()
    """Fields that are positive lengths, or lists of them."""

    def __post_init__(self) -> None:
        self._read()
        checks.text(self.colour, f"{self.label}: colour", error=DescriptionTypeError)
        if self.colour not in COLOURS and not HEX.fullmatch(self.colour):
            raise DescriptionTypeError(
                f"{self.label}: the colour is {self.colour!r}; give six hexadecimal digits such as '#2f7fd1', or a role: "
                f"{suggestion(self.colour, COLOURS)}"
            )
        self.check({})

    def _read(self) -> None:
        """Read the fields of this kind of shape."""

    def _read_vectors(self, *names: str) -> None:
        for name in names:
            self._store(**{name: as_vector(getattr(self, name), f"{self.label}: {name}")})

    def _read_quantities(self, *names: str) -> None:
        for name in names:
            self._store(**{name: as_quantity(getattr(self, name), f"{self.label}: {name}")})

    def _read_rotation(self) -> None:
        rotation: Any = getattr(self, "rotation")  # noqa: B009
        reader = as_matrix if is_nested(rotation) else as_vector
        self._store(rotation=reader(rotation, f"{self.label}: rotation"))

    def _check(self, values: Mapping[str, float]) -> None:
        for name in self.LENGTHS:
            given = getattr(self, name)
            for length in given if isinstance(given, tuple) else (given,):
                number = known(length, values)
                if number is not None and not number > 0.0:
                    kind = NonPositiveRadiusError if name == "radius" else NegativeLengthError
                    raise kind(f"{self.label}: {name} is {number!r} m; it must be positive")


@dataclass(frozen=True)
class Box(Shape):
    """A box with sides `size` (m), its middle at `at` (m), turned by `rotation` (a matrix or a rotation vector)."""

    size: VectorLike
    at: VectorLike = ORIGIN
    rotation: MatrixLike | VectorLike = ORIGIN
    LENGTHS: ClassVar[tuple[str, ...]] = ("size",)

    def _read(self) -> None:
        self._read_vectors("size", "at")
        self._read_rotation()


@dataclass(frozen=True)
class Sphere(Shape):
    """A ball of `radius` (m) about `at` (m)."""

    radius: QuantityLike
    at: VectorLike = ORIGIN
    LENGTHS: ClassVar[tuple[str, ...]] = ("radius",)

    def _read(self) -> None:
        self._read_quantities("radius")
        self._read_vectors("at")


@dataclass(frozen=True)
class Ellipsoid(Shape):
    """An ellipsoid with `half_axes` (m) along its axes, about `at` (m), turned by `rotation`."""

    half_axes: VectorLike
    at: VectorLike = ORIGIN
    rotation: MatrixLike | VectorLike = ORIGIN
    LENGTHS: ClassVar[tuple[str, ...]] = ("half_axes",)

    def _read(self) -> None:
        self._read_vectors("half_axes", "at")
        self._read_rotation()


@dataclass(frozen=True)
class _Round(Shape):
    """What lies within `radius` (m) of the line from `start` to `end` (m), in one way or another."""

    start: VectorLike
    end: VectorLike
    radius: QuantityLike
    LENGTHS: ClassVar[tuple[str, ...]] = ("radius",)

    def _read(self) -> None:
        self._read_vectors("start", "end")
        self._read_quantities("radius")

    def _check(self, values: Mapping[str, float]) -> None:
        super()._check(values)
        ends = [known(place, values) for place in (self.start, self.end)]
        if all(end is not None for end in ends) and tuple(ends[0]) == tuple(ends[1]):
            raise NegativeLengthError(f"{self.label}: both ends are at {tuple(map(float, ends[0]))}; give it a length")


@dataclass(frozen=True)
class Cylinder(_Round):
    """A cylinder with flat ends at `start` and `end` (m), of `radius` (m)."""


@dataclass(frozen=True)
class Capsule(_Round):
    """All that lies within `radius` (m) of the line from `start` to `end` (m): a cylinder with round ends."""


@dataclass(frozen=True)
class Tube(Shape):
    """A round tube along `points` (m); one `radius` (m), or one for each point, so that it may taper.

    With `smooth` it follows a smooth curve through the points, instead of straight pieces.
    """

    points: Iterable[VectorLike]
    radius: QuantityLike | Iterable[QuantityLike]
    smooth: bool = False
    LENGTHS: ClassVar[tuple[str, ...]] = ("radius",)

    def _read(self) -> None:
        points = as_list(self.points)
        if points is None or len(points) < 2:
            raise QuantityError(
                f"{self.label}: points is {checks.shown(self.points)}; give at least two points of three numbers"
            )
        several = as_list(self.radius)
        if several is None:
            self._read_quantities("radius")
        elif len(several) != len(points):
            raise QuantityError(
                f"{self.label}: {len(points)} points have {len(several)} radii; give one, or one for each point"
            )
        else:
            self._store(radius=as_vector(several, f"{self.label}: radius", len(several)))
        self._store(points=tuple(as_vector(point, f"{self.label}: point {i}") for i, point in enumerate(points)))
        checks.flag(self.smooth, f"{self.label}: smooth", error=DescriptionTypeError)


@dataclass(frozen=True)
class Plate(Shape):
    """A flat `outline` of points (x, y) (m), counter-clockwise, of a `thickness` (m) along z; its middle is at `at` (m).

    The outline may have dents. `rotation` turns it: (pi/2, 0, 0) puts the outline's y along the z axis of the body.
    """

    outline: Iterable[Iterable[QuantityLike]]
    thickness: QuantityLike
    at: VectorLike = ORIGIN
    rotation: MatrixLike | VectorLike = ORIGIN
    LENGTHS: ClassVar[tuple[str, ...]] = ("thickness",)

    def _read(self) -> None:
        points = as_list(self.outline)
        if points is None or len(points) < 3:
            raise QuantityError(f"{self.label}: the outline is {checks.shown(self.outline)}; give at least three points (x, y)")
        self._store(outline=tuple(as_vector(point, f"{self.label}: point {i}", 2) for i, point in enumerate(points)))
        self._read_quantities("thickness")
        self._read_vectors("at")
        self._read_rotation()


@dataclass(frozen=True)
class Wheel(Shape):
    """A wheel with tyre, rim and spokes: outer `radius` (m), centre `at` (m), unit `axis`; `tyre` (m) is the tube's radius."""

    radius: QuantityLike
    at: VectorLike = ORIGIN
    axis: VectorLike = (0.0, 1.0, 0.0)
    tyre: QuantityLike | None = None
    LENGTHS: ClassVar[tuple[str, ...]] = ("radius",)

    def _read(self) -> None:
        self._read_quantities("radius")
        self._read_vectors("at", "axis")
        if self.tyre is not None:
            self._read_quantities("tyre")

    def _check(self, values: Mapping[str, float]) -> None:
        super()._check(values)
        check_axis(self.axis, f"{self.label}: axis", values)
        tyre, radius = (None if x is None else known(x, values) for x in (self.tyre, self.radius))
        if tyre is not None and radius is not None and not 0.0 < tyre <= THICK_TYRE * radius:
            raise NegativeLengthError(
                f"{self.label}: tyre is {tyre!r} m on a wheel of radius {float(evaluate(self.radius, values))!r} m; it must be "
                f"positive and at most {THICK_TYRE} of the radius"
            )


def read_shapes(value: Any, what: str) -> tuple[Shape, ...]:
    """Shapes from one, or from a list of them."""
    given = (value,) if isinstance(value, Shape) else checks.entries(value, what, "give a list of shapes", DescriptionTypeError)
    for shape in given:
        if not isinstance(shape, Shape):
            raise DescriptionTypeError(f"{what} holds {checks.shown(shape)}; each must be a Box, Cylinder, Capsule, Sphere, "
                                       "Ellipsoid, Tube, Plate, Wheel or Mesh")  # fmt: skip
    return given
