"""The document of equations as one HTML page: formulas as MathML, which browsers show without any script."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable
from functools import singledispatch
from pathlib import Path
from typing import Any

from locomotor.checks import shown
from locomotor.errors import MissingExtraError, RunFileError
from locomotor.symbolic.blocks import DOLLAR, TICK, Block, Figure, Formula, Heading, Symbols, Table, Words, inline

STYLE = """
:root { --ink:#1d2327; --soft:#5b6770; --line:#dfe3e6; --paper:#fff; --tint:#f5f7f8 }
@media (prefers-color-scheme: dark) { :root { --ink:#e6eaed; --soft:#9aa5ae; --line:#353c42; --paper:#15181b; --tint:#1d2125 } }
body { margin:0 auto; padding:1.5rem 1.2rem 4rem; max-width:64rem; color:var(--ink); background:var(--paper);
  font:15px/1.5 system-ui,sans-serif }
h2 { font-size:1.2rem; margin:2rem 0 .5rem; border-bottom:1px solid var(--line) }
table { border-collapse:collapse; margin:.6rem 0; font-size:.9rem } td, th { padding:.15rem .9rem .15rem 0; text-align:left }
th { color:var(--soft); border-bottom:1px solid var(--line) } tr:nth-child(even) td { background:var(--tint) }
.formula { overflow-x:auto; margin:.3rem 0 .3rem 1.2rem; padding:.15rem 0; font-size:1.06rem }
.symbols { display:flex; flex-wrap:wrap; gap:2rem; align-items:center }
.symbols figure { flex:1 1 18rem; margin:0; max-width:26rem }
img { max-width:100%; background:#fff; border-radius:4px } figcaption { color:var(--soft); font-size:.85rem }
"""


def html_document(title: str, blocks: Iterable[Block]) -> str:
    """A complete page."""
    body = "\n".join(html_block(block) for block in blocks)
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{html.escape(title)}</title>'
    top = f'<!doctype html>\n<html lang="en-GB">\n<head>{head}<style>{STYLE}</style></head>'
    return f"{top}\n<body>\n<h1>{html.escape(title)}</h1>\n{body}\n</body>\n</html>\n"


def _converter() -> Any:
    try:
        from latex2mathml.converter import convert
    except ImportError as error:
        raise MissingExtraError(
            "a page of equations needs latex2mathml, which is not here: pip install 'locomotor[sympy]'; "
            ".tex and .md need nothing"
        ) from error
    return convert


def _inline(text: str) -> str:
    """Words with formulas between dollars and code between backticks."""
    convert = _converter()
    return inline(
        text,
        formula=lambda inner: str(convert(inner)),
        code=lambda inner: f"<code>{html.escape(inner)}</code>",
        words=lambda inner: html.escape(inner).replace(DOLLAR, "$").replace(TICK, "`"),
    )


@singledispatch
def html_block(block: Block) -> str:
    """One block as HTML."""
    raise NotImplementedError(type(block).__name__)


@html_block.register
def _(block: Heading) -> str:
    return f"<h2>{html.escape(block.text)}</h2>"


@html_block.register
def _(block: Words) -> str:
    return f"<p>{_inline(block.text)}</p>"


@html_block.register
def _(block: Formula) -> str:
    """Every line a formula of its own: the converter knows no alignment of lines that hold matrices."""
    return "".join(f'<div class="formula">{_displayed(line)}</div>' for line in block.lines)


def _displayed(latex: str) -> str:
    # The converter knows no sizes of brackets by hand, and no small fractions.
    plain = latex.replace(r"\bigl", "").replace(r"\bigr", "").replace(r"\tfrac", r"\frac")
    return str(_converter()(plain)).replace("<math ", '<math displaystyle="true" ', 1)


@html_block.register
def _(block: Symbols) -> str:
    tables = "".join(_table(table) for table in block.tables)
    return f'<div class="symbols"><div>{tables}</div>{"" if block.figure is None else _figure(block.figure)}</div>'


def _table(table: Table) -> str:
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in table.head)
    rows = "".join("<tr>" + "".join(f"<td>{_inline(cell)}</td>" for cell in row) + "</tr>" for row in table.rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _figure(figure: Figure) -> str:
    try:
        data = base64.b64encode(Path(figure.path).read_bytes()).decode("ascii")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "no file can have that name"
        raise RunFileError(f"cannot read the picture {shown(figure.path)}: {why}; give the path of a PNG") from error
    return (
        f'<figure><img alt="{html.escape(figure.caption, quote=True)}" src="data:image/png;base64,{data}">'
        f"<figcaption>{html.escape(figure.caption)}</figcaption></figure>"
    )
