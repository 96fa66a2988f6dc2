"""Inputs of a run that are given as numbers and expressions."""

from collections.abc import Callable, Mapping
from typing import Any

from locomotor.dataclass import dataclass
from locomotor.errors import ControllerError
from locomotor.model import Expression, System
from locomotor.tracing import Channels


@dataclass(frozen=True)
class ExpressionLaw:
    """Inputs given as numbers and expressions; equal ones compare equal, so that what is compiled for one serves the other."""

    system: System
    constant: tuple[tuple[str, float], ...]
    varying: tuple[tuple[str, Expression], ...]

    def __call__(self, channels: Channels) -> dict[str, Any]:
        """Values of the inputs."""
        found: dict[str, Any] = dict(self.constant)
        parameters = self.system.parameters
        for name, expression in self.varying:
            used = {entry: channels[entry] for entry in expression.names if entry not in parameters}
            found[name] = expression.evaluate({**parameters.values, **used})
        return found


@dataclass(frozen=True)
class LawBeside:
    """A law beside inputs that are given as numbers and expressions, which stay known as such."""

    expressions: ExpressionLaw
    law: Callable[[Channels], Mapping[str, Any]]

    def __call__(self, channels: Channels) -> Mapping[str, Any]:
        """Values of the inputs, each from one of both."""
        found = self.expressions(channels)
        returned = self.law(channels)
        if not isinstance(returned, Mapping):
            return returned  # refused with a sentence by whoever evaluates the controller
        for name in returned:
            if name in found:
                raise ControllerError(
                    f"{name!r} is given in inputs, and the controller sets it too; leave it out of one of them, or add both in "
                    "the controller"
                )
        return {**found, **returned}


def expressions_of(law: object) -> tuple[Expression, ...]:
    """The expressions in which inputs are given, by themselves or beside a law."""
    given = law.expressions if isinstance(law, LawBeside) else law
    return tuple(expression for _, expression in given.varying) if isinstance(given, ExpressionLaw) else ()
