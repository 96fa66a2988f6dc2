"""The balance of a ridden system: gains of regulators along a velocity, and the inputs that they give.

At the velocity v the regulator of the steady motion gives u = u0 - K (x - x0). To follow a target r of some state the steady
deviation (dx, du) is added for which A dx + B du = 0 and that state deviates by r:

    u = u0 + du r - K (x - x0 - dx r)

Where a contact is open the steady motion is no matter: every input then only brings its own joint back to where it was in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property

import numpy as np

from locomotor.analysis import Linearisation, linearise, lqr
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError, UnknownNameError
from locomotor.model import Balance, System
from locomotor.names import suggestion
from locomotor.typing import Flags, Vector
from locomotor.viewing.live.levelled import levelled

MOST_GAINS = 400
"""Multiple of the spacing beyond which the gains of the fastest motion serve."""


@dataclass(frozen=True, eq=False)
class Gains:
    """The regulator at one value of the velocity: u = steady + rows (x - x0 - following r) + feeding r."""

    states: Vector
    """x0, in the order of the linearisation's states."""
    inputs: Vector
    """u0, in the order of the balance's inputs."""
    K: Vector
    following: Vector
    """dx for a target of one."""
    feeding: Vector
    """du for a target of one."""


@dataclass(frozen=True, eq=False)
class Balancer:
    """Gains of one system, made when they are first needed."""

    system: System
    balance: Balance
    target: str = ""
    """The state that is to follow, if any."""
    _known: dict[int, Gains] = field(default_factory=dict)

    @property
    def input_names(self) -> tuple[str, ...]:
        """The inputs by which it acts."""
        return tuple(self.balance.inputs)

    @cached_property
    def level(self) -> System:
        """The system whose straight motion is regulated."""
        return levelled(self.system)

    @cached_property
    def state_names(self) -> tuple[str, ...]:
        """The states that it looks at."""
        return linearise(self.level, {self.balance.along: self.balance.least}).state_names

    def check(self) -> None:
        """Make the gains of the slowest motion, and refuse what cannot be balanced."""
        names = self.state_names
        if self.target and self.target not in names:
            raise UnknownNameError(f"riding: {self.target!r} is no state of small deviations: {suggestion(self.target, names)}")
        self._gains(0)

    def inputs(self, channels: Mapping[str, float], target: float, touching: bool = True) -> dict[str, float]:
        """The inputs for what is measured, and for a target of the state that follows, while every contact touches."""
        balance = self.balance
        place = (max(float(channels[balance.along]), balance.least) - balance.least) / balance.spacing
        low = min(int(place), MOST_GAINS)
        share = min(place - low, 1.0)
        below = self._at(low, channels, target, touching)
        mixed = below if share < 1e-9 else (1.0 - share) * below + share * self._at(low + 1, channels, target, touching)
        return dict(zip(self.input_names, mixed.tolist(), strict=True))

    def _at(self, place: int, channels: Mapping[str, float], target: float, touching: bool) -> Vector:
        gains = self._gains(place)
        x = np.array([channels[name] for name in self.state_names])
        if not touching:
            return gains.inputs - (gains.K * self._own) @ (x - gains.states)
        return gains.inputs + gains.feeding * target - gains.K @ (x - gains.states - gains.following * target)

    @cached_property
    def _own(self) -> Flags:
        """(inputs, states): which states are those of the joint that an input drives."""
        layout = self.system.layout
        driven = [
            {
                symbol.name
                for joint in self.system.joints
                if any(name in law.names for _, law in joint.drive.expressions(laws=True))
                for symbol in (*layout.coordinates[layout.q[joint.name]], *layout.velocities[layout.v[joint.name]])
            }
            for name in self.input_names
        ]
        return np.array([[state in own for state in self.state_names] for own in driven])

    def _gains(self, place: int) -> Gains:
        if place not in self._known:
            balance = self.balance
            linear = linearise(self.level, {balance.along: balance.least + place * balance.spacing})
            regulator = lqr(linear, dict(balance.states), dict(balance.inputs))
            steady = {**linear.motion.coordinates, **linear.motion.velocities}
            following, feeding = self._steady_deviation(linear)
            self._known[place] = Gains(
                np.array([steady[name] for name in linear.state_names]),
                np.array([linear.motion.inputs[name] for name in self.input_names]),
                regulator.K,
                following,
                feeding,
            )
        return self._known[place]

    def _steady_deviation(self, linear: Linearisation) -> tuple[Vector, Vector]:
        """States and inputs of the neighbouring steady motion at which the target deviates by one."""
        n, m = len(linear.state_names), len(self.input_names)
        if not self.target:
            return np.zeros(n), np.zeros(m)
        A, basis = linear.essential
        B = linear.B[:, [linear.input_names.index(name) for name in self.input_names]]
        row = linear.state_names.index(self.target)
        found = _resting(A, basis.T @ B, basis[row])
        if found is None:  # on a slope nothing turns steadily: what is balanced can, while the rest drifts
            kept = self._balanced(linear)
            basis = np.eye(n)[:, kept]
            found = _resting(linear.A[np.ix_(kept, kept)], B[kept], basis[row])
        if found is None:
            raise ArgumentError(
                f"riding: there is no steady motion near by at which {self.target} deviates; name another target"
            )
        deviation, feeding = found
        return basis @ deviation, feeding

    def _balanced(self, linear: Linearisation) -> list[int]:
        """States with a weight, and the rates of such coordinates, by their numbers."""
        rates = self.system.layout.velocity_of
        wanted = {*self.balance.states, *(rates[name] for name in self.balance.states if name in rates)}
        return [i for i, name in enumerate(linear.state_names) if name in wanted]


def _resting(A: Vector, B: Vector, row: Vector) -> tuple[Vector, Vector] | None:
    """States x and inputs u with A x + B u = 0 and row . x = 1; None where there are none."""
    whole = np.block([[A, B], [row[None], np.zeros((1, B.shape[1]))]])
    wanted = np.append(np.zeros(len(A)), 1.0)
    found, *_ = np.linalg.lstsq(whole, wanted, rcond=None)
    if np.abs(whole @ found - wanted).max() > 1e-6:
        return None
    return found[: len(A)], found[len(A) :]
