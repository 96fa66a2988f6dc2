"""A four-bar linkage: a crank that turns all the way round, a coupler, and a rocker that swings.

With phi, beta and psi the angles of crank, coupler and rocker from the line between the two pivots on the ground, the loop is
crank e^(i phi) + coupler e^(i beta) = base + rocker e^(i psi). The crank goes round where the shortest and the longest link
together are shorter than the other two (Grashof 1883).
"""

from locomotor.catalogue.linkage_parts import bar
from locomotor.catalogue.locomotion_parts import LEFT, hinge, parameter_set
from locomotor.checks import choice, door
from locomotor.model import Box, Closure, Cylinder, Gravity, RevoluteClosure, SphericalClosure, System, VectorLike


@door(closure=choice("revolute", "spherical"))
def four_bar(*, closure: str = "revolute") -> System:
    """Homogeneous bars in a vertical plane; `crank`, `coupler` (from the crank) and `rocker` are angles, positive downwards.

    The last pin, between coupler and rocker, closes the loop: a full hinge, three of whose five conditions the plane implies,
    or a spherical joint, of whose three it implies one.
    """
    at_a: VectorLike = ("coupler_length", 0.0, 0.0)
    at_b: VectorLike = ("rocker_length", 0.0, 0.0)
    pins: dict[str, Closure] = {
        "revolute": RevoluteClosure("pin", "coupler_bar", "rocker_bar", at_a, at_b, axis_a=LEFT),
        "spherical": SphericalClosure("pin", "coupler_bar", "rocker_bar", at_a, at_b),
    }
    return System(
        "four_bar",
        bodies=(
            bar("crank_bar", "crank_length", "rho", colour="accent"),
            bar("coupler_bar", "coupler_length", "rho", layer=1, colour="metal"),
            bar("rocker_bar", "rocker_length", "rho", colour="wood"),
        ),
        joints=(
            hinge("crank", "world", "crank_bar", axis=LEFT, description="angle of the crank, positive downwards"),
            hinge("coupler", "crank_bar", "coupler_bar", at=("crank_length", 0.0, 0.0), axis=LEFT),
            hinge("rocker", "world", "rocker_bar", at=("base", 0.0, 0.0), axis=LEFT),
        ),
        loops=(pins[closure],),
        forces=(Gravity((0.0, 0.0, "-g")),),
        parameters=parameter_set(
            ("crank_length", 0.3, "m", "length of the crank"),
            ("coupler_length", 0.8, "m", "length of the coupler"),
            ("rocker_length", 0.7, "m", "length of the rocker"),
            ("base", 0.9, "m", "distance of the two pivots on the ground"),
            ("rho", 1.0, "kg/m", "mass of a metre of bar"),
            ("g", 9.81, "m/s^2", "gravity"),
        ),
        independent=("crank_rate",),
        nominal={"crank": -0.5, "coupler": -0.26, "rocker": -1.66},
        scenery=[
            Box(("base + 0.08", 0.02, 0.05), at=("base/2", -0.06, -0.01), colour="dark"),
            *(Cylinder((x, -0.075, 0.0), (x, 0.0, 0.0), 0.013, colour="metal") for x in (0.0, "base")),
        ],
        description="four-bar linkage: crank, coupler and rocker",
    )
