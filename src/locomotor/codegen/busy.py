"""Telling whoever waits what the compiler is busy with."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Watcher = Callable[[str], None]
"""Called with what is being compiled when it begins, and with "" when it is done."""

_watchers: list[tuple[int, Watcher]] = []
"""With the process they belong to: one that is forked from it has its own terminal to mind."""
_TITLE = re.compile(r"^ \* (\w+): ", re.MULTILINE)


@contextmanager
def watching_builds(watcher: Watcher) -> Iterator[None]:
    """Inside the block the watcher is told of everything that is compiled, in whatever thread; not of what the cache holds."""
    entry = (os.getpid(), watcher)
    _watchers.append(entry)
    try:
        yield
    finally:
        _watchers.remove(entry)


@contextmanager
def told(source: str) -> Iterator[None]:
    """Inside the block a source is being compiled."""
    title = _TITLE.search(source)
    what = f"{title[1] if title else 'a program'} ({source.count(chr(10)):,} lines of C)"
    _tell(what)
    try:
        yield
    finally:
        _tell("")


def _tell(what: str) -> None:
    for process, watcher in tuple(_watchers):
        if process == os.getpid():
            watcher(what)
