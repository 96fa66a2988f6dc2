"""Newton and Euler: from the base outward velocities and accelerations, from the tips inward the wrenches of the joints.

The effort of a joint is its wrench along its velocity. Without accelerations that is the bias, with a unit one a column of the
mass matrix (Llibre 2009, 3.2, misprints corrected: the force of inertia stands once, with the external one beside it).
"""

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.symbolic.formalisms.seen import Seen
from locomotor.typing import Floats, Vector


@dataclass(frozen=True, eq=False)
class Wrench:
    """What a parent does to a child through their joint: force, and moment about the origin of the child, in world axes."""

    force: Vector
    moment: Vector


def wrenches(seen: Seen, v_dot: Vector, gravity: Vector, moving: bool = True) -> list[Wrench]:
    """The wrench of every joint for given accelerations; `moving=False` leaves out what velocities need."""
    links, on = seen.links, 1.0 if moving else 0.0
    rates: list[tuple[Vector, Vector]] = []
    needed: list[Wrench] = []
    for i, link in enumerate(links):
        if link.parent >= 0:
            above = links[link.parent]
            W, (V_dot, W_dot) = above.spin, rates[link.parent]
            arm, relative = link.origin - above.origin, link.velocity - above.velocity
            V_dot = V_dot + np.cross(W_dot, arm) + on * np.cross(W, relative)
        else:
            V_dot, W_dot = np.zeros(3), np.zeros(3)
        for column in link.columns:
            turning, rate = seen.turning(column, i), seen.v[column.place]
            V_dot = V_dot + v_dot[column.place] * column.along + on * rate * np.cross(turning, column.along)
            W_dot = W_dot + v_dot[column.place] * column.about + on * rate * np.cross(turning, column.about)
        rates.append((V_dot, W_dot))
        arm = link.centre - link.origin
        gamma = V_dot + np.cross(W_dot, arm) + on * np.cross(link.spin, np.cross(link.spin, arm))
        push = link.mass * (gamma - gravity)
        turn = link.inertia @ W_dot + on * np.cross(link.spin, link.inertia @ link.spin)
        needed.append(Wrench(push, turn + np.cross(arm, push)))
    for i in reversed(range(len(links))):
        parent = links[i].parent
        if parent >= 0:
            arm, carried = links[i].origin - links[parent].origin, needed[i]
            needed[parent] = Wrench(
                needed[parent].force + carried.force,
                needed[parent].moment + carried.moment + np.cross(arm, carried.force),
            )
    return needed


def efforts(seen: Seen, v_dot: Vector, gravity: Vector, moving: bool = True) -> Vector:
    """Efforts of all velocities."""
    found = np.zeros(len(seen.v))
    for link, wrench in zip(seen.links, wrenches(seen, v_dot, gravity, moving), strict=True):
        for column in link.columns:
            found[column.place] = column.along @ wrench.force + column.about @ wrench.moment
            found[column.place] += link.rotor * v_dot[column.place]
    return found


def newton_euler(seen: Seen) -> tuple[Floats, Vector]:
    """Mass matrix by unit accelerations, and minus the efforts without any."""
    n = len(seen.v)
    columns = [efforts(seen, unit, np.zeros(3), moving=False) for unit in np.eye(n)]
    return np.array(columns).T.reshape(n, n), -efforts(seen, np.zeros(n), seen.gravity)
