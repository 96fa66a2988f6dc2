"""Documents of equations compile, show what they should, and refuse what they cannot be."""

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import locomotor as lm
from locomotor.errors import ArgumentError, RunFileError, UnknownNameError
from locomotor.symbolic.normal_form import ONE, Form, Workshop
from locomotor.symbolic.safe_latex import is_harmless, typable
from locomotor.symbolic.typesetting import dotted, name_latex, width

pdflatex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not on this machine (texlive-latex-base)")


@cache
def climber() -> lm.Equations:
    return lm.equations(lm.catalogue.rocr(), closed=("grip_1",), christoffel=True)


def compiled(equations: lm.Equations, folder: Path) -> tuple[int, list[float]]:
    """Pages of the compiled document, and by how many points lines are too wide."""
    equations.save(folder / "printed.tex")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "printed.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    pages = re.search(r"Output written on printed.pdf \((\d+) page", done.stdout)
    assert pages is not None
    return int(pages[1]), [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt", done.stdout)]


def disc() -> lm.System:
    return lm.System(
        "disc",
        [lm.Body("disc", mass="m", inertia=("I", "J", "I"))],
        [lm.Free(name="base", parent="world", child="disc")],
        contacts=[lm.RollingDisc("rim", body="disc", centre=(0, 0, 0), axis=(0, 1, 0), radius="r")],
        forces=[lm.Gravity((0, 0, "-g"))],
        parameters={"m": 2.0, "I": 0.1, "J": 0.2, "r": 0.3, "g": 9.81},
        nominal={"z": "r"},
        independent=("roll_rate", "pitch_rate", "yaw_rate"),
    )


ONE_PAGE: dict[str, Any] = {
    "rocr": lambda: lm.equations(lm.catalogue.rocr(), closed=("grip_1",), where={"Jt": 0}),
    "snakeboard": lambda: lm.equations(lm.catalogue.snakeboard(), where={"front_steer": "-steer"}),
    "compass_biped": lambda: lm.equations(lm.catalogue.compass_biped(), where={"J": 0}),
    "disc": lambda: lm.equations(disc()),
    "painleve_rod": lambda: lm.equations(lm.catalogue.painleve_rod(), certified=True),
}


@pdflatex
@pytest.mark.slow
@pytest.mark.parametrize("name", ONE_PAGE)
def test_small_systems_fit_on_a_page_each(name: str, tmp_path: Path) -> None:
    pages, wide = compiled(ONE_PAGE[name](), tmp_path)
    assert pages == 1
    assert all(points < 3.0 for points in wide), wide


@pdflatex
@pytest.mark.slow
def test_the_latex_document_compiles_and_no_line_is_too_wide(tmp_path: Path) -> None:
    pages, wide = compiled(climber(), tmp_path)  # with Christoffel's form
    assert pages == 2 and (tmp_path / "printed.pdf").stat().st_size > 50_000
    assert all(points < 10.0 for points in wide), wide


@pdflatex
@pytest.mark.slow
def test_the_closed_form_of_the_bicycle_compiles(tmp_path: Path) -> None:
    found = lm.equations(lm.catalogue.bicycle(), where={"slope": 0}, about={"rear_wheel_rate": "v/rR"})
    pages, wide = compiled(found, tmp_path)
    assert pages <= 8 and all(points < 10.0 for points in wide), wide


WORDY = (
    pytest.param("hopper", {"style": "shared"}, id="hopper"),
    pytest.param("rocr", {"closed": ("grip_1",), "style": "shared"}, id="rocr"),
    pytest.param("trikke", {}, id="trikke", marks=pytest.mark.slow),
    pytest.param("bicycle/meijaard2007", {}, id="bicycle", marks=pytest.mark.slow),
    pytest.param("bicycle/unilateral", {"closed": ("rear",)}, id="bicycle on one wheel", marks=pytest.mark.slow),
    pytest.param("falling_cat/2", {"christoffel": True}, id="cat", marks=pytest.mark.slow),
)


@pytest.mark.parametrize(("name", "options"), WORDY)
def test_every_name_is_defined_before_it_is_used(name: str, options: Any) -> None:
    """Numbered names by the text: where one stands first, it is defined. Entries of what is not printed are not spoken of."""
    page = lm.equations(lm.catalogue.system(name), **options).markdown()
    seen: set[str] = set()
    body = page.split("stand for what is used more than once")[-1]
    for match in re.finditer(r"x_\{(\d+)\}( =)?", body):
        assert match[1] in seen or match[2], f"x{match[1]} is used before it is defined"
        seen.add(match[1])
    assert seen
    for letter, part in ((r"\bar{M}", r"\bar{\mathbf{M}} ="), (r"\bar{F}", r"\bar{\mathbf{F}} =")):
        assert f"{letter}_{{" not in page or part in page or f"{letter}_{{1}} =" in page


def test_linearised_equations_are_in_the_document() -> None:
    """A cart with a pendulum, hanging and upright: the stiffness changes its sign, and says g."""
    equations = lm.equations(lm.catalogue.cart_pendulum(), about={})
    assert equations.linear is not None
    page = equations.markdown()
    assert "## Linearised" in page and r"\mathbf{K}^0 = " in page and "rest in the nominal pose" in page
    assert lm.equations(lm.catalogue.cart_pendulum()).linear is None


@pytest.mark.slow
def test_a_page_has_formulas_as_mathml_and_its_picture_inside(tmp_path: Path) -> None:
    page, picture = climber().save(tmp_path / "climber.html")
    text = page.read_text(encoding="utf-8")
    assert picture.name == "climber_system.png"
    assert text.count("<math") > 40 and "data:image/png;base64," in text
    assert "\\frac" not in text and "<script" not in text and 'src="http' not in text
    assert not re.search(r"<m[io]>&(amp;)?</m[io]>|&amp;", text)  # alignment that was not understood


def test_a_page_without_picture_writes_one_file(tmp_path: Path) -> None:
    assert climber().save(tmp_path / "c.md", picture=False) == (tmp_path / "c.md",)
    assert [file.name for file in tmp_path.iterdir()] == ["c.md"]


def test_parameters_that_are_no_word_for_all_and_no_name_are_told() -> None:
    with pytest.raises(UnknownNameError, match=r"no parameter is named 'numerik': did you mean 'numeric'\?"):
        lm.equations(lm.catalogue.cart_pendulum(), parameters="numerik")


def test_other_kinds_of_documents_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"\.tex, \.md, \.html"):
        climber().save(tmp_path / "c.docx")


def test_names_of_definitions_in_latex() -> None:
    assert name_latex("M_1_2") == "M_{12}"
    assert name_latex("M_1_12") == "M_{1,12}"
    assert name_latex("x12") == "x_{12}"
    assert name_latex("Mr_1_1") == r"\bar{M}_{11}"
    assert dotted(r"\dot{\delta}") == r"\ddot{\delta}"
    assert dotted(r"\psi_{\mathrm{rotor}}") == r"\dot{\psi}_{\mathrm{rotor}}"


def test_how_wide_formulas_are() -> None:
    """A fraction is as wide as its longer half, whatever is nested in it; indices are small, signs have space about them."""
    assert width(r"\frac{a b}{c}") == width(r"\frac{c}{a b}") == pytest.approx(width("a b") + 0.4)
    assert width(r"\frac{a_{12}}{\sqrt{b}}") < width(r"a_{12} \sqrt{b}")
    assert width("a_{1}") < width("a 1") < width("a + 1")


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


def hostile() -> lm.System:
    """Texts that try to be commands of LaTeX, formulas, HTML or code, and letters that pdflatex does not know."""
    evil = "mass $\\input{/etc/hostname}$ 100% & more_ `x` <script>alert(1)</script> \\end{document}\n{ ü Ω €"
    return lm.System(
        "swing",
        [lm.Body("bob", mass="double", com=(0, 0, "-λ"), inertia=(0, 0, 0))],
        [
            lm.Revolute(
                name="hinge", parent="world", child="bob", axis=(0, 1, 0), description=evil, latex=r"\input{/etc/hostname}"
            )
        ],
        forces=[lm.Gravity((0, 0, "-g"))],
        parameters=lm.ParameterSet(
            [
                lm.Parameter("double", 2.0, "kg", r"m^^5cinput{x}", evil),
                lm.Parameter("λ", 0.5, "m", "", "длина"),
                lm.Parameter("g", 9.81, "m/s^2", "", "γ"),
            ]
        ),
        description=evil,
    )


def test_text_of_a_system_is_text_in_its_documents() -> None:
    equations = lm.equations(hostile())
    tex, page, web = equations.latex(), equations.markdown(), equations.html()
    assert r"\input" not in tex and "^^" not in tex and tex.count(r"\end{document}") == 1
    assert r"\textbackslash{}input\{/etc/hostname\}" in tex and r"\ensuremath{\lambda}" in tex
    assert "<script" not in web and "<script" not in page and r"\$\input" in page
    assert page.count(r"$\input") == page.count(r"\$\input")


@pdflatex
@pytest.mark.slow
def test_a_document_with_any_text_compiles(tmp_path: Path) -> None:
    assert compiled(lm.equations(hostile()), tmp_path)[0] == 1


@pytest.mark.parametrize(
    ("latex", "fine"),
    [
        (r"\dot{\psi}_{\mathrm{rotor}}", True),
        (r"\tau_\mathrm{s}", True),
        (r"MS_0", True),
        (r"\write18{ls}", False),
        (r"a$b", False),
        (r"a}{b", False),
        (r"\def\a{b}", False),
        (r"a % b", False),
    ],
)
def test_what_may_be_a_symbol(latex: str, fine: bool) -> None:
    assert is_harmless(latex) is fine


def test_letters_that_pdflatex_does_not_know_are_spelled() -> None:
    assert typable("aλü") == r"a\ensuremath{\lambda}ü" and typable("Αο") == "Ao" and typable("д∂") == "de?"


def test_a_picture_that_cannot_be_read_is_told() -> None:
    equations = lm.equations(lm.catalogue.cart_pendulum())
    for name, why in (("nowhere.png", "No such file"), ("\ud800.png", "no file can have that name")):
        with pytest.raises(RunFileError, match=f"cannot read the picture .*{why}.*; give the path of a PNG"):
            equations.html(figure=name)
