"""Contacts with friction that nothing presses any more open, without a word of their friction: N = m g - F(t) vanishes alone.

Where nothing pulls along the ground friction is exhausted at the very instant at which the normal force vanishes, and all
numbers there are round-off. Such runs ended as inconsistent or in an error of another library, for one force and not for the
next.
"""

import numpy as np
import pytest
from scipy.optimize import brentq

import locomotor as lm

G, RADIUS = 9.81, 0.05
LAW = lm.Unilateral(friction=0.3)


def lifted(force: str, friction: float = 0.3, ground: lm.Terrain | None = None) -> lm.System:
    """A ball of 1 kg, pulled up by a force."""
    law = lm.Unilateral(friction=friction)
    return lm.System(
        "lifted",
        bodies=(lm.Body("ball", 1.0, inertia=(0.004, 0.004, 0.004)),),
        joints=(lm.Free(name="base", parent="world", child="ball"),),
        contacts=(lm.RollingSphere("foot", "ball", (0, 0, 0), RADIUS, law=law),),
        forces=(lm.Gravity((0, 0, -G)), lm.BodyForce("pull", "ball", (0, 0, 0), (0, 0, force))),
        **({} if ground is None else {"grounds": (ground,)}),
    )


def box(force: str) -> lm.System:
    return lm.System(
        "box",
        bodies=(lm.Body("box", 1.0, inertia=(0.004, 0.004, 0.004)),),
        joints=(lm.Free(name="base", parent="world", child="box"),),
        contacts=lm.box_corners("corner", "box", (0.1, 0.1, RADIUS), law=LAW),
        forces=(lm.Gravity((0, 0, -G)), lm.BodyForce("pull", "box", (0, 0, 0), (0, 0, force))),
    )


def lift_offs(run: lm.Run) -> list[float]:
    """Instants, of a run in which nothing else happens."""
    assert run.status.completed, run.status
    assert {event.kind for event in run.events} <= {"lift-off", "end"}, list(run.events)
    return [event.time for event in run.events.of(kind="lift-off")]


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("k", [11.37, 15.29, 18.48, 20.0, 21.05, 23.63, 28.42])
def test_a_ball_lifts_off_when_its_weight_is_borne(k: float, friction: float) -> None:
    run = lm.simulate(lifted(f"{k}*t", friction), 1.0, start={"z": RADIUS}, step=0.005)
    (time,) = lift_offs(run)
    assert time == pytest.approx(G / k, abs=1e-11)
    late = 1.0 - time
    assert run["z"][-1] - RADIUS == pytest.approx(k * late**3 / 6.0, rel=1e-9)


@pytest.mark.parametrize("k", [15.29, 23.63, 28.42])
def test_all_corners_of_a_box_open_at_one_instant(k: float) -> None:
    times = lift_offs(lm.simulate(box(f"{k}*t"), 0.8, start={"z": RADIUS}, step=0.005))
    assert times == pytest.approx(4 * [G / k], abs=1e-11)


@pytest.mark.parametrize("k", [13.0, 19.1, 22.7])
def test_a_ball_that_lands_lifts_off_again(k: float) -> None:
    """Pulled by 20 sin(k t): it flies, lands, and lies until it is lifted anew."""
    run = lm.simulate(lifted(f"20*sin({k}*t)"), 1.0, start={"z": RADIUS}, step=0.005)
    assert run.status.completed, run.status
    times = [event.time for event in run.events.of(kind="lift-off")]
    assert len(times) > 1 and times[0] == pytest.approx(np.arcsin(G / 20.0) / k, abs=1e-11)
    lying = np.sin(k * np.array(times)) * 20.0
    assert lying == pytest.approx(G, abs=1e-8)  # at each of them the force is the weight
    assert run["foot_gap"].min() > -1e-9


def test_on_a_terrain() -> None:
    run = lm.simulate(lifted("18.48*t", ground=lm.Terrain.plane()), 0.8, start={"z": RADIUS}, step=0.005)
    assert lift_offs(run) == pytest.approx([G / 18.48], abs=1e-10)


def test_on_a_table_that_is_shaken() -> None:
    """A table at A sin(w t) lets go of what lies on it when its acceleration reaches -g."""
    A, w = 0.05, 20.0
    shaken = lm.System(
        "shaken",
        bodies=(lm.Body("table", 5.0, inertia=(1, 1, 1)), lm.Body("ball", 1.0, inertia=(0.004, 0.004, 0.004))),
        joints=(
            lm.Prismatic(name="lift", parent="world", child="table", axis=(0, 0, 1), drive=lm.Motion(f"{A}*sin({w}*t)")),
            lm.Free(name="base", parent="world", child="ball"),
        ),
        contacts=(lm.RollingSphere("foot", "ball", (0, 0, 0), RADIUS, ground="top", law=LAW),),
        forces=(lm.Gravity((0, 0, -G)),),
        grounds=(lm.Plane("top", body="table"),),
    )
    run = lm.simulate(shaken, 0.3, start={"base_z": RADIUS, "base_heave_speed": A * w}, step=0.005)
    assert run.status.completed, run.status
    first = run.events.of(kind="lift-off")[0].time
    assert first == pytest.approx(brentq(lambda t: A * w * w * np.sin(w * t) - G, 0.0, 0.05), abs=1e-10)
    assert run["foot_gap"].min() > -1e-9
