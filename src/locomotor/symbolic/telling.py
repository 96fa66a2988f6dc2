"""Parts of equations as formulas, each name defined before it is used, and only if it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from locomotor.symbolic.packing import Item, matrix_item
from locomotor.symbolic.parts import Part
from locomotor.symbolic.typesetting import WIDTH, Typesetter, width

NARROW = 26
"""Letters of the entries of a vector that is written as a column, and of those of a matrix that have a name but stand in it."""
FEW = 3
"""Entries of a matrix that are named one by one where all others are zero."""


class Teller:
    """Writes parts in the order in which they are asked for, and remembers which names were defined."""

    def __init__(self, typesetter: Typesetter, definitions: Sequence[tuple[Any, Any]]) -> None:
        self.type = typesetter
        self._definitions: Mapping[Any, Any] = dict(definitions)
        self._order = {symbol: place for place, symbol in enumerate(self._definitions)}
        self._told: set[Any] = set()

    def needed(self, expressions: Sequence[Any]) -> Iterator[Item]:
        """Definitions of names that some expressions speak of and that were not told yet, in order."""
        found: dict[Any, None] = {}
        for expression in expressions:
            self._collect(expression, found)
        for symbol in sorted(found, key=self._order.__getitem__):
            yield self.definition(symbol)

    def _collect(self, expression: Any, found: dict[Any, None]) -> None:
        new = expression.free_symbols & self._order.keys() - self._told - found.keys()
        for symbol in sorted(new, key=self._order.__getitem__):
            self._collect(self._definitions[symbol], found)
            found[symbol] = None

    def definition(self, symbol: Any) -> Item:
        """One definition."""
        self._told.add(symbol)
        return self.equation(self.type.symbol(symbol), self._definitions[symbol])

    def equation(self, left: str, right: Any) -> Item:
        """An equation of expressions."""
        return Item.of(self.type.equation(left, right))

    # -- matrices ---------------------------------------------------------------------------------------------------------

    def matrix(self, part: Part, letter: str, kept: Sequence[int] | None = None) -> Iterator[Item]:
        """A matrix (of some rows) and what it needs: definitions before it, its long entries after it."""
        if part.is_empty:
            return
        if part.is_zero:
            yield Item.of([f"{letter} = 0"])
            return
        rows, columns = part.shape
        shown = list(range(rows) if kept is None else kept)
        live = [(i, j) for i in shown for j in range(columns) if part.entries[i * columns + j] != 0]
        yield from self.needed([part.entries[i * columns + j] for i, j in live])
        self._told |= {name for name in part.names if name is not None}
        if rows == columns == len(shown) > 1 and all(i == j for i, j in live):
            yield self._diagonal(part, letter)
        elif len(live) <= FEW < len(shown):
            for i, j in live:
                yield self.equation(f"{letter}_{{{_index(shown.index(i), j)}}}", part.entries[i * columns + j])
            yield Item.of([rf"{letter}_{{ij}} = 0 \text{{ otherwise}}"])
        else:
            yield from self._full(part, letter, shown)

    def _full(self, part: Part, letter: str, shown: Sequence[int]) -> Iterator[Item]:
        columns = part.shape[1]
        for widest in (NARROW, NARROW // 2, 0):  # entries by name, where the matrix would be wider than the page
            below: dict[Any, Any] = {}
            grid = [[self._cell(part, i * columns + j, widest, below) for j in range(columns)] for i in shown]
            item = matrix_item(letter, grid)
            if item.width <= WIDTH:
                break
        yield item
        for symbol, entry in below.items():
            yield self.equation(self.type.symbol(symbol), entry)

    def _cell(self, part: Part, place: int, widest: float, below: dict[Any, Any]) -> str:
        """An entry as it stands in its matrix: by its name, which is then defined below, where it is wide and has one."""
        symbol, text = part.names[place], self.type.formula(part.entries[place])
        if symbol is None or width(text) <= widest:
            return text
        below[symbol] = part.entries[place]
        return self.type.symbol(symbol)

    def _diagonal(self, part: Part, letter: str) -> Item:
        entries = [self.type.formula(part.entries[k * (part.shape[0] + 1)]) for k in range(part.shape[0])]
        return Item.of([rf"{letter} = \operatorname{{diag}}({', '.join(entries)})"])

    # -- vectors ----------------------------------------------------------------------------------------------------------

    def vector(
        self,
        part: Part,
        letter: str,
        entry: str,
        *,
        names: Sequence[str] = (),
        kept: Sequence[int] | None = None,
        beside: bool = False,
    ) -> Iterator[Item]:
        """A vector: as a column where it stands beside a matrix and is narrow, otherwise entry by entry, zeros together."""
        shown = list(range(len(part.entries)) if kept is None else kept)
        if part.is_empty or not shown:
            return
        if part.is_zero:
            yield Item.of([f"{letter} = 0"])
            return
        yield from self.needed([part.entries[k] for k in shown])
        self._told |= {name for name in part.names if name is not None}
        single = list(self._entries(part, entry, names, shown))
        texts = [self.type.formula(part.entries[k]) for k in shown]
        if beside and not any(part.names[k] for k in shown) and max(width(text) for text in texts) <= NARROW:
            yield matrix_item(letter, [[text] for text in texts], single)
        else:
            yield from single

    def _entries(self, part: Part, entry: str, names: Sequence[str], shown: Sequence[int]) -> Iterator[Item]:
        """Entries of a vector one by one, counted as they are shown, zeros together."""
        zeros: list[str] = []
        for place, k in enumerate(shown, 1):
            symbol, value = part.names[k], part.entries[k]
            plain = entry if len(shown) == 1 else f"{entry}_{{{place}}}"
            left = names[k] if names else plain if symbol is None else self.type.symbol(symbol)
            if value == 0:
                zeros.append(left)
            else:
                yield self.equation(left, value)
        if zeros:
            yield Item.of([f"{' = '.join(zeros)} = 0"])


def _index(i: int, j: int) -> str:
    return f"{i + 1}{j + 1}" if max(i, j) < 9 else f"{i + 1},{j + 1}"
