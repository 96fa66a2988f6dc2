"""`locomotor cycle SYSTEM`: a motion that repeats, its stability; all cycles of a grid; families along a parameter."""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from locomotor import catalogue
from locomotor.analysis import Cycle, continue_cycle, find_cycle, find_cycles, sweep_cycles
from locomotor.analysis.cycles import drive_period, repeating_gaits
from locomotor.commands.cycle_words import Judged, cycle_facts, family_facts, judge, tell_cycle, tell_cycles, tell_family
from locomotor.commands.lookup import changed, find_system, parse_range, sort_changes
from locomotor.commands.terminal import Steps, output, print_json, progress
from locomotor.dataclass import dataclass
from locomotor.errors import MissingExtraError, UnknownNameError, UsageError
from locomotor.files import draft_folder, write_text
from locomotor.model import System
from locomotor.names import suggestion
from locomotor.viewing.plots import plot_scan, quantities

VALUES = 21
"""Values of a parameter in a sweep from a grid, where their number is not given."""
STARTS = 6
"""Values of an unknown in a grid of starts, where their number is not given."""


@dataclass(frozen=True)
class Search:
    """Options of `find_cycle` as given on the command line; None or nothing for those that are not."""

    section: str | None = None
    period: float | None = None
    periods: int | None = None
    closed: tuple[str, ...] = ()
    symmetry: tuple[str, ...] = ()
    multiple: int | None = None
    settle: int | None = None
    step: float | None = None
    tolerance: float | None = None

    @property
    def given(self) -> dict[str, Any]:
        """The options that were given, as keywords of `find_cycle`."""
        found = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        if self.symmetry:
            found["symmetry"] = dict(_equation(text) for text in self.symmetry)
        return {name: value for name, value in found.items() if value not in (None, ())}


def cycle(
    name: str,
    changes: Sequence[str],
    gait: str | None,
    search: Search,
    grid: Sequence[str],
    sweep: str | None,
    folder: Path | None,
    as_json: bool,
) -> int:
    """Find a cycle, judge its stability, draw it and print the result."""
    usual = _usual(name)
    system = _with_gait(find_system(name), name, gait)
    given = sort_changes(system, changes)
    system = changed(system, given)
    _check_gait(system, name, gait, search, given)
    guess, options = _options(usual, search, given)
    ranges = dict(_range(text) for text in grid)
    if sweep is not None and ranges:
        return _scan(system, guess, options, ranges, sweep, folder, as_json)
    if sweep is not None:
        return _family(system, guess, options, sweep, folder, as_json)
    if ranges:
        return _all(system, guess, options, ranges, as_json, folder)
    with progress(2 + (folder is not None)) as steps:
        steps.begin("searching for a cycle")
        found = find_cycle(system, guess, **options)
        steps.done()
        steps.begin("checking its derivative")
        judged = judge(found)
        steps.done()
        if folder is not None:
            _write(found, folder, steps)
    if as_json:
        print_json({**cycle_facts(judged), "folder": None if folder is None else str(folder)})
        return 0
    tell_cycle(judged)
    _written(folder, "cycle.nc, cycle.html, figures/")
    return 0


def _family(
    system: System, guess: Mapping[str, float] | None, options: dict[str, Any], sweep: str, folder: Path | None, as_json: bool
) -> int:
    """One cycle followed along a parameter, around folds."""
    parameter, low, high, count = parse_range(sweep, VALUES, "--sweep")
    with progress(2) as steps:
        steps.begin("searching for a cycle")
        first = find_cycle(system, guess, **options)
        steps.done()
        steps.begin(f"following it along {parameter}")
        length = (high - low) / (count - 1)
        family = continue_cycle(system, first, parameter, (low, high), step=length, largest=min(2.0 * length, high - low))
        steps.done()
    if folder is not None:
        with draft_folder(folder) as unfinished:
            family.plot(path=unfinished / "family.png")
            write_text(unfinished / "family.csv", as_csv(parameter, family.values, family.cycles))
    if as_json:
        print_json({**family_facts(family), "folder": None if folder is None else str(folder)})
        return 0
    tell_family(family, count)
    _written(folder, "family.png, family.csv")
    return 0


def _scan(
    system: System, guess: Mapping[str, float] | None, options: dict[str, Any], ranges: dict[str, tuple[float, float, int]],
    sweep: str, folder: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """All cycles from a grid of starts, for each value of a parameter."""
    parameter, low, high, count = parse_range(sweep, VALUES, "--sweep")
    values = np.linspace(low, high, count)
    with progress(1) as steps:
        steps.begin(f"{count} values of {parameter}, {math.prod(entry[2] for entry in ranges.values())} starts each")
        found = sweep_cycles(system, parameter, values, ranges, guess=guess, **_scannable(options))
        steps.done()
    across = [float(value) for value, group in zip(values, found, strict=True) for _ in group]
    cycles = [each for group in found for each in group]
    if folder is not None and cycles:
        with draft_folder(folder) as unfinished:
            plot_scan([float(value) for value in values], found, parameter, unfinished / "cycles.png")
            write_text(unfinished / "cycles.csv", as_csv(parameter, across, cycles))
    if as_json:
        entries = [{parameter: value, **cycle_facts(Judged(each))} for value, each in zip(across, cycles, strict=True)]
        print_json({"system": system.name, "parameter": parameter, "values": values, "cycles": entries})
    else:
        tell_cycles(cycles, across, parameter)
        _written(folder if cycles else None, "cycles.png, cycles.csv")
    return 0 if cycles else 1


def _all(
    system: System, guess: Mapping[str, float] | None, options: dict[str, Any], ranges: dict[str, tuple[float, float, int]],
    as_json: bool, folder: Path | None,
) -> int:  # fmt: skip
    """All cycles from a grid of starts."""
    with progress(1 + (folder is not None)) as steps:
        steps.begin(f"{math.prod(entry[2] for entry in ranges.values())} starts")
        cycles = find_cycles(system, ranges, guess=guess, **_scannable(options))
        steps.done()
        if folder is not None and cycles:
            _write(cycles[0], folder, steps)
    if as_json:
        print_json({"system": system.name, "cycles": [cycle_facts(Judged(each)) for each in cycles]})
    else:
        tell_cycles(cycles)
        _written(folder if cycles else None, "cycle.nc, cycle.html, figures/ of the first")
    return 0 if cycles else 1


# -- what was asked for -----------------------------------------------------------------------------------------------


def _usual(name: str) -> dict[str, Any]:
    """How the catalogue finds the cycle of one of its systems."""
    try:
        return dict(catalogue.ready(name).cycle)
    except UnknownNameError:
        return {}


def _with_gait(system: System, name: str, gait: str | None) -> System:
    if gait is None:
        return system
    try:
        known = catalogue.ready(name).gaits
    except UnknownNameError:
        known = {}
    if gait not in known:
        told = suggestion(gait, known) if known else "it has none; give laws of its joints as --set motions.JOINT='0.3*sin(t)'"
        raise UnknownNameError(f"--gait: {name} has no gait {gait!r}: {told}")
    return system.with_motions(dict(known[gait]))


def _check_gait(system: System, name: str, gait: str | None, search: Search, given: Mapping[str, Any]) -> None:
    """Refuse a gait that does not repeat where nothing else says when a period ends."""
    if gait is None or search.section or search.period or given.keys() & {"motions", "inputs"}:
        return
    if drive_period(system, system.parameters.values) is None:
        ready = catalogue.ready(name)
        others = repeating_gaits(ready.make(), ready.gaits) if ready.gaits else []
        told = f"those of {name} that do: {', '.join(others)}" if others else f"none of {name} does"
        raise UsageError(
            f"--gait {gait}: this gait does not repeat by the clock (it sets off, or turns on and on); {told}. Say when a "
            "period ends with --period or --section, or drive it with simulate(..., motions=catalogue.gait(...))"
        )


def _options(
    usual: Mapping[str, Any], search: Search, given: Mapping[str, Any]
) -> tuple[dict[str, float] | None, dict[str, Any]]:
    """Guess and options: the usual ones, unless others are given; a section brings what belongs to it."""
    own, chosen = search.given, dict(usual)
    guess = {**chosen.pop("guess", {}), **given.get("start", {})}
    if {"section", "period"} & own.keys():
        chosen = {key: value for key, value in chosen.items() if key not in ("section", "symmetry", "closed")}
    chosen |= own
    if "inputs" in given:
        chosen["inputs"] = given["inputs"]
    return guess or None, chosen


def _scannable(options: dict[str, Any]) -> dict[str, Any]:
    """Options that a scan takes: its grid replaces multiple shooting."""
    return {name: value for name, value in options.items() if name != "multiple"}


def _equation(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise UsageError(f"--symmetry {text!r}: write name=expression, for instance --symmetry yaw='pi - yaw'")
    return name.strip(), value.strip()


def _range(text: str) -> tuple[str, tuple[float, float, int]]:
    name, low, high, count = parse_range(text, STARTS, "--grid")
    return name, (low, high, count)


# -- what is written --------------------------------------------------------------------------------------------------


def _write(found: Cycle, folder: Path, steps: Steps) -> None:
    """One period as a run file, as a moving page where the extra is installed, and figures."""
    steps.begin("drawing")
    with draft_folder(folder) as unfinished:
        found.run.save(unfinished / "cycle.nc")
        figures = unfinished / "figures"
        figures.mkdir()
        found.plot(kind="orbit", path=figures / "orbit.png")
        found.plot(kind="curves", path=figures / "curves.png")
        found.plot(kind="multipliers", path=figures / "multipliers.png")
        if found.unknowns:
            found.plot(kind="poincare", path=figures / "poincare.png")
        if found.run.group("modes"):
            found.plot(kind="modes", path=figures / "modes.png")
        try:
            found.run.to_html(unfinished / "cycle.html")
        except MissingExtraError:
            output().print("no cycle.html: the extra is missing (locomotor doctor tells how to get it)")
    steps.done()


def _written(folder: Path | None, what: str) -> None:
    if folder is not None:
        output().print(f"\nwritten: {folder}: {what}")


def as_csv(parameter: str, values: Any, cycles: Sequence[Cycle]) -> str:
    """One row a cycle: the parameter, what may be drawn of it, the size of its largest multiplier, whether it is stable."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    known = quantities(cycles)
    writer.writerow([parameter, *(name.replace(" ", "_") for name in known), "largest_multiplier", "stable"])
    for k, (value, each) in enumerate(zip(values, cycles, strict=True)):
        size = float(np.abs(each.multipliers).max(initial=0.0))
        row = [float(value), *(float(column[k]) for column in known.values()), size]
        writer.writerow([*(repr(number) for number in row), int(each.stable)])
    return text.getvalue()
