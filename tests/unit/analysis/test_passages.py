"""Driving the event loop to a section: what it is given stays as it is, and what it returns can be kept."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from locomotor.analysis.cycles import poincare_map
from locomotor.analysis.cycles.passages import Route, Way, drive, within
from locomotor.analysis.cycles.sections import Phase
from locomotor.simulation.events import Stretch
from oracles.cycle_systems import shaker, spoked

CASES: dict[str, tuple[Any, dict[str, float], dict[str, Any]]] = {
    "phase": (lambda: shaker("e"), {"height": 0.05}, {"step": 1.0 / 300.0, "start_time": 1.0 / 12.0, "free": ("e",)}),
    "event": (lambda: spoked(slope=0.1), {"yaw_rate": -1.5}, {"section": "impact", "step": 0.01, "free": ("slope",)}),
    "crossing": (
        lambda: spoked(slope=0.1),
        {"yaw": -0.1, "yaw_rate": -1.5},
        {
            "section": "sin(8*yaw) falling",
            "step": 0.01,
            "free": ("slope",),
            "modulo": ("x", "yaw"),
            "symmetry": {"yaw_rate": "yaw_rate"},
        },
    ),
}


def bits(route: Route) -> Any:
    motion = [(id(s.mode), s.times.tobytes(), s.states.tobytes()) for s in route.trail.segments]
    return motion, route.trail.events, None if route.place is None else route.place[1]


@pytest.mark.parametrize("case", CASES)
def test_a_route_depends_on_what_it_is_given_alone(case: str) -> None:
    """Driven with one parameter, with another and with the first again: nothing of one is left behind for the next."""
    make, guess, options = CASES[case]
    here = poincare_map(make(), guess, **options)
    modes, state = here.kernels.modes, np.array(here.reference)
    by_clock = isinstance(here.section, Phase)
    end = here.start_time + (2.0 * here.period(here.parameters) if by_clock else here.longest)
    section = None if by_clock else here.section

    def driven(share: float) -> Route:
        p = share * here.parameters
        return drive(here.kernels, here.flow.step, here.mode, here.start_time, end, state, p, section)

    known = dict(modes.values), np.array(modes.parameters)
    first = driven(1.0)
    before = bits(first)
    assert first.place is not None and len(first.trail.events) > 0
    other = driven(0.9)
    assert bits(other) != before, "the parameter makes no difference, so that nothing is tested"
    assert bits(driven(1.0)) == before == bits(first)
    assert modes.values == known[0] and (modes.parameters == known[1]).all() and (state == here.reference).all()


def test_a_route_to_a_crossing_ends_there() -> None:
    """The last sample is the crossing itself, and nothing that comes later is told."""
    make, guess, options = CASES["crossing"]
    here = poincare_map(make(), guess, **options)
    route = drive(here.kernels, 0.01, here.mode, 0.0, 5.0, here.reference, here.parameters, here.section)
    last = route.trail.segments[-1]
    assert route.place is not None and route.place[1] == last.times[-1] == route.trail.now.time
    yaw = last.states[-1][here.mode.compiled.state_names.index("yaw")]
    assert np.sin(8.0 * yaw) == pytest.approx(0.0, abs=1e-11)
    assert all(event.time <= last.times[-1] for event in route.trail.events)


@dataclass(frozen=True)
class Later:
    """A kind of section that this test defines: the end of the stretch in which so much time is over."""

    seconds: float


@within.register
def _(section: Later, way: Way, stretch: Stretch, missing: int) -> tuple[int, Stretch | None]:
    return 0, stretch if stretch.end.time >= way.start + section.seconds else None


def test_a_new_kind_of_section_is_registered_not_written_into_the_loop() -> None:
    make, guess, options = CASES["event"]
    here = poincare_map(make(), guess, **options)
    impact = drive(here.kernels, 0.01, here.mode, 0.0, 5.0, here.reference, here.parameters, here.section)
    assert impact.place is not None
    section: Any = Later(impact.place[1] + 0.1)
    route = drive(here.kernels, 0.01, here.mode, 0.0, 5.0, here.reference, here.parameters, section)
    assert route.place is not None and section.seconds <= route.place[1] < 5.0
    assert impact.trail.events and route.trail.events[: len(impact.trail.events)] == impact.trail.events
