"""Forward kinematics: poses, twists and velocity-product accelerations of every body of the tree.

Everything is expressed in body axes. Accelerations are classical: the pair (a, W_dot) with a the inertial
acceleration of the body's origin, a = V_dot + W x V. With sigma = (s, w) the twist of the child relative to its
parent, in child axes, and g = (R, p) the pose of the child in the parent,

    W_j = R^T W_i + w,                      V_j = R^T (V_i + W_i x p) + s,
    W_dot_j = R^T W_dot_i + W_j x w + w_dot,
    a_j = R^T (a_i + W_dot_i x p + W_i x (W_i x p)) + (2 W_j - w) x s + s_dot,

which is the Newton-Euler recursion of Mauny 2018, (2.36)-(2.38), with zeta rewritten so that linear velocities
drop out of the dynamics.
"""

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import SE3, ops
from locomotor.mechanics.tree.flexibility import Flexibility, flexibility
from locomotor.mechanics.tree.fluid import fluid_inertia, fluid_sections
from locomotor.mechanics.tree.inertia import RigidInertia, SpatialForm
from locomotor.mechanics.tree.joints import motion, subspace, subspace_bias
from locomotor.mechanics.tree.wet import WetSection, bracket
from locomotor.model import Force, Frame, Joint, System, evaluate
from locomotor.typing import Array


@dataclass(frozen=True, eq=False)
class Instant:
    """One evaluation point: a system with numbers or symbols for everything that may vary."""

    system: System
    q: Array
    v: Array
    time: Any = 0.0
    inputs: Any = None
    parameters: Mapping[str, Any] | None = None
    still: frozenset[str] = frozenset()
    """Joints whose coordinate is taken as zero because nothing depends on it (see `symmetry`)."""

    @cached_property
    def values(self) -> Mapping[str, Any]:
        """Parameter values by name."""
        return self.system.parameters.values if self.parameters is None else self.parameters

    @cached_property
    def names(self) -> Mapping[str, Any]:
        """Every name a law may use: t, coordinates, velocities, inputs and parameters."""
        layout = self.system.layout
        named: dict[str, Any] = dict(self.values)
        named["t"] = self.time
        for i, symbol in enumerate(layout.coordinates):
            named[symbol.name] = self.q[i]
        for i, symbol in enumerate(layout.velocities):
            named[symbol.name] = self.v[i]
        for i, symbol in enumerate(layout.inputs):
            named[symbol.name] = 0.0 if self.inputs is None else self.inputs[i]
        return named


@dataclass(frozen=True, eq=False)
class Link:
    """One body as the recursions see it."""

    name: str
    parent: int
    pose: SE3
    """Pose of the body in its parent."""
    joint: tuple[slice, Array] | None
    """Slice of v and subspace (6 x k) of the joint that carries the body, in body axes."""
    carrier: tuple[slice, Array] | None
    """Slice of v and columns (6 x k) of the own velocities of a soft parent, which move the site of the joint."""
    sigma: Array
    sigma_bias: Array
    weigh: Callable[[], RigidInertia]
    """Gives the inertia of the body: half the work of a pass, of which poses and gaps have no need."""
    added: SpatialForm | None
    """Inertia of the surrounding fluid, or None."""
    own: slice
    """The body's own velocities in v (empty for a rigid body)."""
    own_q: slice
    soft: Flexibility | None
    rotor: Any = None
    """Inertia that turns with the joint alone, of its one velocity, or None."""
    wet: tuple[WetSection, ...] = ()
    """Sections of a soft body that move fluid with them."""

    @cached_property
    def inertia(self) -> RigidInertia:
        """Inertia of the body itself."""
        return self.weigh()

    @property
    def total(self) -> RigidInertia | SpatialForm:
        """Inertia of the body and of the fluid it moves."""
        total: RigidInertia | SpatialForm = self.inertia if self.added is None else self.added + self.inertia
        for section in self.wet:
            total = section.on_body + total
        return total

    def coupling(self, instant: Instant) -> Array:
        """6 x n: wrench on a soft body per unit acceleration of its own coordinates, that of the fluid included."""
        assert self.soft is not None
        total = self.soft.coupling(instant.q[self.own_q], instant.values)
        for section in self.wet:
            total = total + section.coupling
        return total

    def own_mass(self, instant: Instant) -> Array:
        """n x n mass matrix of the own coordinates of a soft body, that of the fluid included."""
        assert self.soft is not None
        total = self.soft.mass(instant.q[self.own_q], instant.values)
        for section in self.wet:
            total = total + section.own_mass
        return total

    @property
    def columns(self) -> tuple[tuple[slice, Array], ...]:
        """Everything that moves the body relative to its parent."""
        return tuple(pair for pair in (self.joint, self.carrier) if pair is not None)


@dataclass(frozen=True, eq=False)
class Kinematics:
    """Poses, twists and velocity products of all bodies at one instant."""

    instant: Instant
    links: tuple[Link, ...]
    omega: tuple[Array, ...]
    velocity: tuple[Array, ...]

    @cached_property
    def poses(self) -> tuple[SE3, ...]:
        """Pose of every body in the world, g_w_b."""
        return self._compose(keep_root=True)

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """For every body, the index of the root of its tree."""
        found: list[int] = []
        for i, link in enumerate(self.links):
            found.append(i if link.parent < 0 else found[link.parent])
        return tuple(found)

    @cached_property
    def poses_in_root(self) -> tuple[SE3, ...]:
        """Pose of every body in the root body of its tree (identity for the root itself)."""
        return self._compose(keep_root=False)

    def _compose(self, keep_root: bool) -> tuple[SE3, ...]:
        found: list[SE3] = []
        for link in self.links:
            if link.parent < 0:
                found.append(link.pose if keep_root else SE3.identity())
            else:
                found.append(found[link.parent] @ link.pose)
        return tuple(found)

    @cached_property
    def free_accelerations(self) -> list[tuple[Array, Array]]:
        """Classical accelerations at v_dot = 0: the velocity products."""
        return self.accelerations(None)

    def index(self, body: str) -> int:
        """Index of a body by name."""
        return next(i for i, link in enumerate(self.links) if link.name == body)

    def accelerations(self, v_dot: Array | None, gravity: Array | None = None) -> list[tuple[Array, Array]]:
        """Classical accelerations (a, W_dot) of all bodies for given v_dot (None: velocity products only).

        `gravity` (world axes) is subtracted from the acceleration of the world, which makes weight appear
        as inertia: the usual trick that saves one wrench a body.
        """
        found: list[tuple[Array, Array]] = []
        for link, omega in zip(self.links, self.omega, strict=True):
            s, w = link.sigma[0:3], link.sigma[3:6]
            change = link.sigma_bias
            if v_dot is not None:
                for part, matrix in link.columns:
                    change = change + matrix @ v_dot[part]
            R, p = link.pose.rotation, link.pose.translation
            a = ops.cross(2.0 * omega - w, s) + change[0:3]
            w_dot = ops.cross(omega, w) + change[3:6]
            if link.parent >= 0:
                a_i, w_dot_i = found[link.parent]
                omega_i = self.omega[link.parent]
                a = R.T @ (a_i + ops.cross(w_dot_i, p) + ops.cross(omega_i, ops.cross(omega_i, p))) + a
                w_dot = R.T @ w_dot_i + w_dot
            elif gravity is not None:
                a = a - R.T @ gravity
            found.append((a, w_dot))
        return found


def forward(instant: Instant) -> Kinematics:
    """Run the outward pass for one instant."""
    system, q, v = instant.system, instant.q, instant.v
    layout, values = system.layout, instant.values
    added = _added_masses(system, values)
    links: list[Link] = []
    omegas: list[Array] = []
    velocities: list[Array] = []
    for joint, parent in zip(system.joints, system.parents, strict=True):
        body = system.body(joint.child)
        q_j, u_j = q[layout.q[joint.name]], v[layout.v[joint.name]]
        if joint.name in instant.still:
            q_j = np.zeros(joint.nq)
        placement = joint.placement(values)
        moved = motion(joint, q_j, values)
        S = subspace(joint, q_j, values)
        carried_by: tuple[slice, Array] | None = None
        sigma = S @ u_j if joint.nv else np.zeros(6)
        bias = subspace_bias(joint, q_j, u_j, values)
        carrier = links[parent] if parent >= 0 else None
        if carrier is not None and carrier.soft is not None:
            e, e_dot = q[carrier.own_q], v[carrier.own]
            inverse = moved.inverse().Ad()
            phi = inverse @ carrier.soft.site_columns(placement, e, values)
            drift = inverse @ carrier.soft.site_bias(placement, e, e_dot, values)
            carried = phi @ e_dot
            # d/dt Ad(moved^-1) x = -[S u, Ad x]: the site's twist turns in the axes of the moving child.
            bias = bias + drift - bracket(sigma, carried)
            sigma = sigma + carried
            carried_by = (carrier.own, phi)
            placement = carrier.soft.site(placement, e, values)
        soft = flexibility(body)
        own, own_q = layout.v.get(body.name, slice(0, 0)), layout.q.get(body.name, slice(0, 0))
        link = Link(
            name=body.name,
            parent=parent,
            pose=placement @ moved,
            joint=(layout.v[joint.name], S) if joint.nv else None,
            carrier=carried_by,
            sigma=sigma,
            sigma_bias=bias,
            weigh=partial(_inertia, body, soft, q[own_q], values),
            added=added.get(body.name),
            own=own,
            own_q=own_q,
            soft=soft,
            rotor=_rotor(joint, values),
            wet=() if soft is None else _wet(instant, body.name, soft, q[own_q], v[own]),
        )
        links.append(link)
        omega, velocity = sigma[3:6], sigma[0:3]
        if parent >= 0:
            R, p = link.pose.rotation, link.pose.translation
            omega = R.T @ omegas[parent] + omega
            velocity = R.T @ (velocities[parent] + ops.cross(omegas[parent], p)) + velocity
        omegas.append(omega)
        velocities.append(velocity)
    return Kinematics(instant, tuple(links), tuple(omegas), tuple(velocities))


def _added_masses(system: System, values: Mapping[str, Any]) -> dict[str, SpatialForm]:
    found: dict[str, SpatialForm] = {}
    for force in system.forces:
        if force.ALONG_BODY and system.body(_body_of(force)).coordinates:
            continue  # its sections move apart: see `_wet`
        form = fluid_inertia(force, system, values)
        if form is not None:
            body = _body_of(force)
            found[body] = found[body] + form if body in found else form
    return found


def _body_of(force: Force) -> str:
    (body,) = (getattr(force, field) for field in force.BODIES)
    return str(body)


def _wet(instant: Instant, body: str, soft: Flexibility, e: Array, e_dot: Array) -> tuple[WetSection, ...]:
    return tuple(
        WetSection(force.name, form, placement, soft, e, e_dot, instant.values)
        for force in instant.system.forces
        if force.ALONG_BODY and _body_of(force) == body
        for placement, form in fluid_sections(force, instant.system, instant.values)
    )


def _rotor(joint: Joint, values: Mapping[str, Any]) -> Any:
    return None if joint.rotor_inertia == 0.0 else evaluate(joint.rotor_inertia, values)


def _inertia(body: Any, soft: Flexibility | None, e: Array, values: Mapping[str, Any]) -> RigidInertia:
    if soft is not None:
        return soft.inertia(e, values)
    if isinstance(body, Frame):
        return RigidInertia.zero()
    return RigidInertia.about_centre(*body.mass_properties(values))
