"""Dry friction in joints: sticks exactly, slides against its bound, and lets go where closed forms say."""

from functools import cache

import numpy as np
import pytest
from scipy.optimize import brentq

import locomotor as lm
from locomotor.errors import ContactLawError, ModelError, RestrictedForceError

MASS, K, BOUND = 2.0, 50.0, 3.0


def slider(name: str, joint: str = "x", parent: str = "world", mass: float = MASS) -> tuple[lm.Body, lm.Prismatic]:
    body = lm.Body(name, mass, inertia=(0.1, 0.1, 0.1))
    return body, lm.Prismatic(name=joint, parent=parent, child=name, axis=(1.0, 0.0, 0.0))


def oscillator(*forces: object, mass: float = MASS) -> lm.System:
    body, joint = slider("block", mass=mass)
    return lm.System("oscillator", [body], [joint], forces=[lm.JointSpring("spring", "x", K), *forces])  # type: ignore[list-item]


@cache
def sprung() -> lm.Run:
    system = oscillator(lm.JointFriction("rail", "x", BOUND))
    return lm.simulate(system, 3.0, start={"x": 0.5}, step=0.01, target="interpreter")


def test_a_spring_loses_two_bounds_over_stiffness_each_half_swing_and_stops_exactly() -> None:
    """Half a swing lasts pi sqrt(m/k) and takes 2 F/k = 0.12 m: 0.5, -0.38, 0.26, -0.14, 0.02, where 0.02 k < F holds."""
    run = sprung()
    half = np.pi * np.sqrt(MASS / K)
    assert [event.kind for event in run.events] == ["slips", "slips", "slips", "slips", "sticks"]
    assert {event.contact for event in run.events} == {"rail"}
    np.testing.assert_allclose([event.time for event in run.events], half * np.arange(5), atol=1e-7)
    turns = [float(run["x"][run.time.searchsorted(event.time)]) for event in run.events]
    np.testing.assert_allclose(turns, [0.5, -0.38, 0.26, -0.14, 0.02], atol=1e-7)  # of RK4
    after = run.time > run.events[-1].time
    assert after.any() and np.ptp(run["x"][after]) == 0.0 and not run["x_rate"][after].any()
    np.testing.assert_array_equal(run["rail_sticks"][after], 1.0)
    np.testing.assert_allclose(run["rail_effort"][after], 0.02 * K, atol=1e-6)
    assert run.status.ok


def test_the_channels_of_friction_tell_its_effort_and_its_power() -> None:
    run = sprung()
    moves = np.abs(run["x_rate"]) > 1e-6
    np.testing.assert_allclose(run["rail_effort"][moves], -BOUND * np.sign(run["x_rate"][moves]), rtol=1e-12)
    np.testing.assert_allclose(run["rail_power"][moves], -BOUND * np.abs(run["x_rate"][moves]), rtol=1e-12)
    assert run.about["rail_effort"].unit == "N"
    wrench = run.reaction("x", axes="world")
    np.testing.assert_allclose(wrench.force[:, 0], run["rail_effort"] - K * run["x"], atol=1e-9)


@pytest.mark.slow
def test_a_pendulum_keeps_the_energy_that_friction_has_left_it() -> None:
    """From rest to rest, m g l (cos b - cos a) = tau (a + b) for the angles a and b of a half swing to either side."""
    weight, length, tau, first = 9.81, 0.7, 0.4, 1.2
    bob = lm.Body("bob", 1.0, com=(0.0, 0.0, -length), inertia=(0.01, 0.01, 0.01))
    pin = lm.Revolute(name="swing", parent="world", child="bob", axis=(0.0, 1.0, 0.0))
    system = lm.System("pendulum", [bob], [pin], forces=[lm.Gravity(), lm.JointFriction("pin", "swing", tau)])
    run = lm.simulate(system, 9.0, start={"swing": first}, step=0.01, target="interpreter")
    expected, a = [], first
    while True:
        lost = lambda b, a=a: weight * length * (np.cos(b) - np.cos(a)) - tau * (a + b)  # noqa: E731
        a = brentq(lost, -a + 1e-9, a)
        expected.append(a * (-1.0) ** (len(expected) + 1))
        if weight * length * np.sin(abs(a)) < tau:
            break
    assert run.events[0].kind == "slips" and run.events[0].time == 0.0
    turns = [float(run["swing"][run.time.searchsorted(event.time)]) for event in run.events[1:]]
    np.testing.assert_allclose(turns, expected, atol=1e-6)
    assert run.events[-1].kind == "sticks" and run["swing_rate"][-1] == 0.0


def test_static_friction_lets_go_later_and_the_joint_sticks_and_slips() -> None:
    """Pulled by a spring whose end moves at v: it lets go at k v t = F_s, and slides until its rate vanishes again.

    While it slides x = v t - F/k - ((F_s - F)/k) cos(w s) - (v/w) sin(w s), with s since it let go, so that it moves for
    s = (2/w) (pi - atan((F_s - F) w/(k v))), and the stretch then is (2 F - F_s)/k.
    """
    v, static, sliding, w = 0.2, 4.0, 3.0, np.sqrt(K / MASS)
    body, joint = slider("block")
    pull = lm.JointForce("pull", "x", f"{K}*({v}*t - x)")
    system = lm.System("stick slip", [body], [joint], forces=[pull, lm.JointFriction("rail", "x", sliding, static=static)])
    run = lm.simulate(system, 3.0, step=0.005, target="interpreter")
    moves = 2.0 / w * (np.pi - np.arctan((static - sliding) * w / (K * v)))
    rests = 2.0 * (static - sliding) / (K * v)
    expected = np.cumsum([static / (K * v), moves, rests, moves, rests])
    assert [event.kind for event in run.events][:5] == ["slips", "sticks", "slips", "sticks", "slips"]
    np.testing.assert_allclose([event.time for event in run.events][:5], expected, atol=1e-7)


def test_two_joints_at_rest_hold_together_and_let_go_one_after_the_other() -> None:
    """A force on the first of two blocks, the second riding on it by a slider: each holds what it can.

    Both are held until the push exceeds F1; then the first slides with the second on it, which lets go where its share of the
    acceleration exceeds F2: m2 (P - F1)/(m1 + m2) = F2.
    """
    one, first = slider("one", "x1", mass=2.0)
    two, second = slider("two", "x2", parent="one", mass=1.0)
    frictions = [lm.JointFriction("f1", "x1", 1.0), lm.JointFriction("f2", "x2", 0.5)]
    push = lm.JointForce("push", "x1", "t")
    system = lm.System("stack", [one, two], [first, second], forces=[push, *frictions])
    run = lm.simulate(system, 3.0, step=0.01, target="interpreter")
    assert [(event.contact, event.kind) for event in run.events] == [("f1", "slips"), ("f2", "slips")]
    np.testing.assert_allclose([event.time for event in run.events], [1.0, 2.5], atol=1e-9)
    # From 2.5 s on the blocks accelerate by (t - 1 - 0.5)/2 and 0.5: the second slides back on the first.
    s = run.time[-1] - 2.5
    np.testing.assert_allclose(run["x2_rate"][-1], -(s * s / 4.0), atol=1e-9)


def test_friction_gives_no_impulse_and_sticks_after_an_impact() -> None:
    """A held slider is struck by its stop: bounded friction is nothing beside an impulse."""
    body, joint = slider("block")
    stop = lm.Coupling("stop", "1.0 - x", law=lm.Unilateral(restitution=0.5))
    system = lm.System("stopped", [body], [joint], constraints=[stop], forces=[lm.JointFriction("rail", "x", BOUND)])
    run = lm.simulate(system, 3.0, start={"x_rate": 2.0}, step=0.01, target="interpreter")
    a = BOUND / MASS  # v1² = 4 - 2 a = 1; it leaves at -0.5 and comes to rest after 0.5/a, 0.25/(2 a) from the stop
    hits = (2.0 - 1.0) / a
    assert [event.kind for event in run.events] == ["impact", "slips", "sticks"]
    np.testing.assert_allclose([event.time for event in run.events], [hits, hits, hits + 0.5 / a], atol=1e-9)
    np.testing.assert_allclose(run["x"][-1], 1.0 - 0.125 / a, atol=1e-9)


def test_viscous_friction_adds_to_the_dry_one() -> None:
    """m v' = -c v - F: the rate vanishes at (m/c) log(1 + c v0/F)."""
    body, joint = slider("block")
    friction = lm.JointFriction("rail", "x", "F", viscous="c")
    parameters = [lm.Parameter("F", 1.0), lm.Parameter("c", 0.8)]
    system = lm.System("oil", [body], [joint], forces=[friction], parameters=parameters)
    run = lm.simulate(system, 4.0, start={"x_rate": 1.5}, step=0.01, target="interpreter")
    np.testing.assert_allclose([event.time for event in run.events], [MASS / 0.8 * np.log(1.0 + 0.8 * 1.5)], atol=1e-9)
    assert run.events[0].kind == "sticks" and run["x_rate"][-1] == 0.0


def test_a_driven_joint_slides_against_its_friction_all_the_time() -> None:
    system = oscillator(lm.JointFriction("rail", "x", BOUND)).with_motions({"x": "0.1*sin(t)"})
    run = lm.simulate(system, 1.0, step=0.01, target="interpreter")
    expected = MASS * -0.1 * np.sin(run.time) + K * run["x"] + BOUND
    np.testing.assert_allclose(run["x_drive_torque"], expected, atol=1e-9)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"bound": -1.0}, "bound is -1.0"),
        ({"bound": 1.0, "static": 0.5}, "less than the bound"),
        ({"bound": 1.0, "viscous": -2.0}, "viscous is -2.0"),
        ({"bound": float("nan")}, "nan"),
    ],
)
def test_what_no_friction_is_is_refused(fields: dict[str, float], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        lm.JointFriction("rail", "x", **fields)


def test_what_cannot_stick_says_so() -> None:
    system = oscillator(lm.JointFriction("rail", "x", BOUND))
    with pytest.raises(RestrictedForceError, match="JointDamper"):
        lm.linearise(system)
    with pytest.warns(lm.ContactsWarning, match="rail may hold a joint"):
        lm.compile(system, target="interpreter")
    stop = lm.Coupling("stop", "1.0 - x", law=lm.Unilateral())
    with pytest.raises(ContactLawError, match="holds its joint"):
        lm.compile(system.replace(constraints=(stop,)), contacts="events")
