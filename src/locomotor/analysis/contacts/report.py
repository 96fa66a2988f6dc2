"""How the closed contacts of a system can go on from a state: in one way, in none, or in several, and why.

With dry friction the laws of rigid bodies may have no solution, or more than one (Painlevé 1895; see docs/complementarity.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

import numpy as np

from locomotor.analysis.contacts.reasons import Told
from locomotor.analysis.contacts.terrain import Nearness, on_terrain
from locomotor.checks import door, mapping, number, numbers_by_name, optional
from locomotor.complementarity.friction import ContactSolution, Side, all_ways, with_one_border
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError, InconsistentStartError, UnknownNameError
from locomotor.mechanics import check_pressed
from locomotor.mechanics.constraints import PATCH, patch_shares
from locomotor.model import ContactLaw, System, a_system
from locomotor.names import suggestion
from locomotor.simulation import Run, compile_system
from locomotor.tracing.contacts import contact_problem, switching_of
from locomotor.typing import Floats

CLOSED = 1e-9
"""Gap (m) below which a contact is closed."""
INSIDE = 1e-6
"""Depth (m) from which a contact is inside its ground: no state of a run is."""
RESTS = 1e-9
"""Speed (m/s) below which a contact neither approaches, leaves nor slips."""

ROLLING = {"stick": "rests", "slip": "rolls"}
"""What a mode says of rolling that is resisted."""


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
    rolling: Mapping[str, str] = field(default_factory=dict)
    """Of each that resists rolling and is not open: whether it "rests" or "rolls"."""
    moments: Mapping[str, Floats] = field(default_factory=dict)
    """N m, of each that resists rolling: against it, about two directions along the ground, in a plane mechanism about one."""
    turning: Mapping[str, Floats] = field(default_factory=dict)
    """rad/s^2, how their rolling accelerates about the same directions."""

    def __str__(self) -> str:
        rolls = {name: f" and {word}" for name, word in self.rolling.items()}
        return ", ".join(f"{name}: {mode}{rolls.get(name, '')}" for name, mode in self.modes.items()) or "no contact"


@dataclass(frozen=True, eq=False)
class ContactReport:
    """How the closed contacts of a system can go on."""

    contacts: tuple[str, ...]
    """Those that are closed and do not leave."""
    solutions: tuple[WayOn, ...]
    complete: bool
    """Whether no solution can have been missed: false where two or more contacts in space may begin to slip at once, or one to
    slip and to roll against a resistance, or contacts have more combinations of modes than can be tried; unless there is none,
    and that is proved."""
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
        return "\n".join([self.verdict, *(f"  {way}" for way in self.solutions), *([self.why] if self.why else [])])


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
    stands = on_terrain(system, state, time, Nearness(CLOSED, INSIDE), pressed)
    system, entries = stands.system, switching_of(stands.system)
    names = [entry.name for entry in entries]
    known = [symbol.name for symbol in system.layout.inputs]
    for name in inputs or {}:
        if name not in known:
            raise UnknownNameError(f"inputs: the system has no input {name!r}: {suggestion(name, known)}")
    if not names:
        return ContactReport((), (WayOn({}, {}, {}, True),), True, (), "")
    flight, function, sizes, spins, rolling = contact_problem(system, turning=stands.contact_of)
    compiled = compile_system(flight.system)
    x = compiled.start(state, time=time)
    u = np.array([float((inputs or {}).get(name, 0.0)) for name in known])
    given = (np.array([time]), x, u, compiled.default_parameters)
    W, q, v, gap = function(*given)
    ends = np.cumsum((0, *sizes))
    q = np.array(q, dtype=float)
    if stands.slipping is not None:
        other = contact_problem(stands.slipping, turning=stands.contact_of)
        q[ends[:-1]] = np.asarray(other.function(*given)[1], dtype=float)[np.cumsum((0, *other.sizes))[:-1]]
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
    rollers: dict[str, Side] = {}
    for i in chosen:
        along = np.asarray(v)[ends[i] + 1 : ends[i + 1] - rolling[i]]
        speed = float(np.linalg.norm(along))
        slip = along / speed if speed > RESTS else np.zeros(len(along))
        if spins[i] and slip.any():
            slide, spin = patch_shares(float(slip[:-1] @ slip[:-1]), float(slip[-1]) ** 2)
            slip = np.array([*(slide * slip[:-1]), spin * slip[-1]])
        holds = names[i] in stands.pinned or not entries[i].law.slips
        friction = (np.inf, slip, None) if holds else _coefficients(entries[i].law, values, speed, slip)
        last = first + sizes[i] - rolling[i]
        sides.append(Side(slice(first, last), *friction)._replace(border=PATCH if spins[i] and not holds else None))
        if rolling[i]:
            turn = np.asarray(v)[ends[i + 1] - rolling[i] : ends[i + 1]]
            fast = float(np.linalg.norm(turn))
            about, own = turn / fast if fast > RESTS else np.zeros(len(turn)), slice(last, last + rolling[i])
            rollers[names[i]] = Side(own, float(entries[i].law.resistance_at(values)), about, bearer=first)
        first += sizes[i]
    sides = with_one_border(sides)
    own_W, own_q = W[np.ix_(rows, rows)], q[rows]
    closed = tuple(names[i] for i in chosen)
    if strikes:
        listed = ", ".join(repr(name) for name in strikes)
        return ContactReport(closed, (), True, strikes, f"{listed} approaches the ground: an impact comes first")
    found, complete = all_ways(own_W, own_q, [*sides, *rollers.values()])
    ways = tuple(_way(way, dict(zip(closed, sides, strict=True)), rollers) for way in found)
    told = Told(own_W, own_q, closed, sides, tuple(rollers.values()))
    why = told.border() if len(ways) == 1 else told.reason(len(ways), complete)
    return ContactReport(closed, ways, complete, (), why)


def _way(way: ContactSolution, sides: Mapping[str, Side], rollers: Mapping[str, Side]) -> WayOn:
    """A solution by name."""
    modes = dict(zip(sides, way.modes[: len(sides)], strict=True))
    rolls = dict(zip(rollers, way.modes[len(sides) :], strict=True))
    return WayOn(
        modes,
        {name: way.forces[side.rows] for name, side in sides.items()},
        {name: way.accelerations[side.rows] for name, side in sides.items()},
        way.unique,
        {name: ROLLING[mode] for name, mode in rolls.items() if mode != "open"},
        {name: way.forces[side.rows] for name, side in rollers.items()},
        {name: way.accelerations[side.rows] for name, side in rollers.items()},
    )


def _of_a_run(system: System, state: Mapping[str, float]) -> tuple[set[str], Mapping[str, float]]:
    """The coordinates and velocities of a sample of a run, which has all of them, and the contacts that push there.

    Of other states everything is taken, so that a name which is none is refused.
    """
    known = [symbol.name for symbol in (*system.layout.coordinates, *system.layout.velocities)]
    if not all(name in state for name in known):
        return set(), state
    pressed = {contact.name for contact in system.contacts if state.get(f"{contact.name}_normal_force", 0.0) > 0.0}
    return pressed, {name: state[name] for name in known}


def _coefficients(law: ContactLaw, values: Mapping[str, float], speed: float, slip: Floats) -> tuple[float, Floats, float]:
    """Friction of a contact that slips, its slip, and friction while it sticks."""
    return float(law.sliding_at(values, speed if slip.any() else 0.0)), slip, float(law.static_at(values))
