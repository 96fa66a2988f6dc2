"""Traced functions over a batch on a CUDA device."""

from __future__ import annotations

from typing import Any

import numpy as np

from locomotor.codegen.cuda.device import Device, is_on_device, need_device
from locomotor.codegen.cuda.text import BLOCK, kernel_text
from locomotor.codegen.data import data_of
from locomotor.errors import ArgumentError, ArgumentTypeError
from locomotor.tracing.core import Traced


class CudaKernel:
    """Compiled traced function on the device: `kernel(a, b, ...)` with arrays of shape (size,) or (batch, size).

    Results stay on the device when an argument was there. `registers`, `local_bytes`: as for roll-outs.
    """

    target = "cuda"

    def __init__(self, traced: Traced, precision: str = "float64") -> None:
        self.traced = traced
        self.precision = precision
        self.operations = traced.operations
        self.source = kernel_text(traced, precision)
        self.device: Device = need_device(traced.name)
        self._kernel, _ = self.device.build(self.source, "lm_kernel", data_of([traced]), precision)

    def __repr__(self) -> str:
        return f"<CudaKernel {self.traced.name!r}: {self.operations} operations, {self.precision}, {self.registers} registers>"

    @property
    def registers(self) -> int:
        """Registers of one thread."""
        return int(self._kernel.num_regs)

    @property
    def local_bytes(self) -> int:
        """Local memory of one thread."""
        return int(self._kernel.local_size_bytes)

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        """Evaluate for all rows of the arguments, on the device."""
        device, cupy, traced = self.device, self.device.cupy, self.traced
        if len(inputs) != len(traced.inputs):
            wanted = ", ".join(f"{port.name} ({port.size})" for port in traced.inputs)
            raise ArgumentTypeError(f"{traced.name} takes {len(traced.inputs)} arguments: {wanted}; {len(inputs)} given")
        dtype = np.dtype(self.precision)
        stays = any(is_on_device(value) for value in inputs)
        pairs = zip(traced.inputs, inputs, strict=True)
        arrays = [device.array(traced.name, port, value, dtype) for port, value in pairs]
        batches = {len(array) for array in arrays if array.ndim == 2}
        if len(batches) > 1:
            raise ArgumentError(f"{traced.name}: arguments have batches of {sorted(batches)}; give equal ones, or vectors")
        batch = batches.pop() if batches else 1
        with device.memory(traced.name, batch * dtype.itemsize * sum(port.size for port in traced.outputs), batch):
            results = [cupy.empty((batch, port.size), dtype=dtype) for port in traced.outputs]
        if batch:
            rows = [entry for a in arrays for entry in (a, np.int64(a.shape[1] if a.ndim == 2 else 0))]
            device.launch(self._kernel, batch, BLOCK, (np.int64(batch), *rows, *results))
        front = (batch,) if any(array.ndim == 2 for array in arrays) else ()
        shaped = [r.reshape((*front, *port.shape)) for r, port in zip(results, traced.outputs, strict=True)]
        return tuple(shaped if stays else (cupy.asnumpy(result) for result in shaped))
