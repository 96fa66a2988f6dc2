"""The controls of a live page: what may be moved, what it is called, where it starts and how far it goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from locomotor.model import Parameter, Riding
from locomotor.simulation.inputs import acts
from locomotor.viewing.live.choices import Choice, Way
from locomotor.viewing.page import channel_symbol, symbol_html

ROUND_OFF = 1e-12
"""A slider that would stand at less stands at zero."""

MANY = "Many contacts: held step by step (time-stepping), without instants and forces of each; simulate has those."
"""Told of a page whose steps hold the contacts."""


def controls_of(choices: Mapping[str, Choice], choice: Choice, way: Way, riding: Riding | None) -> dict[str, Any]:
    """Menu, sliders and handles of one choice."""
    engine, system, inputs = way.engine, way.engine.system, way.inputs
    run = engine.run(min(way.duration, 10 * engine.step), way.start, {}, inputs)
    starts = [name for name in engine.start_names(tuple(way.start)) if name in run]
    begin = {name: float(values[0]) for name, values in run.channels.items()}
    symbols = {name: channel_symbol(name, run.about[name].latex) for name in starts}
    free = [symbol for symbol in system.layout.inputs if engine.controller is None and acts(system, symbol.name)]
    return {
        "choice": choice.key,
        "choices": [
            {"key": each.key, "name": each.name, "group": each.group, "title": each.settings.get("title", "")}
            for each in choices.values()
        ],
        "duration": way.duration,
        "longest": engine.most_seconds,
        "note": "" if engine.stepped is None else MANY,
        "given": way.start,
        "chart": None if way.chart is None else asdict(way.chart),
        "riding": None if riding is None or engine.controller is not None else _riding(riding, way),
        "parameters": [
            _knob(p.name, p.unit, _symbol(p), p.description, p.value, 0.0)
            for p in (system.parameters[name] for name in engine.free)
        ],
        "start": [
            _knob(name, run.about[name].unit, symbols[name], run.about[name].description, begin[name], 1.0) for name in starts
        ],
        "inputs": [
            _knob(s.name, s.unit, symbol_html(s.latex), s.description, _number(inputs.get(s.name, 0.0)), 5.0)
            | ({"law": str(inputs[s.name])} if isinstance(inputs.get(s.name), str) else {})
            for s in free
        ],
    }


def _riding(riding: Riding, way: Way) -> dict[str, Any] | None:
    """Handles whose inputs are there: a joint that a gait drives has none."""
    names = {symbol.name for symbol in way.engine.system.layout.inputs if acts(way.engine.system, symbol.name)}
    handles = [handle for handle in riding.held if names.issuperset({*handle.first, *(handle.second or {})})]
    balance = riding.balance is not None and names.issuperset(riding.balance.inputs)
    return {"handles": [{"name": h.name, "way": h.way} for h in handles], "balance": balance} if handles else None


def _knob(name: str, unit: str, symbol: str, about: str, value: float, reach: float) -> dict[str, Any]:
    """A slider around a value; `reach` is how far it goes from zero at least (0: from a quarter to twice the value)."""
    value = 0.0 if abs(value) < ROUND_OFF else value
    span = max(2.0 * abs(value), reach) or 1.0
    low, high = -span, span
    if reach == 0.0 and value != 0.0:
        low, high = sorted((0.25 * value, 2.0 * value))
    elif value > 0.0 and unit == "m/s":
        low = 0.0
    return {"name": name, "unit": unit, "symbol": symbol, "about": about, "value": value, "low": low, "high": high}


def _symbol(parameter: Parameter) -> str:
    """The symbol of a parameter; nothing where it is a word, which its meaning says again."""
    name, latex = parameter.name, parameter.latex
    return symbol_html(latex) if len(name) <= 2 else channel_symbol(name, latex)


def _number(law: float | str) -> float:
    """Where the slider of an input stands: zero while a law moves it."""
    return 0.0 if isinstance(law, str) else float(law)
