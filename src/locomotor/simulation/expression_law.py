"""Inputs of a run that are given as numbers and expressions."""

from dataclasses import dataclass
from typing import Any

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
