"""Whether contacts with friction can be pressed at all."""

from functools import lru_cache

import numpy as np

from locomotor.errors import ContactLawError
from locomotor.mechanics.chart import perturbed
from locomotor.mechanics.constraints import constraint_set
from locomotor.mechanics.tree import Instant, forward
from locomotor.model import System, Terrain

LEAST = 1e-9
"""Velocities along a normal below this share of those of the joints are none."""
POSES = 3
"""A contact may be unable to leave in one pose (a pendulum over its pivot), but not in all around it."""
SPREAD = 0.3
"""How far these are from the nominal pose (m, rad)."""


@lru_cache(maxsize=32)
def check_pressed(system: System, closed: frozenset[str] | None = None) -> None:
    """Refuse friction of a contact whose body cannot move along the normal of its ground.

    The joints bear it there, whatever it weighs: no force presses the contact, and friction would be none without a word. Of
    contacts that are `closed` imposed motions may do the same.
    """
    terrains = {ground.name for ground in system.grounds if isinstance(ground, Terrain)}
    held = {c.name: c for c in system.contacts if c.law.pushes and c.law.slips and c.ground not in terrains}
    if closed is not None:
        held = {name: contact for name, contact in held.items() if name in closed}
    if not held:
        return
    layout, imposed = system.layout, system.imposed if closed is not None else ()
    free = np.ones(layout.nv, dtype=bool)
    free[[layout.v[joint.name].start for joint in imposed]] = False
    beside = system.replace(contacts=tuple(c for c in system.contacts if c.ground not in terrains)) if terrains else system
    generator, q = np.random.default_rng(0), system.nominal_pose()
    for k in range(POSES):
        pose = perturbed(system, q, SPREAD, generator) if k else q
        instant = Instant(beside, pose, np.zeros(system.layout.nv))
        for row in constraint_set(forward(instant)).conditions:
            if row.name in held and not np.abs(np.asarray(row.normal_row)[free]).max(initial=0.0) <= LEAST:
                del held[row.name]
        if not held:
            return
    contact = next(iter(held.values()))
    raise ContactLawError(
        f"{contact.label}: it has friction, and its body {contact.body!r} cannot move along the normal of its ground "
        f"{contact.ground!r}: the joints{' and imposed motions' if imposed else ''} bear it there, so that nothing presses the "
        "contact, and friction has no force. Let it move there (a Free or Translation root, or a Prismatic joint along the "
        "normal, without an imposed motion), or leave `friction` out"
    )
