"""Connections of a system: which base motion its shape produces, at rest in its symmetry.

`connection(system)` finds out which kind a system has: kinematic (constraints determine the base), mechanical or
hydrodynamic (zero momentum, with the fluid's inertia), Stokes (drags in balance), or mixed (constraints and momentum).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from locomotor import codegen
from locomotor.analysis.coupled import Coupled
from locomotor.codegen import Kernel
from locomotor.errors import NoConnectionError
from locomotor.lie import SE2, SE3, SO3
from locomotor.mechanics.actuation import actuated_joints
from locomotor.mechanics.reduced import choose_reduction
from locomotor.model import AddedMass, Fixed, FluidDrag, Free, Gravity, Motion, Planar, Spherical, System, parse
from locomotor.tracing.connections import ShapeFunctions
from locomotor.tracing.traced import Traced

Array = NDArray[np.float64]

INVARIANCE = 1e-9
GROUPS: dict[type, tuple[Any, int]] = {Free: (SE3, 6), Planar: (SE2, 3), Spherical: (SO3, 3)}
"""Group of each kind of base; other bases commute."""


@dataclass(frozen=True, eq=False)
class Connection:
    """The local form A(r) of a connection: `connection(r)` is the matrix with eta = -A(r) r_dot.

    `r` gives the active joints in the order of `shape_names`; passive joints stay at `passive`, or where couplings carry
    them.
    """

    functions: ShapeFunctions
    kind: str
    reason: str
    passive: Array = field(repr=False)
    """All coordinates of the pose around which r varies."""

    @property
    def system(self) -> System:
        """The system, with its active joints imposed."""
        return self.functions.system

    @property
    def base_names(self) -> tuple[str, ...]:
        """Rows of A: velocities of the base."""
        return self.functions.names[0]

    @property
    def shape_names(self) -> tuple[str, ...]:
        """Columns of A: active joints."""
        return tuple(joint.name for joint in self.system.imposed)

    @cached_property
    def traced(self) -> Traced:
        """A as a traced function of all coordinates, for derivatives and export."""
        return self.functions.connection(self.kind)

    @cached_property
    def kernel(self) -> Kernel:
        """A, compiled."""
        return codegen.compile(self.traced)

    @cached_property
    def _slope(self) -> Kernel:
        return codegen.compile(self.traced.jacobian("connection", "coordinates"))

    @cached_property
    def _places(self) -> list[int]:
        return [self.system.layout.q[name].start for name in self.shape_names]

    @cached_property
    def _coupled(self) -> Coupled:
        return Coupled(self.system, self._places)

    def coordinates(self, r: ArrayLike | Mapping[str, float]) -> Array:
        """All coordinates with the active joints at r; r may be a batch (samples, joints)."""
        if isinstance(r, Mapping):
            r = [r[name] for name in self.shape_names]
        values = np.asarray(r, dtype=float)
        if values.shape[-1:] != (len(self._places),):
            raise ValueError(f"r has shape {values.shape}; give {len(self._places)} values: {', '.join(self.shape_names)}")
        q = np.broadcast_to(self.passive, (*values.shape[:-1], len(self.passive))).copy()
        q[..., self._places] = values
        return self._coupled.settle(q)

    def __call__(self, r: ArrayLike | Mapping[str, float]) -> Array:
        """A(r), or a stack of them for a batch of shapes."""
        return self.kernel(self.coordinates(r))[0]

    def derivative(self, r: ArrayLike | Mapping[str, float]) -> Array:
        """dA/dr: entry [..., i, j, k] is the derivative of A[i, j] with respect to joint k."""
        q = self.coordinates(r)
        slope = self._slope(q)[0]
        shape = (len(self.base_names), len(self.shape_names), len(self.passive))
        by_coordinate = slope.reshape(*slope.shape[: slope.ndim - 2], *shape)
        return np.asarray(np.einsum("...ijq,...qk->...ijk", by_coordinate, self._coupled.tangent(q)))

    def bracket(self, x: Array, y: Array) -> Array:
        """Lie bracket of base velocities."""
        group = GROUPS.get(type(self.system.joints[0]))
        if group is None:
            return np.zeros_like(x)
        return np.asarray(group[0].ad(x) @ y, dtype=float)

    def curvature(self, r: ArrayLike | Mapping[str, float]) -> Array:
        """Curvature F[:, i, j] of the body velocity xi = -A: d_i xi_j - d_j xi_i + [xi_i, xi_j].

        A small loop around r that goes from joint i towards joint j displaces the base by exp(F_ij times its area).
        """
        xi, slope = -self(r), -self.derivative(r)
        n, s = xi.shape
        F = np.zeros((n, s, s))
        for i in range(s):
            for j in range(i + 1, s):
                F[:, i, j] = slope[:, j, i] - slope[:, i, j] + self.bracket(xi[:, i], xi[:, j])
                F[:, j, i] = -F[:, i, j]
        return F

    def displacement(
        self, gait: Mapping[str, Any], duration: float, *, start: float = 0.0, steps: int = 400
    ) -> Any:
        """Pose of the base after a gait (laws of t by joint), by Runge-Kutta-Munthe-Kaas of order 4 on the group.

        Returns an element of the base's group (SE3, SE2, SO3), or a vector for a base that only translates.
        """
        if self.kind == "mixed":
            raise NoConnectionError(
                f"{self.system.name}: its base follows a momentum besides the shape, which a gait alone does not determine; "
                "use simulate(system, duration, motions=gait)"
            )
        laws = [Motion(gait[name]) if not isinstance(gait[name], Motion) else gait[name] for name in self.shape_names]
        values = self.system.parameters.values
        group = GROUPS.get(type(self.system.joints[0]), (None, 0))[0]
        h = duration / steps
        times: Array = np.asarray(start + 0.5 * h * np.arange(2 * steps + 1), dtype=np.float64)
        r = np.stack([_at(law.position, times, values) for law in laws], axis=1)
        rate = np.stack([_at(law.velocity, times, values) for law in laws], axis=1)
        xi = -np.einsum("nij,nj->ni", self.kernel(self.coordinates(r))[0], rate)
        if group is None:
            total = xi[0:-1:2] + 4 * xi[1::2] + xi[2::2]
            return (h / 6.0) * total.sum(axis=0)
        g = group.identity()
        for k in range(steps):
            a, b, c = h * xi[2 * k], h * xi[2 * k + 1], h * xi[2 * k + 2]
            k1 = a
            k2 = group.dexp_inv(0.5 * k1) @ b
            k3 = group.dexp_inv(0.5 * k2) @ b
            k4 = group.dexp_inv(k3) @ c
            g = g @ group.exp((k1 + 2 * k2 + 2 * k3 + k4) / 6.0)
        return g


def _at(expression: Any, times: Array, values: Mapping[str, float]) -> Array:
    return np.broadcast_to(np.asarray(expression.evaluate({**values, "t": times}), dtype=float), times.shape)


def connection(system: System, joints: Sequence[str] | None = None, *, kind: str | None = None) -> Connection:
    """The connection of a system; `joints` are the active ones (by default all that are imposed or have an input).

    `kind` forces "stokes" for a system with both drags and inertia, or "mechanical" to leave drags out.
    """
    functions = shape_functions(system, joints)
    passive_joints = [
        joint
        for joint in functions.system.joints[1:]
        if joint.nv and joint not in functions.system.imposed
    ]
    found, reason = _kind(functions, [joint.name for joint in passive_joints], kind)
    result = Connection(functions, found, reason, functions.system.nominal_pose())
    _check_invariance(result)
    return result


def shape_functions(system: System, joints: Sequence[str] | None = None) -> ShapeFunctions:
    """Functions of the shape, with the active joints imposed."""
    if isinstance(system.joints[0], Fixed):
        raise NoConnectionError(f"{system.name}: the base is fixed; a connection needs a base that can move")
    active = [joint.name for joint in actuated_joints(system)] if joints is None else list(joints)
    if not active:
        raise NoConnectionError(
            f"{system.name}: no joint is imposed or has an input; name the active joints with joints=(...)"
        )
    driven = system.with_motions({name: _hold(system, name) for name in active})
    return ShapeFunctions(driven, choose_reduction(driven))


def _hold(system: System, joint: str) -> Any:
    """A law that keeps the joint at its nominal value: only the fact that it is imposed matters here."""
    return parse(repr(float(system.nominal_pose()[system.layout.q[joint].start])))


def _kind(functions: ShapeFunctions, passive: list[str], wanted: str | None) -> tuple[str, str]:
    system, reduction = functions.system, functions.reduction
    if system.contacts or system.constraints:
        if not reduction.free:
            return "kinematic", "the constraints determine the base from the rates of the active joints"
        return "mixed", (
            f"the constraints leave {len(reduction.free)} free velocities ({', '.join(reduction.names)}): the base follows "
            "the shape and a momentum"
        )
    if passive:
        raise NoConnectionError(
            f"{system.name}: the joints {', '.join(passive)} are passive, so that momentum does not determine them; impose "
            "them, or give constraints that carry them along"
        )
    drags = [force for force in system.forces if isinstance(force, FluidDrag)]
    if wanted == "stokes" or (drags and wanted is None):
        if not drags:
            raise NoConnectionError(f"{system.name}: no FluidDrag acts, so there is no Stokes connection")
        return "stokes", "inertia is negligible and the drags of a viscous fluid are in balance"
    acting = [f.name for f in system.forces if not isinstance(f, AddedMass | Gravity | FluidDrag)]
    if acting:
        raise NoConnectionError(f"{system.name}: the forces {', '.join(acting)} change the momentum of the base")
    if any(isinstance(force, AddedMass) for force in system.forces):
        return "hydrodynamic", "the momentum of body and ideal fluid stays zero"
    return "mechanical", "no outside force acts, and the momentum stays zero"


def _check_invariance(found: Connection) -> None:
    """A connection may not depend on where the base is."""
    base = found.system.layout.q[found.system.joints[0].name]
    generator = np.random.default_rng(5)
    moved = found.passive.copy()
    moved[base] = moved[base] + generator.uniform(-0.3, 0.3, base.stop - base.start)
    for block in GROUPS:
        if isinstance(found.system.joints[0], block) and block is not Planar:
            turn = slice(base.stop - 4, base.stop)
            moved[turn] /= np.linalg.norm(moved[turn])
    here, there = (found.kernel(q)[0] for q in (found.passive, moved))
    if np.abs(here - there).max() > INVARIANCE * max(1.0, float(np.abs(here).max())):
        raise NoConnectionError(
            f"{found.system.name}: the velocity of the base depends on its pose (by {np.abs(here - there).max():.2g} in a "
            "small displacement), so there is no connection over the shape alone"
        )
