"""The simplest walking model of Garcia, Chatterjee, Ruina and Coleman (1998): two straight legs and a heavy hip on a slope.

The original has feet without mass; a small mass stands for the limit. The swinging foot passes through the ground, for want
of knees, until it is ahead of the hip; there it strikes, plastically, and the other foot leaves. Legs are 1 m long and g is
1 m/s², so that times are those of the paper.
"""

from locomotor.catalogue.locomotion_parts import LEFT, parameter_set
from locomotor.catalogue.planar_base import vertical_plane
from locomotor.checks import door, number, positive
from locomotor.model import Body, Cylinder, Ellipsoid, Gravity, Revolute, Shape, Sphere, StickingPoint, System, Tube, Unilateral

SOURCE = "Garcia, Chatterjee, Ruina, Coleman, J. Biomech. Eng. 120 (1998)"

GARCIA_CYCLE = {"leg_a": -0.20031075058, "leg_b": 0.20031075058, "leg_a_rate": 0.19983254661, "leg_b_rate": 0.18400956424}
"""The long-period gait on a slope of 0.009 rad, just after `foot_a` has struck: a start for `closed=["foot_a"]`."""


@door(slope=number, foot_mass=positive)
def compass_walker(*, slope: float = 0.009, foot_mass: float = 1e-6) -> System:
    """The walker going down along +x; `foot_mass` is in units of the hip's mass.

    The angle of a leg is positive with its foot behind the hip. The angles of the paper are theta = -leg_a and
    phi = leg_b - leg_a while foot_a stands.
    """
    frames, carriers = vertical_plane("hip", turning=None)
    small = "1e-9*m*l**2"
    legs = ("leg_a", "leg_b")
    return System(
        name="compass_walker",
        bodies=(
            *frames,
            Body("hip", mass="M", inertia=("M*l**2", "M*l**2", "M*l**2"), shapes=_hip()),  # it does not turn
            *(
                Body(f"{leg}_body", mass="m", com=(0.0, 0.0, "-l"), inertia=(small, small, small), shapes=_leg(side))
                for leg, side in zip(legs, ("-", ""), strict=True)
            ),
        ),
        joints=(*carriers, *(Revolute(name=leg, parent="hip", child=f"{leg}_body", axis=LEFT) for leg in legs)),
        contacts=tuple(
            StickingPoint(f"foot_{leg[-1]}", body=f"{leg}_body", at=(0.0, 0.0, "-l"), law=Unilateral(when=f"-{leg}"))
            for leg in legs
        ),
        forces=(Gravity(("g*sin(slope)", 0.0, "-g*cos(slope)")),),
        parameters=parameter_set(
            ("M", 1.0, "kg", "mass of the hip"),
            ("m", foot_mass, "kg", "mass of a foot"),
            ("l", 1.0, "m", "length of a leg"),
            ("g", 1.0, "m/s^2", "gravity"),
            ("slope", slope, "rad", "inclination of the ground, downhill along +x"),
            source=SOURCE,
        ),
        nominal={"up": "l*cos(0.5)", "leg_a": "-0.5", "leg_b": "0.5"},
        ends={"fallen": "up - 0.5*l"},
        description="simplest walking model: point masses at the hip and at two feet",
    )


def _hip() -> list[Shape]:
    """The axle that bears both legs, with the mass at its middle."""
    return [
        Cylinder((0, "-0.2*l", 0), (0, "0.2*l", 0), "0.035*l", colour="metal"),
        Sphere("0.11*l", colour="dark"),
        Cylinder((0, "-0.02*l", 0), (0, "0.02*l", 0), "0.115*l", colour="accent"),
    ]


def _leg(side: str) -> list[Shape]:
    """A leg beside the middle, so that it passes the other, with knee and foot."""
    y = f"{side}0.14*l"
    return [
        Cylinder((0, f"{y} - 0.03*l", 0), (0, f"{y} + 0.03*l", 0), "0.075*l"),
        Tube([(0, y, 0), (0, y, "-0.5*l"), (0, y, "-0.97*l")], ("0.05*l", "0.036*l", "0.026*l")),
        Ellipsoid(("0.1*l", "0.045*l", "0.03*l"), at=("0.045*l", y, "-0.97*l"), colour="rubber"),
    ]
