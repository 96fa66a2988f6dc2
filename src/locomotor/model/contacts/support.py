"""What a contact on a terrain rests on while it is closed: one edge or one corner, as a ground of its own.

A face is a `Plane`. Which faces, edges and corners are touched changes during a motion, so that points and directions here are
usually parameters, and one compiled model serves every face, edge or corner of a terrain. Positions are in metres, in world
axes, except where the body is named.

Rolling without slip on something sharp leaves little freedom. Let the contact point move by s along an edge of direction
e, and by r along the rim of a thin disc, of tangent u: the material point there then has the velocity s e - r u, and that is
zero only for s = r = 0 unless the rim runs along the edge. So the material point of a disc that touches an edge, and of any
body that touches a corner, is pinned as long as it does not slip, and the body turns about it. A round body (a sphere, a
tyre) on an edge can roll along it as on a rail. A smooth sphere slides on both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from locomotor.dataclass import dataclass
from locomotor.model.description import Description, check_axis
from locomotor.model.expressions import VectorLike, as_vector
from locomotor.names import WORLD


@dataclass(frozen=True)
class Support(Description):
    """Base: a sharp part of a terrain through `point`."""

    name: str
    point: VectorLike
    body: ClassVar[str] = WORLD
    """What carries it."""

    def __post_init__(self) -> None:
        self._read_name("a support")
        for name in (*self._places, *self._directions):
            self._store(**{name: as_vector(getattr(self, name), f"{self.label}: {name}")})
        self.check({})

    @property
    def _places(self) -> tuple[str, ...]:
        return ("point",)

    @property
    def _directions(self) -> tuple[str, ...]:
        return ()

    def _check(self, values: Mapping[str, float]) -> None:
        for name in self._directions:
            check_axis(getattr(self, name), f"{self.label}: {name}", values)


@dataclass(frozen=True)
class Ridge(Support):
    """An edge of unit `direction` that pins the rim of a thin disc, whose unit `tangent` there is fixed in the body.

    The normal is direction x tangent, normalised: the signs of both are such that it points into the disc.
    """

    direction: VectorLike
    tangent: VectorLike

    @property
    def _directions(self) -> tuple[str, ...]:
        return ("direction", "tangent")


@dataclass(frozen=True)
class Rim(Ridge):
    """A ridge over which the rim of a thin disc may slip: unit `axis` and `centre` of the disc are fixed in the body."""

    axis: VectorLike
    centre: VectorLike

    @property
    def _directions(self) -> tuple[str, ...]:
        return (*super()._directions, "axis")

    @property
    def _places(self) -> tuple[str, ...]:
        return ("point", "centre")


@dataclass(frozen=True)
class Tip(Support):
    """A corner that pins a point of a body; the unit normal `inward` is fixed in the body."""

    inward: VectorLike

    @property
    def _directions(self) -> tuple[str, ...]:
        return ("inward",)


@dataclass(frozen=True)
class Rail(Support):
    """An edge of unit `direction` along which a round body rolls.

    `towards` (unit, in world axes: the wheel may spin) points from the centre of a tyre to about where it touches, since its
    circle may be locally nearest to the edge at several places; it is of no account for a sphere.
    """

    direction: VectorLike
    towards: VectorLike

    @property
    def _directions(self) -> tuple[str, ...]:
        return ("direction", "towards")


@dataclass(frozen=True)
class Knob(Support):
    """A corner on which a smooth sphere slides: the normal points to its centre."""
