"""From a System to traced functions: one reduced model, every function a simulation or an analysis needs of it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import casadi
import numpy as np

from locomotor.checks import door, floats, instance, names, number, optional, positive, shown
from locomotor.dataclass import dataclass
from locomotor.errors import ModelError, UnknownNameError
from locomotor.lie import Manifold, ops
from locomotor.mechanics import ReducedMotion, Reduction, choose_reduction, gap_correction
from locomotor.mechanics.chart import chart_symbols, coordinates_from_chart
from locomotor.mechanics.constraints import constraint_set
from locomotor.mechanics.loads import imposed_joints
from locomotor.mechanics.loops import sense_rows
from locomotor.mechanics.tree import tangent_rate
from locomotor.model import Joint, System, a_system, as_quantity, evaluate, laws
from locomotor.names import suggestion
from locomotor.tracing.controller import Channels, Controller, evaluate_on_symbols
from locomotor.tracing.core import Field, Port, Traced
from locomotor.tracing.law_check import Witness, follows_law
from locomotor.tracing.observation import Observable, observables, static_observables
from locomotor.tracing.rate_slopes import acceleration_by_state, has_short_slopes
from locomotor.typing import Vector

SENSED = ("coordinates", "velocities", "angles")
"""Groups of channels that a controller may read."""


@dataclass(frozen=True, eq=False)
class TracedSystem:
    """A system with a reduction chosen, and its traced functions, each made when first asked for.

    The state is: coordinates that are not imposed, reduced velocities, states of the controller. Every function takes
    (time, state, inputs, parameters), with `parameters` only those left free.
    """

    system: System
    reduction: Reduction
    free_parameters: tuple[str, ...] = ()
    controller: Controller | None = None
    controller_is_traced: bool = False
    drift_time: float | None = None
    """Time constant epsilon of the drift correction, or None for none."""
    static: tuple[tuple[int, Any], ...] = ()
    """Prescribed constraint forces of over-determined rows: (row, value)."""

    # -- layout ---------------------------------------------------------------------------------------

    @cached_property
    def moving(self) -> tuple[Joint, ...]:
        """Joints whose coordinates are part of the state."""
        imposed = {joint.name for joint in imposed_joints(self.system)}
        return tuple(joint for joint in self.system.joints if joint.name not in imposed)

    @cached_property
    def coordinate_indices(self) -> tuple[int, ...]:
        """Where the state's coordinates stand among all coordinates."""
        layout = self.system.layout
        owners = [joint.name for joint in self.moving] + [b.name for b in self.system.bodies if b.coordinates]
        return tuple(i for owner in owners for i in range(layout.q[owner].start, layout.q[owner].stop))

    @cached_property
    def manifold(self) -> Manifold:
        """The state: coordinates, velocities, the controller's states."""
        joints = enumerate(self.system.joints)
        turning = [block for i, joint in joints if joint in self.moving for block in joint.symbols(root=i == 0).blocks]
        own = sum(len(body.coordinates) for body in self.system.bodies)
        return Manifold.joined(turning).followed_by(own + len(self.reduction.free) + len(self.controller_states))

    @property
    def controller_states(self) -> tuple[str, ...]:
        """Names of the controller's states."""
        return tuple(self.controller.states) if self.controller else ()

    @property
    def nq(self) -> int:
        """Number of coordinates in the state."""
        return len(self.coordinate_indices)

    @cached_property
    def state_port(self) -> Port:
        """Names and units of the state."""
        layout = self.system.layout
        symbols = [layout.coordinates[i] for i in self.coordinate_indices]
        symbols += [layout.velocities[i] for i in self.reduction.free]
        own = tuple(Field(name, "", "", "state of the controller") for name in self.controller_states)
        return Port("state", (*(Field(s.name, s.unit, s.latex, s.description) for s in symbols), *own))

    @cached_property
    def input_port(self) -> Port:
        """Inputs left open. A controller called from Python also hands in the rates of its states."""
        inputs = self.system.layout.inputs
        fields = [Field(s.name, s.unit, s.latex, s.description) for s in inputs]
        if self.controller and self.controller_is_traced:
            fields = []
        elif self.controller:
            fields += [Field(f"{name}_rate", "", "", "rate of a controller state") for name in self.controller.states]
        return Port("inputs", tuple(fields))

    @cached_property
    def parameter_port(self) -> Port:
        """Parameters left free."""
        chosen = (self.system.parameters[name] for name in self.free_parameters)
        return Port("parameters", tuple(Field(p.name, p.unit, p.latex, p.description) for p in chosen))

    @cached_property
    def ports(self) -> tuple[Port, Port, Port, Port]:
        """The four arguments of every traced function."""
        return Port("time", (Field("t", "s", "t", "time"),)), self.state_port, self.input_port, self.parameter_port

    # -- symbols --------------------------------------------------------------------------------------

    @cached_property
    def arguments(self) -> tuple[casadi.SX, ...]:
        """Symbols of the four arguments: time, state, inputs, parameters."""
        return tuple(casadi.SX.sym(port.name, port.size) for port in self.ports)

    @cached_property
    def motion(self) -> ReducedMotion:
        """The reduced model on symbols, the loop closed through a traced controller."""
        time, state, inputs, parameters = self.arguments
        values = self.values(parameters)
        q = self.full_coordinates(time, state, values)
        # CasADi makes a row of an empty part of a single number.
        v_r = state[self.nq : self.nq + len(self.reduction.free)] if self.reduction.free else casadi.SX(0, 1)
        if self.controller is None or not self.controller_is_traced:
            return ReducedMotion(self.reduction, q, v_r, time, inputs, values, self.static)
        names = tuple(s.name for s in self.system.layout.inputs)
        # Inputs that the law is about to choose: nothing it may read depends on them, or the function could not be built.
        unknown = casadi.SX.sym("unknown_input", len(names))
        open_loop = ReducedMotion(self.reduction, q, v_r, time, unknown, values, self.static)
        chosen, _ = evaluate_on_symbols(self.controller, self.channels(open_loop), names)
        given = ops.vector(*(chosen[name] for name in names)) if names else inputs
        return ReducedMotion(self.reduction, q, v_r, time, casadi.SX(given), values, self.static)

    def values(self, parameters: Any) -> dict[str, Any]:
        """All parameter values, the free ones from the argument."""
        values: dict[str, Any] = dict(self.system.parameters.values)
        values.update({name: parameters[i] for i, name in enumerate(self.free_parameters)})
        return values

    def full_coordinates(self, time: Any, state: Any, values: Any) -> Any:
        """All coordinates: those of the state, and the imposed ones from their laws."""
        found: list[Any] = [0.0] * self.system.layout.nq
        for k, i in enumerate(self.coordinate_indices):
            found[i] = state[k]
        return self.with_imposed(found, time, values)

    def with_imposed(self, q: Any, time: Any, values: Any) -> Any:
        """Coordinates with the imposed ones replaced by their laws."""
        layout = self.system.layout
        found = [q[i] for i in range(layout.nq)]
        for joint in imposed_joints(self.system):
            found[layout.q[joint.name].start] = evaluate(joint.drive.law, {**values, "t": time})
        return ops.vector(*found) if found else np.zeros(0)

    def channels(self, motion: ReducedMotion) -> Channels:
        """What a controller may read: time, coordinates, velocities, angles, its own states."""
        _, state, _, _ = self.arguments
        makers: dict[str, Callable[[], Any]] = {"time": lambda: motion.time, "t": lambda: motion.time}
        for observable in observables(self.system):
            if observable.kind in SENSED:
                for k, entry in enumerate(observable.fields):
                    makers[entry.name] = partial(_entry, observable.compute, motion, k)
        start = self.nq + len(self.reduction.free)
        for k, name in enumerate(self.controller_states):
            makers[name] = partial(state.__getitem__, start + k)
        return Channels(makers)

    # -- functions ------------------------------------------------------------------------------------

    def build(self, name: str, outputs: list[tuple[Port, Any]], about: str) -> Traced:
        """A traced function of the four arguments."""
        inputs = list(zip(self.ports, self.arguments, strict=True))
        return Traced.build(f"{self.system.name}_{name}", inputs, outputs, about)

    @cached_property
    def rates(self) -> Any:
        """Rate of the state in tangent form."""
        velocity = self.motion.v
        if self.drift_time is not None:
            velocity = velocity + (1.0 / self.drift_time) * gap_correction(self.motion)
        return ops.concat(self.coordinate_rates(velocity), self.motion.v_r_dot, self.controller_rates())

    @cached_property
    def dynamics(self) -> Traced:
        """Rate of the state in tangent form, and the watched pivots."""
        motion = self.motion
        watched = motion.watched_pivots
        pivots = len(motion.watched_steps)  # then steepness of wheels, which is looked at between steps alone
        names = (f"pivot_{i}" if i < pivots else f"steepness_{i - pivots}" for i in range(ops.size(watched)))
        monitor = Port("monitor", tuple(Field(name, "1") for name in names))
        outputs = [(self.rate_port, self.rates), (monitor, watched)]
        found = self.build("dynamics", outputs, "rate of the state")
        return replace(found, by_state=self._rate_by_state) if has_short_slopes(motion) else found

    def _rate_by_state(self) -> casadi.Function:
        """Derivative of the rate by the state, as a matrix."""
        state = self.arguments[1]
        others = [casadi.SX(self.coordinate_rates(self.motion.v)), casadi.SX(self.controller_rates())]
        slopes = [casadi.jacobian(rates, state) if rates.numel() else casadi.SX(0, state.shape[0]) for rates in others]
        moved = acceleration_by_state(self.motion, state, self.coordinate_indices, self.reduction.free)
        return casadi.Function("rate_by_state", self.arguments, [casadi.vertcat(slopes[0], moved, slopes[1])])

    @cached_property
    def rate_port(self) -> Port:
        """Rates of the state: a quaternion's rate is its body angular velocity."""
        layout = self.system.layout
        fields: list[Field] = []
        for joint in self.moving:
            part = layout.v[joint.name]
            fields += [
                Field(f"{layout.velocities[i].name}_of_coordinate", layout.velocities[i].unit)
                for i in range(part.start, part.stop)
            ]
        for body in self.system.bodies:
            fields += [Field(f"{symbol.name}_rate_of_coordinate", "") for symbol in body.coordinates]
        fields += [Field(f"{name}_dot", "") for name in (*self.reduction.names, *self.controller_states)]
        return Port("rate", tuple(fields))

    def coordinate_rates(self, v: Any) -> Any:
        """Tangent rates of the state's coordinates for given velocities."""
        layout, motion = self.system.layout, self.motion
        rates = [
            tangent_rate(joint, motion.q[layout.q[joint.name]], v[layout.v[joint.name]], motion.parameters or {})
            for joint in self.moving
            if joint.nv
        ]
        rates += [v[layout.v[body.name]] for body in self.system.bodies if body.coordinates]
        return ops.concat(*rates) if rates else np.zeros(0)

    def controller_rates(self) -> Any:
        """Rates of the controller's states."""
        if self.controller is None or not self.controller.states:
            return np.zeros(0)
        if not self.controller_is_traced:
            return self.arguments[2][len(self.system.layout.inputs) :]
        names = tuple(s.name for s in self.system.layout.inputs)
        _, rates = evaluate_on_symbols(self.controller, self.channels(self.motion), names)
        return ops.vector(*rates.values())

    @cached_property
    def observables(self) -> tuple[Observable, ...]:
        """Groups of channels of a run; over-determined constraints add those of the forces that move nothing."""
        found = observables(self.system)
        return (*found, *static_observables(self.system)) if self.reduction.pivots.redundant_rows else found

    @cached_property
    def observation(self) -> Traced:
        """Everything a run records, port by port (see `observation`)."""
        outputs = [(Port(o.kind, o.fields), o.compute(self.motion)) for o in self.observables]
        return self.build("observation", outputs, "named channels of a run")

    @cached_property
    def sensors(self) -> Traced:
        """What a controller called from Python may read."""
        chosen = [o for o in observables(self.system) if o.kind in SENSED]
        outputs = [(Port(o.kind, o.fields), o.compute(self.motion)) for o in chosen]
        return self.build("sensors", outputs, "channels for a controller")

    @cached_property
    def sensed(self) -> Traced:
        """Time and what a controller may read, states of its own included, as one port."""
        chosen = [o for o in observables(self.system) if o.kind in SENSED]
        time, state, _, _ = self.arguments
        own = state[self.nq + len(self.reduction.free) :] if self.controller_states else np.zeros(0)
        values = [time, *(o.compute(self.motion) for o in chosen), own]
        fields = (Field("time", "s"), *(entry for o in chosen for entry in o.fields))
        fields += tuple(Field(f"{name} of the controller") for name in self.controller_states)
        return self.build("sensed", [(Port("sensed", fields), ops.concat(*values))], "channels for a controller")

    @cached_property
    def witness(self) -> Witness:
        """Answers of the controller at some states."""
        return Witness(self)

    @cached_property
    def slips(self) -> Traced:
        """Velocity in every blocked direction: zero unless imposed motions contradict the constraints."""
        (group,) = (o for o in observables(self.system) if o.kind == "slips")
        return self.build("slips", [(Port(group.kind, group.fields), group.compute(self.motion))], "blocked velocities")

    @cached_property
    def roundness(self) -> Traced | None:
        """Positive while every ball on a surface is rounder than the hollow it is in; None where there is no such ball."""
        for group in self.observables:
            if group.kind == "roundness":
                return self.build(
                    "roundness", [(Port(group.kind, group.fields), group.compute(self.motion))], "balls in hollows"
                )
        return None

    @cached_property
    def default_parameters(self) -> Vector:
        """Values of the free parameters as the system declares them."""
        return np.array([self.system.parameters[name].value for name in self.free_parameters])

    @cached_property
    def watched_contacts(self) -> tuple[str, ...]:
        """For each monitor, the contact whose pivot it watches, and the velocity that the pivot determines."""
        labels, names = self.motion.constraints.labels, self.system.layout.velocities
        found = []
        for i in self.motion.watched_steps:
            row, column = self.reduction.pivots.steps[i]
            if row < len(labels) and column < len(names):
                found.append(f"{labels[row]} (which determines {names[column].name})")
            else:
                found.append("an inner reference of the chain")
        return (*found, *(f"{wheel.name} (whose wheel lies flat)" for wheel in self.motion.wheels))

    @cached_property
    def projection(self) -> Traced:
        """One Newton step of the coordinates towards zero gaps, in tangent form."""
        return self._newton(gap_correction(self.motion), "projection", "one Newton step towards zero gaps")

    @cached_property
    def loop_projection(self) -> Traced:
        """As `projection`, towards closed loops alone, with the gaps of contacts left as they are."""
        return self._newton(gap_correction(self.motion, loops=True), "loop_projection", "one Newton step towards closed loops")

    def closing(self, project: bool | None) -> Traced | None:
        """What is applied to the state after each step, if anything is: by default loops are closed."""
        if project is None:
            return self.loop_projection if self.system.loops else None
        return self.projection if project else None

    @property
    def work(self) -> int:
        """Operations of one right-hand side."""
        return self.dynamics.operations

    def _newton(self, correction: Any, name: str, about: str) -> Traced:
        step = self.coordinate_rates(correction)
        rest = np.zeros(self.rate_port.size - ops.size(step))
        return self.build(name, [(Port("correction", self.rate_port.fields), ops.concat(step, rest))], about)

    @cached_property
    def accelerations(self) -> Traced:
        """Accelerations of all velocities."""
        fields = tuple(
            Field(f"{s.name}_dot", f"{s.unit}/s", rf"\dot{{{s.latex}}}", f"rate of {s.description}")
            for s in self.system.layout.velocities
        )
        found = self.build("accelerations", [(Port("accelerations", fields), self.motion.v_dot)], "accelerations")
        return replace(found, by_state=self._accelerations_by_state) if has_short_slopes(self.motion) else found

    def _accelerations_by_state(self) -> casadi.Function:
        """Derivative of the accelerations of all velocities by the state, as a matrix."""
        every = range(self.system.layout.nv)
        moved = acceleration_by_state(self.motion, self.arguments[1], self.coordinate_indices, every)
        return casadi.Function("accelerations_by_state", self.arguments, [moved])

    @cached_property
    def gaps_of_chart(self) -> Traced:
        """All that an assembly closes (gaps, loops, senses), of time, chart (see `mechanics.chart`) and parameters."""
        symbols = chart_symbols(self.system)
        time, _, _, parameters = self.arguments
        chart = casadi.SX.sym("chart", len(symbols))
        motion = ReducedMotion(
            self.reduction,
            self.with_imposed(coordinates_from_chart(self.system, chart), time, self.values(parameters)),
            np.zeros(len(self.reduction.free)),
            time,
            parameters=self.values(parameters),
        )
        rest = motion.kinematics_at_rest
        conditions = (*constraint_set(rest).conditions, *sense_rows(rest))
        gaps = [condition.gap for condition in conditions]
        port = Port("chart", tuple(Field(s.name, s.unit, s.latex, s.description) for s in symbols))
        out = Port("gaps", tuple(Field(f"{condition.name}_gap", "m") for condition in conditions))
        inputs = [(self.ports[0], time), (port, chart), (self.parameter_port, parameters)]
        return Traced.build(f"{self.system.name}_gaps", inputs, [(out, ops.vector(*gaps) if gaps else np.zeros(0))], "gaps")

    @cached_property
    def gap_slopes(self) -> Traced:
        """How the gaps change with the chart; every start asks for it."""
        return self.gaps_of_chart.jacobian("gaps", "chart")

    @cached_property
    def velocity_map(self) -> Traced:
        """Kernel H (row by row), for finding consistent velocities."""
        H = self.motion.H_r
        rows, n = [s.name for s in self.system.layout.velocities], self.reduction.names
        fields = tuple(Field(f"{row}_per_{column}", "") for row in rows for column in n)
        return self.build("velocity_map", [(Port("kernel", fields, (len(rows), len(n))), H)], "kernel H")

    @cached_property
    def driven_velocity(self) -> Traced:
        """Velocities that imposed motions and moving constraints alone produce, H_m v_m + w."""
        driven = np.zeros(self.system.layout.nv) if self.motion.driven is None else self.motion.driven
        fields = tuple(Field(s.name, s.unit, s.latex, s.description) for s in self.system.layout.velocities)
        return self.build("driven_velocity", [(Port("velocities", fields), driven)], "velocities of imposed motions")


def _entry(compute: Callable[[ReducedMotion], Any], motion: ReducedMotion, k: int) -> Any:
    return compute(motion)[k]


@door(
    system=a_system,
    free=names,
    about=optional(partial(floats, dimensions=(1,), finite=True)),
    controller=optional(instance(Controller)),
    drift_time=optional(positive),
    static=optional(laws),
    time=number,
)
def trace(
    system: System,
    *,
    free: tuple[str, ...] = (),
    about: Vector | None = None,
    controller: Controller | None = None,
    drift_time: float | None = None,
    static: Mapping[str, Any] | None = None,
    time: float = 0.0,
) -> TracedSystem:
    """Choose a reduction for a system and make its functions traceable.

    `free` names parameters that stay arguments of the compiled functions (the others are constants); `about` is the
    pose around which pivots are chosen (the nominal one by default); `drift_time` switches the drift correction on. A
    controller that cannot run on symbols, or whose trace differs from it, is left open: its values then come from Python,
    step by step. `static`
    prescribes constraint forces by row, such as {"front_x": 0.0}, where the constraints over-determine them; the
    smallest otherwise. `time` is the instant for which pivots are chosen, where coefficients of constraints depend on it.
    """
    for name in free:
        system.parameters[name]  # raises, with the nearest name, for an unknown one
    if about is not None and about.size != system.layout.nq:
        raise ModelError(f"about is {shown(about)}; give one number for each of the {system.layout.nq} coordinates")
    reduction = choose_reduction(system, about, free, time)
    chosen = _static_rows(system, reduction, static or {})
    if controller is not None:
        closed = TracedSystem(system, reduction, free, controller, True, drift_time, chosen)
        called = TracedSystem(system, reduction, free, controller, False, drift_time, chosen)
        return closed if follows_law(closed, called) else called
    return TracedSystem(system, reduction, free, None, False, drift_time, chosen)


def _static_rows(system: System, reduction: Reduction, static: Mapping[str, Any]) -> tuple[tuple[int, Any], ...]:
    """Rows and values of prescribed constraint forces, checked: as many as there are internal forces."""
    if not static:
        return ()
    at_nominal = ReducedMotion(reduction, system.nominal_pose(), np.zeros(len(reduction.free)))
    labels = [label.replace(" ", "_") for label in at_nominal.constraints.labels]
    for name in static:
        if name not in labels:
            raise UnknownNameError(f"static: no constraint row is named {name!r}: {suggestion(name, labels)}")
    count = len(reduction.pivots.redundant_rows)
    rows = {name: labels.index(name) for name in static}
    if not count:
        raise ModelError(
            f"static prescribes {', '.join(static)}, but the constraints of {system.name} determine every force as it is now "
            "driven; leave static out, or impose more joints"
        )
    if len(rows) != count or not _determine(at_nominal, set(rows.values())):
        raise ModelError(
            f"static prescribes {len(rows)} row{'s' if len(rows) > 1 else ''} ({', '.join(static)}), and the constraints leave "
            f"{count} internal force{'s' if count > 1 else ''} open: prescribe exactly {count}, such that no internal force is "
            "left open nor given twice"
        )
    return tuple((row, as_quantity(static[name], f"static {name!r}")) for name, row in rows.items())


def _determine(motion: ReducedMotion, prescribed: set[int]) -> bool:
    """Whether the rows that are not prescribed determine all forces of their own, by their rank."""
    bound = [j for _, j in motion.reduction.pivots.steps]
    rows = [row for i, row in enumerate(motion.elimination.rows) if i not in prescribed]
    matrix = np.array([[float(row.get(j, 0.0)) for j in bound] for row in rows])
    return bool(np.linalg.matrix_rank(matrix, 1e-9 * np.abs(matrix).max(initial=1.0)) == len(bound))
