"""Classical answers of exact rods that bend far: closed forms, and numbers of a program that shoots along the rod."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from locomotor.model import BodyForce, BodyTorque, CrossSection, Fixed, Frame, Input, Rod, System
from locomotor.scenarios.registry import Computation, Number, register
from locomotor.scenarios.soft.places import at_rest, end_of
from locomotor.typing import Vector

BISSHOPP = "Bisshopp and Drucker (1945), Large deflection of cantilever beams, Q. Appl. Math. 3, 272-275"
BATHE = "Bathe and Bolourchi (1979), Large displacement analysis of three-dimensional beam structures"
DOWELL = "Dowell, Traybar and Hodges (1977), An experimental-theoretical correlation study of non-linear bending and torsion"
SHOOTING = "computed by a program that shoots along the rod (Cosserat's equations, m(l) = 0)"

EI, GJ = 2.0, 1.4
ROUND = CrossSection(mass=1.0, EIy=EI, EIz=EI, GJ=GJ, second=(1e-3, 1e-3, 0.0))


def clamped(rod: Rod, *forces: Any, rotation: Any = (0.0, 0.0, 0.0)) -> System:
    """A rod clamped to the world, with the frame "tip" at its end, under loads of the input P."""
    end = rod.pose_at(1.0)
    return System(
        "cantilever",
        bodies=(rod, Frame("tip")),
        joints=(
            Fixed(name="clamp", parent="world", child=rod.name, rotation=rotation),
            Fixed(name="end", parent=rod.name, child="tip", at=end.translation, rotation=end.rotation),
        ),
        forces=forces,
        inputs=(Input("P"),),
    )


def _tip(system: System, load: float) -> Vector:
    return end_of(at_rest(system, load), "tip")


def _bent_far() -> Mapping[str, float]:
    found: dict[str, float] = {}
    ring = clamped(
        Rod("rod", section=ROUND, length=1.0, strains={"bend_z": 2}, points=5), BodyTorque("moment", "tip", (0.0, 0.0, "P"))
    )
    x, y, _ = _tip(ring, 2.0 * math.pi * EI)
    found |= {"circle: end along it": x, "circle: end across it": y}
    pushed = clamped(
        Rod("rod", section=ROUND, length=1.0, strains={"bend_z": 8}, points=24),
        BodyForce("load", "tip", (0.0, 0.0, 0.0), (0.0, "P", 0.0)),
    )
    for load in (1, 10):
        x, y, _ = _tip(pushed, load * EI)
        found |= {f"elastica, P l²/EI = {load}: end along it": x, f"elastica, P l²/EI = {load}: end across it": y}
    t, k = 3.0, 4.0
    pull = t * (GJ - EI)
    helix = clamped(
        Rod("rod", section=ROUND, length=1.0, strains={"twist": 1, "bend_y": 1, "bend_z": 1}, points=4),
        BodyForce("force", "tip", (0.0, 0.0, 0.0), (f"{pull * t}*P", 0.0, f"{pull * k}*P"), frame="body"),
        BodyTorque("couple", "tip", (f"{GJ * t}*P", 0.0, f"{EI * k}*P"), frame="body"),
    )
    wound = at_rest(helix, 1.0)
    return found | {"helix: twist": wound["rod_twist"], "helix: curvature": wound["rod_bend_z"]}


_ELLIPTIC = f"{BISSHOPP}; elliptic integrals, computed"
_CONSTANT, _WRENCH = "constant strains are exact", "closed form: force t (GJ - EI) (t, 0, k) at its end"
_POINTS = "fourth order in the points along the rod"
register(
    Computation(
        "rod/large_bending",
        "A cantilever rolled up by a moment, pushed by a load across it, and wound to a helix",
        BISSHOPP,
        compute=_bent_far,
        slow=True,
        numbers=(
            Number("circle: end along it", 0.0, 1e-12, "constant curvature is exact", "closed form"),
            Number("circle: end across it", 0.0, 1e-12, "constant curvature is exact", "closed form"),
            Number("elastica, P l²/EI = 1: end along it", 0.9435667637, 1e-6, _POINTS, _ELLIPTIC),
            Number("elastica, P l²/EI = 1: end across it", 0.3017207738, 1e-6, _POINTS, _ELLIPTIC),
            Number("elastica, P l²/EI = 10: end along it", 0.4450044022, 1e-6, _POINTS, _ELLIPTIC),
            Number("elastica, P l²/EI = 10: end across it", 0.8106090249, 1e-6, _POINTS, _ELLIPTIC),
            Number("helix: twist", 3.0, 1e-10, _CONSTANT, _WRENCH, unit="1/m"),
            Number("helix: curvature", 4.0, 1e-10, _CONSTANT, _WRENCH, unit="1/m"),
        ),
    )
)


def _bend() -> Mapping[str, float]:
    bending = 1e7 / 12.0
    section = CrossSection(mass=1.0, EA=1e7, GAy=5e6, GAz=5e6, GJ=bending, EIy=bending, EIz=bending, second=(0.1, 0.1, 0.0))
    strains = {"twist": 4, "bend_y": 4, "bend_z": 4, "stretch": 2, "shear_y": 2, "shear_z": 2}
    rod = Rod("rod", section=section, length=25.0 * math.pi, strains=strains, points=8, curvature=(0.0, 0.0, -0.01))
    load = BodyForce("load", "tip", (0.0, 0.0, 0.0), (0.0, 0.0, "P"))
    return dict(zip("xyz", _tip(clamped(rod, load, rotation=(0.0, 0.0, 0.5 * math.pi)), 600.0), strict=True))


register(
    Computation(
        "rod/bend_of_45_degrees",
        "An arc of 45 degrees and radius 100, loaded by 600 out of its plane: place of its end",
        BATHE,
        compute=_bend,
        slow=True,
        numbers=tuple(
            Number(axis, value, 5e-3, "four functions for each curvature", f"{SHOOTING}; {BATHE}")
            for axis, value in zip("xyz", (15.684801, 47.150439, 53.474859), strict=True)
        ),
    )
)

THIN, HIGH, YOUNG, POISSON, SPAN = 3.2024e-3, 12.377e-3, 71.7e9, 0.31, 0.508
PRINCETON = {
    (4.448, 45): (0.05605346, 0.0039634, 0.3288061),
    (13.345, 45): (0.15658335, 0.01533706, 2.5282063),
    (13.345, 90): (0.200687018, 0.0, 0.0),
}
"""Load (N) and angle to the higher side (degrees) -> deflections along the thinner and the higher side (m), twist (degrees)."""


def _princeton() -> Mapping[str, float]:
    section = CrossSection.rectangle(THIN, HIGH, young=YOUNG, poisson=POISSON, density=2700.0)
    rod = Rod("rod", section=section, length=SPAN, strains={"twist": 4, "bend_y": 4, "bend_z": 5}, points=9)
    found: dict[str, float] = {}
    for load, angle in PRINCETON:
        side, up = math.sin(math.radians(angle)), math.cos(math.radians(angle))
        pushed = clamped(rod, BodyForce("load", "tip", (0.0, 0.0, 0.0), (0.0, f"{-side}*P", f"{-up}*P")))
        rest = at_rest(pushed, load)
        at, R = end_of(rest, "tip"), end_of(rest, "tip", turned=True)
        found |= {
            f"{load} N at {angle} degrees: along the thinner side": float(-at[1]),
            f"{load} N at {angle} degrees: along the higher side": float(-at[2]),
            f"{load} N at {angle} degrees: twist": float(np.degrees(np.arctan2(R[2, 1], R[2, 2]))),
        }
    return found


register(
    Computation(
        "rod/princeton_beam",
        "The Princeton beam: a strip of aluminium loaded at an angle to its sides, so that it bends both ways and twists",
        DOWELL,
        compute=_princeton,
        slow=True,
        numbers=tuple(
            Number(
                f"{load} N at {angle} degrees: {what}", value, within, "five functions for the softer curvature",
                f"{SHOOTING}, sides and material of {DOWELL}", unit=unit,
            )
            for (load, angle), values in PRINCETON.items()
            for what, value, within, unit in zip(
                ("along the thinner side", "along the higher side", "twist"), values, (2e-6, 2e-6, 1e-3), ("m", "m", "deg"),
                strict=True,
            )
        ),
    )
)  # fmt: skip
