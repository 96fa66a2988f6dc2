"""The tasks that come with the library. They are declarations; write your own in the same words."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from locomotor import catalogue, checks
from locomotor.checks import shown
from locomotor.errors import UnknownNameError
from locomotor.learning.task import Task
from locomotor.model import Input, JointForce
from locomotor.names import suggestion


@lru_cache(maxsize=1)
def bicycle_balance() -> Task:
    """Keep a bicycle upright below the speed from which it does so itself (Meijaard et al. 2007: 4.29 m/s)."""
    return Task(
        "BicycleBalance",
        system=catalogue.bicycle("meijaard2007"),
        actions={"steer_torque": (-8.0, 8.0)},
        observations=("roll", "steer", "roll_rate", "steer_rate", "speed"),
        reward="1 - roll**2 - 0.1*steer**2 - 0.001*steer_torque**2",
        ends={"fallen": "0.7 - abs(roll)", "jackknifed": "1.2 - abs(steer)"},
        reset={"roll": (-0.08, 0.08), "steer": (-0.05, 0.05), "roll_rate": (-0.1, 0.1), "speed": (2.5, 4.0)},
        description="steer torque keeps the benchmark bicycle upright at speeds at which it falls by itself",
    )


PATH = "1.5*sin(0.15*x)"
SLOPE = "0.225*cos(0.15*x)"
HEADING_ERROR = f"yaw - atan({SLOPE})"


@lru_cache(maxsize=1)
def bicycle_path() -> Task:
    """Ride along a sine drawn on the ground."""
    error = f"y - {PATH}"
    return Task(
        "BicyclePath",
        system=catalogue.bicycle("meijaard2007"),
        actions={"steer_torque": (-8.0, 8.0), "rear_wheel_torque": (-20.0, 20.0)},
        observations=(
            "roll",
            "steer",
            "roll_rate",
            "steer_rate",
            "speed",
            error,
            f"sin({HEADING_ERROR})",
            f"cos({HEADING_ERROR})",
            SLOPE,
            "-0.03375*sin(0.15*x)",  # how the path bends
        ),
        reward=f"exp(-({error})**2) + 0.2*exp(-(speed - 4.5)**2) - 0.001*steer_torque**2",
        ends={"fallen": "0.7 - abs(roll)", "jackknifed": "1.2 - abs(steer)", "astray": f"4 - abs({error})"},
        reset={
            "y": (-0.3, 0.3),
            "yaw": (0.1, 0.3),
            "roll": (-0.04, 0.04),
            "steer": (-0.02, 0.02),
            "speed": (4.3, 5.0),
        },
        steps=1000,
        description="steer and rear wheel torques keep the benchmark bicycle on a path",
    )


@lru_cache(maxsize=1)
def snakeboard() -> Task:
    """Get along on a snakeboard, by turning the rotor and the axles."""
    return Task(
        "Snakeboard",
        system=catalogue.snakeboard(),
        actions={"rotor_torque": (-1.0, 1.0), "steer_torque": (-0.2, 0.2)},
        observations=("sin(yaw)", "cos(yaw)", "steer", "steer_rate", "rotor_rate", "speed", "yaw_rate"),
        reward="speed*cos(yaw) - 0.01*rotor_torque**2 - 0.01*steer_torque**2",
        ends={"crossed": "1.3 - abs(steer)", "spun": "60 - abs(rotor_rate)"},
        reset={"yaw": (-0.2, 0.2), "steer": (-0.3, 0.3), "rotor_rate": (-0.5, 0.5)},
        dt=0.01,
        frame_skip=4,
        description="torques on the rotor and the axles drive the board along x",
    )


@lru_cache(maxsize=1)
def compass_walker() -> Task:
    """Walk down a slope so steep that the passive walk is not stable any more, with a torque at the hip."""
    walker = catalogue.compass_walker(slope=0.03, foot_mass=0.1)
    torque = Input("hip_torque", "N m", r"\tau_\mathrm{h}", "torque of leg b on leg a")
    muscles = tuple(JointForce(f"hip_{leg}", f"leg_{leg}", law) for leg, law in (("a", "hip_torque"), ("b", "-hip_torque")))
    return Task(
        "CompassWalker",
        system=walker.replace(inputs=(torque,), forces=(*walker.forces, *muscles)),
        actions={"hip_torque": (-0.05, 0.05)},
        observations=("leg_a", "leg_b", "leg_a_rate", "leg_b_rate", "foot_a_closed", "foot_b_closed"),
        reward="forward_rate - 10*hip_torque**2",
        ends={"fallen": "up - 0.7", "split": "1 - abs(leg_a - leg_b)", "backwards": "forward_rate + 0.05"},
        reset={"leg_a": (-0.3, -0.26), "leg_b": (0.26, 0.3), "leg_a_rate": (0.26, 0.34), "leg_b_rate": (0.2, 0.35)},
        dt=0.01,
        frame_skip=5,
        steps=1000,
        contacts="time-stepping",
        closed=("foot_a",),
        description="a torque at the hip keeps the simplest walker going; legs are 1 m long and g is 1 m/s^2",
    )


TASKS: Final[Mapping[str, Callable[[], Task]]] = MappingProxyType(
    {"BicycleBalance": bicycle_balance, "BicyclePath": bicycle_path, "Snakeboard": snakeboard, "CompassWalker": compass_walker}
)
"""Tasks by the name of their environment."""


@checks.fitting
def find_task(task: Task | str) -> Task:
    """A task, or the one of that name."""
    if isinstance(task, Task):
        return task
    if not isinstance(task, str) or task not in TASKS:
        raise UnknownNameError(f"no task is named {shown(task)}: {suggestion(task, TASKS)}")
    return TASKS[task]()
