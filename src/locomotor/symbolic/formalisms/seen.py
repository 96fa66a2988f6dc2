"""A tree seen from the world, on numbers: where bodies are, how they move, and along and about what every velocity moves them.

Written from the meaning of each joint, without anything of `mechanics`: the formalisms of this room compare with that.
"""

from collections.abc import Mapping
from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import ModelError
from locomotor.model import (
    Body,
    Cylindrical,
    Fixed,
    Free,
    Gravity,
    Helical,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    System,
    Translation,
    Universal,
    evaluate,
)
from locomotor.tracing import TracedSystem
from locomotor.tracing.readings import fluid_forces
from locomotor.typing import Floats, Vector

AXES = np.eye(3)


@dataclass(frozen=True)
class Column:
    """A velocity of a joint: the origin of the child goes along one vector a unit of it, and the child turns about another."""

    place: int
    along: Vector
    about: Vector
    with_parent: bool = False
    """Whether these vectors turn with the parent; with the child otherwise."""


@dataclass(frozen=True, eq=False)
class Link:
    """A body at one instant, everything in the axes of the world."""

    parent: int
    columns: tuple[Column, ...]
    origin: Vector
    rotation: Floats
    velocity: Vector
    """Of its origin."""
    spin: Vector
    mass: float
    centre: Vector
    inertia: Floats
    """About its centre of mass."""
    rotor: float
    """Inertia that turns with its joint alone."""


@dataclass(frozen=True, eq=False)
class Seen:
    """All bodies of a tree in the order of its joints, a parent before its children."""

    links: tuple[Link, ...]
    v: Vector
    gravity: Vector

    def chain(self, i: int) -> list[tuple[Column, int]]:
        """The velocities that move body i, each with the body whose joint it belongs to."""
        found: list[tuple[Column, int]] = []
        while i >= 0:
            found += [(column, i) for column in self.links[i].columns]
            i = self.links[i].parent
        return found

    def turning(self, column: Column, i: int) -> Vector:
        """Angular velocity with which the vectors of a column of body i turn."""
        link = self.links[i]
        if not column.with_parent:
            return link.spin
        return self.links[link.parent].spin if link.parent >= 0 else np.zeros(3)


def refuse_what_is_not_rigid(traced: TracedSystem, way: str) -> None:
    """Bodies that bend and fluids that move along have inertia of other kinds."""
    soft = [body.name for body in traced.system.bodies if body.coordinates]
    fluid = fluid_forces(traced)
    if soft or fluid:
        what = f"body {soft[0]!r} is soft" if soft else f"force {fluid[0]!r} is added mass"
        raise ModelError(f"{way}: {what}, and only rigid bodies are written down here; take another way, or leave it out")


def look(system: System, q: Vector, v: Vector) -> Seen:
    """The tree at coordinates and velocities."""
    values, layout = system.parameters.values, system.layout
    bodies = {body.name: body for body in system.bodies}
    links: list[Link] = []
    index: dict[str, int] = {"world": -1}
    for joint in system.joints:
        parent = index[joint.parent]
        R_p, o_p, V_p, W_p = (
            (links[parent].rotation, links[parent].origin, links[parent].velocity, links[parent].spin)
            if parent >= 0
            else (AXES, np.zeros(3), np.zeros(3), np.zeros(3))
        )
        placed = joint.placement(values)
        R_0 = R_p @ np.asarray(placed.rotation, dtype=float)
        o_0 = o_p + R_p @ np.asarray(placed.translation, dtype=float)
        turn, shift, moving = moved(joint, q[layout.q[joint.name]], values)
        R, origin = R_0 @ turn, o_0 + R_0 @ shift
        start = layout.v[joint.name].start
        columns = tuple(Column(start + k, R_0 @ along, R_0 @ about, early) for k, (along, about, early) in enumerate(moving))
        rates = [float(v[column.place]) for column in columns]
        spin = W_p + sum((w * c.about for w, c in zip(rates, columns, strict=True)), np.zeros(3))
        going = sum((w * c.along for w, c in zip(rates, columns, strict=True)), np.zeros(3))
        velocity = V_p + np.cross(W_p, origin - o_p) + going
        body = bodies[joint.child]
        mass, com, inertia = _inertia(body, values)
        rotor = float(evaluate(joint.rotor_inertia, values))
        index[joint.child] = len(links)
        turned = R @ inertia @ R.T
        links.append(Link(parent, columns, origin, R, velocity, spin, mass, origin + R @ com, turned, rotor))
    gravity = [np.asarray(evaluate(f.acceleration, values), dtype=float) for f in system.forces if isinstance(f, Gravity)]
    return Seen(tuple(links), np.asarray(v, dtype=float), sum(gravity, np.zeros(3)))


def _inertia(body: Any, values: Mapping[str, Any]) -> tuple[float, Vector, Floats]:
    if not isinstance(body, Body):
        return 0.0, np.zeros(3), np.zeros((3, 3))
    parts = (evaluate(body.mass, values), evaluate(body.com, values), evaluate(body.inertia, values))
    return float(parts[0]), np.asarray(parts[1], dtype=float), np.asarray(parts[2], dtype=float)


# -- joints: rotation and shift of the child in the placement, and its velocities there ---------------------------------

Moved = tuple[Floats, Vector, list[tuple[Vector, Vector, bool]]]


def _turn(axis: Any, angle: float) -> Floats:
    """1 + sin(q) K + (1 - cos(q)) K²."""
    x, y, z = (float(c) for c in axis)
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return AXES + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)


def _quaternion(x: Any) -> Floats:
    """x e x* of the three axes."""
    w, u = float(x[0]), np.asarray(x[1:4], dtype=float)
    K = np.array([[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]])
    return AXES + 2.0 * w * K + 2.0 * (K @ K)


NOWHERE = np.zeros(3)


@singledispatch
def moved(joint: Joint, q: Any, values: Mapping[str, Any]) -> Moved:
    """Rotation and shift of the child, and for each velocity: along, about, and whether these turn with the parent."""
    raise ModelError(f"{joint.label}: a {type(joint).__name__} has no form in the classical formalisms; leave it out")


@moved.register
def _(joint: Revolute, q: Any, values: Mapping[str, Any]) -> Moved:
    axis = np.asarray(evaluate(joint.axis, values), dtype=float)
    return _turn(axis, float(q[0])), NOWHERE, [(NOWHERE, axis, False)]


@moved.register
def _(joint: Prismatic, q: Any, values: Mapping[str, Any]) -> Moved:
    axis = np.asarray(evaluate(joint.axis, values), dtype=float)
    return AXES, float(q[0]) * axis, [(axis, NOWHERE, False)]


@moved.register
def _(joint: Helical, q: Any, values: Mapping[str, Any]) -> Moved:
    axis, pitch = np.asarray(evaluate(joint.axis, values), dtype=float), float(evaluate(joint.pitch, values))
    return _turn(axis, float(q[0])), pitch * float(q[0]) * axis, [(pitch * axis, axis, False)]


@moved.register
def _(joint: Cylindrical, q: Any, values: Mapping[str, Any]) -> Moved:
    axis = np.asarray(evaluate(joint.axis, values), dtype=float)
    return _turn(axis, float(q[0])), float(q[1]) * axis, [(NOWHERE, axis, False), (axis, NOWHERE, False)]


@moved.register
def _(joint: Universal, q: Any, values: Mapping[str, Any]) -> Moved:
    first, second = (np.asarray(evaluate(axis, values), dtype=float) for axis in joint.axes)
    early = _turn(first, float(q[0]))
    return early @ _turn(second, float(q[1])), NOWHERE, [(NOWHERE, first, True), (NOWHERE, early @ second, False)]


@moved.register
def _(joint: Spherical, q: Any, values: Mapping[str, Any]) -> Moved:
    R = _quaternion(q)
    return R, NOWHERE, [(NOWHERE, R[:, k], False) for k in range(3)]


@moved.register
def _(joint: Free, q: Any, values: Mapping[str, Any]) -> Moved:
    R = _quaternion(q[3:7])
    linear = [(R[:, k], NOWHERE, False) for k in range(3)]
    return R, np.asarray(q[0:3], dtype=float), linear + [(NOWHERE, R[:, k], False) for k in range(3)]


@moved.register
def _(joint: Planar, q: Any, values: Mapping[str, Any]) -> Moved:
    R = _turn(AXES[2], float(q[2]))
    linear = [(R[:, k], NOWHERE, False) for k in range(2)]
    return R, np.array([float(q[0]), float(q[1]), 0.0]), [*linear, (NOWHERE, AXES[2], False)]


@moved.register
def _(joint: Translation, q: Any, values: Mapping[str, Any]) -> Moved:
    return AXES, np.asarray(q, dtype=float), [(AXES[k], NOWHERE, False) for k in range(3)]


@moved.register
def _(joint: Fixed, q: Any, values: Mapping[str, Any]) -> Moved:
    return AXES, NOWHERE, []
