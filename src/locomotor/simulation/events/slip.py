"""Which closed contacts slip, by their velocities."""

from collections.abc import Mapping

import numpy as np

from locomotor.model import Contact
from locomotor.model.contacts import Lying
from locomotor.simulation.events.collisions import Rows
from locomotor.simulation.events.modes import Closed, Modes
from locomotor.typing import Vector

REST = 1e-10
"""A contact that slips less fast than this (m/s) is at rest."""
STOPPED = 1e-9
"""A slip that has become this slow (m/s), and goes on to, has come to rest."""
CARRIED = 1e-6
"""Up to this (m/s) a contact that stuck does so on the next part of a terrain, to which it goes over (`footholds.TRANSFER`)."""

Direction = tuple[float, float, float]
Slip = dict[str, Direction]
"""Contacts that slip, and in which direction, in world axes; joints that slide, along their velocities, a lone one first."""


def turns_by_velocity(modes: Modes, rows: Rows, closed: Closed, v: Vector) -> Slip:
    """Closed contacts that roll against a resistance with these velocities, and about which direction."""
    found: Slip = {}
    for i, entry in enumerate(rows.entries):
        if entry.name not in closed or not entry.law.resists or isinstance(entry, Lying):
            continue
        turn = rows.frames[i][1:3].T @ (rows.turning[entry.name] @ v)
        speed = float(np.linalg.norm(turn))
        if speed > REST:
            x, y, z = turn / speed
            found[entry.name] = (float(x), float(y), float(z))
    return found


def slides_by_velocity(modes: Modes, before: Mapping[str, Direction], stuck: Closed, v: Vector) -> Slip:
    """Joints with dry friction that slide with these velocities, and where to: those at rest stick, or slide, as they did."""
    found: Slip = {}
    for i, places in modes.rubs.items():
        name, rates = modes.names[i], v[places]
        speed = float(np.linalg.norm(rates))
        if speed > REST:
            found[name] = direction(rates / speed)
        elif name not in stuck and name in before:
            found[name] = before[name]
    return found


def direction(rates: Vector) -> Direction:
    """One number, first, or three, as where a joint slides to."""
    x, y, z = (*rates.tolist(), 0.0, 0.0)[:3]
    return x, y, z


def by_velocity(modes: Modes, rows: Rows, closed: Closed, v: Vector, carried: Closed = frozenset()) -> Slip:
    """Closed contacts that slip with these velocities, and where to; those at rest are left out.

    The `carried` ones have stuck until now, and something else is beneath them: what that leaves of slip is round-off.
    """
    found: Slip = {}
    for i, entry in enumerate(modes.switching):
        if entry.name not in closed or not entry.law.slips or not isinstance(entry, Contact) or i in rows.pinned:
            continue
        slip = rows.frames[i][1:].T @ (rows.switching[i][1:] @ v)
        speed = float(np.linalg.norm(slip))
        if speed > (CARRIED if entry.name in carried else REST):
            x, y, z = slip / speed
            found[entry.name] = (float(x), float(y), float(z))
    return found
