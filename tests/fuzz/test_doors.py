"""Whatever is passed through a public door gives one of our errors, or works; no process dies of it.

The calls are made by child processes (`child.py`), so that one that kills its process is seen. Each follows from the seed and
its number: to repeat call 1234, run `python tests/fuzz/child.py 1234 1 0` with `src` and `tests` on PYTHONPATH.
"""

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fuzz.surface import NOT_CALLED, doors
from fuzz.values import legal, made
from locomotor.errors import LocomotorError

TESTS = Path(__file__).resolve().parents[1]
CALLS = 20_000
CHUNK = 1000
SEED = 0
PYTHON = sys.executable


def fuzz(first: int, count: int, folder: Path, limit: float) -> dict[str, Any]:
    """Results of so many calls, after a complaint about every exception that is not ours and every death."""
    folder.mkdir(exist_ok=True)
    paths = os.pathsep.join([str(TESTS.parent / "src"), str(TESTS), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": paths, "MPLBACKEND": "agg"}
    command = [sys.executable, str(TESTS / "fuzz" / "child.py"), str(first), str(count), str(SEED)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=limit, check=False, cwd=folder, env=environment, errors="replace"
    )
    now = (folder / "now").read_text() if (folder / "now").exists() else "none"
    assert done.returncode == 0, f"the process ended with {done.returncode} in call {now}: {done.stderr[-2000:]}"
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"')]
    raw = [f"call {one['number']}: {one['raised']} at {one['where']} by {one['call']}" for one in lines if "raised" in one]
    assert not raw, f"{len(raw)} exceptions that are not ours:\n" + "\n".join(raw[:20])
    found: dict[str, Any] = lines[-1]
    assert found["done"] == count
    return found


def test_a_few_hundred_calls(tmp_path: Path) -> None:
    found = fuzz(0, 300, tmp_path, 120.0)
    assert found["refused"] > 100 and found["ok"] > 30


@pytest.mark.parametrize("name", [door.name for door in doors() if door.hands_on])
def test_a_keyword_that_nobody_takes_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Doors that hand keywords on to a function behind them refuse what that does not take."""
    monkeypatch.chdir(tmp_path)
    (door,) = (each for each in doors() if each.name == name)
    needed = {p.name: legal(door, p) for p in door.parameters if p.default is p.empty and p.kind is not p.VAR_POSITIONAL}
    with pytest.raises(LocomotorError, match="nothing"):
        door.call(*([made(door.owner)] if door.owner else []), **needed, nothing=1)


def test_calls_that_do_not_fit_are_told_so() -> None:
    """A keyword that there is not, at every door: constructors, functions and methods."""
    raw = []
    for door in doors():
        if door.hands_on or door.name.endswith("__"):
            continue  # the test above has those that take further keywords; subscripts take none
        try:
            door.call(*([made(door.owner)] if door.owner else []), nothing_such=1)
            raw.append(f"{door.name} takes it")
        except LocomotorError:
            pass
        except Exception as error:
            raw.append(f"{door.name}: {type(error).__name__}: {error}")
    assert not raw, "\n".join(raw)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_twenty_thousand_calls(tmp_path: Path) -> None:
    """Some are late (a huge number of steps is legal and takes its time): few, and none of them kills anything."""
    late = 0
    for first in range(0, CALLS, CHUNK):
        found = fuzz(first, CHUNK, tmp_path / str(first), 1200.0)
        assert found["refused"] > CHUNK // 3 and found["ok"] > CHUNK // 10
        late += found.get("late", 0)
    assert late < CALLS // 200


# --- the fuzzer itself ----------------------------------------------------------------------------------------------


def test_the_surface_holds_what_users_call() -> None:
    names = {door.name for door in doors()}
    known = {"simulate", "compile", "System", "Body", "Terrain.ramp", "parse", "linearise", "find_cycle", "Run.at"}
    assert names >= known | {"CompiledSystem.rollout", "catalogue.bicycle", "learning.Task", "complementarity.lcp"}
    assert names.isdisjoint(NOT_CALLED) and len(names) > 150


@pytest.mark.parametrize(
    "name",
    [
        *("simulate", "System", "Body", "CompiledSystem.rollout", "Run.at", "Terrain.ramp", "trace"),
        *(f"complementarity.{verb}" for verb in ("lcp", "all_solutions", "mixed_lcp", "coulomb", "faceted")),
    ],
)
def test_legal_arguments_are_legal(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise every call would be refused for the first of many reasons, and nothing behind it tried."""
    monkeypatch.chdir(tmp_path)
    (door,) = (door for door in doors() if door.name == name)
    owner = [made(door.owner)] if door.owner else []
    values = {p.name: legal(door, p) for p in door.parameters if p.kind is not inspect.Parameter.VAR_POSITIONAL}
    door.call(*owner, **values)


def test_a_raw_exception_and_a_death_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The child is replaced by one that has found something, and by one that dies."""
    told = {"number": 7, "door": "f", "ended": "raw", "raised": "TypeError: x", "where": "f.py:1", "call": "f(1)"}
    for code, words in ((f"print({json.dumps(told)!r})", "call 7: TypeError"), ("import os; os.abort()", "ended with -6")):
        monkeypatch.setattr(sys, "executable", str(_script(tmp_path, code)))
        with pytest.raises(AssertionError, match=words):
            fuzz(0, 1, tmp_path, 60.0)


def _script(folder: Path, code: str) -> Path:
    path = folder / "python"
    path.write_text(f"#!{PYTHON}\n{code}\n")
    path.chmod(0o755)
    return path
