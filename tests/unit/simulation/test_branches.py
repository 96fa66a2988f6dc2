"""Singular positions that are passed, and loops that change their branch: where geometry says so."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.interpolate import CubicSpline

import locomotor as lm
from locomotor.simulation.branches import passages_of
from locomotor.simulation.status import Event


def row(windows: int) -> tuple[lm.System, dict[str, float]]:
    """Uprights a little above level, all parallel."""
    start = {f"post_{k}": -0.1 for k in range(windows + 1)} | {f"lintel_{k}": 0.1 for k in range(1, windows + 1)}
    return lm.catalogue.four_bar_row(windows), start | {"post_0_rate": 1.0}


@pytest.mark.parametrize("windows", [1, pytest.param(5, marks=pytest.mark.slow)])
def test_maximal_coordinates_tell_where_all_bars_lie_level(windows: int) -> None:
    """One pendulum, by quadrature; there every window turns over, and no other place is singular."""
    system, start = row(windows)
    run = lm.simulate(system, 0.12, start=start, step=5e-3, coordinates="maximal", target="interpreter")
    n = windows
    inertia, weight = (n + 1) / 3 + n, 9.81 * ((n + 1) / 2 + n)
    level, _ = quad(lambda angle: 1.0 / np.sqrt(1.0 + 2 * weight / inertia * (np.sin(0.1) + np.sin(angle))), -0.1, 0.0)
    (event,) = run.events.of(kind="singular")
    assert event.time == pytest.approx(level, abs=1e-8)
    turned = run.events.of(kind="branch")
    assert {e.name for e in turned} == {f"corner_{k} branch" for k in range(1, n + 1)}
    assert turned.times == pytest.approx([level] * n, abs=1e-8)
    assert len({e.description.split(" goes ")[1] for e in turned}) == 1


def test_a_rocker_changes_the_branch_where_crank_and_coupler_lie_in_line() -> None:
    """Dead centres, found on the run of the crank, which has none; signs by turns."""
    options = {"step": 1e-3, "target": "interpreter"}
    by_crank = lm.simulate(lm.catalogue.four_bar(), 0.5, start={"crank": -1.5, "crank_rate": -12.0}, **options)
    assert by_crank.events.of(kind="branch") == ()
    system = lm.catalogue.four_bar().replace(independent=("rocker_rate",))
    start = {"crank": -1.5, "rocker_rate": by_crank["rocker_rate"][0]}
    run = lm.simulate(system, 0.5, start=start, **options)
    in_line = CubicSpline(by_crank.time, np.sin(by_crank["coupler"])).roots(extrapolate=False)
    found = run.events.of(kind="branch")
    assert len(in_line) >= 2 and found.times == pytest.approx(in_line, abs=1e-7)
    assert run.events.of(kind="singular") == ()  # the crank would do
    signs = [e.description[-1] for e in found]
    assert all(a != b for a, b in pairwise(signs)) and set(signs) <= {"+", "-"}


def test_a_position_that_is_touched_is_singular_but_changes_nothing() -> None:
    """A window that comes down to level and goes back up: made up, with its states in closed form."""
    system, _ = row(1)
    traced = lm.trace(system)
    passages = passages_of(traced)
    assert passages is not None

    def told(above: float) -> list[Event]:
        def state(t: float) -> np.ndarray:
            angle = -above - (t - 0.31) ** 2
            values = {"post_0": angle, "post_1": angle, "lintel_1": -angle}
            return np.array([values.get(name, 0.0) for name in traced.state_port.names])

        times = np.linspace(0.0, 0.6, 13)
        states = np.array([state(t) for t in times])
        return passages.events(times, states, lambda k, s: state(times[k] + s), touching=True)

    (event,) = told(0.0)
    assert event.kind == "singular" and event.time == pytest.approx(0.31, abs=1e-4)  # the angle is flat there
    assert told(0.02) == []  # comes near, but not there


def above_a_floor(system: lm.System, body: str, level: float = -5.0) -> lm.System:
    """With a foot that may touch, far above its ground or not: its runs are runs with events."""
    floor = lm.Plane("floor", point=(0.0, 0.0, level))
    foot = lm.SlidingPoint("foot", body, at=(0.4, 0.0, 0.0), ground="floor", law=lm.Unilateral(restitution=0.8))
    return system.replace(grounds=(*system.grounds, floor), contacts=(foot,))


@pytest.mark.parametrize("coordinates", ["reduced", pytest.param("maximal", marks=pytest.mark.slow)])
def test_runs_with_events_tell_of_the_same_branches(coordinates: str) -> None:
    """Dead centres of a four-bar are where sin(coupler) = 0, whatever a contact does meanwhile; it bounces on the ground."""
    options = {"step": 1e-3, "target": "interpreter", "coordinates": coordinates}
    system = above_a_floor(lm.catalogue.four_bar().replace(independent=("rocker_rate",)), "coupler_bar", 0.3)
    run = lm.simulate(system, 0.5, start={"crank": -1.5, "rocker_rate": 2.0}, **options)  # type: ignore[arg-type]
    bounces = [event.time for event in run.events if event.name == "foot impact"]
    in_line = [
        CubicSpline(run.time[part], np.sin(run["coupler"][part])).roots(extrapolate=False)
        for part in np.split(np.arange(len(run)), np.flatnonzero(np.diff(run.time) == 0.0) + 1)
        if len(part) > 3
    ]
    found = run.events.of(kind="branch")
    assert bounces and len(found) == 2 and found.times == pytest.approx(np.concatenate(in_line), abs=1e-7)
    assert all("by rocker_rate" in event.description for event in found)


def test_a_run_with_events_that_ends_at_a_singular_position_tells_when_it_would_be_there() -> None:
    """The window whose bars come level, above a floor: one pendulum, by quadrature."""
    system, start = row(1)
    far = above_a_floor(system, system.bodies[0].name)
    with pytest.warns(lm.RunWarning, match="singular"):
        run = lm.simulate(far, 0.12, start=start, step=5e-3, target="interpreter")
    level, _ = quad(lambda angle: 1.0 / np.sqrt(1.0 + 2 * 9.81 * 2 / (5 / 3) * (np.sin(0.1) + np.sin(angle))), -0.1, 0.0)
    (event,) = run.events.of(kind="singular")
    assert event.time == pytest.approx(level, abs=1e-8) and run.status.time == event.time
