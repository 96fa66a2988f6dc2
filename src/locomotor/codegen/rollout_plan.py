"""What a roll-out is asked to do, and the arrays it fills; shared by the compiled and the Python driver."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from locomotor import checks
from locomotor.codegen.implicit import IMPLICIT, Implicit
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError
from locomotor.typing import Flags, Floats, Integers

EXPLICIT = {"rk4": 4, "abm4": 4, "abm5": 5}
"""Explicit steppers, with orders: Runge-Kutta-Munthe-Kaas 4; Adams-Bashforth 4 with Adams-Moulton 4 or 5, one correction."""
STEPPERS = EXPLICIT | dict.fromkeys(IMPLICIT, 2)
"""All of them; the implicit ones are midpoint and generalised alpha."""

_A_STEPPER = checks.choice(*STEPPERS)

MOST_STEPS = 2**53
"""Steps up to which the time of each is a number of its own."""

FINISHED, MONITOR, NOT_FINITE, NO_STATE, UNSOLVED = 0, 1, 2, 3, 5
"""Values of `Progress.status`, as in `runtime/rollout.h`; the last is that of implicit steps without a solution."""

IMPOSSIBLE = 4
"""Status of an instance that was not tried, because its parameters are those of nothing real."""


@dataclass(frozen=True)
class Plan:
    """Steps to take: how many, how long, how many between saves (0: none are made), by which method, from which time."""

    steps: int
    dt: float
    save_every: int = 1
    stepper: str | Implicit = "rk4"
    start_time: float = 0.0
    breaks: tuple[float, ...] = ()
    """Instants at which laws of time may jump, in order: steps end there."""

    def __post_init__(self) -> None:
        """Refuse what makes no sense, and keep numbers as Python's own: those of numpy may overflow."""
        vars(self).update(
            steps=checks.whole(self.steps, "steps", most=MOST_STEPS),
            save_every=checks.whole(self.save_every, "save_every", most=MOST_STEPS),
            dt=checks.number(self.dt, "dt"),
            start_time=checks.number(self.start_time, "start_time"),
            stepper=self.stepper if isinstance(self.stepper, Implicit) else _A_STEPPER(self.stepper, "stepper"),
        )
        if self.dt == 0.0:
            raise ArgumentError("dt is 0.0 s; a step must not be zero: give dt > 0, or dt < 0 to run backwards")

    @property
    def implicit(self) -> Implicit | None:
        """The implicit method, if it is one."""
        return self.stepper if isinstance(self.stepper, Implicit) else IMPLICIT.get(self.stepper)

    @property
    def saves(self) -> int:
        """Number of saved rows, the initial one included."""
        return self.steps // self.save_every + 1 if self.save_every else 0

    @property
    def times(self) -> Floats:
        """Times of the saved rows."""
        return self.start_time + self.dt * (self.save_every * np.arange(float(self.saves)))


@dataclass
class Progress:
    """Arrays filled by a roll-out; see `locomotor.codegen.rollout.Rollout`. At first `final` is the initial states."""

    saved: Floats
    final: Floats
    measures: Floats
    status: NDArray[np.int32]
    completed: Integers
    monitor: NDArray[np.int32]

    @classmethod
    def start(cls, states: Floats, saves: int, width: int | None = None, measures: int = 0) -> Progress:
        """Nothing done yet from `states` (batch, nx); saved rows are `width` wide, as the states when left out."""
        batch, size = states.shape
        columns = size if width is None else width
        with checks.room_for("what this roll-out saves", checks.product("what this roll-out saves", (batch, saves, columns))):
            return cls(
                saved=np.full((batch, saves, columns), np.nan),
                final=states.copy(),
                measures=np.full((batch, measures), np.nan),
                status=np.zeros(batch, dtype=np.int32),
                completed=np.zeros(batch, dtype=np.int64),
                monitor=np.full(batch, -1, dtype=np.int32),
            )

    def stop(self, which: Flags, status: int, completed: int, monitor: int = -1) -> None:
        """Record why and where some instances ended."""
        self.status[which] = status
        self.completed[which] = completed
        self.monitor[which] = monitor


def finite_rows(states: Floats) -> Flags:
    """Which rows hold finite numbers only."""
    return np.asarray(np.isfinite(states).all(axis=1))
