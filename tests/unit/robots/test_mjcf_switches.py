"""What an MJCF switches off, by flags of its `<option>` and by groups of actuators, beside MuJoCo itself."""

from pathlib import Path

import numpy as np
import pytest

import locomotor as lm
from locomotor.robots import Imported, import_robot

mujoco = pytest.importorskip("mujoco")

ARM = """<mujoco><compiler angle="radian"/><option gravity="0 1 -9.81"{option}>{flag}</option><worldbody>
  <body name="upper"><joint name="shoulder" axis="0 1 0" stiffness="50" springref="0.3" damping="2"{joint}/>
    <geom type="capsule" conaffinity="0" size="0.05" fromto="0 0 0 0 0 -1"/>
    <body name="lower" pos="0 0 -1"><joint name="elbow" axis="0 1 0" stiffness="20" damping="1" actuatorfrcrange="-2 5"/>
      <geom type="capsule" conaffinity="0" size="0.04" fromto="0 0 0 0 0 -0.7"/></body></body></worldbody>
  <tendon>
    <fixed name="both" stiffness="7" damping="3"><joint joint="shoulder" coef="1"/><joint joint="elbow" coef="-2"/></fixed>
    <fixed name="one"><joint joint="elbow" coef="-2"/></fixed></tendon>
  <equality>{equality}</equality>
  <actuator><position name="hold" joint="shoulder" kp="100" ctrlrange="0.5 1" group="1"/>
    <motor name="pull" tendon="one" gear="3" forcerange="-4 4" group="2"/>{more}</actuator></mujoco>"""


def arm(tmp_path: Path, **parts: str) -> Path:
    empty = dict.fromkeys(("option", "flag", "joint", "equality", "more"), "")
    path = tmp_path / "arm.xml"
    path.write_text(ARM.format(**empty | parts), encoding="utf-8")
    return path


def flagged(tmp_path: Path, *names: str, **parts: str) -> Path:
    switches = " ".join(f'{name}="disable"' for name in names)
    return arm(tmp_path, flag=f"<flag {switches}/>", **parts)


def said(found: Imported) -> str:
    return "\n".join(map(str, found.notes))


def same_accelerations(path: Path, found: Imported) -> None:
    """At random states and controls, some of them beyond every range."""
    model = mujoco.MjModel.from_xml_path(str(path))
    system = found.system.replace(contacts=[])  # which are in the air: geoms do not touch each other here
    data, rng = mujoco.MjData(model), np.random.default_rng(0)
    for _ in range(20):
        data.qpos, data.qvel, data.ctrl = rng.uniform(-1, 1, 2), rng.normal(size=2), rng.normal(size=model.nu)
        mujoco.mj_forward(model, data)
        start = dict(zip(("shoulder", "elbow", "shoulder_rate", "elbow_rate"), (*data.qpos, *data.qvel), strict=True))
        given = {name: float(data.ctrl[model.actuator(name).id]) for name in found.inputs}
        ours = lm.accelerations(system, start, inputs=given)
        # Round-off of two programs, of accelerations of some hundred rad/s².
        assert [ours["shoulder_rate"], ours["elbow_rate"]] == pytest.approx(list(data.qacc), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ((), ()),
        (("spring",), ("springs",)),
        (("damper",), ("dampers",)),
        (("spring", "damper"), ("springs", "dampers")),
        (("clampctrl",), ("ranges of controls",)),
        (("actuation",), ("actuator",)),
        (("gravity",), ()),
        (("limit",), ("ranges of joints and tendons",)),
        (("frictionloss",), ("dry friction",)),
        (("equality",), ("<equality>",)),
        (("constraint",), ("ranges of joints and tendons", "dry friction", "<equality>", "contacts")),
        (("contact",), ("contacts",)),
        # What they change is how MuJoCo computes: nothing of it is read.
        (("warmstart", "filterparent", "refsafe", "sensor", "midphase", "eulerdamp", "island", "nativeccd", "multiccd"), ()),
    ],
)
def test_what_a_flag_switches_off_is_not_there(tmp_path: Path, names: tuple[str, ...], told: tuple[str, ...]) -> None:
    """With the constraints of MuJoCo idle, as they are soft there and exact here."""
    equality = '<joint joint1="elbow" polycoef="0.1 0 0 0 0"/>' if {"equality", "constraint"} & set(names) else ""
    joint = ' range="-0.2 0.2"' if {"limit", "constraint"} & set(names) else ""
    joint += ' frictionloss="3"' if {"frictionloss", "constraint"} & set(names) else ""
    path = flagged(tmp_path, *names, equality=equality, joint=joint)
    found = import_robot(path, limits="stops", joint_friction=True, contacts=True)
    same_accelerations(path, found)
    notes = [str(note) for note in found.notes if "switched off" in str(note)]
    assert len(notes) == len(told), notes
    for what in told:
        assert any(note.startswith(f"ignored: {what}") and 'disable"/>' in note for note in notes), (what, notes)
    assert not found.system.constraints and not found.system.loops
    assert set(found.inputs) == (set() if "actuation" in names else {"hold", "pull"})
    assert bool(found.system.contacts) == (not {"contact", "constraint"} & set(names))


@pytest.mark.parametrize("groups", ["1", "2", "1 2", "7"])
def test_a_group_of_actuators_may_be_off(tmp_path: Path, groups: str) -> None:
    path = arm(tmp_path, option=f' actuatorgroupdisable="{groups}"')
    found = import_robot(path)
    same_accelerations(path, found)
    assert set(found.inputs) == {name for group, name in (("1", "hold"), ("2", "pull")) if group not in groups}
    for group in {"1", "2"} & set(groups.split()):
        assert f'<option actuatorgroupdisable="{group}">' in said(found)


@pytest.mark.parametrize("span", ["-1 1", "-30 2", "-500 -490", "490 500"])
def test_the_range_of_all_actuators_is_that_of_the_only_one(tmp_path: Path, span: str) -> None:
    """The motor has a range of its own, along a tendon of one joint with a coefficient of -2, and that of the elbow."""
    path = arm(tmp_path, joint=f' actuatorfrcrange="{span}"')
    found = import_robot(path)
    same_accelerations(path, found)
    assert "actuatorfrcrange" not in said(found)
    assert found.limits["elbow"].effort == 5.0


def test_a_range_that_several_actuators_share_is_told(tmp_path: Path) -> None:
    """One that is switched off does not count."""
    more = '<motor name="push" joint="elbow" group="3"/>'
    assert "actuatorfrcrange of elbow: several actuators act on the joint" in said(import_robot(arm(tmp_path, more=more)))
    path = arm(tmp_path, more=more, option=' actuatorgroupdisable="3"')
    found = import_robot(path)
    assert "actuatorfrcrange" not in said(found)
    same_accelerations(path, found)
    more = '<motor name="push" tendon="both"/>'
    assert "actuatorfrcrange of elbow" in said(import_robot(arm(tmp_path, more=more)))


FEET = """<mujoco><option o_friction="0.3 0.3 0 0 0">{flag}</option><worldbody><geom type="plane" size="1 1 1"/>
  <body name="one" pos="0 0 1"><freejoint/><geom size="0.1"/></body>
  <body name="two" pos="1 0 1"><freejoint/><geom size="0.1" condim="1"/></body></worldbody>
  <contact>{exclude}</contact></mujoco>"""


def test_contacts_with_the_floor_are_those_of_mujoco(tmp_path: Path) -> None:
    """Pairs that are taken out, and the friction that overrides that of all geoms."""
    path = tmp_path / "feet.xml"
    for flag, exclude, wanted in (
        ("", "", {"one": 1.0, "two": 1.0}),
        ('<flag override="enable"/>', "", {"one": 0.3, "two": 0.3}),
        ("", '<exclude body1="two" body2="world"/>', {"one": 1.0}),
        ('<flag sleep="enable"/>', '<exclude body1="one" body2="two"/>', {"one": 1.0, "two": 1.0}),
    ):
        path.write_text(FEET.format(flag=flag, exclude=exclude), encoding="utf-8")
        found = import_robot(path, contacts=True)
        assert {c.body: c.law.friction for c in found.system.contacts} == wanted  # type: ignore[attr-defined]
        assert ("sleeping bodies" in said(found)) == ("sleep" in flag)
        model = mujoco.MjModel.from_xml_path(str(path))
        data = mujoco.MjData(model)
        data.qpos[[2, 9]] = 0.099
        mujoco.mj_forward(model, data)
        touching = {model.body(model.geom_bodyid[max(contact.geom)]).name: contact.friction[0] for contact in data.contact}
        assert touching == wanted


def test_what_an_actuator_a_joint_and_a_keyframe_say_besides_is_told(tmp_path: Path) -> None:
    path = tmp_path / "besides.xml"
    path.write_text(
        """<mujoco><worldbody>
        <body name="a"><joint name="q" stiffness="5" springyield="0.1"/><geom size="0.1"/></body></worldbody>
        <actuator><motor joint="q" name="m" delay="0.01" nsample="6"/></actuator>
        <keyframe><key name="home" qpos="0.1" qvel="1" ctrl="2"/></keyframe></mujoco>""",
        encoding="utf-8",
    )
    told = said(import_robot(path))
    for part in ("springs that yield of q", "the delay of an actuator of m", "velocities and controls of a keyframe of home"):
        assert part in told, part
