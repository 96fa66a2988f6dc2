"""A rod on rough ground, alone or leaning on a rough wall: falling rods and ladders.

Leaning on a wall it stays while tan(angle from the ground) >= (1 - mu mu_w)/(2 mu), with mu the friction of the ground and
mu_w that of the wall. Alone it falls over; released from rest almost upright, its foot slips backwards with less friction than
15 sqrt(10)/128 = 0.3706 and forwards with more (Cross, Am. J. Phys. 74 (2006), 812-816).
"""

from locomotor.catalogue.locomotion_parts import parameter_set
from locomotor.catalogue.planar_base import vertical_plane
from locomotor.checks import door, flag, number
from locomotor.model import Body, Box, Capsule, Gravity, Plane, StickingPoint, System, Unilateral


@door(friction=number, wall_friction=number, wall=flag)
def leaning_rod(*, friction: float = 0.4, wall_friction: float = 0.3, wall: bool = True) -> System:
    """A slender rod of length l in the vertical plane; its `foot` touches the ground, its `head` the wall at x = 0.

    `forward`, `up` and `pitch` are those of its middle. Its angle from the ground is minus the pitch: both touch with `up` =
    l/2 sin(angle) and `forward` = -l/2 cos(angle). Where it slides down, or without a wall, its other end falls to the ground:
    the contact `tip`, at the same place as the head.
    """
    frames, carriers = vertical_plane("rod")
    spin = "m*l**2/12"
    foot = StickingPoint("foot", body="rod", at=("-l/2", 0.0, 0.0), law=Unilateral(friction="mu"))
    head = StickingPoint("head", body="rod", at=("l/2", 0.0, 0.0), ground="wall", law=Unilateral(friction="mu_w"))
    fall = StickingPoint("tip", body="rod", at=("l/2", 0.0, 0.0), law=Unilateral(friction="mu"))
    more = (("mu_w", wall_friction, "1", "coefficient of friction of the wall"),) if wall else ()
    return System(
        name="leaning_rod" if wall else "falling_rod",
        bodies=(
            *frames,
            Body(
                "rod",
                mass="m",
                inertia=("1e-3*m*l**2", spin, spin),
                shapes=[Capsule(("-l/2", 0, 0), ("l/2", 0, 0), "0.01*l", colour="accent" if wall else "wood")],
            ),
        ),
        joints=carriers,
        contacts=(foot, head, fall) if wall else (foot, fall),
        grounds=(Plane(), Plane("wall", normal=(-1.0, 0.0, 0.0))) if wall else (Plane(),),
        forces=(Gravity((0.0, 0.0, "-g")),),
        parameters=parameter_set(
            ("m", 1.0, "kg", "mass of the rod"),
            ("l", 2.0, "m", "its length"),
            ("mu", friction, "1", "coefficient of friction of the ground"),
            ("g", 9.81, "m/s^2", "gravity"),
            *more,
            source="ours",
        ),
        nominal={"up": "l/2*sin(1.0)", "pitch": -1.0, "forward": "-l/2*cos(1.0)" if wall else 0.0},
        scenery=_wall_and_floor() if wall else [],
        description="rod that leans on a wall, with dry friction" if wall else "rod that falls over on rough ground",
    )


@door(friction=number)
def falling_rod(*, friction: float = 0.4) -> System:
    """The rod of `leaning_rod` without a wall: it falls over, and its foot slips on the way."""
    return leaning_rod(friction=friction, wall=False)


def _wall_and_floor() -> list[Box]:
    """They begin at the rod and go on behind it, so that its head is seen from the usual side."""
    return [
        Box((0.05, 0.9, 2.2), at=(0.025, 0.42, 1.1), colour="light"),
        Box((2.65, 0.9, 0.05), at=(-1.275, 0.42, -0.025), colour="wood"),
    ]
