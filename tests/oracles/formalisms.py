"""The same system in two formalisms: how far its runs are apart."""

import numpy as np

import locomotor as lm


def apart(system: lm.System, duration: float, step: float, start: dict[str, float]) -> tuple[lm.Run, float, float]:
    """The run in maximal coordinates, and how far events (s), coordinates and velocities differ from those of the tree."""
    tree, free = (lm.simulate(system, duration, start=start, step=step, coordinates=kind) for kind in ("reduced", "maximal"))
    assert free.status.completed and free.settings["coordinates"] == "maximal"
    assert [event.name for event in free.events] == [event.name for event in tree.events]
    times = max((abs(a.time - b.time) for a, b in zip(free.events, tree.events, strict=True)), default=0.0)
    names = [symbol.name for symbol in (*system.layout.coordinates, *system.layout.velocities)]
    return free, times, max(float(np.abs(free[name] - tree[name]).max()) for name in names)
