"""Pivots of several rows at once."""

import numpy as np
import pytest

from locomotor.mechanics.constraints.block import block_of


@pytest.mark.parametrize("n", [1, 2, 3])
def test_blocks_solve_as_matrices_do(n: int, rng: np.random.Generator) -> None:
    A, b = rng.normal(size=(n, n)), rng.normal(size=n)
    block = block_of(A.tolist())
    assert block.value == pytest.approx(np.linalg.det(A), rel=1e-12)
    assert block.solve(b.tolist()) == pytest.approx(np.linalg.solve(A, b), rel=1e-10)
    assert block.solve_left(b.tolist()) == pytest.approx(np.linalg.solve(A.T, b), rel=1e-10)
