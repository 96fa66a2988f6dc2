"""Insects that hover: fruit fly and hawkmoth, with rigid wings on imposed motions.

Stroke and pitch follow, with T = 2 pi frequency t,

    stroke = stroke_mean + amplitude (1 +- asymmetry) cos T,
    pitch  = pitch_mean +- pitch_skew + pitch_amplitude tanh(sharpness sin(T + pitch_phase))/tanh(sharpness)

(the pitch as in Berman and Wang, J. Fluid Mech. 582 (2007)); elevation is zero. Pitch is positive leading edge back, so that
the angle of attack in the middle of a stroke is pi/2 - pitch_amplitude. A positive phase turns the wing before the stroke ends.

Steered insects have the phase T, the amplitude, the mean of the stroke and the asymmetry as states `clock`, `reach`, `sweep`
and `bank`, which follow inputs (see `stroke_clock`); a run starts in the midst of beating with clock_rate = 2 pi frequency.
"""

from locomotor import checks
from locomotor.catalogue.flyer_parts import (
    BASES,
    QUARTER_ELLIPSE,
    SIDES,
    Planform,
    base_joint,
    beta_planform,
    ellipsoid_inertia,
    insect,
    wing_body,
    wing_joints,
    wing_look,
)
from locomotor.catalogue.locomotion_parts import OURS
from locomotor.catalogue.stroke_clock import hand_parameters, hands, tied
from locomotor.checks import choice
from locomotor.errors import ModelError
from locomotor.model import (
    Air,
    Body,
    Coupling,
    Force,
    Frame,
    Gravity,
    Joint,
    Motion,
    Parameter,
    ParameterSet,
    QuantityLike,
    System,
    Torque,
    Wing,
    parse,
)

FRY = "Fry, Sayaman and Dickinson, J. Exp. Biol. 208 (2005) 2303: Drosophila melanogaster"
AONO = "Aono, Liang and Liu, J. Exp. Biol. 211 (2008) 239: wing of the same fly"
DICKINSON = "Dickinson, Lehmann and Sane, Science 284 (1999) 1954"
BERMAN = "Berman and Wang, J. Fluid Mech. 582 (2007): hawkmoth"
Value = tuple[float, str, str, str]
"""Value, unit, meaning and source of a parameter."""

FRUIT_FLY: dict[str, Value] = {
    "mass": (0.96e-6, "kg", "whole mass", FRY),
    "frequency": (218.0, "Hz", "frequency of the strokes", FRY),
    "amplitude": (1.22, "rad", "half the stroke of 140 degrees", FRY),
    "R": (2.39e-3, "m", "length of a wing", AONO),
    "c_mean": (0.78e-3, "m", "mean chord", AONO),
    "pitch_amplitude": (0.873, "rad", "40 degrees of attack in the middle of a stroke", DICKINSON),
    "rho": (1.18, "kg/m^3", "density of the air, at 25 degrees", OURS),
    "sharpness": (1.5, "1", "how suddenly the wing turns over", OURS),
    "offset": (0.0, "m", "distance of the wing from its joint", OURS),
    "m_wing": (2.4e-9, "kg", "mass of a wing", OURS),
    "width": (0.9e-3, "m", "width of the body", OURS),
    "tall": (2.3e-3, "m", "length of the body", OURS),
    "height": (0.25e-3, "m", "height of the wing joints above the middle of the body", OURS),
    "apart": (0.8e-3, "m", "distance of the wing joints from each other", OURS),
}
HAWKMOTH: dict[str, Value] = {
    "mass": (1.648e-3, "kg", "whole mass", BERMAN),
    "R": (51.9e-3, "m", "length of a wing", BERMAN),
    "c_mean": (18.26e-3, "m", "mean chord", BERMAN),
    "frequency": (26.3, "Hz", "frequency of the strokes", BERMAN),
    "amplitude": (1.0, "rad", "amplitude of the stroke", OURS),
    "pitch_amplitude": (0.87, "rad", "40 degrees of attack in the middle of a stroke", OURS),
    "sharpness": (1.5, "1", "how suddenly the wing turns over", OURS),
    "offset": (0.0, "m", "distance of the wing from its joint", OURS),
    "m_wing": (45e-6, "kg", "mass of a wing", OURS),
    "width": (12e-3, "m", "width of the body", OURS),
    "tall": (45e-3, "m", "length of the body", OURS),
    "height": (9e-3, "m", "height of the wing joints above the middle of the body", OURS),
    "apart": (10e-3, "m", "distance of the wing joints from each other", OURS),
}
COMMON: dict[str, Value] = {
    "stroke_mean": (0.0, "rad", "mean of the stroke", OURS),
    "pitch_mean": (0.0, "rad", "mean of the pitch", OURS),
    "pitch_skew": (0.0, "rad", "by how much the right wing pitches farther in the mean, and the left one less", OURS),
    "pitch_phase": (0.0, "rad", "how far the pitch is ahead", OURS),
    "asymmetry": (0.0, "1", "share by which the right wing strokes farther, and the left one less", OURS),
    "tilt": (0.0, "rad", "tilt of the stroke plane, forward", OURS),
    "rho": (1.2, "kg/m^3", "density of the air", OURS),
    "g": (9.81, "m/s^2", "gravity", OURS),
}
PITCH = "pitch_mean MORE pitch_skew + pitch_amplitude*tanh(sharpness*sin(PHASE + pitch_phase))/tanh(sharpness)"
IMPOSED = {
    "stroke": "stroke_mean + amplitude*(1 MORE asymmetry)*cos(2*pi*frequency*t)",
    "pitch": PITCH.replace("PHASE", "2*pi*frequency*t"),
}
"""Laws of the strokes: `MORE` is + on the right and - on the left."""
STEERED = {"stroke": "sweep + reach*(1 MORE bank)*cos(clock)", "pitch": PITCH.replace("PHASE", "clock")}
FOLLOWERS = {
    "reach": ("amplitude", "rad", "amplitude of the strokes"),
    "sweep": ("stroke_mean", "rad", "mean of the strokes, forward"),
    "bank": ("asymmetry", "1", "share by which the right wing strokes farther"),
}
FLY_WING = beta_planform(0.66, 0.5)
"""Second radius of the area 0.58 R, as measured."""


@checks.fitting
def fruit_fly(base: str = "free", steered: bool = False) -> System:
    """A fruit fly (Drosophila melanogaster) that hovers, with Dickinson's coefficients; `base` is "free" or "clamped".

    `steered` makes frequency, amplitude, mean and asymmetry of the strokes inputs that may change in flight: `add_frequency`,
    `add_reach`, `add_sweep`, `add_bank`. Start it with {"clock_rate": 2 pi frequency}.
    """
    return _insect("fruit_fly", FRUIT_FLY, FLY_WING, base, 0.25, "dickinson1999", "dickinson1999", steered, (1e-3, 1e-9))


@checks.fitting
def hawkmoth(base: str = "free", steered: bool = False) -> System:
    """A hawkmoth (Manduca sexta) that hovers; coefficients of Berman and Wang (2007). Arguments as for `fruit_fly`."""
    lift, drag = "1.678*sin(2*alpha)", "0.07*cos(alpha)**2 + 3.06*sin(alpha)**2"
    return _insect("hawkmoth", HAWKMOTH, QUARTER_ELLIPSE, base, 0.25, lift, drag, steered, (1e-2, 1e-3))


def _insect(
    name: str, values: dict[str, Value], planform: Planform, base: str, axis: float, lift: QuantityLike, drag: QuantityLike,
    steered: bool, hand: tuple[float, float],
) -> System:  # fmt: skip
    choice(*BASES, error=ModelError)(base, f"{name}: base")
    checks.flag(steered, f"{name}: steered", error=ModelError)
    body = "mass - 2*m_wing"
    inertia = ellipsoid_inertia(body, "width/2", "width/2", "tall/2")
    bodies: list[Body | Frame] = [Body("thorax", mass=body, inertia=inertia, shapes=insect("tall", "width"))]
    joints: list[Joint] = [base_joint(base, "thorax")]
    forces: list[Force] = [Gravity((0.0, 0.0, "-g")), Air(density="rho")]
    R, c_mean, offset = (values[key][0] for key in ("R", "c_mean", "offset"))
    beside = hands("frequency", FOLLOWERS) if steered else None
    ties: list[Coupling] = []
    starts: dict[str, QuantityLike] = {}
    for side, way in SIDES.items():
        more = "+" if side == "right" else "-"
        laws = {name: law.replace("MORE", more) for name, law in (STEERED if steered else IMPOSED).items()}
        frames, hinges = wing_joints(
            side,
            "thorax",
            (0.0, f"{0.5 * way}*apart", "height"),
            tilt="tilt",
            stroke=Torque() if steered else Motion(laws["stroke"]),
            pitch=Torque() if steered else Motion(laws["pitch"]),
        )
        if beside is not None:
            ties += [tied(f"{side}_{which}", law) for which, law in laws.items()]
            starts |= {
                f"{side}_{which}": parse(law.replace("MORE", more)).substitute({"t": 0.0}) for which, law in IMPOSED.items()
            }
        look = wing_look(way, planform, R, c_mean, axis, offset)
        wing = wing_body(
            f"{side}_wing", way, planform, mass="m_wing", length="R", mean="c_mean", axis=axis, shapes=look, offset="offset"
        )
        bodies += [*frames, wing]
        joints += hinges
        forces.append(
            Wing(
                f"{side}_foil", f"{side}_wing", length="R", chord=planform.law("R", "c_mean"), root=(0.0, f"{way}*offset", 0.0),
                span=(0.0, way, 0.0), chord_axis=(0.0, 0.0, 1.0), normal=(1.0, 0.0, 0.0), axis=axis, centre=0.4,
                lift=lift, drag=drag,
            )
        )  # fmt: skip
    rows = [
        Parameter(key, value, unit, "", about, source) for key, (value, unit, about, source) in {**COMMON, **values}.items()
    ]
    if beside is not None:
        bodies, joints = [*bodies, *beside.frames], [*joints, *beside.joints]
        rows += hand_parameters(*hand, OURS)
    return System(
        name + ("" if base == "free" else "_clamped") + ("_steered" if steered else ""),
        bodies=bodies,
        joints=joints,
        forces=forces,
        constraints=ties,
        inputs=beside.inputs if beside is not None else (),
        nominal={**beside.nominal, **starts} if beside is not None else (),
        parameters=ParameterSet(rows),
        description=f"{name.replace('_', ' ')}, body and two rigid wings on imposed strokes",
    )
