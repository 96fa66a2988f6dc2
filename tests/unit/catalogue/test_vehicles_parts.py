"""Steering, suspension and a geared robot, against closed forms and another program."""

import math

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue.geared_robot import LINKS
from locomotor.catalogue.steering import ARM, TRACK, WHEELBASE, inward_angle, rod_length
from locomotor.catalogue.suspension import HIGH, LOW, LOWER, TOP, UPPER
from oracles.serial_robot import Joint, Robot


def other_end(centre: complex, radius: float, other: complex, reach: float, side: float) -> complex:
    """Where two circles meet."""
    d = abs(other - centre)
    along = (d * d + radius**2 - reach**2) / (2 * d)
    across = math.sqrt(radius**2 - along**2)
    return centre + (other - centre) / d * complex(along, side * across)


def test_the_wheel_inside_a_bend_turns_more() -> None:
    """The right angle by the intersection of two circles; Ackermann's condition holds at small angles, nearly at large ones."""
    inward = inward_angle()
    rod = rod_length(inward)
    linkage = lm.compile(lm.catalogue.steering(), target="interpreter")

    def right_of(angle: float) -> float:
        return dict(zip(linkage.state_names, linkage.start({"left": angle}), strict=True))["right"]

    left_pin, right_pin = complex(0.0, 0.5 * TRACK), complex(0.0, -0.5 * TRACK)
    for angle in (-0.4, -0.1, 0.2, 0.5):
        end = left_pin + ARM * complex(-math.cos(inward), -math.sin(inward)) * complex(math.cos(angle), math.sin(angle))
        meets = [other_end(right_pin, ARM, end, rod, side) for side in (1.0, -1.0)]
        straight = complex(-math.cos(inward), math.sin(inward))
        turns = [float(np.angle((meet - right_pin) / ARM / straight)) for meet in meets]
        wanted = min(turns, key=lambda turn: abs(turn - angle))
        assert right_of(angle) == pytest.approx(wanted, abs=1e-10)
    for left, near in ((0.02, 0.03), (0.3, 0.25)):  # in a bend to the left the left wheel is inside
        assert right_of(left) < left
        assert 1.0 / math.tan(right_of(left)) - 1.0 / math.tan(left) == pytest.approx(TRACK / WHEELBASE, rel=near)


@pytest.mark.slow
def test_a_wheel_leans_as_the_four_bar_linkage_that_holds_it() -> None:
    """Seen from the front: wishbones, upright and body, by the intersection of two circles; the tie rod keeps it straight."""
    system = lm.catalogue.suspension()
    assert len(lm.trace(system).reduction.free) == 3
    run = lm.simulate(system, 0.2, start={"heave": 0.3}, step=5e-4)
    low, high = complex(LOW[1], LOW[2]), complex(HIGH[1], HIGH[2])
    pose, body = run.pose("upright"), run.pose("body")
    for k in range(0, len(run), 40):
        ball = low + LOWER * np.exp(1j * run["lower"][k])
        meets = [other_end(high, UPPER, ball, math.hypot(*TOP), side) for side in (1.0, -1.0)]
        top = pose.position[k] - body.position[k] + pose.rotation[k] @ TOP
        assert min(abs(complex(top[1], top[2]) - meet) for meet in meets) < 2e-4  # what the tie rod turns it
    assert np.ptp(run["lower"]) > 0.02 and run.audit()["largest_gap"] < 1e-10
    assert run.audit()["energy_balance"] < 1e-5  # work of damper and tyre; its force begins within a step


def test_a_car_comes_to_rest_on_its_spring() -> None:
    """The tyre carries the whole weight in the end."""
    run = lm.simulate(lm.catalogue.suspension(), 8.0, start={"heave": 0.3}, step=5e-4, sample=0.05)
    p = run.system.parameters.values
    weight = (p["m_s"] + p["m_u"] + p["m_w"] + 6.0) * p["g"]
    rim = run.pose("rim")
    depth = 0.3 * math.sqrt(1.0 - rim.rotation[-1, 2, 1] ** 2) - rim.position[-1, 2]  # of the lowest point of a disc that leans
    assert p["k_t"] * depth == pytest.approx(weight, rel=1e-5)
    assert np.abs(run["heave_rate"][-1]) < 1e-4


def robot() -> Robot:
    return Robot(
        tuple(
            Joint(
                n.slides,
                n.axis,
                n.at,
                n.com,
                n.mass,
                np.diag(n.inertia),
                n.ratio,
                n.rotor_axis,
                n.rotor_inertia,
                n.rotor_across,
            )
            for n in LINKS
        )
    )


def test_a_geared_robot_falls_as_by_another_program() -> None:
    """Accelerations of a third program at a state, and torques of the motors by Newton-Euler with transmissions."""
    system = lm.catalogue.geared_robot()
    q, v, a = (0.4, -0.5, 0.25, 0.9), (0.7, -0.3, 0.4, 1.1), np.array([0.2, 0.5, -0.9, 0.6])
    names = [link.joint for link in LINKS]
    state = dict(zip(names, q, strict=True)) | {f"{name}_rate": x for name, x in zip(names, v, strict=True)}
    found = lm.accelerations(system, state)
    wanted = [-0.2821888903, 13.1020132971, -4.0736701208, -3.7251210365]
    assert [found[f"{name}_rate"] for name in names] == pytest.approx(wanted, abs=1e-8)
    torques = robot().efforts(np.array(q), np.array(v), a) / [link.ratio for link in LINKS]
    given = {f"{name}_rotor_torque": x for name, x in zip(names, torques, strict=True)}
    driven = lm.accelerations(system, state, given)
    assert [driven[f"{name}_rate"] for name in names] == pytest.approx(a, abs=1e-8)
