"""A thin disc that slips over an edge: its rim against a ridge, in directions in which it is pinned without friction's end."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import locomotor as lm

G, R = 9.81, 0.5
ROOF = lm.Terrain.from_profile([(-1, -4), (0, 0), (1, -4)])
"""A ridge along y through the origin, so steep that the rim touches nothing else."""


def disc(mu: float, axis: tuple[float, float, float] = (0, 1, 0)) -> lm.System:
    """A disc that does not turn: its centre moves as a point does."""
    return lm.System(
        "disc",
        bodies=(lm.Body("disc", 2.0, inertia=(0.1, 0.2, 0.1)),),
        joints=(lm.Translation(name="base", parent="world", child="disc"),),
        contacts=(lm.RollingDisc("rim", "disc", (0, 0, 0), axis, R, law=lm.Unilateral(friction=mu)),),
        forces=(lm.Gravity((0, 0, -G)),),
        grounds=(ROOF,),
        nominal={"z": 0.6},
    )


def squared_speed(mu: float, first: float, angle: float) -> float:
    """Of a point that slides over a dome of radius R with friction: dw/dt = 2 R g (sin t - mu cos t) + 2 mu w is linear."""
    a = -2.0 * R * G * (1.0 - 2.0 * mu * mu) / (1.0 + 4.0 * mu * mu)
    b = 2.0 * mu * (a - R * G)
    return (first - a) * math.exp(2.0 * mu * angle) + a * math.cos(angle) + b * math.sin(angle)


@pytest.mark.slow
def test_a_rim_slides_over_a_ridge_as_a_point_over_a_dome() -> None:
    """The point of contact wanders along the rim by the angle; it lifts off where w = g R cos."""
    mu, speed = 0.2, 1.2
    run = lm.simulate(disc(mu), 0.8, start={"z": R, "x_rate": speed}, step=0.001)
    assert [event.kind for event in run.events][:1] == ["lift-off"], run.events
    lifts = run.events[0].time
    angle = brentq(lambda t: squared_speed(mu, speed**2, t) - G * R * math.cos(t), 0.2, 1.4)
    at = int(run.time.searchsorted(lifts))
    assert math.atan2(run["x"][at], run["z"][at]) == pytest.approx(angle, abs=1e-8)
    k = at // 2
    there = math.atan2(run["x"][k], run["z"][k])
    assert np.hypot(run["x"][:at], run["z"][:at]) == pytest.approx(R, abs=1e-12)
    w = run["x_rate"][k] ** 2 + run["z_rate"][k] ** 2
    assert w == pytest.approx(squared_speed(mu, speed**2, there), rel=1e-9)


def test_a_tilted_rim_slides_along_a_ridge_and_stops() -> None:
    """Along the edge nothing rises or falls: braked by mu g, whatever the tilt, it stops after v/(mu g) and stays.

    It is let down on the ridge while it moves: such a start was refused, as if contacts on terrain never slipped.
    """
    mu, speed = 0.4, 0.6
    tilted = disc(mu, axis=(0, math.cos(0.4), math.sin(0.4)))
    run = lm.simulate(tilted, 0.5, start={"x": 0.0, "y_rate": speed}, closed=("rim",), step=0.005)
    assert run["z"][0] == pytest.approx(R * math.cos(0.4), abs=1e-12)
    assert [event.kind for event in run.events] in (["sticks"], ["rolls"]), run.events
    assert run.events[0].time == pytest.approx(speed / (mu * G), abs=1e-9)
    assert run["y"][-1] == pytest.approx(speed**2 / (2 * mu * G), abs=1e-9)
    assert run["y_rate"][-1] == 0.0
