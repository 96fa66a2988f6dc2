"""Imported robots on our contacts with friction: held by springs in their joints they stand, slide on a slope, and fall.

One batch a robot: level ground; a slope that friction does not hold, where the acceleration has a closed form,
g (sin a - mu cos a); a slope that it does hold; and joints too weak to carry the weight.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import locomotor as lm
from locomotor.mechanics.tree.kinematics import Instant, forward
from locomotor.robots import import_robot
from oracles.robots import example_robot, package_file

G, SLOPE, LITTLE, MUCH, GENTLE = 9.81, 0.1, 0.02, 0.8, 0.03


def held(system: lm.System, pose: dict[str, float], stiffness: float, damping: float, height: float) -> lm.System:
    """Springs and dampers that hold the joints in a pose; gravity tilts in place of the ground."""
    hinges = [joint.name for joint in system.joints if isinstance(joint, lm.Revolute)]
    forces: list[object] = [force for force in system.forces if not isinstance(force, lm.Gravity)]
    forces.append(lm.Gravity((f"{G}*sin(tilt)", 0, f"-{G}*cos(tilt)")))
    for name in hinges:
        spring = lm.JointSpring(f"{name}_hold", name, f"hold*{stiffness}", pose.get(name, 0.0))
        forces += [spring, lm.JointDamper(f"{name}_brake", name, damping)]
    return system.replace(
        forces=forces,
        nominal={**pose, "z": height},
        contacts=[replace(contact, law=lm.Unilateral(friction="mu")) for contact in system.contacts],
        parameters={"mu": MUCH, "tilt": 0.0, "hold": 1.0},
    )


def a1() -> lm.System:
    path: Path = example_robot("a1_description/urdf/a1.urdf")
    feet = [f"{leg}_foot" for leg in ("FR", "FL", "RR", "RL")]
    found = import_robot(path, base="free", merge=True, contacts=feet, meshes=False)
    pose = {f"{leg[:2]}_{part}_joint": angle for leg in feet for part, angle in (("thigh", 0.8), ("calf", -1.6))}
    return held(found.system, pose, 100.0, 2.0, 0.36)


def ant() -> lm.System:
    pytest.importorskip("mujoco")
    path = package_file("gymnasium", "envs/mujoco/assets/ant.xml")
    found = import_robot(path, contacts=["body_4", "body_7", "body_10", "body_13"])
    # Its armature of 1 kg m² in every joint would take seconds to fall.
    joints = [replace(joint, rotor=0.02) if isinstance(joint, lm.Revolute) else joint for joint in found.system.joints]
    forces = [force for force in found.system.forces if not isinstance(force, lm.JointDamper)]
    pose = {f"ankle_{k}": 1.0 if k in (1, 4) else -1.0 for k in (1, 2, 3, 4)}
    return held(found.system.replace(joints=joints, forces=forces), pose, 20.0, 0.5, 0.6)


def g1() -> lm.System:
    """A humanoid, its arms and waist fixed; its motors have rotors, which the file does not tell."""
    path = example_robot("g1_description/urdf/g1_29dof_rev_1_0.urdf")
    whole = import_robot(path, base="free", meshes=False).system
    legs = ("hip_pitch", "hip_roll", "hip_yaw", "knee", "ankle_pitch", "ankle_roll")
    others = [j.name for j in whole.joints if isinstance(j, lm.Revolute) and not any(part in j.name for part in legs)]
    feet = ["left_ankle_roll_link", "right_ankle_roll_link"]
    system = import_robot(path, base="free", merge=True, contacts=feet, meshes=False, fixed=others).system
    joints = [replace(joint, rotor=0.02) if isinstance(joint, lm.Revolute) else joint for joint in system.joints]
    bent = (("hip_pitch", -0.2), ("knee", 0.4), ("ankle_pitch", -0.2))
    pose = {f"{side}_{part}_joint": angle for side in ("left", "right") for part, angle in bent}
    return held(system.replace(joints=joints), pose, 400.0, 8.0, 0.78)


@pytest.mark.slow
@pytest.mark.parametrize("robot", [a1, ant, g1], ids=lambda make: make.__name__)
def test_it_stands_slides_and_falls(robot) -> None:  # type: ignore[no-untyped-def]
    system = robot()
    compiled = lm.compile(system, contacts="time-stepping", free=("mu", "tilt", "hold"))
    cases = np.array([[MUCH, 0.0, 1.0], [LITTLE, SLOPE, 1.0], [MUCH, GENTLE, 1.0], [LITTLE, 0.0, 0.02]])
    batch = compiled.rollout(np.tile(compiled.start(), (4, 1)), 1200, 0.001, parameters=cases, save_every=100)
    x, z, speed = (np.asarray(batch[name]) for name in ("x", "z", "speed"))
    assert (np.asarray(batch.status) == 0).all()
    first = z[0, 0]
    assert np.ptp(z[0, -4:]) < 0.01 * first and z[0, -1] > 0.75 * first, "stands"
    assert np.ptp(x[2, -4:]) < 0.02, "stands on a slope that friction holds"
    wanted = G * (np.sin(SLOPE) - LITTLE * np.cos(SLOPE))
    assert (speed[1, -1] - speed[1, -6]) / 0.5 == pytest.approx(wanted, rel=0.05), "slides as a block does"
    assert z[3].min() < 0.75 * first, "falls"
    gaps = heights(system, {s.name: float(np.asarray(batch[s.name])[0, -1]) for s in system.layout.coordinates})
    assert min(gaps) > -1e-3, "nothing sinks into the ground"
    assert sorted(gaps)[2] < 1e-3, "on three points at least"


def heights(system: lm.System, q: dict[str, float]) -> list[float]:
    """How high the balls of the contacts are above the ground."""
    pose = np.array([q[symbol.name] for symbol in system.layout.coordinates])
    poses = forward(Instant(system, pose, np.zeros(system.layout.nv))).poses
    balls = [(poses[system.index(c.body)], c) for c in system.contacts]
    return [float(at.act(np.array(c.centre, dtype=float))[2]) - float(c.radius) for at, c in balls]  # type: ignore[attr-defined]
