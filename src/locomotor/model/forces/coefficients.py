"""Coefficients of lift and drag of a wing section as expressions of the angle of attack `alpha` (rad, from -pi to pi).

A section that is its own mirror image has CL(-alpha) = -CL(alpha) and, when it moves backwards, CL(pi - alpha) =
-CL(alpha). Series of sin(k alpha) and cos(k alpha) with whole k are the cheapest to compute: no angle is ever formed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import CoefficientError
from locomotor.model.expressions import Expression, Name, Quantity, apply, as_expression, as_quantity, parse

ANGLE = "alpha"
"""The angle of attack in the coefficients of a wing."""


@dataclass(frozen=True)
class Coefficients:
    """Lift and drag of a section, and where they are from."""

    lift: str
    drag: str
    source: str


_FOLDED = f"atan2(abs(sin({ANGLE})), abs(cos({ANGLE})))"
"""The angle between the chord line and the flow, from 0 to pi/2, whichever edge leads."""
_SIDE = f"sign(sin(2*{ANGLE}))"

COEFFICIENTS: dict[str, Coefficients] = {
    "belkhiri2013": Coefficients(
        f"1.8*sin(2*{ANGLE})",
        f"1.92 - 1.55*cos(2*{ANGLE})",
        "Belkhiri, PhD thesis (2013), (4.47) and (4.48): a leading-edge vortex that stays attached",
    ),
    "dickinson1999": Coefficients(
        f"{_SIDE}*(0.225 + 1.58*sin(2.13*{_FOLDED} - 7.2*pi/180))",
        f"1.92 - 1.55*cos(2.04*{_FOLDED} - 9.82*pi/180)",
        "Dickinson, Lehmann and Sane, Science 284 (1999): a model of the fruit fly's wing in oil, Reynolds number 136",
    ),
    "whitney2010": Coefficients(
        f"1.8*sin(2*{ANGLE})",
        f"1.9 - 1.5*cos(2*{ANGLE})",
        "Whitney and Wood, J. Fluid Mech. 660 (2010): CL max 1.8, CD from 0.4 to 3.4, with passive rotation",
    ),
    "wang2004": Coefficients(
        f"1.2*sin(2*{ANGLE})",
        f"1.4 - cos(2*{ANGLE})",
        "Wang, Birch and Dickinson, J. Exp. Biol. 207 (2004): two-dimensional hovering",
    ),
    "plate": Coefficients(
        f"pi*sin(2*{ANGLE})",
        f"1 - cos(2*{ANGLE})",
        "flat plate: attached flow at small angles, CL = 2 pi alpha, and separated across the flow, CD = 2",
    ),
}
"""Ready coefficients by name."""


def as_coefficient(given: Any, which: str, what: str) -> Quantity:
    """A coefficient from a name of `COEFFICIENTS`, a number, a text, an expression, or a function of `alpha`.

    A function is called once, with the expression `alpha`, so that it must be written with operators and `lm.apply`.
    """
    if isinstance(given, str) and given in COEFFICIENTS:
        return parse(str(getattr(COEFFICIENTS[given], which)))
    if callable(given) and not isinstance(given, Expression):
        return as_quantity(_called(given, what), what)
    return as_quantity(given, what)


def _called(function: Callable[[Any], Any], what: str) -> Any:
    try:
        return function(Name(ANGLE))
    except Exception as error:
        raise CoefficientError(
            f"{what}: the function fails on the expression 'alpha' ({type(error).__name__}: {error}); write it with operators "
            "and lm.apply('sin', ...), or give lm.coefficient_table(angles, values)"
        ) from error


@checks.door()
def coefficient_table(angles: ArrayLike, values: ArrayLike, harmonics: int = 6) -> Expression:
    """The series of sines and cosines of `alpha` nearest to measured `values` at `angles` (rad), by least squares.

    Angles should go all around, from -pi to pi; `harmonics` (at most a third of the number of samples) is the order.
    """
    at = checks.floats(angles, "the angles of a table", error=CoefficientError)
    y = checks.floats(values, "the values of a table", error=CoefficientError)
    if at.ndim != 1 or at.shape != y.shape:
        raise CoefficientError(f"a table needs as many values as angles, in one row each; got shapes {at.shape} and {y.shape}")
    if not (np.isfinite(at).all() and np.isfinite(y).all()):
        raise CoefficientError("a table of coefficients has values that are not finite; leave them out")
    if isinstance(harmonics, bool) or not isinstance(harmonics, int) or not 0 <= harmonics <= len(at) // 3:
        raise CoefficientError(
            f"harmonics is {checks.shown(harmonics)} with {len(at)} samples; give a whole number from 0 to {len(at) // 3}"
        )
    gap = np.diff(np.sort(np.concatenate([at, [at.min() + 2.0 * np.pi]]))).max() if len(at) else np.inf
    if gap > 2.0 * np.pi / max(3 * harmonics, 1) * 1.5:
        raise CoefficientError(
            f"the angles of the table leave a gap of {gap:.3g} rad, too wide for {harmonics} harmonics; measure all around, "
            "from -pi to pi, or lower harmonics"
        )
    columns = [np.ones_like(at)]
    for k in range(1, harmonics + 1):
        columns += [np.cos(k * at), np.sin(k * at)]
    found, *_ = np.linalg.lstsq(np.stack(columns, axis=1), y, rcond=None)
    total = as_expression(float(found[0]))
    for k in range(1, harmonics + 1):
        turned = k * Name(ANGLE)
        total = total + float(found[2 * k - 1]) * apply("cos", turned) + float(found[2 * k]) * apply("sin", turned)
    return total
