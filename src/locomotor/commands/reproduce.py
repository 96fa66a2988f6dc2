"""`locomotor reproduce`: every table and figure of the sources that the registry holds, on one page."""

import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from locomotor.commands.terminal import Steps, output, print_json, progress, table
from locomotor.commands.verdicts import compare, tell
from locomotor.errors import LocomotorError, RunFileError, UnknownNameError
from locomotor.files import make_folder, write_text
from locomotor.names import folded, suggestion
from locomotor.scenarios import Entry, Scenario, scenario, scenarios
from locomotor.simulation import RunWarning
from locomotor.viewing.report import COLUMNS, Chapter, Told, draw_figures, reproduction_page

ALL = "all"


def reproduce(which: str, target: Path, as_json: bool, figures: bool = True) -> int:
    """Run the chosen entries, compare, draw, and write one page."""
    chosen = select(which)
    make_folder(target.absolute().parent)
    with tempfile.TemporaryDirectory(prefix="locomotor-") as scratch, progress(len(chosen)) as steps:
        chapters = [_chapter(entry, Path(scratch), figures, steps) for entry in chosen]
        write_text(target, reproduction_page(chapters, "everything" if which == ALL else which))
    if as_json:
        print_json(_facts(chapters, target))
    else:
        _tell(chapters, target)
    return 1 if any(chapter.counts.wrong for chapter in chapters) else 0


def select(which: str) -> tuple[Entry, ...]:
    """Entries of a paper: all, one by its name, a family by the start of its name, or by a word of the citation."""
    everything = scenarios()
    if which == ALL:
        return everything
    try:
        return (scenario(which),)
    except UnknownNameError:
        pass
    wanted = folded(which)
    found = tuple(e for e in everything if folded(e.name).startswith(wanted.rstrip("/") + "/"))
    found = found or tuple(e for e in everything if wanted in folded(_sources(e)))
    if not found:
        known = [e.name for e in everything] + sorted({e.name.partition("/")[0] for e in everything})
        raise UnknownNameError(
            f"no scenario or paper is called {which!r}: {suggestion(which, known)} (a name, the start of one, or a "
            "word of a citation such as an author; `locomotor list` shows all)"
        )
    return found


def _sources(entry: Entry) -> str:
    return "\n".join([entry.citation, *(number.source for number in entry.numbers)])


def _chapter(entry: Entry, scratch: Path, figures: bool, steps: Steps) -> Chapter:
    """One entry, computed; an entry that fails is a chapter that says so."""
    steps.begin(entry.name)
    status, failure = "", ""
    audit: tuple[tuple[str, str], ...] = ()
    pictures: list[tuple[Path, str]] = []
    numbers: tuple[Told, ...] = ()
    prefix = entry.name.replace("/", "-").replace(" ", "-") + "-"
    try:
        with warnings.catch_warnings():
            # Runs that fall over do so on purpose here; the page tells how they ended.
            warnings.simplefilter("ignore", RunWarning)
            if isinstance(entry, Scenario):
                run = entry.run()
                values = dict(entry.measure(run))
                status, audit = "" if run.status.completed else str(run.status), run.audit(halve=True).lines
                if figures:
                    pictures = draw_figures(entry.figures, run, entry.run, scratch, prefix)
            else:
                values = entry.evaluate()
                if figures:
                    pictures = draw_figures(entry.figures, None, None, scratch, prefix)
            numbers = tuple(tell(comparison) for comparison in compare(entry, values))
    except RunFileError:
        raise  # no chapter can be written
    except LocomotorError as error:
        failure = str(error)
    steps.done()
    return Chapter(entry.name, entry.title, entry.citation, numbers, tuple(pictures), status, audit, failure)


def _facts(chapters: Sequence[Chapter], target: Path) -> dict[str, Any]:
    return {
        "page": str(target),
        "scenarios": [
            {
                "name": chapter.name,
                "agree": chapter.counts.printed + chapter.counts.computed,
                "printed": chapter.counts.printed,
                "computed": chapter.counts.computed,
                "differ": chapter.counts.explained,
                "wrong": chapter.counts.wrong,
                "figures": len(chapter.pictures),
                "failure": chapter.failure or None,
                "numbers": [
                    {
                        "key": n.key,
                        "expected": n.expected,
                        "ours": n.ours,
                        "verdict": n.verdict,
                        "origin": n.origin,
                        "source": n.source,
                    }
                    for n in chapter.numbers
                ],
            }
            for chapter in chapters
        ],
    }


def _tell(chapters: Sequence[Chapter], target: Path) -> None:
    out = output()
    columns = (*COLUMNS, "figures")
    shown = table("scenario", *columns, right=columns)
    for chapter in chapters:
        shown.add_row(chapter.name, *(str(count) for count in chapter.counts), str(len(chapter.pictures)))
    totals = [sum(chapter.counts[k] for chapter in chapters) for k in range(4)]
    shown.add_row("all", *(str(total) for total in totals), str(sum(len(chapter.pictures) for chapter in chapters)))
    out.print(shown)
    for chapter in chapters:
        if chapter.failure:
            out.print(f"\n{chapter.name} could not be computed: {chapter.failure}")
        for number in chapter.numbers:
            if number.kind == "bad":
                out.print(f"\n{chapter.name}, {number.key}: expected {number.expected} within {number.tolerance}, "
                          f"found {number.ours} ({number.source})")  # fmt: skip
    out.print(f"\nwritten: {target}")
