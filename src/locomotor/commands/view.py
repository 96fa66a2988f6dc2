"""`locomotor view`: a run file as a page one can mail, or a system as a live page with sliders."""

import webbrowser
from pathlib import Path

from locomotor.commands.lookup import find_system
from locomotor.commands.terminal import output, working
from locomotor.errors import RunFileError
from locomotor.simulation import Run
from locomotor.simulation.files import write_text
from locomotor.viewing.html import build_page
from locomotor.viewing.live import view as live_page

RUN, PAGE = ".nc", ".html"


def view(what: str, target: Path | None, browser: bool) -> int:
    """Open a run file or a system."""
    file = Path(what)
    if file.suffix == PAGE and file.is_file():
        _open(file, browser)
        return 0
    if file.suffix in (RUN, PAGE) or file.is_file():
        if not file.is_file():
            raise RunFileError(f"cannot read {what!r}: there is no such file; give a run.nc, or the name of a system")
        with working("building the page"):
            run = Run.load(file)
            page = build_page(run)
            made = write_text(target if target is not None else file.with_suffix(PAGE), page.text)
        output().print(f"written: {made} ({page.budget()})")
        _open(made, browser)
        return 0
    live_page(find_system(what), browser=browser)
    return 0


def _open(file: Path, browser: bool) -> None:
    if browser:
        webbrowser.open(file.absolute().as_uri())
