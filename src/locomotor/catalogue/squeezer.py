"""Andrews' squeezing mechanism: seven bodies in a plane, three loops, one freedom, driven by a constant torque.

The benchmark of stiff and differential-algebraic solvers (Schiehlen 1990; Hairer and Wanner 1996, section VII.7): the point P
is common to bodies 2, 3, 4 and 6. Every body has its frame at its inner hinge; angles of bodies 2, 4 and 6 count from those
that carry them.
"""

from locomotor import checks
from locomotor.catalogue.locomotion_parts import UP, parameter_set
from locomotor.model import (
    Body,
    Box,
    Capsule,
    Cylinder,
    PointSpring,
    QuantityLike,
    Revolute,
    SphericalClosure,
    System,
    Torque,
    VectorLike,
)

BODIES: tuple[tuple[str, float, float, VectorLike, tuple[VectorLike, ...]], ...] = (
    ("k1", 0.04325, 2.194e-6, ("ra", 0.0, 0.0), (("rr", 0.0, 0.0),)),
    ("k2", 0.00365, 4.410e-7, ("-da", 0.0, 0.0), (("-d", 0.0, 0.0),)),
    ("k3", 0.02373, 5.255e-6, ("sb", "-sa", 0.0), ((0.0, "-ss", 0.0), ("sd", "-sc", 0.0))),
    ("k4", 0.00706, 5.667e-7, (0.0, "-(e - ea)", 0.0), ((0.0, "-e", 0.0),)),
    ("k5", 0.07050, 1.169e-5, ("ta", "tb", 0.0), (("zt", 0.0, 0.0),)),
    ("k6", 0.00706, 5.667e-7, ("zf - fa", 0.0, 0.0), (("zf", 0.0, 0.0),)),
    ("k7", 0.05498, 1.912e-5, ("-ua", "-ub", 0.0), ((0.0, "-u", 0.0),)),
)
"""Name, mass (kg), inertia about the centre (kg m²), centre, and the points that bars are drawn to."""
HINGES: tuple[tuple[str, str, str, VectorLike], ...] = (
    ("beta", "world", "k1", (0.0, 0.0, 0.0)),
    ("Theta", "k1", "k2", ("rr", 0.0, 0.0)),
    ("gamma", "world", "k3", ("xb", "yb", 0.0)),
    ("delta", "world", "k5", ("xa", "ya", 0.0)),
    ("Phi", "k5", "k4", ("zt", 0.0, 0.0)),
    ("epsilon", "world", "k7", ("xa", "ya", 0.0)),
    ("Omega", "k7", "k6", (0.0, "-u", 0.0)),
)
COMMON: dict[str, VectorLike] = {
    "k2": ("-d", 0.0, 0.0),
    "k3": (0.0, "-ss", 0.0),
    "k4": (0.0, "-e", 0.0),
    "k6": ("zf", 0.0, 0.0),
}
"""The point P in the bodies that have it."""
LENGTHS = {
    "xa": -0.06934, "ya": -0.00227, "xb": -0.03635, "yb": 0.03273, "xc": 0.014, "yc": 0.072, "d": 0.028, "da": 0.0115,
    "e": 0.02, "ea": 0.01421, "rr": 0.007, "ra": 0.00092, "ss": 0.035, "sa": 0.01874, "sb": 0.01043, "sc": 0.018, "sd": 0.02,
    "ta": 0.02308, "tb": 0.00916, "u": 0.04, "ua": 0.01228, "ub": 0.00449, "zf": 0.02, "zt": 0.04, "fa": 0.01421,
}  # fmt: skip
"""In metres; A, B and C are the fixed points."""
START = {
    "beta": -0.0617138900142764,
    "Theta": 0.0,
    "gamma": 0.4552798191630704,
    "Phi": 0.2226683901658859,
    "delta": 0.4873649795438426,
    "Omega": -0.2226683901658859,
    "epsilon": 1.230547444549821,
}
COLOURS = ("accent", "metal", "wood", "metal", "#3f7fbf", "metal", "#3f9e5f")
LEVEL = {name: 0.003 * (k - 2) for k, (name, *_) in enumerate(BODIES)} | {"world": -0.012}
"""Heights at which bars and the plate they stand on are drawn, so that they pass over each other; k3 has the spring."""


@checks.fitting
def squeezer() -> System:
    """Angles `beta`, `Theta`, `gamma`, `Phi`, `delta`, `Omega` and `epsilon` as in the source; `beta` is the crank."""
    return System(
        "squeezer",
        bodies=tuple(
            Body(
                name,
                mass=mass,
                com=centre,
                inertia=(0.5 * inertia, 0.5 * inertia, inertia),
                shapes=[
                    *(Capsule((0.0, 0.0, LEVEL[name]), _raised(end, LEVEL[name]), 0.0019, colour=colour) for end in ends),
                    _pin((0.0, 0.0), LEVEL[parent], LEVEL[name]),
                    *([_pin((0.0, "-ss"), LEVEL["k2"], LEVEL["k6"])] if name == "k3" else []),
                ],
            )
            for (name, mass, inertia, centre, ends), (_, parent, _, _), colour in zip(
                BODIES, sorted(HINGES, key=lambda hinge: hinge[2]), COLOURS, strict=True
            )
        ),
        joints=tuple(
            Revolute(
                name=name,
                parent=parent,
                child=child,
                at=at,
                axis=UP,
                drive=Torque("torque" if name == "beta" else 0.0),
            )
            for name, parent, child, at in HINGES
        ),
        loops=tuple(SphericalClosure(f"p{body[1]}", "k3", body, COMMON["k3"], COMMON[body]) for body in ("k2", "k4", "k6")),
        forces=(
            PointSpring(
                "spring",
                body_a="k3",
                at_a=("sd", "-sc", 0.0),
                body_b="world",
                at_b=("xc", "yc", 0.0),
                stiffness="c0",
                length="lo",
            ),
        ),
        parameters=parameter_set(
            ("torque", 0.033, "N m", "torque on the crank"),
            ("c0", 4530.0, "N/m", "stiffness of the spring"),
            ("lo", 0.07785, "m", "its free length"),
            *((name, value, "m", "a length of the source") for name, value in LENGTHS.items()),
            source="Hairer and Wanner, Solving Ordinary Differential Equations II (1996), section VII.7",
        ),
        independent=("beta_rate",),
        nominal=START,
        grounds=(),
        scenery=[
            Box(("xc - xa + 0.03", "yc - ya + 0.04", 0.003), at=("(xa + xc)/2", "(ya + yc)/2", -0.0135), colour="light"),
            Cylinder(("xc", "yc", -0.012), ("xc", "yc", 0.002), 0.002, colour="dark"),
        ],
        description="Andrews' squeezing mechanism",
    )


def _pin(place: tuple[QuantityLike, QuantityLike], low: float, high: float) -> Cylinder:
    """A pin that reaches a little beyond what it joins."""
    low, high = min(low, high), max(low, high)
    return Cylinder((*place, low - 0.001), (*place, high + 0.003), 0.0013, colour="dark")


def _raised(point: VectorLike, z: float) -> VectorLike:
    return (point[0], point[1], z)
