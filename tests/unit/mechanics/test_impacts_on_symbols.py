"""Contact impulses by a fixed number of operations, on numbers: against exhaustive search, and against the laws themselves."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from locomotor.mechanics.impacts.conditions import holds, nobody_enters, nobody_pulls
from locomotor.mechanics.impacts.friction import Sliding, harmless_share
from locomotor.mechanics.impacts.on_numbers import plastic_impact, unilateral_impact
from locomotor.mechanics.impacts.on_symbols import Response, Touching, holding_impulses, rounds_of, sticking_impulses

Array = NDArray[np.float64]
EXACT = 1e-9
"""Relative to velocities of order 1; conditions of the random problems reach 1e4, and the worst seen is 3e-12."""


def sliding_impulses(given: Response, missing: Array, contacts: Sequence[Touching], sweeps: int) -> Array:
    """A first guess, and from there."""
    sliding = Sliding(given, contacts)
    return np.array(sliding.impulses(missing, sweeps, sliding.impulses(missing, sweeps)).impulses)


def problem(rng: np.random.Generator, n: int, contacts: int, rows: int) -> tuple[Array, Array, Array, tuple[Touching, ...]]:
    """Mass matrix, rows and velocities of a random collision."""
    A = rng.standard_normal((n, n))
    M, C = A @ A.T + np.eye(n), rng.standard_normal((contacts * rows, n))
    return M, C, rng.standard_normal(n), tuple(Touching(slice(rows * k, rows * (k + 1)), True) for k in range(contacts))


def response(M: Array, C: Array) -> Response:
    return Response(C, M)


@pytest.mark.parametrize(("n", "contacts", "rows"), [(9, 1, 3), (9, 2, 3), (6, 2, 1), (4, 2, 2)])
def test_contacts_that_stick_agree_with_exhaustive_search(rng: np.random.Generator, n: int, contacts: int, rows: int) -> None:
    tried = 0
    for _ in range(60):
        M, C, v, touching = problem(rng, n, contacts, rows)
        wanted = plastic_impact(M, [C[t.rows] for t in touching], np.zeros((0, n)), v)
        if not wanted.consistent:
            continue
        given = response(M, C)
        L, parts = sticking_impulses(given, -(C @ v), touching, contacts - 1)
        assert [k for k, part in enumerate(parts) if part] == list(wanted.closed)
        assert np.abs(v + given.columns @ L - wanted.velocity).max() < EXACT
        tried += 1
    assert tried > 30


def test_what_no_velocity_can_give_leaves_no_forces_behind(rng: np.random.Generator) -> None:
    """Three rows on two velocities that ask for what cannot be: velocities by least squares, and none of the idle forces.

    Rows are weighed by the velocity that an impulse makes along its own row, their softness: S = diag(W).
    """
    for _ in range(20):
        M, C, _, touching = problem(rng, 2, 1, 3)
        given, missing = response(M, C), rng.standard_normal(3)
        S = np.diag(given.rows @ given.columns)
        L = holding_impulses(given, missing, touching, [True])
        wanted = np.linalg.lstsq(C / np.sqrt(S)[:, None], missing / np.sqrt(S), rcond=None)[0]
        assert np.abs(given.columns @ L - wanted).max() < EXACT * np.abs(wanted).max()
        idle = np.linalg.svd(C.T)[2][-1]
        assert abs(idle @ (S * L)) < EXACT * np.abs(S * L).max()


@pytest.mark.parametrize(("contacts", "share"), [(1, 1.0), (2, 1.0), (3, 0.9), (5, 0.7), (8, 0.4)])
def test_numbers_and_symbols_are_one_law(rng: np.random.Generator, contacts: int, share: float) -> None:
    """Random problems with restitution, beside rows that hold in both directions (grips, or what is held).

    Without tangents there is one answer (W is positive definite), so that whatever satisfies the conditions is it. Numbers
    always find it; steps, which let go of one contact a round, do so for one or two contacts, and for most sets of more.
    """
    found, n = 0, 12
    for _ in range(40):
        M, C, v, touching = problem(rng, n, contacts, 1)
        held, e = rng.standard_normal((2, n)), rng.uniform(0.0, 1.0, contacts)
        wanted = unilateral_impact(M, [C[t.rows] for t in touching], held, v, [(x, 0.0) for x in e], np.zeros(2))
        assert wanted.consistent
        given = response(M, np.vstack([C, held]))
        target = np.concatenate([-e * (C @ v), np.zeros(2)])
        everyone = (*touching, Touching(slice(contacts, contacts + 2), True, one_sided=False))
        L, parts = sticking_impulses(given, target - given.rows @ v, everyone, rounds_of(everyone, contacts))
        after = v + given.columns @ L
        excess = given.rows @ after - target
        inside = [k for k in range(contacts) if parts[k]]
        assert holds(nobody_pulls(L[inside], EXACT)) and np.abs(excess[[*inside, -2, -1]]).max() < EXACT
        if holds(nobody_enters([excess[k] for k in range(contacts) if not parts[k]], EXACT)):
            found += 1
            assert np.abs(after - wanted.velocity).max() < EXACT
            assert np.abs(L[:contacts] - wanted.impulses[:, 0]).max() < EXACT
    assert found >= share * 40


@pytest.mark.parametrize(("n", "contacts"), [(1, 1), (2, 1), (3, 1), (4, 1), (2, 2), (4, 2)])
def test_contacts_that_bounce_on_few_velocities_agree_with_the_impact(rng: np.random.Generator, n: int, contacts: int) -> None:
    """Rows that ask for what cannot be had at once: normals first, then tangents in the least-squares sense."""
    tried = 0
    for _ in range(60):
        M, C, v, touching = problem(rng, n, contacts, 3)
        if n == 3:  # as many rows as velocities, of which one follows from the others
            C[2] = 0.7 * C[0] - 0.4 * C[1]
        touching = tuple(Touching(t.rows, True, bounces=True) for t in touching)
        u = C @ v
        e, along = 0.6, -1.0
        wanted = unilateral_impact(M, [C[t.rows] for t in touching], np.zeros((0, n)), v, [(e, along)] * contacts)
        if not wanted.consistent or any(u[3 * k] > 0.0 for k in range(contacts)):
            continue
        target = np.concatenate([[-e * u[3 * k], -along * u[3 * k + 1], -along * u[3 * k + 2]] for k in range(contacts)])
        given = response(M, C)
        L, _ = sticking_impulses(given, target - u, touching, contacts - 1)
        after = v + given.columns @ L
        assert np.abs(after - wanted.velocity).max() < 1e3 * EXACT  # two normals of few velocities may be nearly parallel
        tried += 1
    assert tried > 8


def test_redundant_rows_share_their_impulse() -> None:
    """A block on four feet that stick, twelve rows on six velocities: whatever the shares, it stops."""
    M, C = np.diag([2.0, 2.0, 2.0, 0.1, 0.2, 0.3]), _feet()
    v = np.array([0.3, -0.2, -1.0, 0.0, 0.0, 0.1])
    touching = tuple(Touching(slice(3 * k, 3 * k + 3), True) for k in range(4))
    given = response(M, C)
    L, parts = sticking_impulses(given, -(C @ v), touching, 0)
    assert all(parts) and np.abs(C @ (v + given.columns @ L)).max() < EXACT


def test_a_contact_that_is_not_active_does_nothing(rng: np.random.Generator) -> None:
    M, C, v, touching = problem(rng, 6, 2, 3)
    C[3:] = 0.0
    only = (Touching(touching[0].rows, True, one_sided=False), Touching(touching[1].rows, False, friction=0.4))
    for L in (sticking_impulses(response(M, C), -(C @ v), only, 1)[0], sliding_impulses(response(M, C), -(C @ v), only, 3)):
        assert np.abs(C[:3] @ (v + np.linalg.solve(M, C.T @ L))).max() < EXACT
        assert not L[3:].any()


def _feet() -> Array:
    """Rows (up, x, y) of the feet of a block, at unit distance below its centre."""
    rows = []
    for x, y in ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)):
        r = np.array([x, y, -0.5])
        for d in np.eye(3)[[2, 0, 1]]:
            rows.append(np.concatenate([d, np.cross(r, d)]))
    return np.array(rows)


@pytest.mark.parametrize("mu", [0.0, 0.1, 0.5, 2.0])
@pytest.mark.sampled(2)
def test_what_the_sweeps_converge_to_is_coulombs_law(rng: np.random.Generator, mu: float) -> None:
    M, C = np.diag([2.0, 2.0, 2.0, 0.5, 0.7, 0.9]), _feet()
    touching = tuple(Touching(slice(3 * k, 3 * k + 3), True, friction=mu) for k in range(4))
    kinds = set()
    for _ in range(3):
        v = rng.standard_normal(6) - np.array([0.0, 0.0, 1.5, 0.0, 0.0, 0.0])
        given = response(M, C)
        L = sliding_impulses(given, -(C @ v), touching, 400)
        u = C @ (v + given.columns @ L)
        for k in range(4):
            normal, tangent = L[3 * k], L[3 * k + 1 : 3 * k + 3]
            speed, slip = u[3 * k], u[3 * k + 1 : 3 * k + 3]
            # 400 sweeps leave less than 1e-6 of the velocities, which are of order 1.
            assert normal >= 0.0 and speed > -1e-5 and abs(normal * speed) < 1e-5
            assert np.linalg.norm(tangent) <= mu * normal + 1e-12
            if np.linalg.norm(slip) > 1e-2 and normal > 1e-2 and mu > 0.0:
                kinds.add("slides")
                assert np.abs(tangent + mu * normal * slip / np.linalg.norm(slip)).max() < 1e-3
            elif normal > 1e-2:
                kinds.add("sticks")
    assert kinds or mu == 0.0


def test_one_contact_is_solved_at_once() -> None:
    """A point mass that lands: it stops within the cone, and slides on at its edge, in one sweep."""
    given = response(2.0 * np.eye(3), np.eye(3))
    missing = np.array([1.0, -0.3, 0.0])  # it comes down at 1 m/s and goes along at 0.3 m/s
    stick = sliding_impulses(given, missing, (Touching(slice(0, 3), True, friction=0.5),), 1)
    slide = sliding_impulses(given, missing, (Touching(slice(0, 3), True, friction=0.2),), 1)
    assert np.abs(stick - [2.0, -0.6, 0.0]).max() < 1e-10
    assert np.abs(slide - [2.0, -0.4, 0.0]).max() < 1e-10


@pytest.mark.slow
def test_a_share_that_makes_no_energy(rng: np.random.Generator) -> None:
    reduced = 0
    for _ in range(30):
        M, C, v, touching = problem(rng, 6, 2, 3)
        contacts = tuple(Touching(t.rows, True, friction=0.8) for t in touching)
        given, u = response(M, C), C @ v
        plastic = sliding_impulses(given, -u, contacts, 60)
        newton = sliding_impulses(given, np.array([-2.0, -1.0, -1.0] * 2) * u, contacts, 60)
        mean, more = u + 0.5 * given.W @ plastic, newton - plastic
        share = float(harmless_share(plastic, more, mean, given.W @ more))
        L = plastic + share * more
        work = float(L @ (u + 0.5 * given.W @ L))
        assert 0.0 <= share <= 1.0 and work < 1e-9
        reduced += share < 1.0
        if float(newton @ (u + 0.5 * given.W @ newton)) < -1e-9:
            assert share == 1.0
    assert reduced > 0


def test_friction_answers_to_the_slip_that_the_normal_impulse_leaves() -> None:
    """Normal and tangent coupled by 0.8: the normal impulse turns the slip round, and friction must oppose what is then left.

    By hand, one sweep: N = 1, and the tangential velocity lacks 0.1 - 0.8 N = -0.7, more than mu N can give: T = -mu N. In the
    end N = 1/(1 - 0.8 mu).
    """
    mu, C = 0.3, np.linalg.cholesky(np.array([[1.0, 0.8], [0.8, 1.0]]))
    contact = (Touching(slice(0, 2), True, True, mu),)
    once = Sliding(response(np.eye(2), C), contact).swept(np.array([1.0, 0.1]), None, 1).impulses
    assert once == pytest.approx([1.0, -mu], abs=1e-12)
    last = sliding_impulses(response(np.eye(2), C), np.array([1.0, 0.1]), contact, 60)
    normal = 1.0 / (1.0 - 0.8 * mu)
    assert last == pytest.approx([normal, -mu * normal], abs=1e-12)


def test_friction_that_lifts_more_than_the_normal_does_not_keep_sweeps_from_ending() -> None:
    """Friction along the slip lifts by mu 1.8, the normal by 1.5: N (1.5 + 1.8 mu) = 0.64 while it slips on.

    A step of the normal that leaves friction out goes too far by more than it was off.
    """
    mu, C = 1.3, np.linalg.cholesky(np.array([[1.5, -1.8], [-1.8, 5.0]]))
    contact = (Touching(slice(0, 2), True, True, mu),)
    normal = 0.64 / (1.5 + 1.8 * mu)
    assert -3.0 + 1.8 * normal + 5.0 * mu * normal < 0.0  # what is still wanted of the slip: it does not stop
    few = Sliding(response(np.eye(2), C), contact).swept(np.array([0.64, -3.0]), None, 12).impulses
    assert few == pytest.approx([normal, -mu * normal], rel=1e-5)
    last = sliding_impulses(response(np.eye(2), C), np.array([0.64, -3.0]), contact, 60)
    assert last == pytest.approx([normal, -mu * normal], abs=1e-12)
