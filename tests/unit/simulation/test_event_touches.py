"""Touches that count and touches that do not: conditions of contacts, the sources' scheme, and poses that are singular."""

import math

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue.compass_walker import GARCIA_CYCLE
from locomotor.model import Body, Free, Gravity, SlidingPoint, System, Unilateral

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


def test_a_walker_whose_feet_meet_at_one_point_goes_on_with_its_legs_together() -> None:
    """Rows of both feet depend on each other there: closed, they leave the freedom of both legs as one.

    The foot that lands, a point mass m, loses m (l d)^2/2 with d the difference of the rates of the legs.
    """
    start = {**GARCIA_CYCLE, "leg_a_rate": 0.19}
    run = lm.simulate(lm.catalogue.compass_walker(), 6.0, start=start, closed=("foot_a",), step=0.01)
    assert run.status.ok and {event.kind for event in run.events} == {"impact"}
    after = int(np.flatnonzero(run.time == run.events[0].time)[-1])
    before, rate = run["leg_b_rate"][after - 1], run["leg_a_rate"][after]
    assert run.events[0].energy_lost == pytest.approx(0.5e-6 * (before - rate) ** 2, rel=1e-4)  # the hip takes a millionth part
    assert run["leg_b_rate"][after:] == pytest.approx(run["leg_a_rate"][after:], abs=1e-9)
    assert run["leg_b"][after:] == pytest.approx(run["leg_a"][after:], abs=1e-9)
    assert min(run["foot_a_force_z"].min(), run["foot_b_force_z"].min()) >= 0.0
    assert run.audit()["energy_balance"] < 1e-9


def test_contacts_that_agree_in_a_point_and_nowhere_else_end_a_run_by_name() -> None:
    """A bead lands, at 0.5 m/s along, just where a flat touches a bowl: closed together the two would hold it there."""
    bodies = [lm.Frame("cart"), lm.Body("bead", 1.0, inertia=(0.01, 0.01, 0.01))]
    joints = [
        lm.Prismatic(name="x", parent="world", child="cart", axis=(1, 0, 0)),
        lm.Prismatic(name="z", parent="cart", child="bead", axis=(0, 0, 1)),
    ]
    stops = [lm.Coupling("flat", "z", law=lm.Unilateral()), lm.Coupling("bowl", "z - x**2", law=lm.Unilateral())]
    bead = lm.System("bead", bodies, joints, constraints=stops, forces=[lm.Gravity()], nominal={"z": 1.0})
    start = {"x": -0.05, "x_rate": 0.5, "z": 0.5 * 9.81 * 0.1**2}
    with pytest.warns(lm.RunWarning, match="bowl, flat closed together would stop a motion that none of them stops"):
        run = lm.simulate(bead, 0.3, start=start, step=0.01, target="interpreter", solver="traced")
    assert not run.status.ok and run.status.time == pytest.approx(0.1, abs=1e-9)
