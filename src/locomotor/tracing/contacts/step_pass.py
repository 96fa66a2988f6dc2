"""One pass of a step of time-stepping: velocities after it, with forces and the turning of rows at given velocities."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import casadi
import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics import ReducedMotion
from locomotor.mechanics.impacts import (
    TINY,
    Coefficients,
    Pushed,
    Rebound,
    Response,
    Restitution,
    Sliding,
    Touching,
    harmless_share,
    rounds_of,
    sticking_impulses,
    sticking_rebound,
)
from locomotor.tracing.contacts.implicit_forces import ImplicitForces
from locomotor.tracing.contacts.settings import ContactSettings
from locomotor.tracing.contacts.step_loads import StepLoads
from locomotor.tracing.contacts.step_rules import StepRules, rules_of
from locomotor.tracing.contacts.switching import SwitchingRows
from locomotor.typing import Array

REBOUNDS = 8
"""Restitution has so many times the sweeps of the settings: in few steps is there any, and they end where nothing changes."""

RESTS = 1e-4
"""A contact that slips slower than this share of the speed that its load makes in a step rests: sticking is exact to
round-off, in single precision too."""
SLOWEST = 1e-10
"""And one that slips slower than this (m/s)."""
STOPPED = 1e-6
"""Of a slip no more than this share is left where it was stopped."""


@dataclass(frozen=True, eq=False)
class MidPoint:
    """All that the passes of a step share: the configuration in its middle, who acts there, and how velocities answer."""

    h: casadi.SX
    velocity: Array
    """Reduced velocities at the start."""
    motion: ReducedMotion
    """The motion without contacts, with the velocities of the start."""
    touching: tuple[Touching, ...]
    approach: tuple[Any, ...]
    """For each contact the speed with which it may go on towards the ground, None where it may not at all."""
    rows: Array
    """All rows over all velocities, zero where a contact does not act."""
    response: Response
    theta: float
    """Share of the step after which the configuration is taken: 1/2 is its middle."""
    implicit: ImplicitForces | None
    """Masses with what forces do in the step; None where forces are known beforehand."""
    sliding: Sliding | None
    """Contacts with friction; None where all of them stick."""
    rebound: Rebound | None
    """The same in restitution by laws of impulses and energies; None where there are none."""
    loads: StepLoads
    """Joints whose friction follows their loads."""
    adhesion: Array | None
    values: Mapping[str, Any]
    settings: ContactSettings


@dataclass(frozen=True, eq=False)
class StepPass:
    """Velocities after a step, with forces and the turning of the rows taken at given velocities."""

    of: MidPoint
    motion: ReducedMotion
    rows: list[SwitchingRows]
    before: StepPass | None = None
    """The pass that went before, whose impulses are a first guess."""

    @cached_property
    def _acceleration(self) -> Array:
        """Of the reduced velocities over the step, without contacts."""
        force = -(self.motion.H_r.T @ self.motion.bias)
        if self.of.implicit is None:
            return ops.solve_spd(self.of.motion.reduced_mass, force)
        # What the matrix says of the velocities at which forces were taken is in them already.
        known = self.of.implicit.by_velocity @ (self.motion.v_r - self.of.velocity)
        return ops.solve_spd(self.of.implicit.mass, force - known)

    @cached_property
    def free(self) -> Array:
        """Reduced velocities after the step without contacts, but for the largest pulls of those that adhere."""
        moved = self.of.velocity + self.of.h * self._acceleration
        return moved if self.of.adhesion is None else moved + self.of.response.columns @ self.of.adhesion

    @cached_property
    def row_velocities(self) -> tuple[Array, Array]:
        """Velocities along the rows at the start of the step, and at its end without contacts.

        Rows are those of the mid-point, or of where theta has it; what they do on either side of it is in their bias.
        """
        C = self.of.response.rows
        biases = [
            ops.if_else(touching.active, row.bias, np.zeros(ops.size(row.bias)))
            for row, touching in zip(self.rows, self.of.touching, strict=True)
        ]
        turning = (self.of.theta * self.of.h) * ops.concat(*biases)
        later = turning if self.of.theta == 0.5 else ((1.0 - self.of.theta) / self.of.theta) * turning
        before, after = C @ self.of.velocity - turning, C @ self.free + later
        if self.motion.driven is not None:
            driven = self.of.rows @ self.motion.driven
            before, after = before + driven, after + driven
        return before, after

    @cached_property
    def _approaches(self) -> list[Any]:
        """For each contact that only pushes, whether it approaches fast enough for a bounce of its own or of others."""
        before, without = self.row_velocities
        found: list[Any] = []
        for touching in self.of.touching:
            k = touching.rows.start
            gained = ops.fmax(before[k] - without[k], 0.0)
            found.append(ops.less(before[k], -self.of.settings.shortest_bounce * gained))
        return found

    @cached_property
    def _departures(self) -> list[Any]:
        """For each contact, the normal velocity at which its law wants it to leave; None where it never bounces."""
        before = self.row_velocities[0]
        starts = {row.entry.name: touching.rows.start for row, touching in zip(self.rows, self.of.touching, strict=True)}
        fast = dict(zip(starts, self._approaches, strict=True))
        found: list[Any] = []
        for row in self.rows:
            name, law = row.entry.name, row.law
            if not law.may_bounce:
                found.append(None)
                continue
            shares = law.shares(self.of.values)
            if not law.is_plastic:
                shares[name] = law.coefficients_at(self.of.values, -before[starts[name]])[0]
            terms = [ops.if_else(fast[other], -share * before[starts[other]], 0.0) for other, share in shares.items()]
            found.append(sum(terms[1:], terms[0]))
        return found

    @cached_property
    def bounces(self) -> list[Any]:
        """For each contact, whether it bounces; None where it cannot."""
        found: list[Any] = []
        for row, fast, leaves in zip(self.rows, self._approaches, self._departures, strict=True):
            found.append(None if leaves is None else fast if row.law.always_bounces else ops.less(0.0, leaves))
        return found

    @cached_property
    def _rules(self) -> StepRules:
        """Which law of impact this step has."""
        before = self.row_velocities[0]
        starts = [touching.rows.start for touching in self.of.touching]
        acting = [touching.active for touching in self.of.touching]
        return rules_of(self.rows, [before[k] for k in starts], acting, self.bounces, self.of.values)

    @cached_property
    def _missing(self) -> Array:
        """What the velocities along the rows are missing by the laws of the contacts.

        Of contacts that bounce by a law of impulses or energies it is the compression that is asked for, in the middle of the
        step: half of what forces do in it comes before the impact. So an elastic one keeps energy, as by Newton's law.
        """
        (before, without), rules = self.row_velocities, self._rules
        missing: list[Any] = []
        parts = zip(
            self.rows, self.of.touching, self.bounces, self._departures, self.of.approach, rules.compressed, strict=True
        )
        for row, touching, bounces, leaves, approach, compressed in parts:
            for k in range(touching.rows.start, touching.rows.stop):
                target: Any = 0.0 if approach is None or k > touching.rows.start else -approach
                if bounces is not None:
                    first = touching.rows.start
                    along = None if k == first else row.law.coefficients_at(self.of.values, -before[first])[1]
                    target = leaves if along is None else ops.if_else(bounces, -along * before[k], 0.0)
                if rules.reversed is not None and touching.one_sided and k > touching.rows.start:
                    target = target - rules.reversed * before[k]
                if compressed is not None:
                    target = ops.if_else(compressed, 0.5 * (without[k] - before[k]), target)
                missing.append(target - without[k])
        return ops.vector(*missing)

    @cached_property
    def _wanted(self) -> Array:
        """What velocities along the rows are missing at the end of the step if nothing bounced."""
        missing = ops.entries(-self.row_velocities[1])
        for touching, approach in zip(self.of.touching, self.of.approach, strict=True):
            if approach is not None:
                missing[touching.rows.start] = missing[touching.rows.start] - approach
        return ops.vector(*missing)

    @cached_property
    def _restitution(self) -> Restitution:
        """What is given back after compression."""
        before, without = self.row_velocities
        rules, half = self._rules, 0.5 * (without - before)
        return Restitution(rules.shares, rules.energetic, rules.gives_back, before + half, half)

    @cached_property
    def _newton(self) -> Pushed:
        """By the laws of the contacts, with friction."""
        return self._rub(self._missing, None if self.before is None else self.before._newton)

    @cached_property
    def _plastic(self) -> Pushed:
        """The same, if nothing bounced."""
        return self._rub(self._wanted, None if self.before is None else self.before._plastic)

    def _rub(self, missing: Array, guess: Pushed | None) -> Pushed:
        assert self.of.sliding is not None
        sweeps = self.of.settings.sweeps
        half = max(sweeps // 2, 1)
        count = sweeps if self.of.settings.passes == 1 else half if guess is None else max(sweeps - half, 1)
        return self.of.sliding.impulses(missing, count, guess, self._loads, self._varying)

    @cached_property
    def _varying(self) -> dict[int, Coefficients]:
        """Of contacts whose friction differs at rest or with the slip, by number, the coefficients of this pass.

        The speed of the slip is that of the start, or where a pass went before, of the middle. One that slips when the step
        begins slips on, unless friction of the slip stops it: by the coefficient at rest it sticks only where its slip would
        turn back otherwise, as the pass before tells. In a step with an impact both are the one with which a slip begins, as in
        runs with events: impulses are not small there, and the slip jumps.
        """
        found: dict[int, Coefficients] = {}
        for k, (row, touching) in enumerate(zip(self.rows, self.of.touching, strict=True)):
            if touching.varies:
                own = slice(touching.rows.start + 1, touching.rows.stop - touching.turning)
                slip = ops.sqrt(ops.dot(self._between[own], self._between[own]) + TINY)
                begins, values = row.law.friction_at(self.of.values), self.of.values
                slides = row.law.sliding_at(values, slip)
                sticks = ops.if_else(self._may_rest(touching, own), row.law.static_at(values), slides)
                found[k] = Coefficients(
                    ops.if_else(self._collides, begins, sticks), ops.if_else(self._collides, begins, slides)
                )
        return found

    def _may_rest(self, touching: Touching, own: slice) -> Any:
        """Whether a contact rested when the step began, or would slip the other way at its end."""
        before, without = self.row_velocities
        speed = RESTS * ops.fabs(without[touching.rows.start] - before[touching.rows.start]) + SLOWEST
        rested = ops.less(ops.dot(before[own], before[own]), speed * speed)
        if self.before is None:
            return rested
        turned = turns_back(before[own], self.before.row_velocities_after[own])
        return ops.less(0.5, ops.fmax(ops.if_else(rested, 1.0, 0.0), ops.if_else(turned, 1.0, 0.0)))

    @cached_property
    def _between(self) -> Array:
        """Velocities along the rows at which the friction of this pass is taken."""
        start = self.row_velocities[0]
        if self.before is None:
            return start
        return start + self.of.theta * (self.before.row_velocities_after - start)

    @cached_property
    def _impacts(self) -> list[Any]:
        """For each contact that pushes, whether it takes part and hits."""
        return [
            ops.logic_and(touching.active, fast)
            for row, touching, fast in zip(self.rows, self.of.touching, self._approaches, strict=True)
            if row.law.pushes
        ]

    @cached_property
    def _collides(self) -> Any:
        """Whether some contact hits."""
        found: Any = 0.0
        for hits in self._impacts:
            found = ops.fmax(found, ops.if_else(hits, 1.0, 0.0))
        return ops.less(0.5, found)

    @cached_property
    def _loads(self) -> dict[int, list[Any]]:
        """What presses in joints whose friction follows it, without impulses; and whether these count."""
        if not self.of.loads.loaded:
            return {}
        return self.of.loads.without_impulses(self.motion, self._acceleration, self.of.h, self.of.adhesion, self._impacts)

    @cached_property
    def _pushed(self) -> tuple[Array, Array, Array]:
        """Impulses of all rows, and what they change in the reduced velocities and in those along the rows.

        With friction only as much of a bounce is given as makes no energy.
        """
        of, response = self.of, self.of.response
        if of.sliding is None:
            rounds = rounds_of(of.touching, of.settings.rounds)
            L, parts = sticking_impulses(response, self._missing, of.touching, rounds)
            if self._rules.named:
                law, stronge = self._restitution, "stronge" in self._rules.named
                L, _ = sticking_rebound(response, self._wanted, of.touching, (L, parts), law, of.settings.rounds, stronge)
            jump = response.columns @ L
            return L, jump, response.rows @ jump
        first = self._newton
        if of.rebound is not None:
            sweeps = REBOUNDS * of.settings.sweeps
            first = of.rebound.impulses(self._wanted, first, self._restitution, sweeps, self._loads, self._varying)
        newton, moved, along = of.sliding.answer(first)
        if all(bounces is None for bounces in self.bounces):
            return newton, moved, along
        plastic, held, kept = of.sliding.answer(self._plastic)
        before, without = self.row_velocities
        share = harmless_share(plastic, newton - plastic, 0.5 * (before + without + kept), along - kept)
        return plastic + share * (newton - plastic), held + share * (moved - held), kept + share * (along - kept)

    @property
    def impulses(self) -> Array:
        """Impulses of all rows, counted from the largest pull."""
        return self._pushed[0]

    @property
    def jump(self) -> Array:
        """What the contacts change in the reduced velocities."""
        return self._pushed[1]

    @property
    def velocity(self) -> Array:
        """Reduced velocities after the step."""
        return self.free + self.jump

    @property
    def row_velocities_after(self) -> Array:
        """Velocities along the rows after the step."""
        return self.row_velocities[1] + self._pushed[2]


def turns_back(before: Array, after: Array) -> Any:
    """Whether velocities along the ground, or of a joint, are against those before, or have been stopped."""
    return ops.less(ops.dot(before, after), STOPPED * ops.dot(before, before))
