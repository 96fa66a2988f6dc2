"""The trikke: three wheels, a front one that steers and two rear ones that do not, and a rider who leans from side to side.

As in Chitta, Cheng, Frazzoli and Kumar (2005) the rider swings a mass while the front wheel steers; two constraints bind the
three velocities of the frame (the two rear wheels share one axle): under-constrained. The wheels are passive and roll along.
"""

from locomotor import checks
from locomotor.catalogue.drawn_parts import standing_rider
from locomotor.catalogue.locomotion_parts import LEFT, box, disc, driven, hinge, parameter_set, torque_input
from locomotor.model import Body, Box, Planar, RollingDisc, Shape, System, Tube, Wheel

TRIKKE_GAITS = {
    "drive": {"steer": "0.4*sin(3*t)", "rider": "-0.5*sin(3*t)"},
    "coast": {"steer": "0.2*sin(t)", "rider": "0"},
}
"""Steering against the swing drives it from rest; a rider who stands still coasts (start it with a speed)."""


@checks.fitting
def trikke() -> System:
    """A frame on two rear wheels, a fork with the front wheel, and a rider who swings about the vertical of the fork."""
    wheels = (
        ("right_wheel", "frame", (0.0, "-d", 0.0)),
        ("left_wheel", "frame", (0.0, "d", 0.0)),
        ("front_wheel", "fork", ("-c", 0.0, 0.0)),
    )
    return System(
        "trikke",
        bodies=(
            Body("frame", mass="m", com=("b/3", 0.0, 0.1), inertia=box("m", "b", "2*d", "0.3"), shapes=_arms()),
            Body("fork", mass="m_f", inertia=box("m_f", "0.1", "0.4", "0.8"), shapes=_column()),
            Body(
                "body_of_rider",
                mass="m_r",
                com=("-s", 0.0, 0.0),
                inertia=("I_r", "I_r", "I_r"),
                shapes=standing_rider("-s", (-0.02, 0.44, 0.5), 0.45),
            ),
            *(
                Body(f"{name}_disc", mass="m_w", inertia=disc("m_w", "rho"), shapes=[Wheel("rho", tyre="0.25*rho")])
                for name, _, _ in wheels
            ),
        ),
        joints=(
            Planar(name="base", parent="world", child="frame", at=(0.0, 0.0, "rho")),
            driven("steer", "frame", "fork", at=("b", 0.0, 0.0), description="steer angle of the fork"),
            driven("rider", "frame", "body_of_rider", at=("b", 0.0, 0.5), description="swing of the rider about the fork"),
            *(
                hinge(name, parent, f"{name}_disc", at=at, axis=LEFT, description=f"angle of the {name.replace('_', ' ')}")
                for name, parent, at in wheels
            ),
        ),
        contacts=tuple(
            RollingDisc(f"{name.split('_')[0]}_tyre", body=f"{name}_disc", centre=(0, 0, 0), axis=LEFT, radius="rho")
            for name, _, _ in wheels
        ),
        parameters=parameter_set(
            ("m", 8.0, "kg", "mass of the frame"),
            ("b", 0.9, "m", "wheelbase, from the rear axle to the steering column"),
            ("d", 0.3, "m", "half the rear track"),
            ("c", 0.05, "m", "trail of the front wheel"),
            ("rho", 0.1, "m", "radius of the wheels"),
            ("m_w", 0.5, "kg", "mass of a wheel"),
            ("m_f", 2.0, "kg", "mass of the fork"),
            ("m_r", 20.0, "kg", "mass that the rider swings"),
            ("s", 0.5, "m", "distance of that mass behind the steering column"),
            ("I_r", 0.4, "kg m^2", "inertia of that mass about its own centre"),
        ),
        inputs=(
            torque_input("steer", "torque of the frame on the fork"),
            torque_input("rider", "torque of the frame on the rider"),
        ),
        description="three wheels, the front one steered, and a rider who swings from side to side",
    )


def _arms() -> list[Shape]:
    """Two arms from the steering column to the rear wheels, with a step on each."""
    shapes: list[Shape] = []
    for side in ("-", ""):
        y = f"{side}d"
        shapes += [
            Tube(
                [("b - 0.02", 0, 0.22), ("0.72*b", f"{y}*0.25", 0.12), ("0.3*b", f"{y}*0.8", 0.03), (0, f"{y}*0.8", 0)],
                0.022,
                smooth=True,
            ),
            Tube([(0, f"{y}*0.8", 0), (0, y, 0)], 0.015, colour="metal"),
            Box((0.34, 0.13, 0.02), at=("0.32*b", f"{y}*0.62", 0.04), colour="dark"),
        ]
    return shapes


def _column() -> list[Shape]:
    """Fork, steering column and handlebar with grips."""
    return [
        *(Tube([("-c", y, 0), (0, y, 0.17), (0, 0, 0.19)], 0.013) for y in (-0.045, 0.045)),
        Tube([(0, 0, 0.17), (-0.02, 0, 1.0)], (0.026, 0.018)),
        Tube([(-0.05, -0.24, 1.0), (-0.02, 0, 1.0), (-0.05, 0.24, 1.0)], 0.014, smooth=True),
        *(Tube([(-0.05, 0.17 * side, 1.0), (-0.055, 0.26 * side, 1.0)], 0.02, colour="dark") for side in (-1.0, 1.0)),
    ]
