"""What an MJCF says beside its tree: loops, couplings, servos, keyframes, floors, and what is told."""

import math
from pathlib import Path

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import RobotFileError
from locomotor.lie import quaternion
from locomotor.mechanics.chart import assembled
from locomotor.robots import import_robot
from oracles.robots import compare_with_mujoco, random_state

pytest.importorskip("mujoco")

BAR = '<inertial pos="{half} 0 0" mass="{mass}" diaginertia="1e-4 {inertia} {inertia}"/>'


def bar(length: float) -> str:
    return BAR.format(half=length / 2, mass=length, inertia=length**3 / 12)


@pytest.fixture
def write(tmp_path: Path):  # type: ignore[no-untyped-def]
    def made(inside: str) -> Path:
        path = tmp_path / "robot.xml"
        path.write_text(f'<mujoco model="made"><compiler angle="radian"/>{inside}</mujoco>', encoding="utf-8")
        return path

    return made


def linkage(equality: str) -> str:
    return f"""<worldbody>
    <body name="crank_bar">{bar(0.3)}<joint name="crank" axis="0 1 0"/>
      <body name="coupler_bar" pos="0.3 0 0">{bar(0.8)}<joint name="coupler" axis="0 1 0"/></body></body>
    <body name="rocker_bar" pos="0.9 0 0">{bar(0.7)}<joint name="rocker" axis="0 1 0"/></body>
    </worldbody><equality>{equality}</equality>"""


def by_hand(**closure) -> lm.System:  # type: ignore[no-untyped-def]
    def made(name: str, length: float) -> lm.Body:
        return lm.Body(name, length, com=(length / 2, 0, 0), inertia=(1e-4, length**3 / 12, length**3 / 12))

    y = (0.0, 1.0, 0.0)
    return lm.System(
        "linkage",
        [made("crank_bar", 0.3), made("coupler_bar", 0.8), made("rocker_bar", 0.7)],
        [
            lm.Revolute(name="crank", parent="world", child="crank_bar", axis=y),
            lm.Revolute(name="coupler", parent="crank_bar", child="coupler_bar", at=(0.3, 0, 0), axis=y),
            lm.Revolute(name="rocker", parent="world", child="rocker_bar", at=(0.9, 0, 0), axis=y),
        ],
        forces=[lm.Gravity()],
        **closure,
    )


def same(one: lm.System, other: lm.System, state: dict[str, float]) -> None:
    found, wanted = lm.accelerations(one, state), lm.accelerations(other, state)
    for name, value in wanted.items():
        assert found[name] == pytest.approx(value, rel=1e-9, abs=1e-9), name


def test_connect_closes_a_loop(write) -> None:  # type: ignore[no-untyped-def]
    """The anchor is a point of the first body; where it is on the second, the pose of the file says: both at x = 1.1 here."""
    found = import_robot(write(linkage('<connect body1="coupler_bar" body2="rocker_bar" anchor="0.7 0 0.1"/>')))
    (loop,) = found.system.loops
    assert type(loop).__name__ == "SphericalClosure" and not [note for note in found.ignored if "loop" in note.what]
    assert np.allclose(loop.at_a, (0.7, 0, 0.1)) and np.allclose(loop.at_b, (0.1, 0, 0.1))
    closed = lm.SphericalClosure("pin", "coupler_bar", "rocker_bar", at_a=(0.7, 0, 0.1), at_b=(0.1, 0, 0.1))
    same(found.system, by_hand(loops=[closed]), {"crank": 0.2, "crank_rate": 2.0})


@pytest.mark.parametrize("turn", [2.0, 3.1])
def test_weld_turned_by_more_than_a_right_angle(write, turn: float) -> None:  # type: ignore[no-untyped-def]
    ball = '<freejoint/><geom type="sphere" size=".1" mass="1"/></body>'
    bodies = f'<body name="A">{ball}<body name="B" pos="0 0 1">{ball}'
    relpose = f"0 0 1 {math.cos(0.5 * turn)!r} 0 0 {math.sin(0.5 * turn)!r}"
    weld = f'<equality><weld body1="A" body2="B" relpose="{relpose}"/></equality>'
    system = import_robot(write(f"<worldbody>{bodies}</worldbody>{weld}")).system
    q = assembled(system, system.nominal_pose())
    first, second = (np.asarray(quaternion.to_matrix(q[at : at + 4]), dtype=float) for at in (3, 10))
    between = first.T @ second
    assert math.atan2(between[1, 0], between[0, 0]) == pytest.approx(turn, abs=1e-9)  # as relpose gives it


def test_weld_holds_and_joints_follow_by_polynomials(write) -> None:  # type: ignore[no-untyped-def]
    found = import_robot(write(linkage('<weld body1="crank_bar" body2="rocker_bar" relpose="0.9 0 0 1 0 0 0"/>')))
    (loop,) = found.system.loops
    assert type(loop).__name__ == "FixedClosure"
    state = {"crank": 0.0, "coupler": 0.3, "coupler_rate": 1.0}
    held = by_hand(loops=[lm.FixedClosure("held", "crank_bar", "rocker_bar", at_a=(0.9, 0, 0))])
    same(found.system, held, state)
    follows = import_robot(write(linkage('<joint joint1="rocker" joint2="crank" polycoef="0.1 -2 0.5 0 0"/>')))
    coupled = by_hand(constraints=[lm.Coupling("gear", "rocker - 0.1 + 2*crank - 0.5*crank**2")])
    same(follows.system, coupled, {"crank": 0.3, "crank_rate": 1.0, "coupler": 0.2})


SERVO = """<worldbody><geom type="plane" size="5 5 1" friction="0.3"/>
<body name="ball" pos="0 0 1"><freejoint/><geom name="round" size="0.1" friction="0.8"/></body>
<body name="arm" pos="0 0 2"><joint name="swing" axis="0 1 0" ref="0.4" springref="0.7" stiffness="3" damping="0.2"
  armature="0.05" frictionloss="0.1" range="-1 1" limited="true"/>
  <joint name="twist" type="hinge" axis="1 0 0" pos="0.1 0 0.2"/>
  <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.05" contype="0" conaffinity="0"/></body>
<body name="cup" pos="1 0 2">
  <joint name="socket" type="ball" pos="0 0 0.3"/><geom type="box" size="0.1 0.2 0.3"/></body></worldbody>
<actuator><position name="hold" joint="swing" kp="20" kv="2" ctrlrange="-0.5 0.5" ctrllimited="true"
  forcerange="-3 3" forcelimited="true"/>
<motor name="turn" joint="twist" gear="7"/><velocity name="spin" joint="twist" kv="3"/></actuator>
<keyframe><key name="home" qpos="0 0 0.5 1 0 0 0  0.1 0.2  1 0 0 0"/></keyframe><sensor><jointpos joint="twist"/></sensor>"""


def test_joints_springs_and_servos_act_as_in_mujoco(write) -> None:  # type: ignore[no-untyped-def]
    """Ranges of control and force are reached at some of these states."""
    path = write(SERVO)
    found = import_robot(path)
    for seed in range(6):
        differences = compare_with_mujoco(found, path, seed)
        assert max(differences.values()) < 1e-12, differences
    forces = [random_state(found.system, seed).forces for seed in range(6)]
    assert max(abs(f[6]) for f in forces) > 3.0


@pytest.mark.parametrize(
    "actuator",
    [
        '<damper name="m" joint="turn" kv="3" ctrlrange="0 0.4"/>',
        '<general name="m" joint="turn" gear="-2" gaintype="affine" gainprm="1 3 -2" biastype="affine" biasprm="0.5 -4 -1"/>',
        '<general name="m" tendon="sum" gaintype="affine" gainprm="0 0 5" forcerange="-1 2"/>',
    ],
)
def test_gains_may_follow_the_motion(write, actuator: str) -> None:  # type: ignore[no-untyped-def]
    """Such actuators, dampers whose strength is controlled among them, were told as left out."""
    shank = f'<body pos="0.3 0 0">{bar(0.4)}<joint name="k" axis="0 1 0"/></body>'
    bodies = f'<body>{bar(0.3)}<joint name="turn" axis="0 1 0"/>{shank}</body>'
    tendon = '<tendon><fixed name="sum"><joint joint="turn" coef="0.5"/><joint joint="k" coef="-2"/></fixed></tendon>'
    path = write(f"<worldbody>{bodies}</worldbody>{tendon}<actuator>{actuator}</actuator>")
    found = import_robot(path)
    assert found.inputs == {"m": "m"}
    for seed in range(6):
        differences = compare_with_mujoco(found, path, seed)
        assert max(differences.values()) < 1e-12, differences


def test_what_stands_beside_the_tree(write) -> None:  # type: ignore[no-untyped-def]
    found = import_robot(write(SERVO), contacts=True)
    assert found.poses["home"]["z"] == 0.5 and found.poses["home"]["twist"] == 0.2 and found.poses["home"]["swing"] == 0.1
    assert found.inputs == {"hold": "hold", "turn": "turn", "spin": "spin"}
    assert (found.limits["swing"].lower, found.limits["swing"].upper) == (-1.0, 1.0)
    touching = {c.body: c.law.friction for c in found.system.contacts}  # type: ignore[attr-defined]
    assert touching == {"ball": 0.8, "cup": 1.0}, "the arm collides with nothing; the larger coefficient counts"
    told = {note.what for note in found.ignored}
    assert {"dry friction of swing", "<sensor> (1)", "limits of swing"} <= told
    assert found.system.nominal_pose()[:3] == pytest.approx([0, 0, 1])


def test_a_missing_mesh_and_nonsense_are_refused_in_the_words_of_mujoco(write) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(RobotFileError, match=r"MuJoCo says: .*gone\.stl"):
        import_robot(write('<asset><mesh name="m" file="gone.stl"/></asset>'))
    with pytest.raises(RobotFileError, match=r"MuJoCo says: .*joint"):
        import_robot(write('<worldbody><body><joint type="wobbly"/></body></worldbody>'))
    with pytest.raises(RobotFileError, match="it has no link"):
        import_robot(write("<worldbody/>"))


def test_what_is_read_needs_the_extra(write, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    import sys

    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(lm.errors.MissingExtraError, match=r"pip install 'locomotor\[robots\]'"):
        import_robot(write("<worldbody/>"))


THREE = f"""<worldbody>
    <body>{bar(0.3)}<joint name="a" axis="0 1 0" ref="0.2"/>
      <body pos="0.3 0 0">{bar(0.3)}<joint name="b" axis="0 1 0" ref="0.1"/>
        <body pos="0.3 0 0">{bar(0.3)}<joint name="c" axis="0 1 0" ref="-0.3"/></body></body></body>
    </worldbody>
    <equality><joint joint1="b" polycoef="0.5 0 0 0 0"/><joint joint1="c" joint2="a" polycoef="0.1 2 0 0 0"/></equality>
    <actuator><motor name="m" joint="a"/></actuator><keyframe><key name="home" qpos="0.4 0.6 0.2"/></keyframe>"""


def test_joints_may_be_held_and_fixed(write) -> None:  # type: ignore[no-untyped-def]
    """An <equality> of one joint holds it; what follows a joint that is fixed at zero is held where that puts it."""
    path = write(THREE)
    run = lm.simulate(import_robot(path).system, 0.1, step=0.005)
    assert np.abs(run["b"] - 0.6).max() < 1e-14 and np.ptp(run["a"]) > 1e-3
    assert np.abs(run["c"] + 0.3 - 0.1 - 2.0 * (run["a"] - 0.2)).max() < 1e-14
    found = import_robot(path, fixed=["a"])
    assert found.poses == {"home": {"b": 0.6, "c": 0.2}} and not found.inputs
    assert any("motor 'm'" in str(note) for note in found.notes)
    held = lm.simulate(found.system, 0.1, step=0.005)
    assert np.abs(held["c"] + 0.3 - 0.1 + 2.0 * 0.2).max() < 1e-14
    loose = import_robot(path, fixed=["c"])
    assert any("coupling 'equality_1'" in str(note) for note in loose.notes)


def test_a_free_root_may_be_fixed_although_poses_name_it(write) -> None:  # type: ignore[no-untyped-def]
    arm = f'<body>{bar(0.3)}<joint name="j"/></body>'
    inside = f'<worldbody><body name="b" pos="0 0 2"><freejoint name="root"/>{bar(0.3)}{arm}</body></worldbody>'
    path = write(inside + '<keyframe><key name="home" qpos="0 0 1 1 0 0 0 0.4"/></keyframe>')
    found = import_robot(path, base="fixed")
    assert found.poses == {"home": {"j": 0.4}} and found.system.joints[0].at == (0.0, 0.0, 2.0)


TENDONS = f"""<worldbody>
    <body name="thigh">{bar(0.4)}<joint name="hip" axis="0 1 0" ref="0.2"/><site name="high" pos="0.1 0 0.05"/>
      <body name="shank" pos="0.4 0 0">{bar(0.5)}<joint name="knee" axis="0 1 0"/><site name="low" pos="0.1 0 0.05"/>
        <body name="foot" pos="0.5 0 0">{bar(0.2)}<joint name="toe" type="slide" axis="1 0 0"/></body></body></body>
    </worldbody>
    <tendon>
      <fixed name="hamstring" stiffness="30" damping="2" springlength="-0.1 0.3" limited="true" range="-0.3 2">
        <joint joint="hip" coef="0.5"/><joint joint="knee" coef="-1.5"/></fixed>
      <fixed name="calf" stiffness="8" springlength="0.1"><joint joint="knee" coef="1"/><joint joint="toe" coef="2"/></fixed>
      <spatial name="cord" stiffness="50 3" damping="2" range="0 1"><site site="high"/><site site="low"/></spatial>
    </tendon>
    <actuator>
      <motor name="pull" tendon="hamstring" gear="3"/>
      <position name="hold" tendon="calf" kp="20" kv="2"/>
      <motor name="wind" tendon="cord"/>
    </actuator>"""


def test_tendons_that_are_sums_of_joints_act_as_in_mujoco(write) -> None:  # type: ignore[no-untyped-def]
    """Springs that are slack over a range, dampers and actuators; of one along a path the spring and the damper."""
    path = write(TENDONS)
    found = import_robot(path)
    assert set(found.inputs) == {"pull", "hold"}
    told = "\n".join(map(str, found.notes))
    for part in (
        "actuator: it pulls along a path",
        "limits of cord: not enforced; limits='stops' makes cables",
        "by polynomials of cord",
    ):
        assert part in told, part
    springs = [force for force in found.system.forces if isinstance(force, lm.PointSpring | lm.PointDamper)]
    assert [force.name for force in springs] == ["cord_spring", "cord_damping"]
    for seed in range(12):  # between -0.1 and 0.3 the first is slack
        differences = compare_with_mujoco(found, path, seed)
        assert max(differences.values()) < 1e-9, differences


def test_limits_of_tendons_are_stops_where_that_is_asked_for(write) -> None:  # type: ignore[no-untyped-def]
    """0.5 hip - 1.5 knee stays between -0.3 and 2; a joint that is fixed takes no part."""
    path = write(TENDONS)
    assert "limits of hamstring" in "\n".join(map(str, import_robot(path).notes))
    stops = {c.name: c for c in import_robot(path, limits="stops").system.constraints}
    assert set(stops) == {"hamstring_low", "hamstring_high"}
    values = {"hip": 0.4, "knee": 0.2}
    assert stops["hamstring_low"].position.evaluate(values) == pytest.approx(0.5 * 0.4 - 1.5 * 0.2 + 0.3)
    assert stops["hamstring_high"].position.evaluate(values) == pytest.approx(2.0 - 0.5 * 0.4 + 1.5 * 0.2)
    fixed = import_robot(path, fixed=["hip"], limits="stops")
    assert fixed.system.constraints[0].position.evaluate({"knee": 0.2}) == pytest.approx(-1.5 * 0.2 + 0.3)
    assert "pull" not in fixed.inputs


PATHS = f"""<worldbody><site name="hook" pos="0.1 0.2 1"/><site name="eye" pos="0.3 -0.1 1.2"/>
    <body name="stand" pos="0.5 0 1" euler="20 30 40"><site name="top" pos="0.1 0.1 0.1"/></body>
    <body name="thigh">{bar(0.4)}<freejoint/><site name="high" pos="0.1 0 0.05"/>
      <body name="shank" pos="0.4 0 0" euler="10 20 30">{bar(0.5)}<joint name="knee" pos="0.03 0.02 0.01" ref="20"/>
        <site name="low" pos="0.1 0 0.05"/>
        <body name="clip" pos="0.1 0.1 0" euler="0 0 50"><site name="tip" pos="0 0.1 0.2"/></body>
        <body name="foot" pos="0.5 0 0">{bar(0.2)}<joint name="toe" type="ball"/><site name="nail" pos="0.2 0 0"/></body>
      </body></body></worldbody>"""
CORDS = """
    <spatial name="plain" stiffness="70" springlength="0.2"><site site="hook"/><site site="high"/></spatial>
    <spatial name="own" stiffness="40" damping="3"><site site="high"/><site site="nail"/></spatial>
    <spatial name="brake" damping="5"><site site="low"/><site site="nail"/></spatial>
    <spatial name="led" stiffness="60" damping="2" springlength="1.4">
      <site site="hook"/><site site="eye"/><site site="top"/><site site="tip"/><site site="low"/></spatial>"""
TOLD = {
    "slack over a range": '<spatial stiffness="5" springlength="0 1"><site site="hook"/><site site="nail"/></spatial>',
    "several pieces": '<spatial stiffness="5"><site site="hook"/><site site="low"/><site site="nail"/></spatial>',
    "keep their distance": '<spatial stiffness="5"><site site="hook"/><site site="top"/></spatial>',
    "over pulleys": '<spatial stiffness="5"><site site="hook"/><site site="low"/><pulley divisor="2"/><site site="low"/>'
    '<site site="nail"/></spatial>',
    "longer than it is at rest": '<spatial stiffness="5" springlength="0.1"><site site="hook"/><site site="eye"/>'
    '<site site="nail"/></spatial>',
}


def test_tendons_between_points_pull_as_in_mujoco(write) -> None:  # type: ignore[no-untyped-def]
    """Between moving bodies and the world, beyond joints that are not at the origin, and led through eyes of one body."""
    path = write(f"{PATHS}<tendon>{CORDS}</tendon>")
    found = import_robot(path)
    names = [force.name for force in found.system.forces if isinstance(force, lm.PointSpring | lm.PointDamper)]
    assert names == ["plain", "own_spring", "own_damping", "brake", "led_spring", "led_damping"]
    for seed in range(6):
        differences = compare_with_mujoco(found, path, seed)
        assert max(differences.values()) < 1e-9, differences


@pytest.mark.parametrize("why", TOLD)
def test_tendons_that_are_no_line_between_two_points_are_told(write, why: str) -> None:  # type: ignore[no-untyped-def]
    path = write(f"{PATHS}<tendon>{TOLD[why]}</tendon>")
    found = import_robot(path)
    assert any(note.kind == "ignored" and why in str(note) and "tendon_0" in note.what for note in found.notes), found.notes
    assert not any(isinstance(force, lm.PointSpring) for force in found.system.forces)


def test_meshes_whose_files_miss_can_be_left_out(write) -> None:  # type: ignore[no-untyped-def]
    asset = '<asset><mesh name="hull" file="missing.stl"/></asset>'
    geoms = '<geom type="mesh" mesh="hull"/><geom type="sphere" size="0.1"/></body>'
    inertial = '<inertial pos="0 0 0" mass="1.5" diaginertia="0.1 0.1 0.1"/>'
    whole = write(f'{asset}<worldbody><body name="A"><freejoint/>{inertial}{geoms}</worldbody>')
    with pytest.raises(RobotFileError, match=r"missing\.stl"):
        import_robot(whole)
    found = import_robot(whole, meshes=False)
    assert found.system.bodies[0].mass == 1.5  # type: ignore[union-attr]
    assert any(note.kind == "ignored" and "1 geoms with meshes" in note.what for note in found.notes)
    with pytest.raises(RobotFileError, match=r"missing\.stl.*masses of A follow from meshes.*an <inertial>"):
        import_robot(write(f'{asset}<worldbody><body name="A"><freejoint/>{geoms}</worldbody>'), meshes=False)


@pytest.mark.parametrize(
    "name", ["robot.sdf", "robot.urdf", "robot.mjcf", "robot.MJCF", "robot.XML", "robot.world", "robot", "robot.v2"]
)
def test_the_end_of_a_name_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Files that are named inside lie beside the robot's, however that is named, and from wherever it is asked for."""
    ball = f"""<mujoco model="ball"><compiler meshdir="meshes"/><include file="more.xml"/><worldbody><body name="ball">
        {bar(1.0)}<joint name="turn" axis="0 1 0"/><geom type="mesh" mesh="tip"/></body></worldbody></mujoco>"""
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "tip.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    (tmp_path / "more.xml").write_text('<mujoco><asset><mesh name="tip" file="tip.obj"/></asset></mujoco>')
    (tmp_path / name).write_text(ball)
    (tmp_path / "other").mkdir()
    for folder, path in (
        (tmp_path, Path(name)),
        (tmp_path / "other", Path("..") / name),
        (tmp_path / "other", tmp_path / name),
    ):
        monkeypatch.chdir(folder)
        found = import_robot(path)
        assert found.system.name == "ball" and found.system.description == f"read from {name}"
        assert len(found.system.body("ball").shapes) == 1
        # A bar that hangs on its end, level: 3 g / 2 L.
        assert abs(lm.accelerations(found.system)["turn_rate"]) == pytest.approx(1.5 * 9.81, rel=1e-12)
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(["meshes", "more.xml", name, "other"])
    (tmp_path / "meshes" / "tip.obj").unlink()
    assert not import_robot(tmp_path / name, meshes=False).system.body("ball").shapes
    (tmp_path / name).write_text('<mujoco><worldbody><body><joint type="wobbly"/></body></worldbody></mujoco>')
    with pytest.raises(RobotFileError, match=f"cannot read '{name}': MuJoCo says: .*joint"):
        import_robot(tmp_path / name)
