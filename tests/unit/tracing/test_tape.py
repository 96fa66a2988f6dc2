"""The tape: single assignment, exact constants, few operations."""

import casadi
import numpy as np
import pytest

from backends.problems import every_operation, numbered, random_expression
from locomotor.codegen.interpret import TapeInterpreter
from locomotor.codegen.operations import OPERATIONS
from locomotor.codegen.passes import share_reciprocals
from locomotor.tracing.core import simplify
from locomotor.tracing.core.tape import CASADI_OPS, Tape
from locomotor.tracing.core.traced import Traced

X = casadi.SX.sym("x", 4)
a, b, c, d = (X[i] for i in range(4))


def tape_of(*expressions) -> Tape:
    return traced_of(*expressions).tape


def divisions(tape: Tape) -> int:
    return sum(instruction.op == "div" for instruction in tape.instructions)


def traced_of(*expressions) -> Traced:
    return Traced.build("f", [(numbered("x", 4), X)], [(numbered("y", len(expressions)), casadi.vertcat(*expressions))])


def test_every_line_defines_one_value_from_earlier_ones() -> None:
    tape = random_expression(np.random.default_rng(0)).tape
    for line, instruction in enumerate(tape.instructions):
        if instruction.op not in ("input", "const"):
            assert all(0 <= operand < line for operand in instruction.args)


def test_every_line_is_needed_and_none_is_repeated() -> None:
    tape = random_expression(np.random.default_rng(1)).tape
    used = {operand for i in tape.instructions if i.op != "input" for operand in i.args}
    used |= {line for port in tape.outputs for line in port}
    assert used == set(range(len(tape.instructions)))
    assert len(set(tape.instructions)) == len(tape.instructions)


def test_names_of_operations_agree_everywhere() -> None:
    """What CasADi can hand over, what the builder knows and what the emitters can write is one set."""
    built = simplify.UNARY | simplify.BINARY | simplify.MASKS | {"add", "sub", "mul", "div", "neg", "number", "select"}
    assert set(OPERATIONS) == built
    assert set(CASADI_OPS.values()) <= built


@pytest.mark.parametrize(
    ("expressions", "operations"),
    [
        ((a * -1.0,), 1),
        ((a + -b,), 1),
        ((-(a - b),), 1),
        ((-a * -b,), 1),
        ((-a * b + c,), 2),  # c - a b
        ((a * b + c, c + b * a), 2),  # commuted copies are one value
        ((a - b, b - a), 2),  # each output is stored, one subtraction each
        (((a - b) * c, (b - a) * d), 4),  # one difference, two products, one sign
        ((casadi.cos(-a) + casadi.sin(-a),), 3),  # cos a - sin a
        ((2.0 * (3.0 * a),), 1),
        ((-2.0 * a + b * (2.0 * a),), 3),  # b (2 a) - 2 a
        ((a / 4.0,), 1),
        ((a**2,), 1),
        ((1.0 / a + b / a,), 3),
        ((casadi.if_else(a < b, c, -d),), 3),  # compare, negate, select
        ((casadi.SX(3.0), a), 0),
    ],
)
def test_operation_counts(expressions, operations: int) -> None:
    assert tape_of(*expressions).operations == operations


def test_division_by_a_power_of_two_is_exact_and_others_stay() -> None:
    assert divisions(tape_of(a / 4.0)) == 0
    assert divisions(tape_of(a / 3.0)) == 1


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e-300, 5e-324, -0.1, 1.7976931348623157e308, float("inf"), float("nan")])
def test_constants_are_exact(value: float) -> None:
    result = traced_of(casadi.SX(value)).tape
    stored = result.instructions[result.outputs[0][0]].value
    assert np.float64(stored).tobytes() == np.float64(value).tobytes() or (np.isnan(stored) and np.isnan(value))


def test_unchosen_branch_may_be_singular() -> None:
    traced = traced_of(casadi.if_else(a < 1.0, b, 1.0 / (a - 1.0) + casadi.sqrt(-a)))
    value = TapeInterpreter(traced.tape)([np.array([[0.5, 2.0, 0.0, 0.0]])], 1)[0]
    assert value[0, 0] == 2.0


def test_interpreted_tape_is_the_function(rng: np.random.Generator) -> None:
    for traced in (every_operation(), random_expression(np.random.default_rng(2))):
        x = rng.normal(size=(5, traced.inputs[0].size))
        found = TapeInterpreter(traced.tape)([x], 5)[0]
        np.testing.assert_allclose(found, [traced(row)[0] for row in x], rtol=1e-13, atol=1e-13)


def test_shared_reciprocals_divide_once(rng: np.random.Generator) -> None:
    traced = traced_of(a / d, b / d, c / d, a / b)
    shared = share_reciprocals(traced.tape)
    assert (divisions(traced.tape), divisions(shared)) == (4, 2)
    x = rng.normal(size=(3, 4))
    np.testing.assert_allclose(TapeInterpreter(shared)([x], 3)[0], TapeInterpreter(traced.tape)([x], 3)[0], rtol=1e-15)


def test_unknown_casadi_operation_is_named() -> None:
    with pytest.raises(NotImplementedError, match="OP_ERFINV"):
        tape_of(casadi.erfinv(a))
