"""Stability of steady motions over parameters, speeds and whatever else selects them."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

import numpy as np

from locomotor.analysis.stability import FOUND, NO_MOTION, REASONS, batched_eigenvalues
from locomotor.dataclass import dataclass
from locomotor.errors import SteadyMotionError, SweepError
from locomotor.model import System
from locomotor.sweeps.measure import Bound, PointMeasure
from locomotor.sweeps.outcome import Measured, PointStatus
from locomotor.sweeps.varied_names import Roles, roles
from locomotor.typing import Vector

HALVINGS = 3
"""How often points without a known motion among them are divided, to find one that has."""


@dataclass(frozen=True)
class Stability(PointMeasure):
    """Growth, frequency and stability of the steady motion at each point; make it with `stability`."""

    about: Mapping[str, float] = field(default_factory=dict)
    inputs: Mapping[str, float] = field(default_factory=dict)
    solve_for: tuple[str, ...] = ()
    target: str = "auto"
    # Tracing, done once a chunk, holds the interpreter's lock; hence processes, and chunks that are large.
    chunk = 65536

    def bind(self, system: System | None, names: tuple[str, ...]) -> Bound:
        """The function to measure a chunk with: eigenvalues of all its points at once."""
        if system is None:
            raise SweepError("stability() needs a system; give one")
        sorted_ = roles(system, names)
        for given, what in ((self.about, "about"), (self.inputs, "inputs"), (self.solve_for, "solve_for")):
            roles(system, given, what)

        def measure(points: dict[str, Vector]) -> Measured:
            return self._measure(system, sorted_, points, HALVINGS)

        return measure

    def _measure(self, system: System, names: Roles, points: dict[str, Vector], halvings: int) -> Measured:
        count = len(next(iter(points.values())))
        over: dict[str, Any] = {**dict(self.about), **{name: points[name] for name in (*names.parameters, *names.start)}}
        inputs: dict[str, Any] = {**dict(self.inputs), **{name: points[name] for name in names.inputs}}
        if not (names.parameters or names.start):  # only inputs vary: something must have the shape of the points
            over = {name: np.full(count, value) for name, value in over.items()}
        try:
            found = batched_eigenvalues(system, over, inputs=inputs, solve_for=self.solve_for, target=self.target)
        except SteadyMotionError as error:
            if halvings == 0 or count == 1:
                return Measured.failed(count, PointStatus.NO_START, str(error))
            half = count // 2
            parts = [{name: values[s] for name, values in points.items()} for s in (slice(half), slice(half, None))]
            return _joined([self._measure(system, names, part, halvings - 1) for part in parts])
        first = found.eigenvalues[:, 0] if found.eigenvalues.shape[1] else np.full(count, np.nan)
        good = found.status == FOUND
        values = {
            "growth": np.where(good, first.real, np.nan),
            "frequency": np.where(good, np.abs(first.imag), np.nan),
            "stable": np.where(good, found.stable, np.nan),
        }
        status = np.where(good, PointStatus.OK, np.where(found.status == NO_MOTION, PointStatus.NO_START, PointStatus.FAILED))
        wrong = np.flatnonzero(~good)
        return Measured(values, status.astype(np.int8), {int(i): REASONS[int(found.status[i])] for i in wrong})

    def settings(self) -> dict[str, Any]:
        """All settings, to recognise a sweep by."""
        values = {"about": dict(self.about), "inputs": dict(self.inputs), "solve_for": list(self.solve_for)}
        return {"kind": "stability", **values, "target": self.target}

    def describe(self) -> dict[str, dict[str, str]]:
        """Units and descriptions of the measures."""
        return {
            "growth": {"units": "1/s", "description": "largest real part of the eigenvalues"},
            "frequency": {"units": "rad/s", "description": "imaginary part of that eigenvalue"},
            "stable": {"units": "1", "description": "1 where every deviation dies out, 0 elsewhere, neutral motions included"},
        }


def stability(
    about: Mapping[str, float] | None = None,
    *,
    inputs: Mapping[str, float] | None = None,
    solve_for: tuple[str, ...] = (),
    target: str = "auto",
) -> Stability:
    """Measure for `lm.sweep`: `growth` (largest real part), `frequency` (its imaginary part) and `stable` of steady motions.

    `about` holds values of the motion that do not vary, such as {"speed": 5}; `inputs` are held, those named in `solve_for`
    found, as in `steady_motion`.
    """
    return Stability(dict(about or {}), dict(inputs or {}), tuple(solve_for), target)


def _joined(parts: list[Measured]) -> Measured:
    """The results of several chunks as one, in order."""
    names = dict.fromkeys(name for part in parts for name in part.values)
    counts = [len(part.status) for part in parts]
    values = {
        name: np.concatenate([part.values.get(name, np.full(n, np.nan)) for part, n in zip(parts, counts, strict=True)])
        for name in names
    }
    reasons = {sum(counts[:k]) + i: text for k, part in enumerate(parts) for i, text in part.reasons.items()}
    return Measured(values, np.concatenate([part.status for part in parts]), reasons)
