"""Text and LaTeX of expressions, one node at a time, with no more brackets than the reader needs.

The text follows Python's precedences, so that it parses back to the same tree.
"""

from __future__ import annotations

from typing import Final

from locomotor.model.expressions.functions import FUNCTIONS

# How tightly text binds: an operand that binds less than its place asks for is put in brackets.
LESS, SUM, PRODUCT, SIGN, POWER, ATOM = range(6)

Bound = tuple[str, int]
"""A text and how tightly it binds."""

# function -> (own binding, least binding of the left operand, of the right operand, text between them).
_INFIX: Final = {
    "add": (SUM, SUM, PRODUCT, " + "),
    "sub": (SUM, SUM, PRODUCT, " - "),
    "mul": (PRODUCT, PRODUCT, SIGN, "*"),
    "div": (PRODUCT, PRODUCT, SIGN, "/"),
    "pow": (POWER, ATOM, POWER, "**"),
    "less": (LESS, SUM, SUM, " < "),
}
_ROUND: Final = r"\left({}\right)"


def _bracket(part: Bound, least: int, form: str = "({})") -> str:
    return part[0] if part[1] >= least else form.format(part[0])


def number_text(value: float) -> Bound:
    """The shortest text that reads back to the same number; whole numbers without a point."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value), ATOM


def number_latex(value: float) -> Bound:
    """The number with its exponent as a power of ten."""
    mantissa, _, exponent = number_text(value)[0].partition("e")
    return (rf"{mantissa} \cdot 10^{{{int(exponent)}}}", PRODUCT) if exponent else (mantissa, ATOM)


def call_text(function: str, parts: tuple[Bound, ...]) -> Bound:
    """The text of a call, from those of its arguments."""
    if function == "neg":
        return "-" + _bracket(parts[0], SIGN), SIGN
    if function in _INFIX:
        own, left, right, between = _INFIX[function]
        # A sign in front of a right operand parses without brackets but reads badly.
        least = ATOM if parts[1][1] == SIGN else right
        return _bracket(parts[0], left) + between + _bracket(parts[1], least), own
    return f"{function}({', '.join(text for text, _ in parts)})", ATOM


def call_latex(function: str, parts: tuple[Bound, ...]) -> Bound:
    """The LaTeX of a call, from those of its arguments."""
    form = FUNCTIONS[function].latex
    if function == "neg":
        return form.format(_bracket(parts[0], SIGN, _ROUND)), SIGN
    if function == "pow":
        return form.format(_bracket(parts[0], ATOM, _ROUND), parts[1][0]), POWER
    if function in _INFIX and function != "div":  # the bar of a fraction does the work of brackets
        own, left, right, _ = _INFIX[function]
        least = POWER if function == "mul" else right
        return form.format(_bracket(parts[0], left, _ROUND), _bracket(parts[1], least, _ROUND)), own
    return form.format(*(text for text, _ in parts)), ATOM
