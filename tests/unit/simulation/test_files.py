"""Runs on disk: what is written comes back, what is no run is refused, and a failure leaves nothing behind."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue import bicycle
from locomotor.errors import ArgumentError, RunFileError, UnknownNameError
from locomotor.seal import MARK, PIECE, SIZE, broken_seal, seal
from privileges import ordinary_user


@pytest.fixture(scope="module")
def run() -> lm.Run:
    controller = lm.Controller(lambda c: {"steer_torque": 0.1 * c["sum"], "sum": c["roll"]}, {"sum": 0.0})
    return lm.simulate(bicycle(), 0.2, start={"speed": 4.6, "roll_rate": 0.5}, controller=controller)


def test_a_run_comes_back_as_it_was(run: lm.Run, tmp_path: Path) -> None:
    path = run.save(tmp_path / "run.nc")
    back = lm.load(path)
    assert back.name == run.name and back.status == run.status and back.events == run.events
    assert list(back.channels) == list(run.channels) and dict(back.about) == dict(run.about)
    np.testing.assert_array_equal(back.time, run.time)
    for name, values in run.channels.items():
        np.testing.assert_array_equal(back[name], values)
    assert dict(back.parameters) == dict(run.parameters) and dict(back.settings) == dict(run.settings)
    np.testing.assert_array_equal(back.energy, run.energy)
    np.testing.assert_array_equal(back.forces["rear"], run.forces["rear"])


def test_a_run_that_ended_early_comes_back_with_its_status(tmp_path: Path) -> None:
    with pytest.warns(lm.RunWarning):
        run = lm.simulate(bicycle(), 2.0, start={"speed": 4.6, "roll_rate": 0.5}, step=0.5)
    back = lm.load(run.save(tmp_path / "run.nc"))
    assert not back.status.ok and str(back.status) == str(run.status)


def test_the_file_is_plain_netcdf_with_units(run: lm.Run, tmp_path: Path) -> None:
    import xarray

    with xarray.open_dataset(run.save(tmp_path / "run.nc"), engine="h5netcdf") as data:
        assert data["roll_rate"].attrs["units"] == "rad/s" and data["roll_rate"].dims == ("time",)
        assert data["roll_rate"].attrs["long_name"] and data.attrs["format"] == "locomotor run 2"
        assert set(data.data_vars) == set(run.channels)  # nothing else among the channels
    with xarray.open_dataset(tmp_path / "run.nc", engine="h5netcdf", group="model") as model:
        assert float(model["parameter_value"].sel(parameter="w")) == 1.02
        assert str(model["parameter_unit"].sel(parameter="w").item()) == "m"


def test_events_are_a_table_of_their_own(tmp_path: Path) -> None:
    import xarray

    ball = lm.simulate(lm.catalogue.system("bouncing_ball"), 1.0, start={"z": 1.1})
    path = ball.save(tmp_path / "run.nc")
    with xarray.open_dataset(path, engine="h5netcdf", group="events") as events:
        # Falling by 1 m takes the square root of 2 h / g.
        np.testing.assert_allclose(events["time"].values[0], np.sqrt(2.0 / 9.81), rtol=1e-9)
        assert events["energy_before"].attrs["units"] == "J" and events["name"].values[0] == ball.events[0].name
        np.testing.assert_array_equal(events["impulse"].values[0], ball.events[0].impulse)
    back = lm.load(path)
    assert back.events == ball.events and back.system == ball.system


def first_format(run: lm.Run, path: Path) -> Path:
    """A file as it was written before events and model had groups."""
    import dataclasses
    import json

    import xarray

    from locomotor.model import to_data

    status = {f"status_{key}": getattr(run.status, key) for key in ("time", "detail", "end", "near")}
    attributes = {
        "format": "locomotor run 1",
        "name": run.name,
        "outcome": run.status.outcome.name,
        **status,
        "parameters": json.dumps(dict(run.parameters)),
        "settings": json.dumps(dict(run.settings)),
    }
    variables: dict[str, Any] = {
        name: ("time", values, {"units": c.unit, "latex": c.latex, "long_name": c.description, "group": c.group})
        for (name, values), c in zip(run.channels.items(), run.about.values(), strict=True)
    }
    events = [dataclasses.asdict(event) for event in run.events]
    for name, data in (("events", events), ("system", None if run.system is None else to_data(run.system))):
        variables[f"_{name}"] = (f"_{name}_bytes", np.frombuffer(json.dumps(data).encode(), dtype=np.uint8))
    xarray.Dataset(variables, {"time": ("time", run.time)}, attributes).to_netcdf(path, engine="h5netcdf")
    seal(path)
    return path


def test_files_of_the_first_format_are_read(tmp_path: Path) -> None:
    ball = lm.simulate(lm.catalogue.system("bouncing_ball"), 1.0, start={"z": 1.1})
    back = lm.load(first_format(ball, tmp_path / "old.nc"))
    assert back.events == ball.events and len(ball.events) > 0 and back.system == ball.system and back.status == ball.status
    assert dict(back.parameters) == dict(ball.parameters) and dict(back.settings) == dict(ball.settings)
    np.testing.assert_array_equal(back["z"], ball["z"])


def test_saving_replaces_an_older_file(run: lm.Run, tmp_path: Path) -> None:
    target = tmp_path / "run.nc"
    target.write_text("something else")
    run.save(target)
    assert len(lm.load(target)) == len(run)
    assert os.listdir(tmp_path) == ["run.nc"]


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(RunFileError, match=r"cannot read .*absent\.nc.* as a run: there is no such file; give"):
        lm.load(tmp_path / "absent.nc")


def test_a_foreign_file_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "notes.nc"
    text.write_text("not a run at all")
    with pytest.raises(RunFileError, match=r"cannot read .*notes\.nc' as a run: it is no NetCDF file"):
        lm.load(text)


def test_netcdf_of_somebody_else_is_refused(tmp_path: Path) -> None:
    import xarray

    path = tmp_path / "weather.nc"
    xarray.Dataset({"rain": ("time", np.zeros(3))}).to_netcdf(path, engine="h5netcdf")
    with pytest.raises(RunFileError, match=r"has no checksum at its end: .* or was not written by locomotor"):
        lm.load(path)
    seal(path)
    with pytest.raises(RunFileError, match="is not a run of this version of locomotor"):
        lm.load(path)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_a_truncated_file_is_refused(run: lm.Run, tmp_path: Path, share: float) -> None:
    whole = run.save(tmp_path / "run.nc").read_bytes()
    cut = tmp_path / "cut.nc"
    cut.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(RunFileError, match=r"cut\.nc"):
        lm.load(cut)


def test_a_file_that_another_program_changed_is_refused_or_read_on_request(run: lm.Run, tmp_path: Path) -> None:
    import h5py

    path = run.save(tmp_path / "run.nc")
    with h5py.File(path, "a") as file:
        file["roll"][0] = 7.0
    with pytest.raises(RunFileError, match=r"was changed by another program.*lm\.load\(\.\.\., checked=False\)"):
        lm.load(path)
    assert lm.load(path, checked=False)["roll"][0] == 7.0


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (lambda f: f.attrs.__delitem__("outcome"), r"KeyError\('outcome'\)"),
        (lambda f: forge_text(f, "model/settings", "3"), "settings is 3, not a table"),
        (lambda f: forge_text(f, "model/system", "[]"), r"system is \[\], not a table"),
        (lambda f: forge_text(f, "model/system", '{"name": []}'), "missing 2 required"),
        (lambda f: forge_text(f, "model/system", "[" * 100_000), "RecursionError"),
        (lambda f: f["model"].__delitem__("parameter_value"), "parameter_value"),
        (lambda f: f["events"].attrs.__setitem__("count", 5), "KeyError"),
        (lambda f: rewrite(f, "roll", b"abc"), "roll holds uint8 of shape"),
    ],
)
@pytest.mark.sampled(8)
def test_forged_content_is_refused(run: lm.Run, tmp_path: Path, forge: Callable[[Any], None], said: str) -> None:
    """Whoever can write a file can also seal it: what is inside is read with care all the same."""
    import h5py

    path = run.save(tmp_path / "run.nc")
    with h5py.File(path, "a") as file:
        forge(file)
    seal(path)
    with pytest.raises(RunFileError, match=rf"run\.nc' is a run, but a damaged one: .*{said}"):
        lm.load(path)


def forge_text(file: Any, name: str, content: str) -> None:
    """Another text."""
    file[name][()] = content


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (lambda f: f.attrs.__delitem__("outcome"), r"KeyError\('outcome'\)"),
        (lambda f: f.attrs.__setitem__("parameters", "[]"), r"parameters is \[\], not a table"),
        (lambda f: f.attrs.__setitem__("settings", "3"), "settings is 3, not a table"),
        (lambda f: f.attrs.__setitem__("parameters", '{"mB": "a"}'), "could not convert"),
        (lambda f: rewrite(f, "_events", b"[1]"), "an event is 1, not a table"),
        (lambda f: rewrite(f, "_events", b'[{"time": "a", "name": "b"}]'), "the time of an event is 'a'"),
        (lambda f: rewrite(f, "_events", b'[{"x": 1}]'), "unexpected keyword argument 'x'"),
        (lambda f: rewrite(f, "_events", b"{}"), r"events is \{\}, not a list"),
        (lambda f: rewrite(f, "_events", b"[" * 100_000), "RecursionError"),
        (lambda f: rewrite(f, "_system", b"[]"), r"system is \[\], not a table"),
        (lambda f: rewrite(f, "_system", b'{"name": []}'), "missing 2 required"),
        (lambda f: rewrite(f, "roll", b"abc"), "roll holds uint8 of shape"),
    ],
)
@pytest.mark.sampled(4)
def test_forged_content_of_the_first_format_is_refused(
    run: lm.Run, tmp_path: Path, forge: Callable[[Any], None], said: str
) -> None:
    """Whoever can write a file can also seal it: what is inside is read with care all the same."""
    import h5py

    path = first_format(run, tmp_path / "run.nc")
    with h5py.File(path, "a") as file:
        forge(file)
    seal(path)
    with pytest.raises(RunFileError, match=rf"run\.nc' is a run, but a damaged one: .*{said}"):
        lm.load(path)


def rewrite(file: Any, name: str, content: bytes) -> None:
    """Another content for a variable, on a dimension of its own."""
    from h5netcdf.legacyapi import Dataset

    del file[name]
    path = file.filename
    file.close()
    with Dataset(path, "a") as data:
        data.createDimension(f"new{name}", len(content))
        data.createVariable(name, "u1", (f"new{name}",))[:] = np.frombuffer(content, dtype=np.uint8)


# A hang inside a library holds the interpreter's lock: the cases run in a child, which tells of each before it begins.
FLIP = """
from pathlib import Path
import numpy as np
import locomotor as lm

whole, run = Path("run.nc").read_bytes(), lm.load("run.nc")
for place in np.linspace(0, 8 * len(whole) - 1, 600).astype(int):
    raw = bytearray(whole)
    raw[place // 8] ^= 1 << place % 8
    Path("flipped.nc").write_bytes(raw)
    print(place, flush=True)
    try:
        read = lm.load("flipped.nc")
    except lm.errors.RunFileError:
        continue
    assert read.events == run.events and read.status == run.status and list(read.channels) == list(run.channels)
    assert all(np.array_equal(read[name], run[name]) for name in ("time", *run.channels))
print("done")
"""


def test_flipped_bits_are_refused_and_never_hang(tmp_path: Path) -> None:
    ball = lm.catalogue.system("bouncing_ball")
    run = lm.simulate(ball, 0.8, start={"z": 1.1}, sample=0.01)
    few = [n for n in run.channels if n in ("z", "z_rate", "kinetic_energy", "potential_energy", "floor_gap")]
    kept = {n: run.channels[n] for n in few}
    replace(run, channels=kept, about={n: run.about[n] for n in few}).save(tmp_path / "run.nc")
    # Six hundred reads take about two seconds; the limit is for a machine that does other things.
    child = subprocess.run([sys.executable, "-c", FLIP], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert child.returncode == 0 and child.stdout.endswith("done\n"), child.stdout[-40:] + child.stderr[-800:]


def test_a_seal_tells_every_change(tmp_path: Path) -> None:
    path = tmp_path / "a"
    for size in (0, 1, SIZE, 3 * PIECE // 2):
        path.write_bytes(bytes(size))
        seal(path)
        assert broken_seal(path) == "" and path.stat().st_size == size + SIZE
        whole = path.read_bytes()
        for place in {0, size // 2, size, size + len(MARK), size + SIZE - 1}:
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
            assert broken_seal(path)
        for changed in (whole[:-1], whole[1:], whole + b"\0", b""):
            path.write_bytes(changed)
            assert broken_seal(path)


# -- places ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", "a\0b", "\ud800.nc"])
def test_names_that_no_file_can_have(run: lm.Run, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RunFileError, match=r"cannot write|give the place of a file"):
        run.save(name)
    with pytest.raises(RunFileError, match=r"cannot read|give the place of a file"):
        lm.load(name)
    assert os.listdir(tmp_path) == []


def test_only_plain_files_are_replaced_and_read(run: lm.Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "null").symlink_to("/dev/null")
    (tmp_path / "round").symlink_to("round")
    for name, said in {"pipe": "a pipe", "null": "a device", "round": "a link that leads in a circle"}.items():
        with pytest.raises(RunFileError, match=f"cannot write .*{name}': there is {said} of that name; choose another name"):
            run.save(tmp_path / name)
        with pytest.raises(RunFileError, match=f"cannot read .*{name}' as a run"):
            lm.load(tmp_path / name)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode) and stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    assert sorted(os.listdir(tmp_path)) == ["null", "pipe", "round"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only the administrator makes devices")
def test_a_device_is_not_replaced(run: lm.Run, tmp_path: Path) -> None:
    try:
        os.mknod(tmp_path / "device", stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("this machine makes no devices")
    with pytest.raises(RunFileError, match="there is a device of that name"):
        run.save(tmp_path / "device")
    assert stat.S_ISCHR((tmp_path / "device").stat().st_mode)


@pytest.mark.slow
def test_a_link_is_followed_and_stays_one(run: lm.Run, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for begin in (True, False):
        (tmp_path / "link").unlink(missing_ok=True)
        (tmp_path / "link").symlink_to("there/run.nc")
        if begin:
            (tmp_path / "there" / "run.nc").write_text("old")
        else:
            (tmp_path / "there" / "run.nc").unlink()
        run.save(tmp_path / "link")
        assert (tmp_path / "link").is_symlink() and len(lm.load(tmp_path / "there" / "run.nc")) == len(run)


def test_two_writers_to_one_name_both_succeed(run: lm.Run, tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: run.save(tmp_path / "run.nc"), range(6)))  # would raise here
    assert len(lm.load(tmp_path / "run.nc")) == len(run) and os.listdir(tmp_path) == ["run.nc"]


def test_a_long_name_is_a_name(run: lm.Run, tmp_path: Path) -> None:
    assert len(lm.load(run.save(tmp_path / ("é" * 120 + ".nc")))) == len(run)


def test_a_folder_that_does_not_exist_leaves_nothing_behind(run: lm.Run, tmp_path: Path) -> None:
    with pytest.raises(RunFileError, match="No such file or directory; choose a folder"):
        run.save(tmp_path / "nowhere" / "run.nc")
    assert os.listdir(tmp_path) == []


def test_a_name_that_is_a_folder_leaves_nothing_behind(run: lm.Run, tmp_path: Path) -> None:
    (tmp_path / "run.nc").mkdir()
    with pytest.raises(RunFileError, match="cannot write"):
        run.save(tmp_path / "run.nc")
    assert os.listdir(tmp_path) == ["run.nc"]


def test_an_unwritable_folder_leaves_nothing_behind(run: lm.Run, tmp_path: Path) -> None:
    run.save(tmp_path / "run.nc")  # what saving imports must be imported by who may read it
    with ordinary_user() as folder:
        folder.chmod(0o500)
        with pytest.raises(RunFileError, match="Permission denied; choose a folder that is writable"):
            run.save(folder / "run.nc")
        assert os.listdir(folder) == []


def test_a_file_that_may_not_be_read_is_told(run: lm.Run, tmp_path: Path) -> None:
    lm.load(run.save(tmp_path / "run.nc"))
    with ordinary_user() as folder:
        path = run.save(folder / "run.nc")
        path.chmod(0)
        with pytest.raises(RunFileError, match=r"cannot read .*run\.nc' as a run: .*Permission denied"):
            lm.load(path)


# -- tables for other programs --------------------------------------------------------------------------------


def test_a_table_for_pandas(run: lm.Run) -> None:
    frame = run.to_dataframe("roll", "steer")
    assert list(frame.columns) == ["roll", "steer"] and frame.index.name == "time"
    np.testing.assert_array_equal(frame.index, run.time)
    np.testing.assert_array_equal(frame["roll"], run["roll"])
    assert frame.attrs["units"] == {"time": "s", "roll": "rad", "steer": "rad"}
    assert set(run.to_dataframe().columns) == set(run.channels)
    assert list(run.to_dataframe("roll", units=True).reset_index().columns) == ["time (s)", "roll (rad)"]


def test_a_table_for_xarray(run: lm.Run) -> None:
    data = run.to_xarray()
    assert set(data.data_vars) == set(run.channels) and data["time"].attrs["units"] == "s"
    assert data["roll_rate"].attrs["units"] == "rad/s" and data["roll_rate"].attrs["long_name"]
    np.testing.assert_array_equal(data["roll"].sel(time=run.time[7]).item(), run["roll"][7])
    assert data.attrs["parameter_w"] == 1.02


def test_a_table_as_text_keeps_every_digit(run: lm.Run, tmp_path: Path) -> None:
    import csv

    with run.to_csv(tmp_path / "run.csv", "roll", "speed").open(newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["time", "roll", "speed"]
    np.testing.assert_array_equal(np.array(rows, float), np.stack([run.time, run["roll"], run["speed"]], axis=-1))
    assert run.to_csv(tmp_path / "run.csv", "roll", units=True).read_text().startswith("time (s),roll (rad)\n")


def test_tables_of_what_is_not_there(run: lm.Run, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="no channel 'rol': did you mean 'roll'"):
        run.to_dataframe("rol")
    with pytest.raises(ArgumentError, match="'roll' is named twice"):
        run.to_xarray("roll", "roll")
    with pytest.raises(RunFileError, match="cannot write"):
        run.to_csv(tmp_path / "nowhere" / "run.csv")
    assert os.listdir(tmp_path) == []


# -- reading a run --------------------------------------------------------------------------------------------


def test_channels_by_name(run: lm.Run) -> None:
    assert "roll" in run and "rol" not in run and len(run) == 201
    np.testing.assert_array_equal(run["t"], run.time)
    with pytest.raises(UnknownNameError, match="no channel 'rol': did you mean 'roll'"):
        run["rol"]
    with pytest.raises(UnknownNameError, match="no contact is named 'reer': did you mean 'rear'"):
        run.forces["reer"]
    assert list(run.forces) == ["rear", "front"] and run.contact_points["front"].shape == (201, 3)
    assert set(run.group("energies")) == {"kinetic_energy", "potential_energy"}


def test_values_at_a_time(run: lm.Run) -> None:
    assert run.at(0.1)["roll_rate"] == run["roll_rate"][100]
    with pytest.raises(ArgumentError, match=r"time is 99 s, and the run lasts from 0 s to 0\.2 s"):
        run.at(99.0)


def test_forces_hold_the_weight_at_rest() -> None:
    still = lm.simulate(bicycle(), 0.01)
    total = still.forces["rear"] + still.forces["front"]
    np.testing.assert_allclose(total[0], [0.0, 0.0, 94 * 9.81], atol=1e-9)
