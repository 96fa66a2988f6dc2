"""What a URDF says, and what it must not say: small files, closed forms, and errors with the place and the remedy."""

from pathlib import Path

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ArgumentError, InertiaError, LocomotorError, NonPositiveMassError, RobotFileError
from locomotor.robots import import_robot

INERTIAL = '<inertial><origin xyz="0 0 -0.5"/><mass value="2"/><inertia ixx="0.2" iyy="0.2" izz="0.01"/></inertial>'


def link(name: str, inertial: str = INERTIAL, more: str = "") -> str:
    return f'<link name="{name}">{inertial}{more}</link>'


def joint(name: str, parent: str, child: str, kind: str = "continuous", more: str = "") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="0 0 -1"/><parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="0 1 0"/>{more}</joint>'
    )


@pytest.fixture
def write(tmp_path: Path):  # type: ignore[no-untyped-def]
    def made(*parts: str, name: str = "robot.urdf") -> Path:
        path = tmp_path / name
        path.write_text(f'<?xml version="1.0"?>\n<robot name="two">\n{chr(10).join(parts)}\n</robot>\n', encoding="utf-8")
        return path

    return made


def test_a_pendulum_has_the_closed_form(write) -> None:  # type: ignore[no-untyped-def]
    """(I + m c²) q_dd = -m g c sin q - d q_dot."""
    path = write(link("base", ""), link("rod"), joint("hinge", "base", "rod", more='<dynamics damping="0.3"/>'))
    with pytest.warns(lm.RobotWarning, match="the root base is fixed to the world"):
        system = lm.load(path)
    found = lm.accelerations(system, {"hinge": 0.4, "hinge_rate": 2.0})
    assert found["hinge_rate"] == pytest.approx((-2 * 9.81 * 0.5 * np.sin(0.4) - 0.3 * 2.0) / (0.2 + 2 * 0.25), rel=1e-13)


def test_joints_that_follow_are_couplings(write) -> None:  # type: ignore[no-untyped-def]
    more = '<mimic joint="a" multiplier="-2" offset="0.1"/>'
    path = write(link("base", ""), link("one"), link("two"), joint("a", "base", "one"), joint("b", "one", "two", more=more))
    system = import_robot(path).system
    run = lm.simulate(system, 0.2, start={"a": 0.3})
    assert np.abs(run["b"] - (0.1 - 2.0 * run["a"])).max() < 1e-9


def test_links_without_mass_are_frames_and_the_world_is_the_world(write) -> None:  # type: ignore[no-untyped-def]
    path = write(
        link("world", ""), link("arm"), link("tool", ""), joint("a", "world", "arm"), joint("t", "arm", "tool", "fixed")
    )
    system = import_robot(path).system
    assert [type(body).__name__ for body in system.bodies] == ["Body", "Frame"]
    assert system.joints[0].parent == "world"


def test_inertias_are_turned_with_their_origin(write) -> None:  # type: ignore[no-untyped-def]
    inertia = '<mass value="1"/><inertia ixx="1" iyy="2" izz="2.5" ixy="0.1"/>'
    inertial = f'<inertial><origin rpy="0 0 1.5707963267948966"/>{inertia}</inertial>'
    system = import_robot(write(link("base", inertial)), base="free").system
    assert np.allclose(system.bodies[0].inertia, [[2.0, -0.1, 0.0], [-0.1, 1.0, 0.0], [0.0, 0.0, 2.5]], atol=1e-15)  # type: ignore[union-attr]


def test_what_was_not_read_is_told(write) -> None:  # type: ignore[no-untyped-def]
    limits = '<limit lower="-1" upper="2" effort="30" velocity="3"/><dynamics friction="0.1"/>'
    path = write(
        link("base"),
        link("arm"),
        joint("elbow", "base", "arm", "revolute", limits),
        "<transmission/><gazebo/><gazebo/><hologram/>",
    )
    found = import_robot(path)
    told = {(note.kind, note.what) for note in found.notes}
    assert {("ignored", "<transmission>"), ("ignored", "<gazebo> (2 times)"), ("ignored", "<hologram>")} <= told
    assert {("ignored", "dry friction of elbow"), ("ignored", "limits of elbow"), ("changed", "base")} <= told
    limit = found.limits["elbow"]
    assert (limit.lower, limit.upper, limit.effort, limit.speed) == (-1.0, 2.0, 30.0, 3.0)
    stops = import_robot(path, limits="stops").system
    assert [c.name for c in stops.constraints] == ["elbow_low", "elbow_high"]


def test_names_become_identifiers(write) -> None:  # type: ignore[no-untyped-def]
    path = write(link("base/link"), link("1"), link("hip-x"), joint("1", "base/link", "1"), joint("hip-x", "1", "hip-x"))
    found = import_robot(path)
    assert found.joints == {"root": "root", "1": "n_1", "hip-x": "hip_x"}
    assert found.links == {"world": "world", "base/link": "base_link", "1": "n_1_link", "hip-x": "hip_x_link"}


def test_a_robot_on_its_feet_stands_on_the_floor(write) -> None:  # type: ignore[no-untyped-def]
    foot = '<collision><origin xyz="0 0 -1"/><geometry><sphere radius="0.1"/></geometry></collision>'
    path = write(link("base"), link("leg", more=foot), joint("hip", "base", "leg", "fixed"))
    system = import_robot(path, base="free", contacts=["leg"], friction=0.5).system
    assert [type(c).__name__ for c in system.contacts] == ["RollingSphere"]
    assert system.nominal_pose()[2] == pytest.approx(2.1)


GOOD = (link("base"), link("arm"), joint("a", "base", "arm"))
BAD = [
    ((link("base"), link("base")), RobotFileError, "two links are named 'base'"),
    ((*GOOD, joint("a", "base", "arm")), RobotFileError, "two joints are named 'a'"),
    ((*GOOD, link("lost")), RobotFileError, "several roots, 'base', 'lost'"),
    ((*GOOD, joint("b", "arm", "base")), RobotFileError, "no link is the root: parents go round"),
    (
        (*GOOD, link("c"), joint("b", "base", "c"), joint("d", "arm", "c")),
        RobotFileError,
        "'c' is the child of two joints, 'b' and 'd'",
    ),
    ((link("base"), joint("a", "base", "arn")), RobotFileError, "the child of joint 'a' is 'arn', which is no link"),
    (
        (*GOOD, link("c"), joint("b", "arm", "c", more='<mimic joint="z"/>')),
        RobotFileError,
        "the joint 'z', which is not",
    ),
    (
        (link("base", INERTIAL.replace('ixx="0.2"', 'ixx="-0.2"')),),
        InertiaError,
        "'robot.urdf', line 3: Body 'base'.*negative",
    ),
    ((link("base", INERTIAL.replace('izz="0.01"', 'izz="9"')),), InertiaError, r"line 3.*exceeds the sum.*balance=True"),
    ((link("base", INERTIAL.replace('value="2"', 'value="-2"')),), NonPositiveMassError, "mass is -2.0 kg"),
    (
        (link("base", INERTIAL.replace('value="2"', 'value="two"')),),
        RobotFileError,
        "line 3: <mass>: value is 'two', which",
    ),
    ((link("base", INERTIAL.replace('value="2"', 'value="nan"')),), RobotFileError, "write a finite number"),
    ((link("base", INERTIAL.replace('xyz="0 0 -0.5"', 'xyz="0 0"')),), RobotFileError, "2 numbers where 3 are needed"),
    ((link("base", "<inertial/>"),), RobotFileError, "it has no <mass>"),
    ((*GOOD[:2], joint("a", "base", "arm", "wobbly")), RobotFileError, "its type is 'wobbly'; write one of revolute"),
    ((*GOOD[:2], joint("a", "base", "arm").replace("0 1 0", "0 0 0")), RobotFileError, "the axis is zero"),
    (("<xacro:macro name='leg'/>", *GOOD), RobotFileError, "run `xacro"),
    ((), RobotFileError, "it has no link"),
    ((link("base"), link("arm", ""), joint("a", "base", "arm")), LocomotorError, "nothing beyond it has mass.*fixed="),
]


@pytest.mark.parametrize(("parts", "error", "message"), BAD, ids=[message[:30] for _, _, message in BAD])
def test_bad_files_are_refused_in_words(write, parts, error, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(error, match=message):
        import_robot(write(*parts), base="free")


def test_impossible_inertias_are_mended_when_asked_for(write) -> None:  # type: ignore[no-untyped-def]
    path = write(link("base", INERTIAL.replace('izz="0.01"', 'izz="0.8"')))
    found = import_robot(path, base="free", balance=True)
    assert np.allclose(found.system.bodies[0].inertia, 0.4 * np.eye(3))  # type: ignore[union-attr]
    assert any(note.kind == "changed" and "their mean" in note.text for note in found.notes)


def test_units_that_look_wrong_are_told(write) -> None:  # type: ignore[no-untyped-def]
    """A gram part with the inertia of a kilogram one, and a mesh in millimetres."""
    heavy = INERTIAL.replace('value="2"', 'value="0.0002"')
    box = '<visual><geometry><box size="400 300 200"/></geometry></visual>'
    found = import_robot(write(link("base"), link("arm", heavy, box), joint("a", "base", "arm")), base="free")
    doubts = [str(note) for note in found.notes if note.kind == "doubt"]
    assert any("inertia of link 'arm'" in text and "kg m²" in text for text in doubts)
    assert any("shape of link 'arm'" in text and "millimetres?" in text for text in doubts)


@pytest.mark.parametrize(
    ("mass", "size", "told"),
    [("2", "0.4 0.1 0.1", ""), ("2000", "0.4 0.1 0.1", "more than any matter"), ("2", "400 100 100", "less than air")],
)
def test_masses_that_no_matter_has_are_told(write, mass: str, size: str, told: str) -> None:  # type: ignore[no-untyped-def]
    """Grams for kilograms, or everything in millimetres: each number goes with the others, and not with its shape."""
    box = f'<visual><geometry><box size="{size}"/></geometry></visual>'
    scale = float(mass) / 2 * float(size.split()[0]) ** 2
    inertial = f'<inertial><mass value="{mass}"/><inertia ixx="{scale}" iyy="{scale}" izz="{scale}"/></inertial>'
    found = import_robot(write(link("base", inertial, box)), base="free")
    doubts = [str(note) for note in found.notes if note.kind == "doubt"]
    assert len(doubts) == (1 if told else 0) and all("mass of link 'base'" in text and told in text for text in doubts)


BOX = '<visual><geometry><box size="0.3 0.1 0.1"/></geometry></visual>'


def inertial(mass: str, moment: str) -> str:
    return f'<inertial><mass value="{mass}"/><inertia ixx="{moment}" iyy="{moment}" izz="{moment}"/></inertial>'


def doubts_of(path: Path) -> list[str]:
    return [str(note) for note in import_robot(path, base="free").notes if note.kind == "doubt"]


@pytest.mark.parametrize(
    ("mass", "moment", "shape", "told"),
    [
        ("1", "0.0083", BOX, ""),  # (0.1² + 0.3²)/12, of one kilogram
        ("0.001", "0.0083", BOX, "its shape ends 0.166 m from its centre of mass; is the mass in kg"),
        ("0.001", "0.0000083", BOX, ""),
        ("1", "0.24", BOX, ""),  # 0.49 m, three times as far as its corners are 0.497 m
        ("1", "0.26", BOX, "its shape ends 0.166 m"),
        ("5", "0", BOX, "it is zero with 5 kg, and its shape is 0.332 m large"),
        ("5", "0", "", ""),  # a point
        ("0.001", "0.1", "", "points 10 m apart from the axis; is the mass in kg"),
        ("80000", "2e7", "", ""),  # a ship of 80 t: 16 m
    ],
)
def test_inertias_that_do_not_go_with_mass_and_shape_are_told(write, mass, moment, shape, told) -> None:  # type: ignore[no-untyped-def]
    doubts = doubts_of(write(link("part", inertial(mass, moment), shape)))
    assert len(doubts) == (1 if told else 0) and all("inertia of link 'part'" in text and told in text for text in doubts)


def test_points_that_are_welded_to_a_link_are_not_told(write) -> None:  # type: ignore[no-untyped-def]
    """As sensors of forces at the wrists of Talos are given."""
    parts = link("base", inertial("12", "0.05"), BOX), link("sensor", inertial("0.5", "0"), BOX)
    assert not doubts_of(write(*parts, joint("a", "base", "sensor", "fixed")))
    assert len(doubts_of(write(*parts, joint("a", "base", "sensor")))) == 1


def test_made_up_inertia_of_a_sensor_is_not_told(write) -> None:  # type: ignore[no-untyped-def]
    """One gram with 1e-4 kg m² in a cube of a millimetre, as Unitree's A1 has."""
    cube = '<visual><geometry><box size="0.001 0.001 0.001"/></geometry></visual>'
    parts = link("base", inertial("12", "0.05"), BOX), link("imu", inertial("0.001", "0.0001"), cube)
    assert not doubts_of(write(*parts, joint("a", "base", "imu", "fixed")))


def test_shapes_that_were_not_read_are_no_ground_for_doubt(write) -> None:  # type: ignore[no-untyped-def]
    """A small ball that touches, and a mesh whose file misses: nothing tells how large the link is."""
    ball = '<collision><geometry><sphere radius="0.01"/></geometry></collision>'
    mesh = '<visual><geometry><mesh filename="none.stl"/></geometry></visual>'
    assert not doubts_of(write(link("foot", inertial("1", "0.02"), ball + mesh)))
    assert doubts_of(write(link("foot", inertial("1", "0.02"), ball)))


@pytest.mark.parametrize(
    ("distance", "mass", "told"), [("500", "2", True), ("80", "2", True), ("0.5", "2", False), ("60", "50000", False)]
)
def test_origins_in_millimetres_are_told_without_any_shape(write, distance: str, mass: str, told: bool) -> None:  # type: ignore[no-untyped-def]
    """The last is the boom of a crane."""
    size = float(mass) * float(distance) ** 2 / 12
    bars = [link(name, inertial(mass, str(size))) for name in ("base", "arm")]
    doubts = doubts_of(write(*bars, joint("a", "base", "arm").replace("0 0 -1", f"0 0 {distance}")))
    found = [text for text in doubts if "origin of joint 'a'" in text and "millimetres?" in text]
    assert len(found) == told


def test_links_that_move_without_mass_are_told(write) -> None:  # type: ignore[no-untyped-def]
    tip = link("tip"), joint("t", "arm", "tip")
    doubts = doubts_of(write(link("base"), link("arm", "", BOX), joint("a", "base", "arm"), *tip))
    assert len(doubts) == 1 and "links of 'arm': they have shapes and move with their joints, and have no mass" in doubts[0]
    fixed = joint("a", "base", "arm", "fixed")
    assert not doubts_of(write(link("base"), link("arm", "", BOX), fixed, *tip))
    carried = link("body"), joint("b", "arm", "body", "fixed")
    assert not doubts_of(write(link("base"), link("arm", "", BOX), joint("a", "base", "arm"), *carried))


def test_a_negative_mass_is_not_balanced(write) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(NonPositiveMassError) as raised:
        import_robot(write(link("base", INERTIAL.replace('value="2"', 'value="-2"'))), base="free")
    assert "balance" not in str(raised.value)


def test_poses_in_degrees_are_told(write) -> None:  # type: ignore[no-untyped-def]
    path = write(link("base"), link("arm", INERTIAL.replace("xyz=", 'rpy="0 0 90" xyz=')), joint("a", "base", "arm"))
    doubts = [str(note) for note in import_robot(path, base="free").notes if note.kind == "doubt"]
    assert len(doubts) == 1 and "<origin> of line 4: it is turned by 90 rad" in doubts[0] and "degrees?" in doubts[0]


def test_entities_and_damaged_files_are_refused(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.urdf"
    bomb.write_text('<?xml version="1.0"?>\n<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n<robot name="&b;"/>')
    with pytest.raises(RobotFileError, match="line 2: it declares a document type or an entity"):
        lm.load(bomb)
    cut = tmp_path / "cut.urdf"
    cut.write_text('<robot name="r">\n<link name="a"')
    with pytest.raises(RobotFileError, match=r"line 2, column \d+: unclosed token; it is no well-formed XML"):
        lm.load(cut)
    deep = tmp_path / "deep.urdf"
    deep.write_text("<a>" * 5000 + "</a>" * 5000)
    with pytest.raises(RobotFileError, match="more than 200 elements inside each other"):
        lm.load(deep)
    other = tmp_path / "page.xml"
    other.write_text("<html/>")
    with pytest.raises(RobotFileError, match="its root is <html>; a robot's is one of <robot>, <mujoco>"):
        lm.load(other)


@pytest.mark.parametrize("name", ["package://parts/ball.stl", "package:///parts/ball.stl"])
def test_missing_meshes_are_told_and_found_in_folders(write, tmp_path: Path, name: str) -> None:  # type: ignore[no-untyped-def]
    pytest.importorskip("trimesh")
    import trimesh

    mesh = f'<visual><geometry><mesh filename="{name}" scale="0.001 0.001 0.001"/></geometry></visual>'
    path = write(link("base", more=mesh))
    (note,) = [note for note in import_robot(path, base="free").notes if "mesh" in note.what]
    assert (note.kind, note.what) == ("ignored", f"meshes of {name!r}") and "folders=" in note.text
    (tmp_path / "elsewhere" / "parts").mkdir(parents=True)
    trimesh.creation.icosphere(radius=50.0).export(tmp_path / "elsewhere" / "parts" / "ball.stl")
    found = import_robot(path, base="free", folders=[tmp_path / "elsewhere"])
    assert not [note for note in found.notes if "mesh" in note.what]
    (shape,) = found.system.bodies[0].shapes
    assert np.abs(shape.vertices).max() == pytest.approx(0.05)  # type: ignore[union-attr]


def test_meshes_without_a_material_have_the_colour_of_their_file(write, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """One side of the box is blue, five are red; the link without any colour is metal, as others have one."""
    trimesh = pytest.importorskip("trimesh")
    box = trimesh.creation.box()
    box.visual.face_colors = [[0, 0, 255, 255]] * 2 + [[200, 30, 40, 255]] * 10
    box.export(tmp_path / "red.glb")
    trimesh.creation.box().export(tmp_path / "plain.stl")

    def seen(file: str, material: str = "") -> str:
        return f'<visual><geometry><mesh filename="{file}"/></geometry>{material}</visual>'

    green = '<material name="green"><color rgba="0 1 0 1"/></material>'
    path = write(
        link("base", "", seen("red.glb")),
        link("one", more=seen("plain.stl")),
        link("two", more=seen("red.glb", green)),
        joint("a", "base", "one"),
        joint("b", "one", "two"),
    )
    shapes = [shape.colour for body in import_robot(path, base="free").system.bodies for shape in body.shapes]
    assert shapes == ["#c81e28", "metal", "#00ff00"]
    alone = write(link("base", "", seen("plain.stl")), link("one", more=seen("plain.stl")), joint("a", "base", "one"))
    found = import_robot(alone, base="free").system.bodies
    assert {shape.colour for body in found for shape in body.shapes} == {"body"}


def test_options_are_checked(write) -> None:  # type: ignore[no-untyped-def]
    path = write(*GOOD)
    with pytest.raises(ArgumentError, match="base is 'loose'"):
        import_robot(path, base="loose")
    with pytest.raises(ArgumentError, match="contacts: no link is named 'foot'"):
        import_robot(path, contacts=["foot"])
    with pytest.raises(ArgumentError, match="fixed: no joint is named 'b'"):
        import_robot(path, fixed=["b"])
    with pytest.raises(ArgumentError, match="see import_robot"):
        lm.load(path, colour="red")
    with pytest.raises(ArgumentError, match="base can be asked of robots only"):
        lm.load("run.nc", base="free")


@pytest.mark.parametrize(
    ("kind", "told"), [("continuous", True), ("planar", True), ("revolute", False), ("prismatic", False), ("fixed", False)]
)
def test_bounds_of_joints_that_have_none_are_told(write, kind: str, told: bool) -> None:  # type: ignore[no-untyped-def]
    """By the format they do not count there; they vanished without a word, stops asked for or not."""
    more = '<limit lower="-1" upper="1" effort="3" velocity="2"/>'
    found = import_robot(write(link("base"), link("rod"), joint("hinge", "base", "rod", kind, more)), limits="stops")
    assert any(note.what == "lower and upper of <limit> of hinge" and kind in note.text for note in found.ignored) == told
    assert len(found.system.constraints) == (2 if kind in ("revolute", "prismatic") else 0)
