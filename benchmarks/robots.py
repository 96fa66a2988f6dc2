"""Mechanisms with loops, a humanoid of a file and derivatives of a tree, against Pinocchio and MuJoCo.

`constraintDynamics`, `computeABADerivatives` and `mj_forward` are called from Python with everything made beforehand, which
costs them some tenths of a microsecond a call; ours is a loop in C.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from measure import Sampler, c_loop, cpu_seconds, empty_cache, interleave, sampler
from peer_pinocchio import UnavailableError, coordinates, gravity, rows
from report import Figure, Topic, at_least, at_most, missing, seconds, small
from systems import chain, random_states
from systems import humanoid as four_limbs

from locomotor import codegen
from locomotor.catalogue import four_bar, stewart_platform
from locomotor.model import Fixed, Free, Gravity, Prismatic, Revolute, System, Torque, Universal, evaluate
from locomotor.robots import import_robot
from locomotor.simulation import compile_system, save
from locomotor.tracing import trace

COUNT = 256
RESIDUAL = 1e-10
"""Accuracy asked of Pinocchio's proximal iterations; ours solves to round-off."""
HUMANOID = "simple_humanoid_description/urdf/simple_humanoid.urdf"


def topic() -> Topic:
    """Measure."""
    linkages = (("four-bar linkage", four_bar(closure="spherical")), ("Stewart platform", stewart_platform()))
    return Topic(
        "Linkages and robots",
        "One right-hand side with loops: ours reduced by the kernel, Pinocchio's `constraintDynamics` (proximal, to "
        f"{RESIDUAL:g}) and MuJoCo's `mj_forward`, both called from Python. A humanoid of a public file as the trees above. "
        "Derivatives of forward dynamics of a chain of 20 hinges, and of the tree of 20 (free base and four limbs of 5): one "
        "traced Jacobian, by the analytic recursions, against `computeABADerivatives`.",
        (
            *(figure for name, system in linkages for figure in linkage(name, system)),
            *humanoid(),
            *derivatives("chain of 20", lambda: chain(20)),
            *derivatives("tree of 20", four_limbs),
        ),
    )


# --- loops -----------------------------------------------------------------------------------------------------------


def linkage(name: str, system: System) -> list[Figure]:
    """Right-hand side of a mechanism with loops, at its nominal pose."""
    compiled = compile_system(system)
    start, none = compiled.start({}), np.zeros(len(system.inputs))
    channels = dict(zip(*_observed(compiled, start, none), strict=True))
    q = np.array([channels[symbol.name] for symbol in system.layout.coordinates])
    try:
        peers, wanted = _peers(system, q)
    except UnavailableError as reason:
        return [missing(f"{name}: times the speed of {peer}", "≥ 3", reason) for peer in ("Pinocchio", "MuJoCo")]
    dynamics = compiled.traced.dynamics
    arguments = np.zeros(1), np.tile(start, (COUNT, 1)), none, np.zeros(0)
    timings = interleave(
        {
            "ours": c_loop(codegen.compile(dynamics, target="c"), *arguments),
            "wide": c_loop(codegen.compile(dynamics, target="simd"), *arguments),
            **peers,
        }
    )
    found = compiled.traced.accelerations(np.zeros(1), start, none, np.zeros(0))[0]
    error = float(np.abs(found - wanted).max() / (1.0 + np.abs(wanted).max()))
    figures = []
    for peer, timing in timings.items():
        if peer in peers:
            note = (
                f"{seconds(timing.median)} against {seconds(timings['ours'].median)} (SIMD: {seconds(timings['wide'].median)})"
            )
            if peer == "Pinocchio":
                note += f", {dynamics.operations:,} operations; accelerations differ by {small(error)}"
            figures.append(at_least(f"{name}: times the speed of {peer}", timing.over(timings["ours"]), 3.0, note))
    return figures


def _observed(compiled: Any, start: Any, inputs: Any) -> tuple[list[str], list[float]]:
    function = compiled.traced.observation
    found = function(np.zeros(1), start, inputs, np.zeros(0))
    names = [name for port in function.outputs for name in port.names]
    return names, [float(x) for values in found for x in values]


def _peers(system: System, q: Any) -> tuple[dict[str, Sampler], Any]:
    """Both peers at the same pose at rest, and Pinocchio's accelerations."""
    try:
        import mujoco
        import pinocchio as pin
    except ImportError as error:
        raise UnavailableError(f"{error.name} is not installed") from error
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of shapes that MJCF does not have
        file = str(Path(folder) / "system.xml")
        save(system, file)
        model = mujoco.MjModel.from_xml_path(file)
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_forward(model, data)
    peer, joints = _pinocchio(pin, system)
    constraints, held = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for closure in system.loops:
        constraints.append(_closed(pin, system, peer, joints, closure))
        held.append(constraints[-1].createData())
    work = peer.createData()
    pin.initConstraintDynamics(peer, work, constraints, held)
    settings, rest = pin.ProximalSettings(RESIDUAL, RESIDUAL, 50), np.zeros(peer.nv)
    place = coordinates(q[None])[0] if isinstance(system.joints[0], Free) else q

    def run() -> Any:
        return pin.constraintDynamics(peer, work, place, rest, rest, constraints, held, settings)

    return {"Pinocchio": sampler(run), "MuJoCo": sampler(lambda: mujoco.mj_forward(model, data))}, np.array(run())


def _pinocchio(pin: Any, system: System) -> tuple[Any, dict[str, tuple[int, Any]]]:
    """The tree, and of every body its joint and its place behind it."""
    values, model = system.parameters.values, pin.Model()
    joints = {"world": (0, pin.SE3.Identity())}
    model.gravity.linear = gravity(system)
    for joint in system.joints:
        at = joint.placement(values)
        parent, offset = joints[joint.parent]
        place = offset * pin.SE3(np.asarray(at.rotation, float), np.asarray(at.translation, float))
        for kind in _kinds(pin, joint, values):
            parent = model.addJoint(parent, kind, place, f"{joint.name}_{len(model.names)}")
            place = pin.SE3.Identity()
        joints[joint.child] = parent, place
        mass, com, inertia = (np.asarray(x, float) for x in system.body(joint.child).mass_properties(values))
        model.appendBodyToJoint(parent, pin.Inertia(float(mass), com, inertia), place)
    return model, joints


def _kinds(pin: Any, joint: Any, values: Any) -> list[Any]:
    if isinstance(joint, Fixed):
        return []
    if isinstance(joint, Free):
        return [pin.JointModelFreeFlyer()]
    if isinstance(joint, Universal):
        return [pin.JointModelRevoluteUnaligned(np.asarray(evaluate(axis, values), float)) for axis in joint.axes]
    made = {Revolute: pin.JointModelRevoluteUnaligned, Prismatic: pin.JointModelPrismaticUnaligned}[type(joint)]
    return [made(np.asarray(evaluate(joint.axis, values), float))]


def _closed(pin: Any, system: System, model: Any, joints: dict[str, Any], closure: Any) -> Any:
    """Two points that stay together."""
    values = system.parameters.values
    ends = [
        (joints[body][0], joints[body][1] * pin.SE3(np.eye(3), np.asarray(evaluate(at, values), float)))
        for body, at in ((closure.body_a, closure.at_a), (closure.body_b, closure.at_b))
    ]
    (first, here), (second, there) = ends
    return pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, first, here, second, there, pin.ReferenceFrame.LOCAL)


# --- trees -----------------------------------------------------------------------------------------------------------


def humanoid() -> list[Figure]:
    """Forward dynamics of a humanoid with 35 velocities."""
    what = "humanoid of a file"
    try:
        import pinocchio as pin
    except ImportError:
        return [missing(f"{what}: times Pinocchio's speed", "≥ 2", UnavailableError("pinocchio is not installed"))]
    folder = next(place for place in Path(pin.__file__).parents if place.name == "cmeel.prefix")
    file = folder / "share" / "example-robot-data" / "robots" / HUMANOID
    if not file.is_file():
        return [missing(f"{what}: times Pinocchio's speed", "≥ 2", UnavailableError("example-robot-data is not installed"))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        system = import_robot(str(file), base="free", merge=True, meshes=False).system
    bare = [replace(joint, drive=Torque()) for joint in system.joints]  # bodies and hinges alone, as both programs count them
    bare = [replace(joint, rotor=0.0) if isinstance(joint, Revolute) else joint for joint in bare]
    system = system.replace(joints=bare, forces=(Gravity(),), inputs=(), constraints=())
    dynamics = trace(system).dynamics
    q, v = random_states(system, COUNT)
    arguments = np.zeros(1), np.concatenate([q, v], axis=1), np.zeros(0), np.zeros(0)
    peer, _ = _pinocchio(pin, system)
    data, place, rest = peer.createData(), coordinates(q)[0], np.zeros(peer.nv)
    kernel = codegen.compile(dynamics, target="c")
    timings = interleave({"ours": c_loop(kernel, *arguments), "peer": sampler(lambda: pin.aba(peer, data, place, v[0], rest))})
    wanted = pin.aba(peer, data, place, v[0], rest)
    error = float(np.abs(kernel(*arguments)[0][0, -peer.nv :] - wanted).max() / np.abs(wanted).max())
    note = (
        f"{peer.nv} velocities: {seconds(timings['peer'].median)} against {seconds(timings['ours'].median)}, "
        f"{dynamics.operations:,} operations; relative difference {small(error)}"
    )
    return [at_least(f"{what}: times Pinocchio's speed", timings["peer"].over(timings["ours"]), 2.0, note)]


def derivatives(tree: str, make: Callable[[], System]) -> list[Figure]:
    """All derivatives of the accelerations of 20 hinges on a floating base."""
    limits = {"one instance": 0.5, "an instance in SIMD batches": 0.1}
    named = {kind: f"{tree}, derivatives, {kind}: times Pinocchio's time" for kind in limits}
    try:
        import pinocchio as pin
    except ImportError:
        reason = UnavailableError("pinocchio is not installed")
        return [missing(named[kind], f"≤ {limit}", reason) for kind, limit in limits.items()]
    system = make()
    list(rows(system))  # only kinds that both know
    jacobian = trace(system).accelerations.jacobian("accelerations", "state")
    q, v = random_states(system, 64)
    arguments = np.zeros(1), np.concatenate([q, v], axis=1), np.zeros(0), np.zeros(0)
    peer, _ = _pinocchio(pin, system)
    data, place, rest = peer.createData(), coordinates(q)[0], np.zeros(peer.nv)
    before = cpu_seconds()
    with empty_cache():
        kernel = codegen.compile(jacobian, target="c")
    built = cpu_seconds() - before
    timings = interleave(
        {
            "one instance": c_loop(kernel, *arguments),
            "an instance in SIMD batches": c_loop(codegen.compile(jacobian, target="simd"), *arguments),
            "peer": sampler(lambda: pin.computeABADerivatives(peer, data, place, v[0], rest)),
        }
    )
    by_q, by_v, _ = pin.computeABADerivatives(peer, data, place, v[0], rest)
    found = kernel(*arguments)[0][0]
    error = np.abs(found[:, -peer.nv :] - by_v).max() / np.abs(by_v).max()
    error = max(error, np.abs(found[:, 7 : 7 + peer.nv - 6] - by_q[:, 6:]).max() / np.abs(by_q).max())
    note = f"{jacobian.operations:,} operations; relative difference {small(float(error))}"
    figures = []
    for kind, limit in limits.items():
        told = f"{seconds(timings[kind].median)} against {seconds(timings['peer'].median)}, {note}"
        figures.append(at_most(named[kind], timings[kind].over(timings["peer"]), limit, told))
    return [*figures, at_most(f"{tree}, derivatives: compile", built, 10.0, "processor time, C for one instance", " s")]
