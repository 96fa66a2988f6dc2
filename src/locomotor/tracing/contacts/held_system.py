"""A system whose contacts are held as numbers tell: one traced model for every set of closed contacts.

The model is that in flight; its state has all velocities that the contacts which open and close would take away. Masses,
forces and the rows of all contacts are traced once, and `codegen/runtime/active.h` solves for those that act, in the midst of
the dynamics. How each is held is a parameter: entering another mode is setting numbers.

After each step velocities are moved to the nearest ones, by their kinetic energy, that the held rows allow: the rate of a
state keeps them allowed, and steps do to the order of the method.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import casadi
import numpy as np

from locomotor.dataclass import dataclass, replace
from locomotor.lie import ops
from locomotor.mechanics import ReducedMotion, gap_correction
from locomotor.mechanics.impacts import STEADY
from locomotor.names import WORLD
from locomotor.tracing.contacts.active_numbers import (
    move_on_numbers,
    project_on_numbers,
    project_takes,
    solve_gives,
    solve_on_numbers,
    solve_takes,
)
from locomotor.tracing.contacts.held_rows import ContactHeld, HeldRows, held_rows
from locomotor.tracing.contacts.many_numbers import Tree
from locomotor.tracing.contacts.mode import Switching
from locomotor.tracing.contacts.tree_parts import entries, is_in_order, mass_numbers, tables_of, tree_of, whole_tree
from locomotor.tracing.core import Call, Field, Port, Recorder, Traced
from locomotor.tracing.system import TracedSystem
from locomotor.typing import Array, Floats

ON_THE_STACK = 4096
"""Numbers that a function of the runtime may keep on the stack; finding a place of a thread's own takes it longer."""

FEW = 16
"""Velocities up to which loops over them are written out (`codegen/runtime/few.h`)."""


def held_name(contact: str) -> str:
    """Name of the parameter that tells how a contact is held: 0, it is open; 1, along all its rows; 2, it slips."""
    return f"{contact}_held"


@dataclass(frozen=True, eq=False)
class HeldMotion(ReducedMotion):
    """The motion in flight with the forces of contacts that are held: their accelerations come from the runtime."""

    answer: Any = None
    """Accelerations of the reduced velocities."""
    pressed: Any = None
    """The forces of the contacts, as a generalised force over all velocities."""

    @property
    def v_r_dot(self) -> Array:  # type: ignore[override]
        """Accelerations of the reduced velocities."""
        return self.answer

    @cached_property
    def unbalanced(self) -> Array:  # type: ignore[override]
        """What is carried by the persistent constraints and the imposed joints."""
        return super().unbalanced - self.pressed

    @cached_property
    def imposed_torques(self) -> Array:  # type: ignore[override]
        """Torques that the imposed motions need."""
        if len(self.constraints) or not self.reduction.imposed:
            return super().imposed_torques
        return ops.vector(*(self.unbalanced[i] for i in self.reduction.imposed))


@dataclass(frozen=True, eq=False)
class SolveNumbers:
    """What `lm_active_solve` takes."""

    made: list[Any]
    force: list[Any]
    bias: list[Any]
    friction: list[Any]
    held: list[Any]

    @property
    def flat(self) -> list[Any]:
        """All of them in order."""
        return [*self.made, *self.force, *self.bias, *self.friction, *self.held]

    def with_right_sides(self, force: list[Any], bias: list[Any]) -> SolveNumbers:
        """The same masses, rows and friction with another force, and other rates of the rows."""
        return SolveNumbers(self.made, force, bias, self.friction, self.held)


@dataclass(frozen=True, eq=False)
class HeldSystem(TracedSystem):
    """A system in flight, and what may open and close in it: how each is held is among the free parameters."""

    switching: tuple[Switching, ...] = ()

    # -- rows -------------------------------------------------------------------------------------------------------

    @cached_property
    def rows(self) -> tuple[HeldRows, ...]:
        """Rows of everything that may open and close."""
        parameters = self.arguments[3]
        places = {name: i for i, name in enumerate(self.free_parameters)}
        return tuple(held_rows(entry, self.motion, parameters[places[held_name(entry.name)]]) for entry in self.switching)

    @cached_property
    def tree(self) -> Tree:
        """Who carries whom, and which rows belong to which contact; or that masses and rows are given."""
        motion, n = self.motion, len(self.reduction.free)
        on, counts = [row.body for row in self.rows], [row.count for row in self.rows]
        free = tuple(self.reduction.free) == tuple(range(self.system.layout.nv)) and not self.reduction.pivots.steps
        carried = {ground.name for ground in self.system.grounds if ground.body != WORLD}
        plain = all(isinstance(row, ContactHeld) and row.contact.ground not in carried for row in self.rows)
        if free and plain and is_in_order(motion.kinematics):
            return tree_of(motion.kinematics, on, counts)
        return whole_tree(n, on, counts)

    @cached_property
    def _made(self) -> list[Any]:
        """What the runtime makes masses and rows of."""
        if self.tree.whole:
            H = self.motion.H_r
            given = [(row, [x for line in row.lines for x in entries(H.T @ line)]) for row in self.rows]
            return [*mass_numbers(self.motion, self.tree), *_of_closed(given)]
        contacts = [row for row in self.rows if isinstance(row, ContactHeld)]
        points = [x for row in contacts for x in entries(row.row.position)]
        directions = [x for row in contacts for d, _ in row.directions for x in entries(row.rotation @ d)]
        return [*mass_numbers(self.motion, self.tree), *points, *directions]

    @property
    def _held(self) -> list[Any]:
        return [row.held for row in self.rows]

    # -- calls of the runtime ---------------------------------------------------------------------------------------

    @cached_property
    def _solving(self) -> Recorder:
        return Recorder(STEADY)

    @cached_property
    def _projecting(self) -> Recorder:
        return Recorder(STEADY)

    @cached_property
    def _moving(self) -> Recorder:
        return Recorder(STEADY)

    @cached_property
    def solve_numbers(self) -> SolveNumbers:
        """What the runtime is given."""
        motion = self.motion
        force = [-x for x in entries(motion.H_r.T @ motion.bias)]
        given = [(row, row.rates) for row in self.rows]
        bias = _of_closed(given) if self.tree.whole else [x for _, rates in given for x in rates]
        return SolveNumbers(self._made, force, bias, [x for row in self.rows for x in row.friction], self._held)

    @cached_property
    def solve_call(self) -> Call:
        """The function of the runtime that solves."""
        return active_call("solve", self.tree, solve_takes(self.tree), solve_gives(self.tree), solve_on_numbers)

    @cached_property
    def _solved(self) -> list[list[Any]]:
        """Accelerations of the reduced velocities, forces of all rows, and how much each contact that slips pushes."""
        found = iter(self._solving.call(self.solve_call, self.solve_numbers.flat))
        return [[next(found) for _ in range(size)] for size in solve_gives(self.tree)]

    @cached_property
    def _accelerations(self) -> list[Any]:
        """The first of these alone, as steps ask for them: forces that are not determined take longer than all the rest."""
        call = active_call("move", self.tree, solve_takes(self.tree), [self.tree.n], move_on_numbers)
        return list(self._moving.call(call, self.solve_numbers.flat))

    @cached_property
    def allowed(self) -> Array:
        """The nearest reduced velocities that the held rows allow."""
        motion, driven = self.motion, self.motion.driven
        rates = []
        for row in self.rows:
            for line, wanted in zip(row.lines if driven is not None else row.moving, row.moving, strict=True):
                rates.append(-wanted if driven is None else ops.dot(line, driven) - wanted)
        call = active_call("project", self.tree, project_takes(self.tree), [self.tree.n], project_on_numbers)
        found = self._projecting.call(call, [*self._made, *entries(motion.v_r), *rates, *self._held])
        return ops.vector(*found) if found else np.zeros(0)

    def build(self, name: str, outputs: list[tuple[Port, Any]], about: str) -> Traced:
        """A traced function of the four arguments, with those calls of the runtime that it needs."""
        made = [recorder for recorder in (self._solving, self._moving, self._projecting) if recorder.loops]
        needed = [recorder for recorder in made if _depends(recorder, [value for _, value in outputs])]
        if not needed:
            return super().build(name, outputs, about)
        inputs = list(zip(self.ports, self.arguments, strict=True))
        recorder = needed[0] if len(needed) == 1 else needed[0].followed_by(needed[1])
        return Traced.build_with_loops(f"{self.system.name}_{name}", inputs, outputs, recorder, about)

    # -- functions --------------------------------------------------------------------------------------------------

    @property
    def row_forces(self) -> list[list[Any]]:
        """Forces along the rows of each contact, zero where they are not held."""
        begin = self.tree.begin
        return [self._solved[1][begin[k] : begin[k + 1]] for k in range(len(self.rows))]

    @property
    def pushes(self) -> list[Any]:
        """Of contacts that slip: not positive where their normal forces do not push any more; 1 without friction."""
        return self._solved[2]

    @cached_property
    def answered(self) -> HeldMotion:
        """The motion with the forces of the contacts."""
        motion, nv = self.motion, self.system.layout.nv
        pressed: Any = np.zeros(nv)
        for row, forces in zip(self.rows, self.row_forces, strict=True):
            for line, force in zip(row.lines, forces, strict=True):
                pressed = pressed + force * line
        answer = ops.vector(*self._solved[0]) if self.reduction.free else np.zeros(0)
        fields = (motion.reduction, motion.q, motion.v_r, motion.time, motion.inputs, motion.parameters)
        found = HeldMotion(*fields, answer=answer, pressed=pressed)
        shared = ("kinematics_at_rest", "elimination", "H_r", "imposed", "driven", "v", "kinematics", "constraints")
        found.__dict__.update({name: getattr(motion, name) for name in (*shared, "known_acceleration", "applied", "bias")})
        return found

    @cached_property
    def dynamics(self) -> Traced:  # type: ignore[override]
        """Rate of the state in tangent form, and the watched pivots."""
        motion = self.motion
        answer = ops.vector(*self._accelerations) if self.reduction.free else np.zeros(0)
        rates = ops.concat(self.coordinate_rates(motion.v), answer, self.controller_rates())
        watched = motion.watched_pivots
        monitor = Port("monitor", tuple(Field(f"pivot_{i}", "1") for i in range(ops.size(watched))))
        return self.build("dynamics", [(self.rate_port, rates), (monitor, watched)], "rate of the state")

    def closing(self, project: bool | None) -> Traced | None:
        """What is applied after each step: velocities that the held rows allow, and closed loops."""
        closes = project or (project is None and bool(self.system.loops))
        still = np.zeros(self.system.layout.nv)
        moved = self.coordinate_rates(gap_correction(self.motion, loops=project is None) if closes else still)
        rest = np.zeros(len(self.controller_states))
        correction = ops.concat(moved, self.allowed - self.motion.v_r, rest)
        found = self.build("closing", [(Port("correction", self.rate_port.fields), correction)], "what held rows allow")
        if closes:
            return found
        places = {name: i for i, name in enumerate(self.free_parameters)}
        return replace(found, asked_by=tuple(places[held_name(entry.name)] for entry in self.switching))

    @property
    def work(self) -> int:
        """Operations of one right-hand side, those of the runtime about counted."""
        n, m = self.tree.n, min(self.tree.n, self.tree.rows)
        return self.dynamics.operations + n * n * (n // 3 + m)


def _of_closed(given: Sequence[tuple[HeldRows, list[Any]]]) -> list[Any]:
    """Numbers of rows, zero where they are open and nobody reads them: what only these need is not computed then.

    Of a body that bends, what its contacts add to its own motion is as long as that.
    """
    return [ops.if_else(row.is_closed, x, 0.0) for row, numbers in given for x in numbers]


def _depends(recorder: Recorder, outputs: Sequence[Any]) -> bool:
    results = casadi.vertcat(*(loop.result for loop in recorder.loops))
    return any(casadi.depends_on(casadi.SX(output), results) for output in outputs if ops.size(output))


def active_call(
    what: str, tree: Tree, takes: Sequence[int], gives: Sequence[int], twin: Callable[[Tree, Floats], Floats]
) -> Call:
    """A function of `codegen/runtime/active.h` for one tree."""
    n, b, k, m = tree.n, tree.bodies, tree.contacts, tree.rows
    width, taken, given, made = min(n, m), sum(takes), sum(gives), n + m + k
    name = f"lm_active_{what}_" + hashlib.sha256(repr(tree).encode()).hexdigest()[:16]
    *lines, variable = tables_of(name, tree)
    sizes = {
        "mass": n * n,
        "q": (width + 1) * n,
        "r": width * m,
        "t": width * width,
        "rubs": k * n,
        "pushes": 2 * k * k,
        "room": 10 * b + 2 * n + 4 * width + m + 2 * k,
    }
    room = ", ".join(f"{label}[{max(size, 1)}]" for label, size in sizes.items())
    place = "" if taken + made + sum(sizes.values()) <= ON_THE_STACK else "LM_ACTIVE_ROOM "
    lines += [
        f"LM_NOINLINE void {name}(real *numbers) {{",
        variable,
        f"    {place}stored in[{taken}], out[{made}], {room};",
        f"    {place}int32_t index[{m + width + 2 * k}];",
        f"    lm_active s = {{{', '.join(sizes)}, index, 0, 0, 0}};",
        "    for (int lane = 0; lane < LANES; ++lane) {",
        f"        for (int i = 0; i < {taken}; ++i) in[i] = lm_get(numbers[i], lane);",
        f"        lm_active_{what}(&tree, in, &s, out);",
        f"        for (int i = 0; i < {given}; ++i) lm_put(&numbers[i], lane, out[i]);",
        "    }",
        "}",
    ]
    headers = (*(("few.h",) if n <= FEW else ()), "many.h", "active.h")
    return Call(name, taken, given, "\n".join(lines), headers, (), lambda numbers: twin(tree, numbers))
