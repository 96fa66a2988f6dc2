"""Impact laws with friction by name in event-driven runs: a ball, the laws on plain matrices, and what is refused."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.complementarity import IMPACT_LAWS, impact
from locomotor.errors import ContactLawError
from locomotor.mechanics.impacts import Collision
from locomotor.model.contacts.law_checks import IMPACT_RULES
from locomotor.simulation.events.frictional_impact import frictional_impact
from locomotor.simulation.events.named_impact import named_impact

NONE = np.zeros((0, 3))


def rod(angle):
    """Masses and rows (up, along) of the end of a slender rod, half length and mass 1, in the plane."""
    c, s = np.cos(angle), np.sin(angle)
    return np.diag([1.0, 1.0, 1.0 / 3.0]), np.array([[0.0, 1.0, -c], [1.0, 0.0, s]])


@pytest.mark.parametrize("rule", IMPACT_RULES)
def test_a_rod_does_what_the_law_says(rule, rng):
    """The same as on the Delassus matrix, also beside a row that is held and with a direction that cannot move."""
    for _ in range(10):
        M, C = rod(rng.uniform(0.1, 1.5))
        v, mu, e = rng.normal(size=3), rng.uniform(0.0, 1.2), rng.uniform()
        W, u = C @ np.linalg.solve(M, C.T), C @ v
        options = {"dissipation": (1 - e) / (1 + e)} if rule == "moreau" else {"restitution": e}
        wanted = impact(W, u, [mu], law=rule, **options)
        found = named_impact(rule, Collision(M, [C], NONE, v), np.array([[e]]), [mu], [0.0])
        assert C @ found.velocity == pytest.approx(wanted.velocities, abs=1e-10)
        assert found.energy_lost == pytest.approx(wanted.energy_lost, abs=1e-10)
        flat = np.vstack([C, np.zeros(3)])
        wide = np.zeros((4, 4))
        wide[:3, :3], wide[3, 3] = M, 2.0
        rows, held = np.hstack([flat, np.zeros((3, 1))]), np.array([[0.0, 0.0, 0.0, 1.0]])
        again = named_impact(rule, Collision(wide, [rows], held, np.append(v, 0.7)), np.array([[e]]), [mu], [0.0])
        assert again.velocity == pytest.approx([*found.velocity, 0.7], abs=1e-10)


def test_newton_by_name_is_newton(rng):
    for _ in range(20):
        M, C = rod(rng.uniform(0.1, 1.5))
        v = rng.normal(size=3)
        collision = Collision(M, [C], NONE, v)
        named = named_impact("newton", collision, np.array([[0.4]]), [0.5], [0.0])
        assert named.velocity == pytest.approx(frictional_impact(collision, [0.4], [0.5]).velocity, abs=1e-9) or C[0] @ v > 0.0


def test_contacts_that_hold_beside_contacts_that_slip():
    """Two unit masses: one holds whatever it takes, the other slips at its bound."""
    C = [np.eye(4)[[0, 1]], np.eye(4)[[2, 3]]]
    collision = Collision(np.eye(4), C, np.zeros((0, 4)), np.array([-1.0, 9.0, -1.0, 9.0]))
    found = named_impact("poisson", collision, np.diag([0.5, 0.5]), [np.inf, 0.2], [0.0, 0.0])
    assert found.velocity == pytest.approx([0.5, 0.0, 0.5, 9.0 - 0.2 * 1.5], abs=1e-9)


def test_a_restitution_matrix_with_friction():
    """Newton's cradle of three balls that also rub: friction acts across, and the shares along."""
    H = np.array([[-1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, -1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    collision = Collision(np.eye(4), [H[:2], H[2:]], np.zeros((0, 4)), np.array([1.0, 0.0, 0.0, 5.0]))
    found = named_impact("newton", collision, np.array([[0.0, 1.0], [1.0, 0.0]]), [0.3, 0.3], [0.0, 0.0])
    assert found.velocity == pytest.approx([0.0, 0.0, 1.0, 5.0 - 0.3], abs=1e-9)


def ball(**law):
    """A solid ball of 1 kg and 0.1 m above the floor."""
    return lm.System(
        "ball",
        bodies=(lm.Body("ball", 1.0, inertia=(0.004,) * 3),),
        joints=(lm.Free(name="base", parent="world", child="ball"),),
        contacts=(lm.RollingSphere("floor", "ball", centre=(0, 0, 0), radius=0.1, law=lm.Unilateral(**law)),),
        forces=(lm.Gravity((0, 0, -9.81)),),
    )


def test_a_thrown_ball_by_moreaus_rule():
    """Moreau turns the slip back: it would take (1 + e) 2/7 m v, more than mu L_N = mu (1 + e) m u, and it slips at the bound.

    Newton's rule stops the slip with 2/7 m v, less than the bound: the two differ.
    """
    e, mu, u = 0.6, 0.2, np.sqrt(2 * 9.81 * 0.2)
    run = lm.simulate(ball(restitution=e, friction=mu, rule="moreau"), 0.22, start={"z": 0.3, "speed": 2.0})
    (hit,) = run.events.of(kind="impact")
    assert hit.impulse[:2] == pytest.approx(((1 + e) * u, -mu * (1 + e) * u), rel=1e-9)
    spin = mu * (1 + e) * u * 0.1 / 0.004
    assert run["pitch_rate"][-1] == pytest.approx(spin, rel=1e-9)
    assert 2 / 7 * 2.0 < mu * (1 + e) * u < (1 + e) * 2 / 7 * 2.0


def test_rules_are_laws_and_wrong_ones_are_refused():
    assert set(IMPACT_RULES) <= set(IMPACT_LAWS)
    with pytest.raises(ContactLawError, match="'moreau' is for contacts with friction; give one"):
        lm.Unilateral(0.5, rule="moreau")
    with pytest.raises(ContactLawError, match="rule is 'hertz'; give one of 'newton', 'poisson', 'stronge', 'moreau'"):
        lm.Unilateral(0.5, rule="hertz")
