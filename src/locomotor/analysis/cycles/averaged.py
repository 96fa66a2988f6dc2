"""The linear model of a cycle from period to period, as if it were steady: the verb `average_cycle`.

Small deviations x from a cycle go on as x(k + 1) = P_u x(k) + P_p p, with P the Poincaré map and p changes of parameters. The
steady system x' = A x + B p that takes every deviation to the same place in a period T has

    A = log(P_u)/T,      B = phi(A T)^-1 P_p/T,      phi(Z) = (exp(Z) - 1)/Z.

Deviations that are gone, or change sign, within a period have no such rate: they are left out of A and B by the spectral
projection on the others (a Schur form in two blocks, decoupled by an equation of Sylvester), and told as `fast`.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

import numpy as np

from locomotor import checks
from locomotor.analysis.cycles.build import build_map
from locomotor.analysis.cycles.cycle import Cycle
from locomotor.analysis.stability import stability_of
from locomotor.checks import door, instance, names
from locomotor.dataclass import dataclass
from locomotor.errors import CycleNotFoundError, UnknownNameError
from locomotor.names import suggestion
from locomotor.typing import Complexes, Floats

FAST = 0.05
"""Multipliers below this die out within a period; a rate over many periods would say nothing of them."""


@checks.doors
@dataclass(frozen=True, eq=False)
class AveragedCycle:
    """x' = A x + B p for small deviations from a cycle, told at its section."""

    cycle: Cycle
    state_names: tuple[str, ...]
    parameter_names: tuple[str, ...]
    A: Floats
    B: Floats
    fast: Complexes
    """Multipliers of deviations that are left out, since they die out or change sign within a period."""

    @cached_property
    def eigenvalues(self) -> Complexes:
        """Rates of growth (1/s), largest real part first, those of fast deviations left out."""
        found = np.linalg.eigvals(self.A).astype(complex)
        kept = found[np.argsort(np.abs(found))][len(self.fast) :] if len(self.fast) else found
        return np.asarray(kept[np.argsort(-kept.real)])

    @property
    def stability(self) -> str:
        """In a word: "stable", "neutral" or "unstable"."""
        return str(stability_of(self.eigenvalues))

    def __repr__(self) -> str:
        """The model in one line."""
        told = ", ".join(f"{value:.4g}" for value in self.eigenvalues)
        return f"<AveragedCycle of {self.cycle.system.name!r}: {', '.join(self.state_names)}; eigenvalues {told} 1/s>"


@door(cycle=instance(Cycle, remedy="give a cycle that find_cycle or trim found"), parameters=names)
def average_cycle(cycle: Cycle, parameters: Iterable[str] = ()) -> AveragedCycle:
    """The steady linear model that follows a cycle from period to period: for its stability, and for the design of controllers.

    Args:
        cycle: of `find_cycle` or `trim`.
        parameters: names of parameters that act as inputs of the model.

    Raises:
        CycleNotFoundError: if the map of the cycle has no derivative.
    """
    wanted = tuple(dict.fromkeys(parameters))
    for name in wanted:
        if name not in cycle.system.parameters:
            raise UnknownNameError(
                f"average_cycle: no parameter is named {name!r}: {suggestion(name, list(cycle.system.parameters))}"
            )
    if not np.isfinite(cycle.jacobian).all():
        raise CycleNotFoundError(f"average_cycle: the map has no derivative at the cycle; {cycle.note or cycle}", cycle)
    A, fast, of_inputs = slow_rates(cycle.jacobian, cycle.period)
    B = of_inputs @ _by_parameters(cycle, wanted) if wanted else np.zeros((len(A), 0))
    return AveragedCycle(cycle, cycle.unknowns, wanted, A, B, fast)


def slow_rates(P: Floats, period: float) -> tuple[Floats, Complexes, Floats]:
    """A, the multipliers that are left out, and the matrix that takes P_p to B."""
    import scipy.linalg

    def slow(real: float, imaginary: float) -> bool:
        return bool(np.hypot(real, imaginary) > FAST and not (real < 0.0 and imaginary == 0.0))

    S, Q, count = scipy.linalg.schur(P, output="real", sort=slow)
    n = len(P)
    fast = np.linalg.eigvals(S[count:, count:]).astype(complex)
    # Q^T P Q = [[S1, S12], [0, S2]]; with S1 Y - Y S2 = -S12 the rows (1, -Y) Q^T span what is left of the slow block.
    Y = scipy.linalg.solve_sylvester(S[:count, :count], -S[count:, count:], -S[:count, count:]) if 0 < count < n else None
    right, left = Q[:, :count], Q[:, :count].T if Y is None else Q[:, :count].T - Y @ Q[:, count:].T
    L = np.real(scipy.linalg.logm(S[:count, :count])) if count else np.zeros((0, 0))
    both = np.zeros((2 * count, 2 * count))
    both[:count, :count], both[:count, count:] = L, np.eye(count)
    phi = scipy.linalg.expm(both)[:count, count:]
    return right @ L @ left / period, fast, right @ np.linalg.solve(phi, left) / period


def _by_parameters(cycle: Cycle, wanted: tuple[str, ...]) -> Floats:
    """Derivative P_p of the return map by the parameters, at the cycle."""
    here = cycle.map
    free = here.kernels.modes.free
    if not set(wanted) <= set(free):
        here = build_map(replace(here.plan, system=cycle.system, free=wanted))
        free = here.kernels.modes.free
    values = cycle.system.parameters.values
    p = np.array([values[name] for name in free])
    u = np.array([cycle.start[name] for name in here.names])
    returned = here(u[None], p[None], by_parameters=True)
    if returned.by_parameters is None or not np.isfinite(returned.by_parameters).all():
        raise CycleNotFoundError(f"average_cycle: the map has no derivative by {', '.join(wanted)}", cycle)
    return np.asarray(returned.by_parameters[0][:, [free.index(name) for name in wanted]])
