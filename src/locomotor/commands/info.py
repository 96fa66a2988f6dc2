"""`locomotor info SYSTEM`: what it is made of."""

from typing import Any

from locomotor.commands.lookup import find_system, gaits_of
from locomotor.commands.terminal import output, print_json, table
from locomotor.mechanics.chart import chart_symbols
from locomotor.model import Body, Motion, System
from locomotor.simulation import compile_system


def info(name: str, as_json: bool) -> int:
    """Bodies, joints, contacts, counts, parameters and the cost of one evaluation."""
    system = find_system(name)
    facts = {**describe(system), "gaits": gaits_of(name)}
    if as_json:
        print_json(facts)
        return 0
    out = output()
    out.print(f"{system.name}: {system.description}\n" if system.description else f"{system.name}\n")
    out.print("\n".join(system.summary().splitlines()[_tree_starts(system) :]))
    _print_parts(system)
    counts = facts["counts"]
    out.print(
        f"\n{counts['velocities']} velocities - {counts['constraints']} constraints (rank {counts['rank']}) - "
        f"{counts['imposed']} imposed = {counts['freedoms']} freedoms: {', '.join(facts['independent'])}"
    )
    if facts["switching"]:
        out.print(f"with all contacts closed; {', '.join(facts['switching'])} open and close")
    operations = ", ".join(f"{key} {value:,}" for key, value in facts["operations"].items())
    out.print(f"operations of one evaluation: {operations}")
    _print_gaits(name, facts["gaits"])
    return 0


def _print_gaits(name: str, gaits: dict[str, dict[str, str]]) -> None:
    if not gaits:
        return
    out, shown = output(), table("gait", "joint", "law of t")
    for gait, laws in gaits.items():
        for k, (joint, law) in enumerate(laws.items()):
            shown.add_row(gait if k == 0 else "", joint, str(law))
    out.print()
    out.print(shown)
    example = next(iter(gaits))
    call = f'lm.simulate(lm.catalogue.system("{name}"), 10.0, motions=lm.catalogue.gait("{name}", "{example}"))'
    out.print(f"\nin Python: {call}")


def describe(system: System) -> dict[str, Any]:
    """Everything `info` shows, for a script."""
    layout = system.layout
    compiled = compile_system(system)
    reduction = compiled.traced.reduction
    independent = list(reduction.names)
    rank = layout.nv - len(independent) - len(system.imposed)
    return {
        "name": system.name,
        "description": system.description,
        "bodies": [
            {"name": b.name, "mass": b.mass_properties(system.parameters.values)[0] if isinstance(b, Body) else 0.0}
            for b in system.bodies
        ],
        "joints": [
            {
                "name": j.name,
                "kind": type(j).__name__,
                "parent": j.parent,
                "child": j.child,
                "drive": f"imposed {j.drive.law}" if isinstance(j.drive, Motion) else _torque(j),
            }
            for j in system.joints
        ],
        "contacts": [
            {"name": c.name, "kind": type(c).__name__, "body": c.body, "law": type(c.law).__name__} for c in system.contacts
        ],
        "switching": [name for name, law in system.laws.items() if law.switches],
        "forces": [{"name": f.name, "kind": type(f).__name__} for f in system.forces],
        "coordinates": [_symbol(s) for s in layout.coordinates],
        "angles": [_symbol(s) for s in chart_symbols(system)],
        "velocities": [_symbol(s) for s in layout.velocities],
        "inputs": [_symbol(s) for s in layout.inputs],
        "parameters": [
            {"name": p.name, "value": p.value, "unit": p.unit, "description": p.description, "source": p.source}
            for p in system.parameters.parameters
        ],
        "independent": independent,
        "counts": {
            "coordinates": layout.nq,
            "velocities": layout.nv,
            "constraints": _constraint_rows(compiled),
            "rank": rank,
            "imposed": len(system.imposed),
            "freedoms": len(independent),
        },
        "operations": {"right-hand side": compiled.operations, "channels": compiled.traced.observation.operations},
    }


def _constraint_rows(compiled: Any) -> int:
    ports = {port.name: port.size for port in compiled.traced.observation.outputs}
    return int(ports.get("multipliers", 0))


def _torque(joint: Any) -> str:
    return "passive" if joint.drive.is_zero else f"torque {joint.drive.law}"


def _symbol(symbol: Any) -> dict[str, str]:
    return {"name": symbol.name, "unit": symbol.unit, "description": symbol.description}


def _tree_starts(system: System) -> int:
    """Where the tree begins in the summary: its last lines, the world first."""
    return len(system.summary().splitlines()) - len(system.joints) - 1


def _print_parts(system: System) -> None:
    out = output()
    if system.contacts:
        shown = table("contact", "kind", "body", "ground", "law")
        for contact in system.contacts:
            shown.add_row(contact.name, type(contact).__name__, contact.body, contact.ground, contact.law.words)
        out.print()
        out.print(shown)
    shown = table("name", "unit", "meaning")
    for symbol in (*chart_symbols(system), *system.layout.velocities, *system.layout.inputs):
        shown.add_row(symbol.name, symbol.unit, symbol.description)
    out.print("\ncoordinates, velocities and inputs (start values and --set take these names)")
    out.print(shown)
    known = system.parameters.parameters
    if known:
        sources = list(dict.fromkeys(p.source for p in known if p.source))
        shown = table("parameter", "value", "unit", "meaning", "source", right=("value",))
        for p in known:
            mark = f"[{sources.index(p.source) + 1}]" if p.source else ""
            shown.add_row(p.name, f"{p.value:.10g}", p.unit, p.description, mark)
        out.print()
        out.print(shown)
        for k, source in enumerate(sources):
            out.print(f"[{k + 1}] {source}")
