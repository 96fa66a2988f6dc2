"""A computation by name: its numbers beside those of the registry, its figures, and a page with both."""

import time
from collections.abc import Sequence
from pathlib import Path

from locomotor.commands.terminal import output, print_json, progress
from locomotor.commands.verdicts import compare, number_facts, tell, tell_numbers
from locomotor.files import draft_folder, write_text
from locomotor.scenarios import Comparison, Computation

FIGURES = "figures/[0-9][0-9]-*.png"
"""Figures of a report: those of another one written to the same folder before are not left among them."""


def compute_entry(entry: Computation, target: Path, as_json: bool, write: bool, figures: bool) -> int:
    """Compute an entry that is no run, compare its numbers and write the files asked for."""
    with progress(1 + write) as steps:
        steps.begin("computing")
        began = time.perf_counter()
        comparisons = compare(entry, entry.evaluate())
        seconds = time.perf_counter() - began
        steps.done()
        if write:
            steps.begin("writing the report")
            _write(entry, comparisons, target, figures)
            steps.done()
    ok = all(comparison.ok for comparison in comparisons)
    if as_json:
        print_json(
            {
                "scenario": entry.name,
                "kind": "computation",
                "ok": ok,
                "numbers": [number_facts(comparison) for comparison in comparisons],
                "seconds": seconds,
                "folder": str(target) if write else None,
            }
        )
        return 0 if ok else 1
    out = output()
    out.print(f"{entry.name}: {entry.title}\n{entry.citation}\n\na computation, {seconds:.2f} s\n")
    tell_numbers(out, comparisons)
    if write:
        drawn = entry.figures and figures
        out.print(f"\nwritten: {target / 'report.html'}" + (", figures/" if drawn else ""))
        if entry.figures and not drawn:
            out.print(not_drawn(len(entry.figures), f"locomotor run {entry.name} --figures"))
    return 0 if ok else 1


def _write(entry: Computation, comparisons: Sequence[Comparison], target: Path, figures: bool) -> None:
    """The page of the numbers, and the figures where they are asked for."""
    from locomotor.viewing.report import Chapter, draw_figures, reproduction_page

    with draft_folder(target, FIGURES) as unfinished:
        pictures = draw_figures(entry.figures, None, None, unfinished / "figures") if entry.figures and figures else []
        told = tuple(tell(comparison) for comparison in comparisons)
        chapter = Chapter(entry.name, entry.title, entry.citation, told, tuple(pictures))
        write_text(unfinished / "report.html", reproduction_page([chapter], entry.name))


def not_drawn(count: int, command: str) -> str:
    """What to say of figures that wait to be asked for."""
    return f"{count} figures are drawn on demand: {command}"
