"""From what a user types to systems and settings."""

import inspect
import runpy
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from locomotor import catalogue
from locomotor.errors import ExpressionError, LocomotorError, RunFileError, UnknownNameError, UsageError
from locomotor.files import is_file
from locomotor.mechanics.chart import chart_symbols
from locomotor.model import TEXTS, System, as_quantity, evaluate, read_described
from locomotor.names import nearest, suggestion
from locomotor.scenarios import SETTINGS, Entry, Scenario, scenario, scenarios

GROUPS = ("start", "parameters", "inputs", "motions")


def find_system(name: str) -> System:
    """A system by name: of the catalogue, of a scenario, `file.py:function` of the user, or a file of a system or a robot."""
    from locomotor.robots import ROBOTS

    if ".py:" in name or name.endswith(".py"):
        return own_system(name)
    if Path(name).suffix.lower() in TEXTS:
        return described_system(name)
    if Path(name).suffix.lower() in ROBOTS:
        return robot_system(name)
    known = [ready.name for ready in (*catalogue.systems(), *catalogue.measured())]
    runs = [entry.name for entry in scenarios() if isinstance(entry, Scenario)]
    try:
        return catalogue.system(name)
    except UnknownNameError:
        try:
            found = scenario(name)
        except UnknownNameError:
            families = dict.fromkeys(entry.partition("/")[0] for entry in known)
            near = nearest(name, [*families, *known]) or nearest(name, runs)  # a system is meant before a run
            hint = f"did you mean {near!r}?" if near else suggestion(name, [*known, *runs])
            raise UnknownNameError(f"no system is named {name!r}: {hint}") from None
    if not isinstance(found, Scenario):
        raise UnknownNameError(f"{name!r} is a computation and has no system; name a system or a run: {', '.join(known)}")
    return found.system()


def own_system(name: str) -> System:
    """The system that a function of the user's file returns."""
    file, _, function = name.rpartition(":") if ".py:" in name else (name, "", "")
    if not is_file(Path(file)):
        raise RunFileError(f"cannot read {file!r}: there is no such file; give file.py, or file.py:function")
    module = Path(file).stem
    beside = str(Path(file).resolve().parent)
    if beside not in sys.path:
        sys.path.insert(0, beside)  # as Python does for a script: it may import what lies beside it, also later
    with _blaming(file):
        there = runpy.run_path(file, run_name=None if module in sys.modules else module)  # files name classes by their modules
    if not function:
        function = _only_system(file, there)
    found = there.get(function)
    if isinstance(found, System):
        return found
    if not callable(found):
        near = suggestion(
            function, [name for name, value in there.items() if isinstance(value, System) or _makes(file, name, value)]
        )
        raise UnknownNameError(f"{file} has no function {function!r} that returns a system: {near}")
    with _blaming(file):
        system = found()
    if not isinstance(system, System):
        raise UnknownNameError(f"{file}: {function}() returns {type(system).__name__}, not a System")
    return system


@contextmanager
def _blaming(file: str) -> Iterator[None]:
    """Errors of a user's file are told as such, with the line; those that name model and remedy stay as they are."""
    try:
        yield
    except LocomotorError:
        raise
    except Exception as error:
        own = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
        line = error.lineno if isinstance(error, SyntaxError) else own[-1] if own else None
        where = f"{file}, line {line}" if line else file
        said = error.msg if isinstance(error, SyntaxError) else error
        raise UsageError(f"{where}: {type(error).__name__}: {said}; correct the file") from error


def _only_system(file: str, there: Mapping[str, Any]) -> str:
    """The name of the one system of a file: an object, or else a function of that file that can be called as it is."""
    ready = [name for name, value in there.items() if isinstance(value, System)]
    if len({id(there[name]) for name in ready}) == 1:
        return ready[0]
    makers = [name for name, value in there.items() if _makes(file, name, value)]
    if not ready and len(makers) == 1:
        return makers[0]
    found = [*ready, *makers]
    if not found:
        raise UnknownNameError(f"{file} has no system, and no function without arguments that returns one; write one")
    example = f"{file}:{found[0]}"
    raise UnknownNameError(f"{file} has several that may be meant, {', '.join(found)}; say which: {example}")


def _makes(file: str, name: str, value: Any) -> bool:
    """Whether it is a function of the file that says that it returns a system, or says nothing, and needs no argument."""
    if not inspect.isfunction(value) or value.__code__.co_filename != file or name.startswith("_"):
        return False
    signature = inspect.signature(value)
    told = signature.return_annotation
    needs = any(p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in signature.parameters.values())
    return not needs and (told in (System, inspect.Signature.empty) or str(told).endswith("System"))


def described_system(file: str) -> System:
    """The system of a text file."""
    found = read_described(file)
    if not isinstance(found, System):
        raise UsageError(f"{file} holds parameters, not a system; give a file written by lm.save(system, ...)")
    return found


def robot_system(name: str) -> System:
    """The system of a robot's file; what it loses is told by a warning."""
    from locomotor.robots import load_robot

    return load_robot(name)


def beginning_of(name: str) -> dict[str, Any]:
    """`start` and `closed` of a run worth watching, by the name of a system or a scenario; nothing where none is known."""
    try:
        return catalogue.ready(name).beginning
    except UnknownNameError:
        pass
    try:
        found = scenario(name)
    except UnknownNameError:
        return {}
    settings = found.settings if isinstance(found, Scenario) else {}
    return {key: settings[key] for key in ("start", "closed") if settings.get(key)}


def timing_of(name: str) -> dict[str, Any]:
    """`step` and `duration` (s) of a live page, of a ready system whose usual ones would be too long."""
    try:
        found = catalogue.ready(name)
    except UnknownNameError:
        return {}
    return {"step": found.step, "duration": found.duration}


def gaits_of(name: str) -> dict[str, Any]:
    """Laws of joints by the name of the gait, of a ready system; nothing for what has none."""
    try:
        return dict(catalogue.ready(name).gaits)
    except UnknownNameError:
        return {}


def find_entry(name: str) -> Entry:
    """A scenario or computation by name."""
    try:
        found: Entry = scenario(name)
    except UnknownNameError:
        family = name.partition("/")[0]
        runs = [entry.name for entry in scenarios() if isinstance(entry, Scenario) and entry.name.partition("/")[0] == family]
        systems = [ready.name for ready in (*catalogue.systems(), *catalogue.measured())]
        if name in systems or any(known.startswith(f"{name}/") for known in systems):
            told = f"its runs are {', '.join(runs)}" if runs else "no run of it is declared"
            raise UnknownNameError(
                f"{name!r} is a system, not a run: {told}; `locomotor view {name}` shows it moving, "
                "`locomotor list` names all runs"
            ) from None
        families = dict.fromkeys(known.partition("/")[0] for known in (*systems, *(entry.name for entry in scenarios())))
        near = nearest(name, families) if "/" not in name else None  # a kind is meant before one of its runs
        if near is None:
            raise
        raise UnknownNameError(
            f"no scenario is named {name!r}: did you mean {near!r}? `locomotor list {near}` names its runs"
        ) from None
    return found


def overrides(entry: Scenario, given: Sequence[str]) -> dict[str, Any]:
    """Settings of a scenario from texts such as `speed=5`, `w=1.1`, `steer_torque=0.3*sin(t)`, `stepper=dop853`."""
    return sort_changes(entry.system(), given, SETTINGS) if given else {}


def sort_changes(system: System, given: Iterable[str], settings: Iterable[str] = ()) -> dict[str, Any]:
    """Changes by group from texts such as `speed=5`, `w=1.1` or `steer_torque=0.3*sin(t)`.

    A name is looked for among parameters, inputs, coordinates and velocities (as starting values) and the settings;
    `start.roll=0.1`, `parameters.`, `inputs.` and `motions.` say which.
    """
    homes, settings = _homes(system), tuple(settings)
    found: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        name, value = name.strip(), value.strip()
        if not equals or not name or not value:
            raise UsageError(f"--set {text!r}: write name=value, for instance --set speed=5")
        group, dot, bare = name.partition(".")
        if not dot:
            bare = name
            group = homes.get(name, "setting" if name in settings else "")
        if not group:
            near = suggestion(name, [*homes, *settings])
            raise UnknownNameError(f"--set {text!r}: nothing is named {name!r}: {near}")
        if group == "setting":
            found[name] = _setting(value)
        elif group not in GROUPS:
            raise UnknownNameError(f"--set {text!r}: no group is named {group!r}: {suggestion(group, GROUPS)}")
        else:
            found.setdefault(group, {})[bare] = _value(group, value, text)
    return found


def changed(system: System, given: Mapping[str, Any]) -> System:
    """The system with the motions and parameters of sorted changes."""
    if "motions" in given:
        system = system.with_motions(given["motions"])
    return system.with_parameters(**given["parameters"]) if "parameters" in given else system


def _homes(system: System) -> dict[str, str]:
    """Which argument each name belongs to: start, inputs or parameters."""
    layout = system.layout
    started = (*layout.coordinates, *layout.velocities, *chart_symbols(system))
    homes = dict.fromkeys((s.name for s in started), "start")
    homes.update(dict.fromkeys((s.name for s in layout.inputs), "inputs"))
    homes.update(dict.fromkeys(system.parameters, "parameters"))
    return homes


def _value(group: str, value: str, text: str) -> Any:
    """A number, or for inputs and motions an expression."""
    try:
        quantity = as_quantity(value, f"--set {text!r}")
    except ExpressionError as error:
        raise UsageError(f"--set {text!r}: {str(error).splitlines()[0].rstrip(':')}") from error
    if group in ("inputs", "motions"):
        return quantity
    try:
        return float(evaluate(quantity, {}))
    except LookupError:
        raise UsageError(f"--set {text!r}: a number is needed here, not an expression of other names") from None


def _setting(value: str) -> Any:
    """A setting of `simulate`: a number, yes or no, nothing, or a word."""
    words = {"true": True, "yes": True, "false": False, "no": False, "none": None}
    if value.lower() in words:
        return words[value.lower()]
    try:
        return float(value)
    except ValueError:
        return value


def parse_range(text: str, count: int = 201, option: str = "--against") -> tuple[str, float, float, int]:
    """`speed=0:10` or `speed=0:10:101`: name, low, high and number of values."""
    name, equals, span = text.partition("=")
    parts = span.split(":")
    try:
        numbers = [float(part) for part in parts[:2]]
        many = int(parts[2]) if len(parts) == 3 else count
    except ValueError:
        numbers, many = [], 0
    if not equals or not name.strip() or len(parts) not in (2, 3) or len(numbers) != 2 or many < 2:
        raise UsageError(f"{option} {text!r}: write name=low:high or name=low:high:count, for instance speed=0:10:101")
    low, high = numbers
    if not low < high:
        raise UsageError(f"{option} {text!r}: {low:g} is not below {high:g}")
    return name.strip(), low, high, many
