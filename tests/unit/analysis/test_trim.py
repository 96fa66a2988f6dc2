"""`trim`: parameters for which a cycle advances as told, against a linear system whose answer is known."""

import math

import pytest

import locomotor as lm
from locomotor.errors import SectionError, UnknownNameError

MASS, DRAG, PERIOD = 0.3, 0.7, 0.5


def bobber(**forces: lm.JointForce) -> lm.System:
    """A body that a thrust with one stroke in half a second holds up, with drag: m v' = thrust (1 + cos w t) - d v - m g."""
    return lm.System(
        "bobber",
        bodies=(lm.Body("ball", mass="m", inertia=(1e-3, 1e-3, 1e-3)),),
        joints=(lm.Prismatic(name="up", parent="world", child="ball", axis=(0, 0, 1)),),
        forces=(
            lm.Gravity(),
            lm.JointDamper("drag", "up", "d"),
            lm.JointForce("thrust_force", "up", f"thrust*(1 + cos(2*pi*t/{PERIOD}))"),
            *forces.values(),
        ),
        parameters=lm.ParameterSet((lm.Parameter("m", MASS), lm.Parameter("d", DRAG), lm.Parameter("thrust", 2.0))),
    )


@pytest.mark.parametrize("climb", [0.0, 0.08])
def test_the_thrust_that_hovers_or_climbs(climb: float) -> None:
    """Over a period the mean force vanishes: thrust = m g + d climb/T; the velocity decays by exp(-d T/m)."""
    cycle = lm.trim(bobber(), solve_for=["thrust"], advance={"up": climb}, period=PERIOD, target="interpreter")
    assert cycle.system.parameters.values["thrust"] == pytest.approx(MASS * 9.81 + DRAG * climb / PERIOD, rel=1e-9)
    assert cycle.displacement["up"] == pytest.approx(climb, abs=1e-9)
    assert abs(cycle.multipliers[0]) == pytest.approx(math.exp(-DRAG * PERIOD / MASS), rel=1e-6)
    assert cycle.stable and cycle.unknowns == ("up_rate",)


def test_what_cannot_be_trimmed_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="thrist"):
        lm.trim(bobber(), solve_for=["thrist"], advance={"up": 0.0}, period=PERIOD)
    with pytest.raises(SectionError, match="name as many parameters"):
        lm.trim(bobber(), solve_for=[], advance={"up": 0.0}, period=PERIOD)
    tied = bobber(spring=lm.JointForce("spring", "up", "-3*up"))
    with pytest.raises(SectionError, match="depends on 'up'"):
        lm.trim(tied, solve_for=["thrust"], advance={"up": 0.0}, period=PERIOD, target="interpreter")
