"""Whether the trace of a feedback law does what the law does, and whether the law is a function of its channels at all.

A law runs on symbols once, and what it did then is compiled. That is right only for a law that would do the same at every
state. Hence it is called with numbers at some states, near to the nominal one and far from it, and its answers are compared
with those of the trace; and it is called there twice, which finds laws that draw random numbers or remember earlier calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import casadi
import numpy as np

from locomotor.errors import ControllerError
from locomotor.tracing.controller import Controller, Readings
from locomotor.tracing.core import column, has_nan
from locomotor.typing import Vector

if TYPE_CHECKING:
    from locomotor.tracing.system import TracedSystem


SCALES = (0.0, 1e-3, 0.03, 0.3, 1.0, 1.0, 3.0, 30.0)
"""How far from the nominal pose at rest the states are (m, rad, m/s, rad/s), and how late (s)."""
SAME = 1e-7
"""Answers of trace and law agree to this, relative to the larger of them and one: both round off, far from nominal too."""


class Witness:
    """Some states, the channels there, and what the law of a system with its loop open answers."""

    def __init__(self, system: TracedSystem) -> None:
        assert system.controller is not None
        self.controller: Controller = system.controller
        self.inputs = tuple(symbol.name for symbol in system.system.layout.inputs)
        self.names = (*self.inputs, *self.controller.states)
        self.times, self.states = _states(system)
        self.places = places_of(system)
        u, p = np.zeros(system.input_port.size), system.default_parameters
        self._sensed = [system.sensed(np.array([t]), x, u, p)[0].tolist() for t, x in zip(self.times, self.states, strict=True)]
        self.answers = [self._answer(values) for values in self._sensed]

    def confirm(self) -> None:
        """Refuse a law that now answers otherwise than before at the same state."""
        for k in reversed(range(len(self._sensed))):
            before, now = self.answers[k], self._answer(self._sensed[k])
            if before is None and now is None:
                continue
            if before is None or now is None:
                told = "it failed once, and once it did not"
            elif np.array_equal(before, now, equal_nan=True):
                continue
            else:
                i = int(np.argmax((before != now) & ~(np.isnan(before) & np.isnan(now))))
                told = f"it gave {self.names[i]!r} the values {before[i]:.6g} and {now[i]:.6g}"
            raise ControllerError(
                f"the controller is not a function of its channels: asked twice at the same state (t = {self.times[k]:.6g} s) "
                f"{told}. Memory belongs into Controller(law, states={{...}}), whose rates the law returns; noise has to "
                "be drawn beforehand, as values at given times"
            )

    def _answer(self, sensed: list[float]) -> Vector | None:
        """Inputs and rates; none where the law fails, which the run itself will show."""
        try:
            with np.errstate(all="ignore"):  # a law need not exist at states that no run may ever reach
                return np.array(self.controller.numbers(self.controller.law(Readings(self.places, sensed)), self.inputs))
        except Exception:
            return None


def places_of(system: TracedSystem) -> dict[str, int]:
    """Place of each channel among those that a controller may read."""
    names = system.sensed.outputs[0].names
    own = len(system.controller_states)
    places = {name: i for i, name in enumerate(names[: len(names) - own])}
    return {**places, "time": 0, "t": 0, **{name: len(names) - own + k for k, name in enumerate(system.controller_states)}}


def follows_law(closed: TracedSystem, called: TracedSystem) -> bool:
    """Whether the loop closed on symbols answers as the law does; a law that is no function of its channels is refused."""
    assert closed.controller is not None
    if not closed.controller.formula:
        # Before it sees symbols: a law that remembers them would fail on numbers.
        called.witness.confirm()
    try:
        traced = column(closed.motion.inputs), column(closed.controller_rates())
        lost = has_nan(*traced)
    except Exception:
        # Whatever went wrong on symbols is tried again on numbers: a genuine mistake shows itself there.
        return False
    return not lost and (closed.controller.formula or _agrees(closed, traced, called.witness))


def _agrees(closed: TracedSystem, traced: tuple[Any, Any], witness: Witness) -> bool:
    function = casadi.Function("law", list(closed.arguments), [casadi.vertcat(*traced)])
    compared = False
    for t, x, answer in zip(witness.times, witness.states, witness.answers, strict=True):
        if answer is None:
            continue
        found = np.asarray(function(t, x, np.zeros(0), closed.default_parameters), dtype=float).ravel()
        size = np.maximum(1.0, np.maximum(np.abs(found), np.abs(answer)))
        same = (np.abs(found - answer) <= SAME * size) | (found == answer) | (np.isnan(found) & np.isnan(answer))
        if not same.all():
            return False
        compared = True
    return compared


def _states(system: TracedSystem) -> tuple[Vector, Vector]:
    """Instants and states around the nominal pose at rest, always the same."""
    rng = np.random.default_rng(20)
    pose = np.asarray(system.system.nominal_pose(), dtype=float)[list(system.coordinate_indices)]
    own = list(system.controller.states.values()) if system.controller else []
    nominal = np.concatenate([pose, np.zeros(len(system.reduction.free)), np.array(own, dtype=float)])
    scales = np.array(SCALES)
    states = nominal + scales[:, None] * rng.uniform(-1.0, 1.0, (len(scales), len(nominal)))
    return scales * rng.uniform(0.0, 1.0, len(scales)), system.manifold.normalise(states)
