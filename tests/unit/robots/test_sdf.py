"""SDF: the same mechanisms as built by hand, loops included, and errors in words."""

from pathlib import Path

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import RobotFileError
from locomotor.robots import import_robot
from oracles.robots import difference, random_state

Y = (0.0, 1.0, 0.0)


def bar(name: str, length: float, pose: str) -> str:
    """A bar along x from its frame."""
    inertia = f"<ixx>1e-4</ixx><iyy>{length**3 / 12}</iyy><izz>{length**3 / 12}</izz>"
    inertial = f"<inertial><pose>{length / 2} 0 0 0 0 0</pose><mass>{length}</mass><inertia>{inertia}</inertia></inertial>"
    return f'<link name="{name}">{pose}{inertial}</link>'


def hinge(name: str, parent: str, child: str, pose: str = "") -> str:
    axis = "<axis><xyz>0 1 0</xyz></axis>"
    return f'<joint name="{name}" type="revolute">{pose}<parent>{parent}</parent><child>{child}</child>{axis}</joint>'


LINKAGE = f"""<sdf version="1.9"><model name="linkage">
{bar("crank_bar", 0.3, "<pose>0 0 0 0 0.4 0</pose>")}
{bar("coupler_bar", 0.8, '<pose relative_to="crank_bar">0.3 0 0 0 -0.9 0</pose>')}
{bar("rocker_bar", 0.7, "<pose>0.9 0 0 0 -1.5 0</pose>")}
{hinge("crank", "world", "crank_bar")}
{hinge("coupler", "crank_bar", "coupler_bar")}
{hinge("rocker", "world", "rocker_bar")}
{hinge("pin", "coupler_bar", "rocker_bar", "<pose>0.7 0 0 0 0 0</pose>")}
</model></sdf>"""


def by_hand() -> lm.System:
    def made(name: str, length: float) -> lm.Body:
        return lm.Body(name, length, com=(length / 2, 0, 0), inertia=(1e-4, length**3 / 12, length**3 / 12))

    # The pin is where the rocker ends; on the coupler that is wherever the poses of the file put it.
    c, s = np.cos, np.sin
    crank_end = 0.3 * np.array([c(0.4), 0, -s(0.4)])
    rocker_end = np.array([0.9 + 0.7 * c(1.5), 0, 0.7 * s(1.5)])
    d = rocker_end - crank_end
    on_coupler = (c(0.5) * d[0] + s(0.5) * d[2], 0.0, -s(0.5) * d[0] + c(0.5) * d[2])
    place = {"axis": Y}
    return lm.System(
        "linkage",
        [made("crank_bar", 0.3), made("coupler_bar", 0.8), made("rocker_bar", 0.7)],
        [
            lm.Revolute(name="crank", parent="world", child="crank_bar", rotation=(0, 0.4, 0), **place),
            lm.Revolute(
                name="coupler", parent="crank_bar", child="coupler_bar", at=(0.3, 0, 0), rotation=(0, -0.9, 0), **place
            ),
            lm.Revolute(name="rocker", parent="world", child="rocker_bar", at=(0.9, 0, 0), rotation=(0, -1.5, 0), **place),
        ],
        loops=[lm.RevoluteClosure("pin", "coupler_bar", "rocker_bar", at_a=on_coupler, at_b=(0.7, 0, 0), axis_a=Y)],
        forces=[lm.Gravity()],
    )


@pytest.fixture
def write(tmp_path: Path):  # type: ignore[no-untyped-def]
    def made(text: str, name: str = "robot.sdf") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return made


def test_a_loop_closes_as_one_built_by_hand(write) -> None:  # type: ignore[no-untyped-def]
    found = import_robot(write(LINKAGE))
    assert [type(loop).__name__ for loop in found.system.loops] == ["RevoluteClosure"] and not found.ignored
    state = {"crank": 0.0, "crank_rate": 3.0}
    one, other = lm.accelerations(found.system, state), lm.accelerations(by_hand(), state)
    assert set(one) == set(other)
    for name, value in other.items():
        assert one[name] == pytest.approx(value, rel=1e-9, abs=1e-9)


FREE = """<sdf version="1.7"><model name="free"><pose>1 2 3 0.1 0.2 0.3</pose>
<frame name="hip" attached_to="body"><pose>0.2 0 -0.1 0 0 0.5</pose></frame>
<link name="body">
  <inertial><pose>0.1 0 0 0.3 0 0</pose><mass>3</mass>
  <inertia><ixx>0.2</ixx><iyy>0.3</iyy><izz>0.4</izz></inertia></inertial></link>
<link name="leg"><pose relative_to="hip">0 0 -0.4 0 0.7 0</pose>
  <inertial><mass>1</mass><inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.04</izz></inertia></inertial>
  <collision name="c"><pose>0 0 -0.3 0 0 0</pose><geometry><sphere><radius>0.05</radius></sphere></geometry>
    <surface><friction><ode><mu>0.6</mu></ode></friction></surface></collision></link>
<joint name="swing" type="universal"><pose relative_to="hip"/><parent>body</parent><child>leg</child>
  <axis><xyz expressed_in="__model__">1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>
</model></sdf>"""


def test_poses_axes_and_a_free_base(write) -> None:  # type: ignore[no-untyped-def]
    """Where links and axes are at the start, worked out with rotation matrices of SciPy."""
    from scipy.spatial.transform import Rotation

    found = import_robot(write(FREE), contacts=True)
    system = found.system
    model, hip, leg = (Rotation.from_euler("xyz", angles).as_matrix() for angles in ([0.1, 0.2, 0.3], [0, 0, 0.5], [0, 0.7, 0]))
    state = random_state(system, 0)
    q = system.nominal_pose()
    kinematics = type(state)(system, q, state.v, state.inputs).kinematics
    body, shank = (kinematics.poses[system.index(name)] for name in ("body", "leg"))
    assert np.allclose(body.rotation, model, atol=1e-14) and np.allclose(body.translation, [1, 2, 3], atol=1e-14)
    at_hip = np.array([1, 2, 3]) + model @ [0.2, 0, -0.1]
    assert np.allclose(shank.rotation, model @ hip @ leg, atol=1e-14)
    assert np.allclose(shank.translation, at_hip, atol=1e-14), "the frame of a link is at its joint"
    S = kinematics.links[system.index("leg")].joint[1]  # type: ignore[index]
    axes = np.asarray(shank.rotation) @ np.asarray(S)[3:6]
    assert np.allclose(axes[:, 0], model @ [1, 0, 0], atol=1e-14)
    assert np.allclose(axes[:, 1], model @ hip @ [0, 1, 0], atol=1e-14)
    (contact,) = system.contacts
    touching = shank.act(np.array(contact.centre, dtype=float))  # type: ignore[attr-defined]
    origin = at_hip + model @ hip @ [0, 0, -0.4]
    assert np.allclose(touching, origin + model @ hip @ leg @ [0, 0, -0.3], atol=1e-14)
    assert contact.law.friction == 0.6  # type: ignore[attr-defined]


def test_the_same_robot_in_urdf_and_sdf(write, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    urdf = tmp_path / "robot.urdf"
    inertia = '<mass value="{}"/><inertia ixx="0.1" iyy="0.2" izz="0.15"/></inertial></link>'
    urdf.write_text(
        '<robot name="r"><link name="world"/><link name="arm"><inertial><origin xyz="0.1 0 0.2" rpy="0.1 0.2 0"/>'
        + inertia.format(2)
        + '<link name="slide"><inertial>'
        + inertia.format(1)
        + '<joint name="a" type="continuous"><origin xyz="0 0 1" rpy="0.3 0 0"/><parent link="world"/><child link="arm"/>'
        '<axis xyz="0 0 1"/></joint><joint name="b" type="prismatic"><origin xyz="0.5 0 0" rpy="0 0.4 0"/>'
        '<parent link="arm"/><child link="slide"/><axis xyz="1 0 0"/></joint></robot>'
    )
    inertia = "<mass>{}</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.15</izz></inertia></inertial></link>"
    sdf = write(
        '<sdf version="1.9"><model name="r"><link name="arm"><pose>0 0 1 0.3 0 0</pose>'
        "<inertial><pose>0.1 0 0.2 0.1 0.2 0</pose>"
        + inertia.format(2)
        + '<link name="slide"><pose relative_to="arm">0.5 0 0 0 0.4 0</pose><inertial>'
        + inertia.format(1)
        + '<joint name="a" type="continuous"><parent>world</parent><child>arm</child><axis><xyz>0 0 1</xyz></axis></joint>'
        '<joint name="b" type="prismatic"><parent>arm</parent><child>slide</child><axis><xyz>1 0 0</xyz></axis></joint>'
        "</model></sdf>"
    )
    one, other = (random_state(import_robot(path).system, 3) for path in (urdf, sdf))
    assert difference(one.mass, other.mass) < 1e-14 and difference(one.bias, other.bias) < 1e-14


BAD = [
    ("<sdf version='1.9'/>", "it has no <model>"),
    ("<sdf version='one'><model name='m'/></sdf>", "the version is 'one'"),
    ("<sdf version='1.9'><model name='m'><link name='a'/><link name='a'/></model></sdf>", "the name 'a' is taken twice"),
    ("<sdf version='1.9'><model name='m'><link name='a'><pose relative_to='b'/></link></model></sdf>", "named 'b'"),
    (
        "<sdf version='1.9'><model name='m'><link name='a'><pose relative_to='b'/></link>"
        "<link name='b'><pose relative_to='a'/></link></model></sdf>",
        "relative to itself",
    ),
    ("<sdf version='1.9'><model name='m'><link name='a'><pose>1 2</pose></link></model></sdf>", "2 numbers where 6 are needed"),
    (
        f"<sdf version='1.9'><model name='m'><link name='a'/>{hinge('j', 'a', 'z')}</model></sdf>",
        "its child is 'z', which is no",
    ),
    (f"<sdf version='1.9'><model name='m'><link name='a'/>{hinge('j', 'a', 'world')}</model></sdf>", "swap parent and child"),
]


@pytest.mark.parametrize(("text", "message"), BAD, ids=[message[:25] for _, message in BAD])
def test_bad_files_are_refused_in_words(write, text: str, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(RobotFileError, match=message):
        import_robot(write(text))


PLACED = """<sdf version="1.9"><model name="m" placement_frame="b" canonical_link="b"><pose>1 2 3 0 0 {turn}</pose>
<link name="a"><pose>0 0.5 0 0 0 0</pose>{inertial}</link><link name="b"><pose>0.2 0 5 0 0 0.3</pose>{inertial}</link>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint></model></sdf>"""
INERTIAL = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"


def test_the_pose_of_a_model_is_that_of_its_placement_frame(write) -> None:  # type: ignore[no-untyped-def]
    """It was that of the model; b is to stand at (1, 2, 3), turned by 0.3 + 0.5, so that the axes of a are turned by 0.5."""
    found = import_robot(write(PLACED.format(turn=0.8, inertial=INERTIAL)))
    start = dict(found.system.nominal)
    c, s = np.cos(0.5), np.sin(0.5)
    wanted = np.array([1.0, 2.0, 3.0]) - [c * 0.2 + s * 0.5, s * 0.2 - c * 0.5, 5.0]  # R (b - a), b - a = (0.2, -0.5, 5)
    assert [start[name] for name in "xyz"] == pytest.approx(wanted)
    assert (start["qw"], start["qz"]) == pytest.approx((np.cos(0.25), np.sin(0.25)))
    said = "\n".join(map(str, found.notes))
    assert "placement_frame" not in said and "canonical_link= of <model>: coordinates" in said


def test_a_static_model_with_joints_and_masses_from_shapes_are_told(write) -> None:  # type: ignore[no-untyped-def]
    text = PLACED.format(turn=0.0, inertial=INERTIAL).replace("<pose>1", "<static>1</static><pose>1")
    said = "\n".join(map(str, import_robot(write(text)).notes))
    assert "<static>: its base is fixed and its joints move" in said
    text = PLACED.format(turn=0.0, inertial='<inertial auto="true"><density>300</density></inertial>')
    said = "\n".join(map(str, import_robot(write(text)).notes))
    assert "auto= of <inertial> (2 times): masses are not worked out" in said
