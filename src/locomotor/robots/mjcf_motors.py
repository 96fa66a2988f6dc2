"""Actuators of MuJoCo as inputs: motors, and servos whose gains act on position and velocity; and tendons that are sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from locomotor.robots.parts import Motor, Robot, Tendon

JOINT, IN_PARENT, TENDON = 0, 1, 3
FIXED, AFFINE = 0, 1
STILL, SUMMED = 0, 1
"""Kinds of transmission, gain and bias, activation and tendon that are read: joints, straight lines, no state, sums."""


def read_motors(m: Any, robot: Robot, joints: dict[int, str], bodies: dict[int, str]) -> None:
    """Every actuator that a joint of one degree of freedom has; the others are told."""
    for a in range(m.nu if not hasattr(m, "nactuator") else m.nactuator):
        name = m.actuator(a).name or f"motor_{a}"
        why = _unread(m, a)
        if why:
            robot.notes.add("ignored", f"actuator: {why}", "no input is made for it", name)
            continue
        at = int(m.actuator_trnid[a, 0])
        shares = tendon_shares(m, at, joints) if m.actuator_trntype[a] == TENDON else {joints[at]: 1.0}
        robot.motors.append(_motor(m, a, name, shares or {}))
        if m.actuator_armature[a] or m.actuator_damping[a]:
            robot.notes.add("ignored", "armature and damping of an actuator", "those of its joint are read", name)


def _unread(m: Any, a: int) -> str:
    """Why an actuator is not read; "" where it is."""
    if m.actuator_trntype[a] not in (JOINT, IN_PARENT, TENDON):
        return "it acts on something else than a joint"
    if m.actuator_trntype[a] == TENDON:
        if tendon_shares(m, int(m.actuator_trnid[a, 0]), dict.fromkeys(range(m.njnt), "")) is None:
            return "it pulls along a path"
    elif m.jnt_type[m.actuator_trnid[a, 0]] not in (2, 3):
        return "its joint has several degrees of freedom"
    if m.actuator_dyntype[a] != STILL:
        return "it has a state of its own (filter, integrator, muscle)"
    if m.actuator_gaintype[a] != FIXED or m.actuator_biastype[a] not in (FIXED, AFFINE):
        return "its gain or bias is of a kind that is not known"
    return ""


def read_tendons(m: Any, robot: Robot, joints: dict[int, str]) -> None:
    """Every tendon that is a sum of joints of one degree of freedom; those along paths are told."""
    for i in range(m.ntendon):
        name, shares = m.tendon(i).name or f"tendon_{i}", tendon_shares(m, i, joints)
        if shares is None:
            robot.notes.add("ignored", "<tendon>", "nothing pulls along paths yet", name)
            continue
        rest = tuple(map(float, m.tendon_lengthspring[i]))
        tendon = Tendon(name, shares, float(m.tendon_stiffness[i]), (rest[0], rest[1]), float(m.tendon_damping[i]))
        if m.tendon_limited[i]:
            tendon.limits = (float(m.tendon_range[i, 0]), float(m.tendon_range[i, 1]))
        robot.tendons.append(tendon)
        if m.tendon_frictionloss[i] or m.tendon_armature[i]:
            robot.notes.add("ignored", "dry friction and armature of a tendon", "those of joints are read", name)


def tendon_shares(m: Any, i: int, joints: dict[int, str]) -> dict[str, float] | None:
    """Joints of a tendon that is a sum of their coordinates, with coefficients; None of one along a path."""
    places = range(int(m.tendon_adr[i]), int(m.tendon_adr[i]) + int(m.tendon_num[i]))
    if any(m.wrap_type[k] != SUMMED or m.jnt_type[m.wrap_objid[k]] not in (2, 3) for k in places):
        return None
    found: dict[str, float] = {}
    for k in places:
        name = joints[int(m.wrap_objid[k])]
        found[name] = found.get(name, 0.0) + float(m.wrap_prm[k])
    return found


def _motor(m: Any, a: int, name: str, shares: dict[str, float]) -> Motor:
    """force = gain u + b0 + b1 (gear q) + b2 (gear q_dot), and gear times that on the joints."""
    gear, gain = float(m.actuator_gear[a, 0]), float(m.actuator_gainprm[a, 0])
    bias = np.array(m.actuator_biasprm[a], dtype=float) if m.actuator_biastype[a] == AFFINE else np.zeros(3)
    motor = Motor(
        name, shares, gear * gain, gear * float(bias[0]), -gear * gear * float(bias[1]), -gear * gear * float(bias[2])
    )
    if m.actuator_ctrllimited[a]:
        motor.control = (float(m.actuator_ctrlrange[a, 0]), float(m.actuator_ctrlrange[a, 1]))
    if m.actuator_forcelimited[a]:
        low, high = sorted(gear * float(limit) for limit in m.actuator_forcerange[a])
        motor.effort = (low, high)
    motor.about = "servo: what is given is a position or a speed" if np.any(bias) else "motor"
    return motor
