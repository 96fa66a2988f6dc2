"""Cassie, a biped with four closed loops and springs in its legs, from the SDF of example-robot-data."""

import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import locomotor as lm
from locomotor.mechanics.tree import Instant, forward
from locomotor.model import JointDamper, JointSpring, Revolute, evaluate
from locomotor.robots import import_robot
from locomotor.simulation.starts import starting_state
from oracles.robots import difference, example_robot

DRIVES = {"left_knee_op": (15.0, 5.0), "right_knee_op": (12.0, 6.0), "left_foot_op": (4.0, 7.0), "right_foot_op": (5.0, 4.0)}
"""Torques (N m) and how often they change their sign (rad/s): its joints are damped, these keep all four loops moving."""


@cache
def cassie() -> lm.System:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # limits of joints, which are told and not enforced
        system = import_robot(example_robot("cassie_description/robots/cassie_v2.sdf"), meshes=False).system
    drives = [lm.JointForce(f"{name}_drive", name, f"{size}*sin({rate}*t)") for name, (size, rate) in DRIVES.items()]
    return system.replace(forces=[*system.forces, *drives])


@cache
def run() -> lm.Run:
    return lm.simulate(cassie(), 10.0, step=0.001, sample=0.01)


def test_its_loops_are_read() -> None:
    system = cassie()
    assert {loop.name for loop in system.loops} == {
        f"{side}_{rod}_joint" for side in ("left", "right") for rod in ("pitch_rod", "plantar_foot")
    }
    assert system.layout.nv == 28


@pytest.mark.slow
def test_its_loops_stay_closed_for_ten_seconds() -> None:
    """They move, and neither open nor take or give energy; its dampers take what its drives give."""
    found = run()
    assert found.status.ok
    assert found.time[-1] == pytest.approx(10.0)
    audit = found.audit()
    gaps = {name: np.abs(found[name]).max() for name in found.about if name.endswith("_gap")}
    # The file has the axes of this one linkage out of parallel by 7e-8 rad, so that no pose closes its row along them exactly.
    slant = gaps.pop("right_plantar_foot_joint_z_gap")
    assert max(gaps.values()) < 1e-10
    assert slant < 7.4e-8 * 0.35  # that angle over the length of the rod
    assert len(gaps) == 11
    assert audit["energy_balance"] < 1e-6  # the step resolves springs of 1,500 N m/rad on rods of some grams to that
    for name in ("left_achilles_spring_joint", "right_tarsus_crank_joint", "left_crank_rod_joint", "right_knee_op"):
        assert np.ptp(found[name][500:]) > 0.01, name
    # Falling freely, whatever its legs do: the centre of mass is that of a stone.
    assert found["z"][-1] < -400.0


def straightened(system: lm.System) -> lm.System:
    """With the axes of its planar linkages exactly parallel, where the file has them so to 7e-8 rad, and no row along them."""
    joints = []
    for joint in system.joints:
        R = np.asarray(joint.placement({}).rotation, float)
        if isinstance(joint, Revolute) and np.abs(R @ np.asarray(joint.axis, float) - (0, 0, 1)).max() < 1e-6:
            joint = replace(joint, rotation=(0.0, 0.0, float(np.arctan2(R[1, 0], R[0, 0]))), axis=(0.0, 0.0, 1.0))
        joints.append(joint)
    system = system.replace(joints=joints)
    placed = forward(Instant(system, system.nominal_pose(), np.zeros(system.layout.nv)))
    loops = []
    for loop in system.loops:
        if "plantar" in loop.name:  # its points at one height of the axes, too
            a, b = (placed.poses[placed.index(body)] for body in (loop.body_a, loop.body_b))
            height = (np.asarray(b.inverse().act(a.act(np.array(loop.at_a, float)))) - loop.at_b)[2]
            at_b = (*loop.at_b[:2], loop.at_b[2] + height)
            loop = lm.PointOnLine(loop.name, loop.body_a, loop.body_b, loop.at_a, at_b, axis_a=(0, 0, 1))
        loops.append(loop)
    return system.replace(loops=loops)


@pytest.mark.slow
def test_its_accelerations_are_those_of_pinocchio() -> None:
    """`constraintDynamics` with the points of the rods held together, at moving states.

    Where axes are nearly parallel Pinocchio holds the row along them by forces of their own: straight ones are compared.
    """
    pin = pytest.importorskip("pinocchio", reason="PyPI has no `pin` for this platform")
    system = straightened(cassie())
    model, constraints, data = _pinocchio(pin, system)
    traced = lm.trace(system)
    assert len(traced.reduction.free) == 28 - 2 * (3 + 2)  # the plantar rod lies in the plane of its crank and its foot
    rng = np.random.default_rng(3)
    for _ in range(3):
        bent = {name: rng.uniform(-0.2, 0.2) for name in ("left_knee_op", "right_pitch_op", "left_foot_op", "right_foot_op")}
        moving = {name: rng.normal() for name in traced.reduction.names}
        state = starting_state(traced, {**bent, **moving})
        time = rng.uniform(0.0, 1.0)
        arguments = np.array([time]), state, np.zeros(0), np.zeros(0)
        values = {
            name: float(x)
            for port, numbers in zip(traced.observation.outputs, traced.observation(*arguments), strict=True)
            for name, x in zip(port.names, numbers, strict=True)
        }
        q = np.array([values[s.name] for s in system.layout.coordinates])
        v = np.array([values[s.name] for s in system.layout.velocities])
        efforts = np.zeros(system.layout.nv)
        for name, (size, rate) in DRIVES.items():
            efforts[system.layout.v[name].start] += size * np.sin(rate * time)
        for force in system.forces:
            if isinstance(force, JointSpring):
                efforts[system.layout.v[force.joint].start] -= force.stiffness * (values[force.joint] - force.rest)
            if isinstance(force, JointDamper):
                efforts[system.layout.v[force.joint].start] -= force.damping * values[f"{force.joint}_rate"]
        place = np.concatenate([q[:3], q[4:7], q[3:4], q[7:]])
        pin.initConstraintDynamics(model, data, constraints, held := _held(pin, constraints))
        settings = pin.ProximalSettings(1e-14, 1e-10, 500)
        wanted = np.array(pin.constraintDynamics(model, data, place, v, efforts, constraints, held, settings))
        assert difference(traced.accelerations(*arguments)[0], wanted) < 1e-9
        assert np.abs(v[6:]).max() > 0.1


def _held(pin, constraints):  # type: ignore[no-untyped-def]
    found = pin.StdVec_RigidConstraintData()
    for constraint in constraints:
        found.append(constraint.createData())
    return found


def _pinocchio(pin, system):  # type: ignore[no-untyped-def]
    """The tree, joint by joint in our order, and two points that stay together for each loop."""
    model, joints = pin.Model(), {"world": 0}
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    for joint in system.joints:
        at = joint.placement({})
        place = pin.SE3(np.asarray(at.rotation, float), np.asarray(at.translation, float))
        kind = (
            pin.JointModelRevoluteUnaligned(np.asarray(evaluate(joint.axis, {}), float))
            if isinstance(joint, Revolute)
            else None
        )
        joints[joint.child] = model.addJoint(joints[joint.parent], kind or pin.JointModelFreeFlyer(), place, joint.name)
        mass, com, inertia = (np.asarray(x, float) for x in system.body(joint.child).mass_properties({}))
        model.appendBodyToJoint(joints[joint.child], pin.Inertia(float(mass), com, inertia), pin.SE3.Identity())
    constraints = pin.StdVec_RigidConstraintModel()
    for loop in system.loops:
        ends = [
            (joints[body], pin.SE3(np.eye(3), np.asarray(evaluate(at, {}), float)))
            for body, at in ((loop.body_a, loop.at_a), (loop.body_b, loop.at_b))
        ]
        (first, here), (second, there) = ends
        constraints.append(
            pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, first, here, second, there, pin.ReferenceFrame.LOCAL)
        )
    return model, constraints, model.createData()
