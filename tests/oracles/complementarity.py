"""Random complementarity problems of known classes, and answers to them found by other means."""

from itertools import product

import numpy as np


def positive_definite(rng, n):
    """Symmetric part positive definite, plus a skew part: one solution for every q."""
    root = rng.normal(size=(n, n))
    skew = rng.normal(size=(n, n)) * rng.integers(0, 2)
    return root @ root.T + 0.05 * np.eye(n) + skew - skew.T, rng.normal(size=n)


def _low_rank(rng, n):
    root = rng.normal(size=(n, int(rng.integers(0, n))))
    skew = rng.normal(size=(n, n)) * rng.integers(0, 2)
    return root @ root.T, skew - skew.T


def semidefinite(rng, n):
    """Singular, with a q for which M z + q >= 0 can be had: solvable (Cottle, Pang and Stone 1992, theorem 3.1.2)."""
    root, skew = _low_rank(rng, n)
    M = root + skew
    return M, np.maximum(rng.normal(size=n), 0.0) - M @ np.maximum(rng.normal(size=n), 0.0)


def degenerate(rng, n):
    """Small whole numbers, repeated rows and columns, a q that is often zero."""
    root = rng.integers(-1, 2, size=(n, n)).astype(float)
    pick = rng.integers(0, n, size=n)
    M = (root @ root.T)[np.ix_(pick, pick)]
    return M, -M @ rng.integers(0, 2, size=n).astype(float) + rng.integers(0, 2, size=n)


def p_matrix(rng, n):
    """Diagonally dominant in the sense of rows, scaled, or triangular with large entries: all principal minors positive."""
    if rng.integers(0, 2):
        M = rng.normal(size=(n, n))
        M += np.diag(np.abs(M).sum(axis=1) + 0.1 - np.diag(M) + np.abs(np.diag(M)))
        return np.exp(rng.normal(size=(n, 1))) * M, rng.normal(size=n)
    return np.eye(n) + np.triu(rng.normal(size=(n, n)) * 5.0, 1), rng.normal(size=n)


def friction(rng, n):
    """Planar contacts of a rigid body with a friction cone each (Stewart and Trinkle 1996): copositive, always solvable."""
    contacts = max(1, n // 4)
    H = rng.normal(size=(2 * contacts, int(rng.integers(1, 2 * contacts + 2))))  # normal rows first; often redundant
    W, v = H @ H.T, H @ rng.normal(size=H.shape[1])
    mu = np.diag(rng.uniform(0.0, 1.5, size=contacts))
    wide = np.vstack([np.hstack([np.eye(contacts), np.zeros((contacts, 2 * contacts))]),
                      np.hstack([np.zeros((contacts, contacts)), np.eye(contacts), -np.eye(contacts)])])  # fmt: skip
    E = np.vstack([np.eye(contacts), np.eye(contacts)])
    top = np.hstack([wide.T @ W @ wide, np.vstack([np.zeros((contacts, contacts)), E])])
    bottom = np.hstack([mu, -E.T, np.zeros((contacts, contacts))])
    return np.vstack([top, bottom]), np.concatenate([wide.T @ v, np.zeros(contacts)])


def infeasible(rng, n):
    """A y >= 0 is built in with M^T y = 0 and q . y < 0: no solution."""
    y = np.maximum(rng.normal(size=n), 0.0)
    y[rng.integers(0, n)] += 1.0
    away = np.eye(n) - np.outer(y, y) / (y @ y)
    root, skew = _low_rank(rng, n)
    q = rng.normal(size=n)
    M = away @ (root + skew) @ away
    M[np.abs(M) < 1e-13] = 0.0  # round-off that would be a matrix of its own, with a solution near 1e16
    return M, q - y * (q @ y + rng.uniform(0.1, 2.0)) / (y @ y)


def several(rng, n):
    """Any matrix at all: no solution, one, or several."""
    n = min(n, 6)
    return rng.normal(size=(n, n)), rng.normal(size=n)


CLASSES = {f.__name__: f for f in
           (positive_definite, semidefinite, degenerate, p_matrix, friction, infeasible, several)}  # fmt: skip


def natural_residual(M, q, z):
    """max |min(z, M z + q)| over the size of the numbers; the same for every way to solve."""
    if not len(q):
        return 0.0
    terms = np.abs(M) @ np.abs(z) + np.abs(q)
    return np.abs(np.minimum(z / max(np.abs(z).max(), 1e-300), (M @ z + q) / max(terms.max(), 1e-300))).max()


def every_solution(M, q):
    """All solutions whose complementary basis is regular, by trying all bases one after the other."""
    found = []
    for choice in product((False, True), repeat=len(q)):
        chosen = np.array(choice, dtype=bool)
        B = np.where(chosen, -M, np.eye(len(q)))
        if abs(np.linalg.det(B)) < 1e-12:
            continue
        x = np.linalg.solve(B, q)
        if x.min() >= -1e-9 * np.abs(x).max() and not any(np.allclose(np.where(chosen, x, 0.0), z, atol=1e-7) for z in found):
            found.append(np.where(chosen, x, 0.0))
    return found


def proves(M, q, y):
    """Whether y >= 0, M^T y <= 0 and q . y < 0, up to round-off."""
    y = y / np.abs(y).max()
    return y.min() >= 0.0 and q @ y < 0.0 and (M.T @ y).max() <= 1e-8 * abs(q @ y) * max(1.0, np.abs(M).max())
