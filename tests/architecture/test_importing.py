"""What an import does: it is quick and quiet, and loads no more than it needs."""

import json
import subprocess
import sys

from architecture.contract import IMPORT_SECONDS
from architecture.reading import PACKAGE, layer_of, python_files


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
