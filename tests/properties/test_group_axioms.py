"""The axioms of a Lie group, checked on every group, in every regime and on every kind of scalar.

Regimes: the identity, near it (1e-7), on both sides of the switch from series to closed forms, anywhere, and
near a half turn, where a logarithm taken from ``R - R^T`` would lose all its digits.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import factorial, pi
from typing import Any

import casadi
import numpy as np
import pytest
import sympy
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.linalg import expm

from locomotor.lie import SE2, SE3, SO2, SO3, ops

# A numpy function called on a CasADi matrix only warns; here it fails.
pytestmark = pytest.mark.filterwarnings("error")

Array = np.ndarray

# Entries are of order one, up to ten, and each result is some tens of products rounded at 1.1e-16: the worst
# error seen over all samples and tests is 6e-15. A wrong series coefficient shows at 1e-3, a lost half of the
# digits at 1e-8.
TOLERANCE = 1e-14

GROUPS = [SO2, SE2, SO3, SE3]
ROTATION = {SO2: slice(0, 1), SE2: slice(2, 3), SO3: slice(0, 3), SE3: slice(3, 6)}
ANGLES: dict[str, Callable[[np.random.Generator], float]] = {
    "identity": lambda rng: 0.0,
    "near identity": lambda rng: 1e-7 * rng.uniform(0.1, 1.0),
    "below the switch": lambda rng: 1.0 - 1e-9,
    "above the switch": lambda rng: 1.0 + 1e-9,
    "anywhere": lambda rng: rng.uniform(0.0, 3.0),
    "near pi": lambda rng: pi - 1e-7 * rng.uniform(0.1, 1.0),
}
SAMPLES = 8

every_group = pytest.mark.parametrize("group", GROUPS)
every_regime = pytest.mark.parametrize("regime", ANGLES)


def tangent(group: Any, regime: str, rng: np.random.Generator) -> Array:
    """A tangent whose rotation has the angle of the regime; its translation is of order one."""
    xi = rng.normal(size=group.tangent_size)
    direction = rng.normal(size=xi[ROTATION[group]].size)
    xi[ROTATION[group]] = ANGLES[regime](rng) * direction / np.linalg.norm(direction)
    if regime == "identity":
        return np.zeros(group.tangent_size)
    return 1e-7 * xi / np.linalg.norm(xi) if regime == "near identity" else xi


def tangents(group: Any, regime: str) -> list[Array]:
    rng = np.random.default_rng(20240229)
    return [tangent(group, regime, rng) for _ in range(SAMPLES)]


def anything(group: Any, count: int) -> list[Array]:
    """Generic tangents, to pair with those of a regime."""
    rng = np.random.default_rng(7)
    return [tangent(group, "anywhere", rng) for _ in range(count)]


def assert_close(actual: Any, expected: Any, tolerance: float = TOLERANCE) -> None:
    np.testing.assert_allclose(np.asarray(actual, dtype=float), expected, rtol=tolerance, atol=tolerance)


# --- group --------------------------------------------------------------------------------------------------


@every_group
@every_regime
def test_composition_is_associative(group: Any, regime: str) -> None:
    h, k = (group.exp(xi) for xi in anything(group, 2))
    for xi in tangents(group, regime):
        g = group.exp(xi)
        assert_close(((g @ h) @ k).as_matrix(), (g @ (h @ k)).as_matrix())


@every_group
@every_regime
def test_identity_is_neutral(group: Any, regime: str) -> None:
    e = group.identity()
    for xi in tangents(group, regime):
        g = group.exp(xi)
        assert_close((e @ g).as_matrix(), g.as_matrix(), 0.0)
        assert_close((g @ e).as_matrix(), g.as_matrix(), 0.0)


@every_group
@every_regime
def test_inverse_undoes(group: Any, regime: str) -> None:
    for xi in tangents(group, regime):
        g = group.exp(xi)
        assert_close((g @ g.inverse()).as_matrix(), np.eye(group.matrix_size))
        assert_close((g.inverse() @ g).as_matrix(), np.eye(group.matrix_size))
        assert_close(g.inverse().as_matrix(), group.exp(-xi).as_matrix())


@every_group
@every_regime
def test_matrices_represent_the_group(group: Any, regime: str) -> None:
    h = group.exp(anything(group, 1)[0])
    for xi in tangents(group, regime):
        g = group.exp(xi)
        assert_close((g @ h).as_matrix(), g.as_matrix() @ h.as_matrix())
        assert_close(group.from_matrix(g.as_matrix()).as_matrix(), g.as_matrix(), 0.0)


@every_group
def test_action_composes(group: Any) -> None:
    a, b = anything(group, 2)
    g, h = group.exp(a), group.exp(b)
    point = np.arange(1.0, 4.0)[: g.act(np.zeros(3 if group in (SO3, SE3) else 2)).size]
    assert_close((g @ h).act(point), g.act(h.act(point)))


# --- exponential --------------------------------------------------------------------------------------------


@every_group
@every_regime
def test_exp_is_the_matrix_exponential(group: Any, regime: str) -> None:
    for xi in tangents(group, regime):
        assert_close(group.exp(xi).as_matrix(), expm(group.hat(xi)))


@every_group
@every_regime
def test_log_inverts_exp(group: Any, regime: str) -> None:
    for xi in tangents(group, regime):
        assert_close(group.exp(xi).log(), xi)
        g = group.exp(xi)
        assert_close(group.exp(g.log()).as_matrix(), g.as_matrix())


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.6, 0.8, 0), (-0.6, 0, 0.8), (2 / 3, -2 / 3, 1 / 3)])
def test_log_of_an_exact_half_turn(axis: tuple[float, float, float]) -> None:
    a = np.array(axis)
    half_turn = 2.0 * np.outer(a, a) - np.eye(3)  # symmetric to the last bit: R - R^T carries nothing
    xi = SO3(half_turn).log()
    assert np.linalg.norm(xi) == pytest.approx(pi, abs=TOLERANCE)
    assert_close(SO3.exp(xi).matrix, half_turn)


@given(
    exponent=st.floats(-300.0, 0.49),
    direction=st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda d: np.linalg.norm(d) > 1e-3),
)
@example(exponent=-162.0, direction=(1.0, 0.0, 0.0))  # the square of the angle underflows
@settings(max_examples=100, deadline=None, derandomize=True)
def test_rotation_vectors_survive_at_every_scale(exponent: float, direction: tuple[float, float, float]) -> None:
    xi = 10.0**exponent * np.array(direction) / np.linalg.norm(direction)  # up to 3.09
    np.testing.assert_allclose(SO3.exp(xi).log(), xi, rtol=TOLERANCE, atol=TOLERANCE * float(np.linalg.norm(xi)))


# --- adjoint ------------------------------------------------------------------------------------------------


@every_group
@every_regime
def test_Ad_is_conjugation(group: Any, regime: str) -> None:
    eta = anything(group, 1)[0]
    for xi in tangents(group, regime):
        g = group.exp(xi)
        conjugated = g.as_matrix() @ group.hat(eta) @ g.inverse().as_matrix()
        assert_close(g.Ad() @ eta, group.vee(conjugated))


@every_group
@every_regime
def test_Ad_is_a_homomorphism(group: Any, regime: str) -> None:
    h = group.exp(anything(group, 1)[0])
    for xi in tangents(group, regime):
        g = group.exp(xi)
        assert_close((g @ h).Ad(), g.Ad() @ h.Ad())
        assert_close(g.inverse().Ad() @ g.Ad(), np.eye(group.tangent_size))


@every_group
def test_ad_is_the_bracket(group: Any) -> None:
    a, b, c = anything(group, 3)
    A, B = group.hat(a), group.hat(b)
    assert_close(group.hat(group.ad(a) @ b), A @ B - B @ A)
    assert_close(group.vee(group.hat(a)), a, 0.0)
    jacobi = group.ad(a) @ group.ad(b) @ c + group.ad(b) @ group.ad(c) @ a + group.ad(c) @ group.ad(a) @ b
    assert_close(jacobi, np.zeros(group.tangent_size))


@every_group
def test_ad_is_the_derivative_of_Ad(group: Any) -> None:
    """``d/dt Ad(exp(t a)) b = ad(a) b`` at ``t = 0``, differentiated exactly there."""
    a, b = anything(group, 2)
    t = ops.symbols("t", 1)
    rate = casadi.Function("rate", [t], [casadi.jacobian(casadi.SX(group.exp(t * a).Ad() @ b), t)])
    assert_close(rate(0.0).full().ravel(), group.ad(a) @ b)


# --- differential of the exponential ------------------------------------------------------------------------


@every_group
@every_regime
def test_dexp_is_its_series(group: Any, regime: str) -> None:
    """``dexp(xi) = sum_k (-ad xi)^k / (k + 1)!``, from the definition alone."""
    for xi in tangents(group, regime):
        ad = group.ad(xi)
        term, total = np.eye(group.tangent_size), np.zeros((group.tangent_size,) * 2)
        for k in range(40):
            total += term / factorial(k + 1)
            term = -term @ ad
        assert_close(group.dexp(xi), total)


@every_group
@every_regime
def test_dexp_is_the_derivative_of_exp(group: Any, regime: str) -> None:
    """``d exp(xi) = exp(xi) hat(dexp(xi) d xi)``, the left side by automatic differentiation."""
    jacobian = derivative(group, "exp")
    n = group.matrix_size
    for xi in tangents(group, regime):
        inverse = group.exp(xi).inverse().as_matrix()
        d_exp = jacobian(xi).full()
        body = [group.vee(inverse @ d_exp[:, j].reshape(n, n, order="F")) for j in range(group.tangent_size)]
        assert_close(group.dexp(xi), np.column_stack(body))


@every_group
@every_regime
def test_dexp_inv_inverts_dexp(group: Any, regime: str) -> None:
    for xi in tangents(group, regime):
        assert_close(group.dexp(xi) @ group.dexp_inv(xi), np.eye(group.tangent_size))
        assert_close(group.dexp_inv(xi) @ group.dexp(xi), np.eye(group.tangent_size))


@every_group
@every_regime
def test_dexp_and_Ad_agree(group: Any, regime: str) -> None:
    """Body and spatial differentials: ``dexp(-xi) = Ad(exp(xi)) dexp(xi)``."""
    for xi in tangents(group, regime):
        assert_close(group.dexp(-xi), group.exp(xi).Ad() @ group.dexp(xi))


# --- the same code on every kind of scalar ------------------------------------------------------------------

# Each takes a tangent of one kind to a flat list of scalars of that kind.
FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "exp": lambda group, xi: group.exp(xi).as_matrix(),
    "exp then log": lambda group, xi: group.exp(xi).log(),
    "inverse": lambda group, xi: group.exp(xi).inverse().as_matrix(),
    "square": lambda group, xi: (group.exp(xi) @ group.exp(xi)).as_matrix(),
    "Ad": lambda group, xi: group.exp(xi).Ad(),
    "ad": lambda group, xi: group.ad(xi),
    "hat": lambda group, xi: group.hat(xi),
    "dexp": lambda group, xi: group.dexp(xi),
    "dexp_inv": lambda group, xi: group.dexp_inv(xi),
}


@cache
def traced(group: Any, name: str) -> tuple[Any, Any]:
    xi = ops.symbols("xi", group.tangent_size)
    return xi, casadi.SX(FUNCTIONS[name](group, xi))


@cache
def derivative(group: Any, name: str, order: int = 1) -> casadi.Function:
    xi, value = traced(group, name)
    for _ in range(order):
        value = casadi.jacobian(casadi.vec(value), xi)
    return casadi.Function("derivative", [xi], [value])


@cache
def printed(group: Any, name: str) -> Callable[..., Any]:
    """The function written out in SymPy symbols, as plain Python."""
    xi = sympy.symbols(f"xi:{group.tangent_size}", real=True)
    value = FUNCTIONS[name](group, np.array(xi, dtype=object))
    return sympy.lambdify(xi, list(value.ravel()), modules="math", cse=True)


@every_group
@every_regime
@pytest.mark.parametrize("name", FUNCTIONS)
def test_floats_and_casadi_agree(group: Any, regime: str, name: str) -> None:
    xi_symbols, value = traced(group, name)
    function = casadi.Function("f", [xi_symbols], [value])
    for xi in tangents(group, regime):
        expected = FUNCTIONS[name](group, xi)
        assert_close(function(xi).full().reshape(expected.shape), expected)


@every_group
@every_regime
@pytest.mark.parametrize("name", FUNCTIONS)
def test_floats_and_sympy_numbers_agree(group: Any, regime: str, name: str) -> None:
    xi = tangents(group, regime)[0]
    exact = np.array([sympy.Float(x) for x in xi], dtype=object)
    assert_close(FUNCTIONS[name](group, exact), FUNCTIONS[name](group, xi))


@every_group
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "exp then log"])
def test_floats_and_sympy_symbols_agree(group: Any, name: str) -> None:
    function = printed(group, name)
    for regime in ANGLES:
        xi = tangents(group, regime)[0]
        assert_close(function(*xi), FUNCTIONS[name](group, xi).ravel())


# In space SymPy expands the nested conditions for seconds or minutes: there the two halves, rotation to
# quaternion and its logarithm, are checked on symbols one by one in the unit tests of quaternions.
@pytest.mark.parametrize("group", [SO2, SE2])
def test_log_of_sympy_symbols(group: Any) -> None:
    n = group.matrix_size
    entries = sympy.symbols(f"m:{n * n}", real=True)
    value = group.from_matrix(np.array(entries, dtype=object).reshape(n, n)).log()
    function = sympy.lambdify(entries, list(value), modules="math", cse=True)
    for regime in ANGLES:
        g = group.exp(tangents(group, regime)[0])
        assert_close(function(*g.as_matrix().ravel()), g.log())


@every_group
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_at_zero_are_finite_and_smooth(group: Any, name: str, order: int) -> None:
    """The branch not taken must not poison a derivative: at exactly zero it equals its limit from nearby."""
    function = derivative(group, name, order)
    at_zero = function(np.zeros(group.tangent_size)).full()
    nearby = function(1e-9 * np.ones(group.tangent_size)).full()
    assert np.isfinite(at_zero).all()
    # The entries of the next derivative, six at most to a sum, are of order one: a few times 1e-9 apart.
    assert_close(nearby, at_zero, 3e-8)


@every_group
@every_regime
def test_derivative_of_log_after_exp_is_one(group: Any, regime: str) -> None:
    function = derivative(group, "exp then log")
    for xi in tangents(group, regime):
        assert_close(function(xi).full(), np.eye(group.tangent_size))
