"""Grounds that a body carries: what others touch may move. A `Plane` with a `body` is one of them; here are round ones.

All points and directions are in the frame of the body that carries the ground. A contact declares what touches, as on the floor
of the world: `RollingSphere("touch", body="ball", ground="top", ...)` touches the ground "top" of another body, and the force
acts on both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar

import numpy as np

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import NegativeLengthError, NonPositiveRadiusError, QuantityError
from locomotor.model.contacts.kinks import kink
from locomotor.model.description import Description
from locomotor.model.expressions import Expression, QuantityLike, VectorLike, as_expression, as_quantity, as_vector, known


@dataclass(frozen=True)
class RoundGround(Description):
    """Base: the surface at a distance from a core (a point, a segment, a box) that the `body` carries."""

    name: str
    body: str

    def __post_init__(self) -> None:
        self._read_name("a ground")
        self._read_references("body")
        self._read()
        self.check({})

    def _read(self) -> None:
        """Read the fields of this kind of ground."""

    def _check_fit(self, label: str, radius: QuantityLike, values: Mapping[str, float]) -> None:
        """Refuse something round of this radius (m) that finds no room here, by the label of its contact."""

    def _check_room(self, label: str, radius: QuantityLike, values: Mapping[str, float]) -> None:
        """The same for a hollow of one radius."""
        room, wanted = known(self.radius, values), known(radius, values)  # type: ignore[attr-defined]  # hollow ones have one
        if room is not None and wanted is not None and not wanted < room:
            raise NonPositiveRadiusError(
                f"{label}: its radius is {wanted!r} m, and it does not fit inside {self.label}, whose radius is {room!r} m; "
                "give it a smaller one"
            )

    def _positive(self, name: str, values: Mapping[str, float], least_open: bool = True) -> None:
        number = known(getattr(self, name), values)
        if number is not None and not (number > 0.0 if least_open else number >= 0.0):
            wanted = "positive" if least_open else "zero or positive"
            raise NonPositiveRadiusError(f"{self.label}: {name} is {number!r} m{self._origin(name)}; it must be {wanted}")


@dataclass(frozen=True)
class Ball(RoundGround):
    """A sphere of a body as a ground for others: `centre` (m) and `radius` (m); with `inside` it is a hollow one, a bowl."""

    centre: VectorLike = field(default=(0.0, 0.0, 0.0), kw_only=True)
    radius: QuantityLike = field(kw_only=True)
    inside: bool = field(default=False, kw_only=True)

    def _read(self) -> None:
        self._store(
            centre=as_vector(self.centre, f"{self.label}: centre"),
            radius=as_quantity(self.radius, f"{self.label}: radius"),
            inside=checks.flag(self.inside, f"{self.label}: inside"),
        )

    def _check_fit(self, label: str, radius: QuantityLike, values: Mapping[str, float]) -> None:
        """Inside, what touches must be smaller."""
        if self.inside:
            self._check_room(label, radius, values)

    def _check(self, values: Mapping[str, float]) -> None:
        self._positive("radius", values)


@dataclass(frozen=True)
class Bar(RoundGround):
    """All within `radius` (m) of the segment from `start` to `end` (m) of a body, as a ground for others: a capsule.

    With `inside` it is a hollow one: a tube or a trough, closed by half spheres at its ends.
    """

    start: VectorLike = field(kw_only=True)
    end: VectorLike = field(kw_only=True)
    radius: QuantityLike = field(kw_only=True)
    inside: bool = field(default=False, kw_only=True)

    def _read(self) -> None:
        self._store(
            start=as_vector(self.start, f"{self.label}: start"),
            end=as_vector(self.end, f"{self.label}: end"),
            radius=as_quantity(self.radius, f"{self.label}: radius"),
            inside=checks.flag(self.inside, f"{self.label}: inside"),
        )

    def _check_fit(self, label: str, radius: QuantityLike, values: Mapping[str, float]) -> None:
        """Inside, what touches must be smaller."""
        if self.inside:
            self._check_room(label, radius, values)

    def _check(self, values: Mapping[str, float]) -> None:
        self._positive("radius", values)
        start, end = known(self.start, values), known(self.end, values)
        if start is not None and end is not None and np.array_equal(np.asarray(start), np.asarray(end)):
            raise NegativeLengthError(
                f"{self.label}: start and end are both {np.asarray(start).tolist()} m; use a Ball, or give it a length"
            )


@dataclass(frozen=True)
class Block(RoundGround):
    """A box along the axes of a body as a ground for spheres: `half_sizes` and `centre` (m).

    Its edges and corners are rounded off by `rounding` (m), inside its sizes. Points need some: a sharp edge and a point
    touch nowhere in particular.
    """

    half_sizes: VectorLike = field(kw_only=True)
    centre: VectorLike = field(default=(0.0, 0.0, 0.0), kw_only=True)
    rounding: QuantityLike = field(default=0.0, kw_only=True)

    def _read(self) -> None:
        self._store(
            half_sizes=as_vector(self.half_sizes, f"{self.label}: half_sizes"),
            centre=as_vector(self.centre, f"{self.label}: centre"),
            rounding=as_quantity(self.rounding, f"{self.label}: rounding"),
        )

    def _check(self, values: Mapping[str, float]) -> None:
        self._positive("rounding", values, least_open=False)
        sizes, rounding = known(self.half_sizes, values), known(self.rounding, values)
        if sizes is None:
            return
        smallest = float(np.asarray(sizes, dtype=float).min())
        if not smallest > 0.0:
            raise NegativeLengthError(f"{self.label}: half_sizes are {np.asarray(sizes).tolist()} m; all must be positive")
        if rounding is not None and not rounding <= smallest:
            raise NonPositiveRadiusError(
                f"{self.label}: rounding is {rounding!r} m{self._origin('rounding')}, more than its smallest half size "
                f"{smallest!r} m; it must fit inside"
            )


@dataclass(frozen=True)
class Surface(RoundGround):
    """A surface z = height(x, y) in the frame of a body or of the world, its free side above: a ground for spheres and points.

    `height` (m) is an expression of the place `x`, `y` (m) and of parameters, with two continuous derivatives:
    `Surface("bowl", "world", height="0.5*k*(x**2 + y**2)")`. Spheres must be rounder than its hollows, so that each touches it
    at one point. `extent` (m) is how far to each side of the origin it is drawn.
    """

    height: QuantityLike = field(kw_only=True)
    extent: float = field(default=1.0, kw_only=True)
    OWN_NAMES: ClassVar[Mapping[str, tuple[str, ...]]] = {"height": ("x", "y")}

    def _read(self) -> None:
        self._store(
            height=as_quantity(self.height, f"{self.label}: height"),
            extent=checks.positive(self.extent, f"{self.label}: extent", error=NonPositiveRadiusError),
        )

    def _check(self, values: Mapping[str, float]) -> None:
        with np.errstate(all="ignore"):
            at_origin = known(self.height, {**values, "x": 0.0, "y": 0.0})
        if at_origin is not None and not np.isfinite(at_origin):
            raise QuantityError(
                f"{self.label}: the height '{self.height}' is {float(at_origin)!r} at its origin; give a formula that has a "
                "value there"
            )
        place = None if at_origin is None else kink(self.law, values, self.extent)
        if place is not None:
            raise QuantityError(
                f"{self.label}: the height '{self.height}' has a kink at x = {place[0]:.4g} m, y = {place[1]:.4g} m, where a "
                "ball would strike; round it off, as sqrt(x**2 + 0.01**2) does with abs(x), or build a Terrain of flat parts"
            )

    @property
    def law(self) -> Expression:
        """The height as an expression."""
        return as_expression(self.height)  # type: ignore[arg-type]  # texts were parsed when it was built
