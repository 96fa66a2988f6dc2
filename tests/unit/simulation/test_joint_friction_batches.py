"""Dry friction of joints in steps of batches (Moreau and Jean): closed forms, runs with events, contacts beside it, targets."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ContactLawError

MASS, K, BOUND = 2.0, 50.0, 3.0


def oscillator(**friction: float) -> lm.System:
    body = lm.Body("block", MASS, inertia=(0.1, 0.1, 0.1))
    joint = lm.Prismatic(name="x", parent="world", child="block", axis=(1.0, 0.0, 0.0))
    rail = lm.JointFriction("rail", "x", **{"bound": BOUND, **friction})
    return lm.System("oscillator", [body], [joint], forces=[lm.JointSpring("spring", "x", K), rail])


def rolled(system: lm.System, starts: list[dict[str, float]], steps: int, dt: float, **options: object):  # type: ignore[no-untyped-def]
    compiled = lm.compile(system, contacts="time-stepping", **options)  # type: ignore[arg-type]
    return compiled.rollout(np.array([compiled.start(start) for start in starts]), steps=steps, dt=dt)


@pytest.mark.parametrize("dt", [2e-3, 1e-3])
def test_springs_stop_where_half_swings_say(dt: float) -> None:
    """Each half swing takes 2 F/k = 0.12 m: 0.5 m ends at 0.02 m, 0.3 m at 0.06 m after -0.18 m, and 0.05 m goes nowhere."""
    found = rolled(oscillator(), [{"x": 0.5}, {"x": 0.3}, {"x": 0.05}, {"x": -0.5}], round(3.0 / dt), dt)
    # Friction turns round within a step: each of up to four turns moves the place by about k x/m h²/2.
    np.testing.assert_allclose(found.final[:, 0], [0.02, 0.06, 0.05, -0.02], atol=12.0 * dt * dt)
    assert np.abs(found.final[:, 1]).max() < 1e-14
    assert found.final[2, 0] == 0.05  # what holds does not creep


def test_slides_are_of_second_order() -> None:
    """Before the first turn the motion is x = F/k + (x0 - F/k) cos(w t)."""
    w, t = np.sqrt(K / MASS), 0.4
    exact = BOUND / K + (0.5 - BOUND / K) * np.cos(w * t)
    errors = [abs(rolled(oscillator(), [{"x": 0.5}], n, t / n).final[0, 0] - exact) for n in (40, 80, 160)]
    assert errors[0] < 2e-3 and errors[1] < 0.27 * errors[0] and errors[2] < 0.27 * errors[1]


def leg() -> lm.System:
    """A foot on a hinge with friction, which falls on the ground, and slides there against friction of its own."""
    bodies = [
        lm.Frame("frame"),
        lm.Body("hip", 2.0, inertia=(0.1, 0.1, 0.1)),
        lm.Body("shank", 1.0, com=(0.0, 0.0, -0.2), inertia=(0.02, 0.02, 0.01)),
    ]
    joints = [
        lm.Prismatic(name="x", parent="world", child="frame", axis=(1, 0, 0)),
        lm.Prismatic(name="z", parent="frame", child="hip", axis=(0, 0, 1)),
        lm.Revolute(name="knee", parent="hip", child="shank", axis=(0, 1, 0)),
    ]
    foot = lm.StickingPoint("foot", "shank", at=(0.0, 0.0, -0.4), law=lm.Unilateral(friction=0.3))
    frictions = [lm.JointFriction("knee_rubs", "knee", 0.8, viscous=0.05), lm.JointFriction("rail", "x", 2.0)]
    return lm.System("leg", bodies, joints, contacts=[foot], forces=[lm.Gravity(), *frictions], nominal={"z": 0.45})


@pytest.mark.slow
def test_joints_and_contacts_rub_together_as_in_runs_with_events() -> None:
    """A knee that sticks in flight, a landing that lets it go, a foot that sticks and slides; without events exact to O(h)."""
    start = {"z": 0.45, "knee": 0.3, "x_rate": 0.6}
    run = lm.simulate(leg(), 0.5, start=start, step=1e-3)
    told = [event.name for event in run.events]
    assert run.status.ok and told == ["foot impact", "knee_rubs slips", "foot slips", "foot sticks", "foot slips"]
    wanted = np.array([run[name][-1] for name in ("x", "z", "knee", "x_rate", "z_rate", "knee_rate")])
    errors = []
    for dt in (4e-4, 1e-4):
        found = rolled(leg(), [start], round(0.5 / dt), dt)
        errors.append(np.abs(found.final[0][: len(wanted)] - wanted).max())
    assert errors[0] < 0.02 and errors[1] < 0.3 * errors[0]


@pytest.mark.slow
@pytest.mark.parametrize("target", ["simd", "interpreter"])
def test_targets_agree(target: str) -> None:
    starts = [{"z": 0.45, "knee": angle, "x_rate": 0.6} for angle in (0.3, -0.2, 0.6)]
    found = [rolled(leg(), starts, 300, 1e-3, target=name).final for name in ("c", target)]
    np.testing.assert_allclose(found[0], found[1], atol=1e-9)  # round-off, through a landing


def test_theta_steps_hold_too() -> None:
    settings = lm.ContactSettings(theta=1.0)
    found = rolled(oscillator(), [{"x": 0.05}, {"x": 0.5}], 1500, 2e-3, settings=settings)
    assert found.final[0, 0] == 0.05 and abs(found.final[1, 0]) <= BOUND / K and abs(found.final[1, 1]) < 1e-14


def test_what_steps_cannot_say_is_refused() -> None:
    with pytest.raises(ContactLawError, match="use contacts='time-stepping'"):
        lm.compile(oscillator(), contacts="events")


def test_an_impact_that_lets_a_joint_slide_is_no_lift_off() -> None:
    run = lm.simulate(leg(), 0.13, start={"z": 0.45, "knee": 0.3, "x_rate": 0.6}, step=0.01, target="interpreter")
    assert [event.name for event in run.events] == ["foot impact", "knee_rubs slips"]


def on_two_feet() -> lm.System:
    """A body that tips over two feet that stick, with a rotor that slides on its pin: the feet share what they bear."""
    bodies = [
        lm.Body("body", 3.0, com=(0.05, 0.0, 0.1), inertia=(0.05, 0.06, 0.04)),
        lm.Body("rotor", 1.0, com=(0.02, 0.03, 0.0), inertia=(0.01, 0.02, 0.01)),
    ]
    joints = [
        lm.Free(name="base", parent="world", child="body"),
        lm.Revolute(name="spin", parent="body", child="rotor", axis=(0.6, 0.0, 0.8), at=(0.0, 0.1, 0.2)),
    ]
    places, law = {"left": 0.15, "right": -0.1}, lm.Unilateral(friction=2.0)
    feet = [lm.StickingPoint(name, "body", at=(0.0, y, -0.2), law=law) for name, y in places.items()]
    rub = lm.JointFriction("pin", "spin", 0.05)
    return lm.System("on_two_feet", bodies, joints, contacts=feet, forces=[lm.Gravity(), rub], nominal={"z": 0.2})


def test_feet_stick_exactly_beside_a_joint_that_slides() -> None:
    """While a joint slides sweeps alone left feet that share their loads creeping: 5e-5 rad/s of roll in these steps."""
    start = {"spin_rate": 8.0}
    run = lm.simulate(on_two_feet(), 0.1, start=start, closed=["left", "right"], step=1e-3, target="interpreter")
    assert run.status.ok and not run.events
    compiled = lm.compile(on_two_feet(), contacts="time-stepping", target="interpreter")
    found = compiled.rollout(np.array([compiled.start(start)]), steps=50, dt=2e-3)
    ends = dict(zip(found.state_names, found.final[0], strict=True))
    assert max(abs(ends[name] - run[name][-1]) for name in ends) < 5e-5  # second order, at 80 rad/s²
    assert abs(ends["roll_rate"] - run["roll_rate"][-1]) < 1e-7  # it turns about the line between the feet alone


@pytest.mark.parametrize("h", [3e-4, 1e-3, 1.7e-3])
@pytest.mark.parametrize("speed", [-0.5, -0.3, -0.123])
def test_a_joint_thrown_against_its_load_stops_and_stays(speed: float, h: float) -> None:
    """A load of 0.3 g between the bounds of the slide, 0.2 g, and at rest, 0.35 g: it stops after v²/(2 0.5 g), and is held.

    Whether it slid back depended on what was left of the step in which it stopped.
    """
    g = 9.81
    system = lm.System(
        "slide",
        [lm.Body("mass", 1.0, inertia=(0.01,) * 3)],
        [lm.Prismatic(name="along", parent="world", child="mass", axis=(1.0, 0.0, 0.0))],
        forces=[lm.Gravity((0.3 * g, 0.0, 0.0)), lm.JointFriction("rub", "along", 0.2 * g, static=0.35 * g)],
    )
    compiled = lm.compile(system, contacts="time-stepping", target="interpreter")
    final = compiled.rollout(np.array([[0.0, speed], [0.0, 1e-5]]), round(0.3 / h), h).final
    assert abs(final[0, 1]) < 1e-14 and final[0, 0] == pytest.approx(-(speed**2) / g, abs=g * h * h)
    assert final[1, 1] == pytest.approx(
        1e-5 + 0.1 * g * round(0.3 / h) * h, rel=1e-9
    )  # one that slides with its load slides on
