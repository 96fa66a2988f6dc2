"""How the closed contacts of a system can go on from a state: in one way, in none, or in several, and why.

With dry friction the laws of rigid bodies may have no solution, or more than one (Painlevé 1895; see docs/complementarity.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from locomotor.analysis.contacts.terrain import Nearness, on_terrain
from locomotor.checks import door, mapping, number, numbers_by_name, optional
from locomotor.complementarity.friction import Side, all_ways
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError, InconsistentStartError, UnknownNameError
from locomotor.mechanics import check_pressed
from locomotor.mechanics.constraints import patch_shares
from locomotor.model import ContactLaw, System, a_system
from locomotor.names import suggestion
from locomotor.simulation import Run, compile_system
from locomotor.tracing.contacts import contact_problem, switching_of
from locomotor.typing import Floats

CLOSED = 1e-9
"""Gap (m) below which a contact is closed."""
INSIDE = 1e-6
"""Depth (m) from which a contact is inside its ground: no state of a run is."""
BORDER = 1e-6
"""Share of the push of a normal force without friction below which a contact that slips is at Painlevé's border."""
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
    """What makes the state special; empty where there is exactly one solution, unless that ends here (Painlevé's border)."""

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


def _a_state(value: Any, what: str) -> Run | dict[str, Any]:
    """A run, or values by name."""
    return value if isinstance(value, Run) else mapping(value, what)


@door(system=a_system, state=optional(_a_state), inputs=optional(numbers_by_name), time=optional(number))
def contact_report(
    system: System,
    state: Run | Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None,
    *,
    time: float | None = None,
) -> ContactReport:
    """All ways in which the closed contacts of a system can go on from a state given by name, at the level of accelerations.

    Contacts that may open (`Unilateral`) count where their gap is zero at the state given: nothing is assembled. On a terrain
    each of its parts that is touched counts, with a number after the first (`wheel`, `wheel_2`). With friction
    each opens, sticks, or slips; every combination is tried. Where they are too many, and of contacts in space that begin to
    slip together, a solution of the cones is sought: `complete` says whether another may have been missed.

    Args:
        system: what moves.
        state: coordinates and velocities by name; others are zero, or nominal. Or a run, at its last sample; or one of its
            samples, `run.at(t)`, of which what else is recorded tells which contacts are closed.
        inputs: inputs by name.
        time: instant (s), for laws that depend on it; 0, or the last of a run.
    """
    if isinstance(state, Run):
        time = float(state.time[-1]) if time is None else time
        state = {name: float(values[-1]) for name, values in state.channels.items()}
    time = 0.0 if time is None else time
    entries = switching_of(system)
    names = [entry.name for entry in entries]
    if not names:
        raise ArgumentError(f"contact_report: no contact of {system.name!r} may open; give one the law Unilateral(...)")
    check_pressed(system)
    pressed, state = _of_a_run(system, state or {})
    stands = on_terrain(system, state, time, Nearness(CLOSED, RESTS, INSIDE), pressed)
    system, entries = stands.system, switching_of(stands.system)
    names = [entry.name for entry in entries]
    known = [symbol.name for symbol in system.inputs]
    for name in inputs or {}:
        if name not in known:
            raise UnknownNameError(f"inputs: the system has no input {name!r}: {suggestion(name, known)}")
    if not names:
        return ContactReport((), (WayOn({}, {}, {}, True),), True, (), "")
    flight, function, sizes, spins = contact_problem(system, turning=stands.contact_of)
    compiled = compile_system(flight.system)
    x = compiled.start(state, time=time)
    u = np.array([float((inputs or {}).get(name, 0.0)) for name in known])
    given = (np.array([time]), x, u, compiled.default_parameters)
    W, q, v, gap = function(*given)
    ends = np.cumsum((0, *sizes))
    q = np.array(q, dtype=float)
    if stands.slipping is not None:
        _, other, counts, _ = contact_problem(stands.slipping, turning=stands.contact_of)
        q[ends[:-1]] = np.asarray(other(*given)[1], dtype=float)[np.cumsum((0, *counts))[:-1]]
    W = np.asarray(W, dtype=float).reshape(ends[-1], ends[-1])
    approach = np.asarray(v)[ends[:-1]]
    for entry, depth in zip(entries, -np.asarray(gap, dtype=float), strict=True):
        if depth > INSIDE and not entry.law.is_gated:
            raise InconsistentStartError(
                f"contact_report: contact {entry.name!r} is {depth:.3g} m inside its ground at the state given; lift the "
                "system until it touches: nothing is assembled here"
            )
    # In a run gaps drift by the error of its steps; on a terrain a contact that is pressed may strike another part of it.
    held = np.array([stands.contact_of.get(name, name) in pressed for name in names])
    held &= (np.abs(approach) <= INSIDE) | [name not in stands.contact_of for name in names]
    touching = (np.asarray(gap) <= CLOSED) | held
    strikes = tuple(name for i, name in enumerate(names) if touching[i] and not held[i] and approach[i] < -RESTS)
    chosen = [i for i in range(len(names)) if touching[i] and (held[i] or abs(approach[i]) <= RESTS)]
    rows = np.array([k for i in chosen for k in range(ends[i], ends[i + 1])], dtype=int)
    sides, first, values = [], 0, system.parameters.values
    for i in chosen:
        along = np.asarray(v)[ends[i] + 1 : ends[i + 1]]
        speed = float(np.linalg.norm(along))
        slip = along / speed if speed > RESTS else np.zeros(len(along))
        if spins[i] and slip.any():
            slide, spin = patch_shares(float(slip[:-1] @ slip[:-1]), float(slip[-1]) ** 2)
            slip = np.array([*(slide * slip[:-1]), spin * slip[-1]])
        holds = names[i] in stands.pinned or not entries[i].law.slips
        friction = (np.inf, slip, None) if holds else _coefficients(entries[i].law, values, speed, slip)
        sides.append(Side(slice(first, first + sizes[i]), *friction))
        first += sizes[i]
    own_W, own_q = W[np.ix_(rows, rows)], q[rows]
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
    why = _border(own_W, closed, sides) if len(ways) == 1 else _reason(own_W, own_q, closed, sides, len(ways), complete)
    return ContactReport(closed, ways, complete, (), why)


def _of_a_run(system: System, state: Mapping[str, float]) -> tuple[set[str], Mapping[str, float]]:
    """The coordinates and velocities of a sample of a run, which has all of them, and the contacts that push there.

    Of other states everything is taken, so that a name which is none is refused.
    """
    known = [symbol.name for symbol in (*system.layout.coordinates, *system.layout.velocities)]
    if not all(name in state for name in known):
        return set(), state
    pressed = {contact.name for contact in system.contacts if state.get(f"{contact.name}_normal_force", 0.0) > 0.0}
    return pressed, {name: state[name] for name in known}


def _border(W: Floats, names: tuple[str, ...], sides: list[Side]) -> str:
    """Of contacts that slip and all but jam: which, and how little a normal force pushes them."""
    parts = []
    for name, side in zip(names, sides, strict=True):
        if side.slip.any() and not np.isinf(side.mu):
            n, t = side.rows.start, slice(side.rows.start + 1, side.rows.stop)
            share = float(W[n, n] - side.mu * (W[n, t] @ side.slip)) / float(W[n, n])
            if 0.0 < share < BORDER:
                parts.append(
                    f"contact {name!r} slips with friction {side.mu:g}, so that a normal force pushes it away from the ground "
                    f"by only {share:.2g} of what it does without: it is at Painlevé's border, beyond which no force does"
                )
    return "; ".join(parts)


def _coefficients(law: ContactLaw, values: Mapping[str, float], speed: float, slip: Floats) -> tuple[float, Floats, float]:
    """Friction of a contact that slips, its slip, and friction while it sticks."""
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
    if told := "; ".join(parts) or _border(W, names, sides):
        return told
    if count == 0 and not complete:
        return "none of the combinations of modes that were tried has the right signs, and sweeps over the cones found none"
    if count == 0:
        return "no combination of modes has the right signs"
    return "friction makes several combinations of modes possible"
