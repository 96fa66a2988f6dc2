"""Painlevé's rod near its singular points: closed forms, motions followed apart, and runs of the system itself."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locomotor as lm
from locomotor.catalogue.painleve_orbits import (
    LIFTS,
    SINGULAR,
    SINGULAR_FRICTION,
    STICKS,
    cone_primitive,
    separatrix,
    singular_point,
    sliding_orbit,
    stopping_slip,
)
from locomotor.errors import ArgumentError

G = 9.8


def push(angle: float, mu: float) -> float:
    return 1.0 + 3.0 * math.cos(angle) * (math.cos(angle) - mu * math.sin(angle))


def pull(angle: float, rate: float) -> float:
    return G - rate * rate * math.sin(angle)


@pytest.mark.parametrize("turning", [1.0, -1.0])
@pytest.mark.parametrize("scale", [1.0, 2.7])
def test_the_derivative_at_a_singular_point_by_differences(turning: float, scale: float) -> None:
    """Of (B rate, C A) in rescaled time; masses, lengths and gravity change its size and not its signs."""
    mu, m, half, g = 1.6, scale, 1.3 * scale, G / scale
    point = singular_point(mu, turning, mass=m, half_length=half, gravity=g)

    def field(x: np.ndarray) -> np.ndarray:
        A = g - half * x[1] ** 2 * math.sin(x[0])
        C = 3.0 / (m * half) * (mu * math.sin(x[0]) - math.cos(x[0]))
        return np.array([push(x[0], mu) / m * x[1], C * A, push(x[0], mu) / m])

    here = np.array([point.angle, point.rate])
    assert field(here) == pytest.approx(0.0, abs=1e-13)
    slopes = np.column_stack([(field(here + d) - field(here - d)) / 2e-6 for d in 1e-6 * np.eye(2)])
    assert slopes == pytest.approx(np.array([[point.a1, 0.0], [point.a2, point.a3], [point.a4, 0.0]]), abs=1e-7)
    assert np.sign([point.a1, point.a3, point.h]).tolist() == [-turning, -turning, -turning]
    below = singular_point(1.5, turning, mass=m, half_length=half, gravity=g)
    assert np.sign([below.a1, below.a3, below.h]).tolist() == [-turning, -turning, turning]


def test_the_critical_friction_is_where_the_difference_changes_its_sign() -> None:
    assert pytest.approx(1.539600717839, abs=1e-12) == SINGULAR_FRICTION
    assert singular_point(SINGULAR_FRICTION).h == pytest.approx(0.0, abs=1e-13)
    assert math.tan(singular_point(SINGULAR_FRICTION).angle) == pytest.approx(2.0 / math.sqrt(3.0), abs=1e-14)


@pytest.mark.parametrize("mu", [1.35, 1.4, 1.5, 1.6, 2.0])
def test_two_forms_of_the_limit_of_the_acceleration(mu: float) -> None:
    """(A.2) of Génot 1998, found without rescaling, is that of lemma II.9."""
    point = singular_point(mu)
    c, s = math.cos(point.angle), math.sin(point.angle)
    other = point.rate**2 * c * (mu * s - c) / (4.0 * c * (mu * c + s) - 3.0 * mu)
    assert point.acceleration == pytest.approx(other, rel=1e-12)


def test_the_edge_of_the_cone_dips_below_the_ground_where_the_push_is_negative() -> None:
    """n^T M e+ = B, t_r and t_r' are orthogonal in the metric of the masses (lemma II.1)."""
    for angle in (0.5, 0.8, 0.9, 1.2, 1.4):
        s, c, M = math.sin(angle), math.cos(angle), np.diag([1.0, 1.0, 1.0 / 3.0])
        turn, slide = np.array([-s, c, 1.0]), np.array([1.0 + 3.0 * c * c, 3.0 * s * c, 3.0 * s])
        assert turn @ M @ slide == pytest.approx(0.0, abs=1e-14)
        edge = np.array([1.6, 1.0, 3.0 * (1.6 * s - c)])
        assert np.array([0.0, 1.0, -3.0 * c]) @ M @ edge == pytest.approx(push(angle, 1.6), abs=1e-13)


@pytest.mark.parametrize(("mu", "rate", "step"), [(1.4, 2.0, 2e-4), pytest.param(1.6, 3.4, 2e-5, marks=pytest.mark.slow)])
def test_an_orbit_agrees_with_a_run(mu: float, rate: float, step: float) -> None:
    """The force vanishes, and the run lifts off, at the same instant with the same rate."""
    orbit = sliding_orbit(mu, 0.7, rate, -50.0)
    assert orbit.end == LIFTS
    start = {"up": math.sin(0.7), "pitch": -0.7, "pitch_rate": -rate, "forward_rate": -50.0 - math.sin(0.7) * rate}
    run = lm.simulate(lm.catalogue.painleve_rod(friction=mu), 0.105, start=start, step=step)
    off = run.events[0]
    assert off.name == "tip lift-off" and off.time == pytest.approx(orbit.time[-1], abs=1e-7)
    assert np.interp(off.time, run.time, -run["pitch_rate"]) == pytest.approx(orbit.rate[-1], abs=1e-6)
    assert run["tip_force_z"].max() == pytest.approx(orbit.force.max(), rel=2e-3)


def test_a_slow_tip_stops_before_the_singular_point() -> None:
    orbit = sliding_orbit(1.6, 0.7, 2.0, -2.0)
    assert orbit.end == STICKS
    assert (orbit.time[-1], orbit.angle[-1], orbit.rate[-1]) == pytest.approx((0.03314016, 0.77773557, 2.83236396), abs=1e-7)
    least = stopping_slip(1.6, 0.7, 2.0)
    assert sliding_orbit(1.6, 0.7, 2.0, least + 1e-6).end == STICKS
    assert sliding_orbit(1.6, 0.7, 2.0, least - 1e-6).end == SINGULAR


@pytest.mark.parametrize(
    ("slip", "wanted"),
    [(-1.0, (0.01300205, 1.05530445, 4.59367503)), (-100.0, (0.03819754, 1.27673689, 74.7631426))],
)
def test_the_other_branch_slides_to_a_stop_and_then_leaves(slip: float, wanted: tuple[float, ...]) -> None:
    """With A, B < 0 and the force A/B the tip stops below the second angle; at rest the rod can only lift off (lemma II.3)."""
    orbit = sliding_orbit(1.6, 1.0, 4.0, slip)
    assert orbit.end == STICKS
    assert (orbit.time[-1], orbit.angle[-1], orbit.rate[-1]) == pytest.approx(wanted, abs=1e-7)
    last = lm.catalogue.paradox_angles(1.6)
    assert last is not None and orbit.angle[-1] < last[1]
    at = np.linspace(0, len(orbit.time) - 1, 5).astype(int)
    middle = orbit.slip - orbit.rate * np.sin(orbit.angle)
    heave = orbit.rate * np.cos(orbit.angle)
    energy = 0.5 * (middle**2 + heave**2 + orbit.rate**2 / 3.0) + G * np.sin(orbit.angle)
    assert (np.diff(energy[at]) < 0.0).all()
    angle, rate = float(orbit.angle[-1]), float(orbit.rate[-1])
    start = {"up": math.sin(angle), "pitch": -angle, "pitch_rate": -rate, "forward_rate": -math.sin(angle) * rate}
    (way,) = lm.contact_report(lm.catalogue.painleve_rod(friction=1.6), start | {"up_rate": rate * math.cos(angle)}).solutions
    assert "open" in str(way.modes)


@pytest.mark.parametrize(("angle", "turning"), [(0.7, 1.0), (1.0, -1.0)])
def test_the_parting_motion_by_another_program(angle: float, turning: float) -> None:
    """Followed back from 1e-6 rad beside the point by d(rate)/d(angle) = C A/(B rate), which is good to about as much."""
    mu, point = 1.6, singular_point(1.6, turning)
    d = math.copysign(1e-6, angle - point.angle)

    def slope(x: float, y: np.ndarray) -> list[float]:
        return [3.0 * (mu * math.sin(x) - math.cos(x)) * pull(x, y[0]) / (push(x, mu) * y[0])]

    found = solve_ivp(slope, (point.angle + d, angle), [point.rate + point.slope * d], "DOP853", rtol=1e-12, atol=1e-13)
    line = separatrix(mu, angle, turning)
    assert line == pytest.approx(found.y[0, -1], abs=3e-6)
    slower, faster = (sliding_orbit(mu, angle, line + turning * step, -1e3).end for step in (-1e-5, 1e-5))
    assert (slower, faster) == ((SINGULAR, LIFTS) if turning > 0.0 else (LIFTS, SINGULAR))


@pytest.mark.slow
def test_only_above_the_critical_friction_motions_reach_a_singular_point(rng: np.random.Generator) -> None:
    """Fast slides from random places on the physical side: which end they have, next to mu = 8/(3 sqrt 3) too."""
    for mu in (1.4, 1.5, 1.53, 1.6):
        for turning in (1.0, -1.0):
            ends = set()
            first, last = lm.catalogue.paradox_angles(mu) or (0.0, 0.0)
            for _ in range(12):
                if turning > 0.0:
                    angle = rng.uniform(math.atan(1.0 / mu) + 0.02, first - 0.01)
                    rate = rng.uniform(0.2, 0.98) * math.sqrt(G / math.sin(angle))
                else:
                    angle = rng.uniform(first + 0.01, first + 0.7 * (last - first))
                    rate = -rng.uniform(1.02, 2.5) * math.sqrt(G / math.sin(angle))
                ends.add(sliding_orbit(mu, angle, rate, -1e4).end)
            assert ends == ({LIFTS} if mu < SINGULAR_FRICTION else {LIFTS, SINGULAR})


def test_the_force_grows_by_a_power_of_the_time_left() -> None:
    """The exponent tends to a3/a1 - 1, from above: -0.16 to -0.185 between 2.5e-5 and 1.5e-9 s before the end."""
    orbit = sliding_orbit(1.6, 0.7, 2.0, -50.0)
    left = orbit.time[-1] - orbit.time
    chosen = (left > 1e-11) & (left < 2.5e-5)
    exponents = np.diff(np.log(orbit.force[chosen])) / np.diff(np.log(left[chosen]))
    assert singular_point(1.6).exponent == pytest.approx(-0.19093, abs=5e-6)
    assert -0.17 < exponents[0] < -0.155 and -0.19093 < exponents[-1] < -0.183 and (np.diff(exponents[::6]) < 1e-3).all()


def test_the_primitive_is_one_and_has_its_poles() -> None:
    for angle in (0.2, 1.0, 1.4):
        slope = (cone_primitive(1.6, angle + 1e-6) - cone_primitive(1.6, angle - 1e-6)) / 2e-6
        assert slope == pytest.approx(1.0 / push(angle, 1.6), rel=1e-7)
    assert cone_primitive(1.6, math.atan(2.4)) == pytest.approx(0.0, abs=1e-14)


def test_what_has_no_singular_point_says_so() -> None:
    with pytest.raises(ArgumentError, match="B vanishes nowhere up to 4/3"):
        cone_primitive(1.3, 0.5)
    with pytest.raises(ArgumentError, match="every sliding motion has one acceleration"):
        singular_point(1.2)
    with pytest.raises(ArgumentError, match="no motion comes there"):
        separatrix(1.5, 0.7)
    with pytest.raises(ArgumentError, match="no normal force"):
        sliding_orbit(1.6, 0.7, 6.0, -10.0)
    with pytest.raises(ArgumentError, match="give a negative one"):
        sliding_orbit(1.6, 0.7, 2.0, 10.0)
    with pytest.raises(ArgumentError, match="however fast"):
        stopping_slip(1.6, 0.7, 3.5)
