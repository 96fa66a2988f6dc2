"""The maps of the manifold with numpy, against their defining identities."""

import numpy as np
import pytest

from locomotor.codegen import Manifold

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
