"""The result of a roll-out with names: states or channels, measures, and why each instance ended."""

from collections.abc import Callable
from dataclasses import field
from typing import Any

import numpy as np

from locomotor import checks
from locomotor.codegen import Rollout
from locomotor.codegen.cuda import to_host
from locomotor.dataclass import dataclass
from locomotor.errors import UnknownNameError
from locomotor.names import suggestion
from locomotor.simulation.compiled.reasons import reasons_of
from locomotor.tracing.core import Field


@checks.doors
@dataclass(frozen=True, eq=False, repr=False)
class Batch:
    """Many runs: arrays have the batch in front unless a single state was given.

    `states` (saves, names) holds what was saved, in the order of `names`: the state, or the channels asked for; NaN after an
    instance has ended. `batch["roll"]` is one of them. `final` is the last good state of each instance (in the order of
    `state_names`), `measures` the reductions by name, `status` 0 where all steps were taken, 1 where a monitor ended the
    instance (`reasons` says which), 2 where the state was no longer finite, 3 where it was no state to begin with, 4 where the
    parameters are those of nothing real (`reasons` says which), 5 where an implicit step did not converge;
    `completed` counts the good steps.

    Arrays are on the CUDA device when the states given were there; `times` always is on the host.
    """

    rollout: Rollout
    names: tuple[str, ...]
    state_names: tuple[str, ...]
    measures: dict[str, Any]
    ends: tuple[str, ...] = ()
    """Names of the monitors."""
    fields: tuple[Field, ...] = field(default=(), repr=False)
    why: Callable[[int], str] | None = field(default=None, repr=False)
    """Words for an instance whose parameters are impossible."""
    beyond: Callable[[int], str] | None = field(default=None, repr=False)
    """Words for an instance that has become infinite: the limit of its steps, where they were beyond it; else none."""

    def __repr__(self) -> str:
        shape, ended = self.states.shape, int((self.status != 0).sum())
        front = "1 instance" if len(shape) == 2 else f"{shape[0]} instances"
        early = f", {ended} ended early" if ended else ""
        return f"<Batch: {front}, {shape[-2]} rows of {len(self.names)} saved, measures {list(self.measures)}{early}>"

    @property
    def times(self) -> Any:
        """Times of the saved rows (s)."""
        return self.rollout.times

    @property
    def states(self) -> Any:
        """What was saved, (batch, saves, names)."""
        return self.rollout.states

    @property
    def final(self) -> Any:
        """The last good state of each instance."""
        return self.rollout.final

    @property
    def status(self) -> Any:
        """0: all steps taken; 1: ended by a monitor; 2: not finite; 3: no state; 4: impossible parameters; 5: not converged."""
        return self.rollout.status

    @property
    def completed(self) -> Any:
        """Steps to the last good state."""
        return self.rollout.completed

    @property
    def monitor(self) -> Any:
        """Which monitor ended an instance, -1: none."""
        return self.rollout.monitor

    def __getitem__(self, name: str) -> Any:
        """A saved channel over (batch, saves), or a measure."""
        checks.text(name, "the name of a channel or measure", error=UnknownNameError)
        if name in self.names:
            return self.states[..., self.names.index(name)]
        if name in self.measures:
            return self.measures[name]
        saved = suggestion(name, (*self.names, *self.measures))
        raise UnknownNameError(f"{name!r} was not saved: ask for it with channels=(..., {name!r}); of what was saved, {saved}")

    @property
    def reasons(self) -> Any:
        """Why each instance ended, in words, as an array of text on the host."""
        return reasons_of(self.status, self.monitor, self.ends, self.why, self.beyond)

    def to_xarray(self) -> Any:
        """Dataset over (instance, time), with units; copied from the device where it is there."""
        import xarray

        single = np.ndim(self.status) == 0
        front: tuple[str, ...] = () if single else ("instance",)
        states = to_host(self.states)
        about = {f.name: {"units": f.unit, "long_name": f.description} for f in self.fields}
        data: dict[str, Any] = {
            name: ((*front, "time"), states[..., i], about.get(name, {})) for i, name in enumerate(self.names)
        }
        data |= {name: (front, to_host(value)) for name, value in self.measures.items() if name not in data}
        data |= {"status": (front, to_host(self.status)), "completed": (front, to_host(self.completed))}
        return xarray.Dataset(data, coords={"time": ("time", self.times, {"units": "s"})})
