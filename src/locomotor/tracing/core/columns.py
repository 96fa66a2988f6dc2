"""Small helpers around CasADi functions: dense columns, legal names, constants that should not be there."""

from __future__ import annotations

import math
import re
from typing import Any

import casadi


def column(expression: Any) -> casadi.SX:
    """Dense column of an SX expression; a matrix is read row by row."""
    matrix = casadi.densify(casadi.SX(expression))
    return matrix if matrix.size2() == 1 else casadi.reshape(matrix.T, -1, 1)


def identifier(name: str) -> str:
    """Name turned into a C identifier that CasADi accepts."""
    cleaned = re.sub(r"_+", "_", re.sub(r"\W", "_", name, flags=re.ASCII)).strip("_")
    return cleaned if cleaned[:1].isalpha() else f"f_{cleaned}".rstrip("_")


def has_nan(*expressions: Any) -> bool:
    """Whether NaN is a constant somewhere in the graph of the expressions."""
    columns = [column(expression) for expression in expressions]
    function = casadi.Function("f", casadi.symvar(casadi.veccat(*columns)), columns)
    constants = (i for i in range(function.n_instructions()) if function.instruction_id(i) == casadi.OP_CONST)
    return any(math.isnan(function.instruction_constant(i)) for i in constants)
