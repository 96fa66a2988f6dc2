"""How contacts can go on: one way for a run, or all of them with the proof that there are no others."""

from __future__ import annotations

from collections.abc import Sequence

from locomotor.complementarity.friction.cones import from_cones
from locomotor.complementarity.friction.exchange import Guess, exchange
from locomotor.complementarity.friction.modes import MOST, ContactSolution, Side, all_modes, combinations, joined
from locomotor.complementarity.friction.problem import certificate
from locomotor.typing import Floats


def one_way(W: Floats, q: Floats, sides: Sequence[Side], guesses: Sequence[Guess]) -> ContactSolution | None:
    """The way on that a guess leads to or, where it leads nowhere, one that solves the cones; None where none was found."""
    return exchange(W, q, sides, guesses) or from_cones(W, q, sides)


def all_ways(W: Floats, q: Floats, sides: Sequence[Side]) -> tuple[tuple[ContactSolution, ...], bool]:
    """All ways on, and whether none can have been missed.

    Every combination of modes is tried where they are not too many; what solves the cones is among them in any case. Where
    nothing was found, normal forces that balance each other may prove that there is nothing. Static friction holds who can
    stick: ways in which others slip from rest are none then.
    """
    ways, complete = all_modes(W, q, sides) if combinations(sides) <= MOST else ((), False)
    if complete or any(side.bearer is not None for side in sides):
        return _held(ways, sides), complete  # the cones below know nothing that is borne by others
    found = from_cones(W, q, sides)
    if found is not None:
        return _held(joined(ways, found, W, q), sides), False
    return _held(ways, sides), not ways and certificate(W, q, [side.rows.start for side in sides]) is not None


def _held(ways: tuple[ContactSolution, ...], sides: Sequence[Side]) -> tuple[ContactSolution, ...]:
    """The ways without those in which contacts slip that stick, with all others that do, in another."""
    stronger = [k for k, side in enumerate(sides) if side.bound > side.mu]
    if not stronger:
        return ways
    sticking = [frozenset(k for k in stronger if way.modes[k] == "stick") for way in ways]
    return tuple(way for way, own in zip(ways, sticking, strict=True) if not any(own < other for other in sticking))
