"""Modes by their names, where a system declares some, or has soft bodies, and the participation of the states says so.

The participation of state k in mode i is |left_ik right_ki|, the share of the mode that starts and ends in that state: it
does not depend on the units of the states.
"""

import numpy as np

from locomotor.model import System
from locomotor.typing import Complexes, Vector

MOST = 0.5
"""Share of a mode that its states must have together."""
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
REAL = 1e-9
"""An imaginary part this small, relative to the eigenvalue, is none."""


def participation(A: Vector, basis: Vector) -> tuple[Complexes, Vector]:
    """Eigenvalues of A, and (states, modes) how much each state takes part, columns adding up to one."""
    values, right = np.linalg.eig(A)
    left = np.linalg.pinv(right)
    shares = np.abs((basis @ right) * (left @ basis.T).T)
    return values, shares / np.maximum(shares.sum(axis=0), 1e-300)


def names_of(system: System, states: tuple[str, ...], values: Complexes, shares: Vector) -> tuple[str, ...]:
    """The name of each mode, or "": of several that fit, the one in which its states take most part has it."""
    found = [""] * len(values)
    for mode in system.modes:
        rows = [states.index(name) for name in mode.states if name in states]
        fit = np.abs(values.imag) > REAL * (1.0 + np.abs(values))
        share = np.where(fit == mode.oscillates, shares[rows].sum(axis=0), 0.0)
        best = float(share.max(initial=0.0))
        for k in np.flatnonzero((share >= MOST) & (share > best - 1e-9)):
            found[k] = found[k] or mode.name
    _name_deformations(system, states, values, shares, found)
    return tuple(found)


def has_names(system: System) -> bool:
    """Whether modes of a system may have names."""
    return bool(system.modes) or any(body.coordinates for body in system.bodies)


def _name_deformations(system: System, states: tuple[str, ...], values: Complexes, shares: Vector, found: list[str]) -> None:
    """Modes that oscillate and have no name yet are those of a soft body: "first bending", counted by their frequencies."""
    soft = [body for body in system.bodies if body.coordinates]
    kinds: list[tuple[str, Vector]] = []
    for body in soft:
        for word, names in body.deformations:
            rows = [k for k, state in enumerate(states) if state.removesuffix("_rate") in names]
            kinds.append((f"{word} of {body.name}" if len(soft) > 1 else word, shares[rows].sum(axis=0)))
    if not kinds:
        return
    counts = dict.fromkeys((word for word, _ in kinds), 0)
    frequencies = np.abs(values.imag)
    for k in np.argsort(frequencies, kind="stable"):
        if values[k].imag <= REAL * (1.0 + abs(values[k])) or found[k]:
            continue
        word, share = max(kinds, key=lambda kind: float(kind[1][k]))
        if share[k] < MOST:
            continue
        counts[word] += 1
        number = counts[word]
        named = f"{ORDINALS[number - 1] if number <= len(ORDINALS) else f'{number}th'} {word}"
        for other in (k, int(np.argmin(np.abs(values - values[k].conj())))):
            found[other] = found[other] or named
