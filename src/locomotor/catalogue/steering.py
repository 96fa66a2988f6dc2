"""Ackermann's steering: two knuckles on a beam, whose arms point backwards and inwards, and a tie rod between the arms.

The wheel inside a bend turns more than the one outside. Without slip both axles pass through one point of the rear axle's line,
cot(outside) - cot(inside) = track/wheelbase. With arms of length r that are turned inwards by alpha, and a rod of length s, the
angles differ by tan(alpha) (1 + 2 r sin(alpha)/s) angle² to second order; alpha is chosen so that both agree in that.
"""

import math

from locomotor import checks
from locomotor.catalogue.linkage_parts import THICK
from locomotor.catalogue.locomotion_parts import UP, driven, hinge, parameter_set, torque_input
from locomotor.model import Body, Box, Capsule, JointDamper, Shape, SphericalClosure, System, Wheel

TRACK, WHEELBASE, ARM = 1.4, 2.6, 0.18
"""Between the kingpins, between the axles, and length of the arms (m)."""


def inward_angle() -> float:
    """alpha: tan(alpha) (1 + 2 r sin(alpha)/s) = track/wheelbase, by iteration."""
    alpha = math.atan(TRACK / WHEELBASE)
    for _ in range(50):
        alpha = math.atan(TRACK / WHEELBASE / (1.0 + 2.0 * ARM * math.sin(alpha) / rod_length(alpha)))
    return alpha


def rod_length(alpha: float) -> float:
    """Length (m) of the tie rod, with the wheels straight."""
    return TRACK - 2.0 * ARM * math.sin(alpha)


@checks.fitting
def steering() -> System:
    """`left` and `right` are the angles of the wheels, positive to the left; `tie` that of the tie rod, from the left arm.

    The input `left_torque` turns the left knuckle; the rod turns the other one.
    """
    inward = inward_angle()
    arm = (-ARM * math.cos(inward), ARM * math.sin(inward), 0.0)
    rod = rod_length(inward)
    left_end, right_end = (arm[0], -arm[1], 0.0), (arm[0], arm[1], 0.0)
    return System(
        "steering",
        bodies=(
            _knuckle("left_knuckle", left_end, 0.06),
            Body(
                "tie_rod",
                mass=0.8,
                com=(0.0, -0.5 * rod, 0.0),
                inertia=(0.8 * rod**2 / 12.0, 1e-4, 0.8 * rod**2 / 12.0),
                shapes=[Capsule((0.0, 0.0, 0.0), (0.0, -rod, 0.0), 0.5 * THICK, colour="accent")],
            ),
            _knuckle("right_knuckle", right_end, -0.06),
        ),
        joints=(
            driven("left", "world", "left_knuckle", at=(0.0, 0.5 * TRACK, 0.3), axis=UP, description="angle of the left wheel"),
            hinge("tie", "left_knuckle", "tie_rod", at=left_end, description="angle of the tie rod to the left arm"),
            hinge(
                "right", "world", "right_knuckle", at=(0.0, -0.5 * TRACK, 0.3), axis=UP, description="angle of the right wheel"
            ),
        ),
        loops=(SphericalClosure("joint", "tie_rod", "right_knuckle", (0.0, -rod, 0.0), right_end),),
        forces=(JointDamper("left_damper", "left", "c"), JointDamper("right_damper", "right", "c")),
        parameters=parameter_set(("c", 2.0, "N m s", "damping of a kingpin")),
        inputs=(torque_input("left", "torque on the left knuckle"),),
        independent=("left_rate",),
        scenery=[Box((0.08, TRACK, 0.06), at=(0.0, 0.0, 0.3), colour="dark")],
        description="Ackermann's steering: two knuckles and a tie rod",
    )


def _knuckle(name: str, end: tuple[float, float, float], out: float) -> Body:
    """A wheel on its stub axle, with an arm that points backwards."""
    shapes: list[Shape] = [
        Wheel(0.3, at=(0.0, out, 0.0), tyre=0.05),
        Capsule((0.0, 0.0, 0.0), end, 0.5 * THICK, colour="metal"),
    ]
    return Body(name, mass=12.0, com=(0.0, out, 0.0), inertia=(0.4, 0.7, 0.4), shapes=shapes)
