"""`python -m locomotor.scenarios [docs/validation.md]`: compute every number and write the page of validation."""

import argparse
import sys
from pathlib import Path

from locomotor.files import write_text
from locomotor.scenarios import scenarios
from locomotor.scenarios.report import validation_page


def main(arguments: list[str] | None = None) -> int:
    """Write the page; 1 when a number is not as the registry says."""
    parser = argparse.ArgumentParser(prog="python -m locomotor.scenarios", description=__doc__)
    parser.add_argument("page", nargs="?", type=Path, default=Path("docs/validation.md"), help="file to write")
    target = parser.parse_args(arguments).page
    results = [(entry, entry.compare()) for entry in scenarios()]
    write_text(target, validation_page(results))
    wrong = [(entry.name, c) for entry, comparisons in results for c in comparisons if not c.ok]
    for name, c in wrong:
        sys.stderr.write(f"{name}, {c.number.key}: {c.verdict} ({c.number.expected!r}, ours {c.value!r})\n")
    sys.stdout.write(f"written: {target}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
