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


# --- contacts with friction ---------------------------------------------------------------------------------------------


def random_contacts(rng, axes=3, redundant=None):
    """Up to 8 contacts with a random Delassus matrix; `redundant`: fewer motions than rows, so that forces are not unique."""
    n = int(rng.integers(1, 9))
    redundant = bool(rng.integers(0, 2)) if redundant is None else redundant
    motions = int(rng.integers(1, axes * n)) if redundant else axes * n + int(rng.integers(0, 4))
    H = rng.normal(size=(axes * n, motions))
    return H @ H.T, H @ rng.normal(size=motions), rng.uniform(0.0, 1.0, size=n)


def rigid_contacts(rng):
    """One rigid body at up to 8 points, most of them on level ground: rank 6 at most."""
    n = int(rng.integers(1, 9))
    rows = []
    for _ in range(n):
        x, y, z = rng.normal(size=3)
        frame = np.eye(3)[[2, 0, 1]] if rng.random() < 0.7 else np.linalg.qr(rng.normal(size=(3, 3)))[0]
        rows.append(frame @ np.array([[1.0, 0, 0, 0, z, -y], [0, 1, 0, -z, 0, x], [0, 0, 1, y, -x, 0]]))
    H = np.vstack(rows)
    inertia = np.concatenate([np.ones(3), rng.uniform(0.1, 2.0, size=3)])
    return (H / inertia) @ H.T, H @ rng.normal(size=6), rng.uniform(0.0, 1.0, size=n)


def broken_laws(W, q, mu, r):
    """How much the laws of contact are broken, read from their words: (cone, penetration, working gap, direction of slip)."""
    d = len(q) // len(mu)
    u = (W @ r + q).reshape(-1, d)
    f = r.reshape(-1, d)
    size_r = np.abs(f).max() or 1.0
    size_u = (np.abs(W) @ np.abs(r) + np.abs(q)).max() or 1.0
    friction, slip = np.linalg.norm(f[:, 1:], axis=1), np.linalg.norm(u[:, 1:], axis=1)
    outside = np.maximum(friction - mu * f[:, 0], 0.0).max() / size_r
    gap = np.maximum(-u[:, 0], 0.0).max() / size_u
    work = np.abs(f[:, 0] * u[:, 0]).max() / (size_r * size_u)
    # Friction is as large as it can be and against the slip: mu r_N |u_T| + r_T . u_T = 0.
    against = np.abs(mu * f[:, 0] * slip + (f[:, 1:] * u[:, 1:]).sum(axis=1)).max() / (size_r * size_u)
    return outside, gap, work, against


def quartic_forces(W, q, mu):
    """All forces of one slipping contact, from the roots of a quartic (numpy's companion matrix)."""
    a = np.polynomial.polynomial
    wn, wt = W[0, 0], W[1:, 0]
    S, p = W[1:, 1:] - np.outer(wt, wt) / wn, q[1:] - wt * q[0] / wn
    # (S + a) r_T = -p by Cramer's rule: r_T = -num / det, polynomials in a.
    det = a.polymul([S[0, 0], 1.0], [S[1, 1], 1.0]) - np.array([S[0, 1] * S[1, 0], 0.0, 0.0])
    num = [np.array([S[1, 1] * p[0] - S[0, 1] * p[1], p[0]]), np.array([S[0, 0] * p[1] - S[1, 0] * p[0], p[1]])]
    normal = a.polysub(a.polyadd(wt[0] * num[0], wt[1] * num[1]), q[0] * det) / wn
    poly = a.polysub(a.polyadd(a.polymul(num[0], num[0]), a.polymul(num[1], num[1])), mu**2 * a.polymul(normal, normal))
    found = []
    for root in a.polyroots(poly):
        if abs(root.imag) < 1e-9 * (1.0 + abs(root)) and root.real > 0.0:
            r = -np.linalg.solve(S + root.real * np.eye(2), p)
            force = -(q[0] + wt @ r) / wn
            if force > 0.0:
                found.append(np.array([force, *r]))
    return found
