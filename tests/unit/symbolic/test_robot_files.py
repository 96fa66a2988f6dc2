"""Malformed files of robots: line, what was expected, nearest keyword; nothing in them is executed."""

from pathlib import Path

import pytest

import locomotor as lm
from locomotor.errors import ModelError, TextFileError
from locomotor.symbolic import Robot, Segment, robot_system

GEOMETRY = [
    "NSEG := 1;",
    "NDDL := 1;",
    "alpha_1 := 0;",
    "theta_1 := q[1];",
    "d_1 := 0;",
    "a_1 := L;",
    "ref_1 := 0;",
    "type_1 := 'REVOLUTE';",
]
MASSES = ["GRAVITE := vector([0, g, 0]);", "masse_1 := m;", "G_1 := vector([0, 0, 0]);"]
MASSES += ["I_1 := matrix([[J,0,0],[0,J,0],[0,0,J]]);"]


def read(folder: Path, geometry: list[str] = GEOMETRY, masses: list[str] = MASSES) -> Robot:
    (folder / "robot_DH.maple").write_text("\n".join(geometry) + "\n", encoding="utf-8")
    (folder / "robot_DYNAMIQUE.maple").write_text("\n".join(masses) + "\n", encoding="utf-8")
    return lm.read_robot(folder)


def changed(lines: list[str], index: int, line: str) -> list[str]:
    return [*lines[:index], line, *lines[index + 1 :]]


def test_the_plain_files_are_read(tmp_path: Path) -> None:
    assert read(tmp_path).parameters == ("J", "L", "g", "m")


@pytest.mark.parametrize(
    ("index", "line", "told"),
    [
        (2, "alfa_1 := 0;", r"line 3: 'alfa_1' is no keyword of this file; did you mean 'alpha_1'\?"),
        (2, "alpha_x := 0;", r"line 3: 'alpha_x': expected a number of a segment"),
        (3, "theta_1 := q[1;", r"line 4: theta_1: expected a number or a formula"),
        (3, "theta_1 := __import__('os').system('true');", r"line 4: theta_1"),
        (3, "theta_1 = q[1];", r"line 4: expected `name := value;`"),
        (0, "NSEG := one;", r"line 1: NSEG is 'one'; expected a whole number from 1 to 9999"),
        (0, "NSEG := 99999;", r"line 1: NSEG is '99999'; expected a whole number from 1 to 9999"),
        (0, "NSEG := 1", r"line 1: expected `;` after 'NSEG := 1'"),
        (5, "a_1 := 1/0;", r"robot_DH.maple, line 6: a_1: '1/0' has no finite value"),
        (6, "ref_1 := 3;", r"robot_DH.maple, line 7: .*ref_1 is 3; give 0 for the base"),
        (7, "type_1 := 'REVOLUT';", r"line 8: type_1 is 'REVOLUT'; did you mean 'REVOLUTE'\?"),
        (7, "type_1 := 'REVOLUTE'", r"line 8: expected `;`"),
        (1, "NDDL := 2;", r"q\[2\] moves nothing"),
        (3, "theta_1 := q[4];", r"robot_DH.maple, line 4: .*q\[4\] is used, and NDDL is 1"),
        (5, "d_1 := 1;", r"line 6: d_1 is given a second time, first in line 5"),
        (5, "a_2 := 1;", r"line 6: a_2: there are 1 segments"),
        (5, "", r"a_1 is missing; add a line `a_1 := ...;`"),
        (7, "type_1 := REVOLUTE';", r"line 8: type_1 is REVOLUTE'; did you mean 'REVOLUTE'\?"),
        (5, "a_1 := 1; q := nan;", r"line 6: q is 'nan'; expected vector\(NDDL\)"),
        (5, "a_1 := 1; qdot := vector(NDDq[1]L):", r"line 6: qdot is 'vector\(NDDq\[1\]L\)'; expected vector\(NDDL\)"),
    ],
)
def test_a_malformed_geometry_is_told(tmp_path: Path, index: int, line: str, told: str) -> None:
    with pytest.raises(TextFileError, match=told):
        read(tmp_path, changed(GEOMETRY, index, line))


@pytest.mark.parametrize(
    ("index", "line", "told"),
    [
        (0, "GRAVITY := vector([0,g,0]);", r"line 1: 'GRAVITY' is no keyword of this file; did you mean 'GRAVITE'\?"),
        (0, "GRAVITE := [0, g, 0];", r"line 1: expected vector\(\[x, y, z\]\)"),
        (2, "G_1 := vector([0, 0]);", r"line 3: G_1: expected three entries, got 2"),
        (3, "I_1 := matrix([[J,0,0],[0,J,0]]);", r"line 4: expected matrix\("),
        (1, "NSEG := 1;", r"line 2: 'NSEG' is no keyword of this file"),
    ],
)
def test_malformed_masses_are_told(tmp_path: Path, index: int, line: str, told: str) -> None:
    with pytest.raises(TextFileError, match=told):
        read(tmp_path, masses=changed(MASSES, index, line))


TOML = """robot = "arm"
coordinates = 1
gravity = [0, "g", 0]

[[segment]]
type = "revolute"
parent = 0
theta = "q1"
a = "L"
mass = "m"
inertia = [["J", 0, 0], [0, "J", 0], [0, 0, "J"]]
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("theta", "tetha", r"line 8: 'tetha' is no keyword here; did you mean 'theta'\?"),
        ('"revolute"', '"revolve"', r"line 6: type is 'revolve'; did you mean 'revolute'\?"),
        ("parent = 0", "parent = -1", r"line 7: parent is -1; expected a whole number"),
        ('"q1"', '"q1 +"', r"line 8: theta: expression 'q1 \+'"),
        ('"q1"', "[1]", r"line 8: theta is \[1\]; expected a number or a formula"),
        ("coordinates = 1", "coordinates = 0", r"line 2: coordinates is 0"),
        ('robot = "arm"', "robot = 3", r"line 1: expected the name"),
        ('[0, "g", 0]', '[0, "g"]', r"line 3: gravity is \[0, 'g'\]; expected three entries"),
        ('robot = "arm"', 'robot = "arm', r"this is no TOML: .*line 1"),
        ('"J"]]', '"J"]', r"this is no TOML: .*at line 11, the end of the document"),
        ('mass = "m"', 'mass = "m#2"', r"line \d+: mass: expression 'm#2': '#' is no operator"),
        ("coordinates = 1", 'coordinates = 1\nexport = "false"', r"line 3: export is 'false'; expected true or false"),
    ],
)
def test_malformed_toml_is_told(tmp_path: Path, old: str, new: str, told: str) -> None:
    file = tmp_path / "arm.toml"
    file.write_text(TOML, encoding="utf-8")
    assert lm.read_robot(file).segments[0].a is not None
    file.write_text(TOML.replace(old, new), encoding="utf-8")
    with pytest.raises(TextFileError, match=told):
        lm.read_robot(file)


def test_what_is_no_robot_is_told(tmp_path: Path) -> None:
    with pytest.raises(TextFileError, match=r"robot_DH\.maple"):
        lm.read_robot(tmp_path)
    with pytest.raises(TextFileError, match=r"give a \.toml file"):
        lm.read_robot(tmp_path / "robot.txt")


def test_joints_that_a_system_cannot_have_are_told() -> None:
    twice = Robot("r", 2, (Segment(0.0, lm.parse("q1 + q2"), 0.0, 1.0, 0, mass=1.0),))
    with pytest.raises(ModelError, match="holds 2 coordinates"):
        robot_system(twice)
    half = Robot("r", 1, (Segment(0.0, lm.parse("q1/2"), 0.0, 1.0, 0, mass=1.0),))
    with pytest.raises(ModelError, match="not plus or minus a coordinate"):
        robot_system(half)


def test_an_inertia_that_is_not_symmetric_is_told(tmp_path: Path) -> None:
    lines = changed(MASSES, 3, "I_1 := matrix([[J,K,0],[L,J,0],[0,0,J]]);")
    with pytest.raises(
        TextFileError, match=r"robot_DYNAMIQUE.maple, line 4: .*I_1 is not symmetric: K in row 1, column 2, and L"
    ):
        read(tmp_path, masses=lines)
    same = changed(MASSES, 3, "I_1 := matrix([[J,K+L,0],[L+K,J,0],[0,0,J]]);")  # equal, if written otherwise
    assert read(tmp_path, masses=same).segments[0].inertia[0][1] is not None


ARM = 'robot = "arm"\ncoordinates = 1\n[[segment]]\nparent = 0\ntheta = "q[1]"\na = "L"\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (ARM.replace("parent = 0", "parent = 2"), "line 4: .*ref_1 is 2; give 0 for the base"),
        (ARM.replace('"L"', '"1/0"'), "line 6: a: '1/0' has no finite value"),
        (ARM + "inertia = [[1, 2, 0], [3, 1, 0], [0, 0, 1]]\n", "line 7: .*I_1 is not symmetric"),
        (ARM.replace("coordinates = 1\n", ""), "coordinates is missing"),
        (ARM.replace("[[segment]]", "[[segments]]"), "line 3: 'segments' is no keyword here; did you mean 'segment'"),
    ],
)
def test_a_malformed_toml_robot_is_told(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "arm.toml"
    file.write_text(ARM, encoding="utf-8")
    assert lm.read_robot(file).parameters == ("L",)  # as it should be; q[1] is q1 here too
    file.write_text(text, encoding="utf-8")
    with pytest.raises(TextFileError, match=told):
        lm.read_robot(file)
