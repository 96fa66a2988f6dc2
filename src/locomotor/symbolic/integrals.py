"""First integrals: what stays constant along every motion of a system, found at random states and watched along runs.

Candidates are the energy T + V, the generalised energy T_2 - T_0 + V (Painlevé's integral, where motions are imposed), the
momenta dT/dv of velocities (constant for cyclic coordinates), and linear and angular momentum of the whole. One is an integral
where its rate along the library's own accelerations vanishes, to round-off, at every state that is tried.
"""

from __future__ import annotations

from dataclasses import field
from functools import partial
from typing import Any, Protocol, runtime_checkable

import numpy as np

from locomotor import checks
from locomotor.checks import door, instance, whole
from locomotor.dataclass import dataclass
from locomotor.errors import NumericsError
from locomotor.model import Joint, Motion, System, a_system, evaluate
from locomotor.symbolic.closing import closing
from locomotor.symbolic.regular import TRIES, WEAKER, binding, closed_at, nominal, scattered
from locomotor.tracing import TracedSystem, trace
from locomotor.tracing.core import Traced
from locomotor.tracing.readings import candidates, equation_parts
from locomotor.typing import Floats, Vector

VANISHES = 1e-10
"""Rate, relative to its terms, that is round-off."""
SPREAD = 0.6
LATEST = 3.0
"""Times (s) at which states are tried."""


@runtime_checkable
class Recorded(Protocol):
    """What is asked of a run: its times, and channels by name."""

    time: Any

    def __getitem__(self, name: str) -> Any: ...


@checks.doors
@dataclass(frozen=True, eq=False)
class FirstIntegral:
    """A quantity that no motion changes."""

    name: str
    unit: str
    meaning: str
    _place: int = field(repr=False)
    _traced: TracedSystem = field(repr=False)
    _function: Traced = field(repr=False)

    @door(run=instance(Recorded, remedy="give a Run"))
    def of(self, run: Recorded) -> Vector:
        """Values of the first integral along a run."""
        layout = self._traced.system.layout
        q = np.column_stack([run[s.name] for s in layout.coordinates]) if layout.nq else np.zeros((len(run.time), 0))
        v = np.column_stack([run[s.name] for s in layout.velocities]) if layout.nv else np.zeros((len(run.time), 0))
        u = np.column_stack([run[s.name] for s in layout.inputs]) if layout.inputs else np.zeros((len(run.time), 0))
        rest = np.zeros(layout.nv)
        found = [self._function(np.array([t]), q[k], v[k], u[k], np.zeros(0), rest)[0] for k, t in enumerate(run.time)]
        return np.array(found)[:, self._place]

    def drift(self, run: Recorded) -> float:
        """How far it departs from its first value along a run, in its own unit."""
        values = self.of(run)
        return float(np.abs(values - values[0]).max())

    def __str__(self) -> str:
        return f"{self.name} ({self.unit}): {self.meaning}"


@door(system=a_system, states=partial(whole, least=2, most=100_000), seed=whole)
def first_integrals(system: System, *, states: int = 12, seed: int = 0) -> tuple[FirstIntegral, ...]:
    """The first integrals among energies and momenta, each with what it means; those that are always zero are left out.

    Of several that are the same, the first is kept. Contacts that open and close are open.
    """
    traced = trace(closing(system, None))
    parts = equation_parts(traced)
    function, fields = candidates(traced)
    rng = np.random.default_rng(seed)
    n = len(fields)
    holds, values = np.ones(n, dtype=bool), []
    least = binding(traced.reduction, _at_rest(traced, parts, nominal(traced))["rows"]) / WEAKER
    for _ in range(states):
        value, rate, size = _tried(traced, parts, function, rng, least)
        if not np.isfinite(rate).all():
            raise NumericsError(f"{system.name}: the equations of motion have no finite value near the nominal pose")
        holds &= np.abs(rate) <= VANISHES * (1e-3 + size)
        values.append(value)
    table, kept = np.array(values), list[int]()
    for k in np.flatnonzero(holds):
        size = np.abs(table[:, k]).max()
        same = (np.abs(table[:, j] - s * table[:, k]).max() <= 1e-9 * size for j in kept for s in (1.0, -1.0))
        if size > 1e-12 and not any(same):
            kept.append(int(k))
    return tuple(FirstIntegral(fields[k].name, fields[k].unit, fields[k].description, k, traced, function) for k in kept)


def _tried(
    traced: TracedSystem, parts: Traced, function: Traced, rng: np.random.Generator, least: float
) -> tuple[Floats, Floats, Floats]:
    """Values, rates and their sizes at a random state at which imposed joints follow their laws, and constraints bind."""
    system, reduction = traced.system, traced.reduction
    layout = system.layout
    u = np.zeros(len(layout.inputs))
    v, imposed = rng.normal(size=layout.nv), np.zeros(len(reduction.imposed))
    for _ in range(TRIES):
        begun, t = scattered(traced, rng, SPREAD), float(rng.uniform(0.0, LATEST))
        q, reached = closed_at(traced, _driven(system, begun, t), t)
        if reached != t:
            q, t = closed_at(traced, _driven(system, begun, reached), reached)
        for joint in system.imposed:
            place = layout.v[joint.name].start
            _, v[place], imposed[reduction.imposed.index(place)] = imposed_laws(system, joint, t)
        if binding(reduction, _at_rest(traced, parts, q, t)["rows"]) >= least:
            break
    seen = _seen(traced, parts, t, q, v, imposed, u)
    v = seen["kernel"] @ v[list(reduction.free)] + seen["driven"]
    seen = _seen(traced, parts, t, q, v, imposed, u)
    v_dot = seen["kernel"] @ seen["acceleration"] + seen["known_acceleration"]
    found = function(np.array([t]), q, v, u, np.zeros(0), v_dot)
    return found[0], found[1], found[2]


def _driven(system: System, q: Vector, t: float) -> Vector:
    """A pose with imposed joints where their laws put them."""
    q = q.copy()
    for joint in system.imposed:
        q[system.layout.q[joint.name]], _, _ = imposed_laws(system, joint, t)
    return q


def _at_rest(traced: TracedSystem, parts: Traced, q: Vector, t: float = 0.0) -> dict[str, Floats]:
    layout = traced.system.layout
    still, imposed = np.zeros(layout.nv), np.zeros(len(traced.reduction.imposed))
    return _seen(traced, parts, t, q, still, imposed, np.zeros(len(layout.inputs)))


def _seen(traced: TracedSystem, parts: Traced, t: float, q: Vector, v: Vector, imposed: Vector, u: Vector) -> dict[str, Floats]:
    """The parts of the equations at a state; what a system does not have is zero."""
    nv = traced.system.layout.nv
    values = parts(np.array([t]), q, v, imposed, np.zeros(nv), u, np.zeros(0))
    found = dict(zip((port.name for port in parts.outputs), values, strict=True))
    return found | {name: np.zeros(nv) for name in ("driven", "known_acceleration") if not found[name].size}


def imposed_laws(system: System, joint: Joint, t: float) -> tuple[float, float, float]:
    """Position, velocity and acceleration of an imposed joint."""
    drive, values = joint.drive, {**system.parameters.values, "t": t}
    assert isinstance(drive, Motion)
    return (
        float(evaluate(drive.position, values)),
        float(evaluate(drive.velocity, values)),
        float(evaluate(drive.acceleration, values)),
    )
