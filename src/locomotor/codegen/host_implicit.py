"""Implicit steps over a batch with numpy: the same method, with the same decisions for each instance, as in `implicit.h`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

import numpy as np

from locomotor.codegen.implicit import Implicit
from locomotor.codegen.tangent import tangent_factors
from locomotor.dataclass import dataclass
from locomotor.lie import Manifold
from locomotor.typing import Flags, Floats

ROUNDS, MOST_PARTS = 20, 64
SLOW, ROUND_OFF, GROWING, SMALL, LOST = 0.3, 1e-9, 1.0, 1e-3, 1e12
"""As in `runtime/implicit.h`, which says what they are."""

Rates = Callable[[float, Floats], tuple[Floats, Floats]]
"""(time, states) -> rates (batch, nd), monitors (batch, nm)."""
SlopesAt = Callable[[float, Floats], Floats]
"""(time, states) -> slopes of the rates (batch, nd, nd)."""


@dataclass
class ImplicitSteps:
    """Steps of one batch, and what they remember of each other."""

    method: Implicit
    manifold: Manifold
    patience: int
    rate: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    """r of the method."""
    _matrices: Floats = field(default_factory=lambda: np.zeros((0, 0, 0)))
    _weights: Floats = field(default_factory=lambda: np.zeros(0))
    _signs: Floats = field(default_factory=lambda: np.zeros(0))
    """Of the determinants of the matrices: not positive where a step is too long for a growing mode."""
    _tired: Flags = field(default_factory=lambda: np.zeros(0, dtype=bool))

    def step(
        self, evaluate: Rates, slopes: SlopesAt, begins: bool, t: float, h: float, x: Floats, alive: Flags, pivots: int = 0
    ) -> tuple[Floats, Floats, Flags]:
        """States after a step, monitors at x, and the instances whose step has no solution.

        The first so many monitors are pivots, and those of a stage where they are negative there.
        """
        batch, n = len(x), self.manifold.tangent_size
        if not len(self._weights):
            self._matrices, self._weights = np.zeros((batch, n, n)), np.zeros(batch)
            self._signs = np.ones(batch)
            self._tired, self.rate = np.ones(batch, dtype=bool), np.zeros((batch, n))
        a_m, _, gamma = self.method.coefficients
        c = gamma / a_m
        if begins and c != 1.0:
            self.rate = evaluate(t, x)[0]
        y, monitors, left, parts = x, None, alive.copy(), 1
        while parts <= MOST_PARTS and (left.any() or monitors is None):
            part, good, start, r = h / parts, left.copy(), x, self.rate
            for k in range(parts):
                if not good.any() and monitors is not None:
                    break
                delta, watched, later, found = self._displacement(evaluate, slopes, t + k * part, part, start, r, good)
                good &= found
                monitors = watched if monitors is None else monitors
                for seen in (watched, later) if k or parts > 1 else (later,):
                    monitors = np.where(good[:, None], with_negative(monitors, seen, pivots), monitors)
                start = self.manifold.normalise(self.manifold.retract(start, delta))
                if c != 1.0:
                    r = r + ((delta * (1.0 / part) - r * (1.0 - c)) * (1.0 / c) - r) * (1.0 / a_m)
            y = np.where(good[:, None], start, y)
            self.rate = np.where(good[:, None], r, self.rate)
            left &= ~good
            parts *= 2
        assert monitors is not None
        return y, monitors, left

    def _displacement(
        self, evaluate: Rates, slopes: SlopesAt, t: float, h: float, x: Floats, r: Floats, tried: Flags
    ) -> tuple[Floats, Floats, Floats, Flags]:
        """Displacements of one step by Newton's method, monitors at x and at the stage, and for whom it was found."""
        a_m, a_f, gamma = self.method.coefficients
        c, tolerance, manifold = gamma / a_m, self.method.tolerance, self.manifold
        w, time = h * c * a_f, t + a_f * h
        delta, before, rounds = np.zeros_like(r), np.zeros(len(x)), np.zeros(len(x))
        own, left, found = _sizes(manifold, x), tried.copy(), np.zeros(len(x), dtype=bool)
        renewed, wanted = found.copy(), self._tired | (self._weights != w)
        monitors, last, largest = None, np.zeros((len(x), 0)), np.full(len(x), SMALL)
        for n in range(ROUNDS):
            if not left.any() and monitors is not None:
                break
            theta = delta * a_f
            stage = manifold.retract(x, theta)
            f, watched = evaluate(time, stage)
            monitors = watched if monitors is None else monitors
            last = watched if n == 0 else np.where(left[:, None], watched, last)
            g = f * (h * c) - delta
            if c != 1.0:
                g = g + r * (h * (1.0 - c))
            known = renewed.copy()
            wanted &= left
            if wanted.any():
                self._renew(wanted, w, slopes(time, stage), theta)
                renewed |= wanted
            left &= self._signs > 0.0
            g = _solved(self._matrices, g, left)
            delta = np.where(left[:, None], delta + g, delta)
            if n == 0:  # a scale that stays
                largest = np.maximum(np.abs(delta).max(axis=1, initial=0.0), SMALL)
            size = (np.abs(g) / (own + largest[:, None])).max(axis=1, initial=0.0)
            rounds[left] = n + 1
            ratio = size / before
            small = size <= tolerance
            if n > 0:
                small |= (ratio < 1.0) & (size * ratio <= tolerance * (1.0 - ratio))
                small |= (size <= np.where(renewed, ROUND_OFF, 1e-3 * ROUND_OFF)) & (ratio > 0.5)
                wanted = ~(ratio <= SLOW)
                left &= ~(known & (ratio > GROWING) & ~small)
            else:
                wanted = np.zeros(len(x), dtype=bool)
            found |= left & small
            left &= ~small & (size < LOST)
            before = size
        self._tired = np.where(tried, rounds > self.patience, self._tired)
        assert monitors is not None
        return delta, monitors, last, found

    def _renew(self, which: Flags, w: float, slopes: Floats, theta: Floats) -> None:
        """New matrices 1 - w A J for some instances; J is the derivative of exp(theta) at theta."""
        slopes = slopes.copy()
        for turning, _, d in self.manifold.slices():
            if turning:
                _, b, p, _, _ = tangent_factors(theta[:, d])
                once = np.cross(np.eye(3)[None], theta[:, d][:, None])  # theta x as a matrix
                slopes[:, :, d] = slopes[:, :, d] @ (np.eye(3) - b * once + p * once @ once)
        self._matrices[which] = np.eye(slopes.shape[1]) - w * slopes[which]
        self._signs[which] = np.linalg.slogdet(self._matrices[which])[0]
        self._weights[which] = w


def with_negative(monitors: Floats, later: Floats, pivots: int, left: float = 0.0) -> Floats:
    """Monitors with the pivots, the first so many of them, that are negative elsewhere in a step, or of which less is left."""
    missing = later - left * monitors
    return np.where((missing < 0.0) & (np.arange(later.shape[1]) < pivots), missing, monitors)


def _solved(matrices: Floats, g: Floats, which: Flags) -> Floats:
    """Solutions for some instances, NaN where there is none; the others stay."""
    found = g.copy()
    for i in np.flatnonzero(which):
        try:
            found[i] = np.linalg.solve(matrices[i], g[i])
        except np.linalg.LinAlgError:
            found[i] = np.nan
    return found


def _sizes(manifold: Manifold, x: Floats) -> Floats:
    """How large the numbers of the state are that each tangent number belongs to; 1 for those of quaternions."""
    parts = [np.ones((len(x), 3)) if turning else np.abs(x[:, places]) for turning, places, _ in manifold.slices()]
    return np.concatenate(parts, axis=1) if parts else np.zeros((len(x), 0))
