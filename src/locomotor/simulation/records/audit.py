"""The audit of a run: what closes, to how many digits, in numbers and in words.

- energy: T + U changes by the work of drives, imposed motions and forces without a potential, by what impacts take, and by
  nothing else;
- contacts: gaps stay as they are while closed, blocked velocities vanish, and constraint forces do no work; those that
  open and close neither sink nor pull, and one of gap and force is zero; with friction, forces stay in their cones and
  work against the slip as hard as they can;
- rotations: quaternions stay unit;
- step: the same run at half the step differs by (1 - 2^-p) of the error of a method of order p (Richardson).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.simulation.records.contact_audit import PASSES, contact_residuals, where_deepest
from locomotor.simulation.records.contact_audit import largest as _largest
from locomotor.simulation.records.quadrature import coarser_integral, integral, jumps
from locomotor.simulation.records.step_error import difference
from locomotor.simulation.status import Events, Outcome
from locomotor.typing import Vector

if TYPE_CHECKING:
    from locomotor.simulation.records.run import Run


NOTHING = 1e-11
"""A share of the energy below this is round-off."""
STEPPED = "time-stepping"
"""The stepper of runs whose steps hold the contacts: they tell neither forces nor instants."""
LEFT = "contacts"
"""The work that is left when all other is known, of such runs."""


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
    deepest: str = ""
    """The contact that sinks deepest, and when."""
    wrong: str = ""
    """How the motion went wrong, where it did: what was computed until then is no better."""

    def _repr_html_(self) -> str:
        """A card in a notebook: the audit in words."""
        from locomotor.viewing.report import audit_card

        return audit_card(self)

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
        """Digits of the motion one may trust, by halving the step: None if that was not done, zero if the run has failed."""
        if self.failures:
            return 0
        return _digits(self["step_error"]) if "step_error" in self else None

    @property
    def failures(self) -> tuple[str, ...]:
        """What makes the motion wrong altogether, however well the rest closes; empty of a sound run."""
        depth = self.residuals.get("largest_penetration", 0.0)
        sinks = f"{self.deepest or 'a contact'} is {depth:.2g} m inside its ground: it passes through what it should rest on"
        return (*([self.wrong] if self.wrong else []), *([sinks] if depth > PASSES else []))

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """The audit in words: subject and sentence."""
        found = [("FAILED", failure) for failure in self.failures]
        found.append(("energy", self._energy()))
        if "impact_count" in self:
            found.append(("impacts", self._impacts()))
        if "largest_gap" in self:
            found.append(("contacts", self._contacts()))
        if "complementarity" in self:
            found.append(("opening", self._complementarity()))
        if "beyond_friction" in self:
            told = f"forces leave their cones by {self['beyond_friction']:.1e} of the largest bound at most, and slips are"
            found.append(("friction", f"{told} braked by all that friction has to {self['against_slip']:.1e}"))
        if "quaternion_norm_error" in self:
            found.append(("rotations", f"quaternions are unit to {self['quaternion_norm_error']:.1g}"))
        found += [("step", self._step()), ("trust", self._trust())]
        if self.ended:
            found.append(("end", self.ended))
        return tuple(found)

    def __str__(self) -> str:
        """The audit in words, one line a subject."""
        return "\n".join(f"{subject:<10} {sentence}" for subject, sentence in self.lines)

    # -- sentences ------------------------------------------------------------------------------------

    def _energy(self) -> str:
        if LEFT in self.work:
            return self._left()
        share = f"{self['energy_balance']:.1e} of the largest energy or work, {self.energy_scale:.4g} J"
        floor = NOTHING * self.energy_scale
        done = {name: value for name, value in self.work.items() if abs(value) > (floor if name == "impacts" else 0.0)}
        if not done:
            return f"nothing does work, and the energy is constant to {share}"
        told = ", ".join(f"{name} {value:.4g} J" for name, value in done.items())
        said = f"energy and work ({told}) balance to {share}"
        if self["quadrature_error"] > 0.5 * self["energy_balance"]:
            said += "; no better than the samples allow the work to be integrated"
        return said

    def _left(self) -> str:
        """Of steps that hold the contacts: what they take is what is left of the energy when all other work is known."""
        told = ", ".join(f"{name} {value:.4g} J" for name, value in self.work.items())
        if "contact_gain" not in self:
            return f"{told}: steps that hold the contacts tell no forces, of contacts as of imposed motions"
        gain = f"{self['contact_gain']:.1e} of the largest energy or work, {self.energy_scale:.4g} J"
        return f"{told}: steps that hold the contacts tell no forces; theirs is what is left, of which they make {gain}"

    def _impacts(self) -> str:
        count, gained, driven = int(self["impact_count"]), self["impact_gain"], self["impact_drive"]
        taken = driven + gained - self.work.get("impacts", 0.0)
        floor = NOTHING * self.energy_scale
        told = [f"took {taken:.4g} J"] if abs(taken) > floor else []
        if gained > floor:
            told.append(f"gained {gained:.4g} J by the law itself, as laws for each component can")
        if abs(driven) > floor:
            told.append(f"passed on {driven:.4g} J, the work of imposed motions through them")
        said = f"{count} impact{'' if count == 1 else 's'} {' and '.join(told) or 'changed the energy by nothing'}"
        return f"{said}; their records add up to the same within {self['impact_energy'] * self.energy_scale:.1e} J"

    def _contacts(self) -> str:
        said = f"gaps stay below {self['largest_gap']:.1e} m"
        if self["gap_drift"] < 0.5 * self["largest_gap"]:
            said = f"gaps, {self['largest_gap']:.3g} m at most, change by less than {self['gap_drift']:.1e} m"
        if "largest_slip" in self:
            said += f", blocked velocities below {self['largest_slip']:.1e} m/s"
        if "constraint_work" in self:
            said += f", and the constraint forces do {self['constraint_work']:.1e} J of work"
        return said

    def _complementarity(self) -> str:
        sinking = self["largest_penetration"]
        told = [
            "none sinks into the ground"
            if sinking == 0.0
            else f"one sinks by {sinking:.2g} m"
            if sinking > PASSES
            else f"none sinks by more than {sinking:.1e} m",
            self._pulling(),
            f"gap times force is {self['complementarity']:.1e} N m at most",
        ]
        said = "contacts that open and close: " + ", ".join(told)
        if "let_through" in self:
            said += f"; switched off by its own condition, one passes through the ground by up to {self['let_through']:.2g} m"
        return said

    def _pulling(self) -> str:
        pulling = self["largest_pull"]
        said = "none pulls" if pulling == 0.0 else f"none pulls by more than {pulling:.1e} N"
        if "largest_adhesion" not in self:
            return said
        return f"one holds on with up to {self['largest_adhesion']:.3g} N, {said} beyond what its law allows"

    def _step(self) -> str:
        if "step_error" not in self:
            return "not halved: audit(halve=True) runs again at half the step and measures the error"
        worst = f" (most in {self.worst_channel})" if self.worst_channel else ""
        said = f"the step makes a relative error of about {self['step_error']:.1e}{worst}"
        if "event_time_error" in self:
            said += f", and shifts events by {self['event_time_error']:.1e} s at most"
        return said

    def _trust(self) -> str:
        digits = self.digits
        if self.failures:
            return "no digit: the run has failed (see the first line), whatever the energy says"
        if LEFT in self.work:
            return "the shape of the motion: steps are of first order where contacts close; simulate finds instants and forces"
        if digits is None:
            hint = min(_digits(self["energy_balance"]), _digits(self.residuals.get("largest_penetration", 0.0)))
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


@np.errstate(all="ignore")  # a run that blew up has energies without end: words say so, not warnings
def audit(run: Run, finer: Run | None = None) -> Audit:
    """Measure a run; `finer` is the same run at half the step."""
    residuals: dict[str, float] = {}
    work = _energy(run, residuals)
    scale = residuals.pop("energy_scale")
    residuals |= contact_residuals(run)
    deepest = where_deepest(run)
    if "quaternion_norm_error" in run.settings:
        residuals["quaternion_norm_error"] = float(run.settings["quaternion_norm_error"])
    worst = ""
    if finer is not None:
        order = int(run.settings.get("order") or 4)
        residuals["step_error"], worst, moved = difference(run, finer)
        share = 1.0 - 0.5**order if run.settings.get("step") is not None else 1.0
        residuals["step_error"] /= share
        if moved is not None:
            residuals["event_time_error"] = moved / share
        residuals["digits"] = float(_digits(residuals["step_error"]))
    wrong = str(run.status) if run.status.outcome in (Outcome.WRONG, Outcome.NOT_FINITE) else ""
    return Audit(residuals, work, scale, worst, "" if run.status.completed else str(run.status), deepest, wrong)


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
    impacts = Events(event for event in run.events if event.contact and any(event.impulse))
    if any(event.contact for event in run.events):
        done["impacts"] = _last(taken)
    scale = max(_largest(run["kinetic_energy"]), _largest(run["potential_energy"]), _largest(work), 1e-300)
    change = run.energy - run.energy[0]
    residuals["energy_scale"] = scale
    residuals["energy_drift"] = _largest(change) / scale
    left = change - work - taken
    if run.settings.get("stepper") == STEPPED:
        # Contacts take energy and make none: what is left may fall, and wherever it has risen the steps were too long.
        done[LEFT] = _last(left)
        left = left - np.minimum.accumulate(left)
        if run.system is None or not run.system.imposed:
            residuals["contact_gain"] = _largest(left) / scale
    else:
        residuals["energy_balance"] = _largest(left) / scale
    if impacts:
        residuals["impact_count"] = float(len({(event.time, event.energy_before) for event in impacts}))
        changes = {(event.time, event.energy_before): event for event in impacts}.values()
        residuals["impact_gain"] = sum(max(-event.energy_lost, 0.0) for event in changes)
        residuals["impact_drive"] = run.events.work
        residuals["impact_energy"] = abs(_last(taken) + run.events.energy_lost - run.events.work) / scale
    residuals["quadrature_error"] = float(np.nanmax(np.abs(work - coarser_integral(run.time, total)), initial=0.0)) / scale
    return done


def _last(values: Vector) -> float:
    return float(values[-1]) if len(values) else 0.0
