"""Gearboxes of SDF: what the format says of angles, beside the same gears built by hand."""

from pathlib import Path

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import RobotFileError
from locomotor.robots import import_robot

INERTIAL = "<inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz></inertia></inertial>"


def link(name: str, pose: str) -> str:
    return f'<link name="{name}"><pose>{pose}</pose>{INERTIAL}</link>'


def hinge(name: str, parent: str, child: str, axis: str) -> str:
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f'<joint name="{name}" type="revolute">{ends}<axis><xyz expressed_in="__model__">{axis}</xyz></axis></joint>'


def gearbox(more: str = "<gearbox_reference_body>arm</gearbox_reference_body>", second: str = "0 0 1") -> str:
    """Told in the axes of the model, about parallel axes or not."""
    first = '<axis><xyz expressed_in="__model__">0 0 1</xyz></axis>'
    axes = f'{first}<axis2><xyz expressed_in="__model__">{second}</xyz></axis2>'
    return f'<joint name="gear" type="gearbox"><parent>sun</parent><child>planet</child>{axes}{more}</joint>'


def read(folder: Path, box: str, second: str = "0 0 1") -> lm.Imported:
    parts = [link("arm", "0 0 0 0 0.3 0.2"), link("sun", "0.1 0 0 0.5 0 0"), link("planet", "0.4 0 0.1 0 0 0.7")]
    # The gearbox is told first: it carries nothing.
    joints = [hinge("turn", "world", "arm", "0 0 1"), hinge("a", "arm", "sun", "0 0 1"), hinge("b", "arm", "planet", second)]
    path = folder / "gears.sdf"
    path.write_text(f'<sdf version="1.9"><model name="gears">{box}{"".join(parts)}{"".join(joints)}</model></sdf>')
    return import_robot(path)


@pytest.mark.parametrize("ratio", [2.5, -0.4])
@pytest.mark.parametrize("second", ["0 0 1", "0 0 -1", "0 1 0", "0.6 0 0.8"])
def test_the_child_turns_as_the_format_says(tmp_path: Path, ratio: float, second: str) -> None:
    """theta_2 = -gearbox_ratio theta_1, of the child about axis2 and of the parent about axis, seen from the reference body.

    It was told as ignored; told before the hinges, it was read as a weld that carries the child.
    """
    more = f"<gearbox_ratio>{ratio}</gearbox_ratio><gearbox_reference_body>arm</gearbox_reference_body>"
    found = read(tmp_path, gearbox(more, second), second)
    assert not found.ignored and [type(loop).__name__ for loop in found.system.loops] == ["Gear"]
    run = lm.simulate(found.system, 0.2, start={"turn_rate": 1.0, "a_rate": 3.0}, step=1e-3)
    assert run.status.ok and np.abs(run["b_rate"] + ratio * run["a_rate"]).max() < 1e-12
    by_hand = found.system.replace(loops=[], constraints=[lm.Coupling("gear", f"b + ({ratio})*a")])
    wanted = lm.accelerations(by_hand, {"turn_rate": 1.0, "a_rate": 3.0})
    for name, value in lm.accelerations(found.system, {"turn_rate": 1.0, "a_rate": 3.0}).items():
        assert value == pytest.approx(wanted[name], abs=1e-10), name


@pytest.mark.parametrize(
    ("box", "text"),
    [
        (gearbox(""), "gearbox_reference_body"),
        (gearbox("<gearbox_reference_body>nobody</gearbox_reference_body>"), "'nobody', which is no link"),
        (gearbox("<gearbox_ratio>0</gearbox_ratio><gearbox_reference_body>arm</gearbox_reference_body>"), "gearbox_ratio is 0"),
        (gearbox(second="0 0 0"), "the axis is zero"),
    ],
)
def test_gears_that_say_nothing_are_refused(tmp_path: Path, box: str, text: str) -> None:
    with pytest.raises(RobotFileError, match=text):
        read(tmp_path, box)
