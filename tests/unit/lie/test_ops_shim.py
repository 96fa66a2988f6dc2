"""The array shim: each function gives the same on floats, on CasADi expressions and on SymPy expressions."""

from __future__ import annotations

import math
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import casadi
import numpy as np
import pytest
import sympy

from locomotor.lie import ops

# A numpy function called on a CasADi matrix only warns; here it fails.
pytestmark = pytest.mark.filterwarnings("error")

# One elementary function: libraries differ by a unit or two in the last place.
ULP = 1e-15

UNARY: dict[str, tuple[Callable[[float], float], float]] = {
    "sin": (math.sin, 0.7),
    "cos": (math.cos, 0.7),
    "tan": (math.tan, 0.7),
    "asin": (math.asin, 0.7),
    "acos": (math.acos, 0.7),
    "atan": (math.atan, 0.7),
    "sqrt": (math.sqrt, 0.7),
    "exp": (math.exp, 0.7),
    "log": (math.log, 0.7),
    "tanh": (math.tanh, 0.7),
    "fabs": (math.fabs, -0.7),
    "sign": (lambda x: math.copysign(1.0, x), -0.7),
}
BINARY: dict[str, tuple[Callable[[float, float], float], float, float]] = {
    "atan2": (math.atan2, 0.7, -0.3),
    "fmin": (min, 0.7, -0.3),
    "fmax": (max, 0.7, -0.3),
    "power": (math.pow, 0.7, -0.3),
}


def number(x: Any) -> Any:
    """The value of a constant expression of any kind, as floats."""
    if isinstance(x, casadi.SX):
        return casadi.DM(x).full().squeeze()
    return np.asarray(x, dtype=float)


def to_casadi(x: Any) -> Any:
    return casadi.SX(x)


def to_sympy(x: Any) -> Any:
    return np.vectorize(sympy.Float, otypes=[object])(x) if isinstance(x, np.ndarray) else sympy.Float(x)


KINDS: dict[str, Callable[[Any], Any]] = {"float": lambda x: x, "casadi": to_casadi, "sympy": to_sympy}
every_kind = pytest.mark.parametrize("kind", KINDS)


# --- elementary functions -----------------------------------------------------------------------------------


@every_kind
@pytest.mark.parametrize("name", UNARY)
def test_function_of_one_scalar(name: str, kind: str) -> None:
    reference, x = UNARY[name]
    value = getattr(ops, name)(KINDS[kind](x))
    assert number(value) == pytest.approx(reference(x), rel=ULP)


@every_kind
@pytest.mark.parametrize("name", UNARY)
def test_function_of_each_entry(name: str, kind: str) -> None:
    reference, x = UNARY[name]
    value = getattr(ops, name)(KINDS[kind](np.array([x, x / 2])))
    np.testing.assert_allclose(number(value), [reference(x), reference(x / 2)], rtol=ULP)


@every_kind
@pytest.mark.parametrize("name", BINARY)
def test_function_of_two_scalars(name: str, kind: str) -> None:
    reference, a, b = BINARY[name]
    convert = KINDS[kind]
    assert number(getattr(ops, name)(convert(a), convert(b))) == pytest.approx(reference(a, b), rel=ULP)


@every_kind
def test_function_of_entries_in_pairs(kind: str) -> None:
    a, b = np.array([0.7, -0.2]), np.array([-0.3, 0.4])
    np.testing.assert_array_equal(number(ops.fmin(KINDS[kind](a), KINDS[kind](b))), [-0.3, -0.2])
    np.testing.assert_array_equal(number(ops.fmax(KINDS[kind](a), 0.0)), [0.7, 0.0])


@every_kind
def test_conditions(kind: str) -> None:
    zero, one, two = (KINDS[kind](x) for x in (0.0, 1.0, 2.0))
    for condition, expected in [
        (ops.less(one, two), True),
        (ops.less(two, one), False),
        (ops.less(one, one), False),
        (ops.logic_and(ops.less(zero, one), ops.less(one, two)), True),
        (ops.logic_and(ops.less(zero, one), ops.less(two, one)), False),
    ]:
        assert bool(number(ops.if_else(condition, one, zero))) is expected


def test_numbers_mix_with_either_symbols() -> None:
    for symbol in (to_casadi(0.7), to_sympy(0.7)):
        assert number(ops.atan2(np.float64(0.3), symbol)) == pytest.approx(math.atan2(0.3, 0.7), rel=ULP)
        assert number(ops.atan2(symbol, np.float64(0.3))) == pytest.approx(math.atan2(0.7, 0.3), rel=ULP)


@every_kind
def test_if_else_takes_the_branch_of_its_condition(kind: str) -> None:
    convert = KINDS[kind]
    for x, expected in [(-1.0, 10.0), (1.0, 20.0)]:
        condition = ops.less(convert(x), convert(0.0))
        assert number(ops.if_else(condition, convert(10.0), convert(20.0))) == expected
        vector = ops.if_else(condition, ops.vector(10.0, convert(1.0)), ops.vector(20.0, convert(1.0)))
        np.testing.assert_array_equal(number(vector), [expected, 1.0])


def test_if_else_on_free_symbols() -> None:
    x = ops.symbols("x", 1)
    value = ops.if_else(ops.logic_and(ops.less(0.0, x), ops.less(x, 1.0)), np.array([1.0, 2.0]), x)
    function = casadi.Function("f", [x], [value])
    np.testing.assert_array_equal(function(0.5).full().ravel(), [1.0, 2.0])
    np.testing.assert_array_equal(function(3.0).full().ravel(), [3.0, 3.0])

    y = sympy.Symbol("y", real=True)
    entries = ops.if_else(ops.logic_and(ops.less(0.0, y), ops.less(y, 1.0)), ops.vector(1.0, 2.0), ops.vector(y, y))
    assert [e.subs(y, 0.5) for e in entries] == [1.0, 2.0]
    assert [e.subs(y, 3) for e in entries] == [3, 3]


def test_if_else_of_numbers_picks_entry_by_entry() -> None:
    x = np.array([-1.0, 1.0])
    np.testing.assert_array_equal(ops.if_else(ops.less(x, 0.0), -x, 5.0 * x), [1.0, 5.0])


# --- building -----------------------------------------------------------------------------------------------


@every_kind
def test_vectors_and_matrices_keep_their_shape(kind: str) -> None:
    one = KINDS[kind](1.0)
    v = ops.vector(one, 2.0, 3.0)
    M = ops.matrix([[one, 2.0], [3.0, 4.0]])
    assert v.shape == ((3, 1) if kind == "casadi" else (3,))
    assert M.shape == (2, 2)
    assert ops.size(v) == 3
    assert [float(number(e)) for e in ops.entries(v)] == [1.0, 2.0, 3.0]
    np.testing.assert_array_equal(number(M @ M[:, 1]), [10.0, 22.0])
    np.testing.assert_array_equal(number(ops.columns(v, 2.0 * v)), [[1, 2], [2, 4], [3, 6]])
    np.testing.assert_array_equal(number(ops.concat(v, ops.zeros(2))), [1, 2, 3, 0, 0])
    np.testing.assert_array_equal(
        number(ops.block([[M, ops.zeros(2)], [ops.zeros(1, 2), ops.eye(1)]])),
        [[1, 2, 0], [3, 4, 0], [0, 0, 1]],
    )


def test_empty_arrays() -> None:
    assert ops.vector().shape == (0,)
    assert ops.concat().shape == (0,)
    assert ops.concat(ops.zeros(0), ops.symbols("x", 2)).shape == (2, 1)
    with pytest.raises(ValueError, match=r"zeros\(n, 0\)"):
        ops.columns()


def test_a_scalar_is_a_vector_of_one_entry() -> None:
    assert ops.entries(2.0) == [2.0]
    x = ops.symbols("x", 1)
    assert len(ops.entries(x)) == 1


@every_kind
def test_products_of_vectors(kind: str) -> None:
    a, b = np.array([1.0, 2.0, 3.0]), np.array([-2.0, 0.5, 4.0])
    A, B = KINDS[kind](a), KINDS[kind](b)
    for x, y in [(A, B), (A, b), (a, B)]:
        np.testing.assert_array_equal(number(ops.cross(x, y)), np.cross(a, b))
        np.testing.assert_array_equal(number(ops.skew(x) @ y), np.cross(a, b))
        np.testing.assert_array_equal(number(ops.outer(x, y)), np.outer(a, b))
        assert number(ops.dot(x, y)) == a @ b
    assert number(ops.norm(A)) == pytest.approx(np.sqrt(14.0), rel=ULP)


def test_kinds_are_recognised() -> None:
    x, y = ops.symbols("x", 1), sympy.Symbol("y")
    assert not any(ops.is_symbolic(number) for number in (1, 1.0, np.float64(1.0), np.ones(2)))
    assert all(ops.is_symbolic(symbol) for symbol in (x, y, sympy.Integer(1), np.array([y, 1])))
    assert all(ops.is_zero(zero) for zero in (0, 0.0, 0.0 * x, casadi.SX(1, 1), sympy.Integer(0), sympy.Float(0)))
    assert not any(ops.is_zero(thing) for thing in (1e-300, x, x + 1, y, y - sympy.Symbol("z"), casadi.SX(2.0)))


# --- linear equations ---------------------------------------------------------------------------------------


def positive_definite(n: int) -> np.ndarray:
    A = np.random.default_rng(n).normal(size=(n, n))
    return A @ A.T + np.eye(n)


@every_kind
@pytest.mark.parametrize("n", [1, 2, 5])
def test_solve_spd_solves(n: int, kind: str) -> None:
    M = positive_definite(n)
    rng = np.random.default_rng(1)
    for b in (rng.normal(size=n), rng.normal(size=(n, 2))):
        x = number(ops.solve_spd(KINDS[kind](M), KINDS[kind](b))).reshape(b.shape)
        # The condition numbers are below 100, so 100 times the rounding.
        np.testing.assert_allclose(M @ x, b, rtol=0, atol=2e-14)


@every_kind
def test_halves_make_masses_one(kind: str) -> None:
    M, C = positive_definite(5), np.random.default_rng(1).normal(size=(5, 3))
    halves = ops.Halves(KINDS[kind](M))
    scaled = halves.first(KINDS[kind](C))
    np.testing.assert_allclose(number(scaled.T @ scaled).reshape(3, 3), C.T @ np.linalg.solve(M, C), rtol=1e-12)
    found = number(halves.second(scaled @ KINDS[kind](np.array([1.0, -2.0, 0.5]))))
    np.testing.assert_allclose(found, np.linalg.solve(M, C @ [1.0, -2.0, 0.5]), rtol=1e-12)


def test_solve_spd_mixes_numbers_and_symbols() -> None:
    M, b = positive_definite(3), np.array([1.0, -2.0, 0.5])
    expected = np.linalg.solve(M, b)
    for matrix, right in [(casadi.SX(M), b), (M, casadi.SX(b))]:
        x = ops.solve_spd(matrix, right)
        assert x.shape == (3, 1)
        np.testing.assert_allclose(number(x), expected, rtol=1e-14)


def test_solve_spd_of_nothing() -> None:
    assert ops.solve_spd(ops.zeros(0, 0), ops.zeros(0)).shape == (0,)
    assert ops.solve_spd(np.eye(3), ops.zeros(3, 0)).shape == (3, 0)
    assert ops.solve_spd(casadi.SX.eye(3), ops.zeros(3, 0)).shape == (3, 0)


@pytest.mark.parametrize("M", [np.zeros((2, 2)), np.diag([1.0, -1.0]), np.ones((2, 2)), casadi.SX(2, 2)])
def test_solve_spd_refuses_a_matrix_that_is_not(M: Any) -> None:
    with pytest.raises(np.linalg.LinAlgError, match=r"pivot \d is"):
        ops.solve_spd(M, np.ones(2))


def operations(expression: Any) -> Counter[int]:
    free = casadi.veccat(*casadi.symvar(expression))
    function = casadi.Function("f", [free], [expression])
    ids = [function.instruction_id(i) for i in range(function.n_instructions())]
    return Counter(i for i in ids if i not in (casadi.OP_INPUT, casadi.OP_OUTPUT, casadi.OP_CONST))


def test_solve_spd_skips_the_zeros_of_a_tree() -> None:
    """A root with n - 1 leaves: the cost is linear in n, and only the pivots divide."""
    n = 9
    M = casadi.SX(n, n)
    for i in range(n):
        M[i, i] = casadi.SX.sym(f"d{i}")
        if i:
            M[0, i] = M[i, 0] = casadi.SX.sym(f"r{i}")
    count = operations(ops.solve_spd(M, ops.symbols("b", n)))
    # Per leaf: 1/d, u, b/d, and three products with a sum each (two updates, one substitution). Root: b/d.
    assert count.total() == 9 * (n - 1) + 1
    assert count[casadi.OP_DIV] == n


def test_structural_zeros_cost_nothing() -> None:
    """A vector along z, crossed and rotated with numeric zeros: two products, not six with zeros in them."""
    x = ops.symbols("x", 3)
    z = ops.symbols("z", 1)
    assert operations(ops.cross(ops.vector(0.0, 0.0, z), x)).total() == 3  # z x0, z x1, and one minus
    assert operations(ops.eye(3) @ x + ops.zeros(3, 3) @ x).total() == 0


# --- imports ------------------------------------------------------------------------------------------------


def test_import_is_light() -> None:
    """SymPy and SciPy cost a third of a second each; neither may come with the groups."""
    code = "import sys, locomotor.lie; print([m for m in ('sympy', 'scipy', 'matplotlib') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
