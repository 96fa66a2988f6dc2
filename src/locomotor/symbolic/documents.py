"""Documents of equations: LaTeX to be compiled, Markdown to be read as it is."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch

from locomotor.symbolic.blocks import DOLLAR, TICK, Block, Figure, Formula, Heading, Symbols, Table, Words, inline
from locomotor.symbolic.safe_latex import typable

PREAMBLE = r"""\documentclass[10pt,a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{lmodern}
\usepackage[margin=13mm,bottom=15mm,footskip=7mm]{geometry}
\usepackage[fleqn]{amsmath}
\usepackage{amssymb,booktabs,graphicx,longtable,array}
\usepackage[colorlinks=true,urlcolor=black,linkcolor=black]{hyperref}
\setcounter{MaxMatrixCols}{40}
\allowdisplaybreaks
\setlength{\parindent}{0pt}
\setlength{\parskip}{2pt plus 1pt}
\setlength{\mathindent}{3mm}
\setlength{\jot}{1.5pt}
\AtBeginDocument{\abovedisplayskip=2pt plus 2pt\belowdisplayskip=2pt plus 2pt}
\AtBeginDocument{\abovedisplayshortskip=2pt\belowdisplayshortskip=2pt}
\setlength{\LTpre}{2pt}\setlength{\LTpost}{2pt}\setlength{\LTleft}{5mm}
\makeatletter
\renewcommand{\section}{\@startsection{section}{1}{0mm}{-5pt}{1pt}{\normalfont\normalsize\bfseries}}
\renewcommand{\maketitle}{{\large\bfseries\@title\par}\vspace{2pt}}
\makeatother
\newlength{\room}\AtBeginDocument{\setlength{\room}{\dimexpr\linewidth-\mathindent\relax}}
\newcommand{\fitted}[1]{\resizebox{\ifdim\width>\room\room\else\width\fi}{!}{$\displaystyle #1$}}
"""


def latex_document(title: str, blocks: Iterable[Block]) -> str:
    """A complete LaTeX file."""
    body = ""
    for block in blocks:
        # A paragraph's end before a formula would leave a gap.
        body += ("" if not body else "\n" if isinstance(block, Formula) else "\n\n") + latex_block(block)
    head = rf"\title{{{_latex_text(title)}}}" + "\n" + r"\author{}\date{}"
    return f"{PREAMBLE}{head}\n\\begin{{document}}\n\\maketitle\n\n{body}\n\n\\end{{document}}\n"


def markdown_document(title: str, blocks: Iterable[Block]) -> str:
    """A Markdown page; formulas are between double dollars."""
    return "\n\n".join([f"# {title}", *(markdown_block(block) for block in blocks)]) + "\n"


# -- LaTeX ------------------------------------------------------------------------------------------------------------


@singledispatch
def latex_block(block: Block) -> str:
    """One block as LaTeX."""
    raise NotImplementedError(type(block).__name__)


@latex_block.register
def _(block: Heading) -> str:
    return rf"\section*{{{_latex_text(block.text)}}}"


@latex_block.register
def _(block: Words) -> str:
    return _latex_text(block.text)


@latex_block.register
def _(block: Formula) -> str:
    lines = [typable(line) for line in block.lines]
    if block.fitted:
        return rf"\[ \fitted{{{lines[0]}}} \]"
    if len(lines) == 1:
        return rf"\[ {lines[0]} \]"
    return "\\begin{align*}\n" + " \\\\\n".join(f"& {line}" for line in lines) + "\n\\end{align*}"


@latex_block.register
def _(block: Symbols) -> str:
    """A few symbols as running text beside the picture; many in tables over pages, the picture before them."""
    if sum(len(table.rows) for table in block.tables) > MOST_RUNNING:
        pieces = [_picture(block.figure, 0.5)] if block.figure is not None else []
        return "\n\n".join([*pieces, *(_table(table) for table in block.tables)])
    text = "\n\n".join(rf"{{\footnotesize {_running(table)}\par}}" for table in block.tables)
    if block.figure is None:
        return text
    boxes = ((0.72, "c", text), (0.26, "c", _picture(block.figure, 1.0)))
    return r"\noindent" + r"\hfill".join(
        rf"\begin{{minipage}}[{place}]{{{size}\linewidth}}{inner}\end{{minipage}}" for size, place, inner in boxes
    )


MOST_RUNNING = 40
"""Symbols up to which they are told in running text."""


def _running(table: Table) -> str:
    """symbol, name: meaning (unit), or with a value."""
    told = []
    for symbol, name, meaning, unit, *value in table.rows:
        size = f" = {value[0]} {unit}".rstrip() if value else f" ({unit})" if unit else ""
        about = f": {meaning}" if meaning else ""
        told.append(_latex_text(f"{symbol}\u00a0{name}{size}{about}" if value else f"{symbol}\u00a0{name}{about}{size}"))
    return rf"\textbf{{{table.head[0].capitalize()}s:}} " + "; ".join(told) + "."


def _table(table: Table) -> str:
    columns = "llp{75mm}" + "lr"[: len(table.head) - 3]
    head = " & ".join(_latex_text(cell) for cell in table.head)
    rows = [" & ".join(_latex_text(cell) for cell in row) + r" \\" for row in table.rows]
    lines = [rf"{{\small\begin{{longtable}}{{@{{}}{columns}@{{}}}}", r"\toprule", head + r" \\ \midrule"]
    return "\n".join([*lines, *rows, r"\bottomrule", r"\end{longtable}}"])


def _picture(figure: Figure, share: float) -> str:
    picture = rf"\includegraphics[width={share}\linewidth]{{{figure.path}}}"
    return rf"{{\centering {picture}\\ {{\footnotesize {_latex_text(figure.caption)}}}\par}}"


SPECIAL = {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "^": r"\^{}"}
SPECIAL |= {DOLLAR: r"\$", TICK: r"\textasciigrave{}", "$": r"\$"}
SPECIAL |= {"~": r"\textasciitilde{}", "\u00a0": "~", "²": r"$^2$", "³": r"$^3$", "µ": r"$\mu$", "°": r"$^\circ$"}


def _latex_text(text: str) -> str:
    """Words with formulas between dollars and code between backticks, as LaTeX."""
    return inline(
        text,
        formula=lambda inner: f"${typable(inner)}$",
        code=lambda inner: rf"\texttt{{{_escaped(inner)}}}",
        words=_escaped,
    )


def _escaped(text: str) -> str:
    return "".join(SPECIAL.get(letter) or typable(letter) for letter in text)


# -- Markdown ---------------------------------------------------------------------------------------------------------


@singledispatch
def markdown_block(block: Block) -> str:
    """One block as Markdown."""
    raise NotImplementedError(type(block).__name__)


@markdown_block.register
def _(block: Heading) -> str:
    return f"## {block.text}"


@markdown_block.register
def _(block: Words) -> str:
    return _markdown_text(block.text)


def _markdown_text(text: str) -> str:
    """Words of users say no HTML and no formula."""
    return text.replace("<", "&lt;").replace(DOLLAR, r"\$").replace(TICK, r"\`")


@markdown_block.register
def _(block: Formula) -> str:
    if len(block.lines) == 1:
        return f"$$\n{block.lines[0]}\n$$"
    return "$$\n\\begin{aligned}\n" + " \\\\\n".join(f"& {line}" for line in block.lines) + "\n\\end{aligned}\n$$"


@markdown_block.register
def _(block: Symbols) -> str:
    picture = [] if block.figure is None else [f"![{block.figure.caption}]({block.figure.path})"]
    return "\n\n".join([*picture, *(_markdown_table(table) for table in block.tables)])


def _markdown_table(table: Table) -> str:
    lines = [table.head, tuple("---" for _ in table.head), *table.rows]
    return "\n".join("| " + " | ".join(_markdown_text(cell).replace("|", r"\|") for cell in row) + " |" for row in lines)
