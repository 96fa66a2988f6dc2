"""Public robots: mass matrix, bias, joint forces and accelerations are those of Pinocchio (URDF) and of MuJoCo (MJCF)."""

import warnings

import pytest

from locomotor.robots import Imported, import_robot
from oracles.robots import AGREED, compare_with_mujoco, compare_with_pinocchio, example_robot, package_file

URDF = {  # file -> what is asked for
    "panda_description/urdf/panda.urdf": {},
    "hyq_description/robots/hyq_no_sensors.urdf": {"base": "free"},  # its base alone is no body: merged with the trunk
    "so_arm_description/urdf/so100.urdf": {},  # names that are numbers
}
MORE_URDF = {
    "a1_description/urdf/a1.urdf": {"base": "free"},
    "alex_description/urdf/alex_nub_hands.urdf": {},
    "allegro_hand_description/urdf/allegro_left_hand.urdf": {},
    "anymal_b_simple_description/robots/anymal.urdf": {"base": "free"},
    "anymal_c_simple_description/urdf/anymal.urdf": {"base": "free"},
    "b1_description/urdf/b1-z1.urdf": {"base": "free"},
    "baxter_description/urdf/baxter.urdf": {},
    "bolt_description/robots/bolt.urdf": {"base": "free"},
    "centauro_description/urdf/centauro.urdf": {},
    "g1_description/urdf/g1_29dof_rev_1_0.urdf": {"base": "free"},
    "go1_description/urdf/go1.urdf": {"base": "free"},
    "go2_description/urdf/go2.urdf": {"base": "free"},
    "human_description/robots/human.urdf": {"base": "free"},
    "kinova_description/robots/kinova.urdf": {},
    "laikago_description/urdf/laikago.urdf": {"base": "free"},
    "pr2_description/urdf/pr2.urdf": {},
    "simple_humanoid_description/urdf/simple_humanoid.urdf": {"base": "free"},
    "solo_description/robots/solo12.urdf": {"base": "free"},
    "talos_data/robots/talos_full_v2.urdf": {"base": "free", "merge": True},
    "tiago_description/robots/tiago.urdf": {},
    "tiago_pro_description/robots/tiago_pro.urdf": {},
    "ur_description/urdf/ur5_robot.urdf": {},
    "xarm_description/urdf/xarm7.urdf": {},
    "z1_description/urdf/z1.urdf": {},
}
GYMNASIUM = ("ant", "half_cheetah", "humanoid")
MORE_GYMNASIUM = (
    "hopper",
    "humanoidstandup",
    "inverted_double_pendulum",
    "point",
    "pusher_v5",
    "reacher",
    "swimmer",
    "walker2d_v5",
)
CONTROL = ("third_party/kinova/jaco_arm.xml",)
MORE_CONTROL = (
    "suite/acrobot.xml",
    "suite/cheetah.xml",
    "suite/dog.xml",
    "suite/finger.xml",
    "suite/fish.xml",
    "suite/hopper.xml",
    "suite/humanoid.xml",
    "suite/humanoid_CMU.xml",
    "suite/manipulator.xml",
    "suite/quadruped.xml",
    "suite/stacker.xml",
    "suite/walker.xml",
    "locomotion/walkers/assets/rodent.xml",
    "locomotion/walkers/assets/fruitfly_v2/fruitfly.xml",
    "locomotion/walkers/assets/dog_v2/dog.xml",
    "locomotion/walkers/assets/humanoid_CMU_V2020.xml",
    "locomotion/walkers/assets/jumping_ball/jumping_ball_with_head.xml",
    "locomotion/soccer/assets/boxhead/boxhead.xml",
    "third_party/kinova/jaco_hand.xml",
    "third_party/ant/ant.xml",
)


def read(path, **options) -> Imported:  # type: ignore[no-untyped-def]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # inertias within the error of a measurement
        return import_robot(path, meshes=False, **options)


def urdf_agrees(name: str, options: dict[str, object]) -> None:
    path = example_robot(name)
    found = read(path, **options)
    for seed in range(3):
        assert max(compare_with_pinocchio(found, path, seed).values()) < AGREED


def mjcf_agrees(package: str, name: str) -> None:
    pytest.importorskip("mujoco")
    path = package_file(package, name)
    found = read(path)
    for seed in range(3):
        differences = compare_with_mujoco(found, path, seed)
        assert max(differences.values()) < AGREED, differences


@pytest.mark.parametrize("name", URDF)
def test_a_urdf_moves_as_in_pinocchio(name: str) -> None:
    urdf_agrees(name, URDF[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", MORE_URDF)
def test_more_urdf_move_as_in_pinocchio(name: str) -> None:
    urdf_agrees(name, MORE_URDF[name])


@pytest.mark.parametrize("name", GYMNASIUM)
def test_an_mjcf_of_gymnasium_moves_as_in_mujoco(name: str) -> None:
    mjcf_agrees("gymnasium", f"envs/mujoco/assets/{name}.xml")


@pytest.mark.parametrize("name", CONTROL)
def test_an_mjcf_of_dm_control_moves_as_in_mujoco(name: str) -> None:
    mjcf_agrees("dm_control", name)


@pytest.mark.slow
@pytest.mark.parametrize("name", MORE_GYMNASIUM)
def test_more_mjcf_of_gymnasium_move_as_in_mujoco(name: str) -> None:
    mjcf_agrees("gymnasium", f"envs/mujoco/assets/{name}.xml")


@pytest.mark.slow
@pytest.mark.parametrize("name", MORE_CONTROL)
def test_more_mjcf_of_dm_control_move_as_in_mujoco(name: str) -> None:
    mjcf_agrees("dm_control", name)


@pytest.mark.slow
def test_the_humanoid_of_mujoco_warp_moves_as_in_mujoco() -> None:
    mjcf_agrees("mujoco_warp", "test_data/humanoid/humanoid.xml")
