"""The snakeboard: a board on two axles that steer against each other, and a rotor (Belkhiri 2013, section 2.4).

From the printed kernel H = (-2 l cos^2(phi), 0, sin(2 phi)) the axle at -l has the angle +phi and that at +l the angle
-phi. The board's velocity along H is free: under-constrained, the motion follows from shape and momentum.
"""

from locomotor import checks
from locomotor.catalogue.drawn_parts import small_wheels
from locomotor.catalogue.locomotion_parts import FORWARD, driven, hinge, parameter_set, torque_input
from locomotor.model import Body, Coupling, Cylinder, Joint, Planar, Plate, Shape, Skate, Sphere, System, Tube

SNAKEBOARD_GAITS = {
    "drive": {"steer": "0.3*sin(t)", "rotor": "0.7*sin(t)"},
    "rotate": {"steer": "0.3*sin(t)", "rotor": "0.7*sin(2*t)"},
    "park": {"steer": "0.3*sin(2*t)", "rotor": "0.7*sin(3*t)"},
}
"""Frequency ratios 1:1, 1:2 and 2:3 displace the board along x, turn it, and displace it along y."""

BOARD = (
    ("m", 6.0, "kg", "mass of everything"),
    ("l", 0.2, "m", "distance of the axles from the centre"),
    ("J", 0.1654, "kg m^2", "inertia of the board and of the mass of the axles about the centre"),
)
SKATES = tuple(Skate(end, body=f"{end}_axle", at=(0.0, 0.0, 0.0), heading=FORWARD) for end in ("rear", "front"))
OPPOSITE = Coupling("opposite_axles", "steer + front_steer")
STEER_INPUT = torque_input("steer", "torque of the board on the axles, through the rear one")


def axles() -> tuple[Body, Body]:
    """The rear and the front axle."""
    rear, front = (Body(f"{end}_axle", "m_a", inertia=("J_w",) * 3, shapes=axle_shapes()) for end in ("rear", "front"))
    return rear, front


def steering() -> tuple[Joint, Joint]:
    """The joints of the rear axle, which is driven, and of the front one."""
    return (
        driven("steer", "board", "rear_axle", at=("-l", 0.0, 0.0), latex=r"\phi", description="angle of the rear axle"),
        hinge(
            "front_steer",
            "board",
            "front_axle",
            at=("l", 0.0, 0.0),
            latex=r"\phi_{\mathrm{f}}",
            description="angle of the front axle",
        ),
    )


@checks.fitting
def snakeboard() -> System:
    """A snakeboard whose total inertia is m l^2, so that only a = J_r/(2 m l^2) = 0.15 enters the motion (check 6)."""
    return System(
        "snakeboard",
        bodies=(
            Body("board", mass="m - m_r - 2*m_a", inertia=("J - 2*m_a*l**2",) * 3, shapes=board_shapes()),
            Body("propeller", mass="m_r", inertia=("J_r", "J_r", "J_r"), shapes=_rotor()),
            *axles(),
        ),
        joints=(
            Planar(name="base", parent="world", child="board"),
            driven("rotor", "board", "propeller", latex=r"\psi", description="angle of the rotor"),
            *steering(),
        ),
        contacts=SKATES,
        constraints=(OPPOSITE,),
        parameters=parameter_set(
            *BOARD,
            ("J_r", 0.072, "kg m^2", "inertia of the rotor"),
            ("J_w", 0.0013, "kg m^2", "inertia of an axle about its own centre"),
            source="after Lewis, Ostrowski, Murray, Burdick (1994)",
        )
        + parameter_set(
            ("m_r", 1.0, "kg", "mass of the rotor"),
            ("m_a", 0.1, "kg", "mass of an axle"),
        ),
        inputs=(
            torque_input("rotor", "torque of the board on the rotor"),
            STEER_INPUT,
        ),
        description="board on two axles that steer against each other, with a rotor",
    )


DECK = 0.075
"""Height of the deck above the ground (m), as drawn."""


def board_shapes() -> list[Shape]:
    """A bar from axle to axle, and the column that bears the rotor."""
    outline = [("-1.05*l", -0.03), ("-0.3*l", -0.045), ("0.3*l", -0.045), ("1.05*l", -0.03)]
    outline += [(x, -float(y)) for x, y in reversed(outline)]
    return [
        Plate(outline, 0.016, at=(0, 0, DECK), colour="wood"),
        Cylinder((0, 0, DECK), (0, 0, DECK + 0.07), 0.022, colour="metal"),
    ]


def axle_shapes() -> list[Shape]:
    """A foot plate that turns, with the axle and two wheels under it."""
    outline = [(-0.07, -0.085), (0.07, -0.085), (0.095, -0.05), (0.095, 0.05), (0.07, 0.085), (-0.07, 0.085)]
    outline += [(-0.095, 0.05), (-0.095, -0.05)]
    return [
        Plate(outline, 0.014, at=(0, 0, DECK + 0.016)),
        Cylinder((0, 0, 0.03), (0, 0, DECK), 0.018, colour="metal"),
        *small_wheels(0.03, 0.15, at=(0.0, 0.03), width=0.014),
    ]


def _rotor() -> list[Shape]:
    """A bar with weights at its ends, above the board: the rider's swing."""
    z = DECK + 0.08
    return [
        Tube([(0, -0.2, z), (0, 0.2, z)], 0.012, colour="metal"),
        Cylinder((0, 0, z - 0.015), (0, 0, z + 0.02), 0.035, colour="dark"),
        *(Sphere(0.042, at=(0, y, z), colour="accent") for y in (-0.2, 0.2)),
    ]
