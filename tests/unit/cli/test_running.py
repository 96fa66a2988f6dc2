"""`run`, `reproduce`, `view`, `demo`: what they compute and what they write."""

import json
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import locomotor as lm
from locomotor.commands.reproduce import select
from locomotor.errors import LocomotorError
from locomotor.scenarios import Computation, Origin, Scenario, scenario, scenarios

RUNS = [entry.name for entry in scenarios() if isinstance(entry, Scenario)]
COMPUTATIONS = [entry.name for entry in scenarios() if isinstance(entry, Computation)]
LONG = (
    "rocr/cycles",
    "micro_flyer/hover",
    "micro_flyer/path",
    "fruit_fly/trim",
    "fruit_fly/flight",
    "rod/twisted_ring",
    "sidewinder/winds",
)
"""Computations of more than a few seconds."""


def same(file: Path, run: lm.Run) -> None:
    """The run in a file has the same bits as another one."""
    read = lm.load(file)
    assert list(read.channels) == list(run.channels)
    assert np.array_equal(read.time, run.time)
    for name, values in run.channels.items():
        assert np.array_equal(read[name], values, equal_nan=True), name


@pytest.mark.slow
def test_run_writes_a_report(program, work: Path) -> None:  # type: ignore[no-untyped-def]
    text = program("run", "bicycle/E3", "--figures").stdout
    entry = scenario("bicycle/E3")
    assert f"{len(entry.numbers)} of {len(entry.numbers)} numbers" in text and "digits" in text
    folder = work / "out" / "bicycle-E3"
    assert sorted(p.name for p in folder.iterdir()) == ["figures", "report.html", "run.nc"]
    assert len(list((folder / "figures").glob("*.png"))) >= len(entry.figures) + 4
    same(folder / "run.nc", entry.run())
    page = (folder / "report.html").read_text(encoding="utf-8")
    for words in ("Can it be trusted?", "wheelbase", "fig. 2.11", "reproduced", "roll_rate", entry.citation):
        assert words in page
    without_scene = re.sub(r'srcdoc="[^"]*"', "", page)
    assert not re.search(r'(src|href)="(?!data:|#)', without_scene)  # nothing is loaded from anywhere


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.sampled(8)
def test_every_scenario_runs_by_name_as_from_python(inside, name: str) -> None:  # type: ignore[no-untyped-def]
    done = inside("run", name, "--duration", "0.1", "--no-halve", "--no-write", "--json")
    run = scenario(name).run(duration=0.1)
    final = {channel: float(values[-1]) for channel, values in run.channels.items()}
    # The place of an open contact is not a number, for which JSON has null.
    assert json.loads(done.stdout)["final"] == {name: None if math.isnan(x) else x for name, x in final.items()}


def test_a_run_shorter_than_the_distance_of_its_samples_has_both_ends() -> None:
    found = scenario("double_pendulum/states")
    assert found.settings["sample"] == 0.5
    assert found.run(duration=0.1).time.tolist() == [0.0, 0.1]
    with pytest.raises(LocomotorError, match="it must be positive and at most the duration"):
        found.run(duration=0.1, sample=0.5)


def test_every_entry_is_a_run_or_a_computation() -> None:
    """No third kind, for which the command line would know no way."""
    assert {*RUNS, *COMPUTATIONS} == {entry.name for entry in scenarios()}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in COMPUTATIONS]
)
@pytest.mark.sampled(4)
def test_every_computation_runs_by_name_as_from_python(inside, name: str) -> None:  # type: ignore[no-untyped-def]
    found = json.loads(inside("run", name, "--no-write", "--json").stdout)
    entry = scenario(name)
    assert found["ok"] and found["scenario"] == name and found["kind"] == "computation"
    values = entry.evaluate()
    assert [(n["key"], n["expected"], n["ours"]) for n in found["numbers"]] == [
        (n.key, n.expected, values[n.key]) for n in entry.numbers
    ]


def test_an_experiment_that_is_a_computation_runs_by_name(program, work: Path) -> None:  # type: ignore[no-untyped-def]
    """E0 is an experiment of the thesis as E1 to E6 are."""
    entry = scenario("bicycle/E0")
    text = program("run", "bicycle/E0", "--no-write").stdout
    assert f"{len(entry.numbers)} of {len(entry.numbers)} numbers are as the registry says" in text
    # The table has the first of them, each with what is expected: the source's own before those computed by us.
    printed = [number for number in entry.numbers if number.origin is Origin.PRINTED]
    assert all(f"{number.key} " in text and f" {number.expected:.10g} " in text for number in printed[:12])
    assert f"and {len(entry.numbers) - 12} more, in the report" in text
    assert list(work.iterdir()) == []


@pytest.mark.slow
def test_a_computation_writes_its_numbers_and_figures(inside, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    assert "report.html, figures/" in inside("run", "bicycle/linear", "--figures").stdout
    entry, folder = scenario("bicycle/linear"), tmp_path / "out" / "bicycle-linear"
    assert sorted(p.name for p in folder.iterdir()) == ["figures", "report.html"]
    assert len(list((folder / "figures").glob("*.png"))) == len(entry.figures) > 0
    page = (folder / "report.html").read_text(encoding="utf-8")
    for words in (entry.title, entry.citation, "data:image/png;base64,", *(figure.source for figure in entry.figures)):
        assert words in page


def test_a_computed_number_that_does_not_hold_exits_with_1(inside, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    entry = scenario("bicycle/loops")
    spoilt = {key: value + 1e3 for key, value in entry.evaluate().items()}
    monkeypatch.setattr(type(entry), "evaluate", lambda self: spoilt)
    text = inside("run", entry.name, "--no-write", code=1).stdout
    assert f"0 of {len(entry.numbers)} numbers are as the registry says" in text


FAMILIES = sorted({name.partition("/")[0]: name for name in reversed(RUNS)}.values())


@pytest.mark.parametrize("name", [*FAMILIES[:2], *(pytest.param(name, marks=pytest.mark.slow) for name in FAMILIES[2:])])
def test_one_scenario_of_each_family_in_the_real_program(program, work: Path, name: str) -> None:  # type: ignore[no-untyped-def]
    program("run", name, "--duration", "0.1", "--no-halve", "--out", "here")
    same(work / "here" / "run.nc", scenario(name).run(duration=0.1))


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_every_scenario_in_full(program, work: Path, name: str) -> None:  # type: ignore[no-untyped-def]
    program("run", name, "--no-halve", "--out", "here", "--figures")
    same(work / "here" / "run.nc", scenario(name).run())


def test_changes_reach_the_run(program, work: Path) -> None:  # type: ignore[no-untyped-def]
    done = program(
        "run", "bicycle/E3", "--duration", "0.5", "--step", "0.002", "--out", "x", "--json",
        "--set", "speed=5", "--set", "c=0.09", "--set", "steer_torque=0.3*sin(t)", "--set", "start.roll=pi/60",
        "--set", "stepper=abm4",
    )  # fmt: skip
    found = json.loads(done.stdout)
    run = scenario("bicycle/E3").run(
        duration=0.5,
        step=0.002,
        start={"speed": 5.0, "roll": np.pi / 60},
        parameters={"c": 0.09},
        inputs={"steer_torque": "0.3*sin(t)"},
        stepper="abm4",
    )
    same(work / "x" / "run.nc", run)
    assert found["numbers"] == []  # a changed run is not compared with the source
    assert found["final"]["roll"] == run["roll"][-1]
    assert found["settings"]["stepper"] == "abm4" and found["audit"]["work"]["steer_drive"] != 0.0


@pytest.mark.slow
def test_a_run_that_ends_early_exits_with_1_and_still_reports(program, work: Path) -> None:  # type: ignore[no-untyped-def]
    done = program("run", "bicycle/E3", "--set", "speed=1e200", "--out", "x", "--json", code=1)
    found = json.loads(done.stdout)
    assert not found["ok"] and "not a number" in found["status"]
    assert (work / "x" / "report.html").exists()


def test_writing_is_optional(program, work: Path) -> None:  # type: ignore[no-untyped-def]
    found = json.loads(program("run", "bicycle/E1", "--no-write", "--json").stdout)
    assert found["folder"] is None and list(work.iterdir()) == []


@pytest.mark.slow
def test_reproduce_one_scenario(program, work: Path) -> None:  # type: ignore[no-untyped-def]
    found = json.loads(program("reproduce", "bicycle/E2", "--out", "page.html", "--json").stdout)
    (entry,) = found["scenarios"]
    assert entry["wrong"] == 0 and entry["differ"] == 1 and entry["figures"] == len(scenario("bicycle/E2").figures)
    origins = [number["origin"] for number in entry["numbers"]]
    assert set(origins) == {"printed in the source", "computed by us"}
    assert entry["printed"] + entry["differ"] == origins.count("printed in the source")
    assert entry["computed"] == origins.count("computed by us") and entry["agree"] == entry["printed"] + entry["computed"]
    page = (work / "page.html").read_text(encoding="utf-8")
    assert f"printed in the source {entry['printed']} agree" in page and "computed by us: " in page
    assert "differs because" in page and "fig. 2.10" in page and "data:image/png;base64," in page
    assert not re.search(r'(src|href)="(?!data:|#)', page)


def test_reproduce_selects_by_name_by_family_and_by_author() -> None:
    everything = {entry.name for entry in scenarios()}
    assert {entry.name for entry in select("all")} == everything
    assert {entry.name for entry in select("bicycle/E3")} == {"bicycle/E3"}
    family = {entry.name for entry in select("bicycle")}
    assert family == {name for name in everything if name.startswith("bicycle/")}
    assert select("genot") == select("Génot") == select("GENOT") != ()
    by_author = {entry.name for entry in select("meijaard")}
    assert "bicycle/linear" in by_author and by_author < everything


WRONG = """
import sys
from locomotor.cli import main
from locomotor.scenarios import Computation, Number, register
register(Computation("made/up", "A wrong number", "nobody", compute=lambda: {"answer": 41.0}, numbers=(
    Number("answer", 42.0, 0.5, "because", "a source"),)))
sys.argv = ["locomotor", "reproduce", "made/up", "--out", "page.html"]
main()
"""


def test_a_number_that_is_not_reproduced_exits_with_1(home, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    command = [sys.executable, "-c", WRONG]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=tmp_path, env=home, check=False)
    assert done.returncode == 1, done.stderr
    assert "made/up, answer: expected 42 within 0.5, found 41" in done.stdout
    assert "not reproduced" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_demo(program, work: Path) -> None:  # type: ignore[no-untyped-def]
    text = program("demo").stdout
    assert re.search(r"final speed +4\.622\d m/s \(published: 4\.622 m/s\)", text)
    for word in ("roll rate (rad/s)", "energy drift", "contact residual", "wall time"):
        assert word in text
    assert sorted(p.name for p in (work / "out").iterdir()) == ["bicycle-E3.nc", "bicycle-E3.png"]
    assert lm.load(work / "out" / "bicycle-E3.nc").status.ok


@pytest.mark.skipif(find_spec("jupyter_threejs_sage") is None, reason="the extra [view] is not installed")
@pytest.mark.slow
def test_view_writes_one_page(program, work: Path) -> None:  # type: ignore[no-untyped-def]
    run = lm.simulate(lm.catalogue.bicycle(), duration=0.5, start={"speed": 4.6}, step=0.01)
    run.save(work / "run.nc")
    text = program("view", "run.nc", "--no-browser").stdout
    assert "run.html" in text and "MB" in text
    assert "<canvas" in (work / "run.html").read_text(encoding="utf-8")


def test_a_live_page_gets_gaits_scenarios_and_keys(inside, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    asked: list[dict[str, Any]] = []
    done: list[str] = []

    @contextmanager
    def working(what: str) -> Iterator[None]:
        done.append(what)
        yield
        done.append("ready")

    monkeypatch.setattr("locomotor.commands.view.working", working)
    monkeypatch.setattr(
        "locomotor.commands.view.LiveView", lambda system, **options: asked.append({"system": system, **options})
    )
    monkeypatch.setattr("locomotor.commands.view.show", lambda page, browser: done.append("shown"))
    inside("view", "snakeboard", "--gait", "park")
    inside("view", "bicycle/E3")
    inside("view", "bicycle", "--set", "speed=5")
    # What it takes time for is told until the page is there, not while it is looked at.
    names = ("snakeboard", "bicycle_mauny2018", "bicycle_meijaard2007")
    assert done == [word for name in names for word in (f"making {name} ready", "ready", "shown")]
    board, scenario_page, bike = asked
    assert board["first"] == "park" and {"snakeboard/drive", "snakeboard/rotate"} <= board["scenarios"].keys()
    assert board["riding"] is None and list(board["gaits"]) == ["drive", "rotate", "park"]
    assert scenario_page["first"] == "bicycle/E3" and scenario_page["scenarios"]["bicycle/E3"]["start"] == {
        "speed": 4.6,
        "roll_rate": 0.5,
    }
    assert scenario_page["riding"] is lm.catalogue.ready("bicycle").riding
    assert bike["first"] == "" and bike["start"] == {"speed": 5.0} and "xH" in bike["scenarios"]["bicycle/E3"]["parameters"]


@pytest.mark.slow
def test_figures_show_the_run_that_was_asked_for(inside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    """Figures that compare variations take the user's duration and step: with their own, a tiny step would never end."""
    durations = []
    entry = type(scenario("bicycle/E3"))
    original = entry.run

    def run(self: Any, **overrides: Any) -> lm.Run:
        durations.append((overrides["duration"], overrides["step"], overrides.get("stepper")))
        return original(self, **overrides)

    monkeypatch.setattr(entry, "run", run)
    inside("run", "bicycle/E3", "--duration", "0.02", "--step", "0.002", "--no-halve", "--out", "x", "--figures")
    assert len(durations) > 1 and {pair[:2] for pair in durations} == {(0.02, 0.002)}
    assert "abm4" in {pair[2] for pair in durations}  # what a figure varies stays its own


@pytest.mark.slow
def test_another_report_leaves_no_figures_of_the_one_before(inside, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    figures = tmp_path / "x" / "figures"
    figures.mkdir(parents=True)
    for name in ("77-curves.png", "mine.png"):
        (figures / name).write_bytes(b"old")
    inside("run", "bicycle/E1", "--duration", "0.02", "--no-halve", "--out", "x", "--figures")
    names = {file.name for file in figures.iterdir()}
    assert "77-curves.png" not in names and "mine.png" in names and len(names) > 2


def test_a_run_that_ends_early_says_so_once(inside) -> None:  # type: ignore[no-untyped-def]
    done = inside("run", "bicycle/E3", "--set", "speed=1e200", "--no-write", code=1)
    assert done.stderr == "" and "not a number" in done.stdout
    # What blew up is trusted in no digit, whatever its first samples look like.
    assert "FAILED" in done.stdout and "15 digits" not in done.stdout


def test_a_fall_is_a_result(inside) -> None:  # type: ignore[no-untyped-def]
    fall = ("--set", "speed=1", "--set", "roll_rate=2", "--duration", "5", "--step", "0.01")
    done = inside("run", "bicycle/E3", *fall, "--no-write")
    assert done.stderr == "" and "jackknifed at t = 0.4266" in done.stdout


def test_stability_tells_units_and_what_is_neutral(inside) -> None:  # type: ignore[no-untyped-def]
    done = inside("stability", "trikke", "--against", "speed=1:3:3")
    head, first = done.stdout.splitlines()[:2]
    assert head.startswith("speed (m/s)") and "mode 1 (1/s)" in head and first.split()[-1] == "neutral"
    shifted = inside("stability", "bicycle", "--set", "w=1.1", "--against", "speed=4:6:3").stdout
    assert "stable from speed = 4.43" in shifted and "m/s" in shifted


def test_completion_offers_only_what_runs() -> None:
    from locomotor.commands.complete import run_names, system_names

    assert "bicycle/E3" in run_names("bicycle") and "bicycle/linear" not in run_names("bicycle")
    assert "bicycle/linear" not in system_names("bicycle")
