"""Balls and solids with rolling resistance and patches on a terrain: faces are planes, edges and corners closed equations."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locomotor as lm

G, M, R, RESISTANCE, PATCH = 9.81, 2.0, 0.1, 0.004, 0.01
INERTIA = 0.4 * M * R * R
TWO = lm.Terrain("ground", vertices=[(-5, -5, 0), (5, -5, 0), (5, 5, 0), (-5, 5, 0)], triangles=[(0, 1, 2), (0, 2, 3)])
"""A level square of two triangles."""
SIDES = [(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)]
"""Triangles of a pyramid."""


def ball(ground: lm.Plane | lm.Terrain, friction: float = 0.5, restitution: float = 0.0, **law: float) -> lm.System:
    touching = lm.Unilateral(restitution, friction=friction, **law)
    return lm.System(
        "ball",
        bodies=(lm.Body("ball", M, inertia=np.full(3, INERTIA)),),
        joints=(lm.Free(name="base", parent="world", child="ball"),),
        contacts=(lm.RollingSphere("foot", "ball", (0, 0, 0), R, law=touching),),
        forces=(lm.Gravity((0, 0, -G)),),
        grounds=(ground,),
        nominal={"z": R},
    )


CASES = [
    ({"rolling": RESISTANCE}, {"speed": 0.5, "sway_speed": 0.3, "pitch_rate": 0.0, "roll_rate": 0.0}),
    pytest.param(
        {"rolling": RESISTANCE, "patch": PATCH}, {"speed": 0.3, "sway_speed": -0.2, "yaw_rate": 10.0}, marks=pytest.mark.slow
    ),
    ({"rolling": RESISTANCE, "restitution": 0.5}, {"z": R + 0.1, "speed": 0.5}),
]


@pytest.mark.parametrize(("law", "start"), CASES, ids=["slips and rolls", "with a patch", "bounces"])
@pytest.mark.sampled(2)
def test_two_coplanar_triangles_are_a_plane(law: dict[str, float], start: dict[str, float]) -> None:
    plane, two = (lm.simulate(ball(g, **law), 2.0, start={"z": R, **start}, step=0.01) for g in (lm.Plane("ground"), TWO))
    assert two.status.completed and len(two.events) > 1
    told = [[(event.kind, event.contact) for event in run.events if event.contact] for run in (plane, two)]
    assert told[0] == told[1]
    # Instants are found to 1e-13 s, and of bounces the last are 1e-4 of the first.
    assert [e.time for e in two.events if e.contact] == pytest.approx([e.time for e in plane.events if e.contact], abs=1e-9)
    for name in ("x", "y", "z", "speed", "sway_speed", "yaw_rate", "pitch_rate", "roll_rate"):
        assert two[name][-1] == pytest.approx(plane[name][-1], abs=1e-12), name


@pytest.mark.parametrize("share", [0.999, 1.2])
def test_a_ball_on_a_triangulated_slope_rolls_only_beyond_its_resistance(share: float) -> None:
    """It rests up to tan(slope) = r/R, and is 5/7 g (sin - r/R cos) fast beyond it."""
    slope = np.arctan(share * RESISTANCE / R)
    hill = lm.Terrain.from_profile([(-3, 3 * np.tan(slope)), (3, -3 * np.tan(slope))])
    run = lm.simulate(ball(hill, rolling=RESISTANCE), 1.0, start={"x": 0.0, "z": R / np.cos(slope)}, step=0.01)
    way = np.hypot(run["x"], run["z"] - R / np.cos(slope))
    expected = max(0.0, 5.0 / 14.0 * G * (np.sin(slope) - RESISTANCE / R * np.cos(slope)))
    assert run.status.completed and way[-1] == pytest.approx(expected, rel=1e-9, abs=1e-15)
    assert [event.kind for event in run.events] == ([] if share < 1.0 else ["starts"])


def test_a_ball_that_spins_on_a_terrain_is_braked_by_its_patch() -> None:
    """On the spot with 2/3 mu N patch: it stops after I w / that."""
    run = lm.simulate(ball(TWO, patch=PATCH), 0.5, start={"z": R, "yaw_rate": 2.0}, step=0.01)
    brake = 2.0 / 3.0 * 0.5 * M * G * PATCH / INERTIA
    (stops,) = [event for event in run.events if event.contact]
    assert stops.time == pytest.approx(2.0 / brake, rel=1e-9) and abs(run["yaw_rate"][-1]) < 1e-12


def test_a_ball_rolls_over_an_edge_against_its_resistance() -> None:
    """About the edge 7/5 m R^2 a'' = m g R sin a - r N, N = m g cos a - m R a'^2."""
    speed, before, until = 0.4, 1e-3, 0.15
    start = {"x": -before, "z": R, "speed": speed, "pitch_rate": speed / R}
    run = lm.simulate(ball(lm.Terrain.kerb(-0.3), friction=2.0, rolling=RESISTANCE), until, start=start, step=0.002)
    brake = 5.0 / 7.0 * RESISTANCE * G / R
    slower = np.sqrt(speed**2 - 2.0 * brake * before)
    (crossing,) = run.events
    assert crossing.time == pytest.approx((speed - slower) / brake, rel=1e-9)

    def rate(_: float, y: np.ndarray) -> list[float]:
        normal = M * G * np.cos(y[0]) - M * R * y[1] ** 2
        return [y[1], (M * G * R * np.sin(y[0]) - RESISTANCE * normal) / (1.4 * M * R * R)]

    angle, turns = solve_ivp(rate, (crossing.time, until), [0.0, slower / R], rtol=1e-12, atol=1e-13).y[:, -1]
    assert np.arctan2(run["x"][-1], run["z"][-1]) == pytest.approx(angle, rel=1e-8)
    assert np.linalg.norm([run[f"{name}_rate"][-1] for name in ("roll", "pitch", "yaw")]) == pytest.approx(turns, rel=1e-8)


@pytest.mark.slow
def test_a_ball_rolls_to_rest_in_a_valley_and_over_a_ridge() -> None:
    for points, start in (
        ([(-3, 0.6), (0, 0), (3, 0.6)], {"x": -1.0, "z": 0.2 + R / np.cos(np.arctan(0.2))}),
        ([(-3, 0), (0, 0), (3, -0.3)], {"x": -0.3, "z": R, "speed": 0.6, "pitch_rate": 6.0}),
    ):
        for law in ({"rolling": RESISTANCE}, {"patch": PATCH}, {"rolling": RESISTANCE, "patch": PATCH}):
            run = lm.simulate(ball(lm.Terrain.from_profile(points), **law), 2.0, start=start, step=0.01)
            assert run.status.completed and np.diff(run.energy).max() < 1e-9 and run["foot_gap"].min() > -1e-8


@pytest.mark.slow
@pytest.mark.parametrize("law", [{"rolling": RESISTANCE}, {"patch": PATCH}], ids=["rolling", "patch"])
def test_batches_step_on_two_coplanar_triangles_as_on_a_plane(law: dict[str, float]) -> None:
    final = []
    for ground in (lm.Plane("ground"), TWO):
        compiled = lm.compile(ball(ground, **law), contacts="time-stepping")
        state = compiled.start({"z": R, "speed": 0.5, "pitch_rate": 5.0, "yaw_rate": 8.0})
        final.append(compiled.rollout(np.array([state]), steps=200, dt=0.005, save_every=0).final[0])
    assert final[1] == pytest.approx(final[0], abs=1e-12)


@pytest.mark.parametrize("law", [{"rolling": RESISTANCE}, {"rolling": RESISTANCE, "patch": PATCH}], ids=["rolling", "both"])
def test_a_ball_falls_from_a_corner_against_its_resistance(law: dict[str, float]) -> None:
    """It is pinned there, and turns freely about the normal: 7/5 m R^2 a'' = m g R sin a - r N, N = m g cos a - m R a'^2.

    With a rolling resistance such a run ended as singular, and a patch took all the spin in an instant.
    """
    peak = lm.Terrain("ground", vertices=[(-1, -1, -2), (1, -1, -2), (1, 1, -2), (-1, 1, -2), (0, 0, 0)], triangles=SIDES)
    rate, spin, until = 1.5, 3.0, 0.1
    run = lm.simulate(ball(peak, friction=2.0, **law), until, start={"z": R, "pitch_rate": rate}, step=0.002)

    def slope(_: float, y: np.ndarray) -> list[float]:
        normal = M * G * np.cos(y[0]) - M * R * y[1] ** 2
        return [y[1], (M * G * R * np.sin(y[0]) - RESISTANCE * normal) / (1.4 * M * R * R)]

    angle, turns = solve_ivp(slope, (0.0, until), [0.0, rate], rtol=1e-12, atol=1e-13).y[:, -1]
    assert run.status.completed and np.arctan2(run["x"][-1], run["z"][-1]) == pytest.approx(angle, rel=1e-8)
    assert run["pitch_rate"][-1] == pytest.approx(turns, rel=1e-8)
    still = lm.simulate(ball(peak, friction=2.0, **law), until, start={"z": R + 0.01, "yaw_rate": spin}, step=0.002)
    assert [event.kind for event in still.events] == ["impact"] and still["yaw_rate"][-1] == pytest.approx(spin, rel=1e-12)


@pytest.mark.slow
def test_a_capsule_rolls_to_its_stop_on_a_terrain() -> None:
    """With both ends: a = r m g R/(I + m R^2)."""
    law = lm.Unilateral(friction=0.3, rolling=RESISTANCE, patch=PATCH)
    capsule = lm.RollingCapsule("foot", "ball", (0, -0.2, 0), (0, 0.2, 0), R, law=law)
    run = lm.simulate(ball(TWO).replace(contacts=(capsule,)), 1.6, start={"z": R, "speed": 0.3, "pitch_rate": 3.0}, step=0.01)
    brake = 5.0 / 7.0 * RESISTANCE * G / R
    assert [event.time for event in run.events if event.kind == "stops"] == pytest.approx([0.3 / brake] * 2, rel=1e-9)
    assert run["x"][-1] == pytest.approx(0.3**2 / (2 * brake), rel=1e-9) and run["speed"][-1] == 0.0


@pytest.mark.slow
def test_a_box_on_four_patches_stops_to_slide_and_to_spin_at_once() -> None:
    box = lm.StickingBox("foot", "ball", (0.1, 0.1, 0.05), law=lm.Unilateral(friction=0.3, patch=PATCH))
    start = {"z": 0.05, "speed": 0.3, "yaw_rate": 3.0}
    run = lm.simulate(ball(TWO).replace(contacts=(box,)), 0.3, start=start, step=0.005)
    assert {event.kind for event in run.events} == {"sticks"} and len({event.time for event in run.events}) == 1
    assert run["speed"][-1] == 0.0 and run["yaw_rate"][-1] == 0.0 and np.diff(run.energy).max() < 1e-12


def test_a_box_does_not_roll() -> None:
    with pytest.raises(lm.errors.ContactLawError, match="StickingBox does not roll"):
        lm.StickingBox("foot", "ball", (0.1, 0.1, 0.1), law=lm.Unilateral(friction=0.5, rolling=RESISTANCE))
