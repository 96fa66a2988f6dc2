"""The doors to linear complementarity problems: one solution, or all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from locomotor import checks
from locomotor.complementarity import arguments
from locomotor.complementarity.answer import TOLERANCE, Answer, Found, measured
from locomotor.complementarity.linear.enumeration import LARGEST, Branch, branches
from locomotor.complementarity.linear.infeasible import certificate
from locomotor.complementarity.linear.lemke import lemke
from locomotor.complementarity.linear.newton import newton
from locomotor.complementarity.linear.principal import principal
from locomotor.complementarity.linear.residual import measure
from locomotor.complementarity.linear.scaling import scaled, unscaled
from locomotor.complementarity.linear.sweeps import gauss_seidel
from locomotor.errors import ArgumentError
from locomotor.typing import Floats

Algorithm = Callable[..., Found]

_SOLVERS: dict[str, tuple[Algorithm, Callable[[int], int]]] = {
    "lemke": (lemke, lambda n: 50 * n + 100),
    "principal": (principal, lambda n: 100 * n + 100),
    "gauss-seidel": (gauss_seidel, lambda n: 20_000),
    "newton": (newton, lambda n: 200),
}
"""Algorithms by name, each with its usual limit of iterations."""
METHODS = ("auto", *_SOLVERS, "enumeration")
COVERS = 4
"""Other covering vectors that are tried where Lemke's path ended on a ray that proves nothing."""
DECIDED = 12
"""Problems up to this size whose ray proves nothing are decided by enumeration."""

_square: checks.Check = arguments.square
_vector: checks.Check = arguments.vector


@checks.door(
    matrix=_square, vector=_vector, method=checks.choice(*METHODS), limit=checks.optional(partial(checks.whole, least=1))
)
def lcp(matrix: Any, vector: Any, *, method: str = "auto", limit: int | None = None) -> Answer:
    """Find z >= 0 with w = M z + q >= 0 and w . z = 0.

    Args:
        matrix: M, of shape (n, n); n may be zero.
        vector: q, of shape (n,).
        method: "lemke" (lexicographic), "principal" (least index, for positive semidefinite and P-matrices), "gauss-seidel"
            (symmetric positive definite), "newton" (Fischer-Burmeister), "enumeration" (n up to 16), or "auto": Lemke, and
            where its ray proves nothing other paths and, up to n = 12, enumeration.
        limit: most pivots, sweeps or steps.
    """
    arguments.vector(vector, "lcp: vector", len(matrix), f"a matrix of shape {matrix.shape}")
    with checks.arithmetic("lcp"):
        return solve(matrix, vector, method, limit)


@checks.door(matrix=_square, vector=_vector)
def all_solutions(matrix: Any, vector: Any) -> tuple[Branch, ...]:
    """All solutions of a small problem (n up to 16): isolated ones, and faces with their dimension; empty if there is none."""
    arguments.vector(vector, "all_solutions: vector", len(matrix), f"a matrix of shape {matrix.shape}")
    _small(len(vector))
    with checks.arithmetic("all_solutions"):
        return tuple(_branches(matrix, vector))


def _small(n: int) -> None:
    if n > LARGEST:
        raise ArgumentError(
            f"enumeration tries 2^n sets, and n is {n}; give a problem of at most {LARGEST}, or use the method 'auto'"
        )


def _branches(M: Floats, q: Floats) -> list[Branch]:
    """All solutions, found in numbers near 1."""
    near = scaled(M, q)
    found = []
    for branch in branches(near.M, near.q):
        z, rows = near.back(branch.solution), branch.directions * near.columns
        directions = np.linalg.qr(rows.T)[0].T if len(rows) else rows
        found.append(Branch(z, np.maximum(measure(M, q, z)[0], 0.0), branch.support, directions))
    return found


def solve(M: Floats, q: Floats, method: str = "auto", limit: int | None = None) -> Answer:
    """`lcp` without the checks."""
    if not (np.isfinite(M).all() and np.isfinite(q).all()):
        raise FloatingPointError("numbers beyond the largest one")
    if method == "enumeration":
        _small(len(q))
        return _enumerated(M, q)
    if method != "auto":
        return _by(method, M, q, limit)
    first = _by("lemke", M, q, limit)
    if first.solved or first.proof:
        return first
    for other in _other_paths(M, q, limit):
        if other.solved or other.proof:
            return other
    return first


def _by(method: str, M: Floats, q: Floats, limit: int | None, *, conjugate: bool = True, **options: Any) -> Answer:
    """One algorithm on the scaled problem, its result measured on the given one."""
    algorithm, usual = _SOLVERS[method]
    # Sweeps are the same in any scale.
    near = unscaled(M, q) if method == "gauss-seidel" else scaled(M, q, conjugate=conjugate)
    found = algorithm(near.M, near.q, limit=limit or usual(len(q)), **options)
    proof = found.certificate
    if found.status == "ray" and proof is None:
        proof = certificate(near.M, near.q)
    back = found._replace(solution=near.back(found.solution), certificate=None if proof is None else near.certificate(proof))
    return measured(back, method, partial(measure, M, q))


def _other_paths(M: Floats, q: Floats, limit: int | None) -> Iterator[Answer]:
    """Lemke's path in other numbers and with other covering vectors; then all sets of a small problem, or Newton.

    Where a matrix is of no known class a path may succeed though another met a ray.
    """
    n, right = len(q), np.abs(scaled(M, q).q)
    # Numbers of different size in q are kept apart by a covering vector of their size.
    yield _by("lemke", M, q, limit, cover=np.where(right > 0.0, right, 1.0))
    yield _by("lemke", M, q, limit, conjugate=False)
    for seed in range(COVERS):
        yield _by("lemke", M, q, limit, cover=np.exp(np.random.default_rng(seed).normal(size=n)))
    yield _enumerated(M, q) if n <= DECIDED else _by("newton", M, q, limit)


def _enumerated(M: Floats, q: Floats) -> Answer:
    """The first of all solutions, or the proof that there is none."""
    found = _branches(M, q)
    tried = 2 ** len(q)
    if not found:
        return measured(Found("ray", np.zeros(len(q)), tried), "enumeration", partial(measure, M, q), proof="enumeration")
    best = min((Found("solved", branch.solution, tried) for branch in found), key=lambda f: measure(M, q, f.solution)[1])
    return measured(best, "enumeration", partial(measure, M, q), tolerance=TOLERANCE)
