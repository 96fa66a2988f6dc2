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
