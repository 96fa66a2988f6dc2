"""Formulas beside each other as long as a line has room: how a page is filled, and a small system fits on one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from locomotor.dataclass import dataclass
from locomotor.symbolic.blocks import Formula
from locomotor.symbolic.typesetting import WIDTH, width

GAP = 3.6
"""Letters between formulas that stand beside each other."""
MATRIX_FRAME, COLUMN_GAP = 2.0, 1.8
"""Letters of the brackets of a matrix, and between its columns."""


FAR = 1.3
"""How many times wider than a line a part of a formula is that is made smaller."""
TALL = 3
"""Rows of a matrix from which on it begins a line, so that others of its height find room beside it."""


@dataclass(frozen=True)
class Item:
    """One formula as lines, the later ones indented, how wide it is, and how many rows of a matrix high."""

    lines: tuple[str, ...]
    width: float
    rows: int = 1
    instead: tuple[Item, ...] = ()
    """The same without a matrix, where no other formula of its height is beside it."""

    @classmethod
    def of(cls, lines: Sequence[str]) -> Item:
        """An equation of one or more lines."""
        return cls(tuple(lines), max(width(line) for line in lines))


def matrix_item(letter: str, rows: Sequence[Sequence[str]], instead: Sequence[Item] = ()) -> Item:
    """letter = [...], entries as they are given."""
    grid = r" \\ ".join(" & ".join(row) for row in rows)
    columns = [max(width(row[j]) for row in rows) for j in range(len(rows[0]))]
    size = width(letter) + 2.6 + MATRIX_FRAME + sum(columns) + COLUMN_GAP * (len(columns) - 1)
    return Item((rf"{letter} = \begin{{bmatrix}} {grid} \end{{bmatrix}}",), size, len(rows), tuple(instead))


def packed(items: Iterable[Item]) -> Iterator[Formula]:
    """Items in order, filled into lines; one that is wider than a line is a formula of its own, to be made smaller."""
    page = _Lines()
    for item in items:
        if item.instead and not (page.height >= item.rows and page.has_room(item)):
            for other in item.instead:
                yield from page.add(other)
        else:
            yield from page.add(item)
    yield from page.end()


class _Lines:
    """Lines of formulas as they are filled."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._row: list[str] = []
        self._used = 0.0
        self.height = 0
        """Rows of the highest matrix on the present line."""

    def has_room(self, item: Item) -> bool:
        return self._used + item.width <= WIDTH

    def add(self, item: Item) -> Iterator[Formula]:
        """The next item; what has to be closed before it."""
        if len(item.lines) > 1 or not self.has_room(item) or item.rows > max(TALL, self.height):
            self._end_row()
        if len(item.lines) > 1 and item.width > FAR * WIDTH:  # a term that cannot be broken
            yield from self.end()
            yield from (Formula((line,), fitted=True) for line in item.lines)
        elif len(item.lines) > 1:
            self._lines += item.lines
        elif item.width > WIDTH:
            yield from self.end()
            yield Formula(item.lines, fitted=True)
        else:
            self._row.append(item.lines[0])
            self._used += item.width + GAP
            self.height = max(self.height, item.rows)

    def end(self) -> Iterator[Formula]:
        """Write what is left of the last line."""
        self._end_row()
        if self._lines:
            yield Formula(tuple(self._lines))
        self._lines = []

    def _end_row(self) -> None:
        if self._row:
            self._lines.append(r" \qquad ".join(self._row))
        self._row, self._used, self.height = [], 0.0, 0
