"""What may open and close, on symbols: its rows in its own frame, its gap and its condition, at one configuration."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol

import casadi
import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import Manifold, ops
from locomotor.mechanics import ReducedMotion
from locomotor.mechanics.constraints import ContactRows, contacts_at, formulas_at
from locomotor.mechanics.impacts import STEADY
from locomotor.mechanics.tree import cyclic_joints
from locomotor.model import Contact, ContactLaw, Coupling, Expression, Rub, System, evaluate
from locomotor.names import WORLD
from locomotor.tracing.contacts.mode import Switching
from locomotor.tracing.contacts.moves import retract
from locomotor.tracing.contacts.rough import Rough, looked_up
from locomotor.tracing.core import Field, Port, Recorder, Traced
from locomotor.tracing.observation import Observable
from locomotor.tracing.readings import all_channels, value_of
from locomotor.tracing.system import TracedSystem, trace
from locomotor.typing import Array


@dataclass(frozen=True, eq=False)
class SwitchingRows:
    """Rows, gap and condition of a contact that may open and close, at one instant."""

    entry: Switching
    rows: Array
    """Over all velocities: the normal first, then the directions blocked along the ground; those that cannot move left out."""
    bias: Array
    """Rate of (rows v) while the reduced velocities stay as they are."""
    gap: Any
    condition: Any
    """The contact takes part only where this is positive."""
    names: Mapping[str, Any]
    """Every name that the law may use: t, coordinates, velocities and parameters."""
    spins: bool = False
    """Whether the last row, before those of rolling, is the turning of a patch."""
    rolling: int = 0
    """How many of the rows, the last ones, are the rolling of a contact that resists it."""
    lowest: Array | None = None
    """Of a wheel that may lie on its side: the row of its lowest point, to which its gap belongs."""
    contact: ContactRows | None = None
    """What touches, None of a coupling or a joint."""
    directions: tuple[Array, ...] = ()
    """Of what touches, the direction of each row in axes of its body: of turning those of spinning and rolling."""
    upright: "tuple[Any, SwitchingRows] | None" = None
    """Of a wheel that may lie on its side: whether it does, and its rows while it stands."""

    def hold(self, force: Any) -> Any:
        """A normal force counted from the largest pull of the law."""
        return self.law.hold_at(force, self.names)

    @property
    def law(self) -> ContactLaw:
        """The law that the contact follows."""
        return self.entry.law

    @property
    def wrenches(self) -> list[dict[int, Array]]:
        """What one unit of each row does to bodies, by their numbers, in their axes; nothing where it acts on joints alone."""
        if self.contact is None:
            return [{} for _ in range(int(self.rows.shape[0]))]
        turning = len(self.directions) - self.spins - self.rolling
        found = [_pushes(self.contact, d, k >= turning) for k, d in enumerate(self.directions)]
        if self.upright is None:
            return found
        lies, standing = self.upright
        upright = [*standing.wrenches, *({} for _ in range(len(found) - len(standing.directions)))]
        return [
            {i: ops.if_else(lies, wrench, other.get(i, np.zeros(6))) for i, wrench in lain.items()}
            for lain, other in zip(found, upright, strict=True)
        ]


def _pushes(row: ContactRows, direction: Array, turns: bool) -> dict[int, Array]:
    """A unit force at what touches, or a moment, along a direction in axes of its body; and against it on what carries it."""
    kinematics = row.kinematics
    along = kinematics.poses[row.body].rotation @ direction
    below = kinematics.instant.system.ground(row.contact.ground).body
    found = {}
    for i, unit in [(row.body, along), *([] if below == WORLD else [(kinematics.index(below), -along)])]:
        R, p = kinematics.poses[i].rotation, kinematics.poses[i].translation
        force = np.zeros(3) if turns else R.T @ unit
        found[i] = ops.concat(force, R.T @ (unit if turns else ops.cross(row.position - p, unit)))
    return found


def switching_of(system: System) -> tuple[Switching, ...]:
    """Contacts that may open and close, in order, then such couplings."""
    couplings = (entry for entry in system.constraints if isinstance(entry, Coupling))
    everything: tuple[Switching, ...] = (*system.contacts, *couplings)
    return tuple(entry for entry in everything if entry.law.switches)


@dataclass(frozen=True, eq=False)
class FlyingSystem(TracedSystem):
    """A system with everything open that may open; its state ends with the mode, 1 or 0 for some of its contacts.

    Channels are those of the system in flight, and the gaps of what may close.
    """

    whole: System | None = None
    """The system with all its contacts."""
    remembered: tuple[str, ...] = ()
    """Contacts whose mode is part of the state."""
    roughs: tuple[Rough, ...] = ()
    """Contacts on terrain, whose slots are among what opens and closes."""

    @property
    def slots(self) -> frozenset[str]:
        """Names of the slots of contacts on terrain."""
        return frozenset(slot for rough in self.roughs for slot in rough.slots)

    @cached_property
    def searches(self) -> Recorder:
        """Searches of the terrain at the state itself, for readings."""
        return Recorder(STEADY)

    @cached_property
    def _least_gaps(self) -> dict[str, Any]:
        """Least gaps of contacts on terrain at the state."""
        motion = self.motion
        return looked_up(self.roughs, self.searches, motion.kinematics, self.values(self.arguments[3]))[1]

    def build(self, name: str, outputs: list[tuple[Port, Any]], about: str) -> Traced:
        """A traced function of the four arguments, with a search of the terrain where it needs one."""
        if not needs_search(self, [value for _, value in outputs]):
            return super().build(name, outputs, about)
        inputs = list(zip(self.ports, self.arguments, strict=True))
        return Traced.build_with_loops(f"{self.system.name}_{name}", inputs, outputs, self.searches, about)

    @cached_property
    def switching(self) -> tuple[Switching, ...]:
        """Contacts, and couplings, that open and close."""
        return switching_of(self.whole or self.system)

    @cached_property
    def state_port(self) -> Port:
        """Coordinates and velocities, then the mode."""
        flags = (Field(f"{name}_closed", "1", "", f"1 while contact {name!r} is closed, else 0") for name in self.remembered)
        return Port("state", (*super().state_port.fields, *flags))

    @cached_property
    def blocks_normals(self) -> bool:
        """Whether the normal of some contact depends on its own tangents, told by numbers at some states.

        A mechanism that blocks a direction which is no tangent leaves the force of the normal undetermined.
        """
        found = rows_of(self.motion, self.switching, self.system.parameters.values)
        several = [casadi.SX(row.rows @ self.motion.H_r) for row in found if row.law.pushes and int(row.rows.shape[0]) > 1]
        if not several:
            return False
        sampled = casadi.Function("rows", list(self.arguments), several)
        rng = np.random.default_rng(0)
        nominal = self.system.nominal_pose()[list(self.coordinate_indices)]
        blocked = [True] * len(several)
        for _ in range(SAMPLES):
            state = 0.1 * rng.uniform(-1.0, 1.0, int(self.arguments[1].shape[0]))
            state[: len(nominal)] += nominal
            values = sampled.call([0.0, state, np.zeros(int(self.arguments[2].shape[0])), self.default_parameters])
            for k, C in enumerate(np.array(C) for C in values):
                alike = np.isfinite(C).all() and np.linalg.matrix_rank(C, SAME) == np.linalg.matrix_rank(C[1:], SAME)
                blocked[k] = blocked[k] and bool(alike)
        return any(blocked)

    @cached_property
    def moving_manifold(self) -> Manifold:
        """Coordinates and velocities."""
        return super().manifold

    @cached_property
    def coordinate_manifold(self) -> Manifold:
        """Coordinates alone."""
        return self.moving_manifold.followed_by(-len(self.reduction.free))

    @property
    def mode(self) -> list[Any]:
        """The mode as symbols, one for each remembered contact."""
        state = self.arguments[1]
        first = state.shape[0] - len(self.remembered)
        return [state[first + k] for k in range(len(self.remembered))]

    @cached_property
    def observables(self) -> tuple[Observable, ...]:
        """Groups of channels, with the gaps of what may close."""
        entries = [e for e in self.switching if e.name not in self.slots or e.name in {r.contact.name for r in self.roughs}]
        fields = tuple(Field(f"{e.name}_gap", "m" if isinstance(e, Contact) else "", "", f"gap of {e.name!r}") for e in entries)
        return (*super().observables, Observable("switching_gaps", fields, self._gaps))

    def _gaps(self, motion: ReducedMotion) -> Array:
        rows = rows_of(motion, [e for e in self.switching if e.name not in self.slots], self.system.parameters.values)
        found = {row.entry.name: row.gap for row in rows} | (self._least_gaps if self.roughs else {})
        return ops.vector(*(found[e.name] for e in self.switching if e.name in found))


class Stepping(Protocol):
    """Step maps of a system whose contacts open and close: `TimeStepping`, `EventStepping`."""

    @property
    def system(self) -> System:
        """The system that is stepped."""

    @property
    def flight(self) -> FlyingSystem:
        """The system without the contacts that open and close, which has the state of a step."""

    @property
    def step(self) -> Traced:
        """State after a step: see `step_map`."""

    @property
    def device_step(self) -> Traced:
        """The same as a device takes it best."""

    @property
    def watched(self) -> tuple[str, ...]:
        """Reasons for which a step can fail, beside vanishing pivots: the last monitors of `step`."""


def needs_search(flight: FlyingSystem, outputs: Sequence[Any]) -> bool:
    """Whether some of these depend on a search of the terrain at the state."""
    if not flight.roughs or not flight.searches.loops:
        return False
    results = casadi.vertcat(*(loop.result for loop in flight.searches.loops))
    return any(casadi.depends_on(casadi.SX(output), results) for output in outputs)


def in_flight(
    system: System, free: tuple[str, ...], remembered: tuple[str, ...], roughs: tuple[Rough, ...] = ()
) -> FlyingSystem:
    """The system with everything open that may open, and the mode of some contacts in its state.

    With `roughs` the system is that with the slots of contacts on terrain.
    """
    open_ = {entry.name for entry in switching_of(system)}
    flying = system.replace(
        contacts=tuple(c for c in system.contacts if c.name not in open_),
        constraints=tuple(c for c in system.constraints if c.name not in open_),
        independent=None,
    )
    reduction = trace(flying, free=free).reduction
    # An open contact may depend on the angle of a joint on which nothing else depends.
    still = reduction.still & cyclic_joints(system, free)
    return FlyingSystem(flying, replace(reduction, still=still), free, whole=system, remembered=remembered, roughs=roughs)


def with_ends(flight: FlyingSystem, step: Traced, ends: Mapping[str, Expression | str]) -> Traced:
    """A step map with more monitors: an instance stops when one of these expressions of channels becomes negative."""
    channels = all_channels(flight)
    inputs, (first, *others), loops = step.sources
    before = [field for port in step.outputs[1:] for field in port.fields]
    port = Port("monitor", (*before, *(Field(name, "", "", str(text)) for name, text in ends.items())))
    more = ops.vector(*(value_of(text, channels) for text in ends.values()))
    if needs_search(flight, [more]):
        loops = flight.searches if loops is None else loops.followed_by(flight.searches)
    outputs = [first, (port, ops.concat(*(watched for _, watched in others), more))]
    return Traced.build_with_loops(step.name, inputs, outputs, loops, step.about)


def with_closed_loops(flight: FlyingSystem, h: casadi.SX, following: Array) -> Array:
    """The state after a step with its loops closed by a Newton step, as roll-outs of a fixed mode do."""
    if not flight.system.loops:
        return following
    time, _, inputs, parameters = flight.arguments
    following = casadi.SX(following)
    n = following.numel() - len(flight.remembered)
    correction = flight.loop_projection.function(time + h, following, inputs, parameters)
    moved = retract(flight.moving_manifold, following[:n], correction)
    return casadi.vertcat(moved, following[n:]) if flight.remembered else moved


def step_map(
    flight: FlyingSystem, h: casadi.SX, following: Array, watched: Array, about: str, loops: Recorder | None = None
) -> Traced:
    """A step map: inputs time, state, inputs, parameters, step; outputs `next` and, if anything is watched, `monitor`."""
    ports = [*flight.ports, Port("step", (Field("h", "s", "h", "length of the step"),))]
    inputs = list(zip(ports, (*flight.arguments, h), strict=True))
    outputs = [(Port("next", flight.state_port.fields), following)]
    if ops.size(watched):
        outputs.append((Port("monitor", tuple(Field(f"watched_{i}", "1") for i in range(ops.size(watched)))), watched))
    return Traced.build_with_loops(f"{flight.system.name}_step", inputs, outputs, loops, about)


def rows_of(
    motion: ReducedMotion, switching: Sequence[Switching], defaults: Mapping[str, float], turning: Collection[str] = ()
) -> list[SwitchingRows]:
    """Rows, gaps and conditions; `defaults` are numbers for the parameters, by which tangents are chosen.

    The normals of contacts named in `turning` may be anything.
    """
    kinematics = motion.kinematics
    known = motion.known_acceleration
    accelerations = kinematics.accelerations(known)
    contacts = {row.name: row for row in contacts_at(kinematics, [e for e in switching if isinstance(e, Contact)])}
    formulas = {f.name: f for f in formulas_at(kinematics.instant, [e for e in switching if isinstance(e, Coupling)])}
    found = []
    for entry in switching:
        names = kinematics.instant.names
        condition = evaluate(entry.law.condition, names)
        if entry.name in contacts:
            row = contacts[entry.name]
            chosen = None if entry.name in turning else defaults
            rows, bias, spins, rolling, along = moving_rows(row, accelerations, chosen, entry.law.grips)
            held = SwitchingRows(entry, rows, bias, row.gap, condition, names, spins, rolling, contact=row, directions=along)
            found.append(held)
        else:
            formula = formulas[entry.name]
            bias = ops.vector(formula.bias if known is None else formula.gap_acceleration(known))
            normal = ops.columns(formula.normal_row).T
            found.append(SwitchingRows(entry, normal, bias, formula.gap, condition, names))
    return found


def rub_row(motion: ReducedMotion, rub: Rub) -> SwitchingRows:
    """The rate of a joint with dry friction as a row; of a ball joint three."""
    kinematics, known = motion.kinematics, motion.known_acceleration
    formulas = formulas_at(kinematics.instant, [rub])
    rates = [0.0 if known is None else formula.gap_acceleration(known) for formula in formulas]
    rows = ops.columns(*(formula.normal_row for formula in formulas)).T
    return SwitchingRows(rub, rows, ops.vector(*rates), 0.0, 1.0, kinematics.instant.names)


def moving_rows(
    row: ContactRows,
    accelerations: Sequence[tuple[Array, Array]],
    defaults: Mapping[str, float] | None,
    grips: bool,
) -> tuple[Array, Array, bool, int, tuple[Array, ...]]:
    """Rows as a matrix, with their bias, and their directions in axes of the body.

    One along which nothing can move would only make the problem singular.

    The normal of a contact that pushes always comes first; a grip holds in any order. After the directions along the ground
    come the turning of a patch, if told so, and the rolling of a contact that resists it, as many rows as is told.
    """
    kinematics = row.kinematics
    of_point = row.point_acceleration(accelerations)
    R = kinematics.poses_in_root[row.body].rotation
    rows: list[Array] = []
    bias: list[Any] = []
    directions: list[Array] = []
    for d, d_dot in blocked_directions(row, defaults):
        along = row.jacobian.T @ (R @ d)
        if not (grips or rows) or not all(ops.is_zero(x) for x in ops.entries(along)):
            rows.append(along)
            directions.append(d)
            rate = ops.dot(d, of_point)
            bias.append(rate if d_dot is None else rate + ops.dot(d_dot, row.velocity))
    spins, rolling = False, 0
    rates = row.turning_rates(accelerations) if row.turning_rows else []
    for k, (rate, (d, _)) in enumerate(zip(rates, row.turning_rows, strict=True)):
        about = row.turning_jacobian.T @ (R @ d)
        if not all(ops.is_zero(x) for x in ops.entries(about)):
            rows.append(about)
            directions.append(d)
            bias.append(rate)
            of_patch = row.spins and k == 0
            spins, rolling = spins or of_patch, rolling + (not of_patch)
    return ops.columns(*rows).T, ops.vector(*bias), spins, rolling, tuple(directions)


def blocked_directions(row: ContactRows, defaults: Mapping[str, float] | None) -> list[tuple[Array, Array | None]]:
    """Blocked directions in body axes, the normal first, and how the ground sees them turn (None where it does not).

    Without `defaults`, or where the normal turns, the tangents are chosen where the normal is known.
    """
    turning = row.touch.turning
    if row.touch.directions is not None:
        others = [(d, d_dot) for label, d, d_dot in row.touch.directions if label != "normal"]
        if turning is None:  # on something sharp the normal turns with the body
            rates = [d_dot for label, _, d_dot in row.touch.directions if label == "normal"]
            turning = next((rate for rate in rates if not all(ops.is_zero(x) for x in ops.entries(rate))), None)
        return [(row.normal, turning), *others]
    to_body = row.seen.pose.rotation.T
    found = [to_body @ d for d in level_directions(row, defaults)]
    if turning is None:
        return [(d, None) for d in found]
    # With the normal the tangents turn as little as can be.
    return [(found[0], turning), *((d, -ops.dot(d, turning) * found[0]) for d in found[1:])]


def level_directions(row: ContactRows, defaults: Mapping[str, float] | None) -> list[Array]:
    """The normal and two tangents in the axes of the ground, of a contact that is held in every direction."""
    n = row.level
    axis: Array
    if defaults is None or row.touch.turning is not None:
        across = ops.if_else(ops.less(ops.fabs(n[0]), 0.9), 1.0, 0.0)
        axis = ops.vector(across, 1.0 - across, 0.0)
    else:
        level = abs(float(np.asarray(evaluate(row.plane.normal, defaults), dtype=float)[0])) < 0.9
        axis = np.array([1.0, 0.0, 0.0]) if level else np.array([0.0, 1.0, 0.0])
    along = axis - ops.dot(axis, n) * n
    first = (1.0 / ops.norm(along)) * along
    return [n, first, ops.cross(n, first)]


SAMPLES = 3
"""States at which rows are compared."""
SAME = 1e-9
"""Rows (m over velocities) that differ by less are dependent."""
