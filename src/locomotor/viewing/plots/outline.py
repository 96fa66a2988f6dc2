"""A system as lines: what a draughtsman draws of it, from bodies, joints and contacts alone.

Wheels are circles, links join a body's origin, its centre of mass and what it carries. Lines are in body axes; poses
place them in the world.
"""

from functools import singledispatch
from itertools import combinations, product
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.geometry import shape_of
from locomotor.mechanics.tree import Instant, forward
from locomotor.model import (
    Body,
    Box,
    Contact,
    Cylinder,
    Prismatic,
    RollingCapsule,
    RollingDisc,
    RollingTorus,
    Skate,
    SlidingBox,
    SlidingCapsule,
    SlidingPoint,
    StickingBox,
    StickingPoint,
    System,
    evaluate,
)
from locomotor.names import WORLD
from locomotor.simulation import Run
from locomotor.typing import Floats, SymbolicValues
from locomotor.viewing.scene import is_station

CIRCLE = 49
SMALL = 1e-3
"""Parts nearer to each other than this (m) are at one place."""


@dataclass(frozen=True, eq=False)
class Line:
    """A line of one body: points (n, 3) in body axes, and whether it is a wheel, a link or a point."""

    body: int
    points: Floats
    kind: str
    end: int | None = None
    """Body at whose origin the line ends, where that is another one: a telescope."""


def outline(system: System) -> tuple[Line, ...]:
    """All lines that a system is drawn by, each fixed to a body."""
    values = system.parameters.values
    found: list[Line] = []
    for i, body in enumerate(system.bodies):
        if body.coordinates and any(is_station(system, k) and system.bodies[k].shapes for k in system.children[i]):
            continue  # seen by its pieces
        found += [Line(i, points, "link") for points in _pieces(system, i) or _links(system, i, values)]
        if isinstance(body, Body):
            found.append(Line(i, _array(body.com, values)[None], "mass"))
    for joint in system.joints:
        parent = system.index(joint.parent)
        # A slide that the world bears by another one stands for a motion in a plane: there is nothing to see.
        if isinstance(joint, Prismatic) and parent >= 0 and system.joints[parent].parent != WORLD:
            found.append(Line(parent, _array(joint.at, values)[None], "link", system.index(joint.child)))
    for contact in system.contacts:
        i = system.index(contact.body)
        found += [Line(i, points, kind) for kind, points in contact_lines(contact, values)]
    return tuple(found)


def poses(run: Run, system: System, sample: int) -> list[tuple[Floats, Floats]]:
    """Rotation and position of every body at a sample of a run."""
    q = np.array([run[symbol.name][sample] for symbol in system.layout.coordinates])
    instant = Instant(system, q, np.zeros(system.layout.nv), float(run.time[sample]))
    return [
        (np.asarray(pose.rotation, dtype=float), np.asarray(pose.translation, dtype=float).ravel())
        for pose in forward(instant).poses
    ]


def placed(lines: tuple[Line, ...], where: list[tuple[Floats, Floats]]) -> list[tuple[str, Floats]]:
    """Lines in the world: kind and points (n, 3)."""
    found = []
    for line in lines:
        rotation, position = where[line.body]
        points = line.points @ rotation.T + position
        if line.end is not None:
            points = np.vstack([points, where[line.end][1]])
        found.append((line.kind, points))
    return found


def reach(system: System) -> float:
    """How far any part lies from the origin of its body, at most (m)."""
    return max((float(np.linalg.norm(line.points, axis=1).max()) for line in outline(system)), default=1.0)


# -- links --------------------------------------------------------------------------------------------


def _array(vector: Any, values: SymbolicValues) -> Floats:
    return np.asarray(evaluate(vector, values), dtype=float).reshape(3)


def _links(system: System, i: int, values: SymbolicValues) -> list[Floats]:
    """A polygon through the body's origin, its centre of mass and the joints and contacts it carries."""
    body = system.bodies[i]
    carried = [_array(system.joints[k].at, values) for k in system.children[i]]
    carried += [_array(c.point, values) for c in system.contacts if c.body == body.name and c.point is not None]
    corners = [np.zeros(3)]
    for point in carried:
        if all(np.linalg.norm(point - other) > SMALL for other in corners):
            corners.append(point)
    if isinstance(body, Body):
        centre = _array(body.com, values)
        if all(np.linalg.norm(centre - other) > SMALL for other in corners):
            return [np.array([corner, centre]) for corner in corners] + _ring(corners)
    return _ring(corners)


def _pieces(system: System, i: int) -> list[Floats]:
    """A piece of a soft body: a line along its axis."""
    found = []
    for shape in system.bodies[i].shapes if is_station(system, i) else ():
        half: float | None = None
        if isinstance(shape, Box):
            half = 0.5 * float(_array(shape.size, {})[0])
        elif isinstance(shape, Cylinder):
            half = float(_array(shape.end, {})[0])
        if half is not None:
            found.append(np.array([[-half, 0.0, 0.0], [half, 0.0, 0.0]]))
    return found


def _ring(corners: list[Floats]) -> list[Floats]:
    """From the first corner to each of the others."""
    return [np.array([corners[0], corner]) for corner in corners[1:]]


# -- contacts -----------------------------------------------------------------------------------------


@singledispatch
def contact_lines(contact: Contact, values: SymbolicValues) -> list[tuple[str, Floats]]:
    """Lines of one contact: kind ("wheel", "spoke" or "point") and points in body axes.

    Unless something better is registered: the outermost lines of its shape, seen along the axes of the body.
    """
    shape = shape_of(contact, values)
    return [("wheel", np.array([shape.centre + shape.support(d) for d in circle(axis)])) for axis in np.eye(3)]


@contact_lines.register
def _(contact: RollingDisc, values: SymbolicValues) -> list[tuple[str, Floats]]:
    return _wheel(_array(contact.centre, values), _array(contact.axis, values), _float(contact.radius, values))


@contact_lines.register
def _(contact: RollingTorus, values: SymbolicValues) -> list[tuple[str, Floats]]:
    radius = _float(contact.radius, values) + _float(contact.tube, values)
    return _wheel(_array(contact.centre, values), _array(contact.axis, values), radius)


@contact_lines.register(RollingCapsule)
@contact_lines.register(SlidingCapsule)
def _(contact: RollingCapsule | SlidingCapsule, values: SymbolicValues) -> list[tuple[str, Floats]]:
    start, end, radius = _array(contact.start, values), _array(contact.end, values), _float(contact.radius, values)
    rings = [("wheel", place + radius * circle(axis)) for place in (start, end) for axis in np.eye(3)]
    sides = [radius * turn for turn in circle(end - start)[:: CIRCLE // 4]]
    return rings + [("wheel", np.array([start + side, end + side])) for side in sides]


@contact_lines.register(StickingBox)
@contact_lines.register(SlidingBox)
def _(contact: StickingBox | SlidingBox, values: SymbolicValues) -> list[tuple[str, Floats]]:
    centre, half = _array(contact.centre, values), _array(contact.half_sizes, values)
    corners = [centre + half * np.array(signs) for signs in product((-1.0, 1.0), repeat=3)]
    pairs = [(a, b) for a, b in combinations(corners, 2) if np.count_nonzero(a != b) == 1]
    return [("wheel", np.array(pair)) for pair in pairs]


@contact_lines.register
def _(contact: Skate, values: SymbolicValues) -> list[tuple[str, Floats]]:
    at, heading = _array(contact.at, values), _array(contact.heading, values)
    return [("wheel", np.array([at - 0.05 * heading, at + 0.05 * heading]))]


@contact_lines.register(StickingPoint)
@contact_lines.register(SlidingPoint)
def _(contact: StickingPoint | SlidingPoint, values: SymbolicValues) -> list[tuple[str, Floats]]:
    return [("point", _array(contact.at, values)[None])]


def _float(quantity: Any, values: SymbolicValues) -> float:
    return float(evaluate(quantity, values))


def _wheel(centre: Floats, axis: Floats, radius: float) -> list[tuple[str, Floats]]:
    rim = centre + radius * circle(axis)
    return [("wheel", rim), ("spoke", np.array([centre, rim[0]]))]


def circle(axis: Floats) -> Floats:
    """The unit circle about an axis."""
    axis = axis / np.linalg.norm(axis)
    across = np.eye(3)[int(np.abs(axis).argmin())]
    first = np.cross(axis, across)
    first /= np.linalg.norm(first)
    turn = np.linspace(0.0, 2.0 * np.pi, CIRCLE)[:, None]
    return np.asarray(np.cos(turn) * first + np.sin(turn) * np.cross(axis, first))
