"""What an event-driven simulation needs besides the dynamics of a mode: event functions, and the data of impacts.

What opens and closes is a contact, a coupling with a law of its own (a joint stop), or the dry friction of a joint,
which is closed while the joint sticks; all are called contacts here. The
gap of a contact on a terrain is no formula: it is looked up (see `simulation.terrain.watch`), and what that needs is the
place of the contact's body.
"""

from collections.abc import Sequence
from typing import Any

import casadi
import numpy as np

from locomotor.lie import ops
from locomotor.mechanics import ReducedMotion
from locomotor.mechanics.constraints import ContactRows, FormulaRow, contacts_at, formulas_at, patch_size
from locomotor.mechanics.loads import kinetic_energy, potential_energy
from locomotor.mechanics.loops import loop_rows
from locomotor.mechanics.tree import Instant, body_jacobian, forward, mass_matrix
from locomotor.model import Contact, Coupling, Rub, System, Terrain, evaluate
from locomotor.model.contacts import may_lie
from locomotor.tracing.core import Field, Port, Traced
from locomotor.tracing.system import TracedSystem
from locomotor.typing import Array

Switching = Contact | Coupling | Rub

OUT_OF_SIGHT = 1.0
"""Gap (m) given for an open contact on a terrain, which is looked up elsewhere."""
NUMBERS = {
    "normal_force": "N",
    "gap": "m",
    "gap_rate": "m/s",
    "gap_acceleration": "m/s^2",
    "condition": "1",
    "hold": "N",
    "friction_left": "N",
    "push": "1",
    "twisting": "N",
    "rolling_left": "N m",
    "wander": "rad^2/s^2",
    "tilt": "1",
}
"""Event functions that are a number for each contact, in order, and their units."""
VECTORS = {"reaction": "N", "slip": "m/s", "slip_rate": "m/s^2", "turn": "rad/s", "turn_rate": "rad/s^2", "moment": "N m"}
"""Those that are a vector in world axes for each contact."""


def event_functions(mode: TracedSystem, switching: Sequence[Switching], rate: bool = False) -> Traced:
    """For everything that may open or close the `NUMBERS` and the `VECTORS`, and the watched pivots of the mode.

    Normal force (zero when open), gap, its rate and acceleration, the condition of the law; `hold` is the normal force
    counted from the largest pull that the law allows: a closed contact opens where it becomes negative. The reaction is in
    world axes for a contact; that of a coupling is its multiplier, first, that of a ball joint all three. `wander` and `tilt`
    are those of the touch of a closed wheel.
    The rest is said in `_friction`. With the `rate` of the state as well where steps from it are to begin with it.
    """
    motion = mode.motion
    accelerations = motion.kinematics.accelerations(motion.v_dot)
    found: dict[str, list[Any]] = {kind: [] for kind in (*NUMBERS, *VECTORS)}
    forces = _reactions(motion)
    names = {**motion.kinematics.instant.names, "t": motion.time}
    wandering = {row.name: row.touch.wander for row in motion.contacts if row.touch.wander is not None}
    tilting = {row.name: row.touch.tilt for row in motion.contacts if row.touch.tilt is not None}
    for entry, row in zip(switching, _rows(motion, switching), strict=True):
        force, normal = forces.get(entry.name, (np.zeros(3), 0.0))
        found["reaction"].append(force)
        found["normal_force"].append(normal)
        found["hold"].append(entry.law.hold_at(normal, names))
        found["condition"].append(evaluate(entry.law.condition, names))
        found["wander"].append(wandering.get(entry.name, 0.0))
        found["tilt"].append(tilting.get(entry.name, 0.0))
        if row is None:
            found["gap"].append(OUT_OF_SIGHT)
            found["gap_rate"].append(0.0)
            found["gap_acceleration"].append(0.0)
            continue
        found["gap"].append(row.gap)
        if isinstance(row, ContactRows):
            found["gap_rate"].append(row.gap_rate)
            found["gap_acceleration"].append(row.gap_acceleration(accelerations))
        else:
            found["gap_rate"].append(row.slip[0])
            found["gap_acceleration"].append(row.gap_acceleration(motion.v_dot))
    found |= _friction(motion, switching, forces, accelerations) | _rolling(motion, switching, forces, accelerations)
    each, watched = [entry.name for entry in switching], motion.watched_pivots
    numbers = tuple(Field(f"{name}_{kind}", unit) for kind, unit in NUMBERS.items() for name in each)
    vectors = tuple(Field(f"{name}_{kind}_{axis}", unit) for kind, unit in VECTORS.items() for name in each for axis in "xyz")
    # Few ports: what is asked for in every step of a search is handed over in as few arrays as can be.
    outputs = [
        (Port("numbers", numbers, (len(NUMBERS), len(each))), ops.vector(*(x for kind in NUMBERS for x in found[kind]))),
        (Port("vectors", vectors, (len(VECTORS), len(each), 3)), _stacked([x for kind in VECTORS for x in found[kind]])),
        (Port("pivots", tuple(Field(f"pivot_{i}", "1") for i in range(ops.size(watched)))), watched),
        *([(mode.rate_port, mode.rates)] if rate else []),
    ]
    return mode.build("events", outputs, "event functions")


def _friction(motion: ReducedMotion, switching: Sequence[Switching], forces: Any, accelerations: Any) -> dict[str, list[Any]]:
    """Of closed contacts that may slip: slip velocity and its rate in world axes, how much friction is left, and the push.

    Left is what a contact that sticks has, mu N less the force along the ground (N), of a patch together with its twisting: the
    torque about the normal over the arm of friction. The push is 1 without friction, and not
    positive where the normal force of a contact that slips does not push any more (`mechanics.sliding`).
    Of a joint with dry friction: its rate and acceleration, first, or all three along its velocities, how much more it could
    hold, and as its twisting the size of the effort against which it slides.
    """
    closed = {row.name: row for row in motion.contacts}
    pushing = motion.sliding.pushes if motion.sliding else ()
    pushes = dict(zip((row.name for row in motion.contacts if row.rubs), pushing, strict=True))
    twists = _twists(motion)
    alone = sum(row.contact.pivots for row in motion.contacts) == 1  # of several each has the ball around what its patch bears
    slips: list[Any] = []
    rates: list[Any] = []
    left: list[Any] = []
    for entry in switching:
        if isinstance(entry, Rub):
            rubs = formulas_at(motion.kinematics.instant, [entry])
            slips.append(_three([row.slip[0] for row in rubs]))
            rates.append(_three([row.gap_acceleration(motion.v_dot) for row in rubs]))
            names = motion.kinematics.instant.names
            held_by: Any = 0.0
            if entry.name in forces:
                force, first = forces[entry.name]
                held_by = ops.fabs(first) if entry.turns_one_way else ops.norm(force)
            static, twists[entry.name] = entry.law.bounds_at(names, motion.loads.get(entry.law.of.name))
            left.append(static - held_by)
            continue
        row = closed.get(entry.name)
        if row is None or not entry.law.slips:
            slips.append(np.zeros(3))
            rates.append(np.zeros(3))
            left.append(0.0)
            continue
        R = motion.kinematics.poses[row.body].rotation
        slips.append(R @ row.slip_velocity)
        rates.append(R @ row.slip_rate(accelerations))
        force, normal = forces[entry.name]
        bound = entry.law.static_at(motion.kinematics.instant.values) * normal
        along, twist = row.along(R.T @ force), twists.get(entry.name, 0.0)
        if row.spins and alone:
            held = patch_size([*ops.entries(along), twist])
        else:
            held = ops.sqrt(ops.dot(along, along) + twist * twist) if row.spins else ops.norm(along)
        left.append(0.0 if row.slips else bound - held)
    push = [pushes.get(entry.name, 1.0) for entry in switching]
    twisting = [twists.get(entry.name, 0.0) for entry in switching]
    return {"slip": slips, "slip_rate": rates, "friction_left": left, "push": push, "twisting": twisting}


def _rolling(motion: ReducedMotion, switching: Sequence[Switching], forces: Any, accelerations: Any) -> dict[str, list[Any]]:
    """Of closed contacts that resist rolling: turning along the ground and its rate in world axes, the moment at rest, and how
    much larger that may become.
    """
    found: dict[str, list[Any]] = {"turn": [], "turn_rate": [], "moment": [], "rolling_left": []}
    closed, starts, start = {row.name: row for row in motion.contacts}, {}, 0
    for each in motion.contacts:
        starts[each.name], start = start, start + len(each.labels)
    for entry in switching:
        row = closed.get(entry.name)
        if row is None or not entry.law.resists:
            for kind in ("turn", "turn_rate", "moment"):
                found[kind].append(np.zeros(3))
            found["rolling_left"].append(0.0)
            continue
        R, first = motion.kinematics.poses[row.body].rotation, starts[row.name]
        moment = row.moment(motion.multipliers[first : first + len(row.labels)])
        bound = entry.law.resistance_at(motion.kinematics.instant.values) * forces[entry.name][1]
        found["turn"].append(R @ row.turn)
        found["turn_rate"].append(R @ row.turn_rate(accelerations))
        found["moment"].append(moment)
        found["rolling_left"].append(bound - ops.norm(moment) if row.rests else 0.0)
    return found


def _twists(motion: ReducedMotion) -> dict[str, Any]:
    """Torque of friction about the normal, over its arm, of closed contacts that touch with a patch."""
    found, start = {}, 0
    for row in motion.contacts:
        if row.contact.pivots:
            found[row.name] = row.twisting(motion.multipliers[start : start + len(row.labels)])
        start += len(row.labels)
    return found


def snapshot(mode: TracedSystem, motion: ReducedMotion | None = None) -> Traced:
    """All coordinates, all velocities, kinetic and potential energy, of the motion of the mode or of another in its symbols."""
    motion = mode.motion if motion is None else motion
    layout = mode.system.layout
    outputs = [
        (Port("coordinates", tuple(Field(s.name, s.unit) for s in layout.coordinates)), motion.q),
        (Port("velocities", tuple(Field(s.name, s.unit) for s in layout.velocities)), motion.v),
        (
            Port("energies", (Field("kinetic_energy", "J"), Field("potential_energy", "J"))),
            ops.vector(kinetic_energy(motion.kinematics), potential_energy(motion.kinematics)),
        ),
    ]
    return mode.build("snapshot", outputs, "the whole state and its energy")


def places(mode: TracedSystem, contacts: Sequence[Contact]) -> Traced:
    """Of the body of each contact: its rotation (row by row) and position, and in world axes its velocity and angular velocity.

    The angle of a wheel that nothing depends on may be left out of its rotation.
    """
    kinematics = mode.motion.kinematics
    outputs = []
    for contact in contacts:
        i = kinematics.index(contact.body)
        pose = kinematics.poses[i]
        parts = (*(pose.rotation[j, :] for j in range(3)), pose.translation)
        parts += (pose.rotation @ kinematics.velocity[i], pose.rotation @ kinematics.omega[i])
        names = [f"{what}{axis}" for what in ("x", "y", "z", "at_", "v_", "w_") for axis in "xyz"]
        port = Port(f"{contact.name}_place", tuple(Field(f"{contact.name}_{name}") for name in names))
        outputs.append((port, ops.concat(*(ops.vector(*(part[j] for j in range(3))) for part in parts))))
    return mode.build("places", outputs, "places of bodies that may touch a terrain")


def impact_data(system: System, free: tuple[str, ...] = ()) -> Traced:
    """Mass matrix, and of each contact and formula what its rows are made of, at an instant, by all coordinates.

    Of a contact: `jacobian`, the velocity of its point in world axes, and `directions`, those it blocks, the normal first, or
    only the `normal` where all three are blocked; of one with a patch the row of its `spin` as well; of one that may lie on a
    side the axes of its body in the world and, in these, its point, and how it turns (`rotation`, `turning`). Of a contact on a
    terrain: `pose` and `twist` of its body in world axes. Of a formula and of each row of a loop: its `row`.
    """
    layout = system.layout
    time, q = casadi.SX.sym("time", 1), casadi.SX.sym("coordinates", layout.nq)
    parameters = casadi.SX.sym("parameters", len(free))
    values: dict[str, Any] = dict(system.parameters.values)
    values.update({name: parameters[i] for i, name in enumerate(free)})
    kinematics = forward(Instant(system, q, np.zeros(layout.nv), time, parameters=values))
    names = [symbol.name for symbol in layout.velocities]
    outputs: list[tuple[Port, Any]] = [(_matrix("mass", names, names), mass_matrix(kinematics))]
    rough = {ground.name for ground in system.grounds if isinstance(ground, Terrain)}
    for contact in system.contacts:
        if contact.ground in rough:
            i = kinematics.index(contact.body)
            pose = kinematics.poses[i]
            port = _matrix(f"{contact.name}_pose", list("xyz"), list("xyzt"))
            outputs.append((port, _beside(pose.rotation, pose.translation)))
            J = body_jacobian(kinematics, i)
            turned = ops.block([[pose.rotation @ J[0:3, :]], [pose.rotation @ J[3:6, :]]])
            outputs.append((_matrix(f"{contact.name}_twist", ["vx", "vy", "vz", "wx", "wy", "wz"], names), turned))
    for row in contacts_at(kinematics, [contact for contact in system.contacts if contact.ground not in rough]):
        axes = kinematics.links[kinematics.roots[row.body]].pose.rotation
        outputs.append((_matrix(f"{row.name}_jacobian", list("xyz"), names), axes @ row.jacobian))
        R = kinematics.poses[row.body].rotation
        others = [d for label, d, _ in row.touch.directions or () if label != "normal"]
        what = "normal" if row.touch.directions is None else "directions"
        if row.contact.pivots:
            outputs.append((_matrix(f"{row.name}_spin", ["spin"], names), _matrix_of([row.spin_row])))
        if row.contact.resists or may_lie(row.contact):
            outputs.append((_matrix(f"{row.name}_turning", list("xyz"), names), axes @ row.turning_jacobian))
        if may_lie(row.contact):
            port = _matrix(f"{row.name}_rotation", list("xyz"), list("xyzt"))
            outputs.append((port, _beside(R, row.touch.point)))
        port = _matrix(f"{row.name}_{what}", [f"d{i}" for i in range(1 + len(others))], list("xyz"))
        outputs.append((port, _matrix_of([R @ d for d in (row.normal, *others)])))
    singles = [(formula.name, formula.normal_row) for formula in formulas_at(kinematics.instant, system.constraints)]
    for name, normal_row in (*singles, *((loop.name, loop.normal_row) for loop in loop_rows(kinematics)[0])):
        outputs.append((_matrix(f"{name}_row", [name], names), _matrix_of([normal_row])))
    inputs = [
        (Port("time", (Field("t", "s"),)), time),
        (Port("coordinates", tuple(Field(s.name, s.unit) for s in layout.coordinates)), q),
        (Port("parameters", tuple(Field(name) for name in free)), parameters),
    ]
    return Traced.build(f"{system.name}_impact", inputs, outputs, "data of an impact")


def _rows(motion: ReducedMotion, switching: Sequence[Switching]) -> list[ContactRows | FormulaRow | None]:
    """Geometry of everything that may open or close, whether it is closed or not; none of an open contact on a terrain."""
    rough = {ground.name for ground in motion.reduction.system.grounds if isinstance(ground, Terrain)}
    contacts = [entry for entry in switching if isinstance(entry, Contact) and entry.ground not in rough]
    couplings = [entry for entry in switching if isinstance(entry, Coupling)]
    found: list[ContactRows | FormulaRow] = [*contacts_at(motion.kinematics, contacts)]
    found += formulas_at(motion.kinematics.instant, couplings)
    by_name = {row.name: row for row in (*motion.contacts, *found)}
    return [by_name.get(entry.name) for entry in switching]


def _reactions(motion: ReducedMotion) -> dict[str, tuple[Array, Any]]:
    """Reaction, and its normal component, of everything that is closed."""
    found: dict[str, tuple[Array, Any]] = {}
    start = 0
    kinematics = motion.kinematics
    for row in motion.contacts:
        part = motion.multipliers[start : start + len(row.labels)]
        start += len(row.labels)
        force = row.force(part)
        if row.touch.directions is None:
            found[row.name] = force, ops.dot(force, kinematics.poses[row.body].rotation @ row.normal)
        else:
            found[row.name] = force, part[row.labels.index("normal")]
    own: dict[str, list[Any]] = {}
    for k, formula in enumerate(motion.constraints.formulas):
        own.setdefault(formula.constraint.name, []).append(motion.multipliers[start + k])
    return found | {name: (_three(forces), forces[0]) for name, forces in own.items()}


def _three(values: Sequence[Any]) -> Array:
    """One number, first, or three, as a vector."""
    return ops.vector(*(*values, 0.0, 0.0)[:3])


def _stacked(vectors: Sequence[Array]) -> Array:
    return ops.concat(*vectors) if vectors else np.zeros(0)


def _matrix_of(rows: Sequence[Array]) -> Array:
    """Matrix with given rows."""
    return ops.columns(*rows).T if rows else np.zeros((0, 3))


def _beside(matrix: Array, column: Array) -> Array:
    return ops.columns(*(matrix[:, j] for j in range(3)), column)


def _matrix(name: str, rows: Sequence[str], columns: Sequence[str]) -> Port:
    return Port(name, tuple(Field(f"{a}_{b}") for a in rows for b in columns), (len(rows), len(columns)))
