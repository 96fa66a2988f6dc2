"""Eigenvalues against a parameter of the motion, with every mode followed through crossings."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor.analysis.stability.judgement import NEUTRAL, judged, stability_of, unsure_of
from locomotor.analysis.stability.linearise import Linearisation, linearise
from locomotor.analysis.stability.mode_names import has_names
from locomotor.analysis.stability.steady import SteadyMotion, continued
from locomotor.analysis.stability.uncertainty import EigenvalueBand, eigenvalue_band
from locomotor.checks import door, floats, mapping, numbers_by_name, optional, whole
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError
from locomotor.model import System, a_system
from locomotor.typing import Complexes, Flags, Vector

NAMED_AT = 9
"""Values along a curve at which its modes are asked for their names."""


@dataclass(frozen=True, eq=False)
class EigenvalueCurves:
    """Eigenvalues (samples, modes): each column is one mode followed along the parameter."""

    system: System
    name: str
    values: Vector
    eigenvalues: Complexes
    at: Mapping[str, float] = field(default_factory=dict)
    """Further values of the steady motions, the same along the curve."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of `linearise`."""
    motions: tuple[SteadyMotion, ...] = field(default=(), repr=False)
    """The steady motion of each value, where they were kept: those between are looked for near them."""

    def __repr__(self) -> str:
        """The curves in one line."""
        told = f"{self.eigenvalues.shape[1]} modes against {self.name} from {self.values[0]:g} to {self.values[-1]:g}"
        return f"<EigenvalueCurves of {self.system.name!r}: {told}>"

    def _repr_html_(self) -> str:
        """A card in a notebook: the stable bands and the curves."""
        from locomotor.viewing.report import curves_card

        return curves_card(self)

    def plot(self, path: Any = None, **options: Any) -> Any:
        """A figure, saved when a path is given: real parts and frequencies of all modes, stable bands shaded."""
        from locomotor.viewing.plots import plot_eigenvalues

        return plot_eigenvalues(self, path, **options)

    def band(self, samples: int = 200, seed: int = 0) -> EigenvalueBand:
        """Eigenvalues for parameters drawn from their uncertainties (`Parameter.uncertainty`), normal and independent."""
        if self.options:
            raise ArgumentError(f"a band has no {', '.join(self.options)}; make the curves without")
        count = whole(samples, "band: samples", least=2)
        return eigenvalue_band(self.system, self.name, self.values, self.eigenvalues, self.at, count, whole(seed, "band: seed"))

    @cached_property
    def mode_names(self) -> tuple[str, ...]:
        """The name that each column has at most of the values, or ""."""
        from scipy.optimize import linear_sum_assignment

        columns: list[Counter[str]] = [Counter() for _ in range(self.eigenvalues.shape[1])]
        for k in np.unique(np.linspace(0, len(self.values) - 1, NAMED_AT).astype(int)) if has_names(self.system) else ():
            linear = self._linearise(float(self.values[k]))
            distance = np.abs(self.eigenvalues[k][:, None] - linear.eigenvalues[None, :])
            for column, mode in zip(*linear_sum_assignment(distance), strict=True):
                columns[column][linear.mode_names[mode]] += 1
        return tuple(counts.most_common(1)[0][0] if counts else "" for counts in columns)

    def _linearise(self, value: float) -> Linearisation:
        near = self.motions[int(np.abs(self.values - value).argmin())] if self.motions else None
        return linearise(self.system, continued(self.system, {**self.at, self.name: value}, near, self.options))

    @property
    def growth(self) -> Vector:
        """Largest real part at each value."""
        return self.eigenvalues.real.max(axis=1)

    @property
    def neutral(self) -> Flags:
        """(samples, modes): whether a mode neither grows nor decays, its real part being round-off."""
        return np.asarray(judged(self.eigenvalues.real, unsure_of(self.eigenvalues)[:, None]) == NEUTRAL)

    @property
    def stability(self) -> NDArray[np.str_]:
        """In a word at each value: "stable", "neutral" or "unstable"."""
        return np.asarray(stability_of(self.eigenvalues))

    @property
    def crossings(self) -> tuple[float, ...]:
        """Values at which a mode's real part changes sign, refined to round-off, in order."""
        found: list[float] = []
        for mode in range(self.eigenvalues.shape[1]):
            # The sign of round-off says nothing: a mode that stays neutral crosses nowhere.
            told = ~self.neutral[:, mode]
            real, values = self.eigenvalues[told, mode].real, self.values[told]
            for i in np.flatnonzero(np.sign(real[1:]) * np.sign(real[:-1]) < 0):
                found.append(self._refine(float(values[i]), float(values[i + 1]), real[i], real[i + 1]))
        merged: list[float] = []
        for value in sorted(found):
            if not merged or abs(value - merged[-1]) > 1e-9 * max(1.0, abs(value)):
                merged.append(value)
        return tuple(merged)

    @property
    def stable_bands(self) -> tuple[tuple[float, float], ...]:
        """Intervals of the parameter where every mode decays."""
        edges = [float(self.values[0]), *self.crossings, float(self.values[-1])]
        bands: list[tuple[float, float]] = []
        for low, high in pairwise(edges):
            if high > low and self._linearise(0.5 * (low + high)).stable:
                if bands and bands[-1][1] == low:
                    bands[-1] = (bands[-1][0], high)
                else:
                    bands.append((low, high))
        return tuple(bands)

    def _refine(self, low: float, high: float, at_low: float, at_high: float) -> float:
        """Root of the real part of the eigenvalue that crosses between two samples."""
        from scipy.optimize import brentq

        def nearest(value: float) -> float:
            share = (value - low) / (high - low)
            guess = at_low + share * (at_high - at_low)
            real = self._linearise(value).eigenvalues.real
            return float(real[np.abs(real - guess).argmin()])

        return float(brentq(nearest, low, high, xtol=1e-14, rtol=1e-14))


@door(system=a_system, over=mapping, at=optional(numbers_by_name))
def eigenvalue_curves(
    system: System,
    over: Mapping[str, Sequence[float] | Vector],
    at: Mapping[str, float] | None = None,
    **options: Mapping[str, float],
) -> EigenvalueCurves:
    """Eigenvalues of the steady motions along one value: `eigenvalue_curves(bike, {"speed": speeds})`.

    `at` holds further values of those motions, the same for all; the options are those of `linearise`.
    """
    if len(over) != 1:
        raise ArgumentError(f"eigenvalue_curves varies one value, {len(over)} are given: {', '.join(over)}")
    ((name, values),) = over.items()
    points = floats(values, f"eigenvalue_curves: the values of {name!r}", finite=True)
    if points.ndim != 1 or len(points) < 2 or not (np.diff(points) > 0).all():
        raise ArgumentError(f"eigenvalue_curves: the values of {name!r} must be two or more, increasing")
    fixed = dict(at or {})
    if name in fixed:
        raise ArgumentError(f"eigenvalue_curves: {name!r} varies and is also given as {fixed[name]!r}; leave it out of `at`")
    motions: list[SteadyMotion] = []
    for value in points.tolist():
        motions.append(continued(system, {**fixed, name: value}, motions[-1] if motions else None, options))
    found = [linearise(system, motion).eigenvalues for motion in motions]
    return EigenvalueCurves(system, name, points, follow(points, found), fixed, options, tuple(motions))


def follow(values: Vector, sets: Sequence[Complexes]) -> Complexes:
    """Order each set so that columns continue smoothly: nearest to the linear extrapolation, jointly optimal."""
    from scipy.optimize import linear_sum_assignment

    tracked = [np.asarray(sets[0], dtype=complex)]
    for i in range(1, len(sets)):
        guess = tracked[-1]
        if i > 1:
            share = (values[i] - values[i - 1]) / (values[i - 1] - values[i - 2])
            slope = tracked[-1] - tracked[-2]
            # Near a branch point (two real roots becoming a pair) slopes are steep: trust them only so far.
            limit = 0.5 * (1.0 + np.abs(tracked[-1]))
            guess = tracked[-1] + share * slope * np.minimum(1.0, limit / np.maximum(np.abs(slope), 1e-300))
        candidates = np.asarray(sets[i], dtype=complex)
        distance = np.abs(guess[:, None] - candidates[None, :])
        _, order = linear_sum_assignment(distance)
        tracked.append(candidates[order])
    return np.array(tracked)
