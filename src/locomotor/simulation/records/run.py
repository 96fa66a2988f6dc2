"""A `Run`: what happened, as named channels with units; saved to and loaded from NetCDF."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial, singledispatch
from pathlib import Path
from typing import Any

import numpy as np

from locomotor import checks
from locomotor.checks import door
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError, ArgumentTypeError, RunFileError, UnknownNameError
from locomotor.model import TEXTS, ParameterSet, System, read_described, write_parameters, write_system
from locomotor.names import NameMap, suggestion
from locomotor.simulation.records.audit import Audit, audit
from locomotor.simulation.records.channel import Channel as Channel
from locomotor.simulation.records.pose import Pose, pose_of
from locomotor.simulation.records.quadrature import SAME
from locomotor.simulation.records.reactions import AXES, JointWrench, reaction_channels, reactions_of
from locomotor.simulation.records.run_files import read_fields, write_run
from locomotor.simulation.records.tables import as_dataset, as_frame, write_csv
from locomotor.simulation.status import Event, Events, Status
from locomotor.typing import Vector


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


@checks.doors
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
        plain = checks.name(name, "the name of a channel", error=UnknownNameError)
        if plain in ("time", "t"):
            return self.time
        if plain not in self.channels:
            raise UnknownNameError(f"the run has no channel {checks.shown(name)}: {suggestion(plain, self.channels)}")
        return self.channels[plain]

    def __contains__(self, name: object) -> bool:
        """Whether a channel exists."""
        return isinstance(name, str) and name in self.channels

    def __len__(self) -> int:
        """Number of samples."""
        return len(self.time)

    def __repr__(self) -> str:
        """The run in one line."""
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

    @door(body=checks.text, seen_from=checks.text)
    def pose(self, body: str, *, seen_from: str = "world") -> Pose:
        """Where a body is: `run.pose("fork").position` (samples, 3), `.rotation` (samples, 3, 3), `.quaternion`, `.yaw` ...

        `seen_from` is "world", a plane of the system, so that angles are relative to a slope, or another body.
        """
        return pose_of(self, body, seen_from)

    @door(joint=checks.text, axes=checks.choice(*AXES))
    def reaction(self, joint: str, *, axes: str = "world") -> JointWrench:
        """What the parent of a joint does to its child: `run.reaction("knee").force` and `.moment`, each (samples, 3).

        The moment is about the origin of the child. Components are along the axes of the "world", the "parent" or the "child".
        Impacts, whose forces are not finite, are left out.
        """
        return reactions_of(self, [joint], axes)[0]

    @door(joints=checks.names)
    def with_reactions(self, *joints: str) -> "Run":
        """The same run with what holds joints, all or those named, as channels, which the page draws as arrows too.

        `knee_reaction_x` and so on are the force of `reaction("knee")`, `knee_moment_x` its moment, along world axes.
        """
        added, about = reaction_channels(self, joints)
        again = None if self.again is None else lambda: self.again().with_reactions(*joints)  # type: ignore[misc]
        return replace(self, channels={**self.channels, **added}, about={**self.about, **about}, again=again)

    @door(kind=checks.text)
    def group(self, kind: str) -> dict[str, Vector]:
        """All channels of one group, such as "velocities" or "gaps"."""
        return {name: self.channels[name] for name, channel in self.about.items() if channel.group == kind}

    @door(time=checks.number)
    def at(self, time: float) -> dict[str, float]:
        """All channels at the sample nearest to a time, of two at the same instant the first; a time outside is refused."""
        slack = 1e-9 * max(1.0, abs(float(self.time[-1])))
        if not self.time[0] - slack <= time <= self.time[-1] + slack:
            raise ArgumentError(
                f"time is {time:g} s, and the run lasts from {self.time[0]:g} s to {self.time[-1]:g} s; ask for a time within"
            )
        return self._row(int(np.abs(self.time - time).argmin()))

    def before(self, event: "Event | float") -> dict[str, float]:
        """All channels just before an event, such as `run.events.of(kind="impact")[0]`, or just before an instant."""
        return self._row(self._beside(event)[0])

    def after(self, event: "Event | float") -> dict[str, float]:
        """All channels just after everything that happened at the instant of an event, or just after an instant."""
        return self._row(self._beside(event)[1])

    def _row(self, i: int) -> dict[str, float]:
        return {name: float(values[i]) for name, values in self.channels.items()}

    def _beside(self, event: "Event | float") -> tuple[int, int]:
        """The first and the last sample at the instant of an event."""
        time = checks.number(event.time if isinstance(event, Event) else event, "the instant of an event")
        at = np.flatnonzero(np.abs(self.time - time) <= SAME * max(1.0, abs(time)))
        if not len(at):
            raise ArgumentError(
                f"the run has no sample at t = {time:.9g} s; name one of run.events, or record the instant with sample=[...]"
            )
        return int(at[0]), int(at[-1])

    @door(halve=checks.flag)
    def audit(self, *, halve: bool = False) -> Audit:
        """How far the run may be trusted: energy, contacts, rotations; with `halve`, against a run at half the step."""
        if not halve or self.again is None:
            return audit(self)
        with warnings.catch_warnings():
            # A run that ends early does so again; that is known already.
            warnings.simplefilter("ignore", UserWarning)
            return audit(self, self.again())

    # -- doors to viewing -----------------------------------------------------------------------------

    @door(names=checks.names, kind=checks.text, path=checks.optional(checks.path))
    def plot(self, *names: str, kind: str = "curves", path: str | Path | None = None, **options: Any) -> Any:
        """A figure, saved when a path is given.

        `kind` is "curves" (channels against time, those that move when none is named), "plane" (two channels), "top" or
        "side" (paths, with the system drawn every `every` seconds), "energy", "forces", "events" (contacts that open and
        close: gaps, impulses, energy) or "modes" (which of them are closed).
        """
        from locomotor.viewing.plots import plot_run

        return plot_run(self, names, kind, path, **options)

    @door(path=checks.path, channels=checks.names)
    def to_html(self, path: str | Path, *, channels: Sequence[str] = (), **options: Any) -> Path:
        """Write ONE file that plays the motion offline, with the curves of some channels beside it."""
        from locomotor.viewing.page import to_html

        return to_html(self, path, channels=channels, **options)

    @door(path=checks.path)
    def to_glb(self, path: str | Path, **options: Any) -> Path:
        """Write the motion as animated glTF, for Blender and slides."""
        from locomotor.viewing.scene import to_glb

        return to_glb(self, path, **options)

    @door(path=checks.either(checks.number, checks.path))
    def to_png(self, path: str | Path | float, time: float | None = None, **options: Any) -> Path:
        """Write a picture of the system at an instant (s), the end unless given; `size=(960, 600)` in pixels.

        `to_png(1.5)` names the file itself, after the system and the instant.
        """
        from locomotor.viewing.film import to_png

        if isinstance(path, str | Path):
            return to_png(self, path, time, **options)
        return to_png(self, f"{self.name}-{path:g}s.png", path, **options)

    @door(path=checks.path)
    def to_video(self, path: str | Path, **options: Any) -> Path:
        """Write the motion as a film, .gif or .mp4: `size=(640, 400)`, `rate=20` frames a second, `speed=1`."""
        from locomotor.viewing.film import to_video

        return to_video(self, path, **options)

    def view(self, **options: Any) -> Path:
        """Play the motion in the browser: the page of `to_html` in a temporary file, whose path is returned."""
        from locomotor.viewing.page import open_page

        return open_page(self, **options)

    def _repr_html_(self) -> str:
        """What a notebook shows: how it ended, the audit, curves, and the scene to unfold."""
        from locomotor.viewing.report import run_card

        return run_card(self)

    # -- tables for other programs --------------------------------------------------------------------

    @door(names=checks.names)
    def to_xarray(self, *names: str) -> Any:
        """The channels as an `xarray.Dataset` over time, each with unit, meaning and LaTeX; some of them where named."""
        return as_dataset(self, names)

    @door(names=checks.names, units=checks.flag)
    def to_dataframe(self, *names: str, units: bool = False) -> Any:
        """The channels as a `pandas.DataFrame`, the time as index; with `units`, columns such as `roll (rad)`.

        The units are in `frame.attrs["units"]` in any case. An instant at which something happens has two rows.
        """
        return as_frame(self, names, units)

    @door(path=partial(checks.path, error=RunFileError), names=checks.names, units=checks.flag)
    def to_csv(self, path: str | Path, *names: str, units: bool = False) -> Path:
        """Write the channels as text, one row a sample, numbers with all their digits; with `units` in the heads."""
        return write_csv(self, path, names, units)

    # -- files ----------------------------------------------------------------------------------------

    @door(path=partial(checks.path, error=RunFileError))
    def save(self, path: str | Path) -> Path:
        """Write a NetCDF file with a checksum; it appears under its name only when it is complete.

        A plain file of that name is replaced; a folder, a device or a pipe is refused.
        """
        return write_run(self, _own_name(path))

    @classmethod
    @door(path=partial(checks.path, error=RunFileError), checked=checks.flag)
    def load(cls, path: str | Path, *, checked: bool = True) -> "Run":
        """Read a run back; a file that is not one, or whose checksum does not fit what it holds, is refused.

        `checked=False` reads a file without its checksum: one written before locomotor had them, or changed by another
        program. What is damaged in it may then come back as wrong numbers, or not at all.
        """
        return cls(**read_fields(path, checked))


@door(what=checks.instance(System, Run, remedy="give a System, or a Run that simulate returned"))
def view(what: System | Run, **options: Any) -> Any:
    """Show a run in the browser, or a system as a live page with sliders (see `viewing.live.LiveView`)."""
    from locomotor.viewing.live import view as live

    return what.view(**options) if isinstance(what, Run) else live(what, **options)


@door(path=partial(checks.path, error=RunFileError), checked=checks.flag)
def load(path: str | Path, *, checked: bool = True, **robot: Any) -> Any:
    """What `save` wrote: a `Run`, or of a text (TOML, JSON, YAML, CSV) a `System` or a `ParameterSet`; or a robot.

    A run that does not fit its checksum is refused, unless `checked` is False. Robots are files of URDF, MJCF and SDF; what may
    be asked of them (`base="free"`, `contacts=["foot"]`) is told at `import_robot`, and what they lose by a `RobotWarning`.
    """
    from locomotor.robots import ROBOTS, load_robot

    kind = Path(path).suffix.lower()
    if kind in ROBOTS:
        return load_robot(path, **robot)
    if robot:
        raise ArgumentError(f"load: {', '.join(robot)} can be asked of robots only, files that end in {', '.join(ROBOTS)}")
    if kind in TEXTS:
        return read_described(path)
    return Run.load(path, checked=checked)


def _own_name(path: str | Path) -> str | Path:
    """A name that `load` takes for that of a run."""
    from locomotor.robots import ROBOTS

    if (kind := Path(path).suffix.lower()) in TEXTS or kind in ROBOTS:
        raise RunFileError(
            f"{str(path)!r}: runs are NetCDF files, and lm.load reads {kind} as a text or a robot; give a name such as "
            f"{Path(path).with_suffix('.nc').name!r}, or use to_csv"
        )
    return path


@checks.fitting
def save(what: System | ParameterSet | Run, path: str | Path) -> Path:
    """Write a run as NetCDF, or a system or a parameter set as text to read and edit; `load` reads it back, exactly.

    The end of the name says which text: "bike.toml", ".json" or ".yaml"; for parameters ".csv" too. ".xml" is MJCF, for what
    that format can say of a system; a `RobotWarning` tells what it cannot.
    """
    return _save(what, checks.path(path, "save: path", error=RunFileError))


@singledispatch
def _save(what: object, path: str) -> Path:
    raise ArgumentTypeError(f"save: {checks.shown(what)} cannot be saved; give a Run, a System or a ParameterSet")


@_save.register
def _(what: Run, path: str) -> Path:
    return write_run(what, _own_name(path))


@_save.register
def _(what: System, path: str) -> Path:
    from locomotor.robots import MJCF, write_mjcf

    return write_mjcf(what, path) if Path(path).suffix.lower() in MJCF else write_system(what, path)


@_save.register
def _(what: ParameterSet, path: str) -> Path:
    return write_parameters(what, path)
