"""How contacts that resist rolling can go on: a ball on a slope beside closed forms, and beside runs."""

import math

import numpy as np
import pytest

import locomotor as lm

G, MASS, RADIUS, RESISTANCE = 9.81, 2.0, 0.1, 0.004
INERTIA = 0.4 * MASS * RADIUS**2


def ball(slope=0.0, mu=0.5, space=False, g=G, patch=None):
    """A uniform ball on a slope, in the vertical plane or in space."""
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
    law = lm.Unilateral(friction=mu, rolling=RESISTANCE, **({} if patch is None else {"patch": patch}))
    return lm.System(
        "ball",
        bodies=[*frames, lm.Body("ball", mass=MASS, inertia=np.full(3, INERTIA))],
        joints=joints,
        contacts=[lm.RollingSphere("foot", "ball", (0.0, 0.0, 0.0), RADIUS, law=law)],
        forces=[lm.Gravity((g * math.sin(slope), 0.0, -g * math.cos(slope)))],
    )


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("share", [0.999, 1.001, -1.2, 3.0])
def test_on_a_slope_it_holds_or_rolls(share, space):
    """tan(slope) = r/R is the limit; beyond it the acceleration is 5/7 g (sin - r/R cos), and the moment r N."""
    slope = math.atan(share * RESISTANCE / RADIUS)
    report = lm.contact_report(ball(slope, space=space), {"z": RADIUS})
    (way,) = report.solutions
    holds, N = abs(share) < 1.0, MASS * G * math.cos(slope)
    assert report.verdict == "one solution" and report.complete is not space
    assert way.modes == {"foot": "stick"} and way.rolling == {"foot": "rests" if holds else "rolls"}
    assert str(report).splitlines()[1] == f"  foot: stick and {way.rolling['foot']}"
    pull = 5.0 / 7.0 * G * (math.sin(abs(slope)) - RESISTANCE / RADIUS * math.cos(slope))
    moment = MASS * G * math.sin(abs(slope)) * RADIUS if holds else RESISTANCE * N
    assert way.forces["foot"][0] == pytest.approx(N)
    assert way.moments["foot"][-1] == pytest.approx(-math.copysign(moment, slope))
    assert way.turning["foot"][-1] == pytest.approx(0.0 if holds else math.copysign(pull, slope) / RADIUS, abs=1e-9)


def test_across_the_axes():
    """A ball on a slope turned by 0.7 rad begins to roll straight down, about the direction across that."""
    slope, way_down = math.atan(2.0 * RESISTANCE / RADIUS), 0.7
    pull = G * math.sin(slope)
    system = ball(space=True).replace(
        forces=[lm.Gravity((pull * math.cos(way_down), pull * math.sin(way_down), -G * math.cos(slope)))]
    )
    (way,) = lm.contact_report(system, {"z": RADIUS}).solutions
    rate = 5.0 / 7.0 * G * (math.sin(slope) - RESISTANCE / RADIUS * math.cos(slope)) / RADIUS
    assert way.rolling == {"foot": "rolls"} and np.linalg.norm(way.turning["foot"]) == pytest.approx(rate)
    np.testing.assert_allclose(
        way.moments["foot"] / np.linalg.norm(way.moments["foot"]), -way.turning["foot"] / rate, atol=1e-9
    )
    along = way.forces["foot"][1:] / np.linalg.norm(way.forces["foot"][1:])
    np.testing.assert_allclose(along, [-math.cos(way_down), -math.sin(way_down)], atol=1e-9)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_what_rolls_is_braked(sign):
    """By 5/7 r g/R, whichever way it rolls."""
    (way,) = lm.contact_report(ball(), {"z": RADIUS, "x_rate": sign, "turn_rate": sign / RADIUS}).solutions
    assert way.modes == {"foot": "stick"} and way.rolling == {"foot": "rolls"}
    assert way.turning["foot"] == pytest.approx([-sign * 5.0 / 7.0 * RESISTANCE * G / RADIUS**2])
    assert way.forces["foot"] == pytest.approx([MASS * G, -sign * 5.0 / 7.0 * RESISTANCE / RADIUS * MASS * G])


@pytest.mark.parametrize(("mu", "word"), [(0.03, "rests"), (0.1, "rolls")])
def test_what_slips_begins_to_roll_where_friction_turns_it(mu, word):
    """mu R = r is the limit; beyond it its spin grows by (mu R - r) m g/I."""
    (way,) = lm.contact_report(ball(mu=mu), {"z": RADIUS, "x_rate": 2.0}).solutions
    assert way.modes == {"foot": "slip"} and way.rolling == {"foot": word}
    spin = max(mu * RADIUS - RESISTANCE, 0.0) * MASS * G / INERTIA
    assert way.turning["foot"] == pytest.approx([spin], abs=1e-9)
    assert way.accelerations["foot"] == pytest.approx([0.0, -mu * G - RADIUS * spin], abs=1e-9)


def test_steep_slopes_make_it_slip_and_roll():
    """From rest: friction mu N, spin (mu R - r) N/I, slip g sin - mu g cos - R spin."""
    slope, mu = 0.6, 0.1
    (way,) = lm.contact_report(ball(slope, mu, space=True), {"z": RADIUS}).solutions
    N = MASS * G * math.cos(slope)
    spin = (mu * RADIUS - RESISTANCE) * N / INERTIA
    assert way.modes == {"foot": "slip"} and way.rolling == {"foot": "rolls"}
    assert way.turning["foot"] == pytest.approx([0.0, spin], abs=1e-8)
    wanted = [0.0, G * math.sin(slope) - mu * N / MASS - RADIUS * spin, 0.0]
    assert way.accelerations["foot"] == pytest.approx(wanted, abs=1e-8)


def test_what_opens_meets_no_resistance():
    (way,) = lm.contact_report(ball(g=-G), {"z": RADIUS, "turn_rate": 3.0}).solutions
    assert way.modes == {"foot": "open"} and way.rolling == {} and not way.moments["foot"].any()


def test_beside_a_patch():
    """A ball that spins on the spot and rests otherwise is braked by 2/3 mu N of its patch's radius, which rolls nothing."""
    patch = 0.005
    (way,) = lm.contact_report(ball(space=True, patch=patch), {"z": RADIUS, "spin_wz": 30.0}).solutions
    assert way.modes == {"foot": "slip"} and way.rolling == {"foot": "rests"}
    assert way.forces["foot"] == pytest.approx([MASS * G, 0.0, 0.0, -0.5 * MASS * G], abs=1e-9)
    arm = 2.0 / 3.0 * patch
    assert way.accelerations["foot"][-1] == pytest.approx(-0.5 * MASS * G * arm**2 / INERTIA)


def test_two_balls_share_what_a_bar_bears():
    """A bar on two balls, each with its own resistance, on a slope: it holds while m g sin R < sum of r N."""
    slopes = {math.atan(share * RESISTANCE / RADIUS): share < 1.0 for share in (0.9, 1.1)}
    law = lm.Unilateral(friction=0.5, rolling=RESISTANCE)
    for slope, holds in slopes.items():
        cart = lm.System(
            "cart",
            bodies=[lm.Frame("slider"), lm.Frame("rider"), lm.Body("bar", mass=1.0, inertia=np.full(3, 0.1))]
            + [lm.Body(f"ball_{k}", mass=MASS, inertia=np.full(3, INERTIA)) for k in (1, 2)],
            joints=[
                lm.Prismatic(name="x", parent="world", child="slider", axis=(1.0, 0.0, 0.0)),
                lm.Prismatic(name="z", parent="slider", child="rider", axis=(0.0, 0.0, 1.0)),
                lm.Revolute(name="pitch", parent="rider", child="bar", axis=(0.0, 1.0, 0.0)),
                *(
                    lm.Revolute(name=f"axle_{k}", parent="bar", child=f"ball_{k}", at=(x, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
                    for k, x in ((1, -0.5), (2, 0.5))
                ),
            ],
            contacts=[lm.RollingSphere(f"foot_{k}", f"ball_{k}", (0.0, 0.0, 0.0), RADIUS, law=law) for k in (1, 2)],
            forces=[lm.Gravity((G * math.sin(slope), 0.0, -G * math.cos(slope)))],
        )
        report = lm.contact_report(cart, {"z": RADIUS})
        ways = report.solutions
        assert report.complete and len(ways) == 1
        total = 5.0 * G * (math.sin(slope) - RESISTANCE / RADIUS * math.cos(slope))
        rate = 0.0 if holds else total / (5.0 + 2.0 * INERTIA / RADIUS**2) / RADIUS
        assert set(ways[0].rolling.values()) == {"rests" if holds else "rolls"}
        assert [float(ways[0].turning[name][0]) for name in ("foot_1", "foot_2")] == pytest.approx([rate, rate], abs=1e-9)
