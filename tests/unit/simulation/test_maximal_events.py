"""Contacts that open in maximal coordinates: the same events and the same motion as in those of the tree."""

import numpy as np
import pytest

import locomotor as lm
from oracles.formalisms import apart


def box(**law: float) -> lm.System:
    corners = [(0.1, 0.08), (-0.1, 0.08), (0.1, -0.08), (-0.1, -0.08)]
    contacts = [
        lm.StickingPoint(f"corner_{k}", "box", at=(x, y, -0.05), law=lm.Unilateral(**law)) for k, (x, y) in enumerate(corners)
    ]
    body = lm.Body("box", 1.0, inertia=(0.01, 0.012, 0.02))
    return lm.System(
        "box", [body], [lm.Free(name="base", parent="world", child="box")], contacts=contacts, forces=[lm.Gravity()]
    )


def test_a_box_tumbles_and_bounces() -> None:
    """Bodies alone have the same equations in both forms: round-off."""
    start = {"z": 0.3, "roll": 0.3, "pitch": 0.2, "yaw_rate": 2.0, "roll_rate": 1.0, "speed": 0.3}
    free, times, states = apart(box(restitution=0.5, friction=0.3), 0.4, 0.002, start)
    assert sum(event.name.endswith("impact") for event in free.events) >= 3
    assert times < 1e-13 and states < 1e-12


def test_a_box_slides_on_its_corners_and_stops() -> None:
    """Friction is found together with the forces of all conditions; four corners share the weight as the smallest forces do."""
    free, times, states = apart(box(friction=0.4), 0.2, 0.005, {"z": 0.05, "speed": 0.5, "sway_speed": 0.2})
    assert {"corner_0 sticks", "corner_3 sticks"} <= {event.name for event in free.events}
    stop = np.hypot(0.5, 0.2) / (0.4 * 9.81)
    assert free.events[0].time == pytest.approx(stop, abs=1e-9) and times < 1e-9 and states < 1e-9


def hopper() -> lm.System:
    """Two links with a spring between them that bounce on a foot."""
    bodies = [
        lm.Body("shank", 1.0, com=(0.0, 0.0, 0.1), inertia=(0.02, 0.02, 0.01)),
        lm.Body("thigh", 0.8, com=(0.0, 0.0, 0.15), inertia=(0.02, 0.02, 0.01)),
    ]
    joints = [
        lm.Free(name="base", parent="world", child="shank"),
        lm.Revolute(name="knee", parent="shank", child="thigh", at=(0.0, 0.0, 0.25), axis=(0, 1, 0)),
    ]
    foot = lm.StickingPoint("foot", "shank", at=(0.0, 0.0, 0.0), law=lm.Unilateral(restitution=0.5, friction=0.7))
    forces = [lm.Gravity(), lm.JointSpring("spring", "knee", 2.0, -0.2)]
    return lm.System("hopper", bodies, joints, contacts=[foot], forces=forces)


@pytest.mark.parametrize("step", [0.002, pytest.param(0.0005, marks=pytest.mark.slow)])
def test_a_chain_of_two_links_hops_and_comes_to_rest_on_its_foot(step: float) -> None:
    """Fourth order in both forms, with other errors: 256 times nearer at a quarter of the step; rates are about 10 rad/s."""
    free, times, states = apart(hopper(), 0.25, step, {"z": 0.02, "pitch": 0.1, "knee": 0.8, "roll": 0.05})
    assert {"foot impact", "foot rest"} <= {event.name for event in free.events}
    assert times < 3e-9 * (step / 0.002) ** 4 and states < 2.5e-7 * (step / 0.002) ** 4


def test_a_linkage_puts_its_foot_down() -> None:
    """A four-bar whose coupler has a foot; of 20 conditions of its joints 17 are independent."""
    four_bar = lm.catalogue.four_bar()
    floor = lm.Plane("floor", point=(0.0, 0.0, 0.22), normal=(0, 0, 1))
    foot = lm.SlidingPoint("foot", "coupler_bar", at=(0.4, 0.0, -0.25), ground="floor", law=lm.Unilateral(restitution=0.6))
    system = four_bar.replace(grounds=(*four_bar.grounds, floor), contacts=(foot,))
    free, times, states = apart(system, 0.2, 0.0005, {"crank": -1.2, "crank_rate": 4.0})
    assert [event.name for event in free.events].count("foot impact") >= 1
    assert free.settings["rows"] == 20 and times < 1e-9 and states < 1e-9


def test_a_linkage_stands_on_a_foot_that_takes_its_last_motion() -> None:
    """The foot under the end of the crank stops all that moves: conditions of loop and contact are more than velocities.

    It stands at 0.3 sin(crank) = 0.1, and its force has the work of the potential energy along its circle.
    """
    four_bar = lm.catalogue.four_bar()
    floor = lm.Plane("floor", point=(0.0, 0.0, -0.1))
    foot = lm.StickingPoint("foot", "crank_bar", at=("crank_length", 0.0, 0.0), ground="floor", law=lm.Unilateral())
    system = four_bar.replace(grounds=(*four_bar.grounds, floor), contacts=(foot,))
    start = {"crank_rate": 1.0}
    ways: tuple[dict[str, str], ...] = ({"solver": "traced"}, {"coordinates": "maximal"})
    runs = [lm.simulate(system, 0.6, start=start, step=0.01, target="interpreter", **way) for way in ways]
    stands = np.arcsin(1 / 3)
    poses = [{"crank": stands + by, "crank_rate": 0.0} for by in (-1e-4, 1e-4)]
    near = [lm.simulate(four_bar, 1e-3, start=pose, assemble=True, target="interpreter") for pose in poses]
    (a, b), (u, w) = ([run[name][0] for run in near] for name in ("crank", "potential_energy"))
    wanted = (w - u) / (b - a)
    for run in runs:
        assert [event.name for event in run.events] == ["foot impact"] and run.status.ok
        assert run["crank"][-1] == pytest.approx(stands, abs=1e-9) and abs(run["crank_rate"][-1]) < 1e-9
        work = -0.3 * (np.sin(stands) * run["foot_force_x"][-1] + np.cos(stands) * run["foot_force_z"][-1])
        assert work == pytest.approx(wanted, rel=1e-6)


@pytest.mark.slow
def test_joints_with_stops_and_dry_friction() -> None:
    """A hinge and a ball joint that rub, and a stop: what sticks is a condition as well."""
    bodies = [
        lm.Body("upper", 1.0, com=(0.05, 0.0, -0.2), inertia=(0.02, 0.02, 0.01)),
        lm.Body("lower", 0.8, com=(0.0, 0.0, -0.15), inertia=(0.01, 0.01, 0.004)),
    ]
    joints = [
        lm.Spherical(name="hip", parent="world", child="upper"),
        lm.Revolute(name="knee", parent="upper", child="lower", at=(0, 0, -0.4), axis=(0, 1, 0)),
    ]
    forces = [lm.Gravity(), lm.JointFriction("knee_rubs", "knee", 0.1), lm.JointFriction("hip_rubs", "hip", 0.8)]
    stop = lm.Coupling("stop", "knee + 0.1", law=lm.Unilateral(restitution=0.3))
    system = lm.System("leg", bodies, joints, constraints=[stop], forces=forces)
    free, times, states = apart(system, 1.5, 0.002, {"knee": 0.8, "hip_wx": 2.0, "hip_wz": 1.0})
    assert {"stop impact", "knee_rubs sticks", "hip_rubs sticks"} <= {event.name for event in free.events}
    assert times < 1e-7 and states < 1e-6


def test_a_grip_holds_where_it_is() -> None:
    """A hand that grips above the ground is not drawn to it."""
    body = lm.Body("bob", 1.0, com=(0.0, 0.0, -0.3), inertia=(0.02, 0.02, 0.01))
    hand = lm.StickingPoint("hand", "bob", at=(0.0, 0.0, 0.0), law=lm.Grip("0.1 - t"))
    system = lm.System(
        "acrobat", [body], [lm.Free(name="base", parent="world", child="bob")], contacts=[hand], forces=[lm.Gravity()]
    )
    free, times, states = apart(system, 0.2, 0.002, {"z": 1.0, "pitch": 0.5})
    assert free["z"][free.time < 0.1] == pytest.approx(1.0, abs=1e-12) and free["z"][-1] < 0.99
    assert times < 1e-12 and states < 1e-9


def ball(law: lm.Unilateral, *, carried: bool = False) -> lm.System:
    """A ball on the ground, or on a board that slides on it against a spring."""
    bodies, joints = [lm.Body("ball", 2.0, inertia=(0.01, 0.01, 0.01))], [lm.Free(name="base", parent="world", child="ball")]
    forces: list[object] = [lm.Gravity()]
    if carried:
        bodies.append(lm.Body("board", 3.0, inertia=(0.1, 0.1, 0.1)))
        joints.append(lm.Prismatic(name="slide", parent="world", child="board", axis=(1, 0, 0)))  # type: ignore[arg-type]
        forces.append(lm.JointSpring("mooring", "slide", 30.0))
    touch = lm.RollingSphere("touch", "ball", (0, 0, 0), radius=0.1, law=law)
    ground = lm.Plane("ground", body="board" if carried else "world")
    return lm.System("ball", bodies, joints, contacts=[touch], grounds=[ground], forces=forces)


TURNING = [
    (lm.Unilateral(friction=0.5, rolling=0.004), False, 1.2, {"touch rolls", "touch stops"}),
    (lm.Unilateral(friction=0.4, patch=0.02), False, 0.7, {"touch rolls"}),
    (lm.Unilateral(friction=0.4, patch=0.02, rolling=0.02), True, 0.15, {"touch stops"}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("law", "carried", "duration", "events"), TURNING)
def test_patches_and_rolling_resistance(law: lm.Unilateral, carried: bool, duration: float, events: set[str]) -> None:
    """Spinning and rolling that are held are conditions, those that go on rub in proportion to the normal force."""
    start = {"z": 0.1, "speed": 0.3, "sway_speed": 0.1, "pitch_rate": 2.0, "yaw_rate": 4.0}
    free, times, states = apart(ball(law, carried=carried), duration, 0.001, start)
    assert events <= {event.name for event in free.events} and times < 1e-9 and states < 1e-9
