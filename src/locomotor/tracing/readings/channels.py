"""Chosen channels of a system, and expressions of them, as traced functions: what a batch saves, reduces and stops at."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from locomotor.lie import ops
from locomotor.mechanics import ReducedMotion
from locomotor.model import Expression, evaluate, parse
from locomotor.tracing.controller import Channels
from locomotor.tracing.core import Field, Port, Traced
from locomotor.tracing.system import TracedSystem

Build = Callable[[str, list[tuple[Port, Any]], str], Traced]


def channel_fields(traced: TracedSystem) -> dict[str, Field]:
    """All channels by name, those of the state last: each name means the same as in a run."""
    own = {field.name: field for field in traced.state_port.fields}
    return own | {field.name: field for group in traced.observables for field in group.fields}


def all_channels(traced: TracedSystem, motion: ReducedMotion | None = None) -> Channels:
    """Time, every channel of a run, parameters and states by name, on symbols, each computed when asked for."""
    motion = traced.motion if motion is None else motion
    _, state, _, parameters = traced.arguments
    makers: dict[str, Callable[[], Any]] = {name: partial(_same, value) for name, value in traced.values(parameters).items()}
    makers |= {name: partial(state.__getitem__, i) for i, name in enumerate(traced.state_port.names)}
    for group in traced.observables:
        compute = _once(group.compute, motion)
        makers |= {field.name: partial(_entry, compute, i) for i, field in enumerate(group.fields)}
    makers["t"] = makers["time"] = partial(_same, motion.time)
    return Channels(makers)


def chosen_channels(traced: TracedSystem, names: Sequence[str]) -> Traced:
    """Some channels, in the order given, as the port `channels`."""
    known, found = channel_fields(traced), all_channels(traced)
    values = [found[name] for name in names]
    port = Port("channels", tuple(known.get(name, Field(name)) for name in names))
    return traced.build("channels", [(port, ops.vector(*values))], "chosen channels")


def measured(build: Build, channels: Channels, expressions: Mapping[str, Expression | str]) -> Traced:
    """Expressions of channels as the port `values`."""
    port = Port("values", tuple(Field(name, "", "", str(text)) for name, text in expressions.items()))
    values = [value_of(text, channels) for text in expressions.values()]
    return build("measures", [(port, ops.vector(*values))], "measures of a roll-out")


def value_of(expression: Expression | str, channels: Channels) -> Any:
    """An expression on symbols; an unknown name suggests the nearest channel."""
    parsed = parse(expression) if isinstance(expression, str) else expression
    return evaluate(parsed, {name: channels[name] for name in parsed.names})


def ending(traced: TracedSystem, ends: Mapping[str, Expression | str]) -> Traced:
    """The dynamics with more monitors: an instance stops when one of these expressions becomes negative."""
    rate, monitor = (port for port in traced.dynamics.outputs)
    rates, watched = traced.dynamics.function(*traced.arguments)
    channels = all_channels(traced)
    more = [value_of(text, channels) for text in ends.values()]
    port = Port("monitor", (*monitor.fields, *(Field(name, "", "", str(text)) for name, text in ends.items())))
    found = traced.build("dynamics", [(rate, rates), (port, ops.concat(watched, ops.vector(*more)))], "rate of the state")
    return replace(found, by_state=traced.dynamics.by_state)


def watched_ends(traced: TracedSystem, ends: Iterable[tuple[str, Expression]], absent: Mapping[str, float]) -> Traced:
    """Ends of a run as the port `ends`; channels that only another set of closed contacts has are `absent`."""
    channels = all_channels(traced)
    missing = {name: partial(_same, value) for name, value in absent.items() if name not in channels}
    known = Channels({**{name: partial(channels.__getitem__, name) for name in channels}, **missing})
    pairs = tuple(ends)
    port = Port("ends", tuple(Field(name, "", "", str(law)) for name, law in pairs))
    return traced.build("ends", [(port, ops.vector(*(value_of(law, known) for _, law in pairs)))], "where the motion is over")


def _once(compute: Callable[[ReducedMotion], Any], motion: ReducedMotion) -> Callable[[], Any]:
    kept: list[Any] = []

    def group() -> Any:
        if not kept:
            kept.append(compute(motion))
        return kept[0]

    return group


def _entry(group: Callable[[], Any], index: int) -> Any:
    return group()[index]


def _same(value: Any) -> Any:
    return value
