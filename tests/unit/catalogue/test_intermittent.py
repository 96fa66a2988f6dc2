"""Ready systems whose contacts open and close."""

import math

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue.compass_walker import GARCIA_CYCLE
from locomotor.errors import ContactLawError, ModelError

G = 9.81
READY = ("bicycle/unilateral", "bouncing_ball", "supported_bar", "rimless_wheel", "compass_walker", "hopper")


@pytest.mark.parametrize("name", READY)
@pytest.mark.sampled(3)
def test_it_is_in_the_list_and_runs(name: str) -> None:
    system = lm.catalogue.system(name)
    assert any(not isinstance(law, lm.Persistent) for law in system.laws.values())
    run = lm.simulate(system, 0.05)
    assert run.status.ok and all(f"{contact}_closed" in run for contact in system.laws)


# -- bicycle --------------------------------------------------------------------------------------------------


def test_laws_of_the_wheels() -> None:
    assert lm.catalogue.bicycle() == lm.catalogue.bicycle(contacts="persistent")
    elastic = lm.catalogue.bicycle(contacts="unilateral", restitution=1.0, tangential=1.0)
    assert set(elastic.laws.values()) == {lm.Unilateral(restitution=1.0, tangential=1.0)}


def test_mistakes_about_the_wheels() -> None:
    with pytest.raises(ModelError, match="contacts is 'soft'; give one of 'persistent', 'unilateral'"):
        lm.catalogue.bicycle(contacts="soft")
    with pytest.raises(ModelError, match="give contacts='unilateral' with it"):
        lm.catalogue.bicycle(restitution=0.5)
    with pytest.raises(ModelError, match="cannot leave the ground with base 'SE2'"):
        lm.catalogue.bicycle(base="SE2", contacts="unilateral")
    with pytest.raises(ContactLawError, match=r"restitution is 2\.0"):
        lm.catalogue.bicycle(contacts="unilateral", restitution=2.0)


# -- bar ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sticking", [True, False])
def test_a_bar_hit_between_its_supports_stays(sticking: bool) -> None:
    """The blow J is shared as J/2 (1 -+ x/a)."""
    run = lm.simulate(lm.catalogue.supported_bar(sticking=sticking), 0.4, start={"along": 0.2})
    hit, left, right = run.events
    blow = 0.5 * math.sqrt(2 * G * 0.5)  # a ball of 0.5 kg from half a metre above, plastic
    assert hit.name == "ball_on_bar impact" and hit.impulse[0] == pytest.approx(blow, rel=1e-12)
    assert left.impulse[0] == pytest.approx(0.5 * blow * (1 - 0.2 / 0.5), rel=1e-10)
    assert right.impulse[0] == pytest.approx(0.5 * blow * (1 + 0.2 / 0.5), rel=1e-10)
    assert np.abs(run["pitch"]).max() < 1e-12 and np.abs(run["height"][run.time > hit.time] - 0.05).max() < 1e-12


def test_a_bar_hit_outside_its_supports_leaves_the_other_one() -> None:
    run = lm.simulate(lm.catalogue.supported_bar(), 0.35, start={"along": 0.8})
    assert [event.name for event in run.events] == ["ball_on_bar impact", "right impact", "left lift-off"]
    after = run.time > run.events[0].time
    assert run["left_closed"][after].max() == 0.0 and run["left_gap"][-1] > 0.0 and run["right_closed"][-1] == 1.0


def test_an_elastic_ball_bounces_off_the_bar() -> None:
    run = lm.simulate(lm.catalogue.supported_bar(restitution=1.0), 0.6, start={"along": 0.2})
    assert run.events.of("ball_on_bar")[0].energy_lost == pytest.approx(0.0, abs=1e-12)
    assert run["height"][run.time > 0.4].max() == pytest.approx(0.55 - 0.5 * G * (0.6 - 2 * run.events[0].time) ** 2, abs=1e-6)


# -- rimless wheel --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("spokes", "inertia"), [(6, 0.0001), pytest.param(12, 0.5, marks=pytest.mark.slow)])
def test_every_impact_keeps_the_share_eta_of_the_rate(spokes: int, inertia: float) -> None:
    half = math.pi / spokes
    wheel = lm.catalogue.rimless_wheel(spokes=spokes, slope=0.15, inertia=inertia)
    run = lm.simulate(wheel, 2.5, start={"pitch": -half, "pitch_rate": 2.0}, closed=["foot_0"])
    eta = (inertia + math.cos(2 * half)) / (inertia + 1)
    impacts = run.events.of(kind="impact")
    assert len(impacts) >= 2
    for event in impacts:
        before, after = (int(np.searchsorted(run.time, event.time, side)) for side in ("left", "right"))
        assert run["pitch_rate"][after - 1] == pytest.approx(eta * run["pitch_rate"][before], rel=1e-10)


def test_a_wheel_on_level_ground_comes_to_rest_on_two_feet() -> None:
    wheel = lm.catalogue.rimless_wheel(slope=0.0)
    run = lm.simulate(wheel, 12.0, start={"pitch": -math.pi / 8, "pitch_rate": 1.3}, closed=["foot_0"], step=0.002)
    assert run.status.ok and run.events[-1].kind == "rest"
    assert sum(run[f"foot_{k}_closed"][-1] for k in range(8)) == 2.0 and abs(run["pitch_rate"][-1]) < 1e-12


def test_a_wheel_needs_three_spokes() -> None:
    with pytest.raises(ModelError, match="spokes is 2; give a whole number, at least 3"):
        lm.catalogue.rimless_wheel(spokes=2)


# -- walker and hopper ----------------------------------------------------------------------------------------


def test_the_walker_walks_on() -> None:
    """Ten steps of the published gait; feet pass through the ground half-way and strike ahead."""
    run = lm.simulate(lm.catalogue.compass_walker(), 39.5, start=GARCIA_CYCLE, closed=["foot_a"], step=0.005)
    strikes = run.events.of(kind="impact")
    assert [event.contact for event in strikes] == ["foot_b", "foot_a"] * 5
    np.testing.assert_allclose(np.diff([0.0, *strikes.times]), 3.88246, atol=2e-4)
    assert -1e-3 < run["foot_b_gap"].min() < -1e-5
    assert run["forward"][-1] > 10 * 2 * math.sin(0.2) - 0.5


@pytest.mark.slow
def test_the_feet_without_mass_are_a_limit() -> None:
    """The gait depends on the foot's mass in proportion to it, for small masses."""
    from locomotor.scenarios.intermittent.examples import GUESS, stride

    far, near, limit = (stride(np.array(GUESS), foot_mass=m)[0] for m in (1e-3, 1e-4, 1e-7))
    ratio = np.abs(far - limit).max() / np.abs(near - limit).max()
    assert ratio == pytest.approx(10.0, rel=0.05)


def test_the_hopper_keeps_its_height_but_for_the_foot() -> None:
    run = lm.simulate(lm.catalogue.hopper(angle=0.5 * math.pi), 3.0, start={"up": 1.2}, step=5e-4)
    impacts = run.events.of(kind="impact")
    assert [event.name for event in impacts[:4]] == ["foot impact", "stop impact"] * 2
    lost = run.events.energy_lost
    assert run.energy[0] - run.energy[-1] == pytest.approx(lost, rel=1e-6)
    # Each landing and each take-off takes the energy of a foot of 1 g at 2 m/s.
    assert lost == pytest.approx(len(impacts) * 0.5 * 1e-3 * 2 * G * 0.2, rel=0.01)
    assert run.audit()["energy_balance"] < 1e-9
