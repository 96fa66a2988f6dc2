"""Poses of a system beside each other, each a picture with lines of the world drawn over it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locomotor.errors import UnknownNameError
from locomotor.figures import Pose
from locomotor.names import suggestion
from locomotor.viewing.plots.style import COLOURS, WIDTH, head, new_figure, save, styled
from locomotor.viewing.scene import FRONT, TOP, picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

VIEWS = {"top": TOP, "front": FRONT}
SIZES = {"top": (640, 300), "front": (640, 520)}
COLUMNS = 2


def plot_poses(poses: Sequence[Pose], view: str = "top", path: str | Path | None = None, *, title: str | None = None) -> Figure:
    """Two poses a row; what the lines are is told once."""
    from matplotlib.lines import Line2D

    if view not in VIEWS:
        raise UnknownNameError(f"no view is named {view!r}: {suggestion(view, VIEWS)}")
    rows = -(-len(poses) // COLUMNS)
    wide, high = SIZES[view]
    labels: dict[str, Any] = {}
    with styled():
        figure = new_figure(path, figsize=(WIDTH, 0.75 + rows * (0.25 + 0.5 * WIDTH * high / wide)))
        axes = np.atleast_1d(figure.subplots(rows, COLUMNS, squeeze=False)).ravel()
        for axis, pose in zip(axes, poses, strict=False):
            looks = [f"{colour}{'--' if k else ''}" for k, colour in enumerate(COLOURS[: len(pose.lines)])]
            lines = [(np.asarray(points, dtype=float), look) for points, look in zip(pose.lines.values(), looks, strict=False)]
            axis.imshow(picture(pose.system, pose.coordinates, view=VIEWS[view], size=(wide, high), lines=lines, zoom=0.9))
            axis.set_title(pose.label, fontsize=9)
            for name, look in zip(pose.lines, looks, strict=False):
                labels[name] = Line2D([], [], color=look.removesuffix("--"), linestyle="--" if "--" in look else "-")
        for axis in axes:
            axis.set_axis_off()
        if labels:
            figure.legend(list(labels.values()), list(labels), loc="outside lower center", ncols=2)
        head(figure, title or "")
        return save(figure, path)
