"""One right-hand side of the constrained bicycle against one evaluation of peers."""

from __future__ import annotations

import numpy as np
from measure import Sampler, Timing, c_loop, interleave, sampler
from peer_mujoco import Vehicle
from peer_pinocchio import UnavailableError, cpp_loop, python_sampler
from report import Figure, Topic, at_most, missing, seconds, small
from ride import DURATION, Floats, bicycle, start, states
from systems import without_contacts

from locomotor import codegen
from locomotor.model import System
from locomotor.tracing import trace

COUNT = 2048
STEP = 0.005
STEPS = round(DURATION / STEP)


def topic() -> Topic:
    """Measure."""
    return Topic(
        "One right-hand side of the bicycle",
        "Four bodies, six rolling constraints, three reduced velocities; one core, one instance at a time. "
        f"Evaluations are at {COUNT} instants of the ride, in a loop in C or C++. Pinocchio computes the same tree "
        "*without* its constraints.",
        (*against_pinocchio(), *called_from_python(), *against_mujoco()),
    )


def ours() -> tuple[Sampler, float]:
    """Our compiled right-hand side in a C loop, and its largest relative difference from CasADi's evaluation."""
    compiled = bicycle()
    kernel = codegen.compile(compiled.traced.dynamics, target="c")
    reduced, _, _ = states(COUNT)
    arguments = np.zeros(1), reduced, np.zeros(len(compiled.input_names)), compiled.default_parameters
    found, wanted = kernel(*arguments)[0], compiled.traced.dynamics.evaluate(arguments, COUNT)[0]
    return c_loop(kernel, *arguments), float((np.abs(found - wanted).max(axis=0) / np.abs(wanted).max(axis=0)).max())


def against_pinocchio() -> list[Figure]:
    """The free tree in Pinocchio, called from C++."""
    free = without_contacts(bicycle().system)
    _, q, v = states(COUNT)
    right_hand_side, error = ours()
    what = "time of ours / Pinocchio ABA of the free tree"
    try:
        with cpp_loop(free, q, v) as loop:
            timings = interleave({"ours": right_hand_side, "local": loop.sampler("local"), "world": loop.sampler("world")})
            agreement = free_tree_error(free, q, v, loop.accelerations)
    except UnavailableError as reason:
        return [missing(what, "≤ 0.35", reason)]
    peer = min(timings["local"], timings["world"], key=lambda timing: timing.median)
    mine = timings["ours"]
    note = (
        f"{seconds(mine.median)} against {seconds(peer.median)} (C++, its faster convention); relative differences: "
        f"ours from CasADi's evaluation {small(error)}, our free tree from Pinocchio's {small(agreement)}"
    )
    return [at_most(what, mine.over(peer), 0.35, note)]


def free_tree_error(free: System, q: Floats, v: Floats, wanted: Floats) -> float:
    """Largest difference of the free tree's accelerations, relative to the largest acceleration."""
    traced = trace(free)
    inputs = np.zeros(traced.input_port.size)
    state = np.concatenate([q, v], axis=1)
    (found,) = codegen.compile(traced.accelerations, target="c")(np.zeros(1), state, inputs, np.zeros(0))
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


def called_from_python() -> list[Figure]:
    """One call of each from Python: what a loop written in Python pays."""
    compiled = bicycle()
    _, q, v = states(COUNT)
    what = "the same, each called from Python"
    kernel = codegen.compile(compiled.traced.dynamics, target="c")
    bound = kernel.bind(np.zeros(1), start(), np.zeros(len(compiled.input_names)), compiled.default_parameters)
    try:
        peer = python_sampler(without_contacts(compiled.system), q, v)
    except UnavailableError as reason:
        return [missing(what, "", reason)]
    timings = interleave({"ours": sampler(bound), "peer": peer})
    return [ratio_figure(what, timings["ours"], timings["peer"])]


def against_mujoco() -> list[Figure]:
    """The same vehicle in MuJoCo, with soft contacts and friction in place of rolling."""
    compiled = bicycle()
    _, q, v = states(COUNT)
    what = "time of ours / one MuJoCo step"
    try:
        vehicle = Vehicle(compiled.system, STEP, q[0], v[0])
    except UnavailableError as reason:
        return [missing(what, "≤ 0.1", reason)]
    timings = interleave(
        {
            "right-hand side": ours()[0],
            "step": sampler(lambda: compiled.rollout(start(), STEPS, STEP, save_every=STEPS), STEPS),
            "peer": sampler(lambda: vehicle.run(STEPS), STEPS),
        }
    )
    peer = timings["peer"]
    # The three coordinates of position come first in the state, as in MuJoCo.
    final = compiled.rollout(start(), STEPS, STEP, save_every=STEPS).final
    errors = [small(float(np.linalg.norm(place[:3] - q[-1, :3]))) for place in (final, vehicle.run(STEPS))]
    mine = timings["right-hand side"]
    note = f"{seconds(mine.median)} against {seconds(peer.median)}, {vehicle.data.ncon} contacts"
    accuracy = (
        f"; position after {DURATION:g} s at a step of {STEP:g} s wrong by {errors[0]} m (ours), "
        f"{errors[1]} m (MuJoCo, default settings)"
    )
    return [
        at_most(what, mine.over(peer), 0.1, note),
        ratio_figure("time of our RK4 step / one MuJoCo step (Euler)", timings["step"], peer, accuracy),
    ]


def ratio_figure(what: str, mine: Timing, peer: Timing, more: str = "") -> Figure:
    """A ratio without a target."""
    return Figure(what, f"{mine.over(peer):.3g}", note=f"{seconds(mine.median)} against {seconds(peer.median)}{more}")
