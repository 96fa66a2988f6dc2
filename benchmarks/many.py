"""Many at once: a sweep of a million points, steps of learning environments, and what more cores bring.

`python benchmarks/many.py --quick` runs it all on small sizes, to see that it works; its figures then mean nothing.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence

import numpy as np
from measure import interleave, sampler
from report import Figure, Topic, number, seconds, text
from ride import bicycle, start

import locomotor as lm
from locomotor.errors import LocomotorError
from locomotor.learning import make_vec
from locomotor.sweeps import stability

SIDE = 100
"""Values of each of three names: a million points."""
INSTANCES = 4096


def topic(side: int = SIDE, instances: int = INSTANCES, rounds: int = 5) -> Topic:
    """All figures."""
    figures = [sweep(side), *environments(instances, rounds), cores(instances, rounds)]
    about = "Wall time for the sweep and the cores, CPU time of one core for the environments."
    return Topic("Many at once", about, tuple(figures))


def sweep(side: int) -> Figure:
    """Stability over speed, trail and inertia of the front wheel, on all cores."""
    over = {"speed": (3.0, 8.0), "c": (0.04, 0.12), "IFyy": (0.1, 0.28)}
    grid = {name: np.linspace(low, high, side) for name, (low, high) in over.items()}
    lm.sweep(lm.catalogue.bicycle(), {name: values[:2] for name, values in grid.items()}, stability())  # derived and compiled
    workers = os.cpu_count() or 1
    begin = time.perf_counter()
    found = lm.sweep(lm.catalogue.bicycle(), grid, stability(), executor="threads", workers=workers)
    elapsed = time.perf_counter() - begin
    note = f"speed, trail and wheel inertia, {workers} cores, {int((found['status'] == 0).sum()):,} treated"
    return Figure(f"sweep of {side**3:,} points: stability", seconds(elapsed), note=note)


def environments(instances: int, rounds: int) -> list[Figure]:
    """Environment steps a second, observation and reward included."""
    return [environment(name, instances, rounds) for name in ("BicycleBalance", "CompassWalker")]


def environment(name: str, instances: int, rounds: int) -> Figure:
    """One task: every instance does nothing."""
    what = f"{name}: million environment steps a second"
    try:
        env = make_vec(name, instances)
    except LocomotorError as reason:
        return Figure(what, "not measured", note=str(reason))
    env.reset(seed=0)
    still = np.zeros((instances, env.single_action_space.shape[0]))
    timing = interleave({name: sampler(lambda: env.step(still), instances)}, rounds)[name]
    skip = env.task.frame_skip
    note = f"{instances:,} instances, one core; {number(1e-6 * skip / timing.median)} million steps of the integrator"
    return Figure(what, f"{1e-6 / timing.median:.3g}", note=note)


def cores(instances: int, rounds: int, steps: int = 200) -> Figure:
    """How much quicker a batch is on all cores than on one, by the wall."""
    compiled = lm.compile(bicycle().system, target="simd")
    many = np.tile(start(), (instances, 1))
    count = os.cpu_count() or 1

    def wall(threads: int) -> float:
        begin = time.perf_counter()
        compiled.rollout(many, steps, 0.005, save_every=0, threads=threads)
        return time.perf_counter() - begin

    wall(count)
    pairs = [(wall(1), wall(count)) for _ in range(rounds)]
    ratio = float(np.median([one / all_of_them for one, all_of_them in pairs]))
    note = f"{instances:,} bicycles, {steps} steps, {count} cores: {seconds(float(np.median([b for _, b in pairs])))}"
    return Figure("roll-outs on all cores: times the speed of one", f"{ratio:.3g}", note=note)


def main(arguments: Sequence[str]) -> None:
    """Print the figures."""
    print(text(topic(4, 64, 1) if "--quick" in arguments else topic()))


if __name__ == "__main__":
    main(sys.argv[1:])
