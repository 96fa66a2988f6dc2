"""What the living page is told beside the scene: the terms of the equations, what may be changed and how far, what is drawn."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from locomotor.exports import ARGUMENTS, Model, draw_cases
from locomotor.model import System, Torque
from locomotor.model.expressions import Name
from locomotor.tracing import Traced, TracedSystem
from locomotor.tracing.readings import Term
from locomotor.viewing.page import channel_symbol, symbol_html

PUSH = 10.0
"""Inputs may cause accelerations up to this (m/s², rad/s²) at the start."""
CURVES = 4
SAMPLED, NOTHING = 16, 1e-13
"""States at which it is looked which terms vanish, and what counts as nothing beside the largest."""
TURN, KEPT, FELT = 0.1, 0.3, 0.02
"""How far the start is moved to see whether that matters; the part of it that must be left when contacts are closed again; the
smallest change of accelerations that counts, in parts of the largest that any direction makes."""
LAW = (
    "<b>M</b>(<i>q</i>) <b>v̇</b> = <b>H</b><sup>T</sup>(<b>τ</b> − <b>M k</b> − <b>h</b>): one equation for each independent "
    "velocity, made of its causes. A term glows by its present size among those of its equation."
)


def terms_facts(model: Model, terms: tuple[Term, ...], function: Traced) -> list[dict[str, Any]]:
    """Labels of terms, and which of them vanish whatever the state: at random ones they are nothing beside the others."""
    traced = model.system
    symbols = [traced.system.layout.velocities[i] for i in traced.reduction.free]
    cases = draw_cases(model, SAMPLED).arguments
    (values,) = function.evaluate([cases[name] for name in ARGUMENTS], SAMPLED)
    sizes = np.abs(values).reshape(SAMPLED, len(terms), len(symbols))
    vanish = (sizes <= NOTHING * sizes.max(axis=1, keepdims=True)).all(axis=0)
    found = []
    for k, term in enumerate(terms):
        zero = vanish[k].tolist()
        label = _rate(symbol_html(symbols[k].latex)) if term.kind == "inertia" else _label(traced.system, term)
        found.append({"name": term.name, "kind": term.kind, "about": term.about, "zero": zero, "label": label})
    return found


def _rate(symbol: str) -> str:
    return f'<span class="rate">d{symbol}/d<i>t</i></span>'


def _label(system: System, term: Term) -> str:
    """The name of an input where a drive is nothing but that; else the name of the cause."""
    if term.kind == "drive":
        drive = system.joint(term.name).drive
        name = drive.law.name if isinstance(drive, Torque) and isinstance(drive.law, Name) else f"{term.name} drive"
        return name.replace("_", " ")
    return term.name.replace("_", " ")


def parameter_knobs(model: Model) -> list[dict[str, Any]]:
    """Parameters with half and one and a half of their values as limits; around zero, a fifth of the unit."""
    found = []
    for field, value in zip(model.parameters.fields, model.defaults.tolist(), strict=True):
        half = 0.5 * abs(value) if value else 0.2
        found.append(_knob(field, value, value - half, value + half))
    return found


def input_knobs(model: Model) -> list[dict[str, Any]]:
    """Inputs, limited by the accelerations they cause at the start."""
    four: list[Any] = [np.zeros(1), model.start, np.zeros(model.inputs.size), model.defaults]
    nd = model.tangent.size - (model.state.size - model.system.nq)
    before = model.tangent.traced(*four)[0][nd:]
    found = []
    for i, field in enumerate(model.inputs.fields):
        four[2] = np.eye(model.inputs.size)[i]
        caused = float(np.abs(model.tangent.traced(*four)[0][nd:] - before).max(initial=0.0))
        limit = _round(PUSH / caused) if caused > 1e-9 else 1.0
        found.append(_knob(field, 0.0, -limit, limit))
    return found


def start_knobs(model: Model) -> list[dict[str, Any]]:
    """Coordinates that the motion depends on, and the independent velocities; quaternions by turns about body axes."""
    return list(_start_knobs(model))


def _start_knobs(model: Model) -> Iterator[dict[str, Any]]:
    fields, start, nq = model.state.fields, model.start, model.system.nq
    mattering = _mattering(model)
    speed = float(np.abs(start[nq:]).max(initial=0.0))
    for turning, x, d in model.manifold.slices():
        if turning:
            prefix = fields[x.start].name.removesuffix("qw")
            for k, name in enumerate(("roll", "pitch", "yaw")):
                if d.start + k in mattering:
                    about = f"turn about the body's {'xyz'[k]} axis, added to the start"
                    told = {"name": f"{prefix}{name}_added", "symbol": "", "unit": "rad", "about": about, "value": 0.0}
                    yield {**told, "low": -0.6, "high": 0.6, "place": d.start + k, "offset": 0.0}
            continue
        for i in range(x.start, x.stop):
            velocity, value = i >= nq, float(start[i])
            if velocity or d.start + i - x.start in mattering:
                reach = max(2.0, 1.5 * abs(value), 0.3 * speed) if velocity else 0.8
                place = {"place": d.start + i - x.start, "offset": value}
                yield _knob(fields[i], value, value - reach, value + reach) | place


def _mattering(model: Model) -> set[int]:
    """Directions along which the start can be moved, contacts closed again, such that its accelerations change."""
    traced, nd = model.system, model.tangent.size
    first = nd - (model.state.size - traced.nq)
    rest: list[Any] = [0.3 * np.ones(model.inputs.size), model.defaults]
    # At other velocities than those of the start, which may be steady whatever the angles.
    begin = model.start + np.concatenate([np.zeros(traced.nq), 0.7 * np.ones(model.state.size - traced.nq)])
    before = model.tangent.traced(np.zeros(1), begin, *rest)[0]
    felt: dict[int, float] = {}
    for direction in range(first):
        moved = delta = TURN * np.eye(nd)[direction]
        state = model.move.traced(begin, delta)[0]
        for _ in range(12 if has_gaps(traced) else 0):
            correction = traced.projection(np.zeros(1), state, *rest)[0]
            state, moved = model.move.traced(state, correction)[0], moved + correction
        after = model.tangent.traced(np.zeros(1), state, *rest)[0]
        if abs(moved[direction]) >= KEPT * TURN:
            felt[direction] = float(np.abs(after - before)[first:].max(initial=0.0))
    largest = max(felt.values(), default=0.0)
    return {direction for direction, size in felt.items() if size > max(FELT * largest, 1e-9)}


def has_gaps(traced: TracedSystem) -> bool:
    """Whether there are gaps to close."""
    return any(group.kind == "gaps" for group in traced.observables)


def history_facts(model: Model) -> list[dict[str, Any]]:
    """Quantities whose last seconds are drawn: angles that the motion depends on first, then independent velocities."""
    fields, nq = model.state.fields, model.system.nq
    read = {i.args[1] for i in model.tangent.traced.tape.instructions if i.op == "input" and i.args[0] == 1}
    outputs = next((function.result.fields for function in model.read if function.name == "outputs"), ())
    chosen = [("outputs", i, f) for i, f in enumerate(outputs) if f.name in ("roll", "speed")]
    chosen += [("state", i, fields[i]) for i in range(nq) if i in read and fields[i].unit not in ("1", "")]
    chosen += [("state", i, fields[i]) for i in range(nq, len(fields))]
    told = [
        {
            "from": source,
            "place": i,
            "name": f.name,
            "unit": f.unit,
            "about": f.description,
            "symbol": channel_symbol(f.name, f.latex),
        }
        for source, i, f in chosen
    ]
    return told[:CURVES]


def roams(model: Model) -> bool:
    """Whether it may go anywhere: some place is a coordinate that the motion does not depend on."""
    read = {i.args[1] for i in model.tangent.traced.tape.instructions if i.op == "input" and i.args[0] == 1}
    return any(field.unit == "m" and i not in read for i, field in enumerate(model.state.fields[: model.system.nq]))


def conserves(system: System) -> bool:
    """Whether nothing but inputs may change the energy: only gravity and springs act, and nothing is imposed or moves."""
    kinds = {type(force).__name__ for force in system.forces}
    return kinds <= {"Gravity", "JointSpring", "PointSpring"} and not system.imposed and not system.turns_with_time


def _knob(field: Any, value: float, low: float, high: float) -> dict[str, Any]:
    symbol = channel_symbol(field.name, field.latex)
    told = {"name": field.name, "symbol": symbol, "unit": field.unit, "about": field.description}
    return {**told, "value": value, "low": low, "high": high}


def _round(value: float) -> float:
    """The next smaller of 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(factor for factor in (5.0, 2.0, 1.0) if factor * power <= value * (1 + 1e-12)) * power


def velocities(traced: TracedSystem) -> list[dict[str, str]]:
    """The velocities whose equations are shown."""
    symbols = [traced.system.layout.velocities[i] for i in traced.reduction.free]
    return [{"name": s.name, "unit": s.unit, "symbol": symbol_html(s.latex)} for s in symbols]
