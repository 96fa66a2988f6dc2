"""An ornithopter: a body with a tail, and two wings that beat up and down and twist against a spring. All numbers are ours."""

from locomotor import checks
from locomotor.catalogue.flyer_parts import SIDES
from locomotor.catalogue.locomotion_parts import OURS
from locomotor.model import (
    Air,
    Body,
    Capsule,
    Ellipsoid,
    Fin,
    Force,
    Frame,
    Free,
    Gravity,
    Joint,
    JointDamper,
    JointSpring,
    Motion,
    Parameter,
    ParameterSet,
    Plate,
    Revolute,
    Shape,
    System,
    Wing,
)

ROWS: tuple[tuple[str, float, str, str], ...] = (
    ("mass", 0.30, "kg", "mass of the body"),
    ("m_wing", 0.02, "kg", "mass of a wing"),
    ("R", 0.5, "m", "length of a wing"),
    ("c", 0.22, "m", "chord at the root; half of it at the tip"),
    ("long", 0.5, "m", "length of the body"),
    ("frequency", 8.0, "Hz", "frequency of the beat"),
    ("amplitude", 0.6, "rad", "amplitude of the beat"),
    ("dihedral", 0.15, "rad", "mean of the beat"),
    ("k_twist", 2.0, "N m/rad", "stiffness against twist"),
    ("d_twist", 0.006, "N m s/rad", "damping of the twist"),
    ("incidence", 0.17, "rad", "leading edge of the wings upward at rest"),
    ("tail", 0.05, "rad", "leading edge of the tail downward"),
    ("rho", 1.2, "kg/m^3", "density of the air"),
    ("g", 9.81, "m/s^2", "gravity"),
)
SAIL, SPAR = "#3f78b5", "dark"
CRUISE = {"speed": 6.0}
"""A start worth watching."""


@checks.fitting
def ornithopter() -> System:
    """Body with horizontal and vertical tail, two beating wings with passive twist about a line near the leading edge."""
    bodies: list[Body | Frame] = [
        Body(
            "hull",
            mass="mass",
            com=("0.02", 0.0, 0.0),
            inertia=("mass*0.0008", "mass*long**2/14", "mass*(long**2/14 + 0.0006)"),
            shapes=_hull(),
        )
    ]
    joints: list[Joint] = [Free(name="base", parent="world", child="hull")]
    forces: list[Force] = [
        Gravity((0.0, 0.0, "-g")),
        Air(density="rho"),
        Fin(
            "tail_plane",
            "hull",
            length=0.3,
            chord=0.13,
            root=("-0.9*long", 0.15, 0.0),
            span=(0.0, -1.0, 0.0),
            twist="-tail",
            sections=4,
        ),
        Fin("rudder", "hull", length=0.12, chord=0.12, root=("-0.9*long", 0.0, 0.0), span=(0.0, 0.0, 1.0), sections=3),
    ]
    for side, way in SIDES.items():
        spar, wing = f"{side}_spar", f"{side}_wing"
        bodies += [Frame(spar), _wing(wing, way)]
        joints += [
            Revolute(
                name=f"{side}_beat", parent="hull", child=spar, at=(0.06, 0.02 * way, 0.03), axis=(way, 0.0, 0.0),
                drive=Motion("dihedral + amplitude*cos(2*pi*frequency*t)"),
            ),
            Revolute(name=f"{side}_twist", parent=spar, child=wing, axis=(0.0, -1.0, 0.0)),
        ]  # fmt: skip
        forces += [
            JointSpring(f"{side}_batten", f"{side}_twist", "k_twist", rest="incidence"),
            JointDamper(f"{side}_loss", f"{side}_twist", "d_twist"),
            Wing(
                f"{side}_foil", wing, length="R", chord="c*(1 - 0.5*X/R)", span=(0.0, way, 0.0), chord_axis=(1.0, 0.0, 0.0),
                normal=(0.0, 0.0, 1.0), axis=0.1, centre=0.3, sections=5,
            ),
        ]  # fmt: skip
    return System(
        "ornithopter",
        bodies=bodies,
        joints=joints,
        forces=forces,
        parameters=ParameterSet(Parameter(name, value, unit, "", about, OURS) for name, value, unit, about in ROWS),
        description="ornithopter with passive twist and a tail",
    )


def _wing(name: str, way: float) -> Body:
    """A flat wing that tapers to half its chord, its span line a tenth of the chord behind the leading edge."""
    outline = [(0.022, 0.0), (0.011, way * 0.5), (-0.099, way * 0.5), (-0.198, 0.0)]
    look: list[Shape] = [
        Plate(outline if way > 0 else outline[::-1], 0.003, colour=SAIL),
        Capsule((0.015, 0.0, 0.0), (0.008, way * 0.5, 0.0), 0.004, colour=SPAR),
        Capsule((0.0, way * 0.02, 0.0), (-0.09, way * 0.47, 0.0), 0.0025, colour=SPAR),
    ]
    moments = ("m_wing*R**2/12", "m_wing*c**2/14", "m_wing*(R**2/12 + c**2/14)")
    return Body(name, mass="m_wing", com=("-0.3*c", f"{0.44 * way}*R", 0.0), inertia=moments, shapes=look)


def _hull() -> list[Shape]:
    """A slim body with its tail."""
    tail = [(-0.42, 0.03), (-0.52, 0.15), (-0.58, 0.15), (-0.56, 0.0), (-0.58, -0.15), (-0.52, -0.15), (-0.42, -0.03)]
    fin = [(-0.42, 0.0), (-0.56, 0.0), (-0.57, 0.13), (-0.52, 0.13)]
    return [
        Ellipsoid((0.17, 0.03, 0.035), at=(0.03, 0.0, 0.0), colour="accent"),
        Ellipsoid((0.05, 0.025, 0.025), at=(0.2, 0.0, 0.01), colour="light"),
        Capsule((-0.1, 0.0, 0.0), (-0.55, 0.0, 0.0), 0.006, colour=SPAR),
        Plate(tail, 0.004, colour=SAIL),
        Plate(fin[::-1], 0.004, rotation=((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)), colour=SAIL),
    ]
