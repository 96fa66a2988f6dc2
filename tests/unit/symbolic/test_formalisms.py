"""Doors of the classical formalisms: what they return on linkages, and what they refuse."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import ArgumentError, ArgumentTypeError, ModelError, NumericsError, UnknownNameError


@pytest.mark.slow
def test_rows_that_depend_on_others_are_for_one_method() -> None:
    """A four-bar linkage with a hinge for its last pin has three rows too many: accelerations as the library's own."""
    system = lm.catalogue.four_bar()
    start = lm.observe(system, {})
    state = {symbol.name: start[symbol.name] for symbol in system.layout.coordinates}
    found, _ = lm.derive(system, "kane").solve(state, method="reduced")
    assert found == pytest.approx(lm.accelerations(system, {}), abs=1e-8)
    with pytest.raises(NumericsError, match="method 'reduced'"):
        lm.derive(system, "kane").solve(state)


def test_imposed_joints_have_rows_and_torques() -> None:
    """The multiplier of an imposed joint is the torque that its motion needs."""
    system = lm.catalogue.cart_pendulum()
    driven = system.with_motions({"pendulum": "0.3*sin(2*t)"})
    run = lm.simulate(driven, 0.4, step=0.1, target="interpreter")
    at = {
        s.name: run[s.name][-1]
        for s in (*driven.layout.coordinates, *driven.layout.velocities)
        if not s.name.startswith("pend")
    }
    found, multipliers = lm.derive(driven, "lagrange").solve(at, time=float(run.time[-1]), method="reduced")
    assert found["pendulum_rate"] == pytest.approx(-1.2 * np.sin(0.8), abs=1e-12)
    assert multipliers[-1] == pytest.approx(run.torques["pendulum"][-1], abs=1e-7)


def test_mistakes_are_told() -> None:
    pendulum = lm.derive(lm.catalogue.elliptic_pendulum(), "kane")
    with pytest.raises(UnknownNameError, match="no coordinate or velocity 'thet'"):
        pendulum.solve({"thet": 1.0})
    with pytest.raises(UnknownNameError, match="no input 'push'"):
        pendulum.solve({}, {"push": 1.0})
    with pytest.raises(ArgumentError, match="finite numbers"):
        lm.solve_constrained(np.full((2, 2), np.nan), np.ones((1, 2)), np.zeros(2), np.zeros(1))
    with pytest.raises(ArgumentTypeError, match="give a Run"):
        lm.first_integrals(lm.catalogue.elliptic_pendulum())[0].of(None)
    with pytest.raises(ModelError, match="added mass"):
        lm.derive(lm.catalogue.swimmer(), "lagrange")


@pytest.mark.slow
def test_integrals_of_known_systems() -> None:
    """A free satellite keeps momenta and energy; a snakeboard's rotor is cyclic, its wheels take the momenta of the whole."""
    satellite = {integral.name for integral in lm.first_integrals(lm.catalogue.satellite())}
    assert {
        "energy",
        "momentum of rotor_1_rate",
        *(f"{k} momentum {i}" for k in ("linear", "angular") for i in "xyz"),
    } <= satellite
    snakeboard = {integral.name for integral in lm.first_integrals(lm.catalogue.snakeboard())}
    assert snakeboard == {"energy", "momentum of rotor_rate"}


def test_momenta_of_a_free_beam_that_bends_are_integrals() -> None:
    """Nothing acts on it from outside: energy and all six momenta of the whole stay, whatever it does within."""
    section = lm.CrossSection(mass=2.0, EIy=3.0, EIz=5.0, second=(0.02, 0.03, 0.0))
    beam = lm.FlexibleBody("beam", 0.8, section, bending_y=1, bending_z=1)
    system = lm.System("beam", [beam], [lm.Free(name="base", parent="world", child="beam")])
    names = {integral.name for integral in lm.first_integrals(system)}
    assert {"energy"} | {f"{kind} momentum {axis}" for kind in ("linear", "angular") for axis in "xyz"} <= names
