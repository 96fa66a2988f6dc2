"""The rimless wheel: spokes that strike a slope one after the other, the simplest walker of all.

Between impacts it is a pendulum upside down on the foot that stands; the next foot strikes plastically and the old one leaves.
With J the inertia about the hub, the rate after an impact is eta = (J + m l² cos 2a)/(J + m l²) times that before, where 2a
is the angle between spokes, and a step gains 4 m g l sin(a) sin(slope)/(J + m l²) in the square of the rate (McGeer 1990).
"""

import math

from locomotor.catalogue.locomotion_parts import parameter_set, whole
from locomotor.catalogue.planar_base import vertical_plane
from locomotor.checks import door, number, positive
from locomotor.model import Body, Cylinder, Gravity, Shape, Sphere, StickingPoint, System, Tube, Unilateral


@door(slope=number, inertia=positive)
def rimless_wheel(*, spokes: int = 8, slope: float = 0.08, inertia: float = 0.2) -> System:
    """A wheel of spokes that rolls down a slope (rad) along +x, its mass at the hub; `inertia` is J in kg m².

    Feet `foot_0`, `foot_1`, ... strike in turn; foot k is below the hub at a pitch of k times the angle between spokes.
    """
    spokes = whole(spokes, "rimless_wheel", "spokes", 3)
    frames, carriers = vertical_plane("wheel")
    turn = 2.0 * math.pi / spokes
    feet = [(math.sin(k * turn), math.cos(k * turn)) for k in range(spokes)]
    return System(
        name="rimless_wheel",
        bodies=(*frames, Body("wheel", mass="m", inertia=("J", "J", "J"), shapes=_spokes(feet))),
        joints=carriers,
        contacts=tuple(
            StickingPoint(f"foot_{k}", body="wheel", at=(f"l*{s!r}", 0.0, f"-l*{c!r}"), law=Unilateral())
            for k, (s, c) in enumerate(feet)
        ),
        forces=(Gravity(("g*sin(slope)", 0.0, "-g*cos(slope)")),),
        parameters=parameter_set(
            ("m", 1.0, "kg", "mass"),
            ("l", 1.0, "m", "length of a spoke"),
            ("J", inertia, "kg m^2", "inertia about the hub"),
            ("g", 9.81, "m/s^2", "gravity"),
            ("slope", slope, "rad", "inclination of the ground, downhill along +x"),
            source="ours",
        ),
        nominal={"up": "l"},
        description="rimless wheel on a slope",
    )


def _spokes(feet: list[tuple[float, float]]) -> list[Shape]:
    """Spokes with rubber feet around a hub; the first one has another colour, to see it turn."""
    shapes: list[Shape] = [
        Cylinder((0, "-0.09*l", 0), (0, "0.09*l", 0), "0.11*l", colour="metal"),
        Cylinder((0, "-0.11*l", 0), (0, "0.11*l", 0), "0.04*l", colour="dark"),
    ]
    for k, (s, c) in enumerate(feet):
        tip = (f"{0.97 * s!r}*l", 0.0, f"{-0.97 * c!r}*l")
        shapes.append(Tube([(0, 0, 0), tip], ("0.035*l", "0.022*l"), colour="accent" if k == 0 else "body"))
        shapes.append(Sphere("0.04*l", at=(f"{0.96 * s!r}*l", 0.0, f"{-0.96 * c!r}*l"), colour="rubber"))
    return shapes
