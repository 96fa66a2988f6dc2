"""The flapping robot EVA and Fourier wing kinematics (Belkhiri 2013, sections 1.3 and 1.5)."""

import math

import numpy as np
import pytest

import locomotor as lm
from locomotor.catalogue.flapping_robot import EVA, FourierAngle, Range, Specification, WingKinematics
from locomotor.errors import QuantityError, UnknownNameError

RANGES = {
    "mass": (3e-3, 7e-3),
    "wing_mass_fraction": (0.05, 0.05),
    "wing_mass": (150e-6, 350e-6),
    "wing_area": (15e-4, 30e-4),
    "wing_span": (0.07, 0.07),
    "wing_chord": (0.05, 0.05),
    "membrane_thickness": (45e-6, 250e-6),
    "flapping_amplitude": (math.radians(40), math.radians(60)),
    "frequency": (25.0, 35.0),
}


def test_check_21_eva_holds_exactly_the_ranges() -> None:
    assert EVA.names == tuple(RANGES)
    for name, (low, high) in RANGES.items():
        assert (EVA[name].low, EVA[name].high) == (low, high), name
        assert EVA[name].unit and EVA[name].description and "Belkhiri" in EVA[name].source
    assert lm.catalogue.EVA is EVA


def test_check_21_the_mass_of_the_wings_is_five_percent() -> None:
    for end in ("low", "high"):
        assert getattr(EVA["mass"], end) * EVA["wing_mass_fraction"].low == pytest.approx(getattr(EVA["wing_mass"], end))


def test_ranges_answer() -> None:
    assert 0.005 in EVA["mass"] and 0.008 not in EVA["mass"]
    # Ends belong to the range, whatever the round-off.
    assert 0.1 * 0.07 in EVA["mass"]
    assert EVA["frequency"].middle == 30.0
    with pytest.raises(UnknownNameError, match="EVA specifies no 'wing_spam': did you mean 'wing_span'"):
        EVA["wing_spam"]
    with pytest.raises(QuantityError, match=r"range 'x' goes from 2.0 to 1.0"):
        Range("x", 2.0, 1.0, "m", "")
    assert Specification("empty", ()).names == ()


COSINES = (0.1, 0.9, -0.05, 0.02)
SINES = (0.3, 0.07, -0.01)


def series(t: np.ndarray, frequency: float, order: int) -> np.ndarray:
    """(1.1) and its first two derivatives, written out."""
    total = np.zeros_like(t)
    for n, c in enumerate(COSINES):
        w = 2.0 * np.pi * frequency * n
        total += c * [np.cos(w * t), -w * np.sin(w * t), -(w**2) * np.cos(w * t)][order]
    for n, s in enumerate(SINES, 1):
        w = 2.0 * np.pi * frequency * n
        total += s * [np.sin(w * t), w * np.cos(w * t), -(w**2) * np.sin(w * t)][order]
    return total


def test_check_21_the_series_is_evaluated_to_third_order_with_derivatives() -> None:
    angle = FourierAngle(26.0, COSINES, SINES)
    t = np.linspace(0.0, 0.1, 57)
    motion = angle.motion
    for order, law in enumerate((motion.position, motion.velocity, motion.acceleration)):
        wanted = series(t, 26.0, order)
        np.testing.assert_allclose(law.evaluate({"t": t}), wanted, atol=1e-12 * max(1.0, np.abs(wanted).max()))


def test_coefficients_may_be_parameters() -> None:
    angle = FourierAngle("f", ("mean", "amplitude"))
    assert angle.law.names == {"t", "f", "mean", "amplitude"}
    value = angle.law.evaluate({"t": 0.25, "f": 1.0, "mean": 0.2, "amplitude": 0.5})
    assert value == pytest.approx(0.2, abs=1e-15)


def test_missing_harmonics_are_zero() -> None:
    assert FourierAngle(25.0).motion.position.evaluate({"t": 0.3}) == 0.0
    assert FourierAngle(25.0, (0.2,)).motion.velocity.evaluate({"t": 0.3}) == 0.0


def test_more_harmonics_than_a_formula_can_hold_are_refused() -> None:
    with pytest.raises(QuantityError, match="66 cosines and 0 sines; give at most"):
        FourierAngle(25.0, (0.0,) * 66)
    with pytest.raises(QuantityError, match="1 cosines and 65 sines"):
        FourierAngle(25.0, (0.0,), (0.1,) * 65)


def test_wing_kinematics_drive_joints() -> None:
    wing = WingKinematics.of(25.0, stroke=((0.0, 0.9), ()), feathering=((0.2,), (0.7,)))
    assert set(wing.motions) == {"stroke", "feathering", "elevation"}
    system = lm.System(
        "wing",
        [lm.Frame("root"), lm.Body("blade", mass=1e-4, com=(0, 0.03, 0), inertia=(3e-8, 1e-9, 3e-8))],
        [
            lm.Revolute(name="stroke", parent="world", child="root", axis=(0, 0, 1)),
            lm.Revolute(name="feathering", parent="root", child="blade", axis=(0, 1, 0)),
        ],
    )
    motions = {name: wing.motions[name] for name in ("stroke", "feathering")}
    run = lm.simulate(system, 0.04, motions=motions, step=1e-4)
    np.testing.assert_allclose(run["stroke"], 0.9 * np.cos(50 * np.pi * run.time), atol=1e-13)
    np.testing.assert_allclose(run["feathering_rate"], 35 * np.pi * np.cos(50 * np.pi * run.time), atol=1e-11)
