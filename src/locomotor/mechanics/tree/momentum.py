"""Momentum of the whole system in world axes, about the world's origin."""

import numpy as np

from locomotor.lie import ops
from locomotor.mechanics.tree.kinematics import Kinematics
from locomotor.typing import Array


def spatial_momentum(kinematics: Kinematics) -> tuple[Array, Array]:
    """Linear momentum and angular momentum about the world's origin, the fluid's included.

    Both are constant when nothing acts from outside.
    """
    v = kinematics.instant.v
    linear: Array = np.zeros(3)
    angular: Array = np.zeros(3)
    for link, pose, omega, velocity in zip(
        kinematics.links, kinematics.poses, kinematics.omega, kinematics.velocity, strict=True
    ):
        wrench = link.total.apply(ops.concat(velocity, omega))
        if link.soft is not None:
            wrench = wrench + link.coupling(kinematics.instant) @ v[link.own]
        force = pose.rotation @ wrench[0:3]
        linear = linear + force
        angular = angular + pose.rotation @ wrench[3:6] + ops.cross(pose.translation, force)
    return linear, angular
