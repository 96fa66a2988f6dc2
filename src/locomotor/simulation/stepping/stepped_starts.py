"""Starting states, by the batch, of systems whose contacts open and close."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from locomotor import codegen
from locomotor.codegen import Kernel
from locomotor.dataclass import dataclass
from locomotor.errors import InconsistentStartError, UnknownNameError
from locomotor.lie import ops
from locomotor.model import Persistent
from locomotor.names import suggestion
from locomotor.simulation.compiled import beside_fixed, drawn, finished
from locomotor.simulation.events import APPROACHES, NEAR
from locomotor.simulation.starts import Starts
from locomotor.tracing import TracedSystem, trace
from locomotor.tracing.contacts import rows_of, switching_of
from locomotor.tracing.core import Field, Port
from locomotor.typing import Vector

if TYPE_CHECKING:  # it has the method that calls this
    from locomotor.simulation.stepping.time_stepping import SteppedSystem


@dataclass(frozen=True, eq=False)
class ClosedStarts:
    """`Starts` for a `SteppedSystem`: contacts in `closed` touch, and velocities suit them; the others are open."""

    stepped: "SteppedSystem"
    names: tuple[str, ...]
    closed: tuple[str, ...] = ()
    target: str = "auto"

    def __post_init__(self) -> None:
        """Refuse contacts that do not open and close."""
        known = [entry.name for entry in switching_of(self.stepped.system)]
        for name in self.closed:
            if name not in known:
                raise UnknownNameError(f"closed: no contact named {name!r} opens and closes: {suggestion(name, known)}")

    def __call__(self, values: ArrayLike, parameters: ArrayLike | None = None) -> tuple[Vector, dict[int, str]]:
        """States of the stepped system (batch, nx) and reasons by instance, as `Starts` gives them."""
        held, reasons = self._starts(values, parameters)
        mode, flight = self._mode, self.stepped.traced
        free = mode.default_parameters if parameters is None else np.asarray(parameters, dtype=float)
        (v,) = self._velocities(np.zeros(1), held, np.zeros(mode.input_port.size), free)
        remembered = self.stepped.stepping.flight.remembered
        flags = np.tile([float(name in self.closed) for name in remembered], (len(held), 1))
        return np.hstack([held[:, : flight.nq], v, flags]), reasons

    @cached_property
    def _mode(self) -> TracedSystem:
        """The system with the closed contacts closed for good."""
        system = self.stepped.system
        open_ = {entry.name for entry in switching_of(system)} - set(self.closed)
        kept = system.replace(
            contacts=_for_good(system.contacts, open_, self.closed),
            constraints=_for_good(system.constraints, open_, self.closed),
            independent=None,
        )
        return trace(kept, free=self.stepped.traced.free_parameters)

    @cached_property
    def _starts(self) -> Starts:
        return Starts(self._mode, self.names, self.target)

    @cached_property
    def _velocities(self) -> Kernel:
        """Velocities of the system in flight from a state of the closed one."""
        mode, symbols = self._mode, self.stepped.system.layout.velocities
        wanted = self.stepped.traced.reduction.free
        port = Port("velocities", tuple(Field(symbols[i].name, symbols[i].unit) for i in wanted))
        return codegen.compile(mode.build("velocities", [(port, mode.motion.v[list(wanted)])], "all velocities"), self.target)

    @property
    def closes_gaps(self) -> bool:
        """Whether some contact is closed."""
        return bool(self._mode.gaps_of_chart.outputs[0].size)


# -- random states --------------------------------------------------------------------------------------------


def random_stepped_states(
    stepped: "SteppedSystem",
    count: int,
    ranges: Mapping[str, tuple[float, float]],
    fixed: Mapping[str, float],
    seed: int,
    first: int,
    closed: Sequence[str] | None,
) -> Any:
    """See `SteppedSystem.random_states`: whole batches at once, and alone whatever needs words or another way."""
    names, values = beside_fixed(ranges, drawn(count, ranges, seed, first), fixed)
    states = np.full((count, len(stepped.state_names)), np.nan)
    for places, held, touching in _modes(stepped, names, values, closed):
        found, _ = _starts(stepped, names, held)(values[places])
        gaps, _, allowed = _touch(stepped)(np.zeros(1), found, *_nothing(stepped))
        others = [entry.name not in touching for entry in switching_of(stepped.system)]
        inside = (gaps < -NEAR) & (allowed > 0.0) & np.array(others)
        good = np.isfinite(found).all(axis=1) & ~inside.any(axis=1)
        found[:, found.shape[1] - len(_remembered(stepped)) :] = [float(name in touching) for name in _remembered(stepped)]
        states[places[good]] = found[good]
    reasons: dict[int, str] = {}
    for i in np.flatnonzero(~np.isfinite(states).all(axis=1)):
        try:
            states[i] = stepped.start(dict(zip(names, values[i].tolist(), strict=True)), closed=closed)
        except InconsistentStartError as error:
            reasons[int(i)] = str(error)
    return finished(stepped, states, reasons)


def _modes(
    stepped: "SteppedSystem", names: tuple[str, ...], values: Vector, closed: Sequence[str] | None
) -> Iterator[tuple[NDArray[np.intp], tuple[str, ...], frozenset[str]]]:
    """Instances with the contacts that hold their velocities and those that touch, mode by mode; others are left out.

    What touches in the pose given is closed where nothing is named, as in `events.initial_contacts`.
    """
    switching = switching_of(stepped.system)
    sliding = {e.name for e in switching if e.law.slips}
    if any(entry.law.grips for entry in switching) or stepped.stepping.flight.roughs:
        return  # they hold wherever they are, so that no gap tells; and a terrain is looked at one by one
    if closed is not None:
        yield np.arange(len(values)), tuple(closed), frozenset(closed)
        return
    flying = _starts(stepped, names, ())
    if flying.closes_gaps:
        return  # a start without `closed` leaves the gaps of contacts that always touch as they are
    found, _ = flying(values)
    gaps, rates, _ = _touch(stepped)(np.zeros(1), found, *_nothing(stepped))
    touches = (np.abs(gaps) <= NEAR) & (rates <= APPROACHES)
    known = np.flatnonzero(np.isfinite(found).all(axis=1))
    for pattern in np.unique(touches[known], axis=0):
        touching = frozenset(entry.name for entry, flag in zip(switching, pattern, strict=True) if flag)
        held = tuple(entry.name for entry in switching if entry.name in touching - sliding)
        yield known[(touches[known] == pattern).all(axis=1)], held, touching


def _remembered(stepped: "SteppedSystem") -> tuple[str, ...]:
    names: tuple[str, ...] = stepped.stepping.flight.remembered
    return names


def _nothing(stepped: "SteppedSystem") -> tuple[Vector, Vector]:
    """No inputs, and the parameters of the system."""
    return np.zeros(stepped.traced.input_port.size), stepped.default_parameters


@lru_cache(maxsize=32)
def _starts(stepped: "SteppedSystem", names: tuple[str, ...], closed: tuple[str, ...]) -> ClosedStarts:
    return ClosedStarts(stepped, names, closed, "auto" if stepped.target == "cuda" else stepped.target)


@lru_cache(maxsize=32)
def _touch(stepped: "SteppedSystem") -> Kernel:
    """Gap, its rate and the condition of everything that opens and closes, from a state of the stepped system."""
    flight = stepped.stepping.flight
    rows = rows_of(flight.motion, flight.switching, flight.system.parameters.values)
    values = {
        "gaps": [row.gap for row in rows],
        "rates": [ops.dot(row.rows[0, :].T, flight.motion.v) for row in rows],
        "allowed": [row.condition for row in rows],
    }
    ports = [(Port(kind, tuple(Field(row.entry.name) for row in rows)), ops.vector(*each)) for kind, each in values.items()]
    return codegen.compile(flight.build("touch", ports, "what touches"), "auto" if stepped.target == "cuda" else stepped.target)


def _for_good(entries: Sequence[Any], open_: set[str], closed: Sequence[str]) -> tuple[Any, ...]:
    return tuple(replace(e, law=Persistent()) if e.name in closed else e for e in entries if e.name not in open_)
