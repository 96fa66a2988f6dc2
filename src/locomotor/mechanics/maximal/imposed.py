"""Imposed motions between free bodies: one condition more, that the coordinate of a joint follows its law of time.

The same condition with a law of zero speaks of the rate of a joint, to which its rotor is geared (`OfRotor`).
"""

from dataclasses import field
from functools import singledispatch
from typing import Any, ClassVar

from locomotor.dataclass import dataclass
from locomotor.errors import ModelError
from locomotor.lie import ops
from locomotor.mechanics.loops import Jet, Pair, closing, sine_and_cosine
from locomotor.mechanics.maximal.unfolded import oriented
from locomotor.model import Closure, FixedClosure, Helical, Joint, PointOnPlane, Prismatic, Revolute
from locomotor.model.expressions import QuantityLike
from locomotor.model.loops import ANGLE


@dataclass(frozen=True)
class TurnedBy(FixedClosure):
    """Body_b is turned about the axis by `angle` (rad), a law of t; nothing else is held."""

    ROWS: ClassVar[tuple[tuple[str, str], ...]] = (("turn", ANGLE),)
    SCALARS: ClassVar[tuple[str, ...]] = ("angle",)
    LAWS: ClassVar[tuple[str, ...]] = ("angle",)

    angle: QuantityLike = field(kw_only=True)


@closing.register
def _(closure: TurnedBy, pair: Pair) -> tuple[Jet, ...]:
    """The angle less its law, up to whole turns."""
    sine, cosine = sine_and_cosine(closure, pair)
    left = sine.angle(cosine) - Jet.of_law(closure.angle, pair.values)  # type: ignore[arg-type]
    return (Jet(ops.atan2(ops.sin(left.value), ops.cos(left.value)), left.flow),)


@singledispatch
def imposing(joint: Joint, name: str, law: QuantityLike, values: Any) -> Closure:
    """The closure that makes the coordinate of a joint follow a law, when both of its bodies are free."""
    raise ModelError(
        f"{joint.label}: nothing says how the motion of a {type(joint).__name__} is imposed in maximal coordinates; register "
        "`imposing` of locomotor.mechanics.maximal for it"
    )


@imposing.register(Revolute)
@imposing.register(Helical)
def _(joint: Any, name: str, law: QuantityLike, values: Any) -> Closure:
    return TurnedBy(name, joint.parent, joint.child, **oriented(joint, values), angle=law)


@imposing.register
def _(joint: Prismatic, name: str, law: QuantityLike, values: Any) -> Closure:
    placed = oriented(joint, values)
    return PointOnPlane(name, joint.parent, joint.child, placed["at_a"], axis_a=placed["axis_a"], offset=law)
