"""Contacts that yield: a normal force that grows with the depth and depends on its rate. Smooth, without events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, ClassVar

from locomotor.checks import shown
from locomotor.dataclass import dataclass
from locomotor.errors import ContactLawError
from locomotor.model.contacts import Contact, RollingDisc, RollingSphere, SlidingPoint, Terrain
from locomotor.model.expressions import QuantityLike, VectorLike, as_vector, known
from locomotor.model.forces.force import Force
from locomotor.names import WORLD

DAMPING = ("hunt-crossley", "lankarani-nikravesh")
RANGES: tuple[tuple[str, str, Callable[[float], bool]], ...] = (
    ("stiffness", "positive", lambda value: value > 0.0),
    ("exponent", "at least 1", lambda value: value >= 1.0),
    ("restitution", "between 0 and 1", lambda value: 0.0 <= value <= 1.0),
    ("speed", "positive", lambda value: value > 0.0),
)


@dataclass(frozen=True)
class CompliantContact(Force):
    """A part of a body that presses against a plane: N = K d^n (1 + a d_dot), at depth d, never pulling, without friction.

    The part is a point `at` (m) of the body; with a `radius`, a sphere about it, and with an `axis` too, a thin disc.
    `stiffness` K (N/m^n) and `exponent` n are those of Hertz for two spheres: see `hertz_stiffness`. The damping a makes a
    body that arrives at the speed `speed` (m/s) leave at about `restitution` times it:

    - "hunt-crossley": a = 3 (1 - e)/(2 speed), Hunt and Crossley (1975), for e near 1;
    - "lankarani-nikravesh": a = 3 (1 - e²)/(4 speed), Lankarani and Nikravesh (1990).

    Both lose less than they should for small e: they are first approximations in 1 - e.
    """

    VECTORS: ClassVar[tuple[str, ...]] = ("at",)
    SCALARS: ClassVar[tuple[str, ...]] = ("stiffness", "radius", "exponent", "restitution", "speed")
    BODIES: ClassVar[tuple[str, ...]] = ("body",)
    GROUNDS: ClassVar[tuple[str, ...]] = ("ground",)

    name: str
    body: str
    at: VectorLike
    stiffness: QuantityLike
    radius: QuantityLike = 0.0
    axis: VectorLike | None = None
    ground: str = "ground"
    exponent: QuantityLike = 1.5
    damping: str = "hunt-crossley"
    restitution: QuantityLike = 1.0
    speed: QuantityLike = 1.0

    def __post_init__(self) -> None:
        """Read and check the fields of the description."""
        if not isinstance(self.damping, str) or self.damping not in DAMPING:
            raise ContactLawError(f"{self.label}: damping is {shown(self.damping)}; it must be one of {', '.join(DAMPING)}")
        if self.axis is not None:
            self._store(axis=as_vector(self.axis, f"{self.label}: axis"))
        super().__post_init__()

    def _check(self, values: Mapping[str, float]) -> None:
        for name, wanted, holds in RANGES:
            number = known(getattr(self, name), values)
            if number is not None and not holds(number):
                raise ContactLawError(f"{self.label}: {name} is {number!r}{self._origin(name)}; it must be {wanted}")
        if self.axis is not None and self.radius == 0.0:
            raise ContactLawError(f"{self.label}: an axis is given but no radius; a disc needs both")
        self.shape.check(values)

    def check_ground(self, ground: Any) -> None:
        """A plane of the world is all that it can press against."""
        if isinstance(ground, Terrain):
            raise ContactLawError(
                f"{self.label}: its ground {self.ground!r} is a Terrain; a contact that yields needs a Plane. Give the "
                "system a Plane beside the terrain, or use a contact with the law Unilateral()"
            )
        if ground.body != WORLD:
            raise ContactLawError(
                f"{self.label}: its ground {self.ground!r} is carried by the body {ground.body!r}; a contact that yields needs "
                "a Plane that stands still. Use a contact with the law Unilateral()"
            )

    @cached_property
    def shape(self) -> Contact:
        """What touches, as a contact of the same geometry."""
        if self.axis is not None:
            return RollingDisc(self.name, self.body, centre=self.at, axis=self.axis, radius=self.radius, ground=self.ground)
        if self.radius == 0.0:
            return SlidingPoint(self.name, self.body, at=self.at, ground=self.ground)
        return RollingSphere(self.name, self.body, centre=self.at, radius=self.radius, ground=self.ground)


def hertz_stiffness(
    radius: float, young: float, poisson: float, other_radius: float | None = None, other: tuple[float, float] | None = None
) -> float:
    """K of Hertz (N/m^1.5) for a sphere of `radius` (m), Young's modulus (Pa) and Poisson's ratio, on another or on a plane.

    K = 4/(3 (s1 + s2)) sqrt(R1 R2/(R1 + R2)), s = (1 - nu²)/E. `other_radius` is None for a plane; `other` are modulus and
    ratio of the other body, the same material by default.
    """
    s1 = (1.0 - poisson**2) / young
    s2 = s1 if other is None else (1.0 - other[1] ** 2) / other[0]
    reduced = radius if other_radius is None else radius * other_radius / (radius + other_radius)
    return 4.0 / (3.0 * (s1 + s2)) * reduced**0.5
