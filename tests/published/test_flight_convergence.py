"""Steps, sections and shapes of every flyer and of every scenario of flight are enough: `benchmarks/flight_convergence.py` and
`benchmarks/flight_scenarios.py` tell by how much."""

import re
import sys
import warnings
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))  # a folder of scripts

from flight_convergence import FLIGHTS as ALL
from flight_convergence import twice_the_sections
from flight_scenarios import MORE_SHAPES, SOFT, changes, flights, told
from flight_scenarios import SECTIONS as SCENARIO_SECTIONS
from flight_scenarios import STEP as SCENARIO_STEP

import locomotor as lm
from locomotor.scenarios import Scenario

STEP, SECTIONS, SHAPES = 1e-5, 1e-2, 0.1
"""Largest relative changes: half the step, twice the sections, more shapes or segments (those of the source, one and four)."""
FLIGHTS = {flight.name: flight for flight in ALL}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FLIGHTS if "8 segments" not in name])
def test_steps_and_sections_and_shapes_are_enough(name: str) -> None:
    flight = FLIGHTS[name]
    system = flight.make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # twists beyond half a radian, as in the source
        value = flight.told(system, flight.step)
        assert abs(flight.told(system, 0.5 * flight.step) / value - 1.0) < STEP
        assert abs(flight.told(twice_the_sections(system), flight.step) / value - 1.0) < SECTIONS
        if flight.finer is not None:
            assert abs(flight.told(flight.finer(), flight.finer_step or flight.step) / value - 1.0) < SHAPES


# -- scenario by scenario ----------------------------------------------------------------------------------------------

SCENARIO_STEPS, SCENARIO_GAUSS = 1e-3, 2e-2
"""Largest changes of any number of a scenario: half the step (that of a peak between 31 frequencies), twice the sections."""
DATA = "measured data"


def table() -> dict[str, list[str]]:
    """The rows of docs/flight.md."""
    page = (Path(__file__).resolve().parents[2] / "docs/flight.md").read_text(encoding="utf-8")
    rows = page[page.index("| scenario | half the step") :].split("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return {name.strip("`"): rest for name, *rest in cells}


def test_every_scenario_of_flight_is_in_the_table() -> None:
    """With a number wherever there are steps, sections, or shapes."""
    rows = table()
    assert list(rows) == list(flights())
    for name, (step, sections, shapes) in rows.items():
        if isinstance(flights()[name], Scenario):
            assert re.match(r"[\d.]", step) and re.match(r"[\d.]", sections), name
        assert re.match(r"[\d.]", sections) or sections == DATA, name
        assert bool(re.match(r"[\d.]", shapes)) == (name in SOFT), name


def test_whatever_flies_is_a_scenario_of_flight() -> None:
    for entry in lm.scenarios.scenarios():
        if isinstance(entry, Scenario) and any(isinstance(force, lm.Wing) for force in entry.system().forces):
            assert entry.name in flights(), f"{entry.name} has wings: show in docs/flight.md how far its step decides"


@pytest.mark.slow
@pytest.mark.parametrize("name", flights())
def test_steps_and_sections_of_scenarios_are_enough(name: str) -> None:
    entry = flights()[name]
    before = told(entry)
    assert before.makes_systems != (table()[name][1] == DATA)
    if before.takes_steps:
        halved = told(entry, SCENARIO_STEP)
        assert max(changes(before, halved).values()) < SCENARIO_STEPS
    if before.makes_systems:
        assert max(changes(before, told(entry, SCENARIO_SECTIONS)).values()) < SCENARIO_GAUSS
    if SOFT.get(name) is MORE_SHAPES:
        assert max(changes(before, told(entry, MORE_SHAPES)).values()) < 1.5 * SHAPES  # one shape is the source's
