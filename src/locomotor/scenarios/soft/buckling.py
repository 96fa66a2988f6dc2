"""Loads at which slender rods leave their shape: columns, a shaft under torque, a ring that is twisted."""

import math
from collections.abc import Mapping
from typing import Any

from locomotor.model import (
    BodyForce,
    BodyTorque,
    CrossSection,
    CylindricalClosure,
    DistributedForce,
    Fixed,
    FixedClosure,
    Frame,
    Parameter,
    ParameterSet,
    PointOnPlane,
    Rod,
    System,
)
from locomotor.scenarios.registry import Computation, Number, register
from locomotor.scenarios.soft.places import first_change
from locomotor.scenarios.soft.rods import clamped

EULER = "Euler (1744), De curvis elasticis"
WEIGHT = "Greenhill (1881), Determination of the greatest height consistent with stability"
SHAFT = "Greenhill (1883), On the strength of shafting when exposed both to torsion and to end thrust"
MICHELL = "Michell (1889), On the stability of a bent and twisted wire"


def _columns() -> Mapping[str, float]:
    section = CrossSection(mass=1.0, EIz=1.0)
    found: dict[str, float] = {}
    loads: dict[str, Any] = {
        "Euler: P l²/EI": BodyForce("load", "tip", (0.0, 0.0, 0.0), ("-P", 0.0, 0.0)),
        "own weight: q l³/EI": DistributedForce("weight", "rod", ("-P", 0.0, 0.0)),
    }
    for (key, load), most in zip(loads.items(), (3.0, 8.2), strict=True):
        rod = Rod("rod", section=section, length=1.0, strains={"bend_z": 5}, points=14)
        found[key] = first_change(clamped(rod, load), "P", most)
    return found


register(
    Computation(
        "rod/columns",
        "Loads at which a clamped column buckles, under a weight at its top and under its own weight",
        f"{EULER}; {WEIGHT}",
        compute=_columns,
        slow=True,
        numbers=(
            Number("Euler: P l²/EI", 0.25 * math.pi**2, 3e-5, "fourth order in the points along the rod", EULER),
            Number(
                "own weight: q l³/EI", 7.837347438943797, 2e-4, "fourth order in the points along the rod",
                f"{WEIGHT}; first zero of J_(-1/3)(2/3 sqrt(x)), computed",
            ),
        ),
    )
)  # fmt: skip


def _shaft() -> Mapping[str, float]:
    """Clamped at both ends, of which one is turned and slides: tan x = x with x = M l/(2 EI)."""
    # Stiff against twist, so that few functions follow the axes of its sections, which turn with it.
    section = CrossSection(mass=1.0, EIy=1.0, EIz=1.0, GJ=40.0, second=(1e-3, 1e-3, 0.0))
    rod = Rod("rod", section=section, length=1.0, strains={"twist": 1, "bend_y": 8, "bend_z": 8}, points=16)
    held = CylindricalClosure("bearing", "world", "tip", at_a=(1.0, 0.0, 0.0), axis_a=(1.0, 0.0, 0.0))
    shaft = clamped(rod, BodyTorque("torque", "tip", ("P", 0.0, 0.0))).replace(loops=(held,))
    return {"clamped shaft: M l/EI": first_change(shaft, "P", 9.5)}


register(
    Computation(
        "rod/shaft",
        "Torque at which a straight shaft with clamped ends, of which one is turned and may slide, buckles to a curve in space",
        SHAFT,
        compute=_shaft,
        slow=True,
        numbers=(
            Number(
                "clamped shaft: M l/EI", 8.986818916, 9e-3, "1e-3: eight functions for each curvature",
                f"{SHAFT}; tan(x) = x with x = M l/(2 EI), computed",
            ),
        ),
    )
)  # fmt: skip


def _ring() -> Mapping[str, float]:
    """A straight wire bent to a ring and joined after one end was turned by phi: GJ phi/EI = 2 pi sqrt(3)."""
    stiff = 5.0
    section = CrossSection(mass=1.0, EIy=1.0, EIz=1.0, GJ=stiff, second=(1e-3, 1e-3, 0.0))
    round_trip = 2.0 * math.pi
    rod = Rod("rod", section=section, length=round_trip, strains={"twist": 1, "bend_y": 9, "bend_z": 9}, points=20)
    ring = System(
        "ring",
        bodies=(rod, Frame("tip"), Frame("middle")),
        joints=(
            Fixed(name="clamp", parent="world", child="rod"),
            Fixed(name="half_way", parent="rod", child="middle", at=(0.5 * round_trip, 0.0, 0.0)),
            Fixed(name="end", parent="rod", child="tip", at=(round_trip, 0.0, 0.0), rotation=("-phi", 0.0, 0.0)),
        ),
        # A round wire may turn about its seam without force: its middle is kept at the level of the seam.
        loops=(
            FixedClosure("seam", "world", "tip", axis_a=(1.0, 0.0, 0.0)),
            PointOnPlane("level", "world", "middle", axis_a=(0.0, 0.0, 1.0)),
        ),
        parameters=ParameterSet((Parameter("phi", 0.0, "rad"),)),
        nominal={"rod_bend_z_0": 1.0},
    )
    return {"twisted ring: GJ phi/EI": stiff * first_change(ring, "phi", 2.6, {"rod_bend_z_0": 1.0})}


register(
    Computation(
        "rod/twisted_ring",
        "A wire bent to a ring and twisted before its ends are joined: the twist at which it leaves its plane",
        MICHELL,
        compute=_ring,
        slow=True,
        numbers=(
            Number(
                "twisted ring: GJ phi/EI", 2.0 * math.pi * math.sqrt(3.0), 1e-2, "1e-3: nine functions for each curvature",
                MICHELL,
            ),
        ),
    )
)  # fmt: skip
