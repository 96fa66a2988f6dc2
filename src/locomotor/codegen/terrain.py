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
def terrain_function() -> Any:
    """The compiled search, or None where there is no compiler."""
    toolchain = choose("auto", None, "terrain")
    if toolchain is None:
        return None
    try:
        text = "\n\n".join(
            (prologue(SCALAR), *(runtime(f"{name}.h") for name in ("terrain", "terrain_search", "terrain_call")))
        )
        function = build(text, toolchain, 1000, False).lm_terrain
    except CompileError:
        return None
    function.restype = None
    pointer = ctypes.c_void_p
    function.argtypes = [
        *(pointer, pointer, ctypes.c_int32, pointer, pointer, ctypes.c_int64),
        *(ctypes.c_double, ctypes.c_int32, pointer, pointer, pointer),
    ]
    return function


class TerrainSearch:
    """Searches of one shape over one terrain, given by the arrays of `geometry.tables_of` and `geometry.shape_numbers`."""

    def __init__(self, numbers: Floats, rows: NDArray[np.int32], kind: int, of_shape: Floats) -> None:
        self._function = terrain_function()
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
        return self._function is not None

    def __call__(self, rotation: Floats, position: Floats, reach: float, distinct: bool = True) -> Listed:
        """Candidates with the body at a pose; see `geometry.query`."""
        self._pose[:9], self._pose[9:] = rotation.reshape(-1), position
        pose, counts, hits, which = self._here
        self._function(*self._ground, pose, 1, reach, distinct, counts, hits, which)
        count = int(self._counts[0])
        found, told = self._hits[:count].copy(), self._which[:count].copy()
        return Listed(found[:, 0], found[:, 1:4], found[:, 4:7], found[:, 7:10], told[:, 0], told[:, 1], told[:, 2])
