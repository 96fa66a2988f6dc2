"""Workers on this machine: threads, or processes that may die.

A worker process takes one chunk at a time, so that it is known which chunk a dead one was at. That chunk is given to a new
worker, a few times; a chunk that kills every worker is recorded as lost, and the rest goes on.
"""

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for
from typing import Any

from locomotor.codegen import Stop, obeying
from locomotor.dataclass import dataclass
from locomotor.sweeps.job import Job
from locomotor.sweeps.outcome import Measured

ATTEMPTS = 3
"""How often a chunk is tried before it is given up."""

PATIENCE = 0.5
"""How long an interrupt waits for threads to end (s)."""

Results = Iterator[tuple[int, Measured]]


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_threads(job: Job, chunks: Sequence[int], workers: int) -> Results:
    """Chunks as they are finished by threads of this process."""
    if workers == 1:
        yield from ((index, job.evaluate(index)) for index in chunks)
        return
    waiting = deque(chunks)
    running: dict[Future[Measured], int] = {}
    pool, stop = ThreadPoolExecutor(workers), Stop()

    def evaluate(index: int) -> Measured:
        with obeying(stop):
            return job.evaluate(index)

    try:
        while waiting or running:
            while waiting and len(running) < 2 * workers:
                index = waiting.popleft()
                running[pool.submit(evaluate, index)] = index
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()
    finally:
        # After an interrupt: machine code ends at once; a function of the user, which nobody can end, is not waited for.
        stop.set()
        pool.shutdown(wait=False, cancel_futures=True)
        wait(running, timeout=PATIENCE)


# -- processes ----------------------------------------------------------------------------------------


@dataclass(eq=False)
class _Worker:
    """A process and our end of the pipe to it; `chunk` is what it is at."""

    process: Any
    pipe: Connection
    chunk: int | None = None

    def give(self, chunk: int) -> bool:
        """Hand over a chunk, unless the worker is dead already."""
        try:
            self.pipe.send(chunk)
        except OSError:
            return False
        self.chunk = chunk
        return True

    def end(self) -> None:
        """Stop the process, whatever it is at."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def in_processes(job: Job, chunks: Sequence[int], workers: int, attempts: int = ATTEMPTS) -> Results:
    """Chunks as they are finished by worker processes; see the module for what happens when one dies."""
    # A forked worker has the measure as it is here, functions without a name included; elsewhere it is sent.
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if "fork" in methods else "spawn")
    waiting = deque(chunks)
    tried = dict.fromkeys(chunks, 0)
    team: list[_Worker] = []
    try:
        while waiting or any(worker.chunk is not None for worker in team):
            while len(team) < min(workers, len(waiting) + sum(worker.chunk is not None for worker in team)):
                team.append(_hire(context, job))
            for worker in [worker for worker in team if worker.chunk is None]:
                if waiting and worker.give(waiting[0]):
                    waiting.popleft()
                elif waiting:
                    worker.end()
                    team.remove(worker)
            busy = {worker.pipe: worker for worker in team if worker.chunk is not None}
            for pipe in wait_for(list(busy)) if busy else ():
                worker = busy[pipe]  # type: ignore[index]
                index = worker.chunk
                assert index is not None
                try:
                    found = worker.pipe.recv()
                except (EOFError, OSError):
                    worker.process.join()
                    team.remove(worker)
                    worker.end()
                    tried[index] += 1
                    if tried[index] < attempts:
                        waiting.append(index)
                    else:
                        yield index, job.lost(index, lost(attempts, _cause(worker.process.exitcode)))
                else:
                    worker.chunk = None
                    yield index, found
    finally:
        for worker in team:
            worker.end()


def lost(attempts: int, cause: str) -> str:
    """Words for a chunk that is given up."""
    return f"{attempts} workers died on this chunk, the last {cause}; try its points one by one to find the one that does it"


def _hire(context: Any, job: Job) -> _Worker:
    ours, theirs = context.Pipe()
    # What is bound to this process cannot be sent to another; a forked one has it anyway.
    sent = job if context.get_start_method() == "fork" else replace(job)
    process = context.Process(target=_serve, args=(theirs, ours, sent, os.getpid()), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _serve(pipe: Connection, other_end: Connection, job: Job, parent: int) -> None:
    """A worker: chunks in, results out, until the pipe closes or the parent is gone."""
    other_end.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then ends us
    while True:
        # Workers forked later hold the other end of this pipe too, so that its closing cannot be relied upon.
        while not pipe.poll(1.0):
            if os.getppid() != parent:
                return
        try:
            index = pipe.recv()
        except (EOFError, OSError):
            return
        pipe.send(job.evaluate(index))


def _cause(code: int | None) -> str:
    if code is not None and code < 0:
        return f"by signal {signal.Signals(-code).name}"
    return f"with exit code {code}"
