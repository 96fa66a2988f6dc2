"""Instants at which a run is recorded where they are not equally far apart: as given, or with a last one that comes sooner."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from locomotor.errors import StepperError
from locomotor.simulation.singular import Piece
from locomotor.simulation.status import Outcome
from locomotor.typing import Vector

EVEN = 1e-9
"""Samples this near to dividing the duration, in samples, do divide it; distances this near, relatively, are the same."""


def uneven_samples(sample: Any, duration: float, start: float) -> Vector | None:
    """The instants to record, start and end included; None where they are equally far apart."""
    end = start + duration
    if isinstance(sample, float):
        count = duration / sample
        if abs(count - round(count)) <= EVEN * max(1.0, count):
            return None
        return np.append(start + sample * np.arange(math.floor(count) + 1), end)
    given = np.atleast_1d(np.asarray(sample, dtype=float))
    slack = EVEN * duration
    if given.ndim != 1 or not len(given) or not ((given >= start - slack) & (given <= end + slack)).all():
        raise StepperError(
            f"sample is {sample!r}; give seconds between samples, or times between {start:g} s and {end:g} s"[:300]
        )
    if (np.diff(given) <= 0.0).any():
        raise StepperError(f"sample: the times {np.array2string(given, threshold=6)} do not increase; sort them, each once")
    inner = given[(given > start + slack) & (given < end - slack)]
    return np.concatenate([[start], inner, [end]])


def stretches(samples: Vector, step: float) -> Iterator[tuple[slice, int, float]]:
    """Parts of the samples that are equally far apart: which, how many steps lie between two, and how long these are."""
    first = 0
    while first < len(samples) - 1:
        last, length = first + 1, float(samples[first + 1] - samples[first])
        while last + 1 < len(samples) and abs(samples[last + 1] - samples[last] - length) <= EVEN * length:
            last += 1
        length = float(samples[last] - samples[first]) / (last - first)
        substeps = max(1, math.ceil(length / step - EVEN))
        yield slice(first, last + 1), substeps, length / substeps
        first = last


def joined(pieces: Sequence[Piece]) -> Piece:
    """Pieces with the same pivots, end to end, as one."""
    last = pieces[-1]
    paths = [piece.path or (piece.times, piece.states) for piece in pieces]
    return replace(
        last,
        times=np.concatenate([*(piece.times[:-1] for piece in pieces[:-1]), last.times]),
        states=np.concatenate([*(piece.states[:-1] for piece in pieces[:-1]), last.states]),
        norm_error=max(piece.norm_error for piece in pieces),
        path=(
            np.concatenate([*(times[:-1] for times, _ in paths[:-1]), paths[-1][0]]),
            np.concatenate([*(states[:-1] for _, states in paths[:-1]), paths[-1][1]]),
        ),
    )


def in_stretches(make: Callable[[Vector, Vector, int, float], Piece], state: Vector, samples: Vector, step: float) -> Piece:
    """A piece from the state at the first sample, made in parts (state, samples, steps between two, length of a step)."""
    done: list[Piece] = []
    for part, substeps, dt in stretches(samples, step):
        done.append(make(state, samples[part].copy(), substeps, dt))
        if done[-1].outcome is not Outcome.COMPLETED:
            break
        state = done[-1].end_state
    return joined(done)
