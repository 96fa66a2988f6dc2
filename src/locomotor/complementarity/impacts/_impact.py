"""The doors to impacts: on a Delassus matrix, or on masses and rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from locomotor import checks
from locomotor.complementarity import arguments
from locomotor.complementarity.impacts import lotstedt, normals, path, phases  # noqa: F401  (they register their laws)
from locomotor.complementarity.impacts.collision import Collision, Found, ImpactOutcome
from locomotor.complementarity.impacts.registry import IMPACT_LAWS, ImpactLaw
from locomotor.complementarity.impacts.without_collision import Jam, jammed
from locomotor.errors import ArgumentError, MatrixShapeError
from locomotor.typing import Floats

BLURRED = 1e-8
"""Velocities after an impact are known to this share of those before it, or the status says that they are not."""
_WHY = "the Delassus matrix of contacts is symmetric and has no negative eigenvalue (H M^-1 H^T)"
_square: checks.Check = arguments.square
_vector: checks.Check = arguments.vector
_matrix: checks.Check = arguments.matrix
_friction: checks.Check = arguments.friction
_floats: checks.Check = partial(checks.floats, finite=True)


def _law(value: Any, what: str) -> str:
    """The name of a law; those registered meanwhile count."""
    name: str = checks.choice(*IMPACT_LAWS)(value, what)
    return name


@checks.door(
    matrix=_square,
    velocities=_vector,
    friction=checks.optional(_friction),
    law=_law,
    restitution=checks.optional(_floats),
    tangential=checks.optional(_floats),
    dissipation=checks.optional(partial(checks.number, least=0.0, most=1.0)),
)
def impact(
    matrix: Any,
    velocities: Any,
    friction: Any = None,
    *,
    law: str = "inelastic",
    restitution: Any = None,
    tangential: Any = None,
    dissipation: float | None = None,
) -> ImpactOutcome:
    """Velocities after an impact of contacts, by a law with a name: u+ = u + W L.

    Args:
        matrix: W, symmetric and positive semidefinite; contact after contact, the normal row first, then its tangents.
        velocities: u, those of the contacts before the impact; normal ones are negative where bodies approach.
        friction: mu, one coefficient for each contact; 2 rows a contact are a contact in the plane, 3 one in space. Without it
            every row is the normal of a contact.
        law: one of `IMPACT_LAWS`, where each says its formula, what it loses and whether it can gain energy.
        restitution: one coefficient for all contacts, one for each, or a matrix (contacts, contacts): entry (k, j) is the share
            of contact k in the approach (or impulse of compression) of contact j.
        tangential: Newton's coefficient along the ground, from -1 (keeps the slip) to 1 (turns it back); 0 without it.
        dissipation: Moreau's index, from 0 (elastic) to 1 (inelastic, without it).
    """
    with checks.arithmetic("impact"):
        W = arguments.semidefinite(matrix, "impact: matrix", _WHY)
        u = arguments.vector(velocities, "impact: velocities", len(W), f"a matrix of shape {W.shape}")
        given = {"friction": friction, "restitution": restitution, "tangential": tangential, "dissipation": dissipation}
        chosen = IMPACT_LAWS[law]
        collision = _collision(chosen, W, u, given)
        return _outcome(chosen, collision, chosen.solve(collision) if len(u) else Found(np.zeros(0)))


@checks.door(mass=_square, rows=_matrix, velocity=_vector, held=checks.optional(_matrix))
def impact_of(mass: Any, rows: Any, velocity: Any, friction: Any = None, *, held: Any = None, **options: Any) -> ImpactOutcome:
    """The same from masses M, rows H of the contacts and velocities v of a system: u = H v, W = H M^-1 H^T.

    `motion` of the answer is v+ = v + M^-1 H^T L. Rows `held` keep their velocities, whatever impulse that takes: joints, and
    bodies that do not leave each other.
    """
    checks.options(options, impact, "impact_of")
    M, H, v = mass, rows, velocity
    with checks.arithmetic("impact_of"):
        arguments.semidefinite(M, "impact_of: mass", "masses are symmetric and have no negative eigenvalue")
        arguments.vector(v, "impact_of: velocity", len(M), f"masses of shape {M.shape}")
        for what, part in (("rows", H), ("held", held)):
            if part is not None and part.shape[1] != len(M):
                raise MatrixShapeError(
                    f"impact_of: {what} has shape {part.shape}, but masses have shape {M.shape}; give {len(M)} columns"
                )
        fixed = None if held is None or not len(held) else np.linalg.solve(M, held.T)

        def moved(push: Floats) -> Floats:
            """Changes of velocity by impulses on the system."""
            change = np.linalg.solve(M, push)
            if held is None or fixed is None:
                return change
            return np.asarray(change - fixed @ np.linalg.lstsq(held @ fixed, held @ change, rcond=1e-12)[0])

        W = H @ moved(H.T)
        found = impact(0.5 * (W + W.T), H @ v, friction, **options)
        return replace(_in_motion(found, H, v, moved), others=tuple(_in_motion(other, H, v, moved) for other in found.others))


def _in_motion(found: ImpactOutcome, H: Floats, v: Floats, moved: Callable[[Floats], Floats]) -> ImpactOutcome:
    """The outcome with the velocities of the system, and the energy that these have lost.

    Impulses that nearly hold each other in balance are large, and their squares in L W L have lost the digits that the push
    H^T L on the system still has.
    """
    push = H.T @ found.impulses
    change = moved(push)
    return replace(found, motion=v + change, energy_lost=-float(push @ (v + 0.5 * change)))


@checks.door(matrix=_square, velocities=_vector, friction=partial(checks.number, least=0.0))
def impact_without_collision(matrix: Any, velocities: Any, friction: float) -> Jam | None:
    """The impulses with which one contact that slides, and neither approaches nor leaves, can jam; None where it cannot.

    Such an impact is an answer where no finite force is one: `contact_modes` says so.

    Args:
        matrix: W of the contact: 2 rows in the plane, 3 in space, the normal first.
        velocities: u, the normal one zero.
        friction: mu.
    """
    with checks.arithmetic("impact_without_collision"):
        W = arguments.semidefinite(matrix, "impact_without_collision: matrix", _WHY)
        u = arguments.vector(velocities, "impact_without_collision: velocities", len(W), f"a matrix of shape {W.shape}")
        if len(W) not in {2, 3}:
            raise MatrixShapeError(f"impact_without_collision: matrix has shape {W.shape}; give 2 or 3 rows of one contact")
        return jammed(W, u, friction)


def _collision(law: ImpactLaw, W: Floats, u: Floats, given: dict[str, Any]) -> Collision:
    """The problem, if its parts fit and the law reads them."""
    for name, value in given.items():
        if value is not None and name not in law.takes:
            able = [other.name for other in IMPACT_LAWS.values() if name in other.takes]
            raise ArgumentError(
                f"impact: the law {law.name!r} takes no {name}; leave it out, or use one of {', '.join(map(repr, able))}"
            )
    friction = given["friction"]
    contacts = len(u) if friction is None else len(friction)
    axes = 1 if friction is None or not contacts else len(u) // contacts
    if friction is not None and (len(u) != axes * contacts or axes not in {2, 3}) and len(u):
        raise MatrixShapeError(
            f"impact: {contacts} coefficients of friction, but {len(u)} rows; give 2 rows a contact in the plane (normal, "
            "tangent) or 3 in space (normal, two tangents)"
        )
    if law.most is not None and contacts > law.most:
        raise ArgumentError(
            f"impact: {contacts} contacts, but the law {law.name!r} is for {law.most}; use another law for several at once"
        )
    return Collision(
        W,
        u,
        np.zeros(contacts) if friction is None else friction,
        axes,
        _restitution(law, given["restitution"], contacts),
        _for_each(given["tangential"], contacts, "tangential", -1.0),
        1.0 if given["dissipation"] is None else float(given["dissipation"]),
    )


def _restitution(law: ImpactLaw, value: Floats | None, contacts: int) -> Floats:
    """The restitution matrix."""
    if value is None or value.ndim < 2:
        return np.diag(_for_each(value, contacts, "restitution", 0.0))
    if "matrix" not in law.takes:
        raise ArgumentError(f"impact: the law {law.name!r} takes no restitution matrix; give one coefficient for each contact")
    if value.shape != (contacts, contacts):
        raise MatrixShapeError(
            f"impact: restitution has shape {value.shape}; give ({contacts}, {contacts}) for {contacts} contacts"
        )
    if (value < 0.0).any():
        raise ArgumentError(f"impact: restitution has the entry {value.min():g}; shares are zero or positive")
    return value


def _for_each(value: Floats | None, contacts: int, what: str, least: float) -> Floats:
    """One number for each contact."""
    if value is None:
        return np.zeros(contacts)
    if value.ndim > 1 or (value.ndim == 1 and len(value) != contacts):
        raise MatrixShapeError(f"impact: {what} has shape {value.shape}; give a number, or one for each of {contacts} contacts")
    found = np.broadcast_to(value, (contacts,)).astype(float)
    wrong = found[(found < least) | (found > 1.0)]
    if len(wrong):
        raise ArgumentError(f"impact: {what} is {wrong[0]:g}; it must lie between {least:g} and 1")
    return found


def _outcome(law: ImpactLaw, collision: Collision, found: Found) -> ImpactOutcome:
    """What the impulses of a law leave."""

    def of(impulses: Floats) -> ImpactOutcome:
        after, lost = collision.after(impulses), collision.energy_lost(impulses)
        status, residual = found.status, found.residual
        # Contacts that contradict each other may be held by impulses so large that their round-off is all there is.
        blurred = 1e-16 * float((np.abs(collision.W) @ np.abs(impulses)).max(initial=0.0)) / collision.speed
        if blurred > BLURRED:
            status, residual = "limit", max(residual, blurred)
        elif status in {"solved", "several"} and (after[collision.normals] < -BLURRED * collision.speed).any():
            status = "enters"
        return ImpactOutcome(law.name, status, after, impulses, lost, residual, found.compression)

    return replace(of(found.impulses), others=tuple(of(other) for other in found.others), complete=found.complete)
