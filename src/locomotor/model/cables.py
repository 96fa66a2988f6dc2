"""Cables that do not stretch and cannot push: one point stays within a sphere about another."""

from __future__ import annotations

from locomotor.checks import door, name
from locomotor.errors import DuplicateNameError, ModelError, NegativeLengthError, UnknownBodyError
from locomotor.model.contacts import Ball, SlidingPoint, Unilateral
from locomotor.model.doors import a_system
from locomotor.model.expressions import QuantityLike, VectorLike, as_quantity, known
from locomotor.model.system import System
from locomotor.names import suggestion

ORIGIN = (0.0, 0.0, 0.0)


@door(system=a_system, cable=name, body_a=name, body_b=name)
def with_cable(
    system: System,
    cable: str,
    body_a: str,
    body_b: str,
    at_a: VectorLike = ORIGIN,
    at_b: VectorLike = ORIGIN,
    *,
    length: QuantityLike,
    restitution: QuantityLike = 0.0,
) -> System:
    """The system with a cable of a `length` (m) between points of two bodies; it pulls when it is taut, and is slack otherwise.

    `body_a` may be "world". The point of body_b is inside a sphere about that of body_a, a contact like others (see `Ball`): it
    opens where the cable would have to push, closes with an impact of a `restitution` where it becomes taut, and runs with
    events and in batches. `<cable>_normal_force` is its tension (N), `<cable>_gap` what is left until it is taut (m). At length
    zero a cable has no direction: keep the points apart.
    """
    if body_a == body_b:
        raise ModelError(f"with_cable: cable {cable!r} joins body {body_a!r} to itself; name two different bodies")
    taut = known(as_quantity(length, f"with_cable: length of cable {cable!r}"), system.parameters.values)
    if taut is not None and not taut > 0.0:
        raise NegativeLengthError(f"with_cable: the length of cable {cable!r} is {taut!r} m; give a positive one")
    taken = {name for part in (*system.grounds, *system.contacts) for name in [part.name]}
    for made in (cable, f"{cable}_reach"):
        if made in taken:
            raise DuplicateNameError(
                f"with_cable: cable {cable!r} needs the name {made!r}, which is taken; choose another name"
            )
    for side, body in (("body_a", body_a), ("body_b", body_b)):
        bodies = [part.name for part in system.bodies] + (["world"] if side == "body_a" else [])
        if body not in bodies:
            raise UnknownBodyError(
                f"with_cable: {side} of cable {cable!r}: no body is named {body!r}: {suggestion(body, bodies)}"
            )
    try:
        reach = Ball(f"{cable}_reach", body_a, centre=at_a, radius=length, inside=True)
        held = SlidingPoint(cable, body=body_b, at=at_b, ground=reach.name, law=Unilateral(restitution=restitution))
        return system.replace(grounds=(*system.grounds, reach), contacts=(*system.contacts, held))
    except ModelError as error:  # in the words of the cable, which has no ball
        told = str(error)
        for ours, theirs in ((f"Ball '{cable}_reach'", "radius length centre at_a"), (f"SlidingPoint {cable!r}", "at at_b")):
            words = theirs.split()
            for before, after in zip(words[::2], words[1::2], strict=True):
                told = told.replace(f"{ours}: {before} ", f"with_cable: cable {cable!r}: {after} ")
        raise type(error)(told) from None
