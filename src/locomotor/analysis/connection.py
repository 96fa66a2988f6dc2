"""Connections of a system: which base motion its shape produces, at rest in its symmetry.

`connection(system)` finds out which kind a system has: kinematic (constraints determine the base), mechanical or
hydrodynamic (zero momentum, with the fluid's inertia), Stokes (drags in balance), or mixed (constraints and momentum).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from locomotor import codegen
from locomotor.analysis.coupled import Coupled
from locomotor.analysis.displacement import integrate
from locomotor.analysis.shape import connection_kind, shape_functions
from locomotor.codegen import Kernel
from locomotor.errors import IncompatibleMotionError, NoConnectionError, QuantityError, StepperError, UnknownJointError
from locomotor.lie import SE2, SE3, SO3
from locomotor.model import Free, Planar, Spherical, System
from locomotor.model.names import suggestion
from locomotor.simulation.motions import as_motion, check_motion
from locomotor.tracing.connections import ShapeFunctions
from locomotor.tracing.traced import Traced

Array = NDArray[np.float64]

INVARIANCE = 1e-9
GROUPS: dict[type, tuple[Any, int]] = {Free: (SE3, 6), Planar: (SE2, 3), Spherical: (SO3, 3)}
"""Group of each kind of base; other bases commute."""
SINGULAR = 1e-9
"""Constraints whose smallest singular value that matters is below this, relative to the largest, have lost a rank."""
SLIP = 1e-6
"""Blocked velocity, relative to the fastest joint, that a gait may have: room for splines."""
STRIDE = 0.2
"""The most that a joint moves in a first step of a displacement (rad, m)."""
LEAST_STEPS = 48
SURVEY = 4096


@dataclass(frozen=True, eq=False)
class Connection:
    """The local form A(r) of a connection: `connection(r)` is the matrix with eta = -A(r) r_dot.

    `r` gives the active joints in the order of `shape_names`, or by name, those left out staying at their nominal values;
    passive joints stay at `passive`, or where couplings carry them.
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
        imposed = self.system.imposed
        return tuple(imposed[k].name for k in self.functions.active)

    @property
    def nominal(self) -> Array:
        """The active joints at their nominal values, in the order of `shape_names`."""
        return np.asarray(self.passive[self._places])

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

    # -- shapes ---------------------------------------------------------------------------------------

    def coordinates(self, r: ArrayLike | Mapping[str, float]) -> Array:
        """All coordinates with the active joints at r; r may be a batch (samples, joints)."""
        if isinstance(r, Mapping):
            self._known(r)
            r = [r.get(name, value) for name, value in zip(self.shape_names, self.nominal.tolist(), strict=True)]
        try:
            values = np.asarray(r, dtype=float)
        except (TypeError, ValueError):
            raise QuantityError(f"r is {r!r}; give numbers: {', '.join(self.shape_names)}"[:300]) from None
        if values.shape[-1:] != (len(self._places),):
            raise QuantityError(f"r has shape {values.shape}; give {len(self._places)} values: {', '.join(self.shape_names)}")
        if not np.isfinite(values).all():
            raise QuantityError(f"r holds {values[~np.isfinite(values)][0]}; every joint needs a finite value")
        q = np.broadcast_to(self.passive, (*values.shape[:-1], len(self.passive))).copy()
        q[..., self._places] = values
        return self._coupled.settle(q)

    def _known(self, names: Mapping[str, Any]) -> None:
        for name in names:
            if name not in self.shape_names:
                raise UnknownJointError(f"no active joint is named {name!r}: {suggestion(str(name), self.shape_names)}")

    def singular(self, r: ArrayLike | Mapping[str, float]) -> Any:
        """Whether the constraints lose a rank at a shape, so that A is not defined there; an array for a batch."""
        q = self.coordinates(r)
        return self._singular(q.reshape(-1, q.shape[-1])).reshape(q.shape[:-1])[()]

    def _singular(self, q: Array) -> NDArray[np.bool_]:
        rank = len([1 for i, j in self.functions.reduction.pivots.steps if j < self.system.layout.nv])
        if not rank:
            return np.zeros(len(q), dtype=bool)
        imposed = set(self.functions.reduction.imposed)
        columns = [j for j in range(self.system.layout.nv) if j not in imposed]
        traced = self._constraints
        rows = traced.evaluate([q], len(q))[0].reshape(len(q), *traced.outputs[0].shape)[:, :, columns]
        sizes = np.linalg.svd(rows, compute_uv=False)
        return np.asarray(sizes[:, rank - 1] <= SINGULAR * sizes[:, 0])

    @cached_property
    def _constraints(self) -> Traced:
        return self.functions.constraints()

    def _regular(self, r: ArrayLike | Mapping[str, float]) -> Array:
        """The coordinates of shapes, none of them singular."""
        q = self.coordinates(r)
        flat = q.reshape(-1, q.shape[-1])
        bad = np.flatnonzero(self._singular(flat))
        if bad.size:
            self.refuse_shape(flat[bad[0]])
        return q

    def refuse_shape(self, q: Array) -> None:
        """Say that the constraints do not determine the base at a pose."""
        shape = ", ".join(f"{name} = {q[place]:.4g}" for name, place in zip(self.shape_names, self._places, strict=True))
        raise NoConnectionError(
            f"{self.system.name}: the shape {shape} is singular: the constraints lose a rank there and do not determine the "
            "base; choose another shape"
        )

    # -- the connection -------------------------------------------------------------------------------

    def __call__(self, r: ArrayLike | Mapping[str, float]) -> Array:
        """A(r), or a stack of them for a batch of shapes; a singular shape is refused."""
        return self.kernel(self._regular(r))[0]

    def derivative(self, r: ArrayLike | Mapping[str, float]) -> Array:
        """dA/dr: entry [..., i, j, k] is the derivative of A[i, j] with respect to joint k."""
        q = self._regular(r)
        slope = self._slope(q)[0]
        shape = (len(self.base_names), len(self.shape_names), len(self.passive))
        by_coordinate = slope.reshape(*slope.shape[: slope.ndim - 2], *shape)
        return np.asarray(np.einsum("...ijq,...qk->...ijk", by_coordinate, self._coupled.tangent(q)))

    @cached_property
    def _structure(self) -> Array:
        """Structure constants of the base's group: [x, y]_i = sum of c_ijk x_j y_k."""
        n = len(self.base_names)
        group = GROUPS.get(type(self.system.joints[0]))
        if group is None:
            return np.zeros((n, n, n))
        return np.stack([np.asarray(group[0].ad(unit), dtype=float) for unit in np.eye(n)], axis=1)

    def bracket(self, x: Array, y: Array) -> Array:
        """Lie bracket of base velocities, or of stacks of them."""
        return np.asarray(np.einsum("ijk,...j,...k->...i", self._structure, x, y))

    def curvature(self, r: ArrayLike | Mapping[str, float]) -> Array:
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
    ) -> tuple[Array, Array]:
        """p_dot and the velocity of the base at a shape, for a momentum p and rates and accelerations of the active joints."""
        equation = self.momentum_equation
        given = [np.atleast_1d(np.asarray(x, dtype=float)) for x in (p, rate, acceleration)]
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
        """Pose of the base after a gait, as an element of its group (SE3, SE2, SO3), or a vector for a base that commutes.

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
        _check_times(duration, start, steps, tolerance)
        laws = self._laws(gait, start, start + duration)
        self._check_passive()
        values = self.system.parameters.values
        # A first survey: how far the joints move, and whether the constraints allow it.
        times = np.linspace(start, start + duration, SURVEY)
        r, rate = (np.stack([_at(law, times, values) for law in which], axis=1) for which in zip(*laws, strict=True))
        self._check_allowed(times, r, rate)
        moved = float(np.abs(np.diff(r, axis=0)).sum(axis=0).max(initial=0.0))
        first = max(LEAST_STEPS, math.ceil(moved / STRIDE)) if steps is None else int(steps)

        def velocity(t: Array) -> Array:
            r, rate = (np.stack([_at(law, t, values) for law in which], axis=1) for which in zip(*laws, strict=True))
            return np.asarray(-np.einsum("nij,nj->ni", self.kernel(self.coordinates(r))[0], rate))

        group = GROUPS.get(type(self.system.joints[0]), (None, 0))[0]
        return integrate(velocity, group, start, duration, first, tolerance if steps is None else None)

    def _laws(self, gait: Mapping[str, Any], start: float, end: float) -> list[tuple[Any, Any]]:
        """Positions and velocities of the active joints, each checked over the time."""
        if not isinstance(gait, Mapping):
            raise QuantityError(f'the gait is {gait!r}; give laws of t by joint, such as {{"leg_1": "0.3*sin(t)"}}'[:300])
        self._known(gait)
        found = []
        for name, value in zip(self.shape_names, self.nominal.tolist(), strict=True):
            motion = as_motion(name, gait.get(name, value))
            unknown = motion.position.names - set(self.system.parameters) - {"t"}
            if unknown:
                raise QuantityError(f"the motion '{motion.law}' of joint {name!r} depends on {sorted(unknown)[0]!r}; it may "
                                    "depend on t and parameters")  # fmt: skip
            check_motion(name, motion, self.system.parameters.values, start, end)
            found.append((motion.position, motion.velocity))
        return found

    def _check_passive(self) -> None:
        """A may not depend on passive joints that nothing but time carries along."""
        own = self.system.layout.q[self.system.joints[0].name]
        carried = set(self._coupled.following) | set(self._places) | set(range(own.start, own.stop))
        loose = [i for i in range(len(self.passive)) if i not in carried]
        if not loose:
            return
        moved = self.passive.copy()
        moved[loose] += np.random.default_rng(6).uniform(0.1, 0.3, len(loose))
        here, there = (self.kernel(q)[0] for q in (self.passive, moved))
        if not np.abs(here - there).max() <= INVARIANCE * max(1.0, float(np.abs(here).max())):
            names = [self.system.layout.coordinates[i].name for i in loose]
            raise NoConnectionError(
                f"{self.system.name}: A depends on passive joints ({', '.join(names[:4])}), which move along the gait in their "
                "own way; use simulate(system, duration, motions=gait)"
            )

    def _check_allowed(self, times: Array, r: Array, rate: Array) -> None:
        """Refuse a gait that meets a singular shape or that the constraints forbid."""
        if not self.system.contacts and not self.system.constraints:
            return
        q = self.coordinates(r)
        bad = np.flatnonzero(self._singular(q))
        if bad.size:
            self.refuse_shape(q[bad[0]])
        traced = self.functions.slips()
        slips = np.abs(codegen.compile(traced, target="interpreter")(q, rate)[0])
        limit = SLIP * max(1.0, float(np.abs(rate).max(initial=0.0)))
        if slips.max(initial=0.0) > limit:
            when, row = np.unravel_index(int(slips.argmax()), slips.shape)
            field = traced.outputs[0].fields[row]
            raise IncompatibleMotionError(
                f"{self.system.name}: the gait contradicts the constraints: at t = {times[when]:g} s it moves "
                f"{field.name.removesuffix('_slip')} by {slips[when, row]:.3g} {field.unit}".rstrip()
                + ", which must be zero; leave joints out of connection(joints=...), so that they follow, or make it agree"
            )


def _check_times(duration: float, start: float, steps: int | None, tolerance: float) -> None:
    for what, value in (("duration", duration), ("tolerance", tolerance)):
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0.0 < value < math.inf:
            raise StepperError(f"the {what} of a displacement is {value!r}; it must be positive and finite")
    if not isinstance(start, int | float | np.number) or not math.isfinite(start):
        raise StepperError(f"the start of a displacement is {start!r} s; it must be finite")
    if steps is not None and (isinstance(steps, bool) or not isinstance(steps, int | np.integer) or steps < 1):
        raise StepperError(f"steps is {steps!r}; give a whole number of at least 1, or leave it out")


def _at(expression: Any, times: Array, values: Mapping[str, float]) -> Array:
    return np.broadcast_to(np.asarray(expression.evaluate({**values, "t": times}), dtype=float), times.shape)


def connection(system: System, joints: Sequence[str] | None = None, *, kind: str | None = None) -> Connection:
    """The connection of a system; `joints` are the active ones, in the order of the columns of A.

    By default all joints are active that are imposed or have an input. `kind` demands one: "stokes" (or "viscous") for a
    system with both drags and inertia, "mechanical" to leave drags out, or any other, which must be the one there is.
    """
    functions = shape_functions(system, joints)
    found, reason = connection_kind(functions, kind)
    result = Connection(functions, found, reason, functions.system.nominal_pose())
    if result.singular(result.nominal):
        return result  # the nominal shape says nothing about other poses
    _check_invariance(result)
    return result


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
