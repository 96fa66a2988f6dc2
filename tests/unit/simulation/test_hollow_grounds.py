"""One-sided contacts inside whole spheres and tubes: balls and points that swing, leave the wall, land and loop."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ContactKindError, NonPositiveRadiusError
from locomotor.model import Contact

G, OUTER, RADIUS = 9.81, 0.5, 0.1
UP, ALONG = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)
SHELL = lm.Ball("wall", "world", radius=OUTER, inside=True)
TUBE = lm.Bar("wall", "world", start=(0.0, -1.0, 0.0), end=(0.0, 1.0, 0.0), radius=OUTER, inside=True)
GROUNDS = {"shell": SHELL, "tube": TUBE}


def rolling(**law: Any) -> Contact:
    return lm.RollingSphere("touch", "ball", (0.0, 0.0, 0.0), RADIUS, ground="wall", law=lm.Unilateral(**law))


def sliding(**law: Any) -> Contact:
    return lm.SlidingSphere("touch", "ball", (0.0, 0.0, 0.0), RADIUS, ground="wall", law=lm.Unilateral(**law))


def point(**law: Any) -> Contact:
    return lm.SlidingPoint("touch", "ball", (0.0, 0.0, 0.0), ground="wall", law=lm.Unilateral(**law))


def in_plane(touch: Contact, ground: lm.Ball | lm.Bar) -> lm.System:
    """A ball in the vertical plane through the middle of what is hollow."""
    bodies = [lm.Frame("slider"), lm.Frame("rider"), lm.Body("ball", 1.0, inertia=(0.4 * RADIUS**2,) * 3)]
    joints = [
        lm.Prismatic(name="x", parent="world", child="slider", axis=(1.0, 0.0, 0.0)),
        lm.Prismatic(name="z", parent="slider", child="rider", axis=UP),
        lm.Revolute(name="turn", parent="rider", child="ball", axis=ALONG),
    ]
    return lm.System("hollow", bodies, joints, contacts=[touch], grounds=[ground], forces=[lm.Gravity((0.0, 0.0, -G))])


def free(ground: lm.Ball | lm.Bar, gravity: float = 0.0) -> lm.System:
    """A ball that moves in space."""
    body = lm.Body("ball", 1.0, inertia=(0.4 * RADIUS**2,) * 3)
    joints = [lm.Free(name="root", parent="world", child="ball")]
    nominal = {"z": RADIUS - OUTER}
    forces = [lm.Gravity((0.0, 0.0, -gravity))]
    return lm.System("hollow", [body], joints, contacts=[rolling()], grounds=[ground], forces=forces, nominal=nominal)


@pytest.mark.parametrize("name", GROUNDS)
@pytest.mark.parametrize(("touch", "length", "slow"), [(rolling, 0.4, 1.4), (sliding, 0.4, 1.0), (point, 0.5, 1.0)])
def test_small_swings_at_the_bottom(name: str, touch: Any, length: float, slow: float) -> None:
    """omega² = g/(R - r), of a ball that rolls 5/7 of it: after half a period it is on the other side."""
    half = math.pi * math.sqrt(slow * length / G)
    begin = {"x": length * math.sin(1e-3), "z": -length * math.cos(1e-3)}
    run = lm.simulate(in_plane(touch(), GROUNDS[name]), half, start=begin, step=half / 50, target="interpreter")
    assert run.status.ok and run["x"][-1] == pytest.approx(-begin["x"], rel=1e-6)


@pytest.mark.parametrize("name", GROUNDS)
@pytest.mark.parametrize(
    ("touch", "length", "cosine"),
    [
        (rolling, 0.4, lambda f: (7.0 * f - 10.0) / 17.0),
        (sliding, 0.4, lambda f: (f - 2.0) / 3.0),
        (point, 0.5, lambda f: (f - 2.0) / 3.0),
    ],
)
def test_what_is_thrown_at_the_bottom_leaves_the_wall_where_nothing_presses_it_and_lands(
    name: str, touch: Any, length: float, cosine: Any
) -> None:
    """With L = R - r, f = v²/(g L) and k = 1 (sliding) or 7/5 (rolling): k v'² = k v² - 2 g L (1 + c) and v'² = g L c where the
    normal force vanishes, at c = cos(angle from the top) = (k f - 2)/(k + 2). The parabola from there has the curvature of the
    circle, so that it meets the circle three times at once at the angle p from the horizontal, and once more at -3 p: those of
    the four points in which a circle and a parabola along an axis meet add up to whole turns.
    """
    f = 3.6
    start = {"z": -length, "x": 0.0, "x_rate": math.sqrt(f * G * length)}
    run = lm.simulate(in_plane(touch(), GROUNDS[name]), 1.0, start=start, closed=["touch"], step=0.001)
    left, landed = [event for event in run.events if event.kind != "repivot"][:2]
    assert (left.kind, landed.kind) == ("lift-off", "impact")
    assert float(np.interp(left.time, run.time, run["z"])) == pytest.approx(length * cosine(f), abs=1e-9)
    place = -3.0 * math.asin(cosine(f))
    found = [float(np.interp(landed.time, run.time, run[axis])) for axis in "xz"]
    np.testing.assert_allclose(found, [length * math.cos(place), length * math.sin(place)], atol=1e-8)
    assert run["touch_gap"].min() > -1e-9


@pytest.mark.parametrize("name", GROUNDS)
def test_a_ball_that_is_fast_enough_loops(name: str) -> None:
    """Above v² = 27 g L/7 it rolls all the way round: at the top N = m (v²/L - 20 g/7) - m g."""
    length = OUTER - RADIUS
    speed = math.sqrt(4.0 * G * length)
    start = {"z": -length, "x": 0.0, "x_rate": speed}
    run = lm.simulate(in_plane(rolling(), GROUNDS[name]), 0.7, start=start, closed=["touch"], step=0.002)
    assert run.status.ok and not run.events
    assert run["touch_normal_force"].min() == pytest.approx(G * (4.0 - 27.0 / 7.0), rel=1e-4)
    assert run.audit()["energy_balance"] < 1e-8


def test_a_ball_that_rolls_round_a_tube_comes_back_along_it() -> None:
    """Without weight, round at W: the velocity along the axis and the spin about the normal swing at sqrt(2/7) W.

    Gualtieri, Tokieda, Advis-Gaete, Carry, Reffet, Guthmann, Golfer's dilemma, Am. J. Phys. 74 (2006) 497.
    """
    length, turn, drift = OUTER - RADIUS, 5.0, 0.3
    # Nothing moves where it touches, at r (0, 0, -1) from the centre: v + w x (-r e_z) = 0.
    start = {"z": -length, "speed": turn * length, "sway_speed": drift, "heave_speed": 0.0}
    start |= {"pitch_rate": turn * length / RADIUS, "roll_rate": -drift / RADIUS, "yaw_rate": 0.0}
    run = lm.simulate(free(TUBE), 2.0, start=start | {"x": 0.0, "y": 0.0}, closed=["touch"], step=0.002)
    assert run.status.ok and not run.events
    rate = math.sqrt(2.0 / 7.0) * turn
    np.testing.assert_allclose(run["y"], drift / rate * np.sin(rate * run.time), atol=1e-7)
    np.testing.assert_allclose(np.hypot(run["x"], run["z"]), length, atol=1e-9)


def test_a_tube_ends_in_half_a_sphere() -> None:
    """A point on its axis, beyond the end, has the gap of the sphere there."""
    run = lm.simulate(free(TUBE), 0.01, start={"z": 0.0, "y": 1.25}, target="interpreter")
    assert run["touch_gap"][0] == pytest.approx(OUTER - 0.25 - RADIUS, abs=1e-14)


@pytest.mark.parametrize("name", GROUNDS)
def test_batches_stay_inside(name: str) -> None:
    """Balls thrown in all directions, which do not bounce, by time-stepping: none is ever beyond the wall, all come to it."""
    system = free(GROUNDS[name], gravity=G).replace(contacts=[rolling(friction=0.3)])
    compiled = lm.compile(system, contacts="time-stepping")
    thrown = dict.fromkeys(("speed", "sway_speed", "heave_speed"), (-3.0, 3.0))
    states = compiled.random_states(64, thrown, start={"z": 0.0})
    batch = compiled.rollout(states, 1000, 1e-3, channels=["touch_gap"])
    assert (batch.status == 0).all()
    assert batch["touch_gap"].min() > -1e-6 and (batch["touch_gap"].min(axis=1) < 1e-3).all()


@pytest.mark.parametrize("name", GROUNDS)
@pytest.mark.parametrize("radius", [RADIUS, 0.05, "room"])
def test_a_ball_that_does_not_fit_is_refused(name: str, radius: Any) -> None:
    """One of the same size would touch everywhere."""
    system = free(GROUNDS[name]).replace(parameters={"room": 0.05})
    with pytest.raises(NonPositiveRadiusError, match=r"'touch': its radius is 0\.1 m, and it does not fit inside B.* 'wall'"):
        system.replace(grounds=[replace(GROUNDS[name], radius=radius)])


def test_capsules_in_tubes_are_refused() -> None:
    rod = lm.RollingCapsule("touch", "ball", (-0.1, 0.0, 0.0), (0.1, 0.0, 0.0), RADIUS, ground="wall", law=lm.Unilateral())
    with pytest.raises(ContactKindError, match="nothing says how a capsule touches a tube; let it be two spheres"):
        lm.trace(free(TUBE).replace(contacts=[rod]))
