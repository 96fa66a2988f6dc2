"""Hover of every kind of wing as a cycle with an unknown: a random body on a vertical guide, held up by a thrust that beats."""

import numpy as np
import pytest

import locomotor as lm
from combinations.wings import WIND, WINGS
from oracles.sampling import body

PERIOD, STEPS = 0.4, 200
KINDS = ["rigid", "hinged", "flexible", "rod"]


def bobbing(kind: str, wind: str, seed: int) -> lm.System:
    """The limb of the random systems with its wing, on a guide."""
    winged = WINGS[kind]
    return lm.System(
        "bobbing",
        [body(np.random.default_rng(seed), "limb", 0.05), *winged.bodies],
        [lm.Prismatic(name="up", parent="world", child="limb", axis=(0.0, 0.0, 1.0)), *winged.joints],
        forces=[
            lm.Gravity(),
            lm.Air(wind=WIND[wind]),
            *winged.forces,
            lm.JointDamper("guide", "up", 0.5),
            lm.JointForce("beat", "up", f"thrust*(1 + cos({2.0 * np.pi / PERIOD!r}*t))"),
        ],
        parameters=lm.ParameterSet([lm.Parameter("thrust", 15.0)]),
    )


@pytest.mark.slow
@pytest.mark.parametrize("wind", ["still", "steady"])
@pytest.mark.parametrize("kind", KINDS)
def test_hover_is_found_and_repeats(kind: str, wind: str) -> None:
    """A run from the cycle comes back to its start, and the multipliers are those of differences of the map."""
    system = bobbing(kind, wind, 3 + KINDS.index(kind))
    hover = lm.trim(system, solve_for=["thrust"], advance={"up": 0.0}, period=PERIOD, step=PERIOD / STEPS, target="interpreter")
    assert abs(hover.displacement["up"]) < 1e-9
    assert hover.check() < 1e-6  # central differences of 1e-5
    run = lm.simulate(hover.system, 2.0 * PERIOD, step=PERIOD / STEPS, start=hover.start, target="interpreter")
    layout = system.layout
    for symbol in (*layout.coordinates, *layout.velocities):
        assert run[symbol.name][-1] == pytest.approx(run[symbol.name][0], abs=1e-7)
