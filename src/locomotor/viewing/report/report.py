"""The report of one run: a folder with the run, its figures and one page that tells everything."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from locomotor import __version__
from locomotor.dataclass import dataclass
from locomotor.errors import MissingExtraError, ViewingError
from locomotor.figures import Contacts, Curves, Energies, FigureOf, Forces
from locomotor.figures import Path as PathFigure
from locomotor.files import write_text
from locomotor.simulation import COLUMNS, Run
from locomotor.simulation.records import Audit
from locomotor.viewing.page import build_page
from locomotor.viewing.plots import Rerun, default_channels, draw, ground_traces, reach, words
from locomotor.viewing.report.page import (
    Cell,
    command,
    embedded,
    folded,
    grid,
    heading,
    listed,
    page,
    paragraph,
    picture,
    table,
)

SCENE_MEGABYTES = 2.0
"""Budget of the samples of the moving picture."""
STILL = 1e-6
"""A point that moves by less than this (m) draws no path."""
MOST_LENGTHS = 15
"""A path longer than this many times the system is drawn in part."""
MOST_EVENTS = 60
"""More events than this are folded."""
MOST_SHOWN = 12
"""More numbers of one source than this are folded when all agree."""


@dataclass(frozen=True)
class Told:
    """One number beside its source, in the words of a table."""

    key: str
    expected: str
    tolerance: str
    ours: str
    difference: str
    verdict: str
    kind: str
    """ "good", "odd" (differs, and the reason is known) or "bad"."""
    source: str
    reason: str
    origin: str = ""
    """Whether the source prints it, or it is computed by us."""


@dataclass(frozen=True, eq=False)
class Story:
    """What a report tells besides the run itself."""

    title: str
    name: str = ""
    citation: str = ""
    changes: str = ""
    """What was changed of the scenario, in words."""
    figures: tuple[FigureOf, ...] = ()
    numbers: tuple[Told, ...] = ()
    drawn_by: str = ""
    """The command that draws the figures, where they wait to be asked for."""


def all_figures(run: Run, story: Story) -> tuple[FigureOf, ...]:
    """Figures of the story, then the usual ones: energy, forces and contacts are not drawn twice."""
    own = {type(figure) for figure in story.figures} & {Energies, Forces, Contacts}
    return (*story.figures, *(figure for figure in usual_figures(run) if type(figure) not in own))


def usual_figures(run: Run) -> tuple[FigureOf, ...]:
    """What is worth seeing of any run."""
    found: list[FigureOf] = [Curves(tuple(default_channels(run)), title="what moves")]
    if _moves(run) and run.time[-1] > run.time[0]:  # a run that failed at once has no path
        until = visible_until(run)
        whole = until >= run.time[-1]
        every = float(until - run.time[0]) / 10
        for view in ("top", "side"):
            title = f"path, {view} view" + ("" if whole else f", the first {until:.3g} s")
            found.append(PathFigure(view, every, title=title, until=None if whole else until))
    found.append(Energies(title=f"energy ({run.energy[0]:.6g} J at the start)"))
    if any(np.nanmax(np.abs(values), initial=0.0) > 0.0 for values in run.forces.values()):
        found.append(Forces(title="forces of the ground"))
    if run.group("modes"):
        found.append(Contacts(title="contacts that open and close"))
    return tuple(found)


def _moves(run: Run) -> bool:
    """Whether a path is worth a picture: something moves, or the system has parts that may turn."""
    traces = ground_traces(run)
    if not traces:
        return False
    if run.system is not None and reach(run.system) > 0.0:
        return True
    return any(np.nanmax(np.abs(points - points[0]), initial=0.0) > STILL for points in traces.values())


def visible_until(run: Run) -> float:
    """Last instant until which the system, drawn on the whole path, is large enough to be seen."""
    trace = next(iter(ground_traces(run).values()))
    size = 2.0 * reach(run.system) if run.system is not None else np.inf
    away = np.linalg.norm(trace - trace[0], axis=1)
    far = np.flatnonzero(away > MOST_LENGTHS * size)
    return float(run.time[far[0]] if len(far) else run.time[-1])


def draw_figures(
    figures: Sequence[FigureOf], run: Run | None, rerun: Rerun | None, folder: Path, prefix: str = ""
) -> list[tuple[Path, str]]:
    """Pictures of the figures, numbered in order, with their captions."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for k, figure in enumerate(figures):
        label = type(figure).__name__.lower()
        file = folder / f"{prefix}{k + 1:02d}-{label}.png"
        draw(figure, run, rerun, file)
        found.append((file, _caption(figure)))
    return found


def write_report(run: Run, audit: Audit, story: Story, folder: Path, rerun: Rerun | None = None) -> list[Path]:
    """Write `run.nc`, `report.html` and, unless they wait to be asked for, `figures/` into a folder that exists."""
    run.save(folder / "run.nc")
    pictures = [] if story.drawn_by else draw_figures(all_figures(run, story), run, rerun, folder / "figures")
    report = write_text(folder / "report.html", report_page(run, audit, story, pictures, scene_part(run)))
    return [folder / "run.nc", report, *(file for file, _ in pictures)]


def scene_part(run: Run) -> str:
    """The moving picture, or why there is none."""
    try:
        return embedded(build_page(run, megabytes=SCENE_MEGABYTES).text, "the run, moving")
    except (MissingExtraError, ViewingError) as error:
        return paragraph(f"No moving picture: {error}.", "soft")


def report_page(run: Run, audit: Audit, story: Story, pictures: Sequence[tuple[Path, str]], scene: str = "") -> str:
    """HTML of the report of a run."""
    parts = [heading(story.title, 1)]
    parts += [paragraph(text, "soft") for text in (story.citation, story.changes) if text]
    parts.append(paragraph(f"{len(run):,} samples, {run.time[0]:g} to {run.time[-1]:g} s: {run.status}."))
    parts += [heading("The motion"), scene] if scene else []
    parts += [heading("Can it be trusted?"), table(("", "the audit"), audit.lines)]
    parts += [heading("Figures"), grid(picture(file, caption) for file, caption in pictures)] if pictures else []
    parts += [heading("Figures"), _waiting(run, story)] if story.drawn_by else []
    if story.numbers:
        agree = sum(number.kind != "bad" for number in story.numbers)
        parts += [
            heading("Against the source"),
            paragraph(f"{agree} of {len(story.numbers)} numbers are as the registry of scenarios says."),
            paragraph(f"Where they come from: {by_origin(story.numbers)}."),
            number_table(story.numbers),
        ]
    if run.events:
        parts += [heading("Events"), _events(run)]
    parts += [heading("Parameters and settings"), _parameters(run), _settings(run), heading("Channels")]
    parts.append(paragraph("All of them are in run.nc (NetCDF), with these names and units."))
    parts.append(folded(f"{len(run.channels)} channels", _channels(run)))
    parts.append(paragraph(f"Made by locomotor {__version__}.", "soft"))
    return page(story.title, parts)


def _waiting(run: Run, story: Story) -> str:
    """What the figures would show, and the command that draws them."""
    captions = [_caption(figure) for figure in all_figures(run, story)]
    told = paragraph(
        f"{len(captions)} figures are drawn on demand, by the command below; the scene has the curves of all channels."
    )
    return told + command(story.drawn_by) + folded("what they show", listed(captions))


def _caption(figure: FigureOf) -> str:
    return ": ".join(text for text in (figure.source, figure.title) if text) or words(type(figure).__name__.lower())


def by_origin(numbers: Sequence[Told]) -> str:
    """How many numbers the source prints, and how many are computed by us."""
    counts = Counter(number.origin for number in numbers if number.origin)
    return ", ".join(f"{count} {origin}" for origin, count in counts.items())


def number_table(numbers: Sequence[Told]) -> str:
    """Numbers beside their sources, source by source; long lists that all agree are folded."""
    groups: dict[tuple[str, str], list[Told]] = {}
    for number in numbers:
        groups.setdefault((number.source, number.reason), []).append(number)
    columns = ("number", "expected", "tolerance", "ours", "difference", "verdict")
    shown: list[tuple[object, ...]] = []
    put_away: list[str] = []
    for (source, reason), members in groups.items():
        whose = f"{members[0].origin}: " if members[0].origin else ""
        label = f"{whose}{source} (tolerance: {reason})"
        rows = [(n.key, n.expected, n.tolerance, n.ours, n.difference, Cell(n.verdict, n.kind)) for n in members]
        if len(members) > MOST_SHOWN and all(member.kind == "good" for member in members):
            put_away.append(folded(f"{len(members)} more numbers agree: {label}", table(columns, rows, columns[1:5])))
        else:
            shown += [(label,), *rows]
    return "".join([table(columns, shown, columns[1:5]) if shown else "", *put_away])


def _events(run: Run) -> str:
    """Time, impulse and energy of every event, and what it was; long lists are folded."""
    columns = (*COLUMNS, "what happened")
    shared = Counter((event.time, event.energy_before) for event in run.events if any(event.impulse))
    rows = []
    for row, event in zip(run.events.rows(), run.events, strict=True):
        others = any(event.impulse) and shared[event.time, event.energy_before] > 1
        # Contacts that share an impact have a row each, and lose that energy once.
        rows.append((*row[:-1], f"{row[-1]} together" if others else row[-1], event.description))
    shown = table(columns, rows, (COLUMNS[0], *COLUMNS[2:]))
    return folded(f"{len(rows)} events", shown) if len(rows) > MOST_EVENTS else shown


def _parameters(run: Run) -> str:
    if run.system is None:
        rows = [(name, f"{value:.12g}", "", "") for name, value in run.parameters.items()]
        sources: list[str] = []
    else:
        known = run.system.parameters.parameters
        rows = [(p.name, f"{p.value:.12g}", p.unit, p.description) for p in known]
        sources = list(dict.fromkeys(p.source for p in known if p.source))
    shown = table(("parameter", "value", "unit", "meaning"), rows, ("value",)) if rows else ""
    return shown + (paragraph(f"Sources: {'; '.join(sources)}.", "soft") if sources else "")


def _settings(run: Run) -> str:
    rows = [(words(name), value) for name, value in run.settings.items() if value is not None]
    return table(("setting", "value"), rows)


def _channels(run: Run) -> str:
    columns = ("channel", "unit", "meaning", "start", "end", "smallest", "largest")
    rows = []
    for name, values in run.channels.items():
        about = run.about[name]
        numbers = (values[0], values[-1], values.min(), values.max())
        rows.append((name, about.unit, about.description, *(f"{number:.6g}" for number in numbers)))
    return table(columns, rows, columns[3:])
