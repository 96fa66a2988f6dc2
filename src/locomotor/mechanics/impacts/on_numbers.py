"""Instantaneous impacts, on numbers: velocities jump, the configuration does not.

    M (v+ - v-) = C^T L,        C v+ = -E C v-        (Mauny 2018 (3.17))

Rows of a contact are written in its own frame: the normal first, then the directions it blocks along the ground. Rows in
`held` belong to what stays as it is: persistent contacts, formulas and imposed motions; their velocities keep their values,
or take those given as `kept`. Which contacts take part is decided by complementarity: impulses push, and whoever has none
separates. Contacts with the same number in `groups` are places where one body touches one ground (a wheel the road and a
kerb): as they stick, they could wedge the body in at any force, and do so only where nothing less is an answer.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.mechanics.impacts.conditions import holds, nobody_enters, nobody_pulls
from locomotor.typing import Floats

SIGN = 1e-12
"""Impulses and speeds are taken as zero below this share of the largest in the impact."""
ROUND_OFF = 1e-12
"""Least squares take rows as dependent below this share of the largest."""
DEPENDENT = 1e-9
"""A row depends on others when they leave less than this share of its own answer."""
CONTRADICTED = 1e-9
"""Rows whose targets are missed by more than this share of the largest velocity ask for what cannot be had at once."""
STEPS = 60
"""Steps towards the share of Stronge's law; one is usual."""
EXHAUSTIVE = 8
"""Up to so many contacts every set is tried, the largest first; beyond, contacts are exchanged one at a time. Compiled steps,
which write every set out, try fewer (`on_symbols.EXHAUSTIVE`)."""


@dataclass(frozen=True)
class Impact:
    """What an impact leaves behind: velocities, impulses, who stays closed, energy lost."""

    velocity: Floats
    impulses: Floats
    """(contacts, 3): normal, then tangents; zero for contacts that took no part. What spins is not among them."""
    closed: tuple[int, ...]
    """Contacts that stay closed: their normal velocity is zero afterwards."""
    energy_lost: float
    held_impulses: Floats
    """Impulse of each held row."""
    consistent: bool = True
    """Whether every impulse pushes and whoever has none separates."""


@dataclass(frozen=True, eq=False)
class Collision:
    """What an impact starts from: masses, velocities, rows of the contacts and rows that are held."""

    M: Floats
    contacts: Sequence[Floats]
    held: Floats
    v: Floats
    kept: Floats | None = None

    @cached_property
    def rows(self) -> Floats:
        """All rows: contact after contact, then those that are held."""
        return np.vstack([*self.contacts, self.held]) if len(self.contacts) else self.held

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """First row of each contact, and of the held ones."""
        return tuple(int(i) for i in np.cumsum([0, *(len(C) for C in self.contacts)]))

    @cached_property
    def response(self) -> Floats:
        """Change of all velocities by a unit impulse along each row: M^-1 C^T."""
        return np.asarray(np.linalg.solve(self.M, self.rows.T)) if len(self.rows) else np.zeros((len(self.v), 0))

    @cached_property
    def W(self) -> Floats:
        """Change of the rows' velocities by unit impulses: C M^-1 C^T."""
        return self.rows @ self.response

    @cached_property
    def condensed(self) -> Floats:
        """W of the contacts' rows while the held ones keep their velocities."""
        first = self.starts[-1]
        W, across, own = self.W[:first, :first], self.W[:first, first:], self.W[first:, first:]
        return W - across @ np.linalg.lstsq(own, across.T, rcond=ROUND_OFF)[0] if len(own) else W

    @cached_property
    def before(self) -> Floats:
        """Velocities along all rows before the impact."""
        return self.rows @ self.v

    @cached_property
    def held_rows(self) -> list[int]:
        """Indices of the rows of constraints that stay held."""
        return list(range(self.starts[-1], len(self.rows)))

    @cached_property
    def kept_velocity(self) -> Floats:
        """What the held rows' velocities shall be."""
        return self.before[self.starts[-1] :] if self.kept is None else np.asarray(self.kept, dtype=float)

    @cached_property
    def speed(self) -> float:
        """Largest velocity along the contacts: the scale of what counts as zero."""
        return max(float(np.abs(self.before[: self.starts[-1]]).max(initial=0.0)), 1e-300)

    def normal(self, k: int) -> int:
        """Index of the row of a contact's normal."""
        return self.starts[k]

    def tangents(self, k: int) -> range:
        """Rows of a contact along the ground."""
        return range(self.starts[k] + 1, self.starts[k + 1])

    def respond(
        self, rows: Sequence[int], targets: Sequence[float], push: Floats | None = None, bouncing: Collection[int] = ()
    ) -> tuple[Floats, Floats]:
        """Impulses of all rows, some given (`push`), that bring some rows to target velocities; and velocities along all.

        Held rows come on top. Rows that depend on each other share their impulse in the least-squares sense. Where a mechanism
        leaves a contact fewer directions than it has rows, their targets may contradict each other (the tip of a pendulum that
        bounces and sticks): held rows and contacts that stay closed then have what they ask for, next the normals of the
        `bouncing` contacts, and their tangents come as near to it as they can.
        """
        given = np.zeros(len(self.rows)) if push is None else push
        active = [*rows, *self.held_rows]
        velocity = self.before + self.W @ given
        if active:
            wanted = np.concatenate([np.asarray(targets, dtype=float), self.kept_velocity]) - velocity[active]
            block = self.W[np.ix_(active, active)]
            found = np.linalg.lstsq(block, wanted, rcond=ROUND_OFF)[0]
            if bouncing and np.abs(block @ found - wanted).max() > CONTRADICTED * self.speed:
                found = self._in_turn(active, block, wanted, bouncing)
            given = given.copy()
            given[active] += found
            velocity = self.before + self.W @ given
        return given, velocity

    def _in_turn(self, active: Sequence[int], block: Floats, wanted: Floats, bouncing: Collection[int]) -> Floats:
        """Impulses that give each turn of rows what the turns before it leave them, in the least-squares sense.

        First what is held and what stays closed, then the normals of what bounces, then its tangents, contact by contact.
        """
        turn_of: dict[int, int] = {}
        for place, k in enumerate(sorted(bouncing, reverse=True)):
            turn_of[self.normal(k)] = 1
            turn_of |= dict.fromkeys(self.tangents(k), 2 + place)
        at = np.array([turn_of.get(row, 0) for row in active])
        rest, b = block.copy(), wanted.copy()
        own, solved = np.diag(block), []
        for turn in np.unique(at):
            mine, later = np.flatnonzero(at == turn), np.flatnonzero(at > turn)
            values, vectors = np.linalg.eigh(rest[np.ix_(mine, mine)])
            # What elimination has left of a row that followed from others is round-off of its own answer.
            kept = values > DEPENDENT * float(own[mine].sum())
            inverse = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
            passed = rest[np.ix_(later, mine)] @ inverse
            solved.append((mine, later, inverse, rest[np.ix_(mine, later)].copy(), b[mine].copy()))
            b[later] -= passed @ b[mine]
            rest[np.ix_(later, later)] -= passed @ rest[np.ix_(mine, later)]
        found = np.zeros(len(active))
        for mine, later, inverse, across, right in reversed(solved):
            found[mine] = inverse @ (right - across @ found[later])
        return found

    def outcome(self, impulses: Floats, closed: Iterable[int], consistent: bool = True) -> Impact:
        """The impact that given impulses make."""
        after = self.v + self.response @ impulses
        by_contact = np.zeros((len(self.contacts), 3))
        for k, C in enumerate(self.contacts):
            by_contact[k, : len(C)] = impulses[self.starts[k] : self.starts[k + 1]][:3]
        lost = 0.5 * float((self.v - after) @ self.M @ (self.v + after))
        return Impact(after, by_contact, tuple(closed), lost, impulses[self.starts[-1] :], consistent)


# -- Newton's law ---------------------------------------------------------------------------------------------


def newton_impact(
    M: Floats,
    contacts: Sequence[Floats],
    held: Floats,
    v: Floats,
    restitution: Sequence[tuple[float, float]],
    kept: Floats | None = None,
) -> Impact:
    """Newton's law for every component of every contact given (Whittaker): gamma+ = -diag(e_N, e_T, e_T) gamma-.

    Both signs of impulses are allowed: the complete solution (3.24a). Contacts with e_N = 0 stay closed.
    """
    collision = Collision(M, contacts, held, v, kept)
    least = [-e * float(collision.before[collision.normal(k)]) for k, (e, _) in enumerate(restitution)]
    impulses, _ = _newton(collision, range(len(contacts)), least, restitution)
    return collision.outcome(impulses, [k for k, (e, _) in enumerate(restitution) if e == 0.0])


def unilateral_impact(
    M: Floats,
    contacts: Sequence[Floats],
    held: Floats,
    v: Floats,
    restitution: Sequence[tuple[float, float]],
    kept: Floats | None = None,
    groups: Sequence[int] | None = None,
    shares: Floats | None = None,
) -> Impact:
    """Newton's law for contacts that push only: 0 <= L_N, gamma_N+ >= -E gamma_N-, one of them an equality.

    E has the coefficients e_N on its diagonal; `shares`, zero there, are the others: what a contact takes from the approach of
    another (`docs/theory.md`, (I6); Glocker and Aeberhard 2006).

    The largest set of contacts that satisfies this takes part; this is the prediction and correction of remark 3.6, for
    all contacts at once. A contact that was closed before the impact has restitution (0, 0).
    """
    collision = Collision(M, contacts, held, v, kept)
    normals = [collision.normal(k) for k in range(len(contacts))]
    least = [-e * float(collision.before[n]) for n, (e, _) in zip(normals, restitution, strict=True)]
    if shares is not None:
        least = [own + float(more) for own, more in zip(least, shares @ -collision.before[normals], strict=True)]
    fallback: tuple[Floats, tuple[int, ...]] | None = None
    for chosen in _sets(collision, restitution, least, groups):
        impulses, velocity = _newton(collision, chosen, least, restitution)
        closed = tuple(k for k in chosen if least[k] == 0.0)
        pushes = _pushes(collision, impulses)
        excess = [velocity[normals[k]] - least[k] for k in range(len(contacts)) if k not in chosen]
        if pushes and holds(nobody_enters(excess, SIGN * collision.speed)):
            return collision.outcome(impulses, closed)
        if pushes and fallback is None:
            fallback = impulses, closed
    # No set satisfies everything: let the largest one push; what still approaches then collides again.
    impulses, closed = fallback or (np.zeros(len(collision.rows)), ())
    return collision.outcome(impulses, closed, consistent=False)


def plastic_impact(
    M: Floats,
    contacts: Sequence[Floats],
    held: Floats,
    v: Floats,
    kept: Floats | None = None,
    groups: Sequence[int] | None = None,
) -> Impact:
    """Plastic impact of contacts that push only: those that would have to pull let go."""
    return unilateral_impact(M, contacts, held, v, [(0.0, 0.0)] * len(contacts), kept, groups)


def _newton(
    collision: Collision, chosen: Sequence[int], least: Sequence[float], restitution: Sequence[tuple[float, float]]
) -> tuple[Floats, Floats]:
    """Impulses and velocities along all rows when the chosen contacts follow Newton's law and the others do nothing.

    `least` are the normal velocities that the law wants.
    """
    rows: list[int] = []
    targets: list[float] = []
    for k in chosen:
        e_t = restitution[k][1]
        rows += [collision.normal(k), *collision.tangents(k)]
        targets.append(least[k])
        targets += [-e_t * float(collision.before[i]) for i in collision.tangents(k)]
    return collision.respond(rows, targets, bouncing=[k for k in chosen if least[k] != 0.0])


def _pushes(collision: Collision, impulses: Floats) -> bool:
    largest = max(float(np.abs(impulses).max(initial=0.0)), 1e-300)
    return holds(nobody_pulls([impulses[collision.normal(k)] for k in range(len(collision.contacts))], SIGN * largest))


def _sets(
    collision: Collision,
    restitution: Sequence[tuple[float, float]],
    least: Sequence[float],
    groups: Sequence[int] | None = None,
) -> Iterator[tuple[int, ...]]:
    """Sets of contacts that may take part: all of them, the largest first; or those met on exchanging one at a time.

    Sets with several contacts of a group come last.
    """
    count = len(collision.contacts)
    if count <= EXHAUSTIVE:
        every = [chosen for size in range(count, -1, -1) for chosen in combinations(range(count), size)]
        yield from sorted(every, key=lambda chosen: _wedged(chosen, groups))
        return
    chosen = set(range(count))
    seen: set[frozenset[int]] = set()
    while frozenset(chosen) not in seen:
        seen.add(frozenset(chosen))
        yield tuple(sorted(chosen))
        impulses, velocity = _newton(collision, sorted(chosen), least, restitution)
        weakest = min(chosen, key=lambda k: impulses[collision.normal(k)], default=-1)
        if weakest >= 0 and impulses[collision.normal(weakest)] < 0.0:
            chosen.remove(weakest)
            continue
        outside = [k for k in range(count) if k not in chosen]
        worst = min(outside, key=lambda k: velocity[collision.normal(k)] - least[k], default=-1)
        if worst >= 0 and velocity[collision.normal(worst)] < least[worst]:
            chosen.add(worst)


def _wedged(chosen: Sequence[int], groups: Sequence[int] | None) -> int:
    """How many contacts of a set are not the only ones of their group."""
    return 0 if groups is None else len(chosen) - len({groups[k] for k in chosen})


# -- laws of impulses and of energies ------------------------------------------------------------------------


def poisson_impact(
    M: Floats,
    contacts: Sequence[Floats],
    held: Floats,
    v: Floats,
    restitution: Sequence[float],
    kept: Floats | None = None,
    groups: Sequence[int] | None = None,
) -> Impact:
    """Poisson's law for contacts that stick: the normal impulse of restitution is e times that of compression.

    Compression is a plastic impact. Restitution gives the shares back while the contacts that push stick; a contact that would
    be driven into the ground by the others gets more than its share (Pfeiffer and Glocker 1996, section 8.2).
    """
    collision = Collision(M, contacts, held, v, kept)
    compression = plastic_impact(M, contacts, held, v, kept, groups)
    return _restitution(collision, compression, restitution)


def stronge_impact(
    M: Floats,
    contacts: Sequence[Floats],
    held: Floats,
    v: Floats,
    restitution: Sequence[float],
    kept: Floats | None = None,
    groups: Sequence[int] | None = None,
) -> Impact:
    """Stronge's law for contacts that stick: the normal work of restitution is e² times that of compression.

    Each contact gives back s e of the normal impulse of its compression, with one s for all of them. Normal velocities change
    linearly with the impulses in each phase, at rates that differ when tangential velocity is lost during compression; works
    are the areas under these lines. Where friction has done work in compression (slip turned back), no more than e² of what
    compression took in all is given back: energy is never gained.
    """
    collision = Collision(M, contacts, held, v, kept)
    compression = plastic_impact(M, contacts, held, v, kept, groups)
    rows, share = collision.rows[: collision.starts[-1]], np.asarray(restitution, dtype=float)
    normals = [collision.normal(k) for k in range(len(contacts))]
    middle = rows @ compression.velocity

    def works(impulses: Floats, before: Floats, after: Floats) -> Floats:
        return np.asarray(0.5 * impulses * (before + after))

    def along_rows(impact: Impact) -> Floats:
        return np.concatenate([impact.impulses[k, : len(C)] for k, C in enumerate(contacts)])

    first = along_rows(compression)
    taken = -works(first, collision.before[: len(rows)], middle)
    stored, lost = float(share**2 @ np.maximum(taken[normals], 0.0)), float(taken.sum())
    if stored <= 0.0:
        return compression
    stored *= min(1.0, max(lost, 0.0) / float(np.maximum(taken[normals], 0.0).sum()))
    s, best = 1.0, compression
    for _ in range(STEPS):
        found = _restitution(collision, compression, s * share)
        given = works(along_rows(found) - first, middle, rows @ found.velocity)
        work = max(float(given[normals].sum()), float(given.sum()))
        if work <= (1.0 + 4.0 * SIGN) * stored:
            best = found
        if abs(work - stored) <= SIGN * stored or work <= 0.0:  # the latter: contacts hold each other fast
            break
        s *= float(np.sqrt(stored / work))  # exact while the same contacts leave
    return best


def _restitution(collision: Collision, compression: Impact, shares: Sequence[float] | Floats) -> Impact:
    """Give back shares of the normal impulses of compression."""
    start = collision.starts[-1]
    base = np.zeros(len(collision.rows))
    base[start:] = compression.held_impulses
    for k, C in enumerate(collision.contacts):
        base[collision.starts[k] : collision.starts[k + 1]] = compression.impulses[k, : len(C)]
    given = np.array([share * max(float(compression.impulses[k, 0]), 0.0) for k, share in enumerate(shares)])
    pushed = base.copy()
    pushed[[collision.normal(k) for k in range(len(given))]] += given
    fallback: tuple[Floats, tuple[int, ...]] | None = None
    for size in range(len(compression.closed), -1, -1):
        for kept in combinations(compression.closed, size):
            rows = [collision.normal(k) for k in kept]
            for k in compression.closed:
                if k in kept or given[k] > 0.0:
                    rows += list(collision.tangents(k))
            impulses, velocity = collision.respond(rows, [0.0] * len(rows), pushed)
            more = impulses - pushed
            scale = max(float(np.abs(impulses).max(initial=0.0)), 1e-300)
            pushes = holds(nobody_pulls([more[collision.normal(k)] for k in kept], SIGN * scale))
            outside = [velocity[collision.normal(k)] for k in range(len(collision.contacts)) if k not in kept]
            if pushes and holds(nobody_enters(outside, SIGN * collision.speed)):
                return collision.outcome(impulses, kept, compression.consistent)
            if pushes and fallback is None:
                fallback = impulses, kept
    impulses, closed = fallback or (pushed, ())
    return collision.outcome(impulses, closed, consistent=False)
