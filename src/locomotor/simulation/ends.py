"""Where a motion is over: its ends looked at along what was integrated, and the instant at which the first is reached.

Between two states the motion is the stepper's own: a trial instant is reached by one step of another length, so that an end
lies on the integrated motion itself, and is found to round-off.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np

from locomotor.codegen import Kernel
from locomotor.dataclass import dataclass
from locomotor.errors import InconsistentStartError, QuantityError
from locomotor.model import EXAMPLE, Ends, Expression, System, read_ends
from locomotor.simulation.compiled import CalledLaw
from locomotor.simulation.roots import root_between
from locomotor.simulation.singular import Piece
from locomotor.simulation.status import Event, Outcome, Status
from locomotor.typing import Vector

EndsGiven = Mapping[str, str | Expression] | Literal["declared"] | None
Roll = Callable[[float, Vector, int, float], Vector]
"""(time, state, steps, length of a step) -> states, the first among them."""

ROUND_OFF = 1e-15
"""An end is located to this, in seconds from the last state before it."""
AHEAD, MOMENT = 0.5, 1e-5
"""An end that a motion would reach within the first (s), as it is changing over the second, is what it is on the way to."""
MOST_LOOKED_AT = 500_000
"""States of a smooth run at which its ends and turns are looked at, where recorded samples are fewer than its steps."""


def chosen_ends(system: System, given: EndsGiven) -> Ends:
    """The ends of a run: those the system declares, others, or none."""
    if isinstance(given, str):
        if given != "declared":
            raise QuantityError(f"ends is {given!r}; give expressions by name, {EXAMPLE}, None, or 'declared'")
        return system.ends
    return () if given is None else read_ends(given)


def looked_at(wanted: bool, steps: int, substeps: int) -> int:
    """Steps from one state at which ends and turns are looked at to the next: every step, unless that is too much to keep."""
    return 1 if wanted and steps <= MOST_LOOKED_AT else substeps


@dataclass(frozen=True, eq=False)
class Watch:
    """The ends of one compiled system, with its inputs and parameters."""

    ends: Ends
    kernel: Kernel
    inputs: Vector
    parameters: Vector
    law: CalledLaw | None = None
    """A controller called from Python, whose inputs take the place of the others; asked only where an end depends on them."""

    @cached_property
    def _asks(self) -> bool:
        return self.law is not None and self.kernel.traced.reads("inputs")

    def values(self, times: Vector, states: Vector) -> Vector:
        """What must stay positive, one column for each end."""
        with np.errstate(all="ignore"):  # a motion past its end may be anything
            inputs = self.law.at(times, states) if self.law is not None and self._asks else self.inputs
            return np.asarray(self.kernel(times[:, None], states, inputs, self.parameters)[0])

    def check_start(self, name: str, time: float, state: Vector) -> None:
        """Refuse a start beyond an end, and ends that are no numbers there."""
        for (end, law), value in zip(self.ends, self.values(np.array([time]), state[None])[0], strict=True):
            if np.isnan(value):
                raise InconsistentStartError(
                    f"start: {name} starts where its end {end!r} is not a number: {law} is {value}; give an expression that is "
                    "one wherever the system may be"
                )
            if value < 0.0:
                raise InconsistentStartError(
                    f"start: {name} starts beyond its end {end!r}: {law} is {value:.4g}, and must be positive; start it "
                    "elsewhere, give other ends, or ends=None"
                )

    def first(self, times: Vector, states: Vector) -> int | None:
        """The first state at which some end is passed."""
        passed = (self.values(times, states) < 0.0).any(axis=1)
        return int(passed.argmax()) if passed.any() else None

    def locate(self, t: float, x: Vector, h: float, roll: Roll) -> tuple[str, float, Vector]:
        """The first end that is reached within a step: its name, the length of the step to it, the state there."""

        def value(s: float, i: int) -> float:
            return float(self.values(np.array([t + s]), roll(t, x, 1, s)[-1:] if s else x[None])[0, i])

        found: dict[str, float] = {}
        for i, (name, _) in enumerate(self.ends):
            if value(h, i) < 0.0:
                before = value(0.0, i) > 0.0
                found[name] = root_between(partial(value, i=i), 0.0, h, xtol=ROUND_OFF) if before else 0.0
        name = min(found, key=lambda each: found[each])
        return name, found[name], roll(t, x, 1, found[name])[-1] if found[name] else x

    def ahead(self, t: float, x: Vector, roll: Roll) -> tuple[str, str]:
        """The end that a motion which stops short of it was about to reach, and how near it was; empty where there is none."""
        states = roll(t, x, 1, MOMENT)
        if len(states) < 2:
            return "", ""
        now, then = self.values(np.array([t, t + MOMENT]), states[:2])
        with np.errstate(all="ignore"):
            left = np.where(then < now, MOMENT * now / (now - then), np.inf)
        i = int(np.nan_to_num(left, nan=np.inf).argmin())
        if not left[i] <= AHEAD:
            return "", ""
        name, law = self.ends[i]
        return name, f"{law} is {now[i]:.3g}, and zero some {left[i]:.2g} s later"


def cut(piece: Piece, watch: Watch, step: float, roll: Roll) -> Piece:
    """The piece up to the first end that it reaches, with a sample there; the piece itself where it reaches none."""
    k = watch.first(piece.times, piece.states)
    if k is None:
        return piece
    if k == 0:  # a piece begins where the one before it was still good, to round-off
        t, x = float(piece.times[0]), piece.states[0]
        name = watch.ends[int(watch.values(piece.times[:1], piece.states[:1])[0].argmin())][0]
        times, states = piece.times[:1], piece.states[:1]
        return replace(piece, times=times, states=states, outcome=Outcome.ENDED, end_time=t, end_state=x, end=name)
    t, x = float(piece.times[k - 1]), piece.states[k - 1]
    steps = max(1, round((float(piece.times[k]) - t) / step)) if step else 1
    h = (float(piece.times[k]) - t) / steps
    if steps > 1:
        fine = roll(t, x, steps, h)
        j = watch.first(t + h * np.arange(len(fine), dtype=np.float64), fine) or steps
        begin, x = t + (j - 1) * h, fine[j - 1]
    else:
        begin = t
    name, length, state = watch.locate(begin, x, h, roll)
    instant = begin + length
    return replace(
        piece,
        times=np.append(piece.times[:k], instant),
        states=np.concatenate([piece.states[:k], state[None]]),
        outcome=Outcome.ENDED,
        end_time=instant,
        end_state=state,
        end=name,
    )


def thinned(piece: Piece, every: int) -> Piece:
    """Every so manieth sample of a piece, and the last of one that has reached an end."""
    if every == 1:
        return piece
    keep = np.arange(len(piece.times)) % every == 0
    keep[-1] |= bool(piece.end)
    return replace(piece, times=piece.times[keep], states=piece.states[keep], path=(piece.times, piece.states))


def ended(ends: Ends, end: str, time: float, channels: Mapping[str, Vector], units: Mapping[str, Any]) -> Status:
    """The status of a run that has reached an end: which, when, and the channels that say so."""
    names = dict(ends)[end].names
    told = [f"{name} {channels[name][-1]:.4g} {units[name].unit}".rstrip() for name in sorted(names) if name in channels]
    return Status(Outcome.ENDED, time, ", ".join(told), end)


def last_event(status: Status) -> tuple[Event, ...]:
    """The event with which a run closes that did not last as long as was asked for."""
    name = status.end if status.outcome is Outcome.ENDED else "end"
    return () if status.completed else (Event(status.time, name, str(status), kind="end"),)
