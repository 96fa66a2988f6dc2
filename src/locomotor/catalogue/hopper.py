"""A hopper on a springy leg: the spring-loaded inverted pendulum (SLIP), the usual model of running.

A heavy trunk that does not turn, a leg without mass, a small foot. The leg's spring is held at its length by a stop, which
opens on landing and closes at take-off; with a small foot and little preload this is the model of Blickhan (1989). The hip
brings the leg to its angle of attack while it is at the stop, and lets go on landing; the foot, which in the model has no
mass and is in place at once, lands only on the way down, and only if the leg is then compressed: a hopper that topples is not
held by a leg that would have to pull.
"""

from locomotor.catalogue.drawn_parts import eyes
from locomotor.catalogue.locomotion_parts import LEFT, parameter_set
from locomotor.catalogue.planar_base import vertical_plane
from locomotor.checks import door, number, positive
from locomotor.model import (
    Body,
    Coupling,
    Cylinder,
    Ellipsoid,
    Frame,
    Gravity,
    JointForce,
    JointSpring,
    Prismatic,
    Revolute,
    Shape,
    Sphere,
    StickingPoint,
    System,
    Tube,
    Unilateral,
)

LANDS = "min(-up_rate, -up_rate*cos(leg) - forward_rate*sin(leg))"
"""Positive while the hip goes down and towards the foot."""
AT_STOP = "less(max(l - length, abs(length_rate)/w), 1e-6*l)"
"""Whether the leg rests at its stop. Its rate is zero there and jumps on landing and at take-off, so that the hip lets go and
takes hold at events, with no instant in between at which the length alone would not tell."""
SOURCE = "Seyfarth, Geyer, Guenther, Blickhan, J. Biomech. 35 (2002)"


@door(stiffness=positive, angle=number, preload=number, foot_mass=positive)
def hopper(
    *, stiffness: float = 20e3, angle: float = 1.1868238913561442, preload: float = 0.001, foot_mass: float = 1e-3
) -> System:
    """Trunk of 80 kg on a leg of 1 m; `angle` of attack (rad) from the ground, 68 degrees by default, 90 to hop on the spot.

    Coordinates: `forward`, `up` of the hip, `leg` (angle, positive with the foot behind) and `length` of the leg. `preload`
    is how much longer the spring would be, as a share of the leg; `foot_mass` is in kg.
    """
    frames, carriers = vertical_plane("trunk", turning=None)
    spin = "1e-3*mf*l**2"
    return System(
        name="hopper",
        bodies=(
            *frames,
            # The trunk does not turn.
            Body("trunk", mass="m", inertia=("m*l**2/10", "m*l**2/10", "m*l**2/10"), shapes=_trunk()),
            Frame(
                "thigh",
                shapes=[
                    Tube([(0, 0, 0), (0, 0, "-0.38*l")], "0.05*l", colour="dark"),
                    Cylinder((0, 0, "-0.36*l"), (0, 0, "-0.39*l"), "0.075*l", colour="metal"),
                ],
            ),
            Body(
                "foot_body",
                mass="mf",
                inertia=(spin, spin, spin),
                shapes=[
                    Tube([(0, 0, "0.6*l"), (0, 0, "0.03*l")], "0.022*l", colour="metal"),
                    Cylinder((0, 0, "0.1*l"), (0, 0, "0.13*l"), "0.075*l", colour="metal"),
                    Ellipsoid(("0.075*l", "0.06*l", "0.045*l"), at=(0, 0, "0.04*l"), colour="rubber"),
                ],
            ),
        ),
        joints=(
            *carriers,
            Revolute(name="leg", parent="trunk", child="thigh", axis=LEFT),
            Prismatic(name="length", parent="thigh", child="foot_body", axis=(0.0, 0.0, -1.0), description="length of the leg"),
        ),
        contacts=(StickingPoint("foot", body="foot_body", at=(0.0, 0.0, 0.0), law=Unilateral(when=LANDS)),),
        constraints=(Coupling("stop", "l - length", law=Unilateral()),),
        forces=(
            Gravity((0.0, 0.0, "-g")),
            JointSpring("spring", joint="length", stiffness="k", rest="l*(1 + preload)"),
            JointForce(
                "hip",
                joint="leg",
                law=f"if_else({AT_STOP}, -mf*l**2*w**2*(leg - (angle - pi/2)) - 2*mf*l**2*w*leg_rate, 0)",
            ),
        ),
        parameters=parameter_set(
            ("m", 80.0, "kg", "mass of the trunk"),
            ("l", 1.0, "m", "length of the leg"),
            ("k", stiffness, "N/m", "stiffness of the leg"),
            ("angle", angle, "rad", "angle of attack from the ground"),
            ("preload", preload, "1", "preload of the spring as a share of the leg's length"),
            ("mf", foot_mass, "kg", "mass of the foot"),
            ("w", 200.0, "rad/s", "how fast the hip holds the angle of attack"),
            ("g", 9.81, "m/s^2", "gravity"),
            source=SOURCE,
        ),
        nominal={"up": "l*sin(angle)", "leg": "angle - pi/2", "length": "l"},
        ends={"fallen": "up - 0.3*l"},
        description="hopper on a spring (SLIP)",
    )


def _trunk() -> list[Shape]:
    """A rounded body with a face, so that one sees which way it goes."""
    return [
        Ellipsoid(("0.17*l", "0.17*l", "0.24*l"), at=(0, 0, "0.15*l")),
        *eyes("0.14*l", "0.16*l", "0.24*l", "0.035*l"),
        Sphere("0.08*l", colour="metal"),
    ]
