"""What an event-driven run is spared: counts of calls, which gate; times do not."""

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.simulation.events import collisions, follow, friction_start, guide, loop, pace
from locomotor.simulation.events import modes as modes_file
from locomotor.simulation.events.collisions import rows_at
from locomotor.simulation.events.modes import Modes, modes_of
from locomotor.simulation.terrain import Footholds


def counted(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, counts: Counter[str]) -> None:
    """Count the calls of a function of a module."""
    plain: Callable[..., Any] = getattr(module, name)

    def call(*arguments: Any, **named: Any) -> Any:
        counts[name] += 1
        return plain(*arguments, **named)

    monkeypatch.setattr(module, name, call)


def test_contacts_that_plainly_cannot_stick_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A snake that is thrown along: of its three contacts none can stick, and one start finds that all slip."""
    counts: Counter[str] = Counter()
    counted(monkeypatch, friction_start.Landing, "state", counts)
    scenario = lm.scenarios.scenario("dry_snake/slides")
    run = lm.simulate(scenario.system(), **{**scenario.settings, "duration": 0.004})
    slips = [name for name in run.channels if name.endswith("_slip_speed")]
    assert len(slips) == 3 and min(float(run[name][0]) for name in slips) > 0.1
    assert counts["state"] == 1


def test_rows_are_made_of_contacts_that_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    counts: Counter[str] = Counter()
    counted(monkeypatch, collisions, "_on_ground", counts)
    modes = modes_of(lm.catalogue.tumbling_box(), None, "auto")
    q = modes.system.nominal_pose()
    rows = rows_at(modes, q)
    assert len(rows.switching) == len(modes.names) > 4 and counts["_on_ground"] == 0
    frame, own = rows.frames[1], rows.switching[1]
    assert counts["_on_ground"] == 1
    # Directions are orthonormal, the normal up; and the rows are of the velocities of that corner alone.
    assert np.allclose(frame @ frame.T, np.eye(3), atol=1e-15) and frame[0] @ (0.0, 0.0, 1.0) == 1.0
    assert own.shape == (3, modes.system.layout.nv) and not np.array_equal(own, rows.switching[2])


def test_what_friction_can_do_across_slips_is_asked_of_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once for each moment, for all slips together; the readable form gives the same run."""
    counts: Counter[str] = Counter()
    counted(monkeypatch, pace, "slip_answers", counts)
    counted(monkeypatch, pace, "_across_slip", counts)
    scenario = lm.scenarios.scenario("dry_snake/slides")
    settings = {**scenario.settings, "duration": 0.05}
    first = lm.simulate(scenario.system(), **settings)
    assert counts["slip_answers"] > 0 == counts["_across_slip"]
    monkeypatch.setattr(pace, "slip_answers", lambda *given: None)
    second = lm.simulate(scenario.system(), **settings)
    assert counts["_across_slip"] > 0
    assert [event.name for event in first.events] == [event.name for event in second.events]
    assert max(float(np.abs(first[name] - second[name]).max()) for name in ("x", "y", "yaw")) < 1e-9


def sled() -> lm.System:
    """A body that turns freely on a keel below its centre of mass."""
    return lm.System(
        "sled",
        bodies=(lm.Frame("deck"), lm.Body("hull", 2.0, inertia=(0.1, 0.1, 0.1))),
        joints=(
            lm.Planar(name="base", parent="world", child="deck"),
            lm.Prismatic(name="rise", parent="deck", child="hull", axis=(0, 0, 1)),
        ),
        contacts=[lm.Skate("keel", "hull", at=(0, 0, 0), heading=(1, 0, 0), law=lm.Unilateral(friction="mu"))],
        forces=(lm.Gravity((0, 0, -10.0)),),
        parameters={"mu": 0.1},
    )


@pytest.mark.parametrize("readable", [True, False])
def test_slips_of_a_keel_are_taken_in_whole_steps(monkeypatch: pytest.MonkeyPatch, readable: bool) -> None:
    """They have one line in their body, so that friction is smooth along it however slow they are, and whichever way it turns.

    With the velocities u along the keel and s > 0 across it, u' = w s and s' = -w u - mu g: (u + mu g / w, s) turns at the
    rate w. The slip ends where its angle does, after atan2(s, u + mu g / w) / w.
    """
    counts: Counter[str] = Counter()
    recorded = follow.Follower._recorded

    def count(follower: follow.Follower, trail: Any) -> Any:
        counts["samples"] += int(follower._run.samples)
        return recorded(follower, trail)

    if readable:
        monkeypatch.setattr(loop, "follower_of", lambda plan: None)
        counted(monkeypatch, pace, "_lengths", counts)
    monkeypatch.setattr(follow.Follower, "_recorded", count)
    rate, along, across, step = 2.0, 0.1, 0.3, 0.005
    run = lm.simulate(sled(), 0.5, start={"speed": along, "sway_speed": across, "yaw_rate": rate}, step=step)
    (end,) = run.events.of(kind="sticks")
    # RK4 turns by w h with an error of (w h)^5 / 120 a step: 1e-12 of 0.6 m/s, in 60 steps; the slip loses 1 m/s a second.
    assert end.time == pytest.approx(math.atan2(across, along + 0.1 * 10.0 / rate) / rate, abs=1e-10)
    assert run["yaw"][-1] > 0.9 and counts["_lengths"] == 0
    assert readable or 100 <= counts["samples"] < 110


def test_nobody_asks_what_friction_does_across_keels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it does nothing: a slip along one line of its body has no direction to be guided in."""

    def asked(*_: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr(guide, "braking", asked)
    snake = lm.catalogue.soft_snake(2).with_parameters(M=0.0)
    still = dict.fromkeys(("speed", "yaw_rate", *(f"body_bend_z_{k}_rate" for k in range(3))), 0.0)
    run = lm.simulate(snake, 0.004, start={"sway_speed": 0.5, **still}, step=1e-3, target="interpreter")
    assert run.status.ok and run["keel_1_slip_speed"].min() > 0.4


def test_a_mode_of_a_shared_model_is_traced_alone_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of modes that share one model start from the model of their first mode alone: it is kept, as what is compiled is."""
    counts: Counter[str] = Counter()
    counted(monkeypatch, modes_file, "trace", counts)
    modes = Modes(lm.catalogue.tumbling_box(), solver="runtime")
    mode = modes.mode(frozenset(modes.names[:1]))
    assert mode.alone is not None
    states = [mode.start({}, 0.0, modes.parameters_on(mode, Footholds())) for _ in range(3)]
    assert counts["trace"] == 1 and all(np.array_equal(states[0], state) for state in states)
