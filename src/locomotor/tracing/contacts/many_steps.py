"""Time-stepping of many contacts: which act is a set of bits, not code.

The step is that of `time_steps`, with masses, rows and impulses in the runtime (`codegen/runtime/crowd.h`): traced are the axes
of the joints, inertias, forces and where contacts are, some numbers for each body and contact, so that the text of a step grows
with their number and not with its square. Rows are made there for the contacts that act, and solved: stick first, then sweeps.
Of soft bodies, bodies in a fluid and joints out of order the mass matrix and the rows themselves are traced.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics import ReducedMotion
from locomotor.mechanics.constraints import ContactRows, contacts_at
from locomotor.model import Contact
from locomotor.names import WORLD
from locomotor.tracing.contacts.implicit_forces import joint_damping
from locomotor.tracing.contacts.many_numbers import Tree, Turn, pass_on_numbers
from locomotor.tracing.contacts.many_text import HEADERS, call_text
from locomotor.tracing.contacts.moves import coordinate_rates, retract
from locomotor.tracing.contacts.switching import blocked_directions, level_directions, step_map, with_closed_loops
from locomotor.tracing.contacts.time_steps import SUNK, TimeStepping, sunk_words
from locomotor.tracing.contacts.tree_parts import entries, is_in_order, mass_numbers, tree_of, whole_tree
from locomotor.tracing.core import Call, Traced
from locomotor.typing import Array

MANY = 16
"""From so many contacts on, or slots of contacts on terrain, the runtime solves them."""
MORE_SWEEPS = 20
"""A loop of the runtime costs no text: so many times the sweeps of the settings, unless nothing changes any more."""
LARGEST = 600_000
"""Rows times velocities that fit on the stack of a thread."""


@dataclass(frozen=True, eq=False)
class Place:
    """A contact at one instant: gap, point and directions in the world, and the rates of its rows.

    Where rows are traced they stand for the directions, and there is no point.
    """

    gap: Any
    point: Array | None
    directions: tuple[Array, ...]
    bias: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Solved:
    """What a pass of the runtime gives."""

    velocity: Array
    closing: Array | None
    impulses: Sequence[Any]
    acts: Sequence[Any] = ()
    before: Sequence[Any] = ()
    reach: Sequence[Any] = ()
    factor: Sequence[Any] = ()
    rates: Sequence[Any] = ()
    numbers: Sequence[Any] = ()
    """What else a first pass leaves for the second."""


@dataclass(frozen=True, eq=False)
class ManyStepping(TimeStepping):
    """Step maps of a system with many contacts."""

    @cached_property
    def unsuited(self) -> str:
        """Why the runtime cannot solve these contacts, "" if it can."""
        flight, layout = self.flight, self.flight.system.layout
        if self._rubs:
            return f"the dry friction of joints, as {self._rubs[0].law.of.name!r}"
        if self.settings.theta is not None:
            return "steps by theta, whose forces are part of the masses"
        if tuple(flight.reduction.free) != tuple(range(layout.nv)) or flight.reduction.pivots.steps:
            return "systems with persistent constraints or imposed motions"
        for entry in flight.switching:
            law = entry.law
            if not isinstance(entry, Contact) or not law.pushes or law.may_bounce or law.is_gated or law.adheres:
                return f"{entry.name!r}: only contacts that push, without restitution, condition or adhesion"
            if not law.has_one_friction:
                return f"{entry.name!r}: only friction that is the same at rest and at every speed of the slip"
        carried = [ground.name for ground in flight.system.grounds if ground.body != WORLD]
        for entry in flight.switching:
            if isinstance(entry, Contact) and entry.ground in carried:
                return f"{entry.name!r}: only grounds that stand still"
            if isinstance(entry, Contact) and (entry.pivots or entry.resists):
                return f"{entry.name!r}: only contacts that touch with a point and roll freely"
        rows = sum(len(place.directions) for place in self._places(flight.motion))
        room = rows * layout.nv * (2 if self._whole else 1)  # given rows are kept beside those that are solved with
        return "" if room <= LARGEST else f"{rows} rows of {layout.nv} velocities, which outgrow a thread"

    @cached_property
    def _whole(self) -> bool:
        """Whether masses and rows are more than axes of joints and inertias of rigid bodies, in their order, tell."""
        return not is_in_order(self.flight.motion.kinematics)

    @cached_property
    def step(self) -> Traced:
        """State after a step `h` from `time`: see `switching.step_map`."""
        about = "state after a step of Moreau-Jean time-stepping, contacts solved in the runtime"
        return step_map(
            self.flight,
            self._h,
            with_closed_loops(self.flight, self._h, self._next),
            ops.vector(*self._margins),
            about,
            self._loops,
        )

    @property
    def watched(self) -> tuple[str, ...]:
        """Reasons for which a step can fail: a contact is inside its ground."""
        return tuple(sunk_words(entry.name) for entry in self.flight.switching)

    # -- what is traced -------------------------------------------------------------------------------

    @cached_property
    def _tree(self) -> Tree:
        """Who carries whom, and which rows belong to which contact."""
        counts = [len(place.directions) for place in self._start]
        on = [self._middle.kinematics.index(entry.body) for entry in self.flight.switching if isinstance(entry, Contact)]
        if self._whole:
            return whole_tree(self.flight.system.layout.nv, on, counts)
        return tree_of(self._middle.kinematics, on, counts)

    def _places(self, motion: ReducedMotion) -> list[Place]:
        if self._whole:
            made = self._rows_of(motion)
            lines = [tuple(each.rows[i, :].T for i in range(int(each.rows.shape[0]))) for each in made]
            return [Place(each.gap, None, rows, tuple(entries(each.bias))) for each, rows in zip(made, lines, strict=True)]
        kinematics = motion.kinematics
        accelerations = kinematics.accelerations(motion.known_acceleration)
        contacts = [entry for entry in self.flight.switching if isinstance(entry, Contact)]
        found = []
        for row in contacts_at(kinematics, contacts):
            R = kinematics.poses[row.body].rotation
            chosen = None if row.name in self.flight.slots else self.system.parameters.values
            directions = blocked_directions(row, chosen)
            rates = tuple(_rate(row, d, d_dot, accelerations) for d, d_dot in directions)
            # Grounds stand still: tangents that are chosen there need not be turned into the body and back.
            level = row.touch.directions is None and row.touch.turning is None
            there = level_directions(row, chosen) if level else [R @ d for d, _ in directions]
            found.append(Place(row.gap, row.position, tuple(there), rates))
        return found

    @cached_property
    def _start(self) -> list[Place]:
        """The contacts at the mid-point, with the velocities of the start."""
        return self._places(self._middle)

    @cached_property
    def _axes(self) -> list[Any]:
        """Axes of the velocities at the origin of the world; or the rows."""
        if self._whole:
            return [x for place in self._start for d in place.directions for x in entries(d)]
        return mass_numbers(self._middle, self._tree)[: 6 * self._tree.n]

    @cached_property
    def _masses(self) -> list[Any]:
        """Inertias of the bodies about the origin of the world, and rotors; or the masses. Dampers of joints add to them."""
        tree = self._tree
        found = mass_numbers(self._middle, tree)[0 if self._whole else 6 * tree.n :]
        for place, coefficient in self._damping.items():
            at = place * (tree.n + 1) if self._whole else 10 * tree.bodies + place
            found[at] = found[at] + (0.5 * self._h) * coefficient
        return found

    @cached_property
    def _damping(self) -> dict[int, Any]:
        """What dampers of joints take per unit of each velocity."""
        return joint_damping(self._middle)

    def _forces(self, motion: ReducedMotion) -> list[Any]:
        """Forces of a pass; what the masses say of the velocities at which they were taken is in them already."""
        found = [-x for x in entries(motion.bias)]
        if motion is not self._middle:
            for place, coefficient in self._damping.items():
                found[place] = found[place] + coefficient * (motion.v_r[place] - self._v[place])
        return found

    def _solve(self, motion: ReducedMotion, places: list[Place], turn: Turn, before: Solved | None = None) -> Solved:
        """A pass of the runtime; after a first one the set of contacts that act is known, and impulses to begin with."""
        tree, h = self._tree, self._h
        rubs = [e.law.friction_at(self._values) if e.law.slips else -1.0 for e in self.flight.switching]
        made = [*self._axes, *before.factor] if before is not None else [*self._axes, *self._masses]
        numbers = [
            *made,
            *(x for place in self._start if place.point is not None for x in entries(place.point)),
            *(x for place in self._start if place.point is not None for d in place.directions for x in entries(d)),
            *entries(self._v),
            *self._forces(motion),
            *((0.5 * h) * x for place in places for x in place.bias),
            *(place.gap for place in self._start),
            *rubs,
            h,
            *([] if before is None else [*before.acts, *before.impulses]),
        ]
        found = iter(self._loops.call(self._call(turn), numbers))

        def take(count: int) -> list[Any]:
            return [next(found) for _ in range(count)]

        n, k = tree.n, tree.contacts
        if not turn.last:
            return Solved(ops.vector(*take(n)), None, take(tree.rows), take(k), reach=take(k), factor=take(tree.along))
        made_again = Solved(ops.vector(*take(n)), ops.vector(*take(n)), take(tree.rows), before=take(k))
        return replace(made_again, reach=take(k) if before is None else before.reach)

    def _call(self, turn: Turn) -> Call:
        tree, sweeps = self._tree, MORE_SWEEPS * self.settings.sweeps
        made = call_text(tree, turn, sweeps)

        def on_numbers(numbers: Any) -> Any:
            return pass_on_numbers(tree, numbers, turn, sweeps)

        sizes = tree.takes(turn.known), tree.gives(turn)
        return Call(made.name, *sizes, made.text, HEADERS, (), on_numbers, made.team)

    # -- the step -------------------------------------------------------------------------------------

    @cached_property
    def _solved(self) -> Solved:
        """With forces at the mean velocities of a first pass, or at those of the start where one pass is all."""
        if self.settings.passes == 1:
            return self._solve(self._middle, self._start, Turn.ONLY)
        first = self._solve(self._middle, self._start, Turn.FIRST)
        mean = replace(self._middle, v_r=0.5 * (self._v + first.velocity))
        return self._solve(mean, self._places(mean), Turn.SECOND, first)

    @cached_property
    def _next(self) -> Array:
        flight, middle, last = self.flight, self._middle, self._solved
        moved = (0.5 * self._h) * (self._v + last.velocity) + last.closing
        delta = coordinate_rates(flight, middle.q, moved, self._values)
        q = retract(flight.coordinate_manifold, flight.arguments[1][0 : flight.nq], delta)
        return ops.concat(q, last.velocity)

    @cached_property
    def _margins(self) -> list[Any]:
        found = []
        for place, before, reach in zip(self._start, self._solved.before, self._solved.reach, strict=True):
            depth = place.gap + self._h * ops.fmax(-before, 0.0) + (SUNK + 8.0 * reach)
            found.append(ops.if_else(ops.less(depth, 0.0), -1.0, 1.0))
        return found

    @cached_property
    def impulses(self) -> Traced:
        """Impulses of the rows of every contact over a step, and its gap at the mid-point."""
        counts = [len(place.directions) for place in self._start]
        return self._with_impulses(ops.vector(*self._solved.impulses), [place.gap for place in self._start], counts)


def _rate(row: ContactRows, d: Array, d_dot: Array | None, accelerations: Sequence[tuple[Array, Array]]) -> Any:
    rate = ops.dot(d, row.point_acceleration(accelerations))
    return rate if d_dot is None else rate + ops.dot(d_dot, row.velocity)
