"""Discs that come to lie flat, or all but: the contact point runs around the rim, and where it lies there is none."""

import dataclasses
import functools
import warnings

import numpy as np
import pytest

import locomotor as lm
from locomotor.model import System


@functools.cache
def coin(law: lm.Unilateral) -> System:
    return lm.System(
        "coin",
        bodies=(lm.Body("body", 1.0, inertia=(0.0025, 0.0025, 0.005)),),
        joints=(lm.Free(name="base", parent="world", child="body"),),
        contacts=(lm.RollingDisc("rim", "body", (0, 0, 0), (0, 0, 1), 0.1, law=law),),
        forces=(lm.Gravity((0, 0, -9.81)),),
        nominal={"z": 1.0},
    )


ROLLS, RUBS = lm.Unilateral(), lm.Unilateral(friction=0.5)
R, M, MOMENT, G = 0.1, 1.0, 0.0025, 9.81


@pytest.mark.parametrize("friction", [0.5, None])
def test_a_disc_dropped_flat_comes_to_rest_on_its_side(friction: float | None) -> None:
    """With a restitution e its bounces last 2 e sqrt(2 h/g)/(1 - e) together."""
    fall, e = np.sqrt(2 * 0.3 / G), 0.3
    for restitution, rest in ((0.0, fall), (e, fall + 2 * e * fall / (1 - e))):
        run = lm.simulate(coin(lm.Unilateral(friction=friction, restitution=restitution)), 0.6, start={"z": 0.3}, step=0.002)
        assert run.status.completed and run.events[0].time == pytest.approx(fall, rel=1e-9)
        assert run.events[-1].time == pytest.approx(rest, abs=1e-6) and run.events.of("rim", "lies")
        assert run["rim_normal_force"][-1] == pytest.approx(M * G, rel=1e-12)
        assert abs(run["z"][-1]) < 1e-9 and run["z"].min() > -1e-9


def test_the_impact_of_a_coin_that_falls_over_is_on_record() -> None:
    """The sample before it is: the audit reads off the record what the impact took, all that the coin has."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = lm.simulate(lm.catalogue.euler_disc(), 0.1)
    (impact,) = run.events.of("rim", "impact")
    audit = run.audit()
    assert impact.energy_lost == pytest.approx(run.energy[0] + audit.work["rim_friction"], rel=1e-6)
    assert audit["impact_energy"] < 1e-12 and audit["energy_balance"] < 1e-6


def falling_time(angle: float) -> float:
    """On a frictionless ground the centre of a disc falls straight: (I + m (r cos a)^2) a'^2/2 = m g r (sin a0 - sin a)."""
    from scipy.integrate import quad

    # With sin a = sin a0 - s^2 the integrand is finite at the start.
    def slowness(s: float) -> float:
        sine = np.sin(angle) - s * s
        cosine2 = 1.0 - sine * sine
        return 2.0 * np.sqrt((MOMENT + M * R * R * cosine2) / (2.0 * M * G * R)) / np.sqrt(cosine2)

    return float(quad(slowness, 0.0, np.sqrt(np.sin(angle)), epsabs=1e-12)[0])


def test_a_coin_that_topples_straight_comes_to_rest_on_its_side() -> None:
    """All that it had is lost in the slap: it stops the fall of its centre and its turning at once."""
    angle = 1.2
    run = lm.simulate(coin(lm.Unilateral(friction=0.0)), 1.0, start={"z": R * np.sin(angle), "roll": angle}, step=0.002)
    assert run.status.completed
    slap = run.events.of("rim", "impact")[0]
    assert slap.time == pytest.approx(falling_time(angle), abs=2e-6)
    # (I + m r^2) w^2/2 = m g r sin a0, and the impulse stops m r w.
    rate = np.sqrt(2 * M * G * R * np.sin(angle) / (MOMENT + M * R * R))
    assert slap.impulse[0] == pytest.approx(M * R * rate, rel=1e-6)
    assert slap.energy_lost == pytest.approx(M * G * R * np.sin(angle), rel=1e-6)
    assert np.diff(run.energy).max() < 1e-9 and abs(run["z"][-1]) < 2e-8
    assert run["rim_normal_force"][-1] == pytest.approx(M * G, rel=1e-12)


def test_a_coin_that_rolls_whatever_that_takes_topples_to_its_side() -> None:
    """Held at the rim: (I + m r^2) a'^2/2 = m g r (sin a0 - sin a); the slap stops m r w, and its side stays there."""
    from scipy.integrate import quad

    angle, whole = 0.5, MOMENT + M * R * R
    run = lm.simulate(coin(ROLLS), 0.3, start={"z": R * np.sin(angle), "roll": angle}, step=0.002)
    # With sin a = sin a0 - s^2 the integrand is finite at the start.
    slowness = lambda s: 2.0 * np.sqrt(whole / (2 * M * G * R)) / np.sqrt(1.0 - (np.sin(angle) - s * s) ** 2)  # noqa: E731
    slap = run.events.of("rim", "impact")[0]
    assert slap.time == pytest.approx(quad(slowness, 0.0, np.sqrt(np.sin(angle)), epsabs=1e-12)[0], abs=2e-6)
    assert slap.impulse[0] == pytest.approx(M * R * np.sqrt(2 * M * G * R * np.sin(angle) / whole), rel=1e-6)
    assert run.status.completed and run.events[-1].kind == "lies" and np.diff(run.energy).max() < 1e-9
    assert run["rim_normal_force"][-1] == pytest.approx(M * G, rel=1e-12) and abs(run["z"][-1]) < 2e-8


def test_a_disc_that_lands_flat_keeps_or_loses_its_slide_and_spin() -> None:
    """Without a coefficient the ground holds whatever that takes; with one of zero it holds nothing."""
    start = {"z": 0.1, "speed": 1.0, "yaw_rate": 5.0}
    held, free = (lm.simulate(coin(law), 0.3, start=start, step=0.005) for law in (ROLLS, lm.Unilateral(friction=0.0)))
    fall = np.sqrt(0.2 / G)
    assert held.events.of("rim", "lies") and free.events.of("rim", "lies")
    assert held["x"][-1] == pytest.approx(1.0 * fall, rel=1e-7)  # it flies straight, to the error of steps in axes that turn
    assert (abs(held["speed"][-1]), abs(held["yaw_rate"][-1])) == pytest.approx((0.0, 0.0), abs=1e-12)
    assert np.hypot(free["speed"], free["sway_speed"])[-1] == pytest.approx(1.0, rel=1e-9)
    assert free["yaw_rate"][-1] == pytest.approx(5.0, rel=1e-9)


def test_a_bounce_from_the_side_is_flat() -> None:
    """Of a coin that slaps down with w the centre leaves at e r w, and its turning is taken by an impulse within the rim."""
    angle, e = 1.2, 0.4
    start = {"z": R * np.sin(angle), "roll": angle}
    run = lm.simulate(coin(lm.Unilateral(e, friction=0.0)), 0.35, start=start, step=0.002)
    slap = run.events.of("rim", "impact")[0]
    rate = np.sqrt(2 * M * G * R * np.sin(angle) / (MOMENT + M * R * R))
    assert slap.energy_after == pytest.approx(0.5 * M * (e * R * rate) ** 2, rel=1e-6)
    again = run.events.of("rim", "impact")[1]
    assert again.time - slap.time == pytest.approx(2 * e * R * rate / G, rel=1e-5)


def test_a_disc_that_slides_on_its_side_stops_after_the_way_of_friction() -> None:
    run = lm.simulate(coin(RUBS), 0.5, start={"z": 0.0, "speed": 1.0}, step=0.005)
    assert run.status.completed and run["x"][-1] == pytest.approx(1.0 / (2 * 0.5 * G), rel=1e-12)
    assert run.events[-1].time == pytest.approx(1.0 / (0.5 * G), rel=1e-12)
    assert run.audit()["beyond_friction"] < 1e-12


def test_a_disc_that_slides_and_spins_on_its_side_stops_both_at_once() -> None:
    """Farkas et al. 2003: v/(omega R) = 0.653 in the end, however it began."""
    start = {"z": 0.0, "speed": 1.0, "yaw_rate": 30.0}
    stop = lm.simulate(coin(RUBS), 1.5, start=start, step=0.005).events[-1]
    assert stop.kind == "sticks"
    run = lm.simulate(coin(RUBS), stop.time - 1e-7, start=start, step=0.005)
    assert run.audit()["against_slip"] == 0.0  # what lies rubs with all of its side, which is another law
    assert np.hypot(run["speed"], run["sway_speed"])[-1] / (R * run["yaw_rate"][-1]) == pytest.approx(0.653, abs=1e-3)


def test_a_tyre_on_its_side_spins_down_as_a_ring() -> None:
    """The torque of a ring is mu m g r, its height that of its tube."""
    rim = lm.RollingTorus("rim", "body", (0, 0, 0), (0, 0, 1), R, 0.02, law=RUBS)
    run = lm.simulate(coin(RUBS).replace(contacts=(rim,)), 0.3, start={"z": 0.02, "yaw_rate": 20.0}, step=0.002)
    assert run.events[-1].time == pytest.approx(20.0 * 2 * MOMENT / (0.5 * M * G * R), rel=1e-9)
    assert run["z"][-1] == pytest.approx(0.02, rel=1e-12)


@pytest.mark.parametrize(("height", "law"), [(0.19, RUBS), (0.21, RUBS), (0.19, ROLLS)])
def test_a_disc_that_is_pushed_slides_or_tips(height: float, law: lm.Unilateral) -> None:
    """A force F at a height h slides it at F = mu m g and tips it at F h = m g R: h = R/mu = 0.2 m parts them.

    Without a coefficient it tips, however low that is.
    """
    push = lm.BodyForce("push", "body", (0, 0, height), ("20*t", 0, 0))
    pushed = coin(law).replace(forces=(lm.Gravity((0, 0, -G)), push))
    run = lm.simulate(pushed, 0.35, start={"z": 0.0}, step=0.005)
    assert (run.events[0].kind, run.events[0].time) == ("lies", 0.0)
    slides, tips = 0.5 * M * G / 20, M * G * R / height / 20
    assert run.status.completed
    if law is ROLLS:
        assert run.events[1].kind == "tips"
    elif slides < tips:
        assert [event.kind for event in run.events[1:3]] == ["slips", "tips"]  # the push goes on growing
        assert run.events[1].time == pytest.approx(slides, rel=1e-9)
    assert run.events.of("rim", "tips")[0].time == pytest.approx(tips, rel=1e-9)
    # It turns about the point of its rim that is in front, which stays on the ground.
    assert run["pitch"][-1] > (0.03 if law is RUBS else 0.02) and np.nanmin(run["rim_gap"]) > -1e-9
    assert run["z"][-1] == pytest.approx(R * np.sin(run["pitch"][-1]), abs=1e-8)


def test_a_disc_that_has_risen_stands_on_its_lowest_point() -> None:
    """Pushed over its rim and aside it rolls around the rim: the height of its centre is R times the sine of its angle.

    Held over the point that it tipped over first it went into the ground, by a third of its radius, without a word.
    """
    push = lm.BodyForce("push", "body", (0, 0, 0.21), ("20*t", "8*max(t - 0.23, 0)", 0))
    run = lm.simulate(coin(ROLLS).replace(forces=(lm.Gravity((0, 0, -G)), push)), 0.4, start={"z": 0.0}, step=0.002)
    assert run.status.completed and run.events.of("rim", "tips")
    upright = np.cos(run["roll"]) * np.cos(run["pitch"])
    assert upright[-1] < np.cos(0.2)
    np.testing.assert_allclose(run["z"], R * np.sqrt(1.0 - upright**2), atol=5e-7)
    assert sum(event.energy_lost for event in run.events) < 1e-8


def test_a_disc_that_tips_and_falls_back_lies_again() -> None:
    """A push F at a height h tips it where F h = m g R, and turns it about its rim: (I + m R²) a'' = h (c s - b s²), s since.

    It is back at s = 2 c/b, before it has risen by a millionth of a radian.
    """
    h, begin, c, b = 0.21, 0.1, 0.02, 0.8
    push = lm.BodyForce("push", "body", (0, 0, h), (f"{M * G * R / h!r} + {c}*(t - {begin}) - {b}*(t - {begin})**2", 0, 0))
    run = lm.simulate(coin(ROLLS).replace(forces=(lm.Gravity((0, 0, -G)), push)), 0.2, start={"z": 0.0}, step=0.002)
    told = [event for event in run.events if event.kind in ("lies", "tips")]
    assert [event.kind for event in told] == ["lies", "tips", "lies"]
    # The push rises with the disc, which adds F R a: some thousandths.
    assert [event.time for event in told[:2]] == pytest.approx([0.0, begin], abs=1e-9)
    assert told[2].time - begin == pytest.approx(2 * c / b, rel=2e-3)
    highest = h / (MOMENT + M * R * R) * c * (1.5 * c / b) ** 3 / 24
    assert run["pitch"].max() == pytest.approx(highest, rel=6e-3)
    assert run.status.completed and abs(run["pitch"][-1]) < 1e-9 and run["pitch_rate"][-1] == pytest.approx(0.0, abs=1e-12)


def test_a_wide_body_on_a_small_disc_rocks_over_to_the_other_side() -> None:
    """With I > m r^2 the impulse that would stop it acts beyond the rim: it goes on over the other side, as a rocking block.

    About the point struck angular momentum is kept: (I + m r^2) w+ = (I - m r^2) w.
    """
    wide, angle = 0.02, 0.3
    system = coin(lm.Unilateral(friction=5.0)).replace(bodies=(lm.Body("body", M, inertia=(wide, wide, wide)),))
    run = lm.simulate(system, 0.7, start={"z": R * np.sin(angle), "roll": angle}, step=0.002)
    slap = run.events.of("rim", "impact")[0]
    share = (wide - M * R * R) / (wide + M * R * R)
    assert slap.energy_after == pytest.approx(share**2 * M * G * R * np.sin(angle), rel=1e-5)
    after = run.time > slap.time
    # It rises as far as that energy takes it.
    assert np.sin(run["roll"][after].min()) == pytest.approx(-(share**2) * np.sin(angle), rel=1e-3)
    assert run.status.completed and np.nanmin(run["rim_gap"]) > -1e-8 and np.diff(run.energy).max() < 1e-9


@pytest.mark.parametrize("rate", [1.0, 0.03, 0.001])
def test_a_disc_that_rolls_past_lying_flat_keeps_its_energy(rate: float) -> None:
    """With all but no spin it comes down to an angle in proportion to that, and its contact point runs around to the other side
    (Srinivasan and Ruina 2008, doi:10.1103/PhysRevE.78.066609, of a can that all but falls flat).
    """
    start = {"z": 0.1 * np.sin(0.5), "roll": 0.5, "yaw_rate": rate}
    run = lm.simulate(coin(ROLLS), 0.5, start=start, step=0.002)
    assert run.status.completed and len(run.events) == 0
    # Steps turn the radius by 0.05 rad at most (0.04 where their length is chosen), whatever the rate: the error of their
    # order is the same for all.
    assert np.ptp(run.energy) < 3e-6 * run.energy[0]
    assert abs(run["roll"][-1]) + abs(run["pitch"][-1]) > 0.1 and run["z"].min() < 1e-2


@pytest.mark.slow
def test_eulers_disc_with_rolling_resistance_comes_to_lie_flat() -> None:
    """It loses its energy in finite time, ever faster (Moffatt 2000, doi:10.1038/35009017), and lies."""
    disc = lm.catalogue.euler_disc(friction=0.5)
    (rim,) = disc.contacts
    resisting = dataclasses.replace(rim, law=lm.Unilateral(friction=0.5, rolling=2e-3))
    run = lm.simulate(disc.replace(contacts=(resisting,)), 2.0, start={"roll": 0.3, "pitch_rate": 10.0}, step=1e-3)
    lying = run.events.of(rim.name, "lies")
    assert run.status.completed and len(lying) == 1 and 0.5 < lying[0].time < 1.5
    # Of a step the error is 1e-9 of the energy; the whole of it goes in less than two thousand.
    assert np.diff(run.energy).max() < 1e-8 * run.energy[0] and run.energy[-1] < 1e-6 * run.energy[0]
    assert run["rim_gap"].min() > -1e-9
