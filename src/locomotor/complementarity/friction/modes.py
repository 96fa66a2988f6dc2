"""All ways in which contacts can go on from a state: each is open, sticks or slips, and every combination is tried.

At a contact that slips already friction has its direction, r_T = -mu r_N v_T / |v_T|. One that does not slip sticks or begins
to slip, r_T = -mu r_N s with u_T = a s, a >= 0. Where the modes are right, forces and accelerations solve linear equations (in
space together with the directions of the contacts that begin to slip), and the signs decide whether they count.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np

from locomotor.complementarity.friction.border import Border, across
from locomotor.dataclass import dataclass
from locomotor.typing import Floats

MOST = 4096
"""Combinations of modes that are tried."""
SIGN = 1e-9
"""Numbers above minus this, relatively, are not negative."""
SAME = 1e-7
"""Solutions nearer than this, relatively, are one."""
ANGLES = 180
"""Directions of a first slip in space between which sign changes are sought."""
STARTS = 6
"""Directions to start from, for each of several contacts that begin to slip at once."""
TOGETHER = 3
"""Contacts in space that may begin to slip at once."""
MOST_STARTS = 1500
"""Starts of searches for their directions; fewer contacts at once are looked at where they would be more."""


@dataclass(frozen=True, eq=False)
class ContactSolution:
    """One way to go on: a mode for each contact ("open", "stick", "slip"), forces and relative accelerations."""

    modes: tuple[str, ...]
    forces: Floats
    accelerations: Floats
    unique: bool = True
    """Whether the modes determine the forces; otherwise these are one choice of many, and the motion is the same for all."""
    directions: tuple[Floats, ...] = ()
    """Of each contact that slips: the unit direction of its slip, along its tangents; else zero."""


class Side(NamedTuple):
    """One contact: its rows, its friction (infinite: it never slips) and how it slips now."""

    rows: slice
    mu: float
    slip: Floats
    """Direction of its slip, zero where it does not slip."""
    static: float | None = None
    """Friction while it sticks, where that differs."""
    bearer: int | None = None
    """Of what resists rolling, which is beside the contact and has no normal of its own: the row of the normal force by which
    it is bounded."""
    border: Border | None = None
    """Of what friction may be per mu N, where that is no ball."""

    def rubs(self, direction: Floats) -> Floats:
        """Against what friction acts, per mu N, where a slip has a direction."""
        return direction if self.border is None else self.border.friction(direction)

    def size(self, force: Floats) -> float:
        """Size of a force along the ground, beside mu N."""
        return float(np.linalg.norm(force)) if self.border is None else self.border.size(force)

    def towards(self, force: Floats) -> Floats:
        """The unit direction of the slip against which a force acts."""
        return -force / float(np.linalg.norm(force)) if self.border is None else -across(self.border, force)

    @property
    def normal(self) -> int:
        """Row of the normal force."""
        return self.rows.start if self.bearer is None else self.bearer

    @property
    def along(self) -> slice:
        """Rows along the ground."""
        return slice(self.rows.start + (self.bearer is None), self.rows.stop)

    @property
    def tangents(self) -> int:
        """Directions along the ground."""
        return self.rows.stop - self.rows.start - (self.bearer is None)

    @property
    def bound(self) -> float:
        """Coefficient of friction of the contact while it sticks."""
        return self.mu if self.static is None else self.static

    @property
    def frictionless(self) -> bool:
        """Whether nothing holds it along the ground."""
        return self.mu == 0.0 and self.bound <= 0.0


def with_one_border(sides: Sequence[Side]) -> list[Side]:
    """Borders where one contact alone has one: several share a load in many ways, which is decided with the balls around."""
    bent = sum(side.border is not None for side in sides)
    return list(sides) if bent <= 1 else [side._replace(border=None) for side in sides]


class Choice(NamedTuple):
    """A mode of one contact, with the direction of its slip (None: to be found)."""

    word: str
    direction: Floats | None = None
    begins: bool = False


def _choices(side: Side) -> list[Choice]:
    d = side.tangents
    opened = Choice("open")
    if d == 0 or side.frictionless:
        return [opened, Choice("slip", np.zeros(d))]
    if np.isinf(side.mu):
        return [opened, Choice("stick")]
    if side.slip.any():
        return [opened, Choice("slip", side.slip)]
    if d == 1:
        return [opened, Choice("stick"), *(Choice("slip", np.array([s]), True) for s in (1.0, -1.0))]
    return [opened, Choice("stick"), Choice("slip", None, True)]


def combinations(sides: Sequence[Side]) -> float:
    """Number of combinations of modes."""
    return math.prod(float(len(_choices(side))) for side in sides)


def all_modes(W: Floats, q: Floats, sides: Sequence[Side]) -> tuple[tuple[ContactSolution, ...], bool]:
    """All solutions, and whether none can have been missed; of as many contacts as have no more than `MOST` combinations."""
    choices = [_choices(side) for side in sides]
    kept: list[ContactSolution] = []
    complete = True
    sizes = _sizes(W, q)
    together = _together(sides, choices)
    for combination in product(*choices):
        if _borne_by_nothing(sides, combination):
            continue
        unknown = [i for i, choice in enumerate(combination) if choice.direction is None and choice.word == "slip"]
        complete &= len(unknown) <= 1
        if len(unknown) > together:
            continue
        for chosen in _directed(W, q, sides, list(combination), unknown):
            found = _solution(W, q, sides, chosen)
            if found is not None:
                _keep(kept, found, *sizes)
    return tuple(kept), complete


def _borne_by_nothing(sides: Sequence[Side], chosen: Sequence[Choice]) -> bool:
    """Whether something resists rolling at a contact that is open, or is left out at one that is closed."""
    if all(side.bearer is None for side in sides):
        return False
    opened = {side.normal for side, choice in zip(sides, chosen, strict=True) if side.bearer is None and choice.word == "open"}
    return any(
        (choice.word == "open") != (side.bearer in opened)
        for side, choice in zip(sides, chosen, strict=True)
        if side.bearer is not None
    )


def joined(ways: Sequence[ContactSolution], other: ContactSolution, W: Floats, q: Floats) -> tuple[ContactSolution, ...]:
    """Solutions with one more, unless it is one of them."""
    kept = list(ways)
    _keep(kept, other, *_sizes(W, q))
    return tuple(kept)


def _sizes(W: Floats, q: Floats) -> tuple[float, float]:
    """Sizes of accelerations and forces beside which differences are round-off."""
    size = float(np.abs(q).max(initial=0.0))
    return size, size / (float(np.abs(W).max(initial=0.0)) or 1.0)


def _together(sides: Sequence[Side], choices: Sequence[Sequence[Choice]]) -> int:
    """How many contacts in space are tried to begin to slip at once: as many as take no more than `MOST_STARTS` starts."""
    # Combinations with so many directions that are sought: coefficients of a product of one polynomial for each contact.
    counts = np.array([1.0])
    for side, own in zip(sides, choices, strict=True):
        sought = any(choice.direction is None and choice.word == "slip" for choice in own)
        counts = np.convolve(counts, [len(own) - 1.0, _starts(side)] if sought else [float(len(own))])
    starts = np.cumsum(counts[2 : TOGETHER + 1])
    return 1 + int((starts <= MOST_STARTS).sum())


def _starts(side: Side) -> float:
    """Directions to start from at one of several contacts that begin to slip."""
    return float(STARTS if side.tangents <= 2 else 2 * side.tangents)


def _keep(kept: list[ContactSolution], found: ContactSolution, size_u: float, size_r: float) -> None:
    """Each motion once: equal accelerations at dependent contacts are one motion with forces that are not determined."""
    for i, other in enumerate(kept):
        if _near(found.accelerations, other.accelerations, size_u):
            if not _near(found.forces, other.forces, size_r):
                # Of several the one with most contacts closed.
                best = min(other, found, key=lambda way: way.modes.count("open"))
                kept[i] = replace(best, unique=False)
            return
    kept.append(found)


def _near(a: Floats, b: Floats, size: float) -> bool:
    size = max(size, float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0)))
    return float(np.abs(a - b).max(initial=0.0)) <= SAME * size


def equations(W: Floats, q: Floats, sides: Sequence[Side], chosen: Sequence[Choice]) -> tuple[Floats, Floats]:
    """A r = b of a combination whose directions are known."""
    A, b = W.copy(), -q
    for side, choice in zip(sides, chosen, strict=True):
        if choice.word == "open":
            A[side.rows], b[side.rows] = np.eye(len(q))[side.rows], 0.0
        elif choice.word == "slip" and choice.direction is not None:
            A[side.along], b[side.along] = np.eye(len(q))[side.along], 0.0
            rubs = side.rubs(choice.direction) if choice.begins else choice.direction
            A[side.along, side.normal] = (0.0 if np.isinf(side.mu) else side.mu) * rubs
    return A, b


def _solution(W: Floats, q: Floats, sides: Sequence[Side], chosen: Sequence[Choice]) -> ContactSolution | None:
    """Forces and accelerations of a combination, if all signs are right."""
    A, b = equations(W, q, sides, chosen)
    # Rows of forces and rows of accelerations have different sizes.
    sizes = np.abs(A).max(axis=1, initial=0.0)
    A, b = A / np.where(sizes > 0.0, sizes, 1.0)[:, None], b / np.where(sizes > 0.0, sizes, 1.0)
    least, _, rank, _ = np.linalg.lstsq(A, b, rcond=1e-11)
    r: Floats = np.asarray(least, dtype=float)
    unique = int(rank) == len(q)
    if np.abs(A @ r - b).max(initial=0.0) > SIGN * max(float(np.abs(b).max(initial=0.0)), 1e-300):
        return None
    if not unique:
        found = _chosen_of_many(A, b, W, q, sides, chosen)
        if found is None:
            return None
        r = found
    return judged(W, q, sides, chosen, r, unique)


def judged(
    W: Floats, q: Floats, sides: Sequence[Side], chosen: Sequence[Choice], r: Floats, unique: bool
) -> ContactSolution | None:
    """The forces of a combination as a solution, if all signs are right."""
    u = W @ r + q
    size_r, size_u = float(np.abs(r).max(initial=0.0)), float((np.abs(W) @ np.abs(r) + np.abs(q)).max(initial=0.0))
    for side, choice in zip(sides, chosen, strict=True):
        force, acceleration = r[side.along], u[side.along]
        if side.bearer is not None:
            good = True
        elif choice.word == "open":
            good = u[side.normal] >= -SIGN * size_u
        else:
            good = r[side.normal] >= -SIGN * size_r
        if choice.word == "stick" and not np.isinf(side.mu):
            good &= side.size(force) <= side.bound * r[side.normal] + SIGN * size_r
        if choice.begins and choice.direction is not None:
            good &= float(acceleration @ choice.direction) >= -SIGN * size_u
        if not good:
            return None
    directions = tuple(np.zeros(s.tangents) if c.direction is None else c.direction for s, c in zip(sides, chosen, strict=True))
    return ContactSolution(tuple(choice.word for choice in chosen), r, u, unique, directions)


def _chosen_of_many(
    A: Floats, b: Floats, W: Floats, q: Floats, sides: Sequence[Side], chosen: Sequence[Choice]
) -> Floats | None:
    """Forces with the right signs where equations leave some undetermined (a linear program; cones in space with 16 facets)."""
    from scipy.optimize import linprog

    n = len(q)
    rows, least = [], []

    def at_least(row: Floats, bound: float) -> None:
        rows.append(-row)
        least.append(-bound)

    for side, choice in zip(sides, chosen, strict=True):
        normal, unit = np.eye(n)[side.normal], np.eye(n)[side.along]
        if choice.word == "open" and side.bearer is None:
            at_least(W[side.normal], -float(q[side.normal]))
        else:
            at_least(normal, 0.0)
        if choice.word == "stick" and not np.isinf(side.mu):
            facets, inner = _facets(side.tangents)
            inner *= 1.0 if side.border is None else side.border.INNER
            for along in facets:
                at_least(inner * side.bound * normal - along @ unit, 0.0)
        if choice.begins and choice.direction is not None:
            at_least(choice.direction @ W[side.along], -float(choice.direction @ q[side.along]))
    if not (np.isfinite(rows).all() and np.isfinite(least).all() and np.isfinite(A).all() and np.isfinite(b).all()):
        raise FloatingPointError("numbers beyond the largest one")
    found = linprog(np.zeros(n), np.array(rows), np.array(least), A, b, bounds=(None, None), method="highs")
    if found.x is None:
        return None
    r: Floats = found.x + np.linalg.lstsq(A, b - A @ found.x, rcond=1e-11)[0]
    return r


def _facets(tangents: int) -> tuple[Floats, float]:
    """Normals of a polytope around the unit ball, and how much it must shrink to be inside."""
    if tangents == 1:
        return np.array([[1.0], [-1.0]]), 1.0
    if tangents == 2:
        angles = np.arange(16) * np.pi / 8.0
        return np.stack([np.cos(angles), np.sin(angles)], axis=1), float(np.cos(np.pi / 16.0))
    signs = np.array([x for x in product((-1.0, 0.0, 1.0), repeat=tangents) if any(x)])
    # The farthest corner of such a polytope in three dimensions is 1.14 from its centre.
    return signs / np.linalg.norm(signs, axis=1, keepdims=True), 0.85 if tangents == 3 else 1.0 / np.sqrt(tangents)


# --- directions of a first slip in space ------------------------------------------------------------------------------


def _directed(W: Floats, q: Floats, sides: Sequence[Side], chosen: list[Choice], unknown: list[int]) -> Iterator[list[Choice]]:
    """The combination with directions for those contacts that begin to slip, along which they would accelerate."""
    if not unknown:
        yield chosen
        return

    if any(sides[i].tangents > 2 for i in unknown):
        yield from _directed_by_vectors(W, q, sides, chosen, unknown)
        return

    def with_angles(angles: Floats) -> list[Choice]:
        found = list(chosen)
        for i, angle in zip(unknown, angles, strict=True):
            found[i] = Choice("slip", np.array([np.cos(angle), np.sin(angle)]), True)
        return found

    def across(angles: Floats) -> Floats:
        """Parts of the accelerations across the directions: zero where these are right."""
        now = with_angles(angles)
        A, b = equations(W, q, sides, now)
        u = W @ np.linalg.lstsq(A, b, rcond=1e-11)[0] + q
        parts = []
        for i in unknown:
            s, u_t = now[i].direction, u[sides[i].along]
            assert s is not None
            parts.append(s[0] * u_t[1] - s[1] * u_t[0])
        return np.array(parts)

    from scipy.optimize import brentq, root

    if len(unknown) == 1:
        grid = np.linspace(0.0, 2.0 * np.pi, ANGLES + 1) + 1e-3
        values = [float(across(np.array([angle]))[0]) for angle in grid]
        size = max(abs(value) for value in values)
        for low, high, a, b in zip(grid, grid[1:], values, values[1:], strict=False):
            if a * b <= 0.0 and size > 0.0:
                angle = float(brentq(lambda x: float(across(np.array([x]))[0]), low, high, xtol=1e-15))
                if abs(float(across(np.array([angle]))[0])) <= 1e-6 * size:  # a pole changes sign too
                    yield with_angles(np.array([angle]))
        return
    for start in product(np.arange(STARTS) * 2.0 * np.pi / STARTS + 0.1, repeat=len(unknown)):
        found = root(across, np.array(start), tol=1e-14)
        if np.abs(across(found.x)).max() <= SIGN * (float(np.abs(q).max()) or 1.0):
            yield with_angles(found.x)


def _directed_by_vectors(
    W: Floats, q: Floats, sides: Sequence[Side], chosen: list[Choice], unknown: list[int]
) -> Iterator[list[Choice]]:
    """The same where a slip has more than two directions, as of a patch that also turns: from several starts."""
    from scipy.optimize import root

    places = np.cumsum([0, *(sides[i].tangents for i in unknown)])

    def with_vectors(x: Floats) -> list[Choice]:
        found = list(chosen)
        for k, i in enumerate(unknown):
            own = x[places[k] : places[k + 1]]
            found[i] = Choice("slip", own / max(float(np.linalg.norm(own)), 1e-300), True)
        return found

    def missing(x: Floats) -> Floats:
        """Accelerations across the directions, and how far vectors are from having length one."""
        now = with_vectors(x)
        A, b = equations(W, q, sides, now)
        u = W @ np.linalg.lstsq(A, b, rcond=1e-11)[0] + q
        size = float(np.abs(q).max(initial=0.0)) or 1.0
        parts = []
        for k, i in enumerate(unknown):
            s, u_t, own = now[i].direction, u[sides[i].along], x[places[k] : places[k + 1]]
            assert s is not None
            parts.append((u_t - float(u_t @ s) * s) / size + (float(own @ own) - 1.0) * s)
        return np.concatenate(parts)

    ways = [np.vstack([np.eye(sides[i].tangents), -np.eye(sides[i].tangents)]) for i in unknown]
    for start in product(*ways):
        found = root(missing, np.concatenate(start) + 0.1, tol=1e-14)
        if np.abs(missing(found.x)).max() <= SIGN:
            yield with_vectors(found.x)
