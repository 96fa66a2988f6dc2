"""Discs that come to lie flat, or all but: the contact point runs around the rim, and where it lies there is none."""

import dataclasses
import functools

import numpy as np
import pytest

import locomotor as lm
from locomotor.model import System
from locomotor.simulation.status import Outcome


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


@pytest.mark.parametrize("law", [ROLLS, RUBS])
@pytest.mark.parametrize("restitution", [0.0, 0.3])
def test_a_disc_dropped_flat_does_not_fall_through_its_ground(law: lm.Unilateral, restitution: float) -> None:
    """Its gap was no number, so that no event was seen, and the run went on below the ground."""
    law = lm.Unilateral(friction=law.friction, restitution=restitution)
    with pytest.warns(lm.RunWarning, match="lie flat"):
        run = lm.simulate(coin(law), 0.6, start={"z": 0.3}, step=0.002)
    assert run.status.outcome is Outcome.SINGULAR and "come to lie flat" in str(run.status)
    first = next(event for event in run.events if event.kind == "impact")
    assert first.time == pytest.approx(np.sqrt(2 * 0.3 / 9.81), rel=1e-9)
    assert run["z"].min() > -1e-9


def test_a_coin_that_topples_straight_stops_where_it_lies() -> None:
    """On a frictionless ground its centre falls straight: (I + m (r cos a)^2) a'^2/2 = m g r (sin a0 - sin a)."""
    a0, m, g, r, moment = 1.2, 1.0, 9.81, 0.1, 0.0025
    smooth = lm.Unilateral(friction=0.0)
    with pytest.warns(lm.RunWarning, match="lie flat"):
        run = lm.simulate(coin(smooth), 1.0, start={"z": r * np.sin(a0), "roll": a0}, step=0.002)
    from scipy.integrate import quad

    # With sin a = sin a0 - s^2 the integrand is finite at the start.
    def slowness(s: float) -> float:
        sine = np.sin(a0) - s * s
        cosine2 = 1.0 - sine * sine
        return 2.0 * np.sqrt((moment + m * r * r * cosine2) / (2.0 * m * g * r)) / np.sqrt(cosine2)

    fall = quad(slowness, 0.0, np.sqrt(np.sin(a0)), epsabs=1e-12)[0]
    assert run.status.time == pytest.approx(fall, abs=2e-6)
    assert abs(run["roll"][-1]) < 0.05


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
    """It loses its energy in finite time, ever faster (Moffatt 2000, doi:10.1038/35009017): the run says that it lies."""
    disc = lm.catalogue.euler_disc(friction=0.5)
    (rim,) = disc.contacts
    resisting = dataclasses.replace(rim, law=lm.Unilateral(friction=0.5, rolling=2e-3))
    with pytest.warns(lm.RunWarning, match="come to lie flat"):
        run = lm.simulate(disc.replace(contacts=(resisting,)), 2.0, start={"roll": 0.3, "pitch_rate": 10.0}, step=1e-3)
    assert run.status.outcome is Outcome.SINGULAR and 0.5 < run.status.time < 1.5
    # Of a step the error is 1e-9 of the energy; the whole of it goes in less than two thousand.
    assert np.diff(run.energy).max() < 1e-8 * run.energy[0] and run.energy[-1] < 1e-3 * run.energy[0]
