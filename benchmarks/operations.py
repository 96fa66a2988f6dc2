"""Operations of the compiled functions of every ready system and of some trees, against the committed baseline.

    python benchmarks/operations.py            compares
    python benchmarks/operations.py --update   writes benchmarks/operations.json anew

`tests/test_operation_counts.py` fails when a count grows. Updating the baseline makes the change visible in review.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from systems import chain, generic_chain, humanoid, imposed_snake

from locomotor import catalogue
from locomotor.errors import ContactLawError
from locomotor.model import System
from locomotor.tracing import trace
from locomotor.tracing.contacts.event_steps import EventStepping
from locomotor.tracing.contacts.switching import switching_of
from locomotor.tracing.contacts.time_steps import TimeStepping

BASELINE = Path(__file__).with_name("operations.json")
COMMAND = "python benchmarks/operations.py --update"

Counts = dict[str, int]


def systems() -> dict[str, Callable[[], System]]:
    """Everything that is counted: the whole catalogue, and free trees for the articulated-body algorithm."""
    ready = {entry.name: entry.make for entry in catalogue.systems()}
    trees = {f"tree/chain_{n}": partial(chain, n) for n in (5, 20)}
    # Their counts must grow linearly; the snake of eight modules is in the catalogue.
    trees |= {f"wheeled_snake/{n}": partial(catalogue.wheeled_snake, n) for n in (30, 100)}
    trees |= {f"wheeled_snake/{n}_all_imposed": partial(imposed_snake, n) for n in (8, 30, 100)}
    return {**ready, **trees, "tree/generic_chain_20": partial(generic_chain, 20), "tree/humanoid": humanoid}


def count(system: System) -> Counts:
    """Operations of one right-hand side, of all channels of a run and, with contacts or loops, of one projection; of whole
    steps where contacts open and close."""
    traced = trace(system)
    functions = {"dynamics": traced.dynamics, "observation": traced.observation}
    if system.contacts:
        functions["projection"] = traced.projection
    if system.loops:
        functions["loop_projection"] = traced.loop_projection
    if switching_of(system):
        for name, maker in (("time_stepping", TimeStepping), ("event_stepping", EventStepping)):
            with suppress(ContactLawError):  # not every law can be said in both
                functions[name] = maker(system).step
    return {name: function.operations for name, function in functions.items()}


def baseline() -> dict[str, Counts]:
    """The committed counts."""
    return dict(json.loads(BASELINE.read_text(encoding="utf-8")))


def differences(name: str, found: Counts, committed: Counts) -> Iterator[tuple[int, str]]:
    """For every count that moved: by how much, and a sentence."""
    for function in sorted({*found, *committed}):
        now, before = found.get(function, 0), committed.get(function, 0)
        if now != before:
            word = "more" if now > before else "fewer"
            yield now - before, f"{name}, {function}: {now} operations, {abs(now - before)} {word} than {before}"


def main() -> int:
    """Compare or update; the exit status tells whether anything grew."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--update", action="store_true", help="write the baseline anew")
    parser.add_argument("names", nargs="*", help="of systems to count; all where none is given")
    arguments = parser.parse_args()
    known = systems()
    for name in arguments.names:
        if name not in known:
            parser.error(f"no system {name!r}; there are: {', '.join(known)}")
    found = {name: count(make()) for name, make in known.items() if not arguments.names or name in arguments.names}
    committed = baseline() if BASELINE.exists() else {}
    if arguments.names:
        found = committed | found
    moved = [
        change
        for name in sorted({*found, *committed})
        for change in differences(name, found.get(name, {}), committed.get(name, {}))
    ]
    for _, sentence in moved:
        print(sentence)
    if arguments.update:
        BASELINE.write_text(json.dumps(found, indent=2, sort_keys=True) + "\n", encoding="utf-8")
        print(f"wrote {BASELINE.name}")
        return 0
    print(f"{len(moved)} counts differ" if moved else "all counts as committed")
    return int(any(change > 0 for change, _ in moved))


if __name__ == "__main__":
    raise SystemExit(main())
