"""What acts along exact rods: spread loads and tendons, as wrenches on sections and forces on strain coordinates."""

from itertools import pairwise
from typing import Any

import numpy as np

from locomotor.lie import ops
from locomotor.mechanics.loads.forces import Applied, act
from locomotor.mechanics.soft import RodMechanics, strain_matrix
from locomotor.mechanics.tree import Kinematics, Link
from locomotor.model import ALONG, DistributedForce, Tendon, evaluate
from locomotor.model.expressions import Expression
from locomotor.typing import Array


def _on_coordinates(found: Applied, link: Link, forces: Array) -> None:
    for k, place in enumerate(range(link.own.start, link.own.stop)):
        found.generalised[place] = found.generalised[place] + forces[k]


@act.register
def _(force: DistributedForce, found: Applied) -> None:
    kinematics = found.kinematics
    i = kinematics.index(force.body)
    link, instant = kinematics.links[i], kinematics.instant
    assert isinstance(link.soft, RodMechanics)
    shape = link.soft.shape(instant.q[link.own_q], instant.values)
    to_body = kinematics.poses[i].rotation.T
    wrenches: list[Array | None] = []
    for node in shape.nodes:
        weight = node.stretch.weight
        if not weight:
            wrenches.append(None)
            continue
        names = {**instant.names, ALONG: node.stretch.end}
        parts = [evaluate(each, names) for each in (force.components, force.couple)]
        if force.frame == "world":
            parts = [node.pose.rotation.T @ (to_body @ part) for part in parts]
        wrenches.append((weight * shape.length) * ops.concat(*parts))
    wrench, own = shape.gathered(wrenches)
    found.on_body(force.body, wrench)
    _on_coordinates(found, link, own)


def tendon_arms(force: Tendon, kinematics: Kinematics) -> Array:
    """How the length l = int |t| dX of a tendon changes with the strain coordinates, dl/de: its arms on them.

    The line of the tendon has the slope t = Gamma + K x d + d' in axes of the section, d being where it lies there.
    """
    link, instant = kinematics.links[kinematics.index(force.body)], kinematics.instant
    assert isinstance(link.soft, RodMechanics)
    rod = link.soft.rod
    assert rod.points is not None
    e, names = instant.q[link.own_q], instant.names
    length = evaluate(rod.length, instant.values)
    total: Any = np.zeros(len(rod.coordinates))
    points, weights = np.polynomial.legendre.leggauss(rod.points)
    start, end = float(force.start), float(force.end)  # type: ignore[arg-type]
    for a, b in pairwise([start, *(each for each in rod.breaks if start < each < end), end]):
        for point, weight in zip(0.5 * (points + 1.0), 0.5 * weights, strict=True):
            s = a + float(point) * (b - a)
            here = {**names, ALONG: s}
            at = ops.vector(0.0, *(_value(each, here) for each in force.at))
            slope = ops.vector(0.0, *((1.0 / length) * _slope(each, here) for each in force.at))
            B = strain_matrix(rod, s)
            xi = rod.free_strain(s, instant.values) + B @ e
            line = xi[0:3] + ops.cross(xi[3:6], at) + slope
            unit = (1.0 / ops.norm(line)) * line
            total = total + (float(weight) * (b - a) * length) * (B.T @ ops.concat(unit, ops.cross(at, unit)))
    return total


@act.register
def _(force: Tendon, found: Applied) -> None:
    kinematics = found.kinematics
    tension = evaluate(force.tension, kinematics.instant.names)
    _on_coordinates(found, kinematics.links[kinematics.index(force.body)], -(tension * tendon_arms(force, kinematics)))


def _value(value: Any, names: Any) -> Any:
    return value.evaluate(names) if isinstance(value, Expression) else value


def _slope(value: Any, names: Any) -> Any:
    return value.derivative(ALONG).evaluate(names) if isinstance(value, Expression) else 0.0
