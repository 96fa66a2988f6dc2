"""Stability over points: against one linearisation at a time, and against the published speeds of the bicycle."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import SweepError, UnknownNameError
from locomotor.sweeps import PointStatus, Random, stability


@pytest.fixture(scope="module")
def bike() -> lm.System:
    return lm.catalogue.bicycle("meijaard2007")


@pytest.mark.slow
def test_growth_is_that_of_a_linearisation(bike: lm.System) -> None:
    over = {"speed": (2.0, 9.0), "c": (0.05, 0.1)}
    found = lm.sweep(bike, over, stability(), samples=Random(6), seed=1, executor="threads", workers=1)
    assert (found["status"] == PointStatus.OK).all()
    for i in range(0, 6, 3):
        point = {name: float(found[name][i]) for name in over}
        system = bike.with_parameters(c=point["c"])
        expected = lm.linearise(system, about={"speed": point["speed"]}).eigenvalues[0]
        # Two ways to the same matrix, of norm about 100: 1e-10 is a thousand times round-off.
        assert float(found["growth"][i]) == pytest.approx(expected.real, abs=1e-10)
        assert float(found["frequency"][i]) == pytest.approx(abs(expected.imag), abs=1e-10)


def test_the_bicycle_is_stable_between_its_published_speeds(bike: lm.System) -> None:
    found = lm.sweep(bike, {"speed": [4.2, 4.3, 6.0, 6.1]}, stability(), executor="threads", workers=1)
    # Meijaard et al. (2007): weave speed 4.292, capsize speed 6.024 m/s.
    assert found["stable"].values.tolist() == [0.0, 1.0, 1.0, 0.0]
    assert found["speed"].attrs["units"] == "m/s" and found["growth"].attrs["units"] == "1/s"


def test_values_of_the_motion_may_be_held(bike: lm.System) -> None:
    found = lm.sweep(bike, {"c": [0.06, 0.08]}, stability({"speed": 5.0}), executor="threads", workers=1)
    both = lm.sweep(bike, {"speed": [5.0], "c": [0.06, 0.08]}, stability(), executor="threads", workers=1)
    assert np.allclose(found["growth"], both["growth"][0], rtol=0.0, atol=1e-10)


def test_points_without_a_steady_motion_are_told(bike: lm.System) -> None:
    # Leaning at rest is steady nowhere without something that holds it.
    found = lm.sweep(bike, {"roll": [0.3, 0.4]}, stability({"steer": 0.0, "speed": 0.0}), executor="threads", workers=1)
    assert (found["status"] == PointStatus.NO_START).all() and "no steady motion" in found.attrs["reasons"]


def test_names_are_checked_before_anything_runs(bike: lm.System) -> None:
    with pytest.raises(UnknownNameError, match=r"about: .*did you mean 'speed'"):
        lm.sweep(bike, {"c": [0.1]}, stability({"speeed": 5.0}))
    with pytest.raises(SweepError, match="needs a system"):
        lm.sweep(None, {"c": [0.1]}, stability())
