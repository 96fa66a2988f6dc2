"""Feedback laws given as Python functions of named channels, with states of their own.

    def hold(channels):
        error = 0.1 - channels["steer"]
        return {"steer_torque": -10 * error - 35 * channels["error_integral"], "error_integral": error}

    Controller(hold, states={"error_integral": 0.0})

A returned name that is an input of the system is its value; one that is a state of the controller is its rate.
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from locomotor.errors import ArgumentTypeError, UnknownNameError
from locomotor.model.names import suggestion

Law = Callable[["Channels"], Mapping[str, Any]]


class Channels(Mapping[str, Any]):
    """Values by name, computed when asked for; an unknown name suggests the nearest one."""

    def __init__(self, makers: Mapping[str, Callable[[], Any]]) -> None:
        """Take functions that compute each channel."""
        self._makers = makers

    def __getitem__(self, name: str) -> Any:
        """Value of the channel."""
        if name not in self._makers:
            raise UnknownNameError(f"no channel is named {name!r}: {suggestion(name, self._makers)}")
        return self._makers[name]()

    def __iter__(self) -> Any:
        """Names of all channels."""
        return iter(self._makers)

    def __len__(self) -> int:
        """Number of channels."""
        return len(self._makers)


@dataclass(frozen=True, eq=False)
class Controller:
    """A feedback law, the initial values of its states, and the instants at which the law is known to jump.

    An event-driven run steps exactly onto those instants; conditions on time in expressions are found without being told.
    """

    law: Law
    states: Mapping[str, float] = field(default_factory=dict)
    instants: tuple[float, ...] = ()

    def evaluate(self, channels: Channels, inputs: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Values of the inputs and rates of the controller's states; what the law leaves out is zero."""
        returned = self.law(channels)
        if not isinstance(returned, Mapping):
            raise ArgumentTypeError(
                f"the controller returned {type(returned).__name__}; it must return a mapping from the names of "
                f"inputs ({', '.join(inputs) or 'none'}) and of its states to values"
            )
        allowed = (*inputs, *self.states)
        for name in returned:
            if name not in allowed:
                raise UnknownNameError(f"the controller sets {name!r}, which is no input: {suggestion(name, allowed)}")
        values = {name: returned.get(name, 0.0) for name in inputs}
        return values, {name: returned.get(name, 0.0) for name in self.states}


def evaluate_on_symbols(
    controller: Controller, channels: Channels, inputs: tuple[str, ...]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """`Controller.evaluate` on CasADi symbols: numpy's functions work on them, CasADi's notice about it is left out."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"\s*casadi: a numpy function was called", FutureWarning)
        return controller.evaluate(channels, inputs)
