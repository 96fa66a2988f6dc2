"""Runs whose blocked velocities do not vanish: what moves is told, and the run is not called complete."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from locomotor.simulation.status import HOLLOW, LOST_TOUCH, NARROW, Outcome, Status
from locomotor.typing import Vector

SLIP = 1e-6
"""A blocked velocity above this, relative to the fastest, means that constraints contradict imposed motions or each other."""


def crowded(times: Vector, channels: Mapping[str, Vector], about: Mapping[str, Any]) -> Status | None:
    """The status of a run in which a ball comes into a hollow of a surface that it does not fit into."""
    entered: dict[str, int] = {}
    for name, channel in about.items():
        if channel.group == "roundness":
            contact = name.removesuffix("_roundness")
            off = np.abs(channels[f"{contact}_gap"]) if f"{contact}_gap" in channels else np.zeros(len(times))
            with np.errstate(invalid="ignore"):
                wrong = (channels[name] <= 0.0) | ((channels[name] < NARROW) & (off > LOST_TOUCH))
            if wrong.any():
                entered[contact] = int(wrong.argmax())
    if not entered:
        return None
    contact = min(entered, key=lambda each: entered[each])
    return Status(Outcome.SUNK, float(times[entered[contact]]), f"the ball of contact {contact!r} {HOLLOW}")


def violated(
    times: Vector, channels: Mapping[str, Vector], about: Mapping[str, Any], driven: Callable[[], bool]
) -> Status | None:
    """The status of a run in which a blocked velocity is not zero.

    Imposed motions or right-hand sides bring that about, where there are any: `driven`; otherwise a position at which the row
    vanishes, or depends on others there alone, so that it was left out as implied.
    """
    slips = {name: np.abs(channels[name]) for name, channel in about.items() if channel.group == "slips"}
    if all(float(values.max()) <= SLIP for values in slips.values()):  # however slow everything is
        return None
    fastest = max((float(np.abs(channels[n]).max()) for n, c in about.items() if c.group == "velocities"), default=0.0)
    limit = SLIP * max(1.0, fastest)
    worst = max(slips, key=lambda name: float(slips[name].max()), default="")
    if not worst or float(slips[worst].max()) <= limit:
        return None
    first = float(times[int(np.argmax(slips[worst] > limit))])
    name = worst.removesuffix("_slip")
    why = (
        "the imposed motions contradict the constraints, or right-hand sides each other: impose fewer, or make them agree"
        if driven()
        else "the run began at a singular position, where this condition tells nothing or depends on others: begin elsewhere, "
        "or give lengths with which it can move"
    )
    moves = f"{name} moves at up to {slips[worst].max():.3g} {about[worst].unit}".rstrip()
    return Status(Outcome.INCOMPATIBLE, first, f"{moves}, which must be zero; {why}")
