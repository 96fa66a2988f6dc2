"""Figures of a linearisation: its eigenvalues in the complex plane, and its frequency response."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locomotor import checks
from locomotor.analysis import Linearisation
from locomotor.analysis.stability import frequency_response, unsure_of
from locomotor.errors import ArgumentError
from locomotor.mechanics.chart import chart_symbols
from locomotor.viewing.plots.style import ALARM, COLOURS, STABLE, WIDTH, head, new_figure, save, styled, unit_text, words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 400


def plot_linear(linear: Linearisation, kind: str, path: str | Path | None = None, **options: Any) -> Figure:
    """Draw the kind of plot that is asked for."""
    return {"poles": plot_poles, "bode": plot_bode}[kind](linear, path, **options)


@checks.door(title=checks.optional(checks.text))
def plot_poles(linear: Linearisation, path: str | Path | None = None, *, title: str | None = None) -> Figure:
    """Eigenvalues in the complex plane, stable half shaded, modes with their names."""
    with styled():
        figure = new_figure(path, figsize=(WIDTH, 4.2))
        axis = figure.subplots()
        values, unsure = linear.eigenvalues, unsure_of(linear.eigenvalues)
        span = 1.15 * max(1.0, float(np.abs(values).max(initial=0.0)))
        axis.axvspan(-span, 0.0, color=STABLE, alpha=0.08, linewidth=0)
        axis.axvline(0.0, color="#22282d", linewidth=0.7)
        axis.axhline(0.0, color="#22282d", linewidth=0.7)
        for value, name in zip(values, linear.mode_names, strict=True):
            axis.plot(value.real, value.imag, "x", color=ALARM if value.real > unsure else COLOURS[0], markersize=8)
            if name and value.imag >= 0.0:
                axis.annotate(name, (value.real, value.imag), textcoords="offset points", xytext=(6, 6), fontsize=8)
        axis.set_xlabel("real part (1/s)")
        axis.set_ylabel("imaginary part (rad/s)")
        axis.set_xlim(-span, max(0.3 * span, 1.3 * float(values.real.max(initial=0.0))))
        head(figure, f"{words(linear.motion.system.name)}: eigenvalues" if title is None else title)
        return save(figure, path)


@checks.door(
    input=checks.text, output=checks.text, low=checks.positive, high=checks.positive, title=checks.optional(checks.text)
)
def plot_bode(
    linear: Linearisation,
    path: str | Path | None = None,
    *,
    input: str = "",
    output: str = "",
    low: float = 0.01,
    high: float = 100.0,
    title: str | None = None,
) -> Figure:
    """Size and phase of the response of a state to an input, over frequencies from `low` to `high` (rad/s)."""
    if not linear.input_names:
        raise ArgumentError(f"{linear.motion.system.name} has no input; a Bode plot needs one")
    if not 0.0 < low < high:
        raise ArgumentError(f"low is {low!r} and high is {high!r}; give two frequencies in rad/s, 0 < low < high")
    source, target = input or linear.input_names[0], output or linear.state_names[0]
    frequencies = np.geomspace(low, high, POINTS)
    response = frequency_response(linear, source, target, frequencies)
    from matplotlib.ticker import MultipleLocator

    with styled():
        figure = new_figure(path, figsize=(WIDTH, 4.6))
        size, phase = figure.subplots(2, 1, sharex=True)
        size.loglog(frequencies, np.abs(response))
        size.set_ylabel(f"|{words(target)} / {words(source)}|" + _ratio(linear, target, source))
        angle = np.degrees(np.unwrap(np.angle(response)))
        phase.semilogx(frequencies, angle)
        phase.yaxis.set_major_locator(MultipleLocator(45.0 if np.ptp(angle) < 300.0 else 90.0))
        phase.set_ylabel("phase (degrees)")
        for axis in (size, phase):
            axis.set_xlim(low, high)
        phase.set_xlabel("frequency (rad/s)")
        told = f"{words(linear.motion.system.name)}: {words(target)} by {words(source)}"
        head(figure, (told if linear.stable else f"{told} (the motion is {linear.stability})") if title is None else title)
        return save(figure, path)


def _ratio(linear: Linearisation, target: str, source: str) -> str:
    """Unit of a response, on a line of its own; nothing where both are pure numbers."""
    system = linear.motion.system
    units = {symbol.name: unit_text(symbol.unit) for symbol in (*system.layout.symbols, *chart_symbols(system))}
    over, under = units.get(target, ""), units.get(source, "")
    if not under:
        return f"\n({over})" if over else ""
    return f"\n({over or 1}/({under}))" if " " in under else f"\n({over or 1}/{under})"
