"""Wings in the second derivation (`virtual_power`): every section as a point and three directions in the world.

Written apart from `mechanics.loads.air`: vectors of the world instead of components in the section, the direction of lift as
the normal less its part along the velocity, and the fluid of every section as a mass that is moved across the section alone.
"""

import math
from collections.abc import Iterator
from typing import Any

import casadi

from locomotor.errors import ModelError
from locomotor.model import Air, Wing, evaluate
from locomotor.model.forces import ANGLE, PLACE_ALONG, Station
from locomotor.tracing.readings.child_poses import ORIGIN
from locomotor.tracing.readings.placed_world import Placed
from locomotor.tracing.readings.virtual_forces import Pair, moves, works

_SMALL = 1e-15


def _air(wing: Wing, world: Placed) -> Air:
    return next(force for force in world.system.forces if isinstance(force, Air) and force.name == wing.air)


def _still(wing: Wing, world: Placed) -> None:
    if wing.has("added_mass") and not _air(wing, world).is_still:
        raise ModelError(f"certify: wing {wing.name!r} has added mass in wind, which the second derivation does not know")


class _Section:
    """The section at a station in the world: that of a soft wing is turned and carried."""

    def __init__(self, wing: Wing, world: Placed, cut: Station) -> None:
        if wing.body in world.soft and wing.frame != "exact":
            raise ModelError(f"certify: wing {wing.name!r} has linear frames, and the second derivation knows exact ones only")
        self.world = world
        self.R, self.origin = world.carried(wing.body, cut.line)
        self.normal, self.forward = self.R @ casadi.SX(cut.normal), self.R @ casadi.SX(cut.forward)

    def velocity(self, at: Any) -> Any:
        """Velocity of a point given in axes of the undeformed body."""
        return self.world.rate(self.origin + self.R @ casadi.SX(at))

    @property
    def spin(self) -> Any:
        """Angular velocity."""
        return self.world.spin_of(self.R)


def _fluid(wing: Wing, world: Placed) -> Iterator[tuple[Any, Any, Any, Any, _Section]]:
    """Mass, point in the body, direction in the world and velocity along it of the air at every section, and the section."""
    _still(wing, world)
    density = evaluate(_air(wing, world).density, world.values)
    share = evaluate(wing.inertia_centre, world.values) - evaluate(wing.axis, world.values)
    for cut in wing.stations(world.values):
        here = _Section(wing, world, cut)
        point = casadi.SX(cut.line) - share * cut.chord * casadi.SX(cut.forward)
        n = here.normal
        yield math.pi / 4.0 * density * cut.chord**2 * cut.width, point, n, casadi.dot(n, here.velocity(point)), here


def _turning(wing: Wing, world: Placed) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Moment of inertia, direction in the world, rate about it and angular velocity of the air that turns with a section."""
    density = evaluate(_air(wing, world).density, world.values)
    for cut in wing.stations(world.values) if wing.inertia_turns else ():
        here = _Section(wing, world, cut)
        about, W = casadi.cross(here.normal, here.forward), here.spin
        yield math.pi / 128.0 * density * cut.chord**4 * cut.width, about, casadi.dot(about, W), W


@moves.register
def _(force: Wing, world: Placed) -> list[tuple[Any, Any]]:
    if not force.has("added_mass"):
        return []
    found = [(casadi.SX(mass), velocity) for mass, _, _, velocity, _ in _fluid(force, world)]
    return found + [(casadi.SX(inertia), rate) for inertia, _, rate, _ in _turning(force, world)]


@works.register
def _(force: Air, world: Placed) -> list[Pair]:
    """Nothing: air acts through the wings in it."""
    return []


@works.register
def _(force: Wing, world: Placed) -> list[Pair]:
    found: list[Pair] = []
    if force.has("added_mass"):
        for mass, point, n, speed, here in _fluid(force, world):
            p, V = mass * speed * n, here.velocity(ORIGIN)
            about = casadi.cross(here.R @ point, p)
            found += [(-world.rate(p), V), (-(world.rate(about) + casadi.cross(V, p)), here.spin)]
        for inertia, about, rate, W in _turning(force, world):
            found.append((-world.rate(inertia * rate * about), W))
    air = _air(force, world)
    density = evaluate(air.density, world.values)
    axis = evaluate(force.axis, world.values)
    for cut in force.stations(world.values):
        names = {**world.values, PLACE_ALONG: cut.place}
        here = _Section(force, world, cut)
        R, n, f, V, W = here.R, here.normal, here.forward, here.velocity(ORIGIN), here.spin
        line, ahead = casadi.SX(cut.line), casadi.SX(cut.forward)
        probe = line - (evaluate(force.probed, names) - axis) * cut.chord * ahead
        there = here.origin + R @ probe
        place = {**world.names, "x": there[0], "y": there[1], "z": there[2]}
        blown = here.velocity(probe) - casadi.SX(evaluate(air.wind, place))
        blown = casadi.dot(n, blown) * n + casadi.dot(f, blown) * f
        U = casadi.sqrt(casadi.dot(blown, blown) + _SMALL**2)
        names[ANGLE] = casadi.atan2(-casadi.dot(n, blown), casadi.dot(f, blown))
        centre = line - (evaluate(force.centre, names) - axis) * cut.chord * ahead
        arm = R @ casadi.SX(centre)  # it may depend on velocities: force and moment are told apart
        spin = casadi.dot(casadi.cross(n, f), W)
        pressed = 0.5 * density * cut.chord * cut.width
        if force.has("translation"):
            lifted = n * casadi.dot(f, blown) - f * casadi.dot(n, blown)  # at right angles to the velocity, as long as it
            push = pressed * U * (evaluate(force.lift, names) * lifted - evaluate(force.drag, names) * blown)
            found += [(push, V), (casadi.cross(arm, push), W)]
        if force.has("rotation"):
            push = -2.0 * pressed * force.rotational(world.values) * cut.chord * U * spin * n
            found += [(push, V), (casadi.cross(arm, push), W)]
        if force.has("viscous"):
            slide = casadi.dot(f, blown)
            layer = casadi.sqrt(density * evaluate(air.viscosity, world.values) * cut.chord * casadi.fabs(slide))
            found.append((-1.328 * cut.width * layer * slide * f, here.velocity(line)))
        if force.has("spin"):
            lever = cut.chord**4 * (axis**4 + (1.0 - axis) ** 4) / 4.0
            push = -0.5 * evaluate(force.spin, world.values) * density * lever * cut.width * casadi.fabs(spin) * spin
            found.append((push * casadi.cross(n, f), W))
    return found
