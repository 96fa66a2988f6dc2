"""Shapes that touch: numbers in the frame of a body, made from contacts or given directly.

Every shape is a core (a point, a disc or a segment) and all that lies within a margin of it: a sphere is a point with
a margin, a tyre a disc with one, a capsule a segment with one. A disc is full, not a hoop: what it may touch with its
flat side counts. So is the wheel inside a tyre.
"""

from __future__ import annotations

from dataclasses import field
from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import AxisError, ContactKindError, NegativeLengthError, NonPositiveRadiusError, QuantityError
from locomotor.lie import SE3, ops
from locomotor.model import (
    Contact,
    RollingCapsule,
    RollingDisc,
    RollingEllipsoid,
    RollingSphere,
    RollingTorus,
    Skate,
    SlidingBox,
    SlidingCapsule,
    SlidingPoint,
    SlidingSphere,
    StickingBox,
    StickingPoint,
    evaluate,
)
from locomotor.typing import Floats, Values

FLAT_DISC = 1e-12
"""Sine of the angle between a disc and a plane below which its lowest point is any of its rim."""
X = np.array((1.0, 0.0, 0.0))
CAPSULE_SIDE = 2
"""Part of a capsule that is neither of its ends."""
BOX_EDGES, BOX_FACES = 8, 20
"""First edge and first face among the parts of a box."""


def _vector(value: Any, what: str) -> Floats:
    vector = np.array(value, dtype=float)
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise QuantityError(f"{what} is {value!r}; give three finite numbers")
    vector.flags.writeable = False
    return vector


def _unit(value: Any, what: str) -> Floats:
    vector = _vector(value, what)
    norm = float(np.linalg.norm(vector))
    if norm == 0.0:
        raise AxisError(f"{what} is the zero vector; give a direction such as (0.0, 1.0, 0.0)")
    return vector / norm


@dataclass(frozen=True, eq=False)
class Shape:
    """Base of all shapes; `centre` is in the frame of the body."""

    centre: Floats

    @property
    def size(self) -> float:
        """Radius of a ball about the centre that holds the shape."""
        raise ContactKindError(f"the shape {type(self).__name__} has no size; define `size` in its class")

    @property
    def margin(self) -> float:
        """How far it extends around its core."""
        return 0.0

    def centre_in(self, pose: SE3) -> Floats:
        """Centre in world coordinates, for the body at `pose`."""
        return np.asarray(pose.act(self.centre))

    def heading_in(self, pose: SE3, normal: Floats) -> Floats:
        """A vector whose part normal to `normal` is the first tangent of the contact frame."""
        return X if abs(normal[0]) < 0.9 else np.array((0.0, 1.0, 0.0))

    @property
    def parts(self) -> int:
        """How many parts it touches with, each for itself."""
        return 1

    def piece(self, part: int) -> Shape:
        """What one of its parts touches a plane with."""
        return self

    def lowest(self, normal: Floats, pose: SE3) -> Floats:
        """The point of the shape farthest against the unit `normal`, both in the world."""
        return self.centre_in(pose) + pose.rotation @ self.support(-(pose.rotation.T @ normal))

    def support(self, direction: Floats) -> Floats:
        """From the centre to the point farthest along the unit `direction`, in body axes."""
        raise ContactKindError(f"the shape {type(self).__name__} has no support; define `support` in its class")


@dataclass(frozen=True, eq=False)
class Oval(Shape):
    """An ellipsoid with semi-axes `half` along the axes of its body; on planes only."""

    half: Floats

    def __post_init__(self) -> None:
        _store(self, centre=_vector(self.centre, "the centre of an ellipsoid"), half=_vector(self.half, "its semi-axes"))

    @property
    def size(self) -> float:
        """Its largest semi-axis."""
        return float(self.half.max())

    def support(self, direction: Floats) -> Floats:
        """From the centre to the point farthest along the unit `direction`, in body axes."""
        return np.asarray(self.half**2 * direction / np.linalg.norm(self.half * direction))


@dataclass(frozen=True, eq=False)
class Ball(Shape):
    """A sphere, or a point where `radius` is zero; `heading` (body axes) is the first tangent of its contact frames."""

    radius: float = 0.0
    heading: Floats | None = None

    def __post_init__(self) -> None:
        _store(self, centre=_vector(self.centre, "the centre of a ball"), radius=float(self.radius))
        if self.radius < 0.0:
            raise NonPositiveRadiusError(f"the radius of a ball is {self.radius!r} m; it must be positive, or zero for a point")
        if self.heading is not None:
            _store(self, heading=_unit(self.heading, "the heading of a point"))

    @property
    def size(self) -> float:
        """Radius of the ball."""
        return self.radius

    @property
    def margin(self) -> float:
        """Thickness around the core: the radius."""
        return self.radius

    def heading_in(self, pose: SE3, normal: Floats) -> Floats:
        """The heading where there is one."""
        return super().heading_in(pose, normal) if self.heading is None else pose.rotation @ self.heading

    def support(self, direction: Floats) -> Floats:
        """From the centre to the point farthest along the unit `direction`, in body axes."""
        return self.radius * direction


@dataclass(frozen=True, eq=False)
class Disc(Shape):
    """A disc of `radius` normal to `axis`, and all that lies within `tube` of it: thin, or a wheel with a round tyre."""

    axis: Floats
    radius: float
    tube: float = 0.0

    def __post_init__(self) -> None:
        _store(self, centre=_vector(self.centre, "the centre of a disc"), axis=_unit(self.axis, "the axis of a disc"))
        _store(self, radius=float(self.radius), tube=float(self.tube))
        if not self.radius > 0.0:
            raise NonPositiveRadiusError(f"the radius of a disc is {self.radius!r} m; it must be positive")
        if not self.tube >= 0.0:
            raise NonPositiveRadiusError(f"the tube of a disc is {self.tube!r} m; it must be positive, or zero for a thin disc")

    @property
    def size(self) -> float:
        """Radius to the outside of the tyre."""
        return self.radius + self.tube

    @property
    def margin(self) -> float:
        """Thickness around the core: the radius of the tube."""
        return self.tube

    def axis_in(self, pose: SE3) -> Floats:
        """Axis in world coordinates, for the body at `pose`."""
        return np.asarray(pose.rotation @ self.axis)

    def heading_in(self, pose: SE3, normal: Floats) -> Floats:
        """The direction of rolling, axis x normal: forward for an axis to the left and a normal up."""
        along = ops.cross(self.axis_in(pose), normal)
        return along if float(along @ along) > FLAT_DISC**2 else super().heading_in(pose, normal)

    def support(self, direction: Floats) -> Floats:
        """From the centre to the point farthest along the unit `direction`, in body axes."""
        u = direction - (direction @ self.axis) * self.axis
        length = float(np.linalg.norm(u))
        u = u / length if length > FLAT_DISC else across(self.axis[None])[0]
        return self.radius * u + self.tube * direction


@dataclass(frozen=True, eq=False)
class Capsule(Shape):
    """All that lies within `radius` of the segment from `start` to `end`."""

    centre: Floats = field(init=False)
    start: Floats
    end: Floats
    radius: float

    def __post_init__(self) -> None:
        start, end = _vector(self.start, "the start of a capsule"), _vector(self.end, "the end of a capsule")
        _store(self, start=start, end=end, centre=0.5 * (start + end), radius=float(self.radius))
        if not self.radius > 0.0:
            raise NonPositiveRadiusError(f"the radius of a capsule is {self.radius!r} m; it must be positive")
        if not np.linalg.norm(end - start) > 0.0:
            raise NegativeLengthError("the ends of a capsule coincide; use a Ball")

    @property
    def size(self) -> float:
        """Half of the whole length."""
        return 0.5 * float(np.linalg.norm(self.end - self.start)) + self.radius

    @property
    def margin(self) -> float:
        """Thickness around the core: the radius."""
        return self.radius

    @property
    def parts(self) -> int:
        """Numbers of the parts: the ends, 0 and 1, and the side, 2."""
        return 3

    def piece(self, part: int) -> Shape:
        """The shape of one part: the ball of an end, or the capsule itself for its side."""
        return Ball((self.start, self.end)[part], self.radius) if part < CAPSULE_SIDE else self

    def axis_in(self, pose: SE3) -> Floats:
        """Unit vector from start to end in the world."""
        span = self.end - self.start
        return np.asarray(pose.rotation @ (span / np.linalg.norm(span)))

    def support(self, direction: Floats) -> Floats:
        """From the centre to the point farthest along the unit `direction`, in body axes."""
        half = 0.5 * (self.end - self.start)
        return (half if direction @ half > 0.0 else -half) + self.radius * direction


@dataclass(frozen=True, eq=False)
class Box(Shape):
    """A box of half-lengths `half` along the axes in the columns of `rotation`.

    Corners touch faces, edges cross edges, and faces lie on corners of the ground.
    """

    half: Floats
    rotation: Floats = field(default_factory=lambda: np.eye(3))

    def __post_init__(self) -> None:
        _store(self, centre=_vector(self.centre, "the centre of a box"), half=_vector(self.half, "the half-lengths of a box"))
        _store(self, rotation=np.array(self.rotation, dtype=float))
        if not (self.half > 0.0).all():
            raise NegativeLengthError(f"the half-lengths of a box are {self.half.tolist()} m; they must be positive")

    @property
    def size(self) -> float:
        """Half of the diagonal."""
        return float(np.linalg.norm(self.half))

    @property
    def parts(self) -> int:
        """Its corners, 0 to 7; its edges, 8 to 19; its faces, 20 to 25."""
        return 26

    def piece(self, part: int) -> Shape:
        """The shape of one part: the point of a corner, or the box itself for its edges and faces."""
        return Ball(self.corners[part]) if part < BOX_EDGES else self

    @property
    def corners(self) -> Floats:
        """8 x 3, in body axes; corner i has the signs of the bits of i, the highest for x."""
        signs = np.array([[1.0 if i & bit else -1.0 for bit in (4, 2, 1)] for i in range(8)])
        return self.centre + (signs * self.half) @ self.rotation.T

    def support(self, direction: Floats) -> Floats:
        """From the centre to the point farthest along the unit `direction`, in body axes."""
        corners = self.corners
        return corners[int((corners @ direction).argmax())] - self.centre


def across(axes: Floats) -> Floats:
    """Some unit vectors normal to unit vectors, row by row."""
    least = np.eye(3)[np.abs(axes).argmin(axis=1)]
    found = np.cross(axes, least)
    return found / np.linalg.norm(found, axis=1)[:, None]


def _store(shape: Shape, **attributes: Any) -> None:
    for name, value in attributes.items():
        object.__setattr__(shape, name, value)


# --- from contacts ------------------------------------------------------------------------------------------


@singledispatch
def shape_of(contact: Contact, values: Values | None = None) -> Shape:
    """The shape of a contact, with the values of the parameters in it."""
    raise ContactKindError(
        f"{contact.label}: nothing says which shape a {type(contact).__name__} has; register `shape_of` of locomotor.geometry "
        "for it"
    )


@shape_of.register
def _(contact: RollingDisc, values: Values | None = None) -> Shape:
    return Disc(*(evaluate(value, values or {}) for value in (contact.centre, contact.axis, contact.radius)))


@shape_of.register
def _(contact: RollingTorus, values: Values | None = None) -> Shape:
    return Disc(*(evaluate(value, values or {}) for value in (contact.centre, contact.axis, contact.radius, contact.tube)))


@shape_of.register(RollingSphere)
@shape_of.register(SlidingSphere)
def _(contact: RollingSphere | SlidingSphere, values: Values | None = None) -> Shape:
    return Ball(evaluate(contact.centre, values or {}), evaluate(contact.radius, values or {}))


@shape_of.register
def _(contact: RollingEllipsoid, values: Values | None = None) -> Shape:
    return Oval(evaluate(contact.centre, values or {}), evaluate(contact.half_axes, values or {}))


@shape_of.register(StickingPoint)
@shape_of.register(SlidingPoint)
def _(contact: StickingPoint | SlidingPoint, values: Values | None = None) -> Shape:
    return Ball(evaluate(contact.at, values or {}))


@shape_of.register
def _(contact: Skate, values: Values | None = None) -> Shape:
    return Ball(evaluate(contact.at, values or {}), heading=evaluate(contact.heading, values or {}))


@shape_of.register(RollingCapsule)
@shape_of.register(SlidingCapsule)
def _(contact: RollingCapsule | SlidingCapsule, values: Values | None = None) -> Shape:
    return Capsule(*(evaluate(value, values or {}) for value in (contact.start, contact.end, contact.radius)))


@shape_of.register(StickingBox)
@shape_of.register(SlidingBox)
def _(contact: StickingBox | SlidingBox, values: Values | None = None) -> Shape:
    return Box(evaluate(contact.centre, values or {}), evaluate(contact.half_sizes, values or {}))
