"""`locomotor sweep SYSTEM --over speed=0:10:101 --over c=0.05:0.1:51`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from locomotor import simulation
from locomotor.commands.lookup import find_system
from locomotor.commands.terminal import output, print_json, table
from locomotor.errors import UsageError
from locomotor.names import suggestion
from locomotor.sweeps import PointStatus, Random, Samples, Sobol, stability, sweep
from locomotor.viewing.plots import plot_sweep

REDUCTIONS = {
    "maximum": simulation.Maximum,
    "minimum": simulation.Minimum,
    "final": simulation.Final,
    "mean": simulation.Mean,
    "integral": simulation.Integral,
    "first_time": simulation.FirstTime,
}
KINDS = {"sobol": Sobol, "random": Random}


def run_sweep(
    name: str,
    over: Sequence[str],
    measures: Sequence[str],
    start: Sequence[str],
    duration: float | None,
    dt: float | None,
    samples: str | None,
    seed: int,
    executor: str,
    workers: int | None,
    out: Path,
    as_json: bool,
) -> int:
    """Measure at many points, into one file; the same command goes on after whatever stopped it."""
    system = find_system(name)
    drawn = None if samples is None else parse_samples(samples)
    ranges = dict(parse_over(text, drawn is not None) for text in over)
    given: dict[str, Any] = {"duration": duration, "dt": dt, "start": dict(parse_value(text) for text in start) or None}
    given = {key: value for key, value in given.items() if value is not None}
    measure: Any
    if list(measures) in ([], ["stability"]):
        if duration is not None or dt is not None:
            raise UsageError("--duration and --dt are for measures of a simulation: --measure NAME=KIND:EXPRESSION")
        measure, given = stability(given.get("start")), {}
    else:
        measure = dict(parse_measure(text) for text in measures)
    found = sweep(system, ranges, measure, samples=drawn, seed=seed, executor=executor, workers=workers, out=out, **given)
    facts = summary(found)
    picture = draw(found, out, system.name) if drawn is None else None
    if as_json:
        print_json({"system": system.name, "out": str(out), "picture": None if picture is None else str(picture), **facts})
    else:
        show(facts, out, picture)
    return 0 if set(facts["status"]) <= {"ok"} else 1


def summary(found: Any) -> dict[str, Any]:
    """Points by status, and the range of every measure."""
    status = found["status"].values
    measured = {name: found[name].values for name in found.data_vars if name != "status"}
    return {
        "points": int(status.size),
        "status": {kind.name.lower(): int((status == kind).sum()) for kind in PointStatus if (status == kind).any()},
        "measures": {
            name: {what: _of(values, reduce) for what, reduce in (("least", np.min), ("mean", np.mean), ("most", np.max))}
            for name, values in measured.items()
        },
    }


def draw(found: Any, out: Path, title: str) -> Path | None:
    """A curve over one axis, a heat map over two, beside the file; more axes have no picture."""
    if len(found["status"].dims) not in (1, 2):
        return None
    target = out.with_suffix(".png")
    plot_sweep(found, target, title=title.replace("_", " "))
    return target


def show(facts: dict[str, Any], out: Path, picture: Path | None) -> None:
    """Print the summary of a sweep as a table."""
    to = output()
    shown = table("measure", "least", "mean", "most", right=("least", "mean", "most"))
    for name, numbers in facts["measures"].items():
        shown.add_row(name, *("" if numbers[what] is None else f"{numbers[what]:.6g}" for what in ("least", "mean", "most")))
    to.print(shown)
    to.print()
    to.print(f"{facts['points']} points: " + ", ".join(f"{count} {kind}" for kind, count in facts["status"].items()))
    to.print(f"written: {out}" + (f", {picture}" if picture is not None else ""))


def _of(values: Any, reduce: Any) -> float | None:
    known = values[np.isfinite(values)]
    return float(reduce(known)) if known.size else None


# -- what a user types --------------------------------------------------------------------------------


def parse_over(text: str, drawn: bool) -> tuple[str, Any]:
    """`speed=0:10:101` for a grid, `speed=1,2,4` for listed values, `speed=0:10` for samples."""
    name, equals, span = text.partition("=")
    form = "name=low:high" if drawn else "name=low:high:count or name=value,value,..."
    try:
        if "," in span and not drawn:
            values: Any = [float(part) for part in span.split(",")]
        else:
            parts = span.split(":")
            if len(parts) != (2 if drawn else 3):
                raise ValueError
            low, high = float(parts[0]), float(parts[1])
            values = (low, high) if drawn else np.linspace(low, high, int(parts[2]))
    except ValueError:
        raise UsageError(f"--over {text!r}: write {form}, for instance speed=0:10{'' if drawn else ':101'}") from None
    if not equals or not name.strip():
        raise UsageError(f"--over {text!r}: write {form}")
    return name.strip(), values


def parse_measure(text: str) -> tuple[str, Any]:
    """Name and measure of a text such as `lean=maximum:abs(roll)`."""
    name, equals, rest = text.partition("=")
    kind, colon, expression = rest.partition(":")
    if not (equals and colon and name.strip() and expression.strip()):
        form = "stability alone, or name=kind:expression, for instance lean=maximum:abs(roll)"
        raise UsageError(f"--measure {text!r}: write {form}")
    if kind.strip() not in REDUCTIONS:
        raise UsageError(f"--measure {text!r}: no reduction is named {kind.strip()!r}: {suggestion(kind.strip(), REDUCTIONS)}")
    return name.strip(), REDUCTIONS[kind.strip()](expression.strip())


def parse_value(text: str) -> tuple[str, float]:
    """Name and number of a text such as `roll_rate=0.5`."""
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise UsageError(f"--start {text!r}: write name=value, for instance roll_rate=0.5") from None


def parse_samples(text: str) -> Samples:
    """Samples from a text such as `sobol:4096` or `random:1000`."""
    kind, _, count = text.partition(":")
    if kind not in KINDS or not count.isdigit():
        raise UsageError(f"--samples {text!r}: write sobol:count or random:count, for instance sobol:4096")
    return KINDS[kind](int(count))
