"""A step that does not keep a body out of its ground ends its instance, and says which contact sank."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.simulation.stepping import ContactSettings, compile_stepping


def tower(heavier: float, restitution: float = 0.0) -> lm.System:
    """Three blocks on each other, each `heavier` times as heavy as the one below: hard for Gauss-Seidel sweeps."""
    count = range(3)
    return lm.System(
        "tower",
        bodies=tuple(lm.Body(f"block_{k}", heavier**k, inertia=(1.0, 1.0, 1.0)) for k in count),
        joints=tuple(lm.Prismatic(name=f"z{k}", parent="world", child=f"block_{k}", axis=(0, 0, 1)) for k in count),
        contacts=(lm.StickingPoint("floor", "block_0", at=(0, 0, 0), law=lm.Unilateral(restitution, friction=0.5)),),
        constraints=tuple(lm.Coupling(f"on_{k}", f"z{k} - z{k - 1}", law=lm.Unilateral()) for k in count[1:]),
        forces=(lm.Gravity((0, 0, -9.81)),),
    )


@pytest.mark.parametrize(
    ("target", "restitution"),
    [
        ("interpreter", 0.0),
        pytest.param("interpreter", 0.5, marks=pytest.mark.slow),
        pytest.param("simd", 0.0, marks=pytest.mark.slow),
    ],
)
def test_what_sinks_is_told_and_what_stands_is_not(target: str, restitution: float) -> None:
    """Sweeps that are too few for the weights let the tower fall through the floor: 77 m in 4 s, without this."""
    found = {}
    for heavier in (1.0, 100.0):
        settings = ContactSettings(sweeps=1)
        compiled = compile_stepping(tower(heavier, restitution), "time-stepping", target=target, settings=settings)
        found[heavier] = compiled.rollout(np.tile(compiled.start(), (3, 1)), 100, 0.002)
    stands, sinks = found[1.0], found[100.0]
    assert (stands.status == 0).all() and np.abs(stands.final[:, :3]).max() < 1e-6
    assert (sinks.status == 1).all() and all("'floor' is more than 0.001 m inside its ground" in why for why in sinks.reasons)
    # The last good state is the first in which it is too deep, a step's fall below the bound.
    assert (sinks.completed < 20).all() and (-sinks.final[:, 0] < 2e-3).all()


def test_what_begins_inside_its_ground_is_told_and_disturbs_nobody() -> None:
    ball = compile_stepping(lm.catalogue.bouncing_ball(restitution=0.0), "time-stepping", target="interpreter")
    heights = np.array([0.1, 0.0, 0.4])  # it has a radius of 0.1 m
    states = np.tile(ball.start({"z": 0.4}), (3, 1))
    states[:, ball.state_names.index("z")] = heights
    batch = ball.rollout(states, 50, 0.01)
    assert batch.status.tolist() == [0, 1, 0] and batch.completed[1] == 0
    assert np.abs(batch["z"][0] - 0.1).max() < 1e-12


@pytest.mark.parametrize("restitution", [0.0, 0.05, 0.9])
def test_a_fast_landing_in_long_steps_is_no_sinking(restitution: float) -> None:
    """At 10 m/s and 10 ms a ball is seen up to 10 cm inside, and is on its way out."""
    ball = compile_stepping(lm.catalogue.bouncing_ball(restitution=restitution), "time-stepping", target="interpreter")
    states = np.array([ball.start({"z": 0.2 + 0.01 * k, "heave_speed": -10.0}) for k in range(11)])
    batch = ball.rollout(states, 100, 0.01)
    assert (batch.status == 0).all() and batch["z"].min() < 0.1 - 0.004
