"""Inverse dynamics by the recursive Newton-Euler algorithm: docs/theory.md (N2); Mauny 2018, (2.36).

forces = M(q) v_dot + h(q, v) - (what the applied wrenches contribute)
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from locomotor.lie import ops
from locomotor.mechanics.tree.kinematics import Kinematics
from locomotor.mechanics.tree.wet import fluid_wrench
from locomotor.typing import Array


def inverse_dynamics(
    kinematics: Kinematics,
    v_dot: Array | None = None,
    gravity: Array | None = None,
    wrenches: Mapping[int, Array] | None = None,
) -> Array:
    """Generalised forces that produce the accelerations `v_dot` (None: zero, which gives the bias h).

    `gravity` is the acceleration of free fall in world axes; `wrenches` act on bodies by index, about the body's
    origin in body axes, and are subtracted.
    """
    links = kinematics.links
    forces: list[Any] = [0.0] * kinematics.instant.system.layout.nv
    needed, own = body_wrenches(kinematics, v_dot, gravity, wrenches)
    for i in reversed(range(len(links))):
        link = links[i]
        for part, matrix in link.columns:
            _add(forces, part, matrix.T @ needed[i])
        if link.rotor is not None and link.joint is not None and v_dot is not None:
            place = link.joint[0].start
            forces[place] = forces[place] + link.rotor * v_dot[place]
        if link.soft is not None:
            _add(forces, link.own, own[i])
        if link.parent >= 0:
            needed[link.parent] = needed[link.parent] + link.pose.wrench_to_parent(needed[i])
    return ops.vector(*forces) if forces else np.zeros(0)


def body_wrenches(
    kinematics: Kinematics,
    v_dot: Array | None,
    gravity: Array | None,
    wrenches: Mapping[int, Array] | None,
) -> tuple[list[Array], list[Array]]:
    """Wrench that each body needs for its own motion, and the forces on its own coordinates."""
    q, v, values = kinematics.instant.q, kinematics.instant.v, kinematics.instant.values
    needed: list[Array] = []
    own_forces: list[Array] = []
    for i, (link, (a, w_dot)) in enumerate(zip(kinematics.links, kinematics.accelerations(v_dot, gravity), strict=True)):
        rate = ops.concat(a, w_dot)
        own = np.zeros(0)
        if link.soft is None:
            wrench = link.inertia.apply(rate) + link.inertia.velocity_wrench(kinematics.omega[i])
        else:
            e, e_dot = q[link.own_q], v[link.own]
            coupling = link.soft.coupling(e, values)
            wrench, own = link.soft.bias(e, e_dot, kinematics.omega[i], values)
            wrench = wrench + link.inertia.apply(rate)
            own = own + coupling.T @ rate
            if v_dot is not None:
                wrench = wrench + coupling @ v_dot[link.own]
                own = own + link.soft.mass(e, values) @ v_dot[link.own]
        if link.added is not None or link.wet:
            twist, change = _twist_and_rate(kinematics, i, rate, gravity)
            if link.added is not None:
                wrench = wrench + fluid_wrench(link.added, twist, change)
            for section in link.wet:
                pushed = section.wrench(twist, change, None if v_dot is None else v_dot[link.own])
                wrench, own = wrench + section.site.wrench_to_parent(pushed), own + section.columns.T @ pushed
        if wrenches is not None and i in wrenches:
            wrench = wrench - wrenches[i]
        needed.append(wrench)
        own_forces.append(own)
    return needed, own_forces


def _twist_and_rate(kinematics: Kinematics, i: int, rate: Array, gravity: Array | None) -> tuple[Array, Array]:
    """Twist of a body and the rate of its components, as a fluid meets them.

    Unlike the weight of a body, gravity does not act on a fluid; and it depends on the linear velocity, which classical
    accelerations hide: V_dot = a - W x V.
    """
    V, W = kinematics.velocity[i], kinematics.omega[i]
    a = rate[0:3] - ops.cross(W, V)
    if gravity is not None:
        a = a + kinematics.poses[i].rotation.T @ gravity
    return ops.concat(V, W), ops.concat(a, rate[3:6])


def _add(forces: list[Any], part: slice, values: Array) -> None:
    for k, index in enumerate(range(part.start, part.stop)):
        forces[index] = forces[index] + values[k]
