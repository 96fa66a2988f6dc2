"""The one recorder: a motion, whatever integrated it, becomes a `Run`."""

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.model import Ends, System
from locomotor.simulation.ends import ended, last_event
from locomotor.simulation.records import Channel, Run, crowded, violated, with_attitude
from locomotor.simulation.status import Event, Events, Status
from locomotor.simulation.turning import Track, continuous
from locomotor.tracing import TracedSystem
from locomotor.typing import Flags, Integers, Vector


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
    parts, count = _read(tracks), sum(len(track.times) for track in tracks)
    channels = _joined(parts, count, about)
    channels |= continuous(tracks, channels, about, course.step)
    times = np.concatenate([track.times for track in tracks])
    if course.snapped is not None:
        times = course.snapped(times)
    if course.recorded is not None:
        times, channels = times[course.recorded], {name: values[course.recorded] for name, values in channels.items()}
    status = ended(course.ends, course.end, course.status.time, channels, about) if course.end else course.status
    if status.ok:
        status = violated(times, channels, about, lambda: _driven(tracks)) or crowded(times, channels, about) or status
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


def _driven(tracks: Sequence[Track]) -> bool:
    """Whether motions are imposed, or constraints have right-hand sides."""
    return any(track.compiled.traced.motion.driven is not None for track in tracks)


Part = tuple[Mapping[str, Vector], Integers | slice]
"""Channels of some samples, and which these are."""


def _read(tracks: Sequence[Track]) -> list[Part]:
    """The channels of all tracks, those of one kind read together."""
    starts = list(accumulate((len(track.times) for track in tracks), initial=0))
    groups: dict[Any, list[int]] = {}
    for k, track in enumerate(tracks):
        groups.setdefault(k if track.together is None else (track.together.kind,), []).append(k)
    found: list[Part] = []
    places: Integers | slice
    for which in groups.values():
        first = tracks[which[0]]
        if len(which) == 1 or first.together is None:
            found.append((first.channels(first.times, first.states), slice(starts[which[0]], starts[which[0] + 1])))
            continue
        own = [tracks[k] for k in which]
        parameters = np.repeat([track.parameters for track in own], [len(track.times) for track in own], axis=0)
        times, states = (np.concatenate(arrays) for arrays in zip(*((t.times, t.states) for t in own), strict=True))
        whole = len(which) == len(tracks)
        places = slice(None) if whole else np.concatenate([np.arange(starts[k], starts[k + 1]) for k in which])
        found.append((first.together.channels(times, states, parameters), places))
    return found


def _joined(parts: Sequence[Part], count: int, about: Mapping[str, Channel]) -> dict[str, Vector]:
    """The channels of all parts, with a value where one does not exist; those of a part that is everything, as read."""
    (first, _), *more = parts
    if not more:
        return {name: first[name] if name in first else np.full(count, absent(channel)) for name, channel in about.items()}
    found: dict[str, Vector] = {}
    for name, channel in about.items():
        own = [(part.get(name), places) for part, places in parts]
        there = [(values, places) for values, places in own if values is not None]
        found[name] = np.empty(count) if len(there) == len(own) else np.full(count, absent(channel))
        for values, places in there:
            found[name][places] = values
    return found


def absent(channel: Channel) -> float:
    """What a channel holds where it does not exist, as that of a contact which is open."""
    return 0.0 if channel.group in ("multipliers", "contact_forces", "contact_moments", "slips", "powers") else np.nan
