"""Roots of functions of one variable; the library behind it is loaded when the first one is looked for.

It takes a third of a second to load, and a run whose contacts stay closed needs none.
"""

from collections.abc import Callable


def root_between(function: Callable[[float], float], low: float, high: float, *, xtol: float, rtol: float = 8.9e-16) -> float:
    """Where a function that changes its sign between two values vanishes, by Brent's method."""
    from scipy.optimize import brentq

    return float(brentq(function, low, high, xtol=xtol, rtol=rtol))
