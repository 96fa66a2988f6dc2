"""Where a body is during a run: positions and rotations over time, seen from the world, a ground or another body."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locomotor import codegen
from locomotor.dataclass import dataclass
from locomotor.errors import RunFileError, UnknownNameError
from locomotor.model import Plane, System, evaluate
from locomotor.names import WORLD, suggestion
from locomotor.tracing.readings import body_poses
from locomotor.typing import Vector

if TYPE_CHECKING:
    from locomotor.simulation.records.run import Run


@dataclass(frozen=True, eq=False)
class Pose:
    """A frame over time: x_seen = rotation @ x_body + position."""

    position: Vector
    """Origin of the body's frame (samples, 3), in m."""
    rotation: Vector
    """Rotation matrices (samples, 3, 3): their columns are the body's axes."""

    @property
    def quaternion(self) -> Vector:
        """Unit quaternions (samples, 4), scalar part first, continuous in time."""
        R = self.rotation
        trace = np.trace(R, axis1=1, axis2=2)
        # 4 q q^T, of which the row with the largest diagonal is taken.
        w = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
        products = np.empty((len(R), 4, 4))
        products[:, 0, 0] = 1.0 + trace
        products[:, 0, 1:] = products[:, 1:, 0] = w
        products[:, 1:, 1:] = R + R.transpose(0, 2, 1) + (1.0 - trace)[:, None, None] * np.eye(3)
        largest = np.argmax(products[:, range(4), range(4)], axis=1)
        found = products[np.arange(len(R)), largest]
        found = found / np.linalg.norm(found, axis=1, keepdims=True)
        turns = np.sign(np.sum(found[1:] * found[:-1], axis=1))
        return np.asarray(found * np.concatenate([[1.0], np.cumprod(np.where(turns == 0.0, 1.0, turns))])[:, None])

    @property
    def yaw(self) -> Vector:
        """Yaw (rad): R = R_z(yaw) R_x(roll) R_y(pitch), continuous where samples are less than half a turn apart."""
        return np.unwrap(np.arctan2(-self.rotation[:, 0, 1], self.rotation[:, 1, 1]))

    @property
    def roll(self) -> Vector:
        """Roll (rad), positive to the right."""
        return np.arctan2(self.rotation[:, 2, 1], np.hypot(self.rotation[:, 2, 0], self.rotation[:, 2, 2]))

    @property
    def pitch(self) -> Vector:
        """Pitch (rad), positive nose down; continuous where samples are less than half a turn apart."""
        return np.unwrap(np.arctan2(-self.rotation[:, 2, 0], self.rotation[:, 2, 2]))


def pose_of(run: Run, body: str, seen_from: str = WORLD) -> Pose:
    """The pose of a body of a run in the frame of the world, of a plane of the system, or of another body."""
    system = run.system
    if system is None:
        raise RunFileError(f"the run {run.name!r} does not know its system, so that nothing is known of body {body!r}")
    own = _pose(run, system, system.index(system.body(body).name))
    if seen_from == WORLD:
        return own
    bodies, grounds = [each.name for each in system.bodies], [each.name for each in system.grounds if isinstance(each, Plane)]
    if seen_from in bodies:
        frame = _pose(run, system, system.index(seen_from))
    elif seen_from in grounds:
        frame = _plane(run, system, seen_from)
    else:
        known = [WORLD, *grounds, *bodies]
        raise UnknownNameError(f"seen_from: no plane or body is named {seen_from!r}: {suggestion(seen_from, known)}")
    turned = frame.rotation.transpose(0, 2, 1)
    return Pose(np.einsum("nij,nj->ni", turned, own.position - frame.position), turned @ own.rotation)


def _pose(run: Run, system: System, index: int) -> Pose:
    kernel = codegen.compile(body_poses(system), target="interpreter")
    coordinates = np.stack([run[symbol.name] for symbol in system.layout.coordinates], axis=1)
    rows = kernel(coordinates, np.zeros(0))[0][:, index]
    return Pose(rows[:, 9:], rows[:, :9].reshape(-1, 3, 3))


def _plane(run: Run, system: System, name: str) -> Pose:
    """The frame of a plane: z along its normal, x as near to the world's as the plane allows."""
    plane = system.ground(name)
    assert isinstance(plane, Plane)
    normal, point = (np.asarray(evaluate(value, run.parameters), dtype=float) for value in (plane.normal, plane.point))
    along = np.array([1.0, 0.0, 0.0]) if abs(normal[0]) < 0.999 else np.array([0.0, 0.0, -np.sign(normal[0])])
    x = along - (along @ normal) * normal
    x /= np.linalg.norm(x)
    R = np.stack([x, np.cross(normal, x), normal], axis=1)
    if plane.body == WORLD:
        return Pose(np.tile(point, (len(run), 1)), np.tile(R, (len(run), 1, 1)))
    carrier = _pose(run, system, system.index(plane.body))
    return Pose(carrier.position + carrier.rotation @ point, carrier.rotation @ R)
