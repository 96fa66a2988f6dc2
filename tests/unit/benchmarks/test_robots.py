"""The benchmarks of linkages compare the same thing: Pinocchio's accelerations with loops are ours."""

import sys
from pathlib import Path

import numpy as np
import pytest

import locomotor as lm

# The benchmarks are a folder of scripts.
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["four_bar", "stewart_platform"])
def test_both_programs_have_the_same_accelerations(name: str) -> None:
    pytest.importorskip("pinocchio", reason="pinocchio is a peer of the benchmarks")
    pytest.importorskip("mujoco", reason="mujoco is a peer of the benchmarks")
    import robots

    system = lm.catalogue.four_bar(closure="spherical") if name == "four_bar" else lm.catalogue.stewart_platform()
    q = np.array([lm.observe(system, {})[symbol.name] for symbol in system.layout.coordinates])
    _, wanted = robots._peers(system, q)
    found = lm.accelerations(system, {})
    ours = np.array([found[symbol.name] for symbol in system.layout.velocities])
    assert ours == pytest.approx(wanted, abs=1e-9)
