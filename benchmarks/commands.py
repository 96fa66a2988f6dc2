"""The command line: CPU time that `locomotor run` takes before its table and in all, once compiled."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile

from report import Figure, Topic, at_most

SCENARIOS = ("bicycle/E3", "bicycle/T1", "snakeboard/drive")
REPEATS = 5

CODE = """
import sys, time
from locomotor.cli import main
import locomotor.commands.run as command
tell = command._tell
def told(*arguments):
    tell(*arguments)
    print("TOLD", time.process_time(), file=sys.stderr)
command._tell = told
sys.argv = ["locomotor", "run", *sys.argv[1:]]
try:
    main()
finally:
    print("DONE", time.process_time(), file=sys.stderr)
"""


def seconds_of(arguments: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """CPU seconds of a new interpreter until the numbers are told, and until the files are written."""
    command = [sys.executable, "-c", CODE, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    found = dict(line.split() for line in done.stderr.splitlines() if line.startswith(("TOLD ", "DONE ")))
    return float(found["TOLD"]), float(found["DONE"])


def topic() -> Topic:
    """Measure, the first time in vain: it compiles the model and the modules."""
    # Python must be allowed to keep what it compiles of the library, as it is for who installs it.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in SCENARIOS:
            times = [seconds_of([name, "--out", folder], environment) for _ in range(REPEATS + 1)][1:]
            told, done = (statistics.median(column) for column in zip(*times, strict=True))
            figures.append(at_most(f"`locomotor run {name}`: table and audit", told, 1.0, f"least {min(times)[0]:.2f} s", " s"))
            figures.append(at_most(f"`locomotor run {name}`: files written", done, 2.5, "", " s"))
    return Topic("Command line", "CPU time of a new process, what is compiled being in the cache.", tuple(figures))
