"""What flyers are made of: a body that hangs upright, wings with their joints, planforms with their moments, looks."""

import math
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.model import Body, Drive, Ellipsoid, Fixed, Frame, Free, Joint, Plate, QuantityLike, Revolute, Shape, Tube

SIDES = {"right": -1.0, "left": 1.0}
"""Names of the wings, and where they are along y."""
MEMBRANE, VEIN, FUR = "#e8c48a", "#6b4a2b", "#8a6a4a"
UPRIGHT = ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
"""Puts an outline (x, y) into the plane of y and z of its body."""
BASES = ("free", "clamped")
THIN = 0.01
"""Thickness of a wing in parts of its mean chord: it gives the plate an inertia about every axis."""


@dataclass(frozen=True)
class Planform:
    """Outline of a wing: its chord over the mean chord at a share of the length, as a function and as a text with `{s}`."""

    chord: Callable[[float], float]
    text: str

    def law(self, length: str, mean: str) -> str:
        """The chord as an expression of X."""
        return f"{mean}*({self.text.format(s=f'(X/{length})')})"

    @cached_property
    def _points(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        # The ends have the slopes of roots: with s = sin² the integrand is smooth.
        at, weights = np.polynomial.legendre.leggauss(60)
        angle = 0.25 * math.pi * (1.0 + at)
        share = np.sin(angle) ** 2
        return share, np.array([self.chord(s) for s in share]), 0.25 * math.pi * weights * np.sin(2.0 * angle)

    def moment(self, along: int, across: int) -> float:
        """Integral of (chord over mean)^(1 + across) s^along over the length."""
        share, chord, weights = self._points
        return float(np.sum(weights * chord ** (1 + across) * share**along))


def ellipse(share: float) -> float:
    """A quarter of an ellipse: straight leading edge, the largest chord at the root."""
    return 4.0 / math.pi * math.sqrt(max(1.0 - share * share, 0.0))


QUARTER_ELLIPSE = Planform(ellipse, f"{4.0 / math.pi!r}*sqrt(1 - {{s}}**2)")


def beta_planform(a: float, b: float) -> Planform:
    """Chord as s^a (1 - s)^b: two powers give any first two radii of area (Ellington 1984, Phil. Trans. R. Soc. B 305)."""
    scale = math.gamma(a + b + 2.0) / (math.gamma(a + 1.0) * math.gamma(b + 1.0))
    return Planform(lambda s: scale * s**a * (1.0 - s) ** b, f"{scale!r}*{{s}}**{a!r}*(1 - {{s}})**{b!r}")


def wing_body(name: str, way: float, planform: Planform, *, mass: str, length: str, mean: str, axis: float,
              shapes: list[Shape], offset: str = "0") -> Body:  # fmt: skip
    """A thin homogeneous wing: span along y from `offset`, leading edge up, the share `axis` of its chord above its frame."""
    y, yy = planform.moment(1, 0), planform.moment(2, 0)
    z, yz = (axis - 0.5) * planform.moment(0, 1), (axis - 0.5) * planform.moment(1, 1)
    zz = ((1.0 - axis) ** 3 + axis**3) / 3.0 * planform.moment(0, 2)
    along, across = f"{mass}*{length}**2*{yy - y * y!r}", f"{mass}*{mean}**2*{zz - z * z!r}"
    both = f"{-way * (yz - y * z)!r}*{mass}*{length}*{mean}"
    thin = f"{THIN**2 / 12.0!r}*{mass}*{mean}**2"
    inertia = ((f"{along} + {across}", 0.0, 0.0), (0.0, f"{across} + {thin}", both), (0.0, both, f"{along} + {thin}"))
    return Body(
        name, mass=mass, com=(0.0, f"{way}*({offset} + {y!r}*{length})", f"{z!r}*{mean}"), inertia=inertia, shapes=shapes
    )


def wing_joints(side: str, parent: str, root: Sequence[QuantityLike], *, stroke: Drive, pitch: Drive, tilt: QuantityLike = 0.0,
                elevation: Drive | None = None) -> tuple[list[Frame], list[Joint]]:  # fmt: skip
    """Joints of a wing: stroke (positive forward) in a plane tilted about y, elevation (up), pitch (leading edge back).

    At zero the wing stands out to its side, membrane upright; coordinates of the two sides are mirror images.
    """
    way = SIDES[side]
    frames = [Frame(f"{side}_shoulder")]
    joints: list[Joint] = [
        Revolute(
            name=f"{side}_stroke", parent=parent, child=f"{side}_shoulder", at=root, rotation=(0.0, tilt, 0.0),
            axis=(0.0, 0.0, -way), drive=stroke,
        )
    ]  # fmt: skip
    carrier = f"{side}_shoulder"
    if elevation is not None:
        frames.append(Frame(f"{side}_elbow"))
        joints.append(
            Revolute(name=f"{side}_elevation", parent=carrier, child=f"{side}_elbow", axis=(way, 0.0, 0.0), drive=elevation)
        )
        carrier = f"{side}_elbow"
    joints.append(Revolute(name=f"{side}_pitch", parent=carrier, child=f"{side}_wing", axis=(0.0, -1.0, 0.0), drive=pitch))
    return frames, joints


def ellipsoid_inertia(mass: str, a: str, b: str, c: str) -> tuple[str, str, str]:
    """Principal moments of a homogeneous ellipsoid with half-axes a, b and c along x, y and z."""
    return f"({mass})*(({b})**2 + ({c})**2)/5", f"({mass})*(({a})**2 + ({c})**2)/5", f"({mass})*(({a})**2 + ({b})**2)/5"


def base_joint(base: str, child: str) -> Joint:
    """A root that flies, or one that is held on a bench."""
    if base == "free":
        return Free(name="base", parent="world", child=child)
    return Fixed(name="base", parent="world", child=child)


# -- looks -------------------------------------------------------------------------------------------------------------


def wing_look(way: float, planform: Planform, length: float, mean: float, axis: float, offset: float = 0.0) -> list[Shape]:
    """Membrane, leading edge and three veins of a whole wing that begins at `offset` from its joint."""
    chord = lambda s: mean * planform.chord(min(max(s, 0.01), 0.99))  # noqa: E731  # the ends are pointed
    found = [membrane(way, 0.0, 1.0, length, chord, axis, points=14, offset=offset)]
    edge = [(0.0, 0.0), *((offset + s * length, axis * chord(s)) for s in (0.02, 0.3, 0.6, 0.95))]
    found.append(vein(way, edge, 0.02 * mean))
    for share in (0.35, 0.65, 0.9):
        found.append(vein(way, [(offset, 0.0), (offset + share * length, (axis - 0.85) * chord(share))], 0.01 * mean))
    return found


def membrane(side: float, start: float, end: float, length: float, chord: Callable[[float], float], ahead: float = 0.0,
             points: int = 6, offset: float = 0.0) -> Shape:  # fmt: skip
    """The part of a wing from one share of its length to another: span along y, leading edge up, in the axes of its root there.

    `chord` gives the chord (m) at a share of the length; the share `ahead` of it lies above the span line.
    """
    shares = [start + (end - start) * k / points for k in range(points + 1)]
    shares[-1] = min(shares[-1], 0.995)
    top = [(side * (offset + (share - start) * length), ahead * chord(share)) for share in shares]
    low = [(side * (offset + (share - start) * length), (ahead - 1.0) * chord(share)) for share in shares]
    ring = [*low, *reversed(top)] if side > 0 else [*reversed(low), *top]
    return Plate(_without_twins(ring), 0.004 * length, rotation=UPRIGHT, colour=MEMBRANE)


def vein(side: float, points: Sequence[tuple[float, float]], radius: float) -> Shape:
    """A vein through (distance along the span, height)."""
    return Tube([(0.0, side * along, height) for along, height in points], radius, colour=VEIN)


def _without_twins(ring: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Points that differ from the one before them: an edge without length cannot be drawn."""
    found: list[tuple[float, float]] = []
    for point in ring:
        if not found or math.dist(point, found[-1]) > 1e-9:
            found.append(point)
    return found if math.dist(found[0], found[-1]) > 1e-9 else found[:-1]


def insect(length: QuantityLike, width: QuantityLike) -> list[Shape]:
    """Head, thorax and abdomen of an insect that hangs upright: `length` (m) along z, about its middle."""
    parts = ((0.5, 0.2, 0.0, 0.18, FUR), (0.42, 0.3, 0.0, -0.2, VEIN), (0.36, 0.1, 0.06, 0.42, FUR))
    found: list[Shape] = [
        Ellipsoid(
            (f"({width})*{w}", f"({width})*{w}", f"({length})*{h}"), at=(f"({width})*{x}", 0, f"({length})*{z}"), colour=c
        )
        for w, h, x, z, c in parts
    ]
    for s in (-0.3, 0.3):
        eye = (f"({width})*0.16", f"({width})*0.12", f"({length})*0.06")
        found.append(Ellipsoid(eye, at=(f"({width})*0.2", f"({width})*{s}", f"({length})*0.44"), colour="dark"))
    return found
