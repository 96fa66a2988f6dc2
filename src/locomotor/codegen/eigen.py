"""Small dense problems by the million: eigenvalues and linear systems, one matrix after the other in machine code.

The algorithms are in `runtime/eigen.h` and `runtime/solve.h`, built for one order at a time with everything in local
arrays; without a compiler numpy does the same.
"""

from __future__ import annotations

import ctypes
import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from locomotor import checks
from locomotor.codegen._compile import build, choose
from locomotor.codegen.emit_c import SCALAR, prologue, runtime
from locomotor.codegen.kernel import address
from locomotor.codegen.threads import share_rows
from locomotor.codegen.toolchain import Toolchain
from locomotor.errors import ArgumentError, CompileError
from locomotor.typing import Complexes, Floats

LARGEST = 32
"""Largest order that is compiled; numpy, which blocks its work, takes larger matrices."""

FOUND, NOT_CONVERGED, NOT_FINITE, NO_FAMILY = 0, 1, 2, 3
"""Values of `Eigenvalues.status`, as in `runtime/eigen.h`."""

KERNEL = 1e-8
"""A direction is in the kernel when the matrix shrinks it by this factor, relatively; LM_EIGEN_SMALL of the header."""


class Eigenvalues(NamedTuple):
    """Eigenvalues (batch, n), and for each matrix 0 found, 1 not converged, 2 not finite, 3 no such kernel.

    Largest real part first, then largest imaginary part; NaN for a matrix whose status is not 0.
    """

    values: Complexes
    status: NDArray[np.int32]


def eigenvalues(matrices: ArrayLike, *, family: int = 0, target: str = "auto", threads: int = 1) -> Eigenvalues:
    """Eigenvalues of real matrices (n, n) or (batch, n, n), for orders up to about a dozen by the million.

    `family` removes so many zero eigenvalues before the others are computed, by passing to the space modulo as many
    vectors of the kernel: another eigenvalue near zero then keeps its full accuracy. A matrix without such a kernel gets
    the status 3. `target`: "auto", "c", "simd" (the same as "c": iterations differ from matrix to matrix) or
    "interpreter" (numpy).
    """
    a = _square("eigenvalues", matrices)
    threads, family = checks.threads(threads, "threads"), checks.whole(family, "family")
    n = a.shape[-1]
    if family > n:
        raise ArgumentError(f"eigenvalues: matrices of order {n} have no {family} zero eigenvalues to remove")
    stack = a.reshape(math.prod(a.shape[:-2]), n, n)
    values, status = np.empty((len(stack), n - family), dtype=complex), np.zeros(len(stack), dtype=np.int32)
    if values.size:
        function = _function("eigenvalues", n, family, target)
        if function is None:
            _eigenvalues_by_numpy(stack, family, values, status)
        else:
            _share(function, (stack, values, status), len(stack), threads)
    return Eigenvalues(values.reshape(*a.shape[:-2], n - family), status.reshape(a.shape[:-2]))


def solve(matrices: ArrayLike, right: ArrayLike, *, target: str = "auto", threads: int = 1) -> Floats:
    """Solutions x of A x = b for matrices (batch, n, n) and vectors (batch, n); NaN where A is singular."""
    a = _square("solve", matrices)
    b = np.ascontiguousarray(checks.floats(right, "solve: right-hand sides", copy=False))
    threads = checks.threads(threads, "threads")
    if b.shape != a.shape[:-1]:
        raise ArgumentError(f"solve: matrices of shape {a.shape} need vectors of shape {a.shape[:-1]}, not {b.shape}")
    x = np.full(b.shape, np.nan)
    if x.size:
        n = a.shape[-1]
        function = _function("solve", n, 0, target)
        if function is None:
            _solve_by_numpy(a.reshape(-1, n, n), b.reshape(-1, n), x.reshape(-1, n))
        else:
            status = np.empty(x.size // n, dtype=np.int32)
            _share(function, (a.reshape(-1, n, n), b.reshape(-1, n), x.reshape(-1, n), status), len(status), threads)
    return x


def _square(owner: str, matrices: ArrayLike) -> Floats:
    a = np.ascontiguousarray(checks.floats(matrices, f"{owner}: matrices", copy=False))
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ArgumentError(f"{owner}: matrices must have shape (batch, n, n), not {a.shape}")
    return a


# --- machine code ----------------------------------------------------------------------------------------------------

_ENTRIES = {
    "eigenvalues": (
        "void lm_batch(const stored *a, stored *values, int32_t *status, int64_t batch) {\n"
        "    for (int64_t i = 0; i < batch; ++i)\n"
        "        status[i] = lm_eigenvalues_of(a + i * LM_ORDER * LM_ORDER, values + 2 * i * LM_REST);\n}\n"
    ),
    "solve": (
        "void lm_batch(const stored *a, const stored *b, stored *x, int32_t *status, int64_t batch) {\n"
        "    for (int64_t n = 0; n < batch; ++n) {\n"
        "        real matrix[LM_ORDER * LM_ORDER];\n"
        "        for (int i = 0; i < LM_ORDER * LM_ORDER; ++i) matrix[i] = a[n * LM_ORDER * LM_ORDER + i];\n"
        "        for (int i = 0; i < LM_ORDER; ++i) x[n * LM_ORDER + i] = b[n * LM_ORDER + i];\n"
        "        status[n] = lm_solve(LM_ORDER, matrix, x + n * LM_ORDER);\n    }\n}\n"
    ),
}
_HEADERS = {"eigenvalues": "eigen.h", "solve": "solve.h"}


def emit(task: str, order: int, family: int = 0) -> str:
    """Complete C file of a task ("eigenvalues" or "solve") for one order; exports `lm_batch`."""
    sizes = f"#define LM_ORDER {order}\n#define LM_FAMILY {family}"
    return "\n\n".join((prologue(SCALAR), sizes, runtime(_HEADERS[task]), _ENTRIES[task]))


def _function(task: str, order: int, family: int, target: str) -> Any:
    toolchain = choose(target, None, task)
    if toolchain is None or order > LARGEST:
        return None
    try:
        return _built(task, order, family, toolchain)
    except CompileError:
        if target != "auto":
            raise
        return None


@cache
def _built(task: str, order: int, family: int, toolchain: Toolchain) -> Any:
    function = build(emit(task, order, family), toolchain, 0, False).lm_batch
    function.restype = None
    return function


def _share(function: Any, arrays: tuple[NDArray[Any], ...], batch: int, threads: int) -> None:
    """Call over rows shared by threads; ctypes releases the interpreter lock, so that plain threads do."""

    def work(first: int, last: int) -> None:
        parts = [ctypes.c_void_p(address(array[first:last])) for array in arrays]
        function(*parts, ctypes.c_int64(last - first))

    share_rows(work, batch, threads)


# --- numpy -----------------------------------------------------------------------------------------------------------


def _eigenvalues_by_numpy(stack: Floats, family: int, values: Complexes, status: NDArray[np.int32]) -> None:
    good = np.asarray(np.isfinite(stack).all(axis=(1, 2)))
    status[~good] = NOT_FINITE
    if family:
        _, sizes, right = np.linalg.svd(np.where(good[:, None, None], stack, 0.0))
        lost = good & (sizes[:, -family] > KERNEL * sizes[:, 0])
        status[lost] = NO_FAMILY
        good &= ~lost
        basis = right[:, : right.shape[1] - family]
        stack = basis @ np.where(good[:, None, None], stack, 0.0) @ basis.transpose(0, 2, 1)
    found = np.linalg.eigvals(stack[good]).astype(complex)
    order = np.lexsort((-found.imag, -found.real))
    values[...] = np.nan
    values[good] = np.take_along_axis(found, order, axis=1)


def _solve_by_numpy(a: Floats, b: Floats, x: Floats) -> None:
    good = np.asarray(np.isfinite(a).all(axis=(1, 2)) & np.isfinite(b).all(axis=1))
    a = np.where(good[:, None, None], a, np.eye(a.shape[-1]))
    # numpy raises for the whole stack where one matrix is exactly singular: find such by their determinants.
    good &= np.linalg.slogdet(a)[0] != 0.0
    x[good] = np.linalg.solve(a[good], b[good][..., None])[..., 0]
