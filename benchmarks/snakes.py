"""Snakes of more and more modules: what one more module costs, in operations."""

from __future__ import annotations

import operations
from report import Figure, Topic, at_most

SIZES = (8, 30, 100)
DRIVES = {
    "": ("driven by torques", "dynamics", "one right-hand side"),
    "_all_imposed": ("every joint imposed", "observation", "torques, forces and all other channels at one instant"),
}
LINEAR = 1.05
"""A module more may cost this much more from 30 to 100 modules than from 8 to 30."""


def topic() -> Topic:
    """Count."""
    ready = operations.systems()
    figures: list[Figure] = []
    for drives, (how, function, what) in DRIVES.items():
        small, middle, large = (operations.count(ready[f"wheeled_snake/{n}{drives}"]())[function] for n in SIZES)
        counts = ", ".join(f"{n} modules {count:,}" for n, count in zip(SIZES, (small, middle, large), strict=True))
        growth = ((large - middle) / (SIZES[2] - SIZES[1])) / ((middle - small) / (SIZES[1] - SIZES[0]))
        figures.append(at_most(f"{how}: growth a module, long over short", growth, LINEAR, f"{what}: {counts} operations"))
    return Topic(
        "Snakes",
        "Wheeled snakes on skates. Cost is proportional to the modules when a module more costs the same however long the "
        "snake is; with every joint imposed it is over-constrained, and the smallest of its forces are found.",
        tuple(figures),
    )
