"""A Strandbeest that walks: Jansen's legs at equal phases on one crankshaft, before and behind it, under a level hull.

Seen from the side, as one slice of the animal: the rows of legs to the left and right of it keep the hull from pitching, which
moves forward and up. Of the feet the lowest stands; the crankshaft turns at a given rate, and carries the hull over it.
"""

import math
from collections.abc import Iterator
from itertools import product

from locomotor.catalogue.linkage_parts import Point, frame_of_bars, third_point
from locomotor.catalogue.locomotion_parts import LEFT, hinge, parameter_set
from locomotor.catalogue.planar_base import vertical_plane
from locomotor.catalogue.strandbeest import NUMBERS, foot_point
from locomotor.checks import door, flag, number, whole
from locomotor.errors import ArgumentError
from locomotor.model import (
    Body,
    Box,
    Capsule,
    Cylinder,
    Gravity,
    Joint,
    Motion,
    PointOnLine,
    StickingPoint,
    System,
    Unilateral,
)

_LENGTH = {name: 0.01 * value for name, value in NUMBERS.items()}


@door(legs=whole, mirrored=flag, friction=number)
def strandbeest(legs: int = 3, *, mirrored: bool = True, friction: float = 0.7) -> System:
    """`legs` at equal phases behind the crankshaft and, unless `mirrored` is False, as many before it.

    `forward` and `up` are those of the hull; `crank` turns at the rate `w`, forwards, and is imposed. Names of a leg end with
    its side and number: `rear_1`, `front_1`.
    """
    if legs < 2:
        raise ArgumentError(f"strandbeest: legs is {legs}; give two or more, for a foot is in the air half of the time")
    frames, carriers = vertical_plane("hull", turning=None)
    sides = (("rear", 1.0), ("front", -1.0)) if mirrored else (("rear", 1.0),)
    made = [
        _Leg(f"{name}_{k + 1}", sign, 2.0 * math.pi * k / legs, k - (legs - 1) / 2.0)
        for (name, sign), k in product(sides, range(legs))
    ]
    return System(
        "strandbeest",
        bodies=(*frames, _hull(mirrored), _crankshaft(legs), *(body for leg in made for body in leg.bodies())),
        joints=(
            *carriers,
            hinge("crank", "hull", "crankshaft", axis=LEFT, drive=Motion("w*t"), description="angle of the crankshaft"),
            *(joint for leg in made for joint in leg.joints()),
        ),
        loops=tuple(closure for leg in made for closure in leg.loops()),
        contacts=tuple(
            StickingPoint(f"foot_{leg.name}", body=f"shank_{leg.name}", at=leg.foot, law=Unilateral(friction="mu"))
            for leg in made
        ),
        forces=(Gravity((0.0, 0.0, "-g_0")),),
        parameters=parameter_set(
            ("w", 3.0, "rad/s", "rate of the crankshaft"),
            ("rho", 0.5, "kg/m", "mass of a metre of bar"),
            ("m_hull", 4.0, "kg", "mass of the hull"),
            ("mu", friction, "1", "coefficient of friction of the feet"),
            ("g_0", 9.81, "m/s^2", "gravity"),
            source="Jansen, The Great Pretender (2007): lengths; masses are ours",
        ),
        nominal={
            "up": -min(leg.height for leg in made),
            **{key: value for leg in made for key, value in leg.nominal().items()},
        },
        description="walking Strandbeest, from the side",
    )


def _hull(mirrored: bool) -> Body:
    a, low = _LENGTH["a"], -_LENGTH["l"]
    ends = (-a, a) if mirrored else (-a, 0.0)
    spine = [Capsule((ends[0], y, low), (ends[1], y, low), 0.02, colour="wood") for y in (-0.25, 0.25)]
    sail = [
        Capsule((0.0, 0.0, 0.02), (0.0, 0.0, 0.75), 0.012, colour="wood"),
        Box((0.55, 0.006, 0.4), at=(0.29, 0.0, 0.52), colour="accent"),
    ]
    across = [Cylinder((x, -0.25, low), (x, 0.25, low), 0.015, colour="dark") for x in ends]
    return Body("hull", mass="m_hull", inertia=("0.1*m_hull",) * 3, shapes=[*spine, *across, *sail])


def _crankshaft(legs: int) -> Body:
    m = _LENGTH["m"]
    pins = [(m * math.cos(2.0 * math.pi * k / legs), -m * math.sin(2.0 * math.pi * k / legs)) for k in range(legs)]
    webs = [Capsule((0.0, 0.0, 0.0), (x, 0.0, z), 0.015, colour="accent") for x, z in pins]
    axle = Cylinder((0.0, -0.25, 0.0), (0.0, 0.25, 0.0), 0.02, colour="dark")
    mass = f"{legs * m}*rho"
    return Body("crankshaft", mass=mass, inertia=(f"{mass}*{m**2}/3",) * 3, shapes=[axle, *webs])


class _Leg:
    """One leg; a mirrored one (`sign` -1) has all its points at the other side of the crankshaft, and angles the other way."""

    def __init__(self, name: str, sign: float, phase: float, layer: float) -> None:
        self.name, self.sign, self.phase, self.layer = name, sign, phase, 3 * layer
        x, z = foot_point()
        self.foot = (sign * x, 0.0, z)
        pin = (_LENGTH["m"] * math.cos(phase), -_LENGTH["m"] * math.sin(phase))
        self.pin = (pin[0], 0.0, pin[1])
        self.angles, (_, self.height) = closed_leg((sign * pin[0], pin[1]))

    def _end(self, bar: str) -> tuple[float, float, float]:
        return self.sign * _LENGTH[bar], 0.0, 0.0

    def _bar(self, bar: str) -> list[Point]:
        return [(0.0, 0.0), (self.sign * _LENGTH[bar], 0.0)]

    @property
    def _hip(self) -> Point:
        x, z = third_point(_LENGTH["d"], _LENGTH["b"], _LENGTH["e"], -1.0)
        return self.sign * x, z

    def bodies(self) -> Iterator[Body]:
        """Bars and triangles, aside of each other."""
        for name, points, colour, aside in (
            ("j", self._bar("j"), "metal", 1.0),
            ("k", self._bar("k"), "metal", -1.0),
            ("thigh", [*self._bar("d"), self._hip], "wood", 0.0),
            ("c", self._bar("c"), "metal", -1.0),
            ("f", self._bar("f"), "metal", 1.0),
            ("shank", [*self._bar("g"), (self.foot[0], self.foot[2])], "wood", 0.0),
        ):
            yield frame_of_bars(f"{name}_{self.name}", points, "rho", layer=self.layer + aside, colour=colour)

    def joints(self) -> Iterator[Joint]:
        """From crankshaft and hull outwards; angles are measured as those of `strandbeest_leg`."""
        pivot = (-self.sign * _LENGTH["a"], 0.0, -_LENGTH["l"])
        for name, parent, at in (
            ("j", "crankshaft", self.pin),
            ("k", "crankshaft", self.pin),
            ("thigh", "hull", pivot),
            ("f", f"thigh_{self.name}", self._end("d")),
            ("shank", f"f_{self.name}", self._end("f")),
            ("c", "hull", pivot),
        ):
            yield hinge(f"{name}_angle_{self.name}", parent, f"{name}_{self.name}", at=at, axis=LEFT)

    def loops(self) -> Iterator[PointOnLine]:
        """Where the bars meet again, on a line across the plane: what moves in it needs no more."""
        own = self.name
        hip = (self._hip[0], 0.0, self._hip[1])
        yield PointOnLine(f"hip_{own}", f"j_{own}", f"thigh_{own}", self._end("j"), hip, axis_a=LEFT)
        yield PointOnLine(f"heel_{own}", f"k_{own}", f"c_{own}", self._end("k"), self._end("c"), axis_a=LEFT)
        yield PointOnLine(f"ankle_{own}", f"shank_{own}", f"c_{own}", self._end("g"), self._end("c"), axis_a=LEFT)

    def nominal(self) -> dict[str, float]:
        """Angles at which the leg is closed while the crankshaft points forwards."""
        return {f"{name}_angle_{self.name}": self.sign * angle for name, angle in self.angles.items()}


@door(angle=number)
def strandbeest_foot(angle: float) -> tuple[float, float]:
    """Where the foot of a leg is (x and z from the crankshaft, m) at an angle of its crank, positive downwards."""
    m = _LENGTH["m"]
    x, z = closed_leg((m * math.cos(angle), -m * math.sin(angle)))[1]
    return float(x), float(z)


def closed_leg(pin: Point) -> tuple[dict[str, float], Point]:
    """Of a leg behind the crankshaft, by circles about known ends: the angles of its bars, and where its foot is."""
    n, pivot = _LENGTH, (-_LENGTH["a"], -_LENGTH["l"])
    top = _meet(pin, n["j"], pivot, n["b"], -1.0)
    heel = _meet(pin, n["k"], pivot, n["c"], 1.0)
    back = _meet(pivot, n["d"], top, n["e"], 1.0)
    knee = _meet(back, n["f"], heel, n["g"], -1.0)
    thigh, lower, shank = _angle(pivot, back), _angle(back, knee), _angle(knee, heel)
    x, z = foot_point()
    angles = {
        "j": _angle(pin, top),
        "k": _angle(pin, heel),
        "thigh": thigh,
        "f": lower - thigh,
        "shank": shank - lower,
        "c": _angle(pivot, heel),
    }
    cos, sin = math.cos(shank), math.sin(shank)
    return angles, (knee[0] + x * cos + z * sin, knee[1] - x * sin + z * cos)


def _meet(p: Point, r: float, q: Point, s: float, side: float) -> Point:
    """The point at the distances r from p and s from q, to the left (side 1) or right of the way from p to q."""
    dx, dz = q[0] - p[0], q[1] - p[1]
    d = math.hypot(dx, dz)
    along = (d * d + r * r - s * s) / (2.0 * d)
    across = side * math.sqrt(r * r - along * along)
    return p[0] + (along * dx - across * dz) / d, p[1] + (along * dz + across * dx) / d


def _angle(p: Point, q: Point) -> float:
    """Of the way from p to q, positive downwards."""
    return math.atan2(p[1] - q[1], q[0] - p[0])
