"""What an MJCF touches: the floor wherever it stands, friction against spinning and rolling, and what is told."""

from pathlib import Path

import numpy as np
import pytest

import locomotor as lm
from locomotor.robots import import_robot

mujoco = pytest.importorskip("mujoco")

BALL = '<body name="ball" pos="0 0 9"><freejoint name="fly"/><geom size="0.1" condim="6" friction="0.8 0.02 0.003"/></body>'
SEEN = '<geom type="plane" size="1 1 1" contype="0" conaffinity="0"/>'
TILTED = """<body name="hall" pos="0.3 0 -1" euler="0 25 40"><body name="ramp" pos="0 0.2 0.5" euler="10 0 0">
  <geom type="plane" size="9 9 1" pos="1 2 3"/></body></body>"""
TABLE = '<body name="table" pos="0 0 0.2"><geom type="box" size="0.1 0.1 0.1"/></body>'


def read(folder: Path, *parts: str, **options) -> tuple[lm.Imported, Path]:  # type: ignore[no-untyped-def]
    path = folder / "robot.xml"
    path.write_text(f"<mujoco><worldbody>{''.join(parts)}</worldbody></mujoco>", encoding="utf-8")
    return import_robot(path, contacts=True, **options), path


def said(found: lm.Imported) -> str:
    return "\n".join(map(str, found.notes))


@pytest.mark.parametrize("floor", [TILTED, SEEN + TILTED, TABLE + TILTED])
def test_a_floor_may_hang_on_bodies_that_stand_still(tmp_path: Path, floor: str) -> None:
    """It was the plane z = 0 instead; so it was where a plane that is only seen came first: nothing touched then."""
    found, path = read(tmp_path, floor, BALL)
    assert [contact.body for contact in found.system.contacts] == ["ball"]
    ((point, normal),) = [(ground.point, ground.normal) for ground in found.system.grounds]  # type: ignore[attr-defined]
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    plane = max(g for g in range(model.ngeom) if model.geom_type[g] == 0)  # the one that is only seen comes before it
    up = data.geom_xmat[plane].reshape(3, 3)[:, 2]
    assert normal == pytest.approx(up, abs=1e-12) and up[2] < 0.95
    assert up @ (np.array(point) - data.geom_xpos[plane]) == pytest.approx(0.0, abs=1e-12)


def test_what_stands_still_does_not_touch_the_floor(tmp_path: Path) -> None:
    """A table was given contacts, and every run refused: nothing presses them. MuJoCo has none either."""
    found, path = read(tmp_path, '<geom type="plane" size="1 1 1"/>', TABLE, BALL)
    assert [contact.body for contact in found.system.contacts] == ["ball"]
    assert "collision shapes of table: it stands still" in said(found)
    assert lm.simulate(found.system, 0.1, step=0.05, target="interpreter").status.ok
    data = mujoco.MjData(model := mujoco.MjModel.from_xml_path(str(path)))
    data.qpos[:3] = 5.0, 0.0, 0.05
    mujoco.mj_forward(model, data)
    assert {int(model.geom_bodyid[max(c.geom)]) for c in data.contact} == {model.body("ball").id}


@pytest.mark.parametrize("condim", [1, 3, 4, 6])
def test_balls_resist_spinning_and_rolling_as_in_mujoco(tmp_path: Path, condim: int) -> None:
    """They rolled on for ever, without a word. A patch resists by 2/3 of friction and radius (docs: Unilateral)."""
    floor = '<geom type="plane" size="1 1 1" condim="1" friction="0.5 0.03 0"/>'
    found, path = read(tmp_path, floor, BALL.replace('condim="6"', f'condim="{condim}"'))
    (contact,) = found.system.contacts
    law = contact.law
    data = mujoco.MjData(model := mujoco.MjModel.from_xml_path(str(path)))
    data.qpos[2] = 0.05
    mujoco.mj_forward(model, data)
    (pair,) = data.contact
    assert pair.dim == condim
    slide, _, spin, roll, _ = pair.friction
    assert law.friction == pytest.approx(slide if condim > 1 else 0.0)
    assert 2.0 / 3.0 * law.friction * (law.patch or 0.0) == pytest.approx(spin if condim > 3 else 0.0)
    assert (law.rolling or 0.0) == pytest.approx(roll if condim > 4 else 0.0)


def test_what_contacts_do_not_have_is_told(tmp_path: Path) -> None:
    floor = '<geom type="plane" size="1 1 1"/>'
    box = '<body name="box" pos="0 0 1"><freejoint/><geom type="box" size=".1 .1 .1" condim="4" margin="0.01"/></body>'
    told = said(read(tmp_path, floor, box, BALL)[0])
    assert "friction against spinning and rolling (condim 4 and 6) of box: only of balls it is read" in told
    assert "margin and gap of geoms of box" in told and "contacts between links: shapes touch the floor alone" in told
    alone = said(read(tmp_path, floor, BALL)[0])
    assert "margin" not in alone and "between links" not in alone and "condim" not in alone
    assert "contacts touch the plane z = 0 instead" in said(read(tmp_path, '<geom type="box" size="9 9 .1"/>', BALL)[0])


@pytest.mark.parametrize("beside", [TABLE, '<body name="table"><geom type="plane" size="1 1 1"/></body>'])
def test_a_base_that_is_freed_is_that_of_the_robot(tmp_path: Path, beside: str) -> None:
    """The table fell as well; a floor was refused as something without mass that moves."""
    geom = '<geom size="0.1"/>'
    arm = f'<body name="arm" pos="0 0 1">{geom}<body pos="0.2 0 0"><joint name="j"/>{geom}</body></body>'
    found, _ = read(tmp_path, beside, arm, base="free")
    assert {joint.child: type(joint).__name__ for joint in found.system.joints if joint.parent == "world"} == {
        "table": "Fixed",
        "arm": "Free",
    }
    assert "base of table: what has no joint of its own stays where it stands" in said(found)
    alone = read(tmp_path, TABLE, base="free")[0].system
    assert [type(joint).__name__ for joint in alone.joints] == ["Free"]
    two = read(tmp_path, TABLE, TABLE.replace("table", "chair"), base="free")[0].system
    assert [type(joint).__name__ for joint in two.joints] == ["Free", "Free"]
