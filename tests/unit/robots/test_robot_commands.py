"""The command line takes robots' files, and tells what they lose."""

from pathlib import Path

import pytest

import locomotor as lm
from locomotor.commands.info import describe
from locomotor.commands.lookup import find_system

PENDULUM = """<robot name="p"><link name="world"/><link name="rod"><inertial><origin xyz="0 0 -1"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link><joint name="hinge" type="revolute"><parent link="world"/>
<child link="rod"/><axis xyz="0 1 0"/><limit lower="-1" upper="1"/></joint></robot>"""


def test_a_robot_is_found_by_its_file_and_described(tmp_path: Path) -> None:
    path = tmp_path / "p.urdf"
    path.write_text(PENDULUM)
    with pytest.warns(lm.RobotWarning, match="limits of hinge"):
        system = find_system(str(path))
    facts = describe(system)
    assert [joint["name"] for joint in facts["joints"]] == ["hinge"] and facts["counts"]["freedoms"] == 1


def test_a_live_page_is_asked_for_with_the_robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from locomotor.commands import view as command

    seen: list[lm.System] = []
    monkeypatch.setattr(command, "LiveView", lambda system, **options: seen.append(system))
    monkeypatch.setattr(command, "show", lambda page, **options: None)
    path = tmp_path / "p.urdf"
    path.write_text(PENDULUM)
    with pytest.warns(lm.RobotWarning):
        command.view(str(path), None, False)
    assert [system.name for system in seen] == ["p"]
