"""`locomotor cycle`: found, judged, drawn, swept; and what it says when there is none."""

import csv
import json
from pathlib import Path

import pytest

import locomotor as lm
from locomotor.commands.cycle_words import Judged, judge

HALF = ("--period", "0.3333333333333333", "--symmetry", "yaw=pi - yaw", "--symmetry", "yaw_rate=-yaw_rate", "--step", "0.02")


@pytest.mark.slow
def test_the_climbing_robot_in_words_and_in_a_folder(program, work: Path) -> None:  # type: ignore[no-untyped-def]
    text = program("cycle", "rocr", "--step", "0.02", "--out", "found").stdout
    assert "rocr: a stable cycle" in text and "period    0.666666667 s" in text and "grip_1 at the start" in text
    assert "y +0.19" in text and "yaw_rate" in text and "multiplier" in text
    assert (work / "found" / "cycle.nc").is_file() and (work / "found" / "cycle.html").is_file()
    figures = {file.name for file in (work / "found" / "figures").iterdir()}
    assert figures == {"orbit.png", "curves.png", "multipliers.png", "poincare.png", "modes.png"}


@pytest.mark.parametrize(("name", "size"), [("rimless_wheel", 0.571419), ("compass_walker", 0.58904)])
def test_the_usual_cycle_of_a_walker(inside, name: str, size: float) -> None:  # type: ignore[no-untyped-def]
    found = json.loads(inside("cycle", name, "--json", "--step", "0.01").stdout)
    assert found["verdict"] == "stable" and found["stable"] and found["derivative_differs"] < 1e-4
    real, imaginary = found["multipliers"][0]
    assert abs(complex(real, imaginary)) == pytest.approx(size, abs=1e-4)  # at a step of 10 ms
    assert found["speed"] == pytest.approx(found["displacement"]["forward"] / found["period"])


@pytest.mark.slow
def test_what_is_set_changes_the_cycle(inside) -> None:  # type: ignore[no-untyped-def]
    text = inside("cycle", "rimless_wheel", "--set", "slope=0.1", "--set", "pitch_rate=1.4", "--step", "0.01").stdout
    # The square of the rate after an impact grows as the sine of the slope.
    assert "pitch_rate  1.2906" in text


def test_a_gait_of_the_catalogue(inside) -> None:  # type: ignore[no-untyped-def]
    text = inside("cycle", "two_wheel_platform", "--gait", "parallel_parking").stdout
    assert "nothing on the section is free" in text and "advances  x +0.93" in text
    assert "a neutral cycle" in inside("cycle", "snakeboard", "--gait", "park").stdout


def test_all_cycles_of_a_grid(inside) -> None:  # type: ignore[no-untyped-def]
    grid = ("--grid", "yaw=0:6.283185307179586:4", "--grid", "yaw_rate=-16:16:5")
    text = inside("cycle", "rocr", *HALF, *grid).stdout
    assert "2 cycles, 1 of them stable; period 0.333333 in all" in text
    nowhere = ("--step", "0.02", "--set", "Cv=0", "--grid", "yaw_rate=1000:1001:2")
    assert "no cycle was found" in inside("cycle", "rocr", *nowhere, code=1).stdout


@pytest.mark.slow
def test_families_along_a_parameter(inside, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    start = ("--set", "phase=1.6", "--set", "yaw=7.06", "--set", "yaw_rate=-7.2")
    text = inside("cycle", "rocr", *HALF, *start, "--sweep", "phase=1.3:1.8:5", "--out", "family").stdout
    assert "flip at phase = 1.4" in text and "the range ends at 1.8" in text
    rows = list(csv.DictReader((tmp_path / "family" / "family.csv").open()))
    assert {row["stable"] for row in rows} == {"0", "1"} and (tmp_path / "family" / "family.png").is_file()
    found = json.loads(inside("cycle", "rocr", *HALF, *start, "--sweep", "phase=1.3:1.8:5", "--json").stdout)
    assert [change["kind"] for change in found["changes"]] == ["flip"]
    grid = ("--grid", "yaw=0:6.28:3", "--grid", "yaw_rate=-10:10:3")
    found = json.loads(inside("cycle", "rocr", *HALF, *grid, "--sweep", "phase=1.6:4.7:2", "--json").stdout)
    assert {each["phase"] for each in found["cycles"]} == {1.6, 4.7}


@pytest.mark.parametrize(
    ("arguments", "words", "code"),
    [
        (("rcor",), "did you mean 'rocr'", 2),
        (("bouncing_ball",), "nothing in it repeats by the clock", 2),
        (("snakeboard", "--gait", "drve"), "did you mean 'drive'", 2),
        (("bouncing_ball", "--gait", "fly"), "it has none", 2),
        (("rocr", "--set", "yow=1"), "did you mean 'yaw'", 2),
        (("rocr", "--section", "foot impact"), "no contact that opens is named 'foot'", 2),
        (("rocr", "--symmetry", "yaw"), "write name=expression", 2),
        (("rocr", "--grid", "yaw=1"), "--grid 'yaw=1': write name=low:high", 2),
        (("rocr", "--sweep", "phase=2:1"), "--sweep 'phase=2:1': 2 is not below 1", 2),
        (("rocr", "--step", "0.02", "--sweep", "faze=0:6"), "no parameter is named 'faze'", 2),
        (("rocr", "--step", "0.02", "--set", "Cv=0", "--settle", "0", "--set", "yaw_rate=1e3"), "no cycle", 1),
    ],
)
def test_mistakes_are_one_paragraph(inside, one_paragraph, arguments: tuple[str, ...], words: str, code: int) -> None:  # type: ignore[no-untyped-def]
    assert words in one_paragraph(inside("cycle", *arguments, code=code))


def test_a_derivative_that_misses_a_jump_is_not_believed() -> None:
    cycle = lm.find_cycle(lm.catalogue.rimless_wheel(), {"pitch_rate": 1.5}, section="impact", step=0.01)
    assert judge(cycle).by_differences is None and judge(cycle).verdict == "stable"
    # As if a law jumped on the way without an event.
    from dataclasses import replace

    wrong = replace(cycle, jacobian=cycle.jacobian + 0.5, multipliers=cycle.multipliers + 0.5)
    judged = judge(wrong)
    assert judged.differing == pytest.approx(0.5, abs=1e-3) and judged.verdict == "stable" and not wrong.stable
    assert judged.multipliers[0].real == pytest.approx(cycle.multipliers[0].real, abs=1e-4)
    assert Judged(replace(cycle, multipliers=0.0 * cycle.multipliers + 1.0)).verdict == "neutral"


def test_gaits_are_listed(inside) -> None:  # type: ignore[no-untyped-def]
    lines = inside("list").stdout.splitlines()
    assert any(line.startswith("rocr ") for line in lines)
    assert any(line.startswith("snakeboard ") and "(gaits: drive*, rotate*, park*)" in line for line in lines)
    text = inside("info", "snakeboard").stdout
    assert "rotate  steer  0.3*sin(t)" in text and 'lm.catalogue.gait("snakeboard", "drive")' in text
    assert "holds while sin(2*pi*f*t) > 0" in inside("info", "rocr").stdout


def test_info_as_a_page_with_a_picture(inside, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    assert "written: rocr.html" in inside("info", "rocr", "--out", "rocr.html").stderr
    text = (tmp_path / "rocr.html").read_text(encoding="utf-8")
    assert "data:image/png;base64," in text and "grip_1 (StickingPoint)" in text and "13 parameters" in text
