"""Closest points of a body and a terrain in machine code: `runtime/terrain.h` and `runtime/terrain_search.h`, built once.

`locomotor.geometry` is the readable form, and what is used without a compiler.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from locomotor.codegen._compile import build, choose
from locomotor.codegen.emit_c import SCALAR, prologue, runtime
from locomotor.codegen.kernel import address
from locomotor.errors import CompileError
from locomotor.typing import Floats

HITS = 40
"""Most candidates of one body, LM_HITS of the header; of more the nearest are kept."""


class Listed(NamedTuple):
    """Candidates of one pose, nearest first, row by row."""

    gap: Floats
    normal: Floats
    point: Floats
    foot: Floats
    kind: NDArray[np.int32]
    number: NDArray[np.int32]
    """Of the triangle, edge or vertex."""
    part: NDArray[np.int32]


@cache
def terrain_library() -> ctypes.CDLL | None:
    """The compiled searches, or None where there is no compiler."""
    toolchain = choose("auto", None, "terrain")
    if toolchain is None:
        return None
    headers = ("terrain.h", "terrain_search.h", "terrain_call.h")
    try:
        library = build("\n\n".join((prologue(SCALAR), *map(runtime, headers))), toolchain, 1000, False)
    except CompileError:
        return None
    pointer: Any = ctypes.c_void_p
    of_body: list[Any] = [pointer, pointer, ctypes.c_int32, pointer]
    library.lm_terrain.restype = library.lm_terrain_gaps.restype = None
    library.lm_terrain.argtypes = [
        *(*of_body, pointer, ctypes.c_int64),
        *(ctypes.c_double, ctypes.c_int32, pointer, pointer, pointer),
    ]
    library.lm_terrain_gaps.argtypes = [*of_body, pointer, ctypes.c_int64, pointer]
    return library


class TerrainSearch:
    """Searches of one shape over one terrain, given by the arrays of `geometry.tables_of` and `geometry.shape_numbers`."""

    def __init__(self, numbers: Floats, rows: NDArray[np.int32], kind: int, of_shape: Floats) -> None:
        self._library = terrain_library()
        self._kept = (np.ascontiguousarray(numbers), np.ascontiguousarray(rows), np.ascontiguousarray(of_shape))
        self._kind = kind
        self._pose, self._counts = np.zeros(12), np.zeros(1, dtype=np.int32)
        self._hits, self._which = np.zeros((HITS, 10)), np.zeros((HITS, 3), dtype=np.int32)
        ground, table, shape = (address(array) for array in self._kept)
        self._ground = (ground, table, kind, shape)
        self._here = tuple(address(array) for array in (self._pose, self._counts, self._hits, self._which))

    @property
    def works(self) -> bool:
        """Whether there is machine code."""
        return self._library is not None

    def __call__(self, rotation: Floats, position: Floats, reach: float, distinct: bool = True) -> Listed:
        """Candidates with the body at a pose; see `geometry.query`."""
        self._pose[:9], self._pose[9:] = rotation.reshape(-1), position
        pose, counts, hits, which = self._here
        assert self._library is not None
        self._library.lm_terrain(*self._ground, pose, 1, reach, distinct, counts, hits, which)
        count = int(self._counts[0])
        found, told = self._hits[:count].copy(), self._which[:count].copy()
        return Listed(found[:, 0], found[:, 1:4], found[:, 4:7], found[:, 7:10], told[:, 0], told[:, 1], told[:, 2])

    def gaps(self, rotations: Floats, positions: Floats) -> Floats:
        """Least gaps at many poses: rotations n x 3 x 3, positions n x 3."""
        n = len(positions)
        poses = np.ascontiguousarray(np.concatenate((rotations.reshape(n, 9), positions), axis=1))
        found = np.zeros(n)
        assert self._library is not None
        self._library.lm_terrain_gaps(*self._ground, address(poses), n, address(found))
        return found

    def many(self, rotations: Floats, positions: Floats, reach: float) -> tuple[NDArray[np.int64], Listed]:
        """Candidates at many poses, all of them, and to which pose each belongs."""
        n = len(positions)
        poses = np.ascontiguousarray(np.concatenate((rotations.reshape(n, 9), positions), axis=1))
        counts, hits, which = np.zeros(n, dtype=np.int32), np.empty((n, HITS, 10)), np.empty((n, HITS, 3), dtype=np.int32)
        assert self._library is not None
        self._library.lm_terrain(*self._ground, address(poses), n, reach, False, address(counts), address(hits), address(which))
        there = np.arange(HITS) < counts[:, None]
        found, told = hits[there], which[there]
        owner = np.repeat(np.arange(n), counts)
        return owner, Listed(found[:, 0], found[:, 1:4], found[:, 4:7], found[:, 7:10], told[:, 0], told[:, 1], told[:, 2])
