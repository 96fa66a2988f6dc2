"""Impacts of random systems: complete and reduced solutions, energy and momentum, complementarity."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.linalg import null_space

from locomotor.mechanics.impacts.on_numbers import (
    newton_impact,
    plastic_impact,
    poisson_impact,
    stronge_impact,
    unilateral_impact,
)
from oracles.mechanics import reduced_impulses, reduced_plastic

Array = NDArray[np.float64]

TOLERANCE = 1e-10
"""Asked of complete against reduced. Masses have condition numbers below 1e3; worst seen 1e-12."""


def problem(seed: int, contacts: int, rows: int = 3, held: int = 0) -> tuple[Array, list[Array], Array, Array]:
    """Masses, contact rows, held rows and velocities with enough freedom for all rows to be independent."""
    rng = np.random.default_rng(seed)
    n = contacts * rows + held + 3
    A = rng.normal(size=(n, n))
    M = A @ A.T / n + 0.1 * np.eye(n)
    C = [rng.normal(size=(rows, n)) for _ in range(contacts)]
    H = rng.normal(size=(held, n))
    v = rng.normal(size=n)
    if held:
        v = v - np.linalg.pinv(H) @ (H @ v)
    return M, C, H, v


seeds = st.integers(0, 2**31)
counts = st.integers(1, 4)
shares = st.floats(0.0, 1.0)


@given(seeds, counts, st.integers(0, 3))
def test_reduced_equals_complete_in_the_plastic_case(seed: int, contacts: int, held: int) -> None:
    """(3.28a) = (3.24a) and (3.30) = (3.23) with E = 0, for any basis of the kernel."""
    M, C, H, v = problem(seed, contacts, held=held)
    complete = newton_impact(M, C, H, v, [(0.0, 0.0)] * contacts)
    rows = np.vstack([*C, H])
    basis = null_space(rows)
    rng = np.random.default_rng(seed + 1)
    basis = basis @ (rng.normal(size=(basis.shape[1],) * 2) + 3.0 * np.eye(basis.shape[1]))
    reduced = reduced_plastic(M, basis, v)
    np.testing.assert_allclose(reduced, complete.velocity, atol=TOLERANCE)
    impulses = reduced_impulses(M, rows, reduced - v)
    np.testing.assert_allclose(impulses[: 3 * contacts], complete.impulses.ravel(), atol=TOLERANCE * 10)
    np.testing.assert_allclose(impulses[3 * contacts :], complete.held_impulses, atol=TOLERANCE * 10)


@given(seeds, counts, st.data())
def test_energy_balance(seed: int, contacts: int, data: Any) -> None:
    """T+ - T- = (gamma+ + gamma-)/2 . L = -1/2 gamma-^T (1 - E)^T W^-1 (1 + E) gamma-."""
    M, C, H, v = problem(seed, contacts)
    pairs = [(data.draw(shares), data.draw(st.floats(-1.0, 1.0))) for _ in range(contacts)]
    found = newton_impact(M, C, H, v, pairs)
    rows = np.vstack(C)
    W = rows @ np.linalg.solve(M, rows.T)
    E = np.diag([e for e_n, e_t in pairs for e in (e_n, e_t, e_t)])
    before, after = rows @ v, rows @ found.velocity
    scale = 1.0 + abs(v @ M @ v)
    gained = 0.5 * found.velocity @ M @ found.velocity - 0.5 * v @ M @ v
    assert gained == pytest.approx(0.5 * (before + after) @ found.impulses.ravel(), abs=TOLERANCE * scale)
    one = np.eye(len(E))
    formula = -0.5 * before @ (one - E).T @ np.linalg.solve(W, (one + E) @ before)
    assert gained == pytest.approx(formula, abs=TOLERANCE * scale)
    assert found.energy_lost == pytest.approx(-gained, abs=TOLERANCE * scale)


@given(seeds, counts, st.integers(0, 3))
def test_an_elastic_impact_keeps_the_energy_and_a_plastic_one_loses_all_it_can(seed: int, contacts: int, held: int) -> None:
    M, C, H, v = problem(seed, contacts, held=held)
    scale = 1.0 + abs(v @ M @ v)
    elastic = newton_impact(M, C, H, v, [(1.0, 1.0)] * contacts)
    assert elastic.energy_lost == pytest.approx(0.0, abs=TOLERANCE * scale)
    plastic = newton_impact(M, C, H, v, [(0.0, 0.0)] * contacts)
    rows = np.vstack([*C, H])
    before = rows @ v
    W = rows @ np.linalg.solve(M, rows.T)
    assert plastic.energy_lost == pytest.approx(0.5 * before @ np.linalg.solve(W, before), abs=TOLERANCE * scale)
    some = newton_impact(M, C, H, v, [(0.5, 0.5)] * contacts)
    assert -TOLERANCE * scale <= some.energy_lost <= plastic.energy_lost + TOLERANCE * scale


@given(seeds, counts, st.integers(0, 3), st.floats(0.0, 1.0))
def test_momentum_changes_by_the_impulses_and_by_nothing_else(seed: int, contacts: int, held: int, e: float) -> None:
    """M (v+ - v-) = C^T L for every law, held rows included."""
    M, C, H, v = problem(seed, contacts, held=held)
    pairs = [(e, e)] * contacts
    outcomes = [
        newton_impact(M, C, H, v, pairs),
        unilateral_impact(M, C, H, v, pairs),
        plastic_impact(M, C, H, v),
        poisson_impact(M, C, H, v, [e] * contacts),
        stronge_impact(M, C, H, v, [e] * contacts),
    ]
    for found in outcomes:
        pushed = sum((c.T @ impulse for c, impulse in zip(C, found.impulses, strict=True)), H.T @ found.held_impulses)
        np.testing.assert_allclose(M @ (found.velocity - v), pushed, atol=TOLERANCE)
        np.testing.assert_allclose(H @ found.velocity, H @ v, atol=TOLERANCE)


@given(seeds, st.integers(1, 6), st.floats(0.0, 1.0))
def test_contacts_without_friction_satisfy_complementarity(seed: int, contacts: int, e: float) -> None:
    """0 <= L_N, gamma_N+ + e gamma_N- >= 0, and one of them is zero; a solution always exists."""
    M, C, H, v = problem(seed, contacts, rows=1)
    found = unilateral_impact(M, C, H, v, [(e, 0.0)] * contacts)
    assert found.consistent
    impulses = found.impulses[:, 0]
    slack = np.array([(c @ found.velocity + e * (c @ v))[0] for c in C])
    assert impulses.min() > -TOLERANCE and slack.min() > -TOLERANCE
    assert np.abs(impulses * slack).max() < TOLERANCE
    assert found.energy_lost > -TOLERANCE


@given(seeds, counts)
def test_a_soft_collision_changes_nothing(seed: int, contacts: int) -> None:
    """Where the contacts' velocities vanish already there is no jump, whatever the law."""
    M, C, H, v = problem(seed, contacts)
    rows = np.vstack(C)
    v = v - np.linalg.pinv(rows) @ (rows @ v)
    for found in (plastic_impact(M, C, H, v), unilateral_impact(M, C, H, v, [(0.7, 0.3)] * contacts)):
        np.testing.assert_allclose(found.velocity, v, atol=TOLERANCE)


@given(seeds, counts, shares)
def test_plastic_impacts_do_not_depend_on_the_axes_of_a_contact(seed: int, contacts: int, turn: float) -> None:
    """For E = 0 tangents may be turned at will; impulses turn with them."""
    M, C, H, v = problem(seed, contacts)
    c, s = np.cos(6.0 * turn), np.sin(6.0 * turn)
    R = np.array([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]])
    one, other = (newton_impact(M, rows, H, v, [(0.0, 0.0)] * contacts) for rows in (C, [R @ rows for rows in C]))
    np.testing.assert_allclose(other.velocity, one.velocity, atol=TOLERANCE)
    np.testing.assert_allclose(other.impulses, one.impulses @ R.T, atol=TOLERANCE * 10)
