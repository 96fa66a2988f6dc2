"""Sweeps on Ray: the same results, worker death survived."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import ray

import locomotor as lm
from locomotor.sweeps import PointStatus, SweepWarning, stability


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """One Ray for all; a sweep uses it as it finds it."""
    here = os.pathsep.join([str(Path(lm.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": here}})
    yield
    ray.shutdown()


@pytest.mark.slow
def test_ray_gives_what_this_machine_gives() -> None:
    bike = lm.catalogue.bicycle()
    over = {"speed": np.linspace(2, 8, 5), "c": np.linspace(0.06, 0.1, 4)}
    found = lm.sweep(bike, over, stability(), executor="ray", chunk=7)
    assert found.identical(lm.sweep(bike, over, stability(), executor="threads", workers=1, chunk=7))
    assert ray.is_initialized()  # it was not ours to stop


def test_a_worker_of_ray_that_dies_is_replaced_and_one_that_always_dies_recorded(tmp_path: Path) -> None:
    folder = str(tmp_path)

    def fragile(point: dict[str, float]) -> float:
        once = os.path.join(folder, "dead")
        if point["a"] == 13.0 or (point["a"] == 7.0 and not os.path.exists(once)):
            open(once, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return 2.0 * point["a"]

    with pytest.warns(SweepWarning, match="points 12 to 13 are lost"):
        found = lm.sweep(None, {"a": np.arange(20.0)}, fragile, executor="ray", chunk=2, out=tmp_path / "s.nc")
    bad = np.isin(np.arange(20), [12, 13])
    assert np.array_equal(found["status"], np.where(bad, PointStatus.LOST, PointStatus.OK))
    assert np.array_equal(found["value"][~bad], 2.0 * np.arange(20.0)[~bad])
    assert "WorkerCrashedError" in json.loads(found.attrs["reasons"])[0]["reason"]
