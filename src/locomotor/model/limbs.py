"""Trunk and limbs of a tree: which bodies can be computed side by side once those that carry them are known."""

from __future__ import annotations

from collections.abc import Sequence

MOST = 4
"""Limbs at most; smaller ones are taken together."""


def limbs(parents: Sequence[int], weights: Sequence[int]) -> tuple[int, ...]:
    """For each body the number of its limb, -1 for the trunk; `parents[i] < i`, -1 is the world.

    What several limbs share is the trunk, and is counted for each of them: the division is the one with the least trunk and
    largest limb together. A chain has none better than itself, and is all trunk.
    """
    below = list(weights)
    for body in reversed(range(len(parents))):
        if parents[body] >= 0:
            below[parents[body]] += below[body]
    trunk: set[int] = set()
    best, least = (-1,) * len(parents), sum(weights)
    while True:
        heads = [body for body in range(len(parents)) if body not in trunk and (parents[body] < 0 or parents[body] in trunk)]
        shares, sizes = _shared_out(heads, below)
        cost = sum(weights[body] for body in trunk) + max(sizes, default=0)
        if len(heads) > 1 and cost < least:
            best, least = _numbered(parents, trunk, shares), cost
        heaviest = max(heads, key=lambda head: below[head], default=-1)
        if heaviest < 0:
            return best
        trunk.add(heaviest)


def _shared_out(heads: Sequence[int], below: Sequence[int]) -> tuple[dict[int, int], list[int]]:
    """Head of a limb -> number of its limb, and what each of these bears: the heaviest first, each where least is."""
    sizes = [0] * min(MOST, len(heads))
    shares = {}
    for head in sorted(heads, key=lambda head: -below[head]):
        shares[head] = min(range(len(sizes)), key=lambda k: sizes[k])
        sizes[shares[head]] += below[head]
    return shares, sizes


def _numbered(parents: Sequence[int], trunk: set[int], shares: dict[int, int]) -> tuple[int, ...]:
    found: list[int] = []
    for body, parent in enumerate(parents):
        found.append(-1 if body in trunk else shares[body] if body in shares else found[parent])
    return tuple(found)
