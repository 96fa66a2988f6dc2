"""The door through which a body with coordinates of its own enters the tree recursions.

A rigid body has none and needs nothing here. A soft body registers a `Flexibility` for its type; the recursions
then see its deformation as further velocities: they move the sites where children are attached, and couple
with the body's rigid motion. All wrenches and accelerations are classical (inertial acceleration of the
origin, in body axes), as everywhere in `mechanics`.
"""

from functools import singledispatch
from typing import Any, Protocol

from locomotor.lie import SE3
from locomotor.mechanics.tree.inertia import RigidInertia
from locomotor.typing import Array, SymbolicValues


class Flexibility(Protocol):
    """Mechanics of one body's own coordinates `e`, with rates `e_dot`; subclass it, for what has a default."""

    def inertia(self, e: Array, values: SymbolicValues) -> RigidInertia:
        """Inertia of the deformed body about its frame's origin."""
        ...

    def coupling(self, e: Array, values: SymbolicValues) -> Array:
        """6 x n: wrench on the frame per unit acceleration of the own coordinates."""
        ...

    def mass(self, e: Array, values: SymbolicValues) -> Array:
        """n x n mass matrix of the own coordinates."""
        ...

    def bias(self, e: Array, e_dot: Array, omega: Array, values: SymbolicValues) -> tuple[Array, Array]:
        """Inertial wrench (6) and own forces (n) at zero accelerations, elastic forces included in the latter."""
        ...

    def site(self, placement: SE3, e: Array, values: SymbolicValues) -> SE3:
        """Pose, in the body frame, of the site whose undeformed pose is `placement`."""
        ...

    def site_columns(self, placement: SE3, e: Array, values: SymbolicValues) -> Array:
        """6 x n: twist of the site relative to the body frame per unit own rate, in site axes."""
        ...

    def site_bias(self, placement: SE3, e: Array, e_dot: Array, values: SymbolicValues) -> Array:
        """Derivative of that twist at constant own rates (6)."""
        ...

    def elastic_energy(self, e: Array, values: SymbolicValues) -> Any:
        """Stored elastic energy."""
        ...

    def damping(self, e: Array, e_dot: Array, values: SymbolicValues) -> Array | None:
        """Own forces (n) that take energy away; None where there are none."""
        return None


@singledispatch
def flexibility(body: Any) -> Flexibility | None:
    """The body's own mechanics, or None for a rigid body."""
    return None
