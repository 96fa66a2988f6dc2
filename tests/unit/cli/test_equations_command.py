"""`locomotor equations`."""

import json
from pathlib import Path

import pytest

from locomotor.commands.equations import write_equations
from locomotor.errors import UnknownNameError, UsageError

PLAIN = dict(
    out=None, numeric=False, closed=(), where=(), christoffel=False, certified=False, about=None, changes=(), as_json=False
)


def test_markdown_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert write_equations("cart_pendulum", **PLAIN) == 0
    printed = capsys.readouterr().out
    assert "# Equations of motion: cart pendulum" in printed and "## Free dynamics" in printed


def test_json_has_every_part(capsys: pytest.CaptureFixture[str]) -> None:
    asked = {**PLAIN, "as_json": True, "closed": ("grip_1",), "numeric": True}
    assert write_equations("rocr", **asked) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["reduced"] == ["yaw_rate"] and found["parts"]["mass"]["shape"] == [4, 4]
    assert found["operations"]["printed"] <= 1.5 * found["operations"]["tape"]


@pytest.mark.parametrize(
    ("given", "error", "told"),
    [
        ({"out": "x.pdf"}, UsageError, r"\.tex, \.md, \.html"),
        ({"where": ("pendulum",)}, UsageError, "name=expression"),
        ({"where": ("pendulumm=0",)}, UnknownNameError, "pendulum"),
        ({"changes": ("pendulum_rate=1",)}, UsageError, "parameters or motions only"),
        ({"about": ("pendulum",)}, UsageError, "--about 'pendulum': write name=expression"),
        ({"about": ("pendulumm=0",)}, UnknownNameError, "pendulum"),
    ],
)
def test_wrong_words_are_told(given: dict[str, object], error: type[Exception], told: str) -> None:
    asked = {**PLAIN, **given}
    asked["out"] = Path(str(asked["out"])) if asked["out"] else None
    with pytest.raises(error, match=told):
        write_equations("cart_pendulum", **asked)


def test_linearised_equations_are_in_the_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert write_equations("cart_pendulum", **{**PLAIN, "as_json": True, "about": ("pendulum=pi",)}) == 0
    found = json.loads(capsys.readouterr().out)["linear"]
    assert found["about"] == {"pendulum": "pi"} and found["parts"]["stiffness"]["shape"] == [2, 1]


def test_options_that_a_robot_has_no_use_for_are_refused(tmp_path: Path) -> None:
    (tmp_path / "robot.toml").write_text('robot = "arm"\n', encoding="utf-8")
    with pytest.raises(UsageError, match="no further options"):
        write_equations(str(tmp_path / "robot.toml"), **{**PLAIN, "christoffel": True})
