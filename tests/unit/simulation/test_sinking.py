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
    """Sweeps that are too few for the weights let the tower fall through the floor: 77 m in 4 s, without this.

    Forces that hold it are found up to weights of one to 10,000.
    """
    found = {}
    for heavier in (1.0, 100.0, 1000.0):
        settings = ContactSettings(sweeps=1)
        compiled = compile_stepping(tower(heavier, restitution), "time-stepping", target=target, settings=settings)
        found[heavier] = compiled.rollout(np.tile(compiled.start(), (3, 1)), 100, 0.002)
    sinks = found.pop(1000.0)
    for stands in found.values():
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


@pytest.mark.parametrize(("restitution", "friction"), [(0.9, None), (0.02, None), (0.5, 0.4)])
def test_what_may_bounce_and_begins_inside_its_ground_is_told_as_others_are(restitution: float, friction: float | None) -> None:
    """5 cm deep it was lifted out in one step, as if nothing were wrong; what is less than a millimetre deep goes on."""
    system = lm.catalogue.bouncing_ball(restitution=restitution)
    if friction is not None:
        law = lm.Unilateral(restitution, friction=friction)
        system = system.replace(contacts=(lm.RollingSphere("floor", system.contacts[0].body, (0, 0, 0), 0.1, law=law),))
    ball = compile_stepping(system, "time-stepping", target="interpreter")
    states = np.tile(ball.start({"z": 0.4}), (4, 1))
    states[:, ball.state_names.index("z")] = [0.1, 0.05, 0.4, 0.1 - 0.9e-3]  # it has a radius of 0.1 m
    batch = ball.rollout(states, 50, 0.002)
    assert batch.status.tolist() == [0, 1, 0, 0] and batch.completed[1] == 0
    assert f"{system.contacts[0].name!r} is more than 0.001 m inside its ground" in batch.reasons[1]


def test_rods_that_long_steps_bring_into_their_ground_go_on(rng: np.random.Generator) -> None:
    """Where one end bounces and the other is lifted, the first may begin a step some millimetres deep, slowly: 1,500 go on."""
    law = lm.Unilateral(0.02, friction=0.4)
    rod = lm.System(
        "rod",
        bodies=(lm.Body("rod", 1.0, inertia=(0.001, 0.05, 0.05)),),
        joints=(lm.Free(name="base", parent="world", child="rod"),),
        contacts=[lm.StickingPoint(name, "rod", (at, 0, 0), law=law) for name, at in (("left", -0.4), ("right", 0.4))],
        forces=(lm.Gravity((0, 0, -9.81)),),
    )
    kernel, count = compile_stepping(rod, "time-stepping", target="c"), 1500
    states = np.tile(kernel.start({"z": 0.6}), (count, 1))
    turned = rng.normal(size=(count, 4))
    states[:, 3:7] = turned / np.linalg.norm(turned, axis=1)[:, None]
    states[:, 7:10] = rng.uniform(-10.0, 10.0, (count, 3))
    states[:, 10:] = rng.uniform(-4.0, 4.0, (count, 3))
    found = kernel.rollout(states, 200, 0.005, save_every=0)
    assert (found.status == 0).all()


@pytest.mark.parametrize("restitution", [0.0, 0.3])
def test_a_landing_that_makes_a_ball_spin_is_no_sinking(restitution: float) -> None:
    """It sticks where it lands, and rolls on at 50 rad/s: rows turn by a radian in a step of 20 ms, not before it."""
    law = lm.Unilateral(restitution)
    ball = lm.System(
        "ball",
        bodies=(lm.Body("ball", 1.0, inertia=(0.004, 0.004, 0.004)),),
        joints=(lm.Free(name="base", parent="world", child="ball"),),
        contacts=(lm.RollingSphere("floor", "ball", (0, 0, 0), 0.1, law=law),),
        forces=(lm.Gravity((0, 0, -9.81)),),
    )
    kernel = compile_stepping(ball, "time-stepping", target="c")
    states = np.array([kernel.start({"z": 0.1 + 0.01 * k, "speed": 5.0, "heave_speed": -0.2 * k}) for k in range(100)])
    assert (kernel.rollout(states, 50, 0.02, save_every=0).status == 0).all()


@pytest.mark.parametrize("restitution", [0.0, 0.05, 0.9])
def test_a_fast_landing_in_long_steps_is_no_sinking(restitution: float) -> None:
    """At 10 m/s and 10 ms a ball is seen up to 10 cm inside, and is on its way out."""
    ball = compile_stepping(lm.catalogue.bouncing_ball(restitution=restitution), "time-stepping", target="interpreter")
    states = np.array([ball.start({"z": 0.2 + 0.01 * k, "heave_speed": -10.0}) for k in range(11)])
    batch = ball.rollout(states, 100, 0.01)
    assert (batch.status == 0).all() and batch["z"].min() < 0.1 - 0.004
