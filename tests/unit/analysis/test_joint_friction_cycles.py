"""Cycles of systems whose joints have dry friction: closed forms of driven and of dragged blocks, and differences."""

import math

import numpy as np
import pytest

import locomotor as lm
from locomotor.analysis.cycles import poincare_map

GRAVITY = 9.81
DRIVE, STIFFNESS, FREQUENCY = 3.0, 4.0, 3.0


def slider(name: str, child: str, axis: tuple[int, int, int] = (1, 0, 0)) -> lm.Prismatic:
    return lm.Prismatic(name=name, parent="world", child=child, axis=axis)


def driven(friction: lm.JointFriction, *, stop: bool = False) -> lm.System:
    """A block of 1 kg between springs that is driven along x; where wanted, against a wall at 0.3 m."""
    wall = lm.Plane("wall", point=(0.3, 0.0, 0.0), normal=(-1.0, 0.0, 0.0))
    nose = lm.SlidingPoint("nose", "block", at=(0.0, 0.0, 0.0), ground="wall", law=lm.Unilateral(0.6))
    return lm.System(
        "driven",
        [lm.Body("block", 1.0, inertia=(1, 1, 1))],
        [slider("x", "block")],
        contacts=(nose,) if stop else (),
        grounds=(wall,) if stop else (),
        forces=(lm.Gravity(), lm.JointForce("drive", "x", "F*cos(w*t) - k*x"), friction),
        parameters=[lm.Parameter("F", DRIVE), lm.Parameter("w", FREQUENCY), lm.Parameter("k", STIFFNESS)],
    )


def amplitude(friction: float) -> float:
    """Den Hartog (1931), Transactions of the ASME 53, APM-53-9: forced vibrations with Coulomb friction, without stops."""
    b = FREQUENCY / math.sqrt(STIFFNESS)
    V, U = 1.0 / (1.0 - b * b), math.sin(math.pi / b) / (b * (1.0 + math.cos(math.pi / b)))
    return DRIVE / STIFFNESS * math.sqrt(V * V - (friction / DRIVE * U) ** 2)


OPTIONS = {"period": 2.0 * math.pi / FREQUENCY, "step": 0.005}


@pytest.mark.parametrize(
    "friction",
    [
        lm.JointFriction("rub", "x", 1.0),
        pytest.param(lm.JointFriction("rub", "x", mu=1.0 / GRAVITY), marks=pytest.mark.slow),  # the weight presses with 9.81 N
    ],
)
def test_a_driven_block_swings_as_far_as_den_hartog_says(friction: lm.JointFriction) -> None:
    cycle = lm.find_cycle(driven(friction), {"x": 1.0}, **OPTIONS)  # a joint that could not stay there
    run = lm.simulate(driven(friction), OPTIONS["period"], start=cycle.start, step=0.005)
    turned = [float(run["x"][run.time.searchsorted(event.time)]) for event in run.events if event.name == "rub slips"]
    # Steps of 5 ms leave 3e-10.
    assert len(turned) == 2 and np.abs(turned) == pytest.approx(amplitude(1.0), abs=3e-9)
    assert cycle.check(1e-6) < 1e-6


@pytest.mark.slow
def test_a_block_that_stops_on_its_way_forgets_its_rate() -> None:
    """Two stops a period: of two multipliers one vanishes, and derivatives go through sticking and letting go."""
    cycle = lm.find_cycle(driven(lm.JointFriction("rub", "x", 2.2)), {"x": 0.3, "x_rate": -0.5}, settle=3, **OPTIONS)
    assert sorted(cycle.events) == ["rub slips", "rub slips", "rub sticks", "rub sticks"]
    assert np.abs(cycle.multipliers).min() < 1e-9 and cycle.check(1e-6) < 1e-6


@pytest.mark.slow
def test_a_block_that_rubs_and_bounces_off_a_wall() -> None:
    cycle = lm.find_cycle(driven(lm.JointFriction("rub", "x", 0.4), stop=True), {"x": 0.0, "x_rate": 0.5}, settle=20, **OPTIONS)
    assert {"nose impact", "rub slips"} <= set(cycle.events)
    assert np.abs(cycle.multipliers).max() > 1e-3 and cycle.check(1e-6) < 1e-5


def test_derivatives_by_parameters_against_differences() -> None:
    """Instants at which friction turns round, lets go and holds move with the parameters."""
    here = poincare_map(driven(lm.JointFriction("rub", "x", 2.2)), {"x": 0.3, "x_rate": -0.5}, free=("F", "k"), **OPTIONS)
    u = here.unknowns_of(here.reference[None], here.parameters[None])
    exact = here(u, by_parameters=True).by_parameters
    for j in range(2):
        change = 1e-5 * np.eye(2)[j]
        ahead, back = (here(u, (here.parameters + sign * change)[None], tangent=False).values[0] for sign in (1.0, -1.0))
        np.testing.assert_allclose((ahead - back) / 2e-5, exact[0, :, j], atol=1e-6)


@pytest.mark.parametrize(
    "section", ["rub slips", *(pytest.param(s, marks=pytest.mark.slow) for s in ("rub sticks", "s_rate - 0.05 falling"))]
)
def test_a_dragged_block_has_the_period_of_the_closed_form(section: str) -> None:
    """It sticks for 2 A/v and slips for (2 pi - 2 atan(A w/v))/w, where A = (static - sliding)/k."""
    v, k, m, sliding, static = 0.1, 30.0, 1.5, 3.0, 6.0
    system = lm.System(
        "dragged",
        [lm.Body("block", m, inertia=(1, 1, 1)), lm.Body("cart", 1.0, inertia=(1, 1, 1))],
        [slider("s", "block"), lm.Prismatic(name="ahead", parent="block", child="cart", axis=(1, 0, 0))],
        constraints=(lm.VelocityConstraint("steady", {"s_rate": 1.0, "ahead_rate": 1.0}, equals=v),),
        forces=(lm.JointForce("spring", "ahead", f"-{k}*ahead"), lm.JointFriction("rub", "s", sliding, static=static)),
    )
    cycle = lm.find_cycle(system, {"ahead": 0.0, "s_rate": 0.0}, section=section, step=0.005, longest=20.0)
    w, A = math.sqrt(k / m), (static - sliding) / k
    assert cycle.period == pytest.approx(2 * A / v + (2 * math.pi - 2 * math.atan(A * w / v)) / w, abs=3e-9)
    assert np.abs(cycle.multipliers).max(initial=0.0) < 1e-9  # it slips from the same stretch each time


def test_sections_that_no_joint_passes_are_refused() -> None:
    system = driven(lm.JointFriction("rub", "x", 1.0))
    with pytest.raises(lm.errors.SectionError, match="'rub': it is the dry friction of a joint, which slips or sticks"):
        lm.find_cycle(system, {"x_rate": -0.5}, section="rub impact")
