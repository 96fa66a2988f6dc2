"""Compiled derivatives of the modes of a system: made when first needed, kept for every later passage of the cycle."""

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np

from locomotor import codegen
from locomotor.codegen import NOT_FINITE, Kernel, Rollout
from locomotor.complementarity.friction import bounded
from locomotor.dataclass import dataclass
from locomotor.model import Expression, slide_names
from locomotor.model.contacts import slip_names, turn_names
from locomotor.model.expressions import Quantity
from locomotor.simulation.compiled import CompiledSystem, Jacobians, jacobians, reasons_of
from locomotor.simulation.events import (
    Mode,
    Modes,
    Probe,
    Slip,
    by_velocity,
    direction,
    rows_at,
    slides_by_velocity,
    turns_by_velocity,
    unyielding,
    with_laws,
)
from locomotor.simulation.terrain import Footholds
from locomotor.tracing import Traced
from locomotor.tracing.variations import crossing, event_slopes, impact_balance, measure, readout
from locomotor.typing import Flags, Floats

Read = dict[str, Floats]


@dataclass(frozen=True, eq=False)
class Moved:
    """Where states have come after some steps: the last good ones of instances that are not `good`."""

    states: Floats
    matrix: Floats | None
    """Of the deviations, if asked for."""
    good: Flags
    trouble: str = ""
    """When and why the first that ended did so."""


Restitution = tuple[tuple[Quantity, Quantity], ...]


class Kernels:
    """Functions of (times, states, parameters), over a batch, for the modes of one system."""

    def __init__(self, modes: Modes, inputs: Mapping[str, float]) -> None:
        self.modes = modes
        self.inputs = dict(inputs)
        self._kernels: dict[Any, Kernel] = {}

    # -- sizes ----------------------------------------------------------------------------------------

    @staticmethod
    def tangent_size(mode: Mode) -> int:
        """How many numbers a deviation from a state of the mode has."""
        return mode.compiled.traced.rate_port.size

    @staticmethod
    def coordinate_size(mode: Mode) -> int:
        """Numbers of a deviation that are of coordinates."""
        traced = mode.compiled.traced
        return traced.rate_port.size - len(traced.reduction.free) - len(traced.controller_states)

    def inputs_of(self, mode: Mode) -> Floats:
        """Constant inputs in the order of a mode."""
        return np.array([self.inputs.get(name, 0.0) for name in mode.compiled.input_names])

    # -- contacts that slip, joints that slide --------------------------------------------------------

    def holds(self, mode: Mode, times: Floats, states: Floats, parameters: Floats) -> list[Footholds]:
        """In which directions contacts slip and joints slide in the states of a mode in which some do, by their velocities.

        A joint that is let go at rest slides where it accelerates to.
        """
        free = len(self.modes.free)
        given = np.zeros((len(states), free + len(mode.supports)))
        given[:, :free] = parameters[..., :free]
        q, v, _ = mode.snapshot(times[:, None], states, self.inputs_of(mode), given)
        found = []
        for k, time in enumerate(times.tolist()):
            modes = self.modes.with_values(dict(zip(self.modes.free, given[k, :free].tolist(), strict=True)))
            slips: Slip = {}
            turns: Slip = {}
            if mode.stances:
                rows = rows_at(modes, q[k], None, time)
                slips = by_velocity(modes, rows, mode.closed, v[k])
                slips = {name: direction for name, direction in slips.items() if slip_names(name)[0] in mode.supports}
                turns = turns_by_velocity(modes, rows, mode.closed, v[k])
                turns = {name: direction for name, direction in turns.items() if turn_names(name)[0] in mode.supports}
            slides = slides_by_velocity(modes, {}, mode.closed, v[k])
            holds = Footholds(slips=slips, turns=turns).sliding(slides)
            starting = [i for i in mode.sliding.tolist() if modes.names[i] not in slides]
            found.append(self._let_go(modes, mode, time, states[k], holds, starting) if starting else holds)
        return found

    def _let_go(self, modes: Modes, mode: Mode, time: float, x: Floats, holds: Footholds, starting: list[int]) -> Footholds:
        """With directions for joints that begin to slide: the first with which all of them accelerate along their slides."""
        balls = [i for i in starting if i in mode.spinning]
        hinges = [i for i in starting if i not in balls]

        def rates(slides: Slip) -> Floats:
            return Probe(mode, self.inputs, modes.parameters_on(mode, holds.sliding(slides))).look(time, x).slip_rate

        for ways in product((1.0, -1.0), repeat=len(hinges)):
            slides = {**holds.slides, **{modes.names[i]: (way, 0.0, 0.0) for i, way in zip(hinges, ways, strict=True)}}
            slides |= _away(rates, slides, {modes.names[i]: i for i in balls})
            found = rates(slides)
            if all(np.asarray(slides[modes.names[i]]) @ found[i] >= 0.0 for i in starting):
                return holds.sliding(slides)
        return holds

    def parameters_of(self, mode: Mode, times: Floats, states: Floats, parameters: Floats) -> Floats:
        """Values of all parameters that a mode leaves free: those of the system, and behind them directions of slips."""
        if not mode.supports or parameters.shape[-1] > len(self.modes.free):
            return _by_their_velocity(mode, parameters)
        rows = np.broadcast_to(parameters, (len(states), len(self.modes.free)))
        values = (holds.values() for holds in self.holds(mode, times, states, rows))
        found = np.hstack([rows, [[known.get(name, 0.0) for name in mode.supports] for known in values]])
        return _by_their_velocity(mode, found)

    # -- motion ---------------------------------------------------------------------------------------

    def integrate(
        self,
        mode: Mode,
        start: float,
        states: Floats,
        parameters: Floats,
        steps: int,
        h: float,
        tangent: bool,
        by_parameters: bool = False,
    ) -> Moved:
        """Some steps, with the deviations if asked for.

        With `by_parameters` the matrices have further columns: what a growth of each free parameter leads to.
        """
        settings: dict[str, Any] = {"inputs": self.inputs_of(mode), "parameters": parameters, "start_time": start}
        if tangent:
            settings["parameters"] = _by_their_velocity(mode, parameters)
            columns = ("state", *self.modes.free) if by_parameters else ("state",)
            moved = jacobians(mode.compiled, states, steps, h, with_respect_to=columns, **settings)
            return Moved(moved.final, moved.matrix, moved.status == 0, _ended(mode.compiled, moved, start, h))
        result = mode.compiled.roller.run(states, steps, h, save_every=steps, breaks=mode.compiled.breaks, **settings)
        return Moved(result.final, None, result.status == 0, _ended(mode.compiled, result, start, h))

    # -- reading --------------------------------------------------------------------------------------

    def read(self, mode: Mode, times: Floats, states: Floats, parameters: Floats) -> Read:
        """Rates, coordinates, chart, velocities and gaps of states, with derivatives `<name>_by`."""
        return self._evaluate(("read", mode), mode, lambda: readout(mode.compiled.traced), times, states, parameters)

    def look(self, mode: Mode, times: Floats, states: Floats, parameters: Floats) -> Read:
        """Gaps, normal forces and, with friction, slips of the contacts that may open and close, with derivatives."""
        make = lambda: event_slopes(mode.compiled.traced, self.modes.switching)  # noqa: E731
        return self._evaluate(("look", mode), mode, make, times, states, parameters)

    def cross(self, mode: Mode, expression: Expression, times: Floats, states: Floats, parameters: Floats) -> Read:
        """An expression of the channels, with its derivative."""
        make = lambda: crossing(mode.compiled.traced, expression)  # noqa: E731
        return self._evaluate(("cross", mode, expression), mode, make, times, states, parameters)

    def measure(self, mode: Mode, expression: Expression, times: Floats, states: Floats, parameters: Floats) -> Read:
        """An expression of any channels of a run, with its derivative."""
        make = lambda: measure(mode.compiled.traced, expression)  # noqa: E731
        return self._evaluate(("measure", mode, expression), mode, make, times, states, parameters)

    def _evaluate(
        self, key: Any, mode: Mode, make: Callable[[], Traced], times: Floats, states: Floats, parameters: Floats
    ) -> Read:
        if key not in self._kernels:
            self._kernels[key] = codegen.compile(make(), target=self.modes.target)
        parameters = self.parameters_of(mode, times, states, parameters)
        found = _named(self._kernels[key], times[:, None], states, self.inputs_of(mode), parameters)
        if not mode.supports:
            return found
        # Nobody differentiates by the directions of slips.
        free = len(self.modes.free)
        kept = (name for name in found if free or not name.endswith("_by_p"))
        return {name: found[name][..., :free] if name.endswith("_by_p") else found[name] for name in kept}

    def impact(
        self,
        contacts: tuple[str, ...],
        restitution: Restitution,
        q: Floats,
        before: Floats,
        after: Floats,
        impulses: Floats | None,
        parameters: Floats,
    ) -> Read:
        """Matrices of an impact of these contacts, and derivatives of its equations by the coordinates."""
        key = ("impact", contacts, restitution)
        if key not in self._kernels:
            system = self.modes.system
            known = {entry.name: entry for entry in with_laws(system)}
            kept = [constraint for constraint in system.constraints if constraint.name not in self.modes.names]
            chosen = [known[name] for name in contacts]
            traced = impact_balance(system, chosen, restitution, kept, unyielding(system), self.modes.free)
            self._kernels[key] = codegen.compile(traced, target=self.modes.target)
        if impulses is None:
            impulses = np.zeros((len(q), self._kernels[key].traced.inputs[3].size))
        return _named(self._kernels[key], q, before, after, impulses, parameters[:, : len(self.modes.free)])


def _ended(compiled: CompiledSystem, moved: Rollout | Jacobians, start: float, h: float) -> str:
    """When and why the first of the instances that ended did so, in words."""
    ended = np.flatnonzero(moved.status)
    if not len(ended):
        return ""
    first, watched = ended[0], compiled.traced.watched_contacts
    when = f"at t = {start + h * float(moved.completed[first]):.6g} s"
    if moved.status[first] == NOT_FINITE:
        return f"the state or its derivative became infinite {when}"
    ends = moved.ends if isinstance(moved, Jacobians) else watched
    told = reasons_of(moved.status, moved.monitor, ends)[first]
    if 0 <= moved.monitor[first] < len(watched):
        return f"the constraints became singular {when}: {told}"
    return f"the motion ended {when}: {told}"


def _by_their_velocity(mode: Mode, parameters: Floats) -> Floats:
    """Parameters with ball joints that slide along their velocities, however straight: so friction is to be differentiated."""
    if not len(mode.spinning) or parameters.shape[-1] < len(mode.compiled.traced.free_parameters):
        return parameters
    names, found = list(mode.compiled.traced.free_parameters), parameters.copy()
    for i in mode.spinning.tolist():
        place = names.index(slide_names(mode.switching[i].name)[3])
        found[..., place] = np.where(found[..., place] == 0.0, -1.0, found[..., place])
    return found


def _away(rates: Callable[[Slip], Floats], slides: Slip, balls: Mapping[str, int]) -> Slip:
    """Where ball joints at rest begin to slide to: accelerations are linear in these directions, q - W e, and along them."""
    if not balls:
        return {}
    places, still = list(balls.values()), {**slides, **dict.fromkeys(balls, (0.0, 0.0, 0.0))}
    q = rates(still)[places].ravel()
    units = [direction(unit) for unit in np.eye(3)]
    columns = [q - rates({**still, name: unit})[places].ravel() for name in balls for unit in units]
    blocks = [slice(3 * k, 3 * k + 3) for k in range(len(places))]
    found = bounded(np.column_stack(columns), q, blocks, np.ones(len(places)))
    sizes = [max(float(np.linalg.norm(found[own])), 1e-300) for own in blocks]
    return {name: direction(-found[own] / size) for name, own, size in zip(balls, blocks, sizes, strict=True)}


def _named(kernel: Kernel, *arguments: Floats) -> Read:
    return {port.name: values for port, values in zip(kernel.traced.outputs, kernel(*arguments), strict=True)}
