"""Angles that go on turning: what comes out of atan2 made continuous along the motion itself, however sparse its samples.

Between two samples a body may turn any number of times. The motion is therefore followed from step to step, and where a step
turns far, or nothing but samples was kept, it is made again from there in shorter steps. Only whole turns are counted so: an
angle itself is that of its sample.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from locomotor.simulation.compiled import CompiledSystem
from locomotor.simulation.ends import Roll
from locomotor.simulation.singular import Piece
from locomotor.typing import Vector

Look = Callable[[Vector, Vector], tuple[Vector, Vector]]
"""(times, states) -> angles, one column each, and how fast anything may turn (rad/s)."""

WHOLE = 2.0 * np.pi
FAR = 0.5 * np.pi
"""A step that may turn by more (rad) is looked into: the nearest of all branches is certain below pi only."""
ONE_STEP = 1.5
"""States this many steps apart have no other between them."""
TOGETHER, MOST_STEPS = 64, 65_536
"""Intervals, and steps, that are made again at a time, so that little is kept and nothing drifts away from the samples."""
LEAST, DEEPEST = 4, 6
"""Parts into which a step is divided at least, and how many times: one that passes a pole of the chart exactly turns by pi
however short it is."""
MOST_PARTS = 4096
"""Parts into which a step is divided at most; one that turns farther is none of a motion that a stepper could follow."""


def angle_names(compiled: CompiledSystem) -> tuple[str, ...]:
    """Channels that come out of atan2."""
    return next((port.names for port in compiled.traced.observation.outputs if port.name == "angles"), ())


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
    length, apart = np.diff(times), np.diff(raw, axis=0)
    by = _wrapped(apart)
    fastest = np.maximum(spin[1:], spin[:-1])
    with np.errstate(invalid="ignore"):
        far = (np.abs(by).max(axis=1, initial=0.0) > FAR) | (fastest * length > FAR)
        parts = np.where(length > ONE_STEP * step, np.ceil(length / step - 1e-6), 1.0)
        parts = np.where(far, np.maximum(np.maximum(parts, LEAST), np.ceil(2.0 * fastest * length / FAR)), parts)
        hopeless = ~np.isfinite(parts) | (far & (fastest * np.minimum(length, step) > FAR * MOST_PARTS))
        # Deeper down only what passes a pole is left, and there is little of it.
        parts = np.minimum(parts, MOST_STEPS if deep == 0 else LEAST)
    parts = np.where(hopeless | (length <= 0.0), 1.0, parts).astype(int)
    for first, last in _blocks(np.flatnonzero(parts > 1), length, parts) if deep < DEEPEST else ():
        count, n = last - first, int(parts[first])
        h = (float(times[last]) - float(times[first])) / (count * n)
        within = np.asarray(roll(float(times[first]), states[first], count * n, h))
        if len(within) > count * n:  # else the motion cannot be made again, as beside a singular shape
            path = float(times[first]) + h * np.arange(count * n + 1, dtype=np.float64)
            total = np.diff(followed(path, within, look, roll, h, deep + 1)[::n], axis=0)
            by[first:last] += WHOLE * np.rint(np.nan_to_num(total - by[first:last]) / WHOLE)
    # Whole turns are added to the angles, so that these stay those of the samples to the last digit.
    turns = np.nan_to_num(np.rint((by - apart) / WHOLE))
    return np.asarray(raw + WHOLE * np.concatenate([np.zeros((1, raw.shape[1])), np.cumsum(turns, axis=0)]))


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


def follow_piece(piece: Piece, roll: Roll, parameters: Vector, step: float) -> Vector:
    """Continuous angles at the samples of a piece, found along its steps where these were kept."""
    times, states = piece.times, piece.states
    if piece.path is not None:
        on_the_way = piece.path[0] < times[-1]
        every = np.concatenate([times, piece.path[0][on_the_way]])
        times, first = np.unique(every, return_index=True)
        states = np.concatenate([states, piece.path[1][on_the_way]])[first]
    angles = followed(times, states, look_of(piece.compiled, parameters), roll, step)
    return np.asarray(angles[np.searchsorted(times, piece.times)])


def continued(channels: Mapping[str, Vector], names: Sequence[str], angles: Vector) -> dict[str, Vector]:
    """Channels out of atan2 on the branches of continuous angles, one column each."""
    raw = np.stack([channels[name] for name in names], axis=1)
    found = raw + WHOLE * np.rint(np.nan_to_num(angles - raw) / WHOLE)
    return {name: np.ascontiguousarray(found[:, k]) for k, name in enumerate(names)}


def joined(parts: Sequence[Vector]) -> list[Vector]:
    """Angles of the parts of a run, each continuous, end to end; each begins at the pose where the one before it ends.

    What does not exist in a part goes on where it was last known.
    """
    found: list[Vector] = []
    known = np.full(parts[0].shape[1], np.nan)
    for part in parts:
        there = np.isfinite(part)
        start = part[there.argmax(axis=0), np.arange(part.shape[1])]
        found.append(part + WHOLE * np.rint(np.nan_to_num(known - start) / WHOLE))
        end = found[-1][len(part) - 1 - there[::-1].argmax(axis=0), np.arange(part.shape[1])]
        known = np.where(there.any(axis=0), end, known)
    return found
