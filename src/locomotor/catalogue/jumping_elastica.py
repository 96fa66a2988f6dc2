"""A strip of plastic that jumps: two springy halves in a clip on a post, bent down and let go, which press it down.

While the post stands each half is a clamped beam whose tip is thrown up; its root presses on the clip. When the ground would
have to pull, the strip takes off with what the ground has given it, and the rest of its energy goes on swinging in the air.
"""

import math

from locomotor import checks
from locomotor.catalogue.locomotion_parts import parameter_set
from locomotor.catalogue.planar_base import vertical_plane
from locomotor.model import Body, Box, CrossSection, Cylinder, Fixed, Gravity, Rod, SlidingPoint, System, Unilateral

HALVES = {"right": (0.0, 0.0, 0.0), "left": (0.0, 0.0, math.pi)}
"""The halves, and how they are turned in the clip: x of each points outwards, z up."""
BENT = 12.0
"""Curvature (1/m) at the clip."""
STRAINS, POINTS = 3, 5
"""Functions of the bending, and points of Gauss: as few as integrate the inertia of small bending exactly. Twelve of them
change the height of the jump by 2e-5 of it, a fourth function by 1e-2."""


@checks.fitting
def jumping_elastica() -> System:
    """The strip in the vertical plane: `forward`, `up` and `pitch` of the clip, `right_bend_y_0` ... and `left_bend_y_0` ... .

    The clip stands on its `foot`; the tips of both halves may touch the ground as well. `bent_elastica()` is a start.
    """
    frames, carriers = vertical_plane("clip")
    section = CrossSection.rectangle("w", "d", young="E", density="rho")
    bending = {"bend_y": STRAINS}
    rods = [Rod(name, section=section, length="l", strains=bending, points=POINTS, damping="damping") for name in HALVES]
    law = Unilateral()
    return System(
        "jumping_elastica",
        bodies=(
            *frames,
            Body(
                "clip",
                "m",
                com=(0.0, 0.0, "-h/2"),
                inertia=("m*h**2/12", "m*h**2/12", "1e-3*m*h**2"),
                shapes=[
                    Cylinder((0, 0, "-h"), (0, 0, 0), "0.03*h", colour="accent"),
                    Box(("0.1*h", "1.2*w", "4*d"), colour="dark"),
                ],
            ),
            *rods,
        ),
        joints=(*carriers, *(Fixed(name=f"grip_{name}", parent="clip", child=name, rotation=HALVES[name]) for name in HALVES)),
        contacts=(
            SlidingPoint("foot", "clip", at=(0.0, 0.0, "-h"), law=law),
            *(SlidingPoint(f"{name}_tip", name, at=("l", 0.0, 0.0), law=law) for name in HALVES),
        ),
        forces=(Gravity((0.0, 0.0, "-g")),),
        parameters=parameter_set(
            ("l", 0.15, "m", "length of each half"),
            ("w", 0.02, "m", "width of the strip"),
            ("d", 0.001, "m", "thickness of the strip"),
            ("E", 2.5e9, "Pa", "Young's modulus"),
            ("rho", 1200.0, "kg/m^3", "density"),
            ("m", 0.002, "kg", "mass of the clip"),
            ("h", 0.11, "m", "height of the strip above the foot"),
            ("damping", 1e-4, "s", "time of retardation of the strip"),
            ("g", 9.81, "m/s^2", "gravity"),
        ),
        nominal={"up": "h"},
        description="strip of plastic that is bent, let go, and jumps",
    )


FIRST_MODE = (0.391495878, -0.531989597, 0.105881254)
"""Curvature of the first mode of a clamped beam by Legendre's polynomials, as shares of that at the clamp."""


@checks.door(curvature=checks.number)
def bent_elastica(curvature: float = BENT) -> dict[str, float]:
    """A start: each half bent down in its first mode, with this curvature (1/m) at the clip."""
    return {f"{name}_bend_y_{k}": share * curvature for name in HALVES for k, share in enumerate(FIRST_MODE)}
