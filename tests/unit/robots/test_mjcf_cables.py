"""Tendons along paths that may not become longer, both ways: cables, beside MuJoCo itself."""

from pathlib import Path

import numpy as np
import pytest

import locomotor as lm
from locomotor.mechanics.tree import Instant, forward
from locomotor.robots import import_robot
from oracles.mechanics import contact_rows

mujoco = pytest.importorskip("mujoco")
BODY = {"mass": 1.2, "com": (0.1, 0.05, -0.2), "inertia": ((0.2, 0.01, 0.0), (0.01, 0.3, 0.02), (0.0, 0.02, 0.25))}
BAR = '<inertial pos="0.1 0 0" mass="1" diaginertia="0.1 0.2 0.3"/>'
LIMBS = f"""<mujoco><compiler angle="radian"/><worldbody>
    <site name="hook" pos="0.1 0.2 1"/><site name="eye" pos="0.3 -0.1 1.2"/>
    <body name="thigh" pos="0 0 0.1">{BAR}<joint name="hip" axis="0 1 0"/><site name="high" pos="0.1 0 0.05"/>
      <body name="shank" pos="0.4 0 0">{BAR}<joint name="knee" axis="0 1 0" pos="0.02 0 0.01"/>
        <site name="low" pos="0.1 0.1 0.05"/></body></body></worldbody>
  <tendon>{{}}</tendon></mujoco>"""


def read(folder: Path, tendons: str, **options) -> tuple[lm.Imported, Path]:  # type: ignore[no-untyped-def]
    path = folder / "limbs.xml"
    path.write_text(LIMBS.format(tendons), encoding="utf-8")
    return import_robot(path, **options), path


def slack(system: lm.System, q: np.ndarray) -> dict[str, tuple[float, np.ndarray]]:
    """What is left until each cable is taut, and its derivative by the velocities."""
    rows = contact_rows(forward(Instant(system, q, np.zeros(system.layout.nv))))
    return {row.contact.name: (float(row.gap), np.asarray(row.normal_row, dtype=float)) for row in rows}


def slack_of_mujoco(path: Path, q: np.ndarray) -> dict[str, tuple[float, np.ndarray]]:
    """The same, of tendons that are longer than they may be: MuJoCo has rows for those alone."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_forward(model, data)
    jacobian = np.zeros((data.nefc, model.nv))
    if mujoco.mj_isSparse(model):
        mujoco.mju_sparse2dense(jacobian, data.efc_J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)
    else:
        jacobian = np.array(data.efc_J).reshape(data.nefc, model.nv)
    kinds = data.efc_type == mujoco.mjtConstraint.mjCNSTR_LIMIT_TENDON
    return {model.tendon(int(data.efc_id[k])).name: (float(data.efc_pos[k]), jacobian[k]) for k in np.flatnonzero(kinds)}


def same(system: lm.System, path: Path, rng: np.random.Generator, names: set[str]) -> None:
    """Cables that are too long at random poses are so in MuJoCo, by as much and in the same direction."""
    seen: set[str] = set()
    for _ in range(20):
        q = rng.uniform(-1.5, 1.5, system.layout.nq)
        ours, theirs = slack(system, q), slack_of_mujoco(path, q)
        assert {name for name, (gap, _) in ours.items() if gap < 0.0} == set(theirs)
        for name, (gap, row) in theirs.items():
            assert ours[name][0] == pytest.approx(gap, abs=1e-12) and ours[name][1] == pytest.approx(row, abs=1e-12)
        seen |= set(theirs)
    assert seen == names


def test_the_longest_length_of_a_path_makes_a_cable(tmp_path: Path, rng: np.random.Generator) -> None:
    """Where end stops are asked for. It was told as ignored in any case. The ends may come in any order."""
    tendons = """<spatial name="rope" range="0 1.2"><site site="hook"/><site site="low"/></spatial>
      <spatial name="back" range="0 1.25"><site site="low"/><site site="hook"/></spatial>
      <spatial name="led" range="0 1.6" stiffness="5"><site site="low"/><site site="hook"/><site site="eye"/></spatial>"""
    told = "\n".join(map(str, read(tmp_path, tendons)[0].notes))
    assert "limits of rope, back, led: not enforced; limits='stops' makes cables of them" in told
    found, path = read(tmp_path, tendons, limits="stops")
    assert "limits" not in "\n".join(map(str, found.notes))
    assert [contact.name for contact in found.system.contacts] == ["rope", "back", "led_cable"]  # its spring is named "led"
    last = found.system.contacts[2]
    led = lm.SlidingPoint("led", last.body, last.at, ground=last.ground, law=last.law)  # type: ignore[attr-defined]
    named = found.system.replace(contacts=[*found.system.contacts[:2], led], forces=[])
    same(named, path, rng, {"rope", "back", "led"})


def test_a_body_hangs_on_its_cable(tmp_path: Path) -> None:
    """It falls until the cable is taut, and is never farther away than its length."""
    found, _ = read(
        tmp_path, '<spatial name="rope" range="0 1.3"><site site="hook"/><site site="low"/></spatial>', limits="stops"
    )
    run = lm.simulate(found.system, 1.0, step=2e-3)
    assert run.status.ok and run.events[0].name == "rope impact"
    assert abs(run["rope_gap"].min()) < 1e-9 and run.audit()["energy_balance"] < 1e-9


@pytest.mark.parametrize(
    ("range_", "told"),
    [("0.7 1.2", "the shortest length of a tendon"), ("0 0.2", "the longest length of a tendon")],
)
def test_what_no_cable_does_is_told(tmp_path: Path, range_: str, told: str) -> None:
    tendon = f'<spatial name="rope" range="{range_}"><site site="eye"/><site site="hook"/><site site="low"/></spatial>'
    found, _ = read(tmp_path, tendon, limits="stops")
    assert f"{told} of rope" in "\n".join(map(str, found.notes))
    assert len(found.system.contacts) == (range_ == "0.7 1.2")


def test_cables_are_written_and_come_back(tmp_path: Path, rng: np.random.Generator) -> None:
    system = lm.System(
        "hung",
        [lm.Body(name, **BODY) for name in "ab"],
        [
            lm.Revolute((0, 1, 0), name="j", parent="world", child="a"),
            lm.Revolute((1, 0, 0), name="k", parent="a", child="b", at=(0.1, 0.2, 0.3), rotation=(0.3, -0.2, 0.5)),
        ],
        forces=[lm.Gravity(), lm.PointSpring("rope", "a", (0, 0, 0), "b", (0, 0, 0.1), 5.0, 0.1)],
        parameters={"far": 0.8},
    )
    system = lm.with_cable(system, "line", "world", "b", (0, 0, 1), (0.2, 0, 0), length="far")
    system = lm.with_cable(system, "hard", "a", "b", (0, 0.1, 0), (0.3, 0, 0.2), length=0.5, restitution=0.4)
    with pytest.warns(lm.RobotWarning) as told:
        path = lm.save(system, tmp_path / "hung.xml")
    assert "restitution of cables of hard" in str(told[0].message) and "ground" not in str(told[0].message)
    same(system, path, rng, {"line", "hard"})
    back = import_robot(path, limits="stops").system
    assert [contact.name for contact in back.contacts] == ["line", "hard"]
    q = rng.uniform(-1.0, 1.0, 2)
    wanted = slack(system, q)
    for name, (gap, row) in slack(back, q).items():
        assert gap == pytest.approx(wanted[name][0], abs=1e-14) and row == pytest.approx(wanted[name][1], abs=1e-14)
