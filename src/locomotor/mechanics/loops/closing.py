"""The conditions of every kind of closure, by position: rows, right-hand sides and bias follow (see `jet`).

Right-handed triads u, b, c in each body; d from the point of body_a to that of body_b. Signs are such that a multiplier is the
force along, or the couple about, the direction that its row is named by, of body_a on body_b.
"""

from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.errors import ClosureError
from locomotor.lie import ops
from locomotor.mechanics.loops.jet import Flow, Jet
from locomotor.mechanics.loops.relative import Pair, Relative
from locomotor.model import (
    Closure,
    CylindricalClosure,
    FixedClosure,
    HelicalClosure,
    Orthogonal,
    Parallel,
    PlanarClosure,
    PointOnLine,
    PointOnPlane,
    PrismaticClosure,
    RevoluteClosure,
    RodClosure,
    SphericalClosure,
    UniversalClosure,
    evaluate,
)
from locomotor.typing import Array

Conditions = tuple[Jet | Flow, ...]


@singledispatch
def closing(closure: Closure, pair: Pair) -> Conditions:
    """What a closure keeps at zero, in the order of its `ROWS`: positions, or velocities where nothing else is known."""
    raise ClosureError(
        f"{closure.label}: nothing says what a {type(closure).__name__} holds; register `closing` of "
        "locomotor.mechanics.loops for it"
    )


# -- pieces ----------------------------------------------------------------------------------------------------------


def _apart(closure: Closure, pair: Pair) -> Jet:
    """d, from the point of body_a to that of body_b."""
    return _point(pair.b, closure.at_b, pair) - _point(pair.a, closure.at_a, pair)


def _point(body: Relative, at: Any, pair: Pair) -> Jet:
    return body.point(evaluate(at, pair.values))


def across(axis: Any, pair: Pair) -> Array:
    """A unit vector across an axis, the same for equal axes: what is left of the coordinate axis farthest from it."""
    numbers = np.asarray(evaluate(axis, pair.numbers), dtype=float)
    far = np.eye(3)[int(np.abs(numbers).argmin())]
    u = evaluate(axis, pair.values)
    rest = far - ops.dot(far, u) * u
    return (1.0 / ops.norm(rest)) * rest


def triad(body: Relative, axis: Any, given: Any, pair: Pair) -> tuple[Jet, Jet, Jet]:
    """u, b and c of a body: right-handed, b as given or any across u."""
    u = evaluate(axis, pair.values)
    b = across(axis, pair) if given is None else evaluate(given, pair.values)
    return body.direction(u), body.direction(b), body.direction(ops.cross(u, b))


def _meeting(closure: Closure, pair: Pair) -> Conditions:
    """Two points meet: d = 0, along three axes."""
    d = _apart(closure, pair)
    return tuple(d.dot(Jet.still(axis)) for axis in np.eye(3))


def _aligned(closure: Any, pair: Pair, given: Any = None) -> Conditions:
    """u_b stays along u_a: -c . u_b = 0, whose rate is the turning about b, and b . u_b = 0, the turning about c."""
    _, b, c = triad(pair.a, closure.axis_a, given, pair)
    u_b = pair.b.direction(evaluate(closure.axis_b, pair.values))
    return c.dot(u_b).scaled(-1.0), b.dot(u_b)


def _on_line(closure: Any, pair: Pair, given: Any = None) -> Conditions:
    """b . d = c . d = 0."""
    d = _apart(closure, pair)
    _, b, c = triad(pair.a, closure.axis_a, given, pair)
    return b.dot(d), c.dot(d)


def sine_and_cosine(closure: Any, pair: Pair) -> tuple[Jet, Jet]:
    """Sine and cosine of the angle of body_b about the axis, from across_a to across_b."""
    _, b_a, c_a = triad(pair.a, closure.axis_a, closure.across_a, pair)
    b_b = triad(pair.b, closure.axis_b, closure.across_b, pair)[1]
    return c_a.dot(b_b), b_a.dot(b_b)


# -- kinds -----------------------------------------------------------------------------------------------------------


@closing.register
def _(closure: SphericalClosure, pair: Pair) -> Conditions:
    return _meeting(closure, pair)


@closing.register
def _(closure: RodClosure, pair: Pair) -> Conditions:
    return (_apart(closure, pair).length() - Jet.of_law(closure.length, pair.values),)  # type: ignore[arg-type]


@closing.register
def _(closure: PointOnPlane, pair: Pair) -> Conditions:
    u = pair.a.direction(evaluate(closure.axis_a, pair.values))
    return (u.dot(_apart(closure, pair)) - Jet.of_law(closure.offset, pair.values),)  # type: ignore[arg-type]


@closing.register
def _(closure: Orthogonal, pair: Pair) -> Conditions:
    u_a, u_b = (x.direction(evaluate(u, pair.values)) for x, u in ((pair.a, closure.axis_a), (pair.b, closure.axis_b)))
    return (u_a.dot(u_b) - Jet.of_law(closure.cosine, pair.values),)  # type: ignore[arg-type]


@closing.register
def _(closure: Parallel, pair: Pair) -> Conditions:
    return _aligned(closure, pair)


@closing.register
def _(closure: PlanarClosure, pair: Pair) -> Conditions:
    u = pair.a.direction(evaluate(closure.axis_a, pair.values))
    return u.dot(_apart(closure, pair)), *_aligned(closure, pair)


@closing.register
def _(closure: PointOnLine, pair: Pair) -> Conditions:
    return _on_line(closure, pair)


@closing.register
def _(closure: UniversalClosure, pair: Pair) -> Conditions:
    u_a, u_b = (x.direction(evaluate(u, pair.values)) for x, u in ((pair.a, closure.axis_a), (pair.b, closure.axis_b)))
    return *_meeting(closure, pair), u_a.dot(u_b)


@closing.register
def _(closure: RevoluteClosure, pair: Pair) -> Conditions:
    return *_meeting(closure, pair), *_aligned(closure, pair)


@closing.register
def _(closure: CylindricalClosure, pair: Pair) -> Conditions:
    return *_on_line(closure, pair), *_aligned(closure, pair)


@closing.register
def _(closure: PrismaticClosure, pair: Pair) -> Conditions:
    sine, _ = sine_and_cosine(closure, pair)
    return *_on_line(closure, pair, closure.across_a), sine, *_aligned(closure, pair, closure.across_a)


@closing.register
def _(closure: HelicalClosure, pair: Pair) -> Conditions:
    """Thread: u . d - pitch theta, up to whole turns, which the screw cannot tell from each other."""
    pitch = evaluate(closure.pitch, pair.values)
    u = pair.a.direction(evaluate(closure.axis_a, pair.values))
    along = u.dot(_apart(closure, pair))
    sine, cosine = sine_and_cosine(closure, pair)
    thread = along - sine.angle(cosine).scaled(pitch)
    turns = thread.value / pitch
    wrapped = pitch * ops.atan2(ops.sin(turns), ops.cos(turns))
    rest = _on_line(closure, pair, closure.across_a)
    return Jet(wrapped, thread.flow), *rest, *_aligned(closure, pair, closure.across_a)


@closing.register
def _(closure: FixedClosure, pair: Pair) -> Conditions:
    sine, _ = sine_and_cosine(closure, pair)
    return *_meeting(closure, pair), sine, *_aligned(closure, pair, closure.across_a)
