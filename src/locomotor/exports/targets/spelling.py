"""Spellings that several languages share; those of one language stand with its target. A test compares them with the table of
operations: none may be missing."""

from __future__ import annotations

INFIX = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "neg": "-{0}",
    "lt": "{0} < {1}",
    "le": "{0} <= {1}",
    "eq": "{0} == {1}",
    "ne": "{0} != {1}",
}
"""Arithmetic and comparisons, the same in all."""

UNARY = (
    "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "expm1",
    "log", "log1p", "erf", "fabs", "floor", "ceil",
)  # fmt: skip
BINARY = ("pow", "fmod", "remainder", "copysign", "fmin", "fmax", "atan2", "hypot")


def calls(prefix: str = "", **others: str) -> dict[str, str]:
    """Functions by the names of C with something before them; `others` are named differently."""
    found = {name: f"{prefix}{name}({{0}})" for name in (*UNARY, "sign")}
    found |= {name: f"{prefix}{name}({{0}}, {{1}})" for name in BINARY}
    return found | {
        name: f"{text}({{0}}, {{1}})" if name in BINARY else f"{text}({{0}})" for name, text in others.items() if text
    }


C_LIKE = {
    **INFIX,
    **calls(),
    "and": "{0} && {1}",
    "or": "{0} || {1}",
    "not": "!{0}",
    "truth": "{0} != 0.0",
    "number": "({0} ? 1.0 : 0.0)",
    "select": "{0} ? {1} : {2}",
}
