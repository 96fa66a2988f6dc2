"""What tells the pose that a closure means from those half a turn away, in which its rows vanish as well.

Rows of turning say that directions are at right angles, which mirrored triads are too. No three numbers that are smooth in a
rotation vanish at one rotation alone, so a fourth is watched where poses are assembled: 1 - cos(theta), with theta the angle by
which body_b is turned away from where it belongs. Its slope is zero where it is, so it adds no row, force or freedom.
"""

from functools import singledispatch
from typing import Any

from locomotor.mechanics.loops.closing import triad
from locomotor.mechanics.loops.jet import Jet
from locomotor.mechanics.loops.loop_rows import LoopRow
from locomotor.mechanics.loops.relative import Pair
from locomotor.mechanics.tree import Kinematics
from locomotor.model import Closure, FixedClosure, PrismaticClosure


@singledispatch
def senses(closure: Closure, pair: Pair) -> tuple[Jet, ...]:
    """What vanishes only in the pose that is meant, in the order of `SENSES`; hinges keep the sense that they begin with."""
    return ()


@senses.register(FixedClosure)
@senses.register(PrismaticClosure)
def _(closure: Any, pair: Pair) -> tuple[Jet, ...]:
    """1 - cos(theta) = (3 - u . u_b - b . b_b - c . c_b)/2, half of three less the trace of the rotation."""
    first = triad(pair.a, closure.axis_a, closure.across_a, pair)
    second = triad(pair.b, closure.axis_b, closure.across_b, pair)
    u, b, c = (one.dot(other) for one, other in zip(first, second, strict=True))
    return ((Jet.still(3.0) - u - b - c).scaled(0.5),)


def sense_rows(kinematics: Kinematics) -> tuple[LoopRow, ...]:
    """The senses of all closures of a system at one instant."""
    found: list[LoopRow] = []
    for closure in kinematics.instant.system.loops:
        if closure.SENSES:
            jets = senses(closure, Pair.of(kinematics, [getattr(closure, name) for name in closure.BODIES]))
            for name, (_, measure), jet in zip(closure.sense_names, closure.SENSES, jets, strict=True):
                found.append(LoopRow(closure, name, jet.flow, jet.value, kinematics.instant, measure))
    return tuple(found)
