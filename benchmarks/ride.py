"""The bicycle ride that several topics measure: the self-stabilising run at 4.6 m/s of the published experiment."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

import locomotor as lm
from locomotor.simulation import CompiledSystem, Run

Floats = NDArray[np.float64]

DURATION = 5.0
START = {"speed": 4.6, "roll_rate": 0.5}


@cache
def bicycle() -> CompiledSystem:
    """The benchmark bicycle, compiled."""
    return lm.compile(lm.catalogue.bicycle("meijaard2007"))


@cache
def start() -> Floats:
    """Its initial state."""
    return bicycle().start(START)


@cache
def reference(intervals: int) -> Run:
    """The ride by dop853 at a relative tolerance of 1e-13, at equal intervals."""
    stepper = lm.Adaptive(rtol=1e-13, atol=1e-14)
    return lm.simulate(bicycle().system, duration=DURATION, start=START, stepper=stepper, sample=DURATION / intervals)


@cache
def states(count: int) -> tuple[Floats, Floats, Floats]:
    """So many instants of the ride: reduced states, and coordinates and velocities of the whole tree."""
    run, layout = reference(count - 1), bicycle().system.layout
    names = (
        bicycle().state_names,
        [symbol.name for symbol in layout.coordinates],
        [symbol.name for symbol in layout.velocities],
    )
    reduced, q, v = (np.stack([run[name] for name in group], axis=1) for group in names)
    return reduced, q, v
