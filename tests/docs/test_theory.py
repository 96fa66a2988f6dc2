"""The labels of docs/theory.md: each stands for one equation, in a file that exists; the code quotes no others."""

import re
from pathlib import Path

import pytest
from latex2mathml.converter import convert

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "locomotor"
PAGE = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")

DEFINED = re.findall(r'^<a id="(\w+)"></a>\*\*\((\w+)\)\*\* \$\$', PAGE, flags=re.MULTILINE)
LABELS = [label for _, label in DEFINED]
ROWS = re.findall(r"^\| ((?:\(\w+\) ?)+) \| (.+) \|$", PAGE, flags=re.MULTILINE)


def test_each_label_is_defined_once_and_can_be_linked_to() -> None:
    assert len(LABELS) == len(set(LABELS)) > 20
    assert all(anchor == label.lower() for anchor, label in DEFINED)


def test_labels_in_the_text_are_defined() -> None:
    assert set(re.findall(r"\(([A-Z]\d+)\)", PAGE)) <= set(LABELS)


def test_the_table_places_every_label_in_files_that_exist() -> None:
    placed = [label for labels, _ in ROWS for label in re.findall(r"\w+", labels)]
    assert set(placed) == set(LABELS)
    for _, files in ROWS:
        for file in re.findall(r"`([^`]+)`", files):
            assert (PACKAGE / file).is_file(), file


def test_the_code_quotes_defined_labels_only() -> None:
    quoted: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for labels in re.findall(r"theory(?:\.md)?,? ((?:\([A-Z]\d+\)(?:, | and |-)?)+)", text):
            quoted |= set(re.findall(r"[A-Z]\d+", labels))
    assert quoted and quoted <= set(LABELS)


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.stem)
def test_every_formula_can_be_shown(page: Path) -> None:
    """As the site shows it: a formula that its writer does not understand would stop the whole site."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for pair in re.findall(r"\$\$(.+?)\$\$|(?<!\$)\$([^$\n]+?)\$", text, flags=re.DOTALL):
        assert convert("".join(pair)).startswith("<math")
