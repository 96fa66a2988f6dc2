"""What MJCF says beside the tree of bodies: floor, contacts, what holds together, and actuators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields
from functools import singledispatch
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.model import (
    Closure,
    Contact,
    ContactLaw,
    Coupling,
    FixedClosure,
    Force,
    Gravity,
    JointDamper,
    JointForce,
    JointFriction,
    JointSpring,
    Plane,
    RevoluteClosure,
    RodClosure,
    RollingDisc,
    RollingSphere,
    SlidingPoint,
    SlidingSphere,
    Spherical,
    SphericalClosure,
    StickingPoint,
    System,
    evaluate,
)
from locomotor.model.expressions import free_names
from locomotor.names import WORLD
from locomotor.robots.mjcf_joints import frictionloss
from locomotor.robots.mjcf_text import tag, turn
from locomotor.robots.parts import Notes
from locomotor.robots.rotations import turning_to
from locomotor.robots.write_motors import Motors
from locomotor.robots.write_rods import held_at, rod_length
from locomotor.robots.write_stops import is_stop, ranges, stop_name
from locomotor.robots.write_sums import Shares
from locomotor.robots.write_tendons import between, cable_of, written
from locomotor.robots.write_ties import tied
from locomotor.typing import Floats

POINT = 1e-6
"""Radius (m) of the ball that stands for a point that touches."""
MASKS = 31
"""Bits of a mask of MuJoCo; grounds beyond them share the last one."""
HINGE = 0.1
"""Distance (m) between the two points that hold a hinge."""


@dataclass(eq=False)
class Beside:
    """Collects sites while bodies are written, and the sections that follow them."""

    system: System
    values: Mapping[str, float]
    notes: Notes
    equalities: list[str] = field(default_factory=list)
    sites: dict[str, list[str]] = field(default_factory=dict)
    tendons: dict[str, str] = field(default_factory=dict)
    """By name, which is that of the force where it is one between points."""
    site_names: set[str] = field(default_factory=set)
    joint_ranges: dict[str, tuple[float, float]] = field(default_factory=dict)
    stopped: set[str] = field(default_factory=set)
    """End stops that are ranges."""
    cables: dict[str, str] = field(default_factory=dict)
    """Contacts that are tendons, and their grounds."""
    motors: Motors = field(init=False)
    actuators: list[str] = field(init=False)

    def __post_init__(self) -> None:
        # Springs and dampers between points come back by the names of their tendons: they have them first.
        for force in self.system.forces:
            tendon = written(force, self.values, self._site)
            if tendon is not None:
                self.tendons[force.name] = tendon
        for contact in self.system.contacts:
            cable = cable_of(contact, self.system, self.values)
            if cable is not None:
                name = self._tendon_name(contact.name)
                self.tendons[name] = cable.tendon(name, self.values, self._site)
                self.cables[contact.name] = contact.ground
                self._tell_law(contact.name, contact.law, "cables")
        self._stops()
        # Before bodies are written, which have sites of them.
        self.motors = Motors(self.system, self.values, self.notes, self.tendons, self._tendon_name, self._site)
        self.actuators = self.motors.elements()
        for closure in self.system.loops:
            if not hold(closure, self):
                self.notes.add("ignored", "loops", f"MJCF has no {type(closure).__name__} of this kind", closure.name)

    def vector(self, value: Any) -> Floats:
        """Numbers of a vector."""
        return np.asarray(evaluate(value, self.values), dtype=float)

    # --- floor and contacts ---

    def floor(self) -> list[str]:
        """A plane for each plane of the system."""
        found = []
        for ground in self.system.grounds:
            if ground.name in self.cables.values():
                continue
            if not isinstance(ground, Plane) or ground.body != WORLD:
                self.notes.add("ignored", f"ground {ground.name!r}", f"MJCF has no {type(ground).__name__} of this kind")
                continue
            at, R = self.vector(ground.point), turning_to(self.vector(ground.normal))
            masks = {"contype": self._bit(ground.name), "conaffinity": "0"}
            found.append(
                tag("geom", name=ground.name, type="plane", size="0 0 1", pos=at, quat=turn(R), **masks, rgba="0.8 0.8 0.8 1")
            )
        return found

    def on_body(self, body: str) -> list[str]:
        """Sites and geoms that touch."""
        return [*self.sites.get(body, []), *(line for c in self.system.contacts if c.body == body for line in self._touch(c))]

    def _touch(self, contact: Contact) -> list[str]:
        law = contact.law
        if contact.name in self.cables:
            return []
        if not law.pushes or law.is_gated:
            self.notes.add("ignored", "contacts", f"MJCF has none with the law {type(law).__name__}", contact.name)
            return []
        ground = self.system.ground(contact.ground)
        if ground.body != WORLD:
            self.notes.add("ignored", "contacts", f"its ground is carried by the body {ground.body!r}", contact.name)
            return []
        form = touching_form(contact, self.values)
        if form is None:
            self.notes.add("ignored", "contacts", f"MJCF has no {type(contact).__name__}", contact.name)
            return []
        self._tell_law(contact.name, law, "contacts")
        masks = {"contype": "0", "conaffinity": self._bit(contact.ground)}
        return [tag("geom", name=contact.name, **form, **masks, **self._rubbing(contact), rgba="0 0 0 0")]

    def _tell_law(self, name: str, law: ContactLaw, what: str) -> None:
        """What a law says beside the friction that is written; contacts of MuJoCo are soft, and do not rebound."""
        plain = type(law)()
        for part in (entry.name for entry in fields(law) if entry.name not in ("friction", "patch")):  # type: ignore[arg-type]
            if getattr(law, part) != getattr(plain, part):
                self.notes.add("ignored", f"{part} of {what}", "MJCF has none", name)

    def _bit(self, ground: str) -> str:
        """The bit of a ground: contacts touch their own one, and not each other."""
        return str(1 << min([g.name for g in self.system.grounds].index(ground), MASKS - 1))

    def _rubbing(self, contact: Contact) -> dict[str, str]:
        """Friction of a contact; that of the floor does not count beside it."""
        if contact.slides:
            return {"condim": "1", "priority": "1"}
        if not contact.law.slips:
            text = "MuJoCo has friction in its place, here with the coefficient 10"
            self.notes.add("changed", "contacts that stick", text, contact.name)
        elif "slip" in free_names(contact.law.friction):  # type: ignore[attr-defined]
            self.notes.add("changed", "friction that depends on the slip", "MuJoCo has that of a slow one", contact.name)
        mu = float(contact.law.friction_at(self.values)) if contact.law.slips else 10.0
        if contact.pivots:
            twist = 2.0 / 3.0 * mu * float(evaluate(contact.law.patch_at(self.values), self.values))
            return {"condim": "4", "friction": f"{mu!r} {twist!r} 0", "priority": "1"}
        return {"condim": "3", "friction": f"{mu!r} 0 0", "priority": "1"}

    # --- what holds together ---

    def _site(self, body: str, name: str, at: Any, R: Floats | None = None) -> str:
        while name in self.site_names:
            name += "_"
        self.site_names.add(name)
        self.sites.setdefault(body, []).append(
            tag("site", name=name, pos=at, quat=None if R is None else turn(R), rgba="0 0 0 0")
        )
        return name

    def meet(self, closure: Closure, suffix: str = "", shift_a: Any = 0.0, shift_b: Any = 0.0) -> None:
        """A point of one body and a point of another stay together."""
        one = self._site(closure.body_a, f"{closure.name}{suffix}_a", self.vector(closure.at_a) + shift_a)
        two = self._site(closure.body_b, f"{closure.name}{suffix}_b", self.vector(closure.at_b) + shift_b)
        self.equalities.append(tag("connect", name=f"{closure.name}{suffix}", site1=one, site2=two))

    def weld(self, closure: Closure, axes_a: Floats, axes_b: Floats) -> None:
        """Two frames stay on each other."""
        one = self._site(closure.body_a, f"{closure.name}_a", self.vector(closure.at_a), axes_a)
        two = self._site(closure.body_b, f"{closure.name}_b", self.vector(closure.at_b), axes_b)
        self.equalities.append(tag("weld", name=closure.name, site1=one, site2=two))

    def rod(self, closure: RodClosure) -> bool:
        """Two points keep a distance: a tendon between them is held at that length; False where the length moves."""
        length = rod_length(closure, self.values)
        if length is None:
            return False
        name = self._tendon_name(closure.name)
        self.tendons[name] = between(name, closure, self.values, self._site)
        self.equalities.append(held_at(closure, length, name, self.system, self.values))
        return True

    def _stops(self) -> None:
        """Ranges of joints and of sums of them."""
        bounds = [constraint for constraint in self.system.constraints if is_stop(constraint)]
        for found in ranges(bounds, self._scalar, self.values):  # type: ignore[arg-type]
            if found.ends is None:
                continue
            if len(found.joints) == 1:
                self.joint_ranges[found.joints[0]] = found.ends
            else:
                name = self._tendon_name(stop_name(found.stops))
                self.tendons[name] = found.shares.tendon(name, range=found.ends)
            for stop in found.stops:
                self.stopped.add(stop.name)
                self._tell_law(stop.name, stop.law, "stops")

    def _couplings(self) -> list[str]:
        found = []
        for constraint in self.system.constraints:
            text = None
            if constraint.name in self.stopped:
                continue
            if is_stop(constraint):
                text = "MJCF has ranges with two ends, of joints and of sums of them"
                self.notes.add("ignored", "end stops", text, constraint.name)
                continue
            if isinstance(constraint, Coupling) and not constraint.law.switches:
                law: Any = constraint.position
                text = tied(constraint.name, law, self._scalar, self.values, self._sum)
            if text is None:
                what = "MJCF has joints, or sums of them, that follow others by a polynomial"
                self.notes.add("ignored", "constraints", what, constraint.name)
            else:
                found.append(text)
        return found

    @property
    def _scalar(self) -> list[str]:
        """Joints of one degree of freedom."""
        return [joint.name for joint in self.system.joints if joint.nv == 1]

    def _sum(self, wanted: str, shares: Shares) -> str:
        """Add a tendon that is a sum of joints."""
        name = self._tendon_name(wanted)
        self.tendons[name] = shares.tendon(name)
        return name

    def _tendon_name(self, wanted: str) -> str:
        """A name that no other tendon has."""
        while wanted in self.tendons:
            wanted += "_"
        return wanted

    # --- all of it ---

    def sections(self) -> list[str]:
        """Tendons, equalities and actuators; forces that MJCF does not have are told."""
        actuators = self.actuators
        balls = {joint.name for joint in self.system.joints if isinstance(joint, Spherical)}
        for force in self.system.forces:
            dry = isinstance(force, JointFriction) and force.joint not in balls
            said = dry and frictionloss(force, self.values) is not None  # type: ignore[arg-type]
            said = said or force.name in self.tendons or force.name in self.motors.said
            if not said and not isinstance(force, Gravity | JointDamper | JointSpring | JointForce):
                self._tell(force)
        equalities = [*self.equalities, *self._couplings()]
        parts = {"tendon": self.tendons.values(), "equality": equalities, "actuator": actuators}
        return [tag(name, lines) for name, lines in parts.items() if lines]

    def _tell(self, force: Force) -> None:
        self.notes.add("ignored", "forces", f"MJCF has no {type(force).__name__}", force.name)


# --- contacts by kind -------------------------------------------------------------------------------------------------


@singledispatch
def touching_form(contact: Contact, values: Mapping[str, float]) -> dict[str, Any] | None:
    """Type, size and place of the geom that touches like a contact; None where there is none."""
    return None


@touching_form.register(RollingSphere)
@touching_form.register(SlidingSphere)
def _(contact: Any, values: Mapping[str, float]) -> dict[str, Any]:
    return {"type": "sphere", "pos": evaluate(contact.centre, values), "size": evaluate(contact.radius, values)}


@touching_form.register(StickingPoint)
@touching_form.register(SlidingPoint)
def _(contact: Any, values: Mapping[str, float]) -> dict[str, Any]:
    return {"type": "sphere", "pos": evaluate(contact.at, values), "size": POINT}


@touching_form.register
def _(contact: RollingDisc, values: Mapping[str, float]) -> dict[str, Any]:
    R, radius = turning_to(np.asarray(evaluate(contact.axis, values), dtype=float)), float(evaluate(contact.radius, values))
    return {"type": "cylinder", "pos": evaluate(contact.centre, values), "quat": turn(R), "size": (radius, POINT)}


# --- loops by kind ----------------------------------------------------------------------------------------------------


@singledispatch
def hold(closure: Closure, beside: Beside) -> bool:
    """Add what closes a loop; False where MJCF cannot."""
    return False


@hold.register
def _(closure: SphericalClosure, beside: Beside) -> bool:
    beside.meet(closure)
    return True


@hold.register
def _(closure: RodClosure, beside: Beside) -> bool:
    return beside.rod(closure)


@hold.register
def _(closure: RevoluteClosure, beside: Beside) -> bool:
    """Two points of the axis meet."""
    beside.meet(closure)
    beside.meet(closure, "_axis", HINGE * beside.vector(closure.axis_a), HINGE * beside.vector(closure.axis_b))
    return True


@hold.register
def _(closure: FixedClosure, beside: Beside) -> bool:
    u, v = (beside.vector(axis) for axis in (closure.axis_a, closure.axis_b))
    if closure.across_a is None or closure.across_b is None:
        # Equal axes mean parallel frames; of others the choice across is not told.
        if np.array_equal(u, v) and closure.across_a is None and closure.across_b is None:
            beside.weld(closure, np.eye(3), np.eye(3))
            return True
        return False
    across = (beside.vector(closure.across_a), beside.vector(closure.across_b))
    axes = [np.column_stack([one, two, np.cross(one, two)]) for one, two in zip((u, v), across, strict=True)]
    beside.weld(closure, *axes)
    return True
