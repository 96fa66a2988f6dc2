"""What every impact of contacts that only push satisfies, on numbers and on symbols (docs/theory.md (I1), on velocities):

    0 <= L_N,      u_N+ >= target_N,      one of them an equality.

Both solvers choose who takes part and give these contacts their targets. Two things are then left to ask, here and nowhere
else: nobody in the set pulls, and nobody outside it enters its ground.
"""

from collections.abc import Sequence
from typing import Any

from locomotor.lie import ops

TINY = 1e-30
"""Keeps a row that nothing moves from a division by zero, and lets zero be as good as less than nothing."""
LEAST_SQUARE = 1e-100
"""The same for squares of impulses and of energies, which of bodies of a milligram are below `TINY` themselves: what is added
under a root, whose derivative at zero would be infinite. Single precision takes the least number that it has."""


def nobody_pulls(impulses: Sequence[Any], negligible: Any) -> Any:
    """Whether the normal impulses of a set push, down to what is `negligible`; None where there is none to ask."""
    return all_of([ops.less(-negligible - TINY, impulse) for impulse in impulses])


def nobody_enters(excess: Sequence[Any], negligible: Any) -> Any:
    """Whether normal velocities, less those that the law wants at least, separate; None where there is none to ask."""
    return all_of([ops.less(-negligible - TINY, speed) for speed in excess])


def all_of(conditions: Sequence[Any]) -> Any:
    """Whether all conditions hold, those that ask nothing (None) left out; None where none is left."""
    found: Any = None
    for condition in conditions:
        if condition is not None:
            found = condition if found is None else ops.logic_and(found, condition)
    return found


def holds(condition: Any) -> bool:
    """Whether a condition is true, on numbers."""
    return condition is None or bool(condition)
