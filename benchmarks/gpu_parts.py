"""What is measured on a CUDA device, part by part; `gpu.py` runs the parts."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from batches import MILLION, chart, finer_error
from fleet import BICYCLE, FLEET, TREE, Member
from gpu_humanoid import humanoids
from measure import empty_cache
from report import Figure, at_least, at_most, seconds, small
from ride import DURATION, reference

import locomotor as lm
from locomotor.analysis.stability.batched import batched_eigenvalues
from locomotor.codegen.cuda import need_device
from locomotor.simulation import CompiledSystem

BATCH, STEPS, REPEATS = 2**20, 200, 7
SIZES = tuple(2**k for k in range(14, 23, 2))
PRECISIONS = ("float64", "float32")
UNITS = {"80": {"float64": 32, "float32": 64}, "90": {"float64": 64, "float32": 128}}
"""Fused multiply-adds a multiprocessor begins in a clock, by compute capability (CUDA programming guide, arithmetic
instructions)."""
LONGEST_COMPILE = 30.0
"""Seconds that the tree of 20 joints may take to be compiled for a device."""
FAR = 0.15
"""Lean (rad) that some of the scattered bicycles exceed."""
ONE_STEP, THOUSAND_STEPS = 1e-12, 1e-9
"""Largest differences allowed between device and processor in float64, relative; see `difference`. The bicycle's stable ride
damps round-off, but for the position along the path, which integrates it."""


@dataclass(frozen=True)
class Accelerator:
    """A device: how systems are compiled for it, where its arrays are, and how to wait for it."""

    arrays: Any
    """The module `cupy`."""
    target: str = "cuda"

    def compile(self, member: Member, precision: str) -> CompiledSystem:
        """A system for the device."""
        return member.compile(self.target, precision)

    def put(self, array: Any, precision: str) -> Any:
        """An array on the device."""
        return self.arrays.asarray(array, dtype=precision)

    def get(self, array: Any) -> Any:
        """An array of the device on the host."""
        return array.get()

    def wait(self) -> None:
        """Until the device has done everything."""
        self.arrays.cuda.Device().synchronize()

    def cost(self, compiled: CompiledSystem) -> str:
        """Registers and memory of one thread."""
        return f"{compiled.roller.registers} registers, {compiled.roller.local_bytes} bytes of local memory a thread"

    def limit(self, precision: str) -> float | None:
        """Operations a second at best, a multiply-add counted as two; None for a device this file does not know."""
        device = self.arrays.cuda.Device()
        units = UNITS.get(str(device.compute_capability))
        if units is None:
            return None
        attributes = device.attributes
        return 2.0 * attributes["MultiProcessorCount"] * units[precision] * 1e3 * attributes["ClockRate"]


def accelerator() -> Accelerator:
    """The device of this machine; an error that says what is missing where there is none."""
    return Accelerator(need_device("benchmarks").cupy)


def median_seconds(on: Accelerator, call: Callable[[], Any], repeats: int = REPEATS) -> float:
    """Elapsed time of a call from Python until the device has done it; the first call only warms up."""
    taken = []
    for _ in range(repeats + 1):
        on.wait()
        begin = time.perf_counter()
        call()
        on.wait()
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken[1:])


def rate(on: Accelerator, compiled: CompiledSystem, states: Any, steps: int, step: float) -> float:
    """Steps a second, the states on the device before and after."""
    return len(states) * steps / median_seconds(on, lambda: compiled.rollout(states, steps, step, save_every=0))


def scattered(state: np.ndarray, batch: int) -> np.ndarray:
    """Bicycles in the same pose that lean at different rates: any reduced velocity suits the constraints."""
    many = np.tile(state, (batch, 1))
    many[:, -3:] *= 1.0 + 0.2 * np.random.default_rng(0).uniform(-1.0, 1.0, (batch, 3))
    return many


def step_operations(compiled: CompiledSystem) -> int:
    """Arithmetic of one step: the tape once a stage, and that of `runtime/rollout.h` and `manifold.h` around it.

    A retraction of a quaternion takes 65 operations, the rate of its rotation vector 51, its normalisation 13; the sums of
    Runge-Kutta take 13 a tangent component, adding them to a vector 1, the search for infinities 2 a number. Every function
    counts as one operation, a sine like a sum.
    """
    manifold = compiled.roller.program.manifold
    quaternions = manifold.size - manifold.tangent_size
    vector = manifold.size - 4 * quaternions
    own = quaternions * (4 * 65 + 4 * 51 + 13) + 13 * manifold.tangent_size + 4 * vector + 2 * manifold.size
    return 4 * compiled.operations + own


def difference(found: Any, wanted: Any) -> float:
    """Largest difference of a number, relative where it exceeds 1."""
    return float((np.abs(found - wanted) / np.maximum(1.0, np.abs(wanted))).max())


# --- parts -----------------------------------------------------------------------------------------------------------


def bicycles(on: Accelerator, batch: int = BATCH, steps: int = STEPS) -> list[Figure]:
    """The headline figures, with the error of the same ride and the share of what the device could do."""
    figures = []
    whole = round(DURATION / BICYCLE.step)
    end = np.array([reference(1)[name][-1] for name in ("x", "y", "z")])
    for precision, least in (("float64", 1.3), ("float32", 4.0)):
        compiled = on.compile(BICYCLE, precision)
        state = BICYCLE.state()
        many = on.put(scattered(state, batch), precision)
        per_second = rate(on, compiled, many, steps, BICYCLE.step)
        ride = compiled.rollout(on.put(state[None, :], precision), whole, BICYCLE.step, save_every=0)
        error = float(np.linalg.norm(on.get(ride.final)[0, :3].astype(float) - end))
        note = (
            f"batch of {batch:,}, {steps} steps of {BICYCLE.step:g} s, median of {REPEATS} calls; {on.cost(compiled)}; "
            f"position after {DURATION:g} s wrong by {small(error)} m (reference: dop853 at 1e-13)"
        )
        figures.append(at_least(f"bicycle, {precision}: billion RK4 steps a second", per_second / 1e9, least, note))
        figures.append(_share(on, compiled, per_second, precision))
    return figures


def _share(on: Accelerator, compiled: CompiledSystem, per_second: float, precision: str) -> Figure:
    operations = step_operations(compiled)
    what, limit = f"bicycle, {precision}: share of the arithmetic limit", on.limit(precision)
    done = per_second * operations
    counted = f"{operations:,} operations a step (4 x {compiled.operations:,} and the stepper's own), each counted as one"
    if limit is None:
        return Figure(what, "unknown", note=f"{done / 1e12:.3g} T operations a second; {counted}")
    note = (
        f"{done / 1e12:.3g} of {limit / 1e12:.3g} T operations a second with every multiply-add of the device counted as two; "
        f"{100 * done / (limit / 2):.0f} % of the instructions it can begin; {counted}"
    )
    return Figure(what, f"{100 * done / limit:.0f} %", note=note)


def agreement(on: Accelerator, batch: int = 512) -> list[Figure]:
    """The device against the processor on the same states, after one step and after a thousand."""
    states = scattered(BICYCLE.state(), batch)
    host = BICYCLE.compile("auto")
    figures = []
    for steps, limit in ((1, ONE_STEP), (1000, THOUSAND_STEPS)):
        wanted = host.rollout(states, steps, BICYCLE.step, save_every=0).final
        apart = {}
        for precision in PRECISIONS:
            run = on.compile(BICYCLE, precision).rollout(on.put(states, precision), steps, BICYCLE.step, save_every=0)
            apart[precision] = difference(on.get(run.final), wanted)
        what = f"bicycle: device against processor after {steps} step{'s' * (steps > 1)}"
        note = f"largest relative difference of {batch} runs; float32 from float64: {small(apart['float32'])}"
        met = apart["float64"] <= limit
        figures.append(Figure(what, small(apart["float64"]), f"≤ {small(limit)}", met, note))
    return figures


def sizes(on: Accelerator, chosen: tuple[int, ...] = SIZES, steps: int = STEPS) -> list[Figure]:
    """Rates by size of the batch."""
    found: dict[str, list[str]] = {}
    for precision in PRECISIONS:
        compiled, state = on.compile(BICYCLE, precision), BICYCLE.state()
        for batch in chosen:
            many = on.put(scattered(state, batch), precision)
            found.setdefault(precision, []).append(f"{batch:,}: {rate(on, compiled, many, steps, BICYCLE.step) / 1e9:.3g}")
    what = "billion steps a second by batch"
    return [Figure(f"bicycle, {precision}: {what}", "; ".join(values)) for precision, values in found.items()]


def reductions(on: Accelerator, batch: int = MILLION, duration: float = 10.0) -> list[Figure]:
    """A million runs of which only two numbers each are kept."""
    compiled, steps = on.compile(BICYCLE, "float64"), round(duration / BICYCLE.step)
    many = on.put(scattered(BICYCLE.state(), batch), "float64")
    measures = {"lean": lm.Maximum("abs(roll)"), "far": lm.FirstTime(f"abs(roll) - {FAR}")}
    kept: dict[str, Any] = {}

    def run() -> None:
        batch_of_runs = compiled.rollout(many, steps, BICYCLE.step, save_every=0, measures=measures)
        kept.update({name: on.get(value) for name, value in batch_of_runs.measures.items()})

    elapsed = median_seconds(on, run, 3)
    note = (
        f"largest lean and first time beyond {FAR:g} rad of each, copied to the host; {steps:,} steps each, "
        f"{batch * steps / elapsed / 1e9:.3g} billion a second; the largest lean of all is {kept['lean'].max():.3g} rad, "
        f"{int(np.isfinite(kept['far']).sum()):,} lean beyond {FAR:g} rad"
    )
    return [Figure(f"{batch:,} bicycles for {duration:g} s, two measures each", seconds(elapsed), note=note)]


def eigenvalues(on: Accelerator, batch: int = MILLION) -> list[Figure]:
    """The stability chart of `batches.py` on the device, arrays given and taken on the host."""
    system, over = BICYCLE.make(), chart(batch)
    few = {name: values[:1000] for name, values in over.items()}
    fixed = median_seconds(on, lambda: batched_eigenvalues(system, few, target=on.target), 3)
    kept: list[Any] = []

    def run() -> None:
        kept[:] = [batched_eigenvalues(system, over, target=on.target)]

    elapsed = median_seconds(on, run, 3)
    found, wanted = kept[0], batched_eigenvalues(system, few)
    both = (found.status[:1000] == 0) & (wanted.status == 0)
    apart = float(np.abs(found.eigenvalues[:1000] - wanted.eigenvalues)[both].max())
    note = (
        f"over speed, trail and wheel inertia; {int((found.status == 0).sum()):,} treated; differ from the processor's by "
        f"{small(apart)} 1/s; a call for 1,000 takes {seconds(fixed)}, which is what one costs at least"
    )
    return [at_most(f"eigenvalues of {batch:,} bicycles", elapsed, 1.0, note, " s")]


def member_part(member: Member) -> Callable[[Accelerator], list[Figure]]:
    """Part that measures one system of the fleet."""
    return lambda on: fleet_member(on, member)


def fleet_member(on: Accelerator, member: Member, batch: int = 2**18, steps: int = 50) -> list[Figure]:
    """Rates in both precisions."""
    rates, notes = [], []
    for precision in PRECISIONS:
        compiled = on.compile(member, precision)
        many = on.put(np.tile(member.state(), (batch, 1)), precision)
        rates.append(rate(on, compiled, many, steps, member.step) / 1e9)
        notes.append(f"{precision}: {on.cost(compiled)}")
    host = member.compile("auto")
    wanted = host.rollout(member.state(), steps, member.step, save_every=0).final
    device = on.compile(member, "float64")
    run = device.rollout(on.put(member.state()[None, :], "float64"), steps, member.step, save_every=0)
    kind = member.contacts or "Runge-Kutta 4"
    note = (
        f"float64 and float32; {kind}, {device.operations:,} operations a {'step' if member.contacts else 'right-hand side'}; "
        f"{member.about + '; ' if member.about else ''}batch of {batch:,}; {'; '.join(notes)}; device against processor after "
        f"{steps} steps: {small(difference(on.get(run.final)[0], wanted))}; error of 200 steps of {member.step:g} s: "
        f"{small(finer_error(host, member.state(), member.step))}"
    )
    words = " and ".join(f"{value:.3g}" for value in rates)
    what = f"{member.name}: billion steps a second"
    if member.least is None:
        return [Figure(what, words, note=note)]
    target = "≥ " + " and ".join(f"{value:.3g}" for value in member.least)
    return [Figure(what, words, target, all(a >= b for a, b in zip(rates, member.least, strict=True)), note)]


def tree_compile(on: Accelerator) -> list[Figure]:
    """How long the tree of 20 joints takes to be compiled for the device, both precisions, with nothing in the cache."""
    figures = []
    for precision in PRECISIONS:
        with empty_cache():
            start = time.perf_counter()
            compiled = on.compile(TREE, precision)
            compiled.rollout(on.put(TREE.state()[None, :], precision), 1, TREE.step, save_every=0)
            on.wait()
            took = time.perf_counter() - start
        note = f"traced, compiled and one step made; {on.cost(compiled)}"
        figures.append(at_most(f"{TREE.name}: compile, {precision}", took, LONGEST_COMPILE, note, " s"))
    return figures


PARTS: Mapping[str, Callable[[Accelerator], list[Figure]]] = {
    "bicycle": bicycles,
    "agreement": agreement,
    "sizes": sizes,
    "reductions": reductions,
    "eigenvalues": eigenvalues,
    **{member.name: member_part(member) for member in FLEET if member is not BICYCLE},
    "tree compile": tree_compile,
    "humanoid with contacts": humanoids,
}
