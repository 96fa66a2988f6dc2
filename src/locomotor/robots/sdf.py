"""SDF: the format of Gazebo. Joints make a graph, so that loops close; poses are told relative to any frame of the model.

A model moves freely unless it is static or joined to the world. The frame of a link is that of the file, its origin at
the joint that carries it. Of joints that carry a link already carried, the later ones are loops.
"""

from __future__ import annotations

import math

import numpy as np

from locomotor.checks import shown
from locomotor.robots.doubts import tell_degrees
from locomotor.robots.meshes import Meshes
from locomotor.robots.parts import WORLD, Gearing, JointPart, Loop, Notes, Ratio, Robot
from locomotor.robots.rotations import to_quaternion
from locomotor.robots.sdf_frames import MODEL, Frames, Pose, back, read_pose, then
from locomotor.robots.sdf_links import UNBOUNDED, bound_of, is_true, number_of, read_link, text_of
from locomotor.robots.xml_tree import Element
from locomotor.typing import Floats

KINDS = {
    "revolute": "Revolute",
    "continuous": "Revolute",
    "prismatic": "Prismatic",
    "fixed": "Fixed",
    "ball": "Spherical",
    "universal": "Universal",
    "screw": "Helical",
}
LOOPS = {"Revolute": "revolute", "Prismatic": "prismatic", "Fixed": "weld", "Spherical": "connect", "Universal": "universal"}


def read_sdf(root: Element, meshes: Meshes, notes: Notes) -> Robot:
    """The robot of an <sdf> element: its first model."""
    version = _version(root)
    world = root.child("world")
    holder = root if world is None else world
    models = holder.all("model")
    if not models:
        holder.wrong("it has no <model>; write one")
    for other in models[1:]:
        other.seen = False  # told as ignored
    robot = Robot(models[0].word("name", ""), root.file, notes=notes)
    if world is not None:
        world.word("name", "")
        gravity = world.child("gravity")
        robot.gravity = None if gravity is None else gravity.values(3)
    _Model(models[0], robot, meshes, version).read()
    for name, element, _ in root.unread():
        reason = REASONS.get(name, "it says nothing that a system has")
        notes.add("ignored", name, "only the first model is read" if element in models[1:] else reason)
    tell_degrees(root, notes)
    return robot


REASONS = {
    "canonical_link= of <model>": "coordinates of the base are those of the link that carries the others",
    "auto= of <inertial>": "masses are not worked out from shapes; write <mass> and <inertia>",
    "<include>": "other files are not followed; put the model into this one",
    "<plugin>": "it is code of a simulator",
    "<sensor>": "sensors are channels of a run",
    "<model>": "models inside models are not read",
}


def _version(root: Element) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in root.word("version", "1.6").split("."))
    except ValueError:
        root.wrong(f"the version is {shown(root.attributes['version'])}; write one such as 1.9")


class _Model:
    def __init__(self, model: Element, robot: Robot, meshes: Meshes, version: tuple[int, ...]) -> None:
        self.model, self.robot, self.meshes, self.version = model, robot, meshes, version
        self.frames = Frames(model)
        self.origins: dict[str, Floats] = {WORLD: np.zeros(3)}
        """Of a link: the origin of its frame in that of the file."""

    def read(self) -> None:
        model, frames = self.model, self.frames
        pose, inside = read_pose(model)
        if inside not in ("", WORLD):
            model.wrong(f"its pose is told in {shown(inside)}, which is outside the model; tell it in the world")
        frames.known |= {WORLD: (np.eye(3), np.zeros(3)), MODEL: pose}
        links = {frames.add(link, MODEL): link for link in model.all("link")}
        joints = {frames.add(joint, text_of(joint, "child")): joint for joint in model.all("joint")}
        for frame in model.all("frame"):
            frames.add(frame, frame.word("attached_to", "") or MODEL)
        self._place(pose)
        self._joints(links, joints)
        robot = self.robot
        robot.links += [read_link(name, link, self._origin(name), self.meshes, robot.notes) for name, link in links.items()]
        static = is_true(model, "static")
        if static and any(joint.kind != "Fixed" for joint in robot.joints):
            robot.notes.add("changed", "<static>", "its base is fixed and its joints move, which they do not in Gazebo")
        carried = {joint.child for joint in robot.joints}
        roots = [name for name in links if name not in carried]
        for name in roots:
            R, p = frames.pose(name, model)
            root = JointPart("root" if len(roots) == 1 else f"{name}_root", "Fixed", WORLD, name, p, R)
            if not static:  # a free joint stands in the world, and its coordinates are the pose
                root.kind, root.start = "Free", (*map(float, p), *to_quaternion(R))
                root.at, root.rotation = np.zeros(3), np.eye(3)
            robot.joints.insert(0, root)

    def _place(self, pose: Pose) -> None:
        """The pose of a model is that of its placement frame, where it names one."""
        name = self.model.word("placement_frame", "")
        if name:
            there = then(back(pose), self.frames.pose(name, self.model))
            self.frames.known = {WORLD: self.frames.known[WORLD], MODEL: then(pose, back(there))}

    # --- joints ---

    def _joints(self, links: dict[str, Element], joints: dict[str, Element]) -> None:
        """Read the joints: those of a tree first, then those that close loops."""
        carriers: dict[str, str] = {}
        loops, gears = [], []
        for name, element in joints.items():
            parent, child = self._end(element, "parent", links), self._end(element, "child", links)
            if child == WORLD:
                element.wrong("its child is the world; swap parent and child")
            if element.word("type") == "gearbox":
                gears.append((name, element, parent, child))
                continue
            if child in carriers or self._hangs_on(parent, child, carriers):
                loops.append((name, element, parent, child))
                continue
            carriers[child] = parent
            self._joint(name, element, parent, child)
        for name, element, parent, child in loops:
            self._loop(name, element, parent, child)
        for name, element, parent, child in gears:
            self._gearbox(name, element, parent, child, self._end(element, "gearbox_reference_body", links))

    @staticmethod
    def _hangs_on(parent: str, child: str, carriers: dict[str, str]) -> bool:
        """Whether the parent is carried by the child, so that a joint between them would close a circle."""
        while parent != child and parent in carriers:
            parent = carriers[parent]
        return parent == child

    def _end(self, element: Element, tag: str, links: dict[str, Element]) -> str:
        """The link that a joint names; a frame stands for the link it is attached to."""
        name, seen = text_of(element, tag), set()
        while name not in links and name != WORLD:
            told = self.frames.told.get(name)
            if told is None or told[0].tag != "frame" or name in seen:
                element.wrong(f"its {tag} is {shown(name)}, which is no link of the model")
            seen.add(name)
            name = told[0].word("attached_to", "") or next(iter(links))
        return name

    def _joint(self, name: str, element: Element, parent: str, child: str) -> None:
        kind = element.word("type")
        if kind not in KINDS:
            known = ", ".join(KINDS)
            self.robot.notes.add("changed", f"<joint type={shown(kind)}>", f"it is fixed; known are {known}", name)
        joint = JointPart(name, KINDS.get(kind, "Fixed"), parent, child)
        frame = self.frames.pose(name, element)
        in_parent = then(back(self.frames.pose(parent, element)), frame)
        in_child = then(back(self.frames.pose(child, element)), frame)
        self.origins[child] = in_child[1]
        self._placed(joint, in_parent, in_child)
        axes = [self._axis(element, tag, joint, in_child) for tag in ("axis", "axis2")[: _axes(joint.kind)]]
        if joint.kind == "Universal":
            joint.axes = np.array(axes)
        elif axes:
            joint.axis = axes[0]
        if joint.kind == "Helical":
            joint.pitch = _pitch(element)
        self.robot.joints.append(joint)

    def _placed(self, joint: JointPart, in_parent: Pose, in_child: Pose) -> None:
        """At the joint, with the axes of the child's link; the origin of the parent is taken off when all are known."""
        joint.rotation = in_parent[0] @ in_child[0].T
        joint.at = in_parent[1] - self.origins.get(joint.parent, np.zeros(3))
        for other in self.robot.joints:  # joints that were read before the one that carries their parent
            if other.parent == joint.child:
                other.at = other.at - self.origins[joint.child]

    def _axis(self, element: Element, tag: str, joint: JointPart, in_child: Pose) -> Floats:
        """The unit axis in the axes of the child; limits and dynamics of the first one are those of the joint."""
        found = element.need(tag)
        xyz = found.child("xyz")
        axis = np.array([0.0, 0.0, 1.0]) if xyz is None else xyz.values(3, (0.0, 0.0, 1.0))
        length = float(np.linalg.norm(axis))
        if not 0.0 < length < math.inf:
            found.wrong("the axis is zero; write a direction such as 0 0 1")
        inside = "" if xyz is None else xyz.word("expressed_in", "")
        if self.version < (1, 5) or is_true(found, "use_parent_model_frame"):
            inside = MODEL
        child = self.frames.pose(joint.child, element)
        R = in_child[0] if not inside else child[0].T @ self.frames.pose(inside, found)[0]
        if tag == "axis":
            self._ranges(found, joint)
        return np.asarray(R @ (axis / length))

    def _ranges(self, axis: Element, joint: JointPart) -> None:
        limit, dynamics, mimic = axis.child("limit"), axis.child("dynamics"), axis.child("mimic")
        if limit is not None:
            lower, upper = bound_of(limit, "lower", -UNBOUNDED), bound_of(limit, "upper", UNBOUNDED)
            if lower > upper:
                limit.wrong(f"lower is {lower} and upper {upper}; swap them")
            if lower > -1e15 or upper < 1e15:
                joint.limits = (lower, upper)
            joint.effort, joint.speed = _most(limit, "effort"), _most(limit, "velocity")
        if dynamics is not None:
            joint.damping = number_of(dynamics, "damping", 0.0)
            joint.stiffness, joint.rest = (
                number_of(dynamics, "spring_stiffness", 0.0),
                number_of(dynamics, "spring_reference", 0.0),
            )
            joint.dry = number_of(dynamics, "friction", 0.0)
            for what, value in (("damping", joint.damping), ("friction", joint.dry), ("spring_stiffness", joint.stiffness)):
                if value < 0.0:
                    dynamics.wrong(f"the {what} is {value}; write zero or more")
        if mimic is not None:
            factor, offset = number_of(mimic, "multiplier", 1.0), number_of(mimic, "offset", 0.0)
            reference = number_of(mimic, "reference", 0.0)
            other = mimic.word("joint")
            mimic.word("axis", "axis")
            self.robot.ratios.append(Ratio(f"{joint.name}_mimic", joint.name, other, (offset, factor), 0.0, reference))

    def _loop(self, name: str, element: Element, parent: str, child: str) -> None:
        kind = KINDS.get(element.word("type"), "")
        if kind not in LOOPS:
            self.robot.notes.add("ignored", f"loop {name!r}", f"a {element.word('type')} joint closes no loop here")
            return
        frame = self.frames.pose(name, element)
        in_parent = then(back(self.frames.pose(parent, element)), frame)
        in_child = then(back(self.frames.pose(child, element)), frame)
        ends = (parent, in_parent[1] - self._origin(parent), child, in_child[1] - self._origin(child))
        loop = Loop(name, *ends, LOOPS[kind], in_parent[0] @ in_child[0].T)
        probe = JointPart(name, kind, parent, child)
        axes = [self._axis(element, tag, probe, in_child) for tag in ("axis", "axis2")[: _axes(kind)]]
        loop.axis, loop.second = (*axes, None, None)[:2]
        self.robot.loops.append(loop)
        for what, value in (("limits", probe.limits), ("damping", probe.damping), ("spring", probe.stiffness)):
            if value:
                self.robot.notes.add(
                    "ignored", f"{what} of a joint that closes a loop", "only joints of the tree have them", name
                )

    def _gearbox(self, name: str, element: Element, parent: str, child: str, carrier: str) -> None:
        """theta_2 = -ratio theta_1, with the turn of the parent about `axis` and that of the child about `axis2`, both as seen
        from the reference body. It holds nothing else, so that all three hang on other joints.
        """
        frame = self.frames.pose(name, element)
        in_child = then(back(self.frames.pose(child, element)), frame)
        R = self.frames.pose(carrier, element)[0].T @ self.frames.pose(child, element)[0]
        probe = JointPart(name, "Revolute", parent, child)
        one, other = (R @ self._axis(element, tag, probe, in_child) for tag in ("axis", "axis2"))
        ratio = -number_of(element, "gearbox_ratio", 1.0)
        if not ratio:
            element.wrong("its gearbox_ratio is 0; write the turns of the child for one of the parent")
        self.robot.gearings.append(Gearing(name, parent, one, child, other, carrier, ratio))

    def _origin(self, link: str) -> Floats:
        return self.origins.setdefault(link, np.zeros(3))


def _axes(kind: str) -> int:
    return {"Fixed": 0, "Spherical": 0, "Universal": 2}.get(kind, 1)


def _most(limit: Element, tag: str) -> float | None:
    """A bound of effort or speed; the format writes a negative one where there is none."""
    told = bound_of(limit, tag, -1.0)
    return told if 0.0 <= told < UNBOUNDED else None


def _pitch(element: Element) -> float:
    """Metres a radian; the format tells metres a turn, and used to tell minus radians a metre."""
    turn, old = element.child("screw_thread_pitch"), element.child("thread_pitch")
    if turn is not None:
        found = turn.value() / (2.0 * math.pi)
    elif old is not None:
        told = old.value()
        found = -1.0 / told if told else 0.0
    else:  # the defaults of both, -1 m and 0.16 m a radian, are no thread
        element.wrong("it has no <screw_thread_pitch>; write one, in metres a turn")
    return found or element.wrong("the pitch of its thread is zero; write a revolute joint")
