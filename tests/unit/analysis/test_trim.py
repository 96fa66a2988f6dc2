"""`trim`: parameters for which a cycle advances as told, against a linear system whose answer is known."""

import math

import numpy as np
import pytest
import scipy.linalg

import locomotor as lm
from locomotor.analysis.cycles.averaged import slow_rates
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


def test_the_thrust_that_climbs() -> None:
    """Over a period the mean force vanishes: thrust = m g + d climb/T; the velocity decays by exp(-d T/m)."""
    climb = 0.08
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


# -- families and the averaged model -------------------------------------------------------------------------------------


def test_a_family_of_climbs_and_its_averaged_model() -> None:
    """thrust = m g + d climb/T along the family; deviations go like exp(-d t/m), and the thrust, which beats as 1 + cos w t,
    acts by 1/m (1 + a²/(a² + w²)) with a = d/m: int exp(-a (T - s)) (1 + cos w s) ds over (1 - exp(-a T))/a."""
    climbs = [0.0, 0.02, 0.08]
    family = lm.trim_family(bobber(), solve_for=["thrust"], advance={"up": climbs}, period=PERIOD, target="interpreter")
    assert family.ended == "all of the row are reached" and family.values.tolist() == climbs
    for climb, cycle in zip(climbs, family.cycles, strict=True):
        assert cycle.system.parameters.values["thrust"] == pytest.approx(MASS * 9.81 + DRAG * climb / PERIOD, rel=1e-9)
    model = lm.average_cycle(family.cycles[-1], ["thrust"])
    a, w = DRAG / MASS, 2 * math.pi / PERIOD
    assert model.state_names == ("up_rate",) and model.stability == "stable"
    assert model.A[0, 0] == pytest.approx(-a, rel=1e-6)
    assert model.B[0, 0] == pytest.approx((1 + a**2 / (a**2 + w**2)) / MASS, rel=1e-6)
    with pytest.raises(UnknownNameError, match="thrist"):
        lm.average_cycle(family.cycles[0], ["thrist"])
    with pytest.raises(SectionError, match="row of two or more"):
        lm.trim_family(bobber(), solve_for=["thrust"], advance={"up": 0.0}, period=PERIOD, target="interpreter")


def test_a_family_of_designs() -> None:
    """Parameters told in `along` are kept, alone or with an advance: thrust = m g + d climb/T, deviations go by exp(-d T/m)."""
    masses, climbs, drags = [0.3, 0.5, 0.4], [0.0, 0.02, 0.08], 0.9
    family = lm.trim_family(
        bobber(),
        solve_for=["thrust"],
        advance={"up": climbs},
        along={"m": masses, "d": drags},
        period=PERIOD,
        target="interpreter",
    )
    assert family.ended == "all of the row are reached" and family.parameter == "advance of up"
    for mass, climb, cycle in zip(masses, climbs, family.cycles, strict=True):
        found = cycle.system.parameters.values
        assert found["m"] == mass and found["d"] == drags
        assert found["thrust"] == pytest.approx(mass * 9.81 + drags * climb / PERIOD, rel=1e-9)
        assert abs(cycle.multipliers[0]) == pytest.approx(math.exp(-drags * PERIOD / mass), rel=1e-6)
    hover = lm.trim_family(
        bobber(), solve_for=["thrust"], advance={"up": 0.0}, along={"m": masses}, period=PERIOD, target="interpreter"
    )
    assert hover.parameter == "m" and hover.values.tolist() == masses
    for wrong, error, words in (
        ({"mm": masses}, UnknownNameError, "along names 'mm'"),
        ({"thrust": masses}, SectionError, "solved for"),
        ({"m": 0.3}, SectionError, "row of two or more"),
    ):
        with pytest.raises(error, match=words):
            lm.trim_family(
                bobber(), solve_for=["thrust"], advance={"up": 0.0}, along=wrong, period=PERIOD, target="interpreter"
            )


def test_rates_of_a_map_with_and_without_fast_deviations(rng: np.random.Generator) -> None:
    """The flow of x' = A x + B p over a period gives A and B back; deviations that die at once are split off whole."""
    A, B, T = rng.normal(size=(4, 4)), rng.normal(size=(4, 2)), 0.3
    A[3] = 0.0  # an eigenvalue zero: neutral
    both = scipy.linalg.expm(T * np.block([[A, B], [np.zeros((2, 6))]]))
    found, fast, of_inputs = slow_rates(both[:4, :4], T)
    assert np.allclose(found, A, atol=1e-9) and np.allclose(of_inputs @ both[:4, 4:], B, atol=1e-9) and not len(fast)
    mixed = rng.normal(size=(6, 6))
    whole = mixed @ scipy.linalg.block_diag(both[:4, :4], np.diag([1e-5, -0.6])) @ np.linalg.inv(mixed)
    found, fast, _ = slow_rates(whole, T)
    assert sorted(fast.real) == pytest.approx([-0.6, 1e-5], abs=1e-9)
    wanted = mixed @ scipy.linalg.block_diag(A, np.zeros((2, 2))) @ np.linalg.inv(mixed)
    assert np.allclose(found, wanted, atol=1e-7)
