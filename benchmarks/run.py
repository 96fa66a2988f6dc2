"""Runs the benchmarks: `make bench`, or `python benchmarks/run.py [topic ...]`.

Without topics all are run and `docs/benchmarks.md` is written; with topics the figures are only printed.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import batches
import commands
import complementarity
import contacts
import cycles
import derivation
import equations
import flight
import gpu
import intermittent
import lanes
import many
import maximal
import motion
import quote
import report
import right_hand_side
import robots
import snakes
import soft
import startup
import stiff
import terrain
import trees

from locomotor.codegen.toolchain import find_toolchain, missing_compiler_notice

TOPICS = {
    "startup": startup.topic,
    "commands": commands.topic,
    "derivation": derivation.topic,
    "equations": equations.topic,
    "right_hand_side": right_hand_side.topic,
    "lanes": lanes.topic,
    "motion": motion.topic,
    "trees": trees.topic,
    "robots": robots.topic,
    "maximal": maximal.topic,
    "snakes": snakes.topic,
    "stiff": stiff.topic,
    "soft": soft.topic,
    "cycles": cycles.topic,
    "flight": flight.topic,
    "intermittent": intermittent.topic,
    "complementarity": complementarity.topic,
    "terrain": terrain.topic,
    "contacts": contacts.topic,
    "batches": batches.topic,
    "many": many.topic,
    "gpu": gpu.topic,
}
PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"


def main() -> None:
    """Run the topics asked for, print their figures, and write the page when all were run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("topics", nargs="*", help=f"some of: {', '.join(TOPICS)}")
    chosen = parser.parse_args().topics
    for name in chosen:
        if name not in TOPICS:
            parser.error(f"no topic is named {name!r}; there are {', '.join(TOPICS)}")
    begin = time.perf_counter()
    if find_toolchain() is None:
        parser.error(missing_compiler_notice())
    found = []
    for name in chosen or TOPICS:
        print(f"{name} ...", file=sys.stderr, flush=True)
        found.append(TOPICS[name]())
        print(report.text(found[-1]), end="\n\n", flush=True)
    if not chosen:
        PAGE.write_text(report.page(found, time.perf_counter() - begin), encoding="utf-8")
        quote.write()
        print(f"wrote README.md and {PAGE.relative_to(PAGE.parents[1])}")


if __name__ == "__main__":
    main()
