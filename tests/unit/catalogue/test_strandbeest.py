"""Strandbeest that walks: legs closed by circles, both sides, and a level hull that its feet carry forward."""

import math

import pytest

import locomotor as lm
from locomotor.catalogue.strandbeest_walker import closed_leg
from locomotor.errors import ArgumentError


@pytest.mark.parametrize("mirrored", [False, True])
def test_legs_are_closed_in_the_nominal_pose(mirrored: bool) -> None:
    """By the circles of its bars, whose ends the equations join: nothing is left for the assembly to do."""
    system = lm.catalogue.strandbeest(mirrored=mirrored)
    assert len(system.contacts) == (6 if mirrored else 3) and len(system.loops) == 3 * len(system.contacts)
    run = lm.simulate(system.replace(contacts=()), 1e-3, step=1e-3, target="interpreter")
    pose = dict(zip((symbol.name for symbol in system.layout.coordinates), system.nominal_pose(), strict=True))
    for name, value in pose.items():
        assert run[name][0] == pytest.approx(value, abs=1e-9), name


def test_the_foot_of_a_leg_is_that_of_the_leg_alone() -> None:
    """The same bars on a crank of their own, closed by the equations of the library."""
    leg = lm.catalogue.strandbeest_leg().with_motions({"crank": "2*pi*t"})
    run = lm.simulate(leg, 1.0, step=0.01, sample=0.1, target="interpreter")
    for k, angle in enumerate(run["crank"]):
        wanted, _ = closed_leg((0.15 * math.cos(angle), -0.15 * math.sin(angle)))
        for name, ours in (("thigh", "thigh"), ("c_angle", "c"), ("f_angle", "f"), ("knee", "shank")):
            assert math.remainder(run[name][k] - wanted[ours], 2.0 * math.pi) == pytest.approx(0.0, abs=1e-9)


def test_one_leg_cannot_walk() -> None:
    with pytest.raises(ArgumentError, match="legs is 1; give two or more"):
        lm.catalogue.strandbeest(1)
