"""A box with dry friction on a plane: it rests, slides, tips over and tumbles.

On a slope it stays while friction exceeds tan(slope) and the slope is less steep than width/height; otherwise it slides
down with the acceleration g (sin(slope) - mu cos(slope)), or tips.
"""

from itertools import product

from locomotor.catalogue.locomotion_parts import box as box_inertia
from locomotor.catalogue.locomotion_parts import parameter_set
from locomotor.checks import door, number
from locomotor.model import Body, Box, Free, Gravity, Shape, StickingPoint, System, Tube, Unilateral

TOSSED = {"z": 0.7, "roll": 0.3, "speed": 1.2, "pitch_rate": 4.0}
"""A start in the air, turning."""


@door(friction=number, slope=number, restitution=number)
def tumbling_box(*, friction: float = 0.5, slope: float = 0.0, restitution: float = 0.0) -> System:
    """A homogeneous box that touches with its eight vertices; `slope` (rad) makes it go down along +x.

    It starts at rest on the plane. Vertices are named by their signs along x, y and z: `pmm` is in front, right, below. The
    coefficient of friction is the parameter `mu`, so that a batch may vary it.
    """
    sizes = ("a", "b", "c")
    return System(
        name="tumbling_box",
        bodies=(Body("box", mass="m", inertia=box_inertia("m", *sizes), shapes=_crate()),),
        joints=(Free(name="base", parent="world", child="box"),),
        contacts=tuple(
            StickingPoint(
                "".join("p" if sign > 0 else "m" for sign in signs),
                body="box",
                at=tuple(f"{0.5 * sign}*{size}" for sign, size in zip(signs, sizes, strict=True)),
                law=Unilateral(restitution=restitution, friction="mu"),
            )
            for signs in product((-1, 1), repeat=3)
        ),
        forces=(Gravity(("g*sin(slope)", 0.0, "-g*cos(slope)")),),
        parameters=parameter_set(
            ("m", 1.0, "kg", "mass"),
            ("a", 0.4, "m", "length, along x"),
            ("b", 0.3, "m", "width, along y"),
            ("c", 0.2, "m", "height, along z"),
            ("mu", friction, "1", "coefficient of friction"),
            ("g", 9.81, "m/s^2", "gravity"),
            ("slope", slope, "rad", "inclination of the ground, downhill along +x"),
            source="ours",
        ),
        nominal={"z": "c/2"},
        description="box with dry friction on a plane",
    )


def _crate() -> list[Shape]:
    """A wooden box with edges of its own, one of them marked."""
    edges: list[Shape] = []
    for k, (long, p, q) in enumerate((("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b"))):
        for s, t in product(("-0.5", "0.5"), repeat=2):
            ends = []
            for sign in ("-0.5", "0.5"):
                place = ["", "", ""]
                place[k], place[(k + 1) % 3], place[(k + 2) % 3] = f"{sign}*{long}", f"{s}*{p}", f"{t}*{q}"
                ends.append(tuple(place))
            edges.append(Tube(ends, "0.02*(a + b + c)/3", colour="accent" if (k, s, t) == (0, "0.5", "0.5") else "dark"))
    return [Box(("a", "b", "c"), colour="wood"), *edges]
