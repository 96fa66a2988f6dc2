"""A robot of RobotDyn as a System: to simulate it, to look at it, and to derive its equations a second way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from locomotor.checks import door, instance, numbers_by_name, optional
from locomotor.errors import ModelError
from locomotor.model import DHLink, System, dh, evaluate, parse
from locomotor.model.expressions import free_names
from locomotor.symbolic.library import sympy_library
from locomotor.symbolic.robotdyn.robot import COORDINATE, REVOLUTE, Robot, Segment

AXES = "xyz"


@door(robot=instance(Robot), values=optional(numbers_by_name))
def robot_system(robot: Robot, values: Mapping[str, float] | None = None) -> System:
    """The robot with numbers for its parameters (one where not given); joints are called q1, q2, ...

    Where all segments turn in one plane only the moments about its normal matter; the others, which are often left at zero,
    are set to them.
    """
    given = values or {}
    for name in given:
        if name not in robot.parameters:
            raise ModelError(f"robot {robot.name!r} has no parameter {name!r}; it has {', '.join(robot.parameters)}")
    flat = all(segment.alpha == 0.0 for segment in robot.segments)
    base = {}
    for axis, entry in zip(AXES, robot.base, strict=True):
        if entry != 0.0:
            coordinate, sign, rest = variable(entry, f"robot {robot.name!r}: base")
            if sign < 0 or rest != 0.0:
                raise ModelError(f"robot {robot.name!r}: base holds {entry}; as a system it must be a coordinate q[k] or 0")
            base[coordinate] = axis
    links = [_link(robot, k, segment, flat) for k, segment in enumerate(robot.segments, 1)]
    pulls = tuple(0.0 if entry == 0.0 else -entry for entry in robot.gravity)
    parameters = {name: float(given.get(name, 1.0)) for name in robot.parameters}
    return dh(robot.name, links, gravity=pulls, base=base, parameters=parameters)


def _link(robot: Robot, number: int, segment: Segment, flat: bool) -> DHLink:
    what = f"robot {robot.name!r}: segment {number}"
    name, sign, rest = variable(segment.variable, what)
    turning = segment.kind == REVOLUTE
    inertia: Any = segment.inertia
    if flat:
        zz = inertia[2][2]
        inertia = ((zz, 0.0, 0.0), (0.0, zz, 0.0), (0.0, 0.0, zz))
    return DHLink(
        joint=name,
        kind=segment.kind.lower(),
        theta=rest if turning else segment.theta,
        d=segment.d if turning else rest,
        a=segment.a,
        alpha=segment.alpha,
        parent=segment.ref,
        mass=segment.mass,
        com=segment.centre,
        inertia=inertia,
        reversed=sign < 0,
    )


def variable(quantity: Any, what: str) -> tuple[str, int, Any]:
    """Coordinate, sign and rest of a quantity that is plus or minus one coordinate and something constant."""
    sp = sympy_library()
    names = sorted(free_names(quantity))
    moving = [name for name in names if COORDINATE.fullmatch(name)]
    if len(moving) != 1:
        raise ModelError(f"{what}: {quantity} holds {len(moving)} coordinates; a joint of a system has one, as in q[1] + pi/2")
    symbols = {name: sp.Symbol(name, real=True) for name in names}
    value = sp.sympify(evaluate(quantity, symbols))
    slope = sp.nsimplify(value.diff(symbols[moving[0]]))
    if slope not in (1, -1):
        raise ModelError(f"{what}: {quantity} is not plus or minus a coordinate and a constant; a joint of a system must be")
    rest = sp.expand(value - slope * symbols[moving[0]])
    return moving[0], int(slope), float(rest) if rest.is_number else parse(str(rest))
