"""Two bodies seen from the nearest body that carries both: nothing farther in enters the conditions between them.

In the axes of that body (of the world where there is none), outward along the joints, with (R, p) the pose of a link in its
parent, (s, w) its relative twist and W the angular velocity found so far,

    W_j = W_i + R w,     o_j = o_i + R_i p,     v_j = v_i + W_i x (o_j - o_i) + R s,

and the same again for the accelerations at v_dot = 0: relative velocities enter with Coriolis' terms.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.lie import SE3, ops
from locomotor.mechanics.loops.jet import Flow, Jet
from locomotor.mechanics.tree import Kinematics
from locomotor.typing import Array


@dataclass(frozen=True, eq=False)
class Relative:
    """One body seen from a body farther in: pose, twist, what moves it, and its accelerations at v_dot = 0."""

    pose: SE3 = field(default_factory=SE3.identity)
    omega: Array = field(default_factory=lambda: np.zeros(3))
    velocity: Array = field(default_factory=lambda: np.zeros(3))
    turning: Array = field(default_factory=lambda: np.zeros(3))
    """Angular acceleration at v_dot = 0."""
    acceleration: Array = field(default_factory=lambda: np.zeros(3))
    """That of the origin."""
    columns: Mapping[int, tuple[Array, Array, Array]] = field(default_factory=dict)
    """For each velocity that moves the body: angular velocity, and velocity of a point of the body with its place."""

    @classmethod
    def along(cls, kinematics: Kinematics, body: int, carrier: int) -> "Relative":
        """The motion of a body relative to one that carries it (-1 for the world)."""
        chain = []
        while body != carrier:
            chain.append(body)
            body = kinematics.links[body].parent
        found = cls()
        for i in reversed(chain):
            found = found._moved(kinematics.links[i])
        return found

    def _moved(self, link: Any) -> "Relative":
        pose = self.pose @ link.pose
        R, arm = pose.rotation, pose.translation - self.pose.translation
        s, w = R @ link.sigma[0:3], R @ link.sigma[3:6]
        s_dot, w_dot = R @ link.sigma_bias[0:3], R @ link.sigma_bias[3:6]
        omega = self.omega + w
        columns = dict(self.columns)
        for part, matrix in link.columns:
            for k, j in enumerate(range(part.start, part.stop)):
                angular, linear = R @ matrix[3:6, k], R @ matrix[0:3, k]
                columns[j] = angular, linear, pose.translation
        centripetal = ops.cross(self.omega, ops.cross(self.omega, arm))
        return Relative(
            pose,
            omega,
            self.velocity + ops.cross(self.omega, arm) + s,
            self.turning + ops.cross(omega, w) + w_dot,
            self.acceleration + ops.cross(self.turning, arm) + centripetal + ops.cross(2.0 * omega - w, s) + s_dot,
            columns,
        )

    def point(self, at: Array) -> Jet:
        """A point fixed in the body."""
        arm = self.pose.rotation @ at
        place = self.pose.translation + arm
        row = {j: linear + ops.cross(angular, place - origin) for j, (angular, linear, origin) in self.columns.items()}
        rate = self.velocity + ops.cross(self.omega, arm)
        bias = self.acceleration + ops.cross(self.turning, arm) + ops.cross(self.omega, ops.cross(self.omega, arm))
        return Jet(place, Flow(row, np.zeros(3), rate, bias))

    def direction(self, axis: Array) -> Jet:
        """A direction fixed in the body."""
        d = self.pose.rotation @ axis
        rate = ops.cross(self.omega, d)
        bias = ops.cross(self.turning, d) + ops.cross(self.omega, rate)
        return Jet(d, Flow({j: ops.cross(angular, d) for j, (angular, *_) in self.columns.items()}, np.zeros(3), rate, bias))

    @cached_property
    def spin(self) -> Flow:
        """Angular velocity."""
        return Flow({j: angular for j, (angular, *_) in self.columns.items()}, np.zeros(3), self.omega, self.turning)

    def material(self, place: Jet) -> Flow:
        """Velocity of the point of the body that is at a place, which itself may wander in the body."""
        origin = self.point(np.zeros(3))
        return origin.flow + self.spin.cross(place - origin)


@dataclass(frozen=True, eq=False)
class Pair:
    """Two bodies of a closure, seen from the nearest body that carries both."""

    a: Relative
    b: Relative
    values: Mapping[str, Any]
    """Parameters, and the time t."""
    numbers: Mapping[str, float]
    """Parameters as the system declares them, for choices."""
    carrier: int
    """The body whose axes are used, -1 for the world."""
    third: Relative | None = None
    """A third body, where the closure names one."""

    @classmethod
    def of(cls, kinematics: Kinematics, names: Sequence[str]) -> "Pair":
        """Two bodies by name, and perhaps a third; the world is one too."""
        instant = kinematics.instant
        places = [instant.system.index(name) for name in names]
        carrier = places[0]
        for place in places[1:]:
            carrier = common_carrier(kinematics, carrier, place)
        a, b, *others = (Relative.along(kinematics, place, carrier) for place in places)
        values = {**instant.values, "t": instant.time}
        return cls(a, b, values, instant.system.parameters.values, carrier, others[0] if others else None)


def common_carrier(kinematics: Kinematics, i: int, j: int) -> int:
    """The body farthest out that carries both, each counting as carried by itself; -1 for the world."""
    while i != j:
        if i > j:
            i = kinematics.links[i].parent
        else:
            j = kinematics.links[j].parent
    return i


def free_body(pose: SE3, twist: Array, first: int) -> Relative:
    """A body that moves freely with its twist (V, Omega) in its own axes, which are the columns from `first` on."""
    R = pose.rotation
    V, omega = twist[0:3], twist[3:6]
    still = np.zeros(3)
    units = [R @ axis for axis in np.eye(3)]
    columns = {first + k: (still, units[k], pose.translation) for k in range(3)}
    columns |= {first + 3 + k: (units[k], still, pose.translation) for k in range(3)}
    return Relative(pose, R @ omega, R @ V, still, R @ ops.cross(omega, V), columns)
