"""What the groups mean: handedness, order of entries, and the products mechanics is built on."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from math import cos, pi, sin
from typing import Any

import casadi
import numpy as np
import pytest
import sympy

from locomotor.lie import SE2, SE3, SO2, SO3, ops, quaternion

pytestmark = pytest.mark.filterwarnings("error")

# A few products of numbers of order one, rounded at 1.1e-16.
TOLERANCE = 5e-15

X, Y, Z = np.eye(3)


def assert_close(actual: Any, expected: Any, tolerance: float = TOLERANCE) -> None:
    np.testing.assert_allclose(np.asarray(actual, dtype=float), expected, rtol=0, atol=tolerance)


def pose() -> SE3:
    return SE3.exp(np.array([0.3, -0.2, 1.1, 0.7, -0.4, 1.3]))


# --- conventions --------------------------------------------------------------------------------------------


def test_positive_turns_are_right_handed() -> None:
    for axis, start, end in [(X, Y, Z), (Y, Z, X), (Z, X, Y)]:
        assert_close(SO3.exp(pi / 2 * axis).act(start), end)
        assert_close(SO3.about(axis, pi / 2).act(start), end)
    assert_close(SO2.exp(np.array([pi / 2])).act(np.array([1.0, 0.0])), [0.0, 1.0])


def test_twists_are_linear_first() -> None:
    assert_close(SE3.exp(np.array([1.0, 2.0, 3.0, 0.0, 0.0, 0.0])).translation, [1.0, 2.0, 3.0], 0)
    assert_close(SE3.exp(np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.5])).rotation, SO3.about(Z, 0.5).matrix)
    assert_close(SE2.exp(np.array([1.0, 2.0, 0.0])).translation, [1.0, 2.0], 0)


def test_a_body_twist_drives_a_circle() -> None:
    """Speed 2 forward and yaw rate 0.5 to the left: a circle of radius 4, its centre 4 to the left."""
    time = 1.3
    angle = 0.5 * time
    expected = [4.0 * sin(angle), 4.0 * (1.0 - cos(angle))]
    assert_close(SE2.exp(time * np.array([2.0, 0.0, 0.5])).translation, expected)
    assert_close(SE3.exp(time * np.array([2.0, 0.0, 0.0, 0.0, 0.0, 0.5])).translation, [*expected, 0.0])


def test_plane_sits_in_space() -> None:
    xi = np.array([0.4, -1.2, 2.2])
    in_space = np.array([xi[0], xi[1], 0.0, 0.0, 0.0, xi[2]])
    keep = [0, 1, 5]
    assert_close(SE2.exp(xi).as_matrix(), SE3.exp(in_space).as_matrix()[np.ix_([0, 1, 3], [0, 1, 3])])
    assert_close(SE2.exp(xi).Ad(), SE3.exp(in_space).Ad()[np.ix_(keep, keep)])
    assert_close(SE2.dexp(xi), SE3.dexp(in_space)[np.ix_(keep, keep)])
    assert_close(SE2.dexp_inv(xi), SE3.dexp_inv(in_space)[np.ix_(keep, keep)])


def test_elements_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        pose().translation = np.zeros(3)  # type: ignore[misc]


# --- hinges -------------------------------------------------------------------------------------------------


def test_about_is_the_exponential_of_a_unit_axis() -> None:
    for axis in (X, Y, Z, np.array([2.0, -1.0, 2.0]) / 3.0):
        for angle in (0.0, 1e-7, -0.8, 3.0):
            assert_close(SO3.about(axis, angle).matrix, SO3.exp(angle * axis).matrix)


@pytest.mark.parametrize("axis", [X, Y, Z])
def test_a_hinge_along_an_axis_costs_a_sine_and_a_cosine(axis: np.ndarray) -> None:
    angle = ops.symbols("angle", 1)
    function = casadi.Function("f", [angle], [SO3.about(axis, angle).matrix])
    ids = [function.instruction_id(i) for i in range(function.n_instructions())]
    arithmetic = [i for i in ids if i not in (casadi.OP_INPUT, casadi.OP_OUTPUT, casadi.OP_CONST)]
    assert sorted(arithmetic) == sorted([casadi.OP_SIN, casadi.OP_COS, casadi.OP_NEG])


def test_quaternion_of_a_rotation() -> None:
    R = SO3.about(Z, 1.0)
    assert_close(R.as_quaternion(), [cos(0.5), 0.0, 0.0, sin(0.5)])
    assert_close(SO3.from_quaternion(R.as_quaternion()).matrix, R.matrix)
    assert_close(quaternion.to_matrix(R.as_quaternion()), R.matrix)


# --- twists and wrenches ------------------------------------------------------------------------------------


def test_Ad_has_the_linear_first_blocks() -> None:
    g = pose()
    R, p = g.rotation, g.translation
    assert_close(g.Ad(), np.block([[R, ops.skew(p) @ R], [np.zeros((3, 3)), R]]), 0)


def test_twist_to_child_is_the_inverse_adjoint() -> None:
    g, eta = pose(), np.array([1.0, -2.0, 0.5, 0.3, 0.9, -1.4])
    assert_close(g.twist_to_child(eta), g.inverse().Ad() @ eta)
    assert_close(g.Ad() @ g.twist_to_child(eta), eta)


def test_wrench_to_parent_is_the_transpose() -> None:
    g, wrench = pose(), np.array([0.7, 1.2, -3.0, 0.1, -0.6, 2.0])
    assert_close(g.wrench_to_parent(wrench), g.inverse().Ad().T @ wrench)


def test_power_is_the_same_in_both_frames() -> None:
    g, eta = pose(), np.array([1.0, -2.0, 0.5, 0.3, 0.9, -1.4])
    wrench = np.array([0.7, 1.2, -3.0, 0.1, -0.6, 2.0])
    assert_close(g.wrench_to_parent(wrench) @ eta, wrench @ g.twist_to_child(eta), 1e-14)


def test_a_force_off_the_origin_has_a_moment() -> None:
    """One newton up, one metre to the left: a moment about +x."""
    g = SE3(np.eye(3), Y)
    assert_close(g.wrench_to_parent(np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])), [0, 0, 1, 1, 0, 0], 0)


@pytest.mark.parametrize("kind", ["casadi", "sympy"])
def test_products_on_symbols(kind: str) -> None:
    """Numeric pose, symbolic twist, and the reverse."""
    g, eta = pose(), np.array([1.0, -2.0, 0.5, 0.3, 0.9, -1.4])

    def promote(x: np.ndarray) -> Any:
        return casadi.SX(x) if kind == "casadi" else np.vectorize(sympy.Float, otypes=[object])(x)

    def number(x: Any) -> Any:
        return casadi.DM(x).full().ravel() if kind == "casadi" else x

    symbolic = SE3(promote(g.rotation), promote(g.translation))
    for pose_, twist in [(symbolic, eta), (g, promote(eta)), (symbolic, promote(eta))]:
        assert_close(number(pose_.twist_to_child(twist)), g.twist_to_child(eta))
        assert_close(number(pose_.wrench_to_parent(twist)), g.wrench_to_parent(eta))
        assert_close(number((pose_ @ g).act(twist[0:3])), (g @ g).act(eta[0:3]))
        assert_close(number(pose_.inverse().act(twist[0:3])), g.inverse().act(eta[0:3]))


# --- reconstruction -----------------------------------------------------------------------------------------


def test_dexp_inv_reconstructs_a_motion() -> None:
    """``xi_dot = dexp_inv(xi) eta(t)`` integrates ``g_dot = g hat(eta)`` as ``g = exp(xi)``."""

    def eta(t: float) -> np.ndarray:
        return np.array([1.0, 0.2 * t, 0.0, 0.5 * cos(t), 0.3, sin(t)])

    steps = 200
    h = 1.0 / steps
    xi, g = np.zeros(6), np.eye(4)
    for n in range(steps):
        t = n * h
        xi = rk4(lambda s, x: SE3.dexp_inv(x) @ eta(s), t, xi, h)
        g = rk4(lambda s, x: x @ SE3.hat(eta(s)), t, g, h)
    # Two fourth-order solutions at h = 0.005: each is off by some h^4 = 6e-10 times a small constant.
    assert_close(SE3.exp(xi).as_matrix(), g, 1e-10)


def rk4(f: Any, t: float, x: np.ndarray, h: float) -> np.ndarray:
    k1 = f(t, x)
    k2 = f(t + h / 2, x + h / 2 * k1)
    k3 = f(t + h / 2, x + h / 2 * k2)
    k4 = f(t + h, x + h * k3)
    return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
