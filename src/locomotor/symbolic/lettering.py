"""Which letters a document uses for what: of the layout's symbols, and of the rows of constraints that are shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from locomotor.names import latex_of
from locomotor.symbolic.safe_latex import is_harmless
from locomotor.symbolic.sheet import Sheet
from locomotor.symbolic.typesetting import dotted, name_latex

WORD = re.compile(r"\\mathrm\{\w\w\w")
"""LaTeX that is a word of three letters or more: hard to read among letters, so that it becomes the index of one."""
LETTERS = {"m": r"\ell", "kg": "m"}
"""Letters of parameters that have words for names, by their unit; coordinates are q."""
SAID = re.compile(r"(?<=.)_(length|mass)$")
"""What the letter says already."""


def distinct(equations: Sheet) -> dict[Any, str]:
    """LaTeX of every symbol; where two would look the same, or like an energy, the later one says its name."""
    found: dict[Any, str] = {}
    symbols = equations.symbols
    rate_of = {rate: name for name, rate in equations.system.layout.velocity_of.items()}
    for port in equations.function.inputs:
        for field in port.fields:
            latex = field.latex if field.latex and is_harmless(field.latex) else latex_of(field.name)
            letter = "q" if port.name == "coordinates" else LETTERS.get(field.unit) if port.name == "parameters" else None
            if letter is not None and latex == latex_of(field.name) and WORD.match(latex):
                latex = rf"{letter}_{{\mathrm{{{SAID.sub('', field.name).replace('_', chr(92) + ',')}}}}}"
            if field.name in rate_of and not field.name.endswith("yaw_rate"):
                latex = dotted(found[symbols[rate_of[field.name]]])
            elif port.name == "accelerations":
                latex = dotted(found[symbols[field.name.removesuffix("_dot")]])
            elif latex in found.values() or latex in ("T", "U"):
                latex = rf"{latex}_{{\mathrm{{{field.name.replace('_', ' ')}}}}}"
            found[symbols[field.name]] = latex
    return found


def live_rows(equations: Sheet) -> list[int]:
    """Rows of the constraints that say something; those of planar systems along the normal do not."""
    if not equations.row_names:
        return []
    rows, columns = equations.parts["rows"].shape
    entries = equations.parts["rows"].entries
    return [i for i in range(rows) if any(entry != 0 for entry in entries[i * columns : (i + 1) * columns])]


def counted_rows(equations: Sheet, live: Sequence[int]) -> dict[Any, str]:
    """LaTeX of named entries of C, b and c, counted as the rows are shown: a row that is left out has no number."""
    found: dict[Any, str] = {}
    if len(live) == len(equations.row_names):
        return found
    for name, letter in (("rows", "C"), ("row_rate", "b"), ("row_bias", "c")):
        part = equations.parts[name]
        columns = part.shape[1] if len(part.shape) == 2 else 1
        for place, row in enumerate(live, 1):
            for column, symbol in enumerate(part.names[row * columns : (row + 1) * columns], 1):
                counted = f"_{place}_{column}" if len(part.shape) == 2 else f"_{place}" if len(live) > 1 else ""
                if symbol is not None:  # equal entries share the name of the first; a parameter may have the name too
                    primes = "_" * (len(symbol.name) - len(symbol.name.rstrip("_")))
                    found.setdefault(symbol, name_latex(letter + counted + primes))
    return found
