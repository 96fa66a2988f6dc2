"""Documents of equations: LaTeX to be compiled, Markdown to be read as it is."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch

from locomotor.symbolic.content import Block, Figure, Formula, Heading, Table, Words, inline

PREAMBLE = r"""\documentclass[10pt,a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{lmodern}
\usepackage[margin=17mm]{geometry}
\usepackage[fleqn]{amsmath}
\usepackage{amssymb,booktabs,graphicx,longtable,array}
\usepackage[colorlinks=true,urlcolor=black,linkcolor=black]{hyperref}
\setcounter{MaxMatrixCols}{40}
\allowdisplaybreaks
\setlength{\parindent}{0pt}
\setlength{\parskip}{3pt plus 1pt}
\setlength{\mathindent}{5mm}
\AtBeginDocument{\abovedisplayskip=3pt plus 2pt\belowdisplayskip=3pt plus 2pt}
\AtBeginDocument{\abovedisplayshortskip=2pt\belowdisplayshortskip=2pt}
\setlength{\LTpre}{2pt}\setlength{\LTpost}{2pt}\setlength{\LTleft}{5mm}
\makeatletter
\renewcommand{\section}{\@startsection{section}{1}{0mm}{-8pt}{3pt}{\normalfont\large\bfseries}}
\renewcommand{\maketitle}{{\LARGE\bfseries\@title\par}\vspace{4pt}}
\makeatother
\newcommand{\fitted}[1]{\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{$\displaystyle #1$}}
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
    if len(block.lines) == 1 and "&=" not in block.lines[0]:
        return rf"\[ \fitted{{{block.lines[0]}}} \]"
    if len(block.lines) == 1 and block.columns == 1:
        return rf"\[ \fitted{{{block.lines[0].replace('&=', '=', 1)}}} \]"
    return "\\begin{align*}\n" + " \\\\\n".join(block.lines) + "\n\\end{align*}"


@latex_block.register
def _(block: Table) -> str:
    columns = {4: "llp{75mm}l", 5: "llp{70mm}lr"}.get(len(block.head), "l" * len(block.head))
    head = " & ".join(_latex_text(cell) for cell in block.head)
    rows = [" & ".join(_latex_text(cell) for cell in row) + r" \\" for row in block.rows]
    return "\n".join(
        [rf"{{\small\begin{{longtable}}{{@{{}}{columns}@{{}}}}", r"\toprule", head + r" \\ \midrule", *rows, r"\bottomrule"]
        + [r"\end{longtable}}"]
    )


@latex_block.register
def _(block: Figure) -> str:
    return (
        r"\begin{center}"
        + rf"\includegraphics[width=0.62\linewidth]{{{block.path}}}\\ {{\small {_latex_text(block.caption)}}}"
        + r"\end{center}"
    )


SPECIAL = {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "^": r"\^{}"}
SPECIAL |= {"~": r"\textasciitilde{}", "²": r"$^2$", "³": r"$^3$", "µ": r"$\mu$", "°": r"$^\circ$"}


def _latex_text(text: str) -> str:
    """Words with formulas between dollars and code between backticks, as LaTeX."""
    return inline(text, formula=lambda inner: f"${inner}$", code=lambda inner: rf"\texttt{{{_escaped(inner)}}}", words=_escaped)


def _escaped(text: str) -> str:
    return "".join(SPECIAL.get(letter, letter) for letter in text)


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
    return block.text


@markdown_block.register
def _(block: Formula) -> str:
    if len(block.lines) == 1 and block.columns == 1:
        return f"$$\n{block.lines[0].replace('&=', '=', 1) if '&=' in block.lines[0] else block.lines[0]}\n$$"
    return "$$\n\\begin{aligned}\n" + " \\\\\n".join(block.lines) + "\n\\end{aligned}\n$$"


@markdown_block.register
def _(block: Table) -> str:
    lines = [block.head, tuple("---" for _ in block.head), *block.rows]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in lines)


@markdown_block.register
def _(block: Figure) -> str:
    return f"![{block.caption}]({block.path})"
