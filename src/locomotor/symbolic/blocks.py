"""What documents are made of, whatever they are written in."""

from __future__ import annotations

import re
from collections.abc import Callable

from locomotor.dataclass import dataclass


@dataclass(frozen=True)
class Heading:
    """A section."""

    text: str


@dataclass(frozen=True)
class Words:
    """A paragraph; formulas in it are between dollars."""

    text: str


@dataclass(frozen=True)
class Formula:
    """Lines of one displayed formula, one below the other."""

    lines: tuple[str, ...]
    fitted: bool = False
    """Whether it is made smaller where it would be wider than the page; of one line only."""


@dataclass(frozen=True)
class Table:
    """Rows of cells; formulas in cells are between dollars."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Figure:
    """A picture beside the document."""

    path: str
    caption: str


@dataclass(frozen=True)
class Symbols:
    """Tables of symbols, with the picture of what they belong to beside them where there is room."""

    tables: tuple[Table, ...]
    figure: Figure | None = None


Block = Heading | Words | Formula | Symbols


DOLLAR, TICK = "\ue000", "\ue001"
"""What stands for a dollar and a backtick in words of users, which are neither formulas nor code."""


def quoted(text: str) -> str:
    """Words of a user as words: on one line, and nothing in them begins a formula or code."""
    return " ".join(text.replace("$", DOLLAR).replace("`", TICK).split())


def inline(text: str, formula: Callable[[str], str], code: Callable[[str], str], words: Callable[[str], str]) -> str:
    """A text with its formulas (between dollars), code (between backticks) and words each written in a way of its own."""
    found: list[str] = []
    for piece in re.split(r"(\$[^$]*\$|`[^`]*`)", text):
        if piece.startswith("$"):
            found.append(formula(piece[1:-1]))
        elif piece.startswith("`"):
            found.append(code(piece[1:-1]))
        else:
            found.append(words(piece))
    return "".join(found)
