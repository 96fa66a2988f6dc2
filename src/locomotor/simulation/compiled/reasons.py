"""Why instances of roll-outs ended, in words: the same for batches and for Jacobians."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from locomotor.codegen import IMPOSSIBLE, NOT_FINITE
from locomotor.codegen.cuda import to_host

EXPLAINED = 64
"""Instances that have become infinite for which the limit of their steps is found; the others are like them."""

Words = Callable[[int], str] | None
"""Words for an instance, by its number, where there are any."""


def reasons_of(status: Any, monitor: Any, ends: Sequence[str], why: Words = None, beyond: Words = None) -> Any:
    """Words for each instance, as an array of text on the host, or for the only one.

    `ends` are the names of the monitors; `why` tells why parameters are impossible, `beyond` how steps were too long.
    """
    several = bool(np.ndim(status))
    status, monitor = (np.atleast_1d(to_host(a)) for a in (status, monitor))
    known = ["all steps taken", "", "the state was no longer finite", "a quaternion has not length one"]
    known += ["the parameters are impossible", "the implicit step did not converge; use a smaller dt"]
    words = np.array(known, dtype=object)[status]
    for index in np.unique(monitor[monitor >= 0]):
        words[monitor == index] = ends[index] if index < len(ends) else f"monitor {index}"
    if why is not None:
        for i in np.flatnonzero(status == IMPOSSIBLE):
            words[i] = why(int(i))
    if beyond is not None:
        for i in np.flatnonzero(status == NOT_FINITE)[:EXPLAINED]:
            words[i] += beyond(int(i))
    return words if several else words[0]
