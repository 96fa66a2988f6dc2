"""Friction of joints that follows the force between their bodies: pins, sliders and collars against closed forms."""

import numpy as np
import pytest
from scipy.optimize import brentq

import locomotor as lm
from locomotor.errors import ContactLawError, ModelError

G, TILT, MASS, LENGTH, RADIUS, MU, INERTIA = 9.81, 0.5, 1.5, 0.7, 0.05, 0.4, 0.2


def incline(**friction: float) -> lm.System:
    block = lm.Body("block", 2.0, inertia=(0.1, 0.1, 0.1))
    rail = lm.Prismatic(name="x", parent="world", child="block", axis=(np.cos(TILT), 0.0, -np.sin(TILT)))
    return lm.System("incline", [block], [rail], forces=[lm.Gravity(), lm.JointFriction("rail", "x", **friction)])


def pendulum(mu: float = MU, radius: float = RADIUS) -> lm.System:
    bob = lm.Body("bob", MASS, com=(0.0, 0.0, -LENGTH), inertia=(INERTIA, INERTIA, INERTIA))
    hinge = lm.Revolute(name="swing", parent="world", child="bob", axis=(0.0, 1.0, 0.0))
    return lm.System("pendulum", [bob], [hinge], forces=[lm.Gravity(), lm.JointFriction("pin", "swing", mu=mu, radius=radius)])


def test_a_block_slides_down_a_rail_or_stays() -> None:
    """g (sin a - mu cos a) down the rail where mu < tan a; beyond, the rail holds m g sin a."""
    run = lm.simulate(incline(mu=0.3), 1.0, step=0.01, target="interpreter")
    wanted = G * (np.sin(TILT) - 0.3 * np.cos(TILT))
    np.testing.assert_allclose(run["x"], 0.5 * wanted * run.time**2, atol=1e-12)
    np.testing.assert_allclose(run["rail_effort"][1:], -0.3 * 2.0 * G * np.cos(TILT), rtol=1e-12)
    np.testing.assert_allclose(run["rail_power"], run["rail_effort"] * run["x_rate"], atol=1e-12)
    stays = lm.simulate(incline(mu=0.6), 1.0, step=0.01, target="interpreter")
    assert not stays["x"].any() and stays["rail_sticks"].all()
    np.testing.assert_allclose(stays["rail_effort"], -2.0 * G * np.sin(TILT), rtol=1e-12)


@pytest.mark.parametrize(("static", "moves"), [(0.5, True), (0.6, False)])
def test_a_coefficient_at_rest_of_its_own(static: float, moves: bool) -> None:
    """tan 0.5 = 0.546 lies between."""
    run = lm.simulate(incline(mu=0.3, static_mu=static), 0.2, step=0.01, target="interpreter")
    assert bool(run["x"].any()) == moves


@pytest.mark.parametrize(("angle", "rate"), [(0.7, 1.3), (-0.4, -2.0), (2.0, 0.5)])
def test_the_pin_of_a_pendulum_presses_as_hard_as_the_bob_is_accelerated(angle: float, rate: float) -> None:
    """One equation for the acceleration, with the force of the pin along the rod and across it in it."""

    def missing(a: float) -> float:
        force = MASS * np.hypot(G * np.cos(angle) + LENGTH * rate**2, G * np.sin(angle) + LENGTH * a)
        turned = (INERTIA + MASS * LENGTH**2) * a + MASS * G * LENGTH * np.sin(angle)
        return float(turned + np.sign(rate) * MU * RADIUS * force)

    wanted = brentq(missing, -500.0, 500.0, xtol=1e-13)
    found = lm.accelerations(pendulum(), {"swing": angle, "swing_rate": rate})["swing_rate"]
    assert found == pytest.approx(wanted, abs=1e-11)


def test_a_pendulum_rests_within_the_friction_circle() -> None:
    """At rest the pin bears the weight: it holds where l sin(angle) <= mu radius."""
    limit = np.arcsin(MU * RADIUS / LENGTH)
    for angle, holds in ((0.999 * limit, True), (1.001 * limit, False), (-1.001 * limit, False)):
        run = lm.simulate(pendulum(), 0.1, start={"swing": angle}, step=0.01, target="interpreter")
        assert (np.ptp(run["swing"]) == 0.0) == holds


def test_thrust_along_an_axis_stops_a_turntable() -> None:
    """I omega / (p m g) after which it sticks."""
    disc = lm.Body("disc", 3.0, inertia=(0.1, 0.1, 0.2))
    axle = lm.Revolute(name="turn", parent="world", child="disc", axis=(0.0, 0.0, 1.0))
    system = lm.System("turntable", [disc], [axle], forces=[lm.Gravity(), lm.JointFriction("collar", "turn", pivoting=0.02)])
    run = lm.simulate(system, 2.0, start={"turn_rate": 3.0}, step=0.01, target="interpreter")
    assert [event.name for event in run.events] == ["collar sticks"]
    assert run.events[0].time == pytest.approx(3.0 * 0.2 / (0.02 * 3.0 * G), abs=1e-9)


def two_links() -> lm.System:
    bodies = [lm.Body(name, 1.0, com=(0.0, 0.0, -0.3), inertia=(0.02, 0.02, 0.02)) for name in "ab"]
    joints = [
        lm.Revolute(name="p", parent="world", child="a", axis=(0.0, 1.0, 0.0)),
        lm.Revolute(name="q", parent="a", child="b", at=(0.0, 0.0, -0.6), axis=(0.0, 1.0, 0.0)),
    ]
    frictions = [lm.JointFriction("f", "p", mu=0.3, radius=0.03), lm.JointFriction("g", "q", mu=0.3, radius=0.02)]
    return lm.System("two_links", bodies, joints, forces=[lm.Gravity(), *frictions])


def four_bar() -> lm.System:
    system = lm.catalogue.four_bar()
    rubs = [lm.JointFriction(f"{name}_rubs", name, mu=0.3, radius=0.02) for name in ("crank", "rocker")]
    return system.replace(forces=(*system.forces, *rubs))


@pytest.mark.parametrize(
    ("make", "start", "frictions"),
    [
        (two_links, {"p": 1.5, "q": 0.5}, {"f": ("p", 0.009), "g": ("q", 0.006)}),
        (four_bar, {"crank_rate": 3.0}, {"crank_rubs": ("crank", 0.006), "rocker_rubs": ("rocker", 0.006)}),
    ],
)
def test_frictions_of_several_joints_fit_the_reactions_of_the_record(make, start, frictions) -> None:  # type: ignore[no-untyped-def]
    """The reactions are found again from the motion, by Newton and Euler, loops included; what slides has mu radius of them."""
    run = lm.simulate(make(), 0.5, start=start, step=0.005, target="interpreter")
    assert run.status.ok
    for friction, (joint, arm) in frictions.items():
        wrench = run.reaction(joint, axes="world")
        across = np.hypot(wrench.force[:, 0], wrench.force[:, 2])
        sliding = (run[f"{friction}_sticks"] == 0.0) & (np.abs(run[f"{joint}_rate"]) > 1e-6)
        assert sliding.sum() > 50
        wanted = -arm * across * np.sign(run[f"{joint}_rate"])
        np.testing.assert_allclose(run[f"{friction}_effort"][sliding], wanted[sliding], rtol=1e-9)


def test_an_overhung_wheel_presses_its_two_bearings_as_levers_say() -> None:
    """A weight W 0.2 m beyond the near bearing and 0.3 m beyond the far one, 0.1 m apart: 3 W and -2 W, in sum five W."""
    wheel = lm.Body("wheel", 3.0, com=(0.0, 0.2, 0.0), inertia=(0.1, 0.2, 0.1))
    axle = lm.Revolute(name="turn", parent="world", child="wheel", axis=(0.0, 1.0, 0.0))
    for supports, times in (((-0.1, 0.0), 5.0), ((0.1, 0.3), 1.0), (None, 1.0)):
        friction = lm.JointFriction("journal", "turn", mu=0.1, radius=0.02, supports=supports)
        system = lm.System("overhung", [wheel], [axle], forces=[lm.Gravity(), friction])
        run = lm.simulate(system, 8.0, start={"turn_rate": 1.0}, step=0.01, target="interpreter")
        assert [event.name for event in run.events] == ["journal sticks"]
        assert run.events[0].time == pytest.approx(0.2 / (0.1 * 0.02 * times * 3.0 * G), rel=1e-9)


def drawer(mu: float, *, load: str = "offset", **bearing: object) -> lm.System:
    """A drawer of 2 kg on a rail along x, pulled 0.3 m beside it with 5 N, or along it and turned about it by 0.6 N m."""
    rail = lm.Prismatic(name="x", parent="world", child="drawer", axis=(1.0, 0.0, 0.0))
    pull = {
        "offset": [lm.BodyForce("pull", "drawer", at=(0.0, 0.3, 0.0), components=(5.0, 0.0, 0.0))],
        "turned": [
            lm.BodyForce("pull", "drawer", at=(0.0, 0.0, 0.0), components=(5.0, 0.0, 0.0)),
            lm.BodyTorque("turn", "drawer", components=(0.6, 0.0, 0.0)),
        ],
    }[load]
    friction = lm.JointFriction("rail", "x", mu=mu, **bearing)  # type: ignore[arg-type]
    return lm.System("drawer", [lm.Body("drawer", 2.0, inertia=(0.1, 0.1, 0.1))], [rail], forces=[*pull, friction])


@pytest.mark.parametrize("share", [0.5, 0.99, 1.01])
def test_a_drawer_pulled_at_one_side_is_stuck_however_hard_one_pulls(share: float) -> None:
    """Pulled e beside the rail, borne over a length L: stuck where mu >= L/(2 e), for any force."""
    run = lm.simulate(drawer(share * 0.2 / (2 * 0.3), supports=(-0.1, 0.1)), 0.1, step=0.01, target="interpreter")
    np.testing.assert_allclose(run["x"], max(0.0, 5.0 * (1.0 - share) / 2.0) * 0.5 * run.time**2, atol=1e-12)
    assert run["rail_sticks"].all() == (share > 1.0)


def test_a_moment_about_a_slider_is_borne_by_its_two_sides() -> None:
    """0.6 N m over 0.15 m presses both sides with 4 N."""
    run = lm.simulate(drawer(0.25, load="turned", width=0.15), 0.1, step=0.01, target="interpreter")
    np.testing.assert_allclose(run["rail_effort"][1:], -0.25 * 8.0, rtol=1e-12)


def test_a_rod_that_slides_through_supports_at_rest() -> None:
    """Its weight is where the rod is: borne by one bearing alone as it passes it, by levers beyond."""
    rod = lm.Body("rod", 1.0, inertia=(0.1, 0.1, 0.1))
    slide = lm.Prismatic(name="x", parent="world", child="rod", axis=(1.0, 0.0, 0.0))
    sleeve = lm.JointFriction("sleeve", "x", mu=0.1, supports=("-0.1 - x", "0.1 - x"))
    system = lm.System("rod", [rod], [slide], forces=[lm.Gravity(), sleeve])
    for x, times in ((0.0, 1.0), (0.1, 1.0), (0.3, 3.0), (-0.2, 2.0)):
        found = lm.accelerations(system, {"x": x, "x_rate": 1.0})["x_rate"]
        assert found == pytest.approx(-0.1 * times * G, rel=1e-12)


def spatial_links() -> lm.System:
    """Two links in space, with masses beside the planes in which they swing."""
    bodies = [lm.Body(name, 1.0, com=(0.1, 0.15, -0.3), inertia=(0.02, 0.03, 0.02)) for name in "ab"]
    joints = [
        lm.Revolute(name="p", parent="world", child="a", axis=(0.0, 1.0, 0.0)),
        lm.Revolute(name="q", parent="a", child="b", at=(0.0, 0.1, -0.6), axis=(1.0, 0.0, 0.0)),
    ]
    frictions = [
        lm.JointFriction("f", "p", mu=0.3, radius=0.03, supports=(-0.05, 0.1)),
        lm.JointFriction("g", "q", mu=0.3, radius=0.02, supports=(0.0, 0.2)),
    ]
    return lm.System("spatial_links", bodies, joints, forces=[lm.Gravity(), *frictions])


def wheeled() -> lm.System:
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
    tyre = lm.RollingSphere("tyre", "wheel", (0, 0.1, 0), radius=0.2, law=lm.Unilateral(friction=0.8, rolling=0.01))
    rub = lm.JointFriction("hub", "spin", mu=0.2, radius=0.02, supports=(-0.1, 0.0))
    return lm.System("wheeled", bodies, joints, contacts=[tyre], forces=[lm.Gravity(), rub], nominal={"z": 0.2})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "start", "frictions"),
    [
        (spatial_links, {"p": 1.5, "q": 0.5, "q_rate": 1.0}, {"f": ("p", 0.009, (-0.05, 0.1)), "g": ("q", 0.006, (0.0, 0.2))}),
        (wheeled, {"x_rate": 2.0, "spin_rate": 10.0, "z": 0.2}, {"hub": ("spin", 0.004, (-0.1, 0.0))}),
    ],
)
def test_supports_in_space_fit_the_reactions_of_the_record(make, start, frictions) -> None:  # type: ignore[no-untyped-def]
    """Forces at two supports from the recorded force and moment, by another formula: moments about each of the supports."""
    run = lm.simulate(make(), 0.4, start=start, step=0.005, target="interpreter")
    assert run.status.ok
    for friction, (joint, arm, places) in frictions.items():
        wrench, axis = run.reaction(joint, axes="child"), np.asarray(run.system.joint(joint).axis, dtype=float)
        sizes = np.zeros(len(run))
        for here, there in (places, places[::-1]):
            about = wrench.moment - np.cross(there * axis, wrench.force)
            across = about - np.outer(about @ axis, axis)
            sizes += np.linalg.norm(across, axis=1) / abs(here - there)
        sliding = (run[f"{friction}_sticks"] == 0.0) & (np.abs(run[f"{joint}_rate"]) > 1e-6)
        assert sliding.sum() > 40
        wanted = -arm * sizes * np.sign(run[f"{joint}_rate"])
        np.testing.assert_allclose(run[f"{friction}_effort"][sliding], wanted[sliding], rtol=1e-8)


def test_a_joint_that_jams_ends_the_run() -> None:
    """mu radius m l / (I + m l²) = 2.2: friction raises the force of the pin more than it can hold."""
    with pytest.warns(lm.RunWarning, match="not a number"):
        run = lm.simulate(pendulum(1.0, 2.0), 0.1, start={"swing_rate": 1.0}, step=0.01, target="interpreter")
    assert not run.status.ok and "jams" in str(run.status)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: pendulum(mu=-0.1), "mu is -0.1; give zero or more"),
        (lambda: incline(mu=0.3, static_mu=0.2), "static_mu is 0.2, less than the mu 0.3"),
        (lambda: incline(mu=0.3, radius=0.1), "is a slider, on which neither `radius` nor `pivoting`"),
        (lambda: pendulum(radius=None), "mu needs the radius"),  # type: ignore[arg-type]
        (lambda: drawer(0.1, supports=(0.1, 0.1)), "supports are at 0.1 and 0.1; give two places"),
        (lambda: drawer(0.1, supports=(0.1,)), "two places along the axis"),
        (lambda: drawer(0.1, width=0.0), "width is 0.0; give a positive length"),
        (lambda: drawer(0.0, supports=(0.1, 0.2)), "give mu with them"),
    ],
)
def test_bearings_that_cannot_be_are_refused(make, words: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ContactLawError, match=words):
        make()


def test_a_screw_has_no_bearing_and_certificates_refuse_loads() -> None:
    body, joint = (
        lm.Body("nut", 1.0, inertia=(0.1, 0.1, 0.1)),
        lm.Helical(name="s", parent="world", child="nut", axis=(0, 0, 1), pitch=0.1),
    )
    with pytest.raises(ContactLawError, match="neither Revolute nor Prismatic"):
        lm.System("screw", [body], [joint], forces=[lm.JointFriction("thread", "s", mu=0.1)])
    with pytest.raises(ModelError, match="pin"):
        lm.certify(pendulum())
