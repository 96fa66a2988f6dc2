"""Whether contacts that are taken to hold can hold: forces that push, within the friction that there is."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from locomotor.complementarity.friction import Side, held, least_friction, with_one_border
from locomotor.mechanics.constraints import PATCH
from locomotor.model import System
from locomotor.simulation.starts import starting_state
from locomotor.tracing import Traced, TracedSystem, trace
from locomotor.tracing.contacts import contact_problem, switching_of
from locomotor.typing import Vector

TOUCHES = 1e-6
"""Gap (m) up to which a contact is closed where an equation was solved for it."""


@lru_cache(maxsize=16)
def _problem(system: System, free: tuple[str, ...]) -> tuple[TracedSystem, Traced, tuple[int, ...], tuple[bool, ...]]:
    problem = contact_problem(system, free, rolling=False)
    return trace(problem.flight.system, free=free), problem.function, problem.sizes, problem.spins


def why_not_held(
    system: System,
    state: Mapping[str, float],
    inputs: Vector,
    parameters: Vector,
    free: tuple[str, ...] = (),
) -> str:
    """Which contacts would slip or let go at a state at which all that touch were taken to hold; empty where they can hold.

    Where their forces are not determined, any admissible share of the load will do. Contacts that may pull are not judged.
    """
    entries = switching_of(system)
    if not entries or any(entry.law.adheres for entry in entries):
        return ""
    traced, function, sizes, spins = _problem(system, free)
    x = starting_state(traced, dict(state), parameters=parameters)
    W, q, _, gap = function(np.zeros(1), x, inputs, parameters)
    ends = np.cumsum((0, *sizes))
    values = {**system.parameters.values, **dict(zip(free, parameters.tolist(), strict=True))}
    chosen = [i for i, entry in enumerate(entries) if gap[i] <= TOUCHES and not entry.law.is_gated]
    rows = np.array([k for i in chosen for k in range(ends[i], ends[i + 1])], dtype=int)
    sides, first = [], 0
    for i in chosen:
        law = entries[i].law
        static = float(law.static_at(values)) if law.slips else np.inf
        border = PATCH if spins[i] and law.slips else None
        sides.append(Side(slice(first, first + sizes[i]), static, np.zeros(sizes[i] - 1), border=border))
        first += sizes[i]
    sides = with_one_border(sides)
    W = np.asarray(W, dtype=float).reshape(ends[-1], ends[-1])[np.ix_(rows, rows)]
    q = np.asarray(q, dtype=float)[rows]
    if held(W, q, sides):
        return ""
    needed = least_friction(W, q, sides)
    names = [entries[i].name for i in chosen]
    short = [(name, side.mu) for name, side in zip(names, sides, strict=True) if side.mu < needed]
    listed = ", ".join(f"{name!r} has {mu:.7g}" for name, mu in short)
    if np.isinf(needed):
        return f"no friction is enough there, as contacts only push ({listed})"
    return f"contacts slip there: they need a coefficient of friction of {needed:.7g}, and {listed}"
