"""How one kind of joint or contact is drawn: functions registered on the types of `locomotor.model`.

`hub` is the point of a body that its rods start from, `size` the size of the system; points are in the frame of the
body that carries the part.
"""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.geometry import Box, Shape, shape_of
from locomotor.mechanics.tree import rotation_about
from locomotor.model import (
    Contact,
    Fixed,
    Free,
    Helical,
    Joint,
    Planar,
    Plane,
    Prismatic,
    Revolute,
    RollingCapsule,
    RollingDisc,
    RollingTorus,
    Skate,
    SlidingBox,
    SlidingCapsule,
    SlidingPoint,
    StickingBox,
    StickingPoint,
    Terrain,
    Translation,
    evaluate,
)
from locomotor.typing import Values, Vector
from locomotor.viewing.scene.forms import BOX_TRIANGLES
from locomotor.viewing.scene.mesh import (
    Mesh,
    arc,
    ball,
    copies,
    facets,
    frame_about,
    merge,
    mesh,
    octants,
    ring,
    skin,
    slab,
    tube,
)
from locomotor.viewing.scene.relief import edges_of, skirt, wires

HINGE_LENGTH, HINGE_RADIUS = 0.05, 0.014
RAIL, RAIL_RADIUS = 0.25, 0.006
KNUCKLE, AXLE = 0.02, 0.0075
BLADE_LENGTH, BLADE_HEIGHT, BLADE_WIDTH = 0.1, 0.05, 0.008
FOOT = 0.018
COIL, WIRE, TURNS = 0.018, 0.004, 9
SPAR = 0.0065
SPOKES = 18
STEEP = 0.5
"""Cosine of the angle between the normal of a plane and the upright below which the plane is a wall."""
EDGE = 0.004
"""Radius of the lines along the edges of a terrain, in sizes of the system."""


@dataclass(frozen=True, eq=False)
class Part:
    """A mesh and the role it plays, which decides its material (see `materials.py`); a colour where it has one of its own."""

    role: str
    mesh: Mesh
    colour: str = ""


@dataclass(frozen=True, eq=False)
class Strut:
    """A spring, damper or rod between points of two bodies (index -1: the world).

    Its mesh runs along z from 0 to `length` and is stretched to the distance of the two points.
    """

    name: str
    role: str
    body_a: int
    at_a: Vector
    body_b: int
    at_b: Vector
    length: float
    mesh: Mesh | None = None


@dataclass(frozen=True, eq=False)
class Surface:
    """A ground that bodies touch: the plane through a point with a normal, or a mesh where there is one."""

    name: str
    point: Vector
    normal: Vector
    mesh: Mesh | None = None
    wall: bool = False
    """Whether a plane stands upright, as one that is climbed."""
    rim: Mesh | None = None
    """Walls under the rim of a terrain."""
    edges: Mesh | None = None
    """Where the faces of a terrain meet at an angle, and where it ends."""


def numbers(value: Any, values: Values) -> Vector:
    """A quantity or vector of the model as floats."""
    return np.asarray(evaluate(value, values), dtype=float)


# -- joints -------------------------------------------------------------------------------------------


@singledispatch
def axis_of(joint: Joint, values: Values) -> Vector | None:
    """Unit axis of a joint in its placement, if it has a single one."""
    return None


@axis_of.register(Revolute)
@axis_of.register(Helical)
@axis_of.register(Prismatic)
def _(joint: Any, values: Values) -> Vector | None:
    return numbers(joint.axis, values)


def _nearest(origin: Vector, axis: Vector | None, hub: Vector) -> Vector:
    """The point of the joint nearest to a hub: a bearing may sit anywhere on the axis."""
    return origin if axis is None else origin + axis * float(axis @ (hub - origin))


def _placed(joint: Joint, values: Values) -> tuple[Vector, Vector | None]:
    """Origin and axis of a joint in the frame of its parent."""
    placement = joint.placement(values)
    axis = axis_of(joint, values)
    origin = np.asarray(placement.translation, dtype=float)
    return origin, None if axis is None else np.asarray(placement.rotation, dtype=float) @ axis


def anchor_of_parent(joint: Joint, hub: Vector, values: Values) -> Vector:
    """Where the parent holds a joint."""
    return _nearest(*_placed(joint, values), hub)


def anchor_of_child(joint: Joint, hub: Vector, values: Values) -> Vector | None:
    """Where the child is held, in its own frame; None where nothing holds it."""
    if joint.FLOATS:
        return None
    return _nearest(np.zeros(3), axis_of(joint, values), hub)


@singledispatch
def draw_joint(joint: Joint, hub: Vector, child_hub: Vector, size: float, values: Values) -> list[Part]:
    """Parts of a joint, in the frame of its parent: a ball, unless something better is registered."""
    return [Part("hinge", ball(_placed(joint, values)[0], KNUCKLE * size))]


@draw_joint.register(Free)
@draw_joint.register(Planar)
@draw_joint.register(Translation)
@draw_joint.register(Fixed)
def _(joint: Any, hub: Vector, child_hub: Vector, size: float, values: Values) -> list[Part]:
    return []


@draw_joint.register(Revolute)
@draw_joint.register(Helical)
def _(joint: Any, hub: Vector, child_hub: Vector, size: float, values: Values) -> list[Part]:
    """A sleeve on the axis that reaches from the bearing of the parent to that of the child."""
    origin, axis = _placed(joint, values)
    assert axis is not None
    ends = [float(axis @ (hub - origin)), float(numbers(joint.axis, values) @ child_hub)]
    middle, half = 0.5 * sum(ends), max(0.5 * abs(ends[1] - ends[0]), 0.5 * HINGE_LENGTH * size)
    low, high = origin + (middle - half) * axis, origin + (middle + half) * axis
    return [Part("hinge", tube(low, high, HINGE_RADIUS * size, sides=20))]


def draw_axle(joint: Joint, hub: Vector, child_hub: Vector, size: float, values: Values) -> list[Part]:
    """A thin rod along the axis of a wheel, from the bearing of the parent to the wheel; nothing where they meet."""
    origin, axis = _placed(joint, values)
    own = axis_of(joint, values)
    if axis is None or own is None:
        return []
    near, wheel = _nearest(origin, axis, hub), origin + axis * float(own @ child_hub)
    if np.linalg.norm(wheel - near) < 2.0 * AXLE * size:
        return []
    return [Part("link", tube(near, wheel, AXLE * size, sides=16))]


@draw_joint.register(Prismatic)
def _(joint: Prismatic, hub: Vector, child_hub: Vector, size: float, values: Values) -> list[Part]:
    origin, axis = _placed(joint, values)
    assert axis is not None
    near = _nearest(origin, axis, hub)
    reach = RAIL * size * axis
    return [Part("hinge", tube(near - reach, near + reach, RAIL_RADIUS * size, sides=16))]


# -- contacts -----------------------------------------------------------------------------------------


def is_round(contact: Contact, values: Values) -> bool:
    """Whether the contact is more than a point: a wheel, a ball or a solid, which then is what the body looks like."""
    return reach_of_contact(contact, values) > 0.0


def is_wheel_on(contact: Contact, joint: Joint, values: Values) -> bool:
    """Whether the contact is a wheel that turns on this joint: its hub is drawn already."""
    axis = axis_of(joint, values)
    if axis is None or contact.rim is None:
        return False
    return float(np.linalg.norm(np.cross(numbers(contact.rim[1], values), axis))) < 1e-6


def anchor_of_contact(contact: Contact, values: Values) -> Vector:
    """The point of the body that carries the contact."""
    return shape_of(contact, values).centre


def reach_of_contact(contact: Contact, values: Values) -> float:
    """Radius of a ball around the anchor of the contact that holds all of it."""
    return shape_of(contact, values).size


@singledispatch
def draw_contact(contact: Contact, hub: Vector, size: float, values: Values) -> list[Part]:
    """Parts of a contact, in the frame of its body: its shape in octants of two colours, unless a better one is registered."""
    shape = shape_of(contact, values)
    return [
        Part(role, _hull(shape, octants(np.zeros(3), 1.0, even, rings=12))) for role, even in (("tyre", True), ("rim", False))
    ]


def _hull(shape: Shape, directions: Mesh) -> Mesh:
    """The surface of a convex shape, from a piece of the unit sphere: each of its points is where that direction is met."""
    unit = np.asarray(directions.vertices, dtype=float)
    unit = unit / np.linalg.norm(unit, axis=1)[:, None]
    return mesh(shape.centre + np.array([shape.support(d) for d in unit]), unit, directions.triangles)


@draw_contact.register(RollingDisc)
def _(contact: RollingDisc, hub: Vector, size: float, values: Values) -> list[Part]:
    radius = reach_of_contact(contact, values)
    tyre = 0.028 * radius
    return draw_wheel(numbers(contact.centre, values), numbers(contact.axis, values), radius - tyre, tyre)


@draw_contact.register(RollingTorus)
def _(contact: RollingTorus, hub: Vector, size: float, values: Values) -> list[Part]:
    radius, tyre = (float(numbers(x, values)) for x in (contact.radius, contact.tube))
    return draw_wheel(numbers(contact.centre, values), numbers(contact.axis, values), radius, tyre)


def draw_wheel(centre: Vector, axis: Vector, radius: float, tyre: float) -> list[Part]:
    """Tyre, rim, spokes to both ends of the hub, and a mark on the tyre that shows how far it has turned."""
    frame = frame_about(axis)
    inner = max(radius - tyre, 0.1 * radius)
    rim = min(0.5 * tyre, 0.02 * radius)
    width = max(0.1 * radius, min(tyre, 0.3 * radius))
    spokes = []
    for first, side in ((0, -0.8 * width), (1, 0.8 * width)):
        start = centre + side * frame[:, 2] + 0.05 * radius * frame[:, 0]
        spoke = tube(start, centre + inner * frame[:, 0], 0.008 * radius, sides=6)
        turns = [rotation_about(axis, 2.0 * np.pi * i / SPOKES) for i in range(first, SPOKES, 2)]
        spokes.append(copies(spoke, turns, centre))
    hub = tube(centre - width * axis, centre + width * axis, 0.06 * radius, sides=20)
    return [
        Part("tyre", ring(centre, axis, radius, tyre, around=14 if tyre < 0.1 * radius else 28)),
        Part("rim", merge([ring(centre, axis, inner - rim, rim, around=8), hub, *spokes])),
        Part("mark", arc(centre, axis, radius, 1.08 * tyre, -0.12, 0.12)),
    ]


@draw_contact.register(RollingCapsule)
@draw_contact.register(SlidingCapsule)
def _(contact: RollingCapsule | SlidingCapsule, hub: Vector, size: float, values: Values) -> list[Part]:
    start, end, radius = (numbers(value, values) for value in (contact.start, contact.end, contact.radius))
    return [
        Part("rim", tube(start, end, float(radius))),
        Part("tyre", merge([ball(start, float(radius)), ball(end, float(radius))])),
    ]


@draw_contact.register(StickingBox)
@draw_contact.register(SlidingBox)
def _(contact: StickingBox | SlidingBox, hub: Vector, size: float, values: Values) -> list[Part]:
    box = shape_of(contact, values)
    assert isinstance(box, Box)
    return [Part("rim", facets(skin(box.corners, BOX_TRIANGLES)))]


@draw_contact.register(Skate)
def _(contact: Skate, hub: Vector, size: float, values: Values) -> list[Part]:
    at, heading = numbers(contact.at, values), numbers(contact.heading, values)
    up = _upward(hub - at, heading)
    bottom = np.linspace(np.pi, 2.0 * np.pi, 17)
    outline = np.stack([0.5 * BLADE_LENGTH * size * np.cos(bottom), BLADE_HEIGHT * size * np.sin(bottom)], axis=-1)
    frame = np.stack([heading, up, np.cross(heading, up)], axis=1)
    return [Part("blade", slab(outline, BLADE_WIDTH * size, frame, at + BLADE_HEIGHT * size * up))]


@draw_contact.register(StickingPoint)
@draw_contact.register(SlidingPoint)
def _(contact: Any, hub: Vector, size: float, values: Values) -> list[Part]:
    return [Part("foot", ball(numbers(contact.at, values), FOOT * size))]


def _upward(wish: Vector, heading: Vector) -> Vector:
    """Unit vector across the heading, towards the wish as far as possible, else towards z or y."""
    for candidate in (wish, np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])):
        across = candidate - heading * float(heading @ candidate)
        length = float(np.linalg.norm(across))
        if length > 1e-6 * max(float(np.linalg.norm(candidate)), 1e-12):
            return across / length
    return np.array([1.0, 0.0, 0.0])


# -- grounds ------------------------------------------------------------------------------------------


@singledispatch
def draw_ground(ground: Any, up: Vector, size: float, values: Values) -> Surface | None:
    """A ground as it is drawn; None for a kind that has no drawing."""
    return None


@draw_ground.register
def _(ground: Plane, up: Vector, size: float, values: Values) -> Surface:
    normal = numbers(ground.normal, values)
    return Surface(ground.name, numbers(ground.point, values), normal, wall=abs(float(normal @ up)) < STEEP)


@draw_ground.register
def _(ground: Terrain, up: Vector, size: float, values: Values) -> Surface:
    vertices = np.asarray(ground.vertices, dtype=float)
    sharp, rim = edges_of(vertices, ground.triangles)
    lines = wires(np.concatenate([sharp, rim]), EDGE * size)
    surface = skin(vertices, ground.triangles)
    return Surface(ground.name, vertices.mean(axis=0), up, surface, rim=skirt(rim, up, vertices), edges=lines)


# -- struts -------------------------------------------------------------------------------------------


def draw_strut(strut: Strut, size: float) -> Strut:
    """The strut with its mesh: a coil for a spring, a thin tube for a damper, a thicker one for a rod."""
    length = max(strut.length, 0.02 * size)
    if strut.role == "spring":
        shape = _coil(length, COIL * size, WIRE * size)
    else:
        shape = tube((0.0, 0.0, 0.0), (0.0, 0.0, length), (SPAR if strut.role == "rod" else WIRE) * size)
    return replace(strut, length=length, mesh=shape)


def _coil(length: float, radius: float, wire: float) -> Mesh:
    """A wire wound along z, straight at both ends."""
    share = np.linspace(0.0, 1.0, 12 * TURNS + 1)
    angle = 2.0 * np.pi * TURNS * share
    wide = radius * np.clip(8.0 * np.minimum(share, 1.0 - share), 0.0, 1.0)
    path = np.stack([wide * np.cos(angle), wide * np.sin(angle), length * share], axis=-1)
    along = np.gradient(path, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    out = np.stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)], axis=-1)
    out -= along * np.sum(out * along, axis=1, keepdims=True)
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    side = np.cross(along, out)
    around = np.linspace(0.0, 2.0 * np.pi, 9)
    normals = np.cos(around)[None, :, None] * out[:, None] + np.sin(around)[None, :, None] * side[:, None]
    vertices = path[:, None] + wire * normals
    rows, columns = len(path) - 1, len(around) - 1
    a = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).ravel()
    b = a + columns + 1
    return mesh(vertices, normals, np.stack([a, a + 1, b, a + 1, b + 1, b], axis=-1).reshape(-1, 3))
