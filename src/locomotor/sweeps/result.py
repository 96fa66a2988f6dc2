"""From chunks to one dataset: measures over the points, with names, units and settings."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from locomotor.errors import SweepError
from locomotor.mechanics.chart import chart_symbols
from locomotor.model import System
from locomotor.seal import broken_seal, require_file
from locomotor.sweeps.job import Job
from locomotor.sweeps.outcome import Measured, PointStatus
from locomotor.sweeps.samples import Grid
from locomotor.sweeps.shown import shown
from locomotor.sweeps.store import differences

KEPT = 50
"""Reasons kept in a result."""


def assemble(job: Job, parts: list[Measured]) -> Any:
    """The dataset of a sweep; `parts` are its chunks in order."""
    import xarray

    points = job.points
    grid = isinstance(points.samples, Grid)
    dimensions = points.names if grid else ("point",)
    notes = symbols(job.system)
    coordinates: dict[str, Any] = {
        name: (name if grid else "point", values, notes.get(name, {}))
        for name, values in (points.over if grid else points.part(0, points.count)).items()
    }
    names = dict.fromkeys(name for part in parts for name in part.values)
    if {*names} & {*points.names, "status"}:
        twice = ", ".join(sorted({*names} & {*points.names, "status"}))
        raise SweepError(f"the measure {twice} has the name of something else in the sweep; rename it")
    about = job.measure.describe()
    variables: dict[str, Any] = {}
    for name in names:
        columns = [part.values.get(name, np.full(len(part.status), np.nan)) for part in parts]
        variables[name] = (dimensions, np.concatenate(columns).reshape(points.shape), about.get(name, {}))
    status = np.concatenate([part.status for part in parts]).reshape(points.shape)
    meaning = {
        "flag_values": np.array([kind.value for kind in PointStatus], dtype=np.int8),
        "flag_meanings": " ".join(kind.name.lower() for kind in PointStatus),
    }
    variables["status"] = (dimensions, status, meaning)
    reasons = [
        {"point": job.span(index)[0] + point, "reason": text}
        for index, part in enumerate(parts)
        for point, text in part.reasons.items()
    ]
    attributes = {
        "format": job.settings["format"],
        "system": "" if job.system is None else job.system.name,
        "settings": json.dumps(job.settings),
        "reasons": json.dumps(reasons[:KEPT]),
    }
    return shown(xarray.Dataset(variables, coordinates, attributes))


def symbols(system: System | None) -> dict[str, dict[str, str]]:
    """Units and meaning of whatever may vary."""
    if system is None:
        return {}
    found = {s.name: (s.unit, s.description) for s in (*system.layout.symbols, *chart_symbols(system))}
    return {name: {"units": unit, "description": text} for name, (unit, text) in found.items()}


def finished(job: Job, out: Path) -> Any:
    """The dataset of a sweep that was finished before, or an error that says what the file is."""
    import xarray

    remedy = "choose another out, or remove the file"
    require_file(out, "a sweep")
    try:
        wrong = broken_seal(out)
        if wrong:
            raise SweepError(f"{str(out)!r} exists and is not a sweep as it was written: it {wrong}; {remedy}")
        with xarray.open_dataset(out, engine="h5netcdf") as opened:
            dataset = opened.load()
        before = json.loads(dataset.attrs["settings"])
    except SweepError:
        raise
    except Exception as error:
        raise SweepError(f"{str(out)!r} exists and is not a sweep; {remedy}") from error
    changed = differences(before, job.settings)
    if changed:
        raise SweepError(f"{str(out)!r} exists and is a sweep with other settings ({'; '.join(changed)}); {remedy}")
    return shown(dataset)
