"""Plots carry the names, symbols and units of the run's channels, and lose no peak when they are thinned."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import locomotor as lm
from locomotor.errors import RunFileError, UnknownNameError
from locomotor.simulation import Event, Outcome
from locomotor.simulation.records.run import Channel
from locomotor.viewing.plots.plot import KINDS, by_unit, default_channels
from locomotor.viewing.plots.style import MOST_POINTS, thin, thin_path, unit_text


@pytest.fixture(scope="module")
def run() -> lm.Run:
    return lm.simulate(
        lm.catalogue.bicycle(),
        duration=2.0,
        start={"speed": 4.6, "roll_rate": 0.5},
        step=0.005,
        inputs={"rear_wheel_torque": 2.0},
    )


def texts(figure: Figure) -> str:
    """Everything written on a figure."""
    found = [text.get_text() for text in figure.findobj(Text)]
    return "\n".join(text for text in found if text.strip())


def made(n: int, **channels: np.ndarray) -> lm.Run:
    """A run of given channels, all in metres."""
    return lm.Run(
        name="made",
        time=np.linspace(0.0, 1.0, n),
        channels=channels,
        about={name: Channel("m", name, f"channel {name}", "coordinates") for name in channels},
        status=lm.Status(Outcome.COMPLETED, 1.0),
    )


def test_labels_come_from_the_table_of_channels(run: lm.Run, tmp_path: Path) -> None:
    figure = run.plot("roll_rate", "steer_rate", "speed", path=tmp_path / "a.png")
    words = texts(figure)
    assert r"roll rate $\Omega_x$" in words and r"steer rate $\dot{\delta}$" in words  # two curves share a legend
    assert "speed\n$V_x$ (m/s)" in words and "rad/s" in words and "time $t$ (s)" in words
    assert len(figure.axes) == 2
    assert (tmp_path / "a.png").stat().st_size > 10_000


def test_units_are_typeset() -> None:
    assert unit_text("kg m^2") == "kg m$^{2}$" and unit_text("m/s^2") == "m/s$^{2}$" and unit_text("1") == ""


def test_curves_that_would_flatten_each_other_get_panels_of_their_own(run: lm.Run) -> None:
    # Wheels turn at 13 and 15 rad/s; the roll rate is below 1.
    panels = by_unit(run, ["roll_rate", "rear_wheel_rate", "steer_rate"])
    assert panels == [["roll_rate", "steer_rate"], ["rear_wheel_rate"]]


def test_without_names_what_moves_is_drawn(run: lm.Run) -> None:
    found = default_channels(run)
    assert {"speed", "roll_rate", "steer_rate", "roll", "yaw", "steer"} <= set(found)
    assert not {"qw", "qx", "rear_wheel", "sway_speed"} & set(found)


def test_unknown_channel_suggests_the_nearest(run: lm.Run) -> None:
    with pytest.raises(UnknownNameError, match=r"roll_rat'.*did you mean 'roll_rate'"):
        run.plot("roll_rat")
    with pytest.raises(UnknownNameError, match="did you mean 'forces'"):
        run.plot(kind="force")
    with pytest.raises(UnknownNameError, match="needs two channels"):
        run.plot("roll", kind="plane")


def test_a_kind_is_one_entry_of_the_table(run: lm.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the table holds is drawn, and offered where a name is misspelt."""
    monkeypatch.setitem(KINDS, "strip", lambda run, names, path, **options: (run.name, names, path, options))  # type: ignore[index]
    assert run.plot("roll", kind="strip", path="a.png", width=2) == (run.name, ("roll",), "a.png", {"width": 2})
    with pytest.raises(UnknownNameError, match="did you mean 'strip'"):
        run.plot(kind="stripe")


def test_events_are_marked(run: lm.Run) -> None:
    marked = lm.Run(**{**vars(run), "events": (Event(0.7, "touch-down", "it lands"),)})
    figure = marked.plot("roll", path=None)
    assert "touch-down" in texts(figure)
    lines = [line for axis in figure.axes for line in axis.lines if list(line.get_xdata()) == [0.7, 0.7]]
    assert len(lines) == 1


@pytest.mark.parametrize("kind", ["curves", "top", "side", "energy", "forces"])
def test_every_kind_is_written(run: lm.Run, tmp_path: Path, kind: str) -> None:
    file = tmp_path / f"{kind}.svg"
    figure = run.plot(kind=kind, path=file)
    assert file.read_text(encoding="utf-8").lstrip().startswith("<?xml")
    assert texts(figure)


def test_phase_plane(run: lm.Run, tmp_path: Path) -> None:
    figure = run.plot("roll", "roll_rate", kind="plane", path=tmp_path / "plane.png")
    assert r"roll $\phi$ (rad)" in texts(figure) and r"roll rate $\Omega_x$ (rad/s)" in texts(figure)


def test_energy_plot_shows_the_work(run: lm.Run, tmp_path: Path) -> None:
    assert "work done" in texts(run.plot(kind="energy", path=tmp_path / "energy.png"))


def test_plotting_changes_no_setting_of_the_user(run: lm.Run, tmp_path: Path) -> None:
    before = dict(mpl.rcParams)
    run.plot("roll", path=tmp_path / "a.png")
    assert dict(mpl.rcParams) == before


def test_unwritable_place_is_an_error_and_leaves_nothing(run: lm.Run, tmp_path: Path) -> None:
    with pytest.raises(RunFileError, match="cannot write"):
        run.plot("roll", path=tmp_path / "missing" / "a.png")
    assert list(tmp_path.iterdir()) == []


# -- thinning -----------------------------------------------------------------------------------------


def test_thinning_keeps_every_peak(rng: np.random.Generator) -> None:
    values = rng.normal(size=1_000_000)
    values[123_456], values[765_432] = 50.0, -60.0
    time, kept = thin(np.arange(values.size, dtype=float), values)
    assert len(kept) <= MOST_POINTS + 1
    assert kept.max() == 50.0 and kept.min() == -60.0
    assert time[0] <= values.size / MOST_POINTS * 2 and time[-1] == values.size - 1
    assert (np.diff(time) >= 0).all()
    assert (values[time.astype(int)] == kept).all()


def test_thinning_leaves_short_curves_alone() -> None:
    time = np.linspace(0.0, 1.0, MOST_POINTS)
    assert thin(time, time)[1] is time
    x, y = thin_path(np.arange(10.0**5), np.zeros(10**5))
    assert len(x) == MOST_POINTS == len(y) and x[0] == 0.0 and x[-1] == 10**5 - 1


def test_thinning_shows_what_is_not_finite() -> None:
    values = np.zeros(100_000)
    values[-1] = np.inf
    assert np.isinf(thin(np.arange(1e5), values)[1][-1])


def test_a_million_samples_are_saved_read_and_drawn(tmp_path: Path) -> None:
    n = 1_000_001
    time = np.linspace(0.0, 1.0, n)
    run = made(n, a=np.sin(300.0 * time), b=np.where(np.arange(n) == 777_777, 9.0, 0.0))
    read = lm.load(run.save(tmp_path / "run.nc"))
    assert np.array_equal(read["a"], run["a"])
    figure = read.plot("a", "b", path=tmp_path / "a.png")
    drawn = [line.get_ydata() for axis in figure.axes for line in axis.lines]
    assert max(len(y) for y in drawn) <= MOST_POINTS + 1
    assert max(y.max() for y in drawn) == 9.0  # the one sample that sticks out
