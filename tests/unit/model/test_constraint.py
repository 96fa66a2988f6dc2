"""Constraints given by formulas: what they may say, and what is refused when they are built."""

from typing import Any

import pytest

import locomotor as lm
from locomotor.errors import (
    DuplicateNameError,
    ExpressionError,
    LocomotorError,
    NotFiniteError,
    ParameterScopeError,
    QuantityError,
    UnknownNameError,
)
from locomotor.model.serialise import from_data, to_data

ROW = {"x_rate": 1.0}


def system(*rows: lm.VelocityConstraint | lm.Coupling, **more: Any) -> lm.System:
    block = lm.Body("block", mass=1.0, inertia=(1.0, 1.0, 1.0))
    base = more.pop("base", lm.Translation(name="at", parent="world", child="block"))
    return lm.System("block", [block], [base], constraints=rows, **more)


def test_a_right_hand_side_is_read_like_any_quantity() -> None:
    assert lm.VelocityConstraint("row", ROW).equals == 0.0
    assert not lm.VelocityConstraint("row", ROW).moves
    assert lm.VelocityConstraint("row", ROW, equals="2*3").equals == 6.0
    moving = lm.VelocityConstraint("row", {"x_rate": "cos(t)"}, equals="b*t + y")
    assert moving.moves
    built = system(moving, parameters={"b": 2.0})
    assert built.turns_with_time
    assert not system(lm.VelocityConstraint("row", ROW, equals="t")).turns_with_time
    assert from_data(to_data(built)) == built
    assert from_data(to_data(built)).constraints[0].equals == moving.equals  # type: ignore[attr-defined]
    assert moving != lm.VelocityConstraint("row", {"x_rate": "cos(t)"})


@pytest.mark.parametrize(
    ("equals", "error", "complaint"),
    [
        (float("nan"), NotFiniteError, "VelocityConstraint 'row': equals"),
        (float("inf"), NotFiniteError, "VelocityConstraint 'row': equals"),
        ("1/0", LocomotorError, "equals"),
        (None, QuantityError, "VelocityConstraint 'row': equals is None; give a number"),
        ([1.0], QuantityError, r"equals is \[1.0\]"),
        ("cos(", ExpressionError, "cos"),
        ("t < 1", ExpressionError, "it is a condition, not a number"),
    ],
)
def test_right_hand_sides_that_are_none(equals: Any, error: type[LocomotorError], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        lm.VelocityConstraint("row", ROW, equals=equals)


@pytest.mark.parametrize(
    ("row", "equals", "error", "complaint"),
    [
        (ROW, "cos(tt)", UnknownNameError, r"equals 'cos\(tt\)': the name 'tt' is unknown"),
        (ROW, "y_rate", ParameterScopeError, "depends on 'y_rate'; a constraint may depend on t, parameters and on"),
        ({"x_rate": "y_rate"}, 0.0, ParameterScopeError, "depends on 'y_rate'"),
        (ROW, "push", ParameterScopeError, "depends on 'push'"),
        ({"w_rate": 1.0}, "t", UnknownNameError, "w_rate"),
    ],
)
def test_names_that_constraints_may_not_use(row: Any, equals: Any, error: type[LocomotorError], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        system(lm.VelocityConstraint("row", row, equals=equals), inputs=[lm.Input("push", "N")])


def test_a_coupling_does_not_know_time() -> None:
    with pytest.raises(ParameterScopeError, match="depends on 't'; a constraint may depend on parameters and on coordinates"):
        system(lm.Coupling("row", "x - t"))


def test_coordinates_without_a_rate_of_their_own_may_not_enter_a_right_hand_side() -> None:
    base = lm.Free(name="base", parent="world", child="block")
    with pytest.raises(ParameterScopeError, match="depends on 'qw'"):
        system(lm.VelocityConstraint("row", {"speed": 1.0}, equals="qw"), base=base)


def test_a_velocity_named_twice() -> None:
    with pytest.raises(DuplicateNameError, match="names a velocity twice: x_rate, x_rate"):
        lm.VelocityConstraint("row", (("x_rate", 1.0), ("x_rate", 2.0)))


def test_a_row_that_binds_nothing_cannot_ask_for_something() -> None:
    row = lm.VelocityConstraint("row", {"x_rate": "0*x"}, equals=0.5)
    with pytest.raises(lm.errors.ModelError, match=r"'row' binds no velocity around this pose, and asks for 0\.5"):
        lm.simulate(system(row), 0.1)


def test_a_row_that_only_passes_through_zero_is_not_dropped() -> None:
    """sin(t) x' = 0 at t = 0 says nothing at that instant; it is no row to be left out for ever."""
    with pytest.raises(lm.errors.ModelError, match="row"):
        lm.simulate(system(lm.VelocityConstraint("row", {"x_rate": "sin(t)"})), 0.1, start={"x_rate": 1.0})
