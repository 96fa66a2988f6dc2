"""Numbers of the registry beside ours, in words."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console

from locomotor.commands.terminal import table
from locomotor.errors import UnknownNameError
from locomotor.names import suggestion
from locomotor.scenarios import Comparison, Entry, Origin

if TYPE_CHECKING:
    from locomotor.viewing.report import Told

SHOWN = 12
"""Numbers that a terminal shows."""


def compare(entry: Entry, values: Mapping[str, float]) -> tuple[Comparison, ...]:
    """Every number of an entry beside our values."""
    for number in entry.numbers:
        if number.key not in values:
            raise UnknownNameError(f"{entry.name!r} does not measure {number.key!r}: {suggestion(number.key, values)}")
    return tuple(Comparison(number, float(values[number.key])) for number in entry.numbers)


def tell(comparison: Comparison) -> "Told":
    """One comparison in the words of a table."""
    from locomotor.viewing.report import Told  # numbers are told before anything of a page is loaded

    number = comparison.number
    unit = f" {number.unit}" if number.unit not in ("", "1") else ""
    verdict, kind = verdict_of(comparison)
    return Told(
        key=number.key,
        expected=f"{_short(number.expected)}{unit}",
        tolerance=f"{number.tolerance:.2g}",
        ours=f"{_short(comparison.value)}{unit}",
        difference=f"{comparison.difference:+.1e}",
        verdict=verdict,
        kind=kind,
        source=number.source,
        reason=number.reason,
        origin=number.origin.value,
    )


def verdict_of(comparison: Comparison) -> tuple[str, str]:
    """Verdict in words, and its kind."""
    number = comparison.number
    if number.differs_because:
        if comparison.ok:
            return f"differs because {number.differs_because}", "odd"
        return "agrees, against the explanation given for a difference", "bad"
    if not comparison.ok:
        return "not reproduced", "bad"
    if number.origin is Origin.COMPUTED:
        return "agrees; not printed in the source, computed by us", "good"
    return "reproduced", "good"


def number_facts(comparison: Comparison) -> dict[str, Any]:
    """One comparison as a dictionary, for `--json`."""
    number = comparison.number
    return {
        "key": number.key,
        "expected": number.expected,
        "tolerance": number.tolerance,
        "ours": comparison.value,
        "ok": comparison.ok,
        "verdict": verdict_of(comparison)[0],
        "origin": number.origin.value,
    }


def tell_numbers(out: Console, comparisons: Sequence[Comparison]) -> None:
    """A table of the first, those of the source before ours, how many are as the registry says, and those that are not."""
    chosen = sorted(comparisons, key=lambda comparison: comparison.number.origin is not Origin.PRINTED)[:SHOWN]
    if chosen:
        shown = table("number", "expected", "ours", "difference", "unit", right=("expected", "ours", "difference"))
        for one in chosen:
            values = (_short(one.number.expected), _short(one.value), f"{one.difference:+.1e}")
            shown.add_row(one.number.key, *values, "" if one.number.unit == "1" else one.number.unit)
        out.print(shown)
        if len(chosen) < len(comparisons):
            out.print(f"and {len(comparisons) - len(chosen)} more, in the report and with --json")
        out.print()
    wrong = [comparison for comparison in comparisons if not comparison.ok]
    printed = sum(comparison.number.origin is Origin.PRINTED for comparison in comparisons)
    out.print(
        f"{len(comparisons) - len(wrong)} of {len(comparisons)} numbers are as the registry says "
        f"({printed} {Origin.PRINTED.value}, {len(comparisons) - printed} {Origin.COMPUTED.value})"
    )
    for comparison in wrong:
        told = tell(comparison)
        out.print(f"  {told.key}: expected {told.expected} within {told.tolerance}, found {told.ours}")
        out.print(f"      {told.source}")


def _short(value: float) -> str:
    return f"{value:.10g}"
