"""The one recorder: a motion, whatever integrated it, becomes a `Run`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.model import Ends, System
from locomotor.simulation.ends import ended, last_event
from locomotor.simulation.records import Channel, Run, violated, with_attitude
from locomotor.simulation.status import Event, Events, Status
from locomotor.simulation.turning import Track, continuous
from locomotor.tracing import TracedSystem
from locomotor.typing import Flags, Vector


@dataclass(frozen=True, eq=False)
class Course:
    """The motion of a run before it is recorded."""

    tracks: Sequence[Track]
    """Parts of the motion, each of which begins where the one before it ends."""
    about: Mapping[str, Channel]
    """Every channel of the run: what it is."""
    status: Status
    """How the motion ended, unless one of the ends was reached."""
    step: float
    """Samples this far apart have none between; infinite where the stepper chooses."""
    settings: Mapping[str, Any]
    """How the motion was computed."""
    events: Sequence[Event] = ()
    end: str = ""
    """The end that was reached, if any."""
    ends: Ends = ()
    recorded: Flags | None = None
    """Which samples of all tracks are recorded; None for all of them."""
    snapped: Callable[[Vector], Vector] | None = None
    """Instants as they are told, where steps keep beside those at which laws jump."""
    beyond: Callable[[], str] = str
    """Words for a step beyond the limit of stability of an explicit method, asked for where a run has gone wrong."""


def described(traced: TracedSystem) -> dict[str, Channel]:
    """Every channel of one traced system: what it is."""
    about = {
        field.name: Channel(field.unit, field.latex, field.description, port.name)
        for port in traced.observation.outputs
        for field in port.fields
    }
    return about | dict.fromkeys(traced.controller_states, Channel("", "", "state of the controller", "controller"))


def record(system: System, course: Course, again: Callable[[], Run] | None = None) -> Run:
    """Channels of all tracks, angles continuous, and how the run ended; `again` makes the same run at half the step."""
    tracks, about = course.tracks, course.about
    parts = [track.channels(track.times, track.states) for track in tracks]
    lengths = [len(track.times) for track in tracks]
    channels = {name: _joined(name, parts, lengths, absent(channel)) for name, channel in about.items()}
    channels |= continuous(tracks, channels, about, course.step)
    times = np.concatenate([track.times for track in tracks])
    if course.snapped is not None:
        times = course.snapped(times)
    if course.recorded is not None:
        times, channels = times[course.recorded], {name: values[course.recorded] for name, values in channels.items()}
    status = ended(course.ends, course.end, course.status.time, channels, about) if course.end else course.status
    if status.ok:
        status = violated(times, channels, about) or status
    status = with_attitude(status, system, times, channels)
    return Run(
        name=system.name,
        time=times,
        channels=channels,
        about=dict(about),
        status=status,
        parameters=dict(system.parameters.values),
        settings=dict(course.settings),
        events=Events([*course.events, *last_event(status)]),
        system=system,
        again=again,
    )


def _joined(name: str, parts: Sequence[Mapping[str, Vector]], lengths: Sequence[int], absent: float) -> Vector:
    """A channel of all parts, with a value where it does not exist."""
    own = [part.get(name) for part in parts]
    there = [values for values in own if values is not None]
    if len(there) == len(own):
        return np.concatenate(there)
    found, first = np.full(sum(lengths), absent), 0
    for values, length in zip(own, lengths, strict=True):
        if values is not None:
            found[first : first + length] = values
        first += length
    return found


def absent(channel: Channel) -> float:
    """What a channel holds where it does not exist, as that of a contact which is open."""
    return 0.0 if channel.group in ("multipliers", "contact_forces", "contact_moments", "slips", "powers") else np.nan
