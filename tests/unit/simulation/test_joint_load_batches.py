"""Friction of joints that follows their loads, in steps of batches: closed forms, runs with events, targets."""

from collections.abc import Callable

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ContactLawError

G, TILT = 9.81, 0.5
ARM, INERTIA, MASS = 0.4 * 0.05, 0.2, 1.5
LENGTH = 0.7


def rolled(system: lm.System, starts: list[dict[str, float]], steps: int, dt: float, **options: object):  # type: ignore[no-untyped-def]
    compiled = lm.compile(system, contacts="time-stepping", **options)  # type: ignore[arg-type]
    found = compiled.rollout(np.array([compiled.start(start) for start in starts]), steps=steps, dt=dt)
    assert found.completed.all()
    return found


def incline(**friction: float) -> lm.System:
    block = lm.Body("block", 2.0, inertia=(0.1, 0.1, 0.1))
    rail = lm.Prismatic(name="x", parent="world", child="block", axis=(np.cos(TILT), 0.0, -np.sin(TILT)))
    return lm.System("incline", [block], [rail], forces=[lm.Gravity(), lm.JointFriction("rail", "x", **friction)])


def test_a_block_slides_down_a_rail_as_the_closed_form_says_or_stays() -> None:
    """g (sin a - mu cos a) down the rail where mu < tan a; constant accelerations are exact in these steps."""
    wanted = G * (np.sin(TILT) - 0.3 * np.cos(TILT))
    found = rolled(incline(mu=0.3), [{}, {"x_rate": 1.0}], 100, 0.01, target="interpreter").final
    np.testing.assert_allclose(found, [[0.5 * wanted, wanted], [1.0 + 0.5 * wanted, 1.0 + wanted]], rtol=1e-12)
    stays = rolled(incline(mu=0.6), [{}, {"x": 0.7}], 1000, 0.01, target="interpreter").final
    assert (stays == [[0.0, 0.0], [0.7, 0.0]]).all()  # what holds does not creep
    held = rolled(incline(mu=0.3, static_mu=0.6), [{}, {"x_rate": 1.0}], 100, 0.01, target="interpreter").final
    assert not held[0].any()
    np.testing.assert_allclose(held[1], [1.0 + 0.5 * wanted, 1.0 + wanted], rtol=1e-12)


def drawer(share: float) -> lm.System:
    """Pulled with 5 N at e = 0.3 m beside its rail, borne over L = 0.2 m; friction is a share of L/(2 e)."""
    rail = lm.Prismatic(name="x", parent="world", child="drawer", axis=(1.0, 0.0, 0.0))
    pull = lm.BodyForce("pull", "drawer", at=(0.0, 0.3, 0.0), components=(5.0, 0.0, 0.0))
    friction = lm.JointFriction("rail", "x", mu=share * 0.2 / 0.6, supports=(-0.1, 0.1))
    return lm.System("drawer", [lm.Body("drawer", 2.0, inertia=(0.1, 0.1, 0.1))], [rail], forces=[pull, friction])


@pytest.mark.parametrize("share", [0.5, 0.99, 1.01])
def test_a_drawer_pulled_at_one_side_is_stuck_where_levers_say(share: float) -> None:
    found = rolled(drawer(share), [{}], 10, 0.01, target="interpreter").final[0, 0]
    assert found == pytest.approx(max(0.0, 5.0 * (1.0 - share) / 2.0) * 0.5 * 0.1**2, abs=1e-15)


def test_a_weight_is_held_by_how_hard_it_is_pressed_against_its_guide() -> None:
    """mu P against m g, with P = 50 N across the guide: 0.4 of it holds 19.62 N, 0.39 of it does not."""
    slide = lm.Prismatic(name="z", parent="world", child="weight", axis=(0.0, 0.0, 1.0))
    for mu, fallen in ((0.4, 0.0), (0.39, 0.5 * (G - 0.39 * 50.0 / 2.0) * 0.5**2)):
        press = lm.BodyForce("press", "weight", at=(0.0, 0.0, 0.0), components=(50.0, 0.0, 0.0))
        forces = [lm.Gravity(), press, lm.JointFriction("guide", "z", mu=mu)]
        weight = lm.System("weight", [lm.Body("weight", 2.0, inertia=(0.1, 0.1, 0.1))], [slide], forces=forces)
        assert rolled(weight, [{}], 50, 0.01, target="interpreter").final[0, 0] == pytest.approx(-fallen, abs=1e-12)


def pendulum() -> lm.System:
    bob = lm.Body("bob", MASS, com=(0.0, 0.0, -LENGTH), inertia=(INERTIA, INERTIA, INERTIA))
    hinge = lm.Revolute(name="swing", parent="world", child="bob", axis=(0.0, 1.0, 0.0))
    return lm.System("pendulum", [bob], [hinge], forces=[lm.Gravity(), lm.JointFriction("pin", "swing", mu=0.4, radius=0.05)])


def test_a_pendulum_rests_within_the_friction_circle() -> None:
    """At rest the pin bears the weight: it holds where l sin(angle) <= mu radius, and what swings comes to rest there."""
    limit = np.arcsin(ARM / LENGTH)
    angles = [0.999 * limit, 1.001 * limit, -1.001 * limit, 0.3]
    moved = rolled(pendulum(), [{"swing": angle} for angle in angles], 100, 0.01).final[:, 0]
    assert abs(moved[0] - angles[0]) < 1e-15 and (np.abs(moved[1:] - angles[1:]) > 1e-9).all()
    ends = rolled(pendulum(), [{"swing": 0.3}], 3000, 0.002).final[0]
    assert abs(ends[0]) < limit and abs(ends[1]) < 1e-14


def two_links() -> lm.System:
    """Two links in space, with masses beside the planes in which they swing."""
    bodies = [lm.Body(name, 1.0, com=(0.1, 0.15, -0.3), inertia=(0.02, 0.03, 0.02)) for name in "ab"]
    joints = [
        lm.Revolute(name="p", parent="world", child="a", axis=(0.0, 1.0, 0.0)),
        lm.Revolute(name="q", parent="a", child="b", at=(0.0, 0.1, -0.6), axis=(1.0, 0.0, 0.0)),
    ]
    frictions = [
        lm.JointFriction("f", "p", mu=0.3, radius=0.03, supports=(-0.05, 0.1)),
        lm.JointFriction("g", "q", 0.02, mu=0.3, radius=0.02, pivoting=0.01),
    ]
    return lm.System("two_links", bodies, joints, forces=[lm.Gravity(), *frictions])


def four_bar() -> lm.System:
    system = lm.catalogue.four_bar()
    rubs = [lm.JointFriction(f"{name}_rubs", name, mu=0.3, radius=0.02) for name in ("crank", "rocker")]
    return system.replace(forces=(*system.forces, *rubs))


def wheeled(law: lm.Unilateral | None = None) -> lm.System:
    """A cart on one wheel that resists rolling, out of balance, on bearings beside it: the ground gives forces and a moment."""
    bodies = [
        lm.Frame("frame"),
        lm.Body("cart", 2.0, inertia=(0.1, 0.1, 0.1)),
        lm.Body("wheel", 1.0, com=(0.05, 0.1, 0.0), inertia=(0.01, 0.02, 0.01)),
    ]
    joints = [
        lm.Prismatic(name="x", parent="world", child="frame", axis=(1, 0, 0)),
        lm.Prismatic(name="z", parent="frame", child="cart", axis=(0, 0, 1)),
        lm.Revolute(name="spin", parent="cart", child="wheel", axis=(0, 1, 0)),
    ]
    tyre = lm.RollingSphere("tyre", "wheel", (0, 0.1, 0), radius=0.2, law=law or lm.Unilateral(friction=0.8, rolling=0.01))
    rub = lm.JointFriction("hub", "spin", mu=0.2, radius=0.02, supports=(-0.1, 0.0))
    return lm.System("wheeled", bodies, joints, contacts=[tyre], forces=[lm.Gravity(), rub], nominal={"z": 0.2})


def chain_of_balls() -> lm.System:
    bodies = [lm.Body(name, 1.0, com=(0.05, 0.0, -0.3), inertia=(0.02, 0.03, 0.01)) for name in "ab"]
    joints = [
        lm.Spherical(name="p", parent="world", child="a"),
        lm.Spherical(name="q", parent="a", child="b", at=(0.0, 0.1, -0.6)),
    ]
    frictions = [lm.JointFriction("f", "p", mu=0.4, radius=0.05), lm.JointFriction("g", "q", mu=0.4, radius=0.04)]
    return lm.System("balls", bodies, joints, forces=[lm.Gravity(), *frictions])


MOVING = [
    (two_links, {"p": 1.5, "q": 0.5, "q_rate": 2.0, "p_rate": -1.0}, 0.12),
    (four_bar, {"crank_rate": 3.0}, 0.1),
    (wheeled, {"x_rate": 2.0, "spin_rate": 10.0, "z": 0.2}, 0.2),
    (chain_of_balls, {"p_wx": 1.0, "p_wy": 0.5, "p_wz": 2.0, "q_wx": -2.0, "q_wy": 1.0}, 0.1),
]


@pytest.mark.slow
@pytest.mark.parametrize(("make", "start", "time"), MOVING)
def test_what_slides_comes_to_the_run_with_events(make: Callable[[], lm.System], start: dict[str, float], time: float) -> None:
    """No joint turns round on the way: by the second order, of ball joints, whose direction is that after a step, by the first.

    Without friction these motions end elsewhere by 0.025 rad/s and more.
    """
    falls, within = (0.6, 5e-3) if make is chain_of_balls else (0.3, 1e-4)
    run = lm.simulate(make(), time, start=start, step=time / 200)
    assert run.status.ok and not run.events
    errors = []
    for steps in (25, 50, 100):
        compiled = lm.compile(make(), contacts="time-stepping")
        found = compiled.rollout(np.array([compiled.start(start)]), steps=steps, dt=time / steps)
        ends = dict(zip(found.state_names, found.final[0], strict=True))
        errors.append(max(abs(ends[name] - run[name][-1]) for name in ends))
    assert errors[1] < falls * errors[0] and errors[2] < falls * errors[1] and errors[2] < within


@pytest.mark.slow
def test_stops_and_new_starts_are_those_of_the_run_with_events_to_the_first_order() -> None:
    start = {"swing": 0.3}
    run = lm.simulate(pendulum(), 6.0, start=start, step=1e-3)
    assert run.events[-1].name == "pin sticks" and run.events[-1].time < 5.0
    errors = [abs(rolled(pendulum(), [start], n, 6.0 / n).final[0, 0] - run["swing"][-1]) for n in (3000, 12000)]
    assert errors[0] < 1e-4 and errors[1] < 2e-5


@pytest.mark.slow
@pytest.mark.parametrize("target", ["simd", "interpreter"])
@pytest.mark.parametrize(("make", "start", "time"), MOVING)
def test_targets_agree(make: Callable[[], lm.System], start: dict[str, float], time: float, target: str) -> None:
    slower = ({name: scale if name.endswith("rate") else 1.0 for name in start} for scale in (1.0, 0.3, 0.0))
    starts = [{name: share[name] * value for name, value in start.items()} for share in slower]
    found = [rolled(make(), starts, 20, time / 20, target=name).final for name in ("c", target)]
    np.testing.assert_allclose(found[0], found[1], atol=1e-9)


def test_theta_steps_hold_too() -> None:
    settings = lm.ContactSettings(theta=1.0)
    wanted = G * (np.sin(TILT) - 0.3 * np.cos(TILT))
    found = rolled(incline(mu=0.3, static_mu=0.6), [{}, {"x_rate": 1.0}], 100, 0.01, settings=settings).final
    assert np.abs(found[0]).max() < 1e-15 and found[1, 1] == pytest.approx(1.0 + wanted, rel=1e-12)  # round-off


def test_the_runtime_leaves_joints_that_rub_to_the_written_steps() -> None:
    with pytest.raises(ContactLawError, match="the dry friction of joints, as 'hub'"):
        lm.compile(
            wheeled(lm.Unilateral(friction=0.8)), contacts="time-stepping", settings=lm.ContactSettings(solver="runtime")
        )
