"""What the systems of locomotion share: parameters of our own choice, driven joints with their inputs, simple shapes."""

from typing import Any

import numpy as np

from locomotor.checks import shown
from locomotor.errors import ModelError
from locomotor.model import Input, Parameter, ParameterSet, Revolute, Torque

FORWARD = (1.0, 0.0, 0.0)
LEFT = (0.0, 1.0, 0.0)
UP = (0.0, 0.0, 1.0)
OURS = "ours: the source gives no value"

Row = tuple[str, float, str, str]
"""Name, value, unit, description of a parameter."""


MOST_PARTS = 10_000
"""Parts of one system: more make a tape that no compiler takes."""


def whole(number: Any, of: str, what: str, least: int, why: str = "") -> int:
    """A whole number of parts, checked."""
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or not least <= number <= MOST_PARTS:
        given = shown(number)
        raise ModelError(f"{of}: {what} is {given}; give a whole number, at least {least}{why}, at most {MOST_PARTS}")
    return int(number)


def parameter_set(*rows: Row, source: str = OURS) -> ParameterSet:
    """Parameters of one source."""
    return ParameterSet(Parameter(name, value, unit, "", about, source) for name, value, unit, about in rows)


def torque_input(joint: str, about: str, unit: str = "N m") -> Input:
    """The input that drives a joint: `<joint>_torque`."""
    return Input(f"{joint}_torque", unit, rf"\tau_\mathrm{{{joint.replace('_', chr(92) + ',')}}}", about)


def driven(name: str, parent: str, child: str, **options: Any) -> Revolute:
    """A revolute joint, about the vertical unless said otherwise, that the input `<name>_torque` drives."""
    options.setdefault("axis", UP)
    return Revolute(name=name, parent=parent, child=child, drive=Torque(f"{name}_torque"), **options)


def hinge(name: str, parent: str, child: str, **options: Any) -> Revolute:
    """A passive revolute joint, about the vertical unless said otherwise."""
    options.setdefault("axis", UP)
    return Revolute(name=name, parent=parent, child=child, **options)


def disc(mass: str, radius: str, axis: int = 1) -> tuple[str, ...]:
    """Inertia of a thin homogeneous disc about its centre, normal to a coordinate axis (y, the axle, by default)."""
    return tuple(f"{mass}*({radius})**2/{2 if i == axis else 4}" for i in range(3))


def box(mass: str, length: str, width: str, height: str) -> tuple[str, ...]:
    """Inertia of a homogeneous box about its centre."""
    pairs = ((width, height), (length, height), (length, width))
    # A side may be a formula itself, such as 2*d: its square needs the brackets.
    return tuple(f"{mass}*(({a})**2 + ({b})**2)/12" for a, b in pairs)
