"""Random legal systems and runs, chosen so that every two features meet (`features.py`), each with all checks (`checks.py`).

One case by hand: `cd tests; python -m combinations 17`, or the line that a failing test prints. A case that failed is
kept in `regressions.txt` and always run.
"""

import inspect
from collections.abc import Iterable
from functools import cache

import pytest

import locomotor as lm
from combinations import checks, features
from combinations.build import build
from combinations.cases import BLOCK, CHECKS, QUICK, case_of, choice_of, complaints, kept
from combinations.checks import (
    Done,
    again_gives_equal_bits,
    derivatives_are_differences,
    files_keep_everything,
    linearisation_is_slope,
)
from combinations.features import AXES, FORBIDDEN, REFUSED, Choice, Pair, clashes, impossible_pairs, pairs_of
from combinations.pairs import design, uncovered
from combinations.repeats import driven_motion_repeats, has_a_cycle, returns_have_slopes
from combinations.shapes import connection_is_least_motion

SLOW = 1000


# -- the design ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1])
def test_a_design_covers_every_pair_that_can_be(seed: int) -> None:
    rows = design(seed)
    assert not uncovered(rows)
    assert not any(clashes(row) for row in rows)
    assert len(rows) <= BLOCK


def test_a_pair_that_is_left_out_is_noticed() -> None:
    rows = design(0)
    left_out: Pair = next(pair for pair in sorted(pairs_of(rows[0]), key=sorted))
    assert uncovered([row for row in rows if not left_out <= set(row.items())]) >= {left_out}


def test_the_slow_cases_cover_every_pair() -> None:
    assert not uncovered([choice_of(number) for number in range(SLOW)])


def test_every_value_has_a_meaning() -> None:
    from combinations import parts, soft, wings

    tables = {
        "root": parts.ROOTS, "joint": parts.JOINTS, "contact": parts.CONTACTS, "law": parts.LAWS,
        "ground": parts.NORMALS, "input": parts.INPUTS, "controller": parts.CONTROLLERS, "medium": parts.MEDIA,
        "ends": parts.ENDS, "wings": wings.WINGS, "wind": wings.WIND, "foot": soft.SOLES,
    }  # fmt: skip
    for axis, table in tables.items():
        assert set(table) == set(AXES[axis]), axis
    assert {"none", *parts.LOOPS} == set(AXES["loop"])


@pytest.mark.parametrize("root", AXES["root"])
@pytest.mark.parametrize("wings", ["hinged", "flexible", "rod"])
def test_every_wing_stands_on_every_root(wings: str, root: str) -> None:
    """A hinge called "pitch" has the name of the attitude: for long none was ever built on a free root."""
    choice = {axis: values[0] for axis, values in AXES.items()} | {"root": root, "wings": wings}
    assert build(choice, 1).system.joints


# -- cases ---------------------------------------------------------------------------------------------------


def quick(number: int) -> Choice:
    """A case of the quick tests: interpreted, where a compiler would take most of the time, and with wings in every fourth."""
    choice = choice_of(number)
    if number % 4 != 1:  # the others fly in the slow tests: sections of wings make a case half as long again
        choice = {**choice, "wings": "none"}
    worth = number % 20 == 2 and choice["law"] not in features.SWITCHING
    return choice if worth else {**choice, "target": "interpreter"}


SELDOM = {
    files_keep_everything: 8,
    again_gives_equal_bits: 2,
    derivatives_are_differences: 3,
    linearisation_is_slope: 2,
    connection_is_least_motion: 2,
    returns_have_slopes: 7,
    driven_motion_repeats: 26,
}
"""Checks that every so many quick cases go through: they take as long as all others together."""


LONG = (6, 10, 16, 23, 29)
"""Of these the ones that take longest, a third of the time of all: they compile many modes."""


@pytest.mark.parametrize("number", [pytest.param(k, marks=pytest.mark.slow if k in LONG else ()) for k in range(QUICK)])
def test_quick(number: int) -> None:
    found = complaints(build(quick(number), number), tuple(c for c in CHECKS if number % SELDOM.get(c, 1) == 0))
    assert not found, "\n".join(found)


def once_failed() -> list[object]:
    open_still = pytest.mark.xfail(reason="a known fault", strict=False)
    return [pytest.param(entry.text, marks=(open_still,) if entry.is_open else (), id=entry.why) for entry in kept()]


@pytest.mark.parametrize("text", once_failed())
def test_those_that_failed_once(text: str) -> None:
    found = complaints(case_of(text), checks.CHECKS)
    assert not found, "\n".join(found)


@pytest.mark.slow
def test_most_driven_cases_have_a_cycle() -> None:
    """What is tied to its place, damped and driven settles; few did while three springs held a body."""
    assert sum(has_a_cycle(build(choice_of(number), number)) for number in range(6)) >= 4


def test_a_grip_in_the_midst_of_a_return_pulls_at_loops() -> None:
    """Impacts in return maps left the rows of loops out."""
    case = case_of("root=planar contact=smooth law=grip ground=tilted target=interpreter loop=linkage seed=50")
    assert not complaints(case, (returns_have_slopes,))


@pytest.mark.slow
def test_a_cycle_of_a_family_is_closed() -> None:
    """A rotor that nothing turns back: round-off along the family of cycles kept the search from closing one."""
    text = (
        "joint=prismatic contact=disc law=resisting ground=tilted drive=torque input=kinked medium=rubbing spine=bends seed=33"
    )
    assert not complaints(case_of(f"{text} target=interpreter"), (driven_motion_repeats,))


@pytest.mark.slow
@pytest.mark.parametrize("number", range(SLOW))
def test_all(number: int) -> None:
    """The first design as it is, on every target; later ones interpreted where contacts that switch compile many modes."""
    choice = choice_of(number)
    if number >= BLOCK and choice["law"] in features.SWITCHING:
        choice = {**choice, "target": "interpreter"}
    found = complaints(build(choice, number))
    assert not found, "\n".join(found)


# -- refusals ------------------------------------------------------------------------------------------------


@cache
def refused() -> list[tuple[Pair, str]]:
    return sorted(((pair, entry.reason) for pair, entry in impossible_pairs(REFUSED).items()), key=lambda item: sorted(item[0]))


def around(pair: Pair) -> Iterable[Choice]:
    """Choices with this pair that nothing else forbids; where there is none, with others that are refused."""
    choices = [{**row, **dict(pair)} for seed in range(2) for row in design(seed)]
    others = {k: clashes(choice) - {pair} for k, choice in enumerate(choices)}
    possible = [k for k in others if all(FORBIDDEN[other].how == REFUSED for other in others[k])]
    return (choices[k] for k in sorted(possible, key=lambda k: len(others[k])))


def words(value: object) -> str:
    return " ".join(f"{axis}={entry}" for axis, entry in sorted(value)) if isinstance(value, frozenset) else ""


@pytest.mark.parametrize(("pair", "reason"), refused(), ids=words)
@pytest.mark.sampled(10)
def test_what_cannot_be_is_refused_by_name(pair: Pair, reason: str) -> None:
    """With one of our errors, whose words are more than its name; never another exception, never a result."""
    choice = {**next(iter(around(pair))), "target": "interpreter"}
    with pytest.raises(lm.errors.LocomotorError) as caught:
        done = Done(build(choice, 1))
        if choice["runs"] == "batch":
            done.roll()
        else:
            done.case.run()
    assert len(str(caught.value)) > 20, reason


def test_doors_that_are_absent_are_still_absent() -> None:
    """Where a door appears, the pairs that needed it can be: take them out of `IMPOSSIBLE`."""
    assert "controller" not in inspect.signature(lm.CompiledSystem.rollout).parameters
    assert "controller" not in inspect.signature(lm.compile).parameters
    assert "law" not in inspect.signature(lm.VelocityConstraint).parameters
    assert "tube" not in inspect.signature(lm.CompliantContact).parameters
