"""Connections of a system: which base motion its shape produces, at rest in its symmetry.

`connection(system)` finds out which kind a system has: kinematic (constraints determine the base), mechanical or
hydrodynamic (zero momentum, with the fluid's inertia), Stokes (drags in balance), or mixed (constraints and momentum).
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from locomotor import checks, codegen
from locomotor.analysis.connections.carried import Carried
from locomotor.analysis.connections.gait_path import INVARIANCE, SINGULAR, Shapes, displacement, known_joints, told
from locomotor.analysis.connections.planar_root import on_plane
from locomotor.analysis.connections.shape_joints import connection_kind, shape_functions
from locomotor.checks import door, numbers_by_name, optional, text
from locomotor.codegen import Kernel
from locomotor.dataclass import dataclass
from locomotor.errors import NoConnectionError, QuantityError
from locomotor.lie import SE2, SE3, SO3
from locomotor.model import Free, Planar, Spherical, System, a_system
from locomotor.tracing.core import Traced
from locomotor.tracing.readings import ShapeFunctions
from locomotor.typing import Flags, Floats

GROUPS: dict[type, tuple[Any, int]] = {Free: (SE3, 6), Planar: (SE2, 3), Spherical: (SO3, 3)}
"""Group of each kind of base; other bases commute."""
NOT_FLAT = (
    ". A vehicle on a Free root has one where its contacts, all on one Plane, keep its height, roll and pitch whatever its "
    "shape; if yours is to stay upright, carry it by a Planar root"
)


@checks.doors
@dataclass(frozen=True, eq=False)
class Connection:
    """The local form A(r) of a connection: `connection(r)` is the matrix with eta = -A(r) r_dot.

    `r` gives the active joints in the order of `shape_names`, or by name, those left out staying at their nominal values;
    passive joints stay at `passive`, or where couplings and loops carry them.
    """

    functions: ShapeFunctions
    kind: str
    reason: str
    passive: Floats = field(repr=False)
    """All coordinates of the pose around which r varies."""

    def __repr__(self) -> str:
        """One line: the system, the kind, and what gives what."""
        return f"Connection({self.system.name!r}, {self.kind}: {', '.join(self.shape_names)} -> {', '.join(self.base_names)})"

    def _repr_html_(self) -> str:
        """A card in a notebook: kind, reason, what gives what, and the matrix."""
        from locomotor.viewing.report import connection_card

        return connection_card(self)

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
        imposed = self.system.imposed
        return tuple(imposed[k].name for k in self.functions.active)

    @property
    def nominal(self) -> Floats:
        """The active joints at their nominal values, in the order of `shape_names`."""
        return np.asarray(self.passive[self._places])

    @cached_property
    def traced(self) -> Traced:
        """A as a traced function of all coordinates, for derivatives and export."""
        return self.functions.connection(self.kind)

    @cached_property
    def kernel(self) -> Kernel:
        """The connection A as a compiled function of all coordinates."""
        return codegen.compile(self.traced)

    @cached_property
    def _slope(self) -> Kernel:
        return codegen.compile(self.traced.jacobian("connection", "coordinates"))

    @cached_property
    def _places(self) -> list[int]:
        return [self.system.layout.q[name].start for name in self.shape_names]

    @cached_property
    def _carried(self) -> Carried:
        return Carried(self.functions)

    # -- shapes ---------------------------------------------------------------------------------------

    def coordinates(self, r: ArrayLike | Mapping[str, float]) -> Floats:
        """All coordinates with the active joints at r; r may be a batch (samples, joints)."""
        if isinstance(r, Mapping):
            known_joints(r, self.shape_names)
            r = numbers_by_name(r, "r", error=QuantityError)
            r = [r.get(name, value) for name, value in zip(self.shape_names, self.nominal.tolist(), strict=True)]
        values = checks.floats(r, f"r ({', '.join(self.shape_names)})", error=QuantityError)
        if values.shape[-1:] != (len(self._places),):
            raise QuantityError(f"r has shape {values.shape}; give {len(self._places)} values: {', '.join(self.shape_names)}")
        if not np.isfinite(values).all():
            raise QuantityError(f"r holds {values[~np.isfinite(values)][0]}; every joint needs a finite value")
        q = np.broadcast_to(self.passive, (*values.shape[:-1], len(self.passive))).copy()
        q[..., self._places] = values
        return self._carried.settle(q)

    def singular(self, r: ArrayLike | Mapping[str, float]) -> bool | Flags:
        """Whether the constraints lose a rank at a shape, so that A is not defined there; an array for a batch."""
        q = self.coordinates(r)
        return (self._regularity(q.reshape(-1, q.shape[-1])) <= SINGULAR).reshape(q.shape[:-1])[()]

    def reaches(self, r: ArrayLike | Mapping[str, float]) -> bool:
        """Whether couplings and loops can be closed at a shape."""
        try:
            return bool(np.isfinite(self.coordinates(r)).all())
        except NoConnectionError:
            return False

    def _regularity(self, q: Floats) -> Floats:
        """Smallest singular value that matters of the constraints at poses, relative to the largest: zero at a pole of A."""
        rank = len([1 for i, j in self.functions.reduction.pivots.steps if j < self.system.layout.nv])
        if not rank:
            return np.ones(len(q))
        imposed = set(self.functions.reduction.imposed)
        columns = [j for j in range(self.system.layout.nv) if j not in imposed]
        traced = self._constraints
        rows = traced.evaluate([q], len(q))[0].reshape(len(q), *traced.outputs[0].shape)[:, :, columns]
        sizes = np.linalg.svd(rows, compute_uv=False)
        return np.asarray(sizes[:, rank - 1] / np.maximum(sizes[:, 0], 1e-300))

    @cached_property
    def _constraints(self) -> Traced:
        return self.functions.constraints()

    def _regular(self, r: ArrayLike | Mapping[str, float]) -> Floats:
        """The coordinates of shapes, none of them singular."""
        q = self.coordinates(r)
        flat = q.reshape(-1, q.shape[-1])
        bad = np.flatnonzero(self._regularity(flat) <= SINGULAR)
        if bad.size:
            self.refuse_shape(flat[bad[0]])
        return q

    def told_shape(self, q: Floats) -> str:
        """The active joints of a pose in words."""
        return told(self.system, self.shape_names, q)

    def refuse_shape(self, q: Floats) -> NoReturn:
        """Say that the constraints do not determine the base at a pose."""
        raise NoConnectionError(
            f"{self.system.name}: the shape {self.told_shape(q)} is singular: the constraints lose a rank there and do not "
            "determine the base; choose another shape"
        )

    # -- the connection -------------------------------------------------------------------------------

    def __call__(self, r: ArrayLike | Mapping[str, float]) -> Floats:
        """A(r), or a stack of them for a batch of shapes; a singular shape is refused."""
        return self.kernel(self._regular(r))[0]

    def derivative(self, r: ArrayLike | Mapping[str, float]) -> Floats:
        """dA/dr: entry [..., i, j, k] is the derivative of A[i, j] with respect to joint k."""
        q = self._regular(r)
        slope = self._slope(q)[0]
        shape = (len(self.base_names), len(self.shape_names), len(self.passive))
        by_coordinate = slope.reshape(*slope.shape[: slope.ndim - 2], *shape)
        return np.asarray(np.einsum("...ijq,...qk->...ijk", by_coordinate, self._carried.tangent(q)))

    @cached_property
    def _structure(self) -> Floats:
        """Structure constants of the base's group: [x, y]_i = sum of c_ijk x_j y_k."""
        n = len(self.base_names)
        group = GROUPS.get(type(self.system.joints[0]))
        if group is None:
            return np.zeros((n, n, n))
        return np.stack([np.asarray(group[0].ad(unit), dtype=float) for unit in np.eye(n)], axis=1)

    def curvature(self, r: ArrayLike | Mapping[str, float]) -> Floats:
        """Curvature F[..., :, i, j] of the body velocity xi = -A: d_i xi_j - d_j xi_i + [xi_i, xi_j].

        A small loop around r that goes from joint i towards joint j displaces the base by exp(F_ij times its area). `r` may
        be a batch.
        """
        xi, slope = -self(r), -self.derivative(r)
        curl = np.swapaxes(slope, -1, -2) - slope
        brackets = np.einsum("ijk,...ja,...kb->...iab", self._structure, xi, xi)
        # Antisymmetric to the last bit.
        return np.asarray(0.5 * (curl - np.swapaxes(curl, -1, -2)) + 0.5 * (brackets - np.swapaxes(brackets, -1, -2)))

    # -- momentum -------------------------------------------------------------------------------------

    @property
    def momentum_names(self) -> tuple[str, ...]:
        """Momenta that a mixed connection leaves free, one beside each free velocity."""
        return tuple(f"p_{name}" for name in self.functions.names[2]) if self.kind == "mixed" else ()

    @cached_property
    def momentum_equation(self) -> Kernel:
        """The nonholonomic momentum equation of a mixed connection, compiled: docs/theory.md (A6).

        A function of all coordinates, the momentum p = H^T M v along the free velocities (N s, N m s), and rates and
        accelerations of the active joints; it returns p_dot (N, N m) and all velocities. With it, eta = H M_r^-1 p - A r_dot.
        """
        if self.kind != "mixed":
            raise NoConnectionError(
                f"{self.system.name}: its connection is {self.kind} and leaves no momentum free; only a mixed one has an "
                "equation for it"
            )
        return codegen.compile(self.functions.momentum_equation())

    def momentum_rate(
        self, r: ArrayLike | Mapping[str, float], p: ArrayLike, rate: ArrayLike, acceleration: ArrayLike
    ) -> tuple[Floats, Floats]:
        """p_dot and the velocity of the base at a shape, for a momentum p and rates and accelerations of the active joints."""
        equation = self.momentum_equation
        named = {"p": p, "rate": rate, "acceleration": acceleration}
        given = [np.atleast_1d(checks.floats(value, what, error=QuantityError)) for what, value in named.items()]
        p_dot, velocities = equation(self._regular(r), *given)
        return np.asarray(p_dot), np.asarray(velocities)[..., self.functions.base]

    # -- gaits ----------------------------------------------------------------------------------------

    def displacement(
        self,
        gait: Mapping[str, Any],
        duration: float,
        *,
        start: float = 0.0,
        steps: int | None = None,
        tolerance: float = 1e-9,
    ) -> Any:
        """Where a gait leads: the pose of the base at its end, seen from its start.

        The type is that of the base: `lie.SE3` for a `Free` one, `lie.SE2` for a `Planar` one (both with `.rotation`, a matrix,
        `.translation`, `.as_matrix()` and `.log()`, the twist that leads there), `lie.SO3` for a `Spherical` one (`.matrix`,
        `.log()`); for any other base, which commutes, an array of the changes of its coordinates (rad, m). A gait that meets a
        pole of A, at or between the instants it is looked at, is refused with the instant and the shape.

        Args:
            gait: laws of t by joint, as `simulate(motions=...)` takes them; joints left out stay at their nominal values.
            duration: seconds.
            start: time at which the gait begins.
            steps: number of steps; by default as many as the tolerance asks for.
            tolerance: error of the result (rad, m).
        """
        if self.kind == "mixed":
            raise NoConnectionError(
                f"{self.system.name}: its base follows a momentum besides the shape, which a gait alone does not determine; "
                "use simulate(system, duration, motions=gait)"
            )
        own = self.system.layout.q[self.system.joints[0].name]
        carried = {*self._carried.following, *self._places, *range(own.start, own.stop)}
        loose = [i for i in range(len(self.passive)) if i not in carried]
        shapes = Shapes(self.functions, self.shape_names, self.passive, loose, self.kernel, self.coordinates, self._regularity)
        group = GROUPS.get(type(self.system.joints[0]), (None, 0))[0]
        return displacement(shapes, gait, group, duration, start, steps, tolerance)


@door(system=a_system, kind=optional(text))
def connection(system: System, joints: Sequence[str] | None = None, *, kind: str | None = None) -> Connection:
    """The connection of a system; `joints` are the active ones, in the order of the columns of A.

    A `Free` root that contacts keep at one height and tilt above one `Plane` counts as the `Planar` one that it moves as. By
    default all joints are active that are imposed or have an input. `kind` demands one: "stokes" (or "viscous") for a
    system with both drags and inertia, "mechanical" to leave drags out, or any other, which must be the one there is.
    """
    flat = on_plane(system) if isinstance(system, System) else None
    functions = shape_functions(system if flat is None else flat, joints)
    found, reason = connection_kind(functions, kind)
    if flat is not None:
        reason += "; contacts keep the free root on its plane, where it moves as a Planar one"
    result = Connection(functions, found, reason, functions.system.nominal_pose())
    _check_invariance(result)
    return result


def _check_invariance(found: Connection) -> None:
    """A connection may not depend on where the base is."""
    base = found.system.layout.q[found.system.joints[0].name]
    generator = np.random.default_rng(5)
    shapes = found.nominal + np.vstack([np.zeros(len(found.nominal)), generator.uniform(-0.4, 0.4, (3, len(found.nominal)))])
    # At the nominal shape, which is often symmetric, A may be zero whatever the pose; shapes that are singular, or that loops
    # do not reach, say nothing.
    poses = np.array([found.coordinates(r) for r in shapes if found.reaches(r) and not found.singular(r)])
    if not len(poses):
        return
    moved = poses.copy()
    moved[:, base] += generator.uniform(-0.3, 0.3, base.stop - base.start)
    for block in GROUPS:
        if isinstance(found.system.joints[0], block) and block is not Planar:
            turn = slice(base.stop - 4, base.stop)
            moved[:, turn] /= np.linalg.norm(moved[:, turn], axis=1, keepdims=True)
    here, there = (found.kernel(q)[0] for q in (poses, moved))
    if np.abs(here - there).max() > INVARIANCE * max(1.0, float(np.abs(here).max())):
        raise NoConnectionError(
            f"{found.system.name}: the velocity of the base depends on its pose (by {np.abs(here - there).max():.2g} in a "
            "small displacement), so there is no connection over the shape alone"
            + (NOT_FLAT if isinstance(found.system.joints[0], Free) and found.system.contacts else "")
        )
