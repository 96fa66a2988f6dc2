"""`locomotor sweep`: a file, a summary, and every way to be wrong."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import xarray


def test_a_chart_of_stability(inside: Callable[..., Any], tmp_path: Path) -> None:
    arguments = ("sweep", "bicycle", "--over", "speed=4:6.5:6", "--over", "c=0.06,0.08", "--workers", "1")
    done = inside(*arguments, "--executor", "threads", "--json")
    facts = json.loads(done.stdout)
    assert facts["points"] == 12 and facts["status"] == {"ok": 12}
    with xarray.open_dataset(tmp_path / "sweep.nc", engine="h5netcdf") as found:
        assert facts["measures"]["growth"]["least"] == float(found["growth"].min())
        assert found["stable"].dims == ("speed", "c")
    again = inside(*arguments)
    assert "12 points: 12 ok" in again.stdout and "written: sweep.nc" in again.stdout


def test_measures_of_a_simulation(inside: Callable[..., Any]) -> None:
    measures = ("--measure", "lean=maximum:abs(roll)", "--measure", "way=final:x")
    settings = ("--duration", "0.5", "--dt", "0.01", "--start", "roll_rate=0.2", "--samples", "sobol:4", "--seed", "1")
    done = inside("sweep", "bicycle", "--over", "speed=3:6", *measures, *settings, "--workers", "1", "--json")
    facts = json.loads(done.stdout)
    assert facts["points"] == 4 and 1.0 < facts["measures"]["way"]["least"] < facts["measures"]["way"]["most"] < 3.1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--over", "speed=1:2"], "write name=low:high:count"),
        (["--over", "speed=1:2:3", "--samples", "sobol:4"], "write name=low:high, for instance"),
        (["--over", "speed=1:2:x"], "write name=low:high:count"),
        (["--over", "sped=1:2:3"], "did you mean 'speed'"),
        (["--over", "speed=1:2:3", "--measure", "lean=maximal:roll"], "did you mean 'maximum'"),
        (["--over", "speed=1:2:3", "--measure", "lean"], "write stability alone"),
        (["--over", "speed=1:2:3", "--duration", "3"], "--duration and --dt are for measures of a simulation"),
        (["--over", "speed=1:2:3", "--measure", "lean=maximum:roll"], "duration is missing"),
        (["--over", "speed=1:2:3", "--start", "roll"], "write name=value"),
        (["--over", "speed=1:2", "--samples", "many"], "write sobol:count"),
        (["--over", "speed=1:2:3", "--executor", "rai"], "did you mean 'ray'"),
    ],
)
def test_mistakes_are_one_sentence(
    inside: Callable[..., Any], one_paragraph: Callable[..., str], arguments: list[str], said: str
) -> None:
    assert said in one_paragraph(inside("sweep", "bicycle", *arguments, code=2))
