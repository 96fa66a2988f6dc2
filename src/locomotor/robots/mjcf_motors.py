"""Actuators of MuJoCo as inputs: motors, servos whose gains act on position and velocity, and thrusters that push a site."""

from __future__ import annotations

from typing import Any

import numpy as np

from locomotor.robots.mjcf_switches import actuator_off
from locomotor.robots.mjcf_tendons import tendon_shares
from locomotor.robots.parts import Motor, Robot, Thruster
from locomotor.robots.rotations import from_quaternion
from locomotor.typing import Floats

JOINT, IN_PARENT, TENDON, SITE = 0, 1, 3, 4
FIXED, AFFINE = 0, 1
STILL = 0
"""Kinds of transmission, gain and bias, and activation that are read: joints and sites, straight lines, no state."""


def read_motors(m: Any, robot: Robot, joints: dict[int, str], bodies: dict[int, str], origins: dict[int, Floats]) -> None:
    """Every actuator of a joint of one degree of freedom, of a sum of them, and of a site; the others are told."""
    for a in range(m.nu if not hasattr(m, "nactuator") else m.nactuator):
        name = m.actuator(a).name or f"motor_{a}"
        why = _unread(m, a)
        if why:
            robot.notes.add("ignored", f"actuator: {why}", "no input is made for it", name)
            continue
        if m.actuator_trntype[a] == SITE:
            robot.thrusters.append(_thruster(m, a, name, bodies, origins))
            _tell(m, a, name, robot)
            continue
        at = int(m.actuator_trnid[a, 0])
        shares = tendon_shares(m, at, joints) if m.actuator_trntype[a] == TENDON else {joints[at]: 1.0}
        robot.motors.append(_motor(m, a, name, shares or {}))
        _tell(m, a, name, robot)
    for j, joint in joints.items():
        if m.jnt_actfrclimited[j]:
            _limit_all(robot, joint, float(m.jnt_actfrcrange[j, 0]), float(m.jnt_actfrcrange[j, 1]))


def _tell(m: Any, a: int, name: str, robot: Robot) -> None:
    if m.actuator_armature[a] or m.actuator_damping[a] or np.any(m.actuator_dampingpoly[a]):
        robot.notes.add("ignored", "armature and damping of an actuator", "those of its joint are read", name)
    if m.actuator_delay[a]:
        robot.notes.add("ignored", "the delay of an actuator", "inputs act at once", name)


def _limit_all(robot: Robot, joint: str, low: float, high: float) -> None:
    """The range (`actuatorfrcrange`) of what all actuators of a joint do to it together: of a single one it is its own."""
    acting = [motor for motor in robot.motors if motor.shares.get(joint)]
    if len(acting) > 1 or any(len(motor.shares) > 1 for motor in acting):
        text = "several actuators act on the joint, or one on several joints: each keeps its own range"
        robot.notes.add("ignored", "actuatorfrcrange", text, joint)
        return
    for motor in acting:
        least, most = sorted(limit / motor.shares[joint] for limit in (low, high))
        own = (least, most) if motor.effort is None else motor.effort
        motor.effort = (min(max(own[0], least), most), min(max(own[1], least), most))


def _unread(m: Any, a: int) -> str:
    """Why an actuator is not read; "" where it is."""
    off = actuator_off(m, a)
    if off:
        return off
    if m.actuator_trntype[a] not in (JOINT, IN_PARENT, TENDON, SITE):
        return "it acts on something else than a joint or a site"
    if m.actuator_trntype[a] == SITE:
        if why := _unpushed(m, a):
            return why
    elif m.actuator_trntype[a] == TENDON:
        if tendon_shares(m, int(m.actuator_trnid[a, 0]), dict.fromkeys(range(m.njnt), "")) is None:
            return "it pulls along a path"
    elif m.jnt_type[m.actuator_trnid[a, 0]] not in (2, 3):
        return "its joint has several degrees of freedom"
    if m.actuator_dyntype[a] != STILL:
        return "it has a state of its own (filter, integrator, muscle)"
    gains = (FIXED, AFFINE) if m.actuator_trntype[a] != SITE else (FIXED,)
    if m.actuator_gaintype[a] not in gains or m.actuator_biastype[a] not in (FIXED, AFFINE):
        return "its gain or bias is of a kind that is not known"
    return ""


def _unpushed(m: Any, a: int) -> str:
    """Why an actuator of a site is not read; "" where it is. Without a site that it refers to it has no length, but a speed."""
    site, other = map(int, m.actuator_trnid[a, :2])
    if m.body_weldid[m.site_bodyid[site]] == 0:
        return "it pushes what stands still"
    if other >= 0 and m.body_weldid[m.site_bodyid[other]] != 0:
        return "it acts between two bodies"
    follows = m.actuator_biasprm[a, 1:3] if other >= 0 else m.actuator_biasprm[a, 2:3]
    if m.actuator_biastype[a] == AFFINE and np.any(follows):
        return "its force follows the motion of its site"
    return ""


def _thruster(m: Any, a: int, name: str, bodies: dict[int, str], origins: dict[int, Floats]) -> Thruster:
    """The first three of its gears are a force, the others a torque, along the axes of its site, or of the one it refers to."""
    import mujoco

    site, other = map(int, m.actuator_trnid[a, :2])
    body = int(m.site_bodyid[site])
    R = from_quaternion(m.site_quat[site])
    if other >= 0:
        data = mujoco.MjData(m)
        mujoco.mj_kinematics(m, data)
        R = np.array(data.site_xmat[other]).reshape(3, 3)
    gear = np.array(m.actuator_gear[a], dtype=float)
    at = np.array(m.site_pos[site]) - origins[body]
    thruster = Thruster(name, bodies[body], at, R @ gear[:3], R @ gear[3:], other >= 0, float(m.actuator_gainprm[a, 0]))
    if m.actuator_biastype[a] == AFFINE:
        thruster.offset = float(m.actuator_biasprm[a, 0])
    if m.actuator_ctrllimited[a]:
        thruster.control = (float(m.actuator_ctrlrange[a, 0]), float(m.actuator_ctrlrange[a, 1]))
    if m.actuator_forcelimited[a]:
        thruster.effort = (float(m.actuator_forcerange[a, 0]), float(m.actuator_forcerange[a, 1]))
    return thruster


def _motor(m: Any, a: int, name: str, shares: dict[str, float]) -> Motor:
    """force = gain u + b0 + b1 (gear q) + b2 (gear q_dot), and gear times that on the joints."""
    gear, gain = float(m.actuator_gear[a, 0]), float(m.actuator_gainprm[a, 0])
    bias = np.array(m.actuator_biasprm[a], dtype=float) if m.actuator_biastype[a] == AFFINE else np.zeros(3)
    motor = Motor(
        name, shares, gear * gain, gear * float(bias[0]), -gear * gear * float(bias[1]), -gear * gear * float(bias[2])
    )
    if m.actuator_gaintype[a] == AFFINE:
        by_q, by_rate = (gear * gear * float(share) for share in m.actuator_gainprm[a, 1:3])
        motor.gain_by = (by_q, by_rate)
    if m.actuator_ctrllimited[a]:
        motor.control = (float(m.actuator_ctrlrange[a, 0]), float(m.actuator_ctrlrange[a, 1]))
    if m.actuator_forcelimited[a]:
        low, high = sorted(gear * float(limit) for limit in m.actuator_forcerange[a])
        motor.effort = (low, high)
    motor.about = "servo: what is given is a position or a speed" if np.any(bias) else "motor"
    return motor
