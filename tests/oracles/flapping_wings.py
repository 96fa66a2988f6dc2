"""One wing told in four ways: rigid, as an exact rod, on a floating frame, and cut into rigid segments with springs.

The wing is a strip of constant chord along x, which swings about z at its root, membrane upright, and twists about its leading
edge or its middle; mass and air are the same for all, so that they must move alike where each is at home. Stiffness (`EI`,
`GJ`), amplitude (`A`) and density (`rho`) are parameters.
"""

from typing import Any

import locomotor as lm
from locomotor.model import CrossSection, Joint

LENGTH, CHORD, AREAL, FREQUENCY = 0.07, 0.02, 0.14, 25.0
SECTIONS = 4


def section(axis: float) -> CrossSection:
    """Of a homogeneous strip of which the share `axis` lies above the line."""
    below, above = (1.0 - axis) * CHORD, axis * CHORD
    return CrossSection(
        mass=AREAL * CHORD,
        moment=(0.0, AREAL * (above**2 - below**2) / 2),
        second=(0.0, AREAL * (above**3 + below**3) / 3, 0.0),
        EIz="EI",
        GJ="GJ",
    )


def _built(bodies: Any, joints: Any, forces: Any, values: dict[str, float]) -> lm.System:
    known = {"EI": 1e-3, "GJ": 2e-4, "A": 0.0, "rho": 1.2, **values}
    parameters = lm.ParameterSet(lm.Parameter(name, value) for name, value in known.items())
    return lm.System("wing", bodies, joints, forces=[lm.Air(density="rho"), *forces], parameters=parameters)


def _flap(child: str, clamped: bool) -> Joint:
    """There and back in a period, without a jerk at the start."""
    if clamped:
        return lm.Fixed(name="flap", parent="world", child=child)
    law = f"0.25*A*(1 - cos(2*pi*{FREQUENCY}*t))**2"
    return lm.Revolute(name="flap", parent="world", child=child, axis=(0, 0, 1), drive=lm.Motion(law))


def foil(body: str, length: float, count: int, axis: float) -> lm.Wing:
    return lm.Wing(
        f"{body}_foil", body, length=length, chord=CHORD, span=(1, 0, 0), chord_axis=(0, 0, 1), sections=count, axis=axis
    )


def rigid(axis: float = 0.0, clamped: bool = False, **values: float) -> lm.System:
    mass, z = AREAL * CHORD * LENGTH, (axis - 0.5) * CHORD
    across, along = mass * CHORD**2 / 12, mass * LENGTH**2 / 12
    body = lm.Body("wing", mass=mass, com=(LENGTH / 2, 0, z), inertia=(across, across + along, along))
    return _built([body], [_flap("wing", clamped)], [foil("wing", LENGTH, SECTIONS, axis)], values)


def rod(axis: float = 0.0, clamped: bool = False, terms: int = 2, **values: float) -> lm.System:
    body = lm.Rod("wing", section=section(axis), length=LENGTH, strains={"twist": terms, "bend_z": terms}, points=terms + 2)
    return _built([body], [_flap("wing", clamped)], [foil("wing", LENGTH, SECTIONS, axis)], values)


def floating(axis: float = 0.0, clamped: bool = False, shapes: int = 3, **values: float) -> lm.System:
    body = lm.FlexibleBody("wing", length=LENGTH, section=section(axis), torsion=shapes, bending_y=shapes, stiffening=True)
    return _built([body], [_flap("wing", clamped)], [foil("wing", LENGTH, SECTIONS, axis)], values)


def segmented(count: int, axis: float = 0.0, clamped: bool = False, **values: float) -> lm.System:
    """Segments whose joints lie at their beginnings: half a segment of the wing lies before the first."""
    step = LENGTH / count
    mass, z = AREAL * CHORD * step, (axis - 0.5) * CHORD
    across, along = mass * CHORD**2 / 12, mass * step**2 / 12
    bodies: list[Any] = [lm.Frame("root")]
    joints: list[Any] = [_flap("root", clamped)]
    forces: list[Any] = []
    before, at = "root", (0.0, 0.0, 0.0)
    for k in range(count):
        bodies += [
            lm.Frame(f"link_{k}"),
            lm.Body(f"part_{k}", mass=mass, com=(step / 2, 0, z), inertia=(across, across + along, along)),
        ]
        joints += [
            lm.Revolute(name=f"torsion_{k}", parent=before, child=f"link_{k}", at=at, axis=(1, 0, 0)),
            lm.Revolute(name=f"flexion_{k}", parent=f"link_{k}", child=f"part_{k}", axis=(0, 0, 1)),
        ]
        share = (2.0 if k == 0 else 1.0) / step
        forces += [
            lm.JointSpring(f"torsion_spring_{k}", f"torsion_{k}", f"GJ*{share}"),
            lm.JointSpring(f"flexion_spring_{k}", f"flexion_{k}", f"EI*{share}"),
            foil(f"part_{k}", step, 2, axis),
        ]
        before, at = f"part_{k}", (step, 0.0, 0.0)
    return _built(bodies, joints, forces, values)
