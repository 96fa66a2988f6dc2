"""The bicycle of Whipple (1899): four rigid bodies, two thin discs rolling exactly on a plane.

Frames are ours (x forward, y left, z up). The rear frame's origin is the rear hub; the fork's frame sits on the steer
axis at the height of the front hub, tilted so that z is the steer axis: the geometry of Mauny 2018, section 2.2.
"""

from collections.abc import Mapping

from locomotor.catalogue.bicycle_parameters import bicycle_parameters
from locomotor.catalogue.bicycle_shapes import fork_shapes, rear_frame_shapes
from locomotor.checks import choice, door, either, flag, instance, mapping, number, optional, text
from locomotor.errors import ModelError
from locomotor.model import (
    Body,
    Frame,
    Free,
    Gravity,
    Input,
    Joint,
    Parameter,
    ParameterSet,
    Persistent,
    Planar,
    Plane,
    Revolute,
    RollingDisc,
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
FORK_UP, FORK_FORWARD = "(-zH - rF)", f"(xH - ({STEER_AXIS_X}))"


@door(
    parameters=either(text, mapping),
    slope=number,
    base=choice("SE3", "SE2", error=ModelError),
    contacts=choice("persistent", "unilateral", error=ModelError),
    restitution=number,
    tangential=number,
    terrain=optional(instance(Terrain)),
    rider=flag,
)
def bicycle(
    parameters: str | Mapping[str, float] = "meijaard2007",
    *,
    slope: float = 0.0,
    base: str = "SE3",
    contacts: str = "persistent",
    restitution: float = 0.0,
    tangential: float = 0.0,
    terrain: Terrain | None = None,
    rider: bool = False,
) -> System:
    """The Whipple bicycle with a published parameter set, or with any 26 numbers of Meijaard et al.

    `slope` (rad) tilts gravity so that +x is uphill; x, y, z stay attached to the ground. `base="SE3"` carries the rear
    frame by a free joint (9 velocities, 6 constraints); `base="SE2"` carries the rear contact point by a planar joint with
    roll and pitch as shape (8 velocities, 5 constraints; Mauny 2018, remarks 2.10 to 2.12). Both have the same motions.

    `contacts="unilateral"` lets the wheels leave the ground and hit it, with `restitution` along the normal and `tangential`
    along the ground: 0 and 0 for a wheel that stays and rolls, 1 and 1 for an impact without loss (Mauny 2018, chapter 4). They
    then may run over a `terrain`, such as `Terrain.kerb(0.1)`, instead of the plane.

    `rider=True` draws the rider whose mass is part of the rear frame; the motion is the same.
    """
    chosen = bicycle_parameters(parameters) + ParameterSet(
        [Parameter("slope", slope, "rad", r"\beta", "inclination of the ground, uphill along +x", "set by the user")]
    )
    bases = {"SE3": _free_base, "SE2": _contact_base}
    law = _contact_law(contacts, base, restitution, tangential)
    if terrain is not None and contacts != "unilateral":
        raise ModelError("bicycle: on a terrain the wheels must be free to leave the ground; give contacts='unilateral' too")
    ground = Plane() if terrain is None else terrain
    frames, carriers, nominal = bases[base]()
    return System(
        name=f"bicycle_{parameters}" if isinstance(parameters, str) else "bicycle",
        bodies=(*frames, *_bodies(rider)),
        joints=(*carriers, *_joints()),
        contacts=(
            RollingDisc("rear", "rear_disc", centre=(0, 0, 0), axis=LEFT, radius="rR", ground=ground.name, law=law),
            RollingDisc("front", "front_disc", centre=(0, 0, 0), axis=LEFT, radius="rF", ground=ground.name, law=law),
        ),
        forces=(Gravity(("-g*sin(slope)", 0.0, "-g*cos(slope)")),),
        grounds=(ground,),
        parameters=chosen,
        inputs=tuple(
            Input(f"{name}_torque", "N m", rf"\tau_\mathrm{{{short}}}", f"torque of the {which} on the {what}")
            for name, short, which, what in (
                ("steer", "s", "rear frame", "fork, positive to the left"),
                ("front_wheel", "F", "fork", "front wheel, positive forward"),
                ("rear_wheel", "R", "rear frame", "rear wheel, positive forward"),
            )
        ),
        independent=("roll_rate", "steer_rate", "rear_wheel_rate"),
        nominal=nominal,
        ends=BICYCLE_ENDS,
        description="Whipple bicycle: knife-edge wheels rolling without slip, rigid rider, no tyre, no friction",
    )


def _contact_law(contacts: str, base: str, restitution: float, tangential: float) -> Persistent | Unilateral:
    """The law of both wheels."""
    if contacts == "unilateral":
        if base != "SE3":
            raise ModelError(f"bicycle: the wheels cannot leave the ground with base {base!r}; use base='SE3'")
        return Unilateral(restitution=restitution, tangential=tangential)
    if contacts != "persistent":
        raise ModelError(f"bicycle: contacts is {contacts!r}; it must be 'persistent' or 'unilateral'")
    if restitution != 0.0 or tangential != 0.0:
        raise ModelError("bicycle: restitution is for contacts that open and close; give contacts='unilateral' with it")
    return Persistent()


def _bodies(rider: bool) -> tuple[Body, ...]:
    s, c, u, f = "sin(lam)", "cos(lam)", FORK_UP, FORK_FORWARD
    fork_xz = f"{s}*{c}*(IHzz - IHxx) - ({c}**2 - {s}**2)*IHxz"
    return (
        Body(
            "rear_frame",
            mass="mB",
            com=("xB", 0.0, "-zB - rR"),
            inertia=(("IBxx", 0.0, "-IBxz"), (0.0, "IByy", 0.0), ("-IBxz", 0.0, "IBzz")),
            shapes=rear_frame_shapes(STEER_AXIS_X, "rF - rR", "lam", "rF", "w", rider=rider),
        ),
        Body(
            "fork",
            mass="mH",
            com=(f"{u}*{s} + {f}*{c}", 0.0, f"{u}*{c} - {f}*{s}"),
            inertia=(
                (f"{s}**2*IHzz - 2*{s}*{c}*IHxz + {c}**2*IHxx", 0.0, fork_xz),
                (0.0, "IHyy", 0.0),
                (fork_xz, 0.0, f"{c}**2*IHzz + 2*{s}*{c}*IHxz + {s}**2*IHxx"),
            ),
            shapes=fork_shapes(f"{FORK_OFFSET}*cos(lam)", f"-{FORK_OFFSET}*sin(lam)", "rF"),
        ),
        Body("front_disc", mass="mF", inertia=("IFxx", "IFyy", "IFxx")),
        Body("rear_disc", mass="mR", inertia=("IRxx", "IRyy", "IRxx")),
    )


def _joints() -> tuple[Joint, ...]:
    return (
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
            at=(f"{FORK_OFFSET}*cos(lam)", 0.0, f"-{FORK_OFFSET}*sin(lam)"),
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
