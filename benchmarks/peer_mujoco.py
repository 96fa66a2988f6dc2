"""MuJoCo as a peer: the same system as MJCF, wheels as thin ellipsoids on a plane, stepped in its own C loops."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from peer_pinocchio import UnavailableError

from locomotor.model import Free, Joint, Revolute, RollingDisc, System, evaluate

Floats = NDArray[np.float64]

HALF_WIDTH = 1e-3
"""Of the ellipsoids, in m. Cylinders of the same width touch the plane in two points each and are slower."""


def engine() -> Any:
    """The module `mujoco`."""
    try:
        import mujoco
    except ImportError as error:
        raise UnavailableError("mujoco is not installed") from error
    return mujoco


def mjcf(system: System, step: float) -> str:
    """The system in MuJoCo's format; everything not named here has MuJoCo's default value."""
    roots = "".join(_body(system, joint) for joint in system.joints if joint.parent == "world")
    return (
        f'<mujoco><option timestep="{step!r}"/>'
        f'<worldbody><geom type="plane" size="0 0 1" contype="0"/>{roots}</worldbody></mujoco>'
    )


def _body(system: System, joint: Joint) -> str:
    values = system.parameters.values
    place = joint.placement(values)
    mass, com, inertia = (np.asarray(x, dtype=float) for x in system.body(joint.child).mass_properties(values))
    quaternion = np.zeros(4)
    engine().mju_mat2Quat(quaternion, np.asarray(place.rotation, dtype=float).ravel())
    moments = [inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    parts = [
        f'<body pos="{_text(place.translation)}" quat="{_text(quaternion)}">',
        f'<inertial pos="{_text(com)}" mass="{_text(mass)}" fullinertia="{_text(moments)}"/>',
        _joint(joint, values),
    ]
    for contact in system.contacts:
        if contact.body == joint.child:
            parts.append(_wheel(contact, values))
    parts += [_body(system, child) for child in system.joints if child.parent == joint.child]
    return "".join(parts) + "</body>"


def _joint(joint: Joint, values: Any) -> str:
    if isinstance(joint, Free):
        return "<freejoint/>"
    if isinstance(joint, Revolute):
        return f'<joint axis="{_text(evaluate(joint.axis, values))}"/>'
    raise TypeError(f"joint {joint.name!r}: only Free and Revolute are translated, not {type(joint).__name__}")


def _wheel(contact: Any, values: Any) -> str:
    if not isinstance(contact, RollingDisc):
        raise TypeError(f"contact {contact.name!r}: only RollingDisc is translated, not {type(contact).__name__}")
    radius = float(evaluate(contact.radius, values))
    centre, axis = (_text(evaluate(x, values)) for x in (contact.centre, contact.axis))
    size = f"{radius!r} {radius!r} {HALF_WIDTH!r}"
    # Wheels touch the plane only: to look for contacts between them would slow MJX, which has no broad phase for them.
    return f'<geom type="ellipsoid" size="{size}" pos="{centre}" zaxis="{axis}" conaffinity="0"/>'


def _text(numbers: Any) -> str:
    return " ".join(repr(float(x)) for x in np.ravel(np.asarray(numbers, dtype=float)))


class Vehicle:
    """A system in MuJoCo at a state of ours: coordinates in the same order, base velocity turned to world axes."""

    def __init__(self, system: System, step: float, q: Floats, v: Floats) -> None:
        self._mujoco = engine()
        self.model = self._mujoco.MjModel.from_xml_string(mjcf(system, step))
        self.data = self._mujoco.MjData(self.model)
        self._start = q, v
        self.reset()

    def reset(self) -> None:
        """Back to the start."""
        q, v = self._start
        turn = np.zeros(9)
        self._mujoco.mju_quat2Mat(turn, q[3:7])
        self._mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:] = q
        self.data.qvel[:] = np.concatenate([turn.reshape(3, 3) @ v[:3], v[3:]])

    def run(self, steps: int) -> Floats:
        """So many steps from the start, in one call; the coordinates at the end."""
        self.reset()
        self._mujoco.mj_step(self.model, self.data, steps)
        return np.array(self.data.qpos)

    def rollout(self, batch: int, steps: int, threads: int = 1) -> Floats:
        """So many runs by the module `mujoco.rollout`, every state recorded; the coordinates of the first at the end."""
        from mujoco import rollout

        self.reset()
        kind = self._mujoco.mjtState.mjSTATE_FULLPHYSICS
        state = np.zeros(self._mujoco.mj_stateSize(self.model, kind))
        self._mujoco.mj_getState(self.model, self.data, state, kind)
        data = [self._mujoco.MjData(self.model) for _ in range(threads)]
        with rollout.Rollout(nthread=threads) as pool:
            states, _ = pool.rollout(self.model, data, np.tile(state, (batch, 1)), nstep=steps)
        return np.array(states[0, -1, 1 : 1 + self.model.nq])  # time comes first


class Crate(Vehicle):
    """A box on a plane in MuJoCo: gravity is tilted by the slope, as in `catalogue.tumbling_box`."""

    def __init__(self, friction: float, slope: float, step: float, speed: float = 0.0) -> None:
        self._mujoco = engine()
        gravity = _text((9.81 * np.sin(slope), 0.0, -9.81 * np.cos(slope)))
        self.model = self._mujoco.MjModel.from_xml_string(
            f'<mujoco><option timestep="{step!r}" gravity="{gravity}"/><worldbody>'
            f'<geom type="plane" size="0 0 1" friction="{friction!r} 0 0"/><body pos="0 0 0.1"><freejoint/>'
            f'<geom type="box" size="0.2 0.15 0.1" mass="1" friction="{friction!r} 0 0"/></body></worldbody></mujoco>'
        )
        self.data = self._mujoco.MjData(self.model)
        self._start = np.array([0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0]), np.array([speed, 0.0, 0.0, 0.0, 0.0, 0.0])
        self.reset()
