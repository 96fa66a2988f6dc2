"""Random numbers that belong to an instance and an episode, not to the order in which they are drawn."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from locomotor.codegen import LOW, philox
from locomotor.errors import TaskError
from locomotor.typing import Floats, Integers

Keys = NDArray[np.uint64]


def keys(seed: int | Sequence[int | None] | None, count: int, before: Keys | None) -> Keys:
    """Keys (count, 2) of the instances.

    One seed: instance i has the key (seed, i). One for each: (seed, 0), the key of a single environment with that seed.
    Where none is given an instance keeps its key, or gets one from the operating system.
    """
    fresh = np.random.SeedSequence().generate_state(1, np.uint64)[0] if before is None else np.uint64(0)
    found = np.stack([np.full(count, fresh), np.arange(count, dtype=np.uint64)], axis=1) if before is None else before.copy()
    if seed is None:
        return found
    if isinstance(seed, int | np.integer):
        found[:, 0], found[:, 1] = _word(seed), np.arange(count)
        return found
    if len(seed) != count:
        raise TaskError(f"{len(seed)} seeds are given for {count} instances; give one, or one for each")
    for i, own in enumerate(seed):
        if own is not None:
            found[i] = _word(own), 0
    return found


def draw(chosen: Keys, episodes: Integers, count: int) -> Floats:
    """`count` uniform numbers of [0, 1) for each key and episode, by the counter-based generator Philox (`codegen.random`)."""
    if not count:
        return np.zeros((len(chosen), 0))
    pairs = np.arange(-(-count // 2), dtype=np.uint64)[None, :]  # four words of 32 bits are two numbers
    shape = (len(chosen), pairs.shape[1])
    seed, instance = chosen[:, :1], chosen[:, 1:]
    counter = (instance, episodes.astype(np.uint64)[:, None], pairs, np.zeros((1, 1), dtype=np.uint64))
    words = philox([np.broadcast_to(word, shape) for word in counter], seed & LOW, seed >> np.uint64(32))  # type: ignore[arg-type]
    numbers = [((words[i] << 21) ^ (words[i + 1] >> 11)).astype(np.float64) * 2.0**-53 for i in (0, 2)]
    return np.ascontiguousarray(np.stack(numbers, axis=2).reshape(len(chosen), -1)[:, :count])


def _word(seed: int) -> np.uint64:
    if isinstance(seed, bool) or not 0 <= int(seed) < 2**64:
        raise TaskError(f"a seed is {seed!r}; give a whole number from 0 to 2**64 - 1")
    return np.uint64(seed)
