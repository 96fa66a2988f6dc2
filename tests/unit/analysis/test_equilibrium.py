"""Equilibria of rods under loads, against closed forms and published numbers; buckling loads along a load."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc

import locomotor as lm
from locomotor.errors import EquilibriumError, UnknownNameError
from locomotor.mechanics.tree import Instant, forward

Array = Any

EI, GJ = 2.0, 1.4
SECTION = lm.CrossSection(mass=1.0, EIy=EI, EIz=EI, GJ=GJ, second=(1e-3, 1e-3, 0.0))


def cantilever(rod: lm.Rod, *forces: Any, inputs: tuple[str, ...] = ("P",), rotation: Any = (0.0, 0.0, 0.0)) -> lm.System:
    """A rod clamped to the world, with a frame at its end."""
    end = rod.pose_at(1.0)
    return lm.System(
        "cantilever",
        bodies=(rod, lm.Frame("tip")),
        joints=(
            lm.Fixed(name="clamp", parent="world", child="rod", rotation=rotation),
            lm.Fixed(name="end", parent="rod", child="tip", at=end.translation, rotation=end.rotation),
        ),
        forces=forces,
        inputs=tuple(lm.Input(name) for name in inputs),
    )


def rod(strains: Any, points: int, section: lm.CrossSection = SECTION, length: float = 1.0, **more: Any) -> lm.Rod:
    return lm.Rod("rod", section=section, length=length, strains=strains, points=points, **more)


def tip(found: lm.Equilibrium) -> Array:
    """Pose of the last body in the world."""
    q = np.array([found[symbol.name] for symbol in found.system.layout.coordinates])
    return forward(Instant(found.system, q, np.zeros(found.system.layout.nv))).poses[-1]


# -- large bending -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_moment_rolls_a_cantilever_up_into_a_circle() -> None:
    system = cantilever(rod({"bend_z": 2}, 5), lm.BodyTorque("moment", "tip", (0.0, 0.0, "P")))
    found = lm.equilibrium(system, inputs={"P": 2.0 * np.pi * EI})
    assert found.found and found.stable and found.residual < 1e-12
    assert np.abs(tip(found).as_matrix() - np.eye(4)).max() < 1e-12  # its end is where it began: constant curvature is exact


def elastica(load: float) -> tuple[float, float]:
    """Tip of a cantilever of length and stiffness one under a dead load across it: Bisshopp and Drucker, 1945."""

    def modulus(slope: float) -> tuple[float, float]:
        m = 0.5 * (1.0 + np.sin(slope))
        return m, float(np.arcsin(1.0 / np.sqrt(2.0 * m)))

    def miss(slope: float) -> float:
        m, angle = modulus(slope)
        return float(ellipk(m) - ellipkinc(angle, m)) - np.sqrt(load)

    slope = brentq(miss, 1e-9, 0.5 * np.pi - 1e-9, xtol=1e-15)
    m, angle = modulus(slope)
    return np.sqrt(2.0 * np.sin(slope) / load), 1.0 - 2.0 / np.sqrt(load) * float(ellipe(m) - ellipeinc(angle, m))


@pytest.mark.slow
@pytest.mark.parametrize("load", [1.0, 10.0])
def test_a_cantilever_under_a_tip_load_is_the_elastica(load: float) -> None:
    system = cantilever(rod({"bend_z": 10}, 24), lm.BodyForce("load", "tip", (0.0, 0.0, 0.0), (0.0, "P", 0.0)))
    found = lm.equilibrium(system, inputs={"P": load * EI})
    assert np.abs(tip(found).translation[0:2] - np.array(elastica(load))).max() < 1e-6


@pytest.mark.slow
def test_a_helix_under_a_wrench_that_follows() -> None:
    """Constant twist t and curvature k: force t (GJ - EI) (t, 0, k) and couple (GJ t, 0, EI k), in axes of the end."""
    t, k = 3.0, 4.0
    pull = t * (GJ - EI)
    system = cantilever(
        rod({"twist": 2, "bend_y": 1, "bend_z": 2}, 5),
        lm.BodyForce("force", "tip", (0.0, 0.0, 0.0), (f"{pull * t}*P", 0.0, f"{pull * k}*P"), frame="body"),
        lm.BodyTorque("couple", "tip", (f"{GJ * t}*P", 0.0, f"{EI * k}*P"), frame="body"),
    )
    found = lm.equilibrium(system, inputs={"P": 1.0})
    values = [found["rod_twist_0"], found["rod_twist_1"], found["rod_bend_y"], found["rod_bend_z_0"], found["rod_bend_z_1"]]
    assert np.abs(np.array(values) - [t, 0.0, 0.0, k, 0.0]).max() < 1e-10
    assert not found.conservative and found.stable is None


@pytest.mark.slow
def test_the_bend_of_bathe_and_bolourchi() -> None:
    """45 degrees of a circle of radius 100, loaded out of its plane: the spread of what is published.

    Tip under 600: Bathe and Bolourchi 1979 (15.9, 47.2, 53.4), Simo and Vu-Quoc 1986 (15.79, 47.23, 53.37), Cardona and
    Geradin 1988 (15.55, 47.04, 53.50), Crisfield 1990 (15.68, 47.15, 53.47).
    """
    section = lm.CrossSection(
        mass=1.0, EA=1e7, GAy=5e6, GAz=5e6, GJ=5e6 / 6.0, EIy=1e7 / 12.0, EIz=1e7 / 12.0, second=(0.1, 0.1, 0.0)
    )
    strains = {"twist": 4, "bend_y": 4, "bend_z": 4, "stretch": 2, "shear_y": 2, "shear_z": 2}
    bend = rod(strains, 8, section, 25.0 * np.pi, curvature=(0.0, 0.0, -0.01))
    load = lm.BodyForce("load", "tip", (0.0, 0.0, 0.0), (0.0, 0.0, "P"))
    found = lm.equilibrium(cantilever(bend, load, rotation=(0.0, 0.0, 0.5 * np.pi)), inputs={"P": 600.0})
    x, y, z = tip(found).translation
    assert 15.55 <= x <= 15.9 and 47.04 <= y <= 47.23 and 53.37 <= z <= 53.50
    assert np.abs(np.array([x, y, z]) - [15.68, 47.15, 53.47]).max() < 0.01  # Crisfield's, with as many digits as he gives


# -- buckling ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_euler_s_column() -> None:
    system = cantilever(rod({"bend_z": 5}, 8), lm.BodyForce("load", "tip", (0.0, 0.0, 0.0), ("-P", 0.0, 0.0)))
    path = lm.continue_equilibrium(system, "P", 3.0 * EI)
    (change,) = path.changes
    assert change.kind == "branch" and abs(change.load / (0.25 * np.pi**2 * EI) - 1.0) < 1e-4
    assert path.stable[0] and not path.stable[-1] and path.loads[-1] == 3.0 * EI


@pytest.mark.slow
def test_greenhill_s_column_under_its_own_weight() -> None:
    """q l³/EI = 7.8373: the first zero of the Bessel function J_(-1/3)(2/3 sqrt(x))."""
    system = cantilever(rod({"bend_z": 8}, 16), lm.DistributedForce("weight", "rod", ("-P", 0.0, 0.0)))
    (change,) = lm.continue_equilibrium(system, "P", 8.2 * EI).changes
    assert abs(change.load / (7.837347438943797 * EI) - 1.0) < 1e-4


@pytest.mark.slow
def test_a_limit_point_is_passed_and_told() -> None:
    """A shallow arch of two springs snaps through where P(h) = 2 k h (l0/l - 1) has its largest value."""
    half, rise, k = 1.0, 0.2, 50.0
    free = float(np.hypot(half, rise))
    system = lm.System(
        "arch",
        bodies=(lm.Body("top", 1.0, inertia=(0.0, 0.0, 0.0)),),
        joints=(lm.Prismatic(name="h", parent="world", child="top", axis=(0.0, 0.0, 1.0)),),
        forces=(
            lm.PointSpring("left", "world", (-half, 0.0, 0.0), "top", (0.0, 0.0, 0.0), k, free),
            lm.PointSpring("right", "world", (half, 0.0, 0.0), "top", (0.0, 0.0, 0.0), k, free),
            lm.BodyForce("load", "top", (0.0, 0.0, 0.0), (0.0, 0.0, "-P")),
        ),
        inputs=(lm.Input("P"),),
        nominal={"h": rise},
    )
    path = lm.continue_equilibrium(system, "P", 2.0)
    h = np.sqrt(free ** (2.0 / 3.0) * half ** (4.0 / 3.0) - half**2)  # dP/dh = 0
    limit = 2.0 * k * h * (free / np.hypot(half, h) - 1.0)
    kinds = [change.kind for change in path.changes]
    assert kinds == ["limit", "limit"] and abs(path.changes[0].load - limit) < 1e-9 and abs(path.changes[1].load + limit) < 1e-9
    assert path.loads[-1] == 2.0 and path.of("h")[-1] < -rise
    assert lm.equilibrium(system, inputs={"P": 0.5 * limit}).stable
    beyond = lm.equilibrium(system, inputs={"P": 1.5 * limit})
    assert beyond.found and beyond["h"] < -rise


# -- what is refused ---------------------------------------------------------------------------------------------------


def test_what_has_no_equilibrium_is_told() -> None:
    ball = lm.System(
        "ball",
        bodies=(lm.Body("ball", 1.0, inertia=(1.0, 1.0, 1.0)),),
        joints=(lm.Prismatic(name="z", parent="world", child="ball", axis=(0.0, 0.0, 1.0)),),
        forces=(lm.Gravity(),),
    )
    with pytest.raises(EquilibriumError, match=r"no equilibrium is found from the nominal pose \(forces of 9\.8 are left\)"):
        lm.equilibrium(ball)
    with pytest.raises(EquilibriumError, match="no input 'push'"):
        lm.equilibrium(ball, inputs={"push": 1.0})
    with pytest.raises(UnknownNameError, match="no input or parameter 'weight'"):
        lm.continue_equilibrium(ball, "weight", 1.0)
