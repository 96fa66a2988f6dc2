"""Actuators that push a site, both ways: thrusters of drones, forces and torques on bodies, beside MuJoCo itself."""

from pathlib import Path

import pytest

import locomotor as lm
from locomotor.robots import Imported, import_robot
from oracles.robots import compare_with_mujoco, difference, random_state

pytest.importorskip("mujoco")
BODY = {"mass": 1.2, "com": (0.1, 0.05, -0.2), "inertia": ((0.2, 0.01, 0.0), (0.01, 0.3, 0.02), (0.0, 0.02, 0.25))}
BALL = '<geom size="0.1" pos="0.1 0.05 0.02" mass="1"/>'
DRONE = f"""<mujoco><compiler angle="radian"/><worldbody><site name="north" euler="0.3 0.2 0.1"/>
    <body name="hull" pos="0 0 1"><freejoint/>{BALL}<site name="left" pos="-0.2 0.1 0" euler="0.4 0 0.2"/>
      <body name="boom" pos="0.3 0 0" euler="0 0.2 0">{BALL}<joint name="swing" axis="0 1 0" pos="0.05 0 0.02" ref="0.1"/>
        <site name="right" pos="0.2 0.1 0.05"/></body></body></worldbody>
    <actuator>{{}}</actuator></mujoco>"""


def read(folder: Path, actuators: str) -> tuple[Imported, Path]:
    path = folder / "drone.xml"
    path.write_text(DRONE.format(actuators), encoding="utf-8")
    return import_robot(path), path


@pytest.mark.parametrize(
    "actuator",
    [
        '<motor name="u" site="left" gear="0 0 1 0 0 .02"/>',
        '<motor name="u" site="right" gear="1 -2 3 0 0 0" ctrlrange="0 0.4" ctrllimited="true"/>',
        '<general name="u" site="right" gear="0 0 0 .1 .2 .3" gainprm="7" biastype="affine" biasprm="2 5" forcerange="-3 3"/>',
        '<motor name="u" site="right" refsite="north" gear="1 -2 3 .1 .2 .3"/>',
        '<general name="u" site="left" gainprm="0" biastype="affine" biasprm="2 0 0" gear="0 1 1 0 0 0.3"/>',
    ],
)
def test_a_site_is_pushed_as_in_mujoco(tmp_path: Path, actuator: str) -> None:
    """They were told as left out. Components are along the axes of the site, or of one in the world; limits are reached."""
    found, path = read(tmp_path, actuator)
    assert not [note for note in found.notes if "actuator" in note.what]
    assert bool(found.inputs) == ('gainprm="0"' not in actuator)
    for seed in range(8):
        differences = compare_with_mujoco(found, path, seed)
        assert max(differences.values()) < 1e-12, differences
    assert any(random_state(found.system, seed).acting.any() for seed in range(8))


@pytest.mark.parametrize(
    ("actuator", "told"),
    [
        ('<velocity name="u" site="left" kv="3" gear="0 0 1 0 0 0"/>', "its force follows the motion of its site"),
        ('<motor name="u" site="left" refsite="right" gear="0 0 1 0 0 0"/>', "it acts between two bodies"),
        ('<motor name="u" site="north" gear="0 0 1 0 0 0"/>', "it pushes what stands still"),
        ('<position name="u" site="left" refsite="north" kp="3" gear="0 0 1 0 0 0"/>', "follows the motion of its site"),
    ],
)
def test_what_a_site_does_besides_is_told(tmp_path: Path, actuator: str, told: str) -> None:
    found, _ = read(tmp_path, actuator)
    assert not found.inputs and any(told in str(note) for note in found.ignored)


def flyer(*forces: lm.BodyForce | lm.BodyTorque | lm.JointForce) -> lm.System:
    return lm.System(
        "flyer",
        [lm.Body(name, **BODY) for name in ("hull", "boom")],
        [
            lm.Free(name="root", parent="world", child="hull"),
            lm.Revolute((0, 0.6, 0.8), name="j", parent="hull", child="boom", at=(0.1, 0.2, 0.3), rotation=(0.3, -0.2, 0.5)),
        ],
        forces=[lm.Gravity(), *forces],
        inputs=[lm.Input("u"), lm.Input("w")],
        parameters={"k": 3.0},
    )


def test_forces_on_bodies_are_written_and_come_back(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    """Of one input each, or of none, in axes of the body or of the world, within limits."""
    system = flyer(
        lm.BodyForce("thrust", "hull", (0.1, 0, "0.1*k"), ("u", 0.0, "-k*u"), "body"),
        lm.BodyForce("wind", "boom", (0.1, 0, 0.2), (1.5, "-k", 0.0)),
        lm.BodyTorque("turn", "boom", (0.0, "2*min(max(3*min(max(w, -0.3), 0.4) + 1, -0.5), 1.5)", 0.0), "body"),
        lm.BodyTorque("twist", "hull", (0.1, 0.2, "k")),
    )
    path = lm.save(system, tmp_path / "flyer.xml")
    assert not [str(w.message) for w in recwarn if issubclass(w.category, lm.RobotWarning)]
    found = import_robot(path)
    assert found.inputs == {"u": "u", "w": "w"}
    assert [force.name for force in found.system.forces[1:]] == ["u_force", "wind", "w_torque", "twist"]
    for seed in range(8):
        assert max(compare_with_mujoco(found, path, seed).values()) < 1e-12
        one, other = random_state(system, seed), random_state(found.system, seed)
        order = [[symbol.name for symbol in found.system.inputs].index(symbol.name) for symbol in system.inputs]
        assert order == [0, 1]
        for what in ("mass", "bias", "acting", "acceleration"):
            assert difference(getattr(other, what), getattr(one, what)) < 1e-12, what


@pytest.mark.parametrize(
    ("components", "text"),
    [
        (("u", "w", 0.0), "forces of push: MJCF has no BodyForce"),
        (("u", 1.0, 0.0), "forces of push"),
        (("sin(t)", 0.0, 0.0), "forces of push"),
        (("j_rate", 0.0, 0.0), "forces of push"),
        (("u**2", 0.0, 0.0), "forces of push"),
        (("u", "min(max(u, -1), 1)", 0.0), "forces of push"),
    ],
)
def test_forces_that_no_actuator_says_are_told(tmp_path: Path, components: tuple[object, ...], text: str) -> None:
    with pytest.warns(lm.RobotWarning, match=text):
        path = lm.save(flyer(lm.BodyForce("push", "hull", (0, 0, 0), components)), tmp_path / "flyer.xml")
    assert "<actuator" not in path.read_text()


def test_one_input_of_several_is_told(tmp_path: Path) -> None:
    system = flyer(lm.BodyForce("push", "hull", (0, 0, 0), ("u", 0, 0)), lm.JointForce("drive", "j", "2*u"))
    with pytest.warns(lm.RobotWarning, match="input 'u': MuJoCo has one for each of push, drive"):
        path = lm.save(system, tmp_path / "flyer.xml")
    assert set(import_robot(path).inputs) == {"push", "u"}
