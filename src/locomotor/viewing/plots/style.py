"""How our plots look, and the words on them: names, symbols and units come from the run's table of channels."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locomotor.errors import ViewingError
from locomotor.files import draft
from locomotor.simulation import Run
from locomotor.typing import Vector

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#0b5fa5", "#c8501e", "#2a8a4a", "#8a4fa3", "#b58900", "#1a9aa0", "#a03050", "#5b6770")
"""Told apart in print and by most colour-blind readers: blue, orange, green first."""
QUIET = "#8a939c"
"""For what must not compete with the data."""
STABLE = "#2a8a4a"
ALARM = "#b3261e"
WIDTH = 6.4
"""Width of a figure, inches: a text column and a half."""
DOTS = 200
"""Dots an inch of saved pictures."""

SETTINGS: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": "#4a5259",
    "axes.grid": True,
    "axes.labelcolor": "#22282d",
    "axes.labelsize": 9,
    "axes.linewidth": 0.7,
    "axes.prop_cycle": f"cycler(color={list(COLOURS)!r})",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "figure.constrained_layout.use": True,
    "figure.dpi": 110,
    "figure.facecolor": "white",
    "font.size": 9,
    "grid.color": "#dfe3e6",
    "grid.linewidth": 0.6,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "mathtext.fontset": "cm",
    "savefig.dpi": DOTS,
    "svg.fonttype": "none",
    "xtick.color": "#4a5259",
    "xtick.labelsize": 8,
    "ytick.color": "#4a5259",
    "ytick.labelsize": 8,
}


@contextmanager
def styled() -> Iterator[None]:
    """Our look inside the block; the user's settings are untouched."""
    import matplotlib as mpl

    with mpl.rc_context(SETTINGS):
        yield


def new_figure(path: str | Path | None, **options: Any) -> Figure:
    """A figure: known to pyplot when it is to be shown, on its own when it goes to a file or shows itself in a notebook."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    if path is not None:
        return Figure(**options)
    if "inline" in mpl.get_backend().lower():
        return notebook_figure()(**options)
    from matplotlib import pyplot

    return pyplot.figure(**options)


@cache
def notebook_figure() -> Any:
    """The kind of figure that a notebook shows exactly once: when it is drawn, wherever in a cell, and not again as its result.

    Pyplot would show what it knows when the cell ends, and the notebook the result of the cell once more; a plain figure is a
    line of text until somebody has imported pyplot. A figure that is named again in a later cell is shown there.
    """
    from matplotlib.figure import Figure

    class NotebookFigure(Figure):
        _shown_in = 0
        """Number of the cell that it was drawn in."""

        def show_now(self) -> None:
            self._shown_in = _cell()
            self._display()

        def _ipython_display_(self) -> None:
            if self._shown_in != _cell():
                self._display()

        def _display(self) -> None:
            from IPython.display import Image, display

            stream = io.BytesIO()
            with styled():
                self.savefig(stream, format="png", dpi=self.get_dpi())
            display(Image(stream.getvalue()))

    return NotebookFigure


def _cell() -> int:
    """Number of the cell that runs."""
    from IPython import get_ipython

    return int(getattr(get_ipython(), "execution_count", 0))


LETTERS, BESIDE = 100, 6
"""Letters of a legend that stand side by side in a figure, and how many of them the line before a label takes."""


def head(figure: Figure, title: str) -> None:
    """The title of a whole figure."""
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=10.5)


def legend_above(axis: Any, columns: int = 4) -> None:
    """The legend over the right end of a panel: the power of ten of its scale stands over the left one.

    Labels that would not fit side by side take more rows: a legend that is wider than the figure pushes the panel aside.
    """
    labels = axis.get_legend_handles_labels()[1]
    longest = max(map(len, labels), default=1) + BESIDE
    axis.legend(
        ncols=max(1, min(len(labels), columns, LETTERS // longest)),
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        borderaxespad=0.1,
    )


def save(figure: Figure, path: str | Path | None) -> Figure:
    """Write the figure when a path is given; it appears under its name only when it is complete. A notebook shows it."""
    if path is None and "IPython" in sys.modules and isinstance(figure, notebook_figure()):
        figure.show_now()
    if path is not None:
        kind = Path(path).suffix.lstrip(".") or "png"
        with draft(Path(path)) as unfinished:
            try:
                # Packing a picture hard takes longer than drawing it, and saves a fifth of its size.
                packed: Any = {"pil_kwargs": {"compress_level": 1}} if kind == "png" else {}
                figure.savefig(unfinished, format=kind, **packed)
            except ValueError as error:  # matplotlib does not know the kind of file, or not the LaTeX of a label
                words = str(error).strip().splitlines()
                raise ViewingError(
                    f"{str(path)!r} cannot be drawn: {words[-1] if words else 'matplotlib refuses it'}; give a name that "
                    "ends in .png, .pdf or .svg, and LaTeX that matplotlib can read (latex= of joints and parameters)"
                ) from error
    return figure


# -- words --------------------------------------------------------------------------------------------


def unit_text(unit: str) -> str:
    """A unit as printed: `kg m^2` with a raised 2; nothing for a pure number."""
    return "" if unit in ("", "1") else re.sub(r"\^(-?\d+)", r"$^{\1}$", unit)


def words(name: str) -> str:
    """A channel's name in words."""
    return name.replace("_", " ")


def curve_label(run: Run, name: str) -> str:
    """Name and symbol of a channel, for a legend."""
    latex = run.about[name].latex if name in run.about else ""
    if latex == name:
        return f"${latex}$"
    return f"{words(name)} ${latex}$" if latex and not _repeats(latex, name) else words(name)


def _repeats(latex: str, name: str) -> bool:
    """Whether a symbol is only the name again: one made from it because none was declared."""
    letters = re.sub(r"\\mathrm|\\dot|[^A-Za-z0-9]", "", latex)
    spelt = len(letters) > 3 or (len(letters) > 1 and r"\mathrm" in latex)
    return spelt and letters.lower() in name.replace("_", "").lower()


def axis_label(run: Run, name: str) -> str:
    """Name, symbol and unit of a channel, for an axis."""
    if name in ("time", "t"):
        return "time $t$ (s)"
    unit = unit_text(run.about[name].unit)
    return curve_label(run, name) + (f" ({unit})" if unit else "")


# -- thinning -----------------------------------------------------------------------------------------

MOST_POINTS = 4000
"""More points than this in one curve are not seen, only paid for."""


def thin(time: Vector, values: Vector, most: int = MOST_POINTS) -> tuple[Vector, Vector]:
    """The smallest and the largest value of each of many short stretches, in order: no peak is lost."""
    n = len(time)
    if n <= most:
        return time, values
    edges = np.linspace(0, n, most // 2 + 1).astype(int)[:-1]
    # Samples that are not numbers must not hide their neighbours.
    finite = np.where(np.isfinite(values), values, 0.0)
    count = len(edges)
    picks = np.empty(2 * count + 1, dtype=np.intp)
    for i, (low, high) in enumerate(zip(edges, [*edges[1:], n], strict=True)):
        part = finite[low:high]
        a, b = int(part.argmin()), int(part.argmax())
        picks[2 * i], picks[2 * i + 1] = low + min(a, b), low + max(a, b)
    picks[-1] = n - 1
    return time[picks], values[picks]


def thin_path(x: Vector, y: Vector, most: int = MOST_POINTS) -> tuple[Vector, Vector]:
    """Every so many points of a plane curve, the last included."""
    n = len(x)
    if n <= most:
        return x, y
    picks = np.unique(np.linspace(0, n - 1, most).astype(int))
    return x[picks], y[picks]
