"""Figures, the tables made of them, and the machine they were measured on."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import locomotor
from locomotor.codegen.toolchain import find_toolchain


@dataclass(frozen=True)
class Figure:
    """One line of a table: what was measured, the result, the target it answers to if any, and what goes with it."""

    what: str
    measured: str
    target: str = ""
    met: bool | None = None
    note: str = ""
    """Accuracy, absolute times, circumstances."""


@dataclass(frozen=True)
class Topic:
    """A table with its heading."""

    title: str
    about: str
    figures: tuple[Figure, ...]


def missing(what: str, target: str, reason: object) -> Figure:
    """A figure that could not be measured here."""
    return Figure(what, "not measured", target, None, str(reason))


def at_most(what: str, value: float, limit: float, note: str = "", unit: str = "") -> Figure:
    """A figure that should not exceed a limit."""
    return Figure(what, f"{number(value)}{unit}", f"≤ {number(limit)}{unit}", value <= limit, note)


def at_least(what: str, value: float, limit: float, note: str = "", unit: str = "") -> Figure:
    """A figure that should reach a limit."""
    return Figure(what, f"{number(value)}{unit}", f"≥ {number(limit)}{unit}", value >= limit, note)


def number(value: float) -> str:
    """Three digits, with a comma between thousands."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def seconds(value: float) -> str:
    """A duration in the unit that suits it."""
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def small(value: float) -> str:
    """An error."""
    return f"{value:.1e}" if value else "0"


# --- pages -----------------------------------------------------------------------------------------------------------


def page(topics: Iterable[Topic], elapsed: float) -> str:
    """The page `docs/benchmarks.md`."""
    topics = tuple(topics)
    targets = [figure for topic in topics for figure in topic.figures if figure.target]
    missed = [figure.what for figure in targets if figure.met is False]
    unknown = [figure.what for figure in targets if figure.met is None]
    lines = [
        "# Benchmarks",
        "",
        "<!-- Written by `make bench`: run it again instead of editing. -->",
        "",
        "Ratios are taken within one run, from samples that alternate between the candidates; they are medians.",
        "Timings gate nothing: operation counts do. The method is described in `benchmarks/README.md`.",
        "",
        f"{len(targets) - len(missed) - len(unknown)} of {len(targets)} targets are met."
        + (f" Missed: {'; '.join(missed)}." if missed else "")
        + (f" Not measured: {'; '.join(unknown)}." if unknown else ""),
        "",
        *_table(("", ""), ((name, value) for name, value in circumstances(elapsed).items())),
    ]
    for topic in topics:
        lines += ["", f"## {topic.title}", "", topic.about, ""]
        head = ("", "measured", "target", "met", "accuracy and circumstances")
        lines += _table(head, ((f.what, f.measured, f.target, _tick(f), f.note) for f in topic.figures))
    return "\n".join(lines) + "\n"


def text(topic: Topic) -> str:
    """The same for a terminal."""
    width = max(len(figure.what) for figure in topic.figures)
    lines = [topic.title]
    for figure in topic.figures:
        verdict = f"[{figure.target}: {_tick(figure) or 'unknown'}]" if figure.target else ""
        lines.append(f"  {figure.what:{width}}  {figure.measured:>14}  {verdict}")
        if figure.note:
            lines.append(f"  {'':{width}}    {figure.note}")
    return "\n".join(lines)


def _tick(figure: Figure) -> str:
    return {True: "yes", False: "**no**", None: ""}[figure.met]


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    head = tuple(head)
    lines = [head, tuple("---" for _ in head), *rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]


# --- circumstances ---------------------------------------------------------------------------------------------------


def circumstances(elapsed: float) -> Mapping[str, str]:
    """Processor, date and versions."""
    toolchain = find_toolchain()
    compiler = "none" if toolchain is None else f"{toolchain.command[0]} {toolchain.version}, {toolchain.lanes} lanes"
    packages = ("numpy", "casadi", "scipy", "sympy", "pin", "mujoco", "exudyn")
    return {
        "date": datetime.date.today().isoformat(),
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "compiler": compiler,
        "versions": ", ".join(
            [f"locomotor {locomotor.__version__}", f"Python {platform.python_version()}"]
            + [f"{name} {version}" for name in packages if (version := _version(name))]
        ),
        "whole run": f"{elapsed:.0f} s",
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    fields = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    sets = [name for name in ("avx512f", "avx2", "fma") if name in fields.get("flags", "").split()]
    return f"{fields.get('model name', platform.machine())} ({', '.join(sets)})"


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""
