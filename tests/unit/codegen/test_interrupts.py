"""Ctrl-C is heard within a second while machine code runs, in however many threads, and leaves none of them running."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from backends.problems import needs_compiler
from locomotor.codegen import driver
from locomotor.codegen.threads import Stop, obeying, share, share_rows, stop_here

# Each case makes all that is compiled before the clock starts, and then begins work of minutes.
QUICK = {
    "rollout, two threads": (
        "c = lm.compile(bike); x = np.tile(c.start({'speed': 5.0}), (2, 1))\n"
        "work = lambda n: c.rollout(x, n * 10**8, 1e-3, save_every=0, threads=2)"
    ),
}
SLOW = {
    "rollout, one thread": (
        "c = lm.compile(bike); x = c.start({'speed': 5.0})\nwork = lambda n: c.rollout(x, n * 10**8, 1e-3, save_every=0)"
    ),
    "jacobians, two threads": (
        "c = lm.compile(bike); x = np.tile(c.start({'speed': 5.0}), (2, 1))\n"
        "work = lambda n: c.jacobians(x, n * 10**8 + 1, 1e-6, threads=2)"
    ),
    "eigenvalues": "A = np.random.default_rng(1).normal(size=(10**6, 8, 8))\nwork = lambda n: eigenvalues(A[:n * 10**9 + 9])",
    "eigenvalues, two threads": (
        "A = np.random.default_rng(1).normal(size=(10**6, 8, 8))\nwork = lambda n: eigenvalues(A[:n * 10**9 + 9], threads=2)"
    ),
    "a function over a batch": (
        "c = lm.compile(bike); k = compile(lm.trace(bike).dynamics, 'c'); x = np.tile(c.start({'speed': 5.0}), (10**6, 1))\n"
        "work = lambda n: [k(np.zeros(1), x, np.zeros(3), np.zeros(0)) for _ in range(99 * n)]"
    ),
    "batched eigenvalues": (
        "work = lambda n: lm.batched_eigenvalues(bike, {'speed': np.linspace(4, 6, n * 10**6 + 9)}, threads=2)"
    ),
    "sweep in threads": (
        "work = lambda n: lm.sweep(bike, {'speed': np.linspace(4, 6, 64)}, {'lean': lm.Maximum('abs(roll)')},"
        " duration=n * 1e5 + 0.1, dt=1e-3, executor='threads', workers=2, chunk=16)"
    ),
    "time stepping": (
        "c = lm.compile(lm.catalogue.system('bouncing_ball'), contacts='time-stepping')\n"
        "x = np.tile(c.start({'z': 1.0}), (2, 1))\n"
        "work = lambda n: c.rollout(x, n * 10**9, 1e-3, save_every=0, threads=2)"
    ),
    "events": (
        "ball = lm.catalogue.system('bouncing_ball')\nwork = lambda n: lm.simulate(ball, n * 1e4 + 0.1, start={'z': 1.1})"
    ),
    "a controller that is called": (
        "law = lambda c: {'steer_torque': -float(c['roll_rate'])}\n"
        "work = lambda n: lm.simulate(bike, n * 1e4 + 0.1, start={'speed': 5.0}, sample=n * 99.9 + 0.1, controller=law)"
    ),
    "one long run": "work = lambda n: lm.simulate(bike, n * 1e5 + 0.1, start={'speed': 5.0}, sample=n * 99.9 + 0.1)",
}
SCRIPT = """
import os, signal, threading, time, warnings
import numpy as np
import locomotor as lm
from locomotor.codegen.eigen import eigenvalues
from locomotor.codegen import compile

warnings.simplefilter("ignore")
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that starts something in the background lets it ignore this
bike = lm.catalogue.bicycle()
{}
work(0)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begin = time.monotonic()
try:
    work(1)
    print("finished")
except KeyboardInterrupt:
    late = time.monotonic() - begin - 0.5
    time.sleep(0.6)  # what ends after the interrupt was raised
    before = time.process_time()
    time.sleep(0.3)
    print("late by", late, "busy for", time.process_time() - before, "threads", threading.active_count())
"""


@needs_compiler
@pytest.mark.parametrize("case", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)])
def test_an_interrupt_is_heard_within_a_second(case: str) -> None:
    script = SCRIPT.format({**QUICK, **SLOW}[case])
    child = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=100)
    assert child.returncode == 0, child.stderr[-2000:]
    assert child.stdout.startswith("late by"), child.stdout
    words = child.stdout.split()
    assert float(words[2]) < 1.0, child.stdout
    assert float(words[5]) < 0.1, f"something still computes: {child.stdout}"
    assert int(words[7]) <= (3 if "sweep" in case else 1), f"threads are left: {child.stdout}"


@needs_compiler
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_before_the_first_line_of_a_called_law_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """There no `try` can catch it: Python drops it, and the callback returns anything."""
    calls, real = [0], driver._Answer

    def late(answer: Callable[[], None]) -> Any:
        def call() -> None:
            calls[0] += 1
            if calls[0] == 3:
                raise KeyboardInterrupt
            answer()

        return real(call)

    monkeypatch.setattr(driver, "_Answer", late)
    cart = lm.System(
        "cart",
        [lm.Body("mass", 1.0, inertia=(1, 1, 1))],
        [lm.Prismatic(name="x", parent="world", child="mass", axis=(1, 0, 0), drive=lm.Torque("push"))],
        inputs=[lm.Input("push", "N")],
    )
    with pytest.raises(KeyboardInterrupt):
        lm.simulate(cart, 0.1, controller=lambda c: {"push": -float(c["x"])}, step=0.01, target="c")
    assert calls[0] == 3


def test_rows_are_shared_whole() -> None:
    for batch in (0, 1, 5, 100):
        for threads in (1, 3, 200):
            seen = np.zeros(batch, dtype=int)

            def work(first: int, last: int, seen: np.ndarray = seen) -> None:
                seen[first:last] += 1

            share_rows(work, batch, threads, piece=7)
            assert (seen == 1).all()


def test_an_error_in_a_thread_is_raised() -> None:
    def work(first: int, last: int) -> None:
        if first == 2:
            raise LookupError("part 2")

    with pytest.raises(LookupError, match="part 2"):
        share(work, [(0, 1), (2, 3), (4, 5)], Stop())


def test_a_flag_stops_all_that_obeys_it() -> None:
    stop, done = Stop(), []

    def work(first: int, last: int) -> None:
        done.append(first)
        if first >= 4:
            stop.set()

    with obeying(stop), pytest.raises(KeyboardInterrupt):
        share_rows(work, 100, 1, piece=1)
    assert done == [0, 1, 2, 3, 4] and stop_here() is not stop
    with pytest.raises(KeyboardInterrupt):
        share(lambda first, last: stop_here().check(), [(0, 1), (1, 2)], stop)
