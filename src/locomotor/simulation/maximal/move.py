"""A run in maximal coordinates, recorded as one of the tree: the same channels, from poses that were found in another way."""

import itertools
import math
from functools import partial

import numpy as np

from locomotor.dataclass import replace
from locomotor.errors import StepperError
from locomotor.mechanics.maximal import refuse_folded
from locomotor.simulation.branches import passages_of
from locomotor.simulation.compiled import compile_system
from locomotor.simulation.driven import Driven
from locomotor.simulation.events import Mode, is_hybrid, move_with_events
from locomotor.simulation.maximal.free_probe import FreeProbe
from locomotor.simulation.maximal.motion import LOST, Maximal
from locomotor.simulation.recorder import Course, described
from locomotor.simulation.run_plan import Plan
from locomotor.simulation.status import Outcome, Status
from locomotor.simulation.steppers import FixedStep
from locomotor.simulation.turning import Track
from locomotor.tracing import TracedSystem
from locomotor.typing import Vector


def move_maximally(plan: Plan) -> Course:
    """The motion that was planned, every body free and every joint a condition."""
    system, stepper = plan.system, plan.stepper
    if not isinstance(stepper, FixedStep) or stepper.name != "rk4":
        raise StepperError(f"coordinates='maximal' steps with rk4, not {stepper.name}; leave stepper out")
    if plan.controller is not None or plan.static or plan.ends:
        raise StepperError(
            f"{system.name}: controllers, laws of inputs, static forces and ends belong to coordinates='reduced'; leave them "
            "out (ends=None), or run with those"
        )
    inputs = np.array([plan.constant.get(symbol.name, 0.0) for symbol in system.inputs])
    if is_hybrid(system):
        return _with_events(plan, inputs)
    motion = Maximal(system, plan.method.target, inputs)
    compiled = compile_system(system, target=plan.method.target)
    driven = Driven(compiled, plan.constant)
    traced = compiled.traced
    first = compiled.start(plan.start.values, time=plan.start.time, assemble=plan.start.assemble)
    channels = driven.channels(plan.samples.times[:1], first[None])
    q = np.array([channels[symbol.name][0] for symbol in system.layout.coordinates])
    v = np.array([channels[symbol.name][0] for symbol in system.layout.velocities])
    motion.efforts.begin(q)
    project = plan.method.project is not False
    state = motion.state(q, v)
    state = motion.projected(state, plan.start.time) if project else state
    times, found, worst = plan.samples.times, [first], (0.0, 0.0)
    bodies = [(state, q)]
    outcome = Outcome.COMPLETED
    for begin, end in itertools.pairwise(times):
        steps = max(1, round((end - begin) / plan.samples.step))
        h = (end - begin) / steps
        for k in range(steps):
            with np.errstate(all="ignore"):
                state = motion.step(begin + k * h, state, h, project)
            if not (np.abs(state) < LOST).all():
                break
        if not (np.abs(state) < LOST).all():
            outcome = Outcome.NOT_FINITE
            break
        q, v = motion.efforts.tree(state)
        found.append(_tree_state(traced, q, v))
        bodies.extend([(state, q)] if system.loops else [])
        worst = tuple(map(max, worst, motion.residuals(state, end)))  # type: ignore[assignment]
    states, kept = np.array(found), times[: len(found)]

    def again(k: int, s: float) -> Vector:
        """The state some seconds after a sample."""
        count = math.ceil(s / plan.samples.step)
        state, q = bodies[k]
        motion.efforts.begin(q)
        for j in range(count):
            state = motion.step(float(kept[k]) + j * s / count, state, s / count, project)
        return _tree_state(traced, *motion.efforts.tree(state))

    passages = passages_of(traced)
    return Course(
        tracks=[Track(compiled, kept, states, driven.parameters, driven.states, driven.channels)],
        about=described(traced),
        status=Status(outcome, float(kept[-1]), "" if outcome is Outcome.COMPLETED else "take a smaller step"),
        events=passages.events(kept, states, again, touching=True) if passages else (),
        ends=plan.ends,
        step=plan.samples.step,
        settings={
            "stepper": stepper.name,
            "order": stepper.order,
            "step": plan.samples.step,
            "coordinates": "maximal",
            "project": project,
            "target": plan.method.target,
            "rows": motion.graph.size,
            "largest_gap": worst[0],
            "largest_slip": worst[1],
        },
    )


def _with_events(plan: Plan, inputs: Vector) -> Course:
    """The same where contacts open and close: each mode moves in maximal coordinates, from event to event."""
    refuse_folded(plan.system)
    method = replace(plan.method, solver="traced")  # one model for all modes has no conditions of its own for each
    motions: dict[Mode, Maximal] = {}
    prober = partial(FreeProbe, motions=motions, values=inputs, project=method.project is not False)
    course = move_with_events(replace(plan, method=method), prober)
    rows = [motion.graph.size for motion in motions.values()]
    settings = {
        **course.settings,
        "coordinates": "maximal",
        "project": method.project is not False,
        "rows": max(rows, default=0),
    }
    return replace(course, settings=settings)


def _tree_state(traced: TracedSystem, q: Vector, v: Vector) -> Vector:
    """The state of the reduced system that has these coordinates and velocities."""
    return np.concatenate([q[list(traced.coordinate_indices)], v[list(traced.reduction.free)]])
