"""Figures that other pages quote: each is read from `docs/benchmarks.md`, which `make bench` writes, and from nowhere else.

`python benchmarks/quote.py` writes the table of README.md anew; `benchmarks/run.py` does so after it has written the page.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE, README = ROOT / "docs" / "benchmarks.md", ROOT / "README.md"
BEGIN, END = "<!-- figures of docs/benchmarks.md; written by benchmarks/quote.py -->\n", "<!-- end of the figures -->\n"

RIGHT, STEP = "time of ours / Pinocchio ABA of the free tree", "time of our RK4 step / one MuJoCo step (Euler)"
MUJOCO = "bicycle: our steps a second / MuJoCo roll-out's"
AGAINST = r"^(.+? [nµm]?s) against (.+? [nµm]?s)"
WRONG = r"wrong by (\S+ m) \(ours\), (\S+ m)"
MILLIONS = r"^(\S+) million steps a second against (\S+) million"

# what, ours, the peer's; {} stands for the figures read: (line of the page, column, pattern whose groups are taken).
ROWS: list[tuple[str, str, str, list[tuple[str, int, str]]]] = [
    ("derive and trace", "{}", "", [("derivation: model to tape", 1, "(.+)")]),
    ("compile, once; then from a cache", "{}; {}", "",
     [("compilation of it", 1, "(.+)"), ("compilation of it", 4, "from the cache: (.+)")]),
    ("one right-hand side", "{}", "Pinocchio, free tree without the constraints: {}", [(RIGHT, 4, AGAINST)]),
    ("the same, per instance in SIMD batches", "{}", "",
     [("right-hand side, 8 lanes: times scalar speed", 4, r"^(.+? [nµm]?s) against")]),
    ("one Runge-Kutta 4 step", "{}", "MuJoCo, one semi-implicit Euler step: {}", [(STEP, 4, AGAINST)]),
    ("position error after 5 s at steps of 5 ms", "{}", "MuJoCo, default solver settings: {}", [(STEP, 4, WRONG)]),
    ("articulated bodies, floating chain of 20 joints: Pinocchio's time / ours", "{}", "",
     [("chain of 20: times Pinocchio's speed", 1, "(.+)")]),
    ("Runge-Kutta 4 steps a second, a batch on one core", "{} million", "`mujoco.rollout`: {} million",
     [(MUJOCO, 4, MILLIONS)]),
    ("the same on one NVIDIA H200, float64 (float32)", "{} ({}) billion", "MJX, float32: {} billion",
     [("bicycle, float64: billion RK4 steps a second", 1, "(.+)"), ("bicycle, float32: billion RK4 steps a second", 1, "(.+)"),
      ("MJX, bicycle: billion steps a second (batch of 65,536)", 1, "(.+)")]),
    ("eigenvalues of a million bicycles: one core; H200", "{}; {}", "",
     [("eigenvalues of a million bicycles, one core", 1, "(.+)"), ("eigenvalues of 1,000,000 bicycles", 1, "(.+)")]),
]  # fmt: skip


def lines(page: str) -> dict[str, list[str]]:
    """Rows of all tables of the page, by their first cell."""
    rows = [line.strip().strip("|").split("|") for line in page.splitlines() if line.startswith("| ")]
    return {row[0].strip(): [cell.strip() for cell in row] for row in rows}


def table(page: str) -> str:
    """The table of README.md."""
    known = lines(page)
    found = ["| | ours | peer, same run |", "|---|---|---|"]
    for what, ours, theirs, sources in ROWS:
        read: list[str] = []
        for name, column, pattern in sources:
            match = re.search(pattern, known[name][column])
            if match is None:
                raise LookupError(f"docs/benchmarks.md, {name!r}: {known[name][column]!r} does not fit {pattern!r}")
            read += match.groups()
        split = ours.count("{}")
        found.append(f"| {what} | {ours.format(*read[:split])} | {theirs.format(*read[split:])} |")
    return "\n".join(found) + "\n"


def block(readme: str) -> str:
    """What README.md quotes now."""
    return readme[readme.index(BEGIN) + len(BEGIN) : readme.index(END)]


def write() -> None:
    """Put the figures of the page into README.md."""
    readme = README.read_text(encoding="utf-8")
    README.write_text(readme.replace(block(readme), table(PAGE.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    write()
