"""Random starting states belong to their instance, are consistent, and use the whole of their ranges."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.codegen.random import philox, uniform
from locomotor.errors import InconsistentStartError, UnknownNameError

BIKE = lm.catalogue.bicycle("meijaard2007")


@pytest.mark.parametrize(
    ("words", "key", "expected"),
    [
        # Known answers of the Random123 library for philox4x32-10.
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_the_generator_is_philox(words: tuple, key: tuple, expected: tuple) -> None:
    found = philox([np.array([word], dtype=np.uint64) for word in words], *key)
    assert tuple(int(word[0]) for word in found) == expected


def test_numbers_are_uniform_and_belong_to_their_instance() -> None:
    numbers = uniform(3, 20_000, 3)
    assert (numbers >= 0.0).all() and (numbers < 1.0).all()
    # Five standard deviations of the mean and of the correlation.
    assert np.abs(numbers.mean(axis=0) - 0.5).max() < 5 / np.sqrt(12 * 20_000)
    assert np.abs(np.corrcoef(numbers.T) - np.eye(3)).max() < 5 / np.sqrt(20_000)
    np.testing.assert_array_equal(uniform(3, 10, 3, first=70), numbers[70:80])
    assert not np.isin(uniform(4, 100, 3), numbers).any()


RANGES = [{"roll_rate": (-0.3, 0.2)}, {"steer": (-0.3, 0.2)}, {"roll": (-0.3, 0.2), "speed": (4.0, 5.0)}]


@pytest.mark.parametrize("ranges", RANGES)
def test_states_are_consistent(ranges: dict) -> None:
    compiled = lm.compile(BIKE)
    start = {} if "speed" in ranges else {"speed": 4.5}
    states = compiled.random_states(400, ranges, start=start, seed=8)
    channels = ("roll_rate", "steer", "roll", "speed", "rear_gap", "front_gap")
    batch = compiled.rollout(states, 0, 0.01, channels=channels)
    for name in ("rear_gap", "front_gap"):
        assert np.abs(batch[name]).max() < 1e-11
    for name, (low, high) in ranges.items():
        values = batch[name][:, 0]
        assert values.min() >= low - 1e-9 and values.max() <= high + 1e-9
        assert values.max() - values.min() > 0.95 * (high - low)
    np.testing.assert_array_equal(compiled.random_states(5, ranges, start=start, seed=8, first=20), states[20:25])


def test_what_cannot_be_is_told() -> None:
    compiled = lm.compile(BIKE)
    with pytest.raises(ValueError, match=r"range of 'steer' is \(1, 0\); give two finite numbers, the smaller first"):
        compiled.random_states(3, {"steer": (1, 0)})
    with pytest.raises(UnknownNameError, match="steer"):
        compiled.random_states(3, {"ster": (0, 1)})
    assert compiled.random_states(0, {"roll_rate": (0, 1)}).shape == (0, 13)
    with pytest.raises(ValueError, match="count is -1; it must be a whole number of at least 0"):
        compiled.random_states(-1, {"roll_rate": (0, 1)})
    with pytest.raises(ValueError, match=r"seed is .*must be a whole number"):
        compiled.random_states(3, {"steer": (0, 1)}, seed=-1)
    with pytest.raises(InconsistentStartError, match=r"of 50 random states cannot be.*make the ranges smaller"):
        compiled.random_states(50, {"roll": (-3.1, 3.1), "speed": (1.0, 2.0)}, seed=2)
