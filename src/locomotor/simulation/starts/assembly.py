"""Starts of systems with loops: the branch in which the nominal pose can be assembled is kept on the way to what is asked for.

A four-bar linkage closes in two ways for one angle of its crank. So the nominal pose is assembled first, from the rough guess
that it may be; then what the start gives is brought to its values bit by bit, loops and gaps closed after each.
"""

from collections.abc import Iterator

import numpy as np

from locomotor.errors import AssemblyError
from locomotor.mechanics.chart import assemble, assembled, chart_from_coordinates, chart_symbols, impossible, largest
from locomotor.tracing import TracedSystem
from locomotor.typing import Floats, Vector

BIT = 0.1
"""How far (rad, m) what is given moves at once."""
MOST_BITS = 200
FINEST = 8
"""A bit from which loops do not close is halved this often."""
CLOSED = 1e-10
"""Conditions (m, rad) smaller than this are met."""


def closed_loops(
    traced: TracedSystem,
    nominal: Vector,
    wanted: Vector,
    movable: list[int],
    time: float,
    free: Vector,
    everything: bool = True,
) -> Vector:
    """Chart coordinates with loops (and gaps) closed: those that may not move as wanted, the others near the nominal pose."""
    every = [name.removesuffix("_gap") for name in traced.gaps_of_chart.outputs[0].names]
    loops = {name for c in traced.system.loops for name, _ in (*c.position_rows, *c.extra_positions)}
    loops |= {name for c in traced.system.loops for name in c.sense_names}
    chosen = [k for k, name in enumerate(every) if everything or name in loops]
    rows = [every[k] for k in chosen]
    fixed = [i for i in range(len(wanted)) if i not in movable]
    names = [symbol.name for symbol in chart_symbols(traced.system)]

    def closed(theta: Vector, moving: list[int]) -> tuple[Vector, Vector]:
        def look(place: Vector) -> tuple[Vector, Floats]:
            arguments = (np.array([time]), place, free)
            (gaps,), (slopes,) = traced.gaps_of_chart(*arguments), traced.gap_slopes(*arguments)
            return np.asarray(gaps, dtype=float)[chosen], np.asarray(slopes, dtype=float)[chosen][:, moving]

        def move(place: Vector, step: Vector) -> Vector:
            moved = place.copy()
            moved[moving] += step
            return moved

        return assemble(theta, look, move)

    def refuse(left: Vector, about: str) -> AssemblyError:
        remedy = "Give fewer or other coordinates, change a length, or pass assemble=False to leave loops open as they are"
        return impossible(f"start{about}", traced.system, rows, left, remedy)

    straight, left = closed(wanted, [])
    if largest(left) <= CLOSED:
        return straight
    every_one = list(range(len(nominal)))
    theta, left = closed(nominal, every_one)
    for guess in _beside(traced, time):  # asked for only where the nominal pose itself leads nowhere
        if largest(left) <= CLOSED:
            break
        theta, left = closed(guess, every_one)
    if largest(left) > CLOSED:
        raise refuse(left, "")
    far = wanted[fixed] - theta[fixed]
    size = min(BIT / max(float(np.abs(far).max(initial=0.0)), BIT), 1.0)
    size = max(size, 1.0 / MOST_BITS)
    done, least = 0.0, size * 0.5**FINEST
    begin = theta[fixed]
    while done < 1.0:
        size = min(size, 1.0 - done)
        tried = theta.copy()
        tried[fixed] = begin + (done + size) * far if done + size < 1.0 else wanted[fixed]
        tried, left = closed(tried, movable)
        if largest(left) <= CLOSED:
            theta, done = tried, done + size
            continue
        size *= 0.5
        if size < least:
            straight, left = closed(wanted, movable)  # values that belong together need not on the way there
            if largest(left) <= CLOSED:
                return straight
            given = ", ".join(f"{names[i]} = {theta[i]:.4g}" for i in fixed)
            raise refuse(left, f" (it can be followed as far as {given})" if given else "")
    return theta


def _beside(traced: TracedSystem, time: float) -> Iterator[Vector]:
    """Charts of the pose around which the equations were derived: bars that lie in one line do not know which way to bend."""
    system, imposed = traced.system, traced.reduction.imposed
    for held in (system, system.replace(contacts=())):
        try:
            pose = assembled(held, system.nominal_pose(), imposed, time)
        except AssemblyError:
            continue
        yield np.array(chart_from_coordinates(system, pose), dtype=float)
