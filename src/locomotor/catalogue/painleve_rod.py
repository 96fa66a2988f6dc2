"""A rod that slides on rough ground on one end: Painlevé's example of rigid bodies whose laws contradict themselves.

A slender rod of length 2 l touches the ground with one end, at an angle a from the ground (Painlevé 1895; Génot and Brogliato,
New results on Painlevé paradoxes, Eur. J. Mech. A/Solids 18 (1999), 653-677). While it slides with that end ahead, a normal
force F gives the end the acceleration (F / m) (1 + 3 cos a (cos a - mu sin a)) upwards. With a friction mu above 4/3 this is
negative for the angles between the roots of tan(a)^2 - 3 mu tan(a) + 4: there the end has no acceleration that obeys all laws,
or two. Motions that begin well reach that border with an unbounded force only above a friction of 8 / (3 sqrt 3).
"""

import math

from locomotor.catalogue.locomotion_parts import parameter_set
from locomotor.catalogue.planar_base import vertical_plane
from locomotor.checks import door, number
from locomotor.model import Body, Capsule, Gravity, StickingPoint, System, Unilateral

PARADOX_FRICTION = 4.0 / 3.0
"""Below this coefficient every sliding motion of the rod has exactly one acceleration."""


@door(friction=number)
def paradox_angles(friction: float) -> tuple[float, float] | None:
    """Angles (rad) between which a normal force on the sliding end drives it into the ground; None where there are none."""
    if friction < PARADOX_FRICTION:
        return None
    root = math.sqrt(max(0.0, 9.0 * friction * friction - 16.0))
    return math.atan(0.5 * (3.0 * friction - root)), math.atan(0.5 * (3.0 * friction + root))


@door(friction=number)
def painleve_rod(*, friction: float = 1.6) -> System:
    """A rod of 2 l in the vertical plane, `forward`, `up` and `pitch` of its middle; its end `tip` may touch the ground.

    The angle from the ground is minus the pitch: with `up` = l sin(angle) the tip, behind the middle, touches.
    """
    frames, carriers = vertical_plane("rod")
    spin = "m*l**2/3"
    return System(
        name="painleve_rod",
        bodies=(
            *frames,
            Body(
                "rod",
                mass="m",
                inertia=("1e-3*m*l**2", spin, spin),
                shapes=[Capsule(("-l", 0, 0), ("l", 0, 0), "0.02*l", colour="wood")],
            ),
        ),
        joints=carriers,
        contacts=(StickingPoint("tip", body="rod", at=("-l", 0.0, 0.0), law=Unilateral(friction="mu")),),
        forces=(Gravity((0.0, 0.0, "-g")),),
        parameters=parameter_set(
            ("m", 1.0, "kg", "mass of the rod"),
            ("l", 1.0, "m", "half of its length"),
            ("mu", friction, "1", "coefficient of friction"),
            ("g", 9.8, "m/s^2", "gravity"),
        ),
        nominal={"up": 2.0, "pitch": -1.0},
        description="Painlevé's rod: slides on rough ground on one end",
    )
