"""How much another step changes a run: over the instants both have, relative to how much each channel moves.

Events come at slightly different times. Between the two times of one event the runs are not comparable (one has jumped, the
other has not): those samples are left out, and the shift itself is told apart.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from locomotor.simulation.records.quadrature import SAME
from locomotor.typing import Integers, Vector

if TYPE_CHECKING:
    from locomotor.simulation.records.run import Run

Places = Integers

MOTION = ("coordinates", "velocities", "angles")
"""Groups of channels that make up the motion."""
FLOOR = 1e-3
"""A channel that moves less than this share of the others of its unit is measured against them."""
AT_REST = 1e-11
"""A channel that moves by less than this (SI units) is at rest, and what it does is round-off."""


def difference(run: Run, other: Run) -> tuple[float, str, float | None]:
    """Largest relative difference, the channel it is in, and the largest shift of an event (None without events)."""
    mine, theirs = _common(run.time, other.time)
    shifts = _shifts(run, other)
    for first, last in shifts:
        apart = (run.time[mine] < first) | (run.time[mine] > last)
        mine, theirs = mine[apart], theirs[apart]
    worst, where = 0.0, ""
    moving = {name: channel for name, channel in run.about.items() if channel.group in MOTION and name in other}
    # An open contact has no place on the ground: channels may be undefined, in both runs, for a while.
    known = {name: ~(np.isnan(run[name][mine]) & np.isnan(other[name][theirs])) for name in moving}
    spans = {name: _span(run[name][mine][known[name]]) for name in moving}
    by_unit: dict[str, float] = {}
    for name, channel in moving.items():
        by_unit[channel.unit] = max(by_unit.get(channel.unit, 0.0), spans[name])
    for name, channel in moving.items():
        scale = max(spans[name], FLOOR * by_unit[channel.unit])
        if scale > AT_REST:
            change = float(np.abs((run[name][mine] - other[name][theirs])[known[name]]).max(initial=0.0)) / scale
            if not change <= worst:
                worst, where = change, name
    return worst, where, max((last - first for first, last in shifts), default=None)


def _shifts(run: Run, other: Run) -> list[tuple[float, float]]:
    """Of every event of contacts, both times in order; none where the runs do not have the same events."""
    a, b = ([event for event in each.events if event.contact] for each in (run, other))
    if [event.name for event in a] != [event.name for event in b]:
        return []
    pairs = [(one.time, another.time) for one, another in zip(a, b, strict=True)]
    return [(min(pair), max(pair)) for pair in pairs]


def _span(values: Vector) -> float:
    """How much a channel moves; what a single sample holds."""
    if not len(values):
        return 0.0
    span = float(np.ptp(values)) if len(values) > 1 else abs(float(values[0]))
    return span if math.isfinite(span) else 0.0


def _common(a: Vector, b: Vector) -> tuple[Places, Places]:
    """Places of the instants that two runs share; of an instant with two samples, the first."""
    if len(a) == len(b) and np.array_equal(a, b):
        return np.arange(len(a)), np.arange(len(b))
    first = np.concatenate([[True], np.diff(a) > 0.0]) if len(a) else np.zeros(0, dtype=bool)
    mine = np.flatnonzero(first)
    theirs = np.minimum(np.searchsorted(b, a[mine] - SAME), len(b) - 1)
    good = np.abs(b[theirs] - a[mine]) <= SAME
    return mine[good], theirs[good]
