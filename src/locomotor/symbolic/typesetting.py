"""Expressions as LaTeX: symbols as the layout writes them, sines and cosines short, long sums broken into lines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from locomotor.symbolic.library import sympy_library

WIDTH = 88
"""Letters on a line of formulas, about."""
INDEXED = re.compile(r"([A-Za-z]+)((?:_\d+)*)(_*)")
PART_LETTERS = {
    "Hdot": r"\dot{H}",
    "Mr": r"\bar{M}",
    "Fr": r"\bar{F}",
    "tau": r"\tau",
    "Cor": r"\Gamma",
    "s": r"\sigma",
    "Mo": "M^0",
    "Do": "D^0",
    "Ko": "K^0",
}


class Typesetter:
    """Writes expressions with given LaTeX for symbols; those of definitions are made from their names."""

    def __init__(self, latex: Mapping[Any, str]) -> None:
        self._latex = {symbol: re.sub(r"_\\mathrm\{([^{}]*)\}", r"_{\\mathrm{\1}}", text) for symbol, text in latex.items()}
        self._printer = _printer_class()({"symbol_names": self._latex, "mul_symbol": r" \, "})

    def symbol(self, symbol: Any) -> str:
        """LaTeX of a symbol."""
        if symbol not in self._latex:
            self._latex[symbol] = self._printer._settings["symbol_names"][symbol] = name_latex(str(symbol))
        return self._latex[symbol]

    def formula(self, expression: Any) -> str:
        """LaTeX of an expression."""
        for symbol in expression.free_symbols:
            self.symbol(symbol)
        return str(self._printer.doprint(expression))

    def equation(self, left: str, expression: Any) -> list[str]:
        """`left = right` as lines, a sum broken where it gets too long."""
        terms = self._terms(expression)
        lines: list[str] = []
        line = f"{left} = "
        length = width(left) + 2.6
        for k, term in enumerate(terms):
            size = width(term)
            if k and length + size > WIDTH:
                lines.append(line)
                line, length = r"\qquad ", 3.6
            line += (" " if k else "") + term
            length += size
        return [*lines, line]

    def _terms(self, expression: Any) -> list[str]:
        """The terms of a sum with their signs; a long product of a bracket is taken apart inside the bracket."""
        whole = self.formula(expression)
        if width(whole) <= WIDTH - 10:
            return [whole]
        if expression.is_Add:
            ordered = expression.as_ordered_terms()
            return [piece for k, term in enumerate(ordered) for piece in _signed(self._terms(term), k > 0)]
        sums = [factor for factor in expression.args if factor.is_Add] if expression.is_Mul else []
        if not sums:
            return [whole]
        longest = max(sums, key=lambda factor: width(self.formula(factor)))
        rest = expression.func(*(factor for factor in expression.args if factor is not longest))
        inner = self._terms(longest)
        front = "-" if rest == -1 else self.formula(rest)
        return [rf"{front} \bigl({inner[0]}", *inner[1:-1], rf"{inner[-1]}\bigr)"] if len(inner) > 1 else [whole]


def _signed(pieces: list[str], follows: bool) -> list[str]:
    first = pieces[0].lstrip()
    return [first if not follows or first.startswith("-") else f"+ {first}", *pieces[1:]]


BROAD = {"+": 2.2, "-": 2.2, "=": 2.6, "(": 0.75, ")": 0.75, "[": 0.6, "]": 0.6, ",": 0.9, "<": 2.6}
"""Widths of signs, in letters, with the space about them."""
COMMANDS = {"left": 0.0, "right": 0.0, "bigl": 0.0, "bigr": 0.0, ",": 0.33, "qquad": 3.6, "quad": 1.8, "cdot": 1.0, "sqrt": 1.6}
WRAPPERS = ("mathrm", "mathbf", "boldsymbol", "mathsf", "dot", "ddot", "bar", "operatorname", "text")
"""Commands that are as wide as what they are given."""
TOKEN = re.compile(r"\\([A-Za-z]+|.)|(.)", re.DOTALL)
INDEX = 0.72
"""Size of subscripts and exponents."""


def width(latex: str) -> float:
    """How wide LaTeX is in print, in letters, about: of a fraction the longer half, of indices less."""
    return _Measure(latex).sequence()


class _Measure:
    """Reads LaTeX once, token by token."""

    def __init__(self, latex: str) -> None:
        self._tokens = [(match[1], match[2]) for match in TOKEN.finditer(latex) if match[0].strip()]
        self._place = 0

    def sequence(self) -> float:
        """Up to the end, or to the brace that closes."""
        total = 0.0
        while self._place < len(self._tokens) and self._tokens[self._place][1] != "}":
            total += self._next()
        self._place += 1
        return total

    def _next(self) -> float:
        command, letter = self._tokens[self._place]
        self._place += 1
        if letter == "{":
            return self.sequence()
        if letter in ("_", "^"):
            return INDEX * self._argument()
        if letter is not None:
            return 0.0 if letter == "&" else BROAD.get(letter, 0.95)
        if command in ("frac", "tfrac"):
            return max(self._argument(), self._argument()) + 0.4
        if command in WRAPPERS:
            return self._argument()
        return COMMANDS.get(command, 1.1)

    def _argument(self) -> float:
        return self._next() if self._place < len(self._tokens) else 0.0


def dotted(latex: str) -> str:
    """The rate of a symbol: one dot more, over its letter."""
    letter, index = _letter(latex)
    inner = re.fullmatch(r"\\dot\{(.*)\}", letter)
    found = rf"\ddot{{{inner[1]}}}" if inner and inner[1].count("{") == inner[1].count("}") else rf"\dot{{{letter}}}"
    return found + index


def _letter(latex: str) -> tuple[str, str]:
    """What stands before the subscript of a symbol, and the subscript."""
    depth = 0
    for place, sign in enumerate(latex):
        depth += (sign == "{") - (sign == "}")
        if sign == "_" and not depth and place and latex[place - 1] != "\\":
            return latex[:place], latex[place:]
    return latex, ""


def name_latex(name: str) -> str:
    """LaTeX of a definition: `M_1_2` is M with two indices, `x12` is x with one."""
    numbered = re.fullmatch(r"([a-z])(\d+)_*", name)
    if numbered:
        return f"{numbered[1]}_{{{numbered[2]}}}"
    match = INDEXED.fullmatch(name)
    if match is None:
        return rf"\mathrm{{{name.replace('_', chr(92) + '_')}}}"
    indices = [index for index in match[2].split("_") if index]
    letter = PART_LETTERS.get(match[1], match[1])
    joined = ("" if all(len(index) == 1 for index in indices) else ",").join(indices)
    return (f"{letter}_{{{joined}}}" if indices else letter) + "'" * len(match[3])


def _printer_class() -> Any:
    """A LaTeX printer of SymPy that writes s_x and c_x for sines and cosines."""
    from sympy.printing.latex import LatexPrinter

    sympy_library()

    class Printer(LatexPrinter):
        def _short(self, letter: str, expression: Any, power: Any) -> str:
            argument = self._print(expression.args[0])
            text = rf"\mathrm{{{letter}}}_{{{argument}}}"
            return text if power is None else f"{text}^{{{power}}}"

        def _print_sin(self, expression: Any, exp: Any = None) -> str:
            return self._short("s", expression, exp)

        def _print_cos(self, expression: Any, exp: Any = None) -> str:
            return self._short("c", expression, exp)

        def _print_Float(self, expression: Any) -> str:
            text = f"{float(expression):.10g}"
            if "e" not in text:
                return text
            mantissa, _, power = text.partition("e")
            return rf"{mantissa} \cdot 10^{{{int(power)}}}"

    return Printer
