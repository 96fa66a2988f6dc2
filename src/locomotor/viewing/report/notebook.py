"""What a notebook shows of a run, a cycle, a linearisation or a system: small tables, a curve, and the scene to unfold.

Pieces of HTML without any outside file; the scene is the page of `Run.to_html` in a frame of its own.
"""

import base64
import io
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from locomotor.analysis import Connection, Cycle, EigenvalueCurves, Linearisation, SteadyMotion
from locomotor.analysis.stability import NEUTRAL, unsure_of
from locomotor.errors import LocomotorError
from locomotor.mechanics.chart import chart_symbols
from locomotor.model import Body, ParameterSet, System
from locomotor.simulation import Event, Run
from locomotor.simulation.records import Audit
from locomotor.typing import Vector
from locomotor.viewing.page import build_page
from locomotor.viewing.plots import default_channels, plot_channels, plot_eigenvalues, plot_multipliers, plot_orbit, plot_sweep
from locomotor.viewing.report.page import embedded, folded, paragraph, table
from locomotor.viewing.scene import picture

SCENE_MEGABYTES = 0.6
"""Budget of the samples of a scene: a notebook keeps every output."""
SCENE_STYLE = "width:100%;height:34rem;border:0"
"""Without it a notebook shows a frame of 300 by 150 pixels."""
MOST_CHANNELS = 4
MOST_EVENTS = 8
BENT = 0.5
"""Shape coordinates at which a connection is shown that vanishes at zero."""


def run_card(run: Run) -> str:
    """Status, audit, events, the curves that tell most, and the scene to unfold."""
    rows: list[tuple[str, object]] = [
        ("time", f"{run.time[0]:g} to {run.time[-1]:g} s, {len(run):,} samples, {len(run.channels)} channels"),
        ("end", str(run.status)),
    ]
    rows += list(run.audit().lines)
    if run.events:
        rows.append((f"{len(run.events)} events", ", ".join(elided(run.events))))
    parts = [_title("Run of", run.name), table(("", ""), rows)]
    parts.append(_figure(partial(plot_channels, run, default_channels(run)[:MOST_CHANNELS])))
    try:
        page = build_page(run, megabytes=SCENE_MEGABYTES).text
        parts.append(folded("scene", embedded(page, "the run, moving", SCENE_STYLE)))
    except LocomotorError as error:
        parts.append(paragraph(f"No scene: {error}.", "soft"))
    return _card(parts)


def cycle_card(cycle: Cycle) -> str:
    """Period, how far it comes, multipliers, and the orbit beside them."""
    sizes = ", ".join(f"{abs(value):.4g}" for value in cycle.multipliers) or "none"
    units = _units(cycle.system)
    advance = ", ".join(
        f"{name} {value:+.6g} {units.get(name, '')}".rstrip()
        for name, value in cycle.displacement.items()
        if abs(value) > 1e-12
    )
    rows = [
        ("period", f"{cycle.period:.9g} s, section: {cycle.section}"),
        ("advances", advance or "not at all"),
        ("speed", f"{cycle.speed:.6g} m/s"),
        ("multipliers", f"{sizes}: {cycle.stability}"),
        (
            "start",
            ", ".join(f"{n} = {cycle.start[n]:.9g} {units.get(n, '')}".rstrip() for n in cycle.unknowns)
            or "nothing is unknown",
        ),
        ("closes", f"to {cycle.residual:.1e}"),
    ]
    pictures = [_figure(partial(plot_orbit, cycle, ())), _figure(partial(plot_multipliers, cycle), "20rem")]
    return _card([_title("Cycle of", cycle.system.name), table(("", ""), rows), *pictures])


def linearisation_card(linear: Linearisation) -> str:
    """Eigenvalues with what they mean, and the matrix by name."""
    values = linear.eigenvalues
    unsure = float(unsure_of(values))
    rows = []
    for value, mode in zip(values, linear.mode_names, strict=True):
        if value.imag < -1e-12:
            continue
        oscillates = abs(value.imag) > 1e-12
        text = f"{value.real:+.6g} {'± ' + format(value.imag, '.6g') + 'i' if oscillates else ''}"
        period = f", period {2.0 * np.pi / value.imag:.4g} s" if oscillates else ""
        rows.append((text, mode, _fate(value.real, unsure) + period))
    names = linear.state_names
    matrix = [(name, *(f"{entry:.5g}" for entry in row)) for name, row in zip(names, linear.A, strict=True)]
    return _card(
        [
            _title("Linearisation of", linear.motion.system.name),
            paragraph(f"{linear.stability.capitalize()}; the state is ({', '.join(names)})."),
            table(("eigenvalue (1/s)", "mode", "deviation"), rows),
            folded("matrix A of the state", table(("rate of", *names), matrix, names)),
        ]
    )


def _fate(growth: float, unsure: float) -> str:
    """What becomes of a deviation; what grows or dies out no faster than round-off does neither."""
    if abs(growth) <= unsure:
        return "neither grows nor dies out"
    return f"{'grows' if growth > 0.0 else 'dies out'} by a factor e in {1.0 / abs(growth):.4g} s"


def steady_card(motion: SteadyMotion) -> str:
    """Coordinates, velocities and inputs of a steady motion, and what was asked for."""
    groups = {"coordinate": motion.coordinates, "velocity": motion.velocities, "input": motion.inputs}
    units = _units(motion.system)
    rows = [
        # Adding zero makes -0 a plain 0.
        (name, kind, f"{value + 0.0:.9g}", units.get(name, ""), "asked for" if name in motion.asked else "")
        for kind, values in groups.items()
        for name, value in values.items()
        if value or name in motion.asked
    ]
    rest = [name for values in groups.values() for name, value in values.items() if not value and name not in motion.asked]
    parts = [_title("Steady motion of", motion.system.name), paragraph(f"Its rates vanish to {motion.residual:.1e}.")]
    parts += [table(("name", "", "value", "unit", ""), rows, ("value",))] if rows else []
    return _card([*parts, *([paragraph(f"Zero: {', '.join(rest)}.")] if rest else [])])


def audit_card(audit: Audit) -> str:
    """How far a run may be trusted, in the words of the audit."""
    return _card([_title("", "Audit"), table(("", ""), audit.lines)])


def connection_card(connection: Connection) -> str:
    """What gives what, of which kind, and the matrix at the nominal shape."""
    A, where = connection([0.0] * len(connection.shape_names)) if _defined(connection) else None, "zero"
    if A is not None and not np.any(A):  # a straight shape may give nothing, and tell nothing
        bent = [BENT] * len(connection.shape_names)
        A, where = (connection(bent), f"{BENT:g}") if _defined(connection, BENT) else (A, where)
    rows = [("kind", connection.kind), ("because", connection.reason), ("from", ", ".join(connection.shape_names))]
    parts = [
        _title("Connection of", connection.system.name),
        table(("", ""), [*rows, ("to", ", ".join(connection.base_names))]),
    ]
    if A is not None:
        # Adding zero makes -0 a plain 0.
        entries = [
            (n, *(f"{v:.6g}" for v in row)) for n, row in zip(connection.base_names, np.atleast_2d(A) + 0.0, strict=True)
        ]
        heads = (f"matrix A where all shape coordinates are {where}", *connection.shape_names)
        parts.append(table(heads, entries, connection.shape_names))
    return _card(parts)


def _defined(connection: Connection, value: float = 0.0) -> bool:
    """Whether the connection has a value where all shape coordinates have one: it may be a pole."""
    try:
        return bool(np.isfinite(connection([value] * len(connection.shape_names))).all())
    except LocomotorError:
        return False


def elided(events: Sequence[Event]) -> list[str]:
    """Events in words, the first and the last of many."""
    told = [f"{event.name} at {event.time:.4g} s" for event in events]
    if len(told) <= MOST_EVENTS:
        return told
    return [*told[: MOST_EVENTS - 3], f"... {len(told) - MOST_EVENTS} more ...", *told[-3:]]


def curves_card(curves: EigenvalueCurves) -> str:
    """Where the system is stable along the value, and the curves."""
    bands = ", and from ".join(f"{low:.6g} to {high:.6g}" for low, high in curves.stable_bands)
    reach = f"{curves.values[0]:g} to {curves.values[-1]:g}, {len(curves.values)} values"
    rows = [
        (curves.name, reach),
        ("modes", curves.eigenvalues.shape[1]),
        ("stable", f"from {bands}" if bands else "nowhere in this range"),
    ]
    if NEUTRAL in curves.stability:
        rows.append((NEUTRAL, "in places: no mode grows, and one at least neither grows nor decays"))
    parts = [_title("Eigenvalues of", curves.system.name), table(("", ""), rows)]
    return _card([*parts, _figure(partial(plot_eigenvalues, curves))])


def sweep_card(found: Any, plain: Callable[[Any], str]) -> str:
    """Points by status, the range of every measure, their picture, and the dataset (its own card, by `plain`) to unfold."""
    status = found["status"]
    meanings = dict(zip(status.attrs["flag_values"], str(status.attrs["flag_meanings"]).split(), strict=True))
    counts = ", ".join(f"{int((status == k).sum()):,} {word}" for k, word in meanings.items() if bool((status == k).any()))
    axes = [str(name) for name in status.dims]
    over = ", ".join(f"{name} ({found.sizes[name]})" for name in axes)
    rows: list[tuple[str, object]] = [("over", over), ("points", counts)]
    for name in found.data_vars:
        values = np.asarray(found[name].values, dtype=float)
        if name != "status" and np.isfinite(values).any():
            rows.append((str(name), _reach(values, str(found[name].attrs.get("units", "")))))
    parts = [_title("Sweep of", found.attrs.get("system") or "a function"), table(("", ""), rows)]
    if len(axes) <= 2 and len(rows) > 2:
        parts.append(_figure(partial(plot_sweep, found)))
    return _card([*parts, folded("dataset", plain(found))])


def _reach(values: Vector, unit: str) -> str:
    """From where to where a measure goes; of one that answers yes or no, how often it is yes."""
    finite = values[np.isfinite(values)]
    if np.isin(finite, (0.0, 1.0)).all():
        return f"1 at {int(finite.sum()):,} of {finite.size:,} points"
    return f"{finite.min():.6g} to {finite.max():.6g} {'' if unit == '1' else unit}".rstrip()


def system_card(system: System) -> str:
    """A picture and what it is made of."""
    known = system.parameters.values
    masses = {b.name: float(b.mass_properties(known)[0]) for b in system.bodies if isinstance(b, Body)}
    rows: list[tuple[str, object]] = [
        ("bodies", ", ".join(f"{name} ({mass:.6g} kg)" for name, mass in masses.items())),
        ("joints", ", ".join(f"{j.name} ({type(j).__name__})" for j in system.joints)),
        ("contacts", ", ".join(f"{c.name} ({type(c).__name__})" for c in system.contacts) or "none"),
        ("forces", ", ".join(f.name for f in system.forces) or "none"),
        ("inputs", ", ".join(s.name for s in system.layout.inputs) or "none"),
    ]
    parts = [_title("", system.name), paragraph(system.description) if system.description else ""]
    parts += [_image(picture(system, size=(480, 300))), table(("", ""), rows)]
    return _card([*parts, folded(f"{len(known)} parameters", _parameters(system.parameters)) if known else ""])


def parameters_card(parameters: ParameterSet) -> str:
    """Values with their units, uncertainties where some were measured, meanings and sources."""
    return _card([_title("", f"{len(parameters)} parameters"), _parameters(parameters)])


# -- parts ------------------------------------------------------------------------------------------------------------


def _parameters(parameters: ParameterSet) -> str:
    """The table of a set of parameters; columns in which nothing stands are left out, and a source of most is said once."""
    sources = [p.source for p in parameters.parameters]
    usual = max(set(sources), key=sources.count, default="")
    usual = usual if sources.count(usual) > 1 else ""
    columns = {
        "parameter": [p.name for p in parameters.parameters],
        "value": [f"{p.value:.8g}" for p in parameters.parameters],
        "±": [f"{p.uncertainty:.2g}" if p.uncertainty else "" for p in parameters.parameters],
        "unit": [_raised(p.unit) for p in parameters.parameters],
        "meaning": [p.description for p in parameters.parameters],
        "source": ["" if source == usual else source for source in sources],
    }
    shown = {name: column for name, column in columns.items() if name in ("parameter", "value") or any(column)}
    made = table(tuple(shown), list(zip(*shown.values(), strict=True)), ("value", "±"))
    return (
        made + paragraph(f"Source{', where none is named' if any(shown.get('source', ())) else ''}: {usual}.")
        if usual
        else made
    )


def _raised(unit: str) -> str:
    """A unit with its powers raised."""
    return unit.replace("^2", "²").replace("^3", "³").replace("^4", "⁴")


def _units(system: System) -> dict[str, str]:
    """Units of coordinates, angles of bodies that turn freely, velocities and inputs; none for a pure number."""
    found = {symbol.name: symbol.unit for symbol in (*system.layout.symbols, *chart_symbols(system))}
    return {name: "" if unit == "1" else unit for name, unit in found.items()}


def _card(parts: Sequence[str]) -> str:
    return f'<div class="locomotor" style="max-width:52rem">{"".join(parts)}</div>'


def _title(kind: str, name: str) -> str:
    return f"<h4>{escape(' '.join(part for part in (kind, name.replace('_', ' ')) if part))}</h4>"


def _figure(draw: Callable[[Path], object], width: str = "40rem") -> str:
    """A figure by way of a file: so that pyplot does not know it, and a notebook does not show it twice."""
    with tempfile.TemporaryDirectory(prefix="locomotor-") as folder:
        file = Path(folder) / "figure.png"
        draw(file)
        return _png(file.read_bytes(), width)


def _image(pixels: Any) -> str:
    from matplotlib.image import imsave

    stream = io.BytesIO()
    imsave(stream, pixels, format="png")
    return _png(stream.getvalue(), "30rem")


def _png(data: bytes, width: str) -> str:
    text = base64.b64encode(data).decode("ascii")
    return f'<img alt="" style="width:100%;max-width:{width}" src="data:image/png;base64,{text}">'
