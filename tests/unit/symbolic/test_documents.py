"""Documents of equations compile, show what they should, and refuse what they cannot be."""

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

import locomotor as lm
from locomotor.errors import ArgumentError
from locomotor.symbolic.normal_form import ONE, Form, Workshop
from locomotor.symbolic.typesetting import dotted, name_latex, width

pdflatex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not on this machine (texlive-latex-base)")


@cache
def climber() -> lm.Equations:
    return lm.equations(lm.catalogue.rocr(), closed=("grip_1",), christoffel=True)


@pdflatex
@pytest.mark.slow
def test_the_latex_document_compiles_and_no_line_is_too_wide(tmp_path: Path) -> None:
    climber().save(tmp_path / "climber.tex")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "climber.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "climber.pdf").stat().st_size > 50_000
    wide = [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt", done.stdout)]
    assert all(points < 10.0 for points in wide), wide


@pdflatex
@pytest.mark.slow
def test_the_closed_form_of_the_bicycle_compiles(tmp_path: Path) -> None:
    lm.equations(lm.catalogue.bicycle(), where={"slope": 0}).save(tmp_path / "bicycle.tex", picture=False)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "bicycle.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    pages = re.search(r"Output written on bicycle.pdf \((\d+) pages", done.stdout)
    assert pages and int(pages[1]) <= 10


def test_a_page_has_formulas_as_mathml_and_its_picture_inside(tmp_path: Path) -> None:
    page, picture = climber().save(tmp_path / "climber.html")
    text = page.read_text(encoding="utf-8")
    assert picture.name == "climber_system.png"
    assert text.count("<math") > 40 and "data:image/png;base64," in text
    assert "\\frac" not in text and "<script" not in text and 'src="http' not in text


def test_a_page_without_picture_writes_one_file(tmp_path: Path) -> None:
    assert climber().save(tmp_path / "c.md", picture=False) == (tmp_path / "c.md",)
    assert [file.name for file in tmp_path.iterdir()] == ["c.md"]


def test_other_kinds_of_documents_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"\.tex, \.md, \.html"):
        climber().save(tmp_path / "c.docx")


def test_names_of_definitions_in_latex() -> None:
    assert name_latex("M_1_2") == "M_{12}"
    assert name_latex("M_1_12") == "M_{1,12}"
    assert name_latex("x12") == "x_{12}"
    assert name_latex("Mr_1_1") == r"\bar{M}_{11}"
    assert dotted(r"\dot{\delta}") == r"\ddot{\delta}"
    assert width(r"\frac{a b}{c} + \alpha_{12}") == 6


def test_division_by_a_cosine_is_seen_through_sums_of_angles() -> None:
    shop = Workshop()
    a, b = shop.generator(0), shop.generator(1)
    cos_a, sin_b = shop.turned(a, False), shop.turned(b, True)
    assert cos_a is not None and sin_b is not None
    back = shop.divide(shop.multiply(cos_a, sin_b), cos_a)
    assert back.top == sin_b.top and not back.below
    left = shop.divide(sin_b, cos_a)
    assert left.below  # sin b / cos a stays a fraction


def test_sine_and_cosine_squared_are_one() -> None:
    shop = Workshop()
    angle = shop.add(shop.generator(0), shop.generator(1))
    squares = [shop.multiply(turn, turn) for turn in (shop.turned(angle, True), shop.turned(angle, False))]
    assert shop.add(*squares).top == Form({ONE: 1}).top
