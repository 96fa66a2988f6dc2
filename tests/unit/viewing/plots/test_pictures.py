"""Paths with the system drawn from its geometry, eigenvalues with the stable band, declared figures."""

import math
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

import locomotor as lm
from locomotor import figures as declared
from locomotor.analysis import eigenvalue_curves
from locomotor.viewing.plots.eigenvalues import plot_eigenvalues
from locomotor.viewing.plots.figures import draw, shorten
from locomotor.viewing.plots.outline import outline, placed, poses


@pytest.fixture(scope="module")
def run() -> lm.Run:
    return lm.simulate(lm.catalogue.bicycle(), duration=2.0, start={"speed": 4.6, "roll_rate": 0.5}, step=0.005)


def test_wheels_of_the_outline_touch_the_ground_where_the_run_says(run: lm.Run) -> None:
    assert run.system is not None
    lines = outline(run.system)
    for sample in (0, 150, 400):
        wheels = [points for kind, points in placed(lines, poses(run, run.system, sample)) if kind == "wheel"]
        for wheel, contact in zip(wheels, ("rear", "front"), strict=True):
            # The circle has 48 corners: the lowest one is at most r (1 - cos(pi/48)) above the true one, 0.8 mm.
            touching = run.contact_points[contact][sample]
            assert np.linalg.norm(wheel - touching, axis=1).min() < 0.35 * math.pi / 48 + 1e-9
            assert abs(wheel[:, 2].min()) < 1e-3


def test_kinds_of_contacts_have_their_lines() -> None:
    system = lm.System(
        "zoo",
        bodies=[lm.Body(name, mass=1.0, inertia=(1, 1, 1)) for name in ("a", "b")],
        joints=[
            lm.Free(name="base", parent="world", child="a"),
            lm.Revolute(name="hinge", parent="a", child="b", at=(1, 0, 0), axis=(0, 0, 1)),
        ],
        contacts=[
            lm.RollingTorus("tyre", body="a", centre=(0, 0, 0), axis=(0, 1, 0), radius=0.3, tube=0.05),
            lm.RollingSphere("ball", body="b", centre=(0, 0, 0), radius=0.35),
            lm.Skate("blade", body="a", at=(0, 0, -0.35), heading=(1, 0, 0)),
            lm.SlidingPoint("foot", body="b", at=(0, 0, -0.35)),
        ],
        nominal={"z": 0.35},
    )
    lines = outline(system)
    kinds = [line.kind for line in lines]
    assert kinds.count("wheel") == 1 + 3 + 1 and kinds.count("point") == 1 and kinds.count("mass") == 2
    torus = next(line.points for line in lines if line.kind == "wheel")
    assert np.linalg.norm(torus, axis=1) == pytest.approx(np.full(len(torus), 0.35))


def test_path_shows_as_many_systems_as_asked_for(run: lm.Run, tmp_path: Path) -> None:
    assert run.system is not None
    figure = run.plot(kind="side", every=0.5, path=tmp_path / "side.png")
    (axis,) = figure.axes
    traces = len(run.contact_points)
    ground = 1
    assert len(axis.lines) == traces + ground + 5 * len(outline(run.system))  # at 0, 0.5, ..., 2 s
    low, high = axis.get_ylim()
    assert low < 0.0 and high > 0.9  # the centre of mass, 0.9 m up, is on the page


def test_path_of_a_run_from_a_file(run: lm.Run, tmp_path: Path) -> None:
    read = lm.load(run.save(tmp_path / "run.nc"))
    assert read.system is not None
    (axis,) = read.plot(kind="top", every=1.0, path=tmp_path / "top.png").axes
    assert len(axis.lines) == 2 + 3 * len(outline(read.system))
    unknown = lm.Run(**{**vars(read), "system": None})
    (axis,) = unknown.plot(kind="top", path=tmp_path / "top.png").axes
    assert len(axis.lines) == 2


def test_stable_band_is_shaded_where_it_is(tmp_path: Path) -> None:
    curves = eigenvalue_curves(lm.catalogue.bicycle(), {"speed": np.linspace(1.0, 9.0, 41)})
    figure = plot_eigenvalues(curves, tmp_path / "eigenvalues.png", marks={"walking": 1.4})
    (axis,) = figure.axes
    (band,) = [patch for patch in axis.patches if isinstance(patch, mpl.patches.Rectangle)]
    # Meijaard et al. 2007: weave and capsize speeds.
    assert band.get_x() == pytest.approx(4.29238253634111, abs=1e-8)
    assert band.get_x() + band.get_width() == pytest.approx(6.02426201538837, abs=1e-8)
    assert "speed $V_x$ (m/s)" in axis.get_xlabel()
    assert any(text.get_text().strip() == "walking" for text in axis.texts)
    figure.draw_without_rendering()
    (words,) = (text for text in axis.texts if text.get_text().startswith("stable"))
    foot = axis.transData.inverted().transform(words.get_window_extent())[0, 1]
    assert foot > max(curves.eigenvalues.real.max(), curves.eigenvalues.imag.max())  # no curve crosses the words


FIGURES = [
    (declared.Curves(("roll", "steer"), levels={"roll": 0.1}, title="angles"), 1),
    (declared.PhasePlane("roll", "roll_rate"), 2),  # the colour bar is an axis too
    (declared.Path("top", 0.5), 1),
    (declared.Energies(), 2),
    (declared.Forces(), 2),
    (declared.Variations(("roll", "steer"), {"as is": {}, "slow": {"start": {"speed": 4.0}}}), 2),
    (declared.Variations(("roll",), {"as is": {}, "coarse": {"step": 0.02}}, difference=True, until=1.0), 1),
    (declared.Eigenvalues(lm.catalogue.bicycle, "speed", 4.0, 7.0, 7), 1),
    (declared.Contours(lambda x, y: {"p": np.add.outer(y, x), "q": np.outer(y, x)}, (0, 1, 2), (0, 1), "x (m)", "y (m)"), 2),
    (declared.Lines(lambda: {"a": ((0, 1), (0, 2)), "border": ((0, 1), (1, 1))}, "x (m)", "y (m)", ("border",)), 1),
]


@pytest.mark.parametrize(("figure", "axes"), FIGURES, ids=lambda value: type(value).__name__)
def test_declared_figures_are_drawn(run: lm.Run, tmp_path: Path, figure: declared.FigureOf, axes: int) -> None:
    def rerun(**changes: object) -> lm.Run:
        settings = {"start": {"speed": 4.6, "roll_rate": 0.5}, "step": 0.01, "sample": 0.02, **changes}
        return lm.simulate(lm.catalogue.bicycle(), duration=2.0, **settings)  # type: ignore[arg-type]

    made = draw(figure, run, rerun, tmp_path / "a.png")
    assert len([axis for axis in made.axes if axis.get_visible()]) == axes
    assert (tmp_path / "a.png").stat().st_size > 5_000


def test_a_figure_of_the_beginning_only(run: lm.Run) -> None:
    part = shorten(run, 0.5)
    assert part.time[-1] == 0.5 and len(part["roll"]) == len(part) == 101
    assert shorten(run, 99.0) is run


def test_a_figure_that_needs_a_run_says_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="shows a run"):
        draw(declared.Curves(("roll",)), None, None, tmp_path / "a.png")


def test_long_labels_of_a_legend_leave_the_panel_its_width() -> None:
    """Four labels as long as a sentence once pushed the panel into the right half of the figure."""
    from locomotor.figures import Lines
    from locomotor.viewing.plots.figures import draw

    lines = Lines(lambda: {f"a label of many words, the {k}th of four": ([0.0, 1.0], [0.0, k]) for k in range(4)}, "x", "y")
    figure = draw(lines, None, None, None)
    figure.draw_without_rendering()
    panel = figure.axes[0].get_position()
    assert panel.width > 0.7 and panel.height > 0.5
