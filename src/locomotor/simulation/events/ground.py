"""The closed contacts of a moment as a problem of accelerations, u = W r + q over their rows.

W follows from masses and rows, q from the accelerations and forces of the mode that the run is in, whichever that is.
"""

from collections.abc import Container

import numpy as np

from locomotor.complementarity.friction import Side, with_one_border
from locomotor.dataclass import dataclass
from locomotor.mechanics.constraints import PATCH, patch_shares
from locomotor.model import Contact
from locomotor.simulation.events.collisions import condensed, rows_at
from locomotor.simulation.events.frictional_impact import VOID
from locomotor.simulation.events.moment import Moment
from locomotor.simulation.events.plan import EventPlan
from locomotor.simulation.events.probe import Seen, Whole
from locomotor.simulation.events.slip import REST
from locomotor.typing import Vector

EXHAUSTED = 1e-10
"""Friction is exhausted where it lacks more than this share of the largest force around."""
IDLE = 1e-9
"""Forces that move nothing by more than this share of what others do are idle."""
DRIVEN = 1e-6
"""A contact that sticks, and accelerates along the ground by more than this share of the fastest or of 1 m/s^2, is driven."""


@dataclass(frozen=True, eq=False)
class Ground:
    """The closed contacts of a moment as a problem on matrices."""

    contacts: tuple[int, ...]
    """Numbers of the contacts among those that switch."""
    W: Vector
    q: Vector
    sides: tuple[Side, ...]
    frames: tuple[Vector, ...]
    """Directions of the rows of each in world axes, the normal first."""
    slips: tuple[Vector, ...]
    """Unit directions of those that slip already, along their tangents; friction of a patch is not along its own."""


def ground_at(plan: EventPlan, now: Moment, whole: Whole, seen: Seen, rest: Container[int], loosened: Container[int]) -> Ground:
    """The problem of accelerations; contacts in `rest` have just come to rest, those that are `loosened` cannot stick."""
    modes = plan.modes
    rows = rows_at(modes, whole.q, now.holds, now.time)
    closed = [i for i, entry in enumerate(modes.switching) if entry.name in now.mode.closed and entry.law.pushes]
    grips = [
        rows.switching[i] for i, entry in enumerate(modes.switching) if entry.name in now.mode.closed and not entry.law.pushes
    ]
    layout = modes.system.layout
    imposed = [np.eye(layout.nv)[[layout.v[joint.name].start]] for joint in modes.system.imposed]
    # What keeps from rolling stays as it is: whether that lasts is decided after this.
    still = [rows.turning[modes.names[i]] for i in now.mode.resting.tolist()]
    held = np.concatenate([*grips, rows.held, *imposed, *still])
    W = condensed(rows.mass, [rows.switching[i] for i in closed], held)
    parts, sides, frames, slips, u, r, first, at = [], [], [], [], [], [], 0, 0
    scale, least = float(np.abs(np.diag(W)).max(initial=0.0)) or 1.0, driving(seen)
    for i in closed:
        entry, frame = rows.entries[i], rows.frames[i]
        count = len(rows.switching[i])
        # No force moves it where masses are void: there it stays, unless an imposed motion drives it.
        driven = np.abs(frame @ seen.slip_rate[i]) > least if isinstance(entry, Contact) else np.zeros(count, dtype=bool)
        own = [0, *(k for k in range(1, count) if W[at + k, at + k] > VOID * scale or driven[k])]
        law, values = entry.law, modes.values
        frictional = isinstance(entry, Contact) and law.slips and i not in rows.pinned
        tangents = frame[own[1:]]
        along = tangents @ seen.slip[i]
        slip = np.zeros(len(own) - 1)
        if frictional and i in now.mode.slipping and i not in rest and i not in loosened:
            speed = float(np.linalg.norm(along))
            told = tangents @ np.asarray(now.holds.slips[entry.name])
            slip = told if speed < REST or entry.name in now.holds.guided else along / speed
            if float(slip @ told) < 0.0:
                slip = told
        speed = float(np.linalg.norm(along)) if slip.any() else 0.0
        mu = float(law.sliding_at(values, speed)) if frictional else np.inf
        static = (-1.0 if i in loosened else float(law.static_at(values))) if frictional else None
        rubs = tangents @ _of_patch(frame[0], slip @ tangents) if entry.law.pivots and slip.any() else slip
        pivots = isinstance(entry, Contact) and entry.pivots and i not in rows.pinned
        border = PATCH if pivots and count - 1 in own[1:] else None
        sides.append(Side(slice(first, first + len(own)), mu, rubs, static, border=border))
        slips.append(slip)
        frames.append(frame[own])
        parts += [at + k for k in own]
        u += [0.0, *(tangents @ seen.slip_rate[i])]
        force = frame[own] @ seen.reaction[i] if isinstance(entry, Contact) else seen.reaction[i][:1]
        if border is not None:
            force[-1] = seen.twisting[i]
        # What may pull counts from its largest pull on.
        r += [force[0] + float(seen.hold[i] - seen.normal_force[i]), *force[1:]]
        first, at = first + len(own), at + count
    W = W[np.ix_(parts, parts)]
    return Ground(tuple(closed), W, np.array(u) - W @ np.array(r), tuple(with_one_border(sides)), tuple(frames), tuple(slips))


def _of_patch(normal: Vector, slip: Vector) -> Vector:
    """Against what friction acts, per mu N, of a patch whose slip has a direction, the spin along the normal."""
    about = float(normal @ slip)
    along = slip - about * normal
    slide, spin = patch_shares(float(along @ along), about * about)
    return np.asarray(slide * along + spin * about * normal)


def driving(seen: Seen) -> float:
    """The least acceleration along the ground (m/s^2) of a contact that is driven."""
    return DRIVEN * max(1.0, float(np.abs(seen.slip_rate).max(initial=0.0)))
