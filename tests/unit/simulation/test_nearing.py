"""Contacts that a step of time-stepping may close take part before they touch, so that no step leaves a body in its ground."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.simulation.stepping import ContactSettings, SteppedSystem, compile_stepping

G, MU, LONG = 9.81, 0.5, 0.3


def rod(inertia: float = 0.01) -> lm.System:
    """A rod that touches with both ends, further out than its inertia has its radius: one goes down as the other rises."""
    return lm.System(
        "rod",
        bodies=(lm.Body("body", 1.0, inertia=(inertia, inertia, inertia)),),
        joints=(lm.Free(name="base", parent="world", child="body"),),
        contacts=tuple(
            lm.StickingPoint(name, "body", at=(x, 0, 0), law=lm.Unilateral(friction=MU))
            for name, x in (("left", -LONG), ("right", LONG))
        ),
        forces=(lm.Gravity((0, 0, -G)),),
    )


def stepped(solver: str, sweeps: int = 12) -> SteppedSystem:
    return compile_stepping(rod(), "time-stepping", settings=ContactSettings(solver=solver, sweeps=sweeps))


@pytest.mark.parametrize("solver", ["traced", "runtime"])
def test_a_landing_ends_on_the_ground(solver: str) -> None:
    """A rod that falls flat, sliding: rows do not turn, so that no gap is below zero after any step, whatever is left of it.

    All momentum that the ground takes gives friction, mu times as much, whatever steps it is spread over.
    """
    compiled, h, steps = stepped(solver, 100), 0.005, 60
    states = np.array([compiled.start({"z": 0.02 + 0.001 * k, "heave_speed": -2.0, "speed": 2.0}) for k in range(12)])
    batch = compiled.rollout(states, steps, h)
    z, w, u = (np.asarray(batch[name]) for name in ("z", "heave_speed", "speed"))
    assert (np.asarray(batch.status) == 0).all() and z.min() > -1e-8
    t = h * np.arange(steps + 1)
    assert np.abs(u - (2.0 - MU * (w + 2.0 + G * t)))[u > 1e-3].max() < 1e-9
    assert np.abs(z[:, -1]).max() < 1e-8 and np.abs(w[:, -1]).max() < 1e-12
    # What is lifted in the step after a landing, by at most half a step, is the only energy that a contact makes.
    energy = 0.5 * (w**2 + u**2) + G * z
    assert np.diff(energy, axis=1).max() < 0.5 * G * h * np.abs(w).max()


@pytest.mark.parametrize("solver", ["traced", "runtime"])
def test_what_lifts_one_end_presses_the_other_not_in(solver: str) -> None:
    """One end begins 0.9 mm inside, the other 0.1 mm above: lifted alone it would press the other 0.6 mm in."""
    compiled = stepped(solver)
    low, high = -0.9e-3, 0.1e-3
    x = compiled.start({"z": 0.5, "pitch": np.arcsin((high - low) / (2.0 * LONG))})
    x[compiled.state_names.index("z")] = 0.5 * (low + high)
    batch = compiled.rollout(x, 20, 0.001, channels=("left_gap", "right_gap"))
    gaps = np.sort([np.ravel(batch["left_gap"]), np.ravel(batch["right_gap"])], axis=0)
    assert gaps[:, 0] == pytest.approx([low, high], abs=1e-6) and np.asarray(batch.status) == 0
    assert gaps[:, 1:].min() > -1e-6


@pytest.mark.parametrize("solver", ["traced", "runtime"])
def test_thrown_rods_stay_above_the_ground_in_long_steps(solver: str, rng: np.random.Generator) -> None:
    """Where a contact took part only once it touched, some of them stopped inside the ground."""
    compiled, count = stepped(solver), 400
    states = np.tile(compiled.start({"z": 0.4}), (count, 1))
    attitude = rng.normal(size=(count, 4))
    states[:, 3:7] = attitude / np.linalg.norm(attitude, axis=1, keepdims=True)
    states[:, 7:] = rng.uniform((-2, -2, -2, -8, -8, -8), (2, 2, 2, 8, 8, 8), (count, 6))
    batch = compiled.rollout(states, 200, 0.005, channels=("left_gap", "right_gap"))
    assert (np.asarray(batch.status) == 0).all(), set(batch.reasons)
    deepest = np.minimum(batch["left_gap"], batch["right_gap"])
    # What is left is how rows turn within half a step: 0.3 m (w h/2)²/2 at the 11 rad/s of a rod that comes down.
    assert deepest.min() > -2e-4 and np.quantile(deepest, 0.01) > -5e-5
