"""What a document of equations says, block by block, whatever it is written in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from locomotor.model.contacts import frozen
from locomotor.symbolic.blocks import Block, Figure, Formula, Heading, Symbols, Table, Words, inline, quoted
from locomotor.symbolic.counting import operations
from locomotor.symbolic.imposed import imposed_motions
from locomotor.symbolic.lettering import counted_rows, distinct, live_rows
from locomotor.symbolic.library import sympy_library
from locomotor.symbolic.packing import Item, packed
from locomotor.symbolic.sheet import Sheet, unit_quaternions
from locomotor.symbolic.telling import Teller
from locomotor.symbolic.typesetting import Typesetter, dotted, name_latex

READ_AT_ONCE = 34
"""Operations of an energy that is printed as it is."""


BOLD = re.compile(r"(?<!\\)!(tau|lambda|sigma|Gamma|Phi|Lambda|ell|[A-Za-z1])")
"""In formulas of this file !M is a bold M, so that matrices do not look like parameters of the same letter."""
NUMBERED = re.compile(r"\bx_\{\d+\} =")


def content(equations: Sheet, figure: str | None = None) -> Iterator[Block]:
    """The blocks of the document of some equations."""
    page = _Page(equations)
    body = [_bold(block) for block in page.sections()]
    numbered = any(NUMBERED.search(line) for block in body if isinstance(block, Formula) for line in block.lines)
    yield Words(page.opening())
    yield from page.nomenclature(figure, numbered)
    yield from body


def _bold(block: Block) -> Block:
    if isinstance(block, Formula):
        return replace(block, lines=tuple(BOLD.sub(_letter, line) for line in block.lines))
    if isinstance(block, Words):
        return Words(inline(block.text, lambda inner: f"${BOLD.sub(_letter, inner)}$", lambda inner: f"`{inner}`", str))
    return block


def _letter(found: re.Match[str]) -> str:
    return rf"\mathbf{{{found[1]}}}" if len(found[1]) == 1 else rf"\boldsymbol{{\{found[1]}}}"


class _Page:
    def __init__(self, equations: Sheet) -> None:
        self.equations = equations
        ports = equations.function.inputs
        self.fields = {port.name: port.fields for port in ports}
        self.live = live_rows(equations)
        self.imposed = imposed_motions(equations)
        self.type = Typesetter({**distinct(equations), **counted_rows(equations, self.live)})
        self.teller = Teller(self.type, equations.definitions)

    # -- words ------------------------------------------------------------------------------------------------------------

    def opening(self) -> str:
        """What the system is."""
        system = self.equations.system
        about = quoted(system.description)
        told = f"{about[:1].upper()}{about[1:]}. " if about else ""
        bodies = f"{len(system.bodies)} bodies" if len(system.bodies) > 1 else "one body"
        rows = len(self.live)
        bound = f", {rows} constraint rows" if rows > 1 else ", one constraint row" if rows else ", no constraints"
        count = len(self.equations.reduced_names)
        freedoms = f"{count} freedoms" if count != 1 else "one freedom"
        moving = f"{system.layout.nv} velocities" if system.layout.nv != 1 else "one velocity"
        return f"{told}It has {bodies}, {moving}{bound} and {freedoms}."

    def nomenclature(self, figure: str | None, numbered: bool) -> Iterator[Block]:
        """Tables of symbols; whether there are names x1, x2, ... among the formulas."""
        used = self._used()
        rows = [
            self._row(field, "")
            for port in ("coordinates", "velocities", "inputs")
            for field in self.fields[port]
            if port == "velocities" or self.equations.symbols[field.name] in used
        ]
        tables = [Table(("symbol", "name", "meaning", "unit"), tuple(row[:4] for row in rows))]
        values = self.equations.system.parameters
        kept = [field for field in self.fields["parameters"] if self.equations.symbols[field.name] in used]
        if kept:
            described = [self._row(field, f"{values[field.name].value:.6g}") for field in kept]
            tables.append(Table(("parameter", "name", "meaning", "unit", "value"), tuple(described)))
        picture = None if figure is None else Figure(figure, f"The system {self.equations.system.name} in its nominal pose.")
        yield Symbols(tuple(tables), picture)
        told = []
        if self._has_turns():
            told.append(r"$\mathrm{s}_x$ and $\mathrm{c}_x$ are the sine and cosine of $x$.")
        if numbered:
            told.append(r"$x_1, x_2, \ldots$ stand for what is used more than once, and are defined where they first appear.")
        put_in = [
            f"${self.type.symbol(self.equations.symbols[name])} = {self.type.formula(value)}$"
            for name, value in self.equations.where.items()
        ]
        if any(symbol in used for four in unit_quaternions(self.equations.system, self.equations.symbols) for symbol in four):
            told.append("Quaternions are of length one.")
        if self.imposed:
            letters = {name: self.type.symbol(symbol) for name, symbol in self.equations.symbols.items()}
            told.append(f"Imposed: {', '.join(motion.told(self.type, letters) for motion in self.imposed)}.")
        if put_in:
            told.append(f"Put in everywhere: {', '.join(put_in)}.")
        if told:
            yield Words(" ".join(told))

    def _has_turns(self) -> bool:
        """Whether any sine or cosine is printed."""
        sp = sympy_library()
        everything = (
            e for part in self.equations.parts.values() for e in (*part.entries, *(right for _, right in part.before))
        )
        return any(expression.has(sp.sin, sp.cos) for expression in everything)

    def _row(self, field: Any, value: str) -> tuple[str, ...]:
        symbol = self.type.symbol(self.equations.symbols[field.name])
        return f"${symbol}$", f"`{field.name}`", quoted(field.description), quoted(_unit(field.unit)), value

    def _used(self) -> set[Any]:
        found: set[Any] = {motion.place for motion in self.imposed}
        for part in self.equations.parts.values():
            for expression in (*part.entries, *(right for _, right in part.before)):
                found |= expression.free_symbols
        return found

    def sections(self) -> Iterator[Block]:
        """Everything after the symbols, in order."""
        yield from self.free_dynamics()
        yield from self.constraints()
        yield from self.reduced_dynamics()
        yield from self.reconstruction()
        yield from self.impacts()
        yield from self.linear()
        yield from self.counts()

    # -- sections ---------------------------------------------------------------------------------------------------------

    def free_dynamics(self) -> Iterator[Block]:
        """M, h, G, tau and the energies."""
        parts = self.equations.parts
        load = r" + !C^{\mathsf T} !lambda" if self.equations.row_names else ""
        load += self._drives
        yield Heading("Free dynamics")
        told = [r"$!M$ is the mass matrix", r"$!h$ holds forces of inertia quadratic in the velocities"]
        told += [r"$!G$ holds the weight", r"$!tau$ applied forces"]
        if self.imposed:
            names = ", ".join(self.type.symbol(motion.rate) for motion in self.imposed)
            told.append(rf"$!S$ picks the velocities $({names})$, which are imposed, and $!d$ holds the forces of their drives")
        if self._has_normal():
            told.append(r"$!sigma$ is the normal of the ground in the axes of the root body")
        yield Words(
            rf"With $!v = ({', '.join(self._velocities())})$: "
            rf"$!M \dot{{!v}} + !h + !G = !tau{load}$. {', '.join(told)}."
        )
        items: list[Item] = []
        if self._has_normal():
            items += self.teller.vector(parts["up"], "!sigma", r"\sigma")
        items += self.teller.matrix(parts["mass"], "!M")
        for name, letter, entry in (("bias", "!h", "h"), ("gravity", "!G", "G")):
            items += self.teller.vector(parts[name], letter, entry, beside=True)
        items += self.teller.vector(parts["applied"], "!tau", r"\tau", beside=True)
        yield from packed([*items, *self._energies()])
        if "coriolis" in self.equations.parts:
            yield Words(
                r"In Christoffel's form $!h = !Gamma(q, !v)\, !v$, with "
                r"$\dot{!M} - 2 !Gamma$ skew-symmetric:"
            )
            yield from packed(self.teller.matrix(parts["coriolis"], "!Gamma"))

    def _energies(self) -> Iterator[Item]:
        """T and U; a long T is said by M."""
        kinetic, potential = (self.equations.parts[f"{kind}_energy"] for kind in ("kinetic", "potential"))
        if kinetic.written_out and operations(kinetic.entries) <= READ_AT_ONCE:
            yield from self.teller.needed(kinetic.entries)
            yield self.teller.equation("T", kinetic.entries[0])
        else:
            yield Item.of([r"T = \tfrac{1}{2} !v^{\mathsf T} !M !v"])
        yield from self.teller.needed(potential.entries)
        yield self.teller.equation("U", potential.entries[0])

    def constraints(self) -> Iterator[Block]:
        """C, H and how they change."""
        parts = self.equations.parts
        if not self.equations.row_names and parts["driven"].is_empty:
            return
        yield Heading("Constraints" if self.equations.row_names else "Velocities")
        yield Words(self._bound_words())
        items = [*self.teller.matrix(parts["rows"], "!C", self.live)]
        items += self.teller.vector(parts["row_rate"], "!b", "b", kept=self.live)
        items += self.teller.vector(parts["row_bias"], "!c", "c", kept=self.live)
        items += _beside(
            list(self.teller.matrix(parts["kernel"], "!H")),
            list(self.teller.matrix(parts["kernel_rate"], r"\dot{!H}")),
        )
        items += self.teller.vector(parts["driven"], "!w", "w", beside=True)
        yield from packed([*items, *self.teller.vector(parts["multipliers"], "!lambda", r"\lambda", kept=self.live)])

    def _bound_words(self) -> str:
        """What the rows are, how velocities follow, what the constraints carry."""
        parts, rows = self.equations.parts, self.equations.row_names
        told = []
        if rows:
            names = ", ".join(f"`{rows[i]}`" for i in self.live)
            idle = " (rows of zeros are left out)" if len(self.live) < len(rows) else ""
            right = "0" if parts["row_rate"].is_empty else "!b"
            told.append(rf"$!C !v = {right}$, row by row {names}{idle}, and $!C \dot{{!v}} + !c = 0$.")
        chosen = ", ".join(self.type.symbol(self.equations.symbols[name]) for name in self.equations.reduced_names)
        driven = not parts["driven"].is_empty
        if chosen:
            kernel = " with $!C !H = 0$" if rows else ""
            told.append(rf"All velocities follow from $!v_r = ({chosen})$: $!v = !H !v_r{' + !w' if driven else ''}${kernel}.")
        else:
            told.append("No velocity is free: $!v = !w$." if driven else "No velocity is free: $!v = 0$.")
        held = frozen(self.equations.system.laws, tuple(self.equations.system.laws))
        told += [f"{line[0].upper()}{line[1:]}." for line in held if line.startswith(("contact", "the friction"))]
        if rows:
            carried = rf"$!f = !M \dot{{!v}} + !h + !G - !tau = !C^{{\mathsf T}} !lambda{self._drives}$"
            told.append(f"The constraints{' and the drives' if self.imposed else ''} carry {carried}.")
        return " ".join(told)

    @property
    def _drives(self) -> str:
        """What drives with an imposed motion add to the free dynamics."""
        return r" + !S^{\mathsf T} !d" if self.imposed else ""

    def _has_normal(self) -> bool:
        """Whether other formulas speak of the normal of the ground."""
        names = {name for name in self.equations.parts["up"].names if name is not None}
        return bool(names & self._used())

    def reduced_dynamics(self) -> Iterator[Block]:
        """The equations without multipliers."""
        parts = self.equations.parts
        bound = self.equations.row_names or not parts["driven"].is_empty
        if not bound or not self.equations.reduced_names:
            return
        known = not parts["known_acceleration"].is_empty and not parts["known_acceleration"].is_zero
        k, push = (r" + !k", r" - !M !k") if known else ("", "")
        yield Heading("Reduced dynamics")
        yield Words(
            r"$\bar{!M} \dot{!v}_r = \bar{!F}$ with "
            r"$\bar{!M} = !H^{\mathsf T} !M !H$ and $\bar{!F} = !H^{\mathsf T} "
            rf"(!tau - !h - !G{push})$; then "
            rf"$\dot{{!v}} = !H \dot{{!v}}_r{k}$."
        )
        items: list[Item] = []
        if known:
            items += self.teller.vector(parts["known_acceleration"], "!k", "k")
        # What would be long is said by the formulas above.
        if parts["reduced_mass"].written_out:
            items += self.teller.matrix(parts["reduced_mass"], r"\bar{!M}")
        if parts["reduced_force"].written_out:
            items += self.teller.vector(parts["reduced_force"], r"\bar{!F}", r"\bar{F}")
        if parts["acceleration"].written_out:
            names = [dotted(self.type.symbol(self.equations.symbols[name])) for name in self.equations.reduced_names]
            items += self.teller.vector(parts["acceleration"], r"\dot{!v}_r", "", names=names)
        yield from packed(items)

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
        items = list(self.teller.needed([entry for _, entry in pairs]))
        for field, entry in pairs:
            left = dotted(self.type.symbol(self.equations.symbols[field.name]))
            items.append(self.teller.equation(left, entry))
        yield from packed(items)

    def impacts(self) -> Iterator[Block]:
        """What happens when an open contact closes."""
        parts = self.equations.parts
        if self.equations.left_out:
            absent = ", ".join(f"`{name}`" for name in self.equations.left_out)
            yield Words(f"Impacts of {absent} are left out: which part of a terrain is touched changes with the motion.")
        if "gaps" not in parts:
            return
        ports = {port.name: port for port in self.equations.function.outputs}
        yield Heading("Impacts")
        names = [f"`{field.name}`" for field in ports["gaps"].fields]
        rows = dict.fromkeys(f"`{field.name.partition('_per_')[0]}`" for field in ports["contact_rows"].fields)
        bound = bool(self.equations.row_names)
        load = r" + !C^{\mathsf T} !ell" if bound else ""
        held = r", $!C !v^+ = 0$" if bound else ""
        kernel = r"!W !H \bar{!M}^{-1} !H^{\mathsf T} !W^{\mathsf T}"
        delassus = kernel if bound else r"!W !M^{-1} !W^{\mathsf T}"
        yield Words(
            rf"Contacts that may close, {', '.join(names)}, have gaps $!Phi$ and velocities of their points along "
            rf"the axes of the world $!u = !W !v$, row by row {', '.join(rows)}. An impact keeps the "
            r"configuration. With impulses $!Lambda$ along the rows that act, and what the laws of the contacts "
            r"ask of the velocities afterwards, $!u^+ = -!E !u^-$: "
            rf"$!M (!v^+ - !v^-) = !W^{{\mathsf T}} !Lambda{load}${held}, "
            r"$!Lambda = -!D^{-1} (!1 + !E) !W !v^-$, "
            rf"$!D = {delassus}$."
        )
        items = list(self.teller.vector(parts["gaps"], "!Phi", r"\Phi"))
        items += self.teller.matrix(parts["contact_rows"], "!W")
        if "delassus" in parts and parts["delassus"].written_out:
            items += self.teller.matrix(parts["delassus"], "!D")
        yield from packed(items)

    def linear(self) -> Iterator[Block]:
        """The linearised equations, where they were asked for."""
        found = self.equations.linear
        if found is None:
            return
        yield Heading("Linearised")
        page = _Linear(found, self)
        yield Words(page.words())
        yield from packed(page.items())

    def counts(self) -> Iterator[Block]:
        """How long it is, and that it was proved."""
        told = (
            f"Operations: {self.equations.operations} as printed, {self.equations.function.operations} on the tape from which "
            "machine code is made."
        )
        if self.equations.certificate is not None:
            told += f" Certificate: {str(self.equations.certificate).replace('_', ' ')}."
        yield Words(told)

    # -- pieces -----------------------------------------------------------------------------------------------------------

    def _velocities(self) -> list[str]:
        return [self.type.symbol(self.equations.symbols[field.name]) for field in self.fields["velocities"]]


class _Linear:
    """The section on small deviations from a steady motion."""

    def __init__(self, equations: Any, page: _Page) -> None:
        self.equations, self.page = equations, page
        latex = {symbol: page.type.symbol(symbol) for symbol in page.equations.symbols.values()}
        self.type = Typesetter(latex)
        self.teller = Teller(self.type, equations.definitions)

    def words(self) -> str:
        """What is linearised, about what."""
        symbols = self.page.equations.symbols
        found = self.equations
        about = [f"{self._name(name)} = {self.type.formula(value)}" for name, value in found.about.items()]
        at = f"${', '.join(about)}$, all else at its nominal value or zero" if about else "rest in the nominal pose"
        r = ", ".join(self._name(name) for name in found.coordinate_names)
        v = ", ".join(self.type.symbol(symbols[name]) for name in found.velocity_names)
        return (
            rf"Small deviations $!r$ of $({r})$ and $!y$ of $({v})$ from {at}: "
            r"$!M^0 \dot{!y} + !D^0 !y + !K^0 !r = !N^0 !u$, "
            r"$\dot{!r} = !E^0 !r + !J^0 !y$."
        )

    def _name(self, name: str) -> str:
        symbols = self.page.equations.symbols
        return self.type.symbol(symbols[name]) if name in symbols else name_latex(name)

    def items(self) -> Iterator[Item]:
        """All matrices of the linear equations, as items of the page."""
        for name, letter in (
            ("mass", "M"),
            ("damping", "D"),
            ("stiffness", "K"),
            ("input_force", "N"),
            ("rate_of_coordinates", "E"),
            ("rate_of_velocities", "J"),
        ):
            yield from self.teller.matrix(self.equations.parts[name], rf"!{letter}^0")


def _beside(first: list[Item], second: list[Item]) -> list[Item]:
    """Two matrices of one height beside each other, definitions that do not speak of the first before both."""
    start, later = (next((k for k, item in enumerate(items) if item.rows > 1), len(items)) for items in (first, second))
    if later == len(second) or any("H_{" in line for item in second[:later] for line in item.lines):
        return [*first, *second]
    return [*first[:start], *second[:later], *first[start:], *second[later:]]


def _unit(unit: str) -> str:
    return "" if unit in ("", "1") else unit.replace("^2", "²").replace("^3", "³")
