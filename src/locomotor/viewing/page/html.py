"""A run as ONE file: scene, curves and numbers in a page that asks nothing of any network."""

from __future__ import annotations

import html
import sys
import tempfile
import webbrowser
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from string import Template
from typing import Any

from locomotor import __version__, checks
from locomotor.dataclass import dataclass
from locomotor.errors import UnknownNameError
from locomotor.files import write_text
from locomotor.names import suggestion
from locomotor.simulation import Run
from locomotor.viewing.page.bundle import bundle
from locomotor.viewing.page.payload import Payload, payload_of
from locomotor.viewing.page.renderer import renderer_script
from locomotor.viewing.scene import MEGABYTES, playback_of

CLIENT = Path(__file__).parent / "client"
ALONE = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; media-src blob:"
"""The browser itself refuses every request that a page with this policy makes."""


@dataclass(frozen=True)
class Page:
    """A page as text, and the bytes that each part of it takes."""

    text: str
    sizes: dict[str, int]

    def budget(self) -> str:
        """One line: how large the file is and what for."""
        parts = ", ".join(f"{name} {size / 1e6:.2f}" for name, size in self.sizes.items())
        return f"{len(self.text.encode('utf-8')) / 1e6:.2f} MB: {parts}"


@checks.door(channels=checks.names, megabytes=checks.positive, halve=checks.flag)
def build_page(run: Run, *, channels: Sequence[str] = (), megabytes: float = MEGABYTES, halve: bool = False) -> Page:
    """The page of a run.

    `channels` are the curves shown at first, `megabytes` limits the samples it carries, and `halve` runs once more at half
    the step, so that the audit on the page tells the digits to trust.
    """
    for name in channels:
        if name not in run:
            raise UnknownNameError(f"the run has no channel {name!r}: {suggestion(name, run.channels)}")
    return assemble(payload_of(playback_of(run, megabytes=megabytes), channels, run.audit(halve=halve)))


def to_html(run: Run, path: str | Path, **options: Any) -> Path:
    """Write the page of a run (see `build_page`); the file appears only when it is complete."""
    return write_text(Path(path), build_page(run, **options).text)


@checks.door(browser=checks.flag)
def open_page(run: Run, *, browser: bool = True, **options: Any) -> Path:
    """Write the page of a run to a temporary file and show it: in the cell of a notebook, elsewhere in the browser."""
    folder = Path(tempfile.mkdtemp(prefix="locomotor-"))
    made = to_html(run, folder / f"{run.name}.html", **options)
    if in_notebook():
        return ShownPath(made)
    if browser:
        webbrowser.open(made.as_uri())
    return made


def in_notebook() -> bool:
    """Whether this is a kernel of Jupyter: something there shows what a cell returns."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return shell is not None and hasattr(shell, "kernel")


class ShownPath(type(Path())):  # type: ignore[misc]
    """The path of a page; a notebook shows the page itself."""

    def _repr_html_(self) -> str:
        return framed(html.escape(self.read_text(encoding="utf-8"), quote=True), "srcdoc")


def framed(what: str, attribute: str) -> str:
    """A frame of useful size, filled by its `src` or `srcdoc`: without a size a notebook shows 300 by 150 pixels."""
    return f'<iframe style="width:100%;height:34rem;border:0" {attribute}="{what}"></iframe>'


def assemble(payload: Payload, *, policy: str = ALONE, live: dict[str, Any] | None = None) -> Page:
    """The complete HTML page around a payload."""
    renderer, script = renderer_script(), page_script()
    block = payload.base64
    sizes = {"renderer": len(renderer), "page": len(script) - len(renderer)}
    # Binary numbers take four letters for three bytes.
    sizes |= {name: round(size * 4 / 3) for name, size in payload.sizes.items()}
    payload.table["sizes"] = sizes
    payload.table["live"] = live
    title = html.escape(payload.table["name"].replace("_", " "))
    text = Template((CLIENT / "page.html").read_text(encoding="utf-8")).substitute(
        policy=policy,
        version=__version__,
        title=title,
        style=(CLIENT / "style.css").read_text(encoding="utf-8"),
        table=payload.json,
        block=block,
        script=script,
    )
    return Page(text, sizes)


@lru_cache(maxsize=1)
def page_script() -> str:
    """The scripts of the page and the renderer that they draw with, as one module."""
    return bundle(CLIENT, "main", {"three": renderer_script()})
