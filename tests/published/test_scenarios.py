"""Every number of the registry, one test each."""

from functools import cache

import pytest

from locomotor.scenarios import Comparison, Entry, Number, scenarios


@cache
def compared(entry: Entry) -> dict[str, Comparison]:
    return {comparison.number.key: comparison for comparison in entry.compare()}


@pytest.mark.parametrize(
    ("entry", "number"),
    [
        pytest.param(entry, number, id=f"{entry.name}: {number.key}", marks=pytest.mark.slow if entry.slow else ())
        for entry in scenarios()
        for number in entry.numbers
    ],
)
@pytest.mark.sampled(40, by="entry")
def test_number(entry: Entry, number: Number) -> None:
    found = compared(entry)[number.key]
    explanation = f"; the registry says it cannot agree: {number.differs_because}" if number.differs_because else ""
    assert found.ok, (
        f"{entry.name}, {number.key}: expected {number.expected!r} within {number.tolerance!r} ({number.reason}; "
        f"{number.source}), found {found.value!r}{explanation}"
    )
