"""Closest points of a body and a terrain in machine code: `runtime/terrain.h` and `runtime/terrain_search.h`, built once.

`locomotor.geometry` is the readable form, and what is used without a compiler.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from locomotor.codegen._compile import build, choose
from locomotor.codegen.emit_c import SCALAR, prologue, runtime
from locomotor.codegen.kernel import address
from locomotor.errors import CompileError
from locomotor.typing import Floats, Integers

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
    headers = ("terrain.h", "terrain_search.h", "terrain_call.h", "terrain_watch.h")
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
    library.lm_terrain_watch.argtypes, library.lm_terrain_watch.restype = [pointer], ctypes.c_int64
    return library


class _Watch(ctypes.Structure):
    """`lm_watch` of the header."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("numbers", "rows", "patch", "chain", "of_shape", "places", "lengths", "known")),
        *((name, ctypes.c_void_p) for name in ("ends", "leveled", "levels", "codes", "what")),
        ("n", ctypes.c_int64),
        *((name, ctypes.c_double) for name in ("reach", "inside", "same_place", "same_normal")),
        *(("centre", ctypes.c_double * 3), ("size", ctypes.c_double)),
        *((name, ctypes.c_int32) for name in ("shape", "parts", "gated", "known_count", "level_count", "events", "flat")),
        ("searches", ctypes.c_int64),
    )


class Told(NamedTuple):
    """What a watch needs to know beside the terrain, the same for every call."""

    patch: Integers
    """The flat piece of each triangle, and the straight edge of each edge."""
    chain: Integers
    parts: int
    """Factor of the codes: more than there are parts of a shape."""
    centre: Floats
    """Of a ball around the shape in body axes, and its radius."""
    size: float
    reach: float
    inside: float
    """How far below zero a gap is negative."""
    same_place: float
    """What is as near as this to where a contact stands, with as near a normal, is its border."""
    same_normal: float


class TerrainWatch:
    """What looks for the first event of a shape along samples of its motion (see `runtime/terrain_watch.h`)."""

    def __init__(self, search: TerrainSearch, told: Told) -> None:
        self._search = search
        self._kept = tuple(np.ascontiguousarray(table, dtype=np.int32) for table in (told.patch, told.chain))
        self._codes, self._what = np.zeros(2 * HITS, dtype=np.int64), np.zeros(2 * HITS, dtype=np.int32)
        ground, table, kind, shape = search.ground
        patch, chain = (address(array) for array in self._kept)
        watch = _Watch(ground, table, patch, chain, shape, codes=address(self._codes), what=address(self._what))
        watch.shape, watch.parts, watch.reach = kind, told.parts, told.reach
        watch.centre[:], watch.size = told.centre.tolist(), told.size
        watch.inside, watch.same_place, watch.same_normal = told.inside, told.same_place, told.same_normal
        self._watch, self._call = watch, ctypes.byref(watch)

    @property
    def searches(self) -> int:
        """Poses at which the terrain was searched by the last call."""
        return int(self._watch.searches)

    def __call__(
        self,
        places: Floats,
        lengths: Floats,
        known: Mapping[int, bool],
        levels: Mapping[int, float],
        flat: int | None,
        gated: bool,
    ) -> tuple[int, list[tuple[int, int]]]:
        """The first sample at which something happens, and what: codes, and 0 touched, 1 perhaps touched, 2 ended; 0 if none.

        `known` are the codes of what the body stands on, and whether the end of each is looked for; `flat` is the only flat
        piece that it may be near to without being looked at, -1 where that is none, and None where it must be looked at.
        """
        watch = self._watch
        own = np.ascontiguousarray(places), np.ascontiguousarray(lengths)
        codes, ends = np.array([*known], dtype=np.int64), np.array([*known.values()], dtype=np.int32)
        entered, depths = np.array([*levels], dtype=np.int64), np.array([*levels.values()], dtype=np.float64)
        watch.places, watch.lengths, watch.n = address(own[0]), address(own[1]), len(places)
        watch.known, watch.ends, watch.known_count = address(codes), address(ends), len(codes)
        watch.leveled, watch.levels, watch.level_count = address(entered), address(depths), len(entered)
        watch.flat, watch.gated = -2 if flat is None else flat, gated
        sample = self._search.watch(self._call)
        count = watch.events
        return sample, list(zip(self._codes[:count].tolist(), self._what[:count].tolist(), strict=True))


class TerrainSearch:
    """Searches of one shape over one terrain, given by the arrays of `geometry.tables_of` and `geometry.shape_numbers`."""

    def __init__(self, numbers: Floats, rows: NDArray[np.int32], kind: int, of_shape: Floats) -> None:
        self._library = terrain_library()
        self._kept = (np.ascontiguousarray(numbers), np.ascontiguousarray(rows), np.ascontiguousarray(of_shape))
        self._kind = kind
        self._pose, self._counts = np.zeros(12), np.zeros(1, dtype=np.int32)
        self._hits, self._which = np.zeros((HITS, 10)), np.zeros((HITS, 3), dtype=np.int32)
        ground, table, shape = (address(array) for array in self._kept)
        self.ground = (ground, table, kind, shape)
        """Addresses of the arrays, and the kind of the shape."""
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
        self._library.lm_terrain(*self.ground, pose, 1, reach, distinct, counts, hits, which)
        count = int(self._counts[0])
        found, told = self._hits[:count].copy(), self._which[:count].copy()
        return Listed(found[:, 0], found[:, 1:4], found[:, 4:7], found[:, 7:10], told[:, 0], told[:, 1], told[:, 2])

    def gaps(self, rotations: Floats, positions: Floats) -> Floats:
        """Least gaps at many poses: rotations n x 3 x 3, positions n x 3."""
        n = len(positions)
        poses = np.ascontiguousarray(np.concatenate((rotations.reshape(n, 9), positions), axis=1))
        found = np.zeros(n)
        assert self._library is not None
        self._library.lm_terrain_gaps(*self.ground, address(poses), n, address(found))
        return found

    def watch(self, watched: Any) -> int:
        """`lm_terrain_watch`, of `TerrainWatch`."""
        assert self._library is not None
        return int(self._library.lm_terrain_watch(watched))
