"""The space of states with deviations: its maps are the derivatives of those of the space of states."""

import casadi
import numpy as np
import pytest

from locomotor.codegen import compile_rollout
from locomotor.codegen.tangent import TangentManifold
from locomotor.lie import Manifold
from locomotor.tracing import Port, Traced
from locomotor.tracing.variations.deviations import with_deviations

BLOCKS = (("vector", 2), ("quaternion",), ("vector", 1))
BASE = Manifold(BLOCKS)
STEP = 1e-3
ANGLES = [0.0, 1e-6, 0.3, 0.999, 1.001, 2.5, 3.1]
"""Rotations of a step: series and closed forms, and both sides of where one gives way to the other."""


def difference(first, second):
    """Tangent vector from one state to another."""
    moved = np.zeros((len(first), BASE.tangent_size))
    for turning, x, d in BASE.slices():
        if not turning:
            moved[:, d] = second[:, x] - first[:, x]
            continue
        a, b = first[:, x], second[:, x]
        scalar = (a * b).sum(axis=1)
        vector = a[:, :1] * b[:, 1:] - b[:, :1] * a[:, 1:] - np.cross(a[:, 1:], b[:, 1:])
        length = np.linalg.norm(vector, axis=1)
        angle = 2.0 * np.arctan2(length, scalar)
        moved[:, d] = vector * np.where(length > 0.0, angle / np.maximum(length, 1e-300), 2.0)[:, None]
    return moved


def slope(function):
    """Central difference of order 4 at 0 along the first argument: 1e-12 of truncation, 1e-13 / STEP of round-off."""
    a, b = (function(STEP) - function(-STEP), function(2 * STEP) - function(-2 * STEP))
    return (8.0 * a - b) / (12.0 * STEP)


@pytest.fixture
def point(rng):
    """A state, steps of every length of ANGLES, a rate, and a deviation of each."""
    n = len(ANGLES)
    x = BASE.normalise(rng.normal(size=(n, BASE.size)))
    delta, rate, *deviations = rng.normal(size=(5, n, BASE.tangent_size))
    axis = delta[:, 2:5] / np.linalg.norm(delta[:, 2:5], axis=1, keepdims=True)
    delta[:, 2:5] = axis * np.array(ANGLES)[:, None]
    return x, delta, rate, deviations


def test_sizes():
    space = TangentManifold(BASE, 3)
    assert (space.size, space.tangent_size) == (7 + 18, 6 * 4)
    assert space.base == BASE


def test_retract(point):
    x, delta, _, (w, e, _) = point
    moved = TangentManifold(BASE, 1).retract(np.hstack([x, w]), np.hstack([delta, e]))
    there = BASE.retract(x, delta)
    assert np.allclose(moved[:, :7], there, rtol=0, atol=1e-15)
    wanted = slope(lambda s: difference(there, BASE.retract(BASE.retract(x, s * w), delta + s * e)))
    assert np.abs(moved[:, 7:] - wanted).max() < 1e-9


def test_pull_back(point):
    _, delta, rate, (_, e, f) = point
    found = TangentManifold(BASE, 1).pull_back(np.hstack([delta, e]), np.hstack([rate, f]))
    assert np.array_equal(found[:, :6], BASE.pull_back(delta, rate))
    wanted = slope(lambda s: BASE.pull_back(delta + s * e, rate + s * f))
    # dexp inverse is singular at a full turn, 2 pi: its derivatives grow towards it.
    assert np.abs(found[:, 6:] - wanted).max() < 1e-8


def test_ambient_rate(point):
    """The deviation of a moving state moves as the difference of two motions does."""
    x, _, rate, (w, _, f) = point
    found = TangentManifold(BASE, 1).ambient_rate(np.hstack([x, w]), np.hstack([rate, f]))
    assert np.array_equal(found[:, :7], BASE.ambient_rate(x, rate))

    def deviation(t):
        ahead = BASE.retract(x, t * rate)
        return slope(lambda s: difference(ahead, BASE.retract(BASE.retract(x, s * w), t * (rate + s * f))))

    # A difference of differences.
    assert np.abs(found[:, 7:] - slope(deviation)).max() < 1e-6


def test_normalise_leaves_deviations(rng):
    state = rng.normal(size=(3, TangentManifold(BASE, 2).size))
    found = TangentManifold(BASE, 2).normalise(state)
    assert np.array_equal(found[:, 7:], state[:, 7:])
    assert np.array_equal(found[:, :7], BASE.normalise(state[:, :7]))


@pytest.fixture(scope="module")
def spinning():
    """A made-up rigid body: everything depends on everything, the turn on the quaternion too."""
    time, x, u, p = (casadi.SX.sym(name, n) for name, n in (("time", 1), ("state", 7), ("inputs", 1), ("parameters", 1)))
    q = x[2:6]
    omega = casadi.vertcat(p + 2.0 * q[1] * x[0], u + x[6] - q[0] * q[3], casadi.sin(time) + x[1] * q[2])
    rate = casadi.vertcat(x[6] - q[1] * q[2], casadi.cos(x[0]) * p, omega, -x[0] + q[3] * u)
    ports = [Port.of("time", "t"), Port.of("state", *"abcdefg"), Port.of("inputs", "u"), Port.of("parameters", "p")]
    return Traced.build(
        "spinning", list(zip(ports, (time, x, u, p), strict=True)), [(Port.of("rate", *"abcdef"), rate)], "made up"
    )


EXPLICIT = ((6, "inputs", 0), (7, "parameters", 0))


def roll_out(spinning, target, stepper, steps, dt, x, u=0.3, p=0.8):
    return (
        compile_rollout(spinning, BASE, target=target)
        .run(x, steps, dt, inputs=[u], parameters=[p], stepper=stepper, save_every=steps, start_time=0.2)
        .final
    )


def with_matrix(spinning, target, stepper, steps, dt, x):
    grown = with_deviations(spinning, BASE, 8, EXPLICIT)
    start = np.hstack([x, np.broadcast_to(np.eye(6, 8).ravel(), (len(x), 48))])
    found = (
        compile_rollout(grown, TangentManifold(BASE, 8), target=target)
        .run(start, steps, dt, inputs=[0.3], parameters=[0.8], stepper=stepper, save_every=steps, start_time=0.2)
        .final
    )
    return found[:, :7], found[:, 7:].reshape(-1, 6, 8)


def differences(spinning, stepper, steps, dt, x):
    """Matrix of differences of roll-outs."""
    there = roll_out(spinning, "interpreter", stepper, steps, dt, x)
    columns = []
    for j in range(8):

        def moved(s, j=j):
            unit = np.zeros((len(x), 6))
            unit[:, j % 6] = s if j < 6 else 0.0
            u, p = 0.3 + (s if j == 6 else 0.0), 0.8 + (s if j == 7 else 0.0)
            return difference(there, roll_out(spinning, "interpreter", stepper, steps, dt, BASE.retract(x, unit), u, p))

        columns.append(slope(moved))
    return there, np.stack(columns, axis=2)


@pytest.mark.parametrize("dt", [0.4, 0.8])
def test_runge_kutta_steps_are_differentiated_exactly(dt, spinning, rng):
    """With steps so long that the motion itself is off by percents: this is the derivative of what is computed."""
    x = BASE.normalise(rng.normal(size=(4, 7)))
    there, wanted = differences(spinning, "rk4", 2, dt, x)
    state, matrix = with_matrix(spinning, "interpreter", "rk4", 2, dt, x)
    assert np.allclose(state, there, rtol=0, atol=1e-14)
    assert np.abs(matrix - wanted).max() < 1e-8 * np.abs(wanted).max()


@pytest.mark.parametrize("stepper", ["abm4", "abm5"])
def test_multistep_methods_follow_the_motion(stepper, spinning, rng):
    """They move quaternions as vectors: their deviations are those of the motion, to the order of the method."""
    x = BASE.normalise(rng.normal(size=(4, 7)))
    errors = []
    for parts in (1, 2):
        _, exact = with_matrix(spinning, "c", "rk4", 400, 0.005, x)
        _, matrix = with_matrix(spinning, "c", stepper, 40 * parts, 0.05 / parts, x)
        errors.append(np.abs(matrix - exact).max())
    assert errors[0] < 1e-3
    assert np.log2(errors[0] / errors[1]) > 3.5


@pytest.mark.parametrize("stepper", ["rk4", "abm4"])
@pytest.mark.parametrize("target", ["c", "simd"])
def test_targets_agree(target, stepper, spinning, rng):
    x = BASE.normalise(rng.normal(size=(5, 7)))
    wanted = with_matrix(spinning, "interpreter", stepper, 8, 1.1, x)
    found = with_matrix(spinning, target, stepper, 8, 1.1, x)
    for a, b in zip(found, wanted, strict=True):
        # Round-off, grown with the deviations over eight long steps.
        assert np.abs(a - b).max() < 1e-11 * np.abs(b).max()


def test_few_deviations_give_the_same_as_all(spinning, rng):
    """Derivatives along two directions are computed one by one, not by the whole Jacobian."""
    x, W = rng.normal(size=7), rng.normal(size=(6, 8))
    whole = with_deviations(spinning, BASE, 8)
    two = with_deviations(spinning, BASE, 2)
    arguments = ([0.1], [0.2], [0.3])
    full = whole(arguments[0], np.hstack([x, W.ravel()]), *arguments[1:])[0][6:].reshape(6, 8)
    part = two(arguments[0], np.hstack([x, W[:, 3:5].ravel()]), *arguments[1:])[0][6:].reshape(6, 2)
    assert np.allclose(part, full[:, 3:5], rtol=0, atol=1e-14)
