"""What in a feedback law written in Python depends on time alone, as expressions: its jumps are to be found in them.

The law runs on one symbol for each channel, and what it did is walked through: whatever is made of time and numbers only
becomes an expression, up to where it meets a channel or is returned.
"""

from collections.abc import Callable, Iterable
from math import isfinite, pi
from typing import Any

import casadi

from locomotor.model.expressions import Expression, Name, apply, as_expression
from locomotor.names import TIME
from locomotor.tracing.controller import Controller, evaluate_on_symbols
from locomotor.tracing.core import column

Rule = Callable[..., Expression]


class _Symbols(dict[str, Any]):
    """A symbol for each channel that is asked for."""

    def __missing__(self, name: str) -> Any:
        return self.setdefault(name, casadi.SX.sym(str(name)))


def laws_of_time(controller: Controller, inputs: tuple[str, ...], names: Iterable[str]) -> tuple[Expression, ...]:
    """Expressions of t in a law of channels with these names, conditions among them; none of one that takes no symbols."""
    time = casadi.SX.sym(TIME)
    channels = _Symbols({name: casadi.SX.sym(name) for name in (*names, *controller.states)})
    channels |= {TIME: time, "time": time}
    try:
        values, rates = evaluate_on_symbols(controller, channels, inputs)  # type: ignore[arg-type]
        given = column(casadi.vertcat(*values.values(), *rates.values()))
    except Exception:  # such a law is called with numbers, and keeps its instants to itself
        return ()
    if not casadi.depends_on(given, time):
        return ()
    others = [symbol for symbol in casadi.symvar(given) if symbol.name() != TIME]
    return tuple(_of_time(casadi.Function("law", [time, casadi.vertcat(*others)], [given])))


def _of_time(function: casadi.Function) -> Iterable[Expression]:
    """The largest parts of a function that depend on its first argument and numbers alone."""
    slots: dict[int, Expression | None] = {}
    found: dict[Expression, None] = {}

    def met(used: Iterable[Expression | None]) -> None:
        found.update(dict.fromkeys(each for each in used if each is not None and each.names))

    for line in range(function.n_instructions()):
        code = function.instruction_id(line)
        read, written = function.instruction_input(line), function.instruction_output(line)
        if code == casadi.OP_INPUT:
            slots[written[0]] = Name(TIME) if read[0] == 0 else None
        elif code == casadi.OP_CONST:
            value = function.instruction_constant(line)
            slots[written[0]] = as_expression(value) if isfinite(value) else None
        elif code == casadi.OP_OUTPUT:
            met([slots[read[0]]])
        else:
            used = [slots[place] for place in read]
            rule = RULES.get(code)
            known = [each for each in used if each is not None]
            if rule is None or len(known) < len(used):
                met(used)
                slots[written[0]] = None
            else:
                slots[written[0]] = rule(*known)
    return found


# --- operations of CasADi as expressions ----------------------------------------------------------------------------


def _number(value: Expression) -> Expression:
    """A truth value as 0 or 1."""
    return apply("if_else", value, 1.0, 0.0) if value.is_condition else value


def _condition(value: Expression) -> Expression:
    """A number as a truth value."""
    return value if value.is_condition else apply("less", 0.5, apply("abs", value))


def _plain(name: str) -> Rule:
    return lambda *arguments: apply(name, *map(_number, arguments))


def _not(value: Expression) -> Expression:
    return apply("less", _number(value), 0.5) if value.is_condition else apply("less", apply("abs", value), 0.5)


def _floor(value: Expression) -> Expression:
    """By what is left over: x - floor(x) = 1/2 - atan(cot(pi x))/pi, whose jumps are where the cotangent has its poles."""
    x = _number(value)
    return x - 0.5 + apply("atan", apply("cos", pi * x) / apply("sin", pi * x)) / pi


def _or(a: Expression, b: Expression) -> Expression:
    return _not(apply("logic_and", _not(a), _not(b)))


RULES: dict[int, Rule] = {
    **{
        code: _plain(name)
        for code, name in {
            casadi.OP_ADD: "add", casadi.OP_SUB: "sub", casadi.OP_MUL: "mul", casadi.OP_DIV: "div", casadi.OP_NEG: "neg",
            casadi.OP_POW: "pow", casadi.OP_CONSTPOW: "pow", casadi.OP_SQRT: "sqrt", casadi.OP_EXP: "exp", casadi.OP_LOG: "log",
            casadi.OP_SIN: "sin", casadi.OP_COS: "cos", casadi.OP_TAN: "tan", casadi.OP_ASIN: "asin", casadi.OP_ACOS: "acos",
            casadi.OP_ATAN: "atan", casadi.OP_ATAN2: "atan2", casadi.OP_TANH: "tanh", casadi.OP_FABS: "abs",
            casadi.OP_SIGN: "sign", casadi.OP_FMIN: "min", casadi.OP_FMAX: "max", casadi.OP_LT: "less", casadi.OP_LE: "less",
        }.items()
    },
    casadi.OP_SQ: lambda x: _number(x) * _number(x),
    casadi.OP_TWICE: lambda x: 2.0 * _number(x),
    casadi.OP_INV: lambda x: 1.0 / _number(x),
    casadi.OP_ASSIGN: lambda x: x,
    casadi.OP_NOT: _not,
    casadi.OP_AND: lambda a, b: apply("logic_and", _condition(a), _condition(b)),
    casadi.OP_OR: _or,
    casadi.OP_IF_ELSE_ZERO: lambda condition, x: apply("if_else", _condition(condition), _number(x), 0.0),
    casadi.OP_FLOOR: _floor,
    casadi.OP_CEIL: lambda x: -_floor(-_number(x)),
    casadi.OP_FMOD: lambda x, y: _number(x) - _number(y) * _floor(_number(x) / _number(y)),
    casadi.OP_REMAINDER: lambda x, y: _number(x) - _number(y) * _floor(_number(x) / _number(y) + 0.5),
}  # fmt: skip
"""A condition that holds at the instant itself, or just before it, jumps at the same one: `le` is taken as `less`."""
