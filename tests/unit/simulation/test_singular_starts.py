"""Runs that begin where a loop is singular: what is told names that, and no imposed motion where there is none."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import InconsistentStartError

Y = (0.0, 1.0, 0.0)


def arm(reach: float, **more) -> lm.System:  # type: ignore[no-untyped-def]
    """Two links, and a rod of 1 m from their end to a point that far away; at 2 m it is closed with all in line alone."""
    bodies = [lm.Body(name, 1.0, com=(0.1, 0, 0), inertia=(0.1, 0.2, 0.25)) for name in ("upper", "lower")]
    joints = [
        lm.Revolute(Y, name="shoulder", parent="world", child="upper"),
        lm.Revolute(Y, name="elbow", parent="upper", child="lower", at=(0.5, 0, 0)),
    ]
    rod = lm.RodClosure("rod", "lower", "world", at_a=(0.5, 0, 0), at_b=(reach, 0, 0), length=1.0)
    return lm.System("arm", bodies, joints, loops=[rod], forces=[lm.Gravity()], **more)


def test_a_mechanism_that_is_closed_in_one_position_alone() -> None:
    """Its rod says nothing there of velocities. The run was told to impose fewer motions, of which it has none."""
    with pytest.warns(lm.RunWarning, match="rod moves at up to .* began at a singular position") as told:
        run = lm.simulate(arm(2.0), 0.1)
    assert not run.status.ok and "imposed" not in str(told[0].message)


def test_the_same_that_can_move_does() -> None:
    run = lm.simulate(arm(1.9, nominal={"shoulder": 0.3, "elbow": -0.6}), 0.1)
    assert run.status.ok and np.abs(run["rod_gap"]).max() < 1e-12


def test_couplings_that_contradict_each_other() -> None:
    """What was said of them was that contacts may roll on another plane."""
    couplings = [lm.Coupling("one", "shoulder + elbow - 0.1"), lm.Coupling("two", "shoulder + elbow - 0.2")]
    with pytest.raises(InconsistentStartError, match=r"one_gap is 0\.05 .*or couplings that agree$"):
        lm.simulate(arm(2.0).replace(loops=[], constraints=couplings), 0.1)
