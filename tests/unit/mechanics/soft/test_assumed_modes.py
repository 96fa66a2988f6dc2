"""Inertia of flexible bodies against point masses, frequencies against closed forms, sites against differences."""

from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.lie import SE3
from locomotor.mechanics import AssumedModes
from oracles.sampling import Rng, rotation
from oracles.slender_points import Points

Array = Any
LENGTH = 0.8


def mass_along(s: float) -> Any:
    """A taper, with the mass off the axis."""
    chord = 0.3 - 0.2 * s
    return 2.0 * chord, (0.02 * chord, -(chord**2)), (0.01 * chord, 0.7 * chord**3, -0.01 * chord**2)


SECTION = lm.CrossSection(
    mass="2*(0.3 - 0.2*s)",
    moment=("0.02*(0.3 - 0.2*s)", "-(0.3 - 0.2*s)**2"),
    second=("0.01*(0.3 - 0.2*s)", "0.7*(0.3 - 0.2*s)**3", "-0.01*(0.3 - 0.2*s)**2"),
    EA=1e4,
    EIy=3.0,
    EIz=2.0,
    GJ=1.0,
)


def flexible(**more: Any) -> lm.FlexibleBody:
    return lm.FlexibleBody("wing", LENGTH, SECTION, bending_y=2, bending_z=1, torsion=1, stretch=1, **more)


def inertial(soft: AssumedModes, e: Array, e_dot: Array, e_ddot: Array, omega: Array, a: Array, w_dot: Array) -> Array:
    """The same sums from the generalised Newton-Euler model, elastic forces taken out."""
    rate, coupling = np.concatenate([a, w_dot]), soft.coupling(e, {})
    wrench, own = soft.bias(e, e_dot, omega, {})
    _, elastic = soft.bias(e, 0.0 * e_dot, 0.0 * omega, {})
    wrench = wrench + soft.inertia(e, {}).apply(rate) + coupling @ e_ddot
    own = own - elastic + coupling.T @ rate + soft.mass(e, {}) @ e_ddot
    return np.concatenate([wrench, own])


@pytest.mark.parametrize("stiffening", [False, True])
def test_inertial_forces_are_those_of_point_masses(stiffening: bool, rng: Rng) -> None:
    """Every term of mass, coupling, centrifugal and Coriolis forces; printed with the factor one the test must fail."""
    soft, points = AssumedModes(flexible(stiffening=stiffening)), Points(LENGTH, mass_along, stiffening)
    for _ in range(3):
        e, e_dot, e_ddot = 0.1 * rng.normal(size=5), rng.normal(size=5), rng.normal(size=5)
        omega, a, w_dot = rng.normal(size=(3, 3))
        found = inertial(soft, e, e_dot, e_ddot, omega, a, w_dot)
        wanted = points.inertial(e, e_dot, e_ddot, omega, a, w_dot)
        # round-off of sums over the 160 masses
        assert np.abs(found - wanted).max() < 1e-12 * np.abs(wanted).max()
        misprint = points.inertial(e, e_dot, e_ddot, omega, a, w_dot, coriolis=1.0)
        assert np.abs(found - misprint).max() > 1e-2 * np.abs(wanted).max()


@pytest.mark.parametrize("stiffening", [False, True])
def test_kinetic_energy_is_that_of_point_masses(stiffening: bool, rng: Rng) -> None:
    soft, points = AssumedModes(flexible(stiffening=stiffening)), Points(LENGTH, mass_along, stiffening)
    e, e_dot, velocity, omega = 0.1 * rng.normal(size=5), rng.normal(size=5), rng.normal(size=3), rng.normal(size=3)
    twist = np.concatenate([velocity, omega])
    found = 0.5 * twist @ soft.inertia(e, {}).apply(twist) + e_dot @ (soft.coupling(e, {}).T @ twist)
    found += 0.5 * e_dot @ soft.mass(e, {}) @ e_dot
    assert found == pytest.approx(points.kinetic(e, e_dot, velocity, omega), rel=1e-12)


def test_the_undeformed_body_has_the_mass_that_it_says(rng: Rng) -> None:
    body = flexible()
    found = AssumedModes(body).inertia(np.zeros(5), {})
    mass, com, inertia = body.mass_properties({})
    assert found.mass == pytest.approx(mass, rel=1e-13)
    assert found.moment == pytest.approx(mass * com, abs=1e-13)
    shift = mass * (com @ com * np.eye(3) - np.outer(com, com))
    assert found.inertia == pytest.approx(inertia + shift, abs=1e-13)


@pytest.mark.slow
def test_modal_constants_of_the_source() -> None:
    """m_ee, M_e and the inertia of a thin wing with flexion and torsion (Belkhiri 2013, (4.15)-(4.21)); the off-diagonal entry
    of m_ee is -m_1ft, printed as twice that."""
    chord, mu, span = "(0.05*sqrt(1 - s**2))", 0.14, 0.07
    section = lm.CrossSection(
        mass=f"{mu}*{chord}", moment=(0.0, f"-{mu}*{chord}**2/2"), second=(0.0, f"{mu}*{chord}**3/3", 0.0), GJ=1.0, EIz=1.0
    )
    wing = lm.FlexibleBody("wing", span, section, bending_y=["s**2"], torsion=["sin(pi*s/2)"])
    points, weights = np.polynomial.legendre.leggauss(400)
    s, w = 0.5 * (points + 1), 0.5 * span * weights
    c = 0.05 * np.sqrt(1 - s**2)
    p0, p1, p2, f, t = mu * c, -mu * c**2 / 2, mu * c**3 / 3, s**2, np.sin(np.pi * s / 2)
    soft = AssumedModes(wing)
    e = np.array([3e-3, 0.2])  # v, then twist
    # The reference itself has the root at the tip: 400 points of Gauss are good to 1e-8.
    close = {"rel": 1e-7, "abs": 1e-13}
    M = soft.mass(e, {})
    assert (
        pytest.approx(np.array([[w @ (p0 * f * f), -(w @ (p1 * f * t))], [-(w @ (p1 * f * t)), w @ (p2 * t * t)]]), **close)
        == M
    )
    coupling = soft.coupling(np.zeros(2), {}).T
    x = span * s
    assert coupling[0] == pytest.approx([0, w @ (p0 * f), 0, -(w @ (p1 * f)), 0, w @ (x * p0 * f)], **close)
    assert coupling[1] == pytest.approx([0, -(w @ (p1 * t)), 0, w @ (p2 * t), 0, -(w @ (x * p1 * t))], **close)


@pytest.mark.parametrize("modes", ["clamped-free", "polynomial"])
@pytest.mark.parametrize("stiffening", [False, True])
@pytest.mark.parametrize("point", [(0.8, 0.0, 0.0), (0.3, 0.1, -0.2)])
def test_sites_move_as_they_say(point: Any, modes: str, stiffening: bool, rng: Rng) -> None:
    """Columns and bias of a site, on and off the axis, against differences of its pose."""
    soft = AssumedModes(flexible(modes=modes, stiffening=stiffening))
    placement = SE3(rotation(rng), np.array(point))
    e, e_dot, h = 0.1 * rng.normal(size=5), rng.normal(size=5), 1e-4

    def twist(t: float) -> Array:
        return soft.site_columns(placement, e + t * e_dot, {}) @ e_dot

    def by_difference(of: Any) -> Array:
        return (8.0 * (of(h) - of(-h)) - (of(2 * h) - of(-2 * h))) / (12.0 * h)

    pose = soft.site(placement, e, {})
    change = by_difference(lambda t: soft.site(placement, e + t * e_dot, {}).as_matrix())
    relative = np.linalg.inv(pose.as_matrix()) @ change
    wanted = np.array([*relative[:3, 3], relative[2, 1], relative[0, 2], relative[1, 0]])
    assert pose.rotation @ pose.rotation.T == pytest.approx(np.eye(3), abs=1e-14)
    # differences of fourth order at h = 1e-4, of motions at 1/s
    assert twist(0.0) == pytest.approx(wanted, abs=1e-9)
    assert soft.site_bias(placement, e, e_dot, {}) == pytest.approx(by_difference(twist), abs=1e-9)


def test_parameters_give_the_same_as_numbers(rng: Rng) -> None:
    """A length, a taper and a material of parameters, on numbers and on symbols."""

    def made(L: Any, r: Any, E: Any) -> lm.FlexibleBody:
        section = lm.CrossSection.circle((r, 0.01), young=E, density=1200.0, poisson=0.3)
        return lm.FlexibleBody("rod", L, section, bending_y=2, torsion=1, damping=0.01)

    values = {"L": 0.7, "r": 0.02, "E": 3e8}
    named, plain = made("L", "r", "E"), made(0.7, 0.02, 3e8)
    assert named.mass_properties(values)[0] == pytest.approx(plain.mass, rel=1e-13)
    e, e_dot, omega = 0.01 * rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
    one, other = AssumedModes(named), AssumedModes(plain)
    for found, wanted in zip(one.bias(e, e_dot, omega, values), other.bias(e, e_dot, omega, {}), strict=True):
        assert found == pytest.approx(wanted, rel=1e-12, abs=1e-12)
    assert one.mass(e, values) == pytest.approx(other.mass(e, {}), rel=1e-12, abs=1e-14)
