"""Small eigenproblems and linear systems in machine code, against numpy."""

import warnings

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from locomotor.codegen.eigen import LARGEST, NO_FAMILY, NOT_FINITE, eigenvalues, emit, solve

EPS = np.finfo(float).eps


def distance(found, wanted):
    """Largest distance of two sets of eigenvalues, matched as well as can be."""
    apart = np.abs(np.asarray(found)[:, None] - np.asarray(wanted)[None])
    return apart[linear_sum_assignment(apart)].max()


def assert_eigenvalues(matrix, wanted, tolerance, target="c"):
    found = eigenvalues(matrix, target=target)
    assert found.status == 0
    assert distance(found.values, wanted) <= tolerance, found.values


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 12])
def test_random_matrices(n, rng):
    """Both are backward stable: they differ by the round-off times the condition of an eigenvalue (below 1e4 here)."""
    matrices = rng.normal(size=(200, n, n))
    found = eigenvalues(matrices, target="c")
    assert not found.status.any()
    for matrix, values in zip(matrices, found.values, strict=True):
        assert distance(values, np.linalg.eigvals(matrix)) < 1e4 * n * EPS * np.linalg.norm(matrix)


def test_the_iteration_converges_for_every_matrix(rng):
    """A shift strategy that takes both eigenvalues of the last block fails for about one matrix in 2e5 of this kind."""
    assert not eigenvalues(rng.normal(size=(400_000, 4, 4)), target="c").status.any()


@pytest.mark.parametrize("target", ["c", "interpreter"])
def test_order_of_the_eigenvalues(target, rng):
    """Largest real part first, then largest imaginary part; pairs are exactly conjugate."""
    values = eigenvalues(rng.normal(size=(50, 5, 5)), target=target).values
    real, imaginary = values.real, values.imag
    later = (real[:, 1:] < real[:, :-1]) | ((real[:, 1:] == real[:, :-1]) & (imaginary[:, 1:] <= imaginary[:, :-1]))
    assert later.all()
    assert np.array_equal(np.sort_complex(values), np.sort_complex(values.conj()))


class TestSpecialMatrices:
    @pytest.mark.parametrize("n", [1, 2, 5])
    def test_zero(self, n):
        assert_eigenvalues(np.zeros((n, n)), np.zeros(n), 0.0)

    def test_diagonal_and_triangular_are_exact(self):
        diagonal = np.array([3.0, -1.0, 2.0, 0.25])
        assert_eigenvalues(np.diag(diagonal), diagonal, 0.0)
        assert_eigenvalues(np.diag(diagonal) + np.triu(np.full((4, 4), 7.0), 1), diagonal, 0.0)

    @pytest.mark.parametrize("n", [3, 4, 8, 12])
    def test_cyclic_permutations_need_shifts_of_their_own(self, n):
        """The last block of two tells nothing about the roots of unity: without exceptional shifts QR never moves."""
        assert_eigenvalues(np.roll(np.eye(n), 1, axis=0), np.exp(2j * np.pi * np.arange(n) / n), 1e-14)

    @pytest.mark.parametrize("n", [2, 3, 4])
    def test_defective(self, n):
        """A Jordan block, hidden by a similarity: a perturbation e moves its eigenvalues by the n-th root of e."""
        basis = np.tril(np.ones((n, n)))
        matrix = basis @ (2.0 * np.eye(n) + np.eye(n, k=1)) @ np.linalg.inv(basis)
        assert_eigenvalues(matrix, np.full(n, 2.0), 4.0 * (100 * EPS) ** (1.0 / n))

    def test_badly_scaled(self, rng):
        """Balancing undoes a scaling by powers of two: round-off as if there were none."""
        matrix = rng.normal(size=(5, 5))
        scale = 2.0 ** np.array([-60, 40, 0, 25, -30])
        wanted = np.linalg.eigvals(matrix)
        assert_eigenvalues(matrix * scale[:, None] / scale, wanted, 1e-13)

    @pytest.mark.parametrize("size", [1e-300, 1e-160, 1e-20, 1e20, 1e160, 1e290])
    def test_neither_overflow_nor_underflow(self, size, rng):
        matrix = rng.normal(size=(4, 4))
        assert_eigenvalues(matrix * size, np.linalg.eigvals(matrix) * size, 1e-13 * size)

    def test_subnormal_numbers(self):
        assert_eigenvalues(np.array([[0.0, 1e-310], [1e-310, 0.0]]), [1e-310, -1e-310], 1e-315)

    def test_graded(self):
        """Eigenvalues 1, 1e-8 and 1e-16 of a matrix close to triangular: the small ones to the round-off of the large."""
        matrix = np.array([[1.0, 1e-8, 0.0], [1e-8, 1e-8, 1e-16], [0.0, 1e-16, 1e-16]])
        assert_eigenvalues(matrix, np.linalg.eigvalsh(matrix), 1e-15)


class TestFailures:
    @pytest.mark.parametrize("target", ["c", "interpreter"])
    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    def test_one_bad_matrix_spoils_no_other(self, bad, target, rng):
        matrices = rng.normal(size=(20, 3, 3))
        clean = eigenvalues(matrices, target=target)
        matrices[7, 1, 2] = bad
        found = eigenvalues(matrices, target=target)
        assert found.status[7] == NOT_FINITE
        assert np.isnan(found.values[7]).all()
        others = np.arange(20) != 7
        assert np.array_equal(found.values[others], clean.values[others])

    def test_wrong_arguments(self):
        with pytest.raises(ValueError, match=r"shape \(batch, n, n\), not \(3, 4\)"):
            eigenvalues(np.zeros((3, 4)))
        with pytest.raises(TypeError, match="real numbers, not complex128"):
            eigenvalues(np.zeros((2, 2), dtype=complex))
        with pytest.raises(ValueError, match="order 2 have no 3 zero eigenvalues"):
            eigenvalues(np.zeros((2, 2)), family=3)
        with pytest.raises(ValueError, match="target must be one of"):
            eigenvalues(np.zeros((2, 2)), target="gpu")


class TestFamilies:
    """Zero eigenvalues taken out beforehand."""

    @staticmethod
    def with_kernel(rng, values, batch=30):
        """Matrices with a zero eigenvalue, first vector of a random basis, and others."""
        n = len(values) + 1
        basis = rng.normal(size=(batch, n, n)) + 2.0 * np.eye(n)
        # Not diagonal: the quotient must not depend on the others being eigenvectors.
        inner = np.diag([0.0, *values]) + np.triu(rng.normal(size=(batch, n, n)), 1)
        return basis @ inner @ np.linalg.inv(basis)

    @pytest.mark.parametrize("target", ["c", "interpreter"])
    def test_the_rest_is_found(self, target, rng):
        matrices = self.with_kernel(rng, [1.0, -2.0, -3.0])
        found = eigenvalues(matrices, family=1, target=target)
        assert found.values.shape == (30, 3)
        assert not found.status.any()
        # Round-off times the condition of basis and eigenvalues.
        assert np.abs(found.values - [1.0, -2.0, -3.0]).max() < 1e-10

    @pytest.mark.parametrize("target", ["c", "interpreter"])
    def test_an_eigenvalue_near_zero_keeps_its_digits(self, target):
        """Beside the zero of the family, coupled to it, QR alone would find it to the root of the round-off, 1e-8."""
        matrix = np.array([[0.0, 1.0, 0.3], [0.0, 1e-10, 0.0], [0.0, 2.0, -3.0]])
        turn = np.linalg.qr(np.array([[1.0, 2.0, 3.0], [0.0, 1.0, 4.0], [5.0, 6.0, 0.0]]))[0]
        found = eigenvalues(turn @ matrix @ turn.T, family=1, target=target).values
        assert np.abs(found - [1e-10, -3.0]).max() < 1e-14
        assert distance(eigenvalues(turn @ matrix @ turn.T, target=target).values, [0.0, 1e-10, -3.0]) > 1e-11

    @pytest.mark.parametrize("target", ["c", "interpreter"])
    def test_a_regular_matrix_has_no_family(self, target):
        found = eigenvalues(np.stack([np.eye(3), np.diag([1.0, 0.0, 2.0])]), family=1, target=target)
        assert found.status.tolist() == [NO_FAMILY, 0]
        assert np.isnan(found.values[0]).all()
        assert found.values[1].tolist() == [2.0, 1.0]

    def test_a_larger_kernel_leaves_zeros(self):
        assert eigenvalues(np.zeros((3, 3)), family=1, target="c").values.tolist() == [0.0, 0.0]
        assert eigenvalues(np.diag([0.0, 0.0, 5.0]), family=2, target="c").values.tolist() == [5.0]


class TestBatches:
    def test_shapes(self, rng):
        assert eigenvalues(rng.normal(size=(3, 3))).values.shape == (3,)
        assert eigenvalues(rng.normal(size=(1, 3, 3))).values.shape == (1, 3)
        assert eigenvalues(rng.normal(size=(2, 5, 3, 3))).status.shape == (2, 5)
        assert eigenvalues(np.zeros((0, 3, 3))).values.shape == (0, 3)
        assert eigenvalues(np.zeros((4, 0, 0))).values.shape == (4, 0)

    def test_any_layout_and_type(self, rng):
        matrices = np.asfortranarray(rng.integers(-3, 4, size=(10, 4, 4)))
        matrices.setflags(write=False)
        assert np.array_equal(eigenvalues(matrices[::2]).values, eigenvalues(matrices.astype(float)).values[::2])

    def test_threads_share_the_work(self, rng):
        matrices = rng.normal(size=(1001, 4, 4))
        assert np.array_equal(eigenvalues(matrices, threads=3).values, eigenvalues(matrices).values)

    def test_simd_is_scalar_code(self, rng):
        matrices = rng.normal(size=(9, 4, 4))
        assert np.array_equal(eigenvalues(matrices, target="simd").values, eigenvalues(matrices, target="c").values)

    def test_large_matrices_go_to_numpy(self):
        n = LARGEST + 1
        assert np.array_equal(
            eigenvalues(np.diag(np.arange(float(n))), target="c").values, np.arange(float(n))[::-1].astype(complex)
        )

    def test_without_a_compiler(self, rng, monkeypatch):
        matrices = rng.normal(size=(10, 3, 3))
        wanted = eigenvalues(matrices, target="interpreter").values
        monkeypatch.setenv("LOCOMOTOR_CC", "")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the notice comes once a process, in whichever test is first
            found = eigenvalues(matrices).values
        assert np.array_equal(found, wanted)

    def test_text_is_complete_and_has_no_allocation(self):
        text = emit("eigenvalues", 5, 1)
        assert "#define LM_ORDER 5" in text
        assert "malloc" not in text


class TestSolve:
    @pytest.mark.parametrize("target", ["c", "interpreter"])
    def test_solutions(self, target, rng):
        matrices, wanted = rng.normal(size=(100, 6, 6)), rng.normal(size=(100, 6))
        found = solve(matrices, np.einsum("bij,bj->bi", matrices, wanted), target=target)
        # Round-off times the condition of the worst of a hundred random matrices.
        assert np.abs(found - wanted).max() < 1e-11

    @pytest.mark.parametrize("target", ["c", "interpreter"])
    def test_pivots_and_singular_matrices(self, target):
        matrices = np.array([[[0.0, 1.0], [1.0, 0.0]], [[1.0, 1.0], [1.0, 1.0]], [[np.nan, 0.0], [0.0, 1.0]]])
        found = solve(matrices, np.array([[1.0, 2.0]] * 3), target=target)
        assert found[0].tolist() == [2.0, 1.0]
        assert np.isnan(found[1:]).all()

    def test_wrong_shape(self):
        with pytest.raises(ValueError, match=r"need vectors of shape \(4, 2\), not \(4, 3\)"):
            solve(np.zeros((4, 2, 2)), np.zeros((4, 3)))
