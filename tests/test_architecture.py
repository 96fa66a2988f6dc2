"""The shape of the code: the library keeps the rules of `architecture/` (its contract is `architecture/contract.py`)."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import locomotor
from architecture.contract import ALLOWED
from architecture.reading import PACKAGE, ROOT
from architecture.rules import RULES, length_complaints, unused_grants


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_library_keeps_the_rule(rule: Callable[[Path], Iterator[str]]) -> None:
    assert list(rule(PACKAGE)) == []


def test_every_permission_is_used() -> None:
    assert list(unused_grants(PACKAGE)) == []


def test_unit_tests_stand_in_the_folder_of_what_they_test() -> None:
    folders = {path.name for path in (ROOT / "tests" / "unit").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders - {"benchmarks"} <= set(ALLOWED), "tests/unit mirrors the layers of src"


@pytest.mark.parametrize("folder", ["tests", "benchmarks"])
def test_other_files_are_short_too(folder: str) -> None:
    assert list(length_complaints(ROOT / folder)) == []


def test_rule_table_follows_the_order_of_the_layers() -> None:
    """A layer sees only layers written before it, so the table cannot hold a cycle."""
    order = list(ALLOWED)
    for layer, seen in ALLOWED.items():
        assert all(order.index(name) < order.index(layer) for name in seen), layer
    for layer, seen in ALLOWED.items():
        assert "viewing" not in seen or layer == "commands", f"{layer}: only the commands import viewing"


def test_citation_carries_the_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {locomotor.__version__}\n" in citation
