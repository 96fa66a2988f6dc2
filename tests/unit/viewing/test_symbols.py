r"""Small LaTeX becomes HTML; anything else is shown, escaped, and never becomes markup."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import locomotor as lm
from locomotor.viewing.page.symbols import channel_symbol, symbol_html

CASES = [
    (r"\delta", "<i>δ</i>"),
    (r"\dot{\delta}", "<i>δ\u0307</i>"),
    (r"\dot{\theta_\mathrm{F}}", "<i>θ\u0307</i><sub>F</sub>"),
    (r"\Omega_x", "<i>Ω</i><sub><i>x</i></sub>"),
    (r"{V_x}^{\mathrm{base}}", "<i>V</i><sub><i>x</i></sub><sup>base</sup>"),
    (r"m_{12}", "<i>m</i><sub>12</sub>"),
    (r"\mathrm{rear\_wheel}", "rear_wheel"),
    ("", ""),
]


@pytest.mark.parametrize(("latex", "expected"), CASES)
def test_symbol(latex: str, expected: str) -> None:
    assert symbol_html(latex) == expected


def test_a_symbol_that_repeats_the_name_is_left_out() -> None:
    assert channel_symbol("roll_rate", r"\dot{\mathrm{roll}}") == ""
    assert channel_symbol("x", "x") == ""
    assert channel_symbol("steer", r"\delta") == "<i>δ</i>"


@given(st.text(alphabet=r"\{}_^<>&'abmx dot", max_size=40))
def test_no_text_makes_markup_of_its_own(text: str) -> None:
    tags = set(re.findall(r"<[^>]*>", symbol_html(text)))
    assert tags <= {"<i>", "</i>", "<sub>", "</sub>", "<sup>", "</sup>"}


def test_every_symbol_of_a_system_is_rendered_without_backslashes() -> None:
    for symbol in lm.catalogue.bicycle().layout.symbols:
        assert "\\" not in symbol_html(symbol.latex), symbol
