"""Complementarity problems in machine code, against their readable form and the laws of contact themselves."""

import numpy as np
import pytest

from locomotor.codegen import contact_forces, linear_complementarity
from locomotor.codegen.complementarity import LIMIT, RAY, SOLVED
from locomotor.complementarity import coulomb, lcp
from locomotor.complementarity.friction.problem import Problem
from locomotor.complementarity.friction.sweeps import gauss_seidel
from locomotor.errors import ArgumentError, FrictionError, MatrixShapeError, SymmetryError
from oracles.complementarity import CLASSES, broken_laws, natural_residual, random_contacts, rigid_contacts

SMALL = 2e-10  # relative: each part of a residual is below 1e-10, a law has one or two


def alike(rng, make, contacts, count):
    """So many problems with the same number of contacts, as stacks."""
    found = []
    while len(found) < count:
        problem = make(rng)
        if len(problem[2]) == contacts:
            found.append(problem)
    return [np.array(part) for part in zip(*found, strict=True)]


@pytest.mark.parametrize("axes", [2, 3])
@pytest.mark.parametrize("contacts", [1, 3, 6])
def test_sweep_for_sweep_as_the_readable_form(axes, contacts, rng):
    """Three sweeps from zero: the same forces up to round-off, before either has converged."""
    W, q, mu = alike(rng, lambda rng: random_contacts(rng, axes=axes), contacts, 20)
    found = contact_forces(W, q, mu, sweeps=3, newton=False, tolerance=1e-300)
    for i, forces in enumerate(found.solution):
        wanted = gauss_seidel(Problem(W[i], q[i], mu[i]), limit=3).solution
        assert forces == pytest.approx(wanted, abs=1e-10 * max(1.0, np.abs(wanted).max()))


@pytest.mark.parametrize("contacts", [1, 2, 4, 8])
@pytest.mark.parametrize(
    "make", [random_contacts, rigid_contacts, lambda rng: random_contacts(rng, axes=2)], ids=["random", "rigid", "plane"]
)
def test_every_problem_is_solved(make, contacts, rng):
    W, q, mu = alike(rng, make, contacts, 100)
    found = contact_forces(W, q, mu)
    assert (found.status == SOLVED).all() and (found.residual <= 1e-10).all()
    assert max(max(broken_laws(*problem, r)) for *problem, r in zip(W, q, mu, found.solution, strict=True)) < SMALL


def test_forces_are_those_of_the_readable_form(rng):
    """Where they are unique."""
    W, q, mu = alike(rng, lambda rng: random_contacts(rng, redundant=False), 5, 20)
    found = contact_forces(W, q, 0.5 * mu)
    for i, forces in enumerate(found.solution):
        wanted = coulomb(W[i], q[i], 0.5 * mu[i]).solution
        assert np.abs(forces - wanted).max() <= SMALL * np.linalg.cond(W[i]) * np.abs(wanted).max()


@pytest.mark.parametrize("target", ["c", "interpreter"])
@pytest.mark.parametrize("name", ["positive_definite", "semidefinite", "degenerate", "p_matrix"])
def test_linear_problems(name, target, rng):
    for n in (1, 4, 9):
        M, q = (np.array(part) for part in zip(*(CLASSES[name](rng, n) for _ in range(20)), strict=True))
        found = linear_complementarity(M, q, target=target)
        assert (found.status == SOLVED).all()
        for i, z in enumerate(found.solution):
            assert z.min() >= 0.0 and natural_residual(M[i], q[i], z) < 1e-10
            if name in {"positive_definite", "p_matrix"}:
                assert z == pytest.approx(lcp(M[i], q[i]).solution, abs=1e-8 * max(1.0, z.max()))


@pytest.mark.parametrize("target", ["c", "interpreter"])
def test_rays(target, rng):
    M, q = (np.array(part) for part in zip(*(CLASSES["infeasible"](rng, 5) for _ in range(20)), strict=True))
    found = linear_complementarity(M, q, target=target)
    assert (found.status == RAY).all() and np.isnan(found.solution).all()


def test_limit_and_start(rng):
    W, q, mu = alike(rng, lambda rng: random_contacts(rng, redundant=False), 4, 10)
    q[:, 0] = -1.0
    short = contact_forces(W, q, mu, sweeps=1, newton=False, tolerance=1e-14)
    assert (short.status == LIMIT).all() and (short.residual > 1e-14).all()
    done = contact_forces(W, q, mu)
    again = contact_forces(W, q, mu, start=done.solution, sweeps=1)
    assert (again.status == SOLVED).all() and np.array_equal(again.solution, done.solution)


def test_threads_and_targets_agree(rng):
    W, q, mu = alike(rng, lambda rng: random_contacts(rng, redundant=False), 3, 9)
    one = contact_forces(W, q, mu)
    assert np.array_equal(one.solution, contact_forces(W, q, mu, threads=3).solution)
    slow = contact_forces(W, q, mu, target="interpreter")
    assert (slow.status == SOLVED).all()
    size = np.linalg.cond(W)[:, None] * np.abs(one.solution).max(axis=1, keepdims=True)
    assert (np.abs(slow.solution - one.solution) <= SMALL * size + 1e-12).all()


def test_jammed_contacts_are_not_called_solved():
    """Two walls close in: no forces help. Machine code says that it did not get there, the readable form proves it."""
    W = np.array([[1.0, 0, -1, 0], [0, 1, 0, 1], [-1, 0, 1, 0], [0, 1, 0, 1]])[None]
    q = [[-1.0, 0.0, -0.5, 0.0]]
    assert contact_forces(W, q, [0.5, 0.5]).status == LIMIT
    assert contact_forces(W, q, [0.5, 0.5], target="interpreter").status == RAY


def test_nothing_and_zero_friction():
    assert contact_forces(np.zeros((0, 3, 3)), np.zeros((0, 3)), np.zeros((0, 1))).solution.shape == (0, 3)
    found = contact_forces(np.eye(3)[None], [[-2.0, 1.0, 0.0]], [0.0])
    assert found.solution[0] == pytest.approx([2.0, 0.0, 0.0])
    assert linear_complementarity(np.zeros((2, 0, 0)), np.zeros((2, 0))).solution.shape == (2, 0)


MISTAKES = [
    (
        lambda: contact_forces([np.eye(3), np.eye(3) + np.eye(3, k=1)], np.ones((2, 3)), [0.1]),
        SymmetryError,
        "contact_forces: matrix 1 is not symmetric: entry (0, 1)",
    ),
    (lambda: contact_forces(np.eye(3), np.ones(3), [0.1]), MatrixShapeError, "give square ones, of shape (batch, n, n)"),
    (lambda: contact_forces(np.eye(3)[None], np.ones((1, 2)), [0.1]), MatrixShapeError, "give vectors of shape (1, 3)"),
    (lambda: contact_forces(np.eye(4)[None], np.ones((1, 4)), [0.1]), MatrixShapeError, "for every 2 rows"),
    (lambda: contact_forces(np.eye(3)[None], np.ones((1, 3)), [-0.1]), FrictionError, "a coefficient of friction is -0.1"),
    (lambda: contact_forces([[[np.nan]]], [[1.0]], [0.1]), ArgumentError, "give finite numbers only"),
    (
        lambda: contact_forces(np.eye(3)[None], np.ones((1, 3)), [np.nan]),
        ArgumentError,
        "friction is [nan]; give finite numbers",
    ),
    (lambda: linear_complementarity(np.eye(2)[None], np.ones((1, 3))), MatrixShapeError, "give vectors of shape (1, 2)"),
]


@pytest.mark.parametrize(("call", "error", "words"), MISTAKES, ids=[words for _, _, words in MISTAKES])
def test_mistakes_are_named(call, error, words):
    with pytest.raises(error) as raised:
        call()
    assert words in str(raised.value)


@pytest.mark.parametrize("size", [1e10, 1e20])
def test_rows_apart_have_scales_of_their_own(size):
    """As in `lm.complementarity`: z = 1/M, and contacts that stick."""
    found = linear_complementarity([np.diag([size, 1.0 / size])] * 2, -np.ones((2, 2)))
    assert found.status.tolist() == [0, 0]
    assert found.solution[1] == pytest.approx([1.0 / size, size], rel=1e-12, abs=0.0)
    q = np.array([-1.0, 0.1, 0.0] * 2)
    W = np.diag([size] * 3 + [1.0 / size] * 3)
    held = contact_forces(W[None], q[None], [0.5, 0.5])
    assert held.status.tolist() == [0]
    assert held.solution[0] == pytest.approx(-q / np.diag(W), rel=1e-9, abs=0.0)
