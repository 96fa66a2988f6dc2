"""The doors to contacts with friction: circular cones, or cones with facets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from locomotor import checks
from locomotor.complementarity import arguments
from locomotor.complementarity.answer import Answer, Found, measured
from locomotor.complementarity.friction.admm import admm
from locomotor.complementarity.friction.facets import faceted_problem
from locomotor.complementarity.friction.modes import MOST, ContactSolution, Side, combinations
from locomotor.complementarity.friction.newton import newton
from locomotor.complementarity.friction.problem import Problem, certificate, measure
from locomotor.complementarity.friction.sweeps import gauss_seidel
from locomotor.complementarity.friction.ways import all_ways
from locomotor.complementarity.linear import solve as solve_linear
from locomotor.complementarity.sizes import APART, power
from locomotor.errors import ArgumentError, MatrixShapeError
from locomotor.typing import Floats

_SOLVERS: dict[str, tuple[Callable[..., Found], int]] = {
    "gauss-seidel": (gauss_seidel, 5_000),
    "newton": (newton, 100),
    "admm": (admm, 50_000),
}
"""Algorithms by name, each with its usual limit of iterations."""
METHODS = ("auto", *_SOLVERS, "lemke")
WARM = 15
"""Sweeps before Newton's method starts from where they came."""
MOST_FACETS = 64

_WHY = "the Delassus matrix of contacts is symmetric and has no negative eigenvalue (H M^-1 H^T)"
_square: checks.Check = arguments.square
_vector: checks.Check = arguments.vector
_friction: checks.Check = arguments.friction


def _problem(owner: str, W: Floats, q: Floats, mu: Floats) -> Problem:
    """The problem, if its parts fit."""
    W = arguments.semidefinite(W, f"{owner}: matrix", _WHY)
    arguments.vector(q, f"{owner}: vector", len(W), f"a matrix of shape {W.shape}")
    mu = arguments.friction(mu, f"{owner}: friction")
    if len(q) not in {2 * len(mu), 3 * len(mu)}:
        raise MatrixShapeError(
            f"{owner}: {len(mu)} coefficients of friction, but {len(q)} rows; give 2 rows a contact in the plane (normal, "
            "tangent) or 3 in space (normal, two tangents)"
        )
    return Problem(W, q, mu)


@checks.door(
    matrix=_square,
    vector=_vector,
    friction=_friction,
    method=checks.choice(*METHODS),
    limit=checks.optional(partial(checks.whole, least=1)),
)
def coulomb(matrix: Any, vector: Any, friction: Any, *, method: str = "auto", limit: int | None = None) -> Answer:
    """Forces r and relative velocities (or accelerations) u = W r + q of contacts with Coulomb friction.

    Each contact is open (r = 0, u_N >= 0), sticks (u = 0, |r_T| <= mu r_N) or slips (u_N = 0, r_T = -mu r_N u_T / |u_T|).

    Args:
        matrix: W, symmetric and positive semidefinite; contact after contact, the normal row first, then its tangents.
        vector: q, the velocities without forces at the contacts.
        friction: mu, one coefficient for each contact; 2 rows a contact are a contact in the plane, 3 one in space.
        method: "gauss-seidel" (each contact exactly, in turn), "newton" (Alart-Curnier), "admm" (alternating directions),
            "lemke" (contacts in the plane only), or "auto": Lemke in the plane; in space sweeps, then Newton from there, then
            the others.
        limit: most sweeps, steps or pivots.
    """
    with checks.arithmetic("coulomb"):
        problem = _problem("coulomb", matrix, vector, friction)
        if method == "lemke" and problem.axes != 2:
            raise ArgumentError(
                "coulomb: method 'lemke' is for contacts in the plane; in space use 'auto', or `faceted` for pyramids"
            )
        if method == "lemke":
            return _scaled(problem, lambda near: _pivoted(near, 2, limit))
        return _scaled(problem, lambda near: _automatic(near, limit) if method == "auto" else _by(method, near, limit))


@checks.door(matrix=_square, vector=_vector, friction=_friction, facets=partial(checks.whole, least=3, most=MOST_FACETS))
def faceted(matrix: Any, vector: Any, friction: Any, *, facets: int = 8) -> Answer:
    """As `coulomb`, with a pyramid of so many facets inside each cone, by Lemke's method; exact for contacts in the plane.

    `solution` and `slack` are forces and velocities at the contacts, `residual` is that of the linear problem with facets.
    """
    with checks.arithmetic("faceted"):
        problem = _problem("faceted", matrix, vector, friction)
        return _scaled(problem, lambda near: _with_facets(near, facets, None))


@checks.door(matrix=_square, vector=_vector, friction=_friction)
def contact_modes(matrix: Any, vector: Any, friction: Any, slip: Any = None) -> tuple[ContactSolution, ...]:
    """All ways in which contacts can go on: every combination of open, stick and slip is tried.

    Accelerations u = W r + q of closed contacts that neither approach nor leave. A contact that slips goes on with friction
    against its slip, or opens; one that does not slip opens, sticks or begins to slip. In space with several contacts that do
    not slip yet, directions in which two or more begin to slip at once are searched from many starts, and one may be missed.
    Empty: there is none, or in this case none was found.

    Args:
        matrix: W, as for `coulomb`.
        vector: q, accelerations at the contacts without forces.
        friction: mu, one coefficient for each contact.
        slip: tangential velocities, of shape (contacts, 1) in the plane and (contacts, 2) in space; zero where none are given.
    """
    with checks.arithmetic("contact_modes"):
        W, q, mu = problem = _problem("contact_modes", matrix, vector, friction)
        d = problem.axes
        v = np.zeros((len(mu), d - 1)) if slip is None else checks.floats(slip, "contact_modes: slip", finite=True)
        if v.shape != (len(mu), d - 1):
            raise MatrixShapeError(f"contact_modes: slip has shape {v.shape}; give one of shape ({len(mu)}, {d - 1})")
        speeds = np.linalg.norm(v, axis=1)
        units = v / np.where(speeds > 0.0, speeds, 1.0)[:, None]
        sides = [Side(slice(d * i, d * i + d), float(mu[i]), units[i]) for i in range(len(mu))]
        if (count := combinations(sides)) > MOST:
            raise ArgumentError(
                f"contact_modes: {len(sides)} contacts have {count:.0f} combinations of modes, and at most {MOST} are tried; "
                "`coulomb` finds one of the solutions of contacts that do not slip yet"
            )
        return all_ways(W, q, sides)[0]


def solve(W: Floats, q: Floats, mu: Floats) -> Answer:
    """`coulomb` without the checks."""
    return _scaled(Problem(W, q, mu), lambda near: _automatic(near, None))


def _scaled(problem: Problem, algorithm: Callable[[Problem], Answer]) -> Answer:
    """What an algorithm finds in numbers near 1; where that is no solution and no proof, with each contact near 1 by itself."""
    near, size = _near_one(problem, np.ones(problem.contacts))
    found = algorithm(near)
    if not (found.solved or found.proof) and problem.contacts:
        own = np.diag(problem.W).reshape(problem.contacts, -1).max(axis=1)
        if own.min() < APART * own.max():
            near, each = _near_one(problem, power(own))
            again = algorithm(near)
            if again.solved or again.proof:
                found, size = again, each
    return _as_given(problem, found, size)


def _near_one(problem: Problem, by: Floats) -> tuple[Problem, Floats]:
    """The problem in numbers near 1 (by powers of two, which is exact), and what its forces are to be multiplied with."""

    def unit(values: Floats) -> float:
        largest = float(np.abs(values).max(initial=0.0))
        return float(np.exp2(np.floor(np.log2(largest)))) if largest > 0.0 else 1.0

    rows = np.repeat(by, problem.axes)
    near = Problem(problem.W * rows[:, None] * rows, problem.q * rows, problem.mu)
    W, q = unit(near.W), unit(near.q)
    return Problem(near.W / W, near.q / q, near.mu), q / W * rows


def _as_given(problem: Problem, found: Answer, size: Floats) -> Answer:
    """The answer to the problem as given. Residuals are relative, so that they stay."""
    r = found.solution * size
    if found.status != "ray" and not np.isfinite(r).all():
        raise FloatingPointError("forces beyond the largest number")
    return replace(found, solution=r, slack=problem.W @ r + problem.q)


def _by(method: str, problem: Problem, limit: int | None, start: Floats | None = None) -> Answer:
    algorithm, usual = _SOLVERS[method]
    found = algorithm(problem, limit=limit or usual, start=start)
    answer = measured(found, method, partial(measure, problem))
    return answer if answer.solved else _declared(problem, answer)


def _declared(problem: Problem, answer: Answer) -> Answer:
    """ "ray" with its certificate, where it can be proved that there is no solution; else the answer as it is."""
    y = certificate(problem.W, problem.q, problem.normals)
    if y is None:
        return answer
    found = Found("ray", np.zeros(len(problem.q)), answer.iterations, y)
    return measured(found, answer.method, partial(measure, problem))


def _with_facets(problem: Problem, facets: int, limit: int | None) -> Answer:
    linear = faceted_problem(problem, facets)
    inner = solve_linear(linear.M, linear.q, "auto" if limit is None else "lemke", limit)
    if inner.status == "ray":
        nothing = Found("ray", np.zeros(len(problem.q)), inner.iterations, certificate(problem.W, problem.q, problem.normals))
        return measured(nothing, inner.method, partial(measure, problem), proof=inner.proof)
    r = linear.forces @ inner.solution
    u = problem.W @ r + problem.q
    return Answer(inner.status, inner.method, r, u, inner.residual, inner.residuals, inner.iterations)


def _pivoted(problem: Problem, facets: int, limit: int | None) -> Answer:
    """Contacts in the plane: their cones have two facets, so that pivoting is exact."""
    found = _with_facets(problem, facets, limit)
    if found.status == "ray":
        return found
    return measured(Found(found.status, found.solution, found.iterations), found.method, partial(measure, problem))


def _automatic(problem: Problem, limit: int | None) -> Answer:
    """The usual ways, one after the other."""
    if problem.axes == 2:
        answer = _pivoted(problem, 2, limit)
        if answer.solved or answer.proof:
            return answer
    best = _by("gauss-seidel", problem, min(limit or WARM, WARM))
    if best.solved or best.proof:
        return best
    for method in ("newton", "gauss-seidel", "admm"):
        start = best.solution if method != "admm" else None
        answer = _by(method, problem, limit, start)
        if answer.solved or answer.proof:
            return answer
        best = min(best, answer, key=lambda one: one.residual)
    return best
