"""Linear complementarity problems of all classes, by every method; proofs where there is no solution."""

import numpy as np
import pytest
from scipy.optimize import nnls

import locomotor as lm
from locomotor.complementarity import all_solutions, lcp, mixed_lcp
from locomotor.complementarity.linear._lcp import _SOLVERS
from oracles.complementarity import CLASSES, every_solution, natural_residual, proves

ROUND_OFF = 1e-10  # of a residual relative to its numbers; pivoting on up to 16 rows leaves about 1e-14


def judged(name, M, q, answer):
    """Whether a problem is solved, or correctly declared to have no solution."""
    if answer.solved:
        assert name != "infeasible"
        return natural_residual(M, q, answer.solution) < ROUND_OFF and answer.solution.min(initial=0.0) >= 0.0
    assert answer.status == "ray", (name, answer)
    if answer.proof == "certificate":
        return proves(M, q, answer.certificate) and name in {"infeasible", "several"}
    return name == "several" and answer.proof == "enumeration" and not every_solution(M, q)


def problems(rng, count):
    for number in range(count):
        name = list(CLASSES)[number % len(CLASSES)]
        yield name, *CLASSES[name](rng, int(rng.integers(1, 13)))


@pytest.mark.parametrize("count", [350, pytest.param(10_000, marks=pytest.mark.slow)])
def test_problems_of_all_classes(count, rng):
    bad = [(name, M, q) for name, M, q in problems(rng, count) if not judged(name, M, q, lcp(M, q))]
    assert not bad, (len(bad), bad[0])


@pytest.mark.parametrize("method", ["principal", "newton"])
@pytest.mark.parametrize("name", ["positive_definite", "semidefinite", "degenerate", "p_matrix"])
def test_methods_agree_with_lemke(name, method, rng):
    """w is unique for semidefinite matrices, z for P-matrices; 40 random problems each."""
    for _ in range(40):
        M, q = CLASSES[name](rng, int(rng.integers(1, 10)))
        one, other = lcp(M, q, method="lemke"), lcp(M, q, method=method)
        assert one.solved and one.method == "lemke"
        if method == "principal":
            assert other.solved and other.method == "principal"
        if other.solved and name in {"positive_definite", "p_matrix"}:
            assert np.abs(other.solution - one.solution).max() < 1e-8 * max(1.0, np.abs(one.solution).max())


def test_gauss_seidel_where_it_converges(rng):
    for _ in range(20):
        n = int(rng.integers(1, 8))
        root = rng.normal(size=(n, n))
        M, q = root @ root.T + n * np.eye(n), rng.normal(size=n)
        found = lcp(M, q, method="gauss-seidel")
        assert (found.solved and found.iterations > 0) or q.min() >= 0.0
        assert np.abs(found.solution - lcp(M, q, method="lemke").solution).max() < 1e-8


@pytest.mark.parametrize("method", ["lemke", "principal", "enumeration", "auto"])
def test_infeasible_problems_are_declared(method, rng):
    for _ in range(30):
        M, q = CLASSES["infeasible"](rng, int(rng.integers(1, 9)))
        answer = lcp(M, q, method=method)
        assert answer.status == "ray" and np.isnan(answer.solution).all()
        assert answer.proof == "enumeration" if method == "enumeration" else proves(M, q, answer.certificate)


def test_all_solutions_of_any_matrix(rng):
    for _ in range(60):
        M, q = CLASSES["several"](rng, int(rng.integers(1, 7)))
        found, wanted = all_solutions(M, q), every_solution(M, q)
        assert len(found) == len(wanted)
        for branch in found:
            assert branch.dimension == 0
            assert min(np.abs(branch.solution - z).max() for z in wanted) < 1e-7 * max(1.0, np.abs(branch.solution).max())


class TestKnownProblems:
    def test_delassus(self):
        """Bilateral multipliers are negative at both contacts, and yet the second stays closed."""
        M, q = np.array([[1.0, -0.9], [-0.9, 1.0]]), np.array([0.91, -0.8])
        assert np.linalg.solve(M, -q) == pytest.approx([-1.0, -0.1])
        found = lcp(M, q)
        assert found.solution == pytest.approx([0.0, 0.8]) and found.slack == pytest.approx([0.19, 0.0])

    @pytest.mark.parametrize(("a", "b", "solutions"), [(1, 1, [2.0]), (1, -1, []), (-1, 1, [0.0]), (-1, -1, [0.0, 2.0])])
    def test_one_sliding_contact(self, a, b, solutions):
        """w = -A + B z with A = 2a, B = b: one solution, none, lift-off, or two (Painlevé's four cases)."""
        found = all_solutions([[float(b)]], [-2.0 * a])
        assert [branch.solution[0] for branch in found] == pytest.approx(solutions)
        answer = lcp([[float(b)]], [-2.0 * a], method="lemke")
        assert answer.status == ("solved" if solutions else "ray")
        if solutions:
            assert answer.solution[0] == solutions[0]  # of two the one without force
        else:
            assert answer.proof == "certificate"

    def test_three_solutions(self):
        found = all_solutions([[1.0, 2.0], [2.0, 1.0]], [-1.0, -1.0])
        wanted = [[1.0, 0.0], [0.0, 1.0], [1.0 / 3.0, 1.0 / 3.0]]
        assert np.allclose([branch.solution for branch in found], wanted)

    def test_chair_on_four_legs(self):
        """A weight on four legs at the corners of a square: forces along one line, all of them between 0 and half of it."""
        rows = np.array([[1.0, 1, 1], [1, -1, 1], [1, -1, -1], [1, 1, -1]])
        q = rows @ [-9.81, 0.0, 0.0]
        M = rows @ np.diag([1.0, 3.0, 3.0]) @ rows.T
        (face,) = all_solutions(M, q)
        assert face.dimension == 1
        assert np.abs(np.abs(face.directions) - 0.5).max() < 1e-12
        for method in ("lemke", "principal"):
            found = lcp(M, q, method=method)
            assert found.solved and np.abs(found.slack).max() < 1e-12
            assert rows.T @ found.solution == pytest.approx([9.81, 0.0, 0.0], abs=1e-12)

    def test_empty(self):
        found = lcp(np.zeros((0, 0)), [])
        assert found.solved and found.solution.shape == (0,) and found.residual == 0.0
        assert len(all_solutions([], [])) == 1

    def test_everything_zero(self):
        """M = 0, q = 0: every z >= 0 is a solution."""
        (face,) = all_solutions(np.zeros((3, 3)), np.zeros(3))
        assert face.dimension == 3
        assert lcp(np.zeros((3, 3)), np.zeros(3)).solved

    def test_feasible_without_solution(self):
        """M z + q >= 0 has solutions, but none is complementary: no certificate exists, enumeration proves it."""
        M, q = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([-1.0, 0.0])
        # z = (x, 1): w = (0, 0) is complementary, so shift the second row to keep it positive.
        q = np.array([-1.0, 1.0])
        answer = lcp(M, q)
        assert answer.status == "ray" and answer.proof == "enumeration"
        assert not all_solutions(M, q)

    @pytest.mark.parametrize("n", [5, 12])
    def test_cyclic_matrices_with_ties(self, n):
        """Equal ratios at every pivot; a P-matrix for odd n only."""
        M = np.eye(n) + 2.0 * np.eye(n, k=1) + 2.0 * np.eye(n, k=1 - n)
        for q in (-np.ones(n), -np.arange(1.0, n + 1.0), np.where(np.arange(n) % 2, -1.0, 0.0)):
            assert lcp(M, q, method="lemke").solved

    def test_friction_by_lemke_alone(self, rng):
        """Fully degenerate in its last rows: with any row among ties one path in seven ends on a ray."""
        assert all(lcp(*CLASSES["friction"](rng, int(rng.integers(4, 13))), method="lemke").solved for _ in range(100))

    def test_sizes_of_any_kind(self, rng):
        """Forces of 1e8 N beside velocities of 1e-6 m/s: the answer scales with the problem."""
        M, q = CLASSES["positive_definite"](rng, 6)
        rows, columns = 10.0 ** rng.uniform(-6, 6, size=6), 10.0 ** rng.uniform(-6, 6, size=6)
        one, other = lcp(M, q), lcp(rows[:, None] * M * columns, rows * q)
        assert other.solved and other.solution == pytest.approx(one.solution / columns, rel=1e-9)

    def test_limit_is_told(self, rng):
        M, q = CLASSES["positive_definite"](rng, 8)
        found = lcp(M, -np.abs(q), method="gauss-seidel", limit=1)
        assert found.status == "limit" and found.iterations == 1 and found.residual > 1e-10
        assert lcp(M, -np.abs(q), method="lemke", limit=1).status == "limit"


class TestEquivalentProblems:
    """Contacts without friction: forces, least forces, Gauss's principle and Moreau's projection are one problem."""

    def contacts(self, rng, redundant):
        n, motions = 5, 3 if redundant else 7
        H, root = rng.normal(size=(n, motions)), rng.normal(size=(motions, motions))
        mass = root @ root.T + np.eye(motions)
        free = rng.normal(size=motions)  # accelerations (or velocities) without contacts
        return H, mass, free, lcp(H @ np.linalg.solve(mass, H.T), H @ free)

    @pytest.mark.parametrize("redundant", [False, True])
    def test_gauss_and_moreau(self, redundant, rng):
        """The motion nearest to the free one in the metric of the masses, among those that open no gap: by least squares."""
        for _ in range(10):
            H, mass, free, answer = self.contacts(rng, redundant)
            # Dual: min |R^-T H^T r + R free| over r >= 0, with mass = R^T R (Cholesky).
            R = np.linalg.cholesky(mass).T
            wanted, _ = nnls(np.linalg.solve(R.T, H.T), -R @ free)
            motion = free + np.linalg.solve(mass, H.T @ answer.solution)
            assert motion == pytest.approx(free + np.linalg.solve(mass, H.T @ wanted), abs=1e-9)
            assert (H @ motion).min() > -1e-9

    def test_least_energy(self, rng):
        """No other admissible forces have a smaller r W r / 2 + q r, and none that open the gaps a smaller r W r / 2."""
        H, mass, free, answer = self.contacts(rng, False)
        W, q, r = H @ np.linalg.solve(mass, H.T), H @ free, answer.solution
        for _ in range(200):
            other = np.maximum(r + 0.3 * rng.normal(size=5), 0.0)
            assert 0.5 * other @ W @ other + q @ other >= 0.5 * r @ W @ r + q @ r - 1e-12
            shifted = r + 0.3 * rng.normal(size=5)
            if (W @ shifted + q).min() >= 0.0:
                assert shifted @ W @ shifted >= r @ W @ r - 1e-12

    def test_three_balls(self):
        """The first of three equal balls in a row strikes the others: impulses 2/3 and 1/3, all go on with 1/3."""
        H = np.array([[-1.0, 1.0, 0.0], [0.0, -1.0, 1.0]])
        before = np.array([1.0, 0.0, 0.0])
        impulses = lcp(H @ H.T, H @ before).solution
        assert impulses == pytest.approx([2 / 3, 1 / 3]) and before + H.T @ impulses == pytest.approx([1 / 3] * 3)


class TestMixedProblems:
    def problem(self, rng, free, signed, redundant):
        """A semidefinite problem with a known solution; equations may repeat each other."""
        n = free + signed
        root = rng.normal(size=(n, n))
        M = root @ root.T
        if redundant:
            pick = np.concatenate([np.zeros(free, dtype=int), np.arange(free, n)])
            M = M[np.ix_(pick, pick)]
        x = np.concatenate([rng.normal(size=free), np.maximum(rng.normal(size=signed), 0.0)])
        slack = np.where(x[free:] > 0.0, 0.0, rng.uniform(0.1, 1.0, size=signed))
        return M, np.concatenate([np.zeros(free), slack]) - M @ x, x

    @pytest.mark.parametrize("redundant", [False, True])
    def test_against_a_built_in_solution(self, redundant, rng):
        for _ in range(40):
            free, signed = int(rng.integers(1, 4)), int(rng.integers(0, 5))
            M, q, x = self.problem(rng, free, signed, redundant)
            found = mixed_lcp(M, q, free=range(free))
            assert found.solved and np.abs(found.slack[:free]).max() < 1e-9
            assert np.abs(found.slack - (M @ x + q)).max() < 1e-8  # unique for semidefinite matrices
            if not redundant:
                assert np.abs(found.solution - x).max() < 1e-6

    def test_rows_in_any_order(self, rng):
        M, q, x = self.problem(rng, 2, 3, False)
        order = np.array([3, 0, 4, 1, 2])
        found = mixed_lcp(M[np.ix_(order, order)], q[order], free=[1, 3])
        assert found.solution == pytest.approx(x[order], abs=1e-8)

    def test_equations_that_contradict(self):
        """x + y = 1 and x + y = 2."""
        found = mixed_lcp([[1.0, 1.0], [1.0, 1.0]], [-1.0, -2.0], free=[0, 1])
        assert found.status == "ray" and found.proof == "certificate"
        y = found.certificate
        assert abs(y.sum()) < 1e-12 and y @ [-1.0, -2.0] < 0.0

    def test_unreachable_inequality(self):
        """x = 1, and w = -x - 1 has to be positive."""
        found = mixed_lcp([[1.0, 0.0], [-1.0, 0.0]], [-1.0, -1.0], free=[0])
        y = found.certificate
        assert found.status == "ray" and y[1] > 0.0 and y[0] - y[1] == pytest.approx(0.0) and y @ [-1.0, -1.0] < 0.0


def test_every_method_is_named():
    assert set(_SOLVERS) == {"lemke", "principal", "gauss-seidel", "newton"}


@pytest.mark.parametrize("apart", [1e4, 1e6, 1e8, 1e12])
def test_rows_of_small_numbers_count_as_much_as_those_of_large_ones(apart):
    """Two problems that have nothing to do with each other, z = (1, 1): the second one was passed over without a word."""
    M, q = np.diag([apart, 1.0 / apart]), -np.array([apart, 1.0 / apart])
    assert lcp(M, q).solution == pytest.approx([1.0, 1.0], abs=1e-12)
    for method in ("lemke", "principal", "gauss-seidel", "newton", "enumeration"):
        answer = lcp(M, q, method=method)
        assert not answer.solved or answer.solution == pytest.approx([1.0, 1.0], abs=1e-9), method
    compiled = lm.codegen.linear_complementarity(M[None], q[None])
    assert compiled.status[0] != 0 or compiled.solution[0] == pytest.approx([1.0, 1.0], abs=1e-9)
