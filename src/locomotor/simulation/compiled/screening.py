"""What roll-outs are given, looked at before any step: numbers, and parameters that a real system has.

Instances whose parameters no real system has, or no such step can follow, get a status that says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from locomotor import checks
from locomotor.codegen import IMPOSSIBLE, Rollout
from locomotor.codegen.cuda import is_on_device, need_device, to_host
from locomotor.dataclass import dataclass
from locomotor.errors import NotFiniteError
from locomotor.model import System, impossible_rows, require_possible, why_impossible
from locomotor.simulation.inputs import check_resolution, unresolved, why_unresolved
from locomotor.typing import Flags

Why = Callable[[int], str]
"""Words for an instance, by its number."""


def as_arrays(door: str, target: str, states: Any, inputs: Any, parameters: Any) -> tuple[Any, Any, Any]:
    """States, inputs and parameters as arrays; the last two may be left out. What is none is named, with the `door`.

    Arrays on a device stay there where the steps are taken there. Shapes are left to the roll-out, which knows the names of
    what belongs into them.
    """
    given = {"states": states, "inputs": inputs, "parameters": parameters}
    made = (
        None if value is None and what != "states" else _array(f"{door}: {what}", target, value)
        for what, value in given.items()
    )
    x, u, p = made
    return x, u, p


def _array(what: str, target: str, value: Any) -> Any:
    if target == "cuda" and is_on_device(value):
        cupy = need_device(what).cupy
        return value if isinstance(value, cupy.ndarray) else cupy.from_dlpack(value)
    return checks.floats(value, what, copy=False)


@dataclass(frozen=True, eq=False)
class Screen:
    """States to roll out; those whose parameters are impossible (`rows`) are no numbers, so that they take no step."""

    states: Any
    given: Any = None
    rows: Flags | None = None
    why: Why | None = None

    def mark(self, result: Rollout) -> None:
        """Give impossible instances their status, and the state that they were given."""
        if self.rows is not None:
            where = _beside(result.status, self.rows)
            result.status[where] = IMPOSSIBLE
            size = self.given.shape[1]  # a state may have its derivatives behind it
            result.final[where, :size] = _beside(result.final, self.given)[where]


def screen(system: System, names: tuple[str, ...], states: Any, parameters: Any, step: float) -> Screen:
    """Judge the parameters of a roll-out: those shared by all are refused if impossible, those of instances are marked.

    So are drives of flyers that are too fast for the step.

    Parameters on a CUDA device are copied to the host for it. What has a wrong shape is left to who uses it.
    """
    if parameters is None or not names:
        check_resolution(system, step)
        return Screen(states)
    given = _arrays(parameters)
    table = np.asarray(to_host(given))
    if table.dtype.kind not in "iuf" or table.ndim not in (1, 2) or table.shape[-1] != len(names):
        return Screen(states)
    table = table.astype(np.float64)
    if table.ndim == 1 or len(table) == 1:
        values = dict(zip(names, table.reshape(-1).tolist(), strict=True))
        if words := _not_finite(values):
            raise NotFiniteError(words)
        require_possible(system, values)
        check_resolution(system, step, values)
        return Screen(states)
    rows = impossible_rows(system, names, table) | ~np.isfinite(table).all(axis=1) | unresolved(system, step, names, table)
    if not rows.any() or len(np.shape(states)) != 2 or np.shape(states)[0] != len(table):
        return Screen(states)
    own = _arrays(states)
    marked = own.copy() if is_on_device(own) else np.array(own, dtype=np.float64)
    marked[_beside(own, rows)] = np.nan

    def why(i: int) -> str:
        values = dict(zip(names, table[i].tolist(), strict=True))
        return _not_finite(values) or why_impossible(system, values) or why_unresolved(system, step, values)

    return Screen(marked, own, rows, why)


def _not_finite(values: Mapping[str, float]) -> str:
    """Words for a parameter that is no finite number; "" where all are."""
    wrong = [f"parameter {name!r} is {value}; give a finite number" for name, value in values.items() if not np.isfinite(value)]
    return wrong[0] if wrong else ""


def _arrays(value: Any) -> Any:
    """An array of whichever library as one of CuPy or NumPy."""
    return need_device("a roll-out").cupy.from_dlpack(value) if is_on_device(value) else np.asarray(value)


def _beside(array: Any, value: Any) -> Any:
    """A value where an array is: on the device, or on the host."""
    return need_device("a roll-out").cupy.asarray(value) if is_on_device(array) else to_host(value)
