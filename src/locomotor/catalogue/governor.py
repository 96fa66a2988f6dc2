"""A flyball governor: two balls on arms that a turning shaft throws outwards, which lift a sleeve against a spring.

After the benchmark of the IFToMM library of multibody problems, with parameters of our own. At a steady rate w of the shaft
an arm at the angle a is in balance where m w² (e + L sin a) L cos a = m g L sin a + p sin a (M g - F), with F the push of the
spring on the sleeve, which each link passes on by half: at arms and links of equal length p both are as steep.
"""

from locomotor import checks
from locomotor.catalogue.locomotion_parts import LEFT, UP, hinge, parameter_set
from locomotor.model import (
    Body,
    Capsule,
    Cylinder,
    Gravity,
    JointDamper,
    JointSpring,
    Prismatic,
    RodClosure,
    Sphere,
    System,
)


@checks.fitting
def governor() -> System:
    """`shaft` turns about the vertical; `right` and `left` are angles of the arms from hanging down, `sleeve` its height."""
    arms = (("right", 1.0, (0.0, -1.0, 0.0)), ("left", -1.0, LEFT))
    return System(
        "governor",
        bodies=(
            Body(
                "spindle",
                mass=1.0,
                inertia=("I_s", "I_s", "I_s"),
                shapes=[
                    Cylinder((0, 0, "-1.2*L"), (0, 0, "0.1*L"), 0.012, colour="metal"),
                    Capsule(("-e", 0, 0), ("e", 0, 0), 0.014, colour="dark"),
                ],
            ),
            *(
                Body(
                    f"{name}_arm",
                    mass="m",
                    com=(0.0, 0.0, "-L"),
                    inertia=("2*m*r**2/5", "2*m*r**2/5", "2*m*r**2/5"),
                    shapes=[
                        Capsule((0, 0, 0), (0, 0, "-L"), 0.008, colour="metal"),
                        Sphere("r", at=(0, 0, "-L"), colour="accent"),
                    ],
                )
                for name, _, _ in arms
            ),
            Body(
                "collar",
                mass="M",
                inertia=("M*0.001", "M*0.001", "M*0.001"),
                shapes=[Cylinder((0, 0, -0.03), (0, 0, 0.03), 0.04, colour="wood")],
            ),
        ),
        joints=(
            hinge("shaft", "world", "spindle", axis=UP, description="angle of the shaft"),
            *(
                hinge(
                    name,
                    "spindle",
                    f"{name}_arm",
                    at=(f"{side}*e", 0.0, 0.0),
                    axis=axis,
                    description=f"angle of the {name} arm",
                )
                for name, side, axis in arms
            ),
            Prismatic(
                name="sleeve", parent="spindle", child="collar", axis=UP, description="height of the sleeve, from the hinges"
            ),
        ),
        loops=tuple(
            RodClosure(f"{name}_link", f"{name}_arm", "collar", (0.0, 0.0, "-p"), (f"{side}*e", 0.0, 0.0), length="p")
            for name, side, _ in arms
        ),
        forces=(
            Gravity((0.0, 0.0, "-g")),
            JointSpring("spring", "sleeve", "k", "rest"),
            JointDamper("damper", "sleeve", "c"),
        ),
        parameters=parameter_set(
            ("L", 0.5, "m", "length of an arm"),
            ("p", 0.3, "m", "from the hinge to the link, and length of the link"),
            ("e", 0.03, "m", "offset of the hinges from the axis"),
            ("r", 0.05, "m", "radius of a ball"),
            ("m", 1.0, "kg", "mass of a ball"),
            ("M", 0.5, "kg", "mass of the sleeve"),
            ("I_s", 0.02, "kg m^2", "inertia of the shaft"),
            ("k", 200.0, "N/m", "stiffness of the spring"),
            ("rest", -0.55, "m", "height at which it is free"),
            ("c", 4.0, "N s/m", "damping of the sleeve"),
            ("g", 9.81, "m/s^2", "gravity"),
        ),
        independent=("shaft_rate", "right_rate"),
        nominal={"right": 0.5, "left": 0.5, "sleeve": -0.53},
        description="flyball governor",
    )
