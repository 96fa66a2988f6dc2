"""Loads along a rod, tendons, damping and laws of energy: generalised forces against their definitions."""

from typing import Any

import numpy as np
import pytest

from locomotor.errors import RestrictedForceError, SoftBodyError, UncarriedBodyError
from locomotor.lie import SE3
from locomotor.mechanics.loads.forces import applied_forces
from locomotor.mechanics.soft import RodMechanics
from locomotor.mechanics.tree import Instant, forward, inverse_dynamics
from locomotor.model import (
    Body,
    CrossSection,
    DistributedForce,
    Fixed,
    Force,
    Free,
    Gravity,
    QuadratureWarning,
    Rod,
    Strain,
    System,
    Tendon,
    from_data,
    to_data,
)
from oracles.sampling import Rng, coordinates
from silent import Silent

Array = Any
LENGTH = 0.7
SECTION = CrossSection(mass=0.4, EA=50.0, GJ=0.02, EIy=0.05, EIz=0.03, second=(3e-4, 5e-4, 0.0))
STRAINS = (Strain("stretch", 2), Strain("twist", 2, "piecewise"), Strain("bend_y", 3), Strain("bend_z", 2, "linear"))


def made(**more: Any) -> Rod:
    given: dict[str, Any] = {"section": SECTION, "length": LENGTH, "strains": STRAINS, "points": 6}
    return Rod("rod", **(given | more))


def free(rod: Rod, *forces: Force) -> System:
    return System("free", (rod,), (Free(name="base", parent="world", child="rod"),), (), forces)


def strained(rod: Rod, rng: Rng) -> Array:
    size = {"stretch": 0.1, "twist": 1.0, "bend_y": 1.5, "bend_z": 1.5}
    return np.concatenate([size[each.strain] * rng.normal(size=each.terms) for each in rod.strains])


def at(system: System, rng: Rng) -> tuple[Array, Array]:
    """A random state of a free rod."""
    return np.concatenate([coordinates(system, rng)[:7], strained(system.bodies[0], rng)]), rng.normal(size=system.layout.nv)


def generalised(system: System, q: Array, v: Array) -> Array:
    """All applied forces but gravity on the velocities."""
    kinematics = forward(Instant(system, q, v))
    applied = applied_forces(kinematics)
    needed = inverse_dynamics(kinematics, None, None, applied.wrenches) - inverse_dynamics(kinematics)
    return np.asarray(applied.forces() - needed, dtype=float)


# -- loads and tendons -------------------------------------------------------------------------------------------------


def test_a_load_in_proportion_to_its_mass_is_gravity(rng: Rng) -> None:
    g = np.array([1.0, -2.0, -9.0])
    rod = made(section=CrossSection(mass="0.4*(1 + s)", EA=50.0, GJ=0.02, EIy=0.05, EIz=0.03, second=(3e-4, 5e-4, 0.0)))
    load = DistributedForce("load", "rod", tuple(f"{float(x)}*0.4*(1 + s)" for x in g))
    system = free(rod, load)
    q, v = at(system, rng)
    kinematics = forward(Instant(system, q, v))
    wanted = inverse_dynamics(kinematics) - inverse_dynamics(kinematics, None, g)
    assert np.abs(generalised(system, q, v) - wanted).max() < 1e-13 * np.abs(wanted).max()


@pytest.mark.slow
def test_the_power_of_a_load_that_follows(rng: Rng) -> None:
    rod = made()
    system = free(rod, DistributedForce("load", "rod", ("1", "s", "-2*s"), couple=(0.3, "s", 0.1), frame="body"))
    q, v = at(system, rng)
    kinematics = forward(Instant(system, q, v))
    soft = kinematics.links[0].soft
    assert isinstance(soft, RodMechanics)
    power = 0.0
    points, weights = np.polynomial.legendre.leggauss(6)
    for a, b in zip(rod.breaks[:-1], rod.breaks[1:], strict=True):
        for s, weight in zip(a + 0.5 * (b - a) * (points + 1.0), 0.5 * (b - a) * weights, strict=True):
            place = SE3(np.eye(3), np.array([s * LENGTH, 0.0, 0.0]))
            e = q[7:]
            twist = soft.site(place, e, {}).twist_to_child(np.concatenate([kinematics.velocity[0], kinematics.omega[0]]))
            twist = twist + soft.site_columns(place, e, {}) @ v[6:]
            power += weight * LENGTH * twist @ np.array([1.0, s, -2.0 * s, 0.3, s, 0.1])
    assert abs(generalised(system, q, v) @ v - power) < 1e-12 * abs(power)


@pytest.mark.slow
def test_a_tendon_pulls_by_the_change_of_its_length(rng: Rng) -> None:
    """Against the length of a polygon through many points of its line."""
    rod = made(curvature=(0.0, "s", 0.4))
    route = ("0.03 - 0.02*s", "0.01*sin(3*s)")
    system = free(rod, Tendon("cable", "rod", route, 7.0, end=0.8))
    q, v = at(system, rng)
    soft = RodMechanics(rod)

    def length(e: Array, count: int) -> float:
        points = []
        for s in np.linspace(0.0, 0.8, count + 1):
            off = np.array([0.0, 0.03 - 0.02 * s, 0.01 * np.sin(3.0 * s)])
            points.append(soft.site(rod.pose_at(float(s)) @ SE3(np.eye(3), off), e, {}).translation)
        return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())

    def fine(e: Array) -> float:
        return (4.0 * length(e, 80) - length(e, 40)) / 3.0

    h, n = 1e-4, len(rod.coordinates)
    forces = generalised(system, q, v)
    assert np.abs(forces[:6]).max() < 1e-12  # an inner force
    for k in (0, n // 2, n - 1):
        step = h * np.eye(n)[k]
        wanted = -7.0 * (fine(q[7:] + step) - fine(q[7:] - step)) / (2.0 * h)
        assert abs(forces[6 + k] - wanted) < 2e-5 * np.abs(forces).max()


# -- elasticity --------------------------------------------------------------------------------------------------------


def test_a_law_of_energy_and_its_forces(rng: Rng) -> None:
    law = "25*stretch**2 + 0.01*twist**2 + 0.025*bend_y**2 + 0.015*bend_z**2"
    linear, quadratic = RodMechanics(made()), RodMechanics(made(energy=law))
    e = strained(made(), rng)
    assert abs(linear.elastic_energy(e, {}) - quadratic.elastic_energy(e, {})) < 1e-13 * linear.elastic_energy(e, {})
    nothing = np.zeros_like(e)
    difference = linear.bias(e, nothing, np.zeros(3), {})[1] - quadratic.bias(e, nothing, np.zeros(3), {})[1]
    assert np.abs(difference).max() < 1e-12
    stiffening = RodMechanics(made(energy=f"{law} + (1 + s)*bend_y**2*bend_z**2"))
    forces = stiffening.bias(e, nothing, np.zeros(3), {})[1]
    h = 1e-5
    for k, unit in enumerate(np.eye(len(e))):
        slope = (stiffening.elastic_energy(e + h * unit, {}) - stiffening.elastic_energy(e - h * unit, {})) / (2.0 * h)
        assert abs(forces[k] - slope) < 1e-8 * np.abs(forces).max()


def test_damping_is_stiffness_times_retardation(rng: Rng) -> None:
    rod = made(damping={"bend_y": 0.5, "twist": 0.1})
    soft, plain = RodMechanics(rod), RodMechanics(made())
    e_dot = strained(rod, rng)
    nothing = np.zeros_like(e_dot)
    stress = plain.bias(e_dot, nothing, np.zeros(3), {})[1]  # of the same field of strain, linear
    times = np.array([0.0] * 2 + [0.1] * 2 + [0.5] * 3 + [0.0] * 2)
    found = soft.damping(nothing, e_dot, {})
    assert found is not None and np.abs(found + times * stress).max() < 1e-12 * np.abs(stress).max()
    assert plain.damping(nothing, e_dot, {}) is None


# -- files and bad input -------------------------------------------------------------------------------------------------


def test_rods_tendons_and_loads_are_saved(rng: Rng) -> None:
    rod = made(curvature=("s", 0.0, 1.0), damping={"twist": 0.1}, energy="stretch**2 + bend_y**2*s + twist**2 + bend_z**2")
    system = free(rod, Tendon("cable", "rod", (0.01, "0.02*s"), "3*t"), DistributedForce("load", "rod", (0.0, "t*s", 1.0)))
    assert from_data(to_data(system)) == system


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"length": -1.0}, r"Rod 'rod': the length is -1\.0 m; it must be positive"),
        ({"strains": {"bend_x": 2}}, r"Strain: 'bend_x' is no strain of a rod: did you mean 'bend_z'"),
        ({"strains": ()}, r"has no strain that varies"),
        ({"strains": ("twist", "twist")}, r"'twist' is given twice"),
        ({"strains": {"shear_y": 1}}, r"'shear_y' varies, and the section has no GAy against it"),
        ({"strains": {"twist": 0}}, r"Strain 'twist': terms is 0"),
        ({"strains": (Strain("twist"), 3)}, r"strains hold 3; give Strain"),
        ({"strains": 3}, r"strains is 3; give Strain"),
        ({"strains": Silent()}, r"strains is an object of type Silent; give Strain"),
        ({"section": 3}, r"the section is 3; give CrossSection"),
        ({"curvature": 2.0}, r"curvature is 2\.0; give three values"),
        ({"damping": -1.0}, r"damping is .*; it must not be negative"),
        ({"damping": {"shear_z": 1.0}}, r"damping names 'shear_z', which does not vary"),
        ({"points": 0}, r"points is 0"),
    ],
)
def test_what_no_rod_is(more: Any, message: str) -> None:
    with pytest.raises(SoftBodyError, match=message):
        made(**more)


def test_a_rod_that_hangs_on_nothing_is_refused() -> None:
    with pytest.raises(UncarriedBodyError, match=r"no joint carries the body 'rod'; join it to a parent, or .* Free\("):
        System("loose", (made(),), ())


def test_too_few_points_are_told_with_the_number_to_use() -> None:
    with pytest.warns(
        QuadratureWarning, match="3 points a piece are too few to integrate functions of degree 4; give points=7"
    ):
        made(strains={"bend_y": 5}, points=3)


def test_what_does_not_belong_on_a_body_is_refused() -> None:
    brick = Body("rod", 1.0, inertia=(1.0, 1.0, 1.0))
    with pytest.raises(RestrictedForceError, match="Tendon 'cable': Body 'rod' is no Rod"):
        free(brick, Tendon("cable", "rod", (0.0, 0.1), 1.0))
    with pytest.raises(SoftBodyError, match=r"it goes from s = 0\.5 to s = 0\.2"):
        Tendon("cable", "rod", (0.0, 0.1), 1.0, start=0.5, end=0.2)
    tooth = Body("tooth", 1.0, inertia=(1.0, 1.0, 1.0))
    clamp, far = Fixed(name="a", parent="world", child="rod"), Fixed(name="b", parent="rod", child="tooth", at=(1.0, 0.0, 0.0))
    with pytest.raises(
        SoftBodyError, match=r"Fixed 'b' is at x = 1\.0 m, and Rod 'rod' goes from 0 to 0\.7 m along x; put it within"
    ):
        System("far", (made(), tooth), (clamp, far), (), (Gravity(),))
    bent = made(curvature=(0.0, 0.0, 0.5))  # where along it a point lies is found when it moves
    with pytest.raises(SoftBodyError, match=r"attached at 1\.\d* of its length; give a point between its ends"):
        forward(Instant(System("far", (bent, tooth), (clamp, far), (), (Gravity(),)), np.zeros(9), np.zeros(9)))
