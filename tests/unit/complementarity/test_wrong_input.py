"""Mistakes in complementarity problems: the error names the thing, the value and the remedy."""

import numpy as np
import pytest

from locomotor.complementarity import all_solutions, coulomb, faceted, lcp, mixed_lcp
from locomotor.errors import (
    ArgumentError,
    ArgumentTypeError,
    DefinitenessError,
    FrictionError,
    LocomotorError,
    MatrixShapeError,
    NumericsError,
    SymmetryError,
)

MISTAKES = [
    (lambda: lcp([[1.0, 2.0]], [1.0]), MatrixShapeError, "matrix has shape (1, 2); give a square matrix"),
    (lambda: lcp([1.0, 2.0], [1.0]), MatrixShapeError, "matrix has shape (2,); give a matrix"),
    (lambda: lcp(np.eye(2), [1.0]), MatrixShapeError, "vector has 1 numbers, but a matrix of shape (2, 2) needs 2"),
    (lambda: lcp(np.eye(2), np.ones((2, 1))), MatrixShapeError, "vector has shape (2, 1); give a vector"),
    (lambda: lcp([[np.nan]], [1.0]), ArgumentError, "lcp: matrix is [[nan]]; give finite numbers only"),
    (lambda: lcp([[1.0]], [np.inf]), ArgumentError, "lcp: vector is [inf]; give finite numbers only"),
    (lambda: lcp("M", [1.0]), ArgumentTypeError, "lcp: matrix is 'M'; give an array of real numbers"),
    (lambda: lcp([[1.0]], [1.0], method="simplex"), ArgumentError, "give one of 'auto', 'lemke', 'principal'"),
    (lambda: lcp([[1.0]], [1.0], limit=0), ArgumentError, "limit is 0; it must be a whole number of at least 1"),
    (lambda: lcp([[0.0]], [1.0], method="gauss-seidel"), DefinitenessError, "diagonal entry 0 of the matrix is 0"),
    (lambda: lcp(np.eye(17), np.ones(17), method="enumeration"), ArgumentError, "2^n sets, and n is 17"),
    (lambda: all_solutions(np.eye(17), np.ones(17)), ArgumentError, "2^n sets, and n is 17"),
    (lambda: all_solutions(np.eye(2), np.ones(3)), MatrixShapeError, "vector has 3 numbers"),
    (lambda: mixed_lcp(np.eye(2), np.ones(2), free=[2]), ArgumentError, "free names row 2, but the matrix has rows 0 to 1"),
    (lambda: mixed_lcp(np.eye(2), np.ones(2), free=[0, 0]), ArgumentError, "name each row once"),
    (lambda: mixed_lcp(np.eye(2), np.ones(2), free=[-1]), ArgumentError, "free, entry 0 is -1"),
    (
        lambda: coulomb(np.eye(3), np.ones(3), [-0.1]),
        FrictionError,
        "contact 0 has the coefficient -0.1; give zero or a positive",
    ),
    (lambda: coulomb(np.eye(3), np.ones(3), [np.nan]), ArgumentError, "friction is [nan]; give finite numbers only"),
    (lambda: coulomb(np.eye(3), np.ones(3), [[0.1]]), MatrixShapeError, "friction has shape (1, 1); give one coefficient"),
    (lambda: coulomb(np.eye(4), np.ones(4), [0.1]), MatrixShapeError, "1 coefficients of friction, but 4 rows; give 2 rows"),
    (lambda: coulomb(np.eye(3), np.ones(2), [0.1]), MatrixShapeError, "vector has 2 numbers"),
    (lambda: coulomb(np.eye(3) + np.eye(3, k=1), np.ones(3), [0.1]), SymmetryError, "entry (0, 1) is 1, entry (1, 0) is 0"),
    (lambda: coulomb(np.diag([1.0, -1.0, 1.0]), np.ones(3), [0.1]), DefinitenessError, "has the negative eigenvalue -1"),
    (lambda: coulomb(np.eye(3), np.ones(3), [0.1], method="lemke"), ArgumentError, "'lemke' is for contacts in the plane"),
    (
        lambda: faceted(np.eye(3), np.ones(3), [0.1], facets=2),
        ArgumentError,
        "facets is 2; it must be a whole number of at least 3",
    ),
    (lambda: faceted(np.eye(3), np.ones(3), [-1.0]), FrictionError, "faceted: friction: contact 0 has the coefficient -1"),
    (lambda: coulomb(1e-320 * np.eye(3), [-1.0, 0.0, 0.0], [0.5]), NumericsError, "forces beyond the largest number"),
    (lambda: mixed_lcp([[1e-320]], [-1.0], [0]), NumericsError, "numbers beyond the largest one"),
]


@pytest.mark.parametrize(("call", "error", "words"), MISTAKES, ids=[words[:40] for _, _, words in MISTAKES])
def test_mistakes_are_named(call, error, words):
    with pytest.raises(LocomotorError) as raised:
        call()
    assert type(raised.value) is error and words in str(raised.value)


def test_numbers_that_lie_too_far_apart_are_named(rng: np.random.Generator) -> None:
    """They ended in errors of arrays and of another library."""
    with pytest.raises(NumericsError, match="too far apart"):
        lcp([[1e308, 0.0], [0.0, 1e-308]], [-1e308, -1e308])
    for _ in range(300):
        n = int(rng.integers(1, 5))
        M, q = (rng.normal(size=shape) * 10.0 ** rng.uniform(-300, 300, shape) for shape in ((n, n), n))
        for solve in (lcp, all_solutions):
            try:
                solve(M, q)
            except NumericsError as error:
                assert "nearer to 1" in str(error)
