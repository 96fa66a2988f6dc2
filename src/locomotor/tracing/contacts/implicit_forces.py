"""Forces within a step of the theta-method: what they change with the motion is part of the masses.

Coordinates and velocities at the share theta of a step are q + theta h v + theta² h dv and v + theta dv, with dv = v+ - v the
change that is looked for. Forces there, f = -H^T (h - tau), are linear in dv to the order of the method, so that (Jean 1999,
doi:10.1016/S0045-7825(98)00383-1)

    (M - theta h f_v - theta² h² f_q) dv = h f + C^T L.

The matrix is made symmetric, as the solution of contacts wants it: exact for springs and dampers, which can be stiff; what is
lost of gyroscopic forces is found again by the second pass of the step.

Dampers of joints, and what laws of joints resist their rates, are implicit in every step, by the mean of the velocities before
and after it: (M + h/2 D) dv = h f. Taken as they are known beforehand they would make velocities grow where h D outweighs twice
what they move, and that varies with the pose: a leg that is stretched out is light about its length. D is diagonal, so that the
masses keep their form.
"""

from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

import casadi

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.mechanics import ReducedMotion
from locomotor.mechanics.loads import drives_resist, resists
from locomotor.tracing.contacts.moves import coordinate_rates
from locomotor.tracing.contacts.switching import FlyingSystem
from locomotor.typing import Array

RUNS_AWAY = (
    "forces that grow with the motion (a spring or damper of negative stiffness) outweigh the masses within a step; take a "
    "smaller step"
)
LARGEST = 1e30
"""A slope of a force that is larger than this is none."""
LEAST_PIVOT = 1e-9
"""A pivot of the masses with their forces is lost below this share of the mass without them."""


@dataclass(frozen=True, eq=False)
class ImplicitForces:
    """Masses with what forces do in a step."""

    mass: Array
    """M - theta h f_v - theta² h² f_q, symmetric."""
    by_velocity: Array
    """f_v, symmetric."""
    margin: Any
    """Negative where the mass is not positive any more; None where it always is."""


def implicit_forces(
    flight: FlyingSystem,
    motion_at: Callable[[Array, Array], ReducedMotion],
    moved: Array,
    velocity: Array,
    reach: Any,
    values: Mapping[str, Any],
) -> ImplicitForces:
    """Slopes of the forces at the coordinates `moved` and this velocity; `reach` is theta h."""
    x, v = casadi.SX.sym("moved", flight.nq), casadi.SX.sym("velocity", ops.size(velocity))
    motion = motion_at(x, v)
    force = casadi.SX(-(motion.H_r.T @ motion.bias))
    along = casadi.SX(coordinate_rates(flight, motion.q, motion.H_r @ v, values))
    by_tangent = casadi.jacobian(force, x) @ casadi.SX(flight.coordinate_manifold.basis(x))
    slopes = [_symmetric(casadi.jacobian(force, v)), _symmetric(by_tangent @ casadi.jacobian(along, v))]
    by_velocity, by_place = casadi.substitute(slopes, [x, v], [casadi.SX(moved), casadi.SX(velocity)])
    plain = motion_at(moved, velocity).reduced_mass
    mass = plain - reach * by_velocity - (reach * reach) * by_place
    return ImplicitForces(mass, by_velocity, _least_pivot(mass, plain))


def joint_damping(motion: ReducedMotion) -> dict[int, Any]:
    """What forces on joints take per unit of each velocity of the system, by its place; what they give is left out."""
    instant, found = motion.kinematics.instant, dict[int, Any]()
    forces = (each for force in instant.system.forces for each in resists(force, instant))
    for place, coefficient in chain(forces, drives_resist(instant)):
        known = ops.constant(coefficient)
        if known is None:  # a law may have no slope somewhere
            taken = ops.logic_and(ops.less(0.0, coefficient), ops.less(coefficient, LARGEST))
            found[place] = found.get(place, 0.0) + ops.if_else(taken, coefficient, 0.0)
        elif known > 0.0:
            found[place] = found.get(place, 0.0) + known
    return found


def implicit_dampers(motion: ReducedMotion, reach: Any) -> ImplicitForces | None:
    """Masses with what dampers of joints do in half a step `reach`; None where there are none."""
    damping = joint_damping(motion)
    if not damping:
        return None
    free = range(len(motion.reduction.free))
    rows = [(d, [motion.H_r[place, i] for i in free]) for place, d in damping.items()]
    taken = ops.matrix([[sum(((row[i] * row[j]) * d for d, row in rows), 0.0) for j in free] for i in free])
    return ImplicitForces(motion.reduced_mass + reach * taken, -taken, None)


def _least_pivot(mass: Array, plain: Array) -> Any:
    """Least pivot of the elimination in `ops.solve_spd`, whose operations are merged with these, above what is lost."""
    rest, least = mass, None
    for k in reversed(range(int(mass.shape[0]))):
        margin = rest[k, k] - LEAST_PIVOT * plain[k, k]
        least = margin if least is None else ops.fmin(least, margin)
        above = rest[0:k, k : k + 1]
        rest = rest[0:k, 0:k] + ((-1.0 / rest[k, k]) * above) @ above.T
    return least


def _symmetric(matrix: casadi.SX) -> casadi.SX:
    return 0.5 * (matrix + matrix.T)
