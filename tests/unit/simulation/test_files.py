"""Runs on disk: what is written comes back, what is no run is refused, and a failure leaves nothing behind."""

import os
from pathlib import Path

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue import bicycle
from locomotor.errors import RunFileError, UnknownNameError


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
        run = lm.simulate(bicycle(), 20.0, start={"speed": 4.6, "roll_rate": 0.5}, step=0.5)
    back = lm.load(run.save(tmp_path / "run.nc"))
    assert not back.status.ok and str(back.status) == str(run.status)


def test_the_file_is_plain_netcdf_with_units(run: lm.Run, tmp_path: Path) -> None:
    import xarray

    with xarray.open_dataset(run.save(tmp_path / "run.nc"), engine="h5netcdf") as data:
        assert data["roll_rate"].attrs["units"] == "rad/s" and data["roll_rate"].dims == ("time",)
        assert data["roll_rate"].attrs["long_name"] and data.attrs["format"] == "locomotor run 1"


def test_saving_replaces_an_older_file(run: lm.Run, tmp_path: Path) -> None:
    target = tmp_path / "run.nc"
    target.write_text("something else")
    run.save(target)
    assert len(lm.load(target)) == len(run)
    assert os.listdir(tmp_path) == ["run.nc"]


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(RunFileError, match=r"cannot read .*absent\.nc.* as a run"):
        lm.load(tmp_path / "absent.nc")


def test_a_foreign_file_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "notes.nc"
    text.write_text("not a run at all")
    with pytest.raises(RunFileError, match=r"as a run: .*; was it written by Run\.save"):
        lm.load(text)


def test_netcdf_of_somebody_else_is_refused(tmp_path: Path) -> None:
    import xarray

    path = tmp_path / "weather.nc"
    xarray.Dataset({"rain": ("time", np.zeros(3))}).to_netcdf(path, engine="h5netcdf")
    with pytest.raises(RunFileError, match="is not a run of this version of locomotor"):
        lm.load(path)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_a_truncated_file_is_refused(run: lm.Run, tmp_path: Path, share: float) -> None:
    whole = run.save(tmp_path / "run.nc").read_bytes()
    cut = tmp_path / "cut.nc"
    cut.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(RunFileError, match=r"cut\.nc"):
        lm.load(cut)


def test_a_run_file_with_something_missing_is_refused(run: lm.Run, tmp_path: Path) -> None:
    import h5py

    path = run.save(tmp_path / "run.nc")
    with h5py.File(path, "a") as file:
        del file.attrs["outcome"]
    with pytest.raises(RunFileError, match=r"run\.nc' is a run, but a damaged one: KeyError\('outcome'\)"):
        lm.load(path)


def test_a_folder_that_does_not_exist_leaves_nothing_behind(run: lm.Run, tmp_path: Path) -> None:
    with pytest.raises(RunFileError, match="No such file or directory; choose a folder"):
        run.save(tmp_path / "nowhere" / "run.nc")
    assert os.listdir(tmp_path) == []


def test_a_name_that_is_a_folder_leaves_nothing_behind(run: lm.Run, tmp_path: Path) -> None:
    (tmp_path / "run.nc").mkdir()
    with pytest.raises(RunFileError, match="cannot write"):
        run.save(tmp_path / "run.nc")
    assert os.listdir(tmp_path) == ["run.nc"]


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may write anywhere")
def test_an_unwritable_folder_leaves_nothing_behind(run: lm.Run, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(RunFileError, match="choose a folder that is writable"):
            run.save(tmp_path / "run.nc")
        assert os.listdir(tmp_path) == []
    finally:
        tmp_path.chmod(0o700)


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
    assert run.at(99.0)["roll_rate"] == run["roll_rate"][-1]


def test_forces_hold_the_weight_at_rest() -> None:
    still = lm.simulate(bicycle(), 0.01)
    total = still.forces["rear"] + still.forces["front"]
    np.testing.assert_allclose(total[0], [0.0, 0.0, 94 * 9.81], atol=1e-9)
