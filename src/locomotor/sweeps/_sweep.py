"""The verb `sweep`: points, workers, chunks kept as they are finished, one file at the end."""

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from locomotor import checks
from locomotor.errors import RunFileError, SweepError
from locomotor.files import is_folder, is_there
from locomotor.model import System
from locomotor.names import suggestion
from locomotor.sweeps.job import Job
from locomotor.sweeps.measure import PointFunction, PointMeasure
from locomotor.sweeps.on_machine import Results, cores, in_processes, in_threads
from locomotor.sweeps.on_ray import import_ray, on_ray
from locomotor.sweeps.outcome import Measured, PointStatus
from locomotor.sweeps.progress import counting
from locomotor.sweeps.result import assemble, finished
from locomotor.sweeps.samples import Samples, make_points
from locomotor.sweeps.simulated import Simulated
from locomotor.sweeps.store import Store, write_dataset
from locomotor.sweeps.varied_names import roles

EXECUTORS = ("local", "threads", "processes", "ray")


class SweepWarning(UserWarning):
    """Some points of a sweep were lost with the workers that tried them."""


@checks.door(
    out=checks.optional(checks.path),
    executor=checks.text,
    workers=checks.optional(partial(checks.whole, least=1, most=checks.MOST_THREADS, error=SweepError)),
    progress=checks.optional(checks.flag),
    address=checks.optional(checks.text),
)
def sweep(
    system: System | None,
    over: Mapping[str, Any],
    measure: PointMeasure | Mapping[str, Any] | Callable[[dict[str, float]], Any],
    *,
    out: str | Path | None = None,
    samples: Samples | int | None = None,
    seed: int = 0,
    executor: str = "local",
    workers: int | None = None,
    chunk: int | None = None,
    progress: bool | None = None,
    address: str | None = None,
    **simulation: Any,
) -> Any:
    """Measure something at many points, and return a dataset (xarray) over them: the measures, and a status for each point.

    `over` gives what varies: parameters, starting values (for `stability` values of the steady motion, such as `speed`) and
    inputs by name. Listed values make a grid; with `samples=Sobol(n)` (or a plain number n) or `Random(n)` points are drawn
    with `seed` from ranges (low, high); with `Listed()` the values of all names are taken together.

    `measure` is `stability()`; or reductions by name over a simulation, {"lean": lm.Maximum("abs(roll)")}, with `duration`,
    `dt` and, where wanted, `start`, `inputs`, `ends`, `stepper`, `contacts`, `closed` and `target` (see `Simulated`); or a
    Python function of one point (numbers by name); `BatchFunction(f)` is a function of many points at once.

    `out` is a netCDF file. Each finished chunk is kept beside it: the same call after a crash goes on where it stopped, with
    the result it would have had; after the end it returns the result. Other settings are refused. `executor` is "threads",
    "processes", "local" (whichever suits the measure) or "ray" (`address` joins a cluster). A worker that dies is replaced
    and its chunk tried again; a chunk that kills workers repeatedly is recorded as lost.
    `progress` shows a bar, by default where standard error is a terminal.
    """
    points = make_points(over, samples, seed)
    if system is not None:
        if not isinstance(system, System):
            raise SweepError(f"system is {type(system).__name__}; give a System, or None with a function of your own names")
        roles(system, points.names)
    chosen = _measure(system, measure, simulation)
    size = _whole("chunk", chosen.chunk if chunk is None else chunk)
    job = Job(system, points, chosen, size)
    target = None if out is None else Path(out)
    if target is not None and is_there(target):
        return finished(job, target)
    run = _executor(executor, chosen, workers, address)
    _ = job.bound  # a mistake shows now, not in every worker
    if target is None:
        parts = {}
        with counting(points.count, 0, progress) as advance:
            for index, part in run(job, range(job.chunks)):
                parts[index] = part
                _tell_of_loss(job, index, part)
                advance(len(part.status))
        return assemble(job, [parts[index] for index in range(job.chunks)])
    if not is_folder(target.parent):
        raise RunFileError(f"cannot write {str(target)!r}: the folder does not exist; make it, or choose another out")
    with Store(job, target.with_name(f"{target.name}.parts")).opened() as store:
        done = store.done()
        left = [index for index in range(job.chunks) if index not in done]
        before = sum(last - first for first, last in map(job.span, done))
        with counting(points.count, before, progress) as advance:
            for index, part in run(job, left):
                store.write(index, part)
                _tell_of_loss(job, index, part)
                advance(len(part.status))
        write_dataset(assemble(job, [store.read(index) for index in range(job.chunks)]), target)
        store.remove()
    return finished(job, target)


def _tell_of_loss(job: Job, index: int, part: Measured) -> None:
    if (part.status == PointStatus.LOST).any():
        first, last = job.span(index)
        warnings.warn(f"points {first} to {last - 1} are lost: {part.reasons.get(0, '')}", SweepWarning, stacklevel=4)


def _measure(system: System | None, measure: Any, simulation: dict[str, Any]) -> PointMeasure:
    """What is measured, from what a user gives."""
    if isinstance(measure, Mapping):
        if system is None:
            raise SweepError("measure: reductions by name need a system to simulate; give one")
        known = [name for name in Simulated.__dataclass_fields__ if name != "measures"]
        for name in simulation:
            if name not in known:
                raise SweepError(f"a sweep has no setting {name!r}: {suggestion(name, known)}")
        return Simulated.of(measure, **simulation)
    if simulation:
        raise SweepError(f"{', '.join(simulation)} belong to reductions over a simulation; this measure takes none of them")
    if isinstance(measure, PointMeasure):
        return measure
    if callable(measure):
        return PointFunction(measure)
    raise SweepError(f"measure is {measure!r}; give stability(), reductions by name, or a function of one point")


def _executor(name: str, measure: PointMeasure, workers: int | None, address: str | None) -> Callable[[Job, Any], Results]:
    if name not in EXECUTORS:
        raise SweepError(f"executor is {name!r}: {suggestion(name, EXECUTORS)}")
    count = None if workers is None else _whole("workers", workers)
    if name == "ray":
        import_ray()
        return lambda job, chunks: on_ray(job, chunks, count, address)
    if address is not None:
        raise SweepError(f"address is for executor='ray', not for {name!r}")
    serve = in_threads if (measure.prefers if name == "local" else name) == "threads" else in_processes
    return lambda job, chunks: serve(job, chunks, count or cores())


def _whole(name: str, value: Any) -> int:
    return checks.whole(value, name, least=1, error=SweepError)
