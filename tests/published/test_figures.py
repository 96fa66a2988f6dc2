"""Every figure that the registry declares is drawn: each of its channels exists, and each curve is on the picture.

Runs and grids are shortened, and the layout is left alone: what is drawn matters here, not where it stands.
"""

import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import partial, singledispatch
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

import locomotor as lm
from locomotor import figures as declared
from locomotor.errors import UnknownNameError
from locomotor.scenarios import Entry, Scenario, scenario, scenarios
from locomotor.viewing.plots import poses as plot_poses
from locomotor.viewing.plots import style
from locomotor.viewing.plots.figures import draw

MOMENT = 0.3
"""Seconds of motion that a figure is drawn of here."""
ILLUSTRATED = [entry for entry in scenarios() if entry.figures]


@pytest.fixture(autouse=True)
def rough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small pictures without a search for their layout: nine tenths of the time go there."""
    monkeypatch.setitem(style.SETTINGS, "figure.constrained_layout.use", False)
    monkeypatch.setitem(style.SETTINGS, "savefig.dpi", 30)
    monkeypatch.setattr(plot_poses, "SIZES", {"top": (64, 30), "front": (64, 52)})


def moment(entry: Scenario, **changes: Any) -> lm.Run:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lm.RunWarning)
        return entry.run(**{**changes, "duration": min(MOMENT, entry.settings["duration"])})


@singledispatch
def shortened(figure: declared.FigureOf) -> declared.FigureOf:
    """The same figure with less to compute."""
    return figure


@shortened.register
def _(figure: declared.Eigenvalues) -> declared.FigureOf:
    return replace(figure, count=5)


@shortened.register
def _(figure: declared.Contours) -> declared.FigureOf:
    return replace(figure, across=figure.across[::8], up=figure.up[::9])


def curves(made: Figure) -> list[np.ndarray[Any, Any]]:
    """Ordinates of all lines drawn from data."""
    return [np.asarray(line.get_ydata(), dtype=float) for axis in made.axes for line in axis.get_lines()]


@singledispatch
def drawn(figure: declared.FigureOf, made: Figure, run: lm.Run | None) -> Iterator[str]:
    """What is missing on the picture of a figure."""
    if not any(axis.has_data() or axis.images or axis.texts for axis in made.axes):
        yield "nothing is drawn"


@drawn.register
def _(figure: declared.Curves, made: Figure, run: lm.Run | None) -> Iterator[str]:
    assert run is not None
    shown = curves(made)
    if figure.by_contact:  # a line for each stretch between events, and a panel for each channel
        if [axis.get_ylabel().partition("$")[0].split("(")[0].split() for axis in made.axes] != [
            name.split("_") for name in figure.channels
        ]:
            yield f"panels {[axis.get_ylabel() for axis in made.axes]}"
        return
    for name in figure.channels:
        if not any(np.array_equal(line, run[name], equal_nan=True) for line in shown):
            yield f"no curve shows {name!r}"
    for name, level in figure.levels.items():
        if name not in figure.channels or not any(np.array_equal(line, [level, level]) for line in shown):
            yield f"no level of {name!r}"


@drawn.register
def _(figure: declared.Variations, made: Figure, run: lm.Run | None) -> Iterator[str]:
    wanted = len(figure.channels) * (len(figure.runs) - figure.difference)
    if len(curves(made)) != wanted:
        yield f"{len(curves(made))} curves instead of {wanted}"


@pytest.mark.parametrize(
    "entry", [pytest.param(entry, id=entry.name, marks=pytest.mark.slow if entry.slow else ()) for entry in ILLUSTRATED]
)
@pytest.mark.sampled(30)
def test_every_declared_figure_is_drawn(entry: Entry, tmp_path: Path) -> None:
    run, rerun = (moment(entry), partial(moment, entry)) if isinstance(entry, Scenario) else (None, None)
    for k, figure in enumerate(entry.figures):
        # A moment of the run may end before `until` begins to matter, never the other way round.
        made = draw(shortened(figure), run, rerun, tmp_path / f"{k}.png")
        assert list(drawn(figure, made, run)) == [], f"{entry.name}: {figure}"
        assert np.ptp(imread(tmp_path / f"{k}.png")[..., :3]) > 0.3, f"{entry.name}: {figure} is an empty picture"
        assert figure.title, f"{entry.name}: a figure without a title"


def test_a_misspelt_channel_is_found() -> None:
    """What the test above is there for."""
    entry = scenario("bicycle/E4")
    spelt = next(figure for figure in entry.figures if isinstance(figure, declared.Curves))
    wrong = replace(spelt, channels=(*spelt.channels[:-1], spelt.channels[-1] + "s"))
    with pytest.raises(UnknownNameError, match=f"did you mean '{spelt.channels[-1]}'"):
        draw(wrong, moment(entry), None, None)
