"""Frequencies of rods by `linearise` against Euler and Bernoulli and Timoshenko; flutter under a load that follows."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.optimize import brentq

import locomotor as lm

Array = Any
EI, MASS, LENGTH = 2.0, 0.5, 1.3
SLENDER = lm.CrossSection(mass=MASS, EIz=EI)


def frequencies(system: lm.System, count: int) -> Array:
    """The lowest frequencies (rad/s) of a system about its nominal pose."""
    found = np.abs(lm.linearise(system).all_eigenvalues.imag)
    return np.sort(found[found > 1e-3])[::2][:count]


def roots(function: Callable[[float], float], starts: Array, width: float) -> Array:
    return np.array([brentq(function, start - width, start + width, xtol=1e-13) for start in starts])


def rod(terms: int, section: lm.CrossSection = SLENDER, points: int | None = None, **more: int) -> lm.Rod:
    return lm.Rod("rod", section=section, length=LENGTH, strains={"bend_z": terms, **more}, points=points)


# So many functions hold the sixth mode of a rod with free ends to a millionth; points integrate their inertia exactly.
TERMS = 18


@pytest.mark.slow
def test_frequencies_of_a_clamped_rod() -> None:
    system = lm.System("clamped", (rod(TERMS),), (lm.Fixed(name="wall", parent="world", child="rod"),))
    b = roots(lambda b: np.cos(b) + 1.0 / np.cosh(b), np.pi * (np.arange(6) + 0.5), 0.4)
    wanted = b**2 * np.sqrt(EI / MASS) / LENGTH**2
    assert np.abs(frequencies(system, 6) / wanted - 1.0).max() < 1e-6


@pytest.mark.slow
def test_frequencies_of_a_free_rod() -> None:
    system = lm.System("floating", (rod(TERMS),), (lm.Planar(name="base", parent="world", child="rod"),))
    b = roots(lambda b: np.cos(b) - 1.0 / np.cosh(b), np.pi * (np.arange(6) + 1.5), 0.3)
    wanted = b**2 * np.sqrt(EI / MASS) / LENGTH**2
    assert np.abs(frequencies(system, 6) / wanted - 1.0).max() < 1e-6


@pytest.mark.slow
def test_frequencies_of_a_pinned_rod() -> None:
    """Its end is held on the axis by a loop."""
    system = lm.System(
        "pinned",
        (rod(TERMS),),
        (lm.Revolute(name="pin", parent="world", child="rod", axis=(0.0, 0.0, 1.0)),),
        loops=(lm.PointOnPlane("roller", "world", "rod", at_b=(LENGTH, 0.0, 0.0), axis_a=(0.0, 1.0, 0.0)),),
    )
    wanted = (np.pi * np.arange(1, 7)) ** 2 * np.sqrt(EI / MASS) / LENGTH**2
    assert np.abs(frequencies(system, 6) / wanted - 1.0).max() < 1e-6


@pytest.mark.slow
def test_frequencies_of_timoshenko() -> None:
    """A clamped rod that shears and whose sections have inertia: w' = f + Q/GA, f' = M/EI, M' = -Q - J w² f, Q' = -m w² w."""
    GA, J = 60.0, 0.01
    section = lm.CrossSection(mass=MASS, EIz=EI, GAy=GA, second=(J, 0.0, 0.0))
    system = lm.System("thick", (rod(14, section, shear_y=14),), (lm.Fixed(name="wall", parent="world", child="rod"),))

    def miss(omega: float) -> float:
        slopes = np.array(
            [[0, 1, 0, 1 / GA], [0, 0, 1 / EI, 0], [0, -J * omega**2, 0, -1], [-MASS * omega**2, 0, 0, 0]], dtype=float
        )
        return float(np.linalg.det(expm(slopes * LENGTH)[2:, 2:]))

    found = frequencies(system, 6)
    for omega in found:
        near = brentq(miss, 0.97 * omega, 1.03 * omega, xtol=1e-12)
        assert abs(omega / near - 1.0) < 1e-6
    bending = np.array([1.8751040687, 4.6940911330]) ** 2 * np.sqrt(EI / MASS) / LENGTH**2
    assert found[0] < 0.98 * bending[0] and found[1] < 0.9 * bending[1]  # and it is not the slender one


@pytest.mark.slow
def test_beck_s_column_flutters() -> None:
    """A clamped rod under a load that follows its end: P l²/EI = 20.0509 (Beck 1952); the stiffness alone stays positive."""
    system = lm.System(
        "beck",
        (rod(7, points=36), lm.Frame("tip")),
        (
            lm.Fixed(name="wall", parent="world", child="rod"),
            lm.Fixed(name="end", parent="rod", child="tip", at=(LENGTH, 0.0, 0.0)),
        ),
        forces=(lm.BodyForce("load", "tip", (0.0, 0.0, 0.0), ("-P", 0.0, 0.0), frame="body"),),
        parameters=lm.ParameterSet((lm.Parameter("P", 0.0, "N"),)),
    )
    traced = lm.trace(system, free=("P",))
    slope = traced.dynamics.jacobian("rate", "state")

    def growth(load: float) -> float:
        """Largest imaginary part of the squares of the frequencies: zero until two of them meet."""
        A = slope(np.zeros(1), np.zeros(14), np.zeros(0), np.array([load * EI / LENGTH**2]))[0]
        return float(np.linalg.eigvals(A[7:, :7]).imag.max())

    low, high = 15.0, 25.0
    assert growth(low) == 0.0 and growth(high) > 1.0
    while high - low > 1e-6:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if growth(middle) < 1e-9 else (low, middle)
    assert abs(low / 20.0509 - 1.0) < 1e-4


@pytest.mark.slow
def test_frequencies_of_a_taper() -> None:
    """Stiffness (1 - 0.6 s)³ and mass (1 - 0.6 s), clamped: four solutions of the differential equation, followed along it."""
    section = lm.CrossSection(mass=f"{MASS}*(1 - 0.6*s)", EIz=f"{EI}*(1 - 0.6*s)**3")

    def miss(omega: float) -> float:
        def slopes(x: float, y: Array) -> Array:
            narrow, (w, f, M, Q) = 1.0 - 0.6 * x / LENGTH, y.reshape(4, 2)
            return np.concatenate([f, M / (EI * narrow**3), Q, MASS * narrow * omega**2 * w])

        start = np.array([[0, 0], [0, 0], [1, 0], [0, 1]], dtype=float).ravel()
        end = solve_ivp(slopes, (0.0, LENGTH), start, method="DOP853", rtol=1e-11, atol=1e-11).y[:, -1].reshape(4, 2)
        return float(np.linalg.det(end[2:]))

    clamp = lm.Fixed(name="wall", parent="world", child="rod")
    frame = lm.FlexibleBody("rod", LENGTH, section, bending_y=12, modes="polynomial")
    both = [frequencies(lm.System("taper", (body,), (clamp,)), 3) for body in (rod(9, section, 16), frame)]
    for omega in both[0]:
        near = brentq(miss, 0.98 * omega, 1.02 * omega, xtol=1e-12)
        assert omega == pytest.approx(near, rel=1e-6)
    assert both[1] == pytest.approx(both[0], rel=1e-6)
