"""A leg of Theo Jansen's Strandbeest: a crank and ten bars of holy numbers, whose foot walks a line.

Bars by the letters of the source: from the end of the crank m go j and k, from the fixed pivot (a behind the crank's and l
below it) b, c and d; b, d and e make one triangle, g, h and i another, whose far corner is the foot; f joins the two.
"""

from locomotor import checks
from locomotor.catalogue.linkage_parts import Point, frame_of_bars, third_point
from locomotor.catalogue.locomotion_parts import LEFT, hinge, parameter_set
from locomotor.model import Capsule, Cylinder, Gravity, SphericalClosure, System, VectorLike

NUMBERS = {
    "a": 38.0, "b": 41.5, "c": 39.3, "d": 40.1, "e": 55.8, "f": 39.4, "g": 36.7, "h": 65.7, "i": 49.0, "j": 50.0, "k": 61.9,
    "l": 7.8, "m": 15.0,
}  # fmt: skip
"""Proportions; here in centimetres."""
NOMINAL = {"j_angle": -2.47, "k_angle": 2.32, "thigh": -2.73, "f_angle": 3.9, "knee": -0.67, "c_angle": 1.29}
"""Roughly, for a crank that points forward."""
FOOT = "shank_bar"
"""The body whose corner `foot_point()` walks."""
_LENGTH = {name: 0.01 * value for name, value in NUMBERS.items()}


def foot_point() -> Point:
    """Where the foot is in the x-z plane of the lower triangle."""
    return third_point(_LENGTH["g"], _LENGTH["h"], _LENGTH["i"], -1.0)


@checks.fitting
def strandbeest_leg() -> System:
    """`crank` turns all the way round; the others are angles of the bars, in a vertical plane, positive downwards."""
    n = _LENGTH
    hip = third_point(n["d"], n["b"], n["e"], -1.0)

    def along(name: str) -> list[Point]:
        return [(0.0, 0.0), (n[name], 0.0)]

    def end(name: str) -> VectorLike:
        return (n[name], 0.0, 0.0)

    pivot = (-n["a"], 0.0, -n["l"])
    return System(
        "strandbeest_leg",
        bodies=(
            frame_of_bars("crank_bar", along("m"), "rho", colour="accent"),
            frame_of_bars("j_bar", along("j"), "rho", layer=1),
            frame_of_bars("k_bar", along("k"), "rho", layer=2),
            frame_of_bars("thigh_bar", [*along("d"), hip], "rho", colour="wood"),
            frame_of_bars("c_bar", along("c"), "rho", layer=-1),
            frame_of_bars("f_bar", along("f"), "rho", layer=1),
            frame_of_bars("shank_bar", [*along("g"), foot_point()], "rho", colour="wood"),
        ),
        joints=(
            hinge("crank", "world", "crank_bar", axis=LEFT, description="angle of the crank, positive downwards"),
            hinge("j_angle", "crank_bar", "j_bar", at=end("m"), axis=LEFT),
            hinge("k_angle", "crank_bar", "k_bar", at=end("m"), axis=LEFT),
            hinge("thigh", "world", "thigh_bar", at=pivot, axis=LEFT),
            hinge("f_angle", "thigh_bar", "f_bar", at=end("d"), axis=LEFT),
            hinge("knee", "f_bar", "shank_bar", at=end("f"), axis=LEFT),
            hinge("c_angle", "world", "c_bar", at=pivot, axis=LEFT),
        ),
        loops=(
            SphericalClosure("hip", "j_bar", "thigh_bar", end("j"), (hip[0], 0.0, hip[1])),
            SphericalClosure("heel", "k_bar", "c_bar", end("k"), end("c")),
            SphericalClosure("ankle", "shank_bar", "c_bar", end("g"), end("c")),
        ),
        forces=(Gravity((0.0, 0.0, "-g_0")),),
        parameters=parameter_set(
            ("rho", 1.0, "kg/m", "mass of a metre of bar"),
            ("g_0", 9.81, "m/s^2", "gravity"),
            source="Jansen, The Great Pretender (2007): lengths; masses are ours",
        ),
        independent=("crank_rate",),
        nominal=NOMINAL,
        scenery=[
            Capsule((0.0, -0.09, 0.0), (pivot[0], -0.09, pivot[2]), 0.018, colour="dark"),
            *(Cylinder((x, -0.105, z), (x, 0.0, z), 0.013, colour="metal") for x, z in ((0.0, 0.0), (pivot[0], pivot[2]))),
        ],
        description="leg of a Strandbeest",
    )
