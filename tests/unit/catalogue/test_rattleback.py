"""A body that rolls on an ellipsoid: a sphere where its axes are equal; a second derivation; a stone that turns back."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue.rattleback import SPUN


def stone(contact: lm.RollingEllipsoid | lm.RollingSphere) -> lm.System:
    return lm.System(
        "stone",
        bodies=(lm.Body("stone", 2.0, com=(0.01, -0.02, 0.03), inertia=((0.02, 0.001, 0), (0.001, 0.03, 0), (0, 0, 0.025))),),
        joints=(lm.Free(name="base", parent="world", child="stone"),),
        contacts=(contact,),
        forces=(lm.Gravity((0, 0, -9.81)),),
        nominal={"z": 0.1},
    )


@pytest.mark.slow
def test_an_ellipsoid_with_equal_axes_is_a_sphere() -> None:
    centre, start = (
        (0.02, 0.01, -0.03),
        {"roll": 0.3, "pitch": -0.4, "yaw": 0.7, "roll_rate": 1.0, "pitch_rate": -2.0, "yaw_rate": 3.0},
    )
    kinds = (lm.RollingEllipsoid("belly", "stone", centre, (0.1, 0.1, 0.1)), lm.RollingSphere("belly", "stone", centre, 0.1))
    runs = [lm.simulate(stone(kind), 0.3, start=start, step=0.005) for kind in kinds]
    for name in ("x", "y", "z", "roll_rate", "yaw_rate", "belly_force_x", "belly_force_z", "belly_point_y"):
        assert runs[0][name] == pytest.approx(runs[1][name], abs=1e-9)


def test_a_second_derivation_agrees() -> None:
    rolls = lm.RollingEllipsoid("belly", "stone", (0.02, 0.01, -0.03), (0.1, 0.07, 0.04))
    assert lm.certify(stone(rolls), states=20).residual < 1e-10


@pytest.mark.slow
def test_a_rattleback_turns_back_one_way_only() -> None:
    stone = lm.catalogue.rattleback(friction=5.0)
    for spin in (-5.0, 5.0):
        run = lm.simulate(stone, 5.0, start={**SPUN, "yaw_rate": spin}, step=5e-4)
        turned = run["yaw_rate"][-1]
        assert (turned > 0.5) if spin < 0.0 else (turned > 4.0)
        assert run["belly_gap"].min() > -1e-7
        energy = run["kinetic_energy"] + run["potential_energy"]
        assert np.diff(energy).max() < 1e-4 * energy[0]


def test_semi_axes_are_positive() -> None:
    with pytest.raises(lm.errors.LocomotorError, match="all must be positive"):
        lm.RollingEllipsoid("belly", "stone", (0, 0, 0), (0.1, 0.0, 0.1))
