"""Run cases by hand, from the folder `tests`: `python -m combinations 17`, `... 0:1000`, or a line that a test printed."""

from __future__ import annotations

import sys
import time
import traceback

from combinations.cases import case_of, complaints


def main(arguments: list[str]) -> int:
    """Check each case named; the exit status is how many fail."""
    failed = 0
    for what in _named(arguments):
        begun = time.perf_counter()
        try:
            case = case_of(what)
            found = complaints(case)
        except Exception:
            found = [f"case {what} could not be built:\n{traceback.format_exc(limit=-4)}"]
        failed += bool(found)
        told = "holds" if not found else "\n  " + "\n  ".join(found)
        sys.stdout.write(f"{what}: {told} ({time.perf_counter() - begun:.1f} s)\n")
        sys.stdout.flush()
    return min(failed, 125)


def _named(arguments: list[str]) -> list[int | str]:
    found: list[int | str] = []
    for argument in arguments:
        if "=" in argument:
            found.append(argument)
        elif ":" in argument:
            first, last = argument.split(":")
            found += range(int(first), int(last))
        else:
            found.append(int(argument))
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
