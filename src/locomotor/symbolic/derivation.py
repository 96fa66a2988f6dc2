"""The equations of motion by a classical formalism, evaluated at states given by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

import numpy as np

from locomotor import checks
from locomotor.checks import choice, door, mapping, number, numbers_by_name, optional
from locomotor.dataclass import dataclass
from locomotor.errors import UnknownNameError
from locomotor.model import System, a_system
from locomotor.names import suggestion
from locomotor.symbolic.closing import closing
from locomotor.symbolic.formalisms import METHODS, VIRTUAL_POWER, WAYS, Equations, solve_constrained
from locomotor.symbolic.integrals import imposed_laws
from locomotor.tracing import trace
from locomotor.tracing.core import Traced
from locomotor.tracing.readings import virtual_power
from locomotor.typing import Floats, Vector


@checks.doors
@dataclass(frozen=True, eq=False)
class Derivation:
    """M v_dot = force + C^T lambda and C v_dot = right, derived `by` one of the classical ways."""

    system: System
    by: str
    _equations: Equations = field(repr=False)
    _power: Traced = field(repr=False)

    @door(state=optional(mapping), inputs=optional(numbers_by_name), time=number)
    def parts(
        self, state: Mapping[str, float] | None = None, inputs: Mapping[str, float] | None = None, *, time: float = 0.0
    ) -> dict[str, Floats]:
        """`mass`, `force`, `rows` and `right` at coordinates and velocities given by name.

        Coordinates that are not given are those of the nominal pose, velocities zero; imposed joints are where their laws say,
        and have a row each after those of contacts, formulas and loops.
        """
        q, v = self._state(state, time)
        known = [symbol.name for symbol in self.system.layout.inputs]
        for name in inputs or {}:
            if name not in known:
                raise UnknownNameError(f"inputs: the system has no input {name!r}: {suggestion(name, known)}")
        u = np.array([float((inputs or {}).get(name, 0.0)) for name in known])
        mass, force = self._equations(time, q, v, u)
        values = self._power(np.array([time]), q, v, u, np.zeros(0))
        power = dict(zip((port.name for port in self._power.outputs), values, strict=True))
        n = self.system.layout.nv
        imposed = [(self.system.layout.v[j.name].start, imposed_laws(self.system, j, time)[2]) for j in self.system.imposed]
        rows = np.vstack([power["rows"].reshape(-1, n), np.eye(n)[[place for place, _ in imposed]].reshape(-1, n)])
        right = np.concatenate([-power["row_bias"].reshape(-1), [a for _, a in imposed]])
        return {"mass": mass, "force": force, "rows": rows, "right": right}

    @door(state=optional(mapping), inputs=optional(numbers_by_name), time=number, method=choice(*METHODS))
    def solve(
        self,
        state: Mapping[str, float] | None = None,
        inputs: Mapping[str, float] | None = None,
        *,
        time: float = 0.0,
        method: str = "direct",
    ) -> tuple[dict[str, float], Vector]:
        """Accelerations by the names of their velocities, and the multipliers, by one of four methods.

        See `solve_constrained` for the methods. Where rows depend on others, as the hinges of plane loops do, take "reduced".
        """
        parts = self.parts(state, inputs, time=time)
        found, multipliers = solve_constrained(parts["mass"], parts["rows"], parts["force"], parts["right"], method=method)
        return {s.name: float(a) for s, a in zip(self.system.layout.velocities, found, strict=True)}, multipliers

    def _state(self, state: Mapping[str, float] | None, time: float) -> tuple[Vector, Vector]:
        layout = self.system.layout
        q, v = self.system.nominal_pose(), np.zeros(layout.nv)
        for joint in self.system.imposed:
            q[layout.q[joint.name]], v[layout.v[joint.name]], _ = imposed_laws(self.system, joint, time)
        places = {symbol.name: (q, i) for i, symbol in enumerate(layout.coordinates)}
        places |= {symbol.name: (v, i) for i, symbol in enumerate(layout.velocities)}
        for name, value in (state or {}).items():
            if name not in places:
                raise UnknownNameError(f"state: the system has no coordinate or velocity {name!r}: {suggestion(name, places)}")
            array, i = places[name]
            array[i] = number(value, f"state {name!r}")
        return q, v


@door(system=a_system, by=choice(*WAYS))
def derive(system: System, by: str = VIRTUAL_POWER) -> Derivation:
    """The equations of motion of a system by "virtual power", "lagrange", "kane", "newton-euler" or "mampey".

    For comparison and teaching, on numbers; runs are made of the library's own reduced equations, which `certify` compares with
    these. Contacts that open and close are open.
    """
    traced = trace(closing(system, None))
    return Derivation(traced.system, by, WAYS[by](traced), virtual_power(traced))
