"""One mode of one run: its compiled functions with the inputs of the run, for many states or quickly for one."""

from collections.abc import Mapping
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np

from locomotor.codegen import Bound, BoundRollout, Implicit, Rollout, RolloutKernel
from locomotor.dataclass import dataclass
from locomotor.simulation.driven import Driven
from locomotor.simulation.events.modes import Mode
from locomotor.tracing.contacts import NUMBERS, VECTORS
from locomotor.typing import Vector

NUMBER = {kind: k for k, kind in enumerate(NUMBERS)}
VECTOR = {kind: k for k, kind in enumerate(VECTORS)}
STIFF = Implicit(0.0)
"""Generalised alpha that takes out whatever is infinitely fast; each call begins anew, with the rate at its start."""
SEEN = 3
"""Results of event functions that are looked at here; then comes the rate of the state, for the step that follows."""


@dataclass(frozen=True, eq=False)
class Seen:
    """Event functions, one column for each switching contact; with the samples in front where there are several."""

    numbers: Vector
    """(..., kinds, contacts): those of `tracing.contacts.NUMBERS`."""
    vectors: Vector
    """(..., kinds, contacts, 3): those of `tracing.contacts.VECTORS`, in world axes."""
    pivots: Vector

    @property
    def normal_force(self) -> Vector:
        """Normal forces (N), zero where a contact is open."""
        return self.numbers[..., NUMBER["normal_force"], :]

    @property
    def gap(self) -> Vector:
        """Gaps of all contacts with a law (m)."""
        return self.numbers[..., NUMBER["gap"], :]

    @property
    def gap_rate(self) -> Vector:
        """Rates of the gaps (m/s)."""
        return self.numbers[..., NUMBER["gap_rate"], :]

    @property
    def gap_acceleration(self) -> Vector:
        """Second derivatives of the gaps (m/s²)."""
        return self.numbers[..., NUMBER["gap_acceleration"], :]

    @property
    def condition(self) -> Vector:
        """The condition of each law."""
        return self.numbers[..., NUMBER["condition"], :]

    @property
    def hold(self) -> Vector:
        """Normal force counted from the largest pull that the law allows: a closed contact opens where it is negative."""
        return self.numbers[..., NUMBER["hold"], :]

    @property
    def friction_left(self) -> Vector:
        """Of those that stick: by how much the force along the ground may still grow (N); of joints their effort."""
        return self.numbers[..., NUMBER["friction_left"], :]

    @property
    def push(self) -> Vector:
        """Of those that slip: not positive where the normal force does not push any more; 1 without friction."""
        return self.numbers[..., NUMBER["push"], :]

    @property
    def twisting(self) -> Vector:
        """Of those that touch with a patch: torque of friction about the normal over its arm (N); of joints, when sliding."""
        return self.numbers[..., NUMBER["twisting"], :]

    @property
    def rolling_left(self) -> Vector:
        """Of those that do not roll: by how much the moment against rolling may still grow (N m)."""
        return self.numbers[..., NUMBER["rolling_left"], :]

    @property
    def wander(self) -> Vector:
        """Of closed wheels: the squared rate at which the radius to the contact point turns (rad²/s²)."""
        return self.numbers[..., NUMBER["wander"], :]

    @property
    def tilt(self) -> Vector:
        """Of wheels that tip over a point of their rim: the sine of the angle by which they have."""
        return self.numbers[..., NUMBER["tilt"], :]

    @property
    def turn(self) -> Vector:
        """Of closed contacts that resist rolling: turning along the ground in world axes (rad/s)."""
        return self.vectors[..., VECTOR["turn"], :, :]

    @property
    def turn_rate(self) -> Vector:
        """Rates of `turn` (rad/s²)."""
        return self.vectors[..., VECTOR["turn_rate"], :, :]

    @property
    def moment(self) -> Vector:
        """Of those that do not roll: the moment that keeps them from it, in world axes (N m)."""
        return self.vectors[..., VECTOR["moment"], :, :]

    @property
    def reaction(self) -> Vector:
        """Forces in world axes (N); that of a coupling is its multiplier, first."""
        return self.vectors[..., VECTOR["reaction"], :, :]

    @property
    def slip(self) -> Vector:
        """Of closed contacts that may slip: velocity along the ground in world axes (m/s); of joints their rate, first."""
        return self.vectors[..., VECTOR["slip"], :, :]

    @property
    def slip_rate(self) -> Vector:
        """Rates of `slip` (m/s²)."""
        return self.vectors[..., VECTOR["slip_rate"], :, :]

    def up_to(self, count: int) -> "Seen":
        """The first of several samples."""
        return Seen(*(values[:count] for values in vars(self).values()))

    def at(self, k: int) -> "Seen":
        """One of several samples."""
        return Seen(*(values[k] for values in vars(self).values()))

    @property
    def pressing(self) -> Vector:
        """Negative where a closed contact would have to pull.

        The normal force of one that slips changes its sign through infinity too, where its push does; this stays finite there.
        """
        return np.asarray(self.hold * self.push)


@dataclass(frozen=True, eq=False)
class Whole:
    """A state with everything that follows from it."""

    q: Vector
    v: Vector
    own: Vector
    """States of the controller."""
    energy: float


class Probe(Driven):
    """A mode, driven as the run tells, with its event functions."""

    def __init__(self, mode: Mode, inputs: Mapping[str, float], parameters: Vector, stepper: str | Implicit = "rk4") -> None:
        super().__init__(mode.compiled, inputs, parameters)
        self.mode, self.stepper = mode, stepper

    @cached_property
    def _arguments(self) -> tuple[Vector, ...]:
        return np.zeros(1), np.zeros(self.compiled.traced.state_port.size), self.inputs, self.parameters

    @cached_property
    def _events(self) -> Bound:
        return self.mode.events.bind(*self._arguments)

    @cached_property
    def _snapshot(self) -> Bound:
        return self.mode.snapshot.bind(*self._arguments)

    def look(self, t: float, x: Vector, ask: bool = True) -> Seen:
        """Event functions at one state; a law in Python need not be asked where no force is looked at."""
        self._events.inputs[0][0] = t
        self._events.inputs[1][:] = x
        if self.law is not None and ask:
            self._events.inputs[2][:] = self.law(t, x)
        return Seen(*(values.copy() for values in self._events()[:SEEN]))

    def ease(self, t: float, x: Vector) -> float:
        """Smallest pivot by which velocities are eliminated at one state: where it is small, others do better."""
        pivots = self.look(t, x).pivots.tolist()
        return min((-np.inf if pivot != pivot else pivot for pivot in pivots[: len(pivots) - self.mode.wheels]), default=np.inf)

    def look_at(self, times: Vector, states: Vector, parameters: Vector | None = None) -> Seen:
        """Event functions at several states; with a row of parameters for each where given."""
        p = self.parameters if parameters is None else parameters
        return Seen(*self.mode.events(times[:, None], states, self.inputs_at(times, states), p)[:SEEN])

    def places(self, times: Vector, states: Vector) -> dict[str, Vector]:
        """Places of the bodies that may touch a terrain at several states, by contact (see `tracing.contacts.places`)."""
        rows = self.mode.places(times[:, None], states, self.inputs, self.parameters)
        return {rough.name: part for rough, part in zip(self.mode.roughs, rows, strict=True)}

    def whole(self, t: float, x: Vector) -> Whole:
        """Coordinates, velocities and energy of a state."""
        self._snapshot.inputs[0][0] = t
        self._snapshot.inputs[1][:] = x
        q, v, energies = self._snapshot()
        return Whole(q.copy(), v.copy(), np.array(x[self.mode.own :]), float(energies.sum()))

    def stiffly(self) -> "Probe":
        """The same with implicit steps, which take out what is too fast for them."""
        found = copy(self)
        found.stepper = STIFF
        vars(found)["_bound"] = None
        return found

    def roll(self, t: float, x: Vector, steps: int, h: float, **options: Any) -> Rollout:
        """Some steps of a length; where laws jump is looked after by who takes them."""
        given: dict[str, Any] = {"inputs": self.inputs} if self.law is None else {"law": self.law.answer}
        stepper = options.pop("stepper", self.stepper)
        if not options and stepper is self.stepper:
            bound = self._bound
            if bound is not None and steps <= bound.longest:
                return bound(t, x, steps, h)
        roller = self.compiled.roller_for(stepper)
        return roller.run(x, steps, h, parameters=self.parameters, start_time=t, stepper=stepper, **given, **options)

    @cached_property
    def _bound(self) -> BoundRollout | None:
        """Steps without ado, for most calls take one; None where inputs come from Python, and for implicit steps."""
        roller = self.compiled.called_roller
        return roller.bind(self.inputs, self.parameters, self.stepper) if isinstance(roller, RolloutKernel) else None

    def after(self, t: float, x: Vector, h: float) -> Vector:
        """State after one step of a length; infinite where the step fails."""
        if h == 0.0:
            return x
        if self._bound is not None:
            found = self._bound.after(t, x, h)
        else:
            result = self.roll(t, x, 1, h)
            found = np.asarray(result.final) if int(result.completed) else None
        return np.full(len(x), np.inf) if found is None else found
