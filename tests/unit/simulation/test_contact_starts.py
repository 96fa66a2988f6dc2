"""Starts of systems whose contacts open and close, one and many: as `simulate` starts, and as each other."""

from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue.compass_walker import GARCIA_CYCLE
from locomotor.errors import InconsistentStartError
from locomotor.simulation.stepping.time_stepping import SteppedSystem, compile_stepping


@pytest.mark.parametrize("kind", ["time-stepping", "events"])
@pytest.mark.slow
def test_a_start_without_closed_is_that_of_simulate(kind: str) -> None:
    """A bicycle put on the ground with a speed rolls: there is no impact that spins up its wheels."""
    bike = lm.catalogue.bicycle(contacts="unilateral")
    compiled = compile_stepping(bike, kind, target="interpreter")
    x0 = compiled.start({"speed": 5.0})
    run = lm.simulate(bike, duration=0.05, start={"speed": 5.0}, step=0.005)
    moving = compiled.state_names[: len(x0) - len(compiled.stepping.flight.remembered)]
    assert np.abs(x0[: len(moving)] - [run[name][0] for name in moving]).max() < 1e-12
    result = compiled.rollout(x0, 10, 0.005)
    assert np.abs(result["speed"] - 5.0).max() < 1e-9
    assert abs(result["x"][-1] - run["x"][-1]) < 1e-9


def test_velocities_need_not_suit_a_contact_that_may_slide() -> None:
    compiled = compile_stepping(lm.catalogue.tumbling_box(), target="interpreter")
    assert compiled.start({"speed": 1.0})[7] == 1.0
    with pytest.raises(InconsistentStartError, match="contradict the contacts"):
        compiled.start({"speed": 1.0}, closed=["mmm", "pmm", "mpm"])


CASES: dict[str, tuple[Any, str, dict[str, tuple[float, float]], dict[str, float], list[str] | None]] = {
    "wheels touch": (
        lambda: lm.catalogue.bicycle("mauny2018", contacts="unilateral"),
        "events",
        {"roll_rate": (-0.5, 0.5)},
        {"speed": 5.0},
        None,
    ),
    "one wheel closed": (
        lambda: lm.catalogue.bicycle("mauny2018", contacts="unilateral"),
        "time-stepping",
        {"roll": (-0.1, 0.1), "pitch": (-0.3, -0.1)},
        {"speed": 5.0},
        ["rear"],
    ),
    "it flies": (lm.catalogue.bouncing_ball, "events", {"z": (0.1, 0.5)}, {"speed": 1.0}, None),
    "walker": (lm.catalogue.compass_walker, "events", {"leg_a_rate": (0.17, 0.23)}, GARCIA_CYCLE, ["foot_a"]),
    "box slides": (lm.catalogue.tumbling_box, "time-stepping", {"speed": (-1.0, 1.0)}, {}, None),
}


@pytest.mark.parametrize("name", CASES)
def test_random_states_are_made_together_and_as_start_makes_them(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, kind, ranges, fixed, closed = CASES[name]
    compiled = compile_stepping(make(), kind, target="interpreter")
    single = [compiled.random_states(1, ranges, start=fixed, seed=3, first=i, closed=closed)[0] for i in (0, 5)]

    def alone(*_: object, **__: object) -> None:
        raise AssertionError("a state was started alone")

    with monkeypatch.context() as patch:
        patch.setattr(SteppedSystem, "start", alone)
        states = compiled.random_states(7, ranges, start=fixed, seed=3, closed=closed)
    assert np.array_equal(states[[0, 5]], single)
    # The same one by one: without modes nothing is made together.
    with monkeypatch.context() as patch:
        patch.setattr("locomotor.simulation.stepping.stepped_starts._modes", lambda *_: ())
        wanted = compiled.random_states(7, ranges, start=fixed, seed=3, closed=closed)
    assert len(np.unique(wanted, axis=0)) == 7
    # Newton's method on the gaps ends below 1e-12; here it goes another way.
    assert np.abs(states - wanted).max() < 1e-10


def test_a_state_whose_quaternion_has_not_length_one_takes_no_step() -> None:
    compiled = compile_stepping(lm.catalogue.bouncing_ball(), "events", target="interpreter")
    states = np.tile(compiled.start({"z": 0.5}), (2, 1))
    states[0, 3] = 0.5
    result = compiled.rollout(states, 3, 0.01)
    assert list(result.status) == [3, 0] and list(result.completed) == [0, 3]


def test_random_states_inside_the_ground_are_told() -> None:
    compiled = compile_stepping(lm.catalogue.bouncing_ball(), "events", target="interpreter")
    with pytest.raises(InconsistentStartError, match=r"of 50 random states .* inside its ground"):
        compiled.random_states(50, {"z": (0.05, 0.3)})


@pytest.mark.slow
def test_a_straight_snake_at_rest_is_refused_with_a_remedy_and_one_that_slides_starts() -> None:
    """Four bellies in a row hold a zigzag of the joints around this pose, but not in it; all of them slipping do not."""
    snake, still = lm.catalogue.dry_snake(4), {"amplitude": 0.0}
    with pytest.raises(lm.errors.InconsistentStartError, match="a straight chain a little bent"):
        lm.simulate(snake, 0.03, step=0.005, parameters=still)
    run = lm.simulate(snake, 0.03, step=0.005, parameters=still, start={"speed": 0.4, "yaw_rate": 0.0, "sway_speed": 0.0})
    assert run.status.completed
    assert run["speed"][-1] == pytest.approx(0.4 - 0.3 * 9.81 * 0.03, abs=1e-9)
