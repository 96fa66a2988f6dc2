"""The snakeboard whose rotor is two elastic beams, back to back on the shaft of the motor (Belkhiri 2013, section 3.7).

The beams bend in the plane of the ground, in one clamped-free shape each, and store what the motor gives them. The source has
no numbers: masses and inertias are those of the rigid snakeboard, whose motion this one tends to as the beams become stiff.
"""

from locomotor import checks
from locomotor.catalogue.locomotion_parts import driven, parameter_set, torque_input
from locomotor.catalogue.snakeboard import BOARD, DECK, OPPOSITE, SKATES, STEER_INPUT, axles, board_shapes, steering
from locomotor.model import Body, CrossSection, Cylinder, Fixed, FlexibleBody, Frame, Planar, System

ELASTIC_GAITS = {"drive": {"steer": "0.3*sin(t)", "rotor": "0.7*sin(t)"}}
BETA_4 = 1.8751040687119611**4
"""omega_1² = beta⁴ EI/(m L⁴) of a clamped beam."""


@checks.fitting
def elastic_snakeboard(shapes: int = 1) -> System:
    """A snakeboard with two beams for a rotor, each of `shapes` shapes; parameter `omega_1` is their first frequency."""
    section = CrossSection(mass="m_b/L", EIz=f"omega_1**2*m_b*L**3/{BETA_4!r}", outline=(0.006, 0.03))
    beams = [FlexibleBody(name, "L", section, bending_y=shapes) for name in ("left_beam", "right_beam")]
    return System(
        "elastic_snakeboard",
        bodies=(
            Body("board", mass="m - 2*m_b - 2*m_a", inertia=("J - 2*m_a*l**2",) * 3, shapes=board_shapes()),
            Frame("shaft", shapes=(Cylinder((0, 0, DECK + 0.05), (0, 0, DECK + 0.1), 0.03, colour="dark"),)),
            *beams,
            *axles(),
        ),
        joints=(
            Planar(name="base", parent="world", child="board"),
            driven("rotor", "board", "shaft", latex=r"\psi", description="angle of the shaft"),
            Fixed(name="left_clamp", parent="shaft", child="left_beam", at=(0.0, 0.0, DECK + 0.08)),
            Fixed(name="right_clamp", parent="shaft", child="right_beam", at=(0.0, 0.0, DECK + 0.08), rotation=(0, 0, "pi")),
            *steering(),
        ),
        contacts=SKATES,
        constraints=(OPPOSITE,),
        parameters=parameter_set(
            *BOARD,
            ("J_w", 0.0013, "kg m^2", "inertia of an axle about its own centre"),
            ("m_b", 1.2, "kg", "mass of a beam"),
            ("L", 0.3, "m", "length of a beam"),
            ("omega_1", 5.0, "rad/s", "first frequency of a clamped beam"),
            ("m_a", 0.1, "kg", "mass of an axle"),
        ),
        inputs=(
            torque_input("rotor", "torque of the board on the shaft"),
            STEER_INPUT,
        ),
        description="board on two axles that steer against each other, with two elastic beams for a rotor",
    )
