"""Instants of events to round-off, where nothing but the location of the root limits them."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.simulation.events.contact_events import touching_length
from locomotor.simulation.events.friction import _stopping_too
from locomotor.simulation.events.noted import length_to_rest
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


@pytest.mark.parametrize("depth", [1e-16, 5.7e-11, 1e-6])
@pytest.mark.parametrize("slope", [0.03, 1.0])
def test_a_jump_is_found_on_its_far_side(depth: float, slope: float) -> None:
    """Ground that comes into sight at the border of a face, touched already: a step that is too short does not see it."""
    for jump in np.geomspace(1e-9, 1e-3, 100).tolist():

        def gap(s: float, jump: float = jump) -> tuple[float, float]:
            s -= jump
            return (1.0, 0.0) if s < 0.0 else (-depth - slope * s + 0.15 * s * s, 0.3 * s - slope)

        found = decreasing_root(gap, 2e-3)
        assert gap(found)[0] < 0.0
        assert found - jump <= 4e-15


def test_what_rises_beside_what_comes_down_is_not_touched_again() -> None:
    """The least gap to a terrain begins at what has just been left, with the speed of round-off, and ends at its neighbour.

    That neighbour alone is touched, after 1e-9 m at 0.1 m/s: the other was, without end.
    """

    def left(s: float) -> float:
        return 5.0 * s * s

    def least(s: float) -> tuple[float, float]:
        return min((left(s), 10.0 * s), (1e-9 - 0.1 * s, -0.1))

    assert touching_length(least, 0.0, -1e-17, 0.0, 2e-3, left) == pytest.approx(1e-8, rel=1e-6)
    assert touching_length(least, 0.0, -1e-17, 0.0, 2e-3, lambda s: -5.0 * s * s) == 0.0


def test_who_has_come_to_rest_where_another_does() -> None:
    """All that are braked, and slow; where the speed is round-off nobody knows whether it is braked: they are at rest too."""
    slips = np.array(
        [[0.0, 0.0, 0.0], [3e-17, 0.0, 0.0], [-5e-12, 0.0, 0.0], [4e-8, 0.0, 0.0], [4e-8, 0.0, 0.0], [0.1, 0.0, 0.0]]
    )
    rates = np.array([[5.0, 0.0, 0.0], [5.0, 0.0, 0.0], [-7.0, 0.0, 0.0], [-5.0, 0.0, 0.0], [5.0, 0.0, 0.0], [-5.0, 0.0, 0.0]])
    now: Any = SimpleNamespace(mode=SimpleNamespace(slipping=np.arange(6)))
    assert _stopping_too(now, SimpleNamespace(slip=slips, slip_rate=rates)) == {0, 1, 2, 3}  # type: ignore[arg-type]


@pytest.mark.parametrize("end", [1e-3, 1e-4, 3e-9])
def test_a_slip_that_begins_and_ends_within_a_step_is_found(end: float) -> None:
    """It is zero at the start and beyond zero at the end, s (end - s): the rest between them is the event, not the start."""
    search: Any = SimpleNamespace(at=lambda t, x, s: s * (end - s), probe=SimpleNamespace(look=lambda t, x: 0.0))
    assert length_to_rest(search, 0.0, np.zeros(1), 2e-3, lambda seen: seen) == pytest.approx(end, rel=1e-6)
    back: Any = SimpleNamespace(at=lambda t, x, s: -s, probe=SimpleNamespace(look=lambda t, x: 0.0))
    assert length_to_rest(back, 0.0, np.zeros(1), 2e-3, lambda seen: seen) == 0.0  # it never was: it goes the other way at once
