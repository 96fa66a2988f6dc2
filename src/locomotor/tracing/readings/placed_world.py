"""Where everything is, in the axes of the world, for the second derivation (`virtual_power`): velocities by differentiation."""

from functools import cached_property
from typing import Any

import casadi

from locomotor.dataclass import dataclass
from locomotor.model import System
from locomotor.tracing.readings.child_poses import pose, rates
from locomotor.tracing.readings.soft_points import site


@dataclass(frozen=True, eq=False)
class Placed:
    """A system at one instant: poses of its bodies in the world, and the rates of whatever is made of them."""

    system: System
    time: Any
    q: Any
    v: Any
    inputs: Any
    values: dict[str, Any]

    @cached_property
    def names(self) -> dict[str, Any]:
        """What laws may speak of."""
        layout = self.system.layout
        found = {**self.values, "t": self.time}
        found |= {s.name: self.q[i] for i, s in enumerate(layout.coordinates)}
        found |= {s.name: self.v[i] for i, s in enumerate(layout.velocities)}
        return found | {s.name: self.inputs[i] for i, s in enumerate(layout.inputs)}

    @cached_property
    def soft(self) -> dict[str, Any]:
        """Bodies with coordinates of their own."""
        return {body.name: body for body in self.system.bodies if body.coordinates}

    def own(self, body: str) -> Any:
        """Coordinates of a soft body."""
        return self.q[self.system.layout.q[body]]

    @cached_property
    def poses(self) -> dict[str, tuple[Any, Any]]:
        """Rotation and origin of every body."""
        found: dict[str, tuple[Any, Any]] = {"world": (casadi.SX.eye(3), casadi.SX.zeros(3))}
        for joint in self.system.joints:
            placed = joint.placement(self.values)
            R, p = found[joint.parent]
            turned, moved = casadi.SX.eye(3), casadi.SX(placed.translation)
            if joint.parent in self.soft:
                turned, moved = site(self.soft[joint.parent], placed.translation, self.own(joint.parent), self.values)
            R, p = R @ turned @ casadi.SX(placed.rotation), p + R @ moved
            own, moved = pose(joint, self.q[self.system.layout.q[joint.name]], self.values)
            found[joint.child] = (R @ own, p + R @ moved)
        return found

    @cached_property
    def q_dot(self) -> Any:
        """Rates of the coordinates."""
        layout = self.system.layout
        parts = [rates(j, self.q[layout.q[j.name]], self.v[layout.v[j.name]]) for j in self.system.joints if j.nq]
        parts += [self.v[layout.v[name]] for name in self.soft]
        return casadi.vertcat(*parts) if parts else casadi.SX(0, 1)

    def rate(self, expression: Any) -> Any:
        """Derivative in time at constant velocities."""
        return casadi.jtimes(casadi.SX(expression), self.q, self.q_dot)

    def carried(self, body: str, at: Any) -> tuple[Any, Any]:
        """Rotation and origin of a body; of a soft one those that the section at a point has, as if all of it were rigid."""
        R, p = self.poses[body]
        if body not in self.soft:
            return R, p
        turned, moved = site(self.soft[body], at, self.own(body), self.values)
        return R @ turned, p + R @ (moved - turned @ casadi.SX(at))

    def point(self, body: str, at: Any) -> Any:
        """A point of a body."""
        R, p = self.carried(body, at)
        return p + R @ casadi.SX(at)

    def velocity(self, body: str, at: Any) -> Any:
        """Velocity of a point fixed to a body."""
        return self.rate(self.point(body, at)) if body != "world" else casadi.SX.zeros(3)

    def spin(self, body: str) -> Any:
        """Angular velocity of a body."""
        return self.spin_of(self.poses[body][0])

    def spin_of(self, R: Any) -> Any:
        """Angular velocity of a rotation: the vector of R_dot R^T."""
        W = casadi.reshape(self.rate(casadi.vec(R)), 3, 3) @ R.T
        return 0.5 * casadi.vertcat(W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1])
