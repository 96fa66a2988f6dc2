"""One test for each section of docs/conventions.md."""

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.lie import SE3, quaternion
from locomotor.mechanics.tree.kinematics import Instant, forward
from oracles.mechanics import rotation_from_angles

PAGE = Path(__file__).resolve().parents[2] / "docs" / "conventions.md"

RIGHT_ANGLE = math.pi / 2
LOPSIDED = ((0.30, 0.02, -0.03), (0.02, 0.25, 0.01), (-0.03, 0.01, 0.20))


@pytest.fixture(scope="module")
def bike() -> lm.System:
    return lm.catalogue.bicycle("meijaard2007")


def stone(**options: Any) -> lm.System:
    """A free body without symmetry."""
    block = lm.Body("stone", mass=2.0, com=(0.05, -0.02, 0.04), inertia=LOPSIDED)
    return lm.System("stone", [block], [lm.Free(name="base", parent="world", child="stone")], **options)


def first(system: lm.System, **start: float) -> dict[str, float]:
    """All channels at a starting state."""
    return lm.simulate(system, duration=1e-3, start=start, target="interpreter").at(0.0)


def poses(system: lm.System, **coordinates: float) -> dict[str, SE3]:
    """Pose of every body in the world, by name."""
    q = system.nominal_pose()
    for name, value in coordinates.items():
        q[system.layout.index_q(name)] = value
    kinematics = forward(Instant(system, q, np.zeros(system.layout.nv)))
    return {body.name: pose for body, pose in zip(system.bodies, kinematics.poses, strict=True)}


def test_every_section_has_its_test() -> None:
    sections = re.findall(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    named = re.findall(r"^\*Test: `(\w+)`\*$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(sections) == len(named) == len(set(named))
    assert set(named) | {"test_every_section_has_its_test"} == {n for n in globals() if n.startswith("test_")}


# -----------------------------------------------------------------------------------------------------------------


def test_units(bike: lm.System) -> None:
    run = lm.simulate(stone(forces=[lm.Gravity()]), duration=1.0)
    fallen = run["z"][0] - run["z"][-1]
    assert fallen == pytest.approx(9.81 / 2, rel=1e-12)  # metres, seconds; exact for a parabola
    known = {"m", "rad", "m/s", "rad/s", "N", "N m", "N s", "N m s", "J", "W", "1", "kg", "kg m^2", "m/s^2"}
    assert {channel.unit for channel in lm.simulate(bike, duration=1e-3).about.values()} <= known
    assert {symbol.unit for symbol in bike.layout.symbols} <= known


def test_axes(bike: lm.System) -> None:
    assert lm.Gravity().acceleration == (0.0, 0.0, -9.81)
    assert lm.Plane().normal == (0.0, 0.0, 1.0)
    run = lm.simulate(bike, duration=0.1, start={"speed": 5.0})
    assert run["x"][-1] == pytest.approx(0.5, rel=1e-9) and abs(run["y"][-1]) < 1e-12
    # The front wheel is in front, and to its left is y: x cross y is z, up.
    assert run["front_point_x"][0] > run["rear_point_x"][0]
    assert tuple(np.cross((1, 0, 0), (0, 1, 0))) == lm.Plane().normal


def test_poses() -> None:
    g_w_b = SE3(rotation_from_angles(0.3, 0.2, 0.1), np.array([1.0, 2.0, 3.0]))
    g_b_c = SE3(rotation_from_angles(-0.5, 0.1, 0.7), np.array([0.1, 0.0, -0.4]))
    point_c = np.array([0.3, -0.2, 0.9])
    assert np.allclose((g_w_b @ g_b_c).act(point_c), g_w_b.act(g_b_c.act(point_c)), atol=1e-15)
    # Columns are the axes of b seen from w.
    assert np.allclose(g_w_b.rotation @ [1.0, 0.0, 0.0], g_w_b.rotation[:, 0])


def test_twists() -> None:
    names = [symbol.name for symbol in stone().layout.velocities]
    assert names == ["speed", "sway_speed", "heave_speed", "roll_rate", "pitch_rate", "yaw_rate"]
    # Heading to the left, forward is the world's y.
    run = lm.simulate(stone(), duration=1e-3, start={"yaw": RIGHT_ANGLE, "speed": 3.0})
    assert np.allclose([run[axis][-1] for axis in "xyz"], [0.0, 3e-3, 0.0], atol=1e-12)
    # A rate about the body's own x axis, with its nose pointing to the left, turns about the world's y.
    run = lm.simulate(stone(), duration=1e-6, start={"yaw": RIGHT_ANGLE, "roll_rate": 1.0}, step=1e-6)
    R0, R1 = (quaternion.to_matrix(np.array([run[n][i] for n in ("qw", "qx", "qy", "qz")])) for i in (0, -1))
    turned = (R1 - R0) @ R0.T / 1e-6
    assert turned[0, 2] == pytest.approx(1.0, abs=1e-5)  # hat(e_y): x from z; the step is 1e-6


def test_quaternions() -> None:
    i, j, k = np.eye(4)[1:]
    assert np.array_equal(quaternion.multiply(i, j), k)
    half = math.sqrt(0.5)
    at = first(stone(), qw=half, qx=0.0, qy=0.0, qz=half)
    assert at["yaw"] == pytest.approx(RIGHT_ANGLE, abs=1e-12)
    R = quaternion.to_matrix(np.array([half, 0.0, 0.0, half]))
    assert np.allclose(R @ [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], atol=1e-15)  # forward of the body is the world's left
    run = lm.simulate(stone(), duration=1e-6, start={"yaw_rate": 2.0}, step=1e-6)
    assert (run["qz"][-1] - run["qz"][0]) / 1e-6 == pytest.approx(0.5 * 2.0, rel=1e-6)


def test_yaw_roll_pitch() -> None:
    def about(axis: int, angle: float) -> Any:
        c, s = math.cos(angle), math.sin(angle)
        R = np.eye(3)
        a, b = (axis + 1) % 3, (axis + 2) % 3
        R[a, a] = R[b, b] = c
        R[a, b], R[b, a] = -s, s
        return R

    at = first(stone(), yaw=0.4, roll=-0.3, pitch=0.2)
    R = quaternion.to_matrix(np.array([at[name] for name in ("qw", "qx", "qy", "qz")]))
    assert np.allclose(R, about(2, 0.4) @ about(0, -0.3) @ about(1, 0.2), atol=1e-14)
    assert [at[name] for name in ("yaw", "roll", "pitch")] == pytest.approx([0.4, -0.3, 0.2], abs=1e-14)
    # Ten turns are ten turns: angles do not jump.
    ball = stone().replace(bodies=[lm.Body("stone", 1.0, inertia=(1, 1, 1))])
    run = lm.simulate(ball, duration=10.0, start={"yaw_rate": 2 * math.pi})
    assert run["yaw"][-1] == pytest.approx(20 * math.pi, rel=1e-9)


def test_signs_of_angles(bike: lm.System) -> None:
    upright = first(bike)
    right = first(bike, roll=0.1)
    assert right["y"] < right["rear_point_y"] - 0.02  # the hub is to the right of where its wheel touches
    body = stone()
    quarter = {"roll": (0.0, -1.0, 0.0), "pitch": (1.0, 0.0, 0.0), "yaw": (0.0, 0.0, 1.0)}
    for angle, top in quarter.items():
        at = first(body, **{angle: RIGHT_ANGLE - 1e-9 if angle == "roll" else RIGHT_ANGLE})
        R = quaternion.to_matrix(np.array([at[name] for name in ("qw", "qx", "qy", "qz")]))
        assert np.allclose(R[:, 2], top, atol=1e-8), angle  # where the top of the body points to
    # The left end of the front axle comes back when the handlebar is turned to the left.
    assert poses(bike, steer=0.1)["front_disc"].rotation[0, 1] == pytest.approx(-math.sin(0.1) * math.cos(math.pi / 10))
    turned = lm.simulate(bike.with_motions({"steer": "0.1"}), duration=0.5, start={"speed": 3.0, "roll": 0.0})
    assert turned["yaw"][-1] > 0.0 and turned["y"][-1] > 0.0  # steering left goes left
    rolling = first(bike, speed=3.0)
    assert rolling["rear_wheel_rate"] == pytest.approx(3.0 / 0.3) and rolling["front_wheel_rate"] > 0.0
    assert upright["roll"] == upright["pitch"] == upright["yaw"] == 0.0


def test_axes_of_the_sources() -> None:
    to_ours = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])  # (x, y, z) from (s, n, a)
    assert np.linalg.det(to_ours) == pytest.approx(1.0)
    # The self-stabilising run of Mauny's thesis: after 5 s the rear hub is at (n, a) = (22.5870, -4.8175) m, leaning by
    # phi_0 = -0.009413 (from an independent implementation in the sources' axes, rounded to four and six decimals).
    run = lm.simulate(lm.catalogue.bicycle("mauny2018"), duration=5.0, start={"speed": 4.6, "roll_rate": 0.5})
    assert (run["x"][-1], run["y"][-1]) == pytest.approx((22.5870, -4.8175), abs=6e-5)
    assert -run["roll"][-1] == pytest.approx(-0.009413, abs=6e-7)
    assert run["steer"][-1] == pytest.approx(-0.006403, abs=6e-7)
    # Meijaard's steer torque-free canonical form: lean to the right, steer to the right.
    mass = lm.linearise(lm.catalogue.bicycle("meijaard2007"), about={"speed": 5.0}).mass
    assert mass[0, 1] == pytest.approx(-2.31941332208709, rel=1e-9)


def test_placement_of_joints() -> None:
    arm = lm.System(
        "arm",
        [lm.Body("post", 1.0, inertia=(1, 1, 1)), lm.Body("arm", 1.0, inertia=(1, 1, 1))],
        [
            lm.Revolute(name="swivel", parent="world", child="post", at=(0, 0, 2.0), axis=(0, 0, 1)),
            lm.Revolute(name="elbow", parent="post", child="arm", at=(1.0, 0, 0), rotation=(RIGHT_ANGLE, 0, 0), axis=(0, 0, 1)),
        ],
    )
    placed = poses(arm)["arm"]
    assert np.allclose(placed.translation, [1.0, 0.0, 2.0])
    assert np.allclose(placed.rotation[:, 2], [0.0, -1.0, 0.0], atol=1e-15)  # z of the placement: up, turned about x
    moved = poses(arm, swivel=RIGHT_ANGLE, elbow=RIGHT_ANGLE)["arm"]
    assert np.allclose(moved.translation, [0.0, 1.0, 2.0], atol=1e-15)
    # motion is applied last, about the placement's own z: x of the arm turns into y of the placement, up.
    assert np.allclose(moved.rotation[:, 0], [0.0, 0.0, 1.0], atol=1e-15)


def test_inertia() -> None:
    # Two points of 1 kg at (1, 1, 0) and (-1, -1, 0), and a little more to be positive: I_xy = -sum m x y = -2.
    body = lm.Body("dumbbell", 2.0, com=(5.0, 0.0, 0.0), inertia=((2.1, -2, 0), (-2, 2.1, 0), (0, 0, 4)))
    system = lm.System("dumbbell", [body], [lm.Free(name="base", parent="world", child="dumbbell")])
    # Spinning about the line through the points takes almost nothing, about the line across it almost everything.
    c = math.sqrt(0.5)
    along = first(system, roll_rate=c, pitch_rate=c, heave_speed=5 * c)  # the centre of mass stands still
    across = first(system, roll_rate=c, pitch_rate=-c, heave_speed=-5 * c)
    assert along["kinetic_energy"] == pytest.approx(0.1 / 2, rel=1e-12)
    assert across["kinetic_energy"] == pytest.approx(4.1 / 2, rel=1e-12)


def test_state_vector(bike: lm.System) -> None:
    compiled = lm.compile(bike)
    coordinates = ["x", "y", "z", "qw", "qx", "qy", "qz", "steer", "front_wheel", "rear_wheel"]
    assert compiled.state_names == (*coordinates, "roll_rate", "steer_rate", "rear_wheel_rate")
    assert [joint.name for joint in bike.joints] == ["base", "steer", "front_wheel", "rear_wheel"]  # depth first
    assert len(compiled.dynamics(np.zeros(1), compiled.start({}), np.zeros(3), np.zeros(0))[0]) == 12  # 3 for 4
    driven = lm.compile(bike.with_motions({"steer": "0.1*t"}))
    assert driven.state_names == (*(n for n in coordinates if n != "steer"), "roll_rate", "rear_wheel_rate")
    loop = lm.Controller(lambda c: {"steer_torque": c["sum"], "sum": c["steer"]}, states={"sum": 0.0})
    assert lm.trace(bike, controller=loop).state_port.names[-1] == "sum"


def test_names() -> None:
    def symbols(joint: Any) -> tuple[list[str], list[str]]:
        ball = lm.Body("ball", 1.0, inertia=(1, 1, 1))
        root = lm.Fixed(name="root", parent="world", child="post")
        layout = lm.System("s", [lm.Body("post", 1.0, inertia=(1, 1, 1)), ball], [root, joint]).layout
        return [s.name for s in layout.coordinates], [s.name for s in layout.velocities]

    place: dict[str, Any] = {"name": "j", "parent": "post", "child": "ball"}
    x = (1.0, 0.0, 0.0)
    for scalar in (lm.Revolute(**place, axis=x), lm.Prismatic(**place, axis=x), lm.Helical(**place, axis=x, pitch=0.1)):
        assert symbols(scalar) == (["j"], ["j_rate"])
    assert symbols(lm.Universal(**place, axes=(x, (0, 1, 0)))) == (["j_1", "j_2"], ["j_1_rate", "j_2_rate"])
    assert symbols(lm.Spherical(**place)) == (["j_qw", "j_qx", "j_qy", "j_qz"], ["j_wx", "j_wy", "j_wz"])
    assert symbols(lm.Translation(**place)) == (["j_x", "j_y", "j_z"], ["j_x_rate", "j_y_rate", "j_z_rate"])
    assert symbols(lm.Planar(**place)) == (["j_x", "j_y", "j_yaw"], ["j_speed", "j_sway_speed", "j_yaw_rate"])
    assert symbols(lm.Free(**place))[1][0] == "j_speed"
    ball = lm.Body("ball", 1.0, inertia=(1, 1, 1))
    root = lm.System("s", [ball], [lm.Planar(name="j", parent="world", child="ball")])
    assert [s.name for s in root.layout.coordinates] == ["x", "y", "yaw"]
    run = lm.simulate(lm.catalogue.bicycle().with_motions({"steer": "0"}), duration=1e-3)
    for name in ("yaw", "roll", "pitch", "rear_contact_angle", "steer_drive_torque"):
        assert name in run
    for name in ("rear_point_x", "rear_force_z", "rear_gap", "rear_x_slip", "rear_x_multiplier"):
        assert name in run


def test_contact_angles(bike: lm.System) -> None:
    upright = first(bike)
    assert upright["rear_contact_angle"] == pytest.approx(math.pi, abs=1e-12)
    assert upright["front_contact_angle"] == pytest.approx(math.pi + math.pi / 10, abs=1e-12)
    assert first(bike, rear_wheel=1.0, front_wheel=2.0)["rear_contact_angle"] == pytest.approx(math.pi, abs=1e-12)
    # Steering either way moves both contact points forward along their tyres.
    turned = first(bike, steer=0.5)
    assert turned["rear_contact_angle"] < upright["rear_contact_angle"]
    assert turned["front_contact_angle"] < upright["front_contact_angle"]


def test_gaps(bike: lm.System) -> None:
    run = lm.simulate(bike, duration=0.1, start={"z": 0.35, "speed": 4.0}, assemble=False)
    assert run["rear_gap"] == pytest.approx(0.05, abs=1e-12)  # lifted by 50 mm, it rolls on a plane 50 mm higher
    assert run["front_gap"] == pytest.approx(0.05, abs=1e-12)
    assert abs(first(bike, roll=0.3, steer=0.4)["front_gap"]) < 1e-11  # closed for the user


def test_forces_of_the_ground(bike: lm.System) -> None:
    run = lm.simulate(bike, duration=1e-3)
    total = run.forces["rear"][0] + run.forces["front"][0]
    assert total == pytest.approx([0.0, 0.0, 94 * 9.81], abs=1e-9)
    assert run.forces["rear"][0, 2] == pytest.approx(612.836, abs=6e-4) and run.forces["front"][0, 2] > 0.0
    # Root axes: a bicycle that heads to the left carries the same multipliers.
    turned = lm.simulate(bike, duration=1e-3, start={"yaw": RIGHT_ANGLE, "speed": 4.0, "roll": 0.1})
    straight = lm.simulate(bike, duration=1e-3, start={"speed": 4.0, "roll": 0.1})
    assert turned["rear_y_multiplier"][0] == pytest.approx(straight["rear_y_multiplier"][0], rel=1e-9)
    assert turned["rear_force_x"][0] == pytest.approx(-straight["rear_force_y"][0], rel=1e-9)


def test_forces_of_loops() -> None:
    """A body that stands on a rod presses it, and one that hangs on a spherical joint of the world is pulled up."""
    body = lm.Body("body", 2.0, (0, 0, 0), (0.1, 0.1, 0.1))
    joint = lm.Prismatic(name="lift", parent="world", child="body", axis=(0.0, 0.0, 1.0))
    for closure, name in (
        (lm.RodClosure("hold", "world", "body", (0, 0, -1), length=1.0), "hold_multiplier"),
        (lm.SphericalClosure("hold", "world", "body"), "hold_z_multiplier"),
    ):
        system = lm.System("held", bodies=[body], joints=[joint], loops=[closure], forces=[lm.Gravity()])
        run = lm.simulate(system, 0.01, step=0.01, target="interpreter")
        assert run[name][0] == pytest.approx(2.0 * 9.81, rel=1e-12)


def test_torques_of_drives() -> None:
    wheel = lm.Body("wheel", 1.0, inertia=(0.1, 0.2, 0.1))
    frame = lm.Body("frame", 5.0, inertia=(1, 1, 1))
    axle = lm.Revolute(name="wheel_angle", parent="frame", child="wheel", axis=(0, 1, 0), drive=lm.Torque("u"))
    joints = [lm.Free(name="base", parent="world", child="frame"), axle]
    rates = lm.accelerations(lm.System("s", [frame, wheel], joints, inputs=[lm.Input("u", "N m")]), inputs={"u": 2.0})
    assert rates["pitch_rate"] == pytest.approx(-2.0 / 1.0, rel=1e-12)  # the frame pitches back
    assert rates["wheel_angle_rate"] + rates["pitch_rate"] == pytest.approx(2.0 / 0.2, rel=1e-12)


def test_accelerations() -> None:
    cart = lm.System(
        "cart",
        [lm.Body("cart", 1.0, inertia=(1, 1, 1))],
        [lm.Planar(name="base", parent="world", child="cart")],
        [lm.Skate("blade", body="cart", at=(0, 0, 0), heading=(1, 0, 0))],
    )
    turning = {"speed": 3.0, "yaw_rate": 2.0}
    assert all(abs(rate) < 1e-12 for rate in lm.accelerations(cart, turning).values())
    (acceleration, turn) = forward(Instant(cart, np.zeros(3), np.array([3.0, 0.0, 2.0]))).accelerations(None)[0]
    assert acceleration == pytest.approx([0.0, 3.0 * 2.0, 0.0])  # centripetal, to the left
    assert turn == pytest.approx([0.0, 0.0, 0.0])


def test_energy() -> None:
    at = first(stone(forces=[lm.Gravity()]), z=3.0, speed=4.0)
    assert at["kinetic_energy"] == pytest.approx(0.5 * 2.0 * 4.0**2, rel=1e-12)
    assert at["potential_energy"] == pytest.approx(2.0 * 9.81 * (3.0 + 0.04), rel=1e-12)
    slider = lm.System(
        "slider",
        [lm.Body("block", 1.0, inertia=(1, 1, 1))],
        [lm.Prismatic(name="s", parent="world", child="block", axis=(1, 0, 0))],
        forces=[lm.JointSpring("spring", "s", stiffness=10.0, rest=0.2)],
    )
    assert first(slider, s=0.5)["potential_energy"] == pytest.approx(0.5 * 10.0 * 0.3**2, rel=1e-12)
