"""Bringing conditions to zero from a rough guess: Newton's method, damped as Levenberg and Marquardt do where it overshoots."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from locomotor.errors import AssemblyError
from locomotor.model import System
from locomotor.model.loops import ANGLE, LENGTH, SENSE
from locomotor.typing import Floats, Vector

Look = Callable[[Vector], tuple[Vector, Floats]]
"""Place -> conditions and their derivatives by a step."""
Move = Callable[[Vector, Vector], Vector]
"""Place and step -> place."""

ITERATIONS = 200
CLOSED = 1e-12
"""Conditions (m, rad) this small are met: a few round-offs."""
LONGEST = 0.5
"""Longest step (rad, m): beyond it nothing is known of what is linear here."""
GAIN, LOSS = 0.3, 4.0
"""By how much the damping falls after a step that helps, and grows after one that does not."""
STALLED = 1e-15
UNITS = {LENGTH: " m", ANGLE: " rad"}


def assemble(place: Vector, look: Look, move: Move, closed: float = CLOSED) -> tuple[Vector, Vector]:
    """The place nearby with all conditions met, as nearly as was found, and what is left of them.

    Each step is the smallest one (conditions that depend on each other do no harm); damping shortens it while it overshoots.
    A place that had to be searched for gets one step more than it needs, which squares what is left: of conditions that depend
    on each other some are kept through the rest alone, and near a pose in which they bind less, 1e-12 would grow to 1e-9.
    """
    left, slopes = look(place)
    damping = 0.0
    for tries in range(ITERATIONS):
        if largest(left) <= closed or not slopes.size:
            return _polished(place, left, slopes, look, move) if tries and slopes.size else (place, left)
        if not _known(left, slopes):
            break  # two ends of a rod in one point: no direction leads apart from there, as any would
        step = _step(slopes, left, damping)
        longest = float(np.abs(step).max(initial=0.0))
        step *= min(1.0, LONGEST / longest) if longest > 0.0 else 1.0
        tried = move(place, step)
        rest, turned = look(tried)
        if _known(rest, turned) and np.linalg.norm(rest) < np.linalg.norm(left):
            place, left, slopes, damping = tried, rest, turned, GAIN * damping if damping > 1e-12 else 0.0
            continue
        if longest < STALLED or damping > 1e12:
            break
        damping = max(LOSS * damping, 1e-3)
    return place, left


def largest(left: Vector) -> float:
    """The largest of some conditions; infinite where one is not a number."""
    return float(np.nan_to_num(np.abs(left), nan=np.inf, posinf=np.inf).max(initial=0.0))


def _known(left: Vector, slopes: Floats) -> bool:
    return bool(np.isfinite(left).all() and np.isfinite(slopes).all())


def _polished(place: Vector, left: Vector, slopes: Floats, look: Look, move: Move) -> tuple[Vector, Vector]:
    """One step of Newton's method, if it helps."""
    if not _known(left, slopes):
        return place, left
    tried = move(place, _step(slopes, left, 0.0))
    rest, _ = look(tried)
    return (tried, rest) if np.linalg.norm(rest) < np.linalg.norm(left) else (place, left)


def _step(slopes: Floats, left: Vector, damping: float) -> Vector:
    if not damping:
        return np.asarray(np.linalg.lstsq(slopes, -left, rcond=1e-9)[0], dtype=np.float64)
    scale = damping * max(float(np.square(slopes).sum(axis=0).max(initial=0.0)), 1e-300)
    n = slopes.shape[1]
    return np.asarray(np.linalg.solve(slopes.T @ slopes + scale * np.eye(n), -slopes.T @ left), dtype=np.float64)


def impossible(what: str, system: System, names: Sequence[str], left: Vector, remedy: str) -> AssemblyError:
    """The error that tells which conditions stay open, and by how much."""
    unknown = [names[k] for k in range(len(left)) if not np.isfinite(left[k])]
    if unknown:
        return AssemblyError(f"{what}: {', '.join(unknown)} cannot be told in any pose that was tried. {remedy}")
    worst = [int(k) for k in np.argsort(-np.abs(left)) if abs(left[k]) > 1e-3 * np.abs(left).max()]
    told = ", ".join(f"{names[k]} by {amount(system, names[k], float(left[k]))}" for k in worst[:6])
    more = f" and {len(worst) - 6} more" if len(worst) > 6 else ""
    return AssemblyError(f"{what}: no position was found in which it can be assembled; left open are {told}{more}. {remedy}")


def _measures(system: System) -> dict[str, str]:
    """What conditions measure, by name; those of couplings are in whatever unit their formula has."""
    found = {contact.name: LENGTH for contact in system.contacts}
    for closure in system.loops:
        found |= dict((*closure.position_rows, *closure.extra_positions))
        found |= dict(zip(closure.sense_names, (what for _, what in closure.SENSES), strict=True))
    return found


def amount(system: System, name: str, value: float) -> str:
    """By how much a condition is open, in words."""
    measure = _measures(system).get(name, "")
    if measure == SENSE:
        return f"a turn of {math.degrees(math.acos(min(max(1.0 - value, -1.0), 1.0))):.4g} degrees"
    return f"{value:.3g}{UNITS.get(measure, '')}"
