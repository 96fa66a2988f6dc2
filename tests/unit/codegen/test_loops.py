"""Functions with loops: the reference with every round, compiled code with each turn once, derivatives, and early ends."""

import casadi
import numpy as np
import pytest

from locomotor.codegen import compile
from locomotor.codegen.cuda import kernel_text
from locomotor.mechanics.impacts import STEADY, Turn
from locomotor.mechanics.impacts.repeat import in_full
from locomotor.tracing.core import Recorder, Traced
from locomotor.tracing.core.loops import numbered


def halving(data, carry):
    """A root by Heron's rule, and by how much the square is missed. Where the first number of the data is 0 nothing changes."""
    (acts, square), (x, missed) = data[0], carry
    better = casadi.if_else(acts > 0.5, 0.5 * (x + square / x), x) if hasattr(x, "shape") else 0.5 * (x + square / x)
    return [better, missed + abs(better * better - square)]


def roots(limit=30, count=3):
    """Square roots of the inputs where they are positive, by a loop with a turn each."""
    x = casadi.SX.sym("x", count)
    loops = Recorder(STEADY)
    begin = Turn(lambda *_: [0.0], [], [count])
    turns = [Turn(halving, [[x[k] > 0.0, x[k]]], [k, count], True) for k in range(count)]
    found = loops([begin, *turns], [*([1.0] * count), 1.0], limit, 6)
    outputs = [(numbered("roots", count), casadi.vertcat(*found[:count])), (numbered("twice", 1), 2.0 * found[0])]
    return Traced.build_with_loops("roots", [(numbered("x", count), x)], outputs, loops)


X = np.array([[4.0, 9.0, 2.0], [1e4, -1.0, 1e-3], [1.0, 1.0, 1.0], [-1.0, -2.0, -3.0], [0.25, 1e8, 3.0]])
WANTED = np.where(X > 0.0, np.sqrt(np.abs(X)), 1.0)


def test_reference_and_interpreter():
    traced = roots()
    for x, wanted in zip(X, WANTED, strict=True):
        assert traced(x)[0] == pytest.approx(wanted, rel=1e-12)
    many = np.tile(X, (60, 1))
    assert compile(traced, "interpreter")(many)[0] == pytest.approx(np.tile(WANTED, (60, 1)), rel=1e-12)


@pytest.mark.parametrize("target", ["c", "simd"])
def test_compiled_lanes_end_when_they_are_done(target):
    """Lanes with different numbers of rounds side by side give what each gives alone, bit for bit."""
    kernel = compile(roots(), target)
    together, twice = kernel(np.tile(X, (3, 1)))
    alone = np.array([kernel(x)[0] for x in X])
    assert together == pytest.approx(np.tile(WANTED, (3, 1)), rel=1e-12) and twice[:, 0] == pytest.approx(2.0 * together[:, 0])
    assert np.array_equal(together, np.tile(alone.reshape(X.shape), (3, 1)))


def test_the_limit_holds():
    """One round from 1: (1 + x)/2, in every form of the function."""
    one = np.where(X > 0.0, 0.5 * (1.0 + X), 1.0)
    traced = roots(limit=1)
    assert np.array([traced(x)[0] for x in X]) == pytest.approx(one, rel=1e-15)
    assert compile(traced, "c")(X)[0] == pytest.approx(one, rel=1e-15)
    x = [4.0, 9.0]
    turns = [Turn(lambda *_: [0.0], [], [2]), *(Turn(halving, [[1.0, x[k]]], [k, 2], True) for k in range(2))]
    assert in_full(turns, [1.0, 1.0, 1.0], 1)[:2] == [2.5, 5.0]
    assert in_full(turns, [1.0, 1.0, 1.0], 30)[:2] == pytest.approx([2.0, 3.0], rel=1e-15)
    assert in_full(turns, [1.0, 1.0, 0.0], 30)[:2] == [1.0, 1.0]  # it was done before it began


def test_equal_turns_are_one_function_and_one_loop():
    text = kernel_text(roots(count=8))
    assert text.count("lm_core_turn_1(") == 2 and "for (int k = 0; k < 8; ++k)" in text
    assert roots(count=8).operations == 8 * (roots(count=1).operations - 1) + 1  # the last output is one product


def test_derivatives_are_those_of_the_usual_rounds():
    """Six rounds from 1 give the root of 2 to round-off, and 1/(2 sqrt x) as its derivative."""
    x = np.array([2.0, 2.5, 1.5])
    slope = roots().jacobian("roots", "x")(x)[0]
    assert slope == pytest.approx(np.diag(0.5 / np.sqrt(x)), abs=1e-12)
