"""The grid of instants on which the steps of an event-driven run are taken."""

import math

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.typing import Vector

ON_GRID = 1e-9
"""An instant this near to one of the grid, in steps, is on it."""
BESIDE = 1e-14
"""Laws that jump at t are integrated up to this before t, relative to the time, and from this after it: whichever value they
have at t itself, each side has its own."""


@dataclass(frozen=True)
class Grid:
    """Instants of the steps, `start` + k `step` up to `end`; laws of time may jump at the `stops`, both ends among them."""

    start: float
    end: float
    step: float
    stops: tuple[float, ...] = ()
    marks: tuple[float, ...] = ()
    """Instants to record exactly."""

    def place(self, t: float) -> float:
        """Number of steps from the start to an instant, a whole number on the grid."""
        k = (t - self.start) / self.step
        return round(k) if abs(k - round(k)) <= ON_GRID else k

    def next_stop(self, t: float) -> float:
        """End of the smooth part that an instant lies in."""
        later = t + ON_GRID * self.step
        return min(next((each for each in those if each > later), self.end) for those in (self.stops, self.marks))

    def plan(self, t: float, until: float, most: int) -> tuple[float, int, float]:
        """Length and number of the next steps from an instant, at most so many, and the instant they lead to."""
        step, place = self.step, self.place(t)
        whole = math.floor((until - t) / step + ON_GRID)
        jumps = until in self.stops
        if place == int(place) and whole > (1 if jumps else 0):
            steps = min(most, whole - 1 if jumps else whole)
            reached = self.start + (int(place) + steps) * step
            return step, steps, until if abs(until - reached) <= ON_GRID * step else reached
        target = min(self.start + (math.floor(place) + 1) * step, until)
        if until - target < ON_GRID * step:
            target = until
        length = target - t
        if target == until and jumps:
            length = max(length - _beside(until), 0.5 * length)
        return length, 1, target

    def parts(self, t: float, until: float, most: int) -> list[tuple[float, int, float]]:
        """The next steps up to an instant, at most so many: one to the grid, whole ones, one to what is off the grid."""
        found: list[tuple[float, int, float]] = []
        while most > 0 and (not found or t < until):
            length, steps, t = self.plan(t, until, most)
            found.append((length, steps, t))
            most -= steps
        return found

    def after(self, t: float) -> float:
        """An instant, or if laws jump there one that is seen as after it."""
        return t + _beside(t) if t in self.stops else t

    def at(self, t: float) -> float:
        """An instant, that of a stop if it is beside one."""
        return float(self.snapped(np.array([t]))[0])

    def snapped(self, times: Vector) -> Vector:
        """Instants beside a stop taken to be the stop."""
        if not self.stops:
            return times
        near = _nearest(np.array([-math.inf, *self.stops, math.inf]), times)
        return np.asarray(np.where(np.abs(times - near) <= 2.0 * BESIDE * np.maximum(1.0, np.abs(times)), near, times))


def _beside(t: float) -> float:
    return BESIDE * max(1.0, abs(t))


def _nearest(stops: Vector, times: Vector) -> Vector:
    place = np.clip(np.searchsorted(stops, times), 1, len(stops) - 1)
    below, above = stops[place - 1], stops[place]
    return np.asarray(np.where(times - below < above - times, below, above))
