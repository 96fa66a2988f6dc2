"""Wheels with rolling resistance and patches on a terrain: on its faces as on planes, on edges and corners by closed forms."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locomotor as lm

G, M, R, TUBE, RESISTANCE, PATCH, MU = 9.81, 1.0, 0.1, 0.02, 0.004, 0.01, 0.5
INERTIA = M * R * R / 4
"""Of a thin disc about a diameter, half of that about its axis."""
BOTH = {"rolling": RESISTANCE, "patch": PATCH}
STATES = ("x", "y", "z", "roll", "yaw", "pitch", "speed", "sway_speed", "yaw_rate", "pitch_rate", "roll_rate")
ROOF = lm.Terrain.from_profile([(-1, -4), (0, 0), (1, -4)])
"""A ridge along y through the origin, so steep that nothing else is touched."""
PEAK = lm.Terrain(
    "ground",
    vertices=[(-1, -1, -2), (1, -1, -2), (1, 1, -2), (-1, 1, -2), (0, 0, 0)],
    triangles=[(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)],
)


def wheel(
    ground: lm.Plane | lm.Terrain,
    tube: float = 0.0,
    flat: bool = False,
    friction: float = MU,
    restitution: float = 0.0,
    **law: float,
) -> lm.System:
    axis = (0, 0, 1) if flat else (0, 1, 0)
    touching = lm.Unilateral(restitution, friction=friction, **law)
    if tube:
        contact: lm.Contact = lm.RollingTorus("rim", "wheel", (0, 0, 0), axis, R, tube, law=touching)
    else:
        contact = lm.RollingDisc("rim", "wheel", (0, 0, 0), axis, R, law=touching)
    return lm.System(
        "wheel",
        bodies=(lm.Body("wheel", M, inertia=tuple(INERTIA * (2 if a else 1) for a in axis)),),
        joints=(lm.Free(name="base", parent="world", child="wheel"),),
        contacts=(contact,),
        forces=(lm.Gravity((0, 0, -G)),),
        grounds=(ground,),
        nominal={"z": 2 * R},
    )


def tilted(slope: float) -> tuple[lm.Plane, lm.Terrain]:
    """A slope as a plane, and as two triangles of one plane."""
    corners = [(-5, -5), (5, -5), (5, 5), (-5, 5)]
    vertices = [(x, y, -x * math.tan(slope)) for x, y in corners]
    terrain = lm.Terrain("ground", vertices=vertices, triangles=[(0, 1, 2), (0, 2, 3)])
    return lm.Plane("ground", normal=(math.sin(slope), 0, math.cos(slope))), terrain


def resting(slope: float, roll: float, tube: float = 0.0, above: float = 0.0) -> dict[str, float]:
    """A pose in which a wheel touches a slope, or is so much above it."""
    normal, axis = np.array([math.sin(slope), 0.0, math.cos(slope)]), np.array([0.0, math.cos(roll), math.sin(roll)])
    return {"z": (R * float(np.linalg.norm(np.cross(normal, axis))) + tube) / math.cos(slope) + above, "roll": roll}


MOVES = {"speed": 0.3, "sway_speed": -0.2, "yaw_rate": 6.0}
ON_FACES = [
    (0.0, {"rolling": RESISTANCE}, 0.0, {**resting(0.0, 0.0), "speed": 0.5, "pitch_rate": 0.0}),
    (0.05, BOTH, 0.0, {**resting(0.05, 0.3), **MOVES}),
    (
        0.0,
        {"patch": PATCH},
        0.0,
        {**resting(0.0, math.pi / 2), "speed": 0.2, "pitch_rate": 5.0, "yaw_rate": 0.0, "roll_rate": 0.0},
    ),
    (0.05, BOTH, TUBE, {**resting(0.05, 0.3, TUBE), **MOVES}),
    (0.05, {**BOTH, "restitution": 0.5}, 0.0, {**resting(0.05, 0.3, above=0.05), **MOVES}),
]


@pytest.mark.parametrize(
    ("slope", "law", "tube", "start"),
    [ON_FACES[0], *(pytest.param(*case, marks=pytest.mark.slow) for case in ON_FACES[1:])],
    ids=["upright", "leaning on a slope", "lies and slides", "a tyre on a slope", "bounces on a slope"],
)
def test_faces_of_one_plane_are_a_plane(slope: float, law: dict[str, float], tube: float, start: dict[str, float]) -> None:
    """To 1e-9: instants are found to 1e-13 s, and before a tyre takes other pivots the runs have the same steps."""
    plane, terrain = (lm.simulate(wheel(g, tube, **law), 0.15 if tube else 0.4, start=start, step=0.005) for g in tilted(slope))
    assert terrain.status.completed and np.diff(terrain.energy).max() < 1e-11
    told = [[(event.kind, event.contact) for event in run.events if event.contact] for run in (plane, terrain)]
    assert told[0] == told[1]
    assert [e.time for e in terrain.events if e.contact] == pytest.approx([e.time for e in plane.events if e.contact], abs=1e-9)
    for name in STATES:
        assert terrain[name][-1] == pytest.approx(plane[name][-1], abs=1e-9), name


@pytest.mark.parametrize("share", [0.9, 1.1])
def test_a_report_on_a_slope_of_triangles_knows_whether_a_disc_rolls(share: float) -> None:
    """It rests up to tan(slope) = r/R, and turns with 2/3 g (sin - r/R cos)/R beyond it."""
    slope = math.atan(share * RESISTANCE / R)
    (way,) = lm.contact_report(wheel(tilted(slope)[1], **BOTH), resting(slope, 0.0)).solutions
    expected = max(0.0, 2.0 / 3.0 * G * (math.sin(slope) - RESISTANCE / R * math.cos(slope)) / R)
    assert np.linalg.norm(way.turning["rim"]) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_a_disc_rolls_to_its_stop_over_the_border_of_two_faces() -> None:
    """a = 2/3 r g/R: it stops after v/a and v^2/2a, on the other triangle."""
    speed, brake = 0.1, 2.0 / 3.0 * RESISTANCE * G / R
    start = {**resting(0.0, 0.0), "x": -0.005, "speed": speed, "pitch_rate": speed / R}
    run = lm.simulate(wheel(tilted(0.0)[1], **BOTH), 0.5, start=start, step=0.01)
    (stops,) = [event for event in run.events if event.kind == "stops"]
    assert stops.time == pytest.approx(speed / brake, rel=1e-9)
    assert run["x"][-1] + 0.005 == pytest.approx(speed**2 / (2 * brake), rel=1e-9) and run["speed"][-1] == 0.0


def over_an_edge(tube: float, moment: float, speed: float, before: float, until: float) -> tuple[float, float, float]:
    """When a wheel comes to an edge across its way, and its angle and rate about that at the end.

    About the edge I a'' = m g h sin a - r N, N = m g cos a - m h a'^2 with h the radius of the whole wheel.
    """
    h = R + tube
    brake = RESISTANCE * M * G * h / moment
    slower = math.sqrt(speed**2 - 2.0 * brake * before)
    cross = (speed - slower) / brake

    def rate(_: float, y: np.ndarray) -> list[float]:
        normal = M * G * math.cos(y[0]) - M * h * y[1] ** 2
        return [y[1], (M * G * h * math.sin(y[0]) - RESISTANCE * normal) / moment]

    angle, turns = solve_ivp(rate, (cross, until), [0.0, slower / h], rtol=1e-12, atol=1e-13).y[:, -1]
    return cross, float(angle), float(turns)


@pytest.mark.parametrize("tube", [0.0, pytest.param(TUBE, marks=pytest.mark.slow)], ids=["disc", "tyre"])
def test_a_wheel_rolls_over_an_edge_against_its_resistance(tube: float) -> None:
    """A rim is pinned there and a tyre rolls; both turn about the edge."""
    speed, before, until, h = 0.4, 1e-3, 0.15, R + tube
    cross, angle, turns = over_an_edge(tube, 2 * INERTIA + M * h * h, speed, before, until)
    start = {"x": -before, "z": h, "speed": speed, "pitch_rate": speed / h}
    run = lm.simulate(wheel(lm.Terrain.kerb(-0.3), tube, friction=2.0, **BOTH), until, start=start, step=0.002)
    (crossing,) = run.events
    assert crossing.time == pytest.approx(cross, rel=1e-9)
    assert math.atan2(run["x"][-1], run["z"][-1]) == pytest.approx(angle, rel=1e-8)  # rk4 at 2 ms
    assert np.linalg.norm([run[f"{name}_rate"][-1] for name in ("roll", "pitch", "yaw")]) == pytest.approx(turns, rel=1e-8)
    assert np.diff(run.energy).max() < 1e-12


@pytest.mark.parametrize("tube", [0.0, pytest.param(TUBE, marks=pytest.mark.slow)], ids=["disc", "tyre"])
def test_a_wheel_goes_over_an_edge_askew_without_a_spin(tube: float) -> None:
    """Its patch keeps it from turning about a normal that turns itself; with that left out energy is wrong by 6e-5 and more."""
    start = {"x": -0.005, **resting(0.0, 0.05, tube), "yaw": 0.3, "pitch_rate": 0.4 / (R + tube)}
    law = {"friction": 5.0, "patch": 0.05, "rolling": 0.002}
    run = lm.simulate(wheel(lm.Terrain.kerb(-0.3), tube, **law), 0.12, start=start, step=0.002)
    assert [event.kind for event in run.events] == ["crossing"] and run["rim_slip_speed"].max() == 0.0
    assert run.audit()["energy_balance"] < 1e-8 and np.diff(run.energy).max() < 1e-12


@pytest.mark.slow
def test_steps_roll_over_an_edge_as_runs_do_to_their_order() -> None:
    speed, until = 0.4, 0.12
    _, angle, _ = over_an_edge(0.0, 6 * INERTIA, speed, 1e-3, until)
    compiled = lm.compile(wheel(lm.Terrain.kerb(-0.3), friction=2.0, **BOTH), contacts="time-stepping")
    state = compiled.start({"x": -1e-3, "z": R, "speed": speed, "pitch_rate": speed / R})
    names = compiled.state_names
    errors = []
    for steps in (240, 480, 960):
        final = compiled.rollout(np.array([state]), steps=steps, dt=until / steps, save_every=0).final[0]
        errors.append(abs(math.atan2(final[names.index("x")], final[names.index("z")]) - angle))
    assert errors[0] < 5e-3 and errors[2] < 0.35 * errors[0]


@pytest.mark.slow
@pytest.mark.parametrize("tube", [0.0, TUBE], ids=["disc", "tyre"])
def test_steps_on_faces_of_one_plane_are_those_on_a_plane(tube: float) -> None:
    final = []
    for ground in tilted(0.05):
        compiled = lm.compile(wheel(ground, tube, **BOTH), contacts="time-stepping")
        state = compiled.start({**resting(0.05, 0.0, tube), "speed": 0.5, "pitch_rate": 5.0, "yaw_rate": 4.0})
        final.append(compiled.rollout(np.array([state]), steps=150, dt=0.002, save_every=0).final[0])
    assert final[1] == pytest.approx(final[0], abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ground", "tube", "flat"), [(ROOF, 0.0, False), (ROOF, TUBE, False), (PEAK, 0.0, True)], ids=["rim", "tyre", "side"]
)
def test_a_wheel_that_spins_on_an_edge_or_a_corner_is_braked_by_its_patch(ground: lm.Terrain, tube: float, flat: bool) -> None:
    """On the spot with 2/3 mu N patch about the normal, which stands straight."""
    rate, moment = 2.0, INERTIA * (2 if flat else 1)
    run = lm.simulate(
        wheel(ground, tube, flat, patch=PATCH), 0.4, start={"z": 0.0 if flat else R + tube, "yaw_rate": rate}, step=0.01
    )
    (stops,) = [event for event in run.events if event.contact]
    assert stops.time == pytest.approx(rate * moment / (2.0 / 3.0 * MU * M * G * PATCH), rel=1e-9)
    assert run.status.completed and abs(run["yaw_rate"][-1]) < 1e-12


@pytest.mark.parametrize("law", [{"rolling": RESISTANCE}, pytest.param(BOTH, marks=pytest.mark.slow)], ids=["rolling", "both"])
def test_a_disc_rocks_to_rest_on_both_ends_of_a_chord(law: dict[str, float]) -> None:
    """Its centre on the ridge, both ends together resist with r m g cos a: it comes to sin a = I w^2/(2 r m g)."""
    rate = 1.0
    run = lm.simulate(wheel(ROOF, flat=True, **law), 0.1, start={"z": 0.0, "pitch_rate": rate}, step=0.002)
    stops = [event.contact for event in run.events if event.kind == "stops"]
    assert stops == ["rim", "rim"]
    assert math.sin(run["pitch"][-1]) == pytest.approx(INERTIA * rate**2 / (2 * RESISTANCE * M * G), rel=1e-8)
    assert run["pitch_rate"][-1] == 0.0 and run["rim_normal_force"][-1] == pytest.approx(M * G * math.cos(run["pitch"][-1]))


@pytest.mark.slow
def test_a_disc_slides_off_a_table_against_its_resistance() -> None:
    """It lies, with its whole side for its patch, tips over the border on a chord, and leaves that later than without."""
    leaves = []
    for law in ({}, BOTH):
        start = {"x": -0.1, "z": 0.0, "speed": 0.8}
        run = lm.simulate(wheel(lm.Terrain.kerb(-0.5), flat=True, friction=0.1, **law), 0.35, start=start, step=0.002)
        assert run.status.completed and np.diff(run.energy).max() < 1e-9 and run["rim_gap"].min() > -1e-9
        slower = math.sqrt(0.8**2 - 2 * 0.1 * G * 0.1)
        (tips,) = run.events.of("rim", "tips")
        assert tips.time == pytest.approx(0.2 / (0.8 + slower), rel=1e-9)
        leaves.append(run.events.of("rim", "lift-off")[0].time)
    assert leaves[1] > leaves[0]


@pytest.mark.slow
@pytest.mark.parametrize("tube", [0.0, TUBE], ids=["disc", "tyre"])
@pytest.mark.parametrize("law", [{"rolling": RESISTANCE}, {"patch": PATCH}, BOTH], ids=["rolling", "patch", "both"])
def test_a_wheel_comes_to_rest_in_a_valley(law: dict[str, float], tube: float) -> None:
    valley = lm.Terrain.from_profile([(-3, 0.6), (0, 0), (3, 0.6)])
    start = {"x": -0.3, "z": 0.06 + (R + tube) / math.cos(math.atan(0.2)), "speed": 0.2, "pitch_rate": 0.0}
    run = lm.simulate(wheel(valley, tube, **law), 1.0, start=start, step=0.01)
    assert run.status.completed and np.diff(run.energy).max() < 1e-12 and run["rim_gap"].min() > -1e-9
