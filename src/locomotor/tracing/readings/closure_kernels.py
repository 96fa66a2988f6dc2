"""Rows of one closure between free bodies, as a function of time, poses and twists: evaluated for many joints at once."""

import dataclasses
from typing import Any

import casadi
import numpy as np

from locomotor.lie import SE3, ops, quaternion
from locomotor.mechanics.loops import Flow, Jet, Pair, Relative, closing, free_body
from locomotor.model import Closure, evaluate
from locomotor.model.expressions import free_names
from locomotor.names import TIME
from locomotor.tracing.core import Field, Port, Traced
from locomotor.typing import Vector

POSE, TWIST = 7, 6


def data_fields(closure: Closure) -> tuple[str, ...]:
    """Fields of a closure that are numbers or vectors, and given; laws of time stay laws."""
    fields = ("at_a", "at_b", *closure.UNIT_VECTORS, *closure.SCALARS)
    return tuple(name for name in fields if getattr(closure, name) is not None and name not in timed_fields(closure))


def timed_fields(closure: Closure) -> tuple[str, ...]:
    """Fields that are laws of time."""
    return tuple(name for name in closure.LAWS if TIME in free_names(getattr(closure, name)))


def closure_key(closure: Closure, values: Any) -> tuple[Any, ...]:
    """Closures with the same key have the same function: kind, what is given, and which axis is farthest from each of theirs.

    The last is what `mechanics.loops.across` chooses by, for any direction of a closure. Whatever else a closure has, such as
    `inside` or `crossed`, chooses between functions, and is no number that one takes.
    """
    given = data_fields(closure)
    vectors = [evaluate(getattr(closure, name), values) for name in closure.UNIT_VECTORS if name in given]
    laws = tuple(getattr(closure, name) for name in timed_fields(closure))
    numbers = {"name", *closure.BODIES, *given, *timed_fields(closure)}
    choices = tuple(repr(getattr(closure, field.name)) for field in dataclasses.fields(closure) if field.name not in numbers)
    return (type(closure), given, laws, choices, *(int(np.abs(np.asarray(vector)).argmin()) for vector in vectors))


def closure_data(closure: Closure, values: Any) -> Vector:
    """The numbers of a closure, in the order that its function takes them."""
    parts = [np.atleast_1d(np.asarray(evaluate(getattr(closure, name), values), dtype=float)) for name in data_fields(closure)]
    return np.concatenate(parts)


def closure_kernel(closure: Closure, values: Any) -> Traced:
    """Function of (time, poses, twists, data): see `free_kernel`."""
    names: dict[str, Any] = {}
    numbers: dict[str, float] = {}
    for field in data_fields(closure):
        given = np.atleast_1d(np.asarray(evaluate(getattr(closure, field), values), dtype=float))
        entries = [f"{field}_{k}" for k in range(len(given))]
        numbers |= dict(zip(entries, given.tolist(), strict=True))
        names[field] = tuple(entries) if len(entries) > 1 else entries[0]
    general = dataclasses.replace(closure, **names)
    free = FreeBodies.named(len(closure.BODIES), len(numbers))
    symbols = {**values, **{name: free.data[k] for k, name in enumerate(numbers)}, TIME: free.time}
    a, b, *third = free.bodies
    pair = Pair(a, b, symbols, {**values, **numbers}, -1, third[0] if third else None)
    return free.kernel(type(closure).__name__, closing(general, pair))


@dataclasses.dataclass(frozen=True, eq=False)
class FreeBodies:
    """Symbols of some bodies that all move freely, with the time and further numbers."""

    time: casadi.SX
    poses: tuple[casadi.SX, ...]
    twists: tuple[casadi.SX, ...]
    data: casadi.SX

    @classmethod
    def named(cls, count: int, numbers: int) -> "FreeBodies":
        """Symbols for so many bodies and numbers."""
        poses = tuple(casadi.SX.sym(f"pose_{k}", POSE) for k in range(count))
        twists = tuple(casadi.SX.sym(f"twist_{k}", TWIST) for k in range(count))
        return cls(casadi.SX.sym("time"), poses, twists, casadi.SX.sym("data", numbers))

    @property
    def bodies(self) -> tuple[Relative, ...]:
        """The bodies, each with six columns of its own."""
        return tuple(
            free_body(SE3(quaternion.to_matrix(pose[3:7]), pose[0:3]), twist, TWIST * k)
            for k, (pose, twist) in enumerate(zip(self.poses, self.twists, strict=True))
        )

    def kernel(self, name: str, conditions: tuple[Jet | Flow, ...]) -> Traced:
        """Function of (time, poses, twists, data): gap, drift, bias and rows over the twists of conditions x = 0.

        x_dot = rows twists + drift, x_ddot = rows twists_dot + bias; the gap of a condition on velocities alone is zero.
        """
        flows = [condition.flow if isinstance(condition, Jet) else condition for condition in conditions]
        gaps = [condition.value if isinstance(condition, Jet) else 0.0 for condition in conditions]
        width = TWIST * len(self.poses)
        return self.built(
            name,
            ops.vector(*gaps),
            ops.vector(*(flow.drift for flow in flows)),
            ops.vector(*(flow.bias for flow in flows)),
            ops.vector(*(flow.row.get(j, 0.0) for flow in flows for j in range(width))),
        )

    def built(self, name: str, gap: Any, drift: Any, bias: Any, rows: Any) -> Traced:
        """The function of these."""
        k, width = ops.size(gap), TWIST * len(self.poses)
        outputs = [
            (Port(port, tuple(Field(f"{port}_{i}") for i in range(k))), value)
            for port, value in (("gap", gap), ("drift", drift), ("bias", bias))
        ]
        outputs.append((Port("rows", tuple(Field(f"row_{i}_{j}") for i in range(k) for j in range(width)), (k, width)), rows))
        inputs = [
            (Port(port, tuple(Field(f"{port}_{i}") for i in range(symbol.numel()))), symbol) for port, symbol in self._arguments
        ]
        return Traced.build(f"{name}_rows", inputs, outputs, "rows of a condition between free bodies")

    @property
    def _arguments(self) -> list[tuple[str, casadi.SX]]:
        poses = [(f"pose_{k}", symbol) for k, symbol in enumerate(self.poses)]
        twists = [(f"twist_{k}", symbol) for k, symbol in enumerate(self.twists)]
        return [("time", self.time), *poses, *twists, ("data", self.data)]
