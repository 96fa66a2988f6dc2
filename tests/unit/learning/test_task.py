"""Tasks: what is wrong with one is said when it is declared."""

from typing import Any

import pytest

import locomotor as lm
from locomotor.errors import TaskError, UnknownNameError
from locomotor.learning import TASKS, Engine, Task, find_task

SLIDER = lm.System(
    "slider",
    bodies=[lm.Body("block", mass="m", inertia=(1.0, 1.0, 1.0))],
    joints=[lm.Prismatic(name="way", parent="world", child="block", axis=(1, 0, 0), drive=lm.Torque("push"))],
    inputs=[lm.Input("push", "N")],
    parameters={"m": 2.0},
)
GOOD: dict[str, Any] = dict(
    name="Slide",
    system=SLIDER,
    actions={"push": (-1.0, 3.0)},
    observations=("way", "way_rate", "m*way"),
    reward="1 - way**2",
    ends={"out": "2 - abs(way)"},
    reset={"way": (-1.0, 1.0), "way_rate": 0.5, "m": (1.0, 3.0)},
    dt=0.01,
    frame_skip=2,
    steps=10,
)


@pytest.mark.parametrize(
    ("change", "kind", "said"),
    [
        ({"system": "slider"}, TaskError, "system is str"),
        ({"actions": {}}, TaskError, "no actions; name inputs with their limits: push"),
        ({"actions": {"pusch": (-1, 1)}}, UnknownNameError, "did you mean 'push'"),
        ({"actions": {"push": (1.0, 1.0)}}, TaskError, r"action 'push' \(a range\) is \(1.0, 1.0\); give two finite numbers"),
        ({"actions": {"push": 1.0}}, TaskError, "give two finite numbers, the smaller first"),
        ({"observations": ()}, TaskError, "no observations"),
        ({"observations": ("way_rat",)}, UnknownNameError, r"observation: .*did you mean 'way_rate'"),
        ({"reward": "1 -"}, TaskError, "reward: expression '1 -': it does not parse"),
        ({"ends": {"out": "2 - abs(weg)"}}, UnknownNameError, "end 'out'"),
        ({"reset": {"wai": 1.0}}, UnknownNameError, "did you mean 'way'"),
        ({"reset": {"way": float("nan")}}, TaskError, "reset of 'way' .* is nan"),
        ({"reset": {"way": (1.0, -1.0)}}, TaskError, "give two finite numbers, the smaller first"),
        ({"dt": 0.0}, TaskError, "dt is 0.0"),
        ({"frame_skip": 0}, TaskError, "frame_skip is 0"),
        ({"steps": 1.5}, TaskError, "steps is 1.5"),
        ({"closed": ("foot",)}, TaskError, "no contact named 'foot' opens and closes"),
        ({"contacts": "events"}, TaskError, "nothing opens or closes"),
    ],
)
def test_what_is_wrong_is_said_at_once(change: dict[str, Any], kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        Task(**{**GOOD, **change})


def test_the_tasks_of_the_library_are_found_by_name() -> None:
    for name in TASKS:
        assert find_task(name).name == name and find_task(name).description
    with pytest.raises(UnknownNameError, match="did you mean 'Snakeboard'"):
        find_task("Snakebord")


def test_laws_that_read_the_clock_are_refused() -> None:
    joint = lm.Prismatic(name="way", parent="world", child="block", axis=(1, 0, 0), drive=lm.Torque("push + sin(t)"))
    with pytest.raises(TaskError, match="depends on the time t"):
        Engine(Task(**{**GOOD, "system": SLIDER.replace(joints=(joint,))}))


def test_episodes_that_cannot_start_are_told() -> None:
    bike = lm.catalogue.bicycle()
    lying = Task("Lie", bike, {"steer_torque": (-1, 1)}, ("roll",), "1", reset={"roll": (1.57, 1.58)})
    with pytest.raises(TaskError, match="an episode cannot start"):
        Engine(lying)


def test_the_torque_at_the_hip_is_one_of_leg_on_leg() -> None:
    """In a swing without impact it does the work torque * (change of leg_a - change of leg_b), and turns nothing else.

    Two torques of the same sign would act on the hip, which slides without turning, and do the work of their sum.
    """
    walker = find_task("CompassWalker").system
    start = {"leg_a": -0.28, "leg_b": 0.28, "leg_a_rate": 0.3, "leg_b_rate": 0.28}
    torque = 0.04
    run = lm.simulate(walker, 0.8, start=start, closed=["foot_a"], inputs={"hip_torque": torque}, step=0.002)
    assert not len(run.events) and run.status.ok
    gained = run.energy[-1] - run.energy[0]
    turned = [run[leg][-1] - run[leg][0] for leg in ("leg_a", "leg_b")]
    assert min(map(abs, turned)) > 0.05  # else a wrong sign would not show
    assert gained == pytest.approx(torque * (turned[0] - turned[1]), abs=1e-10)
