"""What the shipped tasks pay for: each reward at states worked out by hand, and what the task wants pays best."""

import math
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.learning import TASKS
from locomotor.learning.engine import Engine
from locomotor.mechanics.tree.kinematics import Instant, forward
from locomotor.mechanics.tree.mass_matrix import mass_matrix


def reward(name: str, start: dict[str, float], **inputs: float) -> float:
    """Reward of one state, reached by an episode that starts there."""
    task = TASKS[name]().replace(reset=start)
    engine = Engine(task, target="interpreter")
    states, parameters = engine.start(np.empty((1, 0)))
    given = np.array([[inputs.get(known, 0.0) for known in engine.compiled.input_names]])
    return float(engine.sense(np.zeros(1), states, given, parameters).reward[0])


BICYCLE = {"speed": 3.0}
PATH = {"speed": 4.5}
WALK = {"leg_a": -0.28, "leg_b": 0.28, "leg_b_rate": 0.25}
CASES: list[tuple[str, dict[str, float], dict[str, float], float]] = [
    # 1 while upright; roll, steer and torque cost their squares, weighted 1, 0.1 and 0.001.
    ("BicycleBalance", BICYCLE, {}, 1.0),
    ("BicycleBalance", {**BICYCLE, "roll": 0.3}, {}, 1.0 - 0.09),
    ("BicycleBalance", {**BICYCLE, "roll": -0.3}, {}, 1.0 - 0.09),
    ("BicycleBalance", {**BICYCLE, "roll": 0.1, "steer": -0.2}, {"steer_torque": 4.0}, 1.0 - 0.01 - 0.004 - 0.016),
    # On the path y = 1.5 sin(0.15 x) at 4.5 m/s: 1 + 0.2; a metre beside it exp(-1) + 0.2; 1 m/s too fast exp(-1)/5.
    ("BicyclePath", PATH, {}, 1.2),
    ("BicyclePath", {**PATH, "x": 10.0, "y": 1.5 * math.sin(1.5)}, {}, 1.2),
    ("BicyclePath", {**PATH, "y": 1.0}, {}, math.exp(-1.0) + 0.2),
    ("BicyclePath", {**PATH, "y": -1.0}, {}, math.exp(-1.0) + 0.2),
    ("BicyclePath", {"speed": 5.5}, {"steer_torque": 5.0}, 1.0 + 0.2 * math.exp(-1.0) - 0.025),
    # The speed along x, less 0.01 of each torque's square.
    ("Snakeboard", {"speed": 2.0}, {}, 2.0),
    ("Snakeboard", {"speed": 2.0, "yaw": math.pi}, {}, -2.0),
    ("Snakeboard", {"speed": 2.0, "yaw": math.pi / 3}, {"rotor_torque": 1.0, "steer_torque": -0.2}, 1.0 - 0.01 - 0.0004),
    # The hip goes round the standing foot: cos(0.28) times the rate of the leg, which is 1 m long.
    ("CompassWalker", {**WALK, "leg_a_rate": 0.3}, {}, 0.3 * math.cos(0.28)),
    ("CompassWalker", {**WALK, "leg_a_rate": 0.2}, {"hip_torque": -0.05}, 0.2 * math.cos(0.28) - 0.025),
]


@pytest.mark.parametrize(("name", "start", "inputs", "paid"), CASES)
def test_rewards_by_hand(name: str, start: dict[str, float], inputs: dict[str, float], paid: float) -> None:
    # 1e-9: the start closes the contacts to about that.
    assert reward(name, start, **inputs) == pytest.approx(paid, abs=1e-9)


def test_every_shipped_task_is_among_them() -> None:
    assert {name for name, *_ in CASES} == set(TASKS)


BETTER: list[tuple[str, dict[str, float], dict[str, float]]] = [
    ("BicycleBalance", BICYCLE, {**BICYCLE, "roll": 0.2}),
    ("BicyclePath", PATH, {**PATH, "y": 0.5}),
    ("Snakeboard", {"speed": 1.0}, {"speed": 0.5}),
    ("CompassWalker", {**WALK, "leg_a_rate": 0.34}, {**WALK, "leg_a_rate": 0.26}),
]


@pytest.mark.parametrize(("name", "wanted", "worse"), BETTER)
def test_what_the_task_wants_pays_best(name: str, wanted: dict[str, float], worse: dict[str, float]) -> None:
    assert reward(name, wanted) > reward(name, worse)


ENDS: list[tuple[str, str, dict[str, float], float]] = [
    ("BicycleBalance", "fallen", {"speed": 3.0, "roll": -0.8}, -0.1),
    ("BicycleBalance", "fallen", {"speed": 3.0, "roll": 0.5}, 0.2),
    ("BicyclePath", "astray", {"speed": 4.5, "y": 4.5}, -0.5),
    ("Snakeboard", "crossed", {"speed": 0.0, "steer": -1.4}, -0.1),
    ("CompassWalker", "backwards", {**WALK, "leg_a_rate": -0.3}, 0.05 - 0.3 * math.cos(0.28)),
]


@pytest.mark.parametrize(("name", "end", "start", "value"), ENDS)
def test_ends_by_hand(name: str, end: str, start: dict[str, float], value: float) -> None:
    """An episode ends where its expression is negative: those states, and not the ones on the other side."""
    task = TASKS[name]().replace(reset=start)
    engine = Engine(task.replace(observations=(task.ends[end],)), target="interpreter")
    states, parameters = engine.start(np.empty((1, 0)))
    seen = engine.sense(np.zeros(1), states, np.zeros((1, len(engine.compiled.input_names))), parameters)
    assert seen.observation[0, 0] == pytest.approx(value, abs=1e-9) and bool(seen.ended[0]) == (value < 0.0)


def test_the_hip_of_the_walker_pushes_one_leg_against_the_other(rng: np.random.Generator) -> None:
    """Newton's third law: a torque between the legs turns one as much as it turns the other back, and carries nothing along."""
    system = TASKS["CompassWalker"]().system.replace(contacts=())
    q = rng.uniform(-0.5, 0.5, system.layout.nq)
    names = [symbol.name for symbol in system.layout.velocities]
    start: dict[str, Any] = dict(zip([symbol.name for symbol in system.layout.coordinates], q, strict=True))
    pushed, free = (lm.accelerations(system, start, inputs={"hip_torque": torque}) for torque in (0.04, 0.0))
    change = np.array([pushed[name] - free[name] for name in names])
    forces = np.asarray(mass_matrix(forward(Instant(system, q, np.zeros(len(names))))), dtype=float) @ change
    wanted = {"forward_rate": 0.0, "up_rate": 0.0, "leg_a_rate": 0.04, "leg_b_rate": -0.04}
    assert forces == pytest.approx([wanted[name] for name in names], abs=1e-12)
