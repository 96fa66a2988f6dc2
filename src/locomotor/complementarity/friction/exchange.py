"""One way in which contacts can go on, found from a guess by exchanging modes: whoever breaks its law gets another one.

The equations of a guess are linear (see `modes`). A contact that would have to pull opens, one that would enter the ground
closes, one whose friction is exhausted slips against it, and one that would slip against friction sticks. In space the
direction of a first slip follows its acceleration. Guesses that come back end the search; `all_modes` then tries everything.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from locomotor.complementarity.friction.modes import SIGN, Choice, ContactSolution, Side, equations
from locomotor.dataclass import dataclass
from locomotor.typing import Floats

ROUNDS = 200
"""Exchanges that are tried."""
TURNED = 1e-10
"""A direction of first slip that changes by less (rad) is found."""


@dataclass(frozen=True, eq=False)
class Guess:
    """The mode that a contact is taken to have, and how far it may miss its signs.

    A contact at the border of its mode (a force that has just vanished, friction that is just exhausted) keeps the mode beyond
    it although numbers there are still zero, of either sign. One that opens may also approach by `floor`, whatever the others
    do: where all forces vanish at once there is nothing else to measure it by.
    """

    word: str
    direction: Floats | None = None
    loose: float = SIGN
    floor: float = 0.0


def exchange(W: Floats, q: Floats, sides: Sequence[Side], guesses: Sequence[Guess]) -> ContactSolution | None:
    """Modes, forces and accelerations that satisfy every law, with directions of slip; None where no guess led to some."""
    chosen = [_first(side, guess) for side, guess in zip(sides, guesses, strict=True)]
    seen: set[tuple[tuple[str, tuple[float, ...]], ...]] = set()
    for _ in range(ROUNDS):
        key = tuple((c.word, () if c.direction is None else tuple(np.round(c.direction, 12))) for c in chosen)
        if key in seen:
            return None
        seen.add(key)
        A, b = equations(W, q, sides, chosen)
        sizes = np.abs(A).max(axis=1, initial=0.0)
        A, b = A / np.where(sizes > 0.0, sizes, 1.0)[:, None], b / np.where(sizes > 0.0, sizes, 1.0)
        least, _, rank, _ = np.linalg.lstsq(A, b, rcond=1e-11)
        r: Floats = np.asarray(least, dtype=float)
        if np.abs(A @ r - b).max(initial=0.0) > 1e3 * SIGN * max(float(np.abs(b).max(initial=0.0)), 1e-300):
            return None
        u = W @ r + q
        following = _exchanged(sides, chosen, r, u, W, q, guesses)
        if following is None:
            directions = tuple(
                np.zeros(s.tangents) if c.direction is None else c.direction for s, c in zip(sides, chosen, strict=True)
            )
            return ContactSolution(tuple(c.word for c in chosen), r, u, int(rank) == len(q), directions)
        chosen = following
    return None


def _first(side: Side, guess: Guess) -> Choice:
    if guess.word == "slip":
        return _slipping(side) if guess.direction is None else Choice("slip", guess.direction, not side.slip.any())
    return Choice(guess.word)


def _slipping(side: Side) -> Choice:
    return Choice("slip", side.slip, False)


def _closed(side: Side) -> Choice:
    """How a contact that closes is held."""
    if side.tangents == 0 or side.slip.any() or side.frictionless:
        return _slipping(side)
    return Choice("stick")


def _exchanged(
    sides: Sequence[Side], chosen: list[Choice], r: Floats, u: Floats, W: Floats, q: Floats, guesses: Sequence[Guess]
) -> list[Choice] | None:
    """The guess with the worst normal exchanged, or else all tangents that are wrong; None where nothing is."""
    size_r = float(np.abs(r).max(initial=0.0)) or 1e-300
    size_u = float((np.abs(W) @ np.abs(r) + np.abs(q)).max(initial=0.0)) or 1e-300
    loose = [guess.loose for guess in guesses]
    worst, place = 0.0, -1
    for i, (side, choice) in enumerate(zip(sides, chosen, strict=True)):
        n = side.rows.start
        amiss = -(u[n] + guesses[i].floor) / size_u if choice.word == "open" else -r[n] / size_r
        if amiss > loose[i] and amiss > worst:
            worst, place = amiss, i
    found = list(chosen)
    if place >= 0:
        found[place] = _closed(sides[place]) if chosen[place].word == "open" else Choice("open")
        return found
    changed = False
    for i, (side, choice) in enumerate(zip(sides, chosen, strict=True)):
        force, acceleration = r[side.rows], u[side.rows][1:]
        if choice.word == "stick" and not np.isinf(side.mu):
            if side.size(force[1:]) > max(side.bound * force[0] + SIGN * size_r, 0.0):
                found[i], changed = Choice("slip", side.towards(force[1:]), True), True
        elif choice.word == "slip" and choice.begins:
            assert choice.direction is not None
            speed = float(np.linalg.norm(acceleration))
            if speed <= max(loose[i], SIGN) * size_u:
                continue
            if float(acceleration @ choice.direction) < -max(loose[i], SIGN) * size_u:
                found[i], changed = Choice("stick"), True
            elif np.linalg.norm(acceleration / speed - choice.direction) > TURNED + 10.0 * SIGN * size_u / speed:
                found[i], changed = Choice("slip", acceleration / speed, True), True
    return found if changed else None
