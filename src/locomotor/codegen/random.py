"""Uniform random numbers by counter: the number of instance i, column k is a function of (seed, i, k) and nothing else.

Philox 4x32-10 of Salmon, Moraes, Dror and Shaw (2011), "Parallel random numbers: as easy as 1, 2, 3", written on arrays: with
NumPy on the host and with CuPy on the device it gives the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locomotor import checks

MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
ROUNDS = 10
LOW = 0xFFFFFFFF


def uniform(seed: int, count: int, columns: int, first: int = 0, xp: Any = np) -> Any:
    """Numbers of [0, 1) with 53 bits, (count, columns), for the instances from number `first` on."""
    seed, first = checks.whole(seed, "seed", most=2**64 - 1), checks.whole(first, "first")
    count = checks.whole(count, "count", most=checks.LARGEST - first)
    numbers = checks.product("the random numbers", (count, columns))
    with checks.room_for("the random numbers", numbers):
        return _uniform(seed, count, columns, first, xp)


def _uniform(seed: int, count: int, columns: int, first: int, xp: Any) -> Any:
    instance = xp.arange(first, first + count, dtype=xp.uint64)[:, None]
    pair = xp.arange(-(-columns // 2), dtype=xp.uint64)[None, :]  # four words are two numbers
    shape = (count, pair.shape[1])
    words = [xp.broadcast_to(word, shape) for word in (instance & LOW, instance >> 32, pair, xp.zeros_like(pair))]
    words = philox(words, int(seed) & LOW, int(seed) >> 32)
    numbers = [((words[i] << 21) ^ (words[i + 1] >> 11)).astype(xp.float64) * 2.0**-53 for i in (0, 2)]
    return xp.ascontiguousarray(xp.stack(numbers, axis=2).reshape(count, 2 * pair.shape[1])[:, :columns])


def philox(words: list[Any], key_0: int, key_1: int) -> list[Any]:
    """Four words of 32 bits, in arrays of 64, after the rounds."""
    for _ in range(ROUNDS):
        a, b = words[0] * MULTIPLIERS[0], words[2] * MULTIPLIERS[1]
        words = [(b >> 32) ^ words[1] ^ key_0, b & LOW, (a >> 32) ^ words[3] ^ key_1, a & LOW]
        key_0, key_1 = (key_0 + WEYL[0]) & LOW, (key_1 + WEYL[1]) & LOW
    return words
