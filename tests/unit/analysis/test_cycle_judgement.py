"""What counts as a cycle, and as stable: motions that accelerate, multipliers on the unit circle, laws that jump."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.analysis.cycles.scale import FARTHEST, Yardstick
from locomotor.analysis.stability.judgement import stability_of_multipliers
from locomotor.errors import CycleNotFoundError

HOP: dict[str, Any] = {"section": "up_rate falling", "settle": 20, "tolerance": 3e-5, "step": 5e-4}
APEX = {"up": 1.0, "forward_rate": 5.0}


def driven(name: str, gait: str) -> lm.System:
    system: lm.System = getattr(lm.catalogue, name)()
    return system.with_motions(dict(lm.catalogue.gait(name, gait)))


# -- motions that gain speed --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["trikke", "snakeboard"])
@pytest.mark.parametrize("options", [{}, {"multiple": 3}], ids=["single", "multiple"])
def test_a_motion_that_accelerates_is_no_cycle(name: str, options: dict[str, Any]) -> None:
    """What it gains in a period, the same at every speed, is nothing against a speed that is large enough."""
    with pytest.raises(CycleNotFoundError, match=r"gains .* a period at .*: it accelerates\. Add what holds it back") as caught:
        lm.find_cycle(driven(name, "drive"), **options)
    # Both gain a few hundredths of where the search began, 20 periods from rest: a 20th of that, or a little less.
    best = caught.value.best
    assert isinstance(best, lm.Cycle) and 0.02 < best.residual < 0.05


def test_nor_is_it_one_of_a_scan() -> None:
    system = driven("trikke", "drive")
    assert lm.find_cycles(system, {"front_wheel_rate": (0.0, 50.0, 3)}) == ()


def test_sizes_and_reach_are_those_of_the_beginning() -> None:
    yardstick = Yardstick(np.array([0.0, 9.0]))
    assert float(yardstick.size(np.array([0.5, 2.0]))) == 0.5 and float(yardstick.size(np.array([np.nan, 0.0]))) == np.inf
    assert yardstick.within(np.array([FARTHEST, 10.0 * FARTHEST])) and not yardstick.within(np.array([1.01 * FARTHEST, 0.0]))
    assert yardstick.share(np.zeros(2), np.array([4.0 * FARTHEST, 1.0])) == 0.25
    assert yardstick.share(np.array([FARTHEST, 0.0]), np.array([1.0, 0.0])) == 0.0
    assert yardstick.share(np.array([FARTHEST, 0.0]), np.array([-1.0, 0.0])) == 1.0


# -- on the unit circle -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "told"),
    [(0.5, "stable"), (1.0 - 2e-6, "stable"), (1.0 - 1e-12, "neutral"), (1.0 + 1e-12, "neutral"), (1.0 + 2e-6, "unstable")],
)
def test_round_off_does_not_decide_on_stability(size: float, told: str) -> None:
    values = np.array([size * np.exp(0.3j), 0.1])
    assert stability_of_multipliers(values) == told
    assert stability_of_multipliers(np.array([np.nan + 0j])) == "unknown"
    assert stability_of_multipliers(np.zeros(0, dtype=complex)) == "stable"
    assert stability_of_multipliers(np.array([1.0 - 1e-4 + 0j]), residual=1e-3) == "neutral"


def test_a_gait_without_friction_is_neutral() -> None:
    """A board that turns on the spot keeps whatever speed it is given: a multiplier of 1."""
    cycle = lm.find_cycle(driven("snakeboard", "rotate"))
    assert cycle.neutral and not cycle.stable and "neutral, largest multiplier 1>" in repr(cycle)
    assert abs(cycle.multipliers[0]) == pytest.approx(1.0, abs=1e-9)


# -- laws that jump -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [1e-3, 5e-4])
def test_the_hip_of_the_hopper_switches_at_events(step: float) -> None:
    """Its law tells the modes apart by the rate of the leg, so that rates before and after an event are those of the motion."""
    cycle = lm.find_cycle(lm.catalogue.hopper(), APEX, **{**HOP, "step": step})
    assert not cycle.note and cycle.check() < 1e-3  # steps of 1 ms next to a hip of 200 rad/s leave 2e-4, of 0.5 ms 1e-5
    # A spring keeps energy but for the small foot: one multiplier a little below 1 (SLIP would have it at 1).
    assert cycle.multipliers[0].real == pytest.approx(0.99999, abs=5e-6)
    assert cycle.multipliers[1].real == pytest.approx(-0.0776, abs=1e-4)


@pytest.mark.slow
def test_a_jump_between_events_is_noticed() -> None:
    """A hip that looks at the length alone does not know, at the instant of landing, that it has let go."""
    system = lm.catalogue.hopper()
    (hip,) = (force for force in system.forces if isinstance(force, lm.JointForce))
    law = lm.parse(str(hip.law).replace("max(l - length, abs(length_rate)/w)", "l - length"))
    assert law != hip.law
    late = system.replace(forces=tuple(replace(hip, law=law) if f is hip else f for f in system.forces))
    cycle = lm.find_cycle(late, APEX, **HOP)
    assert "a law jumps without an event" in cycle.note and cycle.note in repr(cycle)
