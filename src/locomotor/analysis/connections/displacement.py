"""Where a gait leads: the body velocity of a base integrated on its group, with control of the error.

Magnus' method of order 4 with two Gauss points a step (S. Blanes et al., The Magnus expansion and some of its applications,
Physics Reports 470, 2009, section 5): g' = g xi gives g(t + h) = g(t) exp(h/2 (xi_1 + xi_2) + sqrt(3)/12 h^2 [xi_1, xi_2]).
The steps are halved until two results agree.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from locomotor.errors import StepperError
from locomotor.typing import Floats

GAUSS = np.sqrt(3.0) / 6.0
MOST_STEPS = 200_000


def integrate(
    velocity: Callable[[Floats], Floats],
    group: Any,
    start: float,
    duration: float,
    steps: int,
    tolerance: float | None,
    remedy: str = "give a larger tolerance, a shorter duration, or a number of steps",
) -> Any:
    """The element of the group (or the vector, without one) that velocity(times) leads to from the identity.

    With a tolerance, `steps` are halved until doubling them changes the result by less than 15 times the tolerance, as the
    error of order 4 then is below it; without one they are taken as they are. `remedy` is what an error advises.
    """
    found = _product(velocity, group, start, duration, steps)
    while tolerance is not None:
        steps *= 2
        if steps > MOST_STEPS:
            raise StepperError(
                f"the displacement did not settle to {tolerance:g} with {steps // 2} steps over {duration:g} s; {remedy}"
            )
        finer = _product(velocity, group, start, duration, steps)
        change = finer - found if group is None else np.linalg.solve(found, finer) - np.eye(len(found))
        found = finer
        if float(np.abs(change).max(initial=0.0)) <= 15.0 * tolerance:
            break
    return found if group is None else group.from_matrix(found)


def _product(velocity: Callable[[Floats], Floats], group: Any, start: float, duration: float, steps: int) -> Floats:
    h = duration / steps
    middles = start + h * (np.arange(steps) + 0.5)
    xi_1, xi_2 = (velocity(middles + side * GAUSS * h) for side in (-1.0, 1.0))
    mean = 0.5 * h * (xi_1 + xi_2)
    if group is None:
        return np.asarray(mean.sum(axis=0))
    hats = np.array([np.asarray(group.hat(unit), dtype=float) for unit in np.eye(mean.shape[1])])
    a, b, m = (np.tensordot(x, hats, axes=1) for x in (xi_1, xi_2, mean))
    factors = _exponentials(m + (np.sqrt(3.0) / 12.0) * h**2 * (a @ b - b @ a))
    while len(factors) > 1:
        if len(factors) % 2:
            factors = np.concatenate([factors, np.eye(factors.shape[1])[None]])
        factors = factors[0::2] @ factors[1::2]
    return np.asarray(factors[0])


def _exponentials(matrices: Floats) -> Floats:
    """Exponentials of a stack of small matrices: the series to order 12 of a fraction below 0.5, squared up again."""
    size = float(np.abs(matrices).sum(axis=(1, 2)).max(initial=0.0))
    halvings = max(0, int(np.ceil(np.log2(max(size, 1e-300) / 0.5))))
    part = matrices / 2.0**halvings
    total = np.broadcast_to(np.eye(matrices.shape[1]), matrices.shape)
    for k in range(12, 0, -1):  # Horner; the term left out is below 0.5^13/13! = 2e-14
        total = np.eye(matrices.shape[1]) + part @ total / k
    for _ in range(halvings):
        total = total @ total
    return np.asarray(total)
