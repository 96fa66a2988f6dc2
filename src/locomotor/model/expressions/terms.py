"""The immutable tree of an expression: numbers, names and calls.

An expression is data: it prints as text that parses back to an equal expression, evaluates on any kind of
scalar, and differentiates symbolically. Operators simplify lightly (`x * 0`, `x + 0`, numbers with numbers)
so that derivatives stay short; the parser does not, so that a text is kept as written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final, SupportsFloat, TypeVar, final

import numpy as np

from locomotor.errors import ExpressionError, NotFiniteError, UnknownNameError
from locomotor.model.expressions.functions import CALLABLE, FUNCTIONS
from locomotor.model.expressions.printing import ATOM, Bound, call_latex, call_text, number_latex, number_text
from locomotor.names import latex_of, suggestion

R = TypeVar("R")

_CONSTANT_VALUES: Final = {"pi": math.pi}
_NUMBERS: Final = (int, float, np.integer, np.floating)


class Expression:
    """A formula over named quantities: `Number`, `Name` or `Call`; immutable, compared by content."""

    __slots__ = ("_hash", "names")

    names: frozenset[str]
    """The free names of the formula, constants such as `pi` excluded."""
    _hash: int

    def __setattr__(self, attribute: str, value: object) -> None:
        raise AttributeError(f"an expression is immutable: cannot set {attribute!r}")

    def __delattr__(self, attribute: str) -> None:
        raise AttributeError(f"an expression is immutable: cannot delete {attribute!r}")

    # --- tree ---

    @property
    def arguments(self) -> tuple[Expression, ...]:
        """The operands; none for numbers and names."""
        return ()

    @property
    def is_zero(self) -> bool:
        """Whether the expression is the number zero."""
        return isinstance(self, Number) and self.value == 0.0

    @property
    def is_condition(self) -> bool:
        """Whether the expression is a truth value rather than a number."""
        return isinstance(self, Call) and FUNCTIONS[self.function].gives_condition

    def fold(self, visit: Callable[[Expression, tuple[R, ...]], R]) -> R:
        """Combine bottom up: `visit(node, results of its arguments)`, once a node, without recursion."""
        done: dict[int, R] = {}
        stack: list[Expression] = [self]
        while stack:
            node = stack[-1]
            waiting = [argument for argument in node.arguments if id(argument) not in done]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            if id(node) not in done:
                done[id(node)] = visit(node, tuple(done[id(argument)] for argument in node.arguments))
        return done[id(self)]

    # --- meaning ---

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        """The value with the scalars of `values` for names: float, CasADi, SymPy. Floats give a float."""
        if isinstance(self, Name):
            return self.lookup(values)

        def visit(node: Expression, results: tuple[Any, ...]) -> Any:
            if isinstance(node, Number):
                return node.value
            if isinstance(node, Name):
                return node.lookup(values)
            assert isinstance(node, Call)
            try:
                return _plain(FUNCTIONS[node.function].value(*results))
            except ArithmeticError as error:
                raise NotFiniteError(f"'{node}' has no finite value in '{self}': {error}") from None

        return self.fold(visit)

    def derivative(self, name: str) -> Expression:
        """The partial derivative with respect to `name`, other names held constant."""

        def visit(node: Expression, rates: tuple[Expression, ...]) -> Expression:
            if name not in node.names:
                return ZERO
            if isinstance(node, Name):
                return ONE
            assert isinstance(node, Call)
            return as_expression(FUNCTIONS[node.function].derivative(apply, node.arguments, rates))

        return self.fold(visit)

    def substitute(self, values: Mapping[str, Expression | float]) -> Expression:
        """The expression with names replaced by expressions or numbers."""

        def visit(node: Expression, results: tuple[Expression, ...]) -> Expression:
            if isinstance(node, Name) and node.name in values:
                return as_expression(values[node.name])
            return Call(node.function, results) if isinstance(node, Call) else node

        return self.fold(visit)

    # --- text ---

    def __str__(self) -> str:

        def visit(node: Expression, parts: tuple[Bound, ...]) -> Bound:
            if isinstance(node, Call):
                return call_text(node.function, parts)
            return number_text(node.value) if isinstance(node, Number) else (str(node._own()[0]), ATOM)

        return self.fold(visit)[0]

    def __repr__(self) -> str:
        return f"parse({str(self)!r})"

    def latex(self, names: Mapping[str, str] | None = None) -> str:
        """The formula in LaTeX; `names` gives the LaTeX of names that have their own."""
        known = {"pi": r"\pi", **(names or {})}

        def visit(node: Expression, parts: tuple[Bound, ...]) -> Bound:
            if isinstance(node, Call):
                return call_latex(node.function, parts)
            if isinstance(node, Number):
                return number_latex(node.value)
            name = str(node._own()[0])
            return known.get(name) or latex_of(name), ATOM

        return self.fold(visit)[0]

    # --- identity ---

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Expression):
            return NotImplemented
        pairs: list[tuple[Expression, Expression]] = [(self, other)]
        seen: set[tuple[int, int]] = set()
        while pairs:
            a, b = pairs.pop()
            if a is b or (id(a), id(b)) in seen:
                continue
            if type(a) is not type(b) or a._hash != b._hash or a._own() != b._own():
                return False
            seen.add((id(a), id(b)))
            pairs.extend(zip(a.arguments, b.arguments, strict=True))
        return True

    def _own(self) -> tuple[object, ...]:
        """What the node itself holds, its arguments excluded."""
        raise NotImplementedError

    def __reduce__(self) -> tuple[Any, ...]:
        # Rebuilding computes the hash anew: hashes of text differ from process to process.
        return type(self), (*self._own(), *((self.arguments,) if self.arguments else ()))

    # --- operators ---

    def __add__(self, other: Any) -> Expression:
        return _operate("add", self, other)

    def __radd__(self, other: Any) -> Expression:
        return _operate("add", other, self)

    def __sub__(self, other: Any) -> Expression:
        return _operate("sub", self, other)

    def __rsub__(self, other: Any) -> Expression:
        return _operate("sub", other, self)

    def __mul__(self, other: Any) -> Expression:
        return _operate("mul", self, other)

    def __rmul__(self, other: Any) -> Expression:
        return _operate("mul", other, self)

    def __truediv__(self, other: Any) -> Expression:
        return _operate("div", self, other)

    def __rtruediv__(self, other: Any) -> Expression:
        return _operate("div", other, self)

    def __pow__(self, other: Any) -> Expression:
        return _operate("pow", self, other)

    def __rpow__(self, other: Any) -> Expression:
        return _operate("pow", other, self)

    def __neg__(self) -> Expression:
        if self.is_zero:
            return self
        if isinstance(self, Call) and self.function == "neg":
            return self.arguments[0]
        return Call("neg", (self,))

    def __pos__(self) -> Expression:
        return self

    def __abs__(self) -> Expression:
        return apply("abs", self)

    def __lt__(self, other: Any) -> Expression:
        return apply("less", self, other)

    def __gt__(self, other: Any) -> Expression:
        return apply("less", other, self)

    def __bool__(self) -> bool:
        raise ExpressionError(f"'{self}' has no truth value until it is evaluated; use apply('if_else', condition, a, b)")


_OPERANDS: Final = (Expression, *_NUMBERS)


def _set(node: Expression, **attributes: object) -> None:
    for attribute, value in attributes.items():
        object.__setattr__(node, attribute, value)


@final
class Number(Expression):
    """A finite number, not negative: `-2` is `neg` of 2, so that text and tree match one to one."""

    __slots__ = ("value",)
    value: float

    def __init__(self, value: float) -> None:
        value = float(value)
        if not (math.isfinite(value) and value >= 0.0):
            raise NotFiniteError(f"a Number must be finite and not negative, got {value!r}; use as_expression")
        _set(self, value=value, names=frozenset(), _hash=hash(("number", value)))

    def _own(self) -> tuple[object, ...]:
        return (self.value,)


@final
class Name(Expression):
    """A name: time, a parameter, a coordinate, a velocity, an input, or the constant `pi`."""

    __slots__ = ("name",)
    name: str

    def __init__(self, name: str) -> None:
        if not name.isidentifier() or name in CALLABLE:
            raise ExpressionError(f"{name!r} cannot be the name of a quantity")
        free = frozenset() if name in _CONSTANT_VALUES else frozenset((name,))
        _set(self, name=name, names=free, _hash=hash(("name", name)))

    def _own(self) -> tuple[object, ...]:
        return (self.name,)

    def lookup(self, values: Mapping[str, Any]) -> Any:
        """The value of this name: that of the constant, or of `values`."""
        if self.name in _CONSTANT_VALUES:
            return _CONSTANT_VALUES[self.name]
        if self.name not in values:
            raise UnknownNameError(f"no value for the name {self.name!r}: {suggestion(self.name, values)}")
        return _plain(values[self.name])


@final
class Call(Expression):
    """An operator or function applied to arguments."""

    __slots__ = ("_arguments", "function")
    function: str
    _arguments: tuple[Expression, ...]

    def __init__(self, function: str, arguments: tuple[Expression, ...]) -> None:
        if function not in FUNCTIONS:
            raise ExpressionError(f"unknown function {function!r}: {suggestion(function, CALLABLE)}")
        entry = FUNCTIONS[function]
        if len(arguments) != entry.arity:
            raise ExpressionError(f"{function} takes {entry.arity} argument(s), {len(arguments)} given")
        for position, argument in enumerate(arguments):
            if argument.is_condition != (position in entry.conditions):
                wanted = "a condition such as a < b" if position in entry.conditions else "a number"
                raise ExpressionError(f"argument {position + 1} of {function} must be {wanted}, got '{argument}'")
        names = frozenset().union(*(argument.names for argument in arguments))
        own = hash(("call", function, tuple(argument._hash for argument in arguments)))
        _set(self, function=function, _arguments=arguments, names=names, _hash=own)

    @property
    def arguments(self) -> tuple[Expression, ...]:
        """The operands, in order."""
        return self._arguments

    def _own(self) -> tuple[object, ...]:
        return (self.function,)


# --- building -----------------------------------------------------------------------------------------------


def as_expression(value: Expression | SupportsFloat) -> Expression:
    """The expression of a number (negative ones become `neg`), or the expression itself."""
    if isinstance(value, Expression):
        return value
    number = float(value)
    if not math.isfinite(number):
        raise NotFiniteError(f"{number!r} cannot enter an expression; give a finite number")
    return Number(number) if math.copysign(1.0, number) > 0 else Call("neg", (Number(-number),))


def apply(function: str, *arguments: Expression | SupportsFloat) -> Expression:
    """`function` of the arguments, numbers allowed: `apply("sin", Name("steer"))`."""
    return Call(function, tuple(as_expression(argument) for argument in arguments))


def _constant(node: Expression) -> float | None:
    """The number that `node` is, sign included, or None."""
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Call) and node.function == "neg" and isinstance(node.arguments[0], Number):
        return -node.arguments[0].value
    return None


def _value(function: str, x: float, y: float) -> float:
    """Result of an operation on two numbers; not a number where there is none."""
    try:
        return float(FUNCTIONS[function].value(x, y))
    except ArithmeticError:
        return math.nan


def _operate(function: str, left: Any, right: Any) -> Expression:
    """A binary operator with the simplifications that hold for every finite value."""
    if not (isinstance(left, _OPERANDS) and isinstance(right, _OPERANDS)):
        return NotImplemented  # type: ignore[no-any-return]
    a, b = as_expression(left), as_expression(right)
    x, y = _constant(a), _constant(b)
    if x is not None and y is not None and math.isfinite(value := _value(function, x, y)):
        return as_expression(value)
    match function:
        case "add" if x == 0.0:
            return b
        case "add" | "sub" if y == 0.0:
            return a
        case "sub" if x == 0.0:
            return -b
        case "mul" if x == 0.0 or y == 0.0:
            return ZERO
        case "mul" if x == 1.0:
            return b
        case "mul" | "div" | "pow" if y == 1.0:
            return a
        case "mul" if x == -1.0:
            return -b
        case "div" if x == 0.0 and y != 0.0:
            return ZERO
        case "pow" if y == 0.0:
            return ONE
    return Call(function, (a, b))


def _plain(value: Any) -> Any:
    """A plain Python float for any float; other scalars as they are."""
    if isinstance(value, bool):
        return value
    return float(value) if isinstance(value, _NUMBERS) else value


ZERO: Final = Number(0.0)
ONE: Final = Number(1.0)
