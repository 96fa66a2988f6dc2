"""A run as a table for other programs: xarray, pandas and CSV, with the units of every channel."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from locomotor import checks
from locomotor.errors import ArgumentError
from locomotor.files import draft
from locomotor.simulation.records.channel import Channel

if TYPE_CHECKING:
    from locomotor.simulation.records.run import Run

TIME = "time"


def as_dataset(run: "Run", names: Sequence[str] = ()) -> Any:
    """Channels over time as an `xarray.Dataset`, all of them without names, each with its unit, meaning and LaTeX."""
    import xarray

    variables = {}
    for name in chosen(run, names):
        variables[name] = (TIME, run[name], described(run.about[name]))
    about_run = {"name": run.name, "status": str(run.status), **{f"parameter_{k}": v for k, v in run.parameters.items()}}
    return xarray.Dataset(variables, {TIME: (TIME, run.time, {"units": "s", "long_name": TIME})}, about_run)


def described(channel: Channel) -> dict[str, str]:
    """What a channel is, by the names that files and tables use for it."""
    return {"units": channel.unit, "long_name": channel.description, "latex": channel.latex, "group": channel.group}


def as_frame(run: "Run", names: Sequence[str] = (), units: bool = False) -> Any:
    """Channels as columns of a `pandas.DataFrame` with the time as index; with `units`, heads such as `roll (rad)`."""
    import pandas

    picked = chosen(run, names)
    heads = {name: headed(name, run.about[name].unit) if units else name for name in picked}
    index = pandas.Index(run.time, name=headed(TIME, "s") if units else TIME)
    frame = pandas.DataFrame({heads[name]: run[name] for name in picked}, index=index)
    frame.attrs = {"name": run.name, "units": {TIME: "s", **{name: run.about[name].unit for name in picked}}}
    return frame


def write_csv(run: "Run", path: str | Path, names: Sequence[str] = (), units: bool = False) -> Path:
    """Write the table as text, numbers with all their digits; the file appears under its name only when it is complete."""
    target = Path(path)
    frame = as_frame(run, names, units)
    with draft(target) as unfinished:
        frame.to_csv(unfinished, lineterminator="\n")
    return target


def chosen(run: "Run", names: Sequence[str]) -> list[str]:
    """Channels that are asked for, or all; a name that is none is refused with the nearest, one given twice too."""
    for k, name in enumerate(names):
        run[name]  # raises, with the nearest name, for an unknown one
        if name in names[:k]:
            raise ArgumentError(f"the channel {checks.shown(name)} is named twice; name each once")
    return [name for name in names if name in run.channels] if names else list(run.channels)


def headed(name: str, unit: str) -> str:
    """Head of a column: name and unit, where there is one."""
    return f"{name} ({unit})" if unit not in ("", "1") else name
