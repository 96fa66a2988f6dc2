"""The audit of a run: what closes, to how many digits, in numbers and in words.

- energy: T + U changes by the work of drives, imposed motions and forces without a potential, by what impacts take, and by
  nothing else;
- contacts: gaps stay as they are while closed, blocked velocities vanish, and constraint forces do no work;
- rotations: quaternions stay unit;
- step: the same run at half the step differs by (1 - 2^-p) of the error of a method of order p (Richardson).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from locomotor.model import Grip
from locomotor.simulation.quadrature import SAME, coarser_integral, integral, jumps, pieces

if TYPE_CHECKING:
    from locomotor.simulation.run import Run

Vector = NDArray[np.float64]
Places = NDArray[np.int64]

MOTION = ("coordinates", "velocities", "angles")
"""Groups of channels that make up the motion."""
FLOOR = 1e-3
"""A channel that moves less than this share of the others of its unit is measured against them."""


@dataclass(frozen=True, eq=False)
class Audit(Mapping[str, float]):
    """Residuals by name, and `str(audit)`: what they mean.

    `energy_drift` and `energy_balance` are relative to the largest energy or work of the run; the first means something
    only for a run on which nothing does work, the second always.
    """

    residuals: Mapping[str, float]
    work: Mapping[str, float] = field(default_factory=dict)
    """Work done on the system over the whole run (J), by what does it."""
    energy_scale: float = 0.0
    """Largest kinetic or potential energy or work (J)."""
    worst_channel: str = ""
    """Channel that half the step changes most."""
    ended: str = ""
    """How the run ended, when it ended early."""

    def __getitem__(self, name: str) -> float:
        """A residual by name."""
        return self.residuals[name]

    def __iter__(self) -> Iterator[str]:
        """Names of the residuals."""
        return iter(self.residuals)

    def __len__(self) -> int:
        """Number of residuals."""
        return len(self.residuals)

    @property
    def digits(self) -> int | None:
        """Digits of the motion one may trust, by halving the step; None when that was not done."""
        return _digits(self["step_error"]) if "step_error" in self else None

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """The audit in words: subject and sentence."""
        found = [("energy", self._energy())]
        if "largest_gap" in self:
            found.append(("contacts", self._contacts()))
        if "quaternion_norm_error" in self:
            found.append(("rotations", f"quaternions are unit to {self['quaternion_norm_error']:.1g}"))
        found += [("step", self._step()), ("trust", self._trust())]
        if self.ended:
            found.append(("end", self.ended))
        return tuple(found)

    def __str__(self) -> str:
        """One line a subject."""
        return "\n".join(f"{subject:<10} {sentence}" for subject, sentence in self.lines)

    # -- sentences ------------------------------------------------------------------------------------

    def _energy(self) -> str:
        share = f"{self['energy_balance']:.1e} of {self.energy_scale:.4g} J"
        done = {name: value for name, value in self.work.items() if value != 0.0}
        if not done:
            return f"nothing does work, and the energy is constant to {share}"
        told = ", ".join(f"{name} {value:.4g} J" for name, value in done.items())
        said = f"energy and work ({told}) balance to {share}"
        if self["quadrature_error"] > 0.5 * self["energy_balance"]:
            said += "; no better than the samples allow the work to be integrated"
        return said

    def _contacts(self) -> str:
        said = f"gaps stay below {self['largest_gap']:.1e} m"
        if self["gap_drift"] < 0.5 * self["largest_gap"]:
            said = f"gaps, {self['largest_gap']:.3g} m at most, change by less than {self['gap_drift']:.1e} m"
        if "largest_slip" in self:
            said += f", blocked velocities below {self['largest_slip']:.1e} m/s"
        if "constraint_work" in self:
            said += f", and the constraint forces do {self['constraint_work']:.1e} J of work"
        return said

    def _step(self) -> str:
        if "step_error" not in self:
            return "not halved: audit(halve=True) runs again at half the step and measures the error"
        worst = f" (most in {self.worst_channel})" if self.worst_channel else ""
        return f"the step makes a relative error of about {self['step_error']:.1e}{worst}"

    def _trust(self) -> str:
        digits = self.digits
        if digits is None:
            hint = _digits(self["energy_balance"])
            return f"the energy suggests {_count(hint)} at most; only halving the step can tell"
        if digits <= 0:
            return "no digit: the step is too long for this motion, or the motion forgets its start"
        if digits <= 2:
            meaning = "the shape of the motion only; take a smaller step"
        elif digits <= 5:
            meaning = "enough for pictures and for experiments"
        elif digits <= 11:
            meaning = "enough to compare with any published number"
        else:
            meaning = "round-off: a smaller step gains nothing"
        return f"{_count(digits)}: {meaning}"


def _digits(relative: float) -> int:
    """Decimal digits that a relative error leaves."""
    if not math.isfinite(relative):
        return 0
    return min(15, max(0, math.floor(-math.log10(max(relative, 1e-16)))))


def _count(digits: int) -> str:
    return f"{digits} digit" + ("" if digits == 1 else "s")


# -- measuring ----------------------------------------------------------------------------------------


def audit(run: Run, finer: Run | None = None) -> Audit:
    """Measure a run; `finer` is the same run at half the step."""
    residuals: dict[str, float] = {}
    work = _energy(run, residuals)
    scale = residuals.pop("energy_scale")
    if gaps := [part for name, values in run.group("gaps").items() for part in _while_closed(run, name, values)]:
        residuals["largest_gap"] = max(_largest(values) for values in gaps)
        # Contacts that are not closed at the start roll on planes of their own, as far off as they began.
        residuals["gap_drift"] = max(_largest(values - values[0]) for values in gaps)
    if slips := run.group("slips"):
        residuals["largest_slip"] = max(_largest(values) for values in slips.values())
    rows, slips = run.group("multipliers"), run.group("slips")
    if rows and len(rows) == len(slips):
        pairs = zip(rows.values(), slips.values(), strict=True)
        power = sum((np.abs(a * b) for a, b in pairs), np.zeros(len(run)))
        residuals["constraint_work"] = _last(integral(run.time, power))
    if "quaternion_norm_error" in run.settings:
        residuals["quaternion_norm_error"] = float(run.settings["quaternion_norm_error"])
    worst = ""
    if finer is not None:
        order = int(run.settings.get("order") or 4)
        residuals["step_error"], worst = difference(run, finer)
        if run.settings.get("step") is not None:
            residuals["step_error"] /= 1.0 - 0.5**order
        residuals["digits"] = float(_digits(residuals["step_error"]))
    return Audit(residuals, work, scale, worst, "" if run.status.ok else str(run.status))


def difference(run: Run, other: Run) -> tuple[float, str]:
    """Largest difference of two runs over their common time, relative to how much each channel moves."""
    mine, theirs = _common(run.time, other.time)
    n = len(mine)
    moving = {name: channel for name, channel in run.about.items() if channel.group in MOTION and name in other}
    # An open contact has no place on the ground: channels may be undefined, in both runs, for a while.
    known = {name: ~(np.isnan(run[name][mine]) & np.isnan(other[name][theirs])) for name in moving}
    spans = {name: _span(run[name][mine][known[name]], n) for name in moving}
    by_unit: dict[str, float] = {}
    for name, channel in moving.items():
        by_unit[channel.unit] = max(by_unit.get(channel.unit, 0.0), spans[name])
    worst, where = 0.0, ""
    for name, channel in moving.items():
        scale = max(spans[name], FLOOR * by_unit[channel.unit])
        if scale > 0.0:
            change = _largest((run[name][mine] - other[name][theirs])[known[name]]) / scale
            if not change <= worst:
                worst, where = change, name
    return worst, where


def _span(values: Vector, n: int) -> float:
    span = _largest(values) if n < 2 or not len(values) else float(np.ptp(values))
    return span if math.isfinite(span) else 0.0


def _common(a: Vector, b: Vector) -> tuple[Places, Places]:
    """Places of the instants that two runs share; of an instant with two samples, the first."""
    if len(a) == len(b) and np.array_equal(a, b):
        return np.arange(len(a)), np.arange(len(b))
    first = np.concatenate([[True], np.diff(a) > 0.0]) if len(a) else np.zeros(0, dtype=bool)
    mine = np.flatnonzero(first)
    theirs = np.minimum(np.searchsorted(b, a[mine] - SAME), len(b) - 1)
    good = np.abs(b[theirs] - a[mine]) <= SAME
    return mine[good], theirs[good]


def _while_closed(run: Run, name: str, values: Vector) -> list[Vector]:
    """A gap over each time that its contact is closed; that of a grip, which holds wherever it is, is no concern."""
    contact = name.removesuffix("_gap")
    if f"{contact}_closed" not in run:
        return [values]
    if run.system is not None and isinstance(run.system.laws.get(contact), Grip):
        return []
    closed = run[f"{contact}_closed"] > 0.0
    found = [values[piece][closed[piece]] for piece in pieces(run.time)]
    return [part for part in found if len(part)]


def work_done(run: Run) -> Vector:
    """Work (J) done on the system from the start to each sample, impacts left out."""
    return integral(run.time, sum(run.group("powers").values(), np.zeros(len(run))))


def impact_work(run: Run) -> Vector:
    """Energy (J) that impacts have given from the start to each sample: negative where they take it."""
    return jumps(run.time, run.energy) if run.events else np.zeros(len(run))


def _energy(run: Run, residuals: dict[str, float]) -> dict[str, float]:
    """Residuals of the energy balance, and the work by what does it."""
    powers = run.group("powers")
    done = {name.removesuffix("_power"): _last(integral(run.time, values)) for name, values in powers.items()}
    total = sum(powers.values(), np.zeros(len(run)))
    work, taken = work_done(run), impact_work(run)
    if any(event.contact for event in run.events):
        done["impacts"] = _last(taken)
    scale = max(_largest(run["kinetic_energy"]), _largest(run["potential_energy"]), _largest(work), 1e-300)
    change = run.energy - run.energy[0]
    residuals["energy_scale"] = scale
    residuals["energy_drift"] = _largest(change) / scale
    residuals["energy_balance"] = _largest(change - work - taken) / scale
    residuals["quadrature_error"] = float(np.nanmax(np.abs(work - coarser_integral(run.time, total)), initial=0.0)) / scale
    return done


def _last(values: Vector) -> float:
    return float(values[-1]) if len(values) else 0.0


def _largest(values: Vector) -> float:
    return float(np.abs(values).max()) if len(values) else 0.0
