"""Discs that come to lie along an edge, with both ends of a chord."""

import functools

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

import locomotor as lm
from locomotor.lie import SE3
from locomotor.simulation.terrain import footing, rough_contacts

M, R, G = 1.0, 0.1, 9.81
ROOF = lm.Terrain.from_profile([(-1, -4), (0, 0), (1, -4)])
"""A ridge along y through the origin, so steep that nothing else is touched."""


@functools.cache
def disc(moment: float = M * R * R / 4, friction: float = 0.0, restitution: float = 0.0) -> lm.System:
    return lm.System(
        "disc",
        bodies=(lm.Body("body", M, inertia=(moment, moment, 2 * moment)),),
        joints=(lm.Free(name="base", parent="world", child="body"),),
        contacts=(lm.RollingDisc("rim", "body", (0, 0, 0), (0, 0, 1), R, law=lm.Unilateral(restitution, friction=friction)),),
        forces=(lm.Gravity((0, 0, -G)),),
        grounds=(ROOF,),
        nominal={"z": 1.0},
    )


def toppling(moment: float, angle: float) -> tuple[float, float]:
    """Time and final rate of a disc that falls about one end of a chord along the ridge, its diameter, without friction.

    Its centre falls straight: (I + m (r cos a)^2) a'^2/2 = m g r (sin a0 - sin a).
    """

    def slowness(s: float) -> float:  # with sin a = sin a0 - s^2 it is finite at the start
        sine = np.sin(angle) - s * s
        cosine2 = 1.0 - sine * sine
        return 2.0 * np.sqrt((moment + M * R * R * cosine2) / (2.0 * M * G * R)) / np.sqrt(cosine2)

    rate = np.sqrt(2 * M * G * R * np.sin(angle) / (moment + M * R * R))
    return float(quad(slowness, 0.0, np.sqrt(np.sin(angle)), epsabs=1e-12)[0]), float(rate)


def test_a_disc_dropped_along_a_ridge_lands_with_both_ends_of_a_chord() -> None:
    run = lm.simulate(disc(), 0.3, start={"z": 0.1}, step=0.002)
    first = run.events.of("rim", "impact")
    assert first[0].time == pytest.approx(np.sqrt(0.2 / G), rel=1e-9)
    assert [event.impulse[0] for event in first] == pytest.approx([0.5 * M * np.sqrt(0.2 * G)] * 2, rel=1e-9)
    assert run.status.completed and run["rim_normal_force"][-1] == pytest.approx(M * G, rel=1e-9)
    assert abs(run["z"][-1]) < 1e-9 and run["rim_gap"].min() > -1e-9


def test_a_disc_that_topples_along_a_ridge_comes_down_on_the_other_end() -> None:
    """The impulses stop m r w and I w: J_a + J_b = m r w, (J_b - J_a) r = I w. Such a run ended as `CHATTERING`."""
    angle, moment = 0.5, M * R * R / 4
    run = lm.simulate(disc(moment), 0.3, start={"z": R * np.sin(angle), "roll": angle}, step=0.002)
    time, rate = toppling(moment, angle)
    slap = run.events.of("rim", "impact")
    assert slap[0].time == pytest.approx(time, abs=1e-8) and slap[1].time == slap[0].time
    expected = [0.5 * (M * R * rate + moment * rate / R), 0.5 * (M * R * rate - moment * rate / R)]
    assert sorted((event.impulse[0] for event in slap[:2]), reverse=True) == pytest.approx(expected, rel=1e-7)
    assert run.status.completed and run["rim_normal_force"][-1] == pytest.approx(M * G, rel=1e-9)
    assert np.diff(run.energy).max() < 1e-9 and run["rim_gap"].min() > -1e-9


@pytest.mark.slow
def test_a_wide_disc_rocks_over_to_the_other_end() -> None:
    """With I > m r^2 the first end lifts: about the other (I + m r^2) w+ = (I - m r^2) w."""
    angle, moment = 0.3, 0.02
    run = lm.simulate(disc(moment), 0.4, start={"z": R * np.sin(angle), "roll": angle}, step=0.002)
    slap = run.events.of("rim", "impact")[0]
    time, _ = toppling(moment, angle)
    share = (moment - M * R * R) / (moment + M * R * R)
    assert slap.time == pytest.approx(time, abs=1e-8)
    assert slap.energy_after == pytest.approx(share**2 * slap.energy_before, rel=1e-7)
    assert run.status.completed and run["rim_gap"].min() > -1e-9 and np.diff(run.energy).max() < 1e-9
    after = run.time > slap.time
    assert np.sin(run["roll"][after].min()) == pytest.approx(-(share**2) * np.sin(angle), rel=1e-3)


def test_a_disc_along_a_ridge_slides_until_friction_has_stopped_it() -> None:
    """On both ends together it is braked by mu g, and rests there."""
    mu, speed = 0.4, 0.5
    run = lm.simulate(disc(friction=mu), 0.3, start={"z": 0.0, "sway_speed": speed}, step=0.002)
    assert run.status.completed
    assert run["y"][-1] == pytest.approx(speed**2 / (2 * mu * G), rel=1e-9)
    assert run["rim_normal_force"][-1] == pytest.approx(M * G, rel=1e-9)


def sliding_over_an_edge(mu: float, speed: float, moment: float = M * R * R / 4) -> tuple[float, float, float]:
    """Time, angle and rate with which a disc that tips over an edge across its way loses it, its centre there at first.

    In its plane: centre at s along its side, I a'' = N s, N + m (s a'' + 2 s' a') = m g cos a, s'' = s a'^2 + g sin a - mu N/m.
    """

    def rate(_: float, y: np.ndarray) -> list[float]:
        s, a, ds, da = y
        force = (M * G * np.cos(a) - 2.0 * M * ds * da) / (1.0 + M * s * s / moment)
        return [ds, da, s * da * da + G * np.sin(a) - mu * force / M, force * s / moment]

    def leaves(_: float, y: np.ndarray) -> float:
        return float(y[0] - R)

    leaves.terminal = True  # type: ignore[attr-defined]
    found = solve_ivp(rate, (0.0, 1.0), [0.0, 0.0, speed, 0.0], events=leaves, rtol=1e-12, atol=1e-14)
    return float(found.t[-1]), float(found.y[1, -1]), float(found.y[3, -1])


@pytest.mark.slow
@pytest.mark.parametrize("mu", [0.1, 0.0])
def test_a_disc_that_slides_off_a_table_tips_over_its_border(mu: float) -> None:
    """It lies until its centre has come to the border, then stands on the ends of a chord of its side, and slides off them.

    The ends meet as it leaves the edge, like a square root: such runs ended as singular there.
    """
    speed, far = 1.5, 0.3
    table = disc(friction=mu).replace(grounds=(lm.Terrain.kerb(-0.5),))
    run = lm.simulate(table, 0.4, start={"x": -far, "z": 0.0, "speed": speed}, step=0.002)
    tips = run.events.of("rim", "tips")[0]
    slower = np.sqrt(speed**2 - 2 * mu * G * far)
    assert tips.time == pytest.approx(2 * far / (speed + slower), rel=1e-9)
    assert run["pitch"][run.time < tips.time] == pytest.approx(0.0, abs=1e-12)
    assert run["pitch"][-1] > 0.3 and run["z"][-1] < -0.05  # it falls, turning, ahead of the table
    assert run.status.completed and np.diff(run.energy).max() < 1e-9 and run["rim_gap"].min() > -1e-9
    time, angle, rate = sliding_over_an_edge(mu, slower)
    (leaves,) = run.events.of("rim", "lift-off")
    assert leaves.time == pytest.approx(tips.time + time, abs=1e-8)  # rk4 at 2 ms; half a micrometre of chord is 3e-10 s
    assert run["pitch_rate"][-1] == pytest.approx(rate, rel=1e-7)
    assert run["pitch"][-1] == pytest.approx(angle + rate * (run.time[-1] - leaves.time), rel=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("mu", [0.1, 0.0])
def test_a_disc_that_slides_back_onto_an_edge_does_so_with_a_chord(mu: float) -> None:
    """It touches with a point of its side at first, which wanders inwards: what is above the edge becomes a chord.

    Turning about its way it went on about that one point, its side 1.6 mm in the table, without a word.
    """
    angle, within, turns = 0.3, 3e-6, 0.3
    table = disc(friction=mu).replace(grounds=(lm.Terrain.kerb(-0.5),))
    still = dict.fromkeys(("speed", "sway_speed", "heave_speed", "pitch_rate", "yaw_rate"), 0.0)
    d = R - within
    start = {"x": d * np.cos(angle), "z": -d * np.sin(angle), "pitch": angle, **still, "speed": -1.5, "roll_rate": turns}
    run = lm.simulate(table, 0.06, start=start, step=0.002)
    assert run.status.completed and run.energy.max() < run.energy[0] + 1e-9
    roll, pitch, x = run["roll"], run["pitch"], run["x"]
    tilt = np.abs(np.tan(roll)) / np.cos(pitch)  # of the side along the edge
    half = np.sqrt(np.maximum(R**2 - (x / np.cos(pitch)) ** 2, 0.0))
    assert half[-1] > 0.09 and (tilt * half)[-1] < 1e-4  # both ends have come down
    assert np.abs(run["z"] + x * np.tan(pitch)).max() < turns * 0.1 * R + 1e-9  # the middle of the chord stays at the edge


def test_a_disc_beyond_the_border_of_a_table_lies_as_long_as_its_centre_does_not() -> None:
    table = disc(friction=0.3).replace(grounds=(lm.Terrain.kerb(-0.5),))
    run = lm.simulate(table, 0.2, start={"x": -0.02, "z": 0.0}, step=0.005)
    assert run.status.completed and np.ptp(run["pitch"]) == 0.0 and run["rim_normal_force"][-1] == pytest.approx(M * G)


def test_a_side_on_an_edge_below_its_rim_does_not_lie_on_it() -> None:
    """The ends of its chord are one there, a point that wanders over the side; one that stands rolls along the edge instead.

    The plane of its side was taken for a ground to lie on, from where it tipped to the edge again, without end.
    """
    (rough,) = rough_contacts(disc(friction=0.3), {})
    standing = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    found = {}
    for name, pose in (("flat", SE3(np.eye(3), np.array([R - 2e-6, 0, 0]))), ("stands", SE3(standing, np.array([0.0, 0, R])))):
        edge = next(c for c in rough.tracker().query(pose) if c.feature.kind == "edge")
        found[name] = footing(rough, edge, pose)
    assert found["flat"].kind == "tip" and found["flat"].slides
    assert found["flat"].at(SE3(np.eye(3), np.array([R - 1e-6, 0.0, 0.0])))[0] == pytest.approx(np.zeros(3))
    assert found["stands"].kind == "face"


@pytest.mark.parametrize("slide", [{"speed": -0.5}, {"sway_speed": 0.5}])
def test_a_disc_that_falls_flat_from_the_border_of_a_table_lies_on_nothing_else(slide: dict[str, float]) -> None:
    """From the ends of the chord above the border on it goes as on a plane without one.

    The ends of the chord are part of what its side lies on. They shared the slap, and the friction after it; or else drift of
    1e-13 m let the side touch them anew.
    """
    d, angle, mu, duration = 0.05, 0.1, 0.2, 0.12
    table = disc(friction=mu).replace(grounds=(lm.Terrain.kerb(-0.5),))
    still = dict.fromkeys(("speed", "sway_speed", "heave_speed", "roll_rate", "pitch_rate", "yaw_rate"), 0.0)
    start = {"x": -d * np.cos(angle), "z": d * np.sin(angle), "pitch": angle, **still, **slide}
    run = lm.simulate(table, duration, start=start, step=0.002)
    (lies,) = run.events.of("rim", "lies")
    assert run.status.completed and run.events[-1].time == lies.time
    assert len([event for event in run.events.of("rim", "impact") if event.time == lies.time]) == 1
    flat = int(np.searchsorted(run.time, lies.time, side="right"))
    there = {name: float(run[name][flat]) for name in ("x", "y", "yaw", "speed", "sway_speed", "yaw_rate")}
    level = disc(friction=mu).replace(grounds=(lm.Plane("ground"),), nominal={"z": 1.0})
    free = lm.simulate(level, duration - float(run.time[flat]), start={**still, "z": 0.0, **there}, step=0.002)
    for name in ("x", "y", "yaw"):
        assert run[name][-1] == pytest.approx(free[name][-1], abs=1e-9), name
