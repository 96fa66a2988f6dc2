"""Run cases by hand, from the folder `tests`: `python -m combinations 17`, `... 0:1000`, or a line that a test printed."""

from __future__ import annotations

import argparse
import sys
import time
import traceback

from combinations.build import parse
from combinations.cases import case_of, complaints
from combinations.features import AXES


def main(arguments: list[str]) -> int:
    """Check each case named; the exit status is how many fail."""
    failed = 0
    for what in _asked(arguments):
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


def _asked(arguments: list[str]) -> list[int | str]:
    """The cases that are named, each by its number or its line."""
    axes = "\n".join(f"  {axis}: {' '.join(values)}" for axis, values in AXES.items())
    parser = argparse.ArgumentParser(
        prog="python -m combinations",
        description="Check small random systems in which every two features meet.",
        epilog=f"the axes and their values (features.py):\n{axes}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    words = "a number (17), some numbers (0:1000), or a line 'axis=value ... seed=n'; axes left out have their first value"
    parser.add_argument("case", nargs="+", type=_cases, help=words)
    return [case for cases in parser.parse_args(arguments).case for case in cases]


def _cases(text: str) -> list[int | str]:
    try:
        if "=" in text:
            parse(text)
            return [text]
        first, _, last = text.partition(":")
        return [*range(int(first), int(last))] if last else [int(first)]
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
