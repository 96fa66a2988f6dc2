"""Proof that equations are right: two derivations that share nothing agree at many random states."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from locomotor.checks import choice, door, each, either, names, optional, whole
from locomotor.dataclass import dataclass
from locomotor.errors import ModelError
from locomotor.model import System, a_system
from locomotor.symbolic.closing import closing
from locomotor.symbolic.formalisms import VIRTUAL_POWER, WAYS, Equations
from locomotor.symbolic.regular import TRIES, WEAKER, binding, closed_at, nominal, scattered
from locomotor.tracing import TracedSystem, trace
from locomotor.tracing.readings import equation_parts, virtual_power
from locomotor.typing import Floats, Vector

AGREED = 1e-11
"""Relative difference up to which two numbers are the same: round-off of some thousand operations."""
SMALLEST = 1e-2
"""Velocities whose own mass is less than the square of this share of the largest are measured by that: its round-off is in
them."""
SPREAD = 0.5
"""How far random coordinates are from the nominal pose (m, rad)."""


@dataclass(frozen=True)
class Certificate:
    """How well the two derivations agree: the largest differences over all states, each relative to the size of its terms."""

    system: str
    states: int
    seed: int
    balance: float
    """How far our accelerations leave the other derivation's equations of motion unbalanced, whatever its multipliers."""
    mass: float
    slip: float
    """How far velocities through our kernel violate the other derivation's constraints."""
    energy: float
    accelerations: float
    """How far accelerations that are solved for differ: round-off times the condition of the mass matrix."""
    further: tuple[tuple[str, float], ...] = ()
    """Further derivations by name, each with its largest difference in mass matrix and balance."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Derivations that do not apply, and why."""

    @property
    def residual(self) -> float:
        """The largest of the differences that decide."""
        return max(self.balance, self.mass, self.slip, self.energy, *(found for _, found in self.further))

    @property
    def agreed(self) -> bool:
        """Whether the two derivations agree: all that is left of their difference is round-off."""
        return self.residual < AGREED

    def __str__(self) -> str:
        verdict = "agree" if self.agreed else "DISAGREE"
        return (
            f"{self.system}: the reduced Newton-Euler recursion and the principle of virtual power with multipliers {verdict} "
            f"at {self.states} random states (seed {self.seed}): largest relative difference {self.residual:.1e} (balance "
            f"{self.balance:.1e}, mass matrix {self.mass:.1e}, constraints {self.slip:.1e}, energy {self.energy:.1e}; solved "
            f"accelerations {self.accelerations:.1e})"
            + "".join(f"; by {name} {found:.1e}" for name, found in self.further)
            + "".join(f"; {reason}" for _, reason in self.left_out)
        )


@door(
    system=a_system,
    states=partial(whole, least=1, most=1_000_000),
    seed=whole,
    closed=optional(names),
    ways=either(each(choice(*WAYS)), choice("all", *WAYS)),
)
def certify(
    system: System,
    *,
    states: int = 1000,
    seed: int = 0,
    closed: tuple[str, ...] | None = None,
    ways: str | tuple[str, ...] = VIRTUAL_POWER,
) -> Certificate:
    """Derive the equations of motion a second time and compare: M, kernel, energy and all accelerations at random states.

    The first derivation is ours: Newton-Euler recursions, rows, kernel, reduction. The second writes down positions only and
    differentiates: virtual power with Lagrange multipliers, solved as one linear system. `ways` names further ones: "lagrange",
    "kane", "newton-euler" and "mampey", or "all" for those that apply. Contacts that open and close are open, but for those
    named in `closed`.
    """
    chosen = closing(system, closed)
    traced = trace(chosen)
    first, second = equation_parts(traced), virtual_power(traced)
    others, left_out = _others(traced, ways)
    rng = np.random.default_rng(seed)
    worst = dict.fromkeys(("balance", "mass", "slip", "energy", "accelerations", *others), 0.0)
    for _ in range(states):
        _compare(traced, first, second, others, rng, worst)
    further = tuple((name, worst.pop(name)) for name in others)
    return Certificate(system.name, states, seed, **worst, further=further, left_out=left_out)


def _others(traced: TracedSystem, ways: str | tuple[str, ...]) -> tuple[dict[str, Equations], tuple[tuple[str, str], ...]]:
    """Further derivations, and those among all that do not apply with their reasons."""
    asked = tuple(WAYS) if ways == "all" else (ways,) if isinstance(ways, str) else ways
    found: dict[str, Equations] = {}
    left_out: list[tuple[str, str]] = []
    for name in asked:
        if name == VIRTUAL_POWER:
            continue
        try:
            found[name] = WAYS[name](traced)
        except ModelError as error:
            if ways != "all":
                raise
            left_out.append((name, str(error)))
    return found, tuple(left_out)


def _compare(
    traced: TracedSystem,
    first: Any,
    second: Any,
    others: dict[str, Equations],
    rng: np.random.Generator,
    worst: dict[str, float],
) -> None:
    layout, reduction = traced.system.layout, traced.reduction
    u = rng.normal(size=len(layout.inputs))
    imposed = rng.normal(size=len(reduction.imposed))
    v = rng.normal(size=layout.nv)
    zero = np.zeros(layout.nv)

    def ours(q: Floats, v: Floats, time: float) -> dict[str, Floats]:
        values = first([time], q, v, imposed, zero, u, [])
        return dict(zip((port.name for port in first.outputs), values, strict=True))

    least = binding(reduction, ours(nominal(traced), v, 0.0)["rows"]) / WEAKER
    for _ in range(TRIES):
        q, time = closed_at(traced, scattered(traced, rng, SPREAD), float(rng.uniform()))
        start = ours(q, v, time)
        if binding(reduction, start["rows"]) >= least:
            break
    else:
        raise ModelError(f"certify: {traced.system.name} has no pose near its nominal one where its constraints are regular")
    driven = start["driven"] if start["driven"].size else zero
    v = start["kernel"] @ v[list(reduction.free)] + driven
    a = ours(q, v, time)
    known = a["known_acceleration"] if a["known_acceleration"].size else zero
    v_dot = a["kernel"] @ a["acceleration"] + known
    b = dict(zip((port.name for port in second.outputs), second([time], q, v, u, []), strict=True))
    fixed = np.eye(layout.nv)[list(reduction.imposed)]
    rows = np.vstack([b["rows"], fixed])
    right = np.concatenate([b["force"], -b["row_bias"], imposed])
    matrix = np.block([[b["mass"], -rows.T], [rows, np.zeros((len(rows), len(rows)))]])
    other = np.linalg.lstsq(matrix, right, rcond=None)[0][: layout.nv]
    sizes = _sizes(b["mass"])
    _note(worst, "accelerations", v_dot, other, 1.0 + float(np.abs(other).max(initial=0.0)))
    kept = b["rows"] @ v_dot + b["row_bias"]
    pace, rise = (float(np.abs(each).max(initial=0.0)) for each in (v, v_dot))
    steep = float(np.abs(b["rows"]).max(initial=0.0))
    _note(worst, "balance", kept, np.zeros_like(kept), steep * (rise + pace * pace))
    _note(worst, "balance", _left(b["mass"], b["force"], rows, v, v_dot, sizes), 0.0, 1.0)
    for name, equations in others.items():
        mass, force = equations(time, q, v, u)
        _note(worst, name, a["mass"] / sizes / sizes[:, None], mass / sizes / sizes[:, None], 1.0)
        _note(worst, name, _left(mass, force, rows, v, v_dot, sizes), 0.0, 1.0)
    _note(worst, "mass", a["mass"] / sizes / sizes[:, None], b["mass"] / sizes / sizes[:, None], 1.0)
    _note(worst, "slip", b["slip"], np.zeros_like(b["slip"]), steep * pace)
    _note(worst, "energy", a["kinetic_energy"], b["energy"], float(np.abs(b["energy"]).max(initial=0.0)))


def _sizes(mass: Floats) -> Vector:
    """The unit in which each velocity is measured: the root of its own mass, so that grams count beside kilograms."""
    own = np.sqrt(np.abs(np.diag(mass)))
    least = max(SMALLEST * float(own.max(initial=0.0)), np.finfo(float).tiny)
    return np.maximum(own, least)


def _left(mass: Floats, force: Floats, rows: Floats, v: Vector, v_dot: Vector, sizes: Vector) -> Vector:
    """What is left of M v_dot - force beside the forces of rows, each velocity in its own unit, relative to its terms."""
    pushed, needed, across = force / sizes, (mass / sizes[:, None]) @ v_dot, (rows / sizes).T
    left = needed - pushed
    left = left - across @ np.linalg.lstsq(across, left, rcond=None)[0] if len(rows) else left
    turning = float(np.abs(sizes * v).max(initial=0.0) * np.abs(v).max(initial=0.0))
    size = float(np.abs(sizes * v_dot).max(initial=0.0) + np.abs(pushed).max(initial=0.0)) + turning
    return np.asarray(left / size if size else left, dtype=np.float64)


def _note(worst: dict[str, float], what: str, a: Floats, b: Floats | float, size: float) -> None:
    apart = float(np.abs(a - b).max(initial=0.0))
    found = apart / size if apart and size else apart
    worst[what] = max(worst[what], found if np.isfinite(found) else np.inf)
