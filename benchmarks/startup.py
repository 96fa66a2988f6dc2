"""From a cold start: import, derivation of the equations, compilation."""

from __future__ import annotations

import subprocess
import sys

from measure import empty_cache, interleave, repeat, sampler
from report import Figure, Topic, at_most, seconds

from locomotor import catalogue, codegen
from locomotor.tracing import TracedSystem, trace

IMPORT = "import time; a = time.process_time(); import locomotor{}; print(time.process_time() - a)"


def import_seconds(more: str = "") -> float:
    """Time of an import in a new interpreter; the least of five, because each starts a process."""
    command = [sys.executable, "-c", IMPORT.format(more)]
    return min(float(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(5))


def derive() -> TracedSystem:
    """The bicycle from its name to the tape of its right-hand side."""
    traced = trace(catalogue.bicycle("meijaard2007"))
    traced.dynamics.tape  # noqa: B018 - made when first asked for
    return traced


def topic() -> Topic:
    """Measure."""
    bare, whole = import_seconds(), import_seconds("; locomotor.simulate, locomotor.catalogue.bicycle")
    derivation = interleave({"derive": sampler(derive)})["derive"]
    traced = derive()

    def compile_kernel() -> None:
        with empty_cache():
            codegen.compile(traced.dynamics, target="c")

    def compile_rollouts() -> None:
        with empty_cache():
            codegen.compile_rollout(traced.dynamics, traced.manifold, target="simd")

    kernel, rollouts = repeat(compile_kernel, 5), repeat(compile_rollouts, 3)
    cached = interleave({"cached": sampler(lambda: codegen.compile(traced.dynamics, target="c"))})["cached"]
    operations = traced.dynamics.operations
    return Topic(
        "Cold start",
        "The bicycle from nothing to machine code.",
        (
            at_most("`import locomotor`", bare, 0.5, f"with all that a simulation loads: {seconds(whole)}", " s"),
            at_most("derivation: model to tape", derivation.median, 0.2, f"least {seconds(derivation.best)}", " s"),
            at_most("operations of the right-hand side", operations, 2200),
            Figure("compilation of it", seconds(kernel.median), note=f"from the cache: {seconds(cached.median)}"),
            Figure("compilation, SIMD roll-outs with all steppers", seconds(rollouts.median)),
        ),
    )
