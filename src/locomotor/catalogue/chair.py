"""A chair on four legs: more forces than equations, and still one motion.

How the floor shares the weight between four legs cannot be told from rigid bodies; what the chair does can. A force on its back
makes it slide or, above a height of mu^-1 times the distance of its hind legs behind the centre of mass, tip over them.
"""

from itertools import product

from locomotor.catalogue.locomotion_parts import parameter_set
from locomotor.checks import door, number
from locomotor.model import Body, BodyForce, Box, Capsule, Free, Gravity, Input, Shape, StickingPoint, System, Unilateral


@door(friction=number, slope=number)
def chair(*, friction: float = 0.4, slope: float = 0.0) -> System:
    """A chair with its seat level; `push` (N) acts backwards on its back at the height `h`; `slope` (rad) leads down along -x.

    Feet are named by their place: `front_left` and so on. It starts at rest on the floor.
    """
    places = {
        f"{a}_{b}": (f"{x}*a", f"{y}*b", "-s")
        for (a, x), (b, y) in product((("front", 1), ("hind", -1)), (("left", 1), ("right", -1)))
    }
    return System(
        name="chair",
        bodies=(Body("seat", mass="m", com=(0, 0, 0), inertia=("I", "I", "I"), shapes=_chair(places)),),
        joints=(Free(name="base", parent="world", child="seat"),),
        contacts=tuple(StickingPoint(foot, "seat", at, law=Unilateral(friction="mu")) for foot, at in places.items()),
        forces=(
            Gravity(("-g*sin(slope)", 0, "-g*cos(slope)")),
            BodyForce("push_force", "seat", ("-a", 0, "h - s"), ("-push", 0, 0)),
        ),
        inputs=(Input("push", "N"),),
        parameters=parameter_set(
            ("m", 5.0, "kg", "mass"),
            ("I", 0.4, "kg m^2", "inertia about its centre of mass, in the seat"),
            ("a", 0.2, "m", "half the distance of front and hind legs"),
            ("b", 0.19, "m", "half the distance of left and right legs"),
            ("s", 0.45, "m", "height of the centre of mass"),
            ("h", 0.45, "m", "height at which it is pushed"),
            ("mu", friction, "1", "coefficient of friction"),
            ("g", 9.81, "m/s^2", "gravity"),
            ("slope", slope, "rad", "inclination of the floor"),
            source="ours",
        ),
        nominal={"z": "s"},
        description="chair on four legs with friction",
    )


def _chair(places: dict[str, tuple[str, str, str]]) -> list[Shape]:
    legs = [Capsule((x, y, 0), (x, y, z), "0.015", colour="wood") for x, y, z in places.values()]
    return [
        Box(("2.2*a", "2.2*b", "0.03"), colour="wood"),
        Box(("0.03", "2.2*b", "0.9*s"), at=("-a", 0, "0.45*s"), colour="accent"),
        *legs,
    ]
