"""Batches on the processor: steps a second against MuJoCo's roll-outs, threads, memory, cost by size, eigenvalues."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from functools import partial

import numpy as np
from batch_peers import FINER, bicycle_against_exudyn, bicycles_against_mujoco, boxes_against_mujoco, trees_against_mujoco
from fleet import BICYCLE, FLEET, Floats, Member
from measure import interleave, sampler
from report import Figure, Topic, at_least, at_most, missing, seconds, small, text

import locomotor as lm
from locomotor.analysis.stability.batched import batched_eigenvalues
from locomotor.errors import LocomotorError
from locomotor.simulation import CompiledSystem

MILLION = 1_000_000
PAIRS = 61
"""Rounds in which one and two threads take turns."""
SPREAD = 1.3
"""What "linear" allows: cost a step and instance of the dearest size over that of the cheapest."""


def topic() -> Topic:
    """Measure."""
    return Topic(
        "Batches on the processor",
        "Roll-outs of many instances in one call of Python, SIMD lanes on one core unless said otherwise. MuJoCo's are those "
        "of its module `mujoco.rollout` on one thread with its default settings, on the same start; both sides record every "
        "state. A step of ours is one of Runge-Kutta 4, of MuJoCo one of its semi-implicit Euler.",
        (
            *bicycles_against_mujoco(),
            *boxes_against_mujoco(),
            *trees_against_mujoco(),
            *bicycle_against_exudyn(),
            *two_threads(),
            *memory(),
            *linear_cost(),
            *eigenvalues(),
            *fleet(),
        ),
    )


# --- cost ------------------------------------------------------------------------------------------------------------


def two_threads() -> list[Figure]:
    """Elapsed time, which threads are for; the other topics count the time of the processor."""
    what, cores = "bicycle: two threads / one", os.cpu_count() or 1
    if cores < 2:
        return [missing(what, "≥ 1.8", "one core only")]
    compiled, many = BICYCLE.compile("simd"), np.tile(BICYCLE.state(), (4096, 1))
    call = partial(compiled.rollout, many, 50, BICYCLE.step, save_every=0)

    def elapsed(threads: int) -> float:
        begin = time.perf_counter()
        call(threads=threads)
        return time.perf_counter() - begin

    load = os.getloadavg()[0]
    timings = interleave({str(n): partial(elapsed, n) for n in (1, 2)}, PAIRS)
    best = timings["1"].best / timings["2"].best
    work = interleave({str(n): sampler(partial(call, threads=n)) for n in (1, 2)})
    note = (
        f"elapsed time, median of {PAIRS} pairs; the quickest of each: {best:.3g} times; two threads take "
        f"{work['2'].over(work['1']):.3g} times the processor time of one; {cores} cores, which had a load of {load:.1f} before"
    )
    return [at_least(what, timings["1"].over(timings["2"]), 1.8, note)]


def memory() -> list[Figure]:
    """A million bicycles in a process of their own, so that its memory can be told."""
    done = subprocess.run([sys.executable, __file__, "--million"], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    note = (
        f"{MILLION:,} runs of {found['steps']} steps with one measure, nothing saved, {found['seconds']:.2g} s; of it "
        f"{found['before']:.2g} GB for Python and the states given"
    )
    return [at_most("a million bicycles: largest memory", found["peak"], 2.0, note, " GB")]


def ride_a_million(steps: int = 20) -> dict[str, float]:
    """Memory in GB, time in s."""
    compiled, start = BICYCLE.compile("simd"), BICYCLE.state()
    many = np.tile(start, (MILLION, 1))
    compiled.rollout(start, 1, BICYCLE.step, save_every=0, measures={"lean": lm.Maximum("abs(roll)")})
    before, begin = peak_memory(), time.perf_counter()
    batch = compiled.rollout(many, steps, BICYCLE.step, save_every=0, measures={"lean": lm.Maximum("abs(roll)")})
    if not (batch.status == 0).all() or not np.isfinite(batch.measures["lean"]).all():
        raise ArithmeticError("some of the million runs ended early")
    return {"steps": steps, "seconds": time.perf_counter() - begin, "before": before, "peak": peak_memory()}


def peak_memory() -> float:
    """Largest resident memory of this process so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def linear_cost() -> list[Figure]:
    """Cost of one step of one instance, by size of the batch and by number of steps."""
    compiled, start = BICYCLE.compile("simd"), BICYCLE.state()
    shapes = {
        "batch": [(size, 10) for size in (1_000, 10_000, 100_000, MILLION)],
        "number of steps": [(1_000, steps) for steps in (10, 100, 1000)],
    }
    figures = []
    for kind, sizes in shapes.items():
        timings = interleave(
            {
                f"{size}, {steps}": sampler(
                    partial(compiled.rollout, np.tile(start, (size, 1)), steps, BICYCLE.step, save_every=0), size * steps
                )
                for size, steps in sizes
            },
            rounds=3,
        )
        costs = [timing.median for timing in timings.values()]
        index = 0 if kind == "batch" else 1
        words = ", ".join(f"{shape[index]:,}: {seconds(cost)}" for shape, cost in zip(sizes, costs, strict=True))
        what = f"cost of a step by {kind}: dearest / cheapest"
        figures.append(at_most(what, max(costs) / min(costs), SPREAD, f"a step of one instance: {words}"))
    return figures


def eigenvalues() -> list[Figure]:
    """A stability chart: eigenvalues of a million bicycles over speed, trail and inertia of the front wheel."""
    what = "eigenvalues of a million bicycles, one core"
    system, over = BICYCLE.make(), chart(MILLION)
    try:
        batched_eigenvalues(system, {name: values[:64] for name, values in over.items()})  # derived and compiled
        begin = time.process_time()
        found = batched_eigenvalues(system, over)
        elapsed = time.process_time() - begin
    except LocomotorError as reason:
        return [missing(what, "≤ 20 s", reason)]
    treated = int((found.status == 0).sum())
    note = (
        f"over speed, trail and wheel inertia; {treated:,} treated, {int(found.stable.sum()):,} stable; differ from those of "
        f"single linearisations by {small(chart_error(system, over, found.eigenvalues))} (relative)"
    )
    return [at_most(what, elapsed, 20.0, note, " s")]


def chart(count: int) -> dict[str, Floats]:
    """Speeds, trails and wheel inertias drawn at random."""
    rng = np.random.default_rng(0)
    ranges = {"speed": (3.0, 8.0), "c": (0.04, 0.12), "IFyy": (0.1, 0.28)}
    return {name: rng.uniform(low, high, count) for name, (low, high) in ranges.items()}


def chart_error(system: lm.System, over: dict[str, Floats], found: np.ndarray, samples: int = 5) -> float:
    """Largest difference from `linearise` of one bicycle at a time, relative to its largest eigenvalue."""
    worst = 0.0
    for i in range(samples):
        values = {name: float(array[i]) for name, array in over.items()}
        speed = values.pop("speed")
        wanted = lm.linearise(system.with_parameters(**values), {"speed": speed}).eigenvalues
        apart = np.abs(wanted[:, None] - found[i][None, :]).min(axis=1)
        worst = max(worst, float(apart.max() / np.abs(wanted).max()))
    return worst


# --- other systems ---------------------------------------------------------------------------------------------------


def fleet() -> list[Figure]:
    """Steps a second of each system."""
    return [member_figure(member) for member in FLEET]


def member_figure(member: Member, batch: int = 256, steps: int = 100) -> Figure:
    """One system: its rate, and its error after 200 steps by much shorter ones."""
    what = f"{member.name}: million steps a second"
    try:
        compiled, start = member.compile("simd"), member.state()
        many = np.tile(start, (batch, 1))
        call = partial(compiled.rollout, many, steps, member.step, save_every=0)
        timing = interleave({"run": sampler(call, batch * steps)}, rounds=5)["run"]
        error = finer_error(compiled, start, member.step)
    except LocomotorError as reason:
        return missing(what, "", reason)
    kind = member.contacts or "Runge-Kutta 4"
    note = (
        f"{kind}, {compiled.operations:,} operations a {'step' if member.contacts else 'right-hand side'}; "
        f"{member.about + '; ' if member.about else ''}200 steps of {member.step:g} s are wrong by {small(error)}"
    )
    return Figure(what, f"{1e-6 / timing.median:.3g}", note=note)


def finer_error(compiled: CompiledSystem, start: Floats, step: float, steps: int = 200) -> float:
    """Largest difference of a coordinate or velocity from a run with steps much shorter, relative to 1 or the largest."""
    found = compiled.rollout(start, steps, step, save_every=0).final
    wanted = compiled.rollout(start, FINER * steps, step / FINER, save_every=0).final
    return float(np.abs(found - wanted).max() / max(1.0, np.abs(wanted).max()))


if __name__ == "__main__":
    if "--million" in sys.argv[1:]:
        print(json.dumps(ride_a_million()))
    else:
        print(text(topic()))
