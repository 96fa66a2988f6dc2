"""Wrenches of joints along runs: closed forms, other formalisms, and what holds of every joint."""

import math

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import UnknownNameError
from locomotor.simulation.maximal import Maximal
from locomotor.viewing.page.payload import payload_of
from locomotor.viewing.scene.playback import playback_of

Q, V = np.array([0.6, -0.8]), np.array([1.2, 2.5])


def double_pendulum() -> lm.System:
    """Two bodies on hinges whose axes are not parallel."""
    return lm.System(
        "double",
        [
            lm.Body("first", 2.0, (0, 0, -0.5), (0.17, 0.16, 0.02)),
            lm.Body("second", 1.5, (0.1, 0, -0.4), (0.09, 0.08, 0.015)),
        ],
        [
            lm.Revolute(name="x", parent="world", child="first", axis=(1, 0, 0)),
            lm.Revolute(name="y", parent="first", child="second", at=(0, 0, -1), axis=(0, 1, 0)),
        ],
        forces=[lm.Gravity(), lm.JointSpring("spring", "y", 3.0, 0.2)],
    )


@pytest.mark.slow
def test_the_force_of_the_ground_on_a_double_pendulum() -> None:
    """Numbers of an independent program, without the spring; with it, the moment about the axis is its effort."""
    start = {"x": 0.6, "y": -0.8, "x_rate": 1.2, "y_rate": 2.5}
    free = double_pendulum().replace(forces=[lm.Gravity()])
    run = lm.simulate(free, 0.002, start=start, step=0.001, target="interpreter")
    assert run.reaction("x").force[0] == pytest.approx([-8.2679727387, -11.634448047, 23.3473482643], abs=1e-9)
    _, multipliers = Maximal(free).accelerations(0.0, Maximal(free).state(Q, V))
    assert run.reaction("y").force[0] == pytest.approx(multipliers[5:8], abs=1e-9)
    sprung = lm.simulate(double_pendulum(), 0.002, start=start, step=0.001, target="interpreter")
    assert sprung.reaction("y", axes="child").moment[:, 1] == pytest.approx(-3.0 * (sprung["y"] - 0.2), abs=1e-12)
    assert sprung.reaction("x", axes="parent").moment[:, 0] == pytest.approx(0.0, abs=1e-12)
    world, parent = sprung.reaction("y"), sprung.reaction("y", axes="parent")
    R = sprung.pose("first").rotation
    assert np.einsum("nij,nj->ni", R, parent.force) == pytest.approx(world.force, abs=1e-12)


def test_a_pendulum_pulls_by_its_weight_and_its_turning() -> None:
    """Along the rod m (g cos + l theta'²) for a bob."""
    m, length = 0.7, 0.8
    bob = lm.Body("bob", m, (0, 0, -length), (1e-9,) * 3)
    system = lm.System("p", [bob], [lm.Revolute(name="q", parent="world", child="bob", axis=(0, 1, 0))], forces=[lm.Gravity()])
    run = lm.simulate(system, 0.5, start={"q": 1.0}, step=1e-3, sample=0.05)
    found = run.reaction("q", axes="child")
    assert found.force[:, 2] == pytest.approx(m * (9.81 * np.cos(run["q"]) + length * run["q_rate"] ** 2), abs=1e-7)
    assert found.moment[:, 1] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.slow
def test_a_linkage_is_held_as_by_another_formalism() -> None:
    """A four-bar linkage: wrenches of the tree and of the loop, against all joints as conditions."""
    system = lm.catalogue.four_bar(closure="spherical")
    run = lm.simulate(system, 0.01, start={"crank_rate": 5.0}, step=1e-3)
    motion = Maximal(system)
    q = np.array([run[s.name][0] for s in system.layout.coordinates])
    v = np.array([run[s.name][0] for s in system.layout.velocities])
    _, multipliers = motion.accelerations(0.0, motion.state(q, v))
    for k, joint in enumerate(system.joints):  # five rows a hinge, three of them forces in world axes
        ours = run.reaction(joint.name).force[0]
        assert ours[[0, 2]] == pytest.approx(multipliers[5 * k : 5 * k + 3][[0, 2]], abs=1e-8)


@pytest.mark.slow
def test_contacts_gears_and_imposed_joints_are_balanced() -> None:
    """A free root transmits nothing whatever acts: wheels on the ground, an imposed joint, a controller."""
    bike = lm.catalogue.bicycle("meijaard2007").with_motions({"steer": "0.1*sin(3*t)"})
    run = lm.simulate(bike, 0.3, start={"speed": 4.0}, step=0.005)
    root = run.reaction(bike.joints[0].name)
    assert np.abs(root.force).max() < 1e-7 and np.abs(root.moment).max() < 1e-7
    wheel = run.reaction("front_wheel", axes="child")
    assert np.abs(wheel.moment[:, 1]).max() < 1e-7 and np.abs(wheel.force).max() > 100.0  # turns freely, and carries
    steer = next(joint for joint in bike.joints if joint.name == "steer")
    axis = np.asarray(lm.model.evaluate(steer.axis, bike.parameters.values), dtype=float)
    assert run.reaction("steer", axes="child").moment @ axis == pytest.approx(run.torques["steer"], abs=1e-7)


@pytest.mark.slow
def test_a_box_slides_with_friction_and_its_load_is_carried_below() -> None:
    """Ball on a lane: the joint between carrier and ball transmits what friction does, in every mode of the run."""
    run = lm.simulate(lm.catalogue.bowling_ball(), 1.5, start={"x_rate": 8.0, "spin_wy": 0.0}, step=0.01, sample=0.3)
    spin = run.reaction("spin")
    assert np.abs(spin.moment).max() < 1e-9 and np.abs(spin.force).max() < 1e-9  # a carrier without mass holds nothing
    assert math.isclose(run["lane_force_z"][1], 6.0 * 9.81, rel_tol=1e-9)


def test_what_stands_on_a_body_is_carried_by_its_joint() -> None:
    """A block on the top of a cart: the cart's joint carries both weights."""
    system = lm.System(
        "stack",
        [lm.Body("cart", 3.0, inertia=(0.1, 0.1, 0.1)), lm.Body("block", 2.0, inertia=(0.1, 0.1, 0.1))],
        [
            lm.Prismatic(name="x", parent="world", child="cart", axis=(1, 0, 0)),
            lm.Prismatic(name="z", parent="world", child="block", axis=(0, 0, 1)),
        ],
        contacts=[lm.SlidingPoint("foot", body="block", at=(0.1, 0.0, 0.0), ground="top")],
        grounds=[lm.Plane("top", body="cart", point=(0, 0, 0.2))],
        forces=[lm.Gravity()],
        nominal={"z": 0.2},
    )
    run = lm.simulate(system, 0.002, step=0.001, target="interpreter")
    assert run.reaction("x").force[0] == pytest.approx([0.0, 0.0, 5.0 * 9.81], abs=1e-10)
    assert run.reaction("x").moment[0] == pytest.approx([0.0, -0.1 * 2.0 * 9.81, 0.0], abs=1e-10)
    assert run.reaction("z").force[0] == pytest.approx([0.0, 0.0, 0.0], abs=1e-10)  # the contact carries it


def wheel_out_of_balance() -> tuple[lm.System, dict[str, float], str]:
    bodies = [
        lm.Frame("frame"),
        lm.Body("carrier", 2.0, inertia=(0.1, 0.1, 0.1)),
        lm.Body("wheel", 1.0, com=(0.05, 0.0, 0.0), inertia=(0.01, 0.02, 0.01)),
    ]
    joints = [
        lm.Prismatic(name="x", parent="world", child="frame", axis=(1, 0, 0)),
        lm.Prismatic(name="z", parent="frame", child="carrier", axis=(0, 0, 1)),
        lm.Revolute(name="spin", parent="carrier", child="wheel", axis=(0, 1, 0)),
    ]
    tyre = lm.RollingSphere("tyre", "wheel", (0, 0, 0), radius=0.2, law=lm.Unilateral(friction=0.8, rolling=0.02))
    system = lm.System("wheel", bodies, joints, contacts=[tyre], forces=[lm.Gravity()], nominal={"z": 0.2})
    return system, {"x_rate": 1.0, "spin_rate": 5.0, "z": 0.2}, "spin"


def puck_out_of_balance() -> tuple[lm.System, dict[str, float], str]:
    bodies = [
        lm.Body("carrier", 2.0, inertia=(0.1, 0.1, 0.1)),
        lm.Body("puck", 1.0, com=(0.05, 0, 0), inertia=(0.1, 0.1, 0.02)),
    ]
    joints = [
        lm.Translation(name="base", parent="world", child="carrier"),
        lm.Revolute(name="yaw", parent="carrier", child="puck", axis=(0, 0, 1)),
    ]
    foot = lm.StickingPoint("foot", "puck", at=(0, 0, 0), law=lm.Unilateral(friction=0.3, patch=0.1))
    system = lm.System("puck", bodies, joints, contacts=[foot], forces=[lm.Gravity()])
    return system, {"x_rate": 1.0, "y_rate": 0.0, "yaw_rate": 5.0}, "yaw"


@pytest.mark.slow
@pytest.mark.parametrize("make", [wheel_out_of_balance, puck_out_of_balance])
def test_moments_of_the_ground_are_part_of_the_loads(make) -> None:  # type: ignore[no-untyped-def]
    """Along x nothing but the joint acts on the carrier: -2 kg times its acceleration, by differences of its velocity."""
    system, start, joint = make()
    run = lm.simulate(system, 0.1, start=start, step=0.001, target="interpreter")
    assert (
        run.status.ok
        and not list(run.events)
        and np.abs(run[f"{system.contacts[0].name}_moment_{'zy'[joint == 'spin']}"]).min() > 0.05
    )
    found = run.reaction(joint, axes="world").force[1:-1, 0]
    differences = (run["x_rate"][2:] - run["x_rate"][:-2]) / (run.time[2:] - run.time[:-2])
    np.testing.assert_allclose(found, -2.0 * differences, atol=3e-5)  # h² times a third derivative of some tens


def test_unknown_joints_and_axes_are_refused() -> None:
    run = lm.simulate(double_pendulum(), 0.002, step=0.001, target="interpreter")
    with pytest.raises(UnknownNameError, match="no joint is named 'knee'"):
        run.reaction("knee")
    with pytest.raises(lm.errors.LocomotorError, match="'world', 'parent', 'child'"):
        run.reaction("x", axes="body")


def test_reactions_become_channels_and_arrows() -> None:
    """A pendulum at rest hangs by its weight; the page gets an arrow at the origin of the child."""
    run = lm.simulate(double_pendulum(), 0.01, step=0.001, target="interpreter").with_reactions("x")
    assert run["x_reaction_z"][0] == pytest.approx(3.5 * 9.81, rel=0.05)  # the spring has begun to turn the second body
    np.testing.assert_array_equal(run["x_moment_y"], run.reaction("x").moment[:, 1])
    assert run.about["x_moment_y"].unit == "N m" and "y_reaction_x" not in run
    everything = run.with_reactions()
    assert {"x_reaction_x", "y_reaction_x"} <= set(everything.group("reactions"))
    table = payload_of(playback_of(everything)).table
    assert [(arrow["name"], arrow["body"], arrow["force"]) for arrow in table["scene"]["wings"]] == [
        ("x", 0, "reaction"),
        ("y", 1, "reaction"),
    ]
    with pytest.raises(UnknownNameError, match="no joint is named 'knee'"):
        run.with_reactions("knee")
