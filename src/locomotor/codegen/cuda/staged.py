"""Steps in stages: which kernels follow each other, over which arrays; see `cuda/stages.py` for their text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from locomotor.codegen.cuda.stages import StagedText
from locomotor.codegen.cuda.text import BLOCK
from locomotor.dataclass import dataclass
from locomotor.tracing.core import Launch, Stages

NEAR, MOST_BLOCKS = 227 * 1024, 32
"""Bytes that the threads of a multiprocessor share, and blocks of one warp that it gets at most."""
SMALL = 48 * 1024
"""Bytes that a block may share without being asked."""

Grid = tuple[int, int]


class Queue(Protocol):
    """Starts kernels, one after the other, and some side by side."""

    def start(self, kernel: str, grid: Grid, threads: int, arguments: Sequence[Any], shared: int, beside: int) -> None:
        """A kernel by name, on a grid of blocks of so many threads, with arguments and bytes that a block shares.

        Those with another number `beside` than 0 wait only for what came before `fork`.
        """

    def fork(self, sides: int) -> None:
        """Kernels beside this one may start."""

    def join(self, sides: int) -> None:
        """What follows waits for them."""


class Kernels:
    """The kernels of a module, on streams of CuPy."""

    def __init__(self, cupy: Any, module: Any) -> None:
        self._cupy, self._module = cupy, module
        self._found: dict[str, Any] = {}
        self._sides: list[Any] = []

    def start(self, kernel: str, grid: Grid, threads: int, arguments: Sequence[Any], shared: int, beside: int) -> None:
        """See `Queue`."""
        if kernel not in self._found:
            self._found[kernel] = self._module.get_function(kernel)
            if shared > SMALL:
                self._found[kernel].max_dynamic_shared_size_bytes = shared
        if not beside:
            self._found[kernel](grid, (threads,), tuple(arguments), shared_mem=shared)
            return
        with self._sides[beside - 1]:
            self._found[kernel](grid, (threads,), tuple(arguments), shared_mem=shared)

    def fork(self, sides: int) -> None:
        """See `Queue`."""
        while len(self._sides) < sides:
            self._sides.append(self._cupy.cuda.Stream(non_blocking=True))
        now = self._cupy.cuda.Event(disable_timing=True)
        now.record()
        for side in self._sides[:sides]:
            side.wait_event(now)

    def join(self, sides: int) -> None:
        """See `Queue`."""
        for side in self._sides[:sides]:
            then = self._cupy.cuda.Event(disable_timing=True)
            then.record(side)
            self._cupy.cuda.get_current_stream().wait_event(then)


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
        return sum(self._sizes) + 2

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

    def room(self, arrays: Any, batch: int) -> Room:
        """Arrays for a batch; `arrays` is the module that makes them."""
        pad, first, dtype = -(-batch // 32) * 32, self._first, np.dtype(self.precision)

        def numbers(count: int) -> Any:
            return arrays.zeros(pad * max(count, 1), dtype=dtype)

        def integers(count: int) -> Any:
            return arrays.zeros(count, dtype=np.int32)

        own, given = (tuple(numbers(count) for count in sizes) for sizes in (self.made.own, self.made.given))
        counts = integers(3 * first.kinds + pad)
        lists, chosen = integers(first.kinds * pad), integers(first.chosen * pad)
        return Room(pad, numbers(self.columns), integers(pad), own, given, numbers(first.record), counts, lists, chosen)

    def begin(self, room: Room, rollout: Sequence[Any], batch: int) -> None:
        """Before the first step; `rollout` are the arguments LM_ROLLOUT of `runtime/rollout_stages.h` up to `dt`."""
        self._each("lm_begin", batch, (*rollout, *self._moving(room)))
        self._each("lm_constants", batch, (np.int64(batch), np.int64(room.pad), *self._numbers(room)))

    def step(self, room: Room, rollout: Sequence[Any], batch: int, n: int) -> None:
        """Step number n."""
        given = (*rollout, *self._moving(room), np.int64(n), *self._numbers(room))
        for number, call in enumerate(self.made.calls):
            self._each(f"lm_stage_{number}", batch, given)
            self._call(room, call, number, batch)
        self._each(f"lm_stage_{len(self.made.calls)}", batch, given)

    def end(self, room: Room, rollout: Sequence[Any], batch: int) -> None:
        """After the last step."""
        self._each("lm_end", batch, (*rollout, *self._moving(room)))

    def _moving(self, room: Room) -> tuple[Any, ...]:
        return room.states, room.living, np.int64(room.pad)

    def _numbers(self, room: Room) -> tuple[Any, ...]:
        return tuple(array for pair in zip(room.own, room.given, strict=True) for array in pair)

    def _each(self, kernel: str, batch: int, arguments: Sequence[Any]) -> None:
        self.queue.start(kernel, (-(-batch // BLOCK), 1), BLOCK, arguments, 0, 0)

    def _call(self, room: Room, call: Stages, number: int, batch: int) -> None:
        begin = self._begin
        arrays = (room.own[begin - 1], room.own[begin], room.own[number], room.given[begin], room.given[number])
        arguments = (
            *arrays,
            room.records,
            room.counts,
            room.lists,
            room.chosen,
            np.int64(batch),
            np.int64(room.pad),
            np.int64(number > begin),
        )
        sides = sum(launch.apart for launch in call.launches)
        side = 0
        for launch in call.launches:
            if launch.apart and not side:
                self.queue.fork(sides)
            side += launch.apart
            wide = self.precision == "float64"
            threads, shared = launch.threads[wide], launch.shared[wide]
            self.queue.start(launch.kernel, self._grid(launch, batch, threads, shared), threads, arguments, shared, side)
        if side:
            self.queue.join(sides)

    def _grid(self, launch: Launch, batch: int, threads: int, shared: int) -> Grid:
        if launch.instances < 0:
            return 1, 1
        if launch.instances:
            return -(-batch // launch.instances), launch.times
        resident = max(1, min(MOST_BLOCKS, NEAR // (shared + 1024)))
        return max(1, min(self.multiprocessors * resident, -(-batch // threads))), launch.times
