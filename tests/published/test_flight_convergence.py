"""Steps, sections and shapes of every flyer are enough: `benchmarks/flight_convergence.py` tells by how much."""

import sys
import warnings
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))  # a folder of scripts

from flight_convergence import FLIGHTS as ALL
from flight_convergence import twice_the_sections

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
