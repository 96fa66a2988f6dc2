"""The verbs that check arguments: what they let pass, what they give, and what they say."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor import checks
from locomotor.errors import (
    ArgumentError,
    ArgumentTypeError,
    LocomotorError,
    ModelError,
    NotFiniteError,
    StepperError,
    TooLargeError,
    ViewingError,
)
from silent import Silent


class Hostile(Silent):
    """The same where it is asked for a path."""

    def __fspath__(self) -> str:
        raise RuntimeError("no place")


HOSTILE = [None, Hostile(), object(), 10**400, float("nan"), b"x", [[1], [1, 2]], {1: 2}, "a" * 10_000, lambda: 0, 1j]


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize(
    "check",
    [
        checks.number, checks.positive, checks.whole, checks.flag, checks.floats, checks.line, checks.path, checks.span,
        checks.mapping, checks.names, checks.choice("a", "b"), checks.instance(int), checks.each(checks.number),
    ],
)  # fmt: skip
def test_whatever_is_given_the_error_is_ours_and_short(check: checks.Check, value: Any) -> None:
    try:
        check(value, "the thing")
    except LocomotorError as error:
        assert "the thing" in str(error) and len(str(error)) < 300


@pytest.mark.parametrize("value", [np.uint8(255), np.int16(255), 255, np.array(255)])
def test_whole_numbers_become_pythons_own(value: Any) -> None:
    found = checks.whole(value, "steps")
    assert type(found) is int and found + 1 == 256


@pytest.mark.parametrize("value", [2**63, 2**64, 2**64 + 1, -1, 2.0, True, "3", np.float64(3)])
def test_what_c_cannot_hold_is_no_whole_number(value: Any) -> None:
    with pytest.raises(ArgumentError, match="steps is"):
        checks.whole(value, "steps")


def test_wrong_kinds_are_type_errors_and_wrong_values_value_errors() -> None:
    with pytest.raises(TypeError):
        checks.positive("1", "dt")
    with pytest.raises(ArgumentError) as caught:
        checks.positive(-1.0, "dt")
    assert not isinstance(caught.value, TypeError) and isinstance(caught.value, ValueError)
    with pytest.raises(StepperError):
        checks.positive("1", "dt", error=StepperError)


def test_limits_belong_to_a_range_or_not() -> None:
    assert checks.number(0.0, "x", least=0.0, most=0.0) == 0.0 and checks.positive(5e-324, "x") == 5e-324
    for value in (0.0, -0.0, -1.0):
        with pytest.raises(ArgumentError, match="it must be a finite number, positive"):
            checks.positive(value, "x")
    for value in (-0.1, 1.1):
        with pytest.raises(ArgumentError, match="at least 0, at most 1"):
            checks.number(value, "x", least=0.0, most=1.0)
    assert checks.span((1.0, 2.0), "range") == (1.0, 2.0)
    for wrong in ((1.0, 1.0), (2.0, 1.0), (1.0, float("inf")), (1.0, 2.0, 3.0)):
        with pytest.raises(ArgumentError, match="give two finite numbers, the smaller first"):
            checks.span(wrong, "range")


def test_names_are_written_in_one_way() -> None:
    assert checks.mapping({"\u00b5": 1.0}, "parameters") == {"\u03bc": 1.0}
    with pytest.raises(ArgumentError, match="twice"):
        checks.mapping({"\u00b5": 1.0, "\u03bc": 2.0}, "parameters")


def test_arguments_that_a_door_has_not_are_told_with_those_that_it_has() -> None:
    with pytest.raises(ArgumentTypeError, match=r"linearise: .* argument 'parameters'; its arguments are system, about, "):
        lm.linearise(None, parameters={})  # type: ignore[arg-type, call-arg]
    with pytest.raises(ArgumentTypeError, match="simulate: missing a required argument: 'duration'"):
        lm.simulate(None)  # type: ignore[arg-type, call-arg]


def test_a_door_checks_and_replaces_what_it_is_given() -> None:
    @checks.door(count=checks.whole, size=checks.optional(checks.positive))
    def made(count: int, size: float | None = None, *, other: int = 3) -> tuple[Any, ...]:
        return count, size, other

    assert made(np.uint8(3), 2) == (3, 2.0, 3)  # type: ignore[arg-type]
    assert made(3, other=4) == (3, None, 4)
    with pytest.raises(ArgumentTypeError, match="made: count is 'a'"):
        made("a")  # type: ignore[arg-type]
    with pytest.raises(LocomotorError, match="no argument wrong"):
        checks.door(wrong=checks.whole)(made)


def test_a_door_binds_arguments_as_python_does() -> None:
    """In every way that fits, and in ways that do not: by place, by name, twice, too many, and too few."""

    @checks.door(b=checks.whole)
    def one(a: int, b: int = 2, *, c: int = 3) -> tuple[int, ...]:
        return a, b, c

    @checks.door(b=checks.whole)
    def other(a: int, /, b: int = 2, *more: int, **named: int) -> tuple[Any, ...]:
        return a, b, more, named

    for door, plain in ((one, one.__wrapped__), (other, other.__wrapped__)):  # type: ignore[attr-defined]
        for args in ((), (1,), (1, 2), (1, 2, 3)):
            for names in ("", "a", "b", "c", "d", "ab", "bc", "abc", "abcd"):
                kwargs = dict.fromkeys(names, 5)
                try:
                    wanted = plain(*args, **kwargs)
                except TypeError:
                    with pytest.raises(ArgumentTypeError):
                        door(*args, **kwargs)
                else:
                    assert door(*args, **kwargs) == wanted


def test_either_asks_the_first_check_that_may_allow_it() -> None:
    """An object of another class is not told about one that it is not: only the last words are heard."""
    check = checks.either(checks.instance(str, remedy="give words"), checks.whole)
    assert (check("a", "this"), check(3, "this")) == ("a", 3)
    with pytest.raises(ArgumentTypeError, match="this is 1j; it must be a whole number"):
        check(1j, "this")


def test_sizes_whose_product_overflows_are_refused() -> None:
    assert checks.product("rows", (3, 4, 5)) == 60
    with pytest.raises(TooLargeError, match="rows"):
        checks.product("rows", (2**32, 2**32, 2**32))


def test_a_warning_points_at_the_line_of_the_user() -> None:
    """A door stands between the user and the function that warns."""
    rod = lm.Body("rod", mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.01))
    joint = lm.Revolute(name="swing", parent="world", child="rod", axis=(0, 1, 0))
    system = lm.System("pendulum", [rod], [joint], forces=[lm.Gravity(), lm.JointForce("push", "swing", "1e6*swing**3")])
    with pytest.warns(lm.RunWarning) as caught:
        lm.simulate(system, 1.0, start={"swing": 3.0}, step=0.01)
    assert [warning.filename for warning in caught] == [__file__]


def test_numbers_too_large_for_an_answer_are_told_in_words() -> None:
    bike = lm.catalogue.bicycle()
    for about in ({"speed": 1e200}, {"sway_speed": 1e300}):
        with pytest.raises(LocomotorError, match=r"nearer to 1|no steady motion"):
            lm.linearise(bike, about)
    with pytest.raises(NotFiniteError, match="too large"):
        lm.Body("b", mass=1.0, inertia=((1, 1, 0), (1, 1e308, 1e308), (0, 1e308, 1e308)))


def test_contacts_of_what_cannot_move_are_refused() -> None:
    block = lm.Body("b", mass=1.0, inertia=(1, 1, 1))
    skate = lm.Skate("c", "b", at=(0, 0, 0), heading=(1, 0, 0))
    system = lm.System("w", [block], [lm.Fixed(name="j", parent="world", child="b")], contacts=[skate])
    with pytest.raises(ModelError, match="nothing of it moves"):
        lm.simulate(system, 0.02)


def test_latex_that_matplotlib_cannot_read(tmp_path: Path) -> None:
    block = lm.Body("b", mass=1.0, inertia=(1, 1, 1))
    joint = lm.Revolute(name="j", parent="world", child="b", axis=(0, 1, 0), latex="{")
    run = lm.simulate(lm.System("s", [block], [joint]), 0.05)
    with pytest.raises(ViewingError, match="cannot be drawn"):
        run.plot("j", path=tmp_path / "x.png")
    assert list(tmp_path.iterdir()) == []


def test_arrays_are_copied_unless_they_are_only_read() -> None:
    given = np.zeros((3, 2))
    assert not np.shares_memory(checks.floats(given, "x"), given)
    assert np.shares_memory(checks.floats(given, "x", copy=False), given)
    assert checks.floats(np.ones(2, dtype=np.int32), "x", copy=False).dtype == np.float64
