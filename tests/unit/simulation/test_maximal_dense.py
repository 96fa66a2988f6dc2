"""Few conditions, some of which may depend on others, against the eigenvalues of A = J M^-1 J^T: forces are the smallest."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.mechanics.chart import assembled
from locomotor.simulation.maximal import Maximal, dense
from locomotor.simulation.maximal.efforts import Efforts


def by_eigenvalues(A: np.ndarray, first: int, right: np.ndarray) -> np.ndarray:
    """The pseudo-inverse of A with a unit diagonal, and of forces that move nothing those that leave least from `first` on."""
    scale = 1.0 / np.sqrt(np.maximum(np.diag(A), 1e-300))
    values, vectors = np.linalg.eigh(A * np.outer(scale, scale))
    known = values > dense.RANK
    found = scale * (vectors[:, known] @ ((vectors[:, known].T @ (scale * right)) / values[known]))
    idle = scale[:, None] * vectors[:, ~known]
    return found - idle @ np.linalg.lstsq(idle[first:], found[first:], rcond=None)[0]


def random_conditions(rng: np.random.Generator, n: int, rank: int) -> np.ndarray:
    """J M^-1 J^T of conditions of very different sizes."""
    J = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, 2 * n))
    return 10.0 ** rng.uniform(-2, 2, size=(n, 1)) * J


@pytest.mark.parametrize(("n", "rank"), [(1, 1), (5, 5), (20, 17), (30, 29), (44, 41), (90, 90), (90, 60), (12, 1)])
@pytest.mark.parametrize("meets", [True, False])
def test_forces_are_the_smallest_that_do(rng: np.random.Generator, n: int, rank: int, meets: bool) -> None:
    """Where conditions contradict each other it is done as well as can be, by least squares of the scaled ones."""
    J = random_conditions(rng, n, rank)
    A = J @ J.T
    right = A @ rng.normal(size=n) if meets else np.sqrt(np.diag(A)) * rng.normal(size=n)
    first = n - 2 * (n - rank) if rank < n and 2 * (n - rank) < n else 0
    found, wanted = dense.solver(A, first)(right), by_eigenvalues(A, first, right)
    size = np.sqrt(np.diag(A))
    # Errors of both grow with the condition of what holds, and with what forces of one size do to conditions of another.
    known = np.linalg.eigvalsh(A / np.outer(size, size))[n - rank :]
    condition = known[-1] / known[0] * (size.max() / size.min() if rank < n else 1.0)
    assert size * found == pytest.approx(size * wanted, abs=1e-15 * n * condition * np.abs(size * wanted).max())
    if meets:
        assert A @ found == pytest.approx(right, abs=1e-12 * n * np.abs(right).max())


@pytest.mark.parametrize("apart", [1e-2, 1e-4])
def test_conditions_that_all_but_depend_are_kept(rng: np.random.Generator, apart: float) -> None:
    """What is left of the last is the square of how far it is from the others: far above what counts as none."""
    J = np.linalg.qr(rng.normal(size=(12, 6)))[0].T
    J[5] = (J[0] + J[1] + apart * J[5]) / np.sqrt(2.0 + apart**2)
    wanted = rng.normal(size=6)
    found = dense.solver(J @ J.T, 0)(J @ J.T @ wanted)
    assert found == pytest.approx(wanted, abs=1e-14 / apart**2)


def test_nothing_is_solved_of_nothing() -> None:
    """Conditions that move no body, and what is no number."""
    assert not dense.solver(np.zeros((3, 3)), 0)(np.ones(3)).any()
    assert np.isnan(dense.solver(np.full((3, 3), np.nan), 0)(np.ones(3))).all()


def test_condensed_is_the_sum_over_bodies(rng: np.random.Generator) -> None:
    J, roots = rng.normal(size=(7, 18)), rng.normal(size=(3, 6, 6))
    M_inverse = roots @ roots.transpose(0, 2, 1)
    whole = np.zeros((18, 18))
    for k, block in enumerate(M_inverse):
        whole[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = block
    JM, A = dense.condensed(J, M_inverse)
    assert pytest.approx(J @ whole, abs=1e-12) == JM and pytest.approx(J @ whole @ J.T, abs=1e-11) == A


@pytest.mark.parametrize("make", [lm.catalogue.bricard, lm.catalogue.delta_robot, lm.catalogue.stewart_platform])
def test_accelerations_and_forces_are_those_by_eigenvalues(make, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    system = make()
    motion = Maximal(system)
    q = assembled(system, system.nominal_pose())
    state = motion.projected(motion.state(q, 0.3 * np.ones(system.layout.nv)))
    A = motion._condensed(motion._rows(0.0, state).data)[2]
    values = np.linalg.eigvalsh(A / np.sqrt(np.outer(np.diag(A), np.diag(A))))
    condition = values[-1] / values[values > dense.RANK][0]  # 3.5e6 of Bricard's ring: errors of both grow with it
    ours = motion.accelerations(0.0, state)
    monkeypatch.setattr(dense, "solver", lambda A, first: lambda right: by_eigenvalues(A, first, right))
    for found, wanted in zip(ours, motion.accelerations(0.0, state), strict=True):
        assert found == pytest.approx(wanted, abs=1e-14 * condition * max(1.0, np.abs(ours[1]).max()))


@pytest.mark.parametrize("name", ["stewart_platform", "delta_robot", "suspension", "bricard"])
def test_the_tree_is_found_from_its_bodies(name: str, rng: np.random.Generator) -> None:
    """Coordinates and velocities of all kinds of joints come back."""
    system = getattr(lm.catalogue, name)()
    motion = Maximal(system)
    q, v = assembled(system, system.nominal_pose()), rng.normal(size=system.layout.nv)
    efforts = Efforts(system, "interpreter")
    efforts.begin(q)
    found = efforts.tree(motion.state(q, v))
    assert found[0] == pytest.approx(q, abs=1e-12) and found[1] == pytest.approx(v, abs=1e-11)
