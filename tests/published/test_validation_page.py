"""docs/validation.md has the structure of the registry; its last digits may be those of another machine."""

import math
import re
from pathlib import Path

import pytest

from locomotor.scenarios import Comparison, Computation, Entry, Number, Origin, scenarios
from locomotor.scenarios.__main__ import main
from locomotor.scenarios.report import heading, validation_page

PAGE = Path(__file__).resolve().parents[2] / "docs" / "validation.md"


def structure(page: str) -> dict[str, list[tuple[str, str]]]:
    """Section -> (quantity, verdict) of each row."""
    found: dict[str, list[tuple[str, str]]] = {}
    rows: list[tuple[str, str]] = []
    for line in page.splitlines():
        if line.startswith("### "):
            rows = found[line] = []
        elif line.startswith("| ") and not line.startswith("| quantity"):
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            rows.append((cells[0], cells[6] if len(cells) == 10 else ""))
    return found


def test_the_committed_page_names_every_scenario_and_every_number() -> None:
    page = structure(PAGE.read_text(encoding="utf-8"))
    assert list(page) == [heading(entry) for entry in scenarios()], "run python -m locomotor.scenarios"
    for entry in scenarios():
        wanted = [(number.key, "differs, as explained" if number.differs_because else "agrees") for number in entry.numbers]
        assert page[heading(entry)] == wanted, f"{entry.name}: run python -m locomotor.scenarios"


def test_the_committed_page_explains_every_contradiction() -> None:
    text = PAGE.read_text(encoding="utf-8")
    contradicted = [number for entry in scenarios() for number in entry.numbers if number.differs_because]
    assert len(contradicted) >= 6
    for number in contradicted:
        assert number.differs_because in text and number.source in text


def same(cell: str, expected: float) -> bool:
    """Whether a cell of the page holds a number, to the digits that are printed."""
    try:
        return math.isclose(float(cell), expected, rel_tol=1e-13, abs_tol=0.0)
    except ValueError:
        return False


def test_the_committed_page_holds_the_expected_values() -> None:
    """A number changed in the registry needs a new page, even where it keeps its name."""
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in PAGE.read_text(encoding="utf-8").splitlines()]
    written: dict[str, list[str]] = {}
    for row in rows:
        if len(row) > 2:
            written.setdefault(row[0], []).append(row[1])
    missing = [
        number.key
        for entry in scenarios()
        for number in entry.numbers
        # Closed forms that need a quadrature differ in their last digit from one version of SciPy to the next.
        if not any(same(cell, number.expected) for cell in written.get(number.key, ()))
    ]
    assert missing == [], "run python -m locomotor.scenarios"


def test_the_committed_page_counts_printed_numbers_apart_from_computed_ones() -> None:
    totals = re.search(r"^\| all \|  \| (\d+) \| (\d+) \| (\d+) \| 0 \|$", PAGE.read_text(encoding="utf-8"), re.M)
    assert totals is not None, "run python -m locomotor.scenarios"
    numbers = [number for entry in scenarios() for number in entry.numbers]
    agreeing = [number.origin for number in numbers if not number.differs_because]
    wanted = (agreeing.count(Origin.PRINTED), agreeing.count(Origin.COMPUTED), len(numbers) - len(agreeing))
    assert tuple(map(int, totals.groups())) == wanted, "run python -m locomotor.scenarios"


# -- the writer -----------------------------------------------------------------------------------------------


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> list[Entry]:
    numbers = (
        Number("near", 1.0, 0.1, "a reason", "a source", unit="m"),
        Number("contradicted", 5.0, 0.1, "a reason", "Newton, table 1", "it is 3", "s"),
    )
    entries: list[Entry] = [
        Computation("small/one", "A title", "A citation", numbers=numbers, compute=lambda: {"near": 1.05, "contradicted": 3.0})
    ]
    monkeypatch.setattr("locomotor.scenarios.__main__.scenarios", lambda: tuple(entries))
    return entries


def test_page_of_a_small_registry(small: list[Entry], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "page.md"
    assert main([str(target)]) == 0
    text = target.read_text(encoding="utf-8")
    assert "| near | 1 | 1.05 | 5.0e-02 | 0.1 | m | agrees | ours | 1 | 1 |" in text
    assert "| contradicted | 5 | 3 | -2.0e+00 | 0.1 | s | differs, as explained | printed | 2 | 1 |" in text
    assert re.search(r"^\| `small/one` \| contradicted \| 5 \| 3 \| s \| Newton, table 1 \| it is 3 \|$", text, re.M)
    assert structure(text) == {"### small/one": [("near", "agrees"), ("contradicted", "differs, as explained")]}
    # Nothing printed that agrees, one number of ours, one contradiction, nothing wrong.
    assert "| all |  | 0 | 1 | 1 | 0 |" in text
    assert f"written: {target}" in capsys.readouterr().out


def test_a_number_that_does_not_hold_is_told_and_fails(
    small: list[Entry], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = Number("near", 2.0, 0.1, "a reason", "a source")
    small.append(Computation("small/two", "T", "C", numbers=(wrong,), compute=lambda: {"near": 1.05}))
    assert main([str(tmp_path / "page.md")]) == 1
    assert "small/two, near: does not agree (2.0, ours 1.05)" in capsys.readouterr().err
    page = validation_page([(small[1], (Comparison(wrong, 1.05),))])
    assert "| near | 2 | 1.05 | -9.5e-01 | 0.1 |  | does not agree | ours | 1 | 1 |" in page
