"""`locomotor run SCENARIO`: one run, its audit and its report; or a computation, its numbers and its figures."""

import shlex
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import singledispatch
from pathlib import Path
from typing import Any, NamedTuple

from locomotor.commands.compute import compute_entry, not_drawn
from locomotor.commands.lookup import find_entry, overrides
from locomotor.commands.terminal import output, print_json, progress
from locomotor.commands.verdicts import compare, number_facts, tell, tell_numbers
from locomotor.errors import UsageError
from locomotor.files import draft_folder
from locomotor.scenarios import MERGED, Comparison, Computation, Entry, Scenario
from locomotor.simulation import Run, RunWarning
from locomotor.simulation.records import Audit

FIGURES = "figures/[0-9][0-9]-*.png"
"""Figures of a report: those of another run written to the same folder before are not left among them."""


class Asked(NamedTuple):
    """What the command line asks for besides the name."""

    given: Sequence[str] = ()
    duration: float | None = None
    step: float | None = None
    folder: Path | None = None
    as_json: bool = False
    halve: bool = True
    write: bool = True
    figures: bool = False


def run_scenario(name: str, asked: Asked) -> int:
    """Run a scenario, audit it, compare its numbers and write the files asked for."""
    entry = find_entry(name)
    target = asked.folder if asked.folder is not None else Path("out") / entry.name.replace("/", "-").replace(" ", "-")
    return perform(entry, asked, target)


@singledispatch
def perform(entry: Entry, asked: Asked, target: Path) -> int:
    """Carry out one kind of entry."""
    raise NotImplementedError(f"no way is known to run an entry of the kind {type(entry).__name__}")


@perform.register
def _(entry: Computation, asked: Asked, target: Path) -> int:
    options = {"--set": asked.given, "--duration": asked.duration, "--step": asked.step}
    unused = [option for option, value in options.items() if value not in (None, [], ())]
    if unused:
        raise UsageError(
            f"{entry.name!r} is a computation, in which nothing moves: {' and '.join(unused)} cannot change it; "
            f"`locomotor run {entry.name}` alone computes its numbers"
        )
    return compute_entry(entry, target, asked.as_json, asked.write, asked.figures)


@perform.register
def _(entry: Scenario, asked: Asked, target: Path) -> int:
    given, duration, step, _, as_json, halve, write, _ = asked
    changes = overrides(entry, given)
    for key, value in (("duration", duration), ("step", step)):
        if value is not None:
            changes[key] = value
    with progress(1 + halve) as steps, quiet_runs():
        steps.begin("deriving and running")  # what is compiled meanwhile is told in its place
        began = time.perf_counter()
        run = entry.run(**changes)
        seconds = time.perf_counter() - began
        steps.done()
        if halve:
            steps.begin("running at half the step")
        audit = run.audit(halve=halve)
        steps.done(halve)
        comparisons = () if changes else compare(entry, entry.measure(run))
    if not as_json:  # what one waits for comes before the files
        _tell(entry, changes, run, audit, comparisons, seconds)
    waiting = _write(entry, asked, changes, run, audit, comparisons, target) if write else 0
    if as_json:
        print_json(_facts(entry, run, audit, comparisons, seconds, target if write else None))
    elif write:
        output().print(f"\nwritten: {target / 'report.html'}, run.nc" + ("" if waiting else ", figures/"))
        if waiting:
            output().print(not_drawn(waiting, _again(entry, asked)))
    return 0 if run.status.ok and all(comparison.ok for comparison in comparisons) else 1


@contextmanager
def quiet_runs() -> Iterator[None]:
    """How the run ended is told once; its repetitions at half the step and for figures end alike."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        yield


def _over(settings: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Settings of a figure with what the user changed over them: a figure shows the run that was asked for."""
    found = {**settings, **changes}
    for name in MERGED:
        if name in settings and name in changes:
            found[name] = {**settings[name], **changes[name]}
    return found


def _title(entry: Scenario, changes: dict[str, Any]) -> str:
    """What the run shows; of a changed one nothing is known beforehand."""
    return f"{entry.name} with {_changes(changes)}" if changes else entry.title


def _write(
    entry: Scenario,
    asked: Asked,
    changes: dict[str, Any],
    run: Run,
    audit: Audit,
    comparisons: Sequence[Comparison],
    target: Path,
) -> int:
    """Write the report; how many figures wait to be asked for. Pages and plots are loaded here, after the numbers are told."""
    from locomotor.viewing.report import Story, all_figures, write_report

    story = Story(
        title=_title(entry, changes),
        name=entry.name,
        citation=f"{entry.name}: {entry.citation}",
        changes=f"Changed for this run: {_changes(changes)}. Unchanged it shows: {entry.title}." if changes else "",
        figures=entry.figures,
        numbers=tuple(tell(comparison) for comparison in comparisons),
        drawn_by="" if asked.figures else _again(entry, asked),
    )
    with progress(1) as steps, quiet_runs():
        steps.begin("drawing and writing the report" if asked.figures else "writing the report")
        with draft_folder(target, FIGURES) as unfinished:
            write_report(run, audit, story, unfinished, lambda **more: entry.run(**_over(more, changes)))
        steps.done()
    return 0 if asked.figures else len(all_figures(run, story))


def _again(entry: Scenario, asked: Asked) -> str:
    """The command that draws the figures of this very run."""
    values = {"--duration": asked.duration, "--step": asked.step, "--out": asked.folder}
    words = [*(f"--set {shlex.quote(text)}" for text in asked.given)]
    words += [f"{option} {shlex.quote(str(value))}" for option, value in values.items() if value is not None]
    return " ".join(["locomotor run", entry.name, *words, "--figures"])


def _changes(changes: dict[str, Any]) -> str:
    parts = []
    for name, value in changes.items():
        entries = value.items() if isinstance(value, dict) else [(name, value)]
        parts += [f"{key} = {entry}" for key, entry in entries]
    return ", ".join(parts)


def _facts(
    entry: Scenario,
    run: Run,
    audit: Audit,
    comparisons: Sequence[Comparison],
    seconds: float,
    folder: Path | None,
) -> dict[str, Any]:
    """The result of a scenario as a dictionary, for `--json`."""
    return {
        "scenario": entry.name,
        "system": run.name,
        "ok": run.status.ok,
        "completed": run.status.completed,
        "end": run.status.end,
        "status": str(run.status),
        "time": run.status.time,
        "samples": len(run),
        "final": {name: values[-1] for name, values in run.channels.items()},
        "audit": {**audit, "work": dict(audit.work), "words": dict(audit.lines)},
        "numbers": [number_facts(c) for c in comparisons],
        "events": [{"time": event.time, "name": event.name, "description": event.description} for event in run.events],
        "settings": dict(run.settings),
        "seconds": seconds,
        "folder": None if folder is None else str(folder),
    }


def _tell(
    entry: Scenario,
    changes: dict[str, Any],
    run: Run,
    audit: Audit,
    comparisons: Sequence[Comparison],
    seconds: float,
) -> None:
    """Print the result of a scenario in words."""
    out = output()
    out.print(f"{_title(entry, changes)}\n{entry.citation}" if changes else f"{entry.name}: {entry.title}\n{entry.citation}")
    out.print(f"\n{run.status}; {len(run):,} samples, {seconds:.2f} s of computing\n")
    out.print(str(audit))
    if comparisons:
        out.print()
        tell_numbers(out, comparisons)
    sys.stdout.flush()
