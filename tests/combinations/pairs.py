"""Pairwise covering designs: few choices among which every pair of values that can be occurs."""

from __future__ import annotations

import random
from collections.abc import Sequence

from combinations.features import AXES, FORBIDDEN, Choice, Pair, Value, all_pairs, pairs_of


def design(seed: int) -> list[Choice]:
    """Legal choices that cover all pairs, those first that cover most.

    Greedy: a choice begins with a pair that is not covered yet, and takes, axis by axis in random order, the value that
    makes most new pairs with what is there; values after which no legal choice is left are passed over.
    """
    rng = random.Random(seed)
    left, found = all_pairs(), []
    while left:
        first = rng.choice(sorted(sorted(pair) for pair in left))
        choice = max((_complete(dict(first), left, rng) for _ in range(4)), key=lambda c: len(pairs_of(c) & left))
        found.append({axis: choice[axis] for axis in AXES})
        left -= pairs_of(choice)
    return found


def random_choice(seed: int) -> Choice:
    """A legal choice, any."""
    rng = random.Random(seed)
    choice = _complete({}, set(), rng)
    return {axis: choice[axis] for axis in AXES}


def uncovered(choices: Sequence[Choice]) -> set[Pair]:
    """Pairs that can be and occur in none of the choices."""
    return all_pairs() - {pair for choice in choices for pair in pairs_of(choice)}


def _complete(begun: dict[str, str], left: set[Pair], rng: random.Random) -> dict[str, str]:
    """A legal choice that has these values."""
    axes = [axis for axis in AXES if axis not in begun]
    rng.shuffle(axes)
    done = _extend(begun, axes, left, rng)
    if done is None:
        told = ", ".join(f"{axis}={value}" for axis, value in begun.items())
        raise ValueError(f"no legal choice has {told}: declare this pair impossible in features.py, with its reason")
    return done


def _extend(choice: dict[str, str], axes: list[str], left: set[Pair], rng: random.Random) -> dict[str, str] | None:
    if not axes:
        return choice
    axis, *others = axes
    values = list(AXES[axis])
    rng.shuffle(values)
    values.sort(key=lambda value: -sum(frozenset({(axis, value), item}) in left for item in choice.items()))
    for value in values:
        if any(_clash((axis, value), item) for item in choice.items()):
            continue
        done = _extend({**choice, axis: value}, others, left, rng)
        if done is not None:
            return done
    return None


def _clash(one: Value, other: Value) -> bool:
    return frozenset({one, other}) in FORBIDDEN
