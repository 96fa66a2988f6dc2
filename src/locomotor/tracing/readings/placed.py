"""Where everything is, in the axes of the world, for the second derivation (`virtual_power`): velocities by differentiation."""

from functools import cached_property
from typing import Any

import casadi

from locomotor.dataclass import dataclass
from locomotor.model import System
from locomotor.tracing.readings.child_poses import pose, rates


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
    def poses(self) -> dict[str, tuple[Any, Any]]:
        """Rotation and origin of every body."""
        found: dict[str, tuple[Any, Any]] = {"world": (casadi.SX.eye(3), casadi.SX.zeros(3))}
        for joint in self.system.joints:
            placed = joint.placement(self.values)
            R, p = found[joint.parent]
            R, p = R @ casadi.SX(placed.rotation), p + R @ casadi.SX(placed.translation)
            own, moved = pose(joint, self.q[self.system.layout.q[joint.name]], self.values)
            found[joint.child] = (R @ own, p + R @ moved)
        return found

    @cached_property
    def q_dot(self) -> Any:
        """Rates of the coordinates."""
        layout = self.system.layout
        parts = [rates(j, self.q[layout.q[j.name]], self.v[layout.v[j.name]]) for j in self.system.joints if j.nq]
        return casadi.vertcat(*parts) if parts else casadi.SX(0, 1)

    def rate(self, expression: Any) -> Any:
        """Derivative in time at constant velocities."""
        return casadi.jtimes(casadi.SX(expression), self.q, self.q_dot)

    def point(self, body: str, at: Any) -> Any:
        """A point of a body."""
        R, p = self.poses[body]
        return p + R @ casadi.SX(at)

    def velocity(self, body: str, at: Any) -> Any:
        """Velocity of a point fixed to a body."""
        return self.rate(self.point(body, at)) if body != "world" else casadi.SX.zeros(3)

    def spin(self, body: str) -> Any:
        """Angular velocity: the vector of R_dot R^T."""
        R, _ = self.poses[body]
        W = casadi.reshape(self.rate(casadi.vec(R)), 3, 3) @ R.T
        return 0.5 * casadi.vertcat(W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1])
