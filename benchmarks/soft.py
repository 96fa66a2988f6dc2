"""Soft bodies: an arm against real time, its compilation, cost by strains and by points; PyElastica and Exudyn."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from contacts import exponent
from elastica_case import FALLING, SOFT
from measure import empty_cache, repeat
from peer_pinocchio import UnavailableError
from report import Figure, Topic, at_least, at_most, missing, number, seconds
from stiff import DURATION

import locomotor as lm
from locomotor import codegen

CASE = Path(__file__).with_name("elastica_case.py")
PIECES = [1, 2, 3, 5]
POINTS = [5, 10, 20, 40]
STEP = 2e-3


def operations(system: lm.System) -> int:
    """Of the right-hand side."""
    return lm.trace(system).dynamics.operations


def _arm() -> list[Figure]:
    system = lm.catalogue.soft_manipulator(5)
    compiled = lm.compile(system, target="c")
    x, steps = compiled.start(), 500
    compiled.rollout(x, 1, STEP, save_every=0)
    begin = time.process_time()
    compiled.rollout(x, steps, STEP, save_every=0)
    taken = time.process_time() - begin
    traced = lm.trace(system)

    def build() -> None:
        with empty_cache():
            codegen.compile_rollout(lm.trace(system).dynamics, traced.manifold, target="c")

    cold = repeat(build, 1).median
    count = traced.dynamics.operations
    return [
        at_least(
            "soft arm of 20 strains and three tendons: motion over processor time", steps * STEP / taken, 20.0,
            f"rk4 at {STEP:g} s, {count:,} operations", " times real time",
        ),
        at_most("its compilation, from the model to roll-outs", cold, 10.0, "one function in parts of 600 lines", " s"),
    ]  # fmt: skip


def _cost() -> list[Figure]:
    """Operations do not depend on the machine."""
    strains = [operations(lm.catalogue.soft_manipulator(pieces)) for pieces in PIECES]
    section = lm.CrossSection.circle(0.01, young=1e6, density=1000.0)
    points = []
    for count in POINTS:
        rod = lm.Rod("rod", section=section, length=0.2, strains={"bend_y": 3, "bend_z": 3}, points=count)
        points.append(operations(lm.System("held", (rod,), (lm.Fixed(name="wall", parent="world", child="rod"),))))
    by_strains, by_points = exponent(PIECES, [float(n) for n in strains]), exponent(POINTS, [float(n) for n in points])
    return [
        Figure("operations by strain coordinates, exponent", number(by_strains), note=_told([4 * n for n in PIECES], strains)),
        at_most("operations by points along a rod of 6 strains, exponent", by_points, 1.1, _told(POINTS, points)),
    ]


def _told(sizes: Any, counts: list[int]) -> str:
    return "; ".join(f"{size}: {count:,}" for size, count in zip(sizes, counts, strict=True))


def _case(which: str) -> Any:
    python = os.environ.get("LOCOMOTOR_ELASTICA", "")
    done = subprocess.run([python or sys.executable, CASE, which], capture_output=True, text=True, timeout=900)
    if done.returncode:
        raise UnavailableError(
            f"{done.stderr.strip().splitlines()[-1]}: pip install pyelastica, or name its Python in LOCOMOTOR_ELASTICA"
        )
    return json.loads(done.stdout.strip().splitlines()[-1])


def _thread() -> Figure:
    what = f"PyElastica: {DURATION:g} s of the thread of steel, from a piece of it"
    try:
        found = _case("thread")
    except UnavailableError as reason:
        return missing(what, "", reason)
    whole = DURATION / found["step"] * found["each"]
    note = f"50 elements; stable at {found['step']:g} s, {seconds(found['each'])} a step; ours is among the stiff systems"
    return Figure(what, f"{whole / 3600:.2g} h", note=note)


def _falling(strains: int, step: float) -> tuple[np.ndarray, float]:
    """Tip of the soft cantilever, and seconds."""
    section = lm.CrossSection.circle(SOFT["radius"], young=SOFT["young"], density=SOFT["density"], poisson=0.3)
    rod = lm.Rod("rod", section=section, length=SOFT["length"], strains={"bend_y": strains})
    joints = (lm.Fixed(name="wall", parent="world", child="rod"),)
    system = lm.System("cantilever", (rod,), joints, forces=(lm.Gravity(),))
    lm.simulate(system, step, step=step)
    begin = time.process_time()
    run = lm.simulate(system, FALLING, step=step, sample=FALLING)
    taken = time.process_time() - begin
    curve = [float(run[f"rod_bend_y_{k}"][-1]) for k in range(strains)]
    return _tip(curve), taken


def _tip(curve: list[float]) -> np.ndarray:
    """Where a plane curve of this curvature ends: its angle by Legendre's polynomials, its place by Gauss."""
    s, w = np.polynomial.legendre.leggauss(40)
    angle = np.polynomial.legendre.Legendre(curve).integ(lbnd=-1.0)(s) * 0.5 * SOFT["length"]
    return 0.5 * SOFT["length"] * np.array([w @ np.cos(angle), -(w @ np.sin(angle))])


def _cantilever() -> list[Figure]:
    exact, _ = _falling(8, 2e-4)
    tip, own = _falling(4, 1e-3)
    error = float(np.linalg.norm(tip - exact))
    try:
        found = _case("cantilever")
    except UnavailableError as reason:
        return [missing("soft cantilever at equal error: PyElastica, Exudyn / ours", "", reason)]
    figures = []
    for name, rows in found.items():
        what = f"soft cantilever at equal error: {name} / ours, processor time"
        if isinstance(rows, str):
            figures.append(missing(what, "", rows))
            continue
        limit = np.array(rows[-1][2])
        tries = [(n, step, float(np.linalg.norm(np.array(place) - limit)), taken) for n, step, place, taken in rows[:-1]]
        n, step, off, taken = next((t for t in tries if t[2] <= error), tries[-1])
        apart = float(np.linalg.norm(limit - exact))
        note = (
            f"{FALLING:g} s of falling; {n} elements at {step:g} s, {1e3 * off:.2g} mm off their limit, in {seconds(taken)}; "
            f"ours, 4 strains at 1 ms, {1e3 * error:.2g} mm in {seconds(own)}; the limits are {1e3 * apart:.2g} mm apart"
        )
        figures.append(Figure(what, number(taken / own), note=note))
    return figures


def topic() -> Topic:
    """Measure."""
    return Topic(
        "Soft bodies",
        "Exact rods as bodies of a tree. PyElastica takes explicit steps on nodes with shear and stretch, Exudyn cables in a "
        "plane by generalised alpha; errors of each are against its own finest run.",
        (*_arm(), *_cost(), _thread(), *_cantilever()),
    )
