"""Work of machine code shared by threads, which an interrupt (Ctrl-C) ends at once.

Python hears an interrupt in its main thread only, and only while no machine code runs there. Long work therefore runs in
threads of its own while the main thread waits for them; on an interrupt it raises the flag `Stop`, which compiled loops look
at after each step and others after each piece, waits until the threads have ended, and goes on with the interrupt.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from threading import Thread

PIECE = 2048
"""Rows of small problems (some microseconds each) between two looks at the flag; a multiple of every number of lanes."""


class Stop:
    """A flag for machine code: `address` is where it lies, and not zero there means stop."""

    def __init__(self) -> None:
        self._flag = ctypes.c_int32(0)

    @property
    def address(self) -> int:
        """Address of the flag, for machine code to read."""
        return ctypes.addressof(self._flag)

    def set(self) -> None:
        """Tell all machine code that reads the flag to stop."""
        self._flag.value = 1

    def check(self) -> None:
        """An interrupt, where it is set."""
        if self._flag.value:
            raise KeyboardInterrupt


_obeyed: ContextVar[Stop | None] = ContextVar("locomotor_stop", default=None)


def stop_here() -> Stop:
    """The flag that this thread obeys; a new one where it obeys none."""
    return _obeyed.get() or Stop()


@contextmanager
def obeying(stop: Stop) -> Iterator[None]:
    """Let all work that this thread begins obey a flag."""
    before = _obeyed.set(stop)
    try:
        yield
    finally:
        _obeyed.reset(before)


def share(work: Callable[[int, int], object], parts: Sequence[tuple[int, int]], stop: Stop) -> None:
    """`work(first, last)` for each part, in a thread each; the first error of any is raised when all have ended."""
    errors: list[BaseException] = []

    def run(part: tuple[int, int]) -> None:
        try:
            with obeying(stop):
                work(*part)
        except BaseException as error:
            errors.append(error)

    threads = [Thread(target=run, args=(part,), daemon=True) for part in parts]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    except BaseException:
        stop.set()
        for thread in threads:
            if thread.ident is not None:
                thread.join()
        raise
    if errors:
        raise errors[0]
    stop.check()


def share_rows(work: Callable[[int, int], object], batch: int, threads: int, piece: int = PIECE) -> None:
    """`work(first, last)` over the rows of a batch in pieces, split among threads."""
    stop = stop_here()

    def walk(first: int, last: int) -> None:
        for at in range(first, last, piece):
            stop.check()
            work(at, min(at + piece, last))

    count = max(1, min(threads, batch))
    bounds = [batch * k // count for k in range(count + 1)]
    if count == 1:
        walk(0, batch)
    else:
        share(walk, list(pairwise(bounds)), stop)
