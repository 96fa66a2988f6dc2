"""A flyer of 80 mg with piezoelectric drives and wings that pitch by themselves on elastic hinges, after the RoboBee.

Mass, span and frequency are those of Ma, Chirarattananon, Fuller and Wood, Science 340 (2013) 603; everything else is ours. A
wing is a spring and an inertia near resonance, which a torque swings; the pitch follows passively from the air, from the
inertia of the wing behind its leading edge and from the hinge. Inputs change the flight: `thrust` adds to the amplitude of
both torques, `bank` takes it from one wing to the other, `lean` is a constant torque that shifts the mean stroke forward.
"""

from locomotor import checks
from locomotor.catalogue.flyer_parts import (
    BASES,
    SIDES,
    Planform,
    base_joint,
    beta_planform,
    wing_body,
    wing_joints,
    wing_look,
)
from locomotor.catalogue.locomotion_parts import OURS
from locomotor.checks import choice
from locomotor.errors import ModelError
from locomotor.model import (
    Air,
    Body,
    Box,
    Capsule,
    Force,
    Frame,
    Gravity,
    Input,
    Joint,
    JointDamper,
    JointSpring,
    Parameter,
    ParameterSet,
    Shape,
    System,
    Torque,
    Wing,
)

MA = "Ma, Chirarattananon, Fuller and Wood, Science 340 (2013) 603"
ROWS: tuple[tuple[str, float, str, str, str], ...] = (
    ("mass", 80e-6, "kg", "whole mass", MA),
    ("R", 15e-3, "m", "length of a wing: half the span of 3 cm", MA),
    ("frequency", 120.0, "Hz", "frequency of the drive", MA),
    ("c_mean", 3.6e-3, "m", "mean chord", OURS),
    ("m_wing", 0.5e-6, "kg", "mass of a wing", OURS),
    ("height", 3e-3, "m", "height of the wing joints above the middle of the body", OURS),
    ("apart", 3e-3, "m", "distance of the wing joints from each other", OURS),
    ("Ix", 1.4e-9, "kg m^2", "moment of inertia of the body about its forward axis", OURS),
    ("Iy", 1.3e-9, "kg m^2", "moment of inertia of the body about its side axis", OURS),
    ("Iz", 0.45e-9, "kg m^2", "moment of inertia of the body about its upright axis", OURS),
    ("k_stroke", 2.6e-5, "N m/rad", "stiffness of the transmission", OURS),
    ("k_pitch", 4.5e-6, "N m/rad", "stiffness of the hinge of a wing", OURS),
    ("d_pitch", 1e-10, "N m s/rad", "damping of the hinge of a wing", OURS),
    ("torque", 1.9e-5, "N m", "amplitude of the driving torque", OURS),
    ("rho", 1.2, "kg/m^3", "density of the air", OURS),
    ("g", 9.81, "m/s^2", "gravity", OURS),
)
WING = beta_planform(0.3, 0.4)
AXIS = 0.1
INPUTS = (
    Input("thrust", "N m", "", "added to the amplitude of both torques"),
    Input("bank", "N m", "", "added to the amplitude on the left, taken from that on the right"),
    Input("lean", "N m", "", "constant torque on both wings, forward"),
)
UPRIGHT_LAW = {
    "lean": "6.4e-6*pitch + 2.8e-7*pitch_rate",
    "bank": "-(4e-6*roll + 2e-7*roll_rate)",
}
"""Inputs by which it stays upright: the mean stroke follows the pitch, the difference of the strokes the roll."""
HOVER = 1.24e-6
"""Torque (N m) beyond that of the parameters with which it hovers."""


@checks.fitting
def path_law(x: float = 0.1, z: float = 0.05, over: float = 1.0) -> dict[str, str]:
    """Inputs that fly to the place (x, 0, z) within `over` seconds, from rest to rest, and hold it in wind.

    Position asks for a pitch and a roll (nose down to go forward), those for a lean and a bank; height asks for thrust.
    """
    for name, value in (("x", x), ("z", z)):
        checks.number(value, f"path_law: {name}", error=ModelError)
    checks.positive(over, "path_law: over", error=ModelError)
    share = f"if_else(t < {over}, 3*(t/{over})**2 - 2*(t/{over})**3, 1)"
    rate = f"if_else(t < {over}, 6*(t/{over} - (t/{over})**2)/{over}, 0)"
    pitch = f"(4*({x}*{share} - x) + 1.2*({x}*{rate} - speed))"
    roll = "(4*y + 1.2*sway_speed)"
    return {
        "lean": f"6.4e-6*(pitch - {pitch}) + 2.8e-7*pitch_rate",
        "bank": f"-(4e-6*(roll - {roll}) + 2e-7*roll_rate)",
        "thrust": f"{HOVER} + 2e-4*({z}*{share} - z) + 4e-5*({z}*{rate} - heave_speed)",
    }


@checks.fitting
def micro_flyer(base: str = "free") -> System:
    """The flyer: `base` "free", or "clamped" on a bench."""
    choice(*BASES, error=ModelError)(base, "micro_flyer: base")
    bodies: list[Body | Frame] = [Body("hull", mass="mass - 2*m_wing", inertia=("Ix", "Iy", "Iz"), shapes=_hull())]
    joints: list[Joint] = [base_joint(base, "hull")]
    forces: list[Force] = [Gravity((0.0, 0.0, "-g")), Air(density="rho")]
    for side, way in SIDES.items():
        sign = "-" if side == "right" else "+"
        frames, hinges = wing_joints(
            side,
            "hull",
            (0.0, f"{0.5 * way}*apart", "height"),
            stroke=Torque(f"(torque + thrust {sign} bank)*cos(2*pi*frequency*t) + lean"),
            pitch=Torque(0.0),
        )
        look = wing_look(way, WING, 15e-3, 3.6e-3, AXIS)
        bodies += [
            *frames,
            wing_body(f"{side}_wing", way, WING, mass="m_wing", length="R", mean="c_mean", axis=AXIS, shapes=look),
        ]
        joints += hinges
        forces += _acting(side, way, WING)
    return System(
        "micro_flyer" if base == "free" else "micro_flyer_clamped",
        bodies=bodies,
        joints=joints,
        forces=forces,
        inputs=INPUTS,
        parameters=ParameterSet(Parameter(name, value, unit, "", about, source) for name, value, unit, about, source in ROWS),
        description="80 mg flyer: two wings swung by torques near resonance, passive pitch",
    )


def _acting(side: str, way: float, planform: Planform) -> list[Force]:
    return [
        JointSpring(f"{side}_transmission", f"{side}_stroke", "k_stroke"),
        JointSpring(f"{side}_hinge", f"{side}_pitch", "k_pitch"),
        JointDamper(f"{side}_loss", f"{side}_pitch", "d_pitch"),
        Wing(
            f"{side}_foil", f"{side}_wing", length="R", chord=planform.law("R", "c_mean"), span=(0.0, way, 0.0),
            chord_axis=(0.0, 0.0, 1.0), normal=(1.0, 0.0, 0.0), axis=AXIS, centre=0.4, lift="whitney2010", drag="whitney2010",
            mechanisms=("translation", "rotation", "added_mass", "spin"),
        ),
    ]  # fmt: skip


def _hull() -> list[Shape]:
    """Two actuators side by side on a thin frame, and four legs."""
    found: list[Shape] = [
        Box((0.6e-3, 2.2e-3, 9e-3), at=(0, 0, -2e-3), colour="dark"),
        Box((1.2e-3, 3.0e-3, 1.2e-3), at=(0, 0, 3e-3), colour="metal"),
        *(Box((0.3e-3, 0.8e-3, 8e-3), at=(0.6e-3, s * 0.8e-3, -2e-3), colour="#c9a24a") for s in (-1.0, 1.0)),
    ]
    for x in (-1.0, 1.0):
        for y in (-1.0, 1.0):
            found.append(Capsule((x * 0.4e-3, y * 0.9e-3, -5e-3), (x * 3.5e-3, y * 3.5e-3, -9e-3), 0.12e-3, colour="metal"))
    return found
