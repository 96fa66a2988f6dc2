"""Workers of Ray: on this machine, or on every machine of a cluster."""

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from locomotor.errors import MissingExtraError
from locomotor.sweeps.job import Job
from locomotor.sweeps.on_machine import ATTEMPTS, Results, lost
from locomotor.sweeps.outcome import Measured

_jobs: dict[str, Job] = {}
"""The job of this worker, so that its measure is bound once, not for every chunk."""


def evaluate(job: Job, index: int) -> Measured:
    """One chunk, in a worker of Ray."""
    if job.digest not in _jobs:
        _jobs.clear()
        _jobs[job.digest] = job
    return _jobs[job.digest].evaluate(index)


def on_ray(job: Job, chunks: Sequence[int], workers: int | None, address: str | None, attempts: int = ATTEMPTS) -> Results:
    """Chunks as they are finished by Ray; a chunk whose worker or machine dies is given to another one.

    An initialised Ray is used as it is; else one is started (`workers` processors), or joined at `address`, and left at the
    end. Memory for results is bounded: a few chunks for each processor are under way at a time.
    """
    ray = import_ray()
    ours = not ray.is_initialized()
    if ours:
        limits: dict[str, Any] = {"address": address} if address else {"num_cpus": workers, "include_dashboard": False}
        ray.init(log_to_driver=False, **limits)
    try:
        # Ray's own retries are off, so that a chunk that kills its workers is known for one.
        task = ray.remote(max_retries=0)(evaluate)
        shared = ray.put(replace(job))
        width = 2 * max(1, workers or int(ray.cluster_resources().get("CPU", 1)))
        waiting, tried = deque(chunks), dict.fromkeys(chunks, 0)
        running: dict[Any, int] = {}
        while waiting or running:
            while waiting and len(running) < width:
                index = waiting.popleft()
                running[task.remote(shared, index)] = index
            ready, _ = ray.wait(list(running), num_returns=1)
            for reference in ready:
                index = running.pop(reference)
                try:
                    found = ray.get(reference)
                except (ray.exceptions.RaySystemError, ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError,
                        ray.exceptions.ObjectLostError, ray.exceptions.OutOfMemoryError) as error:  # fmt: skip
                    tried[index] += 1
                    if tried[index] < attempts:
                        waiting.append(index)
                    else:
                        yield index, job.lost(index, lost(attempts, f"with {type(error).__name__}"))
                else:
                    yield index, found
    finally:
        if ours:
            ray.shutdown()


def import_ray() -> Any:
    """The library, or how to get it."""
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError(
            "executor='ray' needs the package ray: pip install 'locomotor[ray]' (or use executor='local')"
        ) from error
    return ray
