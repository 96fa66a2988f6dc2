"""Cycles of what rolls against a resistance, and rests at times: beside blocks with dry friction, which move the same.

A ball of mass m and radius R that does not slip moves as a block of mass 7/5 m, its resistance r as the dry friction r m g/R.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest

import locomotor as lm

G, MASS, RADIUS, RESISTANCE, RIDER = 9.81, 1.0, 0.1, 0.01, 0.3
DRY = RESISTANCE * (MASS + RIDER) * G / RADIUS
"""Force (N) of the resistance along the ground; the rider rests on the ball."""
SPRING = "F*cos(w*t) - k*x - c*x_rate"
HANG = lm.JointForce("hang", "swing", "-6*swing - 0.2*swing_rate")


def prismatic(name: str, parent: str, child: str, axis: tuple[int, int, int]) -> lm.Prismatic:
    return lm.Prismatic(name=name, parent=parent, child=child, axis=axis)


def driven(name: str, bodies: list[Any], joints: list[Any], contacts: list[Any]) -> lm.System:
    """A mass between spring and damper that a force drives along x, with a rider on a spring of its own that remembers."""
    return lm.System(
        name,
        bodies=[lm.Frame("slider"), lm.Frame("high"), lm.Body("rider", RIDER, inertia=(1, 1, 1)), *bodies],
        joints=[
            prismatic("x", "world", "slider", (1, 0, 0)),
            prismatic("z", "slider", "high", (0, 0, 1)),
            prismatic("swing", "high", "rider", (1, 0, 0)),
            *joints,
        ],
        contacts=contacts,
        forces=[lm.Gravity((0, 0, "-g")), lm.JointForce("drive", "x", SPRING), HANG],
        parameters={"g": G, "F": 4.0, "w": 2.0, "k": 12.0, "c": 0.05},
    )


@cache
def ball() -> lm.System:
    law = lm.Unilateral(friction=2.0, rolling=RESISTANCE)
    body = lm.Body("ball", MASS, inertia=np.full(3, 0.4 * MASS * RADIUS**2))
    turn = lm.Revolute(name="turn", parent="high", child="ball", axis=(0, 1, 0))
    foot = lm.RollingSphere("foot", "ball", (0, 0, 0), RADIUS, law=law)
    return driven("ball", [body], [turn], [foot])


@cache
def block() -> lm.System:
    """With the same normal force: its further mass is borne beside the ground."""
    law = lm.Unilateral(friction=DRY / ((MASS + RIDER) * G))
    foot = lm.StickingPoint("foot", "high", (0, 0, 0), law=law)
    return driven("block", [], [], [foot]).replace(
        bodies=[
            lm.Body("slider", 0.4 * MASS, inertia=(1, 1, 1)),
            lm.Body("high", MASS, inertia=(1, 1, 1)),
            lm.Body("rider", RIDER, inertia=(1, 1, 1)),
        ]
    )


@pytest.mark.slow
def test_a_ball_that_rests_and_rolls_has_the_cycle_of_a_block_that_sticks_and_slips() -> None:
    found = lm.find_cycle(ball().with_parameters(F=1.5), {"z": RADIUS}, step=0.01, settle=20)
    wanted = lm.find_cycle(block().with_parameters(F=1.5), {"z": 0.0}, step=0.01, settle=20)
    kinds = {event.split()[-1] for event in found.events}
    assert "starts" in kinds and "stops" in kinds and "slips" in {event.split()[-1] for event in wanted.events}
    for name in ("x", "swing", "swing_rate"):
        assert found.start[name] == pytest.approx(wanted.start[name], abs=1e-8), name
    ours, theirs = (sorted(np.abs(cycle.multipliers))[::-1] for cycle in (found, wanted))
    assert ours[0] > 0.05 and ours[:2] == pytest.approx(theirs[:2], abs=1e-7)
    assert found.check(1e-6) < 1e-6  # beside differences of the map


def test_a_ball_driven_to_and_fro_has_multipliers_that_agree_with_differences() -> None:
    """Without a rest on the way: its rolling only turns back."""
    cycle = lm.find_cycle(ball().with_parameters(F=12.0), {"z": RADIUS}, step=0.02, settle=10)
    assert cycle.check(1e-6) < 1e-6 and np.abs(cycle.multipliers).max() > 0.05
