"""How bodies that deform are seen: as pieces that are fixed to them one behind the other and move with them.

For pictures a system gets a massless frame with a shape for each piece; its coordinates stay what they are, so that whatever
draws a system draws soft ones too. What the pieces of a kind of body are is registered on its type.
"""

from dataclasses import replace
from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.model import Body, Box, Cylinder, Fixed, FlexibleBody, Frame, Sphere, System, evaluate
from locomotor.model.shapes import Shape
from locomotor.model.soft import ALONG, weld
from locomotor.typing import Values

Piece = tuple[tuple[float, float, float], tuple[Shape, ...]]
"""Place (m) on the undeformed body, and what is fixed there, in axes that are parallel to those of the body."""
FEWEST, MOST = 10, 40
OVERLAP = 1.06
"""Pieces are a little longer than their share of the body, so that no gaps are seen where it bends."""
SLENDER = 1.0 / 60.0
"""Thickness of what has no outline, in units of its length."""


@singledispatch
def pieces(body: Any, values: Values) -> tuple[Piece, ...]:
    """What a body that deforms is drawn by; none for a kind that says nothing: it is drawn as if it were rigid."""
    return ()


@pieces.register
def _(body: FlexibleBody, values: Values) -> tuple[Piece, ...]:
    length = float(evaluate(body.length, values))
    count = min(MOST, FEWEST + 4 * max(len(each) for each in body.slender.shapes.values()))
    half = 0.5 * OVERLAP * length / count
    found = []
    for k in range(count):
        s = (k + 0.5) / count
        shape = piece(_outline(body, s, values, length), half, "accent")
        found.append(((s * length, 0.0, 0.0), (shape,)))
    return tuple(found)


def piece(outline: tuple[float, float], half: float, colour: str) -> Shape:
    """A piece of a slender body along x, from -half to half: round where its outline is as wide as high."""
    width, height = outline
    if abs(width - height) <= 1e-9 * width:
        return Cylinder((-half, 0.0, 0.0), (half, 0.0, 0.0), 0.5 * width, colour=colour)
    return Box((2.0 * half, width, height), colour=colour)


def _outline(body: FlexibleBody, s: float, values: Values, length: float) -> tuple[float, float]:
    if body.section.outline is None:
        return SLENDER * length, SLENDER * length
    width, height = (float(evaluate(each, {**values, ALONG: s})) for each in body.section.outline)
    least = 1e-4 * length
    return max(width, least), max(height, least)


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
        size = 1e-3 * float(np.linalg.norm(np.subtract(found[-1][0], found[0][0])))
        bodies.append(replace(body, shapes=(Sphere(size),)))  # type: ignore[type-var]
        for k, (at, shapes) in enumerate(found):
            frame, joint = weld(body.name, at, f"{body.name}_piece_{k + 1}")
            frames.append(replace(frame, shapes=shapes))
            joints.append(joint)
    return system.replace(bodies=(*bodies, *frames), joints=tuple(joints)) if frames else system


def is_station(system: System, index: int) -> bool:
    """Whether a body is a frame fixed to a soft one."""
    joint, parent = system.joints[index], system.parents[index]
    fixed = isinstance(joint, Fixed) and isinstance(system.bodies[index], Frame)
    return fixed and parent >= 0 and bool(isinstance(system.bodies[parent], Body) and system.bodies[parent].coordinates)
