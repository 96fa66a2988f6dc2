"""Batches on a terrain by time-stepping: as on a plane where it is flat, as runs with events elsewhere, on every target."""

import functools

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import CompileError, ContactLawError
from locomotor.model import Contact
from locomotor.simulation.stepping import SteppedSystem, compile_stepping

LAW = lm.Unilateral(friction=0.5)


def body(contact: Contact, ground: lm.Terrain | lm.Plane, inertia: tuple[float, ...] = (0.004, 0.004, 0.004)) -> lm.System:
    """A free body of 1 kg with one contact."""
    return lm.System(
        "body",
        bodies=(lm.Body("body", 1.0, inertia=inertia),),
        joints=(lm.Free(name="base", parent="world", child="body"),),
        contacts=(contact,),
        forces=(lm.Gravity((0.0, 0.0, -9.81)),),
        grounds=(ground,),
    )


BALL = lm.RollingSphere("tread", "body", centre=(0, 0, 0), radius=0.1, law=LAW)
TYRE = lm.RollingTorus("tread", "body", centre=(0, 0, 0), axis=(0, 1, 0), radius=0.25, tube=0.05, law=LAW)
KERB = lm.Terrain.kerb(0.03)


@functools.cache
def stepped(contact: Contact, ground: lm.Terrain | lm.Plane, target: str = "interpreter") -> SteppedSystem:
    """Compiled once."""
    return compile_stepping(body(contact, ground), "time-stepping", target=target)


@pytest.mark.parametrize("contact", [BALL, pytest.param(TYRE, marks=pytest.mark.slow)], ids=["ball", "tyre"])
def test_a_flat_terrain_is_a_plane(contact: Contact) -> None:
    """Bounced, slipped and rolled: the same numbers, to round-off."""
    plane, flat = stepped(contact, lm.Plane("ground")), stepped(contact, lm.Terrain.plane())
    start = {"z": 0.42, "speed": 1.0, "yaw": 0.4, "roll": 0.1, "pitch_rate": 3.0}
    x = plane.start(start)
    assert np.array_equal(x, flat.start(start))
    wanted, found = (compiled.rollout(x, 150, 0.002) for compiled in (plane, flat))
    assert wanted.status == found.status == 0 and wanted["z"].min() < 0.4
    assert np.abs(wanted.states - found.states).max() < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize(
    ("contact", "start", "duration"),
    [
        (BALL, {"z": 0.1, "x": -0.5, "speed": 2.0, "pitch_rate": 20.0}, 0.6),
        (TYRE, {"z": 0.32, "x": -0.5, "speed": 2.0, "pitch_rate": 6.667}, 0.5),
    ],
    ids=["ball", "tyre"],
)
def test_a_kerb_is_run_over_as_with_events(contact: Contact, start: dict[str, float], duration: float) -> None:
    """Impacts happen at a step, early or late in it: first order, in the mean over steps of nearly equal lengths."""
    run = lm.simulate(body(contact, KERB), duration, start=start, step=0.001)
    compiled = stepped(contact, KERB, "c")
    wanted = np.array([run[name][-1] for name in compiled.state_names])
    x = compiled.start(start)

    def error(steps: int) -> float:
        ends = [
            compiled.rollout(x, n, duration / n, save_every=0).final for n in range(steps, steps + steps // 10, steps // 50)
        ]
        return float(np.mean([np.abs(end - wanted)[:3].max() for end in ends]))

    coarse, fine = error(500), error(8000)
    assert fine < 5e-4 and fine < 0.25 * coarse  # a sixteenth is expected; 2 m/s for a step is 1.5e-4 m


RIDGE = lm.Terrain.from_profile([(-2, -1), (0, 0), (2, -1)])
CAPSULE = lm.RollingCapsule("tread", "body", start=(-0.2, 0, 0), end=(0.2, 0, 0), radius=0.05, law=LAW)
BOX = lm.StickingBox("tread", "body", centre=(0, 0, 0), half_sizes=(0.1, 0.1, 0.1), law=LAW)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("contact", "ground", "inertia", "start", "duration"),
    [
        # It falls across the ridge beside its middle, swings, and slides down to a side.
        (CAPSULE, RIDGE, (0.001, 0.02, 0.02), {"z": 0.2, "x": 0.05}, 0.45),
        # On a corner, and on a second one; before an edge meets the kerb, which is pinned in a run with events.
        (BOX, KERB, (0.007, 0.007, 0.007), {"z": 0.25, "pitch": 0.3, "roll": 0.2}, 0.2),
    ],
    ids=["capsule", "box"],
)
def test_solids_move_as_with_events(
    contact: Contact, ground: lm.Terrain, inertia: tuple[float, ...], start: dict[str, float], duration: float
) -> None:
    system = body(contact, ground, inertia)
    run = lm.simulate(system, duration, start=start, step=0.001)
    compiled = compile_stepping(system, "time-stepping", target="c")
    wanted = np.array([run[name][-1] for name in compiled.state_names])
    found = compiled.rollout(compiled.start(start), round(duration / 1.25e-4), 1.25e-4, save_every=0)
    assert found.status == 0 and len(run.events) > 2
    assert np.abs(found.final - wanted)[:3].max() < 2e-4  # 2 m/s for a step is 2.5e-4 m


@pytest.mark.slow
def test_targets_agree_and_an_instance_that_is_no_state_disturbs_nobody(rng: np.random.Generator) -> None:
    x = np.linspace(-1.0, 1.0, 9)
    rough = lm.Terrain.heightfield(x, x, np.random.default_rng(2).uniform(0.0, 0.1, (9, 9)))
    plain, compiled, wide = (stepped(BALL, rough, target) for target in ("interpreter", "c", "simd"))
    states = np.array([plain.start({"z": 0.3, "x": dx, "y": dy}) for dx, dy in rng.uniform(-0.5, 0.5, (9, 2))])
    states[3, 0] = np.nan
    batches = [c.rollout(states, 60, 0.005, channels=("z", "tread_gap")) for c in (plain, compiled, wide)]
    good = np.arange(9) != 3
    for batch in batches:
        assert (batch.status[good] == 0).all() and batch.status[3] == 2
        assert np.abs(batch.states[good] - batches[0].states[good]).max() < 1e-9
    assert batches[0]["tread_gap"][good].min() > -2e-2  # what a ball falls in, in a step of 5 ms at 2 m/s, and half of one more


def test_the_gap_is_a_channel_and_a_reason_to_end() -> None:
    compiled = stepped(BALL, KERB)
    x, ends = compiled.start({"z": 0.3, "x": 1.0}), {"low": "tread_gap - 0.05"}
    batch = compiled.rollout(x, 100, 0.002, channels=("z", "tread_gap"), ends=ends)
    assert batch.status == 1 and batch.reasons == "low"
    done = np.isfinite(batch["z"])
    assert np.abs(batch["tread_gap"][done] - (batch["z"][done] - 0.03 - 0.1)).max() < 1e-12  # above the kerb


def test_what_a_step_cannot_say_on_a_terrain_is_refused() -> None:
    ball = stepped(BALL, KERB)
    with pytest.raises(CompileError, match="'tread' on a terrain: what is nearest there has no derivative"):
        ball.jacobians(ball.start({"z": 0.5}), 2, 0.001)
    gated = lm.RollingSphere("tread", "body", centre=(0, 0, 0), radius=0.1, law=lm.Unilateral(when="1 - t"))
    with pytest.raises(ContactLawError, match="does not remember which part of it is closed"):
        compile_stepping(body(gated, KERB), "time-stepping")
    with pytest.raises(ContactLawError, match="has the rule 'source'"):
        compile_stepping(body(BALL, KERB.with_rule("source")), "time-stepping")
