"""Rolling resistance in runs with events, beside closed forms."""

import math
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locomotor as lm
from combinations.cases import case_of
from locomotor.errors import LocomotorError

GRAVITY, MASS, RADIUS, RESISTANCE = 9.81, 2.0, 0.1, 0.004


@cache
def ball(space=False):
    """A uniform ball on a slope, in the vertical plane or in space."""
    inertia = np.full(3, 0.4 * MASS * RADIUS**2)
    if space:
        frames = [lm.Frame("carrier")]
        joints = [
            lm.Translation(name="base", parent="world", child="carrier"),
            lm.Spherical(name="spin", parent="carrier", child="ball"),
        ]
    else:
        frames = [lm.Frame("slider"), lm.Frame("rider")]
        joints = [
            lm.Prismatic(name="x", parent="world", child="slider", axis=(1.0, 0.0, 0.0)),
            lm.Prismatic(name="z", parent="slider", child="rider", axis=(0.0, 0.0, 1.0)),
            lm.Revolute(name="turn", parent="rider", child="ball", axis=(0.0, 1.0, 0.0)),
        ]
    law = lm.Unilateral(friction="mu", rolling="resistance")
    return lm.System(
        "ball",
        bodies=[*frames, lm.Body("ball", mass=MASS, inertia=inertia)],
        joints=joints,
        contacts=[lm.RollingSphere("foot", "ball", (0.0, 0.0, 0.0), RADIUS, law=law)],
        forces=[lm.Gravity(("g*sin(slope)", 0.0, "-g*cos(slope)"))],
        parameters={"g": GRAVITY, "slope": 0.0, "mu": 0.5, "resistance": RESISTANCE},
    )


def test_a_ball_that_rolls_stops_after_a_known_distance():
    """The power r N omega against the energy 7/10 m v²: it is braked by 5/7 r g/R, and then lies still."""
    run = lm.simulate(ball(), 12.0, start={"z": RADIUS, "x_rate": 2.0}, step=0.02)
    brake = 5.0 / 7.0 * RESISTANCE * GRAVITY / RADIUS
    (stop,) = run.events
    assert stop.kind == "stops"
    assert stop.time == pytest.approx(2.0 / brake, rel=1e-12)
    assert run["x"][-1] == pytest.approx(2.0**2 / (2.0 * brake), rel=1e-12)
    assert run["x_rate"][-1] == 0.0 and run["turn_rate"][-1] == 0.0
    assert run.audit()["energy_balance"] < 1e-12


@pytest.mark.parametrize(
    "share", [0.999, pytest.param(1.2, marks=pytest.mark.slow), pytest.param(-1.2, marks=pytest.mark.slow)]
)
def test_a_ball_on_a_slope_rolls_only_where_the_slope_exceeds_its_resistance(share):
    """tan(slope) = r/R is the limit; beyond it the acceleration is 5/7 g (sin - r/R cos)."""
    slope = math.atan(share * RESISTANCE / RADIUS)
    run = lm.simulate(ball(), 1.0, start={"z": RADIUS}, step=0.01, parameters={"slope": slope})
    if abs(share) < 1.0:
        assert abs(run["x"]).max() < 1e-15 and not run.events
        return
    pull = 5.0 / 7.0 * GRAVITY * (math.sin(abs(slope)) - RESISTANCE / RADIUS * math.cos(slope))
    assert run["x_rate"][-1] == pytest.approx(math.copysign(pull, slope), rel=1e-9)
    assert [event.kind for event in run.events] == ["starts"]


@pytest.mark.slow
def test_a_ball_that_rolls_up_a_steep_slope_comes_back():
    """Up it is braked by sin + r/R cos, down it is pulled by sin - r/R cos (5/7 g times)."""
    slope = 0.1
    run = lm.simulate(ball(), 3.0, start={"z": RADIUS, "x_rate": -1.0}, step=0.01, parameters={"slope": slope})
    up, down = (5.0 / 7.0 * GRAVITY * (math.sin(slope) + sign * RESISTANCE / RADIUS * math.cos(slope)) for sign in (1, -1))
    turned = 1.0 / up
    assert run["x"][-1] == pytest.approx(-0.5 / up + 0.5 * down * (3.0 - turned) ** 2, rel=1e-9)


@pytest.mark.slow
def test_a_ball_that_slips_and_then_rolls_is_braked_by_both():
    """While it slips: mu g, and the spin grows by (mu R - r) m g/I; it rolls from t = v/(g (mu + (5/2)(mu - r/R))) on."""
    mu = 0.1
    start = {"z": RADIUS, "x_rate": 2.0, "turn_rate": 0.0}
    run = lm.simulate(ball(), 1.5, start=start, step=0.005, parameters={"mu": mu})
    rolls = next(event for event in run.events if event.kind == "rolls")
    expected = 2.0 / (GRAVITY * (mu + 2.5 * (mu - RESISTANCE / RADIUS)))
    assert rolls.time == pytest.approx(expected, rel=1e-9)
    speed = 2.0 - mu * GRAVITY * expected - 5.0 / 7.0 * RESISTANCE * GRAVITY / RADIUS * (1.5 - expected)
    assert run["x_rate"][-1] == pytest.approx(speed, rel=1e-9)


@pytest.mark.slow
def test_a_ball_in_space_stops_on_a_straight_line():
    speed, angle = 1.0, 0.4
    start = {"z": RADIUS, "x_rate": speed * math.cos(angle), "y_rate": speed * math.sin(angle)}
    run = lm.simulate(ball(space=True), 5.0, start=start, step=0.02)
    length = speed**2 / (2.0 * 5.0 / 7.0 * RESISTANCE * GRAVITY / RADIUS)
    assert math.hypot(run["x"][-1], run["y"][-1]) == pytest.approx(length, rel=1e-9)
    assert math.atan2(run["y"][-1], run["x"][-1]) == pytest.approx(angle, abs=1e-9)


@pytest.mark.slow
def test_a_ball_that_rolls_across_a_slope_curves_and_stops():
    """v_dot = 5/7 g (sin e_x - r/R cos v/|v|), integrated by another program."""
    slope = math.atan(0.5 * RESISTANCE / RADIUS)

    def rate(_, y):
        along = y[2:] / max(float(np.linalg.norm(y[2:])), 1e-300)
        pull = np.array([math.sin(slope), 0.0]) - RESISTANCE / RADIUS * math.cos(slope) * along
        return [*y[2:], *(5.0 / 7.0 * GRAVITY * pull)]

    def slow(_, y):
        return float(np.linalg.norm(y[2:])) - 1e-7

    slow.terminal = True
    other = solve_ivp(rate, (0.0, 3.0), [0.0, 0.0, 0.0, 0.3], rtol=1e-11, atol=1e-13, events=slow)
    start = {"z": RADIUS, "x_rate": 0.0, "y_rate": 0.3}
    run = lm.simulate(ball(space=True), 2.0, start=start, step=0.01, parameters={"slope": slope})
    assert [event.kind for event in run.events] == ["stops"]
    assert run.events[0].time == pytest.approx(other.t[-1], abs=2e-6)  # it is stopped there at 1e-7 m/s
    np.testing.assert_allclose([run["x"][-1], run["y"][-1]], other.y[:2, -1], rtol=0.0, atol=1e-8)


@pytest.mark.slow
def test_a_ball_in_steps_stops_and_stays():
    """Time-stepping: braked by 5/7 r g/R in every step, and at rest for good from the step on in which it would roll back."""
    compiled = lm.compile(ball(), contacts="time-stepping", target="interpreter")
    brake, place = 5.0 / 7.0 * RESISTANCE * GRAVITY / RADIUS, compiled.state_names.index("x_rate")
    start = compiled.start({"z": RADIUS, "x_rate": 0.5, "turn_rate": 0.5 / RADIUS})
    found = compiled.rollout(start, 250, 0.01).states[:, place]
    moving = int(0.5 / brake / 0.01)
    np.testing.assert_allclose(found[: moving + 1], 0.5 - brake * 0.01 * np.arange(moving + 1), rtol=0.0, atol=1e-12)
    assert abs(found[moving + 1 :]).max() < 1e-15


@pytest.mark.slow
@pytest.mark.parametrize(("share", "moves"), [(0.99, False), (1.5, True)])
def test_a_ball_on_a_slope_in_steps_rolls_as_in_runs(share, moves):
    slope = math.atan(share * RESISTANCE / RADIUS)
    compiled = lm.compile(ball(), contacts="time-stepping", target="interpreter", free=("slope",))
    place = compiled.state_names.index("x_rate")
    found = compiled.rollout(compiled.start({"z": RADIUS}), 100, 0.01, parameters=[slope]).states[:, place]
    pull = 5.0 / 7.0 * GRAVITY * (math.sin(slope) - RESISTANCE / RADIUS * math.cos(slope)) if moves else 0.0
    np.testing.assert_allclose(found, pull * 0.01 * np.arange(101), rtol=0.0, atol=1e-12)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: lm.Unilateral(rolling=0.1), "no friction"),
        (lambda: lm.Unilateral(friction=0.3, rolling=-0.1), "zero or positive"),
        (lambda: lm.StickingPoint("a", "b", (0, 0, 0), law=lm.Unilateral(friction=0.3, rolling=0.1)), "does not roll"),
    ],
)
def test_rolling_resistance_that_makes_no_sense_is_refused(make, words):
    with pytest.raises(LocomotorError, match=words):
        make()


def test_a_plane_mechanism_held_across_its_plane_is_refused_in_words() -> None:
    """Its wheel's sideways row depends on the others in the plane: forces are not determined, and nothing is NaN."""
    text = "root=sliders joint=fixed contact=disc law=resisting ground=tilted start=assembled spine=bends seed=640"
    with pytest.raises(lm.errors.InconsistentStartError, match="not around it"):
        case_of(text).run()


def going(mu, resistance, slope):
    """Accelerations of a ball let go at rest on a slope: it lies, rolls, slips and rolls, or slips without rolling."""
    inertia, normal, pull = 0.4 * MASS * RADIUS**2, MASS * GRAVITY * math.cos(slope), MASS * GRAVITY * math.sin(slope)
    if pull <= mu * normal and pull * RADIUS <= resistance * normal:
        return 0.0, 0.0
    rolls = max((pull * RADIUS - resistance * normal) * RADIUS / (inertia + MASS * RADIUS**2), 0.0)
    if pull - MASS * rolls <= mu * normal:
        return rolls, rolls / RADIUS
    return (pull - mu * normal) / MASS, max((mu * RADIUS - resistance) * normal / inertia, 0.0)


@pytest.mark.parametrize("space", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("mu", "resistance", "slope"),
    [
        (0.1, 0.004, 0.5),  # both are exhausted at once: it slips, and rolls
        (0.03, 0.004, 0.5),  # friction is too weak to make it roll: it slips without turning, where the run had no end
        (0.04, 0.004, 0.5),  # and just so
        (0.1, 0.004, 0.05),  # it rolls
        (0.5, 0.004, 0.03),  # it lies
        (0.3, 0.004, 0.3),  # both would be exhausted one by one
        (0.3, 0.004, 1.2),
    ],
)
def test_a_ball_let_go_on_a_slope_slips_and_rolls_as_both_laws_say(mu, resistance, slope, space):
    values = {"mu": mu, "resistance": resistance, "slope": slope}
    run = lm.simulate(ball(space), 0.2, start={"z": RADIUS}, parameters=values, step=0.01)
    turning = run["spin_wy" if space else "turn_rate"][-1]
    assert run.status.completed
    assert (run["x_rate"][-1] / 0.2, turning / 0.2) == pytest.approx(going(mu, resistance, slope), rel=1e-12, abs=1e-12)


def test_a_ball_with_backspin_stops_turning_and_slides_on():
    """Friction and resistance together stop its spin; friction alone cannot make it roll forward then."""
    mu, spin, speed = 0.03, -3.0, 1.0
    run = lm.simulate(ball(), 1.0, start={"z": RADIUS, "x_rate": speed, "turn_rate": spin}, parameters={"mu": mu}, step=0.01)
    (stop,) = run.events
    braking = (mu * RADIUS + RESISTANCE) * MASS * GRAVITY / (0.4 * MASS * RADIUS**2)
    assert (stop.kind, stop.time) == ("stops", pytest.approx(-spin / braking, rel=1e-12))
    assert run["turn_rate"][-1] == 0.0 and run["x_rate"][-1] == pytest.approx(speed - mu * GRAVITY, rel=1e-12)
