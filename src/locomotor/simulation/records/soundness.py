"""Whether a motion is still one: energy and work balance, and closed contacts stay closed; where not, the run stops there.

These are no measures of accuracy, which are the audit's: they find motions that a step far too long, or round-off near a
singular shape, has spoilt altogether. Between samples power may do anything, so that a balance that does not close proves
nothing by itself: the motion is made again at half the step, and is wrong only where the energy it reaches has changed too.
"""

import warnings
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import replace
from functools import partial, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor.dataclass import dataclass
from locomotor.simulation.ends import last_event
from locomotor.simulation.records.attitude import with_attitude
from locomotor.simulation.records.quadrature import SAME, jumps
from locomotor.simulation.records.run import Run
from locomotor.simulation.status import Events, Outcome, Status
from locomotor.typing import Flags, Vector

GROSS = 0.02
"""Share of the energy that has moved, or of the work done, that may be missing; runs of the registry miss less than 1e-5."""
ROUND_OFF = 1e-9
"""Energies below this (J), or this share of the potential energy, are round-off."""
CONFIRMED = 0.5
"""Share of what may be missing by which half the step must change the energy; halving takes 15/16 of an error of order 4."""
LOOSE = 0.01
"""A closed gap that has changed by this much (m) is open."""


_judging: ContextVar[bool] = ContextVar("judging", default=False)
"""Whether a run is being made to judge another; it is not judged itself, or halving would never end."""


def is_judging() -> bool:
    """Whether a run is being made to judge another: whatever becomes of it, the other is to be told of."""
    return _judging.get()


@dataclass(frozen=True)
class Fault:
    """The first sample that is not to be believed, and why."""

    sample: int
    words: str


def first_fault(
    times: Vector,
    channels: Mapping[str, Vector],
    about: Mapping[str, Any],
    with_work: bool,
    remedy: str,
    finer: Callable[[], Run] | None = None,
    damps: bool = False,
) -> Fault | None:
    """The first fault of some samples; the first of them is taken to be right.

    `with_work` says that powers are sampled at every step, so that the work between two samples is roughly known; `finer`
    makes the same run at half the step, and is asked where energy and work do not balance. `damps` says that the method takes
    energy from modes too fast for its steps, as implicit ones do: what is lost is no fault then, what is gained is.
    """
    unbalanced = _unbalanced(times, channels, about, with_work, remedy, finer, damps)
    faults = (unbalanced, _loose(times, channels, about, remedy))
    return min((fault for fault in faults if fault is not None), key=lambda fault: fault.sample, default=None)


def _unbalanced(
    times: Vector,
    channels: Mapping[str, Vector],
    about: Mapping[str, Any],
    with_work: bool,
    remedy: str,
    finer: Callable[[], Run] | None,
    damps: bool,
) -> Fault | None:
    powers = [channels[name] for name, channel in about.items() if channel.group == "powers"]
    power = reduce(np.add, powers) if powers else np.zeros(len(times))
    if len(times) < 2 or (power.any() and not with_work):
        return None
    kinetic, potential = channels["kinetic_energy"], channels["potential_energy"]
    length = times[1:] - times[:-1]
    events = length <= SAME * np.maximum(1.0, np.abs(times[1:]))
    if _ends_balanced(length, kinetic, potential, power, events):
        return None
    with np.errstate(all="ignore"):
        change = np.where(events, 0.0, np.diff(kinetic + potential))
        work = 0.5 * (power[1:] + power[:-1]) * length
        # A power that jumps does so somewhere between two samples.
        unsure = np.where(events, 0.0, 0.5 * np.abs(np.diff(power)) * length)
        gained = np.cumsum(change - work)
        missing = np.fmax(gained, 0.0) if damps else np.abs(gained)
        moved = np.maximum.accumulate(kinetic[1:] + np.abs(potential[1:] - potential[0]) + np.abs(np.cumsum(work)))
        moved = np.maximum(moved, ROUND_OFF / GROSS * (1.0 + np.abs(potential[1:])))
        finite = np.isfinite(kinetic[1:] + potential[1:] + power[1:])
        wrong = _lasting(~(missing <= GROSS * moved + np.cumsum(unsure)), finite)
    if wrong.any() and finer is not None:
        with np.errstate(all="ignore"):
            differs = np.abs(_own_energy(times, kinetic + potential) - _energy_at(times, finer()))[1:]
            wrong = _lasting(wrong & ~(differs <= CONFIRMED * GROSS * moved), finite)
    if not wrong.any():
        return None
    k = int(wrong.argmax())
    words = f"energy and work no longer balance: {missing[k]:.3g} J of {moved[k]:.3g} J that have moved are amiss; {remedy}"
    return Fault(k + 1, words)


def _ends_balanced(length: Vector, kinetic: Vector, potential: Vector, power: Vector, events: Flags) -> bool:
    """Whether energy and work plainly balance over all samples together: then no fault lasts up to the end (`_lasting`)."""
    with np.errstate(all="ignore"):
        energy = kinetic + potential
        change = float(energy[-1] - energy[0])
        if events.any():
            change -= float((energy[1:] - energy[:-1])[events].sum())
        work = 0.5 * float((power[1:] + power[:-1]) @ length)
        moved = abs(float(kinetic[-1])) + abs(float(potential[-1] - potential[0])) + abs(work)
        return abs(change - work) <= GROSS * moved < np.inf and bool(np.isfinite(energy).all())


def _lasting(wrong: NDArray[np.bool_], finite: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Where a motion is wrong from some sample on to its end.

    What is amiss when next to nothing has moved, as where contacts begin to slip from rest, is nothing beside what moves later.
    """
    right = np.flatnonzero(finite & ~wrong)
    found = wrong & finite
    if len(right):
        found[: right[-1]] = False
    return found


def _boundless(channels: Mapping[str, Vector], remedy: str) -> Fault | None:
    """An energy beyond all numbers, of a run that has ended well: velocities are squared in it, and are still finite then."""
    wrong = ~np.isfinite(channels["kinetic_energy"] + channels["potential_energy"])
    if not wrong.any():
        return None
    return Fault(int(wrong.argmax()), f"the energy has grown beyond all numbers; look at the inputs and forces, or {remedy}")


def _own_energy(times: Vector, energy: Vector) -> Vector:
    """Energy without what impacts have changed: they come a little sooner or later in another run."""
    return np.asarray(energy - jumps(times, energy))


def _energy_at(times: Vector, run: Run) -> Vector:
    """Energy of another run at given times; after its end, that at its end."""
    return np.asarray(np.interp(times, run.time, _own_energy(run.time, run.energy)))


def _loose(times: Vector, channels: Mapping[str, Vector], about: Mapping[str, Any], remedy: str) -> Fault | None:
    """A gap of a contact that is always closed and has opened."""
    found: list[Fault] = []
    for name, channel in about.items():
        if channel.group != "gaps" or f"{(contact := name.removesuffix('_gap'))}_closed" in channels:
            continue
        drift = np.abs(channels[name] - channels[name][0])
        wrong = drift > LOOSE
        if wrong.any():
            k = int(wrong.argmax())
            words = f"the gap of contact {contact!r}, which is closed, has changed by {drift[k]:.3g} {channel.unit}".rstrip()
            if f"{contact}_roundness" in channels:
                words += "; where a hollow is narrower than its ball, that touches at two places: make it smaller, else"
                found.append(Fault(k, f"{words} {remedy}"))
                continue
            found.append(Fault(k, f"{words}; {remedy}, or let project=True or drift_time close it"))
    return min(found, key=lambda fault: fault.sample, default=None)


def remedy(step: float | None) -> str:
    """What to do about a motion that has gone wrong."""
    if step is None:
        return "give the stepper a smaller tolerance, as lm.Adaptive(rtol=1e-10)"
    return f"take a smaller step than {step:g} s, or stepper='dop853'"


def _judge(again: Callable[[], Run]) -> Run:
    """A run to judge another by, whatever becomes of it."""
    token = _judging.set(True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return again()
    finally:
        _judging.reset(token)


def sound(run: Run, with_work: bool, beyond: Callable[[], str] = str) -> Run:
    """The run, or what it holds before it goes wrong, with a status that says so; `beyond` may know why."""
    if is_judging():
        return run
    finer = run.again and partial(_judge, run.again)
    damps = "rho_infinity" in run.settings
    fault = first_fault(run.time, run.channels, run.about, with_work, remedy(run.settings["step"]), finer, damps)
    if fault is None and run.status.ok:  # one that has failed says why itself
        fault = _boundless(run.channels, remedy(run.settings["step"]))
    if fault is None:
        return run
    if run.status.outcome is Outcome.SUNK and run.status.time <= run.time[fault.sample]:
        kept, status = max(1, int(np.searchsorted(run.time, run.status.time, side="right"))), run.status  # what it began with
    else:
        kept, why = max(1, fault.sample), beyond()
        words = f"{fault.words}; {why}" if why else fault.words
        status = Status(Outcome.WRONG, float(run.time[fault.sample]), words)
    before = {name: values[:kept] for name, values in run.channels.items()}
    status = with_attitude(status, run.system, run.time[:kept], before)
    events = [event for event in run.events if event.time <= run.time[kept - 1] and event.kind != "end"]
    return replace(
        run,
        time=run.time[:kept],
        channels=before,
        status=status,
        events=Events([*events, *last_event(status)]),
    )
