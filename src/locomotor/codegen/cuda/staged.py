"""Steps in stages: which kernels follow each other, over which arrays; see `cuda/stages.py` for their text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from locomotor.codegen.cuda.stages import StagedText
from locomotor.codegen.cuda.text import BLOCK
from locomotor.dataclass import dataclass
from locomotor.tracing.core import Launch, Stages

NEAR, MOST_BLOCKS = 227 * 1024, 32
"""Bytes that the threads of a multiprocessor share, and blocks of one warp that it gets at most."""
WORTH = 4
"""Steps from which on they are started as one."""
SMALL = 48 * 1024
"""Bytes that a block may share without being asked."""

Grid = tuple[int, int]


class Queue(Protocol):
    """Starts kernels, one after the other."""

    def start(self, kernel: str, grid: Grid, threads: int, arguments: Sequence[Any], shared: int) -> None:
        """A kernel by name, on a grid of blocks of so many threads, with arguments and bytes that a block shares."""

    def repeat(self, count: int, once: Callable[[], None]) -> None:
        """What `once` starts, so many times."""


class Kernels:
    """The kernels of a module, by CuPy."""

    def __init__(self, cupy: Any, module: Any) -> None:
        self._cupy, self._module = cupy, module
        self._found: dict[str, Any] = {}

    def start(self, kernel: str, grid: Grid, threads: int, arguments: Sequence[Any], shared: int) -> None:
        """See `Queue`."""
        if kernel not in self._found:
            self._found[kernel] = self._module.get_function(kernel)
            if shared > SMALL:
                self._found[kernel].max_dynamic_shared_size_bytes = shared
        self._found[kernel](grid, (threads,), tuple(arguments), shared_mem=shared)

    def repeat(self, count: int, once: Callable[[], None]) -> None:
        """See `Queue`. Python needs longer to start the kernels of a step than a device to run them: started as one."""
        if count:
            once()  # kernels are loaded
        if count < WORTH:
            for _ in range(count - 1):
                once()
            return
        current = self._cupy.cuda.get_current_stream()
        current.synchronize()
        stream = self._cupy.cuda.Stream(non_blocking=True)
        with stream:
            stream.begin_capture()
            once()
            graph = stream.end_capture()
            for _ in range(count - 1):
                graph.launch(stream)
        stream.synchronize()


@dataclass(frozen=True, eq=False)
class Room:
    """Arrays of the stages for up to `pad` instances."""

    pad: int
    states: Any
    living: Any
    own: tuple[Any, ...]
    given: tuple[Any, ...]
    records: Any
    counts: Any
    lists: Any
    chosen: Any
    number: Any
    """How many steps have been taken."""


@dataclass(frozen=True, eq=False)
class StagedSteps:
    """How steps in stages are taken; `columns` are the numbers of a state and of what is measured beside it."""

    made: StagedText
    columns: int
    precision: str
    queue: Queue
    multiprocessors: int

    @cached_property
    def numbers(self) -> int:
        """Numbers that an instance takes in these arrays; integers count as one."""
        return sum(self._sizes) + 3

    @property
    def _sizes(self) -> tuple[int, ...]:
        first = self._first
        return (self.columns, sum(self.made.own), sum(self.made.given), first.record, first.kinds, first.chosen)

    @property
    def _first(self) -> Stages:
        """The first call with kernels."""
        return self.made.calls[self._begin]

    @property
    def _begin(self) -> int:
        return next(number for number, call in enumerate(self.made.calls) if call.launches)

    @property
    def _end(self) -> int:
        """The last call with kernels: a step begins with what it gave in the one before."""
        return max(number for number, call in enumerate(self.made.calls) if call.launches)

    def room(self, arrays: Any, batch: int) -> Room:
        """Arrays for a batch; `arrays` is the module that makes them."""
        pad, first, dtype = -(-batch // 32) * 32, self._first, np.dtype(self.precision)

        def numbers(count: int, make: Any = arrays.empty) -> Any:
            return make(pad * max(count, 1), dtype=dtype)

        def integers(count: int) -> Any:
            return arrays.empty(count, dtype=np.int32)

        own = tuple(numbers(count) for count in self.made.own)  # written before they are read, as all but these three
        given = tuple(numbers(count, arrays.zeros) for count in self.made.given)
        counts = arrays.zeros(3 * first.kinds + 2 * pad, dtype=np.int32)
        lists, chosen = integers(first.kinds * pad), integers(first.chosen * pad)
        number = arrays.zeros(1, dtype=np.int64)
        return Room(pad, numbers(self.columns), integers(pad), own, given, numbers(first.record), counts, lists, chosen, number)

    def begin(self, room: Room, rollout: Sequence[Any], batch: int) -> None:
        """Before the first step; `rollout` are the arguments LM_ROLLOUT of `runtime/rollout_stages.h` up to `dt`."""
        room.given[self._end].fill(0)
        room.number.fill(0)
        self._each("lm_begin", batch, (*rollout, *self._moving(room)))
        self._each("lm_constants", batch, (np.int64(batch), np.int64(room.pad), *self._numbers(room)))

    def steps(self, room: Room, rollout: Sequence[Any], batch: int, count: int) -> None:
        """So many steps."""
        given = (*rollout, *self._moving(room), room.number, *self._numbers(room))

        def once() -> None:
            for number, call in enumerate(self.made.calls):
                self._each(f"lm_stage_{number}", batch, given, self.made.near[number])
                self._call(room, call, number, batch)
            self._each(f"lm_stage_{len(self.made.calls)}", batch, given, self.made.near[-1])
            self.queue.start("lm_next", (1, 1), 1, (room.number,), 0)

        self.queue.repeat(count, once)

    def end(self, room: Room, rollout: Sequence[Any], batch: int) -> None:
        """After the last step."""
        self._each("lm_end", batch, (*rollout, *self._moving(room)))

    def _moving(self, room: Room) -> tuple[Any, ...]:
        return room.states, room.living, np.int64(room.pad)

    def _numbers(self, room: Room) -> tuple[Any, ...]:
        return tuple(array for pair in zip(room.own, room.given, strict=True) for array in pair)

    def _each(self, kernel: str, batch: int, arguments: Sequence[Any], shared: int = 0) -> None:
        self.queue.start(kernel, (-(-batch // BLOCK), 1), BLOCK, arguments, shared)

    def _call(self, room: Room, call: Stages, number: int, batch: int) -> None:
        begin = self._begin
        arguments = (
            *(x for kept in (begin - 2, begin - 1) for x in (room.own[kept], np.int64(self.made.own[kept]))),
            room.own[begin],
            room.own[number],
            room.given[self._end],
            room.given[number],
            room.records,
            room.counts,
            room.lists,
            room.chosen,
            np.int64(batch),
            np.int64(room.pad),
            np.int64(number > begin),
            np.int64(number == self._end),
        )
        wide = self.precision == "float64"
        for launch in call.launches:
            threads, shared = launch.threads[wide], launch.shared[wide]
            self.queue.start(launch.kernel, self._grid(launch, batch, threads, shared), threads, arguments, shared)

    def _grid(self, launch: Launch, batch: int, threads: int, shared: int) -> Grid:
        if launch.instances < 0:
            return 1, 1
        if launch.instances:
            return -(-batch // launch.instances), launch.times
        resident = max(1, min(MOST_BLOCKS, NEAR // (shared + 1024)))
        return max(1, min(self.multiprocessors * resident, -(-batch // threads))), launch.times
