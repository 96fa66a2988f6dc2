"""All ways in which contacts can go on: closed forms of Painlevé's rod, and the solvers for one solution."""

import numpy as np
import pytest

from locomotor.complementarity import contact_modes, coulomb
from locomotor.errors import ArgumentError, LocomotorError, MatrixShapeError
from oracles.complementarity import broken_laws, random_contacts, rigid_contacts


def bar(angle, rate, gravity=9.8):
    """W and q of the end of a slender bar (half length 1 m, mass 1 kg)."""
    c, s = np.cos(angle), np.sin(angle)
    W = np.array([[1 + 3 * c * c, -3 * c * s], [-3 * c * s, 1 + 3 * s * s]])
    return W, np.array([rate**2 * s - gravity, rate**2 * c])


@pytest.mark.parametrize("angle", [0.3, 0.7, 0.9, 1.1, 1.25, 1.4])
@pytest.mark.parametrize("rate", [0.5, 2.0, 3.0, 4.5, 6.0])
@pytest.mark.parametrize("mu", [0.5, 1.4, 1.6])
def test_four_cases_of_the_sliding_bar(angle, rate, mu):
    """A = g - rate^2 sin, B = 1 + 3 cos (cos - mu sin): one, no, one or two solutions, and their forces."""
    A = 9.8 - rate**2 * np.sin(angle)
    B = 1.0 + 3.0 * np.cos(angle) * (np.cos(angle) - mu * np.sin(angle))
    wanted = ([0.0] if A < 0.0 else []) + ([A / B] if A / B > 0.0 else [])
    found = contact_modes(*bar(angle, rate), [mu], [[-3.0]])
    assert [way.forces[0] for way in found] == pytest.approx(wanted)
    assert [way.modes[0] for way in found] == ["open" if force == 0.0 else "slip" for force in wanted]


def test_bar_at_rest():
    """Values computed apart: sticks, begins to slip, lifts off."""
    (stick,) = contact_modes(*bar(1.0, 2.0), [1.6])
    assert stick.modes == ("stick",) and stick.forces == pytest.approx([4.28845569, 1.18045882], abs=1e-8)
    (slip,) = contact_modes(*bar(1.0, 2.0), [0.2])
    assert slip.modes == ("slip",) and slip.accelerations == pytest.approx([0.0, -0.80541], abs=6e-6)
    (lift,) = contact_modes(*bar(1.0, 4.0), [0.2])
    assert lift.modes == ("open",) and lift.accelerations[0] == pytest.approx(3.66354, abs=6e-6)


@pytest.mark.parametrize("axes", [2, 3])
def test_low_friction_has_the_one_solution_of_the_cones(axes, rng):
    for _ in range(15):
        W, q, mu = random_contacts(rng, axes=axes, redundant=False)
        keep = min(len(mu), 2)
        W, q, mu = W[: axes * keep, : axes * keep], q[: axes * keep], 0.3 * mu[:keep]
        (way,) = contact_modes(W, q, mu)
        wanted = coulomb(W, q, mu).solution
        assert np.abs(way.forces - wanted).max() <= 1e-8 * np.linalg.cond(W) * max(1e-3, np.abs(wanted).max())
        assert max(broken_laws(W, q, mu, way.forces)) < 1e-8


@pytest.mark.slow
def test_rigid_bodies_in_space(rng):
    """Three contacts may begin to slip at once: what the cones find is among all solutions, and each obeys the laws."""
    for _ in range(30):
        W, q, mu = rigid_contacts(rng)
        W, q, mu = W[:9, :9], q[:9], mu[:3]
        ways = contact_modes(W, q, mu)
        wanted = W @ coulomb(W, q, mu).solution + q
        assert any(np.abs(way.accelerations - wanted).max() < 1e-6 * np.abs(q).max() for way in ways)
        assert max(max(broken_laws(W, q, mu, way.forces)) for way in ways) < 1e-6


def test_dependent_contacts_have_one_motion():
    """Two legs in the same place: the motion is one, the share of each is not."""
    W = np.kron(np.ones((2, 2)), np.eye(2))
    ways = contact_modes(W, [-9.81, 0.0] * 2, [0.5, 0.5])
    assert all(way.accelerations == pytest.approx(0.0, abs=1e-12) for way in ways)
    assert any(not way.unique and way.modes == ("stick", "stick") for way in ways)
    for way in ways:
        assert way.forces[[0, 2]].sum() == pytest.approx(9.81)


def test_two_legs_and_a_push():
    """A block on two legs (plane), pushed with 0.4 of its weight: sticks at friction 0.5, slides at 0.3 with (0.4 - 0.3) g."""
    legs = np.array([[0, 1.0, -1.0], [1.0, 0, 0.5], [0, 1.0, 1.0], [1.0, 0, 0.5]])  # normal, tangent of each; x, z, pitch
    pull = legs @ [0.4 * 9.81, -9.81, 0.0]
    stuck = contact_modes(legs @ legs.T, pull, [0.5, 0.5])
    assert all(np.abs(way.accelerations).max() < 1e-9 for way in stuck) and len(stuck) >= 1
    (slides,) = contact_modes(legs @ legs.T, pull, [0.3, 0.3])
    assert slides.modes == ("slip", "slip") and slides.accelerations[[1, 3]] == pytest.approx(0.1 * 9.81, abs=1e-9)


def test_no_friction_and_nothing():
    (way,) = contact_modes(np.eye(3), [-1.0, 2.0, 0.0], [0.0])
    assert way.modes == ("slip",) and way.forces == pytest.approx([1.0, 0.0, 0.0])
    (nothing,) = contact_modes(np.zeros((0, 0)), [], [])
    assert nothing.modes == ()


MISTAKES = [
    (lambda: contact_modes(np.eye(2), np.ones(2), [0.5], [[1.0, 0.0]]), MatrixShapeError, "give one of shape (1, 1)"),
    (lambda: contact_modes(np.eye(14), np.ones(14), [0.5] * 7), ArgumentError, "16384 combinations of modes"),
    (lambda: contact_modes(np.eye(2), np.ones(2), [0.5], [[np.nan]]), ArgumentError, "give finite numbers only"),
]


@pytest.mark.parametrize(("call", "error", "words"), MISTAKES, ids=[words for _, _, words in MISTAKES])
def test_mistakes_are_named(call, error, words):
    with pytest.raises(LocomotorError) as raised:
        call()
    assert type(raised.value) is error and words in str(raised.value)
