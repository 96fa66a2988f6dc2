"""Contacts that leave a terrain where an input jumps, or at the start: what they come back to is still there."""

import dataclasses
import math

import numpy as np
import pytest

import locomotor as lm
from locomotor.model import System
from locomotor.simulation import Outcome
from locomotor.simulation.events import contact_events, kinds
from locomotor.simulation.terrain.footholds import Footholds

MASS, RADIUS, G, STEP = 0.5, 0.1, 9.81, 0.001
FIELD = lm.Terrain.heightfield(
    np.linspace(-2.0, 3.0, 26), (-2.0, 0.0, 2.0), np.repeat(0.05 * np.sin(np.linspace(-2.0, 3.0, 26))[:, None], 3, axis=1)
)
GROUNDS = {
    "plane": lm.Terrain.plane(),
    "slope": lm.Terrain.plane(slope=0.2),
    "ramp": lm.Terrain.ramp(slope=-0.1, drop=0.2),
    "kerb": lm.Terrain.kerb(0.05),
    "field": FIELD,
}


def lifted(ground: lm.Terrain | lm.Plane, restitution: float = 0.0) -> System:
    """A ball with a force along z that a run gives."""
    ball = lm.catalogue.bouncing_ball(restitution=restitution, tangential=-1.0 if restitution else 0.0).with_parameters(
        m=MASS, r=RADIUS, g=G
    )
    pull = lm.BodyForce("pull", body="ball", at=(0, 0, 0), components=(0, 0, "lift"))
    return ball.replace(grounds=(ground,), inputs=(lm.Input("lift", "N"),), forces=(*ball.forces, pull))


def pulled(begin: float, end: float, force: float = 10.0) -> dict[str, str]:
    return {"lift": f"if_else(less(t, {begin}), 0, if_else(less(t, {end}), {force}, 0))"}


def flight(length: float, force: float = 10.0) -> float:
    """From lift-off to landing on a level: the pull lasts so long, then it falls."""
    a = force / MASS - G
    v, h = a * length, 0.5 * a * length**2
    return length + (v + math.sqrt(v * v + 2.0 * G * h)) / G


@pytest.mark.parametrize("begin", [0.0, 0.1])
def test_a_ball_comes_back_to_a_plane_of_triangles(begin: float) -> None:
    """Lifted at the start, or by an input that jumps later: it lands when a thrown stone does, and stays."""
    run = lm.simulate(
        lifted(GROUNDS["plane"]), 1.0, start={"z": RADIUS}, closed=("floor",), inputs=pulled(begin, begin + 0.1), step=STEP
    )
    assert [event.kind for event in run.events] == ["lift-off", "impact"]
    assert run.events.times == pytest.approx([begin, begin + flight(0.1)], abs=1e-9)
    assert run["z"][-1] == pytest.approx(RADIUS, abs=1e-9) and run["floor_gap"].min() > -1e-12
    assert run.status.ok and not run.audit().failures


@pytest.mark.parametrize("begin", [0.0, 0.2])
@pytest.mark.parametrize("ground", [pytest.param(g, marks=() if g in ("kerb", "field") else pytest.mark.slow) for g in GROUNDS])
@pytest.mark.sampled(2)
def test_lift_offs_are_followed_by_landings_everywhere(ground: str, begin: float) -> None:
    """It rolls, is pulled off again and again, and comes down on another part: no phantom and no blow of nothing."""
    system = lifted(GROUNDS[ground])
    times = [begin, begin + 0.45]
    law = " + ".join(pulled(t, t + 0.05, 15.0)["lift"] for t in times)
    run = lm.simulate(
        system, 1.2, start={"x": -0.4, "pitch_rate": 1.0 / RADIUS}, closed=("floor",), inputs={"lift": law}, step=STEP
    )
    assert run.status.ok and run["floor_gap"].min() > -1e-9 and not run.audit().failures
    for event in run.events:
        # What lifts off was closed just before, or has hit at the same instant; what hits has an impulse; both touch.
        before = (run.time <= event.time) & (run.time > event.time - 2 * STEP)
        hit = event.time in run.events.of(kind="impact").times
        assert event.kind != "lift-off" or hit or run["floor_closed"][before].max() == 1.0
        assert event.kind != "impact" or event.impulse[0] > 1e-9
        assert run["floor_gap"][before].min() < 1e-9
    assert "ends" not in " ".join(event.description for event in run.events.of(kind="lift-off") if event.time in times)
    assert len(run.events.of(kind="lift-off")) >= 2 and len(run.events.of(kind="impact")) >= 2


@pytest.mark.slow
def test_a_flat_terrain_and_a_plane_tell_the_same_story() -> None:
    inputs = {"lift": f"{pulled(0.1, 0.15)['lift']} + {pulled(0.5, 0.6)['lift']}"}
    start = {"z": RADIUS, "speed": 0.5, "pitch_rate": 0.5 / RADIUS}
    runs = [
        lm.simulate(lifted(ground, 0.5), 1.5, start=start, closed=("floor",), inputs=inputs, step=STEP)
        for ground in (lm.Plane(), lm.Terrain.plane())
    ]
    stories = [[(event.kind, event.contact) for event in run.events] for run in runs]
    assert stories[0] == stories[1] and len(stories[0]) > 4
    assert runs[0].events.times == pytest.approx(runs[1].events.times, abs=1e-9)


# -- a run that sinks all the same ----------------------------------------------------------------------------


def test_a_contact_that_is_not_seen_to_touch_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were a foothold forgotten again, or a touch overlooked, the run would stop at a millimetre."""
    monkeypatch.setattr(Footholds, "keep", lambda self, closed: self)
    with pytest.warns(lm.RunWarning, match="'floor' is open and more than 0.001 m inside its ground"):
        run = lm.simulate(
            lifted(GROUNDS["plane"]), 1.0, start={"z": RADIUS}, closed=("floor",), inputs=pulled(0.1, 0.2), step=STEP
        )
    assert run.status.outcome is Outcome.SUNK and "`when`" in str(run.status)
    assert run.status.time == pytest.approx(0.1 + flight(0.1), abs=2 * STEP)
    audit = run.audit()
    assert audit.failures and audit.digits == 0
    assert str(audit).startswith("FAILED") and "digits" not in str(audit)


def test_the_same_on_a_plane(monkeypatch: pytest.MonkeyPatch) -> None:
    blind = [watcher for watcher in kinds.WATCHERS if watcher is not contact_events.closing_gaps]
    monkeypatch.setattr(kinds, "WATCHERS", blind)
    with pytest.warns(lm.RunWarning, match="a contact passes through its ground"):
        run = lm.simulate(lm.catalogue.bouncing_ball(), 1.0, start={"z": 0.3}, step=STEP)
    assert run.status.outcome is Outcome.SUNK
    assert run.status.time == pytest.approx(math.sqrt(2 * (0.2 + 1e-3) / G), abs=STEP)


def test_a_run_that_sinks_never_has_digits() -> None:
    run = lm.simulate(lm.catalogue.bouncing_ball(), 0.5, start={"z": 0.3}, step=STEP)
    assert not run.audit().failures
    lowest = np.arange(len(run)) == np.argmin(run["floor_gap"])
    sunk = {**run.channels, "floor_gap": np.where(lowest, -0.02, run["floor_gap"])}
    audit = dataclasses.replace(run, channels=sunk).audit()
    assert audit.digits == 0 and "no digit: the run has failed" in str(audit)
    assert "contact 'floor' at t = " in audit.failures[0] and "inside its ground" in audit.failures[0]
    # A contact that is off by two micrometres leaves five digits of a metre.
    off = dataclasses.replace(run, channels={**run.channels, "floor_gap": np.where(lowest, -2e-6, run["floor_gap"])}).audit()
    assert not off.failures and " 5 digits at most" in str(off)
