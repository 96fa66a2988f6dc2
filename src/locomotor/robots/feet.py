"""Contacts of a link with the floor, from the shapes that collide."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from locomotor.errors import LocomotorError
from locomotor.model import Contact, Frame, Mesh, Shape, Sphere, Unilateral, corners
from locomotor.robots.identifiers import Names
from locomotor.robots.parts import Link, Notes, Touch
from locomotor.robots.poses import points

FRICTION = 1.0
"""Coefficient where neither file nor caller give one."""
CORNERS = 12
"""Corners of a mesh that touch: those farthest out along as many directions, spread evenly."""


def contacts_of(link: Link, name: str, names: Names, friction: float | None, notes: Notes) -> list[Contact]:
    """Contacts that push, with friction, of everything that collides; of what is seen where nothing does."""
    touches = link.touches or [Touch(shape) for shape in link.shapes]
    found: list[Contact] = []
    for k, touch in enumerate(touches):
        told = touch.friction if friction is None else friction
        law = _law(touch, FRICTION if told is None else told, link.name, notes)
        own = names.fresh(f"{name}_touch" if len(touches) == 1 else f"{name}_touch_{k}", "contact")
        try:
            found += corners(Frame(name, shapes=(_coarse(touch.shape),)), own, law=law)
        except LocomotorError as error:
            notes.add("ignored", f"contact of link {link.name!r}", str(error))
    return found


def _law(touch: Touch, friction: float, link: str, notes: Notes) -> Unilateral:
    """What a shape does that touches. A disc of even pressure resists spinning on the spot by 2/3 of its radius."""
    if not friction or not (touch.spin or touch.rolling):
        return Unilateral(friction=friction)
    if not isinstance(touch.shape, Sphere):
        text = "only of balls it is read; other shapes touch with points, which slide where the shape spins"
        notes.add("ignored", "friction against spinning and rolling (condim 4 and 6)", text, link)
        return Unilateral(friction=friction)
    return Unilateral(
        friction=friction, patch=1.5 * touch.spin / friction if touch.spin else None, rolling=touch.rolling or None
    )


def _coarse(shape: Shape) -> Shape:
    """A mesh with few corners, as the points farthest out; other shapes as they are."""
    if not isinstance(shape, Mesh):
        return shape
    from scipy.spatial import ConvexHull, QhullError

    at = points(shape)
    kept = np.unique([int((at @ direction).argmax()) for direction in _directions(CORNERS)])
    try:
        hull = ConvexHull(at[kept])
    except QhullError:
        return shape
    return replace(shape, at=(0.0, 0.0, 0.0), rotation=(0.0, 0.0, 0.0), vertices=at[kept], triangles=hull.simplices)


def _directions(count: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Directions spread over the sphere, six of them along the axes: the others on Fibonacci's spiral."""
    rest = max(count - 6, 0)
    k = np.arange(rest) + 0.5
    polar, turn = np.arccos(1.0 - 2.0 * k / max(rest, 1)), np.pi * (1.0 + np.sqrt(5.0)) * k
    spiral = np.column_stack([np.cos(turn) * np.sin(polar), np.sin(turn) * np.sin(polar), np.cos(polar)])
    return np.concatenate([np.eye(3), -np.eye(3), spiral])
