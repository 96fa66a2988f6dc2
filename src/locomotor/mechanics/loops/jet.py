"""Numbers and vectors that move, with two derivatives by time, so that a condition is written once, by its position.

For x(q, t): x_dot = row v + drift, and x_ddot = row v_dot + bias. Sums and products follow Leibniz; nothing else is needed to
have the rows J, the right-hand sides and the bias Gamma of any condition (docs/theory.md (B1)). A `Flow` is the same one level
up, for what is known as a velocity only: an angular velocity, or the velocity of whatever material point is at a contact.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from locomotor.dataclass import dataclass
from locomotor.lie import ops
from locomotor.model import Expression, Quantity, evaluate
from locomotor.names import TIME
from locomotor.typing import SymbolicValues

Row = dict[int, Any]
Product = Callable[[Any, Any], Any]


@dataclass(frozen=True, eq=False)
class Flow:
    """A velocity y = row v + drift, scalar or vector, with y_dot = row v_dot + bias."""

    row: Row
    drift: Any
    rate: Any
    """y itself, at the velocities of the instant."""
    bias: Any

    def __add__(self, other: Flow) -> Flow:
        """Sum of two flows."""
        return Flow(_added(self.row, other.row), *(a + b for a, b in zip(self._parts, other._parts, strict=True)))

    def __sub__(self, other: Flow) -> Flow:
        """Difference of two flows."""
        return self + other.scaled(-1.0)

    @property
    def _parts(self) -> tuple[Any, Any, Any]:
        return self.drift, self.rate, self.bias

    def scaled(self, factor: Any) -> Flow:
        """Times a number that does not move."""
        return Flow({j: factor * x for j, x in self.row.items()}, *(factor * part for part in self._parts))

    def times(self, other: Jet, product: Product) -> Flow:
        """product(y, x) with something that moves; a bilinear product."""
        row = {j: product(entry, other.value) for j, entry in self.row.items()}
        bias = product(self.bias, other.value) + product(self.rate, other.rate)
        return Flow(row, product(self.drift, other.value), product(self.rate, other.value), bias)

    def cross(self, other: Jet) -> Flow:
        """Vector product of a flow of a vector with a jet."""
        return self.times(other, ops.cross)

    def dot(self, other: Jet) -> Flow:
        """Scalar product of a flow of a vector with a jet."""
        return self.times(other, ops.dot)


@dataclass(frozen=True, eq=False)
class Jet:
    """A quantity x of configuration and time, scalar or vector."""

    value: Any
    flow: Flow

    @property
    def row(self) -> Row:
        """Derivatives by the velocities, by column."""
        return self.flow.row

    @property
    def rate(self) -> Any:
        """Time derivative x_dot."""
        return self.flow.rate

    @staticmethod
    def still(value: Any) -> Jet:
        """The jet of something that does not move."""
        nothing = 0.0 * value if not ops.is_symbolic(value) else value * 0.0
        return Jet(value, Flow({}, nothing, nothing, nothing))

    @staticmethod
    def of_law(law: Quantity, values: SymbolicValues) -> Jet:
        """A number given by an expression of t and parameters; `values` holds t too."""
        value = evaluate(law, values)
        if not isinstance(law, Expression) or TIME not in law.names:
            return Jet.still(value)
        first = law.derivative(TIME)
        rate = evaluate(first, values)
        return Jet(value, Flow({}, rate, rate, evaluate(first.derivative(TIME), values)))

    def __add__(self, other: Jet) -> Jet:
        """Sum of two jets."""
        return Jet(self.value + other.value, self.flow + other.flow)

    def __sub__(self, other: Jet) -> Jet:
        """Difference of two jets."""
        return Jet(self.value - other.value, self.flow - other.flow)

    def scaled(self, factor: Any) -> Jet:
        """Times a number that does not move."""
        return Jet(factor * self.value, self.flow.scaled(factor))

    def _times(self, other: Jet, product: Product) -> Jet:
        """product(x, y): its flow is that of x with y, and that of y with x."""
        flow = self.flow.times(other, product) + other.flow.times(self, lambda a, b: product(b, a))
        return Jet(product(self.value, other.value), flow)

    def dot(self, other: Jet) -> Jet:
        """Scalar product of two jets of vectors."""
        return self._times(other, ops.dot)

    def cross(self, other: Jet) -> Jet:
        """Vector product of two jets of vectors."""
        return self._times(other, ops.cross)

    def times(self, other: Jet) -> Jet:
        """x y, where one is a number."""
        return self._times(other, _number)

    def through(self, value: Any, first: Any, second: Any) -> Jet:
        """A function of a number, by its value and its first two derivatives there."""
        grown = self.flow.scaled(first)
        bent = second * self.rate * self.rate
        return Jet(value, Flow(grown.row, grown.drift, grown.rate, grown.bias + bent))

    def root(self) -> Jet:
        """Square root of a number."""
        value = ops.sqrt(self.value)
        half = 0.5 / value
        return self.through(value, half, -0.5 * half / self.value)

    def inverse(self) -> Jet:
        """Reciprocal 1/x of a jet of a number."""
        value = 1.0 / self.value
        square = value * value
        return self.through(value, -square, 2.0 * square * value)

    def length(self) -> Jet:
        """Length of a vector that does not vanish."""
        return self.dot(self).root()

    def angle(self, cosine: Jet) -> Jet:
        """The angle whose sine is proportional to this number and whose cosine, by the same factor, to the other.

        theta_dot = (c s_dot - s c_dot)/(s² + c²): a quotient of jets, whatever the turn.
        """
        value = ops.atan2(self.value, cosine.value)
        square = self.times(self) + cosine.times(cosine)
        flow = self.flow.times(cosine, _number) - cosine.flow.times(self, _number)
        return Jet(value, flow.times(square.inverse(), _number))


def _number(a: Any, b: Any) -> Any:
    return a * b


def _added(a: Row, b: Row) -> Row:
    found = dict(a)
    for j, entry in b.items():
        found[j] = found[j] + entry if j in found else entry
    return found
