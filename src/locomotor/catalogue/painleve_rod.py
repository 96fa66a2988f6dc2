"""A rod that slides on rough ground on one end: Painlevé's example of rigid bodies whose laws contradict themselves.

A slender rod of length 2 l touches the ground with one end, at an angle a from the ground (Painlevé 1895; Génot and Brogliato,
New results on Painlevé paradoxes, Eur. J. Mech. A/Solids 18 (1999), 653-677). While it slides with that end ahead, a normal
force F gives the end the acceleration (F / m) (1 + 3 cos a (cos a - mu sin a)) upwards. With a friction mu above 4/3 this is
negative for the angles between the roots of tan(a)^2 - 3 mu tan(a) + 4: there the end has no acceleration that obeys all laws,
or two. Motions that begin well reach that border with an unbounded force only above a friction of 8 / (3 sqrt 3).

An end rounded with the radius r has 1 + 3 cos a (cos a - mu (r / l + sin a)) in place of that, so that less friction is enough.
"""

import math
from functools import partial

from locomotor.catalogue.locomotion_parts import parameter_set
from locomotor.catalogue.planar_base import vertical_plane
from locomotor.checks import door, number
from locomotor.model import Body, Contact, Cylinder, Gravity, RollingSphere, Sphere, StickingPoint, System, Tube, Unilateral

PARADOX_FRICTION = 4.0 / 3.0
"""Below this coefficient every sliding motion of the rod has exactly one acceleration."""

SLIDING = {"pitch": -1.2, "up": math.sin(1.2), "forward_rate": 1.0}
"""A start with the tip on the ground, ahead of which the rod slides."""


@door(friction=number)
def paradox_angles(friction: float) -> tuple[float, float] | None:
    """Angles (rad) between which a normal force on the sliding end drives it into the ground; None where there are none."""
    if friction < PARADOX_FRICTION:
        return None
    root = math.sqrt(max(0.0, 9.0 * friction * friction - 16.0))
    return math.atan(0.5 * (3.0 * friction - root)), math.atan(0.5 * (3.0 * friction + root))


@door(roundness=partial(number, least=0.0))
def paradox_friction(roundness: float = 0.0) -> float:
    """Friction from which on a rod whose end is rounded with the radius `roundness` times l has angles without a solution.

    The least of (1 + 3 cos^2) / (3 cos (roundness + sin)) over all angles, where the derivative changes its sign. 4/3 for a
    sharp end.
    """
    low, high = 0.0, 0.5 * math.pi
    for _ in range(200):
        middle = 0.5 * (low + high)
        c, s = math.cos(middle), math.sin(middle)
        above, below = 1.0 + 3.0 * c * c, c * (roundness + s)
        falls = -6.0 * c * s * below - above * (c * c - s * (roundness + s)) < 0.0
        low, high = (middle, high) if falls else (low, middle)
    c, s = math.cos(low), math.sin(low)
    return (1.0 + 3.0 * c * c) / (3.0 * c * (roundness + s))


@door(friction=number, radius=partial(number, least=0.0))
def painleve_rod(*, friction: float = 1.6, radius: float = 0.0) -> System:
    """A rod of 2 l in the vertical plane, `forward`, `up` and `pitch` of its middle; its end `tip` may touch the ground.

    The angle from the ground is minus the pitch: with `up` = l sin(angle) + `radius` the tip, behind the middle, touches. A
    `radius` (m) above zero rounds the tip.
    """
    frames, carriers = vertical_plane("rod")
    spin = "m*l**2/3"
    place = ("-l", 0.0, 0.0)
    law = Unilateral(friction="mu")
    tip: Contact = StickingPoint("tip", body="rod", at=place, law=law)
    if radius > 0.0:
        tip = RollingSphere("tip", body="rod", centre=place, radius="r", law=law)
    more = (("r", radius, "m", "radius of its end"),) if radius > 0.0 else ()
    width = "r" if radius > 0.0 else "0.02*l"
    return System(
        name="painleve_rod",
        bodies=(
            *frames,
            Body(
                "rod",
                mass="m",
                inertia=("1e-3*m*l**2", spin, spin),
                shapes=[
                    Cylinder(("-0.7*l", 0, 0), ("l", 0, 0), "0.06*l", colour="body"),
                    Tube([("-0.7*l", 0, 0), ("-l", 0, 0)], ("0.06*l", width), colour="wood"),
                    Sphere(width, at=place, colour="dark"),
                ],
            ),
        ),
        joints=carriers,
        contacts=(tip,),
        forces=(Gravity((0.0, 0.0, "-g")),),
        parameters=parameter_set(
            ("m", 1.0, "kg", "mass of the rod"),
            ("l", 1.0, "m", "half of its length"),
            ("mu", friction, "1", "coefficient of friction"),
            ("g", 9.8, "m/s^2", "gravity"),
            *more,
        ),
        nominal={"up": 2.0, "pitch": -1.0},
        description="Painlevé's rod: slides on rough ground on one end",
    )
