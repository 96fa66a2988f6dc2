"""What the uncertainty of parameters does to eigenvalues: a band about each mode, from samples."""

from collections.abc import Mapping

import numpy as np

from locomotor.analysis.stability.batched import batched_eigenvalues
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError
from locomotor.model import System
from locomotor.typing import Complexes, Vector


@dataclass(frozen=True, eq=False)
class EigenvalueBand:
    """Eigenvalues (samples, values, modes) for parameters drawn from their uncertainties, modes in the order of the curves."""

    eigenvalues: Complexes

    def real(self, share: float = 0.95) -> tuple[Vector, Vector]:
        """Low and high (values, modes) between which this share of the real parts lies."""
        return _between(self.eigenvalues.real, share)

    def frequency(self, share: float = 0.95) -> tuple[Vector, Vector]:
        """Low and high (values, modes) between which this share of the sizes of the imaginary parts lies."""
        return _between(np.abs(self.eigenvalues.imag), share)


def _between(values: Vector, share: float) -> tuple[Vector, Vector]:
    low, high = np.nanquantile(values, (0.5 - share / 2.0, 0.5 + share / 2.0), axis=0)
    return np.asarray(low), np.asarray(high)


def eigenvalue_band(
    system: System, name: str, values: Vector, nominal: Complexes, at: Mapping[str, float], samples: int, seed: int
) -> EigenvalueBand:
    """Draw every uncertain parameter from its normal distribution, independently of the others."""
    from scipy.optimize import linear_sum_assignment

    uncertain = {p.name: p for p in system.parameters.parameters if p.uncertainty > 0.0}
    if not uncertain:
        raise ArgumentError(
            f"{system.name}: no parameter of it has an uncertainty; give some, as Parameter('w', 1.02, uncertainty=0.002)"
        )
    rng = np.random.default_rng(seed)
    draws = {key: p.value + p.uncertainty * rng.standard_normal((samples, 1)) for key, p in uncertain.items()}
    found = batched_eigenvalues(system, {**draws, **at, name: values[None, :]}).eigenvalues
    ordered = np.full(found.shape, complex(np.nan, np.nan))
    for i, k in np.ndindex(found.shape[:2]):
        if np.isfinite(found[i, k]).all():
            _, order = linear_sum_assignment(np.abs(nominal[k][:, None] - found[i, k][None, :]))
            ordered[i, k] = found[i, k][order]
    return EigenvalueBand(ordered)
