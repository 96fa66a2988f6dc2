"""Arrays shared with PyTorch and JAX through DLPack: the same memory under another name."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locomotor.codegen.cuda import is_on_device
from locomotor.errors import MissingExtraError, TaskError

KINDS = ("numpy", "torch", "jax")
BOUNDARY = 64
"""Bytes: JAX shares memory that begins at a multiple of this, and copies any other without a word."""


def aligned(shape: tuple[int, ...], xp: Any = np) -> Any:
    """An array of floats, not yet filled, whose memory every library shares; that of a device is aligned as it is."""
    if xp is not np:
        return xp.empty(shape)
    size = 8 * int(np.prod(shape))
    room = np.empty(size + BOUNDARY, dtype=np.uint8)
    first = -room.ctypes.data % BOUNDARY
    return room[first : first + size].view(np.float64).reshape(shape)


def exporter(kind: str) -> Callable[[NDArray[Any]], Any]:
    """The function that turns arrays of an environment into tensors of the kind asked for."""
    if kind == "numpy":
        return lambda array: array
    if kind not in KINDS:
        raise TaskError(f"tensors is {kind!r}; it must be one of {', '.join(KINDS)}")
    try:
        if kind == "torch":
            import torch

            return torch.from_dlpack
        import jax
    except ImportError as error:
        raise MissingExtraError(f"tensors={kind!r} needs the package {kind}: pip install {kind}") from error
    return jax.dlpack.from_dlpack


def as_array(actions: Any, xp: Any = np) -> Any:
    """Actions of any library as an array of `xp`, without a copy where the library shares its memory."""
    if isinstance(actions, np.ndarray):
        return xp.asarray(actions)
    if xp is not np:
        return xp.from_dlpack(actions) if is_on_device(actions) else xp.asarray(np.asarray(actions))
    try:
        return np.from_dlpack(actions)
    except (AttributeError, TypeError):
        return np.asarray(actions)
    except (BufferError, RuntimeError) as error:
        raise TaskError(f"actions cannot be shared: {error}; detach them, and bring them to the processor's memory") from error
