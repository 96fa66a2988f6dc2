"""A search for a cycle is planned once for every verb; options as objects or one by one, to the same cycle."""

import inspect
import math
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.analysis import poincare_map
from locomotor.analysis.cycles.plan import KEYWORDS, OF_CYCLE, CyclePlan, plan_cycle
from locomotor.catalogue.rocr import rocr
from locomotor.errors import ArgumentTypeError, LocomotorError

MIRROR = {"yaw": "pi - yaw", "yaw_rate": "-yaw_rate"}
GUESS = {"yaw": math.pi, "yaw_rate": 6.5}
GRID = {"yaw": (0.0, 2.0 * math.pi, 2), "yaw_rate": (-8.0, 8.0, 2)}
PHASE = 1.5 * math.pi
PLAIN: dict[str, Any] = {"period": 1.0 / 3.0, "symmetry": MIRROR, "step": 1.0 / 90.0}
GROUPED: dict[str, Any] = {
    "section": lm.Section(period=1.0 / 3.0, symmetry=MIRROR),
    "method": lm.Method(step=1.0 / 90.0),
}


def wheel() -> lm.System:
    return lm.catalogue.rimless_wheel()


def equal(one: lm.Cycle, other: lm.Cycle) -> None:
    assert one.start == other.start and one.period == other.period and one.displacement == other.displacement
    assert (one.section, one.closed, one.unknowns, one.iterations) == (
        other.section,
        other.closed,
        other.unknowns,
        other.iterations,
    )
    np.testing.assert_array_equal(one.jacobian, other.jacobian)


@pytest.mark.slow
def test_a_cycle_from_objects_is_that_from_plain_options() -> None:
    plain = lm.find_cycle(
        wheel(), {"pitch_rate": 1.5}, section="impact", longest=5.0, periods=2, step=0.02, settle=1, tolerance=1e-9,
        iterations=12, start_time=0.5, target="interpreter",
    )  # fmt: skip
    grouped = lm.find_cycle(
        wheel(),
        lm.Start({"pitch_rate": 1.5}, time=0.5),
        section=lm.Section("impact", longest=5.0, periods=2),
        search=lm.Search(settle=1, tolerance=1e-9, iterations=12),
        method=lm.Method(step=0.02, target="interpreter"),
    )
    equal(plain, grouped)
    assert plain.map.start_time == 0.5 and plain.map.passages == 2 and plain.map.flow.step == 0.02


def test_scans_sweeps_and_families_take_the_same_objects() -> None:
    scans = [lm.find_cycles(rocr(phase=PHASE), GRID, **how) for how in (PLAIN, GROUPED)]
    assert len(scans[0]) == len(scans[1]) > 0
    for one, other in zip(*scans, strict=True):
        equal(one, other)
    swept = [lm.sweep_cycles(rocr(phase=PHASE), "phase", [PHASE], GRID, **how)[0] for how in (PLAIN, GROUPED)]
    for one, other in zip(*swept, strict=True):
        equal(one, other)
    near = (PHASE - 0.02, PHASE + 0.02)
    families = [lm.continue_cycle(rocr(phase=PHASE), found[0], "phase", near, step=0.02, largest=0.04) for found in scans]
    np.testing.assert_array_equal(families[0].values, families[1].values)
    for one, other in zip(families[0].cycles, families[1].cycles, strict=True):
        equal(one, other)


def test_a_map_takes_a_stepper_with_a_step_of_its_own() -> None:
    options: dict[str, Any] = {"inputs": {}, "target": "interpreter"}
    plain = poincare_map(wheel(), {"pitch_rate": 1.5}, section="impact", step=0.02, closed=(), **options)
    start, method = lm.Start({"pitch_rate": 1.5}, closed=()), lm.Method(lm.rk4(0.02), target="interpreter")
    grouped = poincare_map(wheel(), start, section=lm.Section("impact"), method=method)
    assert plain.flow.step == grouped.flow.step == 0.02 and plain.names == grouped.names
    np.testing.assert_array_equal(plain.reference, grouped.reference)


def test_every_keyword_is_a_field_or_stands_for_itself() -> None:
    """The table of checks, the fields of the objects, and the signature of `find_cycle` tell the same list."""
    grouped = {name for words in KEYWORDS.values() for name in words}
    assert OF_CYCLE.keys() == grouped | {"inputs", "controller", "search", "method"}
    assert inspect.signature(lm.find_cycle).parameters.keys() == OF_CYCLE.keys() | {"system", "guess"}
    defaults = {name: entry.default for name, entry in inspect.signature(lm.find_cycle).parameters.items()}
    for kind, words in KEYWORDS.items():
        usual = kind()
        assert {name: defaults[name] for name in words} == {name: getattr(usual, field) for name, field in words.items()}


def plan(**how: Any) -> CyclePlan:
    return plan_cycle("find_cycle", wheel(), how.pop("guess", None), how)


def test_a_plan_is_what_was_asked_for() -> None:
    values = {"pitch_rate": 1.5}
    mirror = dict(MIRROR)
    section = lm.Section("impact", symmetry=mirror)
    found = plan(guess=values, section=section, hold={"pitch_rate": 1}, closed="spoke_1")
    values["pitch_rate"] = mirror["yaw"] = 0.0  # type: ignore[assignment]
    assert found.guesses == ({"pitch_rate": 1.5},) and found.section.symmetry == MIRROR
    assert found.search.hold == {"pitch_rate": 1.0} and found.start.closed == ("spoke_1",) and found.step is None
    with pytest.raises(AttributeError):
        section.at = "rest"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: lm.Section("impact", 1.0), r"give a period \(1.0\) or a section \('impact'\), not both"),
        (lambda: lm.Section(period=-1.0), "Section: period is -1.0; it must be a finite number, positive"),
        (lambda: lm.Section(periods=0), "Section: periods is 0; it must be a whole number of at least 1"),
        (lambda: lm.Section(symmetry="yaw"), "Section: symmetry is 'yaw'; give a mapping"),
        (lambda: lm.Search(tolerance=0.0), "Search: tolerance is 0.0"),
        (lambda: lm.Search(hold={"speed": 1.0}, multiple=2), "hold needs multiple=1, not 2"),
        (lambda: plan(period=-1.0), "find_cycle: period is -1.0"),
        (lambda: plan(section=3), "find_cycle: section is 3"),
        (lambda: plan(search="slow"), "find_cycle: search is 'slow'; give a Search"),
        (
            lambda: plan(section=lm.Section("impact"), period=1.0),
            r"section is a Section, and period is given besides; write Section\(period=...\), or no Section at all",
        ),
        (lambda: plan(section=lm.Section("impact"), unknowns=()), "section is a Section, and unknowns is given besides"),
        (
            lambda: plan(search=lm.Search(settle=3), tolerance=1e-6),
            r"search is a Search, and tolerance is given besides; write Search\(tolerance=...\)",
        ),
        (lambda: plan(guess=lm.Start({}), closed=("foot",)), r"guess is a Start, and closed is given besides"),
        (lambda: plan(method=lm.Method(), step=0.01), "method is a Method, and step is given besides"),
        (lambda: plan(method=lm.Method("abm4")), "Method: stepper is 'abm4'; a cycle is followed by rk4"),
        (lambda: plan(method=lm.Method("dop853")), "Method: stepper is 'dop853'; a cycle is followed by rk4"),
        (lambda: plan(method=lm.Method(project=True)), "Method: project is True; a cycle is followed by rk4"),
        (lambda: plan(method=lm.Method(scheme="source")), "Method: scheme is 'source'"),
        (lambda: plan(guess=lm.Start({}, assemble=False)), "assemble=False; contacts are closed on the section of a cycle"),
        (lambda: plan(guess=({}, {}), multiple=3), r"2 guesses are given for 3 segment\(s\)"),
        (lambda: plan(guess=()), r"0 guesses are given for 1 segment\(s\)"),
        (lambda: lm.find_cycles(wheel(), {}, search=lm.Search(multiple=2)), "find_cycles: search has multiple, which is"),
    ],
)
def test_bad_and_doubled_options_are_refused_in_words(wrong: Any, words: str) -> None:
    with pytest.raises(LocomotorError, match=words):
        wrong()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: lm.find_cycles(wheel(), {}, setle=3), "find_cycles: no option is named 'setle'.*did you mean 'settle'"),
        (lambda: lm.find_cycles(wheel(), {}, multiple=2), "find_cycles: multiple is an option of find_cycle alone"),
        (lambda: lm.sweep_cycles(wheel(), "slope", [0.1], {}, hold={}), "sweep_cycles: hold is an option of find_cycle alone"),
        (lambda: poincare_map(wheel(), tolerance=1e-3), "poincare_map: tolerance is an option of find_cycle alone"),
    ],
)
def test_an_option_that_a_verb_does_not_take_is_refused_by_name(wrong: Any, words: str) -> None:
    with pytest.raises(ArgumentTypeError, match=words):
        wrong()
