"""Runs on terrain: touching and leaving faces, edges and corners, several of them at once, and what is refused."""

import math
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import (
    ContactLawError,
    InconsistentStartError,
    ModelError,
    SectionError,
    TerrainShapeError,
    UnknownNameError,
)
from locomotor.geometry import Ball, Capsule, Disc, Shape, Surface, gaps
from locomotor.geometry.pairs import search
from locomotor.geometry.query import as_surface
from locomotor.lie import SO3
from locomotor.model import Contact, System
from locomotor.simulation.terrain import gaps as terrain_gaps
from locomotor.simulation.terrain.footing import Rough

RADIUS, MASS, SPIN, G = 0.3, 2.0, 0.15, 9.81
KINDS = ("disc", pytest.param("tyre", marks=pytest.mark.slow), pytest.param("ball", marks=pytest.mark.slow))
ROUND_OFF = 1e-9
"""Steps of Runge-Kutta 4 at 1 ms, and the location of events."""


@cache
def wheel(terrain: lm.Terrain | lm.Plane, kind: str = "disc", restitution: float = 0.0) -> System:
    """Something round, its inertia about y that of the closed forms below."""
    law = lm.Unilateral(restitution)
    shapes = {
        "disc": lm.RollingDisc("tread", "wheel", (0, 0, 0), (0, 1, 0), RADIUS, law=law),
        "tyre": lm.RollingTorus("tread", "wheel", (0, 0, 0), (0, 1, 0), RADIUS - 0.04, tube=0.04, law=law),
        "ball": lm.RollingSphere("tread", "wheel", (0, 0, 0), RADIUS, law=law),
    }
    inertia = (0.1, SPIN, 0.1) if kind != "ball" else (SPIN, SPIN, SPIN)
    return lm.System(
        "wheel",
        bodies=(lm.Body("wheel", MASS, inertia=inertia),),
        joints=(lm.Free(name="base", parent="world", child="wheel"),),
        contacts=(shapes[kind],),
        forces=(lm.Gravity((0.0, 0.0, -G)),),
        grounds=(terrain,),
        nominal={"z": RADIUS},
    )


def profile(*points: tuple[float, float]) -> lm.Terrain:
    """A ground that is level along y."""
    heights = np.repeat([[z] for _, z in points], 2, axis=1)
    return lm.Terrain.heightfield([x for x, _ in points], (-3.0, 3.0), heights)


def roll(system: System, speed: float, x: float, duration: float, **start: float) -> lm.Run:
    """A wheel that begins on the ground."""
    return lm.simulate(system, duration, start={"x": x, "pitch_rate": speed / RADIUS, **start}, closed=("tread",), step=0.001)


def kinds(run: lm.Run) -> list[str]:
    return [event.kind for event in run.events]


def energy_between_events(run: lm.Run) -> float:
    """Largest change of energy on the smooth parts."""
    cuts = [0, *(np.flatnonzero(np.diff(run.time) == 0.0) + 1), len(run.time)]
    return max(float(np.ptp(run.energy[a:b])) for a, b in pairwise(cuts))


def forward_speed(run: lm.Run, sample: int) -> float:
    return float(run["linear_momentum_x"][sample] / MASS)


def placed(run: lm.Run, time: float) -> int:
    """The first sample after an event."""
    return int(np.searchsorted(run.time, time, side="right")) - 1


# -- a flat terrain is a plane --------------------------------------------------------------------------------


@pytest.mark.parametrize("restitution", [0.0, pytest.param(0.7, marks=pytest.mark.slow)])
def test_a_flat_terrain_is_a_plane(restitution: float) -> None:
    start = {"z": 0.5, "roll": 0.2, "speed": 1.0, "yaw_rate": 0.4, "pitch_rate": 2.0}
    runs = [
        lm.simulate(wheel(ground, restitution=restitution), 0.5, start=start, step=0.001)
        for ground in (lm.Plane(), lm.Terrain.plane())
    ]
    assert [e.kind for e in runs[0].events] == [e.kind for e in runs[1].events] and len(runs[0].events) >= 1
    assert np.allclose(runs[0].events.times, runs[1].events.times, atol=1e-12, rtol=0.0)
    for name in ("x", "y", "z", "roll", "yaw", "tread_gap", "tread_force_z", "tread_normal_force", "tread_point_x"):
        assert np.allclose(runs[0][name][-200:], runs[1][name][-200:], atol=1e-8, rtol=1e-8, equal_nan=True), name


def test_bounces_on_a_terrain_come_to_rest_at_the_instant_of_the_closed_form() -> None:
    h, e = 0.2, 0.5
    ball = lm.catalogue.bouncing_ball(restitution=e, terrain=lm.Terrain.plane())
    run = lm.simulate(ball, 1.2, start={"z": h + 0.1})
    rest = run.events.of(kind="rest")
    assert len(rest) == 1 and run.status.ok
    assert rest[0].time == pytest.approx(math.sqrt(2 * h / G) * (1 + e) / (1 - e), abs=1e-9)
    assert run["floor_closed"][-1] == 1.0 and run["z"][-1] == pytest.approx(0.1, abs=1e-9)


def test_elastic_bounces_down_a_staircase_keep_the_energy() -> None:
    ball = lm.catalogue.bouncing_ball(restitution=1.0, terrain=lm.Terrain.steps(4, -0.2, 0.5))
    run = lm.simulate(ball, 2.0, start={"z": 0.4, "x": -0.3, "speed": 0.9})
    assert run.status.ok and len(run.events.of(kind="impact")) >= 4
    assert np.ptp(run.energy) < 1e-9 * abs(run.energy[0])
    assert run["floor_gap"].min() > -1e-12


# -- edges ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_wheel_that_meets_a_kerb_turns_about_its_edge(kind: str) -> None:
    """Angular momentum about the edge is kept: v+ = v (I + m r (r - h))/(I + m r²), and the road lets go at once."""
    h, speed = 0.05, 2.0
    run = roll(wheel(lm.Terrain.kerb(h), kind), speed, -0.5, 0.6)
    hit = run.events[0]
    reach = math.sqrt(RADIUS**2 - (RADIUS - h) ** 2)
    assert hit.kind == "impact" and hit.time == pytest.approx((0.5 - reach) / speed, abs=1e-10)
    ratio = (SPIN + MASS * RADIUS * (RADIUS - h)) / (SPIN + MASS * RADIUS**2)
    before = 0.5 * (MASS + SPIN / RADIUS**2) * speed**2
    assert hit.energy_lost == pytest.approx(before * (1.0 - ratio**2), rel=1e-9)
    assert run["z"][-1] == pytest.approx(RADIUS + h, abs=ROUND_OFF)
    assert energy_between_events(run) < ROUND_OFF and np.nanmin(run["tread_gap"]) > -1e-9


def test_a_kerb_too_high_for_the_speed_throws_the_wheel_back() -> None:
    run = roll(wheel(lm.Terrain.kerb(0.2)), 1.0, -0.5, 1.2)
    assert run["x"].max() < 0.0
    assert run["z"][-1] == pytest.approx(RADIUS, abs=1e-9) and run["linear_momentum_x"][-1] < 0.0
    assert run.status.ok and run.audit()["energy_balance"] < 1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_a_slow_wheel_tips_over_the_end_of_a_face(kind: str) -> None:
    """It turns about the edge: from rest height, I_e w²/2 = I_e w0²/2 + m g r (1 - cos a)."""
    speed = 0.5
    run = roll(wheel(lm.Terrain.kerb(-0.05), kind), speed, -0.25, 0.9)
    assert kinds(run)[0] == "crossing" and run.events[0].time == pytest.approx(0.5, abs=1e-10)
    assert "edge" in run.events[0].description
    assert energy_between_events(run) < ROUND_OFF
    on_edge = (run.time > 0.51) & (run.time < run.events[1].time)
    turned = np.arctan2(run["x"], run["z"])[on_edge]
    w = np.hypot(run["speed"], run["heave_speed"])[on_edge] / RADIUS
    around = SPIN + MASS * RADIUS**2
    assert np.allclose(0.5 * around * (w**2 - (speed / RADIUS) ** 2), MASS * G * RADIUS * (1 - np.cos(turned)), atol=1e-9)


@pytest.mark.parametrize("rule", ["complete", "source"])
def test_a_fast_wheel_leaves_the_end_of_a_face(rule: str) -> None:
    """Faster than sqrt(g r) no edge can hold it; it falls as a stone does."""
    speed, drop = 3.0, 0.05
    run = roll(wheel(lm.Terrain.kerb(-drop).with_rule(rule)), speed, -0.5, 0.4)
    leaves, lands = run.events[0], run.events[1]
    assert (leaves.kind, lands.kind) == ("lift-off", "impact")
    assert leaves.time == pytest.approx(0.5 / speed, abs=1e-9)
    assert lands.time - leaves.time == pytest.approx(math.sqrt(2 * drop / G), abs=1e-8)
    assert lands.energy_lost == pytest.approx(MASS * G * drop, rel=1e-7)


def test_by_the_rule_of_the_source_even_a_slow_wheel_leaves_there() -> None:
    run = roll(wheel(lm.Terrain.kerb(-0.05).with_rule("source")), 0.5, -0.25, 0.6)
    assert kinds(run)[0] == "lift-off" and "ends" in run.events[0].description


@pytest.mark.parametrize(("depth", "hits"), [(1e-6, 1), (-1e-6, 0)])
def test_an_edge_that_is_grazed_between_two_samples_is_found(depth: float, hits: int) -> None:
    """The crest is entered for a hundredth of a step; a micrometre higher it is missed."""
    crest = profile((-2.0, -2.0), (0.0, 0.0), (2.0, -2.0))
    ball = lm.catalogue.bouncing_ball(restitution=1.0, terrain=crest).with_parameters(g=1e-9)
    run = lm.simulate(ball, 0.05, start={"x": -0.235, "z": 0.1 - depth, "speed": 10.0}, step=0.01)
    impacts = run.events.of(kind="impact")
    assert len(impacts) == hits
    if hits:
        assert impacts[0].time == pytest.approx((0.235 - math.sqrt(0.1**2 - (0.1 - depth) ** 2)) / 10.0, abs=1e-9)


# -- bends ----------------------------------------------------------------------------------------------------


def test_a_hollow_is_an_impact_with_the_next_face() -> None:
    """Angular momentum about the new contact is kept: v+ = v (I + m r² cos b)/(I + m r²)."""
    bend, speed = 0.1, 2.0
    ground = profile((-2.0, 0.0), (0.0, 0.0), (2.0, 2.0 * math.tan(bend)))
    run = roll(wheel(ground), speed, -0.5, 0.4)
    hit = run.events[0]
    assert kinds(run) == ["impact"] and hit.time == pytest.approx((0.5 - RADIUS * math.tan(0.5 * bend)) / speed, abs=1e-10)
    ratio = (SPIN + MASS * RADIUS**2 * math.cos(bend)) / (SPIN + MASS * RADIUS**2)
    kinetic = 0.5 * (MASS + SPIN / RADIUS**2) * speed**2
    assert hit.energy_lost == pytest.approx(kinetic * (1 - ratio**2), rel=1e-9)
    assert forward_speed(run, placed(run, hit.time)) == pytest.approx(speed * ratio * math.cos(bend), rel=1e-9)


def test_a_crest_is_rolled_over_without_loss() -> None:
    bend = 0.1
    ground = profile((-2.0, 0.0), (0.0, 0.0), (2.0, -2.0 * math.tan(bend)))
    run = roll(wheel(ground), 0.5, -0.25, 0.9)
    assert kinds(run) == ["crossing", "crossing"]
    assert [event.description.split()[-2] for event in run.events] == ["edge", "face"]
    assert np.ptp(run.energy) < ROUND_OFF and np.abs(run["tread_gap"]).max() < 1e-10
    assert run["tread_normal_force"].min() > 0.0


def test_a_ball_rests_on_two_faces_at_once() -> None:
    bend = 0.4
    ground = profile((-2.0, 2.0 * math.tan(bend)), (0.0, 0.0), (2.0, 2.0 * math.tan(bend)))
    run = lm.simulate(wheel(ground, "ball"), 0.3, start={"z": RADIUS / math.cos(bend) + 0.02}, step=0.001)
    assert kinds(run) == ["impact", "impact"] and run.events[0].time == run.events[1].time
    assert run["tread_force_z"][-1] == pytest.approx(MASS * G, rel=1e-9)
    assert abs(run["tread_force_x"][-1]) < 1e-9 and run["tread_closed"][-1] == 1.0
    assert run["z"][-1] == pytest.approx(RADIUS / math.cos(bend), abs=1e-9)


def sledge(*contacts: Contact) -> System:
    """On a plain, then down a slope, and a plain again."""
    return lm.System(
        "sledge",
        bodies=(lm.Body("sledge", 2.0, inertia=(0.02, 0.05, 0.05)),),
        joints=(lm.Free(name="base", parent="world", child="sledge"),),
        contacts=contacts,
        forces=(lm.Gravity((0.0, 0.0, -G)),),
        grounds=(profile((-2.0, 0.0), (0.0, 0.0), (0.6, -0.3), (3.0, -0.3)),),
    )


@pytest.mark.slow
def test_runners_and_skates_take_the_same_slope_alike() -> None:
    """Four points on one plane are one too many, on two planes they are not; two points come in line with a face at a bend."""
    law = lm.Unilateral()
    corners = [(x, y) for x in (-0.2, 0.2) for y in (-0.1, 0.1)]
    points = [lm.SlidingPoint(f"p{i}", "sledge", at=(x, y, -0.1), law=law) for i, (x, y) in enumerate(corners)]
    skates = [lm.Skate(f"p{i}", "sledge", at=(x, 0.0, -0.1), heading=(1, 0, 0), law=law) for i, x in ((0, -0.2), (2, 0.2))]
    runs = [lm.simulate(sledge(*c), 0.9, start={"x": -0.5, "speed": 1.0, "z": 0.1}, step=0.001) for c in (points, skates)]
    assert all(run.status.ok for run in runs)
    for contact in ("p0", "p2"):
        times = [run.events.of(contact).times for run in runs]
        assert len(times[0]) >= 3 and np.allclose(times[0], times[1], rtol=0.0, atol=1e-9)
        assert min(run[f"{contact}_gap"].min() for run in runs) > -1e-10
    assert runs[0].energy[-1] == pytest.approx(runs[1].energy[-1], rel=1e-9)
    assert max(np.abs(runs[0][name]).max() for name in ("y", "yaw", "roll")) < 1e-9


# -- rolling along an edge, standing on a corner --------------------------------------------------------------


@pytest.mark.parametrize("kind", ["ball", "tyre"])
def test_a_round_body_rolls_along_an_edge_as_on_a_rail(kind: str) -> None:
    """It falls to one side while it rolls along; energy and gap show whether the motion of the contact point is right."""
    slope = 1.0
    ridge = profile((-2.0, -2.0 * math.tan(slope)), (0.0, 0.0), (2.0, -2.0 * math.tan(slope)))
    start: Mapping[str, float] = {"y": -1.0, "x": RADIUS * math.sin(0.3), "roll_rate": -2.0, "yaw_rate": 1.5}
    if kind == "tyre":
        start = {"y": -1.0, "x": 0.005, "yaw": math.pi / 2 - 0.05, "roll": 0.1, "pitch_rate": 5.0, "yaw_rate": 0.3}
    run = lm.simulate(wheel(ridge, kind), 0.25, start=start, closed=("tread",), step=0.0005)
    assert run.status.ok and len(run.events) == 0
    assert np.ptp(run.energy) < 1e-10 * run.energy[0] and np.abs(run["tread_gap"]).max() < 1e-9
    assert abs(run["y"][-1] - run["y"][0]) > 0.1
    assert np.abs(run["tread_point_x"]).max() < 1e-9  # it stays on the edge
    slip = np.abs([run[f"tread_{axis}_slip"] for axis in "xyz"]).max()
    assert slip < 1e-12


def test_a_disc_stands_on_a_corner_and_turns_about_it() -> None:
    pyramid = lm.Terrain("ground", [(0, 0, 0), (1, 0, -2), (0, 1, -2), (-1, 0, -2), (0, -1, -2)],
                         [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 1)])  # fmt: skip
    run = lm.simulate(wheel(pyramid), 0.3, start={"z": RADIUS + 0.05, "x": 0.02, "pitch_rate": 3.0}, step=0.0005)
    hit = run.events[0]
    assert hit.kind == "impact" and run["tread_closed"][-1] == 1.0
    later = run.time > hit.time
    for axis in "xyz":
        assert np.abs(run[f"tread_point_{axis}"][later]).max() < 1e-9
    assert np.ptp(run.energy[later]) < ROUND_OFF


# -- a bicycle ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_bicycle_of_the_issue_jumps_from_a_ramp() -> None:
    bike = lm.catalogue.bicycle("mauny2018", contacts="unilateral", terrain=lm.Terrain.ramp(slope=-0.1745, drop=0.5))
    run = lm.simulate(bike, duration=1.2, start={"x": -5.0, "rear_wheel_rate": 10.0 / 0.3}, closed=("rear", "front"))
    assert kinds(run) == ["lift-off", "lift-off", "impact", "impact", "impact"]
    assert "lift-off" in str(run.events) and run.status.ok


@pytest.mark.slow
def test_a_bicycle_on_rough_ground_neither_sinks_nor_gains_energy() -> None:
    x, y = 0.3 * np.arange(-10, 30), 0.3 * np.arange(-6, 7)
    heights = 0.01 * np.random.default_rng(0).normal(size=(len(x), len(y)))
    bike = lm.catalogue.bicycle("mauny2018", contacts="unilateral", terrain=lm.Terrain.heightfield(x, y, heights))
    run = lm.simulate(bike, 0.6, start={"x": 0.03, "y": 0.02, "speed": 4.6}, closed=("rear", "front"), step=0.001)
    assert run.status.ok and len(run.events) > 30
    assert min(run["rear_gap"].min(), run["front_gap"].min()) > -1e-10
    audit = run.audit()
    assert audit["energy_balance"] < 1e-9 and min(event.energy_lost for event in run.events) > -1e-9


@pytest.mark.slow
def test_schemes_agree_on_a_terrain() -> None:
    bike = lm.catalogue.bicycle("mauny2018", contacts="unilateral", terrain=lm.Terrain.ramp(slope=-0.1745, drop=0.5))
    start = {"x": -1.0, "rear_wheel_rate": 10.0 / 0.3}
    runs = [
        lm.simulate(bike, 0.7, start=start, closed=("rear", "front"), scheme=scheme, step=0.001)
        for scheme in ("exact", "source")
    ]
    assert kinds(runs[0]) == kinds(runs[1])
    # The scheme of the source goes to steps of 1e-10 s; the landing inherits its errors at the take-offs.
    assert np.allclose(runs[0].events.times, runs[1].events.times, atol=1e-7, rtol=0.0)


# -- refused --------------------------------------------------------------------------------------------------


def test_a_start_inside_the_terrain_is_refused() -> None:
    with pytest.raises(InconsistentStartError, match=r"'tread' is 0\.1 m inside face 0.*lift the system"):
        lm.simulate(wheel(lm.Terrain.plane()), 1.0, start={"z": 0.2})


def test_a_start_that_violates_a_closed_contact_is_refused() -> None:
    with pytest.raises(InconsistentStartError, match=r"contradict the contacts.*Closed at the start: 'tread'"):
        lm.simulate(wheel(lm.Terrain.plane()), 1.0, start={"speed": 1.0, "pitch_rate": 0.0}, closed=("tread",))


def test_unknown_contacts_and_rules_are_named() -> None:
    with pytest.raises(UnknownNameError, match=r"'tred'.*did you mean 'tread'"):
        lm.simulate(wheel(lm.Terrain.plane()), 1.0, closed=("tred",))
    with pytest.raises(TerrainShapeError, match="the rule is 'sauce'"):
        lm.Terrain.plane().with_rule("sauce")


def test_laws_that_a_terrain_does_not_allow_are_refused() -> None:
    body, carrier = lm.Body("ball", 1.0, inertia=(1, 1, 1)), lm.Free(name="base", parent="world", child="ball")
    held = lm.RollingSphere("sole", "ball", (0, 0, 0), 0.1)
    with pytest.raises(ContactLawError, match=r"'ground' is a Terrain.*Persistent; give it the law Unilateral\(\)"):
        lm.System("ball", (body,), (carrier,), contacts=(held,), grounds=(lm.Terrain.plane(),))
    soft = lm.CompliantContact("sole", "ball", at=(0, 0, 0), stiffness=1e4, radius=0.1)
    with pytest.raises(ContactLawError, match="a contact that yields needs a Plane"):
        lm.System("ball", (body,), (carrier,), forces=(soft,), grounds=(lm.Terrain.plane(),))
    with pytest.raises(ModelError, match="contacts='unilateral'"):
        lm.catalogue.bicycle(terrain=lm.Terrain.plane())


def test_what_needs_a_plane_says_so() -> None:
    with pytest.raises(ModelError, match=r"is a Terrain.*`simulate` and batches .* follow that, everything else needs"):
        lm.linearise(wheel(lm.Terrain.plane()))
    with pytest.raises(SectionError, match=r"'floor' is on a Terrain.*give it a Plane"):
        lm.find_cycle(lm.catalogue.bouncing_ball(restitution=1.0, terrain=lm.Terrain.plane()), section="impact")


# -- conditions, drift and the record of the gap ---------------------------------------------------------------


def bumps(n: int, size: float, seed: int = 3) -> lm.Terrain:
    """A square of 10 m with n x n heights at random."""
    x = np.linspace(-5.0, 5.0, n)
    return lm.Terrain.heightfield(x, x, size * np.random.default_rng(seed).normal(size=(n, n)))


def foot(terrain: lm.Terrain, restitution: float = 0.5, when: str | float = 1.0) -> System:
    """A body on a point that slides without friction."""
    law = lm.Unilateral(restitution, when=when)
    return wheel(terrain).replace(contacts=(lm.SlidingPoint("tread", "wheel", (0.0, 0.0, -RADIUS), law=law),))


@pytest.mark.parametrize(("when", "hits"), [("z - 0.299", True), ("0.2995 - z", False)])
def test_a_condition_is_asked_at_the_touch(when: str, hits: bool) -> None:
    """In a step of 1 ms the foot falls by 4 mm: at the end of it the condition is no longer, or not before, what it was."""
    run = lm.simulate(foot(profile((-3.0, 0.0), (3.0, 0.0)), 0.0, when), 0.6, start={"z": 1.3}, step=0.001)
    assert run.status.ok and kinds(run) == ["impact"] * hits
    if hits:
        assert run.events[0].time == pytest.approx(math.sqrt(2.0 / G), abs=1e-12)


@pytest.mark.parametrize("seed", [4, 39])
def test_a_foot_slides_from_face_to_face(seed: int) -> None:
    """The next face comes into sight when the foot is inside of it already, by the drift of the face that it slides on."""
    start = {"x": -2.0, "z": 1.2, "speed": 2.0, "pitch_rate": 2.0 / RADIUS, "roll_rate": 0.2}
    run = lm.simulate(foot(bumps(8, 0.15, seed)), 1.5, start=start, step=0.001)
    assert run.status.ok and run["tread_closed"].max() == 1.0
    assert run["tread_gap"].min() > -1e-9  # drift within a second of sliding; worst seen 1e-10
    assert np.diff(run.energy).max() < 1e-8  # nothing is won


@pytest.mark.parametrize("height", [0.5, 8.0])
@pytest.mark.parametrize(
    "shape", [Ball((0, 0, 0)), Disc((0, 0, 0), (0, 1, 0), 0.3, 0.02), Capsule((-0.3, 0, 0), (0.3, 0, 0), 0.1)]
)
def test_the_gap_along_a_motion_is_that_at_each_place(shape: Shape, height: float, monkeypatch: pytest.MonkeyPatch) -> None:
    terrain = bumps(60, 0.05)
    t = np.linspace(0.0, 1.0, 150)
    rows = np.zeros((len(t), 18))
    rows[:, 0:9] = [SO3.exp((2.0 * s, 1.0, 3.0 * s)).matrix.reshape(9) for s in t]
    rows[:, 9:12] = np.column_stack((3.0 * t - 1.0, np.sin(t), height - 0.4 * height * t * t))
    looked_at: list[int] = []

    def watched(surface: Surface, *others: Any) -> Any:
        looked_at.append(len(surface.tree.order))
        return search(surface, *others)

    monkeypatch.setattr(terrain_gaps, "search", watched)
    rough = Rough(foot(terrain).contacts[0], ("tread",), shape, as_surface(terrain), "complete")
    wanted = gaps(terrain, shape, rows[:, 0:9].reshape(-1, 3, 3), rows[:, 9:12])
    np.testing.assert_allclose(terrain_gaps.gaps_of(rough, rows), wanted, atol=1e-12)  # in machine code, where there is some
    vars(rough)["search"] = None
    np.testing.assert_allclose(terrain_gaps.gaps_of(rough, rows), wanted, atol=1e-12)
    assert looked_at[0] == 2 * 59**2
    if height > 1.0:  # only what is below is looked at, though everything is about as far away
        assert max(looked_at[1:]) < 0.2 * looked_at[0]


def test_a_skate_that_strikes_a_kerb_head_on_ends_with_words() -> None:
    """Its side is the cross product of its heading and the normal, which vanishes there."""
    sledge = lm.System(
        "sledge",
        (lm.Body("sledge", 1.0, inertia=(0.1, 0.1, 0.1)),),
        (lm.Translation(name="base", parent="world", child="sledge"),),
        contacts=(lm.Skate("blade", "sledge", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), law=lm.Unilateral()),),
        forces=(lm.Gravity(),),
        grounds=(lm.Terrain.kerb(0.05),),
    )
    with pytest.warns(lm.RunWarning, match="skate 'blade' strikes its terrain along its own heading"):
        run = lm.simulate(sledge, 0.2, start={"x": -0.05, "x_rate": 1.0}, closed=("blade",), target="interpreter")
    assert run.time[-1] == pytest.approx(0.05, abs=1e-6)  # 0.05 m at 1 m/s
