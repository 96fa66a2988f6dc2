"""Mixed problems whose equations determine other rows: what elimination leaves of these is round-off, and decides nothing."""

import numpy as np

from locomotor.complementarity import mixed_lcp


def test_a_row_that_follows_from_an_equation():
    """Rows 1 and 2 are each other's negative; x = (-2, 0, 0, 3) has w = 0. It was proved that there is no solution."""
    M = np.array([[3.0, 1, -1, 2], [1, 1, -1, 1], [-1, -1, 1, -1], [2, 1, -1, 2]])
    q = np.array([0.0, -1, 1, -2])
    assert not (M @ [-2.0, 0.0, 0.0, 3.0] + q).any()
    found = mixed_lcp(M, q, free=[0, 2])
    assert found.solved and np.abs(found.slack).max() < 1e-13 and found.solution[[1, 3]].min() >= 0.0


def test_rows_that_contradict_an_equation():
    """Rows 0, 2 and 3 add up to w0 = -1 whatever x is: x of 4.5e15 was a solution."""
    M = np.array([[1.0, 0, -1, 0], [0, 2, 0, 0], [-1, 0, 3, -2], [0, 0, -2, 2]])
    assert not M[[0, 2, 3]].sum(axis=0).any()
    found = mixed_lcp(M, [-2.0, -2.0, 1.0, 0.0], free=[2, 3])
    assert found.status == "ray" and found.proof == "certificate"


def test_a_slack_that_is_a_difference():
    """x0 = x1 - 2, x2 = 1 - x1 by hand, and w1 = 3 x1 - 5: solved by x1 = 5/3, and told to be a limit."""
    found = mixed_lcp([[-1.0, 1.0, 0.0], [1.0, 0.0, -2.0], [1.0, 1.0, 2.0]], [-2.0, -1.0, 0.0], free=[0, 2])
    assert found.solved
    np.testing.assert_allclose(found.solution, [-1 / 3, 5 / 3, -2 / 3], rtol=1e-14)


def test_an_equation_that_hardly_feels_its_own_variable():
    """1e-320 x + y = 1 and x + y >= 1: x = 0, y = 1. Elimination by the tiny number was refused."""
    found = mixed_lcp([[1e-320, 1.0], [1.0, 1.0]], [-1.0, -1.0], free=[0])
    assert found.solved and np.abs(found.solution - [0.0, 1.0]).max() < 1e-15


def test_redundant_contacts_with_a_motion_are_solvable(rng):
    """Semidefinite M = H H and q = H v: always solvable, w unique. Some of these were proved to have no solution."""
    for k in range(60):
        n, r = int(rng.integers(2, 10)), int(rng.integers(1, 6))
        H = rng.normal(size=(n, r)) if k % 2 else rng.integers(-1, 2, size=(n, r)) * rng.uniform(0.5, 2.0, size=r)
        v = rng.normal(size=r)
        free = np.flatnonzero(rng.random(n) < 0.6)
        found = mixed_lcp(H @ H.T, H @ v, free=free)
        w, signed = H @ (H.T @ found.solution + v), np.setdiff1d(np.arange(n), free)
        assert found.solved, k
        assert np.abs(w[free]).max(initial=0.0) < 1e-8
        assert np.abs(np.minimum(w, found.solution)[signed]).max(initial=0.0) < 1e-8


def test_certificates_hold_in_the_problem_as_given(rng):
    """Equations that contradict each other, on rows of any size: y M = 0 on free columns, and q . y < 0."""
    for _ in range(20):
        n, by = 5, 10.0 ** rng.uniform(-4, 4, size=5)
        H = rng.normal(size=(n, 2))
        M, q = by[:, None] * (H @ H.T) * by, by * rng.normal(size=n)
        found = mixed_lcp(M, q, free=range(4))  # four equations in general position, of rank 2
        assert found.status == "ray" and found.proof == "certificate"
        y = found.certificate / by.max() / np.abs(found.certificate).max()
        pull = y @ M
        size = np.abs(y) @ np.abs(M)
        assert (np.abs(pull[:4]) <= 1e-9 * size[:4]).all() and pull[4] <= 1e-9 * size[4] and y[4] >= 0.0 and q @ y < 0.0
