"""What a file says that is possible and still looks like a mistake: other units, above all."""

from __future__ import annotations

import numpy as np

from locomotor.robots.parts import Link, Robot
from locomotor.robots.poses import points, shapes_of

FAR = 10.0
"""A radius of gyration so many times the size of its robot is no body of that robot."""
NEAR = 1e-3
"""And so small a share of the size of its own shape, no body of that shape."""
LONG = 10.0
"""Metres: a radius of gyration beyond this is that of no robot, where nothing else tells how large it is."""
DEGREES = 4.0 * np.pi
"""Radians: ranges of hinges beyond this are probably in degrees."""
GREAT = 100.0
"""Shapes so many times as large as the distances between joints are in millimetres."""


def tell_doubts(robot: Robot) -> None:
    """Take notes of values whose unit looks wrong, and of links without mass."""
    spans = [float(np.linalg.norm(joint.at)) for joint in robot.joints]
    sizes = {link.name: _size(link) for link in robot.links}
    reach = max([*spans, 0.0])
    largest = max([reach, *(size for size in sizes.values() if reach == 0.0 or size < GREAT * reach)], default=0.0)
    for link in robot.links:
        if reach > 0.0 and sizes[link.name] > GREAT * reach:
            text = f"it is {sizes[link.name]:.3g} m large, and joints are at most {reach:.3g} m apart; is it in millimetres?"
            robot.notes.add("doubt", f"shape of link {link.name!r}", text)
        if link.mass > 0.0:
            _doubt_inertia(link, sizes[link.name], largest, robot)
    for joint in robot.joints:
        if joint.kind == "Revolute" and joint.limits is not None and max(map(abs, joint.limits)) > DEGREES:
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


def _size(link: Link) -> float:
    extents = [points(shape) for shape in shapes_of(link)]
    if not extents:
        return 0.0
    together = np.concatenate(extents)
    return float(np.linalg.norm(together.max(axis=0) - together.min(axis=0)))
