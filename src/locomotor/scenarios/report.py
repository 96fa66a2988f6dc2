"""The page of validation: every number of the registry beside ours, written as `docs/validation.md`."""

from collections.abc import Iterable, Sequence

from locomotor.scenarios.registry import Comparison, Entry, Origin

INTRODUCTION = """# Validation

Every number below is in the registry of `locomotor.scenarios` and is a test of its own
(`tests/published/test_scenarios.py`). This page is written by `python -m locomotor.scenarios`; last digits may differ
between machines.

- *expected* is what the source says, *tolerance* the largest difference allowed, absolute, with the reason beside it;
- a number that its source states but that cannot hold is marked *differs, as explained*: the test then asserts that
  ours does not agree, so that the explanation stays true;
- numbers *printed in the source* (the publication states them, or a fact such as "constant") are counted apart from those
  *computed by us*, which no publication states: they follow from an independent program, a closed form or a law of mechanics;
- the independent programs are written in plain NumPy, apart from this library, from the formulas of the source named
  beside them. That of the bicycle reproduces the two benchmarks of the literature; Belkhiri's thesis prints formulas and
  no numbers, and Mauny's prints curves without numbers for the bicycle that leaves the ground.

Run one of them with `locomotor.scenarios.scenario("bicycle/E3").run()`.
"""

Compared = tuple[Entry, tuple[Comparison, ...]]


def validation_page(results: Sequence[Compared]) -> str:
    """The whole page in Markdown."""
    parts = [INTRODUCTION, _summary(results), _contradictions(results), "## Every number\n"]
    parts += [_section(entry, comparisons) for entry, comparisons in results]
    return "\n".join(parts)


def heading(entry: Entry) -> str:
    """The line that opens the section of an entry."""
    return f"### {entry.name}"


def _summary(results: Sequence[Compared]) -> str:
    rows = []
    for entry, comparisons in results:
        counts = _counts(comparisons)
        rows.append([f"`{entry.name}`", entry.title, *(str(count) if count else "" for count in counts)])
    total = _counts([c for _, comparisons in results for c in comparisons])
    rows.append(["all", "", *map(str, total)])
    head = ("scenario", "what it shows", "printed, agree", "computed by us, agree", "differ, as explained", "do not agree")
    return f"## Summary\n\n{_table(head, rows)}"


def _counts(comparisons: Sequence[Comparison]) -> tuple[int, int, int, int]:
    """Numbers that agree, printed in the source and computed by us, that differ as explained, and that do not agree."""
    explained = sum(c.ok and bool(c.number.differs_because) for c in comparisons)
    good = [c.number.origin for c in comparisons if c.ok and not c.number.differs_because]
    return good.count(Origin.PRINTED), good.count(Origin.COMPUTED), explained, sum(not c.ok for c in comparisons)


def _contradictions(results: Sequence[Compared]) -> str:
    rows = [
        [f"`{entry.name}`", c.number.key, *_values(c)[:2], c.number.unit, c.number.source, c.number.differs_because]
        for entry, comparisons in results
        for c in comparisons
        if c.number.differs_because
    ]
    head = ("scenario", "quantity", "stated", "ours", "unit", "source", "why it cannot hold")
    return f"## Numbers that their sources state and that cannot hold\n\n{_table(head, rows)}"


def _section(entry: Entry, comparisons: Sequence[Comparison]) -> str:
    """One entry: its table, with sources and reasons numbered below."""
    sources, reasons = _numbered(c.number.source for c in comparisons), _numbered(c.number.reason for c in comparisons)
    rows = [
        [
            c.number.key,
            *_values(c),
            c.number.unit,
            c.verdict,
            "printed" if c.number.origin is Origin.PRINTED else "ours",
            f"{sources[c.number.source]}",
            f"{reasons[c.number.reason]}",
        ]
        for c in comparisons
    ]
    head = ("quantity", "expected", "ours", "difference", "tolerance", "unit", "verdict", "origin", "source", "reason")
    lines = [heading(entry), "", f"{entry.title}. {entry.citation}."]
    if entry.aliases:
        lines += ["", f"Also called {', '.join(f'`{alias}`' for alias in entry.aliases)}."]
    lines += [
        "",
        _table(head, rows),
        "Sources:",
        "",
        *_list(sources),
        "",
        "Reasons for the tolerances:",
        "",
        *_list(reasons),
        "",
    ]
    return "\n".join(lines)


def _values(c: Comparison) -> tuple[str, str, str, str]:
    """Cells of a row: expected value, ours, difference, tolerance."""
    number = c.number
    # Adding zero turns -0 into 0.
    return (
        f"{number.expected + 0.0:.15g}",
        f"{c.value + 0.0:.10g}",
        f"{c.difference + 0.0:.1e}",
        f"{number.tolerance:.2g}",
    )


def _numbered(texts: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for text in texts:
        found.setdefault(text, len(found) + 1)
    return found


def _list(numbered: dict[str, int]) -> list[str]:
    return [f"{number}. {text}" for text, number in numbered.items()]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines) + "\n"
