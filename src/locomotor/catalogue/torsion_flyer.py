"""A flyer of three bodies whose wings twist: thorax and two flexible wings on floating frames, Belkhiri 2013, section 4.5.

A wing is a quarter of an ellipse below a stiff leading edge; it twists in the first mode of a uniform beam, sin(pi s/2).
Flapping is imposed about the vertical; the twist follows from air, inertia and elasticity. The air has no added mass, as in
the source. The elastic constant of torsion is that of the polar moment of the section about the leading edge, e c³/3, with
the local chord; the constant of Saint-Venant would give 0.2 Hz. The source gives neither the density of thorax and air nor
where the joints are to the side, and its equations lack gravity.
"""

import math

from locomotor import checks
from locomotor.catalogue.flyer_parts import BASES, MEMBRANE, SIDES, base_joint, ellipsoid_inertia, insect
from locomotor.catalogue.locomotion_parts import OURS
from locomotor.checks import choice
from locomotor.errors import ModelError
from locomotor.model import (
    Air,
    Body,
    CrossSection,
    FlexibleBody,
    Force,
    Frame,
    Gravity,
    Joint,
    Motion,
    Parameter,
    ParameterSet,
    Plate,
    Revolute,
    Shape,
    System,
    Wing,
)

SOURCE = "Belkhiri, PhD thesis (2013), section 4.5.5"
ROWS: tuple[tuple[str, float, str, str, str], ...] = (
    ("l", 70e-3, "m", "length of a wing", SOURCE),
    ("c0", 31.5e-3, "m", "chord at the root", SOURCE),
    ("e", 0.1e-3, "m", "thickness of a wing", SOURCE),
    ("mu", 0.14, "kg/m^2", "mass of a wing per area", SOURCE),
    ("G", 0.2e6, "Pa", "shear modulus, found by trial in the source", SOURCE),
    ("a", 8.5e-3, "m", "half-axes of the thorax forward and to the side", SOURCE),
    ("b", 28e-3, "m", "half-axis of the thorax upward", SOURCE),
    ("height", 0.65, "1", "height of the wing joints above the middle of the thorax, in parts of b", SOURCE),
    ("amplitude", math.radians(40.0), "rad", "amplitude of flapping", SOURCE),
    ("frequency", 25.0, "Hz", "frequency of flapping", SOURCE),
    ("rho_t", 800.0, "kg/m^3", "density of the thorax", OURS),
    ("rho", 1.2, "kg/m^3", "density of the air", OURS),
    ("g", 9.81, "m/s^2", "gravity", OURS),
)


@checks.fitting
def torsion_flyer(base: str = "free", modes: int = 1, *, frame: str = "exact") -> System:
    """The flyer with `modes` shapes of twist a wing: `base` "free", or "clamped" on a bench.

    `frame` says how sections turn with the twist: "exact", or "linear" as (4.42) of the source has it.
    """
    choice(*BASES, error=ModelError)(base, "torsion_flyer: base")
    mass = "4/3*pi*rho_t*a**2*b"
    bodies: list[Body | Frame] = [
        Body("thorax", mass=mass, inertia=ellipsoid_inertia(mass, "a", "a", "b"), shapes=insect("2*b", "2*a"))
    ]
    joints: list[Joint] = [base_joint(base, "thorax")]
    forces: list[Force] = [Gravity((0.0, 0.0, "-g")), Air(density="rho")]
    chord = "c0*sqrt(1 - s**2)"
    section = CrossSection(
        mass=f"mu*{chord}",
        moment=(0.0, "-mu*c0**2*(1 - s**2)/2"),
        second=(0.0, "mu*c0**3*(1 - s**2)**1.5/3", 0.0),
        GJ="G*e*c0**3*(1 - s**2)**1.5/3",
    )
    for side, way in SIDES.items():
        bodies.append(FlexibleBody(f"{side}_wing", length="l", section=section, torsion=modes, shapes=[_look()]))
        joints.append(
            Revolute(
                name=f"{side}_flap", parent="thorax", child=f"{side}_wing", rotation=(0.0, 0.0, way * math.pi / 2.0),
                at=(0.0, f"{way}*a*sqrt(1 - height**2)", "height*b"), axis=(0.0, 0.0, -way),
                drive=Motion("amplitude*sin(2*pi*frequency*t)"),
            )
        )  # fmt: skip
        forces.append(
            Wing(
                f"{side}_foil", f"{side}_wing", length="l", chord="c0*sqrt(1 - (X/l)**2)", span=(1.0, 0.0, 0.0),
                chord_axis=(0.0, 0.0, 1.0), sections=4, mechanisms=("translation", "rotation"),
                frame=frame,
            )
        )  # fmt: skip
    return System(
        "torsion_flyer" if base == "free" else "torsion_flyer_clamped",
        bodies=bodies,
        joints=joints,
        forces=forces,
        parameters=ParameterSet(Parameter(name, value, unit, "", about, source) for name, value, unit, about, source in ROWS),
        description="thorax and two wings that twist, flapping at 25 Hz",
    )


def _look() -> Shape:
    """The membrane, along x, below the leading edge."""
    shares = [k / 12 for k in range(13)]
    low = [(0.07 * s, -0.0315 * math.sqrt(max(1.0 - s * s, 0.0))) for s in shares[:-1]]
    return Plate([*low, (0.07, 0.0), (0.0, 0.0)], 0.0003, rotation=(math.pi / 2.0, 0.0, 0.0), colour=MEMBRANE)
