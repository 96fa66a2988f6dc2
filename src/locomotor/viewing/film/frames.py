"""A run as pictures and as a film, drawn by our own renderer: no browser, no graphics card, no click.

The picture goes along with a system that travels and stands still with one that stays, as the page does. A .gif is written by
Pillow, an .mp4 by the program ffmpeg: the system's, or that of the package imageio-ffmpeg.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from locomotor import checks
from locomotor.errors import MissingExtraError, ViewingError
from locomotor.files import draft
from locomotor.lie import SE3
from locomotor.simulation import Run
from locomotor.typing import Vector
from locomotor.viewing.scene import Pixels, Playback, View, painted, playback_of, rotate, usual_view

SIZE, RATE = (640, 400), 20.0
"""Pixels and frames a second of a film, unless others are asked for."""
ROAMING = 2.2
"""A motion that takes more room than this many times the system is followed."""
MOST_FRAMES = 20_000
EVERYTHING = 1e6
"""Budget (MB) under which no sample is left out."""
COLOURS, SAMPLES = 128, 4
"""Colours of a .gif, and pictures of it that they are chosen from."""
KINDS = (".gif", ".mp4")
REMEDY = (
    "an .mp4 needs the program ffmpeg, which was not found: pip install 'locomotor[video]', or install ffmpeg (Debian: apt-get "
    "install ffmpeg); a .gif needs nothing"
)


@checks.door(time=checks.optional(checks.number))
def to_png(run: Run, path: str | Path, time: float | None = None, *, size: Any = (960, 600), view: View | None = None) -> Path:
    """Write the picture of a run at an instant (s): the recorded sample nearest to it, the last one unless given."""
    from PIL import Image

    target, (width, height) = Path(path), _size(size)
    if target.suffix.lower() != ".png":
        raise ViewingError(f"to_png writes .png files, not {target.name!r}; give a name that ends in .png, or use to_video")
    first, last = float(run.time[0]), float(run.time[-1])
    when = last if time is None else checks.number(time, "to_png: time", error=ViewingError)
    if not first - 1e-9 <= when <= last + 1e-9:
        raise ViewingError(f"to_png: the run goes from {first:g} to {last:g} s, and {when:g} s is not in it")
    playback = playback_of(run, megabytes=EVERYTHING)
    k = int(np.abs(playback.time - when).argmin())
    strain = playback.largest_strain
    image = painted(playback.scene, _poses(playback, k), view=view, size=(width, height), strain=strain)
    with draft(target) as unfinished:
        Image.fromarray(image).save(unfinished, format="png")
    return target


@checks.door()
def to_video(
    run: Run, path: str | Path, *, size: Any = SIZE, rate: float = RATE, speed: float = 1.0, view: View | None = None
) -> Path:
    """Write a film of a run, .gif or .mp4, with `rate` frames a second, `speed` times as fast as it was."""
    target, (width, height) = Path(path), _size(size)
    rate, speed = (checks.positive(x, f"to_video: {n}", error=ViewingError) for n, x in (("rate", rate), ("speed", speed)))
    kind = target.suffix.lower()
    if kind not in KINDS:
        raise ViewingError(f"to_video writes {' and '.join(KINDS)} files, not {target.name!r}; give a name that ends so")
    seconds = float(run.time[-1] - run.time[0]) / speed
    if seconds * rate > MOST_FRAMES:
        raise ViewingError(
            f"to_video: {seconds:g} s with {rate:g} frames a second are more than {MOST_FRAMES} pictures; lower the rate"
        )
    frames = film(run, (width, height), rate / speed, view)
    program = _ffmpeg() if kind == ".mp4" else ""
    with draft(target) as unfinished:
        if kind == ".gif":
            _gif(frames, unfinished, rate)
        else:
            _mp4(frames, unfinished, rate, (width, height), program)
    return target


def _size(size: Any) -> tuple[int, int]:
    pair = checks.entries(size, "the size of a picture", "give width and height in pixels, such as (640, 400)", ViewingError)
    if len(pair) != 2:
        raise ViewingError(
            f"the size of a picture is {checks.shown(size)}; give width and height in pixels, such as (640, 400)"
        )
    width, height = (checks.whole(n, "the size of a picture", least=16, most=8192, error=ViewingError) for n in pair)
    return width - width % 2, height - height % 2  # films have even sides


def film(run: Run, size: tuple[int, int], rate: float, view: View | None = None) -> Iterator[Pixels]:
    """The pictures of a run, so many for each second of it."""
    playback = playback_of(run, megabytes=np.inf, every=1.0 / rate)
    around, whole = playback.extent.around, playback.extent.whole
    view = view or usual_view(around[0], around[1], playback.scene.up)
    axes = view.axes(playback.scene.up)
    stays = float(np.linalg.norm(np.ptp(whole, axis=0))) < ROAMING * float(np.linalg.norm(np.ptp(around, axis=0)))
    centre = np.zeros_like(playback.centre, dtype=float) if stays else playback.centre.astype(float)
    low, high = _held(playback, axes, centre)
    wanted = playback.time[0] + np.arange(int((playback.time[-1] - playback.time[0]) * rate + 1e-9) + 1) / rate
    for k in (np.abs(playback.time - instant).argmin() for instant in wanted):
        middle = centre[k] @ axes.T
        sides, strain = (low + middle, high + middle), playback.largest_strain
        yield painted(playback.scene, _poses(playback, int(k)), view=view, size=size, sides=sides, strain=strain)


def _held(playback: Playback, axes: Vector, centre: Vector) -> tuple[Vector, Vector]:
    """Lowest and highest place, in the axes of the picture, that a body comes to over the whole film, from the centre."""
    found = [
        (
            playback.poses[:, i, 0:3].astype(float)
            + rotate(playback.poses[:, i, 3:7].astype(float), np.array([x, y, z]))
            - centre
        )
        @ axes.T
        for i, body in enumerate(playback.scene.bodies)
        if body.box is not None
        for x in body.box[:, 0]
        for y in body.box[:, 1]
        for z in body.box[:, 2]
    ]
    half = 0.5 * playback.scene.size
    cloud = np.concatenate(found or [np.full((1, 3), -half), np.full((1, 3), half)])
    cloud = cloud[np.isfinite(cloud).all(axis=1)]
    return cloud.min(axis=0), cloud.max(axis=0)


def _poses(playback: Playback, k: int) -> list[SE3]:
    """Poses of all bodies at a sample."""
    return [SE3(_matrix(row[3:7].astype(float)), row[0:3].astype(float)) for row in playback.poses[k]]


def _matrix(q: Vector) -> Vector:
    return np.stack([rotate(q, e) for e in np.eye(3)], axis=1)


def _gif(frames: Iterator[Pixels], path: Path, rate: float) -> None:
    from PIL import Image

    pictures = [Image.fromarray(frame) for frame in frames]
    # One palette for all: colours do not flicker, and what stands still has the same numbers in every picture.
    width, height = pictures[0].size
    sample = Image.new("RGB", (width, SAMPLES * height))
    for place in range(SAMPLES):
        sample.paste(pictures[place * (len(pictures) - 1) // (SAMPLES - 1)], (0, place * height))
    palette = sample.quantize(COLOURS, dither=Image.Dither.NONE)
    first, *others = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    # The format counts hundredths of a second, and viewers do not go below two of them.
    pause = max(20, 10 * round(100.0 / rate))
    first.save(path, format="gif", save_all=True, append_images=others, duration=pause, loop=0, optimize=False)


def _ffmpeg() -> str:
    """The program, or an error that says how to get it."""
    from matplotlib import animation

    if animation.FFMpegWriter.isAvailable():
        return "ffmpeg"
    if find_spec("imageio_ffmpeg") is None:
        raise MissingExtraError(REMEDY)
    from imageio_ffmpeg import get_ffmpeg_exe

    return str(get_ffmpeg_exe())


def _mp4(frames: Iterator[Pixels], path: Path, rate: float, size: tuple[int, int], program: str) -> None:
    from matplotlib import animation, rc_context
    from matplotlib.figure import Figure

    dpi = 100.0
    figure = Figure(figsize=(size[0] / dpi, size[1] / dpi), dpi=dpi)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    shown = axes.imshow(np.full((size[1], size[0], 3), 255, dtype=np.uint8), interpolation="none", aspect="auto")
    writer = animation.FFMpegWriter(fps=rate, codec="libx264", extra_args=["-f", "mp4", "-pix_fmt", "yuv420p", "-crf", "20"])  # type: ignore[arg-type]
    with rc_context({"animation.ffmpeg_path": program}), writer.saving(figure, str(path), dpi):
        for frame in frames:
            shown.set_data(frame)
            writer.grab_frame()
