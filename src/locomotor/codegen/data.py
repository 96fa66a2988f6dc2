"""Arrays that functions of the runtime read beside their arguments: pointers in a library that are set once it is loaded."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor.codegen.kernel import address
from locomotor.tracing.core import Traced

_kept: dict[str, NDArray[Any]] = {}
"""By name, which tells the content: another library may point to the same, and what one points to must stay as long."""


def attach(library: ctypes.CDLL, functions: Sequence[Traced]) -> None:
    """Set the pointers of a library to the data of what its functions call."""
    for name, array in data_of(functions).items():
        kept = _kept.setdefault(name, np.ascontiguousarray(array))
        ctypes.c_void_p.in_dll(library, name).value = address(kept)


def data_of(functions: Sequence[Traced]) -> dict[str, NDArray[Any]]:
    """Arrays by the names of their pointers."""
    return {name: array for function in functions for call in function.calls for name, array in call.data}
