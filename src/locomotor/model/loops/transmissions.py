"""Closures that pass turning on: gears on a carrier, belts, rack and pinion, and round bodies that roll on each other.

What rolls is a condition on velocities: where one tooth began is not remembered. Rates are those relative to the carrier.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar

from locomotor.dataclass import dataclass
from locomotor.errors import ClosureError, NonPositiveRadiusError
from locomotor.model.expressions import QuantityLike, VectorLike, known
from locomotor.model.loops.closure import ANGLE, LENGTH, Closure


def _check_radii(closure: Belt | _RollsOn, values: Mapping[str, float]) -> None:
    """Refuse a radius that is known not to be positive."""
    for name in ("radius_a", "radius_b"):
        radius = known(getattr(closure, name), values)
        if radius is not None and not radius > 0.0:
            origin = closure._origin(name)
            raise NonPositiveRadiusError(f"{closure.label}: {name} is {radius!r} m{origin}; give a positive one")


@dataclass(frozen=True)
class _OnCarrier(Closure):
    """Two wheels that turn about axes of a carrier: the frame of a gearbox, the arm of a planet, the world."""

    BODIES: ClassVar[tuple[str, ...]] = ("body_a", "body_b", "carrier")
    UNIT_VECTORS: ClassVar[tuple[str, ...]] = ("axis_a", "axis_b")
    HOLONOMIC: ClassVar[bool] = False

    axis_a: VectorLike = field(kw_only=True)
    """Axis of the first wheel, in the carrier."""
    axis_b: VectorLike | None = field(default=None, kw_only=True)
    """Axis of the second, in the carrier; as the first unless given."""
    carrier: str = field(default="world", kw_only=True)


@dataclass(frozen=True)
class Gear(_OnCarrier):
    """rate_b = `ratio` rate_a: negative for wheels that mesh from outside, about parallel axes.

    The multiplier is the couple (N m) on body_b about its axis; -ratio times it acts on body_a, the rest on the carrier.
    """

    ROWS: ClassVar[tuple[tuple[str, str], ...]] = (("mesh", ANGLE),)
    SCALARS: ClassVar[tuple[str, ...]] = ("ratio",)

    ratio: QuantityLike = field(kw_only=True)

    def _check(self, values: Mapping[str, float]) -> None:
        super()._check(values)
        if known(self.ratio, values) == 0.0:
            raise ClosureError(
                f"{self.label}: the ratio is 0{self._origin('ratio')}; give the rate of body_b for one of body_a"
            )


@dataclass(frozen=True)
class Belt(_OnCarrier):
    """radius_b rate_b = radius_a rate_a, with the opposite sign where the belt is `crossed`; it does not slip or stretch.

    The multiplier is the difference of the tensions of its two sides (N): positive where it drives body_b forward.
    """

    ROWS: ClassVar[tuple[tuple[str, str], ...]] = (("belt", LENGTH),)
    SCALARS: ClassVar[tuple[str, ...]] = ("radius_a", "radius_b")

    radius_a: QuantityLike = field(kw_only=True)
    radius_b: QuantityLike = field(kw_only=True)
    crossed: bool = field(default=False, kw_only=True)

    def _check(self, values: Mapping[str, float]) -> None:
        super()._check(values)
        _check_radii(self, values)


@dataclass(frozen=True)
class RackAndPinion(Closure):
    """The point of body_b, a pinion, goes along axis_a of body_a, a rack, by `radius` (m) for each radian about axis_b.

    The multiplier is the force (N) of the rack on the pinion along axis_a; a negative radius is the other side of the rack.
    """

    ROWS: ClassVar[tuple[tuple[str, str], ...]] = (("mesh", LENGTH),)
    UNIT_VECTORS: ClassVar[tuple[str, ...]] = ("axis_a", "axis_b")
    SCALARS: ClassVar[tuple[str, ...]] = ("radius",)
    HOLONOMIC: ClassVar[bool] = False

    axis_a: VectorLike = field(kw_only=True)
    axis_b: VectorLike = field(kw_only=True)
    radius: QuantityLike = field(kw_only=True)

    def _check(self, values: Mapping[str, float]) -> None:
        super()._check(values)
        if known(self.radius, values) == 0.0:
            raise NonPositiveRadiusError(f"{self.label}: the radius is 0 m{self._origin('radius')}; give another")


@dataclass(frozen=True)
class _RollsOn(Closure):
    """Something round of body_b that rolls on something round of body_a, or `inside` it."""

    SCALARS: ClassVar[tuple[str, ...]] = ("radius_a", "radius_b")

    radius_a: QuantityLike = field(kw_only=True)
    radius_b: QuantityLike = field(kw_only=True)
    inside: bool = field(default=False, kw_only=True)

    def _check(self, values: Mapping[str, float]) -> None:
        super()._check(values)
        _check_radii(self, values)
        a, b = known(self.radius_a, values), known(self.radius_b, values)
        if self.inside and a is not None and b is not None and not a > b:
            raise ClosureError(f"{self.label}: what has {b!r} m does not fit inside {a!r} m; give a smaller radius_b")


@dataclass(frozen=True)
class RollingSpheres(_RollsOn):
    """A sphere of body_b about at_b rolls on one of body_a about at_a: on it, or `inside` it (a ball in a shell).

    Rows are the velocity of the two material points where they touch, one relative to the other; multipliers are the force of
    body_a on body_b, in the axes of the nearest body that carries both.
    """

    ROWS: ClassVar[tuple[tuple[str, str], ...]] = (("x", LENGTH), ("y", LENGTH), ("z", LENGTH))
    POSITIONS: ClassVar[tuple[tuple[str, str], ...]] = (("gap", LENGTH),)
    HOLONOMIC: ClassVar[bool] = False


@dataclass(frozen=True)
class RollingCylinders(_RollsOn):
    """A disc or cylinder of body_b rolls on one of body_a, or `inside` it, about parallel axes: disc on disc, wheel in a ring.

    Axes are kept parallel by other joints. The row `normal` is the distance of the axes, its multiplier the force that pushes
    them apart; `roll` is the rolling, its multiplier the force on body_b along axis_a x normal.
    """

    ROWS: ClassVar[tuple[tuple[str, str], ...]] = (("normal", LENGTH), ("roll", LENGTH))
    UNIT_VECTORS: ClassVar[tuple[str, ...]] = ("axis_a",)
    VELOCITIES: ClassVar[tuple[str, ...]] = ("roll",)

    axis_a: VectorLike = field(kw_only=True)
