"""Figures that README.md quotes are those of docs/benchmarks.md, and what measures them runs."""

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))

import many
import quote
import run


def test_readme_quotes_the_page_of_benchmarks() -> None:
    wanted = quote.table(quote.PAGE.read_text(encoding="utf-8"))
    assert quote.block(quote.README.read_text(encoding="utf-8")) == wanted, "run python benchmarks/quote.py"


def test_a_figure_that_changes_on_the_page_changes_in_the_table() -> None:
    page = quote.PAGE.read_text(encoding="utf-8")
    value = quote.lines(page)["eigenvalues of 1,000,000 bicycles"][1]
    assert "9.87 s" in quote.table(page.replace(f"| {value} |", "| 9.87 s |"))
    with pytest.raises(LookupError, match="does not fit"):
        quote.table(page.replace("million steps a second against", "steps, not"))


def test_pages_state_no_rate_that_no_benchmark_prints() -> None:
    """Seconds for a million, and rates, stand on the page of benchmarks only."""
    for name in ("batches", "learning", "sweeps"):
        text = (quote.ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        assert not re.search(r"million\s+(environment |integration |Runge-Kutta )?steps", text), name
        assert not re.search(r"\d s on (one core|\d+ cores|an H200)|seconds on \w+ processors", text), name


def test_many_at_once_is_measured_by_a_topic_of_its_own() -> None:
    assert run.TOPICS["many"] is many.topic
    found = many.topic(side=2, instances=16, rounds=1)
    names = [figure.what for figure in found.figures]
    assert len(names) == 4 and all(figure.measured != "not measured" for figure in found.figures)
    assert names[0] == "sweep of 8 points: stability" and "8 treated" in found.figures[0].note
    assert any("environment steps a second" in name for name in names) and any("all cores" in name for name in names)
