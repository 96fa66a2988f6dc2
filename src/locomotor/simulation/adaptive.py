"""The adaptive stepper: SciPy's Dormand-Prince 8(5,3) on the compiled right-hand side, read off by dense output.

Quaternions are integrated as four numbers and normalised at the end of each step, which changes them by less than the
tolerance; dense output is normalised where it is read.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from locomotor.codegen import Kernel
from locomotor.lie import Manifold
from locomotor.simulation.status import Outcome
from locomotor.simulation.steppers import Adaptive

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AdaptiveResult:
    """Samples, and how the integration ended."""

    states: Vector
    """States at the first of the sample times, as many as were reached."""
    outcome: Outcome
    end_time: float
    end_state: Vector
    norm_error: float


def integrate(
    kernel: Kernel,
    manifold: Manifold,
    state: Vector,
    samples: Vector,
    stepper: Adaptive,
    parameters: Vector,
    feedback: Callable[[float, Vector], Vector],
) -> AdaptiveResult:
    """Integrate from the first sample time to the last and read the solution at every sample time."""
    from scipy.integrate import DOP853  # slow to load, and fixed steps do without it

    bound = kernel.bind(samples[:1], state, feedback(float(samples[0]), state), parameters)

    def rate(t: float, x: Vector) -> Vector:
        bound.inputs[0][0] = t
        bound.inputs[1][:] = x
        bound.inputs[2][:] = feedback(t, x)
        bound()
        return manifold.ambient_rate(x[None], bound.outputs[0][None])[0]

    def clean(x: Vector) -> Vector:
        return manifold.normalise(x[None])[0]

    start, end = float(samples[0]), float(samples[-1])
    options = {"rtol": stepper.rtol, "atol": stepper.atol, "max_step": stepper.longest_step}
    solver = DOP853(rate, start, np.array(state), end, **options)
    found = [np.array(state)]
    norm_error = 0.0
    outcome = Outcome.COMPLETED
    last_time, last_state = start, np.array(state)
    while len(found) < len(samples):
        solver.step()
        if solver.status == "failed" or not np.isfinite(solver.y).all():
            outcome = Outcome.STEP_TOO_SMALL if np.isfinite(solver.y).all() else Outcome.NOT_FINITE
            break
        dense = solver.dense_output()
        end_state = clean(solver.y)
        norm_error = max(norm_error, float(np.abs(end_state - solver.y).max()))
        solver.y = end_state
        solver.f = rate(solver.t, end_state)
        if bound.outputs[1].size and bound.outputs[1].min() < 0.0:
            outcome = Outcome.SINGULAR
            break
        while len(found) < len(samples) and samples[len(found)] <= solver.t:
            found.append(clean(dense(samples[len(found)])))
        last_time, last_state = float(solver.t), end_state
    return AdaptiveResult(np.array(found), outcome, last_time, last_state, norm_error)
