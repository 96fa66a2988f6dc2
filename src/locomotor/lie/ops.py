"""The one array shim: the same code on floats, on CasADi symbols and on SymPy symbols.

Three kinds of array are understood. Numbers are ``numpy`` float arrays, CasADi expressions are ``casadi.SX``
matrices, and SymPy expressions are ``numpy`` object arrays. A vector of ``n`` entries has shape ``(n,)`` in
``numpy`` and ``(n, 1)`` in CasADi. Kinds mix: numbers promote to whichever symbols they meet.

Code meant for all kinds uses the operators ``@ + - *``, ``.T``, the indices ``v[i]``, ``v[a:b]``,
``M[i, j]``, ``M[a:b, c:d]``, ``M[:, j]``, and the functions of this module; nothing else is safe on symbols.
CasADi removes ``0 * x``, ``1 * x`` and ``0 + x`` as expressions are built, so numeric zeros cost nothing in a
traced function.

SymPy is never imported here: its scalars can only reach us when the caller has imported it already.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import casadi
import numpy as np

from locomotor.errors import NumericsError
from locomotor.typing import Array, Scalar

#: A float, a 1x1 ``casadi.SX`` or a SymPy expression.
#: A vector or a matrix of one of the three kinds.

_Function: TypeAlias = Callable[..., Any]

# --- kinds --------------------------------------------------------------------------------------------------


def _is_casadi(x: Any) -> bool:
    return isinstance(x, casadi.SX)


def _is_sympy_scalar(x: Any) -> bool:
    # Without its names while it is still being imported: no scalar of SymPy exists then either.
    basic: type | None = getattr(sys.modules.get("sympy"), "Basic", None)
    return basic is not None and isinstance(x, basic)


def _is_sympy(x: Any) -> bool:
    if isinstance(x, np.ndarray):
        return bool(x.dtype == object)
    return _is_sympy_scalar(x)


def _dtype(values: Sequence[Any]) -> type:
    return object if any(not isinstance(x, float) and _is_sympy(x) for x in values) else float


def is_symbolic(x: Any) -> bool:
    """Whether ``x`` is of a symbolic kind (CasADi or SymPy), even where its value happens to be constant."""
    return _is_casadi(x) or _is_sympy(x)


def is_zero(x: Scalar) -> bool:
    """Whether the scalar ``x`` is exactly zero as it stands; what would only simplify to zero is not."""
    if _is_casadi(x):
        return bool(x.is_zero())
    if _is_sympy_scalar(x):
        return bool(x.is_Number and x.is_zero)
    return bool(x == 0)


def is_same(a: Array, b: Array) -> bool:
    """Whether two arrays are the same entry by entry: equal numbers, or the very same symbols."""
    if _is_casadi(a) and _is_casadi(b):
        return a.shape == b.shape and bool(casadi.is_equal(a, b, 0))
    if _is_casadi(a) or _is_casadi(b):
        return False
    return np.shape(a) == np.shape(b) and bool(np.all(np.asarray(a) == np.asarray(b)))


def constant(x: Scalar) -> float | None:
    """The number that a scalar is, or None if it depends on symbols."""
    if _is_casadi(x):
        return float(x) if x.is_constant() else None
    if _is_sympy_scalar(x):
        return float(x) if x.is_number else None
    return float(x)


def symbols(name: str, n: int) -> Array:
    """Return a CasADi column of ``n`` fresh symbols ``name_0 ... name_{n-1}``."""
    return casadi.SX.sym(name, n)


# --- elementary functions, on scalars or entry by entry -----------------------------------------------------


def _unary(name: str, on_numbers: _Function, on_casadi: _Function, sympy_name: str = "") -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        if _is_casadi(x):
            return on_casadi(x)
        if _is_sympy_scalar(x):
            return getattr(sys.modules["sympy"], sympy_name or name)(x)
        if _is_sympy(x):
            return np.frompyfunc(function, 1, 1)(x)
        return on_numbers(x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Return ``{name}`` of a scalar, or of each entry of an array."
    return function


def _binary(name: str, on_numbers: _Function, on_casadi: _Function, sympy_name: str = "") -> Callable[[Any, Any], Any]:
    def function(a: Any, b: Any) -> Any:
        if _is_casadi(a) or _is_casadi(b):
            return on_casadi(a, b)
        if not (_is_sympy(a) or _is_sympy(b)):
            return on_numbers(a, b)
        if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
            return np.frompyfunc(function, 2, 1)(a, b)
        return getattr(sys.modules["sympy"], sympy_name or name)(a, b)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Return ``{name}`` of two scalars, or entry by entry."
    return function


sin = _unary("sin", np.sin, casadi.sin)
cos = _unary("cos", np.cos, casadi.cos)
tan = _unary("tan", np.tan, casadi.tan)
asin = _unary("asin", np.arcsin, casadi.asin)
acos = _unary("acos", np.arccos, casadi.acos)
atan = _unary("atan", np.arctan, casadi.atan)
sqrt = _unary("sqrt", np.sqrt, casadi.sqrt)
exp = _unary("exp", np.exp, casadi.exp)
log = _unary("log", np.log, casadi.log)
tanh = _unary("tanh", np.tanh, casadi.tanh)
fabs = _unary("fabs", np.fabs, casadi.fabs, "Abs")
sign = _unary("sign", np.sign, casadi.sign)
atan2 = _binary("atan2", np.arctan2, casadi.atan2)
fmin = _binary("fmin", np.fmin, casadi.fmin, "Min")
fmax = _binary("fmax", np.fmax, casadi.fmax, "Max")
power = _binary("power", np.float_power, casadi.power, "Pow")
less = _binary("less", np.less, casadi.lt, "StrictLessThan")
logic_and = _binary("logic_and", np.logical_and, casadi.logic_and, "And")


def if_else(condition: Any, a: Any, b: Any) -> Any:
    """Return ``a`` where ``condition`` holds and ``b`` elsewhere; ``a`` and ``b`` may be scalars or arrays.

    On symbols both branches are kept, and the one not taken, or its derivative, may end up multiplied by
    zero: both must stay finite, with finite derivatives, whatever the condition. Guard their arguments.
    SymPy expands a condition that itself holds an ``if_else``: two levels take seconds, three take minutes.
    """
    if _is_casadi(condition):
        return casadi.if_else(condition, a, b)
    if _is_sympy_scalar(condition) and condition not in (True, False):
        if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
            return np.frompyfunc(lambda x, y: if_else(condition, x, y), 2, 1)(a, b)
        # Unevaluated: SymPy would otherwise try to solve the condition each time one is built.
        return sys.modules["sympy"].Piecewise((a, condition), (b, True), evaluate=False)
    if np.ndim(condition) == 0:
        return a if condition else b
    return np.where(condition, a, b)


# --- building and taking apart ------------------------------------------------------------------------------


def vector(*scalars: Scalar) -> Array:
    """Return the vector of the given scalars."""
    if any(_is_casadi(x) for x in scalars):
        return casadi.vertcat(*scalars)
    return np.array(scalars, dtype=_dtype(scalars))


def matrix(rows: Sequence[Sequence[Scalar]]) -> Array:
    """Return the matrix whose rows are the given lists of scalars."""
    flat = [x for row in rows for x in row]
    if any(_is_casadi(x) for x in flat):
        return casadi.vertcat(*(casadi.horzcat(*row) for row in rows))
    return np.array([list(row) for row in rows], dtype=_dtype(flat))


def zeros(n: int, m: int | None = None) -> Array:
    """Return a numeric zero vector of ``n`` entries, or a zero matrix of ``n`` rows and ``m`` columns."""
    return np.zeros(n if m is None else (n, m))


def eye(n: int) -> Array:
    """Return the numeric identity matrix."""
    return np.eye(n)


def concat(*vectors: Array) -> Array:
    """Stack vectors end to end."""
    if any(_is_casadi(v) for v in vectors):
        return casadi.vertcat(*vectors)
    return np.concatenate([np.asarray(v, dtype=_dtype([v])) for v in vectors]) if vectors else zeros(0)


def columns(*vectors: Array) -> Array:
    """Return the matrix that has the given vectors (at least one) as columns."""
    if not vectors:
        raise ValueError("columns() needs at least one vector; use zeros(n, 0) for a matrix without columns")
    if any(_is_casadi(v) for v in vectors):
        return casadi.horzcat(*vectors)
    return np.stack(vectors, axis=1)


def block(rows: Sequence[Sequence[Array]]) -> Array:
    """Assemble a matrix from rows of blocks; a vector stands for a single column."""
    blocks = [x for row in rows for x in row]
    if any(_is_casadi(x) for x in blocks):
        return casadi.vertcat(*(casadi.horzcat(*row) for row in rows))
    return np.block([[x[:, None] if np.ndim(x) == 1 else x for x in row] for row in rows])


def size(v: Array) -> int:
    """Return the number of entries of a vector."""
    return int(v.shape[0])


def entries(v: Array) -> list[Scalar]:
    """Return the entries of a vector as a list of scalars; a lone scalar is a vector of one entry."""
    if _is_casadi(v):
        return list(v.elements())
    return list(np.atleast_1d(v))


# --- products of vectors ------------------------------------------------------------------------------------


def dot(a: Array, b: Array) -> Scalar:
    """Return the scalar product ``a . b``."""
    if _is_casadi(a) or _is_casadi(b):
        return casadi.dot(a, b)
    return np.dot(a, b)


def norm(a: Array) -> Scalar:
    """Return the Euclidean norm ``sqrt(a . a)``; its derivative is not defined where ``a`` vanishes."""
    return sqrt(dot(a, a))


def cross(a: Array, b: Array) -> Array:
    """Return the vector product ``a x b`` of two 3-vectors."""
    if type(a) is type(b) is np.ndarray and a.dtype == b.dtype == np.float64 and a.ndim == b.ndim == 1:
        # Plain numbers: of three of them arrays are slow.
        (x, y, z), (u, v, w) = a.tolist(), b.tolist()
        return np.array((y * w - z * v, z * u - x * w, x * v - y * u))
    if _is_casadi(a) or _is_casadi(b):
        return casadi.cross(a, b)
    return vector(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def skew(a: Array) -> Array:
    """Return the matrix of ``a x``: ``skew(a) @ b = cross(a, b)``."""
    x, y, z = entries(a)
    return matrix([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def outer(a: Array, b: Array) -> Array:
    """Return the dyad ``a b^T``: ``outer(a, b) @ c = a (b . c)``."""
    if _is_casadi(a) or _is_casadi(b):
        return casadi.mtimes(casadi.SX(a), casadi.SX(b).T)
    return np.outer(a, b)


# --- linear equations ---------------------------------------------------------------------------------------


def solve_spd(M: Array, b: Array) -> Array:
    """Solve ``M x = b`` for a symmetric positive definite ``M``, ``b`` a vector or a matrix of columns.

    ``M = U D U^T`` with ``U`` unit upper triangular, eliminating from the last unknown to the first. In this
    order the mass matrix of a kinematic tree numbered parents first fills in nowhere: two branches cost no
    operation on each other (R. Featherstone, Rigid Body Dynamics Algorithms, 2008, section 6.5). Exact zeros
    vanish from the expressions by themselves, and the lower half of each complement is computed but never
    read, so neither leaves an operation in a traced function.
    """
    n = int(M.shape[0])
    if n == 0:
        return b
    rest, right = M, columns(b) if len(b.shape) == 1 else b
    eliminated: list[tuple[Array, Array]] = []  # column k of -U above the diagonal, row k of -D^-1 U^-1 b
    for k in reversed(range(1, n)):
        _check_pivot(k, rest[k, k])
        # One division a pivot: CasADi turns a * (1/d) into a / d for each a, but leaves a * (-1/d) alone.
        minus_inverse = -1.0 / rest[k, k]
        above, row = rest[0:k, k : k + 1], right[k : k + 1, :]
        minus_u = minus_inverse * above
        rest, right = rest[0:k, 0:k] + minus_u @ above.T, right[0:k, :] + minus_u @ row
        eliminated.append((minus_u, minus_inverse * row))

    _check_pivot(0, rest[0, 0])
    x = (1.0 / rest[0, 0]) * right
    for minus_u, minus_y in reversed(eliminated):
        x = block([[x], [minus_u.T @ x - minus_y]])
    return x[:, 0] if len(b.shape) == 1 else x


class Halves:
    """The two halves of `solve_spd`: ``M = R R^T``, with ``R = -U D^(1/2)`` in the same order of elimination.

    With ``w = R^T v`` in the place of velocities ``v`` masses are 1: what pushes is also what answers.
    """

    def __init__(self, M: Array) -> None:
        rest, n = M, int(M.shape[0])
        self._eliminated: list[Array] = []  # columns of -U above the diagonal, the last first
        self._minus_roots: list[Scalar] = []  # of 1/D, the last first
        for k in reversed(range(n)):
            _check_pivot(k, rest[k, k])
            self._minus_roots.append(-1.0 / sqrt(rest[k, k]))
            above = rest[0:k, k : k + 1]
            minus_u = (-1.0 / rest[k, k]) * above
            rest = rest[0:k, 0:k] + minus_u @ above.T
            self._eliminated.append(minus_u)

    def first(self, b: Array) -> Array:
        """``R^-1 b`` for a matrix of columns."""
        right, found = b, []
        for minus_u, minus_root in zip(self._eliminated, self._minus_roots, strict=True):
            k = int(minus_u.shape[0])
            row = right[k : k + 1, :]
            right = right[0:k, :] + minus_u @ row
            found.append(minus_root * row)
        return block([[row] for row in reversed(found)])

    def second(self, w: Array) -> Array:
        """``R^-T w`` for a vector."""
        found: list[Scalar] = []
        for minus_u, minus_root, value in zip(reversed(self._eliminated), reversed(self._minus_roots), entries(w), strict=True):
            found.append(sum((u * x for u, x in zip(entries(minus_u[:, 0]), found, strict=True)), minus_root * value))
        return vector(*found)


class SingularMatrixError(NumericsError, np.linalg.LinAlgError):
    """A matrix that must be positive definite is not."""


def _check_pivot(k: int, pivot: Scalar) -> None:
    if is_zero(pivot) or (not is_symbolic(pivot) and pivot < 0):
        raise SingularMatrixError(
            f"a matrix of masses is not positive definite (pivot {k} is {pivot}): something moves without mass, as between two "
            "joints about one axis, or a row of the constraints repeats others; give masses and inertias, or leave a row out"
        )
