"""How bodies that deform are seen: as pieces that are fixed to them one behind the other and move with them.

For pictures a system gets a massless frame for each piece; its coordinates stay what they are, so that whatever draws a system
draws soft ones too. Figures of lines draw the pieces, everything in space the skin that is stretched over them (`skin.py`).
What the pieces of a kind of body are is registered on its type.
"""

from dataclasses import replace
from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import SO3
from locomotor.model import Body, Box, Cylinder, Fixed, FlexibleBody, Frame, Rod, Sphere, System, evaluate
from locomotor.model.shapes import Shape
from locomotor.model.soft import ALONG, CrossSection
from locomotor.typing import Values

FEWEST, MOST = 10, 40
FEWEST_OF_ROD = 24
"""A rod may be bent into a ring."""
OVERLAP = 1.06
"""Pieces are a little longer than their share of the body, so that no gaps are seen where it bends."""
SLENDER = 1.0 / 60.0
"""Thickness of what has no outline, in units of its length."""
THINNEST = 1.0 / 160.0
"""What is thinner than this, in units of its length, is drawn as thick as that: a thread would not be seen."""


@dataclass(frozen=True)
class Piece(Frame):
    """One piece of a soft body: where it is fixed without load, how long it is, and its outline (width, height)."""

    of: str = ""
    """The body."""
    half: float = 0.0
    """Half its length (m)."""
    width: float = 0.0
    height: float = 0.0
    rounded: bool = False
    """Whether its outline is an ellipse; that of a circle is one anyhow."""
    outer: tuple[float, float] = (0.0, 0.0)
    """Of the first and the last piece: the outline at the very end of the body."""


@singledispatch
def pieces(body: Any, values: Values) -> tuple[tuple[Piece, Fixed], ...]:
    """What a body that deforms is drawn by; none for a kind that says nothing: it is drawn as if it were rigid."""
    return ()


@pieces.register
def _(body: FlexibleBody, values: Values) -> tuple[tuple[Piece, Fixed], ...]:
    count = min(MOST, FEWEST + 4 * max(len(each) for each in body.slender.shapes.values()))
    half = 0.5 * float(evaluate(body.length, values)) / count
    length: Any = body.length
    return tuple(_fixed(body, k, half, values, at=((k + 0.5) / count * length, 0.0, 0.0), count=count) for k in range(count))


@pieces.register
def _(body: Rod, values: Values) -> tuple[tuple[Piece, Fixed], ...]:
    count = max(FEWEST_OF_ROD, min(MOST, FEWEST + 4 * max(each.terms for each in body.strains)))
    half = 0.5 * float(evaluate(body.length, values)) / count
    found = []
    for k in range(count):
        place = (k + 0.5) / count
        if body.is_straight:
            found.append(_fixed(body, k, half, values, at=(place * body.length, 0.0, 0.0), count=count))
            continue
        pose = body.pose_at(place, values)
        turned = SO3(np.asarray(pose.rotation, dtype=float)).log()
        at, rotation = (tuple(float(x) for x in np.asarray(each, dtype=float)) for each in (pose.translation, turned))
        found.append(_fixed(body, k, half, values, at=at, count=count, rotation=rotation))
    return tuple(found)


def _fixed(body: Any, k: int, half: float, values: Values, *, at: Any, count: int, rotation: Any = None) -> tuple[Piece, Fixed]:
    """One piece of so many and the joint that fixes it to its body."""
    length = float(evaluate(body.length, values))
    width, height = _outline(body.section, (k + 0.5) / count, values, length)
    outer = _outline(body.section, 0.0 if k == 0 else 1.0, values, length)
    name = f"{body.name}_piece_{k + 1}"
    shape = piece((width, height), OVERLAP * half, "accent")
    turned = {} if rotation is None else {"rotation": rotation}
    return (
        Piece(
            name,
            shapes=(shape,),
            of=body.name,
            half=half,
            width=width,
            height=height,
            rounded=body.section.rounded,
            outer=outer,
        ),
        Fixed(name=f"{name}_weld", parent=body.name, child=name, at=at, **turned),
    )


def piece(outline: tuple[float, float], half: float, colour: str) -> Shape:
    """A piece of a slender body along x, from -half to half: round where its outline is as wide as high."""
    width, height = outline
    if abs(width - height) <= 1e-9 * width:
        return Cylinder((-half, 0.0, 0.0), (half, 0.0, 0.0), 0.5 * width, colour=colour)
    return Box((2.0 * half, width, height), colour=colour)


def _outline(section: CrossSection, s: float, values: Values, length: float) -> tuple[float, float]:
    if section.outline is None:
        return SLENDER * length, SLENDER * length
    width, height = (float(evaluate(each, {**values, ALONG: s})) for each in section.outline)
    grown = max(1.0, THINNEST * length / max(width, height, 1e-12))
    return grown * width, grown * height


def drawn(system: System) -> System:
    """The system with pieces for its soft bodies, where they have no shapes of their own; itself where there are none."""
    values = dict(system.parameters.values)
    bodies: list[Any] = []
    joints: list[Any] = list(system.joints)
    frames: list[Frame] = []
    for body in system.bodies:
        found = () if body.shapes or not body.coordinates else pieces(body, values)
        if not found:
            bodies.append(body)
            continue
        # A speck, so that it is not drawn as rods to what it carries.
        bodies.append(replace(body, shapes=(Sphere(2e-3 * len(found) * found[0][0].half),)))  # type: ignore[type-var]
        frames += [frame for frame, _ in found]
        joints += [joint for _, joint in found]
    return system.replace(bodies=(*bodies, *frames), joints=tuple(joints)) if frames else system


def is_station(system: System, index: int) -> bool:
    """Whether a body is a frame fixed to a soft one."""
    joint, parent = system.joints[index], system.parents[index]
    fixed = isinstance(joint, Fixed) and isinstance(system.bodies[index], Frame)
    return fixed and parent >= 0 and bool(isinstance(system.bodies[parent], Body) and system.bodies[parent].coordinates)
