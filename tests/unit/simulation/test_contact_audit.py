"""The audit of runs whose contacts open and close: complementarity, what impacts take, and shifted events."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue.compass_walker import GARCIA_CYCLE
from locomotor.simulation.records.step_error import difference

HEIGHT, RESTITUTION = 0.5, 0.8


@pytest.fixture(scope="module")
def ball() -> lm.Run:
    """Dropped from half a metre above the floor, up to its third bounce."""
    return lm.simulate(lm.catalogue.bouncing_ball(), 1.3, start={"z": 0.1 + HEIGHT}, step=0.005)


@pytest.fixture(scope="module")
def walk() -> lm.Run:
    return lm.simulate(lm.catalogue.compass_walker(), 5.0, start=GARCIA_CYCLE, closed=["foot_a"], step=0.005)


def test_impacts_take_what_restitution_says(ball: lm.Run) -> None:
    audit = ball.audit()
    mass = ball.system.parameters.values["m"]  # type: ignore[union-attr]
    left = RESTITUTION ** (2 * len(ball.events))
    assert audit["impact_count"] == len(ball.events) == 3
    assert audit.work["impacts"] == pytest.approx(-mass * 9.81 * HEIGHT * (1.0 - left), rel=1e-9)
    # Round-off: the jumps of the samples and the records of the events are the same numbers.
    assert audit["impact_energy"] < 1e-14 and audit["energy_balance"] < 1e-12
    assert f"3 impacts took {-audit.work['impacts']:.4g} J" in str(audit)


def test_a_good_run_neither_sinks_nor_pulls(ball: lm.Run, walk: lm.Run) -> None:
    for run in (ball, walk):
        audit = run.audit()
        # Located to round-off of metres; a foot carries about a newton.
        assert audit["largest_penetration"] < 1e-12 and audit["largest_pull"] == 0.0
        assert audit["complementarity"] < 1e-11
        assert "contacts that open and close" in str(audit)
    # The foot that swings passes through the ground, by declaration, and is not held against the run.
    swinging = walk["foot_b_gap"][walk["foot_b_closed"] == 0.0]
    assert swinging.min() < -1e-5
    assert walk.audit()["let_through"] == -swinging.min()
    assert f"passes through the ground by up to {-swinging.min():.2g} m" in str(walk.audit())
    assert "let_through" not in ball.audit()


def test_sinking_and_pulling_are_found(ball: lm.Run) -> None:
    wrong = {name: values.copy() for name, values in ball.channels.items()}
    wrong["floor_gap"][7] = -0.02
    wrong["floor_normal_force"][7] = 3.0
    wrong["floor_normal_force"][9] = -5.0
    audit = dataclasses.replace(ball, channels=wrong).audit()
    assert audit["largest_penetration"] == 0.02 and audit["largest_pull"] == 5.0
    assert audit["complementarity"] == pytest.approx(5.0 * ball["floor_gap"][9])
    assert "one sinks by 0.02 m" in str(audit)
    assert len(audit.failures) == 1 and f"contact 'floor' at t = {ball.time[7]:.6g} s is 0.02 m inside" in audit.failures[0]


def test_the_normal_force_is_that_of_the_ground(walk: lm.Run) -> None:
    for foot in ("foot_a", "foot_b"):
        closed = walk[f"{foot}_closed"] > 0.0
        # The ground is level in the axes of the walker.
        np.testing.assert_allclose(walk[f"{foot}_normal_force"], walk.forces[foot][:, 2], atol=1e-12)
        assert walk[f"{foot}_normal_force"][closed].min() > 0.5 and not walk[f"{foot}_normal_force"][~closed].any()


def test_a_shifted_impact_is_told_apart_from_the_error_of_the_motion(ball: lm.Run) -> None:
    later = tuple(dataclasses.replace(event, time=event.time + 8e-3) for event in ball.events)
    moved = {name: values.copy() for name, values in ball.channels.items()}
    first = ball.events[0].time
    between = (ball.time > first) & (ball.time < first + 8e-3)
    assert between.any()
    moved["heave_speed"][between] += 4.0  # one run has bounced, the other not yet
    other = dataclasses.replace(ball, channels=moved, events=type(ball.events)(later))
    error, _, shift = difference(ball, other)
    assert shift == pytest.approx(8e-3) and error == 0.0
    # Other events are another motion: everything counts.
    assert difference(ball, dataclasses.replace(other, events=other.events[1:]))[0] > 0.1


def test_halving_the_step_of_an_event_driven_run(walk: lm.Run) -> None:
    audit = walk.audit(halve=True)
    # Fourth order at 5 ms.
    assert audit["step_error"] < 1e-6 and audit["event_time_error"] < 1e-6
    assert "shifts events by" in str(audit)


def test_channels_at_rest_are_not_compared() -> None:
    """The bar spins by round-off only."""
    audit = lm.simulate(lm.catalogue.supported_bar(), 0.4, step=0.005).audit(halve=True)
    assert audit["step_error"] < 1e-9


def test_the_audit_of_a_run_read_back(ball: lm.Run, tmp_path: Path) -> None:
    assert dict(lm.load(ball.save(tmp_path / "ball.nc")).audit()) == dict(ball.audit())


def test_what_a_motor_does_in_an_impact_is_told_apart() -> None:
    """A ball under a plate that a motor lowers at V: the impulse m (1 + e) (V - v) is paid for by the motor."""
    mass, restitution, lower, below = 0.5, 0.8, -0.7, 0.3
    plate = lm.Body("plate", mass=3.0, inertia=(1, 1, 1))
    ball = lm.Body("ball", mass=mass, inertia=(1, 1, 1))
    joints = [
        lm.Prismatic(name="lift", parent="world", child="plate", axis=(0, 0, 1), drive=lm.Motion(f"{lower}*t")),
        lm.Prismatic(name="hang", parent="world", child="ball", axis=(0, 0, 1)),
    ]
    stop = lm.Coupling("stop", "lift - hang", law=lm.Unilateral(restitution=restitution))
    system = lm.System("driven", [plate, ball], joints, constraints=[stop])
    run = lm.simulate(system, 1.0, start={"hang": -below, "hang_rate": 0.4}, step=0.01)
    audit, impulse = run.audit(), mass * (1.0 + restitution) * (lower - 0.4)
    assert audit["impact_count"] == 1
    assert audit["impact_drive"] == pytest.approx(impulse * lower, rel=1e-9)
    assert f"passed on {impulse * lower:.4g} J, the work of imposed motions" in str(audit)
