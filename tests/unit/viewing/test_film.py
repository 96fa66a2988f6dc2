"""Pictures and films of a run, made without a browser; read back with Pillow and with ffmpeg's own frame counter."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence

import locomotor as lm
from locomotor.errors import MissingExtraError, ViewingError
from locomotor.viewing.film import film


@pytest.fixture(scope="module")
def run() -> lm.Run:
    board = lm.catalogue.snakeboard()
    return lm.simulate(board, 1.0, motions=lm.catalogue.gait("snakeboard", "drive"))


def test_a_picture_at_an_instant(run: lm.Run, tmp_path: Path) -> None:
    images = []
    for time in (0.0, 1.0):
        made = run.to_png(tmp_path / f"at_{time}.png", time, size=(240, 160))
        with Image.open(made) as opened:
            assert opened.size == (240, 160) and opened.format == "PNG"
            images.append(np.asarray(opened.convert("RGB"), dtype=float))
    assert np.abs(images[1] - images[0]).max() > 60.0  # the rotor has turned by 0.6 rad
    assert (np.ptp(images[0], axis=2) > 60).mean() > 0.02  # something with a colour is in it


def test_a_picture_of_an_instant_names_its_file(run: lm.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run.to_png("given.png", 0.5, size=(60, 40))
    made = run.to_png(0.5, size=(60, 40))
    assert made.name == "snakeboard-0.5s.png"
    assert made.read_bytes() == Path("given.png").read_bytes()


def test_a_gif_plays_as_long_as_the_run(run: lm.Run, tmp_path: Path) -> None:
    made = run.to_video(tmp_path / "ride.gif", size=(120, 80), rate=5)
    with Image.open(made) as opened:
        pauses = [frame.info["duration"] for frame in ImageSequence.Iterator(opened)]
        frames = [np.asarray(frame.convert("RGB"), dtype=float) for frame in ImageSequence.Iterator(opened)]
        shown = {colour for frame in ImageSequence.Iterator(opened) for _, colour in frame.convert("RGB").getcolors(120 * 80)}
    assert len(frames) == 6 and pauses[0] == 200
    assert len(shown) <= 128  # one palette for all: no colour flickers from picture to picture
    assert np.abs(frames[-1] - frames[0]).max() > 40.0
    for frame in frames:  # neither tiny nor cut off
        on = np.ptp(frame, axis=2) > 60
        rows, columns = np.flatnonzero(on.any(axis=1)), np.flatnonzero(on.any(axis=0))
        assert max(np.ptp(rows) / 80, np.ptp(columns) / 120) > 0.6
        assert rows[0] > 0 and rows[-1] < 79 and columns[0] > 0 and columns[-1] < 119


def test_speed_makes_a_film_shorter(run: lm.Run, tmp_path: Path) -> None:
    with Image.open(run.to_video(tmp_path / "fast.gif", size=(64, 48), rate=5, speed=2.5)) as opened:
        assert getattr(opened, "n_frames", 1) == 3


def test_pictures_are_as_even_as_the_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rate that is no multiple of the step: no picture stands still, none jumps."""
    wheel = lm.simulate(lm.catalogue.unicycle(), 2.0, motions={"left_wheel": "10*t", "right_wheel": "10*t"}, step=0.005)
    monkeypatch.setattr("locomotor.viewing.film.frames.painted", lambda scene, poses, **_: poses[0].translation[0])
    places = np.array(list(film(wheel, (64, 48), 12.0)))
    gone = np.diff(places) / (wheel["x"][-1] / 2.0)  # seconds between the pictures, by how far it comes in them
    assert len(places) == 25 and np.abs(gone - 1.0 / 12.0).max() < 0.0051  # half a step at both ends


@pytest.mark.slow
def test_an_mp4_holds_every_frame(run: lm.Run, tmp_path: Path) -> None:
    reader = pytest.importorskip("imageio_ffmpeg", reason="imageio-ffmpeg is not installed: pip install 'locomotor[video]'")
    made = run.to_video(tmp_path / "ride.mp4", size=(160, 100), rate=10)
    frames, seconds = reader.count_frames_and_secs(str(made))
    assert frames == 11 and seconds == pytest.approx(1.1, abs=0.11)


def test_what_cannot_be_written_is_told(run: lm.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for call, message in (
        (lambda: run.to_video(tmp_path / "ride.avi"), r"writes \.gif and \.mp4"),
        (lambda: run.to_video(tmp_path / "ride.gif", rate=-1), "rate"),
        (lambda: run.to_video(tmp_path / "ride.gif", size=(3, 3)), "size of a picture"),
        (lambda: run.to_video(tmp_path / "ride.gif", rate=1e9), "more than 20000 pictures"),
        (lambda: run.to_png(tmp_path / "a.jpg"), r"ends in \.png"),
        (lambda: run.to_png(tmp_path / "a.png", 7.0), "7 s is not in it"),
    ):
        with pytest.raises(ViewingError, match=message):
            call()
    monkeypatch.setattr("matplotlib.animation.FFMpegWriter.isAvailable", lambda: False)
    monkeypatch.setattr("locomotor.viewing.film.frames.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match="apt-get install ffmpeg"):
        run.to_video(tmp_path / "ride.mp4", size=(64, 48), rate=2)
    assert not list(tmp_path.iterdir())
