"""Commands answer soon because they do little: what they import, draw and compile is counted. Clocks depend on the machine."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from locomotor.codegen import watching_builds
from locomotor.scenarios import scenario

HEAVY = ("matplotlib", "PIL", "scipy", "xarray", "pandas", "sympy", "gymnasium", "ray", "pydantic")
"""Libraries that take from a tenth of a second to a second to load."""
MODULES = 675
"""Most modules of ours that a run loads before it tells its numbers; some 0.5 ms each."""
CLASSES = 160
"""Most dataclasses whose methods are written by then; some 0.7 ms each. Some 400 are declared."""


def modules(code: str, home: dict[str, str]) -> set[str]:
    """Names of everything that a piece of Python loads, in an interpreter of its own."""
    text = f"import sys\n{code}\nprint('\\n' + '|'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120, check=True, env=home)
    return set(done.stdout.splitlines()[-1].split("|"))


def ours(found: set[str]) -> set[str]:
    return {name for name in found if name == "locomotor" or name.startswith("locomotor.")}


def test_import_loads_nothing_but_itself(home) -> None:  # type: ignore[no-untyped-def]
    """`import locomotor` costs what Python itself costs: names are fetched when they are used."""
    assert modules("import locomotor", home) - modules("import importlib, typing", home) == {"locomotor"}


def test_a_system_is_made_without_simulator_and_pictures(home) -> None:  # type: ignore[no-untyped-def]
    found = modules("import locomotor as lm\nlm.catalogue.bicycle()", home)
    assert found.isdisjoint({*HEAVY, "locomotor.simulation", "locomotor.viewing"})


def test_the_simulator_is_loaded_without_slow_libraries(home) -> None:  # type: ignore[no-untyped-def]
    found = modules("import locomotor.simulation, locomotor.scenarios", home)
    assert found.isdisjoint({*HEAVY, "locomotor.analysis", "locomotor.viewing"})
    assert len(ours(found)) < MODULES


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("list", "bicycle"), ("run", "--help")])
def test_words_are_told_without_mechanics(home, arguments: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    """Twice: the first `list` may have to make its list."""
    code = f"""
from contextlib import suppress
sys.argv = ["locomotor", *{arguments!r}]
from locomotor.cli import main
with suppress(SystemExit):
    main()
"""
    if arguments[0] == "list":
        modules(code, home)
    found = modules(code, home)
    assert found.isdisjoint({*HEAVY, "casadi", "numpy"})
    assert len(ours(found)) < 15, sorted(ours(found))


def test_a_command_looks_for_cycles_of_objects_seldom(home) -> None:  # type: ignore[no-untyped-def]
    """Python itself would look for them some 70 times while libraries load, and once more among everything at the end."""
    code = """
import atexit, gc
atexit.register(lambda: print(gc.get_freeze_count() > 10_000, sum(entry["collections"] for entry in gc.get_stats()) - before))
from locomotor.cli import main
before = sum(entry["collections"] for entry in gc.get_stats())
sys.argv = ["locomotor", "info", "unicycle", "--json"]
main()
"""
    text = f"import sys\n{code}"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120, check=True, env=home)
    frozen, collections = done.stdout.splitlines()[-1].split()
    assert frozen == "True" and int(collections) < 20


@pytest.mark.slow
def test_numbers_are_told_before_anything_is_drawn(home, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """`run` loads no plotting library, no tables and none of scipy: neither to tell its numbers nor to write its report."""
    code = f"""
import os
os.chdir({str(tmp_path)!r})
from locomotor.commands.run import Asked, run_scenario
from locomotor.dataclass import Placeholder
from locomotor.scenarios import scenario
import locomotor.commands.run as command
MODULES, CLASSES = {MODULES}, {CLASSES}
told = command._tell
def tell(*arguments):
    assert not any(name.startswith("locomotor.viewing") for name in sys.modules), "pages are loaded before the numbers are told"
    assert "importlib.metadata" not in sys.modules, "it brings the modules for mail"
    loaded = [name for name in sys.modules if name.startswith("locomotor")]
    kinds = {{kind for name in loaded for kind in vars(sys.modules[name]).values() if isinstance(kind, type)}}
    waiting = sum(isinstance(vars(kind).get("__dataclass_fields__"), Placeholder) for kind in kinds)
    written = sum("__dataclass_fields__" in vars(kind) for kind in kinds) - waiting
    assert len(loaded) < MODULES and written < CLASSES, (len(loaded), written, waiting)
    told(*arguments)
command._tell = tell
assert run_scenario("bicycle/E3", Asked(duration=0.1)) == 0
"""
    assert modules(code, home).isdisjoint(HEAVY)
    assert sorted(p.name for p in (tmp_path / "out" / "bicycle-E3").iterdir()) == ["report.html", "run.nc"]


def test_figures_wait_to_be_asked_for(inside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    drawn: list[str] = []
    monkeypatch.setattr("locomotor.viewing.report.report.draw", lambda figure, *_: drawn.append(type(figure).__name__))
    monkeypatch.setattr("locomotor.viewing.report.report.picture", lambda file, caption: caption)
    asked = ("run", "bicycle/E3", "--duration", "0.1", "--no-halve", "--set", "roll_rate=0.4", "--out", "x")
    text = inside(*asked).stdout
    assert drawn == [] and "written: x/report.html, run.nc\n" in text
    told = re.search(r"^(\d+) figures are drawn on demand: locomotor (.*)$", text, re.MULTILINE)
    assert told is not None
    page = (tmp_path / "x" / "report.html").read_text(encoding="utf-8")
    assert f"locomotor {told[2]}" in page and all(figure.source in page for figure in scenario("bicycle/E3").figures)
    # The command that is told draws just as many, of the same run.
    inside(*told[2].split(), "--no-halve")
    assert len(drawn) == int(told[1]) > len(scenario("bicycle/E3").figures)


def test_a_computation_too_draws_on_demand(inside, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    text = inside("run", "bicycle/linear").stdout
    assert "figures are drawn on demand: locomotor run bicycle/linear --figures" in text
    assert [p.name for p in (tmp_path / "out" / "bicycle-linear").iterdir()] == ["report.html"]


@pytest.mark.slow
def test_the_terminal_tells_what_is_compiled(home, work: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """With an empty cache, on a terminal: the name of the function and the time; what is in the cache is not told."""
    command = [sys.executable, "-m", "locomotor", "run", "bouncing_ball/rest", "--no-write", "--json"]
    environment = {**home, "TERM": "xterm", "COLUMNS": "150", "LOCOMOTOR_CACHE": str(tmp_path / "cache")}
    shown = [_on_a_terminal(command, work, environment) for _ in range(2)]
    assert re.search(r"compiling bouncing_ball_\w+ \([\d,]+ lines of C\)[^\n]*\d:\d\d:\d\d", shown[0])
    assert "compiling" not in shown[1]


def _on_a_terminal(command: list[str], work: Path, environment: dict[str, str]) -> str:
    """What a program writes to standard error when that is a terminal; its output must be one JSON document."""
    keyboard, screen = pty.openpty()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=screen, cwd=work, env=environment) as process:
        os.close(screen)
        shown = b""
        try:
            while part := os.read(keyboard, 65536):
                shown += part
        except OSError:
            pass  # the other end of the terminal is closed
        assert process.stdout is not None
        json.loads(process.stdout.read())
        assert process.wait(timeout=120) == 0
    os.close(keyboard)
    return shown.decode()


def test_watchers_hear_of_builds_and_not_of_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import locomotor as lm
    from locomotor import codegen

    monkeypatch.setenv("LOCOMOTOR_CACHE", str(tmp_path))
    heard: list[str] = []
    function = lm.trace(lm.catalogue.bouncing_ball(restitution=0.123)).dynamics
    with watching_builds(heard.append):
        codegen.compile(function)
        codegen.compile(function)
    assert len(heard) == 2 and heard[0].startswith("bouncing_ball_dynamics (") and heard[1] == ""
    codegen.compile(lm.trace(lm.catalogue.bouncing_ball(restitution=0.124)).dynamics)
    assert len(heard) == 2  # outside of the block nobody listens
