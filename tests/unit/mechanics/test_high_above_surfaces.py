"""Balls high above hollows by formula, where a foot is not the only one: gaps have the right sign, and balls land in time."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

import locomotor as lm

G, RADIUS = 9.81, 0.1
HEIGHTS = {
    "wave": ("0.25*cos(3*x) - 0.05*y**2", lambda x, y: 0.25 * np.cos(3.0 * x) - 0.05 * y**2),
    "eggs": ("0.1*sin(6*x)*cos(5*y)", lambda x, y: 0.1 * np.sin(6.0 * x) * np.cos(5.0 * y)),
    "hill": ("0.3*exp(-8*(x**2 + y**2))", lambda x, y: 0.3 * np.exp(-8.0 * (x**2 + y**2))),
    "bowl": ("x**2 + y**2", lambda x, y: x**2 + y**2),
}


def carried(height: str) -> lm.System:
    """A ball on three slides, of which one may think as of its centre."""
    bodies = [lm.Frame("a"), lm.Frame("b"), lm.Body("ball", 1.0, inertia=(0.004,) * 3)]
    chain = ("world", "a", "b", "ball")
    joints = [
        lm.Prismatic(name=name, parent=chain[k], child=chain[k + 1], axis=tuple(np.eye(3)[k])) for k, name in enumerate("xyz")
    ]
    touch = lm.SlidingSphere("touch", "ball", (0.0, 0.0, 0.0), RADIUS, ground="ground", law=lm.Unilateral())
    return lm.System(
        "carried",
        bodies,
        joints,
        contacts=[touch],
        grounds=[lm.Surface("ground", "world", height=height)],
        forces=[lm.Gravity((0.0, 0.0, -G))],
        nominal={"x": 0.1, "y": 0.07, "z": 3.0},
    )


@pytest.mark.parametrize("name", HEIGHTS)
def test_gaps_have_the_sign_of_the_distance_to_all_of_the_surface(name: str) -> None:
    """Beside the least distance to the places of a fine grid."""
    text, height = HEIGHTS[name]
    compiled = lm.compile(carried(text), contacts="time-stepping")
    random = np.random.default_rng(3)
    places = random.uniform(-0.8, 0.8, (600, 3))
    places[:, 2] = height(places[:, 0], places[:, 1]) + random.uniform(0.05, 1.5, 600) ** 2
    states = np.zeros((600, len(compiled.state_names)))
    states[:, [compiled.state_names.index(axis) for axis in "xyz"]] = places
    gaps = compiled.rollout(states, 1, 1e-9, channels=["touch_gap"], trusted=True)["touch_gap"][:, 0]
    x, y = np.meshgrid(*(np.linspace(-2.2, 2.2, 441),) * 2)
    ground = np.stack([x, y, height(x, y)]).reshape(3, -1)
    apart = np.array([math.sqrt(((ground - place[:, None]) ** 2).sum(axis=0).min()) for place in places]) - RADIUS
    clear = np.abs(apart) > 2e-3  # what the grid is good for
    np.testing.assert_array_equal(gaps[clear] > 0.0, apart[clear] > 0.0)


@pytest.mark.parametrize(("x", "z"), [(0.7255, 0.9354), (0.76, 0.7), (-0.72, 1.3179)])
def test_a_ball_that_falls_beside_the_middle_of_a_trough_lands_when_it_is_near(x: float, z: float) -> None:
    """The distance to the curve z = cos(3 x)/4, by a search along it; the ball falls freely until it is its radius."""

    def apart(height: float) -> float:
        near = lambda s: (s - x) ** 2 + (0.25 * math.cos(3.0 * s) - height) ** 2  # noqa: E731
        return min(math.sqrt(minimize_scalar(near, (s, s + 0.01)).fun) for s in np.linspace(x - 1.5, x + 1.5, 31)) - RADIUS

    lands = brentq(apart, 0.25 * math.cos(3.0 * x) + 0.5 * RADIUS, z, xtol=1e-13)
    run = lm.simulate(carried(HEIGHTS["wave"][0]), 0.8, start={"x": x, "y": 0.0, "z": z}, step=0.005)
    assert run.status.ok and run.events[0].kind == "impact"
    assert run.events[0].time == pytest.approx(math.sqrt(2.0 * (z - lands) / G), abs=1e-7)
    assert (run["touch_gap"][run.time < run.events[0].time] > 0.0).all()
