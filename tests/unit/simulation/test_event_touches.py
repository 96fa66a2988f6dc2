"""Touches that count and touches that do not: conditions of contacts, the sources' scheme, and poses that are singular."""

import math

import pytest

import locomotor as lm
from locomotor.catalogue.compass_walker import GARCIA_CYCLE
from locomotor.model import Body, Free, Gravity, SlidingPoint, System, Unilateral
from locomotor.simulation import Outcome

G = 9.81


def stone(when: str) -> System:
    """A point that falls, and that the ground stops only on a condition."""
    return System(
        "stone",
        [Body("stone", mass=2.0, inertia=(0.1, 0.3, 0.3))],
        [Free(name="base", parent="world", child="stone")],
        contacts=[SlidingPoint("tip", body="stone", at=(0.0, 0.0, 0.0), law=Unilateral(when=when))],
        forces=[Gravity((0.0, 0.0, -G))],
    )


def names(run: lm.Run) -> list[str]:
    return [event.name for event in run.events]


@pytest.mark.parametrize("scheme", ["exact", "source"])
@pytest.mark.parametrize(("when", "hits"), [("z + 0.001", True), ("-z - 0.0005", False)])
def test_a_condition_is_asked_at_the_touch(scheme: str, when: str, hits: bool) -> None:
    """In a step of 2 ms the point falls by 9 mm: at the end of it the condition is no longer, or not before, what it was."""
    run = lm.simulate(stone(when), 0.6, start={"z": 1.0}, step=0.002, scheme=scheme)
    assert run.status.ok and names(run) == ["tip impact"] * hits
    if hits:
        assert run.events[0].time == pytest.approx(math.sqrt(2.0 / G), abs=1e-10)


@pytest.mark.parametrize("step", [0.02, 0.01, 0.0025])
def test_a_walker_scuffs_and_walks_on_at_any_step(step: float) -> None:
    """Its foot passes the ground when the other leg is vertical, all but: 0.4 ms before the condition changes."""
    start = {**GARCIA_CYCLE, "leg_a_rate": 0.20632}
    run = lm.simulate(lm.catalogue.compass_walker(), 24.0, start=start, closed=("foot_a",), step=step)
    assert run.status.ok and names(run)[-2:] in (["foot_a impact", "foot_b lift-off"], ["foot_b impact", "foot_a lift-off"])


@pytest.mark.parametrize("e", [0.3, pytest.param(0.9, marks=pytest.mark.slow)])
def test_bounces_end_with_the_sources_scheme_too(e: float) -> None:
    """A touch is seen 1e-13 m too low, and what is won by falling so far keeps the last bounces from becoming shorter."""
    ball = lm.catalogue.bouncing_ball(restitution=e)
    exact, source = (lm.simulate(ball, 4.0, start={"z": 0.3}, scheme=scheme) for scheme in ("exact", "source"))
    assert source.status.ok and source.events[-1].kind == exact.events[-1].kind == "rest"
    # Each bounce is located up to 1e-10 s too early, and with e = 0.9 there are 122 of them, each of which counts tenfold.
    assert source.events[-1].time == pytest.approx(exact.events[-1].time, abs=1e-5)


def test_a_motion_is_not_stopped_by_contacts_that_are_closed_in_a_singular_pose() -> None:
    """Both feet of a walker touch at one point, legs together: closed, they would lock it though no impulse has stopped it."""
    start = {**GARCIA_CYCLE, "leg_a_rate": 0.19}
    with pytest.warns(lm.RunWarning, match="foot_a, foot_b closed together would stop a motion"):
        run = lm.simulate(lm.catalogue.compass_walker(), 6.0, start=start, closed=("foot_a",), step=0.01)
    assert run.status.outcome is Outcome.SINGULAR and names(run) == ["end"]
    assert abs(run["leg_b_rate"][-1]) > 0.2
