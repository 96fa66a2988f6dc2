"""The kinds of closures between two bodies: points that meet, axes that stay parallel, and what is made of these.

With d from the point of body_a to that of body_b, u the axis, and b, c across it, so that u, b, c are right-handed:
the conditions of each kind are said beside it. Rows that measure lengths have forces for multipliers, those that measure angles
couples; both are what body_a does to body_b.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import AxisError, ClosureError, NegativeLengthError
from locomotor.model.expressions import QuantityLike, VectorLike, known
from locomotor.model.loops.closure import ANGLE, LENGTH, SENSE, Closure

PERPENDICULAR = 1e-9

_ACROSS = (("across_b", LENGTH), ("across_c", LENGTH))
_ALIGNED = (("turn_b", ANGLE), ("turn_c", ANGLE))
_SENSE = (("sense", SENSE),)
_POINT = (("x", LENGTH), ("y", LENGTH), ("z", LENGTH))


@dataclass(frozen=True)
class SphericalClosure(Closure):
    """Two points meet: d = 0, in the axes of the nearest body that carries both (of the world where none does)."""

    ROWS: ClassVar[tuple[tuple[str, str], ...]] = _POINT


@dataclass(frozen=True)
class RodClosure(Closure):
    """Two points keep a distance: |d| = `length` (m), which may depend on t; the multiplier is a push along the rod."""

    ROWS: ClassVar[tuple[tuple[str, str], ...]] = (("length", LENGTH),)
    SCALARS: ClassVar[tuple[str, ...]] = ("length",)
    LAWS: ClassVar[tuple[str, ...]] = ("length",)

    length: QuantityLike = field(kw_only=True)

    def _check(self, values: Mapping[str, float]) -> None:
        length = known(self.length, values)
        if length is not None and not length > 0.0:
            raise NegativeLengthError(
                f"{self.label}: the length is {length!r} m{self._origin('length')}; give a positive one, or use "
                "SphericalClosure for points that meet"
            )


@dataclass(frozen=True)
class _Along(Closure):
    """With an axis fixed in each body."""

    UNIT_VECTORS: ClassVar[tuple[str, ...]] = ("axis_a", "axis_b")

    axis_a: VectorLike = field(kw_only=True)
    axis_b: VectorLike | None = field(default=None, kw_only=True)
    """The axis in body_b; by default it has the components of axis_a."""


@dataclass(frozen=True)
class PointOnPlane(Closure):
    """The point of body_b stays in a plane of body_a: axis_a . d = `offset` (m), which may depend on t."""

    ROWS: ClassVar[tuple[tuple[str, str], ...]] = (("normal", LENGTH),)
    UNIT_VECTORS: ClassVar[tuple[str, ...]] = ("axis_a",)
    SCALARS: ClassVar[tuple[str, ...]] = ("offset",)
    LAWS: ClassVar[tuple[str, ...]] = ("offset",)

    axis_a: VectorLike = field(kw_only=True)
    offset: QuantityLike = field(default=0.0, kw_only=True)


@dataclass(frozen=True)
class Orthogonal(_Along):
    """Two axes keep an angle: axis_a . axis_b = `cosine`, zero by default, which may depend on t.

    The multiplier is a couple about axis_b x axis_a, times the sine of the angle.
    """

    ROWS: ClassVar[tuple[tuple[str, str], ...]] = (("cosine", ANGLE),)
    SCALARS: ClassVar[tuple[str, ...]] = ("cosine",)
    LAWS: ClassVar[tuple[str, ...]] = ("cosine",)

    cosine: QuantityLike = field(default=0.0, kw_only=True)


@dataclass(frozen=True)
class Parallel(_Along):
    """Two axes stay parallel; multipliers are couples about b and c."""

    ROWS: ClassVar[tuple[tuple[str, str], ...]] = _ALIGNED


@dataclass(frozen=True)
class PlanarClosure(_Along):
    """Two planes stay on each other: u . d = 0, and u_a, u_b are parallel."""

    ROWS: ClassVar[tuple[tuple[str, str], ...]] = (("normal", LENGTH), *_ALIGNED)


@dataclass(frozen=True)
class PointOnLine(Closure):
    """The point of body_b stays on a line of body_a: b . d = c . d = 0."""

    ROWS: ClassVar[tuple[tuple[str, str], ...]] = _ACROSS
    UNIT_VECTORS: ClassVar[tuple[str, ...]] = ("axis_a",)

    axis_a: VectorLike = field(kw_only=True)


@dataclass(frozen=True)
class UniversalClosure(_Along):
    """Cardan's joint: two points meet, and axis_a, an arm of the cross fixed in body_a, is at a right angle to axis_b."""

    ROWS: ClassVar[tuple[tuple[str, str], ...]] = (*_POINT, ("cross", ANGLE))


@dataclass(frozen=True)
class RevoluteClosure(_Along):
    """A hinge: two points meet, and two axes stay parallel."""

    ROWS: ClassVar[tuple[tuple[str, str], ...]] = (*_POINT, *_ALIGNED)


@dataclass(frozen=True)
class CylindricalClosure(_Along):
    """A rod in a sleeve: the point of body_b stays on the axis of body_a, and the axes parallel."""

    ROWS: ClassVar[tuple[tuple[str, str], ...]] = (*_ACROSS, *_ALIGNED)


@dataclass(frozen=True)
class _Oriented(_Along):
    """With a direction across the axis as well, so that an angle about it is defined; it counts from across_a to across_b."""

    UNIT_VECTORS: ClassVar[tuple[str, ...]] = ("axis_a", "axis_b", "across_a", "across_b")

    across_a: VectorLike | None = field(default=None, kw_only=True)
    """Across axis_a; by default the same choice in both bodies, so that equal axes mean parallel frames."""
    across_b: VectorLike | None = field(default=None, kw_only=True)

    def _check(self, values: Mapping[str, float]) -> None:
        super()._check(values)
        for side in "ab":
            axis, across = known(getattr(self, f"axis_{side}"), values), getattr(self, f"across_{side}")
            if across is None or axis is None or known(across, values) is None:
                continue
            cosine = float(np.dot(axis, known(across, values)))
            if abs(cosine) > PERPENDICULAR:
                raise AxisError(
                    f"{self.label}: across_{side} is not at a right angle to axis_{side} (the cosine is {cosine:.3g}); give "
                    "a unit vector across the axis"
                )


@dataclass(frozen=True)
class PrismaticClosure(_Oriented):
    """A slide: a rod in a sleeve that does not turn."""

    ROWS: ClassVar[tuple[tuple[str, str], ...]] = (*_ACROSS, ("turn_u", ANGLE), *_ALIGNED)
    SENSES: ClassVar[tuple[tuple[str, str], ...]] = _SENSE


@dataclass(frozen=True)
class HelicalClosure(_Oriented):
    """A screw: a rod in a sleeve, with u . d = `pitch` (m/rad, positive right-handed) times the angle, up to whole turns.

    The multiplier of `thread` is the axial force; the couple about the axis is -pitch times it.
    """

    ROWS: ClassVar[tuple[tuple[str, str], ...]] = (("thread", LENGTH), *_ACROSS, *_ALIGNED)
    SCALARS: ClassVar[tuple[str, ...]] = ("pitch",)

    pitch: QuantityLike = field(kw_only=True)

    def _check(self, values: Mapping[str, float]) -> None:
        super()._check(values)
        if known(self.pitch, values) == 0.0:
            raise ClosureError(
                f"{self.label}: the pitch is 0 m/rad{self._origin('pitch')}; use RevoluteClosure, which is a screw without one"
            )


@dataclass(frozen=True)
class FixedClosure(_Oriented):
    """A weld: two points meet, and no turning is left."""

    axis_a: VectorLike = field(default=(1.0, 0.0, 0.0), kw_only=True)
    ROWS: ClassVar[tuple[tuple[str, str], ...]] = (*_POINT, ("turn_u", ANGLE), *_ALIGNED)
    SENSES: ClassVar[tuple[tuple[str, str], ...]] = _SENSE
