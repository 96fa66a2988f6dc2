"""Angles that go on turning: what comes out of atan2 made continuous along the motion itself, however sparse its samples.

Between two samples a body may turn any number of times. The recorded channels tell where that cannot be: samples one step
apart, near to each other, with small velocities. Elsewhere the motion is followed from step to step, and where a step turns
far, or nothing but samples was kept, it is made again from there in shorter steps. Only whole turns are counted so: an angle
itself is that of its sample.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor.dataclass import dataclass
from locomotor.simulation.compiled import CompiledSystem
from locomotor.simulation.ends import Roll
from locomotor.typing import Vector

Look = Callable[[Vector, Vector], tuple[Vector, Vector]]
"""(times, states) -> angles, one column each, and how fast anything may turn (rad/s)."""

WHOLE = 2.0 * np.pi
FAR = 0.5 * np.pi
"""A step that may turn by more (rad) is looked into: the nearest of all branches is certain below pi only."""
CALM = 4.0
"""Between samples of a calm motion nothing turns by more than `FAR`, were it so many times as fast as at the samples."""
ONE_STEP = 1.5
"""States this many steps apart have no other between them."""
TOGETHER, MOST_STEPS = 64, 65_536
"""Intervals, and steps, that are made again at a time, so that little is kept and nothing drifts away from the samples."""
LEAST, DEEPEST = 4, 6
"""Parts into which a step is divided at least, and how many times: one that passes a pole of the chart exactly turns by pi
however short it is."""
MOST_PARTS = 4096
"""Parts into which a step is divided at most; one that turns farther is none of a motion that a stepper could follow."""


@dataclass(frozen=True, eq=False)
class Together:
    """Tracks that differ in their parameters only are read at once: a call costs more than a few samples."""

    kind: Any
    """Equal for tracks that may be read so."""
    channels: Callable[[Vector, Vector, Vector], dict[str, Vector]]
    """Everything that is recorded, at some instants and states with a row of parameters each."""


@dataclass(frozen=True, eq=False)
class Track:
    """Samples of a run that one compiled system has made, how to read them, and how to make their motion again."""

    compiled: CompiledSystem
    times: Vector
    states: Vector
    parameters: Vector
    """Values of the parameters left free."""
    roll: Roll
    """The motion from any of the states on."""
    channels: Callable[[Vector, Vector], dict[str, Vector]]
    """Everything that is recorded, at some instants and states."""
    path: tuple[Vector, Vector] | None = None
    """Instants and states of every step, where those were kept and samples are fewer."""
    together: "Together | None" = None
    """How to read tracks of one kind at once."""


def angle_names(compiled: CompiledSystem) -> tuple[str, ...]:
    """Channels that come out of atan2."""
    return next((port.names for port in compiled.traced.observation.outputs if port.name == "angles"), ())


def continuous(
    tracks: Sequence[Track], channels: Mapping[str, Vector], about: Mapping[str, Any], step: float
) -> dict[str, Vector]:
    """The channels out of atan2 that turn past pi, continuous over a whole run; those that do not are right as they are.

    Args:
        tracks: the parts of the run; each begins where the one before it ends.
        channels: what was recorded of their samples.
        about: unit and group of each channel.
        step: samples this far apart have none between that need be seen, unless they turn far; infinite where all are given.
    """
    names = [name for name, channel in about.items() if channel.group == "angles"]
    if not names:
        return {}
    raw = np.stack([channels[name] for name in names], axis=1)
    rates = [channels[name] for name, channel in about.items() if channel.group == "velocities" and channel.unit == "rad/s"]
    spin = np.sum(np.abs(rates), axis=0) if rates else np.zeros(len(raw))
    times = np.concatenate([track.times for track in tracks])
    apart = np.diff(_last_known(raw), axis=0)
    by = _wrapped(apart)
    parts = _parts(np.diff(times), by, spin, step)
    first = 0
    for track in tracks:
        inside = slice(first, first + len(track.times) - 1)  # between tracks no time passes
        if (parts[inside] > 1).any() if track.path is None else not _is_calm(track, by[inside], spin[first : inside.stop + 1]):
            _follow(track, by[inside], parts[inside], names, step)
        first += len(track.times)
    turns = np.rint((by - apart) / WHOLE)
    if not turns.any():
        return {}
    found = raw + WHOLE * np.concatenate([np.zeros((1, len(names))), np.cumsum(turns, axis=0)])
    return {name: np.ascontiguousarray(found[:, k]) for k, name in enumerate(names)}


def _last_known(raw: Vector) -> Vector:
    """Angles where they are, or were last, known: those of an open contact do not exist."""
    there = np.isfinite(raw)
    if there.all():
        return raw
    rows = np.maximum.accumulate(np.where(there, np.arange(len(raw))[:, None], 0), axis=0)
    return np.nan_to_num(np.take_along_axis(raw, rows, axis=0))


def _is_calm(track: Track, by: Vector, spin: Vector) -> bool:
    """Whether nothing can turn far between two samples: not even `CALM` times as fast as anything turns at any of them.

    The steps between are read off their states: independent velocities grow to no more than twice those of the samples, what
    depends on them, through a kernel whose pivots are watched, by twice again. Motions that laws of time impose show in none.
    """
    assert track.path is not None
    traced = track.compiled.traced
    imposed = len(traced.moving) < len(traced.system.joints) or bool(traced.system.constraints)
    fastest = spin.max(initial=0.0) * np.diff(track.times).max(initial=0.0)
    if imposed or not CALM * fastest <= FAR or not np.abs(by).max(initial=0.0) <= FAR:  # not a number is not calm
        return False
    speeds, on_the_way = track.states[:, traced.nq :], track.path[1][:, traced.nq :]
    return bool(np.abs(on_the_way).max(initial=0.0) <= 2.0 * np.abs(speeds).max(initial=0.0))


def _follow(track: Track, by: Vector, parts: NDArray[np.int_], names: Sequence[str], step: float) -> None:
    """Put the angles between the samples of a track on the branches that its motion leads to."""
    own = angle_names(track.compiled)
    columns = [names.index(name) for name in own]
    look, times, states = look_of(track.compiled, track.parameters), track.times, track.states
    if track.path is None:
        mine = by[:, columns]
        _look_closer(mine, times, states, parts, look, track.roll, 0)
    else:
        on_the_way = track.path[0] < times[-1]
        every, first = np.unique(np.concatenate([times, track.path[0][on_the_way]]), return_index=True)
        along = np.concatenate([states, track.path[1][on_the_way]])[first]
        angles = followed(every, along, look, track.roll, step)
        mine = np.diff(angles[np.searchsorted(every, times)], axis=0)
    by[:, columns] += WHOLE * np.rint(np.nan_to_num(mine - by[:, columns]) / WHOLE)


def look_of(compiled: CompiledSystem, parameters: Vector) -> Look:
    """How to look at the angles of a system along a motion; no input changes them."""
    count, inputs = len(angle_names(compiled)), np.zeros(len(compiled.input_names))
    kernel = compiled.turning

    def look(times: Vector, states: Vector) -> tuple[Vector, Vector]:
        with np.errstate(all="ignore"):
            found = np.asarray(kernel(times[:, None], states, inputs, parameters)[0])
        return found[:, :count], np.abs(found[:, count:]).sum(axis=1)

    return look


def followed(times: Vector, states: Vector, look: Look, roll: Roll, step: float, deep: int = 0) -> Vector:
    """Continuous angles at some states of a motion, one column each.

    Args:
        times: their instants.
        states: one a row.
        look: angles and speeds at states.
        roll: the motion from any of the states on.
        step: states this far apart have none between that need be seen, unless they turn far; infinite where all are given.
        deep: how many times steps have been divided already.
    """
    raw, spin = look(times, states)
    apart = np.diff(raw, axis=0)
    by = _wrapped(apart)
    _look_closer(by, times, states, _parts(np.diff(times), by, spin, step, deep), look, roll, deep)
    # Whole turns are added to the angles, so that these stay those of the samples to the last digit.
    turns = np.nan_to_num(np.rint((by - apart) / WHOLE))
    return np.asarray(raw + WHOLE * np.concatenate([np.zeros((1, raw.shape[1])), np.cumsum(turns, axis=0)]))


def _parts(length: Vector, by: Vector, spin: Vector, step: float, deep: int = 0) -> NDArray[np.int_]:
    """Parts into which the motion between two states has to be divided for its turns to be certain; 1 where they are."""
    fastest = np.maximum(spin[1:], spin[:-1])
    with np.errstate(invalid="ignore"):
        far = (np.abs(by).max(axis=1, initial=0.0) > FAR) | (fastest * length > FAR)
        if not far.any() and length.max(initial=0.0) <= ONE_STEP * step:
            return np.ones(len(length), dtype=int)
        parts = np.where(length > ONE_STEP * step, np.ceil(length / step - 1e-6), 1.0)
        parts = np.where(far, np.maximum(np.maximum(parts, LEAST), np.ceil(2.0 * fastest * length / FAR)), parts)
        hopeless = ~np.isfinite(parts) | (far & (fastest * np.minimum(length, step) > FAR * MOST_PARTS))
        # Deeper down only what passes a pole is left, and there is little of it.
        parts = np.minimum(parts, MOST_STEPS if deep == 0 else LEAST)
    return np.where(hopeless | (length <= 0.0), 1.0, parts).astype(int)


def _look_closer(by: Vector, times: Vector, states: Vector, parts: NDArray[np.int_], look: Look, roll: Roll, deep: int) -> None:
    """Make the motion again where it has to be divided, and correct by how much the angles change there."""
    for first, last in _blocks(np.flatnonzero(parts > 1), np.diff(times), parts) if deep < DEEPEST else ():
        count, n = last - first, int(parts[first])
        h = (float(times[last]) - float(times[first])) / (count * n)
        within = np.asarray(roll(float(times[first]), states[first], count * n, h))
        if len(within) > count * n:  # else the motion cannot be made again, as beside a singular shape
            path = float(times[first]) + h * np.arange(count * n + 1, dtype=np.float64)
            total = np.diff(followed(path, within, look, roll, h, deep + 1)[::n], axis=0)
            by[first:last] += WHOLE * np.rint(np.nan_to_num(total - by[first:last]) / WHOLE)


def _wrapped(angle: Vector) -> Vector:
    """An angle between -pi and pi, the nearest to zero of all branches."""
    return np.asarray(angle - WHOLE * np.rint(angle / WHOLE))


def _blocks(where: NDArray[np.int_], length: Vector, parts: NDArray[np.int_]) -> list[tuple[int, int]]:
    """Intervals beside each other that are equally long and divided alike, some together."""
    found: list[tuple[int, int]] = []
    for i in where.tolist():
        if found and found[-1][1] == i:
            first = found[-1][0]
            alike = parts[i] == parts[first] and abs(length[i] - length[first]) <= 1e-9 * length[first]
            if alike and i - first < TOGETHER and (i + 1 - first) * parts[i] <= MOST_STEPS:
                found[-1] = (first, i + 1)
                continue
        found.append((i, i + 1))
    return found
