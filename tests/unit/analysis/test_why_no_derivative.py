"""A return map that leads nowhere, or has no derivative, says why: which constraint, and when."""

import math
import re
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.analysis import poincare_map

STEP = 0.01
START = {"x": 0.6, "y": 0.8, "x_rate": 0.8}
"""On the unit circle, at one radian a second towards (1, 0), where the bead moves along y alone."""


def bead(**how: Any) -> lm.System:
    """A mass on two sliders, held on a ring."""
    joints = (
        lm.Prismatic(name="x", parent="world", child="cart", axis=(1, 0, 0)),
        lm.Prismatic(name="y", parent="cart", child="bead", axis=(0, 1, 0)),
    )
    bodies = (lm.Frame("cart"), lm.Body("bead", 1.0, inertia=(0.1, 0.1, 0.1)))
    return lm.System("bead", bodies, joints, nominal={"x": 0.6, "y": 0.8}, **how)


def returned(system: lm.System, period: float, *, tangent: bool = True, y: float | None = None) -> Any:
    here = poincare_map(system, START, period=period, step=STEP, target="interpreter")
    u = here.unknowns_of(here.reference[None], here.parameters[None])
    if y is not None:
        u[:, here.names.index("y")] = y
    return here(u, tangent=tangent)


RING = (lm.VelocityConstraint("ring", {"x_rate": "x", "y_rate": "y"}),)


@pytest.mark.parametrize("tangent", [True, False])
def test_a_pivot_that_vanishes_on_the_way_is_named(tangent: bool) -> None:
    """The velocity x_rate says nothing of y_rate once the bead is at (1, 0), after asin(0.8) seconds: in the next step."""
    system = bead(constraints=RING)
    there = returned(system, 0.9, tangent=tangent)
    assert there.good.all() and not there.trouble
    lost = returned(system, 1.2, tangent=tangent)
    last = math.floor(math.asin(0.8) / STEP) * STEP
    assert not lost.good.any()
    assert lost.trouble == f"the constraints became singular at t = {last:.6g} s: ring (which determines y_rate)"


def test_a_search_says_so_too() -> None:
    with pytest.raises(lm.errors.CycleNotFoundError, match=r"singular at t = 0\.92 s: ring \(which determines y_rate\)"):
        lm.find_cycle(bead(constraints=RING), START, period=1.2, step=STEP, target="interpreter")


def test_a_motion_that_becomes_infinite_says_when() -> None:
    """x'' = 1e6 x^3 from (0.6, 0.8): it takes int_0.6^inf dx / sqrt(0.64 + 0.5e6 (x^4 - 0.6^4)) < 4 ms to run to infinity."""
    push = lm.JointForce("push", "x", "1e6*x**3")
    lost = returned(bead(forces=(push,)), 0.5)
    assert not lost.good.any() and "the state or its derivative became infinite at t = 0" in lost.trouble


def test_a_point_that_no_state_of_the_section_has() -> None:
    coupled = bead(constraints=(lm.Coupling("ring", "x**2 + y**2 - 1"),))
    lost = returned(coupled, 0.3, y=2.0)
    assert not lost.good.any() and np.isnan(lost.values).all()
    assert "no state on the section has these values of y" in lost.trouble


def test_what_one_instance_lacks_is_told_though_the_others_go_on() -> None:
    here = poincare_map(bead(constraints=RING), START, period=0.5, step=STEP, target="interpreter")
    u = np.repeat(here.unknowns_of(here.reference[None], here.parameters[None]), 3, axis=0)
    u[1, here.names.index("x_rate")] *= 2.0  # at (1, 0) after half the time
    found = here(u)
    assert found.good.tolist() == [True, False, True] and np.isfinite(found.jacobian[0]).all()
    told = re.match(r"the constraints became singular at t = (\S+) s: ring", found.trouble)
    assert told and 0.0 < 0.5 * math.asin(0.8) - float(told[1]) < 2.0 * STEP  # a stage of the step before may end it
