"""Small HTML pages without any outside file: headings, paragraphs, tables and pictures inside one text."""

import base64
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

STYLE = """
:root { --ink:#1d2327; --soft:#5b6770; --line:#dfe3e6; --paper:#ffffff; --tint:#f5f7f8; --good:#1d7a3c; --odd:#9a5b00; --bad:#b3261e; --link:#0b5fa5 }
@media (prefers-color-scheme: dark) { :root { --ink:#e6eaed; --soft:#9aa5ae; --line:#353c42; --paper:#15181b; --tint:#1d2125; --good:#5cc281; --odd:#e0a94a; --bad:#ff7b72; --link:#6cb2ee } }
* { box-sizing:border-box }
body { margin:0 auto; padding:1.5rem 1.2rem 4rem; max-width:70rem; color:var(--ink); background:var(--paper); font:15px/1.5 system-ui,sans-serif }
h1 { font-size:1.6rem; margin:.2rem 0 .4rem } h2 { font-size:1.2rem; margin:2.2rem 0 .5rem; border-bottom:1px solid var(--line); padding-bottom:.2rem } h3 { font-size:1rem; margin:1.4rem 0 .3rem }
p { max-width:52rem; margin:.4rem 0 } .soft { color:var(--soft) } a { color:var(--link) }
table { border-collapse:collapse; margin:.5rem 0 1rem; font-size:.86rem; font-variant-numeric:tabular-nums } .wide { overflow-x:auto }
th { text-align:left; color:var(--soft); font-weight:600; border-bottom:1px solid var(--line) } td,th { padding:.22rem .9rem .22rem 0; vertical-align:top } tr:nth-child(even) td { background:var(--tint) }
td:first-child { white-space:nowrap } td.group { white-space:normal; padding-top:.8rem; background:var(--paper) !important } td.n, th.n { text-align:right; white-space:nowrap } .good { color:var(--good) } .odd { color:var(--odd) } .bad { color:var(--bad); font-weight:600 }
figure { margin:.6rem 0 1.2rem; max-width:46rem } figure img { width:100%; height:auto; background:#fff; border:1px solid var(--line); border-radius:4px } figcaption { color:var(--soft); font-size:.84rem }
.grid { display:grid; grid-template-columns:repeat(auto-fill,minmax(min(100%,24rem),1fr)); gap:0 1.2rem; align-items:start }
iframe { width:100%; height:34rem; border:1px solid var(--line); border-radius:4px } pre { background:var(--tint); border:1px solid var(--line); border-radius:4px; padding:.5rem .8rem; overflow-x:auto } details { margin:.4rem 0 } summary { cursor:pointer; color:var(--link) } code { font-size:.9em }
"""  # noqa: E501 - one rule a line reads best


def page(title: str, parts: Iterable[str]) -> str:
    """A complete HTML page."""
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en-GB">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def heading(text: str, level: int = 2, anchor: str = "") -> str:
    """A heading, with an anchor to jump to."""
    mark = f' id="{escape(anchor, quote=True)}"' if anchor else ""
    return f"<h{level}{mark}>{escape(text)}</h{level}>"


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of plain text."""
    return f"<p{_kind(kind)}>{escape(text)}</p>"


def command(text: str) -> str:
    """A command to type."""
    return f"<pre><code>{escape(text)}</code></pre>"


def listed(texts: Iterable[str]) -> str:
    """Texts one below the other."""
    return f"<ul>{''.join(f'<li>{escape(text)}</li>' for text in texts)}</ul>"


def link(text: str, target: str) -> str:
    """A link, as a cell or inside a paragraph made by hand."""
    return f'<a href="{escape(target, quote=True)}">{escape(text)}</a>'


class Raw(str):
    """Text that is HTML already."""

    __slots__ = ()


class Cell(str):
    """The text of a cell with a kind: "good", "odd", "bad", "soft"."""

    kind: str

    def __new__(cls, text: str, kind: str) -> "Cell":
        """A text that remembers its kind."""
        made = super().__new__(cls, text)
        made.kind = kind
        return made


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], numeric: Sequence[str] = ()) -> str:
    """A table; columns named in `numeric` stand on the right; a row of one entry is a heading across.

    Columns without a name have no row of heads: it would be an empty line.
    """
    right = [column in numeric for column in columns]
    head = "".join(f"<th{_kind('n' if r else '')}>{escape(c)}</th>" for c, r in zip(columns, right, strict=True))
    lines = []
    for row in rows:
        if len(row) == 1:
            lines.append(f'<tr><td class="soft group" colspan="{len(columns)}">{escape(str(row[0]))}</td></tr>')
            continue
        cells = "".join(_cell(entry, r) for entry, r in zip(row, right, strict=True))
        lines.append(f"<tr>{cells}</tr>")
    heads = f"<thead><tr>{head}</tr></thead>" if any(columns) else ""
    return f'<div class="wide"><table>{heads}<tbody>{"".join(lines)}</tbody></table></div>'


def _cell(entry: object, right: bool) -> str:
    kinds = [kind for kind in ("n" if right else "", entry.kind if isinstance(entry, Cell) else "") if kind]
    text = str(entry) if isinstance(entry, Raw) else escape(str(entry))
    return f"<td{_kind(' '.join(kinds))}>{text}</td>"


def _kind(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def picture(file: Path, caption: str) -> str:
    """A picture from a file, inside the page."""
    data = base64.b64encode(file.read_bytes()).decode("ascii")
    text = escape(caption)
    return (
        f'<figure><img alt="{escape(caption, quote=True)}" src="data:image/png;base64,{data}">'
        f"<figcaption>{text}</figcaption></figure>"
    )


def grid(parts: Iterable[str]) -> str:
    """Parts side by side where there is room."""
    return f'<div class="grid">{"".join(parts)}</div>'


def folded(summary: str, content: str) -> str:
    """HTML of a part that unfolds when clicked."""
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"


def embedded(document: str, title: str, style: str = "") -> str:
    """Another whole page inside this one, with a style of its own where the page around it has none for it."""
    look = f' style="{escape(style, quote=True)}"' if style else ""
    return f'<iframe title="{escape(title, quote=True)}"{look} srcdoc="{escape(document, quote=True)}"></iframe>'
