"""The maps of the manifold against their defining identities."""

import casadi
import numpy as np
import pytest

from locomotor.lie import Manifold, ops

TURNING = Manifold([("vector", 2), ("quaternion",), ("vector", 1)])


def states(rng: np.random.Generator, batch: int = 6) -> np.ndarray:
    return TURNING.normalise(rng.normal(size=(batch, 7)))


def test_sizes() -> None:
    assert (TURNING.size, TURNING.tangent_size) == (7, 6)
    assert [x.start for _, x, _ in TURNING.slices()] == [0, 2, 6]


@pytest.mark.parametrize("block", [("circle",), ("vector",), ("vector", -1), ("quaternion", 4), ("vector", 2.0)])
def test_unknown_blocks_are_refused(block) -> None:
    with pytest.raises(ValueError, match="a block is"):
        Manifold([block])


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 0.7, 0.999, 1.001, 2.0, 3.1])
def test_retraction_stays_unit_and_turns_by_the_angle(angle: float, rng: np.random.Generator) -> None:
    x = states(rng)
    delta = rng.normal(size=(6, 6))
    axis = delta[:, 2:5] / np.linalg.norm(delta[:, 2:5], axis=1, keepdims=True)
    delta[:, 2:5] = angle * axis
    y = TURNING.retract(x, delta)
    np.testing.assert_allclose(np.linalg.norm(y[:, 2:6], axis=1), 1.0, rtol=1e-14)
    cosine = np.abs(np.sum(x[:, 2:6] * y[:, 2:6], axis=1))
    np.testing.assert_allclose(cosine, abs(np.cos(angle / 2)), atol=1e-14)
    np.testing.assert_allclose(y[:, [0, 1, 6]], x[:, [0, 1, 6]] + delta[:, [0, 1, 5]])


@pytest.mark.parametrize("angle", [1e-6, 0.5, 0.9999, 1.0001, 2.5])
def test_pull_back_inverts_the_differential(angle: float, rng: np.random.Generator) -> None:
    """If theta moves at the rate pulled back from omega, then x exp(theta) turns with omega."""
    x, omega = states(rng), rng.normal(size=(6, 6))
    delta = rng.normal(size=(6, 6))
    delta[:, 2:5] *= angle / np.linalg.norm(delta[:, 2:5], axis=1, keepdims=True)
    rate = TURNING.pull_back(delta, omega)
    step = 1e-5  # error of central differences: step^2 times third derivatives of order one, and 1e-16 / step
    difference = (TURNING.retract(x, delta + step * rate) - TURNING.retract(x, delta - step * rate)) / (2 * step)
    np.testing.assert_allclose(difference, TURNING.ambient_rate(TURNING.retract(x, delta), omega), atol=1e-9)


# -- one state of any scalars, many states as rows: the same maps ----------------------------------------------------

MAPS = {
    "retract": lambda x, d: TURNING.retract(x, d),
    "pull_back": lambda x, d: TURNING.pull_back(d, x[:6] if x.ndim == 1 else x[:, :6]),
    "ambient_rate": lambda x, d: TURNING.ambient_rate(x, d),
    "normalise": lambda x, d: TURNING.normalise(3.0 * x),
}


@pytest.mark.parametrize("name", MAPS)
def test_rows_and_single_states_agree(name: str, rng: np.random.Generator) -> None:
    x, delta = states(rng), rng.normal(size=(6, 6)) * np.array([[1e-9], [1e-4], [0.1], [0.9], [1.5], [2.9]])
    single = np.array([MAPS[name](a, b) for a, b in zip(x, delta, strict=True)])
    np.testing.assert_allclose(MAPS[name](x, delta), single, rtol=1e-14, atol=1e-14)  # a few round-offs


def test_symbols_move_as_numbers_do(rng: np.random.Generator) -> None:
    x, d = ops.symbols("x", 7), ops.symbols("d", 6)
    moved = casadi.Function("moved", [x, d], [TURNING.retract(x, d), TURNING.pull_back(d, d), TURNING.basis(x)])
    state, delta = states(rng)[0], rng.normal(size=6)
    expected = (TURNING.retract(state, delta), TURNING.pull_back(delta, delta), TURNING.basis(state))
    for found, wanted in zip(moved(state, delta), expected, strict=True):
        np.testing.assert_allclose(np.squeeze(np.array(found)), wanted, rtol=1e-14, atol=1e-14)


def test_basis_gives_the_ambient_rate_and_its_left_inverse_takes_it_back(rng: np.random.Generator) -> None:
    state, rate = states(rng)[0], rng.normal(size=6)
    ambient = TURNING.basis(state) @ rate
    np.testing.assert_allclose(ambient, TURNING.ambient_rate(state, rate), atol=1e-15)
    np.testing.assert_allclose(TURNING.left_inverse(state) @ ambient, rate, atol=1e-14)


def test_neighbouring_vectors_are_one_and_empty_ones_vanish() -> None:
    joined = Manifold.joined([("vector", 2), ("vector", 0), ("vector", 1), ("quaternion",), ("vector", 0)])
    assert joined.blocks == (("vector", 3), ("quaternion",))
    assert joined.followed_by(4).followed_by(-1).blocks == (("vector", 3), ("quaternion",), ("vector", 3))
