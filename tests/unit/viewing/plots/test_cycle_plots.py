"""Plots of cycles and families: orbit, Poincaré map, multipliers in the unit circle, stability along a parameter."""

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure
from matplotlib.text import Text

import locomotor as lm
from locomotor.errors import UnknownNameError, ViewingError
from locomotor.viewing.plots.cycle import follow
from locomotor.viewing.plots.families import plot_scan, quantities


@pytest.fixture(scope="module")
def climb() -> lm.Cycle:
    return lm.find_cycle(lm.catalogue.rocr(), {"yaw": 3.13, "yaw_rate": 6.8}, step=1.0 / 60.0)


@pytest.fixture(scope="module")
def step() -> lm.Cycle:
    return lm.find_cycle(lm.catalogue.rimless_wheel(), {"pitch_rate": 1.5}, section="impact", step=0.01)


@pytest.fixture(autouse=True)
def closing() -> object:
    yield
    pyplot.close("all")


def texts(figure: Figure) -> str:
    return "\n".join(text.get_text() for text in figure.findobj(Text))


def test_the_orbit_closes_and_its_jumps_are_dashed(climb: lm.Cycle) -> None:
    figure = climb.plot()
    (axis,) = figure.axes
    assert r"yaw $\psi$ (rad)" in texts(figure) and "stable cycle of 0.66667 s" in texts(figure)
    dashed = [line for line in axis.lines if line.is_dashed()]
    grips = [event for event in climb.run.events if any(event.impulse)]
    assert len(dashed) >= len(grips) >= 1
    jumps = [abs(float(np.ptp(line.get_ydata()))) for line in dashed]
    assert max(jumps) > 10.0  # the yaw rate turns round when a grip closes


def test_multipliers_lie_in_the_unit_circle(climb: lm.Cycle) -> None:
    figure = climb.plot(kind="multipliers")
    (axis,) = figure.axes
    points = [(float(line.get_xdata()[0]), float(line.get_ydata()[0])) for line in axis.lines if len(line.get_xdata()) == 1]
    assert points == [(value.real, value.imag) for value in climb.multipliers]
    assert [patch.radius for patch in axis.patches] == [1.0, 1.0]
    assert f"{abs(climb.multipliers[0]):.4f}" in texts(figure)


def test_a_return_map_of_one_unknown(step: lm.Cycle) -> None:
    figure = step.plot(kind="poincare")
    lines = {line.get_label(): line for line in figure.axes[0].lines}
    x, y = lines["next passage"].get_data()
    # The slope of the map where it comes back is the multiplier; differences over the range of the map see its curvature.
    middle = len(x) // 2
    slope = (y[middle + 1] - y[middle - 1]) / (x[middle + 1] - x[middle - 1])
    assert slope == pytest.approx(step.multipliers[0].real, abs=1e-3)
    stairs = lines["a motion"].get_xdata()
    assert abs(stairs[-1] - step.values[0]) < 0.01 * abs(stairs[0] - step.values[0])


def test_passages_come_to_a_stable_cycle(climb: lm.Cycle) -> None:
    away = climb.values + [0.05, 0.1]
    points = follow(climb, away, 6)
    distances = np.abs(points - climb.values).max(axis=1)
    assert len(points) == 7 and distances[-1] < 0.4**5 * distances[0]
    figure = climb.plot(kind="poincare")
    assert "yaw rate" in texts(figure) and len(figure.axes[0].collections) == 4


def test_kinds_of_a_run_show_one_period(climb: lm.Cycle) -> None:
    assert "grip 1" in texts(climb.plot(kind="modes"))
    with pytest.raises(UnknownNameError, match="did you mean 'orbit'"):
        climb.plot(kind="orbits")
    with pytest.raises(UnknownNameError, match="'swing' is not unknown on the section"):
        climb.plot("swing", kind="poincare")


def test_a_cycle_without_unknowns_has_an_orbit_but_no_map() -> None:
    gait = lm.catalogue.gait("two_wheel_platform", "parallel_parking")
    cycle = lm.find_cycle(lm.catalogue.system("two_wheel_platform").with_motions(gait))
    assert not cycle.unknowns and cycle.plot() is not None
    assert "no unknowns" in texts(cycle.plot(kind="multipliers"))
    with pytest.raises(ViewingError, match="no map to draw"):
        cycle.plot(kind="poincare")


def test_a_family_shows_where_its_stability_changes(climb: lm.Cycle) -> None:
    half = {"period": 1.0 / 3.0, "symmetry": {"yaw": "pi - yaw", "yaw_rate": "-yaw_rate"}, "step": 1.0 / 60.0}
    robot = lm.catalogue.rocr(phase=1.6)
    first = lm.find_cycle(robot, {"yaw": 7.06, "yaw_rate": -7.2}, **half)
    family = lm.continue_cycle(robot, first, "phase", (1.3, 1.8), step=0.1, largest=0.15)
    (change,) = family.changes
    figure = family.plot()
    assert "flip" in texts(figure) and "phase of the tail when the first grip closes (rad)" in texts(figure)
    sizes = figure.axes[-1]
    marks = [line for line in sizes.lines if line.get_marker() == "^"]
    assert marks[0].get_xdata()[0] == pytest.approx(change.value)
    with pytest.raises(UnknownNameError, match="a family has no quantity 'yaw_speed': did you mean"):
        family.plot("yaw_speed")
    scan = plot_scan([1.0, 2.0], [family.cycles[:2], ()], "phase")
    assert "unstable" in texts(scan)
    assert set(quantities(family.cycles)) == {"yaw", "yaw_rate", "mean rate of x", "mean rate of y", "period"}


@pytest.mark.slow
def test_stability_of_a_family_changes_where_it_changes() -> None:
    """The parts meet at the change that was located, not at the cycle computed before it."""
    ready = lm.catalogue.ready("compass_walker")
    first = lm.find_cycle(ready.make(), **{**ready.cycle, "step": 0.01})
    family = lm.continue_cycle(first.system, first, "slope", (0.008, 0.018), step=0.002, largest=0.003)
    (change,) = family.changes
    lines = {line.get_label(): line.get_xydata() for line in family.plot("leg_b").axes[0].lines}
    solid, dashed = (part[np.isfinite(part[:, 1])][:, 0] for part in (lines["stable"], lines["unstable"]))
    assert solid.max() == dashed.min() == change.value
    assert np.array_equal(np.sort(family.values[family.stable]), np.sort(solid[solid != change.value]))
