"""Instants of events to round-off, where nothing but the location of the root limits them."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.simulation.roots import decreasing_root

MASS, G = 0.5, 9.81


@pytest.mark.parametrize("step", [0.05, 0.08])
def test_the_instant_at_which_a_force_vanishes(step: float) -> None:
    """A pull of k t⁶ against the weight: the ball leaves at (m g/k)^(1/6), wherever that lies in a step."""
    ball = lm.catalogue.bouncing_ball(restitution=0.0)
    pull = lm.BodyForce("pull", body="ball", at=(0, 0, 0), components=(0, 0, "40*t**6"))
    run = lm.simulate(ball.replace(forces=(*ball.forces, pull)), 1.0, closed=("floor",), step=step)
    (leaves,) = run.events.of(kind="lift-off")
    # Round-off of a number below one; a location to 1e-8 s would show.
    assert leaves.time == pytest.approx((MASS * G / 40.0) ** (1.0 / 6.0), abs=1e-14)


@pytest.mark.parametrize("power", [1, 3, 9])
def test_roots_are_found_to_round_off(power: int) -> None:
    """Of a function as curved as gaps can be, with its slope and without one: the search must not stop early."""
    root = 0.7e-3
    curved = decreasing_root(lambda s: (root**power - s**power, -power * s ** (power - 1)), 1e-3)
    assert curved == pytest.approx(root, rel=0.0, abs=2e-15)
    halved = decreasing_root(lambda s: (np.sign(root - s) * abs(root - s) ** (1 / power), 0.0), 1e-3)
    assert halved == pytest.approx(root, rel=0.0, abs=2e-15)
