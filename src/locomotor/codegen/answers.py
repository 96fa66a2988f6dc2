"""What forces across slips do, in machine code: `runtime/answers.h`, built once.

`simulation/events/pace.py` has the readable form, and what is used without a compiler.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor.codegen._compile import build, choose
from locomotor.codegen.emit_c import SCALAR, prologue, runtime
from locomotor.codegen.kernel import address
from locomotor.errors import CompileError
from locomotor.typing import Floats

MOST_ROWS = 4
"""Rows of a contact at most, LM_ANSWERING of the header."""


@cache
def _function() -> Any:
    """The compiled function, or None where there is no compiler."""
    toolchain = choose("auto", None, "answers")
    if toolchain is None:
        return None
    try:
        function = build("\n\n".join((prologue(SCALAR), runtime("answers.h"))), toolchain, 1000, False).lm_answers
    except CompileError:
        return None
    whole, pointer, number = ctypes.c_int, ctypes.c_void_p, ctypes.c_double
    function.restype = whole
    function.argtypes = [whole, pointer, *(whole, whole, pointer), *(whole, pointer, pointer, pointer)]
    function.argtypes += [number, number, pointer, pointer]
    return function


def slip_answers(
    mass: Floats, held: Floats, always: int, contacts: Sequence[Floats], slips: Sequence[Floats], nothing: float, share: float
) -> list[float] | None:
    """Of each contact, given by its rows, the normal first, the largest answer to a unit force across its slip.

    `slips` are unit directions among its other rows. The `held` rows keep their velocities, the first `always` of them also
    where it is asked what a force can do at all: what is not more than `nothing` of that is zero. Rows whose remainder is
    below `share` of the largest follow from others. None without a compiler, and where masses are not positive.
    """
    if not contacts:
        return []
    function = _function()
    if function is None or max(map(len, contacts)) > MOST_ROWS:
        return None
    n, count = len(mass), len(contacts)
    kept = [np.ascontiguousarray(mass), np.ascontiguousarray(held), np.concatenate(contacts), np.concatenate(slips)]
    sizes = np.array([len(own) for own in contacts], dtype=np.int32)
    work, found = np.empty((n + len(held) + always + 3 * MOST_ROWS) * n), np.empty(count)
    arrays: list[NDArray[Any]] = [*kept, sizes, work, found]
    a, rows, own, along, of, room, answers = (address(array) for array in arrays)
    solved = function(n, a, len(held), always, rows, count, of, own, along, nothing, share, room, answers)
    return found.tolist() if solved else None
