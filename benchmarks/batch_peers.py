"""Steps a second of batches against MuJoCo's roll-outs and Exudyn, on the same start, with the errors of both."""

from __future__ import annotations

from functools import partial

import numpy as np
from fleet import BICYCLE, TREE, Floats
from measure import Timing, interleave, sampler
from peer_exudyn import ExudynVehicle
from peer_mujoco import Crate, Vehicle
from peer_pinocchio import UnavailableError
from report import Figure, at_least, missing, small
from ride import DURATION, bicycle, states
from systems import random_states

from locomotor import catalogue
from locomotor.simulation import CompiledSystem
from locomotor.simulation.stepping.time_stepping import compile_stepping

RUNS = 64
STEPS = round(DURATION / BICYCLE.step)
FINER = 16
"""Where there is no other reference, the same steps so many times shorter are one."""


def bicycles_against_mujoco() -> list[Figure]:
    """The ride of the other topics, many times."""
    what = "bicycle: our steps a second / MuJoCo roll-out's"
    accuracy = f"bicycle: MuJoCo's error / ours after {DURATION:g} s"
    _, q, v = states(2)
    compiled, start = BICYCLE.compile("simd"), BICYCLE.state()
    try:
        vehicle = Vehicle(bicycle().system, BICYCLE.step, q[0], v[0])
        finer = {step: Vehicle(bicycle().system, step, q[0], v[0]) for step in (0.001, 0.0002)}
    except UnavailableError as reason:
        return [missing(what, "≥ 10", reason), missing(accuracy, "≥ 1,000", reason)]
    timings = against(compiled, start, vehicle, BICYCLE.step)
    # The three coordinates of position come first in both states.
    mine = float(np.linalg.norm(compiled.rollout(start, STEPS, BICYCLE.step, save_every=0).final[:3] - q[-1, :3]))
    theirs = float(np.linalg.norm(vehicle.rollout(1, STEPS)[:3] - q[-1, :3]))
    more = {step: np.linalg.norm(v.rollout(1, round(DURATION / step))[:3] - q[-1, :3]) for step, v in finer.items()}
    others = ", ".join(f"{small(float(error))} m at {step:g} s" for step, error in more.items())
    return [
        at_least(what, timings["peer"].over(timings["ours"]), 10.0, rates(timings)),
        at_least(
            accuracy,
            theirs / mine,
            1000.0,
            f"position wrong by {small(mine)} m (ours) and {small(theirs)} m (MuJoCo) at steps of {BICYCLE.step:g} s; "
            f"MuJoCo with finer steps: {others}, as its contacts are soft; reference: dop853 at 1e-13",
        ),
    ]


def boxes_against_mujoco() -> list[Figure]:
    """A box on four corners that rests on a slope of 0.4 rad with a friction of 0.6, one at a time and in batches."""
    slope, friction, step, steps = 0.4, 0.6, 0.002, 200
    one, many = ("box at rest: MuJoCo's time / ours, one step at a time", "box at rest: our steps a second / MuJoCo roll-out's")
    box = catalogue.tumbling_box(friction=friction, slope=slope)
    scalar, lanes = (compile_stepping(box, "time-stepping", target=target) for target in ("c", "simd"))
    start = scalar.start({})
    try:
        crate = Crate(friction, slope, step)
    except UnavailableError as reason:
        return [missing(one, "≥ 0.5", reason), missing(many, "≥ 10", reason)]
    alone = interleave(
        {
            "ours": sampler(partial(scalar.rollout, start, steps, step, save_every=0), steps),
            "peer": sampler(partial(crate.run, steps), steps),
        }
    )
    timings = against(lanes, start, crate, step)
    crept = [float(np.linalg.norm(lanes.rollout(start, 500, step, save_every=0).final[:3] - start[:3]))]
    crept.append(float(np.linalg.norm(crate.rollout(1, 500)[:2])))
    note = f"8 vertices; crept by {small(crept[0])} m (ours) and {small(crept[1])} m (MuJoCo) in 1 s"
    return [
        at_least(one, alone["peer"].over(alone["ours"]), 0.5, f"{alone['ours'].median * 1e6:.2f} us a step; {note}"),
        at_least(many, timings["peer"].over(timings["ours"]), 10.0, rates(timings)),
    ]


def trees_against_mujoco() -> list[Figure]:
    """A tree without contacts: the same equations on both sides."""
    what = "tree of 20 joints: our steps a second / MuJoCo roll-out's"
    system = TREE.make()
    q, v = random_states(system, 1)
    compiled, start, steps = TREE.compile("simd"), TREE.state(), 1000
    try:
        vehicle = Vehicle(system, TREE.step, q[0], v[0])
    except UnavailableError as reason:
        return [missing(what, "", reason)]
    timings = against(compiled, start, vehicle, TREE.step)
    wanted = compiled.rollout(start, FINER * steps, TREE.step / FINER, save_every=0).final
    found = compiled.rollout(start, steps, TREE.step, save_every=0).final
    errors = [small(float(np.linalg.norm(place[:3] - wanted[:3]))) for place in (found, vehicle.rollout(1, steps))]
    note = f"{rates(timings)}; position after {steps * TREE.step:g} s wrong by {errors[0]} m (ours), {errors[1]} m (MuJoCo)"
    return [Figure(what, f"{timings['peer'].over(timings['ours']):.3g}", note=note)]


def against(compiled: CompiledSystem, start: Floats, vehicle: Vehicle, step: float, steps: int = 200) -> dict[str, Timing]:
    """Seconds a step of both, all states recorded."""
    many = np.tile(start, (RUNS, 1))
    return interleave(
        {
            "ours": sampler(partial(compiled.rollout, many, steps, step), RUNS * steps),
            "peer": sampler(partial(vehicle.rollout, RUNS, steps), RUNS * steps),
        }
    )


def rates(timings: dict[str, Timing]) -> str:
    """Both rates in words."""
    mine, peer = (1e-6 / timings[name].median for name in ("ours", "peer"))
    return f"{mine:.3g} million steps a second against {peer:.3g} million"


def bicycle_against_exudyn() -> list[Figure]:
    """The same constraints in redundant coordinates, one run at a time."""
    what = "bicycle: our steps a second / Exudyn's"
    _, q, v = states(2)
    compiled, start = BICYCLE.compile("simd"), BICYCLE.state()
    try:
        peer = ExudynVehicle(bicycle().system, q[0], v[0])
        place, _ = peer.run(STEPS, BICYCLE.step)
    except UnavailableError as reason:
        return [missing(what, "", reason)]
    many = np.tile(start, (RUNS, 1))
    timings = interleave(
        {
            "ours": sampler(partial(compiled.rollout, many, STEPS, BICYCLE.step), RUNS * STEPS),
            "peer": lambda: peer.run(STEPS, BICYCLE.step)[1] / STEPS,
        },
        rounds=5,
    )
    found = compiled.rollout(start, STEPS, BICYCLE.step, save_every=0).final
    errors = [small(float(np.linalg.norm(at[:3] - q[-1, :3]))) for at in (found, place)]
    note = (
        f"{rates(timings)} (generalised-alpha, one run at a time); position after {DURATION:g} s wrong by {errors[0]} m "
        f"(ours), {errors[1]} m (Exudyn)"
    )
    return [Figure(what, f"{timings['peer'].over(timings['ours']):,.0f}", note=note)]
