"""The functions an expression may call: how each is evaluated, differentiated and typeset.

The table is the whitelist of the parser. Values are computed through `lie.ops`, so an expression evaluates on
floats, CasADi and SymPy scalars alike. Derivative rules see expressions only through their operators and
`apply`, so this module knows nothing of how expressions are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import pi
from types import MappingProxyType
from typing import Any, Final

from locomotor.dataclass import dataclass
from locomotor.lie import ops

Apply = Callable[..., Any]
Rule = Callable[[Apply, tuple[Any, ...], tuple[Any, ...]], Any]


@dataclass(frozen=True)
class Function:
    """One callable of the expression language.

    `derivative(apply, arguments, rates)` is the derivative of the call when its arguments change at `rates`;
    `conditions` are the positions that take a truth value; `gives_condition` tells whether the result is one.
    `latex` is a format string over the arguments' LaTeX. `about` is one line for the documentation.
    """

    name: str
    arity: int
    value: Callable[..., Any]
    derivative: Rule
    latex: str
    about: str
    conditions: tuple[int, ...] = ()
    gives_condition: bool = False


def _chain(*partials: Callable[..., Any]) -> Rule:
    """The chain rule: sum over the arguments of partial derivative times rate."""

    def rule(apply: Apply, arguments: tuple[Any, ...], rates: tuple[Any, ...]) -> Any:
        terms = [partial(apply, *arguments) * rate for partial, rate in zip(partials, rates, strict=True)]
        total = terms[0]
        for term in terms[1:]:
            total = total + term
        return total

    return rule


def _zero(apply: Apply, arguments: tuple[Any, ...], rates: tuple[Any, ...]) -> Any:
    return 0.0


# --- values whose float form needs care ---------------------------------------------------------------------


def _power(base: Any, exponent: Any) -> Any:
    # An integer exponent lets every scalar kind use products, which is exact for negative bases too.
    if isinstance(exponent, float) and exponent.is_integer():
        exponent = int(exponent)
    if isinstance(base, float) and isinstance(exponent, int):
        return base**exponent
    return ops.power(base, exponent)


def _progress(t: Any, start: Any, end: Any) -> Any:
    return ops.fmin(ops.fmax((t - start) / (end - start), 0.0), 1.0)


def smooth_step(t: Any, start: Any, end: Any) -> Any:
    """s - sin(2 pi s)/(2 pi) with s = (t - start)/(end - start) held within [0, 1]: a cycloidal step."""
    s = _progress(t, start, end)
    return s - ops.sin(2 * pi * s) / (2 * pi)


# --- derivative rules that are not a plain chain rule -------------------------------------------------------


def _power_rate(apply: Apply, arguments: tuple[Any, ...], rates: tuple[Any, ...]) -> Any:
    base, exponent = arguments
    base_rate, exponent_rate = rates
    result = exponent * base ** (exponent - 1.0) * base_rate
    if exponent_rate.is_zero:  # keeps log(base) away from constant exponents, where the base may be negative
        return result
    return result + base**exponent * apply("log", base) * exponent_rate


def _min_rate(apply: Apply, arguments: tuple[Any, ...], rates: tuple[Any, ...]) -> Any:
    return apply("if_else", apply("less", arguments[0], arguments[1]), rates[0], rates[1])


def _max_rate(apply: Apply, arguments: tuple[Any, ...], rates: tuple[Any, ...]) -> Any:
    return apply("if_else", apply("less", arguments[0], arguments[1]), rates[1], rates[0])


def _if_else_rate(apply: Apply, arguments: tuple[Any, ...], rates: tuple[Any, ...]) -> Any:
    if rates[1].is_zero and rates[2].is_zero:
        return 0.0  # a choice between constants is flat
    return apply("if_else", arguments[0], rates[1], rates[2])


def _smooth_step_rate(apply: Apply, arguments: tuple[Any, ...], rates: tuple[Any, ...]) -> Any:
    # d/ds (s - sin(2 pi s)/(2 pi)) = 1 - cos(2 pi s) vanishes at both ends: holding needs no case of its own.
    t, start, end = arguments
    t_rate, start_rate, end_rate = rates
    span = end - start
    s = apply("min", apply("max", (t - start) / span, 0.0), 1.0)
    s_rate = (t_rate - start_rate) / span - (t - start) * (end_rate - start_rate) / span**2.0
    return (1.0 - apply("cos", 2 * pi * s)) * s_rate


# --- the table ----------------------------------------------------------------------------------------------

OPERATORS: Final = ("add", "sub", "mul", "div", "pow", "neg")

_TABLE = (
    Function("add", 2, lambda a, b: a + b, _chain(lambda f, a, b: 1.0, lambda f, a, b: 1.0), "{} + {}", "sum"),
    Function("sub", 2, lambda a, b: a - b, lambda f, a, r: r[0] - r[1], "{} - {}", "difference"),
    Function("mul", 2, lambda a, b: a * b, lambda f, a, r: r[0] * a[1] + a[0] * r[1], r"{} \, {}", "product"),
    Function(
        "div",
        2,
        lambda a, b: a / b,
        lambda f, a, r: r[0] / a[1] - a[0] * r[1] / a[1] ** 2.0,
        r"\frac{{{}}}{{{}}}",
        "quotient",
    ),
    Function("pow", 2, _power, _power_rate, "{}^{{{}}}", "power"),
    Function("neg", 1, lambda a: -a, lambda f, a, r: -r[0], "-{}", "opposite"),
    Function("sin", 1, ops.sin, _chain(lambda f, u: f("cos", u)), r"\sin\left({}\right)", "sine"),
    Function("cos", 1, ops.cos, _chain(lambda f, u: -f("sin", u)), r"\cos\left({}\right)", "cosine"),
    Function("tan", 1, ops.tan, _chain(lambda f, u: 1.0 + f("tan", u) ** 2.0), r"\tan\left({}\right)", "tangent"),
    Function(
        "asin",
        1,
        ops.asin,
        _chain(lambda f, u: 1.0 / f("sqrt", 1.0 - u**2.0)),
        r"\arcsin\left({}\right)",
        "arcsine",
    ),
    Function(
        "acos",
        1,
        ops.acos,
        _chain(lambda f, u: -1.0 / f("sqrt", 1.0 - u**2.0)),
        r"\arccos\left({}\right)",
        "arccosine",
    ),
    Function(
        "atan",
        1,
        ops.atan,
        _chain(lambda f, u: 1.0 / (1.0 + u**2.0)),
        r"\arctan\left({}\right)",
        "arctangent",
    ),
    Function(
        "atan2",
        2,
        ops.atan2,
        _chain(lambda f, y, x: x / (x**2.0 + y**2.0), lambda f, y, x: -y / (x**2.0 + y**2.0)),
        r"\operatorname{{atan2}}\left({}, {}\right)",
        "angle of the point (second, first argument)",
    ),
    Function("sqrt", 1, ops.sqrt, _chain(lambda f, u: 0.5 / f("sqrt", u)), r"\sqrt{{{}}}", "square root"),
    Function("exp", 1, ops.exp, _chain(lambda f, u: f("exp", u)), r"\exp\left({}\right)", "exponential"),
    Function("log", 1, ops.log, _chain(lambda f, u: 1.0 / u), r"\ln\left({}\right)", "natural logarithm"),
    Function(
        "tanh",
        1,
        ops.tanh,
        _chain(lambda f, u: 1.0 - f("tanh", u) ** 2.0),
        r"\tanh\left({}\right)",
        "hyperbolic tangent",
    ),
    Function(
        "abs",
        1,
        ops.fabs,
        _chain(lambda f, u: f("if_else", f("less", u, 0.0), -1.0, 1.0)),
        r"\left|{}\right|",
        "absolute value",
    ),
    Function("sign", 1, ops.sign, _zero, r"\operatorname{{sign}}\left({}\right)", "-1, 0 or 1"),
    Function("min", 2, ops.fmin, _min_rate, r"\min\left({}, {}\right)", "smaller of two"),
    Function("max", 2, ops.fmax, _max_rate, r"\max\left({}, {}\right)", "larger of two"),
    Function(
        "smooth_step",
        3,
        smooth_step,
        _smooth_step_rate,
        r"\operatorname{{step}}\left({}, {}, {}\right)",
        "0 before the second argument, 1 after the third, s - sin(2 pi s)/(2 pi) between; twice differentiable",
    ),
    Function(
        "if_else",
        3,
        ops.if_else,
        _if_else_rate,
        r"\begin{{cases}} {1} & {0} \\ {2} & \text{{otherwise}} \end{{cases}}",
        "second argument where the condition holds, third elsewhere; both must be finite",
        conditions=(0,),
    ),
    Function("less", 2, ops.less, _zero, "{} < {}", "condition: first below second", gives_condition=True),
    Function(
        "logic_and",
        2,
        ops.logic_and,
        _zero,
        r"{} \wedge {}",
        "condition: both hold",
        conditions=(0, 1),
        gives_condition=True,
    ),
)

FUNCTIONS: Final[Mapping[str, Function]] = MappingProxyType({function.name: function for function in _TABLE})
CALLABLE: Final = tuple(name for name in FUNCTIONS if name not in OPERATORS)
"""The names a text may call; they cannot name quantities."""
