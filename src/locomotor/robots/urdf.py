"""URDF: the format of ROS. One tree of links; frames of joints are those of their children. Loops are those of URDF+.

Read element by element: the format is small, and parsers on PyPI drop what they do not know without a word.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from locomotor.checks import shown
from locomotor.errors import LocomotorError, NegativeLengthError, RobotFileError
from locomotor.model import Box, Capsule, Cylinder, Shape, Sphere
from locomotor.robots.doubts import tell_degrees
from locomotor.robots.meshes import Meshes
from locomotor.robots.parts import JointPart, Link, Loop, Notes, Ratio, Robot, Touch
from locomotor.robots.rotations import from_rpy, turning_to
from locomotor.robots.xml_tree import Element
from locomotor.typing import Floats

ZERO = (0.0, 0.0, 0.0)
KINDS = {
    "revolute": "Revolute",
    "continuous": "Revolute",
    "prismatic": "Prismatic",
    "fixed": "Fixed",
    "floating": "Free",
    "planar": "Planar",
}


LOOPS = {"revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "fixed": "weld", "spherical": "connect"}
"""Types of loops, and what they hold."""


def read_urdf(root: Element, meshes: Meshes, notes: Notes) -> Robot:
    """The robot of a <robot> element."""
    robot = Robot(root.word("name", ""), root.file, notes=notes)
    root.word("version", "")
    colours = {m.word("name", ""): _rgba(m) for m in root.all("material")}
    reader = _Shapes(meshes, colours, notes)
    for element in root.all("link"):
        robot.links.append(_link(element, reader))
    for element in root.all("joint"):
        robot.joints += _joints(element, robot)
    for element in root.all("loop"):
        robot.loops.append(_loop(element))
    _tell_unread(root, notes)
    tell_degrees(root, notes)
    return robot


# --- links ------------------------------------------------------------------------------------------------------------


def _link(element: Element, reader: _Shapes) -> Link:
    link = Link(element.word("name"), where=f"{element.file!r}, line {element.line}")
    element.word("type", "")
    inertial = element.child("inertial")
    if inertial is not None:
        at, R = pose_of(inertial)
        link.mass = inertial.need("mass").number("value")
        link.com = at
        link.inertia = R @ _inertia(inertial) @ R.T
    for visual in element.all("visual"):
        visual.word("name", "")
        shape = reader.shape(visual)
        if shape is not None:
            link.shapes.append(shape)
        link.partly |= shape is None
    for collision in element.all("collision"):
        collision.word("name", "")
        link.collides = True
        shape = reader.shape(collision)
        if shape is not None:
            link.touches.append(Touch(shape))
        link.partly |= shape is None
    return link


def _inertia(inertial: Element) -> Floats:
    given = inertial.need("inertia")
    xx, yy, zz = (given.number(name) for name in ("ixx", "iyy", "izz"))
    xy, xz, yz = (given.number(name, 0.0) for name in ("ixy", "ixz", "iyz"))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def pose_of(element: Element) -> tuple[Floats, Floats]:
    """Position and rotation of the <origin> of an element."""
    origin = element.child("origin")
    if origin is None:
        return np.zeros(3), np.eye(3)
    if "quat_xyzw" in origin.attributes:
        origin.wrong("quat_xyzw is not read; write rpy")
    angles = origin.numbers("rpy", 3, ZERO)
    origin.turned = float(np.abs(angles).max())
    return origin.numbers("xyz", 3, ZERO), from_rpy(angles)


# --- shapes -----------------------------------------------------------------------------------------------------------


class _Shapes:
    """Reads geometries, with the colours of the robot."""

    def __init__(self, meshes: Meshes, colours: dict[str, str], notes: Notes) -> None:
        self.meshes, self.colours, self.notes = meshes, colours, notes

    def shape(self, element: Element) -> Shape | None:
        """The shape of a <visual> or <collision>, or None for one that cannot be had."""
        at, R = pose_of(element)
        geometry = element.need("geometry")
        colour = self._colour(element)
        for tag, make in _GEOMETRIES.items():
            found = geometry.child(tag)
            if found is not None:
                try:
                    return make(found, at, R, colour)
                except RobotFileError:
                    raise
                except LocomotorError as error:  # a box without a side, as files often have: nothing to see
                    self.notes.add("ignored", f"{found.label} of {element.label}", str(error))
                    return None
        mesh = geometry.child("mesh")
        if mesh is not None:
            scale, name = mesh.numbers("scale", 3, (1.0, 1.0, 1.0)), mesh.word("filename")
            read = self.meshes.touching or element.tag == "visual"
            return self.meshes.shape(name, at, R, scale, colour) if read else None
        kinds = ", ".join(child.tag for child in geometry.children) or "nothing"
        self.notes.add("ignored", f"<geometry> of {element.label}", f"it holds {kinds}, which is no shape that is known")
        return None

    def _colour(self, element: Element) -> str:
        material = element.child("material")
        if material is None:
            return "body"
        name = material.word("name", "")
        own = _rgba(material)
        return own if own != "body" else self.colours.get(name, "body")


def _rgba(material: Element) -> str:
    colour = material.child("color")
    texture = material.child("texture")
    if texture is not None:
        texture.seen = False  # told as ignored
    return "body" if colour is None else hex_colour(colour.numbers("rgba", 4))


def hex_colour(rgba: Floats) -> str:
    """A colour of three or four shares as "#rrggbb"."""
    return "#" + "".join(f"{round(255 * min(1.0, max(0.0, float(share)))):02x}" for share in rgba[:3])


def _box(element: Element, at: Floats, R: Floats, colour: str) -> Shape:
    return Box(tuple(element.numbers("size", 3)), tuple(at), _rows(R), colour=colour)


def _sphere(element: Element, at: Floats, R: Floats, colour: str) -> Shape:
    return Sphere(element.number("radius"), tuple(at), colour=colour)


def ends_of(what: str, at: Floats, R: Floats, length: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Ends of a cylinder or a capsule along the third axis."""
    if length < 0.0:
        raise NegativeLengthError(f"{what}: its length is {length} m; it must be positive")
    half = 0.5 * length * R[:, 2]
    return tuple(at - half), tuple(at + half)


def _ends(element: Element, at: Floats, R: Floats) -> tuple[tuple[float, ...], tuple[float, ...], float]:
    length, radius = element.number("length"), element.number("radius")
    return *ends_of(element.tag, at, R, length), radius


def _cylinder(element: Element, at: Floats, R: Floats, colour: str) -> Shape:
    return Cylinder(*_ends(element, at, R), colour=colour)


def _capsule(element: Element, at: Floats, R: Floats, colour: str) -> Shape:
    return Capsule(*_ends(element, at, R), colour=colour)


_GEOMETRIES: dict[str, Callable[[Element, Floats, Floats, str], Shape]] = {
    "box": _box,
    "sphere": _sphere,
    "cylinder": _cylinder,
    "capsule": _capsule,
}


def _rows(R: Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(map(float, row)) for row in R)


# --- joints -----------------------------------------------------------------------------------------------------------


def _joints(element: Element, robot: Robot) -> list[JointPart]:
    """The joint of an element; a planar one about another axis than z is two, with a frame between them."""
    name, kind = element.word("name"), element.word("type")
    if kind not in KINDS:
        element.wrong(f"its type is {shown(kind)}; write one of {', '.join(KINDS)}")
    at, R = pose_of(element)
    parent, child = element.need("parent").word("link"), element.need("child").word("link")
    joint = JointPart(name, KINDS[kind], parent, child, at, R)
    if joint.kind in ("Revolute", "Prismatic", "Planar"):
        joint.axis = _axis(element)
    _read_dynamics(element, joint)
    _read_limits(element, joint, kind, robot.notes)
    mimic = element.child("mimic")
    if mimic is not None:
        offset, multiplier = mimic.number("offset", 0.0), mimic.number("multiplier", 1.0)
        ratio = Ratio(f"{name}_mimic", name, mimic.word("joint"), (offset, multiplier))
        if joint.kind in ("Revolute", "Prismatic"):
            robot.ratios.append(ratio)
        else:
            robot.notes.add("ignored", "<mimic>", f"a {kind} joint cannot follow another", name)
    if joint.kind != "Planar" or joint.axis is None or np.allclose(joint.axis, (0, 0, 1)):
        return [joint]
    turned = turning_to(joint.axis)
    between = Link(f"{name}_plane")
    robot.links.append(between)
    joint.rotation, joint.child = R @ turned, between.name
    return [joint, JointPart(f"{name}_back", "Fixed", between.name, child, np.zeros(3), turned.T)]


def _axis(element: Element) -> Floats:
    found = element.child("axis")
    axis = np.array([1.0, 0.0, 0.0]) if found is None else found.numbers("xyz", 3, (1.0, 0.0, 0.0))
    length = float(np.linalg.norm(axis))
    if length == 0.0 or not np.isfinite(length):
        (found or element).wrong("the axis is zero; write a direction such as 0 0 1")
    return np.asarray(axis / length)


def _read_dynamics(element: Element, joint: JointPart) -> None:
    dynamics = element.child("dynamics")
    if dynamics is None:
        return
    joint.damping = dynamics.number("damping", 0.0)
    if joint.damping < 0.0:
        dynamics.wrong(f"the damping is {joint.damping}; write zero or more")
    joint.dry = dynamics.number("friction", 0.0)
    if joint.dry < 0.0:
        dynamics.wrong(f"the friction is {joint.dry}; write zero or more")


def _read_limits(element: Element, joint: JointPart, kind: str, notes: Notes) -> None:
    limit = element.child("limit")
    if limit is None:
        return
    lower, upper = limit.number("lower", 0.0), limit.number("upper", 0.0)
    effort, speed = limit.number("effort", 0.0), limit.number("velocity", 0.0)
    joint.effort, joint.speed = effort or None, speed or None
    if kind in ("revolute", "prismatic"):
        if lower > upper:
            limit.wrong(f"lower is {lower} and upper {upper}; swap them")
        joint.limits = (lower, upper)
    elif (lower or upper) and kind != "fixed":
        notes.add("ignored", "lower and upper of <limit>", f"a {kind} joint has none", joint.name)


# --- loops ------------------------------------------------------------------------------------------------------------


def _loop(element: Element) -> Loop:
    """A <loop> of URDF+ (Chignoli et al. 2024, arXiv 2411.19753): a joint between two links, with a frame in each."""
    kind = element.word("type")
    if kind not in LOOPS:
        element.wrong(f"its type is {shown(kind)}; write one of {', '.join(LOOPS)}")
    (a, at_a, R_a), (b, at_b, R_b) = (_end(element.need(end)) for end in ("predecessor", "successor"))
    axis = R_b @ _axis(element) if LOOPS[kind] in ("revolute", "prismatic") else None
    return Loop(element.word("name"), a, at_a, b, at_b, LOOPS[kind], R_a @ R_b.T, axis)


def _end(element: Element) -> tuple[str, Floats, Floats]:
    """Link, point and rotation of one side of a loop."""
    name = element.word("link", "") or element.word("name")  # programs write either
    return name, *pose_of(element)


# --- what was not read --------------------------------------------------------------------------------------------------

REASONS = {
    "<transmission>": "motors are given as drives or inputs of joints",
    "<gazebo>": "it speaks to a simulator",
    "<sensor>": "sensors are channels of a run",
    "<safety_controller>": "it speaks to a controller",
    "<calibration>": "it speaks to a controller",
    "<texture>": "shapes have one colour",
    "<loop_joint>": "loops are read as <loop> of URDF+, or are closures of a system: system.replace(loops=[...])",
    "<coupling>": "a <mimic> of a joint, or a Gear or Coupling of a system, says it",
}


def _tell_unread(root: Element, notes: Notes) -> None:
    for name, element, _ in root.unread():
        if element.tag.startswith("xacro:"):
            element.wrong("it is a macro of xacro; run `xacro robot.urdf.xacro > robot.urdf` first, and load that file")
        notes.add("ignored", name, REASONS.get(name, "it says nothing that a system has"))
