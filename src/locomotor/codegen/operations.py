"""The one table of operations: how each is written in C and computed with numpy.

The C expression is the same in every dialect (scalar, SIMD, later CUDA): the operators exist for `real` in each of
them, and the functions `lm_*` are defined for each by the headers in `runtime/`. Adding an operation is one line here,
its name in `locomotor.tracing.core.simplify`, and its `lm_*` function where C has no operator for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass


def _ieee_remainder(a: float, b: float) -> float:
    """C's `remainder`: a - n b with n the integer nearest to a / b; NaN where it is not defined."""
    try:
        return math.remainder(a, b)
    except ValueError:
        return math.nan


_erf = np.vectorize(math.erf, otypes=[np.float64])
_remainder = np.vectorize(_ieee_remainder, otypes=[np.float64])


@dataclass(frozen=True)
class Operation:
    """`c`: expression of the operands {0}, {1}, ...; `numpy`: the same on arrays."""

    c: str
    numpy: Callable[..., Any]


def _call(name: str, arity: int, function: Callable[..., Any]) -> Operation:
    return Operation(f"lm_{name}({', '.join(f'{{{i}}}' for i in range(arity))})", function)


OPERATIONS: dict[str, Operation] = {
    # arithmetic
    "add": Operation("{0} + {1}", np.add),
    "sub": Operation("{0} - {1}", np.subtract),
    "mul": Operation("{0} * {1}", np.multiply),
    "div": Operation("{0} / {1}", np.divide),
    "neg": Operation("-{0}", np.negative),
    # truth values
    "lt": Operation("{0} < {1}", np.less),
    "le": Operation("{0} <= {1}", np.less_equal),
    "eq": Operation("{0} == {1}", np.equal),
    "ne": Operation("{0} != {1}", np.not_equal),
    "and": Operation("{0} & {1}", np.logical_and),
    "or": Operation("{0} | {1}", np.logical_or),
    "not": _call("not", 1, np.logical_not),
    "truth": _call("truth", 1, lambda a: np.not_equal(a, 0.0)),
    "number": _call("number", 1, lambda a: np.asarray(a, dtype=np.float64)),
    "select": _call("select", 3, np.where),
    # functions of one number
    "sqrt": _call("sqrt", 1, np.sqrt),
    "sin": _call("sin", 1, np.sin),
    "cos": _call("cos", 1, np.cos),
    "tan": _call("tan", 1, np.tan),
    "asin": _call("asin", 1, np.arcsin),
    "acos": _call("acos", 1, np.arccos),
    "atan": _call("atan", 1, np.arctan),
    "sinh": _call("sinh", 1, np.sinh),
    "cosh": _call("cosh", 1, np.cosh),
    "tanh": _call("tanh", 1, np.tanh),
    "asinh": _call("asinh", 1, np.arcsinh),
    "acosh": _call("acosh", 1, np.arccosh),
    "atanh": _call("atanh", 1, np.arctanh),
    "exp": _call("exp", 1, np.exp),
    "expm1": _call("expm1", 1, np.expm1),
    "log": _call("log", 1, np.log),
    "log1p": _call("log1p", 1, np.log1p),
    "erf": _call("erf", 1, _erf),
    "fabs": _call("fabs", 1, np.fabs),
    "sign": _call("sign", 1, np.sign),
    "floor": _call("floor", 1, np.floor),
    "ceil": _call("ceil", 1, np.ceil),
    # functions of two numbers
    "pow": _call("pow", 2, np.power),
    "fmod": _call("fmod", 2, np.fmod),
    "remainder": _call("remainder", 2, _remainder),
    "copysign": _call("copysign", 2, np.copysign),
    "fmin": _call("fmin", 2, np.fmin),
    "fmax": _call("fmax", 2, np.fmax),
    "atan2": _call("atan2", 2, np.arctan2),
    "hypot": _call("hypot", 2, np.hypot),
}
