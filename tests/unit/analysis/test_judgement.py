"""One rule for "stable": the library, its batches and sweeps, the command line and the notebook say the same."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.analysis.stability.judgement import judged, stability_of
from locomotor.model import Body, JointDamper, JointSpring, Prismatic, System
from locomotor.viewing.report.notebook import linearisation_card
from oracles.simple import unicycle_wheel

WORDS = {1.0: "stable", 0.0: "neutral", -1.0: "unstable", 1e-12: "neutral", -1e-12: "neutral"}
"""Damping (N s/m) of a spring and what it makes of the equilibrium: the real parts are -d/2."""


def spring(damping: float = 0.0) -> System:
    """A mass on a spring: eigenvalues -d/2 +- i sqrt(100 - d^2/4)."""
    return System(
        "spring",
        [Body("mass", mass=1.0, inertia=(1.0, 1.0, 1.0))],
        [Prismatic(name="x", parent="world", child="mass", axis=(1.0, 0.0, 0.0))],
        forces=[JointSpring("coil", "x", 100.0), JointDamper("damper", "x", "d")],
        parameters={"d": damping},
    )


@pytest.mark.parametrize("damping", WORDS)
def test_one_motion(damping: float) -> None:
    found = lm.linearise(spring(damping))
    np.testing.assert_allclose(found.eigenvalues.real, -damping / 2, atol=1e-12)
    assert found.stability == WORDS[damping] and found.stable == (WORDS[damping] == "stable")
    card = linearisation_card(found)
    fate = {"stable": "dies out by a factor e in 2 s", "unstable": "grows by a factor e in 2 s"}
    assert WORDS[damping].capitalize() in card and fate.get(WORDS[damping], "neither grows nor dies out") in card
    assert WORDS[damping] in repr(found) and len(repr(found)) < 200


def test_batches_and_sweeps_judge_as_one_motion_does() -> None:
    found = lm.batched_eigenvalues(spring(), {"d": np.array(list(WORDS))})
    assert found.stability.tolist() == list(WORDS.values())
    assert found.stable.tolist() == [word == "stable" for word in WORDS.values()]
    swept = lm.sweep(spring(), {"d": np.array(list(WORDS))}, lm.sweeps.stability())
    assert swept["stable"].values.tolist() == [float(word == "stable") for word in WORDS.values()]


def test_curves_tell_neutral_from_unstable() -> None:
    """A hoop rolls upright, neutral where its spin squared is above A m g r / (C (C + m r^2)), and unstable below."""
    hoop = unicycle_wheel()
    m, r, A, C = (hoop.parameters[name].value for name in ("m", "r", "A", "C"))
    critical = np.sqrt(A * m * 9.81 * r / (C * (C + m * r**2)))
    curves = lm.eigenvalue_curves(hoop, {"spin_rate": critical * np.array([0.5, 0.9, 1.1, 3.0])})
    assert curves.stability.tolist() == ["unstable", "unstable", "neutral", "neutral"] and curves.stable_bands == ()


def test_what_is_no_number_is_unknown_and_no_modes_are_stable() -> None:
    assert stability_of(np.array([np.nan, -1.0], dtype=complex)) == "unknown"
    assert stability_of(np.zeros((2, 0), dtype=complex)).tolist() == ["stable", "stable"]
    assert judged(np.array([-1.0, 0.0, 1.0]), 0.5).tolist() == ["stable", "neutral", "unstable"]
