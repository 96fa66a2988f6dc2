"""Platforms on two driven wheels: the plain one, and the unicycle of robotics with a castor that follows.

Fully constrained, kinematic (docs/theory.md (A4); Mauny 2018, section 1.4.2):

    V_x = rho/2 (r_right_dot + r_left_dot),   V_y = 0,   Omega = rho/(2 d) (r_right_dot - r_left_dot).
"""

from locomotor import checks
from locomotor.catalogue.drawn_parts import eyes
from locomotor.catalogue.locomotion_parts import LEFT, Row, box, disc, driven, hinge, parameter_set, torque_input
from locomotor.model import Body, Box, Capsule, Cylinder, Handle, Input, Joint, Planar, Riding, RollingDisc, System, Tube, Wheel

PLATFORM_GAITS = {
    "circle": {"right_wheel": "6*t", "left_wheel": "4*t"},
    "parallel_parking": {
        "right_wheel": "4*sin(2*t) - 2*cos(2*t)",
        "left_wheel": "4*sin(2*t) + 2*cos(2*t)",
    },
}
"""Wheels turned at constant rates, and a loop in the plane of the two wheel angles."""
PLATFORM_RIDING = Riding(
    (
        Handle("turn", "across", {"right_wheel_torque": 0.05, "left_wheel_torque": -0.05}),
        Handle(
            "drive and brake",
            "along",
            {"right_wheel_torque": 0.2, "left_wheel_torque": 0.2},
            {"right_wheel_torque": "-0.3*tanh(right_wheel_rate)", "left_wheel_torque": "-0.3*tanh(left_wheel_rate)"},
        ),
    )
)

_WHEELS = ("right_wheel", "left_wheel")
_PARAMETERS: tuple[Row, ...] = (
    ("m", 8.0, "kg", "mass of the chassis"),
    ("length", 0.4, "m", "length of the chassis"),
    ("width", 0.3, "m", "width of the chassis"),
    ("height", 0.1, "m", "height of the chassis"),
    ("b", 0.05, "m", "distance of the chassis' centre of mass before the axle"),
    ("m_w", 0.6, "kg", "mass of a wheel"),
    ("rho", 0.1, "m", "radius of the driven wheels"),
    ("d", 0.2, "m", "half the track"),
)


@checks.fitting
def two_wheel_platform() -> System:
    """A chassis on two driven wheels on one axle, in the plane."""
    bodies, joints, contacts = _chassis()
    return System(
        "two_wheel_platform",
        bodies=bodies,
        joints=joints,
        contacts=contacts,
        parameters=parameter_set(*_PARAMETERS),
        inputs=_inputs(),
        description="differential drive: two driven wheels on one axle, rolling on a plane",
    )


@checks.fitting
def unicycle() -> System:
    """The two-wheel platform with a castor in front, whose swivel and wheel are passive and follow the driven wheels."""
    bodies, joints, contacts = _chassis()
    return System(
        "unicycle",
        bodies=(
            *bodies,
            Body(
                "castor_fork",
                mass="m_f",
                com=("-c/2", 0.0, 0.0),
                inertia=box("m_f", "c", "c/4", "c/4"),
                shapes=[
                    *(
                        Tube([("-c", side, 0), (0, side, "1.35*rho_c"), (0, 0, "1.35*rho_c")], 0.006, colour="metal")
                        for side in (-0.018, 0.018)
                    ),
                    Cylinder((0, 0, "1.3*rho_c"), (0, 0, "rho + 0.012 - rho_c"), 0.014, colour="metal"),
                ],
            ),
            Body("castor_disc", mass="m_c", inertia=disc("m_c", "rho_c"), shapes=[Wheel("rho_c", tyre="0.3*rho_c")]),
        ),
        joints=(
            *joints,
            hinge(
                "castor",
                "chassis",
                "castor_fork",
                at=("a", 0.0, "rho_c - rho"),
                description="swivel angle of the castor, zero when it trails",
            ),
            hinge(
                "castor_wheel",
                "castor_fork",
                "castor_disc",
                at=("-c", 0.0, 0.0),
                axis=LEFT,
                description="angle of the castor's wheel",
            ),
        ),
        contacts=(
            *contacts,
            RollingDisc("castor_tyre", body="castor_disc", centre=(0, 0, 0), axis=LEFT, radius="rho_c"),
        ),
        parameters=parameter_set(
            *_PARAMETERS,
            ("a", 0.25, "m", "distance of the castor's swivel before the axle"),
            ("c", 0.04, "m", "trail of the castor"),
            ("rho_c", 0.04, "m", "radius of the castor's wheel"),
            ("m_f", 0.1, "kg", "mass of the castor's fork"),
            ("m_c", 0.1, "kg", "mass of the castor's wheel"),
        ),
        inputs=_inputs(),
        description="two driven wheels on one axle and a castor, rolling on a plane",
    )


def _chassis() -> tuple[tuple[Body, ...], tuple[Joint, ...], tuple[RollingDisc, ...]]:
    chassis = Body(
        "chassis",
        mass="m",
        com=("b", 0.0, 0.0),
        inertia=box("m", "length", "width", "height"),
        shapes=[
            Box(("length", "width", "0.6*height"), at=("b", 0, "0.2*height")),
            Box(("0.8*length", "0.8*width", "0.25*height"), at=("b", 0, "0.6*height"), colour="dark"),
            *eyes("b + length/2", "0.4*width", "0.25*height", "0.16*height"),
            Capsule((0, "-d", 0), (0, "d", 0), "0.12*rho", colour="metal"),
        ],
    )
    return (
        (
            chassis,
            *(
                Body(f"{name}_disc", mass="m_w", inertia=disc("m_w", "rho"), shapes=[Wheel("rho", tyre="0.2*rho")])
                for name in _WHEELS
            ),
        ),
        (
            Planar(name="base", parent="world", child="chassis", at=(0.0, 0.0, "rho")),
            *(
                driven(
                    name,
                    "chassis",
                    f"{name}_disc",
                    at=(0.0, side, 0.0),
                    axis=LEFT,
                    description=f"angle of the {name.replace('_', ' ')}, positive rolling forward",
                )
                for name, side in zip(_WHEELS, ("-d", "d"), strict=True)
            ),
        ),
        tuple(
            RollingDisc(f"{name.split('_')[0]}_tyre", body=f"{name}_disc", centre=(0, 0, 0), axis=LEFT, radius="rho")
            for name in _WHEELS
        ),
    )


def _inputs() -> tuple[Input, ...]:
    return tuple(torque_input(name, f"torque of the chassis on the {name.replace('_', ' ')}") for name in _WHEELS)
