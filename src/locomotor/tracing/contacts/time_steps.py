"""Moreau-Jean time-stepping: one step of any system whose contacts push, as one straight-line function.

Velocities jump, so that a step knows impulses only (Moreau 1988; Jean 1999, doi:10.1016/S0045-7825(98)00383-1):

    q_m = q + h/2 v,     v+ = v + h a + M^-1 C^T L,     q+ = q + h (v + v+)/2,

with M, C, the gaps and a, the acceleration without the contacts, taken at the mid-point q_m. A contact whose gap is closed in
the middle of the free motion gets its impulse from the law of impact u_N+ >= -e u_N, L_N >= 0; the others get none. Events
are not located: an impact happens at a step, so that motions with impacts are exact to O(h). Where nothing opens or closes
the scheme is of second order: the step is made twice, the second time with forces at the mean velocity (v + v+)/2. With
`ContactSettings(passes=1)` it is made once, with forces at the velocities of the start: of first order, and half the work.

With `ContactSettings(theta=...)` it is the theta-method, everything taken at the share theta of the step: q_m = q + theta h v,
q+ = q + h ((1 - theta) v + theta v+), and forces implicit (see `implicit_forces`). theta = 1/2 is of second order, 1 takes out
motions that are too fast for the step.

Contact work is L (u + u+)/2: none for an elastic contact, a loss otherwise. Newton's law with friction may make energy out of
nothing; only as much of its restitution is given as makes none. Coordinates move on their groups. What is
persistent or imposed is treated exactly, through the kernel of its constraints. The dry friction of a joint is a row, of a ball
joint three, whose impulse is within h times its bound: it holds the joint, or acts against its rate after the step. Where it
follows the load of the joint the two are found together (`step_loads`). A contact whose friction differs at rest sticks where
that coefficient lasts, and otherwise slips with the one at the speed of its slip: of the start, then of the middle. The gaps of
contacts that stay are closed apart from the velocities, so that closing them makes no kinetic energy.
"""

from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import casadi
import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics import ReducedMotion, gap_correction
from locomotor.mechanics.impacts import (
    STEADY,
    Pushed,
    Rebound,
    Response,
    Sliding,
    Touching,
    rounds_of,
    sticking_impulses,
)
from locomotor.model import Contact, Rub, System, rubs_of, without_dry_friction
from locomotor.tracing.contacts.implicit_forces import RUNS_AWAY, ImplicitForces, implicit_dampers, implicit_forces
from locomotor.tracing.contacts.moves import coordinate_rates, retract
from locomotor.tracing.contacts.nearing import Nearing, may_near, most_moved
from locomotor.tracing.contacts.rough import looked_up, on_slots
from locomotor.tracing.contacts.settings import ContactSettings
from locomotor.tracing.contacts.sides import Sides, sides_in
from locomotor.tracing.contacts.step_checks import check_laws
from locomotor.tracing.contacts.step_loads import step_loads
from locomotor.tracing.contacts.step_pass import MidPoint, StepPass, turns_back
from locomotor.tracing.contacts.step_rules import TWO_PHASES, rules_in
from locomotor.tracing.contacts.switching import (
    FlyingSystem,
    SwitchingRows,
    in_flight,
    rows_of,
    rub_row,
    step_map,
    switching_of,
    with_closed_loops,
)
from locomotor.tracing.core import Field, Port, Recorder, Traced
from locomotor.typing import Array


@dataclass(frozen=True, eq=False)
class TimeStepping:
    """Step maps of a system; `flight` is the system with everything open that may open, and has its state."""

    system: System
    free: tuple[str, ...] = ()
    settings: ContactSettings = field(default_factory=ContactSettings)

    def __post_init__(self) -> None:
        check_laws(self.system, self.settings)

    @cached_property
    def flight(self) -> FlyingSystem:
        """The system without the contacts that open and close.

        Of contacts with a condition the mode is remembered, as a closed one stays without it; and of those that adhere, as only
        a closed one does.
        """
        remembered = (e.name for e in switching_of(self.system) if e.law.is_gated or e.law.adheres)
        slotted, roughs = on_slots(without_dry_friction(self.system))
        return in_flight(slotted, self.free, tuple(remembered), roughs)

    @cached_property
    def step(self) -> Traced:
        """State after a step `h` from `time`: see `switching.step_map`."""
        about = "state after a step of Moreau-Jean time-stepping"
        watched = ops.concat(self._middle.watched_pivots, ops.vector(*self._margins, *self._steadiness))
        return step_map(self.flight, self._h, with_closed_loops(self.flight, self._h, self._next), watched, about, self._loops)

    @property
    def device_step(self) -> Traced:
        """The same as a device takes it best."""
        return self.step

    @property
    def watched(self) -> tuple[str, ...]:
        """Reasons for which a step can fail, beside vanishing pivots: a contact is inside its ground, or forces run away."""
        return (*(sunk_words(row.entry.name) for row in self._solid), *((RUNS_AWAY,) if self._steadiness else ()))

    @property
    def _steadiness(self) -> list[Any]:
        """A number that is negative where forces that grow with the motion outweigh the masses within a step."""
        return [] if self._implicit is None or self._implicit.margin is None else [self._implicit.margin]

    @cached_property
    def impulses(self) -> Traced:
        """Normal and tangential impulses of every contact over a step, and its gap at the mid-point."""
        impulses = self._last.impulses if self._adhesion is None else self._last.impulses + self._adhesion
        counts = [touching.rows.stop - touching.rows.start for touching in self._touching]
        return self._with_impulses(impulses, self._gaps[: len(self.flight.switching)], counts)

    def _with_impulses(self, impulses: Array, gaps_there: list[Any], counts: list[int]) -> Traced:
        """The function of these impulses, so many for each contact, and gaps."""
        names = [entry.name for entry in self.flight.switching]
        fields = []
        for name, count in zip(names, counts, strict=False):
            labels = ["normal", *(f"tangent_{k}" for k in range(1, count))]
            fields += [Field(f"{name}_{label}", "N s") for label in labels]
        for rub in self._rubs:
            axes = ("",) if rub.turns_one_way else ("_x", "_y", "_z")
            fields += [Field(f"{rub.law.of.name}_impulse{axis}", "", "", "of the dry friction of a joint") for axis in axes]
        gaps = Port("gaps", tuple(Field(f"{name}_gap", "m") for name in names))
        outputs = [(Port("impulses", tuple(fields)), impulses), (gaps, ops.vector(*gaps_there))]
        inputs = list(zip(self.step.inputs, (*self.flight.arguments, self._h), strict=True))
        about = "impulses of the contacts over a step of time-stepping"
        return Traced.build_with_loops(f"{self.system.name}_impulses", inputs, outputs, self._loops, about)

    # -- the mid-point --------------------------------------------------------------------------------

    @cached_property
    def _h(self) -> casadi.SX:
        return casadi.SX.sym("step", 1)

    @cached_property
    def _values(self) -> Mapping[str, Any]:
        return self.flight.values(self.flight.arguments[3])

    @cached_property
    def _v(self) -> Array:
        """Reduced velocities at the start."""
        return self.flight.motion.v_r

    @property
    def _theta(self) -> float:
        """Share of the step after which configuration and forces are taken."""
        return 0.5 if self.settings.theta is None else self.settings.theta

    @cached_property
    def _moved(self) -> Array:
        """Coordinates of the state at the mid-point, or where theta has it, with the velocities of the start."""
        flight, start = self.flight, self.flight.motion
        delta = (self._theta * self._h) * coordinate_rates(flight, start.q, start.v, self._values)
        return retract(flight.coordinate_manifold, flight.arguments[1][0 : flight.nq], delta)

    def _motion_at(self, moved: Array, v: Array) -> ReducedMotion:
        """The motion without contacts at these coordinates of the state and velocities, at the instant of the mid-point."""
        flight, time = self.flight, self.flight.arguments[0] + self._theta * self._h
        q = flight.full_coordinates(time, moved, self._values)
        return ReducedMotion(flight.reduction, q, v, time, flight.motion.inputs, self._values)

    @cached_property
    def _middle(self) -> ReducedMotion:
        """The motion without contacts at the mid-point, with the velocities of the start."""
        flight, bare = self.flight, self._motion_at(self._moved, self._v)
        if not flight.roughs:
            return bare
        places, _ = looked_up(flight.roughs, self._loops, bare.kinematics, self._values, self._h)
        return replace(bare, parameters={**self._values, **places})

    @cached_property
    def _implicit(self) -> ImplicitForces | None:
        """What forces do within the step, None where they are known beforehand: without theta all but dampers of joints."""
        if self.settings.theta is None:
            return implicit_dampers(self._middle, 0.5 * self._h)
        return implicit_forces(self.flight, self._motion_at, self._moved, self._v, self._theta * self._h, self._values)

    @property
    def _mass(self) -> Array:
        """What impulses move: the reduced masses, with what forces do in the step where these are implicit."""
        return self._middle.reduced_mass if self._implicit is None else self._implicit.mass

    @cached_property
    def _gaps(self) -> list[Any]:
        """Gaps in the middle of the step, with the velocities of the start."""
        if self._theta == 0.5:
            return [row.gap for row in self._rows]
        early = (0.5 - self._theta) * self._h
        return [row.gap + early * ops.dot(row.rows[0, :].T, self._middle.v) for row in self._rows]

    def _rows_of(self, motion: ReducedMotion) -> list[SwitchingRows]:
        """Rows of all contacts, then those of joints with dry friction."""
        found = rows_of(motion, self.flight.switching, self.system.parameters.values, self.flight.slots)
        found = self._sides.rows_on(motion, found, self.system)
        return [*found, *(rub_row(motion, rub) for rub in self._rubs)]

    @cached_property
    def _sides(self) -> Sides:
        """Wheels that may come to lie on their side, and whether they do in this step."""
        return sides_in(self._middle, self.flight.switching, self.flight.slots, self._falls, self._h, self.system)

    @cached_property
    def _falls(self) -> Array:
        """Accelerations without contacts."""
        return self._middle.H_r @ ops.solve_spd(self._mass, -(self._middle.H_r.T @ self._middle.bias))

    @cached_property
    def _rubs(self) -> tuple[Rub, ...]:
        """The dry friction of joints."""
        return rubs_of(self.system)

    @cached_property
    def _rows(self) -> list[SwitchingRows]:
        return self._rows_of(self._middle)

    @cached_property
    def _falling(self) -> dict[str, list[Any]]:
        """By contact that pushes, what its gap is accelerated by without contacts, in parts."""
        found = {}
        for row in self._rows:
            if row.law.pushes:
                parts = [x * y for x, y in zip(ops.entries(row.rows[0, :].T), ops.entries(self._falls), strict=True)]
                found[row.entry.name] = [*parts, row.bias[0]]
        return found

    @cached_property
    def _reaches(self) -> dict[str, Any]:
        """By contact that pushes, how far its gap may be open in the middle of a step, and the contact still rests."""
        found = {}
        for name, terms in self._falling.items():
            # One that rests falls by g h²/8 until then: round-off opens nothing. One that rests and would rise acts too:
            # sticking may hold down what is driven off the ground (both modes are then possible, and the contact stays
            # closed until it pulls).
            fallen = sum(terms[1:], terms[0])
            size = sum((ops.fabs(term) for term in terms[1:]), ops.fabs(terms[0]))
            found[name] = (0.125 * self._h * self._h) * ops.fmax(ops.fabs(fallen), RESTS * size)
        return found

    @cached_property
    def _nearing(self) -> list[Nearing | None]:
        """How far each contact that pushes is from its ground, and goes on without contacts; None for others."""
        theta, h = self._theta, self._h
        found: list[Nearing | None] = []
        for row in self._rows:
            if not row.law.pushes or row.law.is_gated:
                found.append(None)
                continue
            terms, rate = self._falling[row.entry.name], ops.dot(row.rows[0, :].T, self._middle.v)
            free = rate + h * sum(terms[1:], terms[0]) - (theta * h) * row.bias[0]
            ahead = 0.0 if theta == 0.5 else ((1.0 - 2.0 * theta) * h) * rate
            name, enters = row.entry.name, (theta * h) * ops.fmax(-free, 0.0)
            # A wheel that lies has its gap elsewhere than its rows.
            lies = self._sides.lies.get(name)
            found.append(Nearing(row.gap + ahead, self._reaches[name], enters, may_near(row), lies))
        return found

    @cached_property
    def _approach(self) -> tuple[Any, ...]:
        """For each contact that may take part before it touches, the speed with which it may approach; None for others."""
        rest = self._theta * self._h
        return tuple(None if each is None or not each.may else each.approach(rest) for each in self._nearing)

    @cached_property
    def _touching(self) -> tuple[Touching, ...]:
        """Every contact with its rows, and whether it acts in this step."""
        most, at = most_moved(self._nearing), 0
        found: list[Touching] = []
        for row, gap, nearing in zip(self._rows, self._gaps, self._nearing, strict=True):
            if row.law.rubs:
                count = int(row.rows.shape[0])
                found.append(
                    Touching(
                        slice(at, at + count), 1.0, one_sided=False, bound=self._h * self._rub_bound(row, self._rested(row))
                    )
                )
                at += count
                continue
            active = ops.less(0.0, row.condition)
            if row.law.pushes:
                # The gap in the middle of the free motion.
                closed = ops.less(gap - self._reaches[row.entry.name], CLOSED)
                active = ops.logic_and(active, closed)
                if row.law.is_gated:
                    # One that is inside already when its condition begins to hold does not collide: it must come from above.
                    rate = ops.dot(row.rows[0, :].T, self._middle.v)
                    active = ops.logic_and(active, ops.less(0.0, gap - (2.0 * self._h) * rate))
                if row.entry.name in self.flight.remembered:
                    # One that pulls is not pressed back by anything, and one whose condition has ended does not close again:
                    # round-off of the gap, or what a longer step left of it, must not let go.
                    active = ops.less(0.5, ops.fmax(self._flag(row), ops.if_else(active, 1.0, 0.0)))
            friction = row.law.static_at(self._values) if row.law.slips else None
            count = int(row.rows.shape[0])
            touching = Touching(slice(at, at + count), active, row.law.pushes, friction, row.law.may_bounce)
            if row.law.slips and not row.law.has_one_friction:
                touching = replace(touching, varies=True)
            if isinstance(row.entry, Contact) and (row.entry.rolls or row.spins):
                touching = replace(touching, uneven=True, pivots=row.spins)
            if nearing is not None and nearing.may:
                closed = ops.fmax(ops.if_else(active, 1.0, 0.0), ops.if_else(nearing.lands, 1.0, 0.0))
                taking = ops.fmax(closed, ops.if_else(nearing.is_pressed(most), 1.0, 0.0))
                touching = replace(touching, active=ops.less(0.5, taking), closed=ops.less(0.5, closed))
            if row.rolling:
                touching = replace(touching, turning=row.rolling, resistance=row.law.resistance_at(self._values))
            if row.law.adheres:
                touching = replace(touching, adheres=True, counted_from=self._largest_pull(row, active))
            found.append(touching)
            at += count
        return tuple(found)

    def _rub_bound(self, row: SwitchingRows, rests: Any) -> Any:
        """Largest effort of a joint in this step that follows no load; `rests` asks for that at rest."""
        assert isinstance(row.entry, Rub)
        static, sliding = row.entry.law.bounds_at(row.names, None)
        return sliding if row.entry.law.of.static is None else ops.if_else(rests, static, sliding)

    def _rested(self, row: SwitchingRows) -> Any:
        """Whether a joint rested when the step began."""
        rates = row.rows @ self._middle.v
        return ops.less(ops.dot(rates, rates), RESTING * RESTING)

    @cached_property
    def _solid(self) -> list[SwitchingRows]:
        """Contacts that never pass through their ground: those that push, without a condition."""
        return [row for row in self._rows if row.law.pushes and not row.law.is_gated]

    @cached_property
    def _margins(self) -> list[Any]:
        """For each of these a number that is negative where it is inside its ground by more than a step can bring it there.

        What approaches may begin a step as deep as it came in half of one, and is as much deeper in the middle. What has
        bounced may be that deep until it has left, or falls back and is lifted: it is looked at after the step. Where all is
        at rest at the start nothing has bounced.
        """
        # Before an impact rows turn as they do at the start: the second pass has the spin that the impact makes.
        before, after, found = self._first.row_velocities[0], self._last.row_velocities_after, []
        rests = RESTS_INSIDE / self._h if any(row.law.may_bounce for row in self._solid) else None
        squares = 0.0 if rests is None else ops.dot(before, before)
        for row in self._solid:
            at = self._rows.index(row)
            k, gap = self._touching[at].rows.start, self._gaps[at]
            bound = SUNK + 8.0 * self._reaches[row.entry.name]
            if not row.law.may_bounce:
                speed = before[k] if row.lowest is None else ops.fmin(before[k], ops.dot(row.lowest, self._middle.v))
                inside = ops.less(gap + self._h * ops.fmax(-speed, 0.0) + bound, 0.0)
            else:
                begins = ops.fmax(-(gap + bound), 0.0)
                lifted = ops.dot(self._response.rows[k, :].T, self._closing)
                deep = ops.less(gap + (0.5 * self._h) * after[k] + lifted + bound, 0.0)
                sinks = ops.if_else(ops.logic_and(deep, ops.less(after[k], LEAVES)), 1.0, 0.0)
                began = ops.if_else(ops.less(squares, (rests * begins) ** 2), 1.0, 0.0)
                inside = ops.less(0.5, ops.fmax(sinks, began))
            found.append(ops.if_else(inside, -1.0, 1.0))
        return found

    def _flag(self, row: SwitchingRows) -> Any:
        """1 where a contact whose mode is remembered was closed after the step before."""
        return self.flight.mode[self.flight.remembered.index(row.entry.name)]

    @cached_property
    def _adhesion(self) -> Array | None:
        """Impulses of the largest pulls of contacts that are closed; None where no law adheres.

        Counted from there an impulse is zero or positive, L + h s >= 0: the problem of a contact that only pushes.
        """
        if not any(row.law.adheres for row in self._rows):
            return None
        found: list[Any] = []
        for touching in self._touching:
            pull = 0.0 if touching.counted_from is None else -touching.counted_from
            found += [pull, *([0.0] * (touching.rows.stop - touching.rows.start - 1))]
        return ops.vector(*found)

    def _largest_pull(self, row: SwitchingRows, active: Any) -> Any:
        """Size of the impulse with which a contact may pull at most over the step: only one that is closed does."""
        held = ops.logic_and(active, ops.less(0.5, self._flag(row)))
        return ops.if_else(held, self._h * row.hold(0.0), 0.0)

    @cached_property
    def _C(self) -> Array:
        """All rows over all velocities, zero where a contact does not act: what is not a number there does no harm."""
        blocks = [
            ops.if_else(touching.active, row.rows, np.zeros(row.rows.shape))
            for row, touching in zip(self._rows, self._touching, strict=True)
        ]
        return ops.block([[block] for block in blocks])

    @cached_property
    def _response(self) -> Response:
        """How reduced velocities and rows answer to impulses."""
        C = self._C @ self._middle.H_r
        return Response(C, self._mass, self.flight.blocks_normals)

    # -- velocities -----------------------------------------------------------------------------------

    @cached_property
    def _mid_point(self) -> MidPoint:
        loads = step_loads(self._middle, self._rows, self._touching, self._response, [self._rested(row) for row in self._rows])
        sliding = Sliding(self._response, self._touching, self._loops, loads.loaded) if self._with_friction else None
        return MidPoint(
            self._h,
            self._v,
            self._middle,
            self._touching,
            self._approach,
            self._C,
            self._response,
            self._theta,
            self._implicit,
            sliding,
            Rebound(sliding) if sliding is not None and rules_in(self._rows) & {*TWO_PHASES} else None,
            loads,
            self._adhesion,
            self._values,
            self.settings,
        )

    @cached_property
    def _first(self) -> StepPass:
        """The step with forces at the velocities of the start."""
        return StepPass(self._mid_point, self._middle, self._rows)

    @cached_property
    def _last(self) -> StepPass:
        """The step with forces at the mean velocities of the first pass, where that is not all."""
        if self.settings.passes == 1:
            return self._first
        mean = replace(self._middle, v_r=self._between(self._first.velocity))
        return StepPass(self._later_point, mean, self._rows_of(mean), self._first)

    @cached_property
    def _later_point(self) -> MidPoint:
        """The same in the second pass: a joint that would slide back, as the first pass tells, is held by its bound at rest.

        It comes to rest within the step, and slides only if that is not enough.
        """
        point = self._mid_point
        if point.sliding is None or not any(rub.law.of.static or rub.law.of.static_mu for rub in self._rubs):
            return point
        rests: list[Any] = []
        touching: list[Touching] = []
        for row, own in zip(self._rows, self._touching, strict=True):
            if row.law.rubs:
                turned = turns_back(row.rows @ self._middle.v, self._first.row_velocities_after[own.rows])
                either = ops.fmax(ops.if_else(self._rested(row), 1.0, 0.0), ops.if_else(turned, 1.0, 0.0))
                rests.append(ops.less(0.5, either))
                touching.append(replace(own, bound=self._h * self._rub_bound(row, rests[-1])))
            else:
                rests.append(0.0)
                touching.append(own)
        loads = step_loads(self._middle, self._rows, touching, self._response, rests)
        sliding = Sliding(self._response, touching, self._loops, loads.loaded, point.sliding)
        rebound = None if point.rebound is None else Rebound(sliding)
        return replace(point, touching=tuple(touching), loads=loads, sliding=sliding, rebound=rebound)

    def _between(self, after: Array) -> Array:
        """Velocities with which coordinates move, between those of the start and those after the step."""
        if self._theta == 0.5:
            return 0.5 * (self._v + after)
        return (1.0 - self._theta) * self._v + self._theta * after

    @cached_property
    def _with_friction(self) -> bool:
        return bool(self._rubs) or any(entry.law.slips for entry in self.flight.switching)

    @cached_property
    def _loops(self) -> Recorder:
        return Recorder(STEADY)

    # -- coordinates ----------------------------------------------------------------------------------

    @cached_property
    def _late(self) -> list[Any] | None:
        """What impulses of contacts that come to touch do not move before, scaled as in `Response`; None without any."""
        if not any(each is not None and each.may for each in self._nearing):
            return None
        found: list[Any] = []
        for touching, nearing in zip(self._touching, self._nearing, strict=True):
            own = range(touching.rows.start, touching.rows.stop)
            share: Any = 0.0
            if nearing is not None and nearing.may:
                share = -(self._theta * self._h) * nearing.before
            found += [share * self._last.impulses[i] if nearing is not None and nearing.may else 0.0 for i in own]
        return ops.entries(self._response.scaled @ ops.vector(*found))

    @cached_property
    def _closing(self) -> Array:
        """Displacement that closes the gaps of contacts that stay, in reduced velocities: it moves what is heavy least."""
        last, response = self._last, self._response
        lifts: list[Any] = []
        staying: list[Touching] = []
        rows: list[int] = []
        for row, touching, bounces in zip(self._rows, self._touching, last.bounces, strict=True):
            if row.law.rubs:
                continue  # a joint has no gap, and gives way where others are closed
            k, at = touching.rows.start, len(rows)
            gap = row.gap + (self._theta * self._h) * last.row_velocities_after[k]
            if self._theta != 0.5:
                gap = gap + ((1.0 - 2.0 * self._theta) * self._h) * last.row_velocities[0][k]
            stays = touching.active
            if bounces is not None:
                stays = ops.logic_and(stays, ops.less(ops.if_else(bounces, 1.0, 0.0), 0.5))
            # A contact that slides may be moved along the ground; one that sticks stays where it is.
            own = list(range(k, k + 1 if self._with_friction else touching.rows.stop))
            rows += own
            lifts += [ops.if_else(stays, -gap, 0.0) if touching.one_sided else 0.0, *([0.0] * (len(own) - 1))]
            staying.append(Touching(slice(at, at + len(own)), stays, touching.one_sided and not row.law.adheres))
        if not rows:
            return np.zeros(response.n)
        part, lift, closed = response.part(rows), ops.vector(*lifts), tuple(staying)
        if self._with_friction:
            sliding = Sliding(part, closed, self._loops)
            nothing = ops.less(0.0, -1.0)
            late = None if self._late is None else Pushed([0.0] * len(rows), self._late, nothing)
            return sliding.answer(sliding.swept(lift, late, CLOSING * self.settings.sweeps, OPEN / STEADY))[1]
        return part.columns @ sticking_impulses(part, lift, closed, rounds_of(closed, self.settings.rounds))[0]

    @cached_property
    def _next(self) -> Array:
        """State after the step."""
        flight, middle = self.flight, self._middle
        mean = self._between(self._last.velocity)
        velocity = middle.H_r @ mean if middle.driven is None else middle.H_r @ mean + middle.driven
        moved = self._h * velocity + middle.H_r @ self._closing
        if flight.reduction.holonomic:
            moved = moved + gap_correction(middle)
        delta = coordinate_rates(flight, middle.q, moved, self._values)
        q = retract(flight.coordinate_manifold, flight.arguments[1][0 : flight.nq], delta)
        return ops.concat(q, self._last.velocity, self._still_closed)

    @cached_property
    def _still_closed(self) -> Array:
        """1 for each remembered contact that holds on and does not bounce, else 0."""
        found = []
        for row, touching, bounces in zip(self._rows, self._touching, self._last.bounces, strict=True):
            if row.entry.name in self.flight.remembered:
                pushes = ops.if_else(ops.less(0.0, self._last.impulses[touching.rows.start]), 1.0, 0.0)
                found.append(pushes if bounces is None else ops.if_else(bounces, 0.0, pushes))
        return ops.vector(*found) if found else np.zeros(0)


def sunk_words(name: str) -> str:
    """Why an instance ends whose contact is inside its ground."""
    return (
        f"contact {name!r} is more than {SUNK:g} m inside its ground; take a smaller step or more sweeps, or lift what begins "
        "inside"
    )


RESTS = 0.1
"""Share of all that accelerates a gap by which it may be open and still at rest, when the sum happens to vanish."""
SUNK = 1e-3
"""No contact may be deeper inside its ground than this (m), as in runs with events."""
RESTING = 1e-10
"""A joint slower than this (rad/s, m/s) when a step begins was held in the one before: rates vanish to round-off there."""
CLOSING, OPEN = 4, 1e-6
"""Gaps are closed by so many times the sweeps of the settings, of normals alone, or until so little of them is left."""
LEAVES = 1e-6
"""What leaves its ground faster than this (m/s) is on its way out of it."""
RESTS_INSIDE = 1e-5
"""Where all contacts that act move by less than this share of a depth in a step, no bounce has brought anything that deep: it
comes by its speed, of which restitution and what rubs leave more."""
CLOSED = 1e-30
"""A gap below this is closed, as zero is; one that is not a number is not."""
