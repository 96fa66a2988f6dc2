"""A compiled function: numpy arrays in, numpy arrays out, for one instance or a batch."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from locomotor import checks
from locomotor.codegen.threads import stop_here
from locomotor.errors import ArgumentError, ArgumentTypeError
from locomotor.tracing.core import Port, Traced
from locomotor.typing import Floats

BREATH = 1e8
"""Operations (some hundredths of a second) of a long batch after which an interrupt is heard."""

SMALL = 2**16
"""Numbers up to which all results of a call share one block of memory, which is kept as long as one of them is."""
MOST_LANES = 16
"""Pieces of a batch are whole blocks of lanes, of however many."""

Evaluator = Callable[[Sequence[Floats], int], tuple[Floats, ...]]
"""Function of checked inputs ((size,) or (batch, size), float64, C-contiguous) and the batch; gives (batch, size)."""


class Kernel:
    """Compiled traced function.

    `kernel(a, b, ...)` takes one array an input port, each of shape (size,) or (batch, size); vectors are shared by all
    instances. It returns one array an output port, of the port's shape, with the batch in front when an input had one.
    Arrays of float64 in C order are read in place, others are converted.

    `__doc__` lists the arguments and results with their order and units; `source` is the C text ("" when interpreted),
    `target` is "c", "simd" or "interpreter", `operations` counts the arithmetic.
    """

    def __init__(self, traced: Traced, target: str, source: str, single: Evaluator, batch: Evaluator) -> None:
        self.traced = traced
        self.target = target
        self.source = source
        self.operations = traced.operations
        self._single = single
        self._batch = batch
        self._shapes = [port.shape for port in traced.outputs]
        self.__doc__ = (
            f"{traced.describe()}\n\nEach argument has shape (size,), or (batch, size); each result has the shape "
            f"shown, with the batch in front if an argument has one.\nTarget: {target}."
        )

    def __repr__(self) -> str:
        return f"<Kernel {self.traced.name!r}: {self.operations} operations, target {self.target}>"

    def __call__(self, *inputs: ArrayLike) -> tuple[Floats, ...]:
        """Evaluate the function for arrays of its inputs; see the class."""
        arrays, batch = self.check(inputs)
        if batch is None:
            return tuple([r.reshape(shape) for r, shape in zip(self._single(arrays, 1), self._shapes, strict=True)])
        return tuple([r.reshape(batch, *shape) for r, shape in zip(self._batch(arrays, batch), self._shapes, strict=True)])

    def check(self, inputs: Sequence[ArrayLike]) -> tuple[list[Floats], int | None]:
        """Inputs as contiguous float64 arrays and the common batch (None when all are vectors), or a clear error."""
        ports = self.traced.inputs
        if len(inputs) != len(ports):
            wanted = ", ".join(f"{port.name} ({port.size})" for port in ports)
            raise ArgumentTypeError(f"{self.traced.name} takes {len(ports)} arguments: {wanted}; {len(inputs)} given")
        arrays = [as_floats(self.traced.name, port, value) for port, value in zip(ports, inputs, strict=True)]
        batch: int | None = None
        for port, array in zip(ports, arrays, strict=True):
            if array.ndim == 2:
                if batch is not None and len(array) != batch:
                    raise ArgumentError(
                        f"{self.traced.name}: {port.name} has a batch of {len(array)}, an earlier argument one of "
                        f"{batch}; give equal batches, or a vector to share it among all instances"
                    )
                batch = len(array)
        return arrays, batch

    def by_name(self, *inputs: ArrayLike) -> Mapping[str, Floats]:
        """The outputs for one instance by the names of their ports, read-only, each laid out when first asked for."""
        arrays, batch = self.check(inputs)
        if batch is not None:
            raise ArgumentError(f"{self.traced.name}: by_name takes vectors, a batch of {batch} was given")
        return _Outputs(self._single(arrays, 1), self._places)

    @cached_property
    def _places(self) -> dict[str, tuple[int, tuple[int, ...]]]:
        return {port.name: (k, port.shape) for k, port in enumerate(self.traced.outputs)}

    def bind(self, *inputs: ArrayLike) -> Bound:
        """One instance with arrays of its own: write `bound.inputs`, call `bound()`, read `bound.outputs`."""
        arrays, batch = self.check(inputs)
        if batch is not None:
            raise ArgumentError(f"{self.traced.name}: bind takes vectors, a batch of {batch} was given")
        return Bound(self, [array.copy() for array in arrays])


class _Outputs(Mapping[str, Floats]):
    """Outputs of one instance by name."""

    def __init__(self, found: tuple[Floats, ...], places: Mapping[str, tuple[int, tuple[int, ...]]]) -> None:
        self._found, self._places, self._made = found, places, dict[str, Floats]()

    def __getitem__(self, name: str) -> Floats:
        made = self._made.get(name)
        if made is None:
            k, shape = self._places[name]
            made = self._made[name] = self._found[k].reshape(shape)
            made.setflags(write=False)
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class Bound:
    """One instance of a kernel with fixed arrays; calling it neither allocates nor checks anything.

    For compiled kernels a call costs about half a microsecond more than the function itself.
    """

    def __init__(self, kernel: Kernel, inputs: list[Floats]) -> None:
        self.inputs = tuple(inputs)
        self.outputs: tuple[Floats, ...] = tuple(np.empty(port.shape) for port in kernel.traced.outputs)
        single = kernel._single
        if isinstance(single, Compiled):
            self._call = single.prepare(self.inputs, self.outputs, 1)
        else:
            self._call = lambda: self._evaluate(single)

    def __call__(self) -> tuple[Floats, ...]:
        """Evaluate in place; returns `outputs`."""
        self._call()
        return self.outputs

    def _evaluate(self, single: Evaluator) -> None:
        for target, result in zip(self.outputs, single(self.inputs, 1), strict=True):
            target[...] = result.reshape(target.shape)


class Compiled:
    """Evaluator that calls the function `lm_kernel` of a shared library."""

    def __init__(self, library: ctypes.CDLL, traced: Traced) -> None:
        self._function = library.lm_kernel
        self._function.restype = None
        self._sizes = [port.size for port in traced.outputs]
        inputs, outputs = max(len(traced.inputs), 1), max(len(traced.outputs), 1)
        self._pointers, self._strides, self._targets = _VOID * inputs, _LONG * inputs, _VOID * outputs
        *self._starts, self._total = accumulate(self._sizes, initial=0)
        self._piece = max(MOST_LANES, int(BREATH / max(traced.operations, 1)) // MOST_LANES * MOST_LANES)

    def __call__(self, inputs: Sequence[Floats], batch: int) -> tuple[Floats, ...]:
        """Outputs as (batch, size) arrays; small ones lie in one block."""
        if 0 < batch <= self._piece and batch * self._total <= SMALL:
            stop_here().check()
            block = np.empty(batch * self._total)
            first = address(block)
            self._call(inputs, [first + 8 * batch * start for start in self._starts], batch)()
            return tuple(
                [block[batch * a : batch * (a + n)].reshape(batch, n) for a, n in zip(self._starts, self._sizes, strict=True)]
            )
        outputs = tuple([np.empty((batch, size)) for size in self._sizes])
        if 0 < batch <= self._piece:
            stop_here().check()
            self.prepare(inputs, outputs, batch)()
            return outputs
        for first in range(0, batch, self._piece):
            stop_here().check()
            rows = slice(first, min(first + self._piece, batch))
            own = [array[rows] if array.ndim == 2 else array for array in inputs]
            self.prepare(own, [array[rows] for array in outputs], rows.stop - first)()
        return outputs

    def prepare(self, inputs: Sequence[Floats], outputs: Sequence[Floats], batch: int) -> Callable[[], None]:
        """Call with everything converted to C beforehand; the arrays must stay where they are."""
        return self._call(inputs, [address(array) for array in outputs], batch)

    def _call(self, inputs: Sequence[Floats], outputs: Sequence[int], batch: int) -> Callable[[], None]:
        pointers = self._pointers(*[address(array) for array in inputs])
        strides = self._strides(*[a.shape[1] if a.ndim == 2 else 0 for a in inputs])
        targets = self._targets(*outputs)
        count = _LONG(batch)
        function = self._function
        return lambda: function(pointers, strides, targets, count)


def address(array: NDArray[Any]) -> int:
    """Where the first number of an array lies in memory; 0 for one that holds none."""
    if not array.size:
        return 0
    if not array.flags.writeable:
        return int(array.__array_interface__["data"][0])
    try:
        return ctypes.addressof(_BYTE(array))  # type: ignore[arg-type]  # a quarter of the time of the other way
    except (TypeError, ValueError):  # of arrays that are not contiguous
        return int(array.__array_interface__["data"][0])


_BYTE = ctypes.c_char.from_buffer
_VOID, _LONG = ctypes.c_void_p, ctypes.c_int64


def as_floats(owner: str, port: Port, value: ArrayLike, dimensions: tuple[int, ...] = (1, 2)) -> Floats:
    """Argument as a C-contiguous float64 array whose last axis holds the fields of `port`; no copy when it is one."""
    plain = isinstance(value, np.ndarray) and value.dtype == np.float64
    if plain and value.ndim in dimensions and value.shape[-1] == port.size and value.flags.c_contiguous:  # type: ignore[union-attr]
        return value  # type: ignore[return-value]
    array: Floats = value if plain else checks.floats(value, f"{owner}: {port.name}")  # type: ignore[assignment]
    if array.ndim not in dimensions or array.shape[-1] != port.size:
        kinds = " or ".join(f"({'batch, ' * (n > 1)}{'steps, ' * (n > 2)}{port.size})" for n in dimensions)
        raise ArgumentError(f"{owner}: {port.name} must have shape {kinds}, not {array.shape}; {_fields(port)}")
    return np.ascontiguousarray(array)


def _fields(port: Port) -> str:
    shown = ", ".join(port.names[:12]) + (", ..." if port.size > 12 else "")
    return f"its {port.size} fields are: {shown}" if port.size else "it has no fields"
