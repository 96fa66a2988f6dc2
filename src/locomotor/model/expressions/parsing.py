"""Text to expression, through Python's own grammar and a whitelist: nothing is ever executed."""

from __future__ import annotations

import ast
from typing import Final, NoReturn

from locomotor import checks
from locomotor.checks import shown
from locomotor.errors import ExpressionError
from locomotor.model.expressions.functions import CALLABLE
from locomotor.model.expressions.terms import Call, Expression, Name, as_expression
from locomotor.names import suggestion

LONGEST_TEXT = 1_000_000
"""Characters that a text may have: beyond, Python's own parser takes seconds and then runs out of memory."""
_PLAIN_ENDS: Final = str.maketrans("\r\f", "  ")
"""Ends of lines that the syntax tree counts otherwise than the text does."""
_BINARY: Final = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow"}


@checks.fitting
def parse(text: str) -> Expression:
    """The expression that `text` writes, e.g. `0.2*sin(2*pi*t) + k*(steer - 0.1)`.

    Numbers, names, `+ - * / **`, comparisons `<` and `>`, `a if b < c else d` and the functions of
    `locomotor.model.expressions.functions` are allowed; anything else raises `ExpressionError` with the text and the
    position.
    """
    if not isinstance(text, str):
        raise ExpressionError(f"the expression is {shown(text)}; give a text such as '2*sin(t)'")
    source = text.strip().translate(_PLAIN_ENDS)
    if len(source) > LONGEST_TEXT:
        raise ExpressionError(f"the expression has {len(source)} characters, more than {LONGEST_TEXT}; build it with operators")
    if not source:
        raise ExpressionError("the expression is empty; write a number such as '0' or a formula such as '2*sin(t)'")
    if "#" in source:  # Python would take what follows for a comment
        _fail(source, source.index("#"), "'#' is no operator, and comments have no place here")
    try:
        tree = ast.parse(source, mode="eval")
    except SyntaxError as error:
        # Python counts from one, and says zero where something is missing at the end.
        _fail(source, error.offset - 1 if error.offset else len(source), f"it does not parse ({error.msg})")
    except (ValueError, RecursionError, MemoryError, SystemError) as error:
        _fail(source, 0, f"it does not parse ({error})")
    try:
        result = _Reader(source).read(tree.body)
    except RecursionError:
        _fail(source, 0, "it is nested too deeply; build it from shorter expressions with operators")
    if result.is_condition:
        _fail(source, 0, "it is a condition, not a number; use it within 'a if condition else b'")
    return result


def _fail(source: str, position: int, reason: str) -> NoReturn:
    start = max(0, position - 60)
    part = source[start : position + 60].replace("\n", " ")
    raise ExpressionError(
        f"expression {shown(source)}: {reason}, at position {position}:\n  {part}\n  {' ' * (position - start)}^"
    )


class _Reader:
    """Converts one syntax tree, knowing its text for the error messages."""

    def __init__(self, source: str) -> None:
        self.source = source

    def fail(self, node: ast.AST, reason: str) -> NoReturn:
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        lines = self.source.encode().split(b"\n")  # offsets of the syntax tree count bytes
        before = b"\n".join([*lines[: line - 1], lines[line - 1][:column]])
        _fail(self.source, len(before.decode()), reason)

    def read(self, node: ast.expr) -> Expression:
        # The whole grammar, one case a construct: long, but what is allowed is seen at one glance only if it stands together.
        match node:
            case ast.Constant(value=bool()):
                self.fail(node, f"{node.value!r} is not a number")
            case ast.Constant(value=int() | float() as value):
                return self.number(node, value)
            case ast.Constant():
                self.fail(node, f"{node.value!r} is not a number")
            case ast.Name(id=name):
                if name in CALLABLE:
                    self.fail(node, f"{name!r} is a function; call it, or rename the quantity")
                return Name(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.call(node, "neg", self.read(operand))
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.read(operand)
            case ast.BinOp(left=left, op=op, right=right):
                if type(op) not in _BINARY:
                    self.fail(
                        node,
                        f"the operator {type(op).__name__} is not allowed; use + - * / and ** for powers",
                    )
                return self.call(node, _BINARY[type(op)], self.read(left), self.read(right))
            case ast.Compare():
                return self.comparison(node)
            case ast.BoolOp(op=ast.And(), values=values):
                return self.conjunction(node, [self.read(value) for value in values])
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.call(node, "if_else", self.read(test), self.read(body), self.read(orelse))
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                if name not in CALLABLE:
                    self.fail(node, f"unknown function {name!r}: {suggestion(name, CALLABLE)}")
                return self.call(node, name, *(self.read(argument) for argument in args))
            case ast.Call():
                self.fail(node, f"only functions can be called, with plain arguments: {', '.join(CALLABLE)}")
            case _:
                self.fail(node, f"{type(node).__name__} is not allowed; use numbers, names, operators and functions")

    def number(self, node: ast.expr, value: float) -> Expression:
        try:
            return as_expression(float(value))
        except (OverflowError, ValueError):
            self.fail(node, "the number is not finite")

    def call(self, node: ast.expr, function: str, *arguments: Expression) -> Expression:
        try:
            return Call(function, arguments)
        except ExpressionError as error:
            self.fail(node, str(error))

    def conjunction(self, node: ast.expr, conditions: list[Expression]) -> Expression:
        result = conditions[0]
        for condition in conditions[1:]:
            result = self.call(node, "logic_and", result, condition)
        return result

    def comparison(self, node: ast.Compare) -> Expression:
        operands = [self.read(operand) for operand in (node.left, *node.comparators)]
        conditions = []
        for op, a, b in zip(node.ops, operands, operands[1:], strict=False):
            if isinstance(op, ast.Lt):
                conditions.append(self.call(node, "less", a, b))
            elif isinstance(op, ast.Gt):
                conditions.append(self.call(node, "less", b, a))
            else:
                self.fail(node, "only the comparisons < and > are allowed")
        return self.conjunction(node, conditions)
