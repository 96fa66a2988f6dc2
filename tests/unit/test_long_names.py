"""Names that no file can have, being too long: `Path.is_file` raises for them, and so did what asked it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import locomotor as lm
from locomotor.errors import LocomotorError
from locomotor.model.shapes.mesh_file import read_painted

LONG = 5000 * "a"


def swept() -> Any:
    return lm.sweep(None, {"m": [1.0, 2.0]}, lm.sweeps.BatchFunction(lambda p: {"g": p["m"]}), out=f"{LONG}.nc")


@pytest.mark.parametrize(
    "door",
    [lambda: lm.read_robot(LONG), lambda: lm.load(LONG), lambda: read_painted(f"{LONG}.stl"), swept],
    ids=["robot", "load", "mesh", "sweep"],
)
def test_doors_refuse_names_that_are_too_long(door: Callable[[], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LocomotorError):
        door()
    assert not list(tmp_path.iterdir())
