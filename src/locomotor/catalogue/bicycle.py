"""The bicycle of Whipple (1899): four rigid bodies, two thin discs rolling exactly on a plane.

Frames are ours (x forward, y left, z up). The rear frame's origin is the rear hub; the fork's frame sits on the steer
axis at the height of the front hub, tilted so that z is the steer axis: the geometry of Mauny 2018, section 2.2.
"""

from collections.abc import Mapping

from locomotor.catalogue.bicycle_parameters import bicycle_parameters
from locomotor.catalogue.bicycle_shapes import fork_shapes, mass_on_skate_shapes, rear_frame_shapes
from locomotor.checks import choice, door, either, flag, instance, mapping, number, optional, text
from locomotor.errors import ModelError
from locomotor.model import (
    Balance,
    Body,
    Contact,
    Frame,
    Free,
    Gravity,
    Handle,
    Input,
    Joint,
    Mode,
    Parameter,
    ParameterSet,
    Persistent,
    Planar,
    Plane,
    Revolute,
    Riding,
    RollingDisc,
    Skate,
    System,
    Terrain,
    Torque,
    Unilateral,
)

LEFT = (0.0, 1.0, 0.0)
STEER_AXIS_X = "w + c - rF*tan(lam)"
"""Distance from the rear hub forward to the steer axis at the height of the front hub (l1 of the thesis)."""
FORK_OFFSET = "(rF*tan(lam) - c)"
"""Distance from there forward to the front hub (l2 of the thesis)."""
BICYCLE_ENDS = {"fallen": "1.2 - abs(roll)", "jackknifed": "1.4 - abs(steer)", "overturned": "1.5 - abs(pitch)"}
"""Where riding is over: the pedal is on the ground, the front wheel stands across, or the frame has gone over a wheel."""
BICYCLE_MODES = (
    Mode("weave", oscillates=True, states=("roll", "roll_rate", "steer", "steer_rate")),
    Mode("capsize", oscillates=False, states=("roll", "roll_rate")),
    Mode("castering", oscillates=False, states=("steer", "steer_rate")),
)
STEERING = Handle("steer", "across", {"steer_torque": 2.0}, target="roll", reach=-0.2)
"""To the left: a torque of the hands on the bar; or, balanced, a lean of so many rad."""
PEDALLING = Handle(
    "pedal and brake", "along", {"rear_wheel_torque": 25.0}, {"rear_wheel_torque": "-40*tanh(2*rear_wheel_rate)"}
)
"""A brake takes hold of a wheel that turns, either way, and of none that stands."""
BALANCE = Balance("speed", {"roll": 10.0, "steer": 1.0, "roll_rate": 1.0}, {"steer_torque": 0.02}, least=1.0, spacing=0.5)
BICYCLE_RIDING = Riding((STEERING, PEDALLING), BALANCE)
SKATE_RIDING = Riding((STEERING,), BALANCE)
"""Of one without a rear wheel to pedal."""
FRONT_HUB = (f"{FORK_OFFSET}*cos(lam)", 0.0, f"-{FORK_OFFSET}*sin(lam)")
"""The front hub in the frame of the fork."""
FORK_UP, FORK_FORWARD = "(-zH - rF)", f"(xH - ({STEER_AXIS_X}))"


@door(
    parameters=either(text, instance(ParameterSet), mapping),
    slope=number,
    base=choice("SE3", "SE2", error=ModelError),
    contacts=choice("persistent", "unilateral", error=ModelError),
    restitution=number,
    tangential=number,
    friction=optional(number),
    terrain=optional(instance(Terrain)),
    rider=either(text, flag),
)
def bicycle(
    parameters: str | ParameterSet | Mapping[str, float] = "meijaard2007",
    *,
    slope: float = 0.0,
    base: str = "SE3",
    contacts: str = "persistent",
    restitution: float = 0.0,
    tangential: float = 0.0,
    friction: float | None = None,
    terrain: Terrain | None = None,
    rider: bool | str = False,
) -> System:
    """The Whipple bicycle with a published parameter set, or with any 26 numbers of Meijaard et al.

    `slope` (rad) tilts gravity so that +x is uphill; x, y, z stay attached to the ground. `base="SE3"` carries the rear
    frame by a free joint (9 velocities, 6 constraints); `base="SE2"` carries the rear contact point by a planar joint with
    roll and pitch as shape (8 velocities, 5 constraints; Mauny 2018, remarks 2.10 to 2.12). Both have the same motions.

    `contacts="unilateral"` lets the wheels leave the ground and hit it, with `restitution` along the normal and `tangential`
    along the ground: 0 and 0 for a wheel that stays and rolls, 1 and 1 for an impact without loss (Mauny 2018, chapter 4). They
    then may run over a `terrain`, such as `Terrain.kerb(0.1)`, instead of the plane. With a coefficient of `friction` they roll
    only as long as it lasts: a bicycle that brakes too hard skids. The coefficient is the parameter `mu`.

    `rider=True` draws the rider whose mass is part of the rear frame; the motion is the same. On measured bicycles without a
    rider, a name puts on somebody who was measured too: `bicycle("browser", rider="jason")`.

    A wheel of radius zero is a skate: a knife edge that glides along the wheel's heading, without mass (`"two_mass_skate"`).
    """
    numbers = bicycle_parameters(parameters, rider if isinstance(rider, str) else "")
    skates = {which: _is_skate(numbers, which) for which in ("rear", "front")}
    chosen = numbers + ParameterSet(
        [Parameter("slope", slope, "rad", r"\beta", "inclination of the ground, uphill along +x", "set by the user")]
    )
    bases = {"SE3": _free_base, "SE2": _contact_base}
    law = _contact_law(contacts, base, restitution, tangential, friction is not None)
    if friction is not None:
        chosen += ParameterSet([Parameter("mu", friction, "1", r"\mu", "coefficient of friction", "set by the user")])
    if terrain is not None and contacts != "unilateral":
        raise ModelError("bicycle: on a terrain the wheels must be free to leave the ground; give contacts='unilateral' too")
    ground = Plane() if terrain is None else terrain
    frames, carriers, nominal = bases[base]()
    inputs = [
        Input(f"{name}_torque", "N m", rf"\tau_\mathrm{{{short}}}", f"torque of the {which} on the {what}")
        for name, short, which, what in (
            ("steer", "s", "rear frame", "fork, positive to the left"),
            ("front_wheel", "F", "fork", "front wheel, positive forward"),
            ("rear_wheel", "R", "rear frame", "rear wheel, positive forward"),
        )
        if not skates.get(name.removesuffix("_wheel"), False)
    ]
    system_name = f"bicycle_{parameters}" if isinstance(parameters, str) else "bicycle"
    return System(
        name=f"{system_name}_{rider}" if isinstance(rider, str) else system_name,
        bodies=(*frames, *_bodies(bool(rider), skates)),
        joints=(*carriers, *_joints(skates)),
        contacts=tuple(_contact(which, skates[which], ground.name, law) for which in ("rear", "front")),
        forces=(Gravity(("-g*sin(slope)", 0.0, "-g*cos(slope)")),),
        grounds=(ground,),
        parameters=chosen,
        inputs=inputs,
        independent=("roll_rate", "steer_rate", "speed" if skates["rear"] else "rear_wheel_rate"),
        nominal=nominal,
        ends=BICYCLE_ENDS,
        modes=BICYCLE_MODES,
        description="Whipple bicycle: knife-edge wheels rolling without slip, rigid rider, no tyre, no friction"
        if friction is None
        else "Whipple bicycle: knife-edge wheels with dry friction, rigid rider, no tyre",
    )


def _is_skate(numbers: ParameterSet, which: str) -> bool:
    """Whether a wheel has no radius, and then neither mass nor inertia."""
    letter = which[0].upper()
    if numbers[f"r{letter}"].value != 0.0:
        return False
    for name in (f"m{letter}", f"I{letter}xx", f"I{letter}yy"):
        if numbers[name].value != 0.0:
            raise ModelError(
                f"bicycle: the {which} wheel has radius zero, which makes it a skate, and {name} = {numbers[name].value!r}; "
                f"a skate has no mass: give {name} = 0, or a radius"
            )
    return True


def _contact(which: str, skate: bool, ground: str, law: Persistent | Unilateral) -> Contact:
    """What touches the ground: the rim of a wheel, or a knife edge along the heading of its frame."""
    if not skate:
        radius = {"rear": "rR", "front": "rF"}[which]
        return RollingDisc(which, f"{which}_disc", centre=(0, 0, 0), axis=LEFT, radius=radius, ground=ground, law=law)
    if which == "rear":
        return Skate(which, "rear_frame", at=(0.0, 0.0, 0.0), heading=(1.0, 0.0, 0.0), ground=ground, law=law)
    return Skate(which, "fork", at=FRONT_HUB, heading=("cos(lam)", 0.0, "-sin(lam)"), ground=ground, law=law)


def _contact_law(contacts: str, base: str, restitution: float, tangential: float, friction: bool) -> Persistent | Unilateral:
    """The law of both wheels."""
    if contacts == "unilateral":
        if base != "SE3":
            raise ModelError(f"bicycle: the wheels cannot leave the ground with base {base!r}; use base='SE3'")
        return Unilateral(restitution=restitution, tangential=tangential, friction="mu" if friction else None)
    if contacts != "persistent":
        raise ModelError(f"bicycle: contacts is {contacts!r}; it must be 'persistent' or 'unilateral'")
    if friction:
        raise ModelError(
            "bicycle: friction is for wheels that may slip and leave the ground; give contacts='unilateral' with it"
        )
    if restitution != 0.0 or tangential != 0.0:
        raise ModelError("bicycle: restitution is for contacts that open and close; give contacts='unilateral' with it")
    return Persistent()


def _bodies(rider: bool, skates: Mapping[str, bool]) -> tuple[Body, ...]:
    s, c, u, f = "sin(lam)", "cos(lam)", FORK_UP, FORK_FORWARD
    fork_centre = (f"{u}*{s} + {f}*{c}", 0.0, f"{u}*{c} - {f}*{s}")
    fork_xz = f"{s}*{c}*(IHzz - IHxx) - ({c}**2 - {s}**2)*IHxz"
    return (
        Body(
            "rear_frame",
            mass="mB",
            com=("xB", 0.0, "-zB - rR"),
            inertia=(("IBxx", 0.0, "-IBxz"), (0.0, "IByy", 0.0), ("-IBxz", 0.0, "IBzz")),
            shapes=mass_on_skate_shapes(("xB", 0.0, "-zB - rR"), (0.0, 0.0, 0.0))
            if skates["rear"]
            else rear_frame_shapes(STEER_AXIS_X, "rF - rR", "lam", "rF", "w", rider=rider),
        ),
        Body(
            "fork",
            mass="mH",
            com=fork_centre,
            inertia=(
                (f"{s}**2*IHzz - 2*{s}*{c}*IHxz + {c}**2*IHxx", 0.0, fork_xz),
                (0.0, "IHyy", 0.0),
                (fork_xz, 0.0, f"{c}**2*IHzz + 2*{s}*{c}*IHxz + {s}**2*IHxx"),
            ),
            shapes=mass_on_skate_shapes(fork_centre, FRONT_HUB)
            if skates["front"]
            else fork_shapes(f"{FORK_OFFSET}*cos(lam)", f"-{FORK_OFFSET}*sin(lam)", "rF"),
        ),
        *(() if skates["front"] else (Body("front_disc", mass="mF", inertia=("IFxx", "IFyy", "IFxx")),)),
        *(() if skates["rear"] else (Body("rear_disc", mass="mR", inertia=("IRxx", "IRyy", "IRxx")),)),
    )


def _joints(skates: Mapping[str, bool]) -> tuple[Joint, ...]:
    found = (
        Revolute(
            name="steer",
            parent="rear_frame",
            child="fork",
            at=(STEER_AXIS_X, 0.0, "rF - rR"),
            rotation=(0.0, "-lam", 0.0),
            axis=(0.0, 0.0, 1.0),
            drive=Torque("steer_torque"),
            latex=r"\delta",
            description="steer angle, positive to the left",
        ),
        Revolute(
            name="front_wheel",
            parent="fork",
            child="front_disc",
            at=FRONT_HUB,
            axis=LEFT,
            drive=Torque("front_wheel_torque"),
            latex=r"\theta_\mathrm{F}",
            description="front wheel angle, positive rolling forward",
        ),
        Revolute(
            name="rear_wheel",
            parent="rear_frame",
            child="rear_disc",
            axis=LEFT,
            drive=Torque("rear_wheel_torque"),
            latex=r"\theta_\mathrm{R}",
            description="rear wheel angle, positive rolling forward",
        ),
    )
    return tuple(joint for joint in found if not skates.get(joint.name.removesuffix("_wheel"), False))


def _free_base() -> tuple[tuple[Frame, ...], tuple[Joint, ...], dict[str, str]]:
    return (), (Free(name="base", parent="world", child="rear_frame"),), {"z": "rR"}


def _contact_base() -> tuple[tuple[Frame, ...], tuple[Joint, ...], dict[str, str]]:
    frames = (Frame("contact_frame"), Frame("lean_frame"))
    carriers = (
        Planar(name="base", parent="world", child="contact_frame"),
        Revolute(
            name="roll",
            parent="contact_frame",
            child="lean_frame",
            axis=(1.0, 0.0, 0.0),
            latex=r"\phi",
            description="roll of the rear frame, positive to the right",
        ),
        Revolute(
            name="pitch",
            parent="lean_frame",
            child="rear_frame",
            at=(0.0, 0.0, "rR"),
            axis=LEFT,
            latex=r"\vartheta",
            description="pitch of the rear frame, positive nose down",
        ),
    )
    return frames, carriers, {}
