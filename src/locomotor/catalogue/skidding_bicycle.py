"""The Whipple bicycle with dry friction under its wheels and a brake at the rear one: braked too hard it skids.

Ridden straight, a wheel that is blocked brakes with mu M g (1 - x/w)/(M + IFyy/rF² + mu k/w), k = h M + IFyy/rF, for a mass M
whose centre is at x before the rear contact and h above the ground: less than mu g, as braking takes the load off that wheel.
"""

from collections.abc import Mapping

from locomotor.catalogue.bicycle import bicycle
from locomotor.checks import door, either, instance, mapping, number, text
from locomotor.errors import ModelError
from locomotor.model import JointFriction, Parameter, ParameterSet, System

SKIDDING = {"speed": 6.0, "rear_wheel_rate": 0.0, "roll_rate": 0.3}
"""A start worth watching: the rear wheel is blocked, the tail comes round, and the bicycle falls."""


@door(parameters=either(text, instance(ParameterSet), mapping), friction=number, brake=number)
def skidding_bicycle(
    parameters: str | ParameterSet | Mapping[str, float] = "meijaard2007", *, friction: float = 0.7, brake: float = 150.0
) -> System:
    """The bicycle with wheels that roll as long as their friction lasts, and a rear brake of a torque `brake` (N m).

    The brake is dry: it slows the wheel down and then blocks it as long as it can. It is the parameter `brake_torque`, and the
    coefficient of friction is `mu`; all else is that of `bicycle`.
    """
    whole = bicycle(parameters, contacts="unilateral", friction=friction)
    if whole.parameters["rR"].value == 0.0:
        raise ModelError("skidding_bicycle: the rear wheel is a skate, rR = 0, and has no brake; give a wheel with a radius")
    torque = Parameter("brake_torque", brake, "N m", r"\tau_\mathrm{b}", "largest torque of the rear brake", "set by the user")
    return whole.replace(
        name="skidding_bicycle",
        forces=(*whole.forces, JointFriction("brake", "rear_wheel", "brake_torque")),
        parameters=whole.parameters + ParameterSet([torque]),
        description="Whipple bicycle with dry friction of the ground and a brake that blocks its rear wheel",
    )
