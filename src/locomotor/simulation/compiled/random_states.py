"""Random starting states: numbers by counter, so that instance i starts alike whatever else is in the batch.

States stay on the CUDA device where the system is compiled for it and every name is one of the state; other names (roll,
speed) need the solution of equations, which the processor does.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from locomotor import checks
from locomotor.codegen import Program, compile_program, uniform
from locomotor.codegen.cuda import CudaRolloutKernel, need_device
from locomotor.errors import ArgumentError, InconsistentStartError
from locomotor.lie import Manifold, ops
from locomotor.simulation.starts import GAP_TOLERANCE, ITERATIONS, Starts
from locomotor.tracing.contacts import retract
from locomotor.tracing.core import Field, Port, Traced

if TYPE_CHECKING:
    from locomotor.simulation.compiled.system import CompiledSystem


def random_states(
    compiled: "CompiledSystem",
    count: int,
    ranges: Mapping[str, tuple[float, float]],
    start: Mapping[str, float] | None = None,
    seed: int = 0,
    first: int = 0,
) -> Any:
    """See `CompiledSystem.random_states`."""
    on_device = compiled.target == "cuda"
    fixed = dict(start or {})
    direct = set(ranges) <= set(compiled.state_names)
    xp = need_device(compiled.system.name).cupy if on_device and direct else np
    values = drawn(count, ranges, seed, first, xp)
    if not direct:
        return _solved(compiled, ranges, values, fixed)
    states = xp.tile(xp.asarray(compiled.start(fixed)), (count, 1))
    states[:, [compiled.state_names.index(name) for name in ranges]] = values
    if set(ranges) & set(compiled.state_names[: compiled.traced.nq]):
        states = _closed(compiled, states, tuple(ranges))
    return states.astype(compiled.precision)


def drawn(count: int, ranges: Mapping[str, tuple[float, float]], seed: int, first: int, xp: Any = np) -> Any:
    """Uniform values (count, ranges), as an array of `xp`; a range that is none is named."""
    for name, span in ranges.items():
        found = checks.floats(span, f"the range of {name!r}")
        if found.shape != (2,) or not np.isfinite(found).all() or not found[0] <= found[1]:
            raise ArgumentError(f"the range of {name!r} is {checks.shown(span)}; give two finite numbers, the smaller first")
    low, high = (xp.asarray([float(span[k]) for span in ranges.values()], dtype=float) for k in (0, 1))
    return low + (high - low) * uniform(seed, count, len(ranges), first, xp)


def beside_fixed(ranges: Mapping[str, Any], values: Any, fixed: Mapping[str, float]) -> tuple[tuple[str, ...], Any]:
    """Names and columns of the values drawn and, after them, of those that are the same for all."""
    rest = [name for name in fixed if name not in ranges]
    return (*ranges, *rest), np.hstack([values, np.tile([float(fixed[name]) for name in rest], (len(values), 1))])


def finished(compiled: "CompiledSystem", states: Any, reasons: Mapping[int, str]) -> Any:
    """The states, on the device where the system is compiled for it, unless some have a reason against them."""
    if reasons:
        index, reason = next(iter(reasons.items()))
        raise InconsistentStartError(
            f"{len(reasons)} of {len(states)} random states cannot be started, instance {index} because: {reason}; "
            "make the ranges smaller"
        )
    if compiled.target == "cuda":
        return need_device(compiled.system.name).cupy.asarray(states, dtype=compiled.precision)
    return states


def _solved(compiled: "CompiledSystem", ranges: Mapping[str, Any], values: Any, fixed: Mapping[str, float]) -> Any:
    """States from names of any kind, by `Starts`."""
    names, columns = beside_fixed(ranges, values, fixed)
    return finished(compiled, *Starts(compiled.traced, names)(columns))


def _closed(compiled: "CompiledSystem", states: Any, names: tuple[str, ...]) -> Any:
    """States moved to where the contacts are closed: Newton's method as a step map."""
    traced = compiled.traced
    if not traced.gaps_of_chart.outputs[0].size:
        return states
    program = Program(_newton(compiled), Manifold([("vector", traced.state_port.size)]))
    kernel: Any = CudaRolloutKernel(program) if compiled.target == "cuda" else compile_program(program, compiled.target)
    # The monitor lets a state whose gaps are closed end early, before it takes another step.
    result = kernel.run(states, ITERATIONS, 1.0, parameters=compiled.default_parameters, save_every=0)
    stuck = int((result.status != 1).sum())
    if stuck:
        raise InconsistentStartError(
            f"{stuck} of {len(states)} random states cannot be brought to closed contacts by moving from the values drawn for "
            f"{', '.join(names)}; make the ranges smaller"
        )
    return result.final


def _newton(compiled: "CompiledSystem") -> Traced:
    """One Newton step towards zero gaps; the monitor is negative where they are closed."""
    traced = compiled.traced
    moved = retract(traced.manifold, traced.arguments[1], traced.projection.function(*traced.arguments))
    gaps = [condition.gap for condition in traced.motion.constraints.conditions]
    largest = gaps[0] * gaps[0]
    for gap in gaps[1:]:
        largest = ops.fmax(largest, gap * gap)
    step = ops.symbols("step", 1)
    ports = [*zip(traced.ports, traced.arguments, strict=True), (Port("step", (Field("h"),)), step)]
    outputs = [
        (Port("next", traced.state_port.fields), moved),
        (Port("monitor", (Field("open"),)), ops.vector(largest - GAP_TOLERANCE**2)),
    ]
    return Traced.build(f"{traced.system.name}_closing", ports, outputs, "one Newton step towards zero gaps")
