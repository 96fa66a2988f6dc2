"""The moving picture at the top of README and site: `python docs/images/moving.py` writes moving.gif beside this file.

Four systems of the catalogue, each run by the library and painted by its own renderer; nothing is drawn by hand.
"""

import math
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import locomotor as lm
from locomotor.viewing.film import film
from locomotor.viewing.scene import View

HERE = Path(__file__).resolve().parent
TILE = (310, 186)
CAPTION = 20
FRAMES, RATE = 36, 12
"""Pictures of the film, and how many of them a second."""
COLOURS = 160


def bicycle() -> lm.Run:
    """A bicycle that nobody rides is pushed, and rights itself."""
    return lm.simulate(lm.catalogue.bicycle("meijaard2007"), 3.0, start={"speed": 4.6, "roll_rate": 1.2}, step=0.005)


def snakeboard() -> lm.Run:
    """Rotor and axles turn to and fro, and the board goes ahead: one period."""
    gait = {"steer": "0.5*sin(2*pi*t/3)", "rotor": "1.2*sin(2*pi*t/3)"}
    run = lm.simulate(lm.catalogue.snakeboard(), 9.0, motions=gait, step=0.005)
    return tail(run, 3.0)


def walker() -> lm.Run:
    """Two steps of the simplest walker, down a slope and without a motor: the same again and again."""
    ready = lm.catalogue.ready("compass_walker")
    arguments = dict(ready.cycle)
    gait = lm.find_cycle(ready.make(), arguments.pop("guess"), **arguments)
    return lm.simulate(ready.make(), 2.0 * gait.period, start=gait.start, closed=gait.closed, step=0.01)


def climber() -> lm.Run:
    """ROCR climbs a wall: two grips hold in turn while a tail swings."""
    cycle = lm.find_cycle(lm.catalogue.rocr(phase=1.5 * math.pi))
    return lm.simulate(cycle.system, 2.0 * cycle.period, start=cycle.start, closed=cycle.closed, step=0.002)


def tail(run: lm.Run, seconds: float) -> lm.Run:
    """The last seconds of a run."""
    from dataclasses import replace

    n = int(np.searchsorted(run.time, run.time[-1] - seconds))
    return replace(run, time=run.time[n:], channels={name: values[n:] for name, values in run.channels.items()})


SCENES = (
    (bicycle, "bicycle: pushed, it rights itself", View(0.5, 0.2)),
    (snakeboard, "snakeboard: wriggles ahead", View(0.75, 0.45)),
    (walker, "walker: a slope and no motor", View(0.25, 0.15)),
    (climber, "ROCR: climbs by swinging its tail (slowed)", View(0.0, 0.15)),
)


def tiles(run: lm.Run, view: View) -> list[Image.Image]:
    """The pictures of one run, evenly over its length."""
    rate = FRAMES / float(run.time[-1] - run.time[0])
    return [Image.fromarray(frame) for frame in film(run, TILE, rate, view)][:FRAMES]


def main() -> Path:
    """Run, paint, put together, write."""
    font = ImageFont.load_default(size=13)
    shown = [(tiles(make(), view), words) for make, words, view in SCENES]
    width, height = 2 * TILE[0] + 2, 2 * (TILE[1] + CAPTION)
    frames = []
    for k in range(FRAMES):
        sheet = Image.new("RGB", (width, height), "white")
        draw = ImageDraw.Draw(sheet)
        for place, (pictures, words) in enumerate(shown):
            x, y = (place % 2) * (TILE[0] + 2), (place // 2) * (TILE[1] + CAPTION)
            sheet.paste(pictures[min(k, len(pictures) - 1)], (x, y))
            draw.text((x + TILE[0] // 2, y + TILE[1] + CAPTION // 2), words, fill="#22282d", font=font, anchor="mm")
        frames.append(sheet)
    # One palette for all: it is stored once, and what does not move has the same number in every picture.
    sample = Image.new("RGB", (width, 4 * height))
    for place, k in enumerate((0, FRAMES // 4, FRAMES // 2, 3 * FRAMES // 4)):
        sample.paste(frames[k], (0, place * height))
    palette = sample.quantize(COLOURS, dither=Image.Dither.NONE)
    packed = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    target = HERE / "moving.gif"
    packed[0].save(target, save_all=True, append_images=packed[1:], duration=round(1000 / RATE), loop=0, optimize=False)
    return target


if __name__ == "__main__":
    made = main()
    print(f"{made.name}: {made.stat().st_size / 1e6:.2f} MB")
