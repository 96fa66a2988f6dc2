"""From a choice and a seed to a system and a run of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

import locomotor as lm
from combinations import parts, soft, wings
from combinations.features import AXES, SWITCHING, Choice
from locomotor.mechanics.tree.kinematics import Instant, forward
from locomotor.model.layout import Symbol
from locomotor.simulation.steppers import FIXED
from oracles.mechanics import contact_rows

STEP, STEPS = 1e-3, 32
GAP, APPROACH = 2e-3, 0.3
"""Gap (m) of what flies at the start, and the speed (m/s) at which it comes down: it hits after some 7 ms."""
LATER = 4e-3
"""How much higher (m) the second of two contacts is that fly at the start."""
DEPTH = 1e-3
"""How deep (m) a contact that yields is at the start."""
HANGING = 5e-3
"""How far (m, rad) the nominal pose is from one that touches, where assembling has to close the gap."""
EDGE = 5e-3
"""How far ahead (m) of what touches the step of a terrain is."""


@dataclass(frozen=True, eq=False)
class Case:
    """A legal system and how it is run."""

    choice: Choice
    seed: int
    system: lm.System
    start: Mapping[str, float]
    closed: tuple[str, ...] | None
    inputs: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """One line that makes it again."""
        return " ".join([*(f"{axis}={value}" for axis, value in self.choice.items()), f"seed={self.seed}"])

    @property
    def switches(self) -> bool:
        """Whether contacts open and close."""
        return self.choice["law"] in SWITCHING

    @property
    def is_soft(self) -> bool:
        """Whether something bends."""
        return any(body.coordinates for body in self.system.bodies)

    @cached_property
    def options(self) -> dict[str, Any]:
        """Arguments of `simulate`."""
        chosen = self.choice["stepper"]
        found: dict[str, Any] = {
            "start": self.start,
            "stepper": chosen if chosen == "dop853" else FIXED[chosen](STEP),
            "inputs": self.inputs,
            "controller": parts.CONTROLLERS[self.choice["controller"]](),
            "target": self.choice["target"],
            "assemble": self.choice["start"] == "assembled",
            "sample": STEP,
            "ends": parts.ENDS[self.choice["ends"]],
        }
        return found | ({} if self.closed is None else {"closed": self.closed})

    def run(self, **changes: Any) -> lm.Run:
        """The run, event-driven where contacts open and close."""
        return lm.simulate(changes.pop("system", self.system), STEPS * STEP, **{**self.options, **changes})

    @cached_property
    def timed(self) -> lm.System:
        """The same system with the inputs as laws of time inside it, as roll-outs need them where they vary."""
        return with_inputs(self.system, self.inputs)

    def compiled(self, contacts: str | None = None, **changes: Any) -> Any:
        """Compiled for roll-outs; loops that a run leaves as they are given stay so in its roll-out."""
        kept = {} if contacts or self.choice["start"] == "assembled" else {"project": False}
        return lm.compile(self.timed, contacts=contacts, **{"target": self.choice["target"], **kept, **changes})

    def state(self, compiled: Any) -> np.ndarray:
        """The start as a state of what was compiled."""
        assemble = self.choice["start"] == "assembled"
        extra = {} if self.closed is None else {"closed": self.closed}
        return np.asarray(compiled.start(self.start, assemble=assemble, **extra))


def parse(text: str) -> tuple[Choice, int]:
    """Choice and seed from `Case.text`; an axis that is not named takes its first value."""
    named = dict(item.split("=") for item in text.split())
    seed = int(named.pop("seed", 0))
    for axis, value in named.items():
        if value not in AXES.get(axis, ()):
            raise ValueError(f"{axis}={value} is no value of an axis; they are in features.py")
    return {axis: named.get(axis, values[0]) for axis, values in AXES.items()}, seed


def build(choice: Choice, seed: int) -> Case:
    """The case of a choice; every number that the choice leaves open comes from the seed."""
    rng = np.random.default_rng([seed, 20])

    def make(grounds: Any, law: Any, shift: parts.Shift) -> lm.System:
        return _system(choice, seed, grounds, law, shift)

    level = parts.grounds("plane" if choice["ground"] in ("terrain", "carried") else choice["ground"], 0.0, 0.0)
    draft = make(level, lm.Persistent(), (0.0, 0.0, 0.0))
    pose = _pose(draft, rng)
    heights, places, shift = _gaps(draft.replace(nominal=pose))
    low = (heights[0] if heights else 0.0) - _wanted_gap(choice)
    edge = max(places, default=0.0) + parts.reach(choice["contact"], _upright(draft.replace(nominal=pose))) + EDGE
    law = parts.LAWS[choice["law"]](choice["start"])
    nominal = _displaced(pose, rng) if choice["start"] == "assembled" else pose
    if choice["law"] in SWITCHING and choice["start"] == "given":
        # Two that hit at once have no one answer: the order of impacts that are apart by round-off decides.
        shift = tuple(a + LATER * b for a, b in zip(shift, soft.SOLES[choice["foot"]].up, strict=True))
    system = make(parts.grounds(choice["ground"], low, edge), law, shift).replace(nominal=nominal)
    start, closed = _start(choice, system, rng)
    inputs = {"u": parts.INPUTS[choice["input"]]}
    return Case(choice, seed, system, start, closed, inputs)


# -- system --------------------------------------------------------------------------------------------------


def _system(choice: Choice, seed: int, grounds: Any, law: Any, shift: parts.Shift) -> lm.System:
    rng = np.random.default_rng([seed, 10])
    kind = choice["contact"]
    made = parts.bodies(rng, kind)
    frames, joints = parts.ROOTS[choice["root"]](parts.turn_of(choice["ground"]))
    made += frames
    stiff = choice["root"] in ("fixed", "planar") and choice["joint"] == "fixed"
    outer = "strut" if stiff else "limb"
    bends, sole = choice["spine"] == "bends", soft.SOLES[choice["foot"]]
    robot = parts.imported() if choice["spine"] == "imported" else None
    child = "spine" if bends else outer if robot is None else robot.joints[0].child
    limb = {"name": "joint", "parent": "base", "child": child, "at": (0.1, 0.03, -0.15)}
    joints += (parts.JOINTS[choice["joint"]](rng, **limb),)
    if bends:
        made.append(soft.SPINES[seed % 2])
        joints += (lm.Fixed(name="flange", parent="spine", child=outer, at=soft.TIP),)
    if robot is not None:
        made += robot.bodies
        joints += (*robot.joints[1:], lm.Fixed(name="flange", parent="boom", child=outer, at=(0.05, 0.0, 0.0)))
    if stiff:  # otherwise the limb could not leave its ground
        made.append(lm.Frame("strut"))
        joints += (lm.Prismatic(name="leg", parent="strut", child="limb", axis=(0.0, 0.0, 1.0)),)
    if sole.toe is not None:
        made.append(sole.toe)
        joints += sole.joints
    spin = parts.slanted(rng, (0.0, 0.0, 1.0))
    joints += (lm.Revolute(name="rotor", parent="base", child="drum", axis=spin, at=(0.0, 0.0, 0.1)),)
    if kind in parts.WHEELS:
        joints += (lm.Revolute(name="axle", parent=sole.body, child="wheel", axis=parts.AXLE, at=sole.axle),)
    if kind in parts.TIES:
        joints += (lm.Revolute(name="tail", parent="base", child="rod", axis=parts.slanted(rng, parts.AXLE)),)
    loops: tuple[Any, ...] = ()
    if choice["loop"] in parts.LOOPS:
        (links, hinges), loops = parts.LOOPS[choice["loop"]](seed)
        made += links
        joints += hinges
    bobs, seats = parts.SEATED.get(choice["medium"], ((), ()))
    made += bobs
    joints += seats
    winged = wings.WINGS[choice["wings"]]
    made += winged.bodies
    joints += winged.joints
    joints, forces = _driven(choice, joints)
    forces += (wings.air(choice["wind"]), *winged.forces)
    if robot is not None:
        forces += tuple(force for force in robot.forces if not isinstance(force, lm.Gravity))
    if bends:
        if choice["wings"] != "none":
            forces += (soft.FLAG,)
        forces += (lm.BodyForce("tug", "spine", (0.15, 0.01, 0.0), (0.0, 0.4, -0.3), frame="body"),)
    if choice["ground"] == "carried":  # it drifts, and gives way to friction
        made.append(lm.Body(parts.RAFT, 2.0, inertia=(0.3, 0.3, 0.3)))
        joints += (lm.Prismatic(name="drift", parent="world", child=parts.RAFT, axis=(1.0, 0.0, 0.0)),)
        forces += (lm.JointSpring("mooring", "drift", 40.0), lm.JointDamper("water", "drift", 1.0))
    contacts = parts.CONTACTS[kind](law, shift, sole)
    if bends and choice["root"] == "fixed" and choice["law"] == "persistent":
        contacts = contacts[:1]  # both ends of a capsule that roll would hold all that moves, the spine last
    if choice["law"] == "compliant":
        how = {"stiffness": 2e4, "restitution": 0.8, "speed": APPROACH}
        contacts, forces = (), (*forces, parts.COMPLIANT[kind](sole, **how))
    return lm.System(
        "case", made, joints, contacts, forces,
        grounds=grounds,
        parameters=(lm.Parameter("mu", 0.4, "1"), lm.Parameter("bounce", 0.6, "1"), lm.Parameter("cling", parts.CLING, "N")),
        inputs=(lm.Input("u", "N"), lm.Input("w", "N m")),
        constraints=_ties(kind, law, _tie_gap(choice)),
        loops=loops,
    )  # fmt: skip


def _driven(choice: Choice, joints: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Joints with the drive, and the forces: on the joint that is tried if it has one degree of freedom, else on the rotor.

    An imposed motion goes to the rotor, too, where nothing else could give way to it: sliders block sideways.
    """
    drive = choice["drive"]
    tried = next(j for j in joints if j.name == "joint")
    gives_way = choice["root"] == "free" and choice["law"] != "grip"
    where = "joint" if tried.nv == 1 and (drive != "imposed" or gives_way) else "rotor"
    forces = [
        lm.Gravity((0.0, 0.0, -9.81)),
        lm.BodyForce("push", "limb", (0.0, 0.05, 0.0), ("u", 0.0, "0.5*u")),
        lm.JointForce("servo", "rotor", "w"),
    ]
    if drive == "spring":
        forces += [
            lm.JointSpring("spring", where, 30.0, rest=0.1),
            lm.JointDamper("damper", where, 0.4),
            lm.PointSpring("tether", "limb", (0.0, 0.0, 0.0), "world", (0.2, 0.1, 2.0), 20.0, 0.5),
        ]
    forces += parts.MEDIA[choice["medium"]]
    laws = {"torque": lm.Torque("0.7*u - 0.1*t"), "imposed": lm.Motion("0.05*sin(25*t)")}
    if drive in laws:
        joints = tuple(replace(j, drive=laws[drive]) if j.name == where else j for j in joints)
    return joints, tuple(forces)


def _ties(kind: str, law: Any, offset: float) -> tuple[Any, ...]:
    """Constraints between tail and rotor."""
    if kind == "coupling":
        return (lm.Coupling(parts.CONTACT, f"tail - 0.5*rotor + {offset!r}", law=law),)
    if kind == "velocity":
        return (lm.VelocityConstraint(parts.CONTACT, {"tail_rate": 1.0, "rotor_rate": "0.3 + 0.2*sin(tail)"}),)
    if kind == "moving":
        row = {"tail_rate": 1.0, "rotor_rate": "0.3 + 0.2*sin(tail + 5*t)"}
        return (lm.VelocityConstraint(parts.CONTACT, row, equals="0.2*sin(20*t) + 0.5*tail"),)
    return ()


def _wanted_gap(choice: Choice) -> float:
    """Gap of the contact at the nominal pose."""
    if choice["law"] == "compliant":
        return -DEPTH
    return GAP if choice["law"] in SWITCHING and choice["start"] == "given" else 0.0


def _tie_gap(choice: Choice) -> float:
    """Position of a coupling at the nominal pose, which has rotor and tail at zero; what is assembled has to close it."""
    return HANGING if choice["start"] == "assembled" else _wanted_gap(choice)


def with_inputs(system: lm.System, inputs: Mapping[str, Any]) -> lm.System:
    """The system with its first input replaced by a law of time: a second push and a second torque in place of `u`."""
    law = str(inputs["u"])

    def timed(text: Any) -> Any:
        return str(text).replace("u", f"({law})") if "u" in getattr(text, "names", ()) else text

    forces = [replace(f, components=tuple(timed(c) for c in f.components)) if f.name == "push" else f for f in system.forces]
    joints = [replace(j, drive=lm.Torque(timed(j.drive.law))) if isinstance(j.drive, lm.Torque) else j for j in system.joints]
    return system.replace(forces=tuple(forces), joints=tuple(joints))


def with_law(system: lm.System, law: Any, only: set[str] | None = None) -> lm.System:
    """The system whose contacts and couplings follow another law; those not among `only`, where given, are left out."""

    def kept(entries: tuple[Any, ...]) -> tuple[Any, ...]:
        found = (e for e in entries if only is None or e.name in only or not hasattr(e, "law"))
        return tuple(replace(e, law=law) if hasattr(e, "law") else e for e in found)

    return system.replace(contacts=kept(system.contacts), constraints=kept(system.constraints))


# -- pose and start ------------------------------------------------------------------------------------------


def _pose(system: lm.System, rng: np.random.Generator) -> dict[str, float]:
    """A random pose near the upright one; rotor and tail, which constraints tie, stay at zero, and so do imposed joints."""
    layout, found = system.layout, {}
    imposed = {joint.name for joint in system.imposed}
    for joint in system.joints:
        symbols: tuple[Symbol, ...] = layout.coordinates[layout.q[joint.name]]
        if joint.name in ("rotor", "tail", "drift", *parts.LINKS, *imposed) or not symbols:
            continue
        if symbols[-1].name.endswith("qz"):
            q = np.array([1.0, *0.08 * rng.uniform(-1.0, 1.0, 3)])
            found.update({s.name: float(x) for s, x in zip(symbols[-4:], q / np.linalg.norm(q), strict=True)})
            symbols = symbols[:-4]
        found.update({s.name: float(0.1 * rng.uniform(-1.0, 1.0)) for s in symbols})
    return found


def _displaced(pose: Mapping[str, float], rng: np.random.Generator) -> dict[str, float]:
    """A pose nearby; quaternions stay as they are."""
    turning = ("qw", "qx", "qy", "qz")
    return {name: x if name[-2:] in turning else x + HANGING * rng.uniform(-1.0, 1.0) for name, x in pose.items()}


def _gaps(system: lm.System) -> tuple[list[float], list[float], parts.Shift]:
    """Heights of all that may touch above the plane through the origin, where (x) it would touch, and by how much the second
    has to be shifted, in the axes of its body, so that it is as high as the first.
    """
    forces = [f for f in system.forces if isinstance(f, lm.CompliantContact)]
    shapes = (*system.contacts, *(f.shape for f in forces))
    bare = system.replace(contacts=shapes, forces=(), constraints=(), grounds=(lm.Plane(normal=_normal(system)),))
    kinematics = forward(Instant(bare, bare.nominal_pose(), np.zeros(bare.layout.nv)))
    rows = contact_rows(kinematics)
    points = [kinematics.poses[row.body].act(row.touch.point) for row in rows]
    heights = [float(row.gap) for row in rows]
    shift = np.zeros(3)
    if len(rows) > 1:
        up = kinematics.poses[rows[1].body].rotation.T @ np.array(_normal(system), dtype=float)
        shift = (heights[0] - heights[1]) * up
    return heights, [float(p[0]) for p in points], tuple(float(x) for x in shift)


def _upright(system: lm.System) -> float:
    """Sine of the angle between the axis of the first wheel and the vertical; 1 without one."""
    for shape in (*system.contacts, *(f.shape for f in system.forces if isinstance(f, lm.CompliantContact))):
        if isinstance(shape, lm.RollingDisc | lm.RollingTorus):
            kinematics = forward(Instant(system, system.nominal_pose(), np.zeros(system.layout.nv)))
            pose = kinematics.poses[[body.name for body in system.bodies].index(shape.body)]
            axis = np.asarray(pose.rotation, dtype=float) @ np.asarray(shape.axis, dtype=float)
            return float(np.hypot(axis[0], axis[1]) / np.linalg.norm(axis))
    return 1.0


def _normal(system: lm.System) -> tuple[Any, ...]:
    ground = system.grounds[0]
    return tuple(ground.normal) if isinstance(ground, lm.Plane) else (0.0, 0.0, 1.0)


def _start(choice: Choice, system: lm.System, rng: np.random.Generator) -> tuple[dict[str, float], tuple[str, ...] | None]:
    """Starting values by name, and the contacts closed at the start."""
    imposed = {joint.name for joint in system.imposed}
    spin = {} if "rotor" in imposed or choice["contact"] in parts.TIES else {"rotor_rate": 1.5}
    if choice["start"] == "assembled":
        names = tuple(c.name for c in system.contacts) or tuple(c.name for c in system.constraints)
        return spin, names if choice["law"] in SWITCHING else None
    layout = system.layout
    pose = dict(zip((s.name for s in layout.coordinates), system.nominal_pose().tolist(), strict=True))
    for joint in system.imposed:
        pose.pop(joint.name)
    if choice["law"] not in SWITCHING:
        free = lm.compile(system, contacts="closed").traced.reduction.names
        return {**pose, **{name: float(rng.uniform(-0.5, 0.5)) for name in free}}, None
    return {**pose, **_falling(system, rng)}, None


def _falling(system: lm.System, rng: np.random.Generator) -> dict[str, float]:
    """Velocities at which the gaps of all that may close shrink at a given speed; what is imposed stays as it is."""
    layout = system.layout
    forces = tuple(f for f in system.forces if not isinstance(f, lm.CompliantContact))
    held = [layout.index_v(f"{joint.name}_rate") for joint in system.imposed]
    v = rng.uniform(-0.3, 0.3, layout.nv)
    if system.loops:  # which stand still
        still = [name for name in (*parts.LINKS, "leaf") if name in layout.v]
        for name in still:
            v[layout.v[name]] = 0.0
    plane = lm.Plane(normal=_normal(system))
    contacts = tuple(replace(c, law=lm.Persistent()) for c in system.contacts)
    bare = system.replace(contacts=contacts, forces=forces, constraints=(), grounds=(plane,))
    rows = [np.asarray(r.normal_row, dtype=float) for r in contact_rows(forward(Instant(bare, bare.nominal_pose(), v)))]
    if system.constraints:
        row = np.zeros(layout.nv)
        row[layout.index_v("tail_rate")], row[layout.index_v("rotor_rate")] = 1.0, -0.5
        rows.append(row)
    matrix = np.array(rows)
    for index, joint in zip(held, system.imposed, strict=True):
        v[index] = float(joint.drive.velocity.evaluate({"t": 0.0}))  # type: ignore[union-attr]
        matrix[:, index] = 0.0
    wanted = -APPROACH - np.array(rows) @ v
    v += np.linalg.lstsq(matrix, wanted, rcond=1e-9)[0]
    return {s.name: float(x) for k, (s, x) in enumerate(zip(layout.velocities, v, strict=True)) if k not in held}
