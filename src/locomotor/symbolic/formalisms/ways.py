"""The classical ways to equations of motion, by name: each gives a mass matrix and the right-hand side beside it."""

from collections.abc import Callable

import numpy as np

from locomotor.symbolic.formalisms.kane import kane
from locomotor.symbolic.formalisms.mampey import mampey
from locomotor.symbolic.formalisms.newton_euler import newton_euler
from locomotor.symbolic.formalisms.seen import Seen, look, refuse_what_is_not_rigid
from locomotor.tracing import TracedSystem
from locomotor.tracing.core import Traced
from locomotor.tracing.readings import lagrange, virtual_power
from locomotor.typing import Floats, Vector

Equations = Callable[[float, Vector, Vector, Vector], tuple[Floats, Vector]]
"""Time, coordinates, velocities, inputs -> M and force of M v_dot = force + C^T lambda."""
VIRTUAL_POWER = "virtual power"


def _virtual_power(traced: TracedSystem) -> Equations:
    return _traced(virtual_power(traced))


def _lagrange(traced: TracedSystem) -> Equations:
    return _traced(lagrange(traced))


def _traced(function: Traced) -> Equations:
    def found(t: float, q: Vector, v: Vector, u: Vector) -> tuple[Floats, Vector]:
        mass, force = function(np.array([t]), q, v, u, np.zeros(0))[:2]
        return mass, force

    return found


def _on_bodies(name: str, formalism: Callable[[Seen], tuple[Floats, Vector]]) -> Callable[[TracedSystem], Equations]:
    """A formalism of rigid bodies and their weights; what else is applied comes from its virtual power."""

    def made(traced: TracedSystem) -> Equations:
        refuse_what_is_not_rigid(traced, name)
        power = virtual_power(traced)
        place = [port.name for port in power.outputs].index("applied")

        def found(t: float, q: Vector, v: Vector, u: Vector) -> tuple[Floats, Vector]:
            M, force = formalism(look(traced.system, q, v))
            return M, force + power(np.array([t]), q, v, u, np.zeros(0))[place]

        return found

    return made


WAYS: dict[str, Callable[[TracedSystem], Equations]] = {
    VIRTUAL_POWER: _virtual_power,
    "lagrange": _lagrange,
    "kane": _on_bodies("Kane", kane),
    "newton-euler": _on_bodies("Newton and Euler", newton_euler),
    "mampey": _on_bodies("Mampey", mampey),
}
"""By which name each of them is asked for."""
