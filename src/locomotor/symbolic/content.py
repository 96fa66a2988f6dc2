"""What a document of equations says, block by block, whatever it is written in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from locomotor.symbolic.counting import operations
from locomotor.symbolic.parts import Part
from locomotor.symbolic.sheet import Sheet
from locomotor.symbolic.typesetting import Typesetter, dotted, name_latex, width

NARROW, BESIDE = 24, 4
"""Printed characters of definitions that stand beside each other, and how many do."""
READ_AT_ONCE = 34
"""Operations of an energy that is printed as it is."""


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
    """Lines of one displayed formula, aligned at `&`; `columns` equations stand beside each other."""

    lines: tuple[str, ...]
    columns: int = 1


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


Block = Heading | Words | Formula | Table | Figure


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


def content(equations: Sheet, figure: str | None = None) -> Iterator[Block]:
    """The blocks of the document of some equations."""
    page = _Page(equations)
    yield Words(page.opening())
    if figure is not None:
        yield Figure(figure, f"The system {equations.system.name} in its nominal pose.")
    yield from page.nomenclature()
    yield from page.free_dynamics()
    yield from page.constraints()
    yield from page.reduced_dynamics()
    yield from page.reconstruction()
    yield from page.impacts()
    yield from page.counts()


class _Page:
    def __init__(self, equations: Sheet) -> None:
        self.equations = equations
        ports = equations.function.inputs
        self.fields = {port.name: port.fields for port in ports}
        self.type = Typesetter(_distinct(equations))

    # -- words ------------------------------------------------------------------------------------------------------------

    def opening(self) -> str:
        """What the system is."""
        system = self.equations.system
        told = f"{system.description[:1].upper()}{system.description[1:]}. " if system.description else ""
        bodies = f"{len(system.bodies)} bodies" if len(system.bodies) > 1 else "one body"
        rows = len(self.equations.row_names)
        bound = f", {rows} constraint rows" if rows > 1 else ", one constraint row" if rows else ", no constraints"
        return f"{told}It has {bodies}, {system.layout.nv} velocities{bound} and {len(self.equations.reduced_names)} freedoms."

    def nomenclature(self) -> Iterator[Block]:
        """Tables of symbols."""
        yield Heading("Symbols")
        used = self._used()
        rows = [
            self._row(field, "")
            for port in ("coordinates", "velocities", "inputs")
            for field in self.fields[port]
            if port == "velocities" or self.equations.symbols[field.name] in used
        ]
        yield Table(("symbol", "name", "meaning", "unit"), tuple(row[:4] for row in rows))
        values = self.equations.system.parameters
        kept = [field for field in self.fields["parameters"] if self.equations.symbols[field.name] in used]
        if kept:
            described = [self._row(field, f"{values[field.name].value:.6g}") for field in kept]
            yield Table(("parameter", "name", "meaning", "unit", "value"), tuple(described))
        words = r"$\mathrm{s}_x$ and $\mathrm{c}_x$ are the sine and cosine of $x$"
        if any(part.before for part in self.equations.parts.values()):
            words += "; $x_1, x_2, \\ldots$ stand for what is used more than once, and are defined where they first appear"
        yield Words(words[0].upper() + words[1:] + ".")
        for name, value in self.equations.where.items():
            symbol = self.equations.symbols[name]
            yield Words(f"${self.type.symbol(symbol)} = {self.type.formula(value)}$ is put in everywhere.")

    def _row(self, field: Any, value: str) -> tuple[str, ...]:
        symbol = self.type.symbol(self.equations.symbols[field.name])
        return f"${symbol}$", f"`{field.name}`", field.description, _unit(field.unit), value

    def _used(self) -> set[Any]:
        found: set[Any] = set()
        for part in self.equations.parts.values():
            for expression in (*part.entries, *(right for _, right in part.before)):
                found |= expression.free_symbols
        return found

    # -- sections ---------------------------------------------------------------------------------------------------------

    def free_dynamics(self) -> Iterator[Block]:
        """M, h, G, tau and the energies."""
        yield Heading("Free dynamics")
        constrained = bool(self.equations.row_names)
        load = r" + C^{\mathsf T} \lambda" if constrained else ""
        yield Words(f"Order of the velocities: $v = ({', '.join(self._velocities())})$.")
        yield Formula((rf"M \dot v + h + G = \tau{load}",))
        yield from self._matrix("mass", "M", "the mass matrix")
        yield from self._vector("bias", "h", "Forces of inertia quadratic in the velocities")
        if "coriolis" in self.equations.parts:
            yield Words(r"In Christoffel's form $h = \Gamma(q, v)\, v$, with $\dot M - 2 \Gamma$ skew-symmetric:")
            yield from self._matrix("coriolis", r"\Gamma", "")
        yield from self._vector("gravity", "G", "What holds the weight")
        yield from self._vector("applied", r"\tau", "Applied forces")
        yield from self._energies()

    def _energies(self) -> Iterator[Block]:
        """T and U; a long T is said by M."""
        kinetic, potential = (self.equations.parts[f"{kind}_energy"] for kind in ("kinetic", "potential"))
        yield Words("Kinetic and potential energy:")
        yield from self._definitions(potential.before)
        lines = [r"T &= \tfrac{1}{2} v^{\mathsf T} M v"]
        if kinetic.written_out and operations(kinetic.entries) <= READ_AT_ONCE:
            lines = self.type.equation("T", kinetic.entries[0])
        yield Formula((*lines, *self.type.equation("U", potential.entries[0])))

    def constraints(self) -> Iterator[Block]:
        """C, H and how they change."""
        if not self.equations.row_names:
            return
        yield Heading("Constraints")
        names = ", ".join(f"`{name}`" for name in self.equations.row_names)
        yield Words(f"$C v = 0$, row by row: {names}.")
        yield from self._vector("up", r"\sigma", "The normal of the ground in the axes of the root body", always=False)
        yield from self._matrix("rows", "C", "")
        yield Words(r"Accelerations obey $C \dot v + c = 0$, with $c = \dot C v$:")
        yield from self._vector("row_bias", "c", "")
        chosen = ", ".join(self.type.symbol(self.equations.symbols[name]) for name in self.equations.reduced_names)
        moved = " + w" if not self.equations.parts["driven"].is_empty else ""
        yield Words(f"All velocities follow from $v_r = ({chosen})$: $v = H v_r{moved}$ with $C H = 0$.")
        yield from self._matrix("kernel", "H", "")
        yield from self._vector("driven", "w", "Velocities that are imposed")
        yield from self._matrix("kernel_rate", r"\dot{H}", "")
        yield Words(
            r"Forces of the constraints follow from the load that they carry, $f = M \dot v + h + G - \tau$, by "
            r"$C^{\mathsf T} \lambda = f$."
        )
        yield from self._vector("multipliers", r"\lambda", "")

    def reduced_dynamics(self) -> Iterator[Block]:
        """The equations without multipliers."""
        if not self.equations.row_names or not self.equations.reduced_names:
            return
        yield Heading("Reduced dynamics")
        yield Formula(
            (
                r"\bar{M} \dot v_r &= \bar{F}",
                r"\bar{M} &= H^{\mathsf T} M H, \qquad \bar{F} = H^{\mathsf T} (\tau - h - G - M k)",
                r"\dot v &= H \dot v_r + k",
            )
        )
        yield from self._vector("known_acceleration", "k", "Accelerations that follow from the velocities alone")
        # What would be long is said by the formula above.
        if self.equations.parts["reduced_mass"].written_out:
            yield from self._matrix("reduced_mass", r"\bar{M}", "")
        if self.equations.parts["reduced_force"].written_out:
            yield from self._vector("reduced_force", r"\bar{F}", "")
        if self.equations.parts["acceleration"].written_out:
            yield Words("Solved:")
            yield from self._vector("acceleration", r"\dot v_r", "", each=True)

    def reconstruction(self) -> Iterator[Block]:
        """Rates of the coordinates."""
        part = self.equations.parts["reconstruction"]
        plain = set(self.equations.system.layout.velocity_of)
        pairs = [
            (field, entry)
            for field, entry in zip(self.fields["coordinates"], part.entries, strict=True)
            if field.name not in plain
        ]
        if not pairs:
            return
        yield Heading("Reconstruction")
        yield from self._definitions(part.before)
        lines: list[str] = []
        for field, entry in pairs:
            left = dotted(self.type.symbol(self.equations.symbols[field.name]))
            lines += self.type.equation(left, entry)
        yield Formula(tuple(lines))

    def impacts(self) -> Iterator[Block]:
        """What happens when an open contact closes."""
        if "gaps" not in self.equations.parts:
            return
        ports = {port.name: port for port in self.equations.function.outputs}
        yield Heading("Contacts that may close")
        names = [f"`{field.name}`" for field in ports["gaps"].fields]
        rows = dict.fromkeys(f"`{field.name.partition('_per_')[0]}`" for field in ports["contact_rows"].fields)
        yield Words(f"Gaps $g$ of {', '.join(names)}:")
        yield from self._vector("gaps", "g", "")
        yield Words(
            f"Velocities of the points of contact along the axes of the world, $u = W v$, row by row {', '.join(rows)}:"
        )
        yield from self._matrix("contact_rows", "W", "")
        yield Words(
            r"An impact keeps the configuration. With impulses $\Lambda$ of the contacts that close, $\ell$ of the constraints "
            r"that hold, and what their laws ask of the velocities afterwards, $u^+ = -E u^-$, along the rows that act:"
        )
        load = r" + C^{\mathsf T} \ell" if self.equations.row_names else ""
        held = r", \qquad C v^+ = 0" if self.equations.row_names else ""
        yield Formula(
            (
                rf"M (v^+ - v^-) &= W^{{\mathsf T}} \Lambda{load}{held}",
                r"\Lambda &= - D^{-1} (1 + E) W v^-, \qquad D = W H \bar{M}^{-1} H^{\mathsf T} W^{\mathsf T}",
            )
            if self.equations.row_names
            else (
                r"M (v^+ - v^-) &= W^{\mathsf T} \Lambda",
                r"\Lambda &= - D^{-1} (1 + E) W v^-, \qquad D = W M^{-1} W^{\mathsf T}",
            )
        )
        if self.equations.parts["delassus"].written_out:
            yield from self._matrix("delassus", "D", "")

    def counts(self) -> Iterator[Block]:
        """How long it is."""
        yield Heading("Operation counts")
        yield Words(
            f"As printed {self.equations.operations} operations, on the tape from which machine code is made "
            f"{self.equations.function.operations}."
        )
        if self.equations.certificate is not None:
            yield Heading("Certificate")
            yield Words(f"{str(self.equations.certificate).replace('_', ' ')}.")

    # -- pieces -----------------------------------------------------------------------------------------------------------

    def _velocities(self) -> list[str]:
        return [self.type.symbol(self.equations.symbols[field.name]) for field in self.fields["velocities"]]

    def _definitions(self, pairs: Sequence[tuple[Any, Any]]) -> Iterator[Block]:
        """Definitions in order; runs of short ones in columns, read from left to right."""
        short: list[str] = []
        long: list[str] = []
        for left, right in pairs:
            lines = self.type.equation(self.type.symbol(left), right)
            if len(lines) == 1 and width(lines[0]) <= NARROW:
                if long:
                    yield Formula(tuple(long))
                    long = []
                short += lines
            else:
                yield from _columns(short)
                short = []
                long += lines
        yield from _columns(short)
        if long:
            yield Formula(tuple(long))

    def _matrix(self, name: str, letter: str, words: str) -> Iterator[Block]:
        part = self.equations.parts[name]
        if part.is_empty:
            return
        if part.is_zero:
            yield Words(f"${letter} = 0$.")
            return
        named, below = self._shortened(part)
        rows, columns = part.shape
        grid = [" & ".join(named[i * columns : (i + 1) * columns]) for i in range(rows)]
        if words:
            yield Words(f"${letter}$, {words}:")
        yield from self._definitions(part.before)
        yield Formula((rf"{letter} = \begin{{bmatrix}} " + r" \\ ".join(grid) + r" \end{bmatrix}",))
        yield from self._definitions(below)

    def _shortened(self, part: Part) -> tuple[list[str], list[tuple[Any, Any]]]:
        """Entries as they stand in the matrix, and definitions of those that are too long for it."""
        entries: list[str] = []
        below: dict[Any, Any] = {}
        for entry, symbol in zip(part.entries, part.names, strict=True):
            if symbol is None:
                entries.append(self.type.formula(entry))
                continue
            entries.append(self.type.symbol(symbol))
            below[symbol] = entry
        return entries, list(below.items())

    def _vector(self, name: str, letter: str, words: str, each: bool = False, always: bool = True) -> Iterator[Block]:
        part = self.equations.parts[name]
        if part.is_empty or (not always and all(entry.is_number for entry in part.entries)):
            return
        if part.is_zero:
            yield Words(f"${letter} = 0$.")
            return
        if words:
            yield Words(f"{words}:")
        yield from self._definitions(part.before)
        lines: list[str] = []
        zeros: list[str] = []
        names = self.equations.reduced_names if each else ()
        for k, (entry, symbol) in enumerate(zip(part.entries, part.names, strict=True), 1):
            left = self.type.symbol(symbol) if symbol is not None else f"{letter}_{{{k}}}"
            if each:
                left = dotted(self.type.symbol(self.equations.symbols[names[k - 1]]))
            if entry == 0:
                zeros.append(left)
            else:
                lines += self.type.equation(left, entry)
        if zeros:
            lines.append(f"{' = '.join(zeros)} &= 0")
        yield Formula(tuple(lines))


def _columns(lines: Sequence[str]) -> Iterator[Formula]:
    if lines:
        rows = [" & ".join(lines[k : k + BESIDE]) for k in range(0, len(lines), BESIDE)]
        yield Formula(tuple(rows), min(BESIDE, len(lines)))


def _distinct(equations: Sheet) -> dict[Any, str]:
    """LaTeX of every symbol; where two would look the same, the later one says its name."""
    found: dict[Any, str] = {}
    rate_of = {rate: name for name, rate in equations.system.layout.velocity_of.items()}
    for port in equations.function.inputs:
        for field in port.fields:
            latex = field.latex or name_latex(field.name)
            if field.name in rate_of and not field.name.endswith("yaw_rate"):
                latex = dotted(found[equations.symbols[rate_of[field.name]]])
            elif latex in found.values():
                latex = rf"{latex}_{{\mathrm{{{field.name.replace('_', ' ')}}}}}"
            found[equations.symbols[field.name]] = latex
    return found


def _unit(unit: str) -> str:
    return "" if unit in ("", "1") else unit.replace("^2", "²").replace("^3", "³")
