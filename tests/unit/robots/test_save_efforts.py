"""Efforts that no input moves are actuators of MJCF that no control moves: constant torques, straight lines, within limits."""

from pathlib import Path

import numpy as np
import pytest

import locomotor as lm
from locomotor.robots import import_robot
from oracles.robots import compare_with_mujoco, difference, random_state

mujoco = pytest.importorskip("mujoco")
BODY = {"mass": 1.2, "com": (0.1, 0.05, -0.2), "inertia": ((0.2, 0.01, 0.0), (0.01, 0.3, 0.02), (0.0, 0.02, 0.25))}
JOINTS = ("hip", "knee", "toe")
WEAK = "min(max(9*(hip - 2*knee) + 1, -load), 3)"


def leg(laws: dict[str, tuple[str, object]], **more) -> lm.System:  # type: ignore[no-untyped-def]
    """Two hinges and a slide with laws by name, each on a joint."""
    drives = dict.fromkeys(JOINTS, lm.Torque(0.0)) | more.pop("drives", {})
    kinds = {"hip": lm.Revolute, "knee": lm.Revolute, "toe": lm.Prismatic}
    return lm.System(
        "leg",
        [lm.Body(f"{joint}_bone", **BODY) for joint in JOINTS],
        [
            kinds[name]((0, 1, 0), name=name, parent=parent, child=f"{name}_bone", at=(0.3, 0, 0), drive=drives[name])
            for name, parent in zip(JOINTS, ("world", "hip_bone", "knee_bone"), strict=True)
        ],
        forces=[lm.Gravity(), *(lm.JointForce(name, joint, law) for name, (joint, law) in laws.items())],
        **more,
    )


def comes_back(system: lm.System, folder: Path, recwarn: pytest.WarningsRecorder) -> lm.System:
    """Nothing is told; MuJoCo and the system that comes back move as this one does."""
    path = lm.save(system, folder / "leg.xml")
    assert not [str(w.message) for w in recwarn if issubclass(w.category, lm.RobotWarning)]
    found = import_robot(path)
    assert set(found.inputs) == {symbol.name for symbol in system.inputs}
    for seed in range(8):
        assert max(compare_with_mujoco(found, path, seed).values()) < 1e-11
        one, other = random_state(system, seed), random_state(found.system, seed)
        for what in ("mass", "bias", "acting", "acceleration"):
            assert difference(getattr(other, what), getattr(one, what)) < 1e-11, what
    return found.system


@pytest.mark.parametrize(
    "laws",
    [
        {"push": ("hip", 5)},
        {"push": ("hip", "-load"), "pull": ("knee", "2*load"), "slide": ("toe", 0.3)},
        {"push": ("hip", 5), "again": ("hip", "-2")},
        {"brake": ("toe", "4 - 3*toe_rate")},  # no damper of its own, for its rate at rest is not zero
        {"weak": ("hip", "min(max(-30*hip - 2*hip_rate + 1, -3), load)")},
        {"weak": ("hip", "max(min(-30*hip, 3), -2)")},
        {"weak": ("hip", "-3*min(0.3, max(-0.1, hip))")},
        # Along a sum of joints that no single one of them says.
        {"sum_hip": ("hip", f"{WEAK}"), "sum_knee": ("knee", f"-2*{WEAK}")},
        {"sum_hip": ("hip", "4 - 3*(hip_rate + toe_rate)"), "sum_toe": ("toe", "4 - 3*(hip_rate + toe_rate)")},
        {"fixed": ("hip", "-3*max(min(hip, -0.5), 0.5)")},  # which is -1.5
    ],
)
def test_what_no_input_moves_comes_back(
    tmp_path: Path, recwarn: pytest.WarningsRecorder, laws: dict[str, tuple[str, object]]
) -> None:
    """Each was told as left out. Limits are reached at some of these states."""
    back = comes_back(leg(laws, parameters={"load": 2.5}), tmp_path, recwarn)
    assert {force.name for force in back.forces if isinstance(force, lm.JointForce)} <= set(laws)


def test_torques_of_joints_come_back(tmp_path: Path) -> None:
    """Of their drives, beside an input that moves two joints."""
    drives = {"hip": lm.Torque(-4.0), "knee": lm.Torque("u - 3*knee")}
    system = leg({"more": ("hip", 1), "w": ("toe", "2*u")}, drives=drives, inputs=[lm.Input("u")])
    with pytest.warns(lm.RobotWarning, match="input 'u': MuJoCo has one for each of w, knee_drive"):
        path = lm.save(system, tmp_path / "leg.xml")
    model = mujoco.MjModel.from_xml_path(str(path))
    assert {model.actuator(a).name: float(model.actuator_biasprm[a, 0]) for a in range(model.nu)} == {
        "w": 0.0,
        "knee_drive": 0.0,
        "more": 1.0,
        "hip_drive": -4.0,
    }
    assert import_robot(path).inputs == {"w": "w", "knee_drive": "knee_drive"}


def test_an_actuator_without_gain_is_no_input(tmp_path: Path) -> None:
    """Of a file; one that does nothing at all stays an input, as the file has it."""
    path = tmp_path / "arm.xml"
    path.write_text(
        """<mujoco><worldbody><body><joint name="q" axis="0 1 0"/><geom size="0.1" pos="0.3 0 0"/>
        <body><joint name="r" axis="0 1 0"/><geom size="0.1" pos="0.3 0 0.1"/></body></body></worldbody>
        <tendon><fixed name="both"><joint joint="q" coef="1"/><joint joint="r" coef="-2"/></fixed></tendon>
        <actuator><general name="hold" tendon="both" gear="3" gainprm="0" biastype="affine" biasprm="2 -5 -.1"
          forcerange="-1 2"/>
        <general name="dead" joint="q" gainprm="0"/><motor name="m" joint="q"/></actuator></mujoco>""",
        encoding="utf-8",
    )
    found = import_robot(path)
    assert found.inputs == {"dead": "dead", "m": "m"}
    assert {"hold_q", "hold_r"} <= {force.name for force in found.system.forces}
    for seed in range(6):
        assert max(compare_with_mujoco(found, path, seed).values()) < 1e-12
    assert np.ptp([random_state(found.system, seed).forces[1] for seed in range(6)]) > 3.0
