"""What a machine cannot do is told in words: numbers too large to compute with, arrays too large to hold."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator

import numpy as np

from locomotor.errors import LocomotorError, NumericsError, TooLargeError

MOST_NUMBERS = 2**60 // 8
"""Numbers of one array: more bytes than any machine has, and still far from where products of sizes overflow."""


@contextlib.contextmanager
def arithmetic(what: str) -> Iterator[None]:
    """Computations inside: those that fail because numbers are too large, or not finite, are told in words."""
    try:
        with np.errstate(all="ignore"):
            yield
    except LocomotorError:
        raise
    except (np.linalg.LinAlgError, ArithmeticError) as error:
        raise NumericsError(
            f"{what}: the numbers become too large, or a matrix singular, on the way ({error}); give values nearer to 1, in SI "
            "units, and parameters that a real system could have"
        ) from error


def product(what: str, sizes: Iterable[int]) -> int:
    """How many numbers an array of these sizes holds, if any machine could hold them."""
    found = math.prod(sizes)
    if found > MOST_NUMBERS:
        raise TooLargeError(f"{what} would hold {found:.3g} numbers; ask for fewer steps or instances, or save fewer rows")
    return found


@contextlib.contextmanager
def room_for(what: str, numbers: int) -> Iterator[None]:
    """Arrays made inside: memory that cannot be had is told in words."""
    try:
        yield
    except MemoryError:
        raise TooLargeError(
            f"{what} would take {8.0 * numbers / 2**30:.3g} GiB, more memory than can be had; ask for fewer steps or "
            "instances, or save fewer rows (save_every), channels or measures"
        ) from None
