"""Numbers of URDF and SDF: what is not finite, missing or of the wrong sign is refused or told."""

import math
from pathlib import Path
from typing import Any

import pytest

import locomotor as lm
from locomotor.errors import LocomotorError, RobotFileError
from locomotor.robots import Imported, import_robot

SDF = """<sdf version="1.10"><model name="m">
  <link name="a"><pose>{x} 0 0 0 0 0</pose><inertial><mass>{mass}</mass>
    <inertia><ixx>{moment}</ixx><iyy>{moment}</iyy><izz>{moment}</izz></inertia></inertial>
    <collision name="c"><geometry><capsule><radius>{radius}</radius><length>{length}</length></capsule></geometry>
      <surface><friction><ode><mu>{mu}</mu></ode></friction></surface></collision></link>
  <link name="b"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
  <joint name="lead" type="revolute"><parent>world</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>
  <joint name="j" type="{type}"><parent>world</parent><child>a</child>{pitch}<axis><xyz>0 {y} 0</xyz>
    <limit><lower>{lower}</lower><upper>{upper}</upper><effort>{effort}</effort><velocity>{velocity}</velocity></limit>
    <dynamics><damping>{damping}</damping><friction>{friction}</friction>
      <spring_stiffness>{stiffness}</spring_stiffness><spring_reference>{reference}</spring_reference></dynamics>
    <mimic joint="lead"><multiplier>{multiplier}</multiplier><offset>{offset}</offset></mimic></axis></joint>
</model></sdf>"""
ALWAYS = (
    "x",
    "mass",
    "moment",
    "radius",
    "length",
    "mu",
    "y",
    "damping",
    "friction",
    "stiffness",
    "reference",
    "multiplier",
    "offset",
)
USUAL: dict[str, Any] = dict.fromkeys(ALWAYS, 0.5) | {"lower": -1, "upper": 1, "effort": 2, "velocity": 3}

URDF = """<robot name="r"><link name="world"/><link name="b"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  <link name="a"><inertial><origin xyz="{x} 0 0"/><mass value="{mass}"/>
    <inertia ixx="{moment}" iyy="{moment}" izz="{moment}"/></inertial>
    <collision><geometry><cylinder radius="{radius}" length="{length}"/></geometry></collision></link>
  <joint name="lead" type="continuous"><parent link="world"/><child link="b"/></joint>
  <joint name="j" type="revolute"><parent link="world"/><child link="a"/><axis xyz="0 {y} 0"/>
    <limit lower="{lower}" upper="{upper}" effort="{effort}" velocity="{velocity}"/>
    <dynamics damping="{damping}" friction="{friction}"/>
    <mimic joint="lead" multiplier="{multiplier}" offset="{offset}"/></joint></robot>"""
IN_URDF = [name for name in USUAL if name not in ("mu", "stiffness", "reference")]


@pytest.fixture
def read(tmp_path: Path):  # type: ignore[no-untyped-def]
    def made(text: str, suffix: str = ".sdf", **parts: Any) -> Imported:
        path = tmp_path / f"robot{suffix}"
        path.write_text(text.format(**{"type": "revolute", "pitch": ""} | USUAL | parts), encoding="utf-8")
        return import_robot(path, contacts=True)

    return made


@pytest.mark.parametrize("value", ["inf", "-Infinity", "nan", "1e400", "1e61", "1_0", "\u0661", "one"])
def test_what_is_no_finite_number_is_refused(read, value: str) -> None:  # type: ignore[no-untyped-def]
    for text, suffix, names in ((SDF, ".sdf", ALWAYS), (URDF, ".urdf", IN_URDF)):
        for name in names:
            with pytest.raises(RobotFileError, match=r"line \d+: <.*write a (finite )?number"):
                read(text, suffix, **{name: value})


def test_bounds_of_sdf_may_be_infinite(read) -> None:  # type: ignore[no-untyped-def]
    """The format writes inf, or 1e16, for a bound that is none; it has none where effort or speed are negative, too."""
    for most in ("inf", "1e16", "-1", "-inf"):
        limit = read(SDF, effort=most, velocity=most, lower="-inf").limits["j"]
        assert (limit.effort, limit.speed, limit.lower, limit.upper) == (None, None, -1e16, 1.0)
    limit = read(SDF, lower="-inf", upper="inf").limits["j"]
    assert (limit.lower, limit.upper, limit.effort, limit.speed) == (None, None, 2.0, 3.0)
    with pytest.raises(RobotFileError, match="lower is"):
        read(SDF, lower="inf")


def test_what_must_not_be_negative(read) -> None:  # type: ignore[no-untyped-def]
    for name, told in (("damping", "damping"), ("friction", "friction"), ("stiffness", "spring_stiffness")):
        with pytest.raises(RobotFileError, match=f"the {told} is -3.0; write zero or more"):
            read(SDF, **{name: "-3"})
    found = read(SDF, mu="-0.25")
    assert {c.law.friction for c in found.system.contacts} == {0.25}
    assert any("negative <mu> of <collision> 'c'" in str(note) for note in found.notes)
    for text, suffix, shape in ((SDF, ".sdf", "capsule"), (URDF, ".urdf", "cylinder")):
        notes = "\n".join(map(str, read(text, suffix, length="-3").notes))
        assert f"ignored: <{shape}> of <collision>" in notes and "its length is -3.0 m" in notes
        assert "<radius>" not in notes and "radius=" not in notes


def test_masses_that_the_format_makes_up_are_told(read) -> None:  # type: ignore[no-untyped-def]
    text = SDF.replace("<mass>{mass}</mass>", "").replace("<iyy>{moment}</iyy>", "<iyy/>")
    found = read(text, moment="1")
    assert found.system.body("a").mass == 1.0
    told = [note.text for note in found.notes if note.kind == "doubt" and "'a'" in note.what]
    assert "its <inertial> has no <mass>, which is 1 kg by the format" in told
    assert "its <inertial> has no <iyy>, which is 1 kg m² by the format" in told
    assert not [line for line in told if "ixx" in line]
    whole = SDF.replace("<inertia><ixx>{moment}</ixx><iyy>{moment}</iyy><izz>{moment}</izz></inertia>", "")
    assert any("has no <inertia>, which is 1 kg m²" in note.text for note in read(whole).notes)


def test_the_pitch_of_a_screw(read) -> None:  # type: ignore[no-untyped-def]
    """Metres a turn; before that, minus radians a metre."""

    def pitch(told: str) -> float:
        (joint,) = (j for j in read(SDF, type="screw", pitch=told).system.joints if isinstance(j, lm.Helical))
        return float(joint.pitch)  # type: ignore[arg-type]

    assert pitch("<screw_thread_pitch>0.01</screw_thread_pitch>") == pytest.approx(0.01 / (2 * math.pi), rel=1e-15)
    assert pitch("<thread_pitch>-50</thread_pitch>") == 0.02
    for tag in ("screw_thread_pitch", "thread_pitch"):
        for value in ("inf", "-inf", "nan", "", "x"):
            with pytest.raises(RobotFileError, match=f"<{tag}>: .*write a (finite )?number"):
                pitch(f"<{tag}>{value}</{tag}>")
        with pytest.raises(RobotFileError, match="zero; write a revolute joint"):
            pitch(f"<{tag}>0</{tag}>")
    with pytest.raises(LocomotorError, match="no finite numbers"):
        pitch("<thread_pitch>1e-320</thread_pitch>")
    with pytest.raises(RobotFileError, match="has no <screw_thread_pitch>; write one, in metres a turn"):
        pitch("")
