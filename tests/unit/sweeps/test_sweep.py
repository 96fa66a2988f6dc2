"""Sweeps of Python functions: results, statuses, files, and every way of asking wrongly."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

import locomotor as lm
from locomotor.errors import MissingExtraError, RunFileError, SweepError, UnknownNameError
from locomotor.sweeps import BatchFunction, Listed, PointStatus, Sobol
from locomotor.sweeps.outcome import Measured

OVER = {"a": np.linspace(0.0, 1.0, 7), "b": np.linspace(1.0, 2.0, 5)}


def product(point: dict[str, float]) -> dict[str, float]:
    return {"product": point["a"] * point["b"], "root": math.sqrt(point["a"])}


def test_a_grid_comes_back_as_a_dataset_over_its_names() -> None:
    found = lm.sweep(None, OVER, product, chunk=4, workers=2)
    assert found["product"].dims == ("a", "b")
    assert np.array_equal(found["product"], OVER["a"][:, None] * OVER["b"])
    assert (found["status"] == PointStatus.OK).all()
    assert found["status"].attrs["flag_meanings"].split()[PointStatus.LOST] == "lost"


@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_workers_of_every_kind_give_the_same(executor: str) -> None:
    found = lm.sweep(None, OVER, product, executor=executor, workers=2, chunk=3)
    assert found.identical(lm.sweep(None, OVER, product, executor="threads", workers=1, chunk=3))


def test_drawn_points_are_coordinates_of_the_result() -> None:
    found = lm.sweep(None, {"a": (0, 1), "b": (1, 2)}, lambda p: p["a"] + p["b"], samples=Sobol(32), seed=3, workers=1)
    assert found.sizes == {"point": 32}
    assert np.array_equal(found["value"], found["a"] + found["b"])


def test_functions_of_many_points_and_units() -> None:
    total = BatchFunction(lambda points: {"sum": points["a"] + points["b"]}, units={"sum": "m"})
    found = lm.sweep(None, {"a": [1, 2], "b": [3, 4]}, total, samples=Listed())
    assert found["sum"].values.tolist() == [4, 6] and found["sum"].attrs["units"] == "m"


# -- points that cannot be measured ---------------------------------------------------------------------------


def test_bad_points_are_told_apart_and_spoil_no_other() -> None:
    def fragile(point: dict[str, float]) -> float:
        if point["a"] > 2.5:
            raise ArithmeticError("too large")
        return 10.0 * point["a"]

    found = lm.sweep(None, {"a": [1.0, np.nan, 2.0, np.inf, 3.0]}, fragile, chunk=2, workers=1)
    assert found["status"].values.tolist() == [0, PointStatus.NOT_FINITE, 0, PointStatus.NOT_FINITE, PointStatus.FAILED]
    assert found["value"].values[[0, 2]].tolist() == [10.0, 20.0] and np.isnan(found["value"].values[[1, 3, 4]]).all()
    assert json.loads(found.attrs["reasons"]) == [{"point": 4, "reason": "ArithmeticError: too large"}]


def test_a_function_of_many_points_that_gives_the_wrong_number_of_them_fails_with_words() -> None:
    found = lm.sweep(None, {"a": [1.0, 2.0]}, BatchFunction(lambda points: {"x": points["a"][:1]}))
    assert (found["status"] == PointStatus.FAILED).all() and "shape (1,) for 2 points" in found.attrs["reasons"]


# -- files ----------------------------------------------------------------------------------------------------


def test_the_file_holds_the_result_and_nothing_else_is_left(tmp_path: Path) -> None:
    out = tmp_path / "sweep.nc"
    found = lm.sweep(None, OVER, product, out=out, chunk=4, workers=2)
    with xarray.open_dataset(out, engine="h5netcdf") as opened:
        assert found.identical(opened.load())
    assert [path.name for path in tmp_path.iterdir()] == ["sweep.nc"]
    settings = json.loads(found.attrs["settings"])
    assert settings["chunk"] == 4 and settings["over"]["a"]["count"] == 7


def test_a_finished_sweep_is_read_back_not_repeated(tmp_path: Path) -> None:
    calls: list[float] = []

    def counted(point: dict[str, float]) -> float:
        calls.append(point["a"])
        return point["a"]

    settings: dict[str, Any] = dict(out=tmp_path / "s.nc", executor="threads", workers=1)
    first = lm.sweep(None, {"a": [1, 2, 3]}, counted, **settings)
    again = lm.sweep(None, {"a": [1, 2, 3]}, counted, **settings)
    assert len(calls) == 3 and first.identical(again)
    with pytest.raises(SweepError, match=r"exists and is a sweep with other settings \(over: a"):
        lm.sweep(None, {"a": [1, 2, 4]}, counted, **settings)


def test_a_file_that_is_something_else_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "thesis.nc"
    out.write_text("ten years of work")
    with pytest.raises(SweepError, match="exists and is not a sweep"):
        lm.sweep(None, OVER, product, out=out)
    assert out.read_text() == "ten years of work"


def test_interrupted_sweeps_go_on_and_other_settings_are_refused(tmp_path: Path) -> None:
    calls: list[float] = []

    def stops(point: dict[str, float]) -> float:
        calls.append(point["a"])
        if len(calls) == 5:
            raise KeyboardInterrupt
        return point["a"] ** 2

    settings: dict[str, Any] = dict(out=tmp_path / "s.nc", chunk=2, executor="threads", workers=1)
    over = {"a": np.arange(10.0)}
    with pytest.raises(KeyboardInterrupt):
        lm.sweep(None, over, stops, **settings)
    parts = tmp_path / "s.nc.parts"
    assert sorted(path.name for path in parts.glob("*.npz")) == ["00000000.npz", "00000001.npz"]
    for changed, said in (
        ({"seed": 1}, "seed was 0, is 1"),
        ({"chunk": 3}, "chunk was 2, is 3"),
        ({"over": {"a": np.arange(11.0)}}, "over: a"),
        ({"measure": product}, "measure: function, digest"),
    ):
        asked = {"over": over, "measure": stops, **settings, **changed}
        with pytest.raises(SweepError, match="unfinished sweep with other settings") as told:
            lm.sweep(None, **asked)
        assert said in str(told.value)
    found = lm.sweep(None, over, stops, **settings)
    assert calls[5:] == [4.0, 5.0, 6.0, 7.0, 8.0, 9.0]
    assert np.array_equal(found["value"], over["a"] ** 2) and not parts.exists()


@pytest.mark.parametrize("spoil", [lambda whole: whole[:-30], lambda whole: flipped(whole, 35)])
def test_a_spoilt_chunk_is_made_again(tmp_path: Path, spoil: Callable[[bytes], bytes]) -> None:
    def stops(point: dict[str, float]) -> float:
        if point["a"] == 4.0 and not (tmp_path / "go").exists():
            raise KeyboardInterrupt
        return point["a"]

    settings: dict[str, Any] = dict(out=tmp_path / "s.nc", chunk=2, executor="threads", workers=1)
    with pytest.raises(KeyboardInterrupt):
        lm.sweep(None, {"a": np.arange(6.0)}, stops, **settings)
    chunk = tmp_path / "s.nc.parts" / "00000000.npz"
    chunk.write_bytes(spoil(chunk.read_bytes()))
    (tmp_path / "go").touch()
    found = lm.sweep(None, {"a": np.arange(6.0)}, stops, **settings)
    assert np.array_equal(found["value"], np.arange(6.0))


def test_a_result_with_one_wrong_bit_is_not_returned(tmp_path: Path) -> None:
    out = tmp_path / "s.nc"
    lm.sweep(None, OVER, product, out=out)
    whole = out.read_bytes()
    for place in np.linspace(0, len(whole) - 1, 20).astype(int):
        out.write_bytes(flipped(whole, place))
        with pytest.raises(SweepError, match=r"exists and is not a sweep.*choose another out, or remove the file"):
            lm.sweep(None, OVER, product, out=out)


def flipped(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 16]) + content[place + 1 :]


def test_folders_that_do_not_serve(tmp_path: Path) -> None:
    with pytest.raises(RunFileError, match="the folder does not exist"):
        lm.sweep(None, OVER, product, out=tmp_path / "nowhere" / "s.nc")
    (tmp_path / "s.nc.parts").write_text("a file where the folder of the chunks should be")
    with pytest.raises(RunFileError, match="cannot write"):
        lm.sweep(None, OVER, product, out=tmp_path / "s.nc")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no /proc here")
def test_a_folder_in_which_nobody_may_write() -> None:
    with pytest.raises(RunFileError, match=r"cannot write '/proc/s.nc.parts'.*choose a folder that is writable"):
        lm.sweep(None, OVER, product, out="/proc/s.nc")


def test_chunks_survive_as_arrays() -> None:
    found = Measured({"x y": np.array([1.0, np.nan])}, np.array([0, 4], dtype=np.int8), {1: "π is not a number"})
    again = Measured.from_arrays(found.arrays())
    assert again.reasons == found.reasons and np.array_equal(again.values["x y"], found.values["x y"], equal_nan=True)


def test_progress_is_shown_where_wanted_only(capfd: pytest.CaptureFixture[str]) -> None:
    lm.sweep(None, OVER, product, workers=1)
    assert capfd.readouterr() == ("", "")
    lm.sweep(None, OVER, product, workers=1, progress=True)
    out, err = capfd.readouterr()
    assert out == "" and "points" in err and "35/35" in err


# -- asking wrongly -------------------------------------------------------------------------------------------


def test_wrong_names_are_met_with_the_nearest() -> None:
    bike = lm.catalogue.bicycle()
    with pytest.raises(UnknownNameError, match=r"'sped'.*did you mean 'speed'"):
        lm.sweep(bike, {"sped": [1, 2]}, product)
    with pytest.raises(SweepError, match="did you mean 'threads'"):
        lm.sweep(None, OVER, product, executor="thread")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"measure": 3}, "measure is 3"),
        ({"workers": 0}, "workers is 0"),
        ({"chunk": 1.5}, "chunk is 1.5"),
        ({"address": "auto"}, "address is for executor='ray'"),
        ({"duration": 3.0}, "duration belong to reductions"),
        ({"system": "bicycle"}, "system is str"),
        ({"measure": {"lean": "roll"}}, "need a system"),
    ],
)
def test_settings_that_make_no_sense_are_refused(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(SweepError, match=said):
        lm.sweep(**{"system": None, "over": OVER, "measure": product, **asked})


def test_a_measure_may_not_take_the_name_of_a_coordinate() -> None:
    with pytest.raises(SweepError, match="rename it"):
        lm.sweep(None, {"a": [1.0]}, lambda p: {"a": 1.0}, workers=1)


def test_ray_is_asked_for_by_name_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'locomotor\[ray\]'"):
        lm.sweep(None, OVER, product, executor="ray")
