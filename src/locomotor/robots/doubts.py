"""What a file says that is possible and still looks like a mistake: other units, above all."""

from __future__ import annotations

import numpy as np

from locomotor.model import Shape
from locomotor.robots.parts import Link, Notes, Robot
from locomotor.robots.poses import points, shapes_of
from locomotor.robots.xml_tree import Element
from locomotor.typing import Floats

FAR = 10.0
"""A radius of gyration so many times the size of its robot is no body of that robot."""
NEAR = 1e-3
"""And so small a share of the size of its own shape, no body of that shape."""
LONG = 10.0
"""Metres: a radius of gyration beyond this is that of no robot, where nothing else tells how large it is."""
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
            _doubt_inertia(link, sizes[link.name], largest, robot)
        if link.mass > SHARE * whole:
            _doubt_density(link, robot)
    for joint in robot.joints:
        if joint.kind == "Revolute" and joint.limits is not None and DEGREES < max(map(abs, joint.limits)) < NO_LIMIT:
            lower, upper = joint.limits
            robot.notes.add(
                "doubt", f"limits of joint {joint.name!r}", f"they are {lower:.4g} and {upper:.4g} rad; in degrees?"
            )


def _doubt_inertia(link: Link, own: float, largest: float, robot: Robot) -> None:
    moments = np.linalg.eigvalsh(0.5 * (link.inertia + link.inertia.T))
    gyration = float(np.sqrt(max(moments[-1], 0.0) / link.mass))
    what = f"inertia of link {link.name!r}"
    told = f"{moments[-1]:.3g} kg m² with {link.mass:.3g} kg is that of points {gyration:.3g} m apart from the axis"
    if largest == 0.0 and gyration > LONG:
        robot.notes.add("doubt", what, f"{told}; is the mass in kg and the inertia in kg m²?")
    elif largest > 0.0 and gyration > FAR * largest:
        robot.notes.add(
            "doubt", what, f"{told}, and the robot is {largest:.3g} m large; is the mass in kg and the inertia in kg m²?"
        )
    elif own > 0.0 and 0.0 < gyration < NEAR * own:
        robot.notes.add("doubt", what, f"{told}, and its shape is {own:.3g} m large; is the inertia in kg m²?")


def _doubt_density(link: Link, robot: Robot) -> None:
    """A mass that no matter has in the room that all its shapes take, or that is nothing there."""
    box = _extent([*link.shapes, *(touch.shape for touch in link.touches)])
    room = float(np.prod(box))
    if not room:
        return
    density = link.mass / room
    told = f"{link.mass:.3g} kg in {box[0]:.3g} m x {box[1]:.3g} m x {box[2]:.3g} m is {density:.2g} kg/m³"
    if not THIN <= density <= DENSE:
        beyond = "more than any matter" if density > DENSE else "less than air"
        text = f"{told}, {beyond}; is the mass in kg, and are the shapes in m?"
        robot.notes.add("doubt", f"mass of link {link.name!r}", text)


def tell_degrees(root: Element, notes: Notes) -> None:
    """Take notes of poses that are turned by more than a turn."""
    for element in root.each():
        if element.turned > TURN:
            where = f"{element.label} of line {element.line}"
            notes.add("doubt", where, f"it is turned by {element.turned:.4g} rad, more than a turn; in degrees?")


def _size(link: Link) -> float:
    return float(np.linalg.norm(_extent(shapes_of(link))))


def _extent(shapes: list[Shape]) -> Floats:
    """Edges of the box around shapes; zeros without any."""
    if not shapes:
        return np.zeros(3)
    together = np.concatenate([points(shape) for shape in shapes])
    return np.asarray(together.max(axis=0) - together.min(axis=0))
