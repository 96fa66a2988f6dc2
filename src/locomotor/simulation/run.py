"""A `Run`: what happened, as named channels with units; saved to and loaded from NetCDF."""

import dataclasses
import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor import __version__
from locomotor.errors import ModelError, RunFileError, UnknownNameError
from locomotor.model import System
from locomotor.model.names import NameMap, suggestion
from locomotor.model.serialise import from_data, to_data
from locomotor.simulation.audit import Audit, audit
from locomotor.simulation.files import draft, reserve
from locomotor.simulation.status import Event, Events, Outcome, Status

Vector = NDArray[np.float64]
FORMAT = "locomotor run 1"
HEADER = 2560
"""Bytes that a file spends on the description of one channel, about."""


@dataclass(frozen=True)
class Channel:
    """What a channel is: unit, LaTeX, meaning, and the group it belongs to."""

    unit: str
    latex: str
    description: str
    group: str


class ByContact(Mapping[str, Vector]):
    """Three-vectors in world axes by the name of the contact, each (samples, 3)."""

    def __init__(self, run: "Run", what: str) -> None:
        """Collect the channels `<contact>_<what>_x` and so on."""
        suffix = f"_{what}_x"
        self._run, self._what = run, what
        self._names = tuple(n.removesuffix(suffix) for n in run.channels if n.endswith(suffix))

    def __getitem__(self, name: str) -> Vector:
        """The vectors of one contact."""
        if name not in self._names:
            raise UnknownNameError(f"no contact is named {name!r}: {suggestion(name, self._names)}")
        return np.stack([self._run[f"{name}_{self._what}_{axis}"] for axis in "xyz"], axis=-1)

    def __iter__(self) -> Iterator[str]:
        """Names of the contacts."""
        return iter(self._names)

    def __len__(self) -> int:
        """Number of contacts."""
        return len(self._names)


@dataclass(frozen=True, eq=False)
class Run:
    """A motion: `run["roll"]` is a channel, `run.time` the instants, `run.status` how it ended."""

    name: str
    time: Vector
    channels: Mapping[str, Vector]
    about: Mapping[str, Channel]
    status: Status
    parameters: Mapping[str, float] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    events: Events = field(default_factory=Events)
    """What happened on the way: a tuple that prints as a table."""
    system: System | None = field(default=None, repr=False)
    """What moved; not known of a run read from a file when it has kinds of bodies, joints or forces unknown here."""
    again: "Callable[[], Run] | None" = field(default=None, repr=False)
    """The same run at half the step (or a hundredth of the tolerance); not known of a run read from a file."""

    def __getitem__(self, name: str) -> Vector:
        """A channel by name."""
        if name in ("time", "t"):
            return self.time
        if name not in self.channels:
            raise UnknownNameError(f"the run has no channel {name!r}: {suggestion(name, self.channels)}")
        return self.channels[name]

    def __contains__(self, name: object) -> bool:
        """Whether a channel exists."""
        return name in self.channels

    def __len__(self) -> int:
        """Number of samples."""
        return len(self.time)

    def __repr__(self) -> str:
        """One line."""
        return f"<Run of {self.name!r}: {len(self)} samples, {len(self.channels)} channels, {self.status}>"

    @property
    def energy(self) -> Vector:
        """Total energy at each sample."""
        return self["kinetic_energy"] + self["potential_energy"]

    @property
    def forces(self) -> Mapping[str, Vector]:
        """Ground reactions in world axes, by contact: `run.forces["rear"]` is (samples, 3)."""
        return ByContact(self, "force")

    @property
    def torques(self) -> Mapping[str, Vector]:
        """Torques of the drives by joint: the law's where a torque drives it, what the motion needs where it is imposed."""
        found = {name.removesuffix("_drive_torque"): values for name, values in self.group("torques").items()}
        return NameMap("joint with a drive", found)

    @property
    def static_torques(self) -> Mapping[str, Vector]:
        """Parts of `torques` that move nothing, by imposed joint: they balance the forces that `static` prescribes.

        Constraints that do not over-determine their forces leave none. The rest of a torque is its kinematic part.
        """
        found = {name.removesuffix("_static_torque"): values for name, values in self.group("static_torques").items()}
        return NameMap("imposed joint with a torque that moves nothing", found)

    @property
    def contact_points(self) -> Mapping[str, Vector]:
        """Contact points in the world, by contact."""
        return ByContact(self, "point")

    def group(self, kind: str) -> dict[str, Vector]:
        """All channels of one group, such as "velocities" or "gaps"."""
        return {name: self.channels[name] for name, channel in self.about.items() if channel.group == kind}

    def at(self, time: float) -> dict[str, float]:
        """All channels at the sample nearest to a time."""
        i = int(np.abs(self.time - time).argmin())
        return {name: float(values[i]) for name, values in self.channels.items()}

    def audit(self, *, halve: bool = False) -> Audit:
        """How far the run may be trusted: energy, contacts, rotations; with `halve`, against a run at half the step."""
        if not halve or self.again is None:
            return audit(self)
        with warnings.catch_warnings():
            # A run that ends early does so again; that is known already.
            warnings.simplefilter("ignore", UserWarning)
            return audit(self, self.again())

    # -- doors to viewing -----------------------------------------------------------------------------

    def plot(self, *names: str, kind: str = "curves", path: str | Path | None = None, **options: Any) -> Any:
        """A figure, saved when a path is given.

        `kind` is "curves" (channels against time, those that move when none is named), "plane" (two channels), "top" or
        "side" (paths, with the system drawn every `every` seconds), "energy", "forces", "events" (contacts that open and
        close: gaps, impulses, energy) or "modes" (which of them are closed).
        """
        from locomotor.viewing.plot import plot_run

        return plot_run(self, names, kind, path, **options)

    def to_html(self, path: str | Path, *, channels: Sequence[str] = (), **options: Any) -> Path:
        """Write ONE file that plays the motion offline, with the curves of some channels beside it."""
        from locomotor.viewing.html import to_html

        return to_html(self, path, channels=channels, **options)

    def to_glb(self, path: str | Path, **options: Any) -> Path:
        """Write the motion as animated glTF, for Blender and slides."""
        from locomotor.viewing.glb import to_glb

        return to_glb(self, path, **options)

    def view(self, **options: Any) -> Path:
        """Play the motion in the browser: the page of `to_html` in a temporary file, whose path is returned."""
        from locomotor.viewing.html import open_page

        return open_page(self, **options)

    def _repr_html_(self) -> str:
        """What a notebook shows: how it ended, the audit, curves, and the scene to unfold."""
        from locomotor.viewing.notebook import run_card

        return run_card(self)

    # -- files ----------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> Path:
        """Write a NetCDF file; it appears under its name only when it is complete."""
        import xarray

        target = Path(path)
        attributes = {
            "format": FORMAT,
            "locomotor_version": __version__,
            "name": self.name,
            "outcome": self.status.outcome.name,
            "status_time": self.status.time,
            "status_detail": self.status.detail,
            "parameters": json.dumps(dict(self.parameters)),
            "settings": json.dumps(dict(self.settings)),
        }
        variables: dict[str, Any] = {
            name: ("time", values, {"units": c.unit, "latex": c.latex, "long_name": c.description, "group": c.group})
            for (name, values), c in zip(self.channels.items(), self.about.values(), strict=True)
        }
        events = [dataclasses.asdict(event) for event in self.events]
        for name, data in (("events", events), ("system", _data(self.system))):
            # As bytes: HDF5 allows attributes of 64 kB only.
            content = np.frombuffer(json.dumps(data).encode(), dtype=np.uint8)
            variables[f"_{name}"] = (f"_{name}_bytes", content, {"long_name": f"{name}, JSON in UTF-8"})
        dataset = xarray.Dataset(variables, {"time": ("time", self.time, {"units": "s"})}, attributes)
        with draft(target) as unfinished:
            reserve(unfinished, dataset.nbytes + HEADER * (len(variables) + 8))
            dataset.to_netcdf(unfinished, engine="h5netcdf")
        return target

    @classmethod
    def load(cls, path: str | Path) -> "Run":
        """Read a run back; a file that is not one is refused."""
        import xarray

        try:
            with xarray.open_dataset(Path(path), engine="h5netcdf") as opened:
                dataset = opened.load()
        except Exception as error:
            raise RunFileError(f"cannot read {str(path)!r} as a run: {error}; was it written by Run.save?") from error
        if dataset.attrs.get("format") != FORMAT:
            raise RunFileError(f"{str(path)!r} is not a run of this version of locomotor (format {FORMAT!r} expected)")
        try:
            return cls._from_dataset(dataset)
        except (KeyError, TypeError, ValueError) as error:
            raise RunFileError(f"{str(path)!r} is a run, but a damaged one: {error!r}; save it again") from error

    @classmethod
    def _from_dataset(cls, dataset: Any) -> "Run":
        a = dataset.attrs
        names = [str(name) for name in dataset.data_vars if not str(name).startswith("_")]
        texts = {name: json.loads(dataset[f"_{name}"].to_numpy().tobytes()) for name in ("events", "system")}
        return cls(
            name=str(a["name"]),
            time=dataset["time"].to_numpy(),
            channels={name: dataset[name].to_numpy() for name in names},
            about={
                name: Channel(
                    *(str(dataset[name].attrs.get(key, "")) for key in ("units", "latex", "long_name", "group"))
                )
                for name in names
            },
            status=Status(Outcome[str(a["outcome"])], float(a["status_time"]), str(a["status_detail"])),
            parameters=json.loads(a["parameters"]),
            settings=json.loads(a["settings"]),
            events=Events(_event(entry) for entry in texts["events"]),
            system=_system(texts["system"]),
        )


def _event(data: Mapping[str, Any]) -> Event:
    """An event from its fields as read."""
    fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
    return Event(**fields)


def view(what: System | Run, **options: Any) -> Any:
    """Show a run in the browser, or a system as a live page with sliders (see `viewing.live.LiveView`)."""
    from locomotor.viewing.live import view as live

    return what.view(**options) if isinstance(what, Run) else live(what, **options)


def _data(system: System | None) -> dict[str, Any] | None:
    """What moved as data, if all its parts can be written so."""
    try:
        return None if system is None else to_data(system)
    except ModelError:
        return None


def _system(data: dict[str, Any] | None) -> System | None:
    """What moved, if the kinds of its parts are known here."""
    try:
        return None if data is None else from_data(data)
    except ModelError:
        return None
