"""Plots of contacts that open and close: strips of modes, marks of events, and the ground under a path."""

import dataclasses

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import locomotor as lm
from locomotor.errors import UnknownNameError
from locomotor.model import Plane, Terrain
from locomotor.simulation.status import Events
from locomotor.viewing.plots.event_marks import FEW
from locomotor.viewing.plots.ground_lines import cut, edges, ground_lines
from locomotor.viewing.plots.modes import closed_spans


@pytest.fixture(scope="module")
def ball() -> lm.Run:
    return lm.simulate(lm.catalogue.bouncing_ball(), 3.0, start={"z": 0.6}, step=0.01)


@pytest.fixture(scope="module")
def wheel() -> lm.Run:
    return lm.simulate(lm.catalogue.rimless_wheel(), 2.0, start={"pitch_rate": 1.5}, step=0.01)


@pytest.fixture(autouse=True)
def closing() -> object:
    """Figures that are to be shown stay known to pyplot."""
    from matplotlib import pyplot

    yield
    pyplot.close("all")


def texts(figure: Figure) -> str:
    return "\n".join(text.get_text() for text in figure.findobj(Text))


def test_strips_are_the_times_between_impacts(wheel: lm.Run) -> None:
    times = [event.time for event in wheel.events if event.kind == "impact"]
    spans = [span for k in range(8) for span in closed_spans(wheel, f"foot_{k}")]
    # One foot after the other stands, without a gap.
    assert np.sort([first for first, _ in spans]) == pytest.approx([0.0, *times])
    assert np.sort([last for _, last in spans]) == pytest.approx([*times, 2.0])
    figure = wheel.plot(kind="modes")
    bars = [bar for axis in figure.axes for bar in axis.collections if isinstance(bar, mpl.collections.PolyCollection)]
    assert "foot 3" in texts(figure) and len(bars) >= 5


def test_modes_of_a_run_whose_contacts_stay_closed_are_refused() -> None:
    run = lm.simulate(lm.catalogue.bicycle(), 0.1, start={"speed": 5.0})
    with pytest.raises(UnknownNameError, match="no contact of it opens or closes; plot its forces"):
        run.plot(kind="modes")


def test_few_events_are_named_and_many_are_counted(ball: lm.Run) -> None:
    assert len(ball.events) > FEW
    figure = ball.plot("z")
    impacts = len(ball.events.of("floor", "impact"))
    assert f"floor impact ({impacts}x)" in texts(figure)
    few = dataclasses.replace(ball, events=Events(ball.events[:3]))
    figure = few.plot("z")
    assert texts(figure).count("floor impact") == 3 and "x)" not in texts(figure)
    lines = [line for line in figure.axes[0].lines if len(set(line.get_xdata())) == 1]
    assert [line.get_xdata()[0] for line in lines] == pytest.approx(ball.events.times[:3])


def test_energy_that_changes_by_round_off_is_a_straight_line(ball: lm.Run) -> None:
    still = {**ball.channels, "kinetic_energy": 0.0 * ball.time, "potential_energy": 1.0 + 1e-13 * np.sin(ball.time)}
    figure = dataclasses.replace(ball, channels=still).plot(kind="events")
    low, high = figure.axes[-1].get_ylim()
    assert high - low > 1e-7


# -- grounds under a path ---------------------------------------------------------------------------------------------


def test_a_slope_is_cut_along_the_path() -> None:
    slope = 0.2
    plane = Plane(point=(0.0, 0.0, 0.5), normal=(np.sin(slope), 0.0, np.cos(slope)))
    (line,) = cut(plane, 3.0, {})
    x, z = line[:, 0], line[:, 2]
    assert (z[1] - z[0]) / (x[1] - x[0]) == pytest.approx(-np.tan(slope))
    assert np.interp(0.0, np.sort(x), z[np.argsort(x)]) == pytest.approx(0.5)


def test_a_terrain_is_cut_and_has_its_edges() -> None:
    kerb = Terrain.kerb(0.15, approach=4.0, length=12.0, width=6.0)
    points = np.concatenate(cut(kerb, 0.7, {}))
    assert points[:, 1] == pytest.approx(0.7)
    away = np.abs(points[:, 0]) > 1e-12  # on the wall of the kerb any height may be
    assert set(np.round(points[away, 2], 12)) == {0.0, 0.15} and points[:, 0].min() == -4.0 and points[:, 0].max() == 12.0
    # Both edges of the kerb and the outline, not the diagonals of its rectangles.
    lines = edges(kerb, 0.0, {})
    straight = [(a, b) for a, b in lines if np.count_nonzero(np.abs(b - a) > 1e-9) == 1]
    assert len(straight) == len(lines) == 10


def test_only_grounds_that_are_touched_are_drawn() -> None:
    bike = lm.catalogue.bicycle()
    assert len(ground_lines(bike, "side")) == 1 and ground_lines(bike, "top") == []
    assert ground_lines(lm.catalogue.satellite(), "side") == []


def test_a_path_over_a_terrain_shows_it(wheel: lm.Run) -> None:
    assert wheel.system is not None
    road = Terrain.kerb(0.1, approach=3.0, length=5.0)
    run = dataclasses.replace(wheel, system=wheel.system.replace(grounds=(road,)))
    for view, least in (("side", 3), ("top", 2)):
        plain, rough = (len(each.plot(kind=view).axes[0].lines) for each in (wheel, run))
        assert rough >= plain + least - (view == "side"), view
