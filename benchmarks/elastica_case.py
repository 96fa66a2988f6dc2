"""Rods in PyElastica and Exudyn, printed as JSON: run by `soft.py`, in whatever Python they are installed in.

`thread`: seconds a step of PyElastica for a thread of steel, and its largest stable step of those tried. `cantilever`: place of
the tip of a soft cantilever that falls from horizontal, with seconds, for several numbers of elements.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np

THREAD = {"length": 0.5, "radius": 2e-4, "young": 2e11, "density": 7850.0}
SOFT = {"length": 0.2, "radius": 0.01, "young": 1e6, "density": 1000.0}
FALLING = 0.1
"""Seconds of the soft cantilever."""


def elastica(size: dict[str, float], elements: int, step: float, steps: int) -> tuple[list[float], float]:
    """Tip (x, z) of a clamped rod after so many steps of its own weight, and processor time (s) after what is compiled."""
    import elastica as ea

    class Simulator(ea.BaseSystemCollection, ea.Constraints, ea.Forcing):  # type: ignore[misc]
        pass

    rod = ea.CosseratRod.straight_rod(
        elements, np.zeros(3), np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]), size["length"], size["radius"],
        size["density"], youngs_modulus=size["young"], shear_modulus=size["young"] / 2.6,
    )  # fmt: skip
    simulator = Simulator()
    simulator.append(rod)
    simulator.constrain(rod).using(ea.OneEndFixedBC, constrained_position_idx=(0,), constrained_director_idx=(0,))
    simulator.add_forcing_to(rod).using(ea.GravityForces, acc_gravity=np.array([0.0, 0.0, -9.81]))
    simulator.finalize()
    stepper: Any = ea.PositionVerlet()
    now = stepper.step(simulator, np.float64(0.0), np.float64(step))
    begin = time.process_time()
    for _ in range(steps - 1):
        now = stepper.step(simulator, now, np.float64(step))
    taken = time.process_time() - begin
    return [float(rod.position_collection[0, -1]), float(rod.position_collection[2, -1])], taken


def exudyn(size: dict[str, float], elements: int, step: float, steps: int) -> tuple[list[float], float]:
    """The same as cables (ANCF) in the plane, by generalised alpha."""
    import exudyn as exu
    from exudyn.beams import GenerateStraightLineANCFCable2D
    from exudyn.utilities import Cable2D

    model = exu.SystemContainer().AddSystem()
    area, moment = np.pi * size["radius"] ** 2, np.pi / 4.0 * size["radius"] ** 4
    cable = Cable2D(
        physicsMassPerLength=size["density"] * area,
        physicsBendingStiffness=size["young"] * moment,
        physicsAxialStiffness=size["young"] * area,
    )
    made = GenerateStraightLineANCFCable2D(
        model, [0, 0, 0], [size["length"], 0, 0], elements, cable, massProportionalLoad=[0.0, -9.81, 0.0],
        fixedConstraintsNode0=[1, 1, 0, 1],
    )  # fmt: skip
    model.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = steps
    settings.timeIntegration.endTime = steps * step
    settings.timeIntegration.verboseMode = 0
    settings.solution.file.write = False
    begin = time.process_time()
    model.SolveDynamic(settings)
    taken = time.process_time() - begin
    place = model.GetNodeOutput(made[0][-1], exu.OutputVariableType.Position)
    return [float(place[0]), float(place[1])], taken


def thread() -> dict[str, Any]:
    """PyElastica's thread: a piece of its motion."""
    for step in (8e-8, 4e-8, 2e-8):
        place, taken = elastica(THREAD, 50, step, 4000)
        if np.isfinite(place).all() and abs(place[1]) < 1e-3:
            return {"step": step, "each": taken / 3999, "tip": place}
    raise ArithmeticError("no step down to 20 ns is stable")


def cantilever() -> dict[str, Any]:
    """Tips and seconds of the soft cantilever by both, from coarse to fine; the last is their limit."""
    found: dict[str, Any] = {}
    tries = {
        "pyelastica": [(elastica, n, h) for n, h in ((20, 5e-5), (40, 5e-5), (80, 5e-5), (160, 2e-5), (640, 5e-6))],
        "exudyn": [(exudyn, n, h) for n, h in ((2, 2e-3), (3, 2e-3), (4, 1e-3), (8, 5e-4), (32, 1e-4))],
    }
    for name, ways in tries.items():
        try:
            found[name] = [[n, h, *way(SOFT, n, h, round(FALLING / h))] for way, n, h in ways]
        except ImportError as error:
            found[name] = str(error)
    return found


if __name__ == "__main__":
    print(json.dumps({"thread": thread, "cantilever": cantilever}[sys.argv[1]]()))
