"""The CUDA device as CuPy shows it: whether there is one, arrays to and from it, builds, and its memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cache, cached_property
from typing import Any

import numpy as np

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError, ArgumentTypeError, CompileError, DeviceMemoryError
from locomotor.tracing.core import Port

REMEDY = "install the extra that fits the driver, pip install 'locomotor[gpu]' (cupy-cuda12x) or cupy-cuda13x"


@dataclass(frozen=True, eq=False)
class Device:
    """A CUDA device that works; `cupy` is the module."""

    cupy: Any
    _kept: list[Any] = field(default_factory=list, repr=False)
    """Arrays that kernels point to, with the modules that hold the pointers."""
    _room: list[Any] = field(default_factory=list, repr=False)
    """Scratch of the kernels: they run one after the other."""

    @cached_property
    def name(self) -> str:
        """Name the driver gives it."""
        return str(self.cupy.cuda.runtime.getDeviceProperties(self.cupy.cuda.Device().id)["name"].decode())

    @cached_property
    def multiprocessors(self) -> int:
        """How many it has."""
        return int(self.cupy.cuda.Device().attributes["MultiProcessorCount"])

    def build(
        self, text: str, function: str, data: Mapping[str, Any] | None = None, precision: str = "float64"
    ) -> tuple[Any, Any]:
        """Kernel of a generated text, and its module; `data` are arrays that it reads, by the names of their pointers."""
        try:
            module = self.cupy.RawModule(code=text, options=("--std=c++17", "-w"))
            for name, array in (data or {}).items():
                wanted = array.dtype if array.dtype == np.int32 else np.dtype(precision)
                kept = self.cupy.asarray(array.astype(wanted))
                pointer = self.cupy.ndarray((1,), dtype=np.uint64, memptr=module.get_global(name))
                pointer[0] = kept.data.ptr
                self._kept.append((module, kept))
            return module.get_function(function), module
        except Exception as error:  # NVRTC and the driver have errors of their own
            words = "\n".join(str(error).splitlines()[:40])
            raise CompileError(f"the CUDA text of {function} could not be compiled; NVRTC says:\n{words}") from error

    def scratch(self, module: Any, name: str, size: int) -> None:
        """Room of so many bytes for the pointer of a module: one for all, which grows."""
        if not self._room or self._room[0].nbytes < size:
            self._room[:] = [self.cupy.empty(size, dtype=np.uint8)]
        pointer = self.cupy.ndarray((1,), dtype=np.uint64, memptr=module.get_global(name))
        pointer[0] = self._room[0].data.ptr

    def array(self, owner: str, port: Port, value: Any, dtype: Any, dimensions: tuple[int, ...] = (1, 2)) -> Any:
        """Argument as an array on the device, contiguous, whose last axis holds the fields of `port`.

        Numbers from the host are converted; an array on the device must have the right type already, because a silent copy
        of it would double the memory.
        """
        if is_on_device(value):
            array = value if isinstance(value, self.cupy.ndarray) else self.cupy.from_dlpack(value)
            if array.dtype != dtype:
                raise ArgumentTypeError(
                    f"{owner}: {port.name} is an array of {array.dtype} on the device, {np.dtype(dtype)} is computed in; "
                    "convert it, or compile with precision= accordingly"
                )
        else:
            host, array = checks.floats(value, f"{owner}: {port.name}"), None
        shape = host.shape if array is None else array.shape
        if len(shape) not in dimensions or shape[-1] != port.size:
            kinds = " or ".join(f"({'batch, ' * (n > 1)}{'steps, ' * (n > 2)}{port.size})" for n in dimensions)
            raise ArgumentError(f"{owner}: {port.name} must have shape {kinds}, not {tuple(shape)}")
        with self.memory(owner, int(np.prod(shape)) * np.dtype(dtype).itemsize, shape[0] if len(shape) > 1 else 1):
            return self.cupy.ascontiguousarray(self.cupy.asarray(host, dtype=dtype) if array is None else array)

    def memory(self, owner: str, wanted: int, batch: int) -> _Memory:
        """Context in which running out of memory becomes an error that tells the batch that would fit."""
        return _Memory(self, owner, wanted, batch)

    def launch(
        self, kernel: Any, count: int, block: int, arguments: Sequence[Any], instances: int | None = None, shared: int = 0
    ) -> None:
        """Run a kernel over `count` instances: threads of a block, its instances if fewer, and bytes that its threads share."""
        kernel((-(-count // (instances or block)),), (block,), tuple(arguments), shared_mem=shared)


class _Memory:
    def __init__(self, device: Device, owner: str, wanted: int, batch: int) -> None:
        self._device, self._owner, self._wanted, self._batch = device, owner, wanted, batch

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        cupy = self._device.cupy
        if error is None or not isinstance(error, cupy.cuda.memory.OutOfMemoryError):
            return
        cupy.get_default_memory_pool().free_all_blocks()
        free, total = cupy.cuda.runtime.memGetInfo()
        each = max(self._wanted // max(self._batch, 1), 1)
        raise DeviceMemoryError(
            f"{self._owner}: {self._wanted / 2**30:.3g} GiB are wanted for a batch of {self._batch}, the device has "
            f"{free / 2**30:.3g} of {total / 2**30:.3g} GiB free; a batch of {int(0.9 * free) // each} would fit, or save less "
            "often (save_every), fewer channels, or measures only"
        ) from error


@cache
def find_device() -> Device | str:
    """The device, or why there is none."""
    try:
        import cupy  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        return f"CuPy cannot be imported ({error}); {REMEDY}"
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:  # whatever the driver says
        return f"CuPy finds no CUDA device ({error}); a driver and a GPU are needed"
    return Device(cupy) if count else "CuPy finds no CUDA device; a driver and a GPU are needed"


def missing_device_notice() -> str:
    """Why there is no device, "" when there is one."""
    found = find_device()
    return found if isinstance(found, str) else ""


def need_device(name: str) -> Device:
    """The device, or an error that says what is missing."""
    found = find_device()
    if isinstance(found, str):
        raise CompileError(f"{name}: target 'cuda' cannot be had: {found}; target 'simd' runs without")
    return found


def to_host(array: Any) -> Any:
    """An array of NumPy or CuPy as one of NumPy."""
    return array.get() if is_on_device(array) else np.asarray(array)


def is_on_device(value: Any) -> bool:
    """Whether an argument is an array of a CUDA device."""
    if isinstance(value, np.ndarray | list | tuple | float | int) or not hasattr(value, "__dlpack_device__"):
        return False
    try:
        kind, _ = value.__dlpack_device__()
        return int(kind) in (2, 13)  # kDLCUDA, kDLCUDAManaged
    except Exception:  # whatever an object raises that only pretends to be an array
        return False
