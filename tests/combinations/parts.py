"""What each value of an axis stands for, in words of the library: one small function a value.

The system is a base on its root, a limb on the joint to be tried, and a rotor; a wheel on the limb where the contact needs
one, and a tail where a constraint ties two joints. Sizes are about a metre, a kilogram and a second.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import locomotor as lm
from combinations.soft import LEAVES, Sole
from oracles.sampling import body

Rng = np.random.Generator
Joints = tuple[tuple[lm.Body | lm.Frame, ...], tuple[Any, ...]]

HEIGHT = 0.9
"""Of the base above the origin (m)."""
CONTACT = "touch"
"""Name of the contact that is tried; a capsule has two, a coupling of this name is none."""
AXLE = (0.0, 1.0, 0.0)


def slanted(rng: Rng, axis: tuple[float, float, float], by: float = 0.2) -> tuple[float, ...]:
    """A unit vector near an axis, of no symmetry."""
    vector = np.array(axis) + by * rng.uniform(-1.0, 1.0, 3)
    return tuple(float(x) for x in vector / np.linalg.norm(vector))


# -- roots ---------------------------------------------------------------------------------------------------


def sliders(turn: Any) -> Joints:
    """Two sliders and a hinge: motion in a vertical plane."""
    chain = (
        lm.Prismatic(name="forward", parent="world", child="cart", axis=(1.0, 0.0, 0.0)),
        lm.Prismatic(name="up", parent="cart", child="lift", axis=(0.0, 0.0, 1.0), at=(0.0, 0.0, HEIGHT)),
        lm.Revolute(name="lean", parent="lift", child="base", axis=AXLE),
    )
    return (lm.Frame("cart"), lm.Frame("lift")), chain


ROOTS: dict[str, Callable[[Any], Joints]] = {
    "fixed": lambda turn: ((), (lm.Fixed(name="root", parent="world", child="base", at=(0.0, 0.0, HEIGHT)),)),
    "planar": lambda turn: ((), (lm.Planar(name="root", parent="world", child="base", at=(0.0, 0.0, HEIGHT), rotation=turn),)),
    "free": lambda turn: ((), (lm.Free(name="root", parent="world", child="base", at=(0.0, 0.0, HEIGHT)),)),
    "sliders": sliders,
}

# -- joints --------------------------------------------------------------------------------------------------

JOINTS: dict[str, Callable[..., Any]] = {
    "revolute": lambda rng, **at: lm.Revolute(axis=slanted(rng, AXLE), **at),
    "prismatic": lambda rng, **at: lm.Prismatic(axis=slanted(rng, (0.0, 0.0, 1.0)), **at),
    "helical": lambda rng, **at: lm.Helical(axis=slanted(rng, (0.0, 0.0, 1.0)), pitch=0.1, **at),
    "universal": lambda rng, **at: lm.Universal(axes=((1.0, 0.0, 0.0), AXLE), **at),
    "spherical": lambda rng, **at: lm.Spherical(**at),
    "fixed": lambda rng, **at: lm.Fixed(**at),
    "free": lambda rng, **at: lm.Free(**at),
    "planar": lambda rng, **at: lm.Planar(rotation=(0.5 * math.pi, 0.0, 0.1), **at),
    "translation": lambda rng, **at: lm.Translation(**at),
}

# -- contacts ------------------------------------------------------------------------------------------------


Shift = tuple[float, ...]


def capsule(law: Any, shift: Shift, sole: Sole) -> tuple[Any, ...]:
    """Two spheres; the second is shifted so that both touch at once."""
    first, second = sole.ends
    end = tuple(a + b for a, b in zip(second, shift, strict=True))
    return lm.capsule_ends(CONTACT, sole.body, first, end, 0.08, law=law)


CONTACTS: dict[str, Callable[[Any, Shift, Sole], tuple[Any, ...]]] = {
    "none": lambda law, shift, sole: (),
    "disc": lambda law, shift, sole: (lm.RollingDisc(CONTACT, "wheel", (0.0, 0.0, 0.0), AXLE, 0.15, law=law),),
    "torus": lambda law, shift, sole: (lm.RollingTorus(CONTACT, "wheel", (0.0, 0.0, 0.0), AXLE, 0.12, 0.03, law=law),),
    "sphere": lambda law, shift, sole: (lm.RollingSphere(CONTACT, sole.body, sole.foot, 0.1, law=law),),
    "smooth": lambda law, shift, sole: (lm.SlidingSphere(CONTACT, sole.body, sole.foot, 0.1, law=law),),
    "skate": lambda law, shift, sole: (lm.Skate(CONTACT, sole.body, sole.foot, sole.ahead, law=law),),
    "sticking": lambda law, shift, sole: (lm.StickingPoint(CONTACT, sole.body, sole.foot, law=law),),
    "sliding": lambda law, shift, sole: (lm.SlidingPoint(CONTACT, sole.body, sole.foot, law=law),),
    "capsule": capsule,
    "coupling": lambda law, shift, sole: (),
    "velocity": lambda law, shift, sole: (),
    "moving": lambda law, shift, sole: (),
}

COMPLIANT: dict[str, Callable[..., Any]] = {
    "sliding": lambda sole, **how: lm.CompliantContact(CONTACT, sole.body, sole.foot, **how),
    "sphere": lambda sole, **how: lm.CompliantContact(CONTACT, sole.body, sole.foot, radius=0.1, **how),
    "disc": lambda sole, **how: lm.CompliantContact(CONTACT, "wheel", (0.0, 0.0, 0.0), radius=0.15, axis=AXLE, **how),
}

WHEELS = ("disc", "torus")
TIES = ("coupling", "velocity", "moving")

# -- laws ----------------------------------------------------------------------------------------------------

GRIPS = {"given": "sin(2*pi*t/0.026 + pi)", "assembled": "sin(2*pi*t/0.026)"}
"""Open at the start and closed from 13 to 26 ms, or the other way round."""

CLING = 4.0
"""How hard a contact that adheres pulls at most (N)."""

LAWS: dict[str, Callable[[str], Any]] = {
    "persistent": lambda start: lm.Persistent(),
    "plastic": lambda start: lm.Unilateral(),
    "newton": lambda start: lm.Unilateral(restitution="bounce", tangential=-1.0),
    "poisson": lambda start: lm.Unilateral(restitution=0.6, rule="poisson"),
    "stronge": lambda start: lm.Unilateral(restitution=0.6, rule="stronge"),
    "gated": lambda start: lm.Unilateral(when="t - 0.004"),
    "adhesive": lambda start: lm.Adhesive("cling"),
    "grip": lambda start: lm.Grip(GRIPS[start]),
    "compliant": lambda start: lm.Persistent(),
    "friction": lambda start: lm.Unilateral(restitution=0.3, friction="mu"),
    "resisting": lambda start: lm.Unilateral(friction="mu", rolling=0.01),
}

# -- grounds -------------------------------------------------------------------------------------------------

NORMALS = {
    "plane": (0.0, 0.0, 1.0),
    "tilted": (0.19, -0.08, 0.9785192895),
    "terrain": (0.0, 0.0, 1.0),
    "carried": (0.0, 0.0, 1.0),
}
RAFT = "raft"
"""The body that carries a ground which moves."""
KERB = 0.01
"""Height of the step in a terrain (m)."""


def normal_of(ground: str) -> np.ndarray:
    """Unit normal of a ground."""
    n = np.array(NORMALS[ground])
    return n / np.linalg.norm(n)


def turn_of(ground: str) -> Any:
    """Rotation vector that turns the vertical into the normal of a ground."""
    n = normal_of(ground)
    axis = np.cross((0.0, 0.0, 1.0), n)
    size = np.linalg.norm(axis)
    return tuple(float(x) for x in (axis / size * np.arcsin(size) if size else axis))


def reach(contact: str, upright: float) -> float:
    """How far ahead of where it touches (m) a round body meets a step of that height.

    `upright` is the sine of the angle between the axis of a wheel and the vertical: one that lies flat reaches far.
    """
    radius = {"disc": 0.15, "torus": 0.15, "sphere": 0.1, "smooth": 0.1, "capsule": 0.08}.get(contact, 0.0)
    if upright < 0.05:
        return 2.0 * radius
    return min(2.0 * radius, math.sqrt(2.0 * radius * KERB / upright) + KERB * math.sqrt(max(1.0 - upright**2, 0.0)) / upright)


def grounds(ground: str, low: float, edge: float) -> tuple[Any, ...]:
    """The ground at a signed distance `low` from the origin along its normal; a terrain has a step up at x = `edge`."""
    n = normal_of(ground)
    if ground != "terrain":
        return (
            lm.Plane(normal=tuple(n), point=tuple(float(x) for x in low * n), body=RAFT if ground == "carried" else "world"),
        )
    kerb = lm.Terrain.kerb(KERB)
    return (lm.Terrain("ground", np.array(kerb.vertices) + (edge, 0.0, low), kerb.triangles),)


# -- what resists the motion, and what ends it ----------------------------------------------------------------

MEDIA: dict[str, tuple[Any, ...]] = {
    "none": (),
    "damped": (
        lm.JointDamper("bearing", "rotor", 0.05),
        lm.PointDamper("dashpot", "limb", (0.0, 0.0, 0.0), "world", (0.3, 0.2, 1.5), 0.8),
    ),
    "dry": (
        lm.JointFriction(
            "bearing",
            "rotor",
            "0.04 + 0.01*sin(rotor)",
            0.08,
            viscous=0.01,
            mu=0.1,
            radius=0.01,
            pivoting=0.002,
            static_mu=0.15,
            supports=(-0.03, 0.05),
        ),
    ),
    "rubbing": (lm.JointFriction("bearing", "rotor", "0.04 + 0.01*sin(rotor)", viscous=0.01),),
    "seated": (lm.JointFriction("bearing", "seat", "0.01 + 0.002*sin(rotor)", 0.015, viscous=0.002, mu=0.2, radius=0.01),),
    "fluid": (
        lm.AddedMass("carried", "limb", (0.3, 0.2, 0.4, 0.01, 0.02, 0.03)),
        lm.FluidDrag("drag", "limb", (0.5, 0.7, 0.4, 0.02, 0.01, 0.03)),
    ),
}
SEATED: dict[str, Joints] = {
    "seated": (
        (lm.Body("bob", 0.4, com=(0.01, 0.0, -0.15), inertia=(0.004, 0.003, 0.002)),),
        (lm.Spherical(name="seat", parent="base", child="bob", at=(-0.1, 0.05, 0.02)),),
    )
}
"""A bob on a ball joint of its own, whatever the joint that is tried; where it hangs its friction holds it, further out not."""
ENDS: dict[str, Any] = {"none": None, "watched": {"spun": "40 - abs(rotor)"}}
"""Watched, and never met."""

# -- a robot from a file ------------------------------------------------------------------------------------------

ROBOT = """<robot name="mast">
  <link name="column"><inertial><origin xyz="0.05 0.01 0.02"/><mass value="0.7"/>
    <inertia ixx="0.004" iyy="0.006" izz="0.005" ixy="0.0002" ixz="0.0001" iyz="0.0"/></inertial></link>
  <link name="boom"><inertial><origin xyz="0.04 0 -0.01" rpy="0.1 0.2 0"/><mass value="0.4"/>
    <inertia ixx="0.002" iyy="0.003" izz="0.003" ixy="0.0" ixz="0.0" iyz="0.0"/></inertial></link>
  <joint name="elbow" type="revolute"><parent link="column"/><child link="boom"/><origin xyz="0.1 0 0.02" rpy="0 0.1 0"/>
    <axis xyz="0 0.6 0.8"/><limit lower="-2" upper="2" effort="9" velocity="9"/><dynamics damping="0.05"/></joint>
</robot>"""


@cache
def imported() -> lm.System:
    """A robot from a file, in the middle of the tree: the joint that is tried drives its root, the limb hangs on its boom."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mast.urdf"
        file.write_text(ROBOT, encoding="utf-8")
        return lm.import_robot(file).system


# -- a loop ----------------------------------------------------------------------------------------------------

LINKS = ("crank", "coupler", "roller")
"""A four-bar on the base: two links, closed by a rod, or by a disc that rolls."""
ANCHOR, PIVOT = np.array([0.15, 0.1, -0.12]), np.array([-0.2, 0.1, 0.05])
REACH, ARM = 0.1, 0.25


def linkage() -> tuple[Joints, tuple[Any, ...]]:
    """Bodies and joints of the linkage, closed at zero angles and far from its dead centres; and the rod."""
    made = tuple(lm.Body(f"{name}_link", 0.2, com=(0.05, 0.0, 0.01), inertia=(2e-4, 3e-4, 3e-4)) for name in LINKS[:2])
    first, second = 1.0, -1.3
    joints = (
        lm.Revolute(name="crank", parent="base", child="crank_link", axis=AXLE, at=tuple(PIVOT), rotation=(0.0, first, 0.0)),
        lm.Revolute(
            name="coupler", parent="crank_link", child="coupler_link", axis=AXLE, at=(REACH, 0, 0), rotation=(0.0, second, 0.0)
        ),
    )
    along = [np.array([math.cos(angle), 0.0, -math.sin(angle)]) for angle in (first, first + second)]
    tip = PIVOT + REACH * along[0] + ARM * along[1]
    length = float(np.linalg.norm(tip - ANCHOR))
    return (made, joints), (lm.RodClosure("bar", "base", "coupler_link", at_a=tuple(ANCHOR), at_b=(ARM, 0, 0), length=length),)


def rolling() -> tuple[Joints, tuple[Any, ...]]:
    """The same links with a disc at their end, which rolls on a disc of the base: a loop closed by what rolls, body on body."""
    (made, joints), (rod,) = linkage()
    roller = lm.Body("roller_link", 0.1, inertia=(1e-4, 2e-4, 1e-4))
    hinge = lm.Revolute(name="roller", parent="coupler_link", child="roller_link", axis=AXLE, at=(ARM, 0, 0))
    length = float(rod.length)
    radii = {"radius_a": 0.6 * length, "radius_b": 0.4 * length}
    disc = lm.RollingCylinders("bar", "base", "roller_link", at_a=tuple(ANCHOR), axis_a=AXLE, **radii)
    return ((*made, roller), (*joints, hinge)), (disc,)


def soft(seed: int) -> tuple[Joints, tuple[Any, ...]]:
    """The linkage with a coupler that bends: a soft body in a loop, closed at its end."""
    (made, joints), (rod,) = linkage()
    leaf = LEAVES[seed % len(LEAVES)](ARM)
    return ((made[0], leaf), (joints[0], replace(joints[1], child="leaf"))), (replace(rod, body_b="leaf"),)


LOOPS: dict[str, Callable[[int], tuple[Joints, tuple[Any, ...]]]] = {
    "linkage": lambda seed: linkage(),
    "rolling": lambda seed: rolling(),
    "soft": soft,
}


# -- inputs and controllers ----------------------------------------------------------------------------------

INPUTS: dict[str, Any] = {
    "constant": 0.6,
    "smooth": "0.8*sin(60*t)",
    "kinked": "max(0, sin(150*t) - 0.3)",
    "jumps": "if_else(less(t, 0.0083), 0.6, if_else(less(t, 0.0207), -0.9, 0.2))",
}


def servo(channels: Any) -> dict[str, Any]:
    """A law that can be traced."""
    return {"w": 0.05 * np.sin(channels["rotor"]) - 0.02 * channels["rotor_rate"]}


def called(channels: Any) -> dict[str, Any]:
    """The same law with numbers only, so that it has to be called: `math` takes no symbols."""
    return {"w": 0.05 * math.sin(channels["rotor"]) - 0.02 * channels["rotor_rate"]}


def remembering(channels: Any) -> dict[str, Any]:
    """A law with a state."""
    error = 0.3 - channels["rotor"]
    return {"w": 0.1 * error + 0.2 * channels["memory"], "memory": error}


CONTROLLERS: dict[str, Callable[[], Any]] = {
    "none": lambda: None,
    "traced": lambda: servo,
    "called": lambda: called,
    "states": lambda: lm.Controller(remembering, states={"memory": 0.1}),
}


def bodies(rng: Rng, contact: str) -> list[Any]:
    """Base, limb and rotor; a wheel or a tail where the contact needs one."""
    names = ["base", "limb", "drum", *(["wheel"] if contact in WHEELS else []), *(["rod"] if contact in TIES else [])]
    return [lm.Body("wheel", 0.6, inertia=(0.004, 0.007, 0.004)) if n == "wheel" else body(rng, n, 0.05) for n in names]
