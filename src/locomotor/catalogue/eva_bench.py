"""EVA's wing on its bench: blade, leading edge and membrane, of which only frequencies and a lift were published.

Belkhiri (2013, section 4.2) gives the frequencies of the wing alone (17 and 35 Hz, computed) and of wing, thorax and actuator
together (7.24, 26.3 and 88 Hz), and says that the lift is largest near the second of them, where it carries 3.5 g. Sizes are
those of the specification of EVA: 7 cm long, 5 cm of chord, 350 mg both wings. What the source does not tell is found from the
five frequencies: how the mass is shared between leading edge and membrane, three stiffnesses, and the inertia of the blade.

One side of the bench has three joints: the blade turns about the vertical, driven by a torque against its spring (an actuator
that moves the other end of that spring by an angle does the same); the leading edge bends against the blade; the membrane
twists about the leading edge. Wing alone: both joints of the wing, in a vacuum. Together: all three, with the air they carry.
"""

import math

from locomotor import checks
from locomotor.catalogue.flyer_parts import QUARTER_ELLIPSE, vein, wing_body, wing_look
from locomotor.catalogue.locomotion_parts import OURS
from locomotor.checks import choice
from locomotor.errors import ModelError
from locomotor.model import (
    Air,
    Body,
    Box,
    Cylinder,
    Fixed,
    Frame,
    Gravity,
    JointDamper,
    JointSpring,
    Parameter,
    ParameterSet,
    Revolute,
    System,
    Torque,
    Wing,
)

EVA = "Belkhiri, PhD thesis (2013), section 1.3"
FOUND = "found from the frequencies of Belkhiri, PhD thesis (2013), section 4.2"
ROWS: tuple[tuple[str, float, str, str, str], ...] = (
    ("l", 70e-3, "m", "length of a wing", EVA),
    ("C", 50e-3, "m", "chord at the root", EVA),
    ("mass", 175e-6, "kg", "mass of a wing", EVA),
    ("share", 0.6050920117617483, "1", "share of the membrane in the mass of a wing", FOUND),
    ("J", 1.3710259048145922e-08, "kg m^2", "inertia of blade and actuator", FOUND),
    ("k_blade", 1.0265338071977243e-3, "N m/rad", "stiffness of the blade", FOUND),
    ("k_flexion", 3.03476966428288e-3, "N m/rad", "stiffness of the leading edge", FOUND),
    ("k_torsion", 2.4874854399574e-3, "N m/rad", "stiffness of the membrane against twisting", FOUND),
    ("d_flexion", 1.14e-6, "N m s/rad", "damping of the leading edge: 2 % of the critical one", OURS),
    ("d_torsion", 4.5e-7, "N m s/rad", "damping of the membrane: 2 % of the critical one", OURS),
    ("torque", 3.3e-3, "N m", "amplitude of the torque of the actuator", OURS),
    ("frequency", 26.3, "Hz", "frequency of the drive", OURS),
    ("rho", 1.2, "kg/m^3", "density of the air", OURS),
    ("g", 9.81, "m/s^2", "gravity", OURS),
)
MEAN = f"{math.pi / 4.0!r}*C"
THORAXES = ("driven", "clamped")
WAY = -1.0
"""The wing stands out to the right."""


@checks.fitting
def eva_bench(thorax: str = "driven") -> System:
    """One side of the bench, the other does the same: `thorax` "driven", or "clamped", the wing alone."""
    choice(*THORAXES, error=ModelError)(thorax, "eva_bench: thorax")
    driven = thorax == "driven"
    upright, membrane = (0.0, 0.0, -WAY), "share*mass"
    edge = "(1 - share)*mass"
    rod = (f"{edge}*l**2/12", f"1e-4*{edge}*l**2", f"{edge}*l**2/12")
    spar = vein(WAY, [(0.0, 0.0), (70e-3, 0.0)], 0.35e-3)
    look = wing_look(WAY, QUARTER_ELLIPSE, 70e-3, 0.25 * math.pi * 50e-3, 0.0)
    drive = Torque("torque*cos(2*pi*frequency*t)")
    held = Fixed(name="flap", parent="world", child="blade")
    flap = Revolute(name="flap", parent="world", child="blade", axis=upright, rotor="J", drive=drive) if driven else held
    return System(
        "eva_bench" if driven else "eva_bench_clamped",
        bodies=[
            Frame("blade", shapes=[Box((2e-3, 12e-3, 20e-3), at=(0, 6e-3, 0), colour="metal")]),
            Body("edge", mass=edge, com=(0.0, f"{0.5 * WAY}*l", 0.0), inertia=rod, shapes=[spar]),
            wing_body("membrane", WAY, QUARTER_ELLIPSE, mass=membrane, length="l", mean=MEAN, axis=0.0, shapes=look),
        ],
        joints=[
            flap,
            Revolute(name="flexion", parent="blade", child="edge", axis=upright),
            Revolute(name="torsion", parent="edge", child="membrane", axis=(0.0, -1.0, 0.0)),
        ],
        forces=[
            Gravity((0.0, 0.0, "-g")),
            Air(density="rho"),
            *([JointSpring("blade_spring", "flap", "k_blade")] if driven else []),
            JointSpring("edge_spring", "flexion", "k_flexion"),
            JointSpring("membrane_spring", "torsion", "k_torsion"),
            JointDamper("edge_damper", "flexion", "d_flexion"),
            JointDamper("membrane_damper", "torsion", "d_torsion"),
            Wing(
                "foil", "membrane", length="l", chord=QUARTER_ELLIPSE.law("l", MEAN), span=(0.0, WAY, 0.0),
                chord_axis=(0.0, 0.0, 1.0), normal=(1.0, 0.0, 0.0), centre=0.4, sections=6,
            ),
        ],
        parameters=ParameterSet(Parameter(name, value, unit, "", about, source) for name, value, unit, about, source in ROWS),
        scenery=[
            Box((60e-3, 50e-3, 4e-3), at=(0, 14e-3, -64e-3), colour="dark"),
            Cylinder((0, 24e-3, -64e-3), (0, 24e-3, 16e-3), 3e-3, colour="metal"),
            *(Box((5e-3, 28e-3, 3e-3), at=(0, 12e-3, z), colour="dark") for z in (-13e-3, 13e-3)),
        ],
        description="EVA's wing on a blade that a torque drives: it bends and twists by itself",
    )  # fmt: skip
