"""Normal force and elastic energy of a compliant contact.

N = K d^n max(0, 1 + a d_dot),     U = K d^(n+1)/(n + 1),     d = max(0, -gap)
"""

from typing import Any

from locomotor.lie import ops
from locomotor.mechanics.constraints import ContactRows, contacts_at
from locomotor.mechanics.tree import Kinematics
from locomotor.model import CompliantContact, evaluate


def _elastic(force: CompliantContact, kinematics: Kinematics) -> tuple[ContactRows, Any, Any]:
    """Geometry, depth and elastic part of the force."""
    (rows,) = contacts_at(kinematics, [force.shape])
    names = kinematics.instant.names
    depth = ops.fmax(-rows.gap, 0.0)
    return rows, depth, evaluate(force.stiffness, names) * ops.power(depth, evaluate(force.exponent, names))


def damping_factor(force: CompliantContact, names: Any) -> Any:
    """The factor a of the rate."""
    e, speed = evaluate(force.restitution, names), evaluate(force.speed, names)
    return 1.5 * (1.0 - e) / speed if force.damping == "hunt-crossley" else 0.75 * (1.0 - e * e) / speed


def normal_force(force: CompliantContact, kinematics: Kinematics) -> tuple[ContactRows, Any]:
    """Geometry of the contact, and the force along the normal of the ground."""
    rows, _, elastic = _elastic(force, kinematics)
    a = damping_factor(force, kinematics.instant.names)
    return rows, elastic * ops.fmax(1.0 - a * rows.gap_rate, 0.0)


def elastic_energy(force: CompliantContact, kinematics: Kinematics) -> Any:
    """Elastic energy that a compliant contact stores (J)."""
    _, depth, elastic = _elastic(force, kinematics)
    return elastic * depth / (evaluate(force.exponent, kinematics.instant.names) + 1.0)


def elastic_power(force: CompliantContact, kinematics: Kinematics) -> Any:
    """Rate of the elastic energy that a compliant contact stores (W)."""
    rows, _, elastic = _elastic(force, kinematics)
    return -elastic * rows.gap_rate
