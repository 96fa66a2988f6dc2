"""What a roll-out computes, as traced functions, and its text: one text for every dialect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

from locomotor.codegen.emit_c import Dialect, called_texts, emit_core, opening, prologue, runtime
from locomotor.codegen.implicit import emit_implicit, patience_of, work_of
from locomotor.codegen.manifold_text import emit, emit_check
from locomotor.codegen.rollout_plan import Plan
from locomotor.codegen.tangent import TangentManifold
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError
from locomotor.lie import LEFT, Manifold
from locomotor.tracing.core import Port, Slopes, Traced, slopes_of

REDUCTIONS = ("maximum", "minimum", "final", "integral", "first_time")
"""Ways to reduce a measure over a roll-out; see `runtime/reduce.h`."""

PIVOT = "pivot_"
"""Monitors that are pivots have this name and their number."""
ARGUMENTS = ["time", "state", "inputs", "parameters"]


@dataclass(frozen=True, eq=False)
class Program:
    """Traced functions of (time, state, inputs, parameters) that make up a roll-out.

    `dynamics` gives `rate` (a tangent vector of `manifold`) and, optionally, `monitor` (values that must stay >= 0); or it
    is a step map: it takes `step` (the length of the step) as fifth argument and gives `next`, the state after it, and
    `monitor`. `project` gives a tangent `correction` applied after each step, `observe` what is saved (the state when left
    out), `measure` the values that are reduced, one way of `REDUCTIONS` for each. With `sense` the inputs are those that a
    function on the host answers to its values, at every evaluation of the dynamics (one instance at a time). `breaks`: whether
    laws of time may jump, so that steps have to end there.
    """

    dynamics: Traced
    manifold: Manifold
    project: Traced | None = None
    observe: Traced | None = None
    measure: Traced | None = None
    reductions: tuple[str, ...] = ()
    sense: Traced | None = None
    breaks: bool = False
    slopes: Slopes | None = None
    """Of the rate by the state: with them the steps are implicit."""
    limbs: tuple[int, ...] = ()
    """For each number of the state the part of the system that it belongs to, -1 for what all have in common: a device may
    compute such parts side by side."""

    def __post_init__(self) -> None:
        """Refuse functions that do not fit together."""
        steps = ["step"] if self.is_map else []
        _check_arguments(self.dynamics, [*ARGUMENTS, *steps])
        wanted = ("next" if self.is_map else "rate", "monitor")
        _check_results(self.dynamics, wanted)
        sizes = (self.dynamics.inputs[1].size, self.dynamics.outputs[0].size)
        expected = (self.manifold.size, self.manifold.size if self.is_map else self.manifold.tangent_size)
        if sizes != expected:
            raise ArgumentError(
                f"{self.dynamics.name}: state has {sizes[0]} numbers and {wanted[0]} {sizes[1]}; the manifold has "
                f"{expected[0]} and {expected[1]} (a tangent vector has three numbers for each quaternion)"
            )
        for other, results in ((self.project, ("correction",)), (self.observe, ()), (self.measure, ()), (self.sense, ())):
            if other is None:
                continue
            _check_arguments(other, ARGUMENTS)
            _check_results(other, results)
            if [port.size for port in other.inputs] != [port.size for port in self.dynamics.inputs[:4]]:
                raise ArgumentError(f"{other.name} and {self.dynamics.name} must have inputs of the same sizes")
        if self.project is not None and self.is_map:
            raise ArgumentError(f"{self.dynamics.name}: a step map takes no projection")
        if self.sense is not None and (self.is_map or self.observe is not None or self.measure is not None):
            raise ArgumentError(f"{self.dynamics.name}: a law on the host goes with saved states only; observe them afterwards")
        measured = 0 if self.measure is None else self.measure.outputs[0].size
        if len(self.reductions) != measured or not set(self.reductions) <= set(REDUCTIONS):
            kinds = ", ".join(REDUCTIONS)
            raise ArgumentError(f"{measured} measures need as many reductions of {kinds}, not {self.reductions}")

    @property
    def name(self) -> str:
        """Name of the dynamics."""
        return self.dynamics.name

    @property
    def is_map(self) -> bool:
        """Whether the dynamics is a step map."""
        return len(self.dynamics.inputs) == 5

    @property
    def saved(self) -> Port:
        """What a saved row holds."""
        return self.dynamics.inputs[1] if self.observe is None else self.observe.outputs[0]

    @property
    def monitors(self) -> int:
        """Number of monitors."""
        return sum(port.size for port in self.dynamics.outputs[1:])

    @property
    def pivots(self) -> int:
        """How many of them, the first ones, are pivots of an elimination: they hold in every stage of a step."""
        names = [field.name for port in self.dynamics.outputs[1:] for field in port.fields]
        return next((k for k, name in enumerate(names) if name != f"{PIVOT}{k}"), len(names))

    @property
    def functions(self) -> tuple[Traced, ...]:
        """All functions that the program is made of."""
        slopes = None if self.slopes is None else self.slopes.function
        parts = (self.dynamics, self.project, self.observe, self.measure, self.sense, slopes)
        return tuple(part for part in parts if part is not None)

    @property
    def operations(self) -> int:
        """Number of arithmetic operations of all functions."""
        slopes = None if self.slopes is None else self.slopes.function
        parts = (self.dynamics, self.project, self.observe, self.measure, slopes)
        return sum(part.operations for part in parts if part is not None)

    def implicit(self) -> Program:
        """The program of the same model for implicit steps."""
        if self.is_map or isinstance(self.manifold, TangentManifold):
            what = "a step map" if self.is_map else "a roll-out with derivatives"
            raise ArgumentError(f"{self.name}: {what} takes no implicit steps; use an explicit stepper, as 'rk4'")
        return replace(self, slopes=slopes_of(self.dynamics, self.manifold))

    @cached_property
    def work(self) -> int:
        """Numbers that implicit steps keep for each instance."""
        return 0 if self.slopes is None else work_of(self.slopes, self.manifold)

    def emit(self, dialect: Dialect, call: str) -> str:
        """Complete text; `call` is the header that exports the roll-out."""
        _, state, inputs, parameters = (port.size for port in self.dynamics.inputs[:4])
        sizes = {"NX": state, "ND": self.manifold.tangent_size, "NU": inputs, "NP": parameters, "NM": self.monitors}
        sizes |= {"NW": self.pivots, "NS": self.saved.size, "NR": len(self.reductions)}
        numbers: dict[str, float] = {**sizes, "LM_PIVOT_LEFT": LEFT}
        texts = [opening(self.dynamics, dialect), prologue(dialect, "manifold.h", "reduce.h")]
        texts.append("\n".join(f"#define {name} {value}" for name, value in numbers.items()))
        if self.breaks:
            texts.append("#define LM_BREAKS")
        if self.slopes is not None:
            texts.append("#define LM_IMPLICIT")
        texts += [runtime("span.h"), *called_texts(self.functions)]
        texts += [*self._dynamics(dialect), self.observation(dialect), self.measures(dialect)]
        text = "\n\n".join((*texts, runtime("rollout.h"), runtime(call)))
        if state:
            return text
        # Where all is imposed there is no state, and arrays of no length are no C, and no CUDA.
        return text.replace("[NX]", "[1]").replace("[ND]", "[1]")

    def _dynamics(self, dialect: Dialect) -> list[str]:
        name = "lm_next" if self.is_map else "lm_dynamics"
        arguments = "t, x, u, p, step" if self.is_map else "t, x, u, p"
        if len(self.dynamics.outputs) > 1:  # an output without entries is an argument all the same
            texts = [emit_core(self.dynamics, name, dialect)]
        else:
            texts = [emit_core(self.dynamics, f"{name}_alone", dialect)]
            texts.append(f"#define {name}({arguments}, result, monitor) ((void)(monitor), {name}_alone({arguments}, result))")
        if self.is_map:
            return [*texts, emit_check(self.manifold), _MAP]
        if self.sense is not None:
            texts += [emit_core(self.sense, "lm_sense", dialect), f"#define NC {self.sense.outputs[0].size}", runtime("law.h")]
        if self.project is not None:
            wanted = " || ".join(f"lm_any((p)[{i}] != LM_CONST(0.0))" for i in self.project.asked_by) or "1"
            texts += ["#define LM_PROJECT", f"#define LM_PROJECTS(p) ({wanted})"]
            texts.append(emit_core(self.project, "lm_projection", dialect))
        texts.append(emit(self.manifold))
        if self.slopes is not None:
            patience = patience_of(self.slopes, self.dynamics.operations)
            texts.append(emit_implicit(self.slopes, self.manifold, patience, dialect))
        return texts

    def observation(self, dialect: Dialect) -> str:
        """What is saved, as a C function."""
        if self.observe is not None:
            return emit_core(self.observe, "lm_observe", dialect)
        return (
            "LM_INLINE void lm_observe(const real *t, const real *x, const real *u, const real *p, real *values) {\n"
            "    (void)t, (void)u, (void)p;\n"
            "    for (int i = 0; i < NX; ++i) values[i] = x[i];\n}"
        )

    def measures(self, dialect: Dialect) -> str:
        """What is measured and reduced, as a C function."""
        lines, text = [], ""
        if self.measure is not None:
            text = emit_core(self.measure, "lm_measure", dialect) + "\n\n"
            lines = ["    const real time = LM_CONST(t);", "    real value[NR];", "    lm_measure(&time, x, u, p, value);"]
            lines += [f"    LM_{kind.upper()}({i})" for i, kind in enumerate(self.reductions)]
            lines.append("    for (int i = 0; i < NR; ++i) before[i] = value[i];")
        else:
            lines = ["    (void)starts, (void)alive, (void)t, (void)h, (void)x, (void)u, (void)p, (void)before, (void)result;"]
        return (
            f"{text}LM_FUNCTION void lm_measure_and_reduce(int starts, mask alive, double t, double h, const real *x, "
            "const real *u,\n                                       const real *p, real *before, real *result) {\n"
            + "\n".join(lines)
            + "\n}"
        )


_MAP = """#define LM_MAP
LM_FUNCTION void lm_advance(int64_t stepper, int64_t n, const lm_span *span, const real *x, const real *u, const real *p,
                            lm_memory *f, real *y, real *monitor) {
#ifdef LM_BREAKS
    /* The map looks at instants of its own: it begins and ends a little inside. */
    const real time = LM_CONST(span->first);
    const real step = LM_CONST(span->h - (span->first - span->t) - (span->t + span->h - span->last));
#else
    const real time = LM_CONST(span->t), step = LM_CONST(span->h);
#endif
    (void)stepper, (void)n, (void)f;
    lm_next(&time, x, u, p, &step, y, monitor);
}"""


BreaksOf = Callable[[float, float, float, Any], tuple[float, ...]]
"""(start, end, length of a step, parameters of the instances) -> instants from start to end at which laws of time may jump."""


def with_breaks(plan: Plan, program: Program, breaks: BreaksOf | None, parameters: Any) -> Plan:
    """The plan with the instants that its steps have to end on; backwards in time there are none."""
    if breaks is None or not program.breaks or plan.dt <= 0.0:
        return plan
    end = plan.start_time + plan.steps * plan.dt
    return replace(plan, breaks=breaks(plan.start_time, end, plan.dt, parameters))


def _check_arguments(traced: Traced, wanted: list[str]) -> None:
    names = [port.name for port in traced.inputs]
    single = [traced.inputs[i].size for i, name in enumerate(names) if name in ("time", "step")]
    if names != wanted or any(size != 1 for size in single):
        raise ArgumentError(f"{traced.name}: a roll-out needs inputs time (1), {', '.join(wanted[1:])}; it has {names}")


def _check_results(traced: Traced, wanted: tuple[str, ...]) -> None:
    results = tuple(port.name for port in traced.outputs)
    if wanted and results not in (wanted, wanted[:1]):
        raise ArgumentError(f"{traced.name}: a roll-out needs the outputs {wanted}; it has {results}")
    if not wanted and len(results) != 1:
        raise ArgumentError(f"{traced.name}: one output is wanted; it has {results}")
