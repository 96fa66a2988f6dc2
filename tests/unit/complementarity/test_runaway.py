"""Problems without a solution whose unknowns grow until every error is nothing beside them: none of them is solved."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.complementarity import coulomb, impact, lcp


@pytest.mark.parametrize("others", [0, 12])
def test_newton_on_a_problem_whose_rows_add_up_to_something_negative(others):
    """w_1 + w_2 = -1 whatever z is; z of 7e9 was a solution, with w of -0.5. Also beside rows that have a solution."""
    M, q = np.eye(2 + others), -np.ones(2 + others)
    M[:2, :2], q[:2] = [[2.0, -2.0], [-2.0, 2.0]], [0.0, -1.0]
    assert not lcp(M, q, method="newton").solved
    assert lcp(M, q).proof == "certificate"


ALONG = {"plane": [1.0], "space": [0.8, 0.6]}
"""The direction of the slip, in which the contact is one of the plane."""


@pytest.mark.parametrize(
    ("name", "method", "limit"),
    [
        ("plane", "newton", 100),
        ("plane", "gauss-seidel", 500),
        ("plane", "admm", 3_000),
        ("space", "admm", 3_000),
        ("space", "auto", 3_000),
    ],
)
def test_a_contact_that_forces_in_its_cone_need_not_move(name, method, limit):
    """W = g g with g = (1, -2): u_N = s - 1, u_T = 1 - 2 s with s = g . r; closed, s = 1, it slips with -1.

    Friction is then +r_N, s = -r_N, and no r_N >= 0 keeps the contact closed; but forces along (2, 1), of any size, change
    nothing at all, and 1e9 of them were a solution.
    """
    along = np.array(ALONG[name])
    g, q = np.array([1.0, *(-2.0 * along)]), np.array([-1.0, *along])
    assert not coulomb(np.outer(g, g), q, [1.0], method=method, limit=limit).solved


def test_many_in_machine_code():
    """Three walls whose normals add up to nothing close on a body; forces of 1e9 were solutions of 17 of 300 such problems."""
    rng = np.random.default_rng(0)
    angles = np.array([0.1, 0.1, 0.1])[None] + np.array([0.0, 2.1, 4.2]) + 0.3 * rng.normal(size=(100, 3))
    H = np.zeros((100, 6, 2))
    H[:, ::2] = np.stack([np.cos(angles), np.sin(angles)], axis=2)
    q = np.zeros((100, 6))
    q[:, ::2] = -rng.uniform(0.1, 1.0, size=(100, 3))
    found = lm.codegen.contact_forces(H @ H.transpose(0, 2, 1), q, np.zeros(3))
    assert not (found.status == 0).any()


def test_large_forces_that_q_asks_for_are_solutions():
    """A body driven into a wedge: two walls push it back with r = 1 / (2 sin d) each, down to 1e-4 rad."""
    for d in (1e-1, 1e-2, 1e-3, 1e-4):
        # Normals (+-cos d, sin d): H H has what d^2 leaves of it, and u = -(sin d, sin d).
        H = np.array([[np.cos(d), np.sin(d)], [0.0, 0.0], [-np.cos(d), np.sin(d)], [0.0, 0.0]])
        for answer in (lcp((H @ H.T)[::2, ::2], (H @ [0.0, -1.0])[::2]), coulomb(H @ H.T, H @ [0.0, -1.0], [0.3, 0.3])):
            assert answer.solved
            assert answer.solution[answer.solution > 0.0] == pytest.approx(0.5 / np.sin(d), rel=1e-7)


@pytest.mark.parametrize("method", ["auto", "newton", "enumeration"])
def test_large_numbers_that_add_up_are_solutions(method):
    """z0 = 1e20 by its own row, and w1 = 1e20 - 1: nothing cancels."""
    answer = lcp([[1e-20, 0.0], [1.0, 1.0]], [-1.0, -1.0], method=method)
    assert answer.solved and answer.solution == pytest.approx([1e20, 0.0], rel=1e-12)


def test_an_impact_whose_restitution_has_no_solution():
    """Contacts that wedge each other, and that no motion makes approach like this (u is not H v): it was a bare ValueError."""
    H = np.array([[-1.0, 0, 0], [-1, 1, -1], [1, 0, 1], [0, 1, 1]])
    found = impact(H @ H.T, [1.0, 0.0, -2.0, -2.0], [5.0, 5.0], law="stronge", restitution=[0.2, 0.9])
    assert found.status == "ray" and np.isnan(found.velocities).all()
