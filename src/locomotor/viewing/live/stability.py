"""The stability chart of a live page: eigenvalues of steady motions along a velocity, or of rest along a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from locomotor.analysis import batched_eigenvalues, eigenvalue_curves, follow, linearise
from locomotor.dataclass import dataclass
from locomotor.errors import LocomotorError, ViewingError
from locomotor.model import System
from locomotor.typing import Complexes, Vector

GRID, FEW = 61, 15
"""Points of a chart, and of one that looks for its pose of rest at each of them."""
NEUTRAL = 1e-6
"""Growth (1/s) that is none."""


@dataclass(frozen=True)
class Chart:
    """What a chart is drawn against."""

    name: str
    kind: str
    """"start" for a velocity that names a steady motion, "parameters" for a parameter of a system that rests."""
    names: tuple[str, ...]
    """What may be chosen in its place."""


def along_velocity(system: System, name: str, high: float) -> dict[str, Any]:
    """Eigenvalues of the steady motions along a velocity, mode by mode, and the stable bands."""
    curves = eigenvalue_curves(system, {name: np.linspace(high / GRID, high, GRID)})
    return _told(name, curves.values, curves.eigenvalues, curves.stable_bands)


def along_parameter(system: System, free: Sequence[str], name: str, span: tuple[float, float]) -> dict[str, Any]:
    """Eigenvalues of small deviations from rest along a parameter; the free ones stay arguments of what is compiled."""
    values = np.linspace(*span, GRID)
    over = {other: np.full(GRID, system.parameters[other].value) for other in free} | {name: values}
    found = batched_eigenvalues(system, over)
    known = np.isfinite(found.eigenvalues).all(axis=1)
    if known.sum() < 2:
        return _sagging(system, name, span)
    values, modes = values[known], follow(values[known], list(found.eigenvalues[known]))
    return _told(name, values, modes, stable_bands(values, modes))


def _sagging(system: System, name: str, span: tuple[float, float]) -> dict[str, Any]:
    """The same where another value is another pose of rest, as a spring sags under more weight: value by value."""
    found: dict[float, Complexes] = {}
    for value in np.linspace(*span, FEW).tolist():
        with suppress(LocomotorError, ValueError, np.linalg.LinAlgError):
            found[value] = linearise(system.with_parameters(**{name: value})).eigenvalues
    count = max((modes.size for modes in found.values()), default=0)
    kept = {value: modes for value, modes in found.items() if modes.size == count}
    if len(kept) < 2 or not count:
        raise ViewingError(f"the system does not rest for values of {name} around this one; choose another parameter")
    values = np.array(list(kept))
    modes = follow(values, list(kept.values()))
    return _told(name, values, modes, stable_bands(values, modes))


def missing(name: str, why: str) -> dict[str, Any]:
    """No chart, and why."""
    return {"name": name, "values": [], "real": [], "imag": [], "bands": [], "error": f"There is no chart: {why}"}


def stable_bands(values: Vector, eigenvalues: Complexes) -> tuple[tuple[float, float], ...]:
    """Where every deviation dies out; between two points the largest real part is taken to change evenly."""
    largest = eigenvalues.real.max(axis=1)
    dies = largest < -NEUTRAL
    bands: list[tuple[float, float]] = []
    for k in np.flatnonzero(dies).tolist():
        low, high = float(values[k]), float(values[k])
        if k > 0 and not dies[k - 1]:
            low = _crossing(values[k - 1 : k + 1], largest[k - 1 : k + 1])
        if k + 1 < len(values) and not dies[k + 1]:
            high = _crossing(values[k : k + 2], largest[k : k + 2])
        if bands and dies[k - 1]:
            bands[-1] = bands[-1][0], high
        else:
            bands.append((low, high))
    return tuple(bands)


def _crossing(values: Vector, largest: Vector) -> float:
    share = largest[0] / (largest[0] - largest[1])
    return float(values[0] + np.clip(share, 0.0, 1.0) * (values[1] - values[0]))


def _told(name: str, values: Vector, modes: Complexes, bands: Sequence[tuple[float, float]]) -> dict[str, Any]:
    return {
        "name": name,
        "values": values.tolist(),
        "real": modes.real.T.tolist(),
        "imag": np.abs(modes.imag).T.tolist(),
        "bands": [list(band) for band in bands],
    }
