"""`locomotor equations`."""

import json

import pytest

from locomotor.commands.equations import write_equations
from locomotor.errors import UnknownNameError, UsageError

PLAIN = dict(out=None, numeric=False, closed=(), where=(), christoffel=False, certified=False, changes=(), as_json=False)


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
    ],
)
def test_wrong_words_are_told(given: dict[str, object], error: type[Exception], told: str) -> None:
    from pathlib import Path

    asked = {**PLAIN, **given}
    asked["out"] = Path(str(asked["out"])) if asked["out"] else None
    with pytest.raises(error, match=told):
        write_equations("cart_pendulum", **asked)
