"""The bicycle of Belkhiri 2013, section 3.6.2 and appendix B: approximate wheels written as velocity constraints.

Its axes x up, y forward, z left are our z, x, y. The printed rows are those of a frame on the line through the contacts,
the inertias those of a frame at the height of the hubs; `consistent=True` puts the hubs where the rows have them. The
exact bicycle is `catalogue.bicycle`.
"""

from locomotor.catalogue.bicycle import BICYCLE_ENDS
from locomotor.catalogue.bicycle_shapes import fork_shapes, rear_frame_shapes
from locomotor.catalogue.locomotion_parts import LEFT, driven, hinge, parameter_set, torque_input
from locomotor.checks import door, flag
from locomotor.model import Body, Frame, Free, Gravity, Plane, System, VelocityConstraint, Wheel

BELKHIRI_BICYCLE_GAITS = {
    "straight": {"steer": "0", "rear_wheel": "15*t"},
    "weave": {"steer": "0.1*sin(3*t)", "rear_wheel": "15*t"},
}
"""A constant speed without steering, and with the handlebar going from side to side; the lean is unstable in both."""


@door(consistent=flag)
def belkhiri_bicycle(*, consistent: bool = False) -> System:
    """The thesis's bicycle with the numbers of check 12: steer and rear wheel driven, front wheel passive."""
    hub = "h" if consistent else "0"
    wheel = ("I_w", "J_w", "I_w")
    return System(
        "belkhiri_bicycle_consistent" if consistent else "belkhiri_bicycle",
        bodies=(
            # First moments and inertia are given about the frame's origin; the body wants them about its centre of mass.
            Body(
                "frame",
                mass="m0",
                com=("mY0/m0", "mZ0/m0", "mX0/m0"),
                inertia=(
                    ("YY0 - (mX0**2 + mZ0**2)/m0", "YZ0 + mY0*mZ0/m0", "XY0 + mX0*mY0/m0"),
                    ("YZ0 + mY0*mZ0/m0", "ZZ0 - (mX0**2 + mY0**2)/m0", "XZ0 + mX0*mZ0/m0"),
                    ("XY0 + mX0*mY0/m0", "XZ0 + mX0*mZ0/m0", "XX0 - (mY0**2 + mZ0**2)/m0"),
                ),
                shapes=rear_frame_shapes("l2 + l3", "0", "alpha", "h", "l2 + l3", hub=("-l3", hub)),
            ),
            Frame("handlebar", shapes=fork_shapes("0", "0", "h")),
            Body("front_disc", mass="m_w", inertia=wheel, shapes=[Wheel("h")]),
            Body("rear_disc", mass="m_w", inertia=wheel, shapes=[Wheel("h")]),
        ),
        joints=(
            Free(name="base", parent="world", child="frame"),
            driven(
                "steer",
                "frame",
                "handlebar",
                at=("l2", 0.0, hub),
                rotation=(0.0, "-alpha", 0.0),
                latex="r_1",
                description="steer angle, positive to the left",
            ),
            hinge("front_wheel", "handlebar", "front_disc", axis=LEFT, latex="r_2", description="front wheel angle"),
            driven(
                "rear_wheel",
                "frame",
                "rear_disc",
                at=("-l3", 0.0, hub),
                axis=LEFT,
                latex="r_3",
                description="rear wheel angle",
            ),
        ),
        constraints=_rows(),
        # Nothing touches it, the rows say all; it is there to be seen.
        grounds=(Plane("road", point=(0.0, 0.0, "0" if consistent else "-h")),),
        forces=(Gravity((0.0, 0.0, "-g")),),
        parameters=parameter_set(
            ("m_w", 1.5, "kg", "mass of a wheel"),
            ("h", 0.33, "m", "radius of the wheels"),
            ("J_w", 1.5 * 0.33**2, "kg m^2", "inertia of a wheel about its axle"),
            ("I_w", 0.5 * 1.5 * 0.33**2, "kg m^2", "inertia of a wheel about a diameter"),
            ("l2", 0.5, "m", "distance of the front hub before the origin"),
            ("l3", 0.5, "m", "distance of the rear hub behind the origin"),
            ("alpha", 0.3, "rad", "rake of the steering axis"),
            ("m0", 80.0, "kg", "mass of the frame and rider"),
            ("mX0", 48.0, "kg m", "first moment of the frame, up"),
            ("mY0", -8.0, "kg m", "first moment of the frame, forward"),
            ("mZ0", 0.0, "kg m", "first moment of the frame, left"),
            ("XX0", 10.0, "kg m^2", "inertia of the frame about the axis up through the origin"),
            ("YY0", 35.0, "kg m^2", "inertia of the frame about the axis forward through the origin"),
            ("ZZ0", 33.0, "kg m^2", "inertia of the frame about the axis left through the origin"),
            ("XY0", 4.8, "kg m^2", "entry up-forward of that inertia matrix"),
            ("XZ0", 0.0, "kg m^2", "entry up-left of that inertia matrix"),
            ("YZ0", 0.0, "kg m^2", "entry forward-left of that inertia matrix"),
            ("g", 9.81, "m/s^2", "gravity"),
            source="Belkhiri, PhD thesis (2013), section 3.6.2; values chosen here",
        ),
        inputs=(
            torque_input("steer", "torque of the frame on the handlebar, positive to the left"),
            torque_input("rear_wheel", "torque of the frame on the rear wheel, positive forward"),
        ),
        independent=("roll_rate", "steer_rate", "rear_wheel_rate"),
        ends=BICYCLE_ENDS,
        description="bicycle with approximate contact geometry, its six constraints written out",
    )


def _rows() -> tuple[VelocityConstraint, ...]:
    """Rows (3.76)-(3.77), row 5 with its misprint corrected (l2 sin(alpha) sin(r1) in the last entry)."""
    s1, c1, sa, ca = "sin(steer)", "cos(steer)", "sin(alpha)", "cos(alpha)"
    return (
        VelocityConstraint("height", {"heave_speed": 1.0}),
        VelocityConstraint("rear_rolling", {"speed": 1.0, "rear_wheel_rate": "-h"}),
        VelocityConstraint("rear_skid", {"sway_speed": 1.0, "yaw_rate": "-l3"}),
        VelocityConstraint(
            "front_rolling",
            {
                "speed": f"-{c1}",
                "sway_speed": f"-{ca}*{s1}",
                "yaw_rate": f"-l2*{ca}*{s1}",
                "front_wheel_rate": "h",
                "steer_rate": f"h*{sa}*{ca}*{s1}",
            },
        ),
        VelocityConstraint(
            "front_skid",
            {
                "heave_speed": f"-{sa}*{s1}",
                "speed": f"-{ca}*{s1}",
                "sway_speed": c1,
                "yaw_rate": f"l2*{c1}",
                "pitch_rate": f"l2*{sa}*{s1}",
            },
        ),
        VelocityConstraint("pitch", {"pitch_rate": 1.0}),
    )
