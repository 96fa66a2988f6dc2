"""Batches in which some instances have parameters that nothing real has: those alone are marked, on every target."""

from dataclasses import replace

import numpy as np
import pytest

import locomotor as lm
from backends.problems import needs_compiler
from locomotor.analysis.stability.batched import FOUND, IMPOSSIBLE
from locomotor.catalogue import bicycle
from locomotor.errors import InertiaTriangleError, NonPositiveMassError, NotFiniteError, TaskError
from locomotor.learning.engine import Engine
from locomotor.learning.tasks import bicycle_balance

MASSES = np.array([85.0, -5.0, 80.0, 0.0])


@pytest.mark.parametrize("target", ["interpreter", pytest.param("auto", marks=needs_compiler)])
def test_roll_outs(target: str) -> None:
    bike = lm.compile(bicycle(), free=("mB",), target=target)
    x = np.tile(bike.start({"speed": 5.0, "roll_rate": 0.1}), (4, 1))
    measures = {"lean": lm.Maximum("abs(roll)")}
    batch = bike.rollout(x, 20, 0.005, parameters=MASSES[:, None], measures=measures)
    assert batch.status.tolist() == [0, 4, 0, 4] and batch.completed.tolist() == [20, 0, 20, 0]
    assert batch.reasons[1].startswith("Body 'rear_frame': mass is -5.0 kg (from 'mB'); it must be positive")
    assert "mass is 0.0 kg" in batch.reasons[3] and batch.reasons[0] == "all steps taken"
    np.testing.assert_array_equal(batch.final[1], x[1])
    assert np.isnan(batch.measures["lean"][[1, 3]]).all() and np.isnan(batch.states[[1, 3]]).all()
    alone = bike.rollout(x[::2], 20, 0.005, parameters=MASSES[::2, None], measures=measures)
    np.testing.assert_array_equal(batch.states[::2], alone.states)
    np.testing.assert_array_equal(x, np.tile(x[0], (4, 1)), "what was given is not changed")


def test_parameters_for_all_are_refused() -> None:
    bike = lm.compile(bicycle(), free=("mB",), target="interpreter")
    x = bike.start({"speed": 5.0})
    for states, parameters in ((x, [-5.0]), (np.tile(x, (2, 1)), [[-5.0]])):
        with pytest.raises(NonPositiveMassError, match=r"mass is -5\.0 kg"):
            bike.rollout(states, 2, 0.005, parameters=parameters)
    assert bike.rollout(x, 2, 0.005, parameters=[-5.0], trusted=True).status == 0, "taken as it is on request"


def test_parameters_that_are_no_numbers_are_named() -> None:
    """In time-stepping a restitution that was none counted as zero, and all steps were taken."""
    ball = lm.System(
        "ball",
        [lm.Body("b", mass=1.0, inertia=(1, 1, 1))],
        [lm.Translation(name="root", parent="world", child="b")],
        [lm.RollingSphere("floor", "b", centre=(0, 0, 0), radius=0.1, law=lm.Unilateral(restitution="e"))],
        parameters={"e": 0.5},
    )
    steps = lm.compile(ball, contacts="time-stepping", free=("e",), target="interpreter")
    x = np.tile(steps.start({"z": 0.3}), (3, 1))
    batch = steps.rollout(x, 2, 0.01, parameters=[[0.5], [np.nan], [np.inf]])
    assert batch.status.tolist() == [0, 4, 4] and batch.reasons[1] == "parameter 'e' is nan; give a finite number"
    with pytest.raises(NotFiniteError, match="parameter 'e' is inf"):
        steps.rollout(x, 2, 0.01, parameters=[np.inf])


def test_jacobians() -> None:
    bike = lm.compile(bicycle(), free=("mB",), target="interpreter")
    x = np.tile(bike.start({"speed": 5.0}), (2, 1))
    found = bike.jacobians(x, 2, 0.005, parameters=MASSES[:2, None], with_respect_to=("mB",))
    assert found.status.tolist() == [0, 4]
    np.testing.assert_array_equal(found.final[1], x[1])


def test_steps_with_contacts() -> None:
    ball = lm.System(
        "ball",
        [lm.Body("b", mass="m", inertia=(1, 1, 1))],
        [lm.Translation(name="root", parent="world", child="b")],
        [lm.RollingSphere("floor", "b", centre=(0, 0, 0), radius="r", law=lm.Unilateral(restitution=0.5))],
        parameters={"m": 1.0, "r": 0.1},
    )
    steps = lm.compile(ball, contacts="time-stepping", free=("m", "r"), target="interpreter")
    x = np.tile(steps.start({"z": 1.0}), (3, 1))
    batch = steps.rollout(x, 2, 0.01, parameters=np.array([[1.0, 0.1], [1.0, -0.1], [-1.0, 0.1]]))
    assert batch.status.tolist() == [0, 4, 4] and "radius is -0.1 m" in batch.reasons[1]


def test_eigenvalues() -> None:
    found = lm.batched_eigenvalues(bicycle(), {"mB": MASSES, "speed": 5.0}, target="interpreter")
    assert found.status.tolist() == [FOUND, IMPOSSIBLE, FOUND, IMPOSSIBLE]
    assert found.stable.tolist() == [True, False, True, False] and np.isnan(found.eigenvalues[[1, 3]]).all()
    assert "mass is -5.0 kg" in found.reasons[1] and found.reasons[0] == "found"
    alone = lm.batched_eigenvalues(bicycle(), {"mB": MASSES[::2], "speed": 5.0}, target="interpreter")
    np.testing.assert_array_equal(found.eigenvalues[::2], alone.eigenvalues)
    with pytest.raises(InertiaTriangleError, match="front_disc"):
        lm.batched_eigenvalues(bicycle(), {"IFyy": [1.0, 2.0], "speed": 5.0})


@pytest.mark.slow
def test_sweeps() -> None:
    settings = {"duration": 0.05, "dt": 0.01, "start": {"speed": 4.6}, "target": "interpreter"}
    over = {"rR": [0.3, -0.1, float("nan")]}
    found = lm.sweep(bicycle(), over, {"lean": lm.Maximum("abs(roll)")}, **settings)
    assert found["status"].values.tolist() == [0, 6, 1] and np.isnan(found["lean"].values[1])
    assert "radius is -0.1 m (from 'rR')" in found.attrs["reasons"] and "impossible" in found["status"].attrs["flag_meanings"]
    stable = lm.sweep(bicycle(), {"mB": MASSES}, lm.sweeps.stability({"speed": 5.0}), executor="threads", workers=1)
    assert stable["status"].values.tolist() == [0, 6, 0, 6] and stable["stable"].values[0] == 1.0
    nothing = lm.sweep(bicycle(), {"mB": [-1.0, -2.0]}, lm.sweeps.stability({"speed": 5.0}), executor="threads", workers=1)
    assert nothing["status"].values.tolist() == [6, 6]


def test_cycles_over_a_parameter() -> None:
    with pytest.raises(NonPositiveMassError, match=r"mass is -1\.0 kg"):
        lm.sweep_cycles(lm.catalogue.system("compass_walker"), "M", [1.0, -1.0], {})


def test_episodes() -> None:
    pytest.importorskip("gymnasium")
    task = bicycle_balance()
    engine = Engine(replace(task, reset={**task.reset, "mB": (-2.0, 90.0)}), target="interpreter")
    engine.start(np.full((1, len(engine.drawn)), 0.9))
    with pytest.raises(TaskError, match=r"a parameter drawn is impossible \(Body 'rear_frame': mass is -2\.0 kg"):
        engine.start(np.array([np.full(len(engine.drawn), 0.9), np.zeros(len(engine.drawn))]))
