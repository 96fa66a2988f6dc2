"""`locomotor sweep`: a file, a summary, and every way to be wrong."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
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
    assert "12 points: 12 ok" in again.stdout and "written: sweep.nc, sweep.png" in again.stdout
    assert (tmp_path / "sweep.png").read_bytes().startswith(b"\x89PNG")


def test_a_heat_map_over_two_axes_and_a_curve_over_one(tmp_path: Path) -> None:
    """Colours and lines are those of the numbers, points that failed are left out."""
    from locomotor.errors import ViewingError
    from locomotor.viewing.plots import plot_sweep

    growth = np.arange(6.0).reshape(3, 2)
    status = np.zeros((3, 2), int)
    status[0, 0] = 1
    axes = {"speed": [1.0, 2.0, 3.0], "c": [0.1, 0.2]}
    found = xarray.Dataset({"growth": (("speed", "c"), growth), "status": (("speed", "c"), status)}, axes)
    panel = plot_sweep(found, tmp_path / "map.png").axes[0]
    shown = panel.collections[0].get_array().reshape(2, 3).T
    assert np.ma.getmaskarray(shown)[0, 0] or np.isnan(shown[0, 0])
    np.testing.assert_array_equal(shown[1:], growth[1:])
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("speed", "c")
    (line,) = plot_sweep(found.isel(c=1), tmp_path / "curve.png").axes[0].lines
    np.testing.assert_array_equal(line.get_xydata(), np.stack([axes["speed"], growth[:, 1]], axis=-1))
    with pytest.raises(ViewingError, match="over 3 axes is not drawn"):
        plot_sweep(found.expand_dims(a=[1.0, 2.0]))


def test_a_picture_of_a_sweep_tells_what_it_shows(tmp_path: Path) -> None:
    """Names of one letter come with their meaning; yes and no have two colours; the bar of colours marks the zero."""
    from locomotor.viewing.plots import plot_sweep

    over = ("speed", "c")
    axes = {
        "speed": ("speed", [1.0, 2.0, 3.0], {"units": "m/s", "description": "forward velocity in body axes"}),
        "c": ("c", [0.1, 0.2], {"units": "m", "description": "trail"}),
    }
    growth = np.array([[1.0, 2.0], [-1.0, 1.0], [-2.0, -3.0]])
    found = xarray.Dataset(
        {
            "growth": (over, growth, {"units": "1/s", "description": "largest real part"}),
            "stable": (over, (growth < 0.0).astype(float), {"units": "1"}),
            "status": (over, np.zeros((3, 2), int)),
        },
        axes,
    )
    first, second, bar, answers = plot_sweep(found, tmp_path / "map.png").axes
    assert (second.get_xlabel(), first.get_ylabel()) == ("speed (m/s)", "trail c (m)")
    assert first.get_title(loc="left") == "largest real part"
    assert any(list(line.get_ydata()) == [0.0, 0.0] for line in bar.lines)
    assert second.collections[0].cmap.N == 2 and [t.get_text() for t in answers.get_yticklabels()] == ["0", "1"]
    curves = plot_sweep(found.isel(c=0), tmp_path / "curve.png").axes
    assert list(curves[1].get_yticks()) == [0.0, 1.0]


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
