"""How small deviations change what an event-driven run reads, and its jumps; how they move between is in `deviations`.

A deviation of a state is a tangent vector: one number for each number of a vector block, and a rotation vector in body axes
for each quaternion.

Derivatives `_by` "the tangent" have one column for each number of a deviation, then one for time; where parameters are free,
those `_by_p` have one for each of them.
"""

from collections.abc import Sequence
from typing import Any

import casadi
import numpy as np

from locomotor.lie import ops
from locomotor.mechanics.chart import chart_from_coordinates, chart_symbols
from locomotor.mechanics.constraints import contacts_at, formulas_at
from locomotor.mechanics.loops import loop_rows
from locomotor.mechanics.tree import Instant, Kinematics, forward, mass_matrix
from locomotor.model import Constraint, Contact, Joint, System, evaluate
from locomotor.model.expressions import Quantity
from locomotor.tracing.contacts import NUMBERS, VECTORS, Switching, event_functions
from locomotor.tracing.core import Field, Port, Traced, column, tangent_basis
from locomotor.tracing.readings import all_channels, value_of
from locomotor.tracing.system import TracedSystem
from locomotor.typing import Array


def readout(mode: TracedSystem) -> Traced:
    """Rates, coordinates, chart coordinates, velocities and gaps of a mode, each followed by its derivative."""
    system, motion = mode.system, mode.motion
    symbols, layout = chart_symbols(system), system.layout
    conditions = motion.constraints.conditions
    gaps = [condition.gap for condition in conditions]
    n = mode.rate_port.size
    rate, _ = mode.dynamics.function.call(list(mode.arguments))
    values = [
        ("rate", [f"{i}" for i in range(n)], rate),
        ("coordinates", [s.name for s in layout.coordinates], motion.q),
        ("chart", [s.name for s in symbols], chart_from_coordinates(system, motion.q)),
        ("velocities", [s.name for s in layout.velocities], motion.v),
        ("gaps", [condition.name for condition in conditions], ops.vector(*gaps) if gaps else np.zeros(0)),
    ]
    return _with_slopes(mode, "readout", values, "what a state says, with derivatives")


def event_slopes(mode: TracedSystem, contacts: Sequence[Switching]) -> Traced:
    """Gaps of the contacts that may open and close, and what holds those that are closed, each followed by its derivative.

    Where contacts may slip, or joints have dry friction, also how much friction is left to each, and the slips, three numbers
    for each contact; where contacts resist rolling, the same of that.
    """
    found = event_functions(mode, contacts)
    answers = found.function.call(list(mode.arguments))
    numbers, vectors = answers[found.output("numbers")], answers[found.output("vectors")]
    names, n = [contact.name for contact in contacts], len(contacts)
    slips = any(contact.law.slips or contact.law.rubs for contact in contacts)
    resists = any(contact.law.resists for contact in contacts)
    values = []
    for kind in ("gap", "hold", *(("friction_left",) if slips else ()), *(("rolling_left",) if resists else ())):
        first = n * list(NUMBERS).index(kind)
        values.append((kind, names, numbers[first : first + n]))
    for kind in (*(("slip",) if slips else ()), *(("turn",) if resists else ())):
        first = 3 * n * list(VECTORS).index(kind)
        values.append((kind, [f"{name}_{axis}" for name in names for axis in "xyz"], vectors[first : first + 3 * n]))
    return _with_slopes(mode, "event_slopes", values, "event functions with derivatives")


def crossing(mode: TracedSystem, expression: Any) -> Traced:
    """An expression of time, channels and parameters, followed by its derivative."""
    channels, parameters = mode.channels(mode.motion), mode.values(mode.arguments[3])
    known = {name: parameters[name] if name in parameters else channels[name] for name in expression.names}
    value = evaluate(expression, known)
    return _with_slopes(mode, "crossing", [("crossing", ["value"], ops.vector(value))], f"the section {expression}")


def measure(mode: TracedSystem, expression: Any) -> Traced:
    """An expression of any channels of a run, energies and forces included, followed by its derivative."""
    value = value_of(expression, all_channels(mode))
    return _with_slopes(mode, "measure", [("value", ["value"], ops.vector(value))], f"{expression}")


def _with_slopes(mode: TracedSystem, name: str, values: Sequence[tuple[str, Sequence[str], Array]], about: str) -> Traced:
    time, x, _, parameters = mode.arguments
    basis = tangent_basis(mode.manifold, x)
    outputs: list[tuple[Port, Any]] = []
    for kind, names, value in values:
        expression = column(value) if len(names) else casadi.SX(0, 1)
        slopes = casadi.horzcat(casadi.jacobian(expression, x) @ basis, casadi.jacobian(expression, time))
        outputs.append((Port(kind, tuple(Field(entry) for entry in names)), expression))
        outputs.append((_matrix(f"{kind}_by", names, mode.rate_port.size + 1), slopes))
        if mode.parameter_port.size:
            by_p = casadi.jacobian(expression, parameters)
            outputs.append((_matrix(f"{kind}_by_p", names, mode.parameter_port.size), by_p))
    return mode.build(name, outputs, about)


def _matrix(name: str, rows: Sequence[str], columns: int) -> Port:
    return Port(name, tuple(Field(f"{row}_{j}") for row in rows for j in range(columns)), (len(rows), columns))


def impact_balance(
    system: System,
    struck: Sequence[Switching],
    restitution: Sequence[tuple[Quantity, Quantity]],
    kept: Sequence[Constraint],
    driven: Sequence[Joint],
    free: tuple[str, ...] = (),
) -> Traced:
    """Impact of contacts with (normal, tangential) restitution: matrices, and derivatives of its two equations.

        M (v+ - v-) - C^T L = 0,        C v+ + E C v- = 0

    C holds the velocities of the contact points along what they block, in world axes, with E = e_n n n^T + e_t (1 - n n^T), and
    the rows of couplings; then those of the formulas that are `kept`, of the loops and of the joints that are `driven` through
    the impact, with E = -1. A function of all coordinates, v- (`before`), v+ (`after`), L (`impulses`) and the free parameters,
    with the outputs M (`mass`), C (`rows`), E C (`restored`) and the derivatives of the left sides by the coordinates and by
    those parameters.
    """
    layout = system.layout
    q = casadi.SX.sym("coordinates", layout.nq)
    before, after = casadi.SX.sym("before", layout.nv), casadi.SX.sym("after", layout.nv)
    parameters = casadi.SX.sym("parameters", len(free))
    values: dict[str, Any] = dict(system.parameters.values)
    values.update({name: parameters[i] for i, name in enumerate(free)})
    kinematics = forward(Instant(system, q, np.zeros(layout.nv), parameters=values))
    M = casadi.SX(mass_matrix(kinematics))
    rows: list[casadi.SX] = []
    restored: list[casadi.SX] = []
    labels: list[str] = []
    for entry, pair in zip(struck, restitution, strict=True):
        normal, tangential = (evaluate(share, values) for share in pair)
        if not isinstance(entry, Contact):
            r = _formula(kinematics, entry)
            rows, restored, labels = [*rows, r], [*restored, normal * r], [*labels, entry.name]
            continue
        (row,) = contacts_at(kinematics, [entry])
        axes, R = kinematics.links[kinematics.roots[row.body]].pose.rotation, kinematics.poses[row.body].rotation
        C_i, n = casadi.SX(axes @ row.jacobian), casadi.SX(R @ row.normal)
        if row.touch.directions is not None:
            blocked = [n, *(casadi.SX(R @ d) for label, d, _ in row.touch.directions if label != "normal")]
            C_i = sum((d @ (d.T @ C_i) for d in blocked), casadi.SX(3, layout.nv))
        rows.append(C_i)
        restored.append(tangential * C_i + (normal - tangential) * n @ (n.T @ C_i))
        labels += [f"{entry.name}_{axis}" for axis in "xyz"]
    held = [(entry.name, _formula(kinematics, entry)) for entry in kept]
    held += [(row.name, casadi.SX(row.normal_row).T) for row in loop_rows(kinematics)[0]]
    held += [(joint.name, casadi.SX(np.eye(layout.nv)[[layout.v[joint.name].start]])) for joint in driven]
    for name, r in held:
        rows, restored, labels = [*rows, r], [*restored, -r], [*labels, name]
    C = casadi.vertcat(*rows) if rows else casadi.SX(0, layout.nv)
    EC = casadi.vertcat(*restored) if rows else C
    impulses = casadi.SX.sym("impulses", len(labels))
    balance, closing = M @ (after - before) - C.T @ impulses, C @ after + EC @ before
    names = [s.name for s in layout.velocities]
    inputs = [
        (Port("coordinates", tuple(Field(s.name, s.unit) for s in layout.coordinates)), q),
        (Port("before", tuple(Field(name) for name in names)), before),
        (Port("after", tuple(Field(name) for name in names)), after),
        (Port("impulses", tuple(Field(label) for label in labels)), impulses),
        (Port("parameters", tuple(Field(name) for name in free)), parameters),
    ]
    outputs = [
        (_matrix("mass", names, layout.nv), M),
        (_matrix("rows", labels, layout.nv), C),
        (_matrix("restored", labels, layout.nv), EC),
        (_matrix("balance_by", names, layout.nq), casadi.jacobian(balance, q)),
        (_matrix("closing_by", labels, layout.nq), casadi.jacobian(closing, q)),
    ]
    if free:
        outputs.append((_matrix("balance_by_p", names, len(free)), casadi.jacobian(balance, parameters)))
        outputs.append((_matrix("closing_by_p", labels, len(free)), casadi.jacobian(closing, parameters)))
    return Traced.build(f"{system.name}_impact_balance", inputs, outputs, "equations of an impact, with derivatives")


def _formula(kinematics: Kinematics, constraint: Constraint) -> casadi.SX:
    """Row of a constraint given by a formula."""
    (row,) = formulas_at(kinematics.instant, [constraint])
    return casadi.SX(row.normal_row).T
