"""PteraSoftware as a peer: two rigid wings that flap in a stream, by its vortex rings with their wake and by our sections.

The same case, not the same physics. PteraSoftware (unsteady ring vortex lattice, prescribed wake) knows the wake, the flow
along the span and the loads of unsteady circulation, and no friction, stall or vortex of the leading edge; our sections are
quasi-steady, each alone, with the slope of lift of the whole wing (lifting line, 2 pi/(1 + 2/AR)) and added mass. What both
tell is the mean lift and its swing over a beat.

It runs where `pterasoftware` is installed, and in a process of another Python where LOCOMOTOR_PTERA names one: it needs MuJoCo,
numba and PyVista beside numpy, and may want other versions of them than the other peers.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np
from measure import sampler
from peer_pinocchio import UnavailableError
from ptera_case import AMPLITUDE, BEATS, CHORD, DENSITY, FREQUENCY, INCIDENCE, SPAN, SPEED
from report import Figure, missing, number, seconds, small

import locomotor as lm

STEP = 1e-3
CASE = Path(__file__).with_name("ptera_case.py")
WHAT = "flapping rigid wings: PteraSoftware / ours, processor time a beat"


def _peer() -> list[tuple[float, float, float]]:
    """Mean and swing of the lift (N) and seconds a beat, of either mesh."""
    python = os.environ.get("LOCOMOTOR_PTERA", "")
    if not python and importlib.util.find_spec("pterasoftware") is None:
        raise UnavailableError(
            "pterasoftware is not installed: pip install PteraSoftware, or name its Python in LOCOMOTOR_PTERA"
        )
    done = subprocess.run([python or sys.executable, CASE], capture_output=True, text=True, timeout=900)
    if done.returncode:
        raise UnavailableError(f"pterasoftware fails: {done.stderr.strip().splitlines()[-1]}")
    return [(row[0], row[1], row[2]) for row in json.loads(done.stdout.strip().splitlines()[-1])]


def _wings() -> lm.System:
    """The same wings on a stand in the stream."""
    slope = 2.0 * math.pi / (1.0 + 2.0 * CHORD / (2.0 * SPAN))
    bodies: list[lm.Body | lm.Frame] = [lm.Frame("stand")]
    joints: list[lm.Joint] = [
        lm.Fixed(name="mount", parent="world", child="stand", rotation=(0.0, -math.radians(INCIDENCE), 0.0))
    ]
    forces: list[lm.Force] = [lm.Air(density=DENSITY, wind=(-SPEED, 0.0, 0.0))]
    law = lm.Motion(f"{math.radians(AMPLITUDE)!r}*sin({2.0 * math.pi * FREQUENCY!r}*t)")
    for name, way in (("right", -1.0), ("left", 1.0)):
        bodies.append(lm.Body(name, mass=1.0, com=(0.0, 0.5 * way * SPAN, 0.0), inertia=(0.1, 0.1, 0.1)))
        joints.append(lm.Revolute(name=f"{name}_flap", parent="stand", child=name, axis=(way, 0.0, 0.0), drive=law))
        forces.append(
            lm.Fin(f"{name}_foil", name, length=SPAN, chord=CHORD, span=(0.0, way, 0.0), lift=f"{slope!r}*sin(alpha)", drag=0.0)
        )
    # Everything else is imposed, and what has no state has no steps: a wheel that idles.
    bodies.append(lm.Body("idler", mass=1.0, inertia=(0.1, 0.1, 0.1)))
    joints.append(lm.Revolute(name="idle", parent="stand", child="idler", axis=(0.0, 1.0, 0.0)))
    return lm.System("flapping_wings", bodies, joints, forces=forces)


def _ours() -> tuple[float, float, float]:
    """Mean and swing of the lift (N) over the second beat, and seconds a beat."""
    compiled = lm.compile(_wings())
    channels = ("right_foil_air_z", "left_foil_air_z")
    steps = round(BEATS / (FREQUENCY * STEP))

    def beats() -> lm.Batch:
        return compiled.rollout(compiled.start(), steps, STEP, channels=channels)

    taken = statistics.median(sampler(beats, BEATS)() for _ in range(5))
    lift = sum(np.asarray(beats()[name]).ravel() for name in channels)[-steps // BEATS :]
    return float(lift.mean()), float(np.ptp(lift)), taken


def flapping_against_ptera() -> list[Figure]:
    """The ratio, with what either tells."""
    try:
        coarse, fine = _peer()
    except (UnavailableError, subprocess.TimeoutExpired) as error:
        return [missing(WHAT, "", error)]
    lift, swing, taken = _ours()
    apart = small(abs(coarse[0] / fine[0] - 1.0))
    note = (
        f"{seconds(fine[2])} and {seconds(taken)}; mean lift {fine[0]:.1f} N and {lift:.1f} N, swing {fine[1]:.0f} N and "
        f"{swing:.0f} N; its coarse mesh is off by {apart} ({number(coarse[2] / taken)} times); vortex rings with a wake "
        "against quasi-steady sections"
    )
    return [Figure(WHAT, f"{number(fine[2] / taken)} times", note=note)]


if __name__ == "__main__":
    for figure in flapping_against_ptera():
        print(f"{figure.what}: {figure.measured} ({figure.note})")
