"""A corner of a car: two wishbones, an upright between them, a tie rod, a wheel, spring and damper; the body goes up and down.

Seen from the front the wishbones and the upright are a four-bar linkage, which leans the wheel as it rises; the tie rod keeps
it straight. The tyre presses on the ground as a spring of its own.
"""

import math

from locomotor import checks
from locomotor.catalogue.linkage_parts import THICK
from locomotor.catalogue.locomotion_parts import FORWARD, LEFT, UP, hinge, parameter_set
from locomotor.model import (
    Body,
    Box,
    Capsule,
    CompliantContact,
    Gravity,
    PointDamper,
    PointSpring,
    Prismatic,
    Revolute,
    RodClosure,
    Shape,
    Spherical,
    SphericalClosure,
    System,
    Tube,
    Wheel,
)

LOWER, UPPER = 0.40, 0.30
"""Lengths of the wishbones (m)."""
LOW, HIGH = (0.0, 0.25, -0.08), (0.0, 0.30, 0.17)
"""Their hinges on the body, in its frame (m)."""
TOP, AXLE = (0.0, -0.05, 0.25), (0.0, 0.10, 0.125)
"""In the frame of the upright, whose origin is the lower ball: the upper ball and the centre of the wheel (m)."""
INNER, OUTER = (-0.12, 0.27, 0.045), (-0.12, -0.02, 0.125)
"""Ends of the tie rod, in the frames of the body and of the upright (m)."""
RADIUS, RIDE = 0.3, 0.255
"""Radius of the wheel, and height of the body at which the wishbones are level and the wheel just touches the ground (m)."""


@checks.fitting
def suspension() -> System:
    """`heave` is the height of the body, `lower` and `upper` are the angles of its wishbones, positive upwards.

    `hub_...` is the quaternion of the upright, `wheel` the angle of the wheel.
    """
    low_end, high_end = (0.0, LOWER, 0.0), (0.0, UPPER, 0.0)
    rod = math.hypot(LOW[1] + LOWER + OUTER[1] - INNER[1], LOW[2] + OUTER[2] - INNER[2])
    return System(
        "suspension",
        bodies=(
            Body("body", mass="m_s", inertia=(5.0, 20.0, 20.0), shapes=_corner()),
            _wishbone("lower_arm", LOWER),
            _wishbone("upper_arm", UPPER),
            Body("upright", mass="m_u", com=(0.0, 0.0, 0.125), inertia=(0.15, 0.15, 0.1), shapes=_upright()),
            Body("rim", mass="m_w", inertia=(0.45, 0.8, 0.45), shapes=[Wheel(RADIUS, tyre=0.08)]),
        ),
        joints=(
            Prismatic(name="heave", parent="world", child="body", axis=UP, description="height of the body"),
            hinge("lower", "body", "lower_arm", at=LOW, axis=FORWARD, description="angle of the lower wishbone"),
            hinge("upper", "body", "upper_arm", at=HIGH, axis=FORWARD, description="angle of the upper wishbone"),
            Spherical(name="hub", parent="lower_arm", child="upright", at=low_end),
            Revolute(name="wheel", parent="upright", child="rim", at=AXLE, axis=LEFT),
        ),
        loops=(
            SphericalClosure("ball", "upright", "upper_arm", TOP, high_end),
            RodClosure("tie_rod", "body", "upright", INNER, OUTER, length=rod),
        ),
        forces=(
            Gravity((0.0, 0.0, "-g")),
            PointSpring("spring", "body", (0.0, 0.32, 0.25), "lower_arm", (0.0, 0.7 * LOWER, 0.0), "k", "l_0"),
            PointDamper("damper", "body", (0.0, 0.32, 0.25), "lower_arm", (0.0, 0.7 * LOWER, 0.0), "c"),
            CompliantContact("tyre", "rim", (0.0, 0.0, 0.0), "k_t", radius=RADIUS, axis=LEFT, exponent=1.0, restitution=0.5),
        ),
        parameters=parameter_set(
            ("m_s", 300.0, "kg", "mass of the body at this corner"),
            ("m_u", 15.0, "kg", "mass of the upright"),
            ("m_w", 20.0, "kg", "mass of the wheel"),
            ("k", 60000.0, "N/m", "stiffness of the spring"),
            ("l_0", 0.47, "m", "free length of the spring"),
            ("c", 3500.0, "N s/m", "damping"),
            ("k_t", 200000.0, "N/m", "stiffness of the tyre"),
            ("g", 9.81, "m/s^2", "gravity"),
        ),
        independent=("heave_rate", "lower_rate", "wheel_rate"),
        nominal={"heave": RIDE},
        description="corner of a car: wishbones, upright, tie rod, wheel, spring and damper",
    )


def _corner() -> list[Shape]:
    """A corner of the frame: pins and brackets of the wishbones, and the arm that the spring stands under."""
    pins = [Capsule((-0.18, *at[1:]), (0.18, *at[1:]), 0.4 * THICK, colour="dark") for at in (LOW, HIGH)]
    brackets = [
        Capsule((x, 0.14, 0.8 * at[2]), (x, *at[1:]), 0.5 * THICK, colour="body") for x in (-0.15, 0.15) for at in (LOW, HIGH)
    ]
    top = (0.0, 0.32, 0.25)
    return [
        Box((0.42, 0.1, 0.26), at=(0.0, 0.1, 0.04), colour="body"),
        Tube([(0.0, 0.12, 0.12), (0.0, 0.2, 0.25), top], 0.7 * THICK, smooth=True, colour="body"),
        *pins,
        *brackets,
    ]


def _wishbone(name: str, length: float) -> Body:
    shapes = [Capsule((x, 0.0, 0.0), (0.0, length, 0.0), 0.4 * THICK, colour="metal") for x in (-0.15, 0.15)]
    return Body(name, mass=3.0, com=(0.0, 0.5 * length, 0.0), inertia=(0.25 * length**2, 0.01, 0.25 * length**2), shapes=shapes)


def _upright() -> list[Shape]:
    return [
        Capsule((0.0, 0.0, 0.0), TOP, 0.6 * THICK, colour="wood"),
        Capsule((0.0, -0.02, 0.125), OUTER, 0.4 * THICK, colour="wood"),
        Capsule((0.0, -0.02, 0.125), AXLE, 0.5 * THICK, colour="dark"),
    ]
