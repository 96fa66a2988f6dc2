"""`locomotor stability SYSTEM --against speed=0:10`."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from locomotor.analysis import EigenvalueCurves, eigenvalue_curves
from locomotor.analysis.stability import NEUTRAL, STABLE, UNSTABLE
from locomotor.commands.lookup import changed, find_system, parse_range, sort_changes
from locomotor.commands.terminal import output, print_json, table, working
from locomotor.errors import UnknownNameError, UsageError
from locomotor.files import draft_folder, write_text
from locomotor.mechanics.chart import chart_symbols
from locomotor.names import suggestion
from locomotor.viewing.plots import plot_eigenvalues

ROWS = 11
"""Rows printed of a curve."""


def stability(name: str, against: str, folder: Path | None, as_json: bool, changes: Sequence[str] = ()) -> int:
    """Eigenvalues along one value of the motion; a folder gets the picture and the numbers."""
    system = find_system(name)
    given = sort_changes(system, changes)
    if "inputs" in given:
        raise UsageError("--set: a steady motion needs its own inputs; give parameters or values of the motion")
    system, at = changed(system, given), given.get("start", {})
    varied, low, high, count = parse_range(against)
    known = [s.name for s in (*system.layout.velocities, *chart_symbols(system))]
    if varied not in known:
        raise UnknownNameError(f"--against: {name} has no {varied!r}: {suggestion(varied, known)}")
    if varied in at:
        raise UsageError(f"--set {varied}: it is what --against varies; leave one of them out")
    with working(f"{count} linearisations"):
        curves = eigenvalue_curves(system, {varied: np.linspace(low, high, count)}, at)
        bands = curves.stable_bands
    if folder is not None:
        with draft_folder(folder) as unfinished:
            plot_eigenvalues(curves, unfinished / "eigenvalues.png")
            write_text(unfinished / "eigenvalues.csv", as_csv(curves))
    if as_json:
        print_json(facts(curves, bands, folder))
        return 0
    out = output()
    unit = next((s.unit for s in (*system.layout.velocities, *chart_symbols(system)) if s.name == varied), "")
    modes = (f"{mode or f'mode {k + 1}'} (1/s)" for k, mode in enumerate(curves.mode_names))
    shown = table(f"{varied} ({unit})" if unit else varied, *modes, "stable")
    for i in np.unique(np.linspace(0, count - 1, min(ROWS, count)).astype(int)):
        shown.add_row(f"{curves.values[i]:.6g}", *(_complex(value) for value in curves.eigenvalues[i]), verdict(curves, int(i)))
    out.print(shown)
    out.print()
    for start, end in bands:
        out.print(f"stable from {varied} = {start:.9g} to {end:.9g} {unit}".rstrip())
    if not bands:
        out.print(f"nowhere stable from {varied} = {low:g} to {high:g} {unit}".rstrip())
        if NEUTRAL in curves.stability:
            out.print(f"{NEUTRAL}: no mode grows, and one at least neither grows nor decays")
    if folder is not None:
        out.print(f"written: {folder / 'eigenvalues.png'}, {folder / 'eigenvalues.csv'}")
    return 0


def verdict(curves: EigenvalueCurves, i: int) -> str:
    """Whether the steady motion at a value is stable: yes, no, or neutral where the largest real part is round-off."""
    return {STABLE: "yes", UNSTABLE: "no"}.get(str(curves.stability[i]), str(curves.stability[i]))


def facts(curves: EigenvalueCurves, bands: Any, folder: Path | None) -> dict[str, Any]:
    """Curves of eigenvalues as a dictionary, for `--json`; an eigenvalue is [real, imaginary]."""
    return {
        "system": curves.system.name,
        "against": curves.name,
        "values": curves.values,
        "eigenvalues": curves.eigenvalues,
        "stability": list(curves.stability),
        "crossings": curves.crossings,
        "stable_bands": bands,
        "folder": None if folder is None else str(folder),
    }


def as_csv(curves: EigenvalueCurves) -> str:
    """One row a value: real and imaginary part of every mode."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    modes = range(1, curves.eigenvalues.shape[1] + 1)
    writer.writerow([curves.name, *(f"{part}_{k}" for k in modes for part in ("real", "imaginary"))])
    for value, row in zip(curves.values, curves.eigenvalues, strict=True):
        writer.writerow([repr(float(value)), *(repr(float(p)) for mode in row for p in (mode.real, mode.imag))])
    return text.getvalue()


def _complex(value: complex) -> str:
    if abs(value.imag) < 1e-12:
        return f"{value.real:+.6f}"
    return f"{value.real:+.6f} {value.imag:+.6f}i"
