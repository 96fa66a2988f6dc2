"""Small systems with contacts: one of each kind of contact, and vehicles whose rows are partly redundant."""

from dataclasses import replace
from typing import Any

import numpy as np

from locomotor.catalogue.bicycle import bicycle
from locomotor.model import (
    Body,
    BodyForce,
    BodyTorque,
    Contact,
    Fixed,
    Frame,
    Free,
    Gravity,
    Joint,
    JointDamper,
    JointForce,
    JointSpring,
    Planar,
    PointDamper,
    PointSpring,
    Prismatic,
    Revolute,
    RollingDisc,
    RollingSphere,
    RollingTorus,
    Skate,
    SlidingPoint,
    StickingPoint,
    System,
    Torque,
)

Array = Any

LEFT = (0.0, 1.0, 0.0)
UP = (0.0, 0.0, 1.0)
GRAVITY = (0.3, -0.4, -9.7)
"""Not normal to the ground, so that every constraint force works for its living."""
LOPSIDED = ((0.30, 0.02, -0.03), (0.02, 0.25, 0.01), (-0.03, 0.01, 0.20))
TORUS = RollingTorus("torus", body="block", centre=(0.02, 0.01, -0.03), axis=(0, 0.8, 0.6), radius=0.3, tube=0.05)
WHEEL = (0.03, 0.05, 0.03)


def _alone(contact: Contact, base: Joint, height: float = 0.0, more: Any = ((), ()), forces: Any = ()) -> System:
    """A body without symmetry, and perhaps more bodies and joints behind it, on one contact."""
    block = Body("block", mass=2.0, com=(0.05, -0.02, 0.04), inertia=LOPSIDED)
    nominal = {"z": height} if isinstance(base, Free) else {}
    bodies, joints = (block, *more[0]), (base, *more[1])
    return System(contact.name, bodies, joints, [contact], [Gravity(GRAVITY), *forces], nominal=nominal)


def _free(child: str = "block") -> Free:
    return Free(name="base", parent="world", child=child)


def _planar(child: str = "block", height: float = 0.0) -> Planar:
    return Planar(name="base", parent="world", child=child, at=(0.0, 0.0, height))


def _wheel(name: str, at: tuple[float, float, float], radius: float, parent: str = "chassis") -> tuple[Any, Any, Any]:
    """A disc on an axle that points left: body, joint, contact."""
    made = Body(f"{name}_disc", mass=0.8, inertia=WHEEL)
    joint = Revolute(name=name, parent=parent, child=made.name, at=at, axis=LEFT)
    return made, joint, RollingDisc(f"{name}_contact", body=made.name, centre=(0, 0, 0), axis=LEFT, radius=radius)


def _vehicle(
    name: str,
    base: Joint,
    wheels: list[tuple[Any, Any, Any]],
    more: tuple[list[Any], list[Any]] = ([], []),
    forces: tuple[Any, ...] = (),
    **options: Any,
) -> System:
    inertia = ((0.9, 0.0, 0.1), (0.0, 1.2, 0.0), (0.1, 0.0, 1.4))
    chassis = Body("chassis", mass=10.0, com=(0.1, 0.03, 0.2), inertia=inertia)
    bodies, joints, contacts = (list(parts) for parts in zip(*wheels, strict=True))
    return System(
        name,
        [chassis, *more[0], *bodies],
        [base, *more[1], *joints],
        contacts,
        [Gravity(GRAVITY), *forces],
        **options,
    )


def platform(base: str) -> System:
    """Two wheels on one axle: the rows along the axle say the same thing once the axle is level."""
    wheels = [_wheel("left", (0.0, 0.4, 0.0), 0.3), _wheel("right", (0.0, -0.4, 0.0), 0.3)]
    lead = PointSpring("lead", "chassis", (0, 0, 0.5), "world", (1, 1, 2), 3.0)
    crank = PointSpring("crank", "right_disc", (0.1, 0.0, 0.15), "chassis", (0.3, -0.4, 0.2), 4.0, 0.1)
    forces = (JointDamper("friction", "left", 0.2), lead, crank)
    if base == "free":
        return _vehicle("platform", _free("chassis"), wheels, forces=forces, nominal={"z": 0.3})
    axle, pitch = Frame("axle"), Revolute(name="pitch", parent="axle", child="chassis", axis=LEFT)
    return _vehicle("platform", _planar("axle", 0.3), wheels, ([axle], [pitch]), forces)


def tricycle() -> System:
    """A raked and trailing fork in front, two wheels behind."""
    fork = Body("fork", mass=1.5, com=(0.02, 0.0, 0.1), inertia=(0.05, 0.06, 0.03))
    at, rake = (1.0, 0.0, 0.05), (0.0, -0.3, 0.0)
    steer = Revolute(name="steer", parent="chassis", child="fork", at=at, rotation=rake, axis=UP, drive=Torque(0.7))
    wheels = [
        _wheel("left", (0.0, 0.4, 0.0), 0.3),
        _wheel("right", (0.0, -0.4, 0.0), 0.3),
        _wheel("front", (0.05, 0.0, -0.02), 0.33, "fork"),
    ]
    return _vehicle(
        "tricycle",
        _free("chassis"),
        wheels,
        ([fork], [steer]),
        (
            JointSpring("centring", "steer", 2.0, 0.1),
            JointDamper("friction", "left", 0.2),
            PointDamper("brake", "front_disc", (0.1, 0.0, 0.1), "fork", (0.0, 0.1, 0.3), 0.5),
        ),
        independent=("steer_rate", "speed"),
        nominal={"z": 0.3},
    )


def wagon() -> System:
    """Four wheels, the front axle on a turntable: one gap depends on the others only where all are closed."""
    turntable = Body("turntable", mass=2.0, com=(0.02, 0.0, 0.0), inertia=(0.1, 0.05, 0.1))
    kingpin = Revolute(name="steer", parent="chassis", child="turntable", at=(1.0, 0.0, 0.05), axis=UP)
    wheels = [
        _wheel("rear_left", (0.0, 0.4, 0.0), 0.3),
        _wheel("rear_right", (0.0, -0.4, 0.0), 0.3),
        _wheel("front_left", (0.03, 0.35, -0.1), 0.25, "turntable"),
        _wheel("front_right", (0.03, -0.35, -0.1), 0.25, "turntable"),
    ]
    return _vehicle("wagon", _free("chassis"), wheels, ([turntable], [kingpin]), nominal={"z": 0.3})


def train(trailers: int = 4) -> System:
    """A two-wheeled tractor and trailers: long enough for the constraints to be written piece by piece."""
    bodies, joints = [], []
    wheels = [_wheel("left", (0.0, 0.4, 0.0), 0.3), _wheel("right", (0.0, -0.4, 0.0), 0.3)]
    for i in range(1, trailers + 1):
        bodies.append(Body(f"trailer_{i}", mass=3.0, com=(-0.4, 0.02, 0.1), inertia=(0.2, 0.3, 0.4)))
        parent = f"trailer_{i - 1}" if i > 1 else "chassis"
        joints.append(Revolute(name=f"hitch_{i}", parent=parent, child=f"trailer_{i}", at=(-0.6, 0.0, 0.0), axis=UP))
        wheels += [_wheel(f"w{i}_{side}", (-0.5, y, 0.0), 0.3, f"trailer_{i}") for side, y in (("l", 0.3), ("r", -0.3))]
    spring = JointSpring("coupling", "hitch_2", 5.0)
    return _vehicle("train", _planar("chassis", 0.3), wheels, (bodies, joints), (spring,))


def pinned_chain(links: int = 14) -> System:
    """A planar chain with every link pinned: nothing moves, and forces inside it are undetermined along its length."""
    bodies = [Body(f"link_{i}", mass=1.0, com=(0.2, 0.05, 0.0), inertia=(0.02, 0.03, 0.04)) for i in range(links)]
    joints: list[Joint] = [_planar("link_0")]
    for i in range(1, links):
        joints.append(Revolute(name=f"bend_{i}", parent=f"link_{i - 1}", child=f"link_{i}", at=(0.4, 0.1, 0.0), axis=UP))
    pins = [StickingPoint(f"pin_{i}", body=f"link_{i}", at=(0.3, 0.02 * i, 0.0)) for i in range(links)]
    return System("pinned_chain", bodies, joints, pins, [Gravity(GRAVITY)])


def cart() -> System:
    """Four wheels on two axles, rigid: one degree of freedom and three rows too many."""
    corners = {"rear_left": (0.0, 0.4), "rear_right": (0.0, -0.4), "front_left": (1.0, 0.4), "front_right": (1.0, -0.4)}
    wheels = [_wheel(name, (*corner, 0.0), 0.3) for name, corner in corners.items()]
    return _vehicle("cart", _free("chassis"), wheels, nominal={"z": 0.3})


def sleigh() -> System:
    """A knife edge and a sprung mass that slides across it, with a damper between points."""
    slider = Body("slider", mass=0.5, inertia=(0.01, 0.012, 0.015))
    rail = Prismatic(name="rail", parent="block", child="slider", at=(0.2, 0.0, 0.1), axis=(0.6, 0.8, 0.0))
    forces = (
        JointSpring("spring", "rail", 8.0, 0.05),
        PointDamper("damper", "slider", (0, 0, 0.1), "block", (-0.5, 0.1, 0), 0.4),
        JointForce("motor", "rail", "0.3*rail - 0.1*rail_rate"),
    )
    blade = Skate("blade", body="block", at=(-0.3, 0.0, 0.0), heading=(1.0, 0.0, 0.0))
    return _alone(blade, _planar(), more=([slider], [rail]), forces=forces)


def skater() -> System:
    """A leaning blade welded to a free body, off its axes."""
    boot = Body("boot", mass=0.4, com=(0.0, 0.1, 0.0), inertia=(0.01, 0.012, 0.015))
    weld = Fixed(name="weld", parent="block", child="boot", at=(0.1, 0.05, 0.0), rotation=(0.0, 0.1, 0.2))
    edge = Skate("edge", body="boot", at=(0.1, 0.0, -0.3), heading=(0.8, 0.6, 0.0))
    forces = (
        BodyForce("pull", "boot", (0.1, 0.2, 0.3), (1.0, "0.5*z", -2.0)),
        BodyForce("push", "block", (-0.1, 0.2, 0.1), ("-0.3*speed", 0.4, 0.1), frame="body"),
        BodyTorque("twist", "boot", (0.2, -0.3, "0.1*yaw_rate")),
        BodyTorque("screw", "block", (0.1, 0.2, 0.3), frame="body"),
    )
    return _alone(edge, _free(), 0.3, ([boot], [weld]), forces)


SYSTEMS: dict[str, Any] = {
    "disc": lambda: _alone(RollingDisc("disc", body="block", centre=(0, 0, 0), axis=LEFT, radius=0.3), _free(), 0.3),
    "torus": lambda: _alone(TORUS, _free(), 0.3),
    "sphere": lambda: _alone(RollingSphere("sphere", body="block", centre=(0.05, 0, 0.02), radius=0.3), _free(), 0.3),
    "sticking": lambda: _alone(StickingPoint("sticking", body="block", at=(0.1, 0.0, -0.5)), _free(), 0.5),
    "sliding": lambda: _alone(SlidingPoint("sliding", body="block", at=(0.1, 0.0, -0.5)), _free(), 0.5),
    "skater": skater,
    "sleigh": sleigh,
    "platform": lambda: platform("free"),
    "planar platform": lambda: platform("planar"),
    "tricycle": tricycle,
    "wagon": wagon,
    "cart": cart,
    "train": train,
    "bicycle meijaard2007": lambda: bicycle("meijaard2007"),
    "bicycle mauny2018": lambda: bicycle("mauny2018"),
    "bicycle ifac2017": lambda: bicycle("ifac2017"),
    "SE2 bicycle meijaard2007": lambda: bicycle("meijaard2007", base="SE2"),
    "SE2 bicycle mauny2018": lambda: bicycle("mauny2018", base="SE2"),
    "SE2 bicycle ifac2017": lambda: bicycle("ifac2017", base="SE2"),
}

DEGREES_OF_FREEDOM = {
    "disc": 3, "torus": 3, "sphere": 3, "sticking": 3, "sliding": 5, "skater": 4, "sleigh": 3, "platform": 3,
    "planar platform": 3, "tricycle": 2, "wagon": 2, "cart": 1, "train": 2,
}  # fmt: skip
REDUNDANT_ROWS = {"sleigh": 1, "platform": 1, "planar platform": 3, "tricycle": 1, "wagon": 3, "cart": 3, "train": 15}


def expected(name: str) -> tuple[int, int]:
    """Degrees of freedom left by the contacts of a system, and how many of its rows are redundant."""
    return DEGREES_OF_FREEDOM.get(name, 3), REDUNDANT_ROWS.get(name, 1 if name.startswith("SE2") else 0)


def tilted(system: System, R: Array, at: Array) -> System:
    """The same system on a plane turned by R and moved by `at`, gravity staying as it is in the world.

    Coordinates keep their meaning relative to the plane: the root hangs on the plane's frame.
    """
    root = system.joints[0]
    placed = replace(root, at=tuple(at + R @ np.asarray(root.at)), rotation=tuple(map(tuple, R)))
    grounds = (replace(g, normal=tuple(R @ np.asarray(g.normal)), point=tuple(at)) for g in system.grounds)
    forces = (
        replace(f, at_b=tuple(at + R @ np.asarray(f.at_b))) if isinstance(f, PointSpring) and f.body_b == "world" else f
        for f in system.forces
    )
    return system.replace(joints=(placed, *system.joints[1:]), grounds=grounds, forces=forces)


def with_gravity(system: System, acceleration: Array) -> System:
    """The same system in another gravity."""
    others = (force for force in system.forces if not isinstance(force, Gravity))
    return system.replace(forces=(*others, Gravity(tuple(acceleration))))
