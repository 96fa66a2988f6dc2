"""One way in which contacts can go on, read off a solution of their cones: any number of them, that slip, stick or begin to.

Sweeps solve one contact after the other exactly (as `sweeps`), each as what it is: a cone where it is at rest, a single ray
where it slips already or nothing rubs, a block where it never slips. Its force tells its mode. With the modes known forces and
directions follow by Newton's method to round-off, and all signs are looked at as `modes` does: sweeps need not converge, only
tell the modes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from locomotor.complementarity.friction.local import prepare_contact, solve_contact
from locomotor.complementarity.friction.modes import SIGN, Choice, ContactSolution, Side, judged
from locomotor.complementarity.friction.newton import newton
from locomotor.complementarity.friction.problem import Problem
from locomotor.typing import Floats

SWEEPS = (4, 16, 64, 256, 1024)
"""Sweeps after which the modes are tried."""
STEADY = 1e-14
"""Sweeps that change forces by less than this share tell nothing new."""
NEWTON = 100
"""Newton's steps from where sweeps came that did not tell the modes."""
EDGE = 1e-9
"""A force nearer than this share to the edge of its cone is on it."""
TURNS, TURNED = 40, 1e-11
"""Ellipsoids in turn for friction that is bounded otherwise than by a ball, and how much its direction may still turn."""
STEPS, SETTLED = 25, 1e-13
"""Newton's steps for given modes, and the share of the forces by which the last may still change them."""

_Local = Callable[[Floats], Floats | None]
"""Forces of one contact for what it would accelerate with without them; None where it has none."""


def from_cones(W: Floats, q: Floats, sides: Sequence[Side]) -> ContactSolution | None:
    """Modes, forces and accelerations that satisfy every law; None where none were found, which proves nothing.

    A contact at rest sticks up to its static coefficient; one that cannot slips with the other, and is not asked again. One
    whose friction is known to be exhausted (a static coefficient below zero) slips though it has no acceleration yet.
    """
    if any(side.border is not None and _is_cone(side) for side in sides):
        found = _with_borders(W, q, sides)
        if found is not None:
            return found
        sides = [side._replace(border=None) for side in sides]  # the balls around are not far off
    yielding = [side.bound < 0.0 for side in sides]
    taken = [side._replace(mu=max(side.bound, side.mu), static=None) if _is_cone(side) else side for side in sides]
    for _ in range(len(sides) + 1):
        found = _swept(W, q, taken, yielding)
        if found is None:
            break
        weaker = [
            k
            for k, side in enumerate(sides)
            if _is_cone(side) and found.modes[k] == "slip" and found.directions[k].any() and taken[k].mu > side.mu
        ]
        if not weaker:
            return found
        taken = [sides[k]._replace(static=None) if k in weaker else side for k, side in enumerate(taken)]
    # Who sticks within the cone of who slips does within the larger one too.
    return _swept(W, q, [side._replace(static=None) for side in sides], yielding)


def _with_borders(W: Floats, q: Floats, sides: Sequence[Side]) -> ContactSolution | None:
    """The same where friction has borders of its own: each an ellipsoid that osculates it where the friction of this one is.

    In the axes P z of an ellipsoid Q = P P^T it is a ball. Where directions change no more the ellipsoids touch the borders at
    the forces of those that slip, and on the rays of those that stick.
    """
    bent = [k for k, side in enumerate(sides) if side.border is not None and _is_cone(side)]
    t = {k: q[sides[k].along] if q[sides[k].along].any() else np.ones(sides[k].tangents) for k in bent}
    balls = [side._replace(border=None) for side in sides]
    for _ in range(TURNS):
        T = np.eye(len(q))
        for k in bent:
            border, own = sides[k].border, sides[k].along
            assert border is not None
            T[own, own] = np.linalg.inv(np.linalg.cholesky(border.metric(t[k]))).T  # P = C^-T where Q^-1 = C C^T
        found = from_cones(T.T @ W @ T, T.T @ q, balls)
        if found is None:
            return None
        r, before = T @ found.forces, t
        chosen, t = [Choice(word) for word in found.modes], {}
        for k, (side, word) in enumerate(zip(sides, found.modes, strict=True)):
            own = side.along
            if k not in bent:
                chosen[k] = Choice(word, side.slip) if word == "slip" else Choice(word)
                continue
            if word == "open":
                t[k] = before[k]
                continue
            towards = found.directions[k] if word == "slip" else np.linalg.solve(T[own, own], r[own])
            ahead = np.linalg.solve(T[own, own].T, towards)
            size = float(np.linalg.norm(ahead))
            t[k] = ahead / size if size > 0.0 else before[k]
            if word == "slip":
                chosen[k] = Choice("slip", t[k], True)
        if all(_alike(before[k], t[k]) for k in bent):
            return judged(W, q, sides, chosen, r, found.unique)
    return None


def _alike(a: Floats, b: Floats) -> bool:
    """Whether two vectors have the same direction, either way."""
    a, b = a / float(np.linalg.norm(a)), b / float(np.linalg.norm(b))
    return min(float(np.abs(a - b).max()), float(np.abs(a + b).max())) <= TURNED


def _is_cone(side: Side) -> bool:
    """Whether a contact is at rest on ground that rubs."""
    return side.tangents > 0 and not side.slip.any() and not side.frictionless and not np.isinf(side.mu)


def _swept(W: Floats, q: Floats, sides: Sequence[Side], yielding: Sequence[bool]) -> ContactSolution | None:
    blocks = [W[side.rows, side.rows] for side in sides]
    locals_ = [_local(side, block) for side, block in zip(sides, blocks, strict=True)]
    r, done = np.zeros(len(q)), 0
    for until in SWEEPS:
        moved = 0.0
        for _ in range(done, until):
            u, moved = W @ r + q, 0.0
            for side, block, solve in zip(sides, blocks, locals_, strict=True):
                own = side.rows
                new = solve(u[own] - block @ r[own])
                if new is None:
                    continue
                change = new - r[own]
                u += W[:, own] @ change
                r[own] = new
                moved = max(moved, float(np.abs(change).max()))
            if moved <= STEADY * float(np.abs(r).max(initial=0.0)):
                break
        done = until
        found = _settled(W, q, sides, yielding, r)
        if found is not None:
            return found
        if moved <= STEADY * float(np.abs(r).max(initial=0.0)):
            break
    if all(_is_cone(side) and side.tangents == sides[0].tangents <= 2 for side in sides):
        problem = Problem(W, q, np.array([side.mu for side in sides]))
        return _settled(W, q, sides, yielding, newton(problem, limit=NEWTON, start=r).solution)
    return None


def _local(side: Side, block: Floats) -> _Local:
    """How one contact is solved with the others held."""
    if _is_cone(side):
        contact = prepare_contact(block, side.mu)
        return lambda q: solve_contact(contact, q)
    if np.isinf(side.mu) and side.tangents:
        inverse = np.linalg.pinv(block, rcond=1e-11, hermitian=True)

        def holds(q: Floats) -> Floats | None:
            r: Floats = -inverse @ q
            if r[0] >= 0.0:
                return r
            return np.zeros(len(q)) if q[0] >= 0.0 else None

        return holds
    ray = _ray(side)
    push = float(block[0] @ ray)

    def along(q: Floats) -> Floats | None:
        if q[0] >= 0.0:
            return np.zeros(len(q))
        return ray * (-q[0] / push) if push > 0.0 else None

    return along


def _ray(side: Side) -> Floats:
    """The direction of the force of a contact that slips already, its normal part one."""
    return np.concatenate([[1.0], np.zeros(side.tangents) if np.isinf(side.mu) else -side.mu * side.slip])


def _read(side: Side, r: Floats) -> str:
    """The mode that a force tells of."""
    if not r[0] > 0.0:
        return "open"
    if not _is_cone(side):
        return "stick" if np.isinf(side.mu) and side.tangents else "slip"
    return "slip" if float(np.linalg.norm(r[1:])) >= (1.0 - EDGE) * side.mu * r[0] else "stick"


def _settled(W: Floats, q: Floats, sides: Sequence[Side], yielding: Sequence[bool], near: Floats) -> ContactSolution | None:
    """Forces with the modes that those near by tell of, if they satisfy every law."""
    words = [_read(side, near[side.rows]) for side in sides]
    r = near.copy()
    scale = 1.0 / (float(np.abs(np.diag(W)).max(initial=0.0)) or 1.0)
    for _ in range(STEPS):
        F, J = _equations(W, q, sides, words, r, scale)
        # The least change: of forces that are not determined those near by are kept, which have the right signs.
        step = np.linalg.lstsq(J, -F, rcond=1e-11)[0]
        r = r + step
        if not np.isfinite(r).all():
            return None
        if float(np.abs(step).max(initial=0.0)) <= SETTLED * float(np.abs(r).max(initial=0.0)):
            break
    F, J = _equations(W, q, sides, words, r, scale)
    size_r = float(np.abs(r).max(initial=0.0))
    if float(np.abs(F).max(initial=0.0)) > SIGN * max(size_r, scale * float(np.abs(q).max(initial=0.0))):
        return None
    u = W @ r + q
    still = SIGN * float((np.abs(W) @ np.abs(r) + np.abs(q)).max(initial=0.0))
    chosen = []
    for side, word, yields in zip(sides, words, yielding, strict=True):
        if word != "slip":
            chosen.append(Choice(word))
        elif not _is_cone(side):
            chosen.append(Choice("slip", side.slip))
        else:
            # Friction tells the direction; whether the slip goes there, and not against it, is judged with the signs.
            force, along = r[side.rows][1:], u[side.rows][1:]
            towards = -force if float(np.linalg.norm(force)) > SIGN * size_r else along
            sticks = float(np.linalg.norm(along)) <= still and not yields
            length = float(np.linalg.norm(towards))
            chosen.append(Choice("stick") if sticks or length == 0.0 else Choice("slip", towards / length, True))
    unique = int(np.linalg.matrix_rank(J, tol=1e-11 * max(1.0, float(np.abs(J).max(initial=0.0))))) == len(q)
    return judged(W, q, sides, chosen, r, unique)


def _equations(
    W: Floats, q: Floats, sides: Sequence[Side], words: Sequence[str], r: Floats, rho: float
) -> tuple[Floats, Floats]:
    """What vanishes where modes are right, in units of forces, and its derivative (of Alart and Curnier, see `newton`)."""
    n = len(q)
    u, unit = W @ r + q, np.eye(n)
    F, J = rho * u, rho * W
    for side, word in zip(sides, words, strict=True):
        first, rows, t = side.rows.start, side.rows, slice(side.rows.start + 1, side.rows.stop)
        if word == "open":
            F[rows], J[rows] = r[rows], unit[rows]
        elif word == "slip" and not _is_cone(side):
            F[t] = r[t] - _ray(side)[1:] * r[first]
            J[t] = unit[t] - np.outer(_ray(side)[1:], unit[first])
        elif word == "slip":
            x, dx = r[t] - rho * u[t], unit[t] - rho * W[t]
            length = float(np.linalg.norm(x)) or 1e-300
            e = x / length
            F[t] = r[t] - side.mu * r[first] * e
            J[t] = unit[t] - side.mu * (np.outer(e, unit[first]) + (r[first] / length) * (dx - np.outer(e, e @ dx)))
    return F, J
