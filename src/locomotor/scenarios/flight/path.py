"""A flight along a path with a controller, through a gust that comes and goes at once."""

import math

import numpy as np

from locomotor.catalogue import micro_flyer, path_law
from locomotor.figures import Curves, Path
from locomotor.model import Air, System
from locomotor.scenarios.registry import Number, Scenario, register
from locomotor.simulation import Run

GUST = ("if_else(t < 1.5, 0, if_else(t < 1.6, 0.5, 0))", "if_else(t < 1.5, 0, if_else(t < 1.6, 0.2, 0))", 0.0)
"""Half a metre a second from behind and a fifth from the right, for a tenth of a second."""
OURS = "ours: the controller and the path are"


def _windy() -> System:
    flyer = micro_flyer()
    gust = Air(density="rho", wind=GUST)
    return flyer.replace(forces=tuple(gust if isinstance(force, Air) else force for force in flyer.forces))


def _flown(run: Run) -> dict[str, float]:
    before, after = run.time < 1.5, run.time >= 1.5
    away = np.hypot(run["x"] - 0.1, np.hypot(run["y"], run["z"] - 0.05))
    return {
        "from the goal before the gust": 1e3 * float(away[before][-1]),
        "blown off by the gust": 1e3 * float(away[after].max()),
        "from the goal in the end": 1e3 * float(away[-1]),
        "largest tilt": math.degrees(float(np.hypot(run["roll"], run["pitch"]).max())),
    }


register(
    Scenario(
        "micro_flyer/path",
        "80 mg flyer that flies a path with its controller, through a gust",
        "Ma, Chirarattananon, Fuller and Wood, Science 340 (2013) 603: controlled flight",
        system=_windy,
        settings={"duration": 4.0, "step": 1.0 / 12000.0, "sample": 1.0 / 480.0, "inputs": path_law()},
        measure=_flown,
        slow=True,
        numbers=(
            Number("from the goal before the gust", 0.0, 10.0, "a tenth of the way", OURS, unit="mm"),
            Number("blown off by the gust", 30.0, 29.0, "the gust is felt, and survived", OURS, unit="mm"),
            Number("from the goal in the end", 0.0, 3.0, "three hundredths of the way", OURS, unit="mm"),
            Number("largest tilt", 15.0, 14.0, "it tilts, and stays upright", OURS, unit="deg"),
        ),
        figures=(
            Path("side", 0.1, title="The path from the side"),
            Curves(("x", "y", "z"), title="Place"),
            Curves(("pitch", "roll", "yaw"), title="Attitude"),
        ),
    )
)
