"""MJCF: the format of MuJoCo, read by MuJoCo itself.

Defaults, frames, inertias from shapes and a dozen ways to write a rotation are resolved by its own compiler (`MjSpec`), so that
what is read is what MuJoCo would simulate. A body may have several joints, one after the other: they become joints with
frames between them. The frame of a link is the body's, its origin at the last of its joints.
"""

from __future__ import annotations

import warnings
from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import MissingExtraError, RobotFileError
from locomotor.robots.mjcf_geoms import Geoms
from locomotor.robots.mjcf_motors import read_motors
from locomotor.robots.mjcf_switches import is_off, off_in_words, switch_off
from locomotor.robots.mjcf_tendons import Tendons
from locomotor.robots.mjcf_ties import read_tie
from locomotor.robots.parts import WORLD, JointPart, Link, Loop, Notes, Ratio, Robot
from locomotor.robots.rotations import about, from_quaternion
from locomotor.typing import Floats

FREE, BALL, SLIDE, HINGE = 0, 1, 2, 3
CONNECT, WELD, JOINT, TENDON = 0, 1, 2, 3


def read_mjcf(path: Path, meshes: bool, notes: Notes) -> Robot:
    """The robot of a file."""
    model = _compiled(path, meshes, notes)
    switch_off(model, notes)
    robot = Robot(_name_of(model), path.name, notes=notes)
    return _Reader(model, robot, Geoms(model, robot, meshes)).read()


def _compiled(path: Path, meshes: bool, notes: Notes) -> Any:
    try:
        import mujoco
    except ImportError as error:
        raise MissingExtraError(
            f"cannot read {str(path)!r}: MJCF is read by MuJoCo's own compiler; pip install 'locomotor[robots]'"
        ) from error
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model = _model(mujoco.MjSpec, path, meshes, notes)
    except RobotFileError:
        raise
    except Exception as error:  # whatever its parser and compiler raise
        words = " ".join(str(error).split()) or type(error).__name__
        raise RobotFileError(f"cannot read {path.name!r}: MuJoCo says: {words}; correct it there") from error
    for warning in said:
        notes.add("doubt", "MuJoCo", str(warning.message))
    return model


def _model(spec: Any, path: Path, meshes: bool, notes: Notes) -> Any:
    """The compiled model; where files of meshes miss that are not wanted, without those geoms."""
    try:
        return _parsed(spec, path).compile()
    except ValueError as error:
        bare = _parsed(spec, path)
        shaped = [geom for geom in bare.geoms if geom.meshname]
        if meshes or not shaped or "opening file" not in str(error):
            raise
        needed = sorted({geom.parent.name for geom in shaped if not geom.parent.explicitinertial and geom.parent.name != WORLD})
        if needed:
            words = f"MuJoCo says: {' '.join(str(error).split())}; masses of {', '.join(needed)} follow from meshes"
            raise RobotFileError(f"cannot read {path.name!r}: {words}: give those files, or each an <inertial>") from error
        for part in (*shaped, *bare.meshes):
            bare.delete(part)
        model = bare.compile()
        notes.add("ignored", f"{len(shaped)} geoms with meshes", "their files miss, and meshes=False leaves them out")
        return model


def _parsed(spec: Any, path: Path) -> Any:
    """The file as MuJoCo parses it, which asks for the name of an XML file; files that it names lie beside it all the same."""
    if path.suffix in (".xml", ".urdf"):
        return spec.from_file(str(path))
    name = f"{path}.xml"
    return spec.from_file(name, include={name: path.read_bytes()})


def _name_of(model: Any) -> str:
    name = bytes(model.names).split(b"\0", 1)[0].decode("utf-8", "replace")
    return "" if name == "MuJoCo Model" else " ".join(name.split())


@dataclass(eq=False)
class _Reader:
    model: Any
    robot: Robot
    geoms: Geoms
    bodies: dict[int, str] = field(default_factory=lambda: {0: WORLD})
    origins: dict[int, Floats] = field(default_factory=lambda: {0: np.zeros(3)})
    """Origin of the link's frame in the body's."""
    joints: dict[int, str] = field(default_factory=dict)

    def read(self) -> Robot:
        m, robot = self.model, self.robot
        taken: set[str] = set()
        for j in range(m.njnt):
            self.joints[j] = _unique(m.joint(j).name or f"{m.body(m.jnt_bodyid[j]).name or 'body'}_joint", taken)
        taken = {WORLD}
        for b in range(1, m.nbody):
            self.bodies[b] = _unique(m.body(b).name or f"body_{b}", taken)
        robot.gravity = np.array(m.opt.gravity) if not is_off(m, "gravity") else np.zeros(3)
        self.geoms.world()
        for b in range(1, m.nbody):
            self._body(b)
        tendons = Tendons(m, robot, self.joints, self.bodies, self.origins)
        self._equalities(tendons)
        tendons.read()
        read_motors(m, robot, self.joints, self.bodies, self.origins)
        self._keys()
        self._tell()
        return robot

    # --- bodies and joints ---

    def _body(self, b: int) -> None:
        m = self.model
        first, count = int(m.body_jntadr[b]), int(m.body_jntnum[b])
        joints = [first + k for k in range(count)]
        parent = int(m.body_parentid[b])
        free = bool(joints) and m.jnt_type[joints[0]] == FREE
        R = np.eye(3) if free else from_quaternion(m.body_quat[b])
        at = np.zeros(3) if free else np.array(m.body_pos[b]) - self.origins[parent]
        origin, carrier = np.zeros(3), WORLD if free else self.bodies[parent]
        if not joints:
            self.robot.joints.append(JointPart(f"{self.bodies[b]}_weld", "Fixed", carrier, self.bodies[b], at, R))
        for k, j in enumerate(joints):
            child = self.bodies[b] if k == count - 1 else f"{self.bodies[b]}_{self.joints[j]}"
            if k < count - 1:
                self.robot.links.append(Link(child))
            anchor = origin if m.jnt_type[j] in (SLIDE, FREE) else np.array(m.jnt_pos[j])
            at = at + R @ (anchor - origin)
            self.robot.joints.append(self._joint(j, carrier, child, at, R))
            at, R, origin, carrier = np.zeros(3), np.eye(3), anchor, child
        self.origins[b] = origin
        self.robot.links.append(self._link(b, origin))

    def _joint(self, j: int, parent: str, child: str, at: Floats, R: Floats) -> JointPart:
        m = self.model
        kind = int(m.jnt_type[j])
        dof, place = int(m.jnt_dofadr[j]), int(m.jnt_qposadr[j])
        joint = JointPart(self.joints[j], ("Free", "Spherical", "Prismatic", "Revolute")[kind], parent, child, at, R)
        joint.rotor = float(m.dof_armature[dof])
        joint.damping, joint.stiffness = float(m.dof_damping[dof]), float(m.jnt_stiffness[j])
        if kind in (SLIDE, HINGE):
            axis, reference = np.array(m.jnt_axis[j]), float(m.qpos0[place])
            joint.axis = axis / np.linalg.norm(axis)
            if kind == HINGE and reference:  # at the reference the frames of parent and child have the file's pose
                joint.rotation = R @ about(joint.axis, -reference)
            elif reference:
                joint.at = at - R @ (reference * joint.axis)
            joint.rest, joint.start = float(m.qpos_spring[place]), (reference,)
            if m.jnt_limited[j]:
                joint.limits = (float(m.jnt_range[j, 0]), float(m.jnt_range[j, 1]))
            if m.jnt_actfrclimited[j]:
                joint.effort = float(np.abs(m.jnt_actfrcrange[j]).max())
        else:
            joint.start = tuple(map(float, m.qpos0[place : place + (7 if kind == FREE else 4)]))
        self._tell_joint(j, dof, joint)
        return joint

    def _link(self, b: int, origin: Floats) -> Link:
        m = self.model
        link = Link(self.bodies[b], float(m.body_mass[b]), np.array(m.body_ipos[b]) - origin, where=repr(self.robot.file))
        R = from_quaternion(m.body_iquat[b])
        link.inertia = R @ np.diag(m.body_inertia[b]) @ R.T
        self.geoms.of_body(b, link, origin)
        return link

    # --- what holds together, and poses ---

    def _equalities(self, tendons: Tendons) -> None:
        m, robot = self.model, self.robot
        for e in range(m.neq):
            kind, data = int(m.eq_type[e]), np.array(m.eq_data[e])
            name = m.eq(e).name or f"equality_{e}"
            if is_off(m, "equality"):
                robot.notes.add("ignored", "<equality>", off_in_words(m, "equality"), name)
            elif not m.eq_active0[e]:
                robot.notes.add("ignored", "<equality>", "it is not active", name)
            elif kind == JOINT:
                both = [int(j) for j in (m.eq_obj1id[e], m.eq_obj2id[e]) if j >= 0]
                zero = [float(m.qpos0[m.jnt_qposadr[j]]) for j in both]
                one, other = [*(self.joints[j] for j in both), ""][:2]
                robot.ratios.append(Ratio(name, one, other, tuple(map(float, data[: 5 if other else 1])), *zero))
            elif kind in (CONNECT, WELD):
                self._loop(e, kind, name, data)
            elif kind == TENDON:
                read_tie(tendons, e, m.eq(e).name or tendons.name(int(m.eq_obj1id[e])))
            else:
                robot.notes.add("ignored", "<equality>", "only connect, weld, joint and tendon are known", name)

    def _loop(self, e: int, kind: int, name: str, data: Floats) -> None:
        m = self.model
        first, second = int(m.eq_obj1id[e]), int(m.eq_obj2id[e])
        at_a, at_b = (data[0:3], data[3:6]) if kind == CONNECT else (data[3:6], data[0:3])
        if int(m.eq_objtype[e]) != 1:  # sites, whose frames the data do not repeat
            at_a, at_b = np.array(m.site_pos[first]), np.array(m.site_pos[second])
            turn = from_quaternion(m.site_quat[first]) @ from_quaternion(m.site_quat[second]).T
            first, second = int(m.site_bodyid[first]), int(m.site_bodyid[second])
        else:
            turn = from_quaternion(data[6:10]) if kind == WELD else np.eye(3)
        a, b = self.bodies[first], self.bodies[second]
        word = "weld" if kind == WELD else "connect"
        loop = Loop(name, a, at_a - self.origins[first], b, at_b - self.origins[second], word, turn)
        self.robot.loops.append(loop)

    def _keys(self) -> None:
        m = self.model
        for k in range(m.nkey):
            pose = {}
            for j, name in self.joints.items():
                place = int(m.jnt_qposadr[j])
                pose[name] = tuple(map(float, m.key_qpos[k, place : place + (7, 4, 1, 1)[int(m.jnt_type[j])]]))
            name = m.key(k).name or f"key_{k}"
            self.robot.poses[name] = pose
            if np.any(m.key_qvel[k]) or np.any(m.key_ctrl[k]):
                self.robot.notes.add("ignored", "velocities and controls of a keyframe", "poses are coordinates", name)

    # --- what is left out ---

    def _tell_joint(self, j: int, dof: int, joint: JointPart) -> None:
        m, notes = self.model, self.robot.notes
        joint.dry = float(m.dof_frictionloss[dof])
        if m.jnt_springyield[j]:
            notes.add("ignored", "springs that yield", "springs are elastic here", joint.name)
        if np.any(m.jnt_stiffnesspoly[j]) or np.any(m.dof_dampingpoly[dof]):
            notes.add("ignored", "stiffness and damping by polynomials", "only their linear part is read", joint.name)
        if joint.kind == "Spherical" and m.jnt_limited[j]:
            notes.add("ignored", "limits", "a ball joint has none here", joint.name)

    def _tell(self) -> None:
        m, notes = self.model, self.robot.notes
        counted = {
            "<sensor>": (m.nsensor, "sensors are channels of a run"),
            "<camera>": (m.ncam, "views are chosen when a run is shown"),
            "<contact> pair": (m.npair, "bodies do not touch each other"),
            "<flex>": (getattr(m, "nflex", 0), "bodies are rigid"),
            "<plugin>": (getattr(m, "nplugin", 0), "it is code of MuJoCo"),
        }
        for what, (count, text) in counted.items():
            if count:
                notes.add("ignored", f"{what} ({count})", text)
        if np.any(m.opt.wind) or m.opt.density or m.opt.viscosity:
            notes.add("ignored", "fluid (density, viscosity, wind)", "FluidDrag and AddedMass say what a fluid does to a body")
        for b in range(1, m.nbody):
            if m.body_gravcomp[b]:
                notes.add("ignored", "gravcomp", "gravity acts on every body in the same way", self.bodies[b])
            if m.body_mocapid[b] >= 0:
                notes.add("changed", "mocap", "the body is fixed in its place", self.bodies[b])


def _unique(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    taken.add(name)
    return name
