"""Slips in space that begin where friction is only just exhausted, on grounds that bend and turn: order four."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import locomotor as lm
from locomotor.dataclass import replace
from locomotor.simulation.events import Change, EventPlan, Grid, beginning, hybrid_start, modes_of
from locomotor.simulation.events.friction import settle_with_friction
from locomotor.simulation.events.moment import entering

G = 9.81


def test_a_ball_that_rolls_off_a_dome_slips_before_it_leaves() -> None:
    """With L = R + r, rolling from rest: w^2 = 10/7 g/L (cos a0 - cos a), F = 2/7 m g sin a; then L w' = g sin a - mu N/m."""
    r, R, mu, first = 0.1, 0.4, 0.5, 0.3
    L = R + r

    def pressed(a: float) -> float:
        return G * (math.cos(a) - 10 / 7 * (math.cos(first) - math.cos(a)))

    slips = brentq(lambda a: mu * pressed(a) - 2 / 7 * G * math.sin(a), first, 0.95)

    def force(t: float, y: np.ndarray) -> float:
        return float(G * math.cos(y[0]) - L * y[1] ** 2)

    force.terminal = True  # type: ignore[attr-defined]
    begin = [slips, math.sqrt(10 / 7 * G / L * (math.cos(first) - math.cos(slips)))]
    path = solve_ivp(
        lambda t, y: [y[1], (G * math.sin(y[0]) - mu * force(t, y)) / L], (0, 1), begin, events=force, rtol=1e-12, atol=1e-13
    )
    ball = lm.System(
        "ball",
        bodies=(lm.Body("ball", 1.0, inertia=(0.4 * r * r,) * 3),),
        joints=(lm.Free(name="base", parent="world", child="ball"),),
        contacts=(lm.RollingSphere("touch", "ball", (0, 0, 0), r, ground="dome", law=lm.Unilateral(friction=mu)),),
        grounds=(lm.Ball("dome", "world", radius=R),),
        forces=(lm.Gravity((0, 0, -G)),),
    )
    run = lm.simulate(ball, 0.55, start={"x": L * math.sin(first), "z": L * math.cos(first)}, step=0.005)
    slip, leave = run.events.of("touch", "slips")[0], run.events.of("touch", "lift-off")[0]
    for event, angle in ((slip, slips), (leave, float(path.y[0, -1]))):
        k = int(run.time.searchsorted(event.time))
        assert math.atan2(run["x"][k], run["z"][k]) == pytest.approx(angle, abs=2e-9), event.name
    assert leave.time - slip.time == pytest.approx(float(path.t[-1]), abs=2e-9)


@pytest.mark.parametrize("solver", ["traced", "runtime"])
def test_a_block_in_space_slips_down_a_plate_that_tilts_as_one_in_the_plane(solver: str) -> None:
    """In the plane a slip has no direction to be found."""
    runs = []
    for space in (False, True):
        slide = lm.Prismatic(name="x", parent="world", child="slide", axis=(1, 0, 0))
        rise = lm.Prismatic(name="z", parent="slide", child="block", axis=(0, 0, 1))
        system = lm.System(
            "tilted",
            bodies=(
                lm.Body("plate", 1.0, inertia=(1, 1, 1)),
                *(() if space else (lm.Frame("slide"),)),
                lm.Body("block", 1.0, inertia=(0.1, 0.1, 0.1)),
            ),
            joints=(
                lm.Revolute(name="tilt", parent="world", child="plate", axis=(0, 1, 0), drive=lm.Motion("0.1 + 0.8*t")),
                *((lm.Translation(name="base", parent="world", child="block"),) if space else (slide, rise)),
            ),
            contacts=(lm.StickingPoint("sole", "block", (0, 0, 0), ground="deck", law=lm.Unilateral(friction=0.3)),),
            grounds=(lm.Plane("deck", body="plate"),),
            forces=(lm.Gravity((0, 0, -G)),),
        )
        names = ("base_x", "base_z") if space else ("x", "z")
        start = dict(zip(names, (0.3, -0.3 * math.tan(0.1)), strict=True))
        runs.append((lm.simulate(system, 0.8, start=start, step=0.01, solver=solver), names[0]))
    (plane, x), (space, y) = runs
    assert [event.name for event in space.events] == [event.name for event in plane.events]
    assert space[y][-1] == pytest.approx(plane[x][-1], abs=1e-8)


def test_a_slip_that_ends_and_begins_anew_begins_at_rest() -> None:
    """What is left across the new direction is taken: friction would be along it, and hold nothing back where the slip goes.

    A point that can only slip down a plane steeper than its cone comes to rest for an instant; what is left of its slip is less
    than what counts as one, and is across the plane.
    """
    slope = lm.Plane("ground", normal=(math.sin(0.6), 0.0, math.cos(0.6)))
    block = lm.System(
        "block",
        bodies=(lm.Body("body", 1.0, inertia=(0.1, 0.1, 0.1)),),
        joints=(lm.Free(name="base", parent="world", child="body"),),
        contacts=(lm.StickingPoint("point", "body", at=(0, 0, 0), law=lm.Unilateral(friction=0.3)),),
        forces=(lm.Gravity((0, 0, -9.81)),),
        grounds=(slope,),
    )
    modes = modes_of(block, None, "auto")
    mode, x, holds = hybrid_start(modes, {"sway_speed": 5e-11, "speed": 0.0, "heave_speed": 0.0})
    plan = EventPlan(modes, Grid(0.0, 0.1, 0.005))
    begun = beginning(plan, mode, x, holds).now
    whole = begun.whole(plan)
    left = entering(plan, begun, begun.mode, begun.mode.state_of(whole.q, np.array([0, 5e-11, 0, 0, 0, 0.0]), whole.own))
    assert abs(left.look(plan).slip[0][1]) == pytest.approx(5e-11)
    after = settle_with_friction(plan, replace(Change(left), stopped=frozenset({0}))).now
    down = np.array([math.cos(0.6), 0.0, -math.sin(0.6)])
    assert np.abs(after.look(plan).slip[0]).max() < 1e-17 and np.allclose(after.holds.slips["point"], down, atol=1e-9)
    probe = after.probe(plan)
    slip = probe.look(1e-9, probe.after(0.0, after.state, 1e-9)).slip[0]
    assert np.allclose(slip, 1e-9 * 9.81 * (math.sin(0.6) - 0.3 * math.cos(0.6)) * down, rtol=1e-6, atol=1e-17)
