"""Contacts on a surface z = h(x, y) that is given by a formula: spheres and points, as on a plane that bends.

The foot (x, y, h) of the centre m of a sphere is where m - foot is along the normal N = (-h_x, -h_y, 1):

    F = (x - m_x + (h - m_z) h_x,  y - m_y + (h - m_z) h_y) = 0,

solved by Newton's method from below m. With n = N/|N|, the gap is n . (m - foot) - r, and the contact point m - r n. The foot
moves with F' (x_dot, y_dot) = (m_x_dot + h_x m_z_dot, m_y_dot + h_y m_z_dot), and the normal with it (docs/theory.md (C9)).

High above a hollow, beyond the centres of its curvature, there are several feet, and Newton's method may find a far one or
none. There, what it finds counts only if it is a foot, no farther than the place below m, and on the same side; else the
tangent plane below m takes its place, which is above or below m as the surface is.
"""

from typing import Any

from locomotor.lie import ops
from locomotor.mechanics.constraints.contact_geometry import Touch
from locomotor.mechanics.constraints.round_grounds import core_of, on_round
from locomotor.mechanics.constraints.standpoint import Standpoint
from locomotor.model import Contact, Surface, evaluate
from locomotor.model.contacts import EVERY_DIRECTION
from locomotor.typing import Array, SymbolicValues

NEWTON_STEPS = 7
"""From below the centre: the first steps halve the error on steep ground, the others square it."""
CLOSE = 1e-3
"""What is left of F, relative to the height of the centre over the ground, where Newton's method has come to a foot."""
HIGH = 1.5
"""So many radii above the tangent plane below it a ball is high: it does not touch."""
TINY = 1e-30
"""Squared lengths (m²) below this are those of points that touch."""


class _Height:
    """h and its derivatives at a place."""

    def __init__(self, ground: Surface, x: Any, y: Any, values: SymbolicValues) -> None:
        names = {**values, "x": x, "y": y}
        law = ground.law
        first, second = law.derivative("x"), law.derivative("y")
        self.value = evaluate(law, names)
        self.x, self.y = evaluate(first, names), evaluate(second, names)
        self.xx, self.yy = evaluate(first.derivative("x"), names), evaluate(second.derivative("y"), names)
        self.xy = evaluate(first.derivative("y"), names)

    def slope(self, above: Any) -> tuple[Any, Any, Any]:
        """F' for a centre that is `above` the foot: its entries xx, xy, yy."""
        return (
            1.0 + self.x * self.x - above * self.xx,
            self.x * self.y - above * self.xy,
            1.0 + self.y * self.y - above * self.yy,
        )


def _solve(matrix: tuple[Any, Any, Any], right: tuple[Any, Any]) -> tuple[Any, Any]:
    """Solution of a system with a symmetric matrix of two rows."""
    (a, b, c), (p, q) = matrix, right
    inverse = 1.0 / (a * c - b * b)
    return inverse * (c * p - b * q), inverse * (a * q - b * p)


@on_round.register
def _(ground: Surface, contact: Contact, seen: Standpoint) -> tuple[Array, Touch, Any]:
    values, R = seen.kinematics.instant.values, seen.pose.rotation
    middle, margin = core_of(contact, values)
    m, m_dot = seen.pose.act(middle), R @ (seen.velocity + ops.cross(seen.omega, middle))
    x, y = m[0], m[1]
    for _ in range(NEWTON_STEPS):
        h = _Height(ground, x, y, values)
        above = m[2] - h.value
        dx, dy = _solve(h.slope(above), (x - m[0] - above * h.x, y - m[1] - above * h.y))
        x, y = x - dx, y - dy
    h = _Height(ground, x, y, values)
    roundness, below = _roundness(h, m[2] - h.value), _Height(ground, m[0], m[1], values)
    low = ops.less(m[2] - below.value, HIGH * margin * ops.sqrt(1.0 + below.x * below.x + below.y * below.y))
    found = ops.if_else(low, 1.0, ops.if_else(_is_foot(h, (x, y), m, m[2] - below.value), 1.0, 0.0))
    found = ops.less(0.5, found)
    x, y = ops.if_else(found, x, m[0]), ops.if_else(found, y, m[1])
    h = _Height(ground, x, y, values)
    above = m[2] - h.value
    x_dot, y_dot = _solve(h.slope(above), (m_dot[0] + h.x * m_dot[2], m_dot[1] + h.y * m_dot[2]))
    x_dot, y_dot = ops.if_else(found, x_dot, m_dot[0]), ops.if_else(found, y_dot, m_dot[1])
    steep = ops.vector(-h.x, -h.y, 1.0)
    steep_dot = ops.vector(-(h.xx * x_dot + h.xy * y_dot), -(h.xy * x_dot + h.yy * y_dot), 0.0)
    inverse = 1.0 / ops.norm(steep)
    up = inverse * steep
    normal, turning = R.T @ up, R.T @ (inverse * (steep_dot - ops.dot(up, steep_dot) * up))
    drift = ops.cross(seen.omega, middle) - margin * turning
    blocked = None if contact.BLOCKS == EVERY_DIRECTION else (("normal", normal, turning),)
    gap = ops.dot(up, ops.vector(m[0] - x, m[1] - y, above)) - margin
    touch = Touch(middle - margin * normal, drift, blocked, turning=turning, roundness=roundness)
    return normal, touch, gap


def _is_foot(h: _Height, place: tuple[Any, Any], m: Array, below: Any) -> Any:
    """Whether a place is a foot of m, no farther from it than what is `below` it, and on the same side of m."""
    above, x, y = m[2] - h.value, place[0] - m[0], place[1] - m[1]
    left, most = (x - above * h.x) ** 2 + (y - above * h.y) ** 2, below * below
    is_foot = ops.less(left, CLOSE**2 * most + TINY)
    is_near = ops.less(x * x + y * y + above * above, (1.0 + CLOSE) * most + TINY)
    return ops.logic_and(ops.logic_and(is_foot, is_near), ops.less(-TINY, above * below))


def _roundness(h: _Height, above: Any) -> Any:
    """The smaller eigenvalue of F' relative to the metric 1 + grad h grad h^T: 1 - r k, with k the largest curvature."""
    (a, b, c), (p, q, s) = h.slope(above), h.slope(0.0)
    inverse = 1.0 / (p * s - q * q)
    half = 0.5 * inverse * (s * a - 2.0 * q * b + p * c)
    return half - ops.sqrt(ops.fmax(half * half - inverse * (a * c - b * b), 0.0))
