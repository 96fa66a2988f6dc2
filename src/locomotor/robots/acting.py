"""What acts on the joints of a robot, and what holds its links together: springs, stops, motors, couplings and loops."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import LocomotorError, ModelError, RobotFileError
from locomotor.model import (
    BodyForce,
    BodyTorque,
    Closure,
    Constraint,
    Coupling,
    CylindricalClosure,
    FixedClosure,
    Force,
    Gear,
    Input,
    JointDamper,
    JointForce,
    JointFriction,
    JointSpring,
    PointDamper,
    PointSpring,
    PrismaticClosure,
    RevoluteClosure,
    RodClosure,
    SphericalClosure,
    Unilateral,
    UniversalClosure,
)
from locomotor.names import suggestion
from locomotor.robots.identifiers import Names
from locomotor.robots.parts import WORLD, Cord, Gearing, JointPart, Loop, Motor, Ratio, Robot, Rod, Tendon, Thruster, Tie

SCALAR = ("Revolute", "Prismatic", "Helical")
"""Joints of one degree of freedom."""


def of_file(error: ModelError, where: str, hint: str = "") -> LocomotorError:
    """The same error, with the place in the file."""
    return type(error)(f"{where}: {error.args[0] if error.args else error}{hint}")


@dataclass(eq=False)
class Acting:
    """Collects forces, constraints, loops and inputs of a robot."""

    robot: Robot
    names: Names
    joints: dict[str, str]
    """Names of joints in the system."""
    links: dict[str, str]
    stops: bool
    rubs: bool
    forces: list[Force] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)
    closures: list[Closure] = field(default_factory=list)
    cables: list[dict[str, Any]] = field(default_factory=list)
    """Arguments of `with_cable`, which takes a whole system."""
    inputs: list[Input] = field(default_factory=list)
    input_names: dict[str, str] = field(default_factory=dict)

    def collect(self) -> None:
        """Everything, in the order of the file."""
        parts = {joint.name: joint for joint in self.robot.joints}
        for joint in self.robot.joints:
            self._act_on(joint)
        _refuse_circles(self.robot)
        for ratio in self.robot.ratios:
            self._couple(ratio, parts)
        for tie in self.robot.ties:
            self._tie(tie)
        for tendon in self.robot.tendons:
            self._stretch(tendon)
        for cord in self.robot.cords:
            self._span(cord)
        for motor in self.robot.motors:
            self._drive(motor)
        for thruster in self.robot.thrusters:
            self._push(thruster)
        for loop in self.robot.loops:
            self._close(loop)
        for gearing in self.robot.gearings:
            self._gear(gearing)
        for rod in self.robot.rods:
            self._join(rod)

    # --- on joints ---

    def _act_on(self, joint: JointPart) -> None:
        """Springs, dampers and stops of a joint."""
        name = self.joints[joint.name]
        turns = joint.kind == "Spherical"
        if joint.damping and (turns or joint.kind in SCALAR):
            self.forces.append(JointDamper(self.names.fresh(f"{name}_damping", "force"), name, joint.damping))
        if joint.kind not in SCALAR:
            lost = {"damping": joint.damping and not turns, "spring": joint.stiffness, "rotor": joint.rotor}
            lost["dry friction"] = joint.dry
            for what in (what for what, value in lost.items() if value):
                self.robot.notes.add("ignored", what, "only joints of one degree of freedom have it here", joint.name)
            return
        if joint.stiffness:
            self.forces.append(JointSpring(self.names.fresh(f"{name}_spring", "force"), name, joint.stiffness, joint.rest))
        if joint.dry and self.rubs:
            self.forces.append(JointFriction(self.names.fresh(f"{name}_friction", "force"), name, joint.dry))
        elif joint.dry:
            text = "joint_friction=True makes a JointFriction of it, which holds the joint at rest"
            self.robot.notes.add("ignored", "dry friction", text, joint.name)
        if joint.limits is None:
            return
        if not self.stops:
            text = "told in .limits, and not enforced; limits='stops' makes end stops of them"
            self.robot.notes.add("ignored", "limits", text, joint.name)
            return
        lower, upper = joint.limits
        for word, position in (("low", f"{name} - ({lower!r})"), ("high", f"({upper!r}) - {name}")):
            self.constraints.append(Coupling(self.names.fresh(f"{name}_{word}", "stop"), position, law=Unilateral()))

    def _drive(self, motor: Motor) -> None:
        """An input and the force it makes; a force alone where no input moves it."""
        length, rate = self._sum(motor.shares)
        terms = f" + ({motor.offset!r})" if motor.offset else ""
        if motor.stiffness:
            terms += f" - ({motor.stiffness!r})*{length}"
        if motor.damping:
            terms += f" - ({motor.damping!r})*{rate}"
        if terms and not motor.gain and not any(motor.gain_by):
            self._share(motor.name, motor.shares, _within(terms.removeprefix(" + ").strip(), motor.effort))
            return
        name = self.names.fresh(motor.name, "input")
        self.input_names[motor.name] = name
        self.inputs.append(Input(name, description=motor.about))
        gain = f"({motor.gain!r})"
        if any(motor.gain_by):
            by_q, by_rate = motor.gain_by
            gain = f"({motor.gain!r} + ({by_q!r})*{length} + ({by_rate!r})*{rate})"
        law = f"{gain}*{_within(name, motor.control)}{terms}"
        self._share(f"{name}_force", motor.shares, _within(law, motor.effort))

    def _push(self, thruster: Thruster) -> None:
        """An input, or none, and the force and the torque that it makes on a body."""
        name, law = thruster.name, f"({thruster.offset!r})"
        if thruster.gain or not thruster.offset:
            name = self.names.fresh(thruster.name, "input")
            self.input_names[thruster.name] = name
            self.inputs.append(Input(name, description="thruster"))
            driven = f"({thruster.gain!r})*{_within(name, thruster.control)}"
            law = f"{driven} + {law}" if thruster.offset else driven
        law, link = _within(law, thruster.effort), self.links[thruster.link]
        frame = WORLD if thruster.world else "body"
        made = {"force": thruster.force, "torque": thruster.torque}
        words = [word for word, share in made.items() if np.any(share)]
        alone = len(words) == 1 and thruster.name not in self.input_names  # a force of a file keeps its name
        for word in words:
            components = tuple(f"({float(c)!r})*({law})" if c else 0.0 for c in made[word])
            called = self.names.fresh(name if alone else f"{name}_{word}", "force")
            if word == "force":
                self.forces.append(BodyForce(called, link, tuple(thruster.at), components, frame))  # type: ignore[arg-type]
            else:
                self.forces.append(BodyTorque(called, link, components, frame))  # type: ignore[arg-type]

    def _stretch(self, tendon: Tendon) -> None:
        """The spring, the damper and the stops of a sum of joints."""
        length, rate = self._sum(tendon.shares)
        name = self.names.fresh(tendon.name, "tendon")
        low, high = tendon.rest
        stretch = f"({length} - ({low!r}))"
        if low != high:
            stretch = f"(max({length} - ({high!r}), 0) + min({length} - ({low!r}), 0))"
        if tendon.stiffness:
            self._share(f"{name}_spring", tendon.shares, f"-({tendon.stiffness!r})*{stretch}")
        if tendon.damping:
            self._share(f"{name}_damping", tendon.shares, f"-({tendon.damping!r})*{rate}")
        if tendon.limits is None:
            return
        if not self.stops:
            self.robot.notes.add("ignored", "limits", "not enforced; limits='stops' makes end stops of them", tendon.name)
            return
        lower, upper = tendon.limits
        for word, position in (("low", f"{length} - ({lower!r})"), ("high", f"({upper!r}) - {length}")):
            self.constraints.append(Coupling(self.names.fresh(f"{name}_{word}", "stop"), position, law=Unilateral()))

    def _span(self, cord: Cord) -> None:
        """The spring and the damper between two points; one alone has the name of the file."""
        ends = (self.links[cord.body_a], tuple(cord.at_a), self.links[cord.body_b], tuple(cord.at_b))
        both = bool(cord.stiffness and cord.damping)
        if cord.stiffness:
            name = self.names.fresh(f"{cord.name}_spring" if both else cord.name, "force")
            self.forces.append(PointSpring(name, *ends, cord.stiffness, cord.rest))
        if cord.damping:
            name = self.names.fresh(f"{cord.name}_damping" if both else cord.name, "force")
            self.forces.append(PointDamper(name, *ends, cord.damping))
        if cord.longest is None:
            return
        if not self.stops:
            text = "not enforced; limits='stops' makes cables of them, which become taut there"
            self.robot.notes.add("ignored", "limits", text, cord.name)
            return
        a, at_a, b, at_b = ends if ends[2] != WORLD else (*ends[2:], *ends[:2])
        name = self.names.fresh(cord.name, "cable")
        self.names.fresh(f"{name}_reach", "ground")
        self.cables.append({"cable": name, "body_a": a, "body_b": b, "at_a": at_a, "at_b": at_b, "length": cord.longest})

    def _sum(self, shares: dict[str, float]) -> tuple[str, str]:
        """The coordinate of a joint, or the sum of several, and its rate, as expressions."""
        names = {self.joints[joint]: share for joint, share in shares.items()}
        if list(names.values()) == [1.0]:
            return next(iter(names)), f"{next(iter(names))}_rate"
        found = (" + ".join(f"({share!r})*{name}{end}" for name, share in names.items()) for end in ("", "_rate"))
        length, rate = (f"({text})" for text in found)
        return length, rate

    def _share(self, name: str, shares: dict[str, float], law: str) -> None:
        """An effort along a sum of joints, on each of them by its share."""
        for joint, share in shares.items():
            own, text = self.joints[joint], law if share == 1.0 else f"({share!r})*({law})"
            called = name if len(shares) == 1 else f"{name}_{own}"
            self.forces.append(JointForce(self.names.fresh(called, "force"), own, text))

    # --- what holds together ---

    def _couple(self, ratio: Ratio, parts: dict[str, JointPart]) -> None:
        """A joint that follows another."""
        for name in filter(None, (ratio.joint, ratio.other)):
            if name not in parts:
                raise RobotFileError(
                    f"{self.robot.file!r}: {ratio.name!r} speaks of the joint {name!r}, which is not there: "
                    f"{suggestion(name, parts)}"
                )
            if parts[name].kind not in SCALAR:
                self.robot.notes.add("ignored", "a joint that follows another", f"{name!r} has not one degree of freedom")
                return
        one, other = self.joints[ratio.joint], self.joints.get(ratio.other, "")
        x = other if ratio.other_offset == 0.0 else f"({other} - ({ratio.other_offset!r}))"
        powers = ["", f"*{x}", *(f"*{x}**{k}" for k in range(2, len(ratio.coefficients)))]
        terms = [f"({c!r}){power}" for c, power in zip(ratio.coefficients, powers, strict=False) if c]
        total = " - ".join([one if ratio.offset == 0.0 else f"{one} - ({ratio.offset!r})", *terms])
        try:
            self.constraints.append(Coupling(self.names.fresh(ratio.name, "coupling"), total))
        except ModelError as error:
            raise of_file(error, repr(self.robot.file)) from error

    def _tie(self, tie: Tie) -> None:
        """A sum of joints that is held, or follows another sum."""
        length, other = (
            f"({self._sum(shares)[0] if shares else '0.0'} - ({zero!r}))"
            for shares, zero in ((tie.shares, tie.offset), (tie.others, tie.other_offset))
        )
        powers = ["", f"*{other}", *(f"*{other}**{k}" for k in range(2, len(tie.coefficients)))]
        terms = [f"({c!r}){power}" for c, power in zip(tie.coefficients, powers, strict=False) if c]
        try:
            self.constraints.append(Coupling(self.names.fresh(tie.name, "coupling"), " - ".join([length, *terms])))
        except ModelError as error:
            raise of_file(error, repr(self.robot.file)) from error

    def _gear(self, gearing: Gearing) -> None:
        """A body that turns as another does, seen from a carrier."""
        name, ends = self.names.fresh(gearing.name, "loop"), (self.links[gearing.body_a], self.links[gearing.body_b])
        axes = {"axis_a": tuple(gearing.axis_a), "axis_b": tuple(gearing.axis_b)}
        try:
            self.closures.append(
                Gear(name, *ends, **axes, ratio=gearing.ratio, carrier=self.links[gearing.carrier])  # type: ignore[arg-type]
            )
        except ModelError as error:
            raise of_file(error, repr(self.robot.file)) from error

    def _join(self, rod: Rod) -> None:
        """Two points that keep a distance."""
        ends = (self.links[rod.body_a], self.links[rod.body_b])
        name = self.names.fresh(rod.name, "loop")
        try:
            self.closures.append(
                RodClosure(name, *ends, at_a=tuple(rod.at_a), at_b=tuple(rod.at_b), length=rod.length)  # type: ignore[arg-type]
            )
        except ModelError as error:
            raise of_file(error, repr(self.robot.file)) from error

    def _close(self, loop: Loop) -> None:
        """Add a closure for a loop of the file."""
        for link in (loop.body_a, loop.body_b):
            if link not in self.links:
                told = suggestion(link, self.links)
                raise RobotFileError(
                    f"{self.robot.file!r}: loop {loop.name!r} speaks of the link {link!r}, which is not there: {told}"
                )
        name = self.names.fresh(loop.name, "loop")
        bodies = (self.links[loop.body_a], self.links[loop.body_b])
        points: dict[str, Any] = {"at_a": tuple(loop.at_a), "at_b": tuple(loop.at_b)}
        R = loop.rotation
        try:
            if loop.kind == "connect":
                made: Closure = SphericalClosure(name, *bodies, **points)
            elif loop.kind in ("weld", "prismatic"):
                # The axes of b, seen from a; along the axis of a slide, any way across it.
                u = np.array([1.0, 0.0, 0.0]) if loop.axis is None else np.array(loop.axis)
                v = np.cross(np.eye(3)[int(np.abs(u).argmin())], u)
                v = v / np.linalg.norm(v)
                kind = FixedClosure if loop.kind == "weld" else PrismaticClosure
                axes: dict[str, Any] = {"axis_a": R @ u, "axis_b": u, "across_a": R @ v, "across_b": v}
                made = kind(name, *bodies, **(points | {key: tuple(value) for key, value in axes.items()}))
            else:
                kinds = {"revolute": RevoluteClosure, "cylindrical": CylindricalClosure, "universal": UniversalClosure}
                axis = np.array([0.0, 0.0, 1.0]) if loop.axis is None else loop.axis
                second = axis if loop.second is None else loop.second
                made = kinds[loop.kind](name, *bodies, **points, axis_a=tuple(R @ axis), axis_b=tuple(second))
        except ModelError as error:
            raise of_file(error, repr(self.robot.file)) from error
        self.closures.append(made)


def _refuse_circles(robot: Robot) -> None:
    """Raise where a joint follows itself, alone or by way of others: it could not move, or would follow nobody."""
    follows = {ratio.joint: ratio.other for ratio in robot.ratios}
    for first in follows:
        path = [first]
        while path[-1] in follows and follows[path[-1]] not in path:
            path.append(follows[path[-1]])
        if follows.get(path[-1]) == first:
            told = " -> ".join([*path, first])
            raise RobotFileError(f"{robot.file!r}: joints follow each other in a circle, {told}; let one of them lead")


def _within(text: str, limits: tuple[float, float] | None) -> str:
    """An expression held between two numbers."""
    return text if limits is None else f"min(max({text}, {limits[0]!r}), {limits[1]!r})"
