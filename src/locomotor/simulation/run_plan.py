"""The plan of a run: all that was asked for, checked and in order, for motions with events and without."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from locomotor.dataclass import dataclass
from locomotor.errors import StepperError
from locomotor.model import Ends, System
from locomotor.simulation.compiled import as_controller
from locomotor.simulation.ends import EndsGiven, chosen_ends
from locomotor.simulation.inputs import as_motions, check_constraints, check_inputs_act, check_motions, check_resolution
from locomotor.simulation.options import Method, Start
from locomotor.simulation.records import uneven_samples
from locomotor.simulation.steppers import Adaptive, FixedStep, Stepper, refined
from locomotor.tracing import Channels, Controller
from locomotor.typing import Vector

MOST_SAMPLES = 100_000
"""Samples kept when the user does not say how many."""
MOST_ASKED = 10**8
"""Samples that a user may ask for: of all channels they fill the memory of most machines."""
RESOLVED = 0.01
"""Share of a step to which the instants of a run must be told apart: seconds of a calendar are, in steps of a millisecond."""
MOST_STEPS = 2**53
"""Steps up to which the time of each is a number of its own."""


@dataclass(frozen=True, eq=False)
class Samples:
    """Instants to record, and the steps between them."""

    times: Vector
    substeps: int
    """Steps from one to the next; 0 where they are not equally far apart, or where the stepper chooses its steps."""
    step: float
    """Length of a step (s); 0 where the stepper chooses."""

    def given_again(self) -> Any:
        """The instants of these samples, as `sample` of another run."""
        even = len(set(np.round(np.diff(self.times), 12))) == 1
        return float(self.times[1] - self.times[0]) if even else self.times.tolist()


@dataclass(frozen=True, eq=False)
class Plan:
    """What stays the same over a whole run."""

    system: System
    """With the parameters and the imposed motions of the run."""
    duration: float
    start: Start
    method: Method
    samples: Samples
    constant: Mapping[str, float]
    """Inputs that are numbers."""
    controller: Controller | None
    """The law of all inputs that are no numbers."""
    static: Mapping[str, Any] | None
    ends: Ends

    @property
    def stepper(self) -> Stepper:
        """The stepper that the run is integrated with."""
        return self.method.integrator

    @property
    def projects(self) -> bool:
        """Whether something is closed after each step."""
        return bool(self.system.loops) if self.method.project is None else self.method.project

    def finer(self) -> "Plan":
        """The plan of the same run at half the step, or with smaller tolerances."""
        stepper = refined(self.stepper)
        samples = sampling(self.duration, stepper, self.samples.given_again(), self.start.time)
        return replace(self, method=replace(self.method, stepper=stepper, step=None), samples=samples)


def plan_run(
    system: System,
    duration: float,
    start: Start,
    method: Method,
    inputs: Mapping[str, Any] | None,
    controller: Controller | Callable[[Channels], Mapping[str, Any]] | None,
    motions: Mapping[str, Any] | None,
    static: Mapping[str, Any] | None,
    parameters: Mapping[str, float] | None,
    sample: Any,
    ends: EndsGiven,
) -> Plan:
    """Put in order what was asked for, and refuse what cannot be; nothing is traced or compiled yet."""
    stepper = method.integrator
    if isinstance(stepper, FixedStep) and not duration / stepper.step <= MOST_STEPS:
        raise StepperError(
            f"a step of {stepper.step!r} s would divide {duration!r} s into more than {MOST_STEPS} steps; give a longer "
            "step, or a shorter duration"
        )
    shortest = min(stepper.step, duration) if isinstance(stepper, FixedStep) else duration
    apart = float(np.spacing(max(abs(start.time), abs(start.time + duration))))
    if apart > RESOLVED * shortest:
        raise StepperError(
            f"start_time is {start.time!r} s: numbers of that size are {apart:.2g} s apart, too coarse a clock for steps of "
            f"{shortest:g} s; start nearer to zero"
        )
    if method.project is None and not start.assemble:  # what is open at the start stays as it is
        method = replace(method, project=False)
    if parameters:
        system = system.with_parameters(**parameters)
    if motions is not None:
        driven = system.with_motions(as_motions(motions))
        check_inputs_act(system, driven, inputs or {})
        system = driven
    constant, law = as_controller(system, inputs, controller)
    check_motions(system, start.time, start.time + duration)
    check_constraints(system, start.time, start.time + duration)
    if isinstance(stepper, FixedStep):
        check_resolution(system, min(stepper.step, duration), inputs=inputs)
    samples = sampling(duration, stepper, sample, start.time)
    return Plan(system, duration, start, method, samples, constant, law, static, chosen_ends(system, ends))


def sampling(duration: float, stepper: Stepper, sample: Any, start_time: float) -> Samples:
    """Instants to record, as many as were asked for, and the steps between them."""
    if isinstance(sample, float) and not 0.0 < sample <= duration * (1 + 1e-9):
        raise StepperError(f"sample is {sample!r} s; it must be positive and at most the duration, {duration!r} s")
    if isinstance(sample, float) and not duration / sample <= MOST_ASKED:
        raise StepperError(f"sample is {sample!r} s, more than {MOST_ASKED} samples in {duration!r} s; give a longer one")
    samples = None if sample is None else uneven_samples(sample, duration, start_time)
    if samples is not None:
        return Samples(samples, 0, 0.0 if isinstance(stepper, Adaptive) else stepper.step)
    if isinstance(stepper, Adaptive):
        count = max(1, round(duration / (sample if sample is not None else duration / 1000)))
        return Samples(start_time + np.asarray(np.linspace(0.0, duration, count + 1), dtype=float), 0, 0.0)
    if sample is None:
        steps = max(1, math.ceil(duration / stepper.step * (1 - 1e-12) - 1e-9))
        substeps = max(1, math.ceil(steps / MOST_SAMPLES))
        count = math.ceil(steps / substeps)
    else:
        count = max(1, round(duration / sample))
        substeps = max(1, math.ceil(duration / count / stepper.step - 1e-9))
    dt = duration / (count * substeps)
    return Samples(np.asarray(start_time + dt * substeps * np.arange(count + 1), dtype=float), substeps, dt)
