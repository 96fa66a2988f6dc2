"""What a system looks like: meshes made from its bodies, joints, contacts, springs and grounds, nothing per system.

A body that has shapes looks like them. One without is drawn as rods from its centre of mass to wherever it is joined, with the
wheels, blades and feet that its contacts declare. Both have their centre of mass and the ellipsoid of even density that has
their mass and inertia, to be shown when asked for. How one kind of shape, joint, contact or ground is drawn is registered on
its type (`shapes.py`, `drawing.py`): a new kind adds a function there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import SE3
from locomotor.mechanics.tree import Instant, forward
from locomotor.model import (
    Body,
    Frame,
    Gravity,
    Joint,
    JointSpring,
    Planar,
    Plane,
    PointDamper,
    PointSpring,
    Prismatic,
    RodClosure,
    System,
    Wing,
    evaluate,
)
from locomotor.names import WORLD
from locomotor.typing import Values, Vector
from locomotor.viewing.scene import drawing
from locomotor.viewing.scene.drawing import Part, Strut, Surface
from locomotor.viewing.scene.ground_shapes import ground_shapes
from locomotor.viewing.scene.mesh import ellipsoid, merge, octants, rod
from locomotor.viewing.scene.shapes import draw_shapes
from locomotor.viewing.scene.skin import Skin, skins_of
from locomotor.viewing.scene.soft import Piece, is_station

ROD, MARK = 0.0095, 0.02
"""Radius of rods and of centre-of-mass marks, in units of the size of the system."""
SHORTEST_SLIDER = 0.05
"""Bodies that slide on each other are drawn as a telescope when they are farther apart than this, in the same units."""
THINNEST = 0.004
"""Smallest semi-axis of an ellipsoid that is drawn, in the same units."""
BEAD = 0.015
"""Largest semi-axis of a body without shapes among others that have some, in the same units."""
BELOW = 0.35
"""How far below it the level of what touches nothing is, in the same units."""
HIDDEN = ("solid", "com_dark", "com_light")
"""Roles of parts that do not make up a body."""


@dataclass(frozen=True, eq=False)
class SceneBody:
    """One body: its parts in its own frame, its mass (kg) and centre of mass (m)."""

    name: str
    parts: tuple[Part, ...]
    mass: float
    com: Vector
    box: Vector | None = None
    """(2, 3): lowest and highest corner of what is drawn of it at first, in its own frame; None where nothing is."""


@dataclass(frozen=True, eq=False)
class SceneContact:
    """A contact: its name is that of its channels in a run."""

    name: str
    body: str
    ground: str


@dataclass(frozen=True, eq=False)
class SceneWing:
    """A wing: its name is that of its channels in a run; the force of the air is drawn at a point of its body."""

    name: str
    body: int
    at: Vector


@dataclass(frozen=True, eq=False)
class Scene:
    """Everything that does not change while the system moves."""

    name: str
    description: str
    bodies: tuple[SceneBody, ...]
    """In the order of the system."""
    world: tuple[Part, ...]
    """Parts that do not move."""
    struts: tuple[Strut, ...]
    grounds: tuple[Surface, ...]
    contacts: tuple[SceneContact, ...]
    wings: tuple[SceneWing, ...]
    skins: tuple[Skin, ...]
    """What soft bodies are seen by."""
    up: Vector
    """Direction against gravity."""
    size: float
    """Length of the diagonal of the box around joints, contacts and centres of mass in the nominal pose (m)."""
    reach: float
    """Length of the diagonal of the box around everything that is drawn, in the nominal pose (m): what a picture must hold."""
    shaped: bool
    """Whether any body has shapes of its own: then centres of mass are shown only when asked for."""


def scene_of(system: System, parameters: Values | None = None) -> Scene:
    """The scene of a system, with its own parameter values or others."""
    values = {**system.parameters.values, **(parameters or {})}
    poses = forward(Instant(system, system.nominal_pose(values), np.zeros(system.layout.nv), parameters=values)).poses
    shapes = [draw_shapes(body.shapes or ground_shapes(system, body.name), values) for body in system.bodies]
    skeletons = [_skeleton(system, i, values, shapes[i]) for i in range(len(system.bodies))]
    struts = [_strut(system, part, poses, values) for part in _between(system)]
    size, up = _size(system, skeletons, poses, values), _up(system, values)
    struts += [strut for joint in system.joints if (strut := _slider(system, joint, poses, size, values))]
    world = [
        part
        for i, joint in enumerate(system.joints)
        if joint.parent == WORLD and skeletons[i].drawn and not skeletons[i].shapes
        for part in drawing.draw_joint(joint, np.zeros(3), skeletons[i].hub, size, values)
    ]
    world += draw_shapes(system.scenery or ground_shapes(system, WORLD), values)
    bodies = tuple(_body(system, i, skeletons, size, values) for i in range(len(system.bodies)))
    return Scene(
        name=system.name,
        description=system.description,
        bodies=bodies,
        world=tuple(world),
        struts=tuple(drawing.draw_strut(strut, size) for strut in struts),
        grounds=_grounds(system, bodies, poses, up, size, values),
        contacts=tuple(SceneContact(c.name, c.body, c.ground) for c in system.contacts),
        wings=tuple(_wing(system, force, values) for force in system.forces if isinstance(force, Wing)),
        skins=skins_of(system, values),
        up=up,
        size=size,
        reach=max(size, _reach(system, skeletons, struts, poses, size, values)),
        shaped=any(shapes),
    )


def _wing(system: System, wing: Wing, values: Values) -> SceneWing:
    """A wing with the middle of its sections, by area and by the square of the place, where most of the air pushes."""
    stations = wing.stations(values)
    weights = np.array([s.width * s.chord * s.place**2 for s in stations], dtype=float)
    middle = sum(w * np.asarray(s.line, dtype=float) for w, s in zip(weights / weights.sum(), stations, strict=True))
    return SceneWing(wing.name, [body.name for body in system.bodies].index(wing.body), np.asarray(middle))


def _grounds(
    system: System, bodies: Sequence[SceneBody], poses: Sequence[SE3], up: Vector, size: float, values: Values
) -> tuple[Surface, ...]:
    """Terrains, and planes that something touches or that were declared otherwise than by default; scenery replaces planes.

    What moves in a plane and touches nothing, as a swimmer, has a level to be seen against, below it.
    """
    touched = {contact.ground for contact in system.contacts}
    touched |= {getattr(force, field) for force in system.forces for field in force.GROUNDS}
    found = [
        surface
        for ground in system.grounds
        if ground.body == WORLD
        if not isinstance(ground, Plane) or (not system.scenery and (ground.name in touched or ground != Plane()))
        if (surface := drawing.draw_ground(ground, up, size, values)) is not None
    ]
    planar = any(isinstance(joint, Planar) for joint in system.joints if joint.parent == WORLD)
    if found or system.scenery or not planar:
        return tuple(found)
    corners = [
        pose.rotation @ corner + pose.translation
        for body, pose in zip(bodies, poses, strict=True)
        if body.box is not None
        for corner in _corners(body.box)
    ]
    lowest = min((float(up @ corner) for corner in corners), default=0.0)
    return (Surface("level", (lowest - BELOW * size) * up, up),)


@dataclass(frozen=True, eq=False)
class _Skeleton:
    """Where rods go: from the hub (the centre of mass) to the anchors, all in the frame of the body; its shapes, if any."""

    mass: float
    inertia: Vector
    com: Vector
    hub: Vector
    anchors: tuple[Vector, ...]
    drawn: bool
    shapes: tuple[Part, ...]


def _numbers(value: object, values: Values) -> Vector:
    return np.asarray(evaluate(value, values), dtype=float)


def _skeleton(system: System, index: int, values: Values, shapes: list[Part]) -> _Skeleton:
    body, carrier = system.bodies[index], system.joints[index]
    mass, com, inertia = (np.asarray(x, dtype=float) for x in body.mass_properties(values))
    hub = com if isinstance(body, Body) else np.zeros(3)
    held: list[Vector | None] = [drawing.anchor_of_contact(c, values) for c in system.contacts if c.body == body.name]
    if carrier.parent == WORLD or not _is_virtual(system, system.parents[index]):
        held.append(drawing.anchor_of_child(carrier, hub, values))
    anchors = [point for point in held if point is not None]
    anchors += [drawing.anchor_of_parent(system.joints[i], hub, values) for i in system.children[index]]
    for part in _between(system):
        ends = ((part.body_a, part.at_a), (part.body_b, part.at_b))
        anchors += [_numbers(at, values) for name, at in ends if name == body.name]
    return _Skeleton(float(mass), inertia, com, hub, tuple(anchors), not _is_virtual(system, index), tuple(shapes))


def _is_virtual(system: System, index: int) -> bool:
    """Whether a body only splits a free motion into its parts: a massless frame, borne by nothing but such frames."""
    body, carrier = system.bodies[index], system.joints[index]
    if not isinstance(body, Frame) or body.shapes or any(c.body == body.name for c in system.contacts):
        return False
    if carrier.parent == WORLD:
        return carrier.FLOATS or isinstance(carrier, Prismatic)
    return _is_virtual(system, system.parents[index])


def _size(system: System, skeletons: list[_Skeleton], poses: tuple[SE3, ...], values: Values) -> float:
    """Diagonal of the box around all hubs, anchors and wheels in the nominal pose."""
    points = []
    for body, skeleton, pose in zip(system.bodies, skeletons, poses, strict=True):
        if not skeleton.drawn:
            continue
        if skeleton.shapes:
            points += [pose.rotation @ p + pose.translation for p in _corners(_box(skeleton.shapes))]
            continue
        around = []
        for contact in system.contacts:
            if contact.body == body.name:
                centre, reach = drawing.anchor_of_contact(contact, values), drawing.reach_of_contact(contact, values)
                around += [centre + reach * e for e in (*np.eye(3), *-np.eye(3))]
        points += [pose.rotation @ p + pose.translation for p in (skeleton.hub, *skeleton.anchors, *around)]
    if not points:
        return 1.0
    cloud = np.array(points, dtype=float)
    diagonal = float(np.linalg.norm(cloud.max(axis=0) - cloud.min(axis=0)))
    if diagonal > 1e-9:
        return diagonal
    # A lone body without contacts: as large as its ellipsoid.
    half = [_semi_axes(s)[0].max() for s in skeletons if s.mass > 0.0]
    return 2.0 * float(max(half, default=0.5))


def _reach(
    system: System,
    skeletons: list[_Skeleton],
    struts: list[Strut],
    poses: tuple[SE3, ...],
    size: float,
    values: Values,
) -> float:
    """Diagonal of the box around ellipsoids (of a body's usual size), springs and what holds the system to the world."""
    points = [np.asarray(j.placement(values).translation) for j in system.joints if _holds(j)]
    points += [at for s in struts for body, at in ((s.body_a, s.at_a), (s.body_b, s.at_b)) if body < 0]
    for skeleton, pose in zip(skeletons, poses, strict=True):
        if skeleton.shapes:
            points += [pose.rotation @ p + pose.translation for p in _corners(_box(skeleton.shapes))]
            continue
        half = min(_semi_axes(skeleton)[0].max(), 0.5 * size) if skeleton.mass > 0.0 else 0.0
        centre = pose.rotation @ skeleton.hub + pose.translation
        points += [centre + 0.7 * half * e for e in (*np.eye(3), *-np.eye(3))]
    cloud = np.array(points, dtype=float)
    return float(np.linalg.norm(cloud.max(axis=0) - cloud.min(axis=0)))


def _holds(joint: Joint) -> bool:
    return joint.parent == WORLD and not joint.FLOATS


def _semi_axes(skeleton: _Skeleton) -> tuple[Vector, Vector]:
    """Semi-axes and axes of the ellipsoid of even density with this mass and inertia.

    I_i = m (a_j² + a_k²)/5 for each axis, hence a_i² = 5 (I_j + I_k - I_i)/(2 m).
    """
    moments, axes = np.linalg.eigh(skeleton.inertia)
    squares = 2.5 * (moments.sum() - 2.0 * moments) / skeleton.mass
    return np.sqrt(np.maximum(squares, 0.0)), axes * np.sign(np.linalg.det(axes))


def _body(system: System, index: int, skeletons: list[_Skeleton], size: float, values: Values) -> SceneBody:
    body, skeleton = system.bodies[index], skeletons[index]
    if not skeleton.drawn:
        return SceneBody(body.name, (), 0.0, skeleton.com)
    if isinstance(body, Piece):  # the skin shows it
        return SceneBody(body.name, (), 0.0, skeleton.com, _box(skeleton.shapes))
    parts = list(skeleton.shapes) or _sticks(system, index, skeletons, size, values)
    seen = [part for part in parts if part.role not in HIDDEN]
    if skeleton.mass > 0.0:
        half, axes = _semi_axes(skeleton)
        solid = ellipsoid(skeleton.com, axes, np.maximum(half, THINNEST * size))
        if not seen:  # nothing else tells where it is
            # Beside bodies that look like something it is a bead: an inertia that somebody made up would be a balloon.
            most = 0.5 * size if len(system.bodies) == 1 else BEAD * size if any(s.shapes for s in skeletons) else 0.2 * size
            parts.append(Part("link", ellipsoid(skeleton.com, axes, np.clip(half, THINNEST * size, most))))
        mark = MARK * size
        if skeleton.shapes or not any(drawing.is_round(c, values) for c in system.contacts if c.body == body.name):
            parts.append(Part("solid", solid))
        else:
            mark *= 0.6  # a wheel's hub must stay visible
        parts += [Part(f"com_{c}", octants(skeleton.com, mark, even=c == "dark")) for c in ("dark", "light")]
    seen = [part for part in parts if part.role not in HIDDEN]
    return SceneBody(body.name, tuple(parts), skeleton.mass, skeleton.com, _box(seen) if seen else None)


def _box(parts: Sequence[Part]) -> Vector:
    """Lowest and highest corner of parts."""
    cloud = np.concatenate([part.mesh.vertices for part in parts]).astype(float)
    return np.array([cloud.min(axis=0), cloud.max(axis=0)])


def _corners(box: Vector) -> list[Vector]:
    """The eight corners of a box."""
    return [np.array([box[i, 0], box[j, 1], box[k, 2]]) for i in (0, 1) for j in (0, 1) for k in (0, 1)]


def _sticks(system: System, index: int, skeletons: list[_Skeleton], size: float, values: Values) -> list[Part]:
    """A body without shapes: its contacts, rods to where it is joined, and the joints it bears."""
    body, skeleton = system.bodies[index], skeletons[index]
    contacts = [c for c in system.contacts if c.body == body.name]
    parts = [part for c in contacts for part in drawing.draw_contact(c, skeleton.hub, size, values)]
    if isinstance(body, Frame) and any(other.shapes for other in skeletons):
        # Beside bodies that look like something, a massless frame is nothing to see, but what a soft body touches with.
        return parts if is_station(system, index) else []
    rods = [
        rod(skeleton.hub, anchor, ROD * size)
        for anchor in skeleton.anchors
        if np.linalg.norm(anchor - skeleton.hub) > 2.0 * ROD * size
    ]
    if rods:
        parts.append(Part("link", merge(rods)))
    for i in system.children[index]:
        joint = system.joints[i]
        wheel = any(drawing.is_wheel_on(c, joint, values) for c in system.contacts if c.body == joint.child)
        draw = drawing.draw_axle if wheel else drawing.draw_joint
        parts += draw(joint, skeleton.hub, skeletons[i].hub, size, values)
    return parts


@singledispatch
def strut_role(part: object) -> str:
    """What a part that goes from a point of one body to a point of another is drawn as; nothing for what is not drawn so."""
    return ""


@strut_role.register
def _(part: PointSpring) -> str:
    return "spring"


@strut_role.register
def _(part: PointDamper) -> str:
    return "damper"


@strut_role.register
def _(part: RodClosure) -> str:
    return "rod"


def _between(system: System) -> list[Any]:
    """Forces and closures that are drawn from a point of one body to a point of another."""
    return [part for part in (*system.forces, *system.loops) if strut_role(part)]


def _strut(system: System, part: Any, poses: tuple[SE3, ...], values: Values) -> Strut:
    """A spring, damper or rod between two bodies, at its length in the nominal pose."""
    at_a, at_b = _numbers(part.at_a, values), _numbers(part.at_b, values)
    ends = []
    for name, at in ((part.body_a, at_a), (part.body_b, at_b)):
        index = system.index(name)
        ends.append(at if index < 0 else np.asarray(poses[index].rotation @ at + poses[index].translation, dtype=float))
    length = float(np.linalg.norm(ends[1] - ends[0]))
    return Strut(part.name, strut_role(part), system.index(part.body_a), at_a, system.index(part.body_b), at_b, length)


def _slider(system: System, joint: Joint, poses: tuple[SE3, ...], size: float, values: Values) -> Strut | None:
    """A telescope between two bodies that a joint lets slide apart; a coil where a spring acts on the joint."""
    if not isinstance(joint, Prismatic) or joint.parent == WORLD:
        return None
    parent, child = system.index(joint.parent), system.index(joint.child)
    bare = isinstance(system.bodies[parent], Frame) and not system.bodies[parent].shapes
    if bare and (system.joints[parent].parent == WORLD or any(body.shapes for body in system.bodies)):
        return None  # slides that stand for a motion in a plane
    at = np.asarray(joint.placement(values).translation, dtype=float)
    foot = np.asarray(poses[parent].rotation @ at + poses[parent].translation, dtype=float)
    length = float(np.linalg.norm(np.asarray(poses[child].translation, dtype=float) - foot))
    if length < SHORTEST_SLIDER * size:
        return None
    sprung = any(isinstance(force, JointSpring) and force.joint == joint.name for force in system.forces)
    return Strut(joint.name, "spring" if sprung else "damper", parent, at, child, np.zeros(3), length)


def _up(system: System, values: Values) -> Vector:
    """Against the sum of all uniform gravity; z where there is none."""
    pull = sum((_numbers(f.acceleration, values) for f in system.forces if isinstance(f, Gravity)), np.zeros(3))
    strength = float(np.linalg.norm(pull))
    return -pull / strength if strength > 1e-12 else np.array([0.0, 0.0, 1.0])
