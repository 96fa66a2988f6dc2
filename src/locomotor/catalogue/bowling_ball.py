"""A ball that is thrown along a lane: it slips, with friction against the slip, until it rolls.

Without spin it slips for 2 v/(7 mu g) and then rolls with 5/7 of its speed, whatever its mass and radius. With side spin its
path is a parabola while it slips, and a straight line from then on (Coriolis 1835).
"""

from locomotor.catalogue.locomotion_parts import parameter_set
from locomotor.checks import door, number
from locomotor.model import (
    Body,
    Box,
    Cylinder,
    Frame,
    Gravity,
    RollingSphere,
    Shape,
    Sphere,
    Spherical,
    System,
    Translation,
    Unilateral,
)


@door(friction=number, restitution=number)
def bowling_ball(*, friction: float = 0.2, restitution: float = 0.0) -> System:
    """A homogeneous ball on a level lane, with velocities `x_rate` along it, `y_rate` to the left and spin `spin_wx` and so on.

    What a start leaves open rolls: {"x_rate": 8.0} is a ball that rolls, {"x_rate": 8.0, "spin_wy": 0.0} one that slips.
    """
    rolls = "2*m*r**2/5"
    return System(
        name="bowling_ball",
        bodies=(Frame("carrier"), Body("ball", mass="m", inertia=(rolls, rolls, rolls), shapes=_ball())),
        joints=(
            Translation(name="base", parent="world", child="carrier"),
            Spherical(name="spin", parent="carrier", child="ball"),
        ),
        contacts=(
            RollingSphere(
                "lane",
                body="ball",
                centre=(0.0, 0.0, 0.0),
                radius="r",
                law=Unilateral(restitution=restitution, friction="mu"),
            ),
        ),
        forces=(Gravity((0.0, 0.0, "-g")),),
        parameters=parameter_set(
            ("m", 6.0, "kg", "mass"),
            ("r", 0.108, "m", "radius"),
            ("mu", friction, "1", "coefficient of friction"),
            ("g", 9.81, "m/s^2", "gravity"),
            source="ours",
        ),
        nominal={"z": "r"},
        scenery=[Box((18.0, 1.05, 0.02), at=(9.0, 0.0, -0.01), colour="wood")],
        description="ball that is thrown along a lane: it slips, then rolls",
    )


def _ball() -> list[Shape]:
    """A ball with three holes, which show how it turns."""
    holes = [("0.25", "0.0"), ("-0.15", "0.2"), ("-0.15", "-0.2")]
    return [
        Sphere("r", colour="accent"),
        *(Cylinder((f"{x}*r", f"{y}*r", "0.8*r"), (f"{x}*r", f"{y}*r", "0.98*r"), "0.12*r", colour="dark") for x, y in holes),
    ]
