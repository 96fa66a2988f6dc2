"""Systems with constraints that move, whose motions are known in closed form."""

from typing import Any

import locomotor as lm

POINT: Any = {"mass": 2.0, "inertia": (1.0, 1.0, 1.0)}
TABLE, RADIUS, MASS = 1.3, 0.5, 0.7


def shaken(law: Any = "cos(t)", **more: Any) -> lm.System:
    """A particle whose velocity along x is imposed."""
    at = lm.Translation(name="at", parent="world", child="particle")
    row = lm.VelocityConstraint("shaken", {"x_rate": 1.0}, equals=law)
    return lm.System("shaken", [lm.Body("particle", **POINT)], [at], constraints=[row], forces=[lm.Gravity()], **more)


def knife(heading: str = "0.8*t") -> lm.System:
    """A particle that may move along a direction only, and that direction turns."""
    at = lm.Translation(name="at", parent="world", child="particle")
    edge = {"x_rate": f"-sin({heading})", "y_rate": f"cos({heading})"}
    rows = [lm.VelocityConstraint("level", {"z_rate": 1.0}), lm.VelocityConstraint("edge", edge)]
    return lm.System("knife", [lm.Body("particle", **POINT)], [at], constraints=rows)


def turntable(share: float = 0.4) -> lm.System:
    """A ball (moment of inertia `share` m r²) that rolls on a table that turns at the rate `table` about the vertical.

    Turned by yaw, roll and pitch its angular velocity is w_x = cos(yaw) roll' - sin(yaw) cos(roll) pitch', w_y = sin(yaw) roll'
    + cos(yaw) cos(roll) pitch'; the velocity of its lowest point, (x' - r w_y, y' + r w_x), is that of the table there, (-y, x)
    times its rate.
    """
    moment = share * MASS * RADIUS**2
    bodies = [lm.Frame("carrier"), lm.Frame("turned"), lm.Frame("tilted"), lm.Body("ball", MASS, inertia=(moment,) * 3)]
    joints = [
        lm.Translation(name="at", parent="world", child="carrier"),
        lm.Revolute(name="yaw", parent="carrier", child="turned", axis=(0, 0, 1)),
        lm.Revolute(name="roll", parent="turned", child="tilted", axis=(1, 0, 0)),
        lm.Revolute(name="pitch", parent="tilted", child="ball", axis=(0, 1, 0)),
    ]
    across = {"roll_rate": "-radius*sin(yaw)", "pitch_rate": "-radius*cos(yaw)*cos(roll)"}
    along = {"roll_rate": "radius*cos(yaw)", "pitch_rate": "-radius*sin(yaw)*cos(roll)"}
    rows = [
        lm.VelocityConstraint("height", {"z_rate": 1.0}),
        lm.VelocityConstraint("rolls_x", {"x_rate": 1.0, **across}, equals="-table*y"),
        lm.VelocityConstraint("rolls_y", {"y_rate": 1.0, **along}, equals="table*x"),
    ]
    values = {"table": TABLE, "radius": RADIUS}
    return lm.System("turntable", bodies, joints, constraints=rows, forces=[lm.Gravity()], parameters=values)


def inclined(row: dict[str, Any], equals: Any = 0.0, restitution: float = 0.6) -> lm.System:
    """A smooth particle above a level ground in the plane y = 0, with one more constraint."""
    joints = [
        lm.Prismatic(name="x", parent="world", child="carrier", axis=(1, 0, 0)),
        lm.Prismatic(name="z", parent="carrier", child="particle", axis=(0, 0, 1)),
    ]
    foot = lm.SlidingPoint("foot", body="particle", at=(0, 0, 0), law=lm.Unilateral(restitution=restitution))
    return lm.System(
        "inclined",
        [lm.Frame("carrier"), lm.Body("particle", **POINT)],
        joints,
        [foot],
        [lm.Gravity((0, 0, -G))],
        constraints=[lm.VelocityConstraint("moving", row, equals=equals)],
    )


G = 9.81
