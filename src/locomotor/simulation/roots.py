"""Roots of functions of one variable; the library behind it is loaded when the first one is looked for.

It takes a third of a second to load, and a run whose contacts stay closed needs none.
"""

from collections.abc import Callable


def root_between(function: Callable[[float], float], low: float, high: float, *, xtol: float, rtol: float = 8.9e-16) -> float:
    """Where a function that changes its sign between two values vanishes, by Brent's method.

    Where it is not a number in between, the last place at which it is one, and has the sign of the beginning.
    """
    from scipy.optimize import brentq

    missed = False

    def told(x: float) -> float:
        nonlocal missed
        value = function(x)
        missed = missed or value != value
        return value

    try:
        return float(brentq(told, low, high, xtol=xtol, rtol=rtol))
    except ValueError:
        if not missed:
            raise
    rising = function(low) < 0.0
    while high - low > xtol and low < 0.5 * (low + high) < high:
        middle = 0.5 * (low + high)
        value = function(middle)
        low, high = (middle, high) if (value < 0.0 if rising else value > 0.0) else (low, middle)
    return low


ROUND_OFF = 1e-15
"""To which the two below find their roots (s)."""
ITERATIONS = 120
"""Halves of a step down to round-off, and as many steps of Newton's method that may be in vain across a jump."""


def decreasing_root(function: Callable[[float], tuple[float, float]], high: float) -> float:
    """Root in (0, high] of a function that is positive at first and negative at the end, by Newton's method within bounds.

    A function that jumps, where a part of a terrain comes into sight, is not positive at what is found: just after the jump.
    """
    low, s = 0.0, high
    for _ in range(ITERATIONS):
        value, slope = function(s)
        if value > 0.0:
            low = s
        else:
            high = s
        following = s - value / slope if slope < 0.0 else 0.5 * (low + high)
        if not low < following < high:
            following = 0.5 * (low + high)
        if abs(following - s) <= ROUND_OFF or value == 0.0:
            return s if value <= 0.0 else high if high - low <= 4.0 * ROUND_OFF else following
        s = following
    return high


def after_change(holds: Callable[[float], bool], high: float) -> float:
    """End of the shortest step after which a condition is as at the end of the whole step, by bisection."""
    low, wanted = 0.0, holds(high)
    if holds(low) == wanted:
        return high  # the change lies at the very end: the instant of the sample differs from this one by round-off
    while high - low > ROUND_OFF and low < 0.5 * (low + high) < high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if holds(middle) == wanted else (middle, high)
    return high
