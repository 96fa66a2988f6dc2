"""Shared settings of the tests: reproducible random numbers, no display, and which of many cases are quick."""

import os
import zlib
from pathlib import Path

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


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test marked `sampled(n)` n cases, spread evenly, are quick; the others are slow ones.

    `by` names the argument that costs: cases which have it in common go together.
    """
    cases: dict[tuple[Path, str], dict[str, list[pytest.Function]]] = {}
    for item in items:
        mark = item.get_closest_marker("sampled")
        if mark is not None and isinstance(item, pytest.Function) and not item.get_closest_marker("slow"):
            costly = repr(item.callspec.params[mark.kwargs["by"]]) if "by" in mark.kwargs else item.nodeid
            cases.setdefault((item.path, item.originalname), {}).setdefault(costly, []).append(item)
    for groups in cases.values():
        every = list(groups.values())
        wanted = next(iter(every))[0].get_closest_marker("sampled").args[0]
        kept = {round(i * (len(every) - 1) / max(wanted - 1, 1)) for i in range(wanted)}
        for i, group in enumerate(every):
            for item in group if i not in kept else ():
                item.add_marker("slow")
