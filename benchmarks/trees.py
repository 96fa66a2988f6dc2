"""Free trees: the articulated-body algorithm against Pinocchio's, and how a very long chain builds and runs."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable

import numpy as np
from measure import c_loop, cpu_seconds, empty_cache, interleave
from peer_pinocchio import UnavailableError, cpp_loop
from report import Figure, Topic, at_least, at_most, missing, seconds, small
from systems import chain, generic_chain, humanoid, random_states

from locomotor import codegen
from locomotor.model import System
from locomotor.tracing import trace

COUNT = 1024
LONG = 120
TREES: tuple[tuple[str, Callable[[], System], float | None], ...] = (
    ("chain of 5", lambda: chain(5), None),
    ("chain of 20", lambda: chain(20), 2.0),
    ("four limbs of 5", humanoid, 2.0),
    ("chain of 20, oblique axes", lambda: generic_chain(20), 2.0),
)


def topic() -> Topic:
    """Measure."""
    figures = [figure for name, make, limit in TREES for figure in against_pinocchio(name, make(), limit)]
    return Topic(
        "Free trees",
        "Hinges on a floating base, offsets and inertias without a zero. Speed is Pinocchio's time (C++, its faster "
        "convention) over ours (scalar C, rates of all coordinates included), both on one core.",
        (*figures, *long_chain()),
    )


def against_pinocchio(name: str, system: System, limit: float | None) -> list[Figure]:
    """Speed of one tree."""
    what = f"{name}: times Pinocchio's speed"
    traced = trace(system)
    dynamics = traced.dynamics
    q, v = random_states(system, COUNT)
    arguments = np.zeros(1), np.concatenate([q, v], axis=1), np.zeros(0), np.zeros(0)
    scalar, wide = codegen.compile(dynamics, target="c"), codegen.compile(dynamics, target="simd")
    try:
        with cpp_loop(system, q, v) as loop:
            timings = interleave(
                {
                    "scalar": c_loop(scalar, *arguments),
                    "wide": c_loop(wide, *arguments),
                    "local": loop.sampler("local"),
                    "world": loop.sampler("world"),
                }
            )
            wanted = loop.accelerations
    except UnavailableError as reason:
        return [missing(what, "" if limit is None else f"≥ {limit:g}", reason)]
    found = scalar(*arguments)[0][:, -system.layout.nv :]
    scale = np.abs(wanted).max(axis=1)
    error = float((np.abs(found - wanted).max(axis=1) / scale).max())
    peer = min(timings["local"], timings["world"], key=lambda timing: timing.median)
    note = (
        f"{seconds(peer.median)} against {seconds(timings['scalar'].median)}, {dynamics.operations:,} operations "
        f"(SIMD: {seconds(timings['wide'].median)} an instance); relative difference {small(error)}"
    )
    gain = peer.over(timings["scalar"])
    return [Figure(what, f"{gain:.3g}", note=note) if limit is None else at_least(what, gain, limit, note)]


# --- the long chain, in a process of its own so that its memory can be told -----------------------------------------


def long_chain() -> list[Figure]:
    """Build and run a chain of 120 joints."""
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    build = found["trace"] + found["compile"]
    return [
        at_most(
            f"chain of {LONG}: trace and compile",
            build,
            60.0,
            f"{found['trace']:.2g} s + {found['compile']:.2g} s; {found['operations']:,} operations; "
            f"largest memory {found['own_memory']:.0f} MB, of the compiler {found['compiler_memory']:.0f} MB",
            " s",
        ),
        Figure(
            f"chain of {LONG}: one evaluation",
            seconds(found["seconds"]),
            note=f"relative difference from CasADi's evaluation {small(found['error'])}",
        ),
    ]


def build_long_chain() -> dict[str, float]:
    """Times in seconds, memory in MB."""
    start = cpu_seconds()
    dynamics = trace(chain(LONG)).dynamics
    operations = dynamics.operations
    traced = cpu_seconds()
    with empty_cache():
        kernel = codegen.compile(dynamics, target="c")
    compiled = cpu_seconds()
    q, v = random_states(chain(LONG), 64)
    arguments = np.zeros(1), np.concatenate([q, v], axis=1), np.zeros(0), np.zeros(0)
    timing = interleave({"run": c_loop(kernel, *arguments)})["run"]
    wanted = dynamics.evaluate(arguments, len(q))[0]
    return {
        "trace": traced - start,
        "compile": compiled - traced,
        "operations": operations,
        "seconds": timing.median,
        "error": float((np.abs(kernel(*arguments)[0] - wanted).max(axis=1) / np.abs(wanted).max(axis=1)).max()),
        "own_memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "compiler_memory": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
    }


if __name__ == "__main__":
    print(json.dumps(build_long_chain()))
