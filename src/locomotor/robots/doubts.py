"""What a file says that is possible and still looks like a mistake: other units, above all."""

from __future__ import annotations

import numpy as np

from locomotor.model import Shape
from locomotor.robots.parts import WORLD, Link, Notes, Robot
from locomotor.robots.poses import points, shapes_of
from locomotor.robots.xml_tree import Element
from locomotor.typing import Floats

FAR = 10.0
"""A radius of gyration so many times the size of its robot is no body of that robot."""
NEAR = 1e-3
"""And so small a share of the size of its own shape, no body of that shape."""
BEYOND = 3.0
"""Nor one so many times as far as the farthest point of its own shape, which no radius of gyration reaches."""
FELT = 5e-4
"""Share of the mass of a robot times its size squared: less inertia than that may be made up, and does no harm."""
NOTHING = 1e-4
"""kg/m³ in a cube as large as a radius of gyration, or as joints are apart: nothing that holds together is so thin."""
APART = 5.0
"""Metres between joints below which such a robot may be one of very small masses."""
DEGREES = 4.0 * np.pi
"""Radians: ranges of hinges beyond this are probably in degrees."""
NO_LIMIT = 1e5
"""And ranges beyond this are none."""
GREAT = 100.0
"""Shapes so many times as large as the distances between joints are in millimetres."""
DENSE = 1e5
"""kg/m³ of the box around all shapes of a link: four times the densest metal."""
THIN = 1e-2
"""kg/m³: a hundredth of air."""
SHARE = 0.01
"""Of the mass of a robot: links with less may be made up, a gram for a sensor without size, and do no harm."""
UNITS = "is the mass in kg and the inertia in kg m²?"
TURN = 2.0 * np.pi + 1e-3
"""Radians: poses are turned by less."""


def tell_doubts(robot: Robot) -> None:
    """Take notes of values whose unit looks wrong, and of links without mass."""
    spans = [float(np.linalg.norm(joint.at)) for joint in robot.joints]
    sizes = {link.name: _size(link) for link in robot.links}
    reach = max([*spans, 0.0])
    largest = max([reach, *(size for size in sizes.values() if reach == 0.0 or size < GREAT * reach)], default=0.0)
    whole = sum(link.mass for link in robot.links)
    for link in robot.links:
        if reach > 0.0 and sizes[link.name] > GREAT * reach:
            text = f"it is {sizes[link.name]:.3g} m large, and joints are at most {reach:.3g} m apart; is it in millimetres?"
            robot.notes.add("doubt", f"shape of link {link.name!r}", text)
        if link.mass > 0.0:
            _doubt_inertia(link, sizes[link.name], largest, whole, robot)
        if link.mass > SHARE * whole:
            _doubt_density(link, robot)
    _doubt_distances(robot, whole)
    _doubt_massless(robot)
    for joint in robot.joints:
        if joint.kind == "Revolute" and joint.limits is not None and DEGREES < max(map(abs, joint.limits)) < NO_LIMIT:
            lower, upper = joint.limits
            robot.notes.add(
                "doubt", f"limits of joint {joint.name!r}", f"they are {lower:.4g} and {upper:.4g} rad; in degrees?"
            )


def _doubt_inertia(link: Link, own: float, largest: float, whole: float, robot: Robot) -> None:
    moments = np.linalg.eigvalsh(0.5 * (link.inertia + link.inertia.T))
    gyration = float(np.sqrt(max(moments[-1], 0.0) / link.mass))
    what = f"inertia of link {link.name!r}"
    told = f"{moments[-1]:.3g} kg m² with {link.mass:.3g} kg is that of points {gyration:.3g} m apart from the axis"
    if largest > 0.0 and gyration > FAR * largest:
        robot.notes.add("doubt", what, f"{told}, and the robot is {largest:.3g} m large; {UNITS}")
    elif own > 0.0 and 0.0 < gyration < NEAR * own:
        robot.notes.add("doubt", what, f"{told}, and its shape is {own:.3g} m large; is the inertia in kg m²?")
    elif not gyration and own > 0.0 and not _is_welded(link, robot):
        text = f"it is zero with {link.mass:.3g} kg, and its shape is {own:.3g} m large; give it the inertia of its shape"
        robot.notes.add("doubt", what, text)
    elif moments[-1] < FELT * whole * largest**2:
        return
    elif 0.0 < (far := _farthest(link)) < gyration / BEYOND and not link.partly:
        robot.notes.add("doubt", what, f"{told}, and its shape ends {far:.3g} m from its centre of mass; {UNITS}")
    elif not own and link.mass < NOTHING * gyration**3:
        robot.notes.add("doubt", what, f"{told}; {UNITS}")


def _doubt_distances(robot: Robot, whole: float) -> None:
    """Joints so far apart that nothing of the robot's mass reaches from one to the next; where it stands does not count."""
    spans = {joint.name: float(np.linalg.norm(joint.at)) for joint in robot.joints if joint.parent != WORLD}
    name = max(spans, key=lambda each: spans[each], default="")
    if name and spans[name] > APART and 0.0 < whole < NOTHING * spans[name] ** 3:
        text = f"it is {spans[name]:.4g} m from the origin of its parent, and the robot has {whole:.3g} kg; in millimetres?"
        robot.notes.add("doubt", f"origin of joint {name!r}", text)


def _doubt_massless(robot: Robot) -> None:
    """Links that are seen or touch, move, and have no mass, nor has anything that is welded to them."""
    links = {link.name: link for link in robot.links}
    welded: dict[str, list[str]] = {}
    for joint in robot.joints:
        if joint.kind == "Fixed":
            welded.setdefault(joint.parent, []).append(joint.child)
    for joint in robot.joints:
        link = links.get(joint.child)
        if joint.kind == "Fixed" or link is None or link.mass or not (link.shapes or link.collides or link.partly):
            continue
        group = [link.name]
        for name in group:
            group += welded.get(name, [])
        if not any(links[name].mass for name in group):
            text = "they have shapes and move with their joints, and have no mass; do their <inertial> miss?"
            robot.notes.add("doubt", "links", text, repr(link.name))


def _doubt_density(link: Link, robot: Robot) -> None:
    """A mass that no matter has in the room that all its shapes take, or that is nothing there."""
    box = _extent([*link.shapes, *(touch.shape for touch in link.touches)])
    room = float(np.prod(box))
    if not room:
        return
    density = link.mass / room
    told = f"{link.mass:.3g} kg in {box[0]:.3g} m x {box[1]:.3g} m x {box[2]:.3g} m is {density:.2g} kg/m³"
    if density < THIN or (density > DENSE and not link.partly):
        beyond = "more than any matter" if density > DENSE else "less than air"
        text = f"{told}, {beyond}; is the mass in kg, and are the shapes in m?"
        robot.notes.add("doubt", f"mass of link {link.name!r}", text)


def tell_degrees(root: Element, notes: Notes) -> None:
    """Take notes of poses that are turned by more than a turn."""
    for element in root.each():
        if element.turned > TURN:
            where = f"{element.label} of line {element.line}"
            notes.add("doubt", where, f"it is turned by {element.turned:.4g} rad, more than a turn; in degrees?")


def _is_welded(link: Link, robot: Robot) -> bool:
    """To another link, with which it turns: it may be given as a point."""
    return any(joint.kind == "Fixed" and joint.child == link.name and joint.parent != WORLD for joint in robot.joints)


def _farthest(link: Link) -> float:
    """Of all points of its shapes, from its centre of mass; no radius of gyration is larger."""
    shapes = [*link.shapes, *(touch.shape for touch in link.touches)]
    return max((float(np.linalg.norm(points(shape) - link.com, axis=1).max()) for shape in shapes), default=0.0)


def _size(link: Link) -> float:
    return float(np.linalg.norm(_extent(shapes_of(link))))


def _extent(shapes: list[Shape]) -> Floats:
    """Edges of the box around shapes; zeros without any."""
    if not shapes:
        return np.zeros(3)
    together = np.concatenate([points(shape) for shape in shapes])
    return np.asarray(together.max(axis=0) - together.min(axis=0))
