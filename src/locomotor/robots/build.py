"""From the parts of a robot to a system."""

from __future__ import annotations

from dataclasses import field, replace
from functools import cached_property
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError, MasslessBranchError, ModelError
from locomotor.model import (
    COLOURS,
    Body,
    Contact,
    Fixed,
    Frame,
    Free,
    Gravity,
    Helical,
    Joint,
    Planar,
    Plane,
    Prismatic,
    Revolute,
    Shape,
    Spherical,
    System,
    Translation,
    Universal,
    with_cable,
)
from locomotor.names import suggestion
from locomotor.robots.acting import SCALAR, Acting, of_file
from locomotor.robots.doubts import tell_doubts
from locomotor.robots.feet import contacts_of
from locomotor.robots.identifiers import Names, identifier
from locomotor.robots.imported import Imported
from locomotor.robots.options import Options
from locomotor.robots.parts import NOMINAL, WORLD, JointPart, Limit, Link, Robot
from locomotor.robots.poses import lowest
from locomotor.robots.roots import joined
from locomotor.robots.welded import merge_welded, still

KINDS: dict[str, type[Joint]] = {
    kind.__name__: kind for kind in (Fixed, Free, Helical, Planar, Prismatic, Revolute, Spherical, Translation, Universal)
}
EARTH = (0.0, 0.0, -9.81)


def build(robot: Robot, options: Options) -> Imported:
    """The system of a robot."""
    joined(robot, options)
    tell_doubts(robot)
    merge_welded(robot, options.merge)
    return _Builder(robot, options).built()


@dataclass(eq=False)
class _Builder:
    robot: Robot
    options: Options
    names: Names = field(default_factory=Names)
    joint_names: dict[str, str] = field(default_factory=dict)
    link_names: dict[str, str] = field(default_factory=lambda: {WORLD: WORLD})

    def built(self) -> Imported:
        robot = self.robot
        for joint in robot.joints:
            self.joint_names[joint.name] = self.names.fresh(joint.name, "joint", channels=True)
        for link in robot.links:
            self.link_names[link.name] = self.names.fresh(link.name, "link")
        acting = Acting(
            robot, self.names, self.joint_names, self.link_names, self.options.limits == "stops", self.options.joint_friction
        )
        gravity = EARTH if robot.gravity is None else tuple(map(float, robot.gravity))
        if any(gravity):
            acting.forces.append(Gravity(gravity))
        joints = [self._joint(joint) for joint in robot.joints]
        acting.collect()
        bodies = [self._body(link) for link in robot.links]
        ground = Plane() if robot.ground is None else Plane(normal=robot.ground[0], point=robot.ground[1])
        contacts = self._contacts()
        nominal = self._nominal()
        try:
            system = System(
                robot.name or "robot",
                bodies,
                joints,
                contacts=contacts,
                forces=acting.forces,
                grounds=(ground,),
                inputs=acting.inputs,
                nominal=nominal,
                description=f"read from {robot.file}",
                constraints=acting.constraints,
                loops=acting.closures,
                scenery=robot.scenery,
            )
            for cable in acting.cables:
                system = with_cable(system, **cable)
        except MasslessBranchError as error:
            raise of_file(error, repr(robot.file), "; fixed=['joint'] fixes it while the robot is read") from error
        except ModelError as error:
            raise of_file(error, repr(robot.file)) from error
        return Imported(
            system, robot.notes.listed(), self._limits(), self._poses(), acting.input_names, self.joint_names, self.link_names
        )

    # --- parts ---

    def _body(self, link: Link) -> Body | Frame:
        name = self.link_names[link.name]
        if link.mass == 0.0 and not np.any(link.inertia):
            return Frame(name, shapes=self._painted(link))
        inertia = 0.5 * (link.inertia + link.inertia.T)
        if self.options.balance:
            inertia = self._balanced(link, inertia)
        try:
            return Body(name, link.mass, tuple(link.com), tuple(map(tuple, inertia)), shapes=self._painted(link))
        except ModelError as error:
            hint = (
                ""
                if self.options.balance or not link.mass > 0.0
                else "; or read it with balance=True, which mends moments that no body has"
            )
            raise of_file(error, link.where or repr(self.robot.file), hint) from error

    @cached_property
    def _coloured(self) -> bool:
        """Whether the robot has colours of its own."""
        return any(shape.colour not in COLOURS for link in self.robot.links for shape in link.shapes)

    def _painted(self, link: Link) -> list[Shape]:
        """Shapes of a link; among coloured ones, those without a colour are metal instead of a different colour each."""
        if not self._coloured:
            return link.shapes
        return [replace(shape, colour="metal") if shape.colour == "body" else shape for shape in link.shapes]

    def _balanced(self, link: Link, inertia: Any) -> Any:
        low, middle, high = np.linalg.eigvalsh(inertia)
        if low >= 0.0 and high <= (low + middle) * (1 + 1e-9):
            return inertia
        mean = max(float(low + middle + high) / 3, 0.0)
        self.robot.notes.add(
            "changed",
            "inertia",
            "no body has these moments; each is their mean instead, as asked for by balance=True",
            link.name,
        )
        return mean * np.eye(3)

    def _joint(self, joint: JointPart) -> Joint:
        shared: dict[str, Any] = {
            "name": self.joint_names[joint.name],
            "parent": self.link_names[joint.parent],
            "child": self.link_names[joint.child],
            "at": tuple(joint.at),
            "rotation": tuple(map(tuple, joint.rotation)) if not np.array_equal(joint.rotation, np.eye(3)) else (0.0, 0.0, 0.0),
        }
        if joint.kind in SCALAR:
            shared |= {"axis": tuple(joint.axis), "rotor": joint.rotor}  # type: ignore[arg-type]
        if joint.kind == "Helical":
            shared["pitch"] = joint.pitch
        if joint.kind == "Universal":
            shared["axes"] = tuple(map(tuple, joint.axes))  # type: ignore[arg-type]
        try:
            return KINDS[joint.kind](**shared)
        except ModelError as error:
            raise of_file(error, repr(self.robot.file)) from error

    def _contacts(self) -> list[Contact]:
        chosen = self.options.contacts
        touching = [link for link in self.robot.links if link.touches or link.collides]
        if chosen is False:
            if touching:
                text = "touch nothing; contacts=True takes all of them, contacts=['foot', ...] those of some links"
                self.robot.notes.add("ignored", f"collision shapes of {len(touching)} links", text)
            return []
        if chosen is not True:
            known = {identifier(link.name): link for link in self.robot.links} | {link.name: link for link in self.robot.links}
            for name in chosen:
                if name not in known:
                    raise ArgumentError(f"import_robot: contacts: no link is named {name!r}: {suggestion(name, known)}")
                if not known[name].touches and not known[name].shapes:
                    raise ArgumentError(
                        f"import_robot: contacts: link {name!r} has no shape; add a contact of your own: "
                        "system.replace(contacts=[lm.StickingPoint('tip', 'body', at=(0, 0, 0))])"
                    )
            touching = [known[name] for name in dict.fromkeys(chosen)]
        else:
            at_rest = still(self.robot)
            for link in touching:
                if link.name in at_rest:
                    text = "it stands still in the world, and what moves touches the floor"
                    self.robot.notes.add("ignored", "collision shapes", text, link.name)
            touching = [link for link in touching if link.name not in at_rest]
        if len([link for link in self.robot.links if link.touches or link.collides]) > 1:
            self.robot.notes.add("ignored", "contacts between links", "shapes touch the floor alone")
        return [
            contact
            for link in touching
            for contact in contacts_of(link, self.link_names[link.name], self.names, self.options.friction, self.robot.notes)
        ]

    # --- what is told beside the system ---

    def _nominal(self) -> dict[str, float]:
        found: dict[str, float] = {}
        roots = [joint for joint in self.robot.joints if joint.parent == WORLD]
        for joint in self.robot.joints:
            start = joint.start
            if joint.kind == "Free" and not start and joint is roots[0]:
                start = (0.0, 0.0, max(0.0, -lowest(self.robot)), 1.0, 0.0, 0.0, 0.0)
            found |= self._coordinates(joint, start)
        return found | self._poses().get(NOMINAL, {})

    def _coordinates(self, joint: JointPart, values: tuple[float, ...]) -> dict[str, float]:
        if not values:
            return {}
        first = next(j for j in self.robot.joints if j.parent == WORLD)
        made = KINDS[joint.kind]
        probe: dict[str, Any] = {"axis": (0, 0, 1)} if joint.kind in SCALAR else {}
        probe |= {"pitch": 1.0} if joint.kind == "Helical" else {}
        probe |= {"axes": ((1, 0, 0), (0, 1, 0))} if joint.kind == "Universal" else {}
        shown = made(name=self.joint_names[joint.name], parent=WORLD, child="body", **probe).symbols(joint is first)
        return {symbol.name: float(value) for symbol, value in zip(shown.coordinates, values, strict=True)}

    def _poses(self) -> dict[str, dict[str, float]]:
        parts = {joint.name: joint for joint in self.robot.joints}
        return {
            name: {key: value for joint, q in pose.items() for key, value in self._coordinates(parts[joint], q).items()}
            for name, pose in self.robot.poses.items()
        }

    def _limits(self) -> dict[str, Limit]:
        found = {}
        for joint in self.robot.joints:
            lower, upper = joint.limits or (None, None)
            limit = Limit(lower, upper, joint.effort, joint.speed)
            if limit != Limit():
                found[self.joint_names[joint.name]] = limit
        return found
