"""What the contacts of a run must hold: gaps, blocked velocities, and complementarity of those that open and close.

Signorini's conditions for a contact that only pushes are gap >= 0, force >= 0 and gap times force = 0 (docs/theory.md (I1)):
the residuals are how far it sinks, how hard it pulls, and their largest product.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locomotor.model import ContactLaw, Terrain
from locomotor.model.expressions import free_names
from locomotor.names import TIME
from locomotor.simulation.records.quadrature import integral, pieces
from locomotor.simulation.status import BRACED
from locomotor.typing import Flags, Vector

if TYPE_CHECKING:
    from locomotor.simulation.records.run import Run


PASSES = 1e-4
"""A contact that is deeper than this (m) in its ground has passed through it: the motion is not that of the system."""
SLOW = 1e-6
"""A slip slower than this (m/s) does no work worth speaking of."""
RISES = ("tips", "lift-off", "impact")
"""Events after which a wheel that lay on its side does not any more, unless another tells that it does."""
ROUND_OFF = 1e-9
"""A contact less deep than this (m) has not passed through the ground: it has just been switched off."""


def contact_residuals(run: Run) -> dict[str, float]:
    """Residuals by name; those that a run has nothing to say about are left out."""
    found: dict[str, float] = {}
    if gaps := [part for name, values in run.group("gaps").items() for part in _while_closed(run, name, values)]:
        found["largest_gap"] = max(largest(values) for values in gaps)
        # Contacts that are not closed at the start roll on planes of their own, as far off as they began.
        found["gap_drift"] = max(largest(values - values[0]) for values in gaps)
    rows, slips = run.group("multipliers"), run.group("slips")
    if slips:
        found["largest_slip"] = max(largest(values) for values in slips.values())
    if rows and len(rows) == len(slips):
        pairs = zip(rows.values(), slips.values(), strict=True)
        power = sum((np.abs(a * b) for a, b in pairs), np.zeros(len(run)))
        work = integral(run.time, power)
        found["constraint_work"] = float(work[-1]) if len(work) else 0.0
    return found | _complementarity(run) | _friction(run)


def where_deepest(run: Run) -> str:
    """The contact that sinks deepest, and when; nothing if none does."""
    found = {}
    for name in _pushing(run):
        gap = np.where(_held_to_account(run, name), run[f"{name}_gap"], 0.0)
        found[name] = (float(gap.min(initial=0.0)), float(run.time[np.argmin(gap)]))
    name = min(found, key=lambda each: found[each][0], default="")
    return f"contact {name!r} at t = {found[name][1]:.6g} s" if name and found[name][0] < 0.0 else ""


def _pushing(run: Run) -> list[str]:
    """Contacts that only push."""
    return [name for name in _contacts(run) if (law := _law(run, name)) is not None and law.pushes]


def _held_to_account(run: Run, name: str) -> Flags:
    """Samples at which a contact must not sink: one with a condition is let through the ground while that does not hold."""
    closed = run[f"{name}_closed"] > 0.0
    return closed if _has_condition(run, name) else np.ones(len(run), dtype=bool)


def _complementarity(run: Run) -> dict[str, float]:
    """How far contacts that push sink (m), how hard they pull (N), and the largest product of gap and force (N m).

    Of a law that lets a closed contact pull, only what is beyond that counts; how hard it holds on is `largest_adhesion`.
    """
    pushing = _pushing(run)
    if not pushing:
        return {}
    sinking, pulling, products, passing, held = 0.0, 0.0, 0.0, 0.0, 0.0
    for name in pushing:
        gap, force = run[f"{name}_gap"], run[f"{name}_normal_force"]
        seen = _held_to_account(run, name)
        sinking = max(sinking, float((-gap[seen]).max(initial=0.0)))
        passing = max(passing, float((-gap[~seen]).max(initial=0.0)))
        hold = _hold(run, name, force)
        pulling = max(pulling, float((-hold).max(initial=0.0)))
        if hold is not force:
            held = max(held, float((-force).max(initial=0.0)))
        products = max(products, largest(gap * force))
    found = {"largest_penetration": sinking, "largest_pull": pulling, "complementarity": products}
    found |= {"largest_adhesion": held} if held > 0.0 else {}
    return found | ({"let_through": passing} if passing > ROUND_OFF else {})


def _friction(run: Run) -> dict[str, float]:
    """How far forces leave their cones, and how far slips are from dissipating all that friction can: shares of the largest.

    Coulomb's law is |T| <= mu N at rest, and T = -mu N s/|s| in a slip s, so that its power is -mu N |s|.
    """
    found: dict[str, float] = {}
    for name in _contacts(run):
        law, speed = _law(run, name), f"{name}_slip_speed"
        if law is None or not law.slips or law.pivots or speed not in run or _on_terrain(run, name):
            continue
        # What lies on its side rubs with all of it. Others hold what is braced: forces are one choice of many.
        some = ~(_lies(run, name) | _braced(run, name))
        values, slip, normal = run.parameters, np.nan_to_num(run[speed])[some], run[f"{name}_normal_force"][some]
        force = np.stack([run[f"{name}_force_{axis}"][some] for axis in "xyz"])
        along = np.sqrt(np.maximum((force * force).sum(axis=0) - normal * normal, 0.0))
        sliding = np.array([float(law.sliding_at(values, float(s))) for s in slip])
        bound = np.where(slip > 0.0, sliding, float(law.static_at(values))) * normal
        lost = sliding * normal * slip
        beyond = float((along - bound).max(initial=0.0)) / max(largest(bound), 1e-300)
        missing = largest(run[f"{name}_friction_power"][some] + lost) / max(largest(lost), SLOW * largest(bound), 1e-300)
        found["beyond_friction"] = max(found.get("beyond_friction", 0.0), beyond)
        found["against_slip"] = max(found.get("against_slip", 0.0), missing)
    return found


def _lies(run: Run, contact: str) -> Flags:
    """Samples at which a wheel lies on its side: from where it comes to lie until it leaves that, or is struck."""
    found, since = np.zeros(len(run), dtype=bool), None
    for event in run.events.of(contact):
        if since is not None and event.kind in RISES:
            found |= (run.time >= since) & (run.time <= event.time)
            since = None
        since = event.time if event.kind == "lies" else since
    return found if since is None else found | (run.time >= since)


def _braced(run: Run, contact: str) -> Flags:
    """Samples at which others keep a contact from slipping: from where that is told until it does something else."""
    found, since = np.zeros(len(run), dtype=bool), None
    for event in run.events.of(contact):
        if since is not None:
            found |= (run.time >= since) & (run.time <= event.time)
        since = event.time if event.description == BRACED else None
    return found if since is None else found | (run.time >= since)


def _on_terrain(run: Run, contact: str) -> bool:
    """Whether a contact may touch several parts of its ground at once, so that its forces are sums."""
    if run.system is None:
        return True
    rough = {ground.name for ground in run.system.grounds if isinstance(ground, Terrain)}
    return any(entry.name == contact and entry.ground in rough for entry in run.system.contacts)


def _contacts(run: Run) -> list[str]:
    """Contacts of a run that open and close."""
    names = [name.removesuffix("_closed") for name in run.group("modes")]
    return [name for name in names if f"{name}_normal_force" in run]


def _law(run: Run, contact: str) -> ContactLaw | None:
    """A contact's law; of a run that does not know its system, none."""
    return None if run.system is None else run.system.laws.get(contact)


def _hold(run: Run, contact: str, force: Vector) -> Vector:
    """Normal force of a contact counted from the largest pull of its law; the force itself where it is open, or never pulls."""
    law = _law(run, contact)
    if law is None or run.system is None or not law.adheres:
        return force
    values = {**run.system.parameters.values, **run.parameters, **run.channels, TIME: run.time}
    return np.where(run[f"{contact}_closed"] > 0.0, law.hold_at(force, values), force)


def _has_condition(run: Run, contact: str) -> bool:
    law = _law(run, contact)
    return law is not None and law.pushes and bool(free_names(law.condition))


def _while_closed(run: Run, name: str, values: Vector) -> list[Vector]:
    """A gap over each time that its contact is closed; that of a grip, which holds wherever it is, is no concern."""
    contact = name.removesuffix("_gap")
    if f"{contact}_closed" not in run:
        return [values]
    if (law := _law(run, contact)) is not None and law.grips:
        return []
    closed = run[f"{contact}_closed"] > 0.0
    found = [values[piece][closed[piece]] for piece in pieces(run.time)]
    return [part for part in found if len(part)]


def largest(values: Vector) -> float:
    """Largest size; zero of nothing."""
    return float(np.abs(values).max()) if len(values) else 0.0
