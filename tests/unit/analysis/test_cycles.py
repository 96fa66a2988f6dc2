"""Limit cycles: closed forms, exact derivatives against differences, sections that agree, families, scans, and mistakes."""

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.analysis.cycles import Cycle, by_differences, poincare_map
from locomotor.analysis.cycles.flow import ScheduledFlow
from locomotor.analysis.cycles.sections import drive_period
from locomotor.catalogue.rocr import rocr
from locomotor.errors import ArgumentError, CycleNotFoundError, SectionError, UnknownNameError
from locomotor.model import (
    Body,
    Gravity,
    Plane,
    Prismatic,
    SlidingPoint,
    StickingPoint,
    System,
    Torque,
    Unilateral,
)
from oracles import simplest_walker
from oracles.cycle_systems import closed_form, driven_pendulum, shaker, spoked

FAST = 1.5 * math.pi
MIRROR = {"yaw": "pi - yaw", "yaw_rate": "-yaw_rate"}
HALF = {"period": 1.0 / 3.0, "symmetry": MIRROR}
GRID = {"yaw": (0.0, 2.0 * math.pi, 8), "yaw_rate": (-16.0, 16.0, 8)}

# -- small systems ------------------------------------------------------------------------------------------


def spring_leg() -> System:
    """Two masses and a spring that feeds small oscillations and damps large ones: it hops by itself."""
    still, up = (0.1, 0.1, 0.1), (0.0, 0.0, 1.0)
    law = "-100*leg + leg_rate*(1 - (leg/0.12)**2)"
    return System(
        name="spring_leg",
        bodies=(Body("foot", mass=0.1, inertia=still), Body("top", mass=1.0, inertia=still)),
        joints=(
            Prismatic(name="height", parent="world", child="foot", axis=up),
            Prismatic(name="leg", parent="foot", child="top", axis=up, drive=Torque(law)),
        ),
        contacts=(SlidingPoint("sole", body="foot", at=(0.0, 0.0, 0.0), law=Unilateral()),),
        forces=(Gravity((0.0, 0.0, -9.81)),),
    )


@cache
def climbing() -> Cycle:
    return lm.find_cycle(rocr(phase=FAST), {"yaw": math.pi, "yaw_rate": 6.5})


# -- derivatives --------------------------------------------------------------------------------------------


def difference(cycle: Cycle, size: float) -> float:
    """Largest difference of multipliers by exact derivatives and by differences of the map."""
    found = by_differences(lambda u: u + cycle.map(u, tangent=False).residual, cycle.values, size)
    return float(np.abs(np.sort_complex(np.linalg.eigvals(found)) - np.sort_complex(cycle.multipliers)).max())


def test_derivative_with_scheduled_grips() -> None:
    # Asked for: 1e-5. Differences of 1e-5 on a map good to 1e-13 leave about 1e-8.
    assert climbing().check() < 1e-7 and difference(climbing(), 1e-5) < 1e-7


@pytest.mark.parametrize("yields", [False, True], ids=["held", "yielding"])
@pytest.mark.parametrize("rule", ["newton", "poisson", "stronge"])
@pytest.mark.sampled(3)
def test_derivative_through_bounces_of_a_driven_system(rule: str, yields: bool) -> None:
    options: dict[str, Any] = {"settle": 40, "step": 1.0 / 300.0, "start_time": 1.0 / 12.0}
    cycle = lm.find_cycle(shaker(rule=rule, yields=yields), {"height": 0.05}, **options)
    assert "foot impact" in cycle.events
    # The differences of 1e-6 that check it carry errors of about 1e-7 here: the map bends strongly at an impact.
    assert cycle.check(1e-6) < 1e-5
    if not yields:
        # Between bounces areas in phase space are kept; a bounce with restitution e multiplies them by e².
        assert np.prod(cycle.multipliers).real == pytest.approx(0.4 ** (2 * len(cycle.events)), abs=1e-9)


@pytest.mark.slow
def test_a_cycle_does_not_care_how_its_restitution_is_written() -> None:
    options: dict[str, Any] = {"settle": 40, "step": 1.0 / 300.0, "start_time": 1.0 / 12.0}
    found = [lm.find_cycle(shaker(e), {"height": 0.05}, **options) for e in (0.4, "e")]
    assert np.allclose(found[0].multipliers, found[1].multipliers, rtol=0.0, atol=1e-9)
    assert np.prod(found[1].multipliers).real == pytest.approx(0.4 ** (2 * len(found[1].events)), abs=1e-9)


@pytest.mark.slow
def test_derivative_on_rotations_and_rolling_wheels() -> None:
    """A bicycle that weaves along a circle: periodic modulo a displacement, gaps closed by pitch and height."""
    inputs = {"steer_torque": "0.2*sin(2*pi*t) + 0.1", "rear_wheel_torque": "20*(16 - rear_wheel_rate)"}
    cycle = lm.find_cycle(lm.catalogue.bicycle(), {"speed": 5.0}, step=0.005, inputs=inputs)
    assert set(cycle.displacement) == {"x", "y", "yaw", "front_wheel", "rear_wheel"}
    assert cycle.stable and cycle.check() < 1e-6 and abs(cycle.displacement["yaw"]) > 0.1
    shot = lm.find_cycle(lm.catalogue.bicycle(), {"speed": 5.0}, period=1.0, step=0.005, inputs=inputs, multiple=3)
    assert shot.residual < 1e-10
    np.testing.assert_allclose(shot.values, cycle.values, atol=1e-8)
    np.testing.assert_allclose(shot.multipliers, cycle.multipliers, atol=1e-6)


# -- closed forms -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("spokes", "slope", "inertia"), [(8, 0.1, 0.1), (6, 0.25, 0.5)])
@pytest.mark.sampled(1)
def test_rimless_wheel(spokes: int, slope: float, inertia: float) -> None:
    rate, multiplier, length = closed_form(spokes, slope, inertia)
    wheel = spoked(spokes, slope, inertia)
    cycle = lm.find_cycle(wheel, {"yaw_rate": -1.2 * rate - 0.3}, section="impact", step=0.005)
    # Runge-Kutta 4 at 5 ms leaves 1e-8.
    assert cycle.unknowns == ("yaw_rate",) and cycle.stable
    assert cycle.start["yaw_rate"] == pytest.approx(-rate, abs=1e-7)
    assert cycle.multipliers[0].real == pytest.approx(multiplier, abs=1e-7)
    assert cycle.displacement["x"] == pytest.approx(length, abs=1e-8)
    assert cycle.speed == pytest.approx(length / cycle.period, abs=1e-7)


@pytest.mark.parametrize("carriage", [None, pytest.param(0.3, marks=pytest.mark.slow)], ids=["massless", "massive"])
def test_speed_and_transform_of_a_base_made_of_sliders(carriage: float | None) -> None:
    """A spoked wheel that walks down a real incline: a step is 2 sin(pi/8) long, along the slope, and turns it by pi/4.

    That is geometry, whatever the sliders that bear it weigh; forward is only the cosine of it.
    """
    turn, slope, still = math.pi / 4.0, 0.2, (0.1, 0.1, 0.1)
    frames = [lm.Frame(name) if carriage is None else Body(name, mass=carriage, inertia=still) for name in ("cart", "lift")]
    wheel = System(
        name="inclined",
        bodies=(*frames, Body("wheel", mass=1.0, inertia=still)),
        joints=(
            Prismatic(name="forward", parent="world", child="cart", axis=(1.0, 0.0, 0.0)),
            Prismatic(name="up", parent="cart", child="lift", axis=(0.0, 0.0, 1.0)),
            lm.Revolute(name="pitch", parent="lift", child="wheel", axis=(0.0, 1.0, 0.0)),
        ),
        contacts=tuple(
            StickingPoint(f"spoke_{k}", body="wheel", at=(math.sin(k * turn), 0.0, -math.cos(k * turn)), law=Unilateral())
            for k in range(8)
        ),
        forces=(Gravity((0.0, 0.0, -9.81)),),
        grounds=(Plane(normal=(math.sin(slope), 0.0, math.cos(slope))),),
        nominal={"up": 1.0 / math.cos(slope), "pitch": slope},
    )
    cycle = lm.find_cycle(wheel, {"pitch_rate": 2.0}, section="impact", step=0.005)
    length = 2.0 * math.sin(turn / 2.0)
    assert cycle.speed * cycle.period == pytest.approx(length, abs=1e-8)
    # Seen from the start of the root body: the wheel where the sliders have no mass, else the upper slider, which never turns.
    lean, turned = (cycle.start["pitch"], turn) if carriage is None else (0.0, 0.0)
    expected = [length * math.cos(lean - slope), 0.0, length * math.sin(lean - slope)]
    np.testing.assert_allclose(cycle.transform[:3, 3], expected, atol=1e-8)
    assert cycle.transform[0, 2] == pytest.approx(math.sin(turned), abs=1e-8)


def test_a_section_between_the_impacts_has_the_same_multiplier() -> None:
    """Mid-stance, once a step: the angle between spokes is a period of this sine."""
    rate, multiplier, _ = closed_form(8, 0.1, 0.1)
    wheel = spoked()
    options: dict[str, Any] = {"modulo": ("x", "yaw"), "step": 0.005}
    # The next spoke takes the place of the last: that is the symmetry, though no value changes by it.
    same = {"yaw_rate": "yaw_rate"}
    cycle = lm.find_cycle(wheel, {"yaw": -0.1, "yaw_rate": -1.5}, section="sin(8*yaw) falling", symmetry=same, **options)
    assert cycle.period == pytest.approx(lm.find_cycle(wheel, {"yaw_rate": -1.5}, section="impact", **options).period, abs=1e-8)
    assert np.abs(cycle.multipliers).max() == pytest.approx(multiplier, abs=1e-6)
    assert abs(cycle.start["yaw_rate"]) < rate  # slowest at the top


@pytest.mark.slow
def test_one_whole_turn_is_one_period_of_eight_steps() -> None:
    _, multiplier, length = closed_form(8, 0.1, 0.1)
    cycle = lm.find_cycle(spoked(), {"yaw_rate": -1.5}, section="spoke_3 impact", step=0.01)
    assert cycle.closed == ("spoke_3",) and sum(name.endswith("impact") for name in cycle.events) == 8
    assert cycle.multipliers[0].real == pytest.approx(multiplier**8, abs=1e-6)
    assert cycle.displacement["x"] == pytest.approx(8 * length, abs=1e-6)
    eight = lm.find_cycle(spoked(), {"yaw_rate": -1.5}, section="impact", step=0.01, periods=8)
    assert eight.period == pytest.approx(cycle.period, abs=1e-9)


@pytest.mark.slow
def test_sections_at_impact_lift_off_and_crossings_agree() -> None:
    """Three sections of one hop: the multipliers that are not zero belong to the cycle, not to the section."""
    found = {}
    for section in ("sole impact", "sole lift-off", "height_rate falling", "leg rising"):
        cycle = lm.find_cycle(spring_leg(), {"leg": 0.05, "height": 0.02}, section=section, settle=30, step=0.002)
        assert cycle.stable and cycle.check(1e-5) < 1e-4  # the map is steep, and differences of 1e-5 as good as that
        found[section] = cycle
    # Fourth order at 2 ms: differences of sections at 1e-8.
    for cycle in found.values():
        assert cycle.period == pytest.approx(found["leg rising"].period, abs=1e-7)
        assert abs(cycle.multipliers[0]) == pytest.approx(abs(found["leg rising"].multipliers[0]), abs=1e-6)
        assert np.abs(cycle.multipliers[1:]).max(initial=0.0) < 1e-5
    assert found["sole lift-off"].unknowns == ("leg_rate",) and found["sole impact"].closed == ("sole",)


@pytest.mark.slow
def test_a_walker_whose_legs_change_places() -> None:
    """Garcia et al. (1998): on a slope of 0.009 the step of 3.88 has the multipliers -0.190 +- 0.558i, and zero.

    Their equations are integrated apart from ours, with massless feet.
    """
    from locomotor.catalogue.compass_walker import GARCIA_CYCLE, compass_walker

    exchange = {"leg_b": "leg_a", "leg_a_rate": "leg_b_rate", "leg_b_rate": "leg_a_rate"}
    options: dict[str, Any] = {"section": "impact", "closed": ("foot_a",), "symmetry": exchange, "step": 0.005}
    cycle = lm.find_cycle(compass_walker(foot_mass=1e-5), GARCIA_CYCLE, **options)
    # The paper's feet have no mass: ours, of 1e-5 of the hip's, change the sixth digit.
    assert cycle.start["leg_b"] == pytest.approx(0.200310900544287, abs=1e-5)
    assert cycle.start["leg_a_rate"] == pytest.approx(0.199832473004977, abs=1e-5)
    assert cycle.stable and difference(cycle, 1e-5) < 1e-5
    values, duration, pair = simplest_walker.gait(0.009, (0.2, -0.2))
    np.testing.assert_allclose([cycle.start["leg_b"], -cycle.start["leg_a_rate"]], values, atol=1e-5)
    assert cycle.period == pytest.approx(duration, abs=1e-4)
    upper = complex(pair[np.argmax(pair.imag)])
    assert upper == pytest.approx(-0.190 + 0.558j, abs=1e-3)
    assert cycle.multipliers[0] == pytest.approx(upper, abs=2e-4)
    assert cycle.multipliers[1] == pytest.approx(upper.conjugate(), abs=2e-4)
    assert abs(cycle.multipliers[2]) < 2e-4


@pytest.mark.parametrize("rule", ["newton", "poisson"])
def test_a_bounce_of_the_driven_body_is_a_ball_on_a_vibrating_table(rule: str) -> None:
    """The foot is on the body whose motion is imposed, so that the event and the jump depend on time themselves.

    Of the shaker's mass 1 + m the core has m, so that its foot moves as a ball would on a table s = -A sin(w t)/(1 + m). It
    bounces once a period T when s' = (gT/2) (1 - e)/(1 + e), and differentiating the bounce by instant and speed gives the
    multipliers the product e^2 and the sum 1 + e^2 + (1 + e)^2 s''/g (J. Guckenheimer, P. Holmes, Nonlinear oscillations,
    1983, section 2.4, there with a constant time of flight).
    """
    e, amplitude, m, w, g = 0.7, 0.045, 0.8, 6.0 * math.pi, 9.81
    period = 2.0 * math.pi / w
    system = shaker(e, amplitude=amplitude)
    (foot,) = system.contacts
    kind = SlidingPoint if rule == "newton" else StickingPoint
    driven = system.replace(contacts=(kind("foot", body="core", at=foot.at, law=Unilateral(e, rule=rule)),))
    cycle = lm.find_cycle(driven, {"height": 0.05}, settle=40, step=1.0 / 300.0)
    assert cycle.events == ("foot impact",)
    table = amplitude / (1.0 + m)
    cosine = -0.5 * g * period * (1.0 - e) / (1.0 + e) / (table * w)
    total = 1.0 + e**2 - (1.0 + e) ** 2 * table * w**2 * math.sqrt(1.0 - cosine**2) / g
    # Runge-Kutta 4 is exact on parabolas, but not on the sine of the core: 1e-8.
    assert np.prod(cycle.multipliers) == pytest.approx(e**2, abs=1e-7)
    assert np.sum(cycle.multipliers) == pytest.approx(total, abs=1e-6)


# -- shooting -----------------------------------------------------------------------------------------------


def test_single_and_multiple_shooting_agree() -> None:
    single = climbing()
    for count in (2, 5):
        shot = lm.find_cycle(rocr(phase=FAST), {"yaw": math.pi, "yaw_rate": 6.5}, multiple=count)
        np.testing.assert_allclose(shot.values, single.values, atol=1e-9)
    wheel = lm.find_cycle(spoked(), {"yaw_rate": -1.5}, section="impact", step=0.01)
    shot = lm.find_cycle(spoked(), {"yaw_rate": -1.5}, section="impact", step=0.01, multiple=3)
    np.testing.assert_allclose(shot.values, wheel.values, atol=1e-8)
    starts = [{"yaw": math.pi, "yaw_rate": 6.5}, {"yaw": 6.0, "yaw_rate": -7.0}]
    given = lm.find_cycle(rocr(phase=FAST), starts, multiple=2)
    np.testing.assert_allclose(given.values, single.values, atol=1e-9)


def test_multiple_shooting_reaches_an_unstable_cycle() -> None:
    cycle = lm.find_cycle(rocr(phase=FAST), {"yaw": 1.75 * math.pi, "yaw_rate": 15.0}, multiple=3)
    assert not cycle.stable and np.abs(cycle.multipliers).max() == pytest.approx(2.7070, abs=1e-4)


def test_half_a_period_closed_by_the_mirror() -> None:
    half = lm.find_cycle(rocr(phase=FAST), {"yaw": math.pi, "yaw_rate": 6.5}, **HALF)
    np.testing.assert_allclose(half.values, climbing().values, atol=1e-9)
    np.testing.assert_allclose(np.sort(np.abs(half.multipliers) ** 2), np.sort(np.abs(climbing().multipliers)), atol=1e-8)


def test_two_periods_square_the_multipliers() -> None:
    twice = lm.find_cycle(rocr(phase=FAST), {"yaw": math.pi, "yaw_rate": 6.5}, periods=2)
    assert twice.period == pytest.approx(4.0 / 3.0)
    np.testing.assert_allclose(np.sort(np.abs(twice.multipliers)), np.sort(np.abs(climbing().multipliers) ** 2), atol=1e-9)


def test_without_a_guess_the_motion_is_followed_first() -> None:
    cycle = lm.find_cycle(rocr(phase=FAST))
    assert cycle.stable
    np.testing.assert_allclose(cycle.values, climbing().values, atol=1e-9)


def test_what_a_cycle_tells() -> None:
    cycle = climbing()
    assert cycle.residual < 1e-10 and cycle.iterations < 8 and cycle.closed == ("grip_1",)
    assert cycle.rates["y"] == pytest.approx(0.29998, abs=1e-5) and cycle.speed == pytest.approx(0.29998, abs=1e-5)
    # The transform takes the start to the end: here up the wall, seen from the body.
    yaw, up = cycle.start["yaw"], cycle.transform[:2, 3]
    assert np.cos(yaw) * up[1] + np.sin(yaw) * up[0] == pytest.approx(cycle.displacement["y"], abs=1e-12)
    run = cycle.run
    assert run.status.ok and run.time[-1] == pytest.approx(2.0 / 3.0)
    # One period ends as it began, the impact at its end included.
    for name in ("yaw", "yaw_rate"):
        assert run[name][-1] == pytest.approx(run[name][0], abs=1e-9)
    assert len(run.events.of(kind="grip")) == 2 and "stable" in repr(cycle)


def test_a_run_from_the_start_of_a_cycle_repeats() -> None:
    cycle = climbing()
    run = lm.simulate(cycle.system, 3 * cycle.period + 0.01, start=dict(cycle.start), step=cycle.period / 200)
    after = [int(np.searchsorted(run.time, n * cycle.period + 1e-6)) - 1 for n in (1, 2, 3)]
    np.testing.assert_allclose(run["yaw_rate"][after], cycle.start["yaw_rate"], atol=1e-7)


def test_without_a_compiler() -> None:
    cycle = lm.find_cycle(rocr(phase=FAST), climbing().start, target="interpreter", step=1.0 / 60.0)
    assert cycle.start["yaw_rate"] == pytest.approx(6.825, abs=1e-2)


# -- families, scans, basins --------------------------------------------------------------------------------


def test_a_scan_finds_each_cycle_once() -> None:
    found = lm.find_cycles(rocr(phase=FAST), GRID)
    assert [cycle.stable for cycle in found] == [True, False]
    shifted = lm.find_cycles(rocr(phase=FAST), {**GRID, "yaw": (-7.0, 20.0, 12)})
    # The same cycles whole turns away are the same.
    assert len(shifted) == 2
    np.testing.assert_allclose(shifted[0].start["yaw_rate"], found[0].start["yaw_rate"], atol=1e-9)


def test_a_sweep_is_a_scan_at_each_value() -> None:
    phases = [0.0, 2.0, FAST]
    swept = lm.sweep_cycles(rocr(), "phase", phases, GRID, **HALF)
    assert [len(cycles) for cycles in swept] == [2, 2, 2]
    alone = lm.find_cycles(rocr(phase=2.0), GRID, **HALF)
    for a, b in zip(swept[1], alone, strict=True):
        np.testing.assert_allclose(a.values, b.values, atol=1e-8)
        assert a.system.parameters.values["phase"] == 2.0


@pytest.mark.slow
def test_the_schedule_may_depend_on_the_swept_parameter() -> None:
    first, second = lm.sweep_cycles(rocr(phase=FAST), "f", [1.5, 1.6], GRID)
    assert first[0].period == pytest.approx(1.0 / 1.5) and second[0].period == pytest.approx(1.0 / 1.6)
    alone = lm.find_cycle(rocr(phase=FAST, frequency=1.6), dict(second[0].start))
    np.testing.assert_allclose(second[0].values, alone.values, atol=1e-8)


def test_basin() -> None:
    stable, unstable = lm.find_cycles(rocr(phase=FAST), GRID)
    found = lm.basin([stable, unstable], {"yaw": (0.0, 2.0 * math.pi, 6), "yaw_rate": (-10.0, 10.0, 5)})
    assert found.names == ("yaw", "yaw_rate") and found.labels.shape == (6, 5)
    assert found.share(0) == 1.0 and found.share(-1) == 0.0 and found.passages.max() < 30
    for wrong in (2, -2, 0.5, "first", [0, 1, 0]):
        with pytest.raises(ArgumentError, match=r"Basin.share: cycle is .*whole number of at least -1 and at most 1"):
            found.share(wrong)  # type: ignore[arg-type]


def test_continuation_locates_changes_of_stability() -> None:
    half = lm.find_cycle(rocr(phase=2.0), {"yaw": 0.0, "yaw_rate": -4.0}, settle=20, **HALF)
    family = lm.continue_cycle(rocr(phase=2.0), half, "phase", (1.3, 2.2), step=0.09, largest=0.18)
    (change,) = family.changes
    assert change.value == pytest.approx(1.4787, abs=5e-5) and change.kind == "flip"
    assert abs(change.multiplier) == pytest.approx(1.0, abs=1e-5)
    assert family.values[0] == 1.3 and family.values[-1] == 2.2
    assert not family.stable[0] and family.stable[-1] and not change.stable_before
    # Every point is a cycle of its own system.
    middle = family.cycles[len(family) // 2]
    again = lm.find_cycle(middle.system, dict(middle.start), **HALF)
    np.testing.assert_allclose(again.values, middle.values, atol=1e-8)


@pytest.mark.slow
def test_steps_of_a_continuation_are_in_units_of_the_parameter() -> None:
    """A wheel of fixed geometry: its rate changes little beside 1 + |rate|, so that the slope takes steps as they are given."""
    first = lm.find_cycle(spoked(slope=0.1), {"yaw_rate": -1.5}, section="impact", step=0.01)
    family = lm.continue_cycle(spoked(slope=0.1), first, "slope", (0.09, 0.11), step=0.002, largest=0.002)
    # The tangent has a part along the rate too: d(rate)/d(slope) = rate/(2 tan(slope)), scaled by range and 1 + |rate|.
    rate, _, _ = closed_form(8, 0.1, 0.1)
    along = 0.5 * rate / math.tan(0.1) * 0.02 / (1.0 + rate)
    expected = 0.002 / math.sqrt(1.0 + along**2)
    np.testing.assert_allclose(np.diff(family.values)[1:-1], expected, rtol=0.1)
    for value, cycle in zip(family.values, family.cycles, strict=True):
        assert cycle.start["yaw_rate"] == pytest.approx(-closed_form(8, value, 0.1)[0], abs=1e-6)


def test_continuation_goes_around_folds() -> None:
    first = lm.find_cycle(driven_pendulum(), {"swing": 0.0}, settle=60)
    family = lm.continue_cycle(driven_pendulum(), first, "w", (0.6, 1.2))
    folds = [change for change in family.changes if change.kind == "fold"]
    assert len(folds) == 2 and family.ended.endswith("the range ends at 1.2")
    # The family turns back twice: between the folds there are three cycles, the middle one unstable.
    low, high = sorted(change.value for change in folds)
    crossings = np.flatnonzero(np.diff(np.sign(family.values - 0.5 * (low + high))))
    assert len(crossings) == 3
    assert [bool(family.stable[k]) for k in crossings] == [True, False, True]
    for change in folds:
        assert change.multiplier.real == pytest.approx(1.0, abs=1e-4)


# -- sections and mistakes ----------------------------------------------------------------------------------


def test_period_of_the_drives() -> None:
    assert drive_period(rocr(frequency=2.0), {"f": 2.0, "A": 1.0, "phase": 0.3}) == pytest.approx(0.5)
    assert drive_period(shaker(), {"amplitude": 0.1}) == pytest.approx(1.0 / 3.0)
    assert drive_period(spoked(), {"slope": 0.1}) is None
    two = shaker().with_motions({"inner": "0.1*sin(4*pi*t) + 0.02*cos(6*pi*t)"})
    assert drive_period(two, {"amplitude": 0.1}) == pytest.approx(1.0)
    growing = shaker().with_motions({"inner": "0.1*sin(4*pi*t) + 0.01*t"})
    assert drive_period(growing, {"amplitude": 0.1}) is None


def test_scheduled_flow_is_the_event_driven_run() -> None:
    here = poincare_map(rocr(phase=1.0), {"yaw": 0.3, "yaw_rate": 2.0})
    assert isinstance(here.flow, ScheduledFlow)
    passage = here.passage(here.reference[None], here.parameters[None])
    run = lm.simulate(here.system, 2.0 / 3.0 + 1e-3, start={"yaw": 0.3, "yaw_rate": 2.0}, step=1.0 / 300.0)
    after = int(np.searchsorted(run.time, 2.0 / 3.0 + 1e-6)) - 1
    for k, name in enumerate(("x", "y", "yaw", "yaw_rate")):
        # Both are of fourth order with steps of about 3 ms that do not fall on the same instants.
        assert passage.states[0, k] == pytest.approx(run[name][after], abs=1e-6)


MISTAKES = [
    ({}, SectionError, "nothing in it repeats by the clock; give period=..., or section=... such as 'spoke_0 impact'"),
    ({"period": 1.0, "section": "impact"}, SectionError, "give a period .* or a section .*, not both"),
    ({"period": -1.0}, SectionError, "period is -1.0; it must be a finite number, positive"),
    ({"section": "spoke_9 impact"}, SectionError, "no contact that opens is named 'spoke_9': did you mean 'spoke_"),
    ({"section": "impacts"}, SectionError, "did you mean 'impact'"),
    ({"section": "spoke_1 grip"}, SectionError, "grips follow the clock; give period"),
    ({"section": "impact", "unknowns": ("yaw_rat",)}, UnknownNameError, "no coordinate or velocity is named 'yaw_rat'"),
    ({"section": "impact", "modulo": ("xx",)}, UnknownNameError, "modulo: no coordinate or velocity is named 'xx'"),
    ({"section": "impact", "modulo": ("yaw_rate",)}, SectionError, "'yaw_rate' is a velocity; only coordinates may advance"),
    ({"section": "impact", "unknowns": ()}, SectionError, "leave 1 value.s. of the state open; take unknowns such as yaw_rate"),
    ({"section": "impact", "unknowns": ("yaw", "yaw_rate")}, SectionError, "are 1 too many: the contacts determine"),
    ({"section": "impact", "symmetry": {"y": "-y"}}, SectionError, "symmetry: 'y' is not among the unknowns"),
    ({"section": "impact", "symmetry": {"yaw_rate": "yawrate"}}, UnknownNameError, "no value is named 'yawrate': did you mean"),
    ({"section": "impact", "periods": 0}, SectionError, "periods is 0; it must be a whole number"),
    ({"section": "impact", "multiple": 0}, SectionError, "multiple is 0; it must be a whole number"),
    ({"section": "impact", "step": 0.0}, SectionError, "step is 0.0; it must be a finite number, positive"),
    ({"section": "impact", "closed": ("spoke_x",)}, UnknownNameError, "no contact that opens is named 'spoke_x'"),
    ({"section": "impact", "periods": 2, "multiple": 2}, SectionError, "take periods=1, or multiple=1"),
]


@pytest.mark.parametrize(("options", "kind", "words"), MISTAKES, ids=[str(entry[0]) for entry in MISTAKES])
def test_mistakes_are_told(options: dict[str, Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        lm.find_cycle(spoked(), {"yaw_rate": -1.5}, **options)


@pytest.mark.slow
def test_a_section_that_is_never_reached() -> None:
    with pytest.raises(SectionError, match=r"'spoke_4 impact' was not reached by t = 1 s .* longer time than longest=1 s"):
        lm.find_cycle(spoked(), {"yaw_rate": -1.5}, section="spoke_4 impact", longest=1.0)
    # A wheel that stops on two spokes before it comes around.
    with pytest.raises(SectionError, match="was not reached"):
        lm.find_cycle(spoked(slope=0.001), {"yaw_rate": -1.0}, section="spoke_4 impact", longest=20.0, step=0.01)


def test_an_event_section_of_a_system_with_drives_is_refused() -> None:
    with pytest.raises(SectionError, match="the system depends on time"):
        lm.find_cycle(shaker(), {"height": 0.05}, section="foot impact")


def test_no_convergence_returns_the_best() -> None:
    with pytest.raises(CycleNotFoundError, match=r"misses by .*Try another guess, settle=20.*modulo \(now x, y\)") as caught:
        lm.find_cycle(rocr(phase=FAST), {"yaw": 1.0, "yaw_rate": 0.0}, iterations=1)
    best = caught.value.best
    assert isinstance(best, Cycle) and 1e-10 < best.residual < 10.0 and best.run.status.ok


@pytest.mark.slow
def test_a_cycle_must_bring_its_contacts_back() -> None:
    with pytest.raises(CycleNotFoundError, match=r"closed at first none, at the end sole.*periods=2"):
        lm.find_cycle(spring_leg(), {"leg": 0.05, "height": 0.02}, section="leg_rate rising", settle=40, step=0.002)
    options: dict[str, Any] = {"section": "leg_rate rising", "settle": 40, "step": 0.002, "periods": 2}
    assert lm.find_cycle(spring_leg(), {"leg": 0.05, "height": 0.02}, **options).stable


def test_a_coordinate_that_advances_without_leave() -> None:
    with pytest.raises(CycleNotFoundError, match=r"misses by .*modulo \(now x\)"):
        lm.find_cycle(rocr(phase=3.0), {"yaw": 5.5, "yaw_rate": 0.0}, modulo=("x",), unknowns=("y", "yaw", "yaw_rate"))


def test_mistakes_of_scans_and_families() -> None:
    with pytest.raises(UnknownNameError, match="ranges: 'yaws' is not unknown on the section: did you mean 'yaw'"):
        lm.find_cycles(rocr(), {"yaws": (0.0, 1.0, 3)})
    with pytest.raises(SectionError, match=r"give \(lowest, highest, number of values\)"):
        lm.find_cycles(rocr(), {"yaw": (1.0, 0.0, 3)})
    with pytest.raises(UnknownNameError, match="no parameter is named 'fase': did you mean 'phase'"):
        lm.sweep_cycles(rocr(), "fase", [1.0], GRID)
    with pytest.raises(UnknownNameError, match="no parameter is named 'fase'"):
        lm.continue_cycle(rocr(phase=FAST), climbing(), "fase", (0.0, 1.0))
    with pytest.raises(SectionError, match=r"give \(lowest, highest\) around it"):
        lm.continue_cycle(rocr(phase=FAST), climbing(), "phase", (0.0, 1.0))
    with pytest.raises(SectionError, match=r"step is 2\.0; it is in units of phase and must be positive and at most the"):
        lm.continue_cycle(rocr(phase=FAST), climbing(), "phase", (4.0, 5.0), step=2.0)
    with pytest.raises(SectionError, match="give smallest <= step <= largest"):
        lm.continue_cycle(rocr(phase=FAST), climbing(), "phase", (4.0, 5.0), step=0.2, largest=0.1)
    with pytest.raises(SectionError, match="needs at least one cycle"):
        lm.basin([], GRID)
