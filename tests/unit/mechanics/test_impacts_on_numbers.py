"""Impact laws on small problems whose answers are known by hand."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from locomotor.complementarity import impact
from locomotor.mechanics.impacts.on_numbers import (
    EXHAUSTIVE,
    Collision,
    newton_impact,
    plastic_impact,
    poisson_impact,
    stronge_impact,
    unilateral_impact,
)

Array = NDArray[np.float64]
NOTHING = np.zeros((0, 3))
ROUND_OFF = 1e-12
"""Solving a few equations with numbers of order one; worst seen 1e-15."""

# A rod in the plane: velocities x, z of its centre and its rate about y (positive nose down).
MASS, LENGTH = 2.0, 2.0
SPIN = MASS * LENGTH**2 / 12
ROD = np.diag([MASS, MASS, SPIN])


def end(x: float, z: float = 0.0) -> Array:
    """Rows of a point of the rod at (x, z) from its centre: normal (up), then forward."""
    return np.array([[0.0, 1.0, -x], [1.0, 0.0, z]])


# -- Newton, component by component (Whittaker) ---------------------------------------------------------------


@pytest.mark.parametrize("e_n", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("e_t", [-1.0, 0.0, 0.4, 1.0])
def test_every_component_follows_newton(e_n: float, e_t: float) -> None:
    contact, v = end(0.8, -0.3), np.array([1.0, -2.0, 0.7])
    found = newton_impact(ROD, [contact], NOTHING, v, [(e_n, e_t)])
    before, after = contact @ v, contact @ found.velocity
    np.testing.assert_allclose(after, [-e_n * before[0], -e_t * before[1]], atol=ROUND_OFF)
    np.testing.assert_allclose(ROD @ (found.velocity - v), contact.T @ found.impulses[0, :2], atol=ROUND_OFF)


def test_a_tangential_coefficient_of_minus_one_keeps_the_velocity_along_the_ground() -> None:
    contact, v = end(0.8, -0.3), np.array([1.0, -2.0, 0.7])
    found = newton_impact(ROD, [contact], NOTHING, v, [(0.5, -1.0)])
    assert (contact @ found.velocity)[1] == pytest.approx((contact @ v)[1], abs=ROUND_OFF)
    # Only where the directions do not couple is that a contact without friction.
    centred = newton_impact(ROD, [end(0.0)], NOTHING, v, [(0.5, -1.0)])
    assert centred.impulses[0, 1] == pytest.approx(0.0, abs=ROUND_OFF)


def test_whittaker_may_add_energy_where_directions_couple() -> None:
    """Section 1.2: Newton's law along both directions can over-estimate the energy; elastic with friction-free tangent does."""
    contact = end(0.9, -0.9)
    losses = [
        newton_impact(ROD, [contact], NOTHING, np.array([slide, -1.0, 0.0]), [(1.0, 0.0)]).energy_lost
        for slide in np.linspace(-3.0, 3.0, 13)
    ]
    assert min(losses) < 0.0 < max(losses)


def test_closed_contacts_are_those_without_restitution() -> None:
    v = np.array([0.0, -1.0, 0.0])
    assert newton_impact(ROD, [end(-1.0), end(1.0)], NOTHING, v, [(0.0, 0.0), (0.5, 0.0)]).closed == (0,)


# -- several contacts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("x", [-0.8, -0.3, 0.0, 0.25, 0.5, 0.9])
def test_bar_held_on_two_supports(x: float) -> None:
    """Remark 3.6: a blow J at abscissa x on a bar held at -a and a gives impulses J/2 (1 -+ x/a)."""
    a, blow = 0.5, 3.0
    v = np.linalg.solve(ROD, end(x)[0] * -blow)
    found = newton_impact(ROD, [end(-a)[:1], end(a)[:1]], NOTHING, v, [(0.0, 0.0)] * 2)
    np.testing.assert_allclose(found.velocity, 0.0, atol=ROUND_OFF)
    np.testing.assert_allclose(found.impulses[:, 0], [0.5 * blow * (1 - x / a), 0.5 * blow * (1 + x / a)], atol=ROUND_OFF)


@pytest.mark.parametrize("x", [0.6, 0.9])
def test_the_support_that_would_have_to_pull_lets_go(x: float) -> None:
    a, blow = 0.5, 3.0
    v = np.linalg.solve(ROD, end(x)[0] * -blow)
    contacts = [end(-a)[:1], end(a)[:1]]
    found = plastic_impact(ROD, contacts, NOTHING, v)
    assert found.closed == (1,) and found.impulses[0, 0] == 0.0 and found.impulses[1, 0] > blow
    assert (contacts[0] @ found.velocity)[0] > 0.0
    assert found.consistent


def test_ball_bar_and_two_supports_together() -> None:
    """Glocker's example with the ball as a body: four velocities, three contacts, the farther support lets go."""
    ball, a, x = 0.5, 0.5, 0.8
    M = np.diag([MASS, MASS, SPIN, ball])
    supports = [np.append(end(s)[0], 0.0)[None] for s in (-a, a)]
    hit = np.append(-end(x)[0], 1.0)[None]
    v = np.array([0.0, 0.0, 0.0, -4.0])
    found = plastic_impact(M, [*supports, hit], np.zeros((0, 4)), v)
    assert found.closed == (1, 2) and found.impulses[0, 0] == 0.0
    # By hand: the bar turns about the right support, with inertia I + m a^2 about it; the ball strikes at x - a from it.
    inertia, arm = SPIN + MASS * a**2, x - a
    blow = 4.0 / (1.0 / ball + arm**2 / inertia)
    assert found.impulses[2, 0] == pytest.approx(blow, abs=ROUND_OFF)
    assert found.velocity[2] == pytest.approx(blow * arm / inertia, abs=ROUND_OFF)
    # Between the supports everybody stays.
    between = plastic_impact(M, [*supports, np.append(-end(0.2)[0], 1.0)[None]], np.zeros((0, 4)), v)
    assert between.closed == (0, 1, 2)
    np.testing.assert_allclose(between.velocity, 0.0, atol=ROUND_OFF)


def test_an_elastic_ball_leaves_the_supports_as_they_were() -> None:
    """Elastic impacts change no contact: closed ones are predicted to persist, and do if they can push."""
    ball, a = 0.5, 0.5
    M = np.diag([MASS, MASS, SPIN, ball])
    contacts = [*(np.append(end(s)[0], 0.0)[None] for s in (-a, a)), np.append(-end(0.2)[0], 1.0)[None]]
    v = np.array([0.0, 0.0, 0.0, -4.0])
    found = unilateral_impact(M, contacts, np.zeros((0, 4)), v, [(0.0, 0.0), (0.0, 0.0), (1.0, 0.0)])
    assert found.closed == (0, 1) and found.velocity[3] == pytest.approx(4.0, abs=ROUND_OFF)
    assert found.energy_lost == pytest.approx(0.0, abs=ROUND_OFF)
    thrown = unilateral_impact(
        M, [*contacts[:2], np.append(-end(0.9)[0], 1.0)[None]], np.zeros((0, 4)), v, [(0.0, 0.0), (0.0, 0.0), (1.0, 0.0)]
    )
    assert thrown.closed == (1,) and thrown.energy_lost == pytest.approx(0.0, abs=ROUND_OFF)


def test_many_contacts_exchanged_one_at_a_time_agree_with_trying_all(rng: np.random.Generator) -> None:
    """Contacts without friction have one answer; a long rod lands on up to twelve points of a bumpy floor."""
    for _ in range(20):
        places = rng.uniform(-1.0, 1.0, EXHAUSTIVE + 4)
        few = places[:EXHAUSTIVE]
        v = np.array([0.0, -1.0, rng.uniform(-1.0, 1.0)])
        for chosen in (few, places):
            contacts = [end(x)[:1] for x in chosen]
            found = plastic_impact(ROD, contacts, NOTHING, v)
            assert found.consistent
            after = np.array([(C @ found.velocity)[0] for C in contacts])
            # Complementarity: nobody enters the ground, nobody pulls, whoever pushes stays.
            assert after.min() > -ROUND_OFF and found.impulses[:, 0].min() > -ROUND_OFF
            assert np.abs(after * found.impulses[:, 0]).max() < ROUND_OFF


def test_dependent_rows_share_their_impulse() -> None:
    """A rod that sticks at both ends: four rows, three velocities; what the rows do together is determined."""
    v = np.array([1.0, -1.0, 0.0])
    found = plastic_impact(ROD, [end(-1.0), end(1.0)], NOTHING, v)
    np.testing.assert_allclose(found.velocity, 0.0, atol=ROUND_OFF)
    np.testing.assert_allclose(found.impulses[:, :2], [[1.0, -1.0], [1.0, -1.0]], atol=ROUND_OFF)


def test_without_any_contact_nothing_happens() -> None:
    v = np.array([1.0, 2.0, 3.0])
    found = plastic_impact(ROD, [], NOTHING, v)
    np.testing.assert_array_equal(found.velocity, v)
    assert found.closed == () and found.energy_lost == 0.0


# -- held rows ------------------------------------------------------------------------------------------------


def test_held_rows_keep_their_velocity_and_may_do_work() -> None:
    """An imposed rate goes through the impact unchanged; the motor that imposes it gives an impulse."""
    turning = np.array([[0.0, 0.0, 1.0]])
    v = np.array([0.0, -1.0, 2.0])
    found = plastic_impact(ROD, [end(0.5)], turning, v)
    assert found.velocity[2] == pytest.approx(2.0, abs=ROUND_OFF)
    assert (end(0.5) @ found.velocity)[0] == pytest.approx(0.0, abs=ROUND_OFF)
    push = end(0.5).T @ found.impulses[0, :2] + turning.T @ found.held_impulses
    np.testing.assert_allclose(ROD @ (found.velocity - v), push, atol=ROUND_OFF)
    stopped = plastic_impact(ROD, [end(0.5)], turning, v, kept=np.zeros(1))
    np.testing.assert_allclose(stopped.velocity, 0.0, atol=ROUND_OFF)


# -- Poisson and Stronge --------------------------------------------------------------------------------------

RULES = (poisson_impact, stronge_impact)


@pytest.mark.parametrize("e", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("rule", RULES)
def test_three_laws_agree_where_directions_do_not_couple(rule, e: float) -> None:  # type: ignore[no-untyped-def]
    for contact in (end(0.8)[:1], end(0.0, -0.3)):
        v = np.array([1.0, -2.0, 0.7])
        newton = newton_impact(ROD, [contact], NOTHING, v, [(e, 0.0)])
        found = rule(ROD, [contact], NOTHING, v, [e])
        np.testing.assert_allclose(found.velocity, newton.velocity, atol=ROUND_OFF)
        np.testing.assert_allclose(found.impulses, newton.impulses, atol=ROUND_OFF)


def test_poisson_is_a_ratio_of_impulses() -> None:
    contact, v, e = end(0.8, -0.5), np.array([1.5, -1.0, 0.3]), 0.6
    plastic = plastic_impact(ROD, [contact], NOTHING, v)
    found = poisson_impact(ROD, [contact], NOTHING, v, [e])
    assert found.impulses[0, 0] == pytest.approx((1 + e) * plastic.impulses[0, 0], abs=ROUND_OFF)
    assert (contact @ found.velocity)[1] == pytest.approx(0.0, abs=ROUND_OFF)
    # With tangential velocity lost in compression, it is not the ratio of velocities.
    assert (contact @ found.velocity)[0] != pytest.approx(-e * (contact @ v)[0], rel=0.01)


@pytest.mark.parametrize("slide", [-0.5, 0.5, 1.5])
def test_stronge_is_a_ratio_of_normal_works(slide: float) -> None:
    contact, v, e = end(0.8, -0.5), np.array([slide, -1.0, 0.3]), 0.6
    plastic = plastic_impact(ROD, [contact], NOTHING, v)
    assert plastic.closed == (0,)
    found = stronge_impact(ROD, [contact], NOTHING, v, [e])
    normal = plastic.impulses[0, 0]
    compression = 0.5 * (contact @ v)[0] * normal
    restitution = 0.5 * (contact @ found.velocity)[0] * (found.impulses[0, 0] - normal)
    assert restitution == pytest.approx(-(e**2) * compression, abs=ROUND_OFF)


@pytest.mark.parametrize("slide", np.linspace(-3.0, 3.0, 7))
def test_stronge_never_adds_energy(slide: float) -> None:
    contact, v = end(0.9, -0.9), np.array([slide, -1.0, 0.0])
    losses = [stronge_impact(ROD, [contact], NOTHING, v, [e]).energy_lost for e in (0.0, 0.5, 1.0)]
    assert min(losses) > -ROUND_OFF and losses == sorted(losses, reverse=True)


@pytest.mark.parametrize("rule", RULES)
def test_both_laws_with_another_contact_that_stays(rule) -> None:  # type: ignore[no-untyped-def]
    """A rod on its left end whose right end strikes: the left end stays if it can push, and lets go if not."""
    for e, x in ((0.5, 1.0), (0.5, 0.4)):
        contacts = [end(-1.0), end(x)]
        turn = 1.0
        v = np.array([0.0, -turn, turn])  # about the left end
        np.testing.assert_allclose(contacts[0] @ v, 0.0, atol=ROUND_OFF)
        found = rule(ROD, contacts, NOTHING, v, [0.0, e])
        assert found.consistent
        after = [(C @ found.velocity)[0] for C in contacts]
        assert after[1] > 0.1 and after[0] > -ROUND_OFF
        assert found.impulses[:, 0].min() > -ROUND_OFF


def test_a_contact_that_would_have_to_pull_to_stick_is_told() -> None:
    """Sliding fast enough towards its own lever, the rod's end cannot be stopped by a push: no answer of this law exists."""
    contact, v = end(0.8, -0.5), np.array([-2.0, -1.0, 0.3])
    assert newton_impact(ROD, [contact], NOTHING, v, [(0.0, 0.0)]).impulses[0, 0] < 0.0
    found = plastic_impact(ROD, [contact], NOTHING, v)
    assert not found.consistent and found.closed == ()
    np.testing.assert_array_equal(found.velocity, v)


# -- two colliding at once ------------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_rod_that_lands_flat_bounces_flat(e: float) -> None:
    contacts, v = [end(-1.0)[:1], end(1.0)[:1]], np.array([0.3, -2.0, 0.0])
    for found in (
        unilateral_impact(ROD, contacts, NOTHING, v, [(e, 0.0)] * 2),
        poisson_impact(ROD, contacts, NOTHING, v, [e, e]),
        stronge_impact(ROD, contacts, NOTHING, v, [e, e]),
    ):
        np.testing.assert_allclose(found.velocity, [0.3, 2.0 * e, 0.0], atol=ROUND_OFF)
        np.testing.assert_allclose(found.impulses[:, 0], (1 + e) * MASS, atol=ROUND_OFF)
        assert found.energy_lost == pytest.approx(0.5 * MASS * 4.0 * (1 - e**2), abs=1e-11)
        assert found.closed == ((0, 1) if e == 0.0 else ())


def test_newtons_cradle_of_two_is_no_answer_but_a_consistent_one() -> None:
    """A rod with one end at rest on the ground whose other end strikes elastically: energy is kept, nobody enters."""
    v = np.array([0.0, -1.0, 1.0])
    found = unilateral_impact(ROD, [end(-1.0)[:1], end(1.0)[:1]], NOTHING, v, [(0.0, 0.0), (1.0, 0.0)])
    assert found.consistent and found.energy_lost == pytest.approx(0.0, abs=ROUND_OFF)
    assert math.isclose((end(1.0) @ found.velocity)[0], 2.0, abs_tol=ROUND_OFF)


# -- contacts with more rows than a mechanism has directions ---------------------------------------------------


def test_the_tip_of_a_pendulum_bounces_at_its_coefficient() -> None:
    """One velocity, three rows that ask for different ones of it: the normal has what it asks for, v+ = -e v."""
    tip = np.array([[-0.3], [0.8], [0.0]])
    found = unilateral_impact(np.array([[2.0]]), [tip], np.zeros((0, 1)), np.array([1.5]), [(0.6, 0.0)])
    assert found.consistent and found.velocity == pytest.approx([-0.9], rel=1e-12)
    assert found.energy_lost == pytest.approx(0.5 * 2.0 * (1.5**2 - 0.9**2), rel=1e-12)


def test_tangents_come_as_near_as_the_normal_leaves_them(rng: np.random.Generator) -> None:
    """Two velocities, three rows: against the minimum of the distance to the tangential targets along the line left free."""
    for _ in range(20):
        A = rng.standard_normal((2, 2))
        M, C, v = A @ A.T + np.eye(2), rng.standard_normal((3, 2)), rng.standard_normal(2)
        v = v if C[0] @ v < 0.0 else -v
        found = newton_impact(M, [C], np.zeros((0, 2)), v, [(0.5, -1.0)])
        along = np.array([-C[0, 1], C[0, 0]])
        there = C[0] * (-0.5 * (C[0] @ v)) / (C[0] @ C[0])
        nearest = there + along * ((C[1:] @ along) @ (C[1:] @ (v - there))) / ((C[1:] @ along) @ (C[1:] @ along))
        np.testing.assert_allclose(found.velocity, nearest, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("redundant", [False, True])
def test_contacts_answer_while_other_rows_are_held(rng: np.random.Generator, redundant: bool) -> None:
    """Velocities that unit impulses make at the contacts, in coordinates that cannot move the held rows at all."""
    n = 6
    root = rng.normal(size=(n, n))
    M, C, H = root @ root.T + np.eye(n), rng.normal(size=(3, n)), rng.normal(size=(2, n))
    free = np.linalg.svd(H)[2][2:].T
    wanted = C @ free @ np.linalg.solve(free.T @ M @ free, free.T @ C.T)
    held = np.vstack([H, H[0] + H[1]]) if redundant else H
    found = Collision(M, [C[:1], C[1:]], held, np.zeros(n)).condensed
    np.testing.assert_allclose(found, wanted, atol=ROUND_OFF * np.abs(wanted).max() * 100)  # condition of M about 100
    np.testing.assert_array_equal(Collision(M, [C], np.zeros((0, n)), np.zeros(n)).condensed, C @ np.linalg.solve(M, C.T))


def test_stronges_law_gains_nothing_where_friction_has_helped(rng: np.random.Generator) -> None:
    """Where slip turns back in compression friction does work; with several contacts shares were taken one by one, and gained.

    Of one contact in the plane it is the law on the Delassus matrix with as much friction as it takes.
    """
    helped = 0
    for _ in range(300):
        root = rng.normal(size=(5, 5))
        M, v, e = root @ root.T + 0.1 * np.eye(5), rng.normal(size=5), rng.uniform(0.0, 1.0, 2)
        contacts = [rng.normal(size=(2, 5)) for _ in range(2)]
        found = stronge_impact(M, contacts, np.zeros((0, 5)), v, list(e))
        assert found.energy_lost > -1e-10 * (v @ M @ v)
        if not (one := stronge_impact(M, contacts[:1], np.zeros((0, 5)), v, [e[0]])).consistent:
            continue
        C = contacts[0]
        if (C @ v)[0] > 0.0:
            continue
        wanted = impact(C @ np.linalg.solve(M, C.T), C @ v, [1e6], law="stronge", restitution=e[0])
        if wanted.solved and abs(wanted.velocities[1]) < 1e-6:
            assert C @ one.velocity == pytest.approx(wanted.velocities, abs=1e-6)
            helped += one.impulses[0, 1] * (C @ v)[1] > 0.0
    assert helped > 10
