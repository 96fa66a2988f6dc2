"""Small complementarity problems by the million: contacts with friction and linear ones, one after the other in machine code.

The algorithms are in `runtime/friction.h` and `runtime/lemke.h`, with everything in local arrays; their readable form is
`locomotor.complementarity`, which also takes over without a compiler.
"""

from __future__ import annotations

import ctypes
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from locomotor import checks, complementarity
from locomotor.codegen._compile import build, choose
from locomotor.codegen.emit_c import SCALAR, Dialect, prologue, runtime
from locomotor.codegen.kernel import address
from locomotor.codegen.threads import share_rows
from locomotor.codegen.toolchain import Toolchain
from locomotor.errors import CompileError, FrictionError, MatrixShapeError
from locomotor.typing import Floats, Integers

SOLVED, LIMIT, RAY = 0, 1, 2
"""Values of `status`, as in the headers."""
MOST_CONTACTS = 64
"""More contacts than this are left to `lm.complementarity.coulomb`: their matrices outgrow the stack."""
MOST_ROWS = 64
SWEEPS = 2000
TARGETS = ("auto", "c", "interpreter")


class Solutions(NamedTuple):
    """Solutions (batch, n), for each problem its residual and its status: 0 solved, 1 limit, 2 ray (the solution is NaN).

    Forces of contacts that are jammed have the status 1 in machine code: it looks for no proof.
    """

    solution: Floats
    residual: Floats
    status: NDArray[np.int32]


_target = checks.choice(*TARGETS)


@checks.door(
    tolerance=checks.positive, sweeps=partial(checks.whole, least=1, most=10**9), target=_target, threads=checks.threads
)
def contact_forces(
    matrices: ArrayLike,
    vectors: ArrayLike,
    friction: ArrayLike,
    *,
    start: ArrayLike | None = None,
    tolerance: float = complementarity.TOLERANCE,
    sweeps: int = SWEEPS,
    newton: bool = True,
    target: str = "auto",
    threads: int = 1,
) -> Solutions:
    """Forces of contacts with Coulomb friction, as `lm.complementarity.coulomb`, for many problems of one size.

    Args:
        matrices: W of each problem, symmetric, of shape (batch, d n, d n).
        vectors: q, of shape (batch, d n).
        friction: mu, of shape (batch, n) or (n,); d is 2 in the plane and 3 in space.
        start: forces to start from, of shape (batch, d n); zero where none are given.
        tolerance: relative residual to stop at.
        sweeps: most sweeps over the contacts.
        newton: whether steps of Newton's method are tried between sweeps.
        target: "auto", "c" or "interpreter": `lm.complementarity.coulomb`, which starts from zero, stops at its own tolerance,
            and proves some problems to have no solution (status 2).
        threads: how many share the batch.
    """
    w = _square("contact_forces", matrices)
    q = _vectors("contact_forces", vectors, w)
    _check_symmetric(w)
    mu = checks.floats(friction, "contact_forces: friction", dimensions=(1, 2), finite=True)
    mu = np.ascontiguousarray(np.broadcast_to(mu, (len(q), mu.shape[-1])) if mu.ndim == 1 else mu)
    if len(mu) != len(q) or q.shape[1] not in {2 * mu.shape[1], 3 * mu.shape[1]}:
        raise MatrixShapeError(
            f"contact_forces: friction of shape {np.shape(friction)} does not fit vectors of shape {q.shape}; give one "
            "coefficient for every 2 rows (in the plane) or 3 rows (in space)"
        )
    if (mu < 0.0).any():
        raise FrictionError(f"contact_forces: a coefficient of friction is {mu.min():g}; give zero or positive numbers")
    r = np.zeros_like(q) if start is None else _vectors("contact_forces", start, w).copy()
    residual, status = np.zeros(len(q)), np.zeros(len(q), dtype=np.int32)
    n = mu.shape[1]
    if not r.size:
        return Solutions(r, residual, status)
    function = _function("friction", (_capacity(n), q.shape[1] // n), target) if n <= MOST_CONTACTS else None
    if function is None:
        for i in range(len(q)):
            method, limit = ("auto", None) if newton else ("gauss-seidel", sweeps)
            found = complementarity.coulomb(w[i], q[i], mu[i], method=method, limit=limit)
            r[i], residual[i] = found.solution, found.residual
            status[i] = RAY if found.status == "ray" else SOLVED if found.residual <= tolerance else LIMIT
    else:
        numbers = (ctypes.c_double(tolerance), ctypes.c_int(n), ctypes.c_int(sweeps), ctypes.c_int(bool(newton)))
        _share(function, (w, q, mu, r, residual, status), numbers, threads)
        own = np.diagonal(w, axis1=1, axis2=2).reshape(len(q), n, -1).max(axis=2)
        # Machine code has one scale for all contacts of a problem; bodies far apart in mass are seen to here, and forces so
        # large that errors are nothing beside them.
        apart = own.min(axis=1) < complementarity.APART * own.max(axis=1)
        for i in np.flatnonzero(apart | ((status == SOLVED) & _amplified(w, q, r))).tolist():
            found = complementarity.coulomb(w[i], q[i], mu[i])
            r[i], residual[i], status[i] = found.solution, found.residual, _STATUS[found.status]
    return Solutions(r, residual, status)


@checks.door(target=_target, threads=checks.threads)
def linear_complementarity(matrices: ArrayLike, vectors: ArrayLike, *, target: str = "auto", threads: int = 1) -> Solutions:
    """Solutions of linear complementarity problems by Lemke's method, as `lm.complementarity.lcp`, for many of one size.

    A ray is reported without a proof; `lm.complementarity.lcp` looks for one.
    """
    m = _square("linear_complementarity", matrices)
    q = _vectors("linear_complementarity", vectors, m)
    z, residual, status = np.zeros_like(q), np.zeros(len(q)), np.zeros(len(q), dtype=np.int32)
    n = q.shape[1]
    if z.size:
        function = _function("lemke", (n,), target) if n <= MOST_ROWS else None
        if function is None:
            for i in range(len(q)):
                found = complementarity.lcp(m[i], q[i], method="lemke")
                z[i], residual[i], status[i] = found.solution, found.residual, _STATUS[found.status]
        else:
            _share(function, (m, q, z, residual, status), (ctypes.c_int(50 * n + 100),), threads)
            # Pivots of machine code know one scale for all rows of a problem; rows far apart in size are seen to here.
            unclear = np.flatnonzero((status == SOLVED) & ~(residual <= complementarity.TOLERANCE)).tolist()
            for i in [*unclear, *_apart(m, np.flatnonzero(status != SOLVED))]:
                residual[i] = complementarity.linear.measure(m[i], q[i], z[i])[1]
                if not residual[i] <= complementarity.TOLERANCE:
                    found = complementarity.lcp(m[i], q[i], method="lemke")
                    z[i], residual[i], status[i] = found.solution, found.residual, _STATUS[found.status]
    status[(status == SOLVED) & ~(residual <= complementarity.TOLERANCE)] = LIMIT
    return Solutions(z, residual, status)


def _amplified(w: Floats, q: Floats, r: Floats) -> NDArray[np.bool_]:
    """In which problems forces make numbers that are far larger than q."""
    made = np.einsum("bij,bj->bi", np.abs(w), np.abs(r)).max(axis=1)
    return np.asarray(made > complementarity.AMPLIFIED * np.abs(q).max(axis=1))


def _apart(m: Floats, which: Integers) -> list[int]:
    """Those of some problems whose rows differ in size by far."""
    largest = np.abs(m[which]).max(axis=2)
    found: list[int] = which[largest.min(axis=1) < complementarity.APART * largest.max(axis=1)].tolist()
    return found


_STATUS = {"solved": SOLVED, "limit": LIMIT, "ray": RAY}


def _square(owner: str, matrices: ArrayLike) -> Floats:
    found = np.ascontiguousarray(checks.floats(matrices, f"{owner}: matrices", finite=True))
    if found.ndim != 3 or found.shape[1] != found.shape[2]:
        raise MatrixShapeError(f"{owner}: matrices have shape {found.shape}; give square ones, of shape (batch, n, n)")
    return found


def _check_symmetric(w: Floats) -> None:
    """Delassus matrices differ from their transposes by round-off at most."""
    if not w.size:
        return
    apart, sizes = np.abs(w - w.transpose(0, 2, 1)).max(axis=(1, 2)), np.abs(w).max(axis=(1, 2))
    if (wrong := np.flatnonzero(apart > complementarity.SYMMETRY * sizes)).size:
        complementarity.symmetric(
            w[wrong[0]], f"contact_forces: matrix {wrong[0]}", "Delassus matrices are symmetric (H M^-1 H^T)"
        )


def _vectors(owner: str, vectors: ArrayLike, matrices: Floats) -> Floats:
    found = np.ascontiguousarray(checks.floats(vectors, f"{owner}: vectors", finite=True))
    if found.shape != matrices.shape[:2]:
        raise MatrixShapeError(
            f"{owner}: vectors have shape {found.shape}, matrices {matrices.shape}; give vectors of shape {matrices.shape[:2]}"
        )
    return found


# --- machine code ----------------------------------------------------------------------------------------------------

# Each exports `lm_batch`.
_ENTRIES = {
    "friction": (
        "void lm_batch(const stored *w, const stored *q, const stored *mu, stored *r, stored *residual, int32_t *status,\n"
        "              double tolerance, int n, int sweeps, int newton, int64_t batch) {\n"
        "    const int rows = n * LM_AXES;\n"
        "    for (int64_t i = 0; i < batch; ++i)\n"
        "        status[i] = lm_friction(n, w + i * rows * rows, q + i * rows, mu + i * n, r + i * rows, tolerance, sweeps,\n"
        "                                newton, residual + i);\n}\n"
    ),
    "lemke": (
        "void lm_batch(const stored *m, const stored *q, stored *z, stored *residual, int32_t *status, int limit,\n"
        "              int64_t batch) {\n"
        "    for (int64_t i = 0; i < batch; ++i) {\n"
        "        const stored *matrix = m + i * LM_ORDER * LM_ORDER, *vector = q + i * LM_ORDER;\n"
        "        status[i] = lm_lemke(matrix, vector, z + i * LM_ORDER, limit);\n"
        "        residual[i] = lm_lcp_residual(matrix, vector, z + i * LM_ORDER);\n    }\n}\n"
    ),
}
_SIZES = {"friction": ("LM_CONTACTS", "LM_AXES"), "lemke": ("LM_ORDER",)}


def _capacity(contacts: int) -> int:
    """The next power of two: one library serves several numbers of contacts."""
    return max(4, 1 << (contacts - 1).bit_length())


def emit(task: str, sizes: tuple[int, ...], dialect: Dialect = SCALAR) -> str:
    """The functions of a task ("friction" or "lemke") for its sizes, in a dialect of one lane."""
    defines = "\n".join(f"#define {name} {size}" for name, size in zip(_SIZES[task], sizes, strict=True))
    return "\n\n".join((prologue(dialect, "solve.h"), defines, runtime(f"{task}.h")))


def _function(task: str, sizes: tuple[int, ...], target: str) -> Any:
    toolchain = choose(target, None, task)
    if toolchain is None:
        return None
    try:
        return _built(task, sizes, toolchain)
    except CompileError:
        if target != "auto":
            raise
        return None


@cache
def _built(task: str, sizes: tuple[int, ...], toolchain: Toolchain) -> Any:
    function = build(f"{emit(task, sizes)}\n\n{_ENTRIES[task]}", toolchain, 0, False).lm_batch
    function.restype = None
    return function


def _share(function: Any, arrays: tuple[NDArray[Any], ...], numbers: tuple[Any, ...], threads: int) -> None:
    """Call over problems shared by threads; ctypes releases the interpreter lock, so that plain threads do."""

    def work(first: int, last: int) -> None:
        parts = [ctypes.c_void_p(address(array[first:last])) for array in arrays]
        function(*parts, *numbers, ctypes.c_int64(last - first))

    share_rows(work, len(arrays[0]), threads)
