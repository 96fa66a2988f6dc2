"""What closures keep at zero, a second time: positions in the axes of the world, to be differentiated (see `virtual_power`)."""

from collections.abc import Callable
from functools import singledispatch
from typing import Any

import casadi
import numpy as np

from locomotor.errors import ModelError
from locomotor.model import (
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
)

Place = Callable[[str, Any], Any]
"""Body and a point or a direction of it -> the same in the world."""


class Seen:
    """The points and directions of a closure, in the world."""

    def __init__(self, closure: Any, point: Place, turned: Place, value: Callable[[Any], Any]) -> None:
        self.closure, self._turned, self.value = closure, turned, value
        a, b = (point(getattr(closure, f"body_{s}"), value(getattr(closure, f"at_{s}"))) for s in "ab")
        self.apart = b - a

    def axis(self, side: str, name: str = "axis") -> Any:
        """An axis of one of the bodies."""
        return self._turned(getattr(self.closure, f"body_{side}"), self.value(getattr(self.closure, f"{name}_{side}")))

    def frame(self, side: str) -> tuple[Any, Any]:
        """Two directions across the axis."""
        given = getattr(self.closure, f"across_{side}", None)
        axis = self.value(getattr(self.closure, f"axis_{side}"))
        if given is None:
            far = np.eye(3)[int(np.abs(np.asarray(casadi.DM(axis)).ravel()).argmin())]
            rest = casadi.cross(casadi.cross(axis, far), axis)
            across = rest / casadi.norm_2(rest)
        else:
            across = self.value(given)
        body = getattr(self.closure, f"body_{side}")
        return self._turned(body, across), self._turned(body, casadi.cross(casadi.DM(axis), casadi.DM(across)))


@singledispatch
def held(closure: Any, seen: Seen) -> list[Any]:
    """Positions that a closure keeps at zero."""
    raise ModelError(
        f"certify: a loop of the kind {type(closure).__name__} has no second derivation; certify a system without it"
    )


def _met(seen: Seen) -> list[Any]:
    return [seen.apart[k] for k in range(3)]


def _aligned(seen: Seen) -> list[Any]:
    u = seen.axis("b")
    return [casadi.dot(d, u) for d in seen.frame("a")]


def _on_line(seen: Seen) -> list[Any]:
    return [casadi.dot(d, seen.apart) for d in seen.frame("a")]


def _sine(seen: Seen) -> Any:
    return casadi.dot(seen.frame("a")[1], seen.frame("b")[0])


@held.register
def _(closure: SphericalClosure, seen: Seen) -> list[Any]:
    return _met(seen)


@held.register
def _(closure: RodClosure, seen: Seen) -> list[Any]:
    return [casadi.norm_2(seen.apart) - seen.value(closure.length)]


@held.register
def _(closure: PointOnPlane, seen: Seen) -> list[Any]:
    return [casadi.dot(seen.axis("a"), seen.apart) - seen.value(closure.offset)]


@held.register
def _(closure: Orthogonal, seen: Seen) -> list[Any]:
    return [casadi.dot(seen.axis("a"), seen.axis("b")) - seen.value(closure.cosine)]


@held.register
def _(closure: Parallel, seen: Seen) -> list[Any]:
    return _aligned(seen)


@held.register
def _(closure: PlanarClosure, seen: Seen) -> list[Any]:
    return [casadi.dot(seen.axis("a"), seen.apart), *_aligned(seen)]


@held.register
def _(closure: PointOnLine, seen: Seen) -> list[Any]:
    return _on_line(seen)


@held.register
def _(closure: UniversalClosure, seen: Seen) -> list[Any]:
    return [*_met(seen), casadi.dot(seen.axis("a"), seen.axis("b"))]


@held.register
def _(closure: RevoluteClosure, seen: Seen) -> list[Any]:
    return [*_met(seen), *_aligned(seen)]


@held.register
def _(closure: CylindricalClosure, seen: Seen) -> list[Any]:
    return [*_on_line(seen), *_aligned(seen)]


@held.register
def _(closure: PrismaticClosure, seen: Seen) -> list[Any]:
    return [*_on_line(seen), _sine(seen), *_aligned(seen)]


@held.register
def _(closure: HelicalClosure, seen: Seen) -> list[Any]:
    turned = casadi.atan2(_sine(seen), casadi.dot(seen.frame("a")[0], seen.frame("b")[0]))
    along = casadi.dot(seen.axis("a"), seen.apart)
    return [along - seen.value(closure.pitch) * turned, *_on_line(seen), *_aligned(seen)]


@held.register
def _(closure: FixedClosure, seen: Seen) -> list[Any]:
    return [*_met(seen), _sine(seen), *_aligned(seen)]
