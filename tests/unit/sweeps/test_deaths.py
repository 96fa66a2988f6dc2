"""Workers and whole sweeps that are killed: nothing is lost, and the result is the one of a quiet day."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import SweepError
from locomotor.sweeps import PointFunction, PointStatus, SweepWarning
from locomotor.sweeps.job import Job
from locomotor.sweeps.samples import make_points
from locomotor.sweeps.store import Store

PACKAGE = str(Path(lm.__file__).parents[1])

SCRIPT = """
import sys, time
sys.path.insert(0, {package!r})
import numpy as np
import locomotor as lm

def slow(point):
    time.sleep(float(sys.argv[2]))
    return {{"cube": point["a"] ** 3, "wave": np.sin(point["a"])}}

lm.sweep(None, {{"a": (0.0, 9.0)}}, slow, samples=40, seed=5, chunk=4, executor=sys.argv[3], workers=2, out=sys.argv[1])
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    file = tmp_path / "script.py"
    file.write_text(SCRIPT.format(package=PACKAGE))
    return file


def command(script: Path, out: Path, pause: float, executor: str) -> list[str]:
    return [sys.executable, str(script), str(out), str(pause), executor]


def until(condition: object, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.005)


def test_a_sweep_that_is_killed_goes_on_and_its_file_has_the_same_bytes(tmp_path: Path) -> None:
    def sweep(out: Path, pause: float) -> None:
        def slow(point: dict[str, float]) -> float:
            time.sleep(pauses["now"])
            return point["a"] ** 3

        pauses["now"] = pause
        lm.sweep(None, {"a": (0.0, 9.0)}, slow, samples=40, chunk=4, executor="processes", workers=2, out=out)

    pauses: dict[str, float] = {}
    quiet, killed = tmp_path / "quiet.nc", tmp_path / "killed.nc"
    process = multiprocessing.get_context("fork").Process(target=sweep, args=(killed, 0.03))
    process.start()
    parts = tmp_path / "killed.nc.parts"
    until(lambda: len(list(parts.glob("*.npz"))) >= 3)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert 3 <= len(list(parts.glob("*.npz"))) < 10 and not killed.exists()
    sweep(killed, 0.0)
    sweep(quiet, 0.0)
    assert killed.read_bytes() == quiet.read_bytes()
    assert not parts.exists()


@pytest.mark.slow
@pytest.mark.parametrize("executor", ["processes", "threads"])
def test_a_killed_program_goes_on_and_its_workers_are_gone(script: Path, tmp_path: Path, executor: str) -> None:
    quiet, killed = tmp_path / "quiet.nc", tmp_path / "killed.nc"
    parts = tmp_path / "killed.nc.parts"
    process = subprocess.Popen(command(script, killed, 0.05, executor))
    until(lambda: len(list(parts.glob("*.npz"))) >= 3)
    workers = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert len(workers) == (2 if executor == "processes" else 0)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = {path.name: path.stat().st_mtime_ns for path in parts.glob("*.npz")}
    assert 3 <= len(before) < 10 and not killed.exists()
    until(lambda: not any(_alive(int(worker)) for worker in workers), 20.0)
    together = [subprocess.Popen(command(script, out, 0.0, executor)) for out in (killed, quiet)]
    assert [each.wait(60) for each in together] == [0, 0]
    assert killed.read_bytes() == quiet.read_bytes()
    assert not parts.exists()


def _alive(process: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False


def test_a_worker_that_is_killed_is_replaced_and_its_chunk_done(tmp_path: Path) -> None:
    def victim(point: dict[str, float]) -> float:
        if point["a"] == 7.0 and not (tmp_path / "dead").exists():
            (tmp_path / "dead").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return 2.0 * point["a"]

    found = lm.sweep(None, {"a": np.arange(20.0)}, victim, executor="processes", workers=2, chunk=3)
    assert (tmp_path / "dead").exists()
    assert (found["status"] == PointStatus.OK).all() and np.array_equal(found["value"], 2.0 * np.arange(20.0))


def test_a_chunk_that_kills_every_worker_is_recorded_and_the_rest_is_done(tmp_path: Path) -> None:
    def deadly(point: dict[str, float]) -> float:
        if point["a"] == 7.0:
            with (tmp_path / "deaths").open("a") as file:
                file.write("x")
            os.kill(os.getpid(), signal.SIGKILL)
        return point["a"]

    out = tmp_path / "s.nc"
    with pytest.warns(SweepWarning, match="points 6 to 7 are lost: 3 workers died on this chunk, the last by signal SIGKILL"):
        found = lm.sweep(None, {"a": np.arange(20.0)}, deadly, executor="processes", workers=2, chunk=2, out=out)
    bad = np.isin(np.arange(20), [6, 7])  # one chunk
    assert np.array_equal(found["status"], np.where(bad, PointStatus.LOST, PointStatus.OK))
    assert np.array_equal(found["value"][~bad], np.arange(20.0)[~bad]) and np.isnan(found["value"][bad]).all()
    (told,) = json.loads(found.attrs["reasons"])
    assert told["point"] == 6 and "SIGKILL" in told["reason"]
    assert (tmp_path / "deaths").read_text() == "xxx"


def test_two_sweeps_do_not_share_a_folder(tmp_path: Path) -> None:
    points = make_points({"a": [1.0, 2.0]}, None, 0)
    job = Job(None, points, PointFunction(lambda point: point["a"]), 1)

    def second(pipe: Connection) -> None:
        try:
            with Store(job, tmp_path / "s.nc.parts").opened():
                pipe.send("no complaint")
        except SweepError as error:
            pipe.send(str(error))

    ours, theirs = multiprocessing.Pipe()
    with Store(job, tmp_path / "s.nc.parts").opened():
        process = multiprocessing.get_context("fork").Process(target=second, args=(theirs,))
        process.start()
        assert "in use by another sweep" in ours.recv()
        process.join()
    with Store(job, tmp_path / "s.nc.parts").opened() as again:
        assert again.done() == set()
