"""Draws the pictures of the documentation: `python docs/images/draw.py` writes them beside this file."""

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

import locomotor as lm

HERE = Path(__file__).resolve().parent
BLUE, ORANGE, GREEN, GREY = "#0b5fa5", "#c8501e", "#2a8a4a", "#6b747c"
LOOK: Any = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.labelsize": 9,
    "axes.grid": True,
    "grid.color": "#e3e6e9",
    "font.size": 9,
    "legend.frameon": False,
    "savefig.facecolor": "white",
}


def self_stable(path: Path) -> None:
    """The bicycle that rights itself: where it goes from above, and what happens meanwhile."""
    bike = lm.catalogue.bicycle("meijaard2007")
    run = lm.simulate(bike, duration=5.0, start={"speed": 4.6, "roll_rate": 0.5})
    figure = plt.figure(figsize=(8.4, 5.2), layout="constrained")
    panels = figure.subplot_mosaic([["above", "above"], ["rates", "speed"]], height_ratios=[1, 1.15])
    above, rates, speed = panels["above"], panels["rates"], panels["speed"]

    rear, front = run.contact_points["rear"], run.contact_points["front"]
    above.plot(rear[:, 0], rear[:, 1], color=BLUE, label="rear contact")
    above.plot(front[:, 0], front[:, 1], color=ORANGE, label="front contact")
    for i in range(0, len(run), 500):  # the wheelbase, every half second
        above.plot([rear[i, 0], front[i, 0]], [rear[i, 1], front[i, 1]], color="black", linewidth=2.2)
    above.set(xlabel="x, forward (m)", ylabel="y, left (m)", title="Path of the contact points, wheelbase every 0.5 s")
    above.set_aspect("equal", adjustable="datalim")
    above.legend(loc="lower left")

    rates.plot(run.time, run["roll_rate"], color=BLUE, label="roll rate")
    rates.plot(run.time, run["steer_rate"], color=ORANGE, label="steer rate")
    rates.set(xlabel="time (s)", ylabel="rad/s", title="Pushed over at 0.5 rad/s, nobody steers")
    rates.legend()

    speed.plot(run.time, run["speed"], color=GREEN)
    speed.set(xlabel="time (s)", ylabel="m/s", title="Forward speed: the push becomes speed")
    figure.savefig(path, dpi=150)
    plt.close(figure)


def stability(path: Path) -> None:
    """Real and imaginary parts of the eigenvalues against speed, the stable band shaded."""
    bike = lm.catalogue.bicycle("meijaard2007")
    curves = lm.eigenvalue_curves(bike, {"speed": np.linspace(0.02, 10.0, 500)})
    figure, axis = plt.subplots(figsize=(8.4, 3.4), layout="constrained")
    for low, high in curves.stable_bands:
        axis.axvspan(low, high, color=GREEN, alpha=0.15, linewidth=0, label=f"stable, {low:.3f} to {high:.3f} m/s")
    axis.axhline(0, color="black", linewidth=0.8)
    oscillation = curves.eigenvalues.imag.max(axis=1)
    for mode in range(curves.eigenvalues.shape[1]):
        axis.plot(curves.values, curves.eigenvalues[:, mode].real, color=BLUE, label="_" * mode + "real part (growth)")
    oscillation[oscillation < 1e-9] = np.nan
    axis.plot(curves.values, oscillation, "--", color=ORANGE, label="imaginary part (oscillation)")
    axis.set(xlim=(0, 10), ylim=(-10, 10), xlabel="speed (m/s)", ylabel="1/s", title="Eigenvalues of straight running")
    axis.legend(loc="lower right")
    figure.savefig(path, dpi=150)
    plt.close(figure)


def of_scenario(name: str, path: Path) -> None:
    """The first figure that a scenario declares."""
    from locomotor.viewing.plots.figures import draw

    draw(lm.scenarios.scenario(name).figures[0], None, None, path)


if __name__ == "__main__":
    of_scenario("eva_bench/response", HERE / "eva_bench.png")
    of_scenario("micro_flyer/stability_map", HERE / "stability_map.png")
    with plt.rc_context(LOOK):
        self_stable(HERE / "self_stable.png")
        stability(HERE / "stability.png")
