"""Connections as traced functions of the shape."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import casadi
import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import ops, quaternion
from locomotor.mechanics import ReducedMotion, Reduction, constraint_connection, mixed_connection, momentum_connection
from locomotor.mechanics.constraints import constraint_set
from locomotor.mechanics.tree import SpatialForm, tangent_rate
from locomotor.model import FluidDrag, System, evaluate
from locomotor.tracing.core import Field, Port, Traced
from locomotor.tracing.observation import observables
from locomotor.typing import Array


@dataclass(frozen=True, eq=False)
class ShapeFunctions:
    """Functions of the coordinates of a system whose active joints are imposed (their laws are not used)."""

    system: System
    reduction: Reduction
    order: tuple[int, ...] | None = None
    """Active joints in the order wanted, as places among the imposed ones of the system; as they stand by default."""

    @property
    def active(self) -> tuple[int, ...]:
        """Places of the active joints among the imposed ones, in order."""
        return tuple(range(len(self.reduction.imposed))) if self.order is None else self.order

    @property
    def base(self) -> slice:
        """Velocities of the base."""
        return self.system.layout.v[self.system.joints[0].name]

    @cached_property
    def coordinates(self) -> casadi.SX:
        """Symbols for all coordinates."""
        return casadi.SX.sym("coordinates", self.system.layout.nq)

    @cached_property
    def coordinate_port(self) -> Port:
        """The argument of all functions here: names and units of the coordinates."""
        symbols = self.system.layout.coordinates
        return Port("coordinates", tuple(Field(s.name, s.unit, s.latex, s.description) for s in symbols))

    @cached_property
    def names(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Names of the base velocities, the active velocities and the free velocities."""
        velocities = self.system.layout.velocities
        return (
            tuple(s.name for s in velocities[self.base]),
            tuple(velocities[self.reduction.imposed[k]].name for k in self.active),
            self.reduction.names,
        )

    @cached_property
    def motion(self) -> ReducedMotion:
        """The model at rest in the given configuration."""
        return _Posed(self.reduction, self.coordinates, np.zeros(len(self.reduction.free)))

    def inertias(self) -> list[Any]:
        """Inertia of each body with the fluid it moves."""
        return [link.total for link in self.motion.kinematics.links]

    def drags(self) -> list[Any]:
        """Drag of each body, or None."""
        values = self.system.parameters.values
        found: dict[str, SpatialForm] = {}
        for force in self.system.forces:
            if isinstance(force, FluidDrag):
                form = SpatialForm.from_matrix(evaluate(force.matrix, values))
                found[force.body] = found[force.body] + form if force.body in found else form
        return [found.get(link.name) for link in self.motion.kinematics.links]

    def connection(self, kind: str) -> Traced:
        """A (base x active), row by row."""
        if kind == "kinematic":
            A = constraint_connection(self.motion, self.base)
        elif kind == "mixed":
            A, _, _ = mixed_connection(self.motion, self.base)
        else:
            forms = self.drags() if kind == "stokes" else self.inertias()
            A = momentum_connection(self.motion, self.base, forms, carries=self.system.holds)
        base, active, _ = self.names
        units = self._units
        port = _matrix_port("connection", base, active, units)
        return self._function("connection", port, ops.columns(*(A[:, k] for k in self.active)), "eta = -A r_dot")

    @cached_property
    def _units(self) -> dict[str, str]:
        return {s.name: s.unit for s in self.system.layout.velocities}

    def slips(self) -> Traced:
        """Velocity in every blocked direction while the active joints move at given rates, and nothing else does freely."""
        _, active, _ = self.names
        rate = casadi.SX.sym("rate", len(active))
        still = casadi.SX.zeros(len(active))
        moving = _Posed(self.reduction, self.coordinates, np.zeros(len(self.reduction.free)), (self._sorted(rate), still))
        (group,) = (o for o in observables(self.system) if o.kind == "slips")
        inputs = [(self.coordinate_port, self.coordinates), (self._rate_port("rate", ""), rate)]
        outputs = [(Port("slips", group.fields), casadi.SX(moving.constraints.slip))]
        return Traced.build(f"{self.system.name}_slips", inputs, outputs, "blocked velocities")

    def _sorted(self, values: Any) -> Any:
        """Values of the active joints in the order in which the system imposes them."""
        return casadi.vertcat(*(values[self.active.index(k)] for k in range(len(self.active))))

    def _rate_port(self, name: str, suffix: str) -> Port:
        _, active, _ = self.names
        per = "" if not suffix else "/s"
        return Port(name, tuple(Field(f"{one}{suffix}", f"{self._units[one]}{per}") for one in active))

    def constraints(self) -> Traced:
        """All constraint rows over all velocities, in root axes."""
        found = constraint_set(self.motion.kinematics_at_rest)
        port = _matrix_port("constraints", tuple(found.labels), tuple(s.name for s in self.system.layout.velocities))
        return self._function("constraints", port, found.matrix, "constraint rows")

    def closings(self) -> Traced:
        """What must vanish on the configuration (gaps, couplings, loops), and its rates by all velocities."""
        found = constraint_set(self.motion.kinematics_at_rest).conditions
        names, nv = tuple(condition.name for condition in found), self.system.layout.nv
        gaps = ops.vector(*(condition.gap for condition in found)) if found else np.zeros(0)
        rows = ops.columns(*(condition.normal_row for condition in found)).T if found else np.zeros((0, nv))
        outputs = [
            (Port("gaps", tuple(Field(name, "") for name in names)), casadi.SX(gaps)),
            (_matrix_port("rows", names, tuple(s.name for s in self.system.layout.velocities)), casadi.SX(rows)),
        ]
        return Traced.build(f"{self.system.name}_closings", [(self.coordinate_port, self.coordinates)], outputs, "closings")

    def coordinate_rates(self) -> Traced:
        """Rates of all coordinates as stored, from all velocities."""
        velocities = self.system.layout.velocities
        v = casadi.SX.sym("velocities", len(velocities))
        inputs = [
            (self.coordinate_port, self.coordinates),
            (Port("velocities", tuple(Field(s.name, s.unit) for s in velocities)), v),
        ]
        out = Port("rates", tuple(Field(f"{field.name}_dot", "") for field in self.coordinate_port.fields))
        return Traced.build(f"{self.system.name}_rates", inputs, [(out, self._stored_rates(v))], "rates of coordinates")

    def _stored_rates(self, v: Array) -> casadi.SX:
        """Rates of all coordinates as stored, those of soft bodies behind those of the joints."""
        layout, q = self.system.layout, self.coordinates
        joints = [joint for joint in self.system.joints if joint.nq]
        soft = [body for body in self.system.bodies if body.coordinates]
        return casadi.vertcat(
            *(_ambient(joint, q[layout.q[joint.name]], v[layout.v[joint.name]]) for joint in joints),
            *(v[layout.v[body.name]] for body in soft),
        )

    def kernel(self) -> Traced:
        """Base velocities per unit of the free velocities, H_r."""
        base, _, free = self.names
        return self._function("kernel", _matrix_port("kernel", base, free), self.motion.H_r[self.base, :], "kernel")

    def reduced_mass(self) -> Traced:
        """M_r = H^T M H."""
        _, _, free = self.names
        _, _, M_r = mixed_connection(self.motion, self.base)
        return self._function("reduced_mass", _matrix_port("reduced_mass", free, free), M_r, "H^T M H")

    def _function(self, name: str, port: Port, expression: Array, about: str) -> Traced:
        inputs = [(self.coordinate_port, self.coordinates)]
        return Traced.build(f"{self.system.name}_{name}", inputs, [(port, casadi.SX(expression))], about)

    def momentum_equation(self) -> Traced:
        """p and p_dot as functions of coordinates, momentum p, and rates and accelerations of the active joints.

        p = H_r^T M v is the momentum along the free directions (N s beside a velocity in m/s, N m s beside one in rad/s); its
        rate follows from the reduced equations and exact
        differentiation (the nonholonomic momentum equation: docs/theory.md (A6); Belkhiri 2013, (2.23)).
        """
        _, active, free = self.names
        q = self.coordinates
        p = casadi.SX.sym("momentum", len(free))
        wanted = casadi.SX.sym("rate", len(active)), casadi.SX.sym("acceleration", len(active))
        rate, acceleration = self._sorted(wanted[0]), self._sorted(wanted[1])
        at_rest = self.motion
        M = at_rest.mass
        M_r, M_m = at_rest.H_r.T @ M @ at_rest.H_r, at_rest.H_r.T @ M @ at_rest.H_m
        v_r = ops.solve_spd(M_r, p - M_m @ rate)
        moving = _Posed(self.reduction, q, v_r, given=(rate, acceleration))
        v_symbol = casadi.SX.sym("v_r", len(free))
        momentum = M_r @ v_symbol + M_m @ rate
        layout = self.system.layout
        q_dot = self._stored_rates(moving.v)
        p_dot = casadi.jtimes(momentum, q, q_dot) + M_r @ moving.v_r_dot + M_m @ acceleration
        p_dot = casadi.substitute(p_dot, v_symbol, v_r)
        inputs = [
            (self.coordinate_port, q),
            (Port("momentum", tuple(Field(f"p_{name}", _momentum(self._units[name])) for name in free)), p),
            (self._rate_port("rate", ""), wanted[0]),
            (self._rate_port("acceleration", "_dot"), wanted[1]),
        ]
        rates = tuple(Field(f"p_{name}_dot", _momentum(self._units[name]).removesuffix(" s")) for name in free)
        outputs = [
            (Port("momentum_rate", rates), p_dot),
            (Port("velocities", tuple(Field(s.name, s.unit) for s in layout.velocities)), moving.v),
        ]
        return Traced.build(f"{self.system.name}_momentum_equation", inputs, outputs, "nonholonomic momentum equation")


def _matrix_port(name: str, rows: tuple[str, ...], columns: tuple[str, ...], units: Mapping[str, str] | None = None) -> Port:
    fields = (Field(f"{a}_per_{b}", _ratio(units[a], units[b]) if units else "") for a in rows for b in columns)
    return Port(name, tuple(fields), (len(rows), len(columns)))


def _ratio(above: str, below: str) -> str:
    """Unit of a velocity per velocity."""
    return "1" if above == below else f"{above.removesuffix('/s')}/{below.removesuffix('/s')}"


def _momentum(velocity: str) -> str:
    """Unit of the momentum beside a velocity."""
    return {"m/s": "N s", "rad/s": "N m s"}.get(velocity, "")


def _ambient(joint: Any, q: Array, u: Array) -> Array:
    """Rate of a joint's coordinates as stored, a quaternion's as four numbers."""
    if joint.nq == joint.nv:
        return tangent_rate(joint, q, u, {})
    if joint.nq == 4:
        return quaternion.rate(q, u)
    return ops.concat(quaternion.to_matrix(q[3:7]) @ u[0:3], quaternion.rate(q[3:7], u[3:6]))


class _Posed(ReducedMotion):
    """A reduced motion whose imposed joints have given rates instead of laws of time."""

    def __init__(self, reduction: Reduction, q: Array, v_r: Array, given: tuple[Array, Array] | None = None) -> None:
        super().__init__(reduction, q, v_r)
        m = len(reduction.imposed)
        self.__dict__["imposed"] = (np.zeros(m), np.zeros(m)) if given is None else given
