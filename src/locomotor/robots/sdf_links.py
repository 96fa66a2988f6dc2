"""Links of SDF: masses and shapes, whose numbers are texts of elements."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from locomotor.errors import LocomotorError, RobotFileError
from locomotor.model import Box, Capsule, Cylinder, Ellipsoid, Shape, Sphere
from locomotor.robots.meshes import Meshes
from locomotor.robots.parts import Link, Notes, Touch
from locomotor.robots.sdf_frames import read_pose
from locomotor.robots.urdf import ends_of, hex_colour
from locomotor.robots.xml_tree import Element
from locomotor.typing import Floats

UNBOUNDED = 1e16
"""What the format writes for a bound that is none."""


def read_link(name: str, element: Element, origin: Floats, meshes: Meshes, notes: Notes) -> Link:
    """A link, all points counted from `origin`."""
    link = Link(name, where=f"{element.file!r}, line {element.line}")
    inertial = element.child("inertial")
    if inertial is not None:
        (R, p), _ = read_pose(inertial)
        link.mass, link.com = number_of(inertial, "mass", 1.0), p - origin
        link.inertia = R @ _inertia(inertial) @ R.T
        for tag, usual in _unsaid(inertial):
            notes.add("doubt", f"link {name!r}", f"its <inertial> has no <{tag}>, which is {usual} by the format")
    else:  # what the format says of a link without
        link.mass, link.com, link.inertia = 1.0, -origin, np.eye(3)
        notes.add("doubt", f"link {name!r}", "it has no <inertial>, which is 1 kg and 1 kg m² by the format")
    for visual in element.all("visual"):
        shape = _shape(visual, origin, meshes, notes)
        link.shapes += [] if shape is None else [shape]
        link.partly |= shape is None
    for collision in element.all("collision"):
        link.collides = True
        shape = _shape(collision, origin, meshes, notes)
        link.touches += [] if shape is None else [Touch(shape, _friction(collision, notes))]
        link.partly |= shape is None
    return link


def _shape(element: Element, origin: Floats, meshes: Meshes, notes: Notes) -> Shape | None:
    element.word("name", "")
    (R, p), _ = read_pose(element)
    geometry, colour = element.need("geometry"), _colour(element)
    for tag, make in _GEOMETRIES.items():
        found = geometry.child(tag)
        if found is None:
            continue
        try:
            return make(found, p - origin, R, colour)
        except RobotFileError:
            raise
        except LocomotorError as error:
            notes.add("ignored", f"<{tag}> of {element.label}", str(error))
            return None
    mesh = geometry.child("mesh")
    if mesh is not None:
        scale = mesh.child("scale")
        sizes, name = np.ones(3) if scale is None else scale.values(3, (1.0, 1.0, 1.0)), text_of(mesh, "uri")
        read = meshes.touching or element.tag == "visual"
        return meshes.shape(name, p - origin, R, sizes, colour) if read else None
    kinds = ", ".join(child.tag for child in geometry.children) or "nothing"
    notes.add("ignored", f"<geometry> of {element.label}", f"it holds {kinds}, which is no shape that is known")
    return None


# --- words and numbers --------------------------------------------------------------------------------------------------


def text_of(element: Element, tag: str) -> str:
    """The text of a child, which must be there."""
    found = element.need(tag).text.strip()
    return found or element.wrong(f"its <{tag}> is empty; write a name")


def number_of(element: Element, tag: str, default: float) -> float:
    """The number of a child."""
    found = element.child(tag)
    return default if found is None else found.value(default)


def bound_of(element: Element, tag: str, default: float) -> float:
    """The number of a child that bounds something, which may be infinite: that is the format's 1e16."""
    found = element.child(tag)
    if found is not None and found.text.strip().lower().lstrip("+-") in ("inf", "infinity"):
        return math.copysign(UNBOUNDED, -1.0 if "-" in found.text else 1.0)
    return number_of(element, tag, default)


def _unsaid(inertial: Element) -> list[tuple[str, str]]:
    """What a link does not say of its mass and its moments, and what they are by the format."""
    given = inertial.child("inertia")
    moments = [] if given is None else [(given, tag, "1 kg m²") for tag in ("ixx", "iyy", "izz")]
    asked = [(inertial, "mass", "1 kg"), *(moments or [(inertial, "inertia", "1 kg m²")])]
    return [(tag, usual) for holder, tag, usual in asked if (found := holder.child(tag)) is None or not found.text.strip()]


def is_true(element: Element, tag: str) -> bool:
    """Whether a child says yes."""
    found = element.child(tag)
    return found is not None and found.text.strip().lower() in ("true", "1")


def _inertia(inertial: Element) -> Floats:
    given = inertial.child("inertia")
    if given is None:
        return np.eye(3)
    xx, yy, zz = (number_of(given, tag, 1.0) for tag in ("ixx", "iyy", "izz"))
    xy, xz, yz = (number_of(given, tag, 0.0) for tag in ("ixy", "ixz", "iyz"))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _friction(collision: Element, notes: Notes) -> float | None:
    found: Element | None = collision
    for tag in ("surface", "friction", "ode", "mu"):
        found = None if found is None else found.child(tag)
    told = None if found is None else found.value(1.0)
    if told is None or told >= 0.0:
        return told
    notes.add("changed", "negative <mu>", "friction of contacts is zero or more: its size counts", collision.label)
    return -told


def _colour(element: Element) -> str:
    material = element.child("material")
    diffuse = None if material is None else (material.child("diffuse") or material.child("ambient"))
    if diffuse is None:
        return "body"
    words = diffuse.text.split()
    return hex_colour(diffuse.values(len(words) if len(words) in (3, 4) else 4))


def _rows(R: Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(map(float, row)) for row in R)


def _ends(element: Element, at: Floats, R: Floats) -> tuple[tuple[float, ...], tuple[float, ...], float]:
    length, radius = number_of(element, "length", 1.0), number_of(element, "radius", 1.0)
    return *ends_of(element.tag, at, R, length), radius


_GEOMETRIES: dict[str, Callable[[Element, Floats, Floats, str], Shape]] = {
    "box": lambda e, at, R, colour: Box(tuple(e.need("size").values(3)), tuple(at), _rows(R), colour=colour),
    "sphere": lambda e, at, R, colour: Sphere(number_of(e, "radius", 1.0), tuple(at), colour=colour),
    "cylinder": lambda e, at, R, colour: Cylinder(*_ends(e, at, R), colour=colour),
    "capsule": lambda e, at, R, colour: Capsule(*_ends(e, at, R), colour=colour),
    "ellipsoid": lambda e, at, R, colour: Ellipsoid(tuple(e.need("radii").values(3)), tuple(at), _rows(R), colour=colour),
}
