"""Rows of very different size: each is judged on its own scale, and found."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import locomotor as lm
from locomotor.complementarity.linear.residual import measure

METHODS = ("auto", "lemke", "principal", "gauss-seidel", "newton", "enumeration")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size", [1e10, 1e20, 1e100, 1e300])
def test_rows_apart_have_scales_of_their_own(method, size):
    """Each row by itself is z = 1/M; a z of zero is no solution of the first one, whatever the second is."""
    answer = lm.complementarity.lcp(np.diag([size, 1.0 / size]), [-1.0, -1.0], method=method)
    assert answer.solved
    np.testing.assert_allclose(answer.solution, [1.0 / size, size], rtol=1e-9)


@pytest.mark.parametrize("size", [1e10, 1e20, 1e300])
def test_a_row_that_is_missed_is_told(size):
    """w = -1 where nothing but q is in the row."""
    assert measure(np.diag([size, 1.0 / size]), np.array([-1.0, -1.0]), np.array([0.0, size]))[1] == pytest.approx(1.0)


def test_a_row_that_is_neither_open_nor_closed_is_told():
    """z and w of the first row are both there, though z is nothing beside that of the second."""
    M, q = np.diag([1.0, 1e-20]), np.array([1.0, -1.0])
    assert measure(M, q, np.array([1.0, 1e20]))[1] > 0.1


def _exactly(M, q):
    """The one solution for a P-matrix, in rational numbers: every set is tried."""
    n = len(q)
    M, q = [[Fraction(x) for x in row] for row in M.tolist()], [Fraction(x) for x in q.tolist()]
    for chosen in product((False, True), repeat=n):
        rows = [[M[i][j] if chosen[i] else Fraction(i == j) for j in range(n)] + [-q[i] if chosen[i] else 0] for i in range(n)]
        for i in range(n):
            pivot = next(k for k in range(i, n) if rows[k][i])
            rows[i], rows[pivot] = rows[pivot], rows[i]
            rows[i] = [x / rows[i][i] for x in rows[i]]
            for k in range(n):
                if k != i:
                    rows[k] = [x - rows[k][i] * y for x, y in zip(rows[k], rows[i], strict=True)]
        z = [row[n] for row in rows]
        w = [sum(M[i][j] * z[j] for j in range(n)) + q[i] for i in range(n)]
        if min(z) >= 0 and min(w) >= 0:
            return np.array([float(x) for x in z])
    raise AssertionError("a P-matrix has a solution")


@pytest.mark.parametrize("method", ["auto", "lemke", "principal", "enumeration"])
def test_rows_that_hardly_feel_each_other(method):
    """Positive definite matrices whose rows are up to 1e16 apart and coupled by 1e-9 to 1e-1 of what they may be at most."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 5))
        A = rng.normal(size=(n, n)) * 10.0 ** rng.uniform(-9.0, -1.0)
        by = 10.0 ** rng.uniform(-8.0, 8.0, size=n)
        M, q = by[:, None] * (np.eye(n) + A @ A.T) * by, by * rng.normal(size=n) * 10.0 ** rng.uniform(-8.0, 8.0, size=n)
        answer, exact = lm.complementarity.lcp(M, q, method=method), _exactly(M, q)
        assert answer.solved, seed
        # A row is known to the sum of the terms that it is made of.
        assert (np.abs(M @ (answer.solution - exact)) <= 1e-9 * (np.abs(M) @ exact + np.abs(q))).all(), seed


@pytest.mark.parametrize(
    ("method", "axes"), [*((m, d) for m in ("auto", "gauss-seidel", "newton", "admm") for d in (2, 3)), ("lemke", 2)]
)
@pytest.mark.parametrize("size", [1e10, 1e20])
def test_contacts_of_light_and_heavy_bodies_apart(method, axes, size):
    """Each sticks: r = -q/W; a proof that there is no solution was given."""
    q = np.tile([-1.0, 0.1, 0.0][:axes], 2)
    W = np.diag(np.repeat([size, 1.0 / size], axes))
    answer = lm.complementarity.coulomb(W, q, [0.5, 0.5], method=method)
    assert answer.solved
    np.testing.assert_allclose(answer.solution, -q / np.diag(W), rtol=1e-9)


def test_a_body_that_is_jammed_is_still_proved_to_be_so():
    """Two walls that close on a body, beside a light one that is free."""
    W = np.zeros((6, 6))
    W[0, 0] = W[2, 2] = 1.0
    W[0, 2] = W[2, 0] = -1.0
    W[1, 1] = W[3, 3] = W[1, 3] = W[3, 1] = 1.0
    W[4, 4] = W[5, 5] = 1e12
    answer = lm.complementarity.coulomb(W, [-1.0, 0.0, -1.0, 0.0, -1.0, 0.0], [0.3, 0.3, 0.3])
    assert answer.status == "ray"
    assert answer.proof
