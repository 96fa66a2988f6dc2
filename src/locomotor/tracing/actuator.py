"""Actuators between a controller and the inputs of a system: what is commanded acts later, and within limits.

A delay d is a Padé approximation of exp(-d s) with n poles and n - 1 zeros, so that nothing passes at once: n states of the
controller for each input. Its error grows like (d w)^(2 n) with the frequency w of the command.
"""

from collections.abc import Callable, Mapping
from math import factorial, inf
from typing import Any

from locomotor import checks
from locomotor.errors import ControllerError
from locomotor.lie import ops
from locomotor.tracing.controller import Channels, Controller

MOST = 8
"""States for one delay: more only add round-off."""


@checks.door(
    controller=checks.either(checks.instance(Controller), checks.function),
    delays=checks.numbers_by_name,
    limits=checks.mapping,
    order=lambda value, what: checks.whole(value, what, least=1, most=MOST),
)
def actuated(
    controller: Controller | Callable[[Channels], Mapping[str, Any]],
    *,
    delays: Mapping[str, float] | None = None,
    limits: Mapping[str, Any] | None = None,
    order: int = 5,
) -> Controller:
    """The controller behind actuators: `lm.actuated(law, delays={"steer_torque": 0.02}, limits={"steer_torque": 3.0})`.

    Args:
        controller: what commands the inputs.
        delays: seconds by which each of some inputs acts later; before that the command counts as zero. An input that is a
            law of time alone needs none of this: write t - 0.02 in it.
        limits: the largest size of each of some inputs, or a pair (least, largest); applied to what is commanded, and to what
            acts: to a true delay that is the same, and its approximation rings less.
        order: states for each delay, named `<input>_delay_1` and so on. With 5 a command of frequency w comes out right to 2e-7
            where w times the delay is 1.6, and to 1e-4 where it is 3. Explicit steps must be shorter than about 0.15 delays.
    """
    given = controller if isinstance(controller, Controller) else Controller(controller)
    waits, ends = dict(delays or {}), {name: _pair(name, value) for name, value in dict(limits or {}).items()}
    for name, wait in waits.items():
        if not 0.0 < wait < inf:
            raise ControllerError(f"actuated: the delay of {name!r} is {wait!r} s; give a positive number, or leave it out")
    filters = {name: _Delay(name, wait, order) for name, wait in waits.items()}
    states = {**given.states, **{state: 0.0 for each in filters.values() for state in each.states}}
    if len(states) < len(given.states) + order * len(filters):
        raise ControllerError("actuated: the controller has states of these delays already; give all delays in one call")
    return Controller(_Actuated(given.law, filters, ends), states, given.instants, given.formula)


def _pair(name: str, value: Any) -> tuple[float, float]:
    """Least and largest value of an input."""
    if checks.is_number(value):
        size = checks.number(value, f"actuated: the limit of {name!r}")
        value = (-size, size)
    low, high = checks.floats(value, f"actuated: the limits of {name!r}", dimensions=(1,), last=2).tolist()
    if not low <= high:
        raise ControllerError(f"actuated: the limits of {name!r} are {low!r} and {high!r}; give the smaller one first")
    return low, high


class _Delay:
    """exp(-d s) as N(d s)/D(d s): x_1' = x_2/d, ..., x_n' = (u - sum a_k x_k)/d, and y = sum b_k x_k."""

    def __init__(self, name: str, wait: float, n: int) -> None:
        self.wait, m = wait, n - 1
        self.states = tuple(f"{name}_delay_{k}" for k in range(1, n + 1))
        below = [
            factorial(m + n - k) * factorial(n) / (factorial(m + n) * factorial(k) * factorial(n - k)) for k in range(n + 1)
        ]
        above = [factorial(m + n - k) * factorial(m) / (factorial(m + n) * factorial(k) * factorial(m - k)) for k in range(n)]
        self.a = [value / below[n] for value in below[:n]]
        self.b = [(-1.0) ** k * value / below[n] for k, value in enumerate(above)]

    def rates(self, command: Any, channels: Channels) -> dict[str, Any]:
        """Rates of the states."""
        x = [channels[name] for name in self.states]
        last = command - sum(a * value for a, value in zip(self.a, x, strict=True))
        return dict(zip(self.states, (value / self.wait for value in (*x[1:], last)), strict=True))

    def acts(self, channels: Channels) -> Any:
        """The command of a while ago."""
        return sum(b * channels[name] for b, name in zip(self.b, self.states, strict=True))


class _Actuated:
    """A law behind actuators."""

    def __init__(self, law: Any, delays: Mapping[str, _Delay], limits: Mapping[str, tuple[float, float]]) -> None:
        self.law, self.delays, self.limits = law, delays, limits

    def __call__(self, channels: Channels) -> Mapping[str, Any]:
        """What acts, and the rates of all states."""
        commands = self.law(channels)
        if not isinstance(commands, Mapping):
            return commands  # the controller says what is wrong with it
        found = dict(commands)
        for name, delay in self.delays.items():
            found.update(delay.rates(self._within(name, found.get(name, 0.0)), channels))
            found[name] = delay.acts(channels)
        return found | {name: self._within(name, found.get(name, 0.0)) for name in self.limits}

    def _within(self, name: str, value: Any) -> Any:
        """A value within the limits of its input."""
        if name not in self.limits:
            return value
        low, high = self.limits[name]
        return min(max(value, low), high) if isinstance(value, float | int) else ops.fmin(ops.fmax(value, low), high)
