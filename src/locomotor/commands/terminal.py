"""Talking to a terminal: tables, sentences, progress. Results go to standard output, all else to standard error."""

import json
import math
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from rich.progress import Progress

WIDE = 160
"""Columns assumed where the output is not a terminal, so that tables are not cut."""


class Results(Console):
    """A console that does not call it a failure when the reader (head, less) leaves."""

    def on_broken_pipe(self) -> None:
        """End at once without an error: whoever read the output has gone."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0)


def output() -> Console:
    """The console on standard output, where results go."""
    return Results(width=None if sys.stdout.isatty() else WIDE, highlight=False, soft_wrap=True, markup=False)


def notices() -> Console:
    """The console on standard error, where notices and progress go."""
    return Console(stderr=True, highlight=False, soft_wrap=True, markup=False)


def table(*columns: str, title: str = "", right: Sequence[str] = ()) -> Table:
    """An empty table in our style."""
    made = Table(title=title or None, title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        made.add_column(column, justify="right" if column in right else "left", header_style="bold")
    return made


def print_json(value: Any) -> None:
    """A value for a script: one JSON document, numbers exact, those that are not finite as null."""
    sys.stdout.write(json.dumps(plain(value), indent=2) + "\n")


def plain(value: Any) -> Any:
    """Arrays, complex numbers and numbers that JSON cannot say, as what it can."""
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, complex):  # NumPy's own among them, as among the floats below
        return [plain(value.real), plain(value.imag)]
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if hasattr(value, "tolist"):  # arrays and numbers of NumPy, which a list of names does without
        return plain(value.tolist())
    return value


class Steps:
    """A bar that counts; silent where nobody looks."""

    def __init__(self, progress: "Progress | None", total: int | None) -> None:
        """A bar of progress with `total` steps, none of them done; None where their number is not known."""
        self._progress = progress
        self._task = progress.add_task("", total=total) if progress else None
        self._doing = ""

    def begin(self, what: str) -> None:
        """Say what is being done now."""
        self._doing = what
        self._say(what)

    def compiling(self, what: str) -> None:
        """Say what is being compiled meanwhile; nothing when that is done."""
        self._say(f"compiling {what}" if what else self._doing)

    def _say(self, words: str) -> None:
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, description=words)

    def done(self, count: int = 1) -> None:
        """Move the bar on by `count` steps."""
        if self._progress is not None and self._task is not None:
            self._progress.advance(self._task, count)


@contextmanager
def progress(total: int | None) -> Iterator[Steps]:
    """A bar on standard error: steps, what is being compiled, how long it has taken. Off where standard error is no terminal.

    `None` is for a work whose steps are not known: the bar moves and counts nothing.
    """
    if not sys.stderr.isatty():
        yield Steps(None, total)
        return
    # Loaded only here: a list or a help text is told without mechanics, and most of its readers wait for no bar.
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from locomotor.codegen import watching_builds

    counted = (MofNCompleteColumn(),) if total is not None else ()
    columns = (TextColumn("{task.description}"), BarColumn(), *counted, TimeElapsedColumn())
    with Progress(*columns, console=notices(), transient=True) as shown:
        steps = Steps(shown, total)
        with watching_builds(steps.compiling):
            yield steps


@contextmanager
def working(what: str) -> Iterator[None]:
    """A moving sign that something is under way, where its steps are not known."""
    with progress(None) as steps:
        steps.begin(what)
        yield
