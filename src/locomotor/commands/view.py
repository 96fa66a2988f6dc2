"""`locomotor view`: a run file as a page one can mail, or a system as a live page with sliders."""

import webbrowser
from collections.abc import Sequence
from pathlib import Path

from locomotor.commands.live_menu import canonical, check_followed, riding_of, scenarios_of
from locomotor.commands.lookup import beginning_of, changed, find_system, gaits_of, sort_changes, timing_of
from locomotor.commands.terminal import output, working
from locomotor.errors import RunFileError, UnknownNameError, UsageError
from locomotor.files import is_file, is_folder, write_text
from locomotor.model import TEXTS
from locomotor.names import suggestion
from locomotor.robots import ROBOTS
from locomotor.simulation import Run
from locomotor.viewing.live import LiveView, show
from locomotor.viewing.page import build_page

RUN, PAGE = ".nc", ".html"


def view(what: str, target: Path | None, browser: bool, changes: Sequence[str] = (), gait: str = "", scenario: str = "") -> int:
    """Open a run file or a system."""
    file = Path(what)
    if file.suffix.lower() in (".py", *TEXTS, *ROBOTS):  # a system of the user's own, though a file
        _live(what, changes, browser, gait, scenario)
        return 0
    if is_folder(file) and file.suffix in (RUN, PAGE):
        raise RunFileError(f"cannot read {what!r}: it is a folder; give a run.nc inside it, or the name of a system")
    if changes and (file.suffix in (RUN, PAGE) or is_file(file)):
        raise UsageError(f"--set changes a live page, and {what!r} is a file; name a system, or set it in `locomotor run`")
    if file.suffix == PAGE and is_file(file):
        _open(file, browser)
        return 0
    if file.suffix in (RUN, PAGE) or is_file(file):
        if not is_file(file):
            raise RunFileError(f"cannot read {what!r}: there is no such file; give a run.nc, or the name of a system")
        with working("building the page"):
            run = Run.load(file)
            page = build_page(run)
            made = write_text(target if target is not None else file.with_suffix(PAGE), page.text)
        output().print(f"written: {made} ({page.budget()})")
        _open(made, browser)
        return 0
    _live(what, changes, browser, gait, scenario)
    return 0


def _live(name: str, changes: Sequence[str], browser: bool, gait: str, scenario: str) -> None:
    """A live page that begins as the catalogue or the scenario says, with what the user sets over it."""
    if gait and scenario:
        raise UsageError(f"--gait {gait} and --scenario {scenario}: a page begins with one of them; leave one out")
    system = find_system(name)
    check_followed(name)
    given, known = sort_changes(system, changes), beginning_of(name)
    runs = {} if "motions" in given else scenarios_of(name, system)
    system = changed(system, given)
    start = {**known.get("start", {}), **given.get("start", {})}
    inputs = {key: law if isinstance(law, float) else str(law) for key, law in given.get("inputs", {}).items()}
    gaits = {} if "motions" in given else gaits_of(name)
    for first, what, among in ((gait, "gait", gaits), (scenario, "scenario", runs)):
        if first and first not in among:
            raise UnknownNameError(f"{name} has no {what} {first!r}: {suggestion(first, among)}")
    with working(f"making {system.name} ready"):
        page = LiveView(
            system,
            start=start or None,
            inputs=inputs,
            closed=known.get("closed"),
            **timing_of(name),
            gaits=gaits,
            scenarios=runs,
            first=gait or scenario or (canonical(name) if canonical(name) in runs and not changes else ""),
            riding=riding_of(name, system),
        )
    show(page, browser=browser)


def _open(file: Path, browser: bool) -> None:
    if browser:
        webbrowser.open(file.absolute().as_uri())
