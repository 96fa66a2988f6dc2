"""MuJoCo Warp's own humanoid with contacts and friction on a CUDA device: rates, and errors beside them."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from peer_pinocchio import UnavailableError
from peer_warp import CONTACTS, ROWS, humanoid_rate
from report import Figure, at_least, small

import locomotor as lm
from locomotor.simulation import Batch
from locomotor.simulation.stepping import SteppedSystem, compile_stepping

if TYPE_CHECKING:
    from gpu_parts import Accelerator

Floats = NDArray[np.float64]
STEP, FINER = 0.005, 20
"""Step of its file (s), and how many make one of the reference."""
WARP = 11.7
"""Million float32 steps a second of MuJoCo Warp 4.0 on an H200, 262,144 worlds: asked are five times as many."""


def file() -> Path:
    """Where the package has it; an error that says so where it is missing."""
    found = importlib.util.find_spec("mujoco_warp")
    if found is None or found.origin is None:
        raise UnavailableError("MuJoCo Warp, whose humanoid.xml is measured, is not installed")
    return Path(found.origin).parent / "test_data/humanoid/humanoid.xml"


def humanoid() -> lm.System:
    """As the package has it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # cameras, limits of joints: not part of what is measured
        return lm.load(str(file()), contacts=True)


def scattered(host: SteppedSystem, count: int, seed: int = 0) -> Floats:
    """States of humanoids that fall, stand and lie: dropped, bent and pushed anyhow, each at another instant of two seconds."""
    rng = np.random.default_rng(seed)
    starts = np.tile(host.start({}), (count, 1))
    starts[:, 2] += rng.uniform(0.02, 0.25, count)
    turn = np.column_stack([np.ones(count), rng.uniform(-0.15, 0.15, (count, 3))])
    starts[:, 3:7] = turn / np.linalg.norm(turn, axis=1)[:, None]
    starts[:, 7:28] += rng.uniform(-0.4, 0.4, (count, 21))
    starts[:, 28:] = rng.uniform(-0.3, 0.3, (count, 27))
    run = host.rollout(starts, 400, STEP, save_every=5)
    chosen = [run.states[k, rng.integers(0, 1 + int(done) // 5)] for k, done in enumerate(run.completed)]
    return np.array(chosen)


def standing(host: SteppedSystem, count: int, seed: int = 0) -> Floats:
    """The pose of the file, each pushed a little."""
    starts = np.tile(host.start({}), (count, 1))
    starts[:, -27:] += 0.01 * np.random.default_rng(seed).normal(size=(count, 27))
    return starts


def acting(host: SteppedSystem, states: Floats) -> float:
    """Contacts that press within a step, on average."""
    inputs = np.zeros(host.stepping.step.inputs[2].size)
    found = lm.codegen.compile(host.stepping.impulses)(np.zeros(1), states, inputs, np.zeros(0), np.array([STEP]))[0]
    return float((found[:, ::3] > 0.0).sum(axis=1).mean())


STANDING, LYING = (CONTACTS, ROWS), (40, 192)
"""Contacts and rows of constraints a world of MuJoCo Warp has room for: as in its own benchmark, and enough for what lies."""
REPEATS = 5
FORMS = (("float32", 1), ("float32", 2), ("float64", 2))
"""Precision and passes of a step; one pass takes forces once, as the steps of MuJoCo Warp do."""
NAMES = {1: "one pass", 2: "two passes"}


def humanoids(on: Accelerator, batch: int = 2**18, steps: int = 20, distinct: int = 1024) -> list[Figure]:
    """Rates in both precisions and with both numbers of passes, beside MuJoCo Warp's."""
    from gpu_parts import rate  # it lists this part

    system = humanoid()
    hosts = {passes: stepped(system, passes) for passes in NAMES}
    states = scattered(hosts[2], distinct)
    finer = hosts[2].rollout(states, FINER * steps, STEP / FINER, save_every=0)
    errors = {passes: median_error(host.rollout(states, steps, STEP, save_every=0), finer) for passes, host in hosts.items()}
    press = acting(hosts[2], states)
    about = f"27 velocities, 35 contacts of which {press:.1f} press; batch of {batch:,}, {steps} steps of {STEP:g} s"
    chosen = np.random.default_rng(1).integers(0, distinct, batch)
    figures = []
    for precision, passes in FORMS:
        compiled = stepped(system, passes, on.target, precision)
        per_second = rate(on, compiled, on.put(states[chosen], precision), steps, STEP) / 1e6
        found = on.get(compiled.rollout(on.put(states, precision), 1, STEP, save_every=0).final)
        wanted = hosts[passes].rollout(states, 1, STEP, save_every=0).final
        apart = np.percentile(np.abs(found - wanted).max(axis=1), (50, 90, 100))
        note = (
            f"{about}; from the processor after a step: {small(apart[0])} (median), {small(apart[1])} (nine tenths), "
            f"{small(apart[2])} (most); error of {steps} steps, median: {small(errors[passes])} (reference: two passes of "
            f"{STEP / FINER:g} s); MuJoCo Warp makes {WARP:g}, float32, with forces taken once"
        )
        name = f"humanoid with contacts, {NAMES[passes]}, {precision}: million steps a second"
        like_warp = (precision, passes) == FORMS[0]
        figures.append(at_least(name, per_second, 5.0 * WARP, note) if like_warp else _plain(name, per_second, note))
        if precision == "float32":
            begun = on.put(standing(hosts[2], batch), precision)
            told = f"the first 100 steps from the pose of its file, pushed a little; batch of {batch:,}"
            name = f"humanoid that begins to fall, {NAMES[passes]}, {precision}: million steps a second"
            figures.append(_plain(name, rate(on, compiled, begun, 100, STEP) / 1e6, told))
    return figures


def stepped(system: lm.System, passes: int, target: str = "auto", precision: str = "float64") -> SteppedSystem:
    """Steps of so many passes."""
    settings = lm.ContactSettings(passes=passes)
    return compile_stepping(system, "time-stepping", target=target, precision=precision, settings=settings)


def median_error(run: Batch, finer: Batch) -> float:
    """Of the last states of those that come to the end in both."""
    both = (run.status == 0) & (finer.status == 0)
    return float(np.median(np.abs(run.final - finer.final)[both].max(axis=1)))


def warp_humanoids(limit: float = 0.0, batch: int = 2**18, distinct: int = 1024) -> list[Figure]:
    """MuJoCo Warp itself from the same states, in the same numbers of steps; compiling is most of the time it needs."""
    host = stepped(humanoid(), 2)
    chosen = np.random.default_rng(1).integers(0, distinct, batch)
    scenes = {
        "humanoid": (scattered(host, distinct)[chosen], 20, LYING),
        "humanoid that begins to fall": (standing(host, batch), 100, STANDING),
    }
    figures = []
    for scene, (states, steps, room) in scenes.items():
        found = humanoid_rate(file(), states, steps, REPEATS, room)
        note = (
            f"float32, Euler; batch of {batch:,}, {steps} steps of {STEP:g} s from the states of ours; {found.contacts:.1f} "
            f"contacts a world in the end, {found.full} rows of constraints at most, room for {room[1]}; on {found.device}"
        )
        figures.append(_plain(f"MuJoCo Warp, {scene}: million steps a second", found.per_second / 1e6, note))
    return figures


def _plain(name: str, value: float, note: str) -> Figure:
    return Figure(name, f"{value:.3g}", note=note)
