"""Capsules and boxes on a terrain, whole: with their ends or corners, and with what lies between these.

On a plane a capsule touches with its ends and a box with its corners (`contact_sets`). On a terrain a capsule may also lie
with its side across an edge or on a corner of the ground, and an edge of a box across an edge, a face on a corner. One contact
stands for all of them; it may touch in several places at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar

from locomotor.dataclass import dataclass
from locomotor.errors import NegativeLengthError
from locomotor.model.contacts.contact import EVERY_DIRECTION, NORMAL, Contact
from locomotor.model.contacts.law import ContactLaw
from locomotor.model.contacts.unilateral import Unilateral
from locomotor.model.expressions import QuantityLike, VectorLike, known


@dataclass(frozen=True)
class Solid(Contact):
    """Base: a body that touches a terrain with any part of its surface."""

    law: ContactLaw = field(default=Unilateral(), kw_only=True)


@dataclass(frozen=True)
class _Capsule(Solid):
    """What capsules share: all that lies within `radius` of the segment from `start` to `end`."""

    start: VectorLike
    end: VectorLike
    radius: QuantityLike
    POINTS: ClassVar[tuple[str, ...]] = ("start", "end")
    PLANE_SET: ClassVar[str] = "capsule_ends"

    def _read(self) -> None:
        self._read_vector("start")
        self._read_vector("end")
        self._read_quantity("radius")

    def _check(self, values: Mapping[str, float]) -> None:
        self._check_radius("radius", values)
        ends = [[known(number, values) for number in place] for place in (self.start, self.end)]
        if None not in ends[0] and ends[0] == ends[1]:
            raise NegativeLengthError(f"{self.label}: both ends are at {tuple(ends[0])}; use a sphere, or give it a length")


@dataclass(frozen=True)
class RollingCapsule(_Capsule):
    """A capsule on a `Terrain`, a `Bar` or a `Ball` that rolls without slipping: ends at `start` and `end` (m), `radius` (m).

    It touches faces with its ends, and edges and corners of the ground with its side as well.
    """

    BLOCKS: ClassVar[tuple[str, ...]] = EVERY_DIRECTION
    SMOOTH: ClassVar[str] = "SlidingCapsule"


@dataclass(frozen=True)
class SlidingCapsule(_Capsule):
    """A smooth capsule on a `Terrain`, a `Bar` or a `Ball`: it slides and spins freely there; fields as of `RollingCapsule`."""

    BLOCKS: ClassVar[tuple[str, ...]] = (NORMAL,)


@dataclass(frozen=True)
class _Box(Solid):
    """What boxes share: half sizes along the axes of the body, about `centre`."""

    half_sizes: VectorLike
    centre: VectorLike = (0.0, 0.0, 0.0)
    POINTS: ClassVar[tuple[str, ...]] = ("centre",)
    PLANE_SET: ClassVar[str] = "box_corners"

    @property
    def _may_resist(self) -> bool:
        return False

    @property
    def rolls(self) -> bool:
        """False: a box has edges, and stands on them."""
        return False

    def _read(self) -> None:
        self._read_vector("half_sizes")
        self._read_vector("centre")

    def _check(self, values: Mapping[str, float]) -> None:
        for axis, length in zip("xyz", self.half_sizes, strict=True):
            number = known(length, values)
            if number is not None and not number > 0.0:
                raise NegativeLengthError(
                    f"{self.label}: the half size along {axis} is {number!r} m{self._origin('half_sizes')}; it must be positive"
                )


@dataclass(frozen=True)
class StickingBox(_Box):
    """A box on a `Terrain` that sticks where it touches: `half_sizes` (m) along the axes of its body, about `centre` (m).

    Its corners touch faces, its edges cross edges of the ground, and its faces lie on corners of it.
    """

    BLOCKS: ClassVar[tuple[str, ...]] = EVERY_DIRECTION
    SMOOTH: ClassVar[str] = "SlidingBox"


@dataclass(frozen=True)
class SlidingBox(_Box):
    """A smooth box on a `Terrain`: `half_sizes` (m) along the axes of its body, about `centre` (m)."""

    BLOCKS: ClassVar[tuple[str, ...]] = (NORMAL,)
