"""Answers to the last few questions, for those that are asked again: runs of one system often begin alike."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Latest(Generic[T]):
    """What follows from a key alone, kept for so many keys; an error is found anew each time.

    Threads may ask at once: they see what was known before, and what is found twice is the same.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: dict[Hashable, T] = {}

    def __call__(self, key: Hashable, find: Callable[[], T]) -> T:
        """The answer for a key, found now unless it is known; keys that are no keys are not kept."""
        try:
            if key in (known := self._known):
                return known[key]
        except TypeError:  # something in it can change
            return find()
        found = find()
        self._known = dict([*list(self._known.items())[1 - self._most :], (key, found)])
        return found


def key_of(values: Any) -> Hashable:
    """A key for values by name, in their order: numbers that are equal and of another kind (`True`) may mean something else."""
    if not isinstance(values, Mapping):
        return values  # type: ignore[no-any-return]  # none are given; whoever reads them refuses what is none
    return tuple([(name, type(value), value) for name, value in values.items()])
