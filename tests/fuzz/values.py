"""Arguments for doors: legal ones by name and annotation, and hostile ones of every sort."""

import inspect
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import locomotor as lm
from fuzz.surface import Door, doors
from silent import Silent


class Odd:
    """Has nothing that anybody would want."""


HOSTILE: tuple[Callable[[], Any], ...] = tuple(
    (lambda value=value: value)  # type: ignore[misc]
    for value in (
        None, True, False, 0, 1, -1, 2, 255, 2**31, 2**53, 2**63, 2**64, 2**64 + 1, -(2**63), 10**400, 0.0, -0.0, 0.5, -1.5,
        1e-320, 1e300, -1e300, float("nan"), float("inf"), float("-inf"), 1j, "", "a", "x", "roll", "world", "\u00b5",
        "a\nb", "a\0b", "*/ int x; /*", "\\\n", "sin(t)", "1/0", "t <", "(" * 200, "a" * 10_000, "\ud800", b"a", [], (), {},
        [1], [1, 2, 3], [[1, 2], [3]], [None], ["a"], (1, 2, 3), (float("nan"),) * 3, ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
        {"a": 1}, {"swing": 0.1}, {"swing": None}, {1: 2}, {"swing": "x"}, {"swing": float("nan")}, {"swing": 1e300},
        {"": 0}, {"swing": (0, 1, 2)}, {"g": 10.0}, {"torque": 1.0}, {"torque": "swing"}, [("a", 1, 2)], [("swing", 1.0)],
        {None: None}, np.uint8(255), np.int64(3), np.float32(0.5), np.float64("nan"), np.bool_(True), np.array(2.0),
        np.zeros(0), np.zeros(3), np.zeros((2, 2)), np.full(3, np.nan), np.zeros((0, 3)), np.zeros(3, dtype=complex),
        np.array(["a"]), np.array([None]), np.zeros((3, 1, 2), dtype=np.int8), np.ma.masked, slice(None), range(3), Ellipsis,
        int, print, len, Odd(), Silent(), Path("x"), NotImplemented, frozenset({1}), {1, 2}, iter([1, 2]), object(),
        1e9, 10**9, -5, "rk4", "persistent", "events", "c", lambda: 0, lambda c: None, lambda c: {"torque": np.zeros(3)},
        lambda c: {"torque": "a"}, lambda c: {"nothing": 1.0}, lambda c: {"torque": 0.1},
    )
)  # fmt: skip
"""Some of them are legal at some doors: then the call must work, or be refused for another reason."""


@cache
def pendulum() -> lm.System:
    """Small, with an input, a parameter and a rate: most doors have something to say about it."""
    rod = lm.Body("rod", mass=1.0, com=(0, 0, "-l"), inertia=(0.1, 0.1, 0.01))
    joint = lm.Revolute(name="swing", parent="world", child="rod", axis=(0, 1, 0), drive=lm.Torque("torque"))
    return lm.System(
        "pendulum", [rod], [joint], forces=[lm.Gravity((0, 0, "-g"))], parameters={"l": 1.0, "g": 9.81},
        inputs=[lm.Input("torque", "N m")],
    )  # fmt: skip


@cache
def section() -> lm.CrossSection:
    """A round one of steel."""
    return lm.CrossSection.circle(0.01, young=2e11, poisson=0.3, density=7800)


@cache
def ball() -> lm.System:
    """Opens and closes a contact."""
    return lm.catalogue.bouncing_ball()


@cache
def driven() -> lm.System:
    """Goes round for ever: has cycles."""
    rod = lm.Body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1))
    joint = lm.Revolute(name="swing", parent="world", child="rod", axis=(0, 1, 0))
    forces = [lm.JointSpring("s", "swing", 2.0), lm.JointDamper("d", "swing", "c"), lm.JointForce("f", "swing", "sin(2*pi*t)")]
    return lm.System("driven", [rod], [joint], forces=forces, parameters={"c": 0.5})


OBJECTS: dict[str, Callable[[], Any]] = {
    "System": pendulum,
    "Run": lambda: lm.simulate(pendulum(), 0.02, start={"swing": 0.1}, step=0.005),
    "CompiledSystem": lambda: lm.compile(pendulum()),
    "SteppedSystem": lambda: lm.compile(ball(), contacts="events"),
    "Batch": lambda: made("CompiledSystem").rollout(made("CompiledSystem").start({"swing": 0.1}), 3, 0.01),
    "TracedSystem": lambda: lm.trace(pendulum()),
    "Traced": lambda: lm.trace(pendulum()).dynamics,
    "Connection": lambda: lm.connection(lm.catalogue.elroy_beanie()),
    "Linearisation": lambda: lm.linearise(pendulum()),
    "Regulator": lambda: lm.lqr(lm.linearise(lm.catalogue.bicycle(), about={"speed": 5.0}), inputs=["steer_torque"]),
    "SteadyMotion": lambda: lm.steady_motion(pendulum()),
    "Body": lambda: lm.Body("thing", 1.0, inertia=(1, 1, 1)),
    "FlexibleBody": lambda: lm.FlexibleBody("thing", 1.0, section(), bending_y=1),
    "Derivation": lambda: lm.derive(pendulum(), "kane"),
    "FirstIntegral": lambda: lm.first_integrals(pendulum(), states=2)[0],
    "Equations": lambda: lm.equations(pendulum(), style="shared"),
    "Cycle": lambda: lm.find_cycle(driven(), period=1.0, step=0.02),
    "ParameterSet": lambda: pendulum().parameters,
    "Terrain": lambda: lm.Terrain.plane(),
    "Basin": lambda: lm.basin(made("Cycle"), {"swing": (-0.1, 0.1, 2)}, most=3),
    "Family": lambda: lm.continue_cycle(driven(), made("Cycle"), "c", (0.4, 0.6), step=0.2, largest=0.2, most=3),
    "Plane": lm.Plane,
    "catalogue.FourierAngle": lambda: lm.catalogue.FourierAngle(1.0, (0.0, 0.1)),
    "learning.Task": lambda: task(),
}


@cache
def made(kind: str) -> Any:
    """The object whose methods are doors; None where nobody has said how to make one."""
    if kind in OBJECTS:
        return OBJECTS[kind]()
    for door in doors():
        if door.name == kind:
            return door.call(**{p.name: legal(door, p) for p in door.parameters if p.default is p.empty})
    return None


@cache
def task() -> Any:
    """A small learning task."""
    return lm.learning.Task("Swing", pendulum(), {"torque": (-1.0, 1.0)}, ("swing",), "-swing**2")


LEGAL: dict[str, Callable[[], Any]] = {
    "vector": lambda: [-1.0, 0.5],
    "system": pendulum, "duration": lambda: 0.02, "start": lambda: {"swing": 0.1}, "step": lambda: 0.005,
    "stepper": lambda: "rk4", "inputs": lambda: {"torque": 0.1}, "controller": lambda: None, "motions": lambda: None,
    "static": lambda: None, "parameters": lambda: None, "drift_time": lambda: None, "project": lambda: False,
    "sample": lambda: None, "assemble": lambda: True, "closed": lambda: None, "scheme": lambda: "exact",
    "start_time": lambda: 0.0, "target": lambda: "auto", "ends": lambda: None, "name": lambda: "thing", "body": lambda: "rod",
    "joint": lambda: "swing", "parent": lambda: "world", "child": lambda: "rod", "axis": lambda: (0, 0, 1),
    "normal": lambda: (0, 0, 1), "heading": lambda: (1, 0, 0), "at": lambda: (0, 0, 0), "centre": lambda: (0, 0, 0),
    "radius": lambda: 0.3, "mass": lambda: 1.0, "com": lambda: (0, 0, 0), "inertia": lambda: (1, 1, 1),
    "rotation": lambda: (0, 0, 0), "text": lambda: "sin(t)", "expression": lambda: "abs(swing)", "law": lambda: "sin(t)",
    "states": lambda: [0.1, 0.0], "steps": lambda: 3, "dt": lambda: 0.01, "count": lambda: 2, "save_every": lambda: 1,
    "threads": lambda: 1, "seed": lambda: 0, "first": lambda: 0, "measures": lambda: None, "channels": lambda: None,
    "ranges": lambda: {"swing": (0.0, 0.1)}, "path": lambda: "out.png", "time": lambda: 0.01, "kind": lambda: "curves",
    "over": lambda: {"g": [9.0, 10.0]}, "measure": lambda: (lambda point: {"double": 2 * point["g"]}), "out": lambda: None,
    "executor": lambda: "threads", "progress": lambda: False, "period": lambda: 1.0, "section": lambda: None,
    "guess": lambda: None, "cycle": lambda: made("Cycle"), "cycles": lambda: made("Cycle"), "parameter": lambda: "c",
    "range": lambda: (0.4, 0.6), "values": lambda: None, "joints": lambda: None, "r": lambda: [0.1], "gait": lambda: {},
    "about": lambda: None, "free": lambda: (), "contacts": lambda: None, "settings": lambda: None, "task": task,
    "body_a": lambda: "rod", "body_b": lambda: "world", "at_a": lambda: (0, 0, 0), "at_b": lambda: (0, 0, 0),
    "row": lambda: {"swing_rate": 1.0}, "position": lambda: "swing - 0.1", "matrix": lambda: (1, 1, 1, 1, 1, 1),
    "components": lambda: (0, 0, 1), "axes": lambda: ((1, 0, 0), (0, 1, 0)),
    "vertices": lambda: ((0, 0, 0), (1, 0, 0), (0, 1, 0)),
    "triangles": lambda: ((0, 1, 2),), "times": lambda: (0, 1, 2, 3, 4), "bodies": lambda: pendulum().bodies,
    "forces": lambda: pendulum().forces, "half_sizes": lambda: (1, 1, 1), "when": lambda: "sin(t)", "frequency": lambda: 1.0,
    "settle": lambda: 2, "most": lambda: 3, "tube": lambda: 0.1, "instants": lambda: (), "end": lambda: (1, 0, 0),
    "gaits": dict, "checked": lambda: True, "workers": lambda: 1, "samples": lambda: None, "iterations": lambda: 5,
    "pitch": lambda: 0.1, "z": lambda: ((0, 0), (0, 0)), "x": lambda: (0, 1), "y": lambda: (0, 1), "solve_for": lambda: (),
    "state": lambda: {"swing": 0.1}, "p": lambda: [], "rate": lambda: [0.1], "acceleration": lambda: [0.0],
    "parameters_": lambda: {}, "strength": lambda: 2.0, "ratio": lambda: 20.0, "across": lambda: 0.1, "cable": lambda: "rope",
    "stiffness": lambda: 2.0, "damping": lambda: 0.5, "bound": lambda: 0.3, "chord": lambda: 0.1, "strains": lambda: ["bend_y"],
    "strain": lambda: "bend_y", "tension": lambda: 1.0, "length": lambda: 2.0,
    "M": lambda: np.eye(2), "C": lambda: np.ones((1, 2)), "S": lambda: [0.1, 0.2], "c": lambda: [0.0],
}  # fmt: skip
"""By the name of the argument; a door of its own (see `SPECIAL`) comes first, then this, then the annotation."""

SPECIAL: dict[str, Callable[[], Any]] = {
    "with_rotor.inertia": lambda: 0.1,
    "Surface.height": lambda: "0.1*x**2",
    "actuated.controller": lambda: lambda channels: {"torque": 0.1},
    "Tendon.at": lambda: (0.0, 0.01),
    "Rod.section": section,
    "FlexibleBody.section": section,
    "with_cable.body_a": lambda: "world",
    "with_cable.body_b": lambda: "rod",
    "FirstIntegral.of.run": lambda: made("Run"),
    "Run.reaction.axes": lambda: "world",
    "Body.inertia": lambda: (1, 1, 1),
    "complementarity.coulomb.friction": lambda: [0.5],
    "complementarity.impact_of.mass": lambda: np.eye(3),
    "complementarity.impact_of.rows": lambda: np.eye(3),
    "complementarity.impact_of.velocity": lambda: [0.1, 0.0, -1.0],
    "complementarity.contact_modes.friction": lambda: [0.5],
    "catalogue.paradox_angles.friction": lambda: 1.5,
    "complementarity.faceted.friction": lambda: [0.5],
    "complementarity.mixed_lcp.free": lambda: [0],
    **{
        f"complementarity.{verb}.matrix": lambda: [[2.0, 1.0], [1.0, 2.0]]
        for verb in ("lcp", "all_solutions", "mixed_lcp", "coulomb", "contact_modes", "faceted")
    },
    "SteppedSystem.start.start": lambda: {"z": 1.0},
    "SteppedSystem.rollout.states": lambda: made("SteppedSystem").start({"z": 1.0}),
    "SteppedSystem.random_states.ranges": lambda: {"z": (1.0, 2.0)},
    "SteppedSystem.random_states.start": lambda: None,
    "SteppedSystem.jacobians.states": lambda: made("SteppedSystem").start({"z": 1.0}),
    "CompiledSystem.rollout.inputs": lambda: [0.1],
    "CompiledSystem.random_states.start": lambda: None,
    "Controller.law": lambda: lambda channels: {},
    "Controller.states": lambda: {"memory": 0.0},
    "Contact.law": lm.Persistent,
    "continue_cycle.system": driven,
    "continue_cycle.step": lambda: 0.2,
    "trim.system": driven,
    "trim.solve_for": lambda: ["c"],
    "trim.advance": lambda: {},
    "trim_family.system": driven,
    "trim_family.solve_for": lambda: ["c"],
    "trim_family.advance": lambda: {"swing": [0.0, 0.1]},
    "average_cycle.parameters": lambda: [],
    "find_cycle.system": driven,
    "find_cycle.inputs": lambda: None,
    "find_cycle.start_time": lambda: 0.0,
    "find_cycle.step": lambda: 0.02,
    "find_cycles.system": driven,
    "find_cycles.ranges": lambda: {"swing": (-0.1, 0.1, 2)},
    "sweep_cycles.system": driven,
    "sweep_cycles.ranges": lambda: {"swing": (-0.1, 0.1, 2)},
    "sweep_cycles.values": lambda: [0.5],
    "basin.ranges": lambda: {"swing": (-0.1, 0.1, 2)},
    "batched_eigenvalues.over": lambda: {"g": np.array([9.0, 10.0])},
    "batched_eigenvalues.inputs": lambda: None,
    "classify.system": lm.catalogue.elroy_beanie,
    "connection.system": lm.catalogue.elroy_beanie,
    "connection.kind": lambda: None,
    "Connection.displacement.start": lambda: 0.0,
    "Connection.displacement.steps": lambda: None,
    "System.joints": lambda: pendulum().joints,
    "System.contacts": lambda: (),
    "System.inputs": lambda: pendulum().inputs,
    "System.parameters": lambda: pendulum().parameters,
    "System.ends": lambda: {},
    "System.body.name": lambda: "rod",
    "System.joint.name": lambda: "swing",
    "System.ground.name": lambda: "ground",
    "System.with_motions.laws": lambda: {},
    "Run.group.kind": lambda: "velocities",
    "Run.to_html.path": lambda: "out.html",
    "Run.to_glb.path": lambda: "out.glb",
    "Run.save.path": lambda: "out.nc",
    "Run.load.path": lambda: saved(),
    "load.path": lambda: saved(),
    "Run.__getitem__.name": lambda: "swing",
    "Batch.__getitem__.name": lambda: "swing",
    "ParameterSet.__getitem__.name": lambda: "g",
    "ParameterSet.parameters": lambda: {"a": 1.0},
    "Traced.jacobian.output": lambda: "rate",
    "Traced.jacobian.input": lambda: "state",
    "Traced.input.name": lambda: "state",
    "Traced.output.name": lambda: "rate",
    "trace.controller": lambda: None,
    "catalogue.system.name": lambda: "bicycle",
    "catalogue.ready.name": lambda: "bicycle",
    "catalogue.gait.system": lambda: "snakeboard",
    "catalogue.gait.name": lambda: "drive",
    "catalogue.bicycle.parameters": lambda: "meijaard2007",
    "catalogue.bicycle.contacts": lambda: "persistent",
    "Handle.way": lambda: "across",
    "Handle.first": lambda: {"torque": 1.0},
    "Handle.inputs.value": lambda: 0.5,
    "Balance.along": lambda: "swing_rate",
    "Balance.states": lambda: {"swing": 1.0},
    "Balance.inputs": lambda: {"torque": 1.0},
    "Riding.handles": lambda: (lm.Handle("turn", "across", {"torque": 1.0}),),
    "Unilateral.when": lambda: 1.0,
    "box_corners.kind": lambda: lm.StickingPoint,
    "box_corners.law": lambda: None,
    "capsule_ends.law": lambda: None,
    "capsule_ends.start": lambda: (0, 0, 0),
    "RollingCapsule.start": lambda: (0, 0, 0),
    "SlidingCapsule.start": lambda: (0, 0, 0),
    "Cycle.plot.kind": lambda: "orbit",
    "Motion.sampled.values": lambda: (0, 1, 0, 1, 0),
    "Parameter.value": lambda: 1.0,
    "learning.Task.actions": lambda: {"torque": (-1.0, 1.0)},
    "learning.Task.observations": lambda: ("swing",),
    "learning.Task.reward": lambda: "-swing**2",
    "learning.Task.ends": dict,
    "learning.Task.closed": lambda: (),
    "Family.of.name": lambda: "swing",
    "Basin.share.cycle": lambda: 0,
    "steady_motion.inputs": lambda: None,
    "eigenvalue_curves.at": lambda: None,
    "equations.parameters": lambda: "symbolic",
    "Equations.save.target": lambda: "out.md",
    "Equations.evaluate.values": lambda: {"swing": 0.1},
    "DHLink.kind": lambda: "revolute",
    "DHLink.parent": lambda: None,
    "dh.links": lambda: [lm.DHLink(joint="q1", a=0.5, mass=1.0, inertia=(1, 1, 1))],
    "dh.inputs": lambda: (),
    "dh.parameters": lambda: {},
    "read_robot.source": lambda: "no_such.toml",
}

CONTACTS = ("RollingDisc", "RollingSphere", "RollingTorus", "Skate", "SlidingPoint", "StickingPoint", "Coupling")


@cache
def saved() -> str:
    """A run in a file."""
    return str(made("Run").save("saved.nc"))


def legal(door: Door, parameter: inspect.Parameter) -> Any:
    """A value that should do; the default where there is one and nobody knows better."""
    special = f"{door.name}.{parameter.name}"
    if special in SPECIAL:
        return SPECIAL[special]()
    if parameter.name == "law" and door.name in CONTACTS:
        return lm.Persistent()
    if parameter.default is not inspect.Parameter.empty:
        return parameter.default
    if parameter.name in LEGAL:
        return LEGAL[parameter.name]()
    return by_annotation(str(parameter.annotation))


def by_annotation(text: str) -> Any:
    """A plain value of the kind that an annotation tells."""
    kinds = {"Mapping": dict, "bool": lambda: False, "str": lambda: "a", "int": lambda: 2, "float": lambda: 0.5}
    for word, make in kinds.items():
        if word in text:
            return make()
    return None


def hostile(chance: random.Random) -> Any:
    """Anything at all."""
    value = chance.choice(HOSTILE)()
    if chance.random() < 0.1:
        other = chance.choice(HOSTILE)()
        wraps: tuple[Callable[[], Any], ...] = (
            lambda: [value, other],
            lambda: (value,),
            lambda: {"swing": value},
            lambda: [value] * 3,
        )
        return chance.choice(wraps)()
    return value
