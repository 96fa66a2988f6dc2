"""The bicycle whose front fork gives way sideways: Whipple's, with straight blades that bend as a beam between crown and hub.

Mass and inertia of the whole front assembly are those of the rigid bicycle: what the blades have is taken from the fork. As
they become stiff, the rigid bicycle remains. What they add is wobble: a quick swinging of the front wheel about the steer axis.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from locomotor import checks
from locomotor.catalogue.bicycle import FRONT_HUB, bicycle
from locomotor.catalogue.bicycle_shapes import stem_shapes
from locomotor.checks import either, instance, mapping, text
from locomotor.errors import ModelError
from locomotor.model import Body, CrossSection, Cylinder, Fixed, FlexibleBody, Mode, Parameter, ParameterSet, System, Tube

X, _, Z = FRONT_HUB
MASS = "(blade_mass*blade_length)"
BLADE_CENTRE = (X, f"({Z} + blade_length/2)")
OURS = "ours: a steel fork that gives way by 1 mm under 60 N at the hub"
BLADES = (
    Parameter("blade_length", 0.38, "m", r"\ell", "length of the blades, from the crown to the front hub", OURS),
    Parameter("blade_mass", 1.0, "kg/m", r"\mu", "mass of both blades per length", OURS),
    Parameter("blade_stiffness", 1100.0, "N m^2", "EI", "stiffness of both blades against bending sideways", OURS),
    Parameter("blade_damping", 0.01, "1", r"\zeta", "damping of the blades, as a share of critical damping", OURS),
)


@checks.door(parameters=either(text, instance(ParameterSet), mapping), shapes=partial(checks.whole, least=1, most=6))
def flexible_fork_bicycle(parameters: str | ParameterSet | Mapping[str, float] = "meijaard2007", shapes: int = 2) -> System:
    """The Whipple bicycle with blades that bend sideways in `shapes` shapes (`blades_y1`, ..., the deflection of the hub).

    The blades are straight and parallel to the steer axis, `blade_length` long; their stiffness EI is `blade_stiffness`,
    so that a force F at the hub moves it by F l³/(3 EI). The numbers of the bicycle are those of `bicycle`.
    """
    rigid = bicycle(parameters)
    if rigid.parameters["rF"].value == 0.0:
        raise ModelError(
            "flexible_fork_bicycle: the front wheel is a skate, rF = 0, and has no fork; give a wheel with a radius"
        )
    blades = FlexibleBody(
        "blades",
        "blade_length",
        CrossSection(mass="blade_mass", EIz="blade_stiffness"),
        bending_y=shapes,
        modes="polynomial",
        damping="blade_damping",
        stiffening=True,  # they carry part of the weight, which makes them softer
        shapes=[
            *(Tube([(0.0, 0.2 * y, 0.0), (0.0, y, 0.0), ("blade_length", y, 0.0)], 0.011) for y in (-0.055, 0.055)),
            Cylinder(("blade_length", -0.07, 0.0), ("blade_length", 0.07, 0.0), 0.012, colour="metal"),
        ],
    )
    # x of the blades points down along the steer axis.
    crown = Fixed(name="crown", parent="fork", child="blades", at=(X, 0.0, f"{Z} + blade_length"), rotation=(0.0, "pi/2", 0.0))
    joints = [
        replace(joint, parent="blades", at=("blade_length", 0.0, 0.0), rotation=(0.0, "-pi/2", 0.0))
        if joint.name == "front_wheel"
        else joint
        for joint in rigid.joints
    ]
    at = next(k for k, joint in enumerate(joints) if joint.name == "front_wheel")
    bodies = [_lightened(body) if body.name == "fork" and isinstance(body, Body) else body for body in rigid.bodies]
    return rigid.replace(
        name=f"flexible_fork_{rigid.name}",
        bodies=(*bodies, blades),
        joints=(*joints[:at], crown, *joints[at:]),
        parameters=rigid.parameters + ParameterSet(BLADES),
        modes=(*rigid.modes, Mode("wobble", oscillates=True, states=("blades_y1", "blades_y1_rate", "steer_rate"))),
        description="Whipple bicycle whose front fork bends sideways",
    )


def _lightened(fork: Body) -> Body:
    """The fork without its blades: what is left of mass, centre and inertia of a rigid one when a thin rod is taken out."""
    mass, (x, _, z) = fork.mass, fork.com
    inertia: Any = fork.inertia
    left = f"(({mass}) - {MASS})"
    at, up = (f"((({mass})*({whole}) - {MASS}*({rod}))/{left})" for whole, rod in zip((x, z), BLADE_CENTRE, strict=True))
    dx, dz = f"(({x}) - {at})", f"(({z}) - {up})"
    rx, rz = f"({BLADE_CENTRE[0]} - {at})", f"({BLADE_CENTRE[1]} - {up})"
    own = f"{MASS}*blade_length**2/12"
    # Steiner's terms of the whole about the new centre, less those of the rod and its own moments.
    xx = f"({inertia[0][0]}) + ({mass})*{dz}**2 - {own} - {MASS}*{rz}**2"
    yy = f"({inertia[1][1]}) + ({mass})*({dx}**2 + {dz}**2) - {own} - {MASS}*({rx}**2 + {rz}**2)"
    zz = f"({inertia[2][2]}) + ({mass})*{dx}**2 - {MASS}*{rx}**2"
    shapes = (*stem_shapes("rF"), Tube([(0.0, 0.0, "1.1*rF"), (X, 0.0, f"{Z} + blade_length")], 0.014))
    xz = f"({inertia[0][2]}) - ({mass})*{dx}*{dz} + {MASS}*{rx}*{rz}"
    return Body("fork", left, (at, 0.0, up), ((xx, 0.0, xz), (0.0, yy, 0.0), (xz, 0.0, zz)), shapes=shapes)
