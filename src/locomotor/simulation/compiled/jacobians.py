"""Jacobians of steps and of whole roll-outs, by forward mode: the derivatives are carried along with the states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from locomotor import checks
from locomotor.codegen import Roller
from locomotor.codegen.cuda import is_on_device, need_device
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError, UnknownNameError
from locomotor.lie import Manifold
from locomotor.names import suggestion
from locomotor.simulation.compiled.limits import Rolled
from locomotor.simulation.compiled.reasons import reasons_of
from locomotor.simulation.compiled.screening import Why, as_arrays, screen
from locomotor.simulation.compiled.step_maps import check_steps
from locomotor.tracing import TracedSystem
from locomotor.tracing.contacts import FlyingSystem
from locomotor.typing import Integers, Vector

if TYPE_CHECKING:  # it has the method that calls this
    from locomotor.simulation.compiled.system import CompiledSystem


Explicit = list[tuple[int, str, int]]
"""Deviations that grow by what they are taken by: which of them, the port, and the place in the port."""
GROUPS = ("state", "inputs", "parameters")
"""Words for all directions of a kind."""
REMEDY = "give a smaller step: derivatives are carried along by explicit steps"
"""For steps that are too long for what is stiff."""


@dataclass(frozen=True, eq=False)
class Jacobians:
    """States after a roll-out and their derivatives; arrays have the batch in front unless a single state was given.

    `matrix` (rows, columns) is the derivative of the final state. Rows and the columns of the initial state are tangent
    coordinates: for each quaternion three, a rotation vector in body axes (`<joint>_turn_x` ...). `times`, `states`
    (saves, nx) and `matrices` (saves, rows, columns) are there when `save_every` was given. `status`, `completed`,
    `monitor`, `reasons` as in `Batch`: an instance that stopped has the state and the derivative of its last good step.
    """

    final: Vector
    matrix: Vector
    times: Vector
    states: Vector
    matrices: Vector
    status: NDArray[np.int32]
    completed: Integers
    monitor: NDArray[np.int32]
    row_names: tuple[str, ...]
    column_names: tuple[str, ...]
    ends: tuple[str, ...] = ()
    """Names of the monitors."""
    why: Why | None = field(default=None, repr=False)
    """Words for an instance whose parameters are impossible."""

    def __getitem__(self, names: tuple[str, str]) -> Vector:
        """One derivative of the final state: `jacobians["roll_rate", "c"]` is d roll_rate / d c."""
        pair = checks.entries(names, "the entry of a Jacobian", "give two names", UnknownNameError)
        if len(pair) != 2:
            raise UnknownNameError(f"the entry of a Jacobian is {checks.shown(names)}; give two names")
        row, column = (checks.text(name, "a name in the Jacobian", error=UnknownNameError) for name in pair)
        for name, known in ((row, self.row_names), (column, self.column_names)):
            if name not in known:
                raise UnknownNameError(f"the Jacobian has no entry {name!r}: {suggestion(name, known)}")
        return self.matrix[..., self.row_names.index(row), self.column_names.index(column)]

    @property
    def reasons(self) -> Any:
        """Why each instance ended, in words, as an array of text on the host."""
        return reasons_of(self.status, self.monitor, self.ends, self.why)


def tangent_names(traced: TracedSystem) -> tuple[str, ...]:
    """Names of the tangent coordinates of a state."""
    names = traced.state_port.names
    found: list[str] = []
    for turning, x, _ in _manifold(traced).slices():
        found += [f"{names[x.start].removesuffix('qw')}turn_{axis}" for axis in "xyz"] if turning else names[x]
    return tuple(found)


def _manifold(traced: TracedSystem) -> Manifold:
    """What of the state has deviations: all but remembered modes of contacts."""
    return traced.moving_manifold if isinstance(traced, FlyingSystem) else traced.manifold


def jacobians(
    compiled: CompiledSystem,
    states: Any,
    steps: int,
    dt: float,
    *,
    with_respect_to: Sequence[str] = ("state",),
    inputs: Any = None,
    parameters: Any = None,
    save_every: int = 0,
    stepper: str = "rk4",
    threads: int = 1,
    start_time: float = 0.0,
) -> Jacobians:
    """Roll out as `rollout` does, on the same targets, with the derivative of the states by what `with_respect_to` names.

    Names are tangent coordinates of the initial state (`tangent_names`), inputs, free parameters, or "state", "inputs",
    "parameters" for all of a kind. Inputs are shifted by the same amount in every step; the initial state does not
    follow the parameters. With steps=1 it is the Jacobian of a step. With "rk4" the result is the exact derivative of
    the numerical roll-out, to round-off; with the multistep methods, where the state has quaternions, it is that of the
    exact motion to the order of the method. A projection after each step is differentiated too. Instances whose constraints
    contradict each other end there, as roll-outs do.

    Of a system whose contacts open and close it is the derivative of the steps that hold the contacts, jumps at impacts
    and the shifts of their instants included; whatever would change which contacts act, or in which step, is not in it.
    With contacts="time-stepping" an impact happens at a step, so that its instant has no derivative: to have the derivative of
    the motion across impacts, use contacts="events". Remembered modes have neither row nor column.
    """
    traced, dt = compiled.traced, checks.number(dt, "jacobians: dt")
    start_time = checks.number(start_time, "jacobians: start_time")
    states, inputs, parameters = as_arrays("jacobians", compiled.target, states, inputs, parameters)
    if isinstance(traced, FlyingSystem):
        check_steps(compiled.system.name, dt, stepper)
    compiled.check_laws(start_time, dt * checks.whole(steps, "jacobians: steps"))
    rows = tangent_names(traced)
    columns = _columns(traced, rows, with_respect_to)
    roller = _roller(compiled, tuple(columns))
    n, m, size = len(rows), len(columns), traced.state_port.size
    start = np.zeros((n, m))
    for j, name in enumerate(columns):
        if name in rows:
            start[rows.index(name), j] = 1.0
    screened = screen(compiled.system, compiled.parameter_names, states, parameters, dt)
    x = _with_deviations(screened.states, start, size, compiled)
    values = compiled.default_parameters if parameters is None else parameters
    compiled.require_stable(Rolled(traced, compiled.moved, roller, x, steps, dt, inputs, values, stepper, start_time), REMEDY)
    result = roller.run(
        x,
        steps,
        dt,
        inputs=inputs,
        parameters=values,
        save_every=save_every,
        stepper=stepper,
        threads=threads,
        start_time=start_time,
        breaks=compiled.breaks,
    )
    screened.mark(result)
    final, saved = result.final, result.states
    return Jacobians(
        final=final[..., :size],
        matrix=final[..., size:].reshape(*final.shape[:-1], n, m),
        times=result.times,
        states=saved[..., :size],
        matrices=saved[..., size:].reshape(*saved.shape[:-1], n, m),
        status=result.status,
        completed=result.completed,
        monitor=result.monitor,
        row_names=rows,
        column_names=tuple(columns),
        ends=compiled._watched(compiled.contradictions),
        why=screened.why,
    )


def _with_deviations(states: Any, start: Vector, size: int, compiled: CompiledSystem) -> Any:
    """States, each followed by the deviations at the start; on the device where they are there."""
    if is_on_device(states):
        arrays = need_device(compiled.system.name).cupy
        x = arrays.from_dlpack(states)
    else:
        arrays, x = np, states
    if x.ndim not in (1, 2) or x.shape[-1] != size:
        return x  # refused, with the names of the state, where it is used
    deviations = arrays.asarray(start.ravel(), dtype=x.dtype)
    return arrays.concatenate([x, arrays.broadcast_to(deviations, (*x.shape[:-1], start.size))], axis=-1)


def _columns(traced: TracedSystem, rows: tuple[str, ...], wanted: Sequence[str]) -> list[str]:
    """Names of the directions, groups spelt out, each once."""
    wanted = checks.names(wanted, "jacobians: with_respect_to")
    groups = {"state": rows, "inputs": traced.input_port.names, "parameters": traced.parameter_port.names}
    known = [name for group in groups.values() for name in group]
    found: list[str] = []
    for name in wanted:
        if name not in groups and name not in known:
            hint = suggestion(name, [*groups, *known])
            free = f"; to differentiate by it, compile with free=({name!r},)" if name in traced.system.parameters else ""
            raise UnknownNameError(f"jacobians: no direction is named {name!r}{free}: {hint}")
        found += [entry for entry in groups.get(name, (name,)) if entry not in found]
    if not found:
        why = ", which has no state: all that moves is imposed" if not traced.rate_port.size else ""
        raise ArgumentError(
            f"jacobians: with_respect_to={tuple(wanted)!r} names no direction of {traced.system.name}{why}; name parameters or "
            "inputs on which its channels depend"
        )
    return found


@lru_cache(maxsize=64)
def _roller(compiled: CompiledSystem, columns: tuple[str, ...]) -> Roller:
    """Roll-outs with derivatives along these directions; made once."""
    traced = compiled.traced
    explicit = [
        (j, port.name, port.names.index(name))
        for j, name in enumerate(columns)
        for port in (traced.input_port, traced.parameter_port)
        if name in port.names
    ]
    return compiled.roller_with_deviations(len(columns), explicit)
