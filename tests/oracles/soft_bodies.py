"""Two kinds of body with coordinates of their own, for the tests only.

- `SprungMass`: a mass that slides along a line of the body on a spring, every term written out by hand;
- `Nested`: a body that hides another one and the joint between them, so that its own coordinates also turn sites.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from locomotor.lie import SE3, ops
from locomotor.mechanics.tree.flexibility import Flexibility, flexibility
from locomotor.mechanics.tree.inertia import RigidInertia
from locomotor.mechanics.tree.joints import motion, subspace, subspace_bias
from locomotor.model import Body, Joint, Symbol
from locomotor.typing import SymbolicValues

Array = Any

STIFFNESS = 30.0
MOVING, RIGID = (0.1, 0.4, -0.2), (-0.3, 0.1, 0.2)
"""Where children are attached: sites at MOVING ride on the hidden part, the others stay on the rigid part."""


def rides(placement: SE3) -> bool:
    return bool(np.allclose(placement.translation, MOVING))


# -- a mass on a spring, by hand ------------------------------------------------------------------------


@dataclass(frozen=True)
class SprungMass(Body):
    """A body in which a second one, at MOVING when undeformed, slides by s along an axis on a spring."""

    slider: Body | None = None
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0)

    @property
    def coordinates(self) -> tuple[Symbol, ...]:
        return (Symbol(f"{self.name}_s", "m", "s", "stroke of the spring"),)


class Sliding(Flexibility):
    """Flexibility of `SprungMass`: the slider is at MOVING + s a, its own centre of mass c behind that."""

    def __init__(self, description: SprungMass) -> None:
        assert description.slider is not None
        self.main = RigidInertia.about_centre(*description.mass_properties({}))
        self.mass_of, self.com, self.inertia_of = description.slider.mass_properties({})
        self.axis = np.array(description.axis)

    def centre(self, e: Array) -> Array:
        return np.array(MOVING) + self.com + e[0] * self.axis

    def inertia(self, e: Array, values: SymbolicValues) -> RigidInertia:
        return self.main + RigidInertia.about_centre(self.mass_of, self.centre(e), self.inertia_of)

    def coupling(self, e: Array, values: SymbolicValues) -> Array:
        force = self.mass_of * self.axis
        return ops.columns(ops.concat(force, ops.cross(self.centre(e), force)))

    def mass(self, e: Array, values: SymbolicValues) -> Array:
        return np.array([[self.mass_of]])

    def bias(self, e: Array, e_dot: Array, omega: Array, values: SymbolicValues) -> tuple[Array, Array]:
        """Centrifugal force of the deformed body and Coriolis force 2 m W x (s_dot a) on the slider."""
        coriolis = (2.0 * self.mass_of * e_dot[0]) * ops.cross(omega, self.axis)
        wrench = self.inertia(e, values).velocity_wrench(omega)
        wrench = wrench + ops.concat(coriolis, ops.cross(self.centre(e), coriolis))
        centrifugal = self.mass_of * ops.cross(omega, ops.cross(omega, self.centre(e)))
        return wrench, ops.vector(ops.dot(self.axis, centrifugal) + STIFFNESS * e[0])

    def site(self, placement: SE3, e: Array, values: SymbolicValues) -> SE3:
        shift = e[0] * self.axis if rides(placement) else 0.0
        return SE3(placement.rotation, placement.translation + shift)

    def site_columns(self, placement: SE3, e: Array, values: SymbolicValues) -> Array:
        along = placement.rotation.T @ self.axis if rides(placement) else np.zeros(3)
        return ops.columns(ops.concat(along, np.zeros(3)))

    def site_bias(self, placement: SE3, e: Array, e_dot: Array, values: SymbolicValues) -> Array:
        return np.zeros(6)

    def elastic_energy(self, e: Array, values: SymbolicValues) -> Any:
        return 0.5 * STIFFNESS * e[0] * e[0]


@flexibility.register
def _(description: SprungMass) -> Flexibility:
    return Sliding(description)


# -- a hidden body behind any joint ------------------------------------------------------------------------


@dataclass(frozen=True)
class Nested(Body):
    """A body that hides another one behind a joint; the joint's coordinates are the body's own."""

    hidden: Body | None = None
    joint: Joint | None = None

    @property
    def coordinates(self) -> tuple[Symbol, ...]:
        assert self.joint is not None
        own = self.joint.symbols(root=False).coordinates
        return tuple(replace(symbol, name=f"{self.name}_{i}") for i, symbol in enumerate(own))


class Hiding(Flexibility):
    """Flexibility of `Nested`, from the kinematics of the hidden joint."""

    def __init__(self, description: Nested) -> None:
        assert description.hidden is not None
        self.joint: Any = description.joint
        self.main = RigidInertia.about_centre(*description.mass_properties({}))
        self.part = RigidInertia.about_centre(*description.hidden.mass_properties({}))
        # A joint spring of the rigid tree has one degree of freedom: a universal joint stays without.
        self.stiffness = STIFFNESS if self.joint.nv == 1 else 0.0

    def pose(self, e: Array) -> SE3:
        return self.joint.placement({}) @ motion(self.joint, e, {})

    def inertia(self, e: Array, values: SymbolicValues) -> RigidInertia:
        return self.main + self.part.moved_to_parent(self.pose(e))

    def coupling(self, e: Array, values: SymbolicValues) -> Array:
        S = subspace(self.joint, e, values)
        return ops.columns(*(self.pose(e).wrench_to_parent(self.part.apply(S[:, k])) for k in range(self.joint.nv)))

    def mass(self, e: Array, values: SymbolicValues) -> Array:
        S = subspace(self.joint, e, values)
        return S.T @ (self.part.matrix() @ S)

    def bias(self, e: Array, e_dot: Array, omega: Array, values: SymbolicValues) -> tuple[Array, Array]:
        g, S = self.pose(e), subspace(self.joint, e, values)
        sigma, change = S @ e_dot, subspace_bias(self.joint, e, e_dot, values)
        s, w = sigma[0:3], sigma[3:6]
        turning = g.rotation.T @ omega + w
        a = g.rotation.T @ ops.cross(omega, ops.cross(omega, g.translation))
        a = a + ops.cross(2.0 * turning - w, s) + change[0:3]
        rate = ops.concat(a, ops.cross(turning, w) + change[3:6])
        needed = self.part.apply(rate) + self.part.velocity_wrench(turning)
        return self.main.velocity_wrench(omega) + g.wrench_to_parent(needed), S.T @ needed + self.stiffness * e

    def site(self, placement: SE3, e: Array, values: SymbolicValues) -> SE3:
        return self.pose(e) @ self._behind(placement) if rides(placement) else placement

    def site_columns(self, placement: SE3, e: Array, values: SymbolicValues) -> Array:
        S = subspace(self.joint, e, values)
        if not rides(placement):
            return np.zeros((6, self.joint.nv))
        return ops.columns(*(self._behind(placement).twist_to_child(S[:, k]) for k in range(self.joint.nv)))

    def site_bias(self, placement: SE3, e: Array, e_dot: Array, values: SymbolicValues) -> Array:
        if not rides(placement):
            return np.zeros(6)
        return self._behind(placement).twist_to_child(subspace_bias(self.joint, e, e_dot, values))

    def elastic_energy(self, e: Array, values: SymbolicValues) -> Any:
        return 0.5 * self.stiffness * ops.dot(e, e)

    def _behind(self, placement: SE3) -> SE3:
        return self.joint.placement({}).inverse() @ placement


@flexibility.register
def _(description: Nested) -> Flexibility:
    return Hiding(description)
