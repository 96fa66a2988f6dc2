"""What a flight that went wrong says beside the time: how it lay in the air when it was last well."""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from locomotor.model import System, Wing
from locomotor.simulation.status import Status
from locomotor.typing import Vector

ANGLES = ("roll", "pitch", "yaw")


def with_attitude(status: Status, system: System | None, time: Vector, channels: Mapping[str, Vector]) -> Status:
    """The status of a flyer that went wrong, with roll, pitch and yaw of the last sample that is finite; others as they are."""
    if status.ok or system is None or not any(isinstance(force, Wing) for force in system.forces):
        return status
    if not all(name in channels for name in ANGLES):
        return status
    angles = np.array([channels[name] for name in ANGLES])
    finite = np.flatnonzero(np.isfinite(angles).all(axis=0))
    if not finite.size:
        return status
    last = finite[-1]
    told = ", ".join(f"{name} {math.degrees(value):.3g}" for name, value in zip(ANGLES, angles[:, last], strict=True))
    words = f"at t = {time[last]:.6g} s it flew with {told} degrees"
    return replace(status, detail=f"{status.detail}; {words}" if status.detail else words)
