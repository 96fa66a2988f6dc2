"""Quaternions: scalar first, Hamilton, and the same rotation as the matrix."""

from __future__ import annotations

from itertools import permutations
from math import pi, sqrt
from typing import Any

import casadi
import numpy as np
import pytest
import sympy

from locomotor.lie import SO3, ops, quaternion

pytestmark = pytest.mark.filterwarnings("error")

# Products of a few numbers of order one, rounded at 1.1e-16.
TOLERANCE = 2e-15


def rotation_vectors() -> list[np.ndarray]:
    """Angles of 0, 1e-7, anything and nearly pi, about the axes and about anything."""
    rng = np.random.default_rng(3)
    directions = [*np.eye(3), *(-np.eye(3)), *rng.normal(size=(10, 3))]
    angles = [0.0, 1e-7, 1.0, 2.5, pi - 1e-7]
    return [angle * d / np.linalg.norm(d) for d in directions for angle in angles]


def unit_quaternions(count: int) -> np.ndarray:
    q = np.random.default_rng(4).normal(size=(count, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def assert_close(actual: Any, expected: Any, tolerance: float = TOLERANCE) -> None:
    np.testing.assert_allclose(np.asarray(actual, dtype=float), expected, rtol=0, atol=tolerance)


def test_hamiltons_rule() -> None:
    one, i, j, k = np.eye(4)
    for product in [quaternion.multiply(i, i), quaternion.multiply(j, j), quaternion.multiply(k, k)]:
        assert_close(product, -one, 0)
    assert_close(quaternion.multiply(i, j), k, 0)
    assert_close(quaternion.multiply(j, k), i, 0)
    assert_close(quaternion.multiply(k, i), j, 0)
    assert_close(quaternion.identity(), one, 0)


def test_product_is_the_product_of_matrices() -> None:
    for p, q in zip(unit_quaternions(20), unit_quaternions(40)[20:], strict=True):
        expected = quaternion.to_matrix(p) @ quaternion.to_matrix(q)
        assert_close(quaternion.to_matrix(quaternion.multiply(p, q)), expected)


def test_conjugate_inverts() -> None:
    for q in unit_quaternions(10):
        assert_close(quaternion.multiply(q, quaternion.conjugate(q)), quaternion.identity())
        assert_close(quaternion.to_matrix(quaternion.conjugate(q)), quaternion.to_matrix(q).T, 0)


def test_matrix_is_the_sandwich_product() -> None:
    v = np.array([0.3, -1.0, 2.0])
    for q in unit_quaternions(10):
        sandwich = quaternion.multiply(quaternion.multiply(q, np.array([0.0, *v])), quaternion.conjugate(q))
        assert_close(quaternion.to_matrix(q) @ v, sandwich[1:4])


def test_a_quarter_turn_to_the_left() -> None:
    """Positive about z takes x, forward, to y, left."""
    q = np.array([sqrt(0.5), 0.0, 0.0, sqrt(0.5)])
    assert_close(quaternion.to_matrix(q) @ np.array([1.0, 0.0, 0.0]), [0.0, 1.0, 0.0])


def test_matrix_round_trip() -> None:
    for q in unit_quaternions(50):
        canonical = q if q[0] >= 0 else -q
        assert_close(quaternion.from_matrix(quaternion.to_matrix(q)), canonical)
    for xi in rotation_vectors():
        R = SO3.exp(xi).matrix
        assert_close(quaternion.to_matrix(quaternion.from_matrix(R)), R)


@pytest.mark.parametrize("largest", range(4))
def test_each_component_can_be_the_largest(largest: int) -> None:
    """The scalar may vanish exactly: half turns, where three of the four formulas divide by zero."""
    q = np.eye(4)[largest]
    assert_close(quaternion.from_matrix(quaternion.to_matrix(q)), q, 0)
    R = ops.symbols("R", 9)
    symbolic = casadi.reshape(R, 3, 3)
    function = casadi.Function("f", [R], [quaternion.from_matrix(symbolic)])
    with_derivative = casadi.Function("g", [R], [function(R), casadi.jacobian(function(R), R)])
    value, derivative = with_derivative(quaternion.to_matrix(q).ravel(order="F"))
    assert_close(value.full().ravel(), q, 0)
    assert np.isfinite(derivative.full()).all()


def test_the_largest_component_is_picked_however_the_others_rank() -> None:
    """Divided by a component of 1e-5, five digits would be lost."""
    for components in permutations([1.0, 3e-5, 2e-5, 1e-5]):
        q = quaternion.normalise(np.array(components))
        assert_close(quaternion.from_matrix(quaternion.to_matrix(q)), q)


def test_exp_is_the_rotation_of_the_matrix_exponential() -> None:
    for xi in rotation_vectors():
        q = quaternion.exp(xi)
        assert_close(q @ q, 1.0)
        assert_close(quaternion.to_matrix(q), SO3.exp(xi).matrix)


def test_log_inverts_exp_on_either_sheet() -> None:
    for xi in rotation_vectors():
        assert_close(quaternion.log(quaternion.exp(xi)), xi)
        assert_close(quaternion.log(-quaternion.exp(xi)), xi)
        assert_close(quaternion.log(1.001 * quaternion.exp(xi)), xi)


def test_normalise() -> None:
    assert_close(quaternion.normalise(np.array([3.0, 0.0, -4.0, 0.0])), [0.6, 0.0, -0.8, 0.0])


def test_rate_follows_the_body_angular_velocity() -> None:
    """``q(t) = q_0 exp(t omega)`` has the rate ``q (0, omega) / 2``, and ``R_dot = R hat(omega)``."""
    omega = np.array([0.4, -1.1, 0.7])
    t = ops.symbols("t", 1)
    for q_0 in unit_quaternions(5):
        q = quaternion.multiply(q_0, quaternion.exp(t * omega))
        rates = [casadi.jacobian(casadi.vec(value), t) for value in (q, quaternion.to_matrix(q))]
        q_dot, R_dot = casadi.Function("f", [t], rates)(0.0)
        assert_close(q_dot.full().ravel(), quaternion.rate(q_0, omega))
        assert_close(R_dot.full().reshape(3, 3, order="F"), quaternion.to_matrix(q_0) @ ops.skew(omega), 1e-14)


def test_conversions_of_sympy_symbols() -> None:
    R = sympy.symbols("R:9", real=True)
    q = sympy.symbols("q:4", real=True)
    xi = sympy.symbols("xi:3", real=True)
    matrix = np.array(R, dtype=object).reshape(3, 3)
    # No cse: it would evaluate the branches not taken, into which SymPy has folded the square root.
    from_matrix = sympy.lambdify(R, list(quaternion.from_matrix(matrix)), modules="math")
    log = sympy.lambdify(q, list(quaternion.log(np.array(q, dtype=object))), modules="math")
    exp = sympy.lambdify(xi, list(quaternion.exp(np.array(xi, dtype=object))), modules="math")
    for vector in rotation_vectors():
        expected = quaternion.exp(vector)
        assert_close(exp(*vector), expected)
        assert_close(from_matrix(*quaternion.to_matrix(expected).ravel()), expected)
        assert_close(log(*expected), vector)
