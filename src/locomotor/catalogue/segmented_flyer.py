"""A micro air vehicle with soft wings, each cut into segments with passive joints: Belkhiri 2013, section 5.4.

A wing is a row of rigid elements. Each hangs on a massless link: the link turns about the leading edge (torsion), the element
about the chord (flexion), both against a spring and a damper; at the root the imposed flapping stands in for the torsion. With
4 segments a wing the vehicle has 17 bodies and 16 joints, 2 of them driven. Axes: x forward, y left, z up, so that (s, n, a) of
the source are (right, forward, up), and coordinates of the left wing are mirror images of those of the right one.

Table 5.1 prints l_j = 1.75 mm for what must be l/M = 17.5 mm. The source gives neither the density of the air nor where along a
segment its chord and stiffness are taken: here in its middle (`at="middle"`), or at its start.
"""

import math

from locomotor import checks
from locomotor.catalogue.flyer_parts import BASES, SIDES, base_joint, ellipsoid_inertia, insect, membrane, vein
from locomotor.catalogue.locomotion_parts import OURS, Row, whole
from locomotor.checks import choice
from locomotor.errors import ModelError
from locomotor.model import (
    Air,
    Body,
    Force,
    Frame,
    Gravity,
    Joint,
    JointDamper,
    JointSpring,
    Motion,
    Parameter,
    ParameterSet,
    Revolute,
    System,
    Wing,
)

SOURCE = "Belkhiri, PhD thesis (2013), Table 5.1"
TABLE_5_1: tuple[Row, ...] = (
    ("l", 70e-3, "m", "length of a wing"),
    ("C", 31.5e-3, "m", "chord at the root"),
    ("E", 0.1e-3, "m", "thickness of a wing"),
    ("a", 8.5e-3, "m", "half-axis of the thorax to the side"),
    ("b", 8.5e-3, "m", "half-axis of the thorax forward"),
    ("c", 28e-3, "m", "half-axis of the thorax upward"),
    ("height", 0.5, "1", "height of the wing joints above the middle of the thorax, in parts of c"),
    ("rho_t", 800.0, "kg/m^3", "density of the thorax"),
    ("rho_w", 1400.0, "kg/m^3", "density of a wing"),
    ("amplitude", 50.0 * math.pi / 180.0, "rad", "amplitude of flapping"),
    ("frequency", 25.0, "Hz", "frequency of flapping"),
    ("kT_root", 3e-3, "N m/rad", "stiffness of torsion at the root"),
    ("kT_tip", 9e-3, "N m/rad", "stiffness of torsion at the tip"),
    ("mu_T", 1e-5, "N m s/rad", "damping of torsion"),
    ("kF_root", 36e-3, "N m/rad", "stiffness of flexion at the root"),
    ("kF_tip", 9e-3, "N m/rad", "stiffness of flexion at the tip"),
    ("mu_F", 1e-5, "N m s/rad", "damping of flexion"),
)
UNSTATED: tuple[Row, ...] = (
    ("rho", 1.2, "kg/m^3", "density of the air"),
    ("g", 9.81, "m/s^2", "gravity"),
)
PLACES = {"middle": 0.5, "start": 0.0}
SEGMENTS = 4


@checks.fitting
def segmented_flyer(segments: int = SEGMENTS, *, base: str = "free", at: str = "middle", chord: str = "constant") -> System:
    """The vehicle with `segments` a wing: `base` "free", or "clamped" on a bench.

    `at` says where along a segment its stiffness and its chord are taken, "middle" or "start"; with `chord="local"` air and
    mass follow the ellipse within a segment. Stiffnesses of joints are those of the source for 4 segments; for other numbers
    they are scaled so that stiffness times length of a segment stays the same, as in a beam.
    """
    count = whole(segments, "segmented_flyer", "segments", 1)
    choice(*BASES, error=ModelError)(base, "segmented_flyer: base")
    choice(*PLACES, error=ModelError)(at, "segmented_flyer: at")
    choice("constant", "local", error=ModelError)(chord, "segmented_flyer: chord")
    thorax_mass = "4/3*pi*rho_t*a*b*c"
    bodies: list[Body | Frame] = [
        Body("thorax", mass=thorax_mass, inertia=ellipsoid_inertia(thorax_mass, "b", "a", "c"), shapes=insect("2*c", "2*a"))
    ]
    joints: list[Joint] = [base_joint(base, "thorax")]
    forces: list[Force] = [Gravity((0.0, 0.0, "-g")), Air(density="rho")]
    for side, way in SIDES.items():
        more = _wing(side, way, count, PLACES[at], chord == "local")
        bodies += more[0]
        joints += more[1]
        forces += more[2]
    rows = [Parameter(name, value, unit, "", about, SOURCE) for name, value, unit, about in TABLE_5_1]
    rows += [Parameter(name, value, unit, "", about, OURS) for name, value, unit, about in UNSTATED]
    return System(
        "segmented_flyer" if base == "free" else "segmented_flyer_clamped",
        bodies=bodies,
        joints=joints,
        forces=forces,
        parameters=ParameterSet(rows),
        description=f"thorax and two soft wings of {count} segments each, flapping at 25 Hz",
    )


def _wing(side: str, way: float, count: int, place: float, local: bool) -> tuple[list[Body | Frame], list[Joint], list[Force]]:
    """Bodies, joints and forces of one wing."""
    bodies: list[Body | Frame] = []
    joints: list[Joint] = []
    forces: list[Force] = []
    turn = (0.0, 0.0, -way)  # flapping and flexion, positive forward
    for k in range(count):
        share = (k + place) / count
        link, element, step = f"{side}_link_{k + 1}", f"{side}_element_{k + 1}", f"{way}*l/{count}"
        bodies.append(Frame(link))
        if k == 0:
            root = ("0", f"{way}*a*sqrt(1 - height**2)", "height*c")
            law = Motion("amplitude*cos(2*pi*frequency*t)")
            joints.append(Revolute(name=f"{side}_flap", parent="thorax", child=link, at=root, axis=turn, drive=law))
        else:
            carrier = f"{side}_element_{k}"
            twist = f"{side}_torsion_{k + 1}"
            joints.append(Revolute(name=twist, parent=carrier, child=link, at=(0, step, 0), axis=(0.0, -1.0, 0.0)))
            forces += _hinge(twist, "T", share, count)
        bend = f"{side}_flexion_{k + 1}"
        joints.append(Revolute(name=bend, parent=link, child=element, axis=turn))
        forces += _hinge(bend, "F", share, count)
        here = f"C*sqrt(1 - {share!r}**2)" if not local else f"C*sqrt(1 - ({k / count!r} + X/l)**2)"
        bodies.append(_element(element, way, k, count, share, local))
        forces.append(
            Wing(
                f"{side}_wing_{k + 1}", element, length=f"l/{count}", chord=here, span=(0.0, way, 0.0),
                chord_axis=(0.0, 0.0, 1.0), normal=(1.0, 0.0, 0.0), centre=0.4, inertia_centre=0.4, inertia_turns=False,
                sections=6,
            )
        )  # fmt: skip
    return bodies, joints, forces


def _hinge(joint: str, kind: str, share: float, count: int) -> list[Force]:
    """Spring and damper of a passive joint."""
    scale = count / SEGMENTS
    stiffness = f"{scale!r}*(k{kind}_root + {share!r}*(k{kind}_tip - k{kind}_root))"
    return [
        JointSpring(f"{joint}_spring", joint, stiffness),
        JointDamper(f"{joint}_damper", joint, f"{scale!r}*mu_{kind}"),
    ]


def _element(name: str, way: float, k: int, count: int, share: float, local: bool) -> Body:
    """A thin plate below its leading edge; with `local`, the slice of the quarter ellipse."""
    chord = 31.5e-3
    look = [
        membrane(way, k / count, (k + 1) / count, 70e-3, lambda s: chord * math.sqrt(1.0 - s * s)),
        vein(way, [(0.0, 0.0), (70e-3 / count, 0.0)], 0.0006 * (1.4 - k / count)),
    ]
    if not local:
        c, side = f"C*sqrt(1 - {share!r}**2)", f"l/{count}"
        mass = f"rho_w*E*{c}*{side}"
        inertia = (f"{mass}*(({side})**2 + ({c})**2)/12", f"{mass}*(E**2 + ({c})**2)/12", f"{mass}*(E**2 + ({side})**2)/12")
        return Body(name, mass=mass, com=(0.0, f"{0.5 * way}*{side}", f"-{c}/2"), inertia=inertia, shapes=look)
    m, y, z, yy, zz, yz = _slice(k / count, (k + 1) / count)
    mass = f"rho_w*E*C*l*{m!r}"
    com = (0.0, f"{way * y / m!r}*l", f"{-z / m!r}*C")
    ixx = f"rho_w*E*C*l*({yy - y * y / m!r}*l**2 + {zz - z * z / m!r}*C**2)"
    iyy, izz = f"rho_w*E*C*l*{zz - z * z / m!r}*C**2", f"rho_w*E*C*l*{yy - y * y / m!r}*l**2"
    iyz = f"{way * (yz - y * z / m)!r}*rho_w*E*C*l*l*C"
    thick = f"{mass}*E**2/12"
    rows = ((ixx, 0.0, 0.0), (0.0, f"{iyy} + {thick}", iyz), (0.0, iyz, f"{izz} + {thick}"))
    return Body(name, mass=mass, com=com, inertia=rows, shapes=look)


def _slice(first: float, last: float) -> tuple[float, float, float, float, float, float]:
    """Moments of a slice of the quarter ellipse of unit half-axes, from its start: of 1, y, z, y², z² and yz, z downward."""
    arc = lambda s: 0.5 * (s * math.sqrt(1 - s * s) + math.asin(s))  # noqa: E731  # integral of sqrt(1 - s²)
    m = arc(last) - arc(first)
    s1 = ((1 - first**2) ** 1.5 - (1 - last**2) ** 1.5) / 3.0
    quad = lambda s: (math.asin(s) - s * math.sqrt(1 - s * s) * (1 - 2 * s * s)) / 8.0  # noqa: E731  # of s² sqrt(1 - s²)
    s2 = quad(last) - quad(first)
    z = 0.5 * ((last - last**3 / 3) - (first - first**3 / 3))
    cube = lambda s: (s * math.sqrt(1 - s * s) * (5 - 2 * s * s) + 3 * math.asin(s)) / 8.0  # noqa: E731  # of (1 - s²)^1.5
    zz = (cube(last) - cube(first)) / 3.0
    sz = 0.5 * ((last**2 / 2 - last**4 / 4) - (first**2 / 2 - first**4 / 4))
    return m, s1 - first * m, z, s2 - 2 * first * s1 + first**2 * m, zz, sz - first * z
