"""Systems as MJCF, for what that format can say; what it cannot is told, and what would be wrong is refused.

A body carries its joints; frames without mass that move, as between the joints of a shoulder, are folded into the body beyond
them, which then has several joints, one after the other. Values of parameters become numbers.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import RobotFileError
from locomotor.files import write_text
from locomotor.lie import SE3
from locomotor.model import Body, Frame, Free, Gravity, Joint, Motion, System, evaluate
from locomotor.robots.mjcf_beside import Beside
from locomotor.robots.mjcf_joints import At, joint_elements
from locomotor.robots.mjcf_text import geom, tag, turn
from locomotor.robots.notes import RobotWarning, told_in_words
from locomotor.robots.parts import NOMINAL, Notes
from locomotor.robots.rotations import from_quaternion
from locomotor.typing import Floats

MJCF = (".xml", ".mjcf")
SMALLEST = 1e-15
"""Mass (kg) and moment (kg m²) of a body that moves, below which MuJoCo refuses it (its mjMINVAL)."""
FLAT = 1e-13
"""Share of its largest moment that is added to those of a body as thin as a sheet or a rod."""


def write_mjcf(system: System, path: str | Path) -> Path:
    """Write a system; a `RobotWarning` tells what the file leaves out."""
    writer = _Writer(system)
    text = writer.text()
    target = write_text(Path(path), text)
    told = writer.notes.listed()
    if told:
        warnings.warn(
            told_in_words(Path(path).name, "MJCF does not say everything of the system", told), RobotWarning, stacklevel=6
        )
    return target


@dataclass(eq=False)
class _Writer:
    system: System
    notes: Notes = field(default_factory=Notes)
    assets: dict[str, str] = field(default_factory=dict)

    @cached_property
    def values(self) -> dict[str, float]:
        """Values of the parameters."""
        return dict(self.system.parameters.values)

    def text(self) -> str:
        """The whole file."""
        system = self.system
        self._refuse_soft()
        gravity = sum((self._vector(f.acceleration) for f in system.forces if isinstance(f, Gravity)), np.zeros(3))
        beside = Beside(system, self.values, self.notes)
        bodies = [self._body(i, beside) for i in system.roots]
        scenery = [geom(shape, self.values, self.assets, contype="0", conaffinity="0") for shape in system.scenery]
        for shape, line in zip(system.scenery, scenery, strict=True):
            if line is None:
                self.notes.add("ignored", f"scenery of the kind {type(shape).__name__}", "MJCF has none")
        for what in ("modes", "ends"):
            if getattr(system, what):
                self.notes.add("ignored", f"{what} of the system", "MJCF describes one system, and no run")
        world = [*beside.floor(), *(line for line in scenery if line is not None), *beside.on_body("world"), *bodies]
        parts = [
            tag("compiler", angle="radian", autolimits=True, inertiafromgeom=False),
            tag("option", gravity=gravity, integrator="implicitfast"),
            tag("asset", self.assets.values()) if self.assets else "",
            tag("worldbody", world),
            *beside.sections(),
            tag("keyframe", [tag("key", name=NOMINAL, qpos=self._qpos())]) if self._moves() else "",
        ]
        return tag("mujoco", [part for part in parts if part], model=system.name) + "\n"

    def _refuse_soft(self) -> None:
        for body in self.system.bodies:
            if body.coordinates:
                raise RobotFileError(
                    f"cannot write {self.system.name!r} as MJCF: {body.label} is soft, and bodies of MJCF are rigid; write the "
                    "system with a chain of rigid bodies in its place"
                )

    def _vector(self, value: Any) -> Floats:
        return np.asarray(evaluate(value, self.values), dtype=float)

    def _moves(self) -> bool:
        return any(joint.nv for joint in self.system.joints)

    # --- bodies ---

    def _body(self, i: int, beside: Beside) -> str:
        """A body with what hangs on it; frames that move and carry one body only are folded into that one."""
        system = self.system
        chain = [i]
        while self._folds(chain[-1]):
            chain.append(system.children[chain[-1]][0])
        last = chain[-1]
        body = system.bodies[last]
        placements = [self._matrix(system.joints[k].placement(self.values)) for k in chain]
        whole = np.linalg.multi_dot([np.eye(4), np.eye(4), *placements])
        lines: list[str] = []
        beyond = np.eye(4)
        for k, place in zip(reversed(chain), reversed(placements), strict=True):
            inward = np.asarray(np.linalg.inv(beyond), dtype=np.float64)
            lines = [*self._joint(system.joints[k], inward, beside.joint_ranges), *lines]
            beyond = place @ beyond
        lines += self._inertial(body, moving=any(system.joints[k].nv for k in chain))
        for shape in body.shapes:
            line = geom(shape, self.values, self.assets, contype="0", conaffinity="0", group="1")
            if line is None:
                self.notes.add("ignored", f"shapes of the kind {type(shape).__name__}", "MJCF has none", body.name)
            else:
                lines.append(line)
        lines += beside.on_body(body.name)
        lines += [self._body(child, beside) for child in system.children[last]]
        free = isinstance(system.joints[last], Free)
        pose = self._nominal_pose(system.joints[last]) if free else whole
        at = pose[:3, 3]
        return tag("body", lines, name=body.name, pos=at if np.any(at) else None, quat=turn(pose[:3, :3]))

    def _folds(self, i: int) -> bool:
        system = self.system
        body, joint = system.bodies[i], system.joints[i]
        if not isinstance(body, Frame) or not joint.nv:
            return False
        alone = len(system.children[i]) == 1 and not body.shapes and body.name not in self._named
        if not alone or isinstance(joint, Free):
            raise RobotFileError(
                f"cannot write {system.name!r} as MJCF: the frame {body.name!r} moves and has no mass, which MuJoCo allows "
                "between the joints of one body only; give it a small mass"
            )
        return True

    @cached_property
    def _named(self) -> set[str]:
        """Bodies that contacts, forces, loops and grounds speak of."""
        forces = {getattr(force, name) for force in self.system.forces for name in force.BODIES}
        loops = {name for closure in self.system.loops for name in (closure.body_a, closure.body_b)}
        grounds = {ground.body for ground in self.system.grounds}
        return {contact.body for contact in self.system.contacts} | forces | loops | grounds

    def _inertial(self, body: Body | Frame, moving: bool) -> list[str]:
        if isinstance(body, Frame):
            return []
        mass, com, inertia = (np.asarray(x, dtype=float) for x in body.mass_properties(self.values))
        least = float(np.linalg.eigvalsh(inertia)[0])
        if moving and (least < SMALLEST * (1.0 - FLAT) or mass < SMALLEST):
            few = (
                "has no inertia about some axis" if least <= 0.0 else f"has a mass of {mass} kg and a moment of {least!r} kg m²"
            )
            raise RobotFileError(
                f"cannot write {self.system.name!r} as MJCF: {body.label} {few}, and MuJoCo refuses what is below {SMALLEST}; "
                "give it more, or larger units of mass"
            )
        inertia = _not_flatter_than_flat(inertia)
        if least < 2.0 * SMALLEST:  # which a full matrix may not have even where it does not move
            moments, axes = np.linalg.eigh(inertia)
            axes[:, 2] *= np.sign(np.linalg.det(axes))
            held = np.maximum(moments, SMALLEST if moving else 0.0)
            return [tag("inertial", pos=com, quat=turn(axes), mass=float(mass), diaginertia=held)]
        full = [inertia[0, 0], inertia[1, 1], inertia[2, 2], inertia[0, 1], inertia[0, 2], inertia[1, 2]]
        return [tag("inertial", pos=com, mass=float(mass), fullinertia=full)]

    @staticmethod
    def _matrix(pose: SE3) -> Floats:
        return np.asarray(pose.as_matrix(), dtype=float)

    # --- joints and poses ---

    def _joint(self, joint: Joint, at: Floats, ranges: Mapping[str, tuple[float, float]]) -> list[str]:
        if isinstance(joint.drive, Motion):
            self.notes.add("ignored", "imposed motions", "the joint is free in the file", joint.name)
        found = joint_elements(joint, At(self.system, self.values, at, ranges))
        if found is None:
            raise RobotFileError(
                f"cannot write {self.system.name!r} as MJCF: it has no joint like {joint.label} here; MJCF has hinges, slides, "
                "ball joints whose frame is not turned against that of their body, and free joints that stand in the world"
            )
        return found

    def _nominal_pose(self, joint: Joint) -> Floats:
        q = self.system.nominal_pose()[self.system.layout.q[joint.name]]
        pose = np.eye(4)
        pose[:3, 3], pose[:3, :3] = q[:3], from_quaternion(q[3:])
        return pose

    def _qpos(self) -> Floats:
        """Coordinates of the nominal pose, in the order of the file, which is ours: depth first."""
        return self.system.nominal_pose()


def _not_flatter_than_flat(inertia: Floats) -> Floats:
    """Moments that MuJoCo takes: of a thin rod or plate the largest is the sum of the others, and by rounding may exceed it.

    MuJoCo refuses a file for one unit of the last digit.
    """
    low, middle, high = np.linalg.eigvalsh(inertia)
    return inertia if low + middle > high * (1.0 + FLAT) else inertia + FLAT * high * np.eye(3)
