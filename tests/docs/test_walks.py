"""The walks and recipes of docs/architecture.md: real calls pass the stops in their order, and all that is named exists."""

import ast
import json
import keyword
import re
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from backends.problems import needs_compiler

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "locomotor"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
MOST_STOPS = 12

# What each walk calls. Models are small: what is followed is the way, not the number of operations.
CALLS = {
    "A smooth run": 'lm.simulate(lm.catalogue.unicycle(), 0.05, start={"speed": 1.0})',
    "A run with events on terrain": """
ball = lm.System(
    "ball",
    [lm.Body("ball", 1.0, inertia=(0.004, 0.004, 0.004))],
    [lm.Translation(name="base", parent="world", child="ball")],
    contacts=[lm.SlidingSphere("foot", "ball", (0, 0, 0), 0.1, law=lm.Unilateral())],
    grounds=[lm.Terrain.kerb(0.05)],
    forces=[lm.Gravity()],
)
lm.simulate(ball, 0.3, start={"z": 0.25, "x_rate": 0.5}, step=0.01)""",
    "A roll-out on a CUDA device": """
from locomotor.codegen import Program
from locomotor.codegen.cuda import rollout_text
traced = lm.trace(lm.catalogue.unicycle())
rollout_text(Program(traced.dynamics, traced.manifold))""",
    "A search for a cycle": ('lm.find_cycle(lm.catalogue.rimless_wheel(), {"pitch_rate": 1.5}, section="impact", step=0.005)'),
}

# In a process of its own, where nothing is known from before: systems are traced once, and then remembered.
FOLLOW = """
import json, os, sys
import locomotor as lm
home, entered = os.path.dirname(lm.__file__) + os.sep, {}

def note(frame, event, argument):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(home):
        entered.setdefault((code.co_filename[len(home):].replace(os.sep, "/"), code.co_qualname), len(entered))

sys.setprofile(note)
exec(sys.argv[1])
sys.setprofile(None)
print(json.dumps(list(entered)))
"""


def section(title: str) -> str:
    """The text of a part of the page, up to the next heading."""
    found = re.search(rf"^### {re.escape(title)}\n(.*?)(?=^##)", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert found is not None, f"docs/architecture.md has no walk named {title!r}"
    return found[1]


def stops(title: str) -> list[tuple[str, str]]:
    """File and function of each stop of a walk."""
    lines = re.findall(r"^(\d+)\. `([^`]+)`: `([^`]+)`: \S.*$", section(title), flags=re.MULTILINE)
    assert [int(number) for number, _, _ in lines] == list(range(1, len(lines) + 1))
    return [(file, name) for _, file, name in lines]


def in_order(wanted: list[tuple[str, str]], entered: list[tuple[str, str]]) -> str:
    """What is wrong with the stops of a walk, "" if nothing."""
    places = {stop: k for k, stop in enumerate(entered)}
    missing = [stop for stop in wanted if stop not in places]
    if missing:
        return f"never entered: {missing}"
    early = [b for a, b in pairwise(wanted) if places[b] < places[a]]
    return f"entered before the stop above: {early}" if early else ""


@needs_compiler
@pytest.mark.parametrize("title", CALLS)
def test_a_real_call_passes_the_stops_in_their_order(title: str) -> None:
    command = [sys.executable, "-c", FOLLOW, CALLS[title]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr
    wanted = stops(title)
    assert 8 <= len(wanted) <= MOST_STOPS
    assert in_order(wanted, [tuple(stop) for stop in json.loads(done.stdout.splitlines()[-1])]) == ""


def test_every_walk_of_the_page_is_followed() -> None:
    walks = re.search(r"^## Four walks\n(.*?)(?=^## )", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert walks is not None and re.findall(r"^### (.+)$", walks[1], flags=re.MULTILINE) == list(CALLS)


def test_a_stop_that_is_missing_or_early_is_seen() -> None:
    entered = [("a.py", "f"), ("b.py", "g"), ("c.py", "h")]
    assert in_order([("a.py", "f"), ("c.py", "h")], entered) == ""
    assert in_order([("a.py", "f"), ("a.py", "gone")], entered) == "never entered: [('a.py', 'gone')]"
    assert in_order([("c.py", "h"), ("b.py", "g")], entered) == "entered before the stop above: [('b.py', 'g')]"


# -- files and names -------------------------------------------------------------------------------------------

PROSE = re.sub(r"^```.*?^```$", "", PAGE, flags=re.MULTILINE | re.DOTALL)
QUOTED = re.findall(r"`([^`\n]+)`", PROSE)
RECIPES = (
    "A joint",
    "A contact",
    "A force",
    "A stepper",
    "A soft body",
    "A plot",
    "A system",
    "A target",
    "An event",
    "A scenario",
)


@cache
def files() -> frozenset[str]:
    """Paths from the package, from the folder of tests and from the root, and all their ends."""
    found = set()
    for folder in (PACKAGE, ROOT / "tests", ROOT / "docs", ROOT / "benchmarks"):
        for path in folder.rglob("*"):
            parts = path.relative_to(ROOT).parts
            found |= {"/".join(parts[k:]) + ("/" if path.is_dir() else "") for k in range(len(parts))}
    return frozenset(found | {path.name for path in ROOT.iterdir()})


@cache
def names() -> frozenset[str]:
    """Everything that the library and its tests define: functions, classes, constants, fields, arguments; names of C code."""
    found: set[str] = set()
    for path in (*PACKAGE.rglob("*.py"), *(ROOT / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
    for path in PACKAGE.rglob("*.h"):
        found |= set(re.findall(r"\blm_\w+", path.read_text(encoding="utf-8")))
    return frozenset(found)


def test_every_file_of_the_page_exists() -> None:
    paths = {text for text in QUOTED if re.fullmatch(r"[\w./]+(\.(py|h|md|txt|toml|json)|/)", text)}
    assert len(paths) > 60
    assert sorted(paths - files()) == []


@pytest.mark.parametrize("title", RECIPES)
def test_every_name_of_a_recipe_exists(title: str) -> None:
    found = re.search(rf"^\*\*{title}\.\*\* .*?(?=^\*\*A|^## )", PROSE, flags=re.MULTILINE | re.DOTALL)
    assert found is not None, f"docs/architecture.md has no recipe for {title.lower()}"
    quoted = {text for text in re.findall(r"`([^`\n]+)`", found[0]) if re.fullmatch(r"[A-Za-z_]\w*", text)}
    modules = {path.stem for path in PACKAGE.rglob("*") if path.suffix in ("", ".py")}
    assert sorted(quoted - names() - modules - set(keyword.kwlist) - {"src"}) == []
