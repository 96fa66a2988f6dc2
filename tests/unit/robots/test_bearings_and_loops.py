"""Dry friction of joints from files and back, loops of URDF+, joints that follow in circles, and units that look wrong."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import RobotFileError


def link(name: str, mass: float = 1.0, inertia: float = 0.02) -> str:
    inner = f'<mass value="{mass}"/><inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}"/>'
    return f'<link name="{name}"><inertial><origin xyz="0.1 0 0"/>{inner}</inertial></link>'


def joint(name: str, parent: str, child: str, more: str = "", at: str = "0 0 0") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="{at}"/><axis xyz="0 1 0"/>'
    return f'<joint name="{name}" type="revolute">{ends}{more}</joint>'


def read(folder: Path, *parts: str, **options: object) -> lm.robots.Imported:
    file = folder / "robot.urdf"
    file.write_text(f'<robot name="r"><link name="world"/>{"".join(parts)}</robot>')
    return lm.import_robot(file, **options)  # type: ignore[arg-type]


MJCF = """
<mujoco><worldbody><body name="arm">
  <joint name="swing" type="hinge" axis="0 1 0" damping="0.3" {loss}/>
  <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.5"/>
</body></worldbody></mujoco>
"""


def test_dry_friction_is_read_on_request_in_every_format(tmp_path: Path) -> None:
    rubs = joint("j", "world", "a", '<dynamics friction="0.4"/>')
    plain = read(tmp_path, link("a"), rubs)
    assert not [force for force in plain.system.forces if isinstance(force, lm.JointFriction)]
    assert any("joint_friction=True" in note.text for note in plain.notes)
    inertial = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
    axis = "<axis><xyz>0 1 0</xyz><dynamics><friction>0.4</friction></dynamics></axis>"
    ends = "<parent>world</parent><child>a</child>"
    (tmp_path / "r.sdf").write_text(
        f'<sdf version="1.9"><model name="m"><link name="a">{inertial}</link>'
        f'<joint name="j" type="revolute">{ends}{axis}</joint></model></sdf>'
    )
    (tmp_path / "r.xml").write_text(MJCF.format(loss='frictionloss="0.4"'))
    found = [read(tmp_path, link("a"), rubs, joint_friction=True).system]
    found += [lm.import_robot(tmp_path / name, joint_friction=True).system for name in ("r.sdf", "r.xml")]
    for system in found:
        (friction,) = (force for force in system.forces if isinstance(force, lm.JointFriction))
        assert float(friction.bound) == 0.4  # type: ignore[arg-type]


def test_dry_friction_goes_to_mjcf_and_holds_there_too(tmp_path: Path) -> None:
    """Both let go of the arm where its weight exceeds the bound, and not before."""
    (tmp_path / "r.xml").write_text(MJCF.format(loss='frictionloss="0.4"'))
    system = lm.import_robot(tmp_path / "r.xml", joint_friction=True).system
    lm.save(system, tmp_path / "again.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "again.xml"))
    assert model.dof_frictionloss[0] == 0.4 and model.dof_damping[0] == pytest.approx(0.3)
    weight = float(model.body_mass[1]) * 9.81 * 0.25
    for share, holds in ((0.9, True), (1.1, False)):
        start = {"swing": float(np.arcsin(share * 0.4 / weight))}
        run = lm.simulate(system, 0.1, start=start, step=0.01, target="interpreter")
        assert bool(run["swing_friction_sticks"].all()) == holds


FOUR_BAR = (
    link("crank"),
    link("coupler"),
    link("rocker"),
    joint("a", "world", "crank"),
    joint("b", "crank", "coupler", at="0.2 0 0"),
    joint("c", "world", "rocker", at="0.4 0 0"),
)
LOOP = """<loop name="pin" type="{kind}">
  <predecessor link="coupler"><origin xyz="0.5 0 0" rpy="0.3 0 0"/></predecessor>
  <successor link="{successor}"><origin xyz="0.4 0 0" rpy="0 0 0"/></successor><axis xyz="0 1 0"/></loop>"""


@pytest.mark.parametrize("kind", ["revolute", "spherical"])
def test_a_loop_of_urdf_plus_closes_a_four_bar(tmp_path: Path, kind: str) -> None:
    """Bars of 0.2, 0.5 and 0.4 m on a base of 0.4 m: the distance of two pins is kept, whatever turns."""
    level = LOOP.format(kind=kind, successor="rocker").replace("0.3 0 0", "0 0 0")
    found = read(tmp_path, *FOUR_BAR, level)
    assert not [note for note in found.notes if "loop" in note.what] and len(found.system.loops) == 1
    assert lm.mobility(found.system).freedoms == 1
    system = found.system.replace(nominal={"a": -1.0, "b": 0.5, "c": -2.0})
    run = lm.simulate(system, 0.5, start={"a_rate": 3.0} if kind == "revolute" else None, step=0.005, target="interpreter")
    assert run.status.ok and run.audit()["largest_gap"] < 1e-12
    a, b, c = (run[name] for name in "abc")
    x = 0.2 * np.cos(a) + 0.5 * np.cos(a + b) - 0.4 - 0.4 * np.cos(c)
    z = -0.2 * np.sin(a) - 0.5 * np.sin(a + b) + 0.4 * np.sin(c)
    assert np.abs([x, z]).max() < 1e-12


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ((*FOUR_BAR, LOOP.format(kind="hinge", successor="rocker")), "its type is 'hinge'; write one of revolute"),
        (
            (*FOUR_BAR, LOOP.format(kind="revolute", successor="rockr")),
            "the link 'rockr', which is not there: did you mean 'rocker'",
        ),
        ((link("a"), joint("j", "world", "a", '<mimic joint="j"/>')), "circle, j -> j; let one of them lead"),
        (
            (link("a"), link("b"), joint("j", "world", "a", '<mimic joint="k"/>'), joint("k", "a", "b", '<mimic joint="j"/>')),
            "circle, j -> k -> j",
        ),
        ((link("a", mass="${m}"), joint("j", "world", "a")), "run xacro on the file first"),  # type: ignore[arg-type]
        ((link("a"), joint("j", "world", "a", '<dynamics friction="-1"/>')), "the friction is -1.0; write zero or more"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, parts: tuple[str, ...], words: str) -> None:
    with pytest.raises(RobotFileError, match=words):
        read(tmp_path, *parts)


def test_units_that_look_wrong_are_doubted(tmp_path: Path) -> None:
    """A gram part with the inertia of a kilogram one, where no shape tells its size; limits in degrees."""
    degrees = '<limit lower="-90" upper="90" effort="1" velocity="1"/>'
    found = read(tmp_path, link("a", 0.001, 5.0), joint("j", "world", "a", degrees))
    doubts = [str(note) for note in found.notes if note.kind == "doubt"]
    assert len(doubts) == 2 and "inertia of link 'a'" in doubts[0] and "in degrees?" in doubts[1]
