"""Cycles through instants at which contacts begin to slip, stick, or slip the other way: closed forms, and differences."""

import math
from functools import cache

import numpy as np
import pytest

import locomotor as lm

GRAVITY = 9.81


def parameters(**values: float) -> list[lm.Parameter]:
    return [lm.Parameter(name, value) for name, value in values.items()]


def prismatic(name: str, parent: str, child: str, axis: tuple[int, int, int]) -> lm.Prismatic:
    return lm.Prismatic(name=name, parent=parent, child=child, axis=axis)


SOLE = lm.StickingPoint("sole", body="block", at=(0, 0, 0), law=lm.Unilateral(friction="mu", static="mu_s"))
BLOCK = lm.Body("block", mass="m", inertia=(1, 1, 1))


@cache
def dragged(rider: bool = False) -> lm.System:
    """A block behind a spring whose other end is pulled at a constant speed; a rider hangs on it by another spring."""
    return lm.System(
        "dragged",
        bodies=(
            lm.Body("cart", 1.0, inertia=(1, 1, 1)),
            lm.Frame("high"),
            BLOCK,
            *((lm.Body("rider", 0.7, inertia=(1, 1, 1)),) if rider else ()),
        ),
        joints=(
            prismatic("pull", "world", "cart", (1, 0, 0)),
            prismatic("x", "cart", "high", (1, 0, 0)),
            prismatic("z", "high", "block", (0, 0, 1)),
            *((prismatic("swing", "block", "rider", (1, 0, 0)),) if rider else ()),
        ),
        contacts=(SOLE,),
        constraints=(lm.VelocityConstraint("steady", {"pull_rate": 1.0}, equals="v"),),
        forces=(
            lm.Gravity((0, 0, "-g")),
            lm.JointForce("spring", "x", "-k*x"),
            *((lm.JointForce("hang", "swing", "-25*swing - 0.6*swing_rate"),) if rider else ()),
        ),
        parameters=parameters(m=1.5, mu=0.2, mu_s=0.4, v=0.1, k=30.0, g=GRAVITY),
    )


def dragged_period(v: float = 0.1, k: float = 30.0, m: float = 1.5, mu: float = 0.2, mu_s: float = 0.4) -> float:
    """It sticks for 2 A/v and slips for (2 pi - 2 atan(A w/v))/w, where A = (mu_s - mu) m g/k."""
    w, A = math.sqrt(k / m), (mu_s - mu) * m * GRAVITY / k
    return 2 * A / v + (2 * math.pi - 2 * math.atan(A * w / v)) / w


@pytest.mark.parametrize(
    "section", ["sole slips", *(pytest.param(s, marks=pytest.mark.slow) for s in ("sole sticks", "x_rate + 0.05 falling"))]
)
def test_a_dragged_block_sticks_and_slips_with_the_period_of_the_closed_form(section: str) -> None:
    cycle = lm.find_cycle(dragged(), {}, section=section, step=0.005, longest=20.0)
    assert cycle.period == pytest.approx(dragged_period(), abs=3e-9)  # steps of 5 ms: 2e-8 with 10 ms, of fourth order
    assert np.abs(cycle.multipliers).max(initial=0.0) < 1e-9  # it slips from the same stretch each time, whatever was before
    assert cycle.displacement["pull"] == pytest.approx(0.1 * dragged_period(), abs=1e-9)


@pytest.mark.slow
def test_multipliers_through_stick_and_slip_agree_with_differences() -> None:
    """A rider that swings on the block remembers: its multipliers do not vanish."""
    cycle = lm.find_cycle(dragged(rider=True), {}, section="sole sticks", step=0.005, longest=20.0, settle=10)
    assert np.abs(cycle.multipliers).max() > 0.02 and cycle.check(1e-6) < 1e-6
    assert {event.split()[-1] for event in cycle.events} == {"slips", "sticks"}
    again = lm.find_cycle(dragged(rider=True), cycle.start, section="sole slips", step=0.005, longest=20.0, settle=2)
    assert again.period == pytest.approx(cycle.period, abs=1e-9)
    found, wanted = (sorted(np.abs(c.multipliers))[-2:] for c in (again, cycle))
    assert found == pytest.approx(wanted, abs=1e-7)  # those of a cycle do not depend on where it is looked at


@pytest.mark.slow
def test_a_family_follows_the_pulling_speed() -> None:
    first = lm.find_cycle(dragged(), {}, section="sole sticks", step=0.01, longest=20.0)
    family = lm.continue_cycle(dragged(), first, "v", (0.1, 0.3), step=0.05)
    for value, cycle in zip(family.values, family.cycles, strict=True):
        assert cycle.period == pytest.approx(dragged_period(v=value), abs=1e-7)


@cache
def driven(mu: float, plane: bool = False) -> lm.System:
    """A block between springs that is driven by a force along x, or by one that goes round."""
    law = lm.Unilateral(friction="mu")
    sole = lm.StickingPoint("sole", body="block", at=(0, 0, 0), law=law)
    across = (prismatic("y", "cross", "high", (0, 1, 0)),) if plane else ()
    turning = (lm.JointForce("fy", "y", "0.8*F*sin(w*t) - 1.3*k*y"),) if plane else ()
    return lm.System(
        "driven",
        bodies=(*((lm.Frame("cross"),) if plane else ()), lm.Frame("high"), BLOCK),
        joints=(
            prismatic("x", "world", "cross" if plane else "high", (1, 0, 0)),
            *across,
            prismatic("z", "high", "block", (0, 0, 1)),
        ),
        contacts=(sole,),
        forces=(lm.Gravity((0, 0, "-g")), lm.JointForce("fx", "x", "F*cos(w*t) - k*x"), *turning),
        parameters=parameters(m=1.0, mu=mu, mu_s=mu, F=10.0, w=2.0, k=9.0, g=GRAVITY),
    )


@pytest.mark.slow
def test_den_hartogs_oscillator_slips_to_and_fro_without_stops() -> None:
    """Amplitude a sqrt(V² - (x_f/a)² U²), V = 1/(1 - b²), U = sin(pi/b)/(b (1 + cos(pi/b))), b = w/w_n (Den Hartog 1931)."""
    mu, b = 0.2, 2.0 / 3.0
    cycle = lm.find_cycle(driven(mu), {"x": 1.5, "x_rate": -1.0}, step=math.pi / 400)
    a, x_f = 10.0 / 9.0, mu * GRAVITY / 9.0
    V, U = 1.0 / (1.0 - b * b), math.sin(math.pi / b) / (b * (1.0 + math.cos(math.pi / b)))
    turns = [event.time for event in cycle.run.events]
    assert len(turns) == 2 and all("slips" in event.name for event in cycle.run.events)
    places = np.interp(turns, cycle.run.time, cycle.run["x"])
    assert np.abs(places) == pytest.approx(a * math.sqrt(V * V - (x_f / a * U) ** 2), abs=1e-8)
    assert cycle.check() < 1e-7 and 0.01 < np.abs(cycle.multipliers).max() < 1.0


@pytest.mark.slow
def test_slips_that_turn_in_the_plane_have_exact_multipliers() -> None:
    cycle = lm.find_cycle(driven(0.15, plane=True), {"x": 1.5, "y": 0.0}, step=math.pi / 400, settle=10)
    assert cycle.run["sole_slip_speed"].min() > 0.1  # it never stops
    assert len(cycle.multipliers) == 4 and cycle.check() < 1e-6


def test_what_has_no_friction_has_no_section_where_it_slips() -> None:
    with pytest.raises(lm.errors.SectionError, match="foot_0 has no coefficient of friction"):
        lm.find_cycle(lm.catalogue.rimless_wheel(), {"pitch_rate": 1.5}, section="foot_0 slips")
