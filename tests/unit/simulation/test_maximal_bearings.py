"""Friction that follows the load of a joint in maximal coordinates: closed forms, and the motion of the tree.

What a joint bears is found from multipliers here, and from Newton and Euler along the tree there.
"""

import numpy as np
import pytest

import locomotor as lm
from oracles.formalisms import apart

G, TILT = 9.81, 0.5
ROUND_OFF = 1e-12


def test_a_block_on_a_rail() -> None:
    """g (sin a - mu cos a) down the rail."""
    rail = lm.Prismatic(name="x", parent="world", child="block", axis=(np.cos(TILT), 0.0, -np.sin(TILT)))
    friction = lm.JointFriction("rail", "x", mu=0.3)
    block = lm.Body("block", 2.0, inertia=(0.1, 0.1, 0.1))
    system = lm.System("incline", [block], [rail], forces=[lm.Gravity(), friction])
    free, _, states = apart(system, 0.5, 0.01, {})
    wanted = G * (np.sin(TILT) - 0.3 * np.cos(TILT))
    np.testing.assert_allclose(free["x"], 0.5 * wanted * free.time**2, atol=ROUND_OFF)
    assert states < ROUND_OFF


def test_an_overhung_wheel_presses_its_two_bearings_as_levers_say() -> None:
    """Supports at 0 and 0.2 m, the wheel at 0.3: loads of 0.5 and 1.5 of its weight, and it slows down evenly."""
    wheel = lm.Body("wheel", 2.0, com=(0.0, 0.3, 0.0), inertia=(0.03, 0.05, 0.03))
    axle = lm.Revolute(name="turn", parent="world", child="wheel", axis=(0, 1, 0))
    friction = lm.JointFriction("bush", "turn", mu=0.1, radius=0.02, supports=(0.0, 0.2))
    system = lm.System("overhung", [wheel], [axle], forces=[lm.Gravity(), friction])
    free, _, states = apart(system, 0.5, 0.01, {"turn_rate": 5.0})
    slowed = 0.1 * 0.02 * 2.0 * (2.0 * G) / 0.05
    np.testing.assert_allclose(free["turn_rate"], 5.0 - slowed * free.time, atol=1e-11)
    assert states < ROUND_OFF


def test_a_ball_in_its_seat_spins_down_under_its_weight() -> None:
    """Spinning about the vertical it bears m g, and mu radius m g slows it."""
    bob = lm.Body("bob", 1.5, com=(0.0, 0.0, -0.3), inertia=(0.02, 0.02, 0.04))
    friction = lm.JointFriction("seat", "hip", mu=0.3, radius=0.02)
    system = lm.System("ball", [bob], [lm.Spherical(name="hip", parent="world", child="bob")], forces=[lm.Gravity(), friction])
    free, _, _ = apart(system, 0.3, 0.005, {"hip_wz": 4.0})
    np.testing.assert_allclose(free["hip_wz"], 4.0 - 0.3 * 0.02 * 1.5 * G / 0.04 * free.time, atol=1e-11)
    _, _, states = apart(system, 0.2, 0.005, {"hip_wz": 4.0, "hip_wx": 2.0})
    assert states < 1e-11


def rubbing_four_bar(beside: float) -> lm.System:
    """A four-bar whose pins rub; with masses beside its plane the forces across it are not determined by the motion."""
    system = lm.catalogue.four_bar()
    rubs = [lm.JointFriction(f"{name}_rubs", name, mu=0.3, radius=0.02, pivoting=0.01) for name in ("crank", "rocker")]
    bodies = [
        lm.Body(b.name, b.mass, com=(b.com[0], beside * (k + 1), 0.0), inertia=b.inertia)  # type: ignore[union-attr, index]
        for k, b in enumerate(system.bodies)
    ]
    return system.replace(
        bodies=tuple(bodies), forces=(*system.forces, *rubs, lm.BodyForce("aside", "coupler_bar", (0, 0, 0), (0, 2.0, 0)))
    )


@pytest.mark.parametrize("beside", [0.07, pytest.param(0.0, marks=pytest.mark.slow)])
def test_pins_of_a_linkage_whose_forces_are_not_determined(beside: float) -> None:
    """Both forms take the smallest forces of the loop, and what joints bear follows; fourth order in both: 1e-9 at 0.5 ms."""
    _, _, states = apart(rubbing_four_bar(beside), 0.02, 0.0005, {"crank_rate": 4.0})
    assert states < 1e-9


def test_a_wheel_that_slips_on_the_ground_and_rubs_on_its_axle() -> None:
    """Two frictions that depend on forces at once: of the ground on the wheel and of the axle on its bearing."""
    bodies = [
        lm.Body("frame", 0.5, inertia=(0.01, 0.01, 0.01)),
        lm.Body("cart", 2.0, inertia=(0.1, 0.1, 0.1)),
        lm.Body("wheel", 1.0, com=(0.02, 0.0, 0.0), inertia=(0.01, 0.02, 0.01)),
    ]
    joints = [
        lm.Prismatic(name="x", parent="world", child="frame", axis=(1, 0, 0)),
        lm.Prismatic(name="z", parent="frame", child="cart", axis=(0, 0, 1)),
        lm.Revolute(name="spin", parent="cart", child="wheel", axis=(0, 1, 0)),
    ]
    tyre = lm.RollingSphere("tyre", "wheel", (0, 0, 0), radius=0.2, law=lm.Unilateral(friction=0.4))
    rub = lm.JointFriction("hub", "spin", mu=0.2, radius=0.02)
    system = lm.System("wheeled", bodies, joints, contacts=[tyre], forces=[lm.Gravity(), rub], nominal={"z": 0.2})
    free, times, states = apart(system, 0.1, 0.001, {"z": 0.2, "spin_rate": 10.0})
    assert free["x_rate"][-1] > 0.1  # it spins on the spot at first, and drives the cart by its friction
    assert times < 1e-9 and states < 1e-9


def test_a_joint_that_jams_ends_the_run() -> None:
    """mu radius m l / (I + m l^2) = 2.2: friction raises the force of the pin more than it can hold."""
    bob = lm.Body("bob", 1.5, com=(0.0, 0.0, -0.7), inertia=(0.2, 0.2, 0.2))
    hinge = lm.Revolute(name="swing", parent="world", child="bob", axis=(0.0, 1.0, 0.0))
    friction = lm.JointFriction("pin", "swing", mu=1.0, radius=2.0)
    system = lm.System("pendulum", [bob], [hinge], forces=[lm.Gravity(), friction])
    with pytest.warns(lm.RunWarning, match="not a number"):
        run = lm.simulate(system, 0.1, start={"swing_rate": 1.0}, step=0.01, coordinates="maximal")
    assert not run.status.ok and "jams" in str(run.status)
