"""The parts of the equations of motion, each as a matrix of its own, for people to read.

    M v_dot + h + G = tau + C^T lambda,   C v = b,   v = H v_r + w,   q_dot = B(q) v

Every part takes all coordinates and all velocities as they are, so that the free dynamics are not mixed with the kernel; how
velocities follow from the reduced ones is a part too. Everything stands on one tape, which is what printing reads.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import casadi
import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics import ReducedMotion
from locomotor.mechanics.constraints import contacts_at
from locomotor.mechanics.loads import kinetic_energy, potential_energy
from locomotor.mechanics.tree import inverse_dynamics, structure_constants, symmetric, tangent_rate
from locomotor.model import Contact, System
from locomotor.tracing.core import Field, Port, Traced
from locomotor.tracing.system import TracedSystem
from locomotor.typing import Array


@dataclass(frozen=True, eq=False)
class GivenMotion(ReducedMotion):
    """The reduced model where all velocities, the imposed accelerations and the load on the constraints are given symbols."""

    velocity: Any = None
    acceleration_of_imposed: Any = None
    load: Any = None

    @cached_property
    def v(self) -> Array:
        """All velocities, as symbols that were given."""
        return self.velocity

    @cached_property
    def imposed(self) -> tuple[Array, Array]:
        """Velocities and accelerations of the imposed joints, as given."""
        at = self.reduction.imposed
        velocities = ops.vector(*(self.velocity[i] for i in at)) if at else np.zeros(0)
        return velocities, self.acceleration_of_imposed if at else np.zeros(0)

    @cached_property
    def unbalanced(self) -> Array:
        """M v_dot + h + G - tau, as given."""
        return self.load


def equation_parts(traced: TracedSystem, *, christoffel: bool = False, touching: Sequence[Contact] = ()) -> Traced:
    """Function of (time, coordinates, velocities, accelerations, load, inputs, parameters), one output port a part.

    `accelerations` are those of imposed joints; `load` is M v_dot + h + G - tau, from which the multipliers follow. Parts that
    a system does not have (rows of constraints, say) are ports without fields. `touching` are contacts that are open and may
    close: their gaps, the rows W of the velocities of their points in world axes, and the Delassus matrix, which is
    W H (H^T M H)^-1 H^T W^T.
    """
    system, reduction = traced.system, traced.reduction
    layout = system.layout
    time, _, inputs, parameters = traced.arguments
    symbols = {
        "coordinates": _symbols("q", layout.nq),
        "velocities": _symbols("v", layout.nv),
        "accelerations": _symbols("a", len(reduction.imposed)),
        "load": _symbols("load", layout.nv),
    }
    q, v = symbols["coordinates"], symbols["velocities"]
    motion = GivenMotion(
        reduction,
        q,
        ops.vector(*(v[i] for i in reduction.free)) if reduction.free else casadi.SX(0, 1),
        time,
        inputs,
        traced.values(parameters),
        traced.static,
        velocity=v,
        acceleration_of_imposed=symbols["accelerations"],
        load=symbols["load"],
    )
    ports = _input_ports(traced)
    arguments = [(traced.ports[0], time), *((ports[name], symbol) for name, symbol in symbols.items())]
    arguments += [(traced.input_port, inputs), (traced.parameter_port, parameters)]
    impacts = _impact_outputs(motion, touching)
    # What a document may leave to a formula comes last: what is printed does not speak of it then.
    outputs = [*_outputs(motion, system, christoffel), *impacts[:2], *_reduced_outputs(motion), *impacts[2:]]
    return Traced.build(f"{system.name}_equations", arguments, outputs, "the parts of the equations of motion")


def _symbols(name: str, n: int) -> Any:
    return casadi.SX.sym(name, n) if n else casadi.SX(0, 1)


def _input_ports(traced: TracedSystem) -> dict[str, Port]:
    layout, reduction = traced.system.layout, traced.reduction
    rates = [layout.velocities[i] for i in reduction.imposed]
    return {
        "coordinates": Port("coordinates", tuple(Field(s.name, s.unit, s.latex, s.description) for s in layout.coordinates)),
        "velocities": Port("velocities", tuple(Field(s.name, s.unit, s.latex, s.description) for s in layout.velocities)),
        "accelerations": Port(
            "accelerations",
            tuple(Field(f"{s.name}_dot", f"{s.unit}/s", rf"\dot{{{s.latex}}}", f"{s.description}, its rate") for s in rates),
        ),
        "load": Port(
            "load",
            tuple(
                Field(f"load_{s.name}", "", f"f_{{{i}}}", f"what the constraints carry along {s.name}")
                for i, s in enumerate(layout.velocities, 1)
            ),
        ),
    }


def _outputs(motion: GivenMotion, system: System, christoffel: bool) -> list[tuple[Port, Any]]:
    layout, reduction = system.layout, motion.reduction
    nv, nr = layout.nv, len(reduction.free)
    constrained = len(motion.constraints) > 0
    rows = len(motion.constraints.labels)
    moved = motion.constraints.right if constrained else {}
    rest = motion.kinematics_at_rest
    applied = motion.applied
    gravity = inverse_dynamics(rest, None, applied.gravity, None) if nv else np.zeros(0)
    given = applied.forces()
    if applied.wrenches:
        given = given - inverse_dynamics(rest, None, None, applied.wrenches)
    parts: list[tuple[str, tuple[int, ...], Any]] = [
        ("up", (3,) if constrained else (0,), _up(motion) if constrained else None),
        ("mass", (nv, nv), motion.mass),
        ("bias", (nv,), inverse_dynamics(motion.kinematics, None, None, None)),
        ("gravity", (nv,), gravity),
        ("applied", (nv,), given),
        ("kinetic_energy", (1,), kinetic_energy(motion.kinematics)),
        ("potential_energy", (1,), potential_energy(rest)),
        *([("coriolis", (nv, nv), _coriolis(motion, system))] if christoffel else []),
        ("rows", (rows, nv) if constrained else (0, nv), motion.constraints.matrix if constrained else None),
        ("row_rate", (rows,) if moved else (0,), ops.vector(*(moved.get(i, 0.0) for i in range(rows))) if moved else None),
        ("row_bias", (rows,), motion.constraints.root_bias if constrained else None),
        ("kernel", (nv, nr), motion.H_r),
        ("driven", (nv,) if motion.driven is not None else (0,), motion.driven),
        ("kernel_rate", (nv, nr), _rate(motion, system, motion.H_r)),
        ("multipliers", (rows,), motion.multipliers if constrained else None),
        ("known_acceleration", (nv,) if motion.known_acceleration is not None else (0,), motion.known_acceleration),
        ("reconstruction", (layout.nq,), _coordinate_rates(motion, system, motion.v)),
    ]
    return _ported(parts)


def _reduced_outputs(motion: GivenMotion) -> list[tuple[Port, Any]]:
    nr = len(motion.reduction.free)
    return _ported(
        [
            ("reduced_mass", (nr, nr), motion.reduced_mass if nr else None),
            ("reduced_force", (nr,), -(motion.H_r.T @ motion.bias) if nr else None),
            ("acceleration", (nr,), _solved(motion) if nr else None),
        ]
    )


def _ported(parts: Sequence[tuple[str, tuple[int, ...], Any]]) -> list[tuple[Port, Any]]:
    return [(_port(name, shape), np.zeros(0) if 0 in shape else value) for name, shape, value in parts]


def _impact_outputs(motion: GivenMotion, touching: Sequence[Contact]) -> list[tuple[Port, Any]]:
    """Gaps, rows and, where anything is free, the Delassus matrix of contacts that may close."""
    if not touching:
        return []
    found = contacts_at(motion.kinematics_at_rest, touching)
    rows: list[Any] = []
    fields: list[Field] = []
    for contact in found:
        root = motion.kinematics.links[motion.kinematics.roots[contact.body]].pose
        matrix = casadi.SX(root.rotation @ contact.jacobian)
        for k, axis in enumerate("xyz"):
            row = casadi.simplify(matrix[k, :])
            if not all(ops.is_zero(entry) for entry in row.elements()):
                rows.append(row)
                fields.append(Field(f"{contact.name}_{axis}"))
    W = casadi.vertcat(*rows)
    columns = [Field(symbol.name) for symbol in motion.reduction.system.layout.velocities]
    named = tuple(Field(f"{row.name}_per_{column.name}") for row in fields for column in columns)
    parts: list[tuple[Port, Any]] = [
        (Port("gaps", tuple(Field(contact.name) for contact in found)), ops.vector(*(contact.gap for contact in found))),
        (Port("contact_rows", named, (len(rows), len(columns))), W),
    ]
    if motion.reduction.free:
        moved = W @ casadi.SX(motion.H_r)
        product = moved @ casadi.SX(ops.solve_spd(motion.reduced_mass, moved.T))
        upper = [[product[i, j] if j >= i else None for j in range(len(rows))] for i in range(len(rows))]
        parts.append((_port("delassus", (len(rows), len(rows))), symmetric(upper)))
    return parts


def _port(name: str, shape: tuple[int, ...]) -> Port:
    indices = [""]
    for extent in shape:
        indices = [f"{index}_{i}" for index in indices for i in range(1, extent + 1)]
    return Port(name, tuple(Field(f"{name}{index}") for index in indices), shape)


def _up(motion: GivenMotion) -> Any:
    """The normal of the ground of the first contact, in the axes of its root body; z where there is no contact."""
    kinematics = motion.kinematics_at_rest
    up = motion.contacts[0].up if motion.contacts else np.array([0.0, 0.0, 1.0])
    root = kinematics.roots[motion.contacts[0].body] if motion.contacts else 0
    return kinematics.links[root].pose.rotation.T @ up


def _solved(motion: GivenMotion) -> Any:
    return ops.solve_spd(motion.reduced_mass, -(motion.H_r.T @ motion.bias))


def _coordinate_rates(motion: GivenMotion, system: System, v: Any) -> Any:
    """Rates of the coordinates themselves, those of quaternions included."""
    layout = system.layout
    values = motion.parameters or {}
    tangent = [
        tangent_rate(joint, motion.q[layout.q[joint.name]], v[layout.v[joint.name]], values)
        for joint in system.joints
        if joint.nv
    ]
    tangent += [v[layout.v[body.name]] for body in system.bodies if body.coordinates]
    return layout.manifold.ambient_rate(motion.q, ops.concat(*tangent)) if tangent else np.zeros(0)


def _rate(motion: GivenMotion, system: System, matrix: Any) -> Any:
    """Time derivative of a matrix that depends on the coordinates alone."""
    found = casadi.densify(casadi.SX(matrix))
    if not found.numel():
        return found
    column = casadi.vec(found)
    return casadi.reshape(casadi.jtimes(column, motion.q, _coordinate_rates(motion, system, motion.v)), found.shape)


def _coriolis(motion: GivenMotion, system: System) -> Any:
    """C(q, v) with h = C v and M_dot - 2 C skew, also where velocities are no rates of coordinates.

    Koszul's formula for the frame X_i of the velocities, [X_i, X_j] = sum_l c_ij^l X_l, gives the connection of the metric M:
    2 <D_i X_j, X_k> = X_i M_jk + X_j M_ik - X_k M_ij + <[X_i, X_j], X_k> - <[X_j, X_k], X_i> - <[X_i, X_k], X_j>,
    and C_kj = sum_i v_i <D_i X_j, X_k>. For rates of coordinates these are the symbols of Christoffel.
    """
    n, v = system.layout.nv, motion.v
    M = casadi.densify(casadi.SX(motion.mass))
    directions = [casadi.SX(_coordinate_rates(motion, system, one)) for one in np.eye(n)]
    along = [casadi.reshape(casadi.jtimes(casadi.vec(M), motion.q, d), n, n) for d in directions]
    brackets = structure_constants(system)

    def bracket(i: int, j: int, k: int) -> Any:
        """Metric product <[X_i, X_j], X_k> of a Lie bracket with a basis vector."""
        return sum((value * M[index, k] for index, value in brackets.get((i, j), ())), casadi.SX(0))

    C = casadi.SX(n, n)
    for k in range(n):
        for j in range(n):
            terms: Sequence[Any] = [
                (along[i][j, k] + along[j][i, k] - along[k][i, j] + bracket(i, j, k) - bracket(j, k, i) - bracket(i, k, j))
                * v[i]
                for i in range(n)
            ]
            C[k, j] = 0.5 * sum(terms, casadi.SX(0))
    return C
