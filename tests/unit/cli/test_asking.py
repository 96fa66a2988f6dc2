"""Commands that tell something: list, info, stability, doctor, bench, help, completion."""

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

import locomotor as lm
from locomotor import cli
from locomotor.scenarios import Scenario, scenarios

COMMANDS = ("list", "info", "run", "equations", "stability", "cycle", "view", "export", "reproduce", "bench", "doctor", "demo")


def test_help_names_every_command_and_the_exit_codes(program) -> None:  # type: ignore[no-untyped-def]
    text = program("--help").stdout
    assert all(f" {command} " in text for command in COMMANDS)
    assert "Exit codes: 0 all is well" in text and "--install-completion" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(inside, command: str) -> None:  # type: ignore[no-untyped-def]
    assert "Usage: locomotor" in inside(command, "--help").stdout


def test_version(program) -> None:  # type: ignore[no-untyped-def]
    assert program("--version").stdout == f"locomotor {lm.__version__}\n"


def test_list_has_a_line_for_everything(program) -> None:  # type: ignore[no-untyped-def]
    lines = program("list", "--all").stdout.splitlines()
    ready = [*lm.catalogue.systems(), *lm.catalogue.measured()]
    for name in [entry.name for entry in scenarios()] + [entry.name for entry in ready]:
        # Columns are two blanks apart; a name may have one.
        assert sum(line.partition("  ")[0] == name for line in lines) == 1, name


def test_list_hides_computations_and_filters(inside) -> None:  # type: ignore[no-untyped-def]
    text = inside("list", "bicycle").stdout
    assert "bicycle/browser+jason" in text and "bicycle/E3" in text and "bicycle/linear" not in text
    assert "snakeboard" not in text and "are not shown: locomotor list bicycle --all" in text
    assert "bicycle/linear" in inside("list", "bicycle", "--all").stdout
    assert "did you mean 'bicycle'" in inside("list", "bicycl3", code=2).stderr


def test_the_kept_list_is_that_of_the_sources(monkeypatch, tmp_path) -> None:  # type: ignore[no-untyped-def]
    from locomotor.commands import index

    monkeypatch.setenv("LOCOMOTOR_CACHE", str(tmp_path))
    monkeypatch.setattr(index, "SHIPPED", tmp_path / "none.json")
    made = index.index()
    (kept,) = tmp_path.glob("index-*.json")
    kept.write_text(kept.read_text().replace("snakeboard", "snakebored"))
    assert any(entry["name"] == "snakebored" for entry in index.index()["systems"])  # it is read, not made again
    kept.write_text("damaged")
    assert index.index() == made
    monkeypatch.setattr(index, "SOURCES", ("catalogue",))
    assert index.index() == made and [path != kept for path in tmp_path.glob("index-*.json")] == [True]


def test_the_list_of_the_package_serves_until_the_sources_change(monkeypatch, tmp_path) -> None:  # type: ignore[no-untyped-def]
    from locomotor.commands import index

    monkeypatch.setenv("LOCOMOTOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(index, "SHIPPED", tmp_path / "index.json")
    index.ship(index.SHIPPED)
    made = index.made_index()
    monkeypatch.setattr(index, "made_index", lambda: {"systems": [], "scenarios": []})
    assert index.index() == made and not (tmp_path / "cache").exists()  # nothing is made, nothing is kept
    monkeypatch.setattr(index, "sources", lambda: "others")
    assert index.index() == {"systems": [], "scenarios": []}


def test_the_list_of_the_package_is_that_of_these_sources() -> None:
    from locomotor.commands import index

    shipped = json.loads(index.SHIPPED.read_text(encoding="utf-8"))
    assert shipped["sources"] == index.sources(), "run python -m locomotor.commands.index (make validation does)"
    assert {key: shipped[key] for key in ("systems", "scenarios")} == index.made_index()


def test_list_for_scripts(program) -> None:  # type: ignore[no-untyped-def]
    found = json.loads(program("list", "--json").stdout)
    assert {entry["name"] for entry in found["scenarios"]} == {entry.name for entry in scenarios()}
    kinds = {entry["name"]: entry["kind"] for entry in found["scenarios"]}
    assert kinds["bicycle/E3"] == "run" and kinds["bicycle/linear"] == "computation"


def test_a_reader_that_leaves_early_is_no_error(home) -> None:  # type: ignore[no-untyped-def]
    command = f"{sys.executable} -m locomotor list | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False, env=home)
    assert done.stdout.startswith("system") and done.stderr == ""


def test_info_counts_freedoms_and_names_sources(inside) -> None:  # type: ignore[no-untyped-def]
    text = inside("info", "bicycle").stdout
    assert "9 velocities - 6 constraints (rank 6) - 0 imposed = 3 freedoms: roll_rate, steer_rate, rear_wheel_rate" in text
    assert "wheelbase" in text and "[1] Meijaard" in text and "operations of one evaluation" in text
    assert "rear     RollingDisc  rear_disc" in text


def test_info_for_scripts(inside) -> None:  # type: ignore[no-untyped-def]
    found = json.loads(inside("info", "bicycle/E5", "--json").stdout)
    assert found["counts"] == {
        "coordinates": 10, "velocities": 9, "constraints": 6, "rank": 6, "imposed": 0, "freedoms": 3,
    }  # fmt: skip
    values = {entry["name"]: (entry["value"], entry["unit"]) for entry in found["parameters"]}
    assert values["mB"] == (85.0, "kg")


OWN = """
import locomotor as lm

def disc():
    return lm.System(
        "coin",
        bodies=[lm.Body("coin", mass="m", inertia=("m*r**2/4", "m*r**2/2", "m*r**2/4"))],
        joints=[lm.Free(name="base", parent="world", child="coin")],
        contacts=[lm.RollingDisc("edge", body="coin", centre=(0, 0, 0), axis=(0, 1, 0), radius="r")],
        forces=[lm.Gravity()],
        parameters={"m": 0.01, "r": 0.02},
        nominal={"z": "r"},
    )
"""


@pytest.mark.slow
def test_info_of_the_users_own_system(program, inside, work: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    for folder in (work, tmp_path):
        (folder / "mine.py").write_text(OWN)
    assert "= 3 freedoms" in program("info", "mine.py:disc").stdout
    assert "no function 'disk'" in inside("info", "mine.py:disk", code=2).stderr
    assert "no such file" in inside("info", "other.py:disc", code=3).stderr


def test_stability_finds_the_published_band(program, work: Path) -> None:  # type: ignore[no-untyped-def]
    done = program("stability", "bicycle", "--against", "speed=3:7:9", "--out", "st", "--json")
    found = json.loads(done.stdout)
    ((low, high),) = found["stable_bands"]
    # Meijaard et al. 2007, weave and capsize speeds.
    assert low == pytest.approx(4.29238253634111, abs=1e-8) and high == pytest.approx(6.02426201538837, abs=1e-8)
    rows = list(csv.reader(io.StringIO((work / "st" / "eigenvalues.csv").read_text())))
    assert rows[0][:3] == ["speed", "real_1", "imaginary_1"] and len(rows) == 10
    assert [float(row[0]) for row in rows[1:]] == found["values"]
    assert float(rows[1][1]) == found["eigenvalues"][0][0][0]
    assert (work / "st" / "eigenvalues.png").stat().st_size > 10_000


def test_stability_in_words(inside) -> None:  # type: ignore[no-untyped-def]
    text = inside("stability", "bicycle", "--against", "speed=5:6:3").stdout
    assert "stable from speed = 5 to 6" in text
    assert "nowhere stable" in inside("stability", "bicycle", "--against", "speed=1:2:3").stdout


@pytest.mark.slow
def test_doctor_finds_what_is_there(program) -> None:  # type: ignore[no-untyped-def]
    found = {entry["what"]: entry for entry in json.loads(program("doctor", "--json").stdout)["findings"]}
    assert found["numpy"]["found"] and found["Python"]["found"] and "cache" in found and "NVIDIA GPU" in found
    text = program("doctor", LOCOMOTOR_CC="").stdout
    assert "absent" in text and "apt install gcc" in text


@pytest.mark.slow
def test_bench_measures(program) -> None:  # type: ignore[no-untyped-def]
    (found,) = json.loads(program("bench", "bicycle", "--batch", "4", "--json").stdout)
    assert found["operations"] == lm.compile(lm.catalogue.bicycle()).operations
    assert found["step_us"] > 0 and found["batch_us"] > 0


@pytest.mark.slow
def test_shell_completion_knows_the_names(program) -> None:  # type: ignore[no-untyped-def]
    runs = [entry.name for entry in scenarios() if isinstance(entry, Scenario) and entry.name.startswith("bicycle/E")]
    done = program(_LOCOMOTOR_COMPLETE="complete_bash", COMP_WORDS="locomotor run bicycle/E", COMP_CWORD="2")
    assert set(runs) <= set(done.stdout.split())


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
@pytest.mark.slow
def test_progress_is_shown_on_a_terminal_only(program, home, work: Path) -> None:  # type: ignore[no-untyped-def]
    arguments = ("reproduce", "bicycle/E1", "--no-figures", "--json")
    assert program(*arguments).stderr == ""
    keyboard, screen = pty.openpty()
    command = [sys.executable, "-m", "locomotor", *arguments]
    environment = {**home, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=screen, cwd=work, env=environment) as process:
        assert process.stdout is not None
        json.loads(process.stdout.read())  # what a script reads is not disturbed
        assert process.wait(timeout=120) == 0
    os.close(screen)
    shown = b""
    try:
        while part := os.read(keyboard, 65536):
            shown += part
    except OSError:
        pass  # the other end of the terminal is closed
    os.close(keyboard)
    assert b"bicycle/E1" in shown and "━".encode() in shown


def test_help_names_every_target_of_an_export() -> None:
    assert re.split(", | or ", cli.TARGETS) == list(lm.exports.TARGETS)


def test_export_writes_the_equations_in_another_language(inside, tmp_path) -> None:  # type: ignore[no-untyped-def]
    told = inside("export", "snakeboard", "--to", "javascript", "-o", str(tmp_path / "js"), "--set", "speed=1")
    assert "snakeboard.mjs" in told.stdout and "self-check: node snakeboard_check.mjs" in told.stdout
    assert "did you mean 'python'" in inside("export", "snakeboard", "--to", "pyton", code=2).stderr
