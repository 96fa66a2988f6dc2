"""Forces: gravity, springs, dampers and laws given by expressions.

Laws are expressions over `t`, coordinates, velocities, inputs and parameters; every other value depends on
parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from locomotor.checks import shown
from locomotor.dataclass import dataclass
from locomotor.errors import NegativeLengthError, UnknownFrameError
from locomotor.model.description import Description
from locomotor.model.expressions import QuantityLike, VectorLike, as_quantity, as_vector, known
from locomotor.model.joint import Spherical
from locomotor.names import WORLD, suggestion

FRAMES = (WORLD, "body")


class Force(Description):
    """Base of all forces. The class attributes tell the role of each field of a kind of force."""

    name: str
    VECTORS: ClassVar[tuple[str, ...]] = ()
    """Fields of three quantities."""
    SCALARS: ClassVar[tuple[str, ...]] = ()
    """Fields of one quantity."""
    BODIES: ClassVar[tuple[str, ...]] = ()
    """Fields that name a body."""
    WORLD_ALLOWED: ClassVar[bool] = False
    """Whether those may also name the world."""
    ALONG_BODY: ClassVar[bool] = False
    """Whether it acts all along a soft body, and not at a point of it."""
    JOINTS: ClassVar[tuple[str, ...]] = ()
    """Fields that name a joint of one degree of freedom."""
    ALSO_ON: ClassVar[tuple[type, ...]] = ()
    """Kinds of joints with more degrees of freedom that these may name too."""
    FLUIDS: ClassVar[tuple[str, ...]] = ()
    """Fields that name a fluid, such as the air."""
    GROUNDS: ClassVar[tuple[str, ...]] = ()
    """Fields that name a ground that it presses against."""
    PUSHES: ClassVar[bool] = True
    """Whether it adds to the forces: added mass is inertia, and a fluid acts through what is in it."""

    def __post_init__(self) -> None:
        """Read and check the fields of the description."""
        self._read_name("a force")
        self._read_references(*self.BODIES, *self.JOINTS, *self.FLUIDS, *self.GROUNDS)
        for name in self.VECTORS:
            self._store(**{name: as_vector(getattr(self, name), f"{self.label}: {name}")})
        for name in self.SCALARS:
            self._store(**{name: as_quantity(getattr(self, name), f"{self.label}: {name}")})
        self.check({})

    def check_bodies(self, bodies: Mapping[str, Any]) -> None:
        """Raise if it cannot act on the bodies it names; `bodies` are all of the system, by name."""

    def check_joints(self, joints: Mapping[str, Any]) -> None:
        """Raise if it cannot act on the joints it names; `joints` are all of the system, by name."""

    def check_ground(self, ground: Any) -> None:
        """Raise if it cannot press against a ground that it names."""

    def sites(self, values: Mapping[str, float]) -> Iterator[tuple[str, Any]]:
        """Bodies by name and points of them, undeformed, on which it acts where it is more than one."""
        yield from ()


@dataclass(frozen=True)
class Gravity(Force):
    """Uniform gravity: the `acceleration` (m/s²) of free fall, in world axes."""

    VECTORS: ClassVar[tuple[str, ...]] = ("acceleration",)

    acceleration: VectorLike = (0.0, 0.0, -9.81)
    name: str = "gravity"


# --- on a joint ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class JointSpring(Force):
    """Linear spring on a joint: effort -stiffness (q - rest); stiffness in N m/rad or N/m."""

    SCALARS: ClassVar[tuple[str, ...]] = ("stiffness", "rest")
    JOINTS: ClassVar[tuple[str, ...]] = ("joint",)

    name: str
    joint: str
    stiffness: QuantityLike
    rest: QuantityLike = 0.0


@dataclass(frozen=True)
class JointDamper(Force):
    """Linear damper on a joint: effort -damping q_dot; damping in N m s/rad or N s/m. On a ball joint a torque -damping w."""

    SCALARS: ClassVar[tuple[str, ...]] = ("damping",)
    JOINTS: ClassVar[tuple[str, ...]] = ("joint",)
    ALSO_ON: ClassVar[tuple[type, ...]] = (Spherical,)

    name: str
    joint: str
    damping: QuantityLike


@dataclass(frozen=True)
class JointForce(Force):
    """Effort (N m or N) on a joint by a law, added to that of its drive and of other forces."""

    SCALARS: ClassVar[tuple[str, ...]] = ("law",)
    JOINTS: ClassVar[tuple[str, ...]] = ("joint",)
    LAWS: ClassVar[tuple[str, ...]] = ("law",)

    name: str
    joint: str
    law: QuantityLike


# --- between points of two bodies ---------------------------------------------------------------------------


@dataclass(frozen=True)
class PointSpring(Force):
    """Spring between points of two bodies: tension = stiffness (distance - length), in N/m and m.

    Either body may be `"world"`; points are in the frames of their bodies.
    """

    VECTORS: ClassVar[tuple[str, ...]] = ("at_a", "at_b")
    SCALARS: ClassVar[tuple[str, ...]] = ("stiffness", "length")
    BODIES: ClassVar[tuple[str, ...]] = ("body_a", "body_b")
    WORLD_ALLOWED: ClassVar[bool] = True

    name: str
    body_a: str
    at_a: VectorLike
    body_b: str
    at_b: VectorLike
    stiffness: QuantityLike
    length: QuantityLike = 0.0

    def _check(self, values: Mapping[str, float]) -> None:
        length = known(self.length, values)
        if length is not None and length < 0.0:
            raise NegativeLengthError(
                f"{self.label}: the free length is {length!r} m{self._origin('length')}; give zero or more"
            )


@dataclass(frozen=True)
class PointDamper(Force):
    """Damper between points of two bodies: tension = damping d(distance)/dt, in N s/m.

    Either body may be `"world"`; points are in the frames of their bodies.
    """

    VECTORS: ClassVar[tuple[str, ...]] = ("at_a", "at_b")
    SCALARS: ClassVar[tuple[str, ...]] = ("damping",)
    BODIES: ClassVar[tuple[str, ...]] = ("body_a", "body_b")
    WORLD_ALLOWED: ClassVar[bool] = True

    name: str
    body_a: str
    at_a: VectorLike
    body_b: str
    at_b: VectorLike
    damping: QuantityLike


# --- on a body ----------------------------------------------------------------------------------------------


def check_frame(frame: str, label: str) -> None:
    """Raise unless components are in world or body axes."""
    if not isinstance(frame, str) or frame not in FRAMES:
        raise UnknownFrameError(
            f"{label}: the components are in the frame {shown(frame)}; give 'world' or 'body' ({suggestion(frame, FRAMES)})"
        )


@dataclass(frozen=True)
class BodyForce(Force):
    """A force (N) by a law, applied at the point `at` (m, body frame); components in world or body axes."""

    VECTORS: ClassVar[tuple[str, ...]] = ("at", "components")
    BODIES: ClassVar[tuple[str, ...]] = ("body",)
    LAWS: ClassVar[tuple[str, ...]] = ("components",)

    name: str
    body: str
    at: VectorLike
    components: VectorLike
    frame: str = WORLD

    def _check(self, values: Mapping[str, float]) -> None:
        check_frame(self.frame, self.label)


@dataclass(frozen=True)
class BodyTorque(Force):
    """A pure torque (N m) by a law; components in world or body axes."""

    VECTORS: ClassVar[tuple[str, ...]] = ("components",)
    BODIES: ClassVar[tuple[str, ...]] = ("body",)
    LAWS: ClassVar[tuple[str, ...]] = ("components",)

    name: str
    body: str
    components: VectorLike
    frame: str = WORLD

    def _check(self, values: Mapping[str, float]) -> None:
        check_frame(self.frame, self.label)
