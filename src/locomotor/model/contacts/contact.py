"""Grounds and contacts: which part of a body touches which plane, and how it may move there.

Points, axes and headings are in the body's frame. A contact is declared by its geometry; `mechanics` derives
its velocity constraints. What a kind of contact is asked elsewhere is registered on its type, each in one place: `touch`
(`mechanics.constraints`), `shape_of` (`geometry`), and where they help `is_symmetric` (`mechanics.tree`), `supported`
(`mechanics.constraints`), `draw_contact` and `contact_lines` (`viewing`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar

import numpy as np

from locomotor.checks import shown
from locomotor.dataclass import dataclass
from locomotor.errors import ContactKindError, ContactLawError, NonPositiveRadiusError
from locomotor.model.contacts.law import ContactLaw, Persistent
from locomotor.model.contacts.law_checks import check_fields
from locomotor.model.description import Description, check_axis
from locomotor.model.expressions import QuantityLike, VectorLike, as_quantity, as_vector, known
from locomotor.names import WORLD

EVERY_DIRECTION = ("x", "y", "z")
"""Directions of a contact that rolls or sticks: all of them, in the axes of the reference body."""
NORMAL = "normal"
ROLLING = ("roll_1", "roll_2")
"""Names of the rows that block rolling: turning about two directions along the ground."""
SPIN = "spin"
"""Name of the row that blocks turning about the normal: the velocity is counted at the arm of friction, and so is a force."""


@dataclass(frozen=True)
class Plane(Description):
    """A plane of the world: unit `normal`, pointing to the free side, and any `point` (m) on it.

    A slope is a tilted normal, for instance `normal=("sin(slope)", 0, "cos(slope)")`. With a `body` it is a plane that this
    body carries, in its frame, and what touches it pushes that body: the top of a cart, endless like every plane.
    """

    name: str = "ground"
    normal: VectorLike = (0.0, 0.0, 1.0)
    point: VectorLike = (0.0, 0.0, 0.0)
    body: str = WORLD

    def __post_init__(self) -> None:
        self._read_name("a plane")
        self._read_references("body")
        self._store(
            normal=as_vector(self.normal, f"{self.label}: normal"),
            point=as_vector(self.point, f"{self.label}: point"),
        )
        self.check({})

    def _check(self, values: Mapping[str, float]) -> None:
        check_axis(self.normal, f"{self.label}: normal", values)


@dataclass(frozen=True)
class Contact(Description):
    """Base of all contacts: the `body` that touches and the `ground` it touches, by name, and the `law` it follows."""

    name: str
    body: str
    ground: str = field(default="ground", kw_only=True)
    law: ContactLaw = field(default=Persistent(), kw_only=True)
    of_solid: str = field(default="", kw_only=True, repr=False)
    """On planes a set of contacts may stand for a body: the kind of contact that does so on a terrain too."""
    BLOCKS: ClassVar[tuple[str, ...]] = ()
    """Names of the directions it blocks while it is closed: `EVERY_DIRECTION`, or "normal" and others along the ground."""
    SMOOTH: ClassVar[str] = ""
    """Of a kind that sticks or rolls: the kind of the same shape that slides, if there is one."""
    POINTS: ClassVar[tuple[str, ...]] = ()
    """Fields that are points of the body, the first where it touches or about which it is round: for soft bodies."""
    PLANE_SET: ClassVar[str] = ""
    """Of a kind that is for terrain only: what takes its place on a plane."""

    def __post_init__(self) -> None:
        if self.BLOCKS != EVERY_DIRECTION and self.BLOCKS.count(NORMAL) != 1:
            raise ContactKindError(
                f"contact {shown(self.name)}: its kind {type(self).__name__} blocks {self.BLOCKS!r}; define BLOCKS in it, "
                f"{EVERY_DIRECTION!r} if it rolls or sticks, or names with {NORMAL!r} among them"
            )
        self._read_name("a contact")
        self._read_references("body", "ground")
        self._read_texts("of_solid")
        if not isinstance(self.law, ContactLaw):
            raise ContactLawError(
                f"{self.label}: the law is {shown(self.law)}; give a ContactLaw: Persistent(), Unilateral(restitution=...), "
                "Adhesive(...), Grip(when), or one of your own"
            )
        if self.law.pivots and not self._may_pivot:
            raise ContactLawError(
                f"{self.label}: its law has a patch, and a {type(self).__name__} does not stick or roll; leave the patch out, "
                "or take a kind that does, such as RollingSphere or StickingPoint"
            )
        if self.law.resists and not self._may_resist:
            raise ContactLawError(
                f"{self.label}: its law has a rolling resistance, and a {type(self).__name__} does not roll; leave `rolling` "
                "out, or take a kind that does, such as RollingSphere"
            )
        if self.law.slips and self.slides and not self._may_pivot:
            raise ContactLawError(
                f"{self.label}: its law has a coefficient of friction, and a {type(self).__name__} slides freely whatever that "
                "is; leave `friction` out, or take a kind that rolls or sticks, such as RollingSphere or StickingPoint"
            )
        self._read()
        check_fields(self, self.label)
        self.law.check_answers(self.label, {})
        self.check({})

    @property
    def slides(self) -> bool:
        """Whether the contact blocks the normal direction only."""
        return self.BLOCKS == (NORMAL,)

    @property
    def _may_pivot(self) -> bool:
        """Whether friction may resist its turning."""
        return self.BLOCKS == EVERY_DIRECTION

    @property
    def _may_resist(self) -> bool:
        """Whether it may resist rolling: what rolls."""
        return self.BLOCKS == EVERY_DIRECTION and self.point is None

    @property
    def slips_one_way(self) -> bool:
        """Whether a slip of it has one line in its body, as that of a keel: it changes its sense, and turns with the body."""
        return len(self.BLOCKS) == 2

    @property
    def pivots(self) -> bool:
        """Whether friction resists its turning about the normal."""
        return self.law.pivots

    @property
    def blocks(self) -> tuple[str, ...]:
        """Directions that it blocks while closed as declared: those of its kind, and turning where its law does."""
        return (*self.BLOCKS, *((SPIN,) if self.pivots else ()), *(ROLLING if self.resists else ()))

    @property
    def resists(self) -> bool:
        """Whether it resists rolling."""
        return self.law.resists

    @property
    def rim(self) -> tuple[VectorLike, VectorLike] | None:
        """Of a wheel, on whose rim the contact point wanders: centre and unit axis."""
        return None

    @property
    def flat_side(self) -> tuple[VectorLike, QuantityLike, QuantityLike] | None:
        """Of what may come to lie on a round flat side: its centre, its radius, and how far it stands out from there (m)."""
        return None

    @property
    def lies_across(self) -> VectorLike | None:
        """Of a wheel while it lies on its flat side: its axis."""
        return None

    @property
    def point(self) -> VectorLike | None:
        """Of a contact that touches with one point of its body, whatever the pose: that point (m)."""
        return None

    @property
    def rolls(self) -> bool:
        """Whether the contact point wanders where it does not slip: it rolls; what touches with edges and points sticks."""
        return self.point is None

    @property
    def glides(self) -> VectorLike | None:
        """Of a contact that is free along one direction of its body: that direction, along which it cannot be struck."""
        return None

    @property
    def slip(self) -> tuple[VectorLike, QuantityLike] | None:
        """Of a contact while it slips: where to (world axes), and 1 where that is the direction itself; see `Slipping`."""
        return None

    @property
    def turns_about(self) -> VectorLike | None:
        """Of a contact while it may roll against a resistance: the direction (world axes) about which it turns."""
        return None

    def _read(self) -> None:
        """Read the fields of this kind of contact."""

    def _read_vector(self, name: str) -> None:
        self._store(**{name: as_vector(getattr(self, name), f"{self.label}: {name}")})

    def _read_quantity(self, name: str) -> None:
        self._store(**{name: as_quantity(getattr(self, name), f"{self.label}: {name}")})

    def _check_radius(self, name: str, values: Mapping[str, float]) -> None:
        radius = known(getattr(self, name), values)
        if radius is not None and not radius > 0.0:
            raise NonPositiveRadiusError(f"{self.label}: {name} is {radius!r} m{self._origin(name)}; it must be positive")


# --- rolling ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Wheel(Contact):
    """What wheels share: the circle of `radius` about `centre`, normal to the unit `axis`."""

    centre: VectorLike
    axis: VectorLike
    radius: QuantityLike
    BLOCKS: ClassVar[tuple[str, ...]] = EVERY_DIRECTION
    POINTS: ClassVar[tuple[str, ...]] = ("centre",)

    @property
    def rim(self) -> tuple[VectorLike, VectorLike] | None:
        """Centre and axis of its circle."""
        return self.centre, self.axis

    @property
    def flat_side(self) -> tuple[VectorLike, QuantityLike, QuantityLike] | None:
        """Centre and radius of its circle."""
        return self.centre, self.radius, 0.0

    def _read(self) -> None:
        self._read_vector("centre")
        self._read_vector("axis")
        self._read_quantity("radius")

    def _check(self, values: Mapping[str, float]) -> None:
        check_axis(self.axis, f"{self.label}: axis", values)
        self._check_radius("radius", values)


@dataclass(frozen=True)
class RollingDisc(_Wheel):
    """A thin disc that rolls without slipping: `centre` (m), unit `axis` and `radius` (m)."""


@dataclass(frozen=True)
class RollingTorus(_Wheel):
    """A wheel with a round tyre that rolls without slipping.

    The tyre is the set of points at distance `tube` (m) from the circle of `radius` (m) about `centre`,
    normal to `axis`: the wheel's outer radius is `radius + tube`.
    """

    tube: QuantityLike

    @property
    def flat_side(self) -> tuple[VectorLike, QuantityLike, QuantityLike] | None:
        """Centre, radius of its circle, and the tube around that."""
        return self.centre, self.radius, self.tube

    def _read(self) -> None:
        super()._read()
        self._read_quantity("tube")

    def _check(self, values: Mapping[str, float]) -> None:
        super()._check(values)
        self._check_radius("tube", values)


@dataclass(frozen=True)
class RollingSphere(Contact):
    """A sphere that rolls without slipping: `centre` (m) and `radius` (m)."""

    centre: VectorLike
    radius: QuantityLike
    BLOCKS: ClassVar[tuple[str, ...]] = EVERY_DIRECTION
    POINTS: ClassVar[tuple[str, ...]] = ("centre",)
    SMOOTH: ClassVar[str] = "SlidingSphere"

    def _read(self) -> None:
        self._read_vector("centre")
        self._read_quantity("radius")

    def _check(self, values: Mapping[str, float]) -> None:
        self._check_radius("radius", values)


@dataclass(frozen=True)
class RollingEllipsoid(Contact):
    """An ellipsoid that rolls without slipping: `centre` (m) and semi-axes `half_axes` (m) along the axes of its body."""

    centre: VectorLike
    half_axes: VectorLike
    BLOCKS: ClassVar[tuple[str, ...]] = EVERY_DIRECTION
    POINTS: ClassVar[tuple[str, ...]] = ("centre",)

    def _read(self) -> None:
        self._read_vector("centre")
        self._read_vector("half_axes")

    def _check(self, values: Mapping[str, float]) -> None:
        axes = known(self.half_axes, values)
        if axes is not None and not (np.asarray(axes, dtype=float) > 0.0).all():
            told = f"the semi-axes are {np.asarray(axes).tolist()} m{self._origin('half_axes')}"
            raise NonPositiveRadiusError(f"{self.label}: {told}; all must be positive")


@dataclass(frozen=True)
class SlidingSphere(Contact):
    """A smooth sphere: it stays on the ground and slides and spins freely there; `centre` (m) and `radius` (m)."""

    centre: VectorLike
    radius: QuantityLike
    BLOCKS: ClassVar[tuple[str, ...]] = (NORMAL,)
    POINTS: ClassVar[tuple[str, ...]] = ("centre",)

    def _read(self) -> None:
        self._read_vector("centre")
        self._read_quantity("radius")

    def _check(self, values: Mapping[str, float]) -> None:
        self._check_radius("radius", values)


# --- points -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Skate(Contact):
    """A knife edge at the point `at` (m): it stays on the ground and glides along the unit `heading` only."""

    at: VectorLike
    heading: VectorLike
    BLOCKS: ClassVar[tuple[str, ...]] = ("lateral", NORMAL)
    POINTS: ClassVar[tuple[str, ...]] = ("at",)

    @property
    def point(self) -> VectorLike | None:
        """The point of the body that touches."""
        return self.at

    @property
    def glides(self) -> VectorLike | None:
        """The direction along which the contact is free: its heading."""
        return self.heading

    def _read(self) -> None:
        self._read_vector("at")
        self._read_vector("heading")

    def _check(self, values: Mapping[str, float]) -> None:
        check_axis(self.heading, f"{self.label}: heading", values)


@dataclass(frozen=True)
class StickingPoint(Contact):
    """The point `at` (m) of the body stays where it touches the ground: its velocity is zero."""

    at: VectorLike
    BLOCKS: ClassVar[tuple[str, ...]] = EVERY_DIRECTION
    POINTS: ClassVar[tuple[str, ...]] = ("at",)
    SMOOTH: ClassVar[str] = "SlidingPoint"

    @property
    def point(self) -> VectorLike | None:
        """The point of the body that touches."""
        return self.at

    def _read(self) -> None:
        self._read_vector("at")


@dataclass(frozen=True)
class SlidingPoint(Contact):
    """The point `at` (m) of the body stays in the plane and slides freely: its normal velocity is zero."""

    at: VectorLike
    BLOCKS: ClassVar[tuple[str, ...]] = (NORMAL,)
    POINTS: ClassVar[tuple[str, ...]] = ("at",)

    @property
    def point(self) -> VectorLike | None:
        """The point of the body that touches."""
        return self.at

    def _read(self) -> None:
        self._read_vector("at")
