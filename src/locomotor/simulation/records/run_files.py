"""Runs on disk: NetCDF files that any program can read, with a checksum that is looked at before anything else."""

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locomotor import __version__
from locomotor.errors import ModelError, RunFileError
from locomotor.files import draft, reserve
from locomotor.model import System, from_data, to_data
from locomotor.seal import SIZE, broken_seal, require_file, seal
from locomotor.simulation.records.channel import Channel
from locomotor.simulation.status import Event, Events, Outcome, Status

if TYPE_CHECKING:
    from locomotor.simulation.records.run import Run

FORMAT = "locomotor run 1"
HDF5 = b"\x89HDF\r\n\x1a\n"
HEADER = 2560
"""Bytes that a file spends on the description of one channel, about."""


def write_run(run: "Run", path: str | Path) -> Path:
    """Write a NetCDF file; it appears under its name only when it is complete."""
    import xarray

    target = Path(path)
    attributes = {
        "format": FORMAT,
        "locomotor_version": __version__,
        "name": run.name,
        "outcome": run.status.outcome.name,
        "status_time": run.status.time,
        "status_detail": run.status.detail,
        "status_end": run.status.end,
        "status_near": run.status.near,
        "parameters": json.dumps(dict(run.parameters)),
        "settings": json.dumps(dict(run.settings)),
    }
    variables: dict[str, Any] = {
        name: ("time", values, {"units": c.unit, "latex": c.latex, "long_name": c.description, "group": c.group})
        for (name, values), c in zip(run.channels.items(), run.about.values(), strict=True)
    }
    events = [dataclasses.asdict(event) for event in run.events]
    for name, data in (("events", events), ("system", _data(run.system))):
        # As bytes: HDF5 allows attributes of 64 kB only.
        content = np.frombuffer(json.dumps(data).encode(), dtype=np.uint8)
        variables[f"_{name}"] = (f"_{name}_bytes", content, {"long_name": f"{name}, JSON in UTF-8"})
    dataset = xarray.Dataset(variables, {"time": ("time", run.time, {"units": "s"})}, attributes)
    with draft(target) as unfinished:
        reserve(unfinished, dataset.nbytes + HEADER * (len(variables) + 8) + SIZE)
        dataset.to_netcdf(unfinished, engine="h5netcdf")
        seal(unfinished)
    return target


def read_fields(path: str | Path, checked: bool = True) -> dict[str, Any]:
    """The fields of a run, by name; a file that is not one, or not as it was written, is refused."""
    import xarray

    file = Path(path)
    require_file(file, "a run")
    try:
        _recognise(file, checked)
        with xarray.open_dataset(file, engine="h5netcdf") as opened:
            dataset = opened.load()
    except RunFileError:
        raise
    except Exception as error:
        raise RunFileError(f"cannot read {str(path)!r} as a run: {error}; was it written by Run.save?") from error
    if dataset.attrs.get("format") != FORMAT:
        raise RunFileError(f"{str(path)!r} is not a run of this version of locomotor (format {FORMAT!r} expected)")
    try:
        return _fields(dataset)
    except Exception as error:
        raise RunFileError(f"{str(path)!r} is a run, but a damaged one: {error!r}; save it again") from error


def _recognise(file: Path, checked: bool) -> None:
    """Refuse what is no run before the libraries see it: a single wrong bit can make them wait for ever."""
    with file.open("rb") as content:
        begins = content.read(len(HDF5))
    if begins != HDF5:
        raise RunFileError(f"cannot read {str(file)!r} as a run: it is no NetCDF file; give a file written by Run.save")
    wrong = broken_seal(file) if checked else ""
    if wrong:
        raise RunFileError(
            f"cannot read {str(file)!r} as a run: it {wrong}; take another copy, or read it as it is, at your own risk, with "
            "lm.load(..., checked=False)"
        )


def _fields(dataset: Any) -> dict[str, Any]:
    a = dataset.attrs
    names = [str(name) for name in dataset.data_vars if not str(name).startswith("_")]
    time = dataset["time"].to_numpy()
    channels = {name: dataset[name].to_numpy() for name in names}
    for name, values in {"time": time, **channels}.items():
        if values.shape != time.shape or values.ndim != 1 or values.dtype.kind != "f":
            raise ValueError(f"{name} holds {values.dtype} of shape {values.shape}, not one number for each of {time.shape}")
    texts = {name: json.loads(dataset[f"_{name}"].to_numpy().tobytes()) for name in ("events", "system")}
    keys = ("units", "latex", "long_name", "group")
    return dict(
        name=str(a["name"]),
        time=time,
        channels=channels,
        about={name: Channel(*(str(dataset[name].attrs.get(key, "")) for key in keys)) for name in names},
        status=Status(
            Outcome[str(a["outcome"])],
            float(a["status_time"]),
            str(a["status_detail"]),
            str(a.get("status_end", "")),
            str(a.get("status_near", "")),
        ),
        parameters={name: float(value) for name, value in _table("parameters", json.loads(a["parameters"])).items()},
        settings=_table("settings", json.loads(a["settings"])),
        events=Events(_event(_table("an event", entry)) for entry in _list("events", texts["events"])),
        system=None if texts["system"] is None else _system(_table("system", texts["system"])),
    )


def _table(what: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} is {value!r}, not a table")
    return value


def _list(what: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{what} is {value!r}, not a list")
    return value


def _event(data: Mapping[str, Any]) -> Event:
    """An event from its fields as read, numbers and texts where it has such."""
    given: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
    found = Event(**given)
    for field in dataclasses.fields(Event):
        value, kind = getattr(found, field.name), field.type
        if kind in (str, float) and not isinstance(value, str if kind is str else int | float):
            raise ValueError(f"the {field.name} of an event is {value!r}")
    return found


def _data(system: System | None) -> dict[str, Any] | None:
    """What moved as data, if all its parts can be written so."""
    try:
        return None if system is None else to_data(system)
    except ModelError:
        return None


def _system(data: dict[str, Any]) -> System | None:
    """What moved, if the kinds of its parts are known here."""
    try:
        return from_data(data)
    except ModelError:
        return None
