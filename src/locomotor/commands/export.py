"""`locomotor export SYSTEM --to rust -o DIR`: the equations of a system in another language."""

from collections.abc import Sequence
from pathlib import Path

from locomotor.commands.lookup import beginning_of, changed, find_system, sort_changes
from locomotor.commands.terminal import output, print_json, working
from locomotor.errors import UsageError
from locomotor.exports import export


def export_system(
    name: str,
    to: str,
    out: Path | None,
    closed: Sequence[str],
    airborne: bool,
    changes: Sequence[str],
    outputs: Sequence[str],
    jacobians: bool,
    cases: int,
    as_json: bool,
) -> int:
    """Write the files of an export and tell what they are."""
    system = find_system(name)
    given = sort_changes(system, changes)
    unwanted = set(given) - {"start", "parameters", "motions"}
    if unwanted:
        raise UsageError(f"--set: an export takes start values, parameters and motions, not {', '.join(sorted(unwanted))}")
    if closed and airborne:
        raise UsageError("--closed and --open contradict each other: name the closed contacts, or say that none is")
    start = {**beginning_of(name).get("start", {}), **given.get("start", {})}
    with working(f"writing {to}"):
        made = export(
            changed(system, given),
            to,
            out if out is not None else Path("out") / f"{system.name}_{to}",
            closed=closed if closed or airborne else None,
            start=start or None,
            outputs=outputs or None,
            jacobians=jacobians,
            cases=cases,
        )
    if as_json:
        print_json(
            {
                "system": made.system,
                "target": made.target,
                "folder": str(made.folder),
                "files": [str(file) for file in made.files],
                "run": list(made.run),
                "renamed": [list(entry) for entry in made.renamed],
                "left_out": list(made.left_out),
                "operations": dict(made.operations),
            }
        )
    else:
        output().print(str(made), markup=False, highlight=False)
    return 0
