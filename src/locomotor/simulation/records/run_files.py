"""Runs on disk: NetCDF files that any program can read, with a checksum that is looked at before anything else.

Channels are variables over time; the model and the events have groups of their own. Files of the first format, which had both
as bytes among the channels, are read too.
"""

import dataclasses
import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locomotor import __version__
from locomotor.errors import ModelError, RunFileError
from locomotor.files import draft, reserve
from locomotor.model import KindWarning, System, from_data, to_data
from locomotor.seal import SIZE, broken_seal, require_file, seal
from locomotor.simulation.records.channel import Channel
from locomotor.simulation.records.netcdf import Group, Variable, write_groups
from locomotor.simulation.records.tables import TIME, described
from locomotor.simulation.status import Event, Events, Outcome, Status

if TYPE_CHECKING:
    from locomotor.simulation.records.run import Run

FORMAT = "locomotor run 2"
FIRST = "locomotor run 1"
"""Files of this format have events and system as bytes among the channels, under the names `_events` and `_system`."""
GROUPS = ("model", "events")
EVENT_UNITS = {
    "time": "s", "impulse": "N s", "impulse_vector": "N s", "energy_before": "J", "energy_after": "J", "work": "J",
}  # fmt: skip
HDF5 = b"\x89HDF\r\n\x1a\n"
HEADER = 2560
"""Bytes that a file spends on the description of one channel, about."""


def write_run(run: "Run", path: str | Path) -> Path:
    """Write a NetCDF file; it appears under its name only when it is complete.

    The channels are its variables, over time. The groups `model` (what moved, as JSON; parameters; settings) and `events` (one
    row an event) hold the rest.
    """
    target = Path(path)
    groups = {"": _channels(run), "model": _model(run), "events": _events(run.events)}
    size = sum(group.size for group in groups.values())
    count = sum(len(group.variables) for group in groups.values())
    with draft(target) as unfinished:
        reserve(unfinished, size + HEADER * (count + 8) + SIZE)
        write_groups(unfinished, groups)
        seal(unfinished)
    return target


def _channels(run: "Run") -> Group:
    """The channels over time, and how the run ended: the file itself."""
    variables = {TIME: Variable((TIME,), run.time, {"units": "s", "long_name": TIME})}
    variables |= {name: Variable((TIME,), values, described(run.about[name])) for name, values in run.channels.items()}
    about = {
        "format": FORMAT,
        "locomotor_version": __version__,
        "name": run.name,
        "outcome": run.status.outcome.name,
        "status_time": run.status.time,
        "status_detail": run.status.detail,
        "status_end": run.status.end,
        "status_near": run.status.near,
    }
    return Group(variables, about)


def _model(run: "Run") -> Group:
    """What moved and with which values: the group `model` of the file."""
    data = _data(run.system)
    about = {
        "system": "" if data is None else json.dumps(data),
        "settings": json.dumps(dict(run.settings)),
    }
    words = {"system": "the system, JSON (empty where it cannot be written)", "settings": "settings of the run, JSON"}
    variables = {name: Variable((), np.array(text, object), {"long_name": words[name]}) for name, text in about.items()}
    if run.parameters:  # NetCDF has no rows without length
        units = {p.name: p.unit for p in run.system.parameters.parameters} if run.system is not None else {}
        names, values = list(run.parameters), list(run.parameters.values())
        row = ("parameter",)
        variables["parameter"] = Variable(row, np.array(names, object))
        variables["parameter_value"] = Variable(row, np.array(values, float), {"long_name": "value of the parameter"})
        variables["parameter_unit"] = Variable(row, np.array([units.get(name, "") for name in names], object))
    return Group(variables)


def _events(events: Events) -> Group:
    """Events, one row each: the group `events` of the file. Impulses are padded; their own length stands beside them."""
    variables: dict[str, Variable] = {}
    for field in dataclasses.fields(Event) if events else ():
        values = [getattr(event, field.name) for event in events]
        about = {"units": EVENT_UNITS[field.name]} if field.name in EVENT_UNITS else {}
        if field.type is float or field.type is str:
            variables[field.name] = Variable(("event",), np.array(values, float if field.type is float else object), about)
            continue
        width = max(1, *(len(value) for value in values))
        padded = np.array([(*value, *(width - len(value)) * (np.nan,)) for value in values], float)
        variables[field.name] = Variable(("event", f"{field.name}_component"), padded, about)
        variables[f"{field.name}_length"] = Variable(("event",), np.array([len(value) for value in values], np.int32))
    return Group(variables, {"count": len(events)})


def read_fields(path: str | Path, checked: bool = True) -> dict[str, Any]:
    """The fields of a run, by name; a file that is not one, or not as it was written, is refused."""
    import xarray

    file = Path(path)
    require_file(file, "a run")
    try:
        _recognise(file, checked)
        parts = {}
        with xarray.open_dataset(file, engine="h5netcdf") as opened:
            parts["channels"] = opened.load()
        for group in GROUPS if parts["channels"].attrs.get("format") == FORMAT else ():
            with xarray.open_dataset(file, engine="h5netcdf", group=group) as opened:
                parts[group] = opened.load()
    except RunFileError:
        raise
    except Exception as error:
        raise RunFileError(f"cannot read {str(path)!r} as a run: {error}; was it written by Run.save?") from error
    if parts["channels"].attrs.get("format") not in FORMATS:
        raise RunFileError(f"{str(path)!r} is not a run of this version of locomotor (format {FORMAT!r} expected)")
    try:
        found = {**_fields(parts["channels"]), **FORMATS[parts["channels"].attrs["format"]](parts)}
        found["system"], missing = _system(found["system"])
    except Warning:  # where warnings are errors
        raise
    except Exception as error:
        raise RunFileError(f"{str(path)!r} is a run, but a damaged one: {error!r}; save it again") from error
    if missing:
        warnings.warn(f"{str(path)!r}: the run has no system (run.system is None): {missing}", KindWarning, stacklevel=6)
    return found


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
    )


def _first(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters, settings, events and system of a file of the first format."""
    dataset, about = parts["channels"], parts["channels"].attrs
    texts = {name: json.loads(dataset[f"_{name}"].to_numpy().tobytes()) for name in ("events", "system")}
    return dict(
        parameters={name: float(value) for name, value in _table("parameters", json.loads(about["parameters"])).items()},
        settings=_table("settings", json.loads(about["settings"])),
        events=Events(_event(_table("an event", entry)) for entry in _list("events", texts["events"])),
        system=texts["system"],
    )


def _second(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters, settings, events and system from their groups."""
    model, events = parts["model"], parts["events"]
    names = model["parameter"].to_numpy() if "parameter" in model.coords else ()
    values = model["parameter_value"].to_numpy() if len(names) else ()
    system = str(model["system"].item())
    return dict(
        parameters={str(name): float(value) for name, value in zip(names, values, strict=True)},
        settings=_table("settings", json.loads(str(model["settings"].item()))),
        events=Events(_event(_row(events, k)) for k in range(int(events.attrs["count"]))),
        system=json.loads(system) if system else None,
    )


def _row(events: Any, k: int) -> dict[str, Any]:
    """The fields of one event."""
    found: dict[str, Any] = {}
    for field in dataclasses.fields(Event):
        value = events[field.name].to_numpy()[k]
        if field.type is str:
            found[field.name] = str(value)
        elif field.type is float:
            found[field.name] = float(value)
        else:
            found[field.name] = value[: int(events[f"{field.name}_length"].to_numpy()[k])].tolist()
    return found


FORMATS = {FIRST: _first, FORMAT: _second}
"""What is beside the channels, by the format of the file."""


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
    except ModelError as error:
        warnings.warn(f"the file will not tell what moved (run.system): {error}", KindWarning, stacklevel=5)
        return None


def _system(data: Any) -> tuple[System | None, str]:
    """What moved, if the kinds of its parts are known here; otherwise the reason."""
    if data is None:
        return None, ""
    try:
        return from_data(_table("system", data)), ""
    except ModelError as error:
        return None, str(error)
