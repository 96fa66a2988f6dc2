"""Bodies that touch in several places, as sets of contacts: the corners of a box, the ends of a capsule."""

from __future__ import annotations

from itertools import product

from locomotor import checks
from locomotor.checks import shown
from locomotor.errors import ContactLawError, NegativeLengthError
from locomotor.model.contacts.contact import RollingSphere, SlidingPoint, StickingPoint
from locomotor.model.contacts.law import ContactLaw
from locomotor.model.contacts.unilateral import Unilateral
from locomotor.model.expressions import Quantity, QuantityLike, VectorLike, as_vector
from locomotor.names import check_reference

CENTRE = (0.0, 0.0, 0.0)


@checks.fitting
def box_corners(
    name: str,
    body: str,
    half_sizes: VectorLike,
    *,
    centre: VectorLike = CENTRE,
    law: ContactLaw | None = None,
    kind: type[StickingPoint] | type[SlidingPoint] = StickingPoint,
    ground: str = "ground",
) -> tuple[StickingPoint | SlidingPoint, ...]:
    """The eight corners of a box along the axes of its body, as contacts of a system: `contacts=(*box_corners(...),)`.

    `half_sizes` and `centre` (m) are numbers or expressions of parameters. Corners are named by their signs along x, y and z:
    `<name>_pmm` is in front, right, below; with an empty name, `pmm`. `law` is `Unilateral()` unless given; `kind` tells
    whether a corner sticks where it lands (`StickingPoint`) or slides freely (`SlidingPoint`). On a plane a box touches with
    corners only. On a `Terrain` they are refused: use `StickingBox` or `SlidingBox` there, which also touch edges and
    corners of the ground between the corners of the box.
    """
    check_reference(name, "box_corners: the name")
    if not isinstance(kind, type) or kind not in (StickingPoint, SlidingPoint):
        raise ContactLawError(f"box_corners {name!r}: kind is {shown(kind)}; give StickingPoint or SlidingPoint")
    half = as_vector(half_sizes, f"box_corners {name!r}: half_sizes")
    middle = as_vector(centre, f"box_corners {name!r}: centre")
    for axis, length in zip("xyz", half, strict=True):
        if isinstance(length, float) and not length > 0.0:
            raise NegativeLengthError(f"box_corners {name!r}: the half size along {axis} is {length!r} m; it must be positive")
    return tuple(
        kind(
            "_".join(filter(None, (name, "".join("p" if sign > 0 else "m" for sign in signs)))),
            body=body,
            at=tuple(_beside(c, sign, h) for c, sign, h in zip(middle, signs, half, strict=True)),
            law=Unilateral() if law is None else law,
            ground=ground,
            of_solid="StickingBox" if kind is StickingPoint else "SlidingBox",
        )
        for signs in product((-1, 1), repeat=3)
    )


@checks.fitting
def capsule_ends(
    name: str,
    body: str,
    start: VectorLike,
    end: VectorLike,
    radius: QuantityLike,
    *,
    law: ContactLaw | None = None,
    ground: str = "ground",
) -> tuple[RollingSphere, RollingSphere]:
    """A capsule, all within `radius` (m) of the segment from `start` to `end`, as two spheres `<name>_start` and `<name>_end`.

    On a plane this is exact: standing or tilted a capsule touches with one end, lying with its line, which both ends hold, and
    it rolls about that line. On a `Terrain` they are refused: use `RollingCapsule` or `SlidingCapsule` there, which also
    touch edges and corners of the ground with their sides. `law` is `Unilateral()` unless given.
    """
    check_reference(name, "capsule_ends: the name")
    ends = (("start", start), ("end", end))
    places = [as_vector(place, f"capsule_ends {name!r}: {which}") for which, place in ends]
    if places[0] == places[1]:
        raise NegativeLengthError(f"capsule_ends {name!r}: both ends are at {shown(tuple(start))}; use one RollingSphere")
    chosen = Unilateral() if law is None else law
    first, last = (
        RollingSphere(
            f"{name}_{which}", body=body, centre=place, radius=radius, law=chosen, ground=ground, of_solid="RollingCapsule"
        )
        for (which, _), place in zip(ends, places, strict=True)
    )
    return first, last


def _beside(centre: Quantity, sign: int, half: Quantity) -> Quantity:
    """centre +- half, without a zero in front."""
    if isinstance(centre, float) and centre == 0.0:
        return half if sign > 0 else -half
    return centre + half if sign > 0 else centre - half
