"""Parts of an algorithm that are repeated until they have converged, over scalars of any kind.

A round is a sequence of turns. Each takes data and some of the numbers that are carried along, and gives these numbers anew;
the last number carried says, after a round, how far it is from done. Written out, every round that is allowed is there, and
those after the last one change nothing. Compiled code has the turns once, equal ones as one function, and leaves the loop when
all instances side by side are done: see `tracing.core.loops`.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from locomotor.lie import ops

STEADY = 1e-12
"""Done when the last number carried is at most this (in single precision 4e-7: see the headers of `codegen/runtime`)."""

Values = Sequence[Any]


class Turn(NamedTuple):
    """A part of a round: what it does with its data and with the numbers carried at its places."""

    body: Callable[[Sequence[Values], Values], Values]
    data: Sequence[Values]
    places: Sequence[int]
    guarded: bool = False
    """Whether nothing changes where the first number of its data is zero: it is then left out."""


class Repeat(Protocol):
    """What is carried after at most `limit` rounds; derivatives may be taken of the `usual` number of them."""

    def __call__(self, turns: Sequence[Turn], carry: Values, limit: int, usual: int = 0) -> Values:
        """Repeat a round until it changes nothing; see the class."""


def in_full(turns: Sequence[Turn], carry: Values, limit: int, usual: int = 0) -> Values:
    """Repeat by writing every round out, one after the other."""
    for _ in range(limit):
        following = list(carry)
        for turn in turns:
            made = turn.body(turn.data, [following[k] for k in turn.places])
            for k, value in zip(turn.places, made, strict=True):
                following[k] = value
        going = ops.less(STEADY, carry[-1])
        carry = [ops.if_else(going, new, old) for old, new in zip(carry, following, strict=True)]
    return carry
