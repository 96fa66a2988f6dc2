"""Pages of the notebooks, made of what is kept in them: text, code, what it printed, tables and pictures.

The notebook itself is in the site too, to be downloaded.
"""

import base64
import html
import json
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

FOLDER = "notebooks"
FENCE = "````"
LINK = re.compile(r"\((\w+)\.ipynb\)")
"""A notebook refers to another one: on the site, to its page."""
PICTURES = {"image/png": "png", "image/gif": "gif"}


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """Add a page and the pictures of every notebook."""
    for file in sorted((Path(config["docs_dir"]) / FOLDER).glob("*.ipynb")):
        cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
        text, pictures = page_of(cells, file.stem)
        files.append(File.generated(config, f"{FOLDER}/{file.stem}.md", content=text))
        for name, data in pictures.items():
            files.append(File.generated(config, f"{FOLDER}/{name}", content=data))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Pages link to the notebooks themselves, which exist everywhere; on the site they lead to their pages."""
    return re.sub(r"\((notebooks/\w+)\.ipynb\)", r"(\1.md)", markdown)


def page_of(cells: list[dict[str, Any]], stem: str) -> tuple[str, dict[str, bytes]]:
    """Markdown of a notebook, and its pictures by file name."""
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    for number, cell in enumerate(cells):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(LINK.sub(r"(\1.md)", source))
            if number == 0:
                parts.append(f"[Download this notebook]({stem}.ipynb){{ .md-button download }}")
            continue
        parts.append(f"{FENCE}python\n{source}\n{FENCE}")
        for k, output in enumerate(cell["outputs"]):
            shown = shown_output(output, f"{stem}_{number:02d}_{k}", pictures)
            if shown:
                parts.append(shown)
    return "\n\n".join(parts) + "\n", pictures


def shown_output(output: dict[str, Any], name: str, pictures: dict[str, bytes]) -> str:
    """What a cell left, as Markdown: the richest of the forms that are kept."""
    if "text" in output:
        return "" if output.get("name") == "stderr" else f"{FENCE}text\n{''.join(output['text']).rstrip()}\n{FENCE}"
    data = output.get("data", {})
    for kind, suffix in PICTURES.items():
        if kind in data:
            file = f"{name}.{suffix}"
            pictures[file] = base64.b64decode("".join(data[kind]))
            return f"![what the cell above draws]({file})"
    if "text/html" in data:
        # No blank line inside: Markdown would take what follows for text again. `$` begins no formula there.
        text = re.sub(r"\n\s*\n", "\n", "".join(data["text/html"])).replace("$", "&#36;")
        return f'<div class="card">{text}</div>'
    plain = "".join(data.get("text/plain", ""))
    return f'<pre class="card">{html.escape(plain)}</pre>' if plain else ""
