"""How the closed contacts of a system can go on from a state: in one way, in none, or in several, and why.

With dry friction the laws of rigid bodies may have no solution, or more than one (Painlevé 1895; see docs/complementarity.md).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from locomotor.checks import door, mapping, number, numbers_by_name, optional
from locomotor.complementarity.friction import Side, all_ways
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError, InconsistentStartError, UnknownNameError
from locomotor.mechanics import check_pressed
from locomotor.mechanics.constraints import patch_shares
from locomotor.model import ContactLaw, System, a_system
from locomotor.names import suggestion
from locomotor.simulation import compile_system
from locomotor.tracing.contacts import contact_problem, switching_of
from locomotor.typing import Floats

CLOSED = 1e-9
"""Gap (m) below which a contact is closed."""
INSIDE = 1e-6
"""Depth (m) from which a contact is inside its ground: no state of a run is."""
RESTS = 1e-9
"""Speed (m/s) below which a contact neither approaches, leaves nor slips."""


@dataclass(frozen=True, eq=False)
class WayOn:
    """One solution: for each closed contact its mode ("open", "stick", "slip"), force and relative acceleration."""

    modes: Mapping[str, str]
    forces: Mapping[str, Floats]
    """N, the normal first, then along the ground."""
    accelerations: Mapping[str, Floats]
    """m/s^2, in the same order."""
    unique: bool
    """Whether the forces are determined; otherwise they are one choice of many with the same motion."""


@dataclass(frozen=True, eq=False)
class ContactReport:
    """How the closed contacts of a system can go on."""

    contacts: tuple[str, ...]
    """Those that are closed and do not leave."""
    solutions: tuple[WayOn, ...]
    complete: bool
    """Whether no solution can have been missed: false where two or more contacts in space may begin to slip at once, or
    contacts have more combinations of modes than can be tried; unless there is none, and that is proved."""
    strikes: tuple[str, ...]
    """Contacts that approach: an impact comes first, and no accelerations are looked for."""
    why: str
    """What makes the state special; empty where there is exactly one solution."""

    @property
    def verdict(self) -> str:
        """One of "one solution", "no solution", "several solutions", "impact"; "not found": none was, and none is excluded."""
        if self.strikes:
            return "impact"
        if not self.solutions and not self.complete:
            return "not found"
        return ("no solution", "one solution", "several solutions")[min(len(self.solutions), 2)]

    def __str__(self) -> str:
        ways = [", ".join(f"{name}: {mode}" for name, mode in way.modes.items()) or "no contact" for way in self.solutions]
        return "\n".join([self.verdict, *(f"  {way}" for way in ways), *([self.why] if self.why else [])])


@door(system=a_system, state=optional(mapping), inputs=optional(numbers_by_name), time=number)
def contact_report(
    system: System,
    state: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None,
    *,
    time: float = 0.0,
) -> ContactReport:
    """All ways in which the closed contacts of a system can go on from a state given by name, at the level of accelerations.

    Contacts that may open (`Unilateral`) count where their gap is zero at the state given: nothing is assembled. With friction
    each opens, sticks, or slips; every combination is tried. Where they are too many, and of contacts in space that begin to
    slip together, a solution of the cones is sought: `complete` says whether another may have been missed.

    Args:
        system: what moves.
        state: coordinates and velocities by name; others are zero, or nominal.
        inputs: inputs by name.
        time: instant (s), for laws that depend on it.
    """
    entries = switching_of(system)
    names = [entry.name for entry in entries]
    if not names:
        raise ArgumentError(f"contact_report: no contact of {system.name!r} may open; give one the law Unilateral(...)")
    check_pressed(system)
    flight, function, sizes, spins = contact_problem(system)
    compiled = compile_system(flight.system)
    x = compiled.start(state, time=time)
    known = compiled.input_names
    for name in inputs or {}:
        if name not in known:
            raise UnknownNameError(f"inputs: the system has no input {name!r}: {suggestion(name, known)}")
    u = np.array([float((inputs or {}).get(name, 0.0)) for name in known])
    W, q, v, gap = function(np.array([time]), x, u, compiled.default_parameters)
    ends = np.cumsum((0, *sizes))
    W = np.asarray(W, dtype=float).reshape(ends[-1], ends[-1])
    approach = np.asarray(v)[ends[:-1]]
    for entry, depth in zip(entries, -np.asarray(gap, dtype=float), strict=True):
        if depth > INSIDE and not entry.law.is_gated:
            raise InconsistentStartError(
                f"contact_report: contact {entry.name!r} is {depth:.3g} m inside its ground at the state given; lift the "
                "system until it touches: nothing is assembled here"
            )
    touching = np.asarray(gap) <= CLOSED
    strikes = tuple(name for i, name in enumerate(names) if touching[i] and approach[i] < -RESTS)
    chosen = [i for i in range(len(names)) if touching[i] and abs(approach[i]) <= RESTS]
    rows = np.array([k for i in chosen for k in range(ends[i], ends[i + 1])], dtype=int)
    sides, first, values = [], 0, system.parameters.values
    for i in chosen:
        along = np.asarray(v)[ends[i] + 1 : ends[i + 1]]
        speed = float(np.linalg.norm(along))
        slip = along / speed if speed > RESTS else np.zeros(len(along))
        if spins[i] and slip.any():
            slide, spin = patch_shares(float(slip[:-1] @ slip[:-1]), float(slip[-1]) ** 2)
            slip = np.array([*(slide * slip[:-1]), spin * slip[-1]])
        sides.append(Side(slice(first, first + sizes[i]), *_coefficients(entries[i].law, values, speed, slip)))
        first += sizes[i]
    own_W, own_q = W[np.ix_(rows, rows)], np.asarray(q, dtype=float)[rows]
    closed = tuple(names[i] for i in chosen)
    if strikes:
        listed = ", ".join(repr(name) for name in strikes)
        return ContactReport(closed, (), True, strikes, f"{listed} approaches the ground: an impact comes first")
    found, complete = all_ways(own_W, own_q, sides)
    ways = tuple(
        WayOn(
            dict(zip(closed, way.modes, strict=True)),
            {name: way.forces[side.rows] for name, side in zip(closed, sides, strict=True)},
            {name: way.accelerations[side.rows] for name, side in zip(closed, sides, strict=True)},
            way.unique,
        )
        for way in found
    )
    why = "" if len(ways) == 1 else _reason(own_W, own_q, closed, sides, len(ways), complete)
    return ContactReport(closed, ways, complete, (), why)


def _coefficients(
    law: ContactLaw, values: Mapping[str, float], speed: float, slip: Floats
) -> tuple[float, Floats, float | None]:
    """Friction of a contact that slips, its slip, and friction while it sticks; infinite where it sticks whatever it takes."""
    if not law.slips:
        return np.inf, slip, None
    return float(law.sliding_at(values, speed if slip.any() else 0.0)), slip, float(law.static_at(values))


def _reason(W: Floats, q: Floats, names: tuple[str, ...], sides: list[Side], count: int, complete: bool) -> str:
    """What is special about contacts that have no solution, or several."""
    parts: list[str] = []
    for name, side in zip(names, sides, strict=True):
        n, t = side.rows.start, slice(side.rows.start + 1, side.rows.stop)
        if not side.slip.any() or np.isinf(side.mu):
            continue
        push = float(W[n, n] - side.mu * (W[n, t] @ side.slip))
        if push <= 0.0:
            falls = "towards" if q[n] < 0.0 else "away from"
            parts.append(
                f"contact {name!r} slips with friction {side.mu:g}, so that a normal force drives it into the ground "
                f"({push:.4g} m/s^2 for each newton); without force it accelerates {falls} the ground ({q[n]:.4g} m/s^2)"
            )
    if parts:
        return "; ".join(parts)
    if count == 0 and not complete:
        return "none of the combinations of modes that were tried has the right signs, and sweeps over the cones found none"
    if count == 0:
        return "no combination of modes has the right signs"
    return "friction makes several combinations of modes possible"
