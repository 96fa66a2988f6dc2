"""Reductions over simulations: against single runs, over parameters, starting values and inputs."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue.compass_walker import GARCIA_CYCLE
from locomotor.errors import LocomotorError, SweepError
from locomotor.sweeps import PointStatus

MEASURES = {"lean": lm.Maximum("abs(roll)"), "way": lm.Final("x"), "fall": lm.FirstTime("abs(roll) - 0.5")}
ROLL: dict[str, Any] = dict(duration=1.0, dt=0.01, start={"roll_rate": 0.3})


@pytest.fixture(scope="module")
def bike() -> lm.System:
    return lm.catalogue.bicycle("meijaard2007")


def test_measures_are_those_of_a_run(bike: lm.System) -> None:
    over = {"speed": [3.0, 5.0], "c": [0.08, 0.1], "steer_torque": [0.0, 0.5]}
    found = lm.sweep(bike, over, MEASURES, workers=1, **ROLL)
    assert found["lean"].dims == ("speed", "c", "steer_torque") and (found["status"] == PointStatus.OK).all()
    point = dict(speed=5.0, c=0.1, steer_torque=0.5)
    run = lm.simulate(
        bike.with_parameters(c=0.1),
        duration=1.0,
        step=0.01,
        start={"speed": 5.0, "roll_rate": 0.3},
        inputs={"steer_torque": 0.5},
    )
    # The same steps of the same equations, parameters as constants there and as arguments here.
    assert float(found["lean"].sel(point)) == pytest.approx(np.abs(run["roll"]).max(), rel=1e-12)
    assert float(found["way"].sel(point)) == pytest.approx(run["x"][-1], rel=1e-12)


def test_points_that_cannot_start_or_stop_early_are_told_apart(bike: lm.System, tmp_path: Path) -> None:
    settings = {**ROLL, "duration": 4.0}
    over = {"roll": [0.1, np.nan, 1.6], "speed": [1.0]}
    found = lm.sweep(bike, over, MEASURES, ends={"fallen": "0.55 - abs(roll)"}, out=tmp_path / "s.nc", workers=1, **settings)
    status = found["status"].values[:, 0]
    assert status.tolist() == [PointStatus.STOPPED, PointStatus.NOT_FINITE, PointStatus.NO_START]
    assert 0.0 < float(found["fall"][0, 0]) < 4.0 and np.isnan(found["lean"][1, 0])
    assert "fallen" in found.attrs["reasons"] and "start:" in found.attrs["reasons"]


def test_walkers_walk_further_down_steeper_slopes() -> None:
    walker = lm.catalogue.compass_walker()
    settings: dict[str, Any] = dict(duration=8.0, dt=0.01, start=GARCIA_CYCLE, contacts="time-stepping", closed=("foot_a",))
    found = lm.sweep(walker, {"slope": [0.006, 0.009, 0.012]}, {"way": lm.Final("forward")}, workers=1, **settings)
    assert (found["status"] == PointStatus.OK).all() and (np.diff(found["way"]) > 0.0).all()
    # 0.105 m/s on the slope of the paper (two steps of 0.4 m in 7.7 s); time-stepping is of first order in dt.
    assert float(found["way"][1]) == pytest.approx(0.105 * 8.0, rel=0.05)
    with pytest.raises(SweepError, match="may open and close, but contacts is None"):
        lm.sweep(walker, {"slope": [0.01]}, {"way": lm.Final("forward")}, duration=1.0, dt=0.01)


def test_wrong_names_and_settings_are_found_before_the_first_chunk(bike: lm.System) -> None:
    over = {"speed": [3.0]}
    with pytest.raises(SweepError, match="duration is missing"):
        lm.sweep(bike, over, MEASURES, dt=0.01)
    with pytest.raises(SweepError, match="dt is -1"):
        lm.sweep(bike, over, MEASURES, duration=1.0, dt=-1)
    with pytest.raises(SweepError, match="no setting 'durration': did you mean 'duration'"):
        lm.sweep(bike, over, MEASURES, durration=1.0, dt=0.01)
    with pytest.raises(SweepError, match="measure is empty"):
        lm.sweep(bike, over, {}, **ROLL)
    with pytest.raises(LocomotorError, match="did you mean 'roll'"):
        lm.sweep(bike, over, {"lean": lm.Maximum("abs(rolll)")}, **ROLL)
    with pytest.raises(SweepError, match="steer_torque: start takes starting values"):
        lm.sweep(bike, over, MEASURES, **{**ROLL, "start": {"steer_torque": 1.0}})
