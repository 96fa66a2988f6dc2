"""A bar that counts points; nothing where nobody looks."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from locomotor.codegen import watching_builds

POINTS = "points"


@contextmanager
def counting(total: int, done: int, shown: bool | None) -> Iterator[Callable[[int], None]]:
    """A function to call with the number of points just finished; `shown=None`: where standard error is a terminal."""
    if not (sys.stderr.isatty() if shown is None else shown):
        yield lambda count: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    # Drawn from here, not from a thread of its own: worker processes are forked while it is up.
    with Progress(*columns, console=Console(stderr=True, force_terminal=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task(POINTS, total=total, completed=done)
        bar.refresh()

        def advance(count: int) -> None:
            bar.advance(task, count)
            bar.refresh()

        def compiling(what: str) -> None:
            bar.update(task, description=f"compiling {what}" if what else POINTS)
            bar.refresh()

        with watching_builds(compiling):
            yield advance
