"""Contacts that are taken to hold must be able to: poses beyond their cones are no equilibria, and it is said why."""

import math

import numpy as np
import pytest

import locomotor as lm
from locomotor.complementarity.friction import Side
from locomotor.complementarity.friction.holding import held, least_friction
from locomotor.errors import EquilibriumError, SteadyMotionError

MU = 0.1
STEEPEST = math.atan(MU)  # of a body on a slope, however its feet share the load


class TestOnASlope:
    def test_a_chair_rests_up_to_the_angle_of_friction(self):
        assert lm.equilibrium(lm.catalogue.chair(friction=MU, slope=STEEPEST - 1e-6)).found
        with pytest.raises(EquilibriumError, match=r"'front_left' has 0.1"):
            lm.equilibrium(lm.catalogue.chair(friction=MU, slope=STEEPEST + 1e-6))

    def test_the_friction_it_needs_is_told(self):
        with pytest.raises(EquilibriumError, match=f"need a coefficient of friction of {math.tan(0.3):.6f}"):
            lm.equilibrium(lm.catalogue.chair(friction=MU, slope=0.3))

    def test_a_chair_that_tips_is_held_by_no_friction(self):
        """Its feet are 0.2 m from its middle, which is 0.45 m high: it tips from tan(slope) = 0.2/0.45 on."""
        tips = math.atan(0.2 / 0.45)
        assert lm.equilibrium(lm.catalogue.chair(friction=5.0, slope=tips - 1e-6)).found
        with pytest.raises(EquilibriumError, match="no friction is enough"):
            lm.equilibrium(lm.catalogue.chair(friction=5.0, slope=tips + 1e-6))

    def test_a_push_that_makes_it_slide(self):
        weight = 5.0 * 9.81
        assert lm.equilibrium(lm.catalogue.chair(friction=MU), inputs={"push": 0.999 * MU * weight}).found
        with pytest.raises(EquilibriumError, match="slip"):
            lm.equilibrium(lm.catalogue.chair(friction=MU), inputs={"push": 1.001 * MU * weight})

    def test_what_does_not_rest_has_no_steady_motion_and_no_linearisation(self):
        slides = lm.catalogue.chair(friction=MU, slope=0.3)
        for door in (lm.steady_motion, lm.linearise):
            with pytest.raises(SteadyMotionError, match=r"'hind_right' has 0.1"):
                door(slides)
            door(lm.catalogue.chair(friction=MU, slope=0.05))

    def test_a_curve_says_where_it_begins_to_slip(self):
        path = lm.continue_equilibrium(lm.catalogue.chair(friction=MU), "slope", 0.3)
        assert {bool(each["slope"] <= STEEPEST) == each.found for each in path.equilibria} == {True}
        assert not path.equilibria[-1].found
        assert path.equilibria[0].found


def test_a_ladder_stands_while_its_closed_form_says():
    """tan(angle) >= (1 - mu mu_w)/(2 mu)."""
    mu, mu_w = 0.4, 0.3
    ladder = lm.catalogue.leaning_rod(friction=mu, wall_friction=mu_w)
    ladder = ladder.replace(contacts=ladder.contacts[:2])
    least = math.atan((1.0 - mu * mu_w) / (2.0 * mu))
    for angle, stands in ((least + 1e-6, True), (least - 1e-6, False)):
        start = {"pitch": -angle, "up": math.sin(angle), "forward": -math.cos(angle)}
        if stands:
            assert lm.equilibrium(ladder, start).found
        else:
            with pytest.raises(EquilibriumError, match=r"'head' has 0.3"):
                lm.equilibrium(ladder, start)


def test_shares_of_a_load_in_space_agree_with_the_solution_of_the_cones(rng):
    """Random bodies on three to five feet: held exactly where the forces of `coulomb` leave no acceleration."""
    seen = {True: 0, False: 0}
    for _ in range(60):
        n, mu = int(rng.integers(3, 6)), float(rng.uniform(0.1, 0.6))
        feet = np.column_stack([rng.normal(size=(n, 2)), np.full(n, -rng.uniform(0.2, 1.0))])
        H = np.array([[*axis, *np.cross(foot, axis)] for foot in feet for axis in np.eye(3)[[2, 0, 1]]])
        W = H @ np.diag([1.0, 1.0, 1.0, *rng.uniform(0.5, 5.0, 3)]) @ H.T
        q = H @ np.array([*(0.3 * rng.normal(size=2)), -1.0, *(0.05 * rng.normal(size=3))])
        sides = [Side(slice(3 * i, 3 * i + 3), mu, np.zeros(2)) for i in range(n)]
        answer = lm.complementarity.coulomb(W, q, np.full(n, mu))
        assert answer.solved
        stays = float(np.abs(answer.slack).max()) < 1e-8
        assert held(W, q, sides) == stays
        seen[stays] += 1
    assert min(seen.values()) > 5


def test_least_friction_of_one_contact_is_the_slope_of_its_force():
    W, q = np.eye(3), np.array([-1.0, 0.3, -0.4])
    assert least_friction(W, q, [Side(slice(0, 3), 0.1, np.zeros(2))]) == pytest.approx(0.5, rel=1e-6)
    assert least_friction(W, -q, [Side(slice(0, 3), 0.1, np.zeros(2))]) == math.inf
