"""SIMD code against scalar code on one core."""

from __future__ import annotations

from functools import partial

import numpy as np
from measure import c_loop, interleave, sampler
from report import Figure, Topic, at_least, number, seconds, small
from ride import bicycle, start, states

from locomotor import codegen

COUNT = 2048
LANES = (4, 8, 16)
STEPS = 200


def topic() -> Topic:
    """Measure."""
    return Topic(
        "SIMD lanes",
        "The bicycle's right-hand side per instance, and whole RK4 roll-outs, on one core. The target is for the best "
        "of these widths.",
        (*right_hand_sides(), *rollouts()),
    )


def right_hand_sides() -> list[Figure]:
    """Kernels of each width over the same states."""
    compiled = bicycle()
    dynamics = compiled.traced.dynamics
    reduced, _, _ = states(COUNT)
    arguments = np.zeros(1), reduced, np.zeros(len(compiled.input_names)), compiled.default_parameters
    kernels = {0: codegen.compile(dynamics, target="c")}
    kernels |= {lanes: codegen.compile(dynamics, target="simd", lanes=lanes) for lanes in LANES}
    timings = interleave({str(lanes): c_loop(kernel, *arguments) for lanes, kernel in kernels.items()})
    scalar, wanted = timings["0"], kernels[0](*arguments)[0]
    gains = {lanes: scalar.over(timings[str(lanes)]) for lanes in LANES}
    best = max(gains, key=lambda lanes: gains[lanes])
    figures = []
    for lanes in LANES:
        error = np.abs(kernels[lanes](*arguments)[0] - wanted).max() / np.abs(wanted).max()
        note = (
            f"{seconds(timings[str(lanes)].median)} against {seconds(scalar.median)} an instance; "
            f"relative difference {small(float(error))}"
        )
        what = f"right-hand side, {lanes} lanes: times scalar speed"
        figures.append(
            at_least(what, gains[lanes], 4.0, note) if lanes == best else Figure(what, number(gains[lanes]), note=note)
        )
    return figures


def rollouts() -> list[Figure]:
    """RK4 steps a second, the loop over steps and lanes in C."""
    compiled = bicycle()
    traced, manifold = compiled.traced, compiled.traced.manifold
    wide = codegen.compile_rollout(traced.dynamics, manifold, target="simd")
    narrow = codegen.compile_rollout(traced.dynamics, manifold, target="c")
    batch = 8 * wide.lanes
    x = np.tile(start(), (batch, 1))
    timings = interleave(
        {
            name: sampler(partial(kernel.run, x, STEPS, 0.005, save_every=STEPS), batch * STEPS)
            for name, kernel in (("narrow", narrow), ("wide", wide))
        }
    )
    gain = timings["narrow"].over(timings["wide"])
    rate = 1.0 / timings["wide"].median
    return [
        Figure(
            f"RK4 roll-outs, {wide.lanes} lanes: times scalar speed",
            number(gain),
            note=f"{rate / 1e6:.3g} million steps a second against {1e-6 / timings['narrow'].median:.3g} million",
        )
    ]
