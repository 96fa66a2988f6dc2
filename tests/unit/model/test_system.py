"""Systems: order of the tree, content as identity, changes, nominal pose and texts."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import (
    NominalPoseError,
    UnknownBodyError,
    UnknownGroundError,
    UnknownJointError,
    UnknownNameError,
)
from locomotor.model import (
    Body,
    Fixed,
    Frame,
    Free,
    Gravity,
    Input,
    JointSpring,
    Motion,
    Parameter,
    ParameterSet,
    Plane,
    Revolute,
    RollingDisc,
    Spherical,
    System,
    Torque,
    parse,
)

Y = (0, 1, 0)


def body(name, mass=1.0):
    return Body(name, mass, inertia=(1, 1, 1))


def hinge(name, parent, child, **own):
    return Revolute(Y, name=name, parent=parent, child=child, **own)


def cart(**changes):
    """A floating frame with two wheels and a pendulum, with every kind of part, in a scrambled order."""
    parts = {
        "name": "cart",
        "bodies": [body("left_disc"), body("bob", "m"), body("chassis"), body("right_disc")],
        "joints": [
            hinge("pendulum", "chassis", "bob", drive=Torque("-k*pendulum + push")),
            Free(name="base", parent="world", child="chassis"),
            hinge("left", "chassis", "left_disc", at=(0, "w", 0)),
            hinge("right", "chassis", "right_disc", at=(0, "-w", 0)),
        ],
        "contacts": [
            RollingDisc("left_contact", "left_disc", (0, 0, 0), Y, "r"),
            RollingDisc("right_contact", "right_disc", (0, 0, 0), Y, "r"),
        ],
        "forces": [Gravity((0, 0, "-g")), JointSpring("spring", "pendulum", "k")],
        "parameters": ParameterSet(
            (
                Parameter("m", 2),
                Parameter("k", 3),
                Parameter("w", 0.2),
                Parameter("r", 0.3),
                Parameter("g", 9.81),
            )
        ),
        "inputs": [Input("push", "N m")],
        "independent": ["speed", "pendulum_rate"],
        "nominal": {"z": "r"},
        "description": "a cart with a pendulum",
    }
    return System(**{**parts, **changes})


# --- tree ---------------------------------------------------------------------------------------------------


def test_joints_and_bodies_are_put_in_tree_order():
    system = cart()
    assert [joint.name for joint in system.joints] == ["base", "pendulum", "left", "right"]
    assert [b.name for b in system.bodies] == ["chassis", "bob", "left_disc", "right_disc"]
    assert system.parents == (-1, 0, 0, 0)
    assert system.children == ((1, 2, 3), (), (), ())
    assert system.roots == (0,)


def test_order_is_depth_first_with_siblings_as_given():
    edges = [("c", "a"), ("a", "world"), ("e", "c"), ("b", "a"), ("d", "c"), ("f", "world")]
    system = System("tree", [body(child) for child, _ in edges], [hinge(f"j_{c}", p, c) for c, p in edges])
    assert [joint.child for joint in system.joints] == ["a", "c", "e", "d", "b", "f"]
    assert all(parent < i for i, parent in enumerate(system.parents))
    assert system.roots == (0, 5)


def test_long_chains_are_no_problem():
    n = 1500
    bodies = [body(f"b{i}") for i in range(n)]
    joints = [hinge(f"j{i}", f"b{i - 1}" if i else "world", f"b{i}") for i in range(n)]
    system = System("chain", bodies, reversed(joints))
    assert system.parents == tuple(range(-1, n - 1))


def test_parts_by_name():
    system = cart()
    assert system.body("bob").mass == parse("m")
    assert system.joint("left").child == "left_disc"
    assert system.joint_of("bob").name == "pendulum"
    assert system.index("bob") == 1
    assert system.index("world") == -1
    assert system.contact("left_contact").body == "left_disc"
    assert system.ground("ground") == Plane()


@pytest.mark.parametrize(
    ("look_up", "error", "message"),
    [
        (lambda s: s.body("bobb"), UnknownBodyError, "no body is named 'bobb': did you mean 'bob'?"),
        (
            lambda s: s.joint_of("chasis"),
            UnknownBodyError,
            "no body is named 'chasis': did you mean 'chassis'?",
        ),
        (
            lambda s: s.joint("pendulm"),
            UnknownJointError,
            "no joint is named 'pendulm': did you mean 'pendulum'?",
        ),
        (
            lambda s: s.contact("left_contat"),
            UnknownNameError,
            "no contact is named 'left_contat': did you mean",
        ),
        (
            lambda s: s.ground("grond"),
            UnknownGroundError,
            "no ground is named 'grond': did you mean 'ground'?",
        ),
    ],
)
def test_unknown_parts(look_up, error, message):
    with pytest.raises(error) as info:
        look_up(cart())
    assert str(info.value).startswith(message)


# --- identity -----------------------------------------------------------------------------------------------


def test_systems_compare_and_hash_by_content():
    assert cart() == cart()
    assert hash(cart()) == hash(cart())
    assert cart() != cart(description="another")
    assert cart() != cart().with_parameters(m=3)
    assert len({cart(), cart(), cart().with_parameters(m=3)}) == 2


def test_the_order_in_which_parts_of_a_branch_are_given_does_not_matter_for_identity():
    scrambled = cart()
    assert cart(bodies=scrambled.bodies, joints=scrambled.joints) == scrambled


def test_systems_are_frozen():
    with pytest.raises(AttributeError):
        cart().name = "other"


@pytest.mark.slow
def test_every_system_of_the_catalogue_can_be_sent_to_another_process():
    for ready in lm.catalogue.systems():
        system = ready.make()
        copy = pickle.loads(pickle.dumps(system))  # noqa: S301 - our own bytes
        assert copy == system
        assert (copy.modes, copy.scenery) == (system.modes, system.scenery)  # no part of what is compared


def test_a_copy_in_another_process_has_a_hash_of_its_own(tmp_path):
    """Hashes of text differ between processes: a hash carried along would break every cache."""
    original = cart()
    hash(original)
    (tmp_path / "system").write_bytes(pickle.dumps(original))
    code = (
        "import pickle, sys\n"
        f"s = pickle.loads(open({str(tmp_path / 'system')!r}, 'rb').read())\n"
        "assert hash(s) == hash(s.replace()) and s == s.replace()\n"
        "assert hash(s.body('bob').mass) == hash(s.body('bob').mass * 1)\n"
        "print(len(s.joints))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "4"
    assert pickle.loads((tmp_path / "system").read_bytes()) == original  # noqa: S301 - our own bytes


# --- changes ------------------------------------------------------------------------------------------------


def test_replace_checks_again_and_leaves_the_original():
    system = cart()
    other = system.replace(name="other", forces=())
    assert other.forces == ()
    assert len(system.forces) == 2
    with pytest.raises(UnknownNameError, match=r"a System has no field 'force': did you mean 'forces'\?"):
        system.replace(force=())


def test_with_parameters():
    system = cart().with_parameters(m=5, r=0.4)
    assert system.parameters.values == {"m": 5.0, "k": 3.0, "w": 0.2, "r": 0.4, "g": 9.81}
    assert system.nominal_pose()[2] == 0.4
    with pytest.raises(UnknownNameError, match=r"no parameter is named 'mm': did you mean 'm'\?"):
        system.with_parameters(mm=1)


def test_with_motions():
    system = cart().with_motions({"pendulum": "0.1*sin(k*t)"})
    assert system.joint("pendulum").drive == Motion("0.1*sin(k*t)")
    assert [joint.name for joint in system.imposed] == ["pendulum"]
    assert cart().imposed == ()
    with pytest.raises(UnknownJointError, match=r"no joint is named 'pendulm': did you mean 'pendulum'\?"):
        system.with_motions({"pendulm": 0.0})


# --- nominal pose -------------------------------------------------------------------------------------------


def test_nominal_pose_is_evaluated_and_completed():
    system = cart(nominal={"z": "r", "pendulum": 0.1})
    np.testing.assert_array_equal(system.nominal_pose(), [0, 0, 0.3, 1, 0, 0, 0, 0.1, 0, 0])
    assert system.nominal_pose({**system.parameters.values, "r": 1.0})[2] == 1.0
    assert system.nominal == (("z", parse("r")), ("pendulum", 0.1))


def test_nominal_quaternions():
    half = np.sqrt(0.5)
    ball = System(
        "ball",
        [body("a")],
        [Spherical(name="s", parent="world", child="a")],
        nominal={"s_qw": half, "s_qz": half},
    )
    np.testing.assert_array_equal(ball.nominal_pose(), [half, 0, 0, half])
    with pytest.raises(NominalPoseError, match=r"quaternion that starts with 'qw' .* of norm 2.0, not 1; use") as info:
        cart(nominal={"qw": 2.0})
    assert "(1.0, 0.0, 0.0, 0.0)" in str(info.value)
    with pytest.raises(NominalPoseError, match=r"of norm 0.0, not 1; give all four parts"):
        cart(nominal={"qw": 0.0})


# --- text ---------------------------------------------------------------------------------------------------


def test_repr_counts():
    assert repr(cart()) == "System('cart': 4 bodies, 4 joints, 10 coordinates, 9 velocities, 2 contacts)"
    one = System("one", [body("a")], [hinge("j", "world", "a")])
    assert repr(one) == "System('one': 1 body, 1 joint, 1 coordinate, 1 velocity, 0 contacts)"


def test_summary_says_what_laws_do():
    law = lm.Unilateral(0.5, friction="k", rolling=0.01)
    contacts = [RollingDisc(f"{side}_contact", f"{side}_disc", (0, 0, 0), Y, "r", law=law) for side in ("left", "right")]
    told = "only pushes, restitution 0.5, friction k, rolling resistance 0.01: left_contact, right_contact"
    assert told in cart(contacts=contacts).summary()
    assert "closed" not in cart().summary()  # what is always closed needs no words


def test_summary_counts_and_draws_the_tree():
    text = cart().with_motions({"left": "sin(t)"}).summary()
    lines = text.splitlines()
    assert lines[0] == "system cart: a cart with a pendulum"
    counts = {line.split()[0]: int(line.split()[1]) for line in lines[1:11]}
    assert counts == {
        "bodies": 4,
        "joints": 4,
        "coordinates": 10,
        "velocities": 9,
        "contacts": 2,
        "constraints": 0,
        "loops": 0,
        "forces": 2,
        "inputs": 1,
        "parameters": 5,
    }
    assert "left_contact (RollingDisc)" in text
    assert lines[-5:] == [
        "  world",
        "  └─ chassis  [base: Free]",
        "     ├─ bob  [pendulum: Revolute]",
        "     ├─ left_disc  [left: Revolute, imposed sin(t)]",
        "     └─ right_disc  [right: Revolute]",
    ]


def test_a_fixed_system_and_frames_are_allowed():
    still = System("still", [Frame("a")], [Fixed(name="weld", parent="world", child="a")])
    assert still.layout.nq == 0
    assert still.nominal_pose().shape == (0,)
