"""What the air does to wings, section by section: docs/theory.md, "Wings".

With n the normal of a section, f the direction of its leading edge, V its velocity in the air and U the size of V in the plane
of the section, the angle of attack is alpha = atan2(-V.n, V.f). Then, per length of span,

    lift   1/2 rho c U² CL(alpha)   along   n cos alpha + f sin alpha   (at right angles to V),
    drag   1/2 rho c U² CD(alpha)   against V,
    rotation  -C_rot rho c² U Omega n,   C_rot = pi (3/4 - axis)

which are (4.43)-(4.55) of Belkhiri 2013 with the signs that make lift normal to the velocity, drag opposite to it and the
force of pitching a damping one; the source prints sets of signs that contradict each other.
"""

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics.loads.carried import Carried, carry
from locomotor.mechanics.loads.forces import Applied, act
from locomotor.mechanics.loads.wind import Wind, wind_wrench
from locomotor.mechanics.tree import Kinematics, air_of
from locomotor.model import Air, Wing, evaluate
from locomotor.model.expressions import Call, Expression, Name, Number, free_names
from locomotor.model.forces import ANGLE, PLACE_ALONG, Station
from locomotor.typing import Array

TINY, SHIFT = 1e-36, 1e-15
"""Added to squares, and to the speed of a section towards its leading edge (m/s): at rest there is an angle too."""
BLASIUS = 1.328
"""Friction of a laminar boundary layer: drag coefficient 1.328/sqrt(Re) a side."""


@dataclass(frozen=True, eq=False)
class Flow:
    """The air as one section meets it, in the axes of the body, or of its site on a soft one."""

    station: Station
    normal_speed: Any
    forward_speed: Any
    pitch_rate: Any
    """About the direction of pitching: leading edge away from the normal."""
    speed: Any
    sine: Any
    cosine: Any
    """Of the angle of attack."""
    carried: Carried | None = None

    @property
    def angle(self) -> Any:
        """Angle of attack."""
        return ops.atan2(-self.normal_speed, self.forward_speed)

    def coefficient(self, quantity: Any, names: Mapping[str, Any]) -> Any:
        """A coefficient at this angle of attack; of whole multiples of the angle no angle is formed."""
        if not isinstance(quantity, Expression):
            return float(quantity)
        reduced, orders = harmonics(quantity)
        values = {**names, PLACE_ALONG: self.station.place}
        c, s = 1.0, 0.0
        for k in range(1, max(orders, default=0) + 1):
            c, s = c * self.cosine - s * self.sine, s * self.cosine + c * self.sine
            values[f"_cos_{k}"], values[f"_sin_{k}"] = c, s
        if ANGLE in free_names(reduced):
            values[ANGLE] = self.angle
        return evaluate(reduced, values)


@dataclass(frozen=True, eq=False)
class Section:
    """What acts on one section: lift and drag (N), and forces and points by mechanism, in body axes."""

    flow: Flow
    lift: Any
    drag: Any
    forces: dict[str, tuple[Array, Array]]
    """Mechanism -> (point, force)."""
    torques: dict[str, Array]

    def wrenches(self) -> list[tuple[str, Array]]:
        """Mechanisms and their wrenches about the origin of what the section is told in."""
        found = [(mechanism, ops.concat(push, ops.cross(point, push))) for mechanism, (point, push) in self.forces.items()]
        return found + [(mechanism, ops.concat(np.zeros(3), torque)) for mechanism, torque in self.torques.items()]


def sections(wing: Wing, kinematics: Kinematics) -> list[Section]:
    """All sections of a wing at an instant."""
    air = air_of(wing, kinematics.instant.system)
    density = evaluate(air.density, kinematics.instant.names)
    if ops.is_zero(density):
        density = 0.0
    return [_section(wing, air, density, flow, kinematics) for flow in flows(wing, air, kinematics)]


def flows(wing: Wing, air: Air, kinematics: Kinematics) -> list[Flow]:
    """How every section moves in the air."""
    instant = kinematics.instant
    i = kinematics.index(wing.body)
    axis = evaluate(wing.axis, instant.values)
    wind = None if air.is_still else Wind(air, kinematics, i)
    found = []
    for undeformed in wing.stations(instant.values):
        station, V, W, carried = carry(wing, undeformed, kinematics, i)
        probe = evaluate(wing.probed, {**instant.values, PLACE_ALONG: station.place})
        point = station.behind(probe, axis)
        velocity = V + ops.cross(W, point)
        if wind is not None:
            blown = wind.at(point) if carried is None else carried.site.rotation.T @ wind.at(carried.site.act(point))
            velocity = velocity - blown
        vn, vf = ops.dot(station.normal, velocity), ops.dot(station.forward, velocity) + SHIFT
        speed = ops.sqrt(vn * vn + vf * vf + TINY)
        slowness = 1.0 / speed
        pitch_rate = ops.dot(station.pitching, W)
        found.append(Flow(station, vn, vf, pitch_rate, speed, -vn * slowness, vf * slowness, carried))
    return found


def _section(wing: Wing, air: Air, density: Any, flow: Flow, kinematics: Kinematics) -> Section:
    names = kinematics.instant.values
    axis = evaluate(wing.axis, names)
    station = flow.station
    n, f, c, width = station.normal, station.forward, station.chord, station.width
    centre = station.behind(flow.coefficient(wing.centre, names), axis)
    forces: dict[str, tuple[Array, Array]] = {}
    torques: dict[str, Array] = {}
    pressure = 0.5 * density * c * width * flow.speed * flow.speed
    lift = drag = 0.0
    if wing.has("translation"):
        lift = pressure * flow.coefficient(wing.lift, names)
        drag = pressure * flow.coefficient(wing.drag, names)
        along_n = lift * flow.cosine + drag * flow.sine
        along_f = lift * flow.sine - drag * flow.cosine
        forces["translation"] = (centre, along_n * n + along_f * f)
    if wing.has("rotation"):
        pushed = -wing.rotational(names) * density * c * c * width * flow.speed * flow.pitch_rate
        forces["rotation"] = (centre, pushed * n)
    if wing.has("viscous"):
        viscosity = evaluate(air.viscosity, kinematics.instant.names)
        rubbed = ops.sqrt(density * viscosity * c + TINY) * ops.sqrt(ops.sqrt(flow.forward_speed * flow.forward_speed + TINY))
        forces["viscous"] = (station.line, (-BLASIUS * width * rubbed * flow.forward_speed) * f)
    if wing.has("spin"):
        lever = c * c * c * c * (axis**4 + (1.0 - axis) ** 4) / 4.0
        rate = flow.pitch_rate
        braked = -0.5 * evaluate(wing.spin, names) * density * lever * width * ops.sqrt(rate * rate + TINY) * rate
        torques["spin"] = braked * station.pitching
    return Section(flow, lift, drag, forces, torques)


@act.register
def _(force: Air, found: Applied) -> None:
    """The air acts through wings and fins."""


@act.register
def _(force: Wing, found: Applied) -> None:
    for part in parts(force, found.kinematics):
        found.on_body(force.body, part.on_body)
        if part.carried is not None:
            pushed = part.carried.columns.T @ part.wrench
            for k, place in enumerate(range(part.carried.own.start, part.carried.own.stop)):
                found.generalised[place] = found.generalised[place] + pushed[k]


@dataclass(frozen=True, eq=False)
class Part:
    """What one mechanism does, on all of a rigid body or on one section of a soft one."""

    mechanism: str
    wrench: Array
    """About the origin of the body in its axes, or about the site of the section in those of the site."""
    carried: Carried | None = None

    @property
    def on_body(self) -> Array:
        """About the origin of the body, in body axes."""
        return self.wrench if self.carried is None else self.carried.to_body(self.wrench)

    def power(self, body: Array) -> Any:
        """What it does to a body of a given twist, with the own rates of a soft one."""
        return ops.dot(self.wrench, body if self.carried is None else ops.concat(*self.carried.twist))


def parts(wing: Wing, kinematics: Kinematics) -> list[Part]:
    """Everything that the air does to a wing, added mass in still air apart, which is inertia."""
    air = air_of(wing, kinematics.instant.system)
    if air.density == 0.0:
        return []
    found: list[Part] = []
    whole: dict[str, Array] = {}
    for section in sections(wing, kinematics):
        for mechanism, wrench in section.wrenches():
            if section.flow.carried is None:
                whole[mechanism] = whole[mechanism] + wrench if mechanism in whole else wrench
            else:
                found.append(Part(mechanism, wrench, section.flow.carried))
    found += [Part(mechanism, wrench) for mechanism, wrench in whole.items()]
    if wing.has("added_mass") and not air.is_still:
        found += blown_inertia(wing, air, kinematics)
    return found


def blown_inertia(wing: Wing, air: Air, kinematics: Kinematics) -> list[Part]:
    """What the wind changes in the inertia of the air around a wing."""
    instant = kinematics.instant
    i = kinematics.index(wing.body)
    wind = Wind(air, kinematics, i)
    density = evaluate(air.density, instant.values)
    axis, centre = evaluate(wing.axis, instant.values), evaluate(wing.inertia_centre, instant.values)
    found: list[Part] = []
    whole: Any = None
    for undeformed in wing.stations(instant.values):
        station, V, W, carried = carry(wing, undeformed, kinematics, i)
        point = station.behind(centre, axis)
        mass = math.pi / 4.0 * density * station.chord * station.chord * station.width
        if carried is None:
            part = wind_wrench(mass, station, point, (V, W), wind.at(point), wind.rate(point))
            whole = part if whole is None else whole + part
            continue
        R, there = carried.site.rotation, carried.site.act(point)
        own = R @ (carried.apart[0:3] + ops.cross(carried.apart[3:6], point))
        part = wind_wrench(mass, station, point, (V, W), R.T @ wind.at(there), R.T @ wind.rate(there, own))
        found.append(Part("added_mass", part, carried))
    return found if whole is None else [*found, Part("added_mass", whole)]


def wrenches(wing: Wing, kinematics: Kinematics) -> dict[str, Array]:
    """Wrench of every mechanism about the origin of the body, in body axes; added mass has one of its own in wind only."""
    total: dict[str, Array] = {}
    for part in parts(wing, kinematics):
        total[part.mechanism] = total[part.mechanism] + part.on_body if part.mechanism in total else part.on_body
    return total


# -- coefficients without angles ---------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def harmonics(expression: Expression) -> tuple[Expression, tuple[int, ...]]:
    """The expression with sin(k alpha + phase) and cos(k alpha + phase), k whole, as products of `_cos_k` and `_sin_k`."""
    orders: set[int] = set()

    def visit(node: Expression, below: tuple[Expression, ...]) -> Expression:
        if not isinstance(node, Call):
            return node
        if node.function in ("sin", "cos") and ANGLE in node.names:
            order = _order(node.arguments[0])
            if order is not None:
                orders.add(abs(order))
                phase = node.arguments[0].substitute({ANGLE: 0.0})
                c, s = Name(f"_cos_{abs(order)}"), Name(f"_sin_{abs(order)}") * (1.0 if order > 0 else -1.0)
                cp, sp = Call("cos", (phase,)), Call("sin", (phase,))
                if phase.is_zero or (not phase.names and float(phase.evaluate({})) == 0.0):
                    return s if node.function == "sin" else c
                return s * cp + c * sp if node.function == "sin" else c * cp - s * sp
        return Call(node.function, below)

    return expression.fold(visit), tuple(sorted(orders))


def _order(argument: Expression) -> int | None:
    slope = argument.derivative(ANGLE)
    if slope.names or not isinstance(slope, Number | Call):
        return None
    value = float(slope.evaluate({}))
    return int(value) if value.is_integer() and 0 < abs(value) <= 32 else None
