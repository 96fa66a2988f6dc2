"""Feedback laws given as Python functions of named channels, with states of their own.

    def hold(channels):
        error = 0.1 - channels["steer"]
        return {"steer_torque": -10 * error - 35 * channels["error_integral"], "error_integral": error}

    Controller(hold, states={"error_integral": 0.0})

A returned name that is an input of the system is its value; one that is a state of the controller is its rate.
"""

import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from typing import Any

import casadi

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import ControllerError, UnknownNameError
from locomotor.names import suggestion

Law = Callable[["Channels"], Mapping[str, Any]]


class Channels(Mapping[str, Any]):
    """Values by name, computed when asked for; an unknown name suggests the nearest one."""

    def __init__(self, makers: Mapping[str, Callable[[], Any]]) -> None:
        """Take functions that compute each channel."""
        self._makers = makers

    def __getitem__(self, name: str) -> Any:
        """Value of the channel."""
        if not isinstance(name, str) or name not in self._makers:
            raise UnknownNameError(f"no channel is named {checks.shown(name)}: {suggestion(name, self._makers)}")
        return self._makers[name]()

    def __iter__(self) -> Any:
        """Names of all channels."""
        return iter(self._makers)

    def __len__(self) -> int:
        """Number of channels."""
        return len(self._makers)


class Readings(Channels):
    """Channels that are known numbers: names with their places among the values."""

    __slots__ = ("_makers", "_places", "_values")

    def __init__(self, places: Mapping[str, int], values: list[float]) -> None:
        """Take the place of each name, and the values."""
        self._makers = places  # type: ignore[assignment]  # the names are all that the base class asks of them
        self._places = places
        self._values = values

    def __getitem__(self, name: str) -> float:
        """Value of the channel."""
        try:
            return self._values[self._places[name]]
        except KeyError:
            raise UnknownNameError(f"no channel is named {name!r}: {suggestion(name, self._places)}") from None


@checks.doors
@dataclass(frozen=True, eq=False)
class Controller:
    """A feedback law, the initial values of its states, and the instants at which the law is known to jump.

    The law is a function of the channels: whoever asks twice at the same state gets the same answer. Memory belongs into
    `states`, whose rates the law returns. Runs step exactly onto the `instants`; conditions on time in expressions, and in
    a law that can be traced, are found without being told.
    """

    law: Law
    states: Mapping[str, float] = field(default_factory=dict)
    instants: tuple[float, ...] = ()
    formula: bool = False
    """Whether the law is made of expressions only, so that tracing it cannot change it."""

    def __post_init__(self) -> None:
        """Refuse what is no law, no state and no instant."""
        checks.function(self.law, "the law of a Controller")
        states = checks.numbers_by_name(self.states, "the states of a Controller")
        for name in states:
            checks.line(name, "the name of a state")
        object.__setattr__(self, "states", states)
        instants = checks.floats(self.instants, "the instants of a Controller", dimensions=(1,), finite=True)
        object.__setattr__(self, "instants", tuple(instants.tolist()))

    def evaluate(self, channels: Channels, inputs: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Values of the inputs and rates of the controller's states; what the law leaves out is zero."""
        return self.sort(self.law(channels), inputs)

    def sort(self, returned: Any, inputs: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the law returned, as values of the inputs and rates of the states."""
        if not isinstance(returned, Mapping):
            raise ControllerError(
                f"the controller returned {type(returned).__name__}; it must return a mapping from the names of "
                f"inputs ({', '.join(inputs) or 'none'}) and of its states to values"
            )
        for name in returned:
            if not isinstance(name, str) or (name not in inputs and name not in self.states):
                near = suggestion(name, (*inputs, *self.states))
                raise UnknownNameError(f"the controller sets {checks.shown(name)}, which is no input: {near}")
        values = {name: returned.get(name, 0.0) for name in inputs}
        return values, {name: returned.get(name, 0.0) for name in self.states}

    def numbers(self, returned: Any, inputs: tuple[str, ...]) -> list[float]:
        """What the law returned for channels that are numbers: values of the inputs, then rates of the states."""
        values, rates = self.sort(returned, inputs)
        try:
            return [*map(float, values.values()), *map(float, rates.values())]
        except (TypeError, ValueError) as error:
            given = {**values, **rates}
            wrong = next(name for name, value in given.items() if not _is_number(value))
            raise ControllerError(
                f"the controller gives {wrong!r} the value {given[wrong]!r}; it must be a number, such as 0.5"[:300]
            ) from error


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def evaluate_on_symbols(
    controller: Controller, channels: Channels, inputs: tuple[str, ...]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """`Controller.evaluate` on CasADi symbols: numpy's functions work on them, CasADi's notice about it is left out."""
    with warnings.catch_warnings(), _symbols_are_no_numbers():
        warnings.filterwarnings("ignore", r"\s*casadi: a numpy function was called", FutureWarning)
        return controller.evaluate(channels, inputs)


_guard = threading.RLock()


@contextmanager
def _symbols_are_no_numbers() -> Iterator[None]:
    """Let `float` refuse a symbol, as `int` and `bool` do.

    CasADi makes NaN of it, whatever functions it has been through, and a branch on NaN would be frozen into the trace.
    """

    def refuse(symbol: Any) -> float:
        if not symbol.is_constant():
            raise TypeError("a channel is a symbol while its law is traced, and has no value")
        return float(convert(symbol))

    with _guard:
        convert = casadi.SX.__float__
        casadi.SX.__float__ = refuse  # type: ignore[method-assign]
        try:
            yield
        finally:
            casadi.SX.__float__ = convert  # type: ignore[method-assign]
