"""Rows of one closure between two free bodies, as a function of their poses and twists: evaluated for many joints at once."""

import dataclasses
from typing import Any

import casadi
import numpy as np

from locomotor.lie import SE3, ops, quaternion
from locomotor.mechanics.loops import Jet, Pair, Relative, closing, free_body
from locomotor.model import Closure, evaluate
from locomotor.tracing.core import Field, Port, Traced
from locomotor.typing import Vector

POSE, TWIST = 7, 6


def data_fields(closure: Closure) -> tuple[str, ...]:
    """Fields of a closure that are numbers or vectors, and given."""
    fields = ("at_a", "at_b", *closure.UNIT_VECTORS, *closure.SCALARS)
    return tuple(name for name in fields if getattr(closure, name) is not None)


def closure_key(closure: Closure, values: Any) -> tuple[Any, ...]:
    """Closures with the same key have the same function: kind, what is given, and which axis is farthest from each of theirs.

    The last is what `mechanics.loops.across` chooses by, for any direction of a closure.
    """
    given = data_fields(closure)
    vectors = [evaluate(getattr(closure, name), values) for name in closure.UNIT_VECTORS if name in given]
    return (type(closure), given, *(int(np.abs(np.asarray(vector)).argmin()) for vector in vectors))


def closure_data(closure: Closure, values: Any) -> Vector:
    """The numbers of a closure, in the order that its function takes them."""
    parts = [np.atleast_1d(np.asarray(evaluate(getattr(closure, name), values), dtype=float)) for name in data_fields(closure)]
    return np.concatenate(parts)


def closure_kernel(closure: Closure, values: Any) -> Traced:
    """Function of (pose_a, twist_a, pose_b, twist_b, data): gap, rate, bias and the rows over both twists."""
    names: dict[str, Any] = {}
    numbers: dict[str, float] = {}
    for field in data_fields(closure):
        given = np.atleast_1d(np.asarray(evaluate(getattr(closure, field), values), dtype=float))
        entries = [f"{field}_{k}" for k in range(len(given))]
        numbers |= dict(zip(entries, given.tolist(), strict=True))
        names[field] = tuple(entries) if len(entries) > 1 else entries[0]
    general = dataclasses.replace(closure, **names)
    pose_a, pose_b = casadi.SX.sym("pose_a", POSE), casadi.SX.sym("pose_b", POSE)
    twist_a, twist_b = casadi.SX.sym("twist_a", TWIST), casadi.SX.sym("twist_b", TWIST)
    data = casadi.SX.sym("data", len(numbers))
    symbols = {name: data[k] for k, name in enumerate(numbers)}
    pair = Pair(_body(pose_a, twist_a, 0), _body(pose_b, twist_b, TWIST), symbols, numbers, -1)
    conditions = closing(general, pair)
    k = len(conditions)
    flows = [condition.flow if isinstance(condition, Jet) else condition for condition in conditions]
    gaps = [condition.value if isinstance(condition, Jet) else 0.0 for condition in conditions]
    rows = ops.vector(*(flow.row.get(j, 0.0) for flow in flows for j in range(2 * TWIST)))
    labels = [label for label, _ in closure.ROWS]
    outputs = [
        (Port("gap", tuple(Field(f"{label}_gap") for label in labels)), ops.vector(*gaps)),
        (Port("bias", tuple(Field(f"{label}_bias") for label in labels)), ops.vector(*(flow.bias for flow in flows))),
        (Port("rows", tuple(Field(f"{label}_{j}") for label in labels for j in range(2 * TWIST)), (k, 2 * TWIST)), rows),
    ]
    inputs = [
        (Port(name, tuple(Field(f"{name}_{i}") for i in range(symbol.numel()))), symbol)
        for name, symbol in (("pose_a", pose_a), ("twist_a", twist_a), ("pose_b", pose_b), ("twist_b", twist_b), ("data", data))
    ]
    return Traced.build(f"{type(closure).__name__}_rows", inputs, outputs, "rows of a closure between two free bodies")


def _body(pose: Any, twist: Any, first: int) -> Relative:
    return free_body(SE3(quaternion.to_matrix(pose[3:7]), pose[0:3]), twist, first)
