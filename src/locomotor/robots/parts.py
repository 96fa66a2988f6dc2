"""What every format of robots says, in one form: links, joints between them, what closes loops, motors, and what was not read.

Lengths are in metres and angles in radians; poses are those of our joints: the child's frame is the parent's, times the
placement, times the motion. Readers fill it, `build` makes a system of it.
"""

from __future__ import annotations

from dataclasses import field

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.model import Shape
from locomotor.typing import Floats

WORLD = "world"
NOMINAL = "nominal"
"""The named pose of a file that is the nominal one of its system; `lm.save` writes it so."""


@dataclass(frozen=True)
class Note:
    """One thing of a file that is not in the system as it stands there."""

    kind: str
    """"ignored": not in the system; "changed": there in another form; "doubt": there, and probably a mistake of the file."""
    what: str
    """The part of the file: an element, a joint, a mesh."""
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.what}: {self.text}"


@dataclass(eq=False)
class Notes:
    """Notes as they are taken; the same note of several parts is one note that counts them."""

    found: dict[tuple[str, str, str], list[str]] = field(default_factory=dict)

    def add(self, kind: str, what: str, text: str, where: str = "") -> None:
        """Take a note; `where` are the parts that it is about, which are listed together."""
        self.found.setdefault((kind, what, text), []).append(where)

    def listed(self) -> tuple[Note, ...]:
        """All notes."""
        told = []
        for (kind, what, text), places in self.found.items():
            named = [place for place in dict.fromkeys(places) if place]
            several = f" of {', '.join(named[:4])}{f' and {len(named) - 4} more' if len(named) > 4 else ''}" if named else ""
            counted = f" ({len(places)} times)" if len(places) > 1 and not named else ""
            told.append(Note(kind, f"{what}{several}{counted}", text))
        return tuple(told)


@dataclass(eq=False)
class Touch:
    """A shape that collides, and its coefficient of friction where the file tells one.

    `spin` and `rolling` are the arms (m) by which the normal force resists turning about it, and rolling.
    """

    shape: Shape
    friction: float | None = None
    spin: float = 0.0
    rolling: float = 0.0


@dataclass(eq=False)
class Link:
    """A body: mass (kg), centre of mass and inertia about it in the axes of its frame; without mass a frame."""

    name: str
    mass: float = 0.0
    com: Floats = field(default_factory=lambda: np.zeros(3))
    inertia: Floats = field(default_factory=lambda: np.zeros((3, 3)))
    shapes: list[Shape] = field(default_factory=list)
    touches: list[Touch] = field(default_factory=list)
    collides: bool = False
    """Whether the file gives it shapes that collide, which may be meshes that were not read."""
    partly: bool = False
    """Whether the file gives it shapes that were not read: it may be larger than those that were."""
    where: str = ""
    """Place in the file, for messages."""


@dataclass(eq=False)
class JointPart:
    """A joint; `kind` is the name of our class of it."""

    name: str
    kind: str
    parent: str
    child: str
    at: Floats = field(default_factory=lambda: np.zeros(3))
    rotation: Floats = field(default_factory=lambda: np.eye(3))
    axis: Floats | None = None
    axes: Floats | None = None
    pitch: float = 0.0
    limits: tuple[float, float] | None = None
    effort: float | None = None
    speed: float | None = None
    damping: float = 0.0
    dry: float = 0.0
    """Bound of its dry friction."""
    stiffness: float = 0.0
    rest: float = 0.0
    rotor: float = 0.0
    start: tuple[float, ...] = ()
    """Coordinates of the nominal pose; empty for zero."""


@dataclass(eq=False)
class Ratio:
    """The coordinate of a joint is a polynomial of that of another: q - q0 = sum of c_k (other - other0)^k.

    Without another joint (an empty name) it is held at q0 + c_0.
    """

    name: str
    joint: str
    other: str
    coefficients: tuple[float, ...]
    offset: float = 0.0
    other_offset: float = 0.0


@dataclass(eq=False)
class Tie:
    """A sum of coordinates of joints is a polynomial of another sum: L - L0 = sum of c_k (M - M0)^k.

    Without another sum (no shares of it) it is held at L0 + c_0.
    """

    name: str
    shares: dict[str, float]
    """By joint, its coefficient in L."""
    others: dict[str, float]
    """By joint, its coefficient in M."""
    coefficients: tuple[float, ...]
    offset: float = 0.0
    other_offset: float = 0.0


@dataclass(eq=False)
class Rod:
    """Two points that keep a distance."""

    name: str
    body_a: str
    at_a: Floats
    body_b: str
    at_b: Floats
    length: float


@dataclass(eq=False)
class Gearing:
    """Gears: the rate of b is `ratio` times that of a, about unit axes in the axes of the carrier, relative to it."""

    name: str
    body_a: str
    axis_a: Floats
    body_b: str
    axis_b: Floats
    carrier: str
    ratio: float


@dataclass(eq=False)
class Loop:
    """Two points that stay together; `kind` says what turning is left: "connect" any, "weld" none, "revolute", "universal",
    or what sliding: "prismatic", "cylindrical"."""

    name: str
    body_a: str
    at_a: Floats
    body_b: str
    at_b: Floats
    kind: str = "connect"
    rotation: Floats = field(default_factory=lambda: np.eye(3))
    """Of the axes of b in those of a, while it is closed and its angle zero."""
    axis: Floats | None = None
    """Unit axis, in the axes of b."""
    second: Floats | None = None
    """Of a universal one the axis that is fixed in b, while `axis` is fixed in a; both in the axes of b."""


@dataclass(eq=False)
class Tendon:
    """A sum of coordinates of joints, L = sum of c q, that a spring, a damper and limits act on, each joint by its share c."""

    name: str
    shares: dict[str, float]
    """By joint, its coefficient."""
    stiffness: float = 0.0
    rest: tuple[float, float] = (0.0, 0.0)
    """Between these the spring is slack."""
    damping: float = 0.0
    limits: tuple[float, float] | None = None


@dataclass(eq=False)
class Cord:
    """A spring and a damper between points of two bodies; tension = stiffness (distance - rest) + damping d(distance)/dt.

    With a `longest` distance it is a cable as well, which becomes taut there.
    """

    name: str
    body_a: str
    at_a: Floats
    body_b: str
    at_b: Floats
    stiffness: float = 0.0
    rest: float = 0.0
    damping: float = 0.0
    longest: float | None = None


@dataclass(eq=False)
class Motor:
    """An input and what it does to joints: effort = gain u + offset - stiffness q - damping q_dot, each within its range.

    q is the coordinate of a joint, or a sum of several, each of which the effort acts on by its share. Without a gain it is no
    input but a force.
    """

    name: str
    shares: dict[str, float]
    """By joint, its coefficient: 1 of one alone."""
    gain: float = 1.0
    offset: float = 0.0
    stiffness: float = 0.0
    damping: float = 0.0
    effort: tuple[float, float] | None = None
    control: tuple[float, float] | None = None
    about: str = ""
    gain_by: tuple[float, float] = (0.0, 0.0)
    """What q and q_dot add to the gain: a damper whose strength is the input has the second alone."""


@dataclass(eq=False)
class Thruster:
    """An input that pushes and turns a body, each component its share of effort = gain u + offset, within its range.

    Without a gain it is no input but a force.
    """

    name: str
    link: str
    at: Floats
    force: Floats
    torque: Floats
    world: bool = False
    """Whether components are along the axes of the world; otherwise along those of the body."""
    gain: float = 1.0
    offset: float = 0.0
    effort: tuple[float, float] | None = None
    control: tuple[float, float] | None = None


@dataclass(eq=False)
class Robot:
    """All that was read of a file."""

    name: str
    file: str
    links: list[Link] = field(default_factory=list)
    joints: list[JointPart] = field(default_factory=list)
    ratios: list[Ratio] = field(default_factory=list)
    ties: list[Tie] = field(default_factory=list)
    rods: list[Rod] = field(default_factory=list)
    gearings: list[Gearing] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    motors: list[Motor] = field(default_factory=list)
    thrusters: list[Thruster] = field(default_factory=list)
    tendons: list[Tendon] = field(default_factory=list)
    cords: list[Cord] = field(default_factory=list)
    gravity: Floats | None = None
    ground: tuple[Floats, Floats] | None = None
    """Normal and point of the floor."""
    scenery: list[Shape] = field(default_factory=list)
    poses: dict[str, dict[str, tuple[float, ...]]] = field(default_factory=dict)
    """Named poses: coordinates by joint."""
    notes: Notes = field(default_factory=Notes)


@dataclass(frozen=True)
class Limit:
    """What a file says of the range of a joint: coordinates (rad, m), effort (N m, N) and speed; None where it says nothing."""

    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    speed: float | None = None
