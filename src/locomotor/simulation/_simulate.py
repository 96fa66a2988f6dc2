"""The verb `simulate`: a system, a start and a duration in, a `Run` out."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from locomotor.checks import door, either, floats, function, instance, is_number, mapping, optional, positive
from locomotor.codegen import Implicit
from locomotor.errors import QuantityError, StepperError
from locomotor.model import System, a_system
from locomotor.simulation.compiled import confirm_law
from locomotor.simulation.ends import EndsGiven
from locomotor.simulation.events import is_hybrid, move_with_events
from locomotor.simulation.maximal import move_maximally
from locomotor.simulation.options import OF_METHOD, OF_START, Method, Start, of_arguments, one_of
from locomotor.simulation.recorder import record
from locomotor.simulation.records import Run, bent_too_far, sound
from locomotor.simulation.run_plan import Plan, plan_run
from locomotor.simulation.smooth import move_smoothly
from locomotor.simulation.status import MADE_ENERGY
from locomotor.simulation.steppers import Stepper
from locomotor.tracing import Channels, Controller


class RunWarning(UserWarning):
    """A run ended before its time; the run returned holds what there is."""


@door(
    system=a_system,
    duration=partial(positive, error=StepperError),
    start=optional(either(instance(Start), OF_START["values"])),
    inputs=optional(mapping),
    controller=optional(either(instance(Controller), function)),
    motions=optional(partial(mapping, error=QuantityError)),
    static=optional(mapping),
    parameters=optional(mapping),
    sample=optional(lambda value, what: (positive if is_number(value) else floats)(value, what, error=StepperError)),
    assemble=OF_START["assemble"],
    closed=OF_START["closed"],
    start_time=OF_START["time"],
    method=optional(instance(Method)),
    **OF_METHOD,
)
def simulate(
    system: System,
    duration: float,
    *,
    start: Mapping[str, float] | Start | None = None,
    step: float | None = None,
    stepper: str | Stepper | Implicit = "rk4",
    inputs: Mapping[str, Any] | None = None,
    controller: Controller | Callable[[Channels], Mapping[str, Any]] | None = None,
    motions: Mapping[str, Any] | None = None,
    static: Mapping[str, Any] | None = None,
    parameters: Mapping[str, float] | None = None,
    drift_time: float | None = None,
    project: bool | None = None,
    sample: float | Sequence[float] | None = None,
    assemble: bool = True,
    closed: Sequence[str] | None = None,
    scheme: str = "exact",
    start_time: float = 0.0,
    target: str = "auto",
    ends: EndsGiven = "declared",
    coordinates: str = "reduced",
    solver: str = "auto",
    method: Method | None = None,
) -> Run:
    """Simulate a system.

    Contacts with a law other than `Persistent()` open and close; `run.events` tells when, with impulses and energies.

    Args:
        system: what moves.
        duration: seconds of motion.
        start: coordinates, angles and velocities by name; the rest follows from the contacts or is nominal, velocities from
            vanishing momenta with "momentum": 0. A `Start` holds them together with `closed`, `assemble` and `start_time`.
        step: seconds a step, for the fixed-step steppers (0.001 by default); shortened to divide the duration.
        stepper: "rk4", "abm4", "abm5", "dop853"; "midpoint" or "generalised-alpha" for what is stiff (or `lm.Implicit(...)`);
            "auto" takes rk4 where it is stable at the start, else generalised alpha; or an object of `simulation.steppers`.
        inputs: values of inputs by name: numbers, or expressions of t and channels such as "0.3*sin(t)".
        controller: a function of named channels that returns inputs by name, or a `Controller` with states.
        motions: joints whose motion is imposed, as expressions of t.
        static: constraint forces by row, such as {"front_x": 0.0}, where the contacts over-determine them; by default the
            smallest forces that do.
        parameters: other values for named parameters. Where contacts open and close, those of forces, contact laws and masses
            that differ from run to run of a system are compiled once for all values but zero; others for each value.
        drift_time: time constant of the drift correction of the contacts' gaps (docs/theory.md (D1)), or None.
        project: close the gaps by a Newton step after each step (fixed-step steppers); by default those of loops only.
        sample: seconds between recorded samples (the end is recorded too where it comes sooner), or the times to record, which
            are met exactly, start and end besides; by default every step, thinned to 100,000 samples at most.
        assemble: close the contacts' gaps at the start (see `simulation.start`).
        closed: of the contacts that open and close, those closed at the start, whose gaps are closed by moving what `start`
            leaves open; by default those that touch in the pose given.
        scheme: how events are located: "exact" (to round-off), or "source" (rewind and shorten the step, as the sources do).
        start_time: time of the first sample.
        target: where to run: "auto", "c" or "interpreter".
        ends: expressions of channels by name; where one becomes negative the run is over, as {"fallen": "1.2 - abs(roll)"};
            by default those that the system declares, None for none.
        coordinates: "reduced" (as few velocities as the joints, contacts and loops leave), or "maximal": every body free and
            every joint a condition, solved along the graph; the same motion, for comparison and for very many bodies.
        solver: where contacts open and close: "traced" compiles a model of each set of closed contacts that the run meets,
            "runtime" one for all of them, whose contacts are held as numbers tell; "auto" takes the latter for many contacts.
        method: `step`, `stepper`, `drift_time`, `project`, `scheme`, `target` and `solver` together, instead of one by one.
    """
    given = start if isinstance(start, Start) else None
    values = None if isinstance(start, Start) else start
    begin = one_of("start", given, of_arguments(Start, values, closed, assemble, start_time))
    asked = of_arguments(Method, stepper, step, drift_time, project, scheme, target, coordinates, solver)
    asked.check_together()
    how = one_of("method", method, asked)
    plan = plan_run(system, duration, begin, how, inputs, controller, motions, static, parameters, sample, ends)
    return perform(plan)


def perform(plan: Plan) -> Run:
    """The run that was planned: its motion, recorded, and as much of it as is to be believed."""
    hybrid = is_hybrid(plan.system)
    moved = move_maximally if plan.method.coordinates == "maximal" else move_with_events if hybrid else move_smoothly
    course = moved(plan)
    traced = course.tracks[0].compiled.traced
    known = hybrid or plan.controller is None or traced.controller_is_traced
    recorded = record(plan.system, course, lambda: perform(plan.finer()))
    run = sound(recorded, known and plan.samples.substeps == 1, course.beyond)
    confirm_law(traced)
    if not run.status.ok:
        warnings.warn(f"{plan.system.name}: {run.status}", RunWarning, stacklevel=4)
    for words in bent_too_far(run):
        warnings.warn(f"{plan.system.name}: {words}", RunWarning, stacklevel=4)
    gains = [event for event in run.events if MADE_ENERGY in event.description]
    if gains:
        most = max(gains, key=lambda event: -event.energy_lost)
        warnings.warn(
            f"{plan.system.name}: {len(gains)} impact(s) have made energy, that of {most.contact!r} at t = {most.time:.6g} s "
            f"{-most.energy_lost:.3g} J: their law can, with friction, tangential coefficients or several contacts; take less "
            "restitution, or a rule that never does: with friction 'stronge' or 'moreau'",
            RunWarning,
            stacklevel=4,
        )
    return run
