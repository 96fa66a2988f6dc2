"""Formulas of the pages become MathML when the site is built: to read them takes no script, no font and no network.

`$...$` is inline, `$$...$$` a formula of its own. `<a id="k1"></a>**(K1)**` before a formula is its label.
"""

import html
import re
from typing import Any

from latex2mathml.converter import convert

SOURCE = re.compile(
    r"(?P<code>^```.*?^```|`[^`\n]+`)"
    r"|(?:<a id=\"(?P<id>\w+)\"></a>\*\*(?P<label>\(\w+\))\*\*\s*)?\$\$(?P<display>.+?)\$\$"
    r"|\$(?P<inline>[^$\n]+(?:\n[^$\n]+)?)\$",
    re.DOTALL | re.MULTILINE,
)
PLACE = "formula{:04d}formula"


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Take the formulas out before Markdown sees their underscores and stars."""
    found: list[str] = []

    def take(match: re.Match[str]) -> str:
        if match["code"]:
            return match["code"]
        place = PLACE.format(len(found))
        if match["inline"]:
            found.append(convert(match["inline"]))
            return place
        label = match["label"] or ""
        anchor = f' id="{match["id"]}"' if match["id"] else ""
        formula = convert(match["display"], display="block")
        found.append(f'<div class="formula"{anchor}>{formula}<span>{html.escape(label)}</span></div>')
        return f"\n\n{place}\n\n"

    text = SOURCE.sub(take, markdown)
    page.meta["formulas"] = found
    return text


def on_page_content(content: str, page: Any, **_: Any) -> str:
    """Put them back."""
    for number, formula in enumerate(page.meta.pop("formulas", [])):
        place = PLACE.format(number)
        content = content.replace(f"<p>{place}</p>", formula).replace(place, formula)
    return content
