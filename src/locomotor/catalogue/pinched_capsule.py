"""A capsule that two jaws pinch: it touches each of them along a line, and friction alone carries it.

Between upright jaws it holds while 2 mu F >= m g, whatever its length and radius; with less it slides down with g - 2 mu F/m.
Jaws that lean put part of its weight on the fixed one; it then rolls down on that, and slips along the other.
"""

from locomotor.catalogue.locomotion_parts import parameter_set
from locomotor.checks import door, number
from locomotor.model import (
    Body,
    BodyForce,
    Box,
    Capsule,
    Free,
    Gravity,
    Plane,
    Prismatic,
    Shape,
    System,
    Unilateral,
    capsule_ends,
)

CAUGHT = {"heave_speed": -1.0}
"""A start worth watching: it falls between the jaws, which stop it and hold it."""


@door(friction=number, grip=number, lean=number)
def pinched_capsule(*, friction: float = 0.5, grip: float = 20.0, lean: float = 0.0) -> System:
    """A capsule along y between a fixed jaw at x = 0 and one that `grip` (N) presses on it, at x = `opening`.

    Each jaw is a plane without end that the two ends of the capsule touch: `fixed_start`, `fixed_end`, `moving_start` and
    `moving_end`. `lean` (rad) turns gravity towards the fixed jaw, by pi/2 that is a floor; x, y, z stay attached to it.
    """
    law = Unilateral(friction="mu")
    start, end = (0.0, "-l", 0.0), (0.0, "l", 0.0)
    return System(
        name="pinched_capsule",
        bodies=(
            Body("capsule", mass="m", inertia=("I", "J", "I"), shapes=[Capsule(start, end, "r", colour="accent")]),
            Body("jaw", mass="m_jaw", inertia=("I", "I", "I"), shapes=_fork()),
        ),
        joints=(
            Free(name="base", parent="world", child="capsule"),
            Prismatic(name="opening", parent="world", child="jaw", axis=(1.0, 0.0, 0.0)),
        ),
        contacts=(
            *capsule_ends("fixed", "capsule", start, end, "r", ground="fixed_jaw", law=law),
            *capsule_ends("moving", "capsule", start, end, "r", ground="moving_jaw", law=law),
        ),
        forces=(
            Gravity(("-g*sin(lean)", 0.0, "-g*cos(lean)")),
            BodyForce("grip", "jaw", (0.0, 0.0, 0.0), ("-F", 0.0, 0.0)),
        ),
        grounds=(Plane("fixed_jaw", normal=(1.0, 0.0, 0.0)), Plane("moving_jaw", normal=(-1.0, 0.0, 0.0), body="jaw")),
        parameters=parameter_set(
            ("m", 1.0, "kg", "mass of the capsule"),
            ("m_jaw", 0.5, "kg", "mass of the jaw that moves"),
            ("r", 0.05, "m", "radius"),
            ("l", 0.2, "m", "half the distance of the centres of its ends"),
            ("I", 0.02, "kg m^2", "inertia across its axis; of the jaw too, which does not turn"),
            ("J", 1.25e-3, "kg m^2", "inertia about its axis"),
            ("mu", friction, "1", "coefficient of friction"),
            ("F", grip, "N", "force that presses the jaw on the capsule"),
            ("g", 9.81, "m/s^2", "gravity"),
            ("lean", lean, "rad", "inclination of the jaws from upright, towards the fixed one"),
            source="ours",
        ),
        nominal={"x": "r", "opening": "2*r"},
        scenery=[Box((0.03, "2.6*l", "6*r"), at=(-0.015, 0.0, 0.0), colour="wood")],
        description="capsule that two jaws hold by friction",
    )


def _fork() -> list[Shape]:
    """Two fingers with their faces at x = 0, one for each end, and a bridge: the capsule is seen between them."""
    fingers = [Box((0.03, "r", "6*r"), at=(0.015, side, 0.0), colour="metal") for side in ("-l", "l")]
    return [*fingers, Box((0.03, "2*l", "r"), at=(0.015, 0.0, "2.5*r"), colour="metal")]
