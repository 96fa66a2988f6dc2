"""Cycles of conservative families, singled out by a value that is held; unknowns that do not change with the guess."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipk

import locomotor as lm
from locomotor.analysis.cycles import poincare_map
from locomotor.catalogue.compass_walker import GARCIA_CYCLE
from locomotor.errors import ArgumentError, CycleNotFoundError, SectionError, UnknownNameError
from oracles import simplest_walker, spring_mass
from oracles.simple import pendulum

EXCHANGE = {"leg_b": "leg_a", "leg_a_rate": "leg_b_rate", "leg_b_rate": "leg_a_rate"}


@pytest.mark.parametrize(
    ("section", "hold"),
    [
        ("swing_rate falling", {"swing": 1.2}),
        ("swing rising", {"kinetic_energy + potential_energy": -2.0 * 9.81 * 1.5 * math.cos(1.2)}),
    ],
)
def test_a_swing_of_given_amplitude_or_energy(section: str, hold: dict[str, float]) -> None:
    """The period of a pendulum that swings by a is 4 K(sin(a/2)) sqrt(l/g)."""
    cycle = lm.find_cycle(pendulum(), {"swing": 0.4, "swing_rate": 0.1}, section=section, hold=hold, step=0.004)
    # Runge-Kutta 4 at 4 ms: 1e-9.
    assert cycle.period == pytest.approx(4.0 * math.sqrt(1.5 / 9.81) * ellipk(math.sin(0.6) ** 2), abs=1e-8)
    assert cycle.neutral


def test_a_nonlinear_normal_mode_of_given_energy() -> None:
    """Two masses and a spring that stiffens: both amplitudes follow from the energy, and neither is given."""
    cubic = 0.5
    bodies = [lm.Body(name, mass=1.0, inertia=(1.0, 1.0, 1.0)) for name in ("first", "second")]
    laws = {"a": f"-a - (a - b) - {cubic}*a**3", "b": "-b - (b - a)"}
    joints = [
        lm.Prismatic(name=name, parent="world", child=body.name, axis=(1, 0, 0), drive=lm.Torque(law))
        for (name, law), body in zip(laws.items(), bodies, strict=True)
    ]
    system = lm.System("two_masses", bodies, joints)
    energy = f"(a_rate**2 + b_rate**2 + a**2 + b**2 + (a - b)**2)/2 + {cubic}*a**4/4"
    for wanted in (0.5, 2.0):
        cycle = lm.find_cycle(system, {"a": 0.4, "b": 0.4}, section="a_rate falling", hold={energy: wanted}, step=0.01)
        amplitudes, period = spring_mass.normal_mode(wanted, cubic, (0.6, 0.6))
        np.testing.assert_allclose(cycle.values, [*amplitudes, 0.0], atol=1e-8)
        assert cycle.period == pytest.approx(period, abs=1e-8)


def test_a_runner_on_a_spring_at_a_given_speed() -> None:
    """SLIP at 5 m/s: its apex is that of a massless leg, integrated apart; ours has a foot of 1 g and loses 1e-5 a step."""
    hopper = lm.catalogue.hopper()
    hop: dict[str, Any] = {"section": "up_rate falling", "settle": 20, "tolerance": 3e-5, "step": 5e-4}
    cycle = lm.find_cycle(hopper, {"up": 1.0, "forward_rate": 5.0}, hold={"forward_rate": 5.0}, **hop)
    assert cycle.start["forward_rate"] == pytest.approx(5.0, abs=1e-4)
    n = hopper.parameters.values
    leg = {"stiffness": n["k"], "angle": n["angle"], "mass": n["m"], "rest": 1.0 + n["preload"]}
    height, duration = spring_mass.running(5.0, (0.94, 0.97), **leg)
    assert cycle.start["up"] == pytest.approx(height, abs=1e-3)
    assert cycle.period == pytest.approx(duration, abs=2e-3)


def test_what_cannot_be_held_is_told() -> None:
    options: dict[str, Any] = {"section": "swing rising", "step": 0.004}
    with pytest.raises(UnknownNameError, match="hold: no channel is named 'swing_rat': did you mean 'swing_rate'"):
        lm.find_cycle(pendulum(), {"swing_rate": 1.0}, hold={"swing_rat": 1.0}, **options)
    with pytest.raises(ArgumentError, match="hold: 'swing_rate' is nan; it must be a finite number"):
        lm.find_cycle(pendulum(), {"swing_rate": 1.0}, hold={"swing_rate": math.nan}, **options)
    with pytest.raises(SectionError, match="hold needs multiple=1"):
        lm.find_cycle(pendulum(), {"swing_rate": 1.0}, hold={"swing_rate": 1.0}, multiple=2, **options)
    wheel = lm.catalogue.rimless_wheel()
    with pytest.raises(CycleNotFoundError, match=r"pitch_rate = .* instead of 1\.4: what is held must be free to vary"):
        # Its one cycle has a rate of 1.15 rad/s.
        lm.find_cycle(wheel, {"pitch_rate": 1.5}, section="impact", step=0.01, hold={"pitch_rate": 1.4})


# -- light feet ---------------------------------------------------------------------------------------------


def light_walk(foot_mass: float, tolerance: float = 1e-10) -> Any:
    walker = lm.catalogue.compass_walker(foot_mass=foot_mass)
    options: dict[str, Any] = {"section": "impact", "closed": ("foot_a",), "symmetry": EXCHANGE, "step": 0.005}
    return lm.find_cycle(walker, GARCIA_CYCLE, tolerance=tolerance, **options)


@pytest.mark.parametrize(("foot_mass", "tolerance"), [(1e-8, 1e-10), pytest.param(1e-9, 1e-8, marks=pytest.mark.slow)])
def test_feet_of_nearly_no_mass_have_the_multipliers_of_massless_ones(foot_mass: float, tolerance: float) -> None:
    """An impact of a foot of 1e-8 of the hip's mass: no division by it spoils the derivative."""
    _, _, pair = simplest_walker.gait(0.009, (0.2, -0.2))
    cycle = light_walk(foot_mass, tolerance)
    assert not cycle.note
    # Steps of 5 ms and differences of 1e-5 in the other derivation leave 1e-6.
    assert cycle.multipliers[0] == pytest.approx(complex(pair[np.argmax(pair.imag)]), abs=1e-5)


@pytest.mark.slow
def test_round_off_that_spoils_multipliers_is_told() -> None:
    """Feet of 3e-11 spoil them by far; from 1e-10 on they may be good by chance."""
    _, _, pair = simplest_walker.gait(0.009, (0.2, -0.2))
    cycle = light_walk(3e-11, 1e-6)
    assert np.abs(np.array(cycle.multipliers) - pair[np.argmax(pair.imag)]).min() > 1e-2
    assert "the multipliers are good to about" in cycle.note and "give the lightest bodies more mass" in cycle.note
    with pytest.raises(CycleNotFoundError, match=r"masses differ so much .* give the lightest bodies more mass"):
        light_walk(1e-10)


# -- unknowns -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("symmetry", [None, EXCHANGE], ids=["alone", "exchanged"])
def test_the_unknowns_of_a_walker_do_not_change_with_its_guess(symmetry: dict[str, str] | None) -> None:
    """Both legs are alike, and a guess a little aside does not quite touch with the other foot."""
    walker = lm.catalogue.compass_walker(foot_mass=1e-5)
    options: dict[str, Any] = {"section": "impact", "closed": ("foot_a",), "symmetry": symmetry, "step": 0.01}
    generator = np.random.default_rng(4)
    for size in (0.0, 1e-9, 1e-6, 1e-3, 1e-3, 1e-3):
        guess = {name: value + size * generator.uniform(-1.0, 1.0) for name, value in GARCIA_CYCLE.items()}
        assert poincare_map(walker, guess, **options).names == ("leg_b", "leg_a_rate", "leg_b_rate")


def test_a_walk_is_found_from_a_guess_aside() -> None:
    guess = {name: value + 1e-3 * (-1.0) ** k for k, (name, value) in enumerate(GARCIA_CYCLE.items())}
    walker = lm.catalogue.compass_walker(foot_mass=1e-5)
    cycle = lm.find_cycle(walker, guess, section="impact", closed=("foot_a",), symmetry=EXCHANGE, step=0.01)
    assert cycle.start["leg_b"] == pytest.approx(0.2003109, abs=1e-5)


def test_names_of_a_symmetry_are_unknown_where_they_can_be() -> None:
    """By the order of declaration leg_a would follow from the contacts; the symmetry names it, so leg_b does."""
    walker = lm.catalogue.compass_walker(foot_mass=1e-5)
    other = {"leg_a": "leg_b", "leg_a_rate": "leg_b_rate", "leg_b_rate": "leg_a_rate"}
    found = poincare_map(walker, GARCIA_CYCLE, section="impact", closed=("foot_a",), symmetry=other, step=0.01)
    assert found.names == ("leg_a", "leg_a_rate", "leg_b_rate")


def test_a_held_value_is_met_relative_to_its_size() -> None:
    """In nanojoules the round-off of an energy of 26 J is a thousand times the tolerance."""
    hold = {"1e9*(kinetic_energy + potential_energy)": -1e9 * 2.0 * 9.81 * 1.5 * math.cos(1.2)}
    cycle = lm.find_cycle(pendulum(), {"swing": 0.4, "swing_rate": 0.1}, section="swing rising", hold=hold, step=0.004)
    assert cycle.period == pytest.approx(4.0 * math.sqrt(1.5 / 9.81) * ellipk(math.sin(0.6) ** 2), abs=1e-8)
