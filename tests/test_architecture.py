"""The shape of the code: who may import whom, how long a file may be, and what an import may do."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

import locomotor

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "locomotor"

# --- The contract: a new edge between layers needs a line here, hence a visible diff ---------------------------

# What each layer may import of ours; a layer always sees itself.
ALLOWED: dict[str, frozenset[str]] = {
    layer: frozenset(names.split())
    for layer, names in {
        "dataclass": "",
        "errors": "",
        "typing": "",
        "lie": "dataclass errors typing",
        "checks": "dataclass errors typing",
        "names": "errors checks",
        "complementarity": "dataclass errors typing checks",
        "seal": "errors",
        "files": "errors",
        "model": "dataclass errors typing lie checks names seal files",
        "robots": "dataclass errors typing lie checks names seal files model",
        "figures": "dataclass model",
        "geometry": "dataclass errors typing lie names model",
        "mechanics": "dataclass errors typing lie names model",
        "tracing": "dataclass errors typing lie checks names model geometry mechanics",
        "symbolic": "dataclass errors typing checks names files model mechanics tracing",
        "codegen": "dataclass errors typing lie checks complementarity tracing",
        "simulation": "dataclass errors typing lie checks complementarity names seal files model geometry mechanics tracing"
        " codegen",
        "exports": "dataclass errors typing lie checks names files model tracing codegen simulation",
        "analysis": "dataclass errors typing lie checks complementarity names model mechanics tracing codegen simulation",
        "viewing": "dataclass errors typing lie checks names files model figures geometry mechanics tracing symbolic"
        " codegen simulation exports analysis",
        "sweeps": "dataclass errors typing checks names seal files model mechanics codegen simulation analysis",
        "catalogue": "dataclass errors checks names model",
        "scenarios": "dataclass errors typing lie complementarity names files model figures mechanics tracing codegen"
        " simulation analysis catalogue",
        "learning": "dataclass errors typing lie checks names model mechanics tracing codegen simulation catalogue",
        # The public surface. Not viewing: a run opens that door when asked to (LAZY_DOORS).
        "__init__": "errors lie complementarity model robots mechanics tracing symbolic codegen simulation exports analysis"
        " catalogue scenarios sweeps learning",
        "commands": "dataclass errors typing names files model robots mechanics tracing symbolic codegen simulation exports"
        " analysis viewing catalogue scenarios sweeps",
        "cli": "errors",
        "__main__": "cli",
    }.items()
}

# Scenarios that compute something by analysis.
COMPUTING = "bicycle/held_turn bicycle/linear bicycle/loops bicycle/nonlinear flight/hover intermittent/striking"
COMPUTING += " locomotion/wheels rocr/cycles soft/beams soft/places"

# Edges that exist only inside a function, so that nothing is loaded until it is called: file -> layers.
LAZY_DOORS: dict[str, frozenset[str]] = {
    "analysis/connections/gait_geometry.py": frozenset({"viewing"}),  # GaitGeometry.plot
    "analysis/connections/connection.py": frozenset({"viewing"}),  # Connection in a notebook
    "analysis/stability/steady.py": frozenset({"viewing"}),  # SteadyMotion in a notebook
    "simulation/records/audit.py": frozenset({"viewing"}),  # Audit in a notebook
    "analysis/stability/curves.py": frozenset({"viewing"}),  # EigenvalueCurves.plot
    "analysis/stability/linearise.py": frozenset({"viewing"}),  # Linearisation in a notebook
    "analysis/cycles/cycle.py": frozenset({"viewing"}),  # Cycle.plot
    "analysis/cycles/continuation.py": frozenset({"viewing"}),  # Family.plot
    "model/system.py": frozenset({"viewing"}),  # System in a notebook
    "model/parameters.py": frozenset({"viewing"}),  # ParameterSet in a notebook
    "symbolic/_equations.py": frozenset({"viewing"}),  # the picture in a document
    "simulation/records/run.py": frozenset({"robots", "viewing"}),  # load, save; Run.plot, Run.view, Run.to_html
    **dict.fromkeys(
        ("commands/verdicts.py", "commands/run.py", "commands/compute.py"), frozenset({"viewing"})
    ),  # numbers first
    "sweeps/shown.py": frozenset({"viewing"}),  # a sweep in a notebook
    "commands/terminal.py": frozenset({"codegen"}),  # a list or a help text is told without it
    "commands/listing.py": frozenset({"names"}),  # numbers come with it
    "commands/lookup.py": frozenset({"robots"}),  # names of runs and systems are found without it
    **dict.fromkeys(
        (f"scenarios/{name}.py" for name in COMPUTING.split()), frozenset({"analysis"})
    ),  # computations: a run is told without them
    "exports/targets/page.py": frozenset({"viewing"}),  # the living page
    "commands/index.py": frozenset({"analysis", "catalogue", "scenarios"}),  # a list that is kept needs none of them
    "cli.py": frozenset({"commands"}),  # `locomotor --help` answers at once
}

# Libraries that may be imported inside a function: optional (sympy) or slow to load.
LAZY_NAMES = """
    casadi control cupy gymnasium h5netcdf h5py imageio_ffmpeg IPython jax latex2mathml matplotlib mujoco pandas PIL ray
    rich scipy sympy torch trimesh xarray yaml
"""
LAZY_LIBRARIES = frozenset(LAZY_NAMES.split())

# Libraries only some places may know: library -> path prefixes.
FENCES: dict[str, tuple[str, ...]] = {
    "casadi": ("lie/ops.py", "tracing/"),  # one array shim, one maker of tapes
    "cupy": ("codegen/cuda/",),
    "matplotlib": ("viewing/",),
    "subprocess": ("codegen/",),  # compilers are run by codegen only
    "ctypes": ("codegen/",),
    "mujoco": ("robots/",),  # an extra: its own format
    "trimesh": ("model/shapes/",),  # an extra: files of meshes
    "typer": ("cli.py",),
    "pickle": (),
    "marshal": (),
    "shelve": (),
}

# Files that open single rooms past a door, so that nothing else is loaded: each subcommand is one file.
BESIDE_THE_DOORS = frozenset({"cli.py"})

# Modules that may import by computed name: the lazy public names.
DYNAMIC_IMPORT = frozenset({"__init__.py"})

# The layers under the catalogue know bodies, joints and contacts, never a particular system.
BELOW_CATALOGUE = frozenset(ALLOWED) - {"catalogue", "scenarios", "learning", "commands", "cli", "__init__", "__main__"}
SYSTEM_WORDS = frozenset({"bicycle", "whipple", "meijaard", "mauny", "snakeboard", "tricycle", "unicycle", "biped"})
# Names of catalogue modules that are words of mechanics too.
WORDS_OF_MECHANICS = frozenset({"__init__", "disc", "registry", "rolling_disc", "parameters", "wheel"})

MAX_LINES = 600
IMPORT_SECONDS = 0.5

# --- Reading the source --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Import:
    """One imported module of one file: its absolute dotted name; whether inside a function; whether for types only."""

    parts: tuple[str, ...]
    line: int
    lazy: bool
    typing: bool = False


def python_files(package: Path) -> list[Path]:
    return sorted(package.rglob("*.py"))


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def layer_of(relative: Path) -> str:
    """``lie/so3.py`` -> lie; ``errors.py`` -> errors; ``__init__.py`` -> __init__."""
    return relative.parts[0].removesuffix(".py")


def imports(package: Path, path: Path) -> tuple[Import, ...]:
    """Every import of the file, relative ones resolved; those under TYPE_CHECKING count like any other."""
    return _imports(package, path, path.read_text(encoding="utf-8"))


@cache  # six rules ask for the imports of eight hundred files
def _imports(package: Path, path: Path, text: str) -> tuple[Import, ...]:
    home = (package.name, *path.relative_to(package).parent.parts)

    def visit(node: ast.AST, lazy: bool, typing: bool = False) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                for alias in child.names:
                    yield Import(tuple(alias.name.split(".")), child.lineno, lazy, typing)
            elif isinstance(child, ast.ImportFrom):
                base = home[: len(home) - child.level + 1] if child.level else ()
                base += tuple(child.module.split(".")) if child.module else ()
                for alias in child.names:
                    yield Import((*base, alias.name), child.lineno, lazy, typing)
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            types = isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
            yield from visit(child, lazy or inside, typing or types)

    return tuple(visit(ast.parse(text, filename=str(path)), lazy=False))


def code_without_words(path: Path) -> str:
    """The code of a file, free of comments and docstrings: those may tell of any system they like."""
    tree = parse(path)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            # A bare string statement is a docstring wherever it stands (attributes have them too).
            bare = [s for s in node.body if isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)]
            node.body = [s for s in node.body if s not in bare] or [ast.Pass()]
    return ast.unparse(tree)


# --- The rules: package folder -> complaints -----------------------------------------------------------------


def layer_complaints(package: Path) -> Iterator[str]:
    for path in python_files(package):
        relative = path.relative_to(package)
        layer = layer_of(relative)
        if layer not in ALLOWED:
            yield f"{relative}: layer {layer!r} is unknown; give it a line in ALLOWED"
            continue
        for item in imports(package, path):
            if item.parts[0] != package.name:
                continue
            target = item.parts[1] if len(item.parts) > 1 else "__init__"
            if target == layer:
                legal = not item.lazy
            elif target == "__version__":
                legal = layer != "lie"
            elif item.lazy:
                legal = target in LAZY_DOORS.get(relative.as_posix(), frozenset())
            else:
                legal = target in ALLOWED[layer]
            if not legal:
                where = "inside a function" if item.lazy else "at module level"
                yield f"{relative}:{item.line}: {layer} may not import {'.'.join(item.parts)} {where}"


def unused_grants(package: Path) -> Iterator[str]:
    """Permissions that nobody uses: what is not needed is not allowed."""
    used: dict[tuple[str, bool], set[str]] = {}
    for path in python_files(package):
        relative = path.relative_to(package)
        for item in imports(package, path):
            if item.parts[0] == package.name:
                owner = relative.as_posix() if item.lazy else layer_of(relative)
                used.setdefault((owner, item.lazy), set()).add(item.parts[1] if len(item.parts) > 1 else "__init__")
    for table, lazy, title in ((ALLOWED, False, "ALLOWED"), (LAZY_DOORS, True, "LAZY_DOORS")):
        for owner, granted in table.items():
            for name in sorted(granted - used.get((owner, lazy), set())):
                yield f"{title}: {owner} imports nothing of {name}; take it out"


def _target(package: Path, parts: tuple[str, ...]) -> tuple[str, ...] | None:
    """The module of ours that an import names: the longest part of it that is a file or a folder."""
    for n in range(len(parts), 1, -1):
        place = package.joinpath(*parts[1:n])
        if place.with_suffix(".py").is_file() or place.is_dir():
            return parts[:n]
    return None


def door_complaints(package: Path) -> Iterator[str]:
    """A folder is entered by its door, `__init__`, which names what others may use; its own rooms may go past it."""
    for path in python_files(package):
        relative = path.relative_to(package)
        home = (package.name, *relative.parent.parts)
        if relative.as_posix() in BESIDE_THE_DOORS:
            continue
        for item in imports(package, path):
            target = _target(package, item.parts) if item.parts[0] == package.name else None
            if target is None or target == item.parts or package.joinpath(*target[1:]).is_dir():
                continue  # a folder, or a module that its door hands out
            folder = target[:-1]
            if len(folder) > 1 and home[: len(folder)] != folder:
                door = ".".join(folder)
                yield f"{relative}:{item.line}: {'.'.join(item.parts)} goes past a door; import it from {door}"


def order_complaints(package: Path) -> Iterator[str]:
    """Inside a layer files and rooms have an order: none imports, even by way of others, what imports it."""
    for layer in sorted(folder for folder in package.iterdir() if folder.is_dir()):
        edges: dict[str, set[str]] = {}
        for path in python_files(layer):
            entry = path.relative_to(layer).parts[0].removesuffix(".py")
            for item in imports(package, path):
                if item.parts[:2] == (package.name, layer.name) and not item.typing:
                    target = _target(package, item.parts) or item.parts
                    edges.setdefault(entry, set()).add(target[2] if len(target) > 2 else "__init__")
        for entry in sorted(edges):
            seen: set[str] = set()
            todo = edges[entry] - {entry}
            while todo:
                seen |= todo
                todo = {far for near in todo for far in edges.get(near, set()) - {near}} - seen
            if entry in seen:
                yield f"{layer.name}/{entry}: imports what imports it, by way of {', '.join(sorted(seen - {entry}))}"[:200]


def library_complaints(package: Path) -> Iterator[str]:
    for path in python_files(package):
        relative = path.relative_to(package)
        for item in imports(package, path):
            library = item.parts[0]
            if library == package.name:
                continue
            if library in FENCES and not relative.as_posix().startswith(FENCES[library]):
                allowed = ", ".join(FENCES[library]) or "nowhere"
                yield f"{relative}:{item.line}: {library} may be imported in: {allowed}"
            if item.lazy and library not in LAZY_LIBRARIES:
                yield f"{relative}:{item.line}: import {library} at the top of the file"


def dynamic_complaints(package: Path) -> Iterator[str]:
    for path in python_files(package):
        relative = path.relative_to(package)
        for node in ast.walk(parse(path)):
            if not isinstance(node, ast.Call):
                continue
            name = ast.unparse(node.func).rpartition(".")[2]
            bare = isinstance(node.func, ast.Name)
            if name in {"import_module", "__import__"} and relative.as_posix() not in DYNAMIC_IMPORT:
                yield f"{relative}:{node.lineno}: {name} hides an import from the rule table"
            if bare and name in {"eval", "exec"}:
                yield f"{relative}:{node.lineno}: {name} runs text as code"


def docstring_complaints(package: Path) -> Iterator[str]:
    for path in python_files(package):
        if not (ast.get_docstring(parse(path)) or "").strip():
            yield f"{path.relative_to(package)}: says nothing about its job; open it with a docstring"


def length_complaints(folder: Path) -> Iterator[str]:
    for path in sorted(p for pattern in ("*.py", "*.c", "*.h", "*.cu") for p in folder.rglob(pattern)):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > MAX_LINES:
            yield f"{path.relative_to(folder)}: {lines} lines, more than {MAX_LINES}; split it by job"


def system_name_complaints(package: Path) -> Iterator[str]:
    stems = {p.stem for p in (package / "catalogue").rglob("*.py")} - WORDS_OF_MECHANICS
    words = re.compile("|".join(sorted({*SYSTEM_WORDS, *stems})), re.IGNORECASE)
    for path in sorted([*package.rglob("*.py"), *package.rglob("*.h")]):
        relative = path.relative_to(package)
        if layer_of(relative) not in BELOW_CATALOGUE:
            continue
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".py" and words.search(text):
            text = code_without_words(path)
        for word in sorted({match.group().lower() for match in words.finditer(text)}):
            yield f"{relative}: names the system {word!r}; below catalogue/ nothing is special-cased"


RULES: tuple[Callable[[Path], Iterator[str]], ...] = (
    layer_complaints,
    door_complaints,
    order_complaints,
    library_complaints,
    dynamic_complaints,
    docstring_complaints,
    length_complaints,
    system_name_complaints,
)

# --- The library keeps the rules -----------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_library_keeps_the_rule(rule: Callable[[Path], Iterator[str]]) -> None:
    assert list(rule(PACKAGE)) == []


def test_every_permission_is_used() -> None:
    assert list(unused_grants(PACKAGE)) == []


def test_unit_tests_stand_in_the_folder_of_what_they_test() -> None:
    folders = {path.name for path in (ROOT / "tests" / "unit").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders - {"benchmarks"} <= set(ALLOWED), "tests/unit mirrors the layers of src"


@pytest.mark.parametrize("folder", ["tests", "benchmarks"])
def test_other_files_are_short_too(folder: str) -> None:
    assert list(length_complaints(ROOT / folder)) == []


def test_rule_table_follows_the_order_of_the_layers() -> None:
    """A layer sees only layers written before it, so the table cannot hold a cycle."""
    order = list(ALLOWED)
    for layer, seen in ALLOWED.items():
        assert all(order.index(name) < order.index(layer) for name in seen), layer
    for layer, seen in ALLOWED.items():
        assert "viewing" not in seen or layer == "commands", f"{layer}: only the commands import viewing"


def test_citation_carries_the_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {locomotor.__version__}\n" in citation


# --- The rules can fail: one small package per rule ----------------------------------------------------------

BROKEN = [
    (layer_complaints, "lie/so3.py", "from ..model import X", "lie may not import locomotor.model.X"),
    (layer_complaints, "lie/so3.py", "from locomotor import __version__", "lie may not import"),
    (layer_complaints, "model/a.py", "from .. import mechanics", "model may not import locomotor.mechanics"),
    (layer_complaints, "model/a.py", "import locomotor", "model may not import locomotor at"),
    (layer_complaints, "codegen/a.py", "from ..mechanics import x", "codegen may not import locomotor.mechanics.x"),
    (layer_complaints, "codegen/a.py", "import locomotor.model.body", "codegen may not import"),
    (layer_complaints, "catalogue/a.py", "from locomotor.tracing import trace", "catalogue may not import"),
    (layer_complaints, "simulation/records/run.py", "from ...viewing import plot", "at module level"),
    (layer_complaints, "simulation/b.py", "def f():\n    from ..viewing import plot", "inside a function"),
    (layer_complaints, "analysis/a.py", "def f():\n    from . import b", "inside a function"),
    (layer_complaints, "novelty/a.py", "", "layer 'novelty' is unknown"),
    (
        layer_complaints,
        "lie/a.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ..model import Body",
        "lie may not import locomotor.model.Body",
    ),
    (door_complaints, "analysis/a.py", "from locomotor.catalogue.hopper import x", "import it from locomotor.catalogue"),
    (library_complaints, "mechanics/a.py", "import casadi as ca", "casadi may be imported in: lie/ops.py"),
    (library_complaints, "lie/so3.py", "def f():\n    from casadi import SX", "casadi may be imported in"),
    (library_complaints, "analysis/a.py", "def f():\n    import matplotlib.pyplot", "matplotlib may be"),
    (library_complaints, "simulation/a.py", "import pickle", "pickle may be imported in: nowhere"),
    (library_complaints, "model/a.py", "def f():\n    import json", "import json at the top"),
    (
        dynamic_complaints,
        "model/a.py",
        "import importlib as i\ni.import_module('casadi')",
        "hides an import",
    ),
    (dynamic_complaints, "model/a.py", "x = eval('1')", "runs text as code"),
    (docstring_complaints, "model/a.py", "x = 1", "model/a.py: says nothing"),
    (length_complaints, "model/a.py", "x = 1\n" * (MAX_LINES + 1), "601 lines"),
    (system_name_complaints, "mechanics/a.py", "def whipple_rows(): ...", "'whipple'"),
    (system_name_complaints, "simulation/a.py", "if name == 'Bicycle': pass", "'bicycle'"),
    (system_name_complaints, "mechanics/a.py", "hopper_gain = 1", "'hopper'"),
]


def test_rule_of_order_sees_rooms_that_import_each_other(tmp_path: Path) -> None:
    package = tmp_path / "locomotor"
    sources = {"model/a.py": "from locomotor.model.room import x", "model/room/__init__.py": "from locomotor.model.b import x"}
    for name, text in {**sources, "model/b.py": "from locomotor.model.a import x"}.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text, encoding="utf-8")
    assert [complaint.split(":")[0] for complaint in order_complaints(package)] == ["model/a", "model/b", "model/room"]
    (package / "model/b.py").write_text("x = 1", encoding="utf-8")
    assert list(order_complaints(package)) == []


def test_rule_of_grants_sees_a_permission_that_nobody_uses(tmp_path: Path) -> None:
    package = tmp_path / "locomotor"
    (package / "model").mkdir(parents=True)
    (package / "model" / "system.py").write_text(
        "from locomotor.lie import ops\nfrom locomotor.names import x", encoding="utf-8"
    )
    complaints = [complaint for complaint in unused_grants(package) if "model" in complaint.split(":")[1].split()[0]]
    assert complaints == [
        "ALLOWED: model imports nothing of checks; take it out",
        "ALLOWED: model imports nothing of dataclass; take it out",
        "ALLOWED: model imports nothing of errors; take it out",
        "ALLOWED: model imports nothing of files; take it out",
        "ALLOWED: model imports nothing of seal; take it out",
        "ALLOWED: model imports nothing of typing; take it out",
        "LAZY_DOORS: model/system.py imports nothing of viewing; take it out",
        "LAZY_DOORS: model/parameters.py imports nothing of viewing; take it out",
    ]


@pytest.mark.parametrize(("rule", "file", "source", "complaint"), BROKEN)
def test_rule_sees_a_breach(
    tmp_path: Path, rule: Callable[[Path], Iterator[str]], file: str, source: str, complaint: str
) -> None:
    package = tmp_path / "locomotor"
    for name, text in {"catalogue/hopper.py": '"""A system."""', file: source}.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text, encoding="utf-8")
    found = list(rule(package))
    assert len(found) == 1 and complaint in found[0], found


FINE = [
    ("simulation/records/run.py", "def plot():\n    from ...viewing import draw"),
    (
        "codegen/emit.py",
        "from .. import __version__\nfrom ..tracing import tape\nfrom ..errors import E",
    ),
    ("lie/ops.py", "import casadi\nfrom . import small_angle\ndef f():\n    import sympy"),
    ("mechanics/a.py", '"""As the bicycle."""\n# snakeboard\nclass A:\n    x = 1\n    """As in Whipple."""'),
    ("__init__.py", "from importlib import import_module\ndef __getattr__(n):\n    return import_module(n)"),
    ("model/__init__.py", "from .body import Body"),
]


@pytest.mark.parametrize(("file", "source"), FINE, ids=[file for file, _ in FINE])
def test_rules_let_good_code_pass(tmp_path: Path, file: str, source: str) -> None:
    path = tmp_path / "locomotor" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source if source.startswith('"""') else f'"""A job."""\n{source}', encoding="utf-8")
    assert [text for rule in RULES for text in rule(tmp_path / "locomotor")] == []


# --- The public surface --------------------------------------------------------------------------------------


def test_names_for_editors_are_those_that_are_loaded() -> None:
    """The imports that type checkers read and the table that is used at run time name the same things in the same places."""
    written = [item.parts for item in imports(PACKAGE, PACKAGE / "__init__.py") if item.typing]
    assert len(written) == len(set(written))
    used = {("locomotor", *home.split(".")[1:], name) for name, home in locomotor._PUBLIC.items()}
    assert set(written) == used | {("locomotor", name) for name in locomotor._MODULES}


def test_every_public_name_is_there_and_nothing_else_is_shown() -> None:
    shown = {name for name in dir(locomotor) if not name.startswith("__")}
    assert shown == set(locomotor.__all__)
    for name in locomotor.__all__:
        thing = getattr(locomotor, name)
        assert thing.__doc__ and getattr(thing, "__name__", name).rpartition(".")[2] == name
    with pytest.raises(AttributeError, match="no attribute 'simulte'"):
        locomotor.simulte  # noqa: B018


def test_no_name_comes_from_a_star() -> None:
    stars = [path for path in python_files(PACKAGE) if any(item.parts[-1] == "*" for item in imports(PACKAGE, path))]
    assert stars == []


# --- What an import does -------------------------------------------------------------------------------------


def fresh_python(script: str) -> str:
    """Standard output of a script in a new interpreter, which must succeed and write no error output."""
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_import_is_quick_and_light() -> None:
    script = """
import json, sys, time
start = time.perf_counter()
import locomotor
seconds = time.perf_counter() - start
print(json.dumps([seconds, sorted(sys.modules)]))
"""
    # The best of three: another process on the same machine slows one import, rarely all.
    results = [json.loads(fresh_python(script)) for _ in range(3)]
    assert min(seconds for seconds, _ in results) < IMPORT_SECONDS
    modules = set(results[0][1])
    assert modules.isdisjoint({"matplotlib", "scipy.optimize", "xarray", "pandas", "typer", "sympy"})


def test_a_run_loads_no_more_than_it_needs() -> None:
    """A run does without the libraries that take longest to load, and `locomotor run` without the rooms it need not enter."""
    script = """
import sys
import locomotor as lm
run = lm.simulate(lm.catalogue.bicycle(), 0.1, start={"speed": 4.6, "roll": 0.1}, step=0.01)
heavy = {"matplotlib", "scipy", "xarray", "h5netcdf", "pandas", "typer", "rich", "sympy"}
print(run.status.ok, *sorted(heavy & set(sys.modules)))
import locomotor.commands.run
ours = {f"locomotor.{name}" for name in ("analysis", "exports", "learning", "robots", "sweeps", "symbolic", "viewing")}
print(*sorted((heavy - {"rich"} | ours) & set(sys.modules)))
"""
    assert fresh_python(script) == "True\n\n"


def test_no_layer_but_viewing_loads_a_plotting_library() -> None:
    files = [path.relative_to(PACKAGE) for path in python_files(PACKAGE)]
    kept = [file.with_suffix("") for file in files if layer_of(file) not in {"viewing", "commands", "__main__"}]
    names = [".".join(("locomotor", *file.parts)).removesuffix(".__init__") for file in kept]
    script = f"""
import importlib, sys
for name in {names!r}:
    importlib.import_module(name)
print("matplotlib" in sys.modules, "locomotor.viewing" in sys.modules)
"""
    # One line only: no module prints anything when imported.
    assert fresh_python(script) == "False False\n"


def test_import_leaves_the_interpreter_as_it_was() -> None:
    script = """
import locale, logging, os, signal, sys, warnings
# These set filters of their own when they are imported; that is their affair.
import casadi, gymnasium, numpy, scipy.sparse, scipy.special

def settings():
    root = logging.getLogger()
    return {
        "numpy print options": numpy.get_printoptions(),
        "numpy error state": numpy.geterr(),
        "logging": (root.level, list(root.handlers), logging.root.manager.disable),
        "warnings": list(warnings.filters),
        "environment": dict(os.environ),
        "locale": locale.setlocale(locale.LC_ALL),
        "hooks": (sys.excepthook, sys.displayhook, signal.getsignal(signal.SIGINT)),
        "folder": os.getcwd(),
        "recursion limit": sys.getrecursionlimit(),
    }

before = settings()
import locomotor
for name in getattr(locomotor, "__all__", ()):
    getattr(locomotor, name)
after = settings()
print([name for name in before if before[name] != after[name]])
"""
    assert fresh_python(script) == "[]\n"
