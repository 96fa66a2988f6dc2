"""Rods that a load has pressed together to nothing: linear elasticity goes on beyond, inside out, and no real rod does."""

from collections.abc import Callable

import numpy as np

from locomotor.analysis.statics.balance import Balance
from locomotor.model import Body
from locomotor.typing import Vector

ALMOST = 0.999
"""How near to nothing the last equilibrium is that is kept."""


def least_length(balance: Balance, x: Vector) -> tuple[float, str]:
    """Least length of a piece of a soft body at a pose over that without load, and which body it is."""
    here = dict(zip(balance.names, x.tolist(), strict=True))
    found = (1.0, "")
    for body in balance.traced.system.bodies:
        names = [symbol.name for symbol in body.coordinates]
        if isinstance(body, Body) and names and all(name in here for name in names):
            found = min(found, (body.least_length(np.array([here[name] for name in names])), body.label))
    return found


def last_before(
    balance: Balance, before: tuple[Vector, float], after: tuple[Vector, float], solve: Callable[[Vector, float], Vector | None]
) -> tuple[Vector, float]:
    """Of two equilibria with their loads, the second inside out: the last between them that is not."""
    (x, load), (beyond, more) = before, after
    first, second = least_length(balance, x)[0], least_length(balance, beyond)[0]
    share = ALMOST * first / (first - second)
    nearer = solve(x + share * (beyond - x), load + share * (more - load))
    if nearer is None or not least_length(balance, nearer)[0] > 0.0:
        return before
    return nearer, load + share * (more - load)
