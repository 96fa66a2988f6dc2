"""Shared settings of the tests: reproducible random numbers, no display."""

import os
import zlib

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

# Set before anything imports matplotlib: plots are drawn to memory.
os.environ["MPLBACKEND"] = "Agg"

# Derandomised: the same examples on every machine, so a failure seen once is seen again. No deadline: the
# first example of a property may compile something.
# LOCOMOTOR_HYPOTHESIS=search searches for new counterexamples.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("search", settings.get_profile("repeatable"), derandomize=False, max_examples=1000)
settings.load_profile(os.environ.get("LOCOMOTOR_HYPOTHESIS", "repeatable"))


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers seeded by the name of the test: independent of order, selection and processes."""
    return np.random.default_rng(zlib.crc32(request.node.nodeid.encode()))
