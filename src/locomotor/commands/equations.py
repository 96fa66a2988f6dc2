"""`locomotor equations SYSTEM`: the equations of motion, printed or as a document."""

from collections.abc import Sequence
from pathlib import Path

from locomotor.commands.lookup import changed, find_system, sort_changes
from locomotor.commands.terminal import notices, output, print_json, working
from locomotor.errors import UsageError
from locomotor.symbolic import (
    DOCUMENTS,
    Equations,
    LinearEquations,
    RobotEquations,
    equations,
    export_robot,
    is_robot,
    read_robot,
    robot_system,
    save_robot,
)


def write_equations(
    name: str,
    *,
    out: Path | None,
    numeric: bool,
    closed: Sequence[str],
    where: Sequence[str],
    christoffel: bool,
    certified: bool,
    about: Sequence[str] | None,
    changes: Sequence[str],
    as_json: bool,
) -> int:
    """Derive, and print as Markdown or write a document."""
    if is_robot(name) and (out is None or out.suffix not in DOCUMENTS):
        given = (numeric, closed, where, christoffel, certified, about, changes, as_json)
        if any(given):
            raise UsageError(
                f"{name} is a robot of RobotDyn, whose matrices and files have no further options; with --out and a document "
                f"({', '.join(DOCUMENTS)}) its equations have all of them"
            )
        return write_robot(name, out)
    system = robot_system(read_robot(name)) if is_robot(name) else find_system(name)
    sorted_changes = sort_changes(system, changes)
    if sorted_changes.keys() - {"parameters", "motions"}:
        raise UsageError("--set: equations hold at every state; give parameters or motions only")
    if out is not None and out.suffix not in DOCUMENTS:
        raise UsageError(f"--out {str(out)!r}: a document of equations ends in {', '.join(DOCUMENTS)}")
    with working(f"equations of {name}"):
        found = equations(
            changed(system, sorted_changes),
            parameters="numeric" if numeric else "symbolic",
            closed=tuple(closed),
            where=dict(_pair(text) for text in where),
            christoffel=christoffel,
            certified=certified,
            about=None if not about else {} if list(about) == ["rest"] else dict(_pair(text, "--about") for text in about),
        )
    if as_json:
        print_json(facts(found))
        return 0
    if out is None:
        output().print(found.markdown(), markup=False, highlight=False, soft_wrap=True)
        return 0
    for path in found.save(out):
        notices().print(f"written: {path}")
    return 0


def write_robot(name: str, out: Path | None) -> int:
    """What RobotDyn does with its files: print the matrices, or convert (.toml, a folder), or export Fortran and Scilab."""
    robot = read_robot(name)
    if out is not None and out.suffix == ".toml":
        written = save_robot(robot, out)
    elif out is not None and out.suffix == ".maple":
        written = save_robot(robot, out.with_suffix(""))
    elif out is not None or robot.export:
        with working(f"equations of {robot.name}"):
            written = export_robot(RobotEquations(robot), out or Path("out"))
    else:
        written = ()
    if out is None:
        output().print(RobotEquations(robot).printed(), markup=False, highlight=False, soft_wrap=True, end="")
    for path in written:
        notices().print(f"written: {path}")
    return 0


def facts(found: Equations) -> dict[str, object]:
    """Everything as texts that SymPy reads again."""
    return {
        "system": found.system.name,
        "velocities": [symbol.name for symbol in found.system.layout.velocities],
        "reduced": list(found.reduced_names),
        "rows": list(found.row_names),
        "definitions": [[str(symbol), str(value)] for symbol, value in found.definitions],
        "parts": {part.name: {"shape": part.shape, "entries": [str(e) for e in part.entries]} for part in found.parts.values()},
        "linear": None if found.linear is None else linear_facts(found.linear),
        "operations": {"printed": found.operations, "tape": found.function.operations},
    }


def linear_facts(linear: LinearEquations) -> dict[str, object]:
    """The linearised equations as texts."""
    return {
        "about": {name: str(value) for name, value in linear.about.items()},
        "coordinates": list(linear.coordinate_names),
        "velocities": list(linear.velocity_names),
        "definitions": [[str(symbol), str(value)] for symbol, value in linear.definitions],
        "parts": {
            part.name: {"shape": part.shape, "entries": [str(e) for e in part.entries]} for part in linear.parts.values()
        },
    }


def _pair(text: str, option: str = "--where") -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise UsageError(f"{option} {text!r}: write name=expression, for instance {option} front_steer=-steer")
    return name.strip(), value.strip()
