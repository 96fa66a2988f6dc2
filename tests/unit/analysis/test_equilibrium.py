"""Equilibria of rods under loads, against closed forms and published numbers; buckling loads along a load."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc

import locomotor as lm
from locomotor.errors import EquilibriumError, UnknownNameError
from locomotor.scenarios import scenario
from locomotor.scenarios.soft.beams import SPINS
from locomotor.scenarios.soft.rods import EI, HIGH, POISSON, PRINCETON, ROUND, SPAN, THIN, YOUNG, clamped
from oracles.rod_statics import spinning_frequencies, tip_under_load

# -- large bending -----------------------------------------------------------------------------------------------------


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


def declared(name: str) -> dict[str, float]:
    return {number.key: number.expected for number in scenario(name).numbers}


@pytest.mark.parametrize("load", [1, 10])
def test_the_declared_elastica_is_that_of_elliptic_integrals(load: int) -> None:
    across, along = elastica(float(load))[1], elastica(float(load))[0]
    numbers = declared("rod/large_bending")
    assert abs(numbers[f"elastica, P l²/EI = {load}: end across it"] - across) < 1e-9
    assert abs(numbers[f"elastica, P l²/EI = {load}: end along it"] - along) < 1e-9


def test_the_declared_end_of_the_bend_is_that_of_shooting() -> None:
    """The published spread under 600 (15.55 to 15.9, 47.04 to 47.23, 53.37 to 53.50, as quoted in the literature) is wider."""
    stiff = 1e7 / 12.0
    R = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    end, _ = tip_under_load(
        25.0 * np.pi, (stiff, stiff, stiff), (0.0, 0.0, 600.0), C=(1e7, 5e6, 5e6), bent=(0.0, 0.0, -0.01), R0=R
    )
    assert np.abs(end - np.array([declared("rod/bend_of_45_degrees")[axis] for axis in "xyz"])).max() < 1e-6


@pytest.mark.slow
def test_the_declared_princeton_beam_is_that_of_shooting() -> None:
    """Torsion of a rectangle: a b³ (1/3 - 0.21 b/a (1 - b⁴/(12 a⁴))), to 1e-4 of it."""
    a, b, E, G = HIGH, THIN, YOUNG, YOUNG / (2.0 + 2.0 * POISSON)
    D = (G * a * b**3 * (1.0 / 3.0 - 0.21 * b / a * (1.0 - b**4 / (12.0 * a**4))), E * b * a**3 / 12.0, E * a * b**3 / 12.0)
    for (load, degrees), (thin, high, twist) in PRINCETON.items():
        side, up = np.sin(np.radians(degrees)), np.cos(np.radians(degrees))
        p, R = tip_under_load(SPAN, D, (0.0, -load * side, -load * up))
        assert np.abs(p[1:] + [thin, high]).max() < 2e-5
        assert abs(np.degrees(np.arctan2(R[2, 1], R[2, 2])) - twist) < 2e-3


def test_declared_frequencies_of_a_spinning_beam_are_those_of_shooting() -> None:
    for spin, wanted in SPINS.items():
        assert np.abs(spinning_frequencies(spin, wanted) - wanted).max() < 1e-7


@pytest.mark.slow
def test_a_wrench_that_follows_has_no_potential() -> None:
    system = clamped(
        lm.Rod("rod", section=ROUND, length=1.0, strains={"bend_z": 2}),
        lm.BodyForce("force", "tip", (0.0, 0.0, 0.0), (0.0, "P", 0.0), frame="body"),
    )
    found = lm.equilibrium(system, inputs={"P": 0.5})
    assert found.found and not found.conservative and found.stable is None


# -- buckling ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_column_loses_its_stability_at_a_branch() -> None:
    """Euler's load to a hundredth, with two functions for a curvature that is a cosine."""
    system = clamped(
        lm.Rod("rod", section=ROUND, length=1.0, strains={"bend_z": 2}, points=6),
        lm.BodyForce("load", "tip", (0.0, 0.0, 0.0), ("-P", 0.0, 0.0)),
    )
    path = lm.continue_equilibrium(system, "P", 6.0)
    (change,) = path.changes
    assert change.kind == "branch" and abs(change.load / (0.25 * np.pi**2 * EI) - 1.0) < 1e-2
    assert path.stable[0] and not path.stable[-1] and path.loads[-1] == 6.0


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


@pytest.mark.parametrize("share", [1.2, 2.0, 10.0])
def test_a_column_that_is_not_quite_straight_bends_far(share: float) -> None:
    """Pushed beyond Euler's load it turns its tip by 2 asin k with K(k) = l sqrt(P/EI): far more than it moved at first."""
    section = lm.CrossSection(mass=1.0, EIy=1.0)
    push = lm.BodyForce("push", "rod", at=(1.0, 0.0, 0.0), components=("-P", 0.0, "1e-5*P"))
    column = lm.System(
        "column",
        [lm.Rod("rod", section=section, length=1.0, strains={"bend_y": 6}, points=16)],
        [lm.Fixed(name="base", parent="world", child="rod")],
        forces=[push],
        inputs=[lm.Input("P", "N")],
    )
    load = share * 0.25 * np.pi**2
    found = lm.equilibrium(column, inputs={"P": load})
    m = brentq(lambda m: ellipk(m) - np.sqrt(load), 0.0, 1.0 - 1e-12, xtol=1e-15)
    assert found.found and found.stable
    assert -found["rod_bend_y_0"] == pytest.approx(2.0 * np.arcsin(np.sqrt(m)), abs=1e-3)


def test_a_rod_that_gives_way_tells_the_load_it_reached() -> None:
    """Its moment k/(1 + k²/4) has a largest value, 1 at k = 2: what is beyond has no equilibrium, and none is made up."""
    rod = lm.Rod("rod", section=ROUND, length=1.0, strains="bend_z", energy="2*log(1 + bend_z**2/4)", points=4)
    system = clamped(rod, lm.BodyTorque("moment", "tip", (0.0, 0.0, "P")))
    carried = lm.equilibrium(system, inputs={"P": 0.8})
    assert carried.found and carried["rod_bend_z"] == pytest.approx(1.0, rel=1e-9)  # k/(1 + k²/4) = 0.8
    beyond = lm.equilibrium(system, inputs={"P": 1.5})
    assert not beyond.found and 0.66 < beyond.reached < 2.0 / 3.0
    assert f"it ends at {100 * beyond.reached:.4g} % of the inputs" in beyond.status
    k = beyond["rod_bend_z"]  # the last on the way is one
    assert k / (1.0 + 0.25 * k**2) == pytest.approx(1.5 * beyond.reached, rel=1e-8)


# -- what is refused ---------------------------------------------------------------------------------------------------


def test_a_rod_is_not_pressed_inside_out() -> None:
    """Linear elasticity goes on beyond a load of EA, where the length has gone to nothing; no rod does."""
    rod = lm.Rod("post", section=lm.CrossSection(mass=1.0, EA=2.0), length=1.0, strains={"stretch": 2})
    press = lm.BodyForce("press", "post", at=(1.0, 0.0, 0.0), components=("-P", 0.0, 0.0))
    post = lm.System(
        "post", [rod], [lm.Fixed(name="base", parent="world", child="post")], forces=[press], inputs=[lm.Input("P", "N")]
    )
    held = lm.equilibrium(post, inputs={"P": 1.9})
    assert held.found and held["post_stretch_0"] == pytest.approx(-0.95)
    lost = lm.equilibrium(post, inputs={"P": 5.0})
    assert not lost.found and "Rod 'post' is pressed to nothing" in lost.status
    assert 5.0 * lost.reached == pytest.approx(2.0, rel=2e-3) and lost["post_stretch_0"] > -1.0
    assert "Rod 'post' is inside out" in lm.equilibrium(post, {"post_stretch_0": -3.0}, inputs={"P": 5.0}).status
    path = lm.continue_equilibrium(post, "P", 5.0)
    assert "Rod 'post' is pressed to nothing beyond P" in path.ended and path.loads[-1] <= 2.0
    with pytest.warns(lm.RunWarning, match="Rod 'post' is pressed to .* of its length: no rod turns inside out"):
        lm.simulate(post, 1.0, inputs={"P": 5.0}, step=1e-3)


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
