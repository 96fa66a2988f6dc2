"""A cart on a rail with two driven wheels and a pendulum: passive, over-determined, dynamic (Belkhiri 2013, section 3.6.1).

The two wheels must turn alike, and how they share the traction is open: one internal force moves nothing.
"""

from locomotor import checks
from locomotor.catalogue.locomotion_parts import FORWARD, LEFT, driven, hinge, parameter_set, torque_input
from locomotor.model import Body, Box, Cylinder, Gravity, Prismatic, RollingDisc, Shape, Sphere, System, Tube, Wheel

CART_PENDULUM_GAITS = {
    "rock": {"front_wheel": "2*sin(pi*t)", "rear_wheel": "2*sin(pi*t)"},
    "set_off": {"front_wheel": "20*smooth_step(t, 0, 2)", "rear_wheel": "20*smooth_step(t, 0, 2)"},
}
"""The cart goes to and fro (check 9), or starts and stops."""
_WHEELS = (("front_wheel", "l_c"), ("rear_wheel", "-l_c"))


@checks.fitting
def cart_pendulum() -> System:
    """The cart of check 9: M is the mass of everything, the pendulum a point mass on a massless rod."""
    return System(
        "cart_pendulum",
        bodies=(
            Body(
                "cart",
                mass="M - 2*m_w - m",
                inertia=("I_c", "I_c", "I_c"),
                shapes=[
                    Box(("2.9*l_c", "0.9*l_c", "0.6*R"), at=(0, 0, "1.5*R")),
                    *(Box(("0.3*R", "0.3*R", "1.6*R"), at=(x, "0.5*R", "0.7*R"), colour="dark") for x in ("l_c", "-l_c")),
                    Cylinder((0, "-0.6*l_c", 0), (0, "0.3*l_c", 0), "0.16*R", colour="metal"),
                    Box(("0.5*R", "0.3*R", "1.6*R"), at=(0, "-0.35*l_c", "0.7*R"), colour="dark"),
                ],
            ),
            # It hangs beside the rail.
            Body(
                "bob",
                mass="m",
                com=(0.0, 0.0, "-l"),
                inertia=("I_b", "I_b", "I_b"),
                shapes=[
                    Tube([(0, "-0.6*l_c", 0), (0, "-0.6*l_c", "-l")], "0.012*l", colour="metal"),
                    Sphere("0.13*l", at=(0, "-0.6*l_c", "-l"), colour="accent"),
                ],
            ),
            *(
                Body(f"{name}_disc", mass="m_w", inertia=("J_w", "J_w", "J_w"), shapes=[Wheel("R", tyre="0.2*R")])
                for name, _ in _WHEELS
            ),
        ),
        joints=(
            Prismatic(
                name="x", parent="world", child="cart", at=(0.0, 0.0, "R"), axis=FORWARD, description="place of the cart"
            ),
            *(
                driven(
                    name,
                    "cart",
                    f"{name}_disc",
                    at=(at, 0.0, 0.0),
                    axis=LEFT,
                    description=f"angle of the {name.replace('_', ' ')}, positive rolling forward",
                )
                for name, at in _WHEELS
            ),
            hinge(
                "pendulum",
                "cart",
                "bob",
                axis=(0.0, -1.0, 0.0),
                description="angle of the pendulum from hanging down, positive when the bob is in front",
            ),
        ),
        contacts=tuple(
            RollingDisc(name.split("_")[0], body=f"{name}_disc", centre=(0, 0, 0), axis=LEFT, radius="R") for name, _ in _WHEELS
        ),
        scenery=_rail(),
        forces=(Gravity((0.0, 0.0, "-g")),),
        parameters=parameter_set(
            ("M", 2.0, "kg", "mass of everything"),
            ("m", 0.5, "kg", "mass of the pendulum"),
            ("l", 0.3, "m", "length of the pendulum"),
            ("R", 0.05, "m", "radius of the wheels"),
            ("J_w", 1e-4, "kg m^2", "inertia of a wheel about its axle"),
            ("g", 9.81, "m/s^2", "gravity"),
            source="Belkhiri, PhD thesis (2013), section 3.6.1; values chosen here",
        )
        + parameter_set(
            ("m_w", 0.08, "kg", "mass of a wheel (a homogeneous disc)"),
            ("l_c", 0.1, "m", "half the wheelbase"),
            ("I_c", 0.01, "kg m^2", "inertia of the cart, which does not turn"),
            ("I_b", 1e-12, "kg m^2", "inertia of the bob about its own centre: a point, as nearly as a body can be"),
        ),
        inputs=tuple(torque_input(name, f"torque of the cart on the {name.replace('_', ' ')}") for name, _ in _WHEELS),
        description="cart on a rail with two driven wheels and a pendulum",
    )


def _rail() -> list[Shape]:
    """A rail on posts, high enough for the pendulum to go round beside it."""
    return [
        Box((4.0, "0.3*l_c", "0.3*R"), at=(0, 0, "-0.15*R"), colour="metal"),
        *(Box(("0.3*l_c", "0.3*l_c", "1.5*l"), at=(x, 0, "-0.75*l - 0.3*R"), colour="wood") for x in (-1.6, -0.8, 0.8, 1.6)),
    ]
